"""PMML: association models and decision trees of the Data Mining Group, as KNIME, SAS, SPSS and R write them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, count
from typing import Final, NamedTuple, TypeAlias
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr, unescape

from discreet.data.patterns import Patterns, as_counts
from discreet.data.thresholds import NUMBER
from discreet.errors import InputError, Option
from discreet.io.files import Bytes
from discreet.io.formats.patterns import (
    STATED,
    Mined,
    PatternFunctions,
    StatedPatterns,
    as_shares,
    collect_patterns,
    mined_of,
)
from discreet.io.notation import as_labels, as_support, as_text, as_texts, encode_lines, find_used_codes, iterate_codes
from discreet.io.stated_trees import Node, StatedTree, Test, check_room, digits_of, is_number

MEASURES: Final = {"lift": "lift", "leverage": "leverage", "affinity": "jaccard"}  # attributes and usual names
NEEDED: Final = ("antecedent", "consequent", "support", "confidence")  # the attributes of each rule
SIGNS: Final = {"lessOrEqual": "<=", "greaterThan": ">", "lessThan": "<", "greaterOrEqual": ">="}
WORDS: Final = {"equal": "= {}", "notEqual": "≠ {}", "isMissing": "is missing", "isNotMissing": "is not missing"}
DEEPEST: Final = 50  # levels of nested conditions; programs write two
WIDEST: Final = 100  # branches by thresholds at a node; programs write two
SIZES: Final = "PMML states sizes (recordCount): numbers of rows only if the tree was fitted without weights or samples"
STAYING: Final = (
    "Rows may stay at an inner node (returnLastPrediction), so its counts cannot be known: write the tree without "
    "compacting it, such as by pmml_pipeline.configure(compact=False)."
)
R: Final = "R PMML Generator"  # it escapes labels twice
ESCAPED: Final = re.compile(r"(?:[^&<>]|&(?:amp|lt|gt);)*", re.DOTALL)
UNFIT: Final = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|^$")  # what XML cannot hold
ENTITIES: Final = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}  # a blank, if they are not escaped
US: Final = "discreet"
BEFORE: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4">',
    f' <Header><Application name="{US}"/></Header>',
    ' <DataDictionary numberOfFields="2">',
    '  <DataField name="transaction" optype="categorical" dataType="string"/>',
    '  <DataField name="item" optype="categorical" dataType="string"/>',
    " </DataDictionary>",
)
SCHEMA: Final = (
    "  <MiningSchema>",
    '   <MiningField name="transaction" usageType="group"/>',
    '   <MiningField name="item" usageType="active"/>',
    "  </MiningSchema>",
)
AFTER: Final = (" </AssociationModel>", "</PMML>")
ScoredNode: TypeAlias = tuple[Node, Mapping[str, str]]  # a node, and its stated number of rows of each class


class AssociationModel(NamedTuple):
    """An association model with its numbers as printed."""

    n: int | None
    itemsets: Mapping[str, tuple[frozenset[str], str | None]]  # by id, the labels and perhaps the share
    rules: tuple[Mapping[str, str], ...]  # their attributes: the ids of both sides, and numbers
    stated: Mapping[str, str]  # how we say that itemsets were mined


def read_association_model(data: Bytes) -> AssociationModel:
    """Return the only association model of a PMML file."""
    root = _parse_xml(data)
    models = _find_all(root, "AssociationModel")
    if len(models) != 1:
        raise InputError(f"the PMML has {len(models)} association models; give a file with one")
    programs = [program.get("name", "") for program in _find_all(root, "Application")]
    return _read_model(models[0], is_twice=any(name.startswith(R) for name in programs))


def read_patterns(data: Bytes, n: int | None = None) -> StatedPatterns:
    """Return the itemsets of an association model without rules, such as arules writes them; supports are shares."""
    model = read_association_model(data)
    if model.rules:
        raise InputError("the PMML lists rules; read it with ", Option("rules", value=True))
    many = n if model.n is None else model.n
    if many is None:
        raise InputError("the PMML does not say of how many rows these are patterns; say it with ", Option("n"))
    shares = [share for _, share in model.itemsets.values()]
    if not all(share is not None and NUMBER.fullmatch(share) for share in shares):
        raise InputError("an itemset of the PMML has no support; write the model again with supports")
    counts = as_counts([float(share) for share in shares if share is not None], many)
    listed = [(sorted(labels), count) for (labels, _), count in zip(model.itemsets.values(), counts, strict=True)]
    stated = {name: value if name == "kind" else as_support(value, name) for name, value in model.stated.items()}
    mined = Mined(**{**stated, "n": many})  # type: ignore[arg-type]  # Mined checks it
    return replace(collect_patterns(listed, mined=mined, as_labels=as_labels), omits_empty=True)


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    r"""Yield the patterns as an association model without rules, which arules reads, in chunks; supports are shares.

    >>> text = b"".join(write_patterns(Patterns.from_itemsets([(["a", "b"], 2)], n=3, kind="maximal"))).decode()
    >>> print(*text.split("\n")[16:20], sep="\n")
      <Itemset id="1" numberOfItems="2" support="0.6666666666666666">
       <ItemRef itemRef="1"/>
       <ItemRef itemRef="2"/>
      </Itemset>
    """
    texts = as_texts(patterns, "PMML", lambda text: not UNFIT.search(text))
    numbers = {code: at for at, code in enumerate(find_used_codes(patterns), start=1)}
    stated, shares = mined_of(patterns), as_shares(patterns)
    head = {
        "functionName": "associationRules",
        "numberOfTransactions": stated.pop("n"),
        "numberOfItems": len(numbers),
        "minimumSupport": patterns.min_support / patterns.n,
        "minimumConfidence": 0,
        "numberOfItemsets": len(patterns),
        "numberOfRules": 0,
    }
    extensions = (f"  {_as_tag('Extension', extender=US, name=name, value=value)}" for name, value in stated.items())
    items = (f"  {_as_tag('Item', id=at, value=texts[code])}" for code, at in numbers.items())
    itemsets = chain.from_iterable(
        [
            f"  {_as_tag('Itemset', id=at, numberOfItems=len(one), support=share)[:-2]}>",
            *(f'   <ItemRef itemRef="{numbers[code]}"/>' for code in one),
            "  </Itemset>",
        ]
        for at, (one, share) in enumerate(zip(iterate_codes(patterns.itemsets), shares, strict=True), start=1)
    )
    model = f" {_as_tag('AssociationModel', **head)[:-2]}>"
    return encode_lines(chain(BEFORE, [model], extensions, SCHEMA, items, itemsets, AFTER))


def _as_tag(tag: str, /, **attributes: object) -> str:
    return f"<{tag} {' '.join(f'{key}={quoteattr(str(value), ENTITIES)}' for key, value in attributes.items())}/>"


def _find_all(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if _name_of(element) == name]


def _parse_xml(data: Bytes) -> ET.Element:
    """Parse a PMML file; refuse a document type, which could name other files or blow it up."""
    text = as_text(data)
    if "<!doctype" in text.lower() or "<!entity" in text.lower():
        raise InputError("the PMML has a document type or entities, which are not read; save it without them")
    try:
        return ET.fromstring(text)  # noqa: S314 - entities are refused above
    except ET.ParseError as error:
        raise InputError(f"this is no XML (line {error.position[0]} breaks its rules); mend it") from None


def _read_model(model: ET.Element, *, is_twice: bool) -> AssociationModel:
    items = {_get(item, "id"): _read_label(item) for item in _children(model, "Item")}
    if is_twice and all(ESCAPED.fullmatch(label) for label in items.values()):
        items = {name: unescape(label) for name, label in items.items()}
    if len(set(items.values())) != len(items):
        raise InputError("two items of the PMML have the same value; give each item a value of its own")
    itemsets = {_get(one, "id"): (_read_items(one, items), one.get("support")) for one in _children(model, "Itemset")}
    rules = list(_children(model, "AssociationRule"))
    for at, rule in enumerate(rules, start=1):
        antecedent, consequent, *_ = (_get(rule, name) for name in NEEDED)
        if antecedent not in itemsets or consequent not in itemsets:
            raise InputError(f"rule {at} of the PMML names an itemset that is not there; mend it")
    count = model.get("numberOfTransactions")
    n = None if count is None else as_support(count, "the attribute numberOfTransactions")
    ours = (one for one in _children(model, "Extension") if one.get("extender") == US and one.get("name") in STATED)
    stated = {_get(one, "name"): _get(one, "value") for one in ours}
    return AssociationModel(n, itemsets, tuple(rule.attrib for rule in rules), stated)


def _read_items(itemset: ET.Element, items: Mapping[str, str]) -> frozenset[str]:
    references = [_get(one, "itemRef") for one in _children(itemset, "ItemRef")]
    if not all(one in items for one in references):
        raise InputError("an itemset of the PMML names an item that is not there; mend it")
    return frozenset(items[one] for one in references)


def _read_label(item: ET.Element) -> str:
    if item.get("value") is None and item.get("field") and item.get("category"):
        return f"{item.get('field')}={item.get('category')}"
    return _get(item, "value")


def _children(element: ET.Element, name: str) -> Iterator[ET.Element]:
    return (child for child in element if _name_of(child) == name)


def _name_of(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _get(element: ET.Element, name: str) -> str:
    value = element.get(name)
    if value is None:
        raise InputError(f"an element {_name_of(element)} of the PMML has no {name}; mend it")
    return value


def read_trees(data: Bytes) -> tuple[StatedTree, ...]:
    """Return the trees of a PMML file, as R, KNIME, SAS and sklearn2pmml write them; a forest has several."""
    root = _parse_xml(data)
    models = _find_all(root, "TreeModel")
    if not models:
        raise InputError("the PMML has no TreeModel; give a tree, or a MiningModel whose segments are trees")
    for segment in _find_all(root, "Segment"):
        if next(_children(segment, "True"), None) is None:
            raise InputError("a segment of the PMML is for some rows only, which is not read; give each tree alone")
    trees = [list(_read_nodes(_find_root(model), model.get("functionName"))) for model in models]
    classes = tuple(dict.fromkeys(label for tree in trees for _, scores in tree for label in scores))
    check_room(sum(map(len, trees)), len(classes))
    return tuple(_state_tree(model, tree, classes) for model, tree in zip(models, trees, strict=True))


def _find_root(model: ET.Element) -> ET.Element:
    roots = list(_children(model, "Node"))
    if len(roots) != 1:
        raise InputError(f"a TreeModel of the PMML has {len(roots)} root nodes; give one")
    if _read_tests(roots[0]):
        raise InputError("a tree of the PMML is for some rows alone, as its root says; give one for all rows")
    return roots[0]


def _state_tree(model: ET.Element, tree: list[ScoredNode], classes: tuple[str, ...]) -> StatedTree:
    counts = [tuple(scores.get(label, "0") for label in classes) if scores else () for _, scores in tree]
    nodes = tuple(node._replace(counts=some) for (node, _), some in zip(tree, counts, strict=True))
    digits = max((digits_of(node.mean) for node in nodes if node.mean), default=None)
    fault = STAYING * _may_stay(model)
    return StatedTree(nodes, classes, _find_features(model, nodes), doubt=SIZES, fault=fault, mean_digits=digits)


def _may_stay(model: ET.Element) -> bool:
    """Return whether an inner node may keep rows: it predicts, and has one child or states no sum of its children."""
    if model.get("noTrueChildStrategy") != "returnLastPrediction":
        return False
    for node in _find_all(model, "Node"):
        below = sum(1 for _ in _children(node, "Node"))
        if node.get("score") and (below == 1 or (below and not node.get("recordCount"))):
            return True
    return False


def _find_features(model: ET.Element, nodes: tuple[Node, ...]) -> tuple[str, ...]:
    fields = (field for schema in _children(model, "MiningSchema") for field in _children(schema, "MiningField"))
    active = [_get(field, "name") for field in fields if field.get("usageType", "active") == "active"]
    return tuple(dict.fromkeys([*active, *(test.feature for node in nodes for test in node.tests if test.sign)]))


def _read_nodes(root: ET.Element, function: str | None) -> Iterator[ScoredNode]:
    """Yield the nodes, each after its parent and its earlier siblings, with its rows of each class."""
    todo: list[tuple[ET.Element, int, tuple[Test, ...]]] = [(root, -1, ())]
    for number in count():
        if not todo:
            return
        element, parent, tests = todo.pop()
        distribution = list(_children(element, "ScoreDistribution"))
        scores = {_get(score, "value"): _get(score, "recordCount") for score in distribution}
        if len(scores) != len(distribution):
            raise InputError("a node of the PMML states a class twice; mend it")
        mean = element.get("score", "").strip() if function == "regression" else ""
        yield Node(parent, tests, element.get("recordCount", ""), mean=mean if NUMBER.fullmatch(mean) else ""), scores
        todo += reversed([(child, number, tests) for child, tests in _read_branches(element)])


def _read_branches(node: ET.Element) -> Iterator[tuple[ET.Element, tuple[Test, ...]]]:
    """Yield the children with their tests: a row goes to the first child whose predicate is true."""
    rest: list[Test] = []  # the opposites of earlier predicates, as far as they are known
    is_known = True
    for child in _children(node, "Node"):
        own = _read_tests(child)
        tests = own if own or is_known else (Test("none of the branches before"),)
        yield child, tuple(dict.fromkeys((*tests, *rest)))
        if len(own) == 1 and own[0].sign:
            rest.append(own[0].negate())
        else:
            is_known = False
        if len(rest) > WIDEST:
            raise InputError(f"a node of the PMML has more than {WIDEST} branches by thresholds; split it")


def _read_tests(node: ET.Element) -> tuple[Test, ...]:
    predicates = [part for part in node if _name_of(part) in PREDICATES]
    if len(predicates) != 1:
        raise InputError(f"a node of the PMML has {len(predicates)} predicates; each has one")
    return _read_predicate(predicates[0])


def _read_predicate(element: ET.Element, depth: int = 0) -> tuple[Test, ...]:
    kind = _name_of(element)
    if kind in PLAIN:
        return PLAIN[kind](element)
    if depth >= DEEPEST:
        raise InputError(f"a condition of the PMML is nested more than {DEEPEST} levels deep; write it flatter")
    parts = [_read_predicate(part, depth + 1) for part in element if _name_of(part) in PREDICATES]
    operator = _get(element, "booleanOperator")
    if operator == "surrogate" and parts:
        return parts[0]  # the others are for rows that lack the feature of the first
    if operator == "and":
        return tuple(test for part in parts for test in part)
    words = [[test.words or f"{test.feature} {test.sign} {test.number}" for test in part] for part in parts]
    return (Test(f"({f' {operator} '.join(' and '.join(some) or 'true' for some in words)})"),)


def _read_set(element: ET.Element) -> tuple[Test, ...]:
    array = next(_children(element, "Array"), None)
    text = "" if array is None or array.text is None else " ".join(array.text.split())
    negation = "not in" if _get(element, "booleanOperator") == "isNotIn" else "in"
    return (Test(f"{_get(element, 'field')} {negation} {{{text}}}"),)


def _read_simple(element: ET.Element) -> tuple[Test, ...]:
    feature, operator = _get(element, "field"), _get(element, "operator")
    if operator in SIGNS:
        number = _get(element, "value").strip()
        if not is_number(number):
            raise InputError("a predicate of the PMML compares with what is no number; mend it")
        return (Test(feature=feature, sign=SIGNS[operator], number=number),)
    if operator not in WORDS:
        raise InputError("a predicate of the PMML has an operator that PMML does not know; mend it")
    return (Test(f"{feature} {WORDS[operator].format(element.get('value', ''))}"),)


PLAIN: Final[Mapping[str, Callable[[ET.Element], tuple[Test, ...]]]] = {
    "SimplePredicate": _read_simple,
    "SimpleSetPredicate": _read_set,
    "True": lambda _: (),
    "False": lambda _: (Test("never"),),
}
PREDICATES: Final = {*PLAIN, "CompoundPredicate"}


PATTERNS: Final = PatternFunctions(read_patterns, write_patterns)
