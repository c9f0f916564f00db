"""Rounding: the interval in which a number lay before it was printed."""

from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import ceil, floor
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from discreet.errors import InputError, OptionError
from discreet.runtime.text import abbreviate

Mode: TypeAlias = Literal["round", "truncate", "exact"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)

FLOAT: Final = 12
"""Significant digits of a float that are sure to be right, after the few sums that made it."""
MEASURED: Final = 9
"""Digits behind the point of a measure that are sure to be right: what is left of a difference of shares has fewer."""
LONGEST: Final = 40
"""Characters of a number at most."""
MOST_DIGITS: Final = 30


class Interval(NamedTuple):
    """All numbers from ``low`` to ``high``, that one left out if it is ``open``."""

    low: Fraction
    high: Fraction
    open: bool = False

    def times(self, n: int) -> tuple[int, int]:
        """Return the least and the most count of ``n`` rows whose share lies here; the least is larger if none does.

        >>> low, high = Fraction("0.64"), Fraction("0.75")
        >>> Interval(low, high).times(4), Interval(low, high, open=True).times(4)
        ((3, 3), (3, 2))
        """
        most = self.high * n
        return max(0, ceil(self.low * n)), min(n, ceil(most) - 1 if self.open else floor(most))


class Rounding(NamedTuple):
    """How numbers were printed: the nearest with so many ``digits`` behind the point, the next below, or as they are.

    Without ``digits``, those of a column of numbers tell: one that is shorter than others lost zeros at its end, or
    has as many significant digits as they have. The wider of both intervals is taken. Where a number ``beside`` them
    is a float that was not cut, all of them are such.

    >>> Rounding(digits=1).intervals(["98.7%"])
    [Interval(low=Fraction(1973, 2000), high=Fraction(79, 80), open=False)]
    >>> Rounding("truncate").intervals(["0.5", "0.667"])[0]
    Interval(low=Fraction(1, 2), high=Fraction(501, 1000), open=True)
    """

    mode: Mode = "round"
    digits: int | None = None

    def intervals(self, texts: Sequence[str], what: str = "number", beside: Sequence[str] = ()) -> list[Interval]:
        """Return where each of a column of numbers lay; ``what`` is the name of the column in messages."""
        numbers = [_parsed(text, f"{what} {at}") for at, text in enumerate(texts, start=1)]
        return [Interval(max(Fraction(0), low), high, is_open) for low, high, is_open in self._lay(numbers, beside)]

    def measured(self, texts: Sequence[str], what: str = "measure", beside: Sequence[str] = ()) -> list[Interval]:
        """Return where each of a column of measures lay, which may be below 0: truncated ones on either side then.

        >>> [round(float(end), 6) for end in Rounding("truncate", 1).measured(["-0.5"])[0][:2]]
        [-0.6, -0.4]
        """
        numbers = [_parsed(text, f"{what} {at}", signed=True) for at, text in enumerate(texts, start=1)]
        return [
            _widened(interval, number, self.mode)
            for interval, (number, _) in zip(self._lay(numbers, beside), numbers, strict=True)
        ]

    def _lay(self, numbers: Sequence[tuple[Decimal, bool]], beside: Sequence[str]) -> list[Interval]:
        """Return the intervals of numbers, by the digits that all of them have."""
        floats = [text for text in [max(beside, key=len, default="")] if sum(map(str.isdecimal, text)) > FLOAT]
        seen = [number for number, _ in [*numbers, *(_parsed(text, "a number") for text in floats)]]
        decimals = max((-_exponent(number) for number in seen), default=0)
        significant = min(FLOAT, max((len(number.as_tuple().digits) for number in seen), default=1))
        known = {pair: self._interval(*pair, decimals, significant) for pair in dict.fromkeys(numbers)}
        return [known[pair] for pair in numbers]

    def _interval(self, number: Decimal, percent: bool, decimals: int, significant: int) -> Interval:  # noqa: FBT001 - one of two
        """Return where a number lay: in whole numbers of a tenth of its unit, or of its last digit."""
        unit = self._unit(number.adjusted() if number else -MOST_DIGITS, decimals, significant)
        last = min(_exponent(number), unit - 1, 0)
        scale, half = 10**-last, 5 * 10 ** (unit - 1 - last)
        above, below = number.as_integer_ratio()
        value, whole = above * scale // below, scale * (100 if percent else 1)
        if self.mode == "truncate":
            return Interval(Fraction(value, whole), Fraction(value + 2 * half, whole), open=True)
        return Interval(Fraction(value - half, whole), Fraction(value + half, whole))

    def _unit(self, leading: int, decimals: int, significant: int) -> int:
        """Return the power of ten of which a number was a multiple, by the power that its first digit stands for."""
        if self.mode == "exact":
            return leading + 1 - FLOAT
        return max(-decimals, leading + 1 - significant) if self.digits is None else -self.digits


def as_rounding(mode: str | None, digits: int | None, *, default: Mode = "round") -> Rounding:
    """Return the rounding if it is one; a number of digits alone says that numbers were rounded.

    >>> as_rounding(None, 3), as_rounding("truncate", None)
    (Rounding(mode='round', digits=3), Rounding(mode='truncate', digits=None))
    """
    chosen = ("round" if digits is not None else default) if mode is None else mode
    if chosen not in MODES:
        raise OptionError(f"rounding is {str(chosen)[:40]!r}; it must be one of {', '.join(MODES)}")
    if digits is not None and (type(digits) is not int or not 0 <= digits <= MOST_DIGITS):
        raise OptionError(f"digits is {abbreviate(digits)!r}; give a whole number from 0 to {MOST_DIGITS}")
    if chosen == "exact" and digits is not None:
        raise OptionError("digits are of numbers that were rounded or truncated; leave digits or rounding out")
    return Rounding(chosen, digits)


def shares(intervals: Iterable[Interval], what: str) -> None:
    """Refuse intervals without any number from 0 to 1."""
    for at, interval in enumerate(intervals, start=1):
        if interval.low > 1:
            raise InputError(f"{what} {at} is above 1; give a share such as 0.25 or 25%")


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _widened(interval: Interval, number: Decimal, mode: Mode) -> Interval:
    """Return an interval with room for what floats lose, and on both sides of a number that was cut towards 0."""
    slack = Fraction(1 + abs(number)) / 10**MEASURED
    below = interval.high - interval.low if mode == "truncate" and number <= 0 else Fraction(0)
    return Interval(interval.low - below - slack, interval.high + slack)


def _parsed(text: str, where: str, *, signed: bool = False) -> tuple[Decimal, bool]:
    """Return the number that is printed, and whether it is one of percent; refuse what is none, or wrongly below 0."""
    stripped = text.strip()
    printed = stripped.removesuffix("%").rstrip()
    try:
        number = Decimal(printed) if len(printed) <= LONGEST and printed.isascii() else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or (number < 0 and not signed) or abs(number.adjusted()) > MOST_DIGITS + LONGEST:
        raise InputError(f"{where} is no number{' from 0 on' * (not signed)}; write it such as 0.25 or 25%")
    return number, printed != stripped
