"""Attacks on hiding: surprise by its definition, ranks, guesses, and what cannot be asked."""

from math import log, sqrt

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import databases

from discreet import BudgetError, InputError, OptionError, ThresholdError, Transactions, attack, hide, mine
from discreet.disclosure.attacks import suspicion
from discreet.disclosure.attacks.surprise import Candidates, find_candidates, find_cells, find_floor, surprise
from discreet.disclosure.attacks.suspicion import rank_itemsets

BASKETS = [["bread"], ["milk"], ["tea"], ["bread", "tea"], ["milk", "tea"], []] * 10
ODD = [["a", "b"], ["a", "c"], ["b", "c"], []] * 10
"""Every pair is as often as independent items are, and all three are never together."""

small = databases(max_rows=24, max_items=5)


def labelled(rows, candidates):
    """Candidates by their labels: support, expected support, surprise."""
    lines = zip(*(column.tolist() for column in candidates), strict=True)
    return {frozenset(rows.labels[item] for item in items): rest for items, *rest in lines}


# By hand.


def test_a_pair_is_expected_as_often_as_its_items_are_if_independent():
    rows = [["a", "b"]] * 2 + [["a"]] * 6 + [["b"]] * 6 + [[]] * 2
    (found,) = attack(rows, min_support=4).itemsets
    ratio = 2 * (2 * 2 * log(2 / 4) + 2 * 6 * log(6 / 4))
    assert found[:3] == (("a", "b"), 2, 8 * 8 / 16)
    assert found.surprise == pytest.approx(sqrt(ratio), abs=1e-6)


def test_three_items_are_expected_by_their_pairs():
    found = attack(ODD).itemsets
    ratio = 2 * 4 * 10 * log(10 / 5)
    assert found[-1][:3] == (("a", "b", "c"), 0, 5.0)
    assert found[-1].surprise == pytest.approx(sqrt(ratio), abs=1e-6)
    assert [one.surprise for one in found[:-1]] == [0.0, 0.0, 0.0]


def test_what_was_hidden_comes_first():
    rows = [*BASKETS, *[["bread", "milk"]] * 30]
    before, after = (attack(which, sensitive=[["bread", "milk"]]) for which in (rows, hide(rows, [["bread", "milk"]])))
    assert (before.hidden[0].rank, after.hidden[0].rank) == (3, 1)


def test_what_hide_returned_knows_what_was_hidden():
    hidden = hide(ODD + [["a", "b", "c"]] * 9, [["a", "b", "c"]])
    given_apart = attack(hidden.transactions, sensitive=[["c", "b", "a"]])
    assert attack(hidden).hidden == given_apart.hidden


def test_items_that_exclude_each_other_are_not_looked_at():
    assert [one.looked_at for one in attack(BASKETS, max_length=2).lengths] == [3]
    assert [one.looked_at for one in attack(BASKETS, max_length=2, schema=[["bread", "milk"]]).lengths] == [2]


# By the definition.


@settings(max_examples=60)
@given(rows=small, least=st.integers(1, 6), longest=st.integers(2, 5))
def test_candidates_are_the_itemsets_that_their_parts_lead_one_to_expect(rows, least, longest):
    expected = oracle.suspects(rows, longest)
    assume(all(abs(one - least) > 1e-4 for _, one, _ in expected.values()))
    data = Transactions(rows)
    lists = find_candidates(data, least=least, lengths=range(2, longest + 1)).values()
    found = {itemset: rest for one in lists for itemset, rest in labelled(data, one).items()}
    wanted = {itemset: rest for itemset, rest in expected.items() if rest[1] > least}
    assert found.keys() == wanted.keys()
    for itemset, (support, each, surprising) in wanted.items():
        assert found[itemset][0] == support
        assert found[itemset][1] == pytest.approx(each, abs=1e-4)
        assert found[itemset][2] == pytest.approx(surprising, abs=1e-3)


@given(rows=small)
def test_no_part_is_rarer_than_what_is_expected_of_the_whole(rows):
    data = Transactions(rows)
    for length, found in find_candidates(data, least=1).items():
        for itemset, (_, each, _) in labelled(data, found).items():
            parts = [oracle.support(part, rows) for part in oracle.subsets(itemset) if len(part) < length]
            assert each <= min(parts) + 1e-5


@given(rows=small)
def test_ranks_follow_the_surprise(rows):
    found = attack(rows, min_support=1, sensitive=oracle.suspects(rows, 3))
    for length in (2, 3):
        listed = [one for one in found.hidden if len(one.items) == length and one.rank is not None]
        surprises = [one.surprise for one in listed]
        assert [one.rank for one in listed] == [1 + sum(other > own for other in surprises) for own in surprises]
        assert {one.looked_at for one in listed} <= {len(listed)}


@given(rows=small, seed=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows, seed):
    shuffled = seed.sample(rows, len(rows))
    assert attack(shuffled, min_support=1).facts() == attack(rows, min_support=1).facts()


@settings(max_examples=60)
@given(rows=small, limit=st.floats(-3, 3))
def test_a_floor_is_the_least_support_that_is_no_more_surprising(rows, limit):
    items = sorted(frozenset().union(*rows), key=repr)[:3]
    assume(len(items) == 3)
    lists = [[items[at] for at in range(3) if mask >> at & 1] for mask in range(8)]
    supports = np.array([oracle.support(part, rows) for part in lists])
    cells = oracle.exact_table(items, rows)
    signs = {subset: (-1) ** (3 - len(subset)) for subset in cells}
    low = int(supports[-1]) - min(count for subset, count in cells.items() if signs[subset] > 0)
    high = int(supports[-1]) + min(count for subset, count in cells.items() if signs[subset] < 0)
    values = {support: oracle.surprise(items, rows, support) for support in range(low, high + 1)}
    assume(all(abs(value - limit) > 1e-3 for value in values.values()))
    assert find_floor(supports, limit) == min((one for one, value in values.items() if value <= limit), default=high)


def test_equal_tables_are_equally_surprising_whatever_the_order_of_their_items():
    cells = find_cells(np.array([[100, 31, 47, 13, 59, 17, 29, 5]]))
    swapped = cells[:, [0, 4, 2, 6, 1, 5, 3, 7]]
    expected = np.array([7.25])
    assert surprise(swapped, expected).tolist() == surprise(cells, expected).tolist()


# Guesses.


@settings(max_examples=60)
@given(values=st.lists(st.integers(0, 2), min_size=1, max_size=6), many=st.integers(1, 3), guesses=st.integers(1, 4))
def test_the_chance_of_a_hit_is_that_over_all_orders_of_ties(values, many, guesses):
    rows, size = Transactions([range(len(values) + 1)]), len(values)
    pairs = np.array([[0, at + 1] for at in range(size)], dtype=np.int32)
    candidates = Candidates(pairs, np.zeros(size, dtype=np.int64), np.ones(size), np.array(values, dtype=np.float64))
    hidden = list(range(min(many, size)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suspicion, "GUESSES", guesses)
        ranks = rank_itemsets(rows, {2: candidates}, [frozenset([0, one + 1]) for one in hidden])
        found = suspicion._guess(2, candidates, ranks)
    surprises = dict(enumerate(values))
    assert found.chance == pytest.approx(float(oracle.chance_of_a_hit(surprises, hidden, guesses)))
    at_random = oracle.chance_of_a_hit(dict.fromkeys(surprises, 0), hidden, guesses)
    assert found.at_random == pytest.approx(float(at_random))
    alone = [float(oracle.chance_of_a_hit(surprises, [one], guesses)) for one in hidden]
    assert [one.guessed for one in ranks] == pytest.approx(alone)


def test_an_itemset_that_is_not_looked_at_has_no_rank():
    sensitive = [["bread", "milk"], ["ale", "tea"], ["tea"]]
    rare, unknown, single = attack(BASKETS, min_support=7, sensitive=sensitive).hidden
    assert rare == (("bread", "milk"), 0, None, None, None, 2, 0.0)
    assert unknown == (("ale", "tea"), 0, None, None, None, 2, 0.0)
    assert single == (("tea",), 30, None, None, None, 0, 0.0)


def test_words_do_not_name_what_was_hidden():
    found = attack(BASKETS, sensitive=[["milk", "bread"]])
    assert "Hidden itemset 1 (2 items): rank 1 of 3." in str(found).splitlines()
    assert found.facts()["hidden"][0]["items"] == 2
    assert repr(found) == "<Suspicion: 3 itemsets looked at, 100% of the hidden ones guessed>"
    assert "<td" in found._repr_html_()


def test_suspects_are_records():
    first = attack(BASKETS).itemsets.to_dicts()[0]
    assert first["items"] == ["bread", "milk"]
    assert first["rank"] == 1


@pytest.mark.parametrize("rows", [[], [[]], [["a"]] * 20, [["a", "b"]] * 20])
def test_rows_that_tell_nothing_surprise_nobody(rows):
    found = attack(rows, min_support=1)
    assert {one.surprise for one in found.itemsets} <= {0.0}
    assert found.guessed is None


# What cannot be asked.


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"k": 5}, OptionError, "k= is for patterns"),
        ({"complete": False}, OptionError, "complete= is for patterns"),
        ({"against": mine(BASKETS, min_support=2)}, OptionError, "against= is for patterns"),
        ({"max_length": 1}, OptionError, "from 2 to 6"),
        ({"max_length": 7}, OptionError, "from 2 to 6"),
        ({"max_length": True}, OptionError, "from 2 to 6"),
        ({"min_support": 0}, ThresholdError, "at least 1"),
        ({"sensitive": "ab"}, InputError, "a list of lists"),
        ({"sensitive": 7}, InputError, "a list of lists"),
        ({"sensitive": ["ab"]}, InputError, "not text"),
        ({"max_itemsets": 2}, BudgetError, "more than 2 itemsets"),
    ],
)
def test_what_means_nothing_to_rows_is_refused(options, error, words):
    with pytest.raises(error, match=words):
        attack(BASKETS, **options)


def test_what_means_nothing_to_patterns_is_refused():
    patterns = mine(BASKETS, min_support=2)
    with pytest.raises(OptionError, match="k="):
        attack(patterns)
    with pytest.raises(OptionError, match="sensitive= is for shared rows"):
        attack(patterns, k=2, sensitive=[["bread"]])
