"""Scan: the merged rows of a file or a store that may be larger than memory, in two passes over it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets, Label, is_missing, sort_labels
from discreet.data.oddness import Oddness
from discreet.data.reading import SHAPES, Reading
from discreet.data.transactions import Merged, check_lengths
from discreet.errors import BudgetError, InputError, Option, OptionError
from discreet.io import databases
from discreet.io.compression import COMPRESSIONS
from discreet.io.files import Place, as_path, check_there, is_place, is_url, naming, stream
from discreet.io.frames import AnySource
from discreet.io.lines import SMALL_CODE, RowMerger, Thresholds, least_count
from discreet.io.notation import ChunkReader
from discreet.io.options import RowArguments, RowOptions, check_options
from discreet.io.owners import find_unseen
from discreet.io.parts import Parts, are_parts, find_parts
from discreet.io.queries import find_connection, open_query
from discreet.io.readings import drop_blank_end, find_usual_length, mention_blanks
from discreet.io.shapes import ITEMS, find_chunk_shape, read_in_chunks
from discreet.io.sniff import peek
from discreet.io.sources import Source, find_source, row_functions
from discreet.io.stores import Store, open_store
from discreet.runtime import resources
from discreet.runtime.resources import RAISE_IT, Progress, watching

FOLD: Final = 1 << 18  # counts wait until there are this many, and are then added up at once
TWICE: Final = (
    "rows are scanned twice, which a pipe, an open file, a stream or a frame in memory is not for; "
    "save them and give the file, or read all of them"
)
BYTES_PER_ITEM: Final = 200  # memory of a distinct item: its label, its number and its count


def scan(
    source: AnySource,
    *,
    min_support: Thresholds,
    memory: int | None = None,
    format: str | None = None,  # noqa: A002 - as in read
    progress: Progress | None = None,
    **how: Unpack[RowArguments],
) -> Merged:
    r"""Return the merged rows of a file or a store that may be larger than memory, as ``Merged.of`` all of its rows.

    The first pass counts items; the second cuts rows to the items that at least ``min_support`` rows hold (the lowest
    of several), and merges equal rows. Only distinct rows need to fit in ``memory`` bytes, by default half of the
    machine's; more raise a BudgetError.

    The formats are those of ``read``, compressed or not, except one-hot CSV and compressed Parquet. A table of row ids
    and items must be sorted by row id. A pipe or a stream cannot be read twice and is refused. ``progress`` receives
    the share of the work that is done, as far as it is known, and the number of rows seen.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "rows.dat").write_bytes(b"1 2 9\n2 1\n2\n8\n")
    ...     list(scan(Path(folder, "rows.dat"), min_support=2))
    [(frozenset(), 1), (frozenset({1, 2}), 2), (frozenset({2}), 1)]
    """
    options, room = RowOptions.of(how), resources.as_memory(memory)
    if is_url(source):
        options = databases.check_options(options, format)
        return databases.scan(str(source), options, min_support=min_support, room=room, progress=progress)
    if {"labels", "everyone", "n", "hierarchy"} & {*options.given}:
        raise OptionError(
            "names, hierarchies and people without items are for rows that are read as a whole; leave them out"
        )
    path = _find_path(source) if is_place(source) and not are_parts(source) else None
    with (
        naming(source) if is_place(source) else nullcontext(),
        watching(progress, what="scanning", unit="rows") as tell,
    ):
        found = None if path is None else find_source(path, format, options, peek(path)[0])
        if path is None or found is None or (found.form.name == "parquet" and not _is_packed(path)):
            scanned = _scan_store(_find_store(source, options, room), format, options)
        else:
            scanned = _scan_file(path, found)
        passes = Passes(scanned, tell)
        counts, oddness = ItemCounter(room), Oddness(scanned.reading.shape)
        merged = _merge(passes, min_support, counts, oddness)
        items = counts.total()[0].size
        known = replace(scanned.reading, n=merged.n, items=items, length=counts.usual_length)
        known = replace(mention_blanks(known, passes.blanks), odd=tuple(oddness.signs(items)))
        return replace(merged, reading=known)


class Scanned(NamedTuple):
    """What is scanned: how it is understood and read, where a pass begins, and its bytes, 0 if that is not known.

    ``begin`` takes a function that counts bytes as they pass; with ``drops_blanks``, a blank end is no rows.
    """

    reading: Reading
    reader: ChunkReader
    begin: Callable[[Callable[[Iterable[bytes]], Iterator[bytes]]], Any]
    size: int = 0
    drops_blanks: bool = False


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() in COMPRESSIONS


def _scan_file(path: Path, found: Source) -> Scanned:
    """Return a file of lines."""
    chunks = row_functions(found.form).chunks
    if chunks is None or found.options.person or not found.form.lines:
        raise OptionError(f"a file like this, of the format {found.form.name}, cannot be scanned; read all of it")
    size, drops_blanks = (
        0 if _is_packed(path) else path.stat().st_size,
        found.has_blank_rows and not found.options.empty_rows,
    )
    is_long = found.layout.shape == "long" or found.options.item is not None
    doubts = find_unseen(found.layout.columns, found.options) if is_long else []
    reading = replace(found.reading, doubts=tuple(doubts))
    return Scanned(reading, chunks(found.options), lambda count: found.clean(count(stream(path))), size, drops_blanks)


def _find_store(source: AnySource, options: RowOptions, room: int) -> Store:
    """Return a connection with its query, Parquet files or a frame as a store."""
    if (connection := find_connection(source)) is not None:
        return open_query(connection, options)
    if not is_place(source):
        store = open_store(source)
        if store is None or store.is_once:
            raise OptionError(TWICE)
        return store
    from discreet.io.formats import parquet  # noqa: PLC0415 - it loads polars

    parts = find_parts(source) if are_parts(source) else Parts([Path(str(source))], {})
    return parquet.open_parts(parts, room)


def _scan_store(store: Store, form: str | None, options: RowOptions) -> Scanned:
    """Return a store whose batches are lists, one-hot, or the long form sorted by row id."""
    shape = find_chunk_shape(store, options)
    if form not in {None, shape, "parquet"}:
        raise OptionError(f"a table that holds {SHAPES[shape]} cannot be scanned otherwise; read all of it")
    allowed = {"query", *{"long": ("row", "item", "drop"), "lists": ("row", "items", "drop")}.get(shape, ())}
    check_options(options.given, allowed, f"{SHAPES[shape]} that is scanned")
    lists = options._replace(items=options.items or ITEMS) if shape == "lists" else options
    doubts = [] if shape == "onehot" else find_unseen(store.columns(), lists)
    known = Reading(shape, store.form, row=options.row, item=options.item, confirmed=form == shape)
    reading = replace(known, doubts=tuple(doubts))
    return Scanned(reading, read_in_chunks(options, shape), lambda _: store)


class Passes:
    """Two passes over rows; ``blanks`` are the blank lines at the end of a file, which are no rows."""

    def __init__(self, scanned: Scanned, tell: Progress) -> None:
        """Begin before the first pass."""
        self._scanned, self._tell = scanned, tell
        self.reader, self.blanks = scanned.reader, 0

    def read(self, number: int) -> Iterator[Itemsets]:
        """Yield the rows of the first pass or the second (0, 1), without repeated items, and report progress."""
        size, seen = self._scanned.size, [0, 0, 0]  # bytes, lines and rows

        def count(parts: Iterable[Any], place: int = 0) -> Iterator[Any]:
            for part in parts:
                seen[place] += len(part)
                yield part

        lines = count(self.reader.read(self._scanned.begin(count)), 1)
        for part in drop_blank_end(lines) if self._scanned.drops_blanks else lines:
            rows = part.sort_items()
            check_lengths(rows.lengths, before=seen[2])
            seen[2] += len(rows)
            yield rows
            self._tell((number + (min(1.0, seen[0] / size) if size else 0.0)) / 2, seen[2])
        self.blanks = seen[1] - seen[2]


def _merge(passes: Passes, min_support: Thresholds, counts: "ItemCounter", oddness: Oddness) -> Merged:
    n = again = 0
    for rows in passes.read(0):
        counts.add(rows)
        oddness.add(rows)
        n += len(rows)
    numbers, supports = counts.total()
    oddness.weigh(numbers, supports)
    least, merger = least_count(min_support, n), RowMerger(counts.room)
    frequent = FrequentItems.of(numbers, passes.reader.labels(numbers), supports, least)
    for rows in passes.read(1):
        oddness.add_again(rows)
        merger.add(frequent.cut(rows))
        again += len(rows)
    merged = merger.merge(frequent.labels, n=n, min_support=least)
    after = kernels.merge_rows.count(merged.offsets, merged.items, merged.weights, len(merged.labels))
    if again != n or not np.array_equal(after, frequent.supports):
        raise InputError("the rows have changed between two passes over them; scan them again")
    return merged


class ItemCounter:
    """How many rows hold each item, and how many items rows hold, added up chunk by chunk.

    >>> counts = ItemCounter(1 << 20)
    >>> counts.add(Itemsets.of([[7, 9], [7], [7]]))
    >>> [numbers.tolist() for numbers in counts.total()], counts.usual_length
    ([[7, 9], [3, 1]], 1)
    """

    def __init__(self, room: int) -> None:
        """Begin without any item; distinct items may take ``room`` bytes."""
        self.room = room
        self._lengths = np.zeros(1, dtype=np.int64)
        self._waiting: list[tuple[NDArray[np.int32], NDArray[np.int64]]] = []
        self._many, self._fold = 0, FOLD

    def add(self, rows: Itemsets) -> None:
        """Count the items of rows that repeat none."""
        lengths = np.bincount(rows.lengths, minlength=self._lengths.size)
        lengths[: self._lengths.size] += self._lengths
        self._lengths = lengths
        items = rows.items
        if items.max(initial=0) < items.size + SMALL_CODE:
            counts = np.bincount(items)
            numbers = np.flatnonzero(counts).astype(np.int32)
            counts = counts[numbers]
        else:  # a table by number would be larger than the items
            numbers, counts = np.unique(items, return_counts=True)
        self._waiting.append((numbers, counts))
        self._many += numbers.size
        if self._many > self._fold:
            self._fold = max(FOLD, 2 * self.total()[0].size)

    @property
    def usual_length(self) -> int:
        """The median of the lengths of rows."""
        return find_usual_length(self._lengths)

    def total(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return all numbers of items, in order, and how many rows hold each."""
        waiting = [(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)), *self._waiting]
        numbers, which = np.unique(np.concatenate([some for some, _ in waiting]), return_inverse=True)
        total = np.zeros(numbers.size, dtype=np.int64)
        np.add.at(total, which, np.concatenate([counts for _, counts in waiting]))
        self._waiting, self._many = [(numbers, total)], numbers.size
        if BYTES_PER_ITEM * numbers.size > self.room:
            many, room = f"there are {numbers.size:,} different items or more", resources.size(self.room)
            raise BudgetError(f"{many}, which do not fit in the {room} that ", Option("memory"), RAISE_IT)
        return numbers, total


class FrequentItems(NamedTuple):
    """The frequent items: their numbers, the code of each number, and labels and supports by code."""

    numbers: NDArray[np.int32]
    codes: NDArray[np.int32]
    labels: tuple[Label, ...]
    supports: NDArray[np.int64]

    @classmethod
    def of(cls, numbers: NDArray[np.int32], labels: Sequence[Label], supports: NDArray[np.int64], least: int) -> Self:
        """Keep the items with a support of at least ``least``.

        >>> FrequentItems.of(np.array([3, 8, 9]), ["tea", "milk", "wine"], np.array([2, 3, 1]), 2).labels
        ('milk', 'tea')
        """
        if any(map(is_missing, labels)):
            raise InputError("the rows hold missing values; leave their lines out, or fill them")
        support = dict(zip(labels, supports.tolist(), strict=True))
        frequent = tuple(label for label in sort_labels(labels) if support[label] >= least)
        code = {label: number for number, label in enumerate(frequent)}
        codes = np.array([code[label] for label in labels if label in code], dtype=np.int32)
        counts = np.array([support[label] for label in frequent], dtype=np.int64)
        return cls(numbers[supports >= least], codes, frequent, counts)

    def cut(self, rows: Itemsets) -> Itemsets:
        """Return rows cut to these items, in their codes; the arrays are rewritten."""
        offsets, items = rows.flat
        return Itemsets(offsets, self.codes[items[: kernels.formats.select(offsets, items, self.numbers)]])


def _find_path(source: Place) -> Path:
    path = as_path(source)
    if path is not None:
        with naming(source):
            check_there(source)
        if path.is_file():
            return path
    raise OptionError(TWICE)
