"""Kernels of hiding: remove items from rows, check that nothing else changed, and weigh possible losses.

``marks`` stand beside the items of all rows: KEPT, REMOVED, or FINAL for one that must not come back.
``maps[item]`` has a bit for each row that holds the item; an itemset has at least one item.
"""

import numpy as np

from discreet.kernels.common import find_longest, inner, jit
from discreet.kernels.shapes import ONE
from discreet.kernels.words import lowest_bit, popcount

KEPT, REMOVED, FINAL = 0, 1, 2
ALL = ~np.uint64(0)


@jit
def add_degrees(rows, degrees):
    """Add 1 to the degree of each row in ``rows``."""
    for row in rows:
        degrees[row] += 1


@jit
def choose(rows, ranks, chosen):
    """Fill ``chosen`` with the rows of least rank (from 0 on), the earlier ones where ranks tie, in their order."""
    highest = np.int64(0)
    for rank in ranks:
        highest = max(highest, rank)
    times = np.zeros(highest + 1, np.int64)
    for rank in ranks:
        times[rank] += 1
    last, left, size = 0, chosen.size, 0
    while times[last] < left:
        left -= times[last]
        last += 1
    for at in range(rows.size):
        is_last = ranks[at] == last and left > 0
        if ranks[at] < last or is_last:
            chosen[size] = rows[at]
            size += 1
            left -= is_last


@jit
def note_itemset(rows, number, words):
    """Set bit ``number`` of the words of each row in ``rows``."""
    for row in rows:
        words[row, number >> 6] |= ONE << np.uint64(number & 63)


@jit
def mark_losses(offsets, items, lost, line, removed, final, marks):
    """Mark the items that rows lose with the itemsets whose bits are set in ``lost``; a higher mark stays.

    An item with a line (not -1) goes with the itemsets of that line of ``removed``, for good with those of ``final``.
    """
    for row in range(offsets.size - 1):
        every = np.uint64(0)
        for word in range(lost.shape[1]):
            every |= lost[row, word]
        if every == 0:
            continue
        for at in range(offsets[row], offsets[row + 1]):
            place, sign = line[items[at]], KEPT
            if place >= 0:
                for word in range(lost.shape[1]):
                    if lost[row, word] & removed[place, word]:
                        sign = max(sign, FINAL if lost[row, word] & final[place, word] else REMOVED)
                marks[at - offsets[0]] = max(marks[at - offsets[0]], sign)


@jit
def keep_one(offsets, items, supports, marks):
    """Keep the item of highest support, the first on a tie, of each row that loses all items; FINAL items never."""
    first = offsets[0]
    for row in range(offsets.size - 1):
        at, stop, best = offsets[row], offsets[row + 1], -1
        while at < stop and marks[at - first] != KEPT:
            at += 1
        if at < stop:
            continue
        for place in range(offsets[row], stop):
            if marks[place - first] == REMOVED and (best < 0 or supports[items[place]] > supports[items[best]]):
                best = place
        if best >= 0:
            marks[best - first] = KEPT


@jit
def list_marked(offsets, items, marks):
    """Return the rows with removed items, where the items of each start, and the items."""
    many = 0
    for at in range(marks.size):
        many += marks[at] != KEPT
    changed, starts, removed = np.empty(many, np.int64), np.empty(many + 1, np.int64), np.empty(many, np.int32)
    rows = size = 0
    for row in range(offsets.size - 1):
        before = size
        for at in range(offsets[row], offsets[row + 1]):
            if marks[at - offsets[0]] != KEPT:
                removed[size] = items[at]
                size += 1
        if size > before:
            changed[rows], starts[rows] = row, before
            rows += 1
    starts[rows] = size
    return changed[:rows].copy(), starts[: rows + 1].copy(), removed[:size].copy()


@jit
def drop_items(offsets, items, changed, starts, removed, new_offsets, new_items):
    """Write the rows without the removed items, which they hold; return how many are left. All numbers rise."""
    size = change = 0
    for row in range(offsets.size - 1):
        new_offsets[row] = size
        gone = end = np.int64(0)
        if change < changed.size and changed[change] == row:
            gone, end, change = starts[change], starts[change + 1], change + 1
        for at in range(offsets[row], offsets[row + 1]):
            if gone < end and removed[gone] == items[at]:
                gone += 1
            else:
                new_items[size] = items[at]
                size += 1
    new_offsets[offsets.size - 1] = size
    return size


@jit
def is_as_stated(before, after, changes, is_sensitive):
    """Return whether rows differ from before by the stated changes alone, all in sensitive rows; as many rows."""
    offsets, items = before
    new_offsets, new_items = after
    changed, starts, removed = changes
    change = 0
    for row in range(offsets.size - 1):
        at, stop = new_offsets[row], new_offsets[row + 1]
        gone = end = np.int64(0)
        if change < changed.size and changed[change] == row:
            gone, end, change = starts[change], starts[change + 1], change + 1
            if gone == end or not is_sensitive[row]:
                return False
        for place in range(offsets[row], offsets[row + 1]):
            if at < stop and new_items[at] == items[place]:
                at += 1
            elif gone < end and removed[gone] == items[place]:
                gone += 1
            else:
                return False
        if at < stop or gone < end:
            return False
    return change == changed.size


@jit
def find_holders(rows, number, held):
    """Return the rows in ``rows`` that have bit ``number`` set."""
    found, size = np.empty(rows.size, rows.dtype), 0
    for row in rows:
        if (held[row, number >> 6] >> np.uint64(number & 63)) & ONE:
            found[size] = row
            size += 1
    return found[:size]


@jit
def lose_itemsets(rows, lost, held, degrees):
    """Take the itemsets whose bits are set in ``lost`` from those that each row holds, and from its degree."""
    for row in rows:
        for word in range(lost.size):
            bits = held[row, word] & lost[word]
            degrees[row] -= np.int64(popcount(bits))
            held[row, word] ^= bits


@jit
def map_rows(offsets, items, rows, line, maps):
    """Set in ``maps[line[item]]`` the bit of each row in ``rows`` with the item; items of line -1 are left out."""
    for at in range(rows.size):
        for i in range(offsets[rows[at]], offsets[rows[at] + 1]):
            if line[items[i]] >= 0:
                maps[line[items[i]], at >> 6] |= ONE << np.uint64(at & 63)


@jit
def narrow_maps(maps, rows, narrowed):
    """Write to ``narrowed``, which is 0, the bitmaps of some of the rows, numbered by their places in ``rows``."""
    for item in range(maps.shape[0]):
        for at in range(rows.size):
            bit = (maps[item, rows[at] >> 6] >> np.uint64(rows[at] & 63)) & ONE
            narrowed[item, at >> 6] |= bit << np.uint64(at & 63)


@jit
def clear_bits(maps, items, rows):
    """Take item ``items[i]`` off row ``rows[i]``, for each i."""
    for at in range(rows.size):
        maps[items[at], rows[at] >> 6] &= ~(ONE << np.uint64(rows[at] & 63))


@jit
def find_touched(offsets, items, wanted):
    """Return for each itemset whether one of its items is ``wanted``."""
    found = np.zeros(offsets.size - 1, np.bool_)
    for number in range(found.size):
        for at in range(offsets[number], offsets[number + 1]):
            found[number] |= wanted[items[at]]
    return found


@inner
def meet(offsets, items, number, before, maps, stack):
    """Write to ``stack`` the rows with the first 1, 2, … items; those that ``before`` shares stand there already."""
    first, length, common = offsets[number], offsets[number + 1] - offsets[number], 0
    if before >= 0:
        last = min(length, offsets[before + 1] - offsets[before])
        while common < last and items[first + common] == items[offsets[before] + common]:
            common += 1
    for depth in range(common, length):
        item, above = items[first + depth], max(depth - 1, 0)
        for word in range(stack.shape[1]):
            stack[depth, word] = maps[item, word] & (stack[above, word] if depth else ALL)
    return length


@jit
def count_rows(offsets, items, start, stop, maps, counts):
    """Write how many rows hold each itemset from ``start`` to ``stop``."""
    stack, before = np.empty((find_longest(offsets[start : stop + 1]), maps.shape[1]), np.uint64), -1
    for number in range(start, stop):
        length = meet(offsets, items, number, before, maps, stack)
        before, held = number, 0
        for word in range(maps.shape[1]):
            held += popcount(stack[length - 1, word])
        counts[number] = held


@jit
def take_rows(offsets, items, numbers, maps, place, gone, slack, left):
    """Take the rows of ``maps`` from itemsets: those that have lost an item of it from its slack, all from ``left``.

    An item has a ``place`` among the items in question, or -1; the rows ``gone[place]`` have lost it. An itemset of
    slack below 0 is lost, and needs no look.
    """
    longest, before, words = 1, -1, maps.shape[1]
    for number in numbers:
        longest = max(longest, offsets[number + 1] - offsets[number])
    stack = np.empty((longest, words), np.uint64)
    for at in range(numbers.size):
        number = numbers[at]
        if slack[number] < 0:
            continue
        length = meet(offsets, items, number, before, maps, stack)
        before, top = number, stack[length - 1]
        for word in range(words):
            left[at] -= popcount(top[word])
        for i in range(offsets[number], offsets[number + 1]):
            if place[items[i]] >= 0:
                for word in range(words):
                    slack[number] -= popcount(top[word] & gone[place[items[i]], word])


@jit
def weigh_losses(offsets, items, numbers, slack, left, lines, maps, is_open, place, heaviest, planes):
    """Sum up, for open rows and some items, the possible cost of taking the item off the row, after weights changed.

    An itemset weighs nothing if it is lost, or if all open rows that hold it, ``left``, are within its slack. Else it
    weighs 2 to the power of ``heaviest`` minus the bit length of its slack + 1, for each of its items in question and
    each open row that holds it. ``lines`` has that power, or -1 for nothing: only what has changed is summed up. Sums
    are bits in ``planes[place]``: line i has the bits of value 2 ** i of all rows. So 64 rows are added at a time, and
    most carries end at once. A number in ``left`` below 0 is not known yet.
    """
    longest, before, words = 1, -1, maps.shape[1]
    for number in numbers:
        longest = max(longest, offsets[number + 1] - offsets[number])
    stack = np.empty((longest, words), np.uint64)
    for at in range(numbers.size):
        number, length, line = numbers[at], 0, -1
        if left[at] < 0:
            length, before, left[at] = meet(offsets, items, number, before, maps, stack), number, 0
            for word in range(words):
                left[at] += popcount(stack[length - 1, word] & is_open[word])
        if 0 <= slack[number] < left[at]:
            line, rest = heaviest, slack[number] + 1
            while rest:
                rest >>= 1
                line -= 1
        if line == lines[at]:
            continue
        length, before = meet(offsets, items, number, before, maps, stack), number
        for i in range(offsets[number], offsets[number + 1]):
            if place[items[i]] >= 0:
                replace_weight(stack[length - 1], is_open, lines[at], line, planes[place[items[i]]])
        lines[at] = line


@jit
def replace_weight(rows, is_open, old, new, planes):
    """Take 2 ** old from the sums of open rows and add 2 ** new; -1 stands for nothing."""
    for word in range(rows.size):
        carry, line = rows[word] & is_open[word], old
        while carry and old >= 0:
            held = planes[line, word]
            planes[line, word] = held ^ carry
            carry &= ~held
            line += 1
        carry, line = rows[word] & is_open[word], new
        while carry and new >= 0:
            held = planes[line, word]
            planes[line, word] = held ^ carry
            carry &= held
            line += 1


@jit
def add_planes(planes, is_open, scores):
    """Add to ``scores[place, row]`` the sums of open rows in planes of bits."""
    for place in range(planes.shape[0]):
        for line in range(planes.shape[1]):
            for word in range(planes.shape[2]):
                rest = planes[place, line, word] & is_open[word]
                while rest:
                    scores[place, (word << 6) + lowest_bit(rest)] += np.int64(1) << line
                    rest &= rest - ONE


@jit
def count_in_windows(offsets, items, rows, window, slots, counts):
    """Add 1 to ``counts[row // window, slots[item]]`` for each item with a slot (not -1) of the given ``rows``."""
    for row in rows:
        line = row // window
        for at in range(offsets[row], offsets[row + 1]):
            if slots[items[at]] >= 0:
                counts[line, slots[items[at]]] += 1


@jit
def mark_holders(offsets, items, starts, wanted_offsets, wanted_items, found):
    """Mark in ``found`` the itemsets, in dictionary order, that hold all items of a wanted one.

    Wanted ones are sorted by last item, from ``starts[item]`` on. An itemset holds one if its first items do, or if its
    last item completes one. So only the items that differ from the itemset before are checked: about one each.
    """
    holds, inside = np.zeros(find_longest(offsets) + 1, np.bool_), np.zeros(starts.size - 1, np.bool_)
    before = size = 0
    for number in range(found.size):
        first, length, common = offsets[number], offsets[number + 1] - offsets[number], 0
        while common < min(size, length) and items[before + common] == items[first + common]:
            common += 1
        for at in range(before + common, before + size):
            inside[items[at]] = False
        for at in range(common, length):
            inside[items[first + at]] = True
            holds[at + 1] = holds[at] or completes(items[first + at], inside, starts, wanted_offsets, wanted_items)
        found[number] = holds[length]
        before, size = first, length


@inner
def completes(item, inside, starts, wanted_offsets, wanted_items):
    """Return whether all items of a wanted itemset that ends in ``item`` are ``inside``."""
    for number in range(starts[item], starts[item + 1]):
        at, stop = wanted_offsets[number], wanted_offsets[number + 1]
        while at < stop and inside[wanted_items[at]]:
            at += 1
        if at == stop:
            return True
    return False


@jit
def count_common(offsets, marks, places, others, other_marks):
    """Return how many items are marked in two lists; itemset ``i`` is ``places[i]`` of the other, or -1 for none."""
    total = 0
    for number in range(places.size):
        if places[number] >= 0:
            step = others[places[number]] - offsets[number]
            for at in range(offsets[number], offsets[number + 1]):
                total += marks[at] and other_marks[at + step]
    return total
