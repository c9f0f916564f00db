"""Judging how data was read: signs that it is not what its owner meant, each of which a person must look at."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from discreet.data.patterns import Patterns
from discreet.data.transactions import Rows, Transactions
from discreet.errors import Message, Option
from discreet.judging.policy import Check, CheckName
from discreet.runtime.text import count_of

FEW: Final = 10  # rows that may look odd by chance
NEARLY_ALL, MOST = 0.98, 0.9  # shares of the rows
MANY_TIMES: Final = 2  # so many times as many columns as rows are hardly items


def check_reading(patterns: Patterns, rows: Rows | None) -> Check | None:
    """Return a check that a person must look at, if the data may have been misread; None without such signs.

    An owner who names the shape of the data confirms its reading, so that nothing but its doubts are looked at.

    >>> listed = Patterns.from_itemsets([([], 40)], n=40)
    >>> print(check_reading(listed, None).sentence)
    Nothing would be published but the number of rows, 40.
    """
    reading = patterns.reading if rows is None else rows.reading
    doubts = () if reading is None else reading.doubts
    signs = [*_find_signs(patterns, rows), *(Message(doubt, ".") for doubt in doubts)]
    if reading is not None and isinstance(rows, Transactions) and not reading.confirmed:
        odd = list(_find_odd_rows(rows, reading.shape))
        signs += odd
        what = f"It was {str(reading).partition(':')[0]}; if that is meant, say so with "
        signs += [Message(what, Option("format", reading.format), ".")] * bool(odd)
    words = [part for sign in signs for part in (" ", sign)][1:]
    return CheckName.READING.review(len(signs), Message(*words)) if signs else None


def _find_signs(patterns: Patterns, rows: Rows | None) -> Iterator[Message]:
    """Yield what is odd about data however it was read."""
    many = len(patterns) - patterns.is_rooted
    if patterns.n and not many:
        yield Message(f"Nothing would be published but the number of rows, {patterns.n:,}.")
    elif many == 1:
        yield Message("A single itemset would be published.")
    if rows is not None and rows.n == 1:
        yield Message("There is one row: a row must stand for a person.")


def _find_odd_rows(rows: Transactions, shape: str) -> Iterator[Message]:
    """Yield what is odd about rows whose reading was guessed."""
    if rows.n < FEW:
        yield Message(f"There are only {count_of(rows.n, 'row')}, too few to tell how they are meant.")
        return
    if shape == "onehot" and len(rows.labels) > MANY_TIMES * rows.n:
        yield Message("There are far more columns than rows, as if columns were people.")
    lengths, items = rows.itemsets.lengths, rows.itemsets.entries
    supports = np.bincount(items, minlength=len(rows.labels))
    is_alone = supports == 1
    alone = np.bincount(np.repeat(np.arange(rows.n), lengths), is_alone[items], minlength=rows.n)
    if shape == "baskets" and lengths.max(initial=0) <= 1:
        yield Message("No row has more than one item, as if the separator were another.")
    if supports.max(initial=0) >= NEARLY_ALL * rows.n:
        yield Message("One item is in nearly every row.")
    if np.count_nonzero(alone) >= MOST * rows.n:
        yield Message("Most rows have an item that no other row has, as if ids were items.")
    elif lengths[0] and alone[0] == lengths[0] and np.count_nonzero(alone) * FEW <= rows.n:
        yield Message("No item of the first row is in any other row, as in a header.")
    if _are_different(rows):
        yield Message(f"All {rows.n:,} rows are different.")


def _are_different(rows: Transactions) -> bool:
    bounds, items, seen = rows.offsets.tolist(), rows.items, set[bytes]()
    for start, stop in pairwise(bounds):
        row = items[start:stop].tobytes()
        if row in seen:
            return False
        seen.add(row)
    return True
