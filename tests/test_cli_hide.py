"""``discreet hide``: what it shows, what it writes, and how it ends."""

import hashlib
import json
import os
import subprocess
import sys
from importlib import import_module

import oracle
import pytest
from click.testing import CliRunner
from test_cli import COMMAND, assert_refused

import discreet
from discreet.cli import main
from discreet.hiding import folder

ROWS = [["bread", "milk", "tea"]] * 6 + [["bread", "milk"]] * 4 + [["tea", "red wine"]] * 5 + [["bread"]] * 5
SENSITIVE = "# not for the partners\nbread, milk\ntea 'red wine' @ 40%\n"
METHODS = ["naive", "minfia", "maxfia", "iga", "swa", "border", "exact"]
APART = "DO-NOT-RELEASE"


def run(*arguments, **options):
    return CliRunner().invoke(main, ["hide", *map(str, arguments)], **options)


@pytest.fixture
def file(tmp_path):
    discreet.write(ROWS, tmp_path / "rows.csv")
    return tmp_path / "rows.csv"


@pytest.fixture
def secret(tmp_path):
    (tmp_path / "secret.txt").write_text(SENSITIVE, encoding="utf-8")
    return tmp_path / "secret.txt"


def rows_in(path):
    return [frozenset(row) for row in discreet.read(path)]


def listed(place):
    return sorted(str(path.relative_to(place)) for path in place.rglob("*"))


def test_the_report_tells_each_itemset_by_number_what_was_touched_and_what_to_do(file, secret, tmp_path):
    result = run(file, "--sensitive", secret)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].startswith('rows.csv: 2 sensitive itemsets are hidden in 20 rows by "iga"')
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["1", "10", "0", "0"] in lines
    assert ["2", "5", "2", "2"] in lines
    assert "milk" not in result.stdout + result.stderr
    assert "wine" not in result.stdout + result.stderr
    assert result.stderr.endswith("Nothing was written; --out FOLDER writes the rows to share.\n")
    assert listed(tmp_path) == ["rows.csv", "secret.txt"]


def test_labels_are_shown_where_they_are_asked_for(file, secret):
    result = run(file, "--sensitive", secret, "--show-labels")
    assert "bread, milk" in result.stdout
    assert "red wine, tea" in result.stdout


@pytest.mark.parametrize("method", METHODS[:5])
def test_out_holds_the_rows_without_the_itemsets_and_the_file_is_as_it_was(file, secret, tmp_path, method):
    before = file.read_bytes()
    result = run(file, "--sensitive", secret, "--method", method, "--out", tmp_path / "shared")
    assert result.exit_code == 0
    after = rows_in(tmp_path / "shared" / "rows.csv")
    assert oracle.support({"bread", "milk"}, after) == 0
    assert oracle.support({"tea", "red wine"}, after) <= 2
    assert all(now <= set(row) for now, row in zip(after, ROWS, strict=True))
    assert file.read_bytes() == before
    assert f"remove {APART} from {tmp_path / 'shared'}" in result.stderr
    told = json.loads((tmp_path / "shared" / APART / "hidden.json").read_text(encoding="utf-8"))
    assert told["input"] == {"file": "rows.csv", "sha256": hashlib.sha256(before).hexdigest()}


@pytest.mark.parametrize("method", ["minfia", "iga", "swa", "border", "exact"])
def test_below_hides_just_enough(file, secret, tmp_path, method):
    secret.write_text("bread milk\n", encoding="utf-8")
    result = run(file, "--sensitive", secret, "--method", method, "--below", "25%", "--out", tmp_path / "shared")
    assert result.exit_code == 0, result.stderr
    assert oracle.support({"bread", "milk"}, rows_in(tmp_path / "shared" / "rows.csv")) == 4


def test_psi_is_for_the_lines_that_have_none(file, secret):
    found = json.loads(run(file, "--sensitive", secret, "--psi", "50%", "--json").stdout)
    assert [(one["disclosure"], one["at_most"]) for one in found["sensitive"]] == [("1/2", 5), ("2/5", 2)]


def test_json_tells_what_was_done_and_labels_only_if_asked(file, secret):
    result = run(file, "--sensitive", secret, "--method", "minfia", "--reading", "dynamic", "--json")
    found = json.loads(result.stdout)
    expected = discreet.hide(ROWS, discreet.read_sensitive(secret), method="minfia", reading="dynamic")
    assert (found["method"], found["reading"], found["below"]) == ("minfia", "dynamic", None)
    assert (found["rows"], found["rows_touched"], found["items_removed"]) == (
        20,
        expected.rows_touched,
        expected.items_removed,
    )
    assert found["input"]["file"] == "rows.csv"
    assert "milk" not in result.stdout
    shown = json.loads(run(file, "--sensitive", secret, "--json", "--show-labels").stdout)
    assert [one["items"] for one in shown["sensitive"]] == [["bread", "milk"], ["red wine", "tea"]]


def test_quiet_says_nothing_on_stderr(file, secret, tmp_path):
    assert run(file, "--sensitive", secret, "--out", tmp_path / "shared", "--quiet").stderr == ""
    assert (tmp_path / "shared" / "rows.csv").is_file()


def test_several_files_are_several_recipients_with_a_folder_each(file, tmp_path):
    (tmp_path / "partners.txt").write_text("bread milk\n", encoding="utf-8")
    (tmp_path / "press.sensitive").write_text("tea\n", encoding="utf-8")
    options = ["--sensitive", tmp_path / "partners.txt", "--sensitive", tmp_path / "press.sensitive"]
    result = run(file, *options, "--out", tmp_path / "shared")
    assert "For partners:\n" in result.stdout
    assert "\nFor press:\n" in result.stdout
    assert "remove DO-NOT-RELEASE from each folder" in result.stderr
    partners, press = (rows_in(tmp_path / "shared" / name / "rows.csv") for name in ("partners", "press"))
    assert (oracle.support({"bread", "milk"}, partners), oracle.support({"tea"}, partners)) == (0, 11)
    assert (oracle.support({"bread", "milk"}, press), oracle.support({"tea"}, press)) == (10, 0)
    found = json.loads(run(file, *options, "--json").stdout)
    assert list(found["recipients"]) == ["partners", "press"]


def test_measures_are_those_of_the_definitions(file, secret):
    result = run(file, "--sensitive", secret, "--measure", "--sigma", "20%,2", "--json")
    measures = json.loads(result.stdout)["measures"]
    rows = [frozenset(row) for row in ROWS]
    after = [frozenset(row) for row in discreet.hide(ROWS, discreet.read_sensitive(secret)).transactions]
    secrets = [{"bread", "milk"}, {"tea", "red wine"}]
    for sigma, one in zip((4, 2), measures, strict=True):
        old, new = (set(oracle.frequent(some, sigma)) - {frozenset()} for some in (rows, after))
        legitimate = {itemset for itemset in old if not any(secret <= itemset for secret in secrets)}
        assert one["min_support"] == sigma
        assert one["misses_cost"] == pytest.approx(len(legitimate - new) / len(legitimate))
        assert one["hiding_failure"] == pytest.approx(len((old - legitimate) & new) / len(old - legitimate))
        assert one["artifactual"] == 0
    shown = run(file, "--sensitive", secret, "--measure", "--sigma", "20%").stdout
    assert "hiding failure" in shown


def test_ghost_rules_are_told_apart(tmp_path):
    rows, secret = tmp_path / "rows.csv", tmp_path / "secret.txt"
    discreet.write([["a", "b"], ["a", "b"], ["a", "c"], ["a", "c", "d"]], rows)
    secret.write_text("a c\n", encoding="utf-8")
    asked = [rows, "--sensitive", secret, "--method", "maxfia", "--measure", "--sigma", "2", "--confidence", "60%"]
    # Before, b and c lead to a; once a is gone beside c, a leads to b as well.
    assert json.loads(run(*asked, "--json").stdout)["rules"] == [
        {"min_support": 2, "min_confidence": "3/5", "before": 2, "after": 2, "ghosts": 1}
    ]
    assert run(*asked).stdout.splitlines()[-1].split() == ["2", "2", "2", "1"]


def test_compare_shows_each_method_for_each_psi_and_draws_it(file, secret, tmp_path):
    options = [file, "--sensitive", secret, "--compare", "--psi", "0,50%", "--sigma", "20%,2", "--seconds", 5]
    found = json.loads(run(*options, "--json").stdout)
    expected = [(method, share) for method in METHODS for share in ("0", "1/2")]
    assert [(line["method"], line["disclosure"]) for line in found["lines"]] == expected
    assert found["min_supports"] == [4, 2]
    assert all(line["measures"][0]["hiding_failure"] == 0 for line in found["lines"] if line["disclosure"] != "1/2")
    shown = run(*options, "--plot", tmp_path / "plot.svg")
    assert (shown.exit_code, "milk" in shown.stdout) == (0, False)
    assert {line.split()[0] for line in shown.stdout.splitlines() if line.startswith("  ")} > set(METHODS)
    assert (tmp_path / "plot.svg").read_bytes().startswith(b"<svg ")


@pytest.mark.parametrize("method", METHODS)
def test_a_line_of_the_comparison_is_what_its_method_does(file, secret, method):
    asked = [file, "--sensitive", secret, "--psi", "50%", "--sigma", "20%,2", "--json"]
    lines = json.loads(run(*asked, "--compare").stdout)["lines"]
    expected = next(line for line in lines if line["method"] == method)
    found = json.loads(run(*asked, "--measure", "--method", method).stdout)
    shown = ("rows_touched", "items_removed", "measures")
    assert [found[name] for name in shown] == [expected[name] for name in shown]


def test_an_index_is_used_and_one_of_other_rows_refused(file, secret, tmp_path):
    discreet.InvertedFile(discreet.read(file)).save(tmp_path / "good.index")
    discreet.InvertedFile([["bread", "milk"]]).save(tmp_path / "bad.index")
    expected = run(file, "--sensitive", secret).stdout
    assert run(file, "--sensitive", secret, "--index", tmp_path / "good.index").stdout == expected
    assert_refused(run(file, "--sensitive", secret, "--index", tmp_path / "bad.index"), "belongs to other rows")
    assert_refused(run(file, "--sensitive", secret, "--index", tmp_path / "no.index"), "no such file")


def test_rows_come_from_a_pipe_but_go_to_a_folder_only_from_a_file(file, secret, tmp_path):
    piped = run("-", "--format", "csv", "--sensitive", secret, input=file.read_bytes())
    expected = run(file, "--sensitive", secret).stdout.replace("rows.csv", "standard input")
    assert piped.stdout.split() == expected.split()
    refused = run("-", "--format", "csv", "--sensitive", secret, "--out", tmp_path / "shared", input=file.read_bytes())
    assert_refused(refused, "a pipe is not")


def test_the_columns_of_a_table_are_told_by_name(tmp_path):
    (tmp_path / "long.csv").write_text("id;what\n7;a\n7;b\n8;a\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("a b\n", encoding="utf-8")
    options = ["--row", "id", "--item", "what", "--separator", ";", "--sensitive", tmp_path / "secret.txt"]
    run(tmp_path / "long.csv", *options, "--out", tmp_path / "shared")
    assert (tmp_path / "shared" / "long.csv").read_text(encoding="utf-8") == "id;what\n7;a\n8;a\n"


def test_with_memory_swa_scans_the_file_once_and_writes_the_same(file, secret, tmp_path, monkeypatch):
    options = ["--sensitive", secret, "--method", "swa", "--window", 7]
    run(file, *options, "--out", tmp_path / "whole")
    monkeypatch.setattr(discreet, "read", lambda *_args, **_options: pytest.fail("it was read"))
    result = run(file, *options, "--out", tmp_path / "scanned", "--memory", "64MB")
    assert result.exit_code == 0, result.stderr
    for name in ("rows.csv", f"{APART}/changes.csv", f"{APART}/README.txt"):
        assert (tmp_path / "scanned" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert ["2", "5", "2"] in [line.split()[:3] for line in result.stdout.splitlines()]
    found = json.loads(run(file, *options, "--out", tmp_path / "scanned", "--memory", "64MB", "--json").stdout)
    assert found["input"]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (found["method"], found["window"]) == ("swa", 7)
    monkeypatch.undo()
    whole = json.loads(run(file, *options, "--json").stdout)
    assert (whole["method"], whole["window"]) == ("swa", 7)


def test_a_file_that_cannot_be_read_at_once_is_scanned_by_swa(file, secret, tmp_path, monkeypatch):
    monkeypatch.setattr(folder.resources, "memory", lambda: 2 * file.stat().st_size - 1)
    assert_refused(run(file, "--sensitive", secret, "--method", "swa"), "give --out")
    assert run(file, "--sensitive", secret, "--method", "swa", "--out", tmp_path / "shared").exit_code == 0
    monkeypatch.undo()
    assert oracle.support({"bread", "milk"}, rows_in(tmp_path / "shared" / "rows.csv")) == 0


BAD_SECRETS = {
    "bread champagne\n": "line 1, item 2 is in no row",
    "bread\n\n@ 10%\n": "line 3 names no item",
    "bread @ 110%\n": "line 1 has after its @ no share from 0 to 1",
    "bread | milk\n": "line 1 has something at column 7",
    "": "the file is empty",
    "# none\n": "no sensitive itemset is named",
}


@pytest.mark.parametrize(("text", "words"), BAD_SECRETS.items(), ids=repr)
def test_bad_itemsets_are_one_line_and_write_nothing(file, tmp_path, text, words):
    (tmp_path / "secret.txt").write_text(text, encoding="utf-8")
    before = listed(tmp_path)
    result = run(file, "--sensitive", tmp_path / "secret.txt", "--out", tmp_path / "shared")
    assert_refused(result, words)
    assert "champagne" not in result.stderr
    assert listed(tmp_path) == before


def test_an_unknown_item_is_named_with_show_labels(file, tmp_path):
    (tmp_path / "secret.txt").write_text("bread champagne\n", encoding="utf-8")
    result = run(file, "--sensitive", tmp_path / "secret.txt", "--show-labels")
    assert_refused(result, "line 1, item 2 ('champagne') is in no row")


OK = ["rows.csv", "--sensitive", "secret.txt"]
BAD = [
    (["rows.csv"], "--sensitive is missing"),
    (["missing.csv", "--sensitive", "secret.txt"], "missing.csv: there is no such file"),
    (["rows.csv", "--sensitive", "missing.txt"], "missing.txt: there is no such file"),
    ([*OK, "--psi", "1.5"], "disclosure is 1.5"),
    ([*OK, "--psi", "-10%"], "disclosure is -10%"),
    ([*OK, "--psi", "much"], "disclosure is 'much'"),
    ([*OK, "--psi", "0,10%"], "--psi has several shares"),
    ([*OK, "--psi", "10%", "--below", "3"], "Both --psi and --below"),
    ([*OK, "--below", "3"], "both below and a disclosure are given"),
    ([*OK, "--below", "0"], "the count 0"),
    ([*OK, "--method", "magic"], "--method is 'magic'; give one of"),
    ([*OK, "--method", "swa", "--reading", "dynamic"], "--reading means nothing to the method swa"),
    ([*OK, "--window", "10"], "--window means nothing to the method iga"),
    ([*OK, "--seconds", "10"], "--seconds means nothing to the method iga"),
    ([*OK, "--memory", "10MB"], "--memory means nothing to the method iga"),
    ([*OK, "--method", "swa", "--memory", "10MB"], "give --out"),
    ([*OK, "--method", "swa", "--memory", "10MB", "--out", "shared", "--below", "10%"], "--below must be a count"),
    ([*OK, "--measure"], "give --sigma"),
    ([*OK, "--measure", "--sigma", "none"], "min support is 'none'"),
    ([*OK, "--sigma", "10%"], "give --measure or --compare"),
    ([*OK, "--confidence", "75%"], "give it with --measure alone"),
    ([*OK, "--measure", "--sigma", "2", "--confidence", "none"], "min confidence is 'none'"),
    ([*OK, "--plot", "plot.svg"], "--plot draws what --compare compares"),
    ([*OK, "--sensitive", "again/secret.sensitive"], "Two --sensitive files have the same name"),
    ([*OK, "--out", "rows.csv"], "is no folder"),
    ([*OK, "--out", "again"], "holds something else than a copy"),
    ([*OK, "--out", "no/such"], "cannot be written"),
    ([*OK, "--out", "-"], "which - is not"),
    ([*OK, "--out", "."], "no name of a folder is given"),
    ([*OK, "--compare", "--sigma", "10%", "--method", "iga"], "--compare tries all methods"),
    ([*OK, "--compare", "--sigma", "10%", "--out", "shared"], "--compare only shows"),
    ([*OK, "--compare", "--sigma", "10%", "--reading", "dynamic"], "--reading is for some methods"),
    ([*OK, "--compare", "--sigma", "10%", "--memory", "1GB"], "--memory is for some methods"),
    ([*OK, "--compare"], "give --sigma"),
    ([*OK, "--psi", ""], "disclosure is ''"),
    ([*OK, "--compare", "--sigma", "10%", "--sensitive", "again/other.txt"], "one recipient"),
    ([*OK, "--compare", "--sigma", "10%", "--plot", "rows.csv"], "a file that is to be read"),
]


@pytest.mark.usefixtures("file", "secret")
@pytest.mark.parametrize(("options", "words"), BAD, ids=lambda value: " ".join(value)[-50:])
def test_a_wrong_hide_is_one_line_and_writes_nothing(tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "again").mkdir()
    for name in ("secret.sensitive", "other.txt"):
        (tmp_path / "again" / name).write_text("bread milk\n", encoding="utf-8")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert_refused(run(*options), words)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_place_is_refused_before_anything_is_read(secret, tmp_path, monkeypatch):
    monkeypatch.setattr(discreet, "read", lambda *_args, **_options: pytest.fail("it was read"))
    assert_refused(run("rows.csv", "--sensitive", secret, "--out", tmp_path / "no" / "such"), "cannot be written")


def test_a_copy_does_not_replace_the_folder_that_its_rows_are_in(file, secret, tmp_path):
    run(file, "--sensitive", secret, "--out", tmp_path / "shared")
    inside = tmp_path / "shared" / "rows.csv"
    before = inside.read_bytes()
    assert_refused(run(inside, "--sensitive", secret, "--out", tmp_path / "shared"), "holds the file that is read")
    assert inside.read_bytes() == before


def test_a_full_disk_is_one_line_and_leaves_all_as_it_was(file, secret, tmp_path, monkeypatch):
    def full(*_args, **_options):
        raise OSError(28, "No space left on device")

    before, rows = listed(tmp_path), file.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    result = run(file, "--sensitive", secret, "--out", tmp_path / "shared", "--quiet")
    assert_refused(result, "No space left on device")
    assert ".part" not in result.stderr
    assert (listed(tmp_path), file.read_bytes()) == (before, rows)


def test_a_full_disk_for_the_report_is_one_line(file, secret):
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        command = [*COMMAND, "hide", str(file), "--sensitive", str(secret), "--quiet"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: the output cannot be written (No space left on device)")


def test_ctrl_c_ends_in_one_line_and_leaves_nothing(file, secret, tmp_path, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    before = listed(tmp_path)
    monkeypatch.setattr(import_module("discreet.hiding.folder"), "rewrite", interrupted)
    result = run(file, "--sensitive", secret, "--quiet", "--out", tmp_path / "shared")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "error: stopped by Ctrl-C\n")
    assert listed(tmp_path) == before


def test_help_loads_no_kernels():
    code = "import sys\nfrom discreet.cli import main\ntry: main(['hide', '--help'])\nexcept SystemExit: pass\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}print('numba' in sys.modules, file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "False\n"


def test_inconspicuous_hiding_tells_what_was_asked_and_the_ranks(file, secret):
    result = run(file, "--sensitive", secret, "--inconspicuous", "--seed", 3)
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert "itemset rows before asked at most now rank before rank now" in words
    assert "drawn with the seed 3" in words
    found = json.loads(run(file, "--sensitive", secret, "--inconspicuous", "--json").stdout)
    assert found["inconspicuous"] == {"seed": 1, "min_support": 5}
    assert [line["asked"] for line in found["sensitive"]] == [0, 2]


def test_where_nothing_is_removed_nothing_is_said_to_be_hidden(file, secret):
    secret.write_text(SENSITIVE.replace("@ 40%", ""), encoding="utf-8")
    head = run(file, "--sensitive", secret, "--below", 20).stdout.splitlines()[0]
    assert head == "rows.csv: Nothing was removed from 20 rows: 2 sensitive itemsets are within their limits."


def test_a_comparison_can_be_inconspicuous(file, secret):
    options = [file, "--sensitive", secret, "--compare", "--sigma", 2, "--seconds", 1, "--inconspicuous", "--json"]
    lines = json.loads(run(*options).stdout)["lines"]
    assert {line["guessed"] for line in lines} <= {0.0, 0.5, 1.0}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--seed", "3"], "--seed is for --inconspicuous"),
        (["--seed", "-3", "--inconspicuous"], "at least 0"),
        (["--inconspicuous", "--method", "swa", "--memory", "1GB", "--out", "shared"], "one scan cannot"),
    ],
)
def test_what_cannot_be_inconspicuous_is_refused(file, secret, options, words):
    assert_refused(run(file, "--sensitive", secret, *options), words)
