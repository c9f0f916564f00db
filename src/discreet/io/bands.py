"""Bands of numbers: which of those that labels name overlap or hold others."""

import re
import unicodedata
from collections.abc import Sequence
from math import inf, nextafter
from typing import Final, NamedTuple

ALIKE: Final = str.maketrans({"≦": "≤", "⩽": "≤", "≧": "≥", "⩾": "≥", "−": "-", "‒": "-", "—": "-", "~": "-", "_": "-"})
THOUSANDS: Final = re.compile(r"(?<![\[(\]\d])(\d{1,3}),(?=\d{3}(?!\d))")  # but [20,100) is a band
NUMBER: Final = r"[$€£]?(\d{1,9}(?:\.\d{1,9})?)"
UNIT: Final = r"(?:[dwmy]|%| ?(?:days?|weeks?|months?|years?))?"
WORDS: Final = r"[^\d<>≤≥=+–-]*"
CLOSED: Final = re.compile(
    rf"{WORDS}{NUMBER}{UNIT} ?(?:-|–|to|until|till|and|bis|à|\.\.\.?) ?{NUMBER}{WORDS}"
    rf"|{WORDS}[\[(\]]{NUMBER}(?:[,;] ?| ){NUMBER}{WORDS}",
    re.IGNORECASE,
)
BELOW: Final = re.compile(
    rf"{WORDS}(?:<|≤|<=|under|below|less than|fewer than|younger than|up to|at most|\b(?:within|max\.?|bis|unter))"
    rf" ?{NUMBER}{WORDS}"
    rf"|{WORDS}{NUMBER}(?: \w+)? (?:or|and) (?:less|fewer|under|below|younger){WORDS}",
    re.IGNORECASE,
)
BEYOND: Final = re.compile(rf"{WORDS}(?:>|over|above|more than|older than) ?{NUMBER}{WORDS}", re.IGNORECASE)
ABOVE: Final = re.compile(
    rf"{WORDS}(?:≥|>=|=>|at least|\b(?:from|min\.?|ab)) ?{NUMBER}{WORDS}"
    rf"|{WORDS}{NUMBER}(?: \w+)? ?(?:\+|(?:or|and) (?:more|over|above|older)){WORDS}",
    re.IGNORECASE,
)
ALONE: Final = re.compile(rf"{WORDS}{NUMBER}{WORDS}", re.IGNORECASE)


class Band(NamedTuple):
    """The numbers from ``low`` to ``high`` that a label names."""

    low: float
    high: float
    label: str


def read_band(label: str) -> Band | None:
    """Return the band that a label names, if any; a number is one, too.

    >>> [tuple(band)[:2] for band in map(read_band, ("10-19", "<20", "65+", "at least 2 doses", "7")) if band]
    [(10.0, 19.0), (-inf, 20.0), (65.0, inf), (2.0, inf), (7.0, 7.0)]
    """
    text = THOUSANDS.sub(r"\1", unicodedata.normalize("NFKC", label).translate(ALIKE))
    if (below := BELOW.fullmatch(text)) is not None:
        return Band(-inf, float(below[1] or below[2]), label)
    if (beyond := BEYOND.fullmatch(text)) is not None:
        return Band(nextafter(float(beyond[1]), inf), inf, label)
    if (above := ABOVE.fullmatch(text)) is not None:
        return Band(float(above[1] or above[2]), inf, label)
    if (closed := CLOSED.fullmatch(text)) is not None:
        low, high = float(closed[1] or closed[3]), float(closed[2] or closed[4])
        return Band(low, high, label) if low < high else None
    alone = ALONE.fullmatch(text)
    return Band(float(alone[1]), float(alone[1]), label) if alone else None


def list_bands(labels: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return each band that others overlap, with those that it holds; bands that touch do not overlap.

    >>> list_bands(["<20", "0-9", "10-19", "20-29"]), list_bands(["<65", "65-74", "75+", "unknown"])
    ([('<20', ('0-9', '10-19'))], [])
    """
    bands = sorted((band for band in map(read_band, labels) if band), key=lambda one: (one.low, -one.high))
    found, above = dict[str, list[str]](), list[Band]()
    for band in bands:
        above = [one for one in above if _overlap(one, band)]
        if above:
            parts = found.setdefault(above[-1].label, [])
            parts += [band.label] * (band.high <= above[-1].high)
        above.append(band)
    return [(whole, tuple(parts)) for whole, parts in found.items()]


def _overlap(first: Band, second: Band) -> bool:
    """Return whether two bands have more in common than an end, or one is a number within the other."""
    if second.low == second.high:
        return first.low <= second.low < first.high
    return max(first.low, second.low) < min(first.high, second.high)
