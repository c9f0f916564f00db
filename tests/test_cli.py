"""The command line: what it writes where, and how it ends."""

import gzip
import json
import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import numba
import oracle
import pytest
from click.testing import CliRunner

import discreet
import discreet.generate
from discreet.cli import main
from discreet.cli.table import SHOWN
from discreet.cli.watch import COMPILING, watching

ROWS = [[1, 2, 3], [1, 2, 3], [1, 2], [4], []]
FIMI = "".join(" ".join(map(str, row)) + "\n" for row in ROWS)
COMMAND = [sys.executable, "-c", "from discreet.cli import main; main(prog_name='discreet')"]
COMMANDS = [
    [],
    ["audit"],
    ["detect"],
    ["tradeoff"],
    ["mine"],
    ["generate"],
    ["generate", "clinic"],
    ["generate", "quest"],
    ["demo"],
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_text(FIMI, encoding="utf-8")
    return path


def run(*arguments, **options):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)


def expected(kind, min_support):
    found = getattr(oracle, kind)([frozenset(row) for row in ROWS], min_support)
    return sorted((sorted(itemset), support) for itemset, support in found.items())


def listed(text):
    told = json.loads(text)
    return sorted((pattern["items"], pattern["support"]) for pattern in told["patterns"])


def assert_refused(result, words):
    """It ended with exit code 2 and one line on stderr that holds these words."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr


@pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
def test_json_holds_every_pattern_and_how_it_was_mined(file, kind):
    told = json.loads(run("mine", file, "--min-support", "40%", "--kind", kind, "--json").stdout)
    assert (told["n"], told["min_support"], told["kind"]) == (5, 2, kind)
    assert listed(json.dumps(told)) == expected(kind, 2)


def test_a_pipe_gets_every_pattern_in_spmf(file):
    result = run("mine", file, "--min-support", 2, "--quiet")
    lines = [line for line in result.stdout.splitlines() if not line.startswith("@")]
    assert sorted(lines) == sorted(
        " ".join([*map(str, itemset), "#SUP:", str(support)]) for itemset, support in expected("closed", 2)
    )


def test_what_a_pipe_gets_can_be_read_back(file, tmp_path):
    (tmp_path / "piped.spmf").write_text(run("mine", file, "--min-support", 2, "--quiet").stdout, encoding="utf-8")
    assert discreet.read_patterns(tmp_path / "piped.spmf", format="spmf") == discreet.mine(ROWS, min_support=2)


@pytest.mark.parametrize("name", ["patterns.json", "patterns.csv", "patterns.parquet"])
def test_out_holds_every_pattern_and_stdout_nothing(file, tmp_path, name):
    result = run("mine", file, "--min-support", 2, "--out", tmp_path / name)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "3 closed itemsets, support at least 2 rows (40%), written to" in result.stderr
    assert discreet.read_patterns(tmp_path / name, kind="closed") == discreet.mine(ROWS, min_support=2)


def test_out_format_says_how_whatever_the_suffix(file, tmp_path):
    run("mine", file, "--min-support", 2, "--out", tmp_path / "patterns", "--out-format", "json")
    assert listed((tmp_path / "patterns").read_text(encoding="utf-8")) == expected("closed", 2)


def test_quiet_says_nothing(file, tmp_path):
    result = run("mine", file, "--min-support", 2, "--out", tmp_path / "patterns.json", "--quiet")
    assert result.output == ""


def test_max_length_bounds_the_itemsets(file):
    result = run("mine", file, "--min-support", 1, "--max-length", 1, "--kind", "frequent", "--json")
    assert listed(result.stdout) == [found for found in expected("frequent", 1) if len(found[0]) <= 1]


def test_stdin_is_read_where_the_file_is_a_dash():
    result = run("mine", "-", "--format", "fimi", "--min-support", 2, "--json", input=FIMI)
    assert listed(result.stdout) == expected("closed", 2)


def test_the_columns_of_a_table_are_told_by_name(tmp_path):
    table = tmp_path / "long.csv"
    table.write_text("id;what\n1;tea\n1;milk\n2;tea\n", encoding="utf-8")
    options = ["--row", "id", "--item", "what", "--separator", ";"]
    result = run("mine", table, "--min-support", 2, "--json", *options)
    assert listed(result.stdout) == [(["tea"], 2)]


BAD_OPTIONS = [
    (["--min-support", "0"], "min support is the count 0"),
    (["--min-support", "1.5"], "min support is 1.5"),
    (["--min-support", "abc"], "min support is 'abc', which is no number"),
    (["--min-support", "NaN"], "which is no number"),
    (["--min-support", str(10**20)], f"min support is the count {10**20}"),
    (["--min-support", "-1"], "min support is"),
    ([], "Missing option '--min-support'"),
    (["--min-support", "2", "--kind", "odd"], "'odd' is not one of 'frequent', 'closed', 'maximal'"),
    (["--min-support", "2", "--format", "odd"], "odd"),
    (["--min-support", "2", "--out-format", "odd"], "odd"),
    (["--min-support", "2", "--memory", "much"], "'much' is no size"),
    (["--min-support", "2", "--memory", "2XB"], "'2XB' is no size"),
    (["--min-support", "2", "--threads", "0"], "'--threads'"),
    (["--min-support", "2", "--max-length", "-1"], "'--max-length'"),
    (["--min-support", "2", "--max-patterns", "no"], "'--max-patterns'"),
    (["--min-support", "2", "--bogus"], "No such option '--bogus'"),
]


@pytest.mark.parametrize(
    ("options", "words"), BAD_OPTIONS, ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else ""
)
def test_a_wrong_option_is_one_line_and_writes_nothing(file, tmp_path, options, words):
    assert_refused(run("mine", file, *options, "--out", tmp_path / "out.json"), words)
    assert list(tmp_path.iterdir()) == [file]


BAD_FILES = {
    "empty.dat": b"",
    "junk.dat": bytes(range(256)),
    "word.dat": b"1 2\n3 secretword 4\n",
    "negative.dat": b"1 -2\n",
    "large.dat": b"1 2147483648\n",
    "long.dat": b"%s\n" % b" ".join(b"%d" % item for item in range(1_000_000)),
    "nul.dat": b"1 2\n3 \x00 4\n",
    "broken.dat.gz": gzip.compress(FIMI.encode())[:-12],
    "broken.dat.xz": b"no xz at all",
    "patterns.unknown": b"1 2\n",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_one_line_and_writes_nothing(tmp_path, name):
    (tmp_path / name).write_bytes(BAD_FILES[name])
    result = run("mine", tmp_path / name, "--min-support", 1, "--out", tmp_path / "out.json")
    assert_refused(result, "")
    assert "secretword" not in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_missing_file_is_one_line(tmp_path):
    assert_refused(run("mine", tmp_path / "missing.dat", "--min-support", 1), "no such file")


@pytest.mark.parametrize("options", [[], ["--format", "fimi"]], ids=str)
def test_a_directory_is_one_line(tmp_path, options):
    assert_refused(run("mine", tmp_path, "--min-support", 1, *options), "this is a directory; give a file in it")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["unknown.odd"], "the suffix '.odd' tells no format of rows; name one with --format: fimi (.dat .fimi)"),
        (["rows.csv", "--out", "out.odd"], "tells no format of patterns; name one with --out-format: spmf"),
        (["rows.csv", "--format", "fimi"], "for text labels use --format csv"),
        (["rows.csv", "--row", "id"], "give --row and --item"),
        (["rows.csv", "--max-patterns", "1"], "raise --max-patterns or --min-support, or lower --max-length"),
        (["format=.csv"], "format=.csv: there is no such file"),
        (["max_length.csv"], "max_length.csv: there is no such file"),
    ],
    ids=str,
)
def test_errors_speak_of_options_as_the_command_line_does(tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    for name in ("rows.csv", "unknown.odd"):
        (tmp_path / name).write_text("tea,milk\ntea\n", encoding="utf-8")
    assert_refused(run("mine", *options, "--min-support", 1), words)


def test_a_misspelt_command_is_answered_with_the_right_one():
    assert_refused(run("min"), "Did you mean 'mine'? see '")


def test_an_output_that_cannot_be_written_is_one_line_and_leaves_nothing(file, tmp_path):
    out = tmp_path / "no such folder" / "out.json"
    assert_refused(run("mine", file, "--min-support", 1, "--out", out), "cannot be written")
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["out.unknown", "", "no such folder/out.json"])
def test_an_output_that_cannot_be_is_refused_before_anything_is_mined(file, tmp_path, monkeypatch, name):
    monkeypatch.setattr(discreet, "mine", pytest.fail)
    assert_refused(run("mine", file, "--min-support", 1, "--out", tmp_path / name), "")
    assert list(tmp_path.iterdir()) == [file]


def test_the_file_that_is_mined_is_not_written_over(file):
    assert_refused(
        run("mine", file, "--min-support", 1, "--out", file.parent / "." / file.name, "--out-format", "json"),
        "a file that is to be read",
    )
    assert file.read_text(encoding="utf-8") == FIMI


def test_an_output_that_fails_leaves_what_was_there(file, tmp_path):
    out = tmp_path / "out.json"
    out.write_text("before", encoding="utf-8")
    assert_refused(run("mine", file, "--min-support", 0, "--out", out), "min support")
    assert out.read_text(encoding="utf-8") == "before"


def test_ctrl_c_is_one_line_and_exit_code_130(file, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(discreet, "mine", interrupted)
    result = run("mine", file, "--min-support", 1)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (130, "", 1)


def test_a_machine_without_memory_is_one_line(file, monkeypatch):
    def exhausted(*_args, **_options):
        raise MemoryError

    monkeypatch.setattr(discreet, "mine", exhausted)
    assert_refused(run("mine", file, "--min-support", 1), "no more memory")


@pytest.fixture
def endless(tmp_path):
    """A file of 60 rows that each lack another item: to list its 2 ** 60 itemsets would take for ever."""
    path = tmp_path / "endless.dat"
    rows = [[item for item in range(60) if item != row] for row in range(60)]
    path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--max-patterns", 1000], "more than 1,000 itemsets were found, as many as --max-patterns allows"),
        (["--memory", "10MiB"], "take more than the 10.0 MiB that memory allows: raise --memory or --min-support"),
        (["--memory", "1KB"], "to be searched; memory is limited to 1000 bytes: raise --memory or --min-support"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["frequent", "closed"])
def test_a_limit_that_is_reached_is_one_line_and_no_cut(endless, kind, options, words):
    options = ["--kind", kind, *options, "--out", endless.with_name("out.json")]
    assert_refused(run("mine", endless, "--min-support", 1, *options), words)
    assert list(endless.parent.iterdir()) == [endless]


@pytest.mark.parametrize("kind", ["frequent", "closed"])
def test_ctrl_c_ends_a_search_without_end(endless, kind):
    arguments = ["mine", endless, "--min-support", 1, "--kind", kind, "--out", endless.with_name("out.json")]
    with on_a_terminal(*arguments, stream="stderr", TERM="xterm") as (process, leader):
        shown = b""
        while not re.search(rb"[1-9][\d,]* found", shown) and (more := _read(leader)):
            shown += more
        process.send_signal(signal.SIGINT)
        rest = _all(leader).decode()
        assert process.wait(timeout=10) == 130
    assert rest.endswith("error: stopped by Ctrl-C\r\n")
    assert "Traceback" not in rest
    assert list(endless.parent.iterdir()) == [endless]


@pytest.mark.parametrize(("size", "count"), [("2GB", 2 * 10**9), ("1.5 MiB", 3 * 2**19), ("100", 100)])
def test_memory_is_told_to_mine_in_bytes(file, monkeypatch, size, count):
    told = {}

    def listening(_rows, **options):
        told.update(options)
        return discreet.Patterns.from_itemsets([], n=5)

    monkeypatch.setattr(discreet, "mine", listening)
    run("mine", file, "--min-support", "1%", "--memory", size, "--threads", 2, "--max-patterns", 7)
    assert (told["memory"], told["threads"], told["max_patterns"], told["min_support"]) == (count, 2, 7, "1%")


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_ends_with_an_example_of_the_command(path):
    result = run(*path, "--help")
    assert result.exit_code == 0
    assert " ".join(["discreet", *path]) in result.stdout[result.stdout.index("Example") :]


def test_no_command_shows_the_help_and_is_wrong_usage():
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Commands:" in result.stderr


def test_version_is_that_of_the_package():
    assert run("--version").stdout == f"discreet, version {discreet.__version__}\n"


@pytest.mark.parametrize("name", ["clinic", "quest"])
def test_generate_writes_what_the_library_draws(tmp_path, name):
    out = tmp_path / "rows.dat.gz" if name == "quest" else tmp_path / "rows.csv"
    result = run("generate", name, "--rows", 50, "--seed", 3, "--out", out)
    assert (result.exit_code, result.stdout) == (0, "")
    drawn = getattr(discreet.generate, name)(50, seed=3)
    assert list(discreet.read(out)) == list(drawn)


def test_generate_refuses_what_means_nothing(tmp_path):
    assert_refused(run("generate", "quest", "--rows", -1, "--out", tmp_path / "rows.dat"), "-1")
    assert_refused(run("generate", "clinic"), "Missing option '--out'")
    assert list(tmp_path.iterdir()) == []


def test_the_demo_is_short_and_narrow():
    result = run("demo")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert 20 <= len(lines) <= 30
    assert max(map(len, lines)) <= 100


def test_each_sum_of_the_demo_adds_up_to_patients_that_are_there():
    rows = discreet.generate.clinic(2000, seed=1)
    stories = re.findall(r"  (\d+) patients? ha(?:s|ve) (.*), but (.*):\n((?:    [+−] .*\n)+)", run("demo").stdout)
    assert len(stories) == 3
    for count, held, lacked, lines in stories:
        lacking = re.sub("^(not|neither) ", "", lacked).split(" nor ")
        people = [row for row in rows if row >= set(held.split(" and ")) and row.isdisjoint(lacking)]
        assert int(count) == len(people)
        terms = re.findall(r"([+−]) +(\d+)  (.*)", lines)
        assert [int(support) for _, support, _ in terms] == [rows.support(items.split(", ")) for _, _, items in terms]
        assert sum({"+": 1, "−": -1}[sign] * int(support) for sign, support, _ in terms) == len(people)


def test_the_demo_tells_the_verdict_and_what_is_safe():
    rows = discreet.generate.clinic(2000, seed=1)
    shown = run("demo").stdout
    found = discreet.audit(rows, min_support="5%", k=10)
    assert f"{found.verdict.name}: {len(found.channels)} sums" in shown
    safe = int(re.search(r"minimum support of (\d+) patients", shown)[1])
    assert not len(discreet.detect(discreet.mine(rows, min_support=safe), k=10))
    assert len(discreet.detect(discreet.mine(rows, min_support=safe - 1), k=10))


@contextmanager
def on_a_terminal(*arguments, stream="stdout", **environment):
    """A command with a terminal of its own, which one of its streams leads to."""
    leader, follower = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: follower}
    variables = {**os.environ, "COLUMNS": "100", "TERM": "dumb", **environment}
    with subprocess.Popen([*COMMAND, *map(str, arguments)], env=variables, **streams) as process:
        os.close(follower)
        try:
            yield process, leader
        finally:
            process.kill()
            os.close(leader)


def shown_on_a_terminal(*arguments, **options):
    """All that a command shows on a terminal of its own."""
    with on_a_terminal(*arguments, **options) as (_, leader):
        return _all(leader).decode().replace("\r\n", "\n")


def _all(leader):
    return b"".join(iter(lambda: _read(leader), b""))


def _read(leader):
    try:
        return os.read(leader, 65536)
    except OSError:  # Linux says so when the other end is closed
        return b""


def test_a_terminal_gets_a_table_and_the_number_of_the_rest(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("[bold]tag[/bold],\x1b[31mred\n" + "".join(f"a,b{i}\n" for i in range(SHOWN + 5)), encoding="utf-8")
    shown = shown_on_a_terminal("mine", file, "--min-support", 1, "--quiet")
    rows = discreet.read(file)
    more = len(discreet.mine(rows, min_support=1)) - SHOWN
    assert f"{len(rows)} rows, {len(rows.labels)} items. Support at least 1 rows" in shown
    assert f"… and {more} more, none with a larger support" in shown
    assert len([line for line in shown.splitlines() if "%  " in line]) == SHOWN
    assert "\x1b[31m" not in shown
    assert "[bold]tag[/bold]" in shown


def test_a_terminal_is_told_where_nothing_is_frequent(file):
    shown = shown_on_a_terminal("mine", file, "--min-support", 6, "--quiet")
    assert shown.splitlines()[1:] == ["No closed itemset reaches it; lower --min-support."]


def test_a_terminal_sees_how_far_mining_has_come(file):
    shown = shown_on_a_terminal("mine", file, "--min-support", 1, "--json", stream="stderr", TERM="xterm")
    assert "reading" in shown


def test_a_reader_that_goes_away_is_no_traceback(file):
    command = [*COMMAND, "mine", str(file), "--min-support", "1", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_compiling_is_said_once_and_only_when_it_happens(capfd):
    with watching():
        pass
    silent = capfd.readouterr().err
    with watching():
        for number in (1, 1.5):
            numba.njit(lambda x: x + 1)(number)
    assert (silent, capfd.readouterr().err) == ("", COMPILING + "\n")
