"""How commands end: killed at any moment, stopped by a signal, with nobody to read, and with no room to write."""

import json
import os
import signal
import subprocess
import sys
import time
from threading import Thread

import pytest
from click.testing import CliRunner

import discreet
from discreet import report
from discreet.cli import main
from discreet.runtime import solver

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="signals and closed streams are of POSIX"),
    pytest.mark.usefixtures("signals"),
]

COMMAND = [sys.executable, "-c", "from discreet.cli import main; main(prog_name='discreet')"]
CSV = "a,b,c\n" * 48 + "a,b\n" * 2 + "d\n" * 50
AUDIT = ["--min-support", "10", "-k", "10", "--quiet"]
EVENTS = ["os.mkdir", "os.rename", "os.rmdir", "shutil.rmtree", "ctypes.dlsym"]
if os.environ.get("DISCREET_LARGE"):
    EVENTS += ["open", "os.remove"]

AT_EVERY_MOMENT = """
import atexit, json, os, shutil, signal, sys
from discreet.cli import main

where, events, *arguments = sys.argv[1:]
countdown, end = 0, None

def hook(event, told):
    global countdown
    if countdown and event in events.split() and (where in str(told[0]) or "rename" in str(told[-1])):
        countdown -= 1
        if not countdown:
            os.kill(os.getpid(), end)

def run():
    try:
        main(arguments, prog_name="discreet")
    except SystemExit as error:
        return error.code

def held():
    paths = [os.path.join(top, name) for top, _, names in os.walk(where) for name in names]
    return {os.path.relpath(path, where): open(path, "rb").read().hex() for path in paths}

out, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
os.dup2(null, 1), os.dup2(null, 2)
shutil.copytree(where, f"{where}.before")
told = {"older": held(), "code": run() or 0, "newer": held()}
os.fsync = lambda _file: None  # no power fails here
sys.addaudithook(hook)
for end in (signal.SIGTERM, signal.SIGKILL):
    told[end.name], code = [], 128 + end
    while code in (128 + end, -end):
        shutil.rmtree(where)
        shutil.copytree(f"{where}.before", where)
        child = os.fork()
        if not child:
            countdown = len(told[end.name]) + 1
            code = run()
            atexit._run_exitfuncs()
            os._exit(code or 0)  # quicker than to unload all
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        told[end.name].append([code, sorted(os.listdir(where)), held()])
os.write(out, json.dumps(told).encode())
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


def can_exchange(folder):
    """Whether folders here can change places in one step, which renameat2 of Linux does not do everywhere."""
    names = [folder / "one", folder / "other"]
    for name in names:
        name.mkdir()
    code = "import ctypes, sys; sys.exit(ctypes.CDLL(None).renameat2(-100, b'one', -100, b'other', 2))"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, stderr=subprocess.DEVNULL, check=False)
    for name in names:
        name.rmdir()
    return done.returncode == 0


def command_and_older(name, where):
    """A command that writes to a name, and what writes something older of the same kind to it."""
    rows, out = where / "rows.csv", where / "out"
    read = discreet.read(rows)
    return {
        "block": (
            ["block", rows, *AUDIT, "--method", "add", "--out", out],
            lambda: discreet.write_release(discreet.block(read, min_support=10, k=10, method="suppress"), out),
        ),
        "hide": (
            ["hide", rows, "--sensitive", where / "secret.txt", "--out", out],
            lambda: discreet.write_hidden(discreet.hide(read, [["a", "c"]]), out, source=rows),
        ),
        "audit": (
            ["audit", rows, *AUDIT, "--sacro", out],
            lambda: report.write_sacro(discreet.audit(read, min_support=10, k=2), out),
        ),
        "index": (["index", rows, "--out", out], lambda: discreet.InvertedFile([["b"]]).save(out)),
    }[name]


def asked_for(held):
    """Of all files, those below the name that was given."""
    return {path: data for path, data in held.items() if path.split("/")[0] == "out"}


@pytest.mark.parametrize("name", ["block", "hide", "audit", "index"])
def test_whenever_a_command_is_ended_the_old_or_the_new_is_there_whole(tmp_path, monkeypatch, name):
    if not can_exchange(tmp_path):
        pytest.skip("this file system cannot exchange folders")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    where = tmp_path / "where"
    where.mkdir()
    (where / "rows.csv").write_text(CSV, encoding="utf-8")
    (where / "secret.txt").write_text("a,b\n", encoding="utf-8")
    command, write_older = command_and_older(name, where)
    write_older()
    script = [sys.executable, "-W", "ignore", "-c", AT_EVERY_MOMENT, where, " ".join(EVENTS), *command]
    told = json.loads(subprocess.run([*map(str, script)], capture_output=True, text=True, check=True).stdout)
    older, newer = asked_for(told["older"]), asked_for(told["newer"])
    assert older != newer
    for end in ("SIGTERM", "SIGKILL"):
        *moments, last = told[end]
        assert last == [told["code"], ["out", "rows.csv", "secret.txt"], told["newer"]]
        assert len(moments) > 2
        for _, _, held in moments:
            assert asked_for(held) in (older, newer)
    for code, names, _ in told["SIGTERM"][:-1]:
        assert code in {143, -signal.SIGTERM}  # the same to a shell: the second comes while Python itself ends
        assert names == ["out", "rows.csv", "secret.txt"]


ENDED = """
import os, signal, time, discreet
from discreet.cli import main
def ended(*_, **__):
    try:
        os.kill(os.getpid(), getattr(signal, os.environ["END"]))
        while True:
            time.sleep(0.01)
    except KeyboardInterrupt:
        if os.environ["AS_NUMBA"]:
            raise SystemError("returned a result with an exception set")
        raise
discreet.detect = ended
main(prog_name="discreet")
"""


@pytest.mark.parametrize("as_numba", ["", "1"], ids=["plain", "in a kernel"])
@pytest.mark.parametrize(("end", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_ends_a_command_in_one_line(file, monkeypatch, end, code, as_numba):
    monkeypatch.setenv("END", end)
    monkeypatch.setenv("AS_NUMBA", as_numba)
    command = [sys.executable, "-c", ENDED, "detect", str(file), "-k", "10", "--min-support", "10"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    words = f"error: stopped by {'Ctrl-C' if end == 'SIGINT' else end}\n"
    reading, _, error = done.stderr.partition("\n")
    assert (done.returncode, done.stdout, reading[:16], error) == (code, "", "read as baskets:", words)


def test_signals_that_are_ignored_or_handled_stay_so_and_others_are_given_back(file, monkeypatch):
    seen = []

    def looking(*_args, **_options):
        seen.extend(map(signal.getsignal, (signal.SIGTERM, signal.SIGHUP)))
        raise KeyboardInterrupt

    def handled(*_):
        pass

    monkeypatch.setattr(discreet, "detect", looking)
    before = signal.signal(signal.SIGTERM, handled), signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        CliRunner().invoke(main, ["detect", str(file), *AUDIT])
        assert seen == [handled, signal.SIG_IGN]
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        CliRunner().invoke(main, ["detect", str(file), *AUDIT])
        assert seen[2] not in {handled, signal.SIG_DFL}
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        for end, handler in zip((signal.SIGTERM, signal.SIGHUP), before, strict=True):
            signal.signal(end, handler)


@pytest.mark.parametrize("is_begun", [True, False])
def test_a_solver_has_ended_when_ctrl_c_comes_while_its_thread_starts(monkeypatch, is_begun):
    ran = []

    class Interrupted(Thread):
        def start(self):
            if is_begun:
                super().start()
            raise KeyboardInterrupt

    class Slow:
        def setCallback(self, *_):  # noqa: N802 - the solver's name
            pass

        def startCallback(self, *_):  # noqa: N802
            pass

        def run(self):
            time.sleep(0.3)
            ran.append("to its end")

    monkeypatch.setattr(solver, "Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        solver._run_in_thread(Slow())
    ended = list(ran)
    time.sleep(0.5)
    assert ran == ended


def test_importing_discreet_touches_no_signal_handler():
    code = (
        "import signal; ends = signal.SIGINT, signal.SIGTERM, signal.SIGHUP; before = [*map(signal.getsignal, ends)]\n"
        "import discreet, discreet.cli; assert before == [*map(signal.getsignal, ends)]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def unread(*arguments):
    """How a command ends of which nobody reads the output."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        return subprocess.run(
            [*COMMAND, *map(str, arguments)], stdout=pipe, stderr=subprocess.PIPE, text=True, check=False
        )


def test_an_audit_that_nobody_reads_has_written_what_was_asked_for(file, tmp_path):
    done = unread("audit", file, *AUDIT, "--sacro", tmp_path / "sacro", "--exposed", tmp_path / "exposed.csv")
    assert (done.returncode, done.stderr) == (141, "")
    assert (tmp_path / "sacro" / "outputs.json").is_file()
    assert (tmp_path / "exposed.DO-NOT-RELEASE.csv").read_text(encoding="utf-8").count("\n") == 3


def test_a_report_whose_findings_nobody_reads_is_written(file, tmp_path):
    done = unread("report", file, *AUDIT, "--no-tradeoff", "--csv", "-", "--out", tmp_path / "page.html")
    assert (done.returncode, done.stderr) == (141, "")
    assert (tmp_path / "page.html").is_file()


def test_patterns_that_nobody_reads_are_written_to_their_file(file, tmp_path):
    done = unread("mine", file, "--min-support", "10", "--quiet", "--json", "--out", tmp_path / "found.json")
    assert (done.returncode, done.stderr) == (141, "")
    assert (tmp_path / "found.json").is_file()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["audit", "--help"]], ids=" ".join)
def test_help_that_nobody_reads_is_no_traceback(arguments):
    done = unread(*arguments)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    ("arguments", "closed", "code", "words"),
    [
        (["audit", *AUDIT], ">&-", 141, ""),
        (["audit", "-k", "0"], "2>&-", 2, ""),
        (["audit", "-k", "0"], "2>/dev/full", 2, ""),
        ([], "2>/dev/full", 2, ""),
        (["verify"], ">&- 2>&-", 2, ""),
        (["--help"], ">/dev/full", 2, "error: the output cannot be written (No space left on device)"),
        (["--help"], "1</dev/null", 2, "error: the output cannot be written (Bad file descriptor)"),
        (["mine", "-", "--format", "csv", *AUDIT[:2]], "<&-", 2, "error: standard input: the file is empty"),
    ],
    ids=str,
)
def test_streams_that_are_closed_or_full_are_no_traceback(file, arguments, closed, code, words):
    command = [*COMMAND, *arguments, *[str(file)] * (arguments[:1] == ["audit"])]
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {closed}', "sh", *command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(words)
    assert done.stderr.count("\n") == bool(words)
