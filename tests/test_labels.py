"""Labels: any hashable values, in an order that depends on nothing but them."""

import datetime as dt
import json
import os
import subprocess
import sys
from enum import Enum
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Transactions, audit
from discreet.data.itemsets import is_missing, sort_labels
from discreet.report import audit_json, audit_text
from discreet.runtime.html import show_label
from discreet.runtime.text import printable

labels = st.lists(
    st.integers()
    | st.text()
    | st.binary()
    | st.floats(allow_nan=False).filter(lambda x: not x.is_integer())
    | st.tuples(st.integers(), st.text())
)


class Colour(Enum):
    """Labels without an order of their own."""

    RED = 1
    BLUE = 2


@given(labels)
def test_distinct_labels_come_out_once_each(items):
    found = sort_labels(items)
    assert set(found) == set(items)
    assert len(found) == len(set(items))


@given(labels.flatmap(lambda items: st.tuples(st.just(items), st.permutations(items))))
def test_the_order_of_coming_does_not_matter(both):
    items, shuffled = both
    assert sort_labels(items) == sort_labels(shuffled)


def test_labels_of_one_type_keep_their_own_order():
    assert sort_labels([10, 9, -1]) == (-1, 9, 10)
    assert sort_labels(["b", "B", "a"]) == ("B", "a", "b")
    days = [dt.date(2024, 5, day) for day in (3, 1, 2)]
    assert sort_labels(days) == tuple(sorted(days))


def test_labels_that_cannot_be_compared_go_by_their_text():
    assert sort_labels([Colour.RED, Colour.BLUE]) == (Colour.BLUE, Colour.RED)
    assert sort_labels([("b", 1), (1, "b")]) == (("b", 1), (1, "b"))


@pytest.mark.parametrize("types", [(bool, float, int), (float, int), (Fraction, bool, float, int)], ids=str)
def test_equal_labels_are_one_item_called_by_the_first_of_its_types(types):
    for labels in permutations(kind(1) for kind in types):
        assert [(type(label), label) for label in sort_labels([2, *labels])] == [(types[0], 1), (int, 2)]


def test_equal_labels_are_counted_as_one_item():
    rows = Transactions([[1], [True], [1.0, 2]])
    assert (rows.labels, rows.support([1]), rows.support([True])) == ((True, 2), 3, 3)


@given(
    st.sets(st.frozensets(st.sampled_from("abc")), min_size=1).flatmap(
        lambda sets: st.permutations(sorted(sets, key=sorted))
    )
)
def test_sets_have_one_order_whatever_order_they_came_in(sets):
    assert sort_labels(sets) == sort_labels(sets[::-1]) == sort_labels(sorted(sets, key=sorted))
    assert sort_labels([("x", label) for label in sets]) == tuple(("x", label) for label in sort_labels(sets))


def test_sets_go_by_inclusion_where_that_orders_them_all_and_by_their_text_where_not():
    a, c, ab = map(frozenset, ("a", "c", "ab"))
    assert sort_labels([ab, a]) == (a, ab)
    assert sort_labels([c, a, ab]) == (ab, a, c)


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, np.float32("nan"), np.datetime64("NaT")], ids=repr)
def test_missing_values_are_missing(missing):
    assert is_missing(missing)


@pytest.mark.parametrize("label", ["nan", "", "None", 0, False, (), 0.0], ids=repr)
def test_what_merely_looks_empty_is_a_label(label):
    assert not is_missing(label)


def test_missing_values_of_pandas_are_missing():
    pandas = pytest.importorskip("pandas")
    assert all(map(is_missing, [pandas.NA, pandas.NaT]))


def test_the_order_does_not_hang_on_the_hash_seed():
    program = (
        "from discreet import Transactions, mine\n"
        "rows = Transactions([{'milk', 'bread', 7, ('age', 40), b'x'}, {'beer', 'milk', 3, 2.5}, {'bread', 'beer'}])\n"
        "print(rows.labels, rows.items.tolist(), [sorted(map(repr, x)) for x, _ in mine(rows, min_support=1)])\n"
        "sets = Transactions([{frozenset(word) for word in ('tea', 'milk', 'oat', 'rice', 'salt', 'rye')}])\n"
        "print([''.join(sorted(label)) for label in sets.labels])\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert "milk" in printed.pop()


# How labels are shown.

SHOWN = (
    "می\u200cخواهم",  # Persian, with a non-joiner
    "خانه\u200cها",
    "क्\u200dष",  # Devanagari, with a joiner
    "ന്\u200d",  # Malayalam, at the end of a word
    "👨\u200d👩\u200d👧\u200d👦",
    "👩🏽\u200d⚕\ufe0f",
    "🏳\ufe0f\u200d🌈",
    "❤\ufe0f",
    "e\u0301",
    "naïve, 東京, שלום",
)
ESCAPED = {
    "a\u200db": r"a\u200db",
    "ab\u200c": r"ab\u200c",
    "\u200dab": r"\u200dab",
    "👩\u200d": r"👩\u200d",
    "می\u200c\u200cخواهم": r"می\u200c\u200cخواهم",
    "می\u200c": r"می\u200c",
    "a\u202eb\u2066c\u2069": r"a\u202eb\u2066c\u2069",
    "a\u2028b\ufeff\n\x1b\x85": r"a\u2028b\ufeff\n\x1b\x85",
    "\ud800\U000e0001\u0378": r"\ud800\U000e0001\u0378",
}
texts = st.text(st.characters() | st.sampled_from("\u200c\u200d\ufe0f\u202e\u2066\ufeff\n می्क👩🏽ab\\"))


@pytest.mark.parametrize("label", SHOWN)
def test_labels_are_shown_as_they_are_written(label):
    assert printable(label) == label
    result = audit([[label, "b"]] * 48 + [[label]] * 2 + [[]] * 50, min_support=10, k=10)
    assert label in "\n".join(audit_text(result))
    assert label in json.loads(b"".join(audit_json(result)))["channels"][0]["base"]
    assert label in result.to_html()


@pytest.mark.parametrize("label", ESCAPED)
def test_what_acts_unseen_is_escaped(label):
    assert printable(label) == ESCAPED[label]


@given(texts)
def test_what_is_printed_has_no_control_and_is_not_changed_again(text):
    shown = printable(text)
    unseen = {letter for letter in shown if not letter.isprintable()}
    assert unseen <= {"\u200c", "\u200d"}
    assert printable(shown) == shown
    assert shown == text or not text.isprintable()


@given(st.text("ab\u200c\u200d"), st.text("ab\u200c\u200d"))
def test_labels_that_differ_in_a_joiner_alone_look_different(one, two):
    assert (printable(one) == printable(two)) == (one == two)


@given(texts, st.integers(1, 12))
def test_a_label_that_is_cut_ends_in_no_joiner(text, most):
    assert len(text) <= most or not show_label(text, most).endswith((r"\u200c…", r"\u200d…", "\u200c…", "\u200d…"))
