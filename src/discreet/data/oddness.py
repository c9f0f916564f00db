"""Oddness: signs that rows are not what their owner meant; they count unless the owner has named the shape."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets
from discreet.data.reading import Reading
from discreet.errors import Message
from discreet.runtime.text import count_of

FEW: Final = 10  # rows that may look odd by chance
NEARLY_ALL, MOST = 0.98, 0.9  # shares of the rows
MANY_TIMES: Final = 2  # so many times as many columns as rows are hardly items
FIRST: Final = 10_000  # rows that are compared with each other
UNSEEN: Final = (Message("Nobody has looked at the rows before they were merged."),)


class Oddness:
    """What is odd about rows, which are seen chunk by chunk, twice: items are weighed between the two passes.

    >>> rows, oddness = Itemsets.of([[0], [1], *[[2]] * 10]), Oddness("baskets")
    >>> oddness.add(rows)
    >>> oddness.weigh(np.arange(3), np.array([1, 1, 10]))
    >>> oddness.add_again(rows)
    >>> [str(sign) for sign in oddness.signs(items=3)][0]
    'No row has more than one item, as if the separator were another.'
    """

    def __init__(self, shape: str) -> None:
        """Begin without any row; their shape is one of ``reading.SHAPES``."""
        self.shape, self.n = shape, 0
        self._first = np.empty(0, dtype=np.int32)
        self._longest = self._most = self._rare_rows = 0
        self._rare = np.empty(0, dtype=np.int32)  # the items that a single row holds
        self._seen: set[bytes] | None = set()  # the first rows; None once two were equal

    def add(self, rows: Itemsets) -> None:
        """See some rows, whose items are in rising order, for the first time."""
        if not len(rows):
            return
        if not self.n:
            self._first = rows[0].copy()
        self._longest = max(self._longest, int(rows.lengths.max()))
        self._compare(rows[: max(0, FIRST - self.n)])
        self.n += len(rows)

    def weigh(self, items: NDArray[np.integer], supports: NDArray[np.integer]) -> None:
        """Learn how many of all rows hold each of some items."""
        self._rare, self._most = items[supports == 1], int(supports.max(initial=0))

    def add_again(self, rows: Itemsets) -> None:
        """See rows for the second time."""
        if self._rare.size * FEW > self.n:  # fewer rare items change no sign
            many = np.append(0, np.cumsum(np.isin(rows.entries, self._rare)))
            self._rare_rows += int(np.count_nonzero(np.diff(many[rows.offsets - rows.offsets[0]])))

    def signs(self, items: int) -> Iterator[Message]:
        """Yield what is odd about the rows, which hold so many different items."""
        if self.n < FEW:
            yield Message(f"There are only {count_of(self.n, 'row')}, too few to tell how they are meant.")
            return
        if self.shape == "onehot" and items > MANY_TIMES * self.n:
            yield Message("There are far more columns than rows, as if columns were people.")
        if self.shape == "baskets" and self._longest <= 1:
            yield Message("No row has more than one item, as if the separator were another.")
        if self._most >= NEARLY_ALL * self.n:
            yield Message("One item is in nearly every row.")
        if self._rare_rows >= MOST * self.n:
            yield Message("Most rows have an item that no other row has, as if ids were items.")
        elif self._first.size and np.isin(self._first, self._rare).all() and self._rare_rows * FEW <= self.n:
            yield Message("No item of the first row is in any other row, as in a header.")
        if self._seen is not None:
            many = f"All {self.n:,} rows are" if self.n <= FIRST else f"The first {FIRST:,} rows are all"
            yield Message(f"{many} different.")

    def _compare(self, rows: Itemsets) -> None:
        for row in rows:
            if self._seen is None or row.tobytes() in self._seen:
                self._seen = None
                return
            self._seen.add(row.tobytes())


def look_at(rows: Itemsets, shape: str, items: int) -> tuple[Message, ...]:
    """Return what is odd about rows of so many different items.

    >>> [str(sign) for sign in look_at(Itemsets.of([[0, 1]] * 20), "baskets", 2)]
    ['One item is in nearly every row.']
    """
    oddness = Oddness(shape)
    oddness.add(rows)
    oddness.weigh(np.arange(items), np.bincount(rows.entries, minlength=items))
    oddness.add_again(rows)
    return tuple(oddness.signs(items))


def find_odd(reading: Reading | None, rows: Itemsets | None = None, items: int = 0) -> tuple[Message, ...]:
    """Return what is odd about rows as they were read; without them, what was before they were merged or changed.

    >>> [str(sign) for sign in find_odd(Reading("baskets", "csv"))]
    ['Nobody has looked at the rows before they were merged.']
    """
    if reading is None:
        return ()
    if reading.odd is not None:
        return reading.odd
    return UNSEEN if rows is None else look_at(rows, reading.shape, items)
