"""The search for itemsets: what to look for, and the rows made ready for the kernels."""

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.errors import InputError
from discreet.mine.watch import Controls, Itemsets, Limits, Run, Watch
from discreet.patterns import Kind
from discreet.transactions import Transactions

Strategy: TypeAlias = Literal["auto", "dense", "sparse"]
Stream: TypeAlias = NDArray[np.int32]
"""Records of itemsets, as kernels/search.py writes them."""

CROWD: Final = {"auto": 2.0, "dense": 0.0, "sparse": float("inf")}
"""How many bits a word of bitmaps must hold on average for bitmaps to pay."""
TABLE: Final = 1 << 18
"""Cells of the table in which pairs are counted: a megabyte, to stay in the cache."""
FEW: Final = 256
"""Items whose ranks are sorted as bits."""
MOST_ROWS: Final = 2**31 - 1
"""Supports are 32-bit integers while the search is on."""


class Job(NamedTuple):
    """A search for one kind of itemsets, of ``span[0]`` to ``span[1]`` items: all of ``root`` and some of ``menu``."""

    kind: int
    span: tuple[int, int]
    root: NDArray[np.int32]
    menu: NDArray[np.int32]


def search(
    transactions: Transactions, kind: Kind, least: int, max_length: int | None, limits: Limits, strategy: Strategy
) -> Itemsets:
    """Return the itemsets of ``kind`` that at least ``least`` rows hold, coded as the rows are, in any order."""
    n = len(transactions)
    if n > MOST_ROWS:
        raise InputError(f"there are {n:,} rows; at most {MOST_ROWS:,} can be mined at once: mine them in parts")
    offsets = transactions.offsets
    supports = kernels.encode.count(transactions.items[offsets[0] : offsets[-1]], len(transactions.labels))
    longest = int(np.diff(offsets).max(initial=0))
    todo = list(jobs(kind, supports, n, least, longest, max_length)) if n >= least else []
    watch = Watch(limits, len(todo))
    found: list[Itemsets] = []
    for job in todo:
        found.append(watch.note(at_root(job, n)))
        if job.menu.size and job.root.size < job.span[1]:
            run = prepare(transactions, supports, job, least, CROWD[strategy], watch)
            found.extend(watch.over(run, job.menu.size))
    watch.end()
    return together(found)


def jobs(
    kind: Kind, supports: NDArray[np.int64], n: int, least: int, longest: int, max_length: int | None
) -> Iterator[Job]:
    """Yield the searches that together find the itemsets of ``kind``.

    Among the itemsets of at most L items, those of fewer than L are closed (maximal) if they are so among all, and
    those of L items always are.
    """
    frequent = np.flatnonzero(supports >= least).astype(np.int32)
    frequent = frequent[np.argsort(supports[frequent], kind="stable")]
    everywhere = supports[frequent] == n
    root, menu = frequent[everywhere], frequent[~everywhere]
    limit = longest if max_length is None else min(max_length, longest)
    if kind == "frequent":
        yield Job(kernels.search.FREQUENT, (0, limit), root[:0], frequent)
    elif limit == longest:
        yield Job(kernels.search.CLOSED if kind == "closed" else kernels.search.MAXIMAL, (0, limit), root, menu)
    else:
        yield Job(kernels.search.CLOSED if kind == "closed" else kernels.search.UNEXTENDED, (0, limit - 1), root, menu)
        yield Job(kernels.search.FREQUENT, (limit, limit), root[:0], frequent)


def at_root(job: Job, n: int) -> Itemsets:
    """Return the one itemset that the kernels leave out, where it is wanted: the root itself, which all rows hold."""
    whole = job.kind in {kernels.search.MAXIMAL, kernels.search.UNEXTENDED}
    wanted = job.span[0] <= job.root.size <= job.span[1] and not (whole and job.menu.size)
    offsets = np.array([0, job.root.size] if wanted else [0], dtype=np.int64)
    return Itemsets(offsets, np.sort(job.root[: offsets[-1]]), np.full(offsets.size - 1, n, dtype=np.int64))


def prepare(
    transactions: Transactions, supports: NDArray[np.int64], job: Job, least: int, crowd: float, watch: Watch
) -> Run:
    """Return the kernel of a job, its rows ready: bitmaps of all rows where they are crowded enough, else lists of rows.

    An item is coded by its place in the menu, one of the root by a place behind them all.
    """
    many = job.menu.size
    held = supports[job.menu]
    entries = int(held.sum())
    watch.afford(4 * (entries + 2 * len(transactions)))
    code = np.full(supports.size, -1, dtype=np.int32)
    code[job.menu] = np.arange(many, dtype=np.int32)
    records, starts = kernels.encode.merge_rows(transactions.offsets, transactions.items, code, entries)
    words = many * ((starts.size + 63) // 64)
    dense = records.size - 2 * starts.size >= crowd * words
    if dense:
        watch.afford(8 * words)
    kernel = by_bitmaps(records, starts, held) if dense else by_lists(records, starts, held, least, crowd)
    itemset = np.empty(many + job.root.size + 1, dtype=np.int32)
    itemset[: job.root.size] = np.arange(many, many + job.root.size)

    names = np.concatenate([job.menu, job.root])

    def run(start: int, stop: int, control: Controls) -> Itemsets:
        above = (itemset.copy(), job.root.size, least, job.span)
        stream, size = kernel(job.kind, start, stop, above, np.empty(1 << 12, dtype=np.int32), control)
        return unpack(stream[:size], names)

    return run


Kernel: TypeAlias = Callable[[int, int, int, tuple[Any, ...], Stream, Controls], tuple[Stream, int]]


def by_bitmaps(records: Stream, starts: NDArray[np.int32], held: NDArray[np.int64]) -> Kernel:
    """Return the kernel that searches bitmaps of all rows."""
    menu = np.arange(held.size, dtype=np.int32)
    frame = kernels.search.frame(records, starts, menu, held.size)

    def kernel(
        kind: int, start: int, stop: int, above: tuple[Any, ...], stream: Stream, control: Controls
    ) -> tuple[Stream, int]:
        found: tuple[Stream, int] = kernels.search.in_bitmaps(
            kind, *frame, menu, held, start, stop, menu, *above, stream, 0, control
        )
        return found

    return kernel


def by_lists(
    records: Stream, starts: NDArray[np.int32], held: NDArray[np.int64], least: int, crowd: float
) -> Kernel:
    """Return the kernel that searches lists of rows, and bitmaps of parts of the rows where they are crowded enough."""
    encode, many = kernels.encode, held.size
    rows, shifts = encode.split_weights(records, starts)
    list_offsets, lists = encode.list_rows(records, rows, many)
    maps, line = encode.map_rows(list_offsets, lists, many, rows.size)
    behind = encode.pair_up(records, starts, many, least, TABLE)
    pairs = (encode.turn(*behind), behind)
    longest = int(records[starts].max(initial=0))
    index = (records, rows, shifts, held, list_offsets, lists, maps, line, longest)

    def kernel(
        kind: int, start: int, stop: int, above: tuple[Any, ...], stream: Stream, control: Controls
    ) -> tuple[Stream, int]:
        found: tuple[Stream, int] = kernels.search.in_lists(
            kind, index, pairs, start, stop, *above, crowd, stream, 0, control
        )
        return found

    return kernel


def unpack(stream: Stream, names: NDArray[np.int32]) -> Itemsets:
    """Return the itemsets of a stream, with ``names`` for its items; in order where that is quick."""
    itemsets, entries = kernels.itemsets.size(stream)
    offsets, supports = np.empty(itemsets + 1, dtype=np.int64), np.empty(itemsets, dtype=np.int64)
    items = np.empty(entries, dtype=np.int32)
    if names.size <= FEW:
        order = np.argsort(names)
        ranks = np.empty_like(order)
        ranks[order] = np.arange(order.size)
        kernels.itemsets.unpack_in_order(stream, ranks, names[order], offsets, items, supports)
    else:
        kernels.itemsets.unpack(stream, names, offsets, items, supports)
    return Itemsets(offsets, items, supports)


def together(parts: list[Itemsets]) -> Itemsets:
    """Return the itemsets of all parts."""
    starts = np.cumsum([0, *(part.items.size for part in parts)])
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=False)]
    items = np.concatenate([np.empty(0, dtype=np.int32), *(part.items for part in parts)])
    supports = np.concatenate([np.empty(0, dtype=np.int64), *(part.supports for part in parts)])
    return Itemsets(np.concatenate([*offsets, starts[-1:]]), items, supports)
