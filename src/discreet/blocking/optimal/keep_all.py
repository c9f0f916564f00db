"""The least distortion of a release that keeps every frequent itemset, by a change of some types of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.attacker_proof import match_rows
from discreet.blocking.distortion import class_sizes
from discreet.blocking.optimal.row_types import (
    ChangeableRows,
    SearchResult,
    apply_change,
    as_matrix,
    choose_row_types,
    find_gained,
    holds,
)
from discreet.blocking.problem import BlockProblem, BlockSolution
from discreet.data.itemsets import Itemsets
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError
from discreet.mining.mine import mine
from discreet.runtime.solver import Floats, Numbers, Program, Terms, list_each, list_entries

GAP: Final = 0.01
"""A solution this close to the bound, as a share of its cost, is good enough."""
SCALE: Final = 1000.0
"""The cost of the starting solution in the program. HiGHS takes values below 1e-7 for 0, as shares may be."""
NEAR: Final = 10
"""Cells of up to this many times k rows are watched from the start, others once a solution has broken them."""
GROWTH: Final = 6
"""In the first search, types of rows and small cells grow by up to this many times k: narrow limits are quick."""
CLOSE: Final = 2
"""Itemsets that this many times k more rows would make frequent are watched from the start,"""
MOST_CLOSE: Final = 1000
"""if they are no more than these."""
FIRST: Final = 0.5
"""The share of the time for the first search, and of its work for solutions; the second proves how good they are."""


class ModelCells(NamedTuple):
    """Cells: the types of rows that each is the sum of, its base, and how many rows it holds."""

    types: NDArray[np.bool_]
    bases: NDArray[np.bool_]
    counts: NDArray[np.int64]


class SolutionRules(NamedTuple):
    """The rules for solutions that have been needed so far.

    Cells that are ``watched`` must hold enough rows, and those ``chosen`` none or k. Itemsets that must not become
    frequent are ``held`` by some types of rows, and have ``room`` for so many more rows.
    """

    watched: NDArray[np.bool_]
    chosen: NDArray[np.bool_]
    held: NDArray[np.bool_]
    room: NDArray[np.int64]


class Incumbent(NamedTuple):
    """The cheapest safe change of the types of rows, if any is known; the search is for cheaper ones."""

    cost: float
    change: NDArray[np.int64] | None = None
    solution: BlockSolution | None = None


@dataclass(frozen=True, eq=False)
class KeepAllModel:
    """Types of rows that may change, and the supports and cells that are sums of them.

    Each closed itemset is ``held`` by some types of rows, nearly the same as its parent in the ``tree``. ``costs`` are
    for one row more or less: a share of its support, times the number of itemsets that it stands for, scaled.
    """

    problem: BlockProblem
    types: ChangeableRows
    closed: NDArray[np.bool_]
    rows: NDArray[np.bool_]
    held: NDArray[np.bool_]
    tree: NDArray[np.int64]
    costs: Floats
    cells: ModelCells

    def compute_cost(self, change: NDArray[np.int64]) -> float:
        """Return the cost of so many more rows of each type."""
        return float(self.costs @ np.abs(self.held @ change))

    def find_broken(self, change: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the cells that then hold 1 to k − 1 rows."""
        counts = self.cells.counts + self.cells.types @ change
        broken: NDArray[np.bool_] = (counts != 0) & (counts < self.problem.k)
        return broken

    def find_ceilings(self, itemsets: NDArray[np.bool_], cost: float) -> Floats:
        """Return an upper limit of the support of each itemset, if all changes together cost no more than ``cost``.

        No more rows hold it than a closed subset of it, and no support changes by more than the whole cost.
        """
        most = self.problem.family.supports + np.floor(cost / self.costs + 1e-6)
        ceilings: Floats = np.where(holds(self.closed, itemsets), most[:, None], np.inf).min(axis=0, initial=np.inf)
        return ceilings


def minimize(problem: BlockProblem, most: float, until: float, cuts: Sequence[Pattern] = ()) -> SearchResult:
    """Return the best solution found in time, given one whose relative changes sum up to ``most``.

    The program is that of docs/guarantee.md: counts of types of rows are whole numbers, supports and cells are sums of
    them, each cell is empty or holds k, every maximal itemset stays frequent, and no other becomes so. With ``cuts``,
    each of these patterns holds for no row, or for k, and no bound is looked for.

    It is solved twice. First narrowly, so that every solution is a release: cells that hold k rows keep k, and there
    are none or at least k rows of a new type. Then with cells left alone until a solution breaks them: that is a small
    program, and its bound holds for all.
    """
    model = build_model(problem, SCALE / most, cuts)
    first = FIRST if not cuts else 1.0
    best, rules = _solve_narrow(
        model, Incumbent(SCALE), _start_rules(model), until - (1 - first) * (until - monotonic())
    )
    if cuts:
        return SearchResult(best.solution, 0.0, model.types.counts.size, whole=False, stopped=True)
    best, bound, stopped = _solve_wide(model, best, rules, until)
    total = min(bound, best.cost) * most / SCALE
    return SearchResult(best.solution, total, model.types.counts.size, whole=False, stopped=stopped)


def build_model(problem: BlockProblem, scale: float, cuts: Sequence[Pattern] = ()) -> KeepAllModel:
    """Return the model of a problem, its costs scaled."""
    types, family = choose_row_types(problem, cuts), problem.family
    closed, rows = as_matrix(problem, family.itemsets), as_matrix(problem, types.itemsets)
    held = holds(closed, rows)
    costs = np.array(class_sizes(problem.patterns), dtype=np.float64) / family.supports * scale
    parts = zip(_find_cells(problem, rows), _cut_off(problem, types, cuts), strict=True)
    cells = ModelCells(*(np.concatenate(part) for part in parts))
    return KeepAllModel(problem, types, closed, rows, held, _build_tree(held), costs, cells)


def _build_tree(held: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each row of a matrix a parent that it differs little from, or -1: a minimum spanning tree (Prim).

    The program is given the differences: these are far fewer entries.
    """
    floats = held.astype(np.float32)
    sizes = floats.sum(axis=1)
    apart, before, left = sizes.copy(), np.full(sizes.size, -1), np.ones(sizes.size, dtype=np.bool_)
    for _ in range(sizes.size):
        at = int(np.argmin(np.where(left, apart, np.inf)))
        left[at] = False
        from_here = sizes + sizes[at] - 2 * floats @ floats[at]
        closer = left & (from_here < apart)
        before[closer], apart[closer] = at, from_here[closer]
    return before


def _find_cells(problem: BlockProblem, rows: NDArray[np.bool_]) -> ModelCells:
    """Return the cells of tops that some of the rows are in; of those that are the same sum of rows, only one."""
    known = problem.known.cells(problem.patterns.n + 1, problem.threads)
    known = known.take(np.argsort(known.tops, kind="stable"))
    starts = np.searchsorted(known.tops, np.arange(problem.known.tops.size + 1)).tolist()
    found: dict[tuple[bytes, int], tuple[NDArray[np.bool_], NDArray[np.bool_]]] = {}
    for number, top in enumerate(as_matrix(problem, problem.known.itemsets.take(problem.known.tops))):
        start, stop = starts[number], starts[number + 1]
        bases = as_matrix(problem, known.bases[start:stop])
        counts = dict(zip(_make_keys(bases).tolist(), known.counts[start:stop].tolist(), strict=True))
        met = rows & top
        different, first, which = np.unique(_make_keys(met), return_index=True, return_inverse=True)
        for cell, key in enumerate(different.tolist()):
            types = which == cell
            found.setdefault((types.tobytes(), counts.get(key, 0)), (types, met[first[cell]]))
    types_, bases_ = (np.array(part) for part in zip(*found.values(), strict=True))
    return ModelCells(types_, bases_, np.array([count for _, count in found], dtype=np.int64))


def _cut_off(problem: BlockProblem, types: ChangeableRows, cuts: Sequence[Pattern]) -> ModelCells:
    """Return patterns as cells: they are sums of rows as well, and the items that all their cells hold are the base."""
    merged, _ = problem.merged
    matches = [match_rows(types.itemsets, [pattern]) for pattern in cuts]
    return ModelCells(
        np.array(matches, dtype=np.bool_).reshape(-1, types.counts.size),
        as_matrix(problem, Itemsets.of(sorted(frozenset.intersection(*pattern.cells)) for pattern in cuts)),
        np.array([merged.weights[match_rows(merged, [pattern])].sum() for pattern in cuts], dtype=np.int64),
    )


def _make_keys(itemsets: NDArray[np.bool_]) -> NDArray[np.void]:
    packed = np.packbits(itemsets, axis=1)
    return packed.view(np.dtype((np.void, packed.shape[1]))).ravel()


def _start_rules(model: KeepAllModel) -> SolutionRules:
    """Return the rules to begin with: for cells that hold too few rows, or not many more."""
    counts, k = model.cells.counts, model.problem.k
    none = np.zeros((0, model.types.counts.size), dtype=np.bool_), np.empty(0, dtype=np.int64)
    rules = SolutionRules(counts < NEAR * k, (counts > 0) & (counts < k), *none)
    return _tighten(model, rules, _find_nearly_frequent(model.problem))


def _find_nearly_frequent(problem: BlockProblem) -> NDArray[np.bool_]:
    """Return itemsets that a few more rows would make frequent, if there are not too many; others are met in time."""
    try:
        lower = max(1, problem.least - CLOSE * problem.k)
        return find_gained(
            problem, mine(problem.rows, min_support=lower, max_patterns=len(problem.patterns) + MOST_CLOSE)
        )
    except BudgetError:
        return np.zeros((0, problem.columns[1] + 1), dtype=np.bool_)


def _solve_narrow(
    model: KeepAllModel, best: Incumbent, rules: SolutionRules, until: float
) -> tuple[Incumbent, SolutionRules]:
    """Return the best of the solutions that are releases, and the rules that were needed to find it."""
    start = None if model.problem.keep_n else model.problem.k * model.types.is_base
    while (left := until - monotonic()) > 0:
        program, columns = _build_program(model, best, rules, narrow=True)
        known = None if start is None else _list_values(model, rules, start, narrow=True)
        values = program.solve(seconds=left, gap=GAP, start=known, effort=FIRST).values
        if values is None:
            break
        change = np.rint(values[columns]).astype(np.int64)
        broken = model.find_broken(change) & ~rules.watched
        best, gain = _try(model, best, change)
        if not broken.any() and not len(gain):
            break
        rules = _tighten(model, rules, gain)._replace(watched=rules.watched | broken)
    return best, rules


def _solve_wide(
    model: KeepAllModel, best: Incumbent, rules: SolutionRules, until: float
) -> tuple[Incumbent, float, bool]:
    """Return the best solution of all, a lower bound of the cost, and whether time ran out before both met."""
    bound = 0.0
    while (left := until - monotonic()) > 0:
        program, columns = _build_program(model, best, rules, narrow=False)
        start = None if best.change is None else _list_values(model, rules, best.change, narrow=False)
        values, limit, stopped = program.solve(seconds=left, gap=GAP, start=start)
        bound = max(bound, min(limit, best.cost))
        if values is None or bound >= (1 - GAP) * best.cost:
            return best, bound, stopped
        change = np.rint(values[columns]).astype(np.int64)
        broken = model.find_broken(change) & ~rules.chosen
        best, gain = _try(model, best, change)
        if not broken.any() and not len(gain):
            return best, bound, stopped
        rules = _tighten(model, rules, gain)._replace(chosen=rules.chosen | broken)
    return best, bound, True


def _build_program(
    model: KeepAllModel, best: Incumbent, rules: SolutionRules, *, narrow: bool
) -> tuple[Program, Numbers]:
    """Return the program, and its columns for the changes of the types of rows."""
    problem, types, cells, program = model.problem, model.types, model.cells, Program()
    supports, tops, k = problem.family.supports, problem.family.tops, problem.k
    limit = GROWTH * k if narrow else np.inf
    room = np.minimum(model.find_ceilings(model.rows, best.cost) - types.counts, limit)
    change = program.add_columns(types.counts.size, lower=-types.counts, upper=room, whole=True)
    rise, fall = (program.add_columns(supports.size, cost=model.costs, whole=False) for _ in range(2))
    inner = np.flatnonzero(model.tree >= 0)
    before = model.tree[inner]
    differences = model.held.astype(np.int8)
    differences[inner] -= model.held[before]
    program.add_rows(
        supports.size,
        list_entries(differences, change),
        list_each(rise, -1),
        list_each(fall, 1),
        Terms(inner, rise[before], np.ones(inner.size)),
        Terms(inner, fall[before], -np.ones(inner.size)),
        lower=0,
        upper=0,
    )
    slack = problem.least - supports[tops]
    program.add_rows(tops.size, list_each(rise[tops], 1), list_each(fall[tops], -1), lower=slack)
    program.add_rows(rules.room.size, list_entries(rules.held, change), upper=rules.room)
    watched = rules.watched & ~rules.chosen
    floors = np.where(narrow & (cells.counts >= k), k, 0) - cells.counts
    program.add_rows(int(watched.sum()), list_entries(cells.types[watched], change), lower=floors[watched])
    counts, most = cells.counts[rules.chosen], model.find_ceilings(cells.bases[rules.chosen], best.cost)
    _allow_none_or_k(
        program, list_entries(cells.types[rules.chosen], change), counts, np.minimum(most, counts + limit), k
    )
    if narrow:
        new = types.counts == 0
        _allow_none_or_k(program, list_each(change[new], 1), types.counts[new], room[new], k)
    if problem.keep_n:
        program.add_rows(1, Terms(np.zeros_like(change), change, np.ones(change.size)), lower=0, upper=0)
    return program, change


def _allow_none_or_k(program: Program, terms: Terms, counts: NDArray[np.int64], ceilings: Floats, k: int) -> None:
    """Let each sum, added to its count, be 0, or from k to its ceiling."""
    some = program.add_columns(counts.size, upper=1, whole=True)
    program.add_rows(counts.size, terms, list_each(some, -k), lower=-counts)
    program.add_rows(counts.size, terms, list_each(some, -np.maximum(ceilings, k)), upper=-counts)


def _list_values(model: KeepAllModel, rules: SolutionRules, change: NDArray[np.int64], *, narrow: bool) -> Floats:
    """Return the values of all columns of the program for a change of the types of rows."""
    moved = model.held @ change
    counts = (model.cells.counts + model.cells.types @ change)[rules.chosen]
    new = change[model.types.counts == 0] if narrow else change[:0]
    return np.concatenate([change, np.maximum(moved, 0), np.maximum(-moved, 0), counts > 0, new > 0]).astype(np.float64)


def _try(model: KeepAllModel, best: Incumbent, change: NDArray[np.int64]) -> tuple[Incumbent, NDArray[np.bool_]]:
    """Return the better of two changes, recounted from its rows; and the itemsets that this one makes frequent."""
    solution = apply_change(model.problem, model.types, change)
    gain = find_gained(model.problem, solution.patterns)
    cost = model.compute_cost(change)
    if cost < best.cost and not len(gain) and not solution.has_channel():
        best = Incumbent(cost, change, solution)
    return best, gain


def _tighten(model: KeepAllModel, rules: SolutionRules, itemsets: NDArray[np.bool_]) -> SolutionRules:
    """Return the rules with more itemsets that must not become frequent."""
    merged, _ = model.problem.merged
    rows = as_matrix(model.problem, merged)
    room = model.problem.least - 1 - holds(itemsets, rows) @ merged.weights
    held = np.concatenate([rules.held, holds(itemsets, model.rows)])
    return rules._replace(held=held, room=np.concatenate([rules.room, room]))
