"""The hot loops and nothing else: arrays in, arrays out. A kernel calls only kernels of its own file.

Each file is loaded when it is first asked for (``kernels.rows``), and Numba with it, so that
``import discreet`` and ``discreet --help`` stay quick.
"""

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"there is no kernel file {name!r}") from None
