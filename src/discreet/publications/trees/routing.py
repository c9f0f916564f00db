"""Rows on their way through a tree that a file states: which nodes they reach, and who holds what a threshold tells."""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError
from discreet.io.trees.features import Features
from discreet.io.trees.stated import Stated, Test
from discreet.publications.trees.leaves import Split
from discreet.publications.trees.sklearn import BETWEEN, Numbers, held_by

SIGNS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">": operator.gt,
    ">=": operator.ge,
}


def inside(tree: Stated, rows: Sequence[int | None], features: Features) -> list[Numbers]:
    """Return the numbers of the rows that reach each node; refuse rows that the tree was not fitted on."""
    found: list[Numbers] = []
    left: list[Numbers] = []
    for node, told in zip(tree.nodes, rows, strict=True):
        if node.parent < 0:
            here = np.arange(features.n)
        else:
            rest = left[node.parent]
            holds = np.ones(rest.size, dtype=np.bool_)
            for test in node.tests:
                holds &= _holds(test, features, rest, tree.digits)
            here, left[node.parent] = rest[holds], rest[~holds]
        if told is not None and here.size != told:
            raise InputError(
                f"{here.size:,} rows reach a node that {told:,} reached when the tree was fitted; give the rows of the "
                "fit, and the tree with all digits of its thresholds"
            )
        found.append(here)
        left.append(here)
    if any(left[node.parent].size for node in tree.nodes if node.parent >= 0):
        raise InputError("some rows reach no leaf, for missing values or others; give the rows that it was fitted on")
    return found


def _holds(test: Test, features: Features, rows: Numbers, digits: int | None) -> NDArray[np.bool_]:
    """Return which rows pass a test; refuse to guess where a threshold was rounded and a value lies that near to it."""
    if not test.sign:
        raise InputError("the tree has tests that are no thresholds, so that rows cannot be followed; leave rows out")
    values, threshold = features.columns[test.feature][rows], np.float64(test.number)
    # Digits that were printed are right up to half of the last; floats may be off by a trifle more.
    with np.errstate(invalid="ignore"):  # a value without end is not near to a threshold without end
        is_near = digits is not None and np.any(np.abs(values - threshold) <= 0.5 * 10.0**-digits * (1 + 1e-9))
    if is_near:
        raise InputError(
            f"some rows lie so near to a threshold that its {digits} digits do not tell on which side; write the tree "
            "with more digits"
        )
    found: NDArray[np.bool_] = SIGNS[test.sign](values, threshold)
    return found


def splits(tree: Stated, features: Features | None, reached: Sequence[Numbers] | None) -> Iterator[Split]:
    """Yield each threshold that may tell values of rows, and how few of the rows hold the nearest value."""
    tests = ((node.parent, test) for node in tree.nodes for test in node.tests if test.sign)
    for at, feature, number, is_below in dict.fromkeys(
        (at, test.feature, test.number, test.sign in {"<", ">="}) for at, test in (*tests, *tree.hidden)
    ):
        threshold = np.float64(number)
        if threshold == BETWEEN:
            continue
        held = None
        if features is not None and reached is not None:
            values = features.columns[feature][reached[at]]
            is_left = values < threshold if is_below else values <= threshold
            held = min(held_by(values[is_left], max), held_by(values[~is_left], min))
        yield Split(feature, float(threshold), held)
