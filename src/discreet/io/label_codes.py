"""Coding: labels to codes in a fixed order, and codes to the text that a file can hold."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from numbers import Integral
from typing import Final, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.labels import Label, recode, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import InputError, OutputError
from discreet.io.files import Data

BLOCK: Final = 4096
"""Lines that are put together before they are written."""

NEWLINE: Final = b"\n"
LONE_RETURN: Final = "a carriage return that ends no line; save the file with line feeds"

WHOLE_NUMBER: Final = re.compile(r"0|-?[1-9][0-9]{0,17}")
"""A whole number as we write it, so that no digit is lost; 18 digits fit in 64 bits."""


Value = TypeVar("Value", bound=Hashable)


class Coded(NamedTuple):
    """Rows as ``Transactions.from_codes`` takes them, each row perhaps not in order yet."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    labels: Sequence[Label]
    ids: Sequence[Hashable] | None = None

    def transactions(self) -> Transactions:
        """Return the rows as a value."""
        return Transactions.from_codes(self.offsets, self.items, self.labels, ids=self.ids)


class Codes(Generic[Value]):
    """Codes for values as they come: each new value gets the next one.

    >>> codes: Codes[str] = Codes()
    >>> codes.of(["b", "a", "b"]), codes.values
    ([0, 1, 0], ['b', 'a'])
    """

    def __init__(self) -> None:
        """Begin without any value."""
        self._code: dict[Value, int] = {}

    def of(self, values: Iterable[Value]) -> list[int]:
        """Return the code of each value."""
        code = self._code
        return [code.setdefault(value, len(code)) for value in values]

    @property
    def values(self) -> list[Value]:
        """The distinct values, by code."""
        return list(self._code)


def rows_in_order(rows: Transactions) -> Transactions:
    """Return the same rows with the codes in the fixed order, so that equal rows give equal bytes."""
    if sort_labels(rows.labels) == rows.labels:
        return rows
    start, stop = rows.offsets[[0, -1]]
    items, labels = recode(rows.items[start:stop], rows.labels)
    return Transactions.from_codes(rows.offsets - start, items, labels, ids=rows.ids)


def patterns_in_order(patterns: Patterns) -> Patterns:
    """Return the same patterns with the codes in the fixed order, so that equal patterns give equal bytes."""
    if sort_labels(patterns.labels) == patterns.labels:
        return patterns
    return Patterns.from_itemsets(patterns, n=patterns.n, min_support=patterns.min_support, kind=patterns.kind)


def ragged(offsets: NDArray[np.int64], items: NDArray[np.int32]) -> Iterator[list[int]]:
    """Yield the codes of one row after the other, a block of rows at a time in memory."""
    for first in range(0, offsets.size - 1, BLOCK):
        bounds = offsets[first : first + BLOCK + 1]
        codes = items[bounds[0] : bounds[-1]].tolist()
        starts = (bounds - bounds[0]).tolist()
        yield from (codes[start:stop] for start, stop in pairwise(starts))


def used(value: Transactions | Patterns) -> list[int]:
    """Return the codes that occur: a slice keeps labels that it does not use."""
    present = np.zeros(len(value.labels), dtype=np.bool_)
    present[value.items[value.offsets[0] : value.offsets[-1]]] = True
    return np.flatnonzero(present).tolist()


def as_labels(texts: Iterable[str]) -> list[Label]:
    """Return the labels that stand in a file of text: whole numbers if all of them are, else the texts.

    >>> as_labels(["10", "9"]), as_labels(["10", "beer"]), as_labels(["010"])
    ([10, 9], ['10', 'beer'], ['010'])
    """
    listed = list(texts)
    return list(map(int, listed)) if all(map(WHOLE_NUMBER.fullmatch, listed)) else list(listed)


def as_texts(value: Transactions | Patterns, format_name: str, holds: Callable[[str], bool]) -> list[str]:
    """Return each label as text that ``as_labels`` reads back; refuse what it would not, or what ``holds`` denies.

    Labels that do not occur become empty text.
    """
    texts = [""] * len(value.labels)
    codes = used(value)
    whole = whole_labels(value, codes, format_name)
    for code in codes:
        texts[code] = str(value.labels[code])
        if not (is_plain(texts[code]) and holds(texts[code])):
            raise OutputError(
                f"item {code + 1} of {len(texts)} has a label that {format_name} cannot hold (for its blanks, "
                "separators or special characters); rename it, or write JSON or Parquet"
            )
    if bool(codes) and whole != all(WHOLE_NUMBER.fullmatch(texts[code]) for code in codes):
        raise OutputError(
            f"the labels are text that looks like whole numbers, or numbers of more than 18 digits: {format_name} "
            "cannot tell them apart; rename them, or write JSON or Parquet"
        )
    return texts


def whole_labels(value: Transactions | Patterns, codes: Iterable[int], format_name: str) -> bool:
    """Return whether the labels of ``codes`` are whole numbers; refuse any but only numbers or only text."""
    kinds = {_kind(value.labels[code]) for code in codes}
    if not (kinds <= {"number"} or kinds <= {"text"}):
        raise OutputError(
            f"the labels are not all text or all whole numbers, which {format_name} cannot hold; rename them"
        )
    return kinds == {"number"}


def is_plain(text: str) -> bool:
    """Return whether a line of UTF-8 can hold ``text``."""
    return not any(character in "\0\r\n" or "\ud800" <= character <= "\udfff" for character in text)


def blocks(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield ``lines`` as UTF-8, each with its line end, many at a time."""
    rest = iter(lines)
    while block := list(islice(rest, BLOCK)):
        yield ("\n".join(block) + "\n").encode()


def as_text(data: Data, *, before: int = 0) -> str:
    """Return ``data`` as the UTF-8 text that it must be, without the byte-order mark that a file may begin with.

    So many lines came ``before``.
    """
    at = data.find(b"\0")
    if at >= 0:
        line = before + data.count(b"\n", 0, at) + 1
        raise InputError(f"line {line} holds a NUL byte, so this is no text; check the file and its format")
    try:
        return data.decode("utf-8" if before else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = before + data.count(b"\n", 0, error.start) + 1
        raise InputError(f"line {line} is not UTF-8; save the file as UTF-8") from None


def as_lines(data: Data) -> list[str]:
    r"""Return the lines of a text without their ends, which are line feeds, perhaps after carriage returns.

    >>> as_lines(b"a\r\nb\n")
    ['a', 'b', '']
    """
    text = as_text(data)
    refuse_lone_returns(data)
    return [line.removesuffix("\r") for line in text.split("\n")]


def refuse_lone_returns(data: Data, *, before: int = 0) -> None:
    """Refuse a carriage return within a line, which may have been meant to end it; so many lines came ``before``."""
    if b"\r" in data and (found := re.search(rb"\r[^\n]", data)):
        raise InputError(f"line {before + data.count(NEWLINE, 0, found.start()) + 1} holds {LONE_RETURN}")


def refuse_what_lines_cannot_hold(rows: Transactions, format_name: str) -> None:
    """Refuse row ids and an empty table, which a file with one row a line cannot hold."""
    if rows.ids is not None:
        raise OutputError(
            f"the rows have ids, which {format_name} cannot hold; write Parquet, or drop the ids: Transactions(rows)"
        )
    if rows.n == 0:
        raise OutputError(f"there are no rows, and an empty {format_name} file reads as a failed export; write Parquet")


def _kind(label: Label) -> str:
    if isinstance(label, str):
        return "text"
    return "number" if isinstance(label, Integral) and not isinstance(label, bool) else "other"
