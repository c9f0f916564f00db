"""Exact: all that follows from published supports about a few items, by integer programs over every possible row.

Over all items, a pattern is a set of kinds of rows. One program chooses a set that has 1 to k − 1 rows in each database
met so far, and another seeks a database that contradicts it. If no set is left, nothing can be inferred; if no database
is found, the set is inferred.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import chain, combinations, compress
from math import ceil, floor
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.transactions import Rows
from discreet.disclosure.attacks.certificate import proves
from discreet.disclosure.attacks.constraints import Bits, Ground, build_system
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import TINY, Clock, Region, TimeIsUpError, Wanted, are_rare, find_certificate
from discreet.disclosure.attacks.finding import Finding, Searched, Undecided
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError, Option
from discreet.runtime.solver import Floats, Program, list_entries

Kinds: TypeAlias = NDArray[np.bool_]  # whether a pattern is true, for each kind of rows
Cube: TypeAlias = Floats  # one axis per item: rows that lack it, rows that hold it and, if there is a third place, all

SECONDS: Final = 60.0
WEIGHT: Final = 64.0  # cost of a row of a chosen kind; one of another kind that is always rare costs 1
ITEMS: Final = 12  # that may be published: there are 3 ** 12 conjunctions
EITHER: Final = 2  # the place on an item's axis of rows that may hold it or not
PAIRED: Final = 9  # items up to which pairs of cells are looked at by themselves: there are 5 ** 9
UNIONS: Final = 16  # patterns of more cells to list


@dataclass(eq=False)
class Unions:
    """The search for sets of kinds of rows that hold 1 to k − 1 rows in every database of a region."""

    region: Region
    k: int
    found: list[Kinds] = field(default_factory=list)
    rare: set[int] = field(default_factory=set)

    def __iter__(self) -> Iterator[Kinds]:
        """Yield the smallest such sets, those of the fewest kinds first; at the end, every such set holds one."""
        while (chosen := self._choose()) is not None:
            if not self._is_refuted(chosen):
                self.found.append(chosen)
                yield chosen

    def _list_met(self) -> NDArray[np.int64]:
        """Return the different databases that were met; larger numbers of rows count as k."""
        return np.unique(np.minimum(self.region.witnesses, self.k).astype(np.int64), axis=0)

    def _choose(self) -> Kinds | None:
        """Return the fewest kinds that hold 1 to k − 1 rows in each database met so far; None if there are none."""
        met = self._list_met()
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
        """Return whether a database contradicts some kinds; it is then among those met."""
        for costs, enough in self._list_questions(chosen):
            self.region.least(costs, enough)
            if not 0 < self.region.witnesses[-1] @ chosen < self.k:
                return True
        return False

    def _list_questions(self, chosen: Kinds) -> Iterator[tuple[Floats, float]]:
        """Yield the costs of a database to look for, and which are low enough: first those that refute much else."""
        for kind in set(np.flatnonzero(chosen).tolist()) - self.rare:
            yield -np.eye(1, chosen.size, kind)[0], -self.k
            self.rare.add(kind)  # or nothing would have asked further
        truth = chosen.astype(np.float64)
        yield WEIGHT * truth + (self._list_met().max(axis=0) < self.k), 0.0
        yield truth, 0.0
        yield -truth, -self.k


@dataclass(eq=False)
class ExactSearch:
    """The search of one publication over all of its items."""

    ground: Ground
    region: Region
    k: int
    findings: list[Finding] = field(default_factory=list)
    rare: list[Floats] = field(default_factory=list)
    unproven: int = 0
    is_cut: bool = False
    is_open: bool = False

    @property
    def many(self) -> int:
        """The number of items."""
        return len(self.ground.items)

    @cached_property
    def known(self) -> Kinds:
        """The conjunctions that say more than one that is rare: none at first."""
        return np.zeros((3,) * self.many, dtype=np.bool_)

    def look(self) -> None:
        """Look whether any pattern is rare, and if so for those of the fewest terms.

        Patterns of more terms would describe the same rows in other words. If no conjunction is rare, two cells
        together may be (Theorem A3): all rows that would leave the one enter the other.
        """
        unions = iter(Unions(self.region, self.k))
        first = next(unions, None)
        if first is None:
            return
        self._find_conjunctions()
        if self.many <= PAIRED and not self.known.any():
            self._find_pairs()
        if not self.rare and not self.known.any():
            self._find_unions(chain([first], unions))
        self.is_open = not self.rare

    def _count(self, witness: Floats) -> Cube:
        """Return how many rows of a database match each conjunction."""
        counts = np.zeros((2,) * self.many)
        for row, count in zip(self.region.system.rows, witness.tolist(), strict=True):
            counts[tuple(row >> place & 1 for place in range(self.many))] = count
        for axis in range(self.many):
            counts = np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)
        return counts

    def _clear(self, is_open: Kinds, seen: int) -> int:
        """Clear conjunctions that are not rare in a witness behind the first ``seen``; return how many there are."""
        for witness in self.region.witnesses[seen:]:
            is_open &= are_rare(self._count(witness), self.k)
        return len(self.region.witnesses)

    def _find_conjunctions(self) -> None:
        """Look at all conjunctions, those of few items first; what says more than a rare one needs no look."""
        self._mark_channels(self._count(self.region.witnesses[0]))
        is_open = np.array(~self.known)
        seen = self._clear(is_open, 0)
        for at in _list_shortest(is_open):
            seen = self._clear(is_open, seen)
            if is_open[at] and not self.known[at] and self._test(*_as_cell(at)):
                self._mark(at)

    def _find_pairs(self) -> None:
        """Look at pairs of cells that differ in two items or more, whatever else they say, those of few items first."""
        cubes: list[Cube] = []
        for size in range(2, self.many + 1):
            for chosen in combinations(range(self.many), size):
                cubes += map(self._count, self.region.witnesses[len(cubes) :])
                self._find_pairs_over(chosen, cubes)

    def _find_pairs_over(self, chosen: tuple[int, ...], cubes: Iterable[Cube]) -> None:
        cut = tuple(slice(0, 2) if item in chosen else slice(None) for item in range(self.many))
        sums = (counts[cut] + np.flip(counts[cut], axis=chosen) for counts in cubes)
        is_open = reduce(np.logical_and, (are_rare(each, self.k) for each in sums))
        for at in _list_shortest(is_open):
            over, (cell,) = _as_cell(at)
            pair = frozenset([cell, cell ^ sum(1 << item for item in chosen)])
            # Each pair is met twice: once with the first of its items, once without.
            if at[chosen[0]] and not self._is_known(over, pair):
                self._test(over, pair)

    def _find_unions(self, unions: Iterable[Kinds]) -> None:
        """Add sets of kinds of rows that are rare as patterns, up to a limit."""
        for kinds in unions:
            pattern = self.shorten(kinds)
            if not self._is_known(*pattern) and not self._test(*pattern):
                raise TimeIsUpError  # the solver contradicts itself
            if len(self.rare) == UNIONS:
                self.is_cut = True
                return

    def shorten(self, kinds: Kinds) -> tuple[Bits, frozenset[Bits]]:
        """Return kinds of rows as a pattern of as few items as possible, which may be true for more kinds."""
        over, cells = self.ground.everything, frozenset(compress(self.region.system.rows, kinds.tolist()))
        for place in range(self.many):
            fewer = over & ~(1 << place)
            shorter = frozenset(cell & fewer for cell in cells)
            if self._limit_rare(self.region.system.truth(fewer, shorter)) is not None:
                over, cells = fewer, shorter
        return over, cells

    def _mark_channels(self, counts: Cube) -> None:
        """Mark what says more than a conjunction whose rows are few by sums of supports alone."""
        for part in self.ground.parts(self.ground.everything):
            inside = tuple(slice(None) if part >> item & 1 else slice(EITHER, None) for item in range(self.many))
            for place in np.argwhere(are_rare(counts[inside], self.k)).tolist():
                self._mark([value if part >> item & 1 else EITHER for item, value in enumerate(place)])

    def _mark(self, at: Iterable[int]) -> None:
        self.known[tuple(slice(None) if value == EITHER else value for value in at)] = True

    def _test(self, over: Bits, cells: frozenset[Bits]) -> bool:
        """Add a pattern if it is rare; return whether it is."""
        truth = self.region.system.truth(over, cells)
        limits = self._limit_rare(truth)
        if limits is not None:
            self.rare.append(truth)
            self._add(over, cells, limits)
        return limits is not None

    def _is_known(self, over: Bits, cells: frozenset[Bits]) -> bool:
        """Return whether a pattern follows from one that was found before, or that one from it."""
        truth = self.region.system.truth(over, cells)
        return any((truth <= known).all() or (truth >= known).all() for known in self.rare)

    def _limit_rare(self, truth: Floats) -> tuple[int, int] | None:
        """Return the fewest and the most rows of a pattern that is rare; None if it is not."""
        low, high = self.region.least(truth, 0), -np.inf
        if low > TINY:
            high = self.region.least(-truth, -self.k)
        return (ceil(low - TINY), floor(TINY - high)) if high > TINY - self.k else None

    def _add(self, over: Bits, cells: frozenset[Bits], limits: tuple[int, int]) -> None:
        """Add a finding with its proof; sums alone may prove less than whole numbers do."""
        system, clock = self.region.system, self.region.clock
        loose = Region(system, clock).limits(system.truth(over, cells))
        for least, most in dict.fromkeys([limits, loose]):
            proof = find_certificate(system, Wanted(over, cells, max(1, least), most), clock)
            if proof is not None and most < self.k and proves(self.ground.facts, proof):
                self.findings.append(Finding(proof, "exact", self.ground.facts))
                return
        self.unproven += 1


def exact(facts: Facts, *, k: int, rows: Rows | None = None, seconds: float = SECONDS) -> Searched:
    """Return what holds for 1 to k − 1 rows in every database that facts allow, the patterns of the fewest terms.

    These are all rare conjunctions; if there are none, all rare pairs of cells; and if there are none either, unions of
    more. If nothing is found and nothing left undecided, no pattern of AND, OR and NOT over the published items holds
    for 1 to k − 1 rows in every database that fits.

    The unknowns are the numbers of rows of each possible kind, over all items and in whole numbers. Only patterns that
    are rare in the publisher's own ``rows`` can be inferred to be rare (Lemma C1).

    >>> from discreet import mine
    >>> rows = ["", "a", "b", "c", *["ab"] * 3, *["ac"] * 3, *["bc"] * 3]
    >>> print(*exact(Facts.of(mine([list(row) for row in rows], min_support=3)), k=2).findings)
    (a ∧ b ∧ c) ∨ (¬a ∧ ¬b ∧ ¬c): 1 row
    """
    ground = Ground(facts)
    many = len(ground.items)
    if many > ITEMS:
        why = f"all that can be said of {ITEMS} items is looked at, and no more"
        return Searched((), (Undecided(1, f"publication of {many:,} items", why),))
    region = Region(build_system(ground, ground.everything, most=1 << ITEMS), Clock(seconds), whole=True)
    search, is_over = ExactSearch(ground, region, k), False
    try:
        _meet_own(region, rows)
        search.look()
    except TimeIsUpError:
        is_over = True
    return Searched(tuple(search.findings), tuple(_list_undecided(search, seconds, is_over=is_over)))


def find_agreed(facts: Facts, *, k: int, rows: Rows | None = None, seconds: float = SECONDS) -> Pattern | None:
    """Return a pattern that holds for 1 to k − 1 rows in every database that facts allow; None if there is none.

    It has as few items as possible, and no proof. If more than 2 ** 12 kinds of rows are possible, or the time is over,
    that is a BudgetError.

    >>> from discreet import mine
    >>> rows = ["", "a", "b", "c", *["ab"] * 3, *["ac"] * 3, *["bc"] * 3]
    >>> facts = Facts.of(mine([list(row) for row in rows], min_support=3))
    >>> print(find_agreed(facts, k=2).words(facts.labels), find_agreed(facts, k=1))
    (a ∧ b ∧ c) ∨ (¬a ∧ ¬b ∧ ¬c) None
    """
    ground = Ground(facts)
    region = Region(build_system(ground, ground.everything, most=1 << ITEMS), Clock(seconds), whole=True)
    try:
        _meet_own(region, rows)
        kinds = next(iter(Unions(region, k)), None)
        if kinds is None:
            return None
        over, cells = ExactSearch(ground, region, k).shorten(kinds)
    except TimeIsUpError:
        why = f"whether all possible tables agree on fewer than {k} rows was not decided in {seconds:.2g} seconds"
        remedy = Option("min_support"), ", or withstand sums alone with ", Option("against", "plain")
        raise BudgetError(f"{why}; nothing is released: raise ", *remedy) from None
    return Pattern(ground.codes(over), frozenset(map(ground.codes, cells)))


def _meet_own(region: Region, rows: Rows | None) -> None:
    """Start with a database that fits: the ``rows``, if they are known."""
    own = None if rows is None else region.system.counts(region.system.ground.rows(rows))
    if own is None:
        region.least(np.zeros(len(region.system.rows)))
    else:
        region.witnesses.append(own)


def _list_undecided(search: ExactSearch, seconds: float, *, is_over: bool) -> Iterator[Undecided]:
    if is_over:
        yield Undecided(1, f"publication of {search.many:,} items", f"the {seconds:.2g} seconds were over")
    elif search.is_open:
        yield Undecided(1, "publication as to other patterns", "fix the findings first, then test again")
    elif search.is_cut:
        yield Undecided(1, "publication as to further patterns", f"{UNIONS} are listed")
    if search.unproven:
        yield Undecided(search.unproven, "patterns", "whole numbers leave few rows, but no sum of supports proves it")


def _list_shortest(is_open: Kinds) -> list[tuple[int, ...]]:
    """Return the places in a cube that are open, those of the fewest items first."""
    places = np.argwhere(is_open)
    order = np.argsort((places != EITHER).sum(axis=1), kind="stable")
    return [tuple(at) for at in places[order].tolist()]


def _as_cell(at: Sequence[int]) -> tuple[Bits, frozenset[Bits]]:
    """Return the items that a place in a cube says something about, and those of them that rows hold."""
    over = sum(1 << item for item, value in enumerate(at) if value != EITHER)
    return over, frozenset([sum(1 << item for item, value in enumerate(at) if value == 1)])
