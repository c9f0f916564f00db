"""Leaves: a published tree as counts of rows by leaf and class, and what the overlaps of several trees reveal."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from numbers import Integral
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Label, offsets_of, sort_labels
from discreet.data.thresholds import LARGEST_COUNT
from discreet.errors import InputError
from discreet.publications.rules.intervals import format_limits
from discreet.runtime.solver import Numbers, Program, Terms
from discreet.runtime.text import count_of

Box: TypeAlias = Mapping[int, tuple[float, float]]
"""The rows of a leaf: by the number of a feature, its value is above the first limit and at most the second."""
Overlaps: TypeAlias = Mapping[tuple[int, ...], Box]
"""Boxes by the numbers of the leaves that overlap there, one of each tree."""
EVERYWHERE: Final = (-math.inf, math.inf)

MOST_CELLS: Final = 2_000  # most overlaps of leaves to solve programs for
MOST_PAIRS: Final = 10_000_000  # most pairs of overlaps and leaves of the next tree to try
MOST_SOLVED: Final = 5_000_000  # most variables of all programs, for a minute or two; then no further class is judged
MOST_TREES: Final = 1_000  # most trees to judge together
LARGEST: Final = 2**53  # the largest count for programs, which work with floats of 64 bits
SECONDS: Final = 10.0  # for one program; small ones end long before


class Mean(NamedTuple):
    """The mean of the targets of ``of`` rows, or draws of rows, and their mean squared error, if stated."""

    of: int
    mean: float
    error: float | None = None


class Leaf(NamedTuple):
    """The rows that reach a leaf: their path in words, how many they are, and the counts of each class by output.

    In a tree of means, ``counts`` are known only if the target takes few known values. Otherwise ``means`` are those of
    each output, ``is_pure`` says that all rows have the mean, and ``others`` is how many rows do not have the commonest
    target, if that is known. The ``box`` is None if the path is known only in words.
    """

    path: tuple[str, ...]
    rows: int
    counts: tuple[tuple[int, ...], ...] = ()
    box: Box | None = None
    is_pure: bool = False
    means: tuple[Mean, ...] = ()
    others: tuple[int, ...] | None = None


class Split(NamedTuple):
    """A threshold on a feature; ``held`` is how many rows have the nearest value, on the side with fewer, if known."""

    feature: str
    threshold: float
    held: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Leaves:
    """The leaves of one tree, which partition its rows, and the classes of each output.

    ``splits`` are the thresholds that lie midway between the values of two rows. ``reached`` is the leaf of each row,
    if the rows are at hand. ``is_sample`` says that the counts are of a sample drawn with repetition, and ``is_median``
    that leaves show medians. ``fault`` says why there are no counts, and ``doubt`` why they may not be counts of rows.
    ``targets`` are the values that the target of each output takes, if these are known and counts are not, and
    ``digits`` are the decimal places of rounded means.
    """

    leaves: tuple[Leaf, ...]
    classes: tuple[tuple[Label, ...], ...] = ()
    names: tuple[str, ...] = ()
    splits: tuple[Split, ...] = ()
    reached: NDArray[np.int64] | None = None
    is_sample: bool = False
    is_median: bool = False
    fault: str = ""
    doubt: str = ""
    targets: tuple[tuple[float, ...], ...] = ()
    digits: int | None = None

    @classmethod
    def from_rules(cls, rules: Iterable[tuple[str | Iterable[str], Mapping[Label, int]]]) -> Self:
        """Take an ordered list of rules: conditions, and the counts of each class for which it is the first to hold.

        The last rule, without conditions, is for all other rows; leave it out if they are not published.

        >>> rules = Leaves.from_rules([("age > 60", {"ill": 20, "well": 9}), ("", {"ill": 3, "well": 80})])
        >>> [(leaf.path, leaf.counts) for leaf in rules.leaves]
        [(('age > 60',), ((20, 9),)), (('none of the rules before',), ((3, 80),))]
        """
        listed = [((path,) if isinstance(path, str) else tuple(path), counts) for path, counts in rules]
        classes = sort_labels(label for _, counts in listed for label in counts)
        leaves = []
        for number, (path, counts) in enumerate(listed):
            row = tuple(_check_count(counts.get(label, 0), number) for label in classes)
            before = ("none of the rules before",) * (number > 0)
            leaves.append(Leaf((*filter(None, path), *before), sum(row), (row,)))
        return cls(tuple(leaves), (classes,))

    @property
    def rows(self) -> int:
        """How many rows there are; of a sample, how many different ones."""
        return sum(leaf.rows for leaf in self.leaves)

    def __repr__(self) -> str:
        return f"<Leaves: {_count_leaves(len(self.leaves))} of {count_of(self.rows, 'row')}>"


class Forest(tuple[Leaves, ...]):
    """Trees that are published together: one, or several on the same rows.

    >>> Forest([Leaves.from_rules([("", {"ill": 3, "well": 80})])])
    <Forest: 1 tree with 1 leaf, of 83 rows>
    """

    __slots__ = ()

    @property
    def rows(self) -> int:
        """How many rows reach a leaf of the largest tree."""
        return max((tree.rows for tree in self), default=0)

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return sum(len(tree.leaves) for tree in self)

    def __str__(self) -> str:
        return f"{count_of(len(self), 'tree')} with {_count_leaves(self.size)}, of {count_of(self.rows, 'row')}"

    def __repr__(self) -> str:
        return f"<Forest: {self}>"


@dataclass(frozen=True, slots=True)
class Few:
    """From ``low`` to ``high`` rows of a class reach a leaf, or an overlap of the leaves of ``trees``.

    >>> print(Few(("age ≤ 40.5", "smoker > 0.5"), "class ill", 3, 3))
    age ≤ 40.5 and smoker > 0.5: 3 rows, class ill
    """

    path: tuple[str, ...]
    outcome: str
    low: int
    high: int
    trees: tuple[int, ...] = ()

    def __str__(self) -> str:
        many = f"{format_limits(self.low, self.high)} row{'s' * (self.high != 1)}"
        by = f" (tree {', '.join(map(str, self.trees))})" if self.trees else ""
        return f"{' and '.join(self.path) or 'any row'}: {', '.join(filter(None, (many, self.outcome)))}{by}"


def _count_leaves(many: int) -> str:
    return f"{many:,} {'leaf' if many == 1 else 'leaves'}"


def _check_count(value: object, number: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or not 0 <= int(value) <= LARGEST_COUNT:
        raise InputError(f"rule {number + 1} has a count that is not a whole number; give the rows of each class")
    return int(value)


def describe_box(box: Box, names: Sequence[str]) -> tuple[str, ...]:
    """Return the conditions of a box, one per feature.

    >>> describe_box({1: (30.5, 40.5), 0: (0.5, math.inf)}, ("smoker", "age"))
    ('30.5 < age ≤ 40.5', 'smoker > 0.5')
    """
    return tuple(_describe_limits(names[feature], *limits) for feature, limits in box.items())


def _describe_limits(name: str, low: float, high: float) -> str:
    (is_after, above), (is_before, below) = _round_up(low), _round_up(high)
    upper = f"{name} {'<' if is_before else '≤'} {below}"
    if low == -math.inf:
        return upper
    if high == math.inf:
        return f"{name} {'≥' if is_after else '>'} {above}"
    return f"{above} {'≤' if is_after else '<'} {upper}"


def _round_up(limit: float) -> tuple[bool, str]:
    """Return whether a limit is the float before a short number, and that number: at most 39.999… is below 40."""
    above = math.nextafter(limit, math.inf)
    is_before = limit != float(f"{limit:.6g}") and above == float(f"{above:.6g}")
    return is_before, f"{above if is_before else limit:.6g}"


class Joint(NamedTuple):
    """What several trees reveal together: overlaps of few rows, or why that is undecided."""

    few: tuple[Few, ...]
    undecided: str


def find_overlaps(trees: Sequence[Leaves], k: int) -> Joint:
    """Return the overlaps of leaves that surely hold 1 to k − 1 rows of a class, if each tree is safe alone.

    The rows of overlaps are whole numbers that add up to the counts of every leaf. If each overlap is known to be empty
    or may hold k rows, no pattern can be inferred to hold for 1 to k − 1 rows. Trees that are safe alone need not be
    safe together: if the leaves of one end at age 40 and those of the other at 50, the difference is the ages between.

    Overlaps that exclude each other are known to be empty. A reader who knows the features may know more, such as that
    nobody has two colours, but only of overlaps without rows. So with the rows at hand, all of these are taken as
    known, and "safe" holds whatever a reader knows of features.
    """
    trees = _align(trees)
    if reason := next(_find_obstacles(trees), ""):
        return Joint((), reason)
    reached = [tree.reached for tree in trees if tree.reached is not None]
    has_rows = len(reached) == len(trees)
    if has_rows:
        held = np.unique(np.stack(reached, axis=1), axis=0).tolist()
        if len(held) <= MOST_CELLS and not any(_solve(trees, {tuple(one): {} for one in held}, k)):
            return Joint((), "")
    overlaps = _list_overlaps(trees)
    if overlaps is None:
        return Joint((), f"their leaves overlap in more than {MOST_CELLS:,} ways, or are too many")
    few, many = _solve(trees, overlaps, k)
    if few or many:
        undecided = f"{many:,} of the overlaps of their leaves may hold fewer than {k} rows"
        return Joint(tuple(few), undecided * (many > 0))
    if not has_rows:
        return Joint((), "give the rows: values that exclude each other may reveal more")
    return Joint((), f"a reader who knows which values exclude each other may learn of fewer than {k} rows")


def _align(trees: Sequence[Leaves]) -> list[Leaves]:
    """Give the features of all trees the same numbers: a file lists only those that its tree uses."""
    names = tuple(dict.fromkeys(name for tree in trees for name in tree.names))
    if any(len(set(tree.names)) != len(tree.names) for tree in trees):
        return list(trees)
    place, aligned = {name: number for number, name in enumerate(names)}, []
    for tree in trees:
        boxes = (leaf.box and {place[tree.names[at]]: box for at, box in leaf.box.items()} for leaf in tree.leaves)
        leaves = (leaf._replace(box=box) for leaf, box in zip(tree.leaves, boxes, strict=True))
        aligned.append(replace(tree, leaves=tuple(leaves), names=names))
    return aligned


def _find_obstacles(trees: Sequence[Leaves]) -> Iterator[str]:
    """Yield why these trees cannot be judged together; only the first reason is sure."""
    if len(trees) > MOST_TREES:
        yield f"there are more than {MOST_TREES:,} of them"
    if any(tree.fault for tree in trees):
        yield "they do not show their counts"
    if any(tree.is_sample for tree in trees):
        yield "each was fitted on a sample of its own"
    if any(len(tree.classes) != 1 for tree in trees):
        yield "means, or several outputs, are not followed together"
    if any(leaf.box is None for tree in trees for leaf in tree.leaves):
        yield "the rows that two rules share are not known"
    totals = [[sum(column) for column in zip(*(leaf.counts[0] for leaf in tree.leaves), strict=True)] for tree in trees]
    described = [(tree.names, tree.classes, total) for tree, total in zip(trees, totals, strict=True)]
    if any(one != described[0] for one in described):
        yield "they were not fitted on the same rows, features and classes"
    if max(totals[0], default=0) > LARGEST:
        yield "their counts are too large"


def _list_overlaps(trees: Sequence[Leaves]) -> Overlaps | None:
    """Return the overlaps of leaves that have room for a row; None if there are too many."""
    overlaps, pairs = dict[tuple[int, ...], Box]({(): {}}), 0
    for tree in trees:
        pairs += len(overlaps) * len(tree.leaves)
        if pairs > MOST_PAIRS:
            return None
        parts = (part for overlap in overlaps.items() for part in _divide(*overlap, tree))
        overlaps = dict(islice(parts, MOST_CELLS + 1))
        if len(overlaps) > MOST_CELLS:
            return None
    return overlaps


def _divide(leaves: tuple[int, ...], whole: Box, tree: Leaves) -> Iterator[tuple[tuple[int, ...], Box]]:
    for number, leaf in enumerate(tree.leaves):
        box = dict(whole)
        for feature, (low, high) in (leaf.box or {}).items():
            lower, upper = box.get(feature, EVERYWHERE)
            box[feature] = (max(low, lower), min(high, upper))
        if all(low < high for low, high in box.values()):
            yield (*leaves, number), box


@dataclass(frozen=True)
class _Table:
    """The overlaps that may hold rows of a class, and the sums that they are part of: entry i is in ``sums[i]``."""

    overlaps: list[int]
    sums: Numbers
    columns: Numbers
    counts: Numbers

    def find_extreme(self, at: int, sign: int) -> tuple[Numbers, int | None]:
        """Return rows of each overlap with the most (sign −1) or the fewest (1) in one, and that number if solved."""
        program = Program()
        cost = np.zeros(len(self.overlaps))
        cost[at] = sign
        program.add_columns(len(self.overlaps), cost=cost, whole=True)
        terms = Terms(self.sums, self.columns, np.ones(self.sums.size))
        program.add_rows(self.counts.size, terms, lower=self.counts, upper=self.counts)
        solved = program.solve(seconds=SECONDS, gap=0)
        if solved.values is not None and not solved.stopped:
            rows = np.rint(solved.values).astype(np.int64)
            sums = np.bincount(self.sums, rows[self.columns], self.counts.size)
            if (rows >= 0).all() and np.array_equal(sums, self.counts):
                return rows, int(rows[at])
        return np.zeros(len(self.overlaps), dtype=np.int64), None


def _solve(trees: Sequence[Leaves], overlaps: Overlaps, k: int) -> tuple[list[Few], int]:
    """Return the overlaps of few rows, and how many others are undecided."""
    few, many, solved, boxes = [], 0, 0, list(overlaps.values())
    for number, label in enumerate(trees[0].classes[0]):
        table = _make_table(trees, overlaps, number)
        if solved > MOST_SOLVED:
            many += len(table.overlaps)
            continue
        limits, undecided, programs = _find_few(table, k)
        many, solved = many + undecided, solved + programs * len(table.overlaps)
        few += [
            Few(describe_box(boxes[table.overlaps[at]], trees[0].names), f"class {label}", low, high)
            for at, low, high in limits
        ]
    return few, many


def _make_table(trees: Sequence[Leaves], overlaps: Overlaps, label: int) -> _Table:
    """Return the sums of one class; a leaf without rows of it is in no overlap."""
    starts = offsets_of([len(tree.leaves) for tree in trees])
    counts = np.array([leaf.counts[0][label] for tree in trees for leaf in tree.leaves], dtype=np.int64)
    every = np.array(list(overlaps), dtype=np.int64)
    places = every.reshape(len(overlaps), len(trees)) + starts[:-1]
    kept = np.flatnonzero((counts[places] > 0).all(axis=1))
    columns = np.repeat(np.arange(kept.size), len(trees))
    return _Table(kept.tolist(), places[kept].ravel(), columns, counts)


def _find_few(table: _Table, k: int) -> tuple[list[tuple[int, int, int]], int, int]:
    """Return the overlaps of 1 to k − 1 rows with their limits, how many are undecided, and the number of programs."""
    if not table.overlaps:
        return [], int(table.counts.any()), 0  # rows without an overlap: the counts contradict each other
    most, few, many, programs = np.zeros(len(table.overlaps), dtype=np.int64), [], 0, 0
    for at in range(len(table.overlaps)):
        if most[at] >= k:
            continue
        programs += 2
        rows, high = table.find_extreme(at, -1)
        np.maximum(most, rows, out=most)  # a solution for one overlap clears others too
        if high == 0 or most[at] >= k:
            continue
        _, low = table.find_extreme(at, 1)
        if high and low:
            few.append((at, low, high))
        else:
            many += 1
    return few, many, programs
