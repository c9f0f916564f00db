"""Tables of counts in the web app: what it answers is what the library says; marks mean what is asked for."""

import io

import polars as pl
import pytest
from web import answer, facts, fetched, served, unpacked, upload

import discreet
from discreet import read_counts
from discreet.blocking.tables.block import compare_counts

SMOKERS = (
    b"sex,smoker,n\nTotal,Total,180\nf,Total,90\nm,Total,90\nTotal,yes,50\nTotal,no,130\n"
    b"f,yes,<11\nf,no,85\nm,yes,45\nm,no,45\n"
)
CROSSTAB = b"ward,young,old,Total\neast,99,81,180\nwest,*,*,28\nTotal,107,101,208\n"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def client():
    with served(many=1) as found:
        yield found


def read_with(client, data, name="table.csv", **how):
    """The id of tables that are read as their preview says."""
    key = upload(client, data, name)
    return facts(client, "read", upload=key, **facts(client, "preview", upload=key, **how)["confirm"])["data"]


def judged(client, data, name="table.csv", *, k=11, policy=None, **how):
    """The facts of tables that are judged: the audit, its findings, and the tables."""
    asked = {"data": read_with(client, data, name, **how), "k": k, "policy": policy}
    return {**facts(client, "findings", **asked), **facts(client, "published", **asked), "asked": asked}


def fields(found):
    """The fields of all tables in which a reader learns something."""
    return [field for table in found["tables"] for line in table["lines"] for field in line if "found" in field]


def test_a_recovered_cell_is_marked_where_it_stands_with_its_sum(client):
    found = judged(client, SMOKERS)
    audit = facts(client, "audit", **found["asked"])
    assert (audit["verdict"], audit["k"], audit["policy"], audit["holds"]) == ("WITHHOLD", 11, None, "tables")
    assert fields(found) == [{"text": "<11", "kind": "masked", "found": "recovered", "learned": "5", "sum": 1}]
    (table,) = found["tables"]
    assert table["head"] == ["sex", "smoker: yes", "smoker: no", "smoker: total"]
    assert [line[0] for line in table["lines"]] == [{"text": name, "kind": "value"} for name in ("total", "f", "m")]
    assert table["lines"][1][1]["found"] == "recovered"
    assert table["sums"] == ["sex f, smoker yes = sex f 90 − sex f, smoker no 85 = 5"]
    (line,) = found["findings"]
    assert (line["kind"], line["who"], line["low"], line["high"]) == ("cell", "sex f, smoker yes", 5, 5)
    assert line["sum"] == facts(client, "explain", **found["asked"], number=0)["sum"] == table["sums"][0]
    assert (found["total_tables"], found["total"], audit["what"]) == (1, 1, "9 cells of 1 table, 1 masked")


def test_the_story_of_the_table_is_that_table(client):
    found = facts(client, "audit", data="smokers", k=11)
    expected = discreet.audit(read_counts(io.BytesIO(SMOKERS)), k=11)
    assert (found["verdict"], found["sentence"]) == (expected.verdict.name, expected.sentence)
    assert facts(client, "read", sample="smokers")["size"] == "1 table"


@pytest.mark.parametrize("asked", [{"k": 11}, {"k": 2}, {"k": None, "policy": "cms"}, {"k": 12, "policy": "cms"}])
def test_the_verdict_is_the_librarys(client, asked):
    expected = discreet.audit(read_counts(io.BytesIO(SMOKERS)), **asked)
    found = facts(client, "audit", data=read_with(client, SMOKERS), **asked)
    assert (found["verdict"], found["sentence"], found["k"]) == (expected.verdict.name, expected.sentence, expected.k)
    assert [check["sentence"] for check in found["checks"]] == [check.sentence for check in expected.checks]
    assert found["warnings"] == expected.warnings
    assert (found["guarantee"] is None) == (found["advice"] is not None) == (not expected.is_safe)
    assert found["reading"]["text"] == str(expected.reading)


def test_what_a_mark_means_can_be_changed(client):
    table = b"sex,n\nTotal,20\nf,*\nm,*\n"
    key = upload(client, table)
    seen = [facts(client, "preview", upload=key, **how) for how in ({}, {"masked": ["*=1..10"]})]
    assert [one["marks"] for one in seen] == [
        [{"mark": "*", "low": 0, "high": None, "cells": 2}],
        [{"mark": "*", "low": 1, "high": 10, "cells": 2}],
    ]
    assert "* means any count" in seen[0]["reading"]["text"]
    assert "* means 1 to 10" in seen[1]["reading"]["text"]
    before, after = judged(client, table), judged(client, table, masked=["*=1..10"])
    verdicts = [facts(client, "audit", **one["asked"])["verdict"] for one in (before, after)]
    assert (verdicts, before["findings"]) == (["RELEASE", "WITHHOLD"], [])
    assert [field["learned"] for field in fields(after)] == ["10", "10"]


def test_totals_a_column_of_counts_and_rounding_can_be_stated(client):
    words = judged(client, b"sex,n\neverybody,180\nf,177\nm,<11\n", holds="tables", totals=["everybody"])
    assert [field["learned"] for field in fields(words)] == ["3"]
    table = b"sex,year,people\nTotal,2020,180\nf,2020,177\nm,2020,<11\n"
    columns = judged(client, table, holds="tables", counts="people")
    assert facts(client, "preview", upload=upload(client, table), holds="tables", counts="people")["columns"] == [
        *("sex", "year", "people")
    ]
    assert [one["high"] for one in columns["findings"] if one["kind"] == "cell"] == [3]
    rounded = judged(client, b"sex,n\nTotal,180\nf,175\nm,5\n", holds="tables", round_to="5")
    assert rounded["tables"][0]["lines"][0][1]["text"] == "3 to 7"


def test_a_sheet_of_a_workbook_is_judged(client):
    import xlsxwriter

    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        for name in ("notes", "table"):
            frame = pl.DataFrame({"sex": ["Total", "f", "m"], "n": ["180", "177", "<11"]})
            frame.write_excel(book, worksheet=name)
    wrong = answer(client, "read", upload=upload(client, file.getvalue(), "a.xlsx"), holds="tables")
    assert (wrong.status_code, "the sheet" in wrong.json()["error"]) == (400, True)
    found = judged(client, file.getvalue(), "a.xlsx", holds="tables", sheet="table")
    assert [field["learned"] for field in fields(found)] == ["3"]


def test_its_report_is_the_librarys(client):
    data = read_with(client, SMOKERS, "smokers.csv")
    page = fetched(client, facts(client, "report", data=data, k=11), "report.html").decode()
    expected = discreet.audit(read_counts(io.BytesIO(SMOKERS)), k=11)
    assert '<td class="found recovered"><s>&lt;11</s> <strong>5</strong><sup>1</sup></td>' in page
    assert expected.sentence in page
    assert "Audit of smokers.csv" in page


def test_values_that_are_scripts_are_escaped(client):
    found = judged(client, f'sex,n\nTotal,180\n"{SCRIPT}",177\nm,<11\n'.encode())
    assert SCRIPT in str(found["tables"])
    assert SCRIPT not in fetched(client, facts(client, "report", **found["asked"]), "report.html").decode()
    assert SCRIPT not in client.get(f"/check?data={found['asked']['data']}&k=11").text


def test_what_could_be_done_is_the_librarys(client):
    counts = read_counts(io.BytesIO(CROSSTAB))
    expected, data = compare_counts(counts, k=10), read_with(client, CROSSTAB)
    found = facts(client, "advise", data=data, k=10)
    assert [(card["method"], card["verdict"]) for card in found["cards"]] == [
        (one.method, None if one.release is None else one.release.verdict.name) for one in expected
    ]
    assert (found["verdict"], found["best"]) == ("WITHHOLD", 0)
    for card, one in zip(found["cards"], expected, strict=True):
        costs = one.release.costs
        assert (card["kept"], card["asked"], card["average"]) == (costs.shown, costs.cells, costs.average_change)
        done = facts(client, "block", data=data, k=10, **card["options"])
        assert (done["verdict"], done["method"], done["costs"]) == (card["verdict"], one.method, card["facts"])
        assert fields(done) == []
    assert facts(client, "block", data=data, k=10)["method"] == expected[0].method


def test_a_release_of_tables_verifies_and_holds_the_masked_table(client, tmp_path):
    found = facts(client, "handover", data=read_with(client, CROSSTAB), k=10, method="suppress")
    folder = unpacked(fetched(client, found, "release.zip"), tmp_path) / "release"
    verified = discreet.verify(folder)
    assert (verified.is_good, verified.digest) == (True, found["fingerprint"])
    public = {"counts.json", "release.json", "report.txt", "ro-crate-metadata.json", "table.csv"}
    assert {path.name for path in folder.iterdir()} == public
    again = read_with(client, (folder / "table.csv").read_bytes())
    assert facts(client, "audit", data=again, k=10)["verdict"] == "RELEASE"


@pytest.mark.parametrize(
    ("data", "asked", "sentence"),
    [
        (b"tea,milk\nmilk,wine\n", {}, "name its column of counts with the field Column of counts"),
        (SMOKERS, {"counts": "people"}, "people"),
        (SMOKERS, {"masked": ["<11"]}, "the meaning of marks is '<11'; give a mark and its limits"),
        (SMOKERS, {"round_to": "0"}, "round_to is '0'; give a whole number from 1"),
        (SMOKERS, {"round_to": "7"}, "holds no multiple of 7; check the rounding"),
        (SMOKERS.replace(b"85", b"many"), {}, "line 8, column 3"),
        (b"sex,n\nTotal,180\nf,177\nf,3\n", {}, "stands twice"),
    ],
)
def test_wrong_input_is_one_sentence_without_labels_or_paths(client, data, asked, sentence):
    found = answer(client, "read", upload=upload(client, data), holds="tables", **asked)
    assert found.status_code == 400
    assert sentence in found.json()["error"]
    assert str(client.state.uploads.folder) not in found.text
    assert "smoker" not in found.text
    assert "milk" not in found.text


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"k": "few"}, "k is 'few'"),
        ({}, "neither k nor a policy is given"),
        ({"policy": "nobody"}, "policy is 'nobody'; choose one of"),
        ({"k": 11, "masked": ["*=1..10"]}, "'masked' is unknown to audit"),
    ],
)
def test_a_wrong_rule_is_one_sentence(client, asked, sentence):
    found = answer(client, "audit", data="smokers", **asked)
    assert found.status_code == 400
    assert sentence in found.json()["error"]


def test_settings_of_rows_mean_nothing_to_tables(client):
    plain, more = (facts(client, "audit", data="smokers", k=11, **asked) for asked in ({}, {"min_support": "5%"}))
    assert plain | {"seconds": 0} == more | {"seconds": 0}


def test_labels_are_never_asked_for_by_an_address(client):
    for verb in ("preview", "findings", "published"):
        assert client.get(f"/api/{verb}?data=smokers&search=f&k=11").status_code == 405
    key = upload(client, SMOKERS)
    assert client.get(f"/api/read?upload={key}&masked=*%3D1..10").status_code == 404


def test_a_file_that_holds_tables_can_be_read_as_rows_if_that_is_meant(client):
    key = upload(client, CROSSTAB)
    seen = facts(client, "preview", upload=key)
    assert (seen["holds"], seen["rows"], seen["confirm"]) == ("tables", [], {"holds": "tables"})
    assert facts(client, "preview", upload=key, format="table")["holds"] == "rows"
    assert facts(client, "preview", upload=key, holds="rows", format="table")["error"] is None
    assert facts(client, "preview", upload=upload(client, b"tea,milk\nmilk\n"))["holds"] == "rows"


def test_many_findings_are_counted_and_cut(client):
    lines = "".join(f"v{at},{at % 9 + 1}\n" for at in range(500))
    total = sum(at % 9 + 1 for at in range(500))
    found = judged(client, f"value,n\nTotal,{total}\n{lines}".encode())
    assert (len(found["findings"]), found["total"]) == (25, 500)
    page = facts(client, "findings", **found["asked"], offset=300, limit=1000)
    assert [one["number"] for one in page["findings"]] == [*range(300, 500)]
    assert {one["kind"] for one in page["findings"]} == {"count"}
    assert found["tables"][0]["note"] == "461 lines not shown here."
