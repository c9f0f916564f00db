"""Programs that run in an interpreter of their own."""

import subprocess
import sys
from typing import Final

PEAK: Final = """
def peak():
    # Not getrusage where it can be helped: on Linux its peak starts at that of the parent.
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024
    except OSError:
        import resource, sys
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)
"""
"""The peak of a program's own memory so far, in MB."""


def output(program: str, *arguments: object, limit: float | None = None) -> str:
    """Return what a Python program prints.

    >>> output("import sys; print(sys.argv[1])", 7)
    '7'
    """
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)  # noqa: S603 - our own
    if done.returncode:
        raise RuntimeError(f"a program of the benchmark failed:\n{done.stderr}")
    return done.stdout.strip()
