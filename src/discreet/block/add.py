"""Add: raise every cell that holds too few rows to k or more."""

from dataclasses import replace

import numpy as np

from discreet import kernels
from discreet.block.problem import NOBODY, Answer, Problem, held_by
from discreet.release import Merged


def answer(problem: Problem) -> Answer:
    """Return the closed itemsets of the rows and ``k`` copies of each different base of a maximal channel.

    One pass is enough: the added rows are closed and frequent itemsets, so the same itemsets are frequent, and closed,
    and every cell stays or grows by k or more (Theorem A1 of docs/guarantee.md).
    """
    channels = problem.channels.cells
    is_used = np.ones(len(problem.patterns.labels), dtype=np.bool_)
    offsets, items, _, _ = kernels.merged.merge(channels.offsets, channels.items, is_used)
    added = Merged(offsets, items, np.full(offsets.size - 1, problem.k, dtype=np.int64))
    supports = problem.patterns.supports + held_by(problem.patterns, added)
    n = problem.patterns.n + int(added.weights.sum())
    return Answer(replace(problem.patterns, supports=supports, n=n, mined=None), NOBODY, added)
