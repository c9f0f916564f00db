"""Fitting: which whole numbers of rows have a confidence that is known within an interval."""

from fractions import Fraction
from math import ceil, floor
from typing import Final, NamedTuple

from discreet.publications.rules.rounding import Interval
from discreet.publications.rules.rule import UNKNOWN, Limits

TRIED: Final = 1000
"""Supports that a rule may have, up to which each is tried; of more, only the ends are."""


class Fit(NamedTuple):
    """The least and the most that the antecedent, both sides, and the antecedent without the rest are held by."""

    held: Limits
    both: Limits
    gap: Limits


def fitted(confidence: Interval, held: Limits, both: Limits, *, tried: int = TRIED) -> Fit | None:
    """Return how the limits of ``held`` and ``both`` narrow if both / held is the confidence; None if nothing fits.

    >>> fitted(Interval(Fraction("0.45"), Fraction("0.55")), (0, 200), (80, 80))
    Fit(held=(146, 177), both=(80, 80), gap=(66, 97))
    """
    held = (max(1, held[0]), held[1])  # nobody reckons the confidence of what nobody holds
    if both[1] - both[0] >= tried or not confidence.low:
        return _at_ends(confidence, held, both)
    found = [
        (count, *ends)
        for count in range(both[0], both[1] + 1)
        if (ends := _antecedents(confidence, count, held))[0] <= ends[1]
    ]
    if not found:
        return None
    return Fit(
        (min(least for _, least, _ in found), max(most for _, _, most in found)),
        (found[0][0], found[-1][0]),
        (min(least - count for count, least, _ in found), max(most - count for count, _, most in found)),
    )


def _antecedents(confidence: Interval, both: int, held: Limits) -> Limits:
    """Return how many rows may hold the antecedent if ``both`` hold both sides."""
    (above, below), (over, under) = confidence.high.as_integer_ratio(), confidence.low.as_integer_ratio()
    if above > below:
        least = both
    elif not above:
        return (1, 0) if both or confidence.open else held
    else:  # in whole numbers, since this is reckoned most often
        least = both * below // above + 1 if confidence.open else -(-both * below // above)
    return max(held[0], least), min(held[1], both * under // over if over else UNKNOWN)


def _at_ends(confidence: Interval, held: Limits, both: Limits) -> Fit | None:
    """Return what the ends of intervals say: a little less than each number between them would, unless low is 0."""
    end = held[1] * min(confidence.high, Fraction(1))
    is_below = confidence.open and confidence.high <= 1
    least = max(both[0], ceil(held[0] * confidence.low))
    largest = min(both[1], ceil(end) - 1 if is_below else floor(end))
    fewest, most = _antecedents(confidence, least, held)[0], _antecedents(confidence, largest, held)[1]
    if fewest > most or least > largest:
        return None
    # The smaller the support, the fewer rows lack the consequent at least.
    lacking = max(0, fewest - largest, _antecedents(confidence, least, (0, UNKNOWN))[0] - least)
    widest = most - least
    if confidence.low:
        widest = min(widest, floor(largest * (1 / confidence.low - 1)))
    return Fit((fewest, most), (least, largest), (lacking, widest))
