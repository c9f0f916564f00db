"""Kernels that join itemsets by the values of an attribute; an itemset is a line of words, with a bit for each item."""

import numpy as np

from discreet.kernels.common import inner, jit, size_table
from discreet.kernels.shapes import ONE, Joined
from discreet.kernels.words import grow, lowest_bit, mix, popcount


@inner
def make_joined(many, words):
    """Return room for ``many`` itemsets, none yet."""
    rests, values = np.empty((many, words), np.uint64), np.zeros((many, words), np.uint64)
    return Joined(rests, values, np.zeros(size_table(many), np.int64))


@inner
def find_slot(joined, rest):
    """Return where the number of ``rest`` is in the hash table, or where it would go."""
    word, low = np.uint64(0), np.uint64(joined.slots.size - 1)
    for at in range(rest.size):
        word = mix(word ^ rest[at])
    slot = word & low
    while joined.slots[slot]:
        other, same = joined.slots[slot] - 1, True
        for at in range(rest.size):
            same &= joined.rests[other, at] == rest[at]
        if same:
            break
        slot = (slot + ONE) & low
    return slot


@inner
def put(joined, many, rest, values):
    """Add values to those of ``rest``; return all with room for one more, and how many there are."""
    slot = find_slot(joined, rest)
    if joined.slots[slot] == 0:
        if many == joined.rests.shape[0]:
            joined = Joined(grow(joined.rests, 2 * many), grow(joined.values, 2 * many), np.zeros(4 * many, np.int64))
            for number in range(many):
                joined.slots[find_slot(joined, joined.rests[number])] = number + 1
            slot = find_slot(joined, rest)
        joined.slots[slot] = many + 1
        for at in range(rest.size):
            joined.rests[many, at], joined.values[many, at] = rest[at], 0
        many += 1
    number = joined.slots[slot] - 1
    for at in range(rest.size):
        joined.values[number, at] |= values[at]
    return joined, many


@jit
def join(tops, group, most):
    """Return the tops joined by the values of a ``group``, after those without any; and how many steps that took.

    Two join if each has a value that the other lacks: the items that they share, with all their values. If it takes
    more than ``most`` steps, it ends early.
    """
    words = tops.shape[1]
    parts, many, others = make_joined(16, words), 0, 0
    rest, values, without = np.empty(words, np.uint64), np.empty(words, np.uint64), np.empty(tops.shape, np.uint64)
    for number in range(tops.shape[0]):
        held = np.uint64(0)
        for at in range(words):
            values[at] = tops[number, at] & group[at]
            rest[at] = tops[number, at] & ~group[at]
            held |= values[at]
        if held:
            parts, many = put(parts, many, rest, values)
        else:
            for at in range(words):
                without[others, at] = tops[number, at]
            others += 1
    joined, size, steps = make_joined(16, words), 0, 0
    both = make_joined(16, words)
    for number in range(many):
        steps += size + 1
        if steps > most:
            break
        if both.rests.shape[0] < size:
            both = make_joined(2 * size, words)
        found = 0
        for other in range(size):
            more, less = np.uint64(0), np.uint64(0)
            for at in range(words):
                more |= parts.values[number, at] & ~joined.values[other, at]
                less |= joined.values[other, at] & ~parts.values[number, at]
            if more and less:
                for at in range(words):
                    both.rests[found, at] = parts.rests[number, at] & joined.rests[other, at]
                    both.values[found, at] = parts.values[number, at] | joined.values[other, at]
                found += 1
        joined, size = put(joined, size, parts.rests[number], parts.values[number])
        for other in range(found):
            joined, size = put(joined, size, both.rests[other], both.values[other])
    every = np.empty((others + size, words), np.uint64)
    for number in range(others):
        for at in range(words):
            every[number, at] = without[number, at]
    for number in range(size):
        for at in range(words):
            every[others + number, at] = joined.rests[number, at] | joined.values[number, at]
    return every, steps


@jit
def list_items(itemsets):
    """Return the itemsets laid flat: where each starts, and the places of its bits."""
    offsets = np.zeros(itemsets.shape[0] + 1, np.int64)
    for number in range(itemsets.shape[0]):
        offsets[number + 1] = offsets[number]
        for at in range(itemsets.shape[1]):
            offsets[number + 1] += popcount(itemsets[number, at])
    items, size = np.empty(offsets[-1], np.int32), 0
    for number in range(itemsets.shape[0]):
        for at in range(itemsets.shape[1]):
            word = itemsets[number, at]
            while word:
                items[size] = 64 * at + lowest_bit(word)
                word &= word - ONE
                size += 1
    return offsets, items
