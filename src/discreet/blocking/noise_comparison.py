"""What releases keep and give away beside noisy supports, by the same measures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.costs import list_up_to
from discreet.blocking.distortion import supports_in
from discreet.blocking.noise import Mechanism, PrivacyLoss
from discreet.blocking.problem import BlockProblem
from discreet.data.itemsets import Itemsets
from discreet.data.numbering import Numbering, number_short
from discreet.data.patterns import Patterns
from discreet.disclosure.guesses import ListedGroups, are_small, find_hits
from discreet.errors import BudgetError, Option, refuse_truth
from discreet.mining.mine import mine
from discreet.runtime import html
from discreet.runtime.solver import Floats, Numbers
from discreet.runtime.text import count_of, percent

RUNS: Final = 20
MOST_CANDIDATES: Final = 400_000  # of a length that was asked for: OpenDP takes 0.2 ms for each, if 400 are chosen
QUICK: Final = 20_000  # of as long itemsets as fit, if none was asked for
UNCHANGED: Final = "as it is"


HUNDRED: Final = 100  # from here on, no fraction of a row is shown


class Measures(NamedTuple):
    """What one release keeps of the frequent itemsets, and what attackers find in it.

    Of the frequent itemsets that are ``kept``, the ``average`` change of a support is a share of it, the ``largest``
    is in rows, and ``ranks`` is the rank correlation of the supports (Spearman). An attacker who takes all supports
    as exact ``claims`` so many small groups, ``true`` of which are small. One who knows how far off supports are finds
    the share ``hits`` of all small groups, with one false alarm for 1,000 groups that are not small.
    """

    kept: float
    average: float | None
    largest: float | None
    ranks: float | None
    claims: float
    true: float
    hits: float | None


def _say_number(number: float) -> str:
    """Return a number of rows or groups, or a mean of such numbers.

    >>> _say_number(1234), _say_number(0.25)
    ('1,234', '0.25')
    """
    return f"{number:,.0f}" if float(number).is_integer() or number >= HUNDRED else f"{number:.3g}"


SHOWN: Final[Mapping[str, tuple[str, Callable[[float], str]]]] = {
    "kept": ("frequent itemsets that are published", _say_number),
    "average": ("average change of their supports", percent),
    "largest": ("largest change, in rows", _say_number),
    "ranks": ("rank correlation of their supports; 1 if their order is kept", "{:.3g}".format),
    "claims": ("small groups that a reader finds who takes the supports as exact", _say_number),
    "true": ("those of them that are small", _say_number),
    "hits": ("share of the small groups that a betting reader names, with 1 false alarm in 1,000", percent),
}
"""What each measure is, in words, and how it is written."""


class OverRuns(NamedTuple):
    """The mean of a measure over runs, its least and its largest value."""

    mean: float
    least: float
    largest: float


class NoiseLine(NamedTuple):
    """A line of the comparison: its measures over runs, by their names; None where there is nothing to measure.

    Of noisy supports it has the ``epsilon`` that was asked for, and the ``loss`` as OpenDP accounts for it.
    """

    name: str
    epsilon: float | None
    loss: PrivacyLoss | None
    measures: Mapping[str, OverRuns | None]

    @property
    def means(self) -> list[str]:
        """The mean of each measure over runs, as text."""
        return ["-" if found is None else SHOWN[name][1](found.mean) for name, found in self.measures.items()]

    @property
    def ranges(self) -> list[str]:
        """The least and the largest value of each measure over runs, as text; empty if they are alike."""
        limits = ((SHOWN[name][1], found) for name, found in self.measures.items())
        return [f"{say(found.least)} to {say(found.largest)}" if found else "" for say, found in limits]

    @property
    def words(self) -> str:
        """The privacy loss as OpenDP accounts for it; a dash if there is none."""
        return (
            "-" if self.loss is None else f"{self.loss.epsilon:.4g}" + f", {self.loss.delta:g}" * bool(self.loss.delta)
        )


LEGEND: Final = (
    f"{'; '.join(f'{name}: {words}' for name, (words, _) in SHOWN.items())}; loss: ε, and δ if it is above 0, as "
    "OpenDP accounts for both. Of noisy supports, these are means over all runs, and then the least and the largest; "
    "the next run would be between these two in at least 19 of 21 cases."
)


@refuse_truth(ask=".lines")
@dataclass(frozen=True)
class NoiseComparison:
    """Releases beside noisy supports: ``lines`` about the ``itemsets`` of at most ``length`` items that are frequent.

    ``small`` of the groups within these itemsets have 1 to k − 1 rows. Noisy supports are those of the ``top``
    itemsets of all ``candidates``, in several ``runs``.
    """

    k: int
    items: int
    itemsets: int
    length: int
    groups: int
    small: int
    candidates: int
    top: int
    runs: int
    lines: tuple[NoiseLine, ...]

    def _repr_html_(self) -> str:
        lines = [(line.name, line.words, *line.means) for line in self.lines]
        return html.table("Beside noise", ["release", "loss (ε, δ)", *SHOWN], lines, note=f"{self.setting} {LEGEND}")

    @property
    def setting(self) -> str:
        """What is compared, and what must be public, in a few sentences."""
        short = f"of at most {count_of(self.length, 'item')}"
        return (
            f"Compared are the {count_of(self.itemsets, 'frequent itemset')} {short};"
            f" {self.small:,} of {count_of(self.groups, 'group')} within them have 1 to {self.k - 1:,} rows. Noisy"
            f" supports: OpenDP chooses {self.top:,} of all {self.candidates:,} itemsets {short},"
            f" and adds noise, {self.runs:,} times. The loss is that of one run, for"
            f" one row more or less, and takes as public the {count_of(self.items, 'item')} and their names, the length"
            " and the number of itemsets that are chosen. No ε holds for the other lines: they add no noise. This"
            " table itself is confidential."
        )


def compare_with_noise(
    problem: BlockProblem,
    releases: Iterable[tuple[str, Patterns]],
    plans: Sequence[Callable[[int], Mechanism]],
    *,
    runs: int = RUNS,
) -> NoiseComparison:
    """Return what releases keep and give away, beside noisy supports of the same rows."""
    ground = _Ground.of(problem)
    mechanisms = [plan(len(ground.numbering)) for plan in plans]
    every = [(UNCHANGED, problem.patterns), *releases]
    plain = [NoiseLine(name, None, None, _sum_up([ground.measure(ground.publish(one))])) for name, one in every]
    noisy = [
        NoiseLine(f"{one.name}, ε = {one.epsilon:g}", one.epsilon, one.loss, _sum_up([*ground.repeat(one, runs)]))
        for one in mechanisms
    ]
    return NoiseComparison(
        *(problem.k, ground.numbering.items, len(ground.listed), ground.numbering.length),
        *(ground.is_small.size, int(ground.is_small.sum()), len(ground.numbering), mechanisms[0].top, runs),
        (*plain, *noisy),
    )


class Published(NamedTuple):
    """Some itemsets with their supports, and how far off these are: a standard deviation."""

    itemsets: Itemsets
    supports: Floats
    spread: float


@dataclass(frozen=True, eq=False)
class _Ground:
    """The rows of a comparison: the supports of all candidates, and which of these itemsets are frequent."""

    problem: BlockProblem
    numbering: Numbering
    truth: Numbers
    listed: Itemsets

    @classmethod
    def of(cls, problem: BlockProblem) -> "_Ground":
        """Count all itemsets of as many items as there may be."""
        patterns, limits = problem.patterns, problem.limits
        most = QUICK if patterns.max_length is None else MOST_CANDIDATES
        numbering = number_short(len(patterns.labels), patterns.max_length, most)
        if numbering is None:
            many = len(patterns.labels)
            raise BudgetError(
                f"noise needs 1 to {most - 1:,} items, and itemsets of one or more; these rows have {many:,}; leave ",
                Option("epsilon"),
                " out",
            )
        held = mine(
            problem.rows,
            min_support=1,
            kind="frequent",
            max_length=numbering.length,
            threads=limits.threads,
            memory=limits.memory,
            progress=lambda *_: None,
        )
        truth = np.zeros(len(numbering), dtype=np.int64)
        truth[0] = problem.patterns.n
        truth[numbering.find(held.itemsets)] = held.supports
        frequent = np.flatnonzero(held.supports >= patterns.min_support)
        return cls(problem, numbering, truth, held.itemsets.take(frequent))

    @cached_property
    def supports(self) -> list[int]:
        """The supports of all candidates, as OpenDP takes them."""
        supports: list[int] = self.truth.tolist()
        return supports

    @cached_property
    def places(self) -> Numbers:
        """The numbers of the frequent itemsets."""
        return self.numbering.find(self.listed)

    @cached_property
    def groups(self) -> ListedGroups:
        """The groups within frequent itemsets."""
        return ListedGroups(self.numbering, self.listed)

    @cached_property
    def is_small(self) -> NDArray[np.bool_]:
        """Which of these have 1 to k − 1 rows."""
        return are_small(self.groups.count(self.truth.astype(float)), self.problem.k)

    def publish(self, patterns: Patterns) -> Published:
        """Return what a list of patterns says about itemsets of so many items."""
        shown = list_up_to(patterns, self.numbering.length, None)
        code = {label: number for number, label in enumerate(self.problem.patterns.labels)}
        codes = np.array([code.get(label, -1) for label in shown.labels], dtype=np.int32)[shown.items]
        known = np.setdiff1d(np.arange(len(shown)), shown.itemsets.owners[codes < 0])
        recoded = Itemsets(shown.offsets, codes).take(known).sort_items()
        return Published(recoded, supports_in(patterns, shown)[known].astype(float), 0.0)

    def repeat(self, mechanism: Mechanism, runs: int) -> Iterator[Measures]:
        """Yield the measures of several runs of a mechanism."""
        for _ in range(runs):
            chosen, supports = mechanism.release(self.supports)
            itemsets = Itemsets.of([self.numbering[number] for number in chosen])
            yield self.measure(Published(itemsets, np.array(supports, dtype=float), mechanism.spread))

    def measure(self, published: Published) -> Measures:
        """Return what a release keeps, and what attackers find in it."""
        known, k = np.full(self.truth.size, np.nan), self.problem.k
        known[self.numbering.find(published.itemsets)] = published.supports
        kept = self.places[~np.isnan(known[self.places])]
        before, after = self.truth[kept], known[kept]
        change = np.abs(after - before)
        own = ListedGroups(self.numbering, published.itemsets)
        claims = are_small(own.count(known), k)
        is_true = are_small(own.count(self.truth.astype(float)), k)
        return Measures(
            kept.size,
            float((change / before).mean()) if kept.size else None,
            float(change.max()) if kept.size else None,
            correlate_ranks(before, after),
            int(claims.sum()),
            int((claims & is_true).sum()),
            find_hits(self.groups, known, published.spread, is_small=self.is_small, k=k),
        )


def correlate_ranks(left: Floats | Numbers, right: Floats | Numbers) -> float | None:
    """Return the rank correlation of numbers (Spearman), equal ones on their mean rank; None if one side is all equal.

    >>> correlate_ranks(np.array([1, 2, 3]), np.array([10, 30, 20])), correlate_ranks(np.array([1]), np.array([1]))
    (0.5, None)
    """
    sides = []
    for side in (left, right):
        _, which, many = np.unique(side, return_inverse=True, return_counts=True)
        ranks = (np.cumsum(many) - (many - 1) / 2)[which]
        sides.append(ranks - (side.size + 1) / 2)
    size = float(np.sqrt((sides[0] ** 2).sum() * (sides[1] ** 2).sum()))
    return float((sides[0] * sides[1]).sum()) / size if size else None


def _sum_up(runs: Sequence[Measures]) -> dict[str, OverRuns | None]:
    """Return the mean and the range of each measure over runs."""
    summed: dict[str, OverRuns | None] = {}
    for name, found in zip(Measures._fields, zip(*runs, strict=True), strict=True):
        values = [one for one in found if one is not None]
        summed[name] = OverRuns(fmean(values), float(min(values)), float(max(values))) if values else None
    return summed
