"""Notebooks: a bar below the cell that shows how far a long call is, and goes when it ends."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from importlib import import_module
from time import monotonic
from typing import Any, Final, TypeAlias

from discreet.runtime.html import text

Progress: TypeAlias = Callable[[float, int], None]
"""Is told now and then what share of the work is done, and how many have been found."""
Show: TypeAlias = Callable[[dict[str, str]], None]
"""Puts something below the cell, in the place of what it put there before."""

DELAY: Final = 1.0
"""Seconds that a call takes before a bar is worth showing."""
TICK: Final = 0.25
"""Seconds between two looks at how far it is."""
TELLING: Final = 0.02
"""The share of the work from which on it tells how long the rest will take."""
MINUTE: Final = 60
NOTHING: Final = {"text/html": "", "text/plain": ""}

_is_watched: ContextVar[bool] = ContextVar("_is_watched", default=False)
# Whether a call has a bar already, so that the calls within it do without one.


@contextmanager
def watching(
    progress: Progress | None, *, what: str = "mining", unit: str = "found", then: str = ""
) -> Iterator[Progress]:
    """Yield whom a long call shall tell how far it is: ``progress`` if the caller gave one, else a bar in a notebook.

    In a plain interpreter or a script, and in a call within another one, nobody is told. ``what`` says what goes on,
    ``unit`` what is counted, and ``then`` what goes on once all of that is done.

    >>> with watching(None) as tell:
    ...     tell(0.5, 12)
    """
    show = None if progress is not None or _is_watched.get() else _notebook()
    if show is None:
        yield progress or (lambda _done, _found: None)
        return
    token = _is_watched.set(True)
    bar = Bar(show, what, unit, then)
    try:
        yield bar.tell
    finally:
        bar.end()
        _is_watched.reset(token)


class Bar:
    """What is known of a call under way, and a thread of its own that shows it, so that also silent work is seen."""

    def __init__(self, show: Show, what: str, unit: str, then: str) -> None:
        """Begin to look; nothing is shown for a while."""
        # Loaded late, as nothing else needs it: importing discreet shall stay quick.
        from threading import Event, Thread  # noqa: PLC0415

        self._show, self._what, self._unit, self._then = show, what, unit, then
        self._done, self._found, self._start = 0.0, 0, monotonic()
        self._ended = Event()
        # A kernel knows by the context which cell an output belongs to.
        self._thread = Thread(target=copy_context().run, args=(self._watch,), daemon=True)
        self._thread.start()

    def tell(self, done: float, found: int) -> None:
        """Take note of how far the work is."""
        self._done, self._found = float(done), int(found)
        if done >= 1 and self._then:
            self._what = self._then

    def end(self) -> None:
        """Take the bar away; what is shown next comes after it."""
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        if self._ended.wait(DELAY):
            return
        try:
            while True:
                self._show(shown(self._words(), self._done))
                if self._ended.wait(TICK):
                    return
        finally:
            self._show(NOTHING)

    def _words(self) -> str:
        elapsed, done = monotonic() - self._start, self._done
        parts = [f"{self._found:,} {self._unit}"] if self._found else []
        if TELLING <= done < 1:
            parts.append(f"about {_time(elapsed * (1 - done) / done)} left")
        else:
            parts.append(f"{_time(elapsed)} so far")
        return f"{self._what}: {', '.join(parts)}"


def shown(words: str, done: float) -> dict[str, str]:
    """Return a bar with words beside it, as HTML and as plain text; without an end, where that is not known.

    >>> shown("mining: 12 found", 0.25)["text/plain"], shown("blocking: 2 s so far", 1)["text/plain"]
    ('25% mining: 12 found', 'blocking: 2 s so far')
    """
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
    """Return a time in words, rounded up.

    >>> _time(2.2), _time(90)
    ('3 s', '2 min')
    """
    whole = int(seconds) + 1
    return f"{whole} s" if whole < MINUTE else f"{-(-whole // MINUTE)} min"


def _notebook() -> Show | None:
    """Return what shows something below the cell that runs; None where there is none. Nothing is loaded for that."""
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
