"""Laws of meeting a policy: block ends in RELEASE, or names what to leave out so that it does."""

import json
from dataclasses import replace
from itertools import product
from random import Random

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import databases, detected_databases

from discreet import (
    GuaranteeError,
    OptionError,
    Patterns,
    Policy,
    Transactions,
    Verdict,
    audit,
    block,
    mine,
    verify,
    write_release,
)
from discreet.blocking.block import as_time
from discreet.blocking.blockers import BEST
from discreet.blocking.meet import keeps_whole, round_supports
from discreet.blocking.verify_cells import Masks, check_rounded
from discreet.data.generate import clinic
from discreet.disclosure.implications import find_implications
from discreet.judging.in_the_way import name_fewest
from discreet.judging.policy import load, names
from discreet.publications.rules.reading import as_rounded

CLINIC = Transactions([*clinic(2000, seed=1)])
SUPPORTS = ["2%", "5%", "10%"]
QUICK = ["suppress", "add", "withhold"]
CASES = list(product(names(), SUPPORTS))
ZEROS = Policy("ours", k=3, zeros=Verdict.WITHHOLD)


def small_databases():
    return detected_databases(lambda: databases(max_rows=16, max_items=5))


def table(seed=1):
    """Return baskets whose labels look like values of attributes, some of which few rows lack."""
    random = Random(seed)  # noqa: S311 - no secret

    def value(name, values, share):
        return [f"{name}={random.choice(values)}"] * (random.random() < share)

    row = [("sex", "fm", 0.997), ("age", "123", 0.995), ("smokes", "yn", 1.0), ("region", "news", 1.0)]
    return [[item for attribute in row for item in value(*attribute)] for _ in range(2000)]


@pytest.mark.parametrize("method", QUICK)
@pytest.mark.parametrize(("policy", "least"), CASES)
def test_the_clinic_ends_in_release_under_each_policy(policy, least, method):
    release = block(CLINIC, min_support=least, policy=policy, method=method)
    assert (release.verdict, release.in_the_way) == (Verdict.RELEASE, ())
    assert release.is_whole == (keeps_whole(load(policy)) and method != "withhold")
    assert len(release.patterns) >= 50


@pytest.mark.parametrize(("policy", "least"), CASES)
def test_the_best_of_the_clinic_ends_in_release_under_each_policy(policy, least):
    release = block(CLINIC, min_support=least, policy=policy, method=BEST, seconds=0.1)
    assert release.verdict is Verdict.RELEASE
    assert len(release.patterns) >= 50


@pytest.mark.parametrize("policy", names())
def test_a_folder_that_meets_a_policy_is_good_and_says_what_it_is(tmp_path, policy):
    release = block(CLINIC, min_support="5%", policy=policy, method="add")
    assert write_release(release, tmp_path / "release").is_good
    facts = json.loads((tmp_path / "release" / "release.json").read_bytes())
    assert (facts["is_whole"], facts["rounded_to"]) == (keeps_whole(load(policy)), load(policy).round_to)
    text = (tmp_path / "release" / "report.txt").read_text()
    assert ("need not be" in text) is not facts["is_whole"]
    assert ("nearest multiple of 5" in text) is (facts["rounded_to"] == 5)
    assert "Supports are exact" not in text


@settings(max_examples=60)
@given(case=small_databases())
@pytest.mark.parametrize("method", QUICK)
def test_no_implication_follows_from_a_list_that_withholds_zeros(method, case):
    rows, sigma, k = case
    release = block(rows, min_support=sigma, policy=replace(ZEROS, k=k), method=method)
    listed = dict(release.patterns)
    assert oracle.implied(listed) == set()
    assert all(part in listed for itemset in listed for part in oracle.subsets(itemset))
    assert not release.is_whole


@settings(max_examples=60)
@given(case=small_databases())
@pytest.mark.parametrize("method", ["suppress", "add"])
def test_what_meets_a_policy_is_the_largest_free_part_of_the_witness(method, case):
    rows, sigma, k = case
    release = block(rows, min_support=sigma, policy=replace(ZEROS, k=k), method=method)
    witness = [*release.witness]
    assert dict(release.patterns) == oracle.free(witness, sigma)
    assert release.withheld == len(oracle.frequent(witness, sigma)) - len(release.patterns)


@settings(max_examples=60)
@given(case=small_databases())
def test_withhold_meets_a_policy_with_the_free_part_of_the_safe_core(case):
    rows, sigma, k = case
    release = block(rows, min_support=sigma, policy=replace(ZEROS, k=k), method="withhold")
    core, free = oracle.safe_core(rows, sigma, k), oracle.free(rows, sigma)
    most = {itemset: many for itemset, many in core.items() if itemset in free}
    listed = dict(release.patterns)
    assert listed.items() <= most.items()
    # Rows that every table with the supports of the core has are revealed without any cell: then less is listed.
    named = {frozenset(map(str, itemset)): many for itemset, many in core.items()}
    assert listed == most or oracle.agreed_in_all_tables(named, [], None, k)
    assert (release.witness, release.is_exact) == (None, True)


@given(case=small_databases(), most=st.integers(1, 12))
@pytest.mark.parametrize("method", ["suppress", "withhold"])
def test_a_list_keeps_to_the_size_that_the_policy_allows(method, case, most):
    rows, sigma, k = case
    policy = Policy("ours", k=k, max_itemsets=most)
    release = block(rows, min_support=sigma, policy=policy, method=method)
    whole = block(rows, min_support=sigma, k=k, method=method)
    kept, every = dict(release.patterns), dict(whole.patterns)
    assert len(kept) <= most
    assert kept.items() <= every.items()
    assert release.is_whole == whole.is_whole
    lost = [every[itemset] for itemset in every if itemset not in kept]
    assert max(lost, default=0) <= min(kept.values(), default=len(rows))


@given(case=small_databases(), most=st.integers(1, 12))
def test_a_list_with_gaps_keeps_as_many_itemsets_as_are_allowed(case, most):
    rows, sigma, k = case
    policy = replace(ZEROS, k=k, max_itemsets=most)
    release = block(rows, min_support=sigma, policy=policy, method="add")
    every = dict(block(rows, min_support=sigma, policy=replace(policy, max_itemsets=None), method="add").patterns)
    kept = dict(release.patterns)
    assert len(kept) == min(most, len(every))
    assert all(part in kept for itemset in kept for part in oracle.subsets(itemset))


@settings(max_examples=60)
@given(case=small_databases(), unit=st.integers(1, 7))
@pytest.mark.parametrize("method", QUICK)
def test_rounded_supports_read_back_as_limits_of_the_exact_ones(method, case, unit):
    rows, sigma, k = case
    release = block(rows, min_support=sigma, policy=Policy("ours", k=k, round_to=unit), method=method)
    exact, rounded = dict(release.question.patterns), dict(release.patterns)
    facts = as_rounded(release.patterns, unit)
    limits = {frozenset(facts.labels[code] for code in codes): both for codes, both in facts.listed.items()}
    assert all(limits[itemset][0] <= many <= limits[itemset][1] for itemset, many in exact.items())
    assert exact.keys() == rounded.keys()
    assert all(many >= k for many in rounded.values())


def test_halves_rise_and_the_least_support_stays_true():
    listed = Patterns.from_itemsets([([], 105), (["a"], 25), (["b"], 14)], n=105, min_support=13)
    rounded = round_supports(listed, 10)
    assert (rounded.n, rounded.supports.tolist(), rounded.min_support) == (110, [110, 30, 10], 10)


def test_a_rounded_release_says_no_more_than_the_verifier_knows(tmp_path):
    release = block(CLINIC, min_support="10%", policy="opensafely", method="withhold")
    found = write_release(release, tmp_path / "release")
    assert (found.rounded_to, found.smallest, found.tops) == (5, None, 0)
    assert "cannot be counted from these files" in str(found)
    assert "An audit of these supports before they were rounded" in (tmp_path / "release" / "report.txt").read_text()


@pytest.mark.parametrize(
    ("masks", "supports", "k", "fault"),
    [
        ([0, 1, 2, 3], [100, 50, 40, 35], 8, None),
        ([0, 1, 2, 3], [100, 50, 41, 35], 8, "the support of ['b'] is no multiple of 5"),
        ([0, 1, 2, 3], [100, 50, 40, 45], 8, "within ['a', 'b'] is missing, or has a smaller support"),
        ([0, 1, 3], [100, 50, 45], 8, "within ['a', 'b'] is missing, or has a smaller support"),
        ([0, 1, 2, 3], [100, 50, 40, 35], 10, "['a', 'b'] and a part of it surely differ by fewer than k rows"),
        ([0, 1, 2, 3], [100, 50, 40, 40], 30, "['a', 'b'] and a part of it surely differ by fewer than k rows"),
    ],
)
def test_a_rounded_list_is_checked(masks, supports, k, fault):
    found = check_rounded(Masks.of(masks, supports, ["a", "b"]), {"rounded_to": 5, "k": k})
    assert found[:2] == ([], len(masks))
    assert [fault in one for one in found[2]] == [True] * (fault is not None)


def test_the_verifier_finds_implications_that_a_policy_withholds(tmp_path):
    rows = [["a", "b"]] * 20 + [["b"]] * 20 + [[]] * 20
    release = block(rows, min_support=10, policy="acro", method="withhold")
    listed = mine(rows, min_support=10, kind="frequent")
    with pytest.raises(GuaranteeError, match="1 implications follow from the supports"):
        write_release(replace(release, question=replace(release.question, patterns=listed)), tmp_path / "release")


def test_a_method_that_claims_a_whole_list_under_such_a_policy_is_refused(tmp_path):
    rows = [["a"]] * 20 + [["b"]] * 20 + [[]] * 20
    release = block(rows, min_support=10, k=10, method="suppress")
    with pytest.raises(GuaranteeError, match="does not match is_whole and the policy"):
        write_release(replace(release, policy=load("acro")), tmp_path / "release")


@pytest.mark.parametrize("method", QUICK)
@pytest.mark.parametrize("policy", ["acro", "opensafely", "paper"])
def test_what_is_in_the_way_ends_in_release_once_it_is_left_out(policy, method):
    rows = table()
    release = block(rows, min_support="2%", policy=policy, method=method)
    assert release.verdict is Verdict.REVIEW
    sizes = [len(one.leave_out) for one in release.in_the_way]
    assert sizes == sorted(sizes)
    assert len(release.in_the_way) == 2
    for leave_out, itemsets in release.in_the_way:
        left = block(rows, min_support="2%", policy=policy, method=method, leave_out=leave_out)
        assert (left.verdict, len(left.patterns), left.in_the_way) == (Verdict.RELEASE, itemsets, ())


def test_the_best_of_all_methods_names_what_is_in_the_way():
    first, second = (block(table(), min_support="2%", policy="acro", seconds=0.1) for _ in range(2))
    assert first.in_the_way == second.in_the_way
    left = block(table(), min_support="2%", policy="acro", seconds=0.1, leave_out=first.in_the_way[0].leave_out)
    assert left.verdict is Verdict.RELEASE


def test_what_leaving_out_cannot_mend_has_no_obstacles():
    release = block([["a"]] * 30, min_support=10, policy="acro", method="withhold")
    assert (release.verdict, release.in_the_way) == (Verdict.REVIEW, ())
    assert "Nothing would be published but the number of rows" in release.audit.checks[-1].sentence


@given(sets=st.lists(st.frozensets(st.sampled_from("abcdef"), min_size=1), min_size=1, max_size=8), seed=st.integers())
def test_the_fewest_items_are_named_and_of_as_few_the_rarest(sets, seed):
    rows = [Random(seed + at).sample("abcdef", 3) for at in range(12)]  # noqa: S311 - no secret
    patterns = mine([*rows, [*"abcdef"]], min_support=1, kind="frequent")
    costs = {item: sum(item in itemset for itemset, _ in patterns) for item in "abcdef"}
    named = name_fewest(sets, patterns)
    assert all(not one.isdisjoint(named) for one in sets)
    assert (len(named), sum(costs[item] for item in named)) == oracle.fewest_members(sets, costs)


def test_attributes_are_named_where_they_are_fewer():
    patterns = mine([["age=1", "x"], ["age=2", "y"]] * 3, min_support=1)
    findings = [frozenset(["age=1", "x"]), frozenset(["age=2", "y"])]
    assert name_fewest(findings, patterns, attributes=True) == ("age",)
    assert len(name_fewest(findings, patterns)) == 2


def test_the_advice_on_implications_is_what_removes_them():
    safe = {"min_support": "10%", "policy": "abs", "leave_out": ["sertraline", "amlodipine", "metformin"]}
    found = audit(
        mine(CLINIC, min_support="10%", leave_out=safe["leave_out"]), policy=Policy("ours", 1, Verdict.REVIEW)
    )
    option = next(part for part in found.advice.parts if getattr(part, "name", "") == "leave_out")
    assert found.verdict is Verdict.REVIEW
    assert len(find_implications(mine(CLINIC, min_support="10%", leave_out=[*safe["leave_out"], *option.value]))) == 0


def test_rows_can_be_blocked_where_implications_are_found():
    rows = [["a", "b"]] * 20 + [["b"]] * 20 + [[]] * 20
    advice = str(audit(rows, min_support=10, policy="acro").advice)
    assert "withhold them with `discreet block` and this policy, or leave out" in advice
    assert "leave_out=['a']" in advice or "leave_out=['b']" in advice
    assert "discreet block" not in str(audit(mine(rows, min_support=10), policy="acro").advice)


@pytest.mark.parametrize(("given", "method", "seconds"), [(None, BEST, 1), (None, "optimal", 60), (5, BEST, 5)])
def test_a_search_beside_other_methods_is_short(given, method, seconds):
    assert as_time(given, method)[0] == seconds


def test_a_search_that_would_not_be_prepared_in_time_is_not_begun():
    release = block(CLINIC, min_support="2%", k=10, method="optimal", seconds=1)
    others = [block(CLINIC, min_support="2%", k=10, method=name, merge=name == "add") for name in ("suppress", "add")]
    assert (release.proof.kinds, release.proof.stopped) == (0, True)
    assert release.distortion.average == min(other.distortion.average for other in others)


def test_rounding_does_not_go_with_older_releases(tmp_path):
    release = block(CLINIC, min_support="10%", k=10, method="withhold")
    write_release(release, tmp_path / "old")
    with pytest.raises(OptionError, match="differences of rounded supports cannot be judged"):
        block(CLINIC, min_support="10%", policy="opensafely", method="withhold", beside=[tmp_path / "old"])
    assert verify(tmp_path / "old").is_good
