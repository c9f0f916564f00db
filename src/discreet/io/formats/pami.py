"""PAMI: patterns such as ``a<tab>b:12``, one per line."""

import re
from collections.abc import Iterator
from typing import Final

from discreet.data.patterns import Patterns
from discreet.errors import InputError, OutputError
from discreet.io.files import Bytes
from discreet.io.formats.patterns import PatternFunctions, StatedPatterns, collect_patterns, iterate_patterns
from discreet.io.mined import find_counts
from discreet.io.notation import as_labels, as_lines, as_texts, encode_lines, fits_field

LINE: Final = re.compile(r"(?P<items>.*): *(?P<support>[0-9][0-9.e+-]*) *")
BETWEEN: Final = "\t"


def read(data: Bytes, n: int | None = None) -> StatedPatterns:
    r"""Return the patterns of a file of PAMI; labels keep their blanks and colons.

    >>> found = read(b"rye bread\ttea:12 \nrye bread:15\n")
    >>> found.labels, found.supports.tolist()
    (('rye bread', 'tea'), [12, 15])
    """
    itemsets, supports = [], []
    for number, line in enumerate(as_lines(data), start=1):
        if line.strip():
            match = LINE.fullmatch(line)
            if match is None:
                raise InputError(f"line {number} is no pattern such as 'a<tab>b:12', a support after a colon")
            itemsets.append([label for label in match["items"].split(BETWEEN) if label])
            supports.append(match["support"])
    counts = find_counts([supports], n, "pattern") if supports else ()
    return collect_patterns(zip(itemsets, counts, strict=True), as_labels=as_labels)


def write(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as a file of PAMI, in chunks."""
    if len(patterns) == 0:
        raise OutputError("there are no patterns, and an empty file reads as a failed export; write JSON")
    texts = as_texts(patterns, "PAMI's format", lambda text: fits_field(text) and BETWEEN not in text)
    pairs = iterate_patterns(patterns)
    return encode_lines(f"{BETWEEN.join(texts[code] for code in one)}:{support}" for one, support in pairs)


PATTERNS: Final = PatternFunctions(read, write)
