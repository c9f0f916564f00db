"""SWA: the sliding window algorithm of Oliveira and Zaïane (ICDM 2003), which reads the rows once, K at a time.

The paper leaves choices open. They are pinned here, and the reasons stand in docs/decisions:

- the rows are cut into windows of K, from the first on; the last window may be shorter;
- in a window, the sensitive rows are those that hold any sensitive itemset, and all that follows goes by the rows
  as they were, so that the order of the itemsets does not matter;
- the victim of an itemset is its item that most sensitive rows of the window hold; where items tie, the one with the
  shortest text, then the first in the order of texts (of whole numbers: the smallest);
- of the rows of the window that hold the itemset, |T| (1 − disclosure) lose the victim, rounded up: the shortest rows
  first, where lengths tie those that come first;
- with ``below`` σ, an itemset may stay in σ − 1 rows all together: these are used up as windows come, in each for its
  longest rows, and from then on all rows lose it.
"""

import math
import numbers
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.labels import Label
from discreet.errors import ThresholdError
from discreet.hiding.problem import Answer, Problem, changes_of
from discreet.runtime.text import abbreviate

CELLS: Final = 1 << 22
"""Windows that are looked at together, times sensitive items: their counts must fit in memory."""


class Demand(NamedTuple):
    """What shall be hidden, and how: itemsets by their codes, as ``in_order_of_text`` gives them, and so on."""

    itemsets: Sequence[NDArray[np.int32]]
    disclosures: Sequence[Fraction]
    below: int | None
    window: int

    @property
    def together(self) -> int:
        """How many windows can be looked at together."""
        return max(1, CELLS // np.unique(np.concatenate(self.itemsets)).size)


class Windows(NamedTuple):
    """Rows of whole windows, numbered from 0: their lengths, their codes (CSR), and who holds each sensitive itemset.

    Codes that are in no sensitive itemset may be left out, but not of the lengths.
    """

    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    holders: Sequence[NDArray[np.int64]]


def answer(problem: Problem, method: str) -> Answer:  # noqa: ARG001 - one signature for all methods
    """Return what the sliding window removes."""
    labels, data = problem.rows.labels, problem.rows
    itemsets = [in_order_of_text(itemset, labels) for itemset in problem.itemsets]
    demand = Demand(itemsets, problem.sensitive.disclosures, problem.below, as_window(problem.window))
    before = np.zeros(len(itemsets), dtype=np.int64)
    rows, items = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    step = demand.window * demand.together
    for start in range(0, len(data), step):
        offsets = data.offsets[start : start + step + 1]
        bounds = [np.searchsorted(held, [start, start + step]) for held in problem.holders]
        holders = [held[low:high] - start for held, (low, high) in zip(problem.holders, bounds, strict=True)]
        chosen, victims = choose(Windows(np.diff(offsets), offsets, data.items, holders), demand, before)
        rows.append(chosen + start)
        items.append(victims)
        before += [held.size for held in holders]
    return Answer(changes_of(np.concatenate(rows), np.concatenate(items)))


def as_window(window: int) -> int:
    """Return the number of rows in a window if it is one."""
    if isinstance(window, bool) or not isinstance(window, numbers.Integral) or window < 1:
        raise ThresholdError(f"window is {abbreviate(window)!r}; give a whole number of rows of at least 1")
    return int(window)


def in_order_of_text(codes: Iterable[int], labels: Sequence[Label]) -> NDArray[np.int32]:
    """Return codes in the order in which ties between victims are broken.

    By what labels look like, not by what they are: one scan cannot tell whether all labels of a CSV file are numbers.

    >>> in_order_of_text([0, 1, 2], [10, 9, "ale"]).tolist()
    [1, 0, 2]
    """
    texts = {int(code): str(labels[code]) for code in codes}
    return np.array(sorted(texts, key=lambda code: (len(texts[code]), texts[code])), dtype=np.int32)


def choose(windows: Windows, demand: Demand, before: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return pairs of a row and the item that it loses, some perhaps twice.

    ``before`` says how many rows of earlier windows held each sensitive itemset.
    """
    slots, counts = _counted(windows, demand)
    rows, items = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for number, (itemset, held) in enumerate(zip(demand.itemsets, windows.holders, strict=True)):
        window = held // demand.window
        sizes = np.bincount(window, minlength=len(counts))
        many = _to_lose(sizes, demand, number, int(before[number]))
        order = np.lexsort((windows.lengths[held], window))  # stable, and the holders come in order
        rank = np.arange(held.size) - (np.cumsum(sizes) - sizes)[window]
        chosen = held[order][rank < many[window]]
        rows.append(chosen)
        items.append(itemset[counts[:, slots[itemset]].argmax(axis=1)][chosen // demand.window])
    return np.concatenate(rows), np.concatenate(items)


def _counted(windows: Windows, demand: Demand) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the slot of each code (-1: none), and by window and slot how many of its sensitive rows hold the item."""
    wanted = np.unique(np.concatenate(demand.itemsets))
    slots = np.full(int(max(wanted[-1], windows.items.max(initial=0))) + 1, -1, dtype=np.int32)
    slots[wanted] = np.arange(wanted.size, dtype=np.int32)
    sensitive = np.zeros(windows.lengths.size, dtype=np.bool_)
    for held in windows.holders:
        sensitive[held] = True
    counts = np.zeros((-(-sensitive.size // demand.window), wanted.size), dtype=np.int32)
    rows = np.flatnonzero(sensitive)
    kernels.hiding.count_in_windows(windows.offsets, windows.items, rows, demand.window, slots, counts)
    return slots, counts


def _to_lose(sizes: NDArray[np.int64], demand: Demand, number: int, before: int) -> NDArray[np.int64]:
    """Return how many rows of each window must lose an itemset that ``sizes`` of them hold."""
    if demand.below is not None:
        until = before + np.cumsum(sizes)
        room = demand.below - 1
        stay: NDArray[np.int64] = np.minimum(until, room) - np.minimum(until - sizes, room)
        return sizes - stay
    share = demand.disclosures[number]
    return np.array([math.ceil(size * (1 - share)) for size in sizes.tolist()], dtype=np.int64)
