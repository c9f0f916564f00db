"""Comparison: the releases of all methods side by side, and which of them to take."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, Protocol, TypeVar

from discreet.blocking.costs import Costs
from discreet.blocking.noise_comparison import NoiseComparison
from discreet.blocking.release import Release, Rival
from discreet.errors import refuse_truth
from discreet.runtime import html
from discreet.runtime.text import count_of, percent, points

FEWER: Final = (
    2  # a release of exact numbers is taken unless one that changes rows keeps more than so many times as many
)

WORDS: Final = {
    "withhold": "leave out revealing combinations",
    "suppress": "leave out the rows that are exposed",
    "add": "add rows to small groups",
    "optimal": "change counts as little as can be found",
    "generalize": "replace values by coarser ones",
}
"""What methods are called in sentences; their names are for commands."""
DONE: Final = {
    "withhold": "Revealing combinations were left out.",
    "suppress": "The rows that were exposed were left out.",
    "add": "Rows were added to small groups.",
    "optimal": "Counts were changed as little as could be found.",
    "generalize": "Values were replaced by coarser ones.",
}
"""What methods have done."""


def say_method(method: str, *, merge: bool = False) -> str:
    """Return what a method does, in a few words."""
    return f"{WORDS.get(method, method)}{', shared between groups' * merge}"


def say_doing(method: str) -> str:
    """Return how a method makes patterns safe, to stand behind "by"; of one without words, its name.

    >>> say_doing("withhold"), say_doing("best")
    ('leaving out revealing combinations', 'the method "best"')
    """
    verb, _, rest = WORDS.get(method, "").partition(" ")
    return f"{verb.removesuffix('e')}ing {rest}" if verb else f'the method "{method}"'


class Tried(Protocol):
    """Something that was tried: how many itemsets it keeps, and how many rows it removes or invents."""

    @property
    def kept(self) -> int: ...  # noqa: D102 - see above
    @property
    def rows_touched(self) -> int: ...  # noqa: D102


One = TypeVar("One", bound=Tried)


def find_richer(others: Iterable[One], kept: int) -> One | None:
    """Return what keeps most itemsets, and more than ``kept``; of several, what touches the fewest rows."""
    richer = (one for one in others if one.kept > kept)
    return max(richer, key=lambda one: (one.kept, -one.rows_touched), default=None)


def say_richer(what: str, release: Release, costs: Costs) -> str:
    """Return what to do to keep more itemsets than the best release does, and what speaks against it."""
    total, lost = costs.itemsets.itemsets, costs.itemsets.lost
    kept = f"{'' if lost else 'all '}{total - lost:,}"
    return f"To keep {kept}, {what}; but that {say_effect(release, costs) or 'is further from what was asked for'}."


def say_effect(release: Release, costs: Costs) -> str:
    """Return what is not true in a release, in words; empty if its rows are those that were given."""
    if not release.changes_rows:
        return ""
    out, new = release.rows_suppressed, release.rows_added
    rows = [f"leaves out {count_of(out, 'row')}"] * (out > 0) + [f"invents {count_of(new, 'row')}"] * (new > 0)
    n = f"n stays {costs.n_after:,}" if costs.n_before == costs.n_after else f"n becomes {costs.n_after:,}"
    share = f"the share of an item changes by up to {points(costs.shares.largest)}"
    return f"{' and '.join(rows)}: {n}, and {share}"


class ComparedMethod(NamedTuple):
    """The release that a method made, and the seconds it took, compiling aside; or the reason why it was left out."""

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

    The ``best`` has the best verdict. Among those, one that neither adds rows nor leaves any out is taken, unless the
    least distorted of the others keeps more than twice as many itemsets (docs/decisions). If a privacy loss was asked
    for, ``noise`` has the same releases beside noisy supports; these are never the best.
    """

    lines: tuple[ComparedMethod, ...]
    noise: NoiseComparison | None = None

    def __repr__(self) -> str:
        best = "none may be published" if self.best_name is None else f"the best is {self.best_name}"
        return f"<Comparison: {len(self.lines)} ways to block, {best}>"

    def _repr_html_(self) -> str:
        head = ["method", "verdict", "rows suppressed", "rows added", "itemsets lost", "average distortion"]
        head += ["largest change of a share", "left out"]
        table = html.drop_empty_column(head, [_cells(line) for line in self.lines])
        beside = "" if self.noise is None else self.noise._repr_html_()
        return html.table(repr(self)[1:-1], *table, note=self.recommendation) + beside

    @cached_property
    def best(self) -> Release:
        """The release to take; if none ends in RELEASE, the one that is nearest to it."""
        made = ((line.name, line.release) for line in self.lines)
        rivals = (Rival(name, None if release is None else release.distortion.average) for name, release in made)
        return self._best.release.compare_with(tuple(rivals), self.recommendation)

    @property
    def best_name(self) -> str | None:
        """The name of the line with the best release; None if no line ends in RELEASE, as nothing is recommended."""
        return self._best.name if self._best.release.is_safe else None

    @cached_property
    def _best(self) -> "_Made":
        exact, changed = self._finalists
        if exact is None or changed is None:
            return exact or changed or self._made[0]
        return max(exact, changed, key=lambda one: worth(one.release.deviation, is_true=one is exact))

    @cached_property
    def _made(self) -> list["_Made"]:
        return [_Made(line.name, line.release) for line in self.lines if line.release is not None]

    @cached_property
    def _rivals(self) -> list["_Made"]:
        """The releases with the best verdict, of which one is taken.

        Against an attacker who infers, lists with gaps come last: to a reader who knows the method, gaps would show
        that the rows were not safe (docs/guarantee.md).
        """
        least = min(one.release.verdict for one in self._made)
        safest = [one for one in self._made if one.release.verdict is least]
        rivals = [one for one in safest if len(one.release.patterns)] or safest
        whole = [one for one in rivals if one.release.is_whole]
        return whole if whole and whole[0].release.against != "plain" else rivals

    @cached_property
    def _finalists(self) -> tuple["_Made | None", "_Made | None"]:
        """The best of the rivals that changes no rows, and the best that does."""
        exact = [one for one in self._rivals if not one.release.changes_rows]
        changed = [one for one in self._rivals if one.release.changes_rows]
        return (
            min(exact, key=lambda one: (one.release.distortion.average, not one.release.is_whole), default=None),
            min(changed, key=lambda one: one.release.deviation, default=None),
        )

    @cached_property
    def recommendation(self) -> str:
        """The method to take, and why, in a sentence or two."""
        best, (exact, _) = self._best, self._finalists
        release = best.release
        if not release.is_safe:
            return f"{self._say_obstacle(best)} Nothing is recommended."
        if not release.distortion.changed:
            return "Nothing needs to be changed: the itemsets have no channel, and may be published as they are."
        if not len(release.patterns):
            return "No method leaves anything to publish."
        if best is exact:
            exactly = (
                "Every published number is exact"
                if release.policy.round_to is None
                else "Rounding alone changes numbers"
            )
            why = f"{exactly}, no row is removed or invented, and it keeps {best.share_kept}."
            return f"{best.recommended} {why}{self._say_richer()}"
        told = f"{best.recommended} It keeps {best.share_kept}, but {say_effect(release, release.costs)}."
        if exact is not None:
            few = f"keeps only {exact.share_kept}, less than half as many"
            return f"{told} {exact.name}, which changes no row, {few}.{self._say_richer()}"
        has_gaps = any(one.release.is_safe and not one.release.is_whole for one in self._made)
        gaps = " A list with gaps would show readers who know the method that the rows were not safe."
        return told + self._say_richer() + gaps * has_gaps

    def _say_richer(self) -> str:
        """Return what to do to keep more itemsets than the best release, as ``advise`` does; empty if none does."""
        richer = find_richer(self._rivals, self._best.kept)
        return "" if richer is None else f" {say_richer(richer.what, richer.release, richer.release.costs)}"

    def _say_obstacle(self, nearest: "_Made") -> str:
        """Return what keeps the nearest release from being published."""
        release = nearest.release
        failed = [] if release.audit is None else release.audit.checks
        why = "; ".join(check.sentence for check in failed if check.verdict is release.verdict)
        verdict = release.verdict.name
        return f"No method ends in RELEASE. {nearest.name} ends in {verdict}: {why.rstrip('.')}."


def worth(deviation: float, *, is_true: bool) -> float:
    """Return what a release is worth that is so far from what was asked for; if its numbers are true, more.

    >>> worth(0.4, is_true=True) > worth(0.01, is_true=False) > worth(0.6, is_true=True)
    True
    """
    return (1 - deviation) * (FEWER if is_true else 1)


class _Made(NamedTuple):
    """A line of a comparison that has a release."""

    name: str
    release: Release

    @property
    def kept(self) -> int:
        """The number of frequent itemsets that are still published."""
        return self.release.distortion.itemsets - self.release.distortion.lost

    @property
    def rows_touched(self) -> int:
        """The number of rows that are removed or invented."""
        return self.release.rows_suppressed + self.release.rows_added

    @property
    def what(self) -> str:
        """What is done, in words, and the name of the method."""
        return f"{say_method(self.release.method, merge=self.name != self.release.method)} ({self.name})"

    @property
    def recommended(self) -> str:
        return f"Recommended: {self.what}."

    @property
    def share_kept(self) -> str:
        total = self.release.distortion.itemsets
        return f"all {total:,} itemsets" if self.kept == total else f"{self.kept:,} of {total:,} itemsets"


def _cells(line: ComparedMethod) -> tuple[str | int, ...]:
    if line.release is None:
        return line.name, "–", "–", "–", "–", "–", "–", line.left_out
    release, cost = line.release, line.release.distortion
    changed = cost.lost, percent(cost.average), points(release.costs.shares.largest)
    return line.name, release.verdict.name, release.rows_suppressed, release.rows_added, *changed, ""
