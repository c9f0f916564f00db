"""Cells: the itemsets of a release as masks, and how many rows hold just these of the items of a maximal one."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import pairwise
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from discreet.errors import InputError
from discreet.verify.reading import Pairs, Told

MOST_STEPS, MOST_BITS = 1 << 30, 1 << 32  # about ten minutes, and half a gibibyte
SOME: Final = re.compile(rb"[^\0]")
OVERHEAD: Final = 1024
"""Bits of memory that a mask takes beside its own."""
SLOW: Final = 1 << 12
"""Bits of masks that take one step more."""
INVISIBLE: Final = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0000-\U000e0fff]")
"""Characters without a width that Python takes for printable: joiners, fillers, selectors of variants."""
TWICE: Final = "is listed twice, or holds an item twice"
TANGLED: Final = (
    "the itemsets lie within each other in too many ways to be checked; release them at a higher min_support"
)


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
        mask = _mask(bits[item] for item in items)
        if mask.bit_count() < len(items):
            raise InputError(f"{items!r:.99} {TWICE}")
        if not claims["min_support"] <= support <= claims["n"]:
            raise InputError(f"{items!r:.99} has support {support}, which is not from min_support to n")
        listed.append((mask, support))
    listed.sort()
    for (one, _), (other, _) in pairwise(listed):
        if one == other:
            raise InputError(f"{[labels[at] for at in _bits(one)]!r:.99} {TWICE}")
    return Listed([mask for mask, _ in listed], [support for _, support in listed], labels)


def _check_labels(labels: Iterable[str]) -> None:
    """Refuse labels that a reader cannot tell apart: equal but for normal form and invisible characters."""
    seen = dict[str, str]()
    for label in labels:
        letters = INVISIBLE.sub("", normalize("NFKC", label))
        visible = "".join(filter(str.isprintable, letters))
        if (other := seen.setdefault(normalize("NFKC", visible), label)) is not label:
            raise InputError(f"{other!a:.99} and {label!a:.99} look alike: rename one of these labels")


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


def _bytes(mask: int) -> bytes:
    """Return a mask as bytes, the lowest first.

    They are its key as well: the hash of a number is the same for 1 and for 2^61, so that a dictionary of numbers
    with few bits would be a heap of equal hashes.
    """
    return mask.to_bytes(mask.bit_length() // 8 + 1, "little")


def _bits(mask: int) -> Iterator[int]:
    """Yield the number of each bit."""
    for found in SOME.finditer(_bytes(mask)):
        yield from (8 * found.start() + at for at in range(8) if found[0][0] >> at & 1)


def _mask(bits: Iterable[int]) -> int:
    """Return the mask with these bits."""
    numbers = [*bits]
    data = bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        data[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(data, "little")


def counted(listed: Listed, claims: Told) -> tuple[list[tuple[Any, ...]], int, list[str]]:
    """Return support, number of cells, smallest cell and labels of each maximal itemset, and what is wrong.

    Between the two stands how many itemsets are frequent, listed or not.
    """
    masks, supports, labels = listed
    tops, faults, steps = list[tuple[Any, ...]](), list[str](), 0
    least, sizes = dict[bytes, int](), dict[int, int]()
    for number in _largest_first(masks):
        if number in sizes:
            continue
        met, more = within(masks, top := masks[number])
        steps += (more + len(met) * top.bit_count()) * (1 + (len(labels) + len(met)) // SLOW)
        if steps > MOST_STEPS:
            raise InputError(TANGLED)
        met.sort(key=lambda at: masks[at].bit_count(), reverse=True)
        parts = Listed([masks[at] for at in met], [supports[at] for at in met], labels)
        counts, stands = _cells(parts, least, claims["kind"]) or ([0] * len(met), [0] * len(met))
        sizes |= zip(met, stands, strict=True)
        cells = [(rows, mask) for rows, mask in zip(counts, parts.masks, strict=True) if rows] or [(0, 0)]
        rows, rarest = min(cells)
        names, held = (sorted(labels[bit] for bit in _bits(mask)) for mask in (top, rarest))
        tops.append((supports[number], len(cells), rows, *names))
        if not rows:
            faults.append(f"an itemset within {names!r:.99} is missing, or their supports are those of no rows")
        elif rows < claims["k"]:
            faults.append(f"{rows} rows hold {held!r:.99} and nothing else of {names!r:.99}: fewer than k")
    if claims["min_support"] == 1 and claims["is_whole"]:
        faults += _told_by_absence(listed, claims["k"])
    return tops, sum(sizes.values()), faults


def _largest_first(masks: list[int]) -> list[int]:
    """Return the numbers of masks, those with most bits first."""
    return sorted(range(len(masks)), key=lambda at: masks[at].bit_count(), reverse=True)


def _told_by_absence(listed: Listed, k: int) -> Iterator[str]:
    """Yield which rows are too few where what is missing is held by none: the cells of all items are the rows."""
    rows, steps = [*listed.supports], 0
    for number in _largest_first(listed.masks):
        if few := rows[number]:
            met, more = within(listed.masks, listed.masks[number])
            if (steps := steps + more) > MOST_STEPS:
                raise InputError(TANGLED)
            for at in met:
                rows[at] -= few
        if few and few < k:
            names = sorted(listed.labels[bit] for bit in _bits(listed.masks[number]))
            yield f"{few} rows hold {names!r:.99} and nothing else, as min_support is 1: fewer than k"


def _told_apart(masks: list[int], width: int) -> tuple[list[int], list[int], dict[bytes, int], list[int]]:
    """Return which of ``own`` hold each item and each mask, the mask that is known by these, and ``own`` itself."""
    columns, above, those, own = [0] * width, list[int](), dict[bytes, int](), list[int]()
    for number, mask in enumerate(masks):
        over = reduce(int.__and__, [columns[at] for at in _bits(mask)], (1 << len(own)) - 1)
        if _bytes(over) in those:
            bit = 1 << len(own)
            for at in _bits(mask):
                columns[at] |= bit
            own.append(number)
            over |= bit
        above.append(over)
        those[_bytes(over)] = number
        if len(own) * len(masks) > MOST_BITS:
            raise InputError(TANGLED)
    return columns, above, those, own


def _cells(listed: Listed, least: dict[bytes, int], kind: str) -> tuple[list[int], list[int]] | None:
    """Return how many rows hold just each of the itemsets within a top, the largest first, and for how many it stands.

    None if they are not those of any rows. Each must be what the itemsets in ``own`` that hold it share, where ``own``
    are those that larger ones do not tell apart; ``above`` says which hold it. Then for every itemset and item more,
    what those share that hold both is the least that does, or missing; and if none is missing, and ``least`` is the
    same under every top, adding item by item leads from the bottom to the least that holds any given items, such as
    those that two listed itemsets share: these two hold it, so it is no more than that, and listed.

    At first ``rows`` holds who has an itemset at all, then only who has none of its items' others so far. Whoever has
    one more has the least itemset with it, which takes them away, unless it has others itself: then nobody is left.
    The closed itemsets of such rows are all that the cells share, so those in ``own`` must be cells. An itemset stands
    for itself and all that are not listed whose least it is, which are counted item by item as well.
    """
    met, supports, labels = listed
    items = [*_bits(met[0])]
    places = dict(zip(items, range(len(items)), strict=True))
    masks = [_mask(places[item] for item in _bits(mask)) for mask in met]
    columns, above, those, own = _told_apart(masks, len(items))
    bottom = those.get(_bytes((1 << len(own)) - 1), -1)
    if bottom < 0 or least.setdefault(_bytes(0), met[bottom]) != met[bottom]:
        return None
    rows, sizes = [*supports], [0] * len(met)
    sizes[bottom] = 1
    for at, column in enumerate(columns):
        bit, item = 1 << at, 1 << items[at]
        if len(least) * (len(labels) + OVERHEAD) > MOST_BITS:
            raise InputError(TANGLED)
        for number, mask in enumerate(masks):
            if mask & bit:
                sizes[number] *= 2
                continue
            to = those.get(_bytes(above[number] & column), number)
            closed, whole = masks[to], met[to]
            if closed != mask | bit and (
                not closed & bit or least.setdefault(_bytes(met[number] | item), whole) != whole
            ):
                return None
            sizes[to] += sizes[number]
            if not (closed ^ mask) & (bit - 1):
                rows[number] -= rows[to]
    is_whole = min(map(rows.__getitem__, own), default=1) > 0 if kind == "closed" else len(met) == 1 << len(items)
    return (rows, sizes) if is_whole and min(rows) >= 0 else None
