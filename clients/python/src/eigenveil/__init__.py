"""Eigenveil from Python: contribute rows, verify projections, and reduce rows by them.

All cryptography and all verification are left to the commands ``eigenveil-owner`` and ``eigenveil-user``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .data_user import DataUser
from .errors import EigenveilError, EigenveilWarning, EndedError, MissingFileError, RowsError
from .owner import Owner
from .projection import Projection
from .varimax import Varimax

if TYPE_CHECKING:
    from .estimator import EigenveilProjection

__all__ = [
    "DataUser",
    "EigenveilError",
    "EigenveilProjection",
    "EigenveilWarning",
    "EndedError",
    "MissingFileError",
    "Owner",
    "Projection",
    "RowsError",
    "Varimax",
]


def __getattr__(name: str) -> Any:
    if name != "EigenveilProjection":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # scikit-learn is optional, and takes a second to load.
    from .estimator import EigenveilProjection

    return EigenveilProjection
