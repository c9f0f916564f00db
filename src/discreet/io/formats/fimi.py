"""FIMI and SPMF: rows of whole numbers, one per line; in SPMF, patterns ``1 2 #SUP: 4``, and lines that name items."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets, Label
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Message, Option, OutputError
from discreet.io import notation
from discreet.io.files import Bytes
from discreet.io.formats.cells import split_joined
from discreet.io.formats.patterns import (
    STATED,
    Mined,
    PatternFunctions,
    StatedPatterns,
    collect_patterns,
    iterate_patterns,
    mined_of,
)
from discreet.io.line_files import LineFormat, LineRows, RemovedItems, as_array, split_lines
from discreet.io.notation import BYTE_ORDER_MARK, ChunkReader, Coded, RowFunctions, as_text, encode_lines
from discreet.io.options import RowOptions

COMMENTS: Final = b"#%@"  # the first characters of lines of SPMF that are no rows
SIGNS: Final = COMMENTS.decode()
SUPPORT, ITEM = "#SUP:", "@ITEM="
NUMBER: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
NUMBERED: Final = re.compile(rf"[0-9\s]*({SUPPORT}|$)", re.ASCII)
NAMES_IN_WORDS: Final = (
    "labels that may hold blanks have blanks between: keep the numbers, with lines such as @ITEM=1=apple"
)
LARGEST_ITEM: Final = 2**31 - 1
SMALL_TABLE: Final = 1 << 16
FORMAT, CSV = Option("format"), Option("format", "csv")
_WHOLE: Final = f"items are whole numbers from 0 to {LARGEST_ITEM}"
PROBLEMS: Final = {
    1: Message(f"something that is no whole number; {_WHOLE}, with blanks between: for text labels use ", CSV),
    2: f"a negative number; {_WHOLE}: number them anew",
    3: f"a number above {LARGEST_ITEM}; {_WHOLE}: number them anew",
    4: Message("a byte that is no text; the file is damaged, compressed or in another format: name it with ", FORMAT),
    5: notation.LONE_RETURN,
}


def read(data: Bytes, options: RowOptions, *, comments: bytes = b"") -> Transactions:  # noqa: ARG001 - as in all formats
    r"""Return the rows of a file; the labels are its numbers, or the names that ``@ITEM`` lines of SPMF give them.

    >>> [sorted(row) for row in read(b"3 1 2\n\n10 9", RowOptions())]
    [[1, 2, 3], [], [9, 10]]
    >>> [sorted(row) for row in read(b"@ITEM=1=apple\n@ITEM=2=tea\n1 2\n2\n", RowOptions(), comments=COMMENTS)]
    [['apple', 'tea'], ['tea']]
    """
    names = read_names(as_text(data).split("\n")) if comments and ITEM.encode() in data else {}
    rows, largest = parse(data, comments=comments)
    numbers = _encode(rows.items, largest).tolist()
    coded = Coded.of(rows, find_labels(numbers, names)) if names else Coded(rows, tuple(numbers))
    return coded.transactions()


def write(rows: Transactions, *, name: str = "FIMI") -> Iterator[bytes]:
    """Yield the rows as a file, in chunks; only SPMF names items that are no numbers."""
    notation.check_fits_lines(rows, name)
    head, texts = _number_labels(rows) if name == "SPMF" else ([], as_number_texts(rows, name))
    lines = (" ".join([texts[code] for code in row]) for row in notation.iterate_codes(rows.itemsets))
    return encode_lines(chain(head, lines))


def rewrite_lines(wanted: Sequence[str], options: RowOptions, *, comments: bytes = b"") -> LineFormat:  # noqa: ARG001 - as above
    """Return how a file is scanned for ``wanted`` items, and loses some of them; names must come before all rows."""
    slots = find_slots(wanted)
    places = {text: slot for slot, text in enumerate(wanted)}
    numbers: set[int] = set()

    def scan(chunks: Iterable[bytes]) -> Iterator[LineRows]:
        head, begun = b"", False
        for data, before in split_lines(chunks):
            ends = _find_rows(data, before, comments)
            rows = parse(data, comments=comments, before=before)[0].sort_items()
            lines = LineRows(data, *ends, rows.lengths, rows)
            size = 0 if begun else int(lines.starts[0]) if lines.n else len(data)
            head += data[:size]
            begun |= lines.n > 0
            is_named = data.startswith(ITEM.encode(), size) or data.find(f"\n{ITEM}".encode(), size) >= 0
            if begun and is_named:
                raise InputError(f"there are {ITEM} lines after rows; move them before all rows for one scan")
            if ITEM.encode() in data[:size] and (names := read_names(as_text(head).split("\n"))):
                numbers.update(names)
                slots.clear()
                slots.update({number: places[name] for number, name in names.items() if name in places})
            if numbers and not np.isin(lines.held.items, list(numbers)).all():
                raise InputError(f"an item after line {before} has no {ITEM} line, though others have; name them all")
            lines = select_items(lines, slots)
            del rows  # all items of a chunk, of which few are wanted
            yield lines
            del lines, data  # before the next chunk is parsed

    return LineFormat(scan, lambda lines, removed: without(lines, removed, slots))


def read_in_chunks(options: RowOptions, *, comments: bytes = b"") -> ChunkReader:  # noqa: ARG001 - as above
    """Return how a file is read in chunks; lines that name items may stand anywhere."""
    names: dict[int, str] = {}

    def read(chunks: Iterable[bytes]) -> Iterator[Itemsets]:
        names.clear()
        for data, before in split_lines(chunks):
            if comments and ITEM.encode() in data:
                _add_names(names, as_text(data, before=before).split("\n"), before)
            rows, _ = parse(data, comments=comments, before=before)
            yield rows
        _check_names(names)

    return ChunkReader(read, lambda items: find_labels(items.tolist(), names))


def find_slots(wanted: Sequence[str]) -> dict[int, int]:
    """Return the place of each number in a list of texts; any other text is in no row.

    >>> find_slots(["7", "tea", "007", "3"])
    {7: 0, 3: 3}
    """
    numbers = ((slot, int(text)) for slot, text in enumerate(wanted) if notation.WHOLE_NUMBER.fullmatch(text))
    return {number: slot for slot, number in numbers if 0 <= number <= LARGEST_ITEM}


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


def parse(data: Bytes, *, comments: bytes, before: int = 0) -> tuple[Itemsets, int]:
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
    notation.refuse_lone_returns(data, before=before)
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
    codes = notation.find_used_codes(value)
    are_whole = notation.check_label_types(value, codes, format_name)
    texts = list(map(str, value.labels)) if are_whole else []
    if codes and not (are_whole and all(0 <= int(texts[code]) <= LARGEST_ITEM for code in codes)):
        raise OutputError(f"{format_name} needs labels that are whole numbers from 0 to {LARGEST_ITEM}; write Parquet")
    return texts


def _find_rows(data: bytes, before: int, comments: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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


def read_patterns(data: Bytes, n: int | None = None) -> StatedPatterns:  # noqa: ARG001 - one signature for all formats
    """Return the patterns of an SPMF file."""
    lines = notation.as_lines(data)
    names = read_names(lines)
    heads = {f"@{name.upper()}=": name for name in STATED}
    apart = (ITEM, *heads)
    filled = ((at, line) for at, line in enumerate(lines, start=1) if line.strip() and not line.startswith(apart))
    listed = [(at, line) for at, line in filled if SUPPORT in line or line[0] not in SIGNS]  # a label may begin so
    stated = (_read_pattern(line, at) for at, line in listed)
    said: dict[str, Any] = {heads[head]: line[len(head) :] for line in lines for head in heads if line.startswith(head)}
    counts = ((name, f"the line @{name.upper()}=") for name in said if name != "kind")
    mined = Mined(**said | {name: notation.as_support(said[name], where) for name, where in counts})
    if not names and not all(NUMBERED.match(line) or line[0] in SIGNS for _, line in listed):
        return _read_texts(list(stated), mined)
    pairs = ((_read_numbers(items, at), count) for (at, _), (items, count) in zip(listed, stated, strict=True))
    return collect_patterns(pairs, mined=mined, as_labels=lambda numbers: find_labels(numbers, names))


def _read_texts(pairs: Sequence[tuple[str, int]], mined: Mined) -> StatedPatterns:
    """Return the patterns of an output that SPMF gave names instead of numbers, which may hold blanks."""
    texts = [items for items, _ in pairs]
    itemsets, known = [text.split() for text in texts], split_joined(texts, " ")
    is_sure = {*chain.from_iterable(itemsets)} <= {*texts}
    found = itemsets if is_sure or known is None else known
    listed = zip(found, (count for _, count in pairs), strict=True)
    doubt = "" if is_sure or known is not None else NAMES_IN_WORDS
    return replace(collect_patterns(listed, mined=mined, as_labels=notation.as_labels), doubt=doubt)


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as an SPMF file, in chunks; other readers take the empty itemset's line for a comment."""
    head, texts = _number_labels(patterns)
    mined = (f"@{name.upper()}={value}" for name, value in mined_of(patterns).items())
    pairs = iterate_patterns(patterns)
    lines = (" ".join([*(texts[code] for code in one), SUPPORT, str(support)]) for one, support in pairs)
    return encode_lines(chain(head, mined, lines))


def _number_labels(value: Transactions | Patterns) -> tuple[list[str], list[str]]:
    """Return the lines that give labels their numbers, and the number of each label as text."""
    codes = notation.find_used_codes(value)
    if not codes or notation.check_label_types(value, codes, "SPMF"):
        return [], as_number_texts(value, "SPMF")
    names = [str(value.labels[code]) for code in codes]
    if not all(map(notation.is_plain, names)):
        raise OutputError("SPMF cannot hold a label with a line end or a NUL; rename it, or write JSON or Parquet")
    texts = [""] * len(value.labels)
    for number, code in enumerate(codes, start=1):
        texts[code] = str(number)
    return ["@CONVERTED_FROM_TEXT", *(f"@ITEM={number}={name}" for number, name in enumerate(names, start=1))], texts


def read_names(lines: list[str]) -> dict[int, str]:
    """Return the labels that ``@ITEM=1=apple`` lines give to numbers."""
    names: dict[int, str] = {}
    _add_names(names, lines, 0)
    _check_names(names)
    return names


def _add_names(names: dict[int, str], lines: list[str], before: int) -> None:
    for at, line in enumerate(lines, start=before + 1):
        if line.startswith(ITEM):
            number, equals, name = line.removeprefix(ITEM).removesuffix("\r").partition("=")
            if not (equals and NUMBER.fullmatch(number.removeprefix("-"))) or int(number) in names:
                raise InputError(f"line {at} must name a number once, such as @ITEM=1=apple; mend it")
            names[int(number)] = name


def _check_names(names: Mapping[int, str]) -> None:
    if len(set(names.values())) != len(names):
        raise InputError("two @ITEM lines give the same label; give each item a label of its own")


def find_labels(numbers: list[int], names: Mapping[int, str]) -> list[Label]:
    """Return the labels of items by their numbers; where some are named, all must be."""
    if not names:
        return list(numbers)
    missing = sum(number not in names for number in numbers)
    if missing:
        raise InputError(f"{missing} of {len(numbers)} items have no @ITEM line, though others have; name them all")
    return [names[number] for number in numbers]


def _read_pattern(line: str, at: int) -> tuple[str, int]:
    items, sign, rest = line.partition(SUPPORT)
    counts = rest.split("#", 1)[0].split()
    if not sign or len(counts) != 1:
        raise InputError(f"line {at} is no pattern such as '1 2 3 #SUP: 4'")
    return items.removesuffix(" "), notation.as_support(counts[0], f"line {at}")


def _read_numbers(items: str, at: int) -> list[int]:
    numbers = items.split()
    if not all(map(NUMBER.fullmatch, numbers)):
        raise InputError(f"line {at} is no pattern such as '1 2 3 #SUP: 4'; name items by lines such as @ITEM=1=apple")
    return list(map(int, numbers))


FIMI: Final = RowFunctions(read, write, read_in_chunks, rewrite_lines)
SPMF: Final = RowFunctions(
    partial(read, comments=COMMENTS),
    partial(write, name="SPMF"),
    partial(read_in_chunks, comments=COMMENTS),
    partial(rewrite_lines, comments=COMMENTS),
)
PATTERNS: Final = PatternFunctions(read_patterns, write_patterns)
