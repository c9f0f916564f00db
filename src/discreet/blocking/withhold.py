"""Withhold: publish only itemsets of which no cell is too small, with their exact supports."""

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.problem import NOBODY, NONE, Answer, Problem
from discreet.data.itemsets import Weighted
from discreet.data.patterns import Patterns
from discreet.mining.search import unpack
from discreet.mining.watch import Controls, Watch


def answer(problem: Problem) -> Answer:
    """Return the frequent itemsets whose every cell holds no row, or k rows and more: the safe core.

    An item more parts cells, so the smallest one never grows: with an itemset all its subsets are safe, and the search
    turns back where support or a cell becomes too small (docs/guarantee.md). The supports are exact, but the list is
    not that of all frequent itemsets of some rows. Its minimum support is at least k, as that of each itemset is: with
    1, readers would take what is missing for 0.
    """
    patterns, least = problem.patterns, max(problem.least, problem.k)
    listed = Patterns.from_codes(
        *safe_core(problem).arrays, patterns.labels, n=patterns.n, min_support=least, threads=problem.threads
    )
    return Answer(listed, NOBODY, NONE, is_whole=False)


def safe_core(problem: Problem) -> Weighted:
    """Return the itemsets of the safe core, in any order."""
    n, least, k = problem.patterns.n, problem.least, problem.k
    if n < max(least, k):
        return Weighted.concat([])
    merged, _ = problem.merged
    rows = np.repeat(np.arange(merged.weights.size, dtype=np.int32), np.diff(merged.offsets))
    supports = np.zeros(len(problem.patterns.labels), dtype=np.int64)
    np.add.at(supports, merged.items, merged.weights[rows])
    is_safe = (supports >= max(least, k)) & ((supports == n) | (supports <= n - k))
    # The rarest come first: they have the most items to go on with, and the fewest rows to look at.
    menu = np.argsort(supports, kind="stable").astype(np.int32)
    menu = menu[is_safe[menu]]
    watch = Watch(problem.limits, 1)
    root = watch.note(Weighted(np.zeros(2, np.int64), np.empty(0, np.int32), np.array([n])))
    if not menu.size:
        return root
    place = np.full(supports.size, -1, dtype=np.int32)
    place[menu] = np.arange(menu.size)
    placed, lists = _placed(merged, rows, place), _lists(menu.size, place[merged.items], rows)
    goal = (least, k, n)

    def run(start: int, stop: int, control: Controls) -> Weighted:
        stream, size = kernels.withhold.search(
            placed, lists, merged.weights, supports[menu], start, stop, goal, np.empty(1 << 12, np.int32), control
        )
        return unpack(stream[: 0 if control[kernels.search.STOP] else size], menu, sort=False)

    found = watch.over(run, np.arange(menu.size, 0, -1) ** 2)
    watch.end()
    return Weighted.concat([root, *found])


def _placed(
    merged: Weighted, rows: NDArray[np.int32], place: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the merged rows with items by their places, and without those that have none."""
    items = place[merged.items]
    lengths = np.bincount(rows[items >= 0], minlength=merged.weights.size)
    return np.concatenate([[0], np.cumsum(lengths)]), items[items >= 0]


def _lists(
    many: int, places: NDArray[np.int32], rows: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return for each of ``many`` places the rows that hold its item: where its list starts, and the lists."""
    order = np.argsort(places, kind="stable")[np.count_nonzero(places < 0) :]
    lengths = np.bincount(places[order], minlength=many)
    return np.concatenate([[0], np.cumsum(lengths)]), rows[order]
