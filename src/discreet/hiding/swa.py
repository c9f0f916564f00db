"""SWA: the sliding window algorithm of Oliveira and Zaïane (ICDM 2003), which reads the rows once, K at a time.

The paper leaves choices open; docs/decisions gives the reasons for these:

- Rows are cut into windows of K, starting at the first; the last window may be shorter.
- A window's sensitive rows hold a sensitive itemset. Everything goes by the rows as they were, so that the order of
  the itemsets does not matter.
- The victim of an itemset is its item that most sensitive rows of the window hold; ties go to the shortest text, then
  to the first in the order of texts (of whole numbers: the smallest).
- Of the window's rows that hold the itemset, |T| (1 − disclosure) lose the victim, rounded up: the shortest rows
  first, then the earliest.
- With ``below`` σ, an itemset may stay in σ − 1 rows altogether: windows use these up in turn, each for its longest
  rows; after that all rows lose it.
"""

import math
import numbers
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets, Label
from discreet.errors import ThresholdError
from discreet.hiding.problem import HidingProblem, Solution, list_removals
from discreet.runtime.solver import Numbers
from discreet.runtime.text import abbreviate

CELLS: Final = 1 << 22
"""Windows processed together, times sensitive items: their counts must fit in memory."""


class Demand(NamedTuple):
    """What to hide, and how: itemsets with codes ordered as by ``order_by_text``, and so on."""

    itemsets: Itemsets
    disclosures: Sequence[Fraction]
    below: int | None
    window: int

    @property
    def together(self) -> int:
        """How many windows can be processed together."""
        return max(1, CELLS // np.unique(self.itemsets.entries).size)


class Windows(NamedTuple):
    """Rows of whole windows, numbered from 0: lengths, codes, and the rows that hold each sensitive itemset.

    ``rows`` may leave out codes that are in no sensitive itemset; ``lengths`` counts them.
    """

    lengths: Numbers
    rows: Itemsets
    holders: Sequence[Numbers]


def solve(problem: HidingProblem) -> Solution:
    """Remove the victims of each window."""
    itemsets = Itemsets.of([order_by_text(itemset, problem.rows.labels) for itemset in problem.itemsets])
    demand = Demand(itemsets, problem.sensitive.disclosures, problem.below, as_window(problem.window))
    before = np.zeros(len(itemsets), dtype=np.int64)
    rows, items = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    step = demand.window * demand.together
    for start in range(0, len(problem.rows), step):
        part = problem.rows.itemsets[start : start + step]
        bounds = [np.searchsorted(held, [start, start + step]) for held in problem.holders]
        holders = [held[low:high] - start for held, (low, high) in zip(problem.holders, bounds, strict=True)]
        chosen, victims = choose(Windows(part.lengths, part, holders), demand, before)
        rows.append(chosen + start)
        items.append(victims)
        before += [held.size for held in holders]
    return Solution(list_removals(np.concatenate(rows), np.concatenate(items)))


def as_window(window: int) -> int:
    """Return the number of rows in a window; refuse anything else."""
    if isinstance(window, bool) or not isinstance(window, numbers.Integral) or window < 1:
        raise ThresholdError(f"window is {abbreviate(window)!r}; give a whole number of rows of at least 1")
    return int(window)


def order_by_text(codes: Iterable[int], labels: Sequence[Label]) -> NDArray[np.int32]:
    """Return codes in the order that breaks ties between victims.

    It compares labels as text, since one scan cannot know whether all labels of a CSV file are numbers.

    >>> order_by_text([0, 1, 2], [10, 9, "ale"]).tolist()
    [1, 0, 2]
    """
    texts = {int(code): str(labels[code]) for code in codes}
    return np.array(sorted(texts, key=lambda code: (len(texts[code]), texts[code])), dtype=np.int32)


def choose(windows: Windows, demand: Demand, before: Numbers) -> tuple[Numbers, NDArray[np.int32]]:
    """Return pairs of a row and the item that it loses; pairs may repeat.

    ``before`` counts the rows of earlier windows that held each sensitive itemset.
    """
    slots, counts = _count_items(windows, demand)
    rows, items = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for number, (itemset, held) in enumerate(zip(demand.itemsets, windows.holders, strict=True)):
        window = held // demand.window
        sizes = np.bincount(window, minlength=len(counts))
        many = _count_to_lose(sizes, demand, number, int(before[number]))
        order = np.lexsort((windows.lengths[held], window))  # stable, and the holders increase
        rank = np.arange(held.size) - (np.cumsum(sizes) - sizes)[window]
        chosen = held[order][rank < many[window]]
        rows.append(chosen)
        items.append(itemset[counts[:, slots[itemset]].argmax(axis=1)][chosen // demand.window])
    return np.concatenate(rows), np.concatenate(items)


def _count_items(windows: Windows, demand: Demand) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the slot of each code (-1: none), and by window and slot how many sensitive rows hold the item."""
    wanted = np.unique(demand.itemsets.entries)
    slots = np.full(int(max(wanted[-1], windows.rows.items.max(initial=0))) + 1, -1, dtype=np.int32)
    slots[wanted] = np.arange(wanted.size, dtype=np.int32)
    sensitive = np.zeros(windows.lengths.size, dtype=np.bool_)
    for held in windows.holders:
        sensitive[held] = True
    counts = np.zeros((-(-sensitive.size // demand.window), wanted.size), dtype=np.int32)
    kernels.hiding.count_in_windows(*windows.rows.flat, np.flatnonzero(sensitive), demand.window, slots, counts)
    return slots, counts


def _count_to_lose(sizes: Numbers, demand: Demand, number: int, before: int) -> Numbers:
    """Return how many rows of each window must lose an itemset, given how many hold it."""
    if demand.below is not None:
        until = before + np.cumsum(sizes)
        room = demand.below - 1
        stay: Numbers = np.minimum(until, room) - np.minimum(until - sizes, room)
        return sizes - stay
    share = demand.disclosures[number]
    return np.array([math.ceil(size * (1 - share)) for size in sizes.tolist()], dtype=np.int64)
