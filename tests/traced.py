"""What a call holds in memory, whatever else the machine does."""

import os
import subprocess
import sys

TRACED = """
import sys, tracemalloc
from discreet import audit, hide_file, scan

def work(path):
    {work}

work(sys.argv[1])
tracemalloc.start()
work(sys.argv[2])
print(tracemalloc.get_traced_memory()[1])
"""


def peak(work, small, large):
    """The most bytes that Python and NumPy hold at once for ``work`` on a large file, after it was done on a small one.

    Pages of the process are not counted, and kernels are loaded by then: both depend on what else runs, since kernels
    that other processes compile at the same time may be lost from Numba's cache, and are compiled anew.
    """
    command = [sys.executable, "-c", TRACED.format(work=work), str(small), str(large)]
    told = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    return int(subprocess.run(command, env=told, capture_output=True, text=True, check=True).stdout)
