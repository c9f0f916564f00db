"""Laws that hold for all rows: the miners against the definitions, whatever way they go."""

from importlib import import_module

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import databases, few_rows, heavy_databases, large_databases, lengths, mined_databases

from discreet import Transactions, mine
from discreet.mining.mine import mine_by
from discreet.mining.watch import Limits

KINDS = pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
STRATEGIES = ["auto", "dense", "sparse", "mixed"]
workers = st.sampled_from((1, 2))


def mined(rows, strategy, threads, **options):
    """Return the patterns of rows, mined in a certain way."""
    return mine_by(strategy, rows, limits=Limits(threads=threads), **{"max_length": None, **options})


@pytest.mark.nojit
@settings(max_examples=1000)
@given(case=mined_databases(), threads=workers)
def test_all_ways_of_mining_find_what_the_definition_says(case, threads):
    rows, min_support, count = case
    transactions = Transactions(rows)
    for kind, defined in oracle.KINDS.items():
        expected = defined(rows, count)
        for strategy in STRATEGIES:
            found = mined(transactions, strategy, threads, min_support=min_support, kind=kind)
            assert dict(found) == expected
            assert (found.n, found.min_support, found.kind, len(found)) == (len(rows), count, kind, len(expected))


@KINDS
@settings(max_examples=300)
@given(case=mined_databases() | mined_databases(few_rows), max_length=lengths, threads=workers)
def test_all_ways_of_mining_find_what_the_definition_says_within_a_length(kind, case, max_length, threads):
    rows, min_support, count = case
    transactions = Transactions(rows)
    expected = oracle.KINDS[kind](rows, count, max_length)
    for strategy in STRATEGIES:
        found = mined(transactions, strategy, threads, min_support=min_support, kind=kind, max_length=max_length)
        assert dict(found) == expected
        assert len(found) == len(expected)


@pytest.mark.nojit
@KINDS
@settings(max_examples=50)
@given(case=mined_databases(heavy_databases), threads=workers)
def test_all_ways_of_mining_find_what_the_definition_says_where_rows_are_repeated(kind, case, threads):
    rows, min_support, count = case
    transactions = Transactions(rows)
    expected = oracle.KINDS[kind](rows, count)
    for strategy in STRATEGIES:
        assert dict(mined(transactions, strategy, threads, min_support=min_support, kind=kind)) == expected


@KINDS
@settings(max_examples=25)
@given(case=large_databases(), threads=workers)
def test_all_ways_of_mining_find_what_the_definition_says_over_many_items(kind, case, threads):
    rows, count = case
    transactions = Transactions(rows)
    expected = oracle.BY_LEVELS[kind](rows, count)
    for strategy in STRATEGIES:
        found = mined(transactions, strategy, threads, min_support=count, kind=kind)
        assert dict(found) == expected
        assert len(found) == len(expected)


@KINDS
@pytest.mark.parametrize("seed", range(4))
def test_all_ways_of_mining_find_what_the_definition_says_where_frames_are_made_of_wide_ones(kind, seed):
    drawn = np.random.default_rng(seed).random((6_000, 13)) < 0.2 + np.arange(13) / 40
    rows = [set(np.flatnonzero(line).tolist()) for line in drawn]  # about 3,000 different ones
    rows = [frozenset(row | ({20} if 3 in row else set()) | ({21} if {11, 12} <= row else set())) for row in rows]
    expected = oracle.BY_LEVELS[kind](rows, 500)
    for strategy in STRATEGIES:
        for threads in (1, 2):
            assert dict(mined(Transactions(rows), strategy, threads, min_support=500, kind=kind)) == expected


@KINDS
@given(case=mined_databases(), cells=st.integers(1, 30))
def test_pairs_may_be_counted_a_few_items_at_a_time(kind, case, cells):
    rows, min_support, count = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("discreet.mining.search"), "TABLE", cells)
        found = mined(Transactions(rows), "sparse", 1, min_support=min_support, kind=kind)
    assert dict(found) == oracle.KINDS[kind](rows, count)


@given(rows=databases())
def test_frequent_itemsets_follow_from_the_closed_ones(rows):
    closed = mine(rows, min_support=1, kind="closed")
    for itemset, support in oracle.frequent(rows, 1).items():
        assert max(other for superset, other in closed if itemset <= superset) == support


@given(case=mined_databases())
def test_maximal_itemsets_are_closed_and_closed_ones_frequent(case):
    rows, min_support, _ = case
    maximal, closed, frequent = (
        set(mine(rows, min_support=min_support, kind=kind)) for kind in ("maximal", "closed", "frequent")
    )
    assert maximal <= closed <= frequent


@given(case=mined_databases())
def test_the_order_of_rows_does_not_matter(case):
    rows, min_support, _ = case
    assert mine(rows, min_support=min_support) == mine(rows[::-1], min_support=min_support)
