"""The benchmark: ours against other miners, in one run on one machine. See README.md beside this file."""

import argparse
import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import after
import auditing
import blocking
import cold
import compiling
import detecting
import growth
import hiding
import memory
import speed
import startup
import tables
import threads
from clock import QUICK, Effort
from report import Part
from sources import GENERATED, PUBLIC, Source, gather

from discreet import __version__

PARTS: Final[Mapping[str, Callable[[Sequence[Source], Effort], Part]]] = {
    "speed": speed.measure,
    "threads": threads.measure,
    "memory": memory.measure,
    "growth": growth.measure,
    "startup": startup.measure,
    "start": cold.measure,
    "compiling": compiling.measure,
    "detect": detecting.measure,
    "audit": auditing.measure,
    "block": blocking.measure,
    "tables": tables.measure,
    "after": after.measure,
    "hide": hiding.measure,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the parts that were asked for, print what they show, and save the figures if a file is named."""
    options = parse(arguments)
    print(machine())
    effort = (QUICK if options.quick else Effort())._replace(collect=not options.without_gc)
    named = [name for name in PARTS if name in options.only] or list(PARTS)
    with TemporaryDirectory() as folder:
        sources = gather(Path(folder), only=set(options.only) - PARTS.keys(), quick=options.quick)
        parts = {name: run(PARTS[name], sources, effort) for name in named}
    checks = [check for part in parts.values() for check in part.checks]
    print(f"\n{sum(check.holds for check in checks)} of {len(checks)} checks hold")
    if options.json:
        options.json.write_text(as_json(parts))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description="Measure discreet against pyfim and mlxtend.")
    names = [*PARTS, *PUBLIC, *GENERATED]
    parser.add_argument("--only", nargs="+", default=[], choices=names, metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="two small cases, one round: does it run at all?")
    parser.add_argument("--without-gc", action="store_true", help="let the garbage collector rest, as timeit does")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save all figures, in seconds and MB")
    return parser.parse_args(arguments)


def machine() -> str:
    """Return where this runs; others at work on the machine spoil the threads first."""
    busy = f", {os.getloadavg()[0]:.1f} of them busy in the last minute" if hasattr(os, "getloadavg") else ""
    return f"discreet {__version__}, Python {platform.python_version()}, {os.cpu_count()} cores{busy}"


def run(part: Callable[[Sequence[Source], Effort], Part], sources: Sequence[Source], effort: Effort) -> Part:
    """Run a part, and print its checks."""
    measured = part(sources, effort)
    print(*("", *measured.checks), sep="\n", flush=True)
    return measured


def as_json(parts: Mapping[str, Part]) -> str:
    """Return all figures and checks as JSON."""
    return json.dumps(
        {
            name: {"figures": list(part.figures), "checks": [check._asdict() for check in part.checks]}
            for name, part in parts.items()
        },
        indent=1,
        allow_nan=False,
    )


if __name__ == "__main__":
    main()
