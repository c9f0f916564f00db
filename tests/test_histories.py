"""Histories: what follows from all releases of rows that have grown is found by small programs over all dates."""

from itertools import combinations

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import Patterns, Transactions, attack, block
from discreet.data.generate import clinic
from discreet.disclosure.attacks import histories
from discreet.disclosure.attacks.attack import search
from discreet.disclosure.attacks.certificate import check
from discreet.disclosure.attacks.constraints import Ground
from discreet.disclosure.attacks.derive import SearchTask
from discreet.disclosure.attacks.feasible import Clock
from discreet.disclosure.attacks.histories import Dated, find_history
from discreet.disclosure.attacks.joint_releases import join_facts
from discreet.disclosure.attacks.linear import linear

K = 3
ITEMS = "abc"


def list_below(tops):
    """All parts of some itemsets."""
    return {frozenset(part) for top in tops for size in range(len(top) + 1) for part in combinations(sorted(top), size)}


@st.composite
def series(draw, items=ITEMS, most=10, dates=3):
    """Rows of several dates, each with the itemsets that the release of its date lists."""
    kinds = st.frozensets(st.sampled_from(items))
    arrived = [draw(st.lists(kinds, min_size=1, max_size=most)) for _ in range(draw(st.integers(1, dates)))]
    listed = [list_below(draw(st.lists(kinds, min_size=1, max_size=4))) for _ in arrived]
    return arrived, listed


def publish(arrived, listed):
    """The releases, and the rows of the last one."""
    rows, releases = [], []
    for came, itemsets in zip(arrived, listed, strict=True):
        rows += came
        counted = [(itemset, sum(itemset <= row for row in rows)) for itemset in itemsets]
        held = [(itemset, support) for itemset, support in counted if support]
        releases.append(Patterns.from_itemsets(held, n=len(rows), kind="frequent"))
    return releases, rows


@settings(max_examples=25)
@given(case=series())
def test_a_history_finds_all_that_programs_over_each_universe_find(case):
    (*olds, new), rows = publish(*case)
    facts = join_facts(new, olds, grown=bool(olds), complete=False)
    history = find_history(facts, Transactions(rows), 10)
    slow, quick = linear(facts, k=K), linear(facts, k=K, history=history)
    assume(not slow.undecided)
    assert not quick.undecided
    assert bool(slow.findings) <= bool(quick.findings)
    check(facts, [finding.certificate for finding in quick.findings])


@settings(max_examples=25)
@given(case=series(items="ab", most=3, dates=2))
def test_what_the_kernel_finds_holds_in_all_histories(case):
    (*olds, new), rows = publish(*case)
    facts = join_facts(new, olds, grown=bool(olds), complete=False)
    dated, history = Dated(Ground(facts)), find_history(facts, Transactions(rows), 10)
    labels = [str(facts.labels[item]) for item in dated.ground.items]
    universes = dated.list_universes(2)
    found = {cube for _, cubes in history.look(dated, universes, K, Clock(10)) for cube in cubes}
    told = [dict([*release, (frozenset(), release.n)]) for release in (*olds, new)]
    items = sorted({label for label in labels if not label.startswith("before")})
    marks = [label for label in labels if label.startswith("before")]
    every = list(oracle.histories(told, items))
    assert every
    for over, cell in found:
        named = {label: bool(cell >> place & 1) for place, label in enumerate(labels) if over >> place & 1}
        counts = {
            sum(
                many
                for (kind, date), many in one.items()
                if all((label in kind) == holds for label, holds in named.items() if label in items)
                and all((date <= marks.index(label)) == holds for label, holds in named.items() if label in marks)
            )
            for one in every
        }
        assert counts <= set(range(1, K)), (named, counts)


@settings(max_examples=25)
@given(case=series(), gone=st.frozensets(st.sampled_from(ITEMS), min_size=1, max_size=2))
def test_after_itemsets_are_withheld_a_narrower_look_finds_what_a_whole_one_finds(case, gone):
    arrived, listed = case
    (*olds, new), rows = publish(arrived, listed)
    fewer = [*listed[:-1], {itemset for itemset in listed[-1] if not gone <= itemset}]
    facts, later = (
        join_facts(one, olds, grown=bool(olds), complete=False) for one in (new, publish(arrived, fewer)[0][-1])
    )
    history = find_history(facts, Transactions(rows), 10)
    before = search(SearchTask(facts, K, history=history), "linear")
    narrower = history.narrow(facts, before.findings)
    expected, found = (search(SearchTask(later, K, history=one), "linear") for one in (history, narrower))
    assert {one.pattern for one in found.findings} == {one.pattern for one in expected.findings}
    assert found.undecided == expected.undecided


@settings(max_examples=25)
@given(case=series())
def test_a_history_of_drawn_rows_finds_what_one_of_the_rows_finds(case):
    (*olds, new), rows = publish(*case)
    facts = join_facts(new, olds, grown=bool(olds), complete=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(histories, "MANY", 0)
        drawn = find_history(facts, None, 10)
    assume(drawn is not None)
    dated = Dated(Ground(facts))
    for itemset, supports in dated.supports.items():
        held = drawn.counts[:, drawn.kinds & itemset == itemset].sum(axis=1).cumsum()
        assert all(np.isclose(count, support) for count, support in zip(held, supports, strict=True) if support)
    expected = linear(facts, k=K, history=find_history(facts, Transactions(rows), 10))
    found = linear(facts, k=K, history=drawn)
    assert {one.pattern for one in found.findings} == {one.pattern for one in expected.findings}


def test_without_rows_a_release_of_many_itemsets_is_decided():
    rows = list(clinic(1200, seed=7))
    old = block(rows[:1000], min_support="15%", k=10, method="withhold", against="linear").patterns
    new = block(rows, min_support="15%", k=10, against="linear", beside=old, grown=True).patterns
    assert len(Dated(Ground(join_facts(new, [old], grown=True, complete=False))).list_universes()) >= histories.MANY
    assert attack(new, k=10, against=old, grown=True, complete=False).is_safe


def test_long_itemsets_do_not_narrow_the_look():
    listed = list_below([frozenset("abcde")])
    [release], rows = publish([[frozenset("abcde")] * 5], [listed])
    facts = join_facts(release, (), complete=False)
    history = find_history(facts, Transactions(rows), 10)
    assert history.narrow(facts, ()).suspect == {frozenset()}


@given(case=series())
def test_a_history_has_the_supports_of_all_releases(case):
    releases, rows = publish(*case)
    facts = join_facts(releases[-1], releases[:-1], grown=len(releases) > 1, complete=False)
    dated, history = Dated(Ground(facts)), find_history(facts, Transactions(rows), 10)
    for itemset, supports in dated.supports.items():
        held = history.counts[:, history.kinds & itemset == itemset].sum(axis=1).cumsum()
        known = [(count, support) for count, support in zip(held, supports, strict=True) if support is not None]
        assert np.allclose(*zip(*known, strict=True)) if known else True


def test_a_growing_clinic_withstands_linear_programs():
    rows = list(clinic(1500, seed=7))
    releases = []
    for n in (1000, 1250, 1500):
        options = {"beside": releases, "grown": True} if releases else {}
        releases.append(
            block(rows[:n], min_support="20%", k=10, method="withhold", against="linear", **options).patterns
        )
    found = attack(releases[-1], k=10, against=releases[:-1], grown=True, complete=False, rows=rows)
    assert (len(found.findings), found.undecided) == (0, ())
    assert all(len(release) > 1 for release in releases)
