"""The shapes of what kernels take and return, plain or compiled, and the places of an array of controls.

``control`` is an array that a search shares with its caller. Either side sets STOP; the search sets FOUND (itemsets so
far), DONE and PART (its progress); the caller sets MOST and ROOM, the limits of itemsets and entries. INNER is set
while one search runs inside another.
"""

from typing import NamedTuple

import numpy as np

ONE = np.uint64(1)
HEAD = 2  # entries at the head of a record: its length and its support or weight
STOP, FOUND, MOST, ROOM, DONE, PART, INNER = 0, 1, 2, 3, 4, 5, 6
CONTROLS = 7
STOPPED, FULL = 1, 2


class Frame(NamedTuple):
    """Bitmaps of rows by item and of items by row, the shift of each word, and the length of the longest row.

    The row of bit b of word w is line 64 w + b of ``sets``, unless these are empty, and its record starts at
    ``starts[64 w + b]``. Besides the items of the frame, those below ``first`` are excluded, but for the ``known`` ones
    that are part of the itemset.
    """

    maps: np.ndarray
    sets: np.ndarray
    shifts: np.ndarray
    longest: int
    records: np.ndarray
    starts: np.ndarray
    first: int
    known: int


class Menu(NamedTuple):
    """Items (places of a frame), their supports, and the first and the last place to go through."""

    items: np.ndarray
    counts: np.ndarray
    start: int
    stop: int


class Prefix(NamedTuple):
    """An array for an itemset, and how many of its items are part of all itemsets found."""

    itemset: np.ndarray
    length: int


class Corner(NamedTuple):
    """A point of a polytope, the number of rows in each cell and the goal, and the moves from it.

    ``moves[i, j]`` is what the move ``i`` adds to the cell ``cells[j]``, and ``goals[i]`` what it adds to the goal. A
    cell has the column ``where``, unless one move alone fills it: ``owns[i]``, by 1 a step, and then ``where`` is
    −1 − i. ``sizes`` are the number of moves and of columns.
    """

    point: np.ndarray
    moves: np.ndarray
    goals: np.ndarray
    cells: np.ndarray
    where: np.ndarray
    owns: np.ndarray
    sizes: np.ndarray


class Cells(NamedTuple):
    """The top of each cell, the bitmap of its base, and its number of rows."""

    tops: np.ndarray
    maps: np.ndarray
    counts: np.ndarray


class Goal(NamedTuple):
    """The least support, the least length and the greatest length of the itemsets to find."""

    least: int
    shortest: int
    longest: int


class Index(NamedTuple):
    """Rows as records, where they start, their shifts; supports of items; lists of rows; bitmaps of long lists.

    The rows of item i are ``lists[offsets[i]:offsets[i + 1]]``; its bitmap, if any, is line ``line[i]`` of ``maps``.
    """

    records: np.ndarray
    rows: np.ndarray
    shifts: np.ndarray
    supports: np.ndarray
    offsets: np.ndarray
    lists: np.ndarray
    maps: np.ndarray
    line: np.ndarray
    longest: int


class Stack(NamedTuple):
    """The levels of a search: for each its rows, menu, supports, next place, last place and length of the itemset.

    ``excluded`` are the items that lead to itemsets found elsewhere, as bitmaps.
    """

    rows: np.ndarray
    menus: np.ndarray
    held: np.ndarray
    place: np.ndarray
    stop: np.ndarray
    lengths: np.ndarray
    excluded: np.ndarray


class Memory(NamedTuple):
    """Remembered maximal itemsets: bitmaps of those that hold each item, and each level's itemset; and scratch."""

    tops: np.ndarray
    known: np.ndarray
    scratch: np.ndarray
    local: np.ndarray


class Short(NamedTuple):
    """Room for the intersections with a short top, all of them -1 before and after.

    ``bits`` are those of each itemset, 0 before and after, and ``touched`` the itemsets with any. ``bests`` and
    ``firsts`` are itemsets by intersection, ``masks`` the intersections that there are.
    """

    bits: np.ndarray
    touched: np.ndarray
    bests: np.ndarray
    firsts: np.ndarray
    masks: np.ndarray


class Joined(NamedTuple):
    """Values by the other items of itemsets, in the order of their first use; ``slots`` hold their numbers from 1."""

    rests: np.ndarray
    values: np.ndarray
    slots: np.ndarray
