"""SPMF: rows as in FIMI, patterns as ``1 2 3 #SUP: 4``; lines of ``@`` give labels and how patterns were mined."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from discreet.data.itemsets import Itemsets, Label
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import InputError, OutputError
from discreet.io.files import Data
from discreet.io.formats import fimi
from discreet.io.formats.patterns import Mined, PatternFunctions, StatedPatterns, collect_patterns, iterate_patterns
from discreet.io.label_codes import (
    ChunkReader,
    Coded,
    Reading,
    RowFunctions,
    check_fits_lines,
    check_label_types,
    find_used_codes,
    iterate_codes,
)
from discreet.io.line_files import LineFormat, LineRows, split_lines
from discreet.io.text import as_lines, as_support, as_text, encode_lines, is_plain

COMMENTS: Final = b"#%@"
SUPPORT: Final = "#SUP:"
NUMBER: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
FROM_TEXT: Final = "@CONVERTED_FROM_TEXT"
ITEM: Final = "@ITEM="


def read(data: Data, options: Reading) -> Transactions:  # noqa: ARG001 - one signature for all formats
    r"""Return the rows of an SPMF file; the labels are those of its ``@ITEM`` lines, else its numbers.

    >>> [sorted(row) for row in read(b"@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=tea\n1 2\n2\n", Reading())]
    [['apple', 'tea'], ['tea']]
    """
    names = read_names(as_text(data).split("\n")) if ITEM.encode() in data else {}
    rows, numbers = fimi.read_numbers(data, comments=COMMENTS)
    return Coded.of(rows, find_labels(numbers, names)).transactions()


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as an SPMF file, in chunks."""
    check_fits_lines(rows, "SPMF")
    head, texts = _number_labels(rows)
    yield from encode_lines(head)
    yield from encode_lines(" ".join([texts[code] for code in row]) for row in iterate_codes(rows.itemsets))


def rewrite_lines(wanted: Sequence[str], options: Reading) -> LineFormat:  # noqa: ARG001 - as above
    """Return how SPMF is scanned for the ``wanted`` items, and loses some of them; names must come before all rows."""
    slots = fimi.find_slots(wanted)
    places = {text: slot for slot, text in enumerate(wanted)}
    numbers: set[int] = set()

    def scan(chunks: Iterable[bytes]) -> Iterator[LineRows]:
        head, begun = b"", False
        for data, before in split_lines(chunks):
            lines = fimi.parse_lines(data, before, comments=COMMENTS)
            size = 0 if begun else int(lines.starts[0]) if lines.n else len(data)
            head += data[:size]
            begun |= lines.n > 0
            if begun and f"\n{ITEM}".encode() in b"\n" + data[size:]:
                raise InputError(
                    f"there are {ITEM} lines after rows; move them before all rows, to read it in one scan"
                )
            if ITEM.encode() in data[:size] and (names := read_names(as_text(head).split("\n"))):
                numbers.update(names)
                slots.clear()
                slots.update({number: places[name] for number, name in names.items() if name in places})
            if numbers and not np.isin(lines.held.items, list(numbers)).all():
                raise InputError(f"an item after line {before} has no {ITEM} line, though others have; name them all")
            yield fimi.select_items(lines, slots)

    return LineFormat(scan, lambda lines, removed: fimi.without(lines, removed, slots))


def read_in_chunks(options: Reading) -> ChunkReader:  # noqa: ARG001 - as above
    """Return how SPMF is read in chunks; lines that name items may stand anywhere."""
    names: dict[int, str] = {}

    def read(chunks: Iterable[bytes]) -> Iterator[Itemsets]:
        names.clear()

        def collect_names() -> Iterator[bytes]:
            for data, before in split_lines(chunks):
                if ITEM.encode() in data:
                    _add_names(names, as_text(data, before=before).split("\n"), before)
                yield data

        yield from fimi.parse_chunks(collect_names(), comments=COMMENTS)
        _check_names(names)

    return ChunkReader(read, lambda items: find_labels(items.tolist(), names))


def read_patterns(data: Data, n: int | None = None) -> StatedPatterns:  # noqa: ARG001 - one signature for all formats
    """Return the patterns of an SPMF file."""
    lines = as_lines(data)
    names = read_names(lines)
    pairs = (
        _read_pattern(line, number)
        for number, line in enumerate(lines, start=1)
        if line.startswith(SUPPORT) or (line.strip() and not line.startswith(("#", "%", "@")))
    )
    stated = dict(line[1:].split("=", 1) for line in lines if line.startswith(("@N=", "@MIN_SUPPORT=", "@KIND=")))
    counts = {name: as_support(stated[name], f"the line @{name}=") for name in ("N", "MIN_SUPPORT") if name in stated}
    mined = Mined(counts.get("N"), counts.get("MIN_SUPPORT"), stated.get("KIND"))
    return collect_patterns(pairs, mined=mined, as_labels=lambda numbers: find_labels(numbers, names))


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as an SPMF file, in chunks; other readers take the empty itemset's line for a comment."""
    head, texts = _number_labels(patterns)
    mined = [f"@N={patterns.n}", f"@MIN_SUPPORT={patterns.min_support}", f"@KIND={patterns.kind}"]
    yield from encode_lines([*head, *mined])
    yield from encode_lines(
        " ".join([*(texts[code] for code in itemset), SUPPORT, str(support)])
        for itemset, support in iterate_patterns(patterns)
    )


def _number_labels(value: Transactions | Patterns) -> tuple[list[str], list[str]]:
    """Return the lines that give labels their numbers, and the number of each label as text."""
    codes = find_used_codes(value)
    if not codes or check_label_types(value, codes, "SPMF"):
        return [], fimi.as_number_texts(value, "SPMF")
    names = [str(value.labels[code]) for code in codes]
    if not all(map(is_plain, names)):
        raise OutputError(
            "a label holds a line end or a NUL, which SPMF cannot hold; rename it, or write JSON or Parquet"
        )
    texts = [""] * len(value.labels)
    for number, code in enumerate(codes, start=1):
        texts[code] = str(number)
    return [FROM_TEXT, *(f"@ITEM={number}={name}" for number, name in enumerate(names, start=1))], texts


def read_names(lines: list[str]) -> dict[int, str]:
    """Return the labels that ``@ITEM=1=apple`` lines give to numbers."""
    names: dict[int, str] = {}
    _add_names(names, lines, 0)
    _check_names(names)
    return names


def _add_names(names: dict[int, str], lines: list[str], before: int) -> None:
    """Add the labels that ``lines`` give to numbers; ``before`` is the number of earlier lines."""
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


def _read_pattern(line: str, at: int) -> tuple[list[int], int]:
    """Return the itemset and the support of a line such as ``1 2 3 #SUP: 4``; more may follow."""
    items, sign, rest = line.partition(SUPPORT)
    numbers, counts = items.split(), rest.split("#", 1)[0].split()
    if not sign or len(counts) != 1 or not all(map(NUMBER.fullmatch, numbers)):
        raise InputError(
            f"line {at} is no pattern such as '1 2 3 #SUP: 4'; items are numbers, named by lines such as @ITEM=1=apple"
        )
    return list(map(int, numbers)), as_support(counts[0], f"line {at}")


ROWS: Final = RowFunctions(read, write, read_in_chunks, rewrite_lines)
PATTERNS: Final = PatternFunctions(read_patterns, write_patterns)
