"""What a file of a result holds, and what the command says that it proves."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .errors import EigenveilError, MissingFileError
from .reduction import Link
from .running import Command, private_folder

PRINCIPAL = "pca"
"""The method whose eigenvalues are variances."""


@dataclass(frozen=True)
class Evidence:
    """A result, and whether the command has verified it.

    Attributes
    ----------
    projection : mapping
        The result as JSON has it.
    basis : sequence of mapping
        The results that it stands on, from the first on.
    verified : bool
    shares : sequence of float, optional
        Each component's share of the variance, where it can be told.
    proof : mapping
        Who has signed what, in the words of the command; empty where nobody has.
    """

    projection: Mapping[str, Any]
    basis: Sequence[Mapping[str, Any]]
    verified: bool
    shares: Sequence[float] | None
    proof: Mapping[str, Any]


def evidence_in(
    path: str | os.PathLike[str], csp_thumbprint: str | None, command: str | os.PathLike[str] | None
) -> Evidence:
    """Read a file of a result, and have the command verify it where it has signatures.

    Raises
    ------
    EigenveilError
        ERR_PROJECTION_INVALID for a file of another form, ERR_CONFIGURATION without a thumbprint, and as
        the command.
    MissingFileError
        ERR_CONFIGURATION for a file that is not there.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError as cause:
        raise MissingFileError(path) from cause
    told = _json_of(path, content)
    if "agreement" not in told:
        return unsigned(_result_of(path, told))
    if csp_thumbprint is None:
        raise EigenveilError(
            "ERR_CONFIGURATION",
            f'"csp_thumbprint" expected with {os.fspath(path)}: the CSP\'s operator tells it',
        )
    verified = _verify(content, csp_thumbprint, command)
    return Evidence(
        projection=verified["projection"],
        basis=[link["projection"] for link in verified["basis"]],
        verified=True,
        shares=_shares(verified["explained"]),
        proof={**verified["signedBy"], **verified["provenance"]},
    )


def _verify(content: bytes, csp_thumbprint: str, command: str | os.PathLike[str] | None) -> dict[str, Any]:
    """Have the command look at these very bytes, whatever becomes of the file."""
    with private_folder() as folder:
        file = folder / "evidence.json"
        file.write_bytes(content)
        settings = {"evidence": file, "csp_thumbprint": csp_thumbprint}
        return Command("eigenveil-owner", command).run("verify", settings=settings)


def _shares(explained: Mapping[str, Any] | None) -> list[float] | None:
    """Return the shares of all components; none if one of them cannot be told, as under much noise."""
    each = [] if explained is None else explained["each"]
    if not each or not all(isinstance(one, Mapping) for one in each):
        return None
    return [float(one["share"]) for one in each]


def unsigned(result: Mapping[str, Any]) -> Evidence:
    """Return a result of which nobody has signed the numbers, with what follows from them where they have no noise."""
    shares = None
    if result.get("differentialPrivacy") is None and result["method"]["kind"] == PRINCIPAL:
        whole = result.get("trace", sum(result.get("spectrum", ())))
        shares = [value / whole for value in result["eigenvalues"]] if whole > 0 else None
    return Evidence(projection=result, basis=(), verified=False, shares=shares, proof={})


def _json_of(path: str | os.PathLike[str], content: bytes) -> Mapping[str, Any]:
    try:
        told = json.loads(content)
    except ValueError:
        told = None
    if not isinstance(told, Mapping):
        raise EigenveilError("ERR_PROJECTION_INVALID", f"{os.fspath(path)} expected an object of JSON")
    return told


_MEMBERS = ("taskId", "method", "features", "fractionBits", "vectors", "eigenvalues")


def _result_of(path: str | os.PathLike[str], told: Mapping[str, Any]) -> Mapping[str, Any]:
    missing = [member for member in _MEMBERS if member not in told]
    if missing:
        raise EigenveilError(
            "ERR_PROJECTION_INVALID",
            f"{os.fspath(path)} expected evidence or a projection, got JSON without {', '.join(missing)}",
        )
    if told.get("basis") is not None:
        raise EigenveilError(
            "ERR_BASIS_INVALID",
            f"{os.fspath(path)} stands on another result, which only the evidence has: load that",
        )
    if not _has_numbers(told):
        raise EigenveilError(
            "ERR_PROJECTION_INVALID",
            f"{os.fspath(path)} expected finite numbers, one of each vector for each feature",
        )
    return told


def _has_numbers(told: Mapping[str, Any]) -> bool:
    """True of a result whose vectors have a number for each feature, and whose numbers are all finite."""
    try:
        link = Link.of(told)
        eigenvalues = np.array(told["eigenvalues"], float)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        return False
    numbers = (link.low, link.high, link.vectors, link.weights, link.starts, link.offsets, eigenvalues)
    is_wide = link.weights.shape[1] == len(link.names) and eigenvalues.shape == link.vectors.shape[:1]
    return is_wide and all(bool(np.isfinite(some).all()) for some in numbers)
