"""Verdicts: the worst wins, and none is the worst."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.judging.policy import Verdict, worst

RELEASE, REVIEW, WITHHOLD = Verdict


def test_the_order_is_from_best_to_worst():
    assert sorted([WITHHOLD, RELEASE, REVIEW]) == [Verdict.RELEASE, Verdict.REVIEW, Verdict.WITHHOLD]


@pytest.mark.parametrize(("better", "worse"), list(combinations(Verdict, 2)))
def test_the_order_is_total(better, worse):
    assert better < worse
    assert better <= worse
    assert worse > better
    assert worse >= better
    assert better != worse


@given(st.lists(st.sampled_from(Verdict), min_size=1))
def test_the_worst_verdict_wins(verdicts):
    expected = WITHHOLD if WITHHOLD in verdicts else REVIEW if REVIEW in verdicts else RELEASE
    assert worst(iter(verdicts)) is expected


def test_no_verdict_is_the_worst():
    assert worst([]) is WITHHOLD


@pytest.mark.parametrize("other", ["REVIEW", 1, None])
def test_a_word_or_a_number_is_no_verdict(other):
    with pytest.raises(TypeError):
        worst([RELEASE, other])
