"""Mine on Spark by shards: the rows that hold some items, searched for the itemsets whose rarest item is one of them.

All rows that hold an itemset hold its rarest item, so they are in one shard, whole, and the shard alone decides whether
the itemset is closed or maximal. A shard that is too heavy with one item is split by the second rarest item, and so on
(docs/scale.md has the proof).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple, Unpack

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from discreet import kernels
from discreet.data.generate import check_whole
from discreet.data.itemsets import Weighted
from discreet.data.patterns import Kind, Patterns, as_kind
from discreet.data.thresholds import Threshold
from discreet.data.transactions import Merged
from discreet.mining.mine import mine as mine_locally
from discreet.mining.search import CROWD, SearchJob, check_size, find_root, plan_jobs, prepare
from discreet.mining.watch import Controls, Limits, Stream, Watch
from discreet.runtime.solver import Numbers
from discreet.spark.failures import in_one_sentence
from discreet.spark.frames import FrameOptions, count_tasks
from discreet.spark.merged import PARTS, Part, Spread, merge_frame, read_parts, write_parts

SHARDS_A_TASK: Final = 4  # shards per task, so that none waits long for the last
SHARD: Final = 1 << 24  # entries of a shard, about, at most

Head = tuple[int, ...]  # items by their codes, the rarest first


class Shard(NamedTuple):
    """All rows that hold ``head`` and one of the next items, which are at the places from ``start`` to ``stop``."""

    head: Head
    start: int
    stop: int


class ShardLoads(NamedTuple):
    """For each item, the entries and the number of rows that hold a head and this item."""

    loads: Numbers
    supports: Numbers


@in_one_sentence()
def mine(
    frame: DataFrame,
    *,
    min_support: Threshold,
    kind: Kind = "closed",
    max_length: int | None = None,
    **options: Unpack[FrameOptions],
) -> Patterns:
    """Mine the rows of ``frame`` as ``discreet.mine`` does: the same itemsets, in the same order.

    The options name the columns, ``items``, or ``row`` and ``item``; if the merged rows fit the ``budget``, in bytes,
    the driver does everything.
    """
    wanted = as_kind(kind)
    length = None if max_length is None else check_whole("max_length", max_length)
    with merge_frame(frame, min_support, options) as rows:
        if isinstance(rows, Merged):
            return mine_locally(rows, min_support=rows.min_support, kind=wanted, max_length=length)
        return mine_spread(rows, wanted, length)


def mine_spread(spread: Spread, kind: Kind, max_length: int | None = None) -> Patterns:
    """Mine rows that stay in Spark."""
    found, n, least = [], spread.n, spread.min_support
    many = SHARDS_A_TASK * count_tasks(spread.frame.sparkSession)
    for job in plan_jobs(kind, spread.supports, n, least, spread.longest, max_length) if n >= least else ():
        found.append(find_root(job, n))
        if job.menu.size and job.root.size < job.span[1]:
            shards, heads = plan_shards(job, least, many, partial(_weigh_heads, spread))
            found.extend([*heads, _search_all(spread, job, shards, least)])
    patterns = Patterns.from_codes(
        *Weighted.concat(found).arrays, spread.labels, n=n, min_support=least, kind=kind, max_length=max_length
    )
    return replace(patterns, mined=object())


def plan_shards(
    job: SearchJob, least: int, many: int, weigh: Callable[[list[Head]], list[ShardLoads]]
) -> tuple[list[Shard], list[Weighted]]:
    """Return shards of about equal load, ``many`` or more, and the heads of split ones that are itemsets to return."""
    shards: list[Shard] = []
    found: list[Weighted] = []
    heads: list[Head] = [()]
    while heads:
        heavy: list[Head] = []
        for head, weights in zip(heads, weigh(heads), strict=True):
            found.extend(_list_head(job, head, weights.supports, least))
            for shard, load in _cut(job, head, weights, least, 1 if head else many):
                if shard.stop - shard.start == 1 and load > SHARD:
                    heavy.append((*head, int(job.menu[shard.start])))
                else:
                    shards.append(shard)
        heads = heavy
    return shards, found


def _list_head(job: SearchJob, head: Head, supports: Numbers, least: int) -> Iterator[Weighted]:
    """Yield a head with the root if it is an itemset to return, given ``supports`` of each item beside it."""
    if not head:
        return
    support, itemset = int(supports[head[0]]), np.sort(np.concatenate([job.root, np.array(head, dtype=np.int32)]))
    most = int(supports[np.setdiff1d(job.menu, head)].max(initial=0))
    limits = {kernels.search_frames.FREQUENT: math.inf, kernels.search_frames.CLOSED: support}
    if most < limits.get(job.kind, least) and job.span[0] <= itemset.size <= job.span[1]:
        yield Weighted(np.array([0, itemset.size]), itemset, np.array([support]))


def _cut(job: SearchJob, head: Head, weights: ShardLoads, least: int, many: int) -> Iterator[tuple[Shard, int]]:
    """Yield ``many`` or more shards above a head, and the load of each; a single item may exceed it."""
    if job.root.size + len(head) >= job.span[1]:
        return
    first = int(np.flatnonzero(job.menu == head[-1])[0]) + 1 if head else 0
    places = first + np.flatnonzero(weights.supports[job.menu[first:]] >= least)
    loads = weights.loads[job.menu[places]]
    for start, stop in pairwise(split_loads(loads, many)):
        yield Shard(head, int(places[start]), int(places[stop - 1]) + 1), int(loads[start:stop].sum())


def split_loads(loads: Numbers, many: int) -> list[int]:
    """Return where ranges of about equal load start, and the last ends: ``many`` or more, none too heavy.

    >>> split_loads(np.array([1, 1, 1, 1, 8]), 4)
    [0, 3, 5]
    """
    heaped = np.cumsum(loads)
    total = int(heaped[-1]) if loads.size else 0
    parts = max(many, -(-total // SHARD))
    ends = np.searchsorted(heaped, [total * part // parts for part in range(1, parts + 1)]) + 1
    return [int(end) for end in np.unique([0, *np.minimum(ends, loads.size)])]


def _weigh_heads(spread: Spread, heads: list[Head]) -> list[ShardLoads]:
    many = len(spread.labels)
    run = partial(weigh_partition, heads=heads, many=many)
    loads = spread.frame.mapInArrow(run, "weights binary").toArrow().column("weights")
    parts = [np.frombuffer(one.as_py(), dtype=np.int64) for one in loads]
    total = sum(parts, np.zeros(len(heads) * 2 * many, dtype=np.int64))
    return [ShardLoads(*pair) for pair in total.reshape(len(heads), 2, many)]


def weigh_partition(batches: Iterator[pa.RecordBatch], heads: list[Head], many: int) -> Iterator[pa.RecordBatch]:
    """Yield the loads of the rows of a partition above each head."""
    total = np.zeros((len(heads), 2, many), dtype=np.int64)
    for batch in batches:
        part = read_parts(batch)
        for line, head in zip(total, heads, strict=True):
            rows = _select_holders(part, head)
            line[0] += kernels.merge_rows.count(*rows.flat, rows.lengths, many)
            line[1] += kernels.merge_rows.count(*rows.arrays, many)
    yield pa.RecordBatch.from_pydict({"weights": pa.array([total.tobytes()], type=pa.binary())})


def _select_holders(rows: Weighted, head: Head) -> Weighted:
    return rows.take(np.flatnonzero(rows.contain(head))) if head else rows


def _search_all(spread: Spread, job: SearchJob, shards: list[Shard], least: int) -> Weighted:
    many = len(spread.labels)
    dealt = spread.frame.mapInArrow(partial(deal_partition, job=job, shards=shards, many=many), PARTS)

    def run(table: pa.Table) -> pa.Table:
        return search_shard(table, job, shards, least, many)

    return read_parts(dealt.groupBy("key").applyInArrow(run, PARTS).select("lengths", "items", "weights").toArrow())


def deal_partition(
    batches: Iterator[pa.RecordBatch], job: SearchJob, shards: list[Shard], many: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition for each shard that they are in, whole."""
    heads = sorted({shard.head for shard in shards})
    shard_of = np.full((len(heads), many), -1, dtype=np.int32)
    for number, shard in enumerate(shards):
        shard_of[heads.index(shard.head), job.menu[shard.start : shard.stop]] = number
    for batch in batches:
        part = read_parts(batch)
        keyed: list[Part] = []
        for head, line in zip(heads, shard_of, strict=True):
            rows = _select_holders(part, head)
            starts, dealt = kernels.itemsets.deal_rows(*rows.flat, line, len(shards))
            parts = enumerate(np.split(dealt, starts[1:-1]))
            keyed.extend(Part(shard, rows.take(numbers)) for shard, numbers in parts if numbers.size)
        yield write_parts(keyed)


def search_shard(table: pa.Table, job: SearchJob, shards: list[Shard], least: int, many: int) -> pa.Table:
    """Return the itemsets of one shard."""
    number = table.column("key")[0].as_py()
    shard, part = shards[number], read_parts(table)
    rows = Merged(part, tuple(range(many)), int(part.weights.sum()), least)
    check_size(rows.n, len(part), part.size)
    supports = kernels.merge_rows.count(*part.arrays, many)
    # An item that is rare in the shard is in no itemset here, and closes none.
    places = np.flatnonzero((supports[job.menu] >= least) & ~np.isin(job.menu, shard.head))
    start, stop = np.searchsorted(places, [shard.start, shard.stop]).tolist()
    above = np.concatenate([job.root, np.array(shard.head, dtype=np.int32)])
    # Bitmaps of all rows need a menu whose counts rise, and meet frequent itemsets in the order of the codes. The menu
    # of a shard has the order of all rows, not of its own.
    crowd = math.inf, CROWD["auto"][1]
    watch = Watch(Limits(threads=1), 1)
    job = job._replace(root=above, menu=job.menu[places])
    run, weights, naming = prepare(rows, supports, job, least, crowd, watch)

    def within(first: int, last: int, control: Controls) -> Stream:
        return run(start + first, start + last, control)

    itemsets = watch.unpack([(watch.run(within, weights[start:stop]), naming)])
    return pa.Table.from_batches([write_parts([Part(number, itemsets)], table.column("items").type)])
