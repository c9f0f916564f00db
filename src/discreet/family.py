"""A family: published itemsets as a lattice, from which the supports of all itemsets below them follow."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels, machine
from discreet.errors import InconsistencyError, InputError
from discreet.labels import Itemset, Label
from discreet.patterns import Patterns

Trie: TypeAlias = NDArray[np.int32]
"""Nodes as kernels/lattice.py lists them."""

AT_ONCE: Final = 1024
"""Tops that a kernel is given at once: between two calls Ctrl-C is heard."""


class Cells(NamedTuple):
    """Cells of tops: number of the top, base (CSR: ``items[offsets[i]:offsets[i + 1]]``), and number of rows."""

    tops: NDArray[np.int32]
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Family:
    """Closed itemsets with their supports, in dictionary order, and the numbers of those that are tops (maximal).

    The support of any other itemset is the largest of a superset that is listed.
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    supports: NDArray[np.int64]
    tops: NDArray[np.int64]
    labels: tuple[Label, ...]
    n: int

    @cached_property
    def trie(self) -> Trie:
        """The itemsets as a trie, to walk through those within a top."""
        trie: Trie = kernels.lattice.plant(self.offsets, self.items)
        return trie

    @property
    def longest(self) -> int:
        """The length of the longest itemset."""
        return int(np.diff(self.offsets).max(initial=0))

    @cached_property
    def may_be_cut(self) -> bool:
        """Whether longer itemsets may have been left out; then the longest ones need not be closed."""
        return bool(kernels.lattice.may_be_cut(self.offsets, self.items, self.longest, len(self.labels)))

    def top_itemsets(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the tops as itemsets: where each starts, and their items."""
        return taken(self.offsets, self.items, self.tops)

    def labelled(self, number: int) -> Itemset:
        """Return an itemset by its labels."""
        return frozenset(self.labels[item] for item in self.items[self.offsets[number] : self.offsets[number + 1]])

    def cells(self, limit: int, threads: int = 1) -> Cells:
        """Return the cells of all tops that hold from 1 to ``limit`` − 1 rows.

        By Möbius inversion on the closed itemsets within each top: a support is the sum of the cells above it, and a
        row meets a closed itemset in a closed one, so no other itemset has a cell.
        """
        tops = self.top_itemsets()
        parts = [(start, start + AT_ONCE) for start in range(0, self.tops.size, AT_ONCE)]
        _ = self.trie, self.may_be_cut  # once, before threads ask for them
        share = min(threads, max(1, len(parts)))
        return together(machine.share(lambda start, stop: self._cells(start, stop, limit, tops), parts, share))

    def smallest_cells(self, numbers: NDArray[np.int64], limit: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return which of some itemsets, taken as tops, have a cell below ``limit``, and how many rows that holds."""
        places, _, counts, _ = self._invert(numbers, limit)
        return places, counts

    def visits(self, sample: int) -> int:
        """Return about how many steps ``cells`` takes, from ``sample`` of the tops."""
        chosen = self.tops[:: max(1, self.tops.size // sample)]
        if not chosen.size:
            return 0
        visited: int = self._invert(chosen, 0)[3]
        return visited * self.tops.size // chosen.size

    def _cells(self, start: int, stop: int, limit: int, tops: tuple[NDArray[np.int64], NDArray[np.int32]]) -> Cells:
        found, maps, counts, _ = self._invert(self.tops[start:stop], limit)
        cells = based(maps, found + np.int32(start), counts, *tops)
        wrong = np.flatnonzero(counts < 0)
        if wrong.size:
            at = wrong[0]
            base = cells.items[cells.offsets[at] : cells.offsets[at + 1]]
            raise InconsistencyError(
                f"the supports say that {counts[at]} rows hold {base.size} items of an itemset and no other of it; no "
                "rows can have them: check that they are exact, and those of closed or of all frequent itemsets",
                "negative",
                (self.labels[item] for item in base),
                self.labelled(int(self.tops[cells.tops[at]])),
            )
        return cells

    def _invert(
        self, tops: NDArray[np.int64], limit: int
    ) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.int64], int]:
        found: tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.int64], int] = kernels.lattice.cells_of(
            self.trie,
            self.offsets,
            self.items,
            self.supports,
            tops,
            len(self.labels),
            self.longest,
            self.may_be_cut,
            limit,
        )
        return found


def based(
    maps: NDArray[np.uint64],
    tops: NDArray[np.int32],
    counts: NDArray[np.int64],
    top_offsets: NDArray[np.int64],
    top_items: NDArray[np.int32],
    place: NDArray[np.int64] | None = None,
) -> Cells:
    """Return cells whose bases are bitmaps of their tops' items, or over the ``place`` of each item."""
    offsets = np.empty(tops.size + 1, dtype=np.int64)
    items = np.empty(int(np.bitwise_count(maps).sum()), dtype=np.int32)
    none = np.empty(0, dtype=np.int64)
    kernels.cells.write_bases(maps, tops, top_offsets, top_items, none if place is None else place, offsets, items)
    return Cells(tops, offsets, items, counts)


def together(parts: list[Cells]) -> Cells:
    """Return the cells of all parts."""
    starts = np.cumsum([0, *(part.items.size for part in parts)])
    return Cells(
        np.concatenate([np.empty(0, dtype=np.int32), *(part.tops for part in parts)]),
        np.concatenate([*(part.offsets[:-1] + start for part, start in zip(parts, starts, strict=False)), starts[-1:]]),
        np.concatenate([np.empty(0, dtype=np.int32), *(part.items for part in parts)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.counts for part in parts)]),
    )


def family_of(patterns: Patterns) -> Family:
    """Return the family of patterns that are closed, or all frequent ones; refuse a list that no rows can have.

    >>> from discreet import mine
    >>> family = family_of(mine([["a", "b"], ["a", "b"], ["a"]], min_support=1, kind="frequent"))
    >>> [sorted(family.labelled(top)) for top in family.tops], family.supports.tolist()
    ([['a', 'b']], [3, 2])
    """
    if patterns.kind == "maximal":
        raise InputError(
            "maximal itemsets do not tell the supports of their subsets; give the rows as well, or closed itemsets"
        )
    offsets, items, supports = patterns.offsets, patterns.items, patterns.supports
    if patterns.kind == "frequent":
        closed = np.flatnonzero(~_without_flaw(patterns))
        supports = supports[closed]
        offsets, items = taken(offsets, items, closed)
    tops = np.flatnonzero(kernels.lattice.maximal(offsets, items, len(patterns.labels)))
    family = Family(offsets, items, supports, tops, patterns.labels, patterns.n)
    if patterns.kind == "closed" and not patterns.mined:
        _check_meets(family)
    return family


def taken(
    offsets: NDArray[np.int64], items: NDArray[np.int32], numbers: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return some of the itemsets, in the given order."""
    moved = np.zeros(numbers.size + 1, dtype=np.int64)
    entries = int((offsets[numbers + 1] - offsets[numbers]).sum())
    chosen = np.empty(entries, dtype=np.int32)
    kernels.itemsets.take(offsets, items, numbers, 0, moved[1:], chosen)
    return moved, chosen


def _without_flaw(patterns: Patterns) -> NDArray[np.bool_]:
    """Return for each frequent itemset whether a superset has its support; refuse a list that is not one of all.

    Each subset with one item less must be listed, with no less support.
    """
    slots = kernels.lattice.index(patterns.offsets, patterns.items)
    is_open = np.zeros(len(patterns), dtype=np.bool_)
    wrong, number, place = kernels.lattice.check_subsets(
        slots, patterns.offsets, patterns.items, patterns.supports, is_open
    )
    if not wrong:
        return is_open
    start, stop = patterns.offsets[number], patterns.offsets[number + 1]
    labels = [patterns.labels[item] for item in patterns.items[start:stop]]
    subset = labels[:place] + labels[place + 1 :]
    if wrong == kernels.lattice.MISSING:
        raise InconsistencyError(
            f"an itemset of {len(labels)} items is listed, but not all of its subsets: this is no list of all frequent "
            "itemsets; list them all, or say kind='closed' or kind='maximal' if that is what they are",
            "missing",
            subset,
            labels,
        )
    raise InconsistencyError(
        f"an itemset of {len(labels)} items has a larger support than one of its subsets; no rows can have both",
        "rising",
        subset,
        labels,
    )


def _check_meets(family: Family) -> None:
    """Refuse closed itemsets if what two neighbours have in common is not listed: it would be closed as well.

    Where longer itemsets may have been left out, the longest need not be closed, and are not looked at.
    """
    cut = family.longest if family.may_be_cut else family.longest + 1
    one, other = kernels.lattice.missing_meet(family.offsets, family.items, cut)
    if one >= 0:
        left, right = family.labelled(one), family.labelled(other)
        raise InconsistencyError(
            f"what two closed itemsets of {len(left)} and {len(right)} items have in common is not listed, though it "
            "is closed as well; list all closed itemsets, the one that all rows hold too",
            "missing",
            left & right,
            left,
        )
