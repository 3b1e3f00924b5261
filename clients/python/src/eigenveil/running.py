"""Runs a command to its end: rows go in, one JSON object comes out, and an error becomes an exception."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from .errors import EigenveilError, EigenveilWarning, EndedError
from .finding import find_command

_GRACE_SECONDS = 5.0
"""How long a command has to end in order once it was told to."""

_HEARD_SECONDS = 0.2
"""How long one wait lasts: a Ctrl-C that comes just before a wait does not end it, and is heard after it."""


class Command:
    """One of the commands, with the settings that every call of it shares.

    Parameters
    ----------
    name : {"eigenveil-owner", "eigenveil-user"}
    path : path, optional
        The command itself; `find_command` says where it is looked for otherwise.
    settings : mapping, optional
        Settings of every call, such as ``{"config": "owner.json"}``.
    timeout : float, optional
        Seconds for which a call may take; without it there is no limit.
    """

    def __init__(
        self,
        name: str,
        path: str | os.PathLike[str] | None = None,
        settings: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> None:
        self._words = find_command(name, path)
        self._settings = dict(settings or {})
        self._timeout = timeout

    def run(
        self,
        *words: str,
        task: str | None = None,
        settings: Mapping[str, object] | None = None,
        stdin: Iterable[bytes] = (),
        environment: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Run the command, and return what it prints.

        Parameters
        ----------
        *words : str
            What to do, such as ``"task", "status"``.
        task : str, optional
            The task to do it to. It comes from others, and is never taken for a flag.
        settings : mapping, optional
            Settings of this call.
        stdin : iterable of bytes, optional
            What the command reads.
        environment : mapping, optional
            Variables of the command besides those of this process.

        Raises
        ------
        EigenveilError
            With the code that the command gives.
        EndedError
            ERR_TIME_LIMIT once the time limit is over; the command has ended then.
        """
        flags = flags_of({**self._settings, **(settings or {})})
        child = subprocess.Popen(
            [*self._words, "--json", *words, *flags, *([] if task is None else ["--", task])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
            process_group=0,  # so that what a script has started ends with it
        )
        over = threading.Event()

        def end() -> None:
            over.set()
            _signal(child, signal.SIGKILL)

        limit = threading.Timer(self._timeout or 0, end)
        limit.daemon = True
        if self._timeout is not None:
            limit.start()
        try:
            out, err = _Heard(child.stdout), _Heard(child.stderr)
            _feed(child, stdin)
            said, told = out.text(), err.text()
            child.wait()
        except BaseException:  # Ctrl-C as well: the child must not outlive its caller
            _stop(child)
            raise
        finally:
            limit.cancel()
        if over.is_set():
            raise EndedError("ERR_TIME_LIMIT", f"{words[0]} expected to end within {self._timeout} s", 4)
        if child.returncode != 0:
            raise _error_of(words[0], child.returncode, told)
        for line in told.splitlines():
            warnings.warn(line.removeprefix("warning: "), EigenveilWarning, stacklevel=3)
        answer: dict[str, Any] = json.loads(said)
        return answer


def flags_of(settings: Mapping[str, object]) -> list[str]:
    """Return settings as flags of a command: ``allow_clipping=["age"]`` is ``--allow-clipping '["age"]'``."""
    flags: list[str] = []
    for name, value in settings.items():
        flag = f"--{name.replace('_', '-')}"
        if value is None or value is False:
            continue
        if value is True:
            flags.append(flag)
        elif isinstance(value, str | os.PathLike):
            flags += [flag, os.fspath(value)]
        elif isinstance(value, Mapping | Sequence):
            flags += [flag, json.dumps(value)]
        else:
            flags += [flag, repr(value)]
    return flags


@contextmanager
def private_folder() -> Iterator[Path]:
    """Make a folder that only its owner can read, and take it away again."""
    with tempfile.TemporaryDirectory(prefix="eigenveil-") as name:  # mode 0700
        yield Path(name)


class _Heard(threading.Thread):
    """Reads what a command says while rows are written to it, so that neither waits for the other."""

    def __init__(self, source: IO[bytes] | None) -> None:
        super().__init__(daemon=True)
        assert source is not None
        self._source = source
        self._bytes = b""
        self.start()

    def run(self) -> None:
        with self._source as source:
            self._bytes = source.read()

    def text(self) -> str:
        while self.is_alive():
            self.join(_HEARD_SECONDS)
        return self._bytes.decode("utf-8", "replace")


def _feed(child: subprocess.Popen[bytes], parts: Iterable[bytes]) -> None:
    """Write all parts; a command that ends before it has read them says why on standard error."""
    assert child.stdin is not None
    try:
        for part in parts:
            child.stdin.write(part)
    except BrokenPipeError:
        pass
    _close(child.stdin)


def _close(stream: IO[bytes]) -> None:
    with suppress(OSError):  # the command has ended, and what it has not read is lost
        stream.close()


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End the command before its input is closed, whose end it would take for that of the rows."""
    _signal(child, signal.SIGTERM)
    try:
        child.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        _signal(child, signal.SIGKILL)
        child.wait()
    assert child.stdin is not None
    _close(child.stdin)


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    """Signal the command and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):  # they have ended
        os.killpg(child.pid, number)


def _error_of(command: str, exit_code: int, told: str) -> EigenveilError:
    for line in reversed(told.splitlines()):
        try:
            problem = json.loads(line)
            return EigenveilError(str(problem["code"]), str(problem["detail"]), exit_code)
        except (ValueError, TypeError, KeyError):
            continue
    if exit_code < 0:
        return EigenveilError("ERR_COMMAND_ENDED", f"{command} was ended by signal {-exit_code}", 1)
    return EigenveilError("ERR_INTERNAL", f"{command} ended with {exit_code}: {told.strip()[-2000:]}", 1)
