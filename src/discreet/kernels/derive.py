"""Kernels that bound the supports of unpublished itemsets from those of all their subsets.

Itemsets are nodes of a trie: node 0 is the empty one, and any other adds a larger item (``lasts``) to the node in
``parents``. A hash table of children leads from the key of a node and an item to the child. Where all subsets of a
node's itemset are nodes too, the node of each subset is found from its parent's.

Cells over an itemset are bitmaps of its items, bit i for the i-th: a row is in the cell of those items that it holds.
"""

import numpy as np

from discreet.kernels.common import find_place, inner, jit, size_table
from discreet.kernels.shapes import ONE
from discreet.kernels.words import mix, popcount

CONJUNCTION, PARITY = 0, 1
# Columns of a finding: the itemset (a node and an item), its limits and the cells that cause them (-1: none), whether
# it is one cell or two, which ones, and the fewest and most rows in them.
PREFIX, LAST, LOW, HIGH, BELOW, ABOVE, KIND, EVEN, ODD, LEAST, MOST = range(11)
COLUMNS = 11
LARGEST = 2**63 - 1
ARE_FULL = False  # arrays have room for millions of itemsets, however few there are


@inner
def key_of(node, item):
    """Return the key of a node's child, which is never 0."""
    return (np.uint64(node) << np.uint64(32)) | np.uint64(item + 1)


@inner
def find_child(keys, values, node, item):
    """Return the node with one item more than ``node``, or -1."""
    key, low = key_of(node, item), np.uint64(keys.size - 1)
    slot = mix(key) & low
    while keys[slot]:
        if keys[slot] == key:
            return values[slot]
        slot = (slot + ONE) & low
    return np.int32(-1)


@jit
def index(parents, lasts, size):
    """Return the table of the children of ``size`` nodes: keys, 0 where a slot is free, and nodes."""
    keys, values = np.zeros(size_table(size), np.uint64), np.zeros(size_table(size), np.int32)
    low = np.uint64(keys.size - 1)
    for node in range(1, size):
        key = key_of(parents[node], lasts[node])
        slot = mix(key) & low
        while keys[slot]:
            slot = (slot + ONE) & low
        keys[slot], values[slot] = key, node
    return keys, values


@jit
def plant(offsets, items, parents, lasts, lengths):
    """Write parent, last item and length of each itemset; they are in dictionary order, all subsets among them."""
    path = np.zeros(64, np.int32)  # longer ones have more subsets than can be listed
    for node in range(offsets.size - 1):
        length = offsets[node + 1] - offsets[node]
        lengths[node], path[length] = length, node
        parents[node] = path[length - 1] if length else 0
        lasts[node] = items[offsets[node + 1] - 1] if length else -1


@inner
def write_items(parents, lasts, node, length, out):
    """Write the ``length`` items of a node to ``out`` in increasing order."""
    for place in range(length - 1, -1, -1):
        out[place] = lasts[node]
        node = parents[node]


@inner
def find_stated(others, itemset, absents):
    """Return the limits that the publication itself sets for a nonempty itemset that is not a node.

    ``others`` are the other listed itemsets and their limits, ``absents`` each item's largest support in an unlisted
    one.
    """
    offsets, items, lows, highs = others
    low, high, below = 0, absents[itemset[0]], False
    for item in itemset:
        high = min(high, absents[item])
    for number in range(offsets.size - 1):
        first, last, place = offsets[number], offsets[number + 1], 0
        for at in range(first, last):
            place += place < itemset.size and items[at] == itemset[place]
        if place < itemset.size:
            continue
        if not below:
            below, high = True, LARGEST
        low = max(low, lows[number])
        if last - first == itemset.size:
            high = highs[number]
    return low, high


@inner
def drop(keys, values, itemset, length, node, parents, less):
    """Write to ``less[i]`` the node of the itemset of ``node`` without its i-th item."""
    for place in range(length - 1, -1, -1):
        other = node = parents[node]
        for at in range(place + 1, length):
            other = find_child(keys, values, other, itemset[at])
        less[place] = other


@inner
def are_nodes(keys, values, less, length, item):
    """Return whether all nodes of ``less`` have a child with ``item``."""
    for place in range(length):
        if find_child(keys, values, less[place], item) < 0:
            return False
    return True


@inner
def invert(table, length):
    """Turn the supports of all sets of so many items into the numbers of rows in their cells."""
    for place in range(length):
        step = 1 << place
        for start in range(0, 1 << length, 2 * step):
            for cell in range(start, start + step):
                table[cell] -= table[cell + step]


@inner
def fill(keys, values, supports, itemset, length, nodes, cells):
    """Write the nodes of all sets of the first ``length`` items to ``nodes``, and how many rows are in their cells."""
    nodes[0] = 0
    for place in range(length):
        for cell in range(1 << place):
            nodes[cell | 1 << place] = find_child(keys, values, nodes[cell], itemset[place])
    for cell in range(1 << length):
        cells[cell] = supports[nodes[cell]]
    invert(cells, length)


@inner
def tabulate(keys, values, supports, nodes, cells, length, item, table):
    """Write how many rows are in each cell if none holds all items; ``item`` splits each of ``cells`` in two."""
    half, held = 1 << length, table[1 << length :]
    for cell in range(half - 1):
        held[cell] = supports[find_child(keys, values, nodes[cell], item)]
    held[half - 1] = 0
    invert(held, length)
    for cell in range(half):
        table[cell] = cells[cell] - held[cell]


@inner
def bound(table, length, low, high):
    """Return the limits of the rows that hold all items, and the cells that set them, -1 where ``low``, ``high`` do.

    If x rows hold all items, a cell that lacks an even number of them has x rows more, and one that lacks an odd number
    x rows fewer; none is negative. Of cells with the same limit, the one that lacks the fewest items counts.
    """
    full = (1 << length) - 1
    below, above, least, most = -1, -1, length + 1, length + 1
    for cell in range(full):
        lacking = length - popcount(np.uint64(cell))
        if lacking & 1:
            if table[cell] < high or (table[cell] == high and lacking < most):
                high, above, most = table[cell], cell, lacking
        elif -table[cell] > low or (-table[cell] == low and low > 0 and lacking < least):
            low, below, least = -table[cell], cell, lacking
    return low, high, below, above


@inner
def find_tight_pair(table, length, low, high):
    """Return a cell that is empty if ``low`` rows hold all items, and one that is if ``high`` do; or -1, -1.

    They differ in two items or more (those that differ in one form a cell of the others), and in as few as possible.
    """
    best, even, odd = length + 1, -1, -1
    for one in range(1 << length):
        if (length - popcount(np.uint64(one))) & 1 or table[one] + low != 0:
            continue
        for other in range(1 << length):
            if (length - popcount(np.uint64(other))) & 1 and table[other] == high:
                apart = popcount(np.uint64(one ^ other))
                if 1 < apart < best:
                    best, even, odd = apart, one, other
    return even, odd


@inner
def note(found, many, line):
    """Append a line to ``found`` if there is room; return how many there are."""
    if many < found.shape[0]:
        for place in range(line.size):
            found[many, place] = line[place]
    return many + 1


@inner
def find(table, length, line, k, found, many):
    """Note the cells of 1 to k - 1 rows, and a pair with so many in all; return how many are noted so far."""
    low, high = line[LOW], line[HIGH]
    for cell in range(1 << length):
        odd = (length - popcount(np.uint64(cell))) & 1
        least = table[cell] - high if odd else table[cell] + low
        # A cell over k - 1 at its least is the common case.
        if least < k and least > 0 and least + high - low < k:
            line[KIND], line[EVEN], line[ODD] = CONJUNCTION, cell, -1
            line[LEAST], line[MOST] = least, least + high - low
            many = note(found, many, line)
    if line[ABOVE] >= 0 and 0 < high - low < k:
        even, odd = find_tight_pair(table, length, low, high)
        if even >= 0:
            line[KIND], line[EVEN], line[ODD], line[LEAST], line[MOST] = PARITY, even, odd, high - low, high - low
            many = note(found, many, line)
    return many


@jit
def join(trie, size, children, level, start, itemset, said, question, found, many, work):
    """Bound the itemsets of one item more than those of a ``level``, all of whose subsets are nodes.

    ``trie`` is parents, lasts and supports with room for more, and the cells that set the limits of each; it has
    ``size`` nodes, and ``children`` is the table of those up to the level at least. The nodes of the level, in order of
    parents and items, are joined with those behind them that have the same parent, from place ``start`` on until
    ``work`` steps are done. An itemset with one possible support becomes a node, as long as there is room. ``itemset``
    has room for one item more than the level's. ``said`` are the ``others`` of ``find_stated``, and the keys of pairs
    that no row holds. ``question`` is k and the ``absents`` of ``find_stated``. Return where to go on, how many nodes
    and findings there are, and whether all limits can hold; if not, those of ``itemset`` cannot.
    """
    parents, lasts, supports, reasons = trie
    (others, excluded), (k, absents), (keys, values) = said, question, children
    length = itemset.size - 1
    nodes, less = np.zeros(1 << length, np.int32), np.zeros(length, np.int32)
    cells, table = np.zeros(1 << length, np.int64), np.zeros(2 << length, np.int64)
    line = np.zeros(COLUMNS, np.int64)
    new = size
    while start < level.size and work > 0:
        one = level[start]
        is_dropped = is_filled = False
        at = start + 1
        while at < level.size and parents[level[at]] == parents[one]:
            item = lasts[level[at]]
            at += 1
            work -= length
            if find_child(keys, values, one, item) >= 0:
                continue
            if not is_dropped:
                write_items(parents, lasts, one, length, itemset)
                drop(keys, values, itemset, length, one, parents, less)
                is_dropped = True
            if not are_nodes(keys, values, less, length, item):
                continue
            if not is_filled:
                fill(keys, values, supports, itemset, length, nodes, cells)
                is_filled = True
            itemset[length] = item
            tabulate(keys, values, supports, nodes, cells, length, item, table)
            work -= ((length + 4) << length) + others[0].size
            low, high = find_stated(others, itemset, absents)
            if length == 1 and is_among(excluded, key_of(itemset[0], item)):
                high = 0
            low, high, below, above = bound(table, length + 1, low, high)
            if low > high:
                return start, new, many, False
            line[PREFIX], line[LAST] = one, item
            line[LOW], line[HIGH], line[BELOW], line[ABOVE] = low, high, below, above
            many = find(table, length + 1, line, k, found, many)
            if low == high:
                if new == parents.size:
                    return start, new, many, True
                parents[new], lasts[new], supports[new] = one, item, low
                reasons[new, 0], reasons[new, 1] = below, above
                new += 1
        start += 1
    return start, new, many, True


@inner
def is_among(keys, key):
    """Return whether a key is among ``keys``, which are in increasing order."""
    place = find_place(keys, key)
    return place < keys.size and keys[place] == key


@jit
def write_nodes(parents, lasts, first, offsets, items):
    """Write the items of the nodes from ``first`` on to ``items``; ``offsets`` says where each starts and ends."""
    for number in range(offsets.size - 1):
        write_items(parents, lasts, first + number, offsets[number + 1] - offsets[number], items[offsets[number] :])
