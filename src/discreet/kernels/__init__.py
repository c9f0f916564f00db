"""The hot loops and nothing else: arrays in, arrays out.

A kernel calls only kernels of its own file and of common.py: Numba's cache of a file does not notice changes elsewhere.
The one exception is search_lists.py, which calls search_frames.py; change both together. Each file is loaded at its
first use (``kernels.itemsets``), so that ``import discreet`` and ``discreet --help`` stay quick.

Kernels are Python, and run as such while the work is small: compiling them would take longer. As soon as the work is
large, or has taken long, all are loaded anew and compiled; results are the same. Where Numba's variable
NUMBA_DISABLE_JIT is 1 they are never compiled, and where it is 0 they always are.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from platform import node
from time import thread_time
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple

ONCE: Final = frozenset(f"{__name__}.{name}" for name in ("compiled", "shapes", "words"))  # not compiled themselves
WANTED: Final = os.environ.get("NUMBA_DISABLE_JIT")


class Patience(NamedTuple):
    """What plain kernels may take before they are compiled: steps of a loop at once, and seconds altogether."""

    steps: int
    seconds: float


COLD: Final = Patience(3_000_000, 4.0)  # compiling takes some 20 seconds
WARM: Final = Patience(50_000, 0.3)  # loading compiled kernels takes half a second


class Pace:
    """Whether kernels are plain, what they may take, the seconds that they took, and whom to tell of compiling."""

    is_plain = WANTED != "0"
    patience: Patience | None = None
    spent = 0.0
    say: Callable[[], None] | None = None


class Plain(ModuleType):
    """A file of plain kernels, each of which is compiled where there is much to do."""

    def __init__(self, module: ModuleType) -> None:
        """Take a file that was loaded while kernels are plain."""
        super().__init__(module.__name__, module.__doc__)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        """Return what the file has of this name."""
        value = getattr(self._module, name)
        if isinstance(value, FunctionType):
            value = _watch(value, self.__name__.rpartition(".")[2])
        setattr(self, name, value)
        return value


def __getattr__(name: str) -> ModuleType:
    try:
        module = import_module(f"{__name__}.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"there is no kernel file {name!r}") from None
    if Pace.is_plain and module.__name__ not in ONCE:
        module = globals()[name] = Plain(module)
    return module


def is_plain() -> bool:
    """Return whether kernels run as Python, not compiled."""
    return Pace.is_plain


def expect(steps: int) -> None:
    """Compile kernels from now on if a loop of so many ``steps`` is too long for plain ones."""
    if Pace.is_plain and steps > _patience().steps:
        compile_all()


def is_slow(seconds: float = 0.0) -> bool:
    """Return whether plain kernels have taken too long, with these ``seconds``, and can be compiled."""
    return Pace.is_plain and WANTED != "1" and Pace.spent + seconds > _patience().seconds


def compile_all() -> None:
    """Compile kernels from now on, each at its first call, unless NUMBA_DISABLE_JIT forbids it."""
    if Pace.is_plain and WANTED != "1":
        Pace.is_plain = False
        for name in [name for name in sys.modules if name.startswith(f"{__name__}.") and name not in ONCE]:
            del sys.modules[name]
            globals().pop(name.rpartition(".")[2], None)


@contextmanager
def on_compiling(say: Callable[[], None]) -> Iterator[None]:
    """Call ``say`` once, when Numba first compiles a kernel and does not merely load it."""
    Pace.say = say
    try:
        yield
    finally:
        Pace.say = None


def find_stamp() -> tuple[Path, str]:
    """Return the file that says that all kernels were compiled, and what it must hold to be true."""
    here = Path(__file__).parent
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or here / "__pycache__")
    if not os.access(folder, os.W_OK):  # as Numba does
        folder = Path.home() / ".cache" / "discreet"
    sources = " ".join(f"{file.stem}:{file.stat().st_mtime_ns}" for file in sorted(here.glob("*.py")))
    return (
        folder / "discreet.warm",
        f"{sys.implementation.cache_tag} {version('numba')} {node()} {sources}",
    )


def _patience() -> Patience:
    if Pace.patience is None:
        file, wanted = find_stamp()
        try:
            Pace.patience = WARM if file.read_text() == wanted else COLD
        except OSError:
            Pace.patience = COLD
    return Pace.patience


def _watch(kernel: FunctionType, file: str) -> Callable[..., Any]:
    """Return a kernel that counts its time, and is compiled for arguments of many entries."""

    @wraps(kernel)
    def watched(*arguments: Any) -> Any:
        expect(_measure(arguments))
        if not Pace.is_plain:
            return getattr(__getattr__(file), kernel.__name__)(*arguments)
        start = thread_time()
        try:
            return kernel(*arguments)
        finally:
            Pace.spent += thread_time() - start
            if is_slow():
                compile_all()

    return watched


def _measure(arguments: tuple[Any, ...]) -> int:
    """Return how many entries arrays have, those in tuples too."""
    return sum(_measure(one) if isinstance(one, tuple) else getattr(one, "size", 0) for one in arguments)
