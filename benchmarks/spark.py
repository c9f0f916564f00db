"""Spark: an audit of T10 I4 rows against Spark's own FPGrowth, which only mines them, in one session.

    python benchmarks/spark.py                 1 and 10 million rows at 1%
    python benchmarks/spark.py 100000 0.02     so many rows, at that share

Rows are drawn in Spark and written to Parquet once; both sides read them from there.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from clock import timed
from pyspark.ml.fpm import FPGrowth
from pyspark.sql import DataFrame, SparkSession
from report import Check, Part, line, title

import discreet.spark

Result = TypeVar("Result")

K: Final = 10
MASTER: Final = "local-cluster[2,1,2048]"
ROWS: Final = (1_000_000, 10_000_000)
SHARE: Final = "0.01"
GROWTH: Final = 1.2
FASTER: Final = 3.0
WIDTHS: Final = (12, 10, 10, 10, 12, 10, 9)
HEADS: Final = ("rows", "drawn s", "audit s", "shards s", "FPGrowth s", "itemsets", "ratio")


class Figure(NamedTuple):
    """Seconds for ``n`` rows: to draw them, to audit them, to audit them in shards, and for FPGrowth to mine them."""

    n: int
    drawn: float
    audit: float
    shards: float
    peer: float
    itemsets: int
    same: bool


@contextmanager
def session() -> Iterator[SparkSession]:
    """Give a session with two executors, each a process of its own with a core and 2 GB at most."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.executor.memory": "2g",
        "spark.driver.memory": "2g",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "8",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    spark = SparkSession.builder.master(MASTER).config(map=settings).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def measured(spark: SparkSession, n: int, share: str, folder: Path) -> Figure:
    """Return the figures for ``n`` rows."""
    path = str(folder / str(n))
    drawn, _ = told("drawn", lambda: discreet.spark.quest(spark, n, seed=1).write.parquet(path))
    rows = spark.read.parquet(path)
    audit, found = told("audit", lambda: discreet.spark.audit(rows, min_support=share, k=K))
    shards, again = told("audit in shards", lambda: discreet.spark.audit(rows, min_support=share, k=K, budget=0))
    frequent = discreet.spark.mine(rows, min_support=share, kind="frequent")
    peer, mined = told("FPGrowth", lambda: supports_by_peer(rows, share))
    ours = {itemset: count for itemset, count in frequent if itemset}
    same = ours == mined and found.patterns == again.patterns and found.channels == again.channels
    return Figure(n, drawn, audit, shards, peer, len(mined), same)


def told(what: str, run: Callable[[], Result]) -> tuple[float, Result]:
    """Return how many seconds ``run`` takes, and what it returns; tell so at once, since these are minutes."""
    seconds, result = timed(run)
    print(f"  {what}: {seconds:.1f} s", file=sys.stderr, flush=True)
    return seconds, result


def supports_by_peer(rows: DataFrame, share: str) -> dict[frozenset[int], int]:
    """Return what FPGrowth mines; without its rules, for which it would take longer."""
    model = FPGrowth(itemsCol="items", minSupport=float(share), minConfidence=1.0).fit(rows)
    return {frozenset(found["items"]): found["freq"] for found in model.freqItemsets.collect()}


def measure(sizes: tuple[int, ...] = ROWS, share: str = SHARE) -> Part:
    """Print the figures for each size, and return them."""
    title(f"Spark: T10 I4 at {share}, audit below k = {K} against FPGrowth")
    print(line(WIDTHS, HEADS))
    figures = []
    with session() as spark, tempfile.TemporaryDirectory() as folder:
        measured(spark, 10_000, share, Path(folder))  # warms up
        for n in sizes:
            one = measured(spark, n, share, Path(folder))
            times = [f"{seconds:.1f}" for seconds in (one.drawn, one.audit, one.shards, one.peer)]
            print(line(WIDTHS, (f"{n:,}", *times, f"{one.itemsets:,}", f"{one.peer / one.audit:.1f}")), flush=True)
            figures.append(one)
    return Part([figure._asdict() for figure in figures], checks(figures))


def checks(figures: list[Figure]) -> list[Check]:
    """Return what was to be shown."""
    last, first = figures[-1], figures[0]
    grown = (last.audit / last.n) / (first.audit / first.n)
    ratio = last.peer / last.audit
    return [
        Check(
            "supports equal those of FPGrowth", str(all(one.same for one in figures)), all(one.same for one in figures)
        ),
        Check(f"an audit is {FASTER:g} times as fast as FPGrowth", f"{ratio:.1f}", ratio >= FASTER),
        Check(f"a row takes at most {GROWTH} times as long as with the fewest", f"{grown:.2f}", grown <= GROWTH),
    ]


if __name__ == "__main__":
    asked = measure((int(sys.argv[1]),), *sys.argv[2:3]) if sys.argv[1:] else measure()
    print(*asked.checks, sep="\n")
    sys.exit(not all(check.holds for check in asked.checks))
