"""Kernels on a family of itemsets with supports: subsets, tops (maximal itemsets), and cells by Möbius inversion.

A family is CSR: ``items[offsets[i]:offsets[i + 1]]`` is itemset ``i``, in dictionary order, with ``supports[i]``. A
cell of a top is a bitmap of its items, some words: bit ``j`` is the top's ``j``-th item.
"""

import numpy as np
from numba import njit

from discreet.kernels.bits import mixed, popcount
from discreet.kernels.room import grown

jit = njit(cache=True, nogil=True)

ONE = np.uint64(1)
MISSING, RISING = 1, 2
ITEM, DEPTH, END, SKIP = 0, 1, 2, 3


@jit
def by_length(offsets):
    """Return the numbers of the itemsets, longest first; of those of one length the first first."""
    total = offsets.size - 1
    longest = 0
    for number in range(total):
        longest = max(longest, offsets[number + 1] - offsets[number])
    starts = np.zeros(longest + 2, np.int64)
    for number in range(total):
        starts[longest - (offsets[number + 1] - offsets[number]) + 1] += 1
    for length in range(longest + 1):
        starts[length + 1] += starts[length]
    order = np.empty(total, np.int64)
    for number in range(total):
        length = longest - (offsets[number + 1] - offsets[number])
        order[starts[length]] = number
        starts[length] += 1
    return order


@jit
def maximal(offsets, items, many):
    """Return for each itemset whether no other one holds all its items; there are ``many`` items, no itemset twice.

    Longer itemsets come first: a shorter one is maximal if no maximal one so far holds it. These are kept as a bitmap
    of itemsets for each item.
    """
    found = np.zeros(offsets.size - 1, np.bool_)
    held, tops = np.zeros((many, 4), np.uint64), 0
    for number in by_length(offsets):
        first, last = offsets[number], offsets[number + 1]
        if is_held(items, first, last, held, tops):
            continue
        found[number] = True
        if tops >> 6 >= held.shape[1]:
            wider = np.zeros((many, 2 * held.shape[1]), np.uint64)
            wider[:, : held.shape[1]] = held
            held = wider
        for at in range(first, last):
            held[items[at], tops >> 6] |= ONE << np.uint64(tops & 63)
        tops += 1
    return found


@jit
def is_held(items, first, last, held, tops):
    """Return whether one of so many ``tops``, of which each item has a bitmap, holds the items from first to last."""
    if first == last:
        return tops > 0
    for word in range((tops + 63) >> 6):
        bits = held[items[first], word]
        at = first + 1
        while bits and at < last:
            bits &= held[items[at], word]
            at += 1
        if bits:
            return True
    return False


@jit
def hashed(items, first, last, without):
    """Return a hash of the items from first to last, the one at ``without`` left out."""
    word = np.uint64(0)
    for at in range(first, last):
        if at != without:
            word = mixed(word ^ np.uint64(items[at] + 1))
    return word


@jit
def index(offsets, items):
    """Return a hash table of the itemsets: their numbers from 1, 0 for empty; its size is a power of 2."""
    size = 16
    while size < 2 * offsets.size:
        size *= 2
    slots, low = np.zeros(size, np.int64), np.uint64(size - 1)
    for number in range(offsets.size - 1):
        slot = hashed(items, offsets[number], offsets[number + 1], -1) & low
        while slots[slot]:
            slot = (slot + ONE) & low
        slots[slot] = number + 1
    return slots


@jit
def find_without(slots, offsets, items, number, without):
    """Return the number of the itemset that is ``number`` without its item at ``without``; -1 if there is none."""
    first, last = offsets[number], offsets[number + 1]
    low = np.uint64(slots.size - 1)
    slot = hashed(items, first, last, without) & low
    while slots[slot]:
        other = slots[slot] - 1
        if offsets[other + 1] - offsets[other] == last - first - 1:
            at, same = offsets[other], True
            for i in range(first, last):
                if i != without:
                    same &= items[at] == items[i]
                    at += 1
            if same:
                return other
        slot = (slot + ONE) & low
    return np.int64(-1)


@jit
def check_subsets(slots, offsets, items, supports, is_open):
    """Return (what is wrong, itemset, place of the item without which it is so), or (0, -1, -1).

    Wrong is an itemset whose subset without one item is MISSING, or that has more support than it (RISING). An
    itemset that has a superset of its support is marked in ``is_open``.
    """
    for number in range(offsets.size - 1):
        for at in range(offsets[number], offsets[number + 1]):
            other = find_without(slots, offsets, items, number, at)
            if other < 0:
                return MISSING, number, at - offsets[number]
            if supports[other] < supports[number]:
                return RISING, number, at - offsets[number]
            if supports[other] == supports[number]:
                is_open[other] = True
    return 0, -1, -1


@jit
def missing_meet(offsets, items, cut):
    """Return two neighbours of which the itemset that both hold is not listed, or (-1, -1).

    Only itemsets of fewer than ``cut`` items are looked at, as if the others were not there.
    """
    slots = index(offsets, items)
    low, both = np.uint64(slots.size - 1), np.empty(cut, items.dtype)
    before = -1
    for number in range(offsets.size - 1):
        if offsets[number + 1] - offsets[number] >= cut:
            continue
        if before >= 0:
            left, right, size = offsets[before], offsets[number], 0
            while left < offsets[before + 1] and right < offsets[number + 1]:
                if items[left] == items[right]:
                    both[size] = items[left]
                    size += 1
                    left += 1
                    right += 1
                elif items[left] < items[right]:
                    left += 1
                else:
                    right += 1
            slot, listed = hashed(both, 0, size, -1) & low, False
            while slots[slot] and not listed:
                listed = is_same(offsets, items, slots[slot] - 1, both, size)
                slot = (slot + ONE) & low
            if not listed:
                return before, number
        before = number
    return -1, -1


@jit
def may_be_cut(offsets, items, longest, many):
    """Return whether longer itemsets than the ``longest`` may have been left out.

    If a longer one was frequent, all its parts of that length were, and are listed: so an itemset and an item more are
    looked for of which all such parts are listed. There are ``many`` items.
    """
    numbers = np.flatnonzero(offsets[1:] - offsets[:-1] == longest)
    chosen, starts = np.empty(numbers.size * longest, items.dtype), np.arange(numbers.size + 1) * longest
    used = np.zeros(many, np.bool_)
    for at in range(numbers.size):
        for i in range(longest):
            chosen[at * longest + i] = items[offsets[numbers[at]] + i]
            used[chosen[at * longest + i]] = True
    slots, wider = index(starts, chosen), np.empty(longest + 1, items.dtype)
    low = np.uint64(slots.size - 1)
    for number in range(numbers.size):
        for item in range(many):
            place = longest
            for i in range(longest - 1, -1, -1):
                if chosen[starts[number] + i] >= item:
                    place = i
            if not used[item] or (place < longest and chosen[starts[number] + place] == item):
                continue
            for i in range(longest + 1):
                wider[i] = item if i == place else chosen[starts[number] + i - (i > place)]
            listed, without = True, 0
            while listed and without <= longest:
                slot = hashed(wider, 0, longest + 1, without) & low
                listed = False
                while slots[slot] and not listed:
                    listed = is_rest(chosen, starts[slots[slot] - 1], wider, without)
                    slot = (slot + ONE) & low
                without += 1
            if listed:
                return True
    return False


@jit
def is_rest(items, start, wider, without):
    """Return whether the items from ``start`` are ``wider`` without the item at ``without``."""
    for at in range(wider.size - 1):
        if items[start + at] != wider[at + (at >= without)]:
            return False
    return True


@jit
def is_same(offsets, items, number, wanted, size):
    """Return whether an itemset is ``wanted[:size]``."""
    if offsets[number + 1] - offsets[number] != size:
        return False
    for at in range(size):
        if items[offsets[number] + at] != wanted[at]:
            return False
    return True


@jit
def look_up(slots, offsets, items, wanted_offsets, wanted_items, wanted_supports, supports):
    """Give each of the itemsets that is wanted its support; all of them are listed."""
    low = np.uint64(slots.size - 1)
    for number in range(wanted_offsets.size - 1):
        first, last = wanted_offsets[number], wanted_offsets[number + 1]
        slot = hashed(wanted_items, first, last, -1) & low
        while not is_same(offsets, items, slots[slot] - 1, wanted_items[first:last], last - first):
            slot = (slot + ONE) & low
        supports[slots[slot] - 1] = wanted_supports[number]


@jit
def item_supports(offsets, items, supports, many):
    """Return for each item the largest support of an itemset that holds it, 0 for none."""
    result = np.zeros(many, np.int64)
    for number in range(offsets.size - 1):
        for at in range(offsets[number], offsets[number + 1]):
            result[items[at]] = max(result[items[at]], supports[number])
    return result


@jit
def inherit(slots, offsets, items, supports):
    """Raise the support of each itemset to that of its supersets: longest first, each hands its own on."""
    for number in by_length(offsets):
        for at in range(offsets[number], offsets[number + 1]):
            other = find_without(slots, offsets, items, number, at)
            supports[other] = max(supports[other], supports[number])


@jit
def plant(offsets, items):
    """Return the trie of the itemsets, a line a node in dictionary order: ITEM, DEPTH, END, SKIP.

    END is the itemset that ends there, or -1, and SKIP the first node that is not below. The empty itemset has no node.
    """
    trie, longest = np.empty((items.size, 4), np.int32), 0
    for number in range(offsets.size - 1):
        longest = max(longest, offsets[number + 1] - offsets[number])
    path = np.empty(longest + 1, np.int64)
    size = depth = 0
    for number in range(offsets.size - 1):
        first, length = offsets[number], offsets[number + 1] - offsets[number]
        same = 0
        while same < depth and same < length and trie[path[same], ITEM] == items[first + same]:
            same += 1
        while depth > same:
            depth -= 1
            trie[path[depth], SKIP] = size
        while depth < length:
            trie[size, ITEM], trie[size, DEPTH], trie[size, END] = items[first + depth], depth, -1
            path[depth] = size
            depth += 1
            size += 1
        if length:
            trie[size - 1, END] = number
    while depth > 0:
        depth -= 1
        trie[path[depth], SKIP] = size
    return trie[:size].copy()


@jit
def below(trie, offsets, supports, place, prefixes, maps, counts):
    """Write the itemsets within a top to ``maps`` (a line a word) and ``counts``; return how many, and nodes visited.

    ``place[item]`` is the item's bit, -1 where it is not in the top. ``prefixes`` has a line for each depth; the first
    is 0.
    """
    words, size, visits = maps.shape[0], 0, 0
    if offsets.size > 1 and offsets[0] == offsets[1]:
        maps[:, 0] = 0
        counts[0] = supports[0]
        size = 1
    node = np.int64(0)
    while node < trie.shape[0]:
        visits += 1
        bit, depth, end = place[trie[node, ITEM]], trie[node, DEPTH], trie[node, END]
        if words == 1:
            # No branches to guess: what does not count is written over.
            prefixes[depth + 1, 0] = prefixes[depth, 0] | ONE << np.uint64(bit & 63)
            maps[0, size] = prefixes[depth + 1, 0]
            counts[size] = supports[max(end, 0)]
            size += (bit >= 0) & (end >= 0)
            node = node + 1 if bit >= 0 else np.int64(trie[node, SKIP])
            continue
        if bit < 0:
            node = np.int64(trie[node, SKIP])
            continue
        for word in range(words):
            prefixes[depth + 1, word] = prefixes[depth, word]
        prefixes[depth + 1, bit >> 6] |= ONE << np.uint64(bit & 63)
        if end >= 0:
            for word in range(words):
                maps[word, size] = prefixes[depth + 1, word]
            counts[size] = supports[end]
            size += 1
        node += 1
    return size, visits


@jit
def differences(trie, offsets, items, supports, many, k, most):
    """Return pairs of itemsets, the second a superset, whose supports differ by 1 to k − 1: at most ``most``."""
    inside, found = np.zeros(many, np.bool_), 0
    pairs = np.empty((1024, 2), np.int64)
    for number in range(offsets.size - 1):
        for at in range(offsets[number], offsets[number + 1]):
            inside[items[at]] = True
        # The empty itemset has no node: it is first, if it is listed.
        node, smaller = np.int64(-1), np.int64(0 if offsets[0] == offsets[1] else -1)
        while node < trie.shape[0] and found < most:
            if node >= 0:
                if not inside[trie[node, ITEM]]:
                    node = np.int64(trie[node, SKIP])
                    continue
                smaller = np.int64(trie[node, END])
            node += 1
            if smaller >= 0 and 0 < supports[smaller] - supports[number] < k:
                if found == pairs.shape[0]:
                    pairs = grown(pairs, 2 * found)
                pairs[found, 0], pairs[found, 1] = smaller, number
                found += 1
        for at in range(offsets[number], offsets[number + 1]):
            inside[items[at]] = False
    return pairs[:found].copy()


@jit
def meet(offsets, items, supports, place, maps, counts, numbers):
    """Write how the itemsets meet a top: each different intersection, its support, and whose that is.

    An intersection that is not listed has the largest support of an itemset that holds it, and of several that of the
    shortest. Return how many there are.
    """
    words, size, room = maps.shape[0], 0, 16
    while room < 2 * offsets.size:
        room *= 2
    slots, low = np.zeros(room, np.int64), np.uint64(room - 1)
    for number in range(offsets.size - 1):
        for word in range(words):
            maps[word, size] = 0
        for at in range(offsets[number], offsets[number + 1]):
            bit = place[items[at]]
            if bit >= 0:
                maps[bit >> 6, size] |= ONE << np.uint64(bit & 63)
        slot = np.uint64(0)
        for word in range(words):
            slot = mixed(slot ^ maps[word, size])
        slot &= low
        while slots[slot]:
            other, same = slots[slot] - 1, True
            for word in range(words):
                same &= maps[word, other] == maps[word, size]
            if same:
                break
            slot = (slot + ONE) & low
        if not slots[slot]:
            counts[size] = supports[number]
            numbers[size] = number
            size += 1
            slots[slot] = size
            continue
        other = slots[slot] - 1
        if is_better(offsets, supports, number, numbers[other]):
            counts[other] = supports[number]
            numbers[other] = number
    for one in range(size):
        length = 0
        for word in range(words):
            length += popcount(maps[word, one])
        if length == offsets[numbers[one] + 1] - offsets[numbers[one]]:
            continue
        for other in range(size):
            if is_within(maps, one, maps, other) and is_better(offsets, supports, numbers[other], numbers[one]):
                counts[one] = counts[other]
                numbers[one] = numbers[other]
    return size


@jit
def is_better(offsets, supports, number, other):
    """Return whether an itemset has more support than another, or the same and fewer items."""
    if supports[number] != supports[other]:
        return supports[number] > supports[other]
    return offsets[number + 1] - offsets[number] < offsets[other + 1] - offsets[other]


@jit
def invert(maps, counts, size, cells, held):
    """Write the cells that are not 0 to ``cells`` and ``held``; return how many.

    A support is the sum of the cells above it, so the largest itemsets come first, and each cell is what its support
    has left. The itemsets must be among them that some row meets the top in.
    """
    words = maps.shape[0]
    starts, lengths = np.zeros(64 * words + 2, np.int64), np.empty(size, np.int64)
    for number in range(size):
        length = 0
        for word in range(words):
            length += popcount(maps[word, number])
        lengths[number] = 64 * words - length
        starts[lengths[number] + 1] += 1
    for length in range(64 * words + 1):
        starts[length + 1] += starts[length]
    order = np.empty(size, np.int64)
    for number in range(size):
        order[starts[lengths[number]]] = number
        starts[lengths[number]] += 1
    many = 0
    for number in order:
        left = counts[number]
        if words == 1:  # Numba finds no better code for a loop of one turn
            for cell in range(many):
                left -= held[cell] if cells[0, cell] & maps[0, number] == maps[0, number] else 0
        else:
            for cell in range(many):
                left -= held[cell] if is_within(maps, number, cells, cell) else 0
        if left != 0:
            for word in range(words):
                cells[word, many] = maps[word, number]
            held[many] = left
            many += 1
    return many


@jit
def cells_of(trie, offsets, items, supports, tops, many, longest, cut, limit):
    """Return the cells of ``tops`` that hold fewer than ``limit`` rows, and nodes visited: top, bitmap, number of rows.

    Tops are numbers of itemsets. There are ``many`` items; a negative number of rows tells that no rows have these
    supports. If longer itemsets than the ``longest`` were ``cut``, tops of that length may not be closed: there every
    itemset counts that meets the top. For the others those within it are enough: a row meets a closed itemset in a
    closed one.
    """
    place = np.full(many, -1, np.int64)
    words, total = max(1, (longest + 63) >> 6), offsets.size - 1
    maps, counts = np.empty((words, total + 1), np.uint64), np.empty(total + 1, np.int64)
    cells, held = np.empty((words, total + 1), np.uint64), np.empty(total + 1, np.int64)
    numbers = np.empty(total + 1, np.int64)
    prefixes = np.zeros((longest + 1, words), np.uint64)
    found, visited, room = 0, 0, 1024
    found_tops, found_maps = np.empty(room, np.int32), np.empty((room, words), np.uint64)
    found_counts = np.empty(room, np.int64)
    for number in range(tops.size):
        first, last = offsets[tops[number]], offsets[tops[number] + 1]
        for at in range(first, last):
            place[items[at]] = at - first
        if last - first < longest or not cut:
            size, visits = below(trie, offsets, supports, place, prefixes, maps, counts)
            visited += visits
        else:
            size = meet(offsets, items, supports, place, maps, counts, numbers)
            visited += items.size
        for at in range(first, last):
            place[items[at]] = -1
        many_cells = invert(maps, counts, size, cells, held)
        if found + many_cells > room:
            room = 2 * (found + many_cells)
            found_tops, found_counts = grown(found_tops, room), grown(found_counts, room)
            found_maps = grown(found_maps, room)
        for cell in range(many_cells):
            if held[cell] < limit:
                found_tops[found] = number
                found_counts[found] = held[cell]
                for word in range(words):
                    found_maps[found, word] = cells[word, cell]
                found += 1
    return found_tops[:found].copy(), found_maps[:found].copy(), found_counts[:found].copy(), visited


@jit
def coefficients(maps, counts, size, base):
    """Return how often each support counts in the sum that is the cell ``base``: the Möbius function of the family.

    Only itemsets count that hold ``base`` and have no superset of the same support; the smallest of them counts once.
    """
    words = maps.shape[0]
    chosen, lengths, many = np.empty(size, np.int64), np.empty(size, np.int64), 0
    for number in range(size):
        if is_within(base, 0, maps, number):
            chosen[many], lengths[many] = number, 0
            for word in range(words):
                lengths[many] += popcount(maps[word, number])
            many += 1
    order, result = chosen[:many][np.argsort(lengths[:many], kind="mergesort")], np.zeros(size, np.int64)
    for at in range(many):
        number, free = order[at], True
        for after in order[at + 1 :]:
            if counts[after] == counts[number] and is_within(maps, number, maps, after):
                free = False
                break
        if not free:
            continue
        result[number] = 1
        for before in order[:at]:
            if result[before] != 0 and is_within(maps, before, maps, number):
                # The first that counts does so once; each other takes back what those below it have given.
                result[number] = 0
                break
        if result[number] == 0:
            for before in order[:at]:
                if result[before] != 0 and is_within(maps, before, maps, number):
                    result[number] -= result[before]
    return result


@jit
def is_within(maps, small, others, large):
    """Return whether bitmap ``small`` of ``maps`` is part of bitmap ``large`` of ``others``."""
    for word in range(maps.shape[0]):
        if maps[word, small] & others[word, large] != maps[word, small]:
            return False
    return True
