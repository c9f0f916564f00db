"""Kernels that narrow the limits of counts by the sums that they must keep: the cells of a row, with factors, add to 0.

An upper limit of ``unknown`` or more says nothing. ``users`` and ``used`` say which rows each cell is in.
"""

import numpy as np

from discreet.kernels.common import hot, jit
from discreet.kernels.shapes import ONE
from discreet.kernels.words import grow

SNAP = 2_882_880.0  # entries of a tableau are fractions whose denominators mostly divide it


@jit
def propagate(offsets, cells, factors, users, used, low, high, unknown, most, start):
    """Narrow ``low`` and ``high`` until no row narrows them further; return the steps, and a row that cannot be, or -1.

    A step is a cell, 0 for its lower or 1 for its upper limit, the limit, the row that shows it, and the factor of the
    cell in it. It ends after about ``most`` steps. It begins with the rows of ``start``, each once.
    """
    rows = offsets.size - 1
    queue, waits = np.empty(rows, np.int64), np.zeros(rows, np.bool_)
    steps, made, head, waiting = np.empty((256, 5), np.int64), 0, 0, start.size
    for place in range(start.size):
        queue[place] = start[place]
        waits[start[place]] = True
    while waiting and made < most:
        row = queue[head]
        head = head + 1 if head + 1 < rows else 0
        waiting -= 1
        waits[row] = False
        first, last = offsets[row], offsets[row + 1]
        # The least and the largest sum of the row, and how many limits in each say nothing.
        least, largest, lacks_least, lacks_largest = 0, 0, 0, 0
        for at in range(first, last):
            factor, cell = factors[at], cells[at]
            is_open = high[cell] >= unknown
            above = 0 if is_open else factor * high[cell]
            if factor > 0:
                least += factor * low[cell]
                largest += above
                lacks_largest += is_open
            else:
                largest += factor * low[cell]
                least += above
                lacks_least += is_open
        if (lacks_least == 0 and least > 0) or (lacks_largest == 0 and largest < 0):
            return steps[:made].copy(), row
        if made + 2 * (last - first) > steps.shape[0]:
            steps = grow(steps, 2 * (made + 2 * (last - first)))
        for at in range(first, last):
            factor, cell = factors[at], cells[at]
            is_open = high[cell] >= unknown
            before = low[cell], high[cell]
            if factor > 0:  # factor * x is at most minus the least sum of the others, and at least minus the largest
                if lacks_least == 0:
                    high[cell] = min(high[cell], (factor * low[cell] - least) // factor)
                if lacks_largest == is_open:
                    above = 0 if is_open else factor * before[1]
                    low[cell] = max(low[cell], -((largest - above) // factor))
            else:
                if lacks_largest == 0:
                    high[cell] = min(high[cell], (largest - factor * low[cell]) // -factor)
                if lacks_least == is_open:
                    above = 0 if is_open else factor * before[1]
                    low[cell] = max(low[cell], -((above - least) // -factor))
            for side in range(2):
                limit = high[cell] if side else low[cell]
                if limit != before[side]:
                    steps[made, 0], steps[made, 1], steps[made, 2], steps[made, 3] = cell, side, limit, row
                    steps[made, 4] = factor
                    made += 1
            if low[cell] > high[cell]:
                return steps[:made].copy(), row
            if low[cell] != before[0] or high[cell] != before[1]:
                for place in range(users[cell], users[cell + 1]):
                    other = used[place]
                    if not waits[other]:
                        waits[other] = True
                        queue[(head + waiting) % rows] = other
                        waiting += 1
    return steps[:made].copy(), -1


@jit
def find_parts(offsets, cells, users, used, is_open):
    """Return a number for each open cell, the same for cells that rows of open cells connect; -1 for other cells."""
    parts, stack = np.full(is_open.size, -1, np.int64), np.empty(is_open.size, np.int64)
    seen, number = np.zeros(offsets.size, np.bool_), 0
    for start in range(is_open.size):
        if not is_open[start] or parts[start] >= 0:
            continue
        parts[start], stack[0], size = number, start, 1
        while size:
            size -= 1
            for place in range(users[stack[size]], users[stack[size] + 1]):
                row = used[place]
                if seen[row]:
                    continue
                seen[row] = True
                for at in range(offsets[row], offsets[row + 1]):
                    cell = cells[at]
                    if is_open[cell] and parts[cell] < 0:
                        parts[cell] = number
                        stack[size] = cell
                        size += 1
        number += 1
    return parts


@jit
def find_near(offsets, cells, users, used, start, most):
    """Return the cells nearest to ``start`` by the rows that connect them: ``most``, or some more, in their order."""
    seen, queue = np.zeros(users.size - 1, np.bool_), np.empty(users.size - 1, np.int64)
    done, head, size = np.zeros(offsets.size, np.bool_), 0, 1
    seen[start], queue[0] = True, start
    while head < size < most:
        for place in range(users[queue[head]], users[queue[head] + 1]):
            row = used[place]
            if done[row]:
                continue
            done[row] = True
            for at in range(offsets[row], offsets[row + 1]):
                if not seen[cells[at]]:
                    seen[cells[at]] = True
                    queue[size] = cells[at]
                    size += 1
        head += 1
    near, size = np.empty(size, np.int64), 0
    for cell in range(seen.size):
        if seen[cell]:
            near[size] = cell
            size += 1
    return near


@jit
def add_up(rows, weights, offsets, cells, factors, low, high, unknown, cell, scale, side, total):
    """Return what rows, each times a weight, say about ``scale`` times a cell: its least or largest sum.

    The rows add up to 0, so the cell equals itself minus all of them. Returns the sum and whether it is one: a limit
    that says nothing, or numbers beyond 62 bits, give none. ``total`` must be 0 everywhere, and is so again.
    """
    total[cell] = scale
    for place in range(rows.size):
        for at in range(offsets[rows[place]], offsets[rows[place] + 1]):
            total[cells[at]] -= weights[place] * factors[at]
    value, size, holds = 0, 0.0, True
    limit = (low if total[cell] > 0 else high) if side == 0 else (high if total[cell] > 0 else low)
    if total[cell] != 0:
        holds = limit[cell] < unknown
        value, size = total[cell] * limit[cell], abs(float(total[cell]) * float(limit[cell]))
    total[cell] = 0
    for place in range(rows.size):
        for at in range(offsets[rows[place]], offsets[rows[place] + 1]):
            other = cells[at]
            times = total[other]
            if times:
                total[other] = 0
                end = low[other] if (times > 0) == (side == 0) else high[other]
                holds = holds and end < unknown
                value += times * end
                size += abs(float(times) * float(end))
    return value, holds and size < 4e18


@jit
def fill_tableau(starts, rows, weights, offsets, columns, factors, place, table, tiny):
    """Write what sums of rows say to ``table``, a line for each column with a ``place``, which is else -1.

    Sum ``i`` takes the ``rows`` from ``starts[i]`` on, each times a weight. What is less than ``tiny`` is 0.
    """
    for one in range(starts.size - 1):
        for at in range(starts[one], starts[one + 1]):
            for entry in range(offsets[rows[at]], offsets[rows[at] + 1]):
                line = place[columns[entry]]
                if line >= 0:
                    table[line, one] += weights[at] * factors[entry]
        for line in range(table.shape[0]):
            if abs(table[line, one]) < tiny:
                table[line, one] = 0.0


@jit
def descend(table, basic, free, where, values, low, high, least, largest, changed, column, sign, most, tiny):
    """Move to values at which ``sign`` times a column is least; return the number of steps, ``most`` if there are more.

    It is the simplex method on a whole tableau. Basic column ``basic[i]``, plus each free column ``free[j]`` times
    ``table[j, i]``, is constant. ``where`` is the place of a column among the basic ones, or -1 minus that among the
    free ones, which are at one of their limits. ``least`` and ``largest`` take in the values on the way. Limits should
    be a little apart from round numbers, each by another distance: where many columns reach theirs at once, steps may
    lead nowhere. ``changed`` tells which lines of the table are not what they were.
    """
    touched, weights = np.empty(basic.size, np.int64), np.empty(basic.size, np.float64)
    for made in range(most):
        row, enter, leave, way, room, best = where[column], -1, -1, 0.0, 0.0, -1.0
        if row < 0 and values[column] == (low[column] if sign > 0 else high[column]):
            return made
        # The step that gains most: others may be tiny, and there would be many of them.
        for line in range(free.size):
            slope, other = 1.0 if row < 0 else sign * table[line, row], free[line]
            is_low = values[other] == low[other]
            if row < 0:
                is_open = line == -1 - row
            else:
                is_open = abs(slope) > tiny and low[other] != high[other] and is_low == (slope > 0)
            if not is_open:
                continue
            turn, left, last, size = 1.0 if is_low else -1.0, high[other] - low[other], -1, 0.0
            for at in range(basic.size):
                rate = -table[line, at] * turn
                if abs(rate) <= tiny:
                    continue
                end = low[basic[at]] if rate < 0 else high[basic[at]]
                until = max((end - values[basic[at]]) / rate, 0.0)
                if until < left - tiny or (until <= left + tiny and last >= 0 and abs(rate) > size):
                    left, last, size = min(left, until), at, abs(rate)
                    if left * abs(slope) <= best:
                        break
            if left * abs(slope) > best:
                enter, leave, way, room, best = line, last, turn, left, left * abs(slope)
        if enter < 0:
            return made
        new, count = free[enter], 0
        for at in range(basic.size):
            if table[enter, at] != 0.0:
                touched[count] = at
                count += 1
        for place in range(count):
            at = touched[place]
            other = basic[at]
            values[other] -= table[enter, at] * way * room
            least[other] = min(least[other], values[other])
            largest[other] = max(largest[other], values[other])
        values[new] += way * room
        least[new] = min(least[new], values[new])
        largest[new] = max(largest[new], values[new])
        if leave < 0:
            values[new] = high[new] if way > 0 else low[new]
            continue
        old, pivot = basic[leave], table[enter, leave]
        values[old] = low[old] if pivot * way > 0 else high[old]
        for place in range(count):
            weights[place] = table[enter, touched[place]]
        for line in range(free.size):
            entry = table[line, leave]
            if entry == 0.0 or line == enter:
                continue
            entry /= pivot
            for place in range(count):
                at = touched[place]
                if at != leave:
                    new_entry = table[line, at] - weights[place] * entry
                    near = np.rint(new_entry * SNAP) / SNAP  # or errors would grow from step to step
                    table[line, at] = near if abs(new_entry - near) < tiny else new_entry
            table[line, leave] = entry
            changed[line] = True
        for place in range(count):
            table[enter, touched[place]] = -weights[place] / pivot
        table[enter, leave] = 1.0 / pivot
        basic[leave], free[enter] = new, old
        where[new], where[old] = leave, -1 - enter
        changed[enter] = True
    return most


@jit
def weigh(table, free, where, column, first, starts, rows, weights, out):
    """Add to ``out`` the weight of each row in what a tableau says about a basic column.

    ``first`` is the place of each column among the columns that were basic at first, or -1; from ``starts`` on are the
    rows and weights of the sums that the tableau was filled with.
    """
    for line in range(-1, free.size):
        at = first[column if line < 0 else free[line]]
        times = 1.0 if line < 0 else table[line, where[column]]
        if at >= 0 and times != 0.0:
            for place in range(starts[at], starts[at + 1]):
                out[rows[place]] += times * weights[place]


@hot
def walk(counts, low, high, least, largest, offsets, columns, changes, pull, steps, state):
    """Move ``counts`` by moves drawn at random, so many ``steps``; ``least`` and ``largest`` take in what is met.

    A move changes ``columns`` from ``offsets`` on by ``changes``, or by minus those; it is taken if all counts stay
    within their limits. Moves against ``pull``, a direction for each column, are taken the more rarely the further they
    lead. ``state`` is that of the random numbers (Marsaglia's xorshift).
    """
    bits, many = state[0], np.uint64(offsets.size - 1)
    for _ in range(steps):
        bits ^= bits << np.uint64(13)
        bits ^= bits >> np.uint64(7)
        bits ^= bits << np.uint64(17)
        move, sign, gain, fits = np.int64((bits >> np.uint64(20)) % many), 1 - 2 * np.int64(bits & ONE), 0, True
        for at in range(offsets[move], offsets[move + 1]):
            column, change = columns[at], sign * changes[at]
            if counts[column] + change < low[column] or counts[column] + change > high[column]:
                fits = False
                break
            gain += pull[column] * change
        if not fits or (gain < 0 and (bits >> np.uint64(1)) & ((ONE << np.uint64(min(-gain, 15))) - ONE)):
            continue
        for at in range(offsets[move], offsets[move + 1]):
            column = columns[at]
            counts[column] += sign * changes[at]
            least[column] = min(least[column], counts[column])
            largest[column] = max(largest[column], counts[column])
    state[0] = bits
