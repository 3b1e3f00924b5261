"""Frames as CSV for a command: a chunk at a time, and every number in its shortest form that reads back."""

from __future__ import annotations

import csv
import gzip
import io
import math
import numbers
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import RowsError
from .frames import column_names, is_missing
from .reduction import CHUNK

Progress = Callable[[int, int], None]
"""Is told how many rows are done, and of how many."""

_TEXT = "OUT"


def rows_setting(ignore: Sequence[str] | None) -> dict[str, object]:
    """Return the settings of a command that reads what `csv_of` writes: columns that it does not write are none to ignore."""
    return {"data": "-", "ignore": None if ignore is None else []}


def csv_of(frame: Any, ignore: Sequence[str] = (), progress: Progress | None = None) -> Iterator[bytes]:
    """Yield a frame as CSV in a gzip archive, of which a command notices if it is cut.

    A caller that dies in the middle of the rows closes the pipe; without an archive the command would take
    the rows before for all there are.

    Parameters
    ----------
    frame : frame
        Of pandas or polars, with a header of names. What is missing becomes an empty cell.
    ignore : sequence of str
        Columns that are not written.
    progress : callable, optional
        Is told after each chunk how many rows are written, and of how many.

    Raises
    ------
    RowsError
        ERR_CSV_COLUMNS, ERR_COLUMN_TYPE, ERR_NOT_FINITE or ERR_NO_SAMPLES, naming the column, and the row
        where there is one. It is raised before the first byte, but for cells of columns of objects.
    """
    names = _columns(frame, ignore)
    total = len(frame)
    columns = [_values(frame[name], name) for name in names]
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as archive:
        archive.write(_lines([names]))
        for start in range(0, total, CHUNK):
            cells = [
                _cells(values[start : start + CHUNK], name, start)
                for values, name in zip(columns, names, strict=True)
            ]
            archive.write(_lines(zip(*cells, strict=True)))
            yield packed.getvalue()
            packed.seek(0)
            packed.truncate()
            if progress is not None:
                progress(min(start + CHUNK, total), total)
    yield packed.getvalue()


def _columns(frame: Any, ignore: Sequence[str]) -> list[str]:
    given = column_names(frame)
    if given is None:
        raise RowsError("ERR_CSV_COLUMNS", "rows expected a frame with names of columns (pandas or polars)")
    unknown = [name for name in ignore if name not in given]
    twice = sorted({name for name in given if given.count(name) > 1})
    for what, some in (("there twice are", twice), ("ignored and not there are", unknown)):
        if some:
            raise RowsError(
                "ERR_CSV_COLUMNS", f"columns expected once each: {what} {', '.join(map(repr, some))}"
            )
    if len(frame) == 0:
        raise RowsError("ERR_NO_SAMPLES", "rows expected one at least, got none")
    return [name for name in given if name not in ignore]


def _values(series: Any, name: str) -> npt.NDArray[Any]:
    """Return a column whose numbers are all finite or missing."""
    values = np.asarray(series.to_numpy())
    kind = values.dtype.kind
    if kind not in "fiub" and kind not in _TEXT:
        raise RowsError("ERR_COLUMN_TYPE", f'column "{name}" expected numbers or texts, got {series.dtype}')
    if kind == "f":
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite) > 0:
            raise RowsError("ERR_NOT_FINITE", f'row {infinite[0]}: column "{name}" expected a finite number')
    return values


def _cells(values: npt.NDArray[Any], name: str, start: int) -> list[object]:
    cells: list[object] = values.tolist()
    if values.dtype.kind in "iub" or (values.dtype.kind == "f" and not np.isnan(values).any()):
        return cells
    return [_cell(cell, name, start + row) for row, cell in enumerate(cells)]


def _cell(cell: object, name: str, row: int) -> object:
    """Return what csv writes: of a float its ``repr``, which is the shortest text that reads back."""
    if isinstance(cell, str | Decimal | numbers.Integral):
        return cell
    if is_missing(cell):
        return ""
    if not isinstance(cell, numbers.Real):
        told = f"expected a number or a text, got {type(cell).__name__}"
        raise RowsError("ERR_COLUMN_TYPE", f'row {row}: column "{name}" {told}')
    number = float(cell)
    if math.isinf(number):
        raise RowsError("ERR_NOT_FINITE", f'row {row}: column "{name}" expected a finite number')
    return number


def _lines(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
