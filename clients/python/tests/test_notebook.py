"""The notebook of the examples runs on the services that the demo leaves running."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NODE, ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
for name in ("ipykernel", "matplotlib", "pandas", "sklearn"):
    pytest.importorskip(name)

NOTEBOOK = ROOT / "examples/two-owners.ipynb"
DEMO = ("--data", "data/iris.csv", "--owners", "2", "--components", "2", "--method", "pca")
QUICK = ("--two-party", "simulated", "--key-bits", "1024")


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Path]:
    """Start the demo that the notebook names, with short keys; give the folder of its settings."""
    if not NODE.exists():
        pytest.skip("the demo runs by the Node.js that npm ci installs")
    words = [NODE, "scripts/demo.ts", *DEMO, *QUICK, "--out", tmp_path / "out", "--keep", "--json"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            kept = next(told for told in map(json.loads, running.stdout) if "commands" in told)
            found = re.search(r"--config (\S+)/user\.json", "\n".join(kept["commands"]))
            assert found is not None
            yield Path(found[1])
        finally:
            running.send_signal(signal.SIGINT)


def test_the_notebook_ends_with_a_plot(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EIGENVEIL_DEMO", str(demo))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "clients/python/src"))
    monkeypatch.setenv("EIGENVEIL_OWNER", str(ROOT / "services/data-owner/bin/eigenveil-owner.ts"))
    monkeypatch.setenv("EIGENVEIL_USER", str(ROOT / "services/data-user/bin/eigenveil-user.ts"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert f"npm run demo -- {' '.join(DEMO)} --keep" in notebook.cells[0].source
    assert all(cell.get("outputs", []) == [] for cell in notebook.cells)
    done = nbclient.NotebookClient(
        notebook, timeout=600, resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    outputs = [output for cell in done.cells for output in cell.get("outputs", [])]
    assert any(output.get("name") == "stdout" and output["text"].startswith("True [") for output in outputs)
    assert "image/png" in outputs[-1]["data"]
