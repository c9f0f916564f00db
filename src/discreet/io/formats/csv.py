"""CSV: baskets (one row of labels per line), the long form (one row id and one item per line), and patterns."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain, islice
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets, Label, offsets_of
from discreet.data.reading import Reading
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OptionError
from discreet.io import baskets, frames, notation
from discreet.io.columns import MISSING, Column
from discreet.io.files import Bytes
from discreet.io.line_files import LineFormat, LineRows, Losses, RemovedItems, select_lines, split_lines
from discreet.io.lines import group_rising
from discreet.io.names import find_column, find_columns
from discreet.io.notation import BLOCK, BYTE_ORDER_MARK, ChunkReader, Coder, RowFunctions, as_labels
from discreet.io.options import RowOptions
from discreet.io.owners import find_owners_of_lines
from discreet.io.people import by_person, check_people, find_people


def read(data: Bytes, options: RowOptions) -> Transactions:
    r"""Return the baskets of a CSV file, or its long form where the columns ``row`` and ``item`` are named.

    Blanks are part of a label, and an empty field is no item. Labels are whole numbers if all of them look so.

    >>> [sorted(row) for row in read(b'milk,bread\n\n"beer, dark",,\n', RowOptions())]
    [['bread', 'milk'], [], ['beer, dark']]
    >>> read(b"id,what\n7,milk\n7,tea\n", RowOptions(row="id", item="what")).ids
    [7]
    """
    records = notation.read_records(notation.open_text(data), notation.as_separator(options.separator))
    if options.row is not None or options.item is not None:
        return _read_long(records, options)
    codes: Coder[str] = Coder()
    rows = Itemsets.concat(list(_code_blocks(_read_baskets(records), codes)))
    return notation.Coded.of(rows, _labels(codes, is_meant=options.is_meant)).transactions()


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as baskets, in chunks."""
    notation.check_fits_lines(rows, "CSV")
    fields = [
        notation.as_field(text, notation.AMBIGUOUS) for text in notation.as_texts(rows, "CSV", notation.fits_field)
    ]
    return notation.encode_lines(
        notation.COMMA.join([fields[code] for code in row]) for row in notation.iterate_codes(rows.itemsets)
    )


def read_in_chunks(options: RowOptions) -> ChunkReader:
    """Return how baskets, or lines of the long form that are sorted by row id, are read in chunks."""
    sign = notation.as_separator(options.separator)
    is_long = options.row is not None or options.item is not None
    if is_long:
        _columns(options)
    codes: Coder[str] = Coder()

    def read(chunks: Iterable[bytes]) -> Iterator[Itemsets]:
        records = notation.read_records(_lines_of(chunks), sign)
        if is_long:
            return _group_long(records, codes, *_columns(options))
        return _code_blocks(_read_baskets(records), codes)

    def labels(items: NDArray[np.int32]) -> list[Label]:
        named = _labels(codes, is_meant=options.is_meant or is_long)
        return [named[code] for code in items.tolist()]

    return ChunkReader(read, labels)


def _columns(options: RowOptions) -> tuple[str, str]:
    """Return the columns of row ids and of items; merged rows have the person for an id."""
    check_people(options)
    row = options.row if options.person is None or options.per is not None else options.person
    if row is None or options.item is None:
        raise OptionError("a long table needs both columns; give ", Option("row"), " and ", Option("item"))
    return row, options.item


def _read_baskets(records: Iterator[list[str]]) -> Iterator[list[str]]:
    return ([notation.unescape(text) for text in record if text] for record in records)


def _code_blocks(rows: Iterator[list[str]], codes: Coder[str]) -> Iterator[Itemsets]:
    while block := list(islice(rows, BLOCK)):
        yield Itemsets.from_lengths(list(map(len, block)), np.array(codes.encode(chain.from_iterable(block)), np.int32))


def _labels(codes: Coder[str], *, is_meant: bool) -> list[Label]:
    if not is_meant:
        baskets.refuse(baskets.find_blanks(codes.values))
    return as_labels(codes.values)


def _read_long(records: Iterator[list[str]], options: RowOptions) -> Transactions:
    """Return the rows of the long form; those of one person are merged, or have the person of each."""
    names, head = list(_columns(options)), next(filter(None, records), [])
    if options.person is not None and options.row is not None:
        names = [options.row, names[1], options.person]
    coders: list[Coder[str]] = [Coder() for _ in names]
    codes = [array("i") for _ in names]
    others = [_LongColumn(name) for name in _list_others(head, names, options)]
    for block in _take_columns(_watch(records, head, others), _find_places(head, names), len(head)):
        for coder, coded, values in zip(coders, codes, block, strict=True):
            coded.extend(coder.encode(values))
    lines, items, *people = (np.array(coded, dtype=np.int32) for coded in codes)
    ids, labels, *persons = (as_labels(coder.values) for coder in coders)
    rows = frames.group_lines(lines, items, ids, labels).transactions()
    if options.person is None:
        doubts = find_owners_of_lines(lines, [one.column() for one in others])
        return rows.describe(reading=Reading("long", "csv", doubts=tuple(doubts)))
    return by_person(rows, find_people(lines, people[0], persons[0], options) if people else ids, options)


def _group_long(records: Iterator[list[str]], codes: Coder[str], row: str, item: str) -> Iterator[Itemsets]:
    blocks = _long_blocks(records, (row, item))
    first: list[Sequence[str]] = next(blocks, [[], []])
    baskets.check_pairs(*(values[: baskets.SEEN] for values in first))
    return group_rising((ids, codes.encode(labels)) for ids, labels in chain([first], blocks))


def _long_blocks(records: Iterator[list[str]], names: Sequence[str]) -> Iterator[list[Sequence[str]]]:
    """Yield the labels of each named column, of many records at a time."""
    head = next(filter(None, records), [])
    return _take_columns(records, _find_places(head, names), len(head))


def _find_places(head: Sequence[str], names: Iterable[str]) -> list[int]:
    return [head.index(find_column(head, name)) for name in names]


class _LongColumn:
    """A column of a long table beside row ids and items, coded as its lines are read."""

    def __init__(self, name: str) -> None:
        self.name, self.coder, self.codes = name, Coder[str](), array("i")

    def column(self) -> Column:
        """Return the column as text; an empty field holds nothing."""
        texts = [text if text.strip() not in MISSING else None for text in self.coder.values]
        return Column(self.name, np.array(self.codes, dtype=np.int32), ()).recode(texts)


def _list_others(head: Sequence[str], names: Collection[str], options: RowOptions) -> list[str]:
    """Return the columns that nobody named, which may tell whose rows these are; none if that was said."""
    known = {*names, *find_columns(head, options.drop)}
    return [name for name in head if name not in known and options.person is None]


def _watch(records: Iterable[list[str]], head: Sequence[str], others: Sequence[_LongColumn]) -> Iterable[list[str]]:
    """Return the records, of which the other columns are coded as they are read."""
    places = [(head.index(one.name), one) for one in others]

    def watch() -> Iterator[list[str]]:
        for record in records:
            for at, one in places if record else ():
                one.codes.extend(one.coder.encode([record[at].strip() if at < len(record) else ""]))
            yield record

    return watch() if places else records


def _take_columns(records: Iterable[list[str]], places: Sequence[int], width: int) -> Iterator[list[Sequence[str]]]:
    """Yield the labels of the columns at ``places``, of many records at a time."""
    fields = chain.from_iterable(_take_fields(records, places, width))  # records in a list cost garbage collection
    while block := list(islice(fields, BLOCK * len(places))):
        yield [notation.unescape_all(block[at :: len(places)]) for at in range(len(places))]


def _take_fields(records: Iterable[list[str]], places: Sequence[int], width: int) -> Iterator[tuple[str, ...]]:
    """Yield the fields at ``places`` of each record that is not blank; refuse too many fields, and empty ones there."""
    take, last = itemgetter(*places), max(places)
    for number, record in enumerate(records, start=2):
        if not record:
            continue
        if len(record) > width:
            raise InputError("this is no CSV table with as many fields in each line as in the header; mend it")
        fields = take(record) if len(record) > last else ("",)
        if "" in fields:
            what = "row id, no item or no person" if len(places) > 2 else "row id or no item"  # noqa: PLR2004 - those
            raise InputError(f"record {number} has no {what}; leave such lines out, or fill them")
        yield fields


def without(data: Bytes, losses: Losses, options: RowOptions) -> Iterator[bytes]:
    """Yield the long form without the lines that rows lose; all else stays the same bytes."""
    records = notation.parse_records(notation.open_text(data), notation.as_separator(options.separator))
    head, names = "", list[str]()
    while not names and (record := next(records, None)):
        head, names = head + record[0], record[1]
    places = [names.index(find_column(names, name)) for name in _columns(options)]
    lines = list(records)
    blocks = _take_columns((record for _, record in lines), places, len(names))
    pairs = [pair for ids, labels in blocks for pair in zip(ids, labels, strict=True)]
    gone = {number: frozenset(map(str, lost)) for number, lost in losses.items()}
    stays = select_lines([row for row, _ in pairs], [label for _, label in pairs], gone)
    mark = BYTE_ORDER_MARK if data.startswith(BYTE_ORDER_MARK) else b""
    yield mark + head.encode()
    texts = (text for text, record in lines if record)
    yield from (text.encode() for text, is_left in zip(texts, stays, strict=True) if is_left)


def rewrite_lines(wanted: Sequence[str], options: RowOptions) -> LineFormat:
    """Return how baskets are scanned for the ``wanted`` labels, and lose some of them."""
    sign = notation.as_separator(options.separator)
    slots = {text: slot for slot, text in enumerate(wanted)}

    def without(lines: LineRows, removed: RemovedItems) -> bytes:
        gone: list[set[str]] = [set() for _ in range(lines.n)]
        for row, slot in zip(removed.rows.tolist(), removed.items.tolist(), strict=True):
            gone[row].add(wanted[slot])
        rows = zip(lines.starts.tolist(), lines.stops.tolist(), gone, strict=True)
        texts = (_remove_labels(lines.data[start:stop].decode(), labels, sign) for start, stop, labels in rows)
        return "".join(f"{text}\n" for text in texts).encode()

    return LineFormat(lambda chunks: _scan(chunks, slots, sign), without)


def _scan(chunks: Iterable[bytes], slots: Mapping[str, int], separator: str) -> Iterator[LineRows]:
    marks: list[bytes] = []
    records = notation.parse_records(_lines_of(chunks, marks), separator)
    while block := list(islice(records, BLOCK)):
        rows = [{notation.unescape(text) for text in record if text} for _, record in block]
        yield _as_lines([text for text, _ in block], rows, slots, b"".join(marks))
        marks.clear()


def _lines_of(chunks: Iterable[bytes], marks: list[bytes] | None = None) -> Iterator[str]:
    """Yield the lines of a file with their ends; a byte-order mark is put aside to ``marks``."""
    for data, before in split_lines(chunks, returns=True):
        if marks is not None and not before and data.startswith(BYTE_ORDER_MARK):
            marks.append(BYTE_ORDER_MARK)
        yield from StringIO(notation.as_text(data, before=before), newline="")


def _as_lines(texts: list[str], rows: list[set[str]], slots: Mapping[str, int], mark: bytes) -> LineRows:
    wanted = set(slots)
    encoded = [text.encode() for text in texts]
    bounds = offsets_of([len(mark), *map(len, encoded)])[1:]
    ends = np.array([len(text) - len(text.rstrip("\r\n")) for text in texts])
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    held = Itemsets.of([sorted(slots[label] for label in row & wanted) for row in rows])
    return LineRows(b"".join([mark, *encoded]), bounds[:-1], bounds[1:] - ends, lengths, held)


def _remove_labels(line: str, gone: Collection[str], separator: str) -> str:
    """Return a record without some labels; a field that stays keeps the separator before it."""
    fields = list(notation.find_fields(line, separator))
    left = [at for at, (_, _, text, _) in enumerate(fields) if text not in gone]
    return "".join(line[fields[at - 1][1] if at != left[0] else fields[at][0] : fields[at][1]] for at in left)


ROWS: Final = RowFunctions(read, write, read_in_chunks, rewrite_lines, without)
