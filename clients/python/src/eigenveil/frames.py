"""Rows of frames and arrays: which columns they have, and the numbers in them."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from .errors import EigenveilWarning, RowsError
from .reduction import Floats

_READ_BY_CELL = "OUSTc"
"""Kinds of arrays each of whose cells says for itself whether it is a number."""


def column_names(rows: object) -> list[str] | None:
    """Return the names of a frame's columns (pandas, polars); none of what has no names, or numbers for names."""
    columns = getattr(rows, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return [str(name) for name in columns]


def numbers_of(rows: Any, names: Sequence[str]) -> Floats:
    """Return rows as numbers, with columns in the order of ``names``.

    Parameters
    ----------
    rows : frame or array_like
        A frame of pandas or polars with exactly these columns, in any order; or rows of as many numbers,
        in this order.
    names : sequence of str

    Raises
    ------
    RowsError
        ERR_CSV_COLUMNS for columns that are missing, unknown or there twice; ERR_CSV_ROW for rows of
        another width; ERR_COLUMN_TYPE for cells that are no numbers; ERR_NO_SAMPLES without a row. Each
        names the column, and the row where there is one.
    """
    given = column_names(rows)
    if given is None:
        return _array(rows, names)
    _check_columns(given, names)
    if list(given) != list(names):
        told = ", ".join(names)
        warnings.warn(f"columns were put in the order of the task: {told}", EigenveilWarning, stacklevel=4)
    return _not_empty(np.column_stack([_column(rows[name], name) for name in names]))


def _check_columns(given: Sequence[str], names: Sequence[str]) -> None:
    missing = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    twice = sorted({name for name in given if given.count(name) > 1})
    told = [
        f"{what} {', '.join(map(repr, some))}"
        for what, some in (("missing are", missing), ("unknown are", unknown), ("there twice are", twice))
        if some
    ]
    if told:
        raise RowsError(
            "ERR_CSV_COLUMNS", f"columns expected {', '.join(map(repr, names))}: {'; '.join(told)}"
        )


def _column(series: Any, name: str) -> Floats:
    """Return one column as numbers; what is missing becomes NaN, which is refused by its place."""
    kind = str(series.dtype)
    if kind.lower().startswith(("categor", "enum")):
        raise RowsError("ERR_COLUMN_TYPE", f'column "{name}" expected numbers, got categories')
    values = np.asarray(series.to_numpy())
    if values.dtype.kind in "fiub":
        return values.astype(float)
    if values.dtype.kind not in _READ_BY_CELL:
        raise RowsError("ERR_COLUMN_TYPE", f'column "{name}" expected numbers, got {kind}')
    return np.array([number_of(cell, row, name) for row, cell in enumerate(values.tolist())], float)


def number_of(cell: object, position: int, name: str, expected: str = "a number") -> float:
    """Return the number in a cell of the row at a position; NaN where it is missing.

    Raises
    ------
    RowsError
        ERR_COLUMN_TYPE
    """
    if is_missing(cell):
        return float("nan")
    if isinstance(cell, numbers.Real | Decimal):
        return float(cell)
    problem = f"expected {expected}, got {type(cell).__name__}"
    raise RowsError.of_cell("ERR_COLUMN_TYPE", position, name, problem)


def is_missing(cell: object) -> bool:
    """True of None, NaN, and the marks of pandas, which are not equal to themselves."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return cell.is_nan() if isinstance(cell, Decimal) else isinstance(cell, float) and cell != cell


def _array(rows: Any, names: Sequence[str]) -> Floats:
    if hasattr(rows, "tocsr"):
        raise RowsError("ERR_COLUMN_TYPE", "rows expected a dense array, got a sparse one: see its toarray()")
    values = np.asarray(rows)
    if values.ndim != 2 or values.shape[1] != len(names):
        raise RowsError(
            "ERR_CSV_ROW",
            f"rows expected {len(names)} numbers each ({', '.join(names)}), got an array of shape {values.shape}",
        )
    if values.dtype.kind in "fiub":
        return _not_empty(values.astype(float, copy=False))
    if values.dtype.kind not in _READ_BY_CELL:
        raise RowsError.of_cell("ERR_COLUMN_TYPE", 0, names[0], f"expected a number, got {values.dtype}")
    # One text makes texts of all numbers beside it, and a complex number complex ones, but for objects.
    table = [
        [number_of(cell, row, name) for cell, name in zip(cells, names, strict=True)]
        for row, cells in enumerate(np.asarray(rows, dtype=object).tolist())
    ]
    return _not_empty(np.array(table, float))


def _not_empty(values: Floats) -> Floats:
    if len(values) == 0:
        raise RowsError("ERR_NO_SAMPLES", "rows expected one at least, got none")
    return values
