"""Surprise: how far the support of an itemset is from what its parts lead a reader of the rows to expect.

The parts of an itemset are its proper subsets. Given their supports, the rows that hold exactly these or those of its
items are a table with one open number: the support itself. The expected one is that of the maximum-entropy model: for
a pair, its items are independent; for more items, there is no interaction of all of them. The surprise is the signed
root of the log-likelihood ratio of the table to that model, above 0 where the support is lower than expected.
"""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Items, Itemsets
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Transactions
from discreet.disclosure.attacks.facts import Codes
from discreet.errors import BudgetError, Either, OptionError
from discreet.mining.mine import mine
from discreet.runtime.solver import Floats, Numbers
from discreet.runtime.text import abbreviate

SHORTEST: Final = 2  # an itemset of one item has no parts to expect it from
LONGEST: Final = 6  # products of 32 counts of rows fit a float
USUAL: Final = (2, 3, 4)  # the lengths that a reader looks at
LEAST: Final = 5  # no support is surprisingly low where fewer rows are expected
SHARE: Final = 1000  # by default, one row in so many is expected to hold an itemset
MOST: Final = 2_000_000  # itemsets
HALVINGS: Final = 60
DIGITS: Final = 6  # decimals of expected supports and surprises: what is equal ties, however it was added up
TRIED: Final = 64  # supports at a time, in a search for one
CHUNK: Final = 1 << 14  # tables that are worked on together


class Candidates(NamedTuple):
    """The itemsets of one length that are expected often enough, in dictionary order, a line of codes for each."""

    itemsets: Items
    supports: Numbers
    expected: Floats
    surprise: Floats

    def find(self, codes: Sequence[int]) -> int | None:
        """Return the place of an itemset, given by increasing codes; None if it is not among them."""
        places = np.flatnonzero((self.itemsets == np.array(codes, dtype=np.int32)).all(axis=1))
        return int(places[0]) if places.size else None


class _Level(NamedTuple):
    """The frequent itemsets of one length, in dictionary order.

    A key is the place of the itemset without its last item, one level below, times the number of items, plus that item.
    """

    itemsets: Items
    supports: Numbers
    keys: Numbers


def find_candidates(
    rows: Transactions,
    *,
    least: int,
    lengths: Collection[int] = USUAL,
    groups: Collection[Codes] = (),
    most: int = MOST,
) -> dict[int, Candidates]:
    """Return by length the itemsets that are expected in ``least`` rows or more, given the supports of their parts.

    No part has a lower support than what is expected of the whole, so all parts are frequent: the candidates are those
    of Apriori (Agrawal and Srikant, 1994) before it counts them. Itemsets with two items of one of the ``groups``, of
    which no row holds two, are left out.

    >>> rows = Transactions([["a", "b"]] * 2 + [["a"]] * 6 + [["b"]] * 6 + [[]] * 2)
    >>> found = find_candidates(rows, least=4)[2]
    >>> found.supports.tolist(), found.expected.tolist(), found.surprise.tolist()
    ([2], [4.0], [2.045968])
    """
    if not lengths or not len(rows):
        return {}
    levels, many = _mine_levels(rows, least, max(lengths), most), len(rows.labels)
    found: dict[int, Candidates] = {}
    for length in sorted(lengths):
        pairs = _pair(levels[0], rows.n, least, groups) if length == SHORTEST else _join(levels, length, many, most)
        _refuse_too_many(len(pairs), most)
        found[length] = _weigh(rows, levels, pairs, least)
    return found


def as_least(min_support: Threshold | None, n: int) -> int:
    """Return how many rows must be expected to hold an itemset; by default one in a thousand, but at least five.

    >>> as_least(None, 20_000), as_least(None, 100), as_least("1%", 20_000)
    (20, 5, 200)
    """
    return max(LEAST, -(-n // SHARE)) if min_support is None else as_count(min_support, n)


def as_lengths(max_length: int | None) -> tuple[int, ...]:
    """Return the lengths of itemsets that are looked at.

    >>> as_lengths(None), as_lengths(3)
    ((2, 3, 4), (2, 3))
    """
    if max_length is None:
        return USUAL
    if isinstance(max_length, bool) or not isinstance(max_length, int) or not SHORTEST <= max_length <= LONGEST:
        raise OptionError(f"max_length is {abbreviate(max_length)}; give a whole number from {SHORTEST} to {LONGEST}")
    return tuple(range(SHORTEST, max_length + 1))


def find_cells(supports: Numbers) -> Numbers:
    """Return how many rows hold exactly the items of each subset, where ``supports`` counts those that hold them all.

    A line is an itemset; bit ``i`` of a column's number says whether the subset has its item ``i``.

    >>> find_cells(np.array([[16, 8, 8, 2]])).tolist()
    [[2, 6, 6, 2]]
    """
    cells, masks = supports.copy(), np.arange(supports.shape[1])
    for bit in (1 << item for item in range(int(masks.size).bit_length() - 1)):
        without = masks[masks & bit == 0]
        cells[:, without] -= cells[:, without | bit]
    return cells


def expect(cells: Numbers) -> Floats:
    """Return the expected support of each itemset; the last column, its support, is not taken into account.

    One row more for the itemset is one more in every second cell and one less in the others. In the model, the product
    of the former equals that of the latter (Bartlett, 1935): this is halved down to.

    >>> expect(np.array([[2, 6, 6, 2]])).tolist()
    [4.0]
    """
    up, down = _split(cells)
    low, high = -up.min(axis=1), down.min(axis=1)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_over = (up + middle[:, None]).prod(axis=1) > (down - middle[:, None]).prod(axis=1)
        low, high = np.where(is_over, low, middle), np.where(is_over, middle, high)
    return np.asarray((cells[:, -1] + (low + high) / 2).round(DIGITS))


def surprise(cells: Numbers, expected: Floats) -> Floats:
    """Return how surprisingly low the support of each itemset is: below 0 where it is higher than expected.

    >>> surprise(np.array([[2, 6, 6, 2], [6, 2, 2, 6]]), np.array([4.0, 4.0])).tolist()
    [2.045968, -2.045968]
    """
    up, down = _split(cells)
    shift = (expected - cells[:, -1])[:, None]
    own, more = np.concatenate([up, down], axis=1), np.concatenate([up * 0 + shift, down * 0 - shift], axis=1)
    fitted = np.maximum(own + more, 0.0)
    is_open = (own > 0) & (fitted > 0)
    part = np.where(is_open, -more / np.where(is_open, fitted, 1.0), 0.0)
    # The terms add up to the same with and without the shifts, and with them none is negative: nothing cancels out.
    ratio = 2 * (own * np.log1p(part) + more).clip(0.0).sum(axis=1)
    return np.asarray((np.sign(shift[:, 0]) * np.sqrt(ratio)).round(DIGITS))


def find_floor(supports: Numbers, most_surprise: float) -> int:
    """Return the least support that an itemset can have without being more surprising than so much, given its parts.

    ``supports`` are those of all subsets; that of the itemset itself, the last, is not taken into account.

    >>> find_floor(np.array([16, 8, 8, 8]), 2.1), find_floor(np.array([16, 8, 8, 8]), 0.0)
    (2, 4)
    """
    cells = find_cells(np.append(supports[:-1], 0)[None])
    up, down = _split(cells)
    expected = expect(cells)
    low, high = int(-up.min()), int(down.min())
    while low < high:  # the surprise falls as the support grows
        tried = np.unique(np.linspace(low, high - 1, TRIED).astype(np.int64))
        tables = find_cells(np.column_stack([np.tile(supports[:-1], (tried.size, 1)), tried]))
        above = int((surprise(tables, np.repeat(expected, tried.size)) > most_surprise).sum())
        low, high = int(tried[above - 1]) + 1 if above else low, int(tried[above]) if above < tried.size else high
    return low


def _split(cells: Numbers) -> tuple[Floats, Floats]:
    """Return the cells that grow with the support and those that shrink; each sorted, so that equal tables tie."""
    sizes = np.bitwise_count(np.arange(cells.shape[1]))
    grows = (sizes[-1] - sizes) % 2 == 0
    up, down = (np.sort(cells[:, which], axis=1).astype(np.float64) for which in (grows, ~grows))
    return up, down


def _mine_levels(rows: Transactions, least: int, longest: int, most: int) -> list[_Level]:
    """Return the frequent itemsets by length, from one item on."""
    try:
        frequent = mine(rows, min_support=least, kind="frequent", max_length=longest, max_patterns=most)
    except BudgetError:
        _refuse_too_many(most + 1, most)
        raise
    levels: list[_Level] = []
    for length in range(1, longest + 1):
        levels.append(_build_level(frequent, length, levels))
    return levels


def _build_level(frequent: Patterns, length: int, levels: Sequence[_Level]) -> _Level:
    numbers = np.flatnonzero(frequent.itemsets.lengths == length)
    itemsets = frequent.itemsets.take(numbers).items.reshape(-1, length)
    order = np.lexsort(itemsets.T[::-1])
    itemsets, supports, many = itemsets[order], frequent.supports[numbers][order], len(frequent.labels)
    places = _find(levels, itemsets[:, :-1], many)
    return _Level(itemsets, supports, places * many + itemsets[:, -1])


def _find(levels: Sequence[_Level], itemsets: Items, many: int) -> Numbers:
    """Return the place of each itemset among the frequent ones of its length, -1 if it is not frequent."""
    places = np.zeros(len(itemsets), dtype=np.int64)
    for level, items in zip(levels, itemsets.T, strict=False):
        wanted = places * many + items
        if not level.keys.size:
            return np.full(len(itemsets), -1, dtype=np.int64)
        places = np.searchsorted(level.keys, wanted).clip(max=level.keys.size - 1)
        places = np.where(level.keys[places] == wanted, places, -1)
    return places


def _pair(items: _Level, n: int, least: int, groups: Collection[Codes]) -> Items:
    """Return the pairs of items that are expected in ``least`` rows or more: s(a) s(b) ≥ least n."""
    order = np.argsort(-items.supports, kind="stable")
    supports = items.supports[order]
    enough = np.searchsorted(-supports, least * n // -supports, side="right")  # items of at least that support
    first, second = _pair_with_next(np.maximum(enough - np.arange(supports.size) - 1, 0))
    pairs = np.sort(items.itemsets[order, 0][np.column_stack([first, second])], axis=1)
    for group in groups:
        pairs = pairs[~np.isin(pairs, list(group)).all(axis=1)]
    return pairs[np.lexsort(pairs.T[::-1])]


def _join(levels: Sequence[_Level], length: int, many: int, most: int) -> Items:
    """Return the itemsets of a length whose parts are all frequent, by joining those that differ in their last item."""
    level = levels[length - 2]
    prefixes = level.keys // many
    ends = np.searchsorted(prefixes, prefixes, side="right")
    follow = ends - np.arange(prefixes.size) - 1
    _refuse_too_many(int(follow.sum()), 10 * most)
    first, second = _pair_with_next(follow)
    joined = np.column_stack([level.itemsets[first], level.itemsets[second, -1:]])
    for left_out in range(length - 2):  # the two that were joined lack one of the last two items
        joined = joined[_find(levels, np.delete(joined, left_out, axis=1), many) >= 0]
    return joined


def _pair_with_next(follow: Numbers) -> tuple[Numbers, Numbers]:
    """Return pairs of places: each place with as many of those right after it as ``follow`` says."""
    first = np.repeat(np.arange(follow.size), follow)
    second = first + 1 + np.arange(first.size) - np.repeat(np.cumsum(follow) - follow, follow)
    return first, second


def _weigh(rows: Transactions, levels: Sequence[_Level], itemsets: Items, least: int) -> Candidates:
    """Return the itemsets that are expected often enough, with their supports and surprises."""
    chunks = [itemsets[start : start + CHUNK] for start in range(0, len(itemsets), CHUNK)]
    lists = [_keep_expected(rows, levels, chunk, least) for chunk in chunks]
    kept = np.concatenate([itemsets[:0], *(chunk for chunk, _, _ in lists)])
    supports = _count(rows, kept)
    done, surprises = 0, [np.empty(0)]
    for chunk, table, expected in lists:
        table[:, -1] = supports[done : done + len(chunk)]
        surprises.append(surprise(find_cells(table), expected))
        done += len(chunk)
    expectations = np.concatenate([np.empty(0), *(expected for _, _, expected in lists)])
    return Candidates(kept, supports, expectations, np.concatenate(surprises))


def _keep_expected(
    rows: Transactions, levels: Sequence[_Level], itemsets: Items, least: int
) -> tuple[Items, Numbers, Floats]:
    """Return those that are expected often enough, the supports of their subsets, and what is expected."""
    table = _count_parts(levels, itemsets, rows)
    expected = expect(find_cells(table))
    keeps = expected >= least
    return itemsets[keeps], table[keeps], expected[keeps]


def _count_parts(levels: Sequence[_Level], itemsets: Items, rows: Transactions) -> Numbers:
    """Return the supports of all subsets of each itemset, but for its own, which is left at 0."""
    length = itemsets.shape[1]
    supports = np.zeros((len(itemsets), 1 << length), dtype=np.int64)
    supports[:, 0] = rows.n
    for mask in range(1, (1 << length) - 1):
        items = [item for item in range(length) if mask >> item & 1]
        places = _find(levels, itemsets[:, items], len(rows.labels))
        supports[:, mask] = levels[len(items) - 1].supports[places]
    return supports


def _count(rows: Transactions, itemsets: Items) -> Numbers:
    """Return the support of each itemset, by looking at the rows."""
    supports = np.zeros(len(itemsets), dtype=np.int64)
    listed = Itemsets.from_lengths(np.full(len(itemsets), itemsets.shape[1]), itemsets.ravel())
    kernels.cell_rows.count_supports(rows.itemsets.flat, rows.weights, listed.flat, len(rows.labels), supports)
    return supports


def _refuse_too_many(many: int, most: int) -> None:
    if many > most:
        raise BudgetError(
            f"more than {most:,} itemsets would be looked at; ",
            Either(("raise {}", "min_support", "max_itemsets"), ("lower {}", "max_length")),
        )
