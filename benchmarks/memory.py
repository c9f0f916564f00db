"""Memory: what reading and mining add to the peak of a process, ours against pyfim."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import children
from cases import Case
from clock import Effort
from peers import ALGORITHMS
from report import Check, Part, line, title
from sources import Source

WIDTHS: Final = (-25, 10, 11, 13, 10, 10, 9, 11)
HEADS: Final = ("case, closed", "file MB", "ours MB", "at work MB", "pyfim MB", "by", "ratio", "at work")
AIM: Final = 2.0
ONEHOT_AIM: Final = 10.0

NUMBA: Final = "import numba\n"
READ_AND_MINE: Final = """
import sys
from discreet import mine, read
mine(read(sys.argv[1]), min_support=int(sys.argv[2]), threads=1)
"""
PYFIM: Final = """
import fim, sys, time
with open(sys.argv[1]) as file:
    rows = [[int(item) for item in line.split()] for line in file]
start = time.perf_counter()
found = getattr(fim, sys.argv[3])(rows, target="c", supp=-int(sys.argv[2]), zmin=1)
print(time.perf_counter() - start)
"""
ONEHOT: Final = """
import sys
import numpy, pandas, scipy.sparse
from discreet import Transactions

def frame(n, items):
    matrix = scipy.sparse.random(n, items, 0.005, "csc", rng=numpy.random.default_rng(0))
    return pandas.DataFrame.sparse.from_spmatrix(matrix.astype(bool))

def status(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) / 1024

Transactions.from_onehot(frame(3, 3))  # what a first call loads is not the frame's
table = frame(int(sys.argv[1]), int(sys.argv[2]))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak starts anew
before = status("VmRSS")
rows = Transactions.from_onehot(table)
print(status("VmHWM") - before, table.memory_usage().sum() / 2**20)
"""


class Memory(NamedTuple):
    """MB that a case adds to a process: ours to one that has imported Numba, or has it at work; that of pyfim."""

    data: str
    share: str
    file: float
    ours: float
    at_work: float
    pyfim: float
    algorithm: str


def measure(sources: Sequence[Source], effort: Effort) -> Part:  # noqa: ARG001 - all parts take the same
    """Print what each of ``sources`` adds at its lowest share, and return it."""
    title("Memory: MB that reading and mining add to the peak; 'at work': to a Numba that has run our kernels")
    print(line(WIDTHS, HEADS))
    figures = []
    for source in sources:
        figure = compare(Case(source, source.plan.shares[-1], "closed"))
        print(line(WIDTHS, cells(figure)), flush=True)
        figures.append(figure)
    added, own = map(float, children.output(ONEHOT, 20_000, 4_000).split())
    print(f"\nA sparse one-hot frame of 20,000 x 4,000 cells, {own:.1f} MB: reading it adds {added:.1f} MB")
    onehot = {"onehot": added, "frame": own}
    return Part([*(figure._asdict() for figure in figures), onehot], list(judge(figures, added)))
