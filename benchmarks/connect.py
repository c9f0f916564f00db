"""Spark Connect: each call of docs/scale.md, and frames that change while executors die.

    python benchmarks/connect.py          all calls, and 20 runs of each frame
    python benchmarks/connect.py 5        so many runs

A server of Spark Connect is started with two executors, each a process of its own. In each run one of them, or the
Python process that works for it, is killed at some time of an audit in shards. The rows of the frames change where
Spark computes them again. An audit of them must be refused, or say what a local audit says of the rows before that or
after it, never of a mixture. A run counts only if a process was killed while the audit went on; others are missed.
"""

import os
import random
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa
from clock import timed
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql
from report import Check, Part, line, title

import discreet
import discreet.spark
from discreet import Transactions
from discreet.errors import InputError
from discreet.report import audit_json

MASTER: Final = "local-cluster[2,1,1024]"
RUNS: Final = 20
MOST: Final = 4  # times as many runs are tried
ROWS: Final = 1_000
ITEMS: Final = 12
MIN_SUPPORT: Final = 20
K: Final = 10
GOODS: Final = ("bread", "milk", "red wine", *(f"item {number}" for number in range(3, ITEMS)))
CALLS: Final = re.compile(r"^(\w+) = (far\.\w+\(.+\))(?:  # .+)?$", re.MULTILINE)
DOCUMENT: Final = Path(__file__).parent.parent / "docs" / "scale.md"
WIDTHS: Final = (-14, -10, -60)


@contextmanager
def session(folder: Path) -> Iterator[SparkSession]:
    """Give a session over Spark Connect, with a server that ends with it."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_TESTING="1", SPARK_WORKER_DIR=str(folder / "work"))
    settings = {
        "spark.default.parallelism": "2",
        "spark.executor.memory": "1g",
        "spark.local.dir": str(folder / "local"),
        "spark.log.level": "OFF",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    spark = SparkSession.builder.remote(MASTER).config(map=settings).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def draw(seed: int) -> list[list[str]]:
    """Return rows from a seed."""
    source = random.Random(seed)  # noqa: S311 - nothing is secret
    return [[item for at, item in enumerate(GOODS) if source.random() < 1 / (1 + at / 2)] for _ in range(ROWS)]


def run_calls(spark: SparkSession) -> list[Check]:
    """Run each call of the document, and print what it gives."""
    rows = draw(0)
    pairs = [(number, item) for number, row in enumerate(rows) for item in row]
    flags = {item: [float(item in row) for row in rows] for item in GOODS}
    names = {
        "far": discreet.spark,
        "session": spark,
        "frame": spark.createDataFrame(pa.table({"id": range(ROWS), "items": rows})),
        "lines": spark.createDataFrame(
            pa.table({"id": [row for row, _ in pairs], "drug": [item for _, item in pairs]})
        ),
        "flags": spark.createDataFrame(pa.table({"id": range(ROWS), **flags})),
    }
    title("Spark Connect: the calls of docs/scale.md")
    checks = []
    for name, call in CALLS.findall(DOCUMENT.read_text("utf-8")):
        seconds, names[name] = timed(lambda call=call: eval(call, names))  # noqa: S307 - the document is ours
        shown = names[name].count() if isinstance(names[name], DataFrame) else names[name]
        print(line(WIDTHS, (re.sub(r"\(.*", "", call), f"{seconds:.1f} s", shown)), flush=True)
        checks.append(Check(call, repr(shown)[:60], holds=True))
    return checks


def draw_by_file(spark: SparkSession, killed: Path) -> tuple[DataFrame, list[list[list[str]]]]:
    """Return a frame that has other rows once the file is there, and both."""

    def rows_of(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = draw(1 + killed.exists())
            yield pa.RecordBatch.from_pydict({"items": [rows[number] for number in batch.column("id").to_pylist()]})

    return spark.range(0, ROWS, 1, 2).mapInArrow(rows_of, "items array<string>"), [draw(1), draw(2)]


def draw_by_rand(spark: SparkSession, _killed: Path) -> tuple[DataFrame, list[list[list[str]]]]:
    """Return a frame of Spark's random numbers behind a shuffle, and rows that it gave once."""
    held = [sql.when(sql.rand() < 1 / (1 + at / 2), sql.lit(item)) for at, item in enumerate(GOODS)]
    frame = spark.range(0, ROWS, 1, 2).repartition(2, "id").select(sql.array_compact(sql.array(*held)).alias("items"))
    return frame, [frame.toArrow().column("items").to_pylist()]


FRAMES: Final = {"a file": draw_by_file, "rand()": draw_by_rand}


def run_killed(spark: SparkSession, killed: Path, runs: int) -> list[Check]:
    """Audit each frame so many times, with a process killed, and print how each ended."""
    checks = []
    for name, make in FRAMES.items():
        title(f"Spark Connect: {runs} audits of a frame by {name}, each with a process killed")
        whole, _ = timed(lambda make=make: audit(make(spark, killed)[0]))
        ends = dict.fromkeys(("right", "refused", "wrong", "missed"), 0)
        for number in range(MOST * runs):
            if sum(ends.values()) - ends["missed"] == runs:
                break
            killed.unlink(missing_ok=True)
            frame, rows = make(spark, killed)
            after, victim = whole * (number % runs + 0.5) / runs, ("worker", "executor")[number % 2]
            end, words = audit_killed(spark, frame, rows, (after, victim, killed))
            ends[end] += 1
            print(line(WIDTHS, (end, f"{after:.1f} s", f"{victim}{words}")), flush=True)
        holds = ends["right"] + ends["refused"] == runs
        checks.append(Check(f"{runs} of {runs} audits of a frame by {name} are right or refused", str(ends), holds))
    return checks


def audit(frame: DataFrame) -> bytes:
    """Return all that an audit in shards says."""
    return b"".join(audit_json(discreet.spark.audit(frame, min_support=MIN_SUPPORT, k=K, budget=0)))


def audit_killed(
    spark: SparkSession, frame: DataFrame, rows: list[list[list[str]]], kill: tuple[float, str, Path]
) -> tuple[str, str]:
    """Audit a frame while a process is killed, and return whether that was right, wrong or refused, and its words."""
    after, victim, killed = kill
    struck: list[int] = []
    right = [discreet.audit(Transactions(each), min_support=MIN_SUPPORT, k=K) for each in rows]

    def end_process() -> None:
        found = find_processes(spark, victim)
        killed.touch()
        for process in found[:1]:
            os.kill(process, signal.SIGKILL)
            struck.append(process)

    timer = threading.Timer(after, end_process)
    timer.start()
    try:
        end = "right" if audit(frame) in [b"".join(audit_json(each)) for each in right] else "wrong"
        words = ""
    except InputError as error:
        end, words = "refused", f": {error}"
    timer.cancel()
    timer.join()
    return (end, f" {struck[0]} killed{words}") if struck else ("missed", words)


def find_processes(spark: SparkSession, kind: str) -> list[int]:
    """Return the executors of a session, or their Python workers."""
    driver = f":{spark.conf.get('spark.driver.port')}\0".encode()
    executors = [
        number for number, command in commands() if driver in command and b"CoarseGrainedExecutorBackend" in command
    ]
    if kind == "executor":
        return executors
    daemons = {number for number, command in commands() if b"pyspark.daemon" in command and parent(number) in executors}
    return [number for number, _ in commands() if parent(number) in daemons]


def commands() -> Iterator[tuple[int, bytes]]:
    """Yield the number and the command of each process."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield int(path.parent.name), path.read_bytes()
        except OSError:  # it has ended meanwhile
            continue


def parent(number: int) -> int:
    """Return the process that started another, and 0 if that has ended."""
    try:
        return int(Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
    except OSError:
        return 0


def measure(runs: int = RUNS) -> Part:
    """Run all."""
    with tempfile.TemporaryDirectory() as name, session(Path(name)) as spark:
        checks = [*run_calls(spark), *run_killed(spark, Path(name) / "killed", runs)]
    return Part([], checks)


if __name__ == "__main__":
    asked = measure(*map(int, sys.argv[1:2]))
    print(*asked.checks, sep="\n")
    sys.exit(not all(check.holds for check in asked.checks))
