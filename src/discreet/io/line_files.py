"""Lines: files with one row a line, read piece by piece, and written again without some items, byte for byte."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.errors import GuaranteeError, InputError
from discreet.io.files import CHUNK

LONGEST_LINE: Final = 1 << 24
"""More bytes without a line end are refused: no row is that long, and a stream has to stay small in memory."""


class Lines(NamedTuple):
    """Whole lines, and the rows in them.

    Row r is ``data[starts[r]:stops[r]]``, its line end left out; it has ``lengths[r]`` items, repeated ones counted
    once. Of those that are looked for it holds ``items[offsets[r]:offsets[r + 1]]``, by their places in the list of
    them, in order.
    """

    data: bytes
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.starts.size

    def cut(self, row: int) -> tuple["Lines", "Lines"]:
        """Return the lines before a row, and those from it on."""
        at = int(self.starts[row]) if row < self.n else len(self.data)
        held = int(self.offsets[row])
        return (
            Lines(
                self.data[:at],
                self.starts[:row],
                self.stops[:row],
                self.lengths[:row],
                self.offsets[: row + 1],
                self.items[:held],
            ),
            Lines(
                self.data[at:],
                self.starts[row:] - at,
                self.stops[row:] - at,
                self.lengths[row:],
                self.offsets[row:] - held,
                self.items[held:],
            ),
        )


class Removed(NamedTuple):
    """Items removed from rows, as pairs in the order of the rows; the items by their places in the list of them."""

    rows: NDArray[np.int64]
    items: NDArray[np.int32]


class Text(NamedTuple):
    """How a format with one row a line is read in pieces, and how rows, a line each, lose items."""

    scan: Callable[[Iterable[bytes]], Iterator[Lines]]
    without: Callable[[Lines, Removed], bytes]


class Changed(NamedTuple):
    """Lines of which some rows have lost items, and these rows by themselves, as they are read from the new lines."""

    data: bytes
    rows: NDArray[np.int64]
    after: Lines


def changed(part: Lines, removed: Removed, text: Text) -> Changed:
    """Return lines without what is removed from rows that hold it; all else is the same bytes.

    A row of which nothing is left is an empty line; the last of a file gets a line end for that, if it has none.
    """
    new = np.flatnonzero(np.diff(removed.rows, prepend=-1))
    rows = removed.rows[new]
    lost = np.diff(np.append(new, removed.rows.size))
    lines = text.without(_alone(part, rows), Removed(np.repeat(np.arange(rows.size), lost), removed.items))
    after = joined([*text.scan(lines[start : start + CHUNK] for start in range(0, len(lines), CHUNK))])
    if not np.array_equal(after.lengths, part.lengths[rows] - lost):
        raise GuaranteeError("rows have not lost what they should; nothing is written: please report this as a bug")
    out = np.empty(len(part.data) + 1, dtype=np.uint8)
    bounds = part.starts[rows], part.stops[rows]
    size = kernels.formats.splice_lines(_seen(part.data), bounds, _seen(lines), (after.starts, after.stops), out)
    return Changed(out[:size].tobytes(), rows, after)


def _alone(part: Lines, rows: NDArray[np.int64]) -> Lines:
    """Return some rows, a line each, with nothing between them."""
    starts, stops = part.starts[rows], part.stops[rows]
    ends = np.cumsum(stops - starts + 1)
    out = np.empty(int(ends[-1]), dtype=np.uint8)
    kernels.formats.join_lines(_seen(part.data), starts, stops, out)
    lengths, nothing = part.lengths[rows], np.zeros(rows.size + 1, dtype=np.int64)
    return Lines(out.tobytes(), ends - (stops - starts + 1), ends - 1, lengths, nothing, np.empty(0, dtype=np.int32))


def _seen(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)


def joined(parts: Sequence[Lines]) -> Lines:
    """Return parts that follow each other as one."""
    if len(parts) == 1:
        return parts[0]
    sizes = np.cumsum([0, *(len(part.data) for part in parts)])
    held = np.cumsum([0, *(part.items.size for part in parts)])
    return Lines(
        b"".join([part.data for part in parts]),
        np.concatenate([part.starts + size for part, size in zip(parts, sizes, strict=False)]),
        np.concatenate([part.stops + size for part, size in zip(parts, sizes, strict=False)]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([[0], *(part.offsets[1:] + many for part, many in zip(parts, held, strict=False))]),
        np.concatenate([part.items for part in parts]),
    )


def in_batches(parts: Iterable[Lines], rows: int) -> Iterator[Lines]:
    """Yield the same lines in batches of so many rows, the last of which may have fewer."""
    waiting: list[Lines] = []
    many = 0
    for part in parts:
        waiting.append(part)
        many += part.n
        while many >= rows:
            batch, rest = joined(waiting).cut(rows)
            waiting, many = [rest], rest.n
            yield batch
    if waiting and (last := joined(waiting)).data:
        yield last


def whole_lines(chunks: Iterable[bytes], *, returns: bool = False) -> Iterator[tuple[bytes, int]]:
    r"""Yield the bytes of a file, cut at line ends only, each time with the number of lines that came before.

    With ``returns``, a carriage return ends a line too, where no line feed follows.

    >>> list(whole_lines([b"1 2", b"\n3\n4", b"5"]))
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
            before += max(1, int(np.count_nonzero(_seen(data) == ord("\n"))))
            waiting, size = [], 0
        waiting.append(chunk[end:])
        size += len(chunk) - end
        if size > LONGEST_LINE:
            raise InputError(f"line {before + 1} is longer than {LONGEST_LINE:,} bytes; check the line ends")
    if size:
        yield b"".join(waiting), before
    elif not before:
        raise InputError("the file is empty; an export has probably failed: write it again")
