"""What readers claim about small groups follows from the definition: rows that hold some items and lack others."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from strategies import databases

from discreet.blocking.noise_comparison import correlate_ranks
from discreet.data.itemsets import Itemsets
from discreet.data.numbering import Numbering, number_short
from discreet.disclosure.guesses import ListedGroups, are_small, find_hits, guess_small, share_found

sizes = st.tuples(st.integers(1, 7), st.integers(0, 4)).map(lambda pair: (pair[0], min(pair)))


def every_itemset(items, length):
    """All itemsets of at most so many items, by definition."""
    return [one for size in range(length + 1) for one in itertools.combinations(range(items), size)]


def supports_of(numbering, rows):
    """The supports of all itemsets of a numbering, counted row by row."""
    return np.array(
        [sum(set(numbering[number]) <= row for row in rows) for number in range(len(numbering))], dtype=float
    )


def groups_of(itemsets, rows):
    """How many rows hold exactly some items of each itemset, for all but the whole, counted row by row."""
    return [
        sum(row & set(itemset) == {item for bit, item in enumerate(itemset) if part >> bit & 1} for row in rows)
        for itemset in sorted(itemsets, key=len)
        for part in range(2 ** len(itemset) - 1)
    ]


def coded(rows):
    """Rows of items from 0 on."""
    code = {label: number for number, label in enumerate(sorted(set().union(*rows), key=str))}
    return [frozenset(code[label] for label in row) for row in rows], len(code)


@given(sizes)
def test_every_itemset_has_a_number_of_its_own(size):
    numbering, every = Numbering(*size), every_itemset(*size)
    assert sorted(numbering.find(Itemsets.of(every)).tolist()) == list(range(len(every))) == list(range(len(numbering)))
    assert [numbering[number] for number in numbering.find(Itemsets.of(every)).tolist()] == every


@given(st.integers(0, 30), st.integers(0, 4) | st.none(), st.integers(1, 500))
def test_as_long_itemsets_are_numbered_as_fit(items, longest, most):
    fitting = [
        length
        for length in range(1, items + 1)
        if sum(math.comb(items, few) for few in range(length + 1)) <= most and (longest is None or length <= longest)
    ]
    assert number_short(items, longest, most) == (Numbering(items, max(fitting)) if fitting else None)


@given(databases(max_rows=12, max_items=5), st.integers(1, 3))
def test_groups_are_counted_as_rows_that_hold_some_items_and_lack_the_others(rows, length):
    rows, items = coded(rows)
    assume(items)
    numbering = Numbering(items, min(items, length))
    every = every_itemset(items, numbering.length)
    found = ListedGroups(numbering, Itemsets.of(every)).count(supports_of(numbering, rows))
    assert found.tolist() == groups_of(every, rows)


def test_a_group_is_not_counted_if_a_support_is_missing():
    groups = ListedGroups(Numbering(2, 2), Itemsets.of([[0, 1]]))
    counts = groups.count(np.array([10, np.nan, 7, 6]))
    assert np.isnan(counts).tolist() == [True, True, False]  # neither item, item 0 alone, item 1 alone


def test_what_is_missing_is_filled_in_as_if_items_were_independent():
    groups = ListedGroups(Numbering(3, 3), Itemsets.of(every_itemset(3, 3)))
    known = np.array([100, 50, 40, 30, *[np.nan] * 4])
    expected = [100, 50, 40, 30, 20, 15, 12, 6]  # 50 · 40 / 100 and so on, and 50 · 40 · 30 / 100²
    assert groups.fill_in(known, 0.0)[0].tolist() == pytest.approx(expected)


def test_nothing_that_is_published_is_changed_where_the_rest_is_filled_in():
    groups = ListedGroups(Numbering(2, 2), Itemsets.of([[0], [1], [0, 1]]))
    filled, variances = groups.fill_in(np.array([np.nan, -3, 7, np.nan]), 2.0)
    assert filled[1:3].tolist() == [-3, 7]
    assert variances[1:3].tolist() == [4, 4]
    assert np.isfinite(filled).all()


@given(st.lists(st.integers(-5, 40), min_size=1), st.integers(1, 20))
def test_exact_counts_are_small_for_certain_or_not_at_all(counts, k):
    counts = np.array(counts, dtype=float)
    assert guess_small(counts, np.zeros(counts.size), k).tolist() == are_small(counts, k).astype(float).tolist()


@given(st.floats(-1e4, 1e4), st.floats(0, 1e4), st.integers(1, 30))
def test_a_guess_is_a_probability(count, spread, k):
    assert 0 <= guess_small(np.array([count]), np.array([spread]), k)[0] <= 1


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1), st.integers(0, 4))
def test_what_is_found_is_the_mean_over_all_orders_of_equal_scores(pairs, alarms):
    scores, is_true = (np.array(side) for side in zip(*pairs, strict=True))
    assume(is_true.any() and alarms <= (~is_true).sum())
    found = false = 0
    for score in sorted(set(scores.tolist()), reverse=True):
        hits, wrong = ((scores == score) & is_true).sum(), ((scores == score) & ~is_true).sum()
        share = 1 if wrong <= alarms - false else (alarms - false) / wrong
        found, false = found + share * hits, false + share * wrong
        if share < 1:
            break
    assert share_found(scores.astype(float), is_true, alarms) == pytest.approx(found / is_true.sum())


@given(databases(max_rows=30, max_items=4), st.integers(2, 5))
def test_exact_supports_give_every_small_group_away(rows, k):
    rows, items = coded(rows)
    assume(items)
    numbering = Numbering(items, min(items, 2))
    groups = ListedGroups(numbering, Itemsets.of(every_itemset(items, numbering.length)))
    supports = supports_of(numbering, rows)
    is_small = are_small(groups.count(supports), k)
    expected = 1.0 if is_small.any() and not is_small.all() else None
    assert find_hits(groups, supports, 0.0, is_small=is_small, k=k) == expected


def test_rows_that_a_method_has_added_do_not_mislead_the_attacker():
    groups = ListedGroups(Numbering(2, 1), Itemsets.of([[0], [1]]))
    is_small = np.array([True, False])  # 3 rows lack item 0, and 50 lack item 1
    shown = np.array([110, 97, 60.0])  # after 10 more rows without item 0
    assert find_hits(groups, shown, 0.0, is_small=is_small, k=10) == 1


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-6, 6)), min_size=2, max_size=20))
def test_the_correlation_of_ranks_is_that_of_spearman(pairs):
    left, right = (np.array(side) for side in zip(*pairs, strict=True))
    is_constant = len({*left.tolist()}) == 1 or len({*right.tolist()}) == 1
    assert correlate_ranks(left, right) == (None if is_constant else pytest.approx(spearmanr(left, right).statistic))
