"""Counts of a tree that a file states: whole numbers of rows that add up, or why they cannot be told."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from math import ceil, floor
from typing import Final, NamedTuple, TypeAlias

from discreet.data.thresholds import LARGEST_COUNT, exact
from discreet.errors import InputError, Option
from discreet.io.trees.stated import Stated, digits_of
from discreet.publications.trees.sklearn import BROKEN
from discreet.runtime.text import abbreviate

WEIGHTED: Final = "The counts of classes are not those of rows: the tree was fitted with weights, or on a drawn sample."
SHARES: Final = "The tree tells shares of classes alone, so that the counts cannot be told: write it with counts."
ROUNDED: Final = "Shares of rows are rounded so far that the counts cannot be told: write the tree with counts."
SOME: Final = "Some leaves tell counts, and others do not."
SHARED: Final = "shares of classes are those of rows only if the tree was fitted without weights and on no sample"
WHOLE: Final = "its numbers may be weights that were rounded to whole numbers; write the tree with more digits"

Values: TypeAlias = tuple[Fraction, ...]


class Counted(NamedTuple):
    """How many rows reach each node, and how many of each class, where that is known; why it is in doubt or unknown.

    ``is_lasting`` says that the doubt is about classes, so that features of rows do not settle it.
    """

    rows: list[int | None]
    counts: list[tuple[int, ...]]
    doubt: str
    fault: str
    is_lasting: bool = False


def counted(tree: Stated, n: int | None = None) -> Counted:
    """Return the counts of a tree; shares become counts only where one whole number alone can have been rounded so.

    ``n`` is the number of all rows, needed where these are shares as well.
    """
    rows = _rows(tree, n)
    values = [_values(node.counts, at) for at, node in enumerate(tree.nodes)]
    parents = {node.parent for node in tree.nodes}
    leaves = [at for at in range(len(tree.nodes)) if at not in parents]
    if not any(values[at] or rows[at] is not None for at in leaves):
        raise InputError("the tree tells no numbers of rows, so that there is nothing to judge; write it with counts")
    nothing: list[tuple[int, ...]] = [()] * len(tree.nodes)
    doubt = tree.doubt
    if unclear := [node.rows for node, told in zip(tree.nodes, rows, strict=True) if node.rows and told is None]:
        return Counted(rows, nothing, "", ROUNDED if unclear[0].endswith("%") else WEIGHTED)
    if not any(values):
        found = Counted(rows, nothing, doubt, tree.fault)
    elif _are_shares(tree, values, rows):
        half = _half(tree)
        counts = [_from_shares(one, half, told) for one, told in zip(values, rows, strict=True)]
        fault = tree.fault or _fault_of_shares(values, counts, rows)
        found = Counted(rows, counts, SHARED, fault, is_lasting=True)
    else:
        whole = [tuple(map(int, one)) for one in values]
        summed = [sum(one) if one and told is None else told for one, told in zip(whole, rows, strict=True)]
        found = Counted(summed, whole, WHOLE if tree.is_rounded else doubt, tree.fault, is_lasting=tree.is_rounded)
        if any(value.denominator != 1 for one in values for value in one) or not _agree(whole, summed):
            found = Counted(rows, nothing, "", WEIGHTED)
    return _checked(tree, found, leaves, n)


def _checked(tree: Stated, found: Counted, leaves: Sequence[int], n: int | None) -> Counted:
    """Return the counts, with a fault if those of leaves are lacking or do not add up to those above them."""
    if not found.fault and len({bool(found.counts[at]) for at in leaves}) > 1:
        found = found._replace(fault=SOME)
    if not found.fault and any(found.rows[at] is None for at in leaves):
        found = found._replace(fault=SOME)
    if not found.fault and not _adds_up(tree, found):
        found = found._replace(fault=BROKEN)
    total = sum(found.rows[at] or 0 for at in leaves)
    if not found.fault and n is not None and n != total:
        raise InputError(
            f"the leaves hold {total:,} rows, but {abbreviate(n)} were given; leave ",
            *(Option("n"), " out, or correct it"),
        )
    return found


def _rows(tree: Stated, n: int | None) -> list[int | None]:
    """Return how many rows reach each node, as far as that is told."""
    texts = [node.rows for node in tree.nodes]
    if any(text.endswith("%") for text in texts):
        if n is None:
            raise InputError("the tree has shares of an unknown number of rows; give it with ", Option("n"))
        shares = [exact(text.removesuffix("%")) for text in texts]
        half = Fraction(1, 2 * 10 ** max(digits_of(text.removesuffix("%")) for text in texts if text))
        return [None if share is None else _whole(share / 100, half / 100, n) for share in shares]
    found: list[int | None] = []
    for at, text in enumerate(texts):
        number = exact(text)
        if text and (number is None or not 0 <= number <= LARGEST_COUNT):
            raise InputError(f"node {at} has a number of rows that is none; write the tree again")
        found.append(int(number) if number is not None and number.denominator == 1 else None)
    return found


def _values(texts: Sequence[str], at: int) -> Values:
    found = tuple(number for number in map(exact, texts) if number is not None)
    if len(found) != len(texts) or not all(0 <= number <= LARGEST_COUNT for number in found):
        raise InputError(f"node {at} has a count that is none; write the tree again")
    return found


def _half(tree: Stated) -> Fraction:
    """Return half of the last digit of its numbers; one that has fewer may end with zeros that are not printed."""
    digits = max(digits_of(text) for text in chain.from_iterable(node.counts for node in tree.nodes))
    return Fraction(1, 2 * 10 ** max(digits, tree.digits or 0))


def _are_shares(tree: Stated, values: Sequence[Values], rows: Sequence[int | None]) -> bool:
    """Return whether the numbers of every node add up to 1, as those that scikit-learn 1.3 printed do.

    Where they add up to the rows of every node as well, they are counts.
    """
    half = _half(tree)
    told = [(one, row) for one, row in zip(values, rows, strict=True) if one]
    is_one = all(abs(sum(one, Fraction(-1))) <= half * len(one) for one, _ in told)
    return is_one and any(sum(one) != row for one, row in told)


def _from_shares(shares: Values, half: Fraction, rows: int | None) -> tuple[int, ...]:
    """Return the counts that shares of so many rows stand for; none where they cannot be told."""
    if rows is None:
        return ()
    found = [_whole(share, half, rows) for share in shares]
    counts = tuple(count for count in found if count is not None)
    return counts if len(counts) == len(found) and sum(counts) == rows else ()


def _fault_of_shares(values: Sequence[Values], counts: Sequence[tuple[int, ...]], rows: Sequence[int | None]) -> str:
    if any(row is None for row, one in zip(rows, values, strict=True) if one):
        return SHARES
    return ROUNDED * any(bool(one) != bool(count) for one, count in zip(values, counts, strict=True))


def _whole(share: Fraction, half: Fraction, n: int) -> int | None:
    """Return the only count of ``n`` whose share is that near; None if there are several, or there is none.

    >>> _whole(Fraction("0.33"), Fraction("0.005"), 12), _whole(Fraction("0.33"), Fraction("0.005"), 1000)
    (4, None)
    """
    low, high = max(0, ceil((share - half) * n)), floor((share + half) * n)
    return low if low == high else None


def _agree(counts: Sequence[tuple[int, ...]], rows: Sequence[int | None]) -> bool:
    return all(sum(one) == told for one, told in zip(counts, rows, strict=True) if one)


def _adds_up(tree: Stated, found: Counted) -> bool:
    """Return whether what reaches a node is what reaches the nodes below it, as far as that is told."""
    below: dict[int, list[int]] = {}
    for at, node in enumerate(tree.nodes):
        below.setdefault(node.parent, []).append(at)
    for at, children in below.items():
        if at < 0:
            continue
        rows, parts = found.rows[at], [found.rows[child] for child in children]
        if rows is not None and None not in parts and rows != sum(part for part in parts if part is not None):
            return False
        counts = [found.counts[child] for child in children]
        if found.counts[at] and all(counts) and found.counts[at] != tuple(map(sum, zip(*counts, strict=True))):
            return False
    return True
