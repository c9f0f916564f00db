"""The search for itemsets: its jobs, the rows prepared for the kernels, and the watch over limits and Ctrl-C.

Kernels run in threads, so that the calling thread hears Ctrl-C. Each thread shares an array of controls with its kernel
(see kernels/shapes.py): the kernel reports how far it is, the watch says when to stop.
"""

import math
from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Items, Weighted
from discreet.data.patterns import Kind
from discreet.data.transactions import Rows
from discreet.errors import BudgetError, Either, InputError, Option
from discreet.runtime import resources
from discreet.runtime.resources import Progress, Result
from discreet.runtime.solver import Numbers

Controls: TypeAlias = Numbers
Run: TypeAlias = Callable[[int, int, Controls], Weighted]  # searches from place to place; returns none if stopped
TICK: Final = 0.1  # seconds between two checks of the work
BYTES_AN_ENTRY: Final = 16  # memory of an entry of a stream at the peak: found, growing, sorted, moved, 4 bytes each
RECORD: Final = 2  # entries of a stream for each itemset besides its items: its length and its support
PARTS: Final = 16  # parts of the work for each thread, so that none waits long for the last
UNLIMITED: Final = 2**62


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search, and its progress callback."""

    threads: int | None = None
    patterns: int | None = None
    memory: int | None = None
    progress: Progress | None = None


class _Work:
    """A search shared by as many threads as there are ``controls``: its parts, by the place where each starts."""

    def __init__(self, run: Run, weights: Numbers, controls: list[Controls]) -> None:
        self.controls = controls
        self.found: dict[int, Weighted] = {}
        self._run, self._places = run, weights.size
        self._ends = dict(_parts(weights, len(controls), PARTS))
        # The heaviest parts start first; equal ones in order.
        self._todo = deque(sorted(self._ends, key=lambda start: -int(weights[start : self._ends[start]].sum())))
        self._running: dict[int, Controls] = {}
        self._lock, self._end, self._threads = allocate_lock(), allocate_lock(), len(controls)
        self._error: BaseException | None = None

    def start(self) -> None:
        """Start all threads; those of ``threading``, or a pool, would take longer to start than many a search lasts."""
        self._end.acquire()
        for control in self.controls:
            start_new_thread(self._run_thread, (control,))

    def wait(self, seconds: float = -1) -> bool:
        """Wait, at most so long unless -1, until all threads have ended; return whether they have."""
        return not self._threads or self._end.acquire(timeout=seconds)

    def check(self) -> None:
        """Raise the error of a thread."""
        if self._error is not None:
            raise self._error

    def _run_thread(self, control: Controls) -> None:
        try:
            self.take(control)
        except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
            self._error = error
            self.stop()
        finally:
            with self._lock:
                self._threads -= 1
                if not self._threads:
                    self._end.release()

    def take(self, control: Controls) -> None:
        """Run one part after the other, until none is left or the search is stopped."""
        while not control[kernels.shapes.STOP]:
            try:
                start = self._todo.popleft()
            except IndexError:  # the last part is taken
                return
            control[kernels.shapes.DONE], control[kernels.shapes.PART] = start, 0
            self._running[start] = control
            itemsets = self._run(start, self._ends[start], control)
            del self._running[start]
            if not control[kernels.shapes.STOP]:  # an interrupted part is not done
                self.found[start] = itemsets

    def share(self) -> float:
        """Return how much of the work is done."""
        done = float(sum(self._ends[start] - start for start in list(self.found)))
        for start, control in list(self._running.items()):
            # The place that DONE speaks of is under way: PART says how far.
            done += max(0, control[kernels.shapes.DONE] - 1 - start) + control[kernels.shapes.PART] / 1000
        return min(1.0, done / self._places)

    def count(self) -> int:
        """Return how many itemsets have been found, those of unfinished parts too."""
        return sum(int(control[kernels.shapes.FOUND]) for control in self.controls)

    def entries(self) -> int:
        return sum(_entries(itemsets) for itemsets in list(self.found.values()))

    def is_full(self) -> bool:
        return any(control[kernels.shapes.STOP] == kernels.shapes.FULL for control in self.controls)

    def stop(self) -> None:
        """Stop all threads: kernels end at the next itemset."""
        for control in self.controls:
            control[kernels.shapes.STOP] = max(control[kernels.shapes.STOP], kernels.shapes.STOPPED)


class Watch:
    """The itemsets found so far, against the limits."""

    def __init__(self, limits: Limits, jobs: int) -> None:
        """Watch over so many ``jobs``, one after the other."""
        self._most = UNLIMITED if limits.patterns is None else limits.patterns
        self._memory = resources.memory() // 2 if limits.memory is None else limits.memory
        self._threads = limits.threads or resources.cores()
        self._report = limits.progress or (lambda _share, _found: None)
        self._jobs, self._ended, self._share = jobs, 0, 0.0
        self._found, self._entries = 0, 0

    def afford(self, size: int) -> None:
        """Refuse to go on if ``size`` bytes are more than allowed."""
        if size > self._memory:
            sizes = f"{resources.size(size)} to be searched; memory is limited to {resources.size(self._memory)}"
            raise BudgetError(f"the rows may need {sizes}: ", Either(("raise {}", "memory", "min_support")))

    def note(self, itemsets: Weighted) -> Weighted:
        """Count itemsets found without a search."""
        self._add(itemsets.weights.size, _entries(itemsets))
        return itemsets

    def share(self, function: Callable[[int, int], Result], weights: Numbers) -> list[Result]:
        """Return the results of ``function`` for parts of the places with these ``weights``, on all threads."""
        return resources.share(function, _parts(weights, self._threads, 2), self._threads)

    def run(self, run: Run, weights: Numbers) -> list[Weighted]:
        """Search through all places, which have these ``weights``; return the itemsets in the order of places."""
        # Each attempt that is given up leaves one plain kernel fewer.
        while (found := self._try(run, weights)) is None:
            pass
        return found

    def end(self) -> None:
        """Report that the search is over."""
        self._report(1.0, self._found)

    def _try(self, run: Run, weights: Numbers) -> list[Weighted] | None:
        """Search, but return None where this is too much for plain kernels: their next call is compiled."""
        work = _Work(run, weights, [self._controls() for _ in range(min(self._threads, weights.size))])
        work.start()
        try:
            while not work.wait(TICK):
                self._look(work)
                if kernels.are_slow():
                    return None
        finally:
            work.stop()  # also on Ctrl-C
            work.wait()
        work.check()
        self._add(work.count(), work.entries(), full=work.is_full())
        self._ended += 1
        return [work.found[start] for start in sorted(work.found)]

    def _controls(self) -> Controls:
        controls = np.zeros(kernels.shapes.CONTROLS, dtype=np.int64)
        controls[kernels.shapes.MOST] = self._most - self._found
        controls[kernels.shapes.ROOM] = self._memory // BYTES_AN_ENTRY - self._entries
        return controls

    def _look(self, work: _Work) -> None:
        """Report progress; stop the work when all threads together have found too much."""
        found = self._found + work.count()
        self._share = max(self._share, (self._ended + work.share()) / self._jobs)
        self._report(self._share, found)
        room = self._memory // BYTES_AN_ENTRY - self._entries - work.entries()
        for control in work.controls:
            control[kernels.shapes.ROOM] = room
        if found > self._most or room < 0 or work.is_full():
            work.stop()

    def _add(self, found: int, entries: int, *, full: bool = False) -> None:
        self._found += found
        self._entries += entries
        if self._found > self._most:
            remedy = Either(("raise {}", "max_patterns", "min_support"), ("lower {}", "max_length"))
            raise BudgetError(f"more than {self._most:,} itemsets were found, which is the limit: ", remedy)
        if full or self._entries * BYTES_AN_ENTRY > self._memory:
            remedy = Either(("raise {}", "memory", "min_support"), ("lower {}", "max_length"))
            flaw = f"take more than the allowed {resources.size(self._memory)} of memory"
            raise BudgetError(f"the {self._found:,} itemsets found so far {flaw}: ", remedy)


def _entries(itemsets: Weighted) -> int:
    """Return how many entries of a stream the itemsets take."""
    return itemsets.items.size + RECORD * itemsets.weights.size


def _parts(weights: Numbers, threads: int, parts: int) -> list[tuple[int, int]]:
    """Divide the work into parts of about equal weight: one part for one thread, else so many for each thread."""
    many = 1 if threads == 1 else min(weights.size, parts * threads)
    heaped = np.cumsum(weights)
    ends = np.searchsorted(heaped, [heaped[-1] * part / many for part in range(1, many + 1)]) + 1
    return list(pairwise(np.unique([0, *np.minimum(ends, weights.size)]).tolist()))


Strategy: TypeAlias = Literal["auto", "dense", "sparse", "mixed"]
Stream: TypeAlias = Items  # records of itemsets, as kernels/common.py writes them
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
    watch = Watch(limits, len(todo))
    parts: list[Weighted] = []
    for job in todo:
        parts.append(watch.note(find_root(job, n)))
        if job.menu.size and job.root.size < job.span[1]:
            run, weights = prepare(rows, supports, job, least, CROWD[strategy], watch)
            parts.extend(watch.run(run, weights))
    watch.end()
    return Weighted.concat(parts)


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
) -> tuple[Run, Numbers]:
    """Return a function that runs a job from place to place, and the weight of each place.

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
    sort = names.size <= FEW and not (dense and job.kind == kernels.search_frames.FREQUENT)

    def run(start: int, stop: int, control: Controls) -> Weighted:
        prefix = kernels.shapes.Prefix(itemset.copy(), job.root.size)
        stream, size = kernel(start, stop, prefix, np.empty(1 << 12, dtype=np.int32), control)
        # An interrupted search is of no use, and unpacking it would delay Ctrl-C.
        return unpack(stream[: 0 if control[kernels.shapes.STOP] else size], names, sort=sort)

    # With bitmaps, rare items are as much work as frequent ones: more items can follow them.
    return run, np.ones_like(held) if dense else held


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


def unpack(stream: Stream, names: Items, *, sort: bool) -> Weighted:
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
