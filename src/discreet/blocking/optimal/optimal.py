"""Optimal: the least distortion that can be found in time, and how far it is from the best."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.blocking import add, suppress
from discreet.blocking.attacker_proof import add_merged_more, add_more, find_inferences, match_rows, suppress_more
from discreet.blocking.distortion import distortion
from discreet.blocking.optimal import keep_all
from discreet.blocking.optimal.row_types import (
    ChangeableRows,
    SearchResult,
    apply_change,
    as_matrix,
    find_gained,
    holds,
)
from discreet.blocking.problem import BlockProblem, BlockSolution
from discreet.blocking.release.release import Proof
from discreet.data.itemsets import Itemsets, Weighted
from discreet.disclosure.attacks.finding import Finding
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError, Either
from discreet.runtime.solver import Numbers, Program, Terms, list_each, list_entries

SAME: Final = 1e-6
"""A bound this close, as a share of the average, is met."""
SHARE: Final = 0.5
"""The share of the remaining time for a search that others may follow."""
MOST_CELLS: Final = 100
"""Cells of all frequent itemsets, up to which the search covers all rows; the slowest of some 300 took 6 seconds."""
SCALE: Final = 1000.0
"""The cost of the starting solution in the program."""


def solve(problem: BlockProblem) -> BlockSolution:
    """Return the solution of the least average distortion that is found, with a proof of its quality.

    If there are few items, the search covers all possible rows, and itemsets may be lost if that costs less. Otherwise
    it keeps every itemset and changes some types of rows (keep_all.py). The result is never worse than "add", merged or
    not, or "suppress"; with ``keep_n`` these count only if they keep the number of rows.

    Against a stronger attacker, each inference from the best solution is cut off: it must hold for no row or for k. The
    search starts again, until there is no inference. Other releases might be safe without the cuts, so the bound is
    that of the first search, which considers channels alone.
    """
    until = monotonic() + problem.seconds
    unchanged = BlockSolution.of(problem, problem.patterns)
    if not len(problem.channels) and not _find_inferences(unchanged):
        return replace(unchanged, proof=Proof(0.0, 0.0, 0, whole=True, stopped=False))
    is_plain = problem.against == "plain"
    starts = (add.solve, suppress.solve) if is_plain else (add_more, suppress_more)
    known = _select(problem, [_try(start, problem) for start in starts])
    itemsets = distortion(problem.patterns, problem.patterns).itemsets
    most = min([_average(one) for one in known], default=1.0)
    result = _search(problem, most * itemsets, until)
    # Merged rows are a worse start for the search, but the solution if nothing better is found.
    known += _select(problem, [result.solution, _try(add.solve_merged if is_plain else add_merged_more, problem)])
    if not known:
        raise BudgetError(
            f"no safe release{' of as many rows' * problem.keep_n} was found in {problem.seconds:g} seconds; ",
            Either(
                ("raise {}", "seconds"), ("leave {} out", "keep_n") if problem.keep_n else ("raise {}", "min_support")
            ),
        )
    average, at = min((_average(one), at) for at, one in enumerate(known))
    bound = max(0.0, result.bound / itemsets)
    # The solver counts in floats: a bound this close is met.
    bound = bound if bound < (1 - SAME) * average else average
    return replace(known[at], proof=Proof(average, bound, result.kinds, result.whole, result.stopped), rounds=None)


def _average(solution: BlockSolution) -> float:
    return distortion(solution.problem.patterns, solution.patterns).average


def _search(problem: BlockProblem, most: float, until: float) -> SearchResult:
    """Return the result of a search; its solution, if there is one, withstands the attacker."""
    minimize = search_all_rows if is_small(problem) else keep_all.minimize
    if problem.against == "plain":
        return minimize(problem, most, until)
    result = minimize(problem, most, _soon(until))
    best, cuts = result.solution, tuple[Pattern, ...]()
    try:
        while best is not None and (findings := _find_inferences(best)):
            cuts += tuple(finding.pattern for finding in findings)
            best = minimize(problem, most, _soon(until), cuts).solution if monotonic() < until else None
    except BudgetError:  # too many cuts, or inferences that were not decided
        best = None
    return result._replace(solution=best, stopped=result.stopped or (best is None and result.solution is not None))


def _soon(until: float) -> float:
    """Return when a share of the remaining time is over."""
    return until - (1 - SHARE) * (until - monotonic())


def _find_inferences(solution: BlockSolution) -> tuple[Finding, ...]:
    if solution.problem.against == "plain":
        return ()
    rows = solution.witness
    return find_inferences(solution.problem, solution.patterns, Weighted(*rows.itemsets.flat, rows.weights))


def _try(start: Callable[[BlockProblem], BlockSolution], problem: BlockProblem) -> BlockSolution | None:
    try:
        return start(problem)
    except BudgetError:
        return None


def _select(problem: BlockProblem, solutions: Iterable[BlockSolution | None]) -> list[BlockSolution]:
    """Return the solutions that exist and, if they must, keep the number of rows."""
    n = problem.patterns.n
    return [one for one in solutions if one is not None and (not problem.keep_n or one.patterns.n == n)]


def is_small(problem: BlockProblem) -> bool:
    """Return whether there are few possible rows: 2 ** m of m frequent items, with up to 3 ** m cells."""
    _, width = problem.columns
    if 2**width > MOST_CELLS:
        return False
    family = _all_subsets(width)[_count_supports(problem, width) >= problem.least]
    return int((2 ** family.sum(axis=1)).sum()) <= MOST_CELLS


def search_all_rows(problem: BlockProblem, most: float, until: float, cuts: Sequence[Pattern] = ()) -> SearchResult:
    """Return the best solution of all, given one whose relative changes sum up to ``most``.

    Any rows over the frequent items are allowed, if no other itemset becomes frequent. Each frequent itemset is
    published, and all its cells are empty or hold k rows; or it is lost, which costs its whole support. At a minimum
    support of 1, there are no or k rows of each type. With ``cuts``, each of these patterns holds for no row, or for k.
    """
    _, width = problem.columns
    types = _list_all_rows(problem, width)
    program, columns, top = _build_program(problem, most, width)
    for pattern in cuts:
        _allow_none_or_k(program, list_entries(match_rows(types.itemsets, [pattern])[None], columns), 1, problem.k, top)
    values, bound, stopped = program.solve(seconds=max(0.0, until - monotonic()), gap=0.0)
    total = min(bound * most / SCALE, most)
    if values is None:
        return SearchResult(None, total, types.counts.size, whole=True, stopped=stopped)
    solution = apply_change(problem, types, np.rint(values[columns]).astype(np.int64) - types.counts)
    if len(find_gained(problem, solution.patterns)) or solution.has_channel():
        return SearchResult(None, total, types.counts.size, whole=True, stopped=True)
    return SearchResult(solution, total, types.counts.size, whole=True, stopped=stopped)


def _all_subsets(width: int) -> NDArray[np.bool_]:
    """Return all subsets of the frequent items as a matrix, the empty one first; the last column is False."""
    numbers = np.arange(2**width)
    return np.column_stack([numbers[:, None] >> np.arange(width) & 1, np.zeros_like(numbers)]).astype(np.bool_)


def _list_all_rows(problem: BlockProblem, width: int) -> ChangeableRows:
    """Return all rows that can be made of the frequent items."""
    subsets, (merged, _) = _all_subsets(width), problem.merged
    rows, numbers = as_matrix(problem, merged), np.full(len(subsets), -1)
    numbers[rows[:, :width] @ (1 << np.arange(width))] = np.arange(len(rows))
    frequent = np.unique(problem.patterns.items)
    itemsets = Itemsets.from_lengths(subsets.sum(axis=1), frequent[np.nonzero(subsets)[1]])
    counts = np.where(numbers >= 0, merged.weights[numbers], 0)
    return ChangeableRows(itemsets, counts, numbers, np.zeros(len(subsets), dtype=np.bool_))


def _count_supports(problem: BlockProblem, width: int) -> NDArray[np.int64]:
    merged, _ = problem.merged
    supports: NDArray[np.int64] = holds(_all_subsets(width), as_matrix(problem, merged)) @ merged.weights
    return supports


def _build_program(problem: BlockProblem, most: float, width: int) -> tuple[Program, Numbers, float]:
    """Return the program, its columns of counts of all possible rows, and an upper limit of these."""
    subsets, supports, least, program = _all_subsets(width), _count_supports(problem, width), problem.least, Program()
    held = holds(subsets, subsets)
    family, rare = subsets[supports >= least], held[supports < least]
    before = supports[supports >= least]
    # The empty itemset changes by no more than all changes together.
    top = np.floor(problem.patterns.n * (1 + most) + 1e-6)
    rows = program.add_columns(len(subsets), upper=top, whole=True)
    published = program.add_columns(before.size, upper=1, whole=True)
    changes = program.add_columns(before.size, cost=SCALE / most / before, whole=False)
    after = list_entries(held[supports >= least], rows)
    program.add_rows(before.size, after, list_each(changes, 1), lower=before)
    program.add_rows(before.size, after, list_each(changes, -1), upper=before)
    # A lost itemset costs its whole support, which is more than its change.
    program.add_rows(before.size, list_each(published, before), list_each(changes, 1), lower=before)
    program.add_rows(before.size, after, list_each(published, -least), lower=0)
    program.add_rows(before.size, after, list_each(published, least - 1 - top), upper=least - 1)
    program.add_rows(len(rare), list_entries(rare, rows), upper=least - 1)
    for itemset, column in zip(family, published, strict=True):
        cells = _find_cells(subsets & itemset)
        unless = list_each(np.full(len(cells), column), top)
        _allow_none_or_k(program, list_entries(cells, rows), len(cells), problem.k, top, unless)
    if least == 1:  # a missing itemset has support 0, so each different row is a cell
        _allow_none_or_k(program, list_each(rows, 1), len(subsets), problem.k, top)
    if problem.keep_n:
        n = problem.patterns.n
        program.add_rows(1, Terms(np.zeros_like(rows), rows, np.ones(rows.size)), lower=n, upper=n)
    return program, rows, float(top)


def _find_cells(meets: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows are in each cell; those that meet an itemset in the same base are in the same one."""
    bases, numbers = np.unique(meets, axis=0, return_inverse=True)
    cells: NDArray[np.bool_] = np.arange(len(bases))[:, None] == numbers.ravel()
    return cells


def _allow_none_or_k(program: Program, sums: Terms, size: int, k: int, top: float, *unless: Terms) -> None:
    """Let each of the sums be 0, or from k to ``top``; or anything, where ``unless`` is 0."""
    some = program.add_columns(size, upper=1, whole=True)
    program.add_rows(size, sums, list_each(some, -k), lower=0)
    program.add_rows(size, sums, list_each(some, -top), *unless, upper=top * len(unless))
