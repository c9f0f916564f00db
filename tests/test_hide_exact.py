"""The methods "border" and "exact": the least harm to legitimate itemsets."""

import os
from fractions import Fraction
from functools import partial
from random import Random

import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import databases

from discreet import Transactions, hide
from discreet.hiding import border, exact
from discreet.runtime.solver import Program, Solved

METHODS = ("naive", "minfia", "maxfia", "iga", "swa", "border")
BOTH = pytest.mark.parametrize("method", ["border", "exact"])
NONE = Fraction(0)
SEEDS = 100 if os.environ.get("CI") else 200

small = partial(databases, max_rows=12, max_items=5)


@st.composite
def hidings(draw, source=small):
    """Rows, sensitive itemsets over their items, and how far they are to be hidden: a share for each, or a count."""
    rows = draw(source())
    items = Transactions(rows).labels
    assume(items)
    itemset = st.sets(st.sampled_from(items), min_size=1, max_size=3).map(frozenset)
    sensitive = draw(st.lists(itemset, min_size=1, max_size=4, unique=True))
    below = draw(st.none() | st.integers(1, 4))
    share = st.just(NONE) if below else st.sampled_from([NONE, Fraction(1, 3), Fraction(1, 2), Fraction(1)])
    return rows, sensitive, [draw(share) for _ in sensitive], below


def sigma_of(rows, sensitive, below):
    return below or max(1, min(oracle.support(itemset, rows) for itemset in sensitive))


def harm(hidden, rows, sensitive, below):
    """How many legitimate itemsets are lost, and how many items are removed, by the oracle."""
    sigma = sigma_of(rows, sensitive, below)
    before, after = oracle.legitimate(rows, sensitive, sigma), oracle.found(list(hidden.transactions), sigma)
    return len(before - after), sum(map(len, rows)) - sum(map(len, hidden.transactions))


def random_case(seed):
    """Rows, sensitive itemsets that several rows hold, and a count below which these are to be."""
    random = Random(seed)  # noqa: S311 - no secret
    items = range(random.randint(3, 7))
    rows = [frozenset(item for item in items if random.random() < 0.6) for _ in range(random.randint(4, 25))]
    pairs = [frozenset(random.sample(items, random.randint(1, 3))) for _ in range(random.randint(1, 4))]
    known = list(dict.fromkeys(pair for pair in pairs if oracle.support(pair, rows)))
    return rows, known or [next(frozenset(row) for row in [*rows, {0}] if row)], random.randint(1, 5)


# What is promised.


@BOTH
@given(case=hidings())
@settings(deadline=None, max_examples=60)
def test_what_is_sensitive_is_held_by_few_enough_rows(method, case):
    rows, sensitive, shares, below = case
    hidden = hide(rows, sensitive, disclosure=shares, below=below, method=method)
    allowed = [
        oracle.support(itemset, rows) - oracle.rows_to_lose(itemset, share, rows, below)
        for itemset, share in zip(sensitive, shares, strict=True)
    ]
    after = [oracle.support(itemset, list(hidden.transactions)) for itemset in sensitive]
    assert all(now <= most for now, most in zip(after, allowed, strict=True))


@BOTH
@given(case=hidings())
@settings(deadline=None, max_examples=30)
def test_the_number_of_threads_changes_nothing(method, case):
    rows, sensitive, shares, below = case
    one, two = (
        hide(rows, sensitive, disclosure=shares, below=below, method=method, threads=threads) for threads in (1, 2)
    )
    assert list(one.transactions) == list(two.transactions)


# Border.


@given(case=hidings() | hidings(partial(databases, max_rows=30, max_items=4)))
@settings(deadline=None)
def test_border_removes_the_pair_of_the_least_weight_each_time(case):
    rows, sensitive, shares, below = case
    expected = oracle.border(rows, sensitive, shares, list(Transactions(rows).labels), below=below)
    assert list(hide(rows, sensitive, disclosure=shares, below=below, method="border").transactions) == expected


def test_border_does_so_where_harm_cannot_be_spread():
    for seed in range(40):
        random = Random(seed)  # noqa: S311 - no secret
        rows = [frozenset(item for item in range(6) if random.random() < 0.6) for _ in range(30)]
        sensitive = list({frozenset(random.sample(range(6), random.randint(2, 3))) for _ in range(2)})
        below = random.randint(3, 8)
        expected = oracle.border(rows, sensitive, [NONE] * len(sensitive), list(range(6)), below=below)
        assert list(hide(rows, sensitive, below=below, method="border").transactions) == expected


@pytest.mark.parametrize(("name", "value"), [("STEPS", 1), ("MOST_WEIGHED", 2), ("MOST_FREQUENT", 9)])
def test_border_hides_where_it_must_be_quick(monkeypatch, name, value):
    monkeypatch.setattr(border, name, value)
    for seed in range(20):
        rows, sensitive, below = random_case(seed)
        hidden = hide(rows, sensitive, below=below, method="border")
        assert max(oracle.support(itemset, list(hidden.transactions)) for itemset in sensitive) < below


# Exact.


@pytest.mark.parametrize("seed", range(0, SEEDS, 20))
def test_no_method_loses_less_than_exact(seed):
    for number in range(seed, seed + 20):
        rows, sensitive, below = random_case(number)
        hidden = {name: hide(rows, sensitive, below=below, method=name) for name in (*METHODS, "exact")}
        harms = {name: harm(one, rows, sensitive, below) for name, one in hidden.items()}
        assert harms["exact"] == min(harms.values())


@pytest.mark.parametrize("goal", [{"disclosure": 0}, {"disclosure": "50%"}, {"below": 2}])
def test_no_method_loses_less_than_exact_at_the_minimum_support_that_it_protects(goal):
    for seed in range(SEEDS // 5):
        rows, sensitive, least = random_case(seed)
        hidden = {name: hide(rows, sensitive, method=name, min_support=least, **goal) for name in (*METHODS, "exact")}
        missed = {name: one.measures(least).missed for name, one in hidden.items()}
        assert missed["exact"] == min(missed.values())


@given(case=hidings(partial(databases, max_rows=5, max_items=4)))
@settings(deadline=None, max_examples=60)
def test_exact_is_as_good_as_can_be(case):
    rows, sensitive, shares, below = case
    assume(len({type(item) for row in rows for item in row}) < 2)
    expected = oracle.least_harm(rows, sensitive, shares, below=below)
    hidden = hide(rows, sensitive, disclosure=shares, below=below, method="exact")
    assert harm(hidden, rows, sensitive, below) == expected


@given(case=hidings())
@settings(deadline=None, max_examples=60)
def test_the_gap_tells_what_is_lost_and_that_it_is_the_least(case):
    rows, sensitive, shares, below = case
    hidden = hide(rows, sensitive, disclosure=shares, below=below, method="exact")
    lost, _ = harm(hidden, rows, sensitive, below)
    assert hidden.gap == (lost, lost, False, False)


@pytest.mark.parametrize("name", ["MOST_ROWS", "MOST_EDITS", "MOST_CELLS"])
def test_a_program_that_would_be_too_large_leaves_the_best_of_the_others(monkeypatch, name):
    monkeypatch.setattr(exact, name, 1)
    rows, sensitive, below = random_case(3)
    hidden = hide(rows, sensitive, below=below, method="exact")
    others = [harm(hide(rows, sensitive, below=below, method=name), rows, sensitive, below) for name in METHODS]
    assert harm(hidden, rows, sensitive, below) == min(others)
    lost = min(others)[0]
    assert hidden.gap == (lost, 0, False, lost > 0)


def test_the_solver_gets_the_time_that_is_left_and_a_start(monkeypatch):
    told = []

    def solve(_self, *, seconds, gap, start):
        told.append((seconds, gap, start))
        return Solved(None, float("-inf"), stopped=True)

    monkeypatch.setattr(Program, "solve", solve)
    rows, sensitive, below = random_case(3)
    hidden = hide(rows, sensitive, below=below, method="exact", seconds=30)
    ((seconds, gap, start),) = told
    assert 0 < seconds <= 30
    assert gap == 0
    assert start.any()
    assert hidden.gap == (harm(hidden, rows, sensitive, below)[0], 0, True, False)


# Edges.


@pytest.mark.nojit
@BOTH
@pytest.mark.parametrize(
    ("rows", "sensitive", "below"),
    [
        (["a"], ["a"], 1),
        (["a"], ["a"], 5),
        (["", "a", ""], ["a"], 1),
        (["a", "b"], ["ab"], 1),
        (["ab", "ab", "ab"], ["ab"], 1),
        (["ab", "ab", "ab"], ["ab"], 3),
        (["ab", "ab", "c"], ["ab", "a"], 2),
        (["abc", "ab", "c"], ["ab", "abc"], None),
    ],
)
def test_edges_come_out_as_the_best(method, rows, sensitive, below):
    rows, sensitive = [frozenset(row) for row in rows], [frozenset(itemset) for itemset in sensitive]
    hidden = hide(rows, sensitive, below=below, method=method)
    expected = oracle.least_harm(rows, sensitive, [NONE] * len(sensitive), below=below)
    assert harm(hidden, rows, sensitive, below) == expected


@BOTH
def test_what_is_rare_enough_is_left_alone(method):
    rows = [["a", "b"], ["a", "b"], ["b"]]
    assert hide(rows, [["a", "b"]], below=3, method=method).items_removed == 0
    assert hide(rows, [["a", "b"]], disclosure=1, method=method).items_removed == 0


def test_a_small_disclosure_of_a_larger_itemset_is_kept_to():
    rows = [["a", "b", "c"]] * 4 + [["a", "b"]] * 4
    sensitive = [["a", "b"], ["a", "b", "c"]]
    assert hide(rows, sensitive, disclosure=["50%", 0], method="exact").after.tolist() == [4, 0]
    assert hide(rows, sensitive, disclosure=["50%", 0], method="border").after[1] == 0


@pytest.mark.parametrize("method", ["border", "exact"])
def test_progress_is_told_by_the_itemsets_that_are_done(method):
    seen = []
    rows, sensitive = [["a", "b", "c"]] * 9, [["a", "b"], ["b", "c"]]
    hide(rows, sensitive, below=3, method=method, progress=lambda share, done: seen.append((share, done)))
    assert seen == [(0.0, 0), (0.5, 1), (1.0, 2)]
