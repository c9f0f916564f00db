"""Advice: each remedy is tried for real, its command does what its line says, and the causes add up."""

import json
import shlex
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import OptionError, Transactions, Verdict, advise, audit, block, compare, read, write
from discreet.blocking.beside import read_release
from discreet.blocking.blockers import METHODS
from discreet.blocking.costs import costs
from discreet.cli import main
from discreet.data.generate import clinic as make_clinic

K = 10


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    place = tmp_path_factory.mktemp("advice") / "clinic.csv"
    write(list(make_clinic(2000)), place)
    return place


def run(*words):
    return CliRunner().invoke(main, list(map(str, words)))


def recount(rows, remedy, **asked):
    release = block(rows, **{**asked, **remedy.options})
    return release.verdict, release.patterns.n, dict(release.patterns)


small = st.lists(st.frozensets(st.sampled_from(["sex=f", "sex=m", "ill", "old"]), max_size=4), min_size=10, max_size=40)


@settings(max_examples=40)
@given(small, st.integers(2, 4), st.integers(2, 6))
def test_what_a_remedy_says_is_what_block_does_with_its_options(rows, k, least):
    asked = {"min_support": least, "k": k}
    data = Transactions(sorted(map(sorted, rows)))
    for remedy in advise(data, **asked).remedies:
        release = remedy.release
        assert (release.verdict, release.patterns.n, dict(release.patterns)) == recount(data, remedy, **asked)


def test_nothing_is_recommended_that_is_not_safe_or_leaves_nothing():
    few = advise([["a"]] * 9 + [["b"]] * 3, min_support=2, k=10)
    assert (few.best.options, few.best.kept) == ({"method": "add", "merge": True}, 3)
    unsafe = [one for one in few.remedies if one.verdict is not Verdict.RELEASE]
    assert [replace(few, remedies=(one,)).best for one in unsafe] == [None] * len(unsafe) != []
    assert compare([["a"]] * 9 + [["b"]] * 3, min_support=2, k=10).best.method == "add"
    empty = advise([["a", "b"]] * 9, min_support=2, k=10)
    assert (empty.remedies[0].verdict, empty.best) == (Verdict.REVIEW, None)  # k is more than all rows
    assert empty.recommendation.startswith("Nothing that was tried ends in RELEASE.")


@settings(max_examples=40)
@given(small, st.integers(2, 4), st.integers(2, 6))
def test_shares_of_items_and_of_attributes_each_add_up_to_the_findings(rows, k, least):
    data = Transactions(sorted(map(sorted, rows)))
    advice = advise(data, min_support=least, k=k)
    about = [one.who.has.union(*one.who.lacks) for one in advice.audit.findings if one.kind != "channel"]
    about += [channel.top for channel in advice.audit.channels]
    expected = Fraction(sum(map(bool, about)))
    assert sum((cause.share for cause in advice.items), Fraction()) == expected
    for cause in advice.items:
        assert cause.findings == sum(cause.name in items for items in about)
    named = [{str(label).partition("=")[0] for label in items} for items in about]
    by_name = {cause.name: cause for cause in advice.attributes}
    assert sum((cause.share for cause in by_name.values()), Fraction()) == (expected if by_name else 0)
    for name, cause in by_name.items():
        assert cause.findings == sum(name in names for names in named)


@pytest.mark.parametrize("asked", [{"k": K}, {"policy": "acro"}, {"k": K, "max_length": 3}])
def test_remedies_are_ordered_by_verdict_and_by_how_much_is_true(asked):
    advice = advise(make_clinic(2000), min_support="5%", **asked)
    verdicts = [remedy.verdict for remedy in advice.remedies if not remedy.left_out]
    assert verdicts == sorted(verdicts)
    assert advice.best.verdict is Verdict.RELEASE
    assert "Best: " in advice.recommendation
    methods = [one.options["method"] for one in advice.remedies if set(one.options) <= {"method", "merge"}]
    quick = [name for name, blocker in METHODS.items() if not blocker.is_search]
    best = compare(make_clinic(2000), min_support="5%", methods=quick, **asked).best
    assert best.method == methods[0]


def test_what_is_safe_already_is_advised_to_be_published_as_it_is():
    rows = [["a", "b"]] * 50 + [["a"]] * 50 + [["b"]] * 50
    advice = advise(rows, min_support=20, k=5)
    assert (advice.audit.verdict, [one.what for one in advice.remedies]) == (Verdict.RELEASE, ["publish it as it is"])
    assert advice.recommendation.startswith("Nothing needs to be done")


@pytest.mark.parametrize("rule", [["-k", K], ["--policy", "acro"], ["--policy", "opensafely"]])
def test_the_command_that_is_printed_does_what_its_line_says(file, tmp_path, monkeypatch, rule):
    monkeypatch.chdir(tmp_path)
    told = run("advise", file, "--min-support", "5%", *rule, "--leave-out", "metformin", "--json")
    assert told.exit_code == 0
    facts = json.loads(told.stdout)
    best = facts["remedies"][facts["best"]]
    words = shlex.split(best["command"])
    assert words[:2] == ["discreet", "block"]
    assert run(*words[1:]).exit_code == 0
    made = json.loads((tmp_path / "release" / "release.json").read_text(encoding="utf-8"))
    assert (made["n"], made["frequent"]) == (best["costs"]["n_after"], best["kept"])
    assert run("verify", "release").exit_code == 0


def test_the_terminal_shows_causes_remedies_and_the_command(file):
    shown = run("advise", file, "--min-support", "5%", "-k", K).stdout
    assert "The items that 164 findings are about:" in shown
    assert "leave out revealing combinations" in shown
    assert f"discreet block {file} -k 10 --min-support 5% --method withhold --out release" in shown


def test_tables_are_advised_by_column(tmp_path):
    lines = ["sex,smoker,ill"]
    lines += ["f,yes,no"] * 50 + ["f,no,no"] * 50 + ["m,yes,no"] * 50 + ["m,no,yes"] * 3 + ["m,no,no"] * 40
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = read(tmp_path / "people.csv", format="table")
    advice = advise(rows, min_support=20, k=K)
    assert advice.audit.verdict is Verdict.WITHHOLD
    assert advice.attributes[0].name == "ill"
    tried = {remedy.what: remedy for remedy in advice.remedies}
    assert tried["leave out ill"].options["leave_out"] == ("ill",)
    assert audit(tried["leave out ill"].release.patterns, k=K).verdict is Verdict.RELEASE


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    place, draw = tmp_path_factory.mktemp("advice") / "people.csv", np.random.default_rng(1)
    races = draw.choice(["white", "black", "asian", "Other", "x"], 1500, p=[0.7, 0.18, 0.06, 0.04, 0.02])
    sexes = np.where((races == "asian") & (np.arange(1500) > 100), "f", draw.choice(["f", "m"], 1500))
    lines = zip(sexes, draw.integers(0, 90, 1500), races, strict=True)
    place.write_text("sex,age,race\n" + "".join(f"{sex},{age},{race}\n" for sex, age, race in lines), encoding="utf-8")
    return place


@pytest.mark.parametrize("left_out", [[], ["--leave-out", "race=asian"]])
def test_merging_does_what_its_line_says(table, tmp_path, monkeypatch, left_out):
    monkeypatch.chdir(tmp_path)
    how = ["--format", "table", "--bins", "age=15", "--min-support", 30, "-k", K]
    facts = json.loads(run("advise", table, *how, *left_out, "--json").stdout)
    asked = audit(
        read(table, format="table", bins={"age": 15}), min_support=30, k=K, leave_out=left_out[1:] or None
    ).patterns
    tried = [line for line in facts["remedies"] if "hierarchy" in line["options"]]
    names = [line["what"].partition(",")[0].split()[-1] for line in tried]
    assert set(names) == {"race", "bins"}
    for line, folder in zip(tried, names, strict=True):
        words = shlex.split(line["command"])
        assert run(*words[1:-1], folder).exit_code == 0
        patterns, made, _ = read_release(tmp_path / folder)
        found = costs(asked, patterns)
        assert (made["n"], found.itemsets.itemsets - found.itemsets.lost) == (line["costs"]["n_after"], line["kept"])
        assert found.itemsets._asdict() == line["distortion"]
        assert run("verify", folder).exit_code == 0


def test_rare_values_are_merged_under_a_free_name_and_no_longer_told_apart(table):
    rows = read(table, format="table", bins={"age": 15})
    [remedy] = (one for one in advise(rows, min_support=30, k=K).remedies if "rarest values of race" in one.what)
    gone = remedy.options["leave_out"]
    merged = {one: rows.support([one]) for one in rows.labels if one.startswith("race=")}
    least = int(remedy.options["hierarchy"][0].removeprefix("race=rare:"))
    rare = {label for label, many in merged.items() if many < least}
    assert {*gone} == {label for label in rare if merged[label] >= 30}
    published = dict(remedy.release.patterns)
    assert published[frozenset(["race=other 2"])] == sum(merged[label] for label in rare)
    assert not any(itemset & rare for itemset in published)


def test_rows_that_may_be_misread_are_not_advised_on(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\na,b,c\na\n" * 20, encoding="utf-8")
    result = run("advise", tmp_path / "rows.csv", "--min-support", 20, "-k", 5)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "may have been misread" in result.stderr


@pytest.mark.parametrize("methods", [[], ["withold"], ["add", "best"]])
def test_methods_that_are_not_there_are_not_compared(methods):
    with pytest.raises(OptionError, match="must name some of suppress, add, withhold"):
        compare([["a"]] * 20, min_support=2, k=2, methods=methods)
