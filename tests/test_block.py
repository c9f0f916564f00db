"""Blocking: laws of every method against the definitions, what the theory says of each, and the guarantee itself."""

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import combinations, islice, product
from random import Random

import numpy as np
import oracle
import printed
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import crowded_databases, databases, detected_databases, few_rows, heavy_databases, wide_databases

from discreet import (
    BudgetError,
    GuaranteeError,
    InputError,
    OptionError,
    ThresholdError,
    Transactions,
    Verdict,
    audit,
    block,
    compare,
)
from discreet.blocking.blockers import METHODS as BLOCKERS
from discreet.blocking.problem import NOBODY, BlockProblem, BlockSolution, change_rows, check, has_small_sum, recount
from discreet.blocking.release import Release
from discreet.data.itemsets import Weighted
from discreet.mining.mine import mine

METHODS = {
    "suppress": {"method": "suppress"},
    "add": {"method": "add"},
    "add, merged": {"method": "add", "merge": True},
    "withhold": {"method": "withhold"},
}
EVERY = pytest.mark.parametrize("method", METHODS)
WHOLE = pytest.mark.parametrize("method", [method for method in METHODS if method != "withhold"])
ADD = pytest.mark.parametrize("method", ["add", "add, merged"])

cases = detected_databases() | detected_databases(few_rows) | detected_databases(partial(databases, max_items=4))
"""Rows, a minimum support, and a k."""


def released(method, rows, sigma, k, **options):
    """Return the release that a method makes against sums, as in the papers; a row may be a word of letters."""
    data = rows if isinstance(rows, Transactions) else map(frozenset, rows)
    return block(data, min_support=sigma, k=k, **{"against": "plain", **METHODS[method], **options})


def added(release):
    """Return the rows that were added, one by one."""
    offsets, items, weights = release.added.arrays
    itemsets = [
        [release.rows.labels[item] for item in items[offsets[at] : offsets[at + 1]]] for at in range(len(weights))
    ]
    return [
        frozenset(itemset) for itemset, weight in zip(itemsets, weights.tolist(), strict=True) for _ in range(weight)
    ]


def told(release):
    """Return all itemsets that readers can tell the supports of."""
    listed = dict(release.patterns)
    return listed if release.patterns.kind == "frequent" else oracle.family_of(listed)


def known(release):
    """Return the same, with those that no row holds where the list is whole and has a minimum support of 1."""
    return oracle.told(told(release), release.patterns.min_support) if release.is_whole else told(release)


# Laws of every method.


@EVERY
@settings(max_examples=100)
@given(case=cases)
def test_no_channel_is_left(method, case):
    rows, sigma, k = case
    assert oracle.is_safe(known(released(method, rows, sigma, k)), k)


@WHOLE
@settings(max_examples=60)
@given(case=cases)
def test_with_a_minimum_support_of_1_each_different_row_is_left_k_times_or_not_at_all(method, case):
    rows, _, k = case
    release = released(method, rows, 1, k)
    assert all(times >= k for times in Counter(release.witness).values())
    assert not len(release.patterns) or not audit(release.patterns, k=k).channels


@settings(max_examples=60)
@given(case=cases)
def test_what_is_withheld_at_a_minimum_support_of_1_is_not_taken_for_0(case):
    rows, _, k = case
    release = released("withhold", rows, 1, k)
    assume(len(release.patterns) > 0 and k > 1)
    found = audit(release.patterns, k=k)
    assert all(check.verdict is Verdict.RELEASE for check in found.checks if check.name != "reading")


@WHOLE
@settings(max_examples=100)
@given(case=cases)
def test_what_is_published_is_what_the_witness_has(method, case):
    rows, sigma, k = case
    release = released(method, rows, sigma, k)
    had = list(release.witness)
    assert dict(release.patterns) == oracle.closed(had, sigma)
    assert (release.patterns.n, release.patterns.min_support, release.patterns.kind) == (len(had), sigma, "closed")
    assert release.is_whole


@pytest.mark.parametrize("method", ["suppress", "add", "withhold"])
@settings(max_examples=60)
@given(case=cases, length=st.integers(0, 4), level=st.sampled_from(["plain", "derive"]))
def test_a_list_that_is_cut_is_that_of_the_witness_and_has_no_channel(method, case, length, level):
    rows, sigma, k = case
    assume(sigma > 1)
    release = released(method, rows, sigma, k, max_length=length, against=level)
    patterns, listed = release.patterns, dict(release.patterns)
    had = list(release.witness) if release.is_whole else rows
    assert oracle.is_safe(listed, k)
    assert (patterns.n, patterns.kind, patterns.max_length) == (len(had), "frequent", length)
    assert listed == oracle.frequent(had, sigma, length) or not release.is_whole
    assert listed.items() <= oracle.frequent(had, max(sigma, 1), length).items()
    cost = oracle.distortion(oracle.frequent(rows, sigma, length), listed)
    assert release.distortion[:3] == tuple(cost)[:3]


@settings(max_examples=60)
@given(case=cases, length=st.integers(0, 4))
def test_of_a_list_that_is_cut_the_short_part_of_the_safe_core_is_left(case, length):
    rows, sigma, k = case
    core = oracle.safe_core(list(map(frozenset, rows)), max(sigma, 2), k)
    found = dict(released("withhold", rows, max(sigma, 2), k, max_length=length).patterns)
    assert found == {itemset: support for itemset, support in core.items() if len(itemset) <= length}


def test_a_list_that_is_cut_is_blocked_by_the_methods_that_can_and_from_two_rows_on():
    rows = ["abc"] * 8 + ["ab"] * 2 + [""] * 5
    lines = compare(map(frozenset, rows), min_support=3, k=3, max_length=2).lines
    left_out = {line.name: "leave max_length= out" in line.left_out for line in lines}
    assert left_out == {"suppress": False, "add": False, "add, merged": True, "withhold": False, "optimal": True}
    assert released("suppress", rows, 3, 3).patterns.max_length is None
    with pytest.raises(ThresholdError, match="from a minimum support of 2 on"):
        released("add", rows, 1, 3, max_length=2)


@EVERY
@settings(max_examples=50)
@given(case=cases)
def test_the_witness_has_the_rows_but_for_those_suppressed_and_then_those_added(method, case):
    rows, sigma, k = case
    release = released(method, rows, sigma, k)
    gone = set(release.suppressed.tolist())
    left = [row for number, row in enumerate(rows) if number not in gone]
    assert len(left) == len(rows) - release.suppressed.size
    assert release.is_whole == (release.witness is not None) == (method != "withhold")
    assert release.witness is None or list(release.witness) == left + added(release)
    assert release.patterns.n == len(left) + len(added(release))


@EVERY
@settings(max_examples=100)
@given(case=cases)
def test_the_distortion_is_that_of_all_frequent_itemsets(method, case):
    rows, sigma, k = case
    release = released(method, rows, sigma, k)
    expected = oracle.distortion(oracle.frequent(rows, sigma), told(release))
    assert release.distortion == pytest.approx(tuple(map(float, expected)), rel=1e-12)
    assert dict(release.original) == oracle.closed(rows, sigma)


@EVERY
@settings(max_examples=60)
@given(case=cases | detected_databases(heavy_databases))
def test_the_number_of_threads_does_not_matter(method, case):
    one, two = (released(method, *case, threads=threads) for threads in (1, 2))
    assert one.patterns == two.patterns
    assert (added(one), one.suppressed.tolist(), one.rounds) == (added(two), two.suppressed.tolist(), two.rounds)


@EVERY
@settings(max_examples=50)
@given(case=cases)
def test_what_is_safe_is_left_as_it_is(method, case):
    rows, sigma, k = case
    safe = oracle.smallest_safe(rows, k, sigma)
    release = released(method, rows, safe, k)
    assert told(release) == oracle.frequent(rows, safe)
    assert (added(release), release.suppressed.size, release.distortion.changed) == ([], 0, 0)


@EVERY
@settings(max_examples=50)
@given(case=cases, seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(method, case, seed):
    rows, sigma, k = case
    shuffled = Random(seed).sample(rows, len(rows))  # noqa: S311 - no secret
    one, other = released(method, rows, sigma, k), released(method, shuffled, sigma, k)
    assert one.patterns == other.patterns
    assert Counter(added(one)) == Counter(added(other))


@pytest.mark.nojit
@EVERY
@settings(max_examples=40)
@given(case=cases)
def test_blocking_needs_no_compiler_to_be_right(method, case):
    rows, sigma, k = case
    release = released(method, rows, sigma, k)
    expected = oracle.safe_core(rows, sigma, k) if method == "withhold" else None
    assert dict(release.patterns) == (oracle.closed(list(release.witness), sigma) if expected is None else expected)
    assert oracle.is_safe(known(release), k)
    cost = oracle.distortion(oracle.frequent(rows, sigma), told(release))
    assert release.distortion == pytest.approx(tuple(map(float, cost)), rel=1e-12)


# Suppress.


@settings(max_examples=200)
@given(case=cases | detected_databases(heavy_databases))
def test_suppress_leaves_out_what_channels_single_out_round_after_round(case):
    left, rounds = oracle.suppress(*case)
    release = released("suppress", *case)
    assert sorted(set(range(len(case[0]))) - set(release.suppressed.tolist())) == left
    assert release.rounds == rounds
    assert release.suppressed.tolist() == sorted(release.suppressed.tolist())


tiny = partial(databases, max_rows=7, max_items=3)


@settings(max_examples=100)
@given(case=detected_databases(tiny))
def test_suppress_leaves_the_largest_safe_part_that_keeps_every_itemset(case):
    rows, sigma, k = case
    largest = oracle.largest_safe_part(rows, sigma, k)
    release = released("suppress", rows, sigma, k)
    left = sorted(set(range(len(rows))) - set(release.suppressed.tolist()))
    assert largest in (None, left)
    assert (release.distortion.lost > 0) == (largest is None)


# Add.


@ADD
@settings(max_examples=100)
@given(case=cases)
def test_adding_keeps_the_itemsets_and_the_closed_ones(method, case):
    rows, sigma, k = case
    release = released(method, rows, sigma, k)
    assert told(release).keys() == oracle.frequent(rows, sigma).keys()
    assert dict(release.patterns).keys() == oracle.closed(rows, sigma).keys()


@settings(max_examples=100)
@given(case=cases)
def test_add_has_k_copies_of_each_base_of_a_channel(case):
    release = released("add", *case)
    assert Counter(added(release)) == Counter(oracle.add(*case))
    assert not release.suppressed.size


@settings(max_examples=100)
@given(case=cases)
def test_merged_rows_are_frequent_and_meet_every_channel_k_times(case):
    rows, sigma, k = case
    release = released("add, merged", rows, sigma, k)
    copies = Counter(added(release))
    assert set(copies) <= set(oracle.frequent(rows, sigma))
    assert set(copies.values()) <= {k}
    assert all(
        any(row & top == base for row in copies) for base, top in oracle.maximal_channels_by_tops(rows, sigma, k)
    )
    assert not release.suppressed.size


@settings(max_examples=100)
@given(case=cases)
def test_merged_rows_cost_no_more(case):
    plain, merged = (released(method, *case).distortion.average for method in ("add", "add, merged"))
    assert merged <= plain + 1e-12


def test_merged_rows_are_fewer_where_one_serves_two_channels():
    # One row each meets abd in ab and acd in a: ab; abd in ad and acd in ad: ad; abd in abd, acd in ad: abd.
    rows, sigma, k = ["abd", "acd", "acd", "ad", "abcd", "ab", "acd"], 2, 2
    plain, merged = (released(method, rows, sigma, k) for method in ("add", "add, merged"))
    assert len(added(merged)) < len(added(plain)) == len(oracle.add(rows, sigma, k))


# Withhold.


@settings(max_examples=300)
@given(case=cases | detected_databases(heavy_databases))
def test_withhold_publishes_the_safe_core_with_exact_supports(case):
    rows, sigma, k = case
    release = released("withhold", rows, sigma, k)
    assert dict(release.patterns) == oracle.safe_core(rows, sigma, k)
    assert len(release.patterns) == len(dict(release.patterns))
    # Nobody may take what is missing for 0, as with a minimum support of 1.
    least = max(sigma, k)
    assert (release.patterns.n, release.patterns.min_support, release.patterns.kind) == (len(rows), least, "frequent")
    assert (added(release), release.suppressed.size, release.witness, release.is_whole) == ([], 0, None, False)


@settings(max_examples=25)
@given(case=wide_databases(), k=st.integers(2, 12), threads=st.integers(1, 2))
def test_withhold_publishes_the_safe_core_over_many_items(case, k, threads):
    rows, sigma = case
    expected = {
        itemset: held
        for itemset, held in oracle.frequent_by_levels(rows, sigma).items()
        if oracle.smallest_cell(itemset, rows) >= k
    }
    assert dict(released("withhold", rows, sigma, k, threads=threads).patterns) == expected


@pytest.mark.nojit
@settings(max_examples=40)
@given(rows=crowded_databases(), sigma=st.integers(1, 20), k=st.integers(1, 4))
def test_withhold_publishes_the_safe_core_of_many_cells(rows, sigma, k):
    assert dict(released("withhold", rows, sigma, k).patterns) == oracle.safe_core(rows, sigma, k)


@pytest.mark.nojit
@pytest.mark.parametrize(("size", "sigma", "k"), [(4, 4, 4), (5, 4, 1), (4, 3, 2)])
def test_withhold_goes_on_with_more_items_than_a_word_has_bits(size, sigma, k):
    # The rarest item comes with each of 70 others, of which few come together more often than it takes.
    parts = list(islice(combinations(range(9), size), 70))
    rows = [frozenset({0, *(1 + at for at, part in enumerate(parts) if row in part)}) for row in range(9)]
    rows += [frozenset({1 + at}) for at in range(70) for _ in range(9)]
    expected = {
        itemset: held
        for itemset, held in oracle.frequent_by_levels(rows, sigma).items()
        if oracle.smallest_cell(itemset, rows) >= k
    }
    assert sum(0 in itemset for itemset in expected) > 70
    assert dict(released("withhold", rows, sigma, k).patterns) == expected


def test_withhold_finds_long_itemsets():
    items = range(14)
    rows = [frozenset(items)] * 9 + [frozenset()] * 9 + [frozenset([*items][:7])] * 4
    release = released("withhold", rows, 9, 4)
    assert len(release.patterns) == 2**14
    assert dict(released("withhold", rows, 9, 5).patterns) == oracle.safe_core(rows, 9, 5)


def test_withhold_keeps_within_its_limits():
    rows = [frozenset(range(14))] * 9
    with pytest.raises(BudgetError):
        released("withhold", rows, 9, 4, max_patterns=1000)


# Optimal: what it shares with the other methods.


@settings(max_examples=20)
@given(case=detected_databases(partial(databases, max_rows=10, max_items=4)))
def test_optimal_is_safe_and_has_a_witness_and_costs_no_more_than_add_and_suppress(case):
    rows, sigma, k = case
    release = block(rows, min_support=sigma, k=k, method="optimal", seconds=2)
    assert oracle.is_safe(known(release), k)
    assert dict(release.patterns) == oracle.closed(list(release.witness), sigma)
    cost = oracle.distortion(oracle.frequent(rows, sigma), told(release))
    assert release.distortion == pytest.approx(tuple(map(float, cost)), rel=1e-12)
    others = [released(method, rows, sigma, k).distortion.average for method in ("suppress", "add")]
    assert release.distortion.average <= min(others) + 1e-9


# Many items: rows over more of them than a word has bits, and itemsets of more than it can count the subsets of.


@WHOLE
@settings(max_examples=10)
@given(case=wide_databases(), k=st.integers(2, 5))
def test_over_many_items_what_is_published_is_what_the_witness_has_and_is_safe(method, case, k):
    rows, sigma = case
    release = released(method, rows, sigma, k)
    had = list(release.witness)
    expected = oracle.closed_by_levels(had, sigma)
    assert dict(release.patterns) == expected
    tops = [itemset for itemset in expected if not any(itemset < other for other in expected)]
    assert not oracle.rare_cells(oracle.widest(tops, sigma), had, k)
    before, after = (oracle.frequent_by_levels(part, sigma) for part in (rows, had))
    assert release.distortion == pytest.approx(tuple(map(float, oracle.distortion(before, after))), rel=1e-12)


@settings(max_examples=10)
@given(case=wide_databases(), k=st.integers(2, 5))
def test_over_many_items_the_same_rows_are_suppressed_and_added_as_the_definition_says(case, k):
    rows, sigma = case
    tops = oracle.widest(oracle.maximal_by_levels(rows, sigma), sigma)
    found = oracle.rare_cells(tops, rows, k)
    assert set(added(released("add", rows, sigma, k))) == {base for base, _ in found}
    left = list(range(len(rows)))
    while hit := oracle.singled_out(found, [rows[number] for number in left]):
        left = [number for at, number in enumerate(left) if at not in hit]
        part = [rows[number] for number in left]
        found = oracle.rare_cells(oracle.widest(oracle.maximal_by_levels(part, sigma), sigma), part, k)
    release = released("suppress", rows, sigma, k)
    assert sorted(set(range(len(rows))) - set(release.suppressed.tolist())) == left


def with_twins(itemset, many):
    return frozenset((item, twin) for item in itemset for twin in range(many))


@pytest.mark.parametrize("method", ["suppress", "add"])
@settings(max_examples=60)
@given(case=detected_databases(partial(databases, max_items=4)), many=st.sampled_from([2, 16, 17, 33, 64, 70]))
def test_twins_of_items_change_nothing_but_how_many_itemsets_there_are(method, case, many):
    # Of an item that comes as so many twins, any but none of them say the same. (What it is best to merge hangs on how
    # many itemsets there are.)
    rows, sigma, k = case
    numbers = {label: number for number, label in enumerate(sorted(frozenset().union(*rows), key=str))}
    coded = [frozenset(numbers[label] for label in row) for row in rows]
    single, twins = (
        released(method, given_rows, sigma, k) for given_rows in (coded, [with_twins(row, many) for row in coded])
    )
    assert dict(twins.patterns) == {with_twins(itemset, many): held for itemset, held in single.patterns}
    expected = oracle.distortion(
        oracle.frequent(coded, sigma), told(single), weight=lambda itemset: (2**many - 1) ** len(itemset)
    )
    cost = twins.distortion
    assert (cost.itemsets, cost.lost, cost.changed, cost.largest) == (*expected[:3], expected[4])
    assert cost.average == pytest.approx(float(expected[3]), rel=1e-9)


# The examples of the theory: where the printed algorithms fail.

NINE = ["ab", "ab", "abc", "ac", "ac", "bc", "bc", "c", ""]
"""At sigma 3 and k 2, suppressing as printed ends in supports that no rows have."""

ENDLESS = [
    *(["abc"] * 3 + ["abcd"] * 3 + ["abd"] * 3 + ["ac"] + ["acd"] * 3),
    *(["bc"] * 2 + ["bcd"] * 5 + ["c"] * 2 + ["d"] * 2),
]
"""At sigma 8 and k 3, suppressing as printed never ends."""


def itemsets(text):
    """Return {itemset: support} from "ab 8, e 11", where "-" stands for the empty itemset."""
    pairs = (pair.split() for pair in text.split(","))
    return {frozenset(letters.strip("-")): int(support) for letters, support in pairs}


def test_suppressing_as_printed_ends_in_supports_that_no_rows_have():
    *_, closed = printed.suppressed(NINE, 3, 2)
    assert closed == itemsets("- 6, a 5, b 5, c 5, ab 3, ac 3, bc 3")
    assert oracle.cell_by_supports(frozenset(), frozenset("ab"), oracle.family_of(closed)) == -1


def test_suppressing_as_printed_never_ends():
    states = list(islice(printed.suppressed(ENDLESS, 8, 3), 4))
    assert states[3] == states[2]
    assert printed.channels(states[2], 3) == {(frozenset(), frozenset("bcd")): 1}
    assert states[2][frozenset()] < states[2][frozenset("b")]


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("rows", "sigma", "k", "rounds", "closed"),
    [
        (NINE, 3, 2, 2, "- 7, a 5, b 5, c 5, ab 3, ac 3, bc 3"),
        (ENDLESS, 8, 3, 3, "- 17, a 12, b 14, c 14, d 14, ab 9, ac 9, ad 9, bc 11, bd 11, cd 11, bcd 8"),
    ],
)
def test_suppress_ends_where_it_does_not_as_printed(rows, sigma, k, rounds, closed):
    release = released("suppress", rows, sigma, k)
    assert dict(release.patterns) == itemsets(closed) == oracle.closed(list(release.witness), sigma)
    assert release.rounds == rounds
    assert oracle.is_safe(known(release), k)


@EVERY
@pytest.mark.parametrize(
    ("rows", "sigma", "k"),
    [
        (NINE, 3, 2),
        (ENDLESS, 8, 3),
        (["a", "ab", "abc", "abc", "bc"], 3, 2),
        (["a", "abc", "abc", "ac", "b", "bc"], 3, 2),
        (["a", "ab", "ab", "ab", "b"], 4, 3),
        (["a", "a", "b", "b", "ab", "ab"], 4, 3),
        (["ab", "abc", "abc", "abc", "ac", "bc"], 3, 2),
        (["ab", "abc", "abc", "abc", "ac", "bc"], 4, 2),
    ],
)
def test_every_method_is_safe_on_the_counterexamples_of_the_theory(method, rows, sigma, k):
    release = released(method, rows, sigma, k)
    assert oracle.is_safe(known(release), k)
    assert release.is_whole == (method != "withhold")
    expected = oracle.closed(list(release.witness), sigma) if release.is_whole else oracle.safe_core(rows, sigma, k)
    assert dict(release.patterns) == expected


def test_filling_cells_up_to_k_only_would_open_new_channels():
    rows, sigma, k = ["a", "ab", "abc", "abc", "bc"], 3, 2
    found = oracle.maximal_channels(rows, sigma, k)
    assert set(found) == {
        (frozenset(base.strip("-")), frozenset(top))
        for base, top in [("a", "ab"), ("b", "ab"), ("-", "bc"), ("b", "bc")]
    }
    filled = rows + [base for base in {base for base, _ in found} for _ in range(k - 1)]
    assert oracle.channels(filled, sigma, k) == {(frozenset(), frozenset("ab")): 1}
    release = released("add", rows, sigma, k)
    assert Counter(map("".join, map(sorted, added(release)))) == {"": 2, "a": 2, "b": 2}
    assert oracle.is_safe(known(release), k)


def test_merging_into_rows_that_are_not_frequent_would_open_new_channels():
    rows, sigma, k = ["a", "abc", "abc", "ac", "b", "bc"], 3, 2
    assert {(frozenset("a"), frozenset("ac")), (frozenset("b"), frozenset("bc"))} <= set(
        oracle.maximal_channels(rows, sigma, k)
    )
    merged = [*rows, "ab", "ab"]
    assert set(oracle.frequent(merged, sigma)) - set(oracle.frequent(rows, sigma)) == {frozenset("ab")}
    assert oracle.channels(merged, sigma, k)
    release = released("add, merged", rows, sigma, k)
    assert frozenset("ab") not in added(release)
    assert told(release).keys() == oracle.frequent(rows, sigma).keys()


def test_suppress_may_leave_nothing():
    release = released("suppress", ["a", "ab", "ab", "ab", "b"], 4, 3)
    assert dict(release.patterns) == {}
    assert release.patterns.n == len(release.witness) < 4
    cost = release.distortion
    assert (cost.itemsets, cost.lost, cost.changed, cost.average, cost.largest) == (3, 3, 3, 1.0, 5)


def test_suppress_may_leave_out_more_rows_than_would_do_where_itemsets_are_lost():
    rows = ["a", "a", "b", "b", "ab", "ab"]
    release = released("suppress", rows, 4, 3)
    assert release.suppressed.size == 4
    assert not oracle.channels(rows[1:], 5, 3)
    assert oracle.largest_safe_part(rows, 4, 3) is None


# Edges.


@EVERY
@pytest.mark.parametrize("rows", [[], [""], ["", "", ""], ["a"], ["a", "a"], ["a", "b"], ["ab"] * 5, ["", "a"] * 4])
def test_few_rows_and_any_thresholds_make_a_safe_release(method, rows):
    for sigma, k in product([1, 2, 4, 9], [1, 2, 3, 9]):
        release = released(method, rows, sigma, k)
        assert oracle.is_safe(known(release), k)
        core = oracle.safe_core(rows, sigma, k)
        assert dict(release.patterns) == (core if method == "withhold" else oracle.closed(list(release.witness), sigma))
        cost = oracle.distortion(oracle.frequent(rows, sigma), told(release))
        assert release.distortion == pytest.approx(tuple(map(float, cost)), rel=1e-12)


@EVERY
@settings(max_examples=50)
@given(rows=databases(), sigma=st.integers(1, 40))
def test_with_k_1_nothing_is_changed(method, rows, sigma):
    release = released(method, rows, sigma, 1)
    assert told(release) == oracle.frequent(rows, sigma)
    assert release.distortion.changed == 0


@EVERY
def test_above_the_number_of_rows_nothing_is_published(method):
    release = released(method, ["a", "b", "ab"], 4, 2)
    assert (len(release.patterns), release.patterns.n) == (0, 3)
    assert release.distortion == (0, 0, 0, 0.0, 0)
    assert release.distortion.share_changed == 0.0


@EVERY
def test_a_share_becomes_a_count_once_before_anything_is_changed(method):
    rows = ["ab"] * 6 + ["a"] + [""] * 3
    release = released(method, rows, "60%", 3)
    assert release.patterns.min_support == 6
    assert release.patterns == released(method, rows, 6, 3).patterns


@EVERY
def test_rows_keep_their_labels_of_any_type(method):
    rows = [["bread", 3, ("age", 40)]] * 5 + [["bread", 3]] + [[b"raw", 2.5]] * 4
    release = released(method, rows, 3, 3)
    assert oracle.is_safe(known(release), 3)
    expected = oracle.safe_core(rows, 3, 3) if method == "withhold" else oracle.closed(list(release.witness), 3)
    assert dict(release.patterns) == expected


@EVERY
def test_a_part_of_other_rows_is_blocked_like_rows_of_its_own(method):
    every = Transactions(map(frozenset, ["xyz", *NINE, "xyz"]))
    part = every[1:-1]
    assert list(part) == list(map(frozenset, NINE))
    release = released(method, part, 3, 2)
    assert dict(release.patterns) == dict(released(method, NINE, 3, 2).patterns)
    assert release.suppressed.tolist() == released(method, NINE, 3, 2).suppressed.tolist()


def test_a_policy_says_k_too():
    rows = [["a", "b"]] * 12 + [["a"]] * 5 + [[]] * 20
    release = block(rows, min_support=10, policy="datashield", method="suppress")
    assert (release.policy.name, release.policy.k) == ("datashield", 3)
    assert dict(release.patterns) == dict(released("suppress", rows, 10, 3).patterns)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"k": 2, "method": "burn"}, OptionError, "method is 'burn'; it must be one of best, suppress, add"),
        ({"k": 0}, ThresholdError, "k is 0"),
        ({"k": 2.5}, ThresholdError, "k is 2.5"),
        ({}, ThresholdError, "neither k nor a policy"),
        ({"k": 2, "seconds": 0}, ThresholdError, "seconds is '0'"),
        ({"k": 2, "seconds": float("nan")}, ThresholdError, "seconds is 'nan'"),
        ({"k": 2, "seconds": True}, ThresholdError, "seconds is 'True'"),
        ({"k": 2, "max_patterns": 1, "method": "add"}, BudgetError, "more than 1 "),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(options, error, words):
    with pytest.raises(error, match=words):
        block([["a", "b"], ["a"]], min_support=1, **options)


def test_the_minimum_support_must_be_given():
    with pytest.raises(ThresholdError, match="min_support= is missing"):
        block([["a"]], k=2)


# Side by side.


@settings(max_examples=10)
@given(case=detected_databases(partial(databases, max_rows=12, max_items=3)))
def test_the_best_of_all_methods_is_exact_or_costs_the_least(case):
    rows, sigma, k = case
    comparison = compare(rows, min_support=sigma, k=k, seconds=0.5, against="plain")
    found = {line.name: line.release.distortion.average for line in comparison.lines if line.name in METHODS}
    assert found == {method: released(method, rows, sigma, k).distortion.average for method in METHODS}
    rivals = [line.release for line in comparison.lines if line.release.verdict is comparison.best.verdict]
    exact = min((one.distortion.lost for one in rivals if not one.changes_rows), default=None)
    changed = min((one.deviation for one in rivals if one.changes_rows), default=None)
    assert comparison.best.changes_rows or comparison.best.distortion.lost == exact
    assert not comparison.best.changes_rows or comparison.best.deviation == changed
    assert oracle.is_safe(known(comparison.best), k)


# The guarantee.


def problem_of(rows, sigma, k):
    transactions = Transactions(map(frozenset, rows))
    return BlockProblem(transactions, mine(transactions, min_support=sigma), k)


def solved(method, problem):
    """Return the solution of a method, before it is checked."""
    blocker = BLOCKERS[METHODS[method]["method"]]
    return (blocker.merged[0] if METHODS[method].get("merge") else blocker.solve)(problem)


def tampered(solution, **changes):
    """Return a solution whose patterns differ."""
    return replace(solution, question=replace(solution.question, patterns=replace(solution.patterns, **changes)))


@EVERY
def test_a_support_that_is_off_by_one_is_not_released(method):
    problem = problem_of(["abc"] * 30 + ["ab"] * 20 + ["ac"] * 12 + ["a"] * 11 + ["b"] * 15 + [""] * 2, 10, 3)
    solution = solved(method, problem)
    check(solution)
    assert len(solution.patterns) > 1
    for number, change in product(range(len(solution.patterns)), (-1, 1)):
        supports = solution.patterns.supports.copy()
        supports[number] += change
        with pytest.raises(GuaranteeError, match="nothing is released"):
            check(tampered(solution, supports=supports))


@pytest.mark.parametrize("method", ["suppress", "add", "optimal"])
def test_a_frequent_itemset_that_was_left_out_is_missed(method):
    problem = problem_of(["abc"] * 30 + ["ab"] * 20 + ["ac"] * 12 + ["a"] * 11 + ["b"] * 15 + [""] * 2, 10, 3)
    solution = BLOCKERS[method].solve(problem)
    left_out = np.arange(len(solution.patterns)) != np.diff(solution.patterns.offsets).argmax()
    fewer = solution.patterns.take(np.flatnonzero(left_out))
    with pytest.raises(GuaranteeError):
        check(tampered(solution, itemsets=fewer.itemsets, supports=fewer.supports))


@EVERY
@pytest.mark.parametrize("change", [-1, 1])
def test_a_wrong_number_of_rows_is_not_released(method, change):
    # A list without the empty itemset: it is n that must be seen to be wrong.
    problem = problem_of(["ab"] * 30 + ["abc"] * 11 + ["ac"] * 2, 10, 3)
    solution = solved(method, problem)
    check(solution)
    with pytest.raises(GuaranteeError):
        check(tampered(solution, n=solution.patterns.n + change))


def test_a_channel_that_is_left_is_not_released():
    rows = ["abc"] * 48 + ["ab"] * 2 + [""] * 50
    problem = problem_of(rows, 10, 10)
    with pytest.raises(GuaranteeError, match="channels are left"):
        check(BlockSolution.of(problem, problem.patterns))
    check(BlockSolution.of(replace(problem, k=2), problem.patterns))


def test_a_channel_in_a_part_of_the_list_is_not_released():
    rows = ["abc"] * 48 + ["ab"] * 2 + [""] * 50
    problem = problem_of(rows, 10, 10)
    frequent = mine(problem.rows, min_support=10, kind="frequent")
    with pytest.raises(GuaranteeError, match="channels are left"):
        check(BlockSolution.of(problem, frequent, is_whole=False))


def test_an_itemset_below_the_minimum_support_is_not_released():
    rows = ["ab"] * 12 + ["a"] * 8
    problem = problem_of(rows, 15, 3)
    lower = mine(problem.rows, min_support=10)
    solution = BlockSolution.of(problem, lower)
    with pytest.raises(GuaranteeError, match="not those of any rows"):
        check(solution)


def test_rows_that_were_not_suppressed_or_added_are_not_said_to_be():
    problem = problem_of(["abc"] * 48 + ["ab"] * 2 + [""] * 50, 10, 10)
    suppressed, added_ = (solved(method, problem) for method in ("suppress", "add"))
    with pytest.raises(GuaranteeError):
        check(replace(suppressed, suppressed=suppressed.suppressed[:-1]))
    with pytest.raises(GuaranteeError):
        check(replace(added_, added=replace(added_.added, weights=added_.added.weights - 1)))


def with_rows_added(problem, weight):
    """What adding answers, but with so many rows of each kind."""
    solution = solved("add", problem)
    added_ = replace(solution.added, weights=solution.added.weights * 0 + weight)
    rows = mine(change_rows(problem.rows, NOBODY, added_), min_support=10)
    return BlockSolution.of(problem, replace(solution.patterns, supports=rows.supports, n=rows.n), added=added_)


@pytest.mark.parametrize("weight", [10, 11])
def test_k_rows_are_enough_to_add(weight):
    problem = problem_of(["abc"] * 48 + ["ab"] * 2 + [""] * 50, 10, 10)
    changed = with_rows_added(problem, weight)
    assert changed.only_adds
    check(changed)


@pytest.mark.parametrize("weight", [7, 8, 9])
def test_rows_that_are_too_few_are_not_enough_to_add(weight):
    # Eight rows raise the cell to ten, but a guarantee that counts on each row added asks for k of each.
    problem = problem_of(["abc"] * 48 + ["ab"] * 2 + [""] * 50, 10, 10)
    changed = with_rows_added(problem, weight)
    assert changed.only_adds
    with pytest.raises(GuaranteeError, match="channels are left"):
        check(changed)


@given(databases(), st.integers(1, 4), st.integers(2, 5), st.data())
def test_what_is_added_elsewhere_does_not_block(rows, sigma, k, data):
    problem = problem_of(rows, sigma, k)
    assume(len(problem.patterns) > 0)
    number = data.draw(st.integers(0, len(problem.patterns) - 1))
    items = problem.patterns.items[problem.patterns.offsets[number] : problem.patterns.offsets[number + 1]]
    added_ = Weighted(np.array([0, items.size]), items, np.array([k]))
    after = mine(change_rows(problem.rows, NOBODY, added_), min_support=sigma)
    told_ = replace(problem.patterns, supports=problem.patterns.supports + recount(added_, problem.patterns))
    assert told_.supports.tolist() == after.supports.tolist()
    found = has_small_sum(problem, added_)
    assert found == (not oracle.is_safe(oracle.told(oracle.family_of(dict(after)), sigma), k))


def test_supports_of_itemsets_that_were_not_closed_before_are_recounted():
    problem = problem_of(["ab"] * 9 + ["c"] * 9 + [""] * 5, 5, 3)
    more = Weighted(np.array([0, 1]), np.array([0], np.int32), np.array([4]))
    patterns = mine(change_rows(problem.rows, NOBODY, more), min_support=5)
    assert [frozenset("a") in listed for listed in (problem.patterns, patterns)] == [False, True]
    solution = BlockSolution.of(problem, patterns, added=more)
    check(solution)
    number = [itemset for itemset, _ in patterns].index(frozenset("a"))
    for change in (-1, 5):
        supports = patterns.supports.copy()
        supports[number] += change
        with pytest.raises(GuaranteeError, match="not those of any rows"):
            check(tampered(solution, supports=supports))


def test_a_method_that_fails_the_guarantee_releases_nothing(monkeypatch):
    blocker = BLOCKERS["add"]
    broken = blocker._replace(
        solve=lambda problem: tampered(blocker.solve(problem), supports=problem.patterns.supports)
    )
    monkeypatch.setitem(BLOCKERS, "add", broken)
    with pytest.raises(GuaranteeError):
        released("add", ["abc"] * 48 + ["ab"] * 2 + [""] * 50, 10, 10)


# The value.


def test_a_release_shows_no_label():
    text = repr(released("suppress", ["ab"] * 4 + [""] * 5, 2, 2))
    assert text == "<Release: suppress, 2 closed itemsets of 9 rows>"
    assert isinstance(released("add", ["ab"], 1, 1), Release)


def test_rows_that_are_no_rows_are_refused():
    with pytest.raises(InputError):
        block([1, 2], min_support=1, k=2)


def test_a_list_with_gaps_has_a_limit_that_is_raised_by_name(monkeypatch):
    rows = [set("abcd")] * 9 + [set("ab")] * 9 + [set()] * 9
    whole = len(block(rows, min_support=5, k=5, method="withhold").patterns)
    monkeypatch.setattr("discreet.blocking.block.MOST_WITHHELD", whole - 1)
    with pytest.raises(BudgetError, match=f"more than {whole - 1} itemsets"):
        block(rows, min_support=5, k=5, method="withhold")
    assert len(block(rows, min_support=5, k=5, method="withhold", max_patterns=whole).patterns) == whole
