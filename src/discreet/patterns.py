"""Patterns: itemsets with exact supports, and how they were mined."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError, OptionError
from discreet.labels import Itemset, Label, ordered
from discreet.transactions import as_itemset

Kind = Literal["frequent", "closed", "maximal"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True, eq=False, repr=False)
class Patterns:
    """Itemsets with their supports, in dictionary order of their codes.

    Itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``, strictly increasing codes into ``labels``,
    held by ``supports[i]`` of ``n`` rows. The empty itemset, which all ``n`` rows hold, counts as one.
    ``min_support`` is a count. ``kind`` says which itemsets of that support are listed: all
    ("frequent"), those without a superset of the same support ("closed"), or those without a frequent
    superset ("maximal").

    >>> from discreet import Transactions, mine
    >>> patterns = mine(Transactions([["a", "b"], ["a", "b"], ["a"]]), min_support=2)
    >>> patterns.n, patterns.min_support, patterns.kind, len(patterns)
    (3, 2, 'closed', 2)
    >>> [(sorted(itemset), support) for itemset, support in patterns]
    [(['a'], 3), (['a', 'b'], 2)]
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    supports: NDArray[np.int64]
    labels: tuple[Label, ...]
    n: int
    min_support: int
    kind: Kind

    def __post_init__(self) -> None:
        as_kind(self.kind)
        for array in (self.offsets, self.items, self.supports):
            array.setflags(write=False)

    @classmethod
    def from_itemsets(
        cls,
        itemsets: Iterable[tuple[Iterable[Label], int]],
        *,
        n: int,
        min_support: int | None = None,
        kind: Kind = "frequent",
    ) -> Self:
        """Take itemsets and supports from anywhere, in any order, each itemset once.

        Without ``min_support`` the smallest support listed stands for it.

        >>> len(Patterns.from_itemsets([(["a"], 3), (["a", "b"], 2)], n=5))
        2
        """
        pairs = [(as_itemset(itemset), int(support)) for itemset, support in itemsets]
        labels = ordered(label for itemset, _ in pairs for label in itemset)
        code = {label: number for number, label in enumerate(labels)}
        coded = sorted((sorted(code[label] for label in itemset), support) for itemset, support in pairs)
        _check(coded, n)
        offsets = np.zeros(len(coded) + 1, dtype=np.int64)
        np.cumsum([len(codes) for codes, _ in coded], out=offsets[1:])
        items = np.fromiter((item for codes, _ in coded for item in codes), dtype=np.int32, count=int(offsets[-1]))
        supports = np.array([support for _, support in coded], dtype=np.int64)
        smallest = int(supports.min(initial=n)) if min_support is None else min_support
        return cls(offsets, items, supports, labels, n, max(1, smallest), kind)

    @classmethod
    def from_pandas(cls, frame: Any, *, n: int, kind: Kind = "frequent") -> Self:  # noqa: ANN401 - pandas is optional
        """Take a frame in the layout of mlxtend: ``support`` as a share of ``n``, ``itemsets``.

        A column ``count`` is believed before ``support``. A share that is no count of ``n`` rows is refused.
        """
        counts = frame["count"].tolist() if "count" in frame.columns else as_counts(frame["support"].tolist(), n)
        pairs = list(zip(frame["itemsets"].tolist(), counts, strict=True))
        if kind != "maximal" and not any(len(itemset) == 0 for itemset, _ in pairs):
            pairs.append((frozenset(), n))
        return cls.from_itemsets(pairs, n=n, kind=kind)

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return a frame in the layout of mlxtend, ``support`` and ``itemsets``, with ``count`` and ``length`` after."""
        import pandas as pd  # noqa: PLC0415 - optional

        return pd.DataFrame(self._columns([itemset for itemset, _ in self]))

    def to_polars(self) -> Any:  # noqa: ANN401 - polars is loaded late
        """Return a polars frame like that of ``to_pandas``, its ``itemsets`` as lists."""
        import polars as pl  # noqa: PLC0415 - loaded late

        return pl.DataFrame(self._columns([self._labelled(number) for number in range(len(self))]))

    def __len__(self) -> int:
        return int(self.supports.size)

    def __iter__(self) -> Iterator[tuple[Itemset, int]]:
        return ((frozenset(self._labelled(number)), support) for number, support in enumerate(self.supports.tolist()))

    def __contains__(self, itemset: Iterable[Label]) -> bool:
        return self._find(itemset) is not None

    def __getitem__(self, itemset: Iterable[Label]) -> int:
        """Return the support of an itemset that is listed; KeyError for any other."""
        number = self._find(itemset)
        if number is None:
            raise KeyError("the itemset is not listed")
        return int(self.supports[number])

    def __eq__(self, other: object) -> bool:
        """Return whether both list the same itemsets, by label, with the same supports, mined alike."""
        if not isinstance(other, Patterns):
            return NotImplemented
        mine, theirs = (self.n, self.min_support, self.kind), (other.n, other.min_support, other.kind)
        if mine != theirs or len(self) != len(other):
            return False
        if self.labels == other.labels:
            pairs = ((self.offsets, other.offsets), (self.items, other.items), (self.supports, other.supports))
            return all(np.array_equal(left, right) for left, right in pairs)
        return dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]  # a value of many megabytes is no key

    def __repr__(self) -> str:
        return f"<Patterns: {len(self):,} {self.kind} itemsets, support at least {self.min_support:,} of {self.n:,} rows>"

    @cached_property
    def _code(self) -> Mapping[Label, int]:
        return {label: number for number, label in enumerate(self.labels)}

    def _codes(self, number: int) -> list[int]:
        codes: list[int] = self.items[self.offsets[number] : self.offsets[number + 1]].tolist()
        return codes

    def _labelled(self, number: int) -> list[Label]:
        return [self.labels[item] for item in self._codes(number)]

    def _find(self, itemset: Iterable[Label]) -> int | None:
        """Return the number of ``itemset``, if it is listed."""
        wanted = as_itemset(itemset)
        if not all(label in self._code for label in wanted):
            return None
        codes = sorted(self._code[label] for label in wanted)
        number = bisect_left(range(len(self)), codes, key=self._codes)
        return number if number < len(self) and self._codes(number) == codes else None

    def _columns(self, itemsets: list[Any]) -> dict[str, Any]:
        return {
            "support": self.supports / max(1, self.n),
            "itemsets": itemsets,
            "count": self.supports,
            "length": np.diff(self.offsets),
        }


def as_kind(kind: str) -> Kind:
    """Return ``kind`` if it is one of ours."""
    if kind not in KINDS:
        raise OptionError(f"kind is {str(kind)[:40]!r}; it must be one of {', '.join(KINDS)}")
    return kind  # type: ignore[return-value]  # checked one line above


def as_counts(shares: Iterable[float], n: int) -> list[int]:
    """Return the counts out of ``n`` rows that ``shares`` stand for; refuse a share that is no count.

    >>> as_counts([0.28, 1.0], 25)
    [7, 25]
    """
    counts = []
    for number, share in enumerate(shares, start=1):
        count = round(share * n) if share == share else -1  # noqa: PLR0124 - NaN differs from itself
        if abs(share * n - count) > 1e-6 or not 0 <= count <= n:  # noqa: PLR2004 - far above float noise, far below a row
            raise InputError(
                f"itemset {number} has support {share}, which is no count of {n} rows; give the n that was mined, "
                "or a column of counts"
            )
        counts.append(count)
    return counts


def _check(coded: list[tuple[list[int], int]], n: int) -> None:
    """Refuse an itemset that is listed twice and a support that no ``n`` rows can have."""
    for (before, _), (after, _) in zip(coded, coded[1:], strict=False):
        if before == after:
            raise InputError(f"an itemset of {len(after)} items is listed twice; list each itemset once")
    for codes, support in coded:
        if not 0 <= support <= n or (not codes and support != n):
            raise InputError(
                f"an itemset of {len(codes)} items has support {support} of {n} rows; a support lies between 0 and n, "
                "and that of the empty itemset is n"
            )
