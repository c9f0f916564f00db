"""Laws of rules: what supports and confidences tell, whatever was cut off them, and files and frames of rules."""

import json
import os
from fractions import Fraction
from functools import cache
from io import BytesIO
from itertools import combinations, groupby

import oracle
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mlxtend.frequent_patterns import association_rules, fpgrowth
from strategies import detected_databases

from discreet import InputError, OptionError, Patterns, Policy, ThresholdError, Transactions, Verdict, audit
from discreet.cli import main
from discreet.data.generate import clinic
from discreet.disclosure.attacks.facts import Facts
from discreet.publications.rules import rule as rule_module
from discreet.publications.rules.bounded import narrow_rules
from discreet.publications.rules.intervals import TRIED, Interval, Rounding, find_only, find_simplest, fit_counts
from discreet.publications.rules.reading import read_rules
from discreet.publications.rules.rule import Rules, read_thresholds
from discreet.publications.rules.unlisted import follow_sums
from discreet.report import audit_json, audit_text

modes = st.sampled_from(["round", "truncate"])


def listed(channels):
    """Return {(base, top): count} of channels."""
    return {(channel.base, channel.top): channel.count for channel in channels}


def stated(supports, digits, mode):
    """Return all rules of itemsets with these supports, their confidences cut to some digits."""
    return [
        (held, also, count, oracle.cut(Fraction(count, base), digits, mode))
        for held, also, count, base in oracle.every_rule(supports)
    ]


def by_name(found):
    """Return the checks of an audit by their names."""
    return {check.name: check for check in found.checks}


# Example 1 of k-anonymous patterns (PKDD 2005).


@pytest.mark.parametrize("n", [None, 100])
def test_support_80_and_a_confidence_of_98_7_percent_cannot_have_been_rounded(n):
    found = audit(Rules.from_rules([(["a1", "a2", "a3"], ["a4"], 80, "98.7%")], n=n, rounding="round"), k=5)
    assert (found.verdict, found.evidence.facts, found.evidence.bounded) == (Verdict.WITHHOLD, None, ())
    assert [check.name for check in found.checks] == ["consistency"]


@pytest.mark.parametrize("n", [None, 100])
def test_support_80_and_a_truncated_confidence_of_98_7_percent_tell_of_one_row(n):
    found = audit(Rules.from_rules([(["a1", "a2", "a3"], ["a4"], 80, "98.7%")], n=n, rounding="truncate"), k=5)
    assert found.verdict is Verdict.WITHHOLD
    assert [str(one) for one in found.evidence.bounded] == ["a1 ∧ a2 ∧ a3 ∧ ¬a4: 1 row"]
    assert [one.explain() for one in found.evidence.bounded] == ["sup(a1, a2, a3) 81 − sup(a1, a2, a3, a4) 80 = 1"]


# Narrowing against its definition.


@settings(max_examples=40)
@given(both=st.integers(0, 40), digits=st.integers(0, 4), mode=modes, data=st.data())
def test_a_rule_leaves_exactly_those_antecedents_whose_confidence_is_printed_so(both, digits, mode, data):
    most = 60
    confidence = oracle.cut(Fraction(both, data.draw(st.integers(max(1, both), most))), digits, mode)
    expected = oracle.antecedents(both, confidence, digits, mode, most)
    (interval,) = Rounding(mode, digits).intervals([confidence])
    fit = fit_counts(interval, (0, most), (both, both))
    ends = (expected[0], expected[-1])
    assert fit == (ends, (both, both), tuple(one - both for one in ends))


@settings(max_examples=40)
@given(both=st.integers(1, 9), wrong=st.integers(1, 99))
def test_a_rule_that_no_numbers_of_rows_have_is_called_inconsistent(both, wrong):
    confidence = f"0.{wrong:02}"
    possible = oracle.antecedents(both, confidence, 2, "truncate", 100 * both)
    found = audit(Rules.from_rules([(["a"], ["b"], both, confidence)], rounding="truncate", digits=2), k=2)
    assert (found.evidence.facts is None) == (not possible)


@settings(max_examples=40)
@given(
    low=st.integers(0, 3000), wide=st.integers(TRIED, 3 * TRIED), held=st.integers(1, 9000), share=st.fractions(0, 1)
)
def test_wide_supports_are_narrowed_by_their_ends_and_never_too_far(low, wide, held, share):
    both = min(held, low + wide // 2)
    confidence = Interval(max(Fraction(0), Fraction(both, held) - share / 10), Fraction(both, held) + share / 10)
    fit = fit_counts(confidence, (0, 10_000), (low, low + wide))
    assume(low <= both)
    assert fit is not None
    for truth, (least, most) in ((held, fit.held), (both, fit.both), (held - both, fit.gap)):
        assert least <= truth <= most


@settings(max_examples=30)
@given(case=detected_databases(), digits=st.integers(0, 5), mode=modes, known=st.booleans())
def test_what_rules_tell_is_true_of_the_rows_that_they_are_of(case, digits, mode, known):
    rows, sigma, k = case
    supports = oracle.frequent(rows, sigma)
    said = stated(supports, digits, mode)
    found = audit(Rules.from_rules(said, n=len(rows) if known else None, digits=digits, rounding=mode), k=k)
    assume(said)
    assert found.evidence.facts is not None
    database = {row: len(list(same)) for row, same in groupby(sorted(rows, key=lambda row: sorted(map(str, row))))}
    for codes, (low, high) in found.evidence.facts.listed.items():
        assert low <= oracle.support({found.evidence.facts.labels[code] for code in codes}, rows) <= high
    for one in found.evidence.bounded:
        assert 1 <= one.low <= oracle.holders(one.base, one.lacked, database) <= one.high < k
    for channel in found.evidence.channels or ():
        assert oracle.cell(channel.base, channel.top, rows) == channel.count < k
    assert (found.verdict is Verdict.WITHHOLD) >= bool(found.evidence.bounded or found.evidence.channels)


@pytest.mark.parametrize("n", [None, 0, 9])
def test_no_rules_are_withheld(n):
    assert audit(Rules.from_rules([], n=n, digits=2, rounding="round"), k=2).verdict is Verdict.WITHHOLD


@cache
def alike(sigma, mode, n=5, items="abc"):
    """Return {rules that are published: the databases that have them}, of all databases of some rows."""
    found = {}
    for database in oracle.databases_of(items, n):
        supports = {one: count for one, count in oracle.supports_of(database, items).items() if count >= sigma}
        found.setdefault(frozenset(stated(supports, 1, mode)), []).append(database)
    return found


@settings(max_examples=40)
@given(data=st.data(), sigma=st.integers(1, 2), mode=modes, k=st.integers(2, 4))
def test_every_finding_holds_in_all_databases_that_have_the_rules(data, sigma, mode, k):
    published = alike(sigma, mode)
    rules = data.draw(st.sampled_from(sorted(published, key=lambda rules: sorted(map(str, rules)))))
    found = audit(Rules.from_rules(rules, n=5, digits=1, rounding=mode), k=k)
    for database in published[rules]:
        for one in found.evidence.bounded:
            assert one.low <= oracle.holders(one.base, one.lacked, database) <= one.high


@settings(max_examples=30)
@given(case=detected_databases())
def test_exact_rules_of_all_frequent_itemsets_give_the_channels_that_these_give(case):
    rows, sigma, k = case
    supports = oracle.frequent(rows, sigma)
    rules = [(held, also, count, repr(count / base)) for held, also, count, base in oracle.every_rule(supports)]
    told = {part: supports[part] for held, also, _, _ in rules for part in oracle.subsets(held | also)}
    assume(told)
    told[frozenset()] = len(rows)
    found = audit(Rules.from_rules(rules, n=len(rows), rounding="exact"), k=k)
    assert dict(found.patterns) == told
    assert listed(found.channels) == oracle.maximal_channels_of(told, k)
    assert (found.verdict is Verdict.RELEASE) == (not found.evidence.channels and min(told.values()) >= k)


@cache
def clinic_frames(n=400, sigma=30):
    """Return the itemsets and the rules that mlxtend finds in clinic data."""
    rows = clinic(n, seed=3)
    table = pd.DataFrame([[label in row for label in rows.labels] for row in map(set, rows)], columns=list(rows.labels))
    itemsets = fpgrowth(table, min_support=(sigma - 0.5) / n, use_colnames=True)
    return rows, itemsets, association_rules(itemsets, metric="confidence", min_threshold=0)


def test_rules_of_mlxtend_itself_give_the_channels_of_the_itemsets_behind_them():
    rows, itemsets, rules = clinic_frames()
    single = {one for one in itemsets["itemsets"] if len(one) == 1}
    in_rules = {label for side in rules["antecedents"] for label in side}
    expected = {
        pair: count
        for pair, count in listed(audit(Patterns.from_pandas(itemsets, n=len(rows)), k=10).channels).items()
        if len(pair[1]) > 1 or pair[1] <= in_rules  # an item that goes with no other is in no rule
    }
    found = audit(read_rules(rules, n=len(rows)), k=10, rows=rows)
    assert len(expected) > 20
    assert single
    assert listed(found.channels) == expected
    assert found.verdict is Verdict.WITHHOLD
    assert found.exposed.rows == audit(Patterns.from_pandas(itemsets, n=len(rows)), k=10, rows=rows).exposed.rows


def test_rules_that_leave_gaps_are_never_released():
    found = audit(read_rules([(["a"], ["b"], 0.4, 0.8)], n=100, rounding="exact"), k=5)
    assert (found.verdict, found.evidence.bounded) == (Verdict.REVIEW, ())
    assert by_name(found)["bounds"].verdict is Verdict.REVIEW


def test_sums_of_three_and_more_supports_are_found_though_parts_are_not_listed():
    stated = [(["a"], ["b"], 40, 40 / 60), (["a"], ["c"], 35, 35 / 60), (["a", "b"], ["c"], 20, 20 / 40)]
    found = audit(read_rules(stated, n=100, rounding="exact"), k=10)
    assert [str(one) for one in found.evidence.bounded] == ["a ∧ ¬b ∧ ¬c: 5 rows"]
    assert found.evidence.bounded[0].explain() == "sup(a) 60 − sup(ab) 40 − sup(ac) 35 + sup(abc) 20 = 5"
    assert found.verdict is Verdict.WITHHOLD


def test_a_review_of_rules_says_what_was_not_looked_at_and_what_to_ask_for():
    stated = [(["a"], ["b"], 0.4, 0.8)]
    exact = audit(read_rules(stated, n=100, rounding="exact"), k=5)
    rounded = audit(read_rules(stated, n=1000, digits=1), k=5)
    assert "within 1 largest itemset with unlisted parts reveals fewer than 5 rows" in by_name(exact)["bounds"].sentence
    assert "are known only within limits" in by_name(rounded)["bounds"].sentence
    for found in (exact, rounded):
        assert "Ask for all itemsets with their counts" in by_name(found)["bounds"].sentence
        assert str(found.advice) == "A person must look at this: the checks say why."


@given(st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=30), st.data())
def test_sums_in_itemsets_with_unlisted_parts_count_rows_rightly(rows, data):
    every = [frozenset(one) for size in range(1, 5) for one in combinations("abcd", size)]
    listed = data.draw(st.lists(st.sampled_from(every), unique=True))
    supports = [(one, support, support) for one in listed for support in [sum(one <= row for row in rows)]]
    for found in follow_sums(Facts.from_limits(supports, n=len(rows)), 5).sums:
        lacks = [row for row in rows if found.base <= row and not any(found.base | one <= row for one in found.lacked)]
        assert found.low == found.high == len(lacks)
        assert len(lacks) == sum(term.times * term.support for term in found.sum)


def test_rules_without_exception_are_judged_by_what_a_policy_says_of_zeros():
    rules = Rules.from_rules([(["a"], ["b"], 40, 1.0)], rounding="exact")
    assert "class disclosure" not in by_name(audit(rules, k=5))
    found = audit(rules, policy=Policy("ours", k=5, zeros=Verdict.WITHHOLD))
    assert by_name(found)["class disclosure"].verdict is found.verdict is Verdict.WITHHOLD


@pytest.mark.parametrize(("most", "verdict"), [(1, Verdict.REVIEW), (2, Verdict.RELEASE)])
def test_more_lines_than_a_policy_allows_are_for_review(most, verdict):
    rules = Rules.from_rules([(["a"], ["b"], 40, 1.0), (["b"], ["a"], 40, 1.0)], rounding="exact")
    found = audit(rules, policy=Policy("ours", k=5, max_itemsets=most))
    assert by_name(found)["size"].verdict is verdict


@pytest.mark.parametrize(("k", "verdict"), [(40, Verdict.RELEASE), (41, Verdict.WITHHOLD)])
def test_a_support_below_k_is_a_low_count(k, verdict):
    rules = Rules.from_rules([(["a"], ["b"], 40, 1.0)], rounding="exact")
    assert by_name(audit(rules, k=k))["low counts"].verdict is verdict


def test_an_item_on_both_sides_is_refused():
    with pytest.raises(InputError, match="rule 1 has no consequent"):
        Rules.from_rules([(["a"], ["a"], 4, 0.5)])


def test_rows_that_rules_are_not_of_are_refused():
    rules = Rules.from_rules([(["a"], ["b"], 4, 0.5), (["b"], ["a"], 4, 1.0)], n=10, rounding="exact")
    with pytest.raises(InputError, match="give the rows"):
        audit(rules, k=2, rows=Transactions([["a", "b"]] * 10))


@pytest.mark.parametrize("rules", [[], [(["a"], ["b"], 0, 0.0)]])
def test_rules_that_say_nothing_are_not_released(rules):
    assert audit(Rules.from_rules(rules, n=9), k=2).verdict is not Verdict.RELEASE


# What was announced.


MINERS = {
    "SPMF": {},
    "arules": {"right": 1, "empty": True},
    "of one item each": {"right": 1, "items": 2},
    "mlxtend": {"loses": True},
}
SIZE = 6 if os.environ.get("DISCREET_LARGE") else 5


@cache
def announced_alike(miner, sigma, confidence, n=SIZE, items="abc"):
    """Return {rules that are published: the databases that have them}, of all databases of some rows."""
    options = dict(MINERS[miner])
    most, found = options.pop("items", len(items)), {}
    for database in oracle.databases_of(items, n):
        supports = {one: rows for one, rows in oracle.supports_of(database, items).items() if len(one) <= most}
        rules = oracle.mined_rules(supports, n, sigma, confidence, **options)
        found.setdefault(frozenset((held, also, *rows) for (held, also), rows in rules.items()), []).append(database)
    del found[frozenset()]
    return found


def told_as(rules, way, n):
    """Return published rules with exact supports, as shares, or with confidences alone."""
    return [
        (set(held), set(also), {"counts": rows, "shares": repr(rows / n), "confidences": None}[way], repr(rows / base))
        for held, also, rows, base in rules
    ]


@settings(max_examples=400 if os.environ.get("DISCREET_LARGE") else 40)
@given(
    data=st.data(),
    miner=st.sampled_from(sorted(MINERS)),
    sigma=st.integers(1, 2),
    confidence=st.sampled_from([Fraction(1, 2), Fraction(4, 5)]),
    k=st.integers(2, 4),
    way=st.sampled_from(["counts", "shares", "confidences"]),
    says=st.sampled_from([{"n", "sigma"}, {"n"}, {"sigma"}, set()]),
)
def test_what_announced_rules_tell_holds_in_all_databases_that_have_them(data, miner, sigma, confidence, k, way, says):
    published = announced_alike(miner, sigma, confidence)
    rules = data.draw(st.sampled_from(sorted(published, key=lambda rules: sorted(map(str, rules)))))
    way = "shares" if miner == "mlxtend" else way
    n = SIZE if "n" in says or way == "shares" else None
    least = sigma if "sigma" in says else None
    said = Rules.from_rules(
        told_as(rules, way, SIZE), n=n, rounding="exact", min_support=least, min_confidence=confidence
    )
    found = audit(said, k=k)
    assert found.evidence.facts is not None
    labels = found.evidence.facts.labels
    absent = read_thresholds(said)
    limits = {one: (0, absent.most(found.evidence.facts, one)) for one in oracle.subsets(range(len(labels)))}
    for database in published[rules]:
        for codes, (low, high) in {**limits, **found.evidence.facts.listed}.items():
            assert low <= oracle.holders({labels[code] for code in codes}, (), database) <= high
        for one in found.evidence.bounded:
            assert 1 <= one.low <= oracle.holders(one.base, one.lacked, database) <= one.high < k
    assert way != "confidences" or found.verdict is not Verdict.RELEASE


ONLY_ANNOUNCED = [(set(held), set(also), 2, "100%") for held, also in ("ca", "cb", ("ac", "b"), ("bc", "a"))]


def test_only_a_minimum_confidence_tells_of_one_row():
    expected = [("a ∧ b ∧ ¬c: 1 row", "sup(ab) 3 − sup(abc) 2 = 1")]
    told = audit(Rules.from_rules(ONLY_ANNOUNCED, n=5, min_confidence="80%"), k=2)
    assert [(str(one), one.explain()) for one in told.evidence.bounded] == expected
    assert told.verdict is Verdict.WITHHOLD
    untold = audit(Rules.from_rules(ONLY_ANNOUNCED, n=5), k=2)
    assert (untold.evidence.bounded, untold.verdict) == ((), Verdict.REVIEW)
    assert "absent rules" not in by_name(untold)


def test_rules_of_another_shape_than_listed_ones_are_never_missing():
    rules = Rules.from_rules([(["a", "b"], ["c"], 8, "100%")], n=20, min_confidence="80%")
    expected = {(frozenset("ac"), frozenset("abc")), (frozenset("bc"), frozenset("abc"))}
    assert set(narrow_rules(rules).announced.absent) == expected
    assert by_name(audit(rules, k=2))["absent rules"].found == 2


def test_an_itemset_in_no_rule_has_too_few_rows_or_too_small_a_confidence():
    # Nearly all hold c, and 16 of 20 rows hold a; of a ⇒ c and c ⇒ a nothing is listed. d keeps both in the list.
    rules = [
        (["c"], ["d"], 19, "100%"),
        (["d"], ["c"], 19, "100%"),
        (["a"], ["e"], 16, "100%"),
        (["e"], ["a"], 16, "100%"),
    ]
    found = audit(Rules.from_rules(rules, n=20, min_support=2, min_confidence="95%"), k=4)
    assert "a ∧ ¬c: 1 row, as sup(a) 16 − sup(ac) 0 to 15 = 1" in {
        f"{one}, as {one.explain()}" for one in found.evidence.bounded
    }
    assert "a ∧ ¬c: 1 row" not in map(str, audit(Rules.from_rules(rules, n=20), k=4).evidence.bounded)


@pytest.mark.parametrize(("way", "expected"), [("counts", 1), ("shares", 2)])
def test_what_just_reaches_a_minimum_may_be_missing_where_supports_are_shares(way, expected):
    rules = {("a", "c", 3, 3), ("b", "c", 3, 3), ("c", "a", 3, 4), ("c", "b", 3, 4)}  # of abc twice, ac, bc, ∅
    said = Rules.from_rules(told_as(rules, way, 5), n=5, rounding="exact", min_support=2, min_confidence="60%")
    facts = narrow_rules(said).facts
    assert read_thresholds(said).most(facts, frozenset(map(facts.labels.index, "ab"))) == expected


def test_missing_rules_beyond_those_that_are_followed_are_said_to_be_left(monkeypatch):
    monkeypatch.setattr(rule_module, "FOLLOWED", 1)
    found = audit(Rules.from_rules(ONLY_ANNOUNCED, n=5, min_confidence="80%"), k=2)
    assert by_name(found)["absent rules"].verdict is Verdict.REVIEW
    monkeypatch.setattr(rule_module, "FOLLOWED", 1000)
    monkeypatch.setattr(rule_module, "LOOKED_AT", 1)
    absent = by_name(audit(Rules.from_rules(ONLY_ANNOUNCED, n=5, min_confidence="80%"), k=2))["absent rules"]
    assert (absent.verdict, absent.found < 6) == (Verdict.REVIEW, True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"min_confidence": "120%"}, "min confidence is '120%'"),
        ({"min_support": 0}, "min support is the count 0"),
        ({"min_support": "10%"}, "give it with n="),
        ({"min_confidence": "90%"}, "1 of 2 rules do not reach"),
        ({"min_support": 7}, "2 of 2 rules do not reach"),
    ],
)
def test_thresholds_that_are_none_or_not_reached_are_refused(options, sentence):
    with pytest.raises((InputError, ThresholdError), match=sentence):
        Rules.from_rules([(["a"], ["b"], 6, "0.95"), (["b"], ["a"], 6, "0.75")], **options)


def test_rules_of_mlxtend_itself_fit_what_was_announced():
    rows, _, rules = clinic_frames()
    rules = rules[rules["confidence"] >= 0.6]
    found = audit(read_rules(rules, n=len(rows), min_support=30, min_confidence=0.6), k=5)
    assert by_name(found)["absent rules"].found > 10
    for codes, (low, high) in found.evidence.facts.listed.items():
        assert low <= rows.support([found.evidence.facts.labels[code] for code in codes]) <= high


# Confidences alone.


@settings(max_examples=40)
@given(low=st.fractions(0, 1), width=st.fractions(0, Fraction(1, 9)), most=st.integers(1, 40))
def test_the_fractions_in_an_interval_are_found_by_their_definition(low, width, most):
    every = {Fraction(part, whole) for whole in range(1, most + 1) for part in range(whole + 1)}
    within = {one for one in every if low <= one <= low + width}
    assert find_only(Interval(low, low + width), most) == (next(iter(within)) if len(within) == 1 else None)
    # The one with the least denominator may need more than the most that is asked for.
    least = find_simplest(low, low + width)
    assert low <= least <= low + width
    assert (least in within) == bool(within)
    assert all(least.denominator <= one.denominator and least.numerator <= one.numerator for one in within)


def test_confidences_alone_tell_what_supports_are_multiples_of():
    rules = [(["a"], ["b"], None, 1 / 3), (["a"], ["c"], None, 1 / 7)]
    facts = narrow_rules(Rules.from_rules(rules, n=40_000, rounding="exact")).facts
    known = {frozenset(facts.labels[code] for code in codes): limits for codes, limits in facts.listed.items()}
    assert known[frozenset("a")] == (21, 39_984)
    facts = narrow_rules(Rules.from_rules(rules, n=41, rounding="exact")).facts
    assert (7, 7) in facts.listed.values()
    assert (3, 3) in facts.listed.values()


def test_one_confidence_and_the_number_of_rows_tell_of_one_row():
    found = audit(Rules.from_rules([(["a"], ["b"], None, "98.7%")], n=80), k=5)
    assert [str(one) for one in found.evidence.bounded] == ["a ∧ ¬b: 1 row"]
    assert found.verdict is Verdict.WITHHOLD


def test_confidences_of_nobody_knows_how_many_rows_are_for_people_to_judge():
    found = audit(Rules.from_rules([(["a"], ["b"], None, 0.5), (["b"], ["a"], None, 0.5)], rounding="exact"), k=2)
    assert found.verdict is Verdict.REVIEW
    assert "bound no count from above" in by_name(found)["supports"].sentence
    exact = audit(Rules.from_rules([(["a"], ["b"], None, 0.9), (["b"], ["a"], None, 1.0)], n=10, rounding="exact"), k=1)
    assert exact.evidence.facts.is_exact
    assert exact.verdict is Verdict.REVIEW


# Measures.


@settings(max_examples=40)
@given(
    cells=st.lists(st.integers(0, 12), min_size=4, max_size=4),
    name=st.sampled_from([*sorted(oracle.MEASURES), "certainty of arules"]),
    digits=st.integers(2, 6),
    mode=modes,
)
def test_measures_tell_only_what_is_true_of_the_consequent(cells, name, digits, mode):
    both, left, right, _ = cells
    n, held, also = sum(cells), both + left, both + right
    assume(both)
    measure = {**oracle.MEASURES, "certainty of arules": oracle.arules_certainty}[name]
    value = measure(Fraction(both, n), Fraction(held, n), Fraction(also, n))
    assume(value is not None and not (name == "certainty of arules" and also == n))
    sign = "-" * (value < 0)
    frame = pd.DataFrame({"lhs": [["a"]], "rhs": [["b"]], "count": [both], "confidence": [repr(both / held)]})
    for text, rounding, cut in (
        (sign + oracle.cut(abs(value), digits, mode), mode, digits),
        (repr(float(value)), "exact", None),
    ):
        frame[name.split()[0]] = [text]
        frame["confidence"] = [repr(both / held) if cut is None else oracle.cut(Fraction(both, held), digits, mode)]
        facts = narrow_rules(read_rules(frame, n=n, rounding=rounding, digits=cut)).facts
        limits = facts.listed[frozenset([facts.labels.index("b")])]
        assert limits[0] <= also <= limits[1]
    # All digits leave one number, but for measures that say nothing where no row lacks the consequent.
    is_exact = not name.startswith("certainty") and name != "conviction" and held < n
    assert not is_exact or limits == (also, also)


def test_measures_of_mlxtend_tell_how_many_hold_the_consequent():
    rows, _, rules = clinic_frames()
    told = rules.drop(columns=["consequent support", "antecedent support"])
    for name in ["leverage", "zhangs_metric", "jaccard", "certainty", "kulczynski", "lift"]:
        one = told[["antecedents", "consequents", "support", "confidence", name]]
        facts = narrow_rules(read_rules(one, n=len(rows))).facts
        assert facts.is_exact
        for codes, (low, _) in facts.listed.items():
            assert low == rows.support([facts.labels[code] for code in codes])


def test_a_file_may_have_confidences_alone():
    rules = read_rules(BytesIO(b"lhs,rhs,confidence\na,b,0.987\n"), format="csv", n=80)
    assert [rule.support for rule in rules] == [None]
    assert [str(one) for one in audit(rules, k=5).evidence.bounded] == ["a ∧ ¬b: 1 row"]
    assert "not stated" in rules._repr_html_()


@pytest.mark.parametrize("attribute", ['leverage="0.05"', 'affinity="0.33333333333333"', 'lift="1.3333333333333"'])
def test_measures_of_pmml_tell_how_many_hold_the_consequent(attribute):
    data = PMML.replace(b'support="0.5"', b"").replace(b'confidence="0.6', attribute.encode() + b' confidence="0.6')
    facts = narrow_rules(read_rules(BytesIO(data), format="pmml")).facts
    assert facts.listed[frozenset([facts.labels.index("red/dry")])] == (10, 10)


@pytest.mark.parametrize(("name", "text"), [("cosine", "0.471404520791"), ("addedValue", "0.200"), ("lift", "1.6667")])
def test_measures_of_arules_tell_how_many_hold_the_consequent(name, text):
    data = f"lhs,rhs,count,confidence,{name}\na,b,4,0.5,{text}\n".encode()  # 4 / √(8 · 9), 0.5 − 6 / 20, 0.5 / 0.3
    facts = narrow_rules(read_rules(BytesIO(data), format="csv", n=20)).facts
    assert facts.listed[frozenset([1])] == {"cosine": (9, 9)}.get(name, (6, 6))


@pytest.mark.parametrize("text", ["NA", "inf", ""])
def test_a_measure_that_is_no_number_says_nothing(text):
    data = f"lhs,rhs,count,confidence,conviction\na,b,4,0.5,{text}\n".encode()
    (rule,) = read_rules(BytesIO(data), format="csv", n=20)
    assert rule.measures == ()


def test_columns_that_are_not_read_are_named():
    rows, _, rules = clinic_frames()
    for patients, verdict in (("x", Verdict.RELEASE), (range(len(rules)), Verdict.REVIEW)):
        found = audit(read_rules(rules.assign(patients=patients), n=len(rows)), k=5)
        check = by_name(found)["columns"]
        assert (check.found, check.verdict) == (2, verdict)
        assert "representativity, patients" in check.sentence


# Digits.


@settings(max_examples=40)
@given(
    shares=st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)).map(sorted), min_size=1, max_size=9),
    digits=st.integers(1, 6),
    mode=modes,
    shape=st.sampled_from(["fixed", "without zeros at the end", "percent"]),
)
def test_numbers_with_as_many_digits_as_others_lie_where_they_lay(shares, digits, mode, shape):
    numbers = [Fraction(part, whole) for part, whole in shares]
    texts = [oracle.cut(number * (100 if shape == "percent" else 1), digits, mode) for number in numbers]
    if shape == "without zeros at the end":
        texts = [text.rstrip("0").rstrip(".") for text in texts]
    if shape == "percent":
        texts = [f"{text}%" for text in texts]
    for number, interval in zip(numbers, Rounding(mode).intervals(texts), strict=True):
        assert interval.low <= number <= interval.high
        assert number < interval.high or not interval.open


@settings(max_examples=40)
@given(shares=st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)).map(sorted), min_size=1, max_size=9))
def test_floats_and_numbers_of_seven_significant_digits_lie_where_they_lay(shares):
    numbers = [Fraction(part, whole) for part, whole in shares]
    for texts in ([repr(part / whole) for part, whole in shares], [f"{part / whole:.7g}" for part, whole in shares]):
        for number, interval in zip(numbers, Rounding().intervals(texts), strict=True):
            assert interval.low <= number <= interval.high


@settings(max_examples=40)
@given(case=detected_databases(), digits=st.integers(1, 5), mode=modes)
def test_a_table_of_rules_with_numbers_cut_short_tells_only_what_is_true(case, digits, mode):
    rows, sigma, k = case
    n, supports = len(rows), oracle.frequent(rows, sigma)
    rules = list(oracle.every_rule(supports))
    assume(rules)
    numbers = {
        "support": [Fraction(count, n) for _, _, count, _ in rules],
        "confidence": [Fraction(count, base) for _, _, count, base in rules],
        "coverage": [Fraction(base, n) for _, _, _, base in rules],
        "lift": [Fraction(count * n, base * supports[also]) for _, also, count, base in rules],
    }
    frame = pd.DataFrame({"lhs": [held for held, _, _, _ in rules], "rhs": [also for _, also, _, _ in rules]})
    for name, column in numbers.items():
        frame[name] = [oracle.cut(number, digits, mode) for number in column]
    found = audit(read_rules(frame, n=n, digits=digits, rounding=mode), k=k)
    assert found.evidence.facts is not None
    for codes, (low, high) in found.evidence.facts.listed.items():
        assert low <= oracle.support({found.evidence.facts.labels[code] for code in codes}, rows) <= high


@pytest.mark.parametrize("text", ["", "half", "-0.5", "nan", "inf", "1e999", "0" * 50, "٣"])
def test_what_is_no_number_is_refused_by_its_place(text):
    with pytest.raises(InputError, match="confidence 2 is not a number"):
        Rules.from_rules([(["a"], ["b"], 4, "0.5"), (["a"], ["c"], 4, text)])


@pytest.mark.parametrize(
    "options", [{"digits": -1}, {"digits": True}, {"rounding": "up"}, {"rounding": "exact", "digits": 2}]
)
def test_a_rounding_that_is_none_is_refused(options):
    with pytest.raises(OptionError):
        read_rules([(["a"], ["b"], 4, 0.5)], **options)


def test_shares_of_nobody_knows_how_many_rows_are_refused():
    with pytest.raises(InputError, match="give it with n="):
        read_rules([(["a"], ["b"], 0.25, 0.5)])


# Files and frames.


SPMF = (
    b"@CONVERTED_FROM_TEXT\n@ITEM=1=tea\n@ITEM=2=milk\n@ITEM=3=red/dry\n"
    b"1 2 ==> 3 #SUP: 4 #CONF: 0.66667 #LIFT: 1.33333\n1 ==> 2 #SUP: 6 #CONF: 0.75\n"
)
ARULES = (
    b'"rules","support","confidence","coverage","lift","count"\n'
    b'"{tea,milk} => {red/dry}",0.2,0.666666666666667,0.3,1.33333333333333,4\n"{tea} => {milk}",0.3,0.75,0.4,1.25,6\n'
)
FRAME = pd.DataFrame(
    {
        "antecedents": [frozenset({"tea", "milk"}), frozenset({"tea"})],
        "consequents": [frozenset({"red/dry"}), frozenset({"milk"})],
        "antecedent support": [0.3, 0.4],
        "consequent support": [0.5, 0.6],
        "support": [0.2, 0.3],
        "confidence": [0.2 / 0.3, 0.75],
        "lift": [4 / 3, float("nan")],
    }
)
PMML = b"""<?xml version="1.0" encoding="UTF-8"?>
<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header/><AssociationModel functionName="associationRules"
numberOfTransactions="20" numberOfItems="3" minimumSupport="0.1" minimumConfidence="0.5" numberOfItemsets="4"
numberOfRules="2"><MiningSchema/>
<Item id="1" value="tea"/><Item id="2" value="milk"/><Item id="3" value="red/dry"/>
<Itemset id="1" support="0.3" numberOfItems="2"><ItemRef itemRef="1"/><ItemRef itemRef="2"/></Itemset>
<Itemset id="2" support="0.5"><ItemRef itemRef="3"/></Itemset>
<Itemset id="3"><ItemRef itemRef="1"/></Itemset><Itemset id="4"><ItemRef itemRef="2"/></Itemset>
<AssociationRule antecedent="1" consequent="2" support="0.2" confidence="0.666666666666667"/>
<AssociationRule antecedent="3" consequent="4" support="0.3" confidence="0.75"/>
</AssociationModel></PMML>
"""
LINES = ARULES.splitlines()
FILES = {
    "arules": (ARULES, "csv", {}),
    "arules with names of lines": (
        LINES[0] + b"\n" + b"\n".join(b'"%d",%s' % (at, line) for at, line in enumerate(LINES[1:], start=1)),
        "csv",
        {"n": 20},
    ),
    "a frame that was saved": (FRAME.to_csv(index=False).encode(), "csv", {"n": 20}),
    "a frame that was saved with its index": (FRAME.to_csv().encode(), "csv", {"n": 20}),
    "lhs and rhs": (
        b"lhs,rhs,count,confidence\n{tea;milk},x,4,0.5\n".replace(b"{tea;milk},x,4,0.5", b"tea;milk,red/dry,4,0.666667")
        + b"tea,milk,6,0.75\n",
        "csv",
        {"n": 20},
    ),
    "PMML": (PMML, "pmml", {}),
    "spmf": (SPMF, "spmf", {"n": 20}),
}


def test_counts_beside_shares_tell_n_if_only_one_fits_all_rules():
    lines = b"rules,support,confidence,count\n{b} => {c},0.01,0.50,1\n"
    assert read_rules(BytesIO(lines), format="csv").n is None
    assert read_rules(BytesIO(lines + b"{a} => {b},0.99,0.99,99\n"), format="csv").n == 100


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_rules(name):
    data, form, options = FILES[name]
    rules = read_rules(BytesIO(data), format=form, **options)
    assert rules.n == 20
    told = {(rule.antecedent, rule.consequent): rule.support for rule in rules}
    assert told == {
        (frozenset({"tea", "milk"}), frozenset({"red/dry"})): (4, 4),
        (frozenset({"tea"}), frozenset({"milk"})): (6, 6),
    }
    facts = narrow_rules(rules).facts
    known = {frozenset(facts.labels[code] for code in codes): limits for codes, limits in facts.listed.items()}
    assert known[frozenset({"tea", "milk"})] == (6, 6)
    assert known[frozenset({"tea"})] == (8, 8)
    has_lift = name != "lhs and rhs"
    assert (known.get(frozenset({"red/dry"})) == (10, 10)) == has_lift


@pytest.mark.parametrize(
    "frame",
    [FRAME, pl.from_pandas(FRAME.map(lambda one: list(one) if isinstance(one, frozenset) else one))],
    ids=["pandas", "polars"],
)
def test_frames_give_the_same_rules_and_the_supports_of_both_sides(frame):
    rules = read_rules(frame, n=20)
    assert [rule.support for rule in rules] == [(4, 4), (6, 6)]
    assert dict(rules.more)[frozenset({"red/dry"})] == (10, 10)


def test_frames_that_were_rounded_need_to_say_so():
    rounded = FRAME.round(2)
    assert audit(read_rules(rounded, n=20), k=2).evidence.facts is None
    assert audit(read_rules(rounded, n=20, digits=2), k=2).evidence.facts is not None


def test_items_that_hold_a_comma_within_an_interval_are_one_item():
    data = b'rules,count,confidence\n"{age=[20,30),sex=f} => {tea}",4,0.5\n'
    (rule,) = read_rules(BytesIO(data), format="csv")
    assert (rule.antecedent, rule.consequent) == ({"age=[20,30)", "sex=f"}, {"tea"})


def test_numbers_as_labels_are_numbers():
    (rule,) = read_rules(BytesIO(b"1 2 ==> 3 #SUP: 4 #CONF: 0.5\n"), format="spmf")
    assert (rule.antecedent, rule.consequent) == ({1, 2}, {3})


BROKEN = {
    "no rule": (b"1 2 #SUP: 4\n", "spmf", "line 1 is no rule"),
    "no count": (b"1 ==> 2 #SUP: 0.4 #CONF: 1\n", "spmf", "line 1 has a support that is no count"),
    "a share above 1": (b"rules,support,confidence\n{a} => {b},0.2,1.5\n", "csv", "confidence 1 is above 1"),
    "no columns": (b"left,right\nsecret,2\n", "csv", "needs the columns"),
    "no arrow": (b"rules,support,confidence\nsecret,0.2,0.5\n", "csv", "rule 1 is no rule such as"),
    "too many fields": (
        b"rules,support,confidence\n{a} => {b},0.2,0.5\n{secret} => {b},0.2,0.5,1\n",
        "csv",
        "rule 2 has 4",
    ),
    "code": (b"antecedents,consequents,count,confidence\nfrozenset(secret()),b,4,0.5\n", "csv", "rule 1 is no set"),
    "a quote": (b'lhs,rhs,count,confidence\n"""secret",b,4,0.5\n', "csv", "rule 1 has a quote"),
    "no XML": (b"<PMML><secret>", "pmml", "this is no XML"),
    "no model": (b"<PMML/>", "pmml", "0 association models"),
    "two models": (b"<PMML><AssociationModel/><AssociationModel/></PMML>", "pmml", "2 association models"),
    "entities": (
        b'<!DOCTYPE a [<!ENTITY secret SYSTEM "file:///etc/passwd">]><PMML>&secret;</PMML>',
        "pmml",
        "document type",
    ),
    "no item": (PMML.replace(b'<Item id="2" value="milk"/>', b""), "pmml", "names an item that is not there"),
    "no itemset": (PMML.replace(b'consequent="4"', b'consequent="9"'), "pmml", "rule 2 of the PMML names an itemset"),
    "no value": (PMML.replace(b' value="tea"', b""), "pmml", "Item of the PMML has no value"),
    "the same item twice": (PMML.replace(b"milk", b"tea"), "pmml", "same value"),
    "another n": (PMML, "pmml", "the source says n is 20"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_a_file_is_said_without_labels(name):
    data, form, sentence = BROKEN[name]
    with pytest.raises(InputError, match=sentence) as raised:
        read_rules(BytesIO(data), format=form, n=9)
    assert not any(label in str(raised.value) for label in ("secret", "tea", "milk"))


def test_a_suffix_tells_the_format_and_none_is_asked_for(tmp_path):
    (tmp_path / "rules.pmml").write_bytes(PMML)
    assert len(read_rules(tmp_path / "rules.pmml")) == 2
    (tmp_path / "rules.dat").write_bytes(PMML)
    with pytest.raises(OptionError, match="is of no format of rules"):
        read_rules(tmp_path / "rules.dat")
    with pytest.raises(OptionError, match="one of spmf, csv, pmml"):
        read_rules(tmp_path / "rules.pmml", format="xlsx")
    with pytest.raises(InputError, match="no such file"):
        read_rules(tmp_path / "none")


# Reports and the command line.


def test_a_report_tells_the_sums_and_its_json_all_findings():
    rules = [([f"x{at}"], ["y"], 80, "98.7%") for at in range(5)]
    found = audit(Rules.from_rules(rules, rounding="truncate"), k=5)
    text = "\n".join(audit_text(found, explain=2))
    assert "x0 ∧ ¬y: 1 row, as sup(x0) 81 − sup(x0, y) 80 = 1" in text
    assert "… and 3 more" in text
    told = json.loads(b"".join(audit_json(found)))
    assert told["verdict"] == "WITHHOLD"
    assert [(one["base"], one["lacked"], one["low"], one["high"]) for one in told["findings"]] == [
        ([f"x{at}"], [["y"]], 1, 1) for at in range(5)
    ]
    assert "Its .findings" in found._repr_html_()
    assert "x0 ⇒ y" in Rules.from_rules(rules)._repr_html_()


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_the_command_line_judges_rules(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text("1 2 ==> 3 #SUP: 80 #CONF: 0.987\n")
    rounded, truncated = (
        run("audit", file, "--rules", "-k", 5),
        run("audit", file, "--rules", "-k", 5, "--rounding", "truncate"),
    )
    assert (rounded.exit_code, truncated.exit_code) == (1, 1)
    assert "No rows can have these numbers" in rounded.stdout
    assert "1 ∧ 2 ∧ ¬3: 1 row" in truncated.stdout
    assert json.loads(run("audit", file, "--rules", "-k", 5, "--json").stdout)["verdict"] == "WITHHOLD"


def test_the_command_line_takes_what_was_announced(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text(
        "".join(f"{rule} #SUP: 2 #CONF: 1.0\n" for rule in ("3 ==> 1", "3 ==> 2", "1 3 ==> 2", "2 3 ==> 1"))
    )
    plain = run("audit", file, "--rules", "-k", 2, "--n", 5)
    told = run("audit", file, "--rules", "-k", 2, "--n", 5, "--min-confidence", "80%", "--listed-from", 2)
    assert "1 ∧ 2 ∧ ¬3: 1 row" in told.stdout
    assert "1 ∧ 2 ∧ ¬3: 1 row" not in plain.stdout
    assert "REVIEW" in plain.stdout
    alone = run("audit", file, "-k", 2, "--n", 5, "--min-confidence", "80%")
    assert alone.exit_code == 2
    assert "--min-confidence is for rules" in alone.stderr


@pytest.mark.parametrize("options", [["--listed-from", "5%"], ["--listed-from", "90"], ["--min-confidence", "99.9%"]])
def test_what_cannot_have_been_announced_is_refused_by_no_name_of_another_option(tmp_path, options):
    file = tmp_path / "rules.txt"
    file.write_text("1 ==> 3 #SUP: 80 #CONF: 0.987\n")
    result = run("audit", file, "--rules", "-k", 5, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the announced minimum support" in result.stderr
    assert "--min-support" not in result.stderr


@pytest.mark.parametrize(
    "options",
    [["--min-support", "5%"], ["--kind", "closed"], ["--top"], ["--row", "id"], ["--threads", "2"]],
)
def test_options_that_mean_nothing_for_rules_are_refused(tmp_path, options):
    file = tmp_path / "rules.txt"
    file.write_text("1 ==> 3 #SUP: 80 #CONF: 0.987\n")
    result = run("audit", file, "--rules", "-k", 5, *options)
    assert result.exit_code == 2
    assert "leave" in result.stderr
