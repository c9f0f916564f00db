"""CSV: baskets (a row of labels a line), the long form (a row id and an item a line), and patterns."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import BytesIO, StringIO, TextIOWrapper
from itertools import islice
from typing import Any, Final

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
from discreet.io.fimi import BYTE_ORDER_MARK
from discreet.io.frames import from_long
from discreet.io.lines import Lines, Removed, Text, whole_lines
from discreet.io.listed import Listed, as_support, listed
from discreet.io.tables import Losses, kept_lines
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
    _check_separator(separator)
    as_text(data)
    if row is not None or item is not None:
        return _read_long(data, separator, row, item)
    codes: Codes[str] = Codes()
    flat, lengths = [np.zeros(0, dtype=np.int32)], [0]
    records = _records(_text(data), separator)
    while block := list(islice(records, BLOCK)):
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


def lines(wanted: Sequence[str], *, separator: str = ",") -> Text:
    """Return how baskets are read in pieces, and written again without some of the labels that are looked for."""
    _check_separator(separator)
    slots = {text: slot for slot, text in enumerate(wanted)}

    def without(part: Lines, removed: Removed) -> bytes:
        gone: list[set[str]] = [set() for _ in range(part.n)]
        for row, slot in zip(removed.rows.tolist(), removed.items.tolist(), strict=True):
            gone[row].add(wanted[slot])
        rows = zip(part.starts.tolist(), part.stops.tolist(), gone, strict=True)
        return "".join(
            f"{_kept(part.data[start:stop].decode(), labels, separator)}\n" for start, stop, labels in rows
        ).encode()

    return Text(lambda chunks: _scan(chunks, slots, separator), without)


def without(data: Data, losses: Losses, *, separator: str = ",", row: str, item: str) -> Iterator[bytes]:
    """Yield the long form without the lines of what rows lose."""
    _check_separator(separator)
    as_text(data)
    table = _long_table(data, separator, row, item)
    texts = {number: frozenset(map(str, lost)) for number, lost in losses.items()}
    kept = kept_lines(table[row], table[item], texts)
    records = list(_long_records(data))
    head = len(records) - len(kept)
    if head < 1 or any(record.strip() for record in records[: head - 1]):
        raise InputError("the lines of this table cannot be told apart, for quotes within fields; quote these fields")
    yield from records[:head]
    yield from (record for record, stays in zip(records[head:], kept, strict=True) if stays)


def fields(line: str, separator: str) -> Iterator[tuple[int, int, str]]:
    """Yield where each field of a record starts, after blanks, and stops, before a separator; and what it holds.

    >>> list(fields('tea , "red, or not",', ","))
    [(0, 4, 'tea'), (6, 19, 'red, or not'), (20, 20, '')]
    """
    end = re.escape(separator)
    for found in re.finditer(rf' *(?:("[^"]*(?:""[^"]*)*")|([^{end}]*))({end}|\Z)', line):
        quoted, bare, after = found.groups()
        text = bare if quoted is None else quoted[1:-1].replace('""', '"')
        yield *found.span(2 if quoted is None else 1), text.strip()
        if not after:
            return


def read_patterns(data: Data, n: int | None) -> Listed:  # noqa: ARG001 - one signature for all formats
    """Return the patterns of a CSV file with the header ``itemset,support``, such as ``bread;milk,12``."""
    as_text(data)
    records = _records(_text(data), ",")
    if next(records, None) != HEADER:
        raise InputError(f"the first line must be the header {','.join(HEADER)}, and supports counts")
    return listed((_pattern(line, number) for number, line in enumerate(records, start=1) if line), as_labels=as_labels)


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
    if row is None or item is None:
        raise OptionError("the long form needs both columns; give row= and item=")
    table = _long_table(data, separator, row, item)
    return from_long(table, row=row, item=item, as_labels=as_labels).transactions()


def _long_table(data: Data, separator: str, row: str, item: str) -> Any:  # noqa: ANN401 - a frame of polars
    """Return the two columns of the long form, as text without blanks around it."""
    import polars as pl  # noqa: PLC0415 - loaded late, so that importing discreet is quick

    try:
        frame = pl.read_csv(BytesIO(data), columns=[row, item], separator=separator, infer_schema=False)
    except pl.exceptions.ColumnNotFoundError:
        raise InputError("the header does not have both columns that row= and item= name; check their names") from None
    except pl.exceptions.PolarsError:
        raise InputError("this is no CSV table with as many fields in each line as in the header; mend it") from None
    return frame.select(pl.col(row, item).str.strip_chars().replace("", None))


def _check_separator(separator: str) -> None:
    if len(separator) != 1 or separator in '"\r\n':
        raise OptionError("the separator must be one character such as ',' or ';', no quote and no line end")


def _text(data: Data) -> Iterator[str]:
    return TextIOWrapper(BytesIO(data), encoding="utf-8-sig", newline="")


def _records(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """Yield the fields of each record; lines are taken one at a time, as many as it needs."""
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=True)
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


def _scan(chunks: Iterable[bytes], slots: Mapping[str, int], separator: str) -> Iterator[Lines]:
    """Yield baskets as they come, a block of records at a time."""
    taken: list[str] = []

    def lines_taken() -> Iterator[str]:
        for data, before in whole_lines(chunks):
            if not before and data.startswith(BYTE_ORDER_MARK):
                taken.append(BYTE_ORDER_MARK.decode())
            for line in StringIO(as_text(data, before=before), newline=""):
                taken.append(line)
                yield line

    records, first = _records(lines_taken(), separator), True
    while True:
        texts, rows = [], []
        for record in islice(records, BLOCK):
            texts.append("".join(taken))
            taken.clear()
            rows.append({label for label in map(str.strip, record) if label})
        if not rows:
            return
        yield _block(texts, rows, slots, marked=first)
        first = False


def _block(texts: list[str], rows: list[set[str]], slots: Mapping[str, int], *, marked: bool) -> Lines:
    """Return records as lines; the first may be ``marked`` by a byte-order mark."""
    wanted = set(slots)
    parts = [text.encode() for text in texts]
    bounds = np.cumsum([0, *map(len, parts)])
    ends = [len(text) - len(text.rstrip("\r\n")) for text in texts]
    starts, stops = bounds[:-1].copy(), bounds[1:] - np.array(ends)
    if marked and parts[0].startswith(BYTE_ORDER_MARK):
        starts[0] += len(BYTE_ORDER_MARK)
    held = [sorted(slots[label] for label in row & wanted) for row in rows]
    return Lines(
        b"".join(parts),
        starts,
        stops,
        np.array([len(row) for row in rows], dtype=np.int64),
        np.cumsum([0, *map(len, held)], dtype=np.int64),
        np.array([slot for row in held for slot in row], dtype=np.int32),
    )


def _kept(line: str, gone: Collection[str], separator: str) -> str:
    """Return a record without some labels: a field that stays comes with the separator before it."""
    found = list(fields(line, separator))
    kept = [at for at, (_, _, text) in enumerate(found) if text not in gone]
    parts = [line[found[at - 1][1] if at != kept[0] else found[at][0] : found[at][1]] for at in kept]
    return line[: found[0][0]] + "".join(parts)


def _long_records(data: Data) -> Iterator[bytes]:
    """Yield the lines of a table; one that ends within quotes goes on with the next, as for the reader."""
    waiting: list[bytes] = []
    quotes = 0
    for line in BytesIO(data):
        waiting.append(line)
        quotes += line.count(b'"')
        if quotes % 2 == 0:
            yield b"".join(waiting)
            waiting = []
    if waiting:
        yield b"".join(waiting)
