"""Itemsets laid flat do what plain lists of lists do."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.itemsets import Itemsets, Weighted, offsets_of
from discreet.errors import InputError

pytestmark = pytest.mark.nojit
codes = st.lists(st.integers(0, 9), max_size=4, unique=True).map(sorted)
plain = st.lists(codes, max_size=6)


def as_lists(itemsets):
    return [itemset.tolist() for itemset in itemsets]


@given(plain, st.data())
def test_itemsets_are_read_as_lists_are(lists, data):
    start, stop = (data.draw(st.integers(0, len(lists))) for _ in range(2))
    itemsets, part = Itemsets.of(lists), lists[start:stop]
    view = itemsets[start:stop]
    assert as_lists(itemsets) == lists == [itemsets[number].tolist() for number in range(len(itemsets))]
    assert (as_lists(view), view.lengths.tolist(), view.size) == (part, list(map(len, part)), sum(map(len, part)))
    assert view.entries.tolist() == [item for itemset in part for item in itemset]
    assert view.owners.tolist() == [number for number, itemset in enumerate(part) for _ in itemset]
    assert view.longest == max(map(len, part), default=0)
    assert view.is_rooted == (part[:1] == [[]])
    assert as_lists(view.with_empty()) == [[], *part]
    assert view == Itemsets.of(part)
    assert (view == itemsets) == (part == lists)
    assert Itemsets.from_lengths(view.lengths, view.entries) == view
    assert offsets_of(view.lengths).tolist() == Itemsets.of(part).offsets.tolist()


@given(st.lists(plain, max_size=4), st.data())
def test_itemsets_are_joined_and_taken_as_lists_are(parts, data):
    weights = [[data.draw(st.integers(1, 9)) for _ in part] for part in parts]
    weighted = [Itemsets.of(part).weigh(np.array(some, np.int64)) for part, some in zip(parts, weights, strict=True)]
    lists, numbers = list(chain.from_iterable(parts)), list(chain.from_iterable(weights))
    itemsets = Weighted.concat([part[: len(part)] for part in weighted])
    assert as_lists(itemsets) == lists == as_lists(Itemsets.concat([Itemsets(*part.flat) for part in weighted]))
    assert itemsets.weights.tolist() == numbers
    chosen = data.draw(st.lists(st.sampled_from(range(len(lists)))) if lists else st.just([]))
    taken = itemsets.take(np.array(chosen, np.int64))
    assert (as_lists(taken), taken.weights.tolist()) == ([lists[at] for at in chosen], [numbers[at] for at in chosen])


@given(plain, st.data())
def test_sums_and_containment_are_those_of_lists(lists, data):
    start = data.draw(st.integers(0, len(lists)))
    part, worth, wanted = Itemsets.of(lists)[start:], np.arange(10) ** 2, data.draw(codes)
    assert part.add_up(worth[part.items]).tolist() == [sum(item**2 for item in itemset) for itemset in lists[start:]]
    assert part.add_up(part.items > 4).tolist() == [sum(item > 4 for item in itemset) for itemset in lists[start:]]
    assert part.contain(wanted).tolist() == [set(wanted) <= set(itemset) for itemset in lists[start:]]


@given(st.lists(codes, max_size=8, unique_by=tuple), st.integers(1, 3))
def test_sorting_is_that_of_lists(lists, threads):
    itemsets = Itemsets.of(lists).weigh(np.arange(len(lists))).sort(10, threads)
    assert as_lists(itemsets) == sorted(lists)
    assert itemsets.weights.tolist() == sorted(range(len(lists)), key=lists.__getitem__)


@given(st.sampled_from([1, 10, 63, 64, 65, 3000]), st.data())
def test_the_order_is_that_of_sorting_by_leads_and_lists(items, data):
    some = st.lists(st.integers(0, items - 1), max_size=12, unique=True).map(sorted)
    whole = st.integers(0, items).map(lambda stop: [*range(stop)])  # of several words, and one begins another
    lists = data.draw(st.lists(some | whole, max_size=12))
    leads = data.draw(st.lists(st.sampled_from([0, 1, 300, 2**40]), min_size=len(lists), max_size=len(lists)))
    expected = sorted(range(len(lists)), key=lists.__getitem__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.data.itemsets.SAMPLE", 2)
        parts = Itemsets.of(lists).order_parts(items, threads=data.draw(st.integers(1, 4)))
    again = max(equal for _, equal in parts)
    assert [number for order, _ in parts for number in order.tolist()] == expected
    assert (again >= 0) == (len({*map(tuple, lists)}) < len(lists))
    assert again < 0 or lists.count(lists[again]) > 1
    expected = sorted(range(len(lists)), key=lambda number: (leads[number], lists[number]))
    assert Itemsets.of(lists).order(items, np.array(leads, np.int64)).tolist() == expected


@pytest.mark.parametrize("items", [62, 63, 64, 65, 70])
def test_the_order_is_right_where_items_no_longer_fit_one_word(items):
    lists = [*([*range(stop)] for stop in range(1, items + 1)), *([item] for item in range(1, items)), [0, items - 1]]
    assert Itemsets.of(lists).order(items).tolist() == sorted(range(len(lists)), key=lists.__getitem__)


def test_itemsets_of_no_items_have_an_order():
    assert Itemsets.of([[], []]).order(0).tolist() == [0, 1]
    assert Itemsets.of([]).order(0).tolist() == []


def test_an_itemset_listed_twice_is_refused():
    with pytest.raises(InputError, match="listed twice"):
        Itemsets.of([[1], [0], [1]]).weigh(np.arange(3)).sort(2)


def test_items_are_sorted_and_each_stands_once():
    assert as_lists(Itemsets.of([[3, 1, 3], [], [2, 2]]).sort_items()) == [[1, 3], [], [2]]


@given(plain, plain)
def test_holders_of_groups_are_counted_one_by_one(lists, groups):
    held = [[len({*itemset} & {*group}) for itemset in lists] for group in groups]
    expected = [[sum(many >= least for many in each) for each in held] for least in (1, 2)]
    assert [counts.tolist() for counts in Itemsets.of(lists).count_holders(groups)] == expected
