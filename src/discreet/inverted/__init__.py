"""The inverted file: for each item the rows that hold it, as compressed bitmaps, to be asked by formulas."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from discreet.labels import Label
from discreet.transactions import Transactions


class InvertedFile:
    """For each item of some rows the sorted numbers of the rows that hold it, and how many these are."""

    def __init__(self, rows: Transactions | Iterable[Iterable[Label]]) -> None:
        data = rows if isinstance(rows, Transactions) else Transactions(rows)
        self.n, self.labels, self.code = len(data), data.labels, data.code
        numbers = np.repeat(np.arange(self.n, dtype=np.uint32), np.diff(data.offsets))
        items = data.items[data.offsets[0] : data.offsets[-1]]
        order = np.argsort(items, kind="stable")
        self.supports = np.bincount(items, minlength=len(data.labels)).astype(np.int64)
        self._lists = [BitMap(part) for part in np.split(numbers[order], np.cumsum(self.supports)[:-1])]

    def rows_of_each(self, itemsets: Sequence[NDArray[np.int32]]) -> list[NDArray[np.int64]]:
        """Return for each itemset, by its codes, the numbers of the rows that hold all of it, in order."""
        return [
            np.array(BitMap.intersection(*(self._lists[item] for item in itemset)), dtype=np.int64)
            for itemset in itemsets
        ]
