"""Laws of attacks on several releases: what follows from them together, by bounds as well as by differences."""

import os

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import (
    BudgetError,
    InconsistencyError,
    InputError,
    OptionError,
    Patterns,
    QueryError,
    attack,
    audit,
    bounds,
    mine,
)
from discreet.disclosure.attacks import joint_releases
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.formula import Mark
from discreet.disclosure.attacks.joint_releases import join_facts

LARGE = os.environ.get("DISCREET_LARGE") == "1"
few = settings(max_examples=500 if LARGE else 25)

APRIL = [["a", "b"]] * 9 + [["a"]] * 15 + [["b"]] * 15 + [[]]
MAY = [["a", "b"]] * 12 + [["a"]] * 22 + [["b"]] * 22 + [[]] * 5
"""a ∧ b was held by 8 or 9 rows in April, where it is not listed for a minimum support of 10, and is by 12 in May."""


def rows_over(items):
    return st.lists(st.sets(st.sampled_from(items)).map(frozenset), max_size=5)


@st.composite
def chains(draw, items, many):
    """Rows of ``many`` releases, each a part of the next, with minimum supports."""
    rows = draw(rows_over(items))
    ends = sorted(draw(st.lists(st.integers(0, len(rows)), min_size=many - 1, max_size=many - 1)))
    return [rows[:end] for end in (*ends, len(rows))], draw(st.lists(st.integers(1, 3), min_size=many, max_size=many))


CHAINS = {
    "one": ("ab", ("before",)),
    "several": ("a", ("before1", "before2")),
    "three": ("a", ("before1", "before2", "before3")),
}


def shown(finding):
    """What a finding speaks of by the texts of labels: the items, and the cells in which it is true."""
    labels = finding.facts.labels
    named = [frozenset(str(labels[code]) for code in codes) for codes in (finding.pattern.over, *finding.pattern.cells)]
    return named[0], set(named[1:])


def conjunctions_of(findings):
    """The findings that are conjunctions, as what rows hold and what they lack."""
    return {(cell, over - cell) for over, cells in map(shown, findings) if len(cells) == 1 for cell in cells}


def says_more(one, other):
    """Whether a conjunction says all that another one does."""
    return all(less <= more for more, less in zip(one, other, strict=True))


def mined(chain, sigmas, kind="closed"):
    *olds, new = (mine(rows, min_support=sigma, kind=kind) for rows, sigma in zip(chain, sigmas, strict=True))
    return new, olds


@pytest.mark.parametrize("name", CHAINS)
@few
@given(data=st.data())
def test_what_is_found_holds_in_all_rows_that_have_all_the_releases(name, data):
    items, marks = CHAINS[name]
    chain, sigmas = data.draw(chains(items, len(marks) + 1))
    k, complete = data.draw(st.integers(1, 4)), data.draw(st.booleans())
    new, olds = mined(chain, sigmas, data.draw(st.sampled_from(["closed", "frequent", "maximal"])))
    databases = oracle.compatible_grown(chain, items, marks, sigmas, complete=complete)
    found = attack(new, k=k, level="exact", against=olds, grown=True, complete=complete)
    found.check()
    for finding in found.findings:
        over, cells = shown(finding)
        low, high = oracle.limits_of(cells, databases, over)
        assert 1 <= finding.low <= low <= high <= finding.high < k


@pytest.mark.parametrize("name", CHAINS)
@few
@given(data=st.data())
def test_the_exact_attacker_finds_every_conjunction_that_is_rare_in_all_such_rows(name, data):
    items, marks = CHAINS[name]
    chain, sigmas = data.draw(chains(items, len(marks) + 1))
    k, complete = data.draw(st.integers(1, 4)), data.draw(st.booleans())
    databases = oracle.compatible_grown(chain, items, marks, sigmas, complete=complete)
    expected = oracle.inferred_conjunctions(databases, [*items, *marks], k)
    new, olds = mined(chain, sigmas, data.draw(st.sampled_from(["closed", "frequent"])))
    found = attack(new, k=k, level="exact", against=olds, grown=True, complete=complete)
    known = conjunctions_of(found.findings)
    plain = conjunctions_of(finding for finding in found.findings if finding.level == "plain")
    # Of channels only the maximal ones are listed; and nothing that says more than what is known to be rare.
    known |= {less for less in expected if any(says_more(channel, less) for channel in plain)}
    missing = [pair for pair in expected if not any(says_more(pair, less) for less in known)]
    assert len(missing) <= sum(one.many for one in found.undecided)


@few
@given(case=chains("abc", 2), k=st.integers(2, 5))
def test_the_weakest_attacker_finds_all_that_differences_tell(case, k):
    new, olds = mined(*case)
    found = conjunctions_of(attack(new, k=k, level="plain", against=olds, grown=True).findings)
    (changes,) = audit(new, k=k, against=olds, grown=True).changes
    for change in changes:
        assert any(change.base <= has and (change.top - change.base) | {"before"} <= lacks for has, lacks in found)


@few
@given(case=chains("abc", 2))
def test_facts_that_inherit_tell_what_facts_that_are_listed_one_by_one_tell(case):
    new, olds = mined(*case)
    one = join_facts(new, olds, grown=True)
    every = [codes for codes in oracle.subsets(range(len(one.labels))) if one.is_below(codes)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_releases, "_is_nested", lambda _: False)
        listed = join_facts(new, olds, grown=True)
    assert not listed.inherited
    assert {codes: listed.limits(codes) for codes in every} == {codes: one.limits(codes) for codes in every}


@few
@given(rows=rows_over("abc"), sigmas=st.tuples(st.integers(1, 3), st.integers(1, 3)), k=st.integers(2, 4))
def test_of_two_thresholds_for_the_same_rows_the_lower_one_tells_all(rows, sigmas, k):
    high, low = (mine(rows, min_support=sigma) for sigma in (max(sigmas), min(sigmas)))
    expected = [str(finding) for finding in attack(low, k=k).findings]
    for new, old in ((high, low), (low, high)):
        assert [str(finding) for finding in attack(new, k=k, against=old).findings] == expected


@few
@given(rows=rows_over("abc"), k=st.integers(2, 4))
def test_two_lists_of_other_items_of_the_same_rows_tell_what_rows_that_have_both_do(rows, k):
    parts = [[row & set(items) for row in rows] for items in ("ab", "bc")]
    supports = {
        one: oracle.support(one, part)
        for part, items in zip(parts, ("ab", "bc"), strict=True)
        for one in oracle.subsets(items)
        if oracle.support(one, part) >= 2 or not one
    }
    databases = oracle.databases_within("abc", oracle.exactly(supports))
    old, new = (mine(part, min_support=2) for part in parts)
    found = attack(new, k=k, level="exact", against=old, complete=False)
    found.check()
    for finding in found.findings:
        over, cells = shown(finding)
        low, high = oracle.limits_of(cells, databases, over)
        assert 1 <= finding.low <= low <= high <= finding.high < k
    expected = oracle.inferred_conjunctions(databases, "abc", k)
    assert bool(expected) <= bool(found.findings or found.undecided or len(rows) < k)


def test_what_was_missing_from_the_older_list_tells_who_came_though_no_difference_does():
    old, new = mine(APRIL, min_support=10), mine(MAY, min_support=10)
    assert audit(new, k=5, against=old, grown=True).verdict.name == "RELEASE"
    assert [attack(one, k=5).is_safe for one in (old, new)] == [True, True]
    found = attack(new, k=5, against=old, grown=True)
    assert [str(finding) for finding in found.findings] == ["a ∧ b, of the rows that came since: 3 to 4 rows"]
    sentence = found.findings[0].sentence
    assert sentence.startswith(
        "a ∧ b, of the rows that came since, holds for 3 to 4 rows, because sup(ab) 12 − sup₁(ab)"
    )
    (step,) = found.findings[0].steps()
    assert step.startswith("sup₁(ab) is from 8 to 9, because sup₁(a) 24 + sup₁(b) 24 − n₁ 40 = 8, and at most 9 rows")


def test_what_reached_no_minimum_support_before_is_bounded_by_that_of_before():
    old, new = mine([["a"]] * 4 + [["b"]] * 4, min_support=3), mine([["a"]] * 9 + [["b"]] * 9, min_support=9)
    facts = join_facts(new, [old], grown=True)
    assert facts.limits(frozenset([0, 1])) == (0, 8)
    assert facts.limits(frozenset([0, 1, 2])) == (0, 2)


def test_an_itemset_that_is_only_in_the_older_list_has_at_least_its_support():
    old, new = mine([["a"]] * 4, min_support=3), mine([["a"]] * 5 + [[]] * 5, min_support=7)
    assert join_facts(new, [old], grown=True).limits(frozenset([0])) == (4, 6)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_older_releases_keep_the_numbers_they_were_given_in(order):
    rows = [["a"]] * 12
    chain = [rows[:6], rows[:8]]
    olds = [mine(chain[place], min_support=2) for place in order]
    found = attack(mine(rows, min_support=2), k=3, against=olds, grown=True, level="plain")
    first, second = (order.index(place) + 1 for place in (0, 1))
    expected = f"any row, of the rows that came since older release {first} and are in older release {second}: 2 rows"
    assert expected.replace("any row", "a") in {str(finding) for finding in found.findings}


def test_an_older_release_that_is_not_whole_tells_what_it_lists():
    old = Patterns.from_itemsets([(["a", "b"], 6)], n=10, min_support=2, kind="frequent")
    new = Patterns.from_itemsets([([], 20), (["a"], 12), (["b"], 12), (["a", "b"], 7)], n=20, min_support=2)
    found = attack(new, k=2, against=old, grown=True, level="exact")
    assert "a ∧ b, of the rows that came since: 1 row" in {str(finding) for finding in found.findings}


@pytest.mark.parametrize("level", ["plain", "exact"])
def test_an_older_list_of_fewer_items_is_taken_for_no_more_than_it_says(level):
    old, new = mine([["b"]] * 2, min_support=1), mine([["a", "b"]] * 3, min_support=3)
    found = attack(new, k=2, level=level, complete=False, against=old, grown=True)
    found.check()
    assert str(found.findings[0]) == "b, of the rows that came since: 1 row"


def test_what_only_the_older_list_leaves_out_is_used_where_the_tops_are_acyclic():
    rows = [list(row) for row in ["ac", "c", "bc", "bc", "b", "ab", "abc", "", "abc", "a"]]
    old, new = mine(rows[:3], min_support=2), Facts.of(mine(rows, min_support=4), complete=False)
    found = attack(new, k=2, against=old, grown=True)
    assert found.is_acyclic
    assert [str(finding) for finding in found.findings] == ["b, of the rows that were there before: 1 row"]


def test_bounds_may_ask_for_rows_that_were_there_before():
    old, new = mine(APRIL, min_support=10), mine(MAY, min_support=10)
    known = {"against": old, "grown": True}
    assert str(bounds(new, "a & b & ~before", **known)) == "a ∧ b, of the rows that came since: 3 to 4 rows"
    assert str(bounds(new, "a & b & before", **known)) == "a ∧ b, of the rows that were there before: 8 to 9 rows"
    assert str(bounds(new, "a & b", **known)) == "a ∧ b: 12 rows"


def test_an_item_that_is_called_before_is_told_from_the_rows_that_were_there():
    rows = [["before"]] * 4 + [[]] * 4
    known = {"against": mine(rows, min_support=2), "grown": True}
    new = mine([*rows, *[["before"]] * 3], min_support=2)
    assert (bounds(new, "before", **known).low, bounds(new, "before_", **known).low) == (7, 8)
    with pytest.raises(QueryError, match="nothing is published"):
        bounds(new, "before1", **known)


def test_what_is_taken_to_be_known_names_the_older_release():
    found = attack(mine(MAY, min_support=10), k=5, against=mine(APRIL, min_support=8), grown=True)
    among = "that the 40 rows of older release 1 are among them"
    assert f"{among}, of which no more than 7 hold what is not listed" in found.assumptions


@pytest.mark.parametrize(
    ("old", "new", "options", "sentence"),
    [
        (MAY, APRIL, {"grown": True}, "only added"),
        (APRIL, MAY, {}, "the same rows"),
        ([["a"]] * 9, [["b"]] * 9, {}, "the same rows"),
        ([["a"]] * 9 + [["b"]] * 9, [["b"]] * 19, {"grown": True}, "only added"),
    ],
    ids=["fewer rows", "more rows", "other rows", "rows that left"],
)
def test_releases_that_are_not_what_is_said_are_refused_in_one_sentence(old, new, options, sentence):
    with pytest.raises(InconsistencyError, match=sentence) as caught:
        attack(mine(new, min_support=9), k=2, against=mine(old, min_support=9), **options)
    assert "\n" not in str(caught.value)


def test_a_partial_list_contradicts_less():
    old, new = mine([["a"]] * 9, min_support=9), mine([["b"]] * 9, min_support=9)
    assert attack(new, k=2, against=old, complete=False).is_safe


def test_rows_make_the_search_in_releases_that_have_grown_no_other():
    new, old = mine(MAY, min_support=10), mine(APRIL, min_support=10)
    options = {"k": 2, "against": old, "grown": True, "complete": False}
    with_rows, without = attack(new, rows=MAY, **options), attack(new, **options)
    assert {finding.pattern for finding in with_rows.findings} == {finding.pattern for finding in without.findings}
    with pytest.raises(InputError, match="another support"):
        attack(new, rows=APRIL, **options)


def test_rows_that_the_older_release_is_not_of_are_refused():
    new = mine(MAY, min_support=10)
    assert attack(new, k=2, against=mine(MAY, min_support=12), rows=MAY).is_safe
    with pytest.raises(InputError, match="another support"):
        attack(new, k=2, against=mine(MAY, min_support=12), rows=APRIL)


@pytest.mark.parametrize(
    "verb", [lambda *_, **known: attack(*_, k=2, **known), lambda *_, **known: bounds(*_, "a", **known)]
)
def test_what_is_no_release_is_refused(verb):
    new = mine(MAY, min_support=10)
    with pytest.raises(OptionError, match="read_patterns"):
        verb(new, against=["april.json"])
    with pytest.raises(OptionError, match="against="):
        verb(new, grown=True)


def test_more_itemsets_than_can_be_listed_are_refused(monkeypatch):
    monkeypatch.setattr(joint_releases, "MOST", 3)
    old, new = mine([["a", "b"]] * 4, min_support=3), mine([["a", "b"]] * 4 + [[]] * 5, min_support=7)
    with pytest.raises(BudgetError, match="more than 3 itemsets"):
        attack(new, k=2, against=old, grown=True)


def test_facts_may_be_attacked_beside_an_older_release():
    facts = Facts.from_limits([(["a"], 7, 7)], n=12, schema=[["a", "b"]])
    found = join_facts(facts, [mine([["a"]] * 5, min_support=2)], grown=True)
    assert [str(label) for label in found.labels if isinstance(label, Mark)] == ["before"]
    assert found.limits(frozenset([found.code["a"]])) == (7, 7)
    assert found.schema == (frozenset([found.code["a"], found.code["b"]]),)


def test_what_is_listed_with_wider_limits_than_follow_is_proven_all_the_same():
    facts = Facts.from_limits([(["a"], 0, 1), (["b"], 2, 2), (["a", "b"], 1, 1)], n=2)
    found = attack(facts, k=2, level="derive")
    found.check()
    assert [str(finding) for finding in found.findings] == ["b ∧ ¬a: 1 row", "a ∧ b: 1 row"]
    wide = Facts.from_limits([(["b"], 1, 1), (["c"], 2, 2), (["b", "c"], 0, 1), (["a", "b", "c"], 1, 1)], n=3)
    attack(wide, k=2, level="derive").check()


def test_limits_that_no_rows_keep_are_refused():
    with pytest.raises(InconsistencyError, match="2 of 3 itemsets have limits that contradict"):
        attack(Facts.from_limits([(["a"], 0, 1), (["a", "b"], 2, 2)], n=2), k=2)
