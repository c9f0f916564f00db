"""What the web app answers is what the library says; its files verify, and what it hid cannot be found in them."""

import io
import itertools
import json
from pathlib import Path
from urllib.parse import quote

import pytest
from web import answer, facts, fetched, loaded, served, unpacked, upload

import discreet
from discreet import report
from discreet.blocking.distortion import supports_in
from discreet.data.generate import clinic
from discreet.web.arguments import HANDLERS
from discreet.web.context import Cache, Context
from discreet.web.handlers import fix
from discreet.web.handlers.judging import Rule
from discreet.web.loading import Data

CLINIC = clinic(2000, seed=1)
ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
SCRIPT = "<script>alert(1)</script>"
AT = {"min_support": "5%", "k": 10}


@pytest.fixture(scope="module")
def client():
    with served(many=2) as found:
        yield found


@pytest.fixture(scope="module")
def data(client):
    """The clinic as somebody's CSV file."""
    return loaded(client, csv_of(CLINIC), "clinic.csv")


def csv_of(rows):
    file = io.BytesIO()
    discreet.write(discreet.Transactions(rows), file, format="csv")
    return file.getvalue()


@pytest.mark.parametrize("sample", ["clinic", "pkdd2005", "waim2008", "oliveira2002"])
def test_a_sample_is_told_in_numbers(client, sample):
    rows = CLINIC if sample == "clinic" else discreet.io.datasets.load(sample)
    found = facts(client, "read", sample=sample)
    lengths = sorted(map(len, rows))
    assert (found["data"], found["n"], found["items"]) == (sample, len(rows), len(rows.labels))
    assert found["entries"] == sum(lengths)
    assert found["lengths"]["smallest"] == lengths[0]
    assert found["lengths"]["median"] == lengths[(len(lengths) - 1) // 2]
    assert found["lengths"]["largest"] == lengths[-1]
    assert found["lengths"]["histogram"] == [[length, lengths.count(length)] for length in sorted({*lengths})]
    assert found["commonest"][0]["support"] == max(rows.support([label]) for label in rows.labels)
    assert all(rows.support([line["item"]]) == line["support"] for line in found["commonest"])
    assert found["holds"] == "rows"


def test_every_sample_that_is_listed_can_be_read(client):
    listed = client.get("/api/samples").json()["samples"]
    assert [sample["name"] for sample in listed if sample["is_story"]] == [
        *("clinic", "supermarket", "smokers", "releases")
    ]
    assert {sample["name"]: sample["page"] for sample in listed if sample["page"] != "/check"} == {
        "releases": "/compare"
    }
    sizes = {sample["name"]: sample["size"] for sample in listed if sample["name"] != "releases"}
    told = {name: facts(client, "read", sample=name) for name in sizes}
    assert {name: size.split()[0] for name, size in sizes.items()} == {
        name: one["size"].split()[0] for name, one in told.items()
    }
    assert {name for name, one in told.items() if one["holds"] != "rows"} == {"smokers"}
    assert client.post("/api/read", json={"sample": "releases"}).status_code == 404


def test_data_is_told_again_by_its_id(client, data):
    found = client.get(f"/api/read?data={data}&wait=10").json()
    assert found == facts(client, "read", data=data)
    assert found["n"] == 2000


def test_an_audit_is_the_librarys(client, data):
    for k, policy in ((10, None), (3, None), (None, "acro"), (30, "acro")):
        expected = discreet.audit(CLINIC, min_support="5%", k=k, policy=policy)
        found = facts(client, "audit", data=data, min_support="5%", k=k, policy=policy)
        assert found["verdict"] == expected.verdict.name
        assert found["channels"] == len(expected.channels)
        assert found["itemsets"] == len(expected.patterns)
        assert (found["n"], found["min_support"], found["k"]) == (2000, 100, expected.policy.k)
        assert found["exposed"]["rows"] == expected.exposed.numbers.size
        assert sum(line["rows"] for line in found["exposed"]["smallest"]) == expected.exposed.numbers.size
        assert [check["sentence"] for check in found["checks"]] == [check.sentence for check in expected.checks]
        assert found["is_acyclic"] == expected.is_acyclic
        assert (found["policy"], found["holds"]) == (policy, "rows")
        assert found["findings"] == len(expected.findings)
        assert found["nothing"] is None
        assert (found["guarantee"] is None) == (found["advice"] is not None) == (found["verdict"] != "RELEASE")
        assert found["cell_sizes"].keys() == {"caption", "html", "head", "lines"}


def test_lists_are_cut_at_a_length_on_every_page(client, data):
    expected = discreet.audit(CLINIC, min_support="5%", k=10, max_length=2)
    found = facts(client, "audit", data=data, **AT, max_length="2")
    assert (found["max_length"], found["itemsets"]) == (2, len(expected.patterns))
    assert (found["verdict"], found["channels"]) == (expected.verdict.name, len(expected.channels))
    grid = facts(client, "tradeoff", data=data, min_supports="5%", ks="10", max_length=2)
    assert grid["channels"] == [[found["channels"]]]
    release = facts(client, "block", data=data, **AT, max_length=2, method="add")
    assert (release["max_length"], release["kind"]) == (2, "frequent")
    assert facts(client, "audit", data=data, **AT)["max_length"] is None


def test_items_are_left_out_everywhere_but_never_named_in_an_address(client, data):
    expected = discreet.audit(CLINIC, min_support="5%", k=10, leave_out=["hypertension"])
    asked = {"data": data, **AT, "leave_out": ["hypertension"]}
    assert facts(client, "audit", **asked)["itemsets"] == len(expected.patterns)
    grid = facts(client, "tradeoff", data=data, min_supports="5%", ks="10", leave_out=["hypertension"])
    assert grid["itemsets"] == [len(expected.patterns)]
    release = discreet.block(CLINIC, min_support="5%", k=10, method="withhold", leave_out=["hypertension"])
    assert facts(client, "block", **asked, method="withhold")["listed"] == len(release.patterns)
    assert client.get("/api/audit", params={**asked, "leave_out": "hypertension"}).status_code == 400
    by_address = {"data": data, **AT, "method": "generalize", "hierarchy": "prefix:3"}
    assert client.get("/api/block", params=by_address).status_code == 400
    wrong = answer(client, "audit", **{**asked, "leave_out": ["hypertensoin"]}).json()
    assert wrong["error"].endswith("which is no item and no attribute; give a label, or a column of a table")


def test_every_handler_is_documented_with_its_arguments():
    lines = Path(__file__).parents[1].joinpath("docs/web.md").read_text(encoding="utf-8").splitlines()
    told = {line.split("`")[1]: line for line in lines if line.startswith("| `/api/")}
    assert {f"/api/{name}" for name in HANDLERS} <= told.keys()
    told["/api/handover"] += told["/api/block"]
    for name, handler in HANDLERS.items():
        line = told[f"/api/{name}"]
        own = {*handler.arguments} - ({*Rule.__annotations__} if "the settings" in line else set())
        assert {word for word in own if f"`{word}`" not in line} == set()


def test_the_page_is_asked_and_the_program_alike(client):
    asked = "/api/audit?data=clinic&min_support=5%25&k=10&wait=10"
    assert client.get(asked).json() == facts(client, "audit", data="clinic", **AT)


def test_what_may_be_published_comes_with_a_guarantee(client):
    found = facts(client, "audit", data=loaded(client, csv_of([["a", "b"]] * 20 + [["a"]] * 12 + [["c"]] * 11)), **AT)
    assert found["verdict"] == "RELEASE"
    assert "nobody can infer" in found["guarantee"]


def test_a_channel_is_explained_as_the_library_does(client, data):
    audit = discreet.audit(CLINIC, **AT)
    for number in (0, 1, len(audit.findings) - 1):
        finding = audit.findings[number]
        found = facts(client, "explain", data=data, **AT, number=number)
        assert {name: found[name] for name in found.keys() - {"number", "terms", "more", "seconds"}} == (
            report.explain_finding(finding, audit).facts
        )
        assert sum(term["times"] * term["support"] for term in found["terms"]) == finding.count
        for term in found["terms"]:
            assert term["support"] == CLINIC.support(term["items"])
        assert (found["low"], found["high"], found["more"]) == (finding.count, finding.count, False)


def test_a_finding_that_is_not_there_is_a_sentence(client, data):
    found = answer(client, "explain", data=data, **AT, number=10**6)
    assert found.status_code == 400
    assert "there is no finding" in found.json()["error"]


def test_people_are_called_what_their_owner_calls_them(client, data):
    plain, named = (facts(client, "explain", data=data, **AT, number=0, **more) for more in ({}, {"noun": "patients"}))
    assert "people" in plain["numbers"][0]["words"] + plain["words"]
    assert named["numbers"][0]["words"] == plain["numbers"][0]["words"].replace("people", "patients", 1)
    assert answer(client, "audit", data=data, **AT, noun="<b>").status_code == 400


def test_a_trade_off_is_the_librarys(client, data):
    expected = discreet.tradeoff(CLINIC, min_supports=["5%", "20%"], ks=[3, 10])
    found = facts(client, "tradeoff", data=data, min_supports=["5%", "20%"], ks=[3, 10])
    assert (found["min_supports"], found["ks"]) == ([100, 400], [3, 10])
    assert found["channels"] == expected.channels.tolist()
    assert found["exposed"] == expected.exposed.tolist()
    assert {line["k"]: line["min_support"] for line in found["safe"]} == expected.safe
    by_address = client.get(f"/api/tradeoff?data={data}&min_supports=5%25,20%25&ks=3,10&wait=10").json()
    assert by_address["channels"] == found["channels"]


def test_a_trade_off_of_dense_rows_begins_where_there_is_not_too_much(client):
    rows = [[item for item in range(24) if (row >> item % 12) % 7 != item % 3] for row in range(400)]
    found = facts(client, "tradeoff", data=loaded(client, csv_of(rows)), k=7)
    assert max(found["itemsets"]) <= 200_000
    assert 7 in found["ks"]


def test_advice_is_the_librarys(client, data):
    expected = discreet.advise(CLINIC, min_support="5%", k=10)
    found = facts(client, "advise", data=data, **AT)
    assert (found["verdict"], found["best"]) == ("WITHHOLD", 0)
    assert found["recommendation"] == expected.recommendation
    assert [(line["what"], line["verdict"], line["kept"], line["rows_touched"]) for line in found["cards"]] == [
        (one.what, one.verdict.name, one.kept, one.rows_touched) for one in expected.remedies
    ]
    for line, one in zip(found["cards"], expected.remedies, strict=True):
        cost = one.costs.itemsets
        changed = cost.changed if one.release.changes_rows else 0
        assert (line["asked"], line["changed"]) == (cost.itemsets, changed)
        assert (line["average"], line["largest"]) == (cost.average, cost.largest)
        assert (one.costs.n_after == 2000) == ("n becomes" not in dict(line["facts"])["Rows"])
    causes = facts(client, "findings", data=data, **AT)
    assert not causes["of_columns"]
    assert [(cause["name"], cause["findings"]) for cause in causes["causes"]] == [
        (cause.name, cause.findings) for cause in sorted(expected.items, key=lambda cause: -cause.findings)
    ]


@pytest.mark.parametrize("asked", [{"keep_n": True}, {"against": "linear"}, {"max_length": 2}])
def test_what_a_remedy_must_keep_to_is_the_librarys(client, asked):
    expected = discreet.advise(ROWS, min_support=10, k=10, **asked)
    data = loaded(client, csv_of(ROWS), format="baskets", empty_rows=True)
    found = facts(client, "advise", data=data, min_support=10, k=10, **asked)
    assert [(line["what"], line["verdict"], line.get("kept", 0)) for line in found["cards"]] == [
        (one.what, None if one.verdict is None else one.verdict.name, one.kept) for one in expected.remedies
    ]
    assert found["recommendation"] == expected.recommendation


def test_every_remedy_is_done_with_its_options(client, data):
    cards = facts(client, "advise", data=data, **AT)["cards"]
    assert {*itertools.chain.from_iterable(line["options"] for line in cards)} == {
        *("method", "merge", "max_length", "min_support", "leave_out")
    }
    for line in cards:
        found = facts(client, "block", data=data, **{**AT, **line["options"]})
        assert found["verdict"] == line["verdict"] == "RELEASE"
        assert found["distortion"]["itemsets"] - found["distortion"]["lost"] == line["kept"]
        assert found["rows"]["suppressed"] + found["rows"]["added"] == line["rows_touched"]


def test_the_releases_of_remedies_are_at_hand(monkeypatch, tmp_path):
    context = Context(Cache(), Data("clinic", "clinic", None, {}), tmp_path / "files", 1 << 30, list, bool)
    cards = fix.advise(context, **AT, seconds=1.0)["cards"]
    assert len(cards) > 8
    monkeypatch.setattr(discreet, "block", None)
    for line in cards:
        assert fix.block(context, **{**AT, "seconds": 1.0, **line["options"]})["verdict"] == "RELEASE"


def test_what_may_be_published_as_it_is_needs_no_remedy(client, data):
    found = facts(client, "advise", data=data, min_support="50%", k=10)
    assert (found["verdict"], found["best"], len(found["cards"])) == ("RELEASE", 0, 1)
    assert found["recommendation"].startswith("Nothing needs to be done")
    assert facts(client, "findings", data=data, min_support="50%", k=10)["causes"] == []


def test_remedies_name_the_columns_of_a_table_and_labels_of_any_kind(client):
    lines = ["sex,\u202esmokes", *["f,yes"] * 50, *["f,no"] * 50, *["m,yes"] * 50, *["m,no"] * 3]
    data = loaded(client, "\n".join(lines).encode(), "table.csv", format="table")
    found = facts(client, "advise", data=data, min_support=40, k=10)
    causes = facts(client, "findings", data=data, min_support=40, k=10)
    assert causes["of_columns"]
    assert {cause["name"] for cause in causes["causes"]} == {"sex", "\\u202esmokes"}
    assert "\u202e" not in found["recommendation"] + "".join(line["what"] for line in found["cards"])
    left_out = [line for line in found["cards"] if line["options"].get("leave_out") == ["\u202esmokes"]]
    assert facts(client, "block", data=data, min_support=40, k=10, **left_out[0]["options"])["verdict"] == "RELEASE"


@pytest.mark.parametrize(
    ("method", "options"), [("suppress", {}), ("add", {"merge": True}), ("add", {}), ("withhold", {})]
)
def test_a_release_is_the_librarys_and_verifies(client, data, tmp_path, method, options):
    expected = discreet.block(CLINIC, min_support="5%", k=10, method=method, **options)
    shown = facts(client, "block", data=data, **AT, method=method, **options)
    found = facts(client, "handover", data=data, **AT, method=method, **options)
    assert shown["verdict"] == found["verdict"] == "RELEASE"
    assert shown["distortion"] == expected.distortion._asdict()
    assert shown["listed"] == len(expected.patterns)
    assert "files" not in shown
    folder = unpacked(fetched(client, found, "release.zip"), tmp_path / "public") / "release"
    assert {path.name for path in folder.iterdir()} == {
        "certificate.json",
        "patterns.json",
        "release.json",
        "report.txt",
        "ro-crate-metadata.json",
    }
    verified = discreet.verify(folder)
    assert (verified.is_good, verified.digest) == (True, found["fingerprint"])
    assert {*discreet.read_patterns(folder / "patterns.json")} == {*expected.patterns}
    private = unpacked(fetched(client, found, "DO-NOT-RELEASE.zip"), tmp_path / "private") / "DO-NOT-RELEASE"
    names = {"README.txt", "cost.json", "suppressed.csv", "added.csv", "supports.csv", "report.html"}
    assert {path.name for path in private.iterdir()} == names
    assert json.loads((private / "cost.json").read_text())["input"]["file"] == "clinic.csv"
    assert b"<html" in fetched(client, found, "report.html")


def test_the_recommended_release_does_not_tell_which_method_made_it(client, tmp_path):
    rows = [[*"abcd", *more] for more in ("", "e", "f", "ef") for _ in range(25)] + [["e"], ["f"]]
    data = loaded(client, csv_of(rows), format="baskets")
    question = {"data": data, "min_support": 10, "k": 10, "seconds": 3, "method": "best"}
    shown, found = (facts(client, verb, **question) for verb in ("block", "handover"))
    folder = unpacked(fetched(client, found, "release.zip"), tmp_path / "public") / "release"
    told = json.loads((folder / "release.json").read_text())
    assert (shown["method"], told["method"]) == (discreet.compare(rows, min_support=10, k=10).best.method, "best")


def test_the_changes_of_a_release_are_its_largest(client, data):
    release = discreet.block(CLINIC, min_support="5%", k=10, method="suppress")
    changes = facts(client, "block", data=data, **AT, method="suppress")["changes"]
    assert 0 < len(changes) <= 200
    sizes = [abs(line["before"] - (line["after"] or 0)) for line in changes]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == abs(release.original.supports - supports_in(release.patterns, release.original)).max()
    for line in changes[:20]:
        assert line["before"] == CLINIC.support(line["items"])
        assert line["after"] == (release.witness.support(line["items"]) if line["after"] else None)


@pytest.mark.parametrize(("method", "verdict", "files"), [("add", "REVIEW", 5), ("suppress", "REVIEW", 1)])
def test_what_needs_a_review_says_so_and_where_nothing_is_left_there_is_no_release(client, method, verdict, files):
    data = loaded(client, csv_of(ROWS[:9]), format="baskets")
    shown, found = (
        facts(client, verb, data=data, min_support=2, policy="acro", method=method) for verb in ("block", "handover")
    )
    assert (found["verdict"], len(found["files"])) == (shown["verdict"], files) == (verdict, files)
    assert shown["advice"]
    assert (shown["guarantee"], found["guarantee"]) == (None, None)
    assert "DO-NOT-RELEASE.zip" in [file["name"] for file in found["files"]]


def test_the_report_is_one_page(client, data):
    found = facts(client, "report", data=data, **AT)
    page = fetched(client, found, "report.html").decode()
    assert "WITHHOLD" in page
    assert "clinic.csv" in page


@pytest.mark.parametrize("name", ["report.htm", "..", "release", "%2e%2e%2freport.html", "report.html/"])
def test_no_file_is_given_that_the_job_has_not_listed(client, data, name):
    folder = facts(client, "report", data=data, **AT)["files"][0]["url"].rpartition("/")[0]
    assert client.get(f"{folder}/{name}").status_code in {307, 404}
    (client.state.jobs.get(folder.rpartition("/")[2]).place / "unlisted").touch()
    assert client.get(f"{folder}/unlisted").status_code == 404


SENSITIVE = "insulin, 'diabetes type 2'\nmetformin 'HbA1c high'  # for nobody\n"
ITEMSETS = [{"insulin", "diabetes type 2"}, {"metformin", "HbA1c high"}]


@pytest.mark.parametrize(("name", "packed"), [("rows.csv", bytes), ("rows.csv.gz", None), ("my rows (1).CSV", bytes)])
def test_what_was_hidden_cannot_be_found_in_the_file(client, tmp_path, name, packed):
    import gzip

    data = loaded(client, (packed or gzip.compress)(csv_of(CLINIC)), quote(name))
    expected = discreet.hide(CLINIC, ITEMSETS, method="iga")
    found = facts(client, "hide", data=data, sensitive=SENSITIVE, method="iga", disclosure="0", min_support="2%")
    assert [{*line["items"]} for line in found["sensitive"]] == ITEMSETS
    assert [line["before"] for line in found["sensitive"]] == [CLINIC.support(itemset) for itemset in ITEMSETS]
    assert [line["after"] for line in found["sensitive"]] == [0, 0]
    assert (found["rows_touched"], found["items_removed"]) == (expected.rows_touched, expected.items_removed)
    measured = expected.measures("2%")
    assert found["measures"]["misses_cost"] == measured.misses_cost
    assert found["measures"]["hiding_failure"] == measured.hiding_failure == 0
    shared = tmp_path / found["files"][0]["name"]
    shared.write_bytes(fetched(client, found, shared.name))
    assert "hidden" in shared.name
    rows = discreet.read(shared)
    assert len(rows) == len(CLINIC)
    assert [rows.support(itemset) for itemset in ITEMSETS] == [0, 0]
    private = unpacked(fetched(client, found, "DO-NOT-RELEASE.zip"), tmp_path / "private") / "DO-NOT-RELEASE"
    assert {path.name for path in private.iterdir()} == {"README.txt", "changes.csv", "hidden.json"}


def test_what_is_hidden_in_a_table_comes_back_as_that_table(client, tmp_path):
    long = "order,item,price\n" + "".join(
        f"{number},{item},3\n" for number, row in enumerate(ROWS) for item in [*row, "x"]
    )
    onehot = "a,b,c\n" + "".join(",".join("01"[item in row] for item in "abc") + "\n" for row in ROWS)
    for text, shape in ((long, {"row": "order", "item": "item"}), (onehot, {"format": "onehot"})):
        data = loaded(client, text.encode(), **shape)
        found = facts(client, "hide", data=data, sensitive="a b", method="maxfia")
        shared = tmp_path / found["files"][0]["name"]
        shared.write_bytes(fetched(client, found, shared.name))
        assert shared.read_text().partition("\n")[0] == text.partition("\n")[0]
        rows = discreet.read(shared, **shape)
        assert (rows.support(["a", "b"]), len(rows)) == (0, 100)


def test_a_sample_that_is_hidden_in_comes_as_csv(client, tmp_path):
    found = facts(client, "hide", data="clinic", sensitive=SENSITIVE, min_support="5%")
    shared = tmp_path / "clinic-hidden.csv"
    shared.write_bytes(fetched(client, found, shared.name))
    assert [discreet.read(shared).support(itemset) for itemset in ITEMSETS] == [0, 0]


@pytest.mark.parametrize(
    ("sensitive", "words"),
    [
        ("", "enter at least one combination to hide"),
        ("no-such-item", "line 1, item 1"),
        ("a 'b", "line 1"),
        ("# nothing", "no sensitive itemset is named"),
    ],
)
def test_what_is_sensitive_must_be_written_well(client, sensitive, words):
    found = answer(client, "hide", data="pkdd2005", sensitive=sensitive)
    assert found.status_code == 400
    assert words in found.json()["error"]
    assert "no-such-item" not in found.json()["error"]


GOALS = [{"disclosure": "0"}, {"below": 100}, {"disclosure": "50%"}]  # with 15%, the search ends before its time is up


@pytest.mark.parametrize("goal", GOALS, ids=["nobody", "below", "half"])
def test_all_methods_are_compared_for_one_goal_the_cheapest_first(client, goal):
    shares = {"disclosures": [goal["disclosure"]]} if "disclosure" in goal else goal
    expected = discreet.compare_hiding(CLINIC, ITEMSETS, min_supports=["15%"], seconds=3, **shares)
    found = facts(client, "compare_hiding", data="clinic", sensitive=SENSITIVE, min_support="15%", seconds=3, **goal)
    costs = {line.method: (line.measures[0].missed, line.items_removed, line.rows_touched) for line in expected.lines}
    lines = {line["method"]: (line["measures"]["missed"], line["items_removed"]) for line in found["lines"]}
    assert lines == {method: cost[:2] for method, cost in costs.items()}
    assert {line["method"]: line["rows_touched"] for line in found["lines"]} == {
        method: touched for method, (_, _, touched) in costs.items()
    }
    assert [*lines.values()] == sorted(lines.values())


@pytest.mark.parametrize("goal", GOALS, ids=["nobody", "below", "half"])
def test_a_line_of_the_comparison_is_what_its_method_does(client, goal):
    asked = {"data": "clinic", "sensitive": SENSITIVE, "min_support": "15%", "seconds": 3, **goal}
    for line in facts(client, "compare_hiding", **asked)["lines"]:
        done = facts(client, "hide", method=line["method"], **asked)
        shown = ("rows_touched", "items_removed", "measures")
        assert [done[name] for name in shown] == [line[name] for name in shown]
        expected = discreet.hide(CLINIC, ITEMSETS, method=line["method"], min_support="15%", seconds=3, **goal)
        assert [one["after"] for one in done["sensitive"]] == expected.after.tolist()
        assert (done["rows_touched"], done["items_removed"]) == (expected.rows_touched, expected.items_removed)


def test_items_are_listed_with_their_rows_the_commonest_first(client):
    every = facts(client, "items", data="clinic", limit=100)
    assert every["matching"] == len(every["items"]) == len(CLINIC.labels)
    assert {one["item"]: one["support"] for one in every["items"]} == {
        str(label): CLINIC.support([label]) for label in CLINIC.labels
    }
    supports = [one["support"] for one in every["items"]]
    assert supports == sorted(supports, reverse=True)
    found = facts(client, "items", data="clinic", search="SMOKE former", offset=0, limit=1)
    assert [one["item"] for one in found["items"]] == ["former smoker"]
    assert facts(client, "items", data="clinic", offset=5, limit=3)["items"] == every["items"][5:8]
    assert facts(client, "items", data="clinic", search="no such item") | {"seconds": 0} == {
        "matching": 0,
        "items": [],
        "seconds": 0,
    }


def test_a_hundred_thousand_items_are_searched_quickly(client):
    rows = [[f"thing {number}" for number in range(at, at + 100)] for at in range(0, 100_000, 100)]
    data = loaded(client, csv_of(rows), format="baskets")
    assert facts(client, "items", data=data)["matching"] == 100_000
    found = facts(client, "items", data=data, search="thing 9999")
    assert found["matching"] == sum("9999" in str(number) for number in range(100_000))
    assert found["seconds"] < 1


def test_combinations_come_as_text_or_by_the_numbers_of_their_items(client):
    by_text = facts(client, "combinations", data="clinic", sensitive=SENSITIVE)["combinations"]
    assert [line["support"] for line in by_text] == [CLINIC.support(itemset) for itemset in ITEMSETS]
    assert [{one["item"] for one in line["items"]} for line in by_text] == ITEMSETS
    numbers = [[one["number"] for one in line["items"]] for line in by_text]
    assert facts(client, "combinations", data="clinic", sensitive=numbers)["combinations"] == by_text
    asked = {"data": "clinic", "min_support": "5%", "below": 100}
    both = [facts(client, "hide", sensitive=sensitive, **asked) for sensitive in (SENSITIVE, numbers)]
    assert both[0]["sensitive"] == both[1]["sensitive"]


@pytest.mark.parametrize("label", ["\u202eturned", "x" * 500, 'it\'s, "quoted"', "7"])
def test_any_label_can_be_picked(client, label):
    data = loaded(client, csv_of([[label, "tea"]] * 5 + [["tea"]] * 5), format="baskets")
    numbers = [one["number"] for one in facts(client, "items", data=data)["items"]]
    assert facts(client, "combinations", data=data, sensitive=[numbers])["combinations"][0]["support"] == 5
    assert facts(client, "hide", data=data, sensitive=[numbers])["sensitive"][0]["after"] == 0


@pytest.mark.parametrize(
    ("sensitive", "words"),
    [
        ("insulin @ 10%", "line 1 has a share of its own"),
        ("insulin no-such-item", "line 1, item 2 is in no row"),
        ([[0, 10**6]], "a number that is too large"),
        ([[-1]], "give a whole number"),
        ([[]], "must be text, or lists"),
        ([], "enter at least one combination"),
        ({"a": 1}, "must be text, or lists"),
    ],
)
def test_wrong_combinations_are_a_sentence(client, sensitive, words):
    found = answer(client, "combinations", data="clinic", sensitive=sensitive)
    assert found.status_code == 400
    assert words in found.json()["error"]
    assert "no-such-item" not in found.json()["error"]


def test_a_query_finds_the_rows_that_the_library_finds(client, data):
    query = "insulin & ~'diabetes type 2' | HIV"
    expected = (CLINIC.rows(query) + 1).tolist()
    found = facts(client, "query", data=data, query=query)
    assert (found["count"], found["n"], found["caret"]) == (len(expected), 2000, None)
    assert found["rows"] == expected
    page = facts(client, "query", data=data, query="~HIV", offset=100, limit=5)
    assert page["rows"] == (CLINIC.rows("~HIV")[100:105] + 1).tolist()
    assert "HIV" in page["plan"]


def test_a_wrong_query_is_pointed_at(client, data):
    found = answer(client, "query", data=data, query="insulin & (female | ")
    assert found.status_code == 400
    assert found.json()["caret"] == len("insulin & (female | ") + 1
    assert facts(client, "query", data=data, query="insulin & no-such-item")["unknown"] == [11]


def patterns_json():
    file = io.BytesIO()
    discreet.write_patterns(discreet.mine(CLINIC, min_support="5%"), file, format="json")
    return file.getvalue()


def test_patterns_without_rows_are_judged_and_nothing_else(client):
    data = loaded(client, patterns_json(), "mined.json")
    told = facts(client, "read", data=data)
    assert (told["holds"], told["n"], told["kind"], told["min_support"]) == ("patterns", 2000, "closed", 100)
    expected = discreet.audit(discreet.mine(CLINIC, min_support="5%"), k=10)
    found = facts(client, "audit", data=data, k=10, min_support="99%")
    assert (found["verdict"], found["channels"]) == ("WITHHOLD", len(expected.channels))
    assert (found["exposed"], found["min_support"]) == (None, 100)
    assert facts(client, "findings", data=data, k=10)["total"] == len(expected.findings)
    assert facts(client, "explain", data=data, k=10, number=0)["low"] == expected.findings[0].low
    assert fetched(client, facts(client, "report", data=data, k=10), "report.html")
    assert [file["name"] for file in facts(client, "handover", data=data, k=10)["files"]] == [
        "report.html",
        "sacro.zip",
    ]
    for verb, asked in {
        "tradeoff": {},
        "advise": AT,
        "block": AT,
        "hide": {"sensitive": "a"},
        "compare_hiding": {"sensitive": "a", "min_support": 1},
        "query": {"query": "a"},
    }.items():
        refused = answer(client, verb, data=data, **asked)
        assert refused.status_code == 400
        assert "load the rows" in refused.json()["error"]


def test_maximal_patterns_have_differences(client):
    patterns = discreet.Patterns.from_itemsets([(["a"], 15), (["a", "b"], 12)], n=100, kind="maximal")
    file = io.BytesIO()
    discreet.write_patterns(patterns, file, format="json")
    data, expected = loaded(client, file.getvalue(), "mined.json"), discreet.audit(patterns, k=10)
    found = facts(client, "audit", data=data, k=10)
    assert (found["channels"], found["findings"]) == (None, len(expected.differences)) == (None, 1)
    page = facts(client, "findings", data=data, k=10)
    assert [(one["kind"], one["total"]) for one in page["kinds"]] == [("difference", 1)]


def test_patterns_of_other_programs_need_to_be_told_of_how_many_rows_they_are(client):
    key = upload(client, b"a (60)\na b (50)\nb (55)\n", "mined.out")
    assert "the number of rows" in facts(client, "preview", upload=key)["error"]
    seen = facts(client, "preview", upload=key, holds="patterns", n=100)
    assert (seen["error"], seen["holds"]) == (None, "patterns")
    assert seen["reading"]["text"] == "read as patterns: 100 rows, 2 items; 4 frequent itemsets"
    listed = [("100", []), ("60", ["a"]), ("50", ["a", "b"]), ("55", ["b"])]
    assert ([(row["id"], row["items"]) for row in seen["rows"]], seen["total"]) == (listed, 4)
    with_length = facts(client, "preview", upload=key, n=100, max_length=1)
    assert "cut at 1" in with_length["error"]
    told = facts(client, "read", upload=key, holds="patterns", n=100, kind="frequent")
    assert (told["holds"], told["n"], told["kind"]) == ("patterns", 100, "frequent")


def test_a_label_may_be_anything(client):
    rows = [[SCRIPT, "b\u2028b", "\u202ec"]] * 48 + [[SCRIPT, "b\u2028b"]] * 2 + [["d"]] * 50
    data = loaded(client, csv_of(rows))
    line = facts(client, "findings", data=data, min_support=10, k=10)["findings"][0]
    assert SCRIPT in line["has"]
    assert "\u202e" not in line["who"] + "".join(itertools.chain(*line["lacks"]))
    told = facts(client, "explain", data=data, min_support=10, k=10, number=line["number"])
    assert SCRIPT not in told["svg"]
    found = client.get(f"/check?data={data}&min_support=10&k=10")
    assert found.status_code == 200
    assert SCRIPT not in found.text


def test_the_name_of_a_file_may_be_anything(client):
    data = loaded(client, csv_of(ROWS), quote(f"../../{SCRIPT} ☃\n.csv", safe=""))
    found = facts(client, "read", data=data)
    assert found["file"] == "script> ☃.csv"
    assert "<script> ☃" not in client.get(f"/check?data={data}").text
    name = facts(client, "hide", data=data, sensitive="a b")["files"][0]["name"]
    assert name.isascii()
    assert not {*name} & {*"/\\<>\n"}


@pytest.mark.parametrize(
    ("verb", "asked", "words"),
    [
        ("audit", {"k": 10}, "the minimum support is missing"),
        ("audit", {"min_support": "5%"}, "neither k nor a policy"),
        ("audit", {"min_support": "5%", "k": 0}, "k is '0'"),
        ("audit", {"min_support": "5%", "k": "ten"}, "k is 'ten'"),
        ("audit", {"min_support": "5%", "k": True}, "k is 'True'"),
        ("audit", {"min_support": "5%", "k": 1.5}, "k is '1.5'"),
        ("audit", {"min_support": "lots", "k": 10}, "which is no number"),
        ("audit", {"min_support": [5], "k": 10}, "is no number"),
        ("audit", {"min_support": "0%", "k": 10}, "must be above 0"),
        ("audit", {"min_support": "5%", "k": 3, "policy": "acro"}, "the policy acro asks for 10"),
        ("audit", {"min_support": "5%", "policy": "/etc/passwd"}, "choose one of abs"),
        ("audit", {"min_support": "5%", "policy": "mine.toml"}, "choose one of abs"),
        ("audit", {"min_support": "5%", "k": 10, "rows": "/etc/passwd"}, "is unknown to audit"),
        ("published", {**AT, "sort": "rows"}, "choose one of most"),
        ("findings", {**AT, "kind": "rows"}, "choose one of"),
        ("findings", {**AT, "offset": -1}, "offset is '-1'"),
        ("findings", {**AT, "limit": 0}, "limit is '0'"),
        ("explain", AT, "number is missing"),
        ("block", {"k": 10}, "the minimum support is missing"),
        ("block", {**AT, "method": "magic"}, "it must be one of"),
        ("block", {**AT, "method": "suppress", "merge": True}, "merge is for the method"),
        ("advise", {**AT, "seconds": 0}, "seconds is '0'"),
        ("advise", {**AT, "seconds": 1e9}, "at most 600"),
        ("advise", {**AT, "hierarchy": "/etc/passwd"}, "give such as prefix:3,1"),
        ("attack", {**AT, "level": "magic"}, "choose one of"),
        ("tradeoff", {"ks": []}, "1 to 50 values"),
        ("tradeoff", {"ks": ["x"]}, "ks is 'x'"),
        ("query", {}, "enter a query"),
        ("query", {"query": 7}, "must be text"),
        ("hide", {"sensitive": "a", "disclosure": "2"}, "from 0 to 1"),
        ("hide", {"sensitive": "a", "method": "magic"}, "it must be one of"),
    ],
)
def test_a_wrong_argument_is_a_sentence(client, verb, asked, words):
    found = answer(client, verb, data="pkdd2005", **asked)
    assert found.status_code == 400
    assert words in found.json()["error"]


@pytest.mark.parametrize("name", [None, "", "nobody", "../clinic", 7, ["clinic"], {"id": "clinic"}, "mushroom.dat"])
def test_unknown_data_is_to_be_loaded_again(client, name):
    for verb in ("audit", "read", "findings", "handover"):
        found = client.post(f"/api/{verb}", json={"data": name, **(AT if verb != "read" else {})})
        assert found.status_code == 404
        assert "load the file again" in found.json()["error"]


def test_a_long_job_is_told_of_while_others_are_answered_and_can_be_stopped(client, data):
    asked = {"data": data, "min_support": "1%", "k": 10, "seconds": 600}
    told = client.post("/api/advise", json={**asked, "wait": 0})
    assert told.status_code == 202
    job = told.json()["job"]
    assert told.json()["verb"] == "advise"
    assert facts(client, "audit", data=data, min_support="7%", k=9)["k"] == 9
    assert job in [one["job"] for one in client.get("/api/jobs").json()["jobs"]]
    assert client.post("/api/advise", json={**asked, "wait": 0}).json()["job"] == job
    assert client.post("/api/cancel", json={"job": job}).json() == {"stopped": True}
    assert client.get(f"/api/jobs/{job}").status_code == 409
    assert client.post("/api/cancel", json={"job": job}).json() == {"stopped": False}
    assert client.get("/api/jobs").json() == {"jobs": []}
    assert facts(client, "query", data=data, query="HIV")["count"] == CLINIC.support("HIV")


def test_a_job_that_is_done_is_told_again_by_its_id(client):
    found = client.post("/api/report", json={"data": "waim2008", "min_support": 3, "k": 2, "wait": 0}).json()
    expected = facts(client, "report", data="waim2008", min_support=3, k=2)
    again = client.get(f"/api/jobs/{found['job']}?wait=1").json() if "job" in found else found
    assert again == expected
