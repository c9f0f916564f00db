"""``discreet block``: what it shows, what it writes, and how it ends."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import oracle
import pytest
from click.testing import CliRunner
from test_cli import assert_refused, shown_on_a_terminal

import discreet
import discreet.data.generate
from discreet.cli import main

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["d"]] * 50
OPTIONS = ["--min-support", 10, "-k", 10]
METHODS = ["suppress", "add", "withhold", "optimal"]
RECOMMENDED = "Recommended: leave out revealing combinations (withhold)"


def run(*arguments, **options):
    return CliRunner().invoke(main, ["block", *map(str, arguments)], **options)


def written(path, rows=ROWS):
    discreet.write(discreet.Transactions(rows), path)
    return path


@pytest.fixture
def file(tmp_path):
    return written(tmp_path / "rows.csv")


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    return written(tmp_path_factory.mktemp("clinic") / "clinic.csv", discreet.data.generate.clinic(600, seed=1))


def family(folder):
    """What is published in a folder: each frequent itemset with its support."""
    patterns = discreet.read_patterns(Path(folder) / "patterns.json")
    found = {}
    for itemset, support in patterns:
        for subset in oracle.subsets(itemset):
            found[subset] = max(support, found.get(subset, 0))
    return found


def one_line(result):
    """What was shown, as if the lines had no end."""
    return " ".join(result.stdout.split())


@pytest.mark.parametrize("method", METHODS)
def test_out_holds_a_release_without_channels_that_verifies(file, tmp_path, method):
    result = run(file, *OPTIONS, "--method", method, "--out", tmp_path / "release")
    assert result.exit_code == 0
    assert oracle.channels_of(family(tmp_path / "release"), 10) == {}
    checked = discreet.verify(tmp_path / "release")
    assert checked.is_good
    cost = json.loads((tmp_path / "release" / "DO-NOT-RELEASE" / "cost.json").read_text(encoding="utf-8"))
    assert cost["input"] == {"file": "rows.csv", "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    assert checked.digest in result.stderr
    assert f"remove {tmp_path / 'release'}/DO-NOT-RELEASE" in result.stderr


def test_without_out_nothing_is_written_and_the_report_says_how(file, tmp_path):
    result = run(file, *OPTIONS, "--method", "suppress")
    assert result.exit_code == 0
    assert result.stdout.startswith('rows.csv: 3 closed itemsets of 98 rows, made safe for k = 10 by "suppress"')
    assert "RELEASE: 3 closed itemsets" in result.stdout
    assert result.stderr.endswith("Nothing was written; --out FOLDER writes this release, with a certificate.\n")
    assert list(tmp_path.iterdir()) == [file]


def test_quiet_says_nothing_on_stderr(file, tmp_path):
    assert run(file, *OPTIONS, "--method", "add", "--out", tmp_path / "release", "--quiet").stderr == ""
    assert discreet.verify(tmp_path / "release").is_good


@pytest.mark.parametrize(
    ("form", "name"),
    [("csv", "patterns.csv"), ("spmf", "patterns.txt"), ("borgelt", "patterns.out"), ("parquet", "patterns.parquet")],
)
def test_patterns_says_in_which_format_they_are_written(file, tmp_path, form, name):
    run(file, *OPTIONS, "--method", "add", "--patterns", form, "--out", tmp_path / "release")
    expected = discreet.block(ROWS, min_support=10, k=10, method="add").patterns
    assert discreet.read_patterns(tmp_path / "release" / name, n=expected.n, kind="closed")[["a", "b"]] == 60
    assert discreet.verify(tmp_path / "release").is_good


@pytest.mark.parametrize("method", METHODS)
def test_json_tells_what_was_made_and_what_it_cost(file, method):
    found = json.loads(run(file, *OPTIONS, "--method", method, "--json").stdout)
    release = discreet.block(ROWS, min_support=10, k=10, method=method)
    assert found["input"]["file"] == "rows.csv"
    assert (found["method"], found["k"], found["min_support"], found["n"]) == (method, 10, 10, release.patterns.n)
    assert found["distortion"] == release.distortion._asdict()


def test_compare_shows_every_method_and_recommends_exact_numbers(clinic):
    shown = run(clinic, "--min-support", "5%", "-k", 10, "--compare", "--seconds", 2)
    found = json.loads(run(clinic, "--min-support", "5%", "-k", 10, "--compare", "--seconds", 2, "--json").stdout)
    names = ["suppress", "add", "add, merged", "withhold", "optimal"]
    assert [line["name"] for line in found["methods"]] == names
    assert re.findall(r"^  (\w+(?:, merged)?)  +(?:[\d,]+|-)  ", shown.stdout, re.MULTILINE) == names
    assert {line["verdict"] for line in found["methods"]} == {"RELEASE"}
    assert (found["best"], found["recommendation"].partition(".")[0]) == ("withhold", RECOMMENDED)
    assert max(map(len, shown.stdout.splitlines())) <= 100
    assert shown.stderr.endswith("--out FOLDER writes the recommended release, with a certificate.\n")


def test_the_best_says_what_it_was_compared_with(clinic):
    options = [clinic, "--min-support", "5%", "-k", 10, "--seconds", 1]
    assert re.search(
        r"counts as 100%: suppress [\d.]+%; add [\d.]+%; add, merged [\d.]+%; withhold [\d.]+%; optimal [\d.]+%\.",
        one_line(run(*options)),
    )
    found = json.loads(run(*options, "--json").stdout)
    assert found["reason"].startswith(f"{RECOMMENDED}. Every published number is exact")
    assert found["distortion"]["average"] == found["compared"]["withhold"]


def test_merge_adds_fewer_rows_where_that_costs_less(clinic):
    options = [clinic, "--min-support", "5%", "-k", 10, "--method", "add", "--json"]
    plain, merged = (json.loads(run(*options, *more).stdout) for more in ([], ["--merge"]))
    assert merged["distortion"]["average"] < plain["distortion"]["average"]
    assert merged["distortion"]["lost"] == 0


@pytest.mark.parametrize(("more", "method"), [([], "withhold"), (["--against", "derive"], "best")])
def test_compare_writes_the_recommended_one(file, tmp_path, more, method):
    result = run(file, *OPTIONS, *more, "--compare", "--out", tmp_path / "release", "--json")
    told, cost = (
        json.loads((tmp_path / "release" / name).read_text(encoding="utf-8"))
        for name in ("release.json", "DO-NOT-RELEASE/cost.json")
    )
    assert (told["method"], cost["method"]) == (method, json.loads(result.stdout)["best"])
    assert discreet.verify(tmp_path / "release").is_good


def test_keep_n_keeps_the_number_of_rows(file):
    found = json.loads(run(file, *OPTIONS, "--keep-n", "--json", "--seconds", 5).stdout)
    assert found["n"] == found["rows"]["before"] == 100


def test_rows_come_from_a_pipe_too(file):
    piped = run("-", "--format", "csv", *OPTIONS, "--method", "add", input=file.read_bytes())
    expected = run(file, *OPTIONS, "--method", "add").stdout.replace("rows.csv", "standard input")
    assert one_line(piped) == " ".join(expected.split())


EMPTY = [
    (["--min-support", 4, "-k", 2], "0 closed itemsets of 3 rows, safe for k = 2 as they are"),
    (["--min-support", 1, "-k", 5, "--method", "withhold"], "is held by 5 rows and is safe"),
    (["--min-support", 3, "-k", 5, "--method", "suppress"], "is held by 3 rows."),
]


MEANT = ["--format", "baskets"]


def test_nothing_is_released_of_rows_that_may_have_been_misread(tmp_path):
    file = written(tmp_path / "rows.csv", [["a", "b"], ["a", "b", "c"], ["a"]] * 20)
    options = ["--min-support", 20, "-k", 5, "--out", tmp_path / "release"]
    result = run(file, *options)
    assert result.exit_code == 2
    assert "may have been misread: One item is in nearly every row. It was read as baskets" in result.stderr
    assert not (tmp_path / "release").exists()
    assert run(file, *MEANT, *options).exit_code == 0


@pytest.mark.parametrize(("options", "words"), EMPTY, ids=str)
def test_where_nothing_is_left_to_publish_that_is_said_and_nothing_written(tmp_path, options, words):
    file = written(tmp_path / "rows.csv", [["a", "b"], ["a", "b"], ["a"]])
    result = run(file, *MEANT, *options, "--out", tmp_path / "release")
    is_wrong = 5 in options  # people, of whom there are three
    assert result.exit_code == int(is_wrong)
    assert ("REVIEW: k is 5, more than all 3 rows." in result.stderr) == is_wrong
    assert "There is nothing to publish: no itemset, not even the empty one, is held by" in result.stdout
    assert words in result.stdout
    assert result.stderr.endswith("Nothing was written: there is nothing to publish.\n")
    assert list(tmp_path.iterdir()) == [file]


def test_a_release_of_nothing_but_n_says_so(tmp_path):
    file = written(tmp_path / "rows.csv", [["a"], ["b"], ["c"], ["d"]])
    assert "all that is published is the number of rows" in run(file, *MEANT, "--min-support", 2, "-k", 2).stdout


@pytest.mark.parametrize("k", [1, 2])
def test_what_is_safe_already_is_published_as_it_is(tmp_path, k):
    file = written(tmp_path / "rows.csv", [["a", "b"]] * 5 + [["a"]] * 3)
    result = run(file, *MEANT, "--min-support", 3, "-k", k, "--out", tmp_path / "release")
    assert result.exit_code == int(k == 1)
    assert ("REVIEW: k is 1, so no count is too small." in result.stderr) == (k == 1)
    assert "as they are" in result.stdout
    expected = oracle.frequent([frozenset("ab")] * 5 + [frozenset("a")] * 3, 3)
    assert family(tmp_path / "release") == expected


@pytest.mark.parametrize("policy", ["acro", "opensafely"])
def test_a_policy_is_met_and_the_release_written(file, tmp_path, policy):
    result = run(file, "--min-support", 10, "--policy", policy, "--method", "add", "--out", tmp_path / "release")
    assert result.exit_code == 0
    assert f"For the policy {policy} alone, " in result.stdout
    assert "RELEASE: " in (tmp_path / "release" / "report.txt").read_text(encoding="utf-8")


def test_what_is_in_the_way_of_a_policy_is_named_with_the_option_that_leaves_it_out(tmp_path):
    regions = [f"region={at % 4}" for at in range(2000)]
    rows = [[f"sex={'fm'[at % 2]}", region] if at > 2 else [region] for at, region in enumerate(regions)]
    file = written(tmp_path / "rows.csv", rows)
    asked = [file, *MEANT, "--min-support", 100, "--policy", "acro", "--method", "withhold"]
    result = run(*asked)
    assert result.exit_code == 1
    assert "REVIEW: no channel is left, but the policy acro asks for more; see the checks.\n" in result.stderr
    [line] = re.findall(r"In the way: (.*)\. With (--leave-out .*), (.*) itemsets would remain", result.stderr)[:1]
    left = run(*asked, *line[1].split())
    assert left.exit_code == 0
    assert f"{line[2]} frequent itemsets" in left.stdout


BAD = [
    (["rows.csv", "--min-support", "10"], "Neither -k nor --policy is given"),
    (["rows.csv", "-k", "10"], "--min-support is missing; give --min-support COUNT|SHARE"),
    (["rows.csv", "--min-support", "10", "-k", "0"], "-k is '0'; give a whole number"),
    (["rows.csv", "--min-support", "none", "-k", "10"], "--min-support is 'none'"),
    (["missing.csv", "--min-support", "10", "-k", "10"], "there is no such file"),
    (["empty.csv", "--min-support", "10", "-k", "10"], "the file is empty"),
    (["rows.csv", "--min-support", "10", "-k", "5", "--policy", "acro"], "the policy acro asks for 10"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--method", "magic"], "--method is 'magic'; give one of"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--method", "add", "--compare"], "--compare tries all methods"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--method", "suppress", "--merge"], "--merge means nothing to"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--merge"], "--merge means nothing to the method best"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--method", "add", "--seconds", "3"], "--seconds means nothing"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--seconds", "0"], "--seconds is '0'; give a number"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--seconds", "nan"], "'nan'; give a number of seconds above 0"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--patterns", "fimi"], "--patterns is 'fimi'; give one of"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--out", "no/such"], "cannot be written"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--out", "rows.csv"], "is no folder"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--out", "."], "no name of a folder is given"),
    (["rows.csv", "--min-support", "10", "-k", "10", "--out", "mine"], "holds something else than a release"),
    (["rows.csv", "--min-support", "1", "-k", "10", "--max-patterns", "1"], "raise --max-patterns"),
]


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(("options", "words"), BAD, ids=lambda value: " ".join(value)[-50:])
def test_a_wrong_block_is_one_line_and_writes_nothing(tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.csv").touch()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    before = sorted(tmp_path.rglob("*"))
    assert_refused(run(*options), words)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_place_is_refused_before_anything_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(discreet, "read", lambda *_args, **_options: pytest.fail("it was read"))
    assert_refused(run(tmp_path / "rows.csv", *OPTIONS, "--out", tmp_path / "no" / "release"), "cannot be written")


def test_a_release_does_not_replace_the_folder_that_its_rows_are_in(file, tmp_path):
    run(file, *OPTIONS, "--method", "add", "--out", tmp_path / "release", "--patterns", "csv")
    inside = tmp_path / "release" / "patterns.csv"
    before = inside.read_bytes()
    assert_refused(run(inside, *OPTIONS, "--out", tmp_path / "release"), "and FILE is in it")
    assert inside.read_bytes() == before


def test_a_terminal_sees_that_blocking_runs(clinic):
    shown = shown_on_a_terminal(
        "block", clinic, "--min-support", "5%", "-k", 10, "--method", "add", stream="stderr", TERM="xterm"
    )
    assert "blocking" in shown


def test_ctrl_c_ends_in_one_line_and_leaves_nothing(clinic, tmp_path, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(discreet, "block", interrupted)
    result = run(clinic, *OPTIONS, "--quiet", "--out", tmp_path / "release")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "error: stopped by Ctrl-C\n")
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import os, signal, threading
from discreet.blocking.blockers import METHODS
from discreet.cli import main
optimal = METHODS["optimal"]
def solve(problem):
    threading.Timer(1, os.kill, (os.getpid(), getattr(signal, os.environ["END"]))).start()
    return optimal.solve(problem)
METHODS["optimal"] = optimal._replace(solve=solve)
main(prog_name="discreet")
"""


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize(("end", "code", "words"), [("SIGINT", 130, "Ctrl-C"), ("SIGTERM", 143, "SIGTERM")])
def test_a_signal_ends_a_long_solve_soon(tmp_path, monkeypatch, end, code, words):
    monkeypatch.setenv("END", end)
    file = written(tmp_path / "rows.csv", discreet.data.generate.clinic(3000, seed=2))
    options = ["--min-support", "5%", "-k", "20", "--method", "optimal", "--seconds", "600", "--quiet"]
    command = [sys.executable, "-c", INTERRUPTED, "block", file, *options, "--out", tmp_path / "release"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"error: stopped by {words}\n")
    assert list(tmp_path.iterdir()) == [file]
