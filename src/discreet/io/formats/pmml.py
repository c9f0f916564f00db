"""PMML: association models of the Data Mining Group, as KNIME, SAS, SPSS and arules write them."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

from discreet.errors import InputError
from discreet.io.files import Data
from discreet.io.label_codes import as_text
from discreet.io.stated_patterns import as_support

MEASURES: Final = {"lift": "lift", "leverage": "leverage", "affinity": "jaccard"}
"""The attributes of rules that are measures, and what others call them."""


class ModelRule(NamedTuple):
    """A rule by the ids of its itemsets, with its numbers as they are printed."""

    antecedent: str
    consequent: str
    support: str
    confidence: str
    measures: Mapping[str, str]


class Model(NamedTuple):
    """An association model: the number of rows, the labels and perhaps the share of each itemset by its id, rules."""

    n: int | None
    itemsets: Mapping[str, tuple[frozenset[str], str | None]]
    rules: tuple[ModelRule, ...]


def read(data: Data) -> Model:
    """Return the only association model of a PMML file."""
    models = [element for element in opened(data).iter() if name_of(element) == "AssociationModel"]
    if len(models) != 1:
        raise InputError(f"the PMML has {len(models)} association models; give a file with one")
    return _model(models[0])


def opened(data: Data) -> ET.Element:
    """Return the document of a PMML file.

    Nothing but the file itself is read: a document type, which could name other files or blow it up, is refused.
    """
    text = as_text(data)
    if "<!doctype" in text.lower() or "<!entity" in text.lower():
        raise InputError("the PMML has a document type or entities, which are not read; save it without them")
    try:
        return ET.fromstring(text)  # noqa: S314 - entities, by which XML is attacked, are refused above
    except ET.ParseError as error:
        raise InputError(f"this is no XML (line {error.position[0]} breaks its rules); mend it") from None


def _model(model: ET.Element) -> Model:
    items = {get(item, "id"): _label(item) for item in _all(model, "Item")}
    if len(set(items.values())) != len(items):
        raise InputError("two items of the PMML have the same value; give each item a value of its own")
    itemsets = {get(one, "id"): (_items(one, items), one.get("support")) for one in _all(model, "Itemset")}
    rules = tuple(
        ModelRule(
            get(rule, "antecedent"),
            get(rule, "consequent"),
            get(rule, "support"),
            get(rule, "confidence"),
            {name: rule.attrib[attribute] for attribute, name in MEASURES.items() if attribute in rule.attrib},
        )
        for rule in _all(model, "AssociationRule")
    )
    for at, rule in enumerate(rules, start=1):
        if rule.antecedent not in itemsets or rule.consequent not in itemsets:
            raise InputError(f"rule {at} of the PMML names an itemset that is not there; mend it")
    told = model.get("numberOfTransactions")
    return Model(None if told is None else as_support(told, "the attribute numberOfTransactions"), itemsets, rules)


def _items(itemset: ET.Element, items: Mapping[str, str]) -> frozenset[str]:
    found = [get(one, "itemRef") for one in itemset if name_of(one) == "ItemRef"]
    if not all(one in items for one in found):
        raise InputError("an itemset of the PMML names an item that is not there; mend it")
    return frozenset(items[one] for one in found)


def _label(item: ET.Element) -> str:
    """Return what an item is called: its value, or its field and category as PMML 4.3 has it."""
    if item.get("value") is None and item.get("field") and item.get("category"):
        return f"{item.get('field')}={item.get('category')}"
    return get(item, "value")


def _all(model: ET.Element, name: str) -> Iterator[ET.Element]:
    return (element for element in model if name_of(element) == name)


def name_of(element: ET.Element) -> str:
    """Return what an element is called, whatever the version of PMML."""
    return str(element.tag).rpartition("}")[2]


def get(element: ET.Element, name: str) -> str:
    """Return an attribute that must be there."""
    value = element.get(name)
    if value is None:
        raise InputError(f"an element {name_of(element)} of the PMML has no {name}; mend it")
    return value
