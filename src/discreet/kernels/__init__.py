"""The hot loops and nothing else: arrays in, arrays out.

A kernel calls only kernels of its own file and of common.py: Numba's cache of a file does not notice changes elsewhere.
The one exception is search_lists.py, which calls search_frames.py; both call frames.py. Change them together. Each
file is loaded at its first use (``kernels.itemsets``), so that ``import discreet`` and ``discreet --help`` stay quick.

Kernels are Python, and run as such where there is little to do: compiling them would take longer. A call with large
arrays, or of a kernel that has taken long before, is compiled; results are the same. Where Numba's variable
NUMBA_DISABLE_JIT is 1 nothing is compiled, and where it is 0 everything is; an empty one is none.
"""

import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, wraps
from importlib import import_module
from importlib.metadata import version
from math import inf
from pathlib import Path
from platform import node
from threading import RLock
from time import perf_counter, process_time
from types import FunctionType, ModuleType
from typing import Any, ClassVar, Final, NamedTuple

if not os.environ.get("NUMBA_DISABLE_JIT"):
    os.environ.pop("NUMBA_DISABLE_JIT", None)  # Numba, which is loaded later, warns of an empty one

PREFIX: Final = f"{__name__}."
HERE: Final = Path(__file__).parent
ONCE: Final = frozenset(
    PREFIX + name for name in ("compiled", "entry", "lowering", "reading", "shapes", "words", "writers")
)
"""Files that are the same, plain or compiled."""
thread_time: Final = getattr(time, "thread_time", process_time)  # a browser has no threads


class Patience(NamedTuple):
    """What a plain kernel may take before it is compiled: entries of arrays at once, and seconds altogether."""

    entries: float
    seconds: float


COLD: Final = Patience(300_000, 2.0)  # compiling a kernel takes a second or two
WARM: Final = Patience(50_000, 0.2)  # loading a compiled one, and Numba, takes half a second
LOADED: Final = Patience(20_000, 0.005)  # loading one more, where Numba is loaded, takes a few milliseconds
NEVER: Final = Patience(inf, inf)
ALWAYS: Final = Patience(-1, -1.0)
LONG: Final = 3.0  # seconds of all plain kernels together, after which compiling is recommended


class Pace:
    """How kernels are run."""

    patience: Patience | None = {"0": ALWAYS, "1": NEVER}.get(os.environ.get("NUMBA_DISABLE_JIT", ""))
    spent: ClassVar[defaultdict[str, float]] = defaultdict(float)  # seconds that plain kernels have taken
    running: ClassVar[list[tuple[str, float]]] = []  # plain kernels, and when each was called
    is_loading_plain = False
    lock = RLock()
    compiling = 0.0  # seconds that Numba has taken
    say: Callable[[], None] | None = None  # told of compiling


class Plain(ModuleType):
    """A file of plain kernels, each of which is compiled where there is much to do."""

    def __getattr__(self, name: str) -> Any:
        """Return what the file has of this name."""
        file = _load_plain(self.__name__)
        value = getattr(file, name)
        if isinstance(value, FunctionType):
            value = _watch(value, self.__name__, weigh=getattr(file, "ARE_FULL", True))
        setattr(self, name, value)
        return value


_plain: Final[dict[str, ModuleType]] = {}


def __getattr__(name: str) -> ModuleType:
    if not (HERE / f"{name}.py").is_file():
        raise AttributeError(f"there is no kernel file {name!r}")
    if _patience() is ALWAYS or PREFIX + name in ONCE:
        return import_module(PREFIX + name)
    module = globals()[name] = Plain(PREFIX + name)
    return module


def expect(steps: int, name: str = "") -> None:
    """Compile a kernel, or without a name all of them, if loops of so many ``steps`` are too long for plain ones."""
    if _patience() is ALWAYS or steps <= _patience(name).entries:
        return
    if name:
        Pace.spent[name] = inf
    else:
        compile_all()


def are_slow() -> bool:
    """Return whether a plain kernel has run for too long: its next call is compiled.

    No kernel is slow twice, so that whoever starts again whenever this is true comes to an end.
    """
    now = process_time()
    running = [(name, now - start) for name, start in list(Pace.running) if Pace.spent[name] < inf]
    slow = [name for name, seconds in running if seconds > _patience(name).seconds]
    Pace.spent.update(dict.fromkeys(slow, inf))
    return bool(slow)


def compile_all() -> None:
    """Compile kernels from now on, each at its first call."""
    Pace.patience = ALWAYS
    for name in [name for name, value in globals().items() if isinstance(value, Plain)]:
        del globals()[name]


@contextmanager
def on_compiling(say: Callable[[], None]) -> Iterator[None]:
    """Call ``say`` once, when Numba first compiles a kernel and does not merely load it."""
    Pace.say = say
    try:
        yield
    finally:
        Pace.say = None


@contextmanager
def on_slow(say: Callable[[], None]) -> Iterator[None]:
    """Call ``say`` at the end if plain kernels took so long meanwhile that compiling all of them, once, is better."""

    def count() -> float:
        return sum(min(seconds, LONG) for seconds in list(Pace.spent.values()))

    before = count()
    yield
    if _patience() is COLD and count() > before + LONG:
        say()


def find_stamp() -> tuple[Path, str]:
    """Return the file that says that all kernels were compiled, and what it must hold to be true."""
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or HERE / "__pycache__")
    if not os.access(folder, os.W_OK):  # as Numba does
        folder = Path.home() / ".cache" / "discreet"
    sources = " ".join(f"{file.stem}:{file.stat().st_mtime_ns}" for file in sorted(HERE.glob("*.py")))
    machine = "generic" if os.environ.get("NUMBA_CPU_NAME") == "generic" else node()  # that code fits other machines
    return folder / "discreet.warm", f"{sys.implementation.cache_tag} {version('numba')} {machine} {sources}"


def is_warm() -> bool:
    """Return whether all kernels were compiled, and need only be loaded."""
    file, wanted = find_stamp()
    try:
        return file.read_text() == wanted
    except OSError:
        return False


def is_cold() -> bool:
    """Return whether kernels are still to be compiled, here and by other processes; from now on, this decides."""
    if Pace.patience is COLD:
        Pace.patience = None
    return _patience() is COLD


def write_stamp() -> None:
    """Say, to later processes too, that all kernels were compiled."""
    file, text = find_stamp()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def stopwatch() -> Callable[[], float]:
    """Return a function that returns the seconds since now, without those in which Numba compiled."""
    start = perf_counter() - Pace.compiling
    return lambda: max(0.0, perf_counter() - Pace.compiling - start)


def _patience(name: str = "") -> Patience:
    """Return how long a kernel may take, or any without a name; one that was compiled before need only be loaded."""
    if Pace.patience is None:
        Pace.patience = WARM if is_warm() else COLD
    if Pace.patience is WARM or (Pace.patience is COLD and name in _list_kept()):
        return LOADED if "numba" in sys.modules else WARM
    return Pace.patience


@cache
def _list_kept() -> frozenset[str]:
    """Return the kernels that some process has compiled since their files were last changed, by file and name."""
    kept = set[str]()
    for index in find_stamp()[0].parent.rglob("*.nbi"):
        name = index.name.split("-")[0]
        with suppress(OSError):  # another process may remove it, and it may belong to another program
            if index.stat().st_mtime > (HERE / f"{name.split('.')[0]}.py").stat().st_mtime:
                kept.add(name)
    return frozenset(kept)


def _load_plain(name: str) -> ModuleType:
    """Load a file of kernels, and those that it imports, beside those that are compiled."""
    with Pace.lock:
        if name not in _plain:
            compiled = _take_modules()
            sys.modules.update(_plain)
            Pace.is_loading_plain = True
            try:
                import_module(name)
            finally:
                Pace.is_loading_plain = False
                _plain.update(_take_modules())
                sys.modules.update(compiled)
        return _plain[name]


def _take_modules() -> dict[str, ModuleType]:
    """Remove all files of kernels from the loaded modules; return them."""
    names = [name for name in sys.modules if name.startswith(PREFIX) and name not in ONCE]
    for name in names:
        if not isinstance(globals().get(name.removeprefix(PREFIX)), Plain):
            globals().pop(name.removeprefix(PREFIX), None)
    return {name: sys.modules.pop(name) for name in names}


def _watch(kernel: FunctionType, file: str, *, weigh: bool) -> Callable[..., Any]:
    """Return a kernel that counts its time, and is compiled where there is much to do: ``weigh`` its arguments."""
    name = f"{file.removeprefix(PREFIX)}.{kernel.__name__}"

    @wraps(kernel)
    def watched(*arguments: Any) -> Any:
        entries, seconds = _patience(name)
        if (weigh and _measure(arguments) > entries) or Pace.spent[name] > seconds:
            with Pace.lock:
                module = import_module(file)
            return getattr(module, kernel.__name__)(*arguments)
        Pace.running.append(call := (name, process_time()))
        start = thread_time()
        try:
            return kernel(*arguments)
        finally:
            Pace.spent[name] += thread_time() - start
            Pace.running.remove(call)

    return watched


def _measure(arguments: tuple[Any, ...]) -> int:
    """Return how many entries arrays have, those in tuples too."""
    return sum(_measure(one) if isinstance(one, tuple) else getattr(one, "size", 0) for one in arguments)
