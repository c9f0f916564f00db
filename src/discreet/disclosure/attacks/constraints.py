"""Systems: the kinds of rows that facts allow over some items, and linear limits on their numbers.

Itemsets and rows are whole numbers here, one bit per item. Conclusions over some of the items hold for all: fewer items
leave more databases possible, so no false inference arises.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.transactions import Rows
from discreet.disclosure.attacks.facts import Balance, Codes, Facts
from discreet.disclosure.channels import places
from discreet.errors import BudgetError, InconsistencyError
from discreet.runtime.solver import Floats, Program, Terms, list_entries

Bits: TypeAlias = int  # an itemset or a row, with a bit for each item
Count = TypeVar("Count", int, float)  # rows; fractional in a mean of databases

MOST_ROWS: Final = 1 << 53  # that a solver, which uses floats, counts exactly
LONGEST: Final = 20  # items of a top whose cells are all listed
LONGEST_LISTED: Final = 12  # the same if supports are listed one by one, perhaps as limits
KINDS: Final = 1 << 11  # possible kinds of rows of a system
WORD: Final = 63  # bits of a whole number in an array


class Limit(NamedTuple):
    """From ``low`` to ``high`` rows hold an itemset."""

    itemset: Bits
    low: int
    high: int


class Ground:
    """Facts with a bit for each item of a listed itemset; the facts say nothing about other items.

    Callers who ask about other items name them as ``others``.
    """

    def __init__(self, facts: Facts, others: Codes = frozenset()) -> None:
        """Give each item its place, in the order of the codes."""
        self.facts = facts
        self.items: tuple[int, ...] = tuple(sorted(others.union(*facts.tops)))
        self.bit = {item: 1 << place for place, item in enumerate(self.items)}
        self.everything: Bits = (1 << len(self.items)) - 1
        self.tops = tuple(map(self.bits, facts.tops))
        groups = (self.bits(group & self.bit.keys()) for group in facts.schema)
        self.groups = tuple(group for group in groups if group.bit_count() > 1)  # no row holds two of a group
        self.balances = tuple(relation.recode(self.bits) for relation in facts.relations)
        self._parts: dict[Bits, list[Bits]] = {}

    @cached_property
    def known(self) -> tuple[Bits, ...]:
        """The tops below which every support is known exactly; all of them, unless only limits are published."""
        return tuple(top for top in self.tops if top in self._tables)

    @cached_property
    def listed(self) -> tuple[Limit, ...]:
        """The limits of listed itemsets outside the known tops."""
        if self.facts.inherited:
            return ()
        return tuple(limit for limit in self.every if not any(limit.itemset & ~top == 0 for top in self.known))

    @cached_property
    def every(self) -> tuple[Limit, ...]:
        """The limits of all listed itemsets."""
        return tuple(sorted(Limit(self.bits(itemset), *limits) for itemset, limits in self.facts.listed.items()))

    def bits(self, items: Iterable[int]) -> Bits:
        """Return items as bits."""
        return sum(self.bit[item] for item in items)

    def list_universes(self, many: int) -> Iterator[Bits]:
        """Yield the tops, each with ``many`` other items in every way; with none, only tops with unknown cells."""
        for top in self.tops:
            if many or top not in self.known:
                yield from (top | more for more in self.list_more(top, many))

    def list_more(self, top: Bits, many: int) -> Iterator[Bits]:
        """Yield each choice of ``many`` other items than those of a top."""
        for chosen in combinations(places(self.everything & ~top), many):
            yield sum(1 << place for place in chosen)

    def count_universes(self, many: int) -> int:
        """Return how many there are."""
        beside = ((self.everything & ~top).bit_count() for top in self.tops if many or top not in self.known)
        return sum(comb(items, many) for items in beside)

    def codes(self, bits: Bits) -> Codes:
        """Return the items of bits."""
        return frozenset(self.items[place] for place in places(bits))

    def rows(self, rows: Rows) -> dict[Bits, int]:
        """Return the number of rows of each kind over these items."""
        bit = [self.bit.get(self.facts.code.get(label, -1), 0) for label in rows.labels]
        counts: Counter[Bits] = Counter()
        for codes, weight in zip(rows.itemsets, rows.weights.tolist(), strict=True):
            counts[sum(bit[item] for item in codes.tolist())] += weight
        counts[0] += rows.n - counts.total()
        return +counts

    def parts(self, universe: Bits) -> list[Bits]:
        """Return the widest itemsets within a universe whose cells are all known."""
        if universe not in self._parts:
            # A part of a closed itemset has a table if it is short.
            longest = LONGEST if self.facts.inherited else -1
            tops = [top for top in self.tops if top in self._tables or (top & universe).bit_count() <= longest]
            # If a top lies within, any other part must meet the rest.
            core = next((top for top in tops if not top & ~universe), 0)
            parts = find_widest([core, *(top & universe for top in tops if top & universe & ~core)])
            self._parts[universe] = parts or [0] * bool(tops)
        return self._parts[universe]

    def excludes(self, row: Bits) -> bool:
        """Return whether a row holds two items of a group."""
        return any((row & group).bit_count() > 1 for group in self.groups)

    def table(self, part: Bits) -> Mapping[Bits, int]:
        """Return the non-empty cells of an itemset within a known top, each with its number of rows."""
        if part not in self._tables:
            top = next((top for top in self.known if part & ~top == 0), None)
            self._tables[part] = (_count_cells(self, part) or {}) if top is None else project(self._tables[top], part)
        return self._tables[part]

    @cached_property
    def _tables(self) -> dict[Bits, Mapping[Bits, int]]:
        """The tables of the tops; those of smaller itemsets are added on demand."""
        longest = LONGEST if self.facts.inherited else LONGEST_LISTED
        tables = ((top, _count_cells(self, top)) for top in self.tops if top.bit_count() <= longest)
        return {top: table for top, table in tables if table is not None}


@dataclass(frozen=True, eq=False)
class System:
    """The possible ``rows`` over the items of ``universe``, and the limits on their numbers.

    All cells of ``parts`` are known; ``limits`` and ``balances`` are those of other itemsets.
    """

    ground: Ground
    universe: Bits
    rows: Sequence[Bits]
    parts: Sequence[Bits]
    limits: Sequence[Limit]
    balances: Sequence[Balance[Bits]] = ()

    @cached_property
    def kinds(self) -> NDArray[Any]:
        """The possible rows as an array."""
        return np.array(self.rows, dtype=np.int64 if self.universe.bit_length() < WORD else object)

    def program(self, *, whole: bool) -> Program:
        """Return the program whose columns are the numbers of rows of each kind."""
        program = Program()
        columns = program.add_columns(len(self.rows), whole=whole)
        for part in self.parts:
            table = self.ground.table(part)
            place = dict(zip(table, range(len(table)), strict=True))
            counts = np.array([*table.values()], dtype=np.float64)
            at = np.array([place[row & part] for row in self.rows], dtype=np.int64)
            program.add_rows(len(table), Terms(at, columns, np.ones(columns.size)), lower=counts, upper=counts)
        for itemset, low, high in self.limits:
            is_holding = self.kinds & itemset == itemset
            program.add_rows(1, list_entries(is_holding[None], columns), lower=low, upper=high)
        for balance in self.balances:
            counts = np.zeros(columns.size)
            for itemset, times in balance.times:
                counts[self.kinds & itemset == itemset] += times
            scale = max(abs(counts).max(initial=0), 1)  # solvers are exact for small numbers only
            program.add_rows(1, Terms(np.zeros_like(columns), columns, counts / scale), lower=balance.least / scale)
        return program

    def truth(self, over: Bits, cells: Iterable[Bits]) -> Floats:
        """Return for each possible row whether its items within ``over`` are one of the cells, as 0 or 1."""
        wanted = frozenset(cells)
        return np.array([row & over in wanted for row in self.rows], dtype=np.float64)

    def truths(self, conjunctions: Iterable[tuple[Bits, Bits]]) -> Floats:
        """Return the same for each conjunction: a line for the items that it mentions, and those that rows hold."""
        return np.array([self.kinds & over == cell for over, cell in conjunctions], dtype=np.float64)

    def counts(self, rows: Mapping[Bits, int]) -> Floats | None:
        """Return the number of rows of each kind, or None if one of them is impossible."""
        counts = project(rows, self.universe)
        if counts.keys() - self.rows:
            return None
        return np.array([counts.get(row, 0) for row in self.rows], dtype=np.float64)


def build_system(ground: Ground, universe: Bits, *, most: int) -> System:
    """Return the system over the items of ``universe``; refuse one of more than ``most`` possible rows.

    >>> supports = [(["a"], 3, 3), (["b"], 2, 2), (["a", "b"], 2, 2), (["c"], 1, 4)]
    >>> system = build_system(Ground(Facts.from_limits(supports, n=5)), 0b111, most=100)
    >>> [f"{row:03b}" for row in system.rows]
    ['000', '001', '011', '100', '101', '111']
    >>> system.limits
    [Limit(itemset=4, low=1, high=4)]
    """
    parts = ground.parts(universe)
    rows = _find_possible(ground, universe, parts, most)
    limits = [limit for limit in ground.listed if limit.itemset & ~universe == 0]
    balances = [one for one in ground.balances if not any(itemset & ~universe for itemset, _ in one.times)]
    return System(ground, universe, rows, parts, [*limits, *_limit_absent(ground, universe)], balances)


def widen_systems(ground: Ground, over: Bits, within: Bits) -> Iterator[System]:
    """Yield systems over ever more items: those of a pattern, then those of the nearest tops, one by one.

    The last has all items of ``within``, unless these are too many for a proof or allow too many kinds of rows.
    """
    system = build_system(ground, over, most=1 << LONGEST)
    yield system
    for top in sorted(ground.tops, key=lambda one: (-(one & over).bit_count(), (one & ~over).bit_count(), one)):
        for place in places(top & within & ~system.universe):
            if system.universe.bit_count() < LONGEST:
                try:
                    system = build_system(ground, system.universe | 1 << place, most=KINDS)
                except BudgetError:
                    continue
                yield system


def find_border(ground: Ground, universe: Bits) -> list[Bits]:
    """Return the smallest itemsets in a universe that lie within no top and that a row could hold."""
    missing = [universe & ~part for part in find_widest(top & universe for top in ground.tops) or [0]]
    return [itemset for itemset in find_transversals(missing) if not ground.excludes(itemset)]


def _limit_absent(ground: Ground, universe: Bits) -> Iterator[Limit]:
    """Yield the limits of the smallest unpublished itemsets, alone and with an item that lowers the limit."""
    facts = ground.facts
    most, fewer = facts.missing(frozenset()), [(ground.bit[item], less) for item, less in facts.absent_with]
    for itemset in find_border(ground, universe) if most < facts.n or fewer else ():
        if facts.max_length is not None and itemset.bit_count() > facts.max_length:
            continue  # all of its parts are listed, and it was left out for its length
        high = min([most, *(less for bit, less in fewer if bit & itemset)])
        if high < facts.n:
            yield Limit(itemset, 0, high)
        yield from (Limit(itemset | bit, 0, less) for bit, less in fewer if bit & universe and less < high)


def find_transversals(edges: Iterable[Bits]) -> list[Bits]:
    """Return the smallest sets that meet each edge (Berge, *Hypergraphs*, 1989), in order.

    >>> [f"{one:03b}" for one in find_transversals([0b011, 0b110])]
    ['010', '101']
    """
    smallest = [0]
    for edge in sorted(set(edges)):
        met = [one for one in smallest if one & edge]
        longer = {one | 1 << place for one in smallest if not one & edge for place in places(edge)}
        smallest = met + [one for one in longer if not any(small & ~one == 0 for small in met)]
    return sorted(smallest)


def find_widest(itemsets: Iterable[Bits]) -> list[Bits]:
    """Return the itemsets that no other one contains, each once, in order, without the empty one."""
    chosen: list[Bits] = []
    for itemset in sorted(set(itemsets) - {0}, key=lambda one: (-one.bit_count(), one)):
        if not any(itemset & ~other == 0 for other in chosen):
            chosen.append(itemset)
    return sorted(chosen)


def list_parts(itemset: Bits) -> list[Bits]:
    """Return all subsets of an itemset, in order.

    >>> list_parts(0b101)
    [0, 1, 4, 5]
    """
    parts = [0]
    for place in places(itemset):
        parts += [part | 1 << place for part in parts]
    return parts


def project(rows: Mapping[Bits, Count], part: Bits) -> dict[Bits, Count]:
    """Return the number of rows in each cell of an itemset."""
    counts: dict[Bits, Count] = {}
    for row, count in rows.items():
        counts[row & part] = counts.get(row & part, type(count)()) + count
    return counts


def _find_possible(ground: Ground, universe: Bits, parts: Sequence[Bits], most: int) -> list[Bits]:
    """Return the rows in no empty cell of any part, item by item from the part with most cells."""
    seen = max(parts, key=lambda part: (len(ground.table(part)), -part), default=0)
    rows = sorted(row for row in (ground.table(seen) if parts else [0]) if not ground.excludes(row))
    for place in places(universe & ~seen):
        bit = 1 << place
        seen |= bit
        excluding = [group for group in ground.groups if group & bit]
        rows += [row | bit for row in rows if not any(row & group for group in excluding)]
        for part in find_widest(part & seen for part in parts if part & bit):
            cells = ground.table(part)
            rows = [row for row in rows if row & part in cells]
        if len(rows) > most:
            raise BudgetError(f"more than {most:,} kinds of rows are possible over {universe.bit_count()} items")
    return rows


def _count_cells(ground: Ground, top: Bits) -> Mapping[Bits, int] | None:
    """Return the non-empty cells of a top, by Möbius inversion; None if some support is not exact."""
    cells, high = (limits.copy() for limits in ground.facts.table(ground.codes(top)))
    if not np.array_equal(cells, high):
        return None
    for bit in range(top.bit_count()):
        halves = cells.reshape(-1, 2, 1 << bit)
        halves[:, 0] -= halves[:, 1]
    if (cells < 0).any():
        why = (
            f"the supports say that {cells.min()} rows hold some items of an itemset and no other of it; no rows can "
            "have them: check that they are exact"
        )
        raise InconsistencyError(why, "negative", (), (ground.facts.labels[item] for item in ground.codes(top)))
    return {part: count for part, count in zip(list_parts(top), cells.tolist(), strict=True) if count}
