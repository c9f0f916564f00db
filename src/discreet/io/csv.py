"""CSV: baskets (a row of labels a line), the long form (a row id and an item a line), and patterns."""

import csv
from collections.abc import Iterator
from io import BytesIO, StringIO, TextIOWrapper
from itertools import islice
from typing import Final

import numpy as np

from discreet.errors import InputError, OptionError
from discreet.io.coding import (
    BLOCK,
    Coded,
    Codes,
    as_labels,
    as_text,
    as_texts,
    ragged,
    refuse_what_lines_cannot_hold,
)
from discreet.io.files import Data
from discreet.io.frames import from_long
from discreet.io.listed import Listed, as_support, listed
from discreet.labels import in_order
from discreet.patterns import Patterns
from discreet.transactions import Transactions

HEADER: Final = ["itemset", "support"]
WITHIN: Final = ";"
"""What stands between the items of an itemset, within its cell."""


def read(data: Data, *, separator: str = ",", row: str | None = None, item: str | None = None) -> Transactions:
    r"""Return the baskets of a CSV file, or its long form where the columns ``row`` and ``item`` are named.

    Labels are taken without the blanks around them, and an empty field is no item. They are whole
    numbers where all of them look so, else text.

    >>> [sorted(row) for row in read(b'milk, bread\n\n"beer, dark",,\n')]
    [['bread', 'milk'], [], ['beer, dark']]
    >>> read(b"id,what\n7,milk\n7,tea\n", row="id", item="what").ids
    [7]
    """
    if len(separator) != 1 or separator in '"\r\n':
        raise OptionError("the separator must be one character such as ',' or ';', no quote and no line end")
    as_text(data)
    if row is not None or item is not None:
        return _read_long(data, separator, row, item)
    codes: Codes[str] = Codes()
    flat, lengths = [np.zeros(0, dtype=np.int32)], [0]
    lines = _lines(data, separator)
    while block := list(islice(lines, BLOCK)):
        rows = [[label for label in map(str.strip, line) if label] for line in block]
        lengths.extend(map(len, rows))
        flat.append(np.array(codes.of(label for row in rows for label in row), dtype=np.int32))
    items, labels = in_order(np.concatenate(flat), as_labels(codes.values))
    return Coded(np.cumsum(lengths, dtype=np.int64), items, labels).transactions()


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as baskets, in chunks."""
    refuse_what_lines_cannot_hold(rows, "CSV")
    texts = as_texts(rows, "CSV", _holds)
    return _written([texts[code] for code in row] for row in ragged(rows.offsets, rows.items))


def read_patterns(data: Data, n: int | None) -> Listed:  # noqa: ARG001 - one signature for all formats
    """Return the patterns of a CSV file with the header ``itemset,support``, such as ``bread;milk,12``."""
    as_text(data)
    lines = _lines(data, ",")
    if next(lines, None) != HEADER:
        raise InputError(f"the first line must be the header {','.join(HEADER)}, and supports counts")
    return listed((_pattern(line, number) for number, line in enumerate(lines, start=1) if line), as_labels=as_labels)


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as a CSV file, in chunks."""
    cells = [_quoted(text) for text in as_texts(patterns, "CSV", _holds)]
    itemsets = ragged(patterns.offsets, patterns.items)
    lines = (
        [WITHIN.join([cells[code] for code in itemset]), str(support)]
        for itemset, support in zip(itemsets, patterns.supports.tolist(), strict=True)
    )
    yield from _written([HEADER])
    yield from _written(lines)


def _read_long(data: Data, separator: str, row: str | None, item: str | None) -> Transactions:
    import polars as pl  # noqa: PLC0415 - loaded late, so that importing discreet is quick

    if row is None or item is None:
        raise OptionError("the long form needs both columns; give row= and item=")
    try:
        frame = pl.read_csv(BytesIO(data), columns=[row, item], separator=separator, infer_schema=False)
    except pl.exceptions.ColumnNotFoundError:
        raise InputError("the header does not have both columns that row= and item= name; check their names") from None
    except pl.exceptions.PolarsError:
        raise InputError("this is no CSV table with as many fields in each line as in the header; mend it") from None
    texts = frame.select(pl.col(row, item).str.strip_chars().replace("", None))
    return from_long(texts, row=row, item=item, as_labels=as_labels).transactions()


def _lines(data: Data, separator: str) -> Iterator[list[str]]:
    text = TextIOWrapper(BytesIO(data), encoding="utf-8-sig", newline="")
    reader = csv.reader(text, delimiter=separator, strict=True, skipinitialspace=True)
    try:
        yield from reader
    except csv.Error:
        raise InputError(
            f"line {reader.line_num} has a quote that does not end, text after a quote, or a field of more than "
            f"{csv.field_size_limit():,} characters; mend it"
        ) from None


def _pattern(line: list[str], number: int) -> tuple[list[str], int]:
    if len(line) != len(HEADER):
        raise InputError(f"pattern {number} has {len(line)} fields; it must have {len(HEADER)}: {','.join(HEADER)}")
    cell, support = line
    try:
        itemset = next(csv.reader([cell], delimiter=WITHIN, strict=True), [])
    except csv.Error:
        raise InputError(f"pattern {number} has a quote that does not end; mend it") from None
    return itemset, as_support(support, f"pattern {number}")


def _written(lines: Iterator[list[str]] | list[list[str]]) -> Iterator[bytes]:
    rest = iter(lines)
    while block := list(islice(rest, BLOCK)):
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows(block)
        yield text.getvalue().encode()


def _holds(text: str) -> bool:
    """Return whether a field can hold ``text``: it is not empty and has no blanks around it."""
    return bool(text) and text == text.strip()


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if WITHIN in text or '"' in text else text
