"""Warming: while nobody waits for an answer, all kernels are compiled, so that the first large file need not wait."""

import asyncio
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from discreet import kernels, warm

QUIET: Final = 2.0  # seconds without work before compiling begins
TICK: Final = 0.1  # seconds after which compiling makes way for work
REST: Final = getattr(signal, "SIGSTOP", None)  # not on every system


class Warming:
    """Compiles all kernels in a process of its own, which rests while there is work; ``done`` is a share of that.

    It is None if there is nothing to compile, because that was done before or an environment variable forbids it.
    """

    done: float | None = None

    def __init__(self, is_idle: Callable[[], bool], *, command: Sequence[str] = (*warm.COMMAND, "19")) -> None:
        """Watch for work; the command has the highest niceness."""
        self._is_idle, self._command = is_idle, command
        self._task: asyncio.Task[None] | None = None
        self._creating: asyncio.Task[Process] | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What the page shows."""
        return {"preparing": self.done is not None and self.done < 1, "done": self.done}

    def start(self) -> None:
        """Begin as soon as nobody waits, if there is something to compile."""
        if kernels.is_cold():
            self.done = 0.0
            self._task = asyncio.create_task(self._compile())

    async def close(self) -> None:
        """End at once, and wait until the process has ended, even if it was just being ended."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        if self._creating is not None:
            await _end(self._creating)

    async def _compile(self) -> None:
        """Do all jobs, one after another; if one fails, give up: nobody asked for it."""
        await self._wait_for_quiet()
        create = asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=warm.environment()
        )
        self._creating = asyncio.create_task(create)
        try:
            process = await asyncio.shield(self._creating)  # or closing now would leave it running
            ended = 0.0
            for name, job in warm.JOBS.items():
                if not await self._do(process, name):
                    self.done = None
                    return
                ended += job.seconds
                self.done = min(ended / warm.SECONDS, 0.99)
            kernels.write_stamp()
            self.done = 1.0
        except OSError:
            self.done = None
        finally:
            await _end(self._creating)

    async def _wait_for_quiet(self) -> None:
        quiet = 0.0
        while quiet < QUIET:
            await asyncio.sleep(TICK)
            quiet = quiet + TICK if self._is_idle() else 0.0

    async def _do(self, process: Process, name: str) -> bool:
        """Have a job done, and return whether it was; its process rests while there is work."""
        if process.stdin is None or process.stdout is None:
            return False
        process.stdin.write(f"{name}\n".encode())
        answer, is_resting = asyncio.create_task(process.stdout.readline()), False
        while not (await asyncio.wait([answer], timeout=TICK))[0]:
            if is_resting is self._is_idle() and REST is not None:
                is_resting = not is_resting
                process.send_signal(REST if is_resting else signal.SIGCONT)
        return answer.result().decode().strip() == name


async def _end(creating: asyncio.Task[Process]) -> None:
    """End a process, also one that is just being created."""
    with suppress(OSError):
        process = await creating
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
