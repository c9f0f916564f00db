"""Steps: what a row costs in each step of the executors on one core, and from that what so many rows would.

    python benchmarks/steps.py              the coefficients of docs/scale.md, and its predictions
    python benchmarks/steps.py 0.005 0.001  at these shares

The functions that Spark runs in its executors are run here by themselves, on batches as Spark would hand them over, by
the time of the process. What Spark takes to read a row and to hand it over is not in it; benchmarks/spark.py measures
that: ``READ``.
"""

import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
from report import line, title

from discreet import kernels
from discreet.data.generate import Baskets, draw_source, make_generator
from discreet.mining.search import SearchJob, plan_jobs
from discreet.spark import shards
from discreet.spark.frames import BLOCK, draw_partition, tally_partition
from discreet.spark.merged import cut_partition, merge_bucket, read_parts

ROWS: Final = 1 << 18
BATCH: Final = 10_000
"""Rows of an Arrow batch, as Spark hands them over unless told."""
BUCKETS: Final = 2
SHARDS: Final = 8
SHARES: Final = ("0.01", "0.005", "0.001")
READ: Final = 3.0
"""Microseconds of a core that Spark takes to read a row from Parquet and to hand it to Python."""
NETWORK: Final = 1e3
"""Bytes a microsecond of each machine: 1 GB/s."""
CLUSTERS: Final = ((16, 4), (100, 8))
"""Machines, and cores of each."""
WIDTHS: Final = (-34, 12, 14)


class Step(NamedTuple):
    """What a step takes: microseconds of a core for each row, and bytes that are moved behind it."""

    name: str
    micros: float
    moved: float


def spent(run: Callable[[], Iterable[pa.RecordBatch]]) -> tuple[float, list[pa.RecordBatch]]:
    """Return microseconds of the process for a row, and what comes out; a first run warms up."""
    list(run())
    start = time.process_time()
    found = list(run())
    return (time.process_time() - start) / ROWS * 1e6, found


def size(batches: Iterable[pa.RecordBatch]) -> float:
    """Return how many bytes batches have for each row."""
    return sum(batch.nbytes for batch in batches) / ROWS


def by_key(batches: Iterable[pa.RecordBatch]) -> list[pa.Table]:
    """Return the lines of each key together, as Spark brings them together."""
    table = pa.Table.from_batches(batches)
    keys = table.column("key").to_numpy()
    return [table.take(np.flatnonzero(keys == key)) for key in np.unique(keys)]


def rows_drawn() -> tuple[float, list[pa.RecordBatch]]:
    """Return what drawing a row takes, and rows of T10 I4."""
    baskets = Baskets()
    source = draw_source(make_generator(1), baskets)
    numbers = pa.RecordBatch.from_pydict({"id": list(range(ROWS // BLOCK))})
    micros, found = spent(lambda: draw_partition(iter([numbers]), source, 1, baskets.length, ROWS))
    table = pa.Table.from_batches(found).select(["items"])
    return micros, table.combine_chunks().to_batches(BATCH)


def steps(rows: list[pa.RecordBatch], share: str) -> tuple[list[Step], int, float]:
    """Return the steps of an audit in the executors, how many itemsets are found, and the longest shard to the mean."""
    counting, counts = spent(lambda: tally_partition(iter(rows)))
    held = counts[0].column("count").to_numpy()[1:]
    least = int(float(share) * ROWS)
    items = counts[0].column("item").to_numpy(zero_copy_only=False)[1:]
    labels = tuple(sorted(items[held >= least].astype(int).tolist()))
    cutting, pieces = spent(lambda: cut_partition(iter(rows), labels, BUCKETS))
    buckets = by_key(pieces)
    merging, found = spent(lambda: chain.from_iterable(merge_bucket(bucket).to_batches() for bucket in buckets))
    merged = read_parts(pa.Table.from_batches(found))
    supports = kernels.merge_rows.count(*merged.arrays, len(labels))
    [job] = plan_jobs("closed", supports, ROWS, least, int(np.diff(merged.offsets).max()), None)
    planning, plan = spent(lambda: shards.weigh_partition(iter(found), [()], len(labels)))
    cuts, _ = shards.plan_shards(job, least, SHARDS, lambda _: [shards.ShardLoads(*halves(plan))])
    dealing, dealt = spent(lambda: shards.deal_partition(iter(found), job, cuts, len(labels)))
    times, itemsets = searched(by_key(dealt), job, cuts, least, len(labels))
    return (
        [
            Step("count items", counting, 0),
            Step("code, cut and merge in a partition", cutting, size(pieces)),
            Step("merge a bucket", merging, 0),
            Step("weigh shards", planning, 0),
            Step("deal to shards", dealing, size(dealt)),
            Step("search the shards", sum(times), 0),
        ],
        itemsets,
        max(times) / (sum(times) / len(times)),
    )


def halves(plan: list[pa.RecordBatch]) -> np.ndarray:
    """Return loads and supports out of what the executors write."""
    return np.frombuffer(plan[0].column("weights")[0].as_py(), dtype=np.int64).reshape(2, -1)


def searched(
    tables: list[pa.Table], job: SearchJob, cuts: list[shards.Shard], least: int, many: int
) -> tuple[list[float], int]:
    """Return what the search of each shard takes for a row of all, and how many itemsets are found."""
    runs = [partial(shards.search_shard, table, job, cuts, least, many) for table in tables]
    spans = [spent(lambda run=run: run().to_batches()) for run in runs]
    itemsets = sum(batch.column("rows")[0].as_py() for _, batches in spans for batch in batches)
    return [micros for micros, _ in spans], itemsets


def predicted(parts: list[Step], skew: float, n: float, machines: int, cores: int) -> tuple[float, float]:
    """Return seconds of all cores together, and of the network, for ``n`` rows on a cluster.

    >>> [round(seconds, 1) for seconds in predicted([Step("search", 4.0, 100.0)], 1.5, 1e9, 10, 10)]
    [120.0, 10.0]
    """
    micros = 2 * READ + sum(step.micros for step in parts[:-1]) + skew * parts[-1].micros
    moved = sum(step.moved for step in parts)
    return n * micros / (machines * cores) / 1e6, n * moved / (machines * NETWORK) / 1e6


def main(shares: tuple[str, ...]) -> None:
    """Print the coefficients for each share, and the predictions."""
    drawing, rows = rows_drawn()
    print(f"drawing a row takes {drawing:.1f} µs")
    for share in shares:
        parts, itemsets, skew = steps(rows, share)
        title(f"T10 I4 at {share}: {itemsets:,} itemsets, longest shard to the mean {skew:.2f}")
        print(line(WIDTHS, ("step", "µs a row", "bytes a row")))
        for step in parts:
            print(line(WIDTHS, (step.name, f"{step.micros:.2f}", f"{step.moved:.0f}")))
        for n in (1e9, 1e10):
            for machines, cores in CLUSTERS:
                computing, moving = predicted(parts, skew, n, machines, cores)
                cluster = f"{machines} machines of {cores} cores"
                print(f"{n:.0e} rows, {cluster}: {computing:,.0f} s of cores, {moving:,.0f} s of network")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SHARES)
