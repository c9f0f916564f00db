"""Intervals: where a number lay before it was printed, and which whole numbers of rows fit it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from discreet.disclosure.attacks.facts import Limits
from discreet.errors import InputError, OptionError
from discreet.runtime.text import abbreviate

Mode: TypeAlias = Literal["round", "truncate", "exact"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)

FLOAT: Final = 12  # significant digits of a float that are right after a few sums
MEASURED: Final = 9  # decimal places of a measure that are right: a difference of shares has fewer than the shares
LONGEST: Final = 40  # characters of a number
MOST_DIGITS: Final = 30
TRIED: Final = 1000  # most supports of a rule to try one by one; of more, only the ends are tried
UNKNOWN: Final = 2**62  # an upper limit that says nothing: more rows than there are


class Interval(NamedTuple):
    """All numbers from ``low`` to ``high``, without ``high`` if it is ``open``."""

    low: Fraction
    high: Fraction
    open: bool = False

    def times(self, n: int) -> Limits:
        """Return the least and the largest count of ``n`` rows whose share is in the interval; (3, 2) means none is.

        >>> low, high = Fraction("0.64"), Fraction("0.75")
        >>> Interval(low, high).times(4), Interval(low, high, open=True).times(4)
        ((3, 3), (3, 2))
        """
        most = self.high * n
        return max(0, ceil(self.low * n)), min(n, ceil(most) - 1 if self.open else floor(most))


class Rounding(NamedTuple):
    """How numbers were printed: rounded to ``digits`` decimal places, truncated, or exact.

    Without ``digits``, the longest numbers of a column show them. A shorter number lost zeros at its end, or has as
    many significant digits: the wider of both intervals counts. If a number ``beside`` the column is an uncut float, so
    is each number in it.

    >>> Rounding(digits=1).intervals(["98.7%"])
    [Interval(low=Fraction(1973, 2000), high=Fraction(79, 80), open=False)]
    >>> Rounding("truncate").intervals(["0.5", "0.667"])[0]
    Interval(low=Fraction(1, 2), high=Fraction(501, 1000), open=True)
    """

    mode: Mode = "round"
    digits: int | None = None
    beside: tuple[str, ...] = ()

    def intervals(self, texts: Sequence[str], what: str = "number") -> list[Interval]:
        """Return the interval of each number in a column; messages call the column ``what``."""
        numbers = [_parse(text, f"{what} {at}") for at, text in enumerate(texts, start=1)]
        found = self._find_intervals(numbers)
        return [Interval(max(Fraction(0), low), high, is_open) for low, high, is_open in found]

    def measure_intervals(self, texts: Sequence[str], what: str) -> list[Interval]:
        """Return the interval of each measure in a column; a negative one may have been truncated either way.

        >>> [round(float(end), 6) for end in Rounding("truncate", 1).measure_intervals(["-0.5"], "lift")[0][:2]]
        [-0.6, -0.4]
        """
        numbers = [_parse(text, f"{what} {at}", signed=True) for at, text in enumerate(texts, start=1)]
        found = []
        for (low, high, _), (number, _) in zip(self._find_intervals(numbers), numbers, strict=True):
            slack = Fraction(1 + abs(number)) / 10**MEASURED  # for errors of floats
            below = high - low if self.mode == "truncate" and number <= 0 else 0
            found.append(Interval(low - below - slack, high + slack))
        return found

    def _find_intervals(self, numbers: Sequence[tuple[Decimal, int]]) -> list[Interval]:
        floats = [text for text in [max(self.beside, key=len, default="")] if sum(map(str.isdecimal, text)) > FLOAT]
        seen = [number for number, _ in [*numbers, *(_parse(text, "a number") for text in floats)]]
        decimals = max((-_exponent(number) for number in seen), default=0)
        significant = min(FLOAT, max((len(number.as_tuple().digits) for number in seen), default=1))
        known = {pair: self._find_interval(*pair, decimals, significant) for pair in dict.fromkeys(numbers)}
        return [known[pair] for pair in numbers]

    def _find_interval(self, number: Decimal, whole: int, decimals: int, significant: int) -> Interval:
        leading = number.adjusted() if number else -MOST_DIGITS
        unit = max(-decimals, leading + 1 - significant) if self.digits is None else -self.digits
        unit = leading + 1 - FLOAT if self.mode == "exact" else unit  # rounded to this power of ten
        last = min(_exponent(number), unit - 1, 0)
        scale, half = 10**-last, 5 * 10 ** (unit - 1 - last)
        above, below = number.as_integer_ratio()
        value, whole = above * scale // below, scale * whole
        if self.mode == "truncate":
            return Interval(Fraction(value, whole), Fraction(value + 2 * half, whole), open=True)
        return Interval(Fraction(value - half, whole), Fraction(value + half, whole))


def as_rounding(mode: str | None, digits: int | None) -> Rounding:
    """Check and return a rounding; digits alone mean that numbers were rounded.

    >>> as_rounding(None, 3)[:2], as_rounding("truncate", None)[:2]
    (('round', 3), ('truncate', None))
    """
    chosen = "round" if mode is None else mode
    if chosen not in MODES:
        raise OptionError(f"rounding is {str(chosen)[:40]!r}; it must be one of {', '.join(MODES)}")
    if digits is not None and (type(digits) is not int or not 0 <= digits <= MOST_DIGITS):
        raise OptionError(f"digits is {abbreviate(digits)!r}; give a whole number from 0 to {MOST_DIGITS}")
    if chosen == "exact" and digits is not None:
        raise OptionError("digits are for rounded or truncated numbers; leave digits or rounding out")
    return Rounding(chosen, digits)


def check_shares(intervals: Iterable[Interval], what: str) -> None:
    """Refuse intervals without any number from 0 to 1."""
    for at, interval in enumerate(intervals, start=1):
        if interval.low > 1:
            raise InputError(f"{what} {at} is above 1; give a share such as 0.25 or 25%")


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _parse(text: str, where: str, *, signed: bool = False) -> tuple[Decimal, int]:
    """Return a printed number, and what it is a part of: 100 for a percentage, else 1."""
    stripped = text.strip()
    printed = stripped.removesuffix("%").rstrip()
    try:
        number = Decimal(printed) if len(printed) <= LONGEST and printed.isascii() else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or (number < 0 and not signed) or abs(number.adjusted()) > MOST_DIGITS + LONGEST:
        raise InputError(f"{where} is not a number{' of at least 0' * (not signed)}; write it such as 0.25 or 25%")
    return number, 1 if printed == stripped else 100


def format_limits(low: int, high: int) -> str:
    """Return limits as text.

    >>> format_limits(1, 1), format_limits(1, 2000)
    ('1', '1 to 2,000')
    """
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


class Fit(NamedTuple):
    """Limits of the rows with the antecedent, with both sides of a rule, and with the antecedent alone."""

    held: Limits
    both: Limits
    gap: Limits


def fit_counts(confidence: Interval, held: Limits, both: Limits, *, tried: int = TRIED) -> Fit | None:
    """Narrow the limits of ``held`` and ``both`` to counts whose quotient is the confidence; None if none fit.

    >>> fit_counts(Interval(Fraction("0.45"), Fraction("0.55")), (0, 200), (80, 80))
    Fit(held=(146, 177), both=(80, 80), gap=(66, 97))
    """
    held = (max(1, held[0]), held[1])  # confidence is undefined at support 0
    if both[1] - both[0] >= tried or not confidence.low:
        return _fit_ends(confidence, held, both)
    fits = [
        (count, *ends)
        for count in range(both[0], both[1] + 1)
        if (ends := _fit_antecedent(confidence, count, held))[0] <= ends[1]
    ]
    if not fits:
        return None
    gap = min(least - count for count, least, _ in fits), max(most - count for count, _, most in fits)
    return Fit((min(fit[1] for fit in fits), max(fit[2] for fit in fits)), (fits[0][0], fits[-1][0]), gap)


def _fit_antecedent(confidence: Interval, both: int, held: Limits) -> Limits:
    """Return the limits of the antecedent if ``both`` rows hold both sides."""
    (above, below), (over, under) = confidence.high.as_integer_ratio(), confidence.low.as_integer_ratio()
    if above > below:
        least = both
    elif not above:
        return (1, 0) if both or confidence.open else held
    else:  # in whole numbers, for speed
        least = both * below // above + 1 if confidence.open else -(-both * below // above)
    return max(held[0], least), min(held[1], both * under // over if over else UNKNOWN)


def _fit_ends(confidence: Interval, held: Limits, both: Limits) -> Fit | None:
    """Narrow limits by their ends alone, which may leave them a little wider than trying each count does."""
    end = held[1] * min(confidence.high, Fraction(1))
    is_below = confidence.open and confidence.high <= 1
    least = max(both[0], ceil(held[0] * confidence.low))
    largest = min(both[1], ceil(end) - 1 if is_below else floor(end))
    fewest, most = _fit_antecedent(confidence, least, held)[0], _fit_antecedent(confidence, largest, held)[1]
    if fewest > most or least > largest:
        return None
    # The smaller the support, the smaller the least number of rows without the consequent.
    lacking = max(0, fewest - largest, _fit_antecedent(confidence, least, (0, UNKNOWN))[0] - least)
    widest = floor(largest * (1 / confidence.low - 1)) if confidence.low else UNKNOWN
    return Fit((fewest, most), (least, largest), (lacking, min(most - least, widest)))


def find_simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction from ``low`` to ``high`` with the smallest numerator and denominator.

    >>> find_simplest(Fraction("0.9865"), Fraction("0.9875")), find_simplest(Fraction(0), Fraction(1))
    (Fraction(74, 75), Fraction(0, 1))
    """
    whole = ceil(low)
    if whole <= high:
        return Fraction(whole)
    whole -= 1
    return whole + 1 / find_simplest(1 / (high - whole), 1 / (low - whole))


def find_only(interval: Interval, most: int) -> Fraction | None:
    """Return the one fraction from 0 to 1 in an interval with a denominator up to ``most``; None unless there is one.

    The neighbours of a fraction in the Farey sequence show whether there are others.

    >>> third = Interval(Fraction("0.333"), Fraction("0.334"))
    >>> find_only(third, 100), find_only(third, 1000), find_only(third, 2)
    (Fraction(1, 3), None, None)
    """
    low, high = interval.low, min(interval.high, Fraction(1))
    if low > high:
        return None
    fraction = find_simplest(low, high)
    above, below = fraction.as_integer_ratio()
    if below > most:
        return None
    inverse = pow(above, -1, below)
    later, earlier = most - (most + inverse) % below, most - (most - inverse) % below
    is_only = (1 + above * later) > high * below * later and (above * earlier - 1) < low * below * earlier
    return fraction if is_only else None


MeasureSolution: TypeAlias = Callable[[Fraction, Fraction, Fraction], tuple[Fraction, Fraction | int]]
"""From support s, confidence f and measure m to the share c of the consequent, as numerator and denominator."""

# Measures by the names of their columns, solved for the consequent: from 0 on, and below 0. Each is a function of the
# shares s of both sides, a of the antecedent and c of the consequent, with f = s / a. Solved for c, it is a quotient
# whose parts are linear in each of s, f and m. So over intervals of these its extremes are at corners, unless it
# divides by 0 in between.
MEASURES: Final[Mapping[str, tuple[tuple[MeasureSolution, ...], tuple[MeasureSolution, ...]]]] = {
    "lift": ((lambda _, f, m: (f, m),), ()),  # s / (a c) = m
    "leverage": ((lambda s, f, m: ((s - m) * f, s),), (lambda s, f, m: ((s - m) * f, s),)),  # s − a c = m
    "conviction": ((lambda _, f, m: (1 - m * (1 - f), 1),), ()),  # (1 − c) / (1 − f) = m
    "jaccard": ((lambda s, f, m: (s * (f + m * f - m), m * f),), ()),  # s / (a + c − s) = m
    # (f − c) / (1 − c) = m; arules divides by c where c is larger than f
    "certainty": ((lambda _, f, m: (f - m, 1 - m),), (lambda _, f, m: (f - m, 1 - m), lambda _, f, m: (f, 1 + m))),
    "kulczynski": ((lambda s, f, m: (s, 2 * m - f),), ()),  # (f + s / c) / 2 = m
    # (s − a c) / (s (1 − a)) = m, and (s − a c) / (a (c − s)) = m below 0
    "zhangs_metric": ((lambda s, f, m: (f * (1 - m) + m * s, 1),), (lambda s, f, m: (f + m * s, 1 + m),)),
    "cosine": ((lambda s, f, m: (s * f, m * m),), ()),  # s² / (a c) = m²
    "addedvalue": ((lambda _, f, m: (f - m, 1),), (lambda _, f, m: (f - m, 1),)),  # f − c = m
}


def solve_consequent(name: str, support: Interval, confidence: Interval, measure: Interval) -> Interval | None:
    """Return the share of rows that may hold the consequent; None where the measure leaves it open.

    >>> half = Interval(Fraction(1, 2), Fraction(1, 2))
    >>> low, high, _ = solve_consequent("lift", half, half, Interval(Fraction(5, 4), Fraction(5, 3)))
    >>> str(low), str(high)
    ('3/10', '2/5')
    """
    (positive, negative), (low, high, _), zero = MEASURES[name], measure, Fraction(0)
    parts = [(solution, {max(zero, low), high}) for solution in positive if high >= 0]
    parts += [(solution, {low, min(zero, high)}) for solution in negative if low < 0]
    solved = [
        solution(*corner) for solution, ends in parts for corner in product(set(support[:2]), set(confidence[:2]), ends)
    ]
    if not solved or min(below for _, below in solved) <= 0:  # it may divide by 0
        return None
    quotients = [above / below for above, below in solved]
    return Interval(min(quotients), max(quotients))
