"""Sensitive: the itemsets that an owner wants to be hidden, and how much of each may stay."""

import numbers
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from discreet.errors import InputError, ThresholdError
from discreet.labels import Itemset, Label
from discreet.patterns import Patterns

Share: TypeAlias = float | Fraction | str
"""A share from 0 to 1: 0.1, Fraction(1, 10), "10%"."""

ALLOWED: Final = "give a share from 0 (hide all of it) to 1 (hide nothing), such as 0.1 or '10%'"


class Sensitive(NamedTuple):
    """Itemsets to be hidden, by their labels, each once, and the share of its rows in which each may still be found."""

    itemsets: tuple[Itemset, ...]
    disclosures: tuple[Fraction, ...]


def as_sensitive(
    sensitive: "Sensitive | Patterns | Iterable[Iterable[Label]]", disclosure: Share | Sequence[Share] = 0
) -> Sensitive:
    """Return what is to be hidden; ``disclosure`` is for all itemsets, or for each its own.

    An itemset that is named twice counts once, and with the smaller share.

    >>> as_sensitive([["a", "b"], ["c", "d"]], "10%").disclosures
    (Fraction(1, 10), Fraction(1, 10))
    """
    if isinstance(sensitive, Sensitive):
        return sensitive
    listed = [itemset for itemset, _ in sensitive] if isinstance(sensitive, Patterns) else list(sensitive)
    if isinstance(disclosure, Sequence) and not isinstance(disclosure, str):
        if len(disclosure) != len(listed):
            raise ThresholdError(
                f"there are {len(listed)} sensitive itemsets but {len(disclosure)} disclosures; give one for all, or "
                "one for each"
            )
        shares = [as_disclosure(share) for share in disclosure]
    else:
        shares = [as_disclosure(disclosure)] * len(listed)
    smallest: dict[Itemset, Fraction] = {}
    for number, (itemset, share) in enumerate(zip(listed, shares, strict=True), start=1):
        if isinstance(itemset, str):
            raise InputError(f"sensitive itemset {number} is text; give its items in a list, such as ['a', 'b']")
        items = frozenset(itemset)
        if not items:
            raise InputError(f"sensitive itemset {number} has no items; every row holds it: leave it out")
        smallest[items] = min(share, smallest.get(items, share))
    if not smallest:
        raise InputError("no sensitive itemsets are given; name at least one")
    return Sensitive(tuple(smallest), tuple(smallest.values()))


def as_disclosure(share: Share) -> Fraction:
    """Return a share from 0 to 1 as the fraction that it prints as: in floats 10 * (1 - 0.9) is below 1.

    >>> as_disclosure(0.9), as_disclosure("12.5%"), as_disclosure(0)
    (Fraction(9, 10), Fraction(1, 8), Fraction(0, 1))
    """
    text = str(share).strip()
    number = text.removesuffix("%").rstrip()
    try:
        if isinstance(share, bool) or not isinstance(share, numbers.Real | str):
            raise ValueError
        value = Fraction(number) / (1 if number == text else 100)
    except (ValueError, ZeroDivisionError):
        raise ThresholdError(f"disclosure is {text[:40]!r}, which is no number: {ALLOWED}") from None
    if not 0 <= value <= 1:
        raise ThresholdError(f"disclosure is {text[:40]}; it must be from 0 to 1: {ALLOWED}")
    return value
