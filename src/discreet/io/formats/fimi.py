"""FIMI: whole numbers separated by blanks, one row per line."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Message, Option, OutputError
from discreet.io import baskets
from discreet.io.chunks import ChunkReader, Reading, RowFunctions
from discreet.io.files import Data
from discreet.io.label_codes import Coded, check_fits_lines, check_label_types, find_used_codes, iterate_codes
from discreet.io.line_files import LineFormat, LineRows, RemovedItems, as_array, split_lines
from discreet.io.text import BYTE_ORDER_MARK, LONE_RETURN, WHOLE_NUMBER, encode_lines, refuse_lone_returns

LARGEST_ITEM: Final = 2**31 - 1
SMALL_TABLE: Final = 1 << 16

PROBLEMS: Final = {
    1: Message(
        f"something that is no whole number; items are whole numbers from 0 to {LARGEST_ITEM} with blanks between: "
        "for text labels use ",
        Option("format", "csv"),
    ),
    2: f"a negative number; items are whole numbers from 0 to {LARGEST_ITEM}: number them anew",
    3: f"a number above {LARGEST_ITEM}; items are whole numbers from 0 to {LARGEST_ITEM}: number them anew",
    4: Message(
        "a byte that is no text; the file is damaged, compressed or in another format: name it with ", Option("format")
    ),
    5: LONE_RETURN,
}


def read(data: Data, options: Reading) -> Transactions:  # noqa: ARG001 - one signature for all formats
    r"""Return the rows of a FIMI file; the labels are its numbers.

    >>> [sorted(row) for row in read(b"3 1 2\n\n10 9", Reading())]
    [[1, 2, 3], [], [9, 10]]
    """
    rows, numbers = read_numbers(data)
    return Coded(rows, tuple(numbers)).transactions()


def read_numbers(data: Data, *, comments: bytes = b"") -> tuple[Itemsets, list[int]]:
    """Return the rows of a file as codes, and the number of each code."""
    rows, largest = parse(data, comments=comments)
    check_rows(rows)
    return rows, _encode(rows.items, largest).tolist()


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as a FIMI file, in chunks."""
    check_fits_lines(rows, "FIMI")
    texts = as_number_texts(rows, "FIMI")
    return encode_lines(" ".join([texts[at] for at in row]) for row in iterate_codes(rows.itemsets))


def rewrite_lines(wanted: Sequence[str], options: Reading) -> LineFormat:  # noqa: ARG001 - as above
    """Return how FIMI is scanned for the ``wanted`` items, and loses some of them."""
    slots = find_slots(wanted)

    def scan(chunks: Iterable[bytes]) -> Iterator[LineRows]:
        for data, before in split_lines(chunks):
            yield select_items(parse_lines(data, before), slots)

    return LineFormat(scan, lambda lines, removed: without(lines, removed, slots))


def read_in_chunks(options: Reading) -> ChunkReader:  # noqa: ARG001 - as above
    """Return how FIMI is read in chunks; its items are numbers already."""
    return ChunkReader(parse_chunks, lambda items: items.tolist())


def parse_chunks(chunks: Iterable[bytes], *, comments: bytes = b"") -> Iterator[Itemsets]:
    """Yield the rows of a file as they come."""
    begun = False
    for data, before in split_lines(chunks):
        rows, _ = parse(data, comments=comments, before=before)
        if not begun:
            check_rows(rows)
        begun = begun or len(rows) > 0
        yield rows


def check_rows(rows: Itemsets) -> None:
    """Refuse a one-hot table, and lines that begin with row ids, by the first rows."""
    first = [row.tolist() for row in rows[: baskets.SEEN] if row.size]
    if len(first) < baskets.FEW:
        return
    if baskets.is_onehot(first) or baskets.is_onehot_with_ids(first):
        raise InputError(
            f"all lines hold {len(first[0]):,} numbers that are 0 or 1, as in a one-hot table; write it as CSV with "
            "a header of labels, and read it with ",
            *(baskets.ONEHOT, ", and ", Option("row"), " if it has ids"),
        )
    if baskets.begins_with_ids(first):
        raise InputError(
            "the lines begin with what looks like row ids, or the number of items; leave these out; ",
            *(baskets.MEANT, ", a blank"),
        )


def find_slots(wanted: Sequence[str]) -> dict[int, int]:
    """Return the place of each number in a list of texts; any other text is in no row.

    >>> find_slots(["7", "tea", "007", "3"])
    {7: 0, 3: 3}
    """
    numbers = ((slot, int(text)) for slot, text in enumerate(wanted) if WHOLE_NUMBER.fullmatch(text))
    return {number: slot for slot, number in numbers if 0 <= number <= LARGEST_ITEM}


def parse_lines(data: bytes, before: int, *, comments: bytes = b"") -> LineRows:
    """Return the rows in whole lines with all of their items, as numbers; ``before`` is the number of earlier lines."""
    starts, stops = _find_rows(data, before, comments)
    rows = parse(data, comments=comments, before=before)[0].sort_items()
    return LineRows(data, starts, stops, rows.lengths, rows)


def select_items(lines: LineRows, slots: Mapping[int, int]) -> LineRows:
    """Return lines with only those of their items that have a slot, as slots."""
    numbers = np.array(sorted(slots), dtype=np.int32)
    places = np.array([slots[number] for number in numbers.tolist()], dtype=np.int32)
    offsets, items = lines.held.offsets.copy(), lines.held.items.copy()
    items = places[items[: kernels.formats.select(offsets, items, numbers)]]
    return replace(lines, held=Itemsets(offsets, items).sort_items())


def without(lines: LineRows, removed: RemovedItems, slots: Mapping[int, int]) -> bytes:
    """Return rows, one per line, without the removed items."""
    numbers = np.full(max(slots.values()) + 1, -1, dtype=np.int32)
    numbers[list(slots.values())] = list(slots)
    data = as_array(lines.data)
    out = np.empty(data.size, dtype=np.uint8)
    offsets = np.searchsorted(removed.rows, np.arange(lines.n + 1))
    size = kernels.formats.drop_numbers(data, lines.starts, lines.stops, offsets, numbers[removed.items], out)
    return out[:size].tobytes()


def parse(data: Data, *, comments: bytes, before: int = 0) -> tuple[Itemsets, int]:
    """Return the rows as numbers, and the largest number; a line that starts with one of ``comments`` is no row."""
    skipped = np.zeros(256, dtype=np.bool_)
    skipped[list(comments)] = True
    start = len(BYTE_ORDER_MARK) if not before and data.startswith(BYTE_ORDER_MARK) else 0
    # Room for the worst case, a number every second byte; pages that are not written take no memory.
    items = np.empty(len(data) // 2 + 1, dtype=np.int32)
    offsets = np.empty(data.count(b"\n") + 2, dtype=np.int64)
    problem, line, rows, largest = kernels.formats.parse_fimi(as_array(data)[start:], skipped, items, offsets)
    if problem:
        raise InputError(f"line {before + line} holds ", PROBLEMS[problem])
    refuse_lone_returns(data, before=before)
    offsets.resize(rows + 1, refcheck=False)
    items.resize(int(offsets[-1]), refcheck=False)
    return Itemsets(offsets, items), int(largest)


def _encode(items: NDArray[np.int32], largest: int) -> NDArray[np.integer]:
    """Replace each item by its code, in place; return the items by code, which is their own order."""
    if largest >= items.size + SMALL_TABLE:  # a table by item would be larger than the items
        labels: NDArray[np.integer] = np.unique(items)
        kernels.formats.recode_by_search(items, labels)
        return labels
    present = np.zeros(largest + 1, dtype=np.bool_)
    kernels.itemsets.mark(items, present)
    labels = np.flatnonzero(present)
    if labels.size != largest + 1:
        kernels.formats.recode(items, np.cumsum(present, dtype=np.int32) - np.int32(1))
    return labels


def as_number_texts(value: Transactions | Patterns, format_name: str) -> list[str]:
    """Return each label as text; refuse labels in use that are no items of FIMI."""
    codes = find_used_codes(value)
    are_whole = check_label_types(value, codes, format_name)
    texts = list(map(str, value.labels)) if are_whole else []
    if codes and not (are_whole and all(0 <= int(texts[code]) <= LARGEST_ITEM for code in codes)):
        raise OutputError(
            f"the labels are not all whole numbers from 0 to {LARGEST_ITEM}, as {format_name} needs; write Parquet"
        )
    return texts


def _find_rows(data: bytes, before: int, comments: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each row of whole lines starts, and where it stops before its line end."""
    view = as_array(data)
    stops = np.flatnonzero(view == ord("\n"))
    if not data.endswith(b"\n"):
        stops = np.append(stops, view.size)
    starts = np.append(0, stops[:-1] + 1)
    if not before and data.startswith(BYTE_ORDER_MARK):
        starts[0] = len(BYTE_ORDER_MARK)
    is_row = starts < view.size  # but for a byte-order mark alone
    if comments:
        is_row[is_row] = ~np.isin(view[starts[is_row]], list(comments))
    return starts[is_row], stops[is_row]


ROWS: Final = RowFunctions(read, write, read_in_chunks, rewrite_lines)
