"""Counts: published tables of counts over attributes, each cell exact, within limits, masked or absent."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from io import StringIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from discreet.data.schema import SIGN, Attribute, Schema
from discreet.data.thresholds import LARGEST_COUNT
from discreet.errors import InputError, refuse_truth
from discreet.runtime.text import count_of

if TYPE_CHECKING:
    from discreet.data.reading import Reading

Values: TypeAlias = frozenset[tuple[str, str]]  # names of attributes, each with a value
Coordinates: TypeAlias = tuple[str | None, ...]  # a value of each dimension; None for all of its values together
Columns: TypeAlias = Mapping[int, frozenset[int]]  # some columns of some lines, as in a ``Place``
UNKNOWN: Final = LARGEST_COUNT  # an upper limit that says nothing
WITHOUT: Final = "\0"  # begins a value that those have who lack one of which people may have several
PEOPLE: Final = "people"  # what tables count unless they say otherwise
UNLISTED: Final = "(not listed)"  # stands for all values that a file may have left out


class State(IntEnum):
    """How a count was published."""

    EXACT = 0
    LIMITS = 1  # rounded, or a range
    MASKED = 2  # a mark stands in its place
    ABSENT = 3  # left out of the file, as small counts are
    UNPUBLISHED = 4  # in no table, but a sum of counts that are


class Place(NamedTuple):
    """The line and the column of a file, both from 1 on."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line:,}, column {self.column:,}"


class Cell(NamedTuple):
    """A published count: from ``low`` to ``high`` people have the values ``at`` the dimensions of its table.

    ``mark`` is what stands in the place of a masked count.
    """

    at: Coordinates
    low: int
    high: int
    state: State = State.EXACT
    place: Place | None = None
    mark: str = ""


class Ratio(NamedTuple):
    """A published share: the count ``part`` is from ``low`` to ``high`` times the count ``whole``."""

    part: Coordinates
    whole: Coordinates
    low: Fraction
    high: Fraction
    place: Place | None = None


@dataclass(frozen=True)
class Dimension:
    """An attribute of a table with the values that the table shows; ``parents`` lead from a value to a broader one.

    ``unions`` are values that stand for several others, which need not be all those below a broader one. If it is
    ``overlapping``, one person may have several values: each has people with it, and people without it. If it is
    ``cut``, values may be missing from the list: each of these is small wherever it occurs.

    >>> age = Dimension("age", ("0-9", "10-19", "under 20", "20 and over"), {"0-9": "under 20", "10-19": "under 20"})
    >>> age.children(None), age.children("under 20"), age.children("0-9")
    (('under 20', '20 and over'), ('0-9', '10-19'), ())
    >>> drug = Dimension("drug", ("a", "b"), overlapping=True)
    >>> age.list_divisions("under 20"), [tuple(map(say_value, some)) for some in drug.list_divisions(None)]
    ([('0-9', '10-19')], [('a', 'not a'), ('b', 'not b')])
    """

    name: str
    values: tuple[str, ...]
    parents: Mapping[str, str] = field(default_factory=dict)
    overlapping: bool = False
    cut: bool = False
    unions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def children(self, value: str | None) -> tuple[str, ...]:
        """Return the values directly below a value, or the topmost ones below None; a union has those it stands for."""
        return self._children.get(value, ())

    def list_divisions(self, value: str | None) -> list[tuple[str, ...]]:
        """Return each way in which values directly below one divide its people, so that everybody has one of them."""
        below = self.children(value)
        if not self.overlapping:
            return [below] if below else []
        return [(one, self.name_others(one)) for one in below if one != UNLISTED]

    def climb(self, value: str) -> Iterator[str]:
        """Yield a value, the one that it is a part of, and so on."""
        above: str | None = value
        while above is not None:
            yield above
            above = self.parents.get(above)

    def name_others(self, value: str) -> str:
        """Return what those have who lack a value, though not the broader one, if there is any: no column has it."""
        return f"{WITHOUT}{self.parents.get(value, '')}{WITHOUT}{value}"

    @cached_property
    def _children(self) -> dict[str | None, tuple[str, ...]]:
        found: dict[str | None, list[str]] = {}
        for value in dict.fromkeys((*self.values, *self.parents.values())):
            if value not in self.unions:
                found.setdefault(self.parents.get(value), []).append(value)
        if self.cut:
            found.setdefault(None, []).append(UNLISTED)
        found |= {value: [*parts] for value, parts in self.unions.items()}
        return {value: tuple(below) for value, below in found.items()}


@dataclass(frozen=True)
class Table:
    """Cells over dimensions, each at most once, with shares of them, if any.

    ``counted`` says what is counted: tables that count the same are of the same people, and share the cells that have
    the same values; they may be a part of those that other tables count, ``within``, of whom the ``rest`` has a name
    too. ``absent`` are the limits of cells that the table leaves out; without them, nothing is known.
    """

    name: str
    dimensions: tuple[Dimension, ...]
    cells: tuple[Cell, ...]
    counted: str = PEOPLE
    absent: tuple[int, int] | None = None
    ratios: tuple[Ratio, ...] = ()
    within: str | None = None
    rest: str = ""

    def __post_init__(self) -> None:
        """Refuse a cell that stands twice, or that has no place among the dimensions."""
        every = [(*one.values, *one.parents.values()) for one in self.dimensions]
        known = {(at, value) for at, values in enumerate(every) for value in values}
        seen: dict[Coordinates, Cell] = {}
        for cell in self.cells:
            if cell.at in seen:
                where = "" if cell.place is None else f" at {seen[cell.at].place} and at {cell.place}"
                raise InputError(f"a cell of the table stands twice{where}; keep one of them")
            if not all(value is None or (at, value) in known for at, value in enumerate(cell.at)):
                raise InputError("a cell has a value that its dimension lacks; check the table")
            seen[cell.at] = cell

    def slice_by(self, at: int) -> list[dict[str | None, Cell]]:
        """Return the cells by their value of one dimension, for each combination of values of the others."""
        slices: dict[Coordinates, dict[str | None, Cell]] = {}
        for cell in self.cells:
            slices.setdefault(cell.at[:at] + cell.at[at + 1 :], {})[cell.at[at]] = cell
        return list(slices.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the dimensions."""
        return tuple(one.name for one in self.dimensions)


class Sheet(NamedTuple):
    """A file that tables were read from, so that they can be written in its shape.

    ``text`` is all of it; ``tables`` are those that were read from it; ``read`` tells in which columns of each line
    their names, values, counts and shares stand: nothing else of the file is written. If it holds one count per line,
    a count that is left out takes its line with it. If it ``is_cut``, its owner has asked for lines that were not read
    to be left out.
    """

    name: str
    text: str
    separator: str
    encoding: str
    tables: tuple[Table, ...]
    is_per_line: bool = False
    read: Columns = MappingProxyType({})
    is_cut: bool = False

    def list_unread(self) -> list[int]:
        r"""Return the lines with numbers below the header that no count was read from: nothing is known about them.

        >>> kept = Table("1", (), (Cell((), 50, 50, place=Place(2, 2)),))
        >>> Sheet("a.csv", "analysis,n\n1,50\n99,3\n", ",", "utf-8", (kept,), is_per_line=True).list_unread()
        [3]
        """
        if not self.is_per_line:
            return []
        places = [one.place for table in self.tables for one in table.cells]
        places += [one.place for table in self.tables for one in table.ratios]
        read = {place.line for place in places if place is not None}
        reader = csv.reader(StringIO(self.text.removeprefix("\ufeff"), newline=""), delimiter=self.separator)
        lines = [reader.line_num for fields in reader if any(field.strip().isdecimal() for field in fields)]
        return [line for line in lines if line > 1 and line not in read]


@refuse_truth(ask="len(counts) or .tables")
@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """Tables of counts of the same people; iterating gives the cells of each.

    >>> sex = Dimension("sex", ("f", "m"))
    >>> cells = (Cell((None,), 180, 180), Cell(("f",), 177, 177), Cell(("m",), 1, 10, State.MASKED, mark="<11"))
    >>> counts = Counts((Table("by sex", (sex,), cells),))
    >>> counts, counts.schema
    (<Counts: 3 cells of 1 table, 1 masked>, <Schema: 1 attribute, 1 of them in every row>)
    """

    tables: tuple[Table, ...]
    reading: "Reading | None" = None
    sheets: tuple[Sheet, ...] = ()

    @property
    def schema(self) -> Schema:
        """The attributes whose values exclude each other; one is total if no value can be missing."""
        found: dict[str, Dimension] = {}
        for one in (one for table in self.tables for one in table.dimensions if not one.overlapping):
            known = found.get(one.name)
            values = dict.fromkeys((*(known.values if known else ()), *one.values))
            found[one.name] = Dimension(one.name, tuple(values), cut=one.cut or bool(known and known.cut))
        return Schema(
            tuple(
                Attribute(one.name, frozenset(f"{one.name}{SIGN}{value}" for value in one.values), total=not one.cut)
                for one in found.values()
            )
        )

    def list_values(self) -> list[tuple[str, str]]:
        """Return the values of all attributes, each once."""
        every = ((one.name, value) for table in self.tables for one in table.dimensions for value in one.values)
        return list(dict.fromkeys(every))

    def with_parents(self, parents: Mapping[tuple[str, str], str]) -> "Counts":
        """Return the same tables, with the parents of values of attributes."""

        def climb(one: Dimension) -> Dimension:
            own = {value: parent for (name, value), parent in parents.items() if name == one.name}
            known = dict[str, str]()
            queue = list(one.values)
            while queue:
                value = queue.pop()
                if value in own and value not in known:
                    known[value] = own[value]
                    queue.append(own[value])
            return replace(one, parents=known)

        tables = (replace(table, dimensions=tuple(map(climb, table.dimensions))) for table in self.tables)
        return replace(self, tables=tuple(tables))

    def __iter__(self) -> Iterator[Cell]:
        return (cell for table in self.tables for cell in table.cells)

    def __len__(self) -> int:
        return sum(len(table.cells) for table in self.tables)

    def __repr__(self) -> str:
        return f"<Counts: {self}>"

    def __str__(self) -> str:
        masked = sum(cell.state is State.MASKED for cell in self)
        tables = count_of(len(self.tables), "table")
        return f"{count_of(len(self), 'cell')} of {tables}" + f", {masked:,} masked" * bool(masked)


def say_value(value: str) -> str:
    """Return a value in words.

    >>> drug = Dimension("drug", ("opioids", "codeine"), {"codeine": "opioids"}, overlapping=True)
    >>> say_value("codeine"), say_value(drug.name_others("codeine")), say_value(drug.name_others("opioids"))
    ('codeine', 'opioids, not codeine', 'not opioids')
    """
    if not value.startswith(WITHOUT):
        return value
    _, broader, without = value.split(WITHOUT)
    return f"{broader}{', ' * bool(broader)}not {without}"


def name_values(names: Sequence[str], at: Coordinates) -> Values:
    """Return the values of a cell with the names of their dimensions.

    >>> sorted(name_values(("sex", "age"), ("f", None)))
    [('sex', 'f')]
    """
    return frozenset((name, value) for name, value in zip(names, at, strict=True) if value is not None)
