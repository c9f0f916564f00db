"""Judging how data was read: signs that it is not what its owner meant, each of which a person must look at."""

from collections.abc import Iterator

from discreet.data.oddness import look_at
from discreet.data.patterns import Patterns
from discreet.data.transactions import Rows, Transactions
from discreet.errors import Message, Option
from discreet.judging.policy import Check, CheckName


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
    if reading is not None and rows is not None and not reading.confirmed:
        odd = look_at(rows.itemsets, reading.shape, len(rows.labels)) if isinstance(rows, Transactions) else reading.odd
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
