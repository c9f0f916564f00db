"""The method "optimal": the least distortion that can be found in time, and how far it is from the best."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.blocking import methods, row_types
from discreet.blocking.balance import keep_number
from discreet.blocking.distortion import class_sizes, distortion
from discreet.blocking.inferences import Inference, find_inferences, has_few_kinds, match_rows
from discreet.blocking.problem import BlockProblem, BlockSolution, Proof
from discreet.blocking.repeats import repeat
from discreet.blocking.row_types import SCALE, ChangeableRows, SearchResult, TooLongError, as_matrix, find_gained, holds
from discreet.data.itemsets import Itemsets, Weighted
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError, Either
from discreet.mining.mine import mine
from discreet.runtime.solver import Floats, Numbers, Program, Terms, list_each, list_entries

SAME: Final = 1e-6  # a bound this close, as a share of the average, is met
SHARE: Final = 0.5  # the share of the remaining time for a search that others may follow
GAP: Final = 0.01  # a solution this close to the bound, as a share of its cost, is good enough
NEAR: Final = 10  # cells of up to this many times k rows are watched from the start, others once a solution breaks them
GROWTH: Final = 6  # in the first search, types of rows and small cells grow by up to this many times k: that is quick
CLOSE: Final = 2  # itemsets that this many times k more rows would make frequent are watched from the start,
MOST_CLOSE: Final = 1000  # if they are no more than these
FIRST: Final = 0.5  # the share of the time for the first search, and of its work for solutions,
LITTLE: Final = 0.05  # and that of the second, which proves them

Search: TypeAlias = Callable[[BlockProblem], BlockSolution | None]


def minimize_distortion(problem: BlockProblem) -> BlockSolution:
    """Return the solution of the least average distortion that is found, with a proof of its quality.

    If there are few items, the search covers all possible rows, and itemsets may be lost if that costs less. Otherwise
    it keeps every itemset and changes some types of rows. The result is never worse than "add", merged or not, or
    "suppress"; with ``keep_n`` these are changed to keep the number of rows.

    Each inference of a stronger attacker from the best solution, and each remainder that a schema reveals, is cut off:
    it must hold for no row or for k. The search starts again, until there is none. Other releases might be safe without
    the cuts, so the bound is that of the first search, which considers channels alone.
    """
    problem.require_whole("the method 'optimal'")
    until = monotonic() + problem.seconds
    unchanged = BlockSolution.of(problem, problem.patterns)
    if not len(problem.find_threats(problem.question, problem.channels)) and not _find_inferences(unchanged):
        return replace(unchanged, proof=Proof(0.0, 0.0, 0, whole=True, stopped=False))
    plain = methods.add, methods.suppress, methods.add_merged
    resisting = methods.add_more, methods.suppress_more, methods.add_merged_more
    add, drop, *merge = plain if _is_plain(problem) else resisting
    known = _solve_each(problem, [repeat if problem.schema else add, drop])
    itemsets = distortion(problem.patterns, problem.patterns).itemsets
    most = min([_average(one) for one in known], default=1.0)
    result = _search(problem, most * itemsets, until)
    # Merged rows are a worse start for the search, but the solution if nothing better is found.
    known += _solve_each(problem, [lambda _: result.solution, *([] if problem.schema else merge)])
    if not known:
        other = ("leave {} out", "keep_n") if problem.keep_n else ("raise {}", "min_support")
        wrong = f"no safe release{' of as many rows' * problem.keep_n} was found in {problem.seconds:g} seconds; "
        raise BudgetError(wrong, Either(("raise {}", "seconds"), other))
    average, at = min((_average(one), at) for at, one in enumerate(known))
    bound = max(0.0, result.bound / itemsets)
    # The solver counts in floats: a bound this close is met.
    bound = bound if bound < (1 - SAME) * average else average
    return replace(known[at], proof=Proof(average, bound, result.kinds, result.whole, result.stopped), rounds=None)


def _average(solution: BlockSolution) -> float:
    return distortion(solution.problem.patterns, solution.patterns).average


def _search(problem: BlockProblem, most: float, until: float) -> SearchResult:
    """Return the result of a search; its solution, if there is one, withstands the attacker who knows the schema."""
    search = row_types.search_all_rows if row_types.is_small(problem) else search_keeping_all
    if _is_plain(problem):
        return search(problem, most, until)
    result = search(problem, most, _pass(SHARE, until))
    best, cuts = result.solution, tuple[Pattern, ...]()
    try:
        while best is not None and (found := _find_cuts(best)):
            cuts += found
            best = search(problem, most, _pass(SHARE, until), cuts).solution if monotonic() < until else None
    except BudgetError:  # too many cuts, or inferences that were not decided
        best = None
    return result._replace(solution=best, stopped=result.stopped or (best is None and result.solution is not None))


def _pass(share: float, until: float) -> float:
    """Return when a share of the remaining time is over."""
    return until - (1 - share) * (until - monotonic())


def _find_cuts(solution: BlockSolution) -> tuple[Pattern, ...]:
    """Return the remainders of a solution without channels or, if it has none, what a stronger attacker infers."""
    remainders = solution.find_threats() if len(solution.patterns) else ()
    if not len(remainders):
        return tuple(finding.pattern for finding in _find_inferences(solution))
    code = solution.patterns.code
    pairs = ([frozenset(code[label] for label in one) for one in (cell.base, cell.top)] for cell in remainders)
    return tuple(Pattern.conjunction(base, top - base) for base, top in pairs)


def _is_plain(problem: BlockProblem) -> bool:
    """Return whether only sums of supports count, unless few items are left."""
    return problem.against == "plain" and not problem.schema and not has_few_kinds(problem, problem.patterns)


def _find_inferences(solution: BlockSolution) -> tuple[Inference, ...]:
    if _is_plain(solution.problem) and not has_few_kinds(solution.problem, solution.patterns):
        return ()
    rows = solution.change_rows()
    return find_inferences(solution.problem, solution.patterns, Weighted(*rows.itemsets.flat, rows.weights))


def _solve_each(problem: BlockProblem, forms: Iterable[Search]) -> list[BlockSolution]:
    """Return the solutions that exist within the limits, with the number of rows kept if it must be."""
    solutions = []
    for solve in forms:
        with suppress(BudgetError):
            one = solve(problem)
            # Few items may be left of many, and then other databases that fit are few as well.
            if one is not None and not (_is_plain(problem) and _find_inferences(one)):
                solutions.append(keep_number(one) if problem.keep_n else one)
    return solutions


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

    def find_broken(self, change: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the cells that hold 1 to k − 1 rows after so many more rows of each type."""
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


def search_keeping_all(problem: BlockProblem, most: float, until: float, cuts: Sequence[Pattern] = ()) -> SearchResult:
    """Return the best solution found in time that keeps every frequent itemset.

    The relative changes of a known solution sum up to ``most``. The program is that of docs/guarantee.md. With
    ``cuts``, each of these patterns holds for no row, or for k, and no bound is looked for.

    It is solved twice. First narrowly, so that every solution is a release: cells that hold k rows keep k, and there
    are none or at least k rows of a new type. Then with cells left alone until a solution breaks them: that is a small
    program, and its bound holds for all.
    """
    try:
        model = _build_model(problem, SCALE / most, cuts)
    except TooLongError:
        return SearchResult(None, 0.0, 0, whole=False, stopped=True)
    first = _pass(1.0 if cuts else FIRST, until)
    best, rules, *_ = _improve(model, Incumbent(SCALE), _start_rules(model), first, narrow=True)
    bound, stopped = 0.0, True
    if not cuts:
        best, _, bound, stopped = _improve(model, best, rules, until, narrow=False)
    total = min(bound, best.cost) * most / SCALE
    return SearchResult(best.solution, total, model.types.counts.size, whole=False, stopped=stopped)


def _build_model(problem: BlockProblem, scale: float, cuts: Sequence[Pattern]) -> KeepAllModel:
    """Return the model of a problem, its costs scaled."""
    types, family = row_types.choose_row_types(problem, cuts), problem.family
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
    family = problem.question.known
    known = family.cells(problem.patterns.n + 1, problem.threads)
    known = known.take(np.argsort(known.tops, kind="stable"))
    starts = np.searchsorted(known.tops, np.arange(family.tops.size + 1)).tolist()
    found: dict[tuple[bytes, int], tuple[NDArray[np.bool_], NDArray[np.bool_]]] = {}
    for number, top in enumerate(as_matrix(problem, family.top_itemsets)):
        part = slice(starts[number], starts[number + 1])
        bases = _make_keys(as_matrix(problem, known.bases[part]))
        counts = dict(zip(bases.tolist(), known.counts[part].tolist(), strict=True))
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
    """Return the rules to begin with: for cells that hold too few rows, or not many more.

    Itemsets that a few more rows would make frequent count too, if they are not too many; others are met in time.
    """
    counts, problem = model.cells.counts, model.problem
    none = np.zeros((0, model.types.counts.size), dtype=np.bool_), np.empty(0, dtype=np.int64)
    rules = SolutionRules(counts < NEAR * problem.k, (counts > 0) & (counts < problem.k), *none)
    lower, most = max(1, problem.least - CLOSE * problem.k), len(problem.patterns) + MOST_CLOSE
    try:
        nearly = mine(problem.rows, min_support=lower, max_patterns=most)
    except BudgetError:
        return rules
    return _tighten(model, rules, find_gained(problem, nearly))


def _improve(
    model: KeepAllModel, best: Incumbent, rules: SolutionRules, until: float, *, narrow: bool
) -> tuple[Incumbent, SolutionRules, float, bool]:
    """Return the best solution, the rules that it needed, a lower bound of the cost, and whether time ran out.

    All solutions of a ``narrow`` search are releases; the bound of a wide one holds for all of them.
    """
    bound, problem = 0.0, model.problem
    while (left := until - monotonic()) > 0:
        program, columns = _build_program(model, best, rules, narrow=narrow)
        known = best.change
        if narrow:
            known = None if problem.keep_n or problem.schema else problem.k * model.types.is_base
        start = None if known is None else _list_values(model, rules, known, narrow=narrow)
        effort = FIRST if narrow else LITTLE
        values, limit, stopped = program.solve(seconds=left, gap=GAP, start=start, effort=effort)
        bound = max(bound, min(limit, best.cost))
        if values is None or (bound >= (1 - GAP) * best.cost and not narrow):
            return best, rules, bound, stopped
        change = np.rint(values[columns]).astype(np.int64)
        broken = model.find_broken(change) & ~(rules.watched if narrow else rules.chosen)
        best, gain = _try_change(model, best, change)
        if not broken.any() and not len(gain):
            return best, rules, bound, stopped
        watched, chosen = rules.watched | (broken & narrow), rules.chosen | (broken & (not narrow))
        rules = _tighten(model, rules, gain)._replace(watched=watched, chosen=chosen)
    return best, rules, bound, True


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
    before, ones = model.tree[inner], np.ones(inner.size)
    differences = model.held.astype(np.int8)
    differences[inner] -= model.held[before]
    own = list_entries(differences, change), list_each(rise, -1), list_each(fall, 1)
    parents = Terms(inner, rise[before], ones), Terms(inner, fall[before], -ones)
    program.add_rows(supports.size, *own, *parents, lower=0, upper=0)
    slack = problem.least - supports[tops]
    program.add_rows(tops.size, list_each(rise[tops], 1), list_each(fall[tops], -1), lower=slack)
    program.add_rows(rules.room.size, list_entries(rules.held, change), upper=rules.room)
    watched, chosen = rules.watched & ~rules.chosen, rules.chosen
    floors = np.where(narrow & (cells.counts >= k), k, 0) - cells.counts
    program.add_rows(int(watched.sum()), list_entries(cells.types[watched], change), lower=floors[watched])
    counts = cells.counts[chosen]
    most = np.maximum(np.minimum(model.find_ceilings(cells.bases[chosen], best.cost), counts + limit), k)
    row_types.allow_none_or_k(program, list_entries(cells.types[chosen], change), counts, most, k)
    if narrow:
        new = types.counts == 0
        row_types.allow_none_or_k(program, list_each(change[new], 1), types.counts[new], np.maximum(room[new], k), k)
    if problem.keep_n:
        program.add_rows(1, Terms(np.zeros_like(change), change, np.ones(change.size)), lower=0, upper=0)
    return program, change


def _list_values(model: KeepAllModel, rules: SolutionRules, change: NDArray[np.int64], *, narrow: bool) -> Floats:
    """Return the values of all columns of the program for a change of the types of rows."""
    moved = model.held @ change
    counts = (model.cells.counts + model.cells.types @ change)[rules.chosen]
    new = change[model.types.counts == 0] if narrow else change[:0]
    return np.concatenate([change, np.maximum(moved, 0), np.maximum(-moved, 0), counts > 0, new > 0]).astype(np.float64)


def _try_change(model: KeepAllModel, best: Incumbent, change: NDArray[np.int64]) -> tuple[Incumbent, NDArray[np.bool_]]:
    """Return the better of two changes, recounted from its rows; and the itemsets that this one makes frequent."""
    solution = row_types.apply_change(model.problem, model.types, change)
    gain = find_gained(model.problem, solution.patterns)
    cost = float(model.costs @ np.abs(model.held @ change))
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
