"""The measures of hiding are those of the definitions, at one minimum support or many; methods are compared by them."""

import json
import re
from fractions import Fraction
from functools import partial
from xml.parsers import expat

import oracle
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import databases

from discreet import BudgetError, OptionError, ThresholdError, Transactions, compare_hiding, hide, report
from discreet.hiding.comparison import HidingComparison, MethodLine
from discreet.hiding.hide import METHODS
from discreet.hiding.measures import Hiding, Yardstick, count_ghost_rules

MEASURES = {
    "hiding_failure": oracle.hiding_failure,
    "misses_cost": oracle.misses_cost,
    "artifactual": oracle.artifactual,
    "dissimilarity": oracle.dissimilarity,
}
PAPERS = ["naive", "minfia", "maxfia", "iga"]
DROPPED = ["b", "ab", "ac", "abc", "c", "abc", "b", "a", "c", "abc"]
"""Rows in which ``ac`` becomes frequent once ``b`` is hidden and empty rows are left out."""
ROWS = [list("abcd"), list("abc"), list("abd"), list("acd"), list("abc"), list("bd")]
few = partial(databases, max_rows=10, max_items=5)


def measure_hiding(before, after, sensitive, *, min_support, **budget):
    """Measure at one minimum support."""
    return Yardstick.of(before, sensitive, [min_support], **budget).measure(after)[0]


def labels_of(rows):
    return sorted(frozenset().union(*rows), key=str)


@st.composite
def measured(draw, source=few):
    """Rows, what became of them (items removed, or rows of any kind), sensitive itemsets, and minimum supports."""
    before = draw(source())
    labels = labels_of(before) or ["a"]
    parts = st.frozensets(st.sampled_from(labels))
    removed = [row - draw(parts) for row in before]
    after = draw(st.just(removed) | st.just([row for row in removed if row]) | source())
    sensitive = draw(
        st.lists(st.frozensets(st.sampled_from([*labels, "none has it"]), min_size=1), min_size=1, max_size=4)
    )
    counts = st.integers(0, len(before) + 1)
    shares = st.fractions(0, 1, max_denominator=12)
    return before, after, sensitive, draw(st.lists(counts | shares, min_size=1, max_size=4))


def count_of(min_support, n):
    if isinstance(min_support, Fraction):
        return max(1, oracle.least_count(min_support, n))
    return max(1, min_support)


def expected(before, after, sensitive, min_support):
    pair = count_of(min_support, len(before)), count_of(min_support, len(after))
    return {name: float(oracle_of(before, after, sensitive, *pair)) for name, oracle_of in MEASURES.items()}


def told(found):
    return {name: getattr(found, name) for name in MEASURES}


@given(measured())
def test_the_measures_are_those_of_the_definitions(case):
    before, after, sensitive, min_supports = case
    for min_support in min_supports:
        found = measure_hiding(Transactions(before), Transactions(after), sensitive, min_support=min_support)
        assert expected(before, after, sensitive, min_support) == told(found)


@given(measured())
def test_many_minimum_supports_at_once_are_as_one_at_a_time(case):
    before, after, sensitive, min_supports = case
    old, new = Transactions(before), Transactions(after)
    alone = [measure_hiding(old, new, sensitive, min_support=one) for one in min_supports]
    assert alone == Yardstick.of(old, sensitive, min_supports).measure(new)


@given(measured(), st.data())
def test_nothing_is_artifactual_where_items_are_only_removed(case, data):
    before, _, sensitive, min_supports = case
    after = [row - data.draw(st.frozensets(st.sampled_from(labels_of(before) or ["a"]))) for row in before]
    for min_support in min_supports:
        found = measure_hiding(Transactions(before), Transactions(after), sensitive, min_support=min_support)
        assert (found.artifactual, found.both) == (0, found.after)


def test_itemsets_can_be_artifactual_where_emptied_rows_are_left_out():
    before = [frozenset(row) for row in DROPPED]
    hidden = [row - {"b"} for row in before]
    left = [row for row in hidden if row]
    kept, dropped = (
        measure_hiding(Transactions(before), Transactions(rows), [["b"]], min_support="50%") for rows in (hidden, left)
    )
    assert kept.artifactual == 0
    assert dropped.artifactual == 1 / 3  # of a, c and ac, which 4 of 8 rows hold
    assert dropped.artifactual == float(oracle.artifactual(before, left, [{"b"}], 5, 4))


@given(measured())
def test_every_count_is_that_of_the_sets(case):
    before, after, sensitive, min_supports = case
    sigma, sigma_after = count_of(min_supports[0], len(before)), count_of(min_supports[0], len(after))
    then, now = oracle.found(before, sigma), oracle.found(after, sigma_after)
    sets = [then, now, then & now]
    counts = [*map(len, sets), *(len(oracle.restricted(one, sensitive)) for one in sets)]
    found = measure_hiding(Transactions(before), Transactions(after), sensitive, min_support=min_supports[0])
    assert [sigma, *counts, sum(map(len, before)), sum(map(len, after))] == list(found)


@given(few(), st.sampled_from(PAPERS))
def test_what_is_measured_of_hidden_rows_is_measured_of_their_transactions(rows, method):
    itemsets = [itemset for itemset in oracle.found(rows, 1) if len(itemset) > 1][:3]
    assume(itemsets)
    hidden = hide(rows, itemsets, method=method, disclosure="50%")
    direct = measure_hiding(hidden.rows, hidden.transactions, itemsets, min_support=2)
    assert direct == hidden.measures(2)


@pytest.mark.parametrize(("rows", "undefined"), [([], 4), ([[]], 4), ([["a"]], 1), ([["b"]], 1), ([["a", "b"]], 0)])
def test_a_share_of_nothing_is_zero_and_named(rows, undefined):
    found = measure_hiding(Transactions(rows), Transactions(rows), [["a"]], min_support=1)
    assert len(found.undefined) == undefined
    assert all(getattr(found, name) == 0 for name in found.undefined)


def test_zero_percent_means_what_a_row_holds():
    old, new = Transactions([["a", "b"], ["a"]]), Transactions([["a"], ["a"]])
    one = measure_hiding(old, new, [["a", "b"]], min_support=1)
    assert (
        one
        == measure_hiding(old, new, [["a", "b"]], min_support="0%")
        == measure_hiding(old, new, [["a", "b"]], min_support=0.0)
    )


@pytest.mark.parametrize("wrong", [-1, "110%", "many", True])
def test_a_minimum_support_that_means_nothing_is_refused(wrong):
    with pytest.raises(ThresholdError, match="min support"):
        measure_hiding(Transactions([["a"]]), Transactions([["a"]]), [["a"]], min_support=wrong)


def test_a_yardstick_without_a_minimum_support_is_refused():
    with pytest.raises(ThresholdError, match="give at least one"):
        Yardstick.of(Transactions([["a"]]), [["a"]], [])


def test_too_many_itemsets_end_in_one_sentence():
    rows = Transactions([list(range(20))] * 2)
    with pytest.raises(BudgetError, match=r"too many to be compared one by one .*min_support"):
        measure_hiding(rows, rows, [[0, 1]], min_support=1, max_patterns=1000)


@given(measured(), st.fractions(0, 1, max_denominator=20))
def test_ghost_rules_are_those_that_hold_only_after(case, confidence):
    before, after, _, (min_support, *_) = case
    then = oracle.rules(before, count_of(min_support, len(before)), confidence)
    now = oracle.rules(after, count_of(min_support, len(after)), confidence)
    found = count_ghost_rules(
        Transactions(before), Transactions(after), min_support=min_support, min_confidence=confidence
    )
    assert (len(then), len(now), len(now - then)) == (found.before, found.after, found.ghosts)


def test_removing_an_item_can_raise_a_ghost():
    before, after = Transactions([["a", "b"], ["a"]]), Transactions([["a", "b"], []])
    assert count_ghost_rules(before, after, min_support=1, min_confidence=0.75)[2:] == (1, 2, 1)


def test_a_confidence_is_exact_where_floats_are_not():
    rows = Transactions([["a", "b"]] * 7 + [["a"]] * 18)
    assert count_ghost_rules(rows, rows, min_support=1, min_confidence=0.28).before == 2
    assert count_ghost_rules(rows, rows, min_support=1, min_confidence="28.0000000000000000000001%").before == 1


@pytest.mark.parametrize("wrong", [1.5, -1, "most"])
def test_a_confidence_that_means_nothing_is_refused(wrong):
    with pytest.raises(ThresholdError, match="min confidence is"):
        count_ghost_rules(Transactions([["a"]]), Transactions([["a"]]), min_support=1, min_confidence=wrong)


@given(databases(max_rows=12, max_items=5), st.lists(st.sampled_from([0, "25%", 0.5, 1]), min_size=1, max_size=2))
def test_a_comparison_measures_what_each_method_makes(rows, disclosures):
    itemsets = [itemset for itemset in oracle.found(rows, 1) if len(itemset) > 1][:3]
    assume(itemsets)
    comparison = compare_hiding(rows, itemsets, min_supports=[2, "0%"], disclosures=disclosures, methods=PAPERS)
    assert len(comparison.lines) == len(PAPERS) * len(disclosures)
    for line in comparison.lines:
        hidden = hide(rows, itemsets, method=line.method, disclosure=line.disclosure)
        assert (hidden.rows_touched, hidden.items_removed) == (line.rows_touched, line.items_removed)
        for sigma, found in zip((2, 1), line.measures, strict=True):
            assert expected(rows, list(hidden.transactions), itemsets, sigma) == told(found)


def line(method, missed, *, restricted=0, removed=5, disclosure=0):
    """A line of a comparison at one minimum support: 10 itemsets, 4 of them restricted."""
    found = Hiding(2, 10, 6 - missed + restricted, 6 - missed + restricted, 4, restricted, restricted, 20, 20 - removed)
    return MethodLine(method, Fraction(disclosure), 0.1, 3, removed, (found,))


def best(*lines):
    return HidingComparison(8, 2, (2,), 2, lines)


def test_the_best_misses_least_of_those_that_hide_all():
    comparison = best(line("naive", 4), line("minfia", 1, restricted=1), line("iga", 2), line("maxfia", 3))
    assert comparison.best.method == "iga"
    assert comparison.recommendation == (
        "Take iga at a disclosure of 0%: at a minimum support of 2 rows it hides all of the 4 restricted itemsets and "
        "loses 33.3% of the others; the next is maxfia with 50%."
    )


def test_of_those_that_miss_as_many_the_best_removes_the_fewest_items():
    assert best(line("naive", 2), line("iga", 2, removed=3)).best.method == "iga"


def test_where_nothing_hides_all_a_lower_disclosure_is_recommended():
    comparison = best(line("iga", 0, restricted=1, disclosure=1))
    assert comparison.best is None
    assert "lower the disclosure" in comparison.recommendation


def test_where_nothing_is_restricted_nothing_needs_to_be_hidden():
    comparison = compare_hiding(ROWS, [["a", "b", "c", "d"]], min_supports=[2], methods=["iga"])
    assert "Nothing needs to be hidden" in comparison.recommendation


def test_below_a_support_disclosures_do_not_matter():
    comparison = compare_hiding(ROWS, [["a", "b"]], min_supports=[2], below=2, disclosures=[0, 0.5], methods=PAPERS)
    assert [(line.method, line.disclosure) for line in comparison.lines] == [(method, None) for method in PAPERS]
    assert all(line.measures[0].restricted_after == 0 for line in comparison.lines)


def test_all_methods_have_the_same_goal_and_lines_are_what_hide_does():
    sensitive, shares = [["a", "b"], ["a", "c"]], [Fraction(0), Fraction(1, 2)]
    comparison = compare_hiding(ROWS, sensitive, min_supports=[3, 2], disclosures=[0, "50%"])
    expected = [
        (method, share, hide(ROWS, sensitive, method=method, disclosure=share, min_support=2))
        for method in METHODS
        for share in shares
    ]
    assert [(line.method, line.disclosure) for line in comparison.lines] == [one[:2] for one in expected]
    assert [line.items_removed for line in comparison.lines] == [hidden.items_removed for *_, hidden in expected]
    assert [line.measures[1] for line in comparison.lines] == [hidden.measures(2) for *_, hidden in expected]
    assert comparison.below is None
    marks = re.findall(rb'd="([^"]*)" fill="(#[^"]*)"', report.hiding_comparison_svg(comparison))
    assert len(set(marks)) == 7  # each method has its own


def test_what_does_not_fit_the_budget_is_left_out_and_said(monkeypatch):
    measure = Yardstick.measure

    def limited(self, after):
        if after.support(["b"]) < 5:
            raise BudgetError("too many")
        return measure(self, after)

    monkeypatch.setattr(Yardstick, "measure", limited)
    comparison = compare_hiding(ROWS, [["a", "b"]], min_supports=[1], methods=["maxfia", "naive"])
    assert [line.left_out for line in comparison.lines] == ["", "too many"]
    text = "\n".join(report.hiding_comparison_text(comparison))
    assert "naive (to 0%) was left out: too many." in text
    assert json.loads(b"".join(report.hiding_comparison_json(comparison)))["lines"][1]["left_out"] == "too many"


def test_where_nothing_fits_it_is_an_error(monkeypatch):
    def refuse(*_):
        raise BudgetError("too many")

    monkeypatch.setattr(Yardstick, "measure", refuse)
    with pytest.raises(BudgetError, match=r"no method fits the limits \(too many\)"):
        compare_hiding(ROWS, [["a", "b"]], min_supports=[1], methods=["maxfia"])


def test_an_unknown_method_is_refused():
    with pytest.raises(OptionError, match="it must be one of naive"):
        compare_hiding(ROWS, [["a", "b"]], min_supports=[1], methods=["magic"])


def test_a_comparison_is_told_as_text_json_and_chart():
    comparison = compare_hiding(
        ROWS, [["a", "b"], ["a", "c"]], min_supports=[1, 3], disclosures=[0, "50%"], methods=PAPERS
    )
    text = "\n".join(report.hiding_comparison_text(comparison))
    assert text.startswith("2 sensitive itemsets in 6 rows.")
    assert text.count("hiding failure") == 2
    assert comparison.recommendation in " ".join(text.split())
    facts = json.loads(b"".join(report.hiding_comparison_json(comparison)))
    assert [len(one["measures"]) for one in facts["lines"]] == [2] * 8
    assert facts["lines"][1]["disclosure"] == "1/2"
    assert facts["best"] == comparison.lines.index(comparison.best)
    svg = report.hiding_comparison_svg(comparison)
    expat.ParserCreate().Parse(svg, True)  # noqa: FBT003 - as in expat
    assert svg.count(b"<polyline") == 2 * len(PAPERS)


def test_a_report_names_no_item():
    rows = [[f"secret-{letter}" for letter in row] for row in ROWS]
    comparison = compare_hiding(rows, [rows[0][:2]], min_supports=[1], methods=["iga"])
    told = "".join(report.hiding_comparison_text(comparison)).encode() + report.hiding_comparison_svg(comparison)
    assert b"secret" not in told + b"".join(report.hiding_comparison_json(comparison))


def test_a_comparison_tells_its_progress_by_lines():
    seen = []
    rows = [["a", "b", "c"], ["a", "b"], ["b", "c"], ["c"]]
    compare_hiding(
        rows,
        [["a", "b"]],
        min_supports=[1],
        methods=["minfia", "maxfia"],
        progress=lambda share, done: seen.append((share, done)),
    )
    assert seen == [(0.0, 0), (0.5, 1)]
