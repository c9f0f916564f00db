"""Counting: the exact share of tables in which a pattern holds for 1 to k − 1 rows."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb, exp
from typing import Final, NamedTuple

from discreet.disclosure.attacks.constraints import Bits, System
from discreet.disclosure.beliefs.tables import KnownSum, Prior, cap_columns, find_top, list_sums, weigh
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


class _Step(NamedTuple):
    """How the numbers that are left of open sums go on when a column is filled.

    For each sum of the column, that of its cell of the top first: its place before, or -1 and its total; whether it is
    exact; and the most of its later columns. Then for each open sum afterwards its place before, and its place among
    those of the column, or -1.
    """

    places: list[tuple[int, int, bool, int]]
    after: list[tuple[int, int]]

    def list_values(self, state: tuple[int, ...]) -> tuple[list[int], range]:
        """Return what is left of the sums of the column, and the numbers of rows that it may have."""
        rests = [total if at < 0 else state[at] for at, total, _, _ in self.places]
        needed = (rest - later for rest, (_, _, is_exact, later) in zip(rests, self.places, strict=True) if is_exact)
        return rests, range(max(0, *needed), min(rests) + 1)

    def go_on(self, state: tuple[int, ...], rests: list[int], value: int) -> tuple[int, ...]:
        """Return what is left of open sums; a limit that later columns cannot reach is one that they just reach."""
        return tuple(state[at] if own < 0 else min(rests[own] - value, self.places[own][3]) for at, own in self.after)


class _Edge(NamedTuple):
    """From the state ``start``, a column gets ``value`` of the ``rest`` of its cell; that leads ``to`` another."""

    start: int
    value: int
    rest: int
    to: int


def count_columns(
    system: System, sums: Sequence[KnownSum], k: int, prior: Prior, steps: int = STEPS
) -> list[Fraction] | None:
    """Return the probabilities by filling column after column; tables that leave the same sums open are one.

    That counts all tables without listing them, as a transfer matrix does.
    """
    order = _order_columns(system)
    states: dict[tuple[int, ...], int] = {(): 0}
    layers, left = list[tuple[list[_Edge], int]](), steps
    for step in _plan(system, sums, order):
        ranges = [step.list_values(state) for state in states]
        left -= sum(len(values) for _, values in ranges)
        if left < 0:
            return None
        edges, following = list[_Edge](), dict[tuple[int, ...], int]()
        for (state, number), (rests, values) in zip(states.items(), ranges, strict=True):
            for value in values:
                to = following.setdefault(step.go_on(state, rests, value), len(following))
                edges.append(_Edge(number, value, rests[0], to))
        layers.append((edges, len(following)))
        states = following
    return _add_up(layers, order, k, prior)


def _add_up(layers: Sequence[tuple[list[_Edge], int]], order: Sequence[int], k: int, prior: Prior) -> list[Fraction]:
    """Return for each column the weight of tables with 1 to k − 1 rows in it, as a share of all."""
    ahead, weights = [[1]], list[list[int]]()
    for edges, many in layers:
        weights.append([weigh(prior, edge.rest, edge.value) for edge in edges])
        sums = [0] * many
        for edge, weight in zip(edges, weights[-1], strict=True):
            sums[edge.to] += ahead[-1][edge.start] * weight
        ahead.append(sums)
    if not ahead[-1]:
        raise InconsistencyError(NONE_FIT, "negative", (), ())
    found, behind = [Fraction(0)] * len(order), [1]
    for number in reversed(range(len(order))):
        before, few = [0] * len(ahead[number]), 0
        for edge, weight in zip(layers[number][0], weights[number], strict=True):
            ways = weight * behind[edge.to]
            before[edge.start] += ways
            few += ahead[number][edge.start] * ways if 0 < edge.value < k else 0
        found[order[number]], behind = Fraction(few, ahead[-1][0]), before
    return found


def _order_columns(system: System) -> list[int]:
    """Return the columns in an order that keeps few sums open: by the cells of parts, the smallest overlap first."""
    top = find_top(system)
    overlaps = sorted({part & top for part in system.parts} - {top}, key=lambda one: (one.bit_count(), one))
    keys = [(*(row & one for one in overlaps), row & top, row) for row in system.rows]
    return sorted(range(len(keys)), key=keys.__getitem__)


def _plan(system: System, sums: Sequence[KnownSum], order: Sequence[int]) -> list[_Step]:
    """Return the steps of filling the columns in an order."""
    caps, turn = cap_columns(system, sums).tolist(), {column: at for at, column in enumerate(order)}
    members = [sorted(turn[column] for column in one.columns.tolist()) for one in sums]
    steps, before = [], list[int]()
    for at in range(len(order)):
        own = [number for number, turns in enumerate(members) if at in turns]
        later = [sum(caps[order[turn]] for turn in members[number] if turn > at) for number in own]
        places = [
            (before.index(number) if number in before else -1, sums[number].total, sums[number].is_exact, rest)
            for number, rest in zip(own, later, strict=True)
        ]
        after = [number for number in before if number not in own]
        after += [number for number in own if members[number][-1] > at]
        moved = [
            (before.index(number) if number in before else -1, own.index(number) if number in own else -1)
            for number in after
        ]
        steps.append(_Step(places, moved))
        before = after
    return steps
