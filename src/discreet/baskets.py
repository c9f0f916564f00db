"""Baskets: whether lines of values are rows of items, or a table that would be misread as such.

All that is said of lines is counts, never their values.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from discreet.errors import InputError
from discreet.labels import Label

Lines: TypeAlias = Sequence[Sequence[Label]]

SEEN: Final = 4096
"""Lines that are looked at, the first ones."""
FEW: Final = 10
"""Fewer lines are alike by chance."""
SEPARATORS: Final = {";": "';'", "\t": "a tab", "|": "'|'", ",": "','"}
"""What may stand between fields, and what it is called."""
BITS: Final = frozenset({"0", "1", "0.0", "1.0", "true", "false"})
"""The values of a one-hot table, as text in small letters."""
ROW_ID: Final = re.compile(
    r"(?:^|[\W_])(?:ids?|rows?|tid|transactions?|baskets?|orders?|invoices?|receipts?|patients?|persons?|customers?|"
    r"clients?|users?|members?|sessions?|cases?|visits?|encounters?)(?:$|[\W_])|.id$|(?-i:[a-z]No$)",
    re.IGNORECASE,
)
"""What a column of row ids may be called."""
MEANT: Final = "if each line is a row of items, say so with both format='csv' and separator="


def check_rows(rows: Lines) -> None:
    """Refuse lists that are lines of a table: of 0 and 1, or with an id before an item.

    >>> check_rows([["bread", "milk"], ["milk"]])
    """
    if is_onehot(rows) or is_onehot_with_ids(rows):
        raise InputError(
            f"the rows are lists of {len(rows[0]):,} values each, which are 0 or 1 as in a one-hot table; give "
            "Transactions.from_onehot(numpy.array(rows)) without ids, or sets if 0 and 1 are items"
        )
    if has_ids(rows):
        raise InputError(
            f"the rows are lists whose first values look like ids, {_many_ids(rows):,} different ones in "
            f"{len(rows):,} lists; give a frame of them to read(frame, row=, item=), or sets if the ids are items"
        )


def check_lines(lines: Sequence[Sequence[str]], separator: str | None) -> None:
    """Refuse lines of a CSV file that are hardly rows of items; ``separator`` is None where a comma was assumed.

    >>> check_lines([["bread", "milk"], ["milk"]], None)
    >>> check_lines([["tea;milk"], ["milk;rye"]], None)
    Traceback (most recent call last):
    discreet.errors.InputError: 2 of 2 lines have ';' in their only field; give it with separator=, or ...
    """
    filled = [line for line in lines if any(line)]
    for doubt in _doubts(filled, is_assumed=separator is None):
        raise InputError(doubt)


def is_onehot(lines: Lines, *, least: int = 2) -> bool:
    """Return whether lines are those of a one-hot table: ``least`` or more, equally long, of 0 and 1 alone, and mixed.

    A row of items repeats none of them, so rows that are all ``[0, 1]`` may be meant.

    >>> is_onehot([[0, 1], [1, 1]]), is_onehot([[0, 1], [0, 1]]), is_onehot([[0, 1], [1]])
    (True, False, False)
    """
    width, values = _width(lines), {value for line in lines for value in line}
    if width <= 1 or len(lines) < least or not all(str(value).casefold() in BITS for value in values):
        return False
    return len(set(lines[0])) < width or any(list(line) != list(lines[0]) for line in lines)


def is_onehot_with_ids(lines: Lines) -> bool:
    """Return whether lines are those of a one-hot table with a column of row ids before all others."""
    return _width(lines) > 2 and is_onehot([line[1:] for line in lines])  # noqa: PLR2004 - an id and two items


def has_ids(lines: Lines) -> bool:
    """Return whether lines begin with row ids.

    These stand nowhere else, lines of one id stand together, and there are many of them, while the rest is repeated.

    >>> has_ids([[at // 2, "tea" if at % 2 else "milk"] for at in range(20)]), has_ids([["tea", "milk"]] * 20)
    (True, False)
    """
    if len(lines) < FEW or any(len(line) <= 1 for line in lines):
        return False
    many, rest = _many_ids(lines), [value for line in lines for value in line[1:]]
    runs = 1 + sum(one[0] != other[0] for one, other in pairwise(lines))
    is_often = 2 * len(set(rest)) <= len(rest)
    return 2 * many >= FEW and FEW * many >= len(lines) and runs == many and is_often and not _firsts(lines) & {*rest}


def has_header(lines: Sequence[Sequence[str]]) -> bool:
    """Return whether lines are a table whose first one names the columns, for its labels stand nowhere below.

    >>> has_header([["id", "item"], ["1", "tea"]]), has_header([["tea", "milk"], ["tea", "rye"]])
    (True, False)
    """
    if _width(lines) <= 1 or len(lines) <= 1 or len(set(lines[0])) < len(lines[0]) or not all(lines[0]):
        return False
    if {value for line in lines[1:] for value in line} & {*lines[0]}:
        return False
    return len(lines) >= FEW or any(map(ROW_ID.search, lines[0]))


def _doubts(lines: Sequence[Sequence[str]], *, is_assumed: bool) -> Iterator[str]:
    """Yield why lines are hardly rows of items."""
    many, width = len(lines), _width(lines)
    if is_assumed and (found := _other_separator(lines)):
        yield found
    if is_onehot(lines):
        yield (
            f"all {many:,} lines hold {width:,} values of 0 or 1, as in a one-hot table without a header; put a header "
            f"of labels before them and read it with format='onehot'; {MEANT}"
        )
    if width and (is_onehot(lines[1:], least=1) or is_onehot_with_ids(lines[1:])):
        ids = "" if is_onehot(lines[1:], least=1) else ", and name the column of ids with row="
        yield (
            "this looks like a one-hot table, a header and then nothing but 0 and 1; read it with format='onehot'"
            f"{ids}; {MEANT}"
        )
    if has_header(lines):
        yield (
            f"the first of {many:,} lines looks like a header of {width:,} columns; name those of row ids and of items "
            f"with row= and item=, or read a table of 0 and 1 with format='onehot'; {MEANT}"
        )
    if has_ids(lines):
        yield (
            f"the lines begin with what looks like row ids, {_many_ids(lines):,} different ones in {many:,} lines; "
            f"leave the ids out, or put a header before the lines and name its columns with row= and item=; {MEANT}"
        )
    if width > 1 and many >= FEW and _is_of_attributes(lines):
        yield (
            f"all {many:,} lines have {width:,} fields, and each column has values of its own, or one in nearly every "
            f"line, as in a table of attributes; make items of its values, such as sex=f; {MEANT}"
        )


def _other_separator(lines: Sequence[Sequence[str]]) -> str | None:
    """Return that most lines have something else between their fields than a comma, if so."""
    alone = [line[0] for line in lines if len(line) == 1]
    for sign, name in SEPARATORS.items():
        held = sum(sign in field for field in alone)
        if 2 * held > len(lines):
            return (
                f"{held:,} of {len(lines):,} lines have {name} in their only field; give it with separator=, or {MEANT}"
            )
    blank = sum(" " in field.strip() for field in alone)
    if len(alone) == len(lines) >= FEW and 2 * blank > len(lines):
        seen = f"no line has a comma, and {blank:,} of {len(lines):,} have blanks"
        return f"{seen}; give a blank with separator=, or {MEANT}"
    return None


def _is_of_attributes(lines: Lines) -> bool:
    """Return whether equally long lines are a table: values keep to their columns, one fills a column, or repeat."""
    columns = list(zip(*lines, strict=True))
    if all(len(set(column)) == 1 for column in columns):
        return False  # one row many times
    values = [set(column) - {""} for column in columns]
    if all("=" in str(value) for column in values for value in column):
        return False  # values that name their attributes are items
    many = sum(map(len, values))
    keep_apart = len(set().union(*values)) == many and 2 * many <= len(lines) * len(columns)
    fills = any(max(Counter(column).values()) >= 0.95 * len(lines) and len(lines) >= 2 * FEW for column in columns)
    return keep_apart or fills or all(len({*line} - {""}) < sum(map(bool, line)) for line in lines)


def _width(lines: Lines) -> int:
    """Return how many values each line has; 0 where they differ."""
    widths = {len(line) for line in lines}
    return widths.pop() if len(widths) == 1 else 0


def _firsts(lines: Lines) -> set[Label]:
    return {line[0] for line in lines}


def _many_ids(lines: Lines) -> int:
    return len(_firsts(lines))
