"""Laws of other publications: rounded supports, shares, the largest itemsets, maximal ones, attributes and values."""

import os
from collections import Counter
from fractions import Fraction
from functools import cache
from io import BytesIO

import oracle
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import detected_databases

from discreet import (
    BudgetError,
    InconsistencyError,
    InputError,
    OptionError,
    Patterns,
    Policy,
    Verdict,
    attack,
    audit,
    mine,
)
from discreet.cli import main
from discreet.disclosure.attacks import sums
from discreet.disclosure.attacks.facts import Facts
from discreet.io import datasets
from discreet.judging.policy import worst
from discreet.judging.rules import check_rounded
from discreet.publications.rules.reading import as_rounded, read_facts

ITEMS, N = "abc", 5


def by_name(found):
    """Return the checks of an audit by their names."""
    return {check.name: check for check in found.checks}


def shown(supports, *, unit, mode):
    """Return supports as multiples of ``unit``, the nearest or the next below."""
    half = unit // 2 if mode == "round" else 0
    return {one: (count + half) // unit * unit for one, count in supports.items()}


@cache
def alike(sigma, unit, mode):
    """Return {rounded supports of what reaches sigma: the databases that have them}, of all databases of N rows."""
    found = {}
    for database in oracle.databases_of(ITEMS, N):
        supports = oracle.supports_of(database, ITEMS)
        told = shown({one: count for one, count in supports.items() if one and count >= sigma}, unit=unit, mode=mode)
        found.setdefault(frozenset(told.items()), []).append(database)
    return found


def in_order(releases):
    """Return releases in a fixed order."""
    return sorted(releases, key=lambda told: sorted((sorted(one), count) for one, count in told))


# Rounded supports.


@settings(max_examples=80)
@given(
    data=st.data(),
    sigma=st.integers(1, 3),
    unit=st.sampled_from([2, 3]),
    mode=st.sampled_from(["round", "truncate"]),
    k=st.integers(2, 4),
    is_complete=st.booleans(),
)
def test_what_rounded_supports_tell_holds_in_all_databases_that_have_them(data, sigma, unit, mode, k, is_complete):
    releases = alike(sigma, unit, mode)
    told = data.draw(st.sampled_from(in_order(releases)))
    patterns = Patterns.from_itemsets([(one, min(N + unit, count)) for one, count in told], n=N + unit)
    # Of N rows, told exactly: supports may be rounded above it.
    facts = read_facts(patterns, round_to=unit, rounding=mode, min_support=sigma if is_complete else None)
    limits = [
        (frozenset(facts.labels[code] for code in codes), low, min(high, N))
        for codes, (low, high) in facts.listed.items()
        if codes
    ]
    found = audit(Facts.from_limits(limits, n=N, absent=facts.absent), k=k)
    assert found.evidence.facts is not None
    for database in releases[told]:
        for codes, (low, high) in found.evidence.facts.listed.items():
            assert low <= oracle.holders({facts.labels[code] for code in codes}, (), database) <= high
        for one in found.evidence.bounded:
            assert 1 <= one.low <= oracle.holders(one.base, one.lacked, database) <= one.high < k


@pytest.mark.nojit
def test_truncated_supports_and_what_is_missing_tell_of_one_row():
    patterns = Patterns.from_itemsets([([], 12), (["b"], 4), (["c"], 12)], n=12)
    told = audit(read_facts(patterns, round_to=2, rounding="truncate", min_support=4), k=2)
    assert [str(one) for one in told.evidence.bounded] == ["b ∧ ¬c: 1 row"]
    assert told.verdict is Verdict.WITHHOLD
    untold = audit(read_facts(patterns, round_to=2, rounding="truncate"), k=2)
    assert (untold.evidence.bounded, untold.verdict) == ((), Verdict.REVIEW)


@pytest.mark.parametrize(("mode", "expected"), [("round", (8, 11)), ("truncate", (10, 11))])
def test_a_rounded_count_was_no_more_than_all_rows(mode, expected):
    facts = as_rounded(Patterns.from_itemsets([(["a"], 10)], n=11), 5, mode)
    assert facts.listed[frozenset([0])] == expected


@pytest.mark.parametrize(("k", "verdict"), [(5, Verdict.REVIEW), (6, Verdict.WITHHOLD)])
def test_a_rest_within_limits_is_withheld_if_it_is_surely_below_k(k, verdict):
    limits = [(["x"], 50, 50), (["x", "f"], 20, 21), (["x", "m"], 25, 25)]  # 4 or 5 rows are neither f nor m
    assert audit(Facts.from_limits(limits, n=90, schema=[["f", "m"]]), k=k).verdict is verdict


@pytest.mark.parametrize(("mode", "expected"), [("round", (8, 12)), ("truncate", (10, 14))])
def test_a_rounded_count_was_one_of_those_that_round_to_it(mode, expected):
    facts = as_rounded(Patterns.from_itemsets([(["a"], 10)], n=42), 5, mode)
    assert facts.listed[frozenset([0])] == expected
    assert facts.listed[frozenset()] == (42, 42)


def test_a_number_of_rows_that_is_a_multiple_was_rounded_too():
    assert as_rounded(Patterns.from_itemsets([(["a"], 10)], n=40), 5).listed[frozenset()] == (38, 42)


def test_a_support_may_be_more_than_a_number_of_rows_that_was_rounded_down():
    facts = as_rounded(Patterns.from_itemsets([(["a"], 10), (["b"], 10)], n=10), 5)
    assert facts.listed == {frozenset(): (8, 12), frozenset([0]): (8, 12), frozenset([1]): (8, 12)}


def test_a_share_of_a_rounded_number_of_rows_is_one_of_several_counts():
    patterns = Patterns.from_itemsets([(["a"], 5)], n=10, kind="maximal")
    facts = read_facts(patterns, round_to=5, min_support="50%")
    assert (facts.listed[frozenset([0])], facts.absent) == ((4, 7), 5)


def test_rounded_supports_are_withheld_where_they_surely_differ_by_few_and_else_reviewed():
    policy = Policy("ours", k=30, round_to=5)
    near = Patterns.from_itemsets([([], 100), (["a"], 80)], n=100)
    assert check_rounded(near, policy).verdict is Verdict.WITHHOLD
    assert by_name(audit(near, policy=policy))["inference channels"].verdict is Verdict.WITHHOLD
    assert check_rounded(Patterns.from_itemsets([([], 100), (["a"], 60)], n=100), policy).verdict is Verdict.REVIEW


@pytest.mark.nojit
def test_rounded_supports_that_rise_are_inconsistent():
    patterns = Patterns.from_itemsets([(["a"], 20), (["a", "b"], 60)], n=100)
    found = audit(as_rounded(patterns, 10), k=5)
    assert (found.verdict, found.evidence.facts, found.checks[0].name) == (Verdict.WITHHOLD, None, "consistency")


def test_supports_that_are_no_multiples_are_refused():
    with pytest.raises(InputError, match="1 of 2 supports are not multiples of 5"):
        read_facts(Patterns.from_itemsets([(["a"], 10), (["b"], 12)], n=40), round_to=5)


# Shares.


@settings(max_examples=60)
@given(case=detected_databases(), digits=st.integers(0, 4), mode=st.sampled_from(["round", "truncate"]))
def test_what_shares_tell_is_true_of_the_rows_that_they_are_of(case, digits, mode):
    rows, sigma, k = case
    n = len(rows)
    supports = {one: count for one, count in oracle.frequent(rows, sigma).items() if one}
    assume(supports)
    frame = pd.DataFrame(
        {
            "support": [oracle.cut(Fraction(count, n), digits, mode) for count in supports.values()],
            "itemsets": list(supports),
        }
    )
    found = audit(read_facts(frame, n=n, digits=digits, rounding=mode, min_support=sigma), k=k)
    assert found.evidence.facts is not None
    database = Counter(rows)
    for codes, (low, high) in found.evidence.facts.listed.items():
        assert low <= oracle.support({found.evidence.facts.labels[code] for code in codes}, rows) <= high
    for one in found.evidence.bounded:
        assert 1 <= one.low <= oracle.holders(one.base, one.lacked, database) <= one.high < k
    assert found.verdict is not Verdict.RELEASE or found.evidence.facts.is_exact


def test_shares_that_are_exact_give_the_channels_of_the_counts():
    rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    frame = mine(rows, min_support=10, kind="frequent").to_pandas()[["support", "itemsets"]]
    found = audit(read_facts(frame, n=100, digits=3), k=10)
    assert [str(channel) for channel in found.channels] == ["a ∧ b ∧ ¬c: 2 rows"]
    assert audit(read_facts(frame, n=100, digits=3), k=2).verdict is Verdict.RELEASE


def test_shares_that_no_count_of_the_rows_has_are_refused():
    with pytest.raises(InputError, match="1 of 1 supports cannot be those of 9 rows"):
        read_facts(BytesIO(b"itemset,support\nsecret,33%\n"), format="csv", n=9, digits=1)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"digits": 2}, "give it with n="),
        ({"digits": 2, "round_to": 5, "n": 9}, "leave one out"),
        ({"digits": 2, "n": 9, "format": "json"}, "CSV files"),
        ({"round_to": 0, "n": 9}, "whole number from 1 on"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, sentence):
    with pytest.raises((InputError, OptionError), match=sentence):
        read_facts(BytesIO(b"itemset,support\na,5\n"), **{"format": "csv", **options})


# The largest, and maximal ones.


def test_itemsets_that_are_not_among_the_largest_have_no_more_than_the_smallest():
    facts = read_facts(Patterns.from_itemsets([(["a"], 9), (["b"], 7), (["c"], 7)], n=12), top=True)
    assert facts.absent == 7
    assert facts.limits(frozenset([0, 1])) == (0, 7)


@pytest.mark.nojit
def test_parts_that_a_list_of_the_largest_leaves_out_are_known_to_be_few_as_well():
    facts = read_facts(Patterns.from_itemsets([(["a", "b"], 7), (["c"], 8)], n=9), top=True)
    assert facts.limits(frozenset([0])) == (7, 7)
    assert facts.limits(frozenset([0, 2])) == (0, 7)
    found = audit(facts, k=3)
    assert [str(channel) for channel in found.channels] == ["¬a ∧ ¬b: 2 rows", "¬c: 1 row"]
    assert attack(facts, k=3, level="plain").findings


def test_a_list_that_leaves_out_what_more_rows_hold_is_none_of_the_largest():
    facts = read_facts(Patterns.from_itemsets([(["a", "b"], 7), (["c"], 5)], n=9), top=True)
    assert audit(facts, k=2).checks[0].name == "consistency"
    with pytest.raises(InconsistencyError, match="that those of the largest supports are listed"):
        attack(facts, k=2)


def test_more_parts_than_can_be_listed_are_refused():
    facts = read_facts(Patterns.from_itemsets([(map(str, range(18)), 7)], n=9), top=True)
    with pytest.raises(BudgetError, match="more than 200,000 of them"):
        audit(facts, k=2)


def test_the_order_of_the_largest_is_undecided_where_supports_were_rounded():
    facts = read_facts(Patterns.from_itemsets([(["a"], 60), (["b"], 30)], n=100), round_to=10, top=True)
    assert "each listed one" in str(attack(facts, k=2).undecided[-1])


@settings(max_examples=80)
@given(case=detected_databases(), many=st.integers(1, 12))
def test_what_the_largest_itemsets_tell_is_true_of_the_rows_that_they_are_of(case, many):
    rows, _, k = case
    supports = {one: count for one, count in oracle.frequent(rows, 1).items() if one}
    largest = sorted(supports, key=lambda one: (-supports[one], len(one), sorted(map(str, one))))[:many]
    assume(largest)
    patterns = Patterns.from_itemsets([(one, supports[one]) for one in largest], n=len(rows))
    found = audit(read_facts(patterns, top=True), k=k)
    database = Counter(rows)
    for one in found.evidence.bounded:
        assert 1 <= one.low <= oracle.holders(one.base, one.lacked, database) <= one.high < k
    for channel in found.evidence.channels or ():
        assert oracle.cell(channel.base, channel.top, rows) == channel.count


def test_maximal_itemsets_tell_how_many_rows_do_not_hold_all_of_one_and_are_never_released():
    found = audit(Patterns.from_itemsets([(["a", "b"], 97), (["c"], 50)], n=100, kind="maximal"), k=5)
    assert [str(one) for one in found.differences] == ["¬(a ∧ b): 3 rows"]
    assert found.verdict is Verdict.WITHHOLD
    far = audit(Patterns.from_itemsets([(["a", "b"], 60)], n=100, kind="maximal"), k=5)
    assert (far.verdict, far.differences) == (Verdict.REVIEW, ())


# Attributes and values.


def repeated(draw, kinds):
    """Return a few kinds of rows, each there some times, often k or more; a minimum support, and k."""
    k = draw(st.integers(2, 6))
    chosen = draw(st.lists(kinds, min_size=1, max_size=7))
    # Most kinds often enough not to be a channel by themselves.
    times = [draw(st.sampled_from([1, k, k + 1, 2 * k, 3 * k])) for _ in chosen]
    rows = [row for row, many in zip(chosen, times, strict=True) for _ in range(many)]
    return rows, draw(st.sampled_from([1, 2, 3, k, k, k + 1, 2 * k])), k


@st.composite
def attributed(draw):
    """Rows of people with a value of each of two attributes, often or none, and a mark; a minimum support and k."""
    values = [["x=1", "x=2", "x=3"], ["y=1", "y=2", "y=3"], ["z", None]]
    values = [[*one, None] if draw(st.booleans()) else one for one in values]
    people = st.tuples(*map(st.sampled_from, values)).map(lambda row: frozenset(filter(None, row)))
    return *repeated(draw, people), GROUPS


GROUPS = [frozenset({"x=1", "x=2", "x=3"}), frozenset({"y=1", "y=2", "y=3"})]


@st.composite
def excluding(draw):
    """Rows over five items, of which no row holds two of a group; groups may share items. A minimum support and k."""
    groups = draw(st.lists(st.sets(st.sampled_from("abcde"), min_size=2, max_size=4).map(frozenset), max_size=3))
    # Short rows: what few of them have in common with others is often not frequent, and so in no listed cell.
    kinds = [row for row in oracle.subsets("abcde") if len(row) < 3 and not oracle.is_excluded(row, groups)]
    return *repeated(draw, st.sampled_from(kinds)), groups


ALIKE = [["z", "y=2", "x=1"]] * 2 + [["y=1", "x=2", "z"]] * 2 + [["y=1", "x=1", "z"]] * 4 + [["y=1", "x=1"]]
VALUES = [[f"{attribute}={value}" for value in "123"] for attribute in "xy"]


@pytest.mark.nojit
@settings(max_examples=200)
@given(case=attributed() | excluding(), kind=st.sampled_from(["frequent", "closed", None]))
@example(case=([frozenset(row) for row in ALIKE], 2, 2, VALUES), kind=None)  # two tops, one group
def test_channels_under_a_schema_are_found_by_their_definition(case, kind):
    rows, sigma, k, groups = case
    family = oracle.frequent(rows, sigma)
    expected = oracle.channels_with(family, sigma, groups, k)
    if kind is None:
        found = audit(rows, min_support=sigma, k=k, schema=groups)
    else:
        listed = family if kind == "frequent" else oracle.closed(rows, sigma)
        patterns = Patterns.from_itemsets(listed.items(), n=len(rows), min_support=sigma, kind=kind)
        found = audit(patterns, k=k, schema=groups)
    told = {(one.base, frozenset().union(*one.lacked)): one.low for one in found.evidence.remainders}
    # What the schema says about sums of several supports may reveal more than the definition; tests/test_schema.py.
    assert told.items() >= {
        ((base, oracle.lacked_by(base, top, groups)), count) for (base, top), count in expected.items()
    }
    assert by_name(found)["schema"].found == len(found.evidence.remainders) == len(told)
    assert all(
        one.low == one.high == oracle.holders(one.base, one.lacked, Counter(rows)) for one in found.evidence.remainders
    )
    assert all(sum(term.times * term.support for term in one.sum) == one.low for one in found.evidence.remainders)
    assert all(family[term.itemset] == term.support for one in found.evidence.remainders for term in one.sum)


def rows_of(words):
    """Return rows from words and how often each is there."""
    return [frozenset(word) for word, times in words.items() for _ in range(times)]


@settings(max_examples=200)
@given(case=attributed() | excluding())
@example(case=(rows_of({"fy": 20, "f": 20, "my": 10, "m": 10, "y": 18, "": 2}), 10, 10, [frozenset("fm")]))
@example(case=(rows_of({"a": 13, "b": 15, "": 1}), 1, 5, []))
@example(case=(rows_of({"ac": 9, "bc": 9, "a": 9, "b": 7, "": 9, "c": 5}), 7, 3, [frozenset("ab"), frozenset("bd")]))
def test_nothing_is_released_whose_sums_tell_of_few_rows_to_whoever_knows_the_schema(case):
    rows, sigma, k, groups = case
    family = oracle.frequent(rows, sigma)
    found = audit(rows, min_support=sigma, k=k, schema=groups)
    is_released = worst(check.verdict for check in found.checks if check.name != "reading") is Verdict.RELEASE
    is_safe = min(Counter(rows).values()) >= k if sigma == 1 else not oracle.are_few_told(family, groups, rows, k)
    assert is_released == (bool(family) and is_safe)


@settings(max_examples=100)
@given(case=attributed() | excluding())
def test_limits_under_a_schema_tell_what_exact_supports_tell(case):
    rows, sigma, k, groups = case
    family = oracle.frequent(rows, sigma)
    facts = Facts.from_limits([(one, held, held) for one, held in family.items()], n=len(rows), schema=groups)
    found = audit(facts, k=k)
    assert oracle.are_few_told(family, groups, rows, k) <= (found.verdict is Verdict.WITHHOLD)
    for one in found.evidence.bounded:
        assert one.low <= oracle.holders(one.base, one.lacked, Counter(rows)) <= one.high < k


def test_differences_of_remainders_are_not_released():
    rows = rows_of({"fy": 20, "f": 20, "my": 10, "m": 10, "y": 18, "": 2})
    found = audit(rows, min_support=10, k=10, schema=[["f", "m"]])
    assert found.verdict is Verdict.WITHHOLD
    assert [(str(one), one.explain()) for one in found.evidence.remainders] == [
        (
            "¬f ∧ ¬m ∧ ¬y: 2 rows",
            "sup(∅) 80 − sup(f) 40 − sup(m) 20 − sup(y) 48 + sup(fy) 20 + sup(my) 10 = 2",
        )
    ]


def test_differences_of_remainders_are_found_within_limits_and_beside_gaps():
    # Neither f nor m is listed alone, and one support is not exact.
    said = [("x", 80, 80), ("xf", 40, 40), ("xm", 20, 20), ("xy", 48, 48), ("xfy", 20, 20), ("xmy", 9, 10)]
    facts = Facts.from_limits([(set(one), low, high) for one, low, high in said], n=200)
    found = audit(facts, k=10, schema=[["f", "m"]])
    assert [str(one) for one in found.evidence.bounded] == ["x ∧ ¬f ∧ ¬m ∧ ¬y: 1 to 2 rows"]


def test_a_schema_with_more_sums_than_can_be_looked_at_is_not_judged(monkeypatch):
    monkeypatch.setattr(sums, "MOST_STEPS", 1)
    found = audit([["a", "f"]] * 20 + [["m"]] * 20 + [["b", "m"]] * 20, min_support=10, k=5, schema=[["f", "m"]])
    assert found.verdict is Verdict.WITHHOLD
    assert by_name(found)["schema"].sentence.startswith("Not judged: the schema lets readers add up more itemsets")


@pytest.mark.nojit
def test_a_rest_is_told_in_words_and_with_its_sum():
    rows = [["sex=f"]] * 40 + [["sex=m"]] * 48 + [[]] * 2
    found = audit(rows, min_support=10, k=5, schema="=")
    assert found.verdict is Verdict.WITHHOLD
    assert [(str(one), one.explain()) for one in found.evidence.remainders] == [
        ("¬sex=f ∧ ¬sex=m: 2 rows", "sup(∅) 90 − sup(sex=f) 40 − sup(sex=m) 48 = 2")
    ]
    assert not found.channels
    assert audit(rows, min_support=10, k=2, schema="=").verdict is Verdict.RELEASE


def test_pairs_and_groups_of_labels_are_schemas_too():
    rows = [[("sex", 1)]] * 40 + [[("sex", 2)]] * 48 + [[]] * 2
    assert len(audit(rows, min_support=10, k=5, schema="=").evidence.remainders) == 1
    assert (
        len(audit([["f"]] * 40 + [["m"]] * 48 + [[]] * 2, min_support=10, k=5, schema=[["f", "m"]]).evidence.remainders)
        == 1
    )


def test_rows_with_two_values_of_an_attribute_contradict_the_schema():
    with pytest.raises(InputError, match="check the schema"):
        audit([["sex=f", "sex=m"]] * 40 + [["sex=m"]] * 48, min_support=10, k=5, schema="=")
    rows = [["sex=f", "sex=m"]] * 5 + [["sex=f"]] * 15 + [["sex=m"]] * 20
    check = by_name(audit(rows, min_support=10, k=5, schema="="))["schema"]
    assert check.verdict is Verdict.WITHHOLD
    assert "several items that exclude each other by the schema" in check.sentence


def test_a_schema_that_no_labels_follow_is_refused():
    with pytest.raises(OptionError, match="no two labels are values of one attribute"):
        audit([["a"]] * 9, min_support=2, k=2, schema="=")


def test_rests_of_limits_hold_where_supports_were_rounded():
    said = [(["x"], 50, 50), (["x", "s=f"], 20, 21), (["x", "s=m"], 27, 28)]
    found = audit(Facts.from_limits(said, n=90), k=5, schema="=")
    assert [(str(one), one.explain()) for one in found.evidence.bounded] == [
        ("x ∧ ¬s=f ∧ ¬s=m: 1 to 3 rows", "sup(x) 50 − sup(s=f, x) 20 to 21 − sup(s=m, x) 27 to 28 = 1 to 3")
    ]


@pytest.mark.skipif(not os.environ.get("DISCREET_DATA"), reason="DISCREET_DATA names no folder of data sets")
@pytest.mark.parametrize(("min_support", "expected"), [("25%", 40), ("15%", 424)])
def test_mushroom_has_the_known_number_of_rests_and_they_are_true(min_support, expected):
    rows = datasets.load("mushroom")
    groups = [set() for _ in range(23)]
    for row in rows:
        for group, value in zip(groups, sorted(row), strict=True):
            group.add(value)
    patterns = mine(rows, min_support=min_support, kind="frequent")
    found = audit(Patterns.from_itemsets(patterns, n=patterns.n, min_support=patterns.min_support), k=10, schema=groups)
    assert len(found.evidence.remainders) == expected
    counted = Counter(rows)
    assert all(one.low == oracle.holders(one.base, one.lacked, counted) < 10 for one in found.evidence.remainders)


# The command line.


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("itemset,support\na,97.0%\n", ["--digits", 1, "--n", 100], "¬a: 3 rows"),
        ("itemset,support\na,90\na;b,60\n", ["--round-to", 5, "--n", 101], "2 itemsets of 101 rows"),
        ("itemset,support\na,97\nb,60\n", ["--top", "--n", 100], "¬a: 3 rows"),
        ("itemset,support\na,96\nb,60\n", ["--round-to", 4, "--listed-from", "58%", "--n", 97], "b ∧ ¬a: 2 to 3 rows"),
    ],
)
def test_the_command_line_judges_supports_that_are_not_exact(tmp_path, text, options, expected):
    file = tmp_path / "supports.csv"
    file.write_text(text)
    result = run("audit", file, "-k", 5, *options)
    assert result.exit_code == 1
    assert expected in result.stdout


def test_the_command_line_takes_a_schema(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("sex=f\n" * 40 + "sex=m\n" * 48 + "\n" * 2)
    result = run("audit", file, "--min-support", 10, "-k", 5, "--schema", "=", "--empty-rows")
    assert result.exit_code == 1
    assert "¬sex=f ∧ ¬sex=m: 2 rows, as sup(∅) 90 − sup(sex=f) 40 − sup(sex=m) 48 = 2" in result.stdout
    assert (
        '"rests"' in run("audit", file, "--min-support", 10, "-k", 5, "--schema", "=", "--json", "--empty-rows").stdout
    )
