"""Numbers as people write them: text is read exactly, and a share of the rows becomes a count in one place."""

import math
import numbers
import re
from fractions import Fraction
from typing import Final, TypeAlias

from discreet.errors import ThresholdError
from discreet.runtime.text import abbreviate, count_of, part

Threshold: TypeAlias = int | float | Fraction | str

# Floats hold every whole number up to here, so counts stay exact in any table; sums of a thousand fit 64 bits.
LARGEST_COUNT: Final = 2**53
LARGEST_QUOTIENT: Final = 10**6  # a float is read as a quotient of counts up to this
# Every printed float. Longer numbers are refused: Python would write out all zeros of 1e999999999.
NUMBER: Final = re.compile(r"[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,3})?")
COUNT: Final = re.compile(r"[0-9]{1,40}")
QUOTIENT: Final = re.compile(r"[-+]?[0-9]{1,40}/(?=0*[1-9])[0-9]{1,40}")

Share: TypeAlias = float | Fraction | str  # a share from 0 to 1: 0.1, Fraction(1, 10), "10%"

WHOLE: Final = f"whole numbers of rows from 0 to {LARGEST_COUNT}"
NO_NUMBER: Final = "no number of at most 40 digits"
ALLOWED: Final = "give a count such as 813, or a share above 0 and at most 1 such as 0.1 or '10%'"
ALLOWED_DISCLOSURE: Final = "give a share from 0 (hide all of it) to 1 (hide nothing), such as 0.1 or '10%'"


def parse_exact(text: str) -> Fraction | None:
    """Return the number in a text, of at most 40 digits on either side of the point; None for any other text.

    >>> [parse_exact(text) for text in ("12.50", "1e-3", "1/3", "many", "1e999999999")]
    [Fraction(25, 2), Fraction(1, 1000), Fraction(1, 3), None, None]
    """
    return Fraction(text) if NUMBER.fullmatch(text) or QUOTIENT.fullmatch(text) else None


def as_count(min_support: Threshold, n: int) -> int:
    """Return the least number of rows, out of ``n``, that satisfies ``min_support``.

    An integer is a count; a float or a fraction is a share of the rows; text may be either. The result is exact: in
    floats ``ceil(0.28 * 25)`` is 8, and itemsets of 7 rows would be lost. A float that is the quotient of a count and
    ``n`` means that count; any other means the number it prints. The result is at least 1.

    >>> as_count(0.28, 25), as_count("28%", 25), as_count("7", 25), as_count(7, 25), as_count(7 / 9, 9)
    (7, 7, 7, 7, 7)
    >>> as_count(1, 25), as_count(1.0, 25)
    (1, 25)
    """
    if not 0 <= n <= LARGEST_COUNT:
        raise ThresholdError(f"n is {abbreviate(n)}; give the number of rows, from 0 to {LARGEST_COUNT}")
    number = _parse(min_support)
    if isinstance(number, int):
        if not 1 <= number <= LARGEST_COUNT:
            limits = f"a count is at least 1 and at most {LARGEST_COUNT}"
            raise ThresholdError(f"min support is the count {abbreviate(number)}; {limits}: {ALLOWED}")
        return number
    if not 0 < number <= 1:
        shown = abbreviate(min_support)
        raise ThresholdError(f"min support is {shown}; as a share it must be above 0 and at most 1: {ALLOWED}")
    if isinstance(min_support, numbers.Real) and not isinstance(min_support, numbers.Rational):
        # 7 / 9 prints as 0.7777777777777778, just above the quotient: as printed, it would mean 8 rows of 9.
        quotient = round(float(min_support) * n)
        if 1 <= quotient <= n and quotient / n == min_support:
            return quotient
    return max(1, math.ceil(number * n))


def share(count: int, n: int) -> str:
    """Return ``count`` of ``n`` rows as a percentage, rounded for reading.

    >>> share(813, 8124), share(1, 0)
    ('10.01%', '-')
    """
    return part(count, n, digits=4) or "-"


def say_count(count: int, n: int, noun: str = "row") -> str:
    """Return a minimum support in words that tell one row from all of them.

    >>> say_count(1, 2000), say_count(100, 2000), say_count(2000, 2000)
    ('1 row of 2,000', '100 of 2,000 rows (5%)', 'all 2,000 rows (100%)')
    """
    if count == 1 or not n:
        return f"{count_of(count, noun)} of {n:,}"
    return f"all {n:,} {noun}s (100%)" if count == n else f"{count:,} of {n:,} {noun}s ({share(count, n)})"


def say_least(count: int, n: int, noun: str = "row") -> str:
    """Return how many rows hold each listed itemset, in words.

    >>> say_least(1, 2000), say_least(2000, 2000)
    ('at least 1 row of 2,000', 'all 2,000 rows (100%)')
    """
    return ("" if count == n > 1 else "at least ") + say_count(count, n, noun)


def doubt_count(count: int, n: int, k: int) -> str:
    """Return a question about a minimum support below k, which may be a count that was meant as a percentage.

    >>> doubt_count(5, 2000, 10)
    'the minimum support is 5 of 2,000 rows (0.25%), less than k = 10; did you mean 5%?'
    >>> doubt_count(10, 2000, 10)
    ''
    """
    if count >= k or count >= n:
        return ""
    percent = f"{count}%" if count <= 100 < n else "a larger one"  # noqa: PLR2004 - a lower one, of 100 rows or fewer
    return f"the minimum support is {say_count(count, n)}, less than k = {k:,}; did you mean {percent}?"


def as_k(k: int) -> int:
    """Check ``k``, the least number of rows that may be told apart; 1 allows everything."""
    if isinstance(k, bool) or not isinstance(k, numbers.Integral) or not 1 <= k <= LARGEST_COUNT:
        raise ThresholdError(f"k is {abbreviate(k)!r}; give a whole number from 1 on, such as 10")
    return int(k)


def as_disclosure(share: Share) -> Fraction:
    """Return a share from 0 to 1 as the fraction it prints: in floats 10 * (1 - 0.9) is below 1.

    >>> as_disclosure(0.9), as_disclosure("12.5%"), as_disclosure(0)
    (Fraction(9, 10), Fraction(1, 8), Fraction(0, 1))
    """
    if (value := _share(share)) is None:
        raise ThresholdError(f"disclosure is {abbreviate(share)!r}, which is {NO_NUMBER}: {ALLOWED_DISCLOSURE}")
    if not 0 <= value <= 1:
        raise ThresholdError(f"disclosure is {abbreviate(share)}; it must be from 0 to 1: {ALLOWED_DISCLOSURE}")
    return value


def as_confidence(share: Share) -> Fraction:
    """Return a minimum confidence from 0 to 1 as a fraction; a float that is a quotient of counts means that quotient.

    >>> as_confidence("75%"), as_confidence(0.6), as_confidence(7 / 9)
    (Fraction(3, 4), Fraction(3, 5), Fraction(7, 9))
    """
    try:
        printed = as_disclosure(share)
    except ThresholdError:
        advice = "give a share from 0 to 1, such as 0.75 or '75%'"
        raise ThresholdError(f"min confidence is {abbreviate(share)!r}; {advice}") from None
    quotient = printed.limit_denominator(LARGEST_QUOTIENT)
    return quotient if isinstance(share, float) and float(quotient) == share else printed


def _parse(min_support: Threshold) -> int | Fraction:
    """Return a count as ``int``, a share as ``Fraction``."""
    if isinstance(min_support, bool):
        raise ThresholdError(f"min support is {min_support}: {ALLOWED}")
    is_count = isinstance(min_support, str) and COUNT.fullmatch(min_support.strip())
    if is_count or isinstance(min_support, numbers.Integral):
        return int(min_support)
    if (share := _share(min_support)) is None:
        raise ThresholdError(f"min support is {abbreviate(min_support)!r}, which is {NO_NUMBER}: {ALLOWED}")
    return share


def _share(value: object) -> Fraction | None:
    """Return a number, or a text that may end with %, as the fraction it prints; None for anything else."""
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        return Fraction(value)
    text = str(value).strip()
    number = parse_exact(text.removesuffix("%").rstrip())
    return number / 100 if number is not None and text.endswith("%") else number
