"""Our detector: Möbius inversion on the supports, or one descent of the rows through all tops: what is less work."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.lattice import Cells, based, taken, together
from discreet.disclosure import projection
from discreet.disclosure.question import Question
from discreet.runtime import resources

WORD: Final = 64
"""Items that fit a word of bitmaps: so many a group of tops has together. A top that has more goes its own way."""
STEPS_A_TOP: Final = 120
"""What a top costs on the descent, in steps of inversion; measured. A row that is met with all others is a fifth."""
STEPS_A_TOUCH: Final = 1
"""What a row costs that is found by one of its items, likewise."""
MOST: Final = 2048
"""Tops that go down together at most: between two groups Ctrl-C is heard, and threads share the groups."""
SAMPLE: Final = 16
"""Tops from which the work of Möbius inversion is reckoned."""


class Group(NamedTuple):
    """Tops that go down together, by their numbers, and their items: the place of an item is its bit."""

    tops: NDArray[np.int64]
    items: NDArray[np.int32]


class Maps(NamedTuple):
    """Rows as bitmaps of the items of a group, and how many rows each stands for."""

    rows: NDArray[np.uint64]
    weights: NDArray[np.int64]


def cells(question: Question) -> Cells:
    """Return the small cells of the tops: by supports or by rows, and where both are at hand by what is less work."""
    if question.rows is None or (question.patterns.kind != "maximal" and is_lighter(question)):
        return question.told.cells(question.limit, question.threads)
    groups = grouped(question)
    maps = whole_maps(question) if len(groups) == 1 else listed_maps(question)
    parts = resources.share(
        lambda start, stop: together([descend(question, group, maps(group)) for group in groups[start:stop]]),
        [(number, number + 1) for number in range(len(groups))],
        min(question.threads, max(1, len(groups))),
    )
    long = np.flatnonzero(np.diff(question.tops[0]) > WORD)
    return together([*parts, projection.cells_under(question, long)] if long.size else parts)


def is_lighter(question: Question) -> bool:
    """Return whether inversion is about less work than the descent: a group meets the rows of its items, a top some."""
    if question.is_whole:  # the cells are the different rows
        return False
    inversion = question.family.steps(SAMPLE)
    tops = STEPS_A_TOP * (question.tops[0].size - 1)
    if inversion < tops:  # then it is so whatever rows there are
        return True
    used = np.unique(question.tops[1])
    met = int(question.item_supports[used].sum())
    if used.size <= WORD:
        return inversion < tops + met // 5
    if inversion < tops + STEPS_A_TOUCH * met:  # whatever the groups are
        return True
    met = sum(int(question.item_supports[group.items].sum()) for group in grouped(question))
    return inversion < tops + STEPS_A_TOUCH * met


def grouped(question: Question) -> list[Group]:
    """Return the tops of a word of items or less in groups of like ones that have no more together.

    They are sorted by their items, the commonest first, and cut where a word is full.
    """
    offsets, items = question.tops
    many = len(question.patterns.labels)
    ranks = np.empty(many, dtype=np.int32)
    ranks[np.argsort(-np.bincount(items, minlength=many), kind="stable")] = np.arange(1, many + 1)
    ranked = ranks[items]
    kernels.rows.sort_rows(offsets.copy(), ranked)
    keys = np.empty(offsets.size - 1, dtype=np.uint64)
    kernels.itemsets.pack(offsets, ranked, np.arange(many + 1), max(1, many.bit_length()), keys)
    order = np.argsort(keys, kind="stable")
    order = order[np.diff(offsets)[order] <= WORD]
    starts = kernels.cells.group(offsets, items, order, many, WORD, MOST)
    parts = [np.sort(order[start:stop]) for start, stop in pairwise(starts)]
    return [Group(part, np.unique(taken(offsets, items, part)[1])) for part in parts]


def whole_maps(question: Question) -> Callable[[Group], Maps]:
    """Return what makes bitmaps of all rows for a group."""
    rows = question.rows_needed("auto")

    def maps(group: Group) -> Maps:
        place = np.full(len(rows.labels) + 1, -1, dtype=np.int64)
        place[question.row_codes[group.items]] = np.arange(group.items.size)
        return Maps(kernels.cells.map_itemsets(rows.offsets, rows.items, place), rows.weights.copy())

    return maps


def listed_maps(question: Question) -> Callable[[Group], Maps]:
    """Return what makes bitmaps of the rows that hold an item of a group, and one for the others.

    Equal rows are merged once, and listed by their items, so that a group touches no rows but its own.
    """
    rows = question.rows_needed("auto")
    used = np.unique(question.tops[1])
    code = np.full(len(rows.labels) + 1, -1, dtype=np.int32)
    code[question.row_codes[used]] = np.arange(used.size)
    entries = int(np.count_nonzero(code[rows.items[rows.offsets[0] : rows.offsets[-1]]] >= 0))
    records, starts = kernels.merge_rows.merge_rows(rows.offsets, rows.items, rows.weights, code, entries)
    weights = records[starts + 1].astype(np.int64)
    offsets, lists = kernels.merge_rows.list_rows(records, starts, used.size)

    def maps(group: Group) -> Maps:
        held, touched = np.zeros(starts.size, dtype=np.uint64), np.empty(starts.size + 1, dtype=np.int64)
        size = kernels.cells.map_listed(lists, offsets, np.searchsorted(used, group.items), held, touched)
        return Maps(*kernels.cells.gather(held, touched[:size], weights, rows.n))

    return maps


def descend(question: Question, group: Group, maps: Maps) -> Cells:
    """Return the small cells of a group."""
    offsets, items = taken(*question.tops, group.tops)
    place = np.full(len(question.patterns.labels), -1, dtype=np.int64)
    place[group.items] = np.arange(group.items.size)
    tops = kernels.cells.map_itemsets(offsets, items, place)
    found, bases, counts = kernels.cells.cells_of(maps.rows, maps.weights, tops, question.limit)
    return based(bases[:, None], group.tops[found].astype(np.int32), counts, *question.tops, place)
