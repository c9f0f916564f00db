"""A worker: a process of its own that does one job after the other, as lines of JSON tell it.

It is told ``{"job", "verb", "arguments", "data", "place"}``, or ``{"stop": job}``. It tells ``{"starting": words}`` if
that takes long, ``{"ready": true}`` once, ``{"job", "stage", "done", "found"}`` now and then, and at the end of each
job ``{"job", "status", "facts"}``. When what it is told by is closed, it ends: no worker outlives its server.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic, perf_counter
from typing import IO, Any, Final

from numba.core import event

from discreet import DiscreetError, QueryError, Transactions, audit
from discreet.web import messages
from discreet.web.cache import Shelf
from discreet.web.context import Desk, Stopped
from discreet.web.handlers import VERBS, Verb
from discreet.web.settings import DEBUG

TICK: Final = 0.1
"""Seconds between two lines about how far a job is."""
COMPILING: Final = "compiling, once after installation, for up to a minute"


class Teller:
    """What is told of a job: its stage, and now and then how much of it is done; here it stops if it shall."""

    def __init__(self, send: Callable[[dict[str, Any]], None], job: int, is_stopped: Callable[[], bool]) -> None:
        """Begin to tell of a job."""
        self._send, self._job, self._is_stopped = send, job, is_stopped
        self._last = 0.0

    def stage(self, word: str) -> None:
        """Tell what is done now."""
        self._tell({"stage": word, "done": None, "found": None})

    def progress(self, done: float | None, found: int | None) -> None:
        """Tell what share of the stage is done, and how much was found, as far as that is known."""
        if monotonic() - self._last >= TICK:
            self._tell({"done": None if done is None else round(done, 4), "found": found})
        elif self._is_stopped():
            raise Stopped

    def _tell(self, what: dict[str, Any]) -> None:
        if self._is_stopped():
            raise Stopped
        self._last = monotonic()
        self._send({"job": self._job, **what})


class Worker:
    """Does what it is told, with the verbs of a table."""

    def __init__(self, out: IO[bytes], memory: int, verbs: dict[str, Verb]) -> None:
        """Write to ``out``; a job may take so much memory."""
        self._out, self._memory, self._verbs = out, memory, verbs
        self._lock, self._shelf = Lock(), Shelf()
        self._stopped: set[int] = set()

    def run(self, lines: IO[bytes]) -> None:
        """Do the jobs that come in; end when no more can come."""
        jobs: SimpleQueue[dict[str, Any]] = SimpleQueue()
        Thread(target=self._listen, args=(lines, jobs), daemon=True).start()
        with event.install_listener("numba:compile", Compiling(self._send)):
            warm_up()
        limit_memory(self._memory)
        self._send({"ready": True})
        while True:
            told = jobs.get()
            status, facts = self._done(told)
            self._send({"job": told["job"], "status": status, "facts": facts})
            self._stopped.discard(told["job"])

    def _listen(self, lines: IO[bytes], jobs: "SimpleQueue[dict[str, Any]]") -> None:
        for line in lines:
            told = json.loads(line)
            if "stop" in told:
                self._stopped.add(told["stop"])
            else:
                jobs.put(told)
        os._exit(0)  # at once: nobody waits for what is under way

    def _send(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, allow_nan=False).encode() + b"\n"
        with self._lock:
            self._out.write(line)
            self._out.flush()

    def _done(self, told: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status of a job and its facts; or what went wrong, in a sentence."""
        data, place = told["data"], Path(told["place"])
        teller = Teller(self._send, told["job"], lambda: told["job"] in self._stopped)
        desk = Desk(self._shelf, data, place, self._memory, teller.stage, teller.progress)
        names = {data["path"]: data["file"]} if data and data.get("path") else {}
        start = perf_counter()
        try:
            facts = self._verbs[told["verb"]](desk, **told["arguments"])
            json.dumps(facts, allow_nan=False)
            return 200, {**facts, "seconds": round(perf_counter() - start, 4)}
        except BaseException as error:  # noqa: BLE001 - libraries panic; a person must be answered all the same
            return failed(error, names)


def failed(error: BaseException, names: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
    """Return the status of what went wrong, and a sentence; files go by their ``names``, not by their places."""
    match error:
        case Stopped():
            return 409, {"error": messages.STOPPED}
        case QueryError():
            return 400, {"error": messages.in_pages(error.message, names), "caret": error.column}
        case DiscreetError():
            return 400, {"error": messages.in_pages(error.message, names)}
        case MemoryError():
            return 503, {"error": messages.MEMORY}
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    return 500, {"error": messages.UNFORESEEN}


class Compiling(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Tells, the first time that Numba compiles something and does not merely load it, that this takes a while."""

    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        """Keep what to send it with."""
        self._send: Callable[[dict[str, Any]], None] | None = send

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002 - one word for all kernels
        """Tell it, once."""
        if self._send is not None:
            self._send({"starting": COMPILING})
        self._send = None

    def on_end(self, event: event.Event) -> None:
        """Tell nothing: the next kernel follows."""


def warm_up() -> None:
    """Load what nearly every job needs, so that the first one need not wait for it."""
    found = audit(Transactions([["a", "b"]] * 6 + [["a"]] * 3 + [["b"]] * 2), min_support=2, k=4)
    _ = found.exposed, found.is_acyclic


def limit_memory(size: int) -> None:
    """Let this process take ``size`` bytes more than it has; beyond that, it is refused or ends."""
    with suppress(ImportError, OSError, ValueError):  # not every system can
        import resource  # noqa: PLC0415 - not on every system

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + size
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))


def main(verbs: dict[str, Verb] | None = None) -> None:
    """Work for the process that started this one; what libraries print goes nowhere near its ears."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    Worker(out, int(sys.argv[1]), VERBS if verbs is None else verbs).run(sys.stdin.buffer)


if __name__ == "__main__":
    main()
