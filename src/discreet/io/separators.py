"""Separators: which sign separates the fields of lines, and the fields of the first lines."""

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import islice
from typing import Final

from discreet.io.baskets import FEW, SEPARATORS
from discreet.io.notation import COMMA

MOST_RECORDS: Final = 1000  # records that are inspected
DECIMAL: Final = re.compile(r"\s*[+-]?[\d.]*\d,\d+%?\s*")
FEW_TIMES: Final = 10  # a separator in so many times fewer lines than another is part of labels


def split_lines(text: str, *, is_cut: bool) -> list[str]:
    """Return the lines of a text as our readers see them, without a last one that is cut."""
    lines = list(StringIO(text, newline=""))
    return lines[:-1] if is_cut and len(lines) > 1 else lines


def find_separator(lines: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the separator of the fields, or several that it may be.

    >>> find_separator(["a;b", "c;d"]), find_separator(["milk bread", "tea"]), find_separator(["1,5;2", "1;2,5"])
    ((';', ()), (',', ()), (';', ()))
    >>> find_separator(["a;b,c", "c;d,e"])
    (',', [',', ';'])
    """
    filled = [line for line in lines[:MOST_RECORDS] if line.strip()]
    bare = unquote(filled)
    counts = {sign: sum(sign in line for line in bare) for sign in (COMMA, *SEPARATORS)}
    often = [sign for sign, many in counts.items() if many and FEW_TIMES * many > max(counts.values())]
    if len(often) <= 1:
        return (often or [_find_blank(bare)])[0], ()
    rest = [sign for sign in often if sign != COMMA] if COMMA in often and _is_decimal(bare, often) else often
    widths = {sign: {len(record) for record in parse_records(filled, sign)} for sign in rest}
    even = [sign for sign, found in widths.items() if len(found) == 1 and len(filled) > 1]
    headed = [sign for sign in even if [other for other in often if other in bare[0]] == [sign]]
    wide = [sign for sign in even if min(widths[sign]) > 2 and len(filled) >= FEW]  # noqa: PLR2004 - ids and items
    for some in (rest, headed, wide):
        if len(some) == 1:
            return some[0], ()
    return often[0], often


def unquote(lines: Sequence[str]) -> list[str]:
    """Return lines without what is in quotes."""
    return [re.sub(r'"[^"]*"', "", line) if '"' in line else line for line in lines]


def _is_decimal(lines: Sequence[str], signs: Sequence[str]) -> bool:
    """Return whether commas only stand in numbers, between other separators."""
    between = f"[{re.escape(''.join(signs).replace(COMMA, ''))}]"
    return all(DECIMAL.fullmatch(field) for line in lines for field in re.split(between, line) if COMMA in field)


def _find_blank(lines: Sequence[str]) -> str:
    """Return a blank for whole numbers with blanks between, as in FIMI; otherwise a comma that no line has."""
    return (
        " "
        if all(re.fullmatch(r"[\d\s]+", line) for line in lines) and any(" " in line.strip() for line in lines)
        else COMMA
    )


def parse_records(lines: Iterable[str], separator: str) -> list[list[str]]:
    """Return the fields of the first lines; none if their quotes are broken."""
    reader = csv.reader(lines, delimiter=separator)
    try:
        return list(islice(reader, MOST_RECORDS))
    except csv.Error:
        return []
