"""Bounds of beliefs: a policy sends what is believed beyond them to a person, and block goes on until nothing is."""

import json
from dataclasses import replace
from io import BytesIO

import pytest
from click.testing import CliRunner

from discreet import (
    BudgetError,
    DiscreetError,
    Facts,
    OptionError,
    Patterns,
    Policy,
    ThresholdError,
    Verdict,
    audit,
    belief,
    block,
    mine,
    read_counts,
    report,
    verify,
    write_release,
)
from discreet.cli import main
from discreet.data.generate import clinic
from discreet.disclosure.beliefs.result import NO_PROOF
from discreet.judging.policy import CheckName, load
from discreet.publications.rules.reading import as_rounded

ASTHMA = [["asthma"]] * 10 + [["flu"]] * 10 + [["asthma", "flu"]] * 4 + [[]] * 16
"""14 of 40 patients have asthma, 14 have the flu; how many have both is below the minimum support of 10."""
OURS = Policy("ours", k=10, max_belief=0.9)


def checks(audited):
    return {check.name: check for check in audited.checks}


def test_a_policy_sends_what_is_nearly_certain_to_a_person():
    judged = audit(ASTHMA, min_support=10, policy=OURS)
    check = checks(judged)[CheckName.BELIEF]
    assert (judged.verdict, check.verdict) == (Verdict.REVIEW, Verdict.REVIEW)
    assert check.sentence.startswith(
        "asthma ∧ flu holds for 1 to 9 rows with a probability of 0.999, and ours allows 0.9."
    )
    assert "Prior entropy: all lists of rows that fit are equally likely." in check.sentence
    assert check.sentence.endswith(NO_PROOF)
    assert judged.sentence == (
        "This must be looked at by a person: a reader may be surer of groups of fewer than 10 people than allowed."
    )
    assert audit(ASTHMA, min_support=10, policy=replace(OURS, max_belief=1.0)).verdict is Verdict.RELEASE
    assert CheckName.BELIEF not in checks(audit(ASTHMA, min_support=10, k=10))


def test_it_is_told_in_text_json_and_report():
    judged = audit(ASTHMA, min_support=10, policy=OURS)
    text, page = " ".join("\n".join(report.audit_text(judged)).split()), judged.to_html()
    told = json.loads(b"".join(report.audit_json(judged)))
    for shown in (text, page):
        assert "with a probability of 0.999" in shown
        assert "This is no proof" in shown
    assert told["belief"]["patterns"][0]["held"] == ["asthma", "flu"]
    assert (told["belief"]["prior"], told["belief"]["is_proof"]) == ("entropy", False)


def test_limits_of_rounded_supports_are_judged_too():
    rows = [["asthma"]] * 11 + [["flu"]] * 11 + [["asthma", "flu"]] * 4 + [[]] * 14
    judged = audit(as_rounded(mine(rows, min_support=10), 5), policy=OURS)
    assert checks(judged)[CheckName.BELIEF].verdict is Verdict.REVIEW
    assert "belief needs the exact number of rows" in checks(judged)[CheckName.BELIEF].sentence
    known = Facts.from_limits([(["asthma"], 13, 17), (["flu"], 13, 17)], n=40, absent=9)
    assert "asthma ∧ flu holds for 1 to 9 rows" in checks(audit(known, policy=OURS))[CheckName.BELIEF].sentence


def test_a_bound_that_time_did_not_suffice_for_is_not_kept(monkeypatch):
    monkeypatch.setattr("discreet.judging.belief.belief", lambda *a, **b: belief(*a, **b, seconds=1e-9))
    judged = audit(ASTHMA, min_support=10, policy=replace(OURS, max_belief=1.0))
    assert judged.verdict is Verdict.REVIEW
    assert "larger combinations it is not known how sure a reader may be" in checks(judged)[CheckName.BELIEF].sentence


@pytest.mark.parametrize("method", ["withhold", "suppress"])
def test_block_goes_on_until_nothing_is_believed_beyond_the_bound(method, tmp_path):
    rows = list(clinic(1000, seed=3))
    plain, release = (block(rows, min_support="20%", k=10, method=method, max_belief=most) for most in (None, 0.95))
    assert belief(plain.patterns, k=10, complete=plain.is_whole).largest > 0.95
    found = belief(release.patterns, k=10, complete=release.is_whole)
    assert (found.beyond(0.95), found.missed) == ([], 0)
    assert 0 < len(release.patterns) < len(plain.patterns)
    assert release.verdict is Verdict.RELEASE
    write_release(release, tmp_path / "release")
    assert verify(tmp_path / "release").is_good


def test_a_release_that_claims_a_bound_and_does_not_keep_it_is_not_good(tmp_path):
    write_release(block(ASTHMA, min_support=10, k=10, method="withhold"), tmp_path / "release")
    place = tmp_path / "release" / "release.json"
    facts = json.loads(place.read_text())
    facts["policy"]["max_belief"] = 0.9
    place.write_text(json.dumps(facts, ensure_ascii=False, indent=2) + "\n")
    result = verify(tmp_path / "release")
    assert not result.is_good
    assert "surer of a group of fewer than 10 rows than 0.9" in str(result)


def test_leaving_rows_out_is_refused_where_no_row_is_in_the_group():
    rows = [["a"]] * 14 + [["b"]] * 14 + [[]] * 12
    with pytest.raises(BudgetError, match="small groups that no row is in"):
        block(rows, min_support=10, k=10, method="suppress", max_belief=0.99)


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"max_belief": 0}, ThresholdError, "max_belief is 0; give a probability above 0, up to 1, such as 0.9"),
        ({"max_belief": 1.1}, ThresholdError, "max_belief is 1.1; give a probability"),
        ({"max_belief": True}, ThresholdError, "max_belief is True"),
        ({"max_belief": float("nan")}, ThresholdError, "max_belief is nan"),
        ({"max_belief": 0.9, "method": "add"}, OptionError, "for the methods 'suppress' or 'withhold', not for 'add'"),
    ],
)
def test_wrong_bounds_are_refused(given, error, says):
    with pytest.raises(error, match=says):
        block(ASTHMA, min_support=10, k=10, **given)


def test_a_policy_file_may_bound_beliefs(tmp_path):
    for name, text in (("one.toml", "k = 10\nmax_belief = 0.9\n"), ("two.yaml", "k: 10\nmax_belief: 0.9\n")):
        (tmp_path / name).write_text(text)
        assert load(tmp_path / name).max_belief == 0.9
        assert str(load(tmp_path / name)).endswith("zeros: ignore, beliefs of at most 0.9")
    (tmp_path / "three.yaml").write_text("k: 10\nmax_belief: .inf\n")
    with pytest.raises(DiscreetError, match="neither text nor a number in plain digits"):
        load(tmp_path / "three.yaml")
    assert "max_belief" not in Policy("k", k=10).facts()
    assert OURS.facts()["max_belief"] == 0.9


def test_the_command_bounds_beliefs(tmp_path):
    rows = tmp_path / "rows.txt"
    rows.write_text("".join(",".join(row) + "\n" for row in ASTHMA))
    asked = [
        "block",
        str(rows),
        "--format",
        "baskets",
        "--empty-rows",
        "--min-support",
        "10",
        "-k",
        "10",
        "--method",
        "withhold",
    ]
    done = CliRunner().invoke(main, [*asked, "--max-belief", "0.9", "--out", str(tmp_path / "release")])
    assert done.exit_code < 2, done.output
    assert json.loads((tmp_path / "release" / "release.json").read_text())["policy"]["max_belief"] == 0.9


def test_masked_counts_that_are_nearly_certain_to_be_small_are_for_a_person():
    table = read_counts(BytesIO(b"ward,n\nTotal,60\na,46\nb,*\nc,*\n"))
    check = checks(audit(table, policy=OURS))[CheckName.BELIEF]
    first = "ward b is 1 to 9 with a probability of 0.9"
    assert (check.verdict, check.sentence.startswith(first)) == (Verdict.REVIEW, True), check.sentence
    assert check.sentence.endswith(NO_PROOF)
    wide = read_counts(BytesIO(b"ward,n\nTotal,600\na,46\nb,*\nc,*\n"))
    assert checks(audit(wide, policy=OURS))[CheckName.BELIEF].verdict is Verdict.RELEASE
    said = read_counts(BytesIO(b"ward,n\nTotal,60\na,46\nb,<10\nc,<10\n"))
    assert checks(audit(said, policy=OURS))[CheckName.BELIEF].verdict is Verdict.RELEASE


def test_a_reader_who_has_older_releases_may_be_surer():
    new, old = (
        Patterns.from_itemsets([([], n), (["asthma"], held), (["flu"], held)], n=n, min_support=10)
        for n, held in ((40, 14), (38, 13))
    )
    allowed = replace(OURS, max_belief=1.0)
    alone, both = (audit(new, policy=allowed, against=olds, grown=bool(olds)) for olds in ([], [old]))
    assert [sum(check.name is CheckName.BELIEF for check in one.checks) for one in (alone, both)] == [1, 2]
    told = [" ".join(one.words for one in each.evidence.belief.patterns) for each in (alone, both)]
    assert ["before" in one for one in told] == [False, True]
