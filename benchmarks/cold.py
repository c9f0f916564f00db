"""A fresh machine: the first run of each command, with nothing compiled yet, against warm runs and bare imports."""

import os
import resource
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from clock import Effort, timed
from report import Check, Part, line, title
from sources import Source

DISCREET: Final = Path(sysconfig.get_path("scripts")) / "discreet"
BASE: Final = (sys.executable, "-c", "import numpy, polars")
AT: Final = ("--min-support", "5%", "-k", "10")
COMMANDS: Final = {
    "audit": ("audit", "clinic.csv", *AT),
    "demo": ("demo",),
    "block": ("block", "clinic.csv", *AT, "--out", "release"),
    "attack": ("attack", "clinic.csv", *AT),
    "hide": ("hide", "clinic.csv", "--sensitive", "sensitive.txt", "--out", "hidden"),
    "report": ("report", "clinic.csv", *AT, "--out", "report.html"),
}
LARGE: Final = 750_000
"""Rows of a file of 50 MB."""
WIDTHS: Final = (-22, 10, 10)


class Run(NamedTuple):
    """Seconds of a program, by the clock and of a core."""

    wall: float
    cpu: float


def measure(_sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times of first runs, and return them."""
    title("Start: first runs with empty caches (seconds, and seconds of a core)")
    with TemporaryDirectory() as folder:
        start(folder, folder, DISCREET, "generate", "clinic", "--out", "clinic.csv")
        (Path(folder) / "sensitive.txt").write_text("hypertension\n")
        rows = min(LARGE, 30 * effort.n)
        start(folder, folder, DISCREET, "generate", "clinic", "--rows", rows, "--seed", "1", "--out", "large.csv")
        base = start(folder, folder, *BASE)
        runs = {name: start(folder, fresh(folder, name), DISCREET, *words) for name, words in COMMANDS.items()}
        cache = fresh(folder, "large")
        cold, warm = (start(folder, cache, DISCREET, "audit", "large.csv", *AT) for _ in range(2))
        warming = start(folder, fresh(folder, "warm"), DISCREET, "warm")
    runs |= {"import numpy, polars": base, "large, cold": cold, "large, again": warm, "warm": warming}
    for name, run in runs.items():
        print(line(WIDTHS, (name, f"{run.wall:.2f}", f"{run.cpu:.2f}")))
    audit, others = runs["audit"], max(runs[name].wall for name in COMMANDS)
    checks = [
        Check("the first audit at most 3 s by the clock", f"{audit.wall:.2f}", audit.wall <= 3),  # noqa: PLR2004 - the aim
        Check("and 2 s of a core above bare imports", f"{audit.cpu - base.cpu:.2f}", audit.cpu - base.cpu <= 2),  # noqa: PLR2004
        Check("any first command at most 4 s", f"{others:.2f}", others <= 4),  # noqa: PLR2004
        Check("50 MB at most 12 s of a core above warm", f"{cold.cpu - warm.cpu:.2f}", cold.cpu - warm.cpu <= 12),  # noqa: PLR2004
        Check("discreet warm at most 25 s of cores", f"{warming.cpu:.2f}", warming.cpu <= 25),  # noqa: PLR2004
    ]
    return Part([{"program": name, **run._asdict()} for name, run in runs.items()], checks)


def fresh(folder: str, name: str) -> str:
    """Return an empty folder for compiled kernels."""
    path = Path(folder) / f"cache of {name}"
    path.mkdir()
    return str(path)


def start(folder: str, cache: str, *command: object) -> Run:
    """Run a command in ``folder`` that finds the compiled kernels of ``cache``."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall, done = timed(
        lambda: subprocess.run(  # noqa: S603 - our own
            list(map(str, command)),
            cwd=folder,
            env=environment | {"NUMBA_CACHE_DIR": cache},
            capture_output=True,
            check=False,
        )
    )
    if done.returncode not in {0, 1}:  # 1: there are findings
        raise RuntimeError(f"a program of the benchmark failed:\n{done.stderr.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Run(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
