"""The hot loops and nothing else: arrays in, arrays out.

A kernel calls only kernels of its own file and of common.py: Numba's cache of a file does not notice changes elsewhere.
The one exception is search_lists.py, which calls search_frames.py; change both together. Each file is loaded at its
first use (``kernels.itemsets``), and Numba with it, so that ``import discreet`` and ``discreet --help`` stay quick.
"""

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"there is no kernel file {name!r}") from None
