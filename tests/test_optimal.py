"""The least distortion: never worse than other methods, and where it says that none is better an oracle agrees."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from random import Random

import numpy as np
import oracle
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from strategies import databases, detected_databases, few_rows

from discreet import BudgetError, Transactions, block
from discreet.blocking import optimal, row_types
from discreet.blocking.problem import BlockProblem
from discreet.io import datasets
from discreet.mining.mine import mine
from discreet.runtime.solver import Program, Terms, list_entries

cases = detected_databases(partial(databases, max_rows=16, max_items=5)) | detected_databases(few_rows)
"""Rows, a minimum support, and a k."""
few_items = st.builds(
    lambda rows, sigma, k: (rows, sigma, k),
    st.lists(st.sampled_from(["", "a", "b", "ab"]), min_size=1, max_size=9),
    st.integers(1, 5),
    st.integers(2, 4),
)


def solved(rows, sigma, k, **options):
    """Return the release of the least distortion without channels; a row may be a word of letters."""
    return block(map(frozenset, rows), min_support=sigma, k=k, method="optimal", against="plain", **options)


def asked(rows, sigma, k, **options):
    """Return what the method is asked."""
    data = Transactions(map(frozenset, rows))
    return BlockProblem(data, mine(data, min_support=sigma), k, **options)


def told(release):
    """Return all itemsets that readers can tell the supports of."""
    return oracle.family_of(dict(release.patterns))


@pytest.fixture
def no_few(monkeypatch):
    """Let no rows be few enough to look through all that can be."""
    monkeypatch.setattr(row_types, "MOST_CELLS", 0)


@settings(max_examples=25)
@given(case=cases)
def test_no_channel_is_left(case):
    rows, sigma, k = case
    assert oracle.is_safe(oracle.told(told(solved(rows, sigma, k, seconds=1)), sigma), k)


@settings(max_examples=25)
@given(case=cases)
def test_supports_are_those_of_the_witness_and_of_it_all(case):
    rows, sigma, k = case
    release = solved(rows, sigma, k, seconds=1)
    assert told(release) == oracle.frequent(list(release.witness), sigma)
    assert release.patterns.n == len(release.witness)


@settings(max_examples=25)
@given(case=cases)
def test_nothing_becomes_frequent(case):
    rows, sigma, k = case
    assert set(told(solved(rows, sigma, k, seconds=1))) <= set(oracle.frequent(rows, sigma))


@settings(max_examples=25)
@given(case=cases)
def test_the_proof_speaks_of_what_was_measured(case):
    rows, sigma, k = case
    release = solved(rows, sigma, k, seconds=1)
    expected = float(oracle.distortion(oracle.frequent(rows, sigma), told(release))[3])
    assert release.proof.average == release.distortion.average == pytest.approx(expected, rel=1e-12)
    assert 0 <= release.proof.bound <= release.proof.average


@settings(max_examples=30)
@given(case=cases)
def test_it_is_never_worse_than_suppressing_or_adding(case):
    rows, sigma, k = case
    family = oracle.frequent(rows, sigma)
    left, _ = oracle.suppress(rows, sigma, k)
    suppressed = oracle.frequent([rows[number] for number in left], sigma)
    added = oracle.frequent([*rows, *oracle.add(rows, sigma, k)], sigma)
    expected = min(float(oracle.distortion(family, other)[3]) for other in (suppressed, added))
    assert solved(rows, sigma, k, seconds=1).distortion.average <= expected + 1e-12


@settings(max_examples=25)
@given(case=few_items)
def test_what_cannot_be_better_is_the_least_by_enumeration(case):
    rows, sigma, k = case
    proof = solved(rows, sigma, k).proof
    assert (proof.whole, proof.gap) == (True, 0)
    assert proof.average == pytest.approx(float(oracle.least_distortion(rows, sigma, k)), abs=1e-9)


@pytest.mark.parametrize(
    ("rows", "sigma", "k"),
    [
        (["abc", "abc", "ab", "ac", "b", ""], 2, 2),
        (["a", "ab", "ab", "ab", "b"], 4, 3),
        (["abc", "abc", "abc", "ab", "c", "c"], 3, 2),
        (["ab", "ab", "bc", "bc", "ac", "ac", ""], 2, 2),
    ],
)
def test_what_cannot_be_better_is_the_least_by_enumeration_on_three_items(rows, sigma, k):
    proof = solved(rows, sigma, k).proof
    assert (proof.whole, proof.gap) == (True, 0)
    assert proof.average == pytest.approx(float(oracle.least_distortion(rows, sigma, k)), abs=1e-9)


@settings(max_examples=15)
@given(case=few_items)
def test_what_keeps_the_number_of_rows_is_the_least_by_enumeration(case):
    rows, sigma, k = case
    expected = oracle.least_distortion(rows, sigma, k, keep_n=True)
    assume(expected is not None)
    release = solved(rows, sigma, k, keep_n=True)
    assert release.patterns.n == len(rows)
    # Rows that are repeated may make an itemset frequent that was not, which costs nothing and the oracle does not do.
    ghosts = set(dict(release.patterns)) - set(oracle.frequent(rows, sigma))
    assert release.proof.average <= float(expected) + 1e-9
    assert ghosts or release.proof.average == pytest.approx(float(expected), abs=1e-9)


@settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much])
@given(case=few_items)
def test_where_no_rows_of_their_number_are_safe_none_are_made(case):
    rows, sigma, k = case
    assume(oracle.least_distortion(rows, sigma, k, keep_n=True) is None)
    with pytest.raises(BudgetError, match="keep_n"):
        solved(rows, sigma, k, keep_n=True)


@settings(max_examples=25)
@given(case=cases)
def test_a_search_that_keeps_every_itemset_keeps_it(case):
    rows, sigma, k = case
    problem = asked(rows, sigma, k)
    assume(len(problem.channels) > 0)
    answer = optimal.search_keeping_all(problem, 10.0 * 2**8, time.monotonic() + 2).solution
    assert set(oracle.family_of(dict(answer.patterns))) == set(oracle.frequent(rows, sigma))
    assert oracle.is_safe(oracle.told(oracle.family_of(dict(answer.patterns)), sigma), k)


@settings(max_examples=25)
@given(case=few_items)
def test_a_search_that_keeps_every_itemset_is_never_better_than_the_least(case):
    rows, sigma, k = case
    problem = asked(rows, sigma, k)
    assume(len(problem.channels) > 0)
    expected = float(oracle.least_distortion(rows, sigma, k)) * len(oracle.frequent(rows, sigma))
    found = optimal.search_keeping_all(problem, 100.0, time.monotonic() + 2)
    answer = oracle.family_of(dict(found.solution.patterns))
    cost = oracle.distortion(oracle.frequent(rows, sigma), answer)
    assert float(cost[3] * cost[0]) >= expected - 1e-9


def test_databases_are_never_worse_off_than_by_other_methods():
    random = Random(4)  # noqa: S311 - no secret
    for _ in range(100 if os.environ.get("CI") else 300):
        shares = [random.uniform(0.2, 0.9) for _ in range(random.choice([2, 2, 3]))]
        rows = [[item for item, share in enumerate(shares) if random.random() < share] for _ in range(12)]
        options = {"min_support": random.randint(2, 7), "k": random.randint(2, 5), "against": "plain"}
        least = block(rows, method="optimal", seconds=1, **options).distortion.average
        for other in (
            {"method": "suppress"},
            {"method": "add"},
            {"method": "add", "merge": True},
            {"method": "withhold"},
        ):
            assert least <= block(rows, **other, **options).distortion.average + 1e-12


@pytest.mark.usefixtures("no_few")
def test_counts_of_kinds_of_rows_become_rows():
    rows = ["abc"] * 48 + ["ab"] * 2 + ["abd"] * 9 + ["d"] * 30 + [""] * 50
    release = solved(rows, 9, 10)
    before, after = Counter(map(frozenset, rows)), Counter(release.witness)
    gone = Counter(frozenset(rows[number]) for number in release.suppressed.tolist())
    assert before - gone == before & after
    assert (after - before).total() == release.added.weights.sum()
    # Of rows that are alike the last ones go.
    assert gone
    for kind, number in gone.items():
        alike = [at for at, row in enumerate(rows) if frozenset(row) == kind]
        assert set(alike[len(alike) - number :]) <= set(release.suppressed.tolist())


def test_what_has_no_channel_stays_as_it_is():
    release = solved(["ab"] * 10 + [""] * 10, 5, 5)
    assert (release.proof.average, release.proof.gap, release.proof.stopped) == (0, 0, False)
    assert dict(release.patterns) == dict(release.original)


@pytest.mark.parametrize(("rows", "sigma"), [([], 1), ([""], 2), (["ab"], 3)])
def test_what_has_no_frequent_itemset_stays_empty(rows, sigma):
    assert len(solved(rows, sigma, 5).patterns) == 0


def test_a_k_above_n_is_reached_with_more_rows_or_nothing_is_published():
    release = solved(["a", "a", ""], 2, 5)
    assert release.proof.average == pytest.approx(float(oracle.least_distortion(["a", "a", ""], 2, 5)))


def test_the_same_rows_give_the_same_release():
    rows = ["abc", "ab", "bcd", "cd", "abd", "a", "", "bc"] * 3 + ["abcd"]
    first, second = (solved(rows, 4, 4, seconds=20) for _ in range(2))
    assert first.patterns == second.patterns
    assert first.suppressed.tolist() == second.suppressed.tolist()
    assert first.added == second.added


def test_what_is_too_large_is_refused_before_it_is_built(monkeypatch):
    monkeypatch.setattr(row_types, "MOST_CELLS", 0)
    monkeypatch.setattr(row_types, "MOST_ENTRIES", 3)
    with pytest.raises(BudgetError, match="too large a program"):
        solved(["abc", "ab", "c", ""], 1, 2)


def test_without_time_the_better_of_other_methods_is_given():
    random = Random(1)  # noqa: S311 - no secret
    rows = [[item for item in range(9) if random.random() < 0.5] for _ in range(60)]
    proof = block(rows, min_support=6, k=4, method="optimal", seconds=1e-6).proof
    ways = [{"method": "suppress"}, {"method": "add"}, {"method": "add", "merge": True}]
    others = [block(rows, min_support=6, k=4, **way).distortion.average for way in ways]
    assert (proof.average, proof.stopped) == (min(others), True)


def test_a_program_has_the_least_cost():
    program = Program()
    columns = program.add_columns(2, cost=[-1, -2], upper=10, whole=True)
    program.add_rows(1, list_entries(np.ones((1, 2), dtype=np.bool_), columns), upper=7.5)
    solution = program.solve(seconds=5, gap=0)
    assert (solution.values.tolist(), solution.bound, solution.stopped) == ([0, 7], -14, False)


def test_a_program_without_a_solution_says_so():
    program = Program()
    columns = program.add_columns(1, whole=True)
    program.add_rows(1, Terms(np.zeros(1, dtype=np.int64), columns, np.ones(1)), upper=-1)
    assert program.solve(seconds=5, gap=0) == (None, np.inf, False)


HARD = """
import numpy as np
from discreet.runtime.solver import Program, Terms
random, program = np.random.default_rng(0), Program()
columns = program.add_columns(200, cost=-random.integers(10, 99, 200), upper=1, whole=True)
for _ in range(40):
    weights = random.integers(5, 99, 200).astype(float)
    program.add_rows(1, Terms(np.zeros(200, dtype=np.int64), columns, weights), upper=weights.sum() / 3)
print("ready", flush=True)
program.solve(seconds=60, gap=0)
"""


@pytest.mark.usefixtures("signals")
@pytest.mark.skipif(sys.platform == "win32", reason="has no such signal")
def test_ctrl_c_stops_the_solver():
    with subprocess.Popen([sys.executable, "-c", HARD], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        time.sleep(1)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert b"KeyboardInterrupt" in errors
        assert time.monotonic() - start < 10


def test_the_solver_is_not_loaded_until_it_is_needed():
    code = "import discreet, sys; print('highspy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.skipif(not os.environ.get("DISCREET_DATA"), reason="DISCREET_DATA names no folder of data sets")
def test_mushroom_loses_nothing_and_is_distorted_by_a_ten_thousandth():
    release = block(datasets.load("mushroom"), min_support="25%", k=10, method="optimal")
    assert release.distortion.lost == 0
    assert release.distortion.average <= 0.00012
