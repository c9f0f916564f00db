"""What formats of rows share: their options and functions, codes of labels in a fixed order, and labels as text."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets, Label, recode, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import Option, OptionError, OutputError
from discreet.io.files import Bytes
from discreet.io.line_files import LineFormat, Losses
from discreet.io.text import BLOCK, WHOLE_NUMBER, is_plain

Value = TypeVar("Value", bound=Hashable)


class Reading(NamedTuple):
    """The options of a reader of rows; with ``is_meant``, lines that look like another table are read all the same."""

    row: str | None = None
    item: str | None = None
    items: str | None = None
    separator: str | None = None
    table: str | None = None
    query: str | None = None
    is_meant: bool = False

    @property
    def given(self) -> dict[str, str]:
        """The options that are set, by name."""
        return {name: value for name, value in self._asdict().items() if isinstance(value, str)}


def check_options(given: Iterable[str], allowed: Collection[str], what: str) -> None:
    """Refuse options that ``what`` does not have."""
    for name in given:
        if name not in allowed:
            raise OptionError(Option(name), f" means nothing for {what}; leave it out, or name the right format")


class ChunkReader(NamedTuple):
    """How a format is read in chunks, from bytes or a path, and the labels of item numbers after the first reading."""

    read: Callable[[Any], Iterator[Itemsets]]
    labels: Callable[[NDArray[np.int32]], Sequence[Label]]


class RowFunctions(NamedTuple):
    """How a format reads and writes rows; ``lines`` and ``without`` rewrite lines or a table without items."""

    read: Callable[[Bytes, Reading], Transactions]
    write: Callable[[Transactions], Iterator[bytes]]
    chunks: Callable[[Reading], ChunkReader] | None = None
    lines: Callable[[Sequence[str], Reading], LineFormat] | None = None
    without: Callable[[Bytes, Losses, Reading], Iterator[bytes]] | None = None


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


class Coder(Generic[Value]):
    """Codes for values as they come: each new value gets the next code.

    >>> codes: Coder[str] = Coder()
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
    itemsets = Itemsets(rows.offsets - rows.offsets[0], rows.itemsets.entries)
    return Coded.of(itemsets, rows.labels, rows.ids).transactions()


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
        yield from (codes[start:stop] for start, stop in pairwise((block.offsets - block.offsets[0]).tolist()))


def find_used_codes(value: Transactions | Patterns) -> list[int]:
    """Return the codes that occur; a slice keeps labels that it does not use."""
    present = np.zeros(len(value.labels), dtype=np.bool_)
    present[value.itemsets.entries] = True
    return np.flatnonzero(present).tolist()


def as_texts(value: Transactions | Patterns, format_name: str, fits: Callable[[str], bool]) -> list[str]:
    """Return each label that occurs as text that ``as_labels`` reads back; refuse one that does not ``fit``."""
    texts = [""] * len(value.labels)
    codes = find_used_codes(value)
    are_whole = check_label_types(value, codes, format_name)
    for code in codes:
        texts[code] = str(value.labels[code])
        if not (is_plain(texts[code]) and fits(texts[code])):
            problem = f"item {code + 1} of {len(texts)} has a label that {format_name} cannot hold"
            raise OutputError(f"{problem} (blanks, separators, special signs); rename it, or write JSON or Parquet")
    if bool(codes) and are_whole != all(WHOLE_NUMBER.fullmatch(texts[code]) for code in codes):
        problem = "the labels are text that looks like whole numbers, or numbers of more than 18 digits"
        raise OutputError(f"{problem}: {format_name} cannot tell them apart; rename them, or write JSON or Parquet")
    return texts


def check_label_types(value: Transactions | Patterns, codes: Iterable[int], format_name: str) -> bool:
    """Return whether the labels of ``codes`` are whole numbers; refuse a mixture of numbers, text or others."""
    labels = [value.labels[code] for code in codes]
    are_whole = all(isinstance(label, Integral) and not isinstance(label, bool) for label in labels)
    if not (are_whole or all(isinstance(label, str) for label in labels)):
        problem = f"the labels are not all text or all whole numbers, which {format_name} cannot hold"
        raise OutputError(f"{problem}; rename them")
    return are_whole and bool(labels)


def check_fits_lines(rows: Transactions, format_name: str) -> None:
    """Refuse row ids and an empty table, which a file of one row per line cannot hold."""
    if rows.ids is not None:
        raise OutputError(f"{format_name} cannot hold row ids; write Parquet, or drop them: Transactions(rows)")
    if rows.n == 0:
        raise OutputError(f"there are no rows, and an empty {format_name} file reads as a failed export; write Parquet")
