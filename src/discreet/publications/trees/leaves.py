"""Leaves: a published tree as counts of rows, by leaf and class."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Label, sort_labels
from discreet.data.thresholds import LARGEST_COUNT
from discreet.errors import InputError
from discreet.runtime.text import count_of

Box: TypeAlias = Mapping[int, tuple[float, float]]
"""The rows of a leaf: by the number of a feature, its value is above the first limit and at most the second."""

EVERYWHERE: Final = (-math.inf, math.inf)


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
        listed = [
            ((conditions,) if isinstance(conditions, str) else tuple(conditions), counts)
            for conditions, counts in rules
        ]
        classes = sort_labels(label for _, counts in listed for label in counts)
        leaves = []
        for number, (conditions, counts) in enumerate(listed):
            row = tuple(_count(counts.get(label, 0), number) for label in classes)
            before = ("none of the rules before",) * (number > 0)
            leaves.append(Leaf((*filter(None, conditions), *before), sum(row), (row,)))
        return cls(tuple(leaves), (classes,))

    @property
    def rows(self) -> int:
        """How many rows there are; of a sample, how many different ones."""
        return sum(leaf.rows for leaf in self.leaves)

    def __repr__(self) -> str:
        many = f"{len(self.leaves):,} {'leaf' if len(self.leaves) == 1 else 'leaves'}"
        return f"<Leaves: {many} of {count_of(self.rows, 'row')}>"


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
        leaves = f"{self.size:,} {'leaf' if self.size == 1 else 'leaves'}"
        return f"{count_of(len(self), 'tree')} with {leaves}, of {count_of(self.rows, 'row')}"

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
        which = " and ".join(self.path) or "any row"
        many = count_of(self.low, "row") if self.low == self.high else f"{self.low:,} to {self.high:,} rows"
        by = f" (tree {', '.join(map(str, self.trees))})" if self.trees else ""
        return f"{which}: {', '.join(filter(None, (many, self.outcome)))}{by}"


def describe_box(box: Box, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the conditions of a box, one per feature.

    >>> describe_box({1: (30.5, 40.5), 0: (0.5, math.inf)}, ("smoker", "age"))
    ('30.5 < age ≤ 40.5', 'smoker > 0.5')
    """
    return tuple(_condition(names[feature], *limits) for feature, limits in box.items())


def _condition(name: str, low: float, high: float) -> str:
    if low == -math.inf:
        return f"{name} {_limit(high, '≤', '<')}"
    if high == math.inf:
        return f"{name} {_limit(low, '>', '≥')}"
    above, sign = _limit(low, ">", "≥").split()[::-1]
    return f"{above} {'<' if sign == '>' else '≤'} {name} {_limit(high, '≤', '<')}"


def _limit(limit: float, sign: str, next_sign: str) -> str:
    """Return a limit in words; at most 39.999… is below 40, if 39.999… is the float before it.

    >>> _limit(40.5, "≤", "<"), _limit(math.nextafter(40.5, 0), "≤", "<")
    ('≤ 40.5', '< 40.5')
    """
    above = math.nextafter(limit, math.inf)
    is_before = limit != float(f"{limit:.6g}") and above == float(f"{above:.6g}")
    return f"{next_sign} {above:.6g}" if is_before else f"{sign} {limit:.6g}"


def _count(value: object, number: int) -> int:
    """Check and return a count of rows."""
    if not isinstance(value, Integral) or isinstance(value, bool) or not 0 <= int(value) <= LARGEST_COUNT:
        raise InputError(
            f"rule {number + 1} has a count that is not a whole number; give the number of rows of each class"
        )
    return int(value)
