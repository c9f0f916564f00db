"""Measures of rules, such as lift: what each says of the consequent, once support and confidence are known.

Each is a function of the shares of rows s of both sides, a of the antecedent and c of the consequent, and s / a is the
confidence. Solved for c it is a quotient whose parts are linear in support, confidence and measure, one at a time: so
over intervals of these the least and the most are at corners, if nothing is divided by 0 in between.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Final, TypeAlias

from discreet.publications.rules.rounding import Interval

Solution: TypeAlias = Callable[[Fraction, Fraction, Fraction], tuple[Fraction, Fraction]]
"""From support, confidence and measure to the share of the consequent, as what is divided and by what."""

ONE: Final = Fraction(1)


def lift(_support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve s / (a c) = measure."""
    return confidence, measure


def leverage(support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve s − a c = measure."""
    return (support - measure) * confidence, support


def conviction(_support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve (1 − c) / (1 − s / a) = measure."""
    return 1 - measure * (1 - confidence), ONE


def jaccard(support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve s / (a + c − s) = measure."""
    return support * (confidence + measure * confidence - measure), measure * confidence


def certainty(_support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve (s / a − c) / (1 − c) = measure."""
    return confidence - measure, 1 - measure


def certainty_below(_support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve (s / a − c) / c = measure, as arules has it where c is larger than the confidence."""
    return confidence, 1 + measure


def kulczynski(support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve (s / a + s / c) / 2 = measure."""
    return support, 2 * measure - confidence


def zhang(support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve (s − a c) / (s (1 − a)) = measure, which is not below 0."""
    return confidence * (1 - measure) + measure * support, ONE


def zhang_below(support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve (s − a c) / (a (c − s)) = measure, which is below 0."""
    return confidence + measure * support, 1 + measure


def cosine(support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve s² / (a c) = measure², where nothing is below 0."""
    return support * confidence, measure * measure


def added_value(_support: Fraction, confidence: Fraction, measure: Fraction) -> tuple[Fraction, Fraction]:
    """Solve s / a − c = measure."""
    return confidence - measure, ONE


MEASURES: Final[Mapping[str, tuple[tuple[Solution, ...], tuple[Solution, ...]]]] = {
    "lift": ((lift,), ()),
    "leverage": ((leverage,), (leverage,)),
    "conviction": ((conviction,), ()),
    "jaccard": ((jaccard,), ()),
    "certainty": ((certainty,), (certainty, certainty_below)),
    "kulczynski": ((kulczynski,), ()),
    "zhangs_metric": ((zhang,), (zhang_below,)),
    "cosine": ((cosine,), ()),
    "addedvalue": ((added_value,), (added_value,)),
}
"""What each column of a table of rules may mean, in small letters: where it is from 0 on, and where it is below 0."""


def consequent(name: str, support: Interval, confidence: Interval, measure: Interval) -> Interval | None:
    """Return the share of rows that may hold the consequent; None where the measure leaves that open.

    >>> half = Interval(Fraction(1, 2), Fraction(1, 2))
    >>> low, high, _ = consequent("lift", half, half, Interval(Fraction(5, 4), Fraction(5, 3)))
    >>> str(low), str(high)
    ('3/10', '2/5')
    """
    found = [_at_corners(solution, support, confidence, part) for solution, part in _parts(name, measure)]
    ends = [end for interval in found if interval is not None for end in interval[:2]]
    return Interval(min(ends), max(ends)) if ends and None not in found else None


def _parts(name: str, measure: Interval) -> Iterator[tuple[Solution, Interval]]:
    """Yield the solutions of a measure, each with the part of the interval that it is for."""
    above, below = MEASURES[name]
    zero = Fraction(0)
    if measure.high >= 0:
        yield from ((solution, Interval(max(zero, measure.low), measure.high)) for solution in above)
    if measure.low < 0:
        yield from ((solution, Interval(measure.low, min(zero, measure.high))) for solution in below)


def _at_corners(solution: Solution, *sides: Interval) -> Interval | None:
    """Return the least and the most of a solution over a box; None where it may divide by 0."""
    found = [solution(*corner) for corner in product(*(dict.fromkeys(side[:2]) for side in sides))]
    if min(below for _, below in found) <= 0:
        return None
    quotients = [above / below for above, below in found]
    return Interval(min(quotients), max(quotients))
