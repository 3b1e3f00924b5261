"""The arithmetic of a projection: the same operations in the same order as Eigenveil's own projector.

Results agree with it to the last bit. So products are summed feature by feature in the task's order:
``@`` leaves the order to BLAS, and other orders round otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import RowsError

Floats = npt.NDArray[np.float64]

CHUNK = 8192
"""Rows that are worked on at once: memory beyond input and output does not grow with the rows."""

NO_DIRECTION = 1e-13
"""Eigenvalues of W Wᵀ up to this part of the largest are no direction, as for Eigenveil's own projector."""


@dataclass(frozen=True, eq=False)
class Link:
    """One projection or regression, over features with public ranges."""

    names: tuple[str, ...]
    low: Floats
    high: Floats
    fraction_bits: int
    vectors: Floats
    mean: Floats | None
    weights: Floats
    """Component by feature, over the integers to which cells are rounded."""
    starts: Floats
    """What each sum begins with."""
    offsets: Floats
    """What is subtracted from each sum."""
    target: str | None
    """The feature that a regression predicts; none of a projection."""

    @staticmethod
    def of(projection: Mapping[str, Any]) -> Link:
        """Make a link of a projection as JSON has it."""
        features: Sequence[Mapping[str, Any]] = projection["features"]
        bits = int(projection["fractionBits"])
        unit = 2.0**-bits
        regression = projection.get("regression")
        mean = None if projection.get("mean") is None else np.array(projection["mean"], float)
        if regression is None:
            given, target = features, None
            vectors = np.array(projection["vectors"], float).reshape(
                len(projection["vectors"]), len(features)
            )
            weights, starts = vectors * unit, np.zeros(len(vectors))
            offsets = np.array([_offset(vector, mean) for vector in vectors])
        else:
            given, target = features[:-1], str(features[-1]["name"])
            low, high = float(features[-1]["min"]), float(features[-1]["max"])
            half = high / 2 - low / 2
            vectors = np.zeros((0, len(given)))
            weights = np.array([[w * unit * half for w in map(float, regression["weights"])]])
            starts = np.array([regression["intercept"] * half + (low / 2 + high / 2)])
            offsets = np.zeros(1)
        return Link(
            names=tuple(str(feature["name"]) for feature in given),
            low=np.array([feature["min"] for feature in given], float),
            high=np.array([feature["max"] for feature in given], float),
            fraction_bits=bits,
            vectors=vectors,
            mean=mean,
            weights=weights,
            starts=starts,
            offsets=offsets,
            target=target,
        )

    def apply(self, cells: Floats) -> Floats:
        """Reduce a chunk, feature by row, to component by row."""
        rounded = self._rounded(cells)
        sums = np.repeat(self.starts[:, np.newaxis], cells.shape[1], axis=1)
        product = np.empty_like(sums)
        for i, row in enumerate(rounded):
            np.multiply(self.weights[:, i : i + 1], row, out=product)
            sums += product
        sums -= self.offsets[:, np.newaxis]
        return sums

    def _rounded(self, cells: Floats) -> Floats:
        """Clip cells to their ranges, scale them to [−1, 1], and round them to integers of 2^−fraction_bits."""
        low, high = self.low[:, np.newaxis], self.high[:, np.newaxis]
        clipped = np.clip(cells, low, high)
        span = high - low
        scaled = ((clipped - low) - (high - clipped)) / np.where(span > 0, span, 1.0)
        scaled *= 2.0**self.fraction_bits
        # To the nearest integer, halves away from zero, never −0: of k + f it makes k + 2f, cut.
        scaled += scaled - np.trunc(scaled)
        scaled -= scaled - np.trunc(scaled)
        return scaled

    def clipped(self, cells: Floats) -> npt.NDArray[np.int64]:
        """Count, for each feature of a chunk, the cells outside its range."""
        outside = (cells < self.low[:, np.newaxis]) | (cells > self.high[:, np.newaxis])
        count: npt.NDArray[np.int64] = outside.sum(axis=1, dtype=np.int64)
        return count

    def invert(self, coordinates: Floats) -> Floats:
        """Lead rows of coordinates back to rows in the units of the features, as near to the mean as can be."""
        inverse = np.linalg.pinv(self.vectors, rcond=float(np.sqrt(NO_DIRECTION)))
        scaled = coordinates @ inverse.T + (0.0 if self.mean is None else self.mean)
        back: Floats = ((1 - scaled) / 2) * self.low + ((1 + scaled) / 2) * self.high
        return back


def _offset(vector: Floats, mean: Floats | None) -> float:
    total = 0.0
    if mean is not None:
        for entry, value in zip(vector.tolist(), mean.tolist(), strict=True):
            total += entry * value
    return total


def reduce_rows(links: Sequence[Link], rows: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Apply links one after the other.

    Returns
    -------
    reduced : ndarray
        Row by component.
    clipped : ndarray
        For each feature of the first link, how many cells lay outside its range.

    Raises
    ------
    RowsError
        ERR_NOT_FINITE, naming the row and the feature.
    """
    first, last = links[0], links[-1]
    reduced = np.empty((len(rows), len(last.weights)))
    clipped = np.zeros(len(first.names), dtype=np.int64)
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        check_finite(first.names, chunk, start)
        cells = np.ascontiguousarray(chunk.T)
        clipped += first.clipped(cells)
        for link in links:
            cells = link.apply(cells)
        reduced[start : start + CHUNK] = cells.T
    return reduced, clipped


def check_finite(names: Sequence[str], rows: Floats, start: int = 0) -> None:
    """Refuse the first cell that is not finite, of rows the first of which is at the position `start`.

    Raises
    ------
    RowsError
        ERR_NOT_FINITE
    """
    finite = np.isfinite(rows)
    if finite.all():
        return
    row, column = np.argwhere(~finite)[0]
    raise RowsError.of_cell("ERR_NOT_FINITE", start + row, names[column], "expected a finite number")
