"""Compile all kernels, once for all later commands: small jobs that call every kernel, for processes side by side.

``python -m discreet.warm`` does the jobs whose names it reads from stdin, one per line, and writes each name when its
job is done. It exits when stdin closes.
"""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, Self, get_args

import numpy as np

import discreet
from discreet import BudgetError, OutputError, Patterns, kernels
from discreet.data.generate import clinic
from discreet.data.patterns import Kind
from discreet.disclosure.attacks.constraints import Ground, build_system
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import Clock
from discreet.disclosure.beliefs.counting import as_unknowns
from discreet.disclosure.beliefs.entropy import fit_entropy
from discreet.disclosure.beliefs.sampling import sample_few
from discreet.disclosure.beliefs.tables import list_sums
from discreet.disclosure.beliefs.walks import draw_tables
from discreet.hiding.measures import count_ghost_rules
from discreet.mining.mine import mine_by
from discreet.mining.watch import Limits as MiningLimits
from discreet.publications.counts.equations import list_equations
from discreet.publications.counts.limits import Limits
from discreet.publications.counts.moves import Moves
from discreet.publications.counts.parts import Part
from discreet.runtime.resources import Progress

COMMAND: Final = (sys.executable, "-P", "-m", "discreet.warm")
"""With -P, files in the current folder are not taken for libraries."""
SIDE_BY_SIDE: Final = 2
ROWS: Final = partial(clinic, 400, seed=1)
TEXTS: Final = {"fimi": b"1 2\n2\n" * 9, "onehot": b"a,b\n" + b"1,0\n0,1\n" * 9}


class CompileJob(NamedTuple):
    """Calls that compile kernels, and the seconds of CPU that this took where it was measured."""

    run: Callable[[], object]
    seconds: float


def _mine() -> None:
    for kind in get_args(Kind):
        mine_by("sparse", ROWS(), min_support="40%", kind=kind, max_length=None, limits=MiningLimits(threads=2))


def _judge() -> None:
    rows = {frozenset(item for item in range(7) if number * (item + 3) % 11 < 6) for number in range(40)}  # noqa: PLR2004
    closed = {frozenset(range(7))}
    for row in rows:
        closed |= {row & other for other in closed}
    listed = [(one, 3 * sum(one <= row for row in rows)) for one in closed]
    patterns = Patterns.from_itemsets([pair for pair in listed if pair[1]], n=3 * len(rows), kind="closed")
    discreet.audit(patterns, policy="acro")
    discreet.attack(patterns, k=5, level="derive", seconds=1)


def _detect() -> None:
    rows = ROWS()
    patterns = discreet.mine(rows, min_support="20%")
    for method in ("naive", "closed", "projection"):
        discreet.detect(patterns, k=5, rows=rows, method=method)
    wide = [[item, item + 1] for item in range(140)] * 3  # more items than a word has bits
    for part, share in ((rows, "20%"), (wide, 3)):
        discreet.detect(discreet.mine(part, min_support=share, kind="maximal"), k=5, rows=part)


def _audit() -> None:
    rows = ROWS()
    for share in ("5%", "20%"):
        judged = discreet.audit(rows, min_support=share, policy="acro")
        judged.channels.worst(1)[0].terms(judged.patterns)
        _ = judged.exposed, judged.is_acyclic
    discreet.audit(rows.describe(people=np.arange(len(rows), dtype=np.int32)), min_support="20%", k=5)
    discreet.tradeoff(rows, min_supports=["40%"], ks=[5])


def _block() -> None:
    _ = discreet.compare(ROWS(), min_support="20%", k=5, seconds=1).best.costs


def _verify() -> None:
    with TemporaryDirectory() as folder:
        discreet.write_release(discreet.block(ROWS(), min_support="20%", k=5, method="suppress"), f"{folder}/release")


def _judge_table() -> None:
    lines = [f"{'mf'[number % 2]},{'yn'[number % 7 < 2]},{number % 5}" for number in range(200)]  # noqa: PLR2004
    rows = discreet.read(BytesIO("\n".join(["sex,ill,age", *lines]).encode()), format="table")
    discreet.audit(rows, min_support=5, k=30)
    discreet.block(rows, min_support=5, k=30, method="add")


def _judge_counts() -> None:
    shown = {"w": "***9", "x": "*9*3", "y": "9*6*", "z": "8*6*"}
    totals = [
        "w,Total,22",
        "x,Total,26",
        "y,Total,33",
        "z,Total,30",
        "Total,a,29",
        "Total,b,32",
        "Total,c,23",
        "Total,d,27",
    ]
    lines = [f"{one},{two},{mark}" for one, marks in shown.items() for two, mark in zip("abcd", marks, strict=True)]
    counts = discreet.read_counts(BytesIO("\n".join(["x,y,n", "Total,Total,111", *totals, *lines]).encode()))
    discreet.audit(counts, k=5)  # in which only several sums together show a count
    limits = Limits(list_equations(counts))
    limits.propagate()
    limits.tighten(range(limits.low.size))
    pair = Part(np.arange(2), np.arange(1), np.zeros(2, int), np.arange(2), np.ones(2, int), np.full(1, -9))
    moves = Moves(pair, np.array([4, 5]), np.zeros(2, int), np.full(2, 9))
    moves.find(0, 0, 1, 2)
    moves.walk(np.ones(2, bool))


def _hide() -> None:
    rows = ROWS()
    discreet.hide(rows, [rows.labels[:1]], reading="dynamic")
    found = discreet.hide(rows, [rows.labels[:1]])
    count_ghost_rules(rows, found.transactions, min_support="40%", min_confidence="50%")


def _hide_in_files() -> None:
    with TemporaryDirectory() as folder:
        for format_, text in TEXTS.items():
            source, target = Path(folder) / f"{format_}.dat", Path(folder) / f"{format_}.out"
            source.write_bytes(text)
            discreet.rewrite(source, target, [(0, discreet.read(source, format=format_)[0])], format=format_)
        source.write_bytes(200 * TEXTS["fimi"])
        discreet.scan(source, min_support=1, format="fimi")


def _compare_hiding() -> None:
    rows = ROWS()
    discreet.compare_hiding(rows, [rows.labels[:1]], min_supports=["40%"])


def _attack() -> None:
    rows = ROWS()
    patterns = discreet.mine(rows, min_support="20%")
    discreet.attack(patterns, k=5, seconds=1)
    discreet.attack(patterns, k=5, rows=rows, complete=False, max_length=2)
    discreet.audit(discreet.read_facts(patterns, round_to=1), k=5)


def _believe() -> None:
    rows = [[item for item in range(4) if number * (item + 3) % 7 < 4] for number in range(300)]  # noqa: PLR2004
    patterns = discreet.mine(rows, min_support=50)
    discreet.belief(patterns, k=5, limit=1)
    system, clock = build_system(Ground(Facts.of(patterns)), 0b111, most=8), Clock(600)
    fit_entropy(system, clock)
    sample_few(system, k=5, prior="entropy", seed=[1], clock=clock)
    draw_tables(as_unknowns(system, list_sums(system), "entropy"), seed=[1], clock=clock)


def _read() -> None:
    for format_, text in (*TEXTS.items(), ("fimi", b"1 900000000\n2\n")):
        rows = discreet.read(BytesIO(text), format=format_)
        rows.support("1 & ~2" if format_ == "fimi" else "a")


JOBS: Final = {
    "mining": CompileJob(_mine, 8),
    "reading": CompileJob(_read, 0.5),
    "hiding": CompileJob(_hide, 1.5),
    "judging": CompileJob(_judge, 3),
    "blocking": CompileJob(_block, 4),
    "tables": CompileJob(_judge_table, 1),
    "tables of counts": CompileJob(_judge_counts, 1),
    "attacking": CompileJob(_attack, 2),
    "believing": CompileJob(_believe, 1),
    "detecting": CompileJob(_detect, 1),
    "verifying": CompileJob(_verify, 1),
    "comparing methods of hiding": CompileJob(_compare_hiding, 1),
    "auditing": CompileJob(_audit, 0.5),
    "hiding in files": CompileJob(_hide_in_files, 0.5),
}
"""Neighbours share few kernels: of two processes, one waits while the other compiles what both need."""
SECONDS: Final = sum(job.seconds for job in JOBS.values())


class Lane:
    """A process that does one job after another."""

    def __init__(self, turns: str) -> None:
        """Start it; what it says of errors goes to stderr. No two that share ``turns`` compile the same at a time."""
        variables = {**environment(), "DISCREET_TURNS": turns}
        self._process = subprocess.Popen(  # noqa: S603 - the command is ours
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=variables
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.kill()
        self._process.communicate()

    def do(self, name: str) -> None:
        """Do a job, and return when it is done."""
        with suppress(OSError):  # it has ended, as the next line tells
            print(name, file=self._process.stdin, flush=True)
        if next(iter(self._process.stdout or ()), "").strip() != name:
            raise BudgetError(f"compiling ended early, at {name}; is there enough memory, and room for files?")


def environment() -> dict[str, str]:
    """Return the variables of a process that does jobs."""
    return {**os.environ, "NUMBA_DISABLE_JIT": "0"}


def warm(progress: Progress) -> None:
    """Compile all kernels, in two processes side by side; tell the share that is done and the number of jobs."""
    names, done = iter(JOBS), list[str]()

    def work(lane: Lane) -> None:
        while (name := next(names, None)) is not None:
            lane.do(name)
            done.append(name)
            progress(sum(JOBS[one].seconds for one in done) / SECONDS, len(done))

    with ExitStack() as stack:
        turns = stack.enter_context(TemporaryDirectory())
        pool = stack.enter_context(ThreadPoolExecutor(SIDE_BY_SIDE))
        lanes = [stack.enter_context(Lane(turns)) for _ in range(SIDE_BY_SIDE)]  # ended first, so that no thread waits
        list(pool.map(work, lanes))
    try:
        kernels.write_stamp()
    except OSError as error:
        raise OutputError(f"what was compiled cannot be kept ({error.strerror}); make the folder writable") from None


def main() -> None:
    """Do the jobs that stdin names, with the niceness of the first argument; prints of libraries go to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    with suppress(AttributeError, IndexError):  # not on every system, and not asked for
        os.nice(int(sys.argv[1]))
    gc.disable()  # it takes long to look for little
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        JOBS[line.strip()].run()
        print(line, end="", file=out, flush=True)


if __name__ == "__main__":
    main()
