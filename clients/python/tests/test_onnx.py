"""The model of ONNX gives what `transform` gives, to last bits, and NaN of rows that it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Result

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.EigenveilWarning")


def by_runtime(path: Path) -> Callable[[Any], Any]:
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(path)
    return lambda rows: session.run(None, {"rows": rows})[0]


def by_reference(path: Path) -> Callable[[Any], Any]:
    reference = pytest.importorskip("onnx.reference")
    session = reference.ReferenceEvaluator(str(path))
    return lambda rows: session.run(None, {"rows": rows})[0]


@pytest.mark.parametrize("by", [by_runtime, by_reference])
@pytest.mark.parametrize("name", ["pca", "correlation", "lda", "chain", "ridge", "pcr"])
def test_a_model_gives_what_the_projection_gives(
    results: Callable[[str], Result], tmp_path: Path, name: str, by: Callable[[Path], Callable[[Any], Any]]
) -> None:
    result = results(name)
    projection = result.loaded
    projection.to_onnx(tmp_path / "model.onnx")
    rows = result.rows[:2000]
    expected = (
        projection.transform(rows) if projection.target_ is None else projection.predict(rows)[:, np.newaxis]
    )
    run = by(tmp_path / "model.onnx")
    assert np.max(np.abs(run(rows) - expected)) < 1e-12 * max(1, np.max(np.abs(expected)))
    spoilt = rows[:4].copy()
    spoilt[1, 0], spoilt[2, -1], spoilt[3, 1] = np.nan, np.inf, -np.inf
    assert np.isnan(run(spoilt)).all(axis=1).tolist() == [False, True, True, True]


def test_a_model_says_what_it_is_of(results: Callable[[str], Result], tmp_path: Path) -> None:
    result = results("lda")
    projection = result.loaded
    projection.to_onnx(tmp_path / "model.onnx")
    facts = {it.key: it.value for it in onnx.load(tmp_path / "model.onnx").metadata_props}
    assert facts["features"].split("\n") == projection.feature_names
    assert (facts["method"], facts["verified"], facts["task"]) == ("lda", "true", projection.task_id)
