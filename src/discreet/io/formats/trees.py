"""Decision trees as scikit-learn prints and draws them, one after the other; and the table of formats of trees."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from discreet.data.thresholds import NUMBER
from discreet.errors import InputError, OptionError
from discreet.io.files import Bytes
from discreet.io.formats import pmml
from discreet.io.notation import BYTE_ORDER_MARK, as_text
from discreet.io.stated_trees import CONTRADICT, ENDLESS, Node, StatedTree, Test, digits_of, is_number, name_classes

LINE: Final = re.compile(r"(?P<before>[| ]*)\|(?P<dashes>-+) (?P<words>.*)")
WEIGHTS: Final = re.compile(r"weights: \[(?P<counts>[^\]]*)\] class: (?P<name>.*)")
CUT: Final = re.compile(r"truncated branch of depth [0-9]+")
WEIGHTED: Final = "export_text prints weights: numbers of rows only if fitted with one output, no weights and no sample"
ClassCounts: TypeAlias = tuple[tuple[str, ...], str]  # the counts of a leaf, and the name of its class
NOT_TEXT: Final = "line {} does not follow from those before it; give the output of export_text as it is"
NOT_DOT: Final = "line {} is none that export_graphviz of scikit-learn writes there; give its output as it is"
SHORT: Final = "A branch is cut off, so its counts cannot be known: print the tree with a larger max_depth."


class _TextLine(NamedTuple):
    """A line of text: its depth, and either the test of a branch or the counts and the class of a leaf."""

    depth: int
    test: Test | None
    counts: tuple[str, ...] = ()
    name: str = ""


def read_text(data: Bytes) -> tuple[StatedTree, ...]:
    r"""Return the trees that ``export_text`` prints with ``show_weights=True``; lines that begin with # are skipped.

    >>> (tree,) = read_text(b"|--- age <= 40.50\n|   |--- weights: [3.00, 9.00] class: well\n|--- age >  40.50\n"
    ...     b"|   |--- weights: [8.00, 0.00] class: ill\n")
    >>> tree.classes, [node.counts for node in tree.nodes]
    (('ill', 'well'), [(), ('3.00', '9.00'), ('8.00', '0.00')])
    """
    lines = [line.rstrip("\r") for line in as_text(data).split("\n")]
    parsed = ((at, _parse_line(line, at)) for at, line in enumerate(lines, start=1) if line.strip() and line[0] != "#")
    trees = list(_collect_trees(parsed))
    if not trees:
        raise InputError("there is no tree; give what export_text prints")
    classes, contradict = name_classes((leaf for _, leaves in trees for leaf in leaves if leaf[0]), "the tree")
    return tuple(_state_text(nodes, leaves, classes, CONTRADICT * contradict) for nodes, leaves in trees)


def _parse_line(line: str, at: int) -> _TextLine:
    match = LINE.fullmatch(line)
    step = "|" + " " * len(match["dashes"]) if match else ""
    depth = len(match["before"]) // len(step) if match else 0
    if match is None or match["before"] != step * depth:
        raise InputError(f"line {at} is none that export_text prints; give its output as it is")
    words = match["words"]
    if weights := WEIGHTS.fullmatch(words):
        return _TextLine(depth, None, tuple(weights["counts"].split(", ")), weights["name"])
    if CUT.fullmatch(words):
        return _TextLine(depth, None)
    for sign in ("<=", "> "):
        feature, between, number = words.rpartition(f" {sign} ")
        if between and is_number(number):
            return _TextLine(depth, Test(feature=feature, sign=sign.rstrip(), number=number))
    if words.startswith("class: "):
        raise InputError("the tree is printed without counts; print it with show_weights=True")
    if words.startswith("value: "):
        raise InputError("a tree of means has no numbers of rows as text; write it by export_graphviz or write_tree")
    raise InputError(f"line {at} is neither a test nor a leaf with weights; give the output of export_text as it is")


def _collect_trees(lines: Iterator[tuple[int, _TextLine]]) -> Iterator[tuple[list[Node], list[ClassCounts]]]:
    """Yield the nodes and the leaves of each tree; the two tests below an inner node are opposites."""
    nodes: list[Node] = []
    leaves: list[ClassCounts] = []
    path: list[tuple[int, Test]] = []  # each node above the line being read, and the test of the branch that it is in
    needs_node, last = True, 0
    for last, line in lines:
        parent, test = path[-1] if path else (-1, None)
        if line.test is not None and line.test.sign == ">":
            if needs_node or line.depth != len(path) - 1 or test is None or line.test != test.negate():
                raise InputError(NOT_TEXT.format(last))
            path[-1] = parent, line.test
            needs_node = True
            continue
        if not needs_node or line.depth != len(path):
            raise InputError(NOT_TEXT.format(last))
        nodes.append(Node(parent, () if test is None else (test,), counts=line.counts))
        if line.test is not None:
            path.append((len(nodes) - 1, line.test))
            continue
        leaves.append((line.counts, line.name))
        needs_node = False
        while path and path[-1][1].sign == ">":
            path.pop()
        if not path:
            yield nodes, leaves
            nodes, leaves, needs_node = [], [], True
    if nodes:
        raise InputError(f"the tree ends at line {last}, before all of its branches have come; give the whole of it")


def _state_text(nodes: list[Node], leaves: list[ClassCounts], classes: tuple[str, ...], fault: str) -> StatedTree:
    tests = [test for node in nodes for test in node.tests]
    return StatedTree(
        tuple(nodes),
        classes,
        tuple(dict.fromkeys(test.feature for test in tests)),
        doubt=WEIGHTED,
        fault=fault if all(counts for counts, _ in leaves) else SHORT,
        digits=max((digits_of(test.number) for test in tests if test.number not in ENDLESS), default=None),
        is_single=True,
        is_rounded=not any("." in count for counts, _ in leaves for count in counts),
    )


HEAD: Final = "digraph Tree {"
NODE: Final = re.compile(r'(?a)([0-9]{1,9}) \[label=("(?:[^"\\]|\\.)*"|<[^\n]*>)(?:, fillcolor="[#0-9a-zA-Z]*")?\] ;')
EDGE: Final = re.compile(r"([0-9]{1,9}) -> ([0-9]{1,9})(?: \[label[^];]*\])? ;", re.ASCII)
LOOKS: Final = re.compile(
    r"(?:(?:node \[shape=|edge \[fontname=|graph \[ranksep=)[^];]*\]|rankdir=LR|\{rank=same ;[ 0-9;]*\}) ;", re.ASCII
)  # nothing else is allowed: a node that Graphviz draws, but we do not see, would not be judged
IMPURITY: Final = re.compile(rf"([a-z_]{{1,40}}) = ({NUMBER.pattern})", re.ASCII)
MARKS: Final = (("<br/>", "\\n"), ("&le;", "<="), ("&#35;", "#"), ("<SUB>", "["), ("</SUB>", "]"))
TAIL: Final = re.compile(r">\s*[],;]", re.ASCII)  # the end of an HTML label: more would be drawn than is read
NUMBERED: Final = re.compile(r"node #[0-9]+", re.ASCII)
CROPPED: Final = "(...)"
SQUARES: Final = {"squared_error", "friedman_mse", "mse"}  # criteria whose impurity is the mean squared error
MEANS: Final = {*SQUARES, "poisson"}  # criteria whose leaves state means; with others, or none, they may be medians


class _NodeLabel(NamedTuple):
    """The label of a node."""

    rows: str
    counts: tuple[str, ...]
    name: str = ""
    test: Test | None = None
    impurity: str = ""
    criterion: str = ""
    mean: str = ""
    is_exact: bool = True


def read_dot(data: Bytes) -> tuple[StatedTree, ...]:
    """Return the trees that ``export_graphviz`` draws, one statement per line."""
    graphs = list(_read_graphs(as_text(data).split("\n")))
    if not graphs:
        raise InputError("there is no tree; give what export_graphviz writes")
    shown = [label for labels, _ in graphs for label in labels.values() if label is not None]
    classes, contradict = name_classes(((label.counts, label.name) for label in shown), "the graph")
    fault = CONTRADICT * contradict
    return tuple(_state_graph(*graph)._replace(classes=classes, fault=fault) for graph in graphs)


Graph: TypeAlias = tuple[dict[int, _NodeLabel | None], dict[int, int]]  # labels, None if not shown; and parents


def _read_graphs(lines: Iterable[str]) -> Iterator[Graph]:
    graph: Graph | None = None
    for at, line in enumerate((line.strip() for line in lines), start=1):
        if graph is None:
            if line and line != HEAD:
                raise InputError(NOT_DOT.format(at))
            graph = ({}, {}) if line else None
        elif line == "}":
            yield graph
            graph = None
        else:
            _add_line(graph, line, at)
    if graph is not None:
        raise InputError("the graph does not end; give the whole of it")


def _add_line(graph: Graph, line: str, at: int) -> None:
    labels, parents = graph
    if match := NODE.fullmatch(line):
        if int(match[1]) in labels:
            raise InputError(NOT_DOT.format(at))
        labels[int(match[1])] = _parse_label(match[2], at)
    elif match := EDGE.fullmatch(line):
        if int(match[2]) in parents:
            raise InputError(NOT_DOT.format(at))
        parents[int(match[2])] = int(match[1])
    elif line and not LOOKS.fullmatch(line):
        raise InputError(NOT_DOT.format(at))


def _parse_label(quoted: str, at: int) -> _NodeLabel | None:
    """Parse a label: perhaps a number and a test, an impurity, then rows, counts or a mean, perhaps a class."""
    body = quoted[1:-1]
    if quoted.startswith("<"):
        if TAIL.search(body):
            raise InputError(NOT_DOT.format(at))
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
            raise InputError(NOT_DOT.format(at))
    last = parts[-1].removeprefix("class = ") if parts[-1].startswith("class = ") else None
    value = ", ".join(parts[place + 1 : len(parts) - (last is not None)]).removeprefix("value = ")
    return _NodeLabel(
        parts[place].removeprefix("samples = "),
        _parse_counts(value, at),
        last or "",
        test,
        *((_short(impurity[2]), impurity[1]) if impurity else ("", "")),
        _short(value) if NUMBER.fullmatch(value) else "",
        is_exact="." not in value,
    )


def _short(number: str) -> str:
    return number.removesuffix(".0")


def _parse_counts(value: str, at: int) -> tuple[str, ...]:
    if NUMBER.fullmatch(value):
        return ()
    if not (value.startswith("[") and value.endswith("]")) or "[" in value[1:] or "..." in value:
        reason = f"line {at} has a value that is not one number for each class"
        raise InputError(f"{reason}: write trees of several outputs, or of very many classes, by write_tree")
    return tuple(map(_short, value[1:-1].split(", ")))


def _state_graph(labels: dict[int, _NodeLabel | None], parents: dict[int, int]) -> StatedTree:
    """Return a tree, its nodes in the order of the file; the test holds in the first child."""
    order = {number: at for at, number in enumerate(labels)}
    is_ordered = all(order.get(parents[number], at) < at for number, at in order.items() if number in parents)
    if 0 not in labels or parents.keys() != labels.keys() - {0} or not is_ordered:
        raise InputError("the nodes and arrows of the graph are no tree; give the output of export_graphviz as it is")
    children: dict[int, list[int]] = {number: [] for number in labels}
    for number in (number for number in labels if number in parents):
        children[parents[number]].append(number)
    shown = {number: label for number, label in labels.items() if label is not None}
    places = {number: place for place, number in enumerate(shown)}
    nodes, hidden = [], []
    for number, label in shown.items():
        below = [labels[child] for child in children[number]]
        if len(below) != 2 * (label.test is not None) or (None in below and any(below)):
            raise InputError(f"node {number} of the graph has not the two branches of a test; give the whole of it")
        if label.test is not None and None in below:
            hidden.append((places[number], label.test))
        parent = parents.get(number)
        test = () if parent is None else (_find_test(shown.get(parent), is_first=children[parent][0] == number),)
        is_pure = not label.counts and label.impurity != "" and float(label.impurity) == 0
        error = label.impurity if label.criterion in SQUARES else ""
        place = -1 if parent is None else places[parent]
        nodes.append(Node(place, test, label.rows, label.counts, is_pure, label.mean, error))
    known = shown.values()
    tests = [label.test for label in known if label.test is not None]
    numbers = [test.number for test in tests if test.number not in ENDLESS]
    printed = (text for label in known for text in (label.impurity, label.mean))
    digits = max(map(digits_of, (*numbers, *printed)), default=None)
    return StatedTree(
        tuple(nodes),
        features=tuple(dict.fromkeys(test.feature for test in tests)),
        digits=digits,
        hidden=tuple(hidden),
        is_median=any(not label.counts and label.criterion not in MEANS for label in known),
        is_single=True,
        mean_digits=digits,
        is_rounded=not digits and not all(label.is_exact for label in known if label.counts),
    )


def _find_test(parent: _NodeLabel | None, *, is_first: bool) -> Test:
    if parent is None or parent.test is None:
        raise InputError("a branch of the graph leads on from a leaf; give the output of export_graphviz as it is")
    return parent.test if is_first else parent.test.negate()


Reader: TypeAlias = Callable[[Bytes], tuple[StatedTree, ...]]
READERS: Final[Mapping[str, Reader]] = {"text": read_text, "dot": read_dot, "pmml": pmml.read_trees}
JSON: Final = "json"  # our own format, which holds leaves; the room of trees reads it
BEGINNINGS: Final = {b"|": "text", b"#": "text", b"digraph": "dot", b"<": "pmml", b"{": JSON}
PICKLED: Final = (b"\x80", b"PK\x03\x04", b"\x93NUMPY")


def find_tree_format(data: Bytes, name: str | None) -> str:
    """Return the format called ``name``, or that of the first characters of the file.

    >>> find_tree_format(b"digraph Tree {", None), find_tree_format(b"|--- age <= 40.50", None)
    ('dot', 'text')
    """
    known = (*READERS, JSON)
    if name is not None:
        if name not in known:
            raise OptionError(f"format is {str(name)[:40]!r}; trees can be in one of {', '.join(known)}")
        return name
    begins = bytes(data[:1000]).removeprefix(BYTE_ORDER_MARK).lstrip(b" \t\r\n")
    for beginning, form in BEGINNINGS.items():
        if begins.startswith(beginning):
            return form
    if begins.startswith(PICKLED):
        raise InputError("this is a pickle or an archive, which could run code and is not read; give the tree as text")
    advice = "give the output of export_text or export_graphviz, PMML or JSON"
    raise InputError(f"the file does not begin as a tree does; {advice}, or name its format: {', '.join(known)}")
