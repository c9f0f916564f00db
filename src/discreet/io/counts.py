"""Tables of counts, told apart from tables of people."""

import re
from collections.abc import Sequence
from typing import Final

from discreet.data.itemsets import Label

TOTAL: Final = re.compile(r"(?:grand[ _])?totals?:?|sum:?|\(?\d+ (?:rows?|lines?|records?)(?: \w+)?\)?", re.IGNORECASE)
COUNTS: Final = re.compile(
    r"(?i)(?:\w+[ _])?(?:counts?|n|freq(?:uency)?|frequencies|cases|numerator|denominator|support|people|patients)"
    r"(?:[ _]value)?"
)  # names of columns of counts
MASKED: Final = re.compile(r"[<≤]?=? ?-?\d[\d,]*|\*|\.\.|\[?REDACTED\]?|", re.IGNORECASE)  # a count, or a mask for one

ADVICE: Final = ": judge them with `discreet audit --counts`"


def find_counts(head: Sequence[str], body: Sequence[Sequence[Label]]) -> str:
    """Return why a table holds counts of people rather than people; empty if it does not seem to.

    A column is called so and holds whole numbers, perhaps masked, and no two lines agree in all other columns; or there
    is a line or a column of totals.

    >>> print(find_counts(["sex", "age", "count"], [["f", "young", "12"], ["m", "young", "<5"], ["m", "old", "7"]]))
    the column count seems to hold counts, so that lines are groups of people: judge them with `discreet audit --counts`
    """
    for at in [at for at, name in enumerate(head) if COUNTS.fullmatch(name)]:
        name, rest = head[at], {tuple(line[:at] + line[at + 1 :]) for line in map(list, body)}
        if len(rest) == len(body) > 1 and all(MASKED.fullmatch(str(line[at])) for line in body):
            return f"the column {name} seems to hold counts, so that lines are groups of people{ADVICE}"
    if any(TOTAL.fullmatch(name.strip()) for name in head) or any(
        TOTAL.fullmatch(str(line[0]).strip()) for line in body
    ):
        return f"there is a line or a column of totals, so that lines are groups of people{ADVICE}"
    return ""
