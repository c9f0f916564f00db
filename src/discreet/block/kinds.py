"""Kinds of rows, of which a release may have more or fewer than there were."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.block import add
from discreet.block.guarantee import has_channel
from discreet.block.problem import NOBODY, Answer, Problem
from discreet.errors import BudgetError
from discreet.family import taken
from discreet.mine import mine
from discreet.release import Merged, witness

MOST_ENTRIES: Final = 1 << 24
"""Supports times kinds of rows, at most: a matrix of 128 MiB, and more than the solver gets through."""
AT_ONCE: Final = 2048
"""Kinds of rows that are looked at together."""
STEP: Final = 64
"""Kinds of rows that are added to a span at once."""
TINY: Final = 1e-6
"""What is left of a sum of whole numbers by rounding; far below 1."""


class Kinds(NamedTuple):
    """Kinds of rows (CSR), how many rows are of each kind, and which of the merged rows it is; -1 for none of them."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    counts: NDArray[np.int64]
    numbers: NDArray[np.int64]


class Span(NamedTuple):
    """Independent columns; the one at j is 1 in row ``pivots[j]``, and the others are 0 there."""

    columns: NDArray[np.float64]
    pivots: list[int]


def kinds_of(problem: Problem) -> Kinds:
    """Return the kinds of rows that may change: rows whose changes span those of all rows, and the bases of channels.

    What is published are sums over rows, so that far fewer kinds than there are reach every support that all together
    reach. Those of many rows are taken first, since none can be fewer than 0, and of those the short ones.
    """
    merged, _ = problem.merged
    many = np.minimum(merged.weights, 2 * problem.k)
    order = np.lexsort((np.diff(merged.offsets), -many))
    rows = np.array(_independent(problem, merged, order), dtype=np.int64)
    offsets, items = add.bases(problem)
    known = {_key(merged.offsets, merged.items, number): number for number in range(merged.weights.size)}
    bases = [(base, known.get(_key(offsets, items, base), -1)) for base in range(offsets.size - 1)]
    new = np.array([base for base, number in bases if number < 0], dtype=np.int64)
    rows = np.union1d(rows, np.array([number for _, number in bases if number >= 0], dtype=np.int64))
    parts = taken(merged.offsets, merged.items, rows), taken(offsets, items, new)
    return Kinds(
        np.concatenate([parts[0][0], parts[1][0][1:] + parts[0][0][-1]]),
        np.concatenate([parts[0][1], parts[1][1]]),
        np.concatenate([merged.weights[rows], np.zeros(new.size, dtype=np.int64)]),
        np.concatenate([rows, np.full(new.size, -1)]),
    )


def answer_of(problem: Problem, kinds: Kinds, counts: NDArray[np.int64]) -> Answer | None:
    """Return the answer that has so many rows of these kinds; None if it has a channel or publishes anything new.

    Of a kind that there are fewer of, the last rows are suppressed.
    """
    change = counts - kinds.counts
    _, numbers = problem.merged
    gone = [
        np.flatnonzero(numbers == number)[change_:]
        for number, change_ in zip(kinds.numbers.tolist(), change.tolist(), strict=True)
        if change_ < 0
    ]
    more = np.flatnonzero(change > 0)
    suppressed = np.sort(np.concatenate([NOBODY, *gone]))
    added = Merged(*taken(kinds.offsets, kinds.items, more), change[more])
    limits = problem.limits
    patterns = mine(
        witness(problem.rows, suppressed, added),
        min_support=problem.least,
        threads=limits.threads,
        max_patterns=limits.patterns,
        memory=limits.memory,
    )
    answer = Answer(patterns, suppressed, added)
    return None if has_channel(problem, patterns) or gained(problem, answer).size else answer


def gained(problem: Problem, answer: Answer) -> NDArray[np.int64]:
    """Return the numbers of the patterns of an answer that were not frequent before."""
    place, width = places(problem)
    tops = as_matrix(*problem.family.top_itemsets(), place, width)
    listed = as_matrix(answer.patterns.offsets, answer.patterns.items, place, width)
    return np.flatnonzero(~holds(listed, tops).any(axis=1))


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


def _independent(problem: Problem, merged: Merged, order: NDArray[np.intp]) -> list[int]:
    """Return merged rows of which none adds to the supports what others add together, the first in order."""
    place, width = places(problem)
    closed = as_matrix(problem.family.offsets, problem.family.items, place, width)
    span, chosen, todo = Span(np.zeros((len(closed), 0)), []), [], order
    while todo.size and len(span.pivots) < len(closed):
        if len(closed) * (len(span.pivots) + STEP) > MOST_ENTRIES:
            raise BudgetError(
                f"the least distortion of {len(closed):,} supports by {len(span.pivots):,} kinds of rows or more is too "
                "large a program to solve; raise min_support, or use another method"
            )
        part = todo[:AT_ONCE]
        held = holds(closed, as_matrix(*taken(merged.offsets, merged.items, part), place, width)).astype(np.float64)
        rest = held - span.columns @ held[span.pivots]
        fresh = np.flatnonzero(np.abs(rest).max(axis=0, initial=0) > TINY)[:STEP]
        span, kept = _extended(span, rest[:, fresh])
        chosen += part[fresh[kept]].tolist()
        # What comes before the last that was looked at is spanned now.
        todo = todo[fresh[-1] + 1 if fresh.size == STEP else AT_ONCE :]
    return chosen


def _extended(span: Span, columns: NDArray[np.float64]) -> tuple[Span, list[int]]:
    """Return the span with columns that are 0 in its pivots, and which of them were needed (Gauss and Jordan)."""
    more, pivots, kept = np.zeros((len(columns), 0)), [], []
    for at in range(columns.shape[1]):
        column = columns[:, at] - more @ columns[pivots, at]
        pivot = int(np.argmax(np.abs(column)))
        if abs(column[pivot]) > TINY:
            column /= column[pivot]
            more = np.column_stack([more - np.outer(column, more[pivot]), column])
            pivots.append(pivot)
            kept.append(at)
    before = span.columns - more @ span.columns[pivots]
    return Span(np.column_stack([before, more]), [*span.pivots, *pivots]), kept


def _key(offsets: NDArray[np.int64], items: NDArray[np.int32], number: int) -> bytes:
    return items[offsets[number] : offsets[number + 1]].tobytes()
