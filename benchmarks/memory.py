"""Memory: what reading and mining add to the peak of a process, ours against pyfim."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import children
from cases import Case
from clock import Effort
from report import Check, Part, line, title
from sources import Source

WIDTHS: Final = (-25, 10, 11, 13, 10, 10, 9, 11)
HEADS: Final = ("case, closed", "file MB", "ours MB", "at work MB", "pyfim MB", "by", "ratio", "at work")
ALGORITHMS: Final = ("eclat", "fpgrowth", "sam", "relim")
AIM: Final = 1.0
ONEHOT_AIM: Final = 10.0

NUMBA: Final = "import numba"
AT_WORK: Final = """
import io, numba
from discreet import kernels, mine, read
kernels.compile_all()
for kind in ("frequent", "closed", "maximal"):
    mine(read(io.BytesIO(b"1 2\\n2 3\\n1 2 3\\n"), format="fimi"), min_support=1, kind=kind, threads=1)
"""
OURS: Final = """
import sys, numba
from discreet import kernels, mine, read
kernels.compile_all()
mine(read(sys.argv[1]), min_support=int(sys.argv[2]), kind="closed", threads=1)
"""
FIM: Final = "import fim"
THEIRS: Final = """
import sys, time, fim
with open(sys.argv[1]) as file:
    rows = [[int(item) for item in line.split()] for line in file]
start = time.perf_counter()
found = getattr(fim, sys.argv[3])(rows, target="c", supp=-int(sys.argv[2]), zmin=1)
print(time.perf_counter() - start)
"""

ONEHOT: Final = """
import sys
import numpy, pandas, scipy.sparse
from discreet import Transactions, kernels
kernels.compile_all()

def frame(n, items):
    matrix = scipy.sparse.random(n, items, 0.005, "csc", random_state=0)
    return pandas.DataFrame.sparse.from_spmatrix(matrix.astype(bool))

def megabytes(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) / 1024

Transactions.from_onehot(frame(30, 30))  # what the first call loads does not count
table = frame(int(sys.argv[1]), int(sys.argv[2]))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak starts anew
before = megabytes("VmRSS")
rows = Transactions.from_onehot(table)
print(megabytes("VmHWM") - before, table.memory_usage().sum() / 2**20)
"""
RESETTABLE: Final = Path("/proc/self/clear_refs")
"""Where there is none, the peak of a process cannot start anew."""


class Memory(NamedTuple):
    """MB that a case adds to a process.

    ``ours`` to one that has imported Numba, ``at_work`` to one that has run our kernels, ``pyfim`` to one of its own.
    """

    data: str
    share: str
    file: float
    ours: float
    at_work: float
    pyfim: float
    algorithm: str


class Bare(NamedTuple):
    """MB that processes take before they read or mine anything."""

    numba: float
    at_work: float
    pyfim: float


def measure(sources: Sequence[Source], _effort: Effort) -> Part:
    """Print what each of ``sources`` adds at its lowest share, and return it."""
    title("Memory: MB that reading and mining add to the peak; at work: to one that has run our kernels")
    bare = Bare(settled(NUMBA), settled(AT_WORK), settled(FIM))
    print(f"before: {bare.numba:.0f} MB with Numba imported, {bare.at_work:.0f} at work; {bare.pyfim:.0f} with pyfim")
    print(line(WIDTHS, HEADS))
    figures = []
    for source in sources:
        figure = compare(Case(source, source.plan.shares[-1], "closed"), bare)
        print(line(WIDTHS, cells(figure)), flush=True)
        figures.append(figure)
    checks = list(judge(figures))
    if RESETTABLE.exists():
        checks.append(onehot(20_000, 4_000))
    return Part([figure._asdict() for figure in figures], checks)


def compare(case: Case, bare: Bare) -> Memory:
    """Return what a case adds; of the algorithms of pyfim the fastest counts."""
    ours = settled(OURS, case.source.path, case.count)
    runs = {name: peak(THEIRS, case.source.path, case.count, name) for name in ALGORITHMS}
    best = min(runs, key=lambda name: runs[name][1])
    return Memory(
        case.source.name,
        case.share,
        case.source.path.stat().st_size / 2**20,
        ours - bare.numba,
        ours - bare.at_work,
        runs[best][0] - bare.pyfim,
        best,
    )


def settled(program: str, *arguments: object) -> float:
    """Return the MB that a program takes at its peak, the second time if that is less: the first may compile."""
    return min(peak(program, *arguments)[0] for _ in range(2))


def peak(program: str, *arguments: object) -> tuple[float, float]:
    """Return the MB that a program takes at its peak, and the seconds that it prints, if any.

    >>> peak("print(1.5)")[1]
    1.5
    """
    seconds, _, megabytes = children.output(f"{program}\n{children.PEAK}", *arguments).rpartition("\n")
    return float(megabytes), float(seconds or 0)


def onehot(n: int, items: int) -> Check:
    """Return what reading a sparse frame of ``n`` rows, with 0.5 % of its cells set, adds to it."""
    added, own = map(float, children.output(ONEHOT, n, items).split())
    what = f"a sparse one-hot frame of {n:,} x {items:,}, {own:.1f} MB, is read with less than {ONEHOT_AIM:g} MB more"
    return Check(what, f"{added:.1f} MB", added < ONEHOT_AIM)


def cells(figure: Memory) -> tuple[str, ...]:
    """Return a row of the table."""
    ratios = (f"{figure.ours / figure.pyfim:.2f}", f"{figure.at_work / figure.pyfim:.2f}")
    amounts = (f"{figure.file:.1f}", f"{figure.ours:.1f}", f"{figure.at_work:.1f}", f"{figure.pyfim:.1f}")
    return (f"{figure.data} {figure.share}", *amounts, figure.algorithm, *ratios)


def judge(figures: Sequence[Memory]) -> Iterator[Check]:
    """Yield what the amounts show."""
    most = max(figure.at_work / figure.pyfim for figure in figures)
    yield Check("above Numba at work, at most what pyfim adds, as a ratio", f"{most:.2f}", most <= AIM)
