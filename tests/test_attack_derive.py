"""Laws of the attackers who add supports up and derive others: nothing false, nothing that the theorem names missed."""

import os
from functools import cache
from itertools import product
from random import Random

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import databases

from discreet import InconsistencyError, InputError, OptionError, Patterns, Transactions, block, detect, mine
from discreet.disclosure.attacks import derive
from discreet.disclosure.attacks.attack import attack
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.formula import Pattern
from discreet.io import datasets

LARGE = bool(os.environ.get("DISCREET_LARGE"))
ABC = frozenset("abc")


def rows_of(**times):
    """Return rows over one-letter items; those named ``none`` hold nothing."""
    return [[] if row == "none" else list(row) for row, number in times.items() for _ in range(number)]


E1 = rows_of(b=2, ab=2, ac=2, bc=2, abc=1)
E4 = rows_of(none=1, a=1, b=1, c=1, ab=3, ac=3, bc=3)
CHAIN = rows_of(ab=1, abcd=4, acd=1, ad=3, c=3, cd=1)


def spelled(found):
    """Return {(cells, over): (low, high)} of findings, by the labels."""
    labels = found.facts.labels

    def named(codes):
        return frozenset(labels[code] for code in codes)

    return {
        (frozenset(map(named, one.pattern.cells)), named(one.pattern.over)): (one.low, one.high)
        for one in found.findings
    }


def derived_of(found):
    """Return {itemset: support} of what was derived, by the labels."""
    offsets, items, supports = found.derived.arrays
    return {
        frozenset(found.facts.labels[item] for item in items[offsets[at] : offsets[at + 1]]): int(supports[at])
        for at in range(supports.size)
    }


# The smallest examples.


def test_a_support_is_derived_where_its_limits_meet():
    found = attack(mine(E1, min_support=3), k=2, level="derive")
    assert derived_of(found) == {ABC: 1}
    assert spelled(found) == {(frozenset([ABC]), ABC): (1, 1)}
    assert not found.is_safe


def test_a_derived_support_is_told_with_the_sums_that_bound_it():
    (finding,) = attack(mine(E1, min_support=3), k=2, level="derive").findings
    assert finding.sentence == (
        "sup(abc) is 1, because sup(ab) 3 + sup(ac) 3 − sup(a) 5 = 1 and sup(ab) 3 + sup(ac) 3 + sup(bc) 3 + n 9 − "
        "sup(a) 5 − sup(b) 7 − sup(c) 5 = 1 bound it"
    )


def test_two_cells_may_be_rare_together_though_neither_is_known_to_be():
    found = attack(mine(E4, min_support=3), k=2, level="derive")
    assert spelled(found) == {(frozenset([frozenset(), ABC]), ABC): (1, 1)}
    (finding,) = found.findings
    assert finding.sentence == (
        "(a ∧ b ∧ c) ∨ (¬a ∧ ¬b ∧ ¬c) holds for exactly 1 row, because sup(ab) 3 + sup(ac) 3 + sup(bc) 3 + n 13 − "
        "sup(a) 7 − sup(b) 7 − sup(c) 7 = 1"
    )


def test_a_support_is_derived_from_derived_ones():
    found = attack(mine(CHAIN, min_support=6), k=4, level="derive")
    assert derived_of(found) == {frozenset("ac"): 5, frozenset("acd"): 5}
    finding = next(one for one in found.findings if str(one) == "a ∧ ¬c ∧ ¬d: 1 row")
    assert list(finding.steps()) == [
        "sup(ac) is 5, because sup(a) 9 + sup(c) 9 − n 13 = 5, and at most 5 rows hold what is not published",
        "sup(acd) is 5, because sup(ad) 8 + sup(cd) 6 − sup(d) 9 = 5 and sup(ac) 5 = 5 bound it",
    ]


LADDER = {
    "derivable": (E1, 3, 2, ["a ∧ b ∧ c: 1 row"]),
    "absence": (rows_of(ab=2, ac=2, bc=3, abc=1), 4, 2, ["a ∧ b ∧ c: 1 row"]),
    "sums of several": (rows_of(ab=2, ac=2, bc=2, b=1, c=1), 3, 2, []),
    "parity": (E4, 3, 2, ["(a ∧ b ∧ c) ∨ (¬a ∧ ¬b ∧ ¬c): 1 row"]),
    "several itemsets": (rows_of(ab=4, abc=4, ad=3, abd=2, bcd=4), 6, 3, ["a ∧ b ∧ d: 2 rows"]),
}
"""E1 to E5; what follows from several unpublished itemsets at once (E3) is for stronger attackers."""


@pytest.mark.parametrize("name", LADDER)
def test_the_examples_are_found_by_who_derives(name):
    rows, min_support, k, expected = LADDER[name]
    assert list(map(str, attack(mine(rows, min_support=min_support), k=k, level="derive").findings)) == expected


@pytest.mark.parametrize(("rows", "min_support", "k"), [line[:3] for line in LADDER.values()], ids=LADDER)
def test_the_plain_detector_misses_what_is_derived(rows, min_support, k):
    patterns = mine(rows, min_support=min_support)
    assert len(detect(patterns, k=k)) == 0
    assert attack(patterns, k=k, level="plain").is_safe


def test_whoever_does_not_know_that_the_list_is_complete_derives_less():
    patterns = mine(CHAIN, min_support=6)
    assert derived_of(attack(patterns, k=4, level="derive", complete=False)) == {}


def test_a_schema_tells_supports_of_zero():
    patterns = mine(rows_of(x=1, xa=3, xb=3, a=6, b=6, none=5), min_support=3)
    assert attack(patterns, k=2, level="derive", complete=False).is_safe
    found = attack(patterns, k=2, level="derive", complete=False, schema=[["a", "b"]])
    assert derived_of(found) == {frozenset("ab"): 0, frozenset("abx"): 0}
    assert list(map(str, found.findings)) == ["x ∧ ¬a ∧ ¬b: 1 row"]
    assert found.findings[0].sentence.endswith("because sup(x) 7 − sup(ax) 3 − sup(bx) 3 = 1")


def test_a_schema_that_the_supports_contradict_is_refused():
    with pytest.raises(InputError, match="1 of 4 itemsets have two items of a group of the schema"):
        attack(mine([["a", "b"]] * 3 + [["a"], ["b"]], min_support=2, kind="frequent"), k=2, schema=[["a", "b"]])


# Nothing false: what is found holds in every database with the release.


def small_cases(many):
    """Return random rows over three items, a minimum support, a k, and whether the list is complete."""
    random = Random(8)  # noqa: S311 - no secret
    cells = list(oracle.subsets(ABC))
    for _ in range(many):
        pool = random.sample(cells, random.randint(1, 8))
        rows = [random.choice(pool) for _ in range(random.choice([0, 1, 3, 5, 6, 7, 7, 8, 8, 8]))]
        yield rows, random.randint(1, 5), random.randint(1, 4), random.random() < 0.7


def test_whatever_is_found_holds_in_all_databases_with_the_release():
    seen = 0
    for rows, sigma, k, complete in small_cases(2000 if LARGE else 150):
        allowed = oracle.compatible(rows, ABC, sigma, complete=complete)
        found = attack(mine(rows, min_support=sigma), k=k, level="derive", complete=complete)
        for (cells, over), (low, high) in spelled(found).items():
            least, most = oracle.limits_of(cells, allowed, over)
            assert low <= least
            assert most <= high
            assert 1 <= low <= high < k
        for itemset, support in derived_of(found).items():
            assert oracle.limits_of({itemset}, allowed, itemset) == (support, support)
        assert not found.undecided
        found.check()
        seen += any(one.level == "derive" for one in found.findings)
    assert seen > 5


def border_cases(many, items=ABC):
    """Yield all databases with some supports of the proper subsets of items, these as facts, the items, and a k."""
    random = Random(3)  # noqa: S311 - no secret
    for _ in range(many):
        database = {cell: random.choice([0, 0, 1, 1, 2, 3, 4]) for cell in oracle.subsets(items)}
        supports = oracle.supports_of(database, items)
        most, n = supports.pop(items) + random.choice([0, 1, 2, 99]), supports[frozenset()]
        facts = Facts.from_limits([(one, held, held) for one, held in supports.items()], n=n, absent=most)
        yield oracle.databases_within(items, oracle.exactly(supports), most), facts, items, random.randint(2, 4)


BORDER = [*border_cases(1000 if LARGE else 150), *border_cases(50 if LARGE else 5, frozenset("abcd"))]


def test_something_is_found_over_an_itemset_if_and_only_if_its_subsets_tell_it():
    """Theorem A3: a cell, or a pair of cells, is found if any Boolean pattern can be inferred."""
    for allowed, facts, items, k in BORDER:
        expected = oracle.is_anything_inferred(allowed, items, k)
        found = attack(facts, k=k, level="derive")
        assert bool(found.findings) == expected
        for (cells, over), limits in spelled(found).items():
            assert oracle.limits_of(cells, allowed, over) == limits


def test_all_conjunctions_over_an_itemset_that_its_subsets_tell_are_found():
    for allowed, facts, items, k in BORDER:
        expected = {
            (frozenset([has]), has | lacks): limits
            for (has, lacks), limits in oracle.inferred_conjunctions(allowed, items, k).items()
            if has | lacks == items
        }
        found = spelled(attack(facts, k=k, level="derive"))
        assert {key: limits for key, limits in found.items() if key[1] == items and len(key[0]) == 1} == expected


# The exhaustive counts, and what our attackers say of the same releases.

COUNTS = [
    ((10, 3, 2), (7_023, 1_555, 61, 0)),
    ((12, 3, 2), (21_197, 4_761, 282, 0)),
    ((14, 3, 2), (54_678, 12_983, 987, 6)),
    ((14, 4, 3), (34_870, 2_680, 154, 12)),
    ((14, 5, 3), (21_344, 1_703, 64, 3)),
    ((14, 6, 3), (12_546, 1_046, 22, 0)),
]


@pytest.mark.parametrize(("case", "expected"), COUNTS if LARGE else COUNTS[:1])
def test_some_releases_without_channels_tell_of_a_few_rows(case, expected):
    assert oracle.threatened(ABC, *case) == expected


def test_the_attackers_find_nothing_in_releases_that_tell_nothing():
    n, sigma, k = 10, 3, 2
    safe = [(said, every) for said, every in oracle.releases(ABC, n, sigma).items() if oracle.is_safe(dict(said), k)]
    found = 0
    for said, every in safe[:: 1 if LARGE else 10]:
        patterns = Patterns.from_itemsets([*dict(said).items()], n=n, min_support=sigma)
        plain, derived = (attack(patterns, k=k, level=level) for level in ("plain", "derive"))
        assert plain.is_safe
        assert derived.is_safe or oracle.inferred_conjunctions(every, ABC, k)
        found += not derived.is_safe
    assert found > 0


# Real rows.


@cache
def released(min_support, k, method):
    if not os.environ.get("DISCREET_DATA"):
        pytest.skip("DISCREET_DATA names no folder of data sets")
    return block(datasets.load("chess"), min_support=min_support, k=k, method=method).patterns


CHESS = [
    ("90%", 2, "suppress", 684, 4, 0),
    ("80%", 3, "suppress", 12_848, 512, 0),
    ("90%", 10, "add", 6, 8, 0),
    ("85%", 3, "add", 85, 89, 0),
    ("80%", 3, "add", 234, 334, 1),
]


@pytest.mark.parametrize(("min_support", "k", "method", "derived", "cells", "pairs"), CHESS)
def test_chess_tells_of_a_few_rows_after_its_channels_are_blocked(min_support, k, method, derived, cells, pairs):
    patterns = released(min_support, k, method)
    assert len(detect(patterns, k=k)) == 0
    found = attack(patterns, k=k, level="derive")
    assert len(found.derived) == derived
    assert [sum(len(one.pattern.cells) == many for one in found.findings) for many in (1, 2)] == [cells, pairs]
    assert not found.undecided
    found.check()


# Where it ends.


@given(rows=databases(max_rows=12, max_items=5), sigma=st.integers(1, 5), k=st.integers(1, 5))
@settings(max_examples=40)
def test_plain_findings_are_the_channels_and_all_are_checked(rows, sigma, k):
    patterns = mine(rows, min_support=sigma)
    found = attack(patterns, k=k, level="plain")
    channels = {(frozenset([one.base]), one.top): (one.count, one.count) for one in detect(patterns, k=k)}
    # Of no frequent itemset at all, n is still public.
    few = {(frozenset([frozenset()]), frozenset()): (len(rows),) * 2} if not len(patterns) and 0 < len(rows) < k else {}
    assert spelled(found) == channels | few
    found.check()


@given(rows=databases(max_rows=10, max_items=4), sigma=st.integers(2, 4), k=st.integers(2, 4), kind=st.booleans())
@settings(max_examples=40)
def test_rows_and_kinds_of_patterns_change_nothing_that_is_found(rows, sigma, k, kind):
    data = Transactions(rows)
    expected = spelled(attack(mine(data, min_support=sigma), k=k, level="derive"))
    patterns = mine(data, min_support=sigma, kind="frequent" if kind else "closed")
    assert spelled(attack(patterns, k=k, level="derive", rows=data)) == expected
    assert spelled(attack(patterns, k=k, level="derive", rows=[list(row) for row in rows])) == expected


@pytest.mark.parametrize("level", ["plain", "derive"])
@pytest.mark.parametrize("rows", [[], [[]], [["a"]], [["a"]] * 3, [[], ["a"]]], ids=str)
def test_few_rows_are_no_special_case(rows, level):
    for sigma, k in product((1, 2, 5), (1, 2, 9)):
        found = attack(mine(rows, min_support=sigma), k=k, level=level)
        allowed = oracle.compatible(rows, frozenset("a"), sigma, complete=True)
        for (cells, over), limits in spelled(found).items():
            assert oracle.limits_of(cells, allowed, over) == limits
        found.check()


def test_what_the_budget_cuts_off_is_undecided_and_not_safe(monkeypatch):
    patterns = mine(rows_of(none=9, a=9, b=9, c=9, ab=9, ac=9, bc=9), min_support=9)
    assert attack(patterns, k=2, level="derive").is_safe
    monkeypatch.setattr(derive, "WORK", 1)  # time is looked at after each step
    late, full = (attack(patterns, k=2, level="derive", **limit) for limit in ({"seconds": 0}, {"max_itemsets": 3}))
    assert [str(one) for one in late.undecided] == [
        "2 itemsets of 1 items and what holds them: the limit of 0 seconds is reached"
    ]
    assert [str(one) for one in full.undecided] == [
        "1 publication: it tells the supports of more than 3 itemsets, and nothing beyond was looked at"
    ]
    assert not late.is_safe
    assert not full.is_safe


def test_supports_beyond_the_limit_are_not_derived():
    patterns = mine(CHAIN, min_support=6)
    known = len(mine(CHAIN, min_support=6, kind="frequent"))
    (undecided,) = attack(patterns, k=4, level="derive", max_itemsets=known + 1).undecided
    assert undecided.why == f"the limit of {known + 1:,} itemsets is reached"
    assert not attack(patterns, k=4, level="derive", max_itemsets=known + 2).undecided


def test_supports_within_limits_are_undecided_for_whoever_only_derives():
    facts = Facts.from_limits([(["a"], 3, 4), (["b"], 5, 5)], n=9)
    (undecided,) = attack(facts, k=2, level="derive").undecided
    assert undecided.many == 1
    assert attack(Facts.from_limits([([], 8, 9), (["a"], 3, 3)], n=9), k=2, level="derive").undecided


def test_maximal_itemsets_tell_their_own_supports_only():
    patterns = mine(E1, min_support=3, kind="maximal")
    found = attack(patterns, k=2, level="derive")
    assert found.findings == ()


def test_a_list_that_is_not_complete_is_called_so():
    listed = [([], 9), (["a"], 8), (["b"], 8)]
    patterns = Patterns.from_itemsets(listed, n=9, min_support=3)
    with pytest.raises(InconsistencyError, match="leave no number of rows that may hold an itemset of 2 items"):
        attack(patterns, k=2, level="derive")
    assert attack(patterns, k=2, level="derive", complete=False).derived is not None


def test_rows_that_the_patterns_do_not_come_from_are_refused():
    patterns = mine(E1, min_support=3)
    with pytest.raises(InputError, match="7 of 7 itemsets have another support in the rows"):
        attack(patterns, k=2, level="derive", rows=[["a"]])
    partial = Patterns.from_itemsets([([], 9), (["a"], 5)], n=9, min_support=3)
    with pytest.raises(InputError, match="itemsets that more than 2 of the rows hold are not in the patterns"):
        attack(partial, k=2, level="derive", rows=E1)


def test_an_unknown_level_is_refused():
    with pytest.raises(OptionError, match="the attacker is 'clever'; it must be one of plain, derive, linear, exact"):
        attack(mine(E1, min_support=3), k=2, level="clever")


def test_the_attack_says_what_it_assumes():
    found = attack(mine(E1, min_support=3), k=2, level="derive")
    assert found.assumptions == (
        "that there are 9 rows",
        "the supports of 7 itemsets",
        "that no other itemset is held by more than 2 rows",
    )
    assert repr(found) == "<Attack: 1 inference about fewer than 2 rows at level derive>"
    assert "sup(abc) is 1" in found._repr_html_()


def test_acyclic_tops_without_channels_are_safe_against_all_who_use_no_absence():
    patterns = mine(rows_of(none=5, a=5, ab=5, bc=5, c=5, b=5), min_support=5)
    found = attack(patterns, k=3, level="exact", complete=False)
    assert found.is_acyclic
    assert found.is_safe


# Facts and formulas.


@given(rows=databases(max_rows=12, max_items=4), sigma=st.integers(1, 5), kind=st.sampled_from(["closed", "maximal"]))
@settings(max_examples=40)
def test_facts_are_what_is_published_of_each_itemset(rows, sigma, kind):
    facts = Facts.of(mine(rows, min_support=sigma, kind=kind))
    family = {frozenset(): len(rows)} | oracle.KINDS["frequent"](rows, sigma)
    least = {
        one: max(family[top] for top in oracle.KINDS["maximal"](rows, sigma) if one <= top) for one in family if one
    }
    items = frozenset(range(len(facts.labels)))
    low, high = facts.table(items)
    for cell, codes in enumerate(map(frozenset, _by_bits(items))):
        itemset = frozenset(facts.labels[code] for code in codes)
        if itemset not in family:
            expected = (0, min(sigma - 1, len(rows)))
        elif kind == "closed" or itemset in oracle.KINDS["maximal"](rows, sigma) or not itemset:
            expected = (family[itemset],) * 2
        else:
            expected = (least[itemset], len(rows))
        assert facts.limits(codes) == expected == (low[cell], high[cell])


def _by_bits(items):
    """Return all sets of items by their bitmaps."""
    return [[item for place, item in enumerate(sorted(items)) if cell >> place & 1] for cell in range(1 << len(items))]


def test_limits_that_no_support_keeps_are_refused():
    with pytest.raises(InputError, match="1 of 2 itemsets have limits that no support keeps"):
        Facts.from_limits([(["a"], 3, 2)], n=9)


@pytest.mark.parametrize(
    ("query", "expected"),
    [("a & ~b", "a ∧ ¬b"), ("a | ~a", "(a) ∨ (¬a)"), ("a & ~a", "no row"), ("~(a | b)", "¬a ∧ ¬b")],
)
def test_a_query_is_a_pattern_by_its_cells(query, expected):
    assert Pattern.parse(query, "ab").words("ab") == expected


def test_a_query_for_an_item_that_is_not_published_is_refused():
    with pytest.raises(InputError, match="an item at column 5 of which nothing is published"):
        Pattern.parse("a & x", "ab")


@given(cells=st.sets(st.frozensets(st.integers(0, 2)), max_size=8), rows=st.lists(st.frozensets(st.integers(0, 3))))
def test_the_multipliers_of_a_pattern_sum_up_to_its_support(cells, rows):
    pattern = Pattern(frozenset(range(3)), frozenset(cells))
    expected = sum(oracle.cell(cell, range(3), rows) for cell in cells)
    assert sum(times * oracle.support(one, rows) for one, times in pattern.multipliers().items()) == expected
    assert sum(row & pattern.over in pattern.cells for row in rows) == expected
