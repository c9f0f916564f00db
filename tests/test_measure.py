"""Measures: what a release costs, over all itemsets that were frequent, against the definitions."""

from functools import partial
from itertools import pairwise

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import databases, few_rows, mined_databases

from discreet import InputError, Patterns, mine
from discreet.blocking.distortion import Distortion, class_sizes, distortion, supports_in

KINDS = pytest.mark.parametrize(
    "kinds", [(one, other) for one in ("closed", "frequent") for other in ("closed", "frequent")]
)

pairs = partial(databases, max_rows=12, max_items=5)


def listed(family, n, sigma, kind):
    """Return a list as others hand it over: with labels of its own."""
    return Patterns.from_itemsets(family.items(), n=n, min_support=sigma, kind=kind)


def as_expected(cost):
    return pytest.approx(tuple(map(float, cost)), rel=1e-12)


@KINDS
@settings(max_examples=150)
@given(before=pairs(), after=pairs(), sigmas=st.tuples(st.integers(1, 6), st.integers(1, 6)))
def test_the_distortion_between_any_two_lists_is_that_of_the_definition(kinds, before, after, sigmas):
    # Other rows have other closed itemsets, and other labels.
    families = [oracle.frequent(rows, sigma) for rows, sigma in zip((before, after), sigmas, strict=True)]
    lists = [
        listed(oracle.KINDS[kind](rows, sigma), len(rows), sigma, kind)
        for rows, sigma, kind in zip((before, after), sigmas, kinds, strict=True)
    ]
    assert distortion(*lists) == as_expected(oracle.distortion(*families))


@KINDS
@settings(max_examples=100)
@given(case=mined_databases(pairs), data=st.data())
def test_the_distortion_of_fewer_rows_is_that_of_the_definition(kinds, case, data):
    rows, _, sigma = case
    left = data.draw(st.lists(st.sampled_from(rows), max_size=len(rows))) if rows else []
    families = [oracle.frequent(part, sigma) for part in (rows, left)]
    lists = [mine(part, min_support=sigma, kind=kind) for part, kind in zip((rows, left), kinds, strict=True)]
    assert distortion(*lists) == as_expected(oracle.distortion(*families))


@pytest.mark.nojit
@settings(max_examples=60)
@given(before=few_rows(), after=few_rows(), sigma=st.integers(1, 3))
def test_measuring_needs_no_compiler_to_be_right(before, after, sigma):
    lists = [mine(rows, min_support=sigma) for rows in (before, after)]
    expected = oracle.distortion(oracle.frequent(before, sigma), oracle.frequent(after, sigma))
    assert distortion(*lists) == as_expected(expected)


@given(case=mined_databases())
def test_nothing_is_distorted_between_a_list_and_itself(case):
    rows, min_support, sigma = case
    patterns = mine(rows, min_support=min_support)
    assert distortion(patterns, patterns) == Distortion(len(oracle.frequent(rows, sigma)), 0, 0, 0.0, 0)


@given(case=mined_databases())
def test_a_list_and_nothing_differ_by_all_of_it(case):
    rows, min_support, sigma = case
    many = len(oracle.frequent(rows, sigma))
    nothing = Patterns.from_itemsets([], n=0, min_support=sigma, kind="closed")
    cost = distortion(mine(rows, min_support=min_support), nothing)
    assert cost == Distortion(many, many, many, float(bool(many)), len(rows) if many else 0)
    assert distortion(nothing, mine(rows, min_support=min_support)) == Distortion(0, 0, 0, 0.0, 0)


def test_what_is_published_with_more_than_twice_the_support_counts_more_than_what_is_lost():
    before = Patterns.from_itemsets([([], 10), (["a"], 2)], n=10, kind="closed")
    after = Patterns.from_itemsets([([], 14), (["a"], 6)], n=14, kind="closed")
    assert distortion(before, after) == Distortion(2, 0, 2, pytest.approx((0.4 + 2) / 2), 4)


def test_what_comes_new_does_not_count():
    before = Patterns.from_itemsets([([], 4), (["a"], 2)], n=4, kind="frequent")
    after = Patterns.from_itemsets([([], 4), (["a"], 2), (["b"], 3)], n=4, kind="frequent")
    assert distortion(before, after) == Distortion(2, 0, 0, 0.0, 0)


def test_lists_that_leave_the_empty_itemset_out_by_habit_are_measured_with_it():
    before = Patterns.from_itemsets([(["a"], 2)], n=4, kind="frequent")
    after = Patterns.from_itemsets([(["a"], 2)], n=5, kind="frequent")
    assert distortion(before, after) == Distortion(2, 0, 1, 0.125, 1)


@pytest.mark.parametrize("which", [0, 1])
def test_maximal_itemsets_tell_too_little(which):
    lists = [mine([["a", "b"], ["a"]], min_support=1, kind="maximal" if at == which else "closed") for at in (0, 1)]
    with pytest.raises(InputError, match="give closed or frequent ones"):
        distortion(*lists)


def test_the_share_of_changes_is_that_of_all_itemsets():
    assert Distortion(8, 1, 6, 0.25, 3).share_changed == 0.75
    assert Distortion(0, 0, 0, 0.0, 0).share_changed == 0.0


# What closed itemsets stand for.


def classes(rows, sigma):
    """Return {closed itemset: how many frequent itemsets have it as their smallest closed superset}."""
    closed = oracle.closed(rows, sigma)
    sizes = dict.fromkeys(closed, 0)
    for itemset in oracle.frequent(rows, sigma):
        sizes[min((other for other in closed if itemset <= other), key=len)] += 1
    return sizes


@settings(max_examples=200)
@given(case=mined_databases())
def test_a_closed_itemset_stands_for_those_whose_closure_it_is(case):
    rows, min_support, sigma = case
    patterns = mine(rows, min_support=min_support)
    sizes = class_sizes(patterns)
    assert {frozenset(itemset): size for (itemset, _), size in zip(patterns, sizes, strict=True)} == classes(
        rows, sigma
    )
    assert class_sizes(mine(rows, min_support=min_support, kind="frequent")) == [1] * len(oracle.frequent(rows, sigma))


@pytest.mark.parametrize("longest", [1, 2, 62, 63, 64, 65, 130])
def test_class_sizes_are_exact_whatever_the_length(longest):
    # One after the other holds the one before: each stands for its subsets but for those of the one before.
    lengths = [length for length in (0, 1, 40, 62, 63, 64, 100) if length < longest] + [longest]
    rows = [frozenset(range(length)) for length in lengths]
    sizes = class_sizes(mine(rows, min_support=1))
    assert sizes == [2 ** lengths[0], *(2**long - 2**short for short, long in pairwise(lengths))]
    cost = distortion(mine(rows, min_support=1), mine(rows[:-1], min_support=1))
    assert (cost.itemsets, cost.lost, cost.changed, cost.largest) == (2**longest, sizes[-1], 2**longest, 1)


# Supports of other itemsets.


@settings(max_examples=150)
@given(rows=pairs(), others=pairs(), sigma=st.integers(1, 4), kind=st.sampled_from(["closed", "frequent"]))
def test_a_list_tells_the_supports_of_all_that_is_frequent_and_of_nothing_else(rows, others, sigma, kind):
    wanted = mine(others, min_support=1)
    family = oracle.frequent(rows, sigma)
    expected = [family.get(itemset, 0) for itemset, _ in wanted]
    assert supports_in(mine(rows, min_support=sigma, kind=kind), wanted).tolist() == expected
