"""The search for itemsets: its jobs, and the rows prepared for the kernels."""

import math
from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Items, Weighted
from discreet.data.patterns import Kind
from discreet.data.transactions import Rows
from discreet.errors import InputError, Option
from discreet.mining.watch import RECORD, Controls, Found, Limits, Naming, Run, Stream, Watch
from discreet.runtime.solver import Numbers

Strategy: TypeAlias = Literal["auto", "dense", "sparse", "mixed"]
Records: TypeAlias = tuple[Stream, Items, NDArray[np.uint8]]  # each weighs a power of 2; their starts; which power

CROWD: Final = {"auto": (2.0, 2.0), "dense": (0.0, 0.0), "sparse": (math.inf, math.inf), "mixed": (math.inf, 0.0)}
# Bits that a word of bitmaps must hold on average to pay off: for bitmaps of all rows, and of a part of them.
WORD: Final = 64  # rows that fit a word of bitmaps: always crowded enough
TABLE: Final = 1 << 19  # cells of the table that counts pairs: two megabytes, to stay in the cache
PAIRS_AN_ITEM: Final = 4  # pairs that an item forms in a row as the lower one, about
BYTES_A_PAIR: Final = 32  # memory of a frequent pair at the peak: two integers, by either of its items, while they grow
MAPPED: Final = 128  # of so many rows, one must hold an item whose rows are mapped: its list is a fourth of the size
FEW: Final = 256  # items up to which an itemset is sorted by setting and reading bits
MOST: Final = 2**31 - 1  # the search numbers rows and entries by 32-bit integers


class SearchJob(NamedTuple):
    """A search for one kind of itemsets, of ``span[0]`` to ``span[1]`` items: all of ``root`` and some of ``menu``."""

    kind: int
    span: tuple[int, int]
    root: Items
    menu: Items


def search(rows: Rows, kind: Kind, least: int, max_length: int | None, limits: Limits, strategy: Strategy) -> Weighted:
    """Return the itemsets of ``kind`` that at least ``least`` rows hold, coded as the rows are, in any order."""
    n, longest = rows.n, rows.itemsets.longest
    supports = kernels.merge_rows.count(rows.offsets, rows.items, rows.weights, len(rows.labels))
    check_size(n, rows.offsets.size - 1, bound_entries(rows, supports[supports >= least]))
    todo = list(plan_jobs(kind, supports, n, least, longest, max_length)) if n >= least else []
    watch, codes = Watch(limits, len(todo)), np.arange(supports.size, dtype=np.int32)
    found: list[tuple[list[Found], Naming]] = []
    for job in todo:
        found.append(([watch.note(find_root(job, n))], Naming(codes, bits=False)))
        if job.menu.size and job.root.size < job.span[1]:
            run, weights, naming = prepare(rows, supports, job, least, CROWD[strategy], watch)
            found.append((watch.run(run, weights), naming))
    watch.end()
    return watch.unpack(found)


def bound_entries(rows: Rows, held: Numbers) -> int:
    """Return the most entries that rows have of items with these supports; a merged row stands for many."""
    return min(int(held.sum()), rows.itemsets.size)


def check_size(n: int, different: int, entries: int) -> None:
    """Refuse more rows or entries than the kernels can number."""
    if entries + 2 * (different + 1) > MOST:
        limit = f"the entries and twice the rows may be {MOST - 2:,} together"
        flaw = f"there are {different:,} rows with {entries:,} entries of frequent items"
        raise InputError(f"{flaw}; {limit}: raise ", Option("min_support"))
    if n > MOST:
        raise InputError(f"there are {n:,} rows; supports up to {MOST:,} can be counted: mine a part of the rows")


def plan_jobs(
    kind: Kind, supports: Numbers, n: int, least: int, longest: int, max_length: int | None
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
        yield SearchJob(search.CLOSED if kind == "closed" else search.UNEXTENDED, (0, limit - 1), root, menu)
        yield SearchJob(search.FREQUENT, (limit, limit), root[:0], frequent)


def find_root(job: SearchJob, n: int) -> Weighted:
    """Return the root itself, which all rows hold and the kernels leave out, if it is wanted."""
    whole = job.kind in {kernels.search_frames.MAXIMAL, kernels.search_frames.UNEXTENDED}
    wanted = job.span[0] <= job.root.size <= job.span[1] and not (whole and job.menu.size)
    offsets = np.array([0, job.root.size] if wanted else [0], dtype=np.int64)
    return Weighted(offsets, np.sort(job.root[: offsets[-1]]), np.full(offsets.size - 1, n, dtype=np.int64))


def prepare(
    data: Rows, supports: Numbers, job: SearchJob, least: int, crowd: tuple[float, float], watch: Watch
) -> tuple[Run, Numbers, Naming]:
    """Return a function that runs a job from place to place, the weight of each place, and how to name its items.

    Rows become bitmaps if these are crowded enough, else lists of rows. An item is coded by its place in the menu, one
    of the root by a place behind them all.
    """
    many, held = job.menu.size, supports[job.menu]
    entries = bound_entries(data, held)
    watch.afford(4 * (entries + 2 * (data.offsets.size - 1)))
    code = np.full(supports.size, -1, dtype=np.int32)
    code[job.menu] = np.arange(many, dtype=np.int32)
    records, starts = merge_to_records(data, code, entries)
    words = many * ((starts.size + 63) // 64)
    crowded = records.size - 2 * starts.size >= crowd[0] * words
    dense = crowded or (crowd[0] < math.inf and starts.size <= WORD)
    watch.afford(16 * words if dense else BYTES_A_PAIR * bound_pairs(records, starts, least, many))
    if dense:
        starts = starts[np.argsort(records[starts].astype(np.int16), kind="stable")]
    rows = split_weights(records, starts)
    goal = kernels.shapes.Goal(least, *job.span)
    kernel = use_bitmaps(rows, held, job, goal) if dense else use_lists(rows, held, job.kind, goal, crowd[1], watch)
    itemset = np.empty(many + job.root.size + 1, dtype=np.int32)
    itemset[: job.root.size] = np.arange(many, many + job.root.size)
    names = np.concatenate([job.menu, job.root])
    bits = names.size <= FEW and not (dense and job.kind == kernels.search_frames.FREQUENT)

    def run(start: int, stop: int, control: Controls) -> Stream:
        prefix = kernels.shapes.Prefix(itemset.copy(), job.root.size)
        stream, size = kernel(start, stop, prefix, np.empty(1 << 12, dtype=np.int32), control)
        return stream[:size]

    # With bitmaps, rare items are as much work as frequent ones: more items can follow them.
    return run, np.ones_like(held) if dense else held, Naming(names, bits)


def merge_to_records(rows: Rows, code: Items, entries: int) -> tuple[Stream, Items]:
    """Return the rows in new codes (-1: left out), equal ones merged, as records, and where each starts.

    At most ``entries`` items are left. Large arrays are not made by kernels: NumPy's come in larger pages of memory.
    """
    many = rows.offsets.size - 1
    records, starts = np.empty(entries + RECORD * (many + 1), dtype=np.int32), np.empty(many, dtype=np.int32)
    kernel = kernels.merge_rows.merge_to_records
    size, left = kernel(rows.offsets, rows.items, rows.weights, code, records, starts)
    return records[:size], starts[:left]


def split_weights(records: Stream, starts: Items) -> Records:
    """Return the records as several ones each, whose weights are powers of 2."""
    many = np.bitwise_count(records[starts + 1])
    copies, rows = np.empty(int((many * (records[starts] + RECORD)).sum()), np.int32), np.empty(many.sum(), np.int32)
    shifts = np.empty(rows.size, np.uint8)
    kernels.merge_rows.split_weights(records, starts, copies, rows, shifts)
    return copies, rows, shifts


def bound_pairs(records: Stream, starts: Items, least: int, many: int) -> int:
    """Return the most pairs of ``many`` items that can be frequent, from the lengths of the rows."""
    lengths, weights = records[starts].astype(np.int64), records[starts + 1].astype(np.int64)
    return min(many * (many - 1) // 2, int((weights * (lengths * (lengths - 1) // 2)).sum()) // least)


Kernel: TypeAlias = Callable[[int, int, tuple[Items, int], Stream, Controls], tuple[Stream, int]]
# Searches from place to place for extensions of an itemset; returns the stream of records, and its size.


def use_bitmaps(rows: Records, held: Numbers, job: SearchJob, goal: tuple[int, int, int]) -> Kernel:
    """Return the kernel that searches bitmaps of all rows; it meets frequent itemsets in dictionary order."""
    names = np.arange(held.size, dtype=np.int32)
    items = np.argsort(job.menu).astype(np.int32) if job.kind == kernels.search_frames.FREQUENT else names
    counts = held[items]
    frame = kernels.merge_rows.map_all(*rows, held.size)
    name = kernels.search_frames.SEARCHES[job.kind]
    return lambda start, stop, prefix, stream, control: getattr(kernels.search_frames, name)(
        job.kind, frame, kernels.shapes.Menu(items, counts, start, stop), names, prefix, goal, stream, 0, control
    )


def use_lists(
    rows: Records, held: Numbers, kind: int, goal: tuple[int, int, int], crowd: float, watch: Watch
) -> Kernel:
    """Return the kernel that searches lists of rows, and bitmaps of parts of them that are crowded enough."""
    encode, many = kernels.merge_rows, held.size
    records, starts, shifts = rows
    offsets, lists = list_rows(records, starts, many)
    encode.order_rows(records, starts, offsets, lists)
    has_map = MAPPED * np.diff(offsets) >= starts.size
    maps = np.zeros((np.count_nonzero(has_map), (starts.size + 63) // 64), dtype=np.uint64)
    line = np.where(has_map, np.cumsum(has_map) - 1, -1).astype(np.int32)
    encode.map_rows(offsets, lists, line, maps)
    # One pass over the rows for each table of lower items, and one count for each pair in a row.
    weights = starts.size * (many - np.arange(many)) // TABLE + PAIRS_AN_ITEM * held
    parts = watch.share(lambda low, stop: encode.pair_up(records, starts, many, low, stop, goal[0], TABLE), weights)
    behind = Weighted.concat([Weighted(*part) for part in parts])
    pairs = (encode.turn_pairs(*behind.arrays), behind.arrays)
    longest = int(records[starts].max())
    index = kernels.shapes.Index(records, starts, shifts, held, offsets, lists, maps, line, longest)
    return lambda start, stop, prefix, stream, control: kernels.search_lists.search(
        kind, index, pairs, start, stop, prefix, goal, crowd, stream, 0, control
    )


def list_rows(records: Stream, starts: Items, many: int) -> tuple[Numbers, Items]:
    """Return for each of ``many`` items the rows that hold it: where its list starts, and the lists."""
    lists = np.empty(records.size - RECORD * starts.size, dtype=np.int32)
    return kernels.merge_rows.list_rows(records, starts, many, lists), lists
