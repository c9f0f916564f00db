"""Quotients of counts: which fractions a confidence may be, where only the interval is known in which it lies."""

from fractions import Fraction
from math import ceil, gcd, lcm

from discreet.publications.rules.rounding import Interval


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction from ``low`` to ``high`` whose numerator and denominator are the smallest of all there.

    >>> simplest(Fraction("0.9865"), Fraction("0.9875")), simplest(Fraction(0), Fraction(1))
    (Fraction(74, 75), Fraction(0, 1))
    """
    whole = ceil(low)
    if whole <= high:
        return Fraction(whole)
    whole -= 1
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))


def only(interval: Interval, most: int) -> Fraction | None:
    """Return the one fraction in an interval, from 0 to 1, whose denominator is at most ``most``; None if not one is.

    The next ones to a fraction among all such, its neighbours in a Farey sequence, tell whether others are there.

    >>> third = Interval(Fraction("0.333"), Fraction("0.334"))
    >>> only(third, 100), only(third, 1000), only(third, 2)
    (Fraction(1, 3), None, None)
    """
    low, high = interval.low, min(interval.high, Fraction(1))
    if low > high:
        return None
    found = simplest(low, high)
    above, below = found.as_integer_ratio()
    if below > most:
        return None
    turned = pow(above, -1, below)
    later, earlier = most - (most + turned) % below, most - (most - turned) % below
    is_only = (1 + above * later) > high * below * later and (above * earlier - 1) < low * below * earlier
    return found if is_only else None


def common_step(quotient: Fraction, held: int, both: int) -> int:
    """Return what a number is a multiple of if its products with denominator and numerator are of ``held``, ``both``.

    >>> common_step(Fraction(2, 3), 6, 1), common_step(Fraction(2, 3), 7, 4)
    (2, 14)
    """
    above, below = quotient.as_integer_ratio()
    return lcm(held // gcd(held, below), both // gcd(both, above))
