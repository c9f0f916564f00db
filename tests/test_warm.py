"""What takes long says so in pipes too, compiling is no method's time, and ``discreet warm`` compiles everything."""

import re
import subprocess
import sys
from collections import defaultdict
from time import sleep

import numba
import pytest
from click.testing import CliRunner

from discreet import BudgetError, kernels, warm
from discreet.cli import main, terminal
from discreet.cli.terminal import COMPILING, PLAIN, Bars, Ticker, watching


@pytest.fixture
def ticker():
    """What a pipe would get, without the pipe."""
    return Ticker(quiet=True)


def test_a_line_says_what_runs_how_far_it_is_and_what_was_found(ticker):
    bars = Bars(ticker, print, ("reading", "mining", "auditing"), "found")
    assert ticker.line() == "discreet: reading"
    bars.step("scanning", "rows")(0.25, 10)
    assert ticker.line() == "discreet: scanning, 25 %, 10 rows"
    bars(0.4, 1234)
    assert ticker.line() == "discreet: mining, 40 %, 1,234 found"
    bars(1, 5000)
    assert ticker.line() == "discreet: auditing, 5,000 found"


def test_a_line_says_once_that_kernels_are_compiled(ticker):
    Bars(ticker, print, ("reading", "mining", "auditing"), "found")
    ticker.note()
    assert (ticker.line(), ticker.line()) == (f"discreet: reading; {COMPILING}", "discreet: reading")


def test_a_pipe_gets_a_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "EVERY", 0.05)
    with watching(first="verifying"):
        sleep(0.5)
    assert set(capsys.readouterr().err.splitlines()) == {"discreet: verifying"}


def test_what_is_quick_or_quiet_says_nothing(monkeypatch, capsys):
    with watching() as bars:
        bars(0.4, 1)
    monkeypatch.setattr(terminal, "EVERY", 0.01)
    with watching(quiet=True) as bars:
        bars.say("a sentence")
        sleep(0.05)
    assert capsys.readouterr().err == ""


def test_a_process_waits_while_another_compiles_the_same(tmp_path, monkeypatch):
    compiled = kernels.__getattr__("compiled")
    monkeypatch.setattr(compiled, "TURNS", str(tmp_path))
    seen, other = [], tmp_path / "a.kernel"
    other.touch()
    monkeypatch.setattr(compiled, "sleep", lambda _seconds: (seen.append("waits"), other.unlink()))
    with compiled.take_turn("a.kernel"), compiled.take_turn("another.kernel"):
        seen.append(sorted(path.name for path in tmp_path.iterdir()))
    assert seen == ["waits", ["a.kernel", "another.kernel"]]
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("patience", "seconds", "said"), [(kernels.COLD, 4, PLAIN + "\n"), (kernels.COLD, 2, ""), (kernels.WARM, 4, "")]
)
def test_who_waits_for_plain_kernels_is_told_how_not_to(monkeypatch, capsys, patience, seconds, said):
    monkeypatch.setattr(kernels.Pace, "patience", patience)
    monkeypatch.setattr(kernels.Pace, "spent", defaultdict(float, {"before": 100.0}))
    with watching():
        kernels.Pace.spent["one"] += seconds / 2
        kernels.Pace.spent["other"] += seconds / 2
    assert capsys.readouterr().err == said


def test_compiling_is_no_methods_time(monkeypatch):
    kernels.__getattr__("compiled")  # which listens to Numba
    before = kernels.Pace.compiling
    numba.njit(lambda x: x + 1)(1)
    assert kernels.Pace.compiling > before
    elapsed = kernels.stopwatch()
    assert elapsed() > 0
    monkeypatch.setattr(kernels.Pace, "compiling", kernels.Pace.compiling + 1000)
    assert elapsed() == 0


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder for what is compiled."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.skipif(not kernels.is_warm(), reason="takes a minute: run discreet warm first")
def test_warm_compiles_every_kernel_but_those_of_spark():
    kernels._list_kept.cache_clear()
    every = {
        f"{file.stem}.{name}"
        for file in kernels.HERE.glob("*.py")
        for name in re.findall(r"^@jit\ndef (\w+)", file.read_text(), re.MULTILINE)
    }
    assert every - kernels._list_kept() <= {"itemsets.deal_rows"}


def test_warm_says_whether_everything_is_compiled(place, monkeypatch):
    monkeypatch.setattr(warm, "JOBS", {"reading": warm.CompileJob(None, 1)})
    monkeypatch.setattr(warm, "SECONDS", 1)
    monkeypatch.setattr(warm.Lane, "do", lambda _lane, name: done.append(name))
    done = []
    run = CliRunner().invoke
    assert run(main, ["warm", "--check"]).exit_code == 1
    result = run(main, ["warm", "--quiet"])
    assert (result.exit_code, done, result.stderr) == (0, ["reading"], "")
    assert result.stdout.startswith("Everything is compiled; this took ")
    again = run(main, ["warm"])
    assert (again.exit_code, again.stdout, done) == (0, "Everything is compiled.\n", ["reading"])
    assert run(main, ["warm", "--check"]).exit_code == 0
    (place / "discreet.warm").write_text("another version")
    assert not kernels.is_warm()


def test_a_process_does_the_jobs_that_it_is_told():
    code = "from discreet import warm; warm.JOBS = {'a': warm.CompileJob(lambda: print('aside'), 1)}; warm.main()"
    done = subprocess.run([sys.executable, "-c", code], input="a\na\n", capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("a\na\n", "aside\naside\n")


def test_a_process_that_dies_is_an_error(place, monkeypatch):
    monkeypatch.setattr(warm, "COMMAND", (sys.executable, "-c", ""))
    with pytest.raises(BudgetError, match="compiling ended early, at mining"):
        warm.warm(lambda _done, _found: None)
    assert list(place.iterdir()) == []
