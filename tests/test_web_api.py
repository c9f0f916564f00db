"""What the web app answers is what the library says; its files verify, and what it hid cannot be found in them."""

import io
import itertools
import json
import zipfile
from fractions import Fraction
from urllib.parse import quote

import pytest
from web import answer, facts, loaded, served, upload

import discreet
from discreet import report
from discreet.blocking.distortion import supports_in
from discreet.data.generate import clinic
from discreet.web.context import Cache, Context, Data
from discreet.web.handlers import block as handlers

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


def fetched(client, found, name):
    """The bytes of a file of an answer."""
    file = next(file for file in found["files"] if file["name"] == name)
    got = client.get(file["url"])
    assert got.status_code == 200
    assert got.headers["content-disposition"].startswith("attachment")
    assert len(got.content) == file["bytes"]
    return got.content


def unpacked(data, place):
    """The folder of a zip."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(place)
    return next(place.iterdir())


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
    assert found["is_patterns"] is False


def test_every_sample_that_is_listed_can_be_read(client):
    listed = client.get("/api/samples").json()["samples"]
    assert [sample["name"] for sample in listed][:4] == ["clinic", "pkdd2005", "waim2008", "oliveira2002"]
    for sample in listed[:4]:
        assert facts(client, "read", sample=sample["name"])["n"] == sample["rows"]


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
        assert found["policy"] == policy
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
    wrong = answer(client, "audit", **{**asked, "leave_out": ["hypertensoin"]}).json()
    assert wrong["error"].endswith("which is no item and no attribute; give a label, or a column of a table")


def test_the_page_is_asked_and_the_program_alike(client):
    asked = "/api/audit?data=clinic&min_support=5%25&k=10&wait=10"
    assert client.get(asked).json() == facts(client, "audit", data="clinic", **AT)


def test_what_may_be_published_comes_with_a_guarantee(client):
    found = facts(client, "audit", data=loaded(client, csv_of([["a", "b"]] * 20 + [["a"]] * 12 + [["c"]] * 11)), **AT)
    assert found["verdict"] == "RELEASE"
    assert "nobody can infer" in found["guarantee"]


@pytest.mark.parametrize("sort", ["worst", "count", "base", "top"])
@pytest.mark.parametrize("descending", [False, True])
def test_the_pages_of_channels_are_all_channels_in_order(client, data, sort, descending):
    channels = discreet.audit(CLINIC, **AT).channels
    asked = {"data": data, **AT, "sort": sort, "descending": descending}
    pages = [facts(client, "detect", **asked, offset=offset, limit=100) for offset in (0, 100)]
    lines = [line for page in pages for line in page["channels"]]
    assert sorted(line["number"] for line in lines) == list(range(len(channels)))
    for line in lines:
        channel = channels[line["number"]]
        assert (line["text"], line["count"]) == (channel.pattern, channel.count)
        assert ({*line["base"]}, {*line["lacked"]}) == (channel.base, channel.top - channel.base)
    keys = [key_of(line, sort) for line in lines]
    assert keys == sorted(keys, reverse=descending)


def key_of(line, sort):
    base, top = len(line["base"]), len(line["base"]) + len(line["lacked"])
    return {"worst": (line["count"], top), "count": line["count"], "base": base, "top": top}[sort]


@pytest.mark.parametrize(
    ("search", "words"),
    [
        ("", []),
        ("DIABETES", ["diabetes"]),
        ("diabetes type 2, HbA1c", ["diabetes type 2", "hba1c"]),
        ("insulin metformin", ["insulin", "metformin"]),
        ("'type 2' female", ["type 2", "female"]),
        ("nothing at all", ["nothing", "at", "all"]),
    ],
)
def test_a_search_finds_the_channels_whose_top_has_every_word(client, data, search, words):
    channels = discreet.audit(CLINIC, **AT).channels
    expected = [
        number
        for number, channel in enumerate(channels)
        if all(any(word in str(label).lower() for label in channel.top) for word in words)
    ]
    found = facts(client, "detect", data=data, **AT, search=search, limit=200)
    assert (found["total"], found["matching"]) == (len(channels), len(expected))
    assert sorted(line["number"] for line in found["channels"]) == expected
    assert {*found["items"]} <= {*CLINIC.labels}


def test_a_channel_is_explained_as_the_library_does(client, data):
    audit = discreet.audit(CLINIC, **AT)
    for number in (0, 1, len(audit.channels) - 1):
        channel = audit.channels[number]
        found = facts(client, "explain", data=data, **AT, number=number)
        assert found["words"] == report.in_words(channel)
        assert sum(term["times"] * term["support"] for term in found["terms"]) == channel.count
        for term in found["terms"]:
            assert term["support"] == CLINIC.support(term["items"])
        assert found["count"] == found["rows"] == channel.count
        assert found["svg"] == report.cells_svg(channel, audit.patterns)
        assert report.show_sum(channel.terms(audit.patterns)) == found["sum"].rpartition(" = ")[0]
        assert found["more"] is False


def test_a_channel_that_is_not_there_is_a_sentence(client, data):
    found = answer(client, "explain", data=data, **AT, number=10**6)
    assert found.status_code == 400
    assert "there is no channel" in found.json()["error"]


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
    assert [(line["what"], line["verdict"], line["kept"], line["rows_touched"]) for line in found["remedies"]] == [
        (one.what, one.verdict.name, one.kept, one.rows_touched) for one in expected.remedies
    ]
    for line, one in zip(found["remedies"], expected.remedies, strict=True):
        assert line["distortion"] == one.costs.itemsets._asdict()
        assert (line["costs"]["n_after"], line["costs"]["items"]["largest"]) == (
            one.costs.n_after,
            one.costs.items.largest,
        )
    assert [(cause["name"], cause["findings"]) for cause in found["items"]] == [
        (cause.name, cause.findings) for cause in expected.items
    ]
    assert sum(cause["share"] for cause in found["items"]) == pytest.approx(
        sum(cause.share for cause in expected.items)
    )


def test_every_remedy_is_done_with_its_options(client, data):
    remedies = facts(client, "advise", data=data, **AT)["remedies"]
    assert {*itertools.chain.from_iterable(line["options"] for line in remedies)} == {
        *("method", "merge", "max_length", "min_support", "leave_out")
    }
    for line in remedies:
        found = facts(client, "block", data=data, **{**AT, **line["options"]})
        assert found["verdict"] == line["verdict"] == "RELEASE"
        published = found["distortion"]["itemsets"] - found["distortion"]["lost"]
        assert (published, found["costs"]["n_after"]) == (line["kept"], line["costs"]["n_after"])
        assert "release.zip" in [file["name"] for file in found["files"]]


def test_the_releases_of_remedies_are_at_hand(monkeypatch, tmp_path):
    context = Context(Cache(), Data("clinic", "clinic", None, {}), tmp_path / "files", 1 << 30, list, bool)
    remedies = handlers.advise(context, **AT, seconds=1.0)["remedies"]
    assert len(remedies) > 8
    monkeypatch.setattr(discreet, "block", None)
    for at, line in enumerate(remedies):
        context.place = tmp_path / str(at)
        assert handlers.block(context, **{**AT, "seconds": 1.0, **line["options"]})["verdict"] == "RELEASE"


def test_what_may_be_published_as_it_is_needs_no_remedy(client, data):
    found = facts(client, "advise", data=data, min_support="50%", k=10)
    assert (found["verdict"], found["best"], len(found["remedies"])) == ("RELEASE", 0, 1)
    assert found["recommendation"].startswith("Nothing needs to be done")
    assert found["items"] == found["attributes"] == []


def test_remedies_name_the_columns_of_a_table_and_labels_of_any_kind(client):
    lines = ["sex,\u202esmokes", *["f,yes"] * 50, *["f,no"] * 50, *["m,yes"] * 50, *["m,no"] * 3]
    data = loaded(client, "\n".join(lines).encode(), "table.csv", format="table")
    found = facts(client, "advise", data=data, min_support=40, k=10)
    assert {cause["name"] for cause in found["attributes"]} == {"sex", "\\u202esmokes"}
    assert "\u202e" not in found["recommendation"] + "".join(line["what"] for line in found["remedies"])
    left_out = [line for line in found["remedies"] if line["options"].get("leave_out") == ["\u202esmokes"]]
    assert facts(client, "block", data=data, min_support=40, k=10, **left_out[0]["options"])["verdict"] == "RELEASE"


def test_methods_are_compared_as_by_the_library(client):
    expected = discreet.compare(ROWS, min_support=10, k=10)
    found = facts(client, "compare", data=loaded(client, csv_of(ROWS), empty_rows=True), min_support="10", k=10)
    assert [line["name"] for line in found["methods"]] == [line.name for line in expected.lines]
    for line, other in zip(found["methods"], expected.lines, strict=True):
        release = other.release
        cost = release.distortion
        assert [line[name] for name in ("average", "lost", "changed", "itemsets", "largest")] == [
            cost.average,
            cost.lost,
            cost.changed,
            cost.itemsets,
            cost.largest,
        ]
        assert (line["suppressed"], line["added"]) == (release.suppressed.size, release.added.weights.sum())
        assert (line["n"], line["listed"]) == (release.patterns.n, len(release.patterns))
        assert (line["method"], line["merge"]) == (release.method, other.name == "add, merged")
        assert (line["verdict"], line["item"], line["share"]) == (
            release.verdict.name,
            release.costs.items.largest,
            release.costs.shares.largest,
        )
    assert found["best"] == "withhold"
    assert found["recommendation"] == expected.recommendation


@pytest.mark.parametrize(
    ("method", "options"), [("suppress", {}), ("add", {"merge": True}), ("add", {}), ("withhold", {})]
)
def test_a_release_is_the_librarys_and_verifies(client, data, tmp_path, method, options):
    expected = discreet.block(CLINIC, min_support="5%", k=10, method=method, **options)
    found = facts(client, "block", data=data, **AT, method=method, **options)
    assert found["verdict"] == "RELEASE"
    assert found["distortion"] == expected.distortion._asdict()
    assert found["listed"] == len(expected.patterns)
    folder = unpacked(fetched(client, found, "release.zip"), tmp_path / "public")
    assert {path.name for path in folder.iterdir()} == {
        "certificate.json",
        "patterns.json",
        "release.json",
        "report.txt",
    }
    assert discreet.verify(folder).is_good
    assert {*discreet.read_patterns(folder / "patterns.json")} == {*expected.patterns}
    private = unpacked(fetched(client, found, "DO-NOT-RELEASE.zip"), tmp_path / "private")
    names = {"README.txt", "cost.json", "suppressed.csv", "added.csv", "supports.csv", "report.html"}
    assert {path.name for path in private.iterdir()} == names
    assert json.loads((private / "cost.json").read_text())["input"]["file"] == "clinic.csv"
    assert b"<html" in fetched(client, found, "report.html")


def test_the_recommended_release_does_not_tell_which_method_made_it(client, tmp_path):
    rows = [[*"abcd", *more] for more in ("", "e", "f", "ef") for _ in range(25)] + [["e"], ["f"]]
    data = loaded(client, csv_of(rows), format="baskets")
    question = {"data": data, "min_support": 10, "k": 10, "seconds": 3}
    recommended = facts(client, "compare", **question)["best"]
    found = facts(client, "block", **question, method="best")
    folder = unpacked(fetched(client, found, "release.zip"), tmp_path / "public")
    told = json.loads((folder / "release.json").read_text())
    assert (found["method"], told["method"]) == (recommended, "best")


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


@pytest.mark.parametrize(("method", "verdict", "files"), [("add", "REVIEW", 3), ("suppress", "RELEASE", 1)])
def test_what_needs_a_review_says_so_and_where_nothing_is_left_there_is_no_release(client, method, verdict, files):
    data = loaded(client, csv_of(ROWS[:9]), format="baskets")
    found = facts(client, "block", data=data, min_support=2, policy="acro", method=method)
    assert (found["verdict"], len(found["files"])) == (verdict, files)
    assert found["advice"]
    assert found["guarantee"] is None
    assert "DO-NOT-RELEASE.zip" in [file["name"] for file in found["files"]]


def test_the_same_release_is_the_same_bytes(client):
    ids = [loaded(client, csv_of(ROWS), empty_rows=True) for _ in range(2)]
    found = [facts(client, "block", data=one, min_support=10, k=10, method="add") for one in ids]
    one, other = (fetched(client, each, "release.zip") for each in found)
    assert one == other


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
    private = unpacked(fetched(client, found, "DO-NOT-RELEASE.zip"), tmp_path / "private")
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


def test_methods_to_hide_are_compared(client):
    rows, itemsets = discreet.io.datasets.load("pkdd2005"), [{"a", "b"}, {"c", "d"}]
    expected = discreet.compare_hiding(rows, itemsets, min_supports=[3], disclosures=["0", "20%"])
    asked = {"sensitive": "a b\nc d", "min_support": 3, "disclosures": "0,20%"}
    found = facts(client, "compare_hiding", data="pkdd2005", **asked)
    assert [(line["method"], line["disclosure"]) for line in found["lines"]] == [
        (line.method, None if line.disclosure is None else str(line.disclosure)) for line in expected.lines
    ]
    assert Fraction(1, 5) in {line.disclosure for line in expected.lines}
    assert [line["items_removed"] for line in found["lines"]] == [line.items_removed for line in expected.lines]
    assert found["recommendation"] == expected.recommendation
    assert found["figure"]["html"].count("<polyline") >= 2 * len({line["method"] for line in found["lines"]})


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


def patterns_json(**options):
    file = io.BytesIO()
    discreet.write_patterns(discreet.mine(CLINIC, min_support="5%", **options), file, format="json")
    return file.getvalue()


def test_patterns_without_rows_are_judged_and_nothing_else(client):
    data = loaded(client, patterns_json(), "mined.json")
    told = facts(client, "read", data=data)
    assert (told["is_patterns"], told["n"], told["kind"], told["min_support"]) == (True, 2000, "closed", 100)
    expected = discreet.audit(discreet.mine(CLINIC, min_support="5%"), k=10)
    found = facts(client, "audit", data=data, k=10, min_support="99%")
    assert (found["verdict"], found["channels"]) == ("WITHHOLD", len(expected.channels))
    assert (found["exposed"], found["min_support"]) == (None, 100)
    assert facts(client, "detect", data=data, k=10)["total"] == len(expected.channels)
    assert facts(client, "explain", data=data, k=10, number=0)["rows"] is None
    assert fetched(client, facts(client, "report", data=data, k=10), "report.html")
    for verb, asked in {
        "tradeoff": {},
        "advise": AT,
        "compare": AT,
        "block": AT,
        "hide": {"sensitive": "a"},
        "compare_hiding": {"sensitive": "a", "min_support": 1},
        "query": {"query": "a"},
    }.items():
        refused = answer(client, verb, data=data, **asked)
        assert refused.status_code == 400
        assert "holds patterns" in refused.json()["error"]


def test_maximal_patterns_have_differences(client):
    data = loaded(client, patterns_json(kind="maximal"), "mined.json")
    expected = discreet.audit(discreet.mine(CLINIC, min_support="5%", kind="maximal"), k=10)
    found = facts(client, "audit", data=data, k=10)
    assert (found["channels"], found["differences"]) == (None, len(expected.differences))
    page = facts(client, "detect", data=data, k=10)
    assert (page["kind"], page["total"]) == ("differences", len(expected.differences))


def test_patterns_of_other_programs_need_to_be_told_of_how_many_rows_they_are(client):
    key = upload(client, b"a (60)\na b (50)\nb (55)\n", "mined.out")
    assert "n" in facts(client, "preview", upload=key)["error"]
    seen = facts(client, "preview", upload=key, patterns=True, n=100)
    assert (seen["error"], seen["patterns"]) == (None, True)
    assert seen["reading"]["text"] == "read as patterns: 100 rows, 2 items; 4 frequent itemsets"
    assert [(row["id"], row["items"]) for row in seen["rows"]] == [("100", []), ("60", ["a"]), ("50", ["a", "b"])]
    with_length = facts(client, "preview", upload=key, n=100, max_length=1)
    assert "cut at 1" in with_length["error"]
    told = facts(client, "read", upload=key, patterns=True, n=100, kind="frequent")
    assert (told["is_patterns"], told["n"], told["kind"]) == (True, 100, "frequent")


def test_a_label_may_be_anything(client):
    rows = [[SCRIPT, "b\u2028b", "\u202ec"]] * 48 + [[SCRIPT, "b\u2028b"]] * 2 + [["d"]] * 50
    data = loaded(client, csv_of(rows))
    line = facts(client, "detect", data=data, min_support=10, k=10)["channels"][0]
    assert SCRIPT in line["base"]
    assert "\u202e" not in "".join(line["lacked"])
    told = facts(client, "explain", data=data, min_support=10, k=10, number=line["number"])
    assert SCRIPT not in told["svg"]
    found = client.get(f"/audit?data={data}&min_support=10&k=10")
    assert found.status_code == 200
    assert SCRIPT not in found.text


def test_the_name_of_a_file_may_be_anything(client):
    data = loaded(client, csv_of(ROWS), quote(f"../../{SCRIPT} ☃\n.csv", safe=""))
    found = facts(client, "read", data=data)
    assert found["file"] == "script> ☃.csv"
    assert "<script> ☃" not in client.get(f"/audit?data={data}").text
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
        ("detect", {**AT, "sort": "rows"}, "choose one of worst"),
        ("detect", {**AT, "offset": -1}, "offset is '-1'"),
        ("explain", AT, "number is missing"),
        ("block", {"k": 10}, "the minimum support is missing"),
        ("block", {**AT, "method": "magic"}, "it must be one of"),
        ("block", {**AT, "method": "suppress", "merge": True}, "merge is for the method"),
        ("compare", {**AT, "seconds": 0}, "seconds is '0'"),
        ("compare", {**AT, "seconds": 1e9}, "at most 600"),
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
    for verb in ("audit", "read", "detect"):
        found = client.post(f"/api/{verb}", json={"data": name, **(AT if verb != "read" else {})})
        assert found.status_code == 404
        assert "load the file again" in found.json()["error"]


def test_a_long_job_is_told_of_while_others_are_answered_and_can_be_stopped(client, data):
    asked = {"data": data, "min_support": "1%", "k": 10, "seconds": 600}
    told = client.post("/api/compare", json={**asked, "wait": 0})
    assert told.status_code == 202
    job = told.json()["job"]
    assert told.json()["verb"] == "compare"
    assert facts(client, "audit", data=data, min_support="7%", k=9)["k"] == 9
    assert job in [one["job"] for one in client.get("/api/jobs").json()["jobs"]]
    assert client.post("/api/compare", json={**asked, "wait": 0}).json()["job"] == job
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


def test_distinct_pages_do_not_overlap(client, data):
    numbers = [
        {line["number"] for line in facts(client, "detect", data=data, **AT, offset=offset, limit=20)["channels"]}
        for offset in (0, 20, 40)
    ]
    assert all(not one & other for one, other in itertools.pairwise(numbers))
