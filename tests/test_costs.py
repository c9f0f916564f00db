"""Costs: what a release changes of n, items, shares and rules; told, recounted, and weighed against each other."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import oracle
import pytest
import recount
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import databases, detected_databases, mined_databases

from discreet import Patterns, advise, block, compare, mine, write_patterns
from discreet.blocking import costs as module
from discreet.blocking.comparison import find_richer
from discreet.blocking.costs import Shift, costs
from discreet.cli import main
from discreet.data.generate import clinic

KINDS = pytest.mark.parametrize(
    "kinds", [(one, other) for one in ("closed", "frequent") for other in ("closed", "frequent")]
)
METHODS = ["suppress", "add", "withhold", "optimal"]
CHANGES = ("item_rows", "items", "shares", "confidences", "lifts")
pairs = partial(databases, max_rows=12, max_items=5)


def approximately(change):
    return Shift(*change[:2], *(pytest.approx(float(one), rel=1e-9, abs=1e-12) for one in change[2:]))


def listed(family, n, sigma, kind):
    """Return a list as others hand it over: with labels of its own."""
    return Patterns.from_itemsets(family.items(), n=n, min_support=sigma, kind=kind)


# What is told is what is defined.


@KINDS
@settings(max_examples=150)
@given(before=pairs(), after=pairs(), sigmas=st.tuples(st.integers(1, 6), st.integers(1, 6)))
def test_the_costs_of_any_two_lists_are_those_of_the_definition(kinds, before, after, sigmas):
    families = [oracle.frequent(rows, sigma) for rows, sigma in zip((before, after), sigmas, strict=True)]
    lists = [
        listed(oracle.KINDS[kind](rows, sigma), len(rows), sigma, kind)
        for rows, sigma, kind in zip((before, after), sigmas, kinds, strict=True)
    ]
    found = costs(*lists)
    expected = oracle.costs(*families, len(before), len(after))
    assert [getattr(found, name) for name in CHANGES] == [approximately(change) for change in expected]
    assert (found.n_before, found.n_after, found.longest_rule) == (len(before), len(after), None)


@settings(max_examples=100)
@given(before=pairs(), after=pairs(), sigma=st.integers(1, 4))
def test_the_worst_item_is_one_whose_share_changes_most(before, after, sigma):
    lists = [mine(rows, min_support=sigma) for rows in (before, after)]
    found = costs(*lists)
    families = [oracle.frequent(rows, sigma) for rows in (before, after)]
    moved = {
        item: abs(families[1][item] / len(after) - families[0][item] / len(before))
        for item in families[0].keys() & families[1].keys()
        if len(item) == 1
    }
    worst = {label for [label] in (item for item in moved if 0 < moved[item] == pytest.approx(max(moved.values())))}
    assert found.worst_item in (worst or {None})


@given(case=mined_databases(pairs))
def test_a_list_costs_nothing_beside_itself(case):
    rows, min_support, _ = case
    patterns = mine(rows, min_support=min_support)
    found = costs(patterns, patterns)
    assert {(one.lost, one.average, one.largest) for one in (getattr(found, name) for name in CHANGES)} == {(0, 0, 0)}
    assert found.worst_item is None


@settings(max_examples=100)
@given(
    before=pairs(),
    after=pairs(),
    sigma=st.integers(1, 3),
    most=st.integers(1, 20),
    kind=st.sampled_from(["closed", "frequent"]),
)
def test_if_there_are_too_many_itemsets_the_rules_of_the_short_ones_are_compared(before, after, sigma, most, kind):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_ITEMSETS", most)
        found = costs(mine(before, min_support=sigma, kind=kind), mine(after, min_support=sigma, kind=kind))
    families = [oracle.frequent(rows, sigma) for rows in (before, after)]
    lengths = sorted(map(len, families[0]))
    fitting = [length for length in range(2, 6) if sum(each <= length for each in lengths) <= most]
    cut = None if len(lengths) <= most else max(fitting, default=1)
    assert found.longest_rule == cut
    short = {one: held for one, held in families[0].items() if len(one) <= (cut or 5)}
    expected = oracle.costs(short, families[1], len(before), len(after))
    assert [getattr(found, name) for name in CHANGES] == [approximately(change) for change in expected]


# What is told of the clinic is what a script of its own recounts from the files.


@pytest.mark.parametrize("method", METHODS)
def test_a_separate_script_recounts_the_costs_from_the_files(method, tmp_path):
    release = block(clinic(2000), min_support="5%", k=10, method=method, seconds=1)
    files = [tmp_path / "before.json", tmp_path / "after.json"]
    for patterns, file in zip((release.original, release.patterns), files, strict=True):
        write_patterns(patterns, file)
    script = [sys.executable, "-I", Path(recount.__file__), *files]
    told = json.loads(subprocess.run(script, check=True, capture_output=True, text=True).stdout)
    found = release.costs
    assert (found.n_before, found.n_after, found.itemsets.lost) == (told["n_before"], told["n_after"], told["lost"])
    for name in CHANGES:
        change = getattr(found, name)
        assert (change.average, change.largest) == pytest.approx((told[name]["average"], told[name]["largest"]))


def test_the_command_line_tells_the_costs_in_words_and_as_json(tmp_path, capsys):
    file = tmp_path / "clinic.csv"
    file.write_text("\n".join(",".join(sorted(row)) for row in clinic(2000)) + "\n", encoding="utf-8")
    asked = ["block", str(file), "--min-support", "5%", "-k", "10", "--method", "add"]
    with pytest.raises(SystemExit):
        main(asked)
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "single items 30 before: 0 were left out. Those published change by 59.3 rows (13.6%) on average, and" in shown
    )
    assert "shares of n Those published change by 4 points on average, and by at most 11.6 points (female)." in shown
    with pytest.raises(SystemExit):
        main([*asked, "--json"])
    told = json.loads(capsys.readouterr().out)["costs"]
    found = block(clinic(2000), min_support="5%", k=10, method="add").costs
    assert told["shares"] == found.shares._asdict()
    assert (told["n_before"], told["n_after"], told["worst_item"]) == (2000, 2800, "female")


# Which method to take.


@settings(max_examples=30)
@given(case=detected_databases(partial(databases, max_rows=12, max_items=3)))
def test_only_a_release_that_may_be_published_is_recommended(case):
    rows, sigma, k = case
    found = compare(rows, min_support=sigma, k=k, seconds=0.2)
    verdicts = {one.name: one.release.verdict for one in found.lines if one.release is not None}
    assert found.best.verdict == min(verdicts.values())
    assert verdicts.get(found.best_name, min(verdicts.values())) == min(verdicts.values())
    assert (found.best_name is None) is (min(verdicts.values()) != "RELEASE")


FEW = [[*"abcd", *more] for more in ("", "e", "f", "ef") for _ in range(25)] + [["e"], ["f"]]
"""Rows of which "withhold" leaves little: nearly everybody has a, b, c and d."""


def test_exact_numbers_win_over_invented_rows():
    found = compare(clinic(2000), min_support="5%", k=10, seconds=0.5)
    assert found.best_name == found.best.method == "withhold"
    told = "Recommended: leave out revealing combinations (withhold). Every published number is exact, no row is"
    assert found.recommendation.startswith(f"{told} removed or invented, and it keeps 242 of 334 itemsets. To keep all")
    assert found.best.reason == found.recommendation


def test_a_comparison_and_the_advice_name_the_same_way_to_keep_more():
    asked = {"min_support": "5%", "k": 10}
    advised, compared = advise(clinic(2000), **asked), compare(clinic(2000), **asked, seconds=0.5)
    told = "To keep all 334, add rows to small groups, shared between groups; but that invents 590 rows: n becomes"
    assert f" {told} 2,590" in advised.recommendation
    expected = advised.recommendation.partition("To keep")[2]
    assert compared.recommendation.partition("To keep")[2].replace(" (add, merged)", "") == expected


def test_of_ways_that_keep_as_much_the_one_that_touches_the_fewest_rows_is_named():
    class Way(NamedTuple):
        kept: int
        rows_touched: int

    ways = [Way(8, 0), Way(9, 7), Way(9, 5), Way(9, 6)]
    assert find_richer(ways, 8) == Way(9, 5)
    assert find_richer(ways, 9) is None


def test_exact_numbers_lose_if_they_are_less_than_half_of_what_another_method_keeps():
    found = compare(FEW, min_support=10, k=10, seconds=0.5)
    kept = {line.name: line.release.distortion.itemsets - line.release.distortion.lost for line in found.lines}
    assert kept["withhold"] * 2 < kept[found.best_name]
    assert "withhold, which changes no row, keeps only 4 of 64 itemsets, less than half" in found.recommendation


def test_against_an_attacker_who_infers_no_list_with_gaps_is_taken():
    found = compare(clinic(2000), min_support="5%", k=10, seconds=0.5, against="derive")
    assert found.best.is_whole
    assert found.recommendation.endswith("readers who know the method that the rows were not safe.")


def test_rows_that_are_safe_are_published_as_they_are():
    found = compare(clinic(2000), min_support="25%", k=10, seconds=0.5)
    assert found.best.is_whole
    assert found.recommendation.startswith("Nothing needs to be changed")


def test_if_no_method_ends_in_release_the_reason_is_said_and_nothing_recommended():
    found = compare([["a"]] * 20 + [[]] * 20, min_support=10, k=10, seconds=0.5)
    assert found.best_name is None
    assert found.recommendation.startswith("No method ends in RELEASE. suppress ends in REVIEW: ")
    assert found.recommendation.endswith(". Nothing is recommended.")
    assert repr(found).endswith("none may be published>")
