"""The problem that a blocker solves, its solution, and the guarantee that every solution is checked for."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.distortion import distortion, supports_in
from discreet.blocking.release.release import Proof, change_rows
from discreet.data.itemsets import Weighted
from discreet.data.lattice import Cells, Family, Trie
from discreet.data.patterns import Patterns
from discreet.data.transactions import Merged, Rows, are_all
from discreet.disclosure.attacks.finding import Level
from discreet.disclosure.channels import Channels
from discreet.disclosure.detect import Question, find_cells, find_channels
from discreet.errors import GuaranteeError, InconsistencyError
from discreet.mining.search import Limits
from discreet.runtime.resources import as_threads

SMALL: Final = 100_000
"""Items of all closed itemsets together; below this, choosing between detectors takes longer than either."""
NOBODY: Final = np.empty(0, dtype=np.intp)
"""No row numbers."""
NONE: Final = Weighted.concat([])
"""No merged rows."""


@dataclass(frozen=True, eq=False)
class BlockProblem:
    """Publish ``patterns``, the closed itemsets of ``rows``, so that no cell holds 1 to k − 1 rows.

    "add" needs none of the rows, and "suppress" only those that it will suppress. The attacker ``against`` whom a
    release must hold may not infer anything else either. With ``keep_n`` the search for the least distortion keeps the
    number of rows; it may take this many ``seconds``.
    """

    rows: Rows
    patterns: Patterns
    k: int
    limits: Limits = field(default_factory=Limits)
    keep_n: bool = False
    seconds: float = 60.0
    against: Level = "plain"

    @property
    def threads(self) -> int:
        """The number of threads to use."""
        return as_threads(self.limits.threads)

    @property
    def least(self) -> int:
        """The minimum support: a count, fixed before anything is changed."""
        return self.patterns.min_support

    @cached_property
    def question(self) -> Question:
        """The question to detectors: the channels of the original patterns."""
        return Question(self.patterns, self.rows if are_all(self.rows) else None, self.k, self.threads)

    @property
    def family(self) -> Family:
        """The closed itemsets as a lattice."""
        return self.question.family

    @property
    def known(self) -> Family:
        """The lattice with all tops of known cells: at a minimum support of 1 a missing itemset has support 0."""
        return self.question.known

    @cached_property
    def cells(self) -> Cells:
        """The cells of maximal itemsets that hold 1 to k − 1 rows, in any order."""
        if self.patterns.items.size < SMALL or self.question.rows is None:
            return self.known.cells(self.k, self.threads)
        return find_cells(self.question)

    @cached_property
    def channels(self) -> Channels:
        """The maximal channels of the original patterns."""
        patterns = self.patterns
        return Channels.from_cells(self.cells, self.known.top_itemsets, patterns.labels, n=patterns.n, k=self.k)

    @cached_property
    def merged(self) -> tuple[Weighted, NDArray[np.int64]]:
        """The different rows, cut to frequent items; and the number of the one that each row is like."""
        code = np.full(len(self.patterns.labels), -1, dtype=np.int32)
        code[self.patterns.items] = self.patterns.items
        rows = self.rows
        offsets, items, weights, numbers = kernels.merge_rows.merge(rows.offsets, rows.items, rows.weights, code)
        return Weighted(offsets, items, weights), numbers

    @cached_property
    def columns(self) -> tuple[NDArray[np.int64], int]:
        """The column of each item in a matrix of frequent items, and their number; rare items share the last column."""
        frequent = np.unique(self.patterns.items)
        columns = np.full(len(self.patterns.labels), frequent.size, dtype=np.int64)
        columns[frequent] = np.arange(frequent.size)
        return columns, frequent.size

    def as_rows(self, rows: Weighted) -> Merged:
        """Return merged rows, in the codes of the patterns, as rows of their own."""
        return Merged(rows, self.patterns.labels, int(rows.weights.sum()), self.least)


@dataclass(frozen=True, eq=False)
class BlockSolution:
    """Safe patterns, with the rows that were suppressed, by number, and added to make them so.

    ``question`` holds the patterns, and their channels once detection has run.
    """

    problem: BlockProblem
    question: Question
    suppressed: NDArray[np.intp]
    added: Weighted
    proof: Proof | None = None
    rounds: int | None = None

    @classmethod
    def of(
        cls,
        problem: BlockProblem,
        patterns: Patterns,
        suppressed: NDArray[np.intp] = NOBODY,
        added: Weighted = NONE,
        *,
        is_whole: bool = True,
        rounds: int | None = None,
    ) -> Self:
        """Return a solution; its patterns are the whole list of some rows, unless ``is_whole`` is False."""
        question = Question(patterns, None, problem.k, problem.threads, is_whole)
        return cls(problem, question, suppressed, added, rounds=rounds)

    @property
    def patterns(self) -> Patterns:
        """The itemsets that would be published."""
        return self.question.patterns

    @property
    def is_whole(self) -> bool:
        """Whether all frequent itemsets of the changed rows are published."""
        return self.question.complete

    @property
    def witness(self) -> Rows:
        """The changed rows."""
        return change_rows(self.problem.rows, self.suppressed, self.added)

    @property
    def only_adds(self) -> bool:
        """Whether the itemsets are the original ones, and no row is suppressed."""
        is_same = self.patterns.itemsets is self.problem.patterns.itemsets
        return self.is_whole and not self.suppressed.size and is_same

    def has_channel(self) -> bool:
        """Return whether detection finds a channel, or cells that no rows can have."""
        try:
            return bool(len(self.patterns)) and bool(len(find_channels(self.question)))
        except InconsistencyError:
            return True


def check(solution: BlockSolution) -> None:
    """Refuse a solution that has a channel, or a support that its changed rows do not have."""
    least, patterns = solution.problem.least, solution.patterns
    if has_small_sum(solution.problem, solution.added) if solution.only_adds else solution.has_channel():
        raise GuaranteeError("channels are left after blocking; nothing is released: please report this as a bug")
    if (patterns.supports < least).any() or not has_supports(solution):
        raise GuaranteeError(
            "supports after blocking are not those of any rows; nothing is released: please report this as a bug"
        )


def has_small_sum(problem: BlockProblem, added: Weighted) -> bool:
    """Return whether a cell holds 1 to k − 1 rows after rows are added.

    A cell is a sum of supports. So a cell of all rows is the sum of one of the original rows, which is known if it is
    small, and one of the added rows, which is counted here.
    """
    cells, tops = problem.cells, problem.known.top_itemsets.flat
    sums, labels = cells.counts.copy(), len(problem.patterns.labels)
    kernels.cell_rows.weigh(added.flat, added.weights, (cells.tops, *cells.bases.flat), tops, labels, sums)
    return bool((added.weights < problem.k).any() or (sums < problem.k).any())


def has_supports(solution: BlockSolution) -> bool:
    """Return whether the supports are those of the changed rows or, in a list with gaps, of the original rows."""
    problem, patterns, before = solution.problem, solution.patterns, solution.problem.patterns
    if not solution.is_whole:
        cost = distortion(before, patterns)
        return cost.changed == cost.lost and patterns.n == before.n
    suppressed, added = problem.rows.itemsets.take(solution.suppressed), solution.added
    lost = Weighted(*suppressed.flat, problem.rows.weights[solution.suppressed])
    if patterns.n != before.n - int(lost.weights.sum()) + int(added.weights.sum()):
        return False
    if solution.only_adds:
        return np.array_equal(before.supports + recount(added, before), patterns.supports)
    places = kernels.closure.match(*patterns.itemsets.flat, *before.itemsets.flat)
    if places.min(initial=0) < 0:
        rows = solution.witness
        return np.array_equal(recount(Weighted(*rows.itemsets.flat, rows.weights), patterns), patterns.supports)
    # Only the suppressed and added rows need to be counted: the rest is as it was mined.
    supports = before.supports + recount(added, before) - recount(lost, before)
    return np.array_equal(supports[places], patterns.supports) and _is_complete(patterns, before, places, supports)


def _is_complete(patterns: Patterns, before: Patterns, places: NDArray[np.int64], supports: NDArray[np.int64]) -> bool:
    """Return whether the itemsets that are still frequent, but no longer listed, follow from those that are."""
    is_listed = np.zeros(len(before), dtype=np.bool_)
    is_listed[places] = True
    unlisted = np.flatnonzero(~is_listed & (supports >= patterns.min_support))
    if not unlisted.size:
        return True
    rest = replace(before.take(unlisted), supports=supports[unlisted], n=patterns.n)
    return np.array_equal(supports_in(patterns, rest), supports[unlisted])


def recount(rows: Weighted, patterns: Patterns) -> NDArray[np.int64]:
    """Return how many of the rows hold each pattern, counted one by one."""
    supports = np.zeros(len(patterns), dtype=np.int64)
    if len(rows):
        kernels.cell_rows.count_supports(
            rows.flat, rows.weights, patterns.itemsets.flat, len(patterns.labels), supports
        )
    return supports


def count_rows(patterns: Patterns, rows: Weighted, trie: Trie | None = None) -> NDArray[np.int64]:
    """Return how many of the rows hold each pattern, by the ``trie`` of the patterns."""
    planted = kernels.inversion.plant(*patterns.itemsets.flat) if trie is None else trie
    totals = np.zeros(len(patterns), dtype=np.int64)
    kernels.closure.add_up(planted, patterns.is_rooted, rows.flat, rows.weights, len(patterns.labels), totals)
    return totals
