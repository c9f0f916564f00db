"""Read: how a file is read, what was loaded, and which rows satisfy a query."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from discreet import Counts, DiscreetError, InputError, Patterns, Rules, Transactions
from discreet.errors import UnclearError
from discreet.io.contents import Contents, list_columns
from discreet.io.files import check_unpacked
from discreet.io.shapes import SHAPES
from discreet.io.sniff import peek
from discreet.io.sources import FORMATS, TEXTS
from discreet.judging.reading import list_signs
from discreet.publications.trees.leaves import Forest
from discreet.report import printable
from discreet.web.context import Context
from discreet.web.handlers.published import list_leaves, list_rules
from discreet.web.handlers.tables import list_columns_of_counts, list_marks
from discreet.web.loading import KINDS, ROWS, Holding, UploadOptions, find_holding, look
from discreet.web.messages import describe_reading, describe_unclear, say_on_page, show_labels
from discreet.web.samples import STORIES

LINES: Final = 6  # of the file itself
LONGEST_LINE: Final = 200
LONGEST_HEAD: Final = 1 << 12  # bytes that are looked at for what is no text
FIRST, LISTED = 3, 5  # rows as they are understood, and itemsets, rules or leaves
ITEMS: Final = 20
COMMONEST: Final = 10
WITH_LISTS: Final = ("parquet", "feather")  # formats that can hold a column of lists
LARGEST_PAGE: Final = 100
LONGEST_QUERY: Final = 100_000
LARGEST_UNPACKED: Final = 256 << 20  # bytes that a packed file may hold to be previewed


def preview(context: Context) -> dict[str, Any]:
    """Show how a file is read, with its first rows; or how it may be read, if that is unclear."""
    path, names = context.data.path, {f"{context.data.path}: ": ""}  # the page names the file
    if path is None:
        raise InputError("a sample is read as it is; load it")
    check_unpacked(Path(path), LARGEST_UNPACKED)
    holds = find_holding(context.data)
    answer: dict[str, Any] = {
        "file": context.data.file,
        "bytes": Path(path).stat().st_size,
        "holds": holds,
        "kinds": [{"name": name, "title": kind.title} for name, kind in KINDS.items()],
        "format": None,
        "formats": [form.name for form in FORMATS.values() if form.name == "csv" or form.name not in TEXTS],
        "shapes": [],
        "columns": [],
        "lines": [],
        "chosen": _keep_public(context.data.options),
        "reading": None,
        "confirm": None,
        "rows": [],
        "total": None,
        "marks": [],
        "error": None,
        "choices": [],
    }
    if holds not in KINDS:
        return answer
    try:
        found = look(context.data) if holds in {ROWS, "patterns"} else None
        answer |= _describe_file(Path(path), found)
        loaded = context.load()
    except UnclearError as error:
        return {**answer, **describe_unclear(error, names)}
    except DiscreetError as error:
        return {**answer, "error": say_on_page(error.message, names)}
    confirm = _confirm(context, found)
    return {
        **answer,
        "reading": describe_reading(loaded.known, list_signs(loaded.value), f"Read as {loaded.size}"),
        "confirm": confirm,
        **_show_first(loaded.value),
    }


def _describe_file(path: Path, found: Contents | None) -> dict[str, Any]:
    """Return the layout of rows or patterns, and the first lines of any file of text."""
    if found is None:
        head, _ = peek(path)
        return {"lines": _split_lines(head, "utf-8-sig") if b"\0" not in head[:LONGEST_HEAD] else []}
    return {
        "format": found.format,
        "shapes": _list_shapes(found),
        "columns": show_labels(list_columns(path, found)),
        "lines": _first_lines(found),
    }


def _confirm(context: Context, found: Contents | None) -> dict[str, Any]:
    """Return the options that name all that was found, so that the reading is confirmed and stays the same."""
    loaded = context.load()
    known: dict[str, Any] = {**context.data.options, "holds": loaded.holds}
    if found is not None:
        reading = loaded.reading or {}
        known |= {**found.layout.options.given, **{name: reading.get(name) for name in ("row", "item")}}
        known["format"] = reading["shape"] if found.has_shapes else found.format
        known = {name: value for name, value in known.items() if name in {*KINDS[loaded.holds].options, "holds"}}
    return _keep_public(known)


def _keep_public(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a request can have: no names of files on this machine."""
    allowed = UploadOptions.__annotations__
    return {name: value for name, value in options.items() if value is not None and name in allowed}


def read(context: Context) -> dict[str, Any]:
    """Describe the loaded data in numbers."""
    loaded = context.load()
    value, source = loaded.value, loaded.source
    facts = {
        "data": context.data.id,
        "file": source.file,
        "sha256": source.sha256,
        "holds": loaded.holds,
        "is_repaired": KINDS[loaded.holds].is_repaired,
        "size": loaded.size,
        "noun": STORIES[context.data.id].noun if loaded.holds == ROWS and context.data.id in STORIES else None,
        "n": getattr(value, "n", None),
        "reading": loaded.reading,
    }
    return {**facts, **(_describe_items(value) if isinstance(value, Transactions | Patterns) else {})}


def _describe_items(listed: Transactions | Patterns) -> dict[str, Any]:
    """Return how long rows or itemsets are, and the commonest items."""
    lengths = np.diff(listed.offsets)
    used = listed.items[listed.offsets[0] : listed.offsets[-1]]
    supports, facts = np.bincount(used, minlength=len(listed.labels)), {}
    if isinstance(listed, Patterns):  # of each item, the largest support of an itemset that holds it
        supports[:] = 0
        np.maximum.at(supports, used, np.repeat(listed.supports, lengths))
        facts = {"kind": listed.kind, "min_support": listed.min_support, "itemsets": len(listed)}
    commonest = np.argsort(-supports, kind="stable")[:COMMONEST].tolist()
    return {
        "items": len(listed.labels),
        "entries": int(used.size),
        "lengths": _describe_lengths(lengths),
        "commonest": [
            {"item": show_labels([listed.labels[code]])[0], "support": int(supports[code])} for code in commonest
        ],
        "rows_with_ids": isinstance(listed, Transactions) and listed.ids is not None,
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
    return _split_lines(found.head, found.layout.options.encoding or "utf-8-sig")


def _split_lines(head: bytes, encoding: str) -> list[str]:
    text = head.decode(encoding, errors="replace")
    return [line[:LONGEST_LINE] for line in text.splitlines()[:LINES]]


def _show_first(value: Holding) -> dict[str, Any]:
    """Return the first rows, patterns, rules or leaves as they are understood; of tables the marks and columns."""
    match value:
        case Counts():
            return {"rows": [], "marks": list_marks(value), "columns": list_columns_of_counts(value)}
        case Rules():
            _, lines = list_rules(value)
            rows = [_show_row([*if_, "⇒", *then], support) for if_, then, support, _ in lines[:LISTED]]
            return {"rows": rows, "total": len(lines)}
        case Forest():
            _, lines = list_leaves(value)
            return {"rows": [_show_row([path], rows) for _, path, rows, _ in lines[:LISTED]], "total": len(lines)}
        case Patterns():
            supports = value.supports[:LISTED].tolist()
            rows = [_show_row(value.labelled(at), support) for at, support in enumerate(supports)]
            return {"rows": rows, "total": len(value)}
    ids = [None] * FIRST if value.ids is None else list(islice(value.ids, FIRST))
    return {"rows": [_show_row(sorted(row, key=str), name) for row, name in zip(value[:FIRST], ids, strict=False)]}


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
