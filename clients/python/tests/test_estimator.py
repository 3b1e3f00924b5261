"""The transformer of scikit-learn: its checks, its place in pipelines, and that it never learns."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import Result, frame, made_up

from eigenveil import EigenveilError, EigenveilWarning, Projection, RowsError

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

from eigenveil import EigenveilProjection

pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.EigenveilWarning")

_WIDTH = "its rows have another width than the three features of the projection"
_FITTED = "the estimator is fitted as soon as it has a loaded projection"

EXPECTED_FAILURES = {
    "check_complex_data": _WIDTH,
    "check_dtype_object": _WIDTH,
    "check_estimators_dtypes": _WIDTH,
    "check_estimators_empty_data_messages": _WIDTH,
    "check_estimators_fit_returns_self": _WIDTH,
    "check_estimators_nan_inf": _WIDTH,
    "check_estimators_overwrite_params": _WIDTH,
    "check_fit2d_1feature": _WIDTH,
    "check_fit2d_1sample": _WIDTH,
    "check_fit2d_predict1d": "rows without columns are refused in the words of this package",
    "check_fit_check_is_fitted": _FITTED,
    "check_fit_idempotent": _WIDTH,
    "check_n_features_in": _FITTED,
    "check_n_features_in_after_fitting": _WIDTH,
    "check_positive_only_tag_during_fit": _WIDTH,
    "check_readonly_memmap_input": _WIDTH,
}


@pytest.fixture
def estimator() -> EigenveilProjection:
    return EigenveilProjection(made_up())


def failures(estimator: EigenveilProjection) -> set[str]:
    """Run every check of this release of scikit-learn."""
    try:
        results = check_estimator(estimator, expected_failed_checks=EXPECTED_FAILURES, on_fail=None)
    except TypeError:  # before 1.6
        return {
            _name(check)
            for one, check in check_estimator(estimator, generate_only=True)
            if _fails(one, check)
        }
    return {one["check_name"] for one in results if one["status"] in ("failed", "xfail")}


def _name(check: Any) -> str:
    return str(getattr(check, "func", check).__name__)


def _fails(estimator: Any, check: Callable[[Any], None]) -> bool:
    try:
        check(estimator)
    except pytest.skip.Exception:
        return False
    except Exception as error:
        return type(error).__name__ != "SkipTest"
    return False


def test_the_checks_of_scikit_learn_hold(estimator: EigenveilProjection) -> None:
    found = failures(estimator)
    assert found - set(EXPECTED_FAILURES) == set()
    if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9):
        assert set(EXPECTED_FAILURES) - found == set()


def test_fit_never_learns(results: Callable[[str], Result]) -> None:
    result = results("pca")
    loaded = Projection.load(result.evidence, result.thumbprint)
    estimator = EigenveilProjection(result.evidence, result.thumbprint)
    before = estimator.transform(result.rows[:50])
    estimator.fit(np.random.default_rng(1).random((1000, len(result.features))))
    assert estimator.components_.tolist() == loaded.components_.tolist()
    assert estimator.mean_.tolist() == loaded.mean_.tolist()
    assert estimator.transform(result.rows[:50]).tobytes() == before.tobytes()
    assert estimator.verified_ is True


@pytest.mark.parametrize(
    ("rows", "code", "told"),
    [
        ([[1, 2]], "ERR_CSV_ROW", "f0, f1, f2"),
        ([[1, 2, np.nan]], "ERR_NOT_FINITE", 'row 1 .*"f2"'),
        (frame(f0=[1], f2=[3]), "ERR_CSV_COLUMNS", "missing are 'f1'"),
        (frame(f0=[1], f1=[2], f2=[3], id=[4]), "ERR_CSV_COLUMNS", "unknown are 'id'"),
        (frame(f0=[1], f1=["a"], f2=[3]), "ERR_COLUMN_TYPE", 'row 1 .*"f1"'),
    ],
)
def test_fit_checks_width_names_and_numbers(
    estimator: EigenveilProjection, rows: object, code: str, told: str
) -> None:
    with pytest.raises(RowsError, match=told) as refused:
        estimator.fit(rows)
    assert refused.value.code == code


def test_columns_are_put_right_by_name(estimator: EigenveilProjection) -> None:
    rows = frame(f2=[3, 6], f0=[1, 4], f1=[2, 5])
    for use in (estimator.fit, estimator.transform):
        with pytest.warns(EigenveilWarning, match="f0, f1, f2"):
            use(rows)
    expected = estimator.transform([[1, 2, 3], [4, 5, 6]])
    assert estimator.fit(rows).transform(rows).tolist() == expected.tolist()


REGRESSION = {"regression": {"weights": [0.5, 0], "intercept": 0}, "vectors": [], "eigenvalues": []}


def test_scores_of_what_has_seen_labels_or_targets_are_doubted_alike() -> None:
    told = {}
    for method, width, members in (
        ("pca", 3, {}),
        ("lda", 3, {}),
        ("ridge", 2, REGRESSION),
        ("pcr", 2, REGRESSION),
    ):
        with pytest.warns(EigenveilWarning) as caught:
            EigenveilProjection(made_up(method, **members)).fit(np.ones((1, width)))
        (told[method],) = (str(one.message) for one in caught)
    assert told["lda"] == told["ridge"] == told["pcr"]
    assert told["lda"] != told["pca"]


def test_it_is_fitted_once_it_has_a_projection(estimator: EigenveilProjection) -> None:
    check_is_fitted(estimator)
    check_is_fitted(clone(estimator))
    assert clone(estimator).transform([[1, 2, 3]]).tolist() == estimator.transform([[1, 2, 3]]).tolist()
    with pytest.raises(NotFittedError):
        check_is_fitted(EigenveilProjection())
    assert not hasattr(EigenveilProjection(), "n_features_in_")
    assert not hasattr(EigenveilProjection(), "feature_names_in_")


def test_by_a_file_it_is_fitted_once_it_is_loaded(results: Callable[[str], Result], tmp_path: Any) -> None:
    result, file = results("pca"), tmp_path / "evidence.json"
    estimator = EigenveilProjection(file, result.thumbprint)
    for missing in (estimator, clone(estimator), EigenveilProjection(file)):
        with pytest.raises(NotFittedError):
            check_is_fitted(missing)
    file.write_bytes(result.evidence.read_bytes())
    check_is_fitted(estimator.fit(result.rows[:5]))
    kept = pickle.dumps(estimator)
    file.unlink()
    if hasattr(sklearn.base.BaseEstimator, "__sklearn_clone__"):  # from 1.3 on
        copy = clone(estimator)
        check_is_fitted(copy)
        assert copy.transform(result.rows[:5]).tobytes() == estimator.transform(result.rows[:5]).tobytes()
    again = pickle.loads(kept)
    check_is_fitted(again)
    with pytest.raises(FileNotFoundError):
        again.transform(result.rows[:5])
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator.set_params(csp_thumbprint="A" * 43))


def test_what_a_result_does_not_tell_is_absent(estimator: EigenveilProjection) -> None:
    assert estimator.components_.shape == (2, 3)
    assert not hasattr(estimator, "mean_")
    assert not hasattr(estimator, "explained_variance_")
    assert not hasattr(estimator, "predict")
    private = made_up(sampleCount=10, trace=4, differentialPrivacy={"epsilon": 1})
    assert not hasattr(EigenveilProjection(private), "explained_variance_")
    exact = EigenveilProjection(made_up(sampleCount=11, trace=4))
    assert exact.explained_variance_.tolist() == [0.2, 0.1]
    assert exact.explained_variance_ratio_.tolist() == [0.5, 0.25]


def test_a_regression_predicts() -> None:
    estimator = EigenveilProjection(made_up("ridge", **REGRESSION))
    assert estimator.predict([[10, 0]]).tolist() == [5]
    assert estimator.get_feature_names_out().tolist() == ["predicted_f2"]


def test_it_works_in_pipelines_and_is_kept(estimator: EigenveilProjection, tmp_path: Any) -> None:
    joblib = pytest.importorskip("joblib")
    rows = np.random.default_rng(2).random((20, 3))
    pipeline = clone(make_pipeline(estimator, StandardScaler())).fit(rows)
    joblib.dump(pipeline, tmp_path / "pipeline")
    expected = pipeline.transform(rows)
    assert joblib.load(tmp_path / "pipeline").transform(rows).tobytes() == expected.tobytes()
    assert pickle.loads(pickle.dumps(pipeline)).transform(rows).tobytes() == expected.tobytes()


def test_a_file_is_verified_again_where_a_pickle_is_loaded(
    results: Callable[[str], Result], tmp_path: Any
) -> None:
    result, file = results("pca"), tmp_path / "evidence.json"
    file.write_bytes(result.evidence.read_bytes())
    by_file = EigenveilProjection(file, result.thumbprint)
    by_projection = EigenveilProjection(result.loaded)
    expected = by_file.transform(result.rows[:5])
    kept = pickle.dumps([by_file, by_projection])
    for copy in pickle.loads(kept):
        assert copy.verified_ is True
        assert copy.transform(result.rows[:5]).tobytes() == expected.tobytes()
    told = json.loads(file.read_text())
    told["task"]["title"] = "another"
    file.write_text(json.dumps(told))
    by_file, by_projection = pickle.loads(kept)
    with pytest.raises(EigenveilError, match="ERR_AGREEMENT_INVALID"):
        by_file.transform(result.rows[:5])
    assert by_projection.transform(result.rows[:5]).tobytes() == expected.tobytes()


def test_frames_come_out_as_asked(estimator: EigenveilProjection) -> None:
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"f0": [1.0, 2], "f1": [3.0, 4], "f2": [5.0, 6]}, index=["a", "b"])
    reduced = estimator.set_output(transform="pandas").fit_transform(rows)
    assert list(reduced.columns) == ["component_1", "component_2"]
    assert list(reduced.index) == ["a", "b"]
    back = estimator.inverse_transform(reduced)
    assert np.allclose(back[:, :2], rows.to_numpy()[:, :2], atol=20 * 2**-14)


def test_frames_of_polars_come_out_as_asked(estimator: EigenveilProjection) -> None:
    polars = pytest.importorskip("polars")
    if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 4):
        pytest.skip("scikit-learn gives frames of polars from 1.4 on")
    rows = polars.DataFrame({"f0": [1.0, 2], "f1": [3.0, 4], "f2": [5.0, 6]})
    reduced = estimator.set_output(transform="polars").transform(rows)
    assert isinstance(reduced, polars.DataFrame)
    assert reduced.columns == ["component_1", "component_2"]
