"""Masks: the itemsets of a release as numbers with a bit for each item, and labels that can be told apart."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple
from unicodedata import combining, normalize

from discreet.blocking.release.verify.reading import Pairs, Told
from discreet.errors import InputError

MOST_BITS: Final = 1 << 32
"""Half a gibibyte."""
OVERHEAD: Final = 1024
"""Bits of memory that a mask takes beside its own."""
SOME: Final = re.compile(rb"[^\0]")
INVISIBLE: Final = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0000-\U000e0fff]")
"""Characters without a width that Python takes for printable: joiners, fillers, selectors of variants."""
TWICE: Final = "is listed twice, or holds an item twice"


class Listed(NamedTuple):
    """The itemsets of a list as masks, with a bit for each item; their supports; and the label of each bit."""

    masks: list[int]
    supports: list[int]
    labels: list[str]


def coded(pairs: Pairs, claims: Told) -> Listed:
    """Return the itemsets of a list; the items that most of them hold have the lowest bits."""
    if not pairs:
        raise InputError("nothing is listed, and of no list not even n may be told, which may be less than k")
    for items, support in pairs:
        if type(items) is not list or type(support) is not int or not {*map(type, items)} <= {str, int}:
            raise TypeError
    held = Counter(item for items, _ in pairs for item in items)
    bits = {item: at for at, (item, _) in enumerate(held.most_common())}
    labels = [*map(str, bits)]
    _check_labels(labels)
    if len(pairs) * (len(bits) + OVERHEAD) > MOST_BITS:
        raise InputError(f"{len(pairs):,} itemsets of {len(bits):,} items are too many to check")
    listed = list[tuple[int, int]]()
    for items, support in pairs:
        mask = mask_of(bits[item] for item in items)
        if mask.bit_count() < len(items):
            raise InputError(f"{items!r:.99} {TWICE}")
        if not claims["min_support"] <= support <= claims["n"]:
            raise InputError(f"{items!r:.99} has support {support}, which is not from min_support to n")
        listed.append((mask, support))
    listed.sort()
    for (one, _), (other, _) in pairwise(listed):
        if one == other:
            raise InputError(f"{[labels[at] for at in bits_of(one)]!r:.99} {TWICE}")
    return Listed([mask for mask, _ in listed], [support for _, support in listed], labels)


def visible(text: str) -> str:
    """Return what a reader sees of a text: its normal form, without characters that have no width."""
    # Bringing marks into order takes time by the square of their number: Unicode's stream-safe text has 30 at most.
    if "1" * 31 in "".join("1" if combining(letter) else "0" for letter in text):
        raise InputError("a label or name has more than 30 marks on one letter; take them out")
    return normalize("NFKC", "".join(filter(str.isprintable, INVISIBLE.sub("", normalize("NFKC", text)))))


def _check_labels(labels: Iterable[str]) -> None:
    """Refuse labels that a reader cannot tell apart: equal but for normal form and invisible characters."""
    seen = dict[str, str]()
    for label in labels:
        if (shown := visible(label)) in seen:
            raise InputError(f"{seen[shown]!a:.99} and {label!a:.99} look alike: rename one of these labels")
        seen[shown] = label


def within(masks: list[int], top: int) -> tuple[list[int], int]:
    """Return which itemsets of a sorted list hold items of ``top`` alone, and in how many steps they were found.

    Where an itemset holds others, the next one without them has the first item of ``top`` that is higher than the
    highest of these others and that the itemset lacks, and above it the same items: all between are leapt over.
    """
    met, at, steps = list[int](), 0, 0
    while at < len(masks):
        mask, steps = masks[at], steps + 1
        if high := (mask & ~top).bit_length():
            free = (top & ~mask) >> high
            high += (free & -free).bit_length() - 1
            at = bisect_left(masks, (mask >> high | 1) << high, at + 1) if free else len(masks)
        else:
            met.append(at)
            at += 1
    return met, steps


def key(mask: int) -> bytes:
    """Return a mask as bytes, the lowest first.

    They are its key as well: the hash of a number is the same for 1 and for 2^61, so that a dictionary of numbers
    with few bits would be a heap of equal hashes.
    """
    return mask.to_bytes(mask.bit_length() // 8 + 1, "little")


def bits_of(mask: int) -> Iterator[int]:
    """Yield the number of each bit."""
    for found in SOME.finditer(key(mask)):
        yield from (8 * found.start() + at for at in range(8) if found[0][0] >> at & 1)


def mask_of(bits: Iterable[int]) -> int:
    """Return the mask with these bits."""
    numbers = [*bits]
    data = bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        data[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(data, "little")
