"""Systems: the kinds of rows that facts allow over some items, and linear limits on their numbers.

Itemsets and rows are whole numbers here, one bit per item. Conclusions over some of the items hold for all: fewer items
leave more databases possible, so no false inference arises.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from discreet.data.transactions import Rows
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.disclosure.attacks.formula import Pattern
from discreet.disclosure.channels import places
from discreet.errors import BudgetError, InconsistencyError
from discreet.runtime.solver import Floats, Numbers, Program, Terms

Bits: TypeAlias = int
"""An itemset or a row, with a bit for each item."""

Count = TypeVar("Count", int, float)
"""A number of rows; fractional in a mean of databases."""

MOST_ROWS: Final = 1 << 53
"""Most rows that a solver, which uses floats, counts exactly."""
LONGEST: Final = 20
"""Most items of a top whose cells are all listed."""
KINDS: Final = 1 << 11
"""Most possible kinds of rows of a system."""
LONGEST_LISTED: Final = 12
"""The same if supports are listed one by one, perhaps as limits."""


class Limit(NamedTuple):
    """From ``low`` to ``high`` rows hold an itemset."""

    itemset: Bits
    low: int
    high: int


class Balance(NamedTuple):
    """The supports of itemsets, each times a factor, add up to ``least`` or more."""

    times: tuple[tuple[Bits, int], ...]
    least: int


@dataclass(frozen=True, eq=False)
class Ground:
    """Facts with a bit for each item of a listed itemset; the facts say nothing about other items.

    Callers who ask about other items name them as ``others``.
    """

    facts: Facts
    others: Codes = frozenset()

    @cached_property
    def items(self) -> tuple[int, ...]:
        """The codes of the items; the place of each is its bit."""
        return tuple(sorted(self.others.union(*self.facts.tops)))

    @cached_property
    def bit(self) -> Mapping[int, Bits]:
        """The bit of each item."""
        return {item: 1 << place for place, item in enumerate(self.items)}

    @property
    def everything(self) -> Bits:
        """All items."""
        return (1 << len(self.items)) - 1

    @cached_property
    def tops(self) -> tuple[Bits, ...]:
        """The listed itemsets that no other listed one contains."""
        return tuple(map(self.bits, self.facts.tops))

    @cached_property
    def known(self) -> tuple[Bits, ...]:
        """The tops below which every support is known exactly; all of them, unless only limits are published."""
        return tuple(top for top in self.tops if top in self._tables)

    @cached_property
    def groups(self) -> tuple[Bits, ...]:
        """Groups of items; no row holds two of a group."""
        groups = (self.bits(item for item in group if item in self.bit) for group in self.facts.schema)
        return tuple(group for group in groups if group.bit_count() > 1)

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

    @cached_property
    def balances(self) -> tuple[Balance, ...]:
        """The relations of the facts."""
        every = self.facts.relations
        return tuple(Balance(tuple((self.bits(one), times) for one, times in each), least) for each, least in every)

    def bits(self, items: Iterable[int]) -> Bits:
        """Return items as bits."""
        return sum(self.bit[item] for item in items)

    def codes(self, bits: Bits) -> Codes:
        """Return the items of bits."""
        return frozenset(self.items[place] for place in places(bits))

    def rows(self, rows: Rows) -> dict[Bits, int]:
        """Return the number of rows of each kind over these items."""
        bit = [self.bit.get(self.facts.code.get(label, -1), 0) for label in rows.labels]
        offsets, items = rows.offsets.tolist(), rows.items.tolist()
        counts: dict[Bits, int] = {}
        for number, weight in enumerate(rows.weights.tolist()):
            row = sum(bit[item] for item in items[offsets[number] : offsets[number + 1]])
            counts[row] = counts.get(row, 0) + weight
        listed = sum(counts.values())
        if listed < rows.n:
            counts[0] = counts.get(0, 0) + rows.n - listed
        return counts

    def parts(self, universe: Bits) -> list[Bits]:
        """Return the widest itemsets within a universe whose cells are all known."""
        found = self._parts.get(universe)
        if found is None:
            tops = [top for top in self.tops if top in self._tables or self._is_short(top & universe)]
            # If a top lies within, any other part must meet the rest.
            core = next((top for top in tops if not top & ~universe), 0)
            rest = universe & ~core
            found = find_widest([core, *(top & universe for top in tops if top & rest)]) or [0] * bool(tops)
            self._parts[universe] = found
        return found

    def excludes(self, row: Bits) -> bool:
        """Return whether a row holds two items of a group."""
        return any((row & group).bit_count() > 1 for group in self.groups)

    def table(self, part: Bits) -> Mapping[Bits, int]:
        """Return the non-empty cells of an itemset within a known top, each with its number of rows."""
        found = self._tables.get(part)
        if found is None:
            top = next((top for top in self.known if part & ~top == 0), None)
            found = (_table(self, part) or {}) if top is None else project(self._tables[top], part)
            self._tables[part] = found
        return found

    def _is_short(self, part: Bits) -> bool:
        """Return whether the cells of a part of a top can all be listed."""
        return self.facts.inherited and part.bit_count() <= LONGEST

    @cached_property
    def _parts(self) -> dict[Bits, list[Bits]]:
        return {}

    @cached_property
    def _tables(self) -> dict[Bits, Mapping[Bits, int]]:
        """The tables of the tops; those of smaller itemsets are added on demand."""
        tables = {}
        for top in self.tops:
            length = top.bit_count()
            if length <= (LONGEST if self.facts.inherited else LONGEST_LISTED):
                table = _table(self, top)
                if table is not None:
                    tables[top] = table
        return tables


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
    balances: Sequence[Balance] = ()

    def program(self, *, whole: bool) -> Program:
        """Return the program whose columns are the numbers of rows of each kind."""
        program = Program()
        columns = program.add_columns(len(self.rows), whole=whole)
        for part in self.parts:
            table = self.ground.table(part)
            place = {cell: at for at, cell in enumerate(table)}
            counts = np.fromiter(table.values(), dtype=np.float64)
            at = np.array([place[row & part] for row in self.rows], dtype=np.int64)
            program.add_rows(len(table), Terms(at, columns, np.ones(columns.size)), lower=counts, upper=counts)
        for itemset, low, high in self.limits:
            held = columns[self.find_rows(itemset)]
            program.add_rows(1, Terms(np.zeros_like(held), held, np.ones(held.size)), lower=low, upper=high)
        for balance in self.balances:
            counts = self.weigh_rows(balance)
            scale = max(abs(counts).max(initial=0), 1)  # solvers are exact for small numbers only
            program.add_rows(1, Terms(np.zeros_like(columns), columns, counts / scale), lower=balance.least / scale)
        return program

    def weigh_rows(self, balance: Balance) -> Floats:
        """Return the factor of each possible row in a sum of supports."""
        counts = np.zeros(len(self.rows))
        for itemset, times in balance.times:
            counts[self.find_rows(itemset)] += times
        return counts

    def find_rows(self, itemset: Bits) -> Numbers:
        """Return the numbers of the rows that hold an itemset."""
        return np.array([at for at, row in enumerate(self.rows) if row & itemset == itemset], dtype=np.int64)

    def truth(self, over: Bits, cells: Iterable[Bits]) -> Floats:
        """Return for each possible row whether its items within ``over`` are one of the cells, as 0 or 1."""
        wanted = frozenset(cells)
        return np.array([row & over in wanted for row in self.rows], dtype=np.float64)

    def counts(self, rows: Mapping[Bits, int]) -> Floats | None:
        """Return the number of rows of each kind, or None if one of them is impossible."""
        found = project(rows, self.universe)
        if len(found) != sum(row in found for row in self.rows):
            return None
        return np.array([found.get(row, 0) for row in self.rows], dtype=np.float64)


def build_system(ground: Ground, universe: Bits, *, most: int) -> System:
    """Return the system over the items of ``universe``; refuse one of more than ``most`` possible rows.

    >>> supports = [(["a"], 3, 3), (["b"], 2, 2), (["a", "b"], 2, 2), (["c"], 1, 4)]
    >>> found = build_system(Ground(Facts.from_limits(supports, n=5)), 0b111, most=100)
    >>> [f"{row:03b}" for row in found.rows]
    ['000', '001', '011', '100', '101', '111']
    >>> found.limits
    [Limit(itemset=4, low=1, high=4)]
    """
    parts = ground.parts(universe)
    rows = _possible(ground, universe, parts, most)
    limits = [limit for limit in ground.listed if limit.itemset & ~universe == 0]
    balances = [one for one in ground.balances if not any(itemset & ~universe for itemset, _ in one.times)]
    return System(ground, universe, rows, parts, [*limits, *_absences(ground, universe)], balances)


def widen_systems(ground: Ground, over: Bits, within: Bits) -> Iterator[System]:
    """Yield systems over ever more items: those of a pattern, then those of the nearest tops, one by one.

    The last has all items of ``within``, unless these are too many for a proof or allow too many kinds of rows.
    """
    made = build_system(ground, over, most=1 << LONGEST)
    yield made
    for top in sorted(ground.tops, key=lambda one: (-(one & over).bit_count(), (one & ~over).bit_count(), one)):
        for place in places(top & within & ~made.universe):
            if made.universe.bit_count() < LONGEST:
                try:
                    made = build_system(ground, made.universe | 1 << place, most=KINDS)
                except BudgetError:
                    continue
                yield made


def find_border(ground: Ground, universe: Bits) -> list[Bits]:
    """Return the smallest itemsets in a universe that lie within no top and that a row could hold."""
    missing = [universe & ~part for part in find_widest(top & universe for top in ground.tops) or [0]]
    return [found for found in find_transversals(missing) if not ground.excludes(found)]


def _absences(ground: Ground, universe: Bits) -> Iterator[Limit]:
    """Yield the limits of the smallest unpublished itemsets, alone and with an item that lowers the limit.

    Larger itemsets have no more rows.
    """
    facts = ground.facts
    most, fewer = facts.missing(frozenset()), [(ground.bit[item], less) for item, less in facts.absent_with]
    for itemset in find_border(ground, universe) if most < facts.n or fewer else ():
        found = min([most, *(less for bit, less in fewer if bit & itemset)])
        if found < facts.n:
            yield Limit(itemset, 0, found)
        yield from (Limit(itemset | bit, 0, less) for bit, less in fewer if bit & universe and less < found)


def find_transversals(edges: Iterable[Bits]) -> list[Bits]:
    """Return the smallest sets that meet each edge (Berge, *Hypergraphs*, 1989), in order.

    >>> [f"{found:03b}" for found in find_transversals([0b011, 0b110])]
    ['010', '101']
    """
    found = [0]
    for edge in sorted(set(edges)):
        met = [one for one in found if one & edge]
        longer = {one | 1 << place for one in found if not one & edge for place in places(edge)}
        found = met + [one for one in longer if not any(small & ~one == 0 for small in met)]
    return sorted(found)


def find_widest(itemsets: Iterable[Bits]) -> list[Bits]:
    """Return the itemsets that no other one contains, each once, in order, without the empty one."""
    chosen: list[Bits] = []
    for itemset in sorted(set(itemsets) - {0}, key=lambda one: (-one.bit_count(), one)):
        if not any(itemset & ~other == 0 for other in chosen):
            chosen.append(itemset)
    return sorted(chosen)


def project(rows: Mapping[Bits, Count], part: Bits) -> dict[Bits, Count]:
    """Return the number of rows in each cell of an itemset."""
    counts: dict[Bits, Count] = {}
    for row, count in rows.items():
        counts[row & part] = counts.get(row & part, type(count)()) + count
    return counts


def as_pattern(ground: Ground, over: Bits, cells: Iterable[Bits]) -> Pattern:
    """Return a pattern by the codes of its items."""
    return Pattern(ground.codes(over), frozenset(map(ground.codes, cells)))


def _possible(ground: Ground, universe: Bits, parts: Sequence[Bits], most: int) -> list[Bits]:
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


def _table(ground: Ground, top: Bits) -> Mapping[Bits, int] | None:
    """Return the non-empty cells of a top, by Möbius inversion; None if some support is not exact."""
    low, high = ground.facts.table(ground.codes(top))
    if not np.array_equal(low, high):
        return None
    cells = low.copy()
    spread = np.zeros(1, dtype=object)
    for bit, place in enumerate(places(top)):
        halves = cells.reshape(-1, 2, 1 << bit)
        halves[:, 0] -= halves[:, 1]
        spread = np.concatenate([spread, spread + (1 << place)])
    if (cells < 0).any():
        raise InconsistencyError(
            f"the supports say that {cells.min()} rows hold some items of an itemset and no other of it; no rows can "
            "have them: check that they are exact",
            "negative",
            (),
            (ground.facts.labels[item] for item in ground.codes(top)),
        )
    held = np.flatnonzero(cells)
    return dict(zip(spread[held].tolist(), cells[held].tolist(), strict=True))
