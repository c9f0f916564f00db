"""Exact: all that follows from published supports about a few items, by integer programs over every possible row.

Over all items, a pattern is a set of kinds of rows. A database in which these kinds have no row, or k rows together,
shows that nothing is inferred about the pattern. So one program chooses a set of kinds that no database met so far
contradicts, and another looks for a database that does. If no set is left, nothing can be inferred; if no database is
found, the set is inferred.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from math import ceil, floor
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.transactions import Rows
from discreet.disclosure.attacks.certificate import proves
from discreet.disclosure.attacks.constraints import Bits, Ground, build_system
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import TINY, Clock, Region, TimeIsUpError
from discreet.disclosure.attacks.finding import Finding, Searched, Undecided
from discreet.disclosure.attacks.proof import Wanted, find_certificate
from discreet.runtime.solver import Floats, Program, list_entries

Kinds: TypeAlias = NDArray[np.bool_]
"""Whether a pattern is true, for each kind of rows."""

WEIGHT: Final = 64.0
"""What a row of a chosen kind costs, where one of another kind that is always rare costs 1."""


@dataclass(eq=False)
class Unions:
    """The search for sets of kinds of rows that hold 1 to k − 1 rows in every database of a region."""

    region: Region
    k: int
    found: list[Kinds] = field(default_factory=list)
    rare: set[int] = field(default_factory=set)

    def __iter__(self) -> Iterator[Kinds]:
        """Yield the smallest such sets, those of the fewest kinds first; where it ends, every such set holds one."""
        while (chosen := self._chosen()) is not None:
            if not self._is_refuted(chosen):
                self.found.append(chosen)
                yield chosen

    def _met(self) -> NDArray[np.int64]:
        """Return the different databases that were met, with k for each number of rows that is more."""
        return np.unique(np.minimum(self.region.witnesses, self.k).astype(np.int64), axis=0)

    def _chosen(self) -> Kinds | None:
        """Return the fewest kinds that hold 1 to k − 1 rows in each database met so far; None if there are none."""
        met = self._met()
        few = met.max(axis=0) < self.k
        if not met[:, few].any(axis=1).all():
            return None  # a database without any of these kinds
        program = Program()
        columns = program.add_columns(int(few.sum()), cost=1, upper=1, whole=True)
        program.add_rows(len(met), list_entries(met[:, few], columns), lower=1, upper=self.k - 1)
        for known in self.found:
            program.add_rows(1, list_entries(known[None, few], columns), upper=known.sum() - 1)
        values, _, stopped = program.solve(seconds=self.region.clock.left(), gap=0)
        if stopped:
            raise TimeIsUpError
        if values is None:
            return None
        chosen = np.zeros(few.size, dtype=np.bool_)
        chosen[few] = values > 1 / 2
        return chosen

    def _is_refuted(self, chosen: Kinds) -> bool:
        """Return whether a database speaks against some kinds; it is among those met then."""
        return any(not 0 < self._asked(*question) @ chosen < self.k for question in self._questions(chosen))

    def _questions(self, chosen: Kinds) -> Iterator[tuple[Floats, float]]:
        """Yield in what direction to look for such a database, and how far: first where much else is refuted too."""
        for kind in set(np.flatnonzero(chosen).tolist()) - self.rare:
            yield -np.eye(1, chosen.size, kind)[0], -self.k
            self.rare.add(kind)  # or nothing would have asked further
        truth = chosen.astype(np.float64)
        yield WEIGHT * truth + (self._met().max(axis=0) < self.k), 0.0
        yield truth, 0.0
        yield -truth, -self.k

    def _asked(self, costs: Floats, enough: float) -> Floats:
        """Return a database of the least cost, or of a cost that is low enough."""
        self.region.least(costs, enough)
        return self.region.witnesses[-1]


SECONDS: Final = 60.0
"""The default time limit."""
ITEMS: Final = 12
"""Items that may be published: 3 to the power of their number is how many conjunctions there are."""
EITHER: Final = 2
"""The place of an item on its axis where rows may hold it or not."""
PAIRED: Final = 9
"""Items up to which pairs of cells are looked at by themselves: there are 5 to the power of that of them."""
UNIONS: Final = 16
"""Most patterns of more cells to list."""

Cube: TypeAlias = NDArray[np.float64]
"""An axis an item: rows that lack it, that hold it and, where there is a third place, either."""


@dataclass(eq=False)
class Extremes:
    """The fewest and the most rows of each of many patterns in any database that was met."""

    least: Cube
    most: Cube

    @classmethod
    def of(cls, counts: Cube) -> "Extremes":
        """Return those of one database."""
        return cls(counts.copy(), counts.copy())

    def add(self, counts: Cube) -> None:
        """Take another database into account."""
        np.minimum(self.least, counts, out=self.least)
        np.maximum(self.most, counts, out=self.most)

    def may_be_rare(self, k: int) -> NDArray[np.bool_]:
        """Return which patterns hold for 1 to k − 1 rows in all of them."""
        return (self.least > TINY) & (self.most < k - TINY)

    def may_be_rare_at(self, at: tuple[int, ...], k: int) -> bool:
        """Return the same for one of them."""
        return bool(self.least[at] > TINY and self.most[at] < k - TINY)


@dataclass(eq=False)
class Search:
    """The search of one publication over all of its items."""

    ground: Ground
    region: Region
    k: int
    findings: list[Finding] = field(default_factory=list)
    unproven: int = 0

    def __post_init__(self) -> None:
        """Start with nothing known to be rare."""
        self.many = len(self.ground.items)
        self.known = np.zeros((3,) * self.many, dtype=np.bool_)
        self.cubes: list[Cube] = []
        self.rare: list[Floats] = []
        self.is_cut = self.is_open = False

    def look(self) -> None:
        """Look whether any pattern is rare, and if so for those of the fewest terms.

        What has more terms would only tell of them in other words. Where no conjunction is rare, two cells together may
        be (Theorem A3): all rows that would leave the one enter the other.
        """
        unions = iter(Unions(self.region, self.k))
        first = next(unions, None)
        if first is None:
            return
        self.conjunctions()
        if self.many <= PAIRED and not self.known.any():
            self.pairs()
        if not self.rare and not self.known.any():
            self.unions(chain([first], unions))
        self.is_open = not self.rare

    def cube(self, witness: Floats) -> Cube:
        """Return how many rows of a database make each conjunction true."""
        counts = np.zeros((2,) * self.many)
        for row, count in zip(self.region.system.rows, witness.tolist(), strict=True):
            counts[tuple(row >> place & 1 for place in range(self.many))] = count
        for axis in range(self.many):
            counts = np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)
        return counts

    def met(self) -> list[Cube]:
        """Return these numbers for all databases that were met so far."""
        self.cubes += [self.cube(witness) for witness in self.region.witnesses[len(self.cubes) :]]
        return self.cubes

    def conjunctions(self) -> None:
        """Look at all conjunctions, those of few items first; what says more than one that is rare needs no look."""
        first, *others = self.region.witnesses
        extremes = Extremes.of(self.cube(first))
        self._mark_channels(extremes.least)
        for witness in others:
            extremes.add(self.cube(witness))
        candidates = np.argwhere(extremes.may_be_rare(self.k) & ~self.known)
        order = np.argsort((candidates != EITHER).sum(axis=1), kind="stable")
        seen = len(self.region.witnesses)
        for place in candidates[order].tolist():
            for witness in self.region.witnesses[seen:]:
                extremes.add(self.cube(witness))
            seen, at = len(self.region.witnesses), tuple(place)
            if not self.known[at] and extremes.may_be_rare_at(at, self.k) and self._test(*_cell(at)):
                self._mark(at)

    def pairs(self) -> None:
        """Look at pairs of cells that differ in two items or more, whatever else they say, those of few items first."""
        for size in range(2, self.many + 1):
            for chosen in combinations(range(self.many), size):
                self._pairs_over(chosen)

    def _pairs_over(self, chosen: tuple[int, ...]) -> None:
        cut = tuple(slice(0, 2) if item in chosen else slice(None) for item in range(self.many))

        def both(counts: Cube) -> Cube:
            inside = counts[cut]
            return inside + np.flip(inside, axis=chosen)

        extremes = Extremes.of(both(self.met()[0]))
        for counts in self.cubes[1:]:
            extremes.add(both(counts))
        candidates = np.argwhere(extremes.may_be_rare(self.k))
        order = np.argsort((candidates != EITHER).sum(axis=1), kind="stable")
        for place in candidates[order].tolist():
            over, (cell,) = _cell(place)
            pair = frozenset([cell, cell ^ sum(1 << item for item in chosen)])
            # Each pair is met twice: once with the first of its items, once without.
            if place[chosen[0]] and not self._is_known(over, pair):
                self._test(over, pair)

    def unions(self, found: Iterable[Kinds]) -> None:
        """Add sets of kinds of rows that are rare as patterns, up to a limit."""
        for kinds in found:
            rows = [row for row, is_in in zip(self.region.system.rows, kinds.tolist(), strict=True) if is_in]
            pattern = self._shortest(rows)
            if not self._is_known(*pattern) and not self._test(*pattern):
                raise TimeIsUpError  # the solver contradicts itself
            if len(self.rare) == UNIONS:
                self.is_cut = True
                return

    def _shortest(self, rows: list[Bits]) -> tuple[Bits, frozenset[Bits]]:
        """Return kinds of rows as a pattern of as few items as can be, which may be true for more kinds."""
        over, cells = self.ground.everything, frozenset(rows)
        for place in range(self.many):
            fewer = over & ~(1 << place)
            shorter = frozenset(cell & fewer for cell in cells)
            if self._limits(self.region.system.truth(fewer, shorter)) is not None:
                over, cells = fewer, shorter
        return over, cells

    def _mark_channels(self, counts: Cube) -> None:
        """Mark what says more than a conjunction whose rows are few by sums of supports alone."""
        for part in self.ground.parts(self.ground.everything):
            inside = tuple(slice(None) if part >> item & 1 else slice(EITHER, None) for item in range(self.many))
            few = (counts[inside] > TINY) & (counts[inside] < self.k - TINY)
            for place in np.argwhere(few).tolist():
                self._mark(tuple(value if part >> item & 1 else EITHER for item, value in enumerate(place)))

    def _mark(self, at: tuple[int, ...]) -> None:
        self.known[tuple(slice(None) if value == EITHER else value for value in at)] = True

    def _test(self, over: Bits, cells: frozenset[Bits]) -> bool:
        """Add what is inferred of a pattern; return whether it is rare."""
        truth = self.region.system.truth(over, cells)
        limits = self._limits(truth)
        if limits is None:
            return False
        self.rare.append(truth)
        self._add(over, cells, *limits)
        return True

    def _is_known(self, over: Bits, cells: frozenset[Bits]) -> bool:
        """Return whether a pattern is true wherever one is that was found before, or that one wherever it is."""
        truth = self.region.system.truth(over, cells)
        return any((truth <= found).all() or (truth >= found).all() for found in self.rare)

    def _limits(self, truth: Floats) -> tuple[int, int] | None:
        """Return the fewest and the most rows of a pattern that is rare; None if it is not."""
        low, high = self.region.least(truth, 0), -np.inf
        if low > TINY:
            high = self.region.least(-truth, -self.k)
        return (ceil(low - TINY), floor(TINY - high)) if high > TINY - self.k else None

    def _add(self, over: Bits, cells: frozenset[Bits], low: int, high: int) -> None:
        """Add a finding with its proof; sums alone may prove less than whole numbers do."""
        relaxed = Region(self.region.system, self.region.clock)
        loose = relaxed.limits(self.region.system.truth(over, cells))
        for least, most in dict.fromkeys([(low, high), loose]):
            proof = find_certificate(self.region.system, Wanted(over, cells, max(1, least), most), self.region.clock)
            if proof is not None and most < self.k and proves(self.ground.facts, proof):
                self.findings.append(Finding(proof, "exact", self.ground.facts))
                return
        self.unproven += 1


def exact(facts: Facts, *, k: int, rows: Rows | None = None, seconds: float = SECONDS) -> Searched:
    """Return what holds for 1 to k − 1 rows in every database that facts allow, the patterns of the fewest terms.

    All conjunctions of few rows are found, or where there are none, all pairs of cells or, where there are none either,
    unions of more. If nothing is found and nothing left undecided, no pattern of AND, OR and NOT over the published
    items holds for 1 to k − 1 rows in every database that fits.

    The unknowns are the numbers of rows of each possible kind, over all items and in whole numbers. Of the publisher's
    own ``rows`` only what is rare in them can be inferred to be so (Lemma C1).

    >>> from discreet import mine
    >>> rows = ["", "a", "b", "c", *["ab"] * 3, *["ac"] * 3, *["bc"] * 3]
    >>> print(*exact(Facts.of(mine([list(row) for row in rows], min_support=3)), k=2).findings)
    (a ∧ b ∧ c) ∨ (¬a ∧ ¬b ∧ ¬c): 1 row
    """
    ground = Ground(facts)
    many = len(ground.items)
    if many > ITEMS:
        why = f"all that can be said of {ITEMS} items is looked at, and no more"
        return Searched((), (Undecided(1, f"publications of {many:,} items", why),))
    region = Region(build_system(ground, ground.everything, most=1 << ITEMS), Clock.of(seconds), whole=True)
    search, is_over = Search(ground, region, k), False
    try:
        own = None if rows is None else region.system.counts(ground.rows(rows))
        if own is None:
            region.least(np.zeros(len(region.system.rows)))
        else:
            region.witnesses.append(own)
        search.look()
    except TimeIsUpError:
        is_over = True
    return Searched(tuple(search.findings), tuple(_left(search, seconds, is_over=is_over)))


def _left(search: Search, seconds: float, *, is_over: bool) -> Iterator[Undecided]:
    """Yield the undecided cases with their reasons."""
    if is_over:
        yield Undecided(1, f"publications of {search.many:,} items", f"the {seconds:g} seconds were over")
    elif search.is_open:
        yield Undecided(1, "publications as to other patterns", "channels are open; block them first")
    elif search.is_cut:
        yield Undecided(1, "publications as to further patterns", f"{UNIONS} are listed")
    if search.unproven:
        yield Undecided(search.unproven, "patterns", "whole numbers leave few rows, but no sum of supports proves it")


def _cell(at: Sequence[int]) -> tuple[Bits, frozenset[Bits]]:
    """Return the items that a place in a cube says something of, and what rows hold of them."""
    over = sum(1 << item for item, value in enumerate(at) if value != EITHER)
    return over, frozenset([sum(1 << item for item, value in enumerate(at) if value == 1)])
