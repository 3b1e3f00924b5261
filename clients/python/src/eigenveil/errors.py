"""The errors and warnings of this package, with the codes and exit codes of the commands."""

from __future__ import annotations

import errno
import os
from typing import Any


class EigenveilError(Exception):
    """What a command or this package refuses.

    Attributes
    ----------
    code : str
        A stable code, ``ERR_…``, the same that the command gives.
    exit_code : int
        The exit code of the command, or the one it would have: 1 a fault of ours, 2 usage, 3 refused,
        4 unavailable, 5 conflict.
    """

    def __init__(self, code: str, message: str, exit_code: int = 2) -> None:
        super().__init__(code, message, exit_code)
        self.code = code
        self.message = message
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class RowsError(EigenveilError, ValueError):
    """Rows that cannot be used; the message names the column and the row, and no cell's value."""

    @staticmethod
    def of_cell(code: str, position: int, column: str, problem: str) -> RowsError:
        """Name a cell of the row at a position, counted from 1: the command counts so, and one call has messages of both."""
        return RowsError(code, f'row {position + 1} (counted from 1), column "{column}": {problem}')


class MissingFileError(EigenveilError, FileNotFoundError):
    """A file that is not there; ``filename`` names it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        name = os.fspath(path)
        super().__init__("ERR_CONFIGURATION", f"a readable file expected, got {name}, which is not there")
        self.errno, self.strerror, self.filename = errno.ENOENT, os.strerror(errno.ENOENT), name

    def __reduce__(self) -> tuple[Any, ...]:
        return MissingFileError, (self.filename,)


class EndedError(EigenveilError, TimeoutError):
    """A command that did not end within its time limit, and was ended."""


class EigenveilWarning(UserWarning):
    """What looks like a mistake and is none for certain."""
