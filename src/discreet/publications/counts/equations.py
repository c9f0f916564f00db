"""Equations: how the counts of linked tables add up."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, product
from math import prod
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.counts import (
    UNKNOWN,
    UNLISTED,
    WITHOUT,
    Cell,
    Counts,
    Dimension,
    Place,
    Ratio,
    State,
    Table,
    Values,
    name_values,
    say_value,
)
from discreet.errors import BudgetError, InputError, Option
from discreet.publications.counts.populations import Populations
from discreet.runtime.solver import Numbers

Limits: TypeAlias = tuple[int, int]
Names: TypeAlias = frozenset[str]
Shared: TypeAlias = tuple[str, Names]  # who is counted by tables, and the attributes that these have in common
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
        return ", ".join(f"{name} {value}".lstrip() for name, value in self.said.items()) or "total"

    @property
    def said(self) -> dict[str, str]:
        """Its values in words, by attribute."""
        return {name: say_value(value) for name, value in sorted(self.values)}


@dataclass(frozen=True, eq=False)
class Equations:
    """Unknown counts with limits, and sums of them that are known.

    Row ``r`` has the cells ``cells[offsets[r]:offsets[r + 1]]``, each with a factor; their sum is 0. Where a row says
    that a total is the sum of its parts, the total comes first. ``ratios`` are shares of one cell in another. Each of
    ``cliques`` is a set of cells of which a person is in one, and ``shared`` are the cells that several of them have in
    common, by their attributes. ``doubts`` say what is not in the equations, though a reader may know it. ``boxes`` are
    the cells with the values of all attributes, those too that tell who is counted among others.
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
    shared: Mapping[Shared, tuple[int, ...]] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    boxes: tuple[Key, ...] = ()

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


def list_equations(counts: Counts, *, is_linked: bool = True, joins: Collection[Shared] = ()) -> Equations:
    """Return the cells of all tables, each once, and every sum that holds between them.

    A total is the sum of its parts: of the next tables with more attributes, value by value, and of the values
    directly below it in a hierarchy (section 3.3 of the theory on tables). If they are ``linked``, what two tables of
    the same people share has the same counts in both, listed or not: at least their total. Where what they share is
    in ``joins``, there is a table over the attributes of both. Of an attribute of which a person may have several
    values, each value and those who lack it add up.

    >>> from discreet.data.counts import Cell
    >>> cells = (Cell((None,), 180, 180), Cell(("f",), 177, 177), Cell(("m",), 1, 10, State.MASKED))
    >>> found = list_equations(Counts((Table("by sex", (Dimension("sex", ("f", "m")),), cells),)))
    >>> [str(key) for key in found.keys], list(found.row(0))
    (['total', 'sex f', 'sex m'], [(0, 1), (1, -1), (2, -1)])
    """
    everyone = Populations(counts.tables)
    builder = _Builder(everyone)
    for table in everyone.tables:
        builder.take(table)
    more = list[Table]()
    for counted in [*builder.listed]:
        own = [table for table in everyone.tables if table.counted == counted]
        builder.several[counted] = builder.find_several(counted)
        more += builder.join(counted, own, {names for one, names in joins if one == counted})
        more += builder.share(counted, own) if is_linked else []
    known = -1
    while known < len(builder.index):  # a sum may add cells that are parts of others
        known = len(builder.index)
        for table in (*everyone.tables, *more):
            for names in sorted(builder.shown[table.name], key=lambda names: (len(names), sorted(names))):
                builder.add_sums(table, names)
    return builder.build()


class _Builder:
    """Collects cells and rows."""

    def __init__(self, everyone: Populations) -> None:
        self.everyone = everyone
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
        self.shared: list[Shared] = []
        self.several: dict[str, Names] = {}  # of what is counted: attributes with values of which people may have some
        self.parts = 0
        self.own: dict[str, Values] = {}  # of each table: who is counted, by values of attributes
        self.by_names: dict[tuple[str, Names], list[Key]] = {}
        self.dimensions: dict[str, list[Dimension]] = {}

    def take(self, table: Table) -> None:
        """Add the cells of a table; one that another table has too must not contradict it."""
        listed, shown = self.listed.setdefault(table.counted, set()), self.shown.setdefault(table.name, set())
        for one in table.dimensions:
            self.dimensions.setdefault(one.name, []).append(one)
        self.own[table.name] = self.everyone.own(table)
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

    def find_several(self, counted: str) -> Names:
        """Return the attributes of which people may have several values, but for those that every count has a value of.

        What is counted of people with one such value, and what of those with another, says nothing about each other.
        """
        every = [one for own in self.dimensions.values() for one in own]
        often = Counter(name for name, _ in {(one.name, value) for one in every for value in one.values})
        always = frozenset(self.dimensions).intersection(*self.listed[counted])
        return frozenset(one.name for one in every if one.overlapping and often[one.name] > 1) - always

    def join(self, counted: str, tables: Sequence[Table], shared: Collection[Names]) -> Iterator[Table]:
        """Yield a table over all attributes that listed ones combine in a circle: there must be people for all of them.

        Without circles, people who fit two tables alone fit both together. Two tables are combined as well if what
        they have in common is among the ``shared``. Values of which people may have several are attributes of their
        own, with which two tables are a circle, or one with two such attributes: this is not combined.
        """
        tops = take_largest(self.listed[counted])
        yield from self._combine(counted, tables, [find_circle(self.listed[counted])])
        yield from self._combine(counted, tables, unite(tops.union(shared), shared))
        several = {top: top & self.several[counted] for top in tops}
        often = Counter(chain.from_iterable(several.values()))
        is_open = any(own and top - own in shared for top, own in several.items())
        if is_open or max(often.values(), default=0) > 1 or any(len(own) > 1 for own in several.values()):
            self.doubts.append(NOT_JOINED)

    def _combine(self, counted: str, tables: Sequence[Table], cores: Iterable[Names]) -> Iterator[Table]:
        """Yield a table for each of some sets of attributes that is not listed itself."""
        for core in filter(None, cores):
            dimensions = {one.name: one for table in tables for one in table.dimensions if one.name in core}
            dimensions = {name: self._combine_values(one) for name, one in dimensions.items()}
            many = prod(len(one.children(None)) + len(one.parents) for one in dimensions.values())
            if many > MOST_JOINT or any(one.overlapping for one in dimensions.values()):
                self.doubts.append(NOT_JOINED)
                return
            joint = Table(f"joint {counted} {sorted(core)}", tuple(dimensions.values()), (), counted, (0, UNKNOWN))
            self.shown[joint.name] = {core}
            self.listed[counted].add(core)
            yield joint

    def share(self, counted: str, tables: Sequence[Table]) -> Iterator[Table]:
        """Yield a table for each set of attributes that listed ones have in common, but that is not listed itself.

        All tables of the same people have the same counts of it; without any attribute, that is their total. So have
        those who are counted among others, and these.
        """
        listed = self.listed[counted]
        shared = tops = take_largest(listed)
        known, several = 0, self.several[counted]
        while known < len(shared):
            known = len(shared)
            shared = shared | {one & other for one, other in product(tops, shared)}
            shared = shared | {names - several for names in shared}
            if len(shared) > MOST_SHARED + len(tops):
                raise _refuse_size()
        among = self._list_among(listed | shared)
        for names in sorted((shared | among) - listed, key=lambda names: (len(names), sorted(names))):
            dimensions = {one.name: one for table in tables for one in table.dimensions if one.name in names}
            dimensions = {name: self._combine_values(one) for name, one in dimensions.items()}
            wider = [some for (own, other), some in self.by_names.items() if own == counted and names < other]
            table = Table(f"shared {counted} {sorted(names)}", tuple(dimensions.values()), (), counted)
            self.shown[table.name] = {names}
            for key in [*chain.from_iterable(wider)]:
                self._find(Key(counted, frozenset(pair for pair in key.values if pair[0] in names)))
            yield table
        listed |= shared | among
        self.shared += [(counted, names) for names in shared - tops]

    def _list_among(self, listed: set[Names]) -> set[Names]:
        """Return listed attributes with and without those that tell who is counted among others, where both are."""
        who = {names: names.intersection(self.everyone.dimensions) for names in listed}
        pairs = [(names, own) for names, own in who.items() if own]
        return {some for one in listed for names, own in pairs if one - own <= names for some in (one - own, one | own)}

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

    def _find(self, key: Key, table: Table | None = None) -> int:
        """Return the number of a cell; one that no table has is added, with limits if it was left out of this one."""
        known = self.index.get(key)
        if known is not None:
            return known
        if table is None or table.absent is None or not self._may_list(table, key):
            return self._add(key, 0, UNKNOWN, State.UNPUBLISHED)
        return self._add(key, *table.absent, State.ABSENT)

    def _may_list(self, table: Table, key: Key) -> bool:
        """Return whether a table has left out a count, and does not only lack its value, or who it counts."""
        return self._is_own(table, key) and all(value != UNLISTED and WITHOUT not in value for _, value in key.values)

    def _is_own(self, table: Table, key: Key) -> bool:
        """Return whether a table counts those who are counted, and no others."""
        own = self.own.get(table.name)
        return own is None or own == frozenset(pair for pair in key.values if pair[0] in self.everyone.dimensions)

    def _combine_values(self, one: Dimension) -> Dimension:
        """Return an attribute with its values in all tables."""
        every = self.dimensions[one.name]
        return replace(
            one,
            values=tuple(dict.fromkeys(value for other in every for value in other.values)),
            parents={value: parent for other in every for value, parent in other.parents.items()},
            unions={value: parts for other in every for value, parts in other.unions.items()},
        )

    def add_sums(self, table: Table, names: Names) -> None:
        """Add the sums that lead to the cells of a table with these attributes, from cells with fewer of them."""
        dimensions = [one for one in table.dimensions if one.name in names]
        several = names & self.several[table.counted]
        summable = names if len(several) <= 1 else names - several  # there is a doubt about these
        listed = self.listed[table.counted]
        for fewer in sorted(listed, key=sorted):
            is_near = fewer < names and not any(fewer < other < names for other in listed)
            if is_near and names - fewer <= summable:
                missing = [one for one in dimensions if one.name not in fewer]
                keys = list(self.by_names.get((table.counted, fewer), ()))
                self.parts += len(keys) * prod(sum(map(len, one.list_divisions(None))) for one in missing)
                if self.parts > MOST_PARTS:
                    raise _refuse_size()
                own = [self._combine_values(one) if one.cut else one for one in missing]
                others = [self._combine_values(one) for one in missing] if self.own.get(table.name) else own
                for key in keys:
                    self._add_total(key, own if self._is_own(table, key) else others, dimensions, table)
        deep = [one for one in dimensions if (one.parents or one.unions) and one.name in summable]
        known = self.by_names[table.counted, names] if deep else []
        for key in known:  # which grows meanwhile
            for one in deep:
                value = key.value(one.name)
                for division in one.list_divisions(value):
                    self._add_parts(key, [key.with_value(one.name, child) for child in division], deep, table)
                for union, parts in one.unions.items():
                    if parts[0] == value:
                        self._find(key.with_value(one.name, union))

    def _add_total(self, key: Key, missing: Sequence[Dimension], dimensions: Sequence[Dimension], table: Table) -> None:
        """Say that a count is the sum over all values of the attributes that it lacks."""
        names = [one.name for one in missing]
        for divisions in product(*(one.list_divisions(None) for one in missing)):
            every = (zip(names, values, strict=True) for values in product(*divisions))
            below = [Key(key.counted, key.values.union(values)) for values in every]
            self._add_parts(key, below, dimensions, table)

    def _add_parts(self, key: Key, below: Sequence[Key], deep: Sequence[Dimension], table: Table) -> None:
        """Say that a count is the sum of others, if anything is known about these."""
        if below and (table.absent is not None or any(self._is_known(one, deep) for one in below)):
            parts = ((self._find(one, table), -1) for one in below)
            self.rows.setdefault(((self.index[key], 1), *parts))

    def _is_known(self, key: Key, deep: Sequence[Dimension]) -> bool:
        """Return whether a cell is listed, or one below it."""
        below = (key.with_value(one.name, value) for one in deep for value in one.children(key.value(one.name)))
        return key in self.index or any(self._is_known(one, deep) for one in below)

    def build(self) -> Equations:
        """Return all that was collected."""
        sizes = np.array([len(row) for row in self.rows], dtype=np.int64)
        offsets = np.zeros(sizes.size + 1, dtype=np.int64)
        np.cumsum(sizes, out=offsets[1:])
        flat = np.array([pair for row in self.rows for pair in row], dtype=np.int64).reshape(-1, 2)
        low, high = (np.array(ends, dtype=np.int64) for ends in (self.low, self.high))
        refined = self._list_refined()
        cliques = [*self._list_cliques(refined)]
        # Sets of attributes that several others have in common, and those of which only some values are in larger ones.
        shared = dict.fromkeys((*self.shared, *(one for one, _ in cliques if refined[one])))
        seams = {one: [key for key in self.by_names.get(one, ()) if key in refined[one]] for one in shared}
        return Equations(
            tuple(Key(*self.everyone.name(*key)) for key in self.index),
            low,
            high,
            np.array(self.states, dtype=np.uint8),
            tuple(self.places),
            offsets,
            np.ascontiguousarray(flat[:, 0]),
            np.ascontiguousarray(flat[:, 1]),
            tuple(self.ratios),
            tuple(self._number(keys) for _, keys in cliques),
            {one: self._number(keys) for one, keys in seams.items()},
            tuple(dict.fromkeys(self.doubts)),
            tuple(self.index),
        )

    def _number(self, keys: Iterable[Key]) -> tuple[int, ...]:
        return tuple(self.index[key] for key in keys)

    def _list_refined(self) -> dict[Shared, set[Key]]:
        """Return the cells with each set of attributes that are sums of cells with more of them."""
        refined = dict[Shared, set[Key]]()
        for counted, names in self.by_names:
            wider = [keys for (one, more), keys in self.by_names.items() if one == counted and names < more]
            refined[counted, names] = {
                Key(counted, frozenset(pair for pair in key.values if pair[0] in names))
                for keys in wider
                for key in keys
            }
        return refined

    def _list_atoms(self) -> dict[Shared, dict[Values, list[Key]]]:
        """Return the cells with each set of attributes that are not sums of others with these; a person is in one.

        Of an attribute of which people may have several values, each value is a set of its own, with those who lack it.
        """
        below, lines = defaultdict[tuple[str, str], set[str]](set), defaultdict[tuple[str, str], set[str]](set)
        for one in chain.from_iterable(self.dimensions.values()):
            for value in (*one.parents.values(), *one.unions):
                below[one.name, value].update(one.children(value))
            for value in (*one.values, *one.parents.values()) if one.overlapping else ():
                lines[one.name, value].add(value)
                for above in one.climb(value):
                    lines[one.name, one.name_others(above)].add(value)
        every = dict[Shared, dict[Values, list[Key]]]()
        for shared, keys in self.by_names.items():
            found = every.setdefault(shared, {})
            for key in keys:
                smaller = (key.with_value(pair[0], child) for pair in key.values for child in below.get(pair, ()))
                if not any(one in self.index for one in smaller):
                    single = [pair for pair in key.values if pair in lines]
                    for values in product(*(sorted(lines[pair]) for pair in single)):
                        line = frozenset((name, value) for (name, _), value in zip(single, values, strict=True))
                        found.setdefault(line, []).append(key)
            every[shared] = {line: some for line, some in found.items() if any(line <= key.values for key in some)}
        return every

    def _list_cliques(self, refined: Mapping[Shared, set[Key]]) -> Iterator[tuple[Shared, list[Key]]]:
        """Yield cells of which a person is in one at most, by their attributes, unless all are sums of others.

        A set of attributes within another one counts if some of its cells are no sums of cells of the other.
        """
        for shared, found in sorted(self._list_atoms().items(), key=lambda one: (one[0][0], sorted(one[0][1]))):
            yield from ((shared, keys) for keys in found.values() if not refined[shared].issuperset(keys))


def name_among(keys: Iterable[Key]) -> Callable[[Key], str]:
    """Return how to name counts among others; if several things are counted, with what each counts."""
    if len({key.counted for key in keys}) <= 1:
        return str
    return lambda key: ", ".join(filter(None, [key.counted, str(key) * bool(key.values)]))


def _refuse_size() -> BudgetError:
    many = f"the tables have more than {MOST_CELLS:,} cells with all their totals"
    return BudgetError(f"{many}; judge fewer attributes at a time, and leave others out with ", Option("drop"))


def take_largest(every: Iterable[Names]) -> set[Names]:
    """Return the sets of attributes that are within no other one."""
    own = {*every}
    return {names for names in own if not any(names < other for other in own)}


def unite(sets: Iterable[Names], shared: Collection[Names]) -> Iterator[Names]:
    """Yield the attributes of sets of which each has in common with another one what is among the ``shared``.

    >>> sorted(map(sorted, unite(map(frozenset, ["ab", "bc", "cd", "e"]), {frozenset("b")})))
    [['a', 'b', 'c']]
    """
    left = sorted(sets, key=sorted)
    while left:
        group = [left.pop()]
        for one in group:  # which grows meanwhile
            group += [other for other in left if one & other in shared]
            left = [other for other in left if one & other not in shared]
        if len(group) > 1:
            yield frozenset[str]().union(*group)


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
