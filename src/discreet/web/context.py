"""What a handler works with: loaded data, values made before, progress and files."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic
from typing import Any, Final, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from discreet import BudgetError, InputError, InvertedFile, Transactions
from discreet.errors import Option
from discreet.mining.mine import Budget
from discreet.web.loading import Data, Loaded, load
from discreet.web.releases import Published, read_release

Made = TypeVar("Made")

MOST_PATTERNS: Final = 5_000_000  # more itemsets are of no use to a page
TICK: Final = 0.1  # seconds between two reports of progress
KEPT: Final = {"data": 3, "index": 2, "audit": 4, "release": 24}  # values of each kind that are kept
FIRST_DATE: Final = (1980, 1, 1, 0, 0, 0)  # of every file in our zips: the earliest that a zip can hold


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """The job is no longer wanted."""


class Refusal(Exception):  # noqa: N818 - the sentence says what is wrong
    """A request that cannot be answered: the HTTP status, and a sentence that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        """Keep the status beside the sentence."""
        super().__init__(sentence)
        self.status = status


class Cache:
    """The values used last, by kind and key.

    >>> cache = Cache()
    >>> cache.get("audit", 1, lambda: "made"), cache.get("audit", 1, lambda: "made again")
    ('made', 'made')
    """

    def __init__(self) -> None:
        """Begin empty."""
        self._values: dict[str, OrderedDict[Hashable, Any]] = {kind: OrderedDict() for kind in KEPT}

    def get(self, kind: str, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the value of a key; make and keep it if it is missing."""
        values = self._values[kind]
        value: Made = values[key] if key in values else make()
        self.put(kind, key, value)
        return value

    def put(self, kind: str, key: Hashable, value: object) -> None:
        """Keep a value; drop the one that was unused for longest if there are too many."""
        values = self._values[kind]
        values[key] = value
        values.move_to_end(key)
        while len(values) > KEPT[kind]:
            values.popitem(last=False)


@dataclass
class Context:
    """What a handler works with: values made before, its data, a folder for its files, and memory.

    It reports progress with ``send``, and raises ``Stopped`` there if the job ``is_stopped``.
    """

    cache: Cache
    data: Data
    place: Path
    memory: int
    send: Callable[[dict[str, Any]], None]
    is_stopped: Callable[[], bool]
    _last: float = 0.0

    def stage(self, word: str) -> None:
        """Report a new stage."""
        self._report({"stage": word})

    def advance(self, done: float | None, found: int | None) -> None:
        """Report the share of the stage that is done, and how many itemsets were found; give up if these are many."""
        if found is not None and found > MOST_PATTERNS:
            raise BudgetError(
                f"there are more than {MOST_PATTERNS:,} itemsets, the limit: raise ", Option("min_support")
            )
        if monotonic() - self._last >= TICK:
            self._report({"done": None if done is None else round(done, 4), "found": found})
        elif self.is_stopped():
            raise Stopped

    def _report(self, progress: dict[str, Any]) -> None:
        if self.is_stopped():
            raise Stopped
        self._last = monotonic()
        self.send(progress)

    def budget(self, then: str, *, max_patterns: int = MOST_PATTERNS) -> Budget:
        """Return the limits of ``mine``; its progress is the stage "mining", and ``then`` the next one."""
        self.stage("mining")
        is_mined = False

        def progress(done: float, found: int) -> None:
            nonlocal is_mined
            if is_mined:
                self.advance(None, None)
            elif done < 1:
                self.advance(done, found)
            else:
                is_mined = True
                self.stage(then)

        # The other half of the memory is for what follows.
        return {"max_patterns": max_patterns, "memory": self.memory // 2, "progress": progress}

    def load(self) -> Loaded:
        """Return the data; read it unless it is in the cache."""

        def read() -> Loaded:
            self.stage("reading")
            return load(self.data)

        return self.cache.get("data", self.data.id, read)

    def rows(self) -> Transactions:
        """Return the rows; refuse patterns."""
        rows = self.load().rows
        if rows is None:
            raise InputError("this needs rows, and the file holds something else; load the rows themselves")
        return rows

    @contextmanager
    def timed(self, word: str, seconds: float) -> Iterator[None]:
        """Report a stage that takes at most so many seconds by the clock: what does it tells nothing meanwhile."""
        self.stage(word)
        start, over = monotonic(), Event()

        def tick() -> None:
            while not over.wait(TICK):
                self.send({"done": round(min(1.0, (monotonic() - start) / seconds), 4), "found": None})

        clock = Thread(target=tick, daemon=True)
        clock.start()
        try:
            yield
        finally:
            over.set()
            clock.join()

    def older(self, given: Sequence[Mapping[str, Any]]) -> list[Published]:
        """Return older releases, from their uploads."""

        def read() -> list[Published]:
            self.stage("reading older releases")
            with TemporaryDirectory(dir=self.file("")) as place:
                return [read_release(one, Path(place, str(number))) for number, one in enumerate(given)]

        return self.cache.get("data", ("older", repr(given)), read) if given else []

    def index(self) -> InvertedFile:
        """Return the inverted file of the rows."""
        return self.cache.get("index", self.data.id, lambda: InvertedFile(self.rows()))

    def file(self, name: str) -> Path:
        """Return the path of a file of this job, in a folder that only its owner can open."""
        self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.place / name

    def pack(self, folder: Path, *, name: str = "") -> Path:
        """Move a folder into a zip of its name, or its contents into one of another; the same files, the same bytes."""
        path, root = self.file(f"{name or folder.name}.zip"), folder if name else folder.parent
        with ZipFile(path, "x", ZIP_DEFLATED) as archive:
            for file in sorted(one for one in folder.rglob("*") if one.is_file()):
                entry = ZipInfo(file.relative_to(root).as_posix(), FIRST_DATE)
                entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
                archive.writestr(entry, file.read_bytes())
        rmtree(folder)
        return path


def list_files(*paths: Path) -> list[dict[str, Any]]:
    """Return the files of a job, as JSON."""
    return [{"name": path.name, "bytes": path.stat().st_size} for path in paths]
