"""Types of rows, of which a release may have more or fewer than the original rows; and the search over all types."""

from collections.abc import Sequence
from time import monotonic
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.blocking.inferences import match_rows
from discreet.blocking.methods import find_bases
from discreet.blocking.problem import NOBODY, BlockProblem, BlockSolution, change_rows
from discreet.blocking.repeats import find_groups, spread
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError, Option
from discreet.runtime.solver import Floats, Numbers, Program, Terms, list_each, list_entries

MOST_ENTRIES: Final = 1 << 22  # supports times types of rows: prepared in seconds, and more than the solver can handle
STEPS_A_SECOND: Final = 5 * 10**7  # of preparing a program, supports times types of rows times types, on one core
MOST_CELLS: Final = 100  # cells of all frequent itemsets for a search over all rows; the slowest of some 300 took 6 s
SCALE: Final = 1000.0  # the cost of the starting solution in a program: HiGHS takes values below 1e-7 for 0
AT_ONCE: Final = 2048  # rows that are looked at together
STEP: Final = 64  # rows that are added to a span at once
TINY: Final = 1e-6  # the rounding error of a sum of whole numbers; far below 1


class TooLongError(BudgetError):
    """A program would take longer to prepare than there is time."""


class ChangeableRows(NamedTuple):
    """Types of rows: the items, the number of rows, the merged row that it is (-1: none), and whether it is a base."""

    itemsets: Itemsets
    counts: NDArray[np.int64]
    numbers: NDArray[np.int64]
    is_base: NDArray[np.bool_]


class SearchResult(NamedTuple):
    """The solution of a search for the least distortion, if there is one, and the facts of its ``Proof``.

    The ``bound`` is on the sum of all relative changes, not on their average.
    """

    solution: BlockSolution | None
    bound: float
    kinds: int
    whole: bool
    stopped: bool


class Span(NamedTuple):
    """Independent columns; column j is 1 in row ``pivots[j]``, and the others are 0 there."""

    columns: Floats
    pivots: list[int]

    def join(self, more: Self) -> Self:
        """Return the span with one that is 0 in its pivots."""
        before = self.columns - more.columns @ self.columns[more.pivots]
        return self._replace(columns=np.column_stack([before, more.columns]), pivots=[*self.pivots, *more.pivots])


def choose_row_types(problem: BlockProblem, cuts: Sequence[Pattern] = ()) -> ChangeableRows:
    """Return the types of rows that may change: rows whose changes span those of all rows, and bases of channels.

    Supports are sums over rows, so far fewer types than there are reach every support that all reach together. Types
    of many rows come first, since no count can fall below 0, and among those the short ones. For patterns to be cut
    off there are also the few rows that they hold for, and frequent itemsets for which they would. With a schema, all
    are rows that exist.
    """
    merged, _ = problem.merged
    order = np.lexsort((merged.lengths, -np.minimum(merged.weights, 2 * problem.k)))
    bases = Itemsets.of([]) if problem.schema else _list_bases(problem, cuts)
    _check_size(problem, len(bases))
    # Patterns that hold for fewer than k rows need more such rows, or none.
    matches = [np.flatnonzero(match_rows(merged, [pattern])) for pattern in cuts]
    rare = [rows for rows in matches if merged.weights[rows].sum() < problem.k]
    if problem.schema:  # a base lacks values of attributes, so small cells can only have more of the rows in them
        rare.append(find_groups(BlockSolution.of(problem, problem.patterns), merged).rows.entries.astype(np.intp))
    rows = np.unique(np.concatenate([_choose_independent(problem, order), *rare]))
    _check_size(problem, rows.size + len(bases))
    number_of = {row.tobytes(): number for number, row in enumerate(merged)}
    numbers = np.array([number_of.get(base.tobytes(), -1) for base in bases], dtype=np.int64)
    rows, new = np.union1d(rows, numbers[numbers >= 0]), np.flatnonzero(numbers < 0)
    return ChangeableRows(
        Itemsets.concat([Itemsets(*merged.flat).take(rows), bases.take(new)]),
        np.concatenate([merged.weights[rows], np.zeros(new.size, dtype=np.int64)]),
        np.concatenate([rows, np.full(new.size, -1)]),
        np.concatenate([np.isin(rows, numbers), np.ones(new.size, dtype=np.bool_)]),
    )


def _list_bases(problem: BlockProblem, cuts: Sequence[Pattern]) -> Itemsets:
    """Return the bases of channels, and for each pattern to be cut off its first cell that is a frequent itemset."""
    tops = as_matrix(problem, problem.family.top_itemsets)
    bases = {tuple(base.tolist()) for base in find_bases(problem)}
    for pattern in cuts:
        cells = sorted(map(sorted, pattern.cells), key=lambda cell: (len(cell), cell))
        itemsets = Itemsets.of(cells)
        is_frequent = holds(as_matrix(problem, itemsets), tops).any(axis=1) & problem.can_be_rows(itemsets)
        bases.update(tuple(cells[at]) for at in np.flatnonzero(is_frequent)[:1])
    return Itemsets.of(sorted(bases))


def apply_change(problem: BlockProblem, types: ChangeableRows, change: NDArray[np.int64]) -> BlockSolution:
    """Return the solution with so many more rows of each type; where there are fewer, the last ones are suppressed."""
    _, numbers = problem.merged
    pairs = zip(types.numbers.tolist(), change.tolist(), strict=True)
    lost = [np.flatnonzero(numbers == number)[more:] for number, more in pairs if more < 0]
    rise = np.flatnonzero(change > 0)
    suppressed = np.sort(np.concatenate([NOBODY, *lost]))
    added = types.itemsets.take(rise).weigh(change[rise])
    if problem.schema:
        added = _make_whole(problem, added, types.numbers[rise])
    patterns = problem.mine(change_rows(problem.rows, suppressed, added))
    return BlockSolution.of(problem, patterns, suppressed, added)


def _make_whole(problem: BlockProblem, rows: Weighted, numbers: NDArray[np.int64]) -> Weighted:
    """Return rows, cut to frequent items, with rare ones, so that they are possible by the schema.

    Copies of a merged row, by its number, are copies of the rows that it stands for, as many of each. A new row (-1)
    has the rarest value of each attribute that it must have a value of.
    """
    (whole, own), (merged, like) = problem.whole, problem.merged
    owners, copies = np.empty(len(whole), dtype=np.int64), np.zeros(len(merged), dtype=np.int64)
    owners[own], copies[numbers[numbers >= 0]] = like, rows.weights[numbers >= 0]
    more = spread(copies, owners)
    repeated, new = np.flatnonzero(more), np.flatnonzero(numbers < 0)
    made = _complete(problem, rows.take(new)).weigh(rows.weights[new])
    return Weighted.concat([whole.take(repeated).weigh(more[repeated]), made])


def _complete(problem: BlockProblem, rows: Itemsets) -> Itemsets:
    """Return rows with the rarest value of each attribute that they must have a value of, if that is a rare item."""
    supports = np.bincount(problem.rows.items, minlength=len(problem.patterns.labels))
    rarest = {group: min(group, key=lambda item: (supports[item], item)) for group in problem.total}
    rare = {group: item for group, item in rarest.items() if supports[item] < problem.least}
    held = [frozenset(row.tolist()) for row in rows]
    return Itemsets.of(sorted(row | {rare[group] for group in rare if row.isdisjoint(group)}) for row in held)


def find_gained(problem: BlockProblem, patterns: Patterns) -> NDArray[np.bool_]:
    """Return minimal itemsets that were not frequent, as a matrix: one for each of the patterns that contains any."""
    tops, listed = (as_matrix(problem, one) for one in (problem.family.top_itemsets, patterns.itemsets))
    # No added row has an item that is not frequent.
    listed[:, -1] = False
    new = listed[~holds(listed, tops).any(axis=1)]
    for itemset in new:
        for item in np.flatnonzero(itemset):
            itemset[item] = False
            itemset[item] = holds(itemset[None], tops).any()
    return np.unique(new, axis=0)


def as_matrix(problem: BlockProblem, itemsets: Itemsets) -> NDArray[np.bool_]:
    """Return itemsets as a matrix: one row per itemset, one column per frequent item, and the last for all others."""
    columns, width = problem.columns
    matrix = np.zeros((len(itemsets), width + 1), dtype=np.bool_)
    matrix[itemsets.owners, columns[itemsets.entries]] = True
    return matrix


def holds(itemsets: NDArray[np.bool_], rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a matrix: which rows, its columns, hold each itemset."""
    # Products of floats are quick; they count items, and so are exact.
    common = itemsets.astype(np.float32) @ rows.astype(np.float32).T
    is_held: NDArray[np.bool_] = common == itemsets.sum(axis=1, dtype=np.float32)[:, None]
    return is_held


def _choose_independent(problem: BlockProblem, order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return merged rows of which none adds to the supports what others add together, the first in order."""
    merged, _ = problem.merged
    closed = as_matrix(problem, problem.family.itemsets)
    span, chosen = Span(np.zeros((len(closed), 0)), []), [np.empty(0, dtype=np.int64)]
    for start in range(0, order.size, AT_ONCE):
        part = order[start : start + AT_ONCE]
        supports = holds(closed, as_matrix(problem, merged.take(part))).astype(np.float64)
        rest = supports - span.columns @ supports[span.pivots]
        while (fresh := np.flatnonzero(np.abs(rest).max(axis=0, initial=0) > TINY)[:STEP]).size:
            more, needed = _eliminate(rest[:, fresh])
            span = span.join(more)
            rest -= more.columns @ rest[more.pivots]
            chosen.append(part[fresh[needed]])
            _check_size(problem, len(span.pivots))
        if len(span.pivots) == len(closed):
            break
    return np.concatenate(chosen)


def _check_size(problem: BlockProblem, types: int) -> None:
    """Refuse a program that is too large, or would not be prepared in time; its size decides, so that runs agree."""
    supports = len(problem.patterns)
    what = f"the least distortion of {supports:,} supports by {types:,} types of rows or more"
    if supports * types > MOST_ENTRIES:
        wrong = f"{what} is too large a program to solve; raise "
        raise BudgetError(wrong, Option("min_support"), ", or use another method")
    if supports * types * types > STEPS_A_SECOND * problem.seconds:
        raise TooLongError(f"{what} takes longer than {problem.seconds:g} seconds to prepare")


def _eliminate(columns: Floats) -> tuple[Span, list[int]]:
    """Return the span of some columns, and which of them it needs (Gauss-Jordan)."""
    span, needed = Span(np.zeros((len(columns), 0)), []), []
    for at in range(columns.shape[1]):
        column = columns[:, at] - span.columns @ columns[span.pivots, at]
        pivot = int(np.argmax(np.abs(column)))
        if abs(column[pivot]) > TINY:
            span = span.join(Span((column / column[pivot])[:, None], [pivot]))
            needed.append(at)
    return span, needed


def is_small(problem: BlockProblem) -> bool:
    """Return whether there are few possible rows: 2 ** m of m frequent items, with up to 3 ** m cells."""
    if 2 ** problem.columns[1] > MOST_CELLS:
        return False
    subsets, supports = _list_subsets(problem)
    return int((2 ** subsets[supports >= problem.least].sum(axis=1)).sum()) <= MOST_CELLS


def search_all_rows(problem: BlockProblem, most: float, until: float, cuts: Sequence[Pattern] = ()) -> SearchResult:
    """Return the best solution of all, given one whose relative changes sum up to ``most``.

    Any rows over the frequent items are allowed that the schema allows, if no other itemset becomes frequent. Each
    frequent itemset is published, and all its cells are empty or hold k rows; or it is lost, which costs its whole
    support. At a minimum support of 1, there are no or k rows of each type. With ``cuts``, each of these patterns holds
    for no row, or for k.
    """
    types = _list_all_rows(problem)
    are_rows = (types.numbers >= 0) | problem.can_be_rows(_complete(problem, types.itemsets))
    program, columns, top = _build_program(problem, most, are_rows)
    for pattern in cuts:
        matched = list_entries(match_rows(types.itemsets, [pattern])[None], columns)
        allow_none_or_k(program, matched, np.zeros(1), top, problem.k)
    values, bound, stopped = program.solve(seconds=max(0.0, until - monotonic()), gap=0.0)
    result = SearchResult(None, min(bound * most / SCALE, most), types.counts.size, whole=True, stopped=stopped)
    if values is None:
        return result
    solution = apply_change(problem, types, np.rint(values[columns]).astype(np.int64) - types.counts)
    is_bad = len(find_gained(problem, solution.patterns)) or solution.has_channel()
    return result._replace(stopped=True) if is_bad else result._replace(solution=solution)


def _list_subsets(problem: BlockProblem) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return all subsets of the frequent items as a matrix, the empty one first; and their supports."""
    _, width = problem.columns
    merged, numbers = problem.merged[0], np.arange(2**width)
    bits = numbers[:, None] >> np.arange(width) & 1
    subsets = np.column_stack([bits, np.zeros_like(numbers)]).astype(np.bool_)
    return subsets, holds(subsets, as_matrix(problem, merged)) @ merged.weights


def _list_all_rows(problem: BlockProblem) -> ChangeableRows:
    """Return all rows that can be made of the frequent items."""
    (subsets, _), (merged, _), (_, width) = _list_subsets(problem), problem.merged, problem.columns
    rows, numbers = as_matrix(problem, merged), np.full(len(subsets), -1)
    numbers[rows[:, :width] @ (1 << np.arange(width))] = np.arange(len(rows))
    frequent = np.unique(problem.patterns.items)
    itemsets = Itemsets.from_lengths(subsets.sum(axis=1), frequent[np.nonzero(subsets)[1]])
    counts = np.where(numbers >= 0, merged.weights[numbers], 0)
    return ChangeableRows(itemsets, counts, numbers, np.zeros(len(subsets), dtype=np.bool_))


def _build_program(problem: BlockProblem, most: float, are_rows: NDArray[np.bool_]) -> tuple[Program, Numbers, float]:
    """Return the program, its columns of counts of all rows, of which some can be, and an upper limit of these."""
    (subsets, supports), least, program = _list_subsets(problem), problem.least, Program()
    held, is_frequent = holds(subsets, subsets), supports >= least
    before = supports[is_frequent]
    # The empty itemset changes by no more than all changes together.
    top = float(np.floor(problem.patterns.n * (1 + most) + 1e-6))
    rows = program.add_columns(len(subsets), upper=np.where(are_rows, top, 0), whole=True)
    published = program.add_columns(before.size, upper=1, whole=True)
    changes = program.add_columns(before.size, cost=SCALE / most / before, whole=False)
    after = list_entries(held[is_frequent], rows)
    program.add_rows(before.size, after, list_each(changes, 1), lower=before)
    program.add_rows(before.size, after, list_each(changes, -1), upper=before)
    # A lost itemset costs its whole support, which is more than its change.
    program.add_rows(before.size, list_each(published, before), list_each(changes, 1), lower=before)
    program.add_rows(before.size, after, list_each(published, -least), lower=0)
    program.add_rows(before.size, after, list_each(published, least - 1 - top), upper=least - 1)
    program.add_rows(int((~is_frequent).sum()), list_entries(held[~is_frequent], rows), upper=least - 1)
    for itemset, column in zip(subsets[is_frequent], published, strict=True):
        # Rows that meet the itemset in the same base are in the same cell.
        bases, numbers = np.unique(subsets & itemset, axis=0, return_inverse=True)
        cells = list_entries(np.arange(len(bases))[:, None] == numbers.ravel(), rows)
        unless = list_each(np.full(len(bases), column), top)
        allow_none_or_k(program, cells, np.zeros(len(bases)), top, problem.k, unless)
    if least == 1:  # a missing itemset has support 0, so each different row is a cell
        allow_none_or_k(program, list_each(rows, 1), np.zeros(len(subsets)), top, problem.k)
    if problem.keep_n:
        n = problem.patterns.n
        program.add_rows(1, Terms(np.zeros_like(rows), rows, np.ones(rows.size)), lower=n, upper=n)
    return program, rows, top


def allow_none_or_k(
    program: Program, sums: Terms, counts: Floats | NDArray[np.int64], most: ArrayLike, k: int, *unless: Terms
) -> None:
    """Let each sum, added to its count, be 0, or from k to ``most``; or anything, where ``unless`` is 0."""
    some, limits = program.add_columns(counts.size, upper=1, whole=True), np.asarray(most)
    program.add_rows(counts.size, sums, list_each(some, -k), lower=-counts)
    program.add_rows(counts.size, sums, list_each(some, -limits), *unless, upper=(limits if unless else 0) - counts)
