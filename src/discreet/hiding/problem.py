"""The problem that every method of hiding solves: the itemsets to hide, their rows, and the check afterwards."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Items, Itemset, Itemsets, Label
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Share, as_disclosure
from discreet.data.transactions import Transactions
from discreet.errors import GuaranteeError, InputError, OptionError, ThresholdError
from discreet.io.formats.sensitive import NamedItemsets
from discreet.io.inverted import InvertedFile
from discreet.runtime.resources import Progress
from discreet.runtime.solver import Numbers

LISTS: Final = "give a list of lists of items, such as [['bread', 'milk'], ['beer', 'wine']]"
NOT_HIDDEN: Final = "a sensitive itemset is not hidden; nothing is shared: please report this as a bug"


class Sensitive(NamedTuple):
    """Itemsets to hide, each once, and the share of its rows that may still hold each.

    ``numbers`` counts from 1 in the order given: errors name an itemset by its number, never by its labels.
    """

    itemsets: tuple[Itemset, ...]
    disclosures: tuple[Fraction, ...]
    numbers: tuple[int, ...] = ()


SensitiveLike: TypeAlias = Sensitive | NamedItemsets | Patterns | Iterable[Iterable[Label]]  # as users may give them


def parse_sensitive(
    sensitive: SensitiveLike,
    disclosure: Share | Iterable[Share] = 0,
    code: Mapping[Label, int] | None = None,
    below: int | None = None,
) -> Sensitive:
    """Return the itemsets to hide, with one disclosure for all or one for each; refuse both ``below`` and a disclosure.

    An itemset listed twice counts once, with the smaller share. Names from a file are looked up in ``code``; the file
    may state shares of its own.

    >>> sensitive = parse_sensitive([["a", "b"], ["b", "a"], ["c"]], ["10%", 0, 0.5])
    >>> sensitive.disclosures, sensitive.numbers
    ((Fraction(0, 1), Fraction(1, 2)), (1, 3))
    """
    itemsets, stated = _list_itemsets(sensitive, code or {})
    numbers = sensitive.numbers if isinstance(sensitive, Sensitive) else ()
    smallest: dict[Itemset, Fraction] = {}
    first: dict[Itemset, int] = {}
    shares = _parse_shares(disclosure, stated)
    for number, itemset, share in zip(numbers or range(1, len(itemsets) + 1), itemsets, shares, strict=True):
        items = _parse_itemset(itemset, number)
        smallest[items] = min(share, smallest.get(items, share))
        first.setdefault(items, number)
    if not smallest:
        raise InputError("no sensitive itemsets are given; name at least one")
    if below is not None and any(smallest.values()):
        raise OptionError("both below and a disclosure are given; leave one of them out")
    return Sensitive(tuple(smallest), tuple(smallest.values()), tuple(first.values()))


def _list_itemsets(
    sensitive: SensitiveLike, code: Mapping[Label, int]
) -> tuple[Sequence[Iterable[Label]], Sequence[Share | None]]:
    match sensitive:
        case Sensitive():
            return sensitive.itemsets, sensitive.disclosures
        case NamedItemsets():
            return list(sensitive.among(code)), sensitive.disclosures
        case Patterns():
            return [itemset for itemset, _ in sensitive], [None] * len(sensitive)
        case str() | bytes():
            raise InputError(f"the sensitive itemsets are text; {LISTS}")
        case Iterable():
            itemsets = list(sensitive)
            return itemsets, [None] * len(itemsets)
        case _:
            raise InputError(f"the sensitive itemsets are of type {type(sensitive).__name__}; {LISTS}")


def _parse_shares(disclosure: Share | Iterable[Share], stated: Sequence[Share | None]) -> list[Fraction]:
    """Return the share of each itemset: the stated one, or else the one that is given."""
    many = len(stated)
    if isinstance(disclosure, str) or not isinstance(disclosure, Iterable):
        given = [as_disclosure(disclosure)] * many
    else:
        given = [as_disclosure(share) for share in disclosure]
    if len(given) != many:
        wrong = f"there are {many} sensitive itemsets but {len(given)} disclosures"
        raise ThresholdError(f"{wrong}; give one for all, or one for each")
    if any(given) and stated and None not in stated:
        raise OptionError("the sensitive itemsets come with disclosures of their own; leave disclosure out")
    return [other if own is None else as_disclosure(own) for own, other in zip(stated, given, strict=True)]


def _parse_itemset(itemset: Iterable[Label], number: int) -> Itemset:
    hint = "give its items in a list, such as ['bread', 'milk']"
    if isinstance(itemset, str | bytes):
        raise InputError(f"sensitive itemset {number} is text; {hint}")
    try:
        items = frozenset(itemset)
    except TypeError:
        raise InputError(f"sensitive itemset {number} is no collection of labels; {hint}") from None
    if not items:
        raise InputError(f"sensitive itemset {number} has no items; every row holds it: leave it out")
    return items


@dataclass(frozen=True, eq=False)
class Removals(Itemsets):
    """Items removed from rows: row ``rows[i]`` loses itemset ``i``, which is not empty; rows and codes increase."""

    rows: Numbers


class OptimalityGap(NamedTuple):
    """How many legitimate itemsets a solution loses, and a lower bound on that number.

    The search ``stopped`` if time ran out first, and was ``skipped`` if the program would have been too large.
    """

    lost: int
    bound: int
    stopped: bool = False
    skipped: bool = False


class Solution(NamedTuple):
    """The items that a method removes, and how good that is, where the method can prove it."""

    removals: Removals
    gap: OptimalityGap | None = None


@dataclass(frozen=True, eq=False)
class HidingProblem:
    """Rows, sensitive itemsets, and the limits that a method keeps to.

    Each itemset may keep its disclosure's share of its rows, rounded down; or with ``below``, a count, at most
    ``below`` - 1 rows. "exact" starts from the best solution of the ``quick`` methods. Itemsets of at least
    ``min_support`` rows are to be kept frequent; None: of as many as ``below``, or as a sensitive itemset has.
    """

    rows: Transactions
    sensitive: Sensitive
    index: InvertedFile
    below: int | None = None
    reading: str = "static"
    seconds: float = 60.0
    window: int = 10_000
    threads: int | None = None
    progress: Progress | None = None
    quick: tuple[Callable[["HidingProblem"], Solution], ...] = ()
    min_support: int | None = None

    @cached_property
    def itemsets(self) -> Itemsets:
        """The codes of each sensitive itemset, increasing; an item that no row holds is refused."""
        return encode_sensitive(self.sensitive, self.rows.code, self.index.supports)

    @cached_property
    def holders(self) -> tuple[Numbers, ...]:
        """The rows that hold each sensitive itemset, increasing: its sensitive rows."""
        return tuple(self.index.rows_of_each(self.itemsets))

    @cached_property
    def supports(self) -> Numbers:
        """The support of each sensitive itemset."""
        return np.array([rows.size for rows in self.holders], dtype=np.int64)

    @cached_property
    def degrees(self) -> Items:
        """The degree of conflict of each row: how many sensitive itemsets it holds."""
        degrees = np.zeros(len(self.rows), dtype=np.int32)
        for rows in self.holders:
            kernels.hiding.add_degrees(rows, degrees)
        return degrees

    @cached_property
    def to_lose(self) -> Numbers:
        """How many rows must lose each sensitive itemset."""
        return count_to_lose(self.supports, self.sensitive, self.below)


def encode_sensitive(sensitive: Sensitive, code: Mapping[Label, int], supports: Numbers) -> Itemsets:
    """Return the codes of each itemset, increasing; refuse an item that no row holds."""
    itemsets = []
    for number, labels in zip(sensitive.numbers, sensitive.itemsets, strict=True):
        itemsets.append(sorted(code[label] for label in labels if label in code and supports[code[label]]))
        refuse_unknown(number, len(labels) - len(itemsets[-1]), len(labels))
    return Itemsets.of(itemsets)


def refuse_unknown(number: int, unknown: int, size: int) -> None:
    """Refuse a sensitive itemset if no row holds ``unknown`` of its items."""
    if unknown:
        what = f"sensitive itemset {number} has {unknown} of {size} items that no row has"
        raise InputError(f"{what}; check how they are written, or leave it out")


def count_to_lose(supports: Numbers, sensitive: Sensitive, below: int | None) -> Numbers:
    """Return how many rows must lose each sensitive itemset: its support times (1 − disclosure), rounded up.

    >>> count_to_lose(np.array([5, 5]), parse_sensitive([["a"], ["b"]], [0, "50%"]), None).tolist()
    [5, 3]
    """
    if below is not None:
        return np.maximum(supports - below + 1, 0)
    shares = zip(supports.tolist(), sensitive.disclosures, strict=True)
    return np.array([math.ceil(support * (1 - share)) for support, share in shares], dtype=np.int64)


def list_removals(pairs: Iterable[tuple[Numbers, Items]]) -> Removals:
    """Return the removals of rows and items, in any number of parts; a row and an item may repeat.

    >>> removals = list_removals([(np.array([4, 1, 4, 4]), np.array([2, 0, 1, 2], np.int32))])
    >>> removals.rows.tolist(), [items.tolist() for items in removals]
    ([1, 4], [[0], [1, 2]])
    """
    # Rows and codes both fit half a word, so a pair is one number.
    parts = (rows.astype(np.int64) << 32 | items for rows, items in pairs)
    coded = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *parts]))
    touched, starts = np.unique(coded >> 32, return_index=True)
    return Removals(np.append(starts, coded.size).astype(np.int64), (coded & 0xFFFFFFFF).astype(np.int32), touched)


def remove(rows: Transactions, removals: Removals) -> Transactions:
    """Return the rows without the removed items, with the same labels and ids.

    >>> rows = Transactions([["a", "b"], ["b"]])
    >>> [sorted(row) for row in remove(rows, list_removals([(np.array([0]), np.array([1], np.int32))]))]
    [['a'], ['b']]
    """
    offsets, items = np.empty_like(rows.offsets), np.empty(rows.itemsets.size, dtype=np.int32)
    size = kernels.hiding.drop_items(*rows.itemsets.flat, removals.rows, *removals.flat, offsets, items)
    removed = Transactions.from_codes(offsets, items[:size], rows.labels, ids=rows.ids)
    return removed.describe(schema=rows.schema, people=rows.people, reading=rows.reading)


def check_solution(problem: HidingProblem, removals: Removals, transactions: Transactions) -> Numbers:
    """Return the support of each sensitive itemset in ``transactions``, counted anew.

    Refuse too high a support, and any difference from the rows before that ``removals`` does not list.
    """
    # Both are counted in the rows themselves: an index of other rows does no harm.
    before, after = (count_supports(rows, problem.itemsets) for rows in (problem.rows, transactions))
    if (before != problem.supports).any():
        raise GuaranteeError(NOT_HIDDEN)
    check_hidden(before, after, problem.sensitive, problem.below)
    if not _is_listed(problem, removals, transactions):
        raise GuaranteeError("more was changed than is listed; nothing is shared: please report this as a bug")
    return after


def check_hidden(before: Numbers, after: Numbers, sensitive: Sensitive, below: int | None) -> None:
    """Refuse a sensitive itemset whose support is too high afterwards."""
    if (after > before - count_to_lose(before, sensitive, below)).any():
        raise GuaranteeError(NOT_HIDDEN)


def count_supports(rows: Transactions, itemsets: Itemsets) -> Numbers:
    """Return the support of each itemset, by looking at the rows."""
    supports = np.zeros(len(itemsets), dtype=np.int64)
    kernels.cell_rows.count_supports(rows.itemsets.flat, rows.weights, itemsets.flat, len(rows.labels), supports)
    return supports


def _is_listed(problem: HidingProblem, removals: Removals, transactions: Transactions) -> bool:
    """Return whether rows differ only by ``removals``, all of them in sensitive rows."""
    rows = problem.rows
    if len(transactions) != len(rows) or transactions.labels != rows.labels or transactions.ids is not rows.ids:
        return False
    before, after, changes = rows.itemsets.flat, transactions.itemsets.flat, (removals.rows, *removals.flat)
    return bool(kernels.hiding.is_as_stated(before, after, changes, problem.degrees > 0))
