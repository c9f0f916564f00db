"""Linear: what follows from published supports over a top and one or two items more, by linear programs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import groupby, islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.data.transactions import Rows
from discreet.disclosure.attacks import constraints
from discreet.disclosure.attacks.constraints import KINDS, Bits, Ground, System, build_system, list_parts, project
from discreet.disclosure.attacks.exchanges import keep_fixed
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import (
    SEED,
    TINY,
    Clock,
    Region,
    Subcube,
    TimeIsUpError,
    Wanted,
    are_rare,
    prove,
)
from discreet.disclosure.attacks.finding import Finding, Level, Searched, Undecided
from discreet.disclosure.attacks.histories import BEYOND, LARGEST, Dated, History
from discreet.disclosure.attacks.sums import LONGEST_ADDED
from discreet.disclosure.channels import places
from discreet.errors import BudgetError
from discreet.runtime.solver import Floats

SECONDS: Final = 60.0
WITNESS_KINDS: Final = 1 << 11  # possible kinds of rows over all items, for witnesses to be sought there
ITEMS: Final = 62  # items for that, a bit of a word each
FEW: Final = 6  # items over which all conjunctions are searched, not only those that mention each item
WHOLE: Final = 1 << 12  # possible kinds of rows that are counted in whole numbers
ENTRIES: Final = 1 << 22  # differences, each with all kinds of rows, that are looked at together
AT_ONCE: Final = 1 << 14  # tops with items beside them that witnesses are sought for together


@dataclass(eq=False)
class Witnesses:
    """The number of rows of each kind in a ``first`` database, the publisher's if given, and where to seek others."""

    first: dict[Bits, float]
    whole: Region | None
    k: int
    items: int

    @classmethod
    def find(cls, ground: Ground, rows: Rows | None, k: int, clock: Clock) -> "Witnesses | None":
        """Return the rows as a first witness, else one that is sought over all items; None if that is too much."""
        whole = None
        try:
            if len(ground.items) <= ITEMS:
                whole = Region(build_system(ground, ground.everything, most=WITNESS_KINDS), clock)
        except BudgetError:
            pass
        if rows is not None:
            return cls(dict(ground.rows(rows)), whole, k, len(ground.items))
        if whole is None:
            return None
        whole.least(np.random.default_rng(SEED).random(len(whole.system.rows)) - 0.5)
        counts = zip(whole.system.rows, whole.witnesses[0].tolist(), strict=True)
        return cls({row: count for row, count in counts if count > TINY}, whole, k, len(ground.items))

    def list_rare(self, universe: Bits) -> list[Subcube]:
        """Return the conjunctions to look at that hold for 1 to k − 1 rows of the first database (Lemma C1)."""
        if universe.bit_count() > FEW:
            counts = project(self.first, universe)
            return [Subcube(universe, cell) for cell, count in counts.items() if TINY < count < self.k - TINY]
        parts, (cubes, truths) = list_parts(universe), _list_conjunctions(universe.bit_count())
        rare = np.flatnonzero(are_rare(truths @ self._count(universe), self.k)).tolist()
        return [Subcube(parts[cubes[at].over], parts[cubes[at].cell]) for at in rare]

    def keep_fixed(self, system: System, cubes: Sequence[Subcube]) -> list[Subcube]:
        """Return the conjunctions that no exchange of an item between rows of the first database clears (Lemma C2)."""
        universe = system.universe
        if universe.bit_count() > FEW:
            rows = project(self.first, universe)
            counts = np.array([rows.get(row, 0) for row in system.rows], dtype=np.float64)
        else:
            # NumPy would take the 64th bit for a float, which loses the first ones.
            parts = np.array(list_parts(universe), dtype=system.kinds.dtype)
            counts = self._count(universe)[np.searchsorted(parts, system.kinds)]
        return [cubes[number] for number in keep_fixed(system, counts, cubes, self.k).tolist()]

    def _count(self, universe: Bits) -> Floats:
        """Return the number of rows in each cell over a few items, in order."""
        held, weights = self._rows
        cells = np.zeros(len(held), dtype=np.int64)
        for at, place in enumerate(places(universe)):
            cells |= (held[:, place >> 3].astype(np.int64) >> (place & 7) & 1) << at
        return np.bincount(cells, weights, 1 << universe.bit_count()).astype(np.float64)

    @cached_property
    def _rows(self) -> tuple[NDArray[np.uint8], Floats]:
        """The kinds of rows of the first database, eight items to a byte, and the number of each."""
        size = self.items // 8 + 1
        packed = b"".join(row.to_bytes(size, "little") for row in self.first)
        return np.frombuffer(packed, dtype=np.uint8).reshape(-1, size), np.array([*self.first.values()], np.float64)

    def keep_rare(self, cubes: Sequence[Subcube]) -> list[int]:
        """Return which cells have from 1 to k − 1 rows in each witness.

        Witnesses are sought over all items, if few kinds of rows are possible (Lemma C2).
        """
        if self.whole is None or not cubes:
            return list(range(len(cubes)))
        # Cells with the same kinds of rows are looked at once.
        kinds, number = self.whole.system.kinds, dict[bytes, int]()
        which = [number.setdefault(np.packbits(kinds & over == cell).tobytes(), len(number)) for over, cell in cubes]
        packed = np.frombuffer(b"".join(number), dtype=np.uint8).reshape(len(number), -1)
        truths = np.unpackbits(packed, axis=1, count=kinds.size).astype(np.float64)
        return np.flatnonzero(np.isin(which, self.whole.keep_rare(truths, self.k))).tolist()


@dataclass(eq=False)
class Differences:
    """The search for differences: rows that hold a listed itemset but not all of a larger one."""

    ground: Ground
    k: int
    clock: Clock
    level: Level
    findings: dict[tuple[Bits, Bits], Finding] = field(default_factory=dict)
    unproven: set[tuple[Bits, Bits]] = field(default_factory=set)

    def look(self, region: Region) -> None:
        """Add the differences of 1 to k − 1 rows in every database of a region."""
        rows, pairs = region.system.kinds, self._list_pairs(region.system.universe)
        while part := list(islice(pairs, max(1, ENTRIES // rows.size))):
            truths = np.array([(rows & base == base) & (rows & top != top) for base, top in part], dtype=np.float64)
            for number in region.keep_rare(truths, self.k).tolist():
                if region.is_rare(truths[number], self.k):
                    self._add(region, *part[number])

    def _list_pairs(self, universe: Bits) -> Iterator[tuple[Bits, Bits]]:
        """Yield listed itemsets and larger ones within a universe that may differ by 1 to k − 1 rows.

        The level plain finds pairs that surely do by their limits, and those below a known top: they are left out.
        """
        within = [limit for limit in self.ground.every if not limit.itemset & ~universe]
        for top in self.ground.listed:
            for base in within if not top.itemset & ~universe else ():
                least, most = base.low - top.high, base.high - top.low
                is_part = base.itemset != top.itemset and not base.itemset & ~top.itemset
                is_open = least < self.k and most > 0 and not 0 < least <= most < self.k
                if is_part and is_open and (base.itemset, top.itemset) not in self.findings:
                    yield base.itemset, top.itemset

    def _add(self, region: Region, base: Bits, top: Bits) -> None:
        proof, added = None, top & ~base
        if added.bit_count() <= LONGEST_ADDED:
            between = frozenset(base | part for part in list_parts(added)) - {top}
            systems = constraints.widen_systems(self.ground, top, region.system.universe)
            proof = prove(systems, Wanted(top, between, 1, self.k - 1), self.clock)
        if proof is None:
            self.unproven.add((base, top))
        else:
            self.findings[base, top] = Finding(proof, self.level, self.ground.facts)
            self.unproven.discard((base, top))


@dataclass(eq=False)
class LinearSearch:
    """The search of one publication, one universe after the other: findings, and what was left undecided."""

    ground: Ground
    k: int
    clock: Clock
    differences: Differences
    evidence: Witnesses | None = None
    findings: dict[Subcube, Finding] = field(default_factory=dict)
    unproven: int = 0
    too_large: set[Bits] = field(default_factory=set)

    def look(self, universes: Iterable[Bits]) -> None:
        """Look for cells over the items of each universe that hold 1 to k − 1 rows everywhere, then for differences."""
        every = dict.fromkeys(universes)
        for universe, cubes in self._list_candidates(every):
            self.look_at(universe, cubes)
        for universe in every if self.ground.listed else ():
            self.compare(universe)

    def compare(self, universe: Bits) -> None:
        """Look whether differences of supports are 1 to k − 1 in every database over the items of a universe."""
        if (region := self._build_region(universe)) is not None:
            self.differences.look(region)

    def look_at(self, universe: Bits, cubes: Sequence[Subcube] | None) -> None:
        """Look whether conjunctions, or all, hold for 1 to k − 1 rows in every database over some items."""
        if (region := self._build_region(universe)) is not None:
            every = _list_cubes(region.system) if cubes is None else cubes
            self._test(region, [cube for cube in every if not self._is_known(cube)])

    def confirm(self, universe: Bits, cubes: Sequence[Subcube]) -> None:
        """Add those of some conjunctions, none of which says more than another, that are rare in every database."""
        unknown = [cube for cube in cubes if not self._is_known(cube)]
        if unknown and (region := self._build_region(universe)) is not None:
            for number in region.find_rare(region.system.truths(unknown), self.k):
                self._add(region, unknown[number])

    def _build_region(self, universe: Bits) -> Region | None:
        """Return the databases over some items; None if there are too many kinds of rows."""
        self.clock.left()
        try:
            return Region(build_system(self.ground, universe, most=KINDS), self.clock)
        except BudgetError:
            self.too_large.add(universe)
            return None

    def _list_candidates(self, universes: Iterable[Bits]) -> Iterator[tuple[Bits, list[Subcube] | None]]:
        """Yield the universes with conjunctions that no witness clears, and these; None stands for all."""
        cubes: list[Subcube] = []
        for universe in universes:
            self.clock.left()
            if self.evidence is None:
                yield universe, None
                continue
            rare = self.evidence.list_rare(universe)
            if universe.bit_count() > FEW:
                cubes.extend(cube for cube in rare if not self._is_known(cube))
            elif rare:
                yield universe, rare
        left = (cubes[number] for number in (self.evidence.keep_rare(cubes) if self.evidence else ()))
        for universe, same in groupby(left, key=lambda cube: cube.over):
            yield universe, list(same)

    def _is_known(self, cube: Subcube) -> bool:
        """Return whether a conjunction says more than one that is known to be rare: a channel, or a finding."""
        over, cell = cube
        for part in self.ground.parts(over):  # an empty cell is not rare, but needs no look either
            if self.ground.table(part).get(cell & part, 0) < self.k:
                return True
        return any(cell & known.over == known.cell and not known.over & ~over for known in self.findings)

    def _test(self, region: Region, cubes: Sequence[Subcube]) -> None:
        """Add the conjunctions that are rare, those of the most items first."""
        if cubes and self.evidence is not None:
            cubes = self.evidence.keep_fixed(region.system, cubes)
        if not cubes:
            return
        truths = region.system.truths(cubes)
        left = region.keep_rare(truths, self.k)
        for number in region.find_rare(truths[left], self.k):
            if not self._is_known(cubes[left[number]]):
                self._add(region, self._shorten(region, cubes[left[number]]))

    def _shorten(self, region: Region, cube: Subcube) -> Subcube:
        """Leave out as many items of a rare conjunction as possible while it stays rare."""
        for place in places(cube.over):
            shorter = Subcube(cube.over & ~(1 << place), cube.cell & ~(1 << place))
            if region.is_rare(region.system.truth(shorter.over, [shorter.cell]), self.k):
                cube = shorter
        return cube

    def _add(self, region: Region, cube: Subcube) -> None:
        systems = constraints.widen_systems(self.ground, cube.over, region.system.universe)
        proof = prove(systems, Wanted(cube.over, frozenset([cube.cell]), 1, self.k - 1), self.clock)
        if proof is None:
            self.unproven += 1
        else:
            self.findings[cube] = Finding(proof, "linear", self.ground.facts)


def linear(
    facts: Facts,
    *,
    k: int,
    rows: Rows | None = None,
    history: History | None = None,
    seconds: float = SECONDS,
    beyond: int = BEYOND,
) -> Searched:
    """Return the conjunctions that linear programs show to hold for 1 to k − 1 rows in every database.

    Over each top and one item more, then two (``beyond``), the possible kinds of rows are the unknowns, and every known
    support over these items is a limit (section C.6 of the theory). Only patterns that are rare in the publisher's own
    ``rows`` can be inferred to be rare (Lemma C1); without rows, witnesses are sought (Lemma C2). Of several releases,
    a ``history`` that fits makes the search quicker.

    Findings are listed without as many of their items as possible, and none that says more than another one or than a
    channel. Each is proven in exact numbers; what is not proven is undecided.

    >>> from discreet import mine
    >>> rows = ["ab", "ab", "ac", "ac", "bc", "bc", "bc", "abc"]
    >>> print(*linear(Facts.of(mine([list(row) for row in rows], min_support=4)), k=2).findings)
    a ∧ b ∧ c: 1 row
    """
    ground, clock = Ground(facts), Clock(seconds)
    search = LinearSearch(ground, k, clock, Differences(ground, k, clock, "linear"))
    if history is not None:
        return _look_back(search, history, beyond, seconds)
    # If channels are open, nothing is safe; two items more would take long, and only describe them in other words.
    is_open = any(count < k for top in ground.known for count in ground.table(top).values())
    most = min(beyond, 1) if is_open else beyond
    unseen = sum(ground.count_universes(many) for many in range(most + 1))
    behind = sum(ground.count_universes(many) for many in range(most + 1, beyond + 1))
    try:
        search.evidence = Witnesses.find(ground, rows, k, clock)
        universes = (universe for many in range(most + 1) for universe in ground.list_universes(many))
        while part := list(islice(universes, AT_ONCE)):
            search.look(part)
            unseen -= len(part)
    except TimeIsUpError:
        pass
    findings = (*search.findings.values(), *search.differences.findings.values())
    return Searched(findings, tuple(_list_undecided(search, unseen, behind, seconds)))


def _look_back(search: LinearSearch, history: History, beyond: int, seconds: float) -> Searched:
    """Return what follows from several releases, over their largest itemsets with a few items more, at all dates."""
    dated = Dated(search.ground)
    universes = dated.list_universes(beyond)
    small = [universe for universe in universes if universe.bit_count() <= LARGEST]
    unseen = len(universes)
    try:
        for universe, cubes in history.look(dated, small, search.k, search.clock, search.findings):
            search.confirm(universe, cubes)
        search.look([universe | dated.marks for universe in universes if universe.bit_count() > LARGEST])
        for top in dated.tops:  # differences of supports that a release tells, and another one does not
            search.compare(top | dated.marks)
        unseen = 0
    except TimeIsUpError:
        pass
    findings = (*search.findings.values(), *search.differences.findings.values())
    return Searched(findings, tuple(_list_undecided(search, unseen, 0, seconds)))


def find_differences(facts: Facts, *, k: int, seconds: float = SECONDS) -> Searched:
    """Return the differences of 1 to k − 1 rows in every database that facts allow, in whole numbers over all items.

    >>> facts = Facts.from_limits([(["a"], 6, 6), (["b"], 6, 6), (["a", "b"], 4, 7)], n=7)
    >>> print(*find_differences(facts, k=3).findings)
    ¬(a ∧ b): 1 to 2 rows
    """
    ground, clock = Ground(facts), Clock(seconds)
    search = Differences(ground, k, clock, "exact")
    try:
        if ground.listed:
            search.look(Region(build_system(ground, ground.everything, most=WHOLE), clock, whole=True))
    except BudgetError:
        pass  # exact says that there are too many items
    except TimeIsUpError:
        late = Undecided(1, "publication", f"the {seconds:.2g} seconds were over")
        return Searched(tuple(search.findings.values()), (late,))
    why = "whole numbers leave few rows, but no sum of supports proves it"
    undecided = [Undecided(len(search.unproven), "differences", why)] if search.unproven else []
    return Searched(tuple(search.findings.values()), undecided)


def _list_cubes(system: System) -> list[Subcube]:
    """Return the conjunctions to look at, those of the most items first: over few items all, over more the cells."""
    if system.universe.bit_count() > FEW:
        return [Subcube(system.universe, row) for row in system.rows]
    overs = sorted(list_parts(system.universe), key=_rank)
    return [Subcube(over, cell) for over in overs for cell in sorted({row & over for row in system.rows})]


@cache
def _list_conjunctions(many: int) -> tuple[list[Subcube], Floats]:
    """Return all conjunctions over the first items, those of the most items first, and which kinds of rows match."""
    every = [Subcube(over, cell) for over in sorted(range(1 << many), key=_rank) for cell in list_parts(over)]
    overs, cells = np.array(every).T[:, :, None]
    return every, (np.arange(1 << many) & overs == cells).astype(np.float64)


def _rank(over: Bits) -> tuple[int, Bits]:
    return -over.bit_count(), over


def _list_undecided(search: LinearSearch, unseen: int, behind: int, seconds: float) -> list[Undecided]:
    what, ground = "larger combinations", search.ground
    long = sum(top not in ground.known for top in ground.tops) if ground.facts.inherited else 0
    unproven = search.unproven + len(search.differences.unproven)
    every = [
        Undecided(long, "tops", f"they have more than {constraints.LONGEST} items"),
        Undecided(unseen, what, f"the {seconds:.2g} seconds were over"),
        Undecided(behind, what, "fix the findings first, then test again"),
        Undecided(len(search.too_large), what, f"more than {KINDS:,} kinds of rows are possible"),
        Undecided(unproven, "patterns", "the solver infers few rows, but no exact sum of supports proves it"),
    ]
    return [one for one in every if one.many]
