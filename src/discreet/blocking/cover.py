"""Cover: rows to add that serve several channels at once."""

from heapq import heapify, heappop, heappush
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.distortion import class_sizes
from discreet.blocking.problem import Problem
from discreet.data.lattice import taken
from discreet.errors import BudgetError, Option

LONGEST: Final = 64
"""Items of a top whose bases fit a word of bitmaps."""
MOST_STEPS: Final = 10**8
"""How many meetings of a closed itemset with a top are looked at, at most: some seconds."""
MOST_PAIRS: Final = 2 * 10**7
"""How many pairs of an itemset and a channel that it covers are kept, at most."""


def covering(problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return closed itemsets that cover every channel: one of them meets its top in its base.

    k rows more that hold just such an itemset block all the channels that it covers (Theorem A2 of docs/guarantee.md).
    To find the fewest is set cover, so they are chosen greedily: each time the one that costs the least distortion for
    a channel more.
    """
    patterns, many = problem.patterns, len(problem.channels)
    pairs = _pairs(problem)
    numbers, starts = np.unique(pairs[:, 0], return_index=True)
    channels = np.split(pairs[:, 1], starts[1:])
    costs = distortions(problem, *taken(patterns.offsets, patterns.items, numbers))
    chosen = _greedy(costs, channels, many)
    kept = _without_spare(sorted(chosen, key=lambda at: (-costs[at], at)), channels, many)
    return taken(patterns.offsets, patterns.items, numbers[sorted(kept)])


def distortions(problem: Problem, offsets: NDArray[np.int64], items: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return what a row more like each of some itemsets adds to the relative changes of all supports.

    That is the sum of 1 / support over the frequent itemsets within it.
    """
    patterns, sums = problem.patterns, np.zeros(offsets.size - 1)
    values = np.array(class_sizes(patterns), dtype=np.float64) / patterns.supports
    trie, many = problem.family.trie, len(patterns.labels)
    kernels.closure.sum_up(trie, patterns.is_rooted, (offsets, items), values, many, sums)
    return sums


def _pairs(problem: Problem) -> NDArray[np.int64]:
    """Return pairs of a closed itemset and a channel that it covers, by their numbers, in order."""
    channels, patterns, many = problem.channels, problem.patterns, len(problem.patterns.labels)
    lengths = np.diff(channels.top_offsets)[channels.cells.tops]
    steps = len(patterns) * np.unique(channels.cells.tops).size
    if lengths.max(initial=0) > LONGEST or steps > MOST_STEPS:
        raise BudgetError(
            f"merging would compare {len(patterns):,} itemsets with maximal ones of up to {lengths.max(initial=0)} "
            f"items, {steps:,} times; {LONGEST} items and {MOST_STEPS:,} times are its limits: leave ",
            Option("merge"),
            " out",
        )
    top_itemsets, cells = (channels.top_offsets, channels.top_items), channels.cells
    maps = kernels.cover.map_bases(*top_itemsets, cells.tops, cells.offsets, cells.items, many)
    pairs: NDArray[np.int64] = kernels.cover.cover(
        (patterns.offsets, patterns.items), (cells.tops, maps), top_itemsets, many, MOST_PAIRS
    )
    if len(pairs) > MOST_PAIRS:
        raise BudgetError(f"itemsets cover channels in more than {MOST_PAIRS:,} ways; leave ", Option("merge"), " out")
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _greedy(costs: NDArray[np.float64], channels: list[NDArray[np.int64]], many: int) -> list[int]:
    """Return what covers all ``many`` channels: each time the least cost for a channel that is not covered yet.

    What one covers beside the others never grows, so only the head of the queue needs to be looked at again.
    """
    is_covered, chosen = np.zeros(many, dtype=np.bool_), []
    queue = [(float(costs[at]) / covered.size, at) for at, covered in enumerate(channels)]
    heapify(queue)
    while queue and not is_covered.all():
        _, at = heappop(queue)
        left = int(np.count_nonzero(~is_covered[channels[at]]))
        if not left:
            continue
        price = float(costs[at]) / left
        if queue and (price, at) > queue[0]:
            heappush(queue, (price, at))
            continue
        chosen.append(at)
        is_covered[channels[at]] = True
    return chosen


def _without_spare(chosen: list[int], channels: list[NDArray[np.int64]], many: int) -> list[int]:
    """Return what was chosen without those whose channels the others cover, the first ones looked at first."""
    times = np.zeros(many, dtype=np.int64)
    for at in chosen:
        times[channels[at]] += 1
    kept = []
    for at in chosen:
        if (times[channels[at]] > 1).all():
            times[channels[at]] -= 1
        else:
            kept.append(at)
    return kept
