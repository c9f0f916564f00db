"""Equations: how the counts of linked tables add up."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from math import prod
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.counts import (
    UNKNOWN,
    UNLISTED,
    Cell,
    Counts,
    Dimension,
    Place,
    Ratio,
    State,
    Table,
    Values,
    name_values,
)
from discreet.errors import BudgetError, InputError, Option
from discreet.runtime.solver import Numbers

Limits: TypeAlias = tuple[int, int]
Names: TypeAlias = frozenset[str]
MOST_JOINT: Final = 50_000  # cells of a table over all attributes that others combine in a circle
MOST_CELLS: Final = 1_000_000  # cells, with those that are only sums of others or are left out
MOST_PARTS: Final = 5_000_000  # cells that sums are made of, most of which may not be listed
MOST_SHARED: Final = 1_000  # sets of attributes that tables have in common
NOT_JOINED: Final = "What these tables reveal together was not followed: their attributes have too many combinations."


class Key(NamedTuple):
    """A count: of what, and with which values of attributes. A sum of counts has its own name as a value."""

    counted: str
    values: Values

    def with_value(self, name: str, value: str | None) -> "Key":
        """Return the count with another value of an attribute, or with all of its values together."""
        rest = frozenset(pair for pair in self.values if pair[0] != name)
        return Key(self.counted, rest if value is None else rest | {(name, value)})

    def value(self, name: str) -> str | None:
        """Return the value of an attribute; None for all of them."""
        return next((value for one, value in self.values if one == name), None)

    @property
    def names(self) -> "Names":
        """The attributes of which it has a value."""
        return frozenset(name for name, _ in self.values)

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}".lstrip() for name, value in sorted(self.values)) or "total"


@dataclass(frozen=True, eq=False)
class Equations:
    """Unknown counts with limits, and sums of them that are known.

    Row ``r`` has the cells ``cells[offsets[r]:offsets[r + 1]]``, each with a factor; their sum is 0. Where a row says
    that a total is the sum of its parts, the total comes first. ``ratios`` are shares of one cell in another. Each of
    ``cliques`` is a set of cells of which a person is in one, and ``shared`` are the cells that several of them have in
    common. ``doubts`` say what is not in the equations, though a reader may know it.
    """

    keys: tuple[Key, ...]
    low: Numbers
    high: Numbers
    states: NDArray[np.uint8]
    places: tuple[Place | None, ...]
    offsets: Numbers
    cells: Numbers
    factors: Numbers
    ratios: tuple[tuple[int, int, Ratio], ...] = ()
    cliques: tuple[tuple[int, ...], ...] = ()
    shared: tuple[int, ...] = ()
    doubts: tuple[str, ...] = ()

    @cached_property
    def index(self) -> dict[Key, int]:
        """The number of each cell."""
        return {key: number for number, key in enumerate(self.keys)}

    @cached_property
    def users(self) -> tuple[Numbers, Numbers]:
        """The rows that each cell is in: where those of a cell begin, and their numbers."""
        order = np.argsort(self.cells, kind="stable")
        offsets = np.zeros(len(self.keys) + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.cells, minlength=len(self.keys)), out=offsets[1:])
        return offsets, self.row_numbers[order]

    @cached_property
    def row_numbers(self) -> Numbers:
        """The row of each entry."""
        return np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets))

    def row(self, number: int) -> Iterator[tuple[int, int]]:
        """Yield the cells of a row, each with its factor."""
        part = slice(self.offsets[number], self.offsets[number + 1])
        return zip(self.cells[part].tolist(), self.factors[part].tolist(), strict=True)


def list_equations(counts: Counts, *, is_linked: bool = True, is_joined: bool = False) -> Equations:
    """Return the cells of all tables, each once, and every sum that holds between them.

    A total is the sum of its parts: of the next tables with more attributes, value by value, and of the values
    directly below it in a hierarchy (section 3.3 of the theory on tables). If they are ``linked``, what two tables of
    the same people share has the same counts in both, listed or not: at least their total. If they are ``joined``,
    there is a table over all attributes. Attributes of which a person may have several values add up to nothing.

    >>> from discreet.data.counts import Cell
    >>> cells = (Cell((None,), 180, 180), Cell(("f",), 177, 177), Cell(("m",), 1, 10, State.MASKED))
    >>> found = list_equations(Counts((Table("by sex", (Dimension("sex", ("f", "m")),), cells),)))
    >>> [str(key) for key in found.keys], list(found.row(0))
    (['total', 'sex f', 'sex m'], [(0, 1), (1, -1), (2, -1)])
    """
    builder = _Builder()
    for table in counts.tables:
        builder.take(table)
    rests, more = list_rests(counts), list[Table]()
    if is_linked:
        more += builder.compare_attributes(list(rests))
    for counted in [*builder.listed]:
        own = [table for table in counts.tables if table.counted == counted]
        more += builder.join(counted, own, is_forced=is_joined)
        more += builder.share(counted, own) if is_linked else []
    known = -1
    while known < len(builder.index):  # a sum may add cells that are parts of others
        known = len(builder.index)
        for table in (*counts.tables, *more):
            for names in sorted(builder.shown[table.name], key=lambda names: (len(names), sorted(names))):
                builder.add_sums(table, names)
    for (counted, wider), rest in rests.items():
        builder.compare(counted, wider, rest)
        for one, other in product(counts.tables, counts.tables):
            if (one.counted, other.counted) == (counted, wider):
                builder.compare_sums(one, other, rest)
    return builder.build({(counted, rest) for (counted, _), rest in rests.items()})


def list_rests(counts: Counts) -> dict[tuple[str, str], str]:
    """Return what the rest is called of those who count others among them: these, those that count these, and so on.

    >>> tables = (Table("a", (), ()), Table("b", (), (), "adults", within="people", rest="children"))
    >>> list_rests(Counts((*tables, Table("c", (), (), "women", within="adults"))))  # doctest: +NORMALIZE_WHITESPACE
    {('adults', 'people'): 'children', ('women', 'adults'): 'adults other than women',
     ('women', 'people'): 'people other than women'}
    """
    tables = {one.counted: one for one in counts.tables if one.within is not None}
    found = dict[tuple[str, str], str]()
    for counted, table in tables.items():
        wider, rest = table.within, table.rest
        while wider is not None and (counted, wider) not in found:
            found[counted, wider] = rest or f"{wider} other than {counted}"
            wider, rest = tables[wider].within if wider in tables else None, ""
    return found


class _Builder:
    """Collects cells and rows."""

    def __init__(self) -> None:
        self.index: dict[Key, int] = {}
        self.low: list[int] = []
        self.high: list[int] = []
        self.states: list[State] = []
        self.places: list[Place | None] = []
        self.rows: dict[tuple[tuple[int, int], ...], None] = {}
        self.ratios: list[tuple[int, int, Ratio]] = []
        self.listed: dict[str, set[Names]] = {}  # of what is counted: the attributes of listed cells
        self.shown: dict[str, set[Names]] = {}  # the same of each table
        self.doubts: list[str] = []
        self.shared: list[tuple[str, Names]] = []
        self.parts = 0
        self.by_names: dict[tuple[str, Names], list[Key]] = {}
        self.dimensions: dict[str, list[Dimension]] = {}

    def take(self, table: Table) -> None:
        """Add the cells of a table; one that another table has too must not contradict it."""
        listed, shown = self.listed.setdefault(table.counted, set()), self.shown.setdefault(table.name, set())
        for one in table.dimensions:
            self.dimensions.setdefault(one.name, []).append(one)
        for cell in table.cells:
            key = Key(table.counted, name_values(table.names, cell.at))
            shown.add(key.names)
            if key in self.index:
                self._merge(self.index[key], cell)
            else:
                self._add(key, cell.low, cell.high, cell.state, cell.place)
        if table.absent is not None:  # then even a table of nothing says something
            shown.add(frozenset(table.names))
        listed |= shown
        for ratio in table.ratios:
            part, whole = (Key(table.counted, name_values(table.names, at)) for at in ratio[:2])
            self.ratios.append((self._find(part), self._find(whole), ratio))

    def compare_attributes(self, pairs: Sequence[tuple[str, str]]) -> Iterator[Table]:
        """Yield a table for each set of attributes that those who are counted lack, but that others among them have.

        The numbers of the ones are limits of those of the others, listed or not.
        """
        listed = [pair for pair in pairs if self.listed.keys() >= {*pair}]
        wanted, known = {one: {*self.listed[one]} for pair in listed for one in pair}, -1
        while known < (known := sum(map(len, wanted.values()))):
            for one, other in listed:
                wanted[one] |= wanted[other]
                wanted[other] |= wanted[one]
        for counted, sets in wanted.items():
            for names in sorted(take_largest(sets) - self.listed[counted], key=sorted):
                dimensions = [self._combine(name) for name in sorted(names)]
                many = prod(len(one.children(None)) + len(one.parents) for one in dimensions)
                if many > MOST_JOINT:
                    self.doubts.append(NOT_JOINED)
                    continue
                table = Table(f"compared {counted} {sorted(names)}", tuple(dimensions), (), counted, (0, UNKNOWN))
                self.shown[table.name] = {names}
                self.listed[counted].add(names)
                yield table

    def _combine(self, name: str) -> Dimension:
        """Return an attribute with its values in all tables."""
        first, *others = self.dimensions[name]
        return replace(first, values=tuple(dict.fromkeys(value for one in (first, *others) for value in one.values)))

    def join(self, counted: str, tables: Sequence[Table], *, is_forced: bool) -> Iterator[Table]:
        """Yield a table over all attributes that listed ones combine in a circle: there must be people for all of them.

        Without circles, people who fit two tables alone fit both together. If it ``is_forced``, all attributes are
        combined, whether in a circle or not.
        """
        core = frozenset[str]().union(*self.listed[counted]) if is_forced else find_circle(self.listed[counted])
        dimensions = {one.name: one for table in tables for one in table.dimensions if one.name in core}
        if not core or core in self.listed[counted]:
            return
        many = prod(len(one.children(None)) + len(one.parents) for one in dimensions.values())
        if many > MOST_JOINT or any(one.overlapping for one in dimensions.values()):
            self.doubts.append(NOT_JOINED)
            return
        joint = Table(f"joint {counted}", tuple(dimensions.values()), (), counted, (0, UNKNOWN))
        self.shown[joint.name] = {core}
        self.listed[counted].add(core)
        yield joint

    def share(self, counted: str, tables: Sequence[Table]) -> Iterator[Table]:
        """Yield a table for each set of attributes that listed ones have in common, but that is not listed itself.

        All tables of the same people have the same counts of it; without any attribute, that is their total.
        """
        listed = self.listed[counted]
        shared = tops = take_largest(listed)
        known = 0
        while known < len(shared):
            known = len(shared)
            shared = shared | {one & other for one, other in product(tops, shared)}
            if len(shared) > MOST_SHARED + len(tops):
                raise _refuse_size()
        for names in sorted(shared - listed, key=lambda names: (len(names), sorted(names))):
            dimensions = {one.name: one for table in tables for one in table.dimensions if one.name in names}
            for name, one in dimensions.items():
                values = dict.fromkeys(value for other in self.dimensions[name] for value in other.values)
                dimensions[name] = replace(one, values=tuple(values))
            wider = [some for (own, other), some in self.by_names.items() if own == counted and names < other]
            table = Table(f"shared {counted} {sorted(names)}", tuple(dimensions.values()), (), counted)
            self.shown[table.name] = {names}
            for key in [*chain.from_iterable(wider)]:
                self._find(Key(counted, frozenset(pair for pair in key.values if pair[0] in names)))
            yield table
        listed |= shared
        self.shared += [(counted, names) for names in shared - tops]

    def _merge(self, number: int, cell: Cell) -> None:
        low, high = max(self.low[number], cell.low), min(self.high[number], cell.high)
        if low > high:
            where = " and ".join(str(place) for place in (self.places[number], cell.place) if place is not None)
            raise InputError(f"two tables disagree about the same count{f' ({where})' * bool(where)}; correct one")
        self.low[number], self.high[number] = low, high
        self.states[number] = min(self.states[number], cell.state)

    def _add(self, key: Key, low: int, high: int, state: State, place: Place | None = None) -> int:
        if len(self.index) >= MOST_CELLS:
            raise _refuse_size()
        self.index[key] = len(self.low)
        self.low.append(low)
        self.high.append(high)
        self.states.append(state)
        self.places.append(place)
        self.by_names.setdefault((key.counted, key.names), []).append(key)
        return self.index[key]

    def _find(self, key: Key, limits: Limits | None = None) -> int:
        """Return the number of a cell; one that no table has is added, with limits if it was left out of one."""
        known = self.index.get(key)
        if known is not None:
            return known
        if limits is None or any(value == UNLISTED for _, value in key.values):
            return self._add(key, 0, UNKNOWN, State.UNPUBLISHED)
        return self._add(key, *limits, State.ABSENT)

    def add_sums(self, table: Table, names: Names) -> None:
        """Add the sums that lead to the cells of a table with these attributes, from cells with fewer of them."""
        dimensions = [one for one in table.dimensions if one.name in names]
        summable = {one.name for one in dimensions if not one.overlapping}
        listed = self.listed[table.counted]
        for fewer in sorted(listed, key=sorted):
            is_near = fewer < names and not any(fewer < other < names for other in listed)
            if is_near and names - fewer <= summable:
                missing = [one for one in dimensions if one.name not in fewer]
                keys = list(self.by_names.get((table.counted, fewer), ()))
                self.parts += len(keys) * prod(len(one.children(None)) for one in missing)
                if self.parts > MOST_PARTS:
                    raise _refuse_size()
                for key in keys:
                    self._add_total(key, missing, dimensions, table.absent)
        deep = [one for one in dimensions if one.parents and not one.overlapping]
        known = self.by_names[table.counted, names] if deep else []
        for key in known:  # which grows meanwhile
            for one in deep:
                below = [key.with_value(one.name, value) for value in one.children(key.value(one.name))]
                self._add_parts(key, below, deep, table.absent)

    def _add_total(
        self, key: Key, missing: Sequence[Dimension], dimensions: Sequence[Dimension], absent: Limits | None
    ) -> None:
        """Say that a count is the sum over all values of the attributes that it lacks."""
        names = [one.name for one in missing]
        below = [
            Key(key.counted, key.values.union(zip(names, values, strict=True)))
            for values in product(*(one.children(None) for one in missing))
        ]
        self._add_parts(key, below, dimensions, absent)

    def _add_parts(self, key: Key, below: Sequence[Key], deep: Sequence[Dimension], absent: Limits | None) -> None:
        """Say that a count is the sum of others, if anything is known about these."""
        if below and (absent is not None or any(self._is_known(one, deep) for one in below)):
            parts = ((self._find(one, absent), -1) for one in below)
            self.rows.setdefault(((self.index[key], 1), *parts))

    def _is_known(self, key: Key, deep: Sequence[Dimension]) -> bool:
        """Return whether a cell is listed, or one below it."""
        below = (key.with_value(one.name, value) for one in deep for value in one.children(key.value(one.name)))
        return key in self.index or any(self._is_known(one, deep) for one in below)

    def compare(self, counted: str, wider: str, rest: str) -> None:
        """Say that those who are counted are among others: the rest of these is a count of its own.

        Where the wider tables lack an attribute, only a value that no table lists is compared: if nobody has it there,
        nobody has it here.
        """
        listed = self.listed.get(wider, set())
        for key in [key for key in self.index if key.counted == counted]:
            shared = [names for names in listed if names <= key.names]
            names = max(shared, key=lambda one: (len(one), sorted(one)), default=frozenset())
            whole = Key(wider, frozenset(pair for pair in key.values if pair[0] in names))
            is_unlisted = any(value == UNLISTED for _, value in whole.values)
            if whole in self.index and (names == key.names or is_unlisted):
                others = self._find(Key(rest, key.values))
                self.rows.setdefault(((self.index[whole], 1), (self.index[key], -1), (others, -1)))

    def compare_sums(self, one: Table, other: Table, rest: str) -> None:
        """Say the same of two tables that share attributes, but of which not both list totals of these."""
        shared = frozenset(one.names) & frozenset(other.names)
        if shared in self.listed[one.counted] and shared in self.listed[other.counted]:
            return
        mine, whole = (self._group(table, shared) for table in (one, other))
        for values in (values for values in mine if values in whole):
            cells = [(cell, -1) for cell in (*mine[values], self._find(Key(rest, values)))]
            self.rows.setdefault((*((cell, 1) for cell in whole[values]), *cells))

    def _group(self, table: Table, shared: Names) -> dict[Values, list[int]]:
        """Return the cells of a table by their values of shared attributes; none if the others do not add up."""
        others, found = [one for one in table.dimensions if one.name not in shared], dict[Values, list[int]]()
        if any(one.overlapping for one in others):
            return found
        fixed = [one for one in table.dimensions if one.name in shared]
        for values in product(*(one.values for one in fixed)):
            at = frozenset(zip((one.name for one in fixed), values, strict=True))
            keys = [
                Key(table.counted, at | {*zip((one.name for one in others), rest, strict=True)})
                for rest in product(*(one.children(None) for one in others))
            ]
            if any(key in self.index for key in keys):
                found[at] = [self._find(key, table.absent) for key in keys]
        return found

    def build(self, rests: Iterable[tuple[str, str]]) -> Equations:
        """Return all that was collected; those who are counted and their rest are no two people twice either."""
        sizes = np.array([len(row) for row in self.rows], dtype=np.int64)
        offsets = np.zeros(sizes.size + 1, dtype=np.int64)
        np.cumsum(sizes, out=offsets[1:])
        flat = np.array([pair for row in self.rows for pair in row], dtype=np.int64).reshape(-1, 2)
        low, high = (np.array(ends, dtype=np.int64) for ends in (self.low, self.high))
        return Equations(
            tuple(self.index),
            low,
            high,
            np.array(self.states, dtype=np.uint8),
            tuple(self.places),
            offsets,
            np.ascontiguousarray(flat[:, 0]),
            np.ascontiguousarray(flat[:, 1]),
            tuple(self.ratios),
            tuple(self._list_cliques([*rests])),
            tuple(self.index[key] for names in self.shared for key in self.by_names.get(names, ())),
            tuple(self.doubts),
        )

    def _list_cliques(self, rests: Sequence[tuple[str, str]]) -> Iterator[tuple[int, ...]]:
        """Yield the cells of each largest set of attributes that are not sums of others; a person is in one at most.

        Of an attribute of which people may have several values, those with each value are a set of their own.
        """
        every = [(name, one) for name, own in self.dimensions.items() for one in own]
        below = {(name, one.parents[child]): set[str]() for name, one in every for child in one.parents}
        for name, one in every:
            for child, parent in one.parents.items():
                below[name, parent].add(child)
        several = {name for name, one in every if one.overlapping}
        people = dict.fromkeys((counted,) for counted, _ in self.by_names)
        for some in (*people, *rests):
            known = {names for counted, names in self.by_names if counted in some}
            for names in sorted(take_largest(known), key=sorted):
                found = dict[Values, list[int]]()
                for key in (key for one in some for key in self.by_names.get((one, names), ())):
                    smaller = (key.with_value(pair[0], child) for pair in key.values for child in below.get(pair, ()))
                    if not any(one in self.index for one in smaller):
                        apart = frozenset(pair for pair in key.values if pair[0] in several)
                        found.setdefault(apart, []).append(self.index[key])
                yield from map(tuple, found.values())


def _refuse_size() -> BudgetError:
    many = f"the tables have more than {MOST_CELLS:,} cells with all their totals"
    return BudgetError(f"{many}; judge fewer attributes at a time, and leave others out with ", Option("drop"))


def take_largest(every: Iterable[Names]) -> set[Names]:
    """Return the sets of attributes that are within no other one."""
    own = {*every}
    return {names for names in own if not any(names < other for other in own)}


def find_circle(patterns: Iterable[Names]) -> Names:
    """Return the attributes that sets of them combine in a circle; none if the sets form an acyclic hypergraph.

    An attribute of one set alone, and a set within another, are in no circle (Graham; Yu and Ozsoyoglu).

    >>> sorted(find_circle(map(frozenset, ["ab", "bc", "ac", "cd"]))), sorted(find_circle(map(frozenset, ["ab", "bc"])))
    (['a', 'b', 'c'], [])
    """
    left = {*patterns}
    while True:
        single = {name for names in left for name in names if sum(name in other for other in left) == 1}
        cut = take_largest(names - single for names in left)
        if cut == left:
            return frozenset[str]().union(*left) if len(left) > 1 else frozenset()
        left = cut
