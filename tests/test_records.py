"""Collections as dicts and frames: the same members in the same order, with sorted labels and exact counts."""

import sys
from datetime import date

import oracle
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from strategies import detected_databases

from discreet import OptionError, Patterns, Policy, Rules, Verdict, attack, audit, detect, mine
from discreet.data.itemsets import sort_labels
from discreet.disclosure.implications import find_implications

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
RULES = Rules.from_rules([(["b", "a"], ["c"], 48, "0.96"), (["c"], ["a"], None, "0.75")], n=100, digits=2)


def every_collection(rows=ROWS):
    """A collection of each kind, by name; all have members."""
    patterns = mine(rows, min_support=10)
    found = audit(rows, min_support=10, policy=Policy("own", 10, Verdict.REVIEW))
    return {
        "patterns": patterns,
        "channels": found.channels,
        "implications": found.implications,
        "findings": found.findings,
        "attack": attack(patterns, k=10).findings,
        "rules": RULES,
    }


def empty_collections():
    """The same kinds without members."""
    patterns = mine([["a"]] * 20 + [[]] * 20, min_support=10)
    return {
        "patterns": Patterns.from_itemsets([], n=0),
        "channels": detect(patterns, k=2),
        "implications": find_implications(patterns),
        "findings": audit(patterns, k=2).findings,
        "attack": attack(patterns, k=2).findings,
        "rules": Rules((), 100),
    }


NAMES = pytest.mark.parametrize("name", every_collection())


def labels_of(itemset):
    return list(sort_labels(itemset))


@given(detected_databases())
def test_channels_and_patterns_as_dicts_are_those_that_they_list(case):
    rows, count, k = case
    patterns = mine(rows, min_support=count)
    expected = [
        {"base": labels_of(one.base), "top": labels_of(one.top), "count": one.count} for one in detect(patterns, k=k)
    ]
    assert detect(patterns, k=k).to_dicts() == expected
    supports = oracle.closed(rows, count)
    assert {frozenset(one["itemsets"]): one["count"] for one in patterns.to_dicts()} == supports
    for one in patterns.to_dicts():
        assert one["itemsets"] == labels_of(one["itemsets"])
        assert (one["length"], one["support"]) == (len(one["itemsets"]), one["count"] / max(1, len(rows)))


def test_implications_as_dicts():
    found = find_implications(mine(ROWS, min_support=10))
    expected = [{"base": labels_of(one.base), "item": one.item} for one in found]
    assert found.to_dicts() == expected
    assert {"base": ["c"], "item": "a"} in expected


def test_findings_as_dicts():
    assert audit(ROWS, min_support=10, k=10).findings.to_dicts() == [
        {
            "kind": "channel",
            "severity": "WITHHOLD",
            "who": "a and b, but not c",
            "base": ["a", "b"],
            "lacked": ["c"],
            "low": 2,
            "high": 2,
        }
    ]


def test_findings_of_an_attack_as_dicts():
    (finding,) = attack(mine(ROWS, min_support=10), k=10).findings.to_dicts()
    assert list(finding) == ["level", "pattern", "low", "high", "sentence"]
    assert (finding["level"], finding["pattern"], finding["low"]) == ("plain", "a ∧ b ∧ ¬c", 2)


def test_rules_as_dicts():
    keys = ["antecedent", "consequent", "support_low", "support_high", "confidence_low", "confidence_high"]
    lines = [(["a", "b"], ["c"], 48, 48, 0.955, 0.965), (["c"], ["a"], None, None, 0.745, 0.755)]
    assert RULES.to_dicts() == [dict(zip(keys, line, strict=True)) for line in lines]


@NAMES
def test_a_polars_frame_holds_the_dicts(name):
    collection = every_collection()[name]
    assert len(collection) > 0
    assert collection.to_polars().to_dicts() == collection.to_dicts()


@NAMES
def test_a_pandas_frame_holds_the_dicts(name):
    collection = every_collection()[name]
    frame = collection.to_pandas()
    columns = {column: frame[column].tolist() for column in frame.columns}
    expected = {column: [one[column] for one in collection.to_dicts()] for column in columns}
    expected |= {"itemsets": list(map(frozenset, expected["itemsets"]))} if name == "patterns" else {}
    assert list(columns) == list(collection.to_dicts()[0])
    assert {column: [None if one is pd.NA else one for one in values] for column, values in columns.items()} == expected


@NAMES
def test_a_collection_without_members_has_the_same_columns_of_the_same_types(name):
    empty, full = empty_collections()[name], every_collection()[name]
    assert (len(empty), empty.to_dicts()) == (0, [])
    assert empty.to_polars().schema == full.to_polars().schema
    assert empty.to_pandas().dtypes.to_dict() == full.to_pandas().dtypes.to_dict()


def test_counts_in_frames_are_whole_numbers_even_where_some_are_unknown():
    assert RULES.to_polars().schema["support_low"] == pl.Int64
    assert str(RULES.to_pandas()["support_low"].dtype) == "Int64"
    assert str(mine(ROWS, min_support=10).to_pandas()["count"].dtype) == "int64"


@pytest.mark.parametrize(
    ("labels", "kind", "shown"),
    [
        ([2, 1], pl.Int64, [1, 2]),
        ([0.5, 0.25], pl.Float64, [0.25, 0.5]),
        ([1, "a"], pl.String, ["1", "a"]),
        ([True, "a"], pl.String, ["True", "a"]),
        ([2**63, 1], pl.String, ["1", str(2**63)]),
        ([(1, 2), (1, 1)], pl.String, ["(1, 1)", "(1, 2)"]),
        ([date(2024, 1, 2), date(2024, 1, 1)], pl.String, ["2024-01-01", "2024-01-02"]),
    ],
)
def test_labels_in_polars_have_one_type_or_are_text(labels, kind, shown):
    frame = mine([labels] * 3, min_support=2).to_polars()
    assert frame.schema["itemsets"] == pl.List(kind)
    assert frame["itemsets"].to_list() == [shown]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@NAMES
def test_a_library_that_is_missing_is_named(name, library, monkeypatch):
    collection = every_collection()[name]
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(OptionError, match=rf"^{library} is not installed; install it with: pip install {library}$"):
        getattr(collection, f"to_{library}")()
