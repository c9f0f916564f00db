"""The safe core: the frequent itemsets whose cells each hold no row, or k rows and more."""

from typing import Final

import numpy as np

from discreet import kernels
from discreet.blocking.problem import NOBODY, BlockProblem
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.lattice import Family, add_root
from discreet.data.patterns import Patterns
from discreet.mining.watch import Controls, Naming, Stream, Watch

SHORT: Final = 3  # items of itemsets whose cells are quicker to add up than to count


def find_safe_core(problem: BlockProblem) -> Weighted:
    """Return the itemsets of the safe core with their supports, in any order."""
    if problem.patterns.kind == "frequent" and problem.patterns.itemsets.longest <= SHORT:
        return _choose_safe(problem.patterns, problem.k)
    patterns, least, k, merged = problem.patterns, problem.least, problem.k, problem.merged[0]
    n, supports = patterns.n, kernels.merge_rows.count(*merged.arrays, len(patterns.labels))
    is_safe = (supports >= max(least, k)) & ((supports == n) | (supports <= n - k))
    # The rarest items come first: they have the most items to go on with, and the fewest rows to look at.
    menu = np.argsort(supports, kind="stable").astype(np.int32)
    menu, longest = menu[is_safe[menu]], menu.size if patterns.max_length is None else patterns.max_length
    watch = Watch(problem.limits, 1)
    root = Weighted(np.zeros(2, np.int64), np.empty(0, np.int32), np.array([n]))
    found = [watch.note(root)]
    if not menu.size or not longest:
        return root
    place = np.full(supports.size, -1, dtype=np.int32)
    place[menu] = np.arange(menu.size)
    # The rows with places in the menu for items, and for each place the rows that hold its item.
    places = place[merged.entries]
    by_row = Itemsets.from_lengths(merged.add_up(places >= 0), places[places >= 0]).flat
    starts, rows = kernels.open_tops.list_holders(*by_row, menu.size)
    by_place = starts, rows.astype(np.int32)
    goal = (least, k, n, longest)

    def search(start: int, stop: int, control: Controls) -> Stream:
        part, stream = (start, stop, goal), np.empty(1 << 12, np.int32)
        kernel = kernels.blocking.withhold
        grown, size = kernel(by_row, by_place, merged.weights, supports[menu], *part, stream, control)
        return grown[:size]  # type: ignore[no-any-return]  # kernels have no types

    found.extend(watch.run(search, np.arange(menu.size, 0, -1) ** 2))
    watch.end()
    return watch.unpack([(found, Naming(menu, bits=False))])


def _choose_safe(patterns: Patterns, k: int) -> Weighted:
    """Return those of all frequent itemsets that are safe, by the cells of each."""
    listed = add_root(patterns)
    every = Family(listed.itemsets, listed.supports, NOBODY, listed.labels, listed.n, all=True)
    is_safe = listed.supports >= k
    is_safe[every.smallest_cells(np.arange(len(listed)), k)[0]] = False
    chosen = np.flatnonzero(is_safe)
    return listed.itemsets.take(chosen).weigh(listed.supports[chosen])
