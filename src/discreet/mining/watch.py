"""The watch over a search: its threads, its limits, and Ctrl-C; what it finds.

Kernels run in threads, so that the calling thread hears Ctrl-C. Each thread shares an array of controls with its kernel
(see kernels/shapes.py): the kernel reports how far it is, the watch says when to stop.
"""

from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Items, Weighted, offsets_of
from discreet.errors import BudgetError, Either
from discreet.runtime import resources
from discreet.runtime.resources import Progress, Result
from discreet.runtime.solver import Numbers

Controls: TypeAlias = Numbers
Stream: TypeAlias = Items  # records of itemsets, as kernels/common.py writes them
Run: TypeAlias = Callable[[int, int, Controls], Stream]  # searches from place to place
TICK: Final = 0.1  # seconds between two checks of the work
BYTES_AN_ENTRY: Final = 16  # memory of an entry of a stream at the peak: found, growing, sorted, moved, 4 bytes each
RECORD: Final = 2  # entries of a stream for each itemset besides its items: its length and its support
PARTS: Final = 64  # parts of the work for each thread, so that none waits long for the last
UNLIMITED: Final = 2**62
WORTH_A_THREAD: Final = 100_000  # itemsets that are worth a thread of their own when unpacked or sorted


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search, and its progress callback."""

    threads: int | None = None
    patterns: int | None = None
    memory: int | None = None
    progress: Progress | None = None


class Found(NamedTuple):
    """A stream, and how many itemsets are in it."""

    stream: Stream
    many: int


class Naming(NamedTuple):
    """The code of each item in a stream, and whether setting ``bits`` is the best way to sort the codes of itemsets."""

    names: Items
    bits: bool


class _Work:
    """A search shared by as many threads as there are ``controls``: its parts, by the place where each starts."""

    def __init__(self, run: Run, weights: Numbers, controls: list[Controls]) -> None:
        self.controls = controls
        self.found: dict[int, Found] = {}
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
        try:
            for control in self.controls:
                run = start_new_thread if resources.HAS_THREADS else lambda thread, arguments: thread(*arguments)
                run(self._run_thread, (control,))
        except RuntimeError:  # the system allows no more
            self.stop()
            raise

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
            self._running[start], before = control, int(control[kernels.shapes.FOUND])
            stream = self._run(start, self._ends[start], control)
            del self._running[start]
            if not control[kernels.shapes.STOP]:  # an interrupted part is not done
                self.found[start] = Found(stream, int(control[kernels.shapes.FOUND]) - before)

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
        return sum(part.stream.size for part in list(self.found.values()))

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

    def note(self, itemset: Weighted) -> Found:
        """Count an itemset found without a search, or none; return it as a stream."""
        stream = np.concatenate([itemset.lengths, itemset.weights, itemset.items]).astype(np.int32)
        self._add(len(itemset), stream.size)
        return Found(stream, len(itemset))

    def share(self, function: Callable[[int, int], Result], weights: Numbers) -> list[Result]:
        """Return the results of ``function`` for parts of the places with these ``weights``, on all threads."""
        return resources.share(function, _parts(weights, self._threads, 2), self._threads)

    def unpack(self, found: Iterable[tuple[list[Found], Naming]]) -> Weighted:
        """Return the itemsets of streams, one after the other, on all threads."""
        parts = [(*part, *naming) for listed, naming in found for part in listed]
        numbers = offsets_of([many for _, many, *_ in parts])
        entries = offsets_of([stream.size - RECORD * many for stream, many, *_ in parts])
        offsets, supports = np.zeros(numbers[-1] + 1, dtype=np.int64), np.empty(numbers[-1], dtype=np.int64)
        items = np.empty(entries[-1], dtype=np.int32)

        def unpack(first: int, last: int) -> None:
            for part in range(first, last):
                stream, _, names, bits = parts[part]
                place = slice(numbers[part], numbers[part + 1])
                arrays = offsets[1:][place], items, supports[place]
                if bits:
                    order = np.argsort(names)
                    ranks = np.empty_like(order)
                    ranks[order] = np.arange(order.size)
                    kernels.itemsets.unpack_in_order(stream, ranks, names[order], entries[part], *arrays)
                else:
                    kernels.itemsets.unpack(stream, names, entries[part], *arrays)

        largest_first = sorted(pairwise(range(len(parts) + 1)), key=lambda part: -parts[part[0]][1])
        resources.share(unpack, largest_first, self._threads if numbers[-1] > WORTH_A_THREAD else 1)
        return Weighted(offsets, items, supports)

    def run(self, run: Run, weights: Numbers) -> list[Found]:
        """Search through all places, which have these ``weights``; return what is found in the order of places."""
        # Each attempt that is given up leaves one plain kernel fewer.
        while (found := self._try(run, weights)) is None:
            pass
        return found

    def end(self) -> None:
        """Report that the search is over."""
        self._report(1.0, self._found)

    def _try(self, run: Run, weights: Numbers) -> list[Found] | None:
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


def _parts(weights: Numbers, threads: int, parts: int) -> list[tuple[int, int]]:
    """Divide the work into parts of about equal weight: one part for one thread, else so many for each thread."""
    many = 1 if threads == 1 else min(weights.size, parts * threads)
    heaped = np.cumsum(weights)
    ends = np.searchsorted(heaped, [heaped[-1] * part / many for part in range(1, many + 1)]) + 1
    return list(pairwise(np.unique([0, *np.minimum(ends, weights.size)]).tolist()))
