"""The method "add" with a schema: rows that exist are repeated, until k or more are in each group that is singled out.

Rows made of a base alone would lack values of attributes, and n minus the supports of all values would count them. A
copy of a row is as possible as the row. It falls into cells that hold rows already, so no cell becomes small that was
not, and any row of a small cell helps to raise it: a covering problem (docs/guarantee.md).
"""

from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final, NamedTuple

import numpy as np

from discreet import kernels
from discreet.blocking.inferences import find_inferences, match_rows
from discreet.blocking.methods import find_distortions
from discreet.blocking.problem import BlockProblem, BlockSolution, count_rows
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.patterns import Patterns
from discreet.data.transactions import Merged
from discreet.errors import BudgetError, GuaranteeError
from discreet.runtime.solver import Floats, Numbers, Program, Terms

MOST_PAIRS: Final = 20_000  # rows of all groups together, for a program that may improve the greedy choice
SPARE: Final = 4  # as many repeats as a fourth of the first may follow them, until rows are mined again
LARGER: Final = 4  # times as many itemsets may be mined for all of these at once
NODES: Final = 100  # of its search tree: a limit of work and not of time, so that the same rows give the same release


class Groups(NamedTuple):
    """Groups of 1 to k − 1 rows that are singled out: the numbers of their different rows, and how many more they need.

    The numbers of rows stand in place of items.
    """

    rows: Itemsets
    needs: Numbers


def repeat(problem: BlockProblem) -> BlockSolution:
    """Repeat rows until readers who know the schema single out no group of 1 to k − 1 rows.

    The minimum support is a count, so more itemsets may become frequent: those that few repeats can make so are mined
    at once. It ends, since a row that stands k times is in no small group.
    """
    if isinstance(problem.rows, Merged):
        raise BudgetError(
            "to be repeated, rows must be whole, and these were merged without their rare items; give more memory, or "
            "use the method 'suppress' or 'withhold'"
        )
    whole, own = problem.whole
    counts, solution = whole.weights, BlockSolution.of(problem, problem.patterns)
    merged, numbers = problem.merged[0], np.empty(len(whole), dtype=np.int64)
    numbers[own] = problem.merged[1]
    items, differ = np.unique(problem.patterns.items), len(merged) == len(whole)
    merged, room = whole if differ else merged, 0
    stock: Patterns | None = None
    for rounds in count():
        solution = replace(solution, rounds=rounds)
        # More items can only become frequent: rows that all differ in frequent items stay different.
        if not differ and not np.array_equal(items, frequent := np.unique(solution.patterns.items)):
            items, code = frequent, np.full(len(problem.patterns.labels), -1, dtype=np.int32)
            code[items] = items
            *arrays, numbers = kernels.merge_rows.merge(*whole.flat, counts, code)
            merged = Weighted(*arrays)
        weights = np.zeros(len(merged), dtype=np.int64)
        np.add.at(weights, numbers, counts)
        rows = merged.weigh(weights)
        groups = find_groups(solution, rows)
        if not len(groups.rows):
            return solution
        costs, used = np.zeros(len(rows)), np.unique(groups.rows.items)
        costs[used] = find_distortions(problem, rows.take(used))
        counts = counts + spread(choose_repeats(groups, costs), numbers)
        rise = np.flatnonzero(counts > whole.weights)
        added = whole.take(rise).weigh((counts - whole.weights)[rise])
        more = int(added.weights.sum())
        if more > room:
            room = more + more // SPARE
            stock = mine_lower(problem, room)
        every = problem.as_rows(whole.weigh(counts))
        found = problem.mine(every) if stock is None else lift(stock, added, problem.least)
        solution = BlockSolution.of(problem, found, added=added)
    raise AssertionError


def mine_lower(problem: BlockProblem, more: int) -> Patterns | None:
    """Return all itemsets of the rows that so many repeats can make frequent; None if they may be too many."""
    limits, known = problem.limits, problem.patterns
    if 2 * more >= problem.least or limits.patterns is not None or limits.memory is not None:
        return None
    most, lower = LARGER * len(known), replace(known, min_support=problem.least - more)
    try:
        return replace(problem, patterns=lower, limits=replace(limits, patterns=most)).mine(problem.rows)
    except BudgetError:
        return None


def lift(patterns: Patterns, repeats: Weighted, least: int) -> Patterns:
    """Return the patterns with ``least`` rows or more after rows are repeated, by which the same ones stay closed.

    >>> from discreet import mine
    >>> patterns = mine([["a", "b"], ["a", "b"], ["a"]], min_support=1)
    >>> row = Weighted(np.array([0, 2]), np.array([0, 1], np.int32), np.array([4]))
    >>> [(sorted(itemset), support) for itemset, support in lift(patterns, row, 6)]
    [(['a'], 7), (['a', 'b'], 6)]
    """
    supports, n = patterns.supports + count_rows(patterns, repeats), patterns.n + int(repeats.weights.sum())
    lifted = replace(patterns, supports=supports, n=n, min_support=least, mined=None)
    return lifted.take(np.flatnonzero(supports >= least))


def spread(copies: Numbers, numbers: Numbers) -> Numbers:
    """Share out the copies of each merged row evenly among the rows that it stands for: no rare item gains much."""
    order = np.argsort(numbers, kind="stable")
    sizes = np.bincount(numbers, minlength=copies.size)
    turn = np.empty_like(order)
    turn[order] = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    share, rest = np.divmod(copies, sizes)
    spread: Numbers = share[numbers] + (turn < rest[numbers])
    return spread


def find_groups(solution: BlockSolution, rows: Weighted) -> Groups:
    """Return the groups of different ``rows`` that readers of a solution single out; each group once."""
    problem = solution.problem
    if not len(solution.patterns):
        return Groups(Itemsets.of([]), np.empty(0, dtype=np.int64))
    threats = solution.find_threats()
    if len(threats):
        cells = threats.cells
        arrays = cells.tops, *cells.bases.flat, cells.counts, *threats.tops.flat
        pairs = kernels.cell_rows.find_members(rows.flat, arrays, len(problem.patterns.labels))
        order = np.argsort(pairs[:, 0], kind="stable")
        lengths = np.bincount(pairs[:, 0], minlength=len(threats))
        groups = Itemsets.from_lengths(lengths, pairs[order, 1].astype(np.int32))
    else:
        present = rows.take(np.flatnonzero(rows.weights))
        findings = find_inferences(problem, solution.patterns, present)
        groups = Itemsets.of([np.flatnonzero(match_rows(rows, [one.pattern])).tolist() for one in findings])
    different = kernels.merge_rows.merge(
        *groups.flat, np.ones(len(groups), np.int64), np.arange(len(rows), dtype=np.int32)
    )
    groups = Itemsets(*different[:2])
    needs = problem.k - groups.add_up(rows.weights[groups.items])
    if ((needs < 1) | (needs >= problem.k)).any():
        raise GuaranteeError("a group of rows was found that is not small; nothing is released: please report this")
    return Groups(groups, needs)


def choose_repeats(groups: Groups, costs: Floats) -> Numbers:
    """Return how many copies of each row meet the needs of all groups at little cost.

    >>> groups = Groups(Itemsets.of([[0, 1], [1, 2]]), np.array([3, 2]))
    >>> choose_repeats(groups, np.array([1.0, 1.5, 1.0])).tolist()
    [1, 2, 0]
    """
    choice = _choose_greedily(groups, costs)
    if groups.rows.size > MOST_PAIRS:
        return choice
    program = Program()
    places, at = np.unique(groups.rows.entries, return_inverse=True)
    columns = program.add_columns(places.size, cost=costs[places], upper=groups.needs.max(initial=0), whole=True)
    terms = Terms(groups.rows.owners, columns[at], np.ones(at.size))
    program.add_rows(len(groups.rows), terms, lower=groups.needs)
    values, *_ = program.solve(seconds=np.inf, gap=0.0, start=choice[places].astype(np.float64), nodes=NODES)
    better = np.zeros_like(choice)
    better[places] = 0 if values is None else np.rint(values).astype(np.int64)
    is_enough = (groups.rows.add_up(better[groups.rows.items]) >= groups.needs).all()
    # Only rows of groups are summed up: a product of long vectors would wake all threads of the algebra library.
    before, after = (costs[places] @ copies[places] for copies in (choice, better))
    return better if is_enough and after < before else choice


def _choose_greedily(groups: Groups, costs: Floats) -> Numbers:
    """Return enough copies: each time of the row of the least cost for a group in need, as many as all of these need.

    The number of groups in need that a row is in never grows, so only the head of the queue is looked at again.
    """
    rows, owners = groups.rows.entries, groups.rows.owners
    order = np.argsort(rows, kind="stable")
    present, starts = np.unique(rows[order], return_index=True)
    within = dict(zip(present.tolist(), np.split(owners[order], starts[1:]), strict=True))
    left, copies = groups.needs.copy(), np.zeros(costs.size, dtype=np.int64)
    queue = [(float(costs[row]) / each.size, row) for row, each in within.items()]
    heapify(queue)
    while queue:
        _, row = heappop(queue)
        needy = within[row][left[within[row]] > 0]
        price = float(costs[row]) / max(1, needy.size)
        if needy.size and queue and (price, row) > queue[0]:
            heappush(queue, (price, row))
        elif needy.size:
            more = int(left[needy].min())
            copies[row] += more
            left[within[row]] -= more
            heappush(queue, (price, row))
    for row in sorted(np.flatnonzero(copies).tolist(), key=lambda row: (-costs[row], row)):
        spare = min(int(copies[row]), int(-left[within[row]].max()))
        copies[row] -= spare
        left[within[row]] += spare
    return copies
