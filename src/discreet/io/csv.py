"""CSV: baskets (a row of labels a line), the long form (a row id and an item a line), and patterns."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import BytesIO, StringIO, TextIOWrapper
from itertools import count, islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError, OptionError, OutputError
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
from discreet.io.pieces import Grouped, Piece, Pieces, piece
from discreet.io.tables import Losses, kept_lines
from discreet.labels import Label, in_order
from discreet.patterns import Patterns
from discreet.transactions import Transactions

HEADER: Final = ["itemset", "support"]
ONE_HOT: Final = "this looks like a one-hot table, a header and then nothing but 0 and 1; read it with format='onehot'"
WITHIN: Final = ";"
"""What stands between the items of an itemset, within its cell."""
FORMULA: Final = tuple("=+-@\t\r＝＋－＠")
"""What a cell that a spreadsheet takes for a formula begins with."""


def read(data: Data, *, separator: str = ",", row: str | None = None, item: str | None = None) -> Transactions:
    r"""Return the baskets of a CSV file, or its long form where the columns ``row`` and ``item`` are named.

    Labels are taken without the blanks around them, and an empty field is no item. They are whole
    numbers where all of them look so, else text.

    >>> [sorted(row) for row in read(b'milk, bread\n\n"beer, dark",,\n')]
    [['bread', 'milk'], [], ['beer, dark']]
    >>> read(b"id,what\n7,milk\n7,tea\n", row="id", item="what").ids
    [7]
    """
    check_separator(separator)
    as_text(data)
    if row is not None or item is not None:
        return _read_long(data, separator, row, item)
    codes: Codes[str] = Codes()
    flat, lengths = [np.zeros(0, dtype=np.int32)], [0]
    rest = records(text_of(data), separator)
    while block := list(islice(rest, BLOCK)):
        rows = [[label for label in map(str.strip, line) if label] for line in block]
        lengths.extend(map(len, rows))
        flat.append(np.array(codes.of(label for row in rows for label in row), dtype=np.int32))
    items = np.concatenate(flat)
    if _is_onehot(items, lengths[1:], codes.values):
        raise InputError(ONE_HOT)
    items, labels = in_order(items, as_labels(codes.values))
    return Coded(np.cumsum(lengths, dtype=np.int64), items, labels).transactions()


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as baskets, in chunks."""
    refuse_what_lines_cannot_hold(rows, "CSV")
    texts = as_texts(rows, "CSV", holds)
    return written([texts[code] for code in row] for row in ragged(rows.offsets, rows.items))


def lines(wanted: Sequence[str], *, separator: str = ",") -> Text:
    """Return how baskets are read in pieces, and written again without some of the labels that are looked for."""
    check_separator(separator)
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


def pieces(*, separator: str = ",", row: str | None = None, item: str | None = None) -> Pieces:
    """Return how baskets, or lines of the long form that are sorted by row ids, are read in pieces."""
    check_separator(separator)
    if (row is None) != (item is None):
        raise OptionError("the long form needs both columns; give row= and item=")
    codes: Codes[str] = Codes()

    def read(chunks: Iterable[bytes]) -> Iterator[Piece]:
        rest = records(_lines_of(chunks), separator)
        return _basket_pieces(rest, codes) if row is None or item is None else _long_pieces(rest, codes, row, item)

    def labels(items: NDArray[np.int32]) -> list[Label]:
        named = as_labels(codes.values)
        return [named[code] for code in items.tolist()]

    return Pieces(read, labels)


def without(data: Data, losses: Losses, *, separator: str = ",", row: str, item: str) -> Iterator[bytes]:
    """Yield the long form without the lines of what rows lose."""
    check_separator(separator)
    as_text(data)
    table = _long_table(data, separator, row, item)
    texts = {number: frozenset(map(str, lost)) for number, lost in losses.items()}
    kept = kept_lines(table[row], table[item], texts)
    pieces = list(_long_records(data))
    head = len(pieces) - len(kept)
    if head < 1 or any(piece.strip() for piece in pieces[: head - 1]):
        raise InputError("the lines of this table cannot be told apart, for quotes within fields; quote these fields")
    yield from pieces[:head]
    yield from (piece for piece, stays in zip(pieces[head:], kept, strict=True) if stays)


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
    rest = records(text_of(data), ",")
    if next(rest, None) != HEADER:
        raise InputError(f"the first line must be the header {','.join(HEADER)}, and supports counts")
    return listed((_pattern(line, number) for number, line in enumerate(rest, start=1) if line), as_labels=as_labels)


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as a CSV file, in chunks."""
    cells = [quoted(text) for text in as_texts(patterns, "CSV", holds)]
    itemsets = ragged(patterns.offsets, patterns.items)
    lines = (
        [WITHIN.join([cells[code] for code in itemset]), str(support)]
        for itemset, support in zip(itemsets, patterns.supports.tolist(), strict=True)
    )
    yield from written([HEADER])
    yield from written(lines)


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


def check_separator(separator: str) -> None:
    """Refuse what cannot stand between fields."""
    if len(separator) != 1 or separator in '"\r\n':
        raise OptionError("the separator must be one character such as ',' or ';', no quote and no line end")


def text_of(data: Data) -> Iterator[str]:
    """Yield the lines of a file, each with its line end."""
    return TextIOWrapper(BytesIO(data), encoding="utf-8-sig", newline="")


def quoted(text: str) -> str:
    r"""Return a label as it stands in a cell of labels: in quotes where it would be taken for something else.

    A cell that begins with a quote is no formula to a spreadsheet, and is read back as it was.

    >>> print(quoted("tea"), quoted("=1+1"), quoted("red; dry"))
    tea "=1+1" "red; dry"
    """
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise OutputError("a label is no text that UTF-8 can hold; rename it")
    bare = text.strip() == text != "" and not text.startswith(FORMULA) and not set(text) & set(f'{WITHIN}"\0\r\n')
    return text if bare else f'"{text.replace(chr(34), chr(34) * 2)}"'


def records(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """Yield the fields of each record; lines are taken one at a time, as many as it needs."""
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=True)
    try:
        yield from reader
    except csv.Error:
        raise InputError(
            f"line {reader.line_num} has a quote that does not end, text after a quote, or a field of more than "
            f"{csv.field_size_limit():,} characters; mend it"
        ) from None


def items_of(line: list[str], number: int) -> list[str]:
    """Return the itemset of a line of patterns."""
    if len(line) != len(HEADER):
        raise InputError(f"pattern {number} has {len(line)} fields; it must have {len(HEADER)}: {','.join(HEADER)}")
    try:
        return next(csv.reader(line[:1], delimiter=WITHIN, strict=True), [])
    except csv.Error:
        raise InputError(f"pattern {number} has a quote that does not end; mend it") from None


def _pattern(line: list[str], number: int) -> tuple[list[str], int]:
    return items_of(line, number), as_support(line[-1], f"pattern {number}")


def written(lines: Iterable[list[str]]) -> Iterator[bytes]:
    """Yield records as CSV, many at a time."""
    rest = iter(lines)
    while block := list(islice(rest, BLOCK)):
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows(block)
        yield text.getvalue().encode()


def holds(text: str) -> bool:
    """Return whether a field can hold ``text``: not empty, no blanks around it, no byte-order mark before it."""
    return bool(text) and text == text.strip() and not text.startswith("\ufeff")


def _is_onehot(items: NDArray[np.int32], lengths: Sequence[int], labels: Sequence[str]) -> bool:
    """Return whether baskets are a one-hot table: after three or more labels, lines of as many, each one of only two.

    In baskets a label stands once in a line, so that no line of three has only two.
    """
    width = lengths[0] if lengths else 0
    return _has_two_values(width, labels) and set(lengths) == {width} and bool((items[width:] >= width).all())


def _has_two_values(width: int, labels: Sequence[str]) -> bool:
    """Return whether there are one or two labels beside those of the first line, the values of a one-hot table."""
    values = {label.lower() for label in labels[width:]}
    return (
        width >= 3  # noqa: PLR2004 - in baskets a label stands once in a line
        and len(labels) in (width + 1, width + 2)
        and (values <= {"0", "1"} or values <= {"false", "true"})
    )


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

    rest, first = records(lines_taken(), separator), True
    while True:
        texts, rows = [], []
        for record in islice(rest, BLOCK):
            texts.append("".join(taken))
            taken.clear()
            rows.append({label for label in map(str.strip, record) if label})
        if not rows:
            return
        yield _block(texts, rows, slots, marked=first)
        first = False


def _lines_of(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a file as they come, each with its line end."""
    for data, before in whole_lines(chunks):
        yield from StringIO(as_text(data, before=before), newline="")


def _basket_pieces(rest: Iterator[list[str]], codes: Codes[str]) -> Iterator[Piece]:
    """Yield baskets a block at a time; refuse a one-hot table, once all is seen."""
    width, looks_onehot = 0, True
    for number in count():
        rows = [[label for label in map(str.strip, line) if label] for line in islice(rest, BLOCK)]
        if not rows:
            break
        block = piece([codes.of(row) for row in rows])
        width = len(rows[0]) if number == 0 else width
        below = block.items[width if number == 0 else 0 :]
        looks_onehot = looks_onehot and {*map(len, rows)} == {width} and bool((below >= width).all())
        yield block
    if looks_onehot and _has_two_values(width, codes.values):
        raise InputError(ONE_HOT)


def _long_pieces(rest: Iterator[list[str]], codes: Codes[str], row: str, item: str) -> Iterator[Piece]:
    """Yield the rows of the long form as they end."""
    head = next(rest, [])
    if not head.count(row) or not head.count(item):
        raise InputError("the header does not have both columns that row= and item= name; check their names")
    places, width, grouped = (head.index(row), head.index(item)), len(head), Grouped()
    for number in count():
        block = list(islice(rest, BLOCK))
        if not block:
            break
        if any(len(record) > width for record in block):
            raise InputError("this is no CSV table with as many fields in each line as in the header; mend it")
        pairs = [[record[place].strip() if place < len(record) else "" for place in places] for record in block]
        if not all(map(all, pairs)):
            raise InputError(
                f"a line from {number * BLOCK + 2} on has no row id or no item; leave such lines out, or fill them"
            )
        yield grouped.add([id_ for id_, _ in pairs], codes.of(label for _, label in pairs))
    yield grouped.last()


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
