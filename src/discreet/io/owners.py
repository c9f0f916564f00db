"""Whose rows: columns that may name people with several rows, by their names or by how their values repeat."""

import math
import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Label
from discreet.data.reading import name_some
from discreet.errors import Message, Option
from discreet.io import baskets
from discreet.io.baskets import MOST_LINES
from discreet.io.columns import DATE, NUMBER, Column, is_person
from discreet.io.frames import CodeArray
from discreet.io.names import find_columns
from discreet.io.options import RowOptions
from discreet.runtime.text import count_of

FEWEST: Final = 10  # values that may be people; they have MOST_LINES rows on average
AGREE: Final = 0.95  # share of the values whose rows agree in another column, if these are people
BY_CHANCE: Final = 1e-4  # probability that as many agree by chance
WITHIN: Final = 0.98  # share of the rows of several lines that hold one value, if it is one of the row

WHOLE: Final = re.compile(r"[+-]?\d+\.0*")
BIRTH: Final = re.compile(r"(?i)birth|born|dob|geb(?:urt|dat|oren)|naissance|nacimiento|nascita")


def find_owners(columns: Iterable[Column], attributes: Collection[str] | None = None) -> list[Message]:
    """Return a doubt for each column that may name people of whom some have several rows.

    The name of a column raises a doubt, and so do its values whatever its name: many that repeat, each in few rows, or
    such that rows of one value agree in other columns. In a table of attributes, naming it as one answers the latter.

    >>> visits = Column("x1", np.arange(40, dtype=np.int32) // 2, tuple(f"p{at}" for at in range(20)))
    >>> print(*find_owners([visits]))
    x1 may be the id of a person, as its 20 values repeat in 40 rows; merge their rows with person='x1' or leave it \
out with drop='x1'
    """
    every = list(columns)
    return [doubt for column in every for doubt in _doubt(column, every, attributes)]


def find_owners_of_lines(lines: NDArray[np.int32], columns: Iterable[Column]) -> list[Message]:
    """Return the same doubts for the columns of a long table, where line l is one of the row ``lines[l]``.

    A column counts if it says something of rows: nearly all lines of a row that hold a value hold the same. If others
    name people, these are in several rows together, which is as doubtful; what no two rows share is harmless.
    """
    several = np.bincount(lines) > 1
    found, others = list[Column](), list[Message]()
    for column in columns:
        first = np.full(several.size, -1, dtype=np.int32)
        held = np.flatnonzero(column.codes >= 0)
        first[lines[held[::-1]]] = column.codes[held[::-1]]
        mixed = np.unique(lines[held[first[lines[held]] != column.codes[held]]]).size
        if mixed <= (1 - WITHIN) * np.count_nonzero(several):
            found.append(Column(column.name, first, column.texts))
        elif is_person(column) and _is_shared(lines, column):
            others.append(_name_person(column))
    return [*find_owners(found), *others]


def find_unseen(columns: Iterable[str], options: RowOptions) -> list[Message]:
    """Return a doubt if a table that is scanned has columns beside those that are read: one may name people.

    >>> print(*find_unseen(["stay", "x1", "drug"], RowOptions(row="stay", item="drug")))
    x1 not looked at, as the rows are scanned: leave out with drop= what names nobody, and merge the rows of people \
with person=
    """
    names = list(columns)
    known = {options.row, options.item, options.items, *find_columns(names, options.drop)}
    others = [name for name in names if name not in known]
    said = f"{name_some(others)} not looked at, as the rows are scanned: leave out with "
    advice = Option("drop"), " what names nobody, and merge the rows of people with ", Option("person")
    return [Message(said, *advice)] * bool(others)


def find_unread(others: Sequence[str]) -> list[Message]:
    """Return a doubt if a table of a database has columns beside row ids and items: one may name people.

    >>> print(*find_unread(["x1"]))
    x1 not looked at, as a database is asked for row ids and items: select nothing else with query= if that names \
nobody, or give the column of people as row=
    """
    said = f"{name_some(others)} not looked at, as a database is asked for row ids and items: select nothing else "
    advice = "with ", Option("query"), " if that names nobody, or give the column of people as ", Option("row")
    return [Message(said, *advice)] * bool(others)


def find_repeated(name: str, ids: Sequence[Hashable]) -> list[Message]:
    """Return a doubt if ids of rows repeat in a table that has one line per row.

    >>> print(*find_repeated("x1", [7, 7, 8]))
    x1 was taken for row ids, and its 2 values repeat in 3 rows; if each is a person, merge their rows with person='x1'
    """
    many = len({*ids})
    said = f"{name} was taken for row ids, and its {count_of(many, 'value')} repeat in {count_of(len(ids), 'row')}"
    advice = "; if each is a person, merge their rows with "
    return [Message(said + advice, Option("person", name))] * (many < len(ids))


def find_ids_in_lists(name: str, lists: Iterable[Sequence[Label] | None]) -> list[Message]:
    """Return a doubt if the lists of a column hold an id of a row or a person each.

    >>> print(*find_ids_in_lists("items", [["tea", "milk", f"P{at // 2}"] for at in range(40)]))
    the lists of items each hold what looks like a row id among the items: take it out
    """
    filled = [list(one) for one in lists if one is not None]
    said = f"the lists of {name} each {baskets.HOLD_IDS}: take it out"
    return [Message(said)] * (baskets.has_ids(filled) or baskets.hold_ids(filled))


def _doubt(column: Column, every: Sequence[Column], attributes: Collection[str] | None) -> Iterator[Message]:
    if is_person(column):
        yield _name_person(column)
    elif column.name not in (attributes or ()) and _may_be_people(column, every):
        said = f"{column.name} may be the id of a person, as its {len(column.texts):,} values repeat in "
        said += f"{count_of(column.filled, 'row')}; merge their rows with "
        remedies = Option("person", column.name), " or leave it out with ", Option("drop", column.name)
        more = () if attributes is None else (", or name all attributes, and it among them, with ", Option("columns"))
        yield Message(said, *remedies, *more)


def _name_person(column: Column) -> Message:
    counts = f"{count_of(len(column.texts), 'person').replace('persons', 'people')} in {count_of(column.filled, 'row')}"
    remedies = (Option("person", column.name), " or leave it out with ", Option("drop", column.name))
    return Message(
        f"{column.name} looks like the id of a person and repeats: {counts}; merge their rows with ", *remedies
    )


def _is_shared(lines: NDArray[np.int32], column: Column) -> bool:
    """Return whether a value is in several rows."""
    is_held = column.codes >= 0
    return _pair(column.codes[is_held], lines[is_held]).size > len(column.texts)


def _pair(codes: CodeArray, others: CodeArray) -> NDArray[np.int64]:
    """Return the code of each different pair of two codes."""
    width = int(others.max(initial=0)) + 1
    return np.unique(codes.astype(np.int64) * width + others) // width


def _may_be_people(column: Column, every: Sequence[Column]) -> bool:
    """Return whether values repeat as people do: each is rare, or its rows agree in another column.

    Dates of birth do the latter alone: people who share one by chance agree in nothing else.
    """
    many, rows = len(column.texts), column.filled
    if not (FEWEST <= many < rows <= MOST_LINES * many) or _is_measured(column):
        return False
    are_dates = all(map(DATE.fullmatch, column.texts))
    if are_dates and not BIRTH.search(column.name):
        return False
    repeated = int(np.count_nonzero(column.counts > 1))
    is_rare = many * many > rows and 2 * repeated > many and not are_dates
    return is_rare or any(_agree(column, other) for other in every if 1 < len(other.texts) < many)


def _is_measured(column: Column) -> bool:
    """Return whether most values are numbers with decimals; ids that went through a program may end in .0."""
    texts = [text.replace(",", ".") for text in column.texts]
    numbers = [text for text in texts if "." in text and NUMBER.fullmatch(text)]
    return 2 * len(numbers) > len(texts) and not all(WHOLE.fullmatch(text) for text in numbers)


def _agree(column: Column, other: Column) -> bool:
    """Return whether the rows of nearly each repeated value agree in another column, and hardly by chance."""
    both = (column.codes >= 0) & (other.codes >= 0)
    codes, values = column.codes[both], other.codes[both]
    sizes = np.bincount(codes)
    kinds = np.bincount(_pair(codes, values))
    repeated = sizes > 1
    alike, many = int(np.count_nonzero(kinds[repeated] == 1)), int(np.count_nonzero(repeated))
    if many < FEWEST or alike < AGREE * many:
        return False
    shares = np.bincount(values) / values.size
    different, often = np.unique(sizes[repeated], return_counts=True)
    expected = sum(times * float((shares**size).sum()) for size, times in zip(different, often, strict=True)) / many
    return alike * math.log(max(expected, math.ulp(0.0))) < math.log(BY_CHANCE)
