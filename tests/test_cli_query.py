"""``discreet query`` and ``discreet index``: what they write where, and how they end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from discreet import InvertedFile
from discreet.cli import main
from discreet.cli.query import point_at

BASKETS = [["bread", "milk"], ["milk"], ["beer", "bread", "red wine"], ["tea"], ["beer", "bread", "milk"]]
CSV = "bread,milk\nmilk\nbread,beer,red wine\ntea\nbread,milk,beer\n"
STAYS = "patient,drug\np7,aspirin\np3,statin\np7,statin\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "baskets.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


@pytest.fixture
def stays(tmp_path):
    path = tmp_path / "stays.csv"
    path.write_text(STAYS, encoding="utf-8")
    return path


def run(*arguments, **options):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)


def told(*arguments):
    """What a command writes to stdout; it must end well."""
    result = run(*arguments)
    assert (result.exit_code, unread(result)) == (0, "")
    return result.stdout


def unread(result):
    """What stands on stderr below how the rows were read."""
    return "".join(line for line in result.stderr.splitlines(keepends=True) if not line.startswith("read as "))


def indexed(file, *arguments):
    assert run("index", file, *arguments, "--quiet").exit_code == 0
    return Path(f"{file}.index")


def assert_refused(result, words):
    """It ended with exit code 2 and one line on stderr that holds these words."""
    assert (result.exit_code, result.stdout) == (2, "")
    assert unread(result).startswith("error: ")
    assert unread(result).count("\n") == 1
    assert words in unread(result)


QUERIES = {
    "bread & (beer | ~milk)": [3, 5],
    "bread and not 'red wine'": [1, 5],
    "~bread": [2, 4],
    "bread & beer & ~bread": [],
    "milk | ~milk": [1, 2, 3, 4, 5],
}


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("with_index", [False, True], ids=["rows", "index"])
def test_rows_are_told_by_number_by_count_and_whole(file, text, with_index):
    if with_index:
        indexed(file)
    rows = QUERIES[text]
    assert told("query", file, text) == "".join(f"{row}\n" for row in rows)
    assert told("query", file, text, "--count") == f"{len(rows)}\n"
    whole = "".join(f"{row}\t{', '.join(BASKETS[row - 1])}\n" for row in rows)
    assert told("query", file, text, "--rows") == whole


def test_an_item_that_no_row_has_is_pointed_out_by_its_column(file):
    result = run("query", file, "milk & ~mlik", "--count")
    assert (result.exit_code, result.stdout) == (0, "3\n")
    assert unread(result) == "no row has the item at column 9 of the query; check its spelling\n"


def test_json_tells_the_query_the_count_and_the_rows(file):
    facts = {"report": "query", "query": "bread & ~milk", "n": 5, "count": 1}
    found = [json.loads(told("query", file, "bread & ~milk", "--json", *option)) for option in ([], ["--count"])]
    assert [facts.items() <= document.items() for document in found] == [True, True]
    assert (found[0]["rows"], "rows" in found[1]) == ([{"row": 3}], False)
    whole = json.loads(told("query", file, "bread & ~milk", "--json", "--rows"))
    assert whole["rows"] == [{"row": 3, "items": ["beer", "bread", "red wine"]}]
    assert json.loads(told("query", file, "milk & ~milk", "--json"))["rows"] == []


def test_rows_with_ids_are_told_by_them(stays):
    columns = ["--row", "patient", "--item", "drug"]
    assert told("query", stays, "statin", *columns) == "p7\np3\n"
    assert told("query", stays, "~aspirin", "--rows", *columns) == "p3\tstatin\n"
    found = json.loads(told("query", stays, "aspirin", "--rows", "--json", *columns))["rows"]
    assert found == [{"row": 1, "id": "p7", "items": ["aspirin", "statin"]}]


def test_explain_tells_the_plan_with_the_sizes_of_lists(file):
    assert told("query", file, "~(bread & milk) | beer", "--explain").splitlines() == [
        "1  all rows but: 4 rows of at most 5",
        "2    all of: 1 row of at most 3",
        "3      bread: 3 rows",
        "4      milk: 3 rows",
        "5      but not beer: 2 rows",
    ]
    plan = json.loads(told("query", file, "bread | beer", "--explain", "--json"))
    assert plan["count"] == 3
    assert plan["plan"][1:] == [
        {"depth": 1, "what": "beer", "at_most": 2, "rows": 2},
        {"depth": 1, "what": "bread", "at_most": 3, "rows": 3},
    ]


def test_what_would_steer_a_terminal_is_escaped(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a\x1b[31m\n", encoding="utf-8")
    for option in ("--rows", "--explain"):
        assert "\x1b" not in told("query", path, "'a\x1b[31m' | 'a\x1b[31m'", option)


def test_rows_may_come_from_stdin():
    assert run("query", "-", "2 & ~1", "--format", "fimi", input="1 2\n2\n").stdout == "2\n"


def test_an_index_alone_is_enough(file):
    index = indexed(file)
    file.unlink()
    assert told("query", index, "bread & ~milk", "--rows") == "3\tbeer, bread, red wine\n"


def test_an_index_may_stand_elsewhere(file, tmp_path):
    assert run("index", file, "--out", tmp_path / "other").exit_code == 0
    assert told("query", file, "~bread", "--index", tmp_path / "other") == "2\n4\n"
    assert not Path(f"{file}.index").exists()


def test_an_index_says_what_it_is_and_that_it_is_to_be_kept(file):
    result = run("index", file)
    size = Path(f"{file}.index").stat().st_size
    assert unread(result) == (
        f"5 rows, 5 items; the index was written to {file}.index ({size:,} bytes): protect it as you protect the rows\n"
    )
    assert list(InvertedFile.open(f"{file}.index").transactions()) == [frozenset(row) for row in BASKETS]


def test_an_index_knows_how_its_file_was_read(stays):
    indexed(stays, "--row", "patient", "--item", "drug")
    assert told("query", stays, "aspirin") == "p7\n"
    assert_refused(run("query", stays, "a", "--separator", ";"), "the index was made with other options")


def test_an_index_of_other_data_is_refused(file):
    index = indexed(file)
    file.write_text(CSV.replace("beer", "bear"), encoding="utf-8")
    words = f"{index}: the index belongs to other data; make it again with `discreet index`"
    assert_refused(run("query", file, "bread"), words)
    assert_refused(run("query", file, "bread", "--index", index), words)
    indexed(file)
    assert told("query", file, "bear", "--count") == "2\n"


def test_a_damaged_index_is_refused(file):
    index = indexed(file)
    index.write_bytes(index.read_bytes()[:-1])
    assert_refused(run("query", file, "bread"), "the index is cut short")
    index.write_bytes(b"not an index")
    assert_refused(run("query", file, "bread"), "this is no index")


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("bread & (beer | ~milk", "  bread & (beer | ~milk\n          ^\n"),
        ("bread & beer)", "  bread & beer)\n              ^\n"),
        ("bread &", "  bread &\n         ^\n"),
        ("牛奶 & (b", "  牛奶 & (b\n         ^\n"),
        ("a\n& & b", "  a\\n& & b\n       ^\n"),
    ],
)
def test_the_place_of_a_mistake_is_marked(file, text, marked):
    result = run("query", file, text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert unread(result).startswith(f"{marked}error: the query ")
    assert unread(result).count("\n") == 3


def test_of_a_long_query_what_stands_around_the_mistake_is_shown():
    line, caret = point_at("a & " * 1_000 + "(b" + " | a" * 1_000, 4_001)
    assert line[caret.index("^")] == "("
    assert line.startswith("...")
    assert line.endswith("...")
    assert len(line) < 80


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a", "--count", "--rows"], "--count, --rows and --explain are three answers; give one of them"),
        (["a", "--index", "nowhere"], "nowhere: there is no such file"),
        (["a", "--format", "nothing"], "nothing"),
        ([], "QUERY is missing; give one"),
    ],
)
def test_wrong_usage_takes_one_line(file, arguments, words):
    assert_refused(run("query", file, *arguments), words)


def test_what_has_no_index_is_said(file, tmp_path):
    assert_refused(run("index", "-"), "an index belongs to a file; write the rows to a file first")
    assert_refused(run("index", tmp_path / "none.csv"), "none.csv: there is no such file")
    assert_refused(run("index", file, "--out", file), "a file that is to be read; give another name")
    assert_refused(run("query", "-", "a", "--index", "x"), "--index is for a file of rows, and FILE is -")
    assert_refused(run("query", indexed(file), "a", "--row", "x"), "--row is for a file of rows, and FILE is an index")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to be had")
def test_a_full_disk_is_said_in_a_sentence(file):
    before = sorted(file.parent.iterdir())
    assert_refused(run("index", file, "--out", "/dev/full"), "/dev/full")
    assert (sorted(file.parent.iterdir()), file.read_text(encoding="utf-8")) == (before, CSV)


def test_a_query_on_an_index_loads_no_kernels_and_no_frames(file):
    run_it = f"from discreet.cli import main\ntry: main(['query', {str(indexed(file))!r}, '~bread'])\n"
    code = f"{run_it}except SystemExit as end: assert not end.code\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n4\n"
    assert {"numba", "polars", "pandas", "narwhals"}.isdisjoint(done.stderr.split())


def test_importing_discreet_loads_no_bitmaps():
    code = "import discreet, sys\nassert 'pyroaring' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
