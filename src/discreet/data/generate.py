"""Synthetic rows, the same for the same seed: market baskets (quest) and patients (clinic)."""

import math
import numbers
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Items, Itemsets, offsets_of, sort_labels
from discreet.data.transactions import Transactions
from discreet.errors import ThresholdError
from discreet.runtime.solver import Numbers
from discreet.runtime.text import abbreviate

BLOCK: Final = 1 << 14  # how many itemsets are drawn at a time. Another number gives other rows from the same seed.
LARGEST: Final = 2**31 - 1  # item codes are 32-bit integers inside


def check_whole(name: str, value: int, *, least: int = 0) -> int:
    """Return ``value`` if it is an integer of at least ``least``."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not least <= value <= LARGEST:
        raise ThresholdError(f"{name} is {abbreviate(value)}; it must be an integer from {least} to {LARGEST}")
    return int(value)


def check_real(name: str, value: float, *, least: float, most: float) -> float:
    """Return ``value`` if it is a number from ``least`` to ``most``."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not least <= value <= most:
        raise ThresholdError(f"{name} is {abbreviate(value)}; it must be a number from {least} to {most}")
    return float(value)


def make_generator(seed: int) -> "np.random.Generator":
    """Return the random numbers that ``seed`` stands for, the same on every machine."""
    return np.random.Generator(np.random.PCG64(check_whole("seed", seed)))


class BasketOptions(TypedDict, total=False):
    """The options of market baskets, as ``Baskets`` describes them."""

    length: float
    pattern_length: float
    items: int
    patterns: int
    correlation: float
    corruption: float
    corruption_variance: float


@dataclass(frozen=True)
class Baskets:
    """How market baskets are drawn; the defaults are T10.I4 of the paper.

    A row has ``length`` items (T) on average, out of ``items`` (N). It is made of ``patterns`` (L), itemsets of
    ``pattern_length`` items (I) on average. ``correlation`` is the share that a pattern takes over from the one before,
    ``corruption`` the share that it loses in a row, and ``corruption_variance`` how much that varies between patterns.
    """

    length: float = 10
    pattern_length: float = 4
    items: int = 1000
    patterns: int = 2000
    correlation: float = 0.5
    corruption: float = 0.5
    corruption_variance: float = 0.1

    def __post_init__(self) -> None:
        """Refuse options that are out of range."""
        items = check_whole("items", self.items, least=1)
        check_whole("patterns", self.patterns, least=1)
        limits = {"length": (1, items), "pattern_length": (1, items)}
        for name in ("length", "pattern_length", "correlation", "corruption", "corruption_variance"):
            least, most = limits.get(name, (0, 1))
            object.__setattr__(self, name, check_real(name, getattr(self, name), least=least, most=most))


def quest(n: int = 100_000, *, seed: int = 1, **options: Unpack[BasketOptions]) -> Transactions:
    """Return ``n`` market baskets over the items 0, 1, …; the defaults are T10.I4.D100K of the paper.

    D is ``n``. The ``options`` are T ``length`` (10), I ``pattern_length`` (4), N ``items`` (1000), L ``patterns``
    (2000), ``correlation`` (0.5), ``corruption`` (0.5) and ``corruption_variance`` (0.1). Where the paper leaves a
    choice: a size of 0 becomes 1; the share kept from the itemset before is at most 1, rounded to whole items; a
    corruption level lies between 0 and 1; an empty row takes the next itemset whatever its size, so no row is empty.

    >>> rows = quest(1000, length=5, pattern_length=2, seed=7)
    >>> len(rows), rows == quest(1000, length=5, pattern_length=2, seed=7)
    (1000, True)
    """
    count, draw, baskets = check_whole("n", n), make_generator(seed), Baskets(**options)
    return draw_rows(draw, draw_source(draw, baskets), baskets.length, count)


def draw_source(draw: "np.random.Generator", baskets: Baskets) -> "Source":
    """Return the itemsets that rows are made of; they are drawn before the rows."""
    sizes = np.minimum(_sizes(draw, baskets.pattern_length, baskets.patterns), baskets.items)
    itemsets = _large_itemsets(draw, sizes, baskets.items, baskets.correlation)
    return _source(draw, itemsets, baskets.corruption, baskets.corruption_variance)


class Source(NamedTuple):
    """The potentially large itemsets."""

    itemsets: Itemsets
    bounds: NDArray[np.float64]  # the chance that one of the itemsets up to this one is picked
    levels: NDArray[np.float64]  # the chance that an itemset loses an item, then another, and so on


def _sizes(draw: "np.random.Generator", mean: float, count: int) -> Numbers:
    return np.maximum(1, draw.poisson(mean, count))


def _large_itemsets(draw: "np.random.Generator", sizes: Numbers, items: int, correlation: float) -> list[list[int]]:
    """Return itemsets of these sizes; each shares some items with the one before."""
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
    draw: "np.random.Generator", itemsets: list[list[int]], corruption: float, corruption_variance: float
) -> Source:
    """Return the itemsets with a weight and a corruption level each."""
    bounds = np.cumsum(draw.standard_exponential(len(itemsets)))
    levels = np.clip(draw.normal(corruption, math.sqrt(corruption_variance), len(itemsets)), 0, 1)
    if levels.min() == 1:
        flaw = f"all of the {len(itemsets)} itemsets have corruption level 1 and lose every item"
        raise ThresholdError(f"{flaw}; give a lower corruption")
    return Source(Itemsets.of(itemsets), bounds / bounds[-1], levels)


def draw_rows(draw: "np.random.Generator", source: Source, length: float, count: int) -> Transactions:
    """Return so many rows from a source, of ``length`` items on average."""
    lengths = _sizes(draw, length, count)
    blocks: list[Items] = []

    def stream() -> Iterator[tuple[int, bool]]:
        while True:
            kept, items = _block(draw, source)
            blocks.append(items)
            yield from zip(kept.tolist(), (draw.random(kept.size) < 0.5).tolist(), strict=True)  # noqa: PLR2004 - half

    taken = _deal(stream(), lengths.tolist())
    offsets = offsets_of(taken)
    used, items = np.unique(np.concatenate([*blocks, np.empty(0, np.int32)])[: offsets[-1]], return_inverse=True)
    return Transactions.from_codes(offsets, items.astype(np.int32), used.tolist())


def _block(draw: "np.random.Generator", source: Source) -> tuple[Numbers, Items]:
    """Pick itemsets by weight; each loses j items or more with chance level ** j. Return their sizes and items."""
    picked = np.searchsorted(source.bounds, draw.random(BLOCK), side="right")
    sizes = source.itemsets.lengths[picked]
    levels, luck = source.levels[picked], draw.random(BLOCK)
    kept, chance = sizes.copy(), levels.copy()
    while (loses := (kept > 0) & (luck < chance)).any():
        kept -= loses
        chance *= levels
    place = np.arange(sizes.sum()) - np.repeat(offsets_of(sizes)[:-1], sizes)
    shuffled = np.lexsort((draw.random(place.size), np.repeat(np.arange(BLOCK), sizes)))
    at = (np.repeat(source.itemsets.offsets[picked], sizes) + place)[shuffled]
    return kept, source.itemsets.items[at[place < np.repeat(kept, sizes)]]


def _deal(stream: Iterable[tuple[int, bool]], lengths: Iterable[int]) -> list[int]:
    """Return how many items of the stream each row takes: itemsets are whole, and come in order.

    An itemset that does not fit goes in anyway if its coin says so, else into the next row.
    """
    itemsets, taken = iter(stream), []
    size, anyway = 0, True
    for length in lengths:
        total = 0
        while total < length and (anyway or total == 0 or total + size <= length):
            total += size
            size, anyway = next(itemsets)
        taken.append(total)
    return taken


class Entry(NamedTuple):
    """An entry in a patient's file: it has the chance ``alone``, and a further chance with each cause."""

    label: str
    alone: float
    causes: Mapping[str, float]


ONE_OF: Final[tuple[Mapping[str, float], ...]] = (
    {"female": 0.53, "male": 0.47},
    {"age 18-29": 0.1, "age 30-39": 0.11, "age 40-49": 0.14, "age 50-59": 0.18}
    | {"age 60-69": 0.2, "age 70-79": 0.16, "age 80+": 0.11},
    {"never smoked": 0.55, "former smoker": 0.27, "smoker": 0.18},
)
# Each patient has one of each, with these chances.

ENTRIES: Final = (
    Entry("obesity", 0.2, {"age 50-59": 0.12, "age 60-69": 0.12}),
    Entry(
        "hypertension", 0.04, {"age 50-59": 0.25, "age 60-69": 0.45, "age 70-79": 0.6, "age 80+": 0.65, "obesity": 0.35}
    ),
    Entry("diabetes type 2", 0.03, {"age 60-69": 0.18, "age 70-79": 0.24, "age 80+": 0.22, "obesity": 0.35}),
    Entry("diabetes type 1", 0.006, {}),
    Entry("asthma", 0.1, {"age 18-29": 0.05}),
    Entry("COPD", 0.003, {"smoker": 0.16, "former smoker": 0.09, "age 70-79": 0.03}),
    Entry("coronary heart disease", 0.004, {"age 70-79": 0.1, "age 80+": 0.15, "smoker": 0.05, "hypertension": 0.1}),
    Entry("atrial fibrillation", 0.004, {"age 70-79": 0.07, "age 80+": 0.16, "coronary heart disease": 0.08}),
    Entry("depression", 0.1, {"female": 0.05, "COPD": 0.1}),
    Entry("hypothyroidism", 0.01, {"female": 0.07}),
    Entry("HIV", 0.004, {}),
    Entry("epilepsy", 0.008, {}),
    Entry("HbA1c high", 0.004, {"diabetes type 2": 0.93, "diabetes type 1": 0.95}),
    Entry("LDL high", 0.12, {"obesity": 0.2, "diabetes type 2": 0.35, "age 60-69": 0.15}),
    Entry("blood pressure high", 0.01, {"hypertension": 0.6}),
    Entry("eGFR low", 0.004, {"diabetes type 2": 0.12, "age 80+": 0.25, "hypertension": 0.05}),
    Entry("TSH high", 0.003, {"hypothyroidism": 0.6}),
    Entry("metformin", 0.004, {"diabetes type 2": 0.88}),
    Entry("insulin", 0.0, {"diabetes type 1": 0.99, "diabetes type 2": 0.15}),
    Entry("ramipril", 0.002, {"hypertension": 0.62, "coronary heart disease": 0.3}),
    Entry("amlodipine", 0.001, {"hypertension": 0.32}),
    Entry("atorvastatin", 0.004, {"LDL high": 0.5, "coronary heart disease": 0.75, "diabetes type 2": 0.3}),
    Entry("aspirin", 0.01, {"coronary heart disease": 0.8}),
    Entry("apixaban", 0.001, {"atrial fibrillation": 0.85}),
    Entry("salbutamol", 0.003, {"asthma": 0.95, "COPD": 0.9}),
    Entry("sertraline", 0.003, {"depression": 0.85}),
    Entry("levothyroxine", 0.001, {"hypothyroidism": 0.95}),
    Entry("dolutegravir", 0.0, {"HIV": 0.97}),
    Entry("levetiracetam", 0.0, {"epilepsy": 0.7}),
)
# Causes come before their effects. Drugs without their diagnosis are rare, not absent.


def clinic(n: int = 1000, *, seed: int = 1) -> Transactions:
    """Return ``n`` invented patients: sex, age, smoking, diagnoses, measurements, drugs.

    Drugs follow diagnoses, and diagnoses follow age and one another, but a few patients fall out of line: itemsets
    that hundreds of patients share then differ by a handful. The chances are made up and no medical advice.

    >>> patients = clinic(2000)
    >>> patients.support(["amlodipine"]), patients.support(["amlodipine", "hypertension"])
    (257, 255)
    """
    return _draw_entries(n, seed, "patient", ENTRIES, ONE_OF)


GOODS: Final = (
    Entry("bread", 0.42, {}),
    Entry("milk", 0.3, {"bread": 0.15}),
    Entry("butter", 0.05, {"bread": 0.25}),
    Entry("eggs", 0.16, {"milk": 0.1}),
    Entry("apples", 0.22, {}),
    Entry("bananas", 0.2, {"apples": 0.15}),
    Entry("tomatoes", 0.2, {}),
    Entry("mozzarella", 0.03, {"tomatoes": 0.3}),
    Entry("pasta", 0.1, {"tomatoes": 0.2}),
    Entry("olive oil", 0.03, {"pasta": 0.15, "mozzarella": 0.1}),
    Entry("coffee", 0.18, {"milk": 0.06}),
    Entry("tea", 0.09, {}),
    Entry("beer", 0.14, {}),
    Entry("crisps", 0.05, {"beer": 0.35}),
    Entry("red wine", 0.08, {"pasta": 0.12}),
    Entry("cheese", 0.12, {"bread": 0.08, "red wine": 0.3}),
    Entry("nappies", 0.06, {}),
    Entry("baby food", 0.004, {"nappies": 0.55}),
    Entry("wet wipes", 0.02, {"nappies": 0.6}),
    Entry("cat food", 0.07, {}),
    Entry("cat litter", 0.001, {"cat food": 0.45}),
    Entry("pregnancy test", 0.003, {}),
    Entry("folic acid", 0.002, {"pregnancy test": 0.4}),
    Entry("nicotine patches", 0.004, {"coffee": 0.01}),
)
# Things that are bought together; a few baskets fall out of line.


def supermarket(n: int = 5000, *, seed: int = 1) -> Transactions:
    """Return ``n`` invented baskets of a supermarket, empty ones among them.

    >>> baskets = supermarket(5000)
    >>> baskets.support(["baby food"]), baskets.support(["baby food", "nappies"])
    (204, 180)
    """
    return _draw_entries(n, seed, "basket", GOODS)


def _draw_entries(
    n: int, seed: int, noun: str, entries: Iterable[Entry], one_of: Iterable[Mapping[str, float]] = ()
) -> Transactions:
    """Return ``n`` rows: each has one label of each choice, and entries by their chances."""
    count, draw = check_whole("n", n), make_generator(seed)
    has: dict[str, NDArray[np.bool_]] = {}
    for chances in one_of:
        choice = np.searchsorted(np.cumsum(list(chances.values()))[:-1], draw.random(count), side="right")
        has.update((label, choice == number) for number, label in enumerate(chances))
    for entry in entries:
        has[entry.label] = draw.random(count) < _chance(entry, has, count)
    labels, width = sort_labels(has), max(4, len(str(count)))
    table = np.column_stack([has[str(label)] for label in labels])
    items = np.nonzero(table)[1].astype(np.int32)
    ids = tuple(f"{noun} {number:0{width}}" for number in range(1, count + 1))
    return Transactions.from_codes(offsets_of(table.sum(axis=1)), items, labels, ids=ids)


def _chance(entry: Entry, has: Mapping[str, NDArray[np.bool_]], count: int) -> NDArray[np.float64]:
    """Return the chance of the entry for each row: that not every cause fails (a noisy or)."""
    none = np.full(count, 1 - entry.alone)
    for cause, chance in entry.causes.items():
        none[has[cause]] *= 1 - chance
    return 1 - none
