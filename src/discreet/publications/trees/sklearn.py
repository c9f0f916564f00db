"""Trees and forests of scikit-learn as leaves. Classes are known by name: scikit-learn is never imported."""

from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.data.itemsets import Label
from discreet.errors import InputError, OptionError
from discreet.io.formats.trees import SQUARES
from discreet.publications.trees.leaves import EVERYWHERE, Box, Leaf, Leaves, Mean, Split, describe_box
from discreet.publications.trees.targets import stated_targets, with_targets
from discreet.runtime.solver import Numbers

Estimator: TypeAlias = Any
Features32: TypeAlias = NDArray[np.float32]

BETWEEN: Final = 0.5
"""The threshold between 0 and 1: it reveals nobody's value."""
NOISE: Final = 1e-6
"""The error of a count of floats."""
WEIGHTED: Final = "The tree was fitted with weights, so its counts are not of rows: fit it without weights."
MEDIANS: Final = "absolute_error"
BROKEN: Final = "The counts of a leaf or a node are not whole numbers of rows, or not the sums of its children."


class Fitted(Protocol):
    """An estimator of scikit-learn."""

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...  # noqa: D102, FBT001, FBT002 - as it is there


class TreeArrays(Protocol):
    """The arrays of a tree of scikit-learn, with an entry for each node."""

    children_left: Numbers
    children_right: Numbers
    feature: Numbers
    threshold: NDArray[np.float64]
    impurity: NDArray[np.float64]
    value: NDArray[np.float64]
    n_node_samples: Numbers
    weighted_n_node_samples: NDArray[np.float64]


def is_estimator(source: object) -> bool:
    """Return whether something is an estimator of scikit-learn."""
    return hasattr(source, "get_params") and any(one.__module__.startswith("sklearn.") for one in type(source).__mro__)


def leaves_of(estimator: Estimator, rows: object = None) -> tuple[Leaves, ...]:
    """Return the leaves of each tree of a fitted estimator; with the ``rows`` it was fitted on, thresholds are checked.

    >>> leaves_of(object())
    Traceback (most recent call last):
    discreet.errors.OptionError: a value of the type object cannot be audited as a tree; give a fitted decision...
    """
    known = {one.__name__ for one in type(estimator).__mro__ if one.__module__.startswith("sklearn.")}
    if not known & {"BaseDecisionTree", "BaseForest"}:
        raise OptionError(
            f"a value of the type {type(estimator).__name__} cannot be audited as a tree; give a fitted decision "
            "tree, extra tree or forest of scikit-learn itself, without a pipeline"
        )
    is_forest = "BaseForest" in known
    if not hasattr(estimator, "estimators_" if is_forest else "tree_"):
        raise InputError(f"the {type(estimator).__name__} is not fitted; call its fit first")
    if not is_forest:
        return (_leaves(estimator, estimator, is_sample=False, rows=_matrix(rows, estimator)),)
    is_sample = bool(estimator.bootstrap)
    if is_sample and rows is not None:
        raise OptionError("each tree was fitted on a sample of the rows, so they are of no use; leave rows out")
    matrix = _matrix(rows, estimator)
    return tuple(_leaves(tree, estimator, is_sample=is_sample, rows=matrix) for tree in estimator.estimators_)


def trees_of(source: object, rows: object = None, targets: ArrayLike | None = None) -> tuple[Leaves, ...]:
    """Return the leaves of each tree in leaves, fitted estimators, or a list of these."""
    trees: list[Leaves] = []
    for one in source if isinstance(source, list | tuple) else [source]:
        if not isinstance(one, Leaves):
            fitted = leaves_of(one, rows)
            trees += fitted if targets is None else (with_targets(tree, targets) for tree in fitted)
        elif rows is not None:
            raise InputError("leaves do not need rows; leave rows out, or give them when the tree is read")
        else:
            trees.append(one if targets is None else stated_targets(one, targets))
    return tuple(trees)


def _leaves(tree: Estimator, whole: Estimator, *, is_sample: bool, rows: Features32 | None) -> Leaves:
    """Return the leaves of a tree, with the names of features and classes of the ``whole`` forest."""
    nodes = tree.tree_
    names = _names(whole)
    classes = _classes(whole)
    counts, fault = _counts(nodes, classes, is_sample=is_sample) if classes else (None, "")
    if getattr(whole, "class_weight", None) is not None:
        counts, fault = None, WEIGHTED
    paths = list(_boxes(nodes))
    means = None if classes else _means(nodes, tree.criterion, is_sample=is_sample)
    leaves = tuple(
        Leaf(
            describe_box(box, names),
            int(nodes.n_node_samples[node]),
            () if counts is None else _of_each(counts[node], classes),
            box,
            is_pure=not classes and bool(nodes.impurity[node] <= NOISE * NOISE * nodes.impurity[0]),
            means=() if means is None else means[node],
        )
        for node, box in paths
    )
    inside = None if rows is None else _route_rows(nodes, rows)
    splits = () if tree.splitter == "random" else tuple(_splits(nodes, names, rows, inside))
    is_median = not classes and tree.criterion == MEDIANS
    reached = None if inside is None else number_leaves([inside[node] for node, _ in paths])
    return Leaves(leaves, classes, names, splits, reached, is_sample, is_median, fault)


def _boxes(nodes: TreeArrays) -> Iterator[tuple[int, Box]]:
    """Yield each leaf's number and its box, from left to right."""
    todo: list[tuple[int, dict[int, tuple[float, float]]]] = [(0, {})]
    while todo:
        node, box = todo.pop()
        left, right = int(nodes.children_left[node]), int(nodes.children_right[node])
        if left == right:
            yield node, box
            continue
        feature, threshold = int(nodes.feature[node]), float(nodes.threshold[node])
        low, high = box.get(feature, EVERYWHERE)
        todo += [
            (right, {**box, feature: (max(low, threshold), high)}),
            (left, {**box, feature: (low, min(high, threshold))}),
        ]


def _counts(
    nodes: TreeArrays, classes: tuple[tuple[Label, ...], ...], *, is_sample: bool
) -> tuple[Numbers | None, str]:
    """Return how many rows of each class reach each node, or why that is not known.

    Before scikit-learn 1.3 ``value`` held counts, since then it holds shares: the root shows which.
    """
    weights, value = nodes.weighted_n_node_samples, nodes.value
    if not is_sample and not np.array_equal(weights, nodes.n_node_samples):
        return None, WEIGHTED
    is_share = np.allclose(value[0].sum(axis=1), 1, atol=NOISE, rtol=0)
    exact = value * weights[:, None, None] if is_share else value
    counts: Numbers = np.rint(exact).astype(np.int64)
    left, right = nodes.children_left, nodes.children_right
    inner = np.flatnonzero(left != right)
    is_whole = np.abs(exact - counts).max(initial=0) <= NOISE * max(1.0, float(weights[0]) * NOISE)
    fits = (
        (counts.sum(axis=2) == np.rint(weights)[:, None]).all()
        and np.array_equal(counts[inner], counts[left[inner]] + counts[right[inner]])
        and counts.min(initial=0) >= 0
        and value.shape[1] == len(classes)
    )
    return (counts, "") if is_whole and fits else (None, WEIGHTED if is_sample else BROKEN)


def _means(nodes: TreeArrays, criterion: str, *, is_sample: bool) -> list[tuple[Mean, ...]]:
    """Return the mean of each output at each node; none for medians, or after weights."""
    weights, value = nodes.weighted_n_node_samples, nodes.value[:, :, 0]
    is_of_rows = np.array_equal(weights, np.rint(weights) if is_sample else nodes.n_node_samples)
    if criterion == MEDIANS or not is_of_rows:
        return [()] * len(value)
    is_squared = criterion in SQUARES and value.shape[1] == 1
    errors = np.maximum(nodes.impurity, 0.0).tolist() if is_squared else [None] * len(value)
    return [
        tuple(Mean(int(of), mean, error) for mean in means)
        for of, means, error in zip(weights.tolist(), value.tolist(), errors, strict=True)
    ]


def _of_each(counts: Numbers, classes: tuple[tuple[Label, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Return the counts of each output, without the padding of outputs with fewer classes."""
    return tuple(tuple(row[: len(labels)]) for row, labels in zip(counts.tolist(), classes, strict=True))


def _route_rows(nodes: TreeArrays, rows: Features32) -> dict[int, Numbers]:
    """Return the numbers of the rows that reach each node; refuse rows that the tree was not fitted on.

    Rows are compared as the tree compares them: as floats of 32 bits, with missing values on the side that it says.
    """
    inside, todo = {0: np.arange(len(rows))}, [0]
    missing_left = getattr(nodes, "missing_go_to_left", np.zeros(len(nodes.feature)))  # since scikit-learn 1.3
    while todo:
        node = todo.pop()
        here = inside[node]
        if here.size != nodes.n_node_samples[node]:
            raise InputError(
                f"{here.size:,} rows reach a node that {nodes.n_node_samples[node]:,} reached when the tree was "
                "fitted; give the rows that it was fitted on"
            )
        left, right = int(nodes.children_left[node]), int(nodes.children_right[node])
        if left != right:
            values = rows[here, nodes.feature[node]]
            goes_left = (values <= nodes.threshold[node]) | (np.isnan(values) & bool(missing_left[node]))
            inside[left], inside[right] = here[goes_left], here[~goes_left]
            todo += [left, right]
    return inside


def number_leaves(members: list[Numbers]) -> Numbers:
    """Return the number of the leaf that each row reaches."""
    reached = np.empty(sum(one.size for one in members), dtype=np.int64)
    for leaf, rows in enumerate(members):
        reached[rows] = leaf
    return reached


def _splits(
    nodes: TreeArrays, names: tuple[str, ...], rows: Features32 | None, inside: dict[int, Numbers] | None
) -> Iterator[Split]:
    """Yield each threshold that may reveal values of rows: it lies midway between two of them."""
    for node in np.flatnonzero(nodes.children_left != nodes.children_right).tolist():
        # The tree compares numbers of 64 bits; a plain float would be cut to the 32 bits of the values.
        feature, threshold = int(nodes.feature[node]), np.float64(nodes.threshold[node])
        if threshold == BETWEEN:
            continue
        held = None
        if rows is not None and inside is not None:
            values = rows[inside[node], feature]
            held = min(count_nearest(values[values <= threshold], max), count_nearest(values[values > threshold], min))
        yield Split(names[feature], float(threshold), held)


def count_nearest(values: NDArray[np.floating[Any]], nearest: Callable[[list[float]], float]) -> int:
    """Count the rows on one side of a threshold that hold the value nearest to it."""
    return int(np.count_nonzero(values == nearest(values.tolist()))) if values.size else 0


def _matrix(rows: object, estimator: Estimator) -> Features32 | None:
    """Return the rows as the tree sees them."""
    if rows is None:
        return None
    try:
        matrix = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError):
        raise InputError("rows are not a matrix of numbers; give the features that the tree was fitted on") from None
    if matrix.ndim != 2 or matrix.shape[1] != estimator.n_features_in_:  # noqa: PLR2004 - rows and columns
        raise InputError(f"rows must have {estimator.n_features_in_} columns; give the features of the fit")
    return matrix


def _names(estimator: Estimator) -> tuple[str, ...]:
    """Return the names of the features, or their numbers from 0 on."""
    named = getattr(estimator, "feature_names_in_", None)
    return tuple(f"feature {at}" for at in range(estimator.n_features_in_)) if named is None else tuple(map(str, named))


def _classes(estimator: Estimator) -> tuple[tuple[Label, ...], ...]:
    """Return the classes of each output; a tree of numbers has none."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return ()
    outputs = classes if estimator.n_outputs_ > 1 else [classes]
    return tuple(tuple(np.asarray(labels).tolist()) for labels in outputs)
