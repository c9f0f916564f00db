"""Minimum supports: a share becomes a count once, and exactly."""

import math
from contextlib import suppress
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import shares

from discreet import ThresholdError
from discreet.data.thresholds import LARGEST_COUNT, as_confidence, as_count, as_disclosure

NUMERALS = st.one_of(
    st.from_regex(r"[-+]?[0-9]{0,45}(\.[0-9]{0,45})?([eE][-+]?[0-9]{0,12})? ?%?", fullmatch=True),
    st.builds("{}/{}".format, st.integers(0, 99), st.integers(0, 99)),
    st.text("0123456789.eE+-_/% naif٣५½", max_size=30),
    st.sampled_from(["1e999999999", "1e-999999999%", "1" * 5000, f"0.{'0' * 5000}1", "1e" + "9" * 5000, "1_000"]),
)
"""Texts of numbers and nearly of numbers: many digits, huge exponents, digits of other scripts."""


@given(share=shares, n=st.integers(0, 200))
def test_a_fraction_is_the_least_count_that_reaches_it(share, n):
    assert as_count(share, n) == oracle.least_count(share, n)


@given(thousandths=st.integers(1, 1000), n=st.integers(0, 200))
def test_a_decimal_means_what_it_says_as_float_text_or_percentage(thousandths, n):
    expected = oracle.least_count(Fraction(thousandths, 1000), n)
    percentage = f"{thousandths // 10}.{thousandths % 10}%"
    forms = (thousandths / 1000, percentage, percentage.replace("%", " %"))
    assert [as_count(form, n) for form in forms] == [expected] * len(forms)
    assert as_count(f"0.{thousandths:03}" if thousandths < 1000 else "1.000", n) == expected


@given(count=st.integers(1, LARGEST_COUNT), n=st.integers(0, 200))
def test_a_count_is_itself_whatever_the_number_of_rows(count, n):
    assert as_count(count, n) == as_count(str(count), n) == as_count(f" {count} ", n) == count


def test_seven_of_25_rows_are_28_percent_though_floats_say_eight():
    assert 0.28 * 25 > 7
    assert as_count(0.28, 25) == 7


def test_a_quotient_of_a_count_and_the_rows_gives_the_count_back():
    wrong = [(count, n) for n in range(1, 301) for count in range(1, n + 1) if as_count(count / n, n) != count]
    assert wrong == []


@given(st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(1, n), st.just(n))))
def test_a_quotient_gives_the_count_back_however_many_rows_there_are(both):
    count, n = both
    assert as_count(count / n, n) == as_count(np.float64(count) / n, n) == count


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(1, n), st.just(n))))
def test_a_quotient_of_single_precision_gives_the_count_back(both):
    count, n = both
    assert as_count(np.float32(count / n), n) == count


def test_a_share_just_above_a_quotient_asks_for_one_row_more():
    assert as_count(math.nextafter(7 / 9, 1), 9) == 8
    assert as_count("0.7777777777777778", 9) == 8


def test_one_is_a_count_and_one_point_zero_all_rows():
    assert (as_count(1, 25), as_count("1", 25), as_count(1.0, 25), as_count("100%", 25)) == (1, 1, 25, 25)


def test_numbers_of_numpy_are_numbers():
    assert (as_count(np.int64(7), 25), as_count(np.float64(0.28), 25)) == (7, 7)


def test_no_rows_still_need_a_support_of_one():
    assert as_count(0.5, 0) == 1


@pytest.mark.parametrize(
    "min_support",
    [
        *(0, -1, 10**20, 1.5, -0.1, 0.0, float("nan"), float("inf")),
        *("abc", "", "%", "0", "0%", "101%", "1.5", "nan", "1/0", "1e", "ten", "10 000"),
        *(True, False, None, [], b"7", 1j),
    ],
    ids=repr,
)
def test_what_is_no_threshold_is_refused_in_one_sentence(min_support):
    with pytest.raises(ThresholdError, match=r"^min support is .*give a count such as 813, or a share") as caught:
        as_count(min_support, 100)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@given(NUMERALS)
def test_a_text_is_read_exactly_and_at_once_or_refused_in_one_sentence(text):
    expected = oracle.number(text)
    for read, is_allowed in (
        (as_disclosure, lambda share: 0 <= share <= 1),
        (as_confidence, lambda share: 0 <= share <= 1),
        (lambda text: as_count(text, 9), lambda share: 0 < share <= (2**53 if text.strip().isdigit() else 1)),
    ):
        found = None
        with suppress(ThresholdError):
            found = read(text)
        is_right = expected is not None and is_allowed(expected)
        value = expected if read in {as_disclosure, as_confidence} else is_right and oracle.read_count(text, 9)
        # Numbers of more than 40 digits, and of large exponents, may be refused.
        may_be_refused = not is_right or len(text) > 40 or "e" in text.lower()
        assert found == value if is_right and not may_be_refused else found in ([None, value] if is_right else [None])


@pytest.mark.parametrize("number", [10**5000, -(10**5000), Fraction(10**5000, 7)], ids=["large", "small", "quotient"])
def test_a_number_that_python_does_not_print_is_refused_in_one_sentence(number):
    with pytest.raises(ThresholdError, match="a number of thousands of digits"):
        as_count(number, 9)


def test_a_fraction_of_any_size_is_taken_as_it_is():
    assert as_disclosure(Fraction(1, 10**5000)) == Fraction(1, 10**5000)
