"""Scan: the merged rows of a file that may be larger than memory, in two passes over it."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels, machine
from discreet.errors import BudgetError, InputError, OptionError, ThresholdError
from discreet.io import sql
from discreet.io.files import COMPRESSIONS, Place, check_there, is_url, naming, stream
from discreet.io.formats import Format, check_options, format_of
from discreet.io.pieces import Piece, Pieces
from discreet.labels import Label, is_missing, ordered
from discreet.merged import Merged
from discreet.notebook import Progress, watching
from discreet.order import in_dictionary_order
from discreet.thresholds import Threshold, as_count
from discreet.transactions import check_lengths

Thresholds: TypeAlias = Threshold | Iterable[Threshold]

FOLD: Final = 1 << 18
"""Counts that wait at least before they are added up: the more wait, the less often all are sorted."""
BYTES_AN_ITEM: Final = 200
"""What a different item takes: its label, its number and its count."""
BYTES_A_ROW: Final = 64
"""What a different row takes beside its items: its place, its weight, and where it goes when all are sorted."""
BYTES_AN_ENTRY: Final = 8
"""What an item of a different row takes, when all are sorted."""
FEW: Final = 1 << 16
"""Items so few that each takes two bytes of a row."""


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
        check_options({**given, **({} if format is None else {"format": format})}, sql.OPTIONS, "a database")
        room = machine.as_memory(memory)
        return sql.scan(str(source), min_support=min_support, memory=room, progress=progress, **given)
    path, form = _path(source), format_of(source, format, what="rows")
    check_options(given, form.options, f"the format {form.name}")
    room = machine.as_memory(memory)
    with naming(source), watching(progress, what="scanning", unit="rows") as tell:
        if not can_scan(path, form):
            raise OptionError(f"a file like this, of the format {form.name}, cannot be scanned; read all of it")
        pieces: Pieces = form.module.pieces(**given)
        passes = _Passes(path, form, pieces, tell)
        counts = Counts(room)
        for part in passes.read(0):
            counts.add(part)
        least, (numbers, held) = _least(min_support, passes.rows), counts.total()
        merging = Table(numbers, pieces.labels(numbers), held, least, room)
        for part in passes.read(1):
            merging.add(part)
        return merging.merged(passes.rows)


def can_scan(path: Path, form: Format) -> bool:
    """Return whether a file of a format can be read in pieces, and so twice."""
    return form.lines or (form.name == "parquet" and path.suffix.lower() not in COMPRESSIONS)


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
            kept = items[: kernels.rows.sort_rows(offsets, items)]
            check_lengths(np.diff(offsets), before=self.rows)
            self.rows += offsets.size - 1
            yield Piece(offsets, kept)
            share = min(1.0, self._read / self._size) if self._size else 0.0
            self._tell((number + share) / 2, self.rows)

    def _chunks(self) -> Iterator[bytes]:
        for chunk in stream(self._path):
            self._read += len(chunk)
            yield chunk


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
                f"{machine.size(self._room)} that memory allows: raise memory"
            )
        return numbers, held


class Table:
    """Different rows of frequent items and how many rows are like each, put together piece by piece."""

    def __init__(
        self, numbers: NDArray[np.int32], labels: Sequence[Label], held: NDArray[np.int64], least: int, room: int
    ) -> None:
        """Take the numbers, labels and supports of all items; the rows of those with ``least`` may take ``room``."""
        if any(map(is_missing, labels)):
            raise InputError("the rows hold missing values; leave their lines out, or fill them")
        support = dict(zip(labels, held.tolist(), strict=True))
        self._labels = tuple(label for label in ordered(labels) if support[label] >= least)
        code = {label: number for number, label in enumerate(self._labels)}
        self._numbers = numbers[held >= least]
        self._codes = np.array([code[label] for label in labels if label in code], dtype=np.int32)
        self._supports = np.array([support[label] for label in self._labels], dtype=np.int64)
        self._least, self._room, self._many = least, room, 0
        self._slots = np.full(1 << 12, -1, dtype=np.int32)
        self._starts, self._weights = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)
        self._kept = np.empty(0, dtype=np.uint16 if len(code) <= FEW else np.int32)

    def add(self, part: Piece) -> None:
        """Merge more rows; refuse more different ones than memory allows."""
        offsets, items = part
        items = self._codes[items[: kernels.fimi.select(offsets, items, self._numbers)]]
        kernels.rows.sort_rows(offsets, items)
        self._make_room(offsets.size - 1, items.size)
        table = (self._slots, self._starts, self._kept, self._weights)
        self._many = int(kernels.merged.merge_more(offsets, items, *table, self._many))
        if BYTES_A_ROW * self._many + BYTES_AN_ENTRY * int(self._starts[self._many]) > self._room:
            raise BudgetError(
                f"there are {self._many:,} different rows of frequent items or more, which do not fit in the "
                f"{machine.size(self._room)} that memory allows: raise memory or min_support"
            )

    def merged(self, n: int) -> Merged:
        """Return all ``n`` rows, merged; the table is gone then."""
        many, labels = self._many, self._labels
        offsets, weights = self._starts[: many + 1].copy(), self._weights[:many].copy()
        items = self._kept[: offsets[-1]].astype(np.int32)
        del self._slots, self._starts, self._weights, self._kept
        supports = kernels.encode.count(offsets, items, weights, len(labels))
        if int(weights.sum()) != n or not np.array_equal(supports, self._supports):
            raise InputError("the file has changed between two passes over it; scan it again")
        return Merged(*in_dictionary_order(offsets, items, weights, len(labels)), labels, n, self._least)

    def _make_room(self, rows: int, entries: int) -> None:
        """Make room for so many rows and entries more, and in a while for half as many again as there are."""
        rows, entries = self._many + rows, int(self._starts[self._many]) + entries
        for numbers, size in ((self._starts, rows + 1), (self._weights, rows), (self._kept, entries)):
            if numbers.size < size:
                numbers.resize(size + size // 2, refcheck=False)
        if self._slots.size <= 2 * rows:
            self._slots = np.full(1 << (4 * rows).bit_length(), -1, dtype=np.int32)
            kernels.merged.place(self._starts, self._kept, self._many, self._slots)


def _least(min_support: Thresholds, n: int) -> int:
    """Return the lowest of some minimum supports as a count."""
    several = min_support if isinstance(min_support, Iterable) and not isinstance(min_support, str) else [min_support]
    counts = [as_count(one, n) for one in several]
    if not counts:
        raise ThresholdError("there is no minimum support; give one at least")
    return min(counts)


def _path(source: Place) -> Path:
    """Return the path of a file that can be read twice; refuse any other source."""
    if isinstance(source, str | os.PathLike) and source != "-":
        with naming(source):
            check_there(source)
        if Path(source).is_file():
            return Path(source)
    raise OptionError("rows are scanned twice, which a pipe or an open file is not for; save them, and give the file")
