"""Order: itemsets as arrays, brought into dictionary order of their codes."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.errors import InputError
from discreet.runtime import resources


def in_dictionary_order(
    offsets: NDArray[np.int64], items: NDArray[np.int32], counts: NDArray[np.int64], many: int, threads: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return the itemsets in dictionary order of their codes, of which there are ``many``; refuse one listed twice.

    >>> offsets, items, counts = in_dictionary_order(
    ...     np.array([0, 1, 3]), np.array([1, 0, 1], np.int32), np.array([5, 7]), 2
    ... )
    >>> offsets.tolist(), items.tolist(), counts.tolist()
    ([0, 2, 3], [0, 1, 1], [7, 5])
    """
    if kernels.itemsets.in_order(offsets, items):
        return offsets, items, counts
    present = np.zeros(many, dtype=np.bool_)
    kernels.itemsets.mark(items, present)
    ranks = np.cumsum(present)
    keys = np.empty(counts.size, dtype=np.uint64)
    kernels.itemsets.pack(offsets, items, ranks, max(1, int(present.sum()).bit_length()), keys)
    order = np.argsort(keys)
    spare, lengths = np.empty_like(order), np.diff(offsets)
    moved, taken = np.zeros_like(offsets), np.empty_like(items)
    # Where a part starts does not hang on the order within the parts before it, which other threads are changing.
    entries = np.concatenate([[0], np.cumsum(lengths[order])])

    def settle(start: int, stop: int) -> int:
        part = slice(start, stop)
        again: int = kernels.itemsets.settle(offsets, items, keys, order[part], spare[part])
        kernels.itemsets.take(offsets, items, order[part], entries[start], moved[1:][part], taken)
        return again

    # Itemsets with one key stay in one part, so that each part can be sorted alone.
    cuts = [0, *np.searchsorted(keys[order], keys[order[order.size * np.arange(1, threads) // threads]]), order.size]
    again = max(resources.share(settle, pairwise(cuts), threads))
    if again >= 0:
        raise InputError(f"an itemset of {lengths[again]} items is listed twice; list each itemset once")
    return moved, taken, counts[order]
