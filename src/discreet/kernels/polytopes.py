"""Kernels for many small linear programs: the limits of conjunctions over a few items, in rows that came date by date.

A point is the number of rows in each cell at each date. It is moved along ``moves``, which change no known count, one
line for each; a point that cannot be moved on is a corner, where each move leaves one cell that is empty.
"""

import numpy as np

from discreet.kernels.common import inner, jit
from discreet.kernels.words import grow

EDGE = 1e-9  # the error of a sum; far below the error that is allowed
TINY = 1e-6  # fewer rows than this are none
TURNS = 200  # moves towards a limit, before it counts as not reached
STEEP = 50  # moves along the steepest line; then along the first that helps, as otherwise it may go in circles
CORNERS = 64  # that are kept
FEW = 6  # items over which all conjunctions are looked at, not only those that mention each item


@jit
def find_rare(universes, kinds, counts, known, last, times, groups, k):
    """Return the conjunctions that hold for 1 to k − 1 of the rows of some dates whatever the rows are.

    ``counts[t, i]`` rows of the kind ``kinds[i]`` came at date ``t``, in one history that fits. The supports of the
    itemsets ``known``, in order, were published at the dates ``times``, the ``last`` of which is given; no row holds
    two items of one of the ``groups``. A line of the result has the number of a universe, the items that the
    conjunction mentions, those that rows hold, by their places in the universe, and the first and last date.
    """
    dates = counts.shape[0]
    found, size = np.empty((64, 5), np.int64), 0
    for number in range(universes.size):
        places = list_places(universes[number])
        cells = 1 << places.size
        tables = count_cells(kinds, counts, places)
        numbers = look_up(known, places)
        is_out = exclude(groups, places)
        is_rare = np.zeros((dates, cells * cells), np.bool_)
        for date in range(dates):
            mark_rare(tables, date, numbers, last, is_out, k, is_rare)
        start, linked = size, are_linked(numbers, last, times)
        for at in range(cells * cells):
            over, cell = at // cells, at % cells
            for first in range(dates):
                held, is_any = 0.0, False
                for end in range(first, dates if linked else first + 1):
                    is_any |= is_rare[end, at]
                    held += add_up(tables, end, 0, cell, (cells - 1) & ~over)
                    if held >= k - TINY:
                        break
                    if is_any:
                        if size == found.shape[0]:
                            found = grow(found, 2 * size)
                        found[size, 0], found[size, 1], found[size, 2] = number, over, cell
                        found[size, 3], found[size, 4] = first, end
                        size += 1
        if linked:
            size = keep_linked(tables, numbers, times, is_out, k, found, start, size)
    return found[:size].copy()


@inner
def list_places(universe):
    """Return the places of the bits of ``universe``."""
    size = 0
    for place in range(63):
        size += universe >> place & 1
    places = np.empty(size, np.int64)
    for place in range(62, -1, -1):
        if universe >> place & 1:
            size -= 1
            places[size] = place
    return places


@inner
def gather(bits, places):
    """Return those of ``bits`` at some places, side by side."""
    cell = 0
    for at in range(places.size):
        cell |= (bits >> places[at] & 1) << at
    return cell


@inner
def count_cells(kinds, counts, places):
    """Return the number of rows in each cell over some items, at each date."""
    tables = np.zeros((counts.shape[0], 1 << places.size))
    for kind in range(kinds.size):
        cell = gather(kinds[kind], places)
        for date in range(counts.shape[0]):
            tables[date, cell] += counts[date, kind]
    return tables


@inner
def look_up(known, places):
    """Return the number in ``known``, which rises, of each itemset over some items; -1 if it is not known."""
    numbers = np.empty(1 << places.size, np.int64)
    for part in range(numbers.size):
        itemset = 0
        for at in range(places.size):
            itemset |= (part >> at & 1) << places[at]
        low, high = 0, known.size
        while low < high:
            middle = (low + high) // 2
            if known[middle] < itemset:
                low = middle + 1
            else:
                high = middle
        numbers[part] = low if low < known.size and known[low] == itemset else -1
    return numbers


@inner
def exclude(groups, places):
    """Return which cells over some items hold two of a group."""
    is_out = np.zeros(1 << places.size, np.bool_)
    for number in range(groups.size):
        inside = gather(groups[number], places)
        for cell in range(is_out.size):
            held = cell & inside
            is_out[cell] |= held & (held - 1) != 0
    return is_out


@inner
def is_odd(bits):
    """Return whether an odd number of bits is set."""
    odd = False
    while bits:
        bits &= bits - 1
        odd = not odd
    return odd


@inner
def add_move(moves, line, part, start, rise):
    """Add to a move that ``rise`` more rows hold the items of ``part``, in the table that begins at ``start``."""
    cell = part
    while True:  # each cell below the part
        moves[line, start + cell] += -rise if is_odd(part & ~cell) else rise
        if not cell:
            break
        cell = (cell - 1) & part


@inner
def add_up(tables, line, start, cell, rest):
    """Return the rows of a conjunction, ``cell`` with any of the ``rest``, in the table that begins at ``start``."""
    held, other = 0.0, rest
    while True:
        held += tables[line, start + (cell | other)]
        if not other:
            return held
        other = (other - 1) & rest


@inner
def mark_rare(tables, date, numbers, last, is_out, k, is_rare):
    """Mark each conjunction of 1 to k − 1 rows at one date, if all that is known by then or later is known at it."""
    cells = tables.shape[1]
    point, moves, many = np.zeros(cells + 1), np.zeros((cells, cells + 1)), 0
    for cell in range(cells):
        point[cell] = tables[date, cell]
    for part in range(cells):
        if numbers[part] < 0 or last[numbers[part]] < date:
            add_move(moves, many, part, 0, 1.0)
            many += 1
    many = fix(moves, point, many, is_out)
    many = settle(moves, point, many)
    corners = np.zeros((CORNERS + 1, cells + 1))
    for over in range(cells):
        if over != cells - 1 and cells > 1 << FEW:
            continue
        rest = (cells - 1) & ~over
        for cell in range(over + 1):
            if not cell & ~over and TINY < add_up(tables, date, 0, cell, rest) < k - TINY:
                at = over * cells + cell
                is_rare[date, at] = stays_rare(moves, point, many, corners, cell, rest, 0, 0, cells, k)


@inner
def stays_rare(moves, point, many, corners, cell, rest, first, end, cells, k):
    """Return whether a conjunction holds for 1 to k − 1 rows wherever the point is moved.

    The last ``corners`` that were reached are looked at first; the last line says how many there have been.
    """
    seen = int(corners[CORNERS, 0])
    for number in range(min(seen, CORNERS)):
        held = 0.0
        for date in range(first, end + 1):
            held += add_up(corners, number, date * cells, cell, rest)
        if held <= TINY or held >= k - TINY:
            return False
    aim(moves, point, many, cell, rest, first, end, cells)
    for side in range(2):
        held = reach(moves, point, many, 1.0 - 2.0 * side, float(side * k))
        for row in range(point.size):
            corners[seen % CORNERS, row] = point[row]
        seen += 1
        corners[CORNERS, 0] = seen
        if held <= TINY or held >= k - TINY:
            return False
    return True


@inner
def aim(moves, point, many, cell, rest, first, end, cells):
    """Make the last row that of a conjunction from one date to another: ``cell``, and any of the ``rest``."""
    goal = point.size - 1
    point[goal] = 0.0
    for column in range(many):
        moves[column, goal] = 0.0
    for date in range(first, end + 1):
        other = rest
        while True:
            row = date * cells + (cell | other)
            point[goal] += point[row]
            for column in range(many):
                moves[column, goal] += moves[column, row]
            if not other:
                break
            other = (other - 1) & rest


@inner
def fix(moves, point, many, is_out):
    """Remove the moves that would fill impossible cells; return how many are left. Impossible cells come first."""
    for row in range(point.size - 1):
        if is_out[row % is_out.size]:
            for column in range(many):
                if abs(moves[column, row]) > EDGE:
                    exchange(moves, many, row, column)
                    many -= 1
                    drop(moves, column, many)
                    break
    return many


@inner
def drop(lines, number, other):
    """Let another line take the place of one."""
    for at in range(lines.shape[1]):
        lines[number, at] = lines[other, at]


@inner
def settle(moves, point, many):
    """Move a point to a corner; return how many moves there are without those that change nothing."""
    column = 0
    while column < many:
        up, row = find_wall(moves, column, point, 1.0)
        down, other = find_wall(moves, column, point, -1.0)
        if row < 0 and other < 0:
            many -= 1
            drop(moves, column, many)
            continue
        if row < 0 or (other >= 0 and down < up):
            up, row = -down, other
        go(moves, column, point, up, row)
        exchange(moves, many, row, column)
        column += 1
    return many


@inner
def find_wall(moves, column, point, sign):
    """Return how far a point can be moved, and the cell that is empty then; -1 if none will be."""
    most, wall = np.inf, -1
    for row in range(point.size - 1):
        fall = -sign * moves[column, row]
        if fall > EDGE and point[row] < most * fall:
            most, wall = point[row] / fall, row
    return most, wall


@inner
def go(moves, column, point, steps, wall):
    """Move a point until a cell is empty."""
    for row in range(point.size):
        point[row] += steps * moves[column, row]
    point[wall] = 0.0


@inner
def exchange(moves, many, row, column):
    """Let one move fill the cell ``row``, and no other do."""
    pivot = moves[column, row]
    for at in range(moves.shape[1]):
        moves[column, at] /= pivot
    for other in range(many):
        times = moves[other, row]
        if other != column and times != 0.0:
            for at in range(moves.shape[1]):
                moves[other, at] -= times * moves[column, at]
            moves[other, row] = 0.0
    moves[column, row] = 1.0


@inner
def reach(moves, point, many, sign, enough):
    """Lower the last row of a point, or with a ``sign`` of -1 raise it, until that is ``enough``; return its value.

    This is the simplex method. Where it ends early, the value is within the limit, so that less is ruled out.
    """
    goal = point.size - 1
    for turn in range(TURNS):
        if sign * (point[goal] - enough) <= EDGE:
            break
        column, steepest = -1, -EDGE
        for at in range(many):
            if sign * moves[at, goal] < steepest:
                column, steepest = at, sign * moves[at, goal]
                if turn > STEEP:
                    break
        if column < 0:
            break
        steps, wall = find_wall(moves, column, point, 1.0)
        if wall < 0:
            break
        go(moves, column, point, steps, wall)
        exchange(moves, many, wall, column)
    return point[goal]


@inner
def are_linked(numbers, last, times):
    """Return whether an itemset was not published at a date, but later: then only the sum of dates is known."""
    for part in range(numbers.size):
        if numbers[part] >= 0:
            for date in range(last[numbers[part]]):
                if not times[numbers[part], date]:
                    return True
    return False


@inner
def keep_linked(tables, numbers, times, is_out, k, found, start, size):
    """Keep of the conjunctions found from ``start`` on those that hold for few rows where only sums are known."""
    dates, cells = tables.shape
    point, moves, many = np.zeros(dates * cells + 1), np.zeros((dates * cells, dates * cells + 1)), 0
    for date in range(dates):
        for cell in range(cells):
            point[date * cells + cell] = tables[date, cell]
    for part in range(cells):
        since = 0
        for date in range(dates):
            if numbers[part] >= 0 and times[numbers[part], date]:
                for early in range(since, date):
                    add_move(moves, many, part, early * cells, 1.0)
                    add_move(moves, many, part, date * cells, -1.0)
                    many += 1
                since = date + 1
        for date in range(since, dates):
            add_move(moves, many, part, date * cells, 1.0)
            many += 1
    many = fix(moves, point, many, is_out)
    many = settle(moves, point, many)
    corners, kept = np.zeros((CORNERS + 1, dates * cells + 1)), start
    for at in range(start, size):
        over, cell, first, end = found[at, 1], found[at, 2], found[at, 3], found[at, 4]
        if stays_rare(moves, point, many, corners, cell, (cells - 1) & ~over, first, end, cells, k):
            drop(found, kept, at)
            kept += 1
    return kept
