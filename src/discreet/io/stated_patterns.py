"""What a source of patterns lists, and what it says of how they were mined."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.labels import Label, recode
from discreet.data.patterns import KINDS, Kind, Patterns, as_kind, as_supports, lacks_root
from discreet.data.thresholds import COUNT, LARGEST_COUNT, WHOLE, Threshold, as_count
from discreet.errors import InputError, Option
from discreet.io.label_codes import Codes, Value
from discreet.runtime.text import abbreviate

T = TypeVar("T")


@dataclass(frozen=True)
class Mined:
    """How patterns were mined, as far as a caller says."""

    n: int | None = None
    min_support: Threshold | None = None
    kind: str | None = None


@dataclass(frozen=True)
class Told:
    """How patterns were mined, as far as their source says; ``min_support`` is a count there."""

    n: int | None = None
    min_support: int | None = None
    kind: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot have been mined."""
        counts = (self.n is None or _is_count(self.n, least=0)) and (
            self.min_support is None or _is_count(self.min_support, least=1)
        )
        if not counts or self.kind not in (None, *KINDS):
            raise InputError(
                "the source says that its patterns were mined in a way that cannot be; n must be a number of rows, "
                f"min_support a number of rows from 1 on, and kind one of {', '.join(KINDS)}"
            )


@dataclass(frozen=True)
class Listed:
    """Itemsets with supports in the arrays of ``Patterns``, in any order, and what their source says of them."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    supports: NDArray[np.int64]
    labels: tuple[Label, ...]
    mined: Told = Told()

    def patterns(self, given: Mined) -> Patterns:
        """Return the patterns; what the caller says must agree with what the source says.

        Where neither tells ``n``, the support of the empty itemset does. A source that does not tell
        it leaves out the empty itemset by habit, so that is put back where the kind asks for it.
        """
        n = self._n(given)
        asked = None if given.min_support is None else as_count(given.min_support, n)
        count = _agreed("min_support", self.mined.min_support, asked)
        kind = as_kind(_agreed("kind", self.mined.kind, given.kind) or "frequent")
        offsets, supports = self.offsets, self.supports
        if self.mined.n is None and _lacks_root(self, n, count, kind):
            offsets, supports = np.insert(offsets, 0, 0), np.insert(supports, 0, n)
        return Patterns.from_codes(offsets, self.items, supports, self.labels, n=n, min_support=count, kind=kind)

    def _n(self, given: Mined) -> int:
        empty = self.supports[np.diff(self.offsets) == 0].tolist()
        n = _agreed("n", self.mined.n, given.n)
        if n is None and not empty:
            raise InputError("the source does not say of how many rows these are patterns; say it with ", Option("n"))
        n = empty[0] if n is None else n
        if not _is_count(n, least=0):
            raise InputError("n must be a number of rows, a whole number from 0 on; give the n that was mined")
        return n


def listed(
    pairs: Iterable[tuple[Iterable[Value], int]],
    *,
    mined: Told = Told(),  # noqa: B008 - a frozen value
    as_labels: Callable[[list[Value]], Sequence[Label]] = list,
) -> Listed:
    """Return what ``pairs`` of itemset and support list; ``as_labels`` makes labels of the distinct values.

    >>> listed([(["b", "a"], 2)]).patterns(Mined(n=3, kind="maximal"))
    <Patterns: 1 maximal itemsets, support at least 2 of 3 rows>
    """
    codes: Codes[Value] = Codes()
    flat, lengths, supports = array("i"), array("q", [0]), []
    for itemset, support in pairs:
        coded = codes.of(itemset)
        flat.extend(coded)
        lengths.append(len(coded))
        supports.append(support)
    items, labels = recode(np.array(flat, dtype=np.int32), as_labels(codes.values))
    return Listed(np.cumsum(lengths, dtype=np.int64), items, as_supports(supports), labels, mined)


def as_support(text: str, where: str) -> int:
    """Return the count that ``text`` is; refuse anything else."""
    count = int(text) if COUNT.fullmatch(text) else None
    if count is None or count > LARGEST_COUNT:
        raise InputError(f"{where} has a support that is no count; supports are {WHOLE}")
    return count


def _lacks_root(source: Listed, n: int, min_support: int | None, kind: Kind) -> bool:
    lengths = np.diff(source.offsets).tolist()
    return lacks_root(lengths, source.supports.tolist(), n=n, min_support=min_support, kind=kind)


def _is_count(value: object, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST_COUNT


def _agreed(name: str, told: T | None, given: T | None) -> T | None:
    if told is not None and given is not None and told != given:
        raise InputError(
            f"the source says {name} is {told}, but {abbreviate(given)} was given; leave ", Option(name), " out"
        )
    return given if told is None else told
