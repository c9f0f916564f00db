"""Borgelt's programs: patterns such as ``a b c (12)``, one per line, with the numbers that were asked for."""

import re
from collections.abc import Iterator
from typing import Final

from discreet.data.patterns import Patterns
from discreet.data.thresholds import NUMBER
from discreet.errors import InputError, Option, OutputError
from discreet.io.files import Bytes
from discreet.io.formats.patterns import PatternFunctions, StatedPatterns, collect_patterns, iterate_patterns
from discreet.io.mined import find_counts
from discreet.io.notation import as_labels, as_lines, as_texts, encode_lines, fits_field

LINE: Final = re.compile(r"(?P<items>.*)\((?P<values>[^()]*)\)\s*")
BETWEEN: Final = re.compile(r"\s*[,;/|\s]\s*")  # signs between values
TAB: Final = "\t"
ARROW: Final = "<-"  # in rules
RULES: Final = ("this file lists rules, of which no format is read; write them otherwise, and judge them with ",)


def read(data: Bytes, n: int | None = None) -> StatedPatterns:
    r"""Return the patterns of a file such as ``a b c (12)``, a count; ``(12.3)`` and ``(12%)`` are shares of ``n``.

    There may be several numbers, such as ``(12, 54.5)``. Items have blanks between, or tabs if there is any.

    >>> read(b"a b (12.5)\na (50)\n", 8).supports.tolist()
    [1, 4]
    """
    found = []
    for number, line in enumerate(as_lines(data), start=1):
        if line.strip():
            match = LINE.fullmatch(line)
            values = [] if match is None else BETWEEN.split(match["values"].strip())
            if match is None or not all(NUMBER.fullmatch(value.removesuffix("%")) for value in values):
                raise InputError(f"line {number} is no pattern such as 'a b c (12)', a support in brackets at its end")
            found.append((match["items"], values))
    itemsets = _split([items for items, _ in found])
    if any(ARROW in itemset for itemset in itemsets):
        raise InputError(*RULES, Option("rules", value=True))
    if len({len(values) for _, values in found}) > 1:
        raise InputError("the lines have different numbers of values; write them with the same")
    columns = list(zip(*(values for _, values in found), strict=True))
    counts = find_counts(columns, n, "line") if found else ()
    return collect_patterns(zip(itemsets, counts, strict=True), as_labels=as_labels)


def _split(texts: list[str]) -> list[list[str]]:
    if not any(TAB in text for text in texts):
        return [text.split() for text in texts]
    return [[label for label in text.removesuffix(" ").split(TAB) if label] for text in texts]


def write(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns with their counts, in chunks."""
    if len(patterns) == 0:
        raise OutputError("there are no patterns, and an empty file reads as a failed export; write JSON")
    texts = as_texts(patterns, "Borgelt's format", lambda text: text.split() == [text] and fits_field(text))
    pairs = iterate_patterns(patterns)
    return encode_lines(" ".join([*(texts[code] for code in one), f"({support})"]) for one, support in pairs)


PATTERNS: Final = PatternFunctions(read, write)
