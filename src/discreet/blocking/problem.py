"""The problem that a blocker solves, and the guarantee that each solution is checked for."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import compress
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.beside import Older
from discreet.blocking.distortion import distortion, plant, supports_in
from discreet.data.hierarchy import expand
from discreet.data.itemsets import Itemsets, Label, Weighted
from discreet.data.lattice import Cells, Family, Trie
from discreet.data.leaving_out import drop_items
from discreet.data.patterns import Kind, Patterns
from discreet.data.schema import Schema
from discreet.data.thresholds import Threshold, share
from discreet.data.transactions import Merged, Rows, Transactions, are_all
from discreet.disclosure.attacks.facts import Codes, as_schema
from discreet.disclosure.attacks.finding import Level
from discreet.disclosure.attacks.sums import find_remainders
from discreet.disclosure.channels import Channels
from discreet.disclosure.detect import Question, find_cells, find_channels
from discreet.disclosure.people import refuse_visits
from discreet.errors import (
    BudgetError,
    GuaranteeError,
    InconsistencyError,
    InputError,
    Option,
    ThresholdError,
    refuse_truth,
)
from discreet.judging.reading import refuse_doubts
from discreet.mining.mine import Budget, Mining, mine
from discreet.mining.watch import Limits
from discreet.runtime.resources import as_threads
from discreet.runtime.text import printable

SMALL: Final = 100_000  # items of all closed itemsets; below this, choosing between detectors takes longer than either
NOBODY: Final = np.empty(0, dtype=np.intp)  # no row numbers
NONE: Final = Weighted.concat([])  # no merged rows


@dataclass(frozen=True, eq=False)
class BlockProblem:
    """Publish ``patterns``, the closed itemsets of ``rows``, so that no cell holds 1 to k − 1 rows.

    A list that is cut at a length has all frequent itemsets up to it. "add" needs none of the rows, "suppress" those
    that it will suppress. The attacker ``against`` whom it must hold infers nothing; withholding has ``patience`` for
    that, and the search for the least distortion ``seconds``. Rows may have only ``grown`` since those ``beside`` it.
    If it must withstand ``only_sums``, nobody looks at all databases that fit. No belief may exceed ``max_belief``.
    """

    rows: Rows
    patterns: Patterns
    k: int
    limits: Limits = field(default_factory=Limits)
    keep_n: bool = False
    seconds: float = 60.0
    patience: float = 60.0
    against: Level = "plain"
    only_sums: bool = False
    max_belief: float | None = None
    beside: tuple[Older, ...] = ()
    grown: bool = False

    @classmethod
    def of(cls, rows: Rows, k: int, min_support: Threshold, budget: Mining) -> Self:
        """Mine the rows, and return the problem of publishing what is found."""
        # Of short itemsets the closed ones are hard to check: supports within a top may follow from beyond it.
        kind: Kind = "closed" if budget.get("max_length") is None else "frequent"
        patterns = mine(refuse_doubts(refuse_visits(rows, "block")), min_support=min_support, kind=kind, **budget)
        limits = Limits(budget.get("threads"), budget.get("max_patterns"), budget.get("memory"), budget.get("progress"))
        return cls(rows, patterns, k, limits)

    def __post_init__(self) -> None:
        """Refuse a minimum support of 1 if the list is cut: zeros would follow that the verifier does not count."""
        if self.patterns.max_length is not None and self.least == 1:
            raise ThresholdError(
                "a list that is cut at a length is made safe from a minimum support of 2 on; raise ",
                *(Option("min_support"), ", or leave ", Option("max_length"), " out"),
            )

    def require_whole(self, how: str) -> None:
        """Refuse a list that is cut at a length, where the closed itemsets are needed."""
        if self.patterns.max_length is not None:
            others = Option("max_length"), " out, or use the method 'add', 'suppress' or 'withhold'"
            raise BudgetError(f"{how} needs itemsets of any length; leave ", *others)

    def assume(self, schema: Schema | None) -> Self:
        """Return the problem of publishing the same for readers who know a schema."""
        return replace(self, patterns=replace(self.patterns, schema=schema))

    @cached_property
    def schema(self) -> tuple[Codes, ...]:
        """The groups of items that exclude each other."""
        return as_schema(self.patterns.schema, self.patterns.labels, self.patterns.hierarchy)

    def find_threats(self, question: Question, channels: Channels) -> Channels:
        """Return the channels of some patterns or, if there are none, the remainders that the schema reveals."""
        if len(channels) or not self.schema:
            return channels
        if "schema" not in question.found:
            question.found["schema"] = find_remainders(question.known, self.schema, self.k)
        return question.found["schema"]

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

    @cached_property
    def cells(self) -> Cells:
        """The cells of maximal itemsets that hold 1 to k − 1 rows, in any order."""
        if self.patterns.items.size < SMALL or self.question.rows is None:
            return self.question.known.cells(self.k, self.threads)
        return find_cells(self.question)

    @cached_property
    def channels(self) -> Channels:
        """The maximal channels of the original patterns."""
        tops, labels, n = self.question.known.top_itemsets, self.patterns.labels, self.patterns.n
        return Channels.from_cells(self.cells, tops, labels, n=n, k=self.k)

    @cached_property
    def merged(self) -> tuple[Weighted, NDArray[np.int64]]:
        """The different rows, cut to frequent items; and the number of the one that each row is like."""
        code, rows = np.full(len(self.patterns.labels), -1, dtype=np.int32), self.rows
        code[self.patterns.items] = self.patterns.items
        *arrays, numbers = kernels.merge_rows.merge(rows.offsets, rows.items, rows.weights, code)
        return Weighted(*arrays), numbers

    @cached_property
    def whole(self) -> tuple[Weighted, NDArray[np.int64]]:
        """The different rows with all their items, rare ones too; and the number of the one that each row is like."""
        code, rows = np.arange(len(self.rows.labels), dtype=np.int32), self.rows
        if len(self.merged[0]) == len(rows.itemsets):
            return rows.itemsets.weigh(rows.weights), np.arange(len(rows.itemsets))
        *arrays, numbers = kernels.merge_rows.merge(rows.offsets, rows.items, rows.weights, code)
        return Weighted(*arrays), numbers

    @cached_property
    def total(self) -> frozenset[Codes]:
        """The groups of which every row holds an item."""
        holders = self.rows.itemsets.count_holders(self.schema)[0] == len(self.rows.itemsets)
        return frozenset(compress(self.schema, holders))

    @cached_property
    def columns(self) -> tuple[NDArray[np.int64], int]:
        """The column of each item in a matrix of frequent items, and their number; rare items share the last column."""
        frequent = np.unique(self.patterns.items)
        columns = np.full(len(self.patterns.labels), frequent.size, dtype=np.int64)
        columns[frequent] = np.arange(frequent.size)
        return columns, frequent.size

    def can_be_rows(self, itemsets: Itemsets) -> NDArray[np.bool_]:
        """Return which itemsets can be rows: with all ancestors of their items, and values as the schema allows them.

        That is no two values of an attribute, and one of each attribute that no row lacks.
        """
        hierarchy, can_be = self.patterns.hierarchy, np.ones(len(itemsets), dtype=np.bool_)
        if hierarchy is not None:
            can_be = expand(itemsets, hierarchy.lines(self.patterns.labels)).lengths == itemsets.lengths
        for group in self.schema:
            held = itemsets.add_up(np.isin(itemsets.items, [*group]))
            can_be &= (held <= 1) & (held >= (group in self.total))
        return can_be

    def mine(self, rows: Rows) -> Patterns:
        """Return what would be published of other rows, for readers who know the same schema."""
        known, limits = self.patterns, self.limits
        budget = Budget(threads=limits.threads, max_patterns=limits.patterns, memory=limits.memory)
        found = mine(rows, min_support=self.least, kind=known.kind, max_length=known.max_length, **budget)
        return replace(found, schema=known.schema, reading=known.reading)

    def as_rows(self, rows: Weighted) -> Merged:
        """Return merged rows, in the codes of the patterns, as rows of their own."""
        hierarchy = self.patterns.hierarchy
        return Merged(rows, self.patterns.labels, int(rows.weights.sum()), self.least, hierarchy=hierarchy)


@refuse_truth(ask=".gap")
class Proof(NamedTuple):
    """The quality of a solution: its average distortion, and a bound that no solution like it is below.

    Solutions like it have more or fewer rows of some ``kinds`` of rows; they are ``whole`` if these are all that can
    be. ``stopped`` says that time ran out before the bound was met: another run may end elsewhere.
    """

    average: float
    bound: float
    kinds: int
    whole: bool
    stopped: bool

    @property
    def gap(self) -> float:
        """The share of the average distortion that a better solution could save at most."""
        return 0.0 if self.average <= self.bound else (self.average - self.bound) / self.average


@refuse_truth(ask=".levels")
class Recoding(NamedTuple):
    """Values that all rows have lost: those below ``parents``, which stand for them, and what was ``left_out``.

    ``removed`` are all their labels. ``levels`` of the ``levels_before`` were lost: each time that a row held a
    published item, and no longer does. It ``is_least`` if no other cut through the hierarchy loses fewer.
    """

    parents: tuple[Label, ...]
    left_out: tuple[Label, ...]
    removed: tuple[Label, ...]
    levels: int
    levels_before: int
    is_least: bool

    def apply(self, rows: Rows) -> Rows:
        """Return rows without the values that were replaced or left out."""
        return drop_items(rows, self.removed)

    def describe(self) -> dict[str, str]:
        """Return what was replaced, and the levels lost, in words."""
        least = "no cut through the hierarchy loses fewer" if self.is_least else "chosen greedily"
        lost = f"{self.levels:,} of {self.levels_before:,} lost ({share(self.levels, self.levels_before)}); {least}"
        names = {"published for all below": self.parents, "left out": self.left_out}
        said = {word: printable(", ".join(map(str, labels))) for word, labels in names.items() if labels}
        return {"levels": lost, **said}


@dataclass(frozen=True, eq=False)
class BlockSolution:
    """Safe patterns, with the rows that were suppressed, by number, and added to make them so.

    ``question`` holds the patterns, and their channels once detection has run; it is ``complete`` if they are all
    frequent itemsets of the changed rows. ``recoding`` says which values all rows have lost, if any.
    """

    problem: BlockProblem
    question: Question
    suppressed: NDArray[np.intp]
    added: Weighted
    proof: Proof | None = None
    rounds: int | None = None
    recoding: Recoding | None = None

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
        patterns = replace(patterns, reading=problem.patterns.reading)
        question = Question(patterns, None, problem.k, problem.threads, is_whole)
        return cls(problem, question, suppressed, added, rounds=rounds)

    @property
    def patterns(self) -> Patterns:
        """The itemsets that would be published."""
        return self.question.patterns

    def change_rows(self) -> Rows:
        """Return the changed rows."""
        return change_rows(self.problem.rows, self.suppressed, self.added)

    def only_adds(self) -> bool:
        """Return whether the itemsets are the original ones, and no row is suppressed."""
        is_same = self.patterns.itemsets is self.problem.patterns.itemsets
        return self.question.complete and not self.suppressed.size and is_same

    def find_threats(self) -> Channels:
        """Return the channels that are left or, if there are none, the remainders that the schema reveals."""
        return self.problem.find_threats(self.question, find_channels(self.question))

    def has_channel(self, *, or_remainder: bool = False) -> bool:
        """Return whether detection finds a channel, ``or_remainder``, or cells that no rows can have."""
        find = self.find_threats if or_remainder else partial(find_channels, self.question)
        try:
            return bool(len(self.patterns)) and bool(len(find()))
        except InconsistencyError:
            return True


Form: TypeAlias = Callable[[BlockProblem], BlockSolution]


def change_rows(rows: Rows, suppressed: NDArray[np.intp], added: Weighted) -> Rows:
    """Return the rows without the ``suppressed`` ones, by number, followed by those ``added``."""
    if not are_all(rows):
        raise InputError(
            "the rows of this release stayed in Spark: there is no witness; block with more budget for one"
        )
    left = np.delete(np.arange(len(rows.itemsets)), suppressed)
    if isinstance(rows, Merged):
        every = Weighted.concat([rows.itemsets.take(left), added])
        merged = Merged.from_codes(*every.arrays, rows.labels, min_support=rows.min_support)
        return replace(merged, hierarchy=rows.hierarchy)
    copies = Itemsets(*added.flat).take(np.repeat(np.arange(len(added)), added.weights))
    changed = Transactions.from_codes(*Itemsets.concat([rows.itemsets.take(left), copies]).flat, rows.labels)
    return changed.describe(hierarchy=rows.hierarchy)


def check(solution: BlockSolution) -> None:
    """Refuse a solution that has a channel, or a support that its changed rows do not have."""
    problem, patterns = solution.problem, solution.patterns
    if not problem.can_be_rows(solution.added).all():
        raise GuaranteeError(
            "rows were added that cannot be, by the schema or the parents of items; nothing is released: please report "
            "this"
        )
    only_adds = solution.only_adds() and not problem.schema
    if has_small_sum(problem, solution.added) if only_adds else solution.has_channel(or_remainder=True):
        raise GuaranteeError("channels are left after blocking; nothing is released: please report this as a bug")
    if (patterns.supports < problem.least).any() or not _has_supports(solution):
        raise GuaranteeError(
            "supports after blocking are not those of any rows; nothing is released: please report this"
        )


def has_small_sum(problem: BlockProblem, added: Weighted) -> bool:
    """Return whether a cell holds 1 to k − 1 rows after rows are added.

    A cell is a sum of supports. So a cell of all rows is the sum of one of the original rows, which is known if it is
    small, and one of the added rows, which is counted here.
    """
    cells, tops = problem.cells, problem.question.known.top_itemsets.flat
    sums, labels = cells.counts.copy(), len(problem.patterns.labels)
    kernels.cell_rows.weigh(added.flat, added.weights, (cells.tops, *cells.bases.flat), tops, labels, sums)
    return bool((added.weights < problem.k).any() or (sums < problem.k).any())


def _has_supports(solution: BlockSolution) -> bool:
    """Return whether the supports are those of the changed rows or, in a list with gaps, of the original rows."""
    rows, patterns, before = solution.problem.rows, solution.patterns, solution.problem.patterns
    if solution.recoding is not None:
        length, threads = patterns.max_length, solution.problem.threads
        recoded = solution.recoding.apply(rows)
        return patterns == mine(
            recoded, min_support=before.min_support, kind=patterns.kind, max_length=length, threads=threads
        )
    if not solution.question.complete:
        cost = distortion(before, patterns)
        return cost.changed == cost.lost and patterns.n == before.n
    added = solution.added
    lost = Weighted(*rows.itemsets.take(solution.suppressed).flat, rows.weights[solution.suppressed])
    if patterns.n != before.n - int(lost.weights.sum()) + int(added.weights.sum()):
        return False
    if solution.only_adds():
        return np.array_equal(before.supports + recount(added, before), patterns.supports)
    supports = before.supports + recount(added, before) - recount(lost, before)
    places = kernels.closure.match(*patterns.itemsets.flat, *before.itemsets.flat)
    counted, at = supports[places], np.flatnonzero(places < 0)
    if at.size:
        new, every = patterns.take(at), rows.itemsets.weigh(rows.weights)
        counted[at] = recount(every, new) + recount(added, new) - recount(lost, new)
    # Listed ones were mined, so only changes count; those still frequent, but not listed, must follow from what is.
    unlisted = np.setdiff1d(np.flatnonzero(supports >= patterns.min_support), places)
    follows = not unlisted.size or np.array_equal(supports_in(patterns, before.take(unlisted)), supports[unlisted])
    return np.array_equal(counted, patterns.supports) and follows


def recount(rows: Weighted, patterns: Patterns) -> NDArray[np.int64]:
    """Return how many of the rows hold each pattern, counted one by one."""
    supports, labels = np.zeros(len(patterns), dtype=np.int64), len(patterns.labels)
    if len(rows):
        kernels.cell_rows.count_supports(rows.flat, rows.weights, patterns.itemsets.flat, labels, supports)
    return supports


def count_rows(patterns: Patterns, rows: Weighted, trie: Trie | None = None) -> NDArray[np.int64]:
    """Return how many of the rows hold each pattern, by the ``trie`` of the patterns."""
    planted, totals = plant(patterns) if trie is None else trie, np.zeros(len(patterns), dtype=np.int64)
    kernels.closure.add_up(planted, patterns.is_rooted, rows.flat, rows.weights, len(patterns.labels), totals)
    return totals
