"""Worlds: databases drawn in several ways, their releases, and what readers with a prior believe of them."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from forecasts import Forecasts
from numpy.typing import NDArray

from discreet import belief, mine
from discreet.data.generate import clinic
from discreet.disclosure.beliefs.tables import Prior

Table: TypeAlias = NDArray[np.int64]  # the number of rows of each kind; bit i of a kind is item i
Draw: TypeAlias = Callable[[np.random.Generator, int, int], Table]

LETTERS: Final = "abcdefgh"
ROWS: Final = (20, 60)
K: Final = (3, 5)
SECONDS: Final = 600.0  # never needed: time must not decide what is looked at
LIMIT: Final = 10**9
PATIENTS: Final = 5000
COMMON: Final = 0.2  # share of patients that hold an item of theirs


def draw_rows(random: np.random.Generator, n: int, items: int) -> Table:
    """Return one of all lists of ``n`` rows, each as likely as any other: the prior "entropy".

    >>> draw_rows(np.random.default_rng(1), 10, 2).tolist()
    [3, 2, 1, 4]
    """
    return np.bincount(random.integers(0, 1 << items, n), minlength=1 << items)


def draw_table(random: np.random.Generator, n: int, items: int) -> Table:
    """Return one of all tables of counts with ``n`` rows, each as likely as any other: the prior "uniform".

    Bars among ``n`` stars divide them into kinds.

    >>> draw_table(np.random.default_rng(1), 10, 2).tolist()
    [5, 0, 2, 3]
    """
    bars = np.sort(random.choice(n + (1 << items) - 1, (1 << items) - 1, replace=False))
    return np.diff(bars, prepend=-1, append=n + (1 << items) - 1) - 1


def draw_independent(random: np.random.Generator, n: int, items: int) -> Table:
    """Return rows that hold each item with its own chance, whatever else they hold.

    >>> draw_independent(np.random.default_rng(1), 10, 2).sum()
    np.int64(10)
    """
    is_held = random.random((n, items)) < random.uniform(0.2, 0.9, items)
    return np.bincount(is_held @ (1 << np.arange(items)), minlength=1 << items)


def draw_patients(random: np.random.Generator, n: int, items: int) -> Table:
    """Return some patients of a generated clinic, and some of the common items of theirs.

    >>> draw_patients(np.random.default_rng(1), 10, 2).sum()
    np.int64(10)
    """
    is_held = _list_patients()
    chosen = is_held[random.choice(len(is_held), n, replace=False)][:, random.permutation(is_held.shape[1])[:items]]
    return np.bincount(chosen @ (1 << np.arange(items)), minlength=1 << items)


@cache
def _list_patients() -> NDArray[np.bool_]:
    """Return which patients hold which of the common items."""
    rows = clinic(PATIENTS, seed=7)
    is_held = np.zeros((len(rows), len(rows.labels)), dtype=np.bool_)
    for number, codes in enumerate(rows.itemsets):
        is_held[number, codes] = True
    share = is_held.mean(axis=0)
    return is_held[:, (share >= COMMON) & (share <= 1 - COMMON)]


class World(NamedTuple):
    """How databases of so many ``items`` are drawn, the prior of their readers, and how ``many`` there are."""

    draw: Draw
    prior: Prior
    items: range
    many: int


class Seen(NamedTuple):
    """Forecasts, and for each whether its pattern is about all items of the database."""

    forecasts: Forecasts
    is_whole: NDArray[np.bool_]


def look_at(world: World, seed: int) -> Seen:
    """Return what a reader believes of patterns in databases of a world, and what is true.

    Releases that lack one of the items are skipped: their readers would not know that it exists. What is skipped, and
    which patterns are listed, is decided by the release alone, so right beliefs stay right.

    >>> found = look_at(World(draw_rows, "entropy", range(2, 3), 20), 1)
    >>> found.forecasts.beliefs.size, bool(found.is_whole.all())
    (6, True)
    """
    random = np.random.default_rng(seed)
    lines = [line for number in range(world.many) for line in _look_at_one(random, world, number)]
    return Seen(Forecasts.of(line[:3] for line in lines), np.array([line[3] for line in lines], dtype=np.bool_))


def _look_at_one(random: np.random.Generator, world: World, number: int) -> Iterator[tuple[float, bool, int, bool]]:
    items = int(random.integers(world.items.start, world.items.stop))
    n, k = int(random.integers(ROWS[0], ROWS[1] + 1)), int(random.integers(K[0], K[1] + 1))
    sigma = int(random.integers(k, n // 3 + 1))
    table = world.draw(random, n, items)
    rows = [
        [LETTERS[item] for item in range(items) if kind >> item & 1] for kind in np.repeat(np.arange(table.size), table)
    ]
    patterns = mine(rows, min_support=sigma)
    if any(rows_with < sigma for rows_with in count_singles(table, items)):
        return
    kinds = np.arange(table.size)
    for one in belief(patterns, k=k, prior=world.prior, limit=LIMIT, seconds=SECONDS).patterns:
        held, lacked = (sum(1 << LETTERS.index(str(label)) for label in side) for side in (one.held, one.lacked))
        many = table[kinds & (held | lacked) == held].sum()
        yield float(one.belief), bool(0 < many < k), number, len(one.held + one.lacked) == items


def count_singles(table: Table, items: int) -> list[int]:
    """Return how many rows hold each item.

    >>> count_singles(np.array([1, 2, 3, 4]), 2)
    [6, 7]
    """
    kinds = np.arange(table.size)
    return [int(table[kinds >> item & 1 == 1].sum()) for item in range(items)]
