"""The machine: its memory and cores, sizes in words, and work shared by threads."""

import numbers
import os
from collections.abc import Callable, Iterable
from typing import TypeVar

from discreet.errors import ThresholdError
from discreet.runtime.text import abbreviate

Result = TypeVar("Result")


def memory() -> int:
    """Return the memory of this machine in bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system says
        return 8 << 30


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def as_threads(threads: int | None) -> int:
    """Return how many threads to use: all cores by default."""
    if threads is None:
        return cores()
    if isinstance(threads, bool) or not isinstance(threads, numbers.Integral) or threads < 1:
        raise ThresholdError(f"threads is {abbreviate(threads)!r}; give a whole number of at least 1, or leave it out")
    return int(threads)


def as_memory(bytes_: int | None) -> int:
    """Return how many bytes of memory to use: half of the machine's by default."""
    if bytes_ is None:
        return memory() // 2
    if isinstance(bytes_, bool) or not isinstance(bytes_, numbers.Integral) or bytes_ < 1:
        raise ThresholdError(f"memory is {abbreviate(bytes_)!r}; give a whole number of bytes, such as 100_000_000")
    return int(bytes_)


def size(bytes_: int) -> str:
    """Return a number of bytes in words, rounded for reading.

    >>> size(800), size(3 << 19), size(12 << 30)
    ('800 bytes', '1.5 MiB', '12.0 GiB')
    """
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if bytes_ >= 1 << shift:
            return f"{bytes_ / (1 << shift):,.1f} {unit}"
    return f"{bytes_} bytes"


def share(function: Callable[[int, int], Result], parts: Iterable[tuple[int, int]], threads: int) -> list[Result]:
    """Return the result of ``function`` for each part, computed by so many threads.

    >>> share(lambda start, stop: stop - start, [(0, 3), (3, 4)], threads=2)
    [3, 1]
    """
    if threads == 1:
        return [function(*part) for part in parts]
    # Loaded late: it loads logging, and importing discreet should stay quick.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda part: function(*part), parts))


def as_seconds(seconds: float) -> float:
    """Return ``seconds`` if it is a time to wait."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        raise ThresholdError(f"seconds is {abbreviate(seconds)!r}; give a number above 0, such as 60")
    return float(seconds)
