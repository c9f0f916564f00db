"""Mining by shards: the rows that hold some items, searched for the itemsets whose rarest item is one of them.

All rows that hold an itemset hold its rarest item, so they are in one shard, whole. There the support of the itemset,
and of the itemset with any other item, is what it is in all rows; so whether it is closed, or maximal, is told by the
shard alone (docs/scale.md has the proof).
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet import kernels
from discreet.merged import Merged
from discreet.mine.search import CROWD, Job, at_root, check_size, jobs, prepare, together
from discreet.mine.watch import Controls, Itemsets, Limits, Watch
from discreet.patterns import Kind, Patterns
from discreet.spark.merged import Spread
from discreet.spark.parts import SCHEMA, Part, joined, read, written

SHARDS_A_CORE: Final = 4
"""Shards for each core, so that none waits long for the last."""
SHARD: Final = 1 << 24
"""Entries of a shard, about, at most, unless the rows of one item have more."""


def mined(spread: Spread, kind: Kind, max_length: int | None = None) -> Patterns:
    """Return what ``mine`` returns, of rows that stay in Spark."""
    found, least = [], spread.min_support
    for job in jobs(kind, spread.supports, spread.n, least, spread.longest, max_length) if spread.n >= least else ():
        found.append(at_root(job, spread.n))
        if job.menu.size and job.root.size < job.span[1]:
            found.extend(searched(spread, job, least))
    patterns = Patterns.from_codes(*together(found), spread.labels, n=spread.n, min_support=least, kind=kind)
    return replace(patterns, mined=object())


def searched(spread: Spread, job: Job, least: int) -> Iterator[Itemsets]:
    """Yield what is found in each shard."""
    check_size(spread.n, 0, 0)
    cuts = ranges(loads(spread)[job.menu], spread.frame.sparkSession.sparkContext.defaultParallelism)
    shard_of = np.full(len(spread.labels), -1, dtype=np.int64)
    for number, (start, stop) in enumerate(pairwise(cuts)):
        shard_of[job.menu[start:stop]] = number
    shards = spread.frame.mapInArrow(partial(shared, shard_of=shard_of), SCHEMA)
    many = len(spread.labels)

    def run(table: pa.Table) -> pa.Table:
        return search(table, job, cuts, least, many)

    found = shards.groupBy("key").applyInArrow(run, SCHEMA).select("lengths", "items", "weights").toArrow()
    yield from (Itemsets(*part) for part in read(found))


def loads(spread: Spread) -> NDArray[np.int64]:
    """Return for each item how many entries the rows have that hold it, all together: what its shard weighs."""
    many = len(spread.labels)
    found = spread.frame.mapInArrow(partial(weighed, many=many), "loads binary").toArrow()
    parts = [np.frombuffer(load.as_py(), dtype=np.int64) for load in found.column("loads")]
    return sum(parts, np.zeros(many, dtype=np.int64))


def weighed(batches: Iterator[pa.RecordBatch], many: int) -> Iterator[pa.RecordBatch]:
    """Yield the loads of the rows of a partition."""
    total = np.zeros(many, dtype=np.int64)
    for batch in batches:
        part = joined(read(batch))
        total += kernels.encode.count(part.offsets, part.items, np.diff(part.offsets), many)
    yield pa.RecordBatch.from_pydict({"loads": pa.array([total.tobytes()], type=pa.binary())})


def ranges(weights: NDArray[np.int64], cores: int) -> list[int]:
    """Return where the shards start, and the last ends: places in the order of the items, of about equal weight.

    >>> ranges(np.array([1, 1, 1, 1, 8]), 1)
    [0, 3, 5]
    """
    heaped = np.cumsum(weights)
    many = max(SHARDS_A_CORE * cores, int(heaped[-1]) // SHARD)
    ends = np.searchsorted(heaped, [int(heaped[-1]) * part // many for part in range(1, many + 1)]) + 1
    return [int(end) for end in np.unique([0, *np.minimum(ends, weights.size)])]


def shared(batches: Iterator[pa.RecordBatch], shard_of: NDArray[np.int64]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition for each shard that has an item of them, whole."""
    many = int(shard_of.max(initial=-1)) + 1
    for batch in batches:
        part = joined(read(batch))
        shards = shard_of[part.items]
        rows = np.repeat(np.arange(part.weights.size), np.diff(part.offsets))
        pairs = np.unique((shards * part.weights.size + rows)[shards >= 0])
        cuts = np.searchsorted(pairs, np.arange(many + 1) * part.weights.size)
        yield written(
            (shard, part.of(pairs[start:stop] - shard * part.weights.size))
            for shard, (start, stop) in enumerate(pairwise(cuts.tolist()))
            if stop > start
        )


def search(table: pa.Table, job: Job, cuts: list[int], least: int, many: int) -> pa.Table:
    """Return the itemsets of one shard."""
    shard = table.column("key")[0].as_py()
    part = joined(read(table))
    rows = Merged(*part, tuple(range(many)), int(part.weights.sum()), least)
    check_size(rows.n, part.weights.size, part.items.size)
    supports = kernels.encode.count(*part, many)
    # An item that fewer rows of the shard hold can be in no itemset here, and closes none.
    places = np.flatnonzero(supports[job.menu] >= least)
    start, stop = np.searchsorted(places, cuts[shard : shard + 2]).tolist()
    # Bitmaps of all rows would be searched for all frequent itemsets in the order of the codes.
    crowd = (math.inf, CROWD["auto"][1]) if job.kind == kernels.search.FREQUENT else CROWD["auto"]
    watch = Watch(Limits(threads=1), 1)
    run, weights = prepare(rows, supports, job._replace(menu=job.menu[places]), least, crowd, watch)

    def within(first: int, last: int, control: Controls) -> Itemsets:
        return run(start + first, start + last, control)

    found = together(watch.over(within, weights[start:stop]))
    return pa.Table.from_batches([written([(shard, Part(found.offsets, found.items, found.supports))])])
