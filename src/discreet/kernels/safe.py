"""Kernels that search for itemsets of which every cell holds no row, or k rows and more.

Rows are merged and weighted; each item has a list of its rows. On the way down the rows of a cell, those that hold the
same of the itemset so far, have one label. An item more parts the cells in two, and only the rows that hold it need to
be looked at. ``control`` and the stream of records are those of kernels/search.py.
"""

import numpy as np
from numba import njit

from discreet.kernels.room import grown

jit = njit(cache=True, nogil=True)

STOP, FOUND, MOST, ROOM, DONE = 0, 1, 2, 3, 4
FULL = 2
HEAD = 2


@jit
def split(lists, item, weights, labels, totals, counts, touched, whole, k):
    """Return the support with an item more, or -1 if a cell would hold from 1 to k − 1 rows.

    ``whole`` is the label of the rows that hold the itemset so far. ``counts`` is 0 before and after.
    """
    offsets, rows = lists
    size = 0
    for at in range(offsets[item], offsets[item + 1]):
        label = labels[rows[at]]
        if counts[label] == 0:
            touched[size] = label
            size += 1
        counts[label] += weights[rows[at]]
    support = counts[whole]
    for i in range(size):
        left = totals[touched[i]] - counts[touched[i]]
        if counts[touched[i]] < k or 0 < left < k:
            support = -1
        counts[touched[i]] = 0
    return support


@jit
def part(lists, item, weights, labels, totals, parents, children, free):
    """Give the rows that hold an item new labels from ``free`` on, one for each they had; return the next free one.

    ``children`` is -1 for every label, before and after.
    """
    offsets, rows = lists
    next_ = free
    for at in range(offsets[item], offsets[item + 1]):
        row = rows[at]
        label = labels[row]
        if children[label] < 0:
            children[label] = next_
            parents[next_] = label
            totals[next_] = 0
            next_ += 1
        labels[row] = children[label]
        totals[children[label]] += weights[row]
        totals[label] -= weights[row]
    for label in range(free, next_):
        children[parents[label]] = -1
    return next_


@jit
def join(lists, item, labels, totals, parents, free, end):
    """Undo what ``part`` did: the labels from ``free`` to ``end`` go, and their rows have the labels from before."""
    offsets, rows = lists
    for label in range(free, end):
        totals[parents[label]] += totals[label]
    for at in range(offsets[item], offsets[item + 1]):
        labels[rows[at]] = parents[labels[rows[at]]]


@jit
def search(lists, weights, menu, supports, start, stop, goal, stream, control):
    """Write the safe itemsets whose first item is at a place from ``start`` to ``stop`` of the ``menu``.

    All items of the menu are safe alone, with their ``supports``; the goal is the least support, k, and how many cells
    there can be. An itemset goes on with items behind its last one. Return the stream and where it ends.
    """
    least, k, cells = goal
    many, deepest = menu.size, 1
    rows = weights.size
    labels, touched = np.zeros(rows, np.int64), np.empty(rows + 1, np.int64)
    size = 2 * cells + 2
    totals, counts, parents = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    children = np.full(size, -1, np.int64)
    totals[0] = weights.sum()
    # Levels: the items to go on with, their supports, how many, which is next, the label of the rows that hold the
    # itemset so far, and where the free labels began.
    menus, held = np.empty((deepest + 1, many), np.int32), np.empty((deepest + 1, many), np.int64)
    menus[0], held[0] = menu, supports
    sizes, places = np.zeros(many + 2, np.int64), np.zeros(many + 2, np.int64)
    wholes, frees, itemset = np.zeros(many + 2, np.int64), np.zeros(many + 2, np.int64), np.empty(many + 1, np.int32)
    sizes[0], places[0], frees[0] = many, start, 1
    depth, at = 0, 0
    while depth >= 0:
        if depth == 0:
            control[DONE] = places[0]
        if control[STOP] or places[depth] >= (stop if depth == 0 else sizes[depth]):
            depth -= 1
            if depth >= 0:
                join(lists, itemset[depth], labels, totals, parents, frees[depth], frees[depth + 1])
            continue
        place = places[depth]
        places[depth] += 1
        item = menus[depth, place]
        itemset[depth] = item
        if at > control[ROOM] or control[FOUND] > control[MOST]:
            control[STOP] = FULL
        if at + HEAD + depth + 1 > stream.size:
            stream = grown(stream, 2 * (at + HEAD + depth + 1))
        stream[at] = depth + 1
        stream[at + 1] = held[depth, place]
        for i in range(depth + 1):
            stream[at + HEAD + i] = itemset[i]
        at += HEAD + depth + 1
        control[FOUND] += 1
        if place + 1 == sizes[depth]:
            continue
        if depth == deepest:
            deepest *= 2
            menus, held = grown(menus, deepest + 1), grown(held, deepest + 1)
        if frees[depth] + cells > totals.size:
            totals, parents = grown(totals, 2 * (frees[depth] + cells)), grown(parents, 2 * (frees[depth] + cells))
            counts, children = np.zeros(totals.size, np.int64), np.full(totals.size, -1, np.int64)
        free = part(lists, item, weights, labels, totals, parents, children, frees[depth])
        # The rows that hold the itemset so far, and this item, have got a label that was under theirs.
        whole = frees[depth]
        while parents[whole] != wholes[depth]:
            whole += 1
        size = 0
        for other in range(place + 1, sizes[depth]):
            support = split(lists, menus[depth, other], weights, labels, totals, counts, touched, whole, k)
            if support >= least:
                menus[depth + 1, size] = menus[depth, other]
                held[depth + 1, size] = support
                size += 1
        wholes[depth + 1], frees[depth + 1] = whole, free
        sizes[depth + 1], places[depth + 1] = size, 0
        depth += 1
    return stream, at
