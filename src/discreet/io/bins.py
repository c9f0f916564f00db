"""Bins: numbers of a column cut into ranges, exactly, by a width, by edges or by quantiles."""

import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np

from discreet.errors import InputError, Option, OptionError
from discreet.io.columns import NUMBER, Column
from discreet.runtime.text import abbreviate, count_of

Bins: TypeAlias = tuple[str, tuple[Fraction, ...]]  # "width", "edges" or "quantiles", and their numbers
QUANTILES: Final = re.compile(r"q([1-9][0-9]{0,2})")
DASH: Final = "–"
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
        is_whole = _are_whole([*numbers, width])
        lows = [math.floor(number / width) * width for number in numbers]
        return column.recode([_name_range(low, low + width, is_whole=is_whole) for low in lows]), []
    edges = list(values) if kind == "edges" else _quantiles(numbers, column.counts.tolist(), int(values[0]))
    names = _name_ranges(edges, is_whole=_are_whole([*numbers, *edges]))
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


def _are_whole(numbers: Sequence[Fraction]) -> bool:
    return all(number.denominator == 1 for number in numbers)


def _name_ranges(edges: Sequence[Fraction], *, is_whole: bool) -> list[str]:
    if not edges:
        return ["all"]
    inner = [_name_range(low, high, is_whole=is_whole) for low, high in pairwise(edges)]
    return [f"<{_say(edges[0])}", *inner, f"≥{_say(edges[-1])}"]


def _name_range(low: Fraction, high: Fraction, *, is_whole: bool) -> str:
    if not is_whole:
        return f"[{_say(low)}, {_say(high)})"
    return _say(low) if high - low == 1 else f"{_say(low)}{DASH}{_say(high - 1)}"


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
