"""Programs that run in an interpreter of their own."""

import subprocess
import sys
from typing import Final

PEAK: Final = """
try:
    with open("/proc/self/status") as file:
        print(next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024)
except OSError:
    import resource, sys
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024))
"""
"""Prints the peak of the program's memory, in MB. On Linux that of getrusage starts at the parent's, so not by it."""


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
