"""Tables of counts in the web app: what it answers is what the library says; marks mean what is asked for."""

import io

import polars as pl
import pytest
from web import answer, facts, served, upload

import discreet
from discreet import read_counts

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


def judged(client, data, name="table.csv", **asked):
    """The facts of tables that are judged."""
    return facts(client, "tables", upload=upload(client, data, name), **{"k": 11, **asked})


def fields(found):
    """The fields of all tables in which a reader learns something."""
    return [field for table in found["tables"] for line in table["lines"] for field in line if "found" in field]


def test_a_recovered_cell_is_marked_where_it_stands_with_its_sum(client):
    found = judged(client, SMOKERS)
    assert (found["verdict"], found["k"], found["policy"]) == ("WITHHOLD", 11, None)
    assert fields(found) == [{"text": "<11", "kind": "masked", "found": "recovered", "learned": "5", "sum": 1}]
    (table,) = found["tables"]
    assert table["head"] == ["sex", "smoker: yes", "smoker: no", "smoker: total"]
    assert [line[0] for line in table["lines"]] == [{"text": name, "kind": "value"} for name in ("total", "f", "m")]
    assert table["lines"][1][1]["found"] == "recovered"
    assert table["sums"] == ["sex f, smoker yes = sex f 90 − sex f, smoker no 85 = 5"]
    assert found["findings"] == [
        {"kind": "recovered", "who": "sex f, smoker yes", "low": 5, "high": 5, "sum": table["sums"][0]}
    ]
    assert (found["total_tables"], found["total_findings"], found["cells"], found["masked"]) == (1, 1, 9, 1)


@pytest.mark.parametrize("asked", [{"k": 11}, {"k": 2}, {"k": None, "policy": "cms"}, {"k": 12, "policy": "cms"}])
def test_the_verdict_is_the_librarys(client, asked):
    expected = discreet.audit(read_counts(io.BytesIO(SMOKERS)), **asked)
    found = judged(client, SMOKERS, **asked)
    assert (found["verdict"], found["sentence"], found["k"]) == (expected.verdict.name, expected.sentence, expected.k)
    assert [check["sentence"] for check in found["checks"]] == [check.sentence for check in expected.checks]
    assert found["warnings"] == expected.warnings
    assert (found["guarantee"] is None) == (found["advice"] is not None) == (not expected.is_safe)
    assert found["reading"]["text"] == str(expected.reading)


def test_what_a_mark_means_can_be_changed(client):
    key = upload(client, b"sex,n\nTotal,20\nf,*\nm,*\n")
    before, after = (facts(client, "tables", upload=key, k=11, **asked) for asked in ({}, {"masked": ["*=1..10"]}))
    assert before["marks"] == [{"mark": "*", "low": 0, "high": None, "cells": 2}]
    assert after["marks"] == [{"mark": "*", "low": 1, "high": 10, "cells": 2}]
    assert "* means any count" in before["reading"]["text"]
    assert "* means 1 to 10" in after["reading"]["text"]
    assert (before["verdict"], before["findings"]) == ("RELEASE", [])
    assert (after["verdict"], [field["learned"] for field in fields(after)]) == ("WITHHOLD", ["10", "10"])


def test_totals_a_column_of_counts_and_rounding_can_be_stated(client):
    words = judged(client, b"sex,n\neverybody,180\nf,177\nm,<11\n", totals=["everybody"])
    assert [field["learned"] for field in fields(words)] == ["3"]
    columns = judged(client, b"sex,year,people\nTotal,2020,180\nf,2020,177\nm,2020,<11\n", counts="people")
    assert columns["columns"] == ["sex", "year", "people"]
    assert [one["high"] for one in columns["findings"] if one["kind"] == "recovered"] == [3]
    rounded = judged(client, b"sex,n\nTotal,180\nf,175\nm,5\n", round_to="5")
    assert rounded["tables"][0]["lines"][0][1]["text"] == "3 to 7"


def test_a_sheet_of_a_workbook_is_judged(client):
    import xlsxwriter

    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        for name in ("notes", "table"):
            frame = pl.DataFrame({"sex": ["Total", "f", "m"], "n": ["180", "177", "<11"]})
            frame.write_excel(book, worksheet=name)
    wrong = answer(client, "tables", upload=upload(client, file.getvalue(), "a.xlsx"), k=11)
    assert (wrong.status_code, "the sheet" in wrong.json()["error"]) == (400, True)
    found = judged(client, file.getvalue(), "a.xlsx", sheet="table")
    assert [field["learned"] for field in fields(found)] == ["3"]


def test_its_report_is_the_librarys(client):
    found = judged(client, SMOKERS, "smokers.csv")
    (file,) = found["files"]
    got = client.get(file["url"])
    assert got.headers["content-disposition"].startswith("attachment")
    expected = discreet.audit(read_counts(io.BytesIO(SMOKERS)), k=11)
    page = got.text
    assert '<td class="found recovered"><s>&lt;11</s> <strong>5</strong><sup>1</sup></td>' in page
    assert expected.sentence in page
    assert "Audit of smokers.csv" in page


def test_values_that_are_scripts_are_escaped(client):
    data = f'sex,n\nTotal,180\n"{SCRIPT}",177\nm,<11\n'.encode()
    found = judged(client, data)
    assert SCRIPT in str(found["tables"])
    assert SCRIPT not in client.get(found["files"][0]["url"]).text
    assert SCRIPT not in client.get("/tables").text


@pytest.mark.parametrize(
    ("data", "asked", "sentence"),
    [
        (b"tea,milk\nmilk,wine\n", {}, "name its column of counts with the field Column of counts"),
        (SMOKERS, {"counts": "people"}, "people"),
        (SMOKERS, {"masked": ["<11"]}, "the meaning of marks is '<11'; give a mark and its limits"),
        (SMOKERS, {"round_to": "0"}, "round_to is '0'; give a whole number from 1"),
        (SMOKERS, {"round_to": "7"}, "holds no multiple of 7; check the rounding"),
        (SMOKERS, {"k": "few"}, "k is 'few'"),
        (SMOKERS, {"k": None}, "neither k nor a policy is given"),
        (SMOKERS, {"policy": "nobody"}, "policy is 'nobody'; choose one of"),
        (SMOKERS, {"min_support": 5}, "'min_support' is unknown to tables"),
        (SMOKERS.replace(b"85", b"many"), {}, "line 8, column 3"),
        (b"sex,n\nTotal,180\nf,177\nf,3\n", {}, "stands twice"),
    ],
)
def test_wrong_input_is_one_sentence_without_labels_or_paths(client, data, asked, sentence):
    found = answer(client, "tables", upload=upload(client, data), **{"k": 11, **asked})
    assert found.status_code == 400
    assert sentence in found.json()["error"]
    assert str(client.state.uploads.folder) not in found.text
    assert "smoker" not in found.text
    assert "milk" not in found.text


def test_labels_are_never_asked_for_by_an_address(client):
    assert client.get("/api/tables?masked=*%3D1..10&k=11").status_code == 405
    assert answer(client, "tables", upload="nobody", k=11).status_code == 404


def test_the_start_page_says_that_a_file_holds_tables_of_counts(client):
    key = upload(client, CROSSTAB)
    seen = facts(client, "preview", upload=key)
    assert (seen["tables"], seen["rows"], seen["confirm"]) == (True, [], None)
    assert seen["error"] == "this file holds tables of counts, which the page Tables judges"
    assert answer(client, "read", upload=key).json()["error"].endswith(seen["error"])
    assert facts(client, "preview", upload=key, format="table")["error"] is None
    assert facts(client, "preview", upload=upload(client, b"tea,milk\nmilk\n"))["tables"] is False


def test_many_findings_are_counted_and_cut(client):
    lines = "".join(f"v{at},{at % 9 + 1}\n" for at in range(500))
    total = sum(at % 9 + 1 for at in range(500))
    found = judged(client, f"value,n\nTotal,{total}\n{lines}".encode())
    assert (len(found["findings"]), found["total_findings"]) == (200, 500)
    assert {one["kind"] for one in found["findings"]} == {"shown"}
    assert found["tables"][0]["note"] == "461 lines not shown here."
