"""Where the commands are, and which Node.js runs them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from .errors import EigenveilError

LEAST_NODE = 24
"""The oldest Node.js that the commands run on, as their packages say."""

_VARIABLES = {"eigenveil-owner": "EIGENVEIL_OWNER", "eigenveil-user": "EIGENVEIL_USER"}
_SOURCES = {
    "eigenveil-owner": "services/data-owner/bin/eigenveil-owner.ts",
    "eigenveil-user": "services/data-user/bin/eigenveil-user.ts",
}


def find_command(name: str, given: str | os.PathLike[str] | None = None) -> list[str]:
    """Return the words that start a command.

    Parameters
    ----------
    name : {"eigenveil-owner", "eigenveil-user"}
    given : path, optional
        The command itself. Without it, the command is what ``EIGENVEIL_OWNER`` (``EIGENVEIL_USER``) names;
        then what ``PATH`` has; then that of a checkout around this package or its environment. The working
        directory is not looked in: whoever left a file of evidence there could leave a command beside it.

    Raises
    ------
    EigenveilError
        ERR_COMMAND_MISSING where there is none; ERR_NODE_MISSING or ERR_NODE_TOO_OLD where the Node.js
        that the command needs is not there.
    """
    variable = _VARIABLES[name]
    named = given or os.environ.get(variable)
    found = shutil.which(named) if named else shutil.which(name) or _in_checkout(name)
    if named and found is None and Path(named).is_file():
        found = str(named)
    if found is None:
        where = f"{named} is none" if named else "neither PATH nor a checkout has one"
        raise EigenveilError(
            "ERR_COMMAND_MISSING", f'"{name}" expected a command: {where}; give its path, or set {variable}'
        )
    path = Path(found).resolve()
    return [_node_for(name, path), str(path)] if _is_script(path) else [str(path)]


def _in_checkout(name: str) -> str | None:
    for start in (Path(__file__).parent, Path(sys.prefix)):
        for folder in _upwards(start.resolve()):
            source = folder / _SOURCES[name]
            if source.is_file():
                return str(source)
    return None


def _upwards(path: Path) -> Iterator[Path]:
    yield path
    yield from path.parents


def _is_script(path: Path) -> bool:
    """True of what Node.js runs: a file of a checkout, or an installed command."""
    if path.suffix in (".ts", ".js", ".mjs"):
        return True
    with path.open("rb") as file:
        return re.match(rb"#!.*\bnode\b", file.readline(200)) is not None


def _node_for(name: str, path: Path) -> str:
    """Return the Node.js that npm has installed beside the command, else the one on PATH."""
    beside = (folder / "node_modules/node/bin/node" for folder in path.parents)
    node = next((str(it) for it in beside if os.access(it, os.X_OK)), None) or shutil.which("node")
    if node is None:
        raise EigenveilError(
            "ERR_NODE_MISSING", f"{name} needs Node.js {LEAST_NODE} or newer, and PATH has no node"
        )
    version = _version_of(node)
    if int(version.split(".")[0]) < LEAST_NODE:
        raise EigenveilError(
            "ERR_NODE_TOO_OLD", f"{name} needs Node.js {LEAST_NODE} or newer, and {node} is {version}"
        )
    return node


@lru_cache
def _version_of(node: str) -> str:
    try:
        said = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=60, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    found = re.match(r"v(\d+(?:\.\d+)*)", said)
    if found is None:
        raise EigenveilError(
            "ERR_NODE_MISSING", f"{node} expected to be Node.js, and does not say its version"
        )
    return found[1]
