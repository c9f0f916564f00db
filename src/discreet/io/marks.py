"""Marks: what stands in the cells of published tables: counts, shares, and marks in the place of small counts."""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from discreet.data.counts import UNKNOWN, Place, State
from discreet.data.thresholds import LARGEST_COUNT
from discreet.errors import InputError, Option, OptionError
from discreet.runtime.text import abbreviate

Limits: TypeAlias = tuple[int, int]
BLANKS: Final = "\u00a0\u2009\u202f'’"  # between thousands, beside blanks and commas
COUNT: Final = re.compile(r"\d{1,3}(?:[, ]\d{3}){1,12}|\d{1,40}")
POINT: Final = re.compile(r"(.*\d)\.0+")  # a whole number that a program has written as a float
BELOW: Final = re.compile(r"(?:<|less than|fewer than|under) ?(\d{1,9})", re.IGNORECASE)
UP_TO: Final = re.compile(
    r"(?:≤|<=|=<|at most|up to) ?(\d{1,9})|(\d{1,9}) (?:or|and) (?:fewer|less|below|under)", re.IGNORECASE
)
RANGE: Final = re.compile(r"(\d{1,9}) ?(?:-|–|to|\.\.) ?(\d{1,9})")
NEGATIVE: Final = re.compile(r"[-−](\d{1,9})(?:\.0+)?")
PERCENT: Final = r"[<>≤≥]?\s*\d{1,3}(?:[.,]\d{1,20})?(?:e-\d{1,2})?"
SHARE: Final = re.compile(rf"[([]?\s*({PERCENT})\s*%\s*[)\]]?")
BESIDE: Final = re.compile(rf"(.*?\S)\s*[([]\s*(?:({PERCENT})|[-–—.*]+|NA|suppressed)\s*%?\s*[)\]]", re.IGNORECASE)
"""A count with its share, which may be masked."""
FLOAT: Final = Fraction(1, 2**51)  # the relative error of a quotient that a program has printed with all its digits
MASKS: Final = frozenset(
    (
        *("*", "**", "x", "s", "c", ".", "..", "...", "-", "–", "—", "#", "na", "n/a", "nan", "null", "none", ""),
        *("[c]", "[x]", "(d)"),  # of official statistics
        *("redacted", "[redacted]", "suppressed", "[suppressed]", "(suppressed)", "masked", "hidden", "censored"),
    )
)
"""Marks that say no more than that there is a count."""
ABSENT: Final = "absent"  # the word for cells that a file leaves out
RULE: Final = re.compile(r"(.*)=\s*(\d{1,16})\s*(?:\.\.|-|–|to)\s*(\d{0,16})")


class Stated(NamedTuple):
    """What a cell says: limits of a count, how, the mark if there is one, and a share beside it or instead."""

    low: int
    high: int
    state: State
    mark: str = ""
    share: tuple[Fraction, Fraction] | None = None


def parse_masks(rules: Iterable[str]) -> dict[str, Limits]:
    """Return the limits that rules such as ``*=1..10`` give to marks; ``absent=0..5`` is about cells left out.

    >>> parse_masks(["*=1..10", "suppressed=0.."])
    {'*': (1, 10), 'suppressed': (0, 9007199254740992)}
    """
    found = {}
    for rule in rules:
        match = RULE.fullmatch(rule.strip())
        low, high = (int(match[2]), int(match[3] or UNKNOWN)) if match else (1, 0)
        if match is None or low > high:
            raise OptionError(Option("masked"), f" is {rule[:40]!r}; give a mark and its limits, such as '*=1..10'")
        found[match[1].strip().casefold()] = low, high
    return found


class Marks:
    """Reads cells, by rules of the owner and by what marks usually say.

    A negative number is minus the threshold: up to it, or below it if a format says so.

    >>> marks = Marks({"*": (1, 10)})
    >>> [marks.read(text, Place(2, 1))[:3] for text in ("1,234", "<11", "*", "≤5")]
    [(1234, 1234, <State.EXACT: 0>), (1, 10, <State.MASKED: 2>), (1, 10, <State.MASKED: 2>), (1, 5, <State.MASKED: 2>)]
    """

    def __init__(self, rules: Mapping[str, Limits], round_to: int | None = None, *, is_below: bool = False) -> None:
        """Keep the rules; counts may have been rounded to multiples of a number."""
        self.rules, self.round_to, self.is_below = rules, round_to, is_below
        self.used: dict[str, Limits] = {}
        self.negative: dict[int, Place] = {}
        self.smallest: tuple[int, Place] | None = None  # the smallest count above 0 that is shown

    def read(self, text: str, place: Place) -> Stated:
        """Return what a cell says; refuse what is neither a count nor a mark."""
        text = _tidy(text)
        if text.casefold() in self.rules:
            return self._mask(text, *self.rules[text.casefold()])
        share = SHARE.fullmatch(text)
        if share is not None:
            return Stated(0, UNKNOWN, State.MASKED, "", read_share(share[1]))
        beside = BESIDE.fullmatch(text)
        if beside is None:
            return self._read_count(text, place)
        return self._read_count(beside[1], place)._replace(share=read_share(beside[2]) if beside[2] else None)

    def _read_count(self, text: str, place: Place) -> Stated:
        if text.casefold() in self.rules:
            return self._mask(text, *self.rules[text.casefold()])
        whole = POINT.fullmatch(text)
        number = text if whole is None else whole[1]
        if COUNT.fullmatch(number):
            return self._take(int(re.sub(r"[, ]", "", number)), place)
        limits = _find_limits(text)
        if limits is not None:
            return self._mask(text, *limits)
        between = RANGE.fullmatch(text)
        if between is not None and int(between[1]) <= int(between[2]):
            return Stated(int(between[1]), int(between[2]), State.LIMITS, text)
        negative = NEGATIVE.fullmatch(text)
        if negative is not None and int(negative[1]):
            return self._read_negative(text, int(negative[1]), place)
        if text.casefold() in MASKS:
            return self._mask(text, 0, UNKNOWN)
        raise InputError(
            f"{place} holds neither a count nor a mark that we know; state what it means with ",
            Option("masked", "*=1..10"),
            ", or leave the column out with ",
            Option("drop"),
        )

    def _read_negative(self, text: str, threshold: int, place: Place) -> Stated:
        self.negative.setdefault(threshold, place)
        largest = threshold - self.is_below
        return self._mask(text, *((1, largest) if largest > 0 and threshold > 1 else (0, UNKNOWN)))

    def _take(self, count: int, place: Place) -> Stated:
        if count > LARGEST_COUNT // 1024:
            raise InputError(f"{place} holds a count of more than {LARGEST_COUNT // 1024:,}; check it")
        if count and (self.smallest is None or count < self.smallest[0]):
            self.smallest = count, place
        if self.round_to is None:
            return Stated(count, count, State.EXACT)
        half, rest = self.round_to // 2, count % self.round_to
        if rest == half > 0 and self.round_to % 2 == 0:  # rounded to midpoints: 1 to 6 is 3, and only 0 is 0
            return Stated(count - half + 1, count + half, State.LIMITS, str(count))
        if rest:
            raise InputError(f"{place} holds no multiple of {self.round_to}; check ", Option("round_to"))
        return Stated(max(0, count - half), count + half, State.LIMITS, str(count))

    def _mask(self, text: str, low: int, high: int) -> Stated:
        self.used[text] = low, high
        return Stated(low, high, State.MASKED, text)

    def check(self) -> None:
        """Refuse negative numbers that can be no marks: several of them, or one above a count that is shown."""
        several = sorted(self.negative.items())
        if len([one for one, _ in several if one > 1]) > 1:
            raise InputError(
                f"{several[0][1]} and {several[-1][1]} hold different negative numbers; a count cannot be negative, "
                "and minus a threshold is one number: state what each means with ",
                Option("masked", "-5=1..4"),
            )
        for negative, place in several:
            if self.smallest is not None and self.smallest[0] < negative:
                raise InputError(
                    f"{place} holds a negative number, but {self.smallest[1]} a smaller count than that mark would "
                    "allow; a count cannot be negative: correct it, or state what it means with ",
                    Option("masked", f"-{negative}=1..{negative - 1}"),
                )

    def notes(self) -> Iterator[str]:
        """Yield what each mark was taken for."""
        for text, (low, high) in self.used.items():
            limits = f"{low:,} to {high:,}" if high < UNKNOWN else "any count" if not low else f"{low:,} or more"
            yield f"{abbreviate(text) or 'blank'} means {limits}"


def looks_counted(text: str) -> bool:
    """Return whether a field holds a count, a share or a mark that says so; blanks, ranges and letters may be labels.

    >>> [looks_counted(text) for text in ("12", "<11", "7 (3.5%)", "young", "10-19", "")]
    [True, True, True, False, False, False]
    """
    text = _tidy(text)
    beside = BESIDE.fullmatch(text)
    text = text if beside is None else beside[1]
    patterns, is_label = (COUNT, POINT, BELOW, UP_TO, NEGATIVE, SHARE), not text or (text.isalpha() and len(text) == 1)
    return not is_label and (text.casefold() in MASKS or any(pattern.fullmatch(text) for pattern in patterns))


def read_share(text: str, unit: int = 100, digits: int = 0) -> tuple[Fraction, Fraction]:
    """Return where a percentage, or a share of another unit, lay before it was printed.

    It has at least ``digits`` decimal places: programs leave out zeros at the end. A number with all digits of a float
    is as wide as such a quotient may be wrong: 2 / 3 is printed as 0.6666666666666666.

    >>> [str(end) for end in read_share("33.3")]
    ['133/400', '667/2000']
    >>> [float(end) for end in read_share("<1")]
    [0.0, 0.01]
    """
    number = Decimal(re.sub(r"[^\d.,e-]", "", text).replace(",", "."))
    if text[0] in "<≤":
        return Fraction(0), Fraction(number) / unit
    if text[0] in ">≥":
        return Fraction(number) / unit, Fraction(1)
    exponent = number.as_tuple().exponent
    half = Fraction(1, 2) * Fraction(10) ** min(-digits, exponent if isinstance(exponent, int) else 0)
    half = max(half, Fraction(number) * FLOAT) if number % 1 or digits else half
    return max(Fraction(0), (Fraction(number) - half) / unit), (Fraction(number) + half) / unit


def _tidy(text: str) -> str:
    return text.strip().translate(dict.fromkeys(map(ord, BLANKS), " "))


def _find_limits(text: str) -> Limits | None:
    """Return the limits that a mark such as <11 states."""
    below, up_to = BELOW.fullmatch(text), UP_TO.fullmatch(text)
    largest = int(below[1]) - 1 if below else int(up_to[1] or up_to[2]) if up_to else 0
    return (1, largest) if largest > 0 else None
