"""Projections in files: loaded, verified by the command, and applied to rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .errors import EigenveilError, EigenveilWarning
from .frames import numbers_of
from .onnx_model import write_onnx
from .reduction import Floats, Link, check_finite, reduce_rows
from .varimax import Varimax, varimax
from .verification import PRINCIPAL, Evidence, evidence_in


class Projection:
    """The result of a task: a projection by which rows are reduced, or a regression.

    `Projection.load` makes it.

    Attributes
    ----------
    verified_ : bool
        True if the command has found the signatures of the CSP and the data user; False for a file of
        numbers that nobody has signed. A pickle carries it as it was: whoever could change the pickle
        could change this.
    proof : dict
        The thumbprints of the CSP and the data user that have signed it (``csp``, ``dataUser``), how many
        owners took part (``verifiedOwners``), and the digest of the result (``projectionDigest``), which is
        the same for all owners; empty where nobody has signed.
    task_id : str
    method : str
        Such as ``"pca"``.
    feature_names, component_names : list of str
    components_ : ndarray
        Component by feature, over features scaled to [−1, 1]; of a chain those of the last link, over the
        components before.
    eigenvalues_ : ndarray
        Of the undivided scatter of the scaled rows.
    mean_ : ndarray
        Of the scaled rows; absent where the task does not tell it.
    explained_variance_ : ndarray
        The variance of each coordinate over all rows, of a PCA that tells the exact number of rows; absent
        for discriminants and under differential privacy.
    explained_variance_ratio_ : ndarray
        The share of the whole variance, of a PCA that tells it; under differential privacy without the bias
        of its noise, and absent where the noise is too much.
    target_ : str or None
        The column that a regression predicts.

    Notes
    -----
    Arrays are read-only, since what `transform` gives, and `verified_` vouches for, follows from them.

    Warnings
    --------
    Scores of cross-validation over rows that took part are optimistic; see `EigenveilProjection`.
    """

    def __init__(self, evidence: Evidence) -> None:
        told = evidence.projection
        self._links = [Link.of(link) for link in (*evidence.basis, told)]
        self.verified_ = evidence.verified
        self.proof = dict(evidence.proof)
        self.task_id = str(told["taskId"])
        self.method = str(told["method"]["kind"])
        self.target_ = self._links[-1].target
        self.feature_names = list(self._links[0].names)
        self.component_names = (
            [f"component_{c + 1}" for c in range(len(told["vectors"]))]
            if self.target_ is None
            else [f"predicted_{self.target_}"]
        )
        if self.target_ is None:
            self._tell_components(evidence)
        self._seal()

    @staticmethod
    def load(
        path: str | os.PathLike[str],
        csp_thumbprint: str | None = None,
        *,
        command: str | os.PathLike[str] | None = None,
    ) -> Projection:
        """Load a result, and verify it by ``eigenveil-owner verify``.

        Parameters
        ----------
        path : path
            The evidence (``eigenveil-owner project --evidence``), which proves that the CSP has signed the
            task, that its data user has signed the result, and that the CSP has countersigned this result
            and no other. Or ``projection.json`` (``project --save``, ``task result --out``), whose numbers
            nobody has signed: it proves nothing, with a thumbprint neither, and a warning says so. A
            program that must use none of these asks `verified_`.
        csp_thumbprint : str, optional
            The thumbprint of the CSP's key, learnt from the CSP's operator and not from where the file
            comes from. It must be given for the evidence.
        command : path, optional
            ``eigenveil-owner``; see `Owner`.

        Raises
        ------
        EigenveilError
            ERR_CSP_IDENTITY for the signature of another CSP; ERR_PROJECTION_INVALID,
            ERR_AGREEMENT_INVALID, ERR_PROVENANCE_INVALID or ERR_BASIS_INVALID for a file that was changed;
            ERR_PROJECTION_INVALID for a result by which rows cannot be reduced; ERR_BASIS_INVALID for
            ``projection.json`` of a result that stands on another one.
        MissingFileError
            ERR_CONFIGURATION for a file that is not there.
        """
        evidence = evidence_in(path, csp_thumbprint, command)
        if not evidence.verified:
            compared = "" if csp_thumbprint is None else ", and csp_thumbprint was compared with nothing"
            warnings.warn(
                f"nobody has signed the numbers in {os.fspath(path)}{compared}: load the evidence to verify them",
                EigenveilWarning,
                stacklevel=2,
            )
        return Projection(evidence)

    @property
    def sees_labels(self) -> bool:
        """True of discriminants and regressions, which follow from labels or from the column that they predict."""
        return self.method != PRINCIPAL

    def _tell_components(self, evidence: Evidence) -> None:
        told = evidence.projection
        vectors = self._links[-1].vectors
        if len(vectors) == 0:
            raise EigenveilError(
                "ERR_PROJECTION_INVALID",
                f"projection expected vectors, by which rows are reduced, got {self.method}",
            )
        self.components_ = vectors
        self.eigenvalues_ = np.array(told["eigenvalues"], float)
        mean = self._links[-1].mean
        if mean is not None:
            self.mean_ = mean
        # Noise makes eigenvalues too large, also where the number of rows has none.
        rows = told.get("sampleCount") if told.get("differentialPrivacy") is None else None
        if self.method == PRINCIPAL and rows is not None and rows > 1:
            # Eigenvalues of a correlation matrix are variances over all rows, others sums over them.
            divisor = (rows - 1) / rows if told["method"].get("scale") == "correlation" else rows - 1
            self.explained_variance_ = self.eigenvalues_ / divisor
        if evidence.shares is not None:
            self.explained_variance_ratio_ = np.array(evidence.shares)

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._seal()  # which pickles do not keep

    def _seal(self) -> None:
        for holder in (self, *self._links):
            for value in vars(holder).values():
                if isinstance(value, np.ndarray):
                    value.flags.writeable = False

    def transform(self, rows: Any) -> Floats:
        """Reduce rows, to the last bit as Eigenveil's own projector does.

        Parameters
        ----------
        rows : frame or array_like
            A frame of pandas or polars with the features as columns, in any order; or rows of numbers in
            the order of `feature_names`. Cells outside the agreed ranges are clipped, as those of
            contributions were; a warning names features of which more than half of the cells are.

        Returns
        -------
        ndarray
            Row by component.

        Raises
        ------
        RowsError
            Naming the column and the row of what is no finite number.
        EigenveilError
            ERR_PROJECTION_INVALID for a regression, which predicts.
        """
        self._require(self.target_ is None, "a projection: predict predicts by a regression")
        return self._apply(rows)

    def predict(self, rows: Any) -> Floats:
        """Predict the column `target_` of rows that lack it, by ridge or principal component regression.

        Returns
        -------
        ndarray
            A number for each row, in the units of the column.
        """
        self._require(self.target_ is not None, "a regression: transform reduces rows by a projection")
        return self._apply(rows)[:, 0]

    def inverse_transform(self, coordinates: Any) -> Floats:
        """Return the rows nearest to the mean that reduce to these coordinates, in the units of the task.

        It undoes neither clipping nor rounding, and components that were left out are lost.
        """
        self._require(self.target_ is None, "a projection")
        back = numbers_of(coordinates, self.component_names)
        check_finite(self.component_names, back)
        for link in reversed(self._links):
            back = link.invert(back)
        return back

    def varimax(self) -> Varimax:
        """Turn the components of a PCA so that each has few large entries.

        Their loadings, vectors times the roots of their eigenvalues, are turned by `varimax`.
        """
        self._require(self.method == PRINCIPAL, "the components of a PCA")
        return varimax(self.components_.T * np.sqrt(np.maximum(self.eigenvalues_, 0)))

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Write the projection as a model of ONNX, for devices.

        The model takes ``rows``, doubles in the order of `feature_names`, and gives ``reduced`` (of a
        regression ``predicted``). It clips, scales and rounds as `transform` does; sums of products are in
        the order of the runtime, so that last bits differ. Of a row with a cell that is not finite, every
        number is NaN. It needs the package onnx.
        """
        write_onnx(path, self._links, self._facts())

    def _facts(self) -> Mapping[str, str]:
        return {
            "task": self.task_id,
            "method": self.method,
            "features": "\n".join(self.feature_names),
            "components": "\n".join(self.component_names),
            "verified": str(self.verified_).lower(),
        }

    def _apply(self, rows: Any) -> Floats:
        values = numbers_of(rows, self.feature_names)
        reduced, clipped = reduce_rows(self._links, values)
        _warn_of_clipped(self.feature_names, clipped.tolist(), len(values))
        return reduced

    def _require(self, holds: bool, expected: str) -> None:
        if not holds:
            raise EigenveilError(
                "ERR_PROJECTION_INVALID", f"expected {expected}; this is the result of {self.method}"
            )


def _warn_of_clipped(names: Sequence[str], clipped: Sequence[int], rows: int) -> None:
    many = [
        f"{name} ({count} of {rows})" for name, count in zip(names, clipped, strict=True) if 2 * count > rows
    ]
    if many:
        told = f"more than half of the cells lie outside the agreed range of {', '.join(many)}: are the units right?"
        warnings.warn(told, EigenveilWarning, stacklevel=4)
