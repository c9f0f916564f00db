"""Label codes: labels to codes in a fixed order, codes to text, and patterns as a source states them."""

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Final, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets
from discreet.data.labels import Label, recode, sort_labels
from discreet.data.patterns import KINDS, Patterns, as_kind, as_supports, lacks_root
from discreet.data.thresholds import LARGEST_COUNT, Threshold, as_count
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OutputError
from discreet.io.files import Data
from discreet.io.text import BLOCK, WHOLE_NUMBER, is_plain
from discreet.runtime.text import abbreviate

T = TypeVar("T")
Value = TypeVar("Value", bound=Hashable)


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


def iterate_patterns(patterns: Patterns) -> Iterator[tuple[list[int], int]]:
    """Yield the codes and the support of each pattern."""
    return zip(iterate_codes(patterns.itemsets), patterns.supports.tolist(), strict=True)


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


@dataclass(frozen=True)
class Mined:
    """How patterns were mined, as far as their source says."""

    n: int | None = None
    min_support: int | None = None
    kind: str | None = None

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        are_counts = (self.n is None or _is_count(self.n, least=0)) and (
            self.min_support is None or _is_count(self.min_support, least=1)
        )
        if not are_counts or self.kind not in (None, *KINDS):
            raise InputError(
                "the source says that its patterns were mined in a way that cannot be; n must be a number of rows, "
                f"min_support a number of rows from 1 on, and kind one of {', '.join(KINDS)}"
            )


NOT_STATED: Final = Mined()


@dataclass(frozen=True)
class StatedPatterns:
    """Itemsets with their supports, in any order, and how their source says they were mined."""

    itemsets: Itemsets
    supports: NDArray[np.int64]
    labels: tuple[Label, ...]
    mined: Mined = NOT_STATED

    def patterns(self, n: int | None, min_support: Threshold | None, kind: str | None) -> Patterns:
        """Return the patterns; the arguments must agree with the source.

        Where neither states ``n``, the support of the empty itemset does. A source without ``n`` leaves out the empty
        itemset by habit, so it is put back where the kind asks for it.
        """
        n = self._agree_on_n(n)
        given = None if min_support is None else as_count(min_support, n)
        count = _agree("min_support", self.mined.min_support, given)
        kind = as_kind(_agree("kind", self.mined.kind, kind) or "frequent")
        itemsets, supports = self.itemsets, self.supports
        lengths = itemsets.lengths.tolist()
        if self.mined.n is None and lacks_root(lengths, supports.tolist(), n=n, min_support=count, kind=kind):
            itemsets, supports = itemsets.with_empty(), np.insert(supports, 0, n)
        return Patterns.from_codes(*itemsets.flat, supports, self.labels, n=n, min_support=count, kind=kind)

    def _agree_on_n(self, given: int | None) -> int:
        roots = self.supports[self.itemsets.lengths == 0].tolist()
        n = _agree("n", self.mined.n, given)
        if n is None and not roots:
            raise InputError("the source does not say of how many rows these are patterns; say it with ", Option("n"))
        n = roots[0] if n is None else n
        if not _is_count(n, least=0):
            raise InputError("n must be a number of rows, a whole number from 0 on; give the n that was mined")
        return n


class PatternFunctions(NamedTuple):
    """How a format reads patterns, given ``n`` where a caller states it, and writes them in chunks."""

    read: Callable[[Data, int | None], StatedPatterns]
    write: Callable[[Patterns], Iterator[bytes]]


def collect_patterns(
    pairs: Iterable[tuple[Iterable[Value], int]],
    *,
    mined: Mined = NOT_STATED,
    as_labels: Callable[[list[Value]], Sequence[Label]] = list,
) -> StatedPatterns:
    """Collect pairs of itemset and support; ``as_labels`` makes labels of the distinct values.

    >>> collect_patterns([(["b", "a"], 2)]).patterns(3, None, "maximal")
    <Patterns: 1 maximal itemsets, support at least 2 of 3 rows>
    """
    codes: Codes[Value] = Codes()
    flat, lengths, supports = array("i"), array("q"), []
    for itemset, support in pairs:
        coded = codes.encode(itemset)
        flat.extend(coded)
        lengths.append(len(coded))
        supports.append(support)
    items, labels = recode(np.array(flat, dtype=np.int32), as_labels(codes.values))
    return StatedPatterns(Itemsets.from_lengths(lengths, items), as_supports(supports), labels, mined)


def _is_count(value: object, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST_COUNT


def _agree(name: str, stated: T | None, given: T | None) -> T | None:
    if stated is not None and given is not None and stated != given:
        raise InputError(
            f"the source says {name} is {stated}, but {abbreviate(given)} was given; leave ", Option(name), " out"
        )
    return given if stated is None else stated
