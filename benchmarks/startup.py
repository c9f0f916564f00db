"""Start-up: imports, and the command line, against the libraries below them."""

import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import children
from clock import Effort, timed
from report import Check, Part, line, milliseconds, title
from sources import Source

WIDTHS: Final = (-25, 11, -20)
NAMES: Final = (
    "import numpy",
    "import discreet",
    "python -c 'import numba'",
    "discreet --help",
    "discreet mine small.dat",
)
IMPORT: Final = """
import time
start = time.perf_counter()
import {}
print(time.perf_counter() - start)
"""
ROWS: Final = "1 2 3\n1 2\n2 3\n"
DISCREET: Final = Path(sysconfig.get_path("scripts")) / "discreet"


class Start(NamedTuple):
    """The least seconds of all that was started."""

    numpy: float
    discreet: float
    numba: float
    help: float
    mine: float


def measure(_sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times, and return them."""
    title("Start-up: the two imports within a process, the rest as whole processes")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "small.dat"
        file.write_text(ROWS)
        start = Start(**least(programs(file), effort.starts))
    for name, seconds in zip(NAMES, start, strict=True):
        print(line(WIDTHS, (name, milliseconds(seconds), " ms")))
    imported, mined = start.discreet / start.numpy, start.mine / start.numba
    checks = [
        Check("import discreet less than 2 times import numpy", f"{imported:.2f}", imported < 2),  # noqa: PLR2004 - the aim
        Check("discreet mine less than 5 times python -c 'import numba'", f"{mined:.2f}", mined < 5),  # noqa: PLR2004 - the aim
    ]
    return Part([start._asdict()], checks)


def programs(file: Path) -> Mapping[str, Callable[[], float]]:
    """Return what is started, each telling its seconds."""
    return {
        "numpy": partial(imported, "numpy"),
        "discreet": partial(imported, "discreet"),
        "numba": partial(process, sys.executable, "-c", "import numba"),
        "help": partial(process, DISCREET, "--help"),
        "mine": partial(process, DISCREET, "mine", file, "--min-support", "2"),
    }


def least(runs: Mapping[str, Callable[[], float]], starts: int) -> dict[str, float]:
    """Return the least of what each of ``runs`` tells: once to warm up, then in turns; with 0 ``starts``, once at all.

    >>> least({"one": lambda: 1.0}, 3)
    {'one': 1.0}
    """
    laps = [{name: run() for name, run in runs.items()} for _ in range(starts + 1)][min(1, starts) :]
    return {name: min(lap[name] for lap in laps) for name in runs}


def imported(module: str) -> float:
    """Return how long a new interpreter takes to import ``module``, without its own start."""
    return float(children.output(IMPORT.format(module)))


def process(*command: object) -> float:
    """Return how long a command takes, from start to end."""
    words = list(map(str, command))
    return timed(partial(subprocess.run, words, check=True, capture_output=True))[0]
