"""Exact: lose as few legitimate itemsets as possible, by an integer program.

It chooses how many sensitive rows of a type, which agree on all items that matter, get which edit: items to remove.
"""

import math
from collections.abc import Collection
from operator import attrgetter
from time import monotonic
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.hiding import border
from discreet.hiding.border import Legitimate, Marks, map_items
from discreet.hiding.problem import HidingProblem, OptimalityGap, Removals, Solution, list_removals
from discreet.runtime.resources import as_threads
from discreet.runtime.solver import Floats, Numbers, Program, Terms, list_each, list_entries

SHORTEST: Final = 0.1  # seconds that the solver gets in any case
CLOSE: Final = 1e-6  # how far the solver's rounding may move a bound
MOST_ROWS: Final = 20_000  # no program is built with more sensitive rows,
MOST_EDITS: Final = 20_000  # edits,
MOST_CELLS: Final = 20_000_000  # or pairs of an edit and an itemset


class RowTypes(NamedTuple):
    """Types of sensitive rows: row ``rows[i]`` is of type ``of[i]``, and type t has ``counts[t]`` rows.

    Line t of ``items`` marks the items of type t, by place; a line of ``sensitive`` those of a sensitive itemset.
    """

    rows: Numbers
    of: Numbers
    counts: Numbers
    items: Marks
    sensitive: Marks


class Edits(NamedTuple):
    """Edits of rows: edit i removes the items in line i of ``removed`` from rows of type ``types[i]``.

    A line of ``hides`` marks the edits (columns) after which a row no longer holds a sensitive itemset; a line of
    ``hits`` does so for legitimate itemsets that can be lost: ``times`` of them have this line and this ``slack``.
    """

    types: Numbers
    removed: Marks
    hides: Marks
    hits: Marks
    slack: Numbers
    times: Numbers


class Attempt(NamedTuple):
    """Removals, the legitimate itemsets they lose, and their number: fewer lost is better, then fewer removed."""

    lost: int
    removed: int
    removals: Removals


COST: Final = attrgetter("lost", "removed")


def solve(problem: HidingProblem) -> Solution:
    """Remove items so that the fewest legitimate itemsets are lost, then the fewest items.

    The program (Gkoulalas-Divanis and Verykios, 2006, solve one for the border alone) has a number for each edit, and a
    choice for each legitimate itemset: it is lost, or enough rows keep it. The search starts from the best solution of
    all other methods, which is returned, unproven, if the program would be too large or no better one is found in time.

    >>> from discreet import hide
    >>> rows = [["a", "b", "c"], ["a", "b"], ["a", "b", "d"], ["a", "c"], ["b"]]
    >>> hide(rows, [["a", "b"]], below=2, method="exact").gap
    OptimalityGap(lost=0, bound=0, stopped=False, skipped=False)
    """
    until = monotonic() + problem.seconds
    others = border.find_legitimate(problem)
    candidates = [border.minimise_harm(problem, others), *(quick(problem).removals for quick in problem.quick)]
    best = min((_judge(problem, others, removals) for removals in candidates), key=COST)
    choices = _list_edits(problem, others) if problem.to_lose.any() else None
    if choices is None:
        return Solution(best.removals, OptimalityGap(best.lost, 0, skipped=best.lost > 0))
    return _search(problem, others, best, choices, until)


def _judge(problem: HidingProblem, others: Legitimate, removals: Removals) -> Attempt:
    return Attempt(border.count_lost(problem, others, removals), removals.size, removals)


def _search(
    problem: HidingProblem, others: Legitimate, best: Attempt, choices: tuple[RowTypes, Edits], until: float
) -> Solution:
    """Return the best solution that is found in time."""
    types, edits = choices
    # One lost itemset costs more than removing every item that can be.
    heavy = 1 + int((types.counts[edits.types] * edits.removed.sum(axis=1)).sum())
    many = _count_edits(types, edits, others, best.removals)
    start = np.concatenate([many, edits.hits @ many > edits.slack]).astype(np.float64)
    seconds = max(SHORTEST, until - monotonic())
    values, bound, stopped = _build_program(problem, types, edits, heavy).solve(seconds=seconds, gap=0.0, start=start)
    for counts in (many, _round_counts(problem, types, edits, values)):
        if counts is not None:
            best = min(best, _judge(problem, others, _apply_edits(types, edits, others, counts)), key=COST)
    # The bound is on both costs together, and all removed items cost less than one lost itemset.
    least = math.ceil((bound - heavy + 1) / heavy - CLOSE) if math.isfinite(bound) else 0
    return Solution(best.removals, OptimalityGap(best.lost, min(max(0, least), best.lost), stopped))


def _build_program(problem: HidingProblem, types: RowTypes, edits: Edits, heavy: int) -> Program:
    """Build the program: columns count the rows of each edit, then say which legitimate itemsets are lost."""
    program, room = Program(), types.counts[edits.types]
    many = program.add_columns(edits.types.size, cost=edits.removed.sum(axis=1), upper=room, whole=True)
    gone = program.add_columns(edits.slack.size, cost=heavy * edits.times, upper=1, whole=True)
    program.add_rows(types.counts.size, Terms(edits.types, many, np.ones(many.size)), upper=types.counts)
    program.add_rows(problem.to_lose.size, list_entries(edits.hides, many), lower=problem.to_lose)
    # An itemset that is lost may lose all rows of the types whose edits hit it.
    most = np.array([types.counts[np.unique(edits.types[hit])].sum() for hit in edits.hits], dtype=np.int64)
    lost = list_each(gone, edits.slack - most)
    program.add_rows(edits.slack.size, list_entries(edits.hits, many), lost, upper=edits.slack)
    return program


def _round_counts(problem: HidingProblem, types: RowTypes, edits: Edits, values: Floats | None) -> Numbers | None:
    """Round the solver's near-integers to the rows of each edit; return None if they break a limit."""
    if values is None:
        return None
    counts = np.rint(values[: edits.types.size]).astype(np.int64)
    used = np.bincount(edits.types, weights=counts, minlength=types.counts.size)
    is_within = (used <= types.counts).all() and (edits.hides @ counts >= problem.to_lose).all()
    return counts if is_within else None


def _list_edits(problem: HidingProblem, others: Legitimate) -> tuple[RowTypes, Edits] | None:
    """Return the types of sensitive rows and their edits; None if there are too many."""
    rows = np.flatnonzero(problem.degrees)
    if rows.size > MOST_ROWS or rows.size * others.codes.size > MOST_CELLS:
        return None
    maps = map_items(problem, others.codes, rows)
    # An itemset that stays frequent whatever these rows lose does not matter.
    numbers = np.flatnonzero(border.count_holders(others, maps, as_threads(problem.threads)) > others.slack)
    if numbers.size * others.codes.size > MOST_CELLS:
        return None
    legitimate = _as_matrix([*others.itemsets.take(numbers)], others.codes.size)
    sensitive = _as_matrix([others.find_places(itemset) for itemset in problem.itemsets], others.codes.size)
    matter = np.concatenate([legitimate, sensitive]).any(axis=0, keepdims=True).T
    held = (np.array([border.unpack_bits(line, rows.size) for line in maps]).reshape(-1, rows.size) & matter).T
    items, of, counts = np.unique(held, axis=0, return_inverse=True, return_counts=True)
    types = RowTypes(rows, of.ravel(), counts, items, sensitive)
    pairs = _list_pairs(types)
    if pairs is None or pairs[0].size * max(numbers.size, 1) > MOST_CELLS:
        return None
    return types, _measure_edits(types, *pairs, legitimate, others.slack[numbers])


def _as_matrix(itemsets: Collection[NDArray[np.integer[Any]]], many: int) -> Marks:
    matrix = np.zeros((len(itemsets), many), dtype=np.bool_)
    for line, itemset in zip(matrix, itemsets, strict=True):
        line[itemset] = True
    return matrix


def _apply_edits(types: RowTypes, edits: Edits, others: Legitimate, many: Numbers) -> Removals:
    """Return the removals if ``many`` rows get each edit: the first rows of each type."""
    pairs = []
    free = {int(kind): types.rows[types.of == kind] for kind in np.unique(edits.types[many > 0])}
    for edit in np.flatnonzero(many):
        kind, codes = int(edits.types[edit]), others.codes[edits.removed[edit]]
        chosen, free[kind] = np.split(free[kind], [many[edit]])
        pairs.append((np.repeat(chosen, codes.size), np.tile(codes, chosen.size)))
    return list_removals(pairs)


def _count_edits(types: RowTypes, edits: Edits, others: Legitimate, removals: Removals) -> Numbers:
    """Return how many rows the removals give each edit, leaving out items that need not be removed."""
    pairs = enumerate(zip(edits.types.tolist(), edits.removed, strict=True))
    edit_of = {(kind, line.tobytes()): edit for edit, (kind, line) in pairs}
    many = np.zeros(edits.types.size, dtype=np.int64)
    for row, items in zip(removals.rows, removals, strict=True):
        kind = int(types.of[np.searchsorted(types.rows, row)])
        line = np.zeros(others.codes.size, dtype=np.bool_)
        line[_drop_needless(types.sensitive[_mark_held(types, kind)], others.find_places(items).tolist())] = True
        if line.any():
            many[edit_of[kind, line.tobytes()]] += 1
    return many


def _mark_held(types: RowTypes, kind: int) -> Marks:
    held: Marks = ~(types.sensitive & ~types.items[kind]).any(axis=1)
    return held


def _drop_needless(held: Marks, removed: list[int]) -> list[int]:
    """Return the removed items without those that are not needed to hide any itemset, dropped one by one."""
    for item in list(removed):
        rest = [other for other in removed if other != item]
        if np.array_equal(held[:, rest].any(axis=1), held[:, removed].any(axis=1)):
            removed = rest
    return removed


def _list_pairs(types: RowTypes) -> tuple[Numbers, Marks] | None:
    """Return the type and the removed items of every edit that removes no needless item; None if too many."""
    known: dict[bytes, list[Marks]] = {}
    of: list[int] = []
    removed: list[Marks] = []
    for kind in range(types.counts.size):
        held = _mark_held(types, kind)
        if held.tobytes() not in known:
            known[held.tobytes()] = _grow_irredundant(types.sensitive[held], MOST_EDITS - len(of))
        lines = known[held.tobytes()]
        of += [kind] * len(lines)
        removed += lines
        if len(of) >= MOST_EDITS:
            return None
    return np.array(of, dtype=np.int64), np.array(removed, dtype=np.bool_).reshape(-1, types.items.shape[1])


def _grow_irredundant(held: Marks, most: int) -> list[Marks]:
    """Return up to ``most`` sets of items of which each item alone hits one of the itemsets.

    Every subset of such a set is one too, so each grows from a smaller one.
    """
    items = np.flatnonzero(held.any(axis=0))
    sets: list[Marks] = []
    last: list[tuple[Marks, int]] = [(np.zeros(held.shape[1], dtype=np.bool_), -1)]
    while last and len(sets) < most:
        longer = []
        for line, place in last:
            for at in range(place + 1, items.size):
                wider = line.copy()
                wider[items[at]] = True
                # Each item needs an itemset of its own: one that holds no other removed item.
                if (held[(held & wider).sum(axis=1) == 1] & wider).any(axis=0)[wider].all():
                    longer.append((wider, at))
            if len(sets) + len(longer) > most:
                break
        sets += [line for line, _ in longer]
        last = longer
    return sets


def _measure_edits(types: RowTypes, of: Numbers, removed: Marks, legitimate: Marks, slack: Numbers) -> Edits:
    """Return the edits with the itemsets that they hide and hit; legitimate itemsets that are hit alike are merged."""
    missing, gone = (~types.items).astype(np.float32).T, removed.astype(np.float32).T
    both = (matrix.astype(np.float32) for matrix in (types.sensitive, legitimate))
    hides, hits = ((itemsets @ missing == 0)[:, of] & (itemsets @ gone > 0) for itemsets in both)
    keys = np.concatenate([np.packbits(hits, axis=1), slack[:, None].view(np.uint8)], axis=1)
    _, first, times = np.unique(keys, axis=0, return_index=True, return_counts=True)
    return Edits(of, removed, hides, hits[first], slack[first], times)
