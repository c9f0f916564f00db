"""Merged rows in Spark: cut to their frequent items, equal ones merged; on the driver if they fit.

Many rows travel as one line of a frame, so that Spark moves bytes and kernels see arrays.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
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
from discreet.spark.failures import CHANGED
from discreet.spark.frames import (
    SEAL,
    FrameOptions,
    ItemCounts,
    count_items,
    count_tasks,
    read_batches,
    scramble,
    select_rows,
)

AT_ONCE: Final = 1 << 22  # entries that a partition merges at a time: some forty megabytes
BUCKET: Final = 1 << 24  # entries of a bucket, about, in which equal rows of all partitions are merged
PARTS: Final = (
    "key int, total long, rows long, entries long, longest long, "
    "seal long, lengths binary, items binary, weights binary"
)
# Columns of a frame of parts: a key, how many rows a part stands for, its own rows and their sizes, the seal of the
# rows that it stands for, and the rows.

log = logging.getLogger("discreet.spark")


class Part(NamedTuple):
    """Rows with a key, and the sum of the seals of what they were before they were cut and merged."""

    key: int
    rows: Weighted
    seal: int = 0


def write_parts(keyed: Iterable[Part], kind: pa.DataType | None = None) -> pa.RecordBatch:
    """Write parts as a batch of a frame, with bytes of a ``kind``: Spark may ask for large ones."""
    listed = list(keyed)
    parts = [part.rows for part in listed]
    numbers = {
        "total": [int(part.weights.sum()) for part in parts],
        "rows": [len(part) for part in parts],
        "entries": [part.size for part in parts],
        "longest": [part.longest for part in parts],
        "seal": [part.seal for part in listed],
    }
    stored = {
        "lengths": [part.lengths.astype(np.int32).tobytes() for part in parts],
        "items": [part.items.tobytes() for part in parts],
        "weights": [part.weights.tobytes() for part in parts],
    }
    return pa.RecordBatch.from_pydict(
        {
            "key": pa.array([part.key for part in listed], type=pa.int32()),
            **{name: pa.array(values, type=pa.int64()) for name, values in numbers.items()},
            **{name: pa.array(values, type=kind or pa.binary()) for name, values in stored.items()},
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
    parts = _merge_frame(rows, counts, least).persist(StorageLevel.DISK_ONLY)
    try:
        spread, size = _gather(parts, counts, least)
        room = resources.memory() // 8 if budget is None else budget
        sizes = resources.size(size), resources.size(room)
        if size <= room:
            log.info("%s of merged rows fit the budget of %s: done locally", *sizes)
            yield spread.collect()
        else:
            log.info("%s of merged rows stay in the executors: %s fit", *sizes)
            yield spread
    finally:
        parts.unpersist()


def _list_frequent(counts: ItemCounts, least: int) -> tuple[Label, ...]:
    pairs = zip(counts.labels, counts.supports.tolist(), strict=True)
    return tuple(label for label, support in pairs if support >= least)


def _merge_frame(rows: DataFrame, counts: ItemCounts, least: int) -> DataFrame:
    """Return the merged rows in Spark: a part for each bucket."""
    entries = int(counts.supports[counts.supports >= least].sum())
    buckets = max(count_tasks(rows.sparkSession), entries // BUCKET)
    run = partial(cut_partition, labels=_list_frequent(counts, least), buckets=buckets)
    # Each bucket has a part without rows, so that none can vanish unseen when it is computed again.
    empty = rows.sparkSession.range(0, buckets, 1, 1).mapInArrow(write_empty, PARTS)
    pieces = rows.select("items").mapInArrow(run, PARTS).union(empty)
    return pieces.repartition(buckets, "key").groupBy("key").applyInArrow(merge_bucket, PARTS)


def _gather(parts: DataFrame, counts: ItemCounts, least: int) -> tuple[Spread, int]:
    """Return the merged rows in Spark, and how many bytes they would take on the driver.

    Refuse rows other than those that were counted, now and whenever a part is read: an executor may have died since,
    and Spark then computes its parts again.
    """
    table = parts.select("key", "total", "rows", "entries", "longest", "seal").toArrow()
    keys, totals, rows, entries, lengths, seals = (column.to_numpy() for column in table.columns)
    if int(totals.sum()) != counts.n or int(seals.sum()) % SEAL != counts.seal:
        raise InputError(CHANGED)
    sealed = seals[np.argsort(keys)].tolist()
    is_same = sql.element_at(sql.lit(sealed), sql.col("key") + 1) == sql.col("seal")
    checked = parts.filter(sql.when(sql.assert_true(is_same, sql.lit(CHANGED)).isNull(), sql.col("rows") > 0))
    supports = counts.supports[counts.supports >= least]
    spread = Spread(checked, _list_frequent(counts, least), counts.n, least, supports, int(lengths.max(initial=0)))
    return spread, int(4 * entries.sum() + 16 * rows.sum())


def cut_partition(
    batches: Iterator[pa.RecordBatch], labels: tuple[Label, ...], buckets: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition, cut to the items with ``labels``, equal ones merged, in parts by bucket."""
    frequent = pa.array(labels) if labels else pa.array([], type=pa.int64())
    code = np.append(np.arange(len(labels), dtype=np.int32), np.int32(-1))
    waiting: list[Weighted] = []
    seals: list[NDArray[np.uint64]] = []
    for batch in read_batches(batches):
        seals.append(batch.seal())
        items = batch.encode(frequent)
        size = kernels.itemsets.sort_rows(batch.offsets, items)
        waiting.append(Weighted(batch.offsets, items[:size], np.ones(batch.offsets.size - 1, dtype=np.int64)))
        if sum(part.size + len(part) for part in waiting) > AT_ONCE:
            yield write_parts(deal_to_buckets(*_merge(waiting, seals, code), buckets))
            waiting, seals = [], []
    if waiting:
        yield write_parts(deal_to_buckets(*_merge(waiting, seals, code), buckets))


def write_empty(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield parts without rows, for the keys in the batches."""
    for batch in batches:
        yield write_parts(Part(key, Weighted.concat([])) for key in batch.column("id").to_pylist())


def merge_bucket(table: pa.Table) -> pa.Table:
    """Merge the parts of one bucket, and equal rows in it."""
    key, seal = table.column("key")[0].as_py(), sum(table.column("seal").to_pylist()) % SEAL
    rows = read_parts(table)
    same = np.arange(int(rows.items.max(initial=-1)) + 1, dtype=np.int32)
    merged = Weighted(*kernels.merge_rows.merge(*rows.arrays, same)[:3])
    return pa.Table.from_batches([write_parts([Part(key, merged, seal)], table.column("items").type)])


def _merge(parts: list[Weighted], seals: list[NDArray[np.uint64]], code: Items) -> tuple[Weighted, NDArray[np.uint64]]:
    """Merge equal rows in new codes, without the items whose code is -1; add up their seals."""
    *arrays, numbers = kernels.merge_rows.merge(*Weighted.concat(parts).arrays, code)
    merged = Weighted(*arrays)
    sums = np.zeros(len(merged), dtype=np.uint64)
    np.add.at(sums, numbers, np.concatenate(seals))
    return merged, sums


def deal_to_buckets(rows: Weighted, seals: NDArray[np.uint64], buckets: int) -> Iterator[Part]:
    """Yield the rows by bucket: equal rows go to the same one in every partition.

    >>> rows = Weighted(np.array([0, 1, 2, 4]), np.array([7, 7, 1, 7], np.int32), np.array([1, 1, 1]))
    >>> sorted(part.rows.items.tolist() for part in deal_to_buckets(rows, np.zeros(3, np.uint64), 1000))
    [[1, 7], [7, 7]]
    """
    # A row's key is the sum of its scattered items.
    sums = scramble(rows.add_up(scramble(rows.items.astype(np.uint64))))
    keys = (sums % np.uint64(buckets)).astype(np.int64)
    order = np.argsort(keys, kind="stable")
    used, starts = np.unique(keys[order], return_index=True)
    for key, numbers in zip(used.tolist(), np.split(order, starts[1:]), strict=True):
        yield Part(key, rows.take(numbers), int(seals[numbers].sum()) % SEAL)
