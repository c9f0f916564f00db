"""Merged rows in Spark: cut to their frequent items, equal ones merged; on the driver if they fit.

Many rows travel as one line of a frame, so that Spark moves bytes and kernels see arrays.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from discreet import kernels
from discreet.data.itemsets import Items, Label, Weighted, offsets_of
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Merged
from discreet.errors import InputError
from discreet.runtime import resources
from discreet.runtime.solver import Numbers
from discreet.spark.frames import FrameOptions, ItemCounts, count_items, read_batches, select_rows

AT_ONCE: Final = 1 << 22  # entries that a partition merges at a time: some forty megabytes
BUCKET: Final = 1 << 24  # entries of a bucket, about, in which equal rows of all partitions are merged
PARTS: Final = (
    "key int, total long, rows long, entries long, longest long, lengths binary, items binary, weights binary"
)
# Columns of a frame of parts: a key, how many rows a part stands for, its own rows and their sizes, and the rows.

log = logging.getLogger("discreet.spark")


def write_parts(keyed: Iterable[tuple[int, Weighted]]) -> pa.RecordBatch:
    """Write parts as a batch of a frame, each with its key."""
    listed = list(keyed)
    parts = [part for _, part in listed]
    numbers = {
        "total": [int(part.weights.sum()) for part in parts],
        "rows": [len(part) for part in parts],
        "entries": [part.size for part in parts],
        "longest": [part.longest for part in parts],
    }
    stored = {
        "lengths": [part.lengths.astype(np.int32).tobytes() for part in parts],
        "items": [part.items.tobytes() for part in parts],
        "weights": [part.weights.tobytes() for part in parts],
    }
    return pa.RecordBatch.from_pydict(
        {
            "key": pa.array([key for key, _ in listed], type=pa.int32()),
            **{name: pa.array(values, type=pa.int64()) for name, values in numbers.items()},
            **{name: pa.array(values, type=pa.binary()) for name, values in stored.items()},
        }
    )


def read_parts(batch: pa.RecordBatch | pa.Table) -> Weighted:
    """Return the rows of all parts of a batch."""
    columns = (batch.column(name) for name in ("lengths", "items", "weights"))
    return Weighted.concat([_read_part(*(value.as_py() for value in line)) for line in zip(*columns, strict=True)])


def _read_part(lengths: bytes, items: bytes, weights: bytes) -> Weighted:
    offsets = offsets_of(np.frombuffer(lengths, dtype=np.int32))
    return Weighted(offsets, np.frombuffer(items, dtype=np.int32), np.frombuffer(weights, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Spread:
    """Merged rows that stay in Spark, as a frame of parts, with the facts that ``Merged`` holds."""

    frame: DataFrame
    labels: tuple[Label, ...]
    n: int
    min_support: int
    supports: Numbers  # of the items
    longest: int  # the length of the longest row
    reading: None = None  # a frame of Spark is given in memory

    @property
    def ids(self) -> None:
        """Refuse: merged rows have no ids."""
        raise InputError(
            "which rows are exposed cannot be told of merged rows, only how many; read all of them for that"
        )

    def collect(self) -> Merged:
        """Return the rows on the driver."""
        lines = self.frame.select("lengths", "items", "weights").toLocalIterator(prefetchPartitions=True)
        rows = Weighted.concat([_read_part(*map(bytes, line)) for line in lines])
        return Merged(rows.sort(len(self.labels), resources.cores()), self.labels, self.n, self.min_support)


@contextmanager
def merge_frame(
    frame: DataFrame, min_support: Threshold | list[Threshold], options: FrameOptions
) -> Iterator[Merged | Spread]:
    """Merge the rows of a frame for the lowest minimum support: on the driver if the budget allows, else spread."""
    rows, budget = select_rows(frame, options), resources.as_whole("budget", options.get("budget"), 0)
    counts = count_items(rows)
    thresholds = min_support if isinstance(min_support, list) else [min_support]
    least = min(as_count(one, counts.n) for one in thresholds)
    spread, size = _gather(rows, counts, least)
    room = resources.memory() // 8 if budget is None else budget
    sizes = resources.size(size), resources.size(room)
    try:
        if size <= room:
            log.info("%s of merged rows fit the budget of %s: done locally", *sizes)
            yield spread.collect()
        else:
            log.info("%s of merged rows stay in the executors: %s fit", *sizes)
            yield spread
    finally:
        spread.frame.unpersist()


def _gather(rows: DataFrame, counts: ItemCounts, least: int) -> tuple[Spread, int]:
    """Return the merged rows in Spark, and how many bytes they would take on the driver."""
    is_frequent = counts.supports >= least
    supports = counts.supports[is_frequent]
    labels = tuple(label for label, is_kept in zip(counts.labels, is_frequent.tolist(), strict=True) if is_kept)
    buckets = max(rows.sparkSession.sparkContext.defaultParallelism, int(supports.sum()) // BUCKET)
    pieces = rows.select("items").mapInArrow(partial(cut_partition, labels=labels, buckets=buckets), PARTS)
    frame = pieces.groupBy("key").applyInArrow(merge_bucket, PARTS).persist(StorageLevel.DISK_ONLY)
    sums = frame.agg(*map(sql.sum, ("total", "rows", "entries")), sql.max("longest")).collect()[0]
    total, different, entries, longest = (int(number or 0) for number in sums)
    if total != counts.n:
        frame.unpersist()
        flaw = f"the frame had {counts.n:,} rows when they were counted, and {total:,} when they were read"
        raise InputError(f"{flaw}; cache it, or write it out first")
    return Spread(frame, labels, counts.n, least, supports, longest), 4 * entries + 16 * different


def cut_partition(
    batches: Iterator[pa.RecordBatch], labels: tuple[Label, ...], buckets: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition, cut to the items with ``labels``, equal ones merged, in parts by bucket."""
    frequent = pa.array(labels) if labels else pa.array([], type=pa.int64())
    code = np.append(np.arange(len(labels), dtype=np.int32), np.int32(-1))
    waiting: list[Weighted] = []
    for batch in read_batches(batches):
        items = batch.encode(frequent)
        size = kernels.itemsets.sort_rows(batch.offsets, items)
        waiting.append(Weighted(batch.offsets, items[:size], np.ones(batch.offsets.size - 1, dtype=np.int64)))
        if sum(part.size + len(part) for part in waiting) > AT_ONCE:
            yield write_parts(deal_to_buckets(_merge(waiting, code), buckets))
            waiting = []
    if waiting:
        yield write_parts(deal_to_buckets(_merge(waiting, code), buckets))


def merge_bucket(table: pa.Table) -> pa.Table:
    """Merge the parts of one bucket, and equal rows in it."""
    rows = read_parts(table)
    same = np.arange(int(rows.items.max(initial=-1)) + 1, dtype=np.int32)
    return pa.Table.from_batches([write_parts([(table.column("key")[0].as_py(), _merge([rows], same))])])


def _merge(parts: list[Weighted], code: Items) -> Weighted:
    """Merge equal rows in new codes, without the items whose code is -1."""
    return Weighted(*kernels.merge_rows.merge(*Weighted.concat(parts).arrays, code)[:3])


def deal_to_buckets(rows: Weighted, buckets: int) -> Iterator[tuple[int, Weighted]]:
    """Yield the rows by bucket: equal rows go to the same one in every partition.

    >>> rows = Weighted(np.array([0, 1, 2, 4]), np.array([7, 7, 1, 7], np.int32), np.array([1, 1, 1]))
    >>> sorted(part.items.tolist() for _, part in deal_to_buckets(rows, 1000))
    [[1, 7], [7, 7]]
    """
    # A row's key is the sum of its mixed items; all are 64-bit numbers that wrap around.
    mixed = (rows.items.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    sums = rows.add_up(mixed)
    keys = ((sums ^ sums >> np.uint64(32)) % np.uint64(buckets)).astype(np.int64)
    order = np.argsort(keys, kind="stable")
    used, starts = np.unique(keys[order], return_index=True)
    for key, numbers in zip(used.tolist(), np.split(order, starts[1:]), strict=True):
        yield key, rows.take(numbers)
