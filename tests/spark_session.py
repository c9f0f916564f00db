"""What the tests on Spark share: sessions, and frames of rows."""

import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from discreet.data import generate

pytest.importorskip("pyspark", reason="pyspark is in the extra spark: pip install '.[spark]'")
if not shutil.which("java"):
    pytest.skip("Spark needs Java 17", allow_module_level=True)

MARKS = [
    # Of Spark itself: a newer pandas than it knows, settings that it hands to a server too late as well, and sockets
    # that it leaves to the garbage collector.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore:Failed to set:UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

ROWS = [[int(item) for item in row] for row in generate.quest(400, items=30, patterns=20, length=6, seed=4)]
MIN_SUPPORT, K = 12, 6

EXECUTORS = "local-cluster[2,1,1024]"
"""Two executors, each a process of its own that can die."""
THREADS = "local[2]"
"""Two executors that are threads of the driver: a job takes half of the time, and Python workers do the same."""
CONNECT = "sc:"
"""What a master begins with if its session is a client of a server of Spark Connect, which is started with it."""

# Each session is short: what Java would compile with all its art, and collect with several threads, never pays; nor
# does it pay to compile each query, or to plan it anew while it runs.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@contextmanager
def started(master, folders):
    """A session with two executors; what it writes goes to new folders."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.extraJavaOptions": JAVA,
        "spark.default.parallelism": "2",
        "spark.executor.extraJavaOptions": JAVA,
        "spark.executorEnv.PYTHONPATH": str(Path(__file__).parent),
        "spark.local.dir": str(folders.mktemp("spark")),
        "spark.log.level": "OFF",
        "spark.python.daemon.module": "spark_daemon",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folders.mktemp("warehouse")),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)  # a server's workers inherit it
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("SPARK_WORKER_DIR", str(folders.mktemp("work")))
        builder = SparkSession.builder
        if master.startswith(CONNECT):
            patch.setenv("SPARK_TESTING", "1")  # the server takes any port that is free
            builder = builder.remote(master.removeprefix(CONNECT))
        else:
            builder = builder.master(master)
        session = builder.config(map=settings).getOrCreate()
        yield session
        session.stop()


def named(rows):
    """Return rows whose items are text: Spark has one type for all of them."""
    return [sorted({str(item) for item in row}) for row in rows]


def frame_of(spark, rows, kind="string"):
    """Return a frame of rows, numbered from 0 on, in a partition for each executor."""
    import pyarrow as pa

    items = pa.array([list(row) for row in rows], type=pa.list_(pa.type_for_alias(kind)))
    return spark.createDataFrame(pa.table({"row": pa.array(range(len(items)), type=pa.int64()), "items": items}))


def changing(spark, folder, *, after, later):
    """Return a frame with two rows, and with ``later`` ones when it has been read ``after`` so many times."""

    def draw(batches):
        import pyarrow as pa

        for _ in batches:
            read = len(list(folder.iterdir()))
            (folder / str(read)).touch()
            rows = [["a", "b"], ["c", "d"]] if read < after else later
            arrays = pa.array(rows, type=pa.list_(pa.string()))
            yield pa.RecordBatch.from_pydict({"row": pa.array(range(len(rows)), type=pa.int64()), "items": arrays})

    return spark.range(0, 1, 1, 1).mapInArrow(draw, "row long, items array<string>")


SWAPPED = [["a", "c"], ["b", "d"]]
"""Two rows in which each item has the support that it has in the first two."""


def are_same(left, right):
    """Return whether two values made of arrays are the same to the byte."""
    arrays = [(getattr(left, name), getattr(right, name)) for name in ("offsets", "items", "supports")]
    return left.labels == right.labels and left == right and all(np.array_equal(*pair) for pair in arrays)
