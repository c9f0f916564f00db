"""Counts between equal ones: if rows were only added, a count that is the same in April and in June is so in May, too.

So a new release may give away a cell of an older one that did not list it, and with that a small difference between two
older releases, or between one of them and the new one.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets
from discreet.runtime.solver import Numbers


class Between:
    """The differences of a new release from older ones, where they are known.

    ``differences[l, at]`` is the support of itemset ``at`` in the new release less that in older release l. All parts
    of an itemset are listed in the new release.
    """

    def __init__(self, itemsets: Itemsets, differences: Sequence[Numbers], known: Sequence[NDArray[np.bool_]]) -> None:
        """Keep what the releases say themselves."""
        self.differences, self.known = np.array(differences), np.array(known)
        self.codes = [tuple(codes.tolist()) for codes in itemsets]
        self.place = {codes: at for at, codes in enumerate(self.codes)}

    def find_unsafe(self, is_out: NDArray[np.bool_], k: int) -> list[int]:
        """Return the itemsets by which cells of older releases follow that differ by 1 to k − 1 rows from others.

        The shorter ones come first: what follows for them is known when the longer ones are looked at.
        """
        out, found = {*np.flatnonzero(is_out).tolist()}, list[int]()
        for at in sorted(range(len(self.codes)), key=lambda number: len(self.codes[number])):
            parts = self._list_parts(self.codes[at])
            if not out.isdisjoint(parts):
                out.add(at)
            elif self._is_unsafe(np.array(parts), k):
                out.add(at)
                found.append(at)
        return found

    def _list_parts(self, codes: tuple[int, ...]) -> list[int]:
        """Return the numbers of all parts of an itemset, itself last: bit i of a place stands for item i."""
        size = range(1 << len(codes))
        return [self.place[tuple(code for bit, code in enumerate(codes) if part >> bit & 1)] for part in size]

    def _is_unsafe(self, parts: Numbers, k: int) -> bool:
        """Return whether a cell that follows is too near to that of another release; if not, note what follows."""
        known = self.known[:, parts]
        if known[:, -1].all() or not known[:, -1].any():
            return False
        cells = np.where(known, self.differences[:, parts], 0)
        rows_since = cells[:, 0]
        known[:, -1], lists_it = True, known[:, -1].copy()
        _add_up(cells, np.subtract)
        _add_up(known, np.logical_and)  # whether all itemsets between a part and the whole are known
        # One more row with the whole itemset is one more, or one fewer, in the cell of a part.
        sign = 1 - 2 * (np.bitwise_count(np.arange(parts.size) ^ (parts.size - 1)) & 1).astype(np.int64)
        followed = list[int]()
        for older in np.flatnonzero(~lists_it).tolist():
            is_before = lists_it & (rows_since >= rows_since[older])
            unchanged = np.flatnonzero(known[older] & (is_before[:, None] & known & (cells == 0)).any(axis=0))
            if unchanged.size:  # the cell is the same before and now, and so in between: that tells the whole itemset
                missing = -sign[unchanged[0]] * cells[older, unchanged[0]]
                cells[older] += sign * missing
                self.differences[older, parts[-1]] = missing
                followed.append(older)
        is_told = known & (lists_it | np.isin(np.arange(len(known)), followed))[:, None]
        for older in followed:
            both = is_told & is_told[older]
            apart = np.abs(np.concatenate([cells[older][is_told[older]], (cells - cells[older])[both]]))
            if ((apart > 0) & (apart < k)).any():
                return True
        self.known[followed, parts[-1]] = True
        return False


def _add_up(table: NDArray[np.int64] | NDArray[np.bool_], add: np.ufunc) -> None:
    """Replace the value of each part, in each line, by what it and those of all larger parts add up to, in place."""
    for bit in range(table.shape[1].bit_length() - 1):
        halves = table.reshape(len(table), -1, 2, 1 << bit)
        add(halves[:, :, 0], halves[:, :, 1], out=halves[:, :, 0])
