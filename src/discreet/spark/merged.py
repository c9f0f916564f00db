"""Merged rows in Spark: cut to their frequent items, equal ones merged; on the driver where they fit."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from discreet import kernels
from discreet.data.itemsets import Weighted
from discreet.data.labels import Label
from discreet.data.merged import Merged
from discreet.data.thresholds import Threshold, as_count
from discreet.errors import InputError, ThresholdError
from discreet.runtime import resources
from discreet.spark.counts import Counts, counted
from discreet.spark.frames import Shape, batches_of, codes, rows_of
from discreet.spark.parts import SCHEMA, Part, joined, part_of, read, written

AT_ONCE: Final = 1 << 22
"""Entries that are merged at a time in a partition: some forty megabytes."""
BUCKET: Final = 1 << 24
"""Entries of a bucket at most, about, while equal rows of all partitions are brought together."""

log = logging.getLogger("discreet.spark")


@dataclass(frozen=True, eq=False)
class Spread:
    """Merged rows that stay in Spark, as a frame of parts; else all that ``Merged`` says of them.

    ``supports`` are those of the items, and the longest row has ``longest`` of them.
    """

    frame: DataFrame
    labels: tuple[Label, ...]
    n: int
    min_support: int
    supports: NDArray[np.int64]
    longest: int

    @property
    def ids(self) -> None:
        """What an audit of these rows cannot tell."""
        raise InputError(
            "which rows are exposed cannot be told of merged rows, only how many; read all of them for that"
        )

    def collect(self) -> Merged:
        """Return the rows on the driver."""
        lines = self.frame.select("lengths", "items", "weights").toLocalIterator(prefetchPartitions=True)
        part = joined(part_of(*map(bytes, line)) for line in lines)
        arranged = Weighted(*part).sort(len(self.labels), resources.cores())
        return Merged(arranged, self.labels, self.n, self.min_support)


@contextmanager
def merged(frame: DataFrame, min_support: Threshold | list[Threshold], shape: Shape) -> Iterator[Merged | Spread]:
    """Give the rows of a frame, merged: on the driver if the budget allows, else spread over the executors.

    Of several minimum supports the lowest counts.
    """
    rows, budget = rows_of(frame, shape), as_budget(shape.get("budget"))
    counts = counted(rows)
    several = min_support if isinstance(min_support, list) else [min_support]
    least = min(as_count(one, counts.n) for one in several)
    spread, size = gathered(rows, counts, least)
    try:
        if size <= budget:
            log.info(
                "%s of merged rows fit the budget of %s: done locally", resources.size(size), resources.size(budget)
            )
            yield spread.collect()
        else:
            log.info("%s of merged rows stay in the executors: %s fit", resources.size(size), resources.size(budget))
            yield spread
    finally:
        spread.frame.unpersist()


def as_budget(budget: int | None) -> int:
    """Return how many bytes of merged rows may come to the driver: an eighth of its memory unless told."""
    if budget is None:
        return resources.memory() // 8
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise ThresholdError(f"budget is {str(budget)[:40]!r}; give a number of bytes from 0 on, or leave it out")
    return budget


def gathered(rows: DataFrame, counts: Counts, least: int) -> tuple[Spread, int]:
    """Return the merged rows in Spark, and how many bytes they are on the driver."""
    kept = counts.supports >= least
    labels = tuple(label for label, is_kept in zip(counts.labels, kept.tolist(), strict=True) if is_kept)
    buckets = max(rows.sparkSession.sparkContext.defaultParallelism, int(counts.supports[kept].sum()) // BUCKET)
    found = rows.select("items").mapInArrow(partial(cut, labels=labels, buckets=buckets), SCHEMA)
    frame = found.groupBy("key").applyInArrow(united, SCHEMA).persist(StorageLevel.DISK_ONLY)
    sums = frame.agg(*map(sql.sum, ("total", "rows", "entries")), sql.max("longest")).collect()[0]
    total, different, entries, longest = (int(number or 0) for number in sums)
    if total != counts.n:
        frame.unpersist()
        raise InputError(
            f"the frame had {counts.n:,} rows when they were counted, and {total:,} when they were read; cache it, "
            "or write it out first"
        )
    return Spread(frame, labels, counts.n, least, counts.supports[kept], longest), 4 * entries + 16 * different


def cut(batches: Iterator[pa.RecordBatch], labels: tuple[Label, ...], buckets: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition, cut to the items with ``labels``, equal ones merged, in parts by bucket."""
    frequent = pa.array(labels) if labels else pa.array([], type=pa.int64())
    code = np.append(np.arange(len(labels), dtype=np.int32), np.int32(-1))
    waiting: list[Part] = []
    for batch in batches_of(batches):
        items = codes(batch, frequent)
        size = kernels.itemsets.sort_rows(batch.offsets, items)
        waiting.append(Part(batch.offsets, items[:size], np.ones(batch.offsets.size - 1, dtype=np.int64)))
        if sum(part.items.size + part.weights.size for part in waiting) > AT_ONCE:
            yield written(dealt(merge(joined(waiting), code), buckets))
            waiting = []
    if waiting:
        yield written(dealt(merge(joined(waiting), code), buckets))


def united(table: pa.Table) -> pa.Table:
    """Return the parts of one bucket as one, equal rows merged."""
    part = joined(read(table))
    every = np.arange(int(part.items.max(initial=-1)) + 1, dtype=np.int32)
    return pa.Table.from_batches([written([(table.column("key")[0].as_py(), merge(part, every))])])


def merge(part: Part, code: NDArray[np.int32]) -> Part:
    """Return the rows in new codes, without those that are -1, equal ones merged."""
    offsets, items, weights, _ = kernels.merge_rows.merge(*part, code)
    return Part(offsets, items, weights)


def dealt(part: Part, buckets: int) -> Iterator[tuple[int, Part]]:
    """Yield the rows by bucket: equal rows go to the same one, wherever they are.

    >>> part = Part(np.array([0, 1, 2, 4]), np.array([7, 7, 1, 7], np.int32), np.array([1, 1, 1]))
    >>> sorted(rows.items.tolist() for _, rows in dealt(part, 1000))
    [[1, 7], [7, 7]]
    """
    # The sum of what its items are mixed to: all are whole numbers of 64 bits, and wrap around.
    mixed = (part.items.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    heaped = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    sums = heaped[part.offsets[1:]] - heaped[part.offsets[:-1]]
    keys = ((sums ^ sums >> np.uint64(32)) % np.uint64(buckets)).astype(np.int64)
    order = np.argsort(keys, kind="stable")
    used, starts = np.unique(keys[order], return_index=True)
    for key, rows in zip(used.tolist(), np.split(order, starts[1:]), strict=True):
        yield key, part.of(rows)
