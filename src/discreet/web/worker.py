"""A worker: a process of its own that does one job after another, over lines of JSON.

It reads ``{"job", "handler", "arguments", "data", "place"}``, or ``{"stop": job}``. It writes ``{"starting": words}``
if that takes long, ``{"ready": true}`` once, ``{"job", "stage", "done", "found"}`` now and then, and at the end of a
job ``{"job", "status", "facts"}``. It exits when stdin closes, so no worker outlives its server.
"""

import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from time import perf_counter
from typing import IO, Any, Final

from discreet import DiscreetError, QueryError, Transactions, audit
from discreet.errors import UnclearError
from discreet.kernels import is_cold, on_compiling
from discreet.web.arguments import HANDLERS, Run
from discreet.web.context import Cache, Context, Stopped
from discreet.web.loading import Data
from discreet.web.messages import STOPPED, describe_unclear, say_on_page, say_unforeseen

COMPILING: Final = {"starting": "compiling, once after installation, for up to a minute"}
MEMORY: Final = "There is too little memory. Raise the minimum support, or start `discreet serve` with more --memory."


class Worker:
    """Does jobs with the handlers of a table."""

    def __init__(self, out: IO[bytes], memory: int, handlers: Mapping[str, Run]) -> None:
        """Write to ``out``; a job may use so much memory."""
        self._out, self._memory, self._handlers = out, memory, handlers
        self._lock, self._cache = Lock(), Cache()
        self._stopped: set[int] = set()

    def run(self, lines: IO[bytes]) -> None:
        """Do the jobs that come in; end when no more can come."""
        jobs: SimpleQueue[dict[str, Any]] = SimpleQueue()
        Thread(target=self._listen, args=(lines, jobs), daemon=True).start()
        with on_compiling(lambda: self._send(COMPILING)):
            warm_up()
        limit_memory(self._memory)
        self._send({"ready": True})
        while True:
            message = jobs.get()
            status, facts = self._do(message)
            self._send({"job": message["job"], "status": status, "facts": facts})
            self._stopped.discard(message["job"])

    def _listen(self, lines: IO[bytes], jobs: "SimpleQueue[dict[str, Any]]") -> None:
        for line in lines:
            message = json.loads(line)
            if "stop" in message:
                self._stopped.add(message["stop"])
            else:
                jobs.put(message)
        os._exit(0)  # at once: nobody waits for the present job

    def _send(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, allow_nan=False).encode() + b"\n"
        with self._lock:
            self._out.write(line)
            self._out.flush()

    def _do(self, message: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the answer of a job, or an error in a sentence."""
        data = Data(**message["data"])
        is_cold()  # by now, all kernels may have been compiled
        job, place, start = message["job"], Path(message["place"]), perf_counter()

        def send(progress: dict[str, Any]) -> None:
            self._send({"job": job, **progress})

        context = Context(self._cache, data, place, self._memory, send, lambda: job in self._stopped)
        try:
            facts = self._handlers[message["handler"]](context, **message["arguments"])
            json.dumps(facts, allow_nan=False)
            return 200, {**facts, "seconds": round(perf_counter() - start, 4)}
        except BaseException as error:  # noqa: BLE001 - libraries panic, and somebody waits for an answer
            return describe_error(error, {} if data.path is None else {data.path: data.file})


def describe_error(error: BaseException, names: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
    """Return the status of an error and a sentence; ``names`` replace the paths of files."""
    match error:
        case Stopped():
            return 409, {"error": STOPPED}
        case QueryError():
            return 400, {"error": say_on_page(error.message, names), "caret": error.column}
        case UnclearError():
            return 400, describe_unclear(error, names)
        case DiscreetError():
            return 400, {"error": say_on_page(error.message, names)}
        case MemoryError():
            return 503, {"error": MEMORY}
    return 500, {"error": say_unforeseen(error)}


def warm_up() -> None:
    """Load what nearly every job needs, so that the first one need not wait for it."""
    judged = audit(Transactions([["a", "b"]] * 6 + [["a"]] * 3 + [["b"]] * 2), min_support=2, k=4)
    _ = judged.exposed_if_known, judged.is_acyclic


def limit_memory(size: int) -> None:
    """Let this process use ``size`` bytes more than it has; more is refused."""
    with suppress(ImportError, OSError, ValueError):  # not every system can
        import resource  # noqa: PLC0415 - not on every system

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + size
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))


def main(handlers: Mapping[str, Run] | None = None) -> None:
    """Work for the process that started this one; prints of libraries go to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    every = {name: handler.run for name, handler in HANDLERS.items()}
    Worker(out, int(sys.argv[1]), every if handlers is None else handlers).run(sys.stdin.buffer)


if __name__ == "__main__":
    main()
