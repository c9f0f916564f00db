"""Read: how a file is read, what was loaded, and which rows satisfy a query."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from discreet import DiscreetError, InputError, Patterns, Transactions
from discreet.errors import UnclearError
from discreet.io.contents import Contents, list_columns
from discreet.io.shapes import SHAPES
from discreet.io.sources import FORMATS, TEXTS
from discreet.report import printable
from discreet.web.context import Context, UploadOptions
from discreet.web.messages import describe_unclear, say_on_page, show_labels

LINES: Final = 6  # of the file itself
LONGEST_LINE: Final = 200
FIRST: Final = 3  # rows as they are understood
ITEMS: Final = 20
COMMONEST: Final = 10
WITH_LISTS: Final = ("parquet", "feather")  # formats that can hold a column of lists
LARGEST_PAGE: Final = 100
LONGEST_QUERY: Final = 100_000


def preview(context: Context) -> dict[str, Any]:
    """Show how a file is read, with its first rows; or how it may be read, if that is unclear."""
    path, names = context.data.path, {f"{context.data.path}: ": ""}  # the page names the file
    if path is None:
        raise InputError("a sample is read as it is; load it")
    found = context.look()
    answer: dict[str, Any] = {
        "file": context.data.file,
        "bytes": Path(path).stat().st_size,
        "format": found.format,
        "formats": [form.name for form in FORMATS.values() if form.name == "csv" or form.name not in TEXTS],
        "shapes": _list_shapes(found),
        "columns": show_labels(list_columns(Path(path), found)),
        "patterns": found.is_patterns,
        "tables": context.holds_tables(),
        "lines": _first_lines(found),
        "chosen": _keep_public(context.data.options),
        "reading": None,
        "confirm": None,
        "rows": [],
        "error": None,
        "choices": [],
    }
    try:
        loaded = context.load()
    except UnclearError as error:
        return {**answer, **describe_unclear(error, names)}
    except DiscreetError as error:
        return {**answer, "error": say_on_page(error.message, names)}
    listed: Transactions | Patterns = context.rows() if loaded.patterns is None else loaded.patterns
    return {**answer, "reading": loaded.reading, "confirm": _confirm(context, found), "rows": _show_first(listed)}


def _confirm(context: Context, found: Contents) -> dict[str, Any]:
    """Return the options that name all that was found, so that the reading is confirmed and stays the same."""
    reading = context.load().reading or {}
    told = {name: reading.get(name) for name in ("row", "item")}
    known = {**context.data.options, **found.layout.options.given, **told}
    known["format"] = reading["shape"] if found.has_shapes else found.format
    return _keep_public(known)


def _keep_public(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a request can have: no names of files on this machine."""
    allowed = UploadOptions.__annotations__
    return {name: value for name, value in options.items() if value is not None and name in allowed}


def read(context: Context) -> dict[str, Any]:
    """Describe the loaded data in numbers."""
    loaded = context.load()
    rows, patterns, source, _ = loaded
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
        "reading": loaded.reading,
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


def _list_shapes(found: Contents) -> list[str]:
    """Return the shapes that the rows of a file can have; none if it is of its format alone."""
    has_lists = found.format in WITH_LISTS
    return [shape for shape in SHAPES if has_lists or shape != "lists"] if found.has_shapes else []


def _first_lines(found: Contents) -> list[str]:
    """Return the first lines of a file as they are, unless it is no text."""
    if found.has_shapes and found.format != "csv":
        return []
    text = found.head.decode(found.layout.options.encoding or "utf-8-sig", errors="replace")
    return [line[:LONGEST_LINE] for line in text.splitlines()[:LINES]]


def _show_first(listed: Transactions | Patterns) -> list[dict[str, Any]]:
    """Return the first rows, or patterns, as they are understood."""
    if isinstance(listed, Patterns):
        supports = listed.supports[:FIRST].tolist()
        return [_show_row(listed.labelled(at), support) for at, support in enumerate(supports)]
    ids = [None] * FIRST if listed.ids is None else list(islice(listed.ids, FIRST))
    return [_show_row(sorted(row, key=str), name) for row, name in zip(listed[:FIRST], ids, strict=False)]


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
