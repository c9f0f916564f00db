"""Reading back: whether a file shows the counts, names and values of some tables, and nothing else."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from io import BytesIO, StringIO
from typing import Final, NamedTuple, TypeAlias

from discreet.data.counts import Cell, Coordinates, Counts, Place, Sheet, State, Table, Values, name_values
from discreet.errors import DiscreetError, InputError
from discreet.io.marks import BESIDE, SHARE
from discreet.io.read_counts import LAYOUTS, read_counts
from discreet.runtime.text import count_of

Key: TypeAlias = tuple[str, Values]  # the name of a table, and the values of a cell
UNNAMED: Final = re.compile(r"(?:row|column)(?: \d+)?")  # what we call the attributes of a crosstab without names
SIGNS: Final = frozenset("%([")  # one of which stands beside every share
MASK: Final = "*"  # for a masked count without a mark
BYTE_ORDER: Final = "\ufeff"  # a mark before the first line


class Shape(NamedTuple):
    """How a file shows ``tables``, so that they can be read back: its layout, its separator, and its ``words``.

    These are all of its texts beside counts and shares that are no name and no value, such as Total; ``counts`` is the
    one that names the column of counts of a long table.
    """

    tables: tuple[str, ...]
    layout: str
    separator: str
    counts: str | None
    words: tuple[str, ...]


class Record(NamedTuple):
    """A line of a file, by the number of its last one if it has several: its text and its fields."""

    number: int
    text: str
    fields: list[str]

    def list_read(self, sheet: Sheet) -> Iterator[tuple[Place, str]]:
        """Yield the texts that a table was read from."""
        for at in sheet.read.get(self.number, ()):
            text = self.fields[at - 1].strip() if at <= len(self.fields) else ""
            if text:
                yield Place(self.number, at), text

    def list_unread(self, sheet: Sheet) -> list[int]:
        """Return the columns of all other texts."""
        columns = sheet.read.get(self.number, frozenset())
        return [at for at, field in enumerate(self.fields, start=1) if field and at not in columns]


def list_records(sheet: Sheet) -> Iterator[Record]:
    r"""Yield the lines of a file.

    >>> [(one.number, one.fields) for one in list_records(Sheet("a.csv", 'a,"b\nc"\nd\n', ",", "utf-8", ()))]
    [(2, ['a', 'b\nc']), (3, ['d'])]
    """
    physical = list(StringIO(sheet.text.removeprefix(BYTE_ORDER), newline=""))
    reader, done = csv.reader(physical, delimiter=sheet.separator), 0
    for fields in reader:
        yield Record(reader.line_num, "".join(physical[done : reader.line_num]), fields)
        done = reader.line_num


def format_cell(cell: Cell) -> str:
    """Return what is written in the place of a count.

    >>> format_cell(Cell((), 12, 12)), format_cell(Cell((), 1, 10, State.MASKED, mark="<11"))
    ('12', '<11')
    >>> format_cell(Cell((), 8, 12, State.LIMITS))
    '8-12'
    """
    if cell.state is State.EXACT:
        return cell.mark or str(cell.low)
    if cell.state is State.LIMITS:
        return cell.mark or f"{cell.low}-{cell.high}"
    return cell.mark or MASK if cell.state is State.MASKED else ""


def find_shape(text: str, sheet: Sheet, tables: Sequence[Table], layout: str) -> Shape | None:
    """Return how the text of a file shows tables that were read from ``sheet``; None if it does not show just these."""
    layout = "crosstab" if layout == "acro" else layout  # as each file of a session is
    names, column = tuple(table.name for table in tables), _name_counts(sheet) if layout == "long" else None
    try:
        again = _read(text.encode(), tables, Shape(names, layout, sheet.separator, column, _list_words(sheet, tables)))
    except DiscreetError:
        return None
    if any(_compare(again, tables, sheet.name)):
        return None
    return Shape(names, layout, sheet.separator, column, _list_words(again.sheets[0], tables))


def find_differences(data: bytes, tables: Sequence[Table], shape: Shape, name: str) -> Iterator[str]:
    """Yield in what a file is not what tables of counts are in some shape, in sentences without their values."""
    try:
        again = _read(data, tables, shape)
    except DiscreetError as error:
        why = str(error).removeprefix("the open file: ")
        yield f"{name} cannot be read as the tables of counts.json: {why}"
        return
    yield from _compare(again, tables, name)
    yield from _say_differing(name, "the text", _list_words(again.sheets[0], tables), shape.words, "release.json")
    stated = {_key(table, cell.at): cell.place for table in tables for cell in table.cells}
    seen = {_key(table, cell.at): cell.place for table in again.tables for cell in table.cells}
    wrong = sum(place is not None and place != seen.get(key) for key, place in stated.items())
    if wrong:
        yield f"counts.json has {count_of(wrong, 'count')} in other places than {name}"


def relocate(counts: Counts, files: Iterable[tuple[bytes, Shape | None]]) -> Counts:
    """Return counts with their places in files of some shapes; without these, they have neither places nor shares."""
    own = {table.name: table for table in counts.tables}
    known = [_read(data, [own[name] for name in shape.tables], shape) for data, shape in files if shape is not None]
    places = {_key(table, cell.at): cell.place for again in known for table in again.tables for cell in table.cells}

    def place(table: Table) -> Table:
        cells = tuple(cell._replace(place=places.get(_key(table, cell.at))) for cell in table.cells)
        ratios = tuple(ratio._replace(place=None) for ratio in table.ratios) if known else ()
        return replace(table, cells=cells, ratios=ratios)

    return Counts(tuple(map(place, counts.tables)))


def _read(data: bytes, tables: Sequence[Table], shape: Shape) -> Counts:
    """Return what a file shows. Where it does not name its tables or their attributes, they have the expected names."""
    if shape.layout not in LAYOUTS or (shape.counts is None) is (shape.layout == "long"):
        raise InputError("its layout is unknown, or its column of counts")
    again = read_counts(
        BytesIO(data), format=shape.layout, separator=shape.separator, counts=shape.counts, totals=shape.words
    )
    if len(again.tables) != len(tables):
        raise InputError("there are more tables or fewer")
    return replace(again, tables=tuple(map(_rename, again.tables, tables)))


def _rename(table: Table, expected: Table) -> Table:
    dimensions = table.dimensions
    if len(dimensions) == len(expected.dimensions):
        pairs = zip(dimensions, expected.names, strict=True)
        dimensions = tuple(replace(one, name=name) if UNNAMED.fullmatch(one.name) else one for one, name in pairs)
    return replace(table, name=expected.name, dimensions=dimensions)


def _name_counts(sheet: Sheet) -> str | None:
    """Return the name of the column of counts of a long table."""
    columns = {cell.place.column for table in sheet.tables for cell in table.cells if cell.place is not None}
    fields = next((one.fields for one in list_records(sheet) if any(one.fields)), [])
    return next((fields[at - 1].strip() for at in columns if at <= len(fields)), None)


def list_shared(sheet: Sheet) -> set[Place]:
    r"""Return the fields of counts with a share beside them or instead, which not all layouts read.

    >>> sheet = Sheet("a.csv", "n\n5\n7 (2%)\n", ",", "utf-8", (), read={2: frozenset([1]), 3: frozenset([1])})
    >>> list_shared(sheet)
    {Place(line=3, column=1)}
    """
    every = (pair for one in list_records(sheet) for pair in one.list_read(sheet) if SIGNS & {*pair[1]})
    return {place for place, text in every if BESIDE.fullmatch(text) or SHARE.fullmatch(text)}


def _list_words(sheet: Sheet, tables: Sequence[Table]) -> tuple[str, ...]:
    """Return the texts beside counts and shares that are no name and no value; also counts with shares not read."""
    counts = {cell.place for table in sheet.tables for cell in table.cells} - list_shared(sheet)
    numbers = counts | {ratio.place for table in sheet.tables for ratio in table.ratios}
    known = {text for table in tables for one in table.dimensions for text in (one.name, *one.values)}
    texts = {text for one in list_records(sheet) for place, text in one.list_read(sheet) if place not in numbers}
    return tuple(sorted(texts - known))


def _key(table: Table, at: Coordinates) -> Key:
    return table.name, name_values(table.names, at)


def _compare(again: Counts, tables: Sequence[Table], name: str) -> Iterator[str]:
    """Yield the differences between tables that were read back and what they should be."""
    [sheet] = again.sheets
    yield from _find_unread(sheet, name)
    for table, expected in zip(again.tables, tables, strict=True):
        labels = list(_find_labels(table, expected, name))
        yield from labels or _find_counts(table, expected, name)


def _say_differing(name: str, what: str, shown: Iterable[str], stated: Iterable[str], other: str) -> Iterator[str]:
    for one in sorted({*shown} - {*stated}):
        yield f"{name} has {what} {one!r:.99}, which {other} lacks"
    for one in sorted({*stated} - {*shown}):
        yield f"{name} lacks {what} {one!r:.99}, which {other} has"


def _find_unread(sheet: Sheet, name: str) -> Iterator[str]:
    """Yield what a file holds beside what was read from it."""
    lines = dict.fromkeys(("numbers", "text"), 0)
    for one in list_records(sheet):
        columns = [at for at in one.list_unread(sheet) if one.fields[at - 1].strip()]
        if any(one.list_read(sheet)):
            yield from (
                f"{Place(one.number, at)} of {name} is no count, name or value of counts.json" for at in columns
            )
        elif columns:
            has_numbers = any(map(str.isdecimal, "".join(one.fields)))
            lines["numbers" if has_numbers else "text"] += 1
    for what, many in lines.items():
        if many:
            yield f"{name} has {count_of(many, 'line')} with {what} that counts.json does not know"


def _find_labels(table: Table, expected: Table, name: str) -> Iterator[str]:
    """Yield the attributes and values that differ. All values of an attribute may have been left out."""
    shown = {one.name: one for one in table.dimensions if one.values}
    used = {one for cell in expected.cells if _is_shown(cell) for one, _ in name_values(expected.names, cell.at)}
    known = {one.name: {*one.values} for one in expected.dimensions}
    yield from _say_differing(name, "the attribute", shown, used, "counts.json")
    for attribute, one in shown.items():
        many = len({*one.values} - known.get(attribute, {*one.values}))
        if many:
            yield f"{name} has {count_of(many, 'value')} of {attribute!r:.99} that counts.json lacks"


def _find_counts(table: Table, expected: Table, name: str) -> Iterator[str]:
    """Yield the counts and the shares that differ."""
    cells = {_key(expected, cell.at): cell for cell in expected.cells}
    seen = {_key(table, cell.at) for cell in table.cells}
    for cell in (one for one in table.cells if one.place is not None):
        stated = cells.get(_key(table, cell.at))
        if stated is None or not _is_shown(stated):
            is_wrong = _is_shown(cell) and bool(cell.mark or cell.state is not State.MASKED)
        else:
            is_wrong = format_cell(cell) != format_cell(stated)
        if is_wrong:
            yield f"{cell.place} of {name} shows something else than counts.json"
    for key, cell in cells.items():
        if _is_shown(cell) and key not in seen and not (cell.state is State.MASKED and not cell.mark):
            yield f"{name} lacks a count of counts.json"
    if _list_shares(table) != _list_shares(expected):
        yield f"{name} shows other shares than counts.json"


def _is_shown(cell: Cell) -> bool:
    return cell.state < State.ABSENT


def _list_shares(table: Table) -> set[tuple[Key, Key, Fraction, Fraction]]:
    return {(_key(table, one.part), _key(table, one.whole), one.low, one.high) for one in table.ratios}
