"""SPMF: rows as in FIMI, patterns as ``1 2 3 #SUP: 4``; lines of ``@`` give labels and what was mined."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from discreet.data.labels import Label, recode
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import InputError, OutputError
from discreet.io.chunks import Piece, Pieces
from discreet.io.files import Data
from discreet.io.formats import fimi
from discreet.io.label_codes import (
    Coded,
    as_lines,
    as_text,
    blocks,
    is_plain,
    ragged,
    refuse_what_lines_cannot_hold,
    used,
    whole_labels,
)
from discreet.io.line_files import Lines, Text, whole_lines
from discreet.io.stated_patterns import Listed, Told, as_support, listed

COMMENTS: Final = b"#%@"
SUPPORT: Final = "#SUP:"
NUMBER: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
FROM_TEXT: Final = "@CONVERTED_FROM_TEXT"
ITEM: Final = "@ITEM="


def read(data: Data) -> Transactions:
    r"""Return the rows of an SPMF file; the labels are those of its ``@ITEM`` lines, else its numbers.

    >>> [sorted(row) for row in read(b"@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=tea\n1 2\n2\n")]
    [['apple', 'tea'], ['tea']]
    """
    names = names_of(as_text(data).split("\n")) if ITEM.encode() in data else {}
    offsets, items, largest = fimi.parse(data, comments=COMMENTS)
    fimi.check_rows(offsets, items)
    numbers = fimi.code(items, largest).tolist()
    items, labels = recode(items, named(numbers, names))
    return Coded(offsets, items, labels).transactions()


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as an SPMF file, in chunks."""
    refuse_what_lines_cannot_hold(rows, "SPMF")
    head, texts = _head(rows)
    yield from blocks(head)
    yield from blocks(" ".join([texts[code] for code in row]) for row in ragged(rows.offsets, rows.items))


def lines(wanted: Sequence[str]) -> Text:
    """Return how SPMF is read in pieces, and written again without some of the items that are looked for.

    Lines that name items must come before all rows.
    """
    slots = fimi.slots_of(wanted)
    places = {text: slot for slot, text in enumerate(wanted)}
    numbers: set[int] = set()

    def scan(chunks: Iterable[bytes]) -> Iterator[Lines]:
        head, begun = b"", False
        for data, before in whole_lines(chunks):
            part = fimi.parsed(data, before, comments=COMMENTS)
            size = 0 if begun else int(part.starts[0]) if part.n else len(data)
            head += data[:size]
            begun |= part.n > 0
            if begun and f"\n{ITEM}".encode() in b"\n" + data[size:]:
                raise InputError(
                    f"there are {ITEM} lines after rows; move them before all rows, to read it in one scan"
                )
            if ITEM.encode() in data[:size] and (names := names_of(as_text(head).split("\n"))):
                numbers.update(names)
                slots.clear()
                slots.update({number: places[name] for number, name in names.items() if name in places})
            if numbers and not np.isin(part.items, list(numbers)).all():
                raise InputError(f"an item after line {before} has no {ITEM} line, though others have; name them all")
            yield fimi.selected(part, slots)

    return Text(scan, lambda part, removed: fimi.without(part, removed, slots))


def pieces() -> Pieces:
    """Return how SPMF is read in pieces; lines that name items may stand anywhere."""
    names: dict[int, str] = {}

    def read(chunks: Iterable[bytes]) -> Iterator[Piece]:
        names.clear()

        def named_chunks() -> Iterator[bytes]:
            for data, before in whole_lines(chunks):
                if ITEM.encode() in data:
                    _add_names(names, as_text(data, before=before).split("\n"), before)
                yield data

        yield from fimi.read_pieces(named_chunks(), comments=COMMENTS)
        _check_names(names)

    return Pieces(read, lambda items: named(items.tolist(), names))


def read_patterns(data: Data, n: int | None) -> Listed:  # noqa: ARG001 - one signature for all formats
    """Return the patterns of an SPMF file."""
    lines = as_lines(data)
    names = names_of(lines)
    pairs = (
        _pattern(line, number)
        for number, line in enumerate(lines, start=1)
        if line.startswith(SUPPORT) or (line.strip() and not line.startswith(("#", "%", "@")))
    )
    told = dict(line[1:].split("=", 1) for line in lines if line.startswith(("@N=", "@MIN_SUPPORT=", "@KIND=")))
    mined = Told(
        n=as_support(told["N"], "the line @N=") if "N" in told else None,
        min_support=as_support(told["MIN_SUPPORT"], "the line @MIN_SUPPORT=") if "MIN_SUPPORT" in told else None,
        kind=told.get("KIND"),
    )
    return listed(pairs, mined=mined, as_labels=lambda numbers: named(numbers, names))


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as an SPMF file, in chunks; other readers take the empty itemset's line for a comment."""
    head, texts = _head(patterns)
    yield from blocks([*head, f"@N={patterns.n}", f"@MIN_SUPPORT={patterns.min_support}", f"@KIND={patterns.kind}"])
    itemsets = ragged(patterns.offsets, patterns.items)
    yield from blocks(
        " ".join([*(texts[code] for code in itemset), SUPPORT, str(support)])
        for itemset, support in zip(itemsets, patterns.supports.tolist(), strict=True)
    )


def _head(value: Transactions | Patterns) -> tuple[list[str], list[str]]:
    """Return the lines that give labels their numbers, and the number of each label as text."""
    codes = used(value)
    if not codes or whole_labels(value, codes, "SPMF"):
        return [], fimi.numbers(value, "SPMF")
    names = [str(value.labels[code]) for code in codes]
    if not all(map(is_plain, names)):
        raise OutputError(
            "a label holds a line end or a NUL, which SPMF cannot hold; rename it, or write JSON or Parquet"
        )
    texts = [""] * len(value.labels)
    for number, code in enumerate(codes, start=1):
        texts[code] = str(number)
    return [FROM_TEXT, *(f"@ITEM={number}={name}" for number, name in enumerate(names, start=1))], texts


def names_of(lines: list[str]) -> dict[int, str]:
    """Return the labels that ``@ITEM=1=apple`` lines give to numbers."""
    names: dict[int, str] = {}
    _add_names(names, lines, 0)
    _check_names(names)
    return names


def _add_names(names: dict[int, str], lines: list[str], before: int) -> None:
    """Add the labels that ``lines`` give to numbers; so many lines came ``before``."""
    for at, line in enumerate(lines, start=before + 1):
        if line.startswith(ITEM):
            number, equals, name = line.removeprefix(ITEM).removesuffix("\r").partition("=")
            if not (equals and NUMBER.fullmatch(number.removeprefix("-"))) or int(number) in names:
                raise InputError(f"line {at} must name a number once, such as @ITEM=1=apple; mend it")
            names[int(number)] = name


def _check_names(names: Mapping[int, str]) -> None:
    if len(set(names.values())) != len(names):
        raise InputError("two @ITEM lines give the same label; give each item a label of its own")


def named(numbers: list[int], names: Mapping[int, str]) -> list[Label]:
    """Return the labels of items by their numbers; where some are named, all must be."""
    if not names:
        return list(numbers)
    missing = sum(number not in names for number in numbers)
    if missing:
        raise InputError(f"{missing} of {len(numbers)} items have no @ITEM line, though others have; name them all")
    return [names[number] for number in numbers]


def _pattern(line: str, at: int) -> tuple[list[int], int]:
    """Return the itemset and the support of a line such as ``1 2 3 #SUP: 4``; what may follow is left."""
    items, found, rest = line.partition(SUPPORT)
    numbers, counts = items.split(), rest.split("#", 1)[0].split()
    if not found or len(counts) != 1 or not all(map(NUMBER.fullmatch, numbers)):
        raise InputError(
            f"line {at} is no pattern such as '1 2 3 #SUP: 4'; items are numbers, named by lines such as @ITEM=1=apple"
        )
    return list(map(int, numbers)), as_support(counts[0], f"line {at}")
