"""Keeping the number of rows: as many rows are dropped as a method adds, or repeated as it leaves out."""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.distortion import class_sizes, plant, supports_in
from discreet.blocking.methods import sum_within
from discreet.blocking.problem import BlockProblem, BlockSolution, count_rows
from discreet.blocking.repeats import find_groups
from discreet.data.itemsets import Weighted
from discreet.data.transactions import Merged
from discreet.errors import BudgetError, Option
from discreet.runtime.solver import Numbers

STEPS: Final = 8  # in which rows are chosen; before each, it is counted which itemsets have too many rows or too few


def keep_number(solution: BlockSolution) -> BlockSolution:
    """Return a solution with as many rows as the problem has: some more are dropped, or repeated.

    Rows that are dropped must leave k rows, or none, in each group that readers single out. Rows that are repeated open
    no channel, unless they make other itemsets frequent. So rows are chosen that distort least, and whoever is to blame
    for a threat is left alone from then on. If too few rows are left to choose from, that is a BudgetError.
    """
    problem, (whole, numbers) = solution.problem, solution.problem.whole
    excess = solution.patterns.n - problem.patterns.n
    if not excess:
        return solution
    if isinstance(problem.rows, Merged):
        raise _refuse("the rows were merged without their rare items, so that whole rows cannot be chosen")
    lost = np.bincount(numbers[solution.suppressed], minlength=len(whole))
    repeated, others = _match(solution.added, whole)
    counts = whole.weights - lost + repeated
    may_change = (counts > 0) if excess < 0 else (counts > 0) & (repeated == 0)
    sign = -1 if excess > 0 else 1
    while True:
        change = _choose(solution, counts, others, may_change, sign * abs(excess))
        changed = replace(_build_solution(problem, counts + change, others), rounds=solution.rounds)
        rows = Weighted.concat([whole.weigh(counts + change), others])
        groups = find_groups(changed, rows).rows
        if not len(groups):
            return changed
        blamed = np.isin(np.arange(len(whole)), groups.entries) if sign < 0 else _hold_gained(changed, solution, whole)
        if not (blamed & (change != 0)).any():
            blamed = change != 0
        may_change &= ~blamed


def _build_solution(problem: BlockProblem, counts: Numbers, others: Weighted) -> BlockSolution:
    """Return the solution with so many rows of each kind of ``problem.whole``, and ``others``.

    Of rows of which there are fewer than before, the last ones are suppressed.
    """
    whole, numbers = problem.whole
    rows = whole.take(np.flatnonzero(counts)).weigh(counts[counts > 0])
    rows = Weighted.concat([rows, others]) if len(others) else rows
    rise = np.flatnonzero(counts > whole.weights)
    added = Weighted.concat([whole.take(rise).weigh((counts - whole.weights)[rise]), others])
    fall = np.flatnonzero(counts < whole.weights)
    lost = [np.flatnonzero(numbers == number)[counts[number] :] for number in fall.tolist()]
    suppressed = np.sort(np.concatenate([np.empty(0, dtype=np.intp), *lost]))
    return BlockSolution.of(problem, problem.mine(problem.as_rows(rows)), suppressed, added)


def _match(added: Weighted, whole: Weighted) -> tuple[Numbers, Weighted]:
    """Return how many copies of each whole row were added, and the added rows that are no copies."""
    number_of = {row.tobytes(): number for number, row in enumerate(whole)}
    numbers = np.array([number_of.get(row.tobytes(), -1) for row in added], dtype=np.int64)
    copies = np.zeros(len(whole), dtype=np.int64)
    np.add.at(copies, numbers[numbers >= 0], added.weights[numbers >= 0])
    return copies, added.take(np.flatnonzero(numbers < 0))


def _choose(
    solution: BlockSolution, counts: Numbers, others: Weighted, may_change: NDArray[np.bool_], change: int
) -> Numbers:
    """Return how many more or fewer rows of each kind there are to be, by the least distortion first."""
    problem, (whole, _) = solution.problem, solution.problem.whole
    patterns, sign, left = problem.patterns, 1 if change > 0 else -1, abs(change)
    shares = np.array(class_sizes(patterns), dtype=np.float64) / patterns.supports
    chosen = np.zeros(len(whole), dtype=np.int64)
    for step in range(STEPS, 0, -1):
        part = -(-left // step)
        rows = Weighted.concat([whole.weigh(counts + chosen), others])
        moved = count_rows(patterns, rows) - patterns.supports
        # One row more is good for itemsets with too few rows, and bad for all others; one row less likewise.
        costs = sum_within(problem, whole, np.where(sign * moved < 0, -shares, shares))
        # No kind of row is more than doubled in a step.
        room = np.where(may_change, counts + chosen, 0)
        order = np.lexsort((np.arange(costs.size), costs))
        taken = np.minimum(np.cumsum(room[order]), part)
        chosen[order] += sign * np.diff(taken, prepend=0)
        left -= int(taken[-1]) if taken.size else 0
    if left:
        word = "repeated" if sign > 0 else "left out instead"
        raise _refuse(f"too few rows can be {word} without singling out others")
    return chosen


def _hold_gained(changed: BlockSolution, before: BlockSolution, rows: Weighted) -> NDArray[np.bool_]:
    """Return which rows hold an itemset that became frequent by the change."""
    gained = changed.patterns.take(np.flatnonzero(supports_in(before.patterns, changed.patterns) == 0))
    held, values, labels = np.zeros(len(rows)), np.ones(len(gained)), len(gained.labels)
    kernels.closure.sum_up(plant(gained), gained.is_rooted, rows.flat, values, labels, held)
    is_holding: NDArray[np.bool_] = held > 0
    return is_holding


def _refuse(why: str) -> BudgetError:
    return BudgetError(f"the number of rows cannot be kept: {why}; leave ", Option("keep_n"), " out, or use 'withhold'")
