"""Files of rows written again without some items: lines byte for byte, and lines of tables."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets, Label, offsets_of
from discreet.errors import GuaranteeError, InputError, OutputError
from discreet.io.compression import CHUNK
from discreet.io.files import EMPTY

LONGEST_LINE: Final = 1 << 24  # a longer line is refused: no row is that long, and a stream has to stay small in memory
Losses: TypeAlias = Mapping[int, Collection[Label]]  # the items that rows lose, by row number from 0


@dataclass(frozen=True, eq=False)
class LineRows:
    """Whole lines: row r is ``data[starts[r]:stops[r]]`` and has ``lengths[r]`` items; ``held`` are the wanted ones."""

    data: bytes
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    lengths: NDArray[np.int64]
    held: Itemsets

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.starts.size

    def cut(self, row: int) -> tuple["LineRows", "LineRows"]:
        """Return the lines before a row, and those from it on."""
        at = int(self.starts[row]) if row < self.n else len(self.data)
        starts, stops, lengths = self.starts, self.stops, self.lengths
        offsets, items = self.held.flat
        first = int(offsets[row])
        before, after = Itemsets(offsets[: row + 1], items[:first]), Itemsets(offsets[row:] - first, items[first:])
        return (
            LineRows(self.data[:at], starts[:row], stops[:row], lengths[:row], before),
            LineRows(self.data[at:], starts[row:] - at, stops[row:] - at, lengths[row:], after),
        )


class RemovedItems(NamedTuple):
    """Items removed from rows, as pairs in the order of the rows; an item is its place in the list of items."""

    rows: NDArray[np.int64]
    items: NDArray[np.int32]


class LineFormat(NamedTuple):
    """How a format of one row per line is scanned, and how rows lose items."""

    scan: Callable[[Iterable[bytes]], Iterator[LineRows]]
    without: Callable[[LineRows, RemovedItems], bytes]


class ChangedLines(NamedTuple):
    """Lines in which some ``rows`` have lost items, and these rows alone, as read from the new lines."""

    data: bytes
    rows: NDArray[np.int64]
    after: LineRows


def remove_items(lines: LineRows, removed: RemovedItems, form: LineFormat) -> ChangedLines:
    """Return lines without the removed items, which the rows must hold; all else stays the same bytes."""
    firsts = np.flatnonzero(np.diff(removed.rows, prepend=-1))
    rows = removed.rows[firsts]
    losses = np.diff(np.append(firsts, removed.rows.size))
    text = form.without(_take(lines, rows), RemovedItems(np.repeat(np.arange(rows.size), losses), removed.items))
    after = join_lines([*form.scan(text[start : start + CHUNK] for start in range(0, len(text), CHUNK))])
    if not np.array_equal(after.lengths, lines.lengths[rows] - losses):
        raise GuaranteeError("rows have not lost what they should; nothing is written: please report this as a bug")
    out = np.empty(len(lines.data) + 1, dtype=np.uint8)
    bounds = lines.starts[rows], lines.stops[rows]
    size = kernels.formats.splice_lines(as_array(lines.data), bounds, as_array(text), (after.starts, after.stops), out)
    return ChangedLines(out[:size].tobytes(), rows, after)


def _take(lines: LineRows, rows: NDArray[np.int64]) -> LineRows:
    starts, stops = lines.starts[rows], lines.stops[rows]
    bounds = offsets_of(stops - starts + 1)
    out = np.empty(int(bounds[-1]), dtype=np.uint8)
    kernels.formats.join_lines(as_array(lines.data), starts, stops, out)
    nothing = Itemsets(np.zeros(rows.size + 1, dtype=np.int64), np.empty(0, dtype=np.int32))
    return LineRows(out.tobytes(), bounds[:-1], bounds[1:] - 1, lines.lengths[rows], nothing)


def as_array(data: bytes | bytearray) -> NDArray[np.uint8]:
    """Return a read-only view of bytes: kernels are compiled once for bytes and bytearray then."""
    view = np.frombuffer(data, dtype=np.uint8)
    view.setflags(write=False)
    return view


def join_lines(parts: Sequence[LineRows]) -> LineRows:
    """Join parts that follow each other."""
    if len(parts) == 1:
        return parts[0]
    moved = list(zip(parts, offsets_of([len(part.data) for part in parts])[:-1].tolist(), strict=True))
    return LineRows(
        b"".join([part.data for part in parts]),
        np.concatenate([part.starts + begin for part, begin in moved]),
        np.concatenate([part.stops + begin for part, begin in moved]),
        np.concatenate([part.lengths for part in parts]),
        Itemsets.concat([part.held for part in parts]),
    )


def batch_lines(parts: Iterable[LineRows], rows: int) -> Iterator[LineRows]:
    """Yield the same lines in batches of so many rows; the last batch may have fewer."""
    waiting: list[LineRows] = []
    for part in parts:
        waiting.append(part)
        while sum(one.n for one in waiting) >= rows:
            batch, rest = join_lines(waiting).cut(rows)
            waiting = [rest]
            yield batch
    if waiting and (last := join_lines(waiting)).data:
        yield last


def split_lines(chunks: Iterable[bytes], *, returns: bool = False) -> Iterator[tuple[bytes, int]]:
    r"""Yield a file cut at line ends (with ``returns``, at lone carriage returns too), and the number of lines before.

    >>> list(split_lines([b"1 2", b"\n3\n4", b"5"]))
    [(b'1 2\n3\n', 0), (b'45', 2)]
    """
    waiting: list[bytes] = []
    size = before = 0
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if returns and not end:
            end = chunk.rfind(b"\r", 0, -1) + 1  # the last byte may be half of a line end
        if end:
            data = b"".join([*waiting, chunk[:end]])
            yield data, before
            before += max(1, int(np.count_nonzero(as_array(data) == ord("\n"))))
            waiting, size = [], 0
        waiting.append(chunk[end:])
        size += len(chunk) - end
        if size > LONGEST_LINE:
            raise InputError(f"line {before + 1} is longer than {LONGEST_LINE:,} bytes; check the line ends")
    if size:
        yield b"".join(waiting), before
    elif not before:
        raise InputError(EMPTY)


def spread_losses(
    parts: Iterable[LineRows], losses: Losses, slots: Mapping[str, int]
) -> Iterator[tuple[LineRows, RemovedItems]]:
    """Yield parts of a file, each with the items that its rows lose, by their ``slots``; refuse losses not held."""
    rows = np.array([row for row, lost in losses.items() for _ in lost], dtype=np.int64)
    items = np.array([slots[str(item)] for lost in losses.values() for item in lost], dtype=np.int32)
    first = 0
    for part in parts:
        low, high = np.searchsorted(rows, [first, first + part.n])
        removed = RemovedItems(rows[low:high] - first, items[low:high])
        held = part.held.owners * len(slots) + part.held.entries
        check_held(removed.rows[~np.isin(removed.rows * len(slots) + removed.items, held)] + first)
        yield part, removed
        first += part.n
    check_held(rows[rows >= first])


def select_lines(ids: Iterable[Hashable], items: Iterable[Label], losses: Losses) -> list[bool]:
    """Return which lines of a row id and an item stay; rows are numbered as they appear, and none may lose all lines.

    >>> select_lines([7, 3, 7], ["tea", "tea", "milk"], {0: ["tea"]})
    [False, True, True]
    """
    numbers: dict[Hashable, int] = {}
    pairs = [(numbers.setdefault(one, len(numbers)), item) for one, item in zip(ids, items, strict=True)]
    gone = {(row, item) for row, lost in losses.items() for item in lost}
    check_held(row for row, _ in gone - set(pairs))
    stays = [pair not in gone for pair in pairs]
    left = {row for (row, _), is_left in zip(pairs, stays, strict=True) if is_left}
    if len(left) < len(numbers):
        row = min(set(range(len(numbers))) - left)
        problem = f"row {row + 1} loses all of its items, and one line per item cannot hold such a row"
        raise OutputError(f"{problem}; write the rows as baskets, or as lists in Parquet")
    return stays


def remove_from_lists(lists: Iterable[Iterable[Label]], losses: Losses) -> list[list[Label]]:
    """Return the lists of the rows that lose items, without these.

    >>> remove_from_lists([["tea", "milk", "tea"]], {4: ["tea"]})
    [['milk']]
    """
    after = []
    for items, (row, lost) in zip(map(list, lists), losses.items(), strict=True):
        check_held(row for item in lost if item not in items)
        after.append([item for item in items if item not in lost])
    return after


def check_held(rows: Iterable[int]) -> None:
    """Refuse ``rows`` that do not hold the items they lose: the file is not the one that was read."""
    row = min(rows, default=None)
    if row is not None:
        reason = "the file has changed since it was read, or was read with other options"
        raise InputError(f"row {row + 1} does not hold an item that it shall lose; {reason}")
