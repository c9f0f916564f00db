"""Laws of belief: counts are exact, samples lie within their errors, models are right, and what is left out is said."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from random import Random

import numpy as np
import oracle
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import discreet
from discreet import OptionError, Patterns, ThresholdError, attack, belief, mine
from discreet.cli import main
from discreet.disclosure.attacks.constraints import KINDS, Ground, build_system
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import Clock
from discreet.disclosure.beliefs import belief as search
from discreet.disclosure.beliefs.counting import count_columns, count_few, count_urns
from discreet.disclosure.beliefs.entropy import fit_entropy
from discreet.disclosure.beliefs.sampling import judge_chains, list_moves, sample_few
from discreet.disclosure.beliefs.screening import screen
from discreet.disclosure.beliefs.tables import PRIORS, cap_columns, list_sums

LARGE = os.environ.get("DISCREET_LARGE") == "1"
E1 = [list(row) for row in ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"]]
CLINIC = [["asthma"]] * 10 + [["flu"]] * 10 + [["asthma", "flu"]] * 4 + [[]] * 16
"""14 of 40 patients have asthma, 14 have the flu; how many have both is below the minimum support of 10."""

small = st.tuples(
    st.lists(st.sets(st.sampled_from("abcd")).map(frozenset), min_size=1, max_size=12),
    st.integers(1, 4),
    st.integers(2, 4),
    st.booleans(),
)


def systems(rows, sigma, *, complete, schema=None):
    """Yield each universe of a release, by its labels, with its system."""
    facts = Facts.of(mine(rows, min_support=sigma), complete=complete, schema=schema)
    ground = Ground(facts)
    for universe in sorted(oracle.universes(rows, sigma, 2), key=sorted):
        yield universe, build_system(ground, ground.bits(facts.code[label] for label in universe), most=KINDS)


def name(system, row):
    return frozenset(system.ground.facts.labels[item] for item in system.ground.codes(row))


@pytest.mark.parametrize("prior", PRIORS)
@settings(max_examples=1000 if LARGE else 60)
@given(case=small)
def test_what_is_counted_is_the_share_of_all_tables_that_fit(prior, case):
    rows, sigma, k, complete = case
    for universe, system in systems(rows, sigma, complete=complete):
        expected = oracle.beliefs(rows, sigma, universe, k, prior, complete=complete)
        counted = count_few(system, k=k, prior=prior, steps=10**7)
        found = {name(system, row): share for row, share in zip(system.rows, counted, strict=True)}
        assert {cell: share for cell, share in expected.items() if share} == {
            cell: share for cell, share in found.items() if share
        }
        assert all(isinstance(share, Fraction) for share in counted)


@pytest.mark.parametrize("prior", PRIORS)
@settings(max_examples=500 if LARGE else 40)
@given(case=small)
def test_patterns_that_may_be_small_are_listed_with_their_beliefs(prior, case):
    rows, sigma, k, complete = case
    found = belief(mine(rows, min_support=sigma), k=k, prior=prior, complete=complete, limit=10**6)
    expected = {}
    for universe, _ in systems(rows, sigma, complete=complete):
        beliefs = oracle.beliefs(rows, sigma, universe, k, prior, complete=complete)
        for cell in beliefs.keys() - oracle.small_within(rows, sigma, universe, k):
            expected[cell, universe - cell] = beliefs[cell]
    told = {(frozenset(one.held), frozenset(one.lacked)): one.belief for one in found.patterns}
    assert told.items() <= expected.items()
    faint = sum(one.many for one in found.left_out if "quick model" in one.why)
    assert faint or told == {pair: share for pair, share in expected.items() if share >= 0.01}
    assert [one.belief for one in found.patterns] == sorted(told.values(), reverse=True)
    assert found.largest == max(map(float, told.values()), default=0)


@pytest.mark.parametrize("prior", PRIORS)
@settings(max_examples=200 if LARGE else 25)
@given(case=small, slack=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=16, max_size=16))
def test_limits_of_supports_are_counted_with(prior, case, slack):
    rows, sigma, k, _ = case
    told = oracle.frequent(rows, sigma)
    limits = {
        one: (max(0, held - down), min(len(rows), held + up)) if len(one) > 1 else (held, held)
        for (one, held), (down, up) in zip(sorted(told.items(), key=lambda pair: sorted(pair[0])), slack, strict=False)
    }
    facts = Facts.from_limits([(sorted(one), *both) for one, both in limits.items() if one], n=len(rows))
    found = belief(facts, k=k, prior=prior, limit=10**6)
    narrowed = facts.narrow()  # one support limits another, also outside a universe
    limits = {frozenset(narrowed.labels[item] for item in one): both for one, both in narrowed.listed.items()}
    for one in found.patterns:
        universe = frozenset(one.held + one.lacked)
        within = {itemset: both for itemset, both in limits.items() if itemset <= universe}
        tables = oracle.tables_within(universe, within, None)
        ways = oracle.weights(tables, prior)
        cell = list(oracle.kinds_of_rows(universe)).index(frozenset(one.held))
        few = (tables[:, cell] > 0) & (tables[:, cell] < k)
        share = Fraction(int(ways[few].sum()), int(ways.sum()))
        off = 0 if one.how == "counted" else max(0.1, 5 * (one.error or 0.2))
        assert abs(one.belief - share) <= off


@settings(max_examples=200 if LARGE else 30)
@given(case=small, schema=st.sampled_from([None, [["a", "b"]]]))
def test_the_quick_model_scales_tables_of_all_universes(case, schema):
    rows, sigma, k, complete = case
    rows = [row - {"b"} if schema and {"a", "b"} <= row else row for row in rows]
    facts = Facts.of(mine(rows, min_support=sigma), complete=complete, schema=schema)
    ground, clock = Ground(facts), Clock(99)
    for many in (1, 2):
        found = screen(ground, many, k=k, prior="entropy", least=0.0, most=10**6, clock=clock)
        assert {one.universe for one in found.best} == {*ground.list_universes(many)}
        assert (found.likely, found.faint, found.unseen) == (ground.count_universes(many), 0, 0)
        for one in (one for one in found.best if one.guess):
            system = build_system(ground, one.universe, most=KINDS)
            model = dict(zip(system.rows, fit_entropy(system, clock).tolist(), strict=True))
            assert one.expected == pytest.approx(model[one.cell], abs=1)
            caps = cap_columns(system, [each for each in list_sums(system) if each.is_exact])
            cap = caps[system.rows.index(one.cell)]
            assert cap >= k
            chances = binom.pmf(range(1, k), cap, one.expected / cap)
            assert one.guess == pytest.approx(chances.sum(), abs=1e-9)


def random_release(random, *, n=60):
    items = "abcdef"[: random.randint(3, 5)]
    shares = {item: random.uniform(0.2, 0.9) for item in items}
    rows = [[item for item in items if random.random() < shares[item]] for _ in range(random.randint(8, n))]
    return rows, random.randint(2, 8), random.randint(2, 6)


@pytest.mark.parametrize("prior", PRIORS)
def test_urns_and_columns_count_alike(prior):
    random, drawn = Random(5), 0  # noqa: S311 - no secret
    for _ in range(200 if LARGE else 3):
        rows, sigma, k = random_release(random, n=30)
        for _, system in systems(rows, sigma, complete=random.random() < 0.5):
            sums = list_sums(system)
            by_urns = count_urns(system, sums, k, prior)
            drawn += by_urns is not None
            assert by_urns in (None, count_columns(system, sums, k, prior, 10**7))
    assert drawn > 2


def test_values_that_exclude_each_other_are_never_counted_together():
    rows = [["f", "a"]] * 9 + [["m", "a"]] * 8 + [["f"]] * 6 + [["m", "b"]] * 7 + [["a"]] * 5
    for prior in PRIORS:
        found = belief(mine(rows, min_support=5), k=5, prior=prior, schema=[["f", "m"]])
        assert found.patterns
        assert not any({"f", "m"} <= set(one.held) for one in found.patterns)


def test_moves_keep_every_exact_sum():
    random, many = Random(2), 0  # noqa: S311 - no secret
    for _ in range(40):
        rows, sigma, _ = random_release(random)
        for _, system in systems(rows, sigma, complete=True):
            moves = list_moves(system).list_dense(len(system.rows))
            many += len(moves)
            assert all((moves[:, one.columns].sum(axis=1) == 0).all() for one in list_sums(system) if one.is_exact)
            assert moves.any(axis=1).all()
    assert many > 200


def test_about_95_of_100_samples_lie_within_two_standard_errors(record_property):
    random, inside, every, unsettled = Random(11), 0, 0, 0  # noqa: S311 - no secret
    cases = 1000 if LARGE else 12 if os.environ.get("CI") else 25
    for case in range(cases):
        rows, sigma, k = random_release(random)
        prior = random.choice(list(PRIORS))
        options = [system for _, system in systems(rows, sigma, complete=random.random() < 0.5)]
        counted = [(one, count_few(one, k=k, prior=prior, steps=10**6)) for one in options[:6]]
        known = [pair for pair in counted if pair[1] is not None]
        for system, exact in random.sample(known, min(1, len(known))):
            found = sample_few(system, k=k, prior=prior, seed=[case], clock=Clock(60))
            is_sampled = found.is_settled & np.array([0 < share < 1 for share in exact])
            unsettled += int((~found.is_settled).sum())
            off = abs(found.beliefs - np.array(exact, dtype=float))[is_sampled]
            every, inside = every + off.size, inside + int((off <= 2 * found.errors[is_sampled]).sum())
    told = f"{inside} of {every}; {unsettled} did not settle"
    record_property(f"beliefs within 2 standard errors, {cases} releases", told)
    assert every > cases
    assert inside > 0.92 * every
    assert unsettled < 0.1 * every


def test_chains_that_do_not_meet_are_not_settled():
    apart = np.zeros((4, 8, 1))
    apart[2:] = 1.0
    assert not judge_chains(apart)[2].any()
    assert judge_chains(np.random.default_rng(1).random((4, 8, 3)))[2].all()


@settings(max_examples=1000 if LARGE else 60)
@given(seed=st.integers(0, 2**32))
def test_the_model_has_the_largest_entropy(seed):
    rows, sigma, _ = random_release(Random(seed))  # noqa: S311 - no secret
    told = oracle.frequent(rows, sigma)
    for universe, system in systems(rows, sigma, complete=False):
        known = {frozenset(): len(rows)} | {one: held for one, held in told.items() if one <= universe}
        kinds = [name(system, row) for row in system.rows]
        expected = oracle.largest_entropy(kinds, known)
        assert fit_entropy(system, Clock(60)) == pytest.approx(expected, abs=1e-6 * len(rows))


def test_what_follows_for_certain_has_a_belief_of_1():
    [one] = belief(mine(E1, min_support=3), k=2).patterns
    assert (one.held, one.lacked, one.belief, one.error, one.how) == (("a", "b", "c"), (), 1, 0, "counted")


@pytest.mark.parametrize("prior", PRIORS)
def test_what_nobody_can_prove_may_be_all_but_certain(prior):
    patterns = mine(CLINIC, min_support=10)
    assert attack(patterns, k=10, level="exact").is_safe
    found = belief(patterns, k=10, prior=prior)
    one = next(one for one in found.patterns if not one.lacked)
    assert (
        one.belief
        == oracle.beliefs(CLINIC, 10, frozenset(["asthma", "flu"]), 10, prior, complete=True)[
            frozenset(["asthma", "flu"])
        ]
    )
    assert one.belief > {"entropy": 0.999, "uniform": 0.89}[prior]


SAMPLE = """
from discreet.disclosure.attacks.constraints import Ground, build_system
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import Clock
from discreet.disclosure.beliefs.entropy import fit_entropy
from discreet.disclosure.beliefs.sampling import sample_few
from discreet import belief, mine
rows = [[item for item in "abcd" if number * (ord(item) + 3) % 11 < 6] for number in range(60)]
patterns = mine(rows, min_support=20)
system = build_system(Ground(Facts.of(patterns)), 0b111, most=8)
for prior in ("entropy", "uniform"):
    sample = sample_few(system, k=5, prior=prior, seed=[3], clock=Clock(60))
    print(sample.beliefs.tobytes().hex(), sample.errors.tobytes().hex(), fit_entropy(system, Clock(60)).tobytes().hex())
    print(belief(patterns, k=5, prior=prior))
"""


def test_results_are_the_same_with_and_without_the_jit_and_twice():
    runs = [
        subprocess.run(
            [sys.executable, "-c", SAMPLE],
            check=True,
            capture_output=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": jit},
        ).stdout
        for jit in "100"
    ]
    assert runs[0] == runs[1] == runs[2] != b""


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"prior": "flat"}, OptionError, "the prior is 'flat'; it must be one of entropy, uniform"),
        ({"k": 0}, ThresholdError, "k is '0'; give a whole number from 1 on, such as 10"),
        ({"limit": 0}, OptionError, "limit is 0; give a whole number of at least 1"),
        ({"seed": -1}, OptionError, "seed is -1; give a whole number of at least 0"),
        ({"seed": 1.5}, OptionError, "seed is 1.5; give a whole number of at least 0"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(options, error, sentence):
    with pytest.raises(error) as caught:
        belief(mine(E1, min_support=3), **{"k": 2, **options})
    assert str(caught.value) == sentence


def test_what_has_no_exact_supports_is_refused():
    with pytest.raises(
        OptionError, match="belief is about patterns, not list; give what mine or read_patterns returns"
    ):
        belief(E1, k=2)
    with pytest.raises(OptionError, match="give closed or frequent itemsets"):
        belief(mine(E1, min_support=3, kind="maximal"), k=2)


def test_a_list_without_items_or_rows_has_no_patterns():
    for patterns in (Patterns.from_itemsets([([], 5)], n=5), mine([], min_support=1), mine([["a"]] * 5, min_support=1)):
        found = belief(patterns, k=3)
        assert (len(found.patterns), found.largest, found.looked_at, found.left_out) == (0, 0, 0, ())


def test_what_there_was_no_time_for_is_said(monkeypatch):
    found = belief(mine(CLINIC, min_support=10), k=10, seconds=0)
    assert (found.looked_at, [one.many for one in found.left_out]) == (0, [2])
    assert "the 0 seconds were over before any look at them" in str(found)
    assert str(found).startswith("No pattern was looked at.\n")
    monkeypatch.setattr(search, "count_few", late)
    found = belief(mine(CLINIC, min_support=10), k=10)
    assert [(one.how, one.error) for one in found.patterns] == [("screened", None)]
    assert "a quick model alone" in str(found)


def late(*_given, **_options):
    raise search.TimeIsUpError


def test_ctrl_c_ends_it(monkeypatch):
    def interrupt(*_given, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "count_few", interrupt)
    with pytest.raises(KeyboardInterrupt):
        belief(mine(CLINIC, min_support=10), k=10)


def test_no_more_than_the_limit_are_listed_and_the_rest_is_counted():
    every = belief(mine(CLINIC, min_support=10), k=10)
    found = belief(mine(CLINIC, min_support=10), k=10, limit=1)
    assert found.patterns == every.patterns[:1]
    rest = len(every.patterns) - 1
    assert [one.many for one in found.left_out if one.why == "only the 1 largest beliefs are listed"] == [rest] * bool(
        rest
    )


def test_it_says_its_prior_and_that_it_is_no_proof():
    for prior, words in PRIORS.items():
        found = belief(mine(CLINIC, min_support=10), k=10, prior=prior, complete=False)
        assert f"Prior {prior}: {words}; that unlisted itemsets are rare is not used." in str(found)
        assert "This is no proof: it depends on the prior." in str(found).splitlines()
        assert (found.facts()["prior"], found.facts()["is_proof"], found.absence) == (prior, False, False)


def test_the_command_tells_the_same_as_the_library(tmp_path):
    discreet.write_patterns(mine(CLINIC, min_support=10), tmp_path / "patterns.json")
    result = CliRunner().invoke(main, ["belief", str(tmp_path / "patterns.json"), "-k", "10", "--json"])
    told, found = json.loads(result.stdout), belief(mine(CLINIC, min_support=10), k=10)
    assert result.exit_code == 0
    assert told["patterns"] == found.facts()["patterns"]
    assert (told["report"], told["note"]) == ("belief", "This is no proof: it depends on the prior.")
    text = (
        CliRunner().invoke(main, ["belief", str(tmp_path / "patterns.json"), "-k", "10", "--prior", "uniform"]).stdout
    )
    assert "This is no proof: it depends on the prior." in text
    refused = CliRunner().invoke(main, ["belief", str(tmp_path / "patterns.json"), "-k", "10", "--rows", "rows.csv"])
    assert (refused.exit_code, "--rows has no use here" in refused.output) == (2, True)
