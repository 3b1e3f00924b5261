"""A data owner: shows tasks, contributes frames to them, and reduces frames by their results."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .csv_rows import Progress, csv_of, rows_setting
from .errors import EigenveilError
from .frames import column_names
from .progress import bar
from .running import Command, private_folder

_Path = str | os.PathLike[str]


class Owner:
    """A data owner, by the command ``eigenveil-owner``, which does all cryptography and all checks.

    Parameters
    ----------
    home : path, optional
        The folder of the owner's key, enrolment and receipts.
    user_url : str, optional
        The address of the data user.
    user_ca, csp_ca : path, optional
        Certificates to trust instead of the system's for the data user, and for the CSP at enrolment; PEM.
    config : path, optional
        A file of settings, as the command takes it. What is given here goes before it.
    command : path, optional
        ``eigenveil-owner``; by default ``EIGENVEIL_OWNER``, the one on ``PATH``, or that of the checkout.
    timeout : float, optional
        Seconds for which a call may take. Without it, only a call's own waits end.

    Notes
    -----
    Each method returns what the command prints with ``--json``, and raises an `EigenveilError` with the
    command's code and exit code. Further keywords are the command's options, with ``_`` for ``-``:
    ``allow_clipping=["age"]``. Rows go through a pipe, and never to a file; reduced rows come back by one in a
    folder that only its owner can read, and that is removed.
    """

    def __init__(
        self,
        home: _Path | None = None,
        user_url: str | None = None,
        *,
        user_ca: _Path | None = None,
        csp_ca: _Path | None = None,
        config: _Path | None = None,
        command: _Path | None = None,
        timeout: float | None = None,
    ) -> None:
        self._command = Command("eigenveil-owner", command, {"config": config, "home": home}, timeout)
        self._data_user = {"user_url": user_url, "user_ca": user_ca}
        self._csp_ca = csp_ca

    def enrol(self, csp_url: str, csp_thumbprint: str, token: str) -> dict[str, Any]:
        """Enrol at the CSP with a one-time token.

        Parameters
        ----------
        csp_url : str
        csp_thumbprint : str
            The thumbprint of the CSP's key, learnt over a channel that you trust.
        token : str
            It goes to the command in its environment, where other users of the machine do not see it.
        """
        settings = {"csp_url": csp_url, "csp_thumbprint": csp_thumbprint, "csp_ca": self._csp_ca}
        return self._command.run("enrol", settings=settings, environment={"EIGENVEIL_OWNER_TOKEN": token})

    def show(self, task: str, **options: object) -> dict[str, Any]:
        """Tell what a task reveals and to whom, and whether the policy takes it; no row is read."""
        return self._command.run("show", task=task, settings={**self._data_user, **options})

    def dry_run(
        self,
        task: str,
        frame: Any,
        *,
        ignore: Sequence[str] | None = None,
        progress: Progress | bool = False,
        **options: object,
    ) -> dict[str, Any]:
        """Tell what `contribute` would contribute and charge; nothing is sent or charged."""
        return self._contribute(task, frame, ignore, progress, {**options, "dry_run": True})

    def contribute(
        self,
        task: str,
        frame: Any,
        *,
        ignore: Sequence[str] | None = None,
        progress: Progress | bool = False,
        **options: object,
    ) -> dict[str, Any]:
        """Contribute the encrypted statistics of a frame's rows to a task.

        Errors count rows from 1, whether this package or the command finds them: row 1 is ``frame.iloc[0]``.

        Parameters
        ----------
        task : str
            The task's id.
        frame : frame
            Of pandas or polars, with the features and labels of the task.
        ignore : sequence of str, optional
            Columns that stay here; by default those that the settings name are left out by the command.
        progress : callable or bool
            Is told how many rows the command has taken, and of how many; True shows a bar where tqdm is
            installed.
        **options
            Such as ``policy="policy.json"`` or ``dataset="visits"``.

        Returns
        -------
        dict
            ``receipt``, ``rows``, ``clipped`` by feature, ``classes``, ``warnings`` and more.
        """
        return self._contribute(task, frame, ignore, progress, options)

    def _contribute(
        self,
        task: str,
        frame: Any,
        ignore: Sequence[str] | None,
        progress: Progress | bool,
        options: Mapping[str, object],
    ) -> dict[str, Any]:
        with bar(progress, "contribute") as told:
            return self._command.run(
                "contribute",
                task=task,
                settings={**self._data_user, **options, **rows_setting(ignore)},
                stdin=csv_of(frame, ignore or (), told),
            )

    def project(
        self,
        task: str,
        frame: Any,
        *,
        ignore: Sequence[str] | None = None,
        progress: Progress | bool = False,
        **options: object,
    ) -> Any:
        """Reduce a frame's rows by the result of a task, which is fetched and checked.

        Parameters
        ----------
        task, frame, ignore, progress
            As for `contribute`; columns that the projection does not know are left out.
        **options
            Such as ``wait=True``, ``wait_minutes=30``, or ``evidence="evidence.json"``, which keeps the
            result for `Projection.load`.

        Returns
        -------
        frame
            Of the same kind as the rows, with a column for each component. Of pandas with the index of the
            rows, without those that ``missing="skip"`` leaves out.

        Notes
        -----
        No guarantee of differential privacy covers reduced rows: keep them like the rows.
        """
        if "keep" in options:
            raise EigenveilError(
                "ERR_CONFIGURATION", '"keep" expected of files alone: frames keep their index'
            )
        positions = "eigenveil_position"
        while positions in (column_names(frame) or ()):
            positions += "_"
        with private_folder() as folder, bar(progress, "project") as told:
            out = folder / "reduced.csv"
            self._command.run(
                "project",
                task=task,
                settings={
                    **self._data_user,
                    **options,
                    **rows_setting(ignore),
                    "out": out,
                    "keep": [positions],
                },
                stdin=csv_of(frame, ignore or (), told, positions),
            )
            return _frame_like(frame, out)


def _frame_like(frame: Any, reduced: Path) -> Any:
    """Return the reduced rows, behind their positions, as a frame of the same kind, with the numbers that were written."""
    with reduced.open(encoding="utf-8", newline="") as lines:
        names = next(csv.reader(lines))
        values = np.fromiter(_numbers(lines), dtype=float).reshape(-1, len(names))
    columns = {name: values[:, i] for i, name in enumerate(names) if i > 0}
    if not hasattr(frame, "index"):
        return type(frame)(columns)
    return type(frame)(columns, index=frame.index[values[:, 0].astype(int)])


def _numbers(lines: Iterable[str]) -> Iterator[float]:
    for line in lines:
        yield from map(float, line.split(","))
