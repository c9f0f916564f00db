"""Trees of PMML, as R's packages, KNIME, SAS and sklearn2pmml write them; a forest is a model of several."""

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Final, TypeAlias
from xml.etree import ElementTree as ET

from discreet.data.thresholds import NUMBER
from discreet.errors import InputError
from discreet.io.files import Data
from discreet.io.formats.pmml import get, name_of, opened
from discreet.io.trees.stated import NEGATED, Node, Stated, Test, check_room, digits_of, is_number

SIGNS: Final = {"lessOrEqual": "<=", "greaterThan": ">", "lessThan": "<", "greaterOrEqual": ">="}
WORDS: Final = {"equal": "= {}", "notEqual": "≠ {}", "isMissing": "is missing", "isNotMissing": "is not missing"}
DEEPEST: Final = 50
"""How deep conditions may be nested; those that programs write are two levels deep."""
WIDEST: Final = 100
"""Of branches by thresholds at a node, each of which excludes those before it; programs write two."""
SIZES: Final = (
    "PMML tells sizes (recordCount), which are numbers of rows only if the tree was fitted without weights and on no "
    "sample"
)
STAYING: Final = (
    "Rows may stay at an inner node (returnLastPrediction), so that its counts cannot be told: write the tree without "
    "compacting it, such as by pmml_pipeline.configure(compact=False)."
)

Scored: TypeAlias = tuple[Node, Mapping[str, str]]
"""A node, and how many rows of each class it says it has."""


def read(data: Data) -> tuple[Stated, ...]:
    """Return the trees of a file."""
    root = opened(data)
    models = [element for element in root.iter() if name_of(element) == "TreeModel"]
    if not models:
        raise InputError("the PMML has no TreeModel; give a tree, or a MiningModel whose segments are trees")
    for segment in (element for element in root.iter() if name_of(element) == "Segment"):
        if not any(name_of(part) == "True" for part in segment):
            raise InputError(
                "a segment of the PMML is for some rows alone, which is not followed; give each tree alone"
            )
    trees = [list(_nodes(_root(model), is_mean=model.get("functionName") == "regression")) for model in models]
    classes = tuple(dict.fromkeys(label for tree in trees for _, scores in tree for label in scores))
    check_room(sum(map(len, trees)), len(classes))
    return tuple(_stated(model, tree, classes) for model, tree in zip(models, trees, strict=True))


def _root(model: ET.Element) -> ET.Element:
    roots = [element for element in model if name_of(element) == "Node"]
    if len(roots) != 1:
        raise InputError(f"a TreeModel of the PMML has {len(roots)} root nodes; give one")
    if _own(roots[0]):
        raise InputError("a tree of the PMML is for some rows alone, as its root says; give one for all rows")
    return roots[0]


def _stated(model: ET.Element, tree: list[Scored], classes: tuple[str, ...]) -> Stated:
    nodes = tuple(
        node._replace(counts=tuple(scores.get(label, "0") for label in classes) if scores else ())
        for node, scores in tree
    )
    digits = max((digits_of(node.mean) for node in nodes if node.mean), default=None)
    fault = STAYING * _may_stay(model)
    return Stated(nodes, classes, _features(model, nodes), doubt=SIZES, fault=fault, mean_digits=digits)


def _may_stay(model: ET.Element) -> bool:
    """Return whether an inner node has rows of its own: one that predicts, and has one child or no number of rows.

    Where it has such a number, and two children or more, that must be their sum.
    """
    if model.get("noTrueChildStrategy") != "returnLastPrediction":
        return False
    todo = [_root(model)]
    while todo:
        node = todo.pop()
        below = [child for child in node if name_of(child) == "Node"]
        if node.get("score") and (len(below) == 1 or (below and not node.get("recordCount"))):
            return True
        todo += below
    return False


def _features(model: ET.Element, nodes: tuple[Node, ...]) -> tuple[str, ...]:
    """Return the features that the model may use, which trees of one forest share, and then others that it does."""
    active = [
        get(field, "name")
        for schema in model
        if name_of(schema) == "MiningSchema"
        for field in schema
        if name_of(field) == "MiningField" and field.get("usageType", "active") == "active"
    ]
    used = (test.feature for node in nodes for test in node.tests if test.sign)
    return tuple(dict.fromkeys([*active, *used]))


def _nodes(root: ET.Element, *, is_mean: bool) -> Iterator[Scored]:
    """Yield the nodes, each after its parent and its elder siblings, and how many rows of each class it has."""
    todo: list[tuple[ET.Element, int, tuple[Test, ...]]] = [(root, -1, ())]
    for number in count():
        if not todo:
            return
        element, parent, tests = todo.pop()
        scores = [part for part in element if name_of(part) == "ScoreDistribution"]
        told = {get(score, "value"): get(score, "recordCount") for score in scores}
        if len(told) != len(scores):
            raise InputError("a node of the PMML tells a class twice; mend it")
        mean = element.get("score", "").strip() if is_mean else ""
        yield Node(parent, tests, element.get("recordCount", ""), mean=mean if NUMBER.fullmatch(mean) else ""), told
        below = [(child, number, tests) for child, tests in _branches(element)]
        todo += reversed(below)


def _branches(node: ET.Element) -> Iterator[tuple[ET.Element, tuple[Test, ...]]]:
    """Yield the children, and what leads to each: its own predicate, and that none of those before it holds, if known.

    The first child whose predicate is true is the next, so that the last may say "true" for the rest.
    """
    rest: list[Test] = []
    is_known = True
    for child in node:
        if name_of(child) != "Node":
            continue
        own = _own(child)
        tests = own if own or is_known else (Test("none of the branches before"),)
        yield child, tuple(dict.fromkeys((*tests, *rest)))
        if len(own) == 1 and own[0].sign:
            rest.append(own[0]._replace(sign=NEGATED[own[0].sign]))
        else:
            is_known = False
        if len(rest) > WIDEST:
            raise InputError(f"a node of the PMML has more than {WIDEST} branches by thresholds; split it")


def _own(node: ET.Element) -> tuple[Test, ...]:
    found = [part for part in node if name_of(part) in PREDICATES]
    if len(found) != 1:
        raise InputError(f"a node of the PMML has {len(found)} predicates; each has one")
    return _predicate(found[0])


def _predicate(element: ET.Element, depth: int = 0) -> tuple[Test, ...]:
    """Return what must hold, all of it."""
    kind = name_of(element)
    if kind in PLAIN:
        return PLAIN[kind](element)
    if depth >= DEEPEST:
        raise InputError(f"a condition of the PMML is nested more than {DEEPEST} levels deep; write it flatter")
    parts = [_predicate(part, depth + 1) for part in element if name_of(part) in PREDICATES]
    operator = get(element, "booleanOperator")
    if operator == "surrogate" and parts:
        return parts[0]  # the others are for rows in which what the first asks for is missing
    if operator == "and":
        return tuple(test for part in parts for test in part)
    return (Test("(" + f" {operator} ".join(" and ".join(map(_words, part)) or "true" for part in parts) + ")"),)


def _set(element: ET.Element) -> tuple[Test, ...]:
    array = next((part for part in element if name_of(part) == "Array"), None)
    text = "" if array is None or array.text is None else " ".join(array.text.split())
    negation = "not in" if get(element, "booleanOperator") == "isNotIn" else "in"
    return (Test(f"{get(element, 'field')} {negation} {{{text}}}"),)


def _simple(element: ET.Element) -> tuple[Test, ...]:
    feature, operator = get(element, "field"), get(element, "operator")
    if operator in SIGNS:
        number = get(element, "value").strip()
        if not is_number(number):
            raise InputError("a predicate of the PMML compares with what is no number; mend it")
        return (Test(feature=feature, sign=SIGNS[operator], number=number),)
    if operator not in WORDS:
        raise InputError("a predicate of the PMML has an operator that PMML does not know; mend it")
    return (Test(f"{feature} {WORDS[operator].format(element.get('value', ''))}"),)


def _words(test: Test) -> str:
    return test.words or f"{test.feature} {test.sign} {test.number}"


PLAIN: Final[Mapping[str, Callable[[ET.Element], tuple[Test, ...]]]] = {
    "SimplePredicate": _simple,
    "SimpleSetPredicate": _set,
    "True": lambda _: (),
    "False": lambda _: (Test("never"),),
}
PREDICATES: Final = {*PLAIN, "CompoundPredicate"}
