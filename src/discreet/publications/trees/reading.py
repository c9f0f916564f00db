"""Reading trees: what a file states becomes leaves, with the counts of whole rows and the boxes of their paths."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import ceil, floor
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.data.thresholds import LARGEST_COUNT, parse_exact
from discreet.errors import InputError, Option, OptionError
from discreet.io.files import Place, load, naming
from discreet.io.formats.trees import JSON, READERS, find_tree_format
from discreet.io.stated_trees import Features, StatedTree, Test, digits_of, read_features
from discreet.publications.trees.json import check_rows, read_json
from discreet.publications.trees.leaves import EVERYWHERE, Box, Leaf, Leaves, Mean, Split, describe_box
from discreet.publications.trees.sklearn import BETWEEN, BROKEN, count_held, number_leaves
from discreet.publications.trees.targets import add_stated_targets
from discreet.runtime.solver import Numbers

MOST_CONDITIONS: Final = 3_000_000  # on the paths to all nodes; trees that people read have hundreds
MOST_LETTERS: Final = 100_000_000  # on these paths: a long name is once in the file, but in the path of each leaf below
SIGNS: Final = {"<=": np.less_equal, "<": np.less, ">": np.greater, ">=": np.greater_equal}
WEIGHTED: Final = "The counts of classes are not those of rows: the tree was fitted with weights, or on a drawn sample."
NO_COUNTS: Final = "The tree shows only shares of classes, not their counts: write it with counts."
ROUNDED: Final = "Shares of rows are rounded too far to give counts: write the tree with counts."
SHARES: Final = "shares of classes are those of rows only if the tree was fitted without weights and not on a sample"
DRAWN: Final = (
    "the file states none, so they are of the rows that were given, and forests are fitted on samples of them"
)
COLUMN: Final = "targets name a column of the rows; give the rows, or the values that the target takes"
WHOLE: Final = "its numbers may be weights that were rounded to whole numbers; write the tree with more digits"

Numerals: TypeAlias = tuple[Fraction, ...]
"""The numbers of a node, by class: counts or shares."""


class Counted(NamedTuple):
    """The rows that reach each node, and the counts of classes, as far as known; why these are in doubt or unknown.

    ``is_lasting`` says that the doubt is about classes, so the features of rows do not settle it.
    """

    rows: list[int | None]
    counts: list[tuple[int, ...]]
    doubt: str
    fault: str
    is_lasting: bool = False


def read_tree(
    source: Place,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    n: int | None = None,
    rows: object = None,
    targets: str | ArrayLike | None = None,
) -> Leaves | tuple[Leaves, ...]:
    r"""Return the leaves of a tree in a file, or of each tree of a forest, for ``audit``.

    The formats are text (printed by ``export_text`` of scikit-learn with ``show_weights=True``), dot (written by its
    ``export_graphviz``), pmml, and json (written by ``write_tree``); by default, the beginning of the file decides.
    ``n`` is the number of rows, if the file has only shares of them. ``rows`` are the features of the fit, a CSV file
    with a header or a frame, to check thresholds and counts. ``targets`` are those of a regression tree: their column
    in ``rows``, a number for each row, or just the values that they take.

    >>> from io import BytesIO
    >>> read_tree(BytesIO(b'{"rules": [{"if": ["age > 60"], "counts": {"ill": 20, "well": 9}}]}'))
    <Leaves: 1 leaf of 29 rows>
    """
    with naming(source):
        data = load(source)
        form = find_tree_format(data, format)
        trees = read_json(data, n) if form == JSON else ()
        stated = READERS[form](data) if form != JSON else ()
    if form == JSON and rows is not None:
        raise OptionError("the JSON was already written with its rows, if at all; leave rows out")
    if form != JSON:
        asked = [test.feature for tree in stated for _, test in _list_thresholds(tree)]
        asked += [targets] if isinstance(targets, str) else []
        table = None if rows is None else read_features(rows, list(dict.fromkeys(asked)))
        if isinstance(targets, str):
            if table is None:
                raise OptionError(COLUMN)
            targets = table.columns[targets]
        with naming(source):
            names = tuple(dict.fromkeys(chain.from_iterable(tree.features for tree in stated)))
            trees = tuple(_as_leaves(tree, names, n, table) for tree in stated)
    if targets is not None:
        trees = tuple(add_stated_targets(tree, targets) for tree in trees)
    return trees[0] if len(trees) == 1 else trees


def _list_thresholds(tree: StatedTree) -> list[tuple[int, Test]]:
    """Return the tests with a number, each with the node where it is made."""
    tests = [(node.parent, test) for node in tree.nodes for test in node.tests if test.sign]
    return [*tests, *tree.hidden]


def _as_leaves(tree: StatedTree, names: tuple[str, ...], n: int | None, table: Features | None) -> Leaves:
    counted = _count_rows(tree, n, has_rows=table is not None)
    if table is not None and counted.fault:
        raise InputError(f"rows cannot be followed without counts; leave rows out. {counted.fault}")
    table = table.as_single() if table is not None and tree.is_single else table
    members = None if table is None else _route_rows(tree, counted.rows, table)
    leaves, reached = [], []
    for at, path, box in _find_paths(tree, names):
        node = tree.nodes[at]
        rows = (
            len(members[at]) if members is not None else counted.rows[at]
        ) or 0  # these are equal, if both are known
        counts = (counted.counts[at],) if counted.counts[at] else ()
        has_mean = node.mean and counted.rows[at] and not (tree.is_median or counted.fault)
        means = (Mean(rows, float(node.mean), float(node.error) if node.error else None),) if has_mean else ()
        leaves.append(Leaf(path, rows, counts, box, node.is_pure, means))
        reached += [] if members is None else [members[at]]
    return Leaves(
        tuple(leaves),
        (tree.classes,) if any(counted.counts) else (),
        names,
        tuple(_find_splits(tree, table, members)),
        None if members is None else number_leaves(reached),
        is_median=tree.is_median,
        fault=counted.fault,
        doubt=counted.doubt if members is None or counted.is_lasting else "",
        digits=tree.mean_digits,
    )


def _find_paths(tree: StatedTree, names: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...], Box | None]]:
    """Yield each leaf with its path in words, and its box if that says it all."""
    numbers = {name: number for number, name in enumerate(names)}
    parents = {node.parent for node in tree.nodes}
    ways: list[tuple[Box, tuple[str, ...]]] = []  # how each node is reached: by thresholds, and by conditions in words
    many = letters = 0
    for at, node in enumerate(tree.nodes):
        box, words = ways[node.parent] if node.parent >= 0 else ({}, ())
        if node.tests:
            box = _narrow(box, node.tests, numbers)
            words = (*words, *(test.words for test in node.tests if not test.sign))
        ways.append((box, words))
        many += len(box) + len(words)
        if many > MOST_CONDITIONS:
            raise InputError(f"the paths to its nodes have more than {MOST_CONDITIONS:,} conditions; prune the tree")
        if at not in parents:
            # A box without room for a row has thresholds that were rounded until they met: it says nothing.
            is_box = not words and all(low < high for low, high in box.values())
            path = (*describe_box(box, names), *words)
            letters += sum(map(len, path))
            if letters > MOST_LETTERS:
                raise InputError(f"the paths to its leaves have more than {MOST_LETTERS:,} letters; shorten the names")
            yield at, path, box if is_box else None


def _narrow(box: Box, tests: Iterable[Test], numbers: Mapping[str, int]) -> Box:
    """Return the part of a box where tests hold; below a number means at most the float before it."""
    limits = dict(box)
    for test in tests:
        if test.sign:
            number, limit = numbers[test.feature], float(test.number)
            limit = math.nextafter(limit, -math.inf) if test.sign in {"<", ">="} else limit
            low, high = limits.get(number, EVERYWHERE)
            limits[number] = (low, min(high, limit)) if test.sign in {"<", "<="} else (max(low, limit), high)
    return limits


def _route_rows(tree: StatedTree, rows: Sequence[int | None], features: Features) -> list[Numbers]:
    """Return the numbers of the rows that reach each node; refuse rows that the tree was not fitted on."""
    members: list[Numbers] = []
    left: list[Numbers] = []  # rows of each node that no child so far takes
    for node, expected in zip(tree.nodes, rows, strict=True):
        here = np.arange(features.n) if node.parent < 0 else left[node.parent]
        if node.parent >= 0:
            holds = np.ones(here.size, dtype=np.bool_)
            for test in node.tests:
                holds &= _test_rows(test, features, here, tree.digits)
            here, left[node.parent] = here[holds], here[~holds]
        if expected is not None and here.size != expected:
            raise InputError(
                f"{here.size:,} rows reach a node that {expected:,} reached when the tree was fitted; give the rows of "
                "the fit, and the tree with all digits of its thresholds"
            )
        members.append(here)
        left.append(here)
    if any(left[node.parent].size for node in tree.nodes if node.parent >= 0):
        raise InputError("some rows reach no leaf, for missing values or others; give the rows that it was fitted on")
    return members


def _test_rows(test: Test, features: Features, rows: Numbers, digits: int | None) -> NDArray[np.bool_]:
    """Return which rows pass a test; refuse to guess if a value is too near to a rounded threshold."""
    if not test.sign:
        raise InputError("the tree has tests other than thresholds, so rows cannot be followed; leave rows out")
    values, threshold = features.columns[test.feature][rows], np.float64(test.number)
    # Printed digits are right up to half of the last; floats may be off by a little more.
    with np.errstate(invalid="ignore"):  # an infinite value is not near to an infinite threshold
        is_near = digits is not None and np.any(np.abs(values - threshold) <= 0.5 * 10.0**-digits * (1 + 1e-9))
    if is_near:
        raise InputError(f"rows are too near to a threshold for its {digits} digits; write the tree with more digits")
    return np.asarray(SIGNS[test.sign](values, threshold), dtype=np.bool_)


def _find_splits(tree: StatedTree, features: Features | None, members: Sequence[Numbers] | None) -> Iterator[Split]:
    """Yield each threshold that may reveal values of rows, with the number of rows that hold the nearest value."""
    tests = ((at, test.feature, test.number, test.sign in {"<", ">="}) for at, test in _list_thresholds(tree))
    for at, feature, number, is_below in dict.fromkeys(tests):
        threshold, held = np.float64(number), None
        if features is not None and members is not None:
            held = count_held(features.columns[feature][members[at]], threshold, is_below=is_below)
        if threshold != BETWEEN:
            yield Split(feature, float(threshold), held)


def _count_rows(tree: StatedTree, n: int | None, *, has_rows: bool) -> Counted:
    """Return the counts of a tree; a share becomes a count only if just one whole number rounds to it."""
    rows = _parse_rows(tree, n)
    values = [_parse_values(node.counts, at) for at, node in enumerate(tree.nodes)]
    parents = {node.parent for node in tree.nodes}
    leaves = [at for at in range(len(tree.nodes)) if at not in parents]
    nothing: list[tuple[int, ...]] = [()] * len(tree.nodes)
    if not any(values[at] or rows[at] is not None for at in leaves):
        if has_rows:
            return Counted(rows, nothing, DRAWN, tree.fault, is_lasting=True)
        advice = "write it with counts, or give the rows that it was fitted on with "
        raise InputError(f"the tree shows no numbers of rows, so there is nothing to judge; {advice}", Option("rows"))
    if unclear := [node.rows for node, count in zip(tree.nodes, rows, strict=True) if node.rows and count is None]:
        return Counted(rows, nothing, "", ROUNDED if unclear[0].endswith("%") else WEIGHTED)
    if not any(values):
        counted = Counted(rows, nothing, tree.doubt, tree.fault)
    elif _are_shares(tree, values, rows):
        half = _find_half(tree)
        counts = [_from_shares(one, half, row) for one, row in zip(values, rows, strict=True)]
        lacks_rows = any(row is None for row, one in zip(rows, values, strict=True) if one)
        is_unclear = any(bool(one) != bool(count) for one, count in zip(values, counts, strict=True))
        fault = tree.fault or (NO_COUNTS if lacks_rows else ROUNDED * is_unclear)
        counted = Counted(rows, counts, SHARES, fault, is_lasting=True)
    else:
        counts = [tuple(map(int, one)) for one in values]
        summed = [sum(one) if one and row is None else row for one, row in zip(counts, rows, strict=True)]
        doubt = WHOLE if tree.is_rounded else tree.doubt
        counted = Counted(summed, counts, doubt, tree.fault, is_lasting=tree.is_rounded)
        are_whole = all(value.denominator == 1 for one in values for value in one)
        if not are_whole or any(sum(one) != row for one, row in zip(counts, summed, strict=True) if one):
            counted = Counted(rows, nothing, "", WEIGHTED)
    return counted if counted.fault else _check_counts(tree, counted, leaves, n)


def _check_counts(tree: StatedTree, counted: Counted, leaves: Sequence[int], n: int | None) -> Counted:
    """Return the counts, with a fault if leaves lack them or they do not add up."""
    if len({bool(counted.counts[at]) for at in leaves}) > 1 or any(counted.rows[at] is None for at in leaves):
        return counted._replace(fault="Some leaves show counts, and others do not.")
    if not _adds_up(tree, counted):
        return counted._replace(fault=BROKEN)
    check_rows("the leaves have", sum(counted.rows[at] or 0 for at in leaves), n)
    return counted


def _adds_up(tree: StatedTree, counted: Counted) -> bool:
    """Return whether the counts of a node are the sums of those below it, as far as stated."""
    below: dict[int, list[int]] = {}
    for at, node in enumerate(tree.nodes):
        below.setdefault(node.parent, []).append(at)
    below.pop(-1, None)
    for at, children in below.items():
        parts = [part for child in children if (part := counted.rows[child]) is not None]
        if counted.rows[at] not in {None, sum(parts)} and len(parts) == len(children):
            return False
        counts = [counted.counts[child] for child in children]
        if counted.counts[at] and all(counts) and counted.counts[at] != tuple(map(sum, zip(*counts, strict=True))):
            return False
    return True


def _parse_rows(tree: StatedTree, n: int | None) -> list[int | None]:
    """Return how many rows reach each node, as far as that is stated."""
    texts = [node.rows for node in tree.nodes]
    if any(text.endswith("%") for text in texts):
        if n is None:
            raise InputError("the tree has shares of an unknown number of rows; give it with ", Option("n"))
        texts = [text.removesuffix("%") for text in texts]
        half = Fraction(1, 2 * 10 ** max(digits_of(text) for text in texts if text))
        return [None if share is None else _as_count(share / 100, half / 100, n) for share in map(parse_exact, texts)]
    counts: list[int | None] = []
    for at, text in enumerate(texts):
        number = parse_exact(text)
        if text and (number is None or not 0 <= number <= LARGEST_COUNT):
            raise InputError(f"node {at} has a number of rows that is not a count; write the tree again")
        counts.append(int(number) if number is not None and number.denominator == 1 else None)
    return counts


def _parse_values(texts: Sequence[str], at: int) -> Numerals:
    values = tuple(number for number in map(parse_exact, texts) if number is not None)
    if len(values) != len(texts) or not all(0 <= number <= LARGEST_COUNT for number in values):
        raise InputError(f"node {at} has a count that is not a number; write the tree again")
    return values


def _find_half(tree: StatedTree) -> Fraction:
    """Return half of the last digit of its numbers; shorter ones may end with zeros that are not printed."""
    digits = max(digits_of(text) for text in chain.from_iterable(node.counts for node in tree.nodes))
    return Fraction(1, 2 * 10 ** max(digits, tree.digits or 0))


def _are_shares(tree: StatedTree, values: Sequence[Numerals], rows: Sequence[int | None]) -> bool:
    """Return whether the numbers of every node add up to 1, as scikit-learn 1.3 prints them, and not to its rows."""
    half = _find_half(tree)
    stated = [(one, row) for one, row in zip(values, rows, strict=True) if one]
    is_one = all(abs(sum(one, Fraction(-1))) <= half * len(one) for one, _ in stated)
    return is_one and any(sum(one) != row for one, row in stated)


def _from_shares(shares: Numerals, half: Fraction, rows: int | None) -> tuple[int, ...]:
    """Return the counts that shares of these rows stand for; none if they are not clear."""
    if rows is None:
        return ()
    counts = tuple(count for share in shares if (count := _as_count(share, half, rows)) is not None)
    return counts if len(counts) == len(shares) and sum(counts) == rows else ()


def _as_count(share: Fraction, half: Fraction, n: int) -> int | None:
    """Return the only count of ``n`` with a share that near; None unless there is just one.

    >>> _as_count(Fraction("0.33"), Fraction("0.005"), 12), _as_count(Fraction("0.33"), Fraction("0.005"), 1000)
    (4, None)
    """
    low, high = max(0, ceil((share - half) * n)), floor((share + half) * n)
    return low if low == high else None
