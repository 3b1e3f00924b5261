"""A run in which everything was skipped fails, so that CI notices where nothing could be installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

SKIPPED = "import pytest\ndef test_skipped(): pytest.skip('not here')\n"
PASSED = "def test_passed(): pass\n"


@pytest.mark.parametrize(
    ("tests", "code"),
    [(SKIPPED, pytest.ExitCode.NO_TESTS_COLLECTED), (SKIPPED + PASSED, pytest.ExitCode.OK)],
    ids=["skips", "skips and a test"],
)
def test_a_run_of_skips_alone_fails(tmp_path: Path, tests: str, code: int) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_some.py").write_text(tests)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "clients/python/src")}
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", tmp_path]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stdout
