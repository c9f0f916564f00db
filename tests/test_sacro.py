"""The SACRO folder: what SACRO-Viewer opens, and what it flags is what gives away too much."""

import csv
import hashlib
import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import oracle
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from strategies import detected_databases

import discreet
from discreet import Leaves, OutputError, Patterns, Rules, Transactions, Verdict, audit, report
from discreet.cli import main
from discreet.judging.policy import Policy, as_policy

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
SAFE = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10
HOSTILE = [
    'say "hi"',
    "two\nlines",
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\ttab",
    "<script>alert(1)</script>",
    "a;b",
    "a,b",
    " ",
    "",
]
KEYS = [
    *("uid", "status", "type", "properties", "files", "outcome"),
    *("command", "summary", "timestamp", "comments", "exception", "fair"),
]
MARK = "DO-NOT-RELEASE"
TIME = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def written(found, **options):
    """What a folder holds, as bytes by name."""
    with TemporaryDirectory() as place:
        report.write_sacro(found, Path(place, "folder"), **options)
        assert [path.name for path in Path(place).iterdir()] == ["folder"]
        return held(Path(place, "folder"))


def held(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def results(files):
    return json.loads(files["outputs.json"].decode("ascii"))["results"]


def table(data):
    """A table as lists of texts; the header first."""
    return list(csv.reader(StringIO(data.decode(), newline=""), strict=True))


def shown_red(files, uid, number=0):
    """The texts that SACRO-Viewer marks, by flag: it counts lines after the header, and columns after the first."""
    file = results(files)[uid]["files"][number]
    lines = table(files[file["name"]])
    return {
        flag: [(lines[1 + line][0], lines[1 + line][1 + column]) for line, column in cells]
        for flag, cells in file["sdc"]["cells"].items()
    }


def itemset(cell):
    return frozenset(next(csv.reader([cell], delimiter=";", strict=True), []))


def told(itemset):
    return frozenset(map(str, itemset))


def by_policy(rows, *, min_support=5, **rule):
    return audit(rows, min_support=min_support, policy=Policy("ours", **rule))


AUDITS = {
    "pass": lambda: audit(SAFE, min_support=10, k=10),
    "review": lambda: by_policy(SAFE, k=10, min_support=10, max_itemsets=1),
    "fail": lambda: audit(ROWS, min_support=10, k=10),
}


RULES = Rules.from_rules([(["a"], ["b"], 80, "98.7%"), (["c"], ["b"], 90, "75%")], rounding="truncate")
TREE = Leaves.from_rules([("age > 60", {"ill": 20, "well": 9}), ("", {"ill": 3, "well": 80})])
TABLE = b"sex,ill,well,Total\nf,40,50,90\nm,,30,33\nTotal,43,80,123\n"
CANDIDATES = {
    "rules": lambda: audit(RULES, k=5),
    "supports": lambda: audit(discreet.read_facts([(["a"], 81), (["a", "b"], 80)], n=100, round_to=1), k=5),
    "leaves": lambda: audit(TREE, k=5),
    "counts": lambda: audit(discreet.read_counts(BytesIO(TABLE)), k=5),
}


@pytest.mark.parametrize("name", CANDIDATES)
def test_every_candidate_is_written_with_its_findings(name):
    found = CANDIDATES[name]()
    files = written(found)
    outputs = results(files)
    assert outputs[name]["status"] == "fail"
    assert [file["name"] for file in outputs[name]["files"]] == [f"{name}.csv", f"{name}.svg"]
    assert outputs[name]["command"].startswith("discreet audit FILE -k 5")  # its table cannot be read back
    assert [list(result) for result in outputs.values()] == [KEYS] * len(outputs)
    lines = [line for file in files if MARK in file and file.endswith(".csv") for line in table(files[file])[1:]]
    assert len(lines) == len(found.findings) > 0
    assert hashlib.sha256(files[f"{name}.csv"]).hexdigest().encode() == files[f"checksums/{name}.csv.txt"]


def test_rules_are_flagged_whose_numbers_reveal_few_rows():
    files = written(CANDIDATES["rules"]())
    assert table(files["rules.csv"]) == [
        ["antecedent", "consequent", "support", "confidence"],
        ["a", "b", "80", "0.987 to 0.988"],
        ["c", "b", "90", "0.75 to 0.751"],
    ]
    assert shown_red(files, "rules") == {"bounds": [("a", "80"), ("a", "0.987 to 0.988")]}
    assert table(files[f"{MARK}/bounds.csv"])[1:] == [["hold a, but not b", "a", "a;b", "1", "sup(a) 81 − sup(a;b) 80"]]


def test_leaves_are_flagged_that_few_rows_of_a_class_reach():
    files = written(CANDIDATES["leaves"]())
    assert table(files["leaves.csv"]) == [
        ["leaf", "tree", "rows", "class ill", "class well"],
        ["age > 60", "1", "29", "20", "9"],
        ["none of the rules before", "1", "83", "3", "80"],
    ]
    assert shown_red(files, "leaves") == {"low counts": [("none of the rules before", "3")]}
    assert [line[0] for line in table(files[f"{MARK}/few.csv"])[1:]] == ["reach none of the rules before, class ill"]


def test_cells_of_tables_are_flagged_that_can_be_worked_out():
    files = written(CANDIDATES["counts"]())
    assert table(files["counts.csv"])[4] == ["table", "sex m, column ill", "masked"]
    assert shown_red(files, "counts") == {"masked counts": [("table", "masked")]}
    assert table(files[f"{MARK}/cells.csv"])[1][3] == "3"


def test_rules_that_no_rows_can_have_are_written_as_well():
    wrong = Rules.from_rules([(["a"], ["b"], 80, "50%"), (["a"], ["c"], 80, "90%")], n=100, rounding="exact")
    assert table(written(audit(wrong, k=5))["rules.csv"])[1:] == [["a", "b", "80", "0.5"], ["a", "c", "80", "0.9"]]


def test_the_command_writes_rules_and_trees(tmp_path):
    rules, tree = tmp_path / "rules.txt", tmp_path / "tree.json"
    rules.write_text("1 ==> 2 #SUP: 80 #CONF: 0.987\n", encoding="utf-8")
    discreet.write_tree(TREE, tree)
    for file, option, name in ((rules, "--rules", "rules"), (tree, "--tree", "leaves")):
        folder = tmp_path / name
        arguments = ["audit", file, option, "-k", 5, "--sacro", folder, "--quiet"]
        assert CliRunner().invoke(main, [str(argument) for argument in arguments]).exit_code == 1
        assert name in results(held(folder))


@pytest.mark.parametrize("status", AUDITS)
def test_the_status_is_that_of_the_verdict(status):
    result = results(written(AUDITS[status]()))["itemsets"]
    assert status == result["status"]
    assert status == result["summary"].split("; ")[0]
    assert (status == "pass") == (result["exception"] == "")


@pytest.mark.parametrize("status", AUDITS)
def test_the_json_has_the_shape_that_the_viewer_asks_for(status):
    outputs = json.loads(written(AUDITS[status]())["outputs.json"])
    assert list(outputs) == ["version", "tool", "results"]
    assert re.fullmatch(r"1\.0\.\d+", outputs["version"])
    assert "itemsets" in outputs["results"]
    for uid, result in outputs["results"].items():
        assert list(result) == KEYS
        assert uid == result["uid"]
        assert result["status"] in {"pass", "fail", "review"}
        assert [set(file) for file in result["files"]] == [{"name", "sdc"}] * 2
        assert result["fair"]["check_status"].keys() == result["outcome"].keys()
        assert {"method", "k", "policy", "n", "min_support"} <= result["properties"].keys()


@pytest.mark.parametrize("status", AUDITS)
def test_outputs_names_the_table_and_its_picture_and_no_finding(status):
    files = written(AUDITS[status]())
    named = [file["name"] for result in results(files).values() for file in result["files"]]
    assert named == ["itemsets.csv", "itemsets.svg"]
    assert [MARK in name for name in files if "channels" in name] == [True] * (status == "fail")


def test_the_risk_profile_is_a_policy(tmp_path):
    report.write_sacro(by_policy(ROWS, k=7, zeros=Verdict.WITHHOLD), tmp_path / "checked")
    policy = as_policy(tmp_path / "checked" / "config.json")
    assert (policy.k, policy.zeros) == (7, Verdict.WITHHOLD)


def test_the_picture_counts_what_the_table_lists():
    picture = written(AUDITS["fail"]())["itemsets.svg"].decode()
    texts = re.findall(r"<text[^>]*>([^<]*)", picture)[1:]
    bars = dict(zip(texts[1::2], map(int, texts[::2]), strict=True))
    assert bars == {"0": 0, "1–9": 0, "10–19": 0, "20–49": 1, "50–99": 1, "100 or more": 1}


@pytest.mark.parametrize("status", AUDITS)
def test_each_checksum_is_the_digest_of_its_file_and_nothing_else(status):
    files = written(AUDITS[status]())
    expected = {
        f"checksums/{name}.txt": hashlib.sha256(data).hexdigest().encode()
        for name, data in files.items()
        if "/" not in name
    }
    assert expected == {name: data for name, data in files.items() if name.startswith("checksums/")}


@settings(max_examples=40, deadline=None)
@given(case=detected_databases())
def test_the_table_lists_every_itemset_with_its_support(case):
    rows, sigma, k = case
    expected = {told(one): support for one, support in oracle.closed(rows, sigma).items()}
    head, *lines = table(written(audit(rows, min_support=sigma, k=k))["itemsets.csv"])
    assert head == ["itemset", "support"]
    assert len(lines) == len(expected)
    assert {itemset(cell): int(support) for cell, support in lines} == expected


@settings(max_examples=40, deadline=None)
@given(case=detected_databases())
def test_flagged_supports_are_those_below_k_and_those_that_channels_are_summed_up_from(case):
    rows, sigma, k = case
    channels = oracle.maximal_channels(rows, sigma, k)
    listed = {told(one): support for one, support in oracle.closed(rows, sigma).items()}
    flagged = shown_red(written(audit(rows, min_support=sigma, k=k)), "itemsets")
    found = {itemset(cell): int(support) for cell, support in flagged.pop("inference channels", [])}
    low = {itemset(cell): int(support) for cell, support in flagged.pop("low counts", [])}
    assert low == {one: support for one, support in listed.items() if 0 < support < k}
    assert flagged == {}
    assert found.items() <= listed.items()
    assert {told(base) for base, _ in channels if told(base) in listed} <= found.keys()
    assert all(any(told(base) <= one <= told(top) for base, top in channels) for one in found)


@settings(max_examples=40, deadline=None)
@given(case=detected_databases())
def test_the_sums_of_channels_are_of_flagged_supports_and_come_to_the_count(case):
    rows, sigma, k = case
    expected = {(told(base), told(top)): n for (base, top), n in oracle.maximal_channels(rows, sigma, k).items()}
    files = written(audit(rows, min_support=sigma, k=k))
    name = f"{MARK}/channels.csv"
    assert bool(expected) == (name in files)
    assume(expected)
    lines = table(files[name])[1:]
    flagged = {cell for cell, _ in shown_red(files, "itemsets")["inference channels"]}
    listed = {cell: int(support) for cell, support in table(files["itemsets.csv"])[1:]}
    supports = {"": len(rows)} | listed
    assert {(itemset(base), itemset(top)): int(count) for _, base, top, count, _ in lines} == expected
    for _, _, _, count, sum_ in lines:
        terms = re.findall(r"(−|\+|^) ?(?:(\d+)·)?sup\((.*?)\) (\d+)(?= |$)", sum_)
        assert int(count) == sum((-1) ** (sign == "−") * int(times or 1) * int(s) for sign, times, _, s in terms)
        assert all(supports[cell] == int(support) for _, _, cell, support in terms)
        assert {cell for _, _, cell, _ in terms} & listed.keys() <= flagged


def test_what_may_be_released_with_the_itemsets_tells_neither_file_nor_digest_nor_count():
    source = report.Source("patients.csv", "f" * 64)
    files = written(audit(ROWS, min_support=10, k=10), source=source)
    result = json.dumps(results(files)["itemsets"])
    assert "patients" not in result
    assert "f" * 64 not in result
    assert "exposed" not in result
    assert b"patients.csv" in files["README.txt"]


def test_the_folder_says_that_it_must_not_be_released():
    assert MARK.encode() in written(audit(SAFE, min_support=10, k=10))["README.txt"].splitlines()[0]


def test_supports_that_are_not_rounded_are_flagged():
    flagged = shown_red(written(by_policy(SAFE, k=10, round_to=5)), "itemsets")
    assert flagged["rounding"] == [("", "42"), ("a", "32")]


def test_differences_are_flagged_where_channels_cannot_be_looked_for():
    listed = Patterns.from_itemsets([(["a", "b"], 50), (["a", "b", "c"], 48), (["d"], 20)], n=100, kind="maximal")
    files = written(audit(listed, k=10))
    assert shown_red(files, "itemsets") == {"differences": [("a;b", "50"), ("a;b;c", "48")]}
    assert [line[::3] for line in table(files[f"{MARK}/differences.csv"])[1:]] == [["hold a and b, but not c", "2"]]


@pytest.mark.parametrize("kind", ["closed", "frequent"])
def test_supports_that_tell_of_implications_are_flagged(kind):
    rows = [["a", "b"]] * 20 + [["b"]] * 20 + [[]] * 20
    expected = {"closed": [("a;b", "20")], "frequent": [("a", "20"), ("a;b", "20")]}
    found = audit(discreet.mine(rows, min_support=10, kind=kind), policy=Policy("ours", k=5, zeros=Verdict.REVIEW))
    assert shown_red(written(found), "itemsets") == {"class disclosure": expected[kind]}


@settings(max_examples=40, deadline=None)
@given(case=detected_databases())
def test_each_implication_has_a_flagged_support_as_large_as_its_own(case):
    rows, sigma, k = case
    found = audit(rows, min_support=sigma, policy=Policy("ours", k=k, zeros=Verdict.REVIEW))
    shown = shown_red(written(found), "itemsets").get("class disclosure", [])
    flagged = {itemset(cell): int(support) for cell, support in shown}
    told_by = [
        {one for one in flagged if told(base | {item}) <= one and flagged[one] == oracle.support(base, rows)}
        for base, item in oracle.implications(rows, sigma)
    ]
    assert all(told_by)
    assert flagged.keys() == set().union(*told_by)


def test_of_very_many_channels_the_bases_are_flagged_and_the_worst_explained(monkeypatch):
    monkeypatch.setattr("discreet.report.sacro_tables.SUMS", 1)
    rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["d", "e"]] * 20 + [["d"]] * 3
    bases = {told(base) for base, _ in oracle.maximal_channels(rows, 10, 10)}
    files = written(audit(rows, min_support=10, k=10))
    sums = [line[-1] for line in table(files[f"{MARK}/channels.csv"])[1:]]
    assert len(sums) == len(oracle.maximal_channels(rows, 10, 10))
    assert [bool(sum_) for sum_ in sums] == [True, *[False] * (len(sums) - 1)]
    assert bases <= {itemset(cell) for cell, _ in shown_red(files, "itemsets")["inference channels"]}


def test_supports_of_nobody_are_flagged_where_the_policy_asks_for_it():
    listed = Patterns.from_itemsets([([], 20), (["a"], 0)], n=20)
    zero = {"low counts": [("a", "0")]}
    found = {zeros: audit(listed, policy=Policy("ours", k=5, zeros=zeros)) for zeros in Verdict}
    shown = {zeros: shown_red(written(one), "itemsets") for zeros, one in found.items()}
    assert zero.items() <= shown[Verdict.WITHHOLD].items()
    assert "low counts" not in shown[Verdict.RELEASE]


@pytest.mark.parametrize("rows", [[], [[]], [[]] * 20, [["a"]] * 20])
def test_nothing_much_can_be_written_as_well(rows):
    found = audit(rows, min_support=1, k=10)
    lines = table(written(found)["itemsets.csv"])
    assert len(lines) == 1 + len(found.patterns)


def hostile_rows():
    return [{*HOSTILE}] * 20 + [{label} for label in HOSTILE] * 12 + [{*HOSTILE[1:]}] * 2


def test_hostile_labels_come_back_as_they_are():
    found = audit(hostile_rows(), min_support=10, k=10)
    files = written(found)
    expected = {frozenset(one): support for one, support in found.patterns}
    assert {itemset(cell): int(support) for cell, support in table(files["itemsets.csv"])[1:]} == expected


def test_no_cell_begins_as_a_formula_does_wherever_a_spreadsheet_may_cut_it():
    files = written(audit(hostile_rows(), min_support=10, k=10))
    cells = [cell for name in files if name.endswith(".csv") for line in table(files[name]) for cell in line]
    assert any('"=1+1"' in cell for cell in cells)
    assert not [cell for cell in cells if re.search(r"(^|;)[=+\-@\t\r]", cell)]


class Tags(HTMLParser):
    """The tags in a text."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, _attributes):
        self.found.append(tag)


def test_what_the_viewer_shows_as_html_holds_no_tag():
    listed = Patterns.from_itemsets([(["<script>", "<b>"], 20)], n=40)  # not whole, and the check names the labels
    found = results(written(audit(listed, k=10)))
    assert "itemsets" in found
    for result in found.values():
        shown = [result["summary"], result["exception"], *result["comments"]]
        assert Tags(" ".join(shown)).found == []
        assert "&lt;script&gt;" in result["exception"] or result["uid"] != "itemsets"


def test_a_viewer_that_guesses_the_separator_takes_the_comma():
    files = written(audit([["a", "b", "c"]] * 20 + [[]] * 20, min_support=10, k=10))
    counts = [len(line) for line in csv.reader(files["itemsets.csv"].decode().split("\n"))]
    assert set(counts) == {2}  # all lines alike, and no empty one at the end


@pytest.mark.parametrize("labels", [[1, "1"], ["\ud800"]])
def test_labels_that_a_table_cannot_hold_are_refused_in_a_sentence_without_them(labels, tmp_path):
    found = audit(Transactions([labels] * 20 + [[]] * 20), min_support=10, k=10)
    with pytest.raises(OutputError, match="rename") as caught:
        report.write_sacro(found, tmp_path / "folder")
    assert labels[0] not in str(caught.value).split()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("status", AUDITS)
def test_the_same_audit_and_time_give_the_same_bytes(status):
    first = written(AUDITS[status](), timestamp=TIME)
    assert first == written(AUDITS[status](), timestamp=TIME)
    assert {"2026-01-02T03:04:05+00:00"} == {result["timestamp"] for result in results(first).values()}


def test_an_older_folder_gives_way(tmp_path):
    report.write_sacro(AUDITS["fail"](), tmp_path / "folder")
    report.write_sacro(AUDITS["pass"](), tmp_path / "folder")
    assert held(tmp_path / "folder") == written(AUDITS["pass"]())
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def review(folder):
    path = folder / "outputs.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "reviewer_summary": "approved"}))


CHANGES = {
    "reviewed": review,
    "another file": lambda folder: (folder / "notes.txt").write_text("mine"),
    "another checksum": lambda folder: (folder / "checksums" / "notes.txt.txt").write_text("mine"),
    "no outputs": lambda folder: (folder / "outputs.json").unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_folder_that_is_not_as_we_left_it_is_kept(change, tmp_path):
    folder = tmp_path / "folder"
    report.write_sacro(AUDITS["fail"](), folder)
    CHANGES[change](folder)
    before = held(folder)
    with pytest.raises(OutputError, match="holds something else"):
        report.write_sacro(AUDITS["pass"](), folder)
    assert before == held(folder)


def test_nothing_is_half_written(tmp_path, monkeypatch):
    report.write_sacro(AUDITS["fail"](), tmp_path / "folder")
    before = held(tmp_path / "folder")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("discreet.report.sacro.write_text", full)
    with pytest.raises(OutputError, match="No space left"):
        report.write_sacro(AUDITS["pass"](), tmp_path / "folder")
    assert before == held(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def run(*arguments, **options):
    return CliRunner().invoke(main, ["audit", *map(str, arguments)], **options)


@pytest.fixture
def file(tmp_path):
    place = tmp_path / "rows.csv"
    discreet.write(Transactions(ROWS), place)
    return place


def test_the_command_writes_the_folder_and_tells_the_time(file, tmp_path):
    expected = written(AUDITS["fail"](), timestamp=TIME)
    options = ["--min-support", 10, "-k", 10, "--empty-rows", "--sacro", tmp_path / "checked"]
    ended = run(file, *options, env={"SOURCE_DATE_EPOCH": str(int(TIME.timestamp()))})
    assert ended.exit_code == 1
    assert "SACRO-Viewer" in ended.stderr
    found = held(tmp_path / "checked")
    assert {name: data for name, data in expected.items() if "README" not in name} == {
        name: data for name, data in found.items() if "README" not in name
    }
    assert b"rows.csv, SHA-256" in found["README.txt"]


def test_the_command_tells_the_present_time_without_another(file, tmp_path):
    before = datetime.now(UTC).replace(microsecond=0)
    run(file, "--min-support", 10, "-k", 10, "--sacro", tmp_path / "checked", env={"SOURCE_DATE_EPOCH": None})
    result = results(held(tmp_path / "checked"))["itemsets"]
    assert before <= datetime.fromisoformat(result["timestamp"]) <= datetime.now(UTC)


@pytest.mark.parametrize("status", ["pass", "fail"])
def test_the_command_in_the_folder_judges_its_table_alike(status, tmp_path, monkeypatch):
    report.write_sacro(AUDITS[status](), tmp_path / "folder")
    command = results(held(tmp_path / "folder"))["itemsets"]["command"].split()
    monkeypatch.chdir(tmp_path / "folder")
    assert command[:2] == ["discreet", "audit"]
    assert (status == "fail") == run(*command[2:]).exit_code


@pytest.mark.parametrize("epoch", ["soon", "9" * 30])
def test_a_time_that_is_none_is_refused_before_any_work(file, tmp_path, epoch):
    ended = run(file, "--min-support", 10, "-k", 10, "--sacro", tmp_path / "new", env={"SOURCE_DATE_EPOCH": epoch})
    assert ended.exit_code == 2
    assert "SOURCE_DATE_EPOCH" in ended.stderr
    assert not (tmp_path / "new").exists()


def test_a_folder_that_holds_the_input_or_anything_else_is_refused(file, tmp_path):
    for place in (tmp_path, file):
        ended = run(file, "--min-support", 10, "-k", 10, "--sacro", place)
        assert ended.exit_code == 2
        assert file.exists()


# Older releases and schemas.

OLD = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10
NEW = [*OLD, ["a"]]
"""One person came, who has a but not b."""
PEOPLE = [["sex=f", "x"]] * 40 + [["sex=m", "x"]] * 48 + [["x"]] * 2 + [[]] * 30


def compared(**options):
    old, new = (discreet.mine(rows, min_support=10) for rows in (OLD, NEW))
    return written(audit(new, k=5, against=old), **options)


def test_changes_since_older_releases_are_listed_apart():
    files = compared()
    told = results(files)
    assert {uid: one["status"] for uid, one in told.items()} == {"itemsets": "fail"}
    assert table(files[f"{MARK}/changes.csv"]) == [
        ["rows that", "base", "top", "count", "sum", "before", "now", "more or fewer", "since"],
        ["hold a, but not b", "a", "a;b", "1", "sup(a) 33 − sup(a;b) 20", "12", "13", "more", "older release 1"],
    ]
    assert shown_red(files, "itemsets") == {"differencing": [("a", "33"), ("a;b", "20")]}
    assert "older release" in told["itemsets"]["exception"]
    assert any("compared with 1 older release" in one for one in told["itemsets"]["comments"])
    assert any("changes.csv" in one for one in told["itemsets"]["comments"])


def test_what_is_told_of_the_itemsets_tells_no_count_of_before_and_no_older_file():
    files = compared(against=[report.Source("april.csv", "e" * 64)])
    assert "april" not in files["outputs.json"].decode()
    assert b"Older release 1: april.csv, SHA-256 " + b"e" * 64 in files["README.txt"]
    assert "12" not in re.findall(r"\d+", json.dumps(results(files)["itemsets"]))


def test_rests_of_attributes_are_an_output_of_their_own_whose_sums_are_of_listed_supports():
    files = written(audit(PEOPLE, min_support=10, k=5, schema="="))
    assert table(files[f"{MARK}/rests.csv"])[1:] == [
        [
            "hold x, but neither sex=f nor sex=m",
            "x",
            "sex=f;sex=m;x",
            "2",
            "sup(x) 90 − sup(sex=f;x) 40 − sup(sex=m;x) 48",
        ]
    ]
    assert shown_red(files, "itemsets") == {"schema": [("sex=f;x", "40"), ("sex=m;x", "48"), ("x", "90")]}
    assert any("--schema" in one for one in results(files)["itemsets"]["comments"])


@settings(max_examples=25, deadline=None)
@given(case=detected_databases(), other=detected_databases())
def test_the_changes_of_a_folder_are_those_of_the_cells_that_both_releases_tell(case, other):
    (rows, least, k), (before, sigma, _) = case, other
    tops = oracle.common_tops((before, sigma), (rows, least))
    cells = oracle.changed_cells(before, rows, tops)
    expected = {
        (told(base), told(top)): counts for (base, top), counts in cells.items() if abs(counts[0] - counts[1]) < k
    }
    old, new = (discreet.mine(one, min_support=least_) for one, least_ in ((before, sigma), (rows, least)))
    files = written(audit(new, k=k, against=old))
    lines = table(files.get(f"{MARK}/changes.csv", b"x"))[1:]
    assert {(itemset(line[1]), itemset(line[2])): (int(line[5]), int(line[6])) for line in lines} == expected
    assert all(int(line[3]) == abs(int(line[5]) - int(line[6])) for line in lines)


def test_hostile_labels_of_older_releases_are_text_and_no_formula():
    labels = ["=1+1", "<script>"]
    old, new = ([labels] * 20 + [labels[:1]] * many + [[]] * 10 for many in (12, 13))
    old, new = (discreet.mine(rows, min_support=10) for rows in (old, new))
    files = written(audit(new, k=5, against=old, schema=[[*labels[:1], "none"]]))
    cells = [cell for name in files if name.endswith(".csv") for line in table(files[name]) for cell in line]
    assert not [cell for cell in cells if re.search(r"(^|;)[=+\-@\t\r]", cell)]
    assert f"{MARK}/changes.csv" in files
    for one in results(files).values():
        assert Tags(" ".join([one["summary"], one["exception"], *one["comments"]])).found == []


def test_an_older_folder_with_changes_gives_way(tmp_path):
    old, new = (discreet.mine(rows, min_support=10) for rows in (OLD, NEW))
    report.write_sacro(audit(new, k=5, against=old), tmp_path / "folder")
    report.write_sacro(AUDITS["pass"](), tmp_path / "folder")
    assert held(tmp_path / "folder") == written(AUDITS["pass"]())


def test_the_command_writes_changes_and_names_the_older_release(tmp_path):
    for name, rows in (("old.json", OLD), ("new.json", NEW)):
        discreet.write_patterns(discreet.mine(rows, min_support=10), tmp_path / name)
    place = tmp_path / "checked"
    ended = run(tmp_path / "new.json", "-k", 5, "--against", tmp_path / "old.json", "--sacro", place)
    assert ended.exit_code == 1
    assert f"{MARK}/changes.csv" in held(place)
    assert b"Older release 1: old.json, SHA-256" in held(place)["README.txt"]
