"""Belief: how probable it is that patterns hold for few rows, where nothing is certain."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.data.patterns import Patterns
from discreet.data.schema import Groups
from discreet.data.thresholds import as_k
from discreet.disclosure.attacks.attack import VISITS
from discreet.disclosure.attacks.constraints import KINDS, LONGEST, Bits, Ground, System, build_system
from discreet.disclosure.attacks.feasible import Clock, TimeIsUpError
from discreet.disclosure.attacks.finding import Undecided
from discreet.disclosure.attacks.joint_releases import join_facts
from discreet.disclosure.beliefs.counting import count_few
from discreet.disclosure.beliefs.entropy import ROUNDS, fit_entropy, scale
from discreet.disclosure.beliefs.result import FAINT, Belief, Believed, BelievedPatterns, How
from discreet.disclosure.beliefs.sampling import MOST_COLUMNS, sample_few
from discreet.disclosure.beliefs.tables import KnownSum, Prior, as_prior, cap_columns, check_numbers, list_sums
from discreet.disclosure.people import are_visits
from discreet.errors import BudgetError, OptionError
from discreet.runtime.solver import Floats

SECONDS: Final = 60.0
LIMIT: Final = 1000
BEYOND: Final = 2  # items more than a top


def belief(  # noqa: PLR0913 - all but one by their names, and each a choice of its own
    patterns: Patterns,
    *,
    k: int,
    prior: Prior = "entropy",
    complete: bool | None = None,
    schema: str | Groups | None = None,
    max_length: int | None = None,
    limit: int = LIMIT,
    seed: int = 1,
    seconds: float = SECONDS,
) -> Belief:
    """Return how probable it is that a pattern over a top and one or two items more holds for 1 to k − 1 rows.

    A top is a published itemset that no other one contains; a pattern says for each item whether rows hold it. The
    ``prior`` "entropy" takes all lists of rows that fit as equally likely, "uniform" all tables of counts.
    Probabilities are counted exactly if that is quick; if not, tables that fit are sampled, from a ``seed``, with a
    standard error.
    Patterns within a group that sums of supports already show to be small are left to ``detect``.

    ``complete``, ``schema`` and ``max_length`` mean what they do for ``attack``. A quick model comes first, for half of
    the ``seconds``: where it gives less than 1 %, and what there is no time for, is counted in ``left_out``. At most
    ``limit`` patterns are listed. This is no proof: it depends on the prior.

    >>> from discreet import mine
    >>> rows = ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"]
    >>> found = belief(mine([list(row) for row in rows], min_support=3), k=2)
    >>> print(*found.patterns, found.largest)
    1.000  a ∧ b ∧ c (counted; 1.0 rows expected) 1.0
    """
    if not isinstance(patterns, Patterns):
        raise OptionError(
            f"belief is about patterns, not {type(patterns).__name__}; give what mine or read_patterns returns"
        )
    if patterns.kind == "maximal":
        raise OptionError("maximal itemsets do not tell the supports of their parts; give closed or frequent itemsets")
    check_numbers(limit=limit, seed=seed)
    facts = join_facts(patterns, complete=complete, schema=schema, max_length=max_length)
    search = _Search(Ground(facts), as_k(k), as_prior(prior), seed, Clock(seconds), Clock(seconds / 2))
    found = sorted(search.look(), key=lambda one: (-one.belief, len(one.held + one.lacked), one.words))
    unlisted = Undecided(max(0, len(found) - limit), "patterns", f"only the {limit:,} largest beliefs are listed")
    left_out = [*search.list_left_out(seconds), unlisted, *([VISITS] if are_visits(patterns) else [])]
    return Belief(
        search.k,
        search.prior,
        facts.absent is not None,
        BelievedPatterns(found[:limit]),
        search.looked_at,
        search.steps,
        tuple(one for one in left_out if one.many),
    )


class _Screened(NamedTuple):
    """A universe and its most probable cell, by a quick model; the most probable come first."""

    rank: float
    universe: Bits
    cell: Bits
    expected: float


@dataclass(eq=False)
class _Search:
    """The search of one publication: a quick model for each universe, then counts and samples for likely ones."""

    ground: Ground
    k: int
    prior: Prior
    seed: int
    clock: Clock
    half: Clock
    looked_at: int = 0
    steps: int = 0
    faint: int = 0
    covered: int = 0
    unseen: int = 0
    unreached: int = 0
    too_large: set[Bits] = field(default_factory=set)

    def look(self) -> Iterator[Believed]:
        """Yield the patterns with noticeable beliefs."""
        likely, done = sorted(self._screen()), 0
        try:
            for one in likely:
                yield from self._look_at(one.universe)
                done += 1
        except TimeIsUpError:
            self.unreached = len(likely) - done
            for one in likely[done:]:
                yield self._name(one.universe, one.cell, -one.rank, None, one.expected, "screened")

    def _screen(self) -> Iterator[_Screened]:
        """Yield the universes in which a quick model finds something."""
        seen = set[Bits]()
        self.unseen = sum(self.ground.count_universes(many) for many in range(1, BEYOND + 1))
        try:
            for universe in (one for many in range(1, BEYOND + 1) for one in self.ground.list_universes(many)):
                self.half.left()
                self.unseen -= 1
                if universe in seen or (system := self._build(universe)) is None:
                    continue
                seen.add(universe)
                sums = list_sums(system)
                expected, _ = scale(system, sums, np.ones(len(system.rows)), ROUNDS)
                guesses = np.where(self._are_open(system, sums), guess_few(expected, self.k, self.prior), 0.0)
                best = int(guesses.argmax())
                if guesses[best] < FAINT:
                    self.faint += 1
                else:
                    yield _Screened(-float(guesses[best]), universe, system.rows[best], float(expected[best]))
        except TimeIsUpError:
            pass

    def _look_at(self, universe: Bits) -> list[Believed]:
        """Return the patterns over the items of one universe that are believed to hold for few rows."""
        system = build_system(self.ground, universe, most=KINDS)
        is_open = self._are_open(system, list_sums(system))
        try:
            beliefs, errors, how = self._estimate(system)
        except BudgetError:
            self.too_large.add(universe)
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

    def _build(self, universe: Bits) -> System | None:
        """Return the system of a universe; None if too many kinds of rows are possible, or the top is too long."""
        try:
            system = build_system(self.ground, universe, most=KINDS)
        except BudgetError:
            system = None
        if system is None or not set(system.parts) & set(self.ground.known):
            self.too_large.add(universe)
            return None
        return system

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
            Undecided(self.faint, what, "a quick model gives each of their patterns less than 1 %"),
            Undecided(self.unreached, what, f"{over}; a quick model alone was asked"),
            Undecided(self.unseen, what, f"{over} before any look at them"),
            Undecided(len(self.too_large), what, f"more than {MOST_COLUMNS} kinds of rows, or {LONGEST} items"),
            Undecided(self.covered, "patterns", "they are within small groups that detect lists"),
        ]


def guess_few(expected: Floats, k: int, prior: Prior) -> Floats:
    """Return a quick guess of the probability of 1 to k − 1 rows where so many are ``expected``.

    The number is taken as Poisson, or if all tables are equally likely, as geometric.

    >>> guess_few(np.array([1.0, 50.0]), 2, "entropy").round(3).tolist()
    [0.368, 0.0]
    >>> guess_few(np.array([1.0, 50.0]), 2, "uniform").round(3).tolist()
    [0.25, 0.019]
    """
    if prior == "uniform":
        share = expected / (1 + expected)
        return np.asarray(share - share**k)
    term = np.exp(-expected)
    total = np.zeros_like(expected)
    for number in range(1, k):
        term = term * expected / number
        total += term
    return total
