"""Linear: what follows from published supports over a top and one or two items more, by linear programs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby, islice
from math import comb
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.transactions import Rows
from discreet.disclosure.attacks.constraints import (
    KINDS,
    LONGEST,
    Bits,
    Ground,
    System,
    build_system,
    project,
    widen_systems,
)
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import SEED, TINY, Clock, Region, Subcube, TimeIsUpError
from discreet.disclosure.attacks.finding import Finding, Level, Searched, Undecided
from discreet.disclosure.attacks.proof import Wanted, prove
from discreet.disclosure.attacks.sums import LONGEST_ADDED
from discreet.disclosure.channels import places
from discreet.errors import BudgetError
from discreet.runtime.solver import Floats

Database: TypeAlias = dict[Bits, float]
"""The number of rows of each kind; fractional in a mean of databases."""

WITNESS_KINDS: Final = 1 << 11
"""Kinds of rows that may be possible over all items, for witnesses to be sought there."""
ITEMS: Final = 62
"""Items that may be for that: a bit of a word each."""


@dataclass(eq=False)
class Witnesses:
    """The first database that the facts allow, the publisher's own rows if there are any, and where to seek others."""

    first: Database
    whole: Region | None
    k: int

    def rare(self, universe: Bits) -> list[Bits]:
        """Return the cells over some items that hold from 1 to k − 1 rows of the first database (Lemma C1)."""
        counts = project(self.first, universe)
        return [cell for cell, count in counts.items() if TINY < count < self.k - TINY]

    def left(self, cells: Sequence[tuple[Bits, Bits]]) -> list[int]:
        """Return which cells, an itemset and what rows hold of it each, have from 1 to k − 1 rows in each witness.

        Witnesses are sought over all items, where few kinds of rows are possible (Lemma C2).
        """
        if self.whole is None or not cells:
            return list(range(len(cells)))
        truths, which = _distinct(np.array(self.whole.system.rows, dtype=np.int64), cells)
        return np.flatnonzero(np.isin(which, self.whole.left(truths, self.k))).tolist()


def find_witnesses(ground: Ground, rows: Rows | None, k: int, clock: Clock) -> Witnesses | None:
    """Return the rows as a first witness, else one that is sought over all items; None where that is too much."""
    whole = None
    try:
        if len(ground.items) <= ITEMS:
            whole = Region(build_system(ground, ground.everything, most=WITNESS_KINDS), clock)
    except BudgetError:
        pass
    if rows is not None:
        return Witnesses(dict(ground.rows(rows)), whole, k)
    if whole is None:
        return None
    whole.least(np.random.default_rng(SEED).random(len(whole.system.rows)) - 0.5)
    return Witnesses(_database(whole.system, whole.witnesses[0]), whole, k)


def _database(made: System, witness: Floats) -> Database:
    return {row: count for row, count in zip(made.rows, witness.tolist(), strict=True) if count > TINY}


def _distinct(rows: NDArray[np.int64], cells: Iterable[tuple[Bits, Bits]]) -> tuple[Floats, list[int]]:
    """Return each different set of kinds of rows that a cell has, and which of them each cell has."""
    number: dict[bytes, int] = {}
    which = [number.setdefault(np.packbits(rows & over == cell).tobytes(), len(number)) for over, cell in cells]
    packed = np.frombuffer(b"".join(number), dtype=np.uint8).reshape(len(number), -1)
    return np.unpackbits(packed, axis=1, count=rows.size).astype(np.float64), which


SECONDS: Final = 60.0
"""The default time limit."""
FEW: Final = 6
"""Most items over which all conjunctions are searched, not only those that mention each item."""
WHOLE: Final = 1 << 12
"""Kinds of rows that may be possible where they are counted in whole numbers."""
ENTRIES: Final = 1 << 22
"""Differences, each with all kinds of rows, that are looked at together."""
WORD: Final = 63
"""Bits of a whole number that arrays have."""
AT_ONCE: Final = 1 << 14
"""Tops with items beside them that witnesses are sought for together."""


@dataclass(eq=False)
class Differences:
    """The search for differences: rows that hold a listed itemset and not all of a larger one (``differences``)."""

    ground: Ground
    k: int
    clock: Clock
    level: Level
    findings: dict[tuple[Bits, Bits], Finding] = field(default_factory=dict)
    unproven: set[tuple[Bits, Bits]] = field(default_factory=set)

    def look(self, region: Region) -> None:
        """Add the differences of 1 to k − 1 rows in every database of a region."""
        kinds = region.system.rows
        rows = np.array(kinds, dtype=np.int64 if region.system.universe.bit_length() < WORD else object)
        pairs = self._pairs(region.system.universe)
        while part := list(islice(pairs, max(1, ENTRIES // len(kinds)))):
            truths = np.array([(rows & base == base) & (rows & top != top) for base, top in part], dtype=np.float64)
            for number in region.left(truths, self.k).tolist():
                if any(region.rare(truths[[number]], self.k)):
                    self._add(region, *part[number])

    def _pairs(self, universe: Bits) -> Iterator[tuple[Bits, Bits]]:
        """Yield listed itemsets and larger ones within a universe that may differ by 1 to k − 1 rows.

        Left out are those that surely do by their limits, and those below a known top: of both the level plain tells.
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
        """Add a finding with its proof."""
        proof = None
        if (top & ~base).bit_count() <= LONGEST_ADDED:
            between = [base]
            for place in places(top & ~base):
                between += [cell | 1 << place for cell in between]
            systems = widen_systems(self.ground, top, region.system.universe)
            proof = prove(systems, Wanted(top, frozenset(between) - {top}, 1, self.k - 1), self.clock)
        if proof is None:
            self.unproven.add((base, top))
        else:
            self.findings[base, top] = Finding(proof, self.level, self.ground.facts)
            self.unproven.discard((base, top))


@dataclass(eq=False)
class Search:
    """The search of one publication: what was found, by universe, and what was left undecided."""

    ground: Ground
    k: int
    clock: Clock
    evidence: Witnesses | None
    findings: dict[Subcube, Finding] = field(default_factory=dict)
    unproven: int = 0
    too_large: set[Bits] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Start without differences."""
        self.differences = Differences(self.ground, self.k, self.clock, "linear")

    def subtract(self, universes: Iterable[Bits]) -> None:
        """Look for differences over the items of each universe, where some supports are not known."""
        for universe in universes if self.ground.listed else ():
            self.clock.left()
            region = self._region(universe)
            if region is not None:
                self.differences.look(region)

    def look(self, universes: Iterable[Bits]) -> None:
        """Look for cells over the items of each universe that hold from 1 to k − 1 rows everywhere."""
        for universe, cells in self._candidates(universes):
            self.clock.left()
            region = self._region(universe)
            if region is not None:
                cubes = _cubes(region.system) if cells is None else [Subcube(universe, cell) for cell in cells]
                self._test(region, [cube for cube in cubes if not self._is_known(cube)])

    def _region(self, universe: Bits) -> Region | None:
        """Return the databases over some items; None where there are too many kinds of rows."""
        try:
            return Region(build_system(self.ground, universe, most=KINDS), self.clock)
        except BudgetError:
            self.too_large.add(universe)
            return None

    def _candidates(self, universes: Iterable[Bits]) -> Iterator[tuple[Bits, list[Bits] | None]]:
        """Yield the universes that have cells which no witness clears, and these cells; None for all that there are."""
        cubes: list[Subcube] = []
        for universe in universes:
            self.clock.left()
            if self.evidence is None or universe.bit_count() <= FEW:
                yield universe, None
                continue
            every = (Subcube(universe, cell) for cell in self.evidence.rare(universe))
            cubes.extend(cube for cube in every if not self._is_known(cube))
        left = (cubes[number] for number in (self.evidence.left(cubes) if self.evidence else ()))
        for universe, same in groupby(left, key=lambda cube: cube.over):
            yield universe, [cube.cell for cube in same]

    def _is_known(self, cube: Subcube) -> bool:
        """Return whether a conjunction says more than one that is known to be rare: a channel, or what was found."""
        if any(cube.cell & found.over == found.cell and not found.over & ~cube.over for found in self.findings):
            return True
        # A cell that holds no row is none of few rows, but needs no look either.
        return any(self.ground.table(part).get(cube.cell & part, 0) < self.k for part in self.ground.parts(cube.over))

    def _test(self, region: Region, cubes: Sequence[Subcube]) -> None:
        """Add what is inferred of some conjunctions, those of the most items first."""
        if not cubes:
            return
        truths = np.array([region.system.truth(cube.over, [cube.cell]) for cube in cubes])
        left = region.left(truths, self.k)
        for number, _, _ in region.rare(truths[left], self.k):
            cube = cubes[left[number]]
            if not self._is_known(cube):
                self._add(region, self._shortest(region, cube))

    def _shortest(self, region: Region, cube: Subcube) -> Subcube:
        """Return what is still rare of a conjunction without as many of its items as can be."""
        for place in places(cube.over):
            shorter = Subcube(cube.over & ~(1 << place), cube.cell & ~(1 << place))
            truth = region.system.truth(shorter.over, [shorter.cell])
            if any(region.rare(truth[None], self.k)):
                cube = shorter
        return cube

    def _add(self, region: Region, cube: Subcube) -> None:
        """Add a finding with its proof."""
        systems = widen_systems(self.ground, cube.over, region.system.universe)
        proof = prove(systems, Wanted(cube.over, frozenset([cube.cell]), 1, self.k - 1), self.clock)
        if proof is None:
            self.unproven += 1
        else:
            self.findings[cube] = Finding(proof, "linear", self.ground.facts)


def linear(facts: Facts, *, k: int, rows: Rows | None = None, seconds: float = SECONDS, beyond: int = 2) -> Searched:
    """Return the conjunctions that hold for 1 to k − 1 rows in every database, as far as linear programs tell.

    Over each top and one item more, then two (``beyond``), the possible kinds of rows are the unknowns, and every
    support that is known over these items a limit (section C.6 of the theory). Of the publisher's own ``rows`` only
    what is rare in them can be inferred to be so (Lemma C1); without them, witnesses are sought (Lemma C2).

    What is found is listed without as many of its items as can be, and nothing that says more than what is listed or
    than a channel. Each finding is proven in exact numbers; what is not is undecided.

    >>> from discreet import mine
    >>> rows = ["ab", "ab", "ac", "ac", "bc", "bc", "bc", "abc"]
    >>> print(*linear(Facts.of(mine([list(row) for row in rows], min_support=4)), k=2).findings)
    a ∧ b ∧ c: 1 row
    """
    ground, clock = Ground(facts), Clock.of(seconds)
    search = Search(ground, k, clock, None)
    # Where channels are open, nothing is safe; two items more would take long, and only tell of them in other words.
    most = min(beyond, 1) if _is_open(ground, k) else beyond
    unseen = sum(_how_many(ground, many) for many in range(most + 1))
    behind = sum(_how_many(ground, many) for many in range(most + 1, beyond + 1))
    try:
        search.evidence = find_witnesses(ground, rows, k, clock)
        universes = (universe for many in range(most + 1) for universe in _universes(ground, many))
        while part := list(islice(universes, AT_ONCE)):
            search.look(dict.fromkeys(part))
            search.subtract(dict.fromkeys(part))
            unseen -= len(part)
    except TimeIsUpError:
        pass
    findings = (*search.findings.values(), *search.differences.findings.values())
    return Searched(findings, tuple(_left(search, unseen, behind, seconds)))


def find_differences(facts: Facts, *, k: int, seconds: float = SECONDS) -> Searched:
    """Return the differences of 1 to k − 1 rows in every database that facts allow, in whole numbers over all items.

    >>> facts = Facts.from_limits([(["a"], 6, 6), (["b"], 6, 6), (["a", "b"], 4, 7)], n=7)
    >>> print(*find_differences(facts, k=3).findings)
    ¬(a ∧ b): 1 to 2 rows
    """
    ground, clock = Ground(facts), Clock.of(seconds)
    search = Differences(ground, k, clock, "exact")
    try:
        if ground.listed:
            search.look(Region(build_system(ground, ground.everything, most=WHOLE), clock, whole=True))
    except BudgetError:
        pass  # exact says that there are too many items
    except TimeIsUpError:
        return Searched(tuple(search.findings.values()), (Undecided(1, "publication", _over(seconds)),))
    why = "whole numbers leave few rows, but no sum of supports proves it"
    left = [Undecided(len(search.unproven), "differences", why)] if search.unproven else []
    return Searched(tuple(search.findings.values()), left)


def _cubes(made: System) -> list[Subcube]:
    """Return the conjunctions to look at, those of the most items first: over few items all, over more the cells."""
    if made.universe.bit_count() > FEW:
        return [Subcube(made.universe, row) for row in made.rows]
    overs = [0]
    for place in places(made.universe):
        overs += [over | 1 << place for over in overs]
    overs.sort(key=lambda over: (-over.bit_count(), over))
    return [Subcube(over, cell) for over in overs for cell in sorted({row & over for row in made.rows})]


def _is_open(ground: Ground, k: int) -> bool:
    """Return whether sums of supports alone tell of 1 to k − 1 rows."""
    return any(count < k for top in ground.known for count in ground.table(top).values())


def _universes(ground: Ground, many: int) -> Iterator[Bits]:
    """Yield the tops, each with so many items more in every way; with none, where their own cells are not known."""
    for top in ground.tops:
        if many or top not in ground.known:
            for chosen in combinations(places(ground.everything & ~top), many):
                yield top | sum(1 << place for place in chosen)


def _how_many(ground: Ground, many: int) -> int:
    """Return the number of these universes."""
    beside = ((ground.everything & ~top).bit_count() for top in ground.tops if many or top not in ground.known)
    return sum(comb(items, many) for items in beside)


def _left(search: Search, unseen: int, behind: int, seconds: float) -> Iterator[Undecided]:
    """Yield the undecided cases with their reasons."""
    what = "tops with items beside them"
    long = sum(top not in search.ground.known for top in search.ground.tops) if search.ground.facts.inherited else 0
    if long:
        yield Undecided(long, "tops", f"they have more than {LONGEST} items")
    if unseen:
        yield Undecided(unseen, what, _over(seconds))
    if behind:
        yield Undecided(behind, what, "channels are open; block them first")
    if search.too_large:
        yield Undecided(len(search.too_large), what, f"more than {KINDS:,} kinds of rows are possible")
    unproven = search.unproven + len(search.differences.unproven)
    if unproven:
        yield Undecided(unproven, "patterns", "the solver infers few rows, but no exact sum of supports proves it")


def _over(seconds: float) -> str:
    return f"the {seconds:g} seconds were over"
