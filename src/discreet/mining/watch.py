"""The watch over a search: threads, progress, limits and Ctrl-C.

Kernels run in threads of their own, so that the calling thread can hear Ctrl-C. Each thread shares an array of controls
with its kernel (see kernels/common.py): the kernel reports how far it is, the watch says when to stop.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Weighted
from discreet.errors import BudgetError, Either
from discreet.runtime import resources
from discreet.runtime.progress import Progress
from discreet.runtime.resources import Result

Controls: TypeAlias = NDArray[np.int64]

Run: TypeAlias = Callable[[int, int, Controls], Weighted]
"""Searches from one place to another; returns the itemsets, or none if it was stopped."""

TICK: Final = 0.1
"""Seconds between two checks of the work."""
BYTES_AN_ENTRY: Final = 16
"""Memory of an entry of a stream at the peak: found, growing, sorted and moved, four bytes each."""
RECORD: Final = 2
"""Entries of a stream for each itemset besides its items: its length and its support."""
PARTS: Final = 16
"""Parts of the work for each thread, so that none waits long for the last."""
UNLIMITED: Final = 2**62


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search, and its progress callback."""

    threads: int | None = None
    patterns: int | None = None
    memory: int | None = None
    progress: Progress | None = None


class Work:
    """A search shared by threads: its parts, by the place where each starts."""

    def __init__(self, run: Run, weights: NDArray[np.int64], controls: list[Controls]) -> None:
        """Divide the work between as many threads as there are ``controls``."""
        self.controls = controls
        self.found: dict[int, Weighted] = {}
        self._run, self._places = run, weights.size
        self._ends = dict(_parts(weights, len(controls), PARTS))
        # The heaviest parts start first; equal ones in order.
        self._todo = deque(sorted(self._ends, key=lambda start: -int(weights[start : self._ends[start]].sum())))
        self._running: dict[int, Controls] = {}

    def take(self, control: Controls) -> None:
        """Run one part after the other, until none is left or the search is stopped."""
        while not control[kernels.common.STOP]:
            try:
                start = self._todo.popleft()
            except IndexError:  # the last part is taken
                return
            control[kernels.common.DONE], control[kernels.common.PART] = start, 0
            self._running[start] = control
            itemsets = self._run(start, self._ends[start], control)
            del self._running[start]
            if not control[kernels.common.STOP]:  # an interrupted part is not done
                self.found[start] = itemsets

    def share(self) -> float:
        """Return how much of the work is done."""
        done = float(sum(self._ends[start] - start for start in list(self.found)))
        for start, control in list(self._running.items()):
            # The place that DONE speaks of is under way: PART says how far.
            done += max(0, control[kernels.common.DONE] - 1 - start) + control[kernels.common.PART] / 1000
        return min(1.0, done / self._places)

    def count(self) -> int:
        """Return how many itemsets have been found, in the parts under way too."""
        return sum(int(control[kernels.common.FOUND]) for control in self.controls)

    def entries(self) -> int:
        """Return how many entries the itemsets of the finished parts have."""
        return sum(_entries(itemsets) for itemsets in list(self.found.values()))

    def is_full(self) -> bool:
        """Return whether a thread has reached a limit."""
        return any(control[kernels.common.STOP] == kernels.common.FULL for control in self.controls)

    def stop(self) -> None:
        """Stop all threads: kernels end at the next itemset."""
        for control in self.controls:
            control[kernels.common.STOP] = max(control[kernels.common.STOP], kernels.common.STOPPED)


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
            raise BudgetError(
                f"the rows may need {resources.size(size)} to be searched; memory is limited to "
                f"{resources.size(self._memory)}: ",
                Either(("raise {}", "memory", "min_support")),
            )

    def note(self, itemsets: Weighted) -> Weighted:
        """Count itemsets found without a search."""
        self._add(itemsets.weights.size, _entries(itemsets))
        return itemsets

    def share(self, function: Callable[[int, int], Result], weights: NDArray[np.int64]) -> list[Result]:
        """Return the results of ``function`` for parts of the places with these ``weights``, on all threads."""
        return resources.share(function, _parts(weights, self._threads, 2), self._threads)

    def run(self, run: Run, weights: NDArray[np.int64]) -> list[Weighted]:
        """Search through all places, which have these ``weights``; return the itemsets in the order of places."""
        # Loaded late: it loads logging, and importing discreet should stay quick.
        from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait  # noqa: PLC0415

        threads = min(self._threads, weights.size)
        work = Work(run, weights, [self._controls() for _ in range(threads)])
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(work.take, control) for control in work.controls]
            try:
                while True:
                    done, going = wait(futures, timeout=TICK, return_when=FIRST_EXCEPTION)
                    if not going or any(future.exception() for future in done):
                        break
                    self._look(work)
            finally:
                # Also on Ctrl-C: leaving the pool waits for the threads.
                work.stop()
            for future in futures:
                future.result()
        self._add(work.count(), work.entries(), full=work.is_full())
        self._ended += 1
        return [work.found[start] for start in sorted(work.found)]

    def end(self) -> None:
        """Report that all is done."""
        self._report(1.0, self._found)

    def _controls(self) -> Controls:
        controls = np.zeros(kernels.common.CONTROLS, dtype=np.int64)
        controls[kernels.common.MOST] = self._most - self._found
        controls[kernels.common.ROOM] = self._memory // BYTES_AN_ENTRY - self._entries
        return controls

    def _look(self, work: Work) -> None:
        """Report progress; stop the work when all threads together have found too much."""
        found = self._found + work.count()
        self._share = max(self._share, (self._ended + work.share()) / self._jobs)
        self._report(self._share, found)
        room = self._memory // BYTES_AN_ENTRY - self._entries - work.entries()
        for control in work.controls:
            control[kernels.common.ROOM] = room
        if found > self._most or room < 0 or work.is_full():
            work.stop()

    def _add(self, found: int, entries: int, *, full: bool = False) -> None:
        """Count itemsets; refuse more than allowed."""
        self._found += found
        self._entries += entries
        if self._found > self._most:
            raise BudgetError(
                f"more than {self._most:,} itemsets were found, which is the limit: ",
                Either(("raise {}", "max_patterns", "min_support"), ("lower {}", "max_length")),
            )
        if full or self._entries * BYTES_AN_ENTRY > self._memory:
            raise BudgetError(
                f"the {self._found:,} itemsets found so far take more than the allowed "
                f"{resources.size(self._memory)} of memory: ",
                Either(("raise {}", "memory", "min_support"), ("lower {}", "max_length")),
            )


def _entries(itemsets: Weighted) -> int:
    """Return how many entries of a stream the itemsets take."""
    return itemsets.items.size + RECORD * itemsets.weights.size


def _parts(weights: NDArray[np.int64], threads: int, parts: int) -> list[tuple[int, int]]:
    """Divide the work into parts of about equal weight: one part for one thread, else so many for each thread.

    >>> _parts(np.array([1, 1, 1, 1, 4, 8]), 2, 2)
    [(0, 4), (4, 5), (5, 6)]
    """
    many = 1 if threads == 1 else min(weights.size, parts * threads)
    heaped = np.cumsum(weights)
    ends = np.searchsorted(heaped, [heaped[-1] * part / many for part in range(1, many + 1)]) + 1
    return list(pairwise(np.unique([0, *np.minimum(ends, weights.size)]).tolist()))
