"""``discreet attack``, and ``block --against``: what they show, what they write, and how they end."""

import json

import pytest
from click.testing import CliRunner
from test_cli import assert_refused, shown_on_a_terminal

import discreet
from discreet.cli import main

DERIVABLE = [list(row) for row in ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"]]
"""E1 of the theory: no channel for k = 2 at a minimum support of 3, but sup(abc) is 1."""
SAFE = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10


def run(*arguments, **options):
    return CliRunner().invoke(main, [*map(str, arguments)], **options)


def one_line(result):
    return " ".join(result.stdout.split())


@pytest.fixture
def patterns(tmp_path):
    path = tmp_path / "patterns.json"
    discreet.write_patterns(discreet.mine(DERIVABLE, min_support=3), path)
    return path


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    discreet.write(discreet.Transactions(DERIVABLE), path)
    return path


@pytest.mark.parametrize("level", ["derive", "linear", "exact"])
def test_what_is_inferred_is_told_with_its_reason(patterns, level):
    result = run("attack", patterns, "-k", 2, "--level", level)
    assert result.exit_code == 1
    assert "1 inference about fewer than 2 rows" in one_line(result)
    assert "sup(abc) is 1, because sup(ab) 3 + sup(ac) 3 − sup(a) 5 = 1 and" in one_line(result)


def test_a_weaker_attacker_finds_nothing(patterns):
    result = run("attack", patterns, "-k", 2, "--level", "plain")
    assert (result.exit_code, "nothing is inferred" in one_line(result)) == (0, True)


def test_what_is_safe_ends_with_0(tmp_path):
    discreet.write(discreet.Transactions(SAFE), tmp_path / "safe.csv")
    assert run("attack", tmp_path / "safe.csv", "--min-support", 10, "-k", 10).exit_code == 0


def test_json_has_what_proves_each_finding(patterns):
    told = json.loads(run("attack", patterns, "-k", 2, "--level", "derive", "--json").stdout)
    [finding] = told["findings"]
    assert (finding["pattern"], finding["low"], finding["high"]) == ("a ∧ b ∧ c", 1, 1)
    assert (finding["lower"], finding["upper"]) == ({"beside": [["a"]]}, {"beside": [[]]})
    assert (told["is_safe"], told["complete"], told["derived"]) == (False, True, 1)


def test_a_list_that_is_not_complete_tells_less(tmp_path):
    rows = [list(row) for row in ["ab"] * 2 + ["ac"] * 2 + ["bc"] * 3 + ["abc"]]
    discreet.write_patterns(discreet.mine(rows, min_support=4), tmp_path / "e2.json")
    assert run("attack", tmp_path / "e2.json", "-k", 2).exit_code == 1
    assert run("attack", tmp_path / "e2.json", "-k", 2, "--partial").exit_code == 0


@pytest.mark.parametrize(("pattern", "limits", "code"), [("a & b & c", (1, 1), 1), ("a & ~b", (2, 2), 0)])
def test_the_limits_of_one_pattern_can_be_asked_for(patterns, pattern, limits, code):
    result = run("attack", patterns, "-k", 2, "--pattern", pattern, "--json")
    told = json.loads(result.stdout)
    assert ((told["low"], told["high"]), result.exit_code) == (limits, code)
    assert "because" in run("attack", patterns, "-k", 2, "--pattern", pattern).stdout


def test_a_terminal_shows_the_first_findings_and_says_how_many_there_are(tmp_path):
    discreet.write_patterns(
        discreet.mine(discreet.data.generate.clinic(600, seed=1), min_support="5%"), tmp_path / "c.json"
    )
    shown = shown_on_a_terminal("attack", str(tmp_path / "c.json"), "-k", "10", "--level", "derive")
    assert "more; a pipe, --out or --json gets all of them" in shown


def test_seconds_that_do_not_suffice_leave_something_undecided(tmp_path):
    rows = discreet.data.generate.quest(500, items=40, patterns=30, length=8, seed=2)
    discreet.write(rows, tmp_path / "rows.dat")
    result = run("attack", tmp_path / "rows.dat", "--min-support", "10%", "-k", 2, "--seconds", "0.000001")
    assert (result.exit_code, "Undecided, so not safe" in one_line(result)) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--pattern", "a & zz"], "of which nothing is published"),
        (["--pattern", "a &"], "column"),
        (["--level", "magic"], "--level is 'magic'; give one of plain"),
        (["--seconds", "0"], "seconds"),
    ],
)
def test_wrong_usage_is_one_sentence(patterns, arguments, sentence):
    assert_refused(run("attack", patterns, "-k", 2, *arguments), sentence)


@pytest.mark.parametrize("method", ["suppress", "add", "optimal"])
def test_block_withstands_whom_it_is_against(rows, tmp_path, method):
    options = ["--min-support", 3, "-k", 2, "--method", method]
    plain = run("block", rows, "--format", "baskets", *options, "--against", "plain", "--out", tmp_path / "plain")
    assert plain.exit_code == 0
    assert run("attack", tmp_path / "plain" / "patterns.json", "-k", 2).exit_code == 1
    safe = run("block", rows, "--format", "baskets", *options, "--against", "derive", "--out", tmp_path / "safe")
    assert safe.exit_code == 0
    assert 'the attacker "derive" finds nothing in them' in one_line(safe)
    assert run("attack", tmp_path / "safe" / "patterns.json", "-k", 2, "--level", "derive").exit_code == 0
    assert run("verify", tmp_path / "safe").exit_code == 0


def test_methods_are_compared_against_an_attacker(rows):
    result = run("block", rows, "--format", "baskets", "--min-support", 3, "-k", 2, "--against", "derive", "--compare")
    assert result.exit_code == 0
    assert 'those that are not listed ("derive") finds nothing in any of them.' in one_line(result)


# Older releases.


@pytest.fixture
def months(tmp_path):
    """Patterns of two months: 8 or 9 rows hold both a and b in the first, where that is not listed, and 12 do later."""
    april = [["a", "b"]] * 9 + [["a"]] * 15 + [["b"]] * 15 + [[]]
    may = [["a", "b"]] * 12 + [["a"]] * 22 + [["b"]] * 22 + [[]] * 5
    for name, rows in (("april", april), ("may", may)):
        discreet.write_patterns(discreet.mine(rows, min_support=10), tmp_path / f"{name}.json")
    discreet.write(discreet.Transactions(may), tmp_path / "may.csv")
    return tmp_path


def test_an_attacker_may_have_an_older_release(months):
    against = ["--against", months / "april.json", "--grown"]
    assert [run("attack", months / f"{name}.json", "-k", 5).exit_code for name in ("april", "may")] == [0, 0]
    assert run("audit", months / "may.json", "-k", 5, *against).exit_code == 0
    result = run("attack", months / "may.json", "-k", 5, *against)
    assert result.exit_code == 1
    assert "may.json and april.json: 1 inference about fewer than 5 rows" in one_line(result)
    assert "a ∧ b, of the rows that came since, holds for 3 to 4 rows, because" in one_line(result)
    assert "that the 40 rows of older release 1 are among them" in one_line(result)


def test_rows_may_be_mined_and_attacked_beside_an_older_release(months):
    mined = [months / "may.csv", "--min-support", 10, "--empty-rows"]
    assert run("attack", *mined, "-k", 5, "--against", months / "april.json", "--grown").exit_code == 1
    assert run("attack", *mined, "-k", 5, "--against", months / "may.json").exit_code == 0


def test_json_names_the_older_releases_and_what_stands_for_their_rows(months):
    against = ["--against", months / "april.json", "--grown", "--json"]
    told = json.loads(run("attack", months / "may.json", "-k", 5, *against).stdout)
    assert [one["file"] for one in told["against"]] == ["april.json"]
    assert told["marks"] == [{"item": "before", "release": 1, "n": 40, "absent": 9}]
    [finding] = told["findings"]
    assert (finding["over"], finding["cells"]) == (["a", "b", "before"], [["a", "b"]])
    asked = run("attack", months / "may.json", "-k", 5, "--pattern", "a & b & ~before", *against)
    limits = json.loads(asked.stdout)
    assert (limits["low"], limits["high"], asked.exit_code) == (3, 4, 1)
    alone = json.loads(run("attack", months / "may.json", "-k", 5, "--json").stdout)
    assert {"against", "marks"}.isdisjoint(alone)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--grown"], "--against"),
        (["--against", "april.json"], "or say --grown if rows were added; if they leave out"),
        (["--against", "none.json"], "none.json"),
    ],
)
def test_wrong_older_releases_are_refused_in_one_sentence(months, monkeypatch, arguments, sentence):
    monkeypatch.chdir(months)
    assert_refused(run("attack", "may.json", "-k", 5, *arguments), sentence)


# Shared rows.

BASKETS = [["bread"], ["milk"], ["tea"], ["bread", "tea"], ["milk", "tea"], []] * 10


@pytest.fixture
def shared(tmp_path):
    (tmp_path / "secret.txt").write_text("bread, milk\n", encoding="utf-8")
    discreet.write([row for row in BASKETS if row], tmp_path / "shared.csv")
    return tmp_path / "shared.csv"


def test_without_k_the_itemsets_of_rows_are_ranked(shared):
    result = run("attack", shared)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:4] == [
        "shared.csv:",
        "3 itemsets of 50 rows looked at: those that their parts lead one to expect in 5 rows or more.",
        "Rarer than expected, of 3 itemsets of 2 items:",
        "  1  bread, milk: 0 rows, 8.0 expected",
    ]


def test_the_owner_sees_the_ranks_of_what_was_hidden(shared):
    secret = shared.with_name("secret.txt")
    result = run("attack", shared, "--sensitive", secret, "--max-length", 2)
    assert "Hidden itemset 1 (2 items): rank 1 of 3." in result.stdout.splitlines()
    found = json.loads(run("attack", shared, "--sensitive", secret, "--json", "--min-support", "15%").stdout)
    assert (found["report"], found["min_support"], found["hidden"][0]["rank"]) == ("suspicion", 8, 1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--level", "exact"], "--level is for groups of few rows: give -k as well"),
        (["--partial"], "--partial is for groups of few rows"),
        (["--pattern", "bread"], "--pattern is for groups of few rows"),
        (["--seconds", "5"], "--seconds is for groups of few rows"),
        (["--max-length", "9"], "from 2 to 6"),
        (["-k", "5", "--min-support", "5", "--sensitive", "secret.txt"], "--sensitive is for shared rows"),
        (["--sensitive", "none.txt"], "none.txt"),
    ],
)
def test_what_means_nothing_to_shared_rows_is_refused(shared, options, words, monkeypatch):
    monkeypatch.chdir(shared.parent)
    assert_refused(run("attack", "shared.csv", *options), words)


def test_patterns_without_k_are_refused_with_advice(patterns):
    assert_refused(run("attack", patterns), "if FILE holds patterns, not shared rows, give -k")
