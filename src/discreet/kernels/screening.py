"""Kernels that screen: the likeliest small group over a top and one or two items more, by a quick model."""

import numpy as np

from discreet.kernels.common import hot, inner, size_table

FREE = -1  # the place of an item that a top does not hold, and of a key that is not there
LARGE = -1.0  # the guess for a universe that is left out
PARTS = 64
ROUNDS = 5  # of scaling
CLOSE = 0.5  # rows by which a sum may be off


@hot
def screen(
    cells, counts, offsets, members, starts, place, holders, firsts, excludes, most, start, stop, many, k, is_entropy
):
    """Return for each universe of the tops from ``start`` to ``stop`` its likeliest open pattern.

    A universe is a top and ``many`` other items, one or two, in order. Returned are the guess that the pattern holds
    for 1 to k − 1 rows, the expected rows, and a line of numbers: the top, the items more (or FREE), the cell of the
    top, the bits of the items more, and how many parts hold these.

    ``cells`` are those of all tops, in bits of their own items, from ``offsets[top]`` on, with their ``counts``.
    ``members`` are the items of tops from ``starts[top]`` on, and ``place[top, item]`` the bit of an item, or FREE.
    ``holders`` are the tops that hold an item, from ``firsts[item]`` on.
    ``excludes[one, other]`` says that no row holds both items. A top of more than ``most`` cells is left out: its
    guesses are LARGE. Of more than PARTS parts, the first are used.
    """
    tops, items = place.shape
    total, largest = 0, 1
    for top in range(tops):
        largest = max(largest, offsets[top + 1] - offsets[top])
    for top in range(start, stop):
        beside = items - (starts[top + 1] - starts[top])
        total += beside if many == 1 else beside * (beside - 1) // 2
    guesses, expected = np.full(total, LARGE), np.zeros(total)
    lines = np.zeros((total, 6), np.int64)
    width = min(most, largest) << many
    keys, numbers = np.empty(size_table(largest), np.int64), np.empty(size_table(largest), np.int64)
    shared, parts = np.empty(tops, np.int64), np.empty((PARTS, 3), np.int64)
    owners, totals = np.empty((PARTS + 1, width), np.int64), np.empty((PARTS + 1, largest))
    model, held, possible = np.empty(width), np.empty(largest), np.empty(width, np.int64)
    more, sizes, last, done = np.empty(2, np.int64), np.empty(PARTS + 1, np.int64), (1 << many) - 1, 0
    for top in range(start, stop):
        if offsets[top + 1] - offsets[top] > most:
            beside = items - (starts[top + 1] - starts[top])
            done += beside if many == 1 else beside * (beside - 1) // 2
            continue
        for other in range(tops):
            shared[other] = 0
            for bit in range(starts[top + 1] - starts[top]):
                if place[other, members[starts[top] + bit]] != FREE:
                    shared[other] |= 1 << bit
        own = cells[offsets[top] : offsets[top + 1]]
        for one in range(items):
            for two in range(one + 1, items if many == 2 else one + 2):
                if place[top, one] != FREE or (many == 2 and place[top, two] != FREE):
                    continue
                more[0], more[1] = one, two
                known = list_parts(place, holders, firsts, shared, more[:many], parts)
                width = 0
                for column in range(own.size << many):
                    if not is_excluded(own[column >> many], column & last, top, more[:many], members, starts, excludes):
                        possible[width], owners[0, width] = column, column >> many
                        width += 1
                for number in range(own.size):
                    totals[0, number] = counts[offsets[top] + number]
                sizes[0] = own.size
                for part in range(known):
                    sizes[part + 1] = count_cells(
                        cells,
                        counts,
                        offsets,
                        members,
                        starts,
                        place,
                        top,
                        more[:many],
                        parts[part],
                        keys,
                        numbers,
                        totals[part + 1],
                    )
                    kept = 0
                    for at in range(width):
                        key = (own[possible[at] >> many] & parts[part, 1]) << many | possible[at] & parts[part, 2]
                        spot = find(keys, key)
                        if keys[spot] == key:
                            possible[kept] = possible[at]
                            for before in range(part + 1):
                                owners[before, kept] = owners[before, at]
                            owners[part + 1, kept] = numbers[spot]
                            kept += 1
                    width = kept
                scale(model[:width], owners, totals, sizes[: known + 1], held)
                best, chance = 0, 0.0
                for at in range(width):
                    cap = totals[0, owners[0, at]]
                    for part in range(1, known + 1):
                        cap = min(cap, totals[part, owners[part, at]])
                    if cap >= k:
                        guess = guess_few(model[at], cap, k) if is_entropy else guess_any(model[at], k)
                        if guess > chance:
                            best, chance = at, guess
                guesses[done], line = chance, lines[done]
                line[0], line[1], line[2], line[5] = top, one, two if many == 2 else FREE, known
                if width:
                    expected[done] = model[best]
                    line[3], line[4] = own[possible[best] >> many], possible[best] & last
                done += 1
    return guesses, expected, lines


@inner
def list_parts(place, holders, firsts, shared, more, parts):
    """Write the widest parts with one of the items ``more``: a top each, its items of the first top, and of these."""
    known = 0
    for number in range(more.size):
        for at in range(firsts[more[number]], firsts[more[number] + 1]):
            top, bits = holders[at], 1 << number
            if number == 0 and more.size > 1 and place[top, more[1]] != FREE:
                bits |= 2
            if number == 0 or place[top, more[0]] == FREE:
                known = add_part(top, shared[top], bits, parts, known)
    return known


@inner
def add_part(top, items, bits, parts, known):
    """Add a part unless another one contains it, and drop those that it contains; return how many there are."""
    for number in range(known):
        if not (items & ~parts[number, 1] or bits & ~parts[number, 2]):
            return known
    kept = 0
    for number in range(known):
        if parts[number, 1] & ~items or parts[number, 2] & ~bits:
            parts[kept] = parts[number]
            kept += 1
    if kept < PARTS:
        parts[kept, 0], parts[kept, 1], parts[kept, 2] = top, items, bits
        kept += 1
    return kept


@inner
def is_excluded(cell, bits, top, more, members, starts, excludes):
    """Return whether a row of a cell of a top, and of the items of ``more`` in ``bits``, holds items that exclude."""
    for number in range(more.size):
        if not bits >> number & 1:
            continue
        for other in range(number):
            if bits >> other & 1 and excludes[more[number], more[other]]:
                return True
        for bit in range(starts[top + 1] - starts[top]):
            if cell >> bit & 1 and excludes[more[number], members[starts[top] + bit]]:
                return True
    return False


@inner
def count_cells(cells, counts, offsets, members, starts, place, top, more, part, keys, numbers, totals):
    """Count the rows of each cell of a part, by the table of its own top; return how many cells there are.

    The cell ``key`` has the number ``numbers[find(keys, key)]``.
    """
    keys[:] = FREE
    found, owner = 0, part[0]
    for at in range(offsets[owner], offsets[owner + 1]):
        key = 0
        for bit in range(starts[top + 1] - starts[top]):
            if part[1] >> bit & 1 and cells[at] >> place[owner, members[starts[top] + bit]] & 1:
                key |= 1 << bit
        key <<= more.size
        for number in range(more.size):
            if part[2] >> number & 1 and cells[at] >> place[owner, more[number]] & 1:
                key |= 1 << number
        spot = find(keys, key)
        if keys[spot] == FREE:
            keys[spot], numbers[spot], totals[found] = key, found, 0.0
            found += 1
        totals[numbers[spot]] += counts[at]
    return found


@inner
def find(keys, key):
    """Return where a key is in a hash table, or where it would be."""
    mask = keys.size - 1
    spot = (key ^ key >> 7 ^ key >> 13) & mask
    while keys[spot] != FREE and keys[spot] != key:
        spot = (spot + 1) & mask
    return spot


@inner
def scale(model, owners, totals, sizes, held):
    """Scale a model, from 1 everywhere, to the sums of each part in turn (Deming and Stephan, 1940)."""
    model[:] = 1.0
    for _ in range(ROUNDS):
        error = 0.0
        for part in range(sizes.size):
            held[: sizes[part]] = 0.0
            for at in range(model.size):
                held[owners[part, at]] += model[at]
            for cell in range(sizes[part]):
                error = max(error, abs(held[cell] - totals[part, cell]))
                held[cell] = totals[part, cell] / held[cell] if held[cell] > 0.0 else 0.0
            for at in range(model.size):
                model[at] *= held[owners[part, at]]
        if error <= CLOSE:
            break


@inner
def guess_few(expected, cap, k):
    """Return the chance of 1 to k − 1 rows if each of ``cap`` rows is one of those ``expected``, or not."""
    share = min(1.0, expected / cap)
    if share == 1.0:
        return 0.0  # all of them, which are k or more
    term = np.exp(cap * np.log1p(-share))
    total = 0.0
    for number in range(1, k):
        term *= (cap - number + 1) / number * share / (1.0 - share)
        total += term
    return total


@inner
def guess_any(expected, k):
    """Return the chance of 1 to k − 1 rows if any number is as likely as it can be: a geometric one."""
    share = expected / (1.0 + expected)
    return share - share**k
