"""The other miners: pyfim in this process, mlxtend in one of its own, since some of its cases do not end."""

import subprocess
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

import children

from discreet.data.patterns import Kind

Peer: TypeAlias = Callable[[list[Any], Kind, int], list[Any]]
"""Mines rows for a kind of itemsets that a count of them holds; returns the itemsets."""

ALGORITHMS: Final = ("eclat", "fpgrowth", "sam", "relim", "apriori")
TARGETS: Final[Mapping[Kind, str]] = {"frequent": "s", "closed": "c", "maximal": "m"}

# mlxtend has no closed itemsets: who wants them has to list all frequent ones first.
FUNCTIONS: Final[Mapping[Kind, str]] = {"frequent": "fpgrowth", "closed": "fpgrowth", "maximal": "fpmax"}

MLXTEND: Final = """
import sys, time
import numpy, pandas, scipy.sparse
from mlxtend import frequent_patterns
from discreet import read

rows, count, function = read(sys.argv[1]), int(sys.argv[2]), getattr(frequent_patterns, sys.argv[3])
ones = numpy.ones(rows.items.size, dtype=bool)
matrix = scipy.sparse.csr_matrix((ones, rows.items, rows.offsets), shape=(len(rows), len(rows.labels)))
frame = pandas.DataFrame.sparse.from_spmatrix(matrix)
start = time.perf_counter()
found = function(frame, min_support=(count - 0.5) / len(rows))  # half a row less: no float may lose an itemset
print(len(found), time.perf_counter() - start)
"""


def pyfim() -> Mapping[str, Peer]:
    """Return the algorithms of pyfim by name; exit if it is not installed."""
    try:
        fim = import_module("fim")
    except ImportError:
        raise SystemExit("pyfim is not installed; 'make bench' installs what the benchmark needs") from None
    return {name: _peer(getattr(fim, name)) for name in ALGORITHMS}


def mlxtend(path: Path, count: int, function: str, limit: float) -> tuple[int, float] | None:
    """Return how many itemsets mlxtend finds and in how many seconds; None where that takes longer than ``limit``."""
    try:
        found, seconds = children.output(MLXTEND, path, count, function, limit=limit).split()
    except subprocess.TimeoutExpired:
        return None
    return int(found), float(seconds)


def _peer(algorithm: Callable[..., list[Any]]) -> Peer:
    def mine(rows: list[Any], kind: Kind, count: int) -> list[Any]:
        return algorithm(rows, target=TARGETS[kind], supp=-count, zmin=1)

    return mine
