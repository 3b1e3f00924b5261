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

from .errors import RowsError
from .frames import column_names, is_missing, number_of
from .reduction import CHUNK

Progress = Callable[[int, int], None]
"""Is told how many rows are done, and of how many."""

_KINDS = "fiubOUT"
"""Kinds of arrays whose cells are numbers or texts."""


def rows_setting(ignore: Sequence[str] | None) -> dict[str, object]:
    """Return the settings of a command that reads what `csv_of` writes: columns that it does not write are none to ignore."""
    return {"data": "-", "ignore": None if ignore is None else []}


def csv_of(
    frame: Any, ignore: Sequence[str] = (), progress: Progress | None = None, positions: str | None = None
) -> Iterator[bytes]:
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
    positions : str, optional
        The name of a last column with the position of each row, by which rows that come back are found.

    Raises
    ------
    RowsError
        ERR_CSV_COLUMNS, ERR_COLUMN_TYPE, ERR_NOT_FINITE or ERR_NO_SAMPLES, naming the column, and the row
        where there is one.
    """
    names = _columns(frame, ignore)
    total = len(frame)
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as archive:
        archive.write(_lines([names if positions is None else [*names, positions]]))
        for start in range(0, total, CHUNK):
            end = min(start + CHUNK, total)
            cells = [_cells(frame[name], name, start, end) for name in names]
            if positions is not None:
                cells.append(range(start, end))
            archive.write(_lines(zip(*cells, strict=True)))
            yield packed.getvalue()
            packed.seek(0)
            packed.truncate()
            if progress is not None:
                progress(end, total)
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


def _cells(series: Any, name: str, start: int, end: int) -> Sequence[object]:
    """Return a part of a column as csv writes it; the rest stays as it is, since objects take much memory."""
    values = np.asarray(getattr(series, "iloc", series)[start:end].to_numpy())
    kind = values.dtype.kind
    if kind not in _KINDS:
        raise RowsError("ERR_COLUMN_TYPE", f'column "{name}" expected numbers or texts, got {series.dtype}')
    cells: list[object] = values.tolist()
    if kind in "iub" or (kind == "f" and np.isfinite(values).all()):
        return cells
    return [_cell(cell, start + i, name) for i, cell in enumerate(cells)]


def _cell(cell: object, position: int, name: str) -> object:
    """Return what csv writes: of a float its ``repr``, the shortest text that reads back, and a decimal as it is."""
    if isinstance(cell, str | numbers.Integral):
        return cell
    if is_missing(cell):
        return ""
    number = number_of(cell, position, name, "a number or a text")
    if math.isinf(number):
        raise RowsError.of_cell("ERR_NOT_FINITE", position, name, "expected a finite number")
    return cell if isinstance(cell, Decimal) else number


def _lines(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
