"""A projection as a transformer of scikit-learn."""

from __future__ import annotations

import copy
import os
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.metaestimators import available_if

from .errors import EigenveilError, EigenveilWarning
from .frames import numbers_of
from .projection import Projection
from .reduction import Floats, check_finite


def _predicts(estimator: EigenveilProjection) -> bool:
    return estimator.projection is not None and estimator.projection_.target_ is not None


class EigenveilProjection(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Reduces rows by a projection that many owners have computed together; nothing is learnt here.

    Parameters
    ----------
    projection : Projection or path
        A loaded projection, or what `Projection.load` takes.
    csp_thumbprint : str, optional
        The thumbprint of the CSP's key, for a file with signatures.

    Attributes
    ----------
    projection_ : Projection
        The loaded projection, with all that it tells.
    verified_, components_, mean_, explained_variance_, explained_variance_ratio_
        As `Projection` has them, and absent where the result does not tell them. Vectors and mean are over
        features scaled to [−1, 1].
    feature_names_in_, n_features_in_
        The features of the task.

    Warnings
    --------
    Cross-validation is optimistic over rows that took part in the projection, since it has seen the test
    rows: above all for discriminants (DCA, LDA, MDR) and regressions, which have seen their labels or
    targets. Judge by rows that no owner has contributed.

    Notes
    -----
    `fit` checks width and names, and never learns. A file is loaded and verified at its first use, such as
    `fit`, and the estimator counts as fitted from then on; with a `Projection` it is fitted at once. Its
    clone (of scikit-learn 1.3 or newer) keeps what is loaded. A pickle holds the name of the file, and whoever
    loads it verifies the file again; a `Projection` goes with the pickle as it is.
    """

    _loaded: Projection | None = None
    _loaded_by: tuple[str, str | None] | None = None
    """What `_loaded` was loaded by, which `set_params` may change; pickles keep this alone."""

    def __init__(
        self, projection: Projection | str | os.PathLike[str] | None = None, csp_thumbprint: str | None = None
    ) -> None:
        self.projection = projection
        self.csp_thumbprint = csp_thumbprint

    @property
    def projection_(self) -> Projection:
        """The projection, which is loaded and verified at first use."""
        if isinstance(self.projection, Projection):
            return self.projection
        if self.projection is None:
            raise EigenveilError(
                "ERR_CONFIGURATION", '"projection" expected a projection or its file, got none'
            )
        if not self.__sklearn_is_fitted__() or self._loaded is None:
            self._loaded = Projection.load(self.projection, self.csp_thumbprint)
            self._loaded_by = self._file()
        return self._loaded

    def _file(self) -> tuple[str, str | None] | None:
        if self.projection is None or isinstance(self.projection, Projection):
            return None
        return os.fspath(self.projection), self.csp_thumbprint

    def __getstate__(self) -> dict[str, Any]:
        # A file is verified by every process that uses it, and never taken as verified from a pickle.
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_loaded"}

    def __sklearn_clone__(self) -> EigenveilProjection:
        made = copy.deepcopy(self)
        made._loaded = self._loaded
        return made

    def __sklearn_is_fitted__(self) -> bool:
        if isinstance(self.projection, Projection):
            return True
        return self._loaded_by is not None and self._loaded_by == self._file()

    def __getattr__(self, name: str) -> Any:
        if name in _TOLD and self.__dict__.get("projection") is not None:
            return getattr(self.projection_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def feature_names_in_(self) -> Any:
        """The features of the task, in its order."""
        return np.array(self._features(), dtype=object)

    @property
    def n_features_in_(self) -> int:
        """The number of features."""
        return len(self._features())

    def _features(self) -> list[str]:
        if self.projection is None:
            raise AttributeError(f"{type(self).__name__!r} object has no projection, which names features")
        return self.projection_.feature_names

    def fit(self, X: Any, y: Any = None) -> EigenveilProjection:
        """Check that rows have the columns of the projection; nothing is learnt.

        Raises
        ------
        RowsError
            Naming the columns that are missing or unknown, or the cell that is no number.
        """
        projection = self.projection_
        check_finite(projection.feature_names, numbers_of(X, projection.feature_names))
        saw = "the rows and their labels" if projection.sees_labels else "the rows"
        warnings.warn(
            f"the projection has seen {saw} of all owners: scores on rows that took part are optimistic",
            EigenveilWarning,
            stacklevel=2,
        )
        return self

    def transform(self, X: Any) -> Floats:
        """Reduce rows, as `Projection.transform`."""
        return self.projection_.transform(X)

    def inverse_transform(self, X: Any) -> Floats:
        """Lead reduced rows back, as `Projection.inverse_transform`."""
        return self.projection_.inverse_transform(X)

    @available_if(_predicts)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> Floats:
        """Predict by a regression, as `Projection.predict`."""
        return self.projection_.predict(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of what comes out: component_1, …"""
        if input_features is not None and list(input_features) != list(self.feature_names_in_):
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array(self.projection_.component_names, dtype=object)


_TOLD = ("verified_", "components_", "mean_", "explained_variance_", "explained_variance_ratio_")
