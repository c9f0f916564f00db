"""Kinds of rows, of which a release may have more or fewer than there were."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from discreet.blocking import add
from discreet.blocking.findings import holding
from discreet.blocking.problem import NOBODY, Answer, Problem
from discreet.blocking.release.release import witness
from discreet.data.itemsets import Weighted
from discreet.data.lattice import flat, taken
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError, Option
from discreet.mining.mine import mine

MOST_ENTRIES: Final = 1 << 22
"""Supports times kinds of rows, at most: what is made ready in seconds, and more than the solver gets through."""
AT_ONCE: Final = 2048
"""Kinds of rows that are looked at together."""
STEP: Final = 64
"""Kinds of rows that are added to a span at once."""
TINY: Final = 1e-6
"""What is left of a sum of whole numbers by rounding; far below 1."""


class Kinds(NamedTuple):
    """Kinds of rows (CSR), how many rows are of each, which merged row it is (-1: none), and whether it is a base."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    counts: NDArray[np.int64]
    numbers: NDArray[np.int64]
    is_base: NDArray[np.bool_]


class Found(NamedTuple):
    """What a search for the least distortion ends with: an answer, if there is one, and what ``Proof`` says of it.

    Its ``bound`` is the sum of all shares of change, not their average.
    """

    answer: Answer | None
    bound: float
    kinds: int
    whole: bool
    stopped: bool


class Span(NamedTuple):
    """Independent columns; the one at j is 1 in row ``pivots[j]``, and the others are 0 there."""

    columns: NDArray[np.float64]
    pivots: list[int]

    def joined(self, more: Self) -> Self:
        """Return the span with one that is 0 in its pivots."""
        before = self.columns - more.columns @ self.columns[more.pivots]
        return self._replace(columns=np.column_stack([before, more.columns]), pivots=[*self.pivots, *more.pivots])


def kinds_of(problem: Problem, cuts: Sequence[Pattern] = ()) -> Kinds:
    """Return the kinds of rows that may change: rows whose changes span those of all rows, and the bases of channels.

    What is published are sums over rows, so that far fewer kinds than there are reach every support that all together
    reach. Those of many rows are taken first, since none can be fewer than 0, and of those the short ones. For patterns
    that are to be cut off there are the few rows that hold them, and frequent itemsets that would.
    """
    merged, _ = problem.merged
    many = np.minimum(merged.weights, 2 * problem.k)
    order = np.lexsort((np.diff(merged.offsets), -many))
    offsets, items = _bases(problem, cuts)
    _check_size(len(problem.patterns), offsets.size - 1)
    rows = np.union1d(_independent(problem, merged, order), _rare(problem, cuts))
    _check_size(len(problem.patterns), rows.size + offsets.size - 1)
    known = {_key(merged.offsets, merged.items, number): number for number in range(merged.weights.size)}
    bases = np.array([known.get(_key(offsets, items, base), -1) for base in range(offsets.size - 1)], dtype=np.int64)
    rows, new = np.union1d(rows, bases[bases >= 0]), np.flatnonzero(bases < 0)
    (starts, kept), (more, others) = taken(merged.offsets, merged.items, rows), taken(offsets, items, new)
    return Kinds(
        np.concatenate([starts, starts[-1] + more[1:]]),
        np.concatenate([kept, others]),
        np.concatenate([merged.weights[rows], np.zeros(new.size, dtype=np.int64)]),
        np.concatenate([rows, np.full(new.size, -1)]),
        np.concatenate([np.isin(rows, bases), np.ones(new.size, dtype=np.bool_)]),
    )


def _bases(problem: Problem, cuts: Sequence[Pattern]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the bases of channels, and of each pattern to be cut off the first cell that is a frequent itemset."""
    place, width = places(problem)
    tops = as_matrix(*problem.family.top_itemsets(), place, width)
    offsets, items = add.bases(problem)
    found = {tuple(items[start:stop].tolist()) for start, stop in pairwise(offsets.tolist())}
    for pattern in cuts:
        cells = sorted(map(sorted, pattern.cells), key=lambda cell: (len(cell), cell))
        listed = as_matrix(*flat(cells), place, width)
        found.update(tuple(cells[at]) for at in np.flatnonzero(holds(listed, tops).any(axis=1))[:1])
    return flat(sorted(found))


def _rare(problem: Problem, cuts: Sequence[Pattern]) -> NDArray[np.int64]:
    """Return the merged rows of patterns that fewer than k rows hold: they are to become more, or none."""
    merged, _ = problem.merged
    found = [np.flatnonzero(holding(merged, [pattern])) for pattern in cuts]
    rare = [rows for rows in found if merged.weights[rows].sum() < problem.k]
    return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *rare]))


def answer_of(problem: Problem, kinds: Kinds, change: NDArray[np.int64]) -> Answer:
    """Return the answer that has so many rows more of each kind; of one with fewer, the last rows are suppressed."""
    _, numbers = problem.merged
    gone = [
        np.flatnonzero(numbers == number)[more:]
        for number, more in zip(kinds.numbers.tolist(), change.tolist(), strict=True)
        if more < 0
    ]
    rise = np.flatnonzero(change > 0)
    suppressed = np.sort(np.concatenate([NOBODY, *gone]))
    added = Weighted(*taken(kinds.offsets, kinds.items, rise), change[rise])
    limits = problem.limits
    patterns = mine(
        witness(problem.rows, suppressed, added),
        min_support=problem.least,
        threads=limits.threads,
        max_patterns=limits.patterns,
        memory=limits.memory,
    )
    return Answer(patterns, suppressed, added)


def gained(problem: Problem, patterns: Patterns) -> NDArray[np.bool_]:
    """Return smallest itemsets that were not frequent, as a matrix: one for each of the patterns that holds any."""
    place, width = places(problem)
    tops = as_matrix(*problem.family.top_itemsets(), place, width)
    listed = as_matrix(patterns.offsets, patterns.items, place, width)
    # Items that are not frequent are in no row that is added.
    listed[:, width] = False
    new = listed[~holds(listed, tops).any(axis=1)]
    for itemset in new:
        for item in np.flatnonzero(itemset):
            itemset[item] = False
            itemset[item] = holds(itemset[None], tops).any()
    return np.unique(new, axis=0)


def places(problem: Problem) -> tuple[NDArray[np.int64], int]:
    """Return the place of each frequent item among them, and how many there are; any other item stands behind them."""
    frequent = np.unique(problem.patterns.items)
    place = np.full(len(problem.patterns.labels), frequent.size, dtype=np.int64)
    place[frequent] = np.arange(frequent.size)
    return place, frequent.size


def as_matrix(
    offsets: NDArray[np.int64], items: NDArray[np.int32], place: NDArray[np.int64], width: int
) -> NDArray[np.bool_]:
    """Return itemsets as a matrix: a row an itemset, a column an item, and the last for all that are not frequent."""
    matrix = np.zeros((offsets.size - 1, width + 1), dtype=np.bool_)
    numbers = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    matrix[numbers, place[items[offsets[0] : offsets[-1]]]] = True
    return matrix


def holds(itemsets: NDArray[np.bool_], rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each itemset, a row of the result, which of some rows hold it."""
    # Products of floats, which are quick; they count items, and so are exact.
    common = itemsets.astype(np.float32) @ rows.astype(np.float32).T
    held: NDArray[np.bool_] = common == itemsets.sum(axis=1, dtype=np.float32)[:, None]
    return held


def _independent(problem: Problem, merged: Weighted, order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return merged rows of which none adds to the supports what others add together, the first in order."""
    place, width = places(problem)
    closed = as_matrix(problem.family.offsets, problem.family.items, place, width)
    span, chosen = Span(np.zeros((len(closed), 0)), []), [np.empty(0, dtype=np.int64)]
    for start in range(0, order.size, AT_ONCE):
        part = order[start : start + AT_ONCE]
        rows = as_matrix(*taken(merged.offsets, merged.items, part), place, width)
        held = holds(closed, rows).astype(np.float64)
        rest = held - span.columns @ held[span.pivots]
        while (fresh := np.flatnonzero(np.abs(rest).max(axis=0, initial=0) > TINY)[:STEP]).size:
            more, kept = _pivoted(rest[:, fresh])
            span = span.joined(more)
            rest -= more.columns @ rest[more.pivots]
            chosen.append(part[fresh[kept]])
            _check_size(*span.columns.shape)
        if len(span.pivots) == len(closed):
            break
    return np.concatenate(chosen)


def _check_size(supports: int, kinds: int) -> None:
    """Refuse a program of so many supports and kinds of rows, or more, if it is too large."""
    if supports * kinds > MOST_ENTRIES:
        raise BudgetError(
            f"the least distortion of {supports:,} supports by {kinds:,} kinds of rows or more is too large a program "
            "to solve; raise ",
            Option("min_support"),
            ", or use another method",
        )


def _pivoted(columns: NDArray[np.float64]) -> tuple[Span, list[int]]:
    """Return what some columns span, and which of them are needed for it (Gauss and Jordan)."""
    span, kept = Span(np.zeros((len(columns), 0)), []), []
    for at in range(columns.shape[1]):
        column = columns[:, at] - span.columns @ columns[span.pivots, at]
        pivot = int(np.argmax(np.abs(column)))
        if abs(column[pivot]) > TINY:
            span = span.joined(Span((column / column[pivot])[:, None], [pivot]))
            kept.append(at)
    return span, kept


def _key(offsets: NDArray[np.int64], items: NDArray[np.int32], number: int) -> bytes:
    return items[offsets[number] : offsets[number + 1]].tobytes()
