"""Recount the cells of a release: how many rows hold exactly these items of a maximal itemset.

Itemsets are whole numbers here, masks with a bit for each item.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple, Self, TypeAlias
from unicodedata import combining, normalize

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.errors import InputError

Json: TypeAlias = dict[str, Any]
Pairs: TypeAlias = list[tuple[Any, Any]]
MOST_BITS: Final = 1 << 32  # half a gibibyte
OVERHEAD: Final = 1024  # bits of memory that a mask takes beside its own
MOST_ROWS: Final = 10**12  # times MOST_VALUES, they fit in 64 bits
MOST_STEPS: Final = 1 << 30  # about ten minutes
SLOW: Final = 1 << 12  # bits of masks that take one step more
FEW: Final = 1 << 9  # items up to which masks are sums of powers of 2, which is quick
SHORT: Final = 1 << 64  # masks below are quick to change
NONZERO: Final = re.compile(rb"[^\0]")
# Characters without a width that Python calls printable: joiners, fillers, variation selectors.
INVISIBLE: Final = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0000-\U000e0fff]")
TWICE: Final = "is listed twice, or holds an item twice"
TANGLED: Final = "the itemsets overlap in too many ways to check; release them at a higher minimum support"


class Budget:
    """How many steps were taken; whoever takes too many is refused."""

    steps = 0

    def take(self, steps: int) -> None:
        """Take so many more."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise InputError(TANGLED)


class Masks(NamedTuple):
    """Itemsets as masks, in order, and as words of 64 bits; their supports and lengths; and the label of each bit."""

    masks: list[int]
    maps: NDArray[np.uint64]
    supports: NDArray[np.int64]
    lengths: NDArray[np.int64]
    labels: list[str]

    @classmethod
    def of(cls, masks: list[int], supports: list[int], labels: list[str]) -> Self:
        """Return these itemsets, which must be in order."""
        width = 8 * (len(labels) // 64 + 1)
        words = np.frombuffer(b"".join(mask.to_bytes(width, "little") for mask in masks), "<u8")
        maps = words.astype(np.uint64).reshape(len(masks), -1)
        lengths = np.bitwise_count(maps).sum(axis=1, dtype=np.int64)
        return cls(masks, maps, np.array(supports, np.int64), lengths, labels)

    def name(self, mask: int) -> list[str]:
        """Return the labels of a mask."""
        return sorted(self.labels[bit] for bit in _bits(mask))

    def walk(self) -> list[int]:
        """Return the numbers of the masks, those of the largest first."""
        order: list[int] = np.argsort(-self.lengths, kind="stable").tolist()
        return order

    def find_subsets(self, number: int, budget: Budget) -> NDArray[np.int64]:
        """Return the numbers of the subsets of a mask, in order."""
        inside: NDArray[np.int64]
        inside, steps = kernels.recount.find_subsets(self.maps, self.maps[number])
        steps += inside.size * int(self.lengths[number])
        budget.take(steps * (1 + (len(self.labels) + inside.size) // SLOW))
        return inside


def code_itemsets(pairs: Pairs, claims: Json) -> Masks:
    """Return the itemsets of a list as masks; the most frequent items have the lowest bits."""
    if not pairs:
        raise InputError("nothing is listed; even n must not be published then, since it may be less than k")
    _check_types(pairs)
    frequencies = Counter(item for items, _ in pairs for item in items)
    bits = {item: at for at, (item, _) in enumerate(frequencies.most_common())}
    labels = [*map(str, bits)]
    _check_labels(labels)
    if claims["n"] > MOST_ROWS:
        raise InputError(f"more than {MOST_ROWS:,} rows are too many to check")
    if len(pairs) * (len(bits) + OVERHEAD) > MOST_BITS:
        raise InputError(f"{len(pairs):,} itemsets of {len(bits):,} items are too many to check")
    listed, powers = list[tuple[int, int]](), {item: 1 << at for item, at in bits.items()} if len(bits) <= FEW else {}
    for items, support in pairs:
        # A sum of powers of 2 is their mask; if one comes twice, it has fewer bits, and is refused below.
        mask = sum(map(powers.__getitem__, items)) if powers else _mask([bits[item] for item in items])
        listed.append((mask, support))
        if listed[-1][0].bit_count() < len(items):
            raise InputError(f"{items!r:.99} {TWICE}")
        if not claims["min_support"] <= support <= claims["n"]:
            raise InputError(f"{items!r:.99} has support {support}, which is not between min_support and n")
    listed.sort()
    for (one, _), (other, _) in pairwise(listed):
        if one == other:
            raise InputError(f"{[labels[at] for at in _bits(one)]!r:.99} {TWICE}")
    return Masks.of([mask for mask, _ in listed], [support for _, support in listed], labels)


def _check_types(pairs: Pairs) -> None:
    for items, support in pairs:
        if type(items) is not list or type(support) is not int or not {*map(type, items)} <= {str, int}:
            raise TypeError


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

    The tuple holds the support, the number of cells, the smallest cell, and the labels. A cell is the number of rows
    that hold exactly an itemset of those within a top; its class size counts the itemsets, listed or not, whose closure
    it is. Each itemset must be the intersection of those in ``own`` that contain it: the itemsets that larger ones do
    not distinguish. Then the intersection of all that contain an itemset and one more item is their closure, or it
    is missing. If none is missing, and ``closures`` agree under every top, adding item by item leads from the bottom to
    the closure of any items, such as the intersection of two listed itemsets. These two contain it, so it equals that
    intersection, which is listed.

    First the rows of an itemset are all who hold it. Then, item by item, it loses those who hold the item as well:
    these hold the closure with it, which has lost its other rows already. The closed itemsets of rows are the
    intersections of their cells, so those in ``own`` must be cells.
    """
    tops, faults, frequent, is_closed = list[tuple[Any, ...]](), list[str](), 0, claims["kind"] == "closed"
    is_seen, bottoms, budget = np.zeros(len(listed.masks), bool), set[int](), Budget()
    closures = np.zeros((1 << 10, 2), np.int64), 0
    for number in listed.walk():
        if is_seen[number]:
            continue
        inside, names = listed.find_subsets(number, budget), listed.name(listed.masks[number])
        order = inside[np.argsort(-listed.lengths[inside], kind="stable")]
        items = np.array(_bits(listed.masks[number]), np.int64)
        fits, rows, sizes, bottom, closures = kernels.recount.count_cells(
            listed.maps, listed.supports, order, items, closures, (int(is_closed), MOST_BITS)
        )
        if fits == kernels.recount.TOO_LARGE:
            raise InputError(TANGLED)
        bottoms.add(bottom)
        is_whole = is_closed or order.size == 1 << items.size
        is_good = fits == kernels.recount.FITS and len(bottoms) == 1 and is_whole
        cells = rows[rows > 0] if is_good else np.zeros(1, np.int64)
        few = int(cells.min())
        tops.append((int(listed.supports[number]), cells.size, few, *names))
        if not few:
            faults.append(f"an itemset within {names!r:.99} is missing, or no rows have these supports")
        elif few < claims["k"]:
            base = listed.name(listed.masks[order[rows == few].min()])
            faults.append(f"{few} rows hold {base!r:.99} and nothing else of {names!r:.99}: fewer than k")
        digits = sizes[~is_seen[order]].sum(axis=0).tolist()
        frequent += sum(digit << 32 * at for at, digit in enumerate(digits))
        is_seen[inside] = True
    if claims["min_support"] == 1 and claims["is_whole"]:
        faults += _find_rare_rows(listed, claims["k"])
    return tops, frequent, faults


def check_rounded(listed: Masks, claims: Json) -> tuple[list[tuple[Any, ...]], int, list[str]]:
    """Return no cells, the number of itemsets, and the faults of supports that were rounded to multiples of a number.

    Each part of an itemset must be listed, and have no smaller support. A support was up to half the number more or
    less before it was rounded, so that a difference of two was up to twice as much more or less.
    """
    unit, k, faults = claims["rounded_to"], claims["k"], list[str]()
    off, supports = 2 * (unit // 2), dict(zip(listed.masks, listed.supports.tolist(), strict=True))
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
    rows, budget = listed.supports.copy(), Budget()
    for number in listed.walk():
        if few := int(rows[number]):
            rows[listed.find_subsets(number, budget)] -= few
        if 0 != few < k:
            names = listed.name(listed.masks[number])
            yield f"{few} rows hold {names!r:.99} and nothing else, as min_support is 1: fewer than k"


def _bits(mask: int) -> list[int]:
    """Return the places of the bits of a mask, the lowest first."""
    bits = list[int]()
    if mask >= SHORT:
        for byte in NONZERO.finditer(mask.to_bytes(mask.bit_length() // 8 + 1, "little")):
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
