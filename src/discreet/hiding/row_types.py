"""Kinds of sensitive rows and ways to change them: what the program of "exact" chooses from.

Rows that agree on all items that matter are of one kind: it does not matter which of them is changed, only how many.
"""

from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.hiding.border import unpacked
from discreet.hiding.legitimate import Legitimate, bitmaps, counted
from discreet.hiding.problem import Changes, Problem, changes_of
from discreet.runtime.resources import as_threads

Matrix: TypeAlias = NDArray[np.bool_]

MOST_ROWS: Final = 20_000
MOST_WAYS: Final = 20_000
MOST_CELLS: Final = 20_000_000
"""A program of more sensitive rows, ways to change them, or pairs of such a way and an itemset is not built."""


class Ways(NamedTuple):
    """Ways to change rows: from rows of the kind ``kinds[i]``, the items of line i of ``removed`` are removed.

    ``hides`` says which sensitive itemsets a row then holds no longer (a line an itemset, a column a way), and ``hits``
    which of the legitimate ones that can be lost; ``times`` how many there are with the same line and the same
    ``slack``.
    """

    kinds: NDArray[np.int64]
    removed: Matrix
    hides: Matrix
    hits: Matrix
    slack: NDArray[np.int64]
    times: NDArray[np.int64]


class Kinds(NamedTuple):
    """Kinds of sensitive rows: of which kind each of the ``rows`` is, and how many are of each kind.

    Line i of ``items`` says which items, by their places, rows of kind i hold.
    """

    rows: NDArray[np.int64]
    of: NDArray[np.int64]
    counts: NDArray[np.int64]
    items: Matrix
    sensitive: Matrix


def kinds_of(problem: Problem, others: Legitimate) -> tuple[Kinds, Ways] | None:
    """Return the kinds of sensitive rows and the ways to change them; nothing if there are too many."""
    rows = np.flatnonzero(problem.degrees)
    if rows.size > MOST_ROWS or rows.size * others.codes.size > MOST_CELLS:
        return None
    maps = bitmaps(problem, others.codes, rows)
    # An itemset that stays frequent whatever these rows lose does not matter.
    numbers = np.flatnonzero(counted(others, maps, as_threads(problem.threads)) > others.slack)
    if numbers.size * others.codes.size > MOST_CELLS:
        return None
    legitimate = np.zeros((numbers.size, others.codes.size), dtype=np.bool_)
    for line, number in zip(legitimate, numbers.tolist(), strict=True):
        line[others.items[others.offsets[number] : others.offsets[number + 1]]] = True
    sensitive = np.zeros((len(problem.itemsets), others.codes.size), dtype=np.bool_)
    for line, itemset in zip(sensitive, problem.itemsets, strict=True):
        line[others.places(itemset)] = True
    matter = np.concatenate([legitimate, sensitive]).any(axis=0, keepdims=True).T
    held = (np.array([unpacked(line, rows.size) for line in maps]).reshape(-1, rows.size) & matter).T
    items, of, counts = np.unique(held, axis=0, return_inverse=True, return_counts=True)
    kinds = Kinds(rows, of.ravel(), counts, items, sensitive)
    ways = _ways(kinds)
    if ways is None or ways[0].size * max(numbers.size, 1) > MOST_CELLS:
        return None
    return kinds, _measured(kinds, ways, legitimate, others.slack[numbers])


def changed(kinds: Kinds, ways: Ways, others: Legitimate, many: NDArray[np.int64]) -> Changes:
    """Return the changes where so many rows are changed in each way: of each kind the first ones."""
    rows, items = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    free = {int(kind): kinds.rows[kinds.of == kind] for kind in np.unique(ways.kinds[many > 0])}
    for way in np.flatnonzero(many):
        kind, codes = int(ways.kinds[way]), others.codes[ways.removed[way]]
        chosen, free[kind] = np.split(free[kind], [many[way]])
        rows.append(np.repeat(chosen, codes.size))
        items.append(np.tile(codes, chosen.size))
    return changes_of(np.concatenate(rows), np.concatenate(items))


def counts_of(kinds: Kinds, ways: Ways, others: Legitimate, changes: Changes) -> NDArray[np.int64]:
    """Return how many rows the changes change in each way, but for items that need not be removed from a row."""
    number = {
        (int(kind), line.tobytes()): way for way, (kind, line) in enumerate(zip(ways.kinds, ways.removed, strict=True))
    }
    many = np.zeros(ways.kinds.size, dtype=np.int64)
    for at, row in enumerate(changes.rows):
        kind = int(kinds.of[np.searchsorted(kinds.rows, row)])
        removed = others.places(changes.items[changes.offsets[at] : changes.offsets[at + 1]])
        line = np.zeros(others.codes.size, dtype=np.bool_)
        held = kinds.sensitive[_holding(kinds, kind)]
        line[_needed(held, removed.tolist())] = True
        if line.any():
            many[number[kind, line.tobytes()]] += 1
    return many


def _holding(kinds: Kinds, kind: int) -> Matrix:
    """Return which sensitive itemsets rows of a kind hold."""
    holding: Matrix = ~(kinds.sensitive & ~kinds.items[kind]).any(axis=1)
    return holding


def _needed(held: Matrix, removed: list[int]) -> list[int]:
    """Return those of the removed items without which fewer itemsets are hidden, one after the other left out."""
    for item in list(removed):
        rest = [other for other in removed if other != item]
        if np.array_equal(held[:, rest].any(axis=1), held[:, removed].any(axis=1)):
            removed = rest
    return removed


def _ways(kinds: Kinds) -> tuple[NDArray[np.int64], Matrix] | None:
    """Return all ways to change rows in which no item is removed that need not be: kinds, and items removed."""
    known: dict[bytes, list[Matrix]] = {}
    of: list[int] = []
    removed: list[Matrix] = []
    for kind in range(kinds.counts.size):
        holding = _holding(kinds, kind)
        if holding.tobytes() not in known:
            known[holding.tobytes()] = _irredundant(kinds.sensitive[holding], MOST_WAYS - len(of))
        ways = known[holding.tobytes()]
        of += [kind] * len(ways)
        removed += ways
        if len(of) >= MOST_WAYS:
            return None
    return np.array(of, dtype=np.int64), np.array(removed, dtype=np.bool_).reshape(-1, kinds.items.shape[1])


def _irredundant(held: Matrix, most: int) -> list[Matrix]:
    """Return the sets of items of which each item alone hits one of the itemsets, or so many of these sets.

    Whatever is part of such a set is one: so they grow from each other.
    """
    items = np.flatnonzero(held.any(axis=0))
    found: list[Matrix] = []
    last: list[tuple[Matrix, int]] = [(np.zeros(held.shape[1], dtype=np.bool_), -1)]
    while last and len(found) < most:
        longer = []
        for line, place in last:
            for at in range(place + 1, items.size):
                wider = line.copy()
                wider[items[at]] = True
                # An item has an itemset of its own: one that it is the only removed item of.
                if (held[(held & wider).sum(axis=1) == 1] & wider).any(axis=0)[wider].all():
                    longer.append((wider, at))
            if len(found) + len(longer) > most:
                break
        found += [line for line, _ in longer]
        last = longer
    return found


def _measured(
    kinds: Kinds, ways: tuple[NDArray[np.int64], Matrix], legitimate: Matrix, slack: NDArray[np.int64]
) -> Ways:
    """Return the ways with what they hide and hit; legitimate itemsets that are hit alike are merged."""
    of, removed = ways
    hides, hits = (
        _within(which, kinds.items)[:, of] & _meets(which, removed) for which in (kinds.sensitive, legitimate)
    )
    keys = np.concatenate([np.packbits(hits, axis=1), slack[:, None].view(np.uint8)], axis=1)
    _, first, times = np.unique(keys, axis=0, return_index=True, return_counts=True)
    return Ways(of, removed, hides, hits[first], slack[first], times)


def _within(itemsets: Matrix, rows: Matrix) -> Matrix:
    within: Matrix = itemsets.astype(np.float32) @ (~rows).astype(np.float32).T == 0
    return within


def _meets(itemsets: Matrix, removed: Matrix) -> Matrix:
    meets: Matrix = itemsets.astype(np.float32) @ removed.astype(np.float32).T > 0
    return meets
