"""Spark's daemon, whose Python workers do not look for garbage after each task.

They would look through all that Numba has loaded, which takes longer than a task of the tests.
"""

import gc
from types import SimpleNamespace

from pyspark import daemon

if __name__ == "__main__":
    daemon.gc = SimpleNamespace(collect=gc.freeze)
    daemon.manager()
