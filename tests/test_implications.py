"""Laws of implications: against the definition, for every kind of list."""

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import databases, detected_databases, few_rows, lengths, mined_databases

from discreet import BudgetError, InputError, Patterns, Transactions, mine
from discreet.disclosure import implications
from discreet.disclosure.implications import Implication, find_implications, list_free

LISTED = pytest.mark.parametrize("kind", ["frequent", "closed"])


def pairs(found):
    return [(one.base, one.item) for one in found]


def by_size(found):
    """Return pairs by the size of the base, then by base and item in the order of labels."""
    items = sorted(
        {item for base, item in found for item in base | {item}}, key=lambda one: (type(one).__qualname__, one)
    )
    ranks = {item: rank for rank, item in enumerate(items)}
    return sorted(found, key=lambda one: (len(one[0]), sorted(ranks[item] for item in one[0]), ranks[one[1]]))


@pytest.mark.nojit
@LISTED
@settings(max_examples=100)
@given(case=detected_databases())
def test_implications_are_those_of_the_definition_in_order(kind, case):
    rows, sigma, _ = case
    expected = by_size(oracle.implications(rows, sigma))
    found = find_implications(mine(rows, min_support=sigma, kind=kind))
    assert pairs(found) == expected
    assert (len(found), found.more) == (len(expected), False)


@LISTED
@settings(max_examples=100)
@given(case=mined_databases(few_rows))
def test_implications_are_those_of_the_definition_where_items_come_together(kind, case):
    rows, min_support, sigma = case
    found = find_implications(mine(rows, min_support=min_support, kind=kind))
    assert pairs(found) == by_size(oracle.implications(rows, sigma))


@settings(max_examples=60)
@given(rows=databases(), sigma=st.integers(1, 32))
def test_implications_are_those_of_the_definition_over_more_items(rows, sigma):
    assert pairs(find_implications(mine(rows, min_support=sigma))) == by_size(oracle.implications(rows, sigma))


@LISTED
@given(case=detected_databases(), max_length=lengths)
def test_implications_of_short_itemsets_are_those_that_they_show(kind, case, max_length):
    rows, sigma, _ = case
    family = oracle.frequent(rows, sigma, max_length)
    shown = {
        (itemset - {item}, item)
        for itemset in family
        for item in itemset
        if family[itemset - {item}] == family[itemset]
    }
    expected = {(base, item) for base, item in shown if not any((base - {other}, item) in shown for other in base)}
    # A base that implies an item does so with any more items, so one item less is enough to look for.
    assert set(pairs(find_implications(mine(rows, min_support=sigma, kind=kind, max_length=max_length)))) == expected


def test_many_tops_show_each_implication_once():
    # 100 tops, more than a word: each pair of the items 0 to 13 that some rows hold, and the item "all" in each.
    both = [(one, other) for one in range(14) for other in range(one)]
    rows = [["all", one, other] for one, other in both] * 3
    found = find_implications(mine(rows, min_support=3))
    assert len(mine(rows, min_support=3, kind="maximal")) == len(both) == 91
    assert pairs(found) == [(frozenset(), "all")]


def test_late_tops_that_share_an_implication_show_it_once():
    # The tops of the pairs come first and fill a word; those of x and y stand behind them.
    lone = [["a", f"b{number:02}"] for number in range(70)] + [["c"]]
    rows = [*lone, ["x", "y", "z1"], ["x", "y", "z2"], ["y"]]
    found = find_implications(mine(rows, min_support=1))
    assert set(pairs(found)) == oracle_by_levels(rows)
    assert pairs(found).count((frozenset("x"), "y")) == 1


def oracle_by_levels(rows):
    """Return what ``oracle.implications`` returns at a minimum support of 1, quickly enough for many items."""
    family = oracle.frequent_by_levels(rows, 1)
    shown = {(one - {item}, item) for one in family for item in one if family[one - {item}] == family[one]}
    return {(base, item) for base, item in shown if not any((base - {other}, item) in shown for other in base)}


def test_more_than_are_wanted_are_told_of(monkeypatch):
    rows = [["a", "b", "c", "d"]] * 3
    monkeypatch.setattr(implications, "MOST", 3)
    found = find_implications(mine(rows, min_support=1))
    assert (len(found), found.more, repr(found)) == (3, True, "<Implications: more than 3>")


def test_as_many_as_are_wanted_are_all(monkeypatch):
    monkeypatch.setattr(implications, "MOST", 4)
    assert not find_implications(mine([["a", "b", "c", "d"]] * 3, min_support=1)).more


def test_thousands_of_implications_are_found():
    # Item i comes with its twin in all rows but those of another pair: each implies the other.
    rows = [[2 * one, 2 * one + 1] for one in range(2500)]
    found = find_implications(mine(rows, min_support=1))
    assert pairs(found) == [(frozenset([item]), item ^ 1) for item in range(5000)]


def test_a_top_of_as_many_items_as_a_word_has_bits_is_looked_at():
    patterns = mine([list(range(64))] * 3, min_support=1)
    assert pairs(find_implications(patterns)) == [(frozenset(), item) for item in range(64)]


def test_a_top_of_more_items_than_a_word_is_refused():
    with pytest.raises(BudgetError, match="an itemset of 65 items is too long"):
        find_implications(mine([list(range(65))] * 3, min_support=1))


@pytest.mark.nojit
def test_maximal_itemsets_show_no_implications():
    with pytest.raises(InputError, match="maximal itemsets do not tell"):
        find_implications(mine([["a"]], min_support=1, kind="maximal"))


@pytest.mark.nojit
def test_nothing_implies_nothing():
    for patterns in (
        mine([], min_support=1),
        Patterns.from_itemsets([], n=3),
        mine(Transactions([["a"]]), min_support=2),
    ):
        assert pairs(find_implications(patterns)) == []


@pytest.mark.nojit
def test_an_implication_reads_as_a_sentence():
    assert str(Implication(frozenset(["tea", "milk"]), "sugar")) == "milk ∧ tea ⇒ sugar"
    found = find_implications(mine([["a", "b"]], min_support=1))
    assert (str(found[0]), str(found[-1]), repr(found)) == ("everyone ⇒ a", "everyone ⇒ b", "<Implications: 2>")
    with pytest.raises(IndexError):
        found[2]


@pytest.mark.nojit
@LISTED
@settings(max_examples=100)
@given(case=mined_databases())
def test_free_itemsets_are_those_of_the_definition(kind, case):
    rows, sigma, count = case
    free = list_free(mine(rows, min_support=sigma, kind=kind))
    assert dict(free) == oracle.free(rows, count)
    assert len(find_implications(free)) == 0


@given(case=mined_databases(), length=lengths)
def test_free_itemsets_of_a_cut_list_are_the_short_ones(case, length):
    rows, sigma, count = case
    free = list_free(mine(rows, min_support=sigma, kind="frequent", max_length=length))
    assert dict(free) == {itemset: many for itemset, many in oracle.free(rows, count).items() if len(itemset) <= length}


def test_too_many_free_itemsets_exceed_the_budget():
    with pytest.raises(BudgetError, match="more than 3 itemsets"):
        list_free(mine([["a"], ["b"], ["c"], []], min_support=1), most=3)
