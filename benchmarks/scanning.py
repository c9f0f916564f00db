"""Scanning: a file larger than the memory that is allowed, made here and audited by the command line.

    python benchmarks/scanning.py [--size 2GB] [--memory 500MB] [--min-support 1%] [-k 10]

The rows are those of T10.I4.D100K, again and again, each time without one of their items and with a rare one: hardly
two lines are alike, but many rows are once they are cut to frequent items.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from discreet.cli.options import as_bytes
from discreet.data.generate import quest

RARE = 200_000
"""So many rare items there are."""
MAIN = "from discreet.cli import main; main()"
PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=open("report.json", "wb"))
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def fill(path: Path, size: int) -> int:
    """Write rows until the file has so many bytes; return how many."""
    draw = random.Random(5)  # noqa: S311 - no secret
    rows = [[b"%d" % item for item in sorted(row)] for row in quest(100_000, seed=0)]
    number = 0
    with path.open("wb") as file:
        while file.tell() < size:
            lines = []
            for row in rows:
                number += 1
                left = draw.randrange(len(row))
                lines.append(b" ".join([*row[:left], *row[left + 1 :], b"%d" % (1000 + number * 7919 % RARE)]))
            file.write(b"\n".join(lines) + b"\n")
    return number


def main() -> None:
    """Make the file, audit it, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="2GB")
    parser.add_argument("--memory", default="500MB")
    parser.add_argument("--min-support", default="1%")
    parser.add_argument("-k", default="10")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder, "rows.dat")
        rows = fill(path, as_bytes(asked.size))
        print(f"{path.stat().st_size:,} bytes, {rows:,} rows")
        command = ["audit", str(path), "--min-support", asked.min_support, "-k", asked.k, "--json"]
        command += ["--memory", asked.memory]
        start = time.perf_counter()
        process = [sys.executable, "-c", PEAK, sys.executable, "-c", MAIN, *command]
        told = subprocess.run(process, cwd=folder, check=True, capture_output=True, text=True)  # noqa: S603 - our own
        code, peak = map(int, told.stdout.split())
        print(f"{time.perf_counter() - start:.0f} s, peak {peak / 10**6:,.0f} MB, exit code {code}")
        sys.stderr.write(told.stderr)
        report = json.loads(Path(folder, "report.json").read_text())
        print({name: report[name] for name in ("verdict", "n", "min_support", "itemsets", "exposed")})
    sys.exit(0 if code in {0, 1} and peak < as_bytes(asked.memory) + 300 * 10**6 else os.EX_SOFTWARE)


if __name__ == "__main__":
    main()
