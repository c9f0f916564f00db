"""What a handler works with: loaded data or a sample, values made before, progress and files."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import Any, Final, NamedTuple, TypedDict, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from discreet import BudgetError, InputError, InvertedFile, Patterns, Transactions, read, read_patterns, write
from discreet.data.generate import clinic
from discreet.data.patterns import Kind
from discreet.data.reading import Reading
from discreet.errors import Command, Option, OptionError
from discreet.io import datasets
from discreet.io.contents import Contents, look_into
from discreet.io.read_counts import holds_counts
from discreet.mining.mine import Budget
from discreet.report import Source
from discreet.web.messages import describe_reading

Made = TypeVar("Made")

MOST_PATTERNS: Final = 5_000_000  # more itemsets are of no use to a page
TICK: Final = 0.1  # seconds between two reports of progress
KEPT: Final = {"data": 3, "index": 2, "audit": 4, "release": 24}  # values of each kind that are kept
FIRST_DATE: Final = (1980, 1, 1, 0, 0, 0)  # of every file in our zips: the earliest that a zip can hold
CLINIC: Final = "clinic"
CLINIC_ROWS: Final = 2_000
CLINIC_SEED: Final = 1


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """The job is no longer wanted."""


class Refusal(Exception):  # noqa: N818 - the sentence says what is wrong
    """A request that cannot be answered: the HTTP status, and a sentence that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        """Keep the status beside the sentence."""
        super().__init__(sentence)
        self.status = status


class UploadOptions(TypedDict, total=False):
    """How a file is read; what is missing is found from its first part."""

    format: str
    row: str
    item: str
    items: str
    separator: str
    encoding: str
    header: bool
    empty_rows: bool
    columns: list[str]
    drop: list[str]
    na: list[str]
    bins: list[str]
    person: str
    per: str
    sheet: str
    n: int
    patterns: bool
    kind: Kind
    max_length: int


OF_PATTERNS: Final = ("kind", "max_length")
"""The options that only patterns have; those of rows are the ones of ``discreet.read``."""


class Data(NamedTuple):
    """Data by its id: a file with its path and options, or a sample, which has no path."""

    id: str
    file: str
    path: str | None
    options: UploadOptions


NO_DATA: Final = Data("", "", None, {})


class Loaded(NamedTuple):
    """Data that was read: rows, or patterns without rows; its source, and the options it was read with."""

    rows: Transactions | None
    patterns: Patterns | None
    source: Source
    options: Mapping[str, Any]

    @property
    def reading(self) -> dict[str, Any] | None:
        """How it was understood, as JSON; it holds no row."""
        known = self.rows if self.patterns is None else self.patterns
        return None if known is None or known.reading is None else describe_reading(known.reading)


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
        return self.cache.get("data", self.data.id, self._read)

    def rows(self) -> Transactions:
        """Return the rows; refuse patterns."""
        rows = self.load().rows
        if rows is None:
            raise InputError("this file holds patterns, without the rows they come from; load a file of rows for this")
        return rows

    def index(self) -> InvertedFile:
        """Return the inverted file of the rows."""
        return self.cache.get("index", self.data.id, lambda: InvertedFile(self.rows()))

    def file(self, name: str) -> Path:
        """Return the path of a file of this job, in a folder that only its owner can open."""
        self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.place / name

    def pack(self, folder: Path) -> Path:
        """Move a folder into a zip of the same name; the same files give the same bytes."""
        path = self.file(f"{folder.name}.zip")
        with ZipFile(path, "x", ZIP_DEFLATED) as archive:
            for file in sorted(folder.iterdir()):
                entry = ZipInfo(f"{folder.name}/{file.name}", FIRST_DATE)
                entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
                archive.writestr(entry, file.read_bytes())
        rmtree(folder)
        return path

    def _read(self) -> Loaded:
        self.stage("reading")
        if self.data.path is None:
            rows, digest = load_sample(self.data.id)
            return Loaded(rows, None, Source(self.data.file, digest), {})
        path, options, source = Path(self.data.path), self.data.options, self.source()
        if self.holds_tables():
            raise InputError("this file holds tables of counts, which the page Tables judges")
        if (found := self.look()).is_patterns:
            mined = {name: options.get(name) for name in ("n", *OF_PATTERNS)}
            patterns = read_patterns(path, format=found.format, **mined)  # type: ignore[arg-type]  # each its own
            known = Reading(
                "patterns", found.format, len(patterns), len(patterns.labels), confirmed="format" in options
            )
            return Loaded(None, replace(patterns, reading=patterns.reading or known), source, {})
        if found.layout.shape == "rules":
            raise InputError("this file lists rules, which these pages do not judge; use ", Command("audit"))
        for name in OF_PATTERNS:
            if name in options:
                raise OptionError(Option(name), " is for lists of patterns; leave it out for rows")
        how = self._reading_options()
        return Loaded(read(path, **how), None, source, how)

    def source(self) -> Source:
        """Return the name and the digest of the file of the data."""
        with Path(self.data.path or "").open("rb") as file:
            return Source(self.data.file, hashlib.file_digest(file, "sha256").hexdigest())

    def holds_tables(self) -> bool:
        """Return whether the file of the data holds tables of counts, unless its owner says what it holds."""
        is_named = not {"format", "patterns", "row", "item", "items"}.isdisjoint(self.data.options)
        return not is_named and self.data.path is not None and holds_counts(self.data.path)

    def look(self) -> Contents:
        """Return what the file of the data holds, from its first part."""
        path, is_patterns = Path(self.data.path or ""), self.data.options.get("patterns")
        return look_into(path, is_patterns=is_patterns, **self._reading_options())

    def _reading_options(self) -> dict[str, Any]:
        others = {"patterns", *OF_PATTERNS}
        return {name: value for name, value in self.data.options.items() if name not in others}


def list_files(*paths: Path) -> list[dict[str, Any]]:
    """Return the files of a job, as JSON."""
    return [{"name": path.name, "bytes": path.stat().st_size} for path in paths]


def list_samples() -> list[dict[str, Any]]:
    """Return the samples on this machine: an invented clinic, the papers' examples, and public files.

    >>> [(sample["name"], sample["rows"]) for sample in list_samples()][:2]
    [('clinic', 2000), ('pkdd2005', 12)]
    """
    about = "an invented clinic: sex, age, smoking, diagnoses, tests and drugs of patients who do not exist"
    here = {name: file for name, file in datasets.FILES.items() if datasets.locate(name)}
    samples = [
        (CLINIC, f"Clinic, {CLINIC_ROWS:,} patients", about, CLINIC_ROWS),
        *((name, "", example.paper, len(example.rows.split())) for name, example in datasets.EXAMPLES.items()),
        *((name, "", file.about, file.rows) for name, file in here.items()),
    ]
    return [
        {"name": name, "title": title or f"{name}, {n:,} rows", "about": text, "rows": n}
        for name, title, text, n in samples
    ]


def is_sample(name: str) -> bool:
    """Return whether there is a sample of that name on this machine."""
    is_file = name in datasets.FILES and datasets.locate(name) is not None
    return is_file or name == CLINIC or name in datasets.EXAMPLES


def load_sample(name: str) -> tuple[Transactions, str]:
    """Return the rows of a sample, and the SHA-256 of the public file or of the rows as CSV."""
    rows = clinic(CLINIC_ROWS, seed=CLINIC_SEED) if name == CLINIC else datasets.load(name)
    if name in datasets.FILES:
        return rows, datasets.FILES[name].sha256
    file = BytesIO()
    write(Transactions(rows), file, format="csv")
    return rows, hashlib.sha256(file.getvalue()).hexdigest()
