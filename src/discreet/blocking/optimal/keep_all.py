"""The least distortion of a release that keeps every frequent itemset, by a change of some kinds of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.distortion import class_sizes
from discreet.blocking.findings import holding
from discreet.blocking.guarantee import has_channel
from discreet.blocking.optimal.row_types import Found, Kinds, answer_of, as_matrix, gained, holds, kinds_of, places
from discreet.blocking.problem import Answer, Problem
from discreet.data.itemsets import Weighted
from discreet.data.lattice import flat, taken
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError
from discreet.mining.mine import mine
from discreet.runtime.solver import Floats, Numbers, Program, Terms, each, entries

GAP: Final = 0.01
"""A solution this close to the bound, as a share of its cost, is good enough."""
SCALE: Final = 1000.0
"""What the start costs in the program. HiGHS takes what is below 1e-7 for 0, and shares of supports may be."""
NEAR: Final = 10
"""Cells of up to so many times k rows are watched from the start, others once a solution has broken them."""
GROWTH: Final = 6
"""Kinds of rows and small cells grow by up to so many times k in the first search: close limits are soon searched."""
CLOSE: Final = 2
"""Itemsets that this many times k rows more would make frequent are watched from the start,"""
MOST_CLOSE: Final = 1000
"""if they are no more than these."""
FIRST: Final = 0.5
"""The share of the time for the first search, and of its work for solutions; the second proves how good they are."""


class Cells(NamedTuple):
    """Cells: which kinds of rows each is made of (``met``), its base, and how many rows it holds."""

    met: NDArray[np.bool_]
    bases: NDArray[np.bool_]
    counts: NDArray[np.int64]


class Rules(NamedTuple):
    """What solutions must keep to, as far as that has been needed.

    Some cells are ``watched``, to hold enough rows, and some ``chosen``, to hold none or k. Each of some itemsets that
    must not become frequent is ``held`` by some kinds of rows, and has ``room`` for so many rows more.
    """

    watched: NDArray[np.bool_]
    chosen: NDArray[np.bool_]
    held: NDArray[np.bool_]
    room: NDArray[np.int64]


class Best(NamedTuple):
    """The cheapest safe change of the kinds of rows, if any is known; none that costs more is looked for."""

    cost: float
    change: NDArray[np.int64] | None = None
    answer: Answer | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """Kinds of rows that may change, and the supports and cells that are sums of them.

    Each closed itemset is ``held`` by some kinds of rows, by nearly the same as the one before it in the ``tree``.
    ``costs`` are of a row more or less for each: a share of its support, counted for all itemsets that it stands for,
    and scaled.
    """

    problem: Problem
    kinds: Kinds
    closed: NDArray[np.bool_]
    rows: NDArray[np.bool_]
    held: NDArray[np.bool_]
    tree: NDArray[np.int64]
    costs: Floats
    cells: Cells

    def cost(self, change: NDArray[np.int64]) -> float:
        """Return what it costs to have so many rows more of each kind."""
        return float(self.costs @ np.abs(self.held @ change))

    def broken(self, change: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which cells then hold from 1 to k − 1 rows."""
        counts = self.cells.counts + self.cells.met @ change
        broken: NDArray[np.bool_] = (counts != 0) & (counts < self.problem.k)
        return broken

    def ceilings(self, itemsets: NDArray[np.bool_], cost: float) -> Floats:
        """Return how many rows hold each itemset at most, where all changes together cost no more than ``cost``.

        They are no more than hold a closed itemset within it, and no support changes by more than it costs.
        """
        most = self.problem.family.supports + np.floor(cost / self.costs + 1e-6)
        ceilings: Floats = np.where(holds(self.closed, itemsets), most[:, None], np.inf).min(axis=0, initial=np.inf)
        return ceilings


def least(problem: Problem, most: float, until: float, cuts: Sequence[Pattern] = ()) -> Found:
    """Return the best answer that is found until then, where one is known whose shares of change sum up to ``most``.

    With ``cuts``, each of these patterns holds for no row, or for k; a bound on that is not looked for.

    The program is that of docs/guarantee.md: counts of kinds of rows are whole numbers, supports and cells are sums of
    them, each cell is empty or holds k, every maximal itemset stays frequent and nothing becomes so.

    It is solved twice. First narrowly, so that every solution is a release: cells that hold k rows go on to, and there
    are none or at least k of a kind that is new. Then with cells left alone until a solution breaks them, which
    makes a small program whose bound holds for all.
    """
    model = model_of(problem, SCALE / most, cuts)
    first = FIRST if not cuts else 1.0
    best, rules = _narrow(model, Best(SCALE), _rules(model), until - (1 - first) * (until - monotonic()))
    if cuts:
        return Found(best.answer, 0.0, model.kinds.counts.size, whole=False, stopped=True)
    best, bound, stopped = _wide(model, best, rules, until)
    total = min(bound, best.cost) * most / SCALE
    return Found(best.answer, total, model.kinds.counts.size, whole=False, stopped=stopped)


def model_of(problem: Problem, scale: float, cuts: Sequence[Pattern] = ()) -> Model:
    """Return the model of a problem, with costs that are shares of supports, scaled."""
    place, width = places(problem)
    family, kinds = problem.family, kinds_of(problem, cuts)
    closed = as_matrix(family.offsets, family.items, place, width)
    rows = as_matrix(kinds.offsets, kinds.items, place, width)
    held = holds(closed, rows)
    sizes = np.array(class_sizes(problem.patterns), dtype=np.float64)
    costs = sizes / family.supports * scale
    cells, more = _cells(problem, rows), _cut(problem, kinds, cuts)
    met, bases = np.concatenate([cells.met, more.met]), np.concatenate([cells.bases, more.bases])
    counts = np.concatenate([cells.counts, more.counts])
    return Model(problem, kinds, closed, rows, held, _tree(held), costs, Cells(met, bases, counts))


def _tree(held: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each row of a matrix the one that it differs little from, or -1: a least spanning tree (Prim).

    The differences are few, and make a program of far fewer entries.
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


def _cells(problem: Problem, rows: NDArray[np.bool_]) -> Cells:
    """Return the cells of tops that some of the rows are in; those that are the same sum of them only once."""
    place, width = places(problem)
    known = problem.told.cells(problem.patterns.n + 1, problem.threads)
    order = np.argsort(known.tops, kind="stable")
    offsets, items = taken(known.offsets, known.items, order)
    starts = np.searchsorted(known.tops[order], np.arange(problem.told.tops.size + 1))
    found: dict[tuple[bytes, int], tuple[NDArray[np.bool_], NDArray[np.bool_]]] = {}
    for number, top in enumerate(as_matrix(*problem.told.top_itemsets(), place, width)):
        part = slice(starts[number], starts[number + 1])
        bases = as_matrix(*taken(offsets, items, np.arange(part.start, part.stop)), place, width)
        counts = dict(zip(_keys(bases).tolist(), known.counts[order[part]].tolist(), strict=True))
        cut = rows & top
        different, first, which = np.unique(_keys(cut), return_index=True, return_inverse=True)
        for cell, key in enumerate(different.tolist()):
            met = which == cell
            found.setdefault((met.tobytes(), counts.get(key, 0)), (met, cut[first[cell]]))
    met_, bases_ = (np.array(part) for part in zip(*found.values(), strict=True))
    return Cells(met_, bases_, np.array([count for _, count in found], dtype=np.int64))


def _cut(problem: Problem, kinds: Kinds, cuts: Sequence[Pattern]) -> Cells:
    """Return patterns as cells: they are sums of rows, too, and what all their rows hold is the base."""
    place, width = places(problem)
    merged, _ = problem.merged
    rows = Weighted(kinds.offsets, kinds.items, kinds.counts)
    bases = [sorted(frozenset.intersection(*pattern.cells)) for pattern in cuts]
    return Cells(
        np.array([holding(rows, [pattern]) for pattern in cuts], dtype=np.bool_).reshape(-1, kinds.counts.size),
        as_matrix(*flat(bases), place, width),
        np.array([merged.weights[holding(merged, [pattern])].sum() for pattern in cuts], dtype=np.int64),
    )


def _keys(itemsets: NDArray[np.bool_]) -> NDArray[np.void]:
    """Return a key for each itemset, the same for equal ones."""
    packed = np.packbits(itemsets, axis=1)
    return packed.view(np.dtype((np.void, packed.shape[1]))).ravel()


def _rules(model: Model) -> Rules:
    """Return the rules to begin with: for the cells that hold too few rows, and for those that hold not many more."""
    counts, k = model.cells.counts, model.problem.k
    none = np.zeros((0, model.kinds.counts.size), dtype=np.bool_), np.empty(0, dtype=np.int64)
    rules = Rules(counts < NEAR * k, (counts > 0) & (counts < k), *none)
    return _stricter(model, rules, _nearly_frequent(model.problem))


def _nearly_frequent(problem: Problem) -> NDArray[np.bool_]:
    """Return itemsets that a few rows more would make frequent, if they are not too many; others are met in time."""
    try:
        lower = max(1, problem.least - CLOSE * problem.k)
        return gained(problem, mine(problem.rows, min_support=lower, max_patterns=len(problem.patterns) + MOST_CLOSE))
    except BudgetError:
        return np.zeros((0, places(problem)[1] + 1), dtype=np.bool_)


def _narrow(model: Model, best: Best, rules: Rules, until: float) -> tuple[Best, Rules]:
    """Return the best of the solutions that are releases, and the rules with those that were needed for it."""
    start = None if model.problem.keep_n else model.problem.k * model.kinds.is_base
    while (left := until - monotonic()) > 0:
        program, columns = _program(model, best, rules, narrow=True)
        known = None if start is None else _values(model, rules, start, narrow=True)
        values = program.solve(seconds=left, gap=GAP, start=known, effort=FIRST).values
        if values is None:
            break
        change = np.rint(values[columns]).astype(np.int64)
        broken = model.broken(change) & ~rules.watched
        best, gain = _tried(model, best, change)
        if not broken.any() and not len(gain):
            break
        rules = _stricter(model, rules, gain)._replace(watched=rules.watched | broken)
    return best, rules


def _wide(model: Model, best: Best, rules: Rules, until: float) -> tuple[Best, float, bool]:
    """Return the best solution of all, a cost that none is below, and whether time ran out before both met."""
    bound = 0.0
    while (left := until - monotonic()) > 0:
        program, columns = _program(model, best, rules, narrow=False)
        start = None if best.change is None else _values(model, rules, best.change, narrow=False)
        values, limit, stopped = program.solve(seconds=left, gap=GAP, start=start)
        bound = max(bound, min(limit, best.cost))
        if values is None or bound >= (1 - GAP) * best.cost:
            return best, bound, stopped
        change = np.rint(values[columns]).astype(np.int64)
        broken = model.broken(change) & ~rules.chosen
        best, gain = _tried(model, best, change)
        if not broken.any() and not len(gain):
            return best, bound, stopped
        rules = _stricter(model, rules, gain)._replace(chosen=rules.chosen | broken)
    return best, bound, True


def _program(model: Model, best: Best, rules: Rules, *, narrow: bool) -> tuple[Program, Numbers]:
    """Return the program, and its columns of changes of kinds of rows."""
    problem, kinds, cells, program = model.problem, model.kinds, model.cells, Program()
    supports, tops, k = problem.family.supports, problem.family.tops, problem.k
    limit = GROWTH * k if narrow else np.inf
    room = np.minimum(model.ceilings(model.rows, best.cost) - kinds.counts, limit)
    change = program.columns(kinds.counts.size, lower=-kinds.counts, upper=room, whole=True)
    rise, fall = (program.columns(supports.size, cost=model.costs, whole=False) for _ in range(2))
    inner = np.flatnonzero(model.tree >= 0)
    before = model.tree[inner]
    differences = model.held.astype(np.int8)
    differences[inner] -= model.held[before]
    program.rows(
        supports.size,
        entries(differences, change),
        each(rise, -1),
        each(fall, 1),
        Terms(inner, rise[before], np.ones(inner.size)),
        Terms(inner, fall[before], -np.ones(inner.size)),
        lower=0,
        upper=0,
    )
    slack = problem.least - supports[tops]
    program.rows(tops.size, each(rise[tops], 1), each(fall[tops], -1), lower=slack)
    program.rows(rules.room.size, entries(rules.held, change), upper=rules.room)
    watched = rules.watched & ~rules.chosen
    floors = np.where(narrow & (cells.counts >= k), k, 0) - cells.counts
    program.rows(int(watched.sum()), entries(cells.met[watched], change), lower=floors[watched])
    counts, most = cells.counts[rules.chosen], model.ceilings(cells.bases[rules.chosen], best.cost)
    _either(program, entries(cells.met[rules.chosen], change), counts, np.minimum(most, counts + limit), k)
    if narrow:
        new = kinds.counts == 0
        _either(program, each(change[new], 1), kinds.counts[new], room[new], k)
    if problem.keep_n:
        program.rows(1, Terms(np.zeros_like(change), change, np.ones(change.size)), lower=0, upper=0)
    return program, change


def _either(program: Program, terms: Terms, counts: NDArray[np.int64], ceilings: Floats, k: int) -> None:
    """Let each sum, with the count that it changes, be 0, or from k to its ceiling."""
    some = program.columns(counts.size, upper=1, whole=True)
    program.rows(counts.size, terms, each(some, -k), lower=-counts)
    program.rows(counts.size, terms, each(some, -np.maximum(ceilings, k)), upper=-counts)


def _values(model: Model, rules: Rules, change: NDArray[np.int64], *, narrow: bool) -> Floats:
    """Return the values of all columns of the program for a change of the kinds of rows."""
    moved = model.held @ change
    counts = (model.cells.counts + model.cells.met @ change)[rules.chosen]
    new = change[model.kinds.counts == 0] if narrow else change[:0]
    return np.concatenate([change, np.maximum(moved, 0), np.maximum(-moved, 0), counts > 0, new > 0]).astype(np.float64)


def _tried(model: Model, best: Best, change: NDArray[np.int64]) -> tuple[Best, NDArray[np.bool_]]:
    """Return the better of two changes, recounted from its rows; and itemsets that this one would make frequent."""
    answer = answer_of(model.problem, model.kinds, change)
    gain = gained(model.problem, answer.patterns)
    cost = model.cost(change)
    if cost < best.cost and not len(gain) and not has_channel(model.problem, answer.patterns):
        best = Best(cost, change, answer)
    return best, gain


def _stricter(model: Model, rules: Rules, itemsets: NDArray[np.bool_]) -> Rules:
    """Return the rules with itemsets that must not become frequent."""
    merged, _ = model.problem.merged
    rows = as_matrix(merged.offsets, merged.items, *places(model.problem))
    room = model.problem.least - 1 - holds(itemsets, rows) @ merged.weights
    held = np.concatenate([rules.held, holds(itemsets, model.rows)])
    return rules._replace(held=held, room=np.concatenate([rules.room, room]))
