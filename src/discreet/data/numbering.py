"""Numbering: a number for each itemset of a few items, whether anybody holds it or not."""

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets
from discreet.runtime.solver import Numbers


@dataclass(frozen=True)
class Numbering:
    """All itemsets of at most ``length`` of ``items`` items, numbered from the empty one on, shorter ones first.

    The numbers depend on nothing else: they tell nothing about rows.

    >>> numbering = Numbering(items=4, length=2)
    >>> len(numbering), numbering.find(Itemsets.of([[], [3], [0, 1], [2, 3]])).tolist(), numbering[10]
    (11, [0, 4, 5, 10], (2, 3))
    """

    items: int
    length: int

    def __len__(self) -> int:
        return int(self._starts[-1])

    @cached_property
    def _binomials(self) -> Numbers:
        """How many ways there are to choose ``column`` of ``line`` items."""
        return np.array([[comb(many, few) for few in range(self.length + 1)] for many in range(self.items + 1)])

    @cached_property
    def _starts(self) -> Numbers:
        """The number of the first itemset of each length, and how many there are in all."""
        return np.concatenate([[0], np.cumsum(self._binomials[self.items])])

    def find(self, itemsets: Itemsets) -> Numbers:
        """Return the numbers of itemsets; their items are in order."""
        lengths, numbers = itemsets.lengths, np.zeros(len(itemsets), dtype=np.int64)
        places = np.arange(itemsets.size) - np.repeat(itemsets.offsets[:-1] - itemsets.offsets[0], lengths)
        np.add.at(numbers, itemsets.owners, self._binomials[itemsets.entries, places + 1])
        return numbers + self._starts[lengths]

    def __getitem__(self, number: int) -> tuple[int, ...]:
        """Return the items of an itemset."""
        length = int(np.searchsorted(self._starts, number, side="right")) - 1
        rest, items = number - int(self._starts[length]), list[int]()
        for few in range(length, 0, -1):
            items.append(int(np.searchsorted(self._binomials[:, few], rest, side="right")) - 1)
            rest -= int(self._binomials[items[-1], few])
        return tuple(items[::-1])

    def find_subsets(self, itemsets: NDArray[np.integer]) -> Numbers:
        """Return the numbers of all subsets of itemsets of one length, a line each; bits say which items a subset has.

        >>> Numbering(items=4, length=2).find_subsets(np.array([[1, 3]])).tolist()
        [[0, 2, 4, 9]]
        """
        found = np.zeros((len(itemsets), 1 << itemsets.shape[1]), dtype=np.int64)
        for subset in range(found.shape[1]):
            columns = [place for place in range(itemsets.shape[1]) if subset >> place & 1]
            found[:, subset] = self._starts[len(columns)]
            for few, column in enumerate(columns, start=1):
                found[:, subset] += self._binomials[itemsets[:, column], few]
        return found


def number_short(items: int, longest: int | None, most: int) -> Numbering | None:
    """Return the numbering of the longest itemsets of which there are at most so many; None if there is none.

    >>> number_short(100, None, 10_000), number_short(100, 1, 10_000), number_short(100, None, 50)
    (Numbering(items=100, length=2), Numbering(items=100, length=1), None)
    """
    length, many = 0, 1 + items
    while many <= most and length < min(items, items if longest is None else longest):
        length += 1
        many += comb(items, length + 1)
    return Numbering(items, length) if length else None
