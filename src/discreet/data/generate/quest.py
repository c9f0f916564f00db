"""Quest: market baskets, drawn as Agrawal and Srikant published it (VLDB 1994, section on synthetic data)."""

import math
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from discreet.data.generate.parameters import BasketOptions, Baskets, generator, whole
from discreet.data.transactions import Transactions
from discreet.errors import ThresholdError

BLOCK: Final = 1 << 14
"""How many itemsets are drawn at a time. Another number gives other rows from the same seed."""


def quest(n: int = 100_000, *, seed: int = 0, **options: Unpack[BasketOptions]) -> Transactions:
    """Return ``n`` market baskets over the items 0, 1, …; the defaults are T10.I4.D100K of the paper.

    D is ``n``. The ``options`` are T ``length`` (10), I ``pattern_length`` (4), N ``items`` (1000), L ``patterns``
    (2000), ``correlation`` (0.5), ``corruption`` (0.5) and ``corruption_variance`` (0.1). Where the paper leaves a
    choice: a size of 0 is taken as 1; the share of items kept from the itemset before is at most 1 and rounded to whole
    items; a corruption level lies between 0 and 1; and a row that is still empty takes the itemset on hand whatever its
    size, so that no row is empty. The items of a row are a set: one that comes twice counts once.

    >>> rows = quest(1000, length=5, pattern_length=2, seed=7)
    >>> len(rows), rows == quest(1000, length=5, pattern_length=2, seed=7)
    (1000, True)
    """
    count, draw, baskets = whole("n", n), generator(seed), Baskets.of(**options)
    return drawn_rows(draw, drawn_source(draw, baskets), baskets.length, count)


def drawn_source(draw: np.random.Generator, baskets: Baskets) -> "Source":
    """Return what rows are made of: the first that is drawn."""
    sizes = np.minimum(_sizes(draw, baskets.pattern_length, baskets.patterns), baskets.items)
    itemsets = _large_itemsets(draw, sizes, baskets.items, baskets.correlation)
    return _source(draw, itemsets, baskets.corruption, baskets.corruption_variance)


def drawn_rows(draw: np.random.Generator, source: "Source", length: float, count: int) -> Transactions:
    """Return so many rows from a source, of ``length`` items on average."""
    return _rows(draw, source, _sizes(draw, length, count))


class Source(NamedTuple):
    """The potentially large itemsets: itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``.

    ``bounds[i]`` is the chance that one of the itemsets up to ``i`` is picked, ``levels[i]`` how likely ``i`` is to
    lose an item, then another, and so on.
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    bounds: NDArray[np.float64]
    levels: NDArray[np.float64]


def _sizes(draw: np.random.Generator, mean: float, count: int) -> NDArray[np.int64]:
    return np.maximum(1, draw.poisson(mean, count))


def _large_itemsets(
    draw: np.random.Generator, sizes: NDArray[np.int64], items: int, correlation: float
) -> list[list[int]]:
    """Return itemsets of these sizes, each of which shares some items with the one before."""
    shares = np.minimum(1, correlation * draw.standard_exponential(sizes.size))
    common = np.floor(shares * sizes + 0.5).astype(np.int64)
    itemsets: list[list[int]] = [[]]
    for size, kept in zip(sizes.tolist(), common.tolist(), strict=True):
        itemset = dict.fromkeys(draw.permutation(itemsets[-1])[:kept].astype(int).tolist())
        while len(itemset) < size:
            itemset[int(draw.integers(items))] = None
        itemsets.append(list(itemset))
    return itemsets[1:]


def _source(
    draw: np.random.Generator, itemsets: list[list[int]], corruption: float, corruption_variance: float
) -> Source:
    """Return the itemsets with a weight and a corruption level each."""
    bounds = np.cumsum(draw.standard_exponential(len(itemsets)))
    levels = np.clip(draw.normal(corruption, math.sqrt(corruption_variance), len(itemsets)), 0, 1)
    if levels.min() == 1:
        raise ThresholdError(
            f"all of the {len(itemsets)} itemsets have corruption level 1 and lose every item; give a lower corruption"
        )
    offsets = np.cumsum([0, *map(len, itemsets)], dtype=np.int64)
    items = np.fromiter((item for itemset in itemsets for item in itemset), np.int32, int(offsets[-1]))
    return Source(offsets, items, bounds / bounds[-1], levels)


def _rows(draw: np.random.Generator, source: Source, lengths: NDArray[np.int64]) -> Transactions:
    """Return rows of about these lengths, filled with itemsets from the source."""
    blocks: list[NDArray[np.int32]] = []

    def stream() -> Iterator[tuple[int, bool]]:
        while True:
            kept, items = _block(draw, source)
            blocks.append(items)
            yield from zip(kept.tolist(), (draw.random(kept.size) < 0.5).tolist(), strict=True)  # noqa: PLR2004 - half

    taken = _deal(stream(), lengths.tolist())
    offsets = np.cumsum([0, *taken], dtype=np.int64)
    used, items = np.unique(np.concatenate([*blocks, np.empty(0, np.int32)])[: offsets[-1]], return_inverse=True)
    return Transactions.from_codes(offsets, items.astype(np.int32), used.tolist())


def _block(draw: np.random.Generator, source: Source) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return what is left of itemsets picked by weight: the size of each, and all their items in a row.

    An itemset loses at least j items with chance level ** j; which ones is left to chance.
    """
    picked = np.searchsorted(source.bounds, draw.random(BLOCK), side="right")
    sizes = np.diff(source.offsets)[picked]
    levels, luck = source.levels[picked], draw.random(BLOCK)
    kept, chance = sizes.copy(), levels.copy()
    while (loses := (kept > 0) & (luck < chance)).any():
        kept -= loses
        chance *= levels
    starts = np.cumsum(sizes) - sizes
    place = np.arange(sizes.sum()) - np.repeat(starts, sizes)
    shuffled = np.lexsort((draw.random(place.size), np.repeat(np.arange(BLOCK), sizes)))
    at = (np.repeat(source.offsets[picked], sizes) + place)[shuffled]
    return kept, source.items[at[place < np.repeat(kept, sizes)]]


def _deal(stream: Iterable[tuple[int, bool]], lengths: Iterable[int]) -> list[int]:
    """Return how many items of the stream each row takes: itemsets are whole, and come in order.

    An itemset that does not fit goes in anyway if its coin says so, else into the next row.

    >>> _deal([(3, False), (2, True), (2, False), (1, False), (1, True)], [4, 3])
    [5, 3]
    """
    itemsets = iter(stream)
    taken = []
    size, anyway = 0, True
    for length in lengths:
        total = 0
        while total < length and (anyway or total == 0 or total + size <= length):
            total += size
            size, anyway = next(itemsets)
        taken.append(total)
    return taken
