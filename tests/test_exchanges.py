"""Exchanges of items between rows: what they clear cannot be inferred, and without them the same is found."""

from collections import Counter

import numpy as np
import oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import attack, mine
from discreet.data import generate
from discreet.disclosure.attacks import linear as linear_module
from discreet.disclosure.attacks.constraints import Ground, build_system
from discreet.disclosure.attacks.exchanges import keep_fixed
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import Subcube

ITEMS = "abc"
GROUPS = [[], [["a", "b"]], [["b", "c"]]]
some_rows = st.lists(st.sets(st.sampled_from(ITEMS)).map(frozenset), min_size=1, max_size=7)
slacks = st.fixed_dictionaries(
    {one: st.tuples(st.integers(0, 3), st.integers(0, 3)) for one in map(frozenset, ["a", "b", "c", "ab", "bc"])}
)


def cleared(facts, rows, k):
    """Return the conjunctions, over and cell by labels, that exchanges clear of those with 1 to k - 1 rows."""
    ground = Ground(facts)
    system = build_system(ground, ground.everything, most=1 << 10)
    bits = {facts.labels[code]: bit for code, bit in ground.bit.items()}
    counts = Counter(sum(bits.get(label, 0) for label in row) for row in rows)
    every = [Subcube(over, over & cell) for over in range(1, ground.everything + 1) for cell in range(over + 1)]
    rare = [one for one in {*every} if 0 < sum(n for kind, n in counts.items() if kind & one.over == one.cell) < k]
    fixed = keep_fixed(system, np.array([float(counts[kind]) for kind in system.rows]), rare, k).tolist()
    named = [[frozenset(label for label, bit in bits.items() if bit & part) for part in cube] for cube in rare]
    return [cube for at, cube in enumerate(named) if at not in fixed]


@settings(max_examples=80)
@given(rows=some_rows, sigma=st.integers(1, 4), k=st.integers(1, 4), complete=st.booleans())
def test_what_exchanges_clear_has_no_rows_or_many_in_some_database_with_the_release(rows, sigma, k, complete):
    databases = oracle.compatible(rows, ITEMS, sigma, complete=complete)
    facts = Facts.of(mine(rows, min_support=sigma), complete=complete)
    found = [oracle.limits_of({cell}, databases, over) for over, cell in cleared(facts, rows, k)]
    assert all(low == 0 or high >= k for low, high in found)


@settings(max_examples=80)
@given(rows=some_rows, slack=slacks, k=st.integers(2, 4), groups=st.sampled_from(GROUPS))
def test_exchanges_keep_limits_and_schemas(rows, slack, k, groups):
    rows = [row for row in rows if not any(len(row & set(group)) > 1 for group in groups)]
    supports = {one: oracle.support(one, rows) for one in slack}
    told = {one: (max(0, supports[one] - less), supports[one] + more) for one, (less, more) in slack.items()}
    databases = oracle.databases_within(ITEMS, {**told, **oracle.exactly({frozenset(): len(rows)})}, groups=groups)
    facts = Facts.from_limits([(one, *both) for one, both in told.items()], n=len(rows), schema=groups)
    found = [oracle.limits_of({cell}, databases, over) for over, cell in cleared(facts, rows, k)]
    assert all(low == 0 or high >= k for low, high in found)


def test_exchanges_clear_a_pair_that_nothing_is_known_about():
    rows = [["a"]] * 5 + [["b"]] * 5 + [["a", "b"]] + [[]] * 5
    facts = Facts.of(mine(rows, min_support=6), complete=False)
    assert [frozenset("ab"), frozenset("ab")] in cleared(facts, rows, 3)


def test_items_of_one_group_are_not_exchanged():
    rows = [["a"]] * 6 + [["b"]] * 6
    facts = Facts.of(mine(rows, min_support=6), complete=False, schema=[["a", "b"]])
    assert not cleared(facts, rows, 7)


def test_without_exchanges_an_attack_finds_the_same(monkeypatch):
    rows = generate.clinic(400)
    patterns = mine(rows, min_support=60)
    found = attack(patterns, k=6, rows=rows)
    monkeypatch.setattr(linear_module, "keep_fixed", lambda _system, _counts, cubes, _k: np.arange(len(cubes)))
    assert found.findings
    assert attack(patterns, k=6, rows=rows).findings == found.findings
