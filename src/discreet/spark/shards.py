"""Mining by shards: the rows that hold some items, searched for the itemsets whose rarest item is one of them.

All rows that hold an itemset hold its rarest item, so they are in one shard, whole. There the support of the itemset,
and of the itemset with any other item, is what it is in all rows; so whether it is closed, or maximal, is told by the
shard alone. A shard that is too heavy though it is one item's is split by the second rarest item, and so on
(docs/scale.md has the proof).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Weighted
from discreet.data.merged import Merged
from discreet.data.patterns import Kind, Patterns
from discreet.mining.search import CROWD, Job, at_root, check_size, jobs, prepare
from discreet.mining.watch import Controls, Limits, Watch
from discreet.spark.merged import Spread
from discreet.spark.parts import SCHEMA, Part, joined, read, written

SHARDS_A_CORE: Final = 4
"""Shards for each core, so that none waits long for the last."""
SHARD: Final = 1 << 24
"""Entries of a shard, about, at most."""

Head = tuple[int, ...]
"""Items by their codes, the rarest first."""


class Shard(NamedTuple):
    """All rows that hold ``head`` and one of the next items, which are at the places from ``start`` to ``stop``."""

    head: Head
    start: int
    stop: int


class Weights(NamedTuple):
    """Of the rows that hold a head and one more item, for each item: their entries, and how many rows they are."""

    loads: NDArray[np.int64]
    supports: NDArray[np.int64]


def mined(spread: Spread, kind: Kind, max_length: int | None = None) -> Patterns:
    """Return what ``mine`` returns, of rows that stay in Spark."""
    found, least = [], spread.min_support
    cores = spread.frame.sparkSession.sparkContext.defaultParallelism
    for job in jobs(kind, spread.supports, spread.n, least, spread.longest, max_length) if spread.n >= least else ():
        found.append(at_root(job, spread.n))
        if job.menu.size and job.root.size < job.span[1]:
            shards, heads = planned(job, least, SHARDS_A_CORE * cores, partial(weights_of, spread))
            found.extend([*heads, *searched(spread, job, shards, least)])
    patterns = Patterns.from_codes(
        *Weighted.concat(found).arrays, spread.labels, n=spread.n, min_support=least, kind=kind
    )
    return replace(patterns, mined=object())


def planned(
    job: Job, least: int, many: int, weigh: Callable[[list[Head]], list[Weights]]
) -> tuple[list[Shard], list[Weighted]]:
    """Return shards of about equal weight, ``many`` or more, and those heads of split ones that are wanted themselves.

    ``weigh`` tells what the shards of single items above each of some heads weigh.
    """
    shards: list[Shard] = []
    found: list[Weighted] = []
    heads: list[Head] = [()]
    while heads:
        heavy: list[Head] = []
        for head, weights in zip(heads, weigh(heads), strict=True):
            found.extend(at_head(job, head, weights.supports, least))
            for shard, load in cut(job, head, weights, least, 1 if head else many):
                if shard.stop - shard.start == 1 and load > SHARD:
                    heavy.append((*head, int(job.menu[shard.start])))
                else:
                    shards.append(shard)
        heads = heavy
    return shards, found


def at_head(job: Job, head: Head, supports: NDArray[np.int64], least: int) -> Iterator[Weighted]:
    """Yield a head with the root as an itemset if it is wanted, told by ``supports`` of each item beside it."""
    if not head:
        return
    support, itemset = int(supports[head[0]]), np.sort(np.concatenate([job.root, np.array(head, dtype=np.int32)]))
    most = int(supports[np.setdiff1d(job.menu, head)].max(initial=0))
    limits = {kernels.search_frames.FREQUENT: math.inf, kernels.search_frames.CLOSED: support}
    if most < limits.get(job.kind, least) and job.span[0] <= itemset.size <= job.span[1]:
        yield Weighted(np.array([0, itemset.size]), itemset, np.array([support]))


def cut(job: Job, head: Head, weights: Weights, least: int, many: int) -> Iterator[tuple[Shard, int]]:
    """Yield shards above a head, ``many`` of them or more, and the load of each; a single item may have more."""
    if job.root.size + len(head) >= job.span[1]:
        return
    first = int(np.flatnonzero(job.menu == head[-1])[0]) + 1 if head else 0
    places = first + np.flatnonzero(weights.supports[job.menu[first:]] >= least)
    loads = weights.loads[job.menu[places]]
    for start, stop in pairwise(ranges(loads, many)):
        yield Shard(head, int(places[start]), int(places[stop - 1]) + 1), int(loads[start:stop].sum())


def ranges(loads: NDArray[np.int64], many: int) -> list[int]:
    """Return where ranges start, and the last ends, so that loads are about equal: ``many`` or more, none too heavy.

    >>> ranges(np.array([1, 1, 1, 1, 8]), 4)
    [0, 3, 5]
    """
    heaped = np.cumsum(loads)
    total = int(heaped[-1]) if loads.size else 0
    parts = max(many, -(-total // SHARD))
    ends = np.searchsorted(heaped, [total * part // parts for part in range(1, parts + 1)]) + 1
    return [int(end) for end in np.unique([0, *np.minimum(ends, loads.size)])]


def weights_of(spread: Spread, heads: list[Head]) -> list[Weights]:
    """Return what the shards of each item would weigh above each of the heads."""
    many = len(spread.labels)
    found = spread.frame.mapInArrow(partial(weighed, heads=heads, many=many), "weights binary").toArrow()
    parts = [np.frombuffer(one.as_py(), dtype=np.int64) for one in found.column("weights")]
    total = sum(parts, np.zeros(len(heads) * 2 * many, dtype=np.int64))
    return [Weights(*pair) for pair in total.reshape(len(heads), 2, many)]


def weighed(batches: Iterator[pa.RecordBatch], heads: list[Head], many: int) -> Iterator[pa.RecordBatch]:
    """Yield the weights of the rows of a partition."""
    total = np.zeros((len(heads), 2, many), dtype=np.int64)
    for batch in batches:
        part = joined(read(batch))
        for line, head in zip(total, heads, strict=True):
            rows = holding(part, head)
            line[0] += kernels.merge_rows.count(rows.offsets, rows.items, np.diff(rows.offsets), many)
            line[1] += kernels.merge_rows.count(*rows, many)
    yield pa.RecordBatch.from_pydict({"weights": pa.array([total.tobytes()], type=pa.binary())})


def holding(part: Part, head: Head) -> Part:
    """Return the rows that hold all of a head."""
    if not head:
        return part
    found = np.zeros(part.weights.size, dtype=np.bool_)
    kernels.itemsets.contain(part.offsets, part.items, np.array(sorted(head), dtype=np.int32), found)
    return part.of(np.flatnonzero(found))


def searched(spread: Spread, job: Job, shards: list[Shard], least: int) -> Iterator[Weighted]:
    """Yield what is found in each shard."""
    many = len(spread.labels)
    dealt = spread.frame.mapInArrow(partial(shared, job=job, shards=shards, many=many), SCHEMA)

    def run(table: pa.Table) -> pa.Table:
        return search(table, job, shards, least, many)

    found = dealt.groupBy("key").applyInArrow(run, SCHEMA).select("lengths", "items", "weights").toArrow()
    yield from (Weighted(*part) for part in read(found))


def shared(batches: Iterator[pa.RecordBatch], job: Job, shards: list[Shard], many: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition for each shard that they are in, whole."""
    heads = sorted({shard.head for shard in shards})
    shard_of = np.full((len(heads), many), -1, dtype=np.int32)
    for number, shard in enumerate(shards):
        shard_of[heads.index(shard.head), job.menu[shard.start : shard.stop]] = number
    for batch in batches:
        part = joined(read(batch))
        keyed: list[tuple[int, Part]] = []
        for head, line in zip(heads, shard_of, strict=True):
            rows = holding(part, head)
            starts, dealt = kernels.itemsets.deal_rows(rows.offsets, rows.items, line, len(shards))
            parts = enumerate(np.split(dealt, starts[1:-1]))
            keyed.extend((shard, rows.of(numbers)) for shard, numbers in parts if numbers.size)
        yield written(keyed)


def search(table: pa.Table, job: Job, shards: list[Shard], least: int, many: int) -> pa.Table:
    """Return the itemsets of one shard."""
    number = table.column("key")[0].as_py()
    shard, part = shards[number], joined(read(table))
    rows = Merged(Weighted(*part), tuple(range(many)), int(part.weights.sum()), least)
    check_size(rows.n, part.weights.size, part.items.size)
    supports = kernels.merge_rows.count(*part, many)
    # An item that fewer rows of the shard hold can be in no itemset here, and closes none.
    places = np.flatnonzero((supports[job.menu] >= least) & ~np.isin(job.menu, shard.head))
    start, stop = np.searchsorted(places, [shard.start, shard.stop]).tolist()
    above = np.concatenate([job.root, np.array(shard.head, dtype=np.int32)])
    # Bitmaps of all rows would be searched for all frequent itemsets in the order of the codes.
    crowd = (math.inf, CROWD["auto"][1]) if job.kind == kernels.search_frames.FREQUENT else CROWD["auto"]
    watch = Watch(Limits(threads=1), 1)
    run, weights = prepare(rows, supports, job._replace(root=above, menu=job.menu[places]), least, crowd, watch)

    def within(first: int, last: int, control: Controls) -> Weighted:
        return run(start + first, start + last, control)

    found = Weighted.concat(watch.over(within, weights[start:stop]))
    return pa.Table.from_batches([written([(number, Part(found.offsets, found.items, found.weights))])])
