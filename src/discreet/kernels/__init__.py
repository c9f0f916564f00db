"""The hot loops and nothing else: arrays in, arrays out. A kernel calls only kernels of its own file.

Each file is loaded when it is first asked for (``kernels.rows``), and Numba with it, so that
``import discreet`` and ``discreet --help`` stay quick.
"""

from importlib import import_module
from types import ModuleType
from typing import Final

_FILES: Final = frozenset(
    {
        "border",
        "cells",
        "cover",
        "derive",
        "encode",
        "exposed",
        "family",
        "fimi",
        "hide",
        "implied",
        "intervals",
        "inverted",
        "itemsets",
        "lattice",
        "lines",
        "meets",
        "merged",
        "onehot",
        "papers",
        "restricted",
        "rows",
        "safe",
        "search",
        "swa",
        "within",
    }
)


def __getattr__(name: str) -> ModuleType:
    if name not in _FILES:
        raise AttributeError(f"there is no kernel file {name!r}")
    return import_module(f"{__name__}.{name}")
