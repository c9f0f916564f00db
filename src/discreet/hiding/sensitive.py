"""Sensitive: the itemsets that an owner wants to be hidden, and how much of each may stay."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from discreet.data.labels import Itemset, Label
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Share, as_disclosure
from discreet.errors import InputError, OptionError, ThresholdError
from discreet.io.formats.sensitive import Named

__all__ = ["Named", "Sensitive", "Share", "as_disclosure", "as_sensitive"]

LISTS: Final = "give a list of lists of items, such as [['bread', 'milk'], ['beer', 'wine']]"


class Sensitive(NamedTuple):
    """Itemsets to be hidden, by their labels, each once, and the share of its rows in which each may still be found.

    ``numbers`` say where each was named, from 1 on: errors speak of an itemset by its number, never by its labels.
    """

    itemsets: tuple[Itemset, ...]
    disclosures: tuple[Fraction, ...]
    numbers: tuple[int, ...] = ()


def as_sensitive(
    sensitive: Sensitive | Named | Patterns | Iterable[Iterable[Label]],
    disclosure: Share | Iterable[Share] = 0,
    code: Mapping[Label, int] | None = None,
) -> Sensitive:
    """Return what is to be hidden; ``disclosure`` is for all itemsets, or for each its own.

    An itemset that is named twice counts once, and with the smaller share. What a file names, which may have shares of
    its own, is looked up among the labels of rows, ``code``.

    >>> sensitive = as_sensitive([["a", "b"], ["b", "a"], ["c"]], ["10%", 0, 0.5])
    >>> sensitive.disclosures, sensitive.numbers
    ((Fraction(0, 1), Fraction(1, 2)), (1, 3))
    """
    listed, own = _listed(sensitive, code or {})
    shares = _shares(disclosure, own)
    numbers = sensitive.numbers if isinstance(sensitive, Sensitive) else ()
    smallest: dict[Itemset, Fraction] = {}
    first: dict[Itemset, int] = {}
    for number, itemset, share in zip(numbers or range(1, len(listed) + 1), listed, shares, strict=True):
        items = _items(itemset, number)
        smallest[items] = min(share, smallest.get(items, share))
        first.setdefault(items, number)
    if not smallest:
        raise InputError("no sensitive itemsets are given; name at least one")
    return Sensitive(tuple(smallest), tuple(smallest.values()), tuple(first.values()))


def _listed(
    sensitive: Sensitive | Named | Patterns | Iterable[Iterable[Label]], code: Mapping[Label, int]
) -> tuple[list[Iterable[Label]], list[Share | None]]:
    """Return the itemsets, whatever holds them, and the share of each that comes with them."""
    match sensitive:
        case Sensitive():
            return list(sensitive.itemsets), list(sensitive.disclosures)
        case Named():
            return list(sensitive.among(code)), list(sensitive.disclosures)
        case Patterns():
            listed: list[Iterable[Label]] = [itemset for itemset, _ in sensitive]
        case str() | bytes():
            raise InputError(f"the sensitive itemsets are text; {LISTS}")
        case Iterable():
            listed = list(sensitive)
        case _:
            raise InputError(f"the sensitive itemsets are of type {type(sensitive).__name__}; {LISTS}")
    return listed, [None] * len(listed)


def _shares(disclosure: Share | Iterable[Share], own: Sequence[Share | None]) -> list[Fraction]:
    """Return a share for each itemset: its own, or where it has none the one that is given."""
    if isinstance(disclosure, str) or not isinstance(disclosure, Iterable):
        given = [as_disclosure(disclosure)] * len(own)
    else:
        given = [as_disclosure(share) for share in disclosure]
        if len(given) != len(own):
            raise ThresholdError(
                f"there are {len(own)} sensitive itemsets but {len(given)} disclosures; give one for all, or one for "
                "each"
            )
    if any(given) and own and None not in own:
        raise OptionError("the sensitive itemsets come with disclosures of their own; leave disclosure out")
    return [other if mine is None else as_disclosure(mine) for mine, other in zip(own, given, strict=True)]


def _items(itemset: Iterable[Label], number: int) -> Itemset:
    """Return an itemset as a set; it has its number in what was given."""
    if isinstance(itemset, str | bytes):
        raise InputError(f"sensitive itemset {number} is text; give its items in a list, such as ['bread', 'milk']")
    try:
        items = frozenset(itemset)
    except TypeError:
        raise InputError(
            f"sensitive itemset {number} is no collection of labels; give its items in a list, such as "
            "['bread', 'milk']"
        ) from None
    if not items:
        raise InputError(f"sensitive itemset {number} has no items; every row holds it: leave it out")
    return items
