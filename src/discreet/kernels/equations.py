"""Kernels that narrow the limits of counts by the sums that they must keep: the cells of a row, with factors, add to 0.

An upper limit of ``unknown`` or more says nothing. ``users`` and ``used`` say which rows each cell is in.
"""

import numpy as np

from discreet.kernels.common import jit
from discreet.kernels.words import grow


@jit
def propagate(offsets, cells, factors, users, used, low, high, unknown, most):
    """Narrow ``low`` and ``high`` until no row narrows them further; return the steps, and a row that cannot be, or -1.

    A step is a cell, 0 for its lower or 1 for its upper limit, the limit, and the row that shows it. It ends after
    about ``most`` steps.
    """
    rows = offsets.size - 1
    queue, waits = np.arange(rows), np.ones(rows, np.bool_)
    steps, made, head, waiting = np.empty((256, 4), np.int64), 0, 0, rows
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
