"""Withhold itemsets with a cell that is too small; publish the others with their exact supports."""

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.problem import BlockProblem, BlockSolution
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.patterns import Patterns
from discreet.mining.search import Controls, Watch, unpack


def solve(problem: BlockProblem) -> BlockSolution:
    """Publish the safe core: the frequent itemsets whose cells each hold no row, or k rows and more.

    One more item splits cells, so the smallest cell never grows. All subsets of a safe itemset are therefore safe, and
    the search turns back where a support or a cell becomes too small (docs/guarantee.md). The supports are exact, but
    the list is not that of all frequent itemsets of any rows. Its minimum support is at least k: at 1, readers would
    take a missing itemset for one that no row holds.
    """
    patterns, least = problem.patterns, max(problem.least, problem.k)
    core = find_safe_core(problem).arrays
    listed = Patterns.from_codes(*core, patterns.labels, n=patterns.n, min_support=least, threads=problem.threads)
    return BlockSolution.of(problem, listed, is_whole=False)


def find_safe_core(problem: BlockProblem) -> Weighted:
    """Return the itemsets of the safe core with their supports, in any order."""
    n, least, k = problem.patterns.n, problem.least, problem.k
    if n < max(least, k):
        return Weighted.concat([])
    merged, _ = problem.merged
    rows = merged.owners.astype(np.int32)
    supports = np.zeros(len(problem.patterns.labels), dtype=np.int64)
    np.add.at(supports, merged.items, merged.weights[rows])
    is_safe = (supports >= max(least, k)) & ((supports == n) | (supports <= n - k))
    # The rarest items come first: they have the most items to go on with, and the fewest rows to look at.
    menu = np.argsort(supports, kind="stable").astype(np.int32)
    menu = menu[is_safe[menu]]
    watch = Watch(problem.limits, 1)
    root = watch.note(Weighted(np.zeros(2, np.int64), np.empty(0, np.int32), np.array([n])))
    if not menu.size:
        return root
    place = np.full(supports.size, -1, dtype=np.int32)
    place[menu] = np.arange(menu.size)
    placed, lists = _place_items(merged, rows, place), _list_rows(menu.size, place[merged.items], rows)
    goal = (least, k, n)

    def search(start: int, stop: int, control: Controls) -> Weighted:
        stream, size = kernels.blocking.withhold(
            placed, lists, merged.weights, supports[menu], start, stop, goal, np.empty(1 << 12, np.int32), control
        )
        return unpack(stream[: 0 if control[kernels.common.STOP] else size], menu, sort=False)

    parts = watch.run(search, np.arange(menu.size, 0, -1) ** 2)
    watch.end()
    return Weighted.concat([root, *parts])


def _place_items(
    merged: Weighted, rows: NDArray[np.int32], place: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the rows with each item replaced by its place, and without items that have none."""
    items = place[merged.items]
    lengths = np.bincount(rows[items >= 0], minlength=len(merged))
    return Itemsets.from_lengths(lengths, items[items >= 0]).flat


def _list_rows(
    size: int, places: NDArray[np.int32], rows: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return for each place the rows that hold its item: where its list starts, and the lists."""
    order = np.argsort(places, kind="stable")[np.count_nonzero(places < 0) :]
    return Itemsets.from_lengths(np.bincount(places[order], minlength=size), rows[order]).flat
