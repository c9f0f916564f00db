"""The clock: several ways to do a thing, timed in turns."""

import gc
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

LEAST_ROUNDS: Final = 3
MOST_ROUNDS: Final = 50


class Effort(NamedTuple):
    """How much time to spend; more makes the figures steadier."""

    seconds: float = 1.0
    """For the rounds of one race; 0 is one round."""
    limit: float = 60.0
    """After so many seconds a case of mlxtend is given up."""
    n: int = 25_000
    """Rows from which growth is measured."""
    starts: int = 7
    """How often each program is started, after once to warm up; 0 is once at all."""
    collect: bool = True
    """Whether Python's garbage collector works meanwhile, as it does for whoever calls a miner."""


QUICK: Final = Effort(seconds=0.0, limit=10.0, n=1_000, starts=0)


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return how many seconds ``run`` takes, and what it returns.

    >>> timed(lambda: 7)[1]
    7
    """
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def race(runs: Mapping[str, Callable[[], Any]], effort: Effort) -> dict[str, float]:
    """Return the best time of each of ``runs``: each is run once to warm up, then all in turns, round after round.

    In turns, so that a busy machine slows all of them alike; the shorter they are, the more rounds. What a run returns
    is dropped after the clock has stopped.

    >>> sorted(race({"sum": lambda: sum(range(10)), "max": lambda: max(range(10))}, QUICK))
    ['max', 'sum']
    """
    gc.collect()
    if not effort.collect:
        gc.disable()
    try:
        once = sum(timed(run)[0] for run in runs.values())
        rounds = min(MOST_ROUNDS, max(LEAST_ROUNDS, int(effort.seconds / once))) if effort.seconds else 1
        laps = [{name: timed(run)[0] for name, run in runs.items()} for _ in range(rounds)]
    finally:
        gc.enable()
    return {name: min(lap[name] for lap in laps) for name in runs}
