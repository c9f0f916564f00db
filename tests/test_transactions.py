"""Transactions: n rows of items, each a set, that never change."""

import dataclasses
import pickle

import numpy as np
import oracle
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import databases

from discreet import InputError, Transactions
from discreet.data.transactions import LONGEST_ROW

pytestmark = pytest.mark.nojit

slices = st.slices(30).filter(lambda part: part.step in (None, 1))


@given(databases())
def test_rows_come_back_as_they_went_in(rows):
    assert list(Transactions(rows)) == rows
    assert len(Transactions(rows)) == Transactions(rows).n == len(rows)


@given(databases(), st.integers(-30, 29))
def test_a_row_is_found_by_its_number(rows, number):
    assume(-len(rows) <= number < len(rows))
    assert Transactions(rows)[number] == rows[number]


@given(databases(), st.integers(-60, 59))
def test_a_row_that_is_not_there_is_not_found(rows, number):
    assume(not -len(rows) <= number < len(rows))
    with pytest.raises(IndexError):
        Transactions(rows)[number]


@given(databases(), databases())
def test_support_counts_the_rows_that_hold_an_itemset(rows, others):
    transactions = Transactions(rows)
    for itemset in {frozenset(), *rows, *others}:
        assert transactions.support(itemset) == oracle.support(itemset, rows)
        assert transactions.rows(itemset).tolist() == [at for at, row in enumerate(rows) if itemset <= row]


@given(databases(), slices)
def test_a_slice_is_the_slice_of_the_rows(rows, part):
    transactions = Transactions(rows, ids=range(len(rows)))[part]
    assert list(transactions) == rows[part]
    assert list(transactions.ids) == list(range(len(rows)))[part]
    assert transactions == Transactions(rows[part], ids=range(len(rows))[part])
    assert transactions.support([]) == len(rows[part])


@given(databases(), slices, slices)
def test_a_slice_can_be_sliced_and_counted(rows, first, second):
    transactions = Transactions(rows)[first][second]
    expected = rows[first][second]
    assert list(transactions) == expected
    assert all(transactions.support(row) == oracle.support(row, expected) for row in rows)


def test_a_slice_shares_the_items_of_the_whole():
    transactions = Transactions([["a"], ["b"], ["c"]])
    assert transactions[1:].items.base is transactions.items.base
    assert np.shares_memory(transactions[1:].items, transactions.items)


@pytest.mark.parametrize("step", [2, -1])
def test_a_slice_in_steps_is_refused(step):
    with pytest.raises(InputError, match=r"steps of 1"):
        Transactions([["a"], ["b"]])[::step]


@given(databases(), databases())
def test_equal_rows_make_equal_transactions(rows, others):
    assert Transactions(rows) == Transactions(map(list, rows))
    assert (Transactions(rows) == Transactions(others)) == (rows == others)


def test_equality_goes_by_label_and_not_by_code():
    coded = Transactions.from_codes(np.array([0, 2]), np.array([0, 1], np.int32), ["b", "a"])
    assert coded == Transactions([["a", "b"]])
    assert coded != Transactions([["a", "c"]])


def test_ids_are_part_of_the_value():
    assert Transactions([["a"]], ids=["t1"]) == Transactions([["a"]], ids=("t1",))
    assert Transactions([["a"]], ids=["t1"]) != Transactions([["a"]], ids=["t2"])
    assert Transactions([["a"]], ids=["t1"]) != Transactions([["a"]])


def test_transactions_differ_from_the_lists_they_were_made_of():
    assert Transactions([]) != []


def test_one_id_a_row_is_asked_for():
    with pytest.raises(InputError, match=r"2 rows but 1 row ids"):
        Transactions([["a"], ["b"]], ids=["t1"])


def test_nothing_in_transactions_can_be_changed():
    transactions = Transactions([["a", "b"], ["b"]])
    with pytest.raises(dataclasses.FrozenInstanceError):
        transactions.labels = ()
    for array in (transactions.items, transactions.offsets):
        with pytest.raises(ValueError, match=r"read-only"):
            array[0] = 1


def test_transactions_are_no_keys():
    with pytest.raises(TypeError, match=r"unhashable"):
        hash(Transactions([]))


def test_a_repeated_item_counts_once():
    assert Transactions([["a", "b", "a"]]).items.tolist() == [0, 1]
    assert Transactions([["a", "b", "a"]]) == Transactions([["b", "a"]])


def test_rows_may_come_from_generators_and_sets():
    expected = Transactions([["a", "b"], ["b"]])
    assert Transactions((item for item in row) for row in ("ab", "b")) == expected
    assert Transactions(iter([{"a": 1, "b": 2}.keys(), {"b"}])) == expected


def test_no_rows_and_empty_rows_are_rows_too():
    assert (len(Transactions([])), Transactions([]).support([]), Transactions([]).support(["a"])) == (0, 0, 0)
    assert (len(Transactions([[], []])), Transactions([[], []]).support([])) == (2, 2)


@pytest.mark.parametrize("row", ["bread", b"bread", 7, None], ids=repr)
def test_a_row_that_is_no_collection_is_refused_by_its_number_alone(row):
    with pytest.raises(InputError, match=r"^row 2 is of type") as caught:
        Transactions([["a"], row])
    assert "\n" not in str(caught.value)
    assert "bread'," not in str(caught.value).replace("['bread', 'milk']", "")


@pytest.mark.parametrize("missing", [None, float("nan")], ids=repr)
def test_missing_values_in_rows_are_refused(missing):
    with pytest.raises(InputError, match=r"missing values"):
        Transactions([["a", missing]])


def test_text_is_a_query_and_bytes_are_refused():
    transactions = Transactions([["a", "b"], ["ab"]])
    assert (transactions.support("ab"), transactions.rows("ab").tolist()) == (1, [1])
    for count in (transactions.support, transactions.rows):
        with pytest.raises(InputError, match=r"not text"):
            count(b"ab")


def test_a_row_beyond_reason_is_refused_by_its_number():
    with pytest.raises(InputError, match=r"row 2 holds 100,001 items.*line ends"):
        Transactions([[1], range(LONGEST_ROW + 1)])


def test_labels_that_look_alike_stay_apart():
    transactions = Transactions([["1"], [1], [1, "1"]])
    assert [transactions.support(itemset) for itemset in (["1"], [1], [1, "1"])] == [2, 2, 1]


def test_the_text_of_transactions_shows_counts_and_no_labels():
    assert repr(Transactions([["secret", "b"], ["b"]])) == "<Transactions: 2 rows, 2 items, 3 entries>"


@given(databases())
def test_transactions_survive_pickling(rows):
    assert pickle.loads(pickle.dumps(Transactions(rows))) == Transactions(rows)  # noqa: S301 - our own bytes
