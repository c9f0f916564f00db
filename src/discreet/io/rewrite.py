"""Rewrite: a file again without some items of some rows, and with all else as it was."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from discreet.data.labels import Itemset
from discreet.errors import OptionError
from discreet.io.files import Place, load, naming, save, stream
from discreet.io.line_files import Lines, Removed, Text, changed
from discreet.io.registry import Format, check_options, find, format_of
from discreet.io.tables import Losses, check_held


def rewrite(
    source: Place,
    target: Place,
    removed: Iterable[tuple[int, Itemset]],
    *,
    format: str | None = None,  # noqa: A002 - as in read
    row: str | None = None,
    item: str | None = None,
    items: str | None = None,
    separator: str | None = None,
) -> None:
    r"""Write a file of rows again without the items that rows lose, as ``Hidden.log`` tells; options as in ``read``.

    ``target`` is of the format of ``source``. Nothing that was not asked is altered: in files with a row a line, other
    lines are the same bytes, and a row of which nothing is left is an empty line; in tables, other lines and columns
    are kept. A table with a line an item cannot hold a row without any, so that one is refused. ``target`` is written
    beside and moved into place; it must be another file, which is packed as its suffix tells, and which nobody may read
    who may not read ``source``.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> rewrite(BytesIO(b"milk,rye bread\n\ntea,milk\n"), file, [(0, frozenset(["milk"]))], format="csv")
    >>> file.getvalue()
    b'rye bread\n\ntea,milk\n'
    """
    options = {"row": row, "item": item, "items": items, "separator": separator}
    given = {name: value for name, value in options.items() if value is not None}
    form = same_format(source, target, format)
    check_options(given, form.options, f"the format {form.name}")
    losses = {number: frozenset(lost) for number, lost in sorted(removed) if lost}
    with naming(source):
        save(target, _rewritten(source, losses, form, given), sources=[source])


def same_format(source: Place, target: Place, name: str | None) -> Format:
    """Return the format of ``source``; refuse a ``target`` that is the same file, or says to be of another format."""
    form = format_of(source, name, what="rows")
    old, new = _path(source), _path(target)
    if old is not None and new is not None and old.exists() and new.exists() and old.samefile(new):
        raise OptionError("the rows would be written over the file that they come from; give another file to write")
    if new is not None and name is None and find(new, None, what="rows") != form:
        raise OptionError(f"the rows stay in their format, {form.name}; give a file to write with such a suffix")
    return form


def _path(place: Place) -> Path | None:
    return Path(place) if isinstance(place, str | os.PathLike) and place != "-" else None


def spread(parts: Iterable[Lines], losses: Losses, wanted: dict[str, int]) -> Iterator[tuple[Lines, Removed]]:
    """Yield parts of a file, each with what its rows lose; rows that do not hold that are refused."""
    waiting = [(row, wanted[str(item)]) for row, lost in losses.items() for item in lost]
    rows = np.array([row for row, _ in waiting], dtype=np.int64)
    slots = np.array([slot for _, slot in waiting], dtype=np.int32)
    first = 0
    for part in parts:
        low, high = np.searchsorted(rows, [first, first + part.n])
        removed = Removed(rows[low:high] - first, slots[low:high])
        held = np.repeat(np.arange(part.n), np.diff(part.offsets)) * len(wanted) + part.items
        missing = ~np.isin(removed.rows * len(wanted) + removed.items, held)
        check_held([(int(row) + first, None) for row in removed.rows[missing]])
        yield part, removed
        first += part.n
    check_held([(row, None) for row in rows[rows >= first].tolist()])


def _rewritten(source: Place, losses: Losses, form: Format, given: dict[str, Any]) -> Iterator[bytes]:
    if not form.lines or "row" in given:
        yield from form.module.without(load(source), losses, **given)
        return
    wanted = {text: slot for slot, text in enumerate(sorted({str(item) for lost in losses.values() for item in lost}))}
    text: Text = form.module.lines(list(wanted), **given)
    for part, removed in spread(text.scan(stream(source)), losses, wanted):
        yield changed(part, removed, text).data if removed.rows.size else part.data
