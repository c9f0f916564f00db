"""The least distortion of a release that keeps every frequent itemset: supports change, cells are empty or hold k."""

from collections.abc import Iterator
from time import monotonic
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.block.kinds import Kinds, answer_of, as_matrix, gained, holds, kinds_of, places
from discreet.block.problem import Answer, Problem
from discreet.block.program import Floats, Program, Solved, Terms, each, entries
from discreet.measure import class_sizes

GAP: Final = 0.01
"""A solution this close to the bound, as a share of its cost, is good enough."""
SCALE: Final = 1000.0
"""What the start costs in the program. HiGHS takes what is below 1e-7 for 0, so that shares of supports vanish."""
FIRST: Final = 0.5
"""The share of the time for the first search, which finds solutions; the second proves how good they are."""


class Cells(NamedTuple):
    """Cells that the kinds of rows meet (a row of ``met`` each): base, a row of ``bases``, and number of rows."""

    met: NDArray[np.bool_]
    bases: NDArray[np.bool_]
    counts: NDArray[np.int64]


class Found(NamedTuple):
    """The best answer so far, what it costs in the program and its counts; and a cost that none is below."""

    answer: Answer | None
    cost: float
    change: NDArray[np.int64] | None
    bound: float
    stopped: bool


class Model:
    """The program in words: kinds of rows, the supports and cells they make up, and what a change costs."""

    def __init__(self, problem: Problem, kinds: Kinds, most: float) -> None:
        """Take the kinds of rows; a change that costs more than ``most``, a sum of shares, is not looked for."""
        family, (place, width) = problem.family, places(problem)
        self.problem, self.kinds = problem, kinds
        self.rows = as_matrix(kinds.offsets, kinds.items, place, width)
        self.closed = as_matrix(family.offsets, family.items, place, width)
        self.held = holds(self.closed, self.rows)
        sizes = np.array(class_sizes(problem.patterns), dtype=np.float64)
        self.scale = SCALE / most
        self.costs = sizes / family.supports * self.scale
        self.cells = _cells(problem, self.rows, place, width)
        # Itemsets that must not become frequent: which of the kinds hold each, and how many rows more are allowed.
        self.rare: list[tuple[NDArray[np.bool_], int]] = []

    def cost(self, change: NDArray[np.int64]) -> float:
        """Return what it costs to have so many rows more of each kind."""
        return float(self.costs @ np.abs(self.held @ change))

    def ceilings(self, itemsets: NDArray[np.bool_], most: float) -> NDArray[np.int64]:
        """Return how many rows hold each itemset, at most, where all changes together cost no more than ``most``."""
        supports = self.problem.family.supports + np.floor(most / self.costs + 1e-6)
        within = holds(self.closed, itemsets)
        return np.where(within, supports[:, None], np.inf).min(axis=0).astype(np.int64)


def least(problem: Problem, start: Answer | None, most: float, until: float) -> Found:
    """Return the best answer that is found until then, from a start that costs so much; and the bound."""
    raise NotImplementedError
