"""Scan: the merged rows of a file that may be larger than memory, in two passes over it."""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.labels import Label, is_missing, sort_labels
from discreet.data.merged import Merged
from discreet.data.transactions import check_lengths
from discreet.errors import BudgetError, InputError, Option, OptionError
from discreet.io.chunks import Piece, Pieces
from discreet.io.files import COMPRESSIONS, Place, check_there, is_url, naming, stream
from discreet.io.merging import FEW, Merging, Thresholds, lowest
from discreet.io.registry import Format, check_options, format_of, reading
from discreet.io.sql import databases
from discreet.runtime import resources
from discreet.runtime.parquet_footer import unpacked_sizes
from discreet.runtime.progress import Progress, watching

FOLD: Final = 1 << 18
"""Counts that wait at least before they are added up: the more wait, the less often all are sorted."""
BYTES_AN_ITEM: Final = 200
"""What a different item takes: its label, its number and its count."""


def scan(  # noqa: PLR0913 - all but one by their names, and each a choice of its own
    source: Place,
    *,
    min_support: Thresholds,
    memory: int | None = None,
    format: str | None = None,  # noqa: A002 - as in read
    row: str | None = None,
    item: str | None = None,
    items: str | None = None,
    separator: str | None = None,
    table: str | None = None,
    query: str | None = None,
    progress: Progress | None = None,
) -> Merged:
    r"""Return the merged rows of a file that may be larger than memory; ``Merged.of`` all of its rows is the same.

    The first pass counts items, the second one cuts rows to those that at least ``min_support`` of them hold (of
    several, the lowest counts), and merges equal ones. Only different rows need fit in so many bytes of ``memory``,
    half of the machine's unless told; more end in a BudgetError.

    The formats are those of ``read``, packed or not, but for one-hot tables in CSV and for Parquet within another
    packing. A table of row ids and items must be sorted by its row ids. A pipe cannot be read twice, and is refused.
    ``progress`` is told what share of the work is done, as far as that is known, and how many rows were seen.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "rows.dat").write_bytes(b"1 2 9\n2 1\n2\n8\n")
    ...     list(scan(Path(folder, "rows.dat"), min_support=2))
    [(frozenset(), 1), (frozenset({1, 2}), 2), (frozenset({2}), 1)]
    """
    options = {"row": row, "item": item, "items": items, "separator": separator, "table": table, "query": query}
    given = {name: value for name, value in options.items() if value is not None}
    if is_url(source):
        check_options({**given, **({} if format is None else {"format": format})}, databases.OPTIONS, "a database")
        return databases.scan(
            str(source), min_support=min_support, room=resources.as_memory(memory), progress=progress, **given
        )
    path, form = _path(source), format_of(source, format, what="rows")
    asked = reading(form, format, given)
    room = resources.as_memory(memory)
    with naming(source), watching(progress, what="scanning", unit="rows") as tell:
        if not can_scan(path, form):
            raise OptionError(f"a file like this, of the format {form.name}, cannot be scanned; read all of it")
        if not form.lines:
            _check_groups(path, room)
        pieces: Pieces = form.module.pieces(**asked)
        return _merged(_Passes(path, form, pieces, tell), pieces, min_support, room)


def can_scan(path: Path, form: Format) -> bool:
    """Return whether a file of a format can be read in pieces, and so twice."""
    return form.lines or (form.name == "parquet" and path.suffix.lower() not in COMPRESSIONS)


def _check_groups(path: Path, room: int) -> None:
    """Refuse a Parquet file of which a part that is read at once unpacks to more than ``room`` bytes."""
    if not path.stat().st_size:
        raise InputError("the file is empty; an export has probably failed: write it again")
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        if any(size - before > room for before, size in pairwise([0, *unpacked_sizes(data)])):
            raise BudgetError(
                f"a row group of the file holds more than the {resources.size(room)} that ",
                *(Option("memory"), " allows: raise it"),
            )


class _Passes:
    """Two passes over a file, and how far they are."""

    def __init__(self, path: Path, form: Format, pieces: Pieces, tell: Progress) -> None:
        """Begin before the first pass."""
        self.rows = 0
        self._path, self._form, self._pieces, self._tell = path, form, pieces, tell
        self._size = path.stat().st_size if form.lines and path.suffix.lower() not in COMPRESSIONS else 0
        self._read = 0

    def read(self, number: int) -> Iterator[Piece]:
        """Yield the rows of one pass, repeated items dropped, and tell how far it is."""
        self.rows = self._read = 0
        source = self._chunks() if self._form.lines else os.fspath(self._path)
        for offsets, items in self._pieces.read(source):
            kept = items[: kernels.itemsets.sort_rows(offsets, items)]
            check_lengths(np.diff(offsets), before=self.rows)
            self.rows += offsets.size - 1
            yield Piece(offsets, kept)
            share = min(1.0, self._read / self._size) if self._size else 0.0
            self._tell((number + share) / 2, self.rows)

    def _chunks(self) -> Iterator[bytes]:
        for chunk in stream(self._path):
            self._read += len(chunk)
            yield chunk


def _merged(passes: _Passes, pieces: Pieces, min_support: Thresholds, room: int) -> Merged:
    """Return the rows of a file merged: one pass counts items, the other one merges what is left of rows."""
    counts = Counts(room)
    for part in passes.read(0):
        counts.add(part)
    n, (numbers, held) = passes.rows, counts.total()
    least, merging = lowest(min_support, n), Merging(room)
    frequent = Frequent.of(numbers, pieces.labels(numbers), held, least)
    for part in passes.read(1):
        merging.add(frequent.cut(part))
    found = merging.merged(frequent.labels, n=n, min_support=least)
    supports = kernels.merge_rows.count(found.offsets, found.items, found.weights, len(found.labels))
    if passes.rows != n or not np.array_equal(supports, frequent.supports):
        raise InputError("the file has changed between two passes over it; scan it again")
    return found


class Counts:
    """How many rows hold each item, added up piece by piece.

    >>> counts = Counts(1 << 20)
    >>> counts.add(Piece(np.array([0, 2, 3]), np.array([7, 9, 7], np.int32)))
    >>> [numbers.tolist() for numbers in counts.total()]
    [[7, 9], [2, 1]]
    """

    def __init__(self, room: int) -> None:
        """Begin with nothing; all different items may take so many bytes."""
        self._room = room
        self._waiting: list[tuple[NDArray[np.int32], NDArray[np.int64]]] = []
        self._many, self._fold = 0, FOLD

    def add(self, part: Piece) -> None:
        """Count the items of some rows, which hold each of them once."""
        if part.items.max(initial=0) < part.items.size + FEW:
            every = np.bincount(part.items)
            numbers = np.flatnonzero(every).astype(np.int32)
            held = every[numbers]
        else:  # a table by number would be larger than the items
            numbers, held = np.unique(part.items, return_counts=True)
        self._waiting.append((numbers, held))
        self._many += numbers.size
        if self._many > self._fold:
            self._fold = max(FOLD, 2 * self.total()[0].size)

    def total(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return all numbers of items, in order, and how many rows hold each."""
        every = np.concatenate([np.empty(0, dtype=np.int32), *(numbers for numbers, _ in self._waiting)])
        numbers, which = np.unique(every, return_inverse=True)
        held = np.zeros(numbers.size, dtype=np.int64)
        np.add.at(held, which, np.concatenate([np.empty(0, dtype=np.int64), *(counts for _, counts in self._waiting)]))
        self._waiting, self._many = [(numbers, held)], numbers.size
        if BYTES_AN_ITEM * numbers.size > self._room:
            raise BudgetError(
                f"there are {numbers.size:,} different items or more, which do not fit in the "
                f"{resources.size(self._room)} that ",
                *(Option("memory"), " allows: raise it"),
            )
        return numbers, held


class Frequent(NamedTuple):
    """The items that enough rows hold: their numbers, the code of each, and labels and supports by code."""

    numbers: NDArray[np.int32]
    codes: NDArray[np.int32]
    labels: tuple[Label, ...]
    supports: NDArray[np.int64]

    @classmethod
    def of(cls, numbers: NDArray[np.int32], labels: Sequence[Label], held: NDArray[np.int64], least: int) -> Self:
        """Take the numbers, labels and supports of all items, and keep those with a support of ``least``.

        >>> Frequent.of(np.array([3, 8, 9]), ["tea", "milk", "wine"], np.array([2, 3, 1]), 2).labels
        ('milk', 'tea')
        """
        if any(map(is_missing, labels)):
            raise InputError("the rows hold missing values; leave their lines out, or fill them")
        support = dict(zip(labels, held.tolist(), strict=True))
        kept = tuple(label for label in sort_labels(labels) if support[label] >= least)
        code = {label: number for number, label in enumerate(kept)}
        codes = np.array([code[label] for label in labels if label in code], dtype=np.int32)
        return cls(numbers[held >= least], codes, kept, np.array([support[label] for label in kept], dtype=np.int64))

    def cut(self, part: Piece) -> Piece:
        """Return rows cut to these items, in their codes; the arrays are rewritten."""
        offsets, items = part
        return Piece(offsets, self.codes[items[: kernels.formats.select(offsets, items, self.numbers)]])


def _path(source: Place) -> Path:
    """Return the path of a file that can be read twice; refuse any other source."""
    if isinstance(source, str | os.PathLike) and source != "-":
        with naming(source):
            check_there(source)
        if Path(source).is_file():
            return Path(source)
    raise OptionError("rows are scanned twice, which a pipe or an open file is not for; save them, and give the file")
