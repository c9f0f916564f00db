"""Read: how a file is shaped, seen before it is loaded; and what was loaded.

``preview`` gives ``file``, ``bytes``, ``format``, ``formats``, ``shape`` (null where it must be chosen, as ``error``
says), ``shapes`` (those that this format can have),
``columns`` (names, or null where there are none), ``row``, ``item``, ``items``, ``separator``, ``patterns`` (whether it
holds patterns, not rows), ``lines`` (the first raw lines, at most 8, cut), ``rows`` (the first 8 as they are read:
``items``, at most 20, ``more``, how many others, and ``id``, null without ids) and ``error`` (null or a sentence).

``read`` gives ``data`` (its id), ``file``, ``sha256``, ``n``, ``items``, ``entries``, ``lengths`` (``smallest``,
``median``, ``largest``, ``histogram``: pairs of length and number of rows), ``commonest`` (``item``, ``support``: the
first 10), ``rows_with_ids`` and ``is_patterns``. Of patterns, the lengths are those of itemsets, ``n`` is the number of
rows they are of, and there are ``kind``, ``min_support`` and ``itemsets`` (how many) besides.
"""

from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from discreet import DiscreetError, Patterns, Transactions, read_patterns
from discreet import read as read_rows
from discreet.io.registry import FORMATS
from discreet.io.sniff import Seen, lines_of, shape_of
from discreet.web.context import Desk, shown
from discreet.web.messages import in_pages

LINES: Final = 8
LONGEST_LINE: Final = 200
ITEMS: Final = 20
COMMONEST: Final = 10
SHAPES: Final = {"csv": ["baskets", "long", "onehot"], "parquet": ["lists", "long", "onehot"]}
"""The shapes that a format can have; all others hold baskets alone."""


def preview(desk: Desk, *, upload: dict[str, Any], **given: Any) -> dict[str, Any]:  # noqa: ANN401 - as in shape_of
    """Return how a file would be read, from its first part."""
    desk.stage("reading")
    seen = shape_of(Path(upload["path"]), given)
    shape = seen.shape
    names = {upload["path"]: upload["file"]}
    rows, error = _first_rows(seen, given, names) if seen.doubt is None else ([], in_pages(seen.doubt, names))
    return {
        "file": upload["file"],
        "bytes": upload["bytes"],
        **shape._asdict(),
        "shape": None if seen.doubt else shape.shape,
        "formats": [form.name for form in FORMATS.values() if form.name != "onehot"],
        "shapes": SHAPES.get(shape.format, ["baskets"]),
        "columns": None if seen.columns is None else shown(seen.columns),
        "lines": [] if shape.format == "parquet" else [line[:LONGEST_LINE] for line in lines_of(seen.head)[:LINES]],
        "rows": rows,
        "error": error,
    }


def read(desk: Desk) -> dict[str, Any]:
    """Return what was loaded, in numbers."""
    rows, patterns, source, _ = desk.loaded()
    value: Transactions | Patterns = rows if rows is not None else patterns  # type: ignore[assignment]  # one is there
    used = value.items[value.offsets[0] : value.offsets[-1]]
    weights = None if patterns is None else np.repeat(patterns.supports, np.diff(patterns.offsets))
    facts = {
        "data": desk.key,
        "file": source.file,
        "sha256": source.sha256,
        "n": value.n,
        "items": len(value.labels),
        "entries": int(used.size),
        "lengths": _lengths(np.diff(value.offsets)),
        "commonest": _commonest(value, used) if weights is None else _largest(value, used, weights),
        "rows_with_ids": rows is not None and rows.ids is not None,
        "is_patterns": patterns is not None,
    }
    if patterns is None:
        return facts
    return {**facts, "kind": patterns.kind, "min_support": patterns.min_support, "itemsets": len(patterns)}


def _first_rows(seen: Seen, given: dict[str, Any], names: dict[str, str]) -> tuple[list[dict[str, Any]], str | None]:
    """Return the first rows as they are read, or what is wrong with them."""
    reading, shape = seen.shape.reading, seen.shape
    try:
        if shape.patterns and seen.frame is None:
            listed = read_patterns(BytesIO(seen.head), format=shape.format, n=given.get("n"), kind=given.get("kind"))
            return [_row(listed.labelled(at), None) for at in range(min(LINES, len(listed)))], None
        if seen.frame is None:
            rows = read_rows(BytesIO(seen.head), **reading)
        else:
            rows = read_rows(seen.frame, **{name: value for name, value in reading.items() if name != "format"})
    except DiscreetError as error:
        return [], in_pages(error.message, names)
    first = rows[:LINES]
    ids = [None] * len(first) if first.ids is None else list(first.ids)
    return [_row(sorted(row, key=str), name) for row, name in zip(first, ids, strict=True)], None


def _row(items: Any, name: object) -> dict[str, Any]:  # noqa: ANN401 - labels in order
    listed = list(items)
    return {
        "id": None if name is None else shown([name])[0],
        "items": shown(listed[:ITEMS]),
        "more": max(0, len(listed) - ITEMS),
    }


def _lengths(lengths: NDArray[np.int64]) -> dict[str, Any]:
    ordered = np.sort(lengths)
    if not ordered.size:
        return {"smallest": None, "median": None, "largest": None, "histogram": []}
    return {
        "smallest": int(ordered[0]),
        "median": int(ordered[(ordered.size - 1) // 2]),
        "largest": int(ordered[-1]),
        "histogram": [list(pair) for pair in sorted(Counter(ordered.tolist()).items())],
    }


def _commonest(value: Transactions | Patterns, used: NDArray[np.int32]) -> list[dict[str, Any]]:
    supports = np.bincount(used, minlength=len(value.labels))
    return _first(value, supports)


def _largest(
    value: Transactions | Patterns, used: NDArray[np.int32], weights: NDArray[np.int64]
) -> list[dict[str, Any]]:
    """Return the items by the largest support of an itemset that holds them."""
    supports = np.zeros(len(value.labels), dtype=np.int64)
    np.maximum.at(supports, used, weights)
    return _first(value, supports)


def _first(value: Transactions | Patterns, supports: NDArray[np.int64]) -> list[dict[str, Any]]:
    order = np.argsort(-supports, kind="stable")[:COMMONEST].tolist()
    return [{"item": shown([value.labels[code]])[0], "support": int(supports[code])} for code in order]
