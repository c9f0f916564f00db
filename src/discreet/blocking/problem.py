"""What a blocker is asked: make the closed itemsets of which rows safe for which k, and within which limits."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.release.release import Proof
from discreet.data.itemsets import Weighted
from discreet.data.lattice import Cells, Family, Trie
from discreet.data.merged import Rows, are_all
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.finding import Level
from discreet.disclosure.channels import Channels
from discreet.disclosure.detect import find_cells
from discreet.disclosure.question import Question
from discreet.mining.watch import Limits
from discreet.runtime.resources import as_threads

SMALL: Final = 100_000
"""Items of all closed itemsets together, below which a choice between ways to the cells is not worth its time."""


class Answer(NamedTuple):
    """Safe patterns, the rows that are suppressed, by their numbers, and those that are added."""

    patterns: Patterns
    suppressed: NDArray[np.intp]
    added: Weighted
    is_whole: bool = True
    proof: Proof | None = None
    rounds: int | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows and their closed itemsets, of which no cell may hold from 1 to k − 1 rows.

    Some of the rows are enough for "add" and for "suppress": none, and all that it will suppress.
    The attacker that it is ``against`` must not find anything else, either. ``merge`` lets "add" look for fewer rows to
    add, ``keep_n`` lets "optimal" keep the number of rows, and it may take so many ``seconds``.
    """

    rows: Rows
    patterns: Patterns
    k: int
    limits: Limits = field(default_factory=Limits)
    merge: bool = False
    keep_n: bool = False
    seconds: float = 60.0
    against: Level = "plain"

    @property
    def threads(self) -> int:
        """How many threads may be at work."""
        return as_threads(self.limits.threads)

    @property
    def least(self) -> int:
        """The minimum support: a count, fixed before anything is changed."""
        return self.patterns.min_support

    @cached_property
    def family(self) -> Family:
        """The closed itemsets as a lattice."""
        return self._question.family

    @cached_property
    def told(self) -> Family:
        """The same with all tops whose cells are told: they need not be frequent if what is missing counts as 0."""
        return self._question.known

    @cached_property
    def cells(self) -> Cells:
        """The cells of maximal itemsets that hold from 1 to k − 1 rows, in any order."""
        if self.patterns.items.size < SMALL or self._question.rows is None:
            return self.told.cells(self.k, self.threads)
        return find_cells(self._question)

    @cached_property
    def channels(self) -> Channels:
        """The same as maximal channels, in their order."""
        patterns = self.patterns
        return Channels.from_cells(self.cells, *self.told.top_itemsets(), patterns.labels, n=patterns.n, k=self.k)

    @cached_property
    def merged(self) -> tuple[Weighted, NDArray[np.int64]]:
        """The rows cut to frequent items, equal ones merged; and which of them each row is."""
        code = np.full(len(self.patterns.labels), -1, dtype=np.int32)
        code[self.patterns.items] = self.patterns.items
        rows = self.rows
        offsets, items, weights, numbers = kernels.merged.merge(rows.offsets, rows.items, rows.weights, code)
        return Weighted(offsets, items, weights), numbers

    @cached_property
    def _question(self) -> Question:
        return Question(self.patterns, self.rows if are_all(self.rows) else None, self.k, self.threads)


def held_by(patterns: Patterns, rows: Weighted, trie: Trie | None = None) -> NDArray[np.int64]:
    """Return how many of the rows hold each of the patterns, whose ``trie`` may be at hand."""
    planted = kernels.inversion.plant(patterns.offsets, patterns.items) if trie is None else trie
    totals, itemsets = np.zeros(len(patterns), dtype=np.int64), (rows.offsets, rows.items)
    kernels.closure.add_up(planted, patterns.is_rooted, itemsets, rows.weights, len(patterns.labels), totals)
    return totals


NOBODY = np.empty(0, dtype=np.intp)
"""No rows, by their numbers."""
NONE = Weighted(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64))
"""No rows, merged."""
