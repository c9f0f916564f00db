"""Kernels for one small linear program: a corner of a polytope, its moves, and the simplex method.

A point is the number of rows in each cell at each date. It is moved along ``moves``, which change no known count, one
line for each; a point that cannot be moved on is a corner, where each move has an empty cell that it alone fills.
"""

import numpy as np

from discreet.kernels.common import inner
from discreet.kernels.shapes import Corner

NOWHERE = -(1 << 30)  # the place of a cell that stays empty
EDGE = 1e-9  # the error of a sum; far below the error that is allowed
TURNS = 2000  # moves towards a limit, before it counts as not reached
STUCK = 20  # moves that change nothing; then along the first line that helps, as otherwise it may go in circles


@inner
def begin(tables, first, stop):
    """Return the point of a history from one date to another, without moves; each cell has a column."""
    cells = tables.shape[1]
    size = (stop - first) * cells
    point, columns, where = np.zeros(size + 1), np.empty(size, np.int32), np.empty(size, np.int32)
    for date in range(first, stop):
        for cell in range(cells):
            point[(date - first) * cells + cell] = tables[date, cell]
    for cell in range(size):
        columns[cell] = where[cell] = cell
    sizes = np.zeros(2, np.int64)
    sizes[1] = size
    return Corner(point, np.zeros((size, size)), np.zeros(size), columns, where, np.full(size, -1, np.int32), sizes)


@inner
def is_odd(bits):
    """Return whether an odd number of bits is set."""
    odd = False
    while bits:
        bits &= bits - 1
        odd = not odd
    return odd


@inner
def add_move(corner, part, start, rise):
    """Add to the last move that ``rise`` more rows hold the items of ``part``; its table begins at ``start``."""
    number, cell = corner.sizes[0] - 1, part
    while True:  # each cell below the part
        corner.moves[number, start + cell] += -rise if is_odd(part & ~cell) else rise
        if not cell:
            break
        cell = (cell - 1) & part


@inner
def fix(corner, is_out):
    """Remove the moves that would fill impossible cells, and the columns of these."""
    for cell in range(corner.where.size):
        if is_out[cell % is_out.size]:
            for number in range(corner.sizes[0]):
                if abs(corner.moves[number, corner.where[cell]]) > EDGE:
                    exchange(corner, cell, number)
                    corner.where[cell] = NOWHERE
                    remove(corner, number)
                    break


@inner
def remove(corner, number):
    """Remove a move; the last one, which has no cell of its own yet, takes its place."""
    corner.sizes[0] -= 1
    for column in range(corner.sizes[1]):
        corner.moves[number, column] = corner.moves[corner.sizes[0], column]
    corner.owns[number] = -1


@inner
def settle(corner):
    """Move a point to a corner, where each move has an empty cell of its own, and remove moves that change nothing."""
    number = 0
    while number < corner.sizes[0]:
        up, cell = find_wall(corner, number, 1.0)
        down, other = find_wall(corner, number, -1.0)
        if cell < 0 and other < 0:
            remove(corner, number)
            continue
        if cell < 0 or (other >= 0 and down < up):
            up, cell = -down, other
        go(corner, number, up, cell)
        exchange(corner, cell, number)
        number += 1


@inner
def find_wall(corner, number, sign):
    """Return how far a point can be moved, and the cell that is empty then; -1 if none will be."""
    most, wall, point = np.inf, -1, corner.point
    for column in range(corner.sizes[1]):
        fall = -sign * corner.moves[number, column]
        if fall > EDGE and point[corner.cells[column]] < most * fall:
            wall = corner.cells[column]
            most = point[wall] / fall
    return most, wall


@inner
def go(corner, number, steps, wall):
    """Move a point until a cell is empty."""
    point = corner.point
    for column in range(corner.sizes[1]):
        point[corner.cells[column]] += steps * corner.moves[number, column]
    if corner.owns[number] >= 0:
        point[corner.owns[number]] += steps
    point[point.size - 1] += steps * corner.goals[number]
    point[wall] = 0.0


@inner
def exchange(corner, cell, number):
    """Let one move alone fill a cell; the cell that it had for its own takes the column."""
    moves, goals, (many, columns) = corner.moves, corner.goals, (corner.sizes[0], corner.sizes[1])
    at = corner.where[cell]
    pivot = moves[number, at]
    for column in range(columns):
        moves[number, column] /= pivot
    goals[number] /= pivot
    moves[number, at] = 1.0 / pivot
    for other in range(many):
        times = moves[other, at]
        if other != number and times != 0.0:
            moves[other, at] = 0.0
            for column in range(columns):
                moves[other, column] -= times * moves[number, column]
            goals[other] -= times * goals[number]
    before, corner.owns[number] = corner.owns[number], cell
    if before < 0:  # the last column takes the place of this one
        columns -= 1
        corner.sizes[1] = columns
        before = corner.cells[columns]
        for other in range(many):
            moves[other, at] = moves[other, columns]
    corner.cells[at], corner.where[before] = before, at
    corner.where[cell] = -1 - number


@inner
def aim(corner, cell, rest, first, end, cells):
    """Make the rows of a conjunction from one date to another the goal: ``cell``, and any of the ``rest``."""
    point, goals, goal = corner.point, corner.goals, corner.point.size - 1
    point[goal] = 0.0
    for number in range(corner.sizes[0]):
        goals[number] = 0.0
    for date in range(first, end + 1):
        other = rest
        while True:
            one = date * cells + (cell | other)
            point[goal] += point[one]
            column = corner.where[one]
            if column >= 0:
                for number in range(corner.sizes[0]):
                    goals[number] += corner.moves[number, column]
            elif column != NOWHERE:
                goals[-1 - column] += 1.0
            if not other:
                break
            other = (other - 1) & rest


@inner
def reach(corner, sign, enough):
    """Lower the goal of a corner, or with a ``sign`` of -1 raise it, until that is ``enough`` or no move changes it.

    This is the simplex method. It returns whether it has ended; if not, the goal is within its limit.
    """
    point, goals, goal, stuck = corner.point, corner.goals, corner.point.size - 1, 0
    for _ in range(TURNS):
        if sign * (point[goal] - enough) <= EDGE:
            return True
        number, steepest = -1, -EDGE
        for at in range(corner.sizes[0]):
            if sign * goals[at] < steepest:
                number, steepest = at, sign * goals[at]
                if stuck > STUCK:
                    break
        if number < 0:
            return True
        steps, wall = find_wall(corner, number, 1.0)
        if wall < 0:
            return False
        stuck = 0 if steps > EDGE else stuck + 1
        go(corner, number, steps, wall)
        exchange(corner, wall, number)
    return False
