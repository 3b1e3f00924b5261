"""The lines of R in docs/r.md reduce rows and contribute as documented."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Result

from eigenveil.finding import find_command

READ, CONTRIBUTE = re.findall(r"```r\n(.*?)```", (ROOT / "docs/r.md").read_text(), re.DOTALL)


@pytest.fixture(scope="module", autouse=True)
def rscript() -> str:
    found = shutil.which("Rscript")
    if (
        found is None
        or subprocess.run([found, "-e", "library(jsonlite)"], capture_output=True).returncode != 0
    ):
        pytest.skip("the lines of R are run by R with jsonlite")
    return found


def program(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def run(rscript: str, lines: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "lines.R").write_text(lines)
    return subprocess.run([rscript, "lines.R"], cwd=folder, capture_output=True, text=True)


def test_rows_are_reduced(rscript: str, results: Callable[[str], Result], tmp_path: Path) -> None:
    result = results("pca")
    rows = result.rows[:500]
    shutil.copy(result.evidence, tmp_path)
    np.savetxt(tmp_path / "rows.csv", rows, "%.17g", ",", header=",".join(result.features), comments="")
    words = " ".join(f"'{word}'" for word in find_command("eigenveil-owner"))
    owner = program(tmp_path / "eigenveil-owner", f'exec {words} "$@"')
    told = f'command <- "{owner}"\nthumbprint <- "{result.thumbprint}"\n'
    lines = READ.replace('command = "eigenveil-owner"', f'command = "{owner}"')
    write = 'write.table(format(reduced, digits = 17), "reduced.csv", row.names = FALSE, col.names = FALSE, quote = FALSE)'
    done = run(rscript, told + lines + write, tmp_path)
    assert done.returncode == 0, done.stderr
    reduced = np.loadtxt(tmp_path / "reduced.csv")
    assert np.max(np.abs(reduced - result.table("reduced", 5)[:500])) < 1e-9
    wrong = run(rscript, told.replace(result.thumbprint, "A" * 43) + lines, tmp_path)
    assert wrong.returncode != 0
    assert "ERR_CSP_IDENTITY" in wrong.stderr


def test_a_frame_is_contributed(rscript: str, tmp_path: Path) -> None:
    body = f'cat "$7" > {tmp_path}/kept.gz; stat -c %a "$7" > {tmp_path}/mode; echo "$7" > {tmp_path}/name; echo "{{\\"words\\": \\"$1 $2\\"}}"'
    owner = program(tmp_path / "owner", body)
    lines = f"""
        library(jsonlite)
        {CONTRIBUTE.replace('command = "eigenveil-owner"', f'command = "{owner}"')}
        frame <- data.frame(x = c(0.1, 1/3, NA), n = 1:3, label = c("a", "b\\"c", "d,e"))
        cat(toJSON(contribute("T; touch planted", frame, "owner.json"), auto_unbox = TRUE))
    """
    done = run(rscript, lines, tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"words": "contribute T; touch planted"}
    assert not (tmp_path / "planted").exists()
    header, *rows = gzip.decompress((tmp_path / "kept.gz").read_bytes()).decode().splitlines()
    assert header == '"x","n","label"'
    assert float(rows[1].split(",")[0]) == 1 / 3
    assert rows[2] == ',3,"d,e"'
    assert rows[1].endswith('"b""c"')
    assert (tmp_path / "mode").read_text() == "600\n"
    assert not Path((tmp_path / "name").read_text().strip()).exists()
