"""Mine: what is asked for, what comes back, and what is refused."""

from itertools import pairwise

import oracle
import pytest

from discreet import BudgetError, OptionError, ThresholdError, Transactions, mine

KINDS = pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
ROWS = [["a", "b"], ["a", "b"], ["a"], []]

pytestmark = pytest.mark.nojit


def sets(patterns):
    """Return the itemsets of patterns as sorted text."""
    return sorted("".join(sorted(itemset)) for itemset, _ in patterns)


def test_itemsets_exactly_on_a_threshold_of_floats_are_found():
    rows = [["A", "B"]] * 7 + [["C"]] * 18
    assert sets(mine(rows, min_support=0.28, kind="frequent")) == ["", "A", "AB", "B", "C"]
    assert sets(mine(rows, min_support=0.28, kind="closed")) == ["", "AB", "C"]
    assert sets(mine(rows, min_support=0.28, kind="maximal")) == ["AB", "C"]
    assert mine(rows, min_support=0.28).min_support == 7


def test_closed_itemsets_come_unless_another_kind_is_asked_for():
    assert mine(ROWS, min_support=2) == mine(ROWS, min_support=2, kind="closed")
    assert mine(ROWS, min_support=2).kind == "closed"


@KINDS
def test_patterns_say_how_they_were_mined(kind):
    patterns = mine(ROWS, min_support="50%", kind=kind)
    assert (patterns.n, patterns.min_support, patterns.kind) == (4, 2, kind)


@KINDS
def test_rows_may_come_from_a_generator_or_be_transactions(kind):
    expected = mine(ROWS, min_support=2, kind=kind)
    assert mine(iter(ROWS), min_support=2, kind=kind) == expected
    assert mine(Transactions(ROWS), min_support=2, kind=kind) == expected


@KINDS
def test_a_slice_of_rows_is_mined_as_rows_of_its_own(kind):
    rows = [["a", "b", "c"], ["z"], ["a", "b"], ["a"], ["b", "c"]]
    assert dict(mine(Transactions(rows)[1:4], min_support=1, kind=kind)) == oracle.KINDS[kind](rows[1:4], 1)


@KINDS
def test_no_rows_have_no_patterns(kind):
    assert len(mine([], min_support=1, kind=kind)) == 0
    assert len(mine([], min_support=0.5, kind=kind)) == 0


@KINDS
def test_empty_rows_hold_the_empty_itemset(kind):
    assert dict(mine([[], []], min_support=1, kind=kind)) == {frozenset(): 2}


@KINDS
def test_one_item_is_enough(kind):
    assert dict(mine([["a"]], min_support=1, kind=kind)) == oracle.KINDS[kind]([["a"]], 1)


@KINDS
def test_a_threshold_above_the_rows_leaves_nothing(kind):
    assert len(mine(ROWS, min_support=5, kind=kind)) == 0
    assert len(mine(ROWS, min_support=2**53, kind=kind)) == 0


def test_items_in_all_rows_are_the_closure_of_the_empty_itemset():
    found = mine([["a", "b"], ["a"]], min_support=1, kind="closed")
    assert dict(found) == {frozenset("a"): 2, frozenset("ab"): 1}


@pytest.mark.parametrize("max_length", range(4))
@KINDS
def test_closed_and_maximal_are_meant_within_the_length(kind, max_length):
    rows = [["a", "b", "c"], ["a", "b", "c"], ["a", "c"], ["b"]]
    expected = oracle.KINDS[kind](rows, 1, max_length)
    assert dict(mine(rows, min_support=1, kind=kind, max_length=max_length)) == expected


@pytest.mark.parametrize("items", [63, 64, 65, 130])
@KINDS
def test_more_items_and_rows_than_bits_in_a_word_are_mined(kind, items):
    rows = [[item] for item in range(items)] * 2 + [list(range(items))[:3]]
    expected = {frozenset([item]): 3 if item < 3 else 2 for item in range(items)}
    found = dict(mine(rows, min_support=2, kind=kind))
    assert {itemset: count for itemset, count in found.items() if itemset} == expected
    assert (frozenset() in found) == (kind != "maximal")


@KINDS
def test_the_same_rows_give_the_same_patterns_on_any_number_of_threads(kind):
    rows = [[item for item in range(12) if (row * 7 + item * item) % (item + 2) < 2] for row in range(60)]
    one, two = (mine(rows, min_support=3, kind=kind, threads=threads) for threads in (1, 2))
    assert one == two
    assert list(one) == list(two)


@KINDS
def test_itemsets_come_in_dictionary_order_of_their_codes(kind):
    patterns = mine([["b", "c"], ["a", "c"], ["a", "b"], ["b"]], min_support=1, kind=kind)
    codes = [patterns.items[start:stop].tolist() for start, stop in pairwise(patterns.offsets)]
    assert codes == sorted(codes)
    assert all(itemset == sorted(set(itemset)) for itemset in codes)


@KINDS
def test_progress_ends_with_all_of_the_work_and_all_that_was_found(kind):
    calls = []
    patterns = mine(ROWS, min_support=1, kind=kind, progress=lambda done, found: calls.append((done, found)))
    shares = [done for done, _ in calls]
    assert shares == sorted(shares)
    assert calls[-1] == (1.0, len(patterns))


@KINDS
def test_as_many_patterns_as_allowed_are_no_error(kind):
    rows = [["a", "b"], ["b", "c"], ["a"]]
    expected = oracle.KINDS[kind](rows, 1)
    assert dict(mine(rows, min_support=1, kind=kind, max_patterns=len(expected))) == expected


@KINDS
def test_more_patterns_than_allowed_end_in_an_error_that_says_what_to_raise(kind):
    rows = [["a", "b"], ["b", "c"], ["a"]]
    with pytest.raises(BudgetError, match=r"max_patterns") as caught:
        mine(rows, min_support=1, kind=kind, max_patterns=len(oracle.KINDS[kind](rows, 1)) - 1)
    assert "\n" not in str(caught.value)


@KINDS
def test_more_memory_than_allowed_ends_in_an_error_that_says_what_to_raise(kind):
    rows = [[item for item in range(14) if item != row] for row in range(14)]
    with pytest.raises(BudgetError, match=r"memory"):
        mine(rows, min_support=1, kind=kind, memory=1)


@pytest.mark.parametrize("kind", ["all", "", None, "Closed"])
def test_an_unknown_kind_is_refused(kind):
    with pytest.raises(OptionError, match=r"it must be one of frequent, closed, maximal"):
        mine(ROWS, min_support=2, kind=kind)


@pytest.mark.parametrize("min_support", [0, 1.5, "abc", float("nan"), 10**20])
def test_a_threshold_that_means_nothing_is_refused(min_support):
    with pytest.raises(ThresholdError, match=r"^min support is"):
        mine(ROWS, min_support=min_support)


@pytest.mark.parametrize("name", ["max_length", "threads", "max_patterns", "memory"])
@pytest.mark.parametrize("value", [-1, 1.5, "2", True])
def test_a_limit_that_means_nothing_is_refused_by_its_name(name, value):
    with pytest.raises(ThresholdError, match=rf"{name}"):
        mine(ROWS, min_support=2, **{name: value})


def test_mining_leaves_its_input_as_it_was():
    rows = Transactions(ROWS)
    mine(rows, min_support=2)
    assert rows == Transactions(ROWS)
