"""Readings: what was read, in numbers; and lines without items, which are rows only if their owner says so."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets, Label
from discreet.data.patterns import Patterns
from discreet.data.reading import Reading
from discreet.data.transactions import Transactions
from discreet.errors import Choice, InputError, Message, Option, UnclearError
from discreet.runtime.text import count_of

OF_ROWS: Final = ("columns", "left_out", "person", "per", "people", "doubts", "notes")  # what a table's reader found
FEW_BLANKS: Final = 2  # blank lines that files often end with
ALL_ROWS: Final = Option("empty_rows", value=True)
EMPTY_ROWS: Final = Choice("each of them is a row without items", (ALL_ROWS,))


def describe(rows: Transactions, reading: Reading) -> Transactions:
    """Return rows with their reading, filled in with their numbers.

    >>> rows = describe(Transactions([["a", "b"], ["a"], ["b"]]), Reading("baskets", "csv", separator=","))
    >>> print(rows.reading)
    read as baskets: 3 rows, 2 items, about 1 in a row, separated by commas
    """
    lengths = rows.itemsets.lengths
    found: dict[str, Any] = {name: getattr(rows.reading, name) for name in OF_ROWS if rows.reading is not None}
    length = find_usual_length(np.bincount(lengths)) if lengths.size else 0
    known = replace(reading, n=rows.n, items=len(rows.labels), length=length, **found)
    return rows.describe(reading=replace(known, doubts=(*known.doubts, *find_alike(rows.labels))))


def find_alike(labels: Iterable[Label]) -> list[Message]:
    """Return a doubt if labels differ only in blanks around them: they are kept, and may be meant to be the same.

    >>> print(*find_alike(["tea", "cream cheese ", "tea "]))
    2 labels differ from one another only in blanks around them: rename them if they are meant to be the same
    """
    many = Counter(label.strip() for label in labels if isinstance(label, str))
    alike = sum(times for times in many.values() if times > 1)
    advice = "rename them if they are meant to be the same"
    return [Message(f"{alike:,} labels differ from one another only in blanks around them: {advice}")] * bool(alike)


def find_totals(patterns: Patterns) -> list[Message]:
    """Return a doubt if all itemsets are in all rows: programs can print the number of rows where supports should be.

    >>> print(*find_totals(Patterns.from_itemsets([(["tea"], 9)], n=9)))
    Every itemset has the support 9, the number of rows: check that these are supports, not totals
    """
    is_total = bool(patterns.itemsets.lengths.any()) and bool((patterns.supports == patterns.n).all())
    problem = f"Every itemset has the support {patterns.n:,}, the number of rows"
    return [Message(f"{problem}: check that these are supports, not totals")] * is_total


def find_usual_length(counts: NDArray[np.int64]) -> int:
    """Return the median of lengths, rounded down; ``counts`` are how often each length occurs, from 0 on.

    >>> find_usual_length(np.array([1, 0, 0, 2])), find_usual_length(np.array([0, 1, 1]))
    (3, 1)
    """
    up_to = np.cumsum(counts)
    middle = [(up_to[-1] - 1) // 2, up_to[-1] // 2]
    return int(np.searchsorted(up_to, middle, side="right").sum()) // 2


def mention_blanks(reading: Reading, many: int) -> Reading:
    """Return a reading that says how many blank lines at the end are no rows; more than a few are doubtful.

    >>> print(mention_blanks(Reading("baskets", "csv", n=2, items=3), 2))
    read as baskets: 2 rows, 3 items; 2 blank lines at the end are no rows
    """
    if not many:
        return reading
    are = "is no row" if many == 1 else "are no rows"
    advice = (f"{many:,} blank lines at the end were taken for no rows; if each is one, say so with ", ALL_ROWS)
    doubts = [Message(*advice)] * (many > FEW_BLANKS)
    note = f"{count_of(many, 'blank line')} at the end {are}"
    return replace(reading, notes=(*reading.notes, note), doubts=(*reading.doubts, *doubts))


def drop_blank_end(chunks: Iterable[Itemsets]) -> Iterator[Itemsets]:
    """Yield rows without the empty ones at their end; refuse others, which may be rows or accidents.

    >>> [len(rows) for rows in drop_blank_end([Itemsets.of([[1], [2], []])])]
    [2]
    """
    seen = waiting = kept = 0
    for rows in chunks:
        filled = np.flatnonzero(rows.lengths)
        end = int(filled[-1]) + 1 if filled.size else 0
        inside = end - filled.size + (waiting if filled.size else 0)
        if inside:
            first = seen - waiting + 1 if waiting else seen + 1 + int(np.argmin(rows.lengths > 0))
            reason = (
                f"line {first:,} and {inside - 1:,} more before the last row hold"
                if inside > 1
                else f"line {first:,} holds"
            )
            raise UnclearError(f"{reason} no item: take such lines out", (EMPTY_ROWS,))
        waiting = len(rows) - end + (0 if filled.size else waiting)
        seen += len(rows)
        kept += end
        if end:
            yield rows[:end]
    if not kept:
        raise InputError("the file holds no row: all of its lines are blank; write it again")
