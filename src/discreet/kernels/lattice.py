"""Kernels on a family of itemsets with supports: subsets, tops (maximal itemsets), and cells by Möbius inversion.

A family is CSR: ``items[offsets[i]:offsets[i + 1]]`` is itemset ``i``, in dictionary order, with ``supports[i]``. A
cell of a top is a bitmap of its items, some words: bit ``j`` is the top's ``j``-th item.
"""

import numpy as np
from numba import njit

from discreet.kernels.bits import lowest_bit, mixed, popcount
from discreet.kernels.room import grown

jit = njit(cache=True, nogil=True)

ONE = np.uint64(1)
MISSING, RISING = 1, 2
NEAR = 4


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
def check_subsets(slots, offsets, items, supports, is_open, is_held):
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
            is_open[other] |= supports[other] == supports[number]
            is_held[other] = True
    return 0, -1, -1


@jit
def missing_meet(offsets, items, cut):
    """Return two itemsets that stand near each other and have one in common that is not listed, or (-1, -1).

    Only itemsets of fewer than ``cut`` items are looked at.
    """
    slots = index(offsets, items)
    low, both = np.uint64(slots.size - 1), np.empty(cut, items.dtype)
    for number in range(offsets.size - 1):
        for before in range(max(0, number - NEAR), number):
            if max(offsets[number + 1] - offsets[number], offsets[before + 1] - offsets[before]) >= cut:
                continue
            left, right, size = offsets[before], offsets[number], 0
            while left < offsets[before + 1] and right < offsets[number + 1]:
                if items[left] == items[right]:
                    both[size] = items[left]
                    size += 1
                step = np.int64(items[left]) - np.int64(items[right])
                left += step <= 0
                right += step >= 0
            slot, listed = hashed(both, 0, size, -1) & low, False
            while slots[slot] and not listed:
                listed = is_same(offsets, items, slots[slot] - 1, both, size)
                slot = (slot + ONE) & low
            if not listed:
                return before, number
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
    """Return the trie of the itemsets, its nodes in dictionary order: item, depth, end, skip.

    The end is the number of the itemset that ends there, from 1 on, or 0; skip is the first node that is not below.
    The empty itemset has no node. All are unsigned: Numba asks of a signed place each time whether it is negative.
    """
    room, longest = items.size, 0
    node_items, depths = np.empty(room, np.uint32), np.empty(room, np.uint64)
    ends, skips = np.zeros(room, np.uint64), np.empty(room, np.uint64)
    for number in range(offsets.size - 1):
        longest = max(longest, offsets[number + 1] - offsets[number])
    path = np.empty(longest + 1, np.int64)
    size = depth = 0
    for number in range(offsets.size - 1):
        first, length = offsets[number], offsets[number + 1] - offsets[number]
        same = 0
        while same < depth and same < length and node_items[path[same]] == items[first + same]:
            same += 1
        while depth > same:
            depth -= 1
            skips[path[depth]] = size
        while depth < length:
            node_items[size] = items[first + depth]
            depths[size] = depth
            path[depth] = size
            depth += 1
            size += 1
        if length:
            ends[size - 1] = number + 1
    while depth > 0:
        depth -= 1
        skips[path[depth]] = size
    return node_items[:size].copy(), depths[:size].copy(), ends[:size].copy(), skips[:size].copy()


@jit
def gathered(offsets, items, tops, start, holders, place, chosen):
    """Return where a batch of tops from ``start`` on ends, and how many items it has: at most 64 of each.

    Each of its items gets a ``place``, a bit for each of its tops in ``holders``, and is written to ``chosen``.
    """
    stop, size = start, 0
    while stop < tops.size and stop - start < 64:
        first, last = offsets[tops[stop]], offsets[tops[stop] + 1]
        more = 0
        for at in range(first, last):
            more += holders[items[at]] == 0
        if size + more > 64:
            break
        for at in range(first, last):
            if holders[items[at]] == 0:
                place[items[at]] = size
                chosen[size] = items[at]
                size += 1
            holders[items[at]] |= ONE << np.uint64(stop - start)
        stop += 1
    return stop, size


@jit
def walk(trie, supports, holders, place, paths, stream):
    """Write the itemsets within any top of a batch to ``stream``: for which tops, bitmap, support; return how many.

    ``holders`` and ``place`` are those of ``gathered``, ``supports`` by the ends of nodes. ``paths`` has a line for
    each depth, tops and bitmap; the first says all, and none.
    """
    node_items, depths, ends, skips = trie
    above, prefixes = paths
    alive_tops, maps, counts = stream
    size, node, nodes = np.uint64(0), np.uint64(0), np.uint64(node_items.size)
    while node < nodes:
        item, depth, end = node_items[node], depths[node], ends[node]
        alive = above[depth] & holders[item]
        prefix = prefixes[depth] | ONE << place[item]
        above[depth + ONE] = alive
        prefixes[depth + ONE] = prefix
        # No branches to guess: what does not count is written over.
        alive_tops[size] = alive
        maps[size] = prefix
        counts[size] = supports[end]
        size += np.uint64((alive != 0) & (end > 0))
        node = node + ONE if alive else skips[node]
    return np.int64(size)


@jit
def deal(stream, size, starts, maps, counts):
    """Give each top of a batch its itemsets: top ``t`` gets those from ``starts[t]`` to ``starts[t + 1]``."""
    alive_tops, stream_maps, stream_counts = stream
    starts[:] = 0
    for entry in range(size):
        alive = alive_tops[entry]
        while alive:
            starts[lowest_bit(alive) + 2] += 1
            alive &= alive - ONE
    for top in range(64):
        starts[top + 2] += starts[top + 1]
    if starts[65] > maps.size:
        maps, counts = np.empty(2 * starts[65], np.uint64), np.empty(2 * starts[65], np.int64)
    for entry in range(size):
        alive = alive_tops[entry]
        while alive:
            at = starts[lowest_bit(alive) + 1]
            maps[at] = stream_maps[entry]
            counts[at] = stream_counts[entry]
            starts[lowest_bit(alive) + 1] += 1
            alive &= alive - ONE
    return maps, counts


@jit
def invert(maps, counts, first, last, root, order, cells, held):
    """Write the cells that are not 0 to ``cells`` and ``held``; return how many.

    A support is the sum of the cells above it, so the largest itemsets come first, and each cell is what its support
    has left. The itemsets from ``first`` to ``last``, and the empty one if its support ``root`` is not 0, must be all
    that some row meets the top in. ``order`` has room for them.
    """
    starts = np.zeros(66, np.int64)
    for number in range(first, last):
        starts[65 - np.int64(popcount(maps[number]))] += 1
    for length in range(65):
        starts[length + 1] += starts[length]
    for number in range(first, last):
        place = 64 - np.int64(popcount(maps[number]))
        order[starts[place]] = number
        starts[place] += 1
    many = 0
    for number in order[: last - first]:
        left = counts[number]
        for cell in range(many):
            left -= held[cell] if cells[cell] & maps[number] == maps[number] else 0
        if left != 0:
            cells[many] = maps[number]
            held[many] = left
            many += 1
    if root:
        cells[many] = 0
        held[many] = root
        for cell in range(many):
            held[many] -= held[cell]
        many += held[many] != 0
    return many


@jit
def cells_of_closed(trie, offsets, items, supports, tops, many, limit):
    """Return the cells of ``tops`` that hold fewer than ``limit`` rows, and itemsets met: top, bitmap, number of rows.

    Tops are numbers of closed itemsets of at most 64 items, of which there are ``many`` in all; ``supports`` starts
    with that of the empty itemset, or 0 if it is not listed. A row meets a closed itemset in a closed one, so the
    itemsets within a top are enough. A negative number of rows tells that no rows have these supports.
    """
    total = supports.size
    holders, place, chosen = np.zeros(many, np.uint64), np.zeros(many, np.uint64), np.empty(64, np.int64)
    paths = (np.full(66, ~np.uint64(0), np.uint64), np.zeros(66, np.uint64))
    stream = (np.empty(total + 1, np.uint64), np.empty(total + 1, np.uint64), np.empty(total + 1, np.int64))
    starts, maps, counts = np.empty(66, np.int64), np.empty(1024, np.uint64), np.empty(1024, np.int64)
    order, cells, held = np.empty(total + 1, np.int64), np.empty(total + 1, np.uint64), np.empty(total + 1, np.int64)
    found, met, room = 0, 0, 1024
    found_tops, found_maps = np.empty(room, np.int32), np.empty(room, np.uint64)
    found_counts = np.empty(room, np.int64)
    start = 0
    while start < tops.size:
        stop, used = gathered(offsets, items, tops, start, holders, place, chosen)
        size = walk(trie, supports, holders, place, paths, stream)
        maps, counts = deal(stream, size, starts, maps, counts)
        met += starts[64]
        for number in range(start, stop):
            first, last = offsets[tops[number]], offsets[tops[number] + 1]
            many_cells = invert(
                maps, counts, starts[number - start], starts[number - start + 1], supports[0], order, cells, held
            )
            if found + many_cells > room:
                room = 2 * (found + many_cells)
                found_tops, found_counts = grown(found_tops, room), grown(found_counts, room)
                found_maps = grown(found_maps, room)
            for cell in range(many_cells):
                if held[cell] < limit:
                    found_tops[found] = number
                    found_counts[found] = held[cell]
                    found_maps[found] = 0
                    for at in range(first, last):
                        found_maps[found] |= (cells[cell] >> place[items[at]] & ONE) << np.uint64(at - first)
                    found += 1
        for at in range(used):
            holders[chosen[at]] = 0
        start = stop
    return found_tops[:found].copy(), found_maps[:found].copy(), found_counts[:found].copy(), met


@jit
def differences(trie, offsets, items, supports, many, k, most):
    """Return pairs of itemsets, the second a superset, whose supports differ by 1 to k − 1: at most ``most``."""
    node_items, _, ends, skips = trie
    inside, found = np.zeros(many, np.bool_), 0
    pairs = np.empty((1024, 2), np.int64)
    for number in range(offsets.size - 1):
        for at in range(offsets[number], offsets[number + 1]):
            inside[items[at]] = True
        # The empty itemset has no node: it is first, if it is listed.
        node, smaller = np.int64(-1), np.int64(0 if offsets[0] == offsets[1] else -1)
        while node < node_items.size and found < most:
            if node >= 0:
                if not inside[node_items[node]]:
                    node = np.int64(skips[node])
                    continue
                smaller = np.int64(ends[node]) - 1
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
def invert_words(maps, counts, size, cells, held):
    """Do what ``invert`` does for bitmaps of several words, a line a word."""
    words = maps.shape[0]
    lengths = np.zeros(size, np.int64)
    for number in range(size):
        for word in range(words):
            lengths[number] -= np.int64(popcount(maps[word, number]))
    many = 0
    for number in np.argsort(lengths, kind="mergesort"):
        left = counts[number]
        for cell in range(many):
            left -= held[cell] if is_within(maps, number, cells, cell) else 0
        if left != 0:
            for word in range(words):
                cells[word, many] = maps[word, number]
            held[many] = left
            many += 1
    return many


@jit
def cells_of(offsets, items, supports, tops, many, words, limit):
    """Return the cells of ``tops`` that hold fewer than ``limit`` rows: top, bitmap of some words, number of rows.

    Tops are numbers of itemsets, which need not be closed, of ``many`` items: every itemset counts that meets a top.
    """
    place, total = np.full(many, -1, np.int64), offsets.size - 1
    maps, counts = np.empty((words, total + 1), np.uint64), np.empty(total + 1, np.int64)
    cells, held = np.empty((words, total + 1), np.uint64), np.empty(total + 1, np.int64)
    numbers = np.empty(total + 1, np.int64)
    found, room = 0, 1024
    found_tops, found_maps = np.empty(room, np.int32), np.empty((room, words), np.uint64)
    found_counts = np.empty(room, np.int64)
    for number in range(tops.size):
        first, last = offsets[tops[number]], offsets[tops[number] + 1]
        for at in range(first, last):
            place[items[at]] = at - first
        size = meet(offsets, items, supports, place, maps, counts, numbers)
        for at in range(first, last):
            place[items[at]] = -1
        many_cells = invert_words(maps, counts, size, cells, held)
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
    return found_tops[:found].copy(), found_maps[:found].copy(), found_counts[:found].copy()


@jit
def cells_of_all(slots, offsets, items, supports, tops, limit):
    """Return the cells of ``tops`` that hold fewer than ``limit`` rows: top, bitmap, number of rows.

    All subsets of tops are listed, and each has the support that is: nothing is taken for granted. A support is the
    sum of the cells above it, so an item after the other is taken off.
    """
    found, room, low = 0, 1024, np.uint64(slots.size - 1)
    found_tops, found_maps = np.empty(room, np.int32), np.empty(room, np.uint64)
    found_counts = np.empty(room, np.int64)
    for number in range(tops.size):
        first, last = offsets[tops[number]], offsets[tops[number] + 1]
        size, wanted = 1 << (last - first), np.empty(last - first, items.dtype)
        held = np.empty(size, np.int64)
        for subset in range(size):
            length = 0
            for at in range(last - first):
                if subset >> at & 1:
                    wanted[length] = items[first + at]
                    length += 1
            slot = hashed(wanted, 0, length, -1) & low
            while not is_same(offsets, items, slots[slot] - 1, wanted, length):
                slot = (slot + ONE) & low
            held[subset] = supports[slots[slot] - 1]
        for at in range(last - first):
            for subset in range(size):
                if not subset >> at & 1:
                    held[subset] -= held[subset | 1 << at]
        for cell in range(size):
            if held[cell] != 0 and held[cell] < limit:
                if found == room:
                    room *= 2
                    found_tops, found_counts = grown(found_tops, room), grown(found_counts, room)
                    found_maps = grown(found_maps, room)
                found_tops[found] = number
                found_maps[found] = cell
                found_counts[found] = held[cell]
                found += 1
    return found_tops[:found].copy(), found_maps[:found].copy(), found_counts[:found].copy()


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
