"""Hierarchies: rows hold the ancestors of their items, and readers know them."""

import oracle
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet import Hierarchy, InputError, OptionError, Patterns, Transactions, attack, audit, detect, mine, read
from discreet.data.schema import Attribute, Schema
from discreet.judging.policy import CheckName

PARENTS = {"a1": "A", "a2": "A", "b1": "B", "b2": "B"}
CODES = ["E11.9", "E11.0", "E12", "I10"]
WHOLE = {CheckName.CHANNELS, CheckName.SCHEMA}


def is_withheld(found):
    return any(check.name in WHOLE and check.verdict == "WITHHOLD" for check in found.checks)


baskets = st.lists(st.frozensets(st.sampled_from(["a1", "a2", "b1", "x"])), min_size=1, max_size=20)
lengths = st.sampled_from([None, None, 2, 1])


@given(rows=baskets, sigma=st.integers(2, 8), k=st.integers(2, 5), length=lengths)
def test_an_audit_withholds_whatever_sums_reveal_by_the_hierarchy(rows, sigma, k, length):
    full = [oracle.with_ancestors(row, PARENTS) for row in [*rows, {"a1"}]]
    listed = list(oracle.frequent(full, sigma, length))
    expected = bool(listed) and bool(oracle.revealed_by_hierarchy(listed, full, (), PARENTS, k))
    found = audit([*rows, {"a1"}], min_support=sigma, k=k, hierarchy=PARENTS, max_length=length)
    assert is_withheld(found) == expected


@given(rows=baskets, sigma=st.integers(2, 8), k=st.integers(2, 5), length=lengths)
def test_lists_without_an_item_and_its_parent_together_reveal_as_much(rows, sigma, k, length):
    full = [oracle.with_ancestors(row, PARENTS) for row in [*rows, *[{"a1"}] * sigma]]
    listed = {
        itemset: many
        for itemset, many in oracle.frequent(full, sigma, length).items()
        if all(one == other or oracle.are_apart(one, other, PARENTS) for one in itemset for other in itemset)
    }
    patterns = Patterns.from_itemsets(listed.items(), n=len(full), min_support=sigma, max_length=length)
    expected = bool(oracle.revealed_by_hierarchy(list(listed), full, (), PARENTS, k))
    assert is_withheld(audit(patterns, k=k, hierarchy=PARENTS)) == expected
    assert bool(len(detect(patterns, k=k, hierarchy=PARENTS))) == expected


@st.composite
def tables(draw, values, others):
    """Return rows with one of the values, and perhaps one of the others."""
    both = st.tuples(st.sampled_from(values), st.sampled_from(others))
    kinds = draw(st.lists(both, min_size=1, max_size=5, unique=True))
    return [frozenset(kind) for kind in kinds for _ in range(draw(st.integers(1, 12)))]


@given(
    rows=tables(["a1", "a2", "b1", "b2", "A"], ["w1", "w2"]),
    sigma=st.integers(2, 15),
    k=st.integers(2, 5),
    length=lengths,
)
@example(rows=[frozenset(["a1", "w1"])] * 20 + [frozenset(["a2", "w1"])] * 3, sigma=20, k=5, length=None)
def test_values_exclude_each_other_at_each_level(rows, sigma, k, length):
    values = [frozenset(["a1", "a2", "b1", "b2", "A", "B"]), frozenset(["w1", "w2"])]
    data = Transactions([*rows, {"a1", "w1"}])
    schema = Schema(tuple(Attribute("v", one & frozenset(data.labels)) for one in values))
    full = [oracle.with_ancestors(row, PARENTS) for row in data]
    listed = list(oracle.frequent(full, sigma, length))
    expected = bool(listed) and bool(oracle.revealed_by_hierarchy(listed, full, values, PARENTS, k))
    found = audit(data.describe(schema=schema), min_support=sigma, k=k, hierarchy=PARENTS, max_length=length)
    assert is_withheld(found) == expected


@given(parents=st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("abcdefgh")))
def test_a_hierarchy_has_no_cycle(parents):
    def ends(item):
        seen = []
        while item in parents and item not in seen:
            seen.append(item)
            item = parents[item]
        return item not in seen

    is_forest = all(map(ends, parents))
    outcome = Hierarchy if is_forest else InputError
    assert type(build(parents)) is outcome


def build(parents):
    """Return the hierarchy, or why there is none."""
    try:
        return Hierarchy.of(parents)
    except InputError as error:
        return error


@given(
    parents=st.fixed_dictionaries(
        {}, optional={"a": st.sampled_from("bc"), "b": st.sampled_from("cd"), "c": st.just("d")}
    ),
    values=st.frozensets(st.sampled_from("abcde"), min_size=1),
)
def test_two_values_share_a_group_if_neither_is_above_the_other(parents, values):
    groups = Hierarchy.of(parents).separate(values)
    for one in values:
        for other in values - {one}:
            is_apart = oracle.are_apart(one, other, parents)
            assert any({one, other} <= group for group in groups) == is_apart


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([("a", "b"), ("a", "c")], "1 item with several parents; give each item one"),
        ([("a", "a")], "1 item as its own parent; leave such pairs out"),
        ([("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")], "cycles: 4 items would be their own ancestors"),
    ],
)
def test_a_hierarchy_that_is_no_forest_is_refused_in_a_sentence(pairs, words):
    with pytest.raises(InputError, match=words):
        Hierarchy.of(pairs)


def test_prefixes_are_parents_and_keep_the_attribute():
    rows = read([[f"diag={code}", "sex=f"] for code in CODES], hierarchy="prefix:3,1")
    assert [sorted(row) for row in rows] == [
        ["diag=E", "diag=E11", "diag=E11.9", "sex=f"],
        ["diag=E", "diag=E11", "diag=E11.0", "sex=f"],
        ["diag=E", "diag=E12", "sex=f"],
        ["diag=I", "diag=I10", "sex=f"],
    ]


def test_prefixes_are_for_the_columns_that_are_named():
    rows = read([["diag=E11.9", "age=40"]], hierarchy="diag=prefix:3")
    assert [sorted(row) for row in rows] == [["age=40", "diag=E11", "diag=E11.9"]]


@pytest.mark.parametrize("head", ["child,parent\n", ""])
def test_a_file_of_children_and_parents_is_a_hierarchy(tmp_path, head):
    (tmp_path / "goods.csv").write_text(f"{head}tea,drinks\nmilk,drinks\ndrinks,all\n")
    rows = read([["tea"], ["bread"]], hierarchy=tmp_path / "goods.csv")
    assert [sorted(row) for row in rows] == [["all", "drinks", "tea"], ["bread"]]


def test_a_file_speaks_of_the_values_of_columns_that_are_named(tmp_path):
    (tmp_path / "codes.csv").write_text("E11.9,E11\nE12,E1\n")
    rows = read([["diag=E11.9"], ["other=E12"]], hierarchy=f"diag={tmp_path / 'codes.csv'}")
    assert [sorted(row) for row in rows] == [["diag=E11", "diag=E11.9"], ["other=E12"]]


def test_numbers_are_found_by_their_texts():
    rows = read([[1, 2], [3]], hierarchy={"1": "3", "2": "goods"})
    assert [sorted(map(str, row)) for row in rows] == [["1", "2", "3", "goods"], ["3"]]


@pytest.mark.parametrize(
    ("hierarchy", "words"),
    [
        ({"wine": "drinks"}, "no item has a parent by hierarchy="),
        ("prefix:0", "give the lengths of the prefixes"),
        (7, "hierarchy= is given as int"),
    ],
)
def test_a_hierarchy_that_says_nothing_is_refused(hierarchy, words):
    with pytest.raises(OptionError, match=words):
        mine([["tea"]], min_support=1, hierarchy=hierarchy)


def test_rows_keep_what_is_known_about_them():
    rows = Transactions([["v=a1"], ["v=a2"], ["v=b"]], ids=[7, 8, 9])
    rows = rows.describe(schema=Schema((Attribute("v", frozenset(["v=a1", "v=a2", "v=b"]), total=True),)))
    full = read(rows, hierarchy={"v=a1": "v=A", "v=a2": "v=A"})
    assert full.ids == [7, 8, 9]
    assert [(sorted(one.values), one.total) for one in full.schema.attributes] == [
        (["v=A", "v=b"], True),
        (["v=a1", "v=a2", "v=b"], True),
    ]


def test_rows_with_ancestors_are_refused_another_hierarchy():
    rows = read([["tea"]], hierarchy={"tea": "drinks"})
    with pytest.raises(OptionError, match="hold the ancestors of their items already"):
        read(rows, hierarchy={"tea": "drinks"})


def test_a_parent_that_is_not_listed_with_the_others_is_a_flaw():
    listed = [([], 90), (["tea"], 40), (["drinks"], 60), (["bread"], 50), (["tea", "bread"], 30)]
    found = audit(Patterns.from_itemsets(listed, n=90), k=5, hierarchy={"tea": "drinks"})
    assert found.verdict == "WITHHOLD"
    assert found.checks[0].name is CheckName.COMPLETENESS


def test_an_attacker_knows_parents():
    listed = Patterns.from_itemsets([([], 90), (["tea"], 40), (["drinks"], 43)], n=90)
    assert attack(listed, k=5, level="plain").is_safe
    found = attack(listed, k=5, level="plain", hierarchy={"tea": "drinks"})
    assert [*map(str, found.findings)] == ["drinks ∧ ¬tea: 3 rows"]
