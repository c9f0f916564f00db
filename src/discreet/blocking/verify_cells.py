"""Recount the cells of a release: how many rows hold exactly these items of a maximal itemset.

Itemsets are whole numbers here, masks with a bit for each item.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import reduce
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias
from unicodedata import combining, normalize

from discreet.errors import InputError

Json: TypeAlias = dict[str, Any]
Pairs: TypeAlias = list[tuple[Any, Any]]
MOST_BITS: Final = 1 << 32  # half a gibibyte
OVERHEAD: Final = 1024  # bits of memory that a mask takes beside its own
MOST_STEPS: Final = 1 << 30  # about ten minutes
SLOW: Final = 1 << 12  # bits of masks that take one step more
SHORT: Final = 1 << 64  # masks below are quick to change
NONZERO: Final = re.compile(rb"[^\0]")
# Characters without a width that Python calls printable: joiners, fillers, variation selectors.
INVISIBLE: Final = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0000-\U000e0fff]")
TWICE: Final = "is listed twice, or holds an item twice"
TANGLED: Final = "the itemsets overlap in too many ways to check; release them at a higher minimum support"


class Masks(NamedTuple):
    """Itemsets as masks, in order; their supports; and the label of each bit."""

    masks: list[int]
    supports: list[int]
    labels: list[str]

    def name(self, mask: int) -> list[str]:
        """Return the labels of a mask."""
        return sorted(self.labels[bit] for bit in _bits(mask))

    def walk(self) -> list[int]:
        """Return the numbers of the masks, those of the largest first."""
        return sorted(range(len(self.masks)), key=lambda at: self.masks[at].bit_count(), reverse=True)


def code_itemsets(pairs: Pairs, claims: Json) -> Masks:
    """Return the itemsets of a list as masks; the most frequent items have the lowest bits."""
    if not pairs:
        raise InputError("nothing is listed; even n must not be published then, since it may be less than k")
    for items, support in pairs:
        if type(items) is not list or type(support) is not int or not {*map(type, items)} <= {str, int}:
            raise TypeError
    frequencies = Counter(item for items, _ in pairs for item in items)
    bits = {item: at for at, (item, _) in enumerate(frequencies.most_common())}
    labels = [*map(str, bits)]
    _check_labels(labels)
    if len(pairs) * (len(bits) + OVERHEAD) > MOST_BITS:
        raise InputError(f"{len(pairs):,} itemsets of {len(bits):,} items are too many to check")
    listed = list[tuple[int, int]]()
    for items, support in pairs:
        listed.append((_mask([bits[item] for item in items]), support))
        if listed[-1][0].bit_count() < len(items):
            raise InputError(f"{items!r:.99} {TWICE}")
        if not claims["min_support"] <= support <= claims["n"]:
            raise InputError(f"{items!r:.99} has support {support}, which is not between min_support and n")
    listed.sort()
    for (one, _), (other, _) in pairwise(listed):
        if one == other:
            raise InputError(f"{[labels[at] for at in _bits(one)]!r:.99} {TWICE}")
    return Masks([mask for mask, _ in listed], [support for _, support in listed], labels)


def visible(text: str) -> str:
    """Return the part of a text that a reader sees: its normal form, without characters that have no width."""
    # Normalizing marks takes quadratic time; Unicode's stream-safe text has at most 30 in a row.
    if "1" * 31 in "".join("1" if combining(letter) else "0" for letter in text):
        raise InputError("a label or name has more than 30 marks on one letter; take them out")
    return normalize("NFKC", "".join(filter(str.isprintable, INVISIBLE.sub("", normalize("NFKC", text)))))


def _check_labels(labels: list[str]) -> None:
    seen = dict[str, str]()
    for label in labels:
        if (shown := visible(label)) in seen:
            raise InputError(f"{seen[shown]!a:.99} and {label!a:.99} look alike: rename one of these labels")
        seen[shown] = label


def count_cells(listed: Masks, claims: Json) -> tuple[list[tuple[Any, ...]], int, list[str]]:
    """Return a tuple for each maximal itemset, the number of frequent itemsets, listed or not, and the faults.

    The tuple holds the support, the number of cells, the smallest cell, and the labels.
    """
    masks, supports, labels = listed
    tops, faults, steps = list[tuple[Any, ...]](), list[str](), 0
    closures, sizes = dict[bytes, int](), dict[int, int]()
    for number in listed.walk():
        if number in sizes:
            continue
        inside, more = find_subsets(masks, top := masks[number])
        steps += (more + len(inside) * top.bit_count()) * (1 + (len(labels) + len(inside)) // SLOW)
        if steps > MOST_STEPS:
            raise InputError(TANGLED)
        inside.sort(key=lambda at: masks[at].bit_count(), reverse=True)
        part = Masks([masks[at] for at in inside], [supports[at] for at in inside], labels)
        counts, part_sizes = _cells(part, closures, claims["kind"]) or ([0] * len(inside), [0] * len(inside))
        sizes |= zip(inside, part_sizes, strict=True)
        cells = [(rows, mask) for rows, mask in zip(counts, part.masks, strict=True) if rows] or [(0, 0)]
        rows, rarest = min(cells)
        names = listed.name(top)
        tops.append((supports[number], len(cells), rows, *names))
        if not rows:
            faults.append(f"an itemset within {names!r:.99} is missing, or no rows have these supports")
        elif rows < claims["k"]:
            base = listed.name(rarest)
            faults.append(f"{rows} rows hold {base!r:.99} and nothing else of {names!r:.99}: fewer than k")
    if claims["min_support"] == 1 and claims["is_whole"]:
        faults += _find_rare_rows(listed, claims["k"])
    return tops, sum(sizes.values()), faults


def check_rounded(listed: Masks, claims: Json) -> tuple[list[tuple[Any, ...]], int, list[str]]:
    """Return no cells, the number of itemsets, and the faults of supports that were rounded to multiples of a number.

    Each part of an itemset must be listed, and have no smaller support. A support was up to half the number more or
    less before it was rounded, so that a difference of two was up to twice as much more or less.
    """
    unit, k, faults = claims["rounded_to"], claims["k"], list[str]()
    off, supports = 2 * (unit // 2), dict(zip(listed.masks, listed.supports, strict=True))
    for mask, support in supports.items():
        names, held = listed.name(mask), [supports.get(mask & ~(1 << bit), -1) for bit in _bits(mask)]
        if support % unit:
            faults.append(f"the support of {names!r:.99} is no multiple of {unit}")
        elif min(held, default=support) < support:
            faults.append(f"an itemset within {names!r:.99} is missing, or has a smaller support")
        elif any(off < many - support < k - off for many in held):
            faults.append(f"{names!r:.99} and a part of it surely differ by fewer than k rows")
    return [], len(supports), faults


def _find_rare_rows(listed: Masks, k: int) -> Iterator[str]:
    """Yield a fault for each row that fewer than k are like; at a minimum support of 1 a missing itemset has 0 rows."""
    rows, steps = [*listed.supports], 0
    for number in listed.walk():
        if few := rows[number]:
            inside, more = find_subsets(listed.masks, listed.masks[number])
            if (steps := steps + more) > MOST_STEPS:
                raise InputError(TANGLED)
            for at in inside:
                rows[at] -= few
        if 0 != few < k:
            names = listed.name(listed.masks[number])
            yield f"{few} rows hold {names!r:.99} and nothing else, as min_support is 1: fewer than k"


def find_subsets(masks: list[int], top: int) -> tuple[list[int], int]:
    """Return the numbers of the subsets of ``top`` in a sorted list, and how many steps it took to find them.

    Where an itemset has items outside ``top``, the next without them has the first free item of ``top`` above the
    highest of these, and the same items above that one. The search leaps over all between.
    """
    inside, at, steps = list[int](), 0, 0
    while at < len(masks):
        mask, steps = masks[at], steps + 1
        if high := (mask & ~top).bit_length():
            free = (top & ~mask) >> high
            high += (free & -free).bit_length() - 1
            at = bisect_left(masks, (mask >> high | 1) << high, at + 1) if free else len(masks)
        else:
            inside.append(at)
            at += 1
    return inside, steps


def _cells(listed: Masks, closures: dict[bytes, int], kind: str) -> tuple[list[int], list[int]] | None:
    """Return for each itemset within a top, the largest first, its cell and its class size; None if no rows fit.

    The cell is the number of rows that hold exactly this itemset; the class size counts the itemsets, listed or not,
    whose closure it is. Each itemset must be the intersection of those in ``own`` that contain it; ``own`` are the
    itemsets that larger ones do not distinguish, and ``above`` says which of them contain each. Then the intersection
    of all that contain an itemset and one more item is their closure, or it is missing. If none is missing, and
    ``closures`` agree under every top, adding item by item leads from the bottom to the closure of any items, such as
    the intersection of two listed itemsets. These two contain it, so it equals that intersection, which is listed.

    First ``rows`` counts who holds an itemset at all. Then, item by item, it loses those who hold the item as well:
    these hold the closure with it, which has lost its other rows already. The closed itemsets of rows are the
    intersections of their cells, so those in ``own`` must be cells.
    """
    whole, supports, labels = listed
    items = _bits(whole[0])
    places = dict(zip(items, range(len(items)), strict=True))
    masks = [_mask([places[item] for item in _bits(mask)]) for mask in whole]
    columns, above, numbers, own = _distinguish(masks, len(items))
    bottom = numbers.get(_key((1 << len(own)) - 1), -1)
    if bottom < 0 or closures.setdefault(_key(0), whole[bottom]) != whole[bottom]:
        return None
    rows, sizes = [*supports], [0] * len(whole)
    sizes[bottom] = 1
    for at, column in enumerate(columns):
        bit, item = 1 << at, 1 << items[at]
        if len(closures) * (len(labels) + OVERHEAD) > MOST_BITS:
            raise InputError(TANGLED)
        for number, mask in enumerate(masks):
            if mask & bit:
                sizes[number] *= 2
                continue
            to = numbers.get(_key(above[number] & column), number)
            closed, full = masks[to], whole[to]
            if closed != mask | bit and (
                not closed & bit or closures.setdefault(_key(whole[number] | item), full) != full
            ):
                return None
            sizes[to] += sizes[number]
            if not (closed ^ mask) & (bit - 1):
                rows[number] -= rows[to]
    is_whole = min(map(rows.__getitem__, own), default=1) > 0 if kind == "closed" else len(whole) == 1 << len(items)
    return (rows, sizes) if is_whole and min(rows) >= 0 else None


def _distinguish(masks: list[int], width: int) -> tuple[list[int], list[int], dict[bytes, int], list[int]]:
    """Return which of ``own`` contain each item and each mask, the mask that these determine, and ``own`` itself."""
    columns, above, numbers, own = [0] * width, list[int](), dict[bytes, int](), list[int]()
    for number, mask in enumerate(masks):
        over = reduce(int.__and__, [columns[at] for at in _bits(mask)], (1 << len(own)) - 1)
        if _key(over) in numbers:
            bit = 1 << len(own)
            for at in _bits(mask):
                columns[at] |= bit
            own.append(number)
            over |= bit
        above.append(over)
        numbers[_key(over)] = number
        if len(own) * len(masks) > MOST_BITS:
            raise InputError(TANGLED)
    return columns, above, numbers, own


def _key(mask: int) -> bytes:
    """Return a mask as bytes, the lowest first: as a key, because the hashes of 1 and of 2^61 are the same."""
    return mask.to_bytes(mask.bit_length() // 8 + 1, "little")


def _bits(mask: int) -> list[int]:
    """Return the places of the bits of a mask, the lowest first."""
    bits = list[int]()
    if mask >= SHORT:
        for byte in NONZERO.finditer(_key(mask)):
            bits += [8 * byte.start() + at for at in range(8) if byte[0][0] >> at & 1]
        return bits
    while mask:
        bits.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return bits


def _mask(bits: list[int]) -> int:
    data = bytearray(max(bits, default=0) // 8 + 1)
    for bit in bits:
        data[bit >> 3] |= 1 << (bit & 7)
    return int.from_bytes(data, "little")
