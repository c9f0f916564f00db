"""Reading: files of each shape, against Python's csv module and pandas; and how much of a large file is inspected.

    python benchmarks/reading.py [--rows 50000] [--size 1GB]

Each ratio is the time of ``csv.reader`` over all lines, or of ``pandas.read_csv``, divided by ours. The large file is
sparse: a head of baskets, then zeros, which nothing may read to find its layout.
"""

import argparse
import csv
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import pandas as pd

from discreet import Transactions, read, write
from discreet.cli.options import as_bytes
from discreet.data.generate import clinic
from discreet.io.options import RowOptions
from discreet.io.sniff import peek
from discreet.io.sources import sniff_source

TIMES = 5
"""Each is read so often; the least time counts."""


class Counted(BytesIO):
    """A file that counts the bytes that are read from it."""

    def __init__(self, file: BinaryIO) -> None:
        """Begin at the place of the file."""
        super().__init__()
        self.file, self.many = file, 0

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes."""
        data = self.file.read(size)
        self.many += len(data)
        return data


def seconds(work: Callable[..., object], *of: object, **options: str) -> float:
    """Return the least time that some work takes."""
    best = float("inf")
    for _ in range(TIMES):
        start = time.perf_counter()
        work(*of, **options)
        best = min(best, time.perf_counter() - start)
    return best


def make_files(folder: Path, rows: int) -> dict[str, tuple[Path, dict[str, str]]]:
    """Write the same people in each shape."""
    people = Transactions(list(clinic(rows, seed=1)))
    paths = {shape: folder / f"{shape}.csv" for shape in ("baskets", "onehot", "long", "table")}
    write(people, paths["baskets"], format="csv")
    write(people, paths["onehot"], format="onehot")
    pairs = [f"{number},{item}" for number, row in enumerate(people) for item in sorted(row, key=str)]
    paths["long"].write_text("\n".join(["id,item", *pairs]) + "\n")
    cells = ("yes" if item in row else "no" for row in people for item in people.labels)
    width = len(people.labels)
    lines = [",".join(line) for line in zip(*[cells] * width, strict=True)]
    paths["table"].write_text("\n".join([",".join(f"x{at}" for at in range(width)), *lines]) + "\n")
    fimi = folder / "rows.dat"
    write(Transactions([[people.code[item] for item in row] for row in people]), fimi)
    return {**{shape: (path, {"format": shape}) for shape, path in paths.items()}, "fimi": (fimi, {})}


def read_with_csv(path: Path) -> int:
    """Read all fields with Python."""
    with path.open(newline="") as file:
        return sum(map(len, csv.reader(file, delimiter=" " if path.suffix == ".dat" else ",")))


def main() -> None:
    """Print the times and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--size", default="1GB")
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'':9}{'ours':>10}{'csv ÷ ours':>12}{'pandas ÷ ours':>15}")
        for shape, (path, options) in make_files(folder, asked.rows).items():
            ours, python = seconds(read, path, **options), seconds(read_with_csv, path)
            frames = seconds(pd.read_csv, path) if shape in {"onehot", "long", "table"} else None
            last = "" if frames is None else f"{frames / ours:15.2f}"
            print(f"{shape:9}{1000 * ours:7.1f} ms{python / ours:12.2f}{last}")
        large = folder / "large.csv"
        with large.open("wb") as file:
            file.write(b"bread,milk\ntea\nbread,tea,jam\n" * 50_000)
            file.truncate(as_bytes(asked.size))
        with large.open("rb") as file:
            counted = Counted(file)
            peek(counted)
        took = seconds(lambda: sniff_source(large, None, RowOptions(), peek(large)[0]))
        print(f"layout of {asked.size}: {1000 * took:.1f} ms, {counted.many:,} bytes read")


if __name__ == "__main__":
    main()
