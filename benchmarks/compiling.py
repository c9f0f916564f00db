"""What it costs to compile the kernels: seconds of a core for each, for all of them, and for those of a first audit.

``python benchmarks/compiling.py JOB …`` does jobs of ``discreet warm`` and prints the figures as JSON.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final

from clock import Effort
from report import Check, Part, line, title
from sources import Source

AUDIT: Final = "a first audit"
MOST, MOST_FOR_AUDIT, SHOWN = 25, 10, 40
WIDTHS: Final = (-34, 12, 10)
Costs = dict[str, list[float]]


def measure(_sources: Sequence[Source], _effort: Effort) -> Part:
    """Print the cost of each kernel, without that of the kernels it calls, and return all of them."""
    title("Compiling: types of arguments and seconds of a core, by kernel")
    (costs, everything), (_, first) = compile_in(), compile_in(AUDIT)
    for name, (types, seconds) in sorted(costs.items(), key=lambda item: -item[1][1])[:SHOWN]:
        print(line(WIDTHS, (name, f"{types}", f"{seconds:.2f}")))
    print(line(WIDTHS, (f"all {len(costs)}", f"{sum(types for types, _ in costs.values())}", f"{everything:.2f}")))
    checks = [
        Check(f"all kernels at most {MOST} s of a core", f"{everything:.2f}", everything <= MOST),
        Check(f"those of a first audit at most {MOST_FOR_AUDIT} s", f"{first:.2f}", first <= MOST_FOR_AUDIT),
    ]
    rows = [{"kernel": name, "types": types, "seconds": seconds} for name, (types, seconds) in costs.items()]
    return Part([*rows, {"all": everything, "audit": first}], checks)


def compile_in(*jobs: str) -> tuple[Costs, float]:
    """Return how often each kernel is compiled, and how long, by a new process with an empty cache; and the sum."""
    with TemporaryDirectory() as cache:
        variables = {**os.environ, "NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": cache}
        done = subprocess.run(  # noqa: S603 - this very file
            [sys.executable, __file__, *jobs], env=variables, stdout=subprocess.PIPE, text=True, check=True
        )
    costs: Costs = json.loads(done.stdout)
    return costs, sum(seconds for _, seconds in costs.values())


def main(jobs: Sequence[str]) -> None:
    """Do jobs, all if none is named, and print what each kernel cost."""
    from numba.core import event  # noqa: PLC0415 - only here: it takes long

    from discreet import audit  # noqa: PLC0415
    from discreet.warm import JOBS, ROWS  # noqa: PLC0415

    costs: Costs = defaultdict(lambda: [0, 0.0])
    calls: list[list[float]] = []

    class Listener(event.Listener):  # type: ignore[misc]  # Numba has no types
        def on_start(self, _event: event.Event) -> None:
            calls.append([process_time(), 0.0])

        def on_end(self, event_: event.Event) -> None:
            start, inside = calls.pop()
            seconds = process_time() - start
            function = event_.data["dispatcher"].py_func
            cost = costs[f"{function.__module__.rpartition('.')[2]}.{function.__name__}"]
            cost[0], cost[1] = cost[0] + 1, cost[1] + seconds - inside
            if calls:
                calls[-1][1] += seconds

    with event.install_listener("numba:compile", Listener()):
        for job in jobs or JOBS:
            if job == AUDIT:
                audit(ROWS(), min_support="5%", k=10)
            else:
                JOBS[job].run()
    print(json.dumps(costs))


if __name__ == "__main__":
    main(sys.argv[1:])
