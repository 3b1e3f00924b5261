"""Rows that cannot be used are refused by column and row, and columns are found by name."""

from __future__ import annotations

import gzip
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from conftest import Frame, Series, frame, made_up

from eigenveil import EigenveilError, EigenveilWarning, Projection, RowsError
from eigenveil.csv_rows import csv_of
from eigenveil.frames import numbers_of
from eigenveil.reduction import CHUNK


@pytest.fixture
def projection() -> Projection:
    return made_up()


@pytest.mark.parametrize(
    ("rows", "code", "told"),
    [
        ([[0, 1, 2], [0, np.nan, 2]], "ERR_NOT_FINITE", 'row 2 .*"f1"'),
        ([[0, 1, np.inf]], "ERR_NOT_FINITE", 'row 1 .*"f2"'),
        ([[0, 1]], "ERR_CSV_ROW", "f0, f1, f2"),
        ([0, 1, 2], "ERR_CSV_ROW", "shape"),
        (np.empty((0, 3)), "ERR_NO_SAMPLES", "got none"),
        ([[0, 1, 2], [0, "1", "2"]], "ERR_COLUMN_TYPE", 'row 2 .*"f1".*str'),
        (np.array([[0, 1, 2], [0, 1, "2"]], object), "ERR_COLUMN_TYPE", 'row 2 .*"f2".*str'),
        (np.array([["0", "1", "2"]]), "ERR_COLUMN_TYPE", 'row 1 .*"f0".*str'),
        (np.array([[b"0", b"1", b"2"]]), "ERR_COLUMN_TYPE", 'row 1 .*"f0".*bytes'),
        ([[0, 1, 2], [0, 1, 2j]], "ERR_COLUMN_TYPE", 'row 2 .*"f2".*complex'),
        (np.array([[0, 1, 2j]]), "ERR_COLUMN_TYPE", 'row 1 .*"f0".*complex'),
        (np.zeros((1, 3), "datetime64[ns]"), "ERR_COLUMN_TYPE", 'row 1 .*"f0".*datetime64'),
        (np.empty((0, 3), str), "ERR_NO_SAMPLES", "got none"),
        (np.array([[0, 1, None]], object), "ERR_NOT_FINITE", 'row 1 .*"f2"'),
        (frame(f0=[1, 2], f1=[1, 2j], f2=[1, 2]), "ERR_COLUMN_TYPE", 'row 1 .*"f1".*complex'),
        (frame(f0=[1], f1=["a"], f2=[1]), "ERR_COLUMN_TYPE", 'row 1 .*"f1".*str'),
    ],
)
def test_bad_arrays_are_refused(projection: Projection, rows: object, code: str, told: str) -> None:
    with pytest.raises(RowsError, match=told) as refused:
        projection.transform(rows)
    assert refused.value.code == code
    assert refused.value.exit_code == 2


def test_a_late_cell_is_named_by_its_row(projection: Projection) -> None:
    rows = np.zeros((20_000, 3))
    rows[19_998, 1] = np.nan
    with pytest.raises(RowsError, match='row 19999 .*"f1"'):
        projection.transform(rows)


@pytest.mark.parametrize(
    "cell", [Decimal("0.1"), Decimal("1E-7"), Decimal(2), Fraction(1, 3), np.float32(0.1), np.int64(7), 0.1]
)
def test_a_cell_is_the_same_number_where_it_is_contributed_and_where_it_is_reduced(cell: object) -> None:
    rows = frame(x=np.array([cell], object))
    _, sent = gzip.decompress(b"".join(csv_of(rows))).decode().split()
    assert [[float(sent)]] == numbers_of(rows, ["x"]).tolist() == [[float(cell)]]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        *(
            (inf, "ERR_NOT_FINITE")
            for inf in (np.inf, Decimal("Infinity"), -Decimal("Infinity"), Decimal("1E400"))
        ),
        *((other, "ERR_COLUMN_TYPE") for other in ({}, 2j, b"1")),
    ],
)
def test_a_cell_is_refused_where_it_is_contributed_and_where_it_is_reduced(
    projection: Projection, cell: object, code: str
) -> None:
    rows = frame(f0=[1, 2], f1=np.array([1, cell], object), f2=[1, 2])
    for read in (projection.transform, lambda given: list(csv_of(given))):
        with pytest.raises(RowsError, match='row 2 .*"f1"') as refused:
            read(rows)
        assert refused.value.code == code


@pytest.mark.parametrize("cell", [None, np.nan, Decimal("NaN"), Decimal("sNaN")])
def test_a_cell_is_missing_where_it_is_contributed_and_where_it_is_reduced(
    projection: Projection, cell: object
) -> None:
    rows = frame(f0=[1], f1=np.array([cell], object), f2=[1])
    assert gzip.decompress(b"".join(csv_of(rows))).decode().splitlines()[1] == "1,,1"
    with pytest.raises(RowsError, match='row 1 .*"f1"') as refused:
        projection.transform(rows)
    assert refused.value.code == "ERR_NOT_FINITE"


def test_no_more_of_a_column_than_a_chunk_is_made_objects_at_once() -> None:
    longest = 0

    class Part(Series):
        def to_numpy(self) -> Any:
            nonlocal longest
            longest = max(longest, len(self.values))
            return self.values

    rows = frame(x=range(20_000))
    rows["x"] = Part(np.array(["a"] * 20_000))
    assert gzip.decompress(b"".join(csv_of(rows))).count(b"a\n") == 20_000
    assert longest == CHUNK


@pytest.mark.parametrize("kind", ["stand-in", "pandas", "polars"])
def test_columns_are_put_right_by_name(projection: Projection, kind: str) -> None:
    make = Frame if kind == "stand-in" else pytest.importorskip(kind).DataFrame
    with pytest.warns(EigenveilWarning, match="f0, f1, f2"):
        reduced = projection.transform(make({"f2": [3], "f0": [1], "f1": [2]}))
    assert reduced.tolist() == projection.transform([[1, 2, 3]]).tolist()


def test_more_than_half_clipped_cells_are_told(projection: Projection) -> None:
    with pytest.warns(EigenveilWarning, match=r"f1 \(2 of 3\)"):
        projection.transform([[0, 11, 0], [0, -11, 0], [0, 0, 99]])


def test_what_a_result_is_not_for_is_refused(projection: Projection) -> None:
    with pytest.raises(EigenveilError, match="ERR_PROJECTION_INVALID.*a regression"):
        projection.predict([[0, 1, 2]])
    weights = {"regression": {"weights": [0.5, 0], "intercept": 0}, "vectors": [], "eigenvalues": []}
    ridge = made_up("ridge", **weights)
    assert ridge.predict([[10, 0]]) == [5]
    for refused in (ridge.transform, ridge.inverse_transform):
        with pytest.raises(EigenveilError, match="a projection"):
            refused([[0, 0]])
    with pytest.raises(EigenveilError, match="expected vectors"):
        made_up("histogram", vectors=[], eigenvalues=[])


def test_varimax_finds_simple_components() -> None:
    """Two components that mix two groups of features are turned to the groups."""
    groups = np.array([[1, 1, 0, 0], [0, 0, 1, 1]]) / np.sqrt(2)
    turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
    vectors = (turn @ groups).tolist()
    projection = made_up(features=4, vectors=vectors, eigenvalues=[1.0, 1.0])
    turned = projection.varimax()
    assert np.allclose(np.sort(np.abs(turned.loadings)), [[0, np.sqrt(0.5)]] * 4)
    assert np.allclose(turned.rotation @ turned.rotation.T, np.eye(2))
    with pytest.raises(EigenveilError):
        made_up("lda").varimax()


class TestPandas:
    @pytest.fixture
    def pandas(self):  # type: ignore[no-untyped-def]
        return pytest.importorskip("pandas")

    @pytest.mark.parametrize(
        ("change", "code", "told"),
        [
            (lambda frame: frame.drop(columns="f1"), "ERR_CSV_COLUMNS", "missing are 'f1'"),
            (lambda frame: frame.assign(id=7), "ERR_CSV_COLUMNS", "unknown are 'id'"),
            (lambda frame: frame.assign(f1="a"), "ERR_COLUMN_TYPE", 'row 1 .*"f1"'),
            (
                lambda frame: frame.assign(f1=frame.f1.astype("category")),
                "ERR_COLUMN_TYPE",
                '"f1".*categories',
            ),
            (
                lambda frame: frame.assign(f1=frame.f1.astype("datetime64[ns]")),
                "ERR_COLUMN_TYPE",
                '"f1".*datetime',
            ),
            (lambda frame: frame.assign(f1=[1, np.inf]), "ERR_NOT_FINITE", 'row 2 .*"f1"'),
            (lambda frame: frame.assign(f1=[1, None]).astype({"f1": "Int64"}), "ERR_NOT_FINITE", "row 2"),
            (lambda frame: frame[:0], "ERR_NO_SAMPLES", "got none"),
            (lambda frame: frame.set_axis(["f0", "f1", "f1"], axis=1), "ERR_CSV_COLUMNS", "twice are 'f1'"),
        ],
    )
    def test_bad_frames_are_refused(self, projection: Projection, pandas, change, code, told) -> None:  # type: ignore[no-untyped-def]
        frame = pandas.DataFrame({"f0": [1, 2], "f1": [2, 3], "f2": [3, 4]})
        with pytest.raises(RowsError, match=told) as refused:
            projection.transform(change(frame))
        assert refused.value.code == code

    def test_booleans_and_nullable_numbers_are_numbers(self, projection: Projection, pandas) -> None:  # type: ignore[no-untyped-def]
        frame = pandas.DataFrame(
            {"f0": [True], "f1": pandas.array([2], dtype="Int64"), "f2": [np.float32(0.5)]}
        )
        assert projection.transform(frame).tolist() == projection.transform([[1, 2, 0.5]]).tolist()


def test_frames_of_polars_are_read(projection: Projection) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"f0": [1, 2], "f1": [2.5, None], "f2": [True, False]})
    assert projection.transform(frame[:1]).tolist() == projection.transform([[1, 2.5, 1]]).tolist()
    with pytest.raises(RowsError, match='row 2 .*"f1"'):
        projection.transform(frame)
    decimals = frame[:1].with_columns(f1=polars.Series([Decimal("2.5")]))
    assert projection.transform(decimals).tolist() == projection.transform([[1, 2.5, 1]]).tolist()
    labels = frame.with_columns(f1=polars.Series(["a", "b"], dtype=polars.Categorical))
    with pytest.raises(RowsError, match='"f1".*categories'):
        projection.transform(labels)
