"""What formats of rows share: their options and functions, codes of labels in a fixed order, and labels as text."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets, Label, recode, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import OutputError
from discreet.io.files import Data
from discreet.io.line_files import LineFormat, Losses
from discreet.io.text import BLOCK, WHOLE_NUMBER, is_plain

T = TypeVar("T")
Value = TypeVar("Value", bound=Hashable)


class Reading(NamedTuple):
    """The options of a reader of rows; with ``is_meant``, lines that look like another table are read all the same."""

    row: str | None = None
    item: str | None = None
    items: str | None = None
    separator: str | None = None
    is_meant: bool = False

    @property
    def given(self) -> dict[str, str]:
        """The options that are set, by name."""
        options = {"row": self.row, "item": self.item, "items": self.items, "separator": self.separator}
        return {name: value for name, value in options.items() if value is not None}


class ChunkReader(NamedTuple):
    """How a format is read in chunks, and the labels of item numbers once it was read to the end.

    ``read`` takes the bytes of a format of lines, else a path. A second reading gives items the same numbers; a row
    may repeat one.
    """

    read: Callable[[Any], Iterator[Itemsets]]
    labels: Callable[[NDArray[np.int32]], Sequence[Label]]


class RowFunctions(NamedTuple):
    """How a format reads and writes rows; a function is None if the format lacks it.

    ``without`` rewrites a table without some items; ``lines`` does so for a file of one row per line, given the items
    to look for.
    """

    read: Callable[[Data, Reading], Transactions]
    write: Callable[[Transactions], Iterator[bytes]]
    chunks: Callable[[Reading], ChunkReader] | None = None
    lines: Callable[[Sequence[str], Reading], LineFormat] | None = None
    without: Callable[[Data, Losses, Reading], Iterator[bytes]] | None = None


class Coded(NamedTuple):
    """Rows of codes, each perhaps not in order and with repeated codes, and their labels in the fixed order."""

    itemsets: Itemsets
    labels: tuple[Label, ...]
    ids: Sequence[Hashable] | None = None

    @classmethod
    def of(cls, itemsets: Itemsets, labels: Sequence[Label], ids: Sequence[Hashable] | None = None) -> Self:
        """Bring labels into the fixed order."""
        items, names = recode(itemsets.items, labels)
        return cls(Itemsets(itemsets.offsets, items), names, ids)

    def transactions(self) -> Transactions:
        """Return the rows as a value."""
        return Transactions.from_codes(*self.itemsets.flat, self.labels, ids=self.ids)


class Codes(Generic[Value]):
    """Codes for values as they come: each new value gets the next code.

    >>> codes: Codes[str] = Codes()
    >>> codes.encode(["b", "a", "b"]), codes.values
    ([0, 1, 0], ['b', 'a'])
    """

    def __init__(self) -> None:
        """Begin without any value."""
        self._code: dict[Value, int] = {}

    def encode(self, values: Iterable[Value]) -> list[int]:
        """Return the code of each value."""
        code = self._code
        return [code.setdefault(value, len(code)) for value in values]

    @property
    def values(self) -> list[Value]:
        """The distinct values, by code."""
        return list(self._code)

    def values_of(self, codes: NDArray[np.int32]) -> list[Value]:
        """Return the value of each code."""
        values = self.values
        return [values[code] for code in codes.tolist()]


def sort_row_codes(rows: Transactions) -> Transactions:
    """Return the same rows with the codes in the fixed order, so that equal rows give equal bytes."""
    if sort_labels(rows.labels) == rows.labels:
        return rows
    return Coded.of(
        Itemsets(rows.offsets - rows.offsets[0], rows.itemsets.entries), rows.labels, rows.ids
    ).transactions()


def sort_pattern_codes(patterns: Patterns) -> Patterns:
    """Return the same patterns with the codes in the fixed order, so that equal patterns give equal bytes."""
    if sort_labels(patterns.labels) == patterns.labels:
        return patterns
    return Patterns.from_itemsets(patterns, n=patterns.n, min_support=patterns.min_support, kind=patterns.kind)


def iterate_codes(itemsets: Itemsets) -> Iterator[list[int]]:
    """Yield the codes of one itemset after the other; a block at a time becomes Python numbers."""
    for first in range(0, len(itemsets), BLOCK):
        block = itemsets[first : first + BLOCK]
        codes = block.entries.tolist()
        starts = (block.offsets - block.offsets[0]).tolist()
        yield from (codes[start:stop] for start, stop in pairwise(starts))


def find_used_codes(value: Transactions | Patterns) -> list[int]:
    """Return the codes that occur; a slice keeps labels that it does not use."""
    present = np.zeros(len(value.labels), dtype=np.bool_)
    present[value.itemsets.entries] = True
    return np.flatnonzero(present).tolist()


def as_texts(value: Transactions | Patterns, format_name: str, fits: Callable[[str], bool]) -> list[str]:
    """Return each label as text that ``as_labels`` reads back; a label that does not occur becomes empty.

    Refuse a label that would not be read back, or that does not ``fit`` the format.
    """
    texts = [""] * len(value.labels)
    codes = find_used_codes(value)
    are_whole = check_label_types(value, codes, format_name)
    for code in codes:
        texts[code] = str(value.labels[code])
        if not (is_plain(texts[code]) and fits(texts[code])):
            raise OutputError(
                f"item {code + 1} of {len(texts)} has a label that {format_name} cannot hold (for its blanks, "
                "separators or special characters); rename it, or write JSON or Parquet"
            )
    if bool(codes) and are_whole != all(WHOLE_NUMBER.fullmatch(texts[code]) for code in codes):
        raise OutputError(
            f"the labels are text that looks like whole numbers, or numbers of more than 18 digits: {format_name} "
            "cannot tell them apart; rename them, or write JSON or Parquet"
        )
    return texts


def check_label_types(value: Transactions | Patterns, codes: Iterable[int], format_name: str) -> bool:
    """Return whether the labels of ``codes`` are whole numbers; refuse a mixture of numbers, text or others."""
    types = {_type_of(value.labels[code]) for code in codes}
    if not (types <= {"number"} or types <= {"text"}):
        raise OutputError(
            f"the labels are not all text or all whole numbers, which {format_name} cannot hold; rename them"
        )
    return types == {"number"}


def _type_of(label: Label) -> str:
    if isinstance(label, str):
        return "text"
    return "number" if isinstance(label, Integral) and not isinstance(label, bool) else "other"


def check_fits_lines(rows: Transactions, format_name: str) -> None:
    """Refuse row ids and an empty table, which a file of one row per line cannot hold."""
    if rows.ids is not None:
        raise OutputError(
            f"the rows have ids, which {format_name} cannot hold; write Parquet, or drop the ids: Transactions(rows)"
        )
    if rows.n == 0:
        raise OutputError(f"there are no rows, and an empty {format_name} file reads as a failed export; write Parquet")
