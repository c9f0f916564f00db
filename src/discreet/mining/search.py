"""The search for itemsets: its jobs, and the rows prepared for the kernels."""

import math
from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Weighted
from discreet.data.merged import Rows
from discreet.data.patterns import Kind
from discreet.errors import InputError, Option
from discreet.mining.watch import Controls, Limits, Run, Watch

Strategy: TypeAlias = Literal["auto", "dense", "sparse", "mixed"]
Stream: TypeAlias = NDArray[np.int32]
"""Records of itemsets, as kernels/common.py writes them."""

CROWD: Final = {"auto": (2.0, 2.0), "dense": (0.0, 0.0), "sparse": (math.inf, math.inf), "mixed": (math.inf, 0.0)}
"""Bits that a word of bitmaps must hold on average to pay off: for bitmaps of all rows, and of a part of them."""
WORD: Final = 64
"""Rows that fit a word of bitmaps: always crowded enough."""
TABLE: Final = 1 << 19
"""Cells of the table that counts pairs: two megabytes, to stay in the cache."""
PAIRS_AN_ITEM: Final = 4
"""Pairs that an item forms in a row as the lower one, about."""
BYTES_A_PAIR: Final = 32
"""Memory of a frequent pair at the peak: two integers, by either of its items, while they grow."""
FEW: Final = 256
"""Items up to which an itemset is sorted by setting and reading bits."""
MOST: Final = 2**31 - 1
"""The search numbers rows and entries by 32-bit integers."""


class SearchJob(NamedTuple):
    """A search for one kind of itemsets, of ``span[0]`` to ``span[1]`` items: all of ``root`` and some of ``menu``."""

    kind: int
    span: tuple[int, int]
    root: NDArray[np.int32]
    menu: NDArray[np.int32]


def search(rows: Rows, kind: Kind, least: int, max_length: int | None, limits: Limits, strategy: Strategy) -> Weighted:
    """Return the itemsets of ``kind`` that at least ``least`` rows hold, coded as the rows are, in any order."""
    n = rows.n
    supports = kernels.merge_rows.count(rows.offsets, rows.items, rows.weights, len(rows.labels))
    check_size(n, rows.offsets.size - 1, bound_entries(rows, supports[supports >= least]))
    longest = rows.itemsets.longest
    todo = list(plan_jobs(kind, supports, n, least, longest, max_length)) if n >= least else []
    watch = Watch(limits, len(todo))
    parts: list[Weighted] = []
    for job in todo:
        parts.append(watch.note(find_root(job, n)))
        if job.menu.size and job.root.size < job.span[1]:
            run, weights = prepare(rows, supports, job, least, CROWD[strategy], watch)
            parts.extend(watch.run(run, weights))
    watch.end()
    return Weighted.concat(parts)


def bound_entries(rows: Rows, held: NDArray[np.int64]) -> int:
    """Return the most entries that rows have of items with these supports; a merged row stands for many."""
    return min(int(held.sum()), rows.itemsets.size)


def check_size(n: int, different: int, entries: int) -> None:
    """Refuse more rows or entries than the kernels can number."""
    if entries + 2 * (different + 1) > MOST:
        raise InputError(
            f"there are {different:,} rows with {entries:,} entries of frequent items; the entries and twice the rows "
            f"may be {MOST - 2:,} together: raise ",
            Option("min_support"),
        )
    if n > MOST:
        raise InputError(f"there are {n:,} rows; supports up to {MOST:,} can be counted: mine a part of the rows")


def plan_jobs(
    kind: Kind, supports: NDArray[np.int64], n: int, least: int, longest: int, max_length: int | None
) -> Iterator[SearchJob]:
    """Yield the searches that find all itemsets of ``kind``.

    Among the itemsets of at most L items, those of fewer than L are closed (maximal) if they are so among all, and
    those of L items always are.
    """
    frequent = np.flatnonzero(supports >= least).astype(np.int32)
    frequent = frequent[np.argsort(supports[frequent], kind="stable")]
    everywhere = supports[frequent] == n
    root, menu = frequent[everywhere], frequent[~everywhere]
    limit, search = longest if max_length is None else min(max_length, longest), kernels.search_frames
    if kind == "frequent":
        yield SearchJob(search.FREQUENT, (0, limit), root[:0], frequent)
    elif limit == longest:
        yield SearchJob(search.CLOSED if kind == "closed" else search.MAXIMAL, (0, limit), root, menu)
    else:
        yield SearchJob(
            search.CLOSED if kind == "closed" else search.UNEXTENDED,
            (0, limit - 1),
            root,
            menu,
        )
        yield SearchJob(search.FREQUENT, (limit, limit), root[:0], frequent)


def find_root(job: SearchJob, n: int) -> Weighted:
    """Return the root itself, which all rows hold and the kernels leave out, if it is wanted."""
    whole = job.kind in {kernels.search_frames.MAXIMAL, kernels.search_frames.UNEXTENDED}
    wanted = job.span[0] <= job.root.size <= job.span[1] and not (whole and job.menu.size)
    offsets = np.array([0, job.root.size] if wanted else [0], dtype=np.int64)
    return Weighted(offsets, np.sort(job.root[: offsets[-1]]), np.full(offsets.size - 1, n, dtype=np.int64))


def prepare(
    data: Rows,
    supports: NDArray[np.int64],
    job: SearchJob,
    least: int,
    crowd: tuple[float, float],
    watch: Watch,
) -> tuple[Run, NDArray[np.int64]]:
    """Return a function that runs a job from place to place, and the weight of each place.

    Rows become bitmaps if these are crowded enough, else lists of rows. An item is coded by its place in the menu, one
    of the root by a place behind them all.
    """
    many = job.menu.size
    held = supports[job.menu]
    entries = bound_entries(data, held)
    watch.afford(4 * (entries + 2 * (data.offsets.size - 1)))
    code = np.full(supports.size, -1, dtype=np.int32)
    code[job.menu] = np.arange(many, dtype=np.int32)
    records, starts = kernels.merge_rows.merge_to_records(data.offsets, data.items, data.weights, code, entries)
    words = many * ((starts.size + 63) // 64)
    crowded = records.size - 2 * starts.size >= crowd[0] * words
    dense = crowded or (crowd[0] < math.inf and starts.size <= WORD)
    watch.afford(8 * words if dense else BYTES_A_PAIR * bound_pairs(records, starts, least, many))
    rows = kernels.merge_rows.split_weights(records, starts)
    goal = kernels.common.Goal(least, *job.span)
    kernel = use_bitmaps(rows, held, job, goal) if dense else use_lists(rows, held, job.kind, goal, crowd[1], watch)
    itemset = np.empty(many + job.root.size + 1, dtype=np.int32)
    itemset[: job.root.size] = np.arange(many, many + job.root.size)
    names = np.concatenate([job.menu, job.root])
    sort = names.size <= FEW and not (dense and job.kind == kernels.search_frames.FREQUENT)

    def run(start: int, stop: int, control: Controls) -> Weighted:
        prefix = kernels.common.Prefix(itemset.copy(), job.root.size)
        stream, size = kernel(start, stop, prefix, np.empty(1 << 12, dtype=np.int32), control)
        # An interrupted search is of no use, and unpacking it would delay Ctrl-C.
        return unpack(stream[: 0 if control[kernels.common.STOP] else size], names, sort=sort)

    # With bitmaps, rare items are as much work as frequent ones: more items can follow them.
    return run, np.ones_like(held) if dense else held


def bound_pairs(records: Stream, starts: NDArray[np.int32], least: int, many: int) -> int:
    """Return the most pairs of ``many`` items that can be frequent, from the lengths of the rows.

    >>> bound_pairs(np.array([2, 6, 0, 1, 3, 1, 0, 1, 2], np.int32), np.array([0, 4]), 3, 10)
    3
    """
    lengths, weights = records[starts].astype(np.int64), records[starts + 1].astype(np.int64)
    return min(many * (many - 1) // 2, int((weights * (lengths * (lengths - 1) // 2)).sum()) // least)


Records: TypeAlias = tuple[Stream, NDArray[np.int32], NDArray[np.uint8]]
"""Records that each weigh a power of 2, where they start, and which power."""
Kernel: TypeAlias = Callable[[int, int, tuple[NDArray[np.int32], int], Stream, Controls], tuple[Stream, int]]
"""Searches from place to place for extensions of an itemset; returns the stream of records, and its size."""


def use_bitmaps(rows: Records, held: NDArray[np.int64], job: SearchJob, goal: tuple[int, int, int]) -> Kernel:
    """Return the kernel that searches bitmaps of all rows.

    Frequent itemsets are met in dictionary order, so they need not be sorted later.
    """
    names = np.arange(held.size, dtype=np.int32)
    items = np.argsort(job.menu).astype(np.int32) if job.kind == kernels.search_frames.FREQUENT else names
    counts = held[items]
    frame = kernels.common.Frame(*kernels.merge_rows.map_all(*rows, held.size))
    return lambda start, stop, prefix, stream, control: kernels.search_frames.search(
        job.kind, frame, kernels.common.Menu(items, counts, start, stop), names, prefix, goal, stream, 0, control
    )


def use_lists(
    rows: Records, held: NDArray[np.int64], kind: int, goal: tuple[int, int, int], crowd: float, watch: Watch
) -> Kernel:
    """Return the kernel that searches lists of rows, and bitmaps of parts of them that are crowded enough."""
    encode, many = kernels.merge_rows, held.size
    records, starts, shifts = rows
    offsets, lists = encode.list_rows(records, starts, many)
    encode.order_rows(records, starts, offsets, lists)
    maps, line = encode.map_rows(offsets, lists, many, starts.size)
    # One pass over the rows for each table of lower items, and one count for each pair in a row.
    weights = starts.size * (many - np.arange(many)) // TABLE + PAIRS_AN_ITEM * held
    parts = watch.share(lambda low, stop: encode.pair_up(records, starts, many, low, stop, goal[0], TABLE), weights)
    behind = Weighted.concat([Weighted(*part) for part in parts])
    pairs = (encode.turn_pairs(*behind.arrays), behind.arrays)
    longest = int(records[starts].max())
    index = kernels.search_lists.Index(records, starts, shifts, held, offsets, lists, maps, line, longest)
    return lambda start, stop, prefix, stream, control: kernels.search_lists.search(
        kind, index, pairs, start, stop, prefix, goal, crowd, stream, 0, control
    )


def unpack(stream: Stream, names: NDArray[np.int32], *, sort: bool) -> Weighted:
    """Return the itemsets of a stream, with ``names`` for its items; ``sort`` sorts the items of each."""
    itemsets, entries = kernels.itemsets.measure(stream)
    offsets, supports = np.empty(itemsets + 1, dtype=np.int64), np.empty(itemsets, dtype=np.int64)
    items = np.empty(entries, dtype=np.int32)
    if sort:
        order = np.argsort(names)
        ranks = np.empty_like(order)
        ranks[order] = np.arange(order.size)
        kernels.itemsets.unpack_in_order(stream, ranks, names[order], offsets, items, supports)
    else:
        kernels.itemsets.unpack(stream, names, offsets, items, supports)
    return Weighted(offsets, items, supports)
