"""The oracle itself, against tables worked out by hand."""

from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import oracle
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import detected_databases, lengths, mined_databases, small_databases

ROWS = [{"a", "b"}, {"a", "b"}, {"a"}, set()]
EMPTY, A, B, AB = frozenset(), frozenset("a"), frozenset("b"), frozenset("ab")


def test_frequent_itemsets_have_enough_rows():
    assert oracle.frequent(ROWS, 2) == {EMPTY: 4, A: 3, B: 2, AB: 2}
    assert oracle.frequent(ROWS, 3) == {EMPTY: 4, A: 3}


def test_closed_itemsets_have_no_superset_of_their_support():
    assert oracle.closed(ROWS, 2) == {EMPTY: 4, A: 3, AB: 2}


def test_maximal_itemsets_have_no_frequent_superset():
    assert oracle.maximal(ROWS, 2) == {AB: 2}
    assert oracle.maximal(ROWS, 4) == {EMPTY: 4}


def test_closed_and_maximal_are_meant_within_the_length():
    assert oracle.closed(ROWS, 2, 1) == {EMPTY: 4, A: 3, B: 2}
    assert oracle.maximal(ROWS, 2, 1) == {A: 3, B: 2}
    assert oracle.maximal(ROWS, 2, 0) == {EMPTY: 4}


def test_no_rows_have_no_frequent_itemset():
    assert [kind([], 1) for kind in oracle.KINDS.values()] == [{}, {}, {}]


def test_items_in_all_rows_close_the_empty_itemset():
    assert oracle.closed([{"a"}, {"a", "b"}], 1) == {A: 2, AB: 1}


def test_a_share_is_the_least_count_that_reaches_it():
    assert [oracle.least_count(share, 25) for share in ("0.28", "0.281", "1", Fraction(1, 1000))] == [7, 8, 25, 1]


@pytest.mark.parametrize("kind", oracle.KINDS)
@given(case=mined_databases())
def test_the_oracle_that_goes_by_levels_says_the_same(kind, case):
    rows, _, count = case
    numbered = {label: number for number, label in enumerate(frozenset().union(*rows))}
    coded = [frozenset(numbered[label] for label in row) for row in rows]
    assert oracle.BY_LEVELS[kind](coded, count) == oracle.KINDS[kind](coded, count)


# The examples that the papers print, written down once more.
PKDD = ["abcdefgh", "abcdeg", "abcde", "abcdefg", "abcde", "abcde", "abde", "aefg", "cdefg", "cde", "cdefgh", "abfg"]
WAIM = ["abcd", "bcef", "abc", "cdef", "bef", "acd", "bcdf", "abcdef", "bcdef", "abcde"]


def printed(text):
    """Return {(base, top): count} from "ab abcde 1, - cde 2", where "-" stands for the empty itemset."""
    triples = (triple.split() for triple in text.split(","))
    return {(frozenset(base.strip("-")), frozenset(top)): int(count) for base, top, count in triples}


def test_a_cell_counts_the_rows_that_meet_the_top_in_the_base():
    assert [oracle.cell(base, AB, ROWS) for base in (EMPTY, A, B, AB)] == [1, 1, 0, 2]
    assert oracle.cell("b", "bde", PKDD) == oracle.cell_by_supports(B, frozenset("bde"), oracle.frequent(PKDD, 6)) == 1


def test_channels_are_the_rare_cells_of_frequent_tops():
    assert oracle.channels(ROWS, 2, 2) == {(EMPTY, A): 1, (EMPTY, AB): 1, (A, AB): 1}
    assert oracle.channels(ROWS, 3, 2) == {(EMPTY, A): 1}


def test_below_k_a_published_itemset_is_a_channel_itself():
    assert oracle.channels(ROWS, 2, 3)[AB, AB] == 2
    assert oracle.channels([EMPTY, EMPTY], 1, 3) == {(EMPTY, EMPTY): 2}
    assert oracle.channels([], 1, 3) == {}


@pytest.mark.parametrize(
    ("rows", "sigma", "many", "maximal"),
    [
        (PKDD, 6, 58, "ab abcde 1, abde abcde 1, ae abcde 1, g eg 1, g fg 1"),
        (PKDD, 8, 13, "a ab 1, a ae 1, - cde 1, e cde 1, de cde 1"),
    ],
)
def test_the_running_example_has_the_printed_channels(rows, sigma, many, maximal):
    assert len(oracle.channels(rows, sigma, 3)) == many
    assert oracle.maximal_channels(rows, sigma, 3) == printed(maximal)


def test_the_example_of_waim_has_the_printed_channels():
    found = oracle.maximal_channels(WAIM, 4, 3)
    assert (len(oracle.frequent(WAIM, 4)), len(found)) == (29, 29)
    under = {pair: count for pair, count in found.items() if pair[1] == frozenset("bcd")}
    assert under == printed("b bcd 1, bc bcd 2, cd bcd 2")


def test_fewer_itemsets_may_have_more_maximal_channels():
    rows = ["ab", "abc", "abc", "abc", "ac", "bc"]
    assert [len(oracle.maximal_channels(rows, sigma, 2)) for sigma in (3, 4)] == [3, 6]
    assert len(oracle.channels(rows, 3, 2)) > len(oracle.channels(rows, 4, 2))


@given(case=detected_databases())
def test_maximal_channels_are_the_rare_cells_of_maximal_itemsets(case):
    assert oracle.maximal_channels_by_tops(*case) == oracle.maximal_channels(*case)


@given(case=detected_databases(), max_length=lengths)
def test_supports_alone_say_the_same_of_channels_as_rows(case, max_length):
    rows, sigma, k = case
    assert oracle.channels_of(oracle.told(oracle.frequent(rows, sigma), sigma), k) == oracle.channels(rows, sigma, k)
    family = oracle.told(oracle.frequent(rows, sigma, max_length), sigma, max_length)
    assert oracle.maximal_channels_of(family, k) == oracle.maximal_channels_by_tops(rows, sigma, k, max_length)


def test_exposed_rows_count_for_a_channel():
    assert oracle.exposed(ROWS, 2, 2) == {2: (1, 1), 3: (1, 1)}
    assert oracle.exposed(ROWS, 2, 3) == {0: (1, 2), 1: (1, 2), 2: (1, 1), 3: (1, 1)}
    # t2 has g without f; t7 has abcde but for c; t8 has of abcde only ae, and t12 only ab, besides g without e.
    assert oracle.exposed(PKDD, 6, 3) == {1: (1, 1), 6: (1, 1), 7: (1, 1), 11: (2, 1)}


def test_implications_have_minimal_bases():
    assert oracle.implications(ROWS, 2) == {(B, "a")}
    assert oracle.implications(ROWS, 3) == set()
    assert oracle.implications(["abc", "ab", "a"], 1) == {(EMPTY, "a"), (frozenset("c"), "b")}
    assert oracle.implications([], 1) == set()


def test_the_smallest_safe_count_leaves_no_channel():
    assert [oracle.smallest_safe(ROWS, 2, least) for least in (1, 3, 4, 5, 6)] == [4, 4, 4, 5, 6]
    assert [oracle.smallest_safe([], 3, 1), oracle.smallest_safe(ROWS, 5, 1)] == [1, 5]


@given(case=detected_databases())
def test_what_is_safe_stays_safe_at_any_larger_support(case):
    rows, sigma, k = case
    safe = oracle.smallest_safe(rows, k, sigma)
    assert not any(oracle.channels(rows, larger, k) for larger in range(safe, len(rows) + 2))
    assert all(oracle.channels(rows, smaller, k) for smaller in range(sigma, safe))


@pytest.mark.parametrize(
    ("itemsets", "acyclic"),
    [
        ("", True),
        ("abc ab a", True),
        ("ab bc cd", True),
        ("ab ac bc", False),
        ("abc ab ac bc", True),
        ("ab bc cd ad", False),
        ("abc cde aef", False),
        ("abc cde aef ace", True),
    ],
)
def test_acyclic_is_what_the_textbooks_say(itemsets, acyclic):
    assert oracle.is_acyclic(itemsets.split()) == acyclic


@given(rows=small_databases(), sigma=st.integers(1, 8))
def test_acyclic_itemsets_can_be_put_in_an_order_where_each_meets_the_earlier_ones_within_one(rows, sigma):
    tops = list(oracle.maximal(rows, sigma))
    assume(len(tops) <= 6)

    def runs(order):
        return all(
            any(top & frozenset().union(*order[:at]) <= earlier for earlier in order[:at])
            for at, top in enumerate(order[1:], start=1)
        )

    assert oracle.is_acyclic(oracle.frequent(rows, sigma)) == any(map(runs, permutations(tops)))


# Blocking.


def test_closed_itemsets_tell_of_their_subsets():
    assert oracle.family_of({EMPTY: 4, A: 3, AB: 2}) == {EMPTY: 4, A: 3, B: 2, AB: 2}
    assert oracle.family_of({AB: 2}) == {EMPTY: 2, A: 2, B: 2, AB: 2}
    assert oracle.family_of({}) == {}


@given(case=mined_databases())
def test_closed_itemsets_tell_of_all_frequent_ones(case):
    rows, _, sigma = case
    assert oracle.family_of(oracle.closed(rows, sigma)) == oracle.frequent(rows, sigma)


def test_safe_is_what_has_no_channel_and_what_rows_can_have():
    assert oracle.is_safe({EMPTY: 4, A: 2}, 2)
    assert not oracle.is_safe({EMPTY: 4, A: 3}, 2)
    assert not oracle.is_safe({EMPTY: 4, A: 5}, 2)
    assert oracle.is_safe({}, 2)


@given(case=detected_databases())
def test_safe_rows_have_no_channel(case):
    rows, sigma, k = case
    family = oracle.told(oracle.frequent(rows, sigma), sigma)
    assert oracle.is_safe(family, k) == (not oracle.channels(rows, sigma, k))


def test_suppressing_the_running_example_leaves_the_printed_rows():
    left, rounds = oracle.suppress(PKDD, 8, 3)
    assert (sorted(set(range(12)) - set(left)), rounds) == ([6, 7, 11], 1)
    assert oracle.closed([PKDD[number] for number in left], 8) == {frozenset("cde"): 9}


def test_suppressing_goes_on_until_no_channel_is_left():
    # First the empty row goes, of which there is but one under ac and bc; then c, which is alone under ab.
    rows = ["ab", "ab", "abc", "ac", "ac", "bc", "bc", "c", ""]
    assert oracle.suppress(rows, 3, 2) == (list(range(7)), 2)
    assert oracle.suppress([], 1, 2) == ([], 0)
    assert oracle.suppress(["a"], 1, 2) == ([], 1)


def test_bases_are_added_once_each_k_times():
    assert sorted(map(sorted, oracle.add(PKDD, 8, 3))) == sorted(map(sorted, ["", "a", "e", "de"] * 3))
    assert oracle.add(ROWS, 2, 1) == []


def test_the_safe_core_of_the_running_example_is_the_known_one():
    assert oracle.safe_core(PKDD, 8, 3) == {EMPTY: 12, A: 9, B: 8, frozenset("c"): 9}
    assert set(oracle.safe_core(PKDD, 6, 3)) == set(map(frozenset, ["", "a", "b", "c", "ac", "f", "g"]))
    assert oracle.safe_core(ROWS, 2, 5) == oracle.safe_core([], 1, 1) == {}


def test_the_smallest_cell_holds_at_least_a_row():
    assert [oracle.smallest_cell(itemset, ROWS) for itemset in (EMPTY, A, B, AB)] == [4, 1, 2, 1]
    assert oracle.smallest_cell(A, []) == 0


@given(case=detected_databases())
def test_the_safe_core_is_that_of_itemsets_without_a_channel_within_them(case):
    rows, sigma, k = case
    tops = {top for _, top in oracle.channels(rows, sigma, k)}
    expected = {itemset: held for itemset, held in oracle.frequent(rows, sigma).items() if itemset not in tops}
    assert oracle.safe_core(rows, sigma, k) == expected


def test_the_largest_safe_part_keeps_every_itemset():
    assert oracle.largest_safe_part(["a", "a", "a", ""], 2, 2) == [0, 1, 2]
    assert oracle.largest_safe_part(["a", "a", "", ""], 2, 2) == [0, 1, 2, 3]
    assert oracle.largest_safe_part(["a", "a", "b", "b", "ab", "ab"], 4, 3) is None
    assert oracle.largest_safe_part(["a", "b"], 3, 2) == [0, 1]


def test_distortion_counts_what_is_lost_as_one():
    before, after = {EMPTY: 4, A: 3, B: 2, AB: 2}, {EMPTY: 5, A: 3, B: 2}
    assert oracle.distortion(before, after) == (4, 1, 2, (Fraction(1, 4) + 1) / 4, 2)
    assert oracle.distortion({}, after) == (0, 0, 0, 0, 0)
    assert oracle.distortion(before, after, weight=len) == (4, 2, 2, Fraction(2, 4), 2)


def test_the_measures_of_the_running_example_are_the_known_ones():
    before = oracle.frequent(PKDD, 8)
    after = oracle.frequent([PKDD[number] for number in oracle.suppress(PKDD, 8, 3)[0]], 8)
    itemsets, lost, changed, average, _ = oracle.distortion(before, after)
    assert (itemsets, lost, changed, round(float(average), 4)) == (12, 4, 8, 0.3860)
    itemsets, lost, changed, average, _ = oracle.distortion(before, oracle.frequent(PKDD + oracle.add(PKDD, 8, 3), 8))
    assert (itemsets, lost, changed, round(float(average), 4)) == (12, 0, 5, 0.2066)


supports_within = st.dictionaries(
    st.sampled_from(list(oracle.subsets("abc"))), st.tuples(st.integers(0, 3), st.integers(0, 3)).map(sorted)
)
"""Limits of the supports of some itemsets."""


@given(
    limits=supports_within,
    n=st.integers(0, 4),
    others=st.none() | st.integers(0, 2),
    groups=st.sampled_from([(), ["ab"], ["abc"], ["ab", "bc"]]),
)
def test_all_databases_within_limits_are_those_of_all_rows_that_keep_them(limits, n, others, groups):
    limits = {**limits, EMPTY: (n - 1, n)}
    every = list(oracle.subsets("abc"))
    expected = {
        rows
        for many in range(max(0, n - 1), n + 1)
        for rows in combinations_with_replacement(every, many)
        if not any(len(row & set(group)) > 1 for row in rows for group in groups)
        and all(
            low <= oracle.support(one, rows) <= high
            for one in every
            for low, high in [limits.get(one, (0, n if others is None else others))]
        )
    }
    found = [
        tuple(row for row in every for _ in range(database[row]))
        for database in oracle.databases_within("abc", limits, others, groups)
    ]
    assert set(found) == expected
    assert len(found) == len(expected)
