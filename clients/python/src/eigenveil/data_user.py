"""A data user: drafts tasks from frames, opens and closes them at its service, and fetches their results."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .csv_rows import csv_of, rows_setting
from .running import Command, private_folder

_Path = str | os.PathLike[str]


class DataUser:
    """The operator of a data user's service, by the command ``eigenveil-user``.

    Parameters
    ----------
    config : path, optional
        A file of settings, as the command takes it: ``url``, ``ca``, ``dataDirectory``.
    url : str, optional
        The address of the service.
    ca : path, optional
        Certificates to trust instead of the system's; PEM.
    data_directory : path, optional
        The service's data directory, to find the operator's token.
    command : path, optional
        ``eigenveil-user``; by default ``EIGENVEIL_USER``, the one on ``PATH``, or that of the checkout.
    timeout : float, optional
        Seconds for which a call may take.

    Notes
    -----
    Each method raises an `EigenveilError` with the command's code and exit code. Further keywords are the
    command's options, with ``_`` for ``-``.
    """

    def __init__(
        self,
        config: _Path | None = None,
        *,
        url: str | None = None,
        ca: _Path | None = None,
        data_directory: _Path | None = None,
        command: _Path | None = None,
        timeout: float | None = None,
    ) -> None:
        settings = {"config": config, "url": url, "ca": ca, "data_directory": data_directory}
        self._command = Command("eigenveil-user", command, settings, timeout)

    def draft(
        self, frame: Any, method: str, *, ignore: Sequence[str] | None = None, **options: object
    ) -> dict[str, Any]:
        """Draft a task from a sample of rows.

        Parameters
        ----------
        frame : frame
            Of pandas or polars. Its ranges become public: replace them by bounds from domain knowledge.
        method : str
            Such as ``"pca"``, ``"lda"`` or ``"ridge"``.
        ignore : sequence of str, optional
            Columns that are no features.
        **options
            Such as ``components=2``, ``owners=2`` or ``label="diagnosis"``.

        Returns
        -------
        dict
            The proposal, to be edited and given to `create`.
        """
        settings = {**options, **rows_setting(ignore)}
        return self._command.run(
            "task", "draft", method, settings=settings, stdin=csv_of(frame, ignore or ())
        )

    def create(self, proposal: Mapping[str, Any], **options: object) -> str:
        """Propose a task to the CSP and open it for contributions; return its id."""
        with private_folder() as folder:
            file = folder / "task.json"
            file.write_text(json.dumps(proposal), encoding="utf-8")
            signed = self._command.run("task", "create", settings={**options, "proposal": file})
        return str(signed["task"]["id"])

    def status(self, task: str) -> dict[str, Any]:
        """Tell how far a task is."""
        return self._command.run("task", "status", task=task)

    def close(self, task: str, *, wait: bool = True) -> dict[str, Any]:
        """End collection and compute; by default wait for the result. Return the status."""
        return self._command.run("task", "close", task=task, settings={"no_wait": not wait})

    def result(self, task: str, *, evidence: _Path | None = None) -> dict[str, Any]:
        """Return the result of a task that is done.

        Parameters
        ----------
        task : str
        evidence : path, optional
            Where to keep it with all that was signed about it, for `Projection.load`.
        """
        return self._command.run("task", "result", task=task, settings={"evidence": evidence})
