"""Progress of long calls: to a callback, or a bar where tqdm is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .csv_rows import Progress


@contextmanager
def bar(wanted: Progress | bool, title: str) -> Iterator[Progress | None]:
    """Make what `csv_of` tells: the callback itself; for True a bar of tqdm, or nothing where it is not installed."""
    if wanted is False:
        yield None
        return
    if wanted is not True:
        yield wanted
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    with tqdm(desc=title, unit=" rows") as shown:

        def tell(done: int, total: int) -> None:
            shown.total = total
            shown.update(done - shown.n)

        yield tell
