"""Reading trees: what a file states becomes leaves, with the boxes that their paths tell."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError, OptionError
from discreet.io.files import Place, load, naming
from discreet.io.trees import features
from discreet.io.trees.features import Features
from discreet.io.trees.read import JSON, READERS, format_of
from discreet.io.trees.stated import Node, Stated, Test
from discreet.publications.trees import json
from discreet.publications.trees.counts import counted
from discreet.publications.trees.leaves import EVERYWHERE, Box, Leaf, Leaves, Mean, words
from discreet.publications.trees.routing import inside, splits
from discreet.publications.trees.sklearn import reached_by
from discreet.publications.trees.targets import stated_targets

MOST_CONDITIONS: Final = 3_000_000
"""On the ways to all nodes; trees that people read have hundreds."""
MOST_LETTERS: Final = 100_000_000
"""In the words of these: a long name stands once in the file, but in the path of each leaf below it."""


def read_tree(
    source: Place,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    n: int | None = None,
    rows: Any = None,  # noqa: ANN401 - a path, an open file, a frame of any library
    targets: Any = None,  # noqa: ANN401 - the name of a column, numbers of any library
) -> Leaves | tuple[Leaves, ...]:
    r"""Return the leaves of a tree in a file, or of each tree of a forest, for ``audit``.

    The formats are text (what ``export_text`` of scikit-learn prints with ``show_weights=True``), dot (what its
    ``export_graphviz`` writes), pmml, and json, which ``write_tree`` writes; the beginning of the file tells. ``n`` is
    the number of rows, needed where the file tells shares of them alone. ``rows`` are the features of the fit, a CSV
    file with a header or a frame, by which thresholds are looked up, and counts checked. ``targets`` are those of a
    regression tree: their column in ``rows``, a number for each of these, or just the values that they take.

    >>> from io import BytesIO
    >>> read_tree(BytesIO(b'{"rules": [{"if": ["age > 60"], "counts": {"ill": 20, "well": 9}}]}'))
    <Leaves: 1 leaf of 29 rows>
    """
    with naming(source):
        data = load(source)
        form = format_of(data, format)
        trees = None if form != JSON else json.read(data, n)
        stated = READERS[form](data) if trees is None else ()
    if trees is None:
        asked = [test.feature for tree in stated for test in _thresholds(tree)]
        column = [targets] if isinstance(targets, str) else []
        table = None if rows is None else features.read(rows, list(dict.fromkeys([*asked, *column])))
        targets = _target(table, targets) if column else targets
        with naming(source):
            names = tuple(dict.fromkeys(chain.from_iterable(tree.features for tree in stated)))
            trees = tuple(_leaves(tree, names, n, table) for tree in stated)
    elif rows is not None:
        raise OptionError("what rows tell is in the JSON already, if it was written with them; leave rows out")
    if targets is not None:
        trees = tuple(stated_targets(tree, targets) for tree in trees)
    return trees[0] if len(trees) == 1 else trees


def _target(table: Features | None, name: str) -> NDArray[np.float64]:
    """Return the column of targets."""
    if table is None:
        raise OptionError("targets are named as a column of the rows; give rows, or the values that the target takes")
    return table.columns[name]


def _thresholds(tree: Stated) -> Iterator[Test]:
    yield from (test for node in tree.nodes for test in node.tests if test.sign)
    yield from (test for _, test in tree.hidden)


def _leaves(tree: Stated, names: tuple[str, ...], n: int | None, table: Features | None) -> Leaves:
    found = counted(tree, n)
    if table is not None:
        table = table.as_single() if tree.is_single else table
        if found.fault:
            raise InputError(f"rows cannot be followed where counts cannot be told; leave rows out. {found.fault}")
    members = None if table is None else inside(tree, found.rows, table)
    leaves, reached = [], []
    for at, path, box in _ways(tree, names):
        counts = (found.counts[at],) if found.counts[at] else ()
        means = _means(tree.nodes[at], found.rows[at]) if not (tree.is_median or found.fault) else ()
        leaves.append(Leaf(path, found.rows[at] or 0, counts, box, tree.nodes[at].is_pure, means))
        reached += [] if members is None else [members[at]]
    return Leaves(
        tuple(leaves),
        (tree.classes,) if any(found.counts) else (),
        names,
        tuple(splits(tree, table, members)),
        None if members is None else reached_by(reached),
        is_median=tree.is_median,
        fault=found.fault,
        doubt=found.doubt if members is None or found.is_lasting else "",
        digits=tree.mean_digits,
    )


def _means(node: Node, rows: int | None) -> tuple[Mean, ...]:
    return (Mean(rows, float(node.mean), float(node.error) if node.error else None),) if node.mean and rows else ()


Way: TypeAlias = tuple[Box, tuple[str, ...]]
"""How a node is reached: by thresholds, and by what is told in words alone."""


def _ways(tree: Stated, names: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...], Box | None]]:
    """Yield each leaf with its path in words, and its box where that says all."""
    numbers = {name: number for number, name in enumerate(names)}
    parents = {node.parent for node in tree.nodes}
    ways: list[Way] = []
    many = letters = 0
    for at, node in enumerate(tree.nodes):
        box, said = ways[node.parent] if node.parent >= 0 else ({}, ())
        if node.tests:
            box = _narrowed(box, node.tests, numbers)
            said = (*said, *(test.words for test in node.tests if not test.sign))
        ways.append((box, said))
        many += len(box) + len(said)
        if many > MOST_CONDITIONS:
            raise InputError(f"the ways to its nodes have more than {MOST_CONDITIONS:,} conditions; prune the tree")
        if at not in parents:
            # A box without room for a row is one whose thresholds were rounded until they met: it says nothing.
            is_box = not said and all(low < high for low, high in box.values())
            path = (*words(box, tuple(names)), *said)
            letters += sum(map(len, path))
            if letters > MOST_LETTERS:
                raise InputError(f"the ways to its leaves have more than {MOST_LETTERS:,} letters; shorten the names")
            yield at, path, box if is_box else None


def _narrowed(box: Box, tests: Iterable[Test], numbers: "dict[str, int]") -> Box:
    """Return the part of a box where tests hold; a row is below a number if it is at most the float before it."""
    found = dict(box)
    for test in tests:
        if test.sign:
            limit = float(test.number)
            limit = math.nextafter(limit, -math.inf) if test.sign in {"<", ">="} else limit
            low, high = found.get(numbers[test.feature], EVERYWHERE)
            is_upper = test.sign in {"<", "<="}
            found[numbers[test.feature]] = (low, min(high, limit)) if is_upper else (max(low, limit), high)
    return found
