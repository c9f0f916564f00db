"""Trees as ``export_graphviz`` of scikit-learn draws them, a statement a line; graphs may follow each other."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from discreet.data.thresholds import NUMBER
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

HEAD: Final = "digraph Tree {"
NODE: Final = re.compile(
    r'([0-9]{1,9}) \[label=("(?:[^"\\]|\\.)*"|<[^\n]*>)(?:, fillcolor="[#0-9a-zA-Z]*")?\] ;', re.ASCII
)
EDGE: Final = re.compile(r"([0-9]{1,9}) -> ([0-9]{1,9})(?: \[label[^];]*\])? ;", re.ASCII)
LOOKS: Final = re.compile(
    r"(?:(?:node \[shape=|edge \[fontname=|graph \[ranksep=)[^];]*\]|rankdir=LR|\{rank=same ;[ 0-9;]*\}) ;", re.ASCII
)
"""Nothing else may stand there: a node that we do not see, but Graphviz draws, would not be judged."""
IMPURITY: Final = re.compile(rf"([a-z_]{{1,40}}) = ({NUMBER.pattern})", re.ASCII)
MARKS: Final = (("<br/>", "\\n"), ("&le;", "<="), ("&#35;", "#"), ("<SUB>", "["), ("</SUB>", "]"))
TAIL: Final = re.compile(r">\s*[],;]", re.ASCII)
"""What would end a label of HTML before its end, so that more is drawn than is read."""
NUMBERED: Final = re.compile(r"node #[0-9]+", re.ASCII)
CROPPED: Final = "(...)"
SQUARES: Final = {"squared_error", "friedman_mse", "mse"}
"""The criteria by which the impurity of a node is its mean squared error."""
MEANS: Final = {*SQUARES, "poisson"}
"""The criteria of trees whose leaves tell means; of others, or where it is not shown, it may be medians."""
PAIR: Final = 2


class _Label(NamedTuple):
    """What a node is labelled with."""

    rows: str
    counts: tuple[str, ...]
    name: str = ""
    test: Test | None = None
    impurity: str = ""
    criterion: str = ""
    mean: str = ""
    is_exact: bool = True


def read(data: Data) -> tuple[Stated, ...]:
    """Return the trees of a file."""
    graphs = list(_graphs(as_text(data).split("\n")))
    if not graphs:
        raise InputError("there is no tree; give what export_graphviz writes")
    told = [label for labels, _ in graphs for label in labels.values() if label is not None]
    classes, contradict = named((Named(label.counts, label.name) for label in told), "the graph")
    return tuple(
        _stated(labels, parents)._replace(classes=classes, fault=CONTRADICT * contradict) for labels, parents in graphs
    )


Graph: TypeAlias = tuple[dict[int, _Label | None], dict[int, int]]
"""The labels of nodes by their numbers, None where nothing is shown; and the parents of all nodes but the first."""


def _graphs(lines: Iterable[str]) -> Iterator[Graph]:
    """Yield each graph."""
    graph: Graph | None = None
    for at, line in enumerate((line.strip() for line in lines), start=1):
        if graph is None:
            if line and line != HEAD:
                raise _wrong(at)
            graph = ({}, {}) if line else None
        elif line == "}":
            yield graph
            graph = None
        else:
            _add(graph, line, at)
    if graph is not None:
        raise InputError("the graph does not end; give the whole of it")


def _add(graph: Graph, line: str, at: int) -> None:
    """Add a node or an arrow; each comes once."""
    labels, parents = graph
    if match := NODE.fullmatch(line):
        if int(match[1]) in labels:
            raise _wrong(at)
        labels[int(match[1])] = _label(match[2], at)
    elif match := EDGE.fullmatch(line):
        if int(match[2]) in parents:
            raise _wrong(at)
        parents[int(match[2])] = int(match[1])
    elif line and not LOOKS.fullmatch(line):
        raise _wrong(at)


def _wrong(at: int) -> InputError:
    return InputError(f"line {at} is none that export_graphviz of scikit-learn writes there; give its output as it is")


def _label(quoted: str, at: int) -> _Label | None:
    """Return what a label tells: perhaps a number and a test, an impurity, rows, counts or a mean, a class."""
    body = quoted[1:-1]
    if quoted.startswith("<"):
        if TAIL.search(body):
            raise _wrong(at)
        for mark, plain in MARKS:
            body = body.replace(mark, plain)
    if body == CROPPED:
        return None
    parts = body.replace('\\"', '"').split("\\n")
    place = next((place for place, part in enumerate(parts) if part.startswith("samples = ")), None)
    if place is None or place + 1 >= len(parts) or not parts[place + 1].startswith("value = "):
        raise InputError(f"line {at} is a node without samples or value; draw the tree with label='all'")
    first = [part for number, part in enumerate(parts[:place]) if number or not NUMBERED.fullmatch(part)]
    test, impurity = None, None
    if first and (impurity := IMPURITY.fullmatch(first[-1])):
        first.pop()
    if first:
        feature, between, number = first.pop().rpartition(" <= ")
        test = Test(feature=feature, sign="<=", number=_short(number)) if between and is_number(number) else None
        if first or test is None:
            raise _wrong(at)
    last = parts[-1].removeprefix("class = ") if parts[-1].startswith("class = ") else None
    value = ", ".join(parts[place + 1 : len(parts) - (last is not None)]).removeprefix("value = ")
    return _Label(
        parts[place].removeprefix("samples = "),
        _counts(value, at),
        last or "",
        test,
        *((_short(impurity[2]), impurity[1]) if impurity else ("", "")),
        _short(value) if NUMBER.fullmatch(value) else "",
        is_exact="." not in value,
    )


def _short(number: str) -> str:
    """Return a number by the digits that it has: one that was rounded to a whole number is written as 3.0."""
    return number.removesuffix(".0")


def _counts(value: str, at: int) -> tuple[str, ...]:
    """Return the numbers of classes; a mean, which stands without brackets, is none of them."""
    if NUMBER.fullmatch(value):
        return ()
    if not (value.startswith("[") and value.endswith("]")) or "[" in value[1:] or "..." in value:
        raise InputError(
            f"line {at} has a value that is not one number for each class: trees of several outputs, or of very many "
            "classes, are read as JSON alone; write them by write_tree"
        )
    return tuple(map(_short, value[1:-1].split(", ")))


def _stated(labels: dict[int, _Label | None], parents: dict[int, int]) -> Stated:
    """Return a tree, its nodes in the order of the file: the first child is where the test holds."""
    if 0 not in labels or parents.keys() != labels.keys() - {0} or not all(_in_order(labels, parents)):
        raise InputError("the nodes and arrows of the graph are no tree; give the output of export_graphviz as it is")
    children: dict[int, list[int]] = {number: [] for number in labels}
    for number in labels:
        if number in parents:
            children[parents[number]].append(number)
    shown = [number for number, label in labels.items() if label is not None]
    places = {number: place for place, number in enumerate(shown)}
    nodes, hidden = [], []
    for number in shown:
        label = labels[number]
        if label is None:
            continue
        below = [labels[child] for child in children[number]]
        if len(below) != PAIR * (label.test is not None) or (None in below and any(below)):
            raise InputError(f"node {number} of the graph has not the two branches of a test; give the whole of it")
        if label.test is not None and None in below:
            hidden.append((places[number], label.test))
        parent = parents.get(number)
        test = () if parent is None else (_test(labels[parent], is_first=children[parent][0] == number),)
        is_pure = not label.counts and label.impurity != "" and float(label.impurity) == 0
        error = label.impurity if label.criterion in SQUARES else ""
        place = -1 if parent is None else places[parent]
        nodes.append(Node(place, test, label.rows, label.counts, is_pure, label.mean, error))
    told = [label for label in labels.values() if label is not None]
    tests = [label.test for label in told if label.test is not None]
    numbers = [test.number for test in tests if test.number not in ENDLESS]
    printed = (text for label in told for text in (label.impurity, label.mean))
    digits = max(map(digits_of, (*numbers, *printed)), default=None)
    return Stated(
        tuple(nodes),
        features=tuple(dict.fromkeys(test.feature for test in tests)),
        digits=digits,
        hidden=tuple(hidden),
        is_median=any(not label.counts and label.criterion not in MEANS for label in told),
        is_single=True,
        mean_digits=digits,
        is_rounded=not digits and not all(label.is_exact for label in told if label.counts),
    )


def _in_order(labels: dict[int, _Label | None], parents: dict[int, int]) -> Iterator[bool]:
    """Yield of each node but the first whether its parent came before it."""
    seen = set()
    for number in labels:
        seen.add(number)
        if number in parents:
            yield parents[number] in seen and parents[number] != number


def _test(parent: _Label | None, *, is_first: bool) -> Test:
    if parent is None or parent.test is None:
        raise InputError("a branch of the graph leads on from a leaf; give the output of export_graphviz as it is")
    return parent.test if is_first else parent.test._replace(sign=NEGATED[parent.test.sign])
