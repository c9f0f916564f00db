"""Blocking by a hierarchy: values are replaced by their parents, and what other methods publish respects parents."""

import json
from dataclasses import replace
from hashlib import sha256

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import (
    BudgetError,
    GuaranteeError,
    Hierarchy,
    OptionError,
    Policy,
    Transactions,
    Verdict,
    attack,
    block,
    compare,
    mine,
    read,
    read_patterns,
    verify,
    write_patterns,
    write_release,
)
from discreet.blocking.generalize import Steps, choose_greedily, generalize
from discreet.blocking.problem import BlockProblem, check
from discreet.data.schema import Attribute, Schema
from discreet.disclosure.implications import find_implications

TWO = {"a1": "A", "a2": "A", "b1": "B"}
THREE = {**TWO, "A": "T", "B": "T"}
VALUES = frozenset(["a1", "a2", "b1", "A", "B", "T"])
OTHERS = frozenset(["w1", "w2"])

baskets = st.lists(st.frozensets(st.sampled_from(["a1", "a2", "b1", "x"])), min_size=5, max_size=20)
parents = st.sampled_from([TWO, THREE])
numbers = {"sigma": st.integers(2, 8), "k": st.integers(2, 5), "length": st.sampled_from([None, None, 2])}


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.tuples(st.sampled_from(["a1", "a2", "b1"]), st.sampled_from(["w1", "w2"])), max_size=5))
    return [
        *(frozenset(kind) for kind in kinds for _ in range(draw(st.integers(1, 12)))),
        *[frozenset(["a1", "w1"])] * 5,
    ]


def make(rows, groups=()):
    data = Transactions([*rows, {"a1"}])
    attributes = tuple(Attribute("v", group & frozenset(data.labels)) for group in groups)
    return data.describe(schema=Schema(attributes)) if attributes else data


def fill(data, hierarchy):
    return [oracle.with_ancestors(row, hierarchy) for row in data]


def list_known(release):
    """Return the itemsets whose supports a release tells."""
    listed = [itemset for itemset, _ in release.patterns]
    is_closed = release.patterns.kind == "closed"
    return {part for one in listed for part in oracle.subsets(sorted(one))} if is_closed else set(listed)


@settings(max_examples=300)
@given(rows=baskets, hierarchy=parents, **numbers)
def test_no_cut_loses_fewer_levels(rows, hierarchy, sigma, k, length):
    data, method = make(rows), {"method": "generalize", "against": "plain"}
    release = block(data, min_support=sigma, k=k, hierarchy=hierarchy, max_length=length, **method)
    expected = oracle.fewest_levels(fill(data, hierarchy), sigma, k, (), hierarchy, length)
    assert release.recoding.is_least
    assert release.recoding.levels == expected


@settings(max_examples=200)
@given(rows=tables(), hierarchy=parents, **numbers)
def test_no_cut_loses_fewer_levels_where_values_exclude_each_other(rows, hierarchy, sigma, k, length):
    # Against sums alone: of what all possible tables agree on, the oracle knows nothing (tests/test_repairs.py).
    data, method = make(rows, [VALUES, OTHERS]), {"method": "generalize", "against": "plain"}
    release = block(data, min_support=sigma, k=k, hierarchy=hierarchy, max_length=length, **method)
    expected = oracle.fewest_levels(fill(data, hierarchy), sigma, k, [VALUES, OTHERS], hierarchy, length)
    assert release.recoding.levels == expected


@given(rows=baskets, hierarchy=parents, **numbers)
def test_the_patterns_are_those_of_rows_without_the_replaced_values(rows, hierarchy, sigma, k, length):
    release = block(make(rows), min_support=sigma, k=k, method="generalize", hierarchy=hierarchy, max_length=length)
    full = fill(make(rows), hierarchy)
    left = [row - frozenset(release.recoding.removed) for row in full]
    listed = oracle.closed if length is None else oracle.frequent
    assert dict(release.patterns) == listed(left, sigma, length)
    assert [frozenset(row) for row in release.witness] == left
    assert release.patterns.n == len(full)


@pytest.mark.parametrize("method", ["suppress", "add", "withhold", "generalize", "best"])
@given(rows=baskets, hierarchy=parents, **numbers)
def test_no_release_reveals_few_rows_to_readers_who_know_the_parents(method, rows, hierarchy, sigma, k, length):
    release = block(make(rows), min_support=sigma, k=k, method=method, hierarchy=hierarchy, max_length=length)
    listed = list_known(release)
    behind = fill(make(rows), hierarchy) if release.witness is None else list(release.witness)
    assert all(oracle.with_ancestors(row, hierarchy) - {*row} <= frozenset(release_removed(release)) for row in behind)
    items = frozenset().union(*listed)
    seen = [frozenset(row) & items for row in behind]
    assert oracle.revealed_by_hierarchy(listed or [frozenset()], seen, (), hierarchy, k if listed else 0) == set()


def release_removed(release):
    return () if release.recoding is None else release.recoding.removed


@given(rows=baskets, hierarchy=parents, sigma=st.integers(2, 8), k=st.integers(2, 5))
def test_an_itemset_is_withheld_unless_it_is_safe_with_its_parents(rows, hierarchy, sigma, k):
    full = fill(make(rows), hierarchy)
    core = oracle.safe_core(full, sigma, k)
    expected = {one for one in core if oracle.with_ancestors(one, hierarchy) in core}
    release = block(make(rows), min_support=sigma, k=k, method="withhold", hierarchy=hierarchy)
    assert {one for one, _ in release.patterns} == expected


def small_steps(draw_parents, costs):
    """Return the steps of a hierarchy of five steps, in which some come after others."""
    below = np.array([pair for pair in draw_parents if pair[0] > pair[1]], dtype=np.int64).reshape(-1, 2)
    return Steps(np.arange(5), below, np.array(costs), np.arange(5))


@given(
    pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=5),
    costs=st.lists(st.integers(1, 9), min_size=5, max_size=5),
    asked=st.lists(st.frozensets(st.integers(0, 4), min_size=1), max_size=6),
)
def test_steps_that_are_chosen_greedily_answer_all_and_none_is_spare(pairs, costs, asked):
    steps = small_steps(pairs, costs)
    taken = choose_greedily(steps, asked)
    chosen = {*np.flatnonzero(taken).tolist()}
    assert all(one & chosen for one in asked)
    assert all(lower in chosen for upper, lower in steps.below.tolist() if upper in chosen)
    tops = chosen - {lower for upper, lower in steps.below.tolist() if upper in chosen}
    assert not any(all(one & (chosen - {step}) for one in asked) for step in tops)


ROWS = [["tea", "bread"]] * 30 + [["milk", "bread"]] * 25 + [["tea"]] * 3 + [["milk"]] * 20 + [["bread"]] * 42
GOODS = {"tea": "drinks", "milk": "drinks"}


def test_values_are_replaced_where_they_single_out_few():
    release = block(ROWS, min_support=20, k=10, method="generalize", hierarchy=GOODS)
    assert release.recoding.parents == ("drinks",)
    assert release.recoding.left_out == ()
    assert sorted(release.recoding.removed) == ["milk", "tea"]
    assert (release.recoding.levels, release.distortion.changed) == (78, release.distortion.lost)
    assert dict(release.patterns) == {
        frozenset(): 120,
        frozenset(["bread"]): 97,
        frozenset(["drinks"]): 78,
        frozenset(["bread", "drinks"]): 55,
    }


def test_nothing_is_replaced_where_nothing_is_revealed():
    release = block(ROWS, min_support=20, k=3, method="generalize", hierarchy=GOODS)
    assert (release.recoding.levels, release.distortion.changed) == (0, 0)


def test_an_attacker_who_infers_more_finds_nothing():
    rows = [["b"], ["b"], ["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"], ["b", "c"], ["b", "c"], ["a", "b", "c"]]
    hierarchy = {"a": "p", "b": "p"}
    release = block(rows, min_support=3, k=2, method="generalize", hierarchy=hierarchy, against="derive")
    assert attack(release.patterns, k=2, level="derive").is_safe
    assert release.recoding.levels > 0


def test_generalizing_needs_a_hierarchy():
    with pytest.raises(OptionError, match="say which these are with hierarchy="):
        block(ROWS, min_support=20, k=10, method="generalize")


def test_fewer_rows_than_k_are_not_generalized():
    with pytest.raises(BudgetError, match="fewer than k = 200"):
        block(ROWS, min_support=20, k=200, method="generalize", hierarchy=GOODS)


def test_it_is_compared_where_there_is_a_hierarchy():
    assert "generalize" in [line.name for line in compare(ROWS, min_support=20, k=10, hierarchy=GOODS).lines]
    assert "generalize" not in [line.name for line in compare(ROWS, min_support=20, k=10).lines]


def test_a_wrong_support_is_refused():
    rows = read(ROWS, hierarchy=GOODS)
    solution = generalize(BlockProblem.of(rows, 10, 20, {}))
    check(solution)
    patterns = replace(solution.patterns, supports=solution.patterns.supports + (solution.patterns.supports == 97))
    wrong = replace(solution, question=replace(solution.question, patterns=patterns))
    with pytest.raises(GuaranteeError):
        check(wrong)


def test_prefixes_are_replaced_by_shorter_ones():
    rows = [["diag=E11.9", "sex=f"]] * 40 + [["diag=E11.0", "sex=f"]] * 4 + [["diag=I10", "sex=f"]] * 30
    release = block(rows, min_support=4, k=5, method="generalize", hierarchy="prefix:3", schema="=")
    assert sorted(map(str, frozenset().union(*dict(release.patterns)))) == ["diag=E11", "diag=I10", "sex=f"]


def test_a_hierarchy_is_kept_through_mining():
    assert mine(ROWS, min_support=20, hierarchy=GOODS).hierarchy == Hierarchy.of(GOODS)


@pytest.mark.parametrize("method", ["suppress", "withhold", "generalize"])
@pytest.mark.parametrize("policy", [{"zeros": Verdict.WITHHOLD}, {"max_itemsets": 5}, {"round_to": 5}])
@given(rows=baskets, hierarchy=parents, sigma=st.integers(3, 8))
def test_a_policy_is_met_where_readers_know_the_parents(method, policy, rows, hierarchy, sigma):
    rule = Policy("ours", 3, **policy)
    release = block(make(rows), min_support=sigma, policy=rule, method=method, hierarchy=hierarchy)
    assert release.verdict is not Verdict.WITHHOLD
    assert len(shown_implications(release.question.patterns, rule)) == 0


def shown_implications(patterns, rule):
    """Return the implications that a policy withholds, apart from those of the hierarchy."""
    return find_implications(patterns) if len(patterns) and rule.zeros is Verdict.WITHHOLD else ()


@given(rows=baskets, hierarchy=parents, sigma=st.integers(2, 8))
def test_a_hierarchy_is_no_implication_and_others_are(rows, hierarchy, sigma):
    full = fill(make(rows), hierarchy)
    expected = {
        (base, item)
        for base, item in oracle.implications(full, sigma)
        if not any(item in oracle.with_ancestors([one], hierarchy) for one in base)
    }
    found = find_implications(mine(make(rows), min_support=sigma, hierarchy=hierarchy))
    assert {(one.base, one.item) for one in found} == expected


@pytest.mark.parametrize("form", ["json", "csv", "spmf", "parquet"])
@pytest.mark.parametrize("method", ["generalize", "withhold", "add"])
def test_a_release_folder_tells_its_hierarchy(tmp_path, method, form):
    release = block(ROWS, min_support=20, k=10, method=method, hierarchy={**GOODS, "bread": "food"})
    assert write_release(release, tmp_path / "release", format=form).is_good
    told = json.loads((tmp_path / "release" / "release.json").read_bytes())
    used = frozenset().union(*dict(release.patterns))
    pairs = [[child, parent] for child, parent in [("bread", "food"), ("milk", "drinks"), ("tea", "drinks")]]
    assert told["hierarchy"] == [pair for pair in pairs if {*pair} <= used]
    assert told["generalized"] == (["drinks"] if method == "generalize" else [])


def test_a_file_of_patterns_tells_its_hierarchy(tmp_path):
    patterns = mine(ROWS, min_support=20, hierarchy=GOODS)
    write_patterns(patterns, tmp_path / "patterns.json")
    assert read_patterns(tmp_path / "patterns.json").hierarchy == Hierarchy.of(GOODS)


@pytest.mark.parametrize(
    "wrong",
    [
        {"hierarchy": [["tea", "nothing"]]},
        {"hierarchy": [["tea"]]},
        {"hierarchy": [["drinks", "bread"], ["bread", "drinks"]]},
        {"hierarchy": [["drinks", "bread"], ["drinks", "bread"]]},
        {"generalized": ["nothing"]},
    ],
)
def test_a_hierarchy_that_cannot_be_is_a_fault(tmp_path, wrong):
    folder = tmp_path / "release"
    write_release(block(ROWS, min_support=20, k=10, method="generalize", hierarchy=GOODS), folder)
    told = json.loads((folder / "release.json").read_bytes())
    (folder / "release.json").write_text(json.dumps({**told, **wrong}))
    assert not verify(folder).is_good


def test_the_verifier_knows_parents(tmp_path):
    rows = [["tea", "drinks"]] * 30 + [["drinks"]] * 4 + [[]] * 30
    write_release(block(rows, min_support=20, k=5, max_length=1, method="suppress"), tmp_path / "one", format="csv")
    folder = tmp_path / "one"
    told, certificate = (json.loads((folder / name).read_bytes()) for name in ("release.json", "certificate.json"))
    text = json.dumps({**certificate, "hierarchy": [["tea", "drinks"]]})
    (folder / "certificate.json").write_text(text)
    files = {**told["files"], "certificate.json": sha256(text.encode()).hexdigest()}
    (folder / "release.json").write_text(json.dumps({**told, "hierarchy": [["tea", "drinks"]], "files": files}))
    assert verify(folder).faults == ("with the hierarchy in release.json: 1 channels reveal fewer than k rows",)
