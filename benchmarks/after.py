"""What follows an audit, as commands on files: a report, verifying, comparing methods, beliefs, a SACRO folder."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from clock import Effort, timed
from report import Check, Part, line, milliseconds, title
from sources import Source
from startup import DISCREET, least

K: Final = "10"
STARTS: Final = 3
AIMS: Final = {"report": 2.0, "verify": 2.0, "compare": 5.0, "belief": 20.0}
WIDTHS: Final = (-25, 10, 8)


def measure(sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times of one audit and of the commands after it; return them."""
    figures, checks = [], []
    for source in sources:
        for share in source.plan.followed:
            title(f"After an audit: commands on {source.name} at {share}, against `discreet audit`")
            with TemporaryDirectory() as folder:
                runs = commands(source.path, share, Path(folder))
                times = least({name: partial(run, *words) for name, words in runs.items()}, min(STARTS, effort.starts))
            for name, seconds in times.items():
                print(line(WIDTHS, (name, milliseconds(seconds), f"{seconds / times['audit']:.2f}")), flush=True)
            figures.append({"data": source.name, "share": share, **times})
            checks += judge(f"{source.name} at {share}", times)
    return Part(figures, checks)


def commands(file: Path, share: str, folder: Path) -> dict[str, Sequence[str]]:
    """Return the commands by name; a release is written to be verified."""
    rows = (str(file), "--format", "fimi", "--min-support", share, "-k", K, "--quiet")
    release = str(folder / "release")
    run("block", *rows, "--method", "suppress", "--out", release)
    return {
        "audit": ("audit", *rows),
        "report": ("report", *rows, "--out", str(folder / "report.html")),
        "verify": ("verify", release),
        "compare": ("block", *rows, "--compare"),
        "belief": ("belief", *rows),
        "sacro": ("audit", *rows, "--sacro", str(folder / "sacro")),
    }


def run(*words: str) -> float:
    """Return the seconds that a command takes; it may say that patterns must not be published."""
    seconds, done = timed(lambda: subprocess.run([DISCREET, *words], capture_output=True, text=True, check=False))  # noqa: S603
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return seconds


def judge(where: str, times: Mapping[str, float]) -> Iterator[Check]:
    """Yield what the times show."""
    for name, aim in AIMS.items():
        ratio = times[name] / times["audit"]
        yield Check(f"{name}: at most {aim:g} times one audit of {where}", f"{ratio:.2f}", ratio <= aim)
