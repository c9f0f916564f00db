"""Spark: an audit of T10 I4 rows against Spark's own FPGrowth, which only mines them, in one session.

    python benchmarks/spark.py                    100,000 rows, 1 and 10 million, at 1%
    python benchmarks/spark.py 100000 0.02        so many rows, at that share

Rows are drawn in Spark and written to Parquet once; both sides read them from there. FPGrowth may take so many times as
long as the audit as ``PATIENCE`` says, and a minute and a half at least; then it is stopped, and the ratio is one that
it does not reach. Where it ends, its supports are compared with ours; those of the longest itemsets are always compared
with what Spark's own functions count.
"""

import os
import sys
import tempfile
from collections.abc import Callable, ItemsView, Iterator
from contextlib import contextmanager
from functools import reduce
from operator import and_
from pathlib import Path
from threading import Timer
from typing import Final, NamedTuple, TypeVar

from clock import timed
from py4j.protocol import Py4JJavaError
from pyspark.ml.fpm import FPGrowth
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql
from report import Check, Part, line, title

import discreet.spark
from discreet import Patterns

Result = TypeVar("Result")

K: Final = 10
MASTER: Final = "local-cluster[2,1,2048]"
ROWS: Final = (100_000, 1_000_000, 10_000_000)
GROWS_FROM: Final = 1_000_000
"""Rows below take their time to start jobs, which says nothing of growth."""
SHARE: Final = "0.01"
GROWTH: Final = 1.2
FASTER: Final = 3.0
PATIENCE: Final = 4.0
LEAST_PATIENCE: Final = 90.0
COUNTED: Final = 32
"""Itemsets that Spark's own functions count."""
PEER_PARTITIONS: Final = 200
"""With as many FPGrowth was the fastest here of 8, 32 and 200, at 100,000 rows; left to itself it is slower."""
WIDTHS: Final = (12, 10, 10, 10, 12, 10, 9)
HEADS: Final = ("rows", "drawn s", "audit s", "shards s", "FPGrowth s", "itemsets", "ratio")


class Figure(NamedTuple):
    """Seconds for ``n`` rows: to draw them, to audit them, to audit them in shards, and for FPGrowth to mine them.

    ``ended`` says whether FPGrowth did; ``same`` that shards find the same as the driver, that the supports are those
    of FPGrowth if it ended, and that those of the longest itemsets are what Spark's own functions count.
    """

    frame: DataFrame
    n: int
    drawn: float
    audit: float
    shards: float
    supports: dict[frozenset[int], int]
    same: bool
    peer: float = 0.0
    ended: bool = False


@contextmanager
def session() -> Iterator[SparkSession]:
    """Give a session with two executors, each a process of its own with a core and 2 GB at most."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.executor.memory": "2g",
        "spark.driver.memory": "2g",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "8",
        # A task of FPGrowth does not hear that it is stopped: its executor ends then, and another is started.
        "spark.task.reaper.enabled": "true",
        "spark.task.reaper.killTimeout": "5s",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    spark = SparkSession.builder.master(MASTER).config(map=settings).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def measured(spark: SparkSession, n: int, share: str, folder: Path) -> Figure:
    """Return our figures for ``n`` rows."""
    path = str(folder / str(n))
    drawn, _ = told("drawn", lambda: discreet.spark.quest(spark, n, seed=1).write.parquet(path))
    rows = spark.read.parquet(path)
    audit, found = told("audit", lambda: discreet.spark.audit(rows, min_support=share, k=K))
    shards, again = told("audit in shards", lambda: discreet.spark.audit(rows, min_support=share, k=K, budget=0))
    frequent = discreet.spark.mine(rows, min_support=share, kind="frequent")
    alike = found.patterns == again.patterns and found.channels == again.channels
    same = alike and counted(rows, frequent) <= dict(frequent).items()
    return Figure(rows, n, drawn, audit, shards, {itemset: count for itemset, count in frequent if itemset}, same)


def against(figure: Figure, share: str) -> Figure:
    """Return the figures with those of FPGrowth."""
    seconds = max(LEAST_PATIENCE, PATIENCE * figure.audit)
    peer, mined = told("FPGrowth", lambda: supports_by_peer(figure.frame, share, seconds))
    same = figure.same and mined in (None, figure.supports)
    return figure._replace(peer=peer, ended=mined is not None, same=same)


def told(what: str, run: Callable[[], Result]) -> tuple[float, Result]:
    """Return how many seconds ``run`` takes, and what it returns; tell so at once, since these are minutes."""
    seconds, result = timed(run)
    print(f"  {what}: {seconds:.1f} s", file=sys.stderr, flush=True)
    return seconds, result


def supports_by_peer(rows: DataFrame, share: str, seconds: float) -> dict[frozenset[int], int] | None:
    """Return what FPGrowth mines, without its rules, for which it would take longer; None if it takes too long."""
    stop = Timer(seconds, rows.sparkSession.sparkContext.cancelAllJobs)
    stop.start()
    try:
        peer = FPGrowth(itemsCol="items", minSupport=float(share), minConfidence=1.0, numPartitions=PEER_PARTITIONS)
        return {frozenset(found["items"]): found["freq"] for found in peer.fit(rows).freqItemsets.collect()}
    except Py4JJavaError:
        if stop.is_alive():
            raise
        return None
    finally:
        stop.cancel()


def counted(rows: DataFrame, patterns: Patterns) -> ItemsView[frozenset[int], int]:
    """Return the supports of the longest itemsets as Spark's own functions count them."""
    itemsets = sorted((itemset for itemset, _ in patterns if itemset), key=lambda itemset: (-len(itemset), *itemset))
    asked = itemsets[:COUNTED]
    holds = [reduce(and_, (sql.array_contains("items", item) for item in itemset)) for itemset in asked]
    return dict(zip(asked, rows.agg(*map(sql.count_if, holds)).collect()[0], strict=True)).items()


def measure(sizes: tuple[int, ...] = ROWS, share: str = SHARE) -> Part:
    """Print the figures for each size, and return them."""
    title(f"Spark: T10 I4 at {share}, audit below k = {K} against FPGrowth")
    print(line(WIDTHS, HEADS))
    with session() as spark, tempfile.TemporaryDirectory() as folder:
        against(measured(spark, 10_000, share, Path(folder)), share)  # warms up
        # All of ours first: what is stopped of FPGrowth keeps its executor busy for a while.
        ours = [measured(spark, n, share, Path(folder)) for n in sizes]
        figures = [against(one, share) for one in ours]
    for one in figures:
        times = [f"{seconds:.1f}" for seconds in (one.drawn, one.audit, one.shards)]
        over = "" if one.ended else "> "
        peer, ratio = f"{over}{one.peer:.1f}", f"{over}{one.peer / one.audit:.1f}"
        print(line(WIDTHS, (f"{one.n:,}", *times, peer, f"{len(one.supports):,}", ratio)))
    told = ("n", "drawn", "audit", "shards", "peer", "ended", "same")
    return Part([{name: getattr(figure, name) for name in told} for figure in figures], checks(figures))


def checks(figures: list[Figure]) -> list[Check]:
    """Return what was to be shown."""
    last, first = figures[-1], next((one for one in figures if one.n >= GROWS_FROM), figures[0])
    grown = (last.audit / last.n) / (first.audit / first.n)
    ratio = min(one.peer / one.audit for one in figures)
    same, ended = all(one.same for one in figures), any(one.ended for one in figures)
    return [
        Check("supports equal those of FPGrowth where it ended, and those that Spark counts", str(same), same),
        Check("FPGrowth ended for some number of rows", str(ended), ended),
        Check(f"an audit is {FASTER:g} times as fast as FPGrowth, or more", f"{ratio:.1f}", ratio >= FASTER),
        Check(f"a row takes at most {GROWTH} times as long as with {first.n:,}", f"{grown:.2f}", grown <= GROWTH),
    ]


if __name__ == "__main__":
    asked = measure((int(sys.argv[1]),), *sys.argv[2:3]) if sys.argv[1:] else measure()
    print(*asked.checks, sep="\n")
    sys.exit(not all(check.holds for check in asked.checks))
