"""Hidden: rows in which the sensitive itemsets are hidden, and what that took."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from discreet.data.labels import Itemset
from discreet.data.thresholds import Threshold
from discreet.data.transactions import Transactions
from discreet.hiding.measures import Hiding, hiding
from discreet.hiding.problem import Changes, Gap, Reading
from discreet.hiding.sensitive import Sensitive
from discreet.mining.mine import Budget
from discreet.runtime import html


@dataclass(frozen=True, eq=False, repr=False)
class Hidden:
    """Rows that may be shared, ``transactions``, and how they came about from ``rows``; only the former are for others.

    ``before`` and ``after`` are how many rows hold each sensitive itemset.

    >>> from discreet import hide
    >>> hidden = hide([["a", "b"], ["a", "b", "c"], ["b", "c"]], [["a", "b"]])
    >>> [sorted(row) for row in hidden.transactions], hidden.before.tolist(), hidden.after.tolist()
    ([['b'], ['b', 'c'], ['b', 'c']], [2], [0])
    """

    method: str
    rows: Transactions
    sensitive: Sensitive
    transactions: Transactions
    changes: Changes
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    below: int | None = None
    gap: Gap | None = None
    reading: Reading = "static"

    @property
    def rows_touched(self) -> int:
        """How many rows lost an item."""
        return self.changes.rows.size

    @property
    def items_removed(self) -> int:
        """How many items were removed from rows, all together."""
        return self.changes.items.size

    def measures(self, min_support: Threshold, **budget: Unpack[Budget]) -> Hiding:
        """Return what is found before and after at a minimum support: hiding failure, misses cost and the like.

        >>> from discreet import hide
        >>> hide([["a", "b"], ["a", "b", "c"], ["b", "c"]], [["a", "b"]]).measures(2).misses_cost
        0.25
        """
        return hiding(self.rows, self.transactions, self.sensitive, min_support=min_support, **budget)

    def log(self) -> Iterator[tuple[int, Itemset]]:
        """Yield the number of each row that lost items, from 0, and the labels of these."""
        labels, items = self.rows.labels, self.changes.items.tolist()
        for row, (start, stop) in zip(self.changes.rows.tolist(), pairwise(self.changes.offsets.tolist()), strict=True):
            yield row, frozenset([labels[item] for item in items[start:stop]])

    def __repr__(self) -> str:
        return (
            f"<Hidden: {self.method}, {len(self.sensitive.itemsets):,} sensitive itemsets, {self.rows_touched:,} of "
            f"{len(self.rows):,} rows touched>"
        )

    def _repr_html_(self) -> str:
        """Return how many rows held and hold each sensitive itemset, by its number, as a table for notebooks."""
        numbers = self.sensitive.numbers or range(1, self.before.size + 1)
        first = slice(html.SHOWN)
        lines = zip(numbers[first], self.before[first].tolist(), self.after[first].tolist(), strict=True)
        note = "Only its .transactions are for others to see. What is sensitive goes by its number."
        return html.table(
            repr(self)[1:-1], ["sensitive itemset", "rows before", "rows now"], lines, many=self.before.size, note=note
        )
