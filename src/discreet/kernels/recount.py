"""Kernels of the verifier alone: they recount the cells of a release. An itemset is a line of words, a bit an item."""

import numpy as np

from discreet.kernels.common import inner, jit, size_table
from discreet.kernels.shapes import ONE
from discreet.kernels.words import grow, lowest_bit, mix, popcount

DIGIT = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
FITS, MISFITS, TOO_LARGE = 0, 1, 2
ENTRY, STEP = 128, 32  # bits of memory that a closure takes, and an itemset with an item


@inner
def find_highest(word):
    """Return the place of the highest bit of ``word``, -1 if it has none."""
    for shift in range(6):
        word |= word >> (ONE << np.uint64(shift))
    return np.int64(popcount(word)) - 1


@inner
def is_below(one, other):
    """Return whether one itemset comes before another: as numbers, whose last words count most."""
    for word in range(one.size - 1, -1, -1):
        if one[word] != other[word]:
            return one[word] < other[word]
    return False


@inner
def find_leap(itemset, top, least):
    """Set ``least`` to the first itemset above ``itemset`` that may be within ``top``.

    Return 0 if ``itemset`` itself is within it, 1 if there is one, and 2 if there is none. It has the first free item
    of ``top`` above the highest that ``itemset`` has and ``top`` lacks, and the same items above that one.
    """
    word = itemset.size - 1
    while word >= 0 and itemset[word] & ~top[word] == 0:
        least[word] = itemset[word]
        word -= 1
    if word < 0:
        return 0
    high = find_highest(itemset[word] & ~top[word])
    free = (top[word] & ~itemset[word]) >> np.uint64(high) << np.uint64(high)
    least[word] = itemset[word]
    while free == 0:
        least[word] = 0
        word += 1
        if word == itemset.size:
            return 2
        free = top[word] & ~itemset[word]
    bit = np.uint64(lowest_bit(free))
    least[word] = (itemset[word] >> bit | ONE) << bit
    for lower in range(word):
        least[lower] = 0
    return 1


@jit
def find_subsets(maps, top):
    """Return the numbers of the subsets of ``top`` in a list that ascends as numbers do, and how many steps it took."""
    inside, many, steps = np.empty(16, np.int64), 0, 0
    least, at = np.empty(maps.shape[1], np.uint64), 0
    while at < maps.shape[0]:
        steps += 1
        found = find_leap(maps[at], top, least)
        if found == 2:
            break
        if found == 1:
            low, high = at + 1, maps.shape[0]
            while low < high:
                middle = (low + high) >> 1
                if is_below(maps[middle], least):
                    low = middle + 1
                else:
                    high = middle
            at = low
            continue
        if many == inside.size:
            inside = grow(inside, 2 * many)
        inside[many] = at
        many += 1
        at += 1
    return inside[:many].copy(), steps


@inner
def cut_out(maps, order, items):
    """Return the itemsets in ``order`` as lines of words with a bit for each of ``items``."""
    local = np.zeros((order.size, (items.size + 63) >> 6), np.uint64)
    for at in range(order.size):
        for place in range(items.size):
            item = items[place]
            bit = maps[order[at], item >> 6] >> np.uint64(item & 63) & ONE
            local[at, place >> 6] |= bit << np.uint64(place & 63)
    return local


@inner
def find_key(above, slots, key):
    """Return where the number of the itemset with this key is in the hash table, or where it would go."""
    hashed, low = np.uint64(0), np.uint64(slots.size - 1)
    for word in range(key.size):
        if key[word]:
            hashed = mix(hashed ^ key[word] ^ np.uint64(word))
    slot = np.int64(hashed & low)
    while slots[slot]:
        same = True
        for word in range(key.size):
            same &= above[slots[slot] - 1, word] == key[word]
        if same:
            break
        slot = (slot + 1) & (slots.size - 1)
    return slot


@inner
def widen(array):
    """Return a copy of ``array`` with twice as many columns."""
    wide = np.zeros((array.shape[0], 2 * array.shape[1]), np.uint64)
    for line in range(array.shape[0]):
        for word in range(array.shape[1]):
            wide[line, word] = array[line, word]
    return wide


@inner
def distinguish(local, width, most):
    """Find ``own``, the itemsets that larger ones do not distinguish, and which of them contain each itemset and item.

    The largest itemsets come first. Return these bitmaps, a hash table of the lines of the first, which are in ``own``,
    and how many; -1 where this takes more than ``most`` bits.
    """
    size = local.shape[0]
    above, columns = np.zeros((size, 1), np.uint64), np.zeros((width, 1), np.uint64)
    slots, is_own, many, key = np.zeros(size_table(size), np.int64), np.zeros(size, np.bool_), 0, above[0].copy()
    for number in range(size):
        if many >> 6 == key.size:
            above, columns, key = widen(above), widen(columns), np.zeros(2 * key.size, np.uint64)
        if many * size > most:
            return above, columns, slots, is_own, -1
        for word in range(key.size):
            count = min(max(many - 64 * word, 0), 64)
            key[word] = (ONE << np.uint64(count)) - ONE if count < 64 else ~np.uint64(0)
        for place in range(width):
            if local[number, place >> 6] >> np.uint64(place & 63) & ONE:
                for word in range(key.size):
                    key[word] &= columns[place, word]
        slot = find_key(above, slots, key)
        if slots[slot]:
            bit = ONE << np.uint64(many & 63)
            for place in range(width):
                if local[number, place >> 6] >> np.uint64(place & 63) & ONE:
                    columns[place, many >> 6] |= bit
            key[many >> 6] |= bit
            is_own[number] = True
            many += 1
            slot = find_key(above, slots, key)
        for word in range(key.size):
            above[number, word] = key[word]
        slots[slot] = number + 1
    return above, columns, slots, is_own, many


@inner
def find_closure(table, key):
    """Return where ``key`` is in a table of closures, or where it would go; neighbours stay close to each other."""
    slot = np.int64((mix(np.uint64(key >> 6)) + np.uint64(key & 63)) & np.uint64(table.shape[0] - 1))
    while table[slot, 0] and table[slot, 0] != key:
        slot = (slot + 1) & (table.shape[0] - 1)
    return slot


@inner
def widen_table(table):
    """Return a table of closures that is four times as large."""
    large = np.zeros((4 * table.shape[0], 2), np.int64)
    for at in range(table.shape[0]):
        if table[at, 0]:
            slot = find_closure(large, table[at, 0])
            large[slot, 0], large[slot, 1] = table[at, 0], table[at, 1]
    return large


@inner
def add_size(sizes, number, to):
    """Add a number to another, or to itself: numbers of several digits."""
    carry = np.uint64(0)
    for digit in range(sizes.shape[1]):
        total = sizes[number, digit] + sizes[to, digit] + carry
        sizes[to, digit], carry = total & LOW, total >> DIGIT


@inner
def find_added(local, number, to):
    """Return the lowest place that one itemset has more than another, and how many it has more."""
    lowest, more = -1, 0
    for word in range(local.shape[1] - 1, -1, -1):
        added = local[to, word] & ~local[number, word]
        if added:
            lowest = 64 * word + lowest_bit(added)
            more += int(popcount(added))
    return lowest, more


@inner
def close(maps, order, items, local, above, columns, slots, table, filled, most):
    """Return the closure of each itemset with each item, twice its number and 1 more if it adds no lower item.

    Where an itemset has the item, it is -1. Return the closures of all tops as well, how many these are, -1 if they
    take more than ``most`` bits, and whether none is missing and all tops agree.
    """
    size, width = order.size, items.size
    to, key = np.empty((width, size), np.int32), np.zeros(above.shape[1], np.uint64)
    for number in range(size):
        for place in range(width):
            to[place, number] = -1
            if local[number, place >> 6] >> np.uint64(place & 63) & ONE:
                continue
            for word in range(key.size):
                key[word] = above[number, word] & columns[place, word]
            closure = slots[find_key(above, slots, key)] - 1
            if closure < 0 or local[closure, place >> 6] >> np.uint64(place & 63) & ONE == 0:
                return to, table, filled, False
            lowest, more = find_added(local, number, closure)
            to[place, number] = 2 * closure + (lowest == place)
            if more == 1:
                continue
            pair = order[number] * 64 * maps.shape[1] + items[place] + 1
            slot = find_closure(table, pair)
            if table[slot, 0] == 0:
                table[slot, 0], table[slot, 1] = pair, order[closure]
                filled += 1
                if 2 * filled > table.shape[0]:
                    if 4 * table.shape[0] * ENTRY > most:
                        return to, table, -1, False
                    table = widen_table(table)
            elif table[slot, 1] != order[closure]:
                return to, table, filled, False
    return to, table, filled, True


@jit
def count_cells(maps, supports, order, items, closures, limits):
    """Return how the itemsets in ``order`` fit, their rows and class sizes, which is the bottom, and the closures.

    ``closures`` are a hash table, the number of an itemset with one more item beside its closure, and how many there
    are; ``limits`` are the least rows of ``own`` and the most bits of memory. Rows and sizes are explained in
    discreet.blocking.verify_cells; sizes have digits of 32 bits, the lowest first.
    """
    (least, most), size, width = limits, order.size, items.size
    rows, sizes = supports[order], np.zeros((size, (width >> 5) + 1), np.uint64)
    if size * width * STEP > most:
        return TOO_LARGE, rows, sizes, 0, closures
    local = cut_out(maps, order, items)
    above, columns, slots, is_own, many = distinguish(local, width, most)
    if many < 0:
        return TOO_LARGE, rows, sizes, 0, closures
    to, table, filled, fits = close(maps, order, items, local, above, columns, slots, closures[0], closures[1], most)
    if filled < 0:
        return TOO_LARGE, rows, sizes, 0, closures
    closures, held = (table, filled), 0
    for word in range(above.shape[1]):
        held += int(popcount(above[size - 1, word]))
    if not fits or held < many:  # the smallest is within all others if it is within all of ``own``
        return MISFITS, rows, sizes, 0, closures
    sizes[size - 1, 0] = 1
    for place in range(width):
        for number in range(size):
            closure = to[place, number]
            add_size(sizes, number, number if closure < 0 else closure >> 1)
            if closure & 1 and closure > 0:
                rows[number] -= rows[closure >> 1]
                if rows[number] < 0:
                    return MISFITS, rows, sizes, 0, closures
    for number in range(size):
        fits &= rows[number] >= least or not is_own[number]
    return (FITS if fits else MISFITS), rows, sizes, order[size - 1], closures
