"""Patterns: itemsets with exact supports, in a fixed order, that never change."""

import dataclasses
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import databases, mined_databases

from discreet import InputError, OptionError, Patterns, ThresholdError, mine
from discreet.data.itemsets import Itemsets
from discreet.data.patterns import as_counts

SMALL = [(["b", "a"], 2), (["a"], 3), ([], 4), (["b"], 2)]


def listed(rows, count):
    """Return all frequent itemsets of rows as patterns, from the oracle."""
    return Patterns.from_itemsets(oracle.frequent(rows, count).items(), n=len(rows), min_support=count)


@given(mined_databases())
def test_patterns_list_what_they_were_made_of(case):
    rows, _, count = case
    assert dict(listed(rows, count)) == oracle.frequent(rows, count)
    assert len(listed(rows, count)) == len(oracle.frequent(rows, count))


@given(mined_databases(), databases())
def test_an_itemset_is_found_if_and_only_if_it_is_listed(case, others):
    rows, _, count = case
    patterns, expected = listed(rows, count), oracle.frequent(rows, count)
    every = {frozenset(), *rows, *others, *expected}
    assert {itemset: patterns[itemset] for itemset in every if itemset in patterns} == expected
    for itemset in every - expected.keys():
        with pytest.raises(KeyError):
            patterns[itemset]


@given(mined_databases().flatmap(lambda case: st.tuples(st.just(case), st.randoms())))
def test_the_order_of_coming_does_not_matter(both):
    (rows, _, count), chance = both
    pairs = list(oracle.frequent(rows, count).items())
    chance.shuffle(pairs)
    shuffled = Patterns.from_itemsets(pairs, n=len(rows), min_support=count)
    assert list(shuffled) == list(listed(rows, count))
    assert shuffled == listed(rows, count)


def test_itemsets_stand_in_the_order_of_a_dictionary():
    patterns = Patterns.from_itemsets(SMALL, n=4)
    assert [sorted(itemset) for itemset, _ in patterns] == [[], ["a"], ["a", "b"], ["b"]]
    assert patterns.supports.tolist() == [4, 3, 2, 2]


LONG = [[*range(20), *itemset] for itemset in sorted(map(sorted, oracle.subsets(range(20, 26))))]
"""Itemsets that differ only far behind, by items beyond what a key of 64 bits holds."""


@given(st.permutations(LONG))
def test_long_itemsets_that_begin_alike_stand_in_the_order_of_a_dictionary(itemsets):
    patterns = Patterns.from_itemsets([(itemset, 1) for itemset in itemsets], n=1)
    assert [sorted(itemset) for itemset, _ in patterns] == LONG


@given(st.permutations([*LONG, LONG[7]]))
def test_a_long_itemset_listed_twice_is_refused(itemsets):
    with pytest.raises(InputError, match=rf"an itemset of {len(LONG[7])} items is listed twice"):
        Patterns.from_itemsets([(itemset, 1) for itemset in itemsets], n=1)


def test_equality_goes_by_label_support_and_how_they_were_mined():
    patterns = Patterns.from_itemsets(SMALL, n=4)
    assert patterns == Patterns.from_itemsets(reversed(SMALL), n=4, min_support=2)
    assert patterns != Patterns.from_itemsets(SMALL, n=4, min_support=1)
    assert patterns != Patterns.from_itemsets(SMALL, n=4, kind="closed")
    assert patterns != Patterns.from_itemsets(SMALL[:3], n=4)
    assert patterns != dict(patterns)


def test_equality_goes_by_label_and_not_by_code():
    offsets, supports = np.array([0, 1]), np.array([2])
    coded = Patterns(Itemsets(offsets, np.array([1], np.int32)), supports, ("a", "b"), 4, 2, "frequent")
    assert coded == Patterns.from_itemsets([(["b"], 2)], n=4)
    assert coded != Patterns.from_itemsets([(["a"], 2)], n=4)


def test_nothing_in_patterns_can_be_changed():
    patterns = Patterns.from_itemsets(SMALL, n=4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        patterns.n = 5
    for array in (patterns.items, patterns.offsets, patterns.supports):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_patterns_are_no_keys():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Patterns.from_itemsets(SMALL, n=4))


def test_the_smallest_support_stands_for_one_that_is_not_given():
    assert Patterns.from_itemsets(SMALL, n=4).min_support == 2
    assert Patterns.from_itemsets([], n=4).min_support == 4
    assert Patterns.from_itemsets([], n=0).min_support == 1


def test_an_itemset_listed_twice_is_refused():
    with pytest.raises(InputError, match="an itemset of 2 items is listed twice"):
        Patterns.from_itemsets([(["a", "b"], 2), (["b", "a"], 2)], n=4)


@pytest.mark.parametrize(("itemset", "support"), [(["a"], 5), (["a"], -1), ([], 3)])
def test_a_support_that_no_rows_can_have_is_refused(itemset, support):
    with pytest.raises(InputError, match=f"support {support} of 4 rows"):
        Patterns.from_itemsets([(itemset, support)], n=4)


def test_an_itemset_that_is_text_is_refused():
    with pytest.raises(InputError, match="not text"):
        Patterns.from_itemsets([("ab", 2)], n=4)
    with pytest.raises(InputError, match="not text"):
        Patterns.from_itemsets(SMALL, n=4)["ab"]


def test_an_unknown_kind_is_refused():
    with pytest.raises(OptionError, match="kind is 'rare'; it must be one of frequent, closed, maximal"):
        Patterns.from_itemsets(SMALL, n=4, kind="rare")


def test_an_error_about_an_itemset_does_not_name_it():
    with pytest.raises(KeyError) as caught:
        Patterns.from_itemsets(SMALL, n=4)[["secret"]]
    assert "secret" not in str(caught.value)


def test_the_text_of_patterns_shows_counts_and_no_labels():
    expected = "<Patterns: 4 frequent itemsets, support at least 2 of 4 rows>"
    assert repr(Patterns.from_itemsets(SMALL, n=4)) == expected


def test_a_pandas_frame_has_the_columns_of_mlxtend_first():
    frame = Patterns.from_itemsets(SMALL, n=4).to_pandas()
    assert list(frame.columns) == ["support", "itemsets", "count", "length"]
    assert frame["support"].tolist() == [1.0, 0.75, 0.5, 0.5]
    assert frame["itemsets"].tolist() == [frozenset(), frozenset("a"), frozenset("ab"), frozenset("b")]
    assert frame["count"].tolist() == [4, 3, 2, 2]
    assert frame["length"].tolist() == [0, 1, 2, 1]
    assert (frame["support"].dtype, frame["count"].dtype) == (np.float64, np.int64)


def test_a_polars_frame_has_the_itemsets_as_lists():
    frame = Patterns.from_itemsets(SMALL, n=4).to_polars()
    assert frame.columns == ["support", "itemsets", "count", "length"]
    assert frame["itemsets"].to_list() == [[], ["a"], ["a", "b"], ["b"]]
    assert frame["count"].to_list() == [4, 3, 2, 2]


def test_no_patterns_make_an_empty_frame():
    nothing = Patterns.from_itemsets([], n=0)
    assert nothing.to_pandas().shape == nothing.to_polars().shape == (0, 4)


@pytest.mark.parametrize("columns", [["support", "itemsets"], ["itemsets", "count"]])
@pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
@given(case=mined_databases())
def test_a_pandas_frame_reads_back_as_the_same_patterns(columns, kind, case):
    rows, _, count = case
    options = {"n": len(rows), "min_support": count, "kind": kind}
    patterns = Patterns.from_itemsets(oracle.KINDS[kind](rows, count).items(), **options)
    assert Patterns.from_pandas(patterns.to_pandas()[columns], **options) == patterns


def test_a_frame_without_the_empty_itemset_is_given_it():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"support": [0.75, 0.5], "itemsets": [frozenset("a"), frozenset("ab")]})
    assert Patterns.from_pandas(frame, n=4)[[]] == 4
    assert [] not in Patterns.from_pandas(frame, n=4, kind="maximal")


@given(counts=st.lists(st.integers(0, 10**6)), more=st.integers(1, 10**6))
def test_shares_become_the_counts_they_were_made_of(counts, more):
    n = max(counts, default=0) + more
    assert as_counts([count / n for count in counts], n) == counts


@pytest.mark.parametrize("share", [0.3, 0.5001, -0.25, 1.25, float("nan"), float("inf")])
def test_a_share_that_is_no_count_of_the_rows_is_refused(share):
    with pytest.raises(InputError, match=r"^itemset 2 has support .* no count of 4 rows") as caught:
        as_counts([0.5, share], 4)
    assert "\n" not in str(caught.value)


def test_shares_with_the_wrong_number_of_rows_are_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"support": [float(Fraction(7, 25))], "itemsets": [frozenset("a")]})
    with pytest.raises(InputError, match="no count of 24 rows"):
        Patterns.from_pandas(frame, n=24)


@given(
    tails=st.sets(st.frozensets(st.integers(15, 40), max_size=4), min_size=1, max_size=60),
    prefix=st.sampled_from([0, 3, 15]),
    threads=st.integers(1, 4),
)
def test_any_number_of_threads_brings_itemsets_into_dictionary_order(tails, prefix, threads):
    itemsets = [sorted({*range(prefix), *tail}) for tail in tails]
    offsets = np.cumsum([0, *map(len, itemsets)])
    items = np.array([item for itemset in itemsets for item in itemset], dtype=np.int32)
    supports = np.array([100 - len(itemset) if itemset else 100 for itemset in itemsets])
    patterns = Patterns.from_codes(offsets, items, supports, tuple(range(41)), n=100, threads=threads)
    assert [sorted(itemset) for itemset, _ in patterns] == sorted(itemsets)
    assert all(support == 100 - len(itemset) for itemset, support in patterns)


def test_threads_that_sort_at_the_same_time_do_not_disturb_each_other():
    # Ten items fill a key, so the twelve itemsets of each beginning have one key and are moved about.
    heads, tails = combinations(range(16), 10), [(*pair, 38, 39)[: 2 + at % 3] for at, pair in enumerate(PAIRS)]
    expected = sorted([*head, *tail] for head in heads for tail in tails)
    order = np.random.default_rng(0).permutation(len(expected))
    for threads in (1, 2, 4):
        shuffled = [expected[at] for at in order]
        offsets = np.cumsum([0, *map(len, shuffled)])
        items = np.fromiter(chain.from_iterable(shuffled), np.int32)
        supports = np.full(len(shuffled), 5)
        patterns = Patterns.from_codes(offsets, items, supports, tuple(range(40)), n=9, threads=threads)
        assert patterns.items.tolist() == list(chain.from_iterable(expected))


PAIRS = [
    (16, 20),
    (16, 21),
    (17, 20),
    (17, 30),
    (18, 19),
    (18, 33),
    (22, 23),
    (22, 37),
    (25, 26),
    (27, 28),
    (29, 31),
    (30, 36),
]


def test_the_length_at_which_a_list_was_cut_is_part_of_it():
    rows = [["a", "b", "c"]] * 3
    patterns = mine(rows, min_support=2, max_length=2)
    assert patterns.max_length == 2
    assert repr(patterns) == "<Patterns: 3 closed itemsets, support at least 2 of 3 rows, at most 2 items>"
    assert patterns != dataclasses.replace(patterns, max_length=None)
    assert patterns.take(np.array([0])).max_length == 2


def test_a_list_with_a_longer_itemset_than_it_was_cut_at_is_refused():
    with pytest.raises(InputError, match="an itemset of 2 items is listed, but the list was cut at 1; say where"):
        Patterns.from_itemsets([(["a", "b"], 2)], n=3, max_length=1)


@pytest.mark.parametrize("length", [-1, 1.5, True, "2"])
def test_a_length_that_is_no_number_of_items_is_refused(length):
    with pytest.raises(ThresholdError, match=r"max_length is .*; give a whole number of at least 0"):
        Patterns.from_itemsets([(["a"], 2)], n=3, max_length=length)
