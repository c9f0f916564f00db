"""Older releases in the app: what is checked, fixed and handed over beside them is judged together with them."""

from io import BytesIO

import pytest
from web import answer, facts, loaded, served, upload

import discreet
from discreet import Transactions, Verdict, mine, write, write_patterns
from discreet.data.generate import clinic

ROWS = [*clinic(2000, seed=1)]
OLD = b"""\
sex,smoker,n
Total,Total,180
f,Total,90
m,Total,90
Total,yes,50
Total,no,130
f,yes,20
f,no,70
m,yes,30
m,no,60
"""
NEW = OLD.replace(b"180", b"183").replace(b"f,Total,90", b"f,Total,93").replace(b"Total,yes,50", b"Total,yes,53")
NEW = NEW.replace(b"f,yes,20", b"f,yes,23")
RULE = {"k": 10}


@pytest.fixture(scope="module")
def client():
    with served() as client:
        yield client


@pytest.fixture(scope="module")
def rows(client, tmp_path_factory):
    """The clinic of this year, the release of last year as an upload, and its patterns."""
    place = tmp_path_factory.mktemp("older")
    old = discreet.block(Transactions(ROWS[:1900]), min_support="5%", k=10, method="withhold").patterns
    write_patterns(old, place / "old.json")
    write(Transactions(ROWS), place / "new.csv")
    data = loaded(client, (place / "new.csv").read_bytes(), "new.csv", holds="rows", format="baskets")
    return data, upload(client, (place / "old.json").read_bytes(), "old.json"), old


def test_rows_are_checked_together_with_an_older_release(client, rows):
    data, older, old = rows
    asked = {"data": data, "min_support": "5%", **RULE, "older": [older], "grown": True}
    expected = discreet.audit(Transactions(ROWS), min_support="5%", k=10, against=[old], grown=True)
    kinds = {one["kind"]: one["total"] for one in facts(client, "findings", **asked)["kinds"]}
    assert kinds == {group.kind: group.total for group in expected.groups}
    assert "change" in kinds
    assert facts(client, "audit", **asked)["verdict"] == expected.verdict.name


def test_what_is_recommended_beside_an_older_release_is_safe_together_with_it(client, rows):
    data, older, old = rows
    asked = {"data": data, "min_support": "5%", **RULE, "older": [older], "grown": True}
    advised = facts(client, "advise", **asked)
    assert advised["best"] == 0
    made = facts(client, "handover", **asked, **advised["cards"][0]["options"])
    assert made["verdict"] == "RELEASE"
    assert {"--beside", "old.json", "--grown"} <= {*made["command"].split()}
    patterns = discreet.block(
        Transactions(ROWS), min_support="5%", k=10, beside=[old], grown=True, **advised["cards"][0]["options"]
    ).patterns
    assert discreet.audit(patterns, k=10, against=[old], grown=True).verdict is Verdict.RELEASE


def test_no_remedy_of_tables_is_called_safe_that_is_not_beside_older_ones(client):
    data = loaded(client, NEW, "new.csv", holds="tables")
    asked = {"data": data, **RULE, "older": [upload(client, OLD, "old.csv")], "grown": True}
    new, old = (discreet.read_counts(BytesIO(text)) for text in (NEW, OLD))
    assert discreet.audit(new, k=10).is_safe
    assert facts(client, "audit", **asked)["verdict"] == "WITHHOLD"
    cards = facts(client, "advise", **asked)["cards"]
    made = [discreet.block(new, k=10, method=card["method"]) for card in cards]
    together = [discreet.audit(one.counts, k=10, against=[old], grown=True).verdict.name for one in made]
    assert [card["verdict"] for card in cards] == together
    assert [facts(client, "block", **asked, **card["options"])["verdict"] for card in cards] == together
    assert "WITHHOLD" in together


def test_older_releases_must_be_some(client, rows):
    data, *_ = rows
    wrong = answer(client, "audit", data=data, min_support="5%", k=10, older="x")
    assert (wrong.status_code, "list" in wrong.json()["error"]) == (400, True)
    assert answer(client, "audit", data=data, min_support="5%", k=10, older=["nothing"]).status_code == 404
    rules = upload(client, b"a ==> b #SUP: 4 #CONF: 0.66\n", "rules.txt")
    assert answer(client, "audit", data=data, min_support="5%", k=10, older=[rules]).status_code == 400


def test_the_empty_list_of_older_releases_means_nothing(client, rows):
    data, *_ = rows
    alone = facts(client, "audit", data=data, min_support="5%", k=10)
    beside = facts(client, "audit", data=data, min_support="5%", k=10, older=[], grown=True)
    assert {**beside, "seconds": 0} == {**alone, "seconds": 0}
    assert mine(Transactions(ROWS), min_support="5%").n == alone["n"]
