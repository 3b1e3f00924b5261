"""The package as users install it: a wheel with types, which works outside of the checkout's sources."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

PACKAGE = ROOT / "clients/python"


def run(*words: object, cwd: Path) -> str:
    """Run a program without the sources on its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def has_builder() -> bool:
    """True where setuptools builds wheels: from 70.1 on by itself, before with the package wheel."""
    return all(importlib.util.find_spec(name) is not None for name in ("setuptools", "wheel", "pip"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not has_builder():
        pytest.skip("a wheel is built by setuptools, wheel and pip")
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(PACKAGE, folder / "source", ignore=shutil.ignore_patterns("build", "*.egg-info", "tests"))
    # No registry is asked: what builds is what is installed here.
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, folder / "source", cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


def test_a_wheel_has_the_sources_and_their_types(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {
        f"eigenveil/{path.name}" for path in (PACKAGE / "src/eigenveil").iterdir() if path.is_file()
    }
    assert "eigenveil/py.typed" in names


def test_an_installed_wheel_works(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    site = next(environment.glob("lib/python*/site-packages"))
    into = ("--python", environment / "bin/python", "install", "--no-deps", "--no-index", "--quiet")
    run(sys.executable, "-m", "pip", *into, wheel, cwd=tmp_path)
    # NumPy is the one thing that it needs.
    (site / "numpy.pth").write_text(str(Path(np.__file__).parents[1]))
    code = "import eigenveil; print(eigenveil.__file__); print(eigenveil.Owner.__name__)"
    said = run(environment / "bin/python", "-c", code, cwd=tmp_path).split()
    assert said == [str(site / "eigenveil/__init__.py"), "Owner"]


def test_types_are_complete() -> None:
    pytest.importorskip("mypy")
    run(sys.executable, "-m", "mypy", "--cache-dir", os.devnull, cwd=PACKAGE)
