"""FIMI: whole numbers with blanks between them, one row a line."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data import baskets
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Message, Option, OutputError
from discreet.io.chunks import Piece, Pieces
from discreet.io.files import Data
from discreet.io.label_codes import (
    LONE_RETURN,
    WHOLE_NUMBER,
    Coded,
    blocks,
    ragged,
    refuse_lone_returns,
    refuse_what_lines_cannot_hold,
    used,
    whole_labels,
)
from discreet.io.line_files import Lines, Removed, Text, whole_lines

LARGEST_ITEM: Final = 2**31 - 1
SMALL_TABLE: Final = 1 << 16
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

FORMAT: Final = Option("format")
PROBLEMS: Final = {
    1: Message(
        f"something that is no whole number; items are whole numbers from 0 to {LARGEST_ITEM} with blanks between: "
        "for text labels use ",
        Option("format", "csv"),
    ),
    2: f"a negative number; items are whole numbers from 0 to {LARGEST_ITEM}: number them anew",
    3: f"a number above {LARGEST_ITEM}; items are whole numbers from 0 to {LARGEST_ITEM}: number them anew",
    4: Message("a byte that is no text; the file is damaged, compressed or in another format: name it with ", FORMAT),
    5: LONE_RETURN,
}


def read(data: Data) -> Transactions:
    r"""Return the rows of a FIMI file; the labels are its numbers.

    >>> [sorted(row) for row in read(b"3 1 2\n\n10 9")]
    [[1, 2, 3], [], [9, 10]]
    """
    offsets, items, largest = parse(data, comments=b"")
    check_rows(offsets, items)
    return Coded(offsets, items, tuple(code(items, largest).tolist())).transactions()


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as a FIMI file, in chunks."""
    refuse_what_lines_cannot_hold(rows, "FIMI")
    texts = numbers(rows, "FIMI")
    return blocks(" ".join([texts[at] for at in row]) for row in ragged(rows.offsets, rows.items))


def lines(wanted: Sequence[str]) -> Text:
    """Return how FIMI is read in pieces, and written again without some of the items that are looked for."""
    slots = slots_of(wanted)

    def scan(chunks: Iterable[bytes]) -> Iterator[Lines]:
        for data, before in whole_lines(chunks):
            yield selected(parsed(data, before, comments=b""), slots)

    return Text(scan, lambda part, removed: without(part, removed, slots))


def pieces() -> Pieces:
    """Return how FIMI is read in pieces; its items are numbers already."""
    return Pieces(lambda chunks: read_pieces(chunks, comments=b""), lambda items: items.tolist())


def read_pieces(chunks: Iterable[bytes], *, comments: bytes) -> Iterator[Piece]:
    """Yield the rows of a file as they come."""
    begun = False
    for data, before in whole_lines(chunks):
        offsets, items, _ = parse(data, comments=comments, before=before)
        if not begun:
            check_rows(offsets, items)
        begun = begun or offsets.size > 1
        yield Piece(offsets, items)


def check_rows(offsets: NDArray[np.int64], items: NDArray[np.int32]) -> None:
    """Refuse a table of 0 and 1, and lines that begin with row ids, by the first rows."""
    bounds = offsets[: baskets.SEEN + 1].tolist()
    rows = [items[start:stop].tolist() for start, stop in pairwise(bounds) if start < stop]
    if len(rows) < baskets.FEW:
        return
    if baskets.is_onehot(rows) or baskets.is_onehot_with_ids(rows):
        raise InputError(
            f"all lines hold {len(rows[0]):,} numbers that are 0 or 1, as in a one-hot table; write it as CSV with "
            "a header of labels, and read it with ",
            *(baskets.ONEHOT, ", and ", Option("row"), " if it has ids"),
        )
    if baskets.begins_with_ids(rows):
        raise InputError(
            "the lines begin with what looks like row ids, or the number of items; leave these out; ",
            *(baskets.MEANT, ", a blank"),
        )


def slots_of(wanted: Sequence[str]) -> dict[int, int]:
    """Return the place of each number in a list of texts; what is no item of FIMI is in no row.

    >>> slots_of(["7", "tea", "007", "3"])
    {7: 0, 3: 3}
    """
    numbers = ((slot, int(text)) for slot, text in enumerate(wanted) if WHOLE_NUMBER.fullmatch(text))
    return {number: slot for slot, number in numbers if 0 <= number <= LARGEST_ITEM}


def parsed(data: bytes, before: int, *, comments: bytes) -> Lines:
    """Return the rows in whole lines with all of their items, as numbers; so many lines came ``before``."""
    starts, stops = _bounds(data, before, comments)
    offsets, items, _ = parse(data, comments=comments, before=before)
    items = items[: kernels.itemsets.sort_rows(offsets, items)]
    return Lines(data, starts, stops, np.diff(offsets), offsets, items)


def selected(part: Lines, slots: Mapping[int, int]) -> Lines:
    """Return lines with only those of their items that have a slot, and these as slots."""
    numbers = np.array(sorted(slots), dtype=np.int32)
    places = np.array([slots[number] for number in numbers.tolist()], dtype=np.int32)
    offsets, items = part.offsets.copy(), part.items.copy()
    items = places[items[: kernels.formats.select(offsets, items, numbers)]]
    kernels.itemsets.sort_rows(offsets, items)
    return part._replace(offsets=offsets, items=items)


def without(part: Lines, removed: Removed, slots: Mapping[int, int]) -> bytes:
    """Return rows, a line each, without what is removed from each of them."""
    numbers = np.full(max(slots.values()) + 1, -1, dtype=np.int32)
    numbers[list(slots.values())] = list(slots)
    data = np.frombuffer(part.data, dtype=np.uint8)
    out = np.empty(data.size, dtype=np.uint8)
    offsets = np.searchsorted(removed.rows, np.arange(part.n + 1))
    size = kernels.formats.drop_numbers(data, part.starts, part.stops, offsets, numbers[removed.items], out)
    return out[:size].tobytes()


def parse(data: Data, *, comments: bytes, before: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
    """Return where the rows start, their numbers and the largest of them.

    A line that starts with one of ``comments`` is no row. So many lines came ``before``.
    """
    skipped = np.zeros(256, dtype=np.bool_)
    skipped[list(comments)] = True
    start = len(BYTE_ORDER_MARK) if not before and data.startswith(BYTE_ORDER_MARK) else 0
    # Room for the worst case, a number every second byte; pages that are not written take no memory.
    items = np.empty(len(data) // 2 + 1, dtype=np.int32)
    offsets = np.empty(data.count(b"\n") + 2, dtype=np.int64)
    seen = np.frombuffer(data, dtype=np.uint8, offset=start)
    seen.setflags(write=False)  # as bytes and bytearray are one type to the kernel then, it is compiled once
    problem, line, rows, largest = kernels.formats.parse_fimi(seen, skipped, items, offsets)
    if problem:
        raise InputError(f"line {before + line} holds ", PROBLEMS[problem])
    refuse_lone_returns(data, before=before)
    offsets.resize(rows + 1, refcheck=False)
    items.resize(int(offsets[-1]), refcheck=False)
    return offsets, items, int(largest)


def code(items: NDArray[np.int32], largest: int) -> NDArray[np.integer]:
    """Replace each item by its code, in place; return the items by code, which is their own order."""
    if largest >= items.size + SMALL_TABLE:  # a table by item would be larger than the items
        labels: NDArray[np.integer] = np.unique(items)
        kernels.formats.recode_by_search(items, labels)
        return labels
    present = np.zeros(largest + 1, dtype=np.bool_)
    kernels.formats.mark_items(items, present)
    labels = np.flatnonzero(present)
    if labels.size != largest + 1:
        kernels.formats.recode(items, np.cumsum(present, dtype=np.int32) - np.int32(1))
    return labels


def numbers(value: Transactions | Patterns, format_name: str) -> list[str]:
    """Return each label as text; refuse labels in use that are no items of FIMI."""
    codes = used(value)
    whole = whole_labels(value, codes, format_name)
    texts = list(map(str, value.labels)) if whole else []
    if codes and not (whole and all(0 <= int(texts[code]) <= LARGEST_ITEM for code in codes)):
        raise OutputError(
            f"the labels are not all whole numbers from 0 to {LARGEST_ITEM}, as {format_name} needs; write Parquet"
        )
    return texts


def _bounds(data: bytes, before: int, comments: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each row of whole lines starts, and where it stops before its line end."""
    seen = np.frombuffer(data, dtype=np.uint8)
    stops = np.flatnonzero(seen == ord("\n"))
    if not data.endswith(b"\n"):
        stops = np.append(stops, seen.size)
    starts = np.append(0, stops[:-1] + 1)
    if not before and data.startswith(BYTE_ORDER_MARK):
        starts[0] = len(BYTE_ORDER_MARK)
    rows = starts < seen.size  # but for a byte-order mark alone
    if comments:
        rows[rows] = ~np.isin(seen[starts[rows]], list(comments))
    return starts[rows], stops[rows]
