"""Believing: how probable each value of a masked count is to a reader of linked tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.data.counts import UNKNOWN, Counts, State, name_values
from discreet.data.thresholds import as_k
from discreet.disclosure.attacks.feasible import Clock, TimeIsUpError
from discreet.disclosure.attacks.finding import Undecided
from discreet.disclosure.beliefs.result import FAINT, How
from discreet.disclosure.beliefs.sampling import judge_chains
from discreet.disclosure.beliefs.tables import Prior, as_prior
from discreet.disclosure.beliefs.unknowns import Spread, Unknowns, count_values
from discreet.disclosure.beliefs.walks import BATCHES, MOST, Drawn, draw_tables
from discreet.errors import BudgetError
from discreet.publications.counts.believed import BelievedCell, BelievedCells, CellBelief
from discreet.publications.counts.equations import Equations
from discreet.publications.counts.limits import Limits, link_tables
from discreet.publications.counts.parts import Part, list_parts
from discreet.publications.counts.powers import Powers
from discreet.runtime.solver import Floats, NoValuesError, Numbers

PACES: Final = (1, 4)  # of walks, as long as chains differ
WHAT: Final = "masked counts"
ENDLESS: Final = "nothing that is published bounds them, or counts in sums with them"
LONE: Final = "no sum that is published has them: only their masks speak of them"
CHANGING: Final = "how many people are in them together is unknown, so lists of people do not compare; ask for uniform"
LARGE: Final = f"more than {MOST} unknown counts hang together, or a table that fits was not found"
APART: Final = "their attributes are too many to ask for people who fit all tables at once"


class _Likely(NamedTuple):
    """What is known of a count: the probability that it is small, its likeliest value and that of it, and its mean."""

    belief: Fraction | float
    error: float | None
    likeliest: int
    chance: Fraction | float
    chance_error: float | None
    expected: float
    how: How


def believe_counts(counts: Counts, *, k: int, prior: Prior, limit: int, seed: int, seconds: float) -> CellBelief:
    """Return how probable it is that each masked count is 1 to k − 1, and its likeliest value.

    Each group of unknown counts that sums connect is a problem of its own: see ``belief``.
    """
    equations = link_tables(counts)
    search = _Search(Limits(equations, seconds), as_k(k), as_prior(prior), seed, Clock(seconds), counts)
    found = sorted(search.look(), key=lambda one: (-one.rank, one.words))
    kept = [one for one in found if one.rank >= FAINT]
    unlisted = Undecided(max(0, len(kept) - limit), WHAT, f"only the {limit:,} largest probabilities are listed")
    left_out = [Undecided(many, WHAT, why) for why, many in sorted(search.left_out.items())]
    left_out += [unlisted, Undecided(len(equations.doubts), "group of linked tables", APART)]
    listed = BelievedCells(kept[:limit])
    return CellBelief(
        search.k, search.prior, listed, len(found), search.steps, tuple(one for one in left_out if one.many)
    )


@dataclass(eq=False)
class _Search:
    """The search of linked tables: each part is counted if that is quick, and sampled if not."""

    limits: Limits
    k: int
    prior: Prior
    seed: int
    clock: Clock
    counts: Counts
    steps: int = 0
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def equations(self) -> Equations:
        """The sums of all tables."""
        return self.limits.equations

    def look(self) -> Iterator[BelievedCell]:
        """Yield what is believed of each masked count."""
        self.limits.propagate()
        low, high, wanted = self.limits.low, self.limits.high, self._list_masked()
        for cell in (cell for cell in wanted if low[cell] == high[cell]):
            value = int(low[cell])
            yield self._name(cell, _judge_spread(Spread({value: 1}, 1), self.k))
        parts = list(list_parts(self.equations, low, high, [cell for cell in wanted if low[cell] < high[cell]]))
        parts.sort(key=lambda one: (one[0].cells.size, one[0].cells[0]))
        for at, (part, cells) in enumerate(parts):
            try:
                self.clock.left()
                yield from self._look_at(part, cells)
            except TimeIsUpError:
                self._leave_out(
                    f"the {self.limits.seconds:g} seconds were over", sum(len(one) for _, one in parts[at:])
                )
                return
            except NoValuesError:
                raise self.limits.refuse_all() from None

    def _look_at(self, part: Part, cells: Sequence[int]) -> list[BelievedCell]:
        """Return what is believed of the masked counts of one part; none if it is left out."""
        unknowns = as_unknowns(part, self.limits.low, self.limits.high)
        why = self._find_obstacle(part, unknowns)
        if why is None and self.prior == "entropy":
            powers = [self._powers.find(self.equations.keys[cell]) for cell in part.cells.tolist()]
            unknowns = unknowns._replace(powers=np.array(powers))
            why = None if _is_fixed(unknowns) else CHANGING
        if why is not None:
            self._leave_out(why, len(cells))
            return []
        columns = np.searchsorted(part.cells, cells).tolist()
        try:
            likely = self._estimate(unknowns, columns, int(part.cells[0]))
        except BudgetError:
            self._leave_out(LARGE, len(cells))
            return []
        return [self._name(cell, one) for cell, one in zip(cells, likely, strict=True)]

    def _estimate(self, unknowns: Unknowns, columns: Sequence[int], number: int) -> list[_Likely]:
        """Return what is known of some unknowns."""
        counted = count_values(unknowns)
        if counted is not None:
            if not counted[0].total:
                raise NoValuesError
            return [_judge_spread(counted[column], self.k) for column in columns]
        found = list[_Likely]()
        for pace in PACES:
            try:
                drawn = draw_tables(unknowns, seed=(self.seed, number), clock=self.clock, pace=pace)
            except TimeIsUpError:
                if found:  # better than nothing, and it says that it did not settle
                    return found
                raise
            self.steps += drawn.steps
            found = judge_drawn(drawn, columns, self.k)
            if not any(one.error is None or one.chance_error is None for one in found):
                break
        return found

    def _find_obstacle(self, part: Part, unknowns: Unknowns) -> str | None:
        """Return why nothing can be said about a part; None if something can."""
        if not part.rows.size and not part.ratios:
            return LONE
        if (unknowns.high >= UNKNOWN).any():
            return ENDLESS
        if unknowns.low.size > MOST:
            return LARGE
        return None

    def _list_masked(self) -> list[int]:
        """Return the counts that are masked, or that tables leave out."""
        states, keys = self.equations.states, self.equations.keys
        shown = {name_values(table.names, cell.at) for table in self.counts.tables for cell in table.cells}
        names = {frozenset(name for name, _ in values) for values in shown}
        names |= {frozenset(table.names) for table in self.counts.tables if table.absent is not None}
        hidden = np.flatnonzero((states == State.MASKED) | (states == State.ABSENT)).tolist()
        return [cell for cell in hidden if keys[cell].names in names]  # and not in a table that nobody published

    @cached_property
    def _powers(self) -> Powers:
        return Powers(self.counts, self.equations)

    def _leave_out(self, why: str, many: int) -> None:
        self.left_out[why] = self.left_out.get(why, 0) + many

    def _name(self, cell: int, likely: _Likely) -> BelievedCell:
        """Return what is known of a cell with its name, and with what its mask says."""
        low, high = int(self.equations.low[cell]), int(self.equations.high[cell])
        is_masked = self.equations.states[cell] == State.MASKED
        says_small = bool(is_masked and low >= 1 and high < self.k)
        if self.limits.low[cell] >= 1 and self.limits.high[cell] < self.k:
            likely = likely._replace(belief=Fraction(1), error=0.0)
        return BelievedCell(self.equations.keys[cell], low, high, says_small, *likely)


def as_unknowns(part: Part, low: Numbers, high: Numbers) -> Unknowns:
    """Return the open cells of a part as unknowns; a published share is two sums that are at most something."""
    size, column = part.cells.size, {cell: at for at, cell in enumerate(part.cells.tolist())}
    factors = np.zeros((part.rows.size, size), dtype=np.int64)
    np.add.at(factors, (part.row_of, part.column_of), part.factors)
    unknowns = Unknowns.of(low[part.cells].copy(), high[part.cells].copy(), factors, -part.fixed)
    lines, totals = [*factors], (-part.fixed).tolist()
    for above, below, ratio in part.ratios:
        if below in column:
            unknowns.low[column[below]] = max(1, unknowns.low[column[below]])
        for share, sign in ((ratio.low, -1), (ratio.high, 1)):
            line, known = np.zeros(size, dtype=np.int64), 0
            for cell, factor in ((above, sign * share.denominator), (below, -sign * share.numerator)):
                if cell in column:
                    line[column[cell]] += factor
                else:
                    known += factor * int(low[cell])
            lines.append(line)
            totals.append(-known)
    is_exact = np.arange(len(lines)) < part.rows.size
    return Unknowns.of(*unknowns[:2], np.array(lines), totals)._replace(is_exact=is_exact)


def _is_fixed(unknowns: Unknowns) -> bool:
    """Return whether all tables have equally many people, so that lists of as many are compared."""
    lines = unknowns.factors[unknowns.is_exact].astype(np.float64)
    rank = np.linalg.matrix_rank(lines) if lines.size else 0
    return bool(np.linalg.matrix_rank(np.vstack([lines, unknowns.powers])) == rank)


def _judge_spread(spread: Spread, k: int) -> _Likely:
    """Return what is known of a number whose values were counted."""
    value = spread.likeliest
    return _Likely(spread.chance(range(1, k)), 0.0, value, spread.chance([value]), 0.0, float(spread.mean), "counted")


def judge_drawn(drawn: Drawn, columns: Sequence[int], k: int) -> list[_Likely]:
    """Return what is known of some columns of tables that were drawn.

    The likeliest value is chosen by the first half of the batches, and its probability found by the others: by the
    same ones it would be too large.
    """
    values, half, found = drawn.values[..., list(columns)], BATCHES // 2, list[_Likely]()
    likeliest = np.array([_find_mode(one) for one in values[:, :half].reshape(-1, len(columns)).T], dtype=np.int64)
    small = judge_chains(((values > 0) & (values < k)).mean(axis=2))
    best = judge_chains((values[:, half:] == likeliest).mean(axis=2))
    for at, mean in enumerate(values.mean(axis=(0, 1, 2)).tolist()):
        belief, chance = _pick(small, at), _pick(best, at)
        found.append(_Likely(*belief, int(likeliest[at]), *chance, mean, "sampled"))
    return found


def _find_mode(values: Numbers) -> int:
    """Return the most frequent value, the lowest one of several."""
    each, many = np.unique(values, return_counts=True)
    return int(each[many.argmax()])


def _pick(judged: tuple[Floats, Floats, NDArray[np.bool_]], at: int) -> tuple[float, float | None]:
    """Return the share of a column and its error, None if its chains differ."""
    shares, errors, is_settled = judged
    return float(shares[at]), float(errors[at]) if is_settled[at] else None
