"""Laws of leaving out: rows and patterns without some items are those of rows in which nobody ever recorded them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import lengths, mined_databases

from discreet import (
    Merged,
    OptionError,
    Patterns,
    Transactions,
    advise,
    attack,
    audit,
    block,
    compare,
    detect,
    mine,
    read,
    tradeoff,
)
from discreet.data.leaving_out import drop_items
from discreet.data.schema import Attribute, Schema
from discreet.judging.reading import find_doubts

TABLE = [["sex=f", "flu"]] * 12 + [["sex=m", "flu"]] * 9 + [["sex=m"]] * 30 + [["flu", "cough"]] * 20


def without(rows, dropped):
    return [row - dropped for row in rows]


@st.composite
def cases(draw):
    rows, _, sigma = draw(mined_databases())
    items = sorted({item for row in rows for item in row}, key=str)
    return rows, sigma, frozenset(draw(st.lists(st.sampled_from(items), unique=True) if items else st.just([])))


@pytest.mark.parametrize("kind", ["closed", "frequent"])
@given(case=cases(), length=st.none() | lengths)
def test_patterns_without_items_are_mined_from_rows_without_them(kind, case, length):
    rows, sigma, dropped = case
    expected = mine(without(rows, dropped), min_support=sigma, kind=kind, max_length=length)
    patterns = mine(rows, min_support=sigma, kind=kind, max_length=length)
    left = drop_items(patterns, dropped)
    assert mine(rows, min_support=sigma, kind=kind, max_length=length, leave_out=dropped) == expected
    assert dict(left) == dict(expected)


@given(case=cases())
def test_rows_without_items_merge_alike(case):
    rows, sigma, dropped = case
    expected = Merged.of(without(rows, dropped), sigma)
    left = drop_items(Merged.of(rows, sigma), dropped & {*Merged.of(rows, sigma).labels})
    assert dict(left) == dict(expected)
    assert left.n == expected.n


def test_an_attribute_stands_for_all_its_values():
    left = drop_items(Transactions(TABLE), "sex")
    assert left.labels == ("cough", "flu")
    assert [*left] == [row - {"sex=f", "sex=m"} for row in Transactions(TABLE)]


def test_an_attribute_of_the_schema_is_known_by_its_name():
    attribute = Attribute("smoking", frozenset(["smoker", "never"]), total=True)
    rows = Transactions([["smoker", "flu"], ["never"]]).describe(schema=Schema((attribute,)))
    assert drop_items(rows, ["smoking"]).labels == ("flu",)
    assert drop_items(rows, ["smoker"]).schema.attributes == (Attribute("smoking", frozenset(["never"])),)


def test_pairs_and_numbers_are_known_by_their_text():
    rows = Transactions([[("age", 40), 7], [("age", 50), 7]])
    assert drop_items(rows, ["age"]).labels == (7,)
    assert drop_items(rows, ["7"]).labels == (("age", 40), ("age", 50))


@pytest.mark.parametrize(
    ("name", "hint"), [("sx", "did you mean 'sex'?"), ("flue", "give a label, or a column of a table")]
)
def test_an_unknown_name_is_answered_with_the_nearest_column_but_no_label(name, hint):
    with pytest.raises(OptionError, match="which is no item and no attribute") as error:
        drop_items(Transactions(TABLE), [name])
    assert str(error.value).endswith(hint)


def test_maximal_itemsets_have_too_few_supports():
    with pytest.raises(OptionError, match="maximal itemsets"):
        drop_items(mine(TABLE, min_support=5, kind="maximal"), ["flu"])


def test_nothing_is_said_where_nothing_is_left_out():
    rows = Transactions(TABLE)
    assert drop_items(rows, None) is rows
    assert drop_items(rows, ()) is rows


def test_an_empty_itemset_that_is_not_listed_has_n_rows():
    listed = Patterns.from_itemsets([(["a"], 3), (["a", "b"], 2)], n=5, kind="closed")
    assert dict(drop_items(listed, "a")) == {frozenset(): 5, frozenset("b"): 2}


def test_every_function_leaves_out_alike():
    rows, bare = Transactions(TABLE), without(map(frozenset, TABLE), {"cough"})
    rule, patterns, expected = {"min_support": 9, "k": 10}, mine(rows, min_support=9), mine(bare, min_support=9)
    assert audit(rows, **rule, leave_out="cough").patterns == expected
    assert audit(patterns, k=10, rows=rows, leave_out="cough").patterns == expected
    assert [*detect(patterns, k=10, rows=rows, leave_out="cough")] == [*detect(expected, k=10)]
    found, wanted = attack(patterns, k=10, leave_out="cough"), attack(expected, k=10)
    assert [*map(str, found.findings)] == [*map(str, wanted.findings)]
    kept = block(rows, **rule, method="withhold", leave_out="cough").patterns
    assert kept == block(bare, **rule, method="withhold").patterns
    assert compare(rows, **rule, leave_out="cough").best.patterns == compare(bare, **rule).best.patterns
    grid = {"min_supports": [9], "ks": [10]}
    assert tradeoff(rows, **grid, leave_out="cough").channels.tolist() == tradeoff(bare, **grid).channels.tolist()


def test_what_is_odd_is_seen_in_the_rows_as_they_were_read(tmp_path):
    (tmp_path / "fine.csv").write_text("tea,milk\n" * 30 + "tea,rye\n" * 30 + "rye,milk\n" * 30, encoding="utf-8")
    (tmp_path / "odd.csv").write_text("tea\n" * 30 + "milk\n" * 30 + "rye\n" * 30, encoding="utf-8")
    fine, odd = read(tmp_path / "fine.csv"), read(tmp_path / "odd.csv")
    assert find_doubts(fine) == []
    assert "No row has more than one item" in str(find_doubts(odd)[0])
    for less in (["milk", "rye"], ["milk"]):
        assert find_doubts(drop_items(fine, less)) == find_doubts(Merged.of(drop_items(fine, less), 1)) == []
        assert find_doubts(drop_items(odd, less))[0] == find_doubts(odd)[0]
    assert advise(fine, min_support=20, k=5, leave_out=["milk"]).best.release.is_safe
