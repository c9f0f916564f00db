"""The law of the exact attacker: nothing is called safe from which any pattern of AND, OR and NOT can be inferred."""

import os

import numpy as np
import oracle
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from discreet import Patterns, Transactions, attack, block, mine, report
from discreet.disclosure.attacks.constraints import Ground, build_system
from discreet.disclosure.attacks.exact import ITEMS as ITEMS_AT_MOST
from discreet.disclosure.attacks.exact import ExactSearch, exact
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import Clock, Region

LARGE = os.environ.get("DISCREET_LARGE") == "1"
ITEMS = "abc"
METHODS = ["suppress", "add", "withhold", "optimal"]
ISSUE = {"": 13, "a": 5, "b": 10, "c": 10, "bc": 7}
"""Supports for a minimum of 4, from which b without c or c without b, and not a, is inferred for k = 3."""

# Rows without channels of which no conjunction, but some other pattern is inferred, with a minimum support and k.
UNIONS = [
    {"cells": [0, 0, 0, 3, 1, 2, 3, 0], "sigma": 4, "k": 3},
    {"cells": [0, 0, 1, 3, 0, 3, 2, 0], "sigma": 4, "k": 3},
    {"cells": [0, 0, 0, 3, 1, 3, 2, 0], "sigma": 4, "k": 3},
    {"cells": [0, 0, 0, 3, 1, 2, 7, 0], "sigma": 4, "k": 3},
    {"cells": [1, 1, 1, 3, 1, 3, 3, 0], "sigma": 3, "k": 2},
]


def rows_of(cells, items=ITEMS):
    """Return rows from how many there are of each kind; the bits of its number are the items."""
    kinds = [frozenset(item for bit, item in enumerate(items) if kind >> bit & 1) for kind in range(len(cells))]
    return [kind for kind, many in zip(kinds, cells, strict=True) for _ in range(many)]


def databases_of(patterns, items, sigma, *, complete, groups=()):
    """Return all databases that have the published supports, by brute force."""
    told = {one: max((held for top, held in patterns if one <= top), default=None) for one in oracle.subsets(items)}
    told = {one: held for one, held in told.items() if held is not None} | {frozenset(): patterns.n}
    return oracle.databases_within(items, oracle.exactly(told), sigma - 1 if complete else None, groups)


def counts(kinds):
    return st.lists(st.sampled_from([0, 0, 0, 1, 2, 3]), min_size=kinds, max_size=kinds)


@settings(max_examples=20_000 if LARGE else 200)
@given(
    cells=counts(8),
    sigma=st.integers(1, 4),
    k=st.integers(1, 4),
    complete=st.booleans(),
    groups=st.sampled_from([[], [], [["a", "b"]], [["a", "b", "c"]], [["b", "c"], ["a", "c"]]]),
)
@example(**UNIONS[0], complete=True, groups=[])
@example(**UNIONS[1], complete=True, groups=[])
@example(**UNIONS[2], complete=True, groups=[])
@example(**UNIONS[3], complete=True, groups=[])
@example(**UNIONS[4], complete=True, groups=[])
def test_it_is_safe_if_and_only_if_no_pattern_at_all_is_inferred(cells, sigma, k, complete, groups):
    rows = [row for row in rows_of(cells) if not any(len(row & set(group)) > 1 for group in groups)]
    assume(len(rows) <= (13 if complete else 6))  # by brute force
    patterns = mine(rows, min_support=sigma)
    databases = databases_of(patterns, ITEMS, sigma, complete=complete, groups=groups)
    found = attack(patterns, k=k, level="exact", complete=complete, schema=groups)
    assert found.is_safe is not oracle.is_anything_inferred(databases, ITEMS, k)
    found.check()
    for finding in found.findings:
        over, *inside = (
            frozenset(patterns.labels[code] for code in codes)
            for codes in (finding.pattern.over, *finding.pattern.cells)
        )
        low, high = oracle.limits_of(set(inside), databases, over)
        assert 1 <= finding.low <= low <= high <= finding.high < k


def search_pairs(patterns, k):
    """Return the kinds of rows of each pair of cells that the search for pairs finds, where no conjunction is rare."""
    ground = Ground(Facts.of(patterns))
    region = Region(build_system(ground, ground.everything, most=1 << ITEMS_AT_MOST), Clock(60), whole=True)
    region.least(np.zeros(len(region.system.rows)))
    search = ExactSearch(ground, region, k)
    search._find_conjunctions()
    assert not search.rare
    search._find_pairs()
    kinds = [frozenset(patterns.labels[code] for code in ground.codes(row)) for row in region.system.rows]
    return {frozenset(kind for kind, is_true in zip(kinds, truth, strict=True) if is_true) for truth in search.rare}


@settings(max_examples=2_000 if LARGE else 30)
@given(cells=counts(8), sigma=st.integers(3, 4), k=st.integers(2, 3))
@example(**UNIONS[0])
@example(**UNIONS[1])
@example(**UNIONS[2])
@example(**UNIONS[3])
@example(**UNIONS[4])
def test_the_search_for_pairs_finds_each_inferred_pair_or_one_that_says_more_or_less(cells, sigma, k):
    patterns = mine(rows_of(cells), min_support=sigma)
    databases = databases_of(patterns, ITEMS, sigma, complete=True)
    assume(len(patterns.labels) == len(ITEMS) and not oracle.inferred_conjunctions(databases, ITEMS, k))
    expected, found = oracle.inferred_pairs(databases, ITEMS, k), search_pairs(patterns, k)
    assert found <= expected
    assert all(any(one <= pair or one >= pair for one in found) for pair in expected)


@pytest.mark.parametrize("case", UNIONS)
def test_there_are_inferred_pairs_to_be_found(case):
    assert search_pairs(mine(rows_of(case["cells"]), min_support=case["sigma"]), case["k"])


@settings(max_examples=500 if LARGE else 25)
@given(cells=counts(16), sigma=st.integers(2, 4), k=st.integers(2, 3))
def test_it_is_so_for_four_items_too(cells, sigma, k):
    items = "abcd"
    patterns = mine(rows_of(cells, items), min_support=sigma)
    below = {one for top, _ in patterns for one in oracle.subsets(top)}
    assume(sigma ** (16 - len(below)) <= 1000)
    databases = databases_of(patterns, items, sigma, complete=True)
    assert attack(patterns, k=k, level="exact").is_safe is not oracle.is_anything_inferred(databases, items, k)


@pytest.fixture(scope="module")
def issue():
    return Patterns.from_itemsets(((list(itemset), held) for itemset, held in ISSUE.items()), n=13, min_support=4)


def test_a_union_of_two_cells_at_an_even_distance_is_found_and_proven(issue):
    assert len(databases_of(issue, ITEMS, 4, complete=True)) == 3
    assert attack(issue, k=3, level="linear").is_safe
    (finding,) = attack(issue, k=3, level="exact").findings
    assert str(finding) == "(b ∧ ¬a ∧ ¬c) ∨ (c ∧ ¬a ∧ ¬b): 1 to 2 rows"
    assert attack(issue, k=3, level="exact", complete=False).is_safe


def test_what_needs_more_than_two_cells_is_found_as_well():
    # 30 − n rows or more hold two of the items; which two nobody can tell.
    told = [(["a"], 10, 10), (["b"], 10, 10), (["c"], 10, 10), (["a", "b", "c"], 0, 0)]
    facts = Facts.from_limits([*told, (["a", "b"], 0, 1), (["a", "c"], 0, 1), (["b", "c"], 0, 1)], n=29)
    found = exact(facts, k=4)
    assert [str(finding) for finding in found.findings] == ["(a ∧ b ∧ ¬c) ∨ (a ∧ c ∧ ¬b) ∨ (b ∧ c ∧ ¬a): 1 to 3 rows"]


def test_what_time_does_not_suffice_for_is_never_safe(issue):
    assert not exact(Facts.of(issue), k=3, seconds=0).findings
    assert exact(Facts.of(issue), k=3, seconds=0).undecided


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=400 if LARGE else 12)
@given(cells=counts(8), sigma=st.integers(2, 4), k=st.integers(2, 3))
@example(**UNIONS[0])
@example(**UNIONS[1])
@example(**UNIONS[3])
@example(**UNIONS[4])
def test_no_pattern_at_all_is_inferred_from_what_is_blocked_against_him(method, cells, sigma, k):
    rows = Transactions(rows_of(cells))
    release = block(rows, min_support=sigma, k=k, method=method, against="exact", seconds=2)
    assume(len(release.patterns) > 0)
    databases = databases_of(release.patterns, ITEMS, sigma, complete=release.is_whole)
    assert not oracle.is_anything_inferred(databases, ITEMS, k)


def test_what_he_promises_is_said_wherever_he_is_named(issue):
    promise = (
        "No pattern of AND, OR and NOT over the published items holds for 1 to 4 rows in every database that fits."
    )
    rows = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10
    found = attack(mine(rows, min_support=10), k=5, level="exact")
    assert promise in " ".join(" ".join(report.attack_text(found)).split())
    assert "No pattern of AND" not in " ".join(report.attack_text(attack(issue, k=3, level="exact")))
