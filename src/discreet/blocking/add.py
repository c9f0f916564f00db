"""Add rows, so that each cell that holds too few holds k or more."""

from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.distortion import class_sizes
from discreet.blocking.problem import BlockProblem, BlockSolution, count_rows
from discreet.data.itemsets import Itemsets
from discreet.errors import BudgetError, Option

LONGEST: Final = 64
"""Items of a top whose bases fit a word of bitmaps."""
MOST_STEPS: Final = 10**8
"""Pairs of a closed itemset and a top that are compared, at most: some seconds."""
MOST_PAIRS: Final = 2 * 10**7
"""Pairs of an itemset and a channel that it covers, at most."""


def solve(problem: BlockProblem) -> BlockSolution:
    """Add ``k`` copies of each different base of a maximal channel.

    One pass is enough: the added rows are closed frequent itemsets, so the same itemsets stay frequent and closed, and
    each cell stays as it is or grows by k or more (Theorem A1 of docs/guarantee.md).
    """
    return _add_copies(problem, find_bases(problem))


def solve_merged(problem: BlockProblem) -> BlockSolution:
    """Add ``k`` copies of the bases, or of itemsets that each serve several channels, if that distorts less."""
    bases = find_bases(problem)
    if not problem.cells.counts.size:
        return _add_copies(problem, bases)
    choices = (bases, _cover_channels(problem))
    return _add_copies(problem, min(choices, key=lambda itemsets: _distortions(problem, itemsets).sum()))


def _add_copies(problem: BlockProblem, itemsets: Itemsets) -> BlockSolution:
    patterns, added = problem.patterns, itemsets.weigh(np.full(len(itemsets), problem.k, dtype=np.int64))
    supports = patterns.supports + count_rows(patterns, added, problem.family.trie)
    n = patterns.n + int(added.weights.sum())
    return BlockSolution.of(problem, replace(patterns, supports=supports, n=n, mined=None), added=added)


def find_bases(problem: BlockProblem) -> Itemsets:
    """Return the different bases of maximal channels."""
    cells = problem.cells
    code = np.arange(len(problem.patterns.labels), dtype=np.int32)
    return Itemsets(*kernels.merge_rows.merge(*cells.bases.flat, np.ones_like(cells.counts), code)[:2])


def _cover_channels(problem: BlockProblem) -> Itemsets:
    """Return closed itemsets that cover every channel: an itemset covers one if it meets the top in the base.

    k more rows like such an itemset block all channels that it covers (Theorem A2 of docs/guarantee.md). Finding the
    fewest is set cover, so the choice is greedy: the itemset with the least distortion for each channel it adds.
    """
    pairs, channel_count = _find_pairs(problem), len(problem.channels)
    numbers, starts = np.unique(pairs[:, 0], return_index=True)
    covered = np.split(pairs[:, 1], starts[1:])
    costs = _distortions(problem, problem.patterns.itemsets.take(numbers))
    chosen = _choose_greedily(costs, covered, channel_count)
    needed = _drop_spare(sorted(chosen, key=lambda at: (-costs[at], at)), covered, channel_count)
    return problem.patterns.itemsets.take(numbers[sorted(needed)])


def _distortions(problem: BlockProblem, itemsets: Itemsets) -> NDArray[np.float64]:
    """Return the distortion that one more row like each itemset adds: the sum of 1 / support over its subsets."""
    patterns, sums = problem.patterns, np.zeros(len(itemsets))
    values = np.array(class_sizes(patterns), dtype=np.float64) / patterns.supports
    labels = len(patterns.labels)
    kernels.closure.sum_up(problem.family.trie, patterns.is_rooted, itemsets.flat, values, labels, sums)
    return sums


def _find_pairs(problem: BlockProblem) -> NDArray[np.int64]:
    """Return pairs of a closed itemset and a channel that it covers, by their numbers, in order."""
    channels, patterns, labels = problem.channels, problem.patterns, len(problem.patterns.labels)
    tops, cells = channels.tops.flat, channels.cells
    longest = channels.tops.lengths[cells.tops].max(initial=0)
    steps = len(patterns) * np.unique(cells.tops).size
    if longest > LONGEST or steps > MOST_STEPS:
        raise BudgetError(
            f"merging would compare {len(patterns):,} itemsets with maximal ones of up to {longest} items, {steps:,} "
            f"times; {LONGEST} items and {MOST_STEPS:,} times are its limits: leave ",
            Option("merge"),
            " out",
        )
    maps = kernels.blocking.map_bases(*tops, cells.tops, *cells.bases.flat, labels)
    pairs: NDArray[np.int64] = kernels.blocking.cover(
        patterns.itemsets.flat, (cells.tops, maps), tops, labels, MOST_PAIRS
    )
    if len(pairs) > MOST_PAIRS:
        raise BudgetError(f"itemsets cover channels in more than {MOST_PAIRS:,} ways; leave ", Option("merge"), " out")
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _choose_greedily(costs: NDArray[np.float64], covered: list[NDArray[np.int64]], channel_count: int) -> list[int]:
    """Return itemsets that cover all channels: each time the one of the least cost for a channel not yet covered.

    The number of channels that an itemset adds never grows, so only the head of the queue is looked at again.
    """
    is_covered, chosen = np.zeros(channel_count, dtype=np.bool_), []
    queue = [(float(costs[at]) / channels.size, at) for at, channels in enumerate(covered)]
    heapify(queue)
    while queue and not is_covered.all():
        _, at = heappop(queue)
        left = int(np.count_nonzero(~is_covered[covered[at]]))
        if not left:
            continue
        price = float(costs[at]) / left
        if queue and (price, at) > queue[0]:
            heappush(queue, (price, at))
            continue
        chosen.append(at)
        is_covered[covered[at]] = True
    return chosen


def _drop_spare(chosen: list[int], covered: list[NDArray[np.int64]], channel_count: int) -> list[int]:
    """Return the chosen itemsets without those whose channels the others cover, tried in this order."""
    times = np.zeros(channel_count, dtype=np.int64)
    for at in chosen:
        times[covered[at]] += 1
    needed = []
    for at in chosen:
        if (times[covered[at]] > 1).all():
            times[covered[at]] -= 1
        else:
            needed.append(at)
    return needed
