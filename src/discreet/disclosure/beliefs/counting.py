"""Counting: the exact share of tables in which a pattern holds for 1 to k − 1 rows."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb, exp
from typing import Final

import numpy as np

from discreet.disclosure.attacks.constraints import Bits, System
from discreet.disclosure.beliefs.tables import KnownSum, Prior, cap_columns, find_top, list_sums
from discreet.disclosure.beliefs.unknowns import Unknowns, count_values
from discreet.errors import InconsistencyError

STEPS: Final = 2_000  # of counting, for one universe
NEVER: Final = 1e-9  # the largest probability of a breach that is taken as 0
NONE_FIT: Final = "no database has these supports; check that they are exact, and that the list is complete"


def count_few(system: System, *, k: int, prior: Prior, steps: int = STEPS) -> list[Fraction] | None:
    """Return the probability of 1 to k − 1 rows for each possible row of a system; None if counting takes too long.

    One more item than a top, whose known supports with the top all lie in one itemset, is drawn from urns; other
    tables are counted column by column.

    >>> from discreet import Facts
    >>> from discreet.disclosure.attacks.constraints import Ground, build_system
    >>> facts = Facts.from_limits([(["a"], 3, 3), (["b"], 2, 2)], n=5)
    >>> [str(one) for one in count_few(build_system(Ground(facts), 0b11, most=4), k=2, prior="entropy")]
    ['3/5', '3/10', '3/5', '3/5']
    """
    sums = list_sums(system)
    return count_urns(system, sums, k, prior) or count_columns(system, sums, k, prior, steps)


def count_urns(system: System, sums: Sequence[KnownSum], k: int, prior: Prior) -> list[Fraction] | None:
    """Return the probabilities if the rows of one item more are drawn from urns; None if they are not.

    Let M be a top, a the item, and L the only part with it. Of the rows that are alike within L, a known number holds
    a: they are any of these rows ("entropy": a hypergeometric number for each cell of M), or their numbers in the cells
    of M are any that add up to it ("uniform"). Limits on unlisted itemsets must hold whatever is drawn, or almost.
    """
    top = find_top(system)
    item, others = system.universe & ~top, [part for part in system.parts if part != top]
    if item.bit_count() != 1 or len(others) != 1:
        return None
    cells, held = system.ground.table(top), system.ground.table(others[0])
    urns: dict[Bits, list[Bits]] = {}
    place = {row: number for number, row in enumerate(system.rows)}
    for cell in cells:
        if cell | item in place:
            urns.setdefault(cell & others[0], []).append(cell)
    drawn = {urn: held.get(urn | item, 0) for urn in urns}
    groups = {urn: [(cell, cells[cell]) for cell in own] for urn, own in urns.items()}
    if _bound_breaches(system, sums, groups, drawn, item, prior) > NEVER:
        return None
    found = [Fraction(0 < cells.get(row, 0) < k) for row in system.rows]
    for urn, own in urns.items():
        chances = CHANCES[prior]([cells[cell] for cell in own], drawn[urn], k)
        for cell, (with_item, without) in zip(own, chances, strict=True):
            found[place[cell | item]] = with_item
            if cell in place:
                found[place[cell]] = without
    return found


def _bound_breaches(
    system: System,
    sums: Sequence[KnownSum],
    urns: dict[Bits, list[tuple[Bits, int]]],
    drawn: dict[Bits, int],
    item: Bits,
    prior: Prior,
) -> float:
    """Return an upper bound of the probability that drawn rows exceed a limit.

    Without replacement, a sum deviates as Hoeffding (1963, theorem 4) says; from counts that are equally likely,
    anything is drawn.
    """
    total = 0.0
    for columns, most, is_exact in sums:
        if is_exact:
            continue
        holders = {system.rows[column] for column in columns.tolist()}
        if not all(row & item for row in holders):
            return 1.0
        holding = {urn: sum(count for cell, count in own if cell | item in holders) for urn, own in urns.items()}
        if sum(min(drawn[urn], count) for urn, count in holding.items()) <= most:
            continue
        mean = sum(drawn[urn] * count / sum(each for _, each in urns[urn]) for urn, count in holding.items() if count)
        open_urns = sum(drawn[urn] for urn, count in holding.items() if count)
        above = most + 1 - mean
        total += exp(-2 * above * above / open_urns) if prior == "entropy" and above > 0 else 1.0
    return total


def _draw_rows(counts: Sequence[int], drawn: int, k: int) -> list[tuple[Fraction, Fraction]]:
    """Return for cells of one urn how likely 1 to k − 1 rows are drawn, and how likely they are left.

    >>> [tuple(map(str, pair)) for pair in _draw_rows([2, 3], 2, 2)]
    [('3/5', '3/5'), ('3/5', '3/10')]
    """
    urn = sum(counts)
    every = comb(urn, drawn)

    def add_up(count: int, numbers: range) -> Fraction:
        taken = range(max(0, numbers.start, drawn - urn + count), min(numbers.stop, count + 1, drawn + 1))
        if not taken:
            return Fraction(0)
        total, term = 0, comb(count, taken[0]) * comb(urn - count, drawn - taken[0])
        for number in taken:
            total += term
            term = term * (count - number) * (drawn - number) // ((number + 1) * (urn - count - drawn + number + 1))
        return Fraction(total, every)

    return [(add_up(count, range(1, k)), add_up(count, range(count - k + 1, count))) for count in counts]


def _draw_counts(counts: Sequence[int], drawn: int, k: int) -> list[tuple[Fraction, Fraction]]:
    """Return the same if all numbers of rows of each cell that add up are equally likely.

    The number of ways is a coefficient of the product of 1 + x + … + x ** count, and without one cell, of the quotient.

    >>> [tuple(map(str, pair)) for pair in _draw_counts([2, 3], 2, 2)]
    [('1/3', '1/3'), ('1/3', '1/3')]
    """
    ways = [1] + [0] * drawn
    for count in counts:
        sums = [0, *accumulate(ways)]
        ways = [sums[at + 1] - sums[max(0, at - count)] for at in range(drawn + 1)]
    found = []
    for count in counts:
        rest: list[int] = []
        for at, many in enumerate(ways):
            rest.append(many - (ways[at - 1] if at else 0) + (rest[at - count - 1] if at > count else 0))
        chances = [Fraction(rest[drawn - taken], ways[drawn]) for taken in range(min(count, drawn) + 1)]
        left = chances[max(0, count - k + 1) : count]
        found.append((sum(chances[1:k], Fraction(0)), sum(left, Fraction(0))))
    return found


CHANCES: Final = {"entropy": _draw_rows, "uniform": _draw_counts}


def count_columns(
    system: System, sums: Sequence[KnownSum], k: int, prior: Prior, steps: int = STEPS
) -> list[Fraction] | None:
    """Return the probabilities by filling column after column; tables that leave the same sums open are one."""
    found = count_values(as_unknowns(system, sums, prior), order=_order_columns(system), edges=steps)
    if found and not found[0].total:
        raise InconsistencyError(NONE_FIT, "negative", (), ())
    return None if found is None else [spread.chance(range(1, k)) for spread in found]


def as_unknowns(system: System, sums: Sequence[KnownSum], prior: Prior) -> Unknowns:
    """Return the columns of a system as unknowns."""
    high = cap_columns(system, sums)
    factors = np.zeros((len(sums), high.size), dtype=np.int64)
    for line, one in zip(factors, sums, strict=True):
        line[one.columns] = 1
    powers = np.full(high.size, int(prior == "entropy"))
    is_exact = np.array([one.is_exact for one in sums], dtype=np.bool_)
    return Unknowns.of(0 * high, high, factors, [one.total for one in sums], powers)._replace(is_exact=is_exact)


def _order_columns(system: System) -> list[int]:
    """Return the columns in an order that keeps few sums open: by the cells of parts, the smallest overlap first."""
    top = find_top(system)
    overlaps = sorted({part & top for part in system.parts} - {top}, key=lambda one: (one.bit_count(), one))
    keys = [(*(row & one for one in overlaps), row & top, row) for row in system.rows]
    return sorted(range(len(keys)), key=keys.__getitem__)
