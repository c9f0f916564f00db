"""The desk of a worker: all that a verb has before it, the data it is asked about first of all."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from discreet import BudgetError, InputError, Patterns, Transactions, read, read_patterns
from discreet.io.sniff import shape_of
from discreet.report import Source, printable
from discreet.web import samples
from discreet.web.cache import Shelf

MOST_PATTERNS: Final = 5_000_000
"""Itemsets beyond which a page has no use for them."""
LONGEST_LABEL: Final = 400
"""Letters of a label that are shown at most."""


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """The job is not wanted any more."""


class Loaded(NamedTuple):
    """Data that was read: rows, or patterns without rows; where it is from, and how it was read."""

    rows: Transactions | None
    patterns: Patterns | None
    source: Source
    reading: Mapping[str, str]


@dataclass(frozen=True)
class Desk:
    """What a verb works with: what was made before, which ``data`` it is about, where its files go, whom to tell."""

    shelf: Shelf
    data: dict[str, Any] | None
    place: Path
    memory: int
    stage: Callable[[str], None]
    tell: Callable[[float | None, int | None], None]

    def progress(self, done: float, found: int) -> None:
        """Tell how far it is; refuse to go on with more itemsets than anybody looks at."""
        if found > MOST_PATTERNS:
            raise BudgetError(
                f"more than {MOST_PATTERNS:,} itemsets were found, as many as are allowed: raise min_support"
            )
        self.tell(done, found)

    def mining(self, then: str) -> Callable[[float, int], None]:
        """Return what ``mine`` tells its progress to; once that is done, ``then`` goes on, however often it mines."""
        self.stage("mining")
        mined = False

        def progress(done: float, found: int) -> None:
            nonlocal mined
            if mined:
                self.tell(None, None)
            elif done < 1:
                self.progress(done, found)
            else:
                mined = True
                self.stage(then)

        return progress

    def budget(self, then: str) -> dict[str, Any]:
        """Return what ``mine``, and those that call it, may use: half of the memory is for what is found."""
        return {"max_patterns": MOST_PATTERNS, "memory": self.memory // 2, "progress": self.mining(then)}

    @property
    def key(self) -> str:
        """What the data is known by."""
        return "" if self.data is None else str(self.data["id"])

    def loaded(self) -> Loaded:
        """Return the data, which is read if it is not at hand."""
        if self.data is None:
            raise InputError("no data is named; load a file first")
        return self.shelf.take("data", self.key, self._load)

    def rows(self) -> Transactions:
        """Return the rows; refuse patterns, which have none."""
        rows = self.loaded().rows
        if rows is None:
            raise InputError("this file holds patterns, without the rows they come from; load a file of rows for this")
        return rows

    def folder(self) -> Path:
        """Return the folder of this job, which nobody else may enter."""
        self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.place

    def file(self, name: str) -> Path:
        """Return where a file of this job goes; its name is ours."""
        return self.folder() / name

    def files(self, *paths: Path) -> list[dict[str, Any]]:
        """Return the files of this job as facts."""
        return [{"name": path.name, "bytes": path.stat().st_size} for path in paths]

    def _load(self) -> Loaded:
        data: Mapping[str, Any] = self.data or {}
        self.stage("reading")
        if data["sample"] is not None:
            rows = samples.load(data["sample"])
            return Loaded(rows, None, Source(data["file"], samples.digest(data["sample"], rows)), {})
        path, given = Path(data["path"]), data["given"]
        shape, *_, doubt = shape_of(path, given)
        if doubt is not None:
            raise InputError(doubt)
        with path.open("rb") as file:
            source = Source(data["file"], hashlib.file_digest(file, "sha256").hexdigest())
        if shape.patterns:
            patterns = read_patterns(path, format=shape.format, n=given.get("n"), kind=given.get("kind"))
            return Loaded(None, patterns, source, {})
        return Loaded(read(path, **shape.reading), None, source, shape.reading)


def shown(labels: Iterable[object]) -> list[str]:
    """Return labels as text on one line, cut where they are very long.

    >>> shown(["tea", 7, "a" * 500])[-1][-2:]
    'a…'
    """
    texts = (printable(str(label)) for label in labels)
    return [text if len(text) <= LONGEST_LABEL else f"{text[:LONGEST_LABEL]}…" for text in texts]
