"""Varimax: turns the components of a PCA so that each has few large entries (Kaiser, 1958)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .reduction import Floats

_MOST_SWEEPS = 1000
_SETTLED = 1e-12
"""Radians: a sweep that turns no pair by more has found the turn."""


@dataclass(frozen=True)
class Varimax:
    """Loadings after an orthogonal turn.

    Attributes
    ----------
    loadings : ndarray
        Feature by turned component.
    rotation : ndarray
        Component by turned component: standardised coordinates times it are the turned ones.
    """

    loadings: Floats
    rotation: Floats


def varimax(loadings: Floats) -> Varimax:
    """Find the orthogonal turn that makes the variance of the squared loadings largest.

    Parameters
    ----------
    loadings : ndarray
        Feature by component, such as vectors times the roots of their eigenvalues.
    """
    components = loadings.shape[1]
    rotation = np.eye(components)
    for _ in range(_MOST_SWEEPS):
        widest = 0.0
        for pair in combinations(range(components), 2):
            angle = _best_angle(*(loadings @ rotation[:, pair]).T)
            widest = max(widest, abs(angle))
            cosine, sine = np.cos(angle), np.sin(angle)
            rotation[:, pair] = rotation[:, pair] @ np.array([[cosine, -sine], [sine, cosine]])
        if widest < _SETTLED:
            break
    return Varimax(loadings=loadings @ rotation, rotation=rotation)


def _best_angle(x: Floats, y: Floats) -> float:
    """Return the angle by which Kaiser turns two columns, which is the best one of all."""
    u, v = x**2 - y**2, 2 * x * y
    features = len(x)
    above = 2 * (u @ v) - 2 * u.sum() * v.sum() / features
    below = u @ u - v @ v - (u.sum() ** 2 - v.sum() ** 2) / features
    return float(np.arctan2(above, below)) / 4
