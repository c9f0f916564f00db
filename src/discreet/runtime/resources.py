"""What a long call uses and shows: memory, cores, threads, and its progress as a callback or a bar in a notebook."""

import numbers
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from importlib import import_module
from time import monotonic
from typing import Any, Final, TypeAlias, TypeVar

from discreet.errors import BudgetError, InputError, Option, ThresholdError
from discreet.runtime.cgroups import find_core_limit, find_memory_limit
from discreet.runtime.html import text
from discreet.runtime.text import abbreviate

Result = TypeVar("Result")
Progress: TypeAlias = Callable[[float, int], None]
"""Called now and then with the share of the work that is done and how many have been found."""
Show: TypeAlias = Callable[[dict[str, str]], None]  # shows output below the cell, in place of its previous output

RAISE_IT: Final = " allows: raise it"
HAS_THREADS: Final = sys.platform != "emscripten"  # a browser has none
DELAY: Final = 1.0  # seconds before a bar is shown
TICK: Final = 0.25  # seconds between two updates of the bar
ESTIMABLE: Final = 0.02  # the share of the work after which the remaining time is estimated
MINUTE: Final = 60
NOTHING: Final = {"text/html": "", "text/plain": ""}

_is_watched: ContextVar[bool] = ContextVar("_is_watched", default=False)  # whether an outer call has a bar already


def memory() -> int:
    """Return the memory that this process may use in bytes: the machine's, or less in a container with a limit.

    >>> memory() > 0
    True
    """
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system says
        whole = 8 << 30
    return min(whole, find_memory_limit() or whole)


def cores() -> int:
    """Return the number of cores that this process may use: by its affinity, or fewer in a container with a limit.

    >>> cores() >= 1
    True
    """
    if not HAS_THREADS:
        return 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(allowed, find_core_limit() or allowed)


def as_whole(name: str, value: int | None, least: int, wanted: str = "") -> int | None:
    """Return ``value`` if it is None or a whole number of at least ``least``."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        advice = wanted or f"give a whole number of at least {least}, or leave it out"
        raise ThresholdError(f"{name} is {abbreviate(value)!r}; {advice}")
    return int(value)


def as_threads(threads: int | None) -> int:
    """Return how many threads to use: all cores by default."""
    return as_whole("threads", threads, least=1) or cores()


def as_memory(bytes_: int | None) -> int:
    """Return how many bytes of memory to use: half of what there is by default."""
    return as_whole("memory", bytes_, 1, "give a whole number of bytes, such as 100_000_000") or memory() // 2


def as_seconds(seconds: float) -> float:
    """Return ``seconds`` if it is a time to wait."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        raise ThresholdError(f"seconds is {abbreviate(seconds)!r}; give a number above 0, such as 60")
    return float(seconds)


def size(bytes_: int) -> str:
    """Return a number of bytes in words, rounded for reading.

    >>> size(800), size(3 << 19), size(12 << 30)
    ('800 bytes', '1.5 MiB', '12.0 GiB')
    """
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if bytes_ >= 1 << shift:
            return f"{bytes_ / (1 << shift):,.1f} {unit}"
    return f"{bytes_} bytes"


def check_room(needed: int, allowed: int | None = None, what: str = "the file") -> None:
    """Refuse to hold more than the bytes ``allowed``, by default half of the machine's: rows need the other half."""
    room = memory() // 2 if allowed is None else allowed
    if needed <= room:
        return
    if allowed is not None:
        raise BudgetError(f"{what} holds more than the {size(room)} that ", Option("memory"), RAISE_IT)
    most = f"{room / 2**30:.1f} GiB, half of this machine's memory"
    raise InputError(f"{what} holds more than {most}; split it, or read it on a larger machine")


def share(function: Callable[[int, int], Result], parts: Iterable[tuple[int, int]], threads: int) -> list[Result]:
    """Return the result of ``function`` for each part, computed by so many threads."""
    if threads == 1:
        return [function(*part) for part in parts]
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - it loads logging

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda part: function(*part), parts))


@contextmanager
def watching(
    progress: Progress | None, *, what: str = "mining", unit: str = "found", then: str = ""
) -> Iterator[Progress]:
    """Yield the callback of a long call: ``progress``, or a bar in a notebook; a call within another one shows none.

    ``what`` names the work, ``unit`` what is counted, and ``then`` the work after that.

    >>> with watching(None) as tell:
    ...     tell(0.5, 12)
    """
    show = None if progress is not None or _is_watched.get() else _notebook()
    if show is None:
        yield progress or (lambda _done, _found: None)
        return
    token = _is_watched.set(True)
    bar = _Bar(show, what, unit, then)
    try:
        yield bar.tell
    finally:
        bar.end()
        _is_watched.reset(token)


class _Bar:
    """The state of a running call, and a thread that shows it, even while the call is silent."""

    def __init__(self, show: Show, what: str, unit: str, then: str) -> None:
        from threading import Event, Thread  # noqa: PLC0415 - importing discreet should stay quick

        self._show, self._what, self._unit, self._then = show, what, unit, then
        self._done, self._found, self._start = 0.0, 0, monotonic()
        self._ended = Event()
        # The context tells the notebook which cell an output belongs to.
        self._thread = Thread(target=copy_context().run, args=(self._watch,), daemon=True)
        self._thread.start()

    def tell(self, done: float, found: int) -> None:
        self._done, self._found = float(done), int(found)
        if done >= 1 and self._then:
            self._what = self._then

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        if self._ended.wait(DELAY):
            return
        try:
            while True:
                self._show(draw_bar(self._words(), self._done))
                if self._ended.wait(TICK):
                    return
        finally:
            self._show(NOTHING)

    def _words(self) -> str:
        elapsed, done = monotonic() - self._start, self._done
        parts = [f"{self._found:,} {self._unit}"] if self._found else []
        is_estimable = ESTIMABLE <= done < 1
        parts.append(f"about {_time(elapsed * (1 - done) / done)} left" if is_estimable else f"{_time(elapsed)} so far")
        return f"{self._what}: {', '.join(parts)}"


def draw_bar(words: str, done: float) -> dict[str, str]:
    """Return a bar with words beside it, as HTML and as plain text; it is open-ended if the end is unknown."""
    is_known = 0 < done < 1
    value = f' value="{done:.3f}"' if is_known else ""
    return {
        "text/html": (
            f'<div><progress max="1"{value} aria-label="progress" style="width:16em;vertical-align:middle"></progress> '
            f'<span style="font-variant-numeric:tabular-nums">{text(words)}</span></div>'
        ),
        "text/plain": f"{done:.0%} " * is_known + words,
    }


def _time(seconds: float) -> str:
    whole = int(seconds) + 1
    return f"{whole} s" if whole < MINUTE else f"{-(-whole // MINUTE)} min"


def _notebook() -> Show | None:
    """Return a function that shows output below the running cell, if any; this loads no module of IPython."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is None:  # no IPython, or one in a terminal
        return None
    module: Any = import_module("IPython.display")
    place, is_there = os.urandom(16).hex(), False

    def show(data: dict[str, str]) -> None:
        nonlocal is_there
        (module.update_display if is_there else module.display)(data, raw=True, display_id=place)
        is_there = True

    return show
