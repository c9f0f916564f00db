"""Bins: numbers of a column cut into ranges, exactly, by a width, by edges or by quantiles; ranges in pairs."""

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet.data.hierarchy import Hierarchy, join_label, split_label
from discreet.data.itemsets import Label
from discreet.errors import InputError, Option, OptionError
from discreet.io.columns import NUMBER, Column
from discreet.runtime.text import abbreviate, count_of

Bins: TypeAlias = tuple[str, tuple[Fraction, ...]]  # "width", "edges" or "quantiles", and their numbers
QUANTILES: Final = re.compile(r"q([1-9][0-9]{0,2})")
DASH: Final = "–"
ONE: Final = r"(-?\d+(?:\.\d+|/\d+)?)"
RANGE: Final = re.compile(rf"([\[(]?){ONE}(?:( ?[{DASH}-] ?|, ?){ONE})?([\])]?)|<{ONE}|(?:≥|>=){ONE}", re.ASCII)
HOW: Final = "such as age=10 (width), age=0,18,65 (edges) or age=q4 (quantiles)"


def parse_bins(given: Sequence[str]) -> dict[str, Bins]:
    """Return the bins of each column.

    >>> parse_bins(["age=10", "bmi=18.5,25", "dose=q4"])["bmi"]
    ('edges', (Fraction(37, 2), Fraction(25, 1)))
    """
    found: dict[str, Bins] = {}
    for text in given:
        name, sign, wanted = text.rpartition("=")
        if not (sign and name and wanted):
            raise OptionError(Option("bins"), f" is {abbreviate(text)!r}; it must be a column and its bins, {HOW}")
        if name in found:
            raise OptionError(Option("bins"), f" names column {name!r} twice; give it once")
        found[name] = _parse(wanted)
    return found


def cut(column: Column, wanted: Bins, *, comma: bool = False) -> tuple[Column, list[str]]:
    """Return the column with ranges in place of its numbers, and what to say about them.

    Whole numbers are in ranges such as ``40–49``, others in ``[40.5, 41)``; edges also give ``<18`` and ``≥65``. Equal
    numbers are never parted, so there may be fewer quantiles than asked for. With ``comma``, 1,5 is a number.

    >>> column = Column("age", np.arange(3, dtype=np.int32), ("17", "18", "70"))
    >>> cut(column, ("edges", (Fraction(18), Fraction(65))))[0].texts
    ('<18', '18–64', '≥65')
    """
    numbers = _read_numbers(column, comma=comma)
    kind, values = wanted
    if kind == "width":
        (width,) = values
        form = _choose_form([*numbers, width])
        lows = [math.floor(number / width) * width for number in numbers]
        return column.recode([Range(low, low + width).name(form) for low in lows]), []
    edges = list(values) if kind == "edges" else _quantiles(numbers, column.counts.tolist(), int(values[0]))
    form = _choose_form([*numbers, *edges])
    names = [Range(*ends).name(form) for ends in pairwise([None, *edges, None])]
    asked = int(values[0])
    note = f"{column.name} has {count_of(len(names), 'quantile')}, not {asked}, as equal values stay together"
    is_short = kind == "quantiles" and len(names) < asked
    return column.recode([names[bisect_right(edges, number)] for number in numbers]), [note] * is_short


def _parse(wanted: str) -> Bins:
    """Return a width, edges (one edge is followed by a comma) or a number of quantiles."""
    if match := QUANTILES.fullmatch(wanted):
        return "quantiles", (Fraction(match[1]),)
    texts = [text.strip() for text in wanted.removesuffix(",").split(",")]
    if not all(map(NUMBER.fullmatch, texts)):
        raise OptionError(Option("bins"), f" has {abbreviate(wanted)!r}; bins are {HOW}")
    numbers = tuple(map(Fraction, texts))
    if any(low >= high for low, high in pairwise(numbers)):
        raise OptionError(Option("bins"), " has edges that do not rise; give them from the lowest to the highest")
    if "," in wanted:
        return "edges", numbers
    if numbers[0] <= 0:
        raise OptionError(Option("bins"), f" has the width {abbreviate(wanted)}; a width is above 0")
    return "width", numbers


def _read_numbers(column: Column, *, comma: bool) -> list[Fraction]:
    texts = list(column.texts)
    if comma and not all(map(NUMBER.fullmatch, texts)) and not any("." in text for text in texts):
        texts = [text.replace(",", ".") for text in texts]
    bad = [code for code, text in enumerate(texts) if not NUMBER.fullmatch(text)]
    if bad:
        problem = f"column {column.name!r} has bins, and {count_of(int(column.counts[bad].sum()), 'value')} in it"
        raise InputError(f"{problem} are no numbers; name texts that mean a missing value with ", Option("na"))
    return list(map(Fraction, texts))


def _quantiles(numbers: Sequence[Fraction], counts: Sequence[int], wanted: int) -> list[Fraction]:
    """Return where quantiles begin, but for the first: at rank j · m / q, counted from 0 and rounded up."""
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    ends = np.cumsum([counts[code] for code in order])
    total = int(ends[-1]) if order else 0
    ranks = [-(-part * total // wanted) for part in range(1, wanted)]
    at = np.searchsorted(ends, [rank for rank in ranks if rank < total], side="right").tolist()
    edges = dict.fromkeys(numbers[order[place]] for place in at)
    return [edge for edge in edges if edge > numbers[order[0]]]


def _choose_form(numbers: Sequence[Fraction]) -> "Form":
    return WHOLE if all(number.denominator == 1 for number in numbers) else DECIMAL


class Form(NamedTuple):
    """What stands before, between and after the ends of a range; without brackets, it is of whole numbers."""

    before: str
    between: str
    after: str


WHOLE: Final = Form("", DASH, "")
SINGLE: Final = Form("", "", "")
DECIMAL: Final = Form("[", ", ", ")")


class Range(NamedTuple):
    """A range of numbers from ``low`` to below ``end``, each of which may be open."""

    low: Fraction | None
    end: Fraction | None

    def name(self, form: Form) -> str:
        """Return the range in words.

        >>> [Range(Fraction(40), Fraction(end)).name(form) for end, form in ((50, WHOLE), (41, WHOLE), (41, DECIMAL))]
        ['40–49', '40', '[40, 41)']
        """
        if self.low is None:
            return "all" if self.end is None else f"<{_say(self.end)}"
        if self.end is None:
            return f"≥{_say(self.low)}"
        if form.before:
            return f"{form.before}{_say(self.low)}{form.between}{_say(self.end)}{form.after}"
        return _say(self.low) if self.end - self.low == 1 else f"{_say(self.low)}{form.between}{_say(self.end - 1)}"

    @property
    def order(self) -> tuple[bool, Fraction]:
        """From the lowest range to the highest."""
        return (False, Fraction()) if self.low is None else (True, self.low)

    def is_within(self, other: "Range") -> bool:
        """Return whether another range holds all of this one."""
        low = other.low is None or (self.low is not None and self.low >= other.low)
        return low and (other.end is None or (self.end is not None and self.end <= other.end))


def _read_range(text: object) -> tuple[Range, Form | None] | None:
    """Return a range and its form, which one with an open end does not tell; None if it is no range.

    >>> [found and found[0].name(WHOLE) for found in map(_read_range, ["40-49", "≥65", "none", "[2, 1)"])]
    ['40–49', '≥65', None, None]
    """
    match = RANGE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    before, low, between, high, after, below, least = match.groups()
    if below or least:
        return Range(Fraction(least) if least else None, Fraction(below) if below else None), None
    first, last = Fraction(low), Fraction(high or low)
    is_one = f"{before}{after}" in {"[)", "(]"} and first < last
    is_one = is_one or (not before and not after and first <= last and _choose_form([first, last]) == WHOLE)
    return (Range(first, last if before else last + 1), Form(before, between or "", after)) if is_one else None


def merge_bins(labels: Iterable[Label], columns: Iterable[str] = ()) -> Hierarchy:
    """Return the hierarchy of neighbouring bins: two of a column have a parent, two of these another, up to two halves.

    The columns are those with ranges such as ``age=40–49``, and numbers of those that are named. All bins of a column
    have no parent together: every row with a value would hold it. Ranges that hold others are their parents.

    >>> hierarchy = merge_bins(["age=<18", "age=18–44", "age=45–64", "age=≥65", "sex=f"])
    >>> hierarchy.ancestors("age=<18"), hierarchy.ancestors("age=≥65")
    (('age=<45',), ('age=≥45',))
    """
    wanted, found = {*columns}, defaultdict[object, dict[Range, tuple[Label, Form | None]]](dict)
    for label in labels:
        attribute, value = split_label(label)
        one = _read_range(value)
        if one is not None and attribute is not None and (not wanted or attribute in wanted):
            found[attribute][one[0]] = label, one[1]
    pairs = list[tuple[Label, Label]]()
    for attribute, bins in found.items():
        form = _agree({form for _, form in bins.values()}, is_named=attribute in wanted)
        names = {one: label for one, (label, _) in bins.items()}
        if form is None:
            continue
        for child, parent in _pair(sorted(bins, key=lambda one: one.order)):
            first = names[child]
            names.setdefault(parent, join_label(first, attribute, parent.name(form)))
            pairs.append((first, names[parent]))
    return Hierarchy.of(pairs)


def _agree(forms: set[Form | None], *, is_named: bool) -> Form | None:
    """Return the form of all ranges of a column; None if they differ, or if there are only numbers in no named one."""
    told = [form for form in forms if form is not None and form.between]
    form = told[0] if told else WHOLE
    is_mixed = len(told) > 1 or (form.before and SINGLE in forms) or (form.before == "(" and None in forms)
    return None if is_mixed or not (is_named or told or None in forms) else form


def _pair(bins: list[Range]) -> Iterator[tuple[Range, Range]]:
    """Yield pairs of a range and its parent: the least one that holds it, or one of two neighbours if none overlap."""
    if any(one.end is None or other.low is None or one.end > other.low for one, other in pairwise(bins)):
        for one in bins:
            above = [other for other in bins if one != other and one.is_within(other)]
            yield from ((one, other) for other in above if all(map(other.is_within, above)))
        return
    while len(bins) > 2:  # noqa: PLR2004 - halves
        above = [Range(bins[at].low, bins[min(at + 1, len(bins) - 1)].end) for at in range(0, len(bins), 2)]
        yield from ((one, above[at // 2]) for at, one in enumerate(bins) if one != above[at // 2])
        bins = above


def _say(number: Fraction) -> str:
    """Return a number as a decimal where it is one, else as a fraction.

    >>> _say(Fraction(81, 2)), _say(Fraction(-3)), _say(Fraction(1, 3))
    ('40.5', '-3', '1/3')
    """
    rest, digits = number.denominator, 0
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest, digits = next((rest // part, digits + 1) for part in (10, 2, 5) if rest % part == 0)
    if rest != 1:
        return str(number)
    scaled = str(abs(number.numerator) * 10**digits // number.denominator).zfill(digits + 1)
    text = f"{scaled[:-digits]}.{scaled[-digits:]}".rstrip("0").rstrip(".") if digits else scaled
    return f"-{text}" if number < 0 else text
