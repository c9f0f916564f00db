"""The format of Borgelt's programs: patterns as ``a b c (12)``, with a count or a percentage."""

import re
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Final

from discreet.data.patterns import Patterns
from discreet.data.thresholds import LARGEST_COUNT, parse_exact
from discreet.errors import InputError, Option, OutputError
from discreet.io.files import Data
from discreet.io.label_codes import PatternFunctions, StatedPatterns, as_texts, collect_patterns, iterate_patterns
from discreet.io.text import as_labels, as_lines, as_support, encode_lines, fits_field

LINE: Final = re.compile(r"(?P<items>.*)\((?P<support>[0-9]+(?P<decimals>\.[0-9]+)?)(?P<percent>%?)\)\s*")


def read_patterns(data: Data, n: int | None = None) -> StatedPatterns:
    r"""Return the patterns of a file such as ``a b c (12)``, a count; ``(12.3)`` and ``(12%)`` are shares of ``n``.

    >>> read_patterns(b"a b (12.5)\n", 8).supports.tolist()
    [1]
    """
    return collect_patterns(_read_pairs(as_lines(data), n), as_labels=as_labels)


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns with their counts, in chunks."""
    if len(patterns) == 0:
        raise OutputError("there are no patterns, and an empty file reads as a failed export; write JSON")
    texts = as_texts(patterns, "Borgelt's format", lambda text: text.split() == [text] and fits_field(text))
    return encode_lines(
        " ".join([*(texts[code] for code in itemset), f"({support})"])
        for itemset, support in iterate_patterns(patterns)
    )


def _read_pairs(lines: list[str], n: int | None) -> Iterator[tuple[list[str], int]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            match = LINE.fullmatch(line)
            if match is None:
                raise InputError(f"line {number} is no pattern such as 'a b c (12)', a support in brackets at its end")
            yield match["items"].split(), _read_support(match, n, f"line {number}")


def _read_support(match: re.Match[str], n: int | None, where: str) -> int:
    """Return the only count of ``n`` rows that a percentage can be: the exact one, else the one it rounds."""
    if match["decimals"] is None and not match["percent"]:
        return as_support(match["support"], where)
    if n is None:
        raise InputError(f"{where} has a support in percent; say of how many rows with ", Option("n"))
    share = parse_exact(match["support"])
    if share is None or not 0 <= n <= LARGEST_COUNT:
        raise InputError(f"{where} has a support of too many digits, or n is no number of rows; write counts")
    middle = share * n / 100
    if middle.denominator == 1:
        return int(middle)
    half = Fraction(n, 200 * 10 ** (len(match["decimals"] or ".") - 1))
    least, most = ceil(middle - half), floor(middle + half)
    if least != most:
        raise InputError(
            f"{where} has a support in percent that is no count of {n} rows, or of several; "
            "give the n that was mined, or write more decimals or counts"
        )
    return least


PATTERNS: Final = PatternFunctions(read_patterns, write_patterns)
