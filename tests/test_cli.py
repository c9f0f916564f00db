"""The command line: what it writes where, and how it ends."""

import csv
import gzip
import hashlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from random import Random

import numba
import oracle
import pytest
from click.testing import CliRunner

import discreet
import discreet.data.generate
import discreet.io.datasets
from discreet.cli import main
from discreet.cli.terminal import COMPILING, SHOWN, watching
from discreet.io import sources

ROWS = [[1, 2, 3], [1, 2, 3], [1, 2], [4], [5]]
FIMI = "".join(" ".join(map(str, row)) + "\n" for row in ROWS)
COMMAND = [sys.executable, "-c", "from discreet.cli import main; main(prog_name='discreet')"]


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
    """It ended with exit code 2 and one line on stderr that holds these words, perhaps below how the rows were read."""
    assert result.exit_code == 2
    assert result.stdout == ""
    *reading, error, end = result.stderr.split("\n")
    assert all(line.startswith("read as ") for line in reading)
    assert error.startswith("error: ")
    assert end == ""
    assert words in error


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
    assert "3 closed itemsets, support at least 2 of 5 rows (40%), written to" in result.stderr
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
    (["--min-support", "0"], "--min-support is the count 0"),
    (["--min-support", "1.5"], "--min-support is 1.5"),
    (["--min-support", "abc"], "--min-support is 'abc', which is no number"),
    (["--min-support", "NaN"], "which is no number"),
    (["--min-support", str(10**20)], f"--min-support is the count {10**20}"),
    (["--min-support", "-1"], "--min-support is"),
    ([], "--min-support is missing; give --min-support COUNT|SHARE"),
    (["--min-support", "2", "--kind", "odd"], "--kind is 'odd'; give one of frequent, closed, maximal"),
    (["--min-support", "2", "--format", "odd"], "odd"),
    (["--min-support", "2", "--out-format", "odd"], "odd"),
    (["--min-support", "2", "--memory", "much"], "--memory is 'much', no size; give"),
    (["--min-support", "2", "--memory", "2XB"], "--memory is '2XB', no size; give"),
    (["--min-support", "2", "--threads", "0"], "--threads is '0'; give a whole number"),
    (["--min-support", "2", "--max-length", "-1"], "--max-length is '-1'; give a whole number"),
    (["--min-support", "2", "--max-patterns", "no"], "--max-patterns is 'no'; give a whole number"),
    (["--min-support", "2", "--bogus"], "'--bogus' is no option of "),
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
    "junk.unknown": bytes(range(256)),
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
        (["unclear.odd"], "say what is meant: --separator ';' (the separator is ';') or --separator '|'"),
        (["rows.csv", "--out", "out.odd"], "is of no format of patterns; name one with --out-format: spmf"),
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
    (tmp_path / "rows.csv").write_text("tea,milk\ntea\n", encoding="utf-8")
    (tmp_path / "unclear.odd").write_text("tea;milk|rye\n", encoding="utf-8")
    assert_refused(run("mine", *options, "--min-support", 1), words)


def test_a_misspelt_command_is_answered_with_the_right_one():
    assert_refused(run("min"), "did you mean mine? see '")


def test_an_output_that_cannot_be_written_is_one_line_and_leaves_nothing(file, tmp_path):
    out = tmp_path / "no such folder" / "out.json"
    assert_refused(run("mine", file, "--min-support", 1, "--out", out), "cannot be written")
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["out.unknown", "", "no such folder/out.json"])
def test_an_output_that_cannot_be_is_refused_before_anything_is_mined(file, tmp_path, monkeypatch, name):
    monkeypatch.setattr(discreet, "mine", pytest.fail)
    assert_refused(run("mine", file, "--min-support", 1, "--out", tmp_path / name), "")
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    "form",
    [form for form in sources.FORMATS.values() if form.patterns and form.suffixes],
    ids=lambda form: form.name,
)
def test_every_format_of_patterns_is_written_by_its_suffix(file, tmp_path, form):
    out = tmp_path / f"out{form.suffixes[0]}"
    assert run("mine", file, "--min-support", 1, "--kind", "frequent", "--out", out, "--quiet").exit_code == 0
    assert len(discreet.read_patterns(out, n=5)) == 10


def test_the_file_that_is_mined_is_not_written_over(file):
    assert_refused(
        run("mine", file, "--min-support", 1, "--out", file.parent / "." / file.name, "--out-format", "json"),
        "a file that is to be read",
    )
    assert file.read_text(encoding="utf-8") == FIMI


def test_an_output_that_fails_leaves_what_was_there(file, tmp_path):
    out = tmp_path / "out.json"
    out.write_text("before", encoding="utf-8")
    assert_refused(run("mine", file, "--min-support", 0, "--out", out), "--min-support is the count 0")
    assert out.read_text(encoding="utf-8") == "before"


def test_ctrl_c_is_one_line_and_exit_code_130(file, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(discreet, "mine", interrupted)
    result = run("mine", file, "--min-support", 1, "--quiet")
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
        (["--max-patterns", 1000], "more than 1,000 itemsets were found, which is the limit: raise --max-patterns"),
        (["--memory", "10MiB"], "take more than the allowed 10.0 MiB of memory: raise --memory or --min-support"),
        (["--memory", "1KB"], "to be searched; memory is limited to 1000 bytes: raise --memory or --min-support"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["frequent", "closed"])
def test_a_limit_that_is_reached_is_one_line_and_no_cut(endless, kind, options, words):
    options = ["--kind", kind, *options, "--out", endless.with_name("out.json")]
    assert_refused(run("mine", endless, "--min-support", 1, *options), words)
    assert list(endless.parent.iterdir()) == [endless]


@pytest.mark.usefixtures("signals")
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
    drawn = getattr(discreet.data.generate, name)(50, seed=3)
    assert list(discreet.read(out)) == list(drawn)


def test_generate_refuses_what_means_nothing(tmp_path):
    assert_refused(run("generate", "quest", "--rows", -1, "--out", tmp_path / "rows.dat"), "-1")
    assert_refused(run("generate", "clinic"), "--out is missing; give --out FILE")
    assert list(tmp_path.iterdir()) == []


def test_the_demo_is_short_and_narrow():
    result = run("demo")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert 20 <= len(lines) <= 32
    assert max(map(len, lines)) <= 100


def test_each_sum_of_the_demo_adds_up_to_patients_that_are_there():
    rows = discreet.data.generate.clinic(2000, seed=1)
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
    rows = discreet.data.generate.clinic(2000, seed=1)
    shown = run("demo").stdout
    found = discreet.audit(rows, min_support="5%", k=10)
    assert f"{found.verdict.name}: {len(found.channels)} differences" in shown
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
    lines = ["[bold]tag[/bold],\x1b[31mred", "a", *(f"a,b{i}" for i in range(SHOWN + 5))]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    shown = shown_on_a_terminal("mine", file, "--min-support", 1, "--quiet")
    rows = discreet.read(file)
    more = len(discreet.mine(rows, min_support=1)) - SHOWN
    assert f"{len(rows)} rows, {len(rows.labels)} items. Support at least 1 row of" in shown
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


@pytest.mark.parametrize(("is_terminal", "times"), [(True, 1), (False, 0)])
def test_compiling_is_said_once_only_when_it_happens_and_to_a_terminal(is_terminal, times, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    with watching():
        silent = capsys.readouterr().err
        for number in (1, 1.5):
            numba.njit(lambda x: x + 1)(number)
    assert (silent.count(COMPILING), capsys.readouterr().err.count(COMPILING)) == (0, times)


HUNDRED = "(100)\na b (50)\na b c (48)\n"
PART = "a b (50)\na b c (48)\n"
LINE = "  a ∧ b ∧ ¬c: 2 rows = 50 − 48"
PKDD = discreet.Transactions(discreet.io.datasets.load("pkdd2005"))
SAFE = "a\n" * 20 + "b\n" * 20


@pytest.fixture
def clinic(tmp_path):
    """The rows of a generated clinic, with labels that every format can hold, and a file of them."""
    drawn = discreet.data.generate.clinic(600, seed=2)
    rows = discreet.Transactions([[str(label).replace(" ", "_") for label in row] for row in drawn])
    discreet.write(rows, tmp_path / "clinic.csv")
    return rows, tmp_path / "clinic.csv"


def maximal_channels(rows, sigma, k):
    """{(base, top): count}, quickly enough for many items."""
    listed = list(rows)
    return oracle.rare_cells(oracle.widest(oracle.maximal_by_levels(listed, sigma), sigma), listed, k)


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "options"),
    [(HUNDRED, ["--kind", "closed"]), (PART, ["--n", 100]), (PART, ["--n", 100, "--kind", "maximal"])],
    ids=["closed", "a part", "maximal"],
)
def test_the_two_of_a_hundred_are_found_and_unsafe(tmp_path, text, options):
    result = run("audit", written(tmp_path / "patterns.out", text), "-k", 10, "--quiet", *options)
    assert LINE in result.stdout.splitlines()
    assert (result.exit_code, result.stderr) == (1, "")


def test_the_two_of_a_hundred_are_found_in_rows(tmp_path):
    file = written(tmp_path / "rows.csv", "a,b,c\n" * 48 + "a,b\n" * 2 + "d\n" * 50)
    result = run("audit", file, "-k", 10, "--min-support", 40)
    assert LINE in result.stdout.splitlines()
    assert "2 of 100 rows are exposed" in result.stdout
    assert result.exit_code == 1


def test_release_review_and_withhold_come_first_and_end_in_0_1_1(tmp_path):
    file = written(tmp_path / "rows.csv", SAFE + "a,b\n" * 30)
    assert run("audit", file, "-k", 10, "--min-support", 20).exit_code == 0
    review = written(tmp_path / "review.toml", "k = 10\nmax_itemsets = 1\n")
    withhold = written(tmp_path / "withhold.yaml", "k: 25\n")
    for policy, verdict, code in ((review, "REVIEW", 1), (withhold, "WITHHOLD", 1)):
        result = run("audit", file, "--policy", policy, "--min-support", 20)
        assert (result.exit_code, result.stdout.split(":")[0]) == (code, verdict)


def test_a_policy_goes_by_name_and_k_may_be_stricter(tmp_path):
    file = written(tmp_path / "rows.csv", SAFE)
    found = json.loads(run("audit", file, "--policy", "acro", "-k", 15, "--min-support", 20, "--json").stdout)
    assert (found["policy"]["name"], found["k"], found["policy"]["zeros"]) == ("acro", 15, "withhold")


FORMATS = [("patterns.json", []), ("patterns.txt", []), ("patterns.out", ["--kind"]), ("patterns.csv", ["--kind"])]


@pytest.mark.parametrize(("name", "untold"), FORMATS, ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.parametrize("kind", ["closed", "frequent"])
@pytest.mark.parametrize("source", ["clinic", "pkdd2005"])
def test_patterns_in_any_format_are_judged_as_their_rows_are(clinic, tmp_path, source, kind, name, untold):
    rows, support, k = (clinic[0], 30, 10) if source == "clinic" else (PKDD, 6, 3)
    discreet.write(rows, tmp_path / "rows.csv")
    discreet.write_patterns(discreet.mine(rows, min_support=support, kind=kind), tmp_path / name)
    with_rows = run("audit", tmp_path / "rows.csv", "-k", k, "--min-support", support, "--json")
    without = run("audit", tmp_path / name, "-k", k, "--json", *[word for option in untold for word in (option, kind)])
    assert (with_rows.exit_code, without.exit_code) == (1, 1)
    expected, found = json.loads(with_rows.stdout), json.loads(without.stdout)
    assert (found["verdict"], found["n"]) == (expected["verdict"], expected["n"])
    assert found["channels"] == expected["channels"] != []


def test_the_json_of_an_audit_knows_its_input_and_no_rows(clinic):
    _, file = clinic
    result = run("audit", file, "-k", 10, "--min-support", "5%", "--json")
    found = json.loads(result.stdout)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert found["input"] == {"file": "clinic.csv", "sha256": digest}
    assert set(found["exposed"]) == {"rows", "smallest"}
    piped = run("audit", "-", "--format", "csv", "-k", 10, "--min-support", "5%", "--json", input=file.read_bytes())
    assert json.loads(piped.stdout)["input"] == {"file": "standard input", "sha256": digest}
    assert json.loads(piped.stdout)["channels"] == found["channels"]


@pytest.fixture(scope="module")
def flooded(tmp_path_factory):
    """A file of rows with more than 100,000 maximal channels."""
    random = Random(3)  # noqa: S311 - no secret
    path = tmp_path_factory.mktemp("flood") / "rows.dat"
    lines = (" ".join(str(item) for item in range(24) if random.random() < 0.5) for _ in range(400))
    return written(path, "".join(line + "\n" for line in lines))


def test_a_hundred_thousand_channels_are_no_flood_and_all_in_the_json(flooded):
    options = [flooded, "-k", 200, "--min-support", 20]
    shown, found = run("audit", *options), json.loads(run("audit", *options, "--json").stdout)
    more = re.search(r"… and ([\d,]+) more; --json lists all of them", shown.stdout)
    many = int(more[1].replace(",", "")) + 3
    assert len(shown.stdout.splitlines()) < 20
    assert many == len(found["channels"]) > 100_000
    rows = [frozenset(map(int, line.split())) for line in flooded.read_text(encoding="utf-8").splitlines()]
    for channel in found["channels"][::10_000]:
        assert channel["count"] == oracle.cell(frozenset(channel["base"]), frozenset(channel["top"]), rows)


def test_explain_says_how_many_are_shown(flooded):
    shown = run("audit", flooded, "-k", 200, "--min-support", 20, "--explain", 7).stdout
    assert len(re.findall("^  .*: [0-9]+ rows? = ", shown, re.MULTILINE)) == 7


def test_out_takes_the_report_and_stdout_nothing(clinic, tmp_path):
    options = [clinic[1], "-k", 10, "--min-support", "5%"]
    for name in ("report.json", "report.txt"):
        result = run("audit", *options, "--out", tmp_path / name)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.endswith(f"WITHHOLD; the report was written to {tmp_path / name}\n")
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["verdict"] == "WITHHOLD"
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == run("audit", *options).stdout


def test_exposed_rows_go_to_a_file_that_says_what_it_is(clinic, tmp_path):
    rows, file = clinic
    result = run("audit", file, "-k", 10, "--min-support", "5%", "--exposed", tmp_path / "exposed.csv", "--quiet")
    place = tmp_path / "exposed.DO-NOT-RELEASE.csv"
    assert result.exit_code == 1
    assert str(place) in result.stderr
    assert not (tmp_path / "exposed.csv").exists()
    lines = list(csv.DictReader(place.read_text(encoding="utf-8").splitlines()))
    found = discreet.audit(rows, min_support="5%", k=10).exposed
    assert {int(line["row"]) - 1 for line in lines} == set(found.numbers.tolist())


def test_rows_beside_patterns_tell_who_is_exposed(clinic, tmp_path):
    rows, file = clinic
    discreet.write_patterns(discreet.mine(rows, min_support="5%"), tmp_path / "patterns.json")
    options = ["-k", 10, "--rows", file, "--exposed", tmp_path / "exposed.csv"]
    result = run("audit", tmp_path / "patterns.json", *options)
    assert result.stdout.splitlines()[1:] == run("audit", file, "-k", 10, "--min-support", "5%").stdout.splitlines()[1:]
    assert (tmp_path / "exposed.DO-NOT-RELEASE.csv").exists()


BAD_AUDITS = [
    (["patterns.out"], "Neither -k nor --policy is given"),
    (["patterns.out", "-k", "0"], "-k is '0'; give a whole number"),
    (["patterns.out", "-k", "10"], "say it with --n (if FILE holds rows, not patterns, give --min-support)"),
    (["rows.csv", "-k", "10"], "give --min-support)"),
    (["rows.dat", "-k", "10"], "is of no format of patterns"),
    (["missing.json", "-k", "10"], "there is no such file"),
    (["rows.csv", "-k", "10", "--min-support", "5%", "--n", "7"], "there are 40 rows, but only 7 by --n; check both"),
    (["rows.csv", "-k", "10", "--min-support", "5%", "--kind", "closed"], "--kind is for patterns"),
    (["rows.csv", "-k", "10", "--min-support", "5%", "--rows", "rows.csv"], "--rows is for patterns"),
    (["rows.csv", "-k", "10", "--min-support", "none"], "--min-support is 'none'"),
    (["rows.csv", "-k", "5", "--policy", "acro", "--min-support", "5%"], "the policy acro asks for 10"),
    (["rows.csv", "--policy", "nowhere", "--min-support", "5%"], "policy is 'nowhere'; give one of abs, acro"),
    (["patterns.out", "-k", "10", "--n", "100", "--threads", "2"], "--threads is for mining"),
    (["patterns.out", "-k", "10", "--n", "100", "--separator", ";"], "--separator is for rows"),
    (["patterns.out", "-k", "10", "--n", "100", "--exposed", "exposed.csv"], "--exposed needs rows"),
    (["patterns.out", "-k", "10", "--n", "100", "--rows", "rows.csv"], "give the rows that they were mined from"),
    (["rows.csv", "-k", "10", "--min-support", "5%", "--exposed", "-"], "--exposed needs the name of a file"),
    (["rows.csv", "-k", "10", "--min-support", "5%", "--out", "rows.csv"], "a file that is to be read"),
    (["rows.csv", "-k", "10", "--min-support", "5%", "--out", "no/such.json"], "cannot be written"),
    (["rows.csv", "-k", "10", "--min-support", "1", "--max-patterns", "1"], "raise --max-patterns"),
]


@pytest.mark.parametrize(("options", "words"), BAD_AUDITS, ids=lambda value: " ".join(value)[:50])
def test_a_wrong_audit_is_one_line_and_writes_nothing(tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    for name, text in (("rows.csv", SAFE), ("rows.dat", FIMI), ("patterns.out", PART)):
        written(tmp_path / name, text)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert_refused(run("audit", *options), words)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_pipe_gets_every_channel_in_a_line(clinic):
    rows, file = clinic
    found = maximal_channels(rows, 60, 5)
    result = run("detect", file, "-k", 5, "--min-support", 60)
    expected = sorted(
        f"{count}\t{' ∧ '.join([*sorted(base), *(f'¬{label}' for label in sorted(top - base))])}"
        for (base, top), count in found.items()
    )
    assert sorted(result.stdout.splitlines()) == expected
    assert result.exit_code == 1


@pytest.mark.parametrize("method", ["auto", "naive", "closed", "projection"])
def test_every_method_gives_the_same_json(clinic, method):
    options = ["detect", clinic[1], "-k", 5, "--min-support", 60, "--json"]
    assert run(*options, "--method", method).stdout == run(*options).stdout


@pytest.mark.parametrize("as_json", [True, False])
def test_all_gives_the_channels_that_follow_too(tmp_path, as_json):
    rows = PKDD
    discreet.write(rows, tmp_path / "rows.csv")
    options = ["detect", tmp_path / "rows.csv", "-k", 3, "--min-support", 6, "--all", *["--json"] * as_json]
    result = run(*options)
    found = json.loads(result.stdout)["channels"] if as_json else result.stdout.splitlines()
    assert (len(found), result.exit_code) == (58, 1)


def test_where_there_is_no_channel_detect_is_silent_and_ends_in_0(tmp_path):
    result = run("detect", written(tmp_path / "rows.csv", SAFE), "-k", 10, "--min-support", 20, "--quiet")
    assert (result.stdout, result.stderr, result.exit_code) == ("", "", 0)


def test_detect_refuses_a_list_that_is_not_whole(tmp_path):
    assert_refused(run("detect", written(tmp_path / "part.out", PART), "-k", 10, "--n", 100), "not all of its subsets")
    assert_refused(run("detect", tmp_path / "part.out", "--n", 100), "-k is missing; give -k K")


def test_a_terminal_gets_the_worst_channels_and_the_number_of_the_rest(clinic):
    rows, file = clinic
    channels = discreet.detect(discreet.mine(rows, min_support="5%"), k=10)
    shown = shown_on_a_terminal("detect", file, "-k", 10, "--min-support", "5%", "--quiet").splitlines()
    assert shown[0] == f"{len(channels)} maximal channels of fewer than 10 rows; the worst:"
    assert shown[2:-1] == [f"  {channel.count:>5}  {channel.pattern}" for channel in channels.worst(20)]
    assert shown[-1].startswith(f"… and {len(channels) - 20} more;")


def test_a_terminal_gets_the_worst_of_all_channels(tmp_path):
    discreet.write(PKDD, tmp_path / "rows.csv")
    shown = shown_on_a_terminal("detect", tmp_path / "rows.csv", "-k", 3, "--min-support", 6, "--all", "--quiet")
    assert shown.startswith("58 channels of fewer than 3 rows; the worst:")
    assert shown.splitlines()[-1].startswith("… and 38 more;")


def test_a_terminal_is_told_where_there_is_no_channel(tmp_path):
    file = written(tmp_path / "rows.csv", SAFE)
    shown = shown_on_a_terminal("detect", file, "-k", 10, "--min-support", 20, "--quiet")
    assert shown == "No sum of these supports reveals fewer than 10 rows.\n"


def test_a_terminal_sees_that_an_audit_runs(clinic):
    shown = shown_on_a_terminal(
        "audit", clinic[1], "-k", 10, "--min-support", "5%", "--json", stream="stderr", TERM="xterm"
    )
    assert "auditing" in shown


@pytest.mark.parametrize("command", ["audit", "detect"])
def test_ctrl_c_ends_an_audit_in_one_line(clinic, monkeypatch, command):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(discreet, command, interrupted)
    result = run(command, clinic[1], "-k", 10, "--min-support", "5%", "--json", "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "error: stopped by Ctrl-C\n")


def test_a_tradeoff_counts_what_audits_of_each_would_find(clinic):
    rows, file = clinic
    found = json.loads(
        run("tradeoff", file, "--min-support", "60,10%", "--min-support", 90, "-k", "3,5", "--json").stdout
    )
    assert (found["min_supports"], found["ks"], found["n"]) == ([60, 90], [3, 5], 600)
    channels = [[len(maximal_channels(rows, support, k)) for k in (3, 5)] for support in (60, 90)]
    assert found["channels"] == channels
    assert [safe["k"] for safe in found["safe"]] == [3, 5]
    for safe in found["safe"]:
        options = ["-k", safe["k"], "--min-support"]
        assert run("audit", file, *options, safe["min_support"]).exit_code == 0
        assert run("audit", file, *options, safe["min_support"] - 1).exit_code in {0, 1}


def test_a_tradeoff_has_defaults_a_table_and_a_chart_within_eighty_columns(clinic):
    result = run("tradeoff", clinic[1])
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert "     30 (5%)" in result.stdout
    assert "  k = 50: " in result.stdout
    assert "Maximal channels over minimum support" in result.stdout
    assert max(map(len, lines)) <= 80


def test_an_encoding_without_our_signs_gets_plain_ones(clinic):
    runner = CliRunner(charset="ascii")
    for command in (["tradeoff"], ["audit", "-k", "10", "--min-support", "5%"]):
        result = runner.invoke(main, [command[0], str(clinic[1]), *command[1:]])
        assert result.stdout_bytes.isascii()
        assert b"\\u" not in result.stdout_bytes
    assert b" & ~" in result.stdout_bytes


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-k", "three"], "'three'; give a whole number of at least 1"),
        (["-k", "0"], "'0'; give a whole number of at least 1"),
        (["-k", ","], "there is nothing to compare"),
        (["--min-support", "10%,much"], "--min-support is 'much'"),
    ],
    ids=str,
)
def test_a_wrong_tradeoff_is_one_line(clinic, options, words):
    assert_refused(run("tradeoff", clinic[1], *options), words)
