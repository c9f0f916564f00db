"""Reports: everything in the JSON, little in the text, and no row in either."""

import csv
import json
import re

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import detected_databases

from discreet import Patterns, Transactions, Verdict, __version__, audit, detect, mine, report, tradeoff
from discreet.judging.policy import Policy, load

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
SOURCE = report.Source("rows.csv", "0" * 64)


def audited(case, zeros=Verdict.WITHHOLD):
    """An audit of random rows that also looks for implications."""
    rows, sigma, k = case
    return audit(rows, min_support=sigma, policy=Policy("ours", k=k, zeros=zeros))


def told(chunks):
    return json.loads(b"".join(chunks))


def texts(itemset):
    """An itemset as JSON has it, in any order: whole numbers stay, all else is text."""
    return frozenset(label if isinstance(label, int) else str(label) for label in itemset)


@settings(max_examples=50)
@given(case=detected_databases())
def test_the_json_of_an_audit_holds_every_channel(case):
    rows, sigma, k = case
    expected = {(texts(base), texts(top)): n for (base, top), n in oracle.maximal_channels(rows, sigma, k).items()}
    found = told(report.audit_json(audited(case)))["channels"]
    assert len(found) == len(expected)
    assert {(frozenset(one["base"]), frozenset(one["top"])): one["count"] for one in found} == expected


@settings(max_examples=50)
@given(case=detected_databases(), explain=st.integers(0, 5))
def test_the_worst_channels_come_with_a_sum_that_evaluates_to_their_count(case, explain):
    rows = case[0]
    found = told(report.audit_json(audited(case), explain=explain))["channels"]
    explained = [one for one in found if "sum" in one]
    smallest = sorted(one["count"] for one in found)[:explain]
    assert sorted(one["count"] for one in explained) == smallest
    for one in explained:
        assert sum(term["times"] * term["support"] for term in one["sum"]) == one["count"]
        for term in one["sum"]:
            held = [row for row in rows if set(term["items"]) <= texts(row)]
            assert len(held) == term["support"]


@settings(max_examples=50)
@given(case=detected_databases())
def test_the_json_counts_exposed_rows_by_their_smallest_channel_and_tells_no_row(case):
    smallest = [count for _, count in oracle.exposed(*case).values()]
    expected = [{"count": count, "rows": smallest.count(count)} for count in sorted(set(smallest))]
    found = told(report.audit_json(audited(case)))["exposed"]
    assert found == {"rows": len(smallest), "smallest": expected}


@settings(max_examples=50)
@given(case=detected_databases())
def test_the_json_holds_every_implication(case):
    rows, sigma, _ = case
    expected = {(texts(base), *texts([item])) for base, item in oracle.implications(rows, sigma)}
    found = told(report.audit_json(audited(case)))["implications"]
    assert {(frozenset(one["base"]), one["item"]) for one in found} == expected


@settings(max_examples=50)
@given(case=detected_databases())
def test_the_exposed_rows_are_ranked_from_the_smallest_count(case):
    expected = sorted(
        ((smallest, -many, row + 1) for row, (many, smallest) in oracle.exposed(*case).items()),
    )
    lines = b"".join(report.exposed_csv(audited(case))).decode().splitlines()
    found = [(int(one["smallest"]), -int(one["channels"]), int(one["row"])) for one in csv.DictReader(lines)]
    assert found == expected


def test_exposed_rows_go_by_their_ids_where_they_have_some():
    rows = Transactions([["a", "b"]] * 9 + [["a"]], ids=[*map(str, range(9)), 'the "last", they say'])
    lines = b"".join(report.exposed_csv(audit(rows, min_support=5, k=3))).decode().splitlines()
    assert list(csv.reader(lines)) == [["row", "id", "channels", "smallest"], ["10", 'the "last", they say', "1", "1"]]


def test_no_report_but_that_of_exposed_rows_holds_an_id():
    rows = Transactions(ROWS, ids=[f"person {number}" for number in range(100)])
    found = audit(rows, min_support=10, k=10)
    assert b"person" not in b"".join(report.audit_json(found))
    assert "person" not in "".join(report.audit_text(found))


def test_the_json_of_an_audit_says_what_was_judged_and_how():
    found = told(report.audit_json(audit(ROWS, min_support=10, policy="acro"), source=SOURCE))
    assert list(found) == [
        *("discreet", "report", "verdict", "policy", "k", "what", "input", "n", "min_support", "kind", "max_length"),
        *("itemsets", "with_rows"),
        *("is_acyclic", "exposed", "warnings", "checks", "channels", "implications", "differences"),
    ]
    acro = load("acro")
    assert found["policy"] == {
        "name": "acro",
        "k": 10,
        "zeros": "withhold",
        "round_to": None,
        "max_itemsets": None,
        "source": acro.source,
        "about": acro.about,
    }
    assert (found["discreet"], found["report"], found["verdict"]) == (__version__, "audit", "WITHHOLD")
    assert (found["n"], found["min_support"], found["kind"], found["itemsets"]) == (100, 10, "closed", 3)
    assert found["input"] == {"file": "rows.csv", "sha256": "0" * 64}
    assert {check["name"]: check["verdict"] for check in found["checks"]} == {
        "consistency": "RELEASE",
        "size": "RELEASE",
        "low counts": "RELEASE",
        "inference channels": "WITHHOLD",
        "class disclosure": "WITHHOLD",
    }


def test_what_was_not_looked_for_is_null_not_empty():
    found = told(report.audit_json(audit(ROWS, min_support=10, k=10)))
    assert found["implications"] is None
    broken = Patterns.from_itemsets([(["a", "b"], 50)], n=100)
    found = told(report.audit_json(audit(broken, k=10)))
    assert (found["channels"], found["exposed"], found["is_acyclic"]) == (None, None, None)
    assert "Inference channels could not be looked for." in found["warnings"]


@pytest.mark.parametrize(("rows", "warned"), [(ROWS, True), ([["a"]] * 20 + [["b"]] * 20, False)])
def test_a_report_of_what_is_not_released_says_to_keep_it(rows, warned):
    found = told(report.audit_json(audit(rows, min_support=10, k=10)))
    assert any("Confidential" in warning for warning in found["warnings"]) == warned


def test_the_same_rows_give_the_same_bytes():
    one, other = (b"".join(report.audit_json(audit(ROWS, min_support=10, k=10))) for _ in range(2))
    assert one == other


def test_labels_that_are_no_text_or_whole_number_are_told_by_their_text():
    rows = [[("age", 40), 2.5, np.int64(7), "half \ud800"]] * 5 + [[2.5]] * 4 + [[]]
    found = told(report.audit_json(audit(rows, min_support=4, k=5)))
    labels = {label for channel in found["channels"] for label in channel["top"]}
    assert labels == {"('age', 40)", "2.5", 7, "half \ud800"}


def test_lists_of_items_follow_the_order_of_labels_whatever_their_codes():
    rows = Transactions.from_codes(
        np.array([0, 2, 4, 6, 7, 8]), np.array([0, 1, 0, 1, 0, 1, 0, 1], np.int32), ("milk", "beer")
    )
    patterns = mine(rows, min_support=3)
    channels = detect(patterns, k=2)
    assert {tuple(one["top"]) for one in told(report.channels_json(channels, patterns))["channels"]} == {
        ("beer", "milk")
    }
    assert sorted(report.channels_text(channels)) == ["1\tbeer ∧ ¬milk", "1\tmilk ∧ ¬beer"]


@settings(max_examples=50)
@given(case=detected_databases())
def test_lines_of_channels_say_what_each_says_of_itself(case):
    rows, sigma, k = case
    channels = detect(mine(Transactions(rows), min_support=sigma), k=k)
    assert list(report.channels_text(channels)) == [f"{channel.count}\t{channel.pattern}" for channel in channels]


@settings(max_examples=50)
@given(case=detected_databases(), explain=st.integers(0, 4))
def test_the_text_of_an_audit_is_short_whatever_was_found(case, explain):
    found = audited(case)
    lines = list(report.audit_text(found, explain=explain))
    assert len(lines) <= 12 + 2 * (explain + 3)
    assert lines[0].startswith(f"{found.verdict.name}: ")
    assert [line.split()[0] for line in lines[2 : 2 + len(found.checks)]] == [
        {"RELEASE": "✓", "REVIEW": "?", "WITHHOLD": "✗"}[check.verdict.name] for check in found.checks
    ]


@pytest.mark.parametrize(
    ("rows", "many"), [([["a"]] * 20 + [["b"]] * 20, "None of 40 rows is exposed."), (ROWS, "2 of 100")]
)
def test_the_text_tells_how_many_rows_are_exposed(rows, many):
    assert any(line.startswith(many) for line in report.audit_text(audit(rows, min_support=10, k=10)))


def test_a_long_sum_is_cut_and_the_number_of_its_supports_told():
    rows = [list(range(6))] * 20 + [[item for item in range(6) if item != lacked] for lacked in range(6)] * 9
    rows += [[item] for item in range(6)] * 9 + [[]] * 2
    patterns = mine(rows, min_support=20, kind="frequent")
    channel = next(channel for channel in detect(patterns, k=3) if not channel.base)
    line = f"{channel} = {report.show_sum(channel.terms(patterns))}"
    assert re.fullmatch(r"¬0 ∧ .*: 2 rows = 130 − \d+ − \d+ − \d+ … \(\d+ supports\)", line)
    assert len(channel.terms(patterns)) > 8


def test_what_would_steer_a_terminal_is_escaped_in_every_line():
    red = "\x1b[31mred"
    rows = [[red, "b"]] * 48 + [[red]] * 2 + [[]] * 50
    lines = [
        *report.audit_text(audit(rows, min_support=10, policy="acro")),
        *report.channels_text(audit(rows, min_support=10, k=10).channels),
    ]
    assert any("\\x1b[31mred" in line for line in lines)
    assert not any("\x1b" in line for line in lines)


def test_implications_are_told_with_the_rows_they_speak_of():
    rows = [["a", "b", "c"]] * 50 + [["c"]] * 20 + [["a", "c"]] * 20 + [["b"]] * 20
    lines = list(report.audit_text(audit(rows, min_support=10, policy=Policy("ours", k=5, zeros=Verdict.REVIEW))))
    assert lines[0].startswith("REVIEW: ")
    assert "  a ⇒ c: all 70 rows" in lines


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([["a"]] * 20 + [["b"]] * 20, "a pattern of AND, OR and NOT holds for 1 to 9 rows"),
        (
            [["a", "b"]] * 20
            + [["b", "c"]] * 20
            + [["a", "c"]] * 20
            + [["a"]] * 20
            + [["b"]] * 20
            + [["c"]] * 20
            + [[]] * 20,
            "Limits on counts",
        ),
    ],
    ids=["acyclic", "a cycle"],
)
def test_release_promises_what_the_maximal_itemsets_allow(rows, words):
    found = audit(rows, min_support=20, k=10)
    assert found.verdict is Verdict.RELEASE
    assert words in " ".join(report.audit_text(found))


@pytest.mark.parametrize(("k", "words"), [(1, "no count is too small"), (2, "holds for 1 row, except")])
def test_release_speaks_of_small_k_correctly(k, words):
    assert words in " ".join(report.audit_text(audit([["a"]] * 20 + [["b"]] * 20, min_support=20, k=k)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("exposed.csv", "exposed.DO-NOT-RELEASE.csv"),
        ("a.b/exposed.csv.gz", "a.b/exposed.DO-NOT-RELEASE.csv.gz"),
        ("exposed", "exposed.DO-NOT-RELEASE"),
        (".hidden", ".hidden.DO-NOT-RELEASE"),
        ("DO-NOT-RELEASE-exposed.csv", "DO-NOT-RELEASE-exposed.csv"),
        ("DO-NOT-RELEASE/exposed.csv", "DO-NOT-RELEASE/exposed.DO-NOT-RELEASE.csv"),
    ],
)
def test_the_name_of_a_file_with_rows_says_what_it_is(name, expected):
    assert report.marked(name) == expected


GRIDS = {
    "logarithmic": tradeoff(
        [["a", "b"]] * 900 + [["a"]] * 3 + [["b"]] * 2 + [[]] * 95, min_supports=[5, 903], ks=[3, 4]
    ),
    "nothing": tradeoff([["a"]] * 20, min_supports=["10%", "20%", "50%"], ks=[2]),
    "no rows": tradeoff([], min_supports=[1, 2], ks=[2]),
    "many": tradeoff([["a", "b"]] * 6 + [["a"]] * 3, min_supports=range(1, 40), ks=range(1, 12)),
}


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_a_chart_fits_eighty_columns(grid):
    lines = list(report.chart(grid))
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 20
    assert all(any(f"k = {k}" in line for line in lines) for k in grid.ks)


def test_a_chart_puts_more_channels_higher():
    grid = tradeoff([["a", "b"]] * 6 + [["a"]] * 3 + [["b"]] * 2 + [[]] * 9, min_supports=[5, 9], ks=[4])
    assert grid.channels.tolist() == [[2], [0]]
    heights = [number for number, line in enumerate(report.chart(grid)) if "●" in line[3:] and "k =" not in line]
    left, right = (
        next(number for number, line in enumerate(report.chart(grid)) if "k =" not in line and "●" in line[part])
        for part in (slice(0, 30), slice(30, None))
    )
    assert heights == [left, right]
    assert left < right


def test_the_json_of_a_tradeoff_holds_the_grid():
    grid = tradeoff([["a", "b"]] * 6 + [["a"]] * 3 + [["b"]] * 2 + [[]] * 9, min_supports=[5, 9], ks=[2, 3, 4])
    found = told(report.tradeoff_json(grid, source=SOURCE))
    assert (found["min_supports"], found["ks"], found["itemsets"]) == ([5, 9], [2, 3, 4], [4, 2])
    assert (found["channels"], found["exposed"]) == ([[0, 1, 2], [0, 0, 0]], [[0, 2, 5], [0, 0, 0]])
    assert found["safe"] == [{"k": 2, "min_support": 5}, {"k": 3, "min_support": 7}, {"k": 4, "min_support": 7}]


def test_where_nothing_is_safe_the_tradeoff_says_so():
    grid = tradeoff([["a"]] * 3, min_supports=[1, 2], ks=[2, 10])
    assert [line for line in report.tradeoff_text(grid) if line.startswith("  k = 10:")] == ["  k = 10: at none"]


@pytest.mark.parametrize(
    ("candidate", "options", "words"),
    [
        (ROWS, {"min_support": 10}, "Make it safe with `discreet block`"),
        (mine(ROWS, min_support=10), {}, "Publish only itemsets of more support"),
        (Patterns.from_itemsets([(["a", "b"], 50)], n=100), {}, "say so with --kind"),
        (
            Patterns.from_itemsets([([], 9), (["a"], 3), (["b"], 9), (["a", "b"], 5)], n=9),
            {},
            "Get the whole list",
        ),
        ([["a", "b"]] * 20 + [[]] * 20, {"min_support": 20, "policy": "acro"}, "Look at these groups"),
        (
            [["a"]] * 20 + [["b"]] * 20,
            {"min_support": 20, "policy": Policy("p", 2, max_itemsets=1)},
            "A person must look",
        ),
    ],
    ids=["rows", "patterns", "closed for frequent", "contradiction", "implications", "length"],
)
def test_what_is_not_released_ends_with_advice(candidate, options, words):
    rule = {} if "policy" in options else {"k": 10}
    lines = list(report.audit_text(audit(candidate, **options, **rule)))
    assert words in " ".join(lines[-2:])
