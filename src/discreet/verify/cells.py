"""Cells: the itemsets of a release as masks, and how many rows hold just these of the items of a maximal one."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any, Final
from unicodedata import category, normalize

from discreet.errors import InputError
from discreet.verify.reading import LARGEST, Pairs, Told

MOST_STEPS, OVERHEAD = 1 << 30, 1024  # about ten minutes; bits of memory that a mask takes beside its own
INVISIBLE: Final = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0000-\U000e0fff]")
"""Characters without a width that are none of Unicode's format characters: joiners, fillers, selectors of variants."""
TANGLED: Final = (
    "the itemsets lie within each other in too many ways to be checked; release them at a higher min_support"
)


def coded(pairs: Pairs, claims: Told) -> tuple[dict[int, int], dict[int, str]]:
    """Return the support of each itemset, as a mask with a bit for each item, and the label of each bit.

    The items that most itemsets hold have the highest bits, so that ``within`` leaps far.
    """
    for items, support in pairs:
        if type(items) is not list or type(support) is not int or not {*map(type, items)} <= {str, int}:
            raise TypeError
    held = Counter(item for items, _ in pairs for item in items)
    bits = {item: 1 << at for at, (item, _) in enumerate(held.most_common())}
    _check_labels(map(str, bits))
    if len(pairs) * (len(bits) + OVERHEAD) > LARGEST * 64:
        raise InputError(f"{len(pairs):,} itemsets of {len(bits):,} items are too many to check")
    listed = dict[int, int]()
    for items, support in pairs:
        mask = sum({bits[item] for item in items})
        if mask in listed or mask.bit_count() < len(items):
            raise InputError(f"{items!r:.99} is listed twice, or holds an item twice")
        if not claims["min_support"] <= support <= claims["n"]:
            raise InputError(f"{items!r:.99} has support {support}, which is not from min_support to n")
        listed[mask] = support
    return listed, {bit: str(label) for label, bit in bits.items()}


def _check_labels(labels: Iterable[str]) -> None:
    """Refuse labels that a reader cannot tell apart: equal but for normal form and invisible characters."""
    seen = dict[str, str]()
    for label in labels:
        letters = INVISIBLE.sub("", normalize("NFKC", label))
        visible = "".join(letter for letter in letters if category(letter) != "Cf")
        if (other := seen.setdefault(normalize("NFKC", visible), label)) is not label:
            raise InputError(f"{other!a:.99} and {label!a:.99} look alike: rename one of these labels")


def within(order: list[int], top: int) -> tuple[list[int], int]:
    """Return the itemsets of a sorted list that hold items of ``top`` alone, and in how many steps they were found.

    Where an itemset holds others, the next one without them has the first item of ``top`` that is higher than the
    highest of these others and that the itemset lacks, and above it the same items: all between are leapt over.
    """
    met, at, steps = list[int](), 0, 0
    while at < len(order):
        mask, steps = order[at], steps + 1
        if high := (mask & ~top).bit_length():
            free = (top & ~mask) >> high
            high += (free & -free).bit_length() - 1
            at = bisect_left(order, (mask >> high | 1) << high, at + 1) if free else len(order)
        else:
            met.append(mask)
            at += 1
    return met, steps


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (bit := mask & -mask)
        mask ^= bit


def counted(
    listed: dict[int, int], labels: dict[int, str], claims: Told
) -> tuple[list[tuple[Any, ...]], int, list[str]]:
    """Return support, number of cells, smallest cell and labels of each maximal itemset, and what is wrong.

    Between the two stands how many itemsets are frequent, listed or not.
    """
    order, steps = sorted(listed), 0
    tops, faults = list[tuple[Any, ...]](), list[str]()
    least, sizes = dict[int, int](), dict[int, int]()
    for top in sorted(listed, key=int.bit_count, reverse=True):
        if top in sizes:
            continue
        met, more = within(order, top)
        steps += more + len(met) * top.bit_count()
        if steps > MOST_STEPS or len(least) * (len(labels) + OVERHEAD) > LARGEST * 64:
            raise InputError(TANGLED)
        met.sort(key=int.bit_count, reverse=True)
        counts, stands = _cells(met, listed, least, claims["kind"]) or ([0] * len(met), [0] * len(met))
        sizes |= zip(met, stands, strict=True)
        cells = [(rows, mask) for rows, mask in zip(counts, met, strict=True) if rows] or [(0, 0)]
        rows, rarest = min(cells)
        names, held = (sorted(labels[bit] for bit in _bits(mask)) for mask in (top, rarest))
        tops.append((listed[top], len(cells), rows, *names))
        if not rows:
            faults.append(f"an itemset within {names!r:.99} is missing, or their supports are those of no rows")
        elif rows < claims["k"]:
            faults.append(f"{rows} rows hold {held!r:.99} and nothing else of {names!r:.99}: fewer than k")
    if claims["min_support"] == 1 and claims["is_whole"]:
        faults += _told_by_absence(order, listed, labels, claims["k"])
    return tops, sum(sizes.values()), faults


def _told_by_absence(order: list[int], listed: dict[int, int], labels: dict[int, str], k: int) -> Iterator[str]:
    """Yield which rows are too few where what is missing is held by none: the cells of all items are the rows."""
    rows, steps = {**listed}, 0
    for mask in sorted(listed, key=int.bit_count, reverse=True):
        if few := rows[mask]:
            met, more = within(order, mask)
            if (steps := steps + more) > MOST_STEPS:
                raise InputError(TANGLED)
            rows |= {one: rows[one] - few for one in met}
        if few and few < k:
            names = sorted(labels[bit] for bit in _bits(mask))
            yield f"{few} rows hold {names!r:.99} and nothing else, as min_support is 1: fewer than k"


def _cells(
    met: list[int], listed: dict[int, int], least: dict[int, int], kind: str
) -> tuple[list[int], list[int]] | None:
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
    items = [*_bits(met[0])]
    masks = [sum([1 << at for at, item in enumerate(items) if mask & item]) for mask in met]
    columns, above, those, own = [0] * len(items), list[int](), dict[int, int](), list[int]()
    for number, mask in enumerate(masks):
        over = reduce(int.__and__, [columns[at] for at in range(len(items)) if mask >> at & 1], (1 << len(own)) - 1)
        if over in those:
            bit = 1 << len(own)
            columns = [column | bit * (mask >> at & 1) for at, column in enumerate(columns)]
            own.append(number)
            over |= bit
        above.append(over)
        those[over] = number
    bottom = those.get((1 << len(own)) - 1, -1)
    if bottom < 0 or least.setdefault(0, met[bottom]) != met[bottom]:
        return None
    rows, sizes = [listed[mask] for mask in met], [0] * len(met)
    sizes[bottom] = 1
    for at, column in enumerate(columns):
        bit, item = 1 << at, items[at]
        for number, mask in enumerate(masks):
            if mask & bit:
                sizes[number] *= 2
                continue
            to = those.get(above[number] & column, number)
            closed = masks[to]
            if closed != mask | bit and (not closed & bit or least.setdefault(met[number] | item, met[to]) != met[to]):
                return None
            sizes[to] += sizes[number]
            if not (closed ^ mask) & (bit - 1):
                rows[number] -= rows[to]
    is_whole = min(map(rows.__getitem__, own), default=1) > 0 if kind == "closed" else len(met) == 1 << len(items)
    return (rows, sizes) if is_whole and min(rows) >= 0 else None
