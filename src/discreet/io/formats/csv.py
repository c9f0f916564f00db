"""CSV: baskets (a row of labels a line), the long form (a row id and an item a line), and patterns."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import BytesIO, StringIO, TextIOWrapper
from itertools import chain, islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.data import baskets
from discreet.data.labels import Label, recode
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OptionError, OutputError
from discreet.io.chunks import Grouped, Piece, Pieces, piece
from discreet.io.files import Data
from discreet.io.formats.fimi import BYTE_ORDER_MARK
from discreet.io.frames import grouped
from discreet.io.label_codes import (
    BLOCK,
    Coded,
    Codes,
    as_labels,
    as_text,
    as_texts,
    blocks,
    ragged,
    refuse_what_lines_cannot_hold,
)
from discreet.io.line_files import Lines, Removed, Text, whole_lines
from discreet.io.stated_patterns import Listed, as_support, listed
from discreet.io.tables import Losses, kept_lines

HEADER: Final = ["itemset", "support"]
COMMA: Final = ","
WITHIN: Final = ";"
"""What stands between the items of an itemset, within its cell."""
FORMULA: Final = re.compile(r"'*\s*[=+\-@\t\r＝＋－＠]")
"""How a field begins that a spreadsheet may take for a formula, or that is escaped by apostrophes as one."""


def read(
    data: Data,
    *,
    separator: str | None = None,
    row: str | None = None,
    item: str | None = None,
    is_meant: bool = False,
) -> Transactions:
    r"""Return the baskets of a CSV file, or its long form where the columns ``row`` and ``item`` are named.

    Blanks are part of a label, and an empty field is no item. Labels are whole numbers where all of them look so, else
    text. Lines that look like another table, or labels that differ only in blanks, are refused unless they are meant.

    >>> [sorted(row) for row in read(b'milk,bread\n\n"beer, dark",,\n')]
    [['bread', 'milk'], [], ['beer, dark']]
    >>> read(b"id,what\n7,milk\n7,tea\n", row="id", item="what").ids
    [7]
    """
    sign = as_separator(separator)
    as_text(data)
    lines = records(text_of(data), sign)
    if row is not None or item is not None:
        return _read_long(lines, row, item)
    codes: Codes[str] = Codes()
    flat, lengths = [np.zeros(0, dtype=np.int32)], [0]
    rest = _rows(lines, separator, is_meant=is_meant)
    while rows := list(islice(rest, BLOCK)):
        lengths.extend(map(len, rows))
        flat.append(np.array(codes.of(label for row in rows for label in row), dtype=np.int32))
    items, labels = recode(np.concatenate(flat), _labels(codes, is_meant=is_meant))
    return Coded(np.cumsum(lengths, dtype=np.int64), items, labels).transactions()


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as baskets, in chunks."""
    refuse_what_lines_cannot_hold(rows, "CSV")
    fields = [field(text) for text in as_texts(rows, "CSV", holds)]
    return blocks(COMMA.join([fields[code] for code in row]) for row in ragged(rows.offsets, rows.items))


def lines(wanted: Sequence[str], *, separator: str | None = None) -> Text:
    """Return how baskets are read in pieces, and written again without some of the labels that are looked for."""
    sign = as_separator(separator)
    slots = {text: slot for slot, text in enumerate(wanted)}

    def without(part: Lines, removed: Removed) -> bytes:
        gone: list[set[str]] = [set() for _ in range(part.n)]
        for row, slot in zip(removed.rows.tolist(), removed.items.tolist(), strict=True):
            gone[row].add(wanted[slot])
        rows = zip(part.starts.tolist(), part.stops.tolist(), gone, strict=True)
        return "".join(
            f"{_kept(part.data[start:stop].decode(), labels, sign)}\n" for start, stop, labels in rows
        ).encode()

    return Text(lambda chunks: _scan(chunks, slots, sign), without)


def pieces(
    *, separator: str | None = None, row: str | None = None, item: str | None = None, is_meant: bool = False
) -> Pieces:
    """Return how baskets, or lines of the long form that are sorted by row ids, are read in pieces."""
    sign = as_separator(separator)
    if (row is None) != (item is None):
        raise OptionError("the long form needs both columns; give ", Option("row"), " and ", Option("item"))
    codes: Codes[str] = Codes()

    def read(chunks: Iterable[bytes]) -> Iterator[Piece]:
        rest = records(_lines_of(chunks), sign)
        if row is not None and item is not None:
            return _long_pieces(rest, codes, row, item)
        return _basket_pieces(_rows(rest, separator, is_meant=is_meant), codes)

    def labels(items: NDArray[np.int32]) -> list[Label]:
        named = _labels(codes, is_meant=is_meant or row is not None)
        return [named[code] for code in items.tolist()]

    return Pieces(read, labels)


def without(data: Data, losses: Losses, *, separator: str | None = None, row: str, item: str) -> Iterator[bytes]:
    """Yield the long form without the lines of what rows lose; all else is the same bytes."""
    as_text(data)
    rest = parsed(text_of(data), as_separator(separator))
    empty, (head, names) = _first(rest)
    places = _places(names, row, item)
    lines = [(text, *_pair(record, places, number)) for number, (text, record) in enumerate(rest, start=2)]
    gone = {number: frozenset(map(str, lost)) for number, lost in losses.items()}
    kept = kept_lines([id_ for _, id_, _ in lines], [label for *_, label in lines], gone)
    mark = BYTE_ORDER_MARK if data.startswith(BYTE_ORDER_MARK) else b""
    yield mark + f"{empty}{head}".encode()
    yield from (text.encode() for (text, *_), stays in zip(lines, kept, strict=True) if stays)


def _first(rest: Iterator[tuple[str, list[str]]]) -> tuple[str, tuple[str, list[str]]]:
    """Return the text of empty records, and the first one that is not, with its fields."""
    empty: list[str] = []
    for text, record in rest:
        if record:
            return "".join(empty), (text, record)
        empty.append(text)
    return "".join(empty), ("", [])


def fields(line: str, separator: str) -> Iterator[tuple[int, int, str, bool]]:
    """Yield where each field of a record starts and stops, its label, and whether it is in quotes.

    >>> list(fields('tea,"red, or not",', ","))
    [(0, 3, 'tea', False), (4, 17, 'red, or not', True), (18, 18, '', False)]
    """
    end = re.escape(separator)
    for found in re.finditer(rf'(?:("[^"]*(?:""[^"]*)*")|([^{end}]*))({end}|\Z)', line):
        quoted, bare, after = found.groups()
        text = bare if quoted is None else quoted[1:-1].replace('""', '"')
        yield *found.span(2 if quoted is None else 1), unescaped(text), quoted is not None
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
    supports = patterns.supports.tolist()
    yield from blocks([line(HEADER)])
    yield from blocks(
        line([WITHIN.join([cells[code] for code in itemset]), support])
        for itemset, support in zip(itemsets, supports, strict=True)
    )


def _read_long(lines: Iterator[list[str]], row: str | None, item: str | None) -> Transactions:
    if row is None or item is None:
        raise OptionError("the long form needs both columns; give ", Option("row"), " and ", Option("item"))
    rows, items = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int32)]
    ids: Codes[str] = Codes()
    labels: Codes[str] = Codes()
    for pairs in _long_blocks(lines, row, item):
        rows.append(np.array(ids.of(id_ for id_, _ in pairs), dtype=np.int32))
        items.append(np.array(labels.of(label for _, label in pairs), dtype=np.int32))
    return grouped(
        np.concatenate(rows), as_labels(ids.values), np.concatenate(items), as_labels(labels.values)
    ).transactions()


def as_separator(separator: str | None) -> str:
    """Return what stands between fields, a comma where nothing is said; refuse what cannot."""
    sign = COMMA if separator is None else separator.replace(r"\t", "\t")  # as shells can name a tab
    if len(sign) != 1 or sign in '"\r\n':
        raise OptionError("the separator must be one character such as ',' or ';', no quote and no line end")
    return sign


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
    bare = text.strip() == text != "" and not FORMULA.match(text) and not set(text) & set(f'{WITHIN}"\0\r\n')
    return text if bare else f'"{text.replace(chr(34), chr(34) * 2)}"'


def field(value: object) -> str:
    """Return a field of a line: no formula to a spreadsheet, for an apostrophe before it, and in quotes where needed.

    >>> [field(value) for value in ("tea", "=1+1", " =1", "'=1", "'n", " tea", -5)]
    ['tea', "'=1+1", "' =1", "''=1", "'n", '" tea"', "'-5"]
    """
    text = str(value)
    text = f"'{text}" if FORMULA.match(text) else text
    is_bare = text.strip() == text and not set(text) & set(',"\r\n')
    return text if is_bare else f'"{text.replace(chr(34), chr(34) * 2)}"'


def unescaped(text: str) -> str:
    """Return the label that a field stands for.

    >>> [unescaped(text) for text in ("tea", "'=1+1", "''=1", "'n", "-5")]
    ['tea', '=1+1', "'=1", "'n", '-5']
    """
    return text[1:] if text[:1] == "'" and FORMULA.match(text) else text


def line(values: Iterable[object]) -> str:
    """Return a line of CSV, without its end: the one way in which we write it."""
    return COMMA.join(map(field, values))


def records(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """Yield the fields of each record."""
    return (record for _, record in parsed(lines, separator))


def parsed(lines: Iterable[str], separator: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the text of each record and its fields; lines are taken one at a time, as many as it needs."""
    taken: list[str] = []

    def take() -> Iterator[str]:
        for text in lines:
            taken.append(text)
            yield text

    reader = csv.reader(take(), delimiter=separator, strict=True)
    try:
        for record in reader:
            text = "".join(taken)
            taken.clear()
            if (' "' in text or '\t"' in text) and _has_late_quote(text, separator):
                raise InputError(f"line {reader.line_num} has blanks before a quote; take them out")
            yield text, record
    except csv.Error:
        raise InputError(
            f"line {reader.line_num} has a quote that does not end, text after a quote, or a field of more than "
            f"{csv.field_size_limit():,} characters; mend it"
        ) from None


def _has_late_quote(text: str, separator: str) -> bool:
    """Return whether a field begins with blanks before a quote, so that a separator within would end it."""
    found = fields(text.rstrip("\r\n"), separator)
    return any(not is_quoted and re.match(r'[ \t]+"', label) for *_, label, is_quoted in found)


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


def holds(text: str) -> bool:
    """Return whether a field can hold ``text``: not empty, and no byte-order mark before it."""
    return bool(text) and not text.startswith("\ufeff")


def _rows(lines: Iterator[list[str]], separator: str | None, *, is_meant: bool) -> Iterator[list[str]]:
    """Yield the labels of each line; refuse lines that look like another table, unless they are meant."""
    first = list(islice(lines, baskets.SEEN))
    if not is_meant:
        baskets.check_lines(first, separator)
    return ([unescaped(text) for text in line if text] for line in chain(first, lines))


def _labels(codes: Codes[str], *, is_meant: bool) -> list[Label]:
    """Return the labels by code; refuse those that differ only in blanks around them, unless they are meant."""
    if not is_meant:
        baskets.check_blanks(codes.values)
    return as_labels(codes.values)


def _scan(chunks: Iterable[bytes], slots: Mapping[str, int], separator: str) -> Iterator[Lines]:
    """Yield baskets as they come, a block of records at a time."""
    marks: list[bytes] = []
    rest = parsed(_lines_of(chunks, marks), separator)
    while block := list(islice(rest, BLOCK)):
        rows = [{unescaped(text) for text in record if text} for _, record in block]
        yield _block([text for text, _ in block], rows, slots, b"".join(marks))
        marks.clear()


def _lines_of(chunks: Iterable[bytes], marks: list[bytes] | None = None) -> Iterator[str]:
    """Yield the lines of a file as they come, each with its line end; a byte-order mark is put apart to ``marks``."""
    for data, before in whole_lines(chunks, returns=True):
        if marks is not None and not before and data.startswith(BYTE_ORDER_MARK):
            marks.append(BYTE_ORDER_MARK)
        yield from StringIO(as_text(data, before=before), newline="")


def _basket_pieces(rows: Iterator[list[str]], codes: Codes[str]) -> Iterator[Piece]:
    """Yield baskets a block at a time."""
    while block := list(islice(rows, BLOCK)):
        yield piece([codes.of(row) for row in block])


def _long_pieces(lines: Iterator[list[str]], codes: Codes[str], row: str, item: str) -> Iterator[Piece]:
    """Yield the rows of the long form as they end."""
    rows = Grouped()
    for number, pairs in enumerate(_long_blocks(lines, row, item)):
        if not number:
            baskets.check_pairs(*zip(*pairs[: baskets.SEEN], strict=True))
        yield rows.add([id_ for id_, _ in pairs], codes.of(label for _, label in pairs))
    yield rows.last()


def _long_blocks(lines: Iterator[list[str]], row: str, item: str) -> Iterator[list[tuple[str, str]]]:
    """Yield the row ids and labels of the long form, a block of lines at a time."""
    places = _places(next(filter(None, lines), []), row, item)
    numbered = enumerate(lines, start=2)
    while block := [_pair(record, places, number) for number, record in islice(numbered, BLOCK)]:
        yield block


def _places(head: Sequence[str], row: str, item: str) -> tuple[int, int, int]:
    """Return where row ids and items stand in a line, and how many fields it may have."""
    if row not in head or item not in head:
        raise InputError(
            "the header lacks a column that ", Option("row"), " or ", Option("item"), " names; check their names"
        )
    return head.index(row), head.index(item), len(head)


def _pair(record: Sequence[str], places: tuple[int, int, int], number: int) -> tuple[str, str]:
    """Return the row id and the label of a line of the long form."""
    row, item, width = places
    if len(record) > width:
        raise InputError("this is no CSV table with as many fields in each line as in the header; mend it")
    if len(record) <= max(row, item) or not record[row] or not record[item]:
        raise InputError(f"record {number} has no row id or no item; leave such lines out, or fill them")
    return unescaped(record[row]), unescaped(record[item])


def _block(texts: list[str], rows: list[set[str]], slots: Mapping[str, int], mark: bytes) -> Lines:
    """Return records as lines, with a byte-order ``mark`` before them or nothing."""
    wanted = set(slots)
    parts = [text.encode() for text in texts]
    bounds = np.cumsum([len(mark), *map(len, parts)])
    ends = [len(text) - len(text.rstrip("\r\n")) for text in texts]
    starts, stops = bounds[:-1], bounds[1:] - np.array(ends)
    held = [sorted(slots[label] for label in row & wanted) for row in rows]
    return Lines(
        b"".join([mark, *parts]),
        starts,
        stops,
        np.array([len(row) for row in rows], dtype=np.int64),
        np.cumsum([0, *map(len, held)], dtype=np.int64),
        np.array([slot for row in held for slot in row], dtype=np.int32),
    )


def _kept(line: str, gone: Collection[str], separator: str) -> str:
    """Return a record without some labels: a field that stays comes with the separator before it."""
    found = list(fields(line, separator))
    kept = [at for at, (_, _, text, _) in enumerate(found) if text not in gone]
    return "".join(line[found[at - 1][1] if at != kept[0] else found[at][0] : found[at][1]] for at in kept)
