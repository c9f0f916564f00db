"""Trees as ``export_text`` of scikit-learn prints them, with ``show_weights=True``; trees may follow each other."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from discreet.errors import InputError
from discreet.io.files import Data
from discreet.io.label_codes import as_text
from discreet.io.trees.stated import (
    CONTRADICT,
    ENDLESS,
    NEGATED,
    Named,
    Node,
    Stated,
    Test,
    digits_of,
    is_number,
    named,
)

LINE: Final = re.compile(r"(?P<before>[| ]*)\|(?P<dashes>-+) (?P<told>.*)")
WEIGHTS: Final = re.compile(r"weights: \[(?P<counts>[^\]]*)\] class: (?P<name>.*)")
CUT: Final = re.compile(r"truncated branch of depth [0-9]+")
WEIGHTED: Final = (
    "export_text prints weights, which are numbers of rows only if the tree has one output and was fitted without "
    "weights and on no sample"
)
SHORT: Final = "A branch is cut off, so that its counts cannot be told: print the tree with a larger max_depth."


class _Told(NamedTuple):
    """A line: how deep it stands, and either the test that leads on or what a leaf tells."""

    depth: int
    test: Test | None
    counts: tuple[str, ...] = ()
    name: str = ""


def read(data: Data) -> tuple[Stated, ...]:
    r"""Return the trees of a file; lines that begin with # are left out.

    >>> (tree,) = read(b"|--- age <= 40.50\n|   |--- weights: [3.00, 9.00] class: well\n|--- age >  40.50\n"
    ...     b"|   |--- weights: [8.00, 0.00] class: ill\n")
    >>> tree.classes, [node.counts for node in tree.nodes]
    (('ill', 'well'), [(), ('3.00', '9.00'), ('8.00', '0.00')])
    """
    lines = [line.rstrip("\r") for line in as_text(data).split("\n")]
    told = ((at, _told(line, at)) for at, line in enumerate(lines, start=1) if line.strip() and line[0] != "#")
    trees = list(_trees(told))
    if not trees:
        raise InputError("there is no tree; give what export_text prints")
    classes, contradict = named((leaf for _, leaves in trees for leaf in leaves if leaf.counts), "the tree")
    return tuple(_stated(nodes, leaves, classes, CONTRADICT * contradict) for nodes, leaves in trees)


def _told(line: str, at: int) -> _Told:
    match = LINE.fullmatch(line)
    step = "|" + " " * len(match["dashes"]) if match else ""
    depth = len(match["before"]) // len(step) if match else 0
    if match is None or match["before"] != step * depth:
        raise InputError(f"line {at} is none that export_text prints; give its output as it is")
    told = match["told"]
    if weights := WEIGHTS.fullmatch(told):
        return _Told(depth, None, tuple(weights["counts"].split(", ")), weights["name"])
    if CUT.fullmatch(told):
        return _Told(depth, None)
    for sign in ("<=", "> "):
        feature, between, number = told.rpartition(f" {sign} ")
        if between and is_number(number):
            return _Told(depth, Test(feature=feature, sign=sign.rstrip(), number=number))
    if told.startswith("class: "):
        raise InputError("the tree is printed without counts; print it with show_weights=True")
    if told.startswith("value: "):
        raise InputError(
            "a tree of means is printed without numbers of rows; write it by export_graphviz, or by write_tree"
        )
    raise InputError(
        f"line {at} is neither a test nor a leaf with its weights; give the output of export_text as it is"
    )


class _Branch(NamedTuple):
    """The branch of a node that is being read: the first, and then the second by the contrary test."""

    node: int
    test: Test


def _trees(lines: Iterator[tuple[int, _Told]]) -> Iterator[tuple[list[Node], list[Named]]]:
    """Yield the nodes of each tree and what its leaves tell; a node is known by the two tests below it, told alike."""
    nodes: list[Node] = []
    leaves: list[Named] = []
    way: list[_Branch] = []  # from the root to where the reading is
    needs_node, last = True, 0
    for last, told in lines:
        if told.test is not None and told.test.sign == ">":
            if needs_node or told.depth != len(way) - 1 or told.test != _contrary(way[-1].test):
                raise _broken(last)
            way[-1] = _Branch(way[-1].node, told.test)
            needs_node = True
            continue
        if not needs_node or told.depth != len(way):
            raise _broken(last)
        nodes.append(Node(way[-1].node, (way[-1].test,), counts=told.counts) if way else Node(-1, counts=told.counts))
        if told.test is not None:
            way.append(_Branch(len(nodes) - 1, told.test))
            continue
        leaves.append(Named(told.counts, told.name))
        needs_node = False
        while way and way[-1].test.sign == ">":
            way.pop()
        if not way:
            yield nodes, leaves
            nodes, leaves, needs_node = [], [], True
    if nodes:
        raise InputError(f"the tree ends at line {last}, before all of its branches have come; give the whole of it")


def _contrary(test: Test) -> Test:
    return test._replace(sign=NEGATED[test.sign])


def _broken(at: int) -> InputError:
    return InputError(f"line {at} does not follow from those before it; give the output of export_text as it is")


def _stated(nodes: list[Node], leaves: list[Named], classes: tuple[str, ...], fault: str) -> Stated:
    tests = [test for node in nodes for test in node.tests]
    return Stated(
        tuple(nodes),
        classes,
        tuple(dict.fromkeys(test.feature for test in tests)),
        doubt=WEIGHTED,
        fault=fault if all(leaf.counts for leaf in leaves) else SHORT,
        digits=max((digits_of(test.number) for test in tests if test.number not in ENDLESS), default=None),
        is_single=True,
        is_rounded=not any("." in count for leaf in leaves for count in leaf.counts),
    )
