"""The watch over a search: threads, progress, limits and Ctrl-C.

Kernels run in threads of their own, so that the calling one stays free to hear Ctrl-C. Each shares an array of
controls with its kernel (see kernels/search.py): the kernel says how far it is, the watch says when to stop.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels, machine
from discreet.errors import BudgetError

Progress: TypeAlias = Callable[[float, int], None]
Controls: TypeAlias = NDArray[np.int64]


class Itemsets(NamedTuple):
    """Itemsets as arrays: ``items[offsets[i]:offsets[i + 1]]`` has the support ``supports[i]``."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    supports: NDArray[np.int64]


Run: TypeAlias = Callable[[int, int, Controls], Itemsets]
"""Searches from one place to another; returns what it found."""

TICK: Final = 0.1
"""Seconds between two looks at the work."""
BYTES_AN_ENTRY: Final = 16
"""What an entry of a stream takes at the peak: found, growing, sorted and moved, four bytes each."""
RECORD: Final = 2
"""Entries of a stream that come with each itemset: its length and its support."""
PARTS: Final = 16
"""Parts of the work for each thread, so that none waits long for the last."""
UNLIMITED: Final = 2**62


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a search may use, and whom to tell how far it has come."""

    threads: int | None = None
    patterns: int | None = None
    memory: int | None = None
    progress: Progress | None = None


class Watch:
    """What has been found so far, against the limits."""

    def __init__(self, limits: Limits, jobs: int) -> None:
        """Watch over so many ``jobs``, one after the other."""
        self._most = UNLIMITED if limits.patterns is None else limits.patterns
        self._memory = machine.memory() // 2 if limits.memory is None else limits.memory
        self._threads = limits.threads or machine.cores()
        self._tell = limits.progress or (lambda _share, _found: None)
        self._jobs, self._ended, self._share = jobs, 0, 0.0
        self._found, self._entries = 0, 0

    def afford(self, size: int) -> None:
        """Refuse to go on if ``size`` bytes are more than allowed."""
        if size > self._memory:
            raise BudgetError(
                f"the rows need {size / 2**20:,.0f} MiB to be searched; memory is limited to "
                f"{self._memory / 2**20:,.0f} MiB: raise memory or min_support"
            )

    def note(self, itemsets: Itemsets) -> Itemsets:
        """Count itemsets that were found without a search."""
        self._count([itemsets])
        return itemsets

    def over(self, run: Run, places: int) -> list[Itemsets]:
        """Return what a search through all ``places`` finds, in their order."""
        threads = min(self._threads, places)
        parts = deque(_parts(places, threads))
        controls = [self._controls() for _ in range(threads)]
        found: dict[int, Itemsets] = {}

        def work(control: Controls) -> None:
            while parts and not control[kernels.search.STOP]:
                try:
                    start, stop = parts.popleft()
                except IndexError:  # another thread took the last part
                    return
                found[start] = run(start, stop, control)

        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(work, control) for control in controls]
            try:
                while wait(futures, timeout=TICK).not_done:
                    self._look(controls, places)
            finally:
                # Also on Ctrl-C: leaving the pool waits for the kernels, which stop at the next itemset.
                _stop(controls)
            for future in futures:
                future.result()
        self._count(found.values())
        self._ended += 1
        return [found[start] for start in sorted(found)]

    def end(self) -> None:
        """Tell that all is done."""
        self._tell(1.0, self._found)

    def _controls(self) -> Controls:
        controls = np.zeros(kernels.search.CONTROLS, dtype=np.int64)
        controls[kernels.search.MOST] = self._most - self._found
        controls[kernels.search.ROOM] = self._memory // BYTES_AN_ENTRY - self._entries
        return controls

    def _look(self, controls: Iterable[Controls], places: int) -> None:
        """Tell how far the work is; stop it when the threads together have found too much."""
        found = self._found + sum(int(control[kernels.search.FOUND]) for control in controls)
        done = sum(int(control[kernels.search.DONE]) + control[kernels.search.PART] / 1000 for control in controls)
        share = (self._ended + min(1.0, done / places)) / self._jobs
        self._share = max(self._share, share)
        self._tell(self._share, found)
        if found > self._most:
            _stop(controls)

    def _count(self, parts: Iterable[Itemsets]) -> None:
        """Add what was found; refuse more than allowed."""
        for part in parts:
            self._found += part.supports.size
            self._entries += part.items.size + RECORD * part.supports.size
        if self._found > self._most:
            raise BudgetError(
                f"more than {self._most:,} itemsets were found, as many as max_patterns allows: raise max_patterns or "
                "min_support, or lower max_length"
            )
        if self._entries * BYTES_AN_ENTRY > self._memory:
            raise BudgetError(
                f"the {self._found:,} itemsets found so far take more than the {self._memory / 2**20:,.0f} MiB that "
                "memory allows: raise memory or min_support, or lower max_length"
            )


def _parts(places: int, threads: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of the work: all of it for one thread, else several for each."""
    many = 1 if threads == 1 else min(places, PARTS * threads)
    bounds = [places * part // many for part in range(many + 1)]
    return pairwise(bounds)


def _stop(controls: Iterable[Controls]) -> None:
    for control in controls:
        control[kernels.search.STOP] = max(control[kernels.search.STOP], kernels.search.STOPPED)
