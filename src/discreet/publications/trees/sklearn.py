"""Trees and forests of scikit-learn as leaves. Classes are known by name: scikit-learn is never imported."""

from collections.abc import Iterator
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.data.itemsets import Label
from discreet.errors import InputError, OptionError
from discreet.io.formats.trees import SQUARES
from discreet.publications.trees.leaves import EVERYWHERE, Box, Leaf, Leaves, Mean, Split, describe_box
from discreet.publications.trees.targets import add_stated_targets, add_targets
from discreet.runtime.solver import Numbers

Estimator: TypeAlias = Any
Features32: TypeAlias = NDArray[np.float32]

BETWEEN: Final = 0.5  # the threshold between 0 and 1: it reveals nobody's value
NOISE: Final = 1e-6  # the error of a count of floats
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


def read_estimator(estimator: Estimator, rows: object = None) -> tuple[Leaves, ...]:
    """Return the leaves of each tree of a fitted estimator; with the ``rows`` it was fitted on, thresholds are checked.

    >>> read_estimator(object())
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
    is_sample = is_forest and bool(estimator.bootstrap)
    if is_sample and rows is not None:
        raise OptionError("each tree was fitted on a sample of the rows, so they are of no use; leave rows out")
    matrix = _as_matrix(rows, estimator)
    trees = estimator.estimators_ if is_forest else [estimator]
    return tuple(_as_leaves(tree, estimator, is_sample=is_sample, rows=matrix) for tree in trees)


def list_trees(source: object, rows: object = None, targets: ArrayLike | None = None) -> tuple[Leaves, ...]:
    """Return the leaves of each tree in leaves, fitted estimators, or a list of these."""
    trees: list[Leaves] = []
    for one in source if isinstance(source, list | tuple) else [source]:
        if not isinstance(one, Leaves):
            fitted = read_estimator(one, rows)
            trees += fitted if targets is None else (add_targets(tree, targets) for tree in fitted)
        elif rows is not None:
            raise InputError("leaves do not need rows; leave rows out, or give them when the tree is read")
        else:
            trees.append(one if targets is None else add_stated_targets(one, targets))
    return tuple(trees)


def _as_leaves(tree: Estimator, whole: Estimator, *, is_sample: bool, rows: Features32 | None) -> Leaves:
    """Return the leaves of a tree, with the names of features and classes of the ``whole`` forest."""
    nodes, names, classes = tree.tree_, _name_features(whole), _name_classes(whole)
    nothing = [()] * len(nodes.value)
    counts, fault = _count_classes(nodes, classes, is_sample=is_sample) if classes else (nothing, "")
    if getattr(whole, "class_weight", None) is not None:
        counts, fault = nothing, WEIGHTED
    means = nothing if classes else _find_means(nodes, tree.criterion, is_sample=is_sample)
    is_pure = ((nodes.impurity <= NOISE * NOISE * nodes.impurity[0]) & (not classes)).tolist()
    boxes, sizes = list(_find_boxes(nodes)), nodes.n_node_samples.tolist()
    leaves = tuple(
        Leaf(describe_box(box, names), sizes[node], counts[node], box, is_pure[node], means[node])
        for node, box in boxes
    )
    inside = None if rows is None else _route_rows(nodes, rows)
    splits = () if tree.splitter == "random" else tuple(_find_splits(nodes, names, rows, inside))
    reached = None if inside is None else number_leaves([inside[node] for node, _ in boxes])
    is_median = not classes and tree.criterion == MEDIANS
    return Leaves(leaves, classes, names, splits, reached, is_sample, is_median, fault)


def _find_boxes(nodes: TreeArrays) -> Iterator[tuple[int, Box]]:
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
        todo.append((right, {**box, feature: (max(low, threshold), high)}))
        todo.append((left, {**box, feature: (low, min(high, threshold))}))


def _count_classes(
    nodes: TreeArrays, classes: tuple[tuple[Label, ...], ...], *, is_sample: bool
) -> tuple[list[tuple[tuple[int, ...], ...]], str]:
    """Return how many rows of each class reach each node, by output, or why that is not known."""
    weights, value = nodes.weighted_n_node_samples, nodes.value
    if not is_sample and not np.array_equal(weights, nodes.n_node_samples):
        return [()] * len(value), WEIGHTED
    # Before scikit-learn 1.3 value held counts, since then it holds shares: the root shows which.
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
    if not (is_whole and fits):
        return [()] * len(value), WEIGHTED if is_sample else BROKEN
    sizes = [len(labels) for labels in classes]  # outputs with fewer classes are padded
    return [tuple(tuple(row[:size]) for row, size in zip(node, sizes, strict=True)) for node in counts.tolist()], ""


def _find_means(nodes: TreeArrays, criterion: str, *, is_sample: bool) -> list[tuple[Mean, ...]]:
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


def _find_splits(
    nodes: TreeArrays, names: tuple[str, ...], rows: Features32 | None, inside: dict[int, Numbers] | None
) -> Iterator[Split]:
    """Yield each threshold that may reveal values of rows: it lies midway between two of them."""
    for node in np.flatnonzero(nodes.children_left != nodes.children_right).tolist():
        # The tree compares numbers of 64 bits; a plain float would be cut to the 32 bits of the values.
        feature, threshold, held = int(nodes.feature[node]), np.float64(nodes.threshold[node]), None
        if rows is not None and inside is not None:
            held = count_held(rows[inside[node], feature], threshold)
        if threshold != BETWEEN:
            yield Split(names[feature], float(threshold), held)


def count_held(values: NDArray[np.floating[Any]], threshold: np.float64, *, is_below: bool = False) -> int:
    """Count the rows with the value nearest to a threshold, on the side with fewer; missing values do not count.

    The threshold itself is on the left, or on the right if rows on the left are below it.

    >>> count_held(np.array([1.0, 2.0, 2.0, 3.0, np.nan]), np.float64(2.5))
    1
    """
    left = values[values < threshold if is_below else values <= threshold]
    right = values[values >= threshold if is_below else values > threshold]
    sides = ((left, left.max(initial=-np.inf)), (right, right.min(initial=np.inf)))
    return min(int(np.count_nonzero(side == nearest)) for side, nearest in sides)


def _as_matrix(rows: object, estimator: Estimator) -> Features32 | None:
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


def _name_features(estimator: Estimator) -> tuple[str, ...]:
    named = getattr(estimator, "feature_names_in_", None)
    return tuple(f"feature {at}" for at in range(estimator.n_features_in_)) if named is None else tuple(map(str, named))


def _name_classes(estimator: Estimator) -> tuple[tuple[Label, ...], ...]:
    """Return the classes of each output; a tree of numbers has none."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return ()
    outputs = classes if estimator.n_outputs_ > 1 else [classes]
    return tuple(tuple(np.asarray(labels).tolist()) for labels in outputs)
