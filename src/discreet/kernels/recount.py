"""Kernels of the verifier alone: they recount the cells of a release. An itemset is a line of words, a bit an item."""

import numpy as np

from discreet.kernels.common import inner, jit, size_table
from discreet.kernels.shapes import ONE, Closures, Own
from discreet.kernels.words import grow, lowest_bit, mix, popcount

DIGIT = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
FITS, MISFITS, TOO_LARGE = 0, 1, 2
ENTRY = 96  # bits of memory that a closure takes


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
def find_key(own, key):
    """Return where the number of the itemset with this key is in the hash table, or where it would go."""
    hashed, low = np.uint64(0), np.uint64(own.slots.size - 1)
    for word in range(key.size):
        if key[word]:
            hashed = mix(hashed ^ key[word] ^ np.uint64(word))
    slot = np.int64(hashed & low)
    while own.slots[slot]:
        same = True
        for word in range(key.size):
            same &= own.above[own.slots[slot] - 1, word] == key[word]
        if same:
            break
        slot = (slot + 1) & (own.slots.size - 1)
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

    The largest itemsets come first. Where this takes more than ``most`` bits, ``many`` is -1.
    """
    size = local.shape[0]
    own = Own(np.zeros((size, 1), np.uint64), np.zeros((width, 1), np.uint64), np.zeros(size_table(size), np.int64))
    numbers, many, key = np.zeros(size, np.bool_), 0, np.zeros(1, np.uint64)
    for number in range(size):
        if many >> 6 == key.size:
            own, key = Own(widen(own.above), widen(own.columns), own.slots), np.zeros(2 * key.size, np.uint64)
        if many * size > most:
            return own, numbers, -1
        for word in range(key.size):
            count = min(max(many - 64 * word, 0), 64)
            key[word] = (ONE << np.uint64(count)) - ONE if count < 64 else ~np.uint64(0)
        for place in range(width):
            if local[number, place >> 6] >> np.uint64(place & 63) & ONE:
                for word in range(key.size):
                    key[word] &= own.columns[place, word]
        slot = find_key(own, key)
        if own.slots[slot]:
            bit = ONE << np.uint64(many & 63)
            for place in range(width):
                if local[number, place >> 6] >> np.uint64(place & 63) & ONE:
                    own.columns[place, many >> 6] |= bit
            key[many >> 6] |= bit
            numbers[number] = True
            many += 1
            slot = find_key(own, key)
        for word in range(key.size):
            own.above[number, word] = key[word]
        own.slots[slot] = number + 1
    return own, numbers, many


@inner
def find_closure(closures, key):
    """Return where ``key`` is among the closures, or where it would go."""
    slot = np.int64(mix(np.uint64(key)) & np.uint64(closures.keys.size - 1))
    while closures.keys[slot] and closures.keys[slot] != key:
        slot = (slot + 1) & (closures.keys.size - 1)
    return slot


@inner
def agree(closures, key, to):
    """Return the closures with this one, and whether it is what it was before."""
    slot = find_closure(closures, key)
    if closures.keys[slot]:
        return closures, closures.values[slot] == to
    closures.keys[slot], closures.values[slot] = key, to
    closures.many[0] += 1
    if 2 * closures.many[0] <= closures.keys.size:
        return closures, True
    size = 4 * closures.keys.size
    large = Closures(np.zeros(size, np.int64), np.empty(size, np.int32), closures.many)
    for at in range(closures.keys.size):
        if closures.keys[at]:
            slot = find_closure(large, closures.keys[at])
            large.keys[slot], large.values[slot] = closures.keys[at], closures.values[at]
    return large, True


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
def is_bottom(own, number, many):
    """Return whether an itemset is within all of ``own``, and so within all others."""
    held = 0
    for word in range(own.above.shape[1]):
        held += int(popcount(own.above[number, word]))
    return held == many


@jit
def count_cells(maps, supports, order, items, closures, limits):
    """Return how the itemsets in ``order`` fit, their rows and class sizes, which is the bottom, and the closures.

    ``limits`` are the least rows of ``own`` and the most bits of memory. Rows and sizes are explained in
    discreet.blocking.verify_cells; sizes have digits of 32 bits, the lowest first.
    """
    (least, most), size, width = limits, order.size, items.size
    local = cut_out(maps, order, items)
    own, numbers, many = distinguish(local, width, most)
    rows, sizes = supports[order], np.zeros((size, (width >> 5) + 1), np.uint64)
    key, fits = np.zeros(own.above.shape[1], np.uint64), is_bottom(own, size - 1, many)
    sizes[size - 1, 0] = 1
    for place in range(width if fits else 0):
        for number in range(size):
            if local[number, place >> 6] >> np.uint64(place & 63) & ONE:
                add_size(sizes, number, number)
                continue
            for word in range(key.size):
                key[word] = own.above[number, word] & own.columns[place, word]
            to = own.slots[find_key(own, key)] - 1
            lowest, more = find_added(local, number, to) if to >= 0 else (-1, 0)
            if more > 1:
                pair = order[number] * 64 * maps.shape[1] + items[place] + 1
                closures, fits = agree(closures, pair, order[to])
            if more == 0 or not fits or local[to, place >> 6] >> np.uint64(place & 63) & ONE == 0:
                return MISFITS, rows, sizes, 0, closures
            add_size(sizes, number, to)
            rows[number] -= rows[to] if lowest == place else 0
            if rows[number] < 0:
                return MISFITS, rows, sizes, 0, closures
    for number in range(size):
        fits &= rows[number] >= least or not numbers[number]
    if many < 0 or closures.keys.size * ENTRY > most:
        return TOO_LARGE, rows, sizes, 0, closures
    return (FITS if fits else MISFITS), rows, sizes, order[size - 1], closures
