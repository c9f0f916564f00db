"""Kernels for many small linear programs: limits of conjunctions over a few items, in rows that came date by date."""

import numpy as np

from discreet.kernels.common import inner, jit
from discreet.kernels.simplex import add_move, aim, begin, fix, reach, settle
from discreet.kernels.words import grow, popcount

TINY = 1e-6  # fewer rows than this are none
CORNERS = 64  # that are kept
OVER, CELL, FIRST, END, SURE, NUMBER, WIDTH = range(7)  # of a line of what was found
FEW = 6  # items over which all conjunctions are looked at, not only those that mention each item


@jit
def find_rare(universes, kinds, counts, listed, last, times, groups, known, k):
    """Return the conjunctions that hold for 1 to k − 1 of the rows of some dates whatever the rows are.

    ``counts[t, i]`` rows of the kind ``kinds[i]`` came at date ``t``, in one history that fits. The supports of the
    itemsets ``listed``, in order, were published at the dates ``times``, the ``last`` of which is given; no row holds
    two items of one of the ``groups``. A line of the result has the items that a conjunction mentions, those that rows
    hold, the first and last date, whether the limits were reached, and the number of the universe. What says more than
    another one, or than a line that is ``known``, is left out.
    """
    dates = counts.shape[0]
    found, size = np.empty((64, WIDTH), np.int64), 0
    for number in range(universes.size):
        places = list_places(universes[number])
        cells = 1 << places.size
        tables = count_cells(kinds, counts, places)
        numbers = look_up(listed, places)
        is_out = exclude(groups, places)
        rare = np.zeros((dates, cells * cells), np.int8)
        for date in range(dates):
            mark_rare(tables, date, numbers, last, is_out, k, rare)
        start, linked = size, are_linked(numbers, last, times)
        found, size = add_known(known, universes[number], places, found, size)
        middle = size
        for many in range(places.size + 1):  # few items and many dates first: what says more is left out
            for at in range(cells * cells):
                over, cell = at // cells, at % cells
                if cell & ~over or popcount(over) != many:
                    continue
                for first in range(dates):
                    end = find_end(tables, over, cell, first, dates if linked else first + 1, k)
                    since = first
                    while since < end and not rare[since, at]:
                        since += 1
                    for stop in range(end, since, -1):
                        found = add_line(found, size)
                        found[size, OVER], found[size, CELL], found[size, NUMBER] = over, cell, number
                        found[size, FIRST], found[size, END], found[size, SURE] = first, stop - 1, rare[since, at]
                        size += 1
        size = keep_short(tables, numbers, times, is_out, k, found, start, middle, size, linked)
    return found[:size].copy()


@inner
def add_known(known, universe, places, found, size):
    """Add the lines that are ``known`` over the items of a universe; return them, and how many there are."""
    for line in range(known.shape[0]):
        if not known[line, OVER] & ~universe:
            found = add_line(found, size)
            copy_line(known, line, found, size)
            found[size, OVER] = gather(known[line, OVER], places)
            found[size, CELL] = gather(known[line, CELL], places)
            size += 1
    return found, size


@inner
def copy_line(lines, number, others, other):
    """Copy a line to the place of another one."""
    for at in range(WIDTH):
        others[other, at] = lines[number, at]


@inner
def find_end(tables, over, cell, first, stop, k):
    """Return the date by which k rows of a conjunction have come since the ``first`` one, or ``stop``."""
    held, rest = 0.0, (tables.shape[1] - 1) & ~over
    for end in range(first, stop):
        held += add_up(tables, end, 0, cell, rest)
        if held >= k - TINY:
            return end
    return stop


@inner
def add_line(found, size):
    """Return ``found`` with room for a line more."""
    return grow(found, 2 * size) if size == found.shape[0] else found


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
def look_up(listed, places):
    """Return the number in ``listed``, which rises, of each itemset over some items; -1 if it is not listed."""
    numbers = np.empty(1 << places.size, np.int64)
    for part in range(numbers.size):
        itemset = 0
        for at in range(places.size):
            itemset |= (part >> at & 1) << places[at]
        low, high = 0, listed.size
        while low < high:
            middle = (low + high) // 2
            if listed[middle] < itemset:
                low = middle + 1
            else:
                high = middle
        numbers[part] = low if low < listed.size and listed[low] == itemset else -1
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
def add_up(tables, line, start, cell, rest):
    """Return the rows of a conjunction, ``cell`` with any of the ``rest``, in the table that begins at ``start``."""
    held, other = 0.0, rest
    while True:
        held += tables[line, start + (cell | other)]
        if not other:
            return held
        other = (other - 1) & rest


@inner
def mark_rare(tables, date, numbers, last, is_out, k, rare):
    """Mark each conjunction of 1 to k − 1 rows at one date, if all that is known by then or later is known at it."""
    cells = tables.shape[1]
    corner = begin(tables, date, date + 1)
    for part in range(cells):
        if numbers[part] < 0 or last[numbers[part]] < date:
            corner.sizes[0] += 1
            add_move(corner, part, 0, 1.0)
    fix(corner, is_out)
    settle(corner)
    corners = np.zeros((CORNERS + 1, cells + 1))
    for over in range(cells):
        if over != cells - 1 and cells > 1 << FEW:
            continue
        rest = (cells - 1) & ~over
        for cell in range(over + 1):
            if not cell & ~over and TINY < add_up(tables, date, 0, cell, rest) < k - TINY:
                rare[date, over * cells + cell] = stays_rare(corner, corners, cell, rest, 0, 0, cells, k)


@inner
def stays_rare(corner, corners, cell, rest, first, end, cells, k):
    """Return 2 if a conjunction holds for 1 to k − 1 rows wherever the point is moved, 1 if perhaps, and 0 if not.

    The last ``corners`` that were reached are looked at first; the last line says how many there have been.
    """
    seen, sure, goal = int(corners[CORNERS, 0]), 2, corner.point.size - 1
    for number in range(seen - 1, max(-1, seen - 1 - CORNERS), -1):
        held = 0.0
        for date in range(first, end + 1):
            held += add_up(corners, number % CORNERS, date * cells, cell, rest)
        if held <= TINY or held >= k - TINY:
            return 0
    aim(corner, cell, rest, first, end, cells)
    for side in range(2):
        if not reach(corner, 1.0 - 2.0 * side, float(side * k)):
            sure = 1
        for at in range(goal):
            corners[seen % CORNERS, at] = corner.point[at]
        seen += 1
        corners[CORNERS, 0] = seen
        if corner.point[goal] <= TINY or corner.point[goal] >= k - TINY:
            return 0
    return sure


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
def keep_short(tables, numbers, times, is_out, k, found, start, middle, size, linked):
    """Keep of the lines from ``middle`` on those that say no more than one before, from ``start`` on; return their end.

    If dates are ``linked``, only those that also hold for few rows where only sums are known. The lines before
    ``middle`` are removed.
    """
    dates, cells = tables.shape
    kept = middle
    corner = link(tables, numbers, times, is_out, linked and size > middle)
    corners = np.zeros((CORNERS + 1, corner.point.size))
    for at in range(middle, size):
        if is_said(found, start, kept, at, dates):
            continue
        if linked:
            over, cell, first, end = found[at, OVER], found[at, CELL], found[at, FIRST], found[at, END]
            found[at, SURE] = stays_rare(corner, corners, cell, (cells - 1) & ~over, first, end, cells, k)
        if found[at, SURE]:
            copy_line(found, at, found, kept)
            kept += 1
    for at in range(middle, kept):
        copy_line(found, at, found, at - middle + start)
    return kept - middle + start


@inner
def is_said(found, start, stop, at, dates):
    """Return whether a line says more than one from ``start`` to ``stop`` that is sure: more items, or a date more."""
    for line in range(start, stop):
        is_part = not found[line, OVER] & ~found[at, OVER] and found[at, CELL] & found[line, OVER] == found[line, CELL]
        is_since = found[line, FIRST] == 0 or found[line, FIRST] == found[at, FIRST]
        is_until = found[line, END] == dates - 1 or found[line, END] == found[at, END]
        if is_part and is_since and is_until and found[line, SURE] == 2:
            return True
    return False


@inner
def link(tables, numbers, times, is_out, linked):
    """Return a corner over the cells of all dates; if these are not ``linked``, over none."""
    dates, cells = tables.shape
    corner = begin(tables, 0, dates if linked else 0)
    for part in range(cells if linked else 0):
        since = 0
        for date in range(dates):
            if numbers[part] >= 0 and times[numbers[part], date]:
                for early in range(since, date):
                    corner.sizes[0] += 1
                    add_move(corner, part, early * cells, 1.0)
                    add_move(corner, part, date * cells, -1.0)
                since = date + 1
        for date in range(since, dates):
            corner.sizes[0] += 1
            add_move(corner, part, date * cells, 1.0)
    fix(corner, is_out)
    settle(corner)
    return corner
