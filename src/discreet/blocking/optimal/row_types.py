"""Types of rows, of which a release may have more or fewer than the original rows."""

from collections.abc import Sequence
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.add import find_bases
from discreet.blocking.attacker_proof import match_rows
from discreet.blocking.problem import NOBODY, BlockProblem, BlockSolution
from discreet.blocking.release.release import change_rows
from discreet.data.itemsets import Itemsets
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError, Option
from discreet.mining.mine import Budget, mine

MOST_ENTRIES: Final = 1 << 22
"""Supports times types of rows, at most: prepared in seconds, and more than the solver can handle."""
AT_ONCE: Final = 2048
"""Rows that are looked at together."""
STEP: Final = 64
"""Rows that are added to a span at once."""
TINY: Final = 1e-6
"""The rounding error of a sum of whole numbers; far below 1."""


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

    columns: NDArray[np.float64]
    pivots: list[int]

    def join(self, more: Self) -> Self:
        """Return the span with one that is 0 in its pivots."""
        before = self.columns - more.columns @ self.columns[more.pivots]
        return self._replace(columns=np.column_stack([before, more.columns]), pivots=[*self.pivots, *more.pivots])


def choose_row_types(problem: BlockProblem, cuts: Sequence[Pattern] = ()) -> ChangeableRows:
    """Return the types of rows that may change: rows whose changes span those of all rows, and bases of channels.

    Supports are sums over rows, so far fewer types than there are reach every support that all reach together. Types
    of many rows come first, since no count can fall below 0, and among those the short ones. For patterns to be cut
    off there are also the few rows that they hold for, and frequent itemsets for which they would.
    """
    merged, _ = problem.merged
    order = np.lexsort((merged.lengths, -np.minimum(merged.weights, 2 * problem.k)))
    bases = _list_bases(problem, cuts)
    _check_size(len(problem.patterns), len(bases))
    rows = np.union1d(_choose_independent(problem, order), _find_rare(problem, cuts))
    _check_size(len(problem.patterns), rows.size + len(bases))
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
    tops = as_matrix(problem, problem.family.itemsets.take(problem.family.tops))
    bases = {tuple(base.tolist()) for base in find_bases(problem)}
    for pattern in cuts:
        cells = sorted(map(sorted, pattern.cells), key=lambda cell: (len(cell), cell))
        is_frequent = holds(as_matrix(problem, Itemsets.of(cells)), tops).any(axis=1)
        bases.update(tuple(cells[at]) for at in np.flatnonzero(is_frequent)[:1])
    return Itemsets.of(sorted(bases))


def _find_rare(problem: BlockProblem, cuts: Sequence[Pattern]) -> NDArray[np.int64]:
    """Return the merged rows of patterns that hold for fewer than k rows: there must be more of them, or none."""
    merged, _ = problem.merged
    matches = [np.flatnonzero(match_rows(merged, [pattern])) for pattern in cuts]
    rare = [rows for rows in matches if merged.weights[rows].sum() < problem.k]
    return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *rare]))


def apply_change(problem: BlockProblem, types: ChangeableRows, change: NDArray[np.int64]) -> BlockSolution:
    """Return the solution with so many more rows of each type; where there are fewer, the last ones are suppressed."""
    _, numbers = problem.merged
    lost = [
        np.flatnonzero(numbers == number)[more:]
        for number, more in zip(types.numbers.tolist(), change.tolist(), strict=True)
        if more < 0
    ]
    rise = np.flatnonzero(change > 0)
    suppressed = np.sort(np.concatenate([NOBODY, *lost]))
    added = types.itemsets.take(rise).weigh(change[rise])
    rows, least, limits = change_rows(problem.rows, suppressed, added), problem.least, problem.limits
    budget = Budget(threads=limits.threads, max_patterns=limits.patterns, memory=limits.memory)
    return BlockSolution.of(problem, mine(rows, min_support=least, **budget), suppressed, added)


def find_gained(problem: BlockProblem, patterns: Patterns) -> NDArray[np.bool_]:
    """Return minimal itemsets that were not frequent, as a matrix: one for each of the patterns that contains any."""
    tops = as_matrix(problem, problem.family.itemsets.take(problem.family.tops))
    listed = as_matrix(problem, patterns.itemsets)
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
            _check_size(*span.columns.shape)
        if len(span.pivots) == len(closed):
            break
    return np.concatenate(chosen)


def _check_size(supports: int, types: int) -> None:
    if supports * types > MOST_ENTRIES:
        raise BudgetError(
            f"the least distortion of {supports:,} supports by {types:,} types of rows or more is too large a program "
            "to solve; raise ",
            Option("min_support"),
            ", or use another method",
        )


def _eliminate(columns: NDArray[np.float64]) -> tuple[Span, list[int]]:
    """Return the span of some columns, and which of them it needs (Gauss-Jordan)."""
    span, needed = Span(np.zeros((len(columns), 0)), []), []
    for at in range(columns.shape[1]):
        column = columns[:, at] - span.columns @ columns[span.pivots, at]
        pivot = int(np.argmax(np.abs(column)))
        if abs(column[pivot]) > TINY:
            span = span.join(Span((column / column[pivot])[:, None], [pivot]))
            needed.append(at)
    return span, needed
