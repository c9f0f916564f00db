"""The problem that a blocker solves, the distortion of a solution, and the guarantee that each solution is checked for.

Distortion is the cost of a release, over all frequent itemsets that its closed ones stand for.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets, Weighted, sort_labels
from discreet.data.lattice import Cells, Family, Trie, add_missing_root
from discreet.data.patterns import Patterns
from discreet.data.transactions import Merged, Rows, Transactions, are_all
from discreet.disclosure.attacks.finding import Level
from discreet.disclosure.channels import Channels
from discreet.disclosure.detect import Question, find_cells, find_channels, list_frequent
from discreet.errors import GuaranteeError, InconsistencyError, InputError, refuse_truth
from discreet.mining.search import Limits
from discreet.runtime.resources import as_threads

LONGEST: Final = 63  # items of an itemset whose subsets a word can count
SMALL: Final = 100_000  # items of all closed itemsets; below this, choosing between detectors takes longer than either
NOBODY: Final = np.empty(0, dtype=np.intp)  # no row numbers
NONE: Final = Weighted.concat([])  # no merged rows


@refuse_truth(ask=".changed")
class Distortion(NamedTuple):
    """How far published supports are from the original ones, over all frequent ``itemsets``, the empty one included.

    ``lost`` itemsets are no longer published; ``changed`` ones have another support or are lost. ``average`` is the
    mean change, as a share of the original support; a lost itemset counts as 1. ``largest`` is the largest change, in
    rows; that of a lost itemset is its support.
    """

    itemsets: int
    lost: int
    changed: int
    average: float
    largest: int

    @property
    def share_changed(self) -> float:
        """The share of the itemsets that have changed."""
        return self.changed / self.itemsets if self.itemsets else 0.0


def distortion(before: Patterns, after: Patterns) -> Distortion:
    """Return how far the supports ``after`` are from those ``before``, over all itemsets that were frequent.

    Both are lists of closed or of all frequent itemsets. The measure is that of *Blocking anonymity threats* (ICDM
    2005), computed without listing what closed itemsets stand for: the itemsets of one closure had one support, and
    still have one if every itemset that is closed now was so before.

    >>> before = Patterns.from_itemsets([([], 10), (["a"], 8), (["a", "b"], 5)], n=10, kind="closed")
    >>> after = Patterns.from_itemsets([([], 10), (["a"], 6)], n=10, kind="closed")
    >>> distortion(before, after)
    Distortion(itemsets=4, lost=2, changed=3, average=0.5625, largest=5)
    """
    old, new = _relabel(_root(before), _root(after))
    sizes, supports = class_sizes(old), old.supports.tolist()
    if (kernels.closure.match(*new.itemsets.flat, *old.itemsets.flat) >= 0).all():
        return _add_up(zip(sizes, supports, supports_in(new, old).tolist(), strict=True))
    frequent = list_frequent(new)
    numbers = _find_closures(frequent, old)
    known = numbers >= 0
    lost = np.array(sizes, dtype=object) - np.bincount(numbers[known], minlength=len(old))
    kept = zip(repeat(1), old.supports[numbers[known]].tolist(), frequent.supports[known].tolist(), strict=False)
    return _add_up([*kept, *zip(lost, supports, repeat(0), strict=False)])


def supports_in(patterns: Patterns, itemsets: Patterns) -> NDArray[np.int64]:
    """Return the supports that follow from ``patterns`` for the itemsets of another list; 0 where none follows.

    >>> before = Patterns.from_itemsets([([], 10), (["a"], 8), (["a", "b"], 5)], n=10, kind="closed")
    >>> after = Patterns.from_itemsets([(["a"], 9)], n=9, kind="closed")
    >>> supports_in(after, before).tolist()
    [9, 9, 0]
    """
    known, wanted = _relabel(_root(patterns), itemsets)
    closures = _find_closures(wanted, known)
    return np.where(closures >= 0, known.supports[closures] if len(known) else 0, 0)


def class_sizes(patterns: Patterns) -> list[int]:
    """Return how many frequent itemsets each pattern stands for: those whose closure it is.

    >>> from discreet import mine
    >>> class_sizes(mine([["a", "b"], ["a", "b", "c"]], min_support=1))
    [4, 4]
    """
    patterns = _root(patterns)
    if patterns.kind == "frequent":
        return [1] * len(patterns)
    itemsets, trie, root, labels = patterns.itemsets, _plant(patterns), patterns.is_rooted, len(patterns.labels)
    order = np.argsort(itemsets.lengths, kind="stable")
    if itemsets.longest <= LONGEST:
        counts = np.zeros(len(patterns), dtype=np.uint64)
        kernels.closure.count_classes(trie, root, *itemsets.flat, order, labels, counts)
        return [int(count) for count in counts.tolist()]
    sizes = [0] * len(patterns)
    inside, found = np.zeros(labels, dtype=np.bool_), np.empty(len(patterns) + 2, dtype=np.int64)
    for number in order.tolist():
        inside[itemsets[number]] = True
        subsets = found[: kernels.closure.walk(trie, root, inside, found)].tolist()
        sizes[number] = 2 ** itemsets[number].size - sum(sizes[other] for other in subsets)
        inside[itemsets[number]] = False
    return sizes


def _root(patterns: Patterns) -> Patterns:
    """Return the patterns with the empty itemset where it counts; refuse maximal ones."""
    if patterns.kind == "maximal":
        raise InputError("maximal itemsets do not tell the supports of their subsets; give closed or frequent ones")
    return add_missing_root(patterns)


def _relabel(*lists: Patterns) -> list[Patterns]:
    """Return lists with the same labels."""
    if len({patterns.labels for patterns in lists}) == 1:
        return list(lists)
    labels = sort_labels(label for patterns in lists for label in patterns.labels)
    code = {label: number for number, label in enumerate(labels)}

    def recode(patterns: Patterns) -> Patterns:
        codes = np.array([code[label] for label in patterns.labels], dtype=np.int32)
        arrays = patterns.offsets.copy(), codes[patterns.items], patterns.supports.copy()
        n, least, kind, length = patterns.n, patterns.min_support, patterns.kind, patterns.max_length
        recoded = Patterns.from_codes(*arrays, labels, n=n, min_support=least, kind=kind, max_length=length)
        return replace(recoded, mined=patterns.mined)

    return [recode(patterns) for patterns in lists]


def _plant(patterns: Patterns) -> Trie:
    trie: Trie = kernels.inversion.plant(*patterns.itemsets.flat)
    return trie


def _find_closures(patterns: Patterns, others: Patterns) -> NDArray[np.int64]:
    """Return for each pattern the number of the other one that is its closure, or -1 if none contains it."""
    closures, labels = np.full(len(patterns), -1, dtype=np.int64), len(patterns.labels)
    trie, root = _plant(patterns), patterns.is_rooted
    kernels.closure.close(trie, root, others.itemsets.flat, others.supports, labels, closures)
    return closures


def _add_up(classes: Iterable[tuple[int, int, int]]) -> Distortion:
    """Return the distortion of classes: the number of itemsets, their support before, and after (0 if lost)."""
    itemsets = lost = changed = largest = 0
    shares = []
    for size, before, after in classes:
        itemsets += size
        change = abs(after - before)
        if size and change:
            changed += size
            lost += size * (after == 0)
            largest = max(largest, change)
            shares.append(size * change / max(1, before))
    return Distortion(itemsets, lost, changed, math.fsum(shares) / max(1, itemsets), largest)


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
    def columns(self) -> tuple[NDArray[np.int64], int]:
        """The column of each item in a matrix of frequent items, and their number; rare items share the last column."""
        frequent = np.unique(self.patterns.items)
        columns = np.full(len(self.patterns.labels), frequent.size, dtype=np.int64)
        columns[frequent] = np.arange(frequent.size)
        return columns, frequent.size

    def as_rows(self, rows: Weighted) -> Merged:
        """Return merged rows, in the codes of the patterns, as rows of their own."""
        return Merged(rows, self.patterns.labels, int(rows.weights.sum()), self.least)


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


@dataclass(frozen=True, eq=False)
class BlockSolution:
    """Safe patterns, with the rows that were suppressed, by number, and added to make them so.

    ``question`` holds the patterns, and their channels once detection has run; it is ``complete`` if they are all
    frequent itemsets of the changed rows.
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

    def change_rows(self) -> Rows:
        """Return the changed rows."""
        return change_rows(self.problem.rows, self.suppressed, self.added)

    def only_adds(self) -> bool:
        """Return whether the itemsets are the original ones, and no row is suppressed."""
        is_same = self.patterns.itemsets is self.problem.patterns.itemsets
        return self.question.complete and not self.suppressed.size and is_same

    def has_channel(self) -> bool:
        """Return whether detection finds a channel, or cells that no rows can have."""
        try:
            return bool(len(self.patterns)) and bool(len(find_channels(self.question)))
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
        return Merged.from_codes(*every.arrays, rows.labels, min_support=rows.min_support)
    copies = Itemsets(*added.flat).take(np.repeat(np.arange(len(added)), added.weights))
    return Transactions.from_codes(*Itemsets.concat([rows.itemsets.take(left), copies]).flat, rows.labels)


def check(solution: BlockSolution) -> None:
    """Refuse a solution that has a channel, or a support that its changed rows do not have."""
    problem, patterns = solution.problem, solution.patterns
    if has_small_sum(problem, solution.added) if solution.only_adds() else solution.has_channel():
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
    if not solution.question.complete:
        cost = distortion(before, patterns)
        return cost.changed == cost.lost and patterns.n == before.n
    added = solution.added
    lost = Weighted(*rows.itemsets.take(solution.suppressed).flat, rows.weights[solution.suppressed])
    if patterns.n != before.n - int(lost.weights.sum()) + int(added.weights.sum()):
        return False
    if solution.only_adds():
        return np.array_equal(before.supports + recount(added, before), patterns.supports)
    places = kernels.closure.match(*patterns.itemsets.flat, *before.itemsets.flat)
    if places.min(initial=0) < 0:
        changed = solution.change_rows()
        counted = recount(Weighted(*changed.itemsets.flat, changed.weights), patterns)
        return np.array_equal(counted, patterns.supports)
    # Only the suppressed and added rows need to be counted: the rest is as it was mined.
    supports = before.supports + recount(added, before) - recount(lost, before)
    # Itemsets that are still frequent, but no longer listed, must follow from those that are.
    unlisted = np.setdiff1d(np.flatnonzero(supports >= patterns.min_support), places)
    rest = replace(before.take(unlisted), supports=supports[unlisted], n=patterns.n)
    follows = not unlisted.size or np.array_equal(supports_in(patterns, rest), supports[unlisted])
    return np.array_equal(supports[places], patterns.supports) and follows


def recount(rows: Weighted, patterns: Patterns) -> NDArray[np.int64]:
    """Return how many of the rows hold each pattern, counted one by one."""
    supports, labels = np.zeros(len(patterns), dtype=np.int64), len(patterns.labels)
    if len(rows):
        kernels.cell_rows.count_supports(rows.flat, rows.weights, patterns.itemsets.flat, labels, supports)
    return supports


def count_rows(patterns: Patterns, rows: Weighted, trie: Trie | None = None) -> NDArray[np.int64]:
    """Return how many of the rows hold each pattern, by the ``trie`` of the patterns."""
    planted, totals = _plant(patterns) if trie is None else trie, np.zeros(len(patterns), dtype=np.int64)
    kernels.closure.add_up(planted, patterns.is_rooted, rows.flat, rows.weights, len(patterns.labels), totals)
    return totals
