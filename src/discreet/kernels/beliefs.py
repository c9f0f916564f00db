"""Kernels for beliefs: walks over tables that fit, and scaling to known sums."""

from discreet.kernels.common import hot, jit


@jit
def scale(cells, offsets, columns, totals, rounds, close):
    """Scale ``cells`` in place, sum after sum, until no sum is off by more than ``close``; return the largest error.

    Sum ``i`` has the ``columns`` from ``offsets[i]`` on, and should be ``totals[i]``; none is 0.
    """
    error = 0.0
    for _ in range(rounds):
        error = 0.0
        for number in range(totals.size):
            held = 0.0
            for at in range(offsets[number], offsets[number + 1]):
                held += cells[columns[at]]
            error = max(error, abs(held - totals[number]))
            if held > 0.0:
                factor = totals[number] / held
                for at in range(offsets[number], offsets[number + 1]):
                    cells[columns[at]] *= factor
        if error <= close:
            break
    return error


@hot
def walk(
    table, slack, offsets, columns, factors, limits, numbers, changes, weights, choices, sizes, draws, k, every, few
):
    """Walk over tables by Metropolis' rule; add to ``few`` how often each column has 1 to k − 1 rows.

    Move ``i`` adds ``factors`` to the ``columns`` from ``offsets[i]`` on, and takes ``changes`` from the ``slack`` of
    the limits ``numbers`` from ``limits[i]`` on. ``choices`` are moves, ``sizes`` how often each is done, or undone
    if negative, and ``draws`` logarithms of numbers below 1. ``weights[z]`` is the logarithm of the weight of z rows.
    The table is looked at after ``every`` steps.
    """
    for step in range(choices.size):
        move, size = choices[step], sizes[step]
        gain = 0.0
        for at in range(offsets[move], offsets[move + 1]):
            before = table[columns[at]]
            after = before + size * factors[at]
            if after < 0:
                gain = -1e300
                break
            gain += weights[after] - weights[before]
        if draws[step] <= gain:
            for at in range(limits[move], limits[move + 1]):
                if slack[numbers[at]] < size * changes[at]:
                    gain = -1e300
            if gain > -1e300:
                for at in range(limits[move], limits[move + 1]):
                    slack[numbers[at]] -= size * changes[at]
                for at in range(offsets[move], offsets[move + 1]):
                    table[columns[at]] += size * factors[at]
        if step % every == every - 1:
            for column in range(table.size):
                if 0 < table[column] < k:
                    few[column] += 1


@hot
def walk_within(table, low, high, offsets, columns, factors, powers, weights, choices, sizes, draws, every, looks):
    """Walk over tables within limits by Metropolis' rule; write each one that is looked at to ``looks``.

    Moves, ``choices``, ``sizes`` and ``draws`` are as for ``walk``. ``weights[z]`` is the logarithm of 1 / z!, and
    counts for a column as often as its power says; there must be one for each z of a column whose power is not 0. The
    table is looked at after ``every`` steps.
    """
    for step in range(choices.size):
        move, size = choices[step], sizes[step]
        gain = 0.0
        for at in range(offsets[move], offsets[move + 1]):
            column = columns[at]
            before = table[column]
            after = before + size * factors[at]
            if after < low[column] or after > high[column]:
                gain = -1e300
                break
            if powers[column] != 0:
                gain += powers[column] * (weights[after] - weights[before])
        if draws[step] <= gain:
            for at in range(offsets[move], offsets[move + 1]):
                table[columns[at]] += size * factors[at]
        if step % every == every - 1:
            for column in range(table.size):
                looks[step // every, column] = table[column]
