"""Jobs, known by a digest of the request so that a repeated request joins them; and the worker processes for them."""

import asyncio
import hashlib
import itertools
import json
import os
import secrets
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import OrderedDict, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import Any, Final, NamedTuple

from discreet.web.loading import Data
from discreet.web.messages import DEBUG, STOPPED

KEPT: Final = 64  # jobs that are kept with their outcomes and files
SURE_FROM: Final = 0.02  # share of the work from which the time left can be estimated
FINAL: Final = (200, 400)  # statuses that the same request would give again
COMMAND: Final = (sys.executable, "-P", "-m", "discreet.web.worker")
"""With -P, files in the current folder are not taken for libraries."""
WORKERS: Final = 2
UNASKED: Final = 10.0  # seconds until a fleeting job that nobody asks about is stopped
GRACE: Final = 1.0  # seconds that a worker has to stop by itself before it is killed
TRIES: Final = 3  # how often a worker may die before it is ready
LONGEST_LINE: Final = 1 << 26
KILLED: Final = "The work ended early, probably for lack of memory. Raise the minimum support, or try again."
NO_WORKER: Final = "No worker process could be started; stop `discreet serve` and start it again."


class Outcome(NamedTuple):
    """How a job ended: an HTTP status, and the answer."""

    status: int
    facts: dict[str, Any]


@dataclass(eq=False)
class WebJob:
    """Work for a worker, how far it is, and how it ended; ``fleeting`` work is of use only to those who wait for it."""

    id: str
    handler: str
    arguments: dict[str, Any]
    data: Data
    place: Path
    long: bool = False
    fleeting: bool = False
    waiting: int = 0  # requests that wait for it
    leave: asyncio.TimerHandle | None = None
    stage: str = "waiting"
    done: float | None = None
    found: int | None = None
    asked: float = field(default_factory=monotonic)
    begun: float = field(default_factory=monotonic)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    outcome: Outcome | None = None

    @property
    def progress(self) -> dict[str, Any]:
        """How far it is, and about how many seconds are left of the stage."""
        now, left = monotonic(), None
        if self.done is not None and SURE_FROM < self.done < 1:
            left = round((now - self.begun) * (1 - self.done) / self.done, 1)
        facts = {"job": self.id, "verb": self.handler, "stage": self.stage, "done": self.done, "found": self.found}
        return {**facts, "seconds": round(now - self.asked, 1), "seconds_left": left}

    def update(self, message: dict[str, Any]) -> None:
        """Take a worker's report of how far it is."""
        if message.get("stage", self.stage) != self.stage:
            self.stage, self.begun = message["stage"], monotonic()
        self.done, self.found = message.get("done"), message.get("found")

    def end(self, outcome: Outcome) -> None:
        """End, once; later outcomes are ignored."""
        if self.outcome is None:
            self.outcome = outcome
            self.ended.set()

    async def wait(self, seconds: float) -> Outcome | None:
        """Return how it ended, or None if it has not within so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.ended.wait()
        return self.outcome


@dataclass(eq=False)
class WorkerProcess:
    """A worker process, its present job, and the data it has seen last."""

    process: Process
    ready: bool = False
    killed: bool = False
    starting: str = "starting"
    job: WebJob | None = None
    number: int = 0
    data: "deque[str]" = field(default_factory=lambda: deque(maxlen=3))

    def send(self, message: dict[str, Any]) -> None:
        """Send a line; a worker that no longer listens will be replaced anyway."""
        if self.process.stdin is not None and not self.process.stdin.is_closing():
            self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def begin(self, job: WebJob, number: int) -> None:
        """Begin a job."""
        self.job, self.number = job, number
        job.stage = "working"
        if job.data.id:
            self.data.append(job.data.id)
        asked = {"handler": job.handler, "arguments": job.arguments, "data": job.data._asdict()}
        self.send({"job": number, **asked, "place": str(job.place)})

    def kill(self) -> None:
        """End the process at once; lines that it has sent may still come in."""
        self.killed = True
        with suppress(ProcessLookupError):
            self.process.kill()


class Pool:
    """Worker processes, and the jobs that wait for them.

    Long work never takes the last worker, so that quick requests are answered meanwhile. A job goes to an idle worker
    that has its data, if there is one. A worker that dies or must be killed is replaced.
    """

    def __init__(self, memory: int, *, many: int = WORKERS, command: Sequence[str] = COMMAND) -> None:
        """Plan ``many`` workers, each with so much memory for a job."""
        self._command, self._memory, self._many = command, memory, many
        self._workers: list[WorkerProcess] = []
        self._waiting: list[WebJob] = []
        self._numbers = itertools.count(1)
        self._keepers: list[asyncio.Task[None]] = []
        self._left = many
        self._closing = False

    def start(self) -> None:
        """Start the workers, in the background."""
        self._keepers = [asyncio.create_task(self._keep()) for _ in range(self._many)]

    async def close(self) -> None:
        """End all workers at once."""
        self._closing = True
        for worker in self._workers:
            worker.kill()
        await asyncio.gather(*self._keepers)

    @property
    def is_idle(self) -> bool:
        """Whether all workers are ready, and have nothing to do."""
        ready = [worker.ready and worker.job is None for worker in self._workers]
        return not self._waiting and bool(ready) and all(ready)

    def put(self, job: WebJob) -> None:
        """Have a job done as soon as a worker is free."""
        self._waiting.append(job)
        self._assign()

    def stop(self, job: WebJob) -> None:
        """Drop a waiting job; ask the worker of a running one to stop, and kill it if it does not."""
        if job in self._waiting:
            self._waiting.remove(job)
        for worker in self._workers:
            if worker.job is job:
                worker.send({"stop": worker.number})
                asyncio.get_running_loop().call_later(GRACE, self._kill, worker, worker.number)

    def _kill(self, worker: WorkerProcess, number: int) -> None:
        """Kill a worker if it is still at the job of that number."""
        if worker.job is not None and worker.number == number:
            worker.kill()

    def _assign(self) -> None:
        """Give waiting jobs to idle workers, the oldest first; fail them if no worker is left."""
        for job in list(self._waiting):
            ready = [worker for worker in self._workers if worker.ready and not worker.killed]
            idle = [worker for worker in ready if worker.job is None]
            long = sum(worker.job is not None and worker.job.long for worker in ready)
            job.stage = "waiting" if ready else next((worker.starting for worker in self._workers), "starting")
            if not self._left:
                self._waiting.remove(job)
                job.end(Outcome(503, {"error": NO_WORKER}))
            elif idle and not (job.long and long >= max(1, self._many - 1)):
                self._waiting.remove(job)
                known = (worker for worker in idle if job.data.id in worker.data)
                next(known, idle[0]).begin(job, next(self._numbers))

    async def _keep(self) -> None:
        """Keep one worker up: start it, listen, and start another when it is gone; give up if none comes up."""
        failures = 0
        while not self._closing and failures < TRIES:
            try:
                process = await asyncio.create_subprocess_exec(
                    *self._command,
                    str(self._memory),
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=None if os.environ.get(DEBUG) else DEVNULL,
                    limit=LONGEST_LINE,
                    start_new_session=os.name == "posix",  # out of reach of Ctrl-C, which is for the server alone
                )
            except OSError:  # such as too many processes
                failures += 1
                continue
            worker = WorkerProcess(process)
            self._workers.append(worker)
            if self._closing:  # while it was started
                worker.kill()
            await self._listen(worker)
            await worker.process.wait()
            self._workers.remove(worker)
            if worker.job is not None:
                worker.job.end(Outcome(503, {"error": KILLED}))
            failures = 0 if worker.ready else failures + 1
            self._assign()
        self._left -= 1
        self._assign()

    async def _listen(self, worker: WorkerProcess) -> None:
        out = worker.process.stdout
        try:
            while out is not None and (line := await out.readline()):
                self._take(worker, json.loads(line))
        except ValueError:  # longer than any answer, or no answer
            worker.kill()

    def _take(self, worker: WorkerProcess, message: dict[str, Any]) -> None:
        """Take a line of a worker; when it is ready or has ended a job, assign the next."""
        if "starting" in message:
            worker.starting = message["starting"]
        elif "ready" in message:
            worker.ready = True
        elif worker.job is None or message["job"] != worker.number:
            return
        elif "status" in message:
            worker.job.end(Outcome(message["status"], message["facts"]))
            worker.job = None
        else:
            worker.job.update(message)
            return
        self._assign()


class Jobs:
    """The jobs of a server: those under way, and the last ones that ended."""

    def __init__(self, pool: Pool, folder: Path) -> None:
        """Have jobs done by a pool; their files go below ``folder``."""
        self._pool, self._folder = pool, folder
        self._secret = secrets.token_bytes(32)
        self._jobs: OrderedDict[str, WebJob] = OrderedDict()

    def ask(
        self, handler: str, arguments: dict[str, Any], data: Data, *, long: bool = False, fleeting: bool = False
    ) -> WebJob:
        """Return the job for a request, perhaps under way or done; one that was stopped or failed begins again."""
        # The digest is keyed: an address that holds it says nothing about the request.
        request = json.dumps([handler, arguments, data], sort_keys=True).encode()
        name = hashlib.blake2b(request, key=self._secret, digest_size=16).hexdigest()
        known = self._jobs.get(name)
        if known is not None and (known.outcome is None or known.outcome.status in FINAL):
            self._jobs.move_to_end(name)
            return known
        if known is not None:
            rmtree(known.place, ignore_errors=True)
        place = self._folder / f"{name}-{secrets.token_hex(4)}"
        job = self._jobs[name] = WebJob(name, handler, arguments, data, place, long=long, fleeting=fleeting)
        self._jobs.move_to_end(name)
        self._forget()
        self._pool.put(job)
        return job

    async def wait(self, job: WebJob, seconds: float) -> Outcome | None:
        """Return how a job ended, or None if it has not within so many seconds; a fleeting one waits for the next."""
        if job.leave is not None:
            job.leave.cancel()
        job.waiting += 1
        try:
            return await job.wait(seconds)
        finally:
            job.waiting -= 1
            if job.fleeting and not job.waiting:
                job.leave = asyncio.get_running_loop().call_later(UNASKED, self.stop, job)

    def get(self, name: str) -> WebJob | None:
        """Return a job by its id."""
        return self._jobs.get(name)

    def running(self) -> list[WebJob]:
        """Return the jobs that have not ended."""
        return [job for job in self._jobs.values() if job.outcome is None]

    def stop(self, job: WebJob) -> bool:
        """Stop a job; return whether it was running."""
        if job.outcome is not None:
            return False
        job.end(Outcome(409, {"error": STOPPED}))
        self._pool.stop(job)
        return True

    def _forget(self) -> None:
        """Forget the oldest jobs that have ended, and their files, if there are too many."""
        ended = [job for job in self._jobs.values() if job.outcome is not None]
        for job in ended[: max(0, len(self._jobs) - KEPT)]:
            del self._jobs[job.id]
            rmtree(job.place, ignore_errors=True)
