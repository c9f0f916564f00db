"""Jobs: work that was asked for, known by a digest of what was asked, so that asking again joins what is under way."""

import asyncio
import hashlib
import json
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import Any, Final, NamedTuple, Protocol

from discreet.web import messages

KEPT: Final = 64
"""Jobs that are remembered with what they found, and their files."""
WORTH_TELLING: Final = 0.02
"""The share of the work from which on the time left can be guessed."""
FOR_GOOD: Final = (200, 400)
"""What would come out the same again."""


class Outcome(NamedTuple):
    """How a job ended: a status of HTTP, and its facts."""

    status: int
    facts: dict[str, Any]


STOPPED: Final = Outcome(409, {"error": messages.STOPPED})


@dataclass(eq=False)
class Job:
    """Work for a worker, how far it is, and how it ended."""

    id: str
    verb: str
    arguments: dict[str, Any]
    data: dict[str, Any] | None
    place: Path
    long: bool = False
    stage: str = "waiting"
    done: float | None = None
    found: int | None = None
    asked: float = field(default_factory=monotonic)
    begun: float = field(default_factory=monotonic)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    outcome: Outcome | None = None

    @property
    def key(self) -> str | None:
        """What the data is known by that the job is about."""
        return None if self.data is None else self.data["id"]

    @property
    def progress(self) -> dict[str, Any]:
        """How far it is, and about how many seconds are left of the stage."""
        now, left = monotonic(), None
        if self.done is not None and WORTH_TELLING < self.done < 1:
            left = round((now - self.begun) * (1 - self.done) / self.done, 1)
        return {
            "job": self.id,
            "verb": self.verb,
            "stage": self.stage,
            "done": self.done,
            "found": self.found,
            "seconds": round(now - self.asked, 1),
            "seconds_left": left,
        }

    def tell(self, told: dict[str, Any]) -> None:
        """Take what a worker tells of how far it is."""
        if told.get("stage", self.stage) != self.stage:
            self.stage, self.begun = told["stage"], monotonic()
        self.done, self.found = told["done"], told["found"]

    def end(self, outcome: Outcome) -> None:
        """End, once; what comes later is not heard."""
        if self.outcome is None:
            self.outcome = outcome
            self.ended.set()


class Workers(Protocol):
    """Those who do the jobs."""

    def put(self, job: Job) -> None:
        """Have a job done."""

    def stop(self, job: Job) -> None:
        """Have a job stopped that has ended for those who asked."""


class Jobs:
    """The jobs of a server: those under way, and the last ones that ended."""

    def __init__(self, workers: Workers, folder: Path) -> None:
        """Have jobs done by ``workers``; their files go below ``folder``."""
        self._workers, self._folder = workers, folder
        self._secret = secrets.token_bytes(32)
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def ask(self, verb: str, arguments: dict[str, Any], data: dict[str, Any] | None, *, long: bool = False) -> Job:
        """Return the job that answers, under way or done already; what was stopped or failed begins anew."""
        # With a key that nobody else has: an address with the digest tells nothing of what was asked.
        told = json.dumps([verb, arguments, data], sort_keys=True).encode()
        name = hashlib.blake2b(told, key=self._secret, digest_size=16).hexdigest()
        known = self._jobs.get(name)
        if known is not None and (known.outcome is None or known.outcome.status in FOR_GOOD):
            self._jobs.move_to_end(name)
            return known
        if known is not None:
            rmtree(known.place, ignore_errors=True)
        place = self._folder / f"{name}-{secrets.token_hex(4)}"
        job = self._jobs[name] = Job(name, verb, arguments, data, place, long=long)
        self._jobs.move_to_end(name)
        self._forget()
        self._workers.put(job)
        return job

    def get(self, name: str) -> Job | None:
        """Return a job by its id."""
        return self._jobs.get(name)

    def running(self) -> list[Job]:
        """Return the jobs that have not ended."""
        return [job for job in self._jobs.values() if job.outcome is None]

    def stop(self, job: Job) -> bool:
        """Stop a job; return whether it had not ended before."""
        if job.outcome is not None:
            return False
        job.end(STOPPED)
        self._workers.stop(job)
        return True

    def _forget(self) -> None:
        """Forget the oldest jobs that have ended, and their files, if there are too many."""
        ended = [job for job in self._jobs.values() if job.outcome is not None]
        for job in ended[: max(0, len(self._jobs) - KEPT)]:
            del self._jobs[job.id]
            rmtree(job.place, ignore_errors=True)


async def wait(job: Job, seconds: float) -> Outcome | None:
    """Return how a job ended, if it does within so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await job.ended.wait()
    except TimeoutError:
        pass
    return job.outcome
