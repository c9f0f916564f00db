"""Belief: how probable it is that patterns hold for few rows, where nothing is certain."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb, floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.data.patterns import Patterns
from discreet.data.schema import Groups
from discreet.data.thresholds import as_k
from discreet.disclosure.attacks.attack import VISITS
from discreet.disclosure.attacks.constraints import KINDS, LONGEST, Bits, Ground, System, build_system
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import Clock, TimeIsUpError
from discreet.disclosure.attacks.finding import Undecided
from discreet.disclosure.attacks.joint_releases import as_releases, join_facts
from discreet.disclosure.beliefs.counting import count_few
from discreet.disclosure.beliefs.entropy import fit_entropy
from discreet.disclosure.beliefs.result import FAINT, FULL, Belief, Believed, BelievedPatterns, How
from discreet.disclosure.beliefs.sampling import sample_few
from discreet.disclosure.beliefs.screening import Likely, screen
from discreet.disclosure.beliefs.tables import (
    MOST_COLUMNS,
    KnownSum,
    Prior,
    as_prior,
    cap_columns,
    check_numbers,
    list_sums,
)
from discreet.disclosure.people import are_visits
from discreet.errors import BudgetError, InputError, OptionError

SECONDS: Final = 60.0
LIMIT: Final = 20
BEYOND: Final = 2  # items more than a top
MOST_SCREENED: Final = 1_000_000  # combinations with so many items more that a model looks at
CLOSER: Final = 10  # likely universes kept for a closer look, for each pattern to be listed


def belief(  # noqa: PLR0913 - all but one by their names, and each a choice of its own
    patterns: Patterns | Facts,
    *,
    k: int,
    prior: Prior = "entropy",
    complete: bool | None = None,
    schema: str | Groups | None = None,
    max_length: int | None = None,
    against: Patterns | Iterable[Patterns] = (),
    grown: bool = False,
    limit: int = LIMIT,
    seed: int = 1,
    seconds: float = SECONDS,
) -> Belief:
    """Return how probable it is that a pattern over a top and one or two items more holds for 1 to k − 1 rows.

    A top is a published itemset that no other one contains; a pattern says for each item whether rows hold it. The
    ``prior`` "entropy" takes all lists of rows that fit as equally likely, "uniform" all tables of counts.
    Probabilities are counted exactly if that is quick; if not, tables that fit are sampled, from a ``seed``, with a
    standard error. Patterns within a group that sums of supports already show to be small are left to ``detect``.

    ``complete``, ``schema``, ``max_length``, ``against`` and ``grown`` mean what they do for ``attack``. A quick model
    says where to look first. The search ends when the list of at most ``limit`` patterns is full and the quick model
    finds nothing more likely, or after some ``seconds``; ``left_out`` counts what it did not look at. This is no proof:
    it depends on the prior.

    >>> from discreet import mine
    >>> rows = ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"]
    >>> found = belief(mine([list(row) for row in rows], min_support=3), k=2)
    >>> print(*found.patterns, found.largest)
    1.000  a ∧ b ∧ c (counted; 1.0 rows expected) 1.0
    """
    if not isinstance(patterns, Patterns | Facts):
        raise OptionError(
            f"belief is about patterns, not {type(patterns).__name__}; give what mine or read_patterns returns"
        )
    if isinstance(patterns, Patterns) and patterns.kind == "maximal":
        raise OptionError("maximal itemsets do not tell the supports of their parts; give closed or frequent itemsets")
    check_numbers(limit=limit, seed=seed)
    olds = as_releases(against, grown=grown)
    facts = join_facts(patterns, olds, grown=grown, complete=complete, schema=schema, max_length=max_length)
    if len(set(facts.limits(frozenset()))) > 1:
        raise InputError("belief needs the exact number of rows, but only limits of it are published")
    search = _Search(Ground(facts), as_k(k), as_prior(prior), limit, seed, Clock(seconds))
    found = sorted(search.look(), key=lambda one: (-one.belief, len(one.held + one.lacked), one.words))
    unlisted = Undecided(max(0, len(found) - limit), "patterns", f"only the {limit:,} largest beliefs are listed")
    is_by_visit = isinstance(patterns, Patterns) and are_visits(patterns)
    left_out = [*search.list_left_out(seconds), unlisted, *[VISITS] * is_by_visit]
    return Belief(
        search.k,
        search.prior,
        facts.absent is not None,
        BelievedPatterns(found[:limit]),
        search.looked_at,
        search.steps,
        tuple(one for one in left_out if one.many),
        search.unreached + search.unseen + search.too_large + search.crowd,
    )


@dataclass(eq=False)
class _Search:
    """The search of one publication: a quick model for each universe, then counts and samples for likely ones."""

    ground: Ground
    k: int
    prior: Prior
    limit: int
    seed: int
    clock: Clock
    looked_at: int = 0
    steps: int = 0
    faint: int = 0
    covered: int = 0
    unseen: int = 0
    unreached: int = 0
    needless: int = 0
    too_large: int = 0
    crowd: int = 0
    seen: set[Bits] = field(default_factory=set)
    found: list[Believed] = field(default_factory=list)

    def look(self) -> list[Believed]:
        """Return the patterns with noticeable beliefs; those over fewer items more are looked for first."""
        for many in range(BEYOND + 1):
            if self._is_full(FULL):
                self.needless += self.ground.count_universes(many)
                continue
            self._look_at_limits(many)
            if not many:
                continue
            if self.ground.count_universes(many) > MOST_SCREENED:
                self.crowd += self.ground.count_universes(many)
                continue
            most = CLOSER * self.limit
            seen = screen(self.ground, many, k=self.k, prior=self.prior, least=FAINT, most=most, clock=self.clock)
            self.faint, self.unseen = self.faint + seen.faint, self.unseen + seen.unseen
            self.too_large += seen.large
            left = self._look_at_each(seen.best)
            if left and self._is_full(left[0].guess):
                self.needless += seen.dropped + len(left)
            else:
                self.unreached += seen.dropped + len(left)
                self.found += [self._name(*one[:3], None, one.expected, "screened") for one in left]
        return self.found

    def _look_at_limits(self, many: int) -> None:
        """Look at the tops of which only limits are known, with so many items more; no model screens these."""
        ground, most = self.ground, CLOSER * self.limit
        tops = sorted({*ground.tops}.difference(ground.known))
        if sum(comb((ground.everything & ~top).bit_count(), many) for top in tops) > most:
            self.too_large += len(tops)
            return
        beyond = [top | one for top in tops for one in ground.list_more(top, many)]
        self.unreached += len(self._look_at_each([Likely(universe, 0, 1.0, 0.0) for universe in beyond]))

    def _is_full(self, guess: float) -> bool:
        """Return whether the list is full of beliefs that are as large as a guess, in whole percent."""
        least = floor(100 * min(FULL, guess)) / 100
        return sum(one.belief >= least for one in self.found) >= self.limit

    def _look_at_each(self, best: Sequence[Likely]) -> Sequence[Likely]:
        """Look at universes until the list is full, or time is over; return those that are left."""
        try:
            for done, one in enumerate(best):
                if self._is_full(one.guess):
                    return best[done:]
                if one.universe not in self.seen:
                    self.found += self._look_at(one.universe)
                    self.seen.add(one.universe)
        except TimeIsUpError:
            return best[done:]
        return ()

    def _look_at(self, universe: Bits) -> list[Believed]:
        """Return the patterns over the items of one universe that are believed to hold for few rows."""
        try:
            system = build_system(self.ground, universe, most=KINDS)
            is_open = self._are_open(system, list_sums(system))
            beliefs, errors, how = self._estimate(system)
        except BudgetError:
            self.too_large += 1
            return []
        chosen = [at for at in np.flatnonzero(is_open).tolist() if beliefs[at] >= FAINT]
        expected = fit_entropy(system, self.clock) if chosen else np.zeros(0)
        self.looked_at += int(is_open.sum())
        self.covered += int((~is_open).sum())
        return [
            self._name(universe, system.rows[at], beliefs[at], errors[at], float(expected[at]), how) for at in chosen
        ]

    def _estimate(self, system: System) -> tuple[Sequence[Fraction | float], Sequence[float | None], How]:
        """Return for each possible row its belief and the error of that, and how they were found."""
        self.clock.left()
        counted = count_few(system, k=self.k, prior=self.prior)
        if counted is not None:
            return counted, [0.0] * len(counted), "counted"
        sample = sample_few(system, k=self.k, prior=self.prior, seed=(self.seed, system.universe), clock=self.clock)
        self.steps += sample.steps
        pairs = zip(sample.errors.tolist(), sample.is_settled.tolist(), strict=True)
        return sample.beliefs.tolist(), [error if is_settled else None for error, is_settled in pairs], "sampled"

    def _are_open(self, system: System, sums: Sequence[KnownSum]) -> NDArray[np.bool_]:
        """Return which possible rows are in no cell of a published itemset that is itself small."""
        return cap_columns(system, [one for one in sums if one.is_exact]) >= self.k

    def _name(
        self, universe: Bits, cell: Bits, belief: Fraction | float, error: float | None, expected: float, how: How
    ) -> Believed:
        """Return a pattern by the labels of its items."""
        labels, codes = self.ground.facts.labels, self.ground.codes
        held, lacked = (tuple(labels[item] for item in sorted(codes(side))) for side in (cell, universe & ~cell))
        return Believed(held, lacked, belief, error, expected, how)

    def list_left_out(self, seconds: float) -> list[Undecided]:
        """Return what was not looked at, and why."""
        what, over = "larger combinations", f"the {seconds:g} seconds were over"
        return [
            Undecided(self.needless, what, "the list is full, and a quick model finds nothing more likely"),
            Undecided(self.faint, what, "a quick model gives each of their patterns less than 1 %"),
            Undecided(self.unreached, what, f"{over}; a quick model alone was asked"),
            Undecided(self.unseen, what, f"{over} before any look at them"),
            Undecided(self.crowd, what, f"there are more than {MOST_SCREENED:,} with as many items"),
            Undecided(
                self.too_large, what, f"more than {MOST_COLUMNS} kinds of rows, {LONGEST} items, or counts not exact"
            ),
            Undecided(len(self.ground.balances), "relations", "such as confidences, of which no use is made"),
            Undecided(self.covered, "patterns", "they are within small groups that follow for certain"),
        ]
