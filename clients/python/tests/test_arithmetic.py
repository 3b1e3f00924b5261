"""Reducing agrees with Eigenveil's own projector to the last bit, and leading back to 10⁻¹²."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Result, written

from eigenveil import Projection

pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.EigenveilWarning")

PROJECTIONS = ["pca", "bare", "correlation", "lda", "chain"]
REGRESSIONS = ["ridge", "pcr"]


@pytest.mark.parametrize("name", PROJECTIONS)
def test_rows_are_reduced_to_the_last_bit(results: Callable[[str], Result], name: str) -> None:
    result = results(name)
    projection = result.loaded
    reduced = projection.transform(result.rows)
    assert reduced.tobytes() == result.table("reduced", len(projection.component_names)).tobytes()
    assert sum(result.clipped) > 0


@pytest.mark.parametrize("name", REGRESSIONS)
def test_a_regression_predicts_to_the_last_bit(results: Callable[[str], Result], name: str) -> None:
    result = results(name)
    assert result.loaded.predict(result.rows).tobytes() == result.table("reduced", 1).tobytes()


@pytest.mark.parametrize("name", PROJECTIONS)
def test_reduced_rows_lead_back(results: Callable[[str], Result], name: str) -> None:
    result = results(name)
    projection = result.loaded
    back = projection.inverse_transform(projection.transform(result.rows))
    ranges = np.ptp(result.rows, axis=0)
    assert np.max(np.abs(back - result.table("back")) / ranges) < 1e-12


@pytest.mark.long
def test_a_million_rows_are_reduced_to_the_last_bit(tmp_path: Path) -> None:
    result = written(tmp_path, 1_000_000, "pca")("pca")
    assert result.loaded.transform(result.rows).tobytes() == result.table("reduced", 5).tobytes()


def test_variances_are_those_of_reduced_rows(results: Callable[[str], Result]) -> None:
    """Of rows that the projection was computed from: pima, whose ranges are those of the file."""
    lines = (Path(__file__).parents[3] / "data/pima.csv").read_text().split()
    table = np.array([line.split(",")[:-1] for line in lines[1:]], float)
    names = lines[0].split(",")[:-1]
    for name in ("pca", "correlation"):
        projection = results(name).loaded
        assert projection.feature_names == names
        reduced = projection.transform(table)
        variances = reduced.var(axis=0, ddof=1)
        assert np.allclose(projection.explained_variance_, variances, rtol=1e-3)
        everything = np.var(table * 2 / np.ptp(table, axis=0), axis=0, ddof=1)
        whole = everything.sum() if name == "pca" else len(names) * len(table) / (len(table) - 1)
        assert np.allclose(projection.explained_variance_ratio_, variances / whole, rtol=1e-3)
    for name in ("lda", "bare"):
        assert not hasattr(results(name).loaded, "explained_variance_")
        assert not hasattr(results(name).loaded, "explained_variance_ratio_")


@pytest.mark.parametrize(("name", "is_told"), [("replace", True), ("private", True), ("noisy", False)])
def test_under_noise_shares_are_told_without_its_bias_or_not_at_all(
    results: Callable[[str], Result], name: str, is_told: bool
) -> None:
    """With neighbours `replace` the number of rows is exact, but eigenvalues have noise all the same."""
    result = results(name)
    assert any(isinstance(share, str) for share in result.shares) is not is_told
    projection = result.loaded
    assert not hasattr(projection, "explained_variance_")
    assert hasattr(projection, "explained_variance_ratio_") is is_told
    if is_told:
        assert projection.explained_variance_ratio_.tolist() == result.shares
        told = json.loads(result.numbers.read_text())
        assert (projection.explained_variance_ratio_ < projection.eigenvalues_ / told["trace"]).all()
    numbers = Projection.load(result.numbers)
    assert not hasattr(numbers, "explained_variance_")
    assert not hasattr(numbers, "explained_variance_ratio_")
