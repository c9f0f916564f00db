"""Targets: counts behind means. A mean of zeros and ones is a count, and so is a mean of few other values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import compress, islice
from math import ceil, floor, lcm
from operator import mul
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InputError, OptionError
from discreet.publications.trees.leaves import Leaf, Leaves, Mean

Values: TypeAlias = tuple[float, ...]
Ways: TypeAlias = Iterator[tuple[int, ...] | None]
"""Counts of each value; None where a way failed, or could not be tried."""

FEW: Final = 20  # most different values to count each; of more, only the commonest in a leaf and all others are counted
WIDEST: Final = 10  # most different values to follow all sets of them, if only means are known
MOST_WAYS: Final = 500_000  # most ways to make up means to try for a tree: a few seconds
BINARY: Final = (0.0, 1.0)
NOISE: Final = Fraction(1, 10**9)  # the error of a mean of floats, as a share of their values


class Inferred(NamedTuple):
    """However a mean is made up, from ``low`` to ``high`` rows of the leaf have one of these ``values``."""

    output: int
    values: Values
    low: int
    high: int


class Inferences(NamedTuple):
    """The counts of few rows that the means of a leaf reveal, and whether they may reveal more."""

    counts: list[Inferred]
    is_open: bool


def add_targets(tree: Leaves, targets: ArrayLike) -> Leaves:
    """Return a tree of means with its targets: one for each row, or just the values that they may take.

    If the rows of each leaf are known, few values are counted; of many, only how many rows do not have the commonest.
    Otherwise the values are kept.
    """
    if tree.classes:
        raise OptionError("targets are for trees of means, but this one has classes; leave targets out")
    given = _as_matrix(targets)
    values = [tuple(np.unique(column).tolist()) for column in given.T]
    are_few = all(len(one) <= FEW for one in values)
    if tree.reached is None or tree.reached.size != len(given):
        outputs = max((len(leaf.means) for leaf in tree.leaves), default=1)
        values = values * outputs if len(values) == 1 else values
        return replace(tree, targets=tuple(values)) if are_few else tree
    order = np.argsort(tree.reached, kind="stable")
    members = np.split(given[order], np.searchsorted(tree.reached[order], np.arange(1, len(tree.leaves))))
    for leaf, rows in zip(tree.leaves, members, strict=True):
        _check_means(leaf, rows, tree.digits)
    if are_few:
        tables = [[(rows[:, at, None] == one).sum(axis=0) for at, one in enumerate(values)] for rows in members]
        return _set_counts(tree, values, [tuple(tuple(one.tolist()) for one in table) for table in tables])
    commonest = ([np.unique(column, return_counts=True)[1].max(initial=0) for column in rows.T] for rows in members)
    others = (tuple(len(rows) - int(most) for most in one) for rows, one in zip(members, commonest, strict=True))
    leaves = (leaf._replace(others=one) for leaf, one in zip(tree.leaves, others, strict=True))
    return replace(tree, leaves=tuple(leaves))


def add_stated_targets(tree: Leaves, targets: ArrayLike) -> Leaves:
    """Return a tree from a file with its targets; unless each row is known, its means may be weighted."""
    counted = add_targets(tree, targets)
    is_sure = counted.classes or any(leaf.others is not None for leaf in counted.leaves)
    doubt = "means are those of rows only if the tree was fitted without weights and not on a sample"
    return counted if is_sure or counted.doubt else replace(counted, doubt=doubt)


def resolve_counts(tree: Leaves) -> Leaves:
    """Return a tree of means with counts, if only one count of each value makes up each mean."""
    if not tree.targets or any(len(one) > WIDEST for one in tree.targets):
        return tree
    counts = []
    for leaf in tree.leaves:
        if len(leaf.means) != len(tree.targets):
            return tree
        outputs = zip(leaf.means, tree.targets, strict=True)
        tried = [list(islice(_find_ways(tree, mean, one), 2)) for mean, one in outputs]
        if any(len(ways) > 1 or None in ways for ways in tried):
            return tree
        counts.append(tuple(way for ways in tried for way in ways if way is not None))
    return _set_counts(tree, tree.targets, counts)


def assume_binary(tree: Leaves) -> Leaves:
    """Return a tree with counts of zeros and ones, if all its means and errors look like these."""
    if tree.classes or tree.targets or any(mean.error is None for leaf in tree.leaves for mean in leaf.means):
        return tree
    try:
        binary = resolve_counts(replace(tree, targets=(BINARY,)))
    except InputError:
        return tree
    return binary if binary.classes else tree


def infer_counts(tree: Leaves, leaf: Leaf, k: int) -> Inferences:
    """Return the counts of 1 to k − 1 rows that a leaf's means reveal, by the values of the target."""
    if len(leaf.means) != len(tree.targets):
        return Inferences([], is_open=True)
    counts, is_open = list[Inferred](), False
    for output, (mean, values) in enumerate(zip(leaf.means, tree.targets, strict=True), start=1):
        if len(values) > WIDEST:
            is_open = True
            continue
        sets = np.array(list(np.ndindex(*[2] * len(values))), dtype=np.int64)[1:-1]
        low, high = np.full(len(sets), mean.of), np.zeros(len(sets), dtype=np.int64)
        for way in _find_ways(tree, mean, values):
            if way is None:
                is_open = True
                break
            many = sets @ np.array(way, dtype=np.int64)
            low, high = np.minimum(low, many), np.maximum(high, many)
            if not ((low > 0) & (high < k)).any():
                break
        else:
            small = np.flatnonzero((low > 0) & (high < k)).tolist()
            least = [at for at in small if not any(other != at and (sets[other] <= sets[at]).all() for other in small)]
            chosen = ((at, tuple(compress(values, sets[at]))) for at in least)
            counts += [Inferred(output, some, int(low[at]), int(high[at])) for at, some in chosen]
        is_open |= mean.error is None and len(values) > len(BINARY)  # an error of another kind may reveal more
    return Inferences(counts, is_open)


def name_value(value: float) -> str:
    """Return a value of a target as text.

    >>> name_value(1.0), name_value(0.25)
    ('1', '0.25')
    """
    return str(int(value)) if value.is_integer() else repr(value)


def _set_counts(tree: Leaves, values: Sequence[Values], counts: Sequence[tuple[tuple[int, ...], ...]]) -> Leaves:
    leaves = (leaf._replace(counts=one, means=()) for leaf, one in zip(tree.leaves, counts, strict=True))
    return replace(tree, leaves=tuple(leaves), classes=tuple(tuple(map(name_value, one)) for one in values), targets=())


def _find_ways(tree: Leaves, mean: Mean, values: Values) -> Ways:
    """Yield the counts of each value that make up a mean, and last None if these are not all; refuse a mean of none."""
    exact = [Fraction(repr(value)) for value in values]
    scale = lcm(*(value.denominator for value in exact))
    steps = [int((value - exact[0]) * scale) for value in exact]
    half, times = _find_half(tree.digits), mean.of * scale
    middle, slack = Fraction(repr(mean.mean)) - exact[0], half + NOISE * max([Fraction(1), *map(abs, exact)])
    ways = _list_ways(steps, mean.of, ceil(times * (middle - slack)), floor(times * (middle + slack)))
    is_made, is_met = _make_test(mean, [int(value * scale) for value in exact], scale, half), False
    for tried, way in enumerate(ways):
        if tried >= MOST_WAYS // len(tree.leaves):
            yield None
            return
        if way is not None and is_made(way):
            is_met = True
            yield way
    if not is_met:
        raise InputError("no rows with these targets have the mean of a leaf; give all values that the target takes")


def _make_test(mean: Mean, values: Sequence[int], scale: int, half: Fraction) -> Callable[[Sequence[int]], bool]:
    """Return a test whether counts of the values, all times ``scale``, make up a mean and its error.

    The error of floats is a share of what is added up: small values have a more precise mean than large ones.
    """
    n, many = mean.of, mean.of * scale
    squares, sizes = [value * value for value in values], [abs(value) for value in values]
    stated = (Fraction(repr(mean.mean)) * many, Fraction(repr(mean.error or 0.0)) * many**2)
    # Fractions are slow, so all are scaled to whole numbers.
    exact = (*stated, half * many, half * many**2, NOISE)
    parts = lcm(*(one.denominator for one in exact))
    middle, error, room, wide, noise = (int(one * parts) for one in exact)

    def is_made(way: Sequence[int]) -> bool:
        total, size = sum(map(mul, way, values)), sum(map(mul, way, sizes))
        if abs(parts * total - middle) > room + noise * size:
            return False
        square = n * sum(map(mul, way, squares))
        return mean.error is None or abs(parts * (square - total * total) - error) <= wide + noise * square

    return is_made


def _list_ways(steps: Sequence[int], n: int, low: int, high: int) -> Ways:
    """Yield the counts of each step, the first being 0, with which ``n`` of them add up to ``low`` … ``high``."""
    if len(steps) == 1:
        yield (n,) if low <= 0 <= high else None
        return
    *rest, step = steps
    least, most = max(0, -((n * rest[-1] - low) // (step - rest[-1]))), min(n, high // step)
    if least > most:
        yield None
    for count in range(least, most + 1):
        for way in _list_ways(rest, n - count, low - count * step, high - count * step):
            yield None if way is None else (*way, count)


def _find_half(digits: int | None) -> Fraction:
    return Fraction(0) if digits is None else Fraction(1, 2 * 10**digits)


def _check_means(leaf: Leaf, targets: NDArray[np.float64], digits: int | None) -> None:
    """Refuse targets whose means are not those of a leaf."""
    for mean, column in zip(leaf.means, targets.T, strict=False):
        slack = float(_find_half(digits)) + float(NOISE) * max(1.0, float(np.abs(column).max(initial=0)))
        if len(leaf.means) != targets.shape[1] or not abs(column.mean() - mean.mean) <= slack:
            raise InputError(
                "the mean of a leaf is not that of its targets; give the targets of the fit, and fit without weights"
            )


def _as_matrix(targets: ArrayLike) -> NDArray[np.float64]:
    """Return targets as numbers, one column per output."""
    try:
        matrix = np.asarray(targets, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.zeros((0, 0, 0))
    if matrix.ndim not in {1, 2} or not matrix.size or not np.isfinite(matrix).all():
        raise InputError("targets are not numbers; give one for each row of the fit, or the values they may take")
    return matrix[:, None] if matrix.ndim == 1 else matrix
