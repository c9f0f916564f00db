"""A new capability is one file and one line in a table: a toy one of each kind, and where it shows up."""

from importlib import import_module

import pytest
from click.testing import CliRunner
from web import served

from discreet import Patterns, Transactions, attack, audit, block, compare, detect, hide, mine, read, report, write
from discreet.blocking.release import Release
from discreet.cli import main
from discreet.judging.policy import CheckName, Verdict

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50


@pytest.fixture
def enter(monkeypatch):
    """Put an entry into a table of a module for one test."""

    def put(module, table, name, entry):
        monkeypatch.setitem(getattr(import_module(module), table), name, entry)

    return put


def test_a_format_is_read_and_written_by_its_name_and_its_suffix(enter, tmp_path):
    from discreet.io.sources import FORMATS, Format

    enter("discreet.io.sources", "FORMATS", "toy", Format("toy", (".toy",), FORMATS["fimi"].rows))
    rows = Transactions([[1, 2], [2]])
    write(rows, tmp_path / "rows.toy")
    assert read(tmp_path / "rows.toy") == read(tmp_path / "rows.toy", format="toy")
    assert CliRunner().invoke(main, ["mine", str(tmp_path / "rows.toy"), "--min-support", "1"]).exit_code == 0


def test_a_detector_is_a_method_of_detect(enter):
    calls = []

    def toy(question):
        calls.append(question.limit)
        return import_module("discreet.disclosure.detect").find_cells(question)

    enter("discreet.disclosure.detect", "METHODS", "toy", toy)
    patterns = mine(ROWS, min_support=10)
    assert detect(patterns, k=10, method="toy") == detect(patterns, k=10)
    assert calls == [10]


def test_an_attacker_is_a_level_of_attack(enter):
    from discreet.disclosure.attacks.attack import ATTACKERS, Attacker

    enter("discreet.disclosure.attacks.attack", "ATTACKERS", "toy", Attacker(ATTACKERS["plain"].search, "who plays"))
    found = attack(mine(ROWS, min_support=10), k=10, level="toy")
    assert not found.is_safe
    assert "by an attacker who plays" in " ".join(report.attack_text(found))


def test_a_blocker_is_a_method_of_block_and_is_compared(enter):
    from discreet.blocking.blockers import METHODS

    enter("discreet.blocking.blockers", "METHODS", "toy", METHODS["suppress"]._replace(how="toys are used"))
    release = block(ROWS, min_support=10, k=10, method="toy")
    assert isinstance(release, Release)
    assert "toys are used" in " ".join(report.release_text(release))
    assert "toy" in {line.name for line in compare(ROWS, min_support=10, k=10).lines}


def test_a_way_to_hide_is_a_method_of_hide(enter):
    from discreet.hiding.hide import METHODS

    enter("discreet.hiding.hide", "METHODS", "toy", METHODS["minfia"]._replace(summary="toys are used"))
    hidden = hide(ROWS, [["a", "b"]], method="toy")
    assert hidden.after.tolist() == [0]
    assert "toys are used" in " ".join(report.hidden_text(hidden))


def test_a_check_counts_for_the_verdict_and_stands_in_every_report(monkeypatch):
    checks = import_module("discreet.judging.checks")

    def toy(policy, patterns):
        return CheckName.COLUMNS.review(len(patterns), f"A toy for {policy.k}.")

    monkeypatch.setattr(checks, "CHECKS", (*checks.CHECKS, toy))
    result = audit(Patterns.from_itemsets([([], 40), (["a"], 20)], n=40), k=10)
    assert result.verdict is Verdict.REVIEW
    assert "A toy for 10." in " ".join(report.audit_text(result))
    assert b"A toy for 10." in b"".join(report.audit_json(result))
    assert "A toy for 10." in result.to_html()


def test_a_page_is_a_template_and_an_address(enter):
    enter("discreet.web.routes", "PAGES", "/toy", "verify")
    with served() as client:
        assert client.get("/toy").status_code == 200


def test_a_measure_stands_in_the_table_of_measures(enter, monkeypatch):
    monkeypatch.setattr("discreet.hiding.measures.Hiding.toy", property(lambda _: 0.5), raising=False)
    enter("discreet.report.hidden", "MEASURES", "toy", "toy measure")
    hidden = hide(ROWS, [["a", "b"]])
    text = " ".join(report.hidden_text(hidden, measured=[hidden.measures(min_support=10)]))
    assert "toy measure" in text
    assert "50%" in text
