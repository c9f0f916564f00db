"""Workers: processes that do the jobs, kept warm; one that must be stopped, or dies, is replaced."""

import asyncio
import itertools
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from discreet.web import messages
from discreet.web.jobs import Job, Outcome
from discreet.web.settings import DEBUG

COMMAND: Final = (sys.executable, "-P", "-m", "discreet.web.worker")
"""With -P, what lies in the present folder is not taken for a library."""
MANY: Final = 2
GRACE: Final = 1.0
"""Seconds in which a worker may stop by itself, before it is killed."""
TRIES: Final = 3
"""Times that a worker may die before it is ready."""
LONGEST_LINE: Final = 1 << 26


@dataclass(eq=False)
class Worker:
    """A process, what it does now, and which data it has seen last."""

    process: Process
    ready: bool = False
    killed: bool = False
    starting: str = "starting"
    job: Job | None = None
    number: int = 0
    data: "deque[str | None]" = field(default_factory=lambda: deque(maxlen=3))

    def tell(self, message: dict[str, Any]) -> None:
        """Send a line; one that cannot hear it any more is replaced anyway."""
        if self.process.stdin is not None and not self.process.stdin.is_closing():
            self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def kill(self) -> None:
        """End the process at once; what it has told before may still come in."""
        self.killed = True
        with suppress(ProcessLookupError):
            self.process.kill()


class Pool:
    """Workers, and the jobs that wait for them.

    Long work never takes the last worker, so that a quick question is answered meanwhile. A job goes to an idle worker
    that has its data, if there is one.
    """

    def __init__(self, memory: int, *, many: int = MANY, command: Sequence[str] = COMMAND) -> None:
        """Have ``many`` workers, each of which may take so much memory for a job."""
        self._command, self._memory, self._many = command, memory, many
        self._workers: list[Worker] = []
        self._waiting: list[Job] = []
        self._numbers = itertools.count(1)
        self._keepers: list[asyncio.Task[None]] = []
        self._kept = many
        self._closing = False

    def start(self) -> None:
        """Start the workers, in the background."""
        self._keepers = [asyncio.create_task(self._keep()) for _ in range(self._many)]

    async def close(self) -> None:
        """End all workers, at once."""
        self._closing = True
        for worker in self._workers:
            worker.kill()
        await asyncio.gather(*self._keepers)

    @property
    def processes(self) -> list[int]:
        """The ids of the processes that are up."""
        return [worker.process.pid for worker in self._workers]

    def put(self, job: Job) -> None:
        """Have a job done as soon as a worker is free."""
        self._waiting.append(job)
        self._assign()

    def stop(self, job: Job) -> None:
        """Stop a job: it is forgotten if it waits; else its worker is told, and killed if it does not listen."""
        if job in self._waiting:
            self._waiting.remove(job)
        for worker in self._workers:
            if worker.job is job:
                worker.tell({"stop": worker.number})
                asyncio.get_running_loop().call_later(GRACE, self._kill, worker, worker.number)

    def _kill(self, worker: Worker, number: int) -> None:
        """Kill a worker if it is still at the job of that number."""
        if worker.job is not None and worker.number == number:
            worker.kill()

    def _assign(self) -> None:
        """Give waiting jobs to idle workers, the oldest first; say what they wait for, or that they wait in vain."""
        for job in list(self._waiting):
            ready = [worker for worker in self._workers if worker.ready and not worker.killed]
            idle = [worker for worker in ready if worker.job is None]
            at_length = sum(worker.job is not None and worker.job.long for worker in ready)
            job.stage = "waiting" if ready else next((worker.starting for worker in self._workers), "starting")
            if not self._kept:
                self._waiting.remove(job)
                job.end(Outcome(503, {"error": messages.NO_WORKER}))
            elif idle and not (job.long and at_length >= max(1, self._many - 1)):
                self._waiting.remove(job)
                self._begin(next((worker for worker in idle if job.key in worker.data), idle[0]), job)

    def _begin(self, worker: Worker, job: Job) -> None:
        worker.job, worker.number = job, next(self._numbers)
        job.stage = "working"
        if job.key is not None:
            worker.data.append(job.key)
        told = {"verb": job.verb, "arguments": job.arguments, "data": job.data, "place": str(job.place)}
        worker.tell({"job": worker.number, **told})

    async def _keep(self) -> None:
        """Keep one worker up: start it, hear it, and start another when it is gone; give up if none comes up."""
        failures = 0
        while not self._closing and failures < TRIES:
            try:
                worker = Worker(await self._started())
            except OSError:  # too many processes, say
                failures += 1
                continue
            self._workers.append(worker)
            if self._closing:  # while it was started
                worker.kill()
            await self._hear(worker)
            await worker.process.wait()
            self._workers.remove(worker)
            if worker.job is not None:
                worker.job.end(Outcome(503, {"error": messages.KILLED}))
            failures = 0 if worker.ready else failures + 1
            self._assign()
        self._kept -= 1
        self._assign()

    async def _started(self) -> Process:
        """Return a new process, out of reach of Ctrl-C, which is for the server alone."""
        return await asyncio.create_subprocess_exec(
            *self._command,
            str(self._memory),
            stdin=PIPE,
            stdout=PIPE,
            stderr=None if os.environ.get(DEBUG) else DEVNULL,
            limit=LONGEST_LINE,
            start_new_session=os.name == "posix",
        )

    async def _hear(self, worker: Worker) -> None:
        """Take in what a worker tells, until it is gone."""
        out = worker.process.stdout
        try:
            while out is not None and (line := await out.readline()):
                self._take(worker, json.loads(line))
        except ValueError:  # more than any answer has, or no answer
            worker.kill()

    def _take(self, worker: Worker, told: dict[str, Any]) -> None:
        """Take in a line of a worker; when a job has ended, or the worker has begun, there may be more to do."""
        if "starting" in told:
            worker.starting = told["starting"]
        elif "ready" in told:
            worker.ready = True
        elif worker.job is None or told["job"] != worker.number:
            return
        elif "status" in told:
            worker.job.end(Outcome(told["status"], told["facts"]))
            worker.job = None
        else:
            worker.job.tell({"done": None, "found": None, **told})
            return
        self._assign()
