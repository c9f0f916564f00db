"""Bounds: the fewest and the most rows that match a pattern in any database that fits a publication."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.certificate import Certificate, check
from discreet.disclosure.attacks.constraints import MOST_ROWS, Ground, System, widen_systems
from discreet.disclosure.attacks.facts import Facts, Schema
from discreet.disclosure.attacks.feasible import TINY, Clock, Region, TimeIsUpError, Wanted, prove
from discreet.disclosure.attacks.finding import Finding, Proven
from discreet.disclosure.attacks.formula import Pattern
from discreet.disclosure.attacks.joint_releases import as_releases, join_facts
from discreet.errors import BudgetError
from discreet.runtime.solver import Floats

SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Bounds(Proven):
    """From ``low`` to ``high`` rows match a pattern in every database that fits the facts.

    If ``is_tight``, databases reach both limits; if not, other items or whole numbers may narrow them. The certificate
    proves the limits in exact sums of supports; if ``is_proven`` is false it proves wider ones, and only the solver
    supports the rest.
    """

    low: int
    high: int
    is_tight: bool
    certificate: Certificate
    facts: Facts = field(repr=False, compare=False)

    @property
    def is_proven(self) -> bool:
        """Whether the certificate proves these very limits."""
        return (self.low, self.high) == (self.certificate.claim.low, self.certificate.claim.high)

    @property
    def sentence(self) -> str:
        """The limits in words, with the sums that prove them."""
        sentence = Finding(self.certificate, "exact" if self.is_tight else "linear", self.facts).sentence
        if self.is_proven:
            return sentence
        limits = f"{self.low:,} to {self.high:,}"
        return f"{sentence}; no more than that can be proven by sums, but whole numbers leave {limits}"

    def check(self) -> None:
        """Return if the certificate proves its limits from the facts; else raise a GuaranteeError."""
        check(self.facts, [self.certificate])

    def __str__(self) -> str:
        limits = f"{self.low:,}" if self.low == self.high else f"{self.low:,} to {self.high:,}"
        return f"{self.pattern.words(self.facts.labels)}: {limits} row{'s' * (self.high != 1)}"


def bounds(
    patterns: Patterns | Facts,
    pattern: str | Pattern,
    *,
    complete: bool | None = None,
    schema: Schema | None = None,
    against: Patterns | Iterable[Patterns] = (),
    grown: bool = False,
    seconds: float = SECONDS,
) -> Bounds:
    """Return the tightest limits that published itemsets set to the rows of a pattern, with their proof.

    The pattern is a query such as ``a & b & ~c``. If few kinds of rows are possible, all items are used together; else
    those of the pattern and as many items of nearby tops as possible. ``complete``, ``schema``, ``against`` and
    ``grown`` mean what they do for ``attack``. If rows have grown, the item ``before`` marks those of the older
    release; of several, ``before1``, ``before2`` and so on.

    >>> from discreet import mine
    >>> rows = ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"]
    >>> found = bounds(mine([list(row) for row in rows], min_support=3), "a & b & c")
    >>> print(found, found.is_tight)
    a ∧ b ∧ c: 1 row True
    >>> found.sentence
    'sup(abc) is 1, because sup(ac) 3 + sup(b) 7 − n 9 = 1 and sup(ab) 3 + sup(ac) 3 + sup(bc) 3 + n 9 − sup(a) 5 − \
sup(b) 7 − sup(c) 5 = 1 bound it'
    """
    facts = join_facts(patterns, as_releases(against, grown=grown), grown=grown, complete=complete, schema=schema)
    if facts.n > MOST_ROWS:
        raise BudgetError(f"it is not told of how many rows these facts are, or more than {MOST_ROWS:,}; give their n")
    asked = pattern if isinstance(pattern, Pattern) else Pattern.parse(pattern, facts.labels)
    ground = Ground(facts, asked.over)
    over, cells = ground.bits(asked.over), frozenset(map(ground.bits, asked.cells))
    clock, systems = Clock.of(seconds), list(widen_systems(ground, over, ground.everything))
    widest = Region(systems[-1], clock)
    truth = widest.system.truth(over, cells)
    try:
        low, high = widest.limits(truth)
    except TimeIsUpError:
        raise BudgetError(f"the {seconds:g} seconds were over; allow for more, or ask for fewer items") from None
    proof = _prove_nearest(systems, Wanted(over, cells, low, high), clock)
    whole = _find_whole_limits(widest, truth) if widest.system.universe == ground.everything else None
    return Bounds(*(whole or (low, high)), is_tight=whole is not None, certificate=proof, facts=facts)


def _find_whole_limits(region: Region, truth: Floats) -> tuple[int, int] | None:
    """Return the limits in whole numbers, or None if time runs out."""
    if all(np.abs(witness - np.round(witness)).max(initial=0) < TINY for witness in region.witnesses):
        # Both extreme solutions are in whole numbers: they are databases.
        low, high = (round(float(truth @ np.round(witness))) for witness in region.witnesses)
        return low, high
    try:
        return Region(region.system, region.clock, whole=True).limits(truth)
    except TimeIsUpError:
        return None


def _prove_nearest(systems: list[System], wanted: Wanted, clock: Clock) -> Certificate:
    """Return the proof of limits or, if the solver was off, of the nearest provable ones."""
    n = systems[0].ground.facts.n
    for slack in range(n + 1):
        wider = wanted._replace(low=max(0, wanted.low - slack), high=min(n, wanted.high + slack))
        proof = prove(systems, wider, clock)
        if proof is not None:
            return proof
    raise BudgetError("no limits could be proven; ask for fewer items")
