"""Read: how a file would be read, what was loaded, and which rows satisfy a query."""

from collections import Counter
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np
from numpy.typing import NDArray

from discreet import DiscreetError, InputError, Patterns, Transactions, read_patterns
from discreet import read as read_rows
from discreet.io.read import FORMATS
from discreet.io.sniff import Sniffed, sniff, split_head
from discreet.report import printable
from discreet.web.context import Context, UploadOptions, say_on_page, show_labels

LINES: Final = 8
LONGEST_LINE: Final = 200
ITEMS: Final = 20
COMMONEST: Final = 10
SHAPES: Final = {"csv": ["baskets", "long", "onehot"], "parquet": ["lists", "long", "onehot"]}
"""The shapes that a format can have; all others hold baskets alone."""
LARGEST_PAGE: Final = 100
LONGEST_QUERY: Final = 100_000


def preview(context: Context, upload: Mapping[str, Any], **options: Unpack[UploadOptions]) -> dict[str, Any]:
    """Show how a file would be read, from its first part."""
    context.stage("reading")
    seen = sniff(Path(upload["path"]), options)
    shape, names = seen.shape, {upload["path"]: upload["file"]}
    rows: list[dict[str, Any]] = []
    error = seen.doubt
    if error is None:
        try:
            rows = _read_first(seen, options)
        except DiscreetError as fault:
            error = fault.message
    return {
        "file": upload["file"],
        "bytes": upload["bytes"],
        **shape.fields,
        "shape": None if seen.doubt else shape.shape,
        "formats": [form.name for form in FORMATS.values() if form.name != "onehot"],
        "shapes": SHAPES.get(shape.format, ["baskets"]),
        "columns": None if seen.columns is None else show_labels(seen.columns),
        "lines": [] if shape.format == "parquet" else [line[:LONGEST_LINE] for line in split_head(seen.head)[:LINES]],
        "rows": rows,
        "error": None if error is None else say_on_page(error, names),
    }


def read(context: Context) -> dict[str, Any]:
    """Describe the loaded data in numbers."""
    rows, patterns, source, _ = context.load()
    listed: Transactions | Patterns = context.rows() if patterns is None else patterns
    lengths = np.diff(listed.offsets)
    used = listed.items[listed.offsets[0] : listed.offsets[-1]]
    supports, facts = np.bincount(used, minlength=len(listed.labels)), {}
    if patterns is not None:  # of each item, the largest support of an itemset that holds it
        supports[:] = 0
        np.maximum.at(supports, used, np.repeat(patterns.supports, lengths))
        facts = {"kind": patterns.kind, "min_support": patterns.min_support, "itemsets": len(patterns)}
    commonest = np.argsort(-supports, kind="stable")[:COMMONEST].tolist()
    return {
        "data": context.data.id,
        "file": source.file,
        "sha256": source.sha256,
        "n": listed.n,
        "items": len(listed.labels),
        "entries": int(used.size),
        "lengths": _describe_lengths(lengths),
        "commonest": [
            {"item": show_labels([listed.labels[code]])[0], "support": int(supports[code])} for code in commonest
        ],
        "rows_with_ids": rows is not None and rows.ids is not None,
        "is_patterns": patterns is not None,
        **facts,
    }


def query(context: Context, *, query: str, offset: int = 0, limit: int = LARGEST_PAGE) -> dict[str, Any]:
    """Find the rows that satisfy a query."""
    if len(query) > LONGEST_QUERY:
        raise InputError(f"the query has more than {LONGEST_QUERY:,} characters; shorten it")
    index = context.index()
    context.stage("asking")
    rows = index.rows(query)
    page = rows[offset : offset + min(limit, LARGEST_PAGE)]
    return {
        "query": query.strip(),
        "count": int(rows.size),
        "n": index.n,
        "plan": "\n".join(map(printable, str(index.explain(query)).splitlines())),
        "rows": (page + 1).tolist(),
        "unknown": index.unknown(query),
        "caret": None,
    }


def _read_first(seen: Sniffed, options: UploadOptions) -> list[dict[str, Any]]:
    """Return the first rows, or patterns, as they are read."""
    shape, reading = seen.shape, seen.shape.reading
    if seen.frame is not None:
        rows = read_rows(seen.frame, **{name: value for name, value in reading.items() if name != "format"})
    elif shape.patterns:
        n, kind = options.get("n"), options.get("kind")
        patterns = read_patterns(BytesIO(seen.head), format=shape.format, n=n, kind=kind)
        return [_show_row(patterns.labelled(at), None) for at in range(min(LINES, len(patterns)))]
    else:
        rows = read_rows(BytesIO(seen.head), **reading)
    first = rows[:LINES]
    ids = [None] * len(first) if first.ids is None else list(first.ids)
    return [_show_row(sorted(row, key=str), name) for row, name in zip(first, ids, strict=True)]


def _show_row(items: Iterable[object], name: object) -> dict[str, Any]:
    every = list(items)
    shown = None if name is None else show_labels([name])[0]
    return {"id": shown, "items": show_labels(every[:ITEMS]), "more": max(0, len(every) - ITEMS)}


def _describe_lengths(lengths: NDArray[np.int64]) -> dict[str, Any]:
    ordered = np.sort(lengths)
    if not ordered.size:
        return {"smallest": None, "median": None, "largest": None, "histogram": []}
    smallest, median, largest = ordered[[0, (ordered.size - 1) // 2, -1]].tolist()
    histogram = [list(pair) for pair in sorted(Counter(ordered.tolist()).items())]
    return {"smallest": smallest, "median": median, "largest": largest, "histogram": histogram}
