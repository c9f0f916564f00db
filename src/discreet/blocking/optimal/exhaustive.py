"""The least distortion of all releases: any rows that can be made of the frequent items may be there."""

from collections.abc import Sequence
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.findings import holding
from discreet.blocking.guarantee import has_channel
from discreet.blocking.optimal.row_types import Found, Kinds, answer_of, as_matrix, gained, holds, places
from discreet.blocking.problem import Problem
from discreet.data.itemsets import Weighted
from discreet.disclosure.attacks.formula import Pattern
from discreet.runtime.solver import Numbers, Program, Terms, each, entries

MOST_CELLS: Final = 100
"""Cells of all frequent itemsets, up to which all rows are looked through; the slowest of 300 or so took 6 seconds."""
SCALE: Final = 1000.0
"""What the start costs in the program."""


def fits(problem: Problem) -> bool:
    """Return whether all rows that can be are few enough to look through: 2 ** m, and up to 3 ** m cells."""
    _, width = places(problem)
    if 2**width > MOST_CELLS:
        return False
    family = _every(width)[_supports(problem, width) >= problem.least]
    return int((2 ** family.sum(axis=1)).sum()) <= MOST_CELLS


def least(problem: Problem, most: float, until: float, cuts: Sequence[Pattern] = ()) -> Found:
    """Return the best answer of all, where one is known whose shares of change sum up to ``most``.

    Any rows over the frequent items will do, if no other itemset is frequent among them. Each frequent itemset is
    published, and all its cells are empty or hold k rows, or it is lost, which costs as much as its whole support. At
    a minimum support of 1, there are no or k rows of each kind.
    With ``cuts``, each of these patterns holds for no row, or for k.
    """
    _, width = places(problem)
    kinds = _kinds(problem, width)
    program, columns, top = _program(problem, most, width)
    rows = Weighted(kinds.offsets, kinds.items, kinds.counts)
    for pattern in cuts:
        _either(program, entries(holding(rows, [pattern])[None], columns), 1, problem.k, top)
    values, bound, stopped = program.solve(seconds=max(0.0, until - monotonic()), gap=0.0)
    total = min(bound * most / SCALE, most)
    if values is None:
        return Found(None, total, kinds.counts.size, whole=True, stopped=stopped)
    answer = answer_of(problem, kinds, np.rint(values[columns]).astype(np.int64) - kinds.counts)
    if len(gained(problem, answer.patterns)) or has_channel(problem, answer.patterns):
        return Found(None, total, kinds.counts.size, whole=True, stopped=True)
    return Found(answer, total, kinds.counts.size, whole=True, stopped=stopped)


def _every(width: int) -> NDArray[np.bool_]:
    """Return all subsets of so many items as a matrix, the empty one first; none has an item that is not frequent."""
    numbers = np.arange(2**width)
    return np.column_stack([numbers[:, None] >> np.arange(width) & 1, np.zeros_like(numbers)]).astype(np.bool_)


def _kinds(problem: Problem, width: int) -> Kinds:
    """Return all rows that can be made of the frequent items as kinds of rows."""
    every, (merged, _) = _every(width), problem.merged
    rows = as_matrix(merged.offsets, merged.items, *places(problem))
    numbers = np.full(len(every), -1)
    numbers[rows[:, :width] @ (1 << np.arange(width))] = np.arange(len(rows))
    frequent = np.unique(problem.patterns.items)
    offsets = np.concatenate([[0], np.cumsum(every.sum(axis=1))])
    counts = np.where(numbers >= 0, merged.weights[numbers], 0)
    return Kinds(offsets, frequent[np.nonzero(every)[1]], counts, numbers, np.zeros(len(every), dtype=np.bool_))


def _supports(problem: Problem, width: int) -> NDArray[np.int64]:
    """Return the supports of all subsets of the frequent items."""
    merged, _ = problem.merged
    rows = as_matrix(merged.offsets, merged.items, *places(problem))
    supports: NDArray[np.int64] = holds(_every(width), rows) @ merged.weights
    return supports


def _program(problem: Problem, most: float, width: int) -> tuple[Program, Numbers, float]:
    """Return the program, its columns of counts of all rows that can be, and what these are at most."""
    every, supports, least_, program = _every(width), _supports(problem, width), problem.least, Program()
    held = holds(every, every)
    family, rare = every[supports >= least_], held[supports < least_]
    before = supports[supports >= least_]
    # The empty itemset changes by no more than all changes together.
    top = np.floor(problem.patterns.n * (1 + most) + 1e-6)
    rows = program.columns(len(every), upper=top, whole=True)
    published = program.columns(before.size, upper=1, whole=True)
    changes = program.columns(before.size, cost=SCALE / most / before, whole=False)
    after = entries(held[supports >= least_], rows)
    program.rows(before.size, after, each(changes, 1), lower=before)
    program.rows(before.size, after, each(changes, -1), upper=before)
    # What is lost costs its whole support, which is more than it changes by.
    program.rows(before.size, each(published, before), each(changes, 1), lower=before)
    program.rows(before.size, after, each(published, -least_), lower=0)
    program.rows(before.size, after, each(published, least_ - 1 - top), upper=least_ - 1)
    program.rows(len(rare), entries(rare, rows), upper=least_ - 1)
    for itemset, column in zip(family, published, strict=True):
        cells = _cells(every & itemset)
        spare = each(np.full(len(cells), column), top)
        _either(program, entries(cells, rows), len(cells), problem.k, top, spare)
    if least_ == 1:  # what is missing counts as 0, so that each different row is a cell of its own
        _either(program, each(rows, 1), len(every), problem.k, top)
    if problem.keep_n:
        n = problem.patterns.n
        program.rows(1, Terms(np.zeros_like(rows), rows, np.ones(rows.size)), lower=n, upper=n)
    return program, rows, float(top)


def _cells(met: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows each cell is made of, where some of them are in the same one."""
    bases, which = np.unique(met, axis=0, return_inverse=True)
    cells: NDArray[np.bool_] = np.arange(len(bases))[:, None] == which.ravel()
    return cells


def _either(program: Program, sums: Terms, many: int, k: int, top: float, *unless: Terms) -> None:
    """Let each of so many sums be 0, or from k to ``top``; or anything, unless something is 1."""
    some = program.columns(many, upper=1, whole=True)
    program.rows(many, sums, each(some, -k), lower=0)
    program.rows(many, sums, each(some, -top), *unless, upper=top * len(unless))
