"""Frames go through the real command, without any service: rows are reduced by a result in a file."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Frame, Result

from eigenveil import Owner

pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.EigenveilWarning")


@pytest.fixture
def result(results: Callable[[str], Result]) -> Result:
    return results("pca")


@pytest.fixture
def project(result: Result, tmp_path: Path) -> Callable[..., Any]:
    """Reduce rows by the result in its file."""
    owner = Owner(tmp_path / "home")

    def run(frame: Any, **options: Any) -> Any:
        by = {"projection": result.evidence, "csp_thumbprint": result.thumbprint}
        return owner.project(result.task, frame, **by, **options)

    return run


def test_reduced_rows_have_the_index_of_those_that_are_left(
    result: Result, project: Callable[..., Any]
) -> None:
    pandas = pytest.importorskip("pandas")
    rows = result.rows[:50]
    frame = pandas.DataFrame(rows, columns=result.features, index=[f"row of {i}" for i in range(50)])
    whole = project(frame.assign(eigenveil_position="not ours"))
    assert whole.index.tolist() == frame.index.tolist()
    assert whole.to_numpy().tobytes() == result.loaded.transform(rows).tobytes()
    frame.iloc[1, 0] = None
    frame.iloc[7] = None
    assert project(frame, missing="skip").equals(whole.drop(["row of 1", "row of 7"]))


def test_ctrl_c_ends_the_real_command(
    result: Result, project: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def recorded(*words: Any, **options: Any) -> Any:
        started.append(popen(*words, **options))
        return started[-1]

    def interrupt(_done: int, _total: int) -> None:
        """The command has read most of a chunk by now: a pipe holds less."""
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", recorded)
    frame = Frame(dict(zip(result.features, result.rows.T, strict=True)))
    with pytest.raises(KeyboardInterrupt):
        project(frame, progress=interrupt)
    (command,) = started
    assert command.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.killpg(command.pid, 0)
