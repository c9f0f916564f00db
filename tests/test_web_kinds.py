"""Whatever a file holds, it is loaded, judged, listed and explained alike; and the answers are the library's."""

import io
import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from web import answer, facts, fetched, loaded, served, upload

import discreet
from discreet import report
from discreet.data.generate import clinic
from discreet.publications.trees.leaves import Forest
from discreet.runtime.text import percent, printable
from discreet.web.loading import KINDS

CLINIC = clinic(600, seed=3)
RULES = b"antecedents,consequents,support,confidence\na,b,0.4800,0.9600\nb,a,0.4800,0.8000\nc,a,0.2000,0.9524\n"
TREE = (
    b"|--- age <= 50.00\n|   |--- weights: [30.00, 2.00] class: 0\n"
    b"|--- age >  50.00\n|   |--- weights: [1.00, 40.00] class: 1\n"
)
TABLES = b"ward,young,old,Total\neast,99,3,102\nwest,*,*,28\nTotal,107,23,130\n"


def csv_of(rows):
    file = io.BytesIO()
    discreet.write(discreet.Transactions(rows), file, format="csv")
    return file.getvalue()


def json_of(patterns):
    file = io.BytesIO()
    discreet.write_patterns(patterns, file, format="json")
    return file.getvalue()


def release_of(rows):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("release/release.json", json.dumps({"n": len(rows)}))
    return file.getvalue()


MINED = discreet.mine(CLINIC, min_support="5%")
FILES = {
    "rows": ("clinic.csv", csv_of(CLINIC), {"format": "baskets"}, CLINIC, {"min_support": "5%", "k": 10}),
    "patterns": ("mined.json", json_of(MINED), {}, MINED, {"k": 10}),
    "rules": ("rules.csv", RULES, {"n": 100}, discreet.read_rules(io.BytesIO(RULES), n=100, format="csv"), {"k": 10}),
    "tree": ("tree.txt", TREE, {}, Forest([discreet.read_tree(io.BytesIO(TREE))]), {"k": 10}),
    "tables": ("tables.csv", TABLES, {}, discreet.read_counts(io.BytesIO(TABLES)), {"k": 10}),
}
kinds = pytest.mark.parametrize("kind", FILES)


@pytest.fixture(scope="module")
def client():
    with served(many=1) as found:
        yield found


@pytest.fixture(scope="module")
def ids(client):
    """The id of the data of each kind, loaded as its preview says."""
    return {kind: confirmed(client, *FILES[kind][:3])["data"] for kind in FILES}


def confirmed(client, name, data, how):
    key = upload(client, data, name)
    return facts(client, "read", upload=key, **facts(client, "preview", upload=key, **how)["confirm"])


def expected_of(kind):
    *_, value, asked = FILES[kind]
    return discreet.audit(value, **asked)


@kinds
def test_what_a_file_holds_is_found_shown_and_read(client, kind):
    name, data, how, *_ = FILES[kind]
    key = upload(client, data, name)
    seen = facts(client, "preview", upload=key, **how)
    assert (seen["file"], seen["holds"], seen["error"], seen["bytes"]) == (name, kind, None, len(data))
    assert [one["name"] for one in seen["kinds"]] == [*KINDS]
    assert bool(seen["rows"]) != bool(seen["marks"])
    again = facts(client, "preview", upload=key, **seen["confirm"])
    assert (again["confirm"], again["rows"], again["holds"]) == (seen["confirm"], seen["rows"], kind)
    told = facts(client, "read", upload=key, **seen["confirm"])
    assert (told["holds"], told["file"]) == (kind, name)
    assert facts(client, "read", data=told["data"]) | {"seconds": 0} == told | {"seconds": 0}


@kinds
def test_an_audit_is_the_librarys_and_shows_what_decides(client, ids, kind):
    expected, asked = expected_of(kind), FILES[kind][-1]
    found = facts(client, "audit", data=ids[kind], **asked)
    assert (found["verdict"], found["sentence"], found["what"]) == (
        *(expected.verdict.name, expected.sentence, expected.what),
    )
    assert (found["holds"], found["k"], found["findings"]) == (kind, 10, len(expected.findings))
    assert found["decisive"] == report.decisive(expected).facts
    assert [check["name"] for check in found["checks"]] == [check.name for check in expected.checks]
    assert "WITHHOLD" in fetched(client, facts(client, "report", data=ids[kind], **asked), "report.html").decode()


def line_of(finding):
    return finding.kind, finding.severity.name, finding.who.in_words(), finding.low, finding.high


def pages(client, data, asked, limit):
    """All findings, page by page."""
    total = facts(client, "findings", data=data, **asked, limit=1)["total"]
    every = [
        facts(client, "findings", data=data, **asked, offset=offset, limit=limit) for offset in range(0, total, limit)
    ]
    return [line for page in every for line in page["findings"]]


@kinds
def test_the_pages_of_findings_are_all_findings_in_order(client, ids, kind):
    expected, asked = expected_of(kind).findings, FILES[kind][-1]
    lines = pages(client, ids[kind], asked, 40)
    assert [(line["kind"], line["verdict"], line["who"], line["low"], line["high"]) for line in lines] == [
        line_of(one) for one in expected
    ]
    assert [line["number"] for line in lines] == [*range(len(expected))]
    assert len(expected) > 0
    for line, one in zip(lines, expected, strict=True):
        assert {*line["has"]} == {*map(str, one.who.has)}
        assert [{*lacked} for lacked in line["lacks"]] == [{*map(str, lacked)} for lacked in one.who.lacks]


@settings(max_examples=15)
@given(offset=st.integers(0, 400), limit=st.integers(1, 250))
def test_any_page_is_a_part_of_the_list(client, ids, offset, limit):
    asked = {"data": ids["rows"], **FILES["rows"][-1]}
    every = [line_of(one) for one in expected_of("rows").findings]
    page = facts(client, "findings", **asked, offset=offset, limit=limit)
    assert [(line["kind"], line["verdict"], line["who"], line["low"], line["high"]) for line in page["findings"]] == (
        every[offset : offset + min(limit, 200)]
    )
    assert (page["total"], page["matching"]) == (len(every), len(every))


@kinds
def test_findings_of_a_kind_are_those_of_the_kind(client, ids, kind):
    expected, asked = expected_of(kind), FILES[kind][-1]
    told = facts(client, "findings", data=ids[kind], **asked)["kinds"]
    assert [(one["kind"], one["total"]) for one in told] == [(group.kind, group.total) for group in expected.groups]
    for one in told:
        page = facts(client, "findings", data=ids[kind], **asked, kind=one["kind"], limit=200)
        numbers = [number for number, finding in enumerate(expected.findings) if finding.kind == one["kind"]]
        assert page["matching"] == len(numbers)
        assert [line["number"] for line in page["findings"]] == numbers[:200]


@pytest.mark.parametrize(
    ("search", "words"),
    [
        ("DIABETES", ["diabetes"]),
        ("diabetes type 2, HbA1c", ["diabetes type 2", "hba1c"]),
        ("insulin metformin", ["insulin", "metformin"]),
        ("'type 2' female", ["type 2", "female"]),
        ("nothing at all", ["nothing", "at", "all"]),
    ],
)
def test_a_search_finds_what_names_every_word(client, ids, search, words):
    for kind in ("rows", "patterns"):
        expected, asked = expected_of(kind), FILES[kind][-1]
        numbers = [
            number
            for number, finding in enumerate(expected.findings)
            if all(any(word in str(label).lower() for label in labels_of(finding)) for word in words)
        ]
        page = facts(client, "findings", data=ids[kind], **asked, search=search, limit=200)
        assert (page["total"], page["matching"]) == (len(expected.findings), len(numbers))
        assert [line["number"] for line in page["findings"]] == numbers[:200]


def labels_of(finding):
    return finding.who.has.union(*finding.who.lacks, finding.who.conditions, [finding.who.outcome])


@pytest.mark.parametrize(
    ("kind", "search", "words"),
    [
        ("tree", "'CLASS 0'", ["class 0"]),
        ("tree", "age", ["age"]),
        ("tables", "WEST young", ["west", "young"]),
        ("rules", "b, a", ["b", "a"]),
    ],
)
def test_a_search_works_in_whatever_a_file_holds(client, ids, kind, search, words):
    expected, asked = expected_of(kind), FILES[kind][-1]
    named = [
        number
        for number, one in enumerate(expected.findings)
        if all(any(word in str(label).lower() for label in labels_of(one)) for word in words)
    ]
    page = facts(client, "findings", data=ids[kind], **asked, search=search)
    assert [line["number"] for line in page["findings"]] == named
    assert (page["matching"], len(named) > 0) == (len(named), True)
    for joining in ("nowhere", "not", "but"):
        assert facts(client, "findings", data=ids[kind], **asked, search=joining)["matching"] == 0


@kinds
def test_a_finding_is_explained_by_its_number(client, ids, kind):
    expected, asked = expected_of(kind), FILES[kind][-1]
    last = len(expected.findings) - 1
    for number in {0, last // 2, last}:
        finding = expected.findings[number]
        found = facts(client, "explain", data=ids[kind], **asked, number=number)
        told = report.explain_finding(finding, expected).facts
        assert {name: found[name] for name in told} == told
        assert found["number"] == number
        assert [term["times"] for term in found["terms"]] == [term.times for term in finding.terms]
    missing = answer(client, "explain", data=ids[kind], **asked, number=last + 1)
    assert (missing.status_code, "there is no finding" in missing.json()["error"]) == (400, True)


def published(client, data, asked, **more):
    """All lines that would be published."""
    first = facts(client, "published", data=data, **asked, **more, limit=100)
    rest = [
        facts(client, "published", data=data, **asked, **more, offset=offset, limit=100)
        for offset in range(100, first["matching"], 100)
    ]
    return [line for page in (first, *rest) for line in page["lines"]]


@pytest.mark.parametrize("kind", ["rows", "patterns"])
def test_what_would_be_published_is_what_was_mined(client, ids, kind):
    asked = FILES[kind][-1]
    lines = published(client, ids[kind], asked)
    assert {(frozenset(items), support, share) for items, support, share in lines} == {
        (frozenset(map(str, itemset)), support, percent(support / MINED.n)) for itemset, support in MINED
    }
    assert len(lines) == len(MINED)


@pytest.mark.parametrize(
    ("sort", "key"),
    [
        ("most", lambda line: (-line[1], len(line[0]))),
        ("fewest", lambda line: (line[1], len(line[0]))),
        ("longest", lambda line: -len(line[0])),
    ],
)
def test_what_would_be_published_comes_in_three_orders(client, ids, sort, key):
    lines = published(client, ids["rows"], FILES["rows"][-1], sort=sort)
    assert [key(line) for line in lines] == sorted(map(key, lines))
    assert len(lines) == len(MINED)


@pytest.mark.parametrize("search", ["insulin", "HBA1C, insulin", "'type 2' female", "nowhere"])
def test_a_search_finds_what_would_be_published(client, ids, search):
    words = [word.strip("' ").lower() for word in (search.split(",") if "," in search else search.split("' "))]
    lines = published(client, ids["rows"], FILES["rows"][-1], search=search)
    named = [
        frozenset(map(str, itemset))
        for itemset, _ in MINED
        if all(any(word in str(label).lower() for label in itemset) for word in words)
    ]
    assert {frozenset(items) for items, *_ in lines} == {*named}
    assert len(lines) == len(named)


def test_what_would_be_published_is_downloaded_and_read_again(client, ids, tmp_path):
    found = facts(client, "published", data=ids["rows"], **FILES["rows"][-1], save=True, limit=1)
    path = tmp_path / found["files"][0]["name"]
    path.write_bytes(fetched(client, found, path.name))
    assert {*discreet.read_patterns(path, n=MINED.n, kind=MINED.kind)} == {*MINED}
    assert facts(client, "published", data=ids["rows"], **FILES["rows"][-1])["files"] == []


def test_what_is_left_out_is_not_among_what_would_be_published(client, ids):
    asked = {**FILES["rows"][-1], "max_length": 2, "leave_out": ["hypertension"]}
    lines = published(client, ids["rows"], asked)
    expected = discreet.audit(CLINIC, **asked).patterns
    assert {frozenset(items) for items, *_ in lines} == {frozenset(map(str, itemset)) for itemset, _ in expected}
    assert max(len(items) for items, *_ in lines) == 2


def test_rules_leaves_and_tables_are_listed_as_they_are(client, ids):
    rules = facts(client, "published", data=ids["rules"], k=10)
    assert rules["head"] == ["If", "Then", "Number", "Confidence"]
    assert [line[:2] for line in rules["lines"]] == [[["a"], ["b"]], [["b"], ["a"]], [["c"], ["a"]]]
    assert facts(client, "published", data=ids["rules"], k=10, search="c")["matching"] < 3
    leaves = facts(client, "published", data=ids["tree"], k=10)
    assert leaves["lines"] == [[1, "age \u2264 50", 32, "0: 30, 1: 2"], [1, "age > 50", 41, "0: 1, 1: 40"]]
    tables = facts(client, "published", data=ids["tables"], k=10)
    assert (tables["total_tables"], tables["files"]) == (1, [])
    assert [line[0]["text"] for line in tables["tables"][0]["lines"]] == ["east", "west", "total"]


@pytest.mark.parametrize("level", ["derive", "linear"])
def test_stronger_readers_find_what_the_library_says(client, level):
    rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["a", "c"]] * 9 + [[]] * 50
    data = loaded(client, csv_of(rows), format="baskets", empty_rows=True)
    audit = discreet.audit(rows, min_support=10, k=10)
    expected = discreet.attack(audit.patterns, k=10, level=level, rows=audit.rows, seconds=20)
    found = facts(client, "attack", data=data, min_support=10, k=10, level=level)
    assert (found["is_safe"], found["total"], found["level"]) == (expected.is_safe, len(expected.findings), level)
    assert [(one["pattern"], one["low"], one["high"], one["sentence"]) for one in found["findings"]] == [
        (printable(one.pattern.words(expected.facts.labels)), one.low, one.high, printable(one.sentence))
        for one in sorted(expected.findings, key=lambda one: (one.level == "plain", one.high, one.low))
    ]
    assert found["new"] == sum(one.level != "plain" for one in expected.findings)
    assert found["assumptions"] == [*map(printable, expected.assumptions)]
    assert json.loads(fetched(client, found, "certificates.DO-NOT-RELEASE.json"))
    assert len(expected.findings) > 0


@pytest.mark.parametrize("kind", ["tree", "tables"])
def test_stronger_readers_are_not_for_what_is_judged_in_full(client, ids, kind):
    refused = answer(client, "attack", data=ids[kind], k=10)
    assert (refused.status_code, "judged in full already" in refused.json()["error"]) == (400, True)


@pytest.mark.parametrize("kind", ["patterns", "rules", "tree"])
def test_what_has_no_rows_is_not_repaired(client, ids, kind):
    for verb in ("advise", "block"):
        refused = answer(client, verb, data=ids[kind], k=10, min_support=5)
        assert (refused.status_code, "load the rows" in refused.json()["error"]) == (400, True)


@pytest.mark.parametrize(
    ("kind", "option"),
    [("rows", {"digits": 2}), ("patterns", {"columns": ["a"]}), ("tree", {"counts": "n"}), ("tables", {"row": "ward"})],
)
def test_an_option_of_another_kind_is_refused(client, kind, option):
    name, data, how, *_ = FILES[kind]
    found = answer(client, "read", upload=upload(client, data, name), holds=kind, **how, **option)
    assert found.status_code == 400
    assert f"is not for {kind}; leave it out" in found.json()["error"]


def test_a_release_is_led_elsewhere(client):
    key = upload(client, release_of(CLINIC), "release.zip")
    seen = facts(client, "preview", upload=key)
    assert (seen["holds"], seen["error"], seen["confirm"], seen["rows"]) == ("release", None, None, [])
    assert "the page Verify" in answer(client, "read", upload=key).json()["error"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b'{"n": 3'),
        ("a.csv", b"antecedents,consequents,support,confidence\na,b,x,y\n"),
        ("a.txt", b"|--- age <= 50.00\n|   |---"),
        ("a.csv", b"sex,n\nTotal,180\nf,177\nf,3\n"),
        ("a.parquet", b"PAR1\0\0"),
        ("a.zip", b"PK\x03\x04"),
    ],
)
def test_what_is_broken_is_a_sentence_and_loads_nothing(client, name, data):
    key = upload(client, data, name)
    seen, refused = (answer(client, verb, upload=key) for verb in ("preview", "read"))
    assert (seen.json().get("confirm"), seen.json().get("reading")) == (None, None)
    assert refused.status_code == 400
    assert seen.json()["error"] in refused.json()["error"]
    assert str(client.state.uploads.folder) not in seen.text + refused.text
    assert refused.json()["error"]


def test_what_is_loaded_is_listed_and_can_be_removed(tmp_path):
    own = tmp_path / "own.csv"
    own.write_bytes(csv_of([["a", "b"]] * 20))
    with served(many=1) as client:
        assert client.get("/api/loaded").json() == {"loaded": []}
        first, second = (confirmed(client, *FILES[kind][:3]) for kind in ("tree", "tables"))
        upload_of_own = client.state.uploads.add(own, {})
        how = facts(client, "preview", upload=upload_of_own.id)["confirm"]
        third = facts(client, "read", upload=upload_of_own.id, **how)
        listed = client.get("/api/loaded").json()["loaded"]
        assert [(one["data"], one["file"], one["holds"]) for one in listed] == [
            (one["data"], one["file"], one["holds"]) for one in (third, second, first)
        ]
        folder = client.state.uploads.folder
        assert len([path for path in folder.iterdir() if path.is_file()]) == 2
        assert client.post("/api/remove", json={"data": first["data"]}).json() == {"removed": True}
        assert [path.suffix for path in folder.iterdir() if path.is_file()] == [".csv"]
        assert answer(client, "audit", data=first["data"], k=10).status_code == 404
        assert client.post("/api/remove", json={"data": third["data"]}).json() == {"removed": True}
        assert own.exists()
        assert [one["data"] for one in client.get("/api/loaded").json()["loaded"]] == [second["data"]]
        for name in (first["data"], "clinic", "nobody", None):
            assert client.post("/api/remove", json={"data": name}).json() == {"removed": False}


def test_a_file_that_was_read_in_two_ways_goes_with_the_last_of_them():
    with served(many=1) as client:
        key = upload(client, b"order,item\n1,tea\n1,milk\n2,tea\n")
        ways = [{"holds": "rows", "format": "baskets"}, {"holds": "rows", "row": "order", "item": "item"}]
        first, second = (facts(client, "read", upload=key, **how)["data"] for how in ways)
        client.post("/api/remove", json={"data": first})
        assert facts(client, "read", data=second)["n"] == 2
        client.post("/api/remove", json={"data": second})
        assert [path for path in client.state.uploads.folder.iterdir() if path.is_file()] == []
