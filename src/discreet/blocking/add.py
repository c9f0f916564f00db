"""Add: raise every cell that holds too few rows to k or more."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.cover import covering, distortions
from discreet.blocking.problem import NOBODY, Answer, Problem, held_by
from discreet.data.itemsets import Weighted


def answer(problem: Problem) -> Answer:
    """Return the closed itemsets of the rows and ``k`` copies of each different base of a maximal channel.

    One pass is enough: what is added are closed and frequent itemsets, so the same itemsets are frequent, and closed,
    and every cell stays or grows by k or more (Theorem A1 of docs/guarantee.md). With ``merge`` other closed itemsets
    are added that serve several channels at once, where that costs less.
    """
    patterns = problem.patterns
    itemsets = merged(problem) if problem.merge else bases(problem)
    added = Weighted(*itemsets, np.full(itemsets[0].size - 1, problem.k, dtype=np.int64))
    supports = patterns.supports + held_by(patterns, added, problem.family.trie)
    n = patterns.n + int(added.weights.sum())
    return Answer(replace(patterns, supports=supports, n=n, mined=None), NOBODY, added)


def merged(problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return itemsets that cover all channels, the bases or others: those that cost less distortion."""
    own = bases(problem)
    if not problem.cells.counts.size:
        return own
    return min(own, covering(problem), key=lambda itemsets: distortions(problem, *itemsets).sum())


def bases(problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the different bases of maximal channels as itemsets: where each starts, and their items."""
    cells = problem.cells
    code = np.arange(len(problem.patterns.labels), dtype=np.int32)
    offsets, items, _, _ = kernels.merged.merge(cells.offsets, cells.items, np.ones_like(cells.counts), code)
    return offsets, items
