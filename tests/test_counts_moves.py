"""Moves from one table that fits to others: each keeps all sums and limits, and misses no value that is near."""

import numpy as np
import oracle
from hypothesis import given
from hypothesis import strategies as st

from discreet.publications.counts.moves import Moves
from discreet.publications.counts.parts import Part


@st.composite
def systems(draw):
    """Draw sums with factors, as a matrix, a table that keeps them, and limits around it."""
    width = draw(st.integers(2, 5))
    factors = st.lists(st.sampled_from([0, 1, 1, -1, 2, -2]), min_size=width, max_size=width)
    matrix = np.array(draw(st.lists(factors.filter(any), min_size=1, max_size=3)))
    table, down, up = (np.array(draw(st.lists(st.integers(0, 3), min_size=width, max_size=width))) for _ in range(3))
    return matrix, table, np.maximum(table - down, 0), table + up


def make_part(matrix, table):
    rows, columns = np.nonzero(matrix)
    every, numbers = np.arange(matrix.shape[1]), np.arange(matrix.shape[0])
    return Part(every, numbers, rows, columns, matrix[rows, columns], -(matrix @ table))


@given(systems(), st.data())
def test_moves_and_walks_meet_tables_that_fit_alone(case, data):
    matrix, table, low, high = case
    moves = Moves(make_part(matrix, table), table, low, high)
    fitting = oracle.tables_with_sums_of(*(one.tolist() for one in case))
    for column in range(table.size):
        goal = data.draw(st.integers(int(low[column]), int(high[column])))
        before = moves.table
        found = moves.find(column, goal, 60, table.size)
        assert not found or any(counts[column] == goal for counts in fitting)
        assert (moves.table == before).all()
        if moves.fresh:
            moves.walk(np.ones(table.size, dtype=np.bool_))
        assert moves.table.tolist() in fitting
    for column in range(table.size):
        values = {counts[column] for counts in fitting}
        assert {int(moves.least[column]), int(moves.largest[column])} <= values


def test_a_walk_meets_the_ends_of_a_chain_of_counts():
    matrix = np.eye(4, 5, dtype=int) + np.eye(4, 5, k=1, dtype=int)  # neighbours have constant sums
    moves = Moves(make_part(matrix, np.full(5, 3)), np.full(5, 3), np.zeros(5, int), np.full(5, 9))
    assert moves.find(0, 4, 60, 5)
    moves.walk(np.zeros(5, dtype=np.bool_))
    assert moves.least.tolist() == [0] * 5
    assert moves.largest.tolist() == [6] * 5
    assert not moves.find(0, 7, 60, 5)


def test_a_move_among_few_counts_changes_no_other():
    matrix = np.ones((1, 4), dtype=int)
    moves = Moves(make_part(matrix, np.full(4, 2)), np.full(4, 2), np.zeros(4, int), np.full(4, 9))
    assert moves.find(0, 5, 60, 2)
    assert moves.largest[0] == 5
    assert moves.least.sum() == 2 + 2 + 2 + 2 - 3
