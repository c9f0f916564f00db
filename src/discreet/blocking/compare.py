"""Compare: what each method makes of the same rows, and which of them costs the least."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from time import perf_counter
from typing import Final, NamedTuple

from discreet.blocking.guarantee import check
from discreet.blocking.problem import Answer, Problem
from discreet.blocking.release.release import Release, Rival
from discreet.errors import BudgetError, Either
from discreet.judging.policy import Policy
from discreet.runtime import html
from discreet.runtime.text import percent

METHODS: Final = ("suppress", "add", "withhold", "optimal")
"""Each has a module in this folder, with a function ``answer``, and is loaded when it is first asked for."""
AGAINST: Final = {"suppress": "suppressed", "add": "added", "withhold": "withheld"}
"""What withstands a stronger attacker in against.py; "optimal" does so by itself."""
WAYS: Final = {
    "suppress": ("suppress", False),
    "add": ("add", False),
    "add, merged": ("add", True),
    "withhold": ("withhold", False),
    "optimal": ("optimal", False),
}
"""What is compared, in this order: the method, and whether rows are merged."""
RIVALS: Final = tuple(name for name in WAYS if name != "withhold")
"""Of which the best is taken. A list with gaps beside whole ones would tell that something had to be changed."""
MOST_WITHHELD: Final = 10**6
"""Itemsets that "withhold" may list where it is only compared: it lists them all, not the closed ones."""


class Compared(NamedTuple):
    """What a method made of the rows, in how many seconds; or why it was left out."""

    name: str
    release: Release | None
    seconds: float
    left_out: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What each method made of the same rows, in the order in which they ran.

    The ``best`` is the one of the least average distortion among those that are the whole list of some rows; of
    several, the first.
    """

    lines: tuple[Compared, ...]

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.lines)} ways to block, the best is {self._first[0]}>"

    def _repr_html_(self) -> str:
        """Return what each method costs as a table, for notebooks."""
        head = ["method", "rows suppressed", "rows added", "itemsets lost", "changed", "average distortion", "left out"]
        table = html.filled(head, [_cells(line) for line in self.lines])
        return html.table(repr(self)[1:-1], *table, note=self.recommendation)

    @cached_property
    def best(self) -> Release:
        """The release that costs the least."""
        rivals = ((line.name, line.release) for line in self.lines if line.name in RIVALS)
        told = (Rival(name, None if release is None else release.distortion.average) for name, release in rivals)
        return replace(self._first[1], compared=tuple(told))

    @cached_property
    def _first(self) -> tuple[str, Release]:
        """The release that costs the least, and the name of its line."""
        pairs = [(line.name, line.release) for line in self.lines if line.release is not None and line.name in RIVALS]
        return min(pairs, key=lambda pair: pair[1].distortion.average)

    @property
    def recommendation(self) -> str:
        """What to take, and why, in a sentence or two."""
        name, best = self._first
        cost = best.distortion
        if not cost.changed:
            return "Nothing needs to be changed: the itemsets have no channel, and may be published as they are."
        kept = "keeps every itemset" if not cost.lost else f"loses {cost.lost:,} of {cost.itemsets:,} itemsets"
        averages = [line.release.distortion.average for line in self.lines if line.release is not None]
        others = [average for average in averages if average > cost.average]
        next_ = f"; that of the next best is {100 * min(others):.3g}%" if others else ""
        gaps = " withhold costs less, but its list has gaps." if min(averages) < cost.average else ""
        return f"Take {name}: it {kept}, and its average distortion is {100 * cost.average:.3g}%{next_}.{gaps}"


def _cells(line: Compared) -> tuple[str | int, ...]:
    """Return a method and what it costs."""
    if line.release is None:
        return line.name, "–", "–", "–", "–", "–", line.left_out
    release, cost = line.release, line.release.distortion
    rows = release.rows_suppressed, release.rows_added
    return line.name, *rows, cost.lost, cost.changed - cost.lost, percent(cost.average), ""


def solved(method: str, problem: Problem, policy: Policy) -> Release:
    """Return what a method makes of the rows, checked."""
    is_plain = problem.against == "plain" or method not in AGAINST
    module, name = (method, "answer") if is_plain else ("attacker_proof", AGAINST[method])
    module = "optimal.optimal" if module == "optimal" else module
    answer: Answer = getattr(import_module(f"discreet.blocking.{module}"), name)(problem)
    check(problem, answer)
    return Release(method, policy, problem.rows, problem.patterns, *answer, against=problem.against)


def compared(problem: Problem, policy: Policy, names: Iterable[str] = WAYS) -> Comparison:
    """Return what methods make of the rows; what does not fit the limits is left out, and said so."""
    lines = []
    most = MOST_WITHHELD if problem.limits.patterns is None else problem.limits.patterns
    for name in names:
        start, (method, merge) = perf_counter(), WAYS[name]
        limits = replace(problem.limits, patterns=most) if method == "withhold" else problem.limits
        try:
            release = solved(method, replace(problem, merge=merge, limits=limits), policy)
            changes_n = problem.keep_n and release.patterns.n != problem.patterns.n
            left_out = "it changes the number of rows, which is to be kept" if changes_n else ""
            _ = release.distortion
        except BudgetError as error:
            left_out = error.message
        lines.append(Compared(name, None if left_out else release, perf_counter() - start, left_out))
    if all(line.release is None for line in lines if line.name in RIVALS):
        raise BudgetError(
            "no method that makes a whole list fits the limits; ",
            Either(
                ("raise {}", "memory", "max_patterns", "min_support"),
                *[("leave {} out", "keep_n")] * problem.keep_n,
                "use the method 'withhold'",
            ),
        )
    return Comparison(tuple(lines))
