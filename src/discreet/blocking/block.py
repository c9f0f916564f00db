"""Block: patterns that are safe to publish, with the least change; and the methods, side by side."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from discreet.blocking import methods
from discreet.blocking.distortion import Distortion, class_sizes, distortion
from discreet.blocking.optimal import minimize_distortion
from discreet.blocking.problem import BlockProblem, Form, Proof, change_rows, check
from discreet.data.itemsets import Label, Weighted
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Threshold
from discreet.data.transactions import Merged, Rows, Transactions, as_rows
from discreet.disclosure.attacks.attack import as_level
from discreet.disclosure.attacks.finding import Level
from discreet.disclosure.detect import Question
from discreet.errors import BudgetError, Either, Option, OptionError, refuse_truth
from discreet.judging.audit import Audit, judge_itemsets
from discreet.judging.policy import Policy, Verdict, as_policy
from discreet.mining.mine import Mining
from discreet.runtime import html
from discreet.runtime.resources import as_seconds, watching
from discreet.runtime.text import percent

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.report import Source


class Blocker(NamedTuple):
    """A method of ``block``: how it works, in words, and its functions.

    ``resist`` is its form against an attacker who infers more than channels. ``merged`` are both forms with fewer rows,
    each for several channels. A method ``is_whole`` if it publishes the whole list of some rows, ``keeps_n`` if it can
    keep the number of rows, and ``is_search`` if it takes ``seconds`` and needs the rows themselves, not merged.
    """

    how: str
    solve: Form
    resist: Form
    merged: tuple[Form, Form] | None = None
    is_whole: bool = True
    keeps_n: bool = False
    is_search: bool = False


METHODS: Final[Mapping[str, Blocker]] = {
    "suppress": Blocker("rows singled out by inference channels are left out", methods.suppress, methods.suppress_more),
    "add": Blocker(
        "rows are added to those that inference channels single out, until there are k or more of them",
        methods.add,
        methods.add_more,
        merged=(methods.add_merged, methods.add_merged_more),
    ),
    "withhold": Blocker(
        "itemsets with an inference channel are left out, and the others have their exact supports",
        methods.withhold,
        methods.withhold_more,
        is_whole=False,
        keeps_n=True,
    ),
    "optimal": Blocker(
        "rows are left out and others added, so that supports change as little as could be found",
        minimize_distortion,
        minimize_distortion,
        keeps_n=True,
        is_search=True,
    ),
}
"""Every method by its name; a new one is a file and an entry here. They are compared in this order."""
BEST: Final = "best"  # the method that distorts least, of those whose list is whole
MOST_WITHHELD: Final = 10**6  # itemsets of a list with gaps in a comparison: it lists all, not only the closed ones


class Rival(NamedTuple):
    """A method that a release was compared with, and its average distortion; None if it was left out."""

    name: str
    average: float | None


@refuse_truth(ask=".is_safe")
@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """Patterns that may be published, and how they were made from ``rows`` and their closed itemsets, ``original``.

    They are the closed itemsets of the ``witness``: the rows without those ``suppressed``, by number (of merged rows,
    the numbers of the different ones), and with those ``added``. If ``is_whole`` is False, they are some of the
    frequent itemsets of the rows, with exact supports, and there is no witness. The "best" release was ``compared``
    with others. ``against`` names the strongest attacker that was tried on it and found nothing (docs/attack.md).
    Only ``patterns`` are for others to see. ``question`` holds them with the result of the detection.

    >>> from discreet import block
    >>> release = block([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10, method="suppress")
    >>> [(sorted(itemset), support) for itemset, support in release.patterns], release.suppressed.tolist()
    ([([], 98), (['a', 'b', 'c'], 48)], [48, 49])
    """

    method: str
    policy: Policy
    rows: Rows
    original: Patterns
    question: Question
    suppressed: NDArray[np.intp]
    added: Weighted
    proof: Proof | None = None
    rounds: int | None = None
    compared: tuple[Rival, ...] = ()
    against: str = "plain"

    @property
    def patterns(self) -> Patterns:
        """The itemsets to publish."""
        return self.question.patterns

    @property
    def is_whole(self) -> bool:
        """Whether all frequent itemsets of some rows are published; otherwise the list has gaps."""
        return self.question.complete

    @cached_property
    def audit(self) -> Audit | None:
        """The audit of the patterns by the policy; None if there is nothing to publish."""
        return judge_itemsets(self.question, self.policy, None) if len(self.patterns) else None

    @property
    def verdict(self) -> Verdict:
        """The verdict of the policy; a release of nothing gives nothing away."""
        return Verdict.RELEASE if self.audit is None else self.audit.verdict

    @property
    def is_safe(self) -> bool:
        """Whether the verdict of the policy is RELEASE."""
        return self.verdict is Verdict.RELEASE

    @cached_property
    def distortion(self) -> Distortion:
        """The cost: how far the published supports are from the original ones."""
        return distortion(self.original, self.patterns)

    @cached_property
    def frequent(self) -> int:
        """The number of frequent itemsets that the patterns stand for."""
        return sum(class_sizes(self.patterns))

    @property
    def rows_suppressed(self) -> int:
        """The number of suppressed rows."""
        return int(self.rows.weights[self.suppressed].sum())

    @property
    def rows_added(self) -> int:
        """The number of added rows."""
        return int(self.added.weights.sum())

    @cached_property
    def witness(self) -> Rows | None:
        """Rows that have these patterns; None if none are known."""
        return change_rows(self.rows, self.suppressed, self.added) if self.is_whole else None

    def __repr__(self) -> str:
        patterns = self.patterns
        return f"<Release: {self.method}, {len(patterns):,} {patterns.kind} itemsets of {patterns.n:,} rows>"

    def to_html(
        self,
        *,
        comparison: "Comparison | None" = None,
        source: "Source | None" = None,
        private: bool = False,
        timestamp: "datetime | None" = None,
    ) -> str:
        """Return the release as an HTML page to publish with it; a ``private`` page shows the owner the cost."""
        from discreet.report import release_html  # noqa: PLC0415 - a door: loaded when it is opened

        return release_html(self, comparison=comparison, source=source, private=private, timestamp=timestamp)

    def _repr_html_(self) -> str:
        cost, published = self.distortion, self.patterns
        touched = f"{self.rows_suppressed:,} suppressed, {self.rows_added:,} added"
        lines = {
            "method": self.method,
            "safe for": f"k = {self.policy.k:,}",
            "published": repr(published)[1:-1].removeprefix("Patterns: "),
            "rows": f"{self.rows.n:,} before, {published.n:,} now: {touched}",
            "frequent itemsets": f"{cost.itemsets:,} before, {cost.lost:,} lost, {cost.changed - cost.lost:,} changed",
            "average distortion": percent(cost.average),
        }
        note = "Only its .patterns are for others to see; what it cost is for the owner of the rows."
        return html.table(repr(self)[1:-1], ["fact", "value"], lines.items(), note=note)


class ComparedMethod(NamedTuple):
    """The release that a method made, and the seconds it took; or the reason why it was left out."""

    name: str
    method: str
    merge: bool
    release: Release | None
    seconds: float
    left_out: str = ""


@refuse_truth(ask=".best")
@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The releases of all methods for the same rows, in the order in which they ran.

    The ``best`` is the one of the least average distortion among those whose list is whole; of several, the first.
    """

    lines: tuple[ComparedMethod, ...]

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.lines)} ways to block, the best is {self.best_name}>"

    def _repr_html_(self) -> str:
        head = ["method", "rows suppressed", "rows added", "itemsets lost", "changed", "average distortion", "left out"]
        table = html.drop_empty_column(head, [_cells(line) for line in self.lines])
        return html.table(repr(self)[1:-1], *table, note=self.recommendation)

    @cached_property
    def best(self) -> Release:
        """The release of the least average distortion."""
        whole = ((line.name, line.release) for line in self.lines if METHODS[line.method].is_whole)
        rivals = (Rival(name, None if release is None else release.distortion.average) for name, release in whole)
        return replace(self._first[1], compared=tuple(rivals))

    @property
    def best_name(self) -> str:
        """The name of the line with the best release."""
        return self._first[0]

    @cached_property
    def _first(self) -> tuple[str, Release]:
        whole = (line for line in self.lines if METHODS[line.method].is_whole)
        releases = [(line.name, line.release) for line in whole if line.release is not None]
        return min(releases, key=lambda pair: pair[1].distortion.average)

    @property
    def recommendation(self) -> str:
        """The method to take, and why, in a sentence or two."""
        cost = self._first[1].distortion
        if not cost.changed:
            return "Nothing needs to be changed: the itemsets have no channel, and may be published as they are."
        effect = "keeps every itemset" if not cost.lost else f"loses {cost.lost:,} of {cost.itemsets:,} itemsets"
        averages = [line.release.distortion.average for line in self.lines if line.release is not None]
        others = [average for average in averages if average > cost.average]
        next_best = f"; that of the next best is {100 * min(others):.3g}%" if others else ""
        gaps = " withhold costs less, but its list has gaps." if min(averages) < cost.average else ""
        share = 100 * cost.average
        return f"Take {self.best_name}: it {effect}, and its average distortion is {share:.3g}%{next_best}.{gaps}"


def _cells(line: ComparedMethod) -> tuple[str | int, ...]:
    if line.release is None:
        return line.name, "–", "–", "–", "–", "–", line.left_out
    release, cost = line.release, line.release.distortion
    changed = cost.lost, cost.changed - cost.lost, percent(cost.average)
    return line.name, release.rows_suppressed, release.rows_added, *changed, ""


def block(  # noqa: PLR0913 - all but one by their names, and each a choice of its own
    rows: Rows | Iterable[Iterable[Label]],
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    method: str = BEST,
    merge: bool = False,
    keep_n: bool = False,
    seconds: float = 60.0,
    against: Level = "plain",
    **budget: Unpack[Mining],
) -> Release:
    """Return patterns of ``rows`` that are safe to publish: no fact about 1 to k − 1 rows follows from them.

    Without inference channels, the closed itemsets with ``min_support`` would be published. The minimum support
    becomes a count once, before anything is changed. ``method`` says how channels are blocked:

    - "suppress": leave out rows that a channel singles out, until there is no channel (ICDM 2005, corrected);
    - "add": add k copies of the base of each channel; every itemset stays frequent. With ``merge=True`` look for fewer
      rows that serve several channels at once;
    - "withhold": publish only itemsets without a channel, with exact supports. That is not the whole list of any rows:
      readers must not take a missing itemset for a rare one;
    - "optimal": find the least average distortion in ``seconds``, with a proof of how far it is from the best; with
      ``keep_n=True`` keep the number of rows;
    - "best": try all of these that fit but "withhold", and take the one of the least average distortion.

    ``against`` names the attacker that the release withstands: "plain" adds and subtracts supports, as a channel does;
    "derive" and "linear" infer more (``attack``). Their inferences are blocked too, until they find nothing. Against
    "exact", for up to 12 items, no pattern of AND, OR and NOT over the published items then holds for 1 to k − 1 rows
    in every database that fits. If that is not decided in time, nothing is released.

    After each method, detection must find nothing in the result, and its supports are recounted; otherwise nothing is
    released. Rows of which a person has several are refused: merge them. Other options are those of ``mine``; with
    ``max_length``, all frequent itemsets of at most so many items are published, not only the closed ones.

    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> release = block(rows, min_support=10, k=10, method="add")
    >>> [(sorted(itemset), support) for itemset, support in release.patterns]
    [([], 110), (['a', 'b'], 60), (['a', 'b', 'c'], 48)]
    """
    if method not in {BEST, *METHODS}:
        raise OptionError(f"method is {str(method)[:40]!r}; it must be one of {BEST}, {', '.join(METHODS)}")
    blocker = METHODS.get(method)
    if merge and (blocker is None or blocker.merged is None):
        raise OptionError(Option("merge"), f" is for the method 'add', not for {method!r}; leave it out")
    if keep_n and blocker is not None and not blocker.keeps_n:
        raise OptionError(f"{method!r} changes the number of rows; leave ", Option("keep_n"), " out, or use 'optimal'")
    if isinstance(rows, Merged) and (blocker is None or blocker.is_search):
        raise OptionError(f"the method {method!r} needs the rows themselves, not merged ones; use add or suppress")
    rule, wait = as_policy(policy, k), as_seconds(seconds)
    level = against if against == "plain" else as_level(against)
    with watching(budget.get("progress"), then="blocking") as budget["progress"]:
        problem = replace(
            BlockProblem.of(as_rows(rows), rule.k, min_support, budget), keep_n=keep_n, seconds=wait, against=level
        )
        if method == BEST:
            return compare_methods(problem, rule, whole=True).best
        return solve(method, problem, rule, merge=merge)


def compare(
    rows: Transactions | Iterable[Iterable[Label]],
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    keep_n: bool = False,
    seconds: float = 60.0,
    against: Level = "plain",
    **budget: Unpack[Mining],
) -> Comparison:
    """Return the release of each method of ``block`` for ``rows``, side by side, with a recommendation.

    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> compare(rows, min_support=10, k=10).best.method
    'optimal'
    """
    if isinstance(rows, Merged):
        raise OptionError("methods are compared on the rows themselves, not on merged ones; block by add or suppress")
    rule, wait = as_policy(policy, k), as_seconds(seconds)
    level = against if against == "plain" else as_level(against)
    with watching(budget.get("progress"), then="comparing methods") as budget["progress"]:
        problem = BlockProblem.of(as_rows(rows), rule.k, min_support, budget)
        return compare_methods(replace(problem, keep_n=keep_n, seconds=wait, against=level), rule)


def solve(method: str, problem: BlockProblem, policy: Policy, *, merge: bool = False) -> Release:
    """Return the release that a method makes of the rows, checked."""
    blocker = METHODS[method]
    forms = blocker.merged if merge and blocker.merged else (blocker.solve, blocker.resist)
    solution = forms[problem.against != "plain"](problem)
    check(solution)
    changes = solution.question, solution.suppressed, solution.added, solution.proof, solution.rounds
    return Release(method, policy, problem.rows, problem.patterns, *changes, against=problem.against)


def compare_methods(problem: BlockProblem, policy: Policy, *, whole: bool = False) -> Comparison:
    """Return the releases of all methods, or of those whose list is ``whole``; leave out what exceeds the limits."""
    most = MOST_WITHHELD if problem.limits.patterns is None else problem.limits.patterns
    limited, lines = replace(problem, limits=replace(problem.limits, patterns=most)), []
    chosen = {name: blocker for name, blocker in METHODS.items() if blocker.is_whole or not whole}
    for method, blocker in chosen.items():
        for merge in (False, True) if blocker.merged else (False,):
            start, release, left_out = perf_counter(), None, ""
            try:
                release = solve(method, problem if blocker.is_whole else limited, policy, merge=merge)
                _ = release.distortion
                if problem.keep_n and release.patterns.n != problem.patterns.n:
                    release, left_out = None, "it changes the number of rows, which must be kept"
            except BudgetError as error:
                release, left_out = None, error.message
            name = f"{method}, merged" if merge else method
            lines.append(ComparedMethod(name, method, merge, release, perf_counter() - start, left_out))
    if all(line.release is None for line in lines if METHODS[line.method].is_whole):
        more = ("raise {}", "memory", "max_patterns", "min_support")
        advice = Either(more, *[("leave {} out", "keep_n")] * problem.keep_n, "use the method 'withhold'")
        raise BudgetError("no method that makes a whole list fits the limits; ", advice)
    return Comparison(tuple(lines))


def describe(method: str) -> str | None:
    """Return what a method does, for readers who do not know it; None if it is unknown."""
    words = {name: blocker.how for name, blocker in METHODS.items()}
    return {BEST: "several methods are tried, and the one that changes supports least is taken", **words}.get(method)
