"""What is handed over: a release that verifies, the same numbers for readers, nothing private, and the same command."""

import csv
import hashlib
import io
import json
import shlex
import zipfile
from datetime import date

import openpyxl
import pytest
from click.testing import CliRunner
from web import answer, facts, fetched, loaded, served, unpacked, upload

import discreet
from discreet.cli import main
from discreet.data.generate import clinic
from discreet.judging.policy import names

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["d"]] * 50
BASKETS = "".join(",".join(row) + "\n" for row in ROWS).encode()
TABLE = b"id,sex,age,smokes\n" + b"".join(
    b"%d,%s,%d,%s\n" % (at, b"fm"[at % 2 :][:1], at % 7 * 10, (b"yes", b"no", b"unknown")[at % 3]) for at in range(210)
)
LONG = "order;item;price\n" + "".join(f"{at};{item};3\n" for at, row in enumerate(ROWS) for item in row)
COUNTS = b"ward,young,old,Total\neast,99,81,180\nwest,7,21,28\nTotal,106,102,208\n"
ROUNDED = b"sex,n\nTotal,180\nf,85\nm,95\nother,*\n"
MARKED = b"ward,year,people\nall,2020,208\neast,2020,180\nwest,2020,#\n"
AT = {"min_support": 10, "k": 10}
ODD = ["=1+1", "@x", "+7", "-7", "{=1}", "http://example.org", "'quoted", "007"]


@pytest.fixture(scope="module")
def client():
    with served(many=2) as found:
        yield found


def handed_over(client, place, data, **asked):
    """The facts of a hand-over, the folder of its release, and that of its files for readers."""
    found = facts(client, "handover", data=data, **asked)
    folder = unpacked(fetched(client, found, "release.zip"), place)
    return found, folder / "release", folder / "readers"


KINDS = {
    "rows, left out": (BASKETS, {"format": "baskets"}, {**AT, "method": "suppress"}),
    "rows, invented": (BASKETS, {"format": "baskets"}, {**AT, "method": "add", "merge": True}),
    "itemsets, withheld": (BASKETS, {"format": "baskets"}, {**AT, "method": "withhold"}),
    "values, generalized": (
        TABLE,
        {"format": "table", "drop": ["id"]},
        {**AT, "k": 20, "method": "generalize", "hierarchy": "age=bins"},
    ),
    "the best": (BASKETS, {"format": "baskets"}, {**AT, "seconds": 2}),
    "counts, masked": (COUNTS, {}, {"k": 10, "method": "suppress"}),
    "counts, rounded": (COUNTS, {}, {"k": 10, "method": "round"}),
    "counts, the best": (COUNTS, {}, {"k": 10}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_verifies_and_its_fingerprint_is_that_of_its_list_of_files(client, tmp_path, kind):
    data, how, asked = KINDS[kind]
    found, release, readers = handed_over(client, tmp_path, loaded(client, data, **how), **asked)
    verified = discreet.verify(release)
    assert (found["verdict"], verified.is_good, verified.digest) == ("RELEASE", True, found["fingerprint"])
    assert hashlib.sha256((release / "release.json").read_bytes()).hexdigest() == found["fingerprint"]
    assert found["fingerprint"] in fetched(client, found, "summary.html").decode()
    assert {path.name for path in readers.iterdir()} <= {
        *("README.txt", "report.html", "patterns.csv", "patterns.xlsx", "tables.xlsx")
    }
    assert facts(client, "block", data=loaded(client, data, **how), **asked)["verdict"] == found["verdict"]


@pytest.mark.parametrize("kind", ["rows, left out", "itemsets, withheld", "values, generalized", "counts, masked"])
def test_the_same_request_gives_the_same_bytes(client, kind):
    data, how, asked = KINDS[kind]
    found = [facts(client, "handover", data=loaded(client, data, **how), **asked) for _ in range(2)]
    first, second = ({file["name"]: fetched(client, one, file["name"]) for file in one["files"]} for one in found)
    assert first == second
    assert found[0]["files"][0]["url"] != found[1]["files"][0]["url"]


def numbers_of(path):
    """The itemsets of a sheet for readers, with their supports; and the number of rows in its head."""
    book = openpyxl.load_workbook(path)
    head, *lines = book.worksheets[0].iter_rows(values_only=True)
    return head, {(frozenset(items.split(" & ")), support) for items, _, support, *_ in lines}


def test_the_files_for_readers_have_the_numbers_of_the_release(client, tmp_path):
    data = loaded(client, BASKETS, format="baskets")
    _, release, readers = handed_over(client, tmp_path, data, **AT, method="suppress")
    expected = discreet.read_patterns(release / "patterns.json")
    again = discreet.read_patterns(readers / "patterns.csv", n=expected.n, kind=expected.kind)
    assert {*again} == {*expected}
    head, numbers = numbers_of(readers / "patterns.xlsx")
    assert head[3] == f"of n = {expected.n}"
    everyone = frozenset(["(everyone)"])
    assert numbers == {(frozenset(map(str, itemset)) or everyone, support) for itemset, support in expected}


def test_tables_for_readers_have_the_counts_of_the_release(client, tmp_path):
    _, release, readers = handed_over(client, tmp_path, loaded(client, COUNTS), k=10, method="suppress")
    book = openpyxl.load_workbook(readers / "tables.xlsx")
    sheets = [[["" if cell is None else str(cell) for cell in line] for line in sheet.values] for sheet in book]
    assert sheets == [list(csv.reader((release / "table.csv").read_text().splitlines()))]


def test_tables_for_readers_are_read_with_the_signs_of_their_file(client, tmp_path):
    data = loaded(client, "\ufeffSt\u00e4dte;n\nTotal;208\nK\u00f6ln;180\n007;28\n".encode())
    _, _, readers = handed_over(client, tmp_path, data, k=10, method="suppress")
    (sheet,) = openpyxl.load_workbook(readers / "tables.xlsx").worksheets
    assert [*sheet.values] == [("St\u00e4dte", "n"), ("Total", 208), ("K\u00f6ln", 180), ("007", 28)]
    assert sheet.title == "Table 1"


def test_no_label_is_a_formula_a_link_or_a_number_in_a_sheet(client, tmp_path):
    file = io.StringIO()
    csv.writer(file).writerows([label, "tea"] for label in ODD for _ in range(20))
    data = loaded(client, file.getvalue().encode(), format="baskets")
    _, _, readers = handed_over(client, tmp_path, data, **AT, method="withhold")
    _, numbers = numbers_of(readers / "patterns.xlsx")
    assert {frozenset([label]) for label in ODD} <= {frozenset(items) - {"tea"} for items, _ in numbers}
    sheet = openpyxl.load_workbook(readers / "patterns.xlsx").worksheets[0]
    kinds = {cell.data_type for line in sheet.iter_rows(max_col=1) for cell in line}
    assert kinds == {"s"}
    assert [cell for line in sheet.iter_rows() for cell in line if cell.hyperlink] == []


def test_values_of_tables_are_no_formulas(client, tmp_path):
    lines = "".join(f'"{label}",{40 + at}\n' for at, label in enumerate(ODD))
    total = sum(40 + at for at in range(len(ODD)))
    data = loaded(client, f"group,n\nTotal,{total}\n{lines}".encode())
    _, _, readers = handed_over(client, tmp_path, data, k=10, method="suppress")
    cells = [
        cell for line in openpyxl.load_workbook(readers / "tables.xlsx").worksheets[0].iter_rows() for cell in line
    ]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert {cell.value for cell in cells} >= {"=1+1", "@x", "{=1}"}


def test_the_folder_for_checkers_of_a_masked_table_has_no_masked_count(client, tmp_path):
    found, _, _ = handed_over(client, tmp_path / "public", loaded(client, COUNTS), k=10, method="suppress")
    folder = unpacked(fetched(client, found, "sacro.zip"), tmp_path / "sacro") / "sacro"
    assert [path.name for path in folder.glob("*RELEASE*")] == []
    lines = csv.DictReader((folder / "counts.csv").read_text(encoding="utf-8").splitlines())
    assert {line["values"]: line["count"] for line in lines}["ward west, column young"] == "*"  # 7 people


def test_what_is_private_is_in_no_public_file(client, tmp_path):
    rows = [*ROWS, ["a", "b", "only-one-has-this"]]
    data = loaded(client, "".join(",".join(row) + "\n" for row in rows).encode(), "secret-name.csv", format="baskets")
    found, _, _ = handed_over(client, tmp_path / "public", data, **AT, method="suppress")
    private = unpacked(fetched(client, found, "DO-NOT-RELEASE.zip"), tmp_path / "private") / "DO-NOT-RELEASE"
    assert (private / "suppressed.csv").read_text() == "row\n49\n50\n101\n"
    assert json.loads((private / "cost.json").read_text())["input"]["file"] == "secret-name.csv"
    unpacked(fetched(client, found, "sacro.zip"), tmp_path / "public" / "sacro")
    for name in ("report.html", "summary.html"):
        (tmp_path / "public" / name).write_bytes(fetched(client, found, name))
    public = {path: path.read_bytes() for path in (tmp_path / "public").rglob("*") if path.is_file()}
    secrets = [b"only-one-has-this", *(path.read_bytes() for path in private.iterdir())]
    assert [path.name for path, text in public.items() if any(secret in text for secret in secrets)] == []
    assert [path.name for path, text in public.items() if b"secret-name" in text] == ["summary.html"]


def run(command, folder):
    """The outcome of a command as it is printed, by the real command line, in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        program, *words = shlex.split(command)
        assert program == "discreet"
        return CliRunner().invoke(main, words)


@pytest.mark.parametrize(
    ("name", "data", "how", "asked"),
    [
        ("rows.csv", BASKETS, {"format": "baskets"}, {**AT, "method": "suppress"}),
        ("my rows.csv", BASKETS, {"format": "baskets"}, {**AT, "method": "add", "max_length": 2}),
        ("rows.csv", BASKETS, {"format": "baskets"}, {"min_support": "10%", "policy": "acro", "method": "withhold"}),
        ("rows.csv", BASKETS, {"format": "baskets"}, {**AT, "method": "suppress", "keep_n": True}),
        ("rows.csv", BASKETS, {"format": "baskets"}, {**AT, "seconds": 2}),
        ("it's.csv", LONG.encode(), {"row": "order", "item": "item", "separator": ";"}, {**AT, "method": "withhold"}),
        (
            "people.csv",
            TABLE,
            {"format": "table", "drop": ["id"], "bins": ["age=20"], "na": ["unknown"], "header": True},
            {**AT, "method": "withhold", "leave_out": ["sex=m", "smokes"]},
        ),
        (
            "people.csv",
            TABLE,
            {"format": "table", "columns": ["sex", "age"]},
            {"min_support": 20, "k": 5, "method": "withhold", "against": "linear"},
        ),
        ("blank.csv", BASKETS + b"\n" * 20, {"format": "baskets", "empty_rows": True}, {**AT, "method": "suppress"}),
        ("counts.csv", COUNTS, {}, {"k": 10, "method": "suppress"}),
        ("counts.csv", COUNTS, {}, {"k": 10, "min_support": "5%", "max_length": 2}),
        ("counts.csv", ROUNDED, {"round_to": 5}, {"k": 10}),
        ("counts.csv", MARKED, {"counts": "people", "totals": ["all"], "masked": ["#=1..50"]}, {"k": 11}),
    ],
)
def test_the_command_gives_the_same_release(client, tmp_path, name, data, how, asked):
    key = upload(client, data, name.replace(" ", "%20"))
    confirmed = facts(client, "preview", upload=key, **how)["confirm"]
    found = facts(client, "handover", data=facts(client, "read", upload=key, **confirmed)["data"], **asked)
    (tmp_path / name).write_bytes(data)
    done = run(found["command"], tmp_path)
    assert done.exit_code == 0, done.output
    assert discreet.verify(tmp_path / "release").digest == found["fingerprint"]


def test_the_command_names_the_older_release_that_this_one_is_beside(client, tmp_path):
    discreet.write_release(discreet.block(ROWS[:-20], **AT, method="withhold"), tmp_path / "last")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for path in [path for path in (tmp_path / "last").iterdir() if path.is_file()]:
            archive.write(path, path.name)
    data = loaded(client, BASKETS, format="baskets")
    asked = {"data": data, **AT, "method": "withhold", "grown": True}
    found = facts(client, "handover", **asked, older=[upload(client, file.getvalue(), "last.zip")])
    (tmp_path / "rows.csv").write_bytes(BASKETS)
    done = run(found["command"], tmp_path)
    assert done.exit_code == 0, done.output
    assert discreet.verify(tmp_path / "release").digest == found["fingerprint"]
    assert "--beside last --out" in found["command"]
    assert "--grown" not in facts(client, "handover", **asked)["command"]


RULES = b"antecedents,consequents,support,confidence\na,b,0.5,0.98\nb,a,0.5,0.8\n"
TREE = (
    b"|--- age <= 50.00\n|   |--- weights: [30.00, 2.00] class: 0\n"
    b"|--- age >  50.00\n|   |--- weights: [1.00, 40.00] class: 1\n"
)


@pytest.mark.parametrize(
    ("name", "data", "how"),
    [
        ("mined.out", b"a (60)\na b (50)\nb (55)\n", {"n": 100}),
        ("rules.csv", RULES, {"n": 100}),
        ("tree.txt", TREE, {}),
    ],
)
def test_what_has_no_rows_is_handed_over_with_its_report(client, tmp_path, name, data, how):
    key = upload(client, data, name)
    confirmed = facts(client, "preview", upload=key, **how)["confirm"]
    found = facts(client, "handover", data=facts(client, "read", upload=key, **confirmed)["data"], **AT)
    assert [file["name"] for file in found["files"]] == ["report.html", "sacro.zip"]
    assert (found["fingerprint"], found["verdict"]) == (None, "WITHHOLD")
    (tmp_path / name).write_bytes(data)
    done = run(f"{found['command']} --out page.html", tmp_path)
    assert done.exit_code == 1, done.output
    assert found["sentence"] in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("policy", [None, *names()])
def test_no_remedy_is_called_best_that_may_not_be_published(client, policy):
    """A recommendation that fails."""
    rule = {"k": 10} if policy is None else {"policy": policy}
    for data, asked in (
        (loaded(client, BASKETS, format="baskets"), {"min_support": 10}),
        (loaded(client, BASKETS[:50], format="baskets"), {"min_support": 2}),
        (loaded(client, COUNTS), {}),
    ):
        found = answer(client, "advise", data=data, **rule, **asked)
        assert found.status_code in {200, 400}
        cards, best = found.json().get("cards", []), found.json().get("best")
        assert best is None or cards[best]["verdict"] == "RELEASE"
        assert (best is None) == (not any(card["verdict"] == "RELEASE" and card["kept"] > 1 for card in cards))


def test_a_release_that_must_not_be_published_is_private_alone(client):
    data = loaded(client, b"a,b\n" * 9, format="baskets")
    found = facts(client, "handover", data=data, min_support=2, k=10, method="suppress")
    assert [file["name"] for file in found["files"]] == ["DO-NOT-RELEASE.zip"]
    assert found["fingerprint"] is None
    with zipfile.ZipFile(io.BytesIO(fetched(client, found, "DO-NOT-RELEASE.zip"))) as archive:
        assert all(name.startswith("DO-NOT-RELEASE/") for name in archive.namelist())


def test_nothing_to_publish_says_so_and_what_would_give_something(client):
    data = loaded(client, BASKETS, format="baskets")
    found = facts(client, "audit", data=data, min_support="90%", k=10)
    assert found["verdict"] != "RELEASE"
    assert found["nothing"]["sentence"] == (
        "Only the number of rows would be published. "
        "The commonest item is shared by 50 of 100 rows, and 90 are asked for."
    )
    again = facts(client, "audit", data=data, min_support=found["nothing"]["min_support"], k=10)
    assert (again["nothing"], again["itemsets"] > 1) == (None, True)
    high = facts(client, "audit", data=data, min_support=60, k=60)["nothing"]
    assert high["min_support"] is None
    assert high["sentence"].endswith("No item is shared by 60 people or more.")


def test_what_is_offered_instead_of_nothing_is_safe(client):
    rows = ["a,b"] * 80 + ["a"] * 20 + ["c,d"] * 52 + ["c"] * 3 + ["e"] * 45
    data = loaded(client, "\n".join(rows).encode(), format="baskets")
    found = facts(client, "audit", data=data, min_support="90%", k=10)["nothing"]
    assert facts(client, "audit", data=data, min_support=50, k=10)["verdict"] == "WITHHOLD"  # half of a's
    assert found["min_support"] == "80"
    assert facts(client, "audit", data=data, min_support=80, k=10)["verdict"] == "RELEASE"


def test_the_release_of_a_clinic_is_that_of_the_library(client, tmp_path):
    rows = clinic(2000, seed=1)
    _, release, _ = handed_over(client, tmp_path, "clinic", min_support="5%", k=10, method="withhold")
    expected = discreet.block(rows, min_support="5%", k=10, method="withhold")
    day = json.loads((release / "ro-crate-metadata.json").read_text())["@graph"][1]["datePublished"]
    discreet.write_release(expected, tmp_path / "expected", published=date.fromisoformat(day))
    public = [path for path in (tmp_path / "expected").iterdir() if path.is_file()]
    assert {path.name: path.read_bytes() for path in public} == {
        path.name: path.read_bytes() for path in release.iterdir()
    }
