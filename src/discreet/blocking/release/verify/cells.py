"""Cells: how many rows hold just these of the items of a maximal itemset, counted from the supports of a list."""

from collections.abc import Iterator
from functools import reduce
from typing import Any, Final

from discreet.blocking.release.verify.masks import MOST_BITS, OVERHEAD, Listed, bits_of, key, mask_of, within
from discreet.blocking.release.verify.reading import Told
from discreet.errors import InputError

MOST_STEPS: Final = 1 << 30
"""About ten minutes."""
SLOW: Final = 1 << 12
"""Bits of masks that take one step more."""
TANGLED: Final = (
    "the itemsets lie within each other in too many ways to be checked; release them at a higher minimum support"
)


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
        names, held = (sorted(labels[bit] for bit in bits_of(mask)) for mask in (top, rarest))
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
            names = sorted(listed.labels[bit] for bit in bits_of(listed.masks[number]))
            yield f"{few} rows hold {names!r:.99} and nothing else, as min_support is 1: fewer than k"


def _told_apart(masks: list[int], width: int) -> tuple[list[int], list[int], dict[bytes, int], list[int]]:
    """Return which of ``own`` hold each item and each mask, the mask that is known by these, and ``own`` itself."""
    columns, above, those, own = [0] * width, list[int](), dict[bytes, int](), list[int]()
    for number, mask in enumerate(masks):
        over = reduce(int.__and__, [columns[at] for at in bits_of(mask)], (1 << len(own)) - 1)
        if key(over) in those:
            bit = 1 << len(own)
            for at in bits_of(mask):
                columns[at] |= bit
            own.append(number)
            over |= bit
        above.append(over)
        those[key(over)] = number
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
    items = [*bits_of(met[0])]
    places = dict(zip(items, range(len(items)), strict=True))
    masks = [mask_of(places[item] for item in bits_of(mask)) for mask in met]
    columns, above, those, own = _told_apart(masks, len(items))
    bottom = those.get(key((1 << len(own)) - 1), -1)
    if bottom < 0 or least.setdefault(key(0), met[bottom]) != met[bottom]:
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
            to = those.get(key(above[number] & column), number)
            closed, whole = masks[to], met[to]
            if closed != mask | bit and (not closed & bit or least.setdefault(key(met[number] | item), whole) != whole):
                return None
            sizes[to] += sizes[number]
            if not (closed ^ mask) & (bit - 1):
                rows[number] -= rows[to]
    is_whole = min(map(rows.__getitem__, own), default=1) > 0 if kind == "closed" else len(met) == 1 << len(items)
    return (rows, sizes) if is_whole and min(rows) >= 0 else None
