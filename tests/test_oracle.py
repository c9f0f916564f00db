"""The oracle itself, against tables worked out by hand."""

from fractions import Fraction

import oracle
import pytest
from hypothesis import given
from strategies import mined_databases

ROWS = [{"a", "b"}, {"a", "b"}, {"a"}, set()]
EMPTY, A, B, AB = frozenset(), frozenset("a"), frozenset("b"), frozenset("ab")


def test_frequent_itemsets_have_enough_rows():
    assert oracle.frequent(ROWS, 2) == {EMPTY: 4, A: 3, B: 2, AB: 2}
    assert oracle.frequent(ROWS, 3) == {EMPTY: 4, A: 3}


def test_closed_itemsets_have_no_superset_of_their_support():
    assert oracle.closed(ROWS, 2) == {EMPTY: 4, A: 3, AB: 2}


def test_maximal_itemsets_have_no_frequent_superset():
    assert oracle.maximal(ROWS, 2) == {AB: 2}
    assert oracle.maximal(ROWS, 4) == {EMPTY: 4}


def test_closed_and_maximal_are_meant_within_the_length():
    assert oracle.closed(ROWS, 2, 1) == {EMPTY: 4, A: 3, B: 2}
    assert oracle.maximal(ROWS, 2, 1) == {A: 3, B: 2}
    assert oracle.maximal(ROWS, 2, 0) == {EMPTY: 4}


def test_no_rows_have_no_frequent_itemset():
    assert [kind([], 1) for kind in oracle.KINDS.values()] == [{}, {}, {}]


def test_items_in_all_rows_close_the_empty_itemset():
    assert oracle.closed([{"a"}, {"a", "b"}], 1) == {A: 2, AB: 1}


def test_a_share_is_the_least_count_that_reaches_it():
    assert [oracle.least_count(share, 25) for share in ("0.28", "0.281", "1", Fraction(1, 1000))] == [7, 8, 25, 1]


@pytest.mark.parametrize("kind", oracle.KINDS)
@given(case=mined_databases())
def test_the_oracle_that_goes_by_levels_says_the_same(kind, case):
    rows, _, count = case
    numbered = {label: number for number, label in enumerate(frozenset().union(*rows))}
    coded = [frozenset(numbered[label] for label in row) for row in rows]
    assert oracle.BY_LEVELS[kind](coded, count) == oracle.KINDS[kind](coded, count)
