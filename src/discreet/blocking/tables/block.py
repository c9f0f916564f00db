"""Block tables: counts that are safe to publish, by one of several methods, judged again from scratch."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Final, NamedTuple

import numpy as np

from discreet.blocking.tables.collapse import collapse
from discreet.blocking.tables.problem import SECONDS, TableProblem, TableProof, TableSolution, Weights, key_of
from discreet.blocking.tables.round import round_counts
from discreet.blocking.tables.suppress import TOO_LONG, suppress
from discreet.data.counts import Counts, State
from discreet.data.reading import Reading
from discreet.errors import BudgetError, Either, GuaranteeError, Option, OptionError, refuse_truth
from discreet.judging.audit import Audit, audit
from discreet.judging.checks import check_k
from discreet.judging.policy import Check, CheckName, Policy, Verdict, as_policy
from discreet.publications.counts.limits import Limits
from discreet.runtime.resources import Progress, as_seconds, as_whole, watching
from discreet.runtime.text import count_of


class TableMethod(NamedTuple):
    """A method of ``block_counts``: how it works, in words, and its function. ``is_exact`` if it changes no number."""

    how: str
    solve: Callable[[TableProblem], TableSolution]
    is_exact: bool


METHODS: Final[Mapping[str, TableMethod]] = {
    "suppress": TableMethod(
        "small counts are masked, and further ones that would reveal them", suppress, is_exact=True
    ),
    "collapse": TableMethod("values are replaced by broader ones, or merged", collapse, is_exact=True),
    "round": TableMethod("counts are rounded to multiples of a base, and still add up", round_counts, is_exact=False),
}
"""Every method by its name; a new one is a file and an entry here. They are compared in this order."""
BEST: Final = "best"
FEW: Final = 2  # exact counts are preferred unless fewer than one in so many of those that may be shown are left


class TableCosts(NamedTuple):
    """What a release of tables loses: counts that are masked, and why; people in them; changes of rounded ones."""

    cells: int  # shown before, exactly or within limits
    small: int  # of these, too small to be shown
    shown: int  # now, exactly or rounded
    masked_primary: int
    masked_further: int
    people_further: int  # in counts that are masked to protect others; one person may be in several
    lost: int  # cells that collapsing leaves out
    largest_change: int
    average_change: float


@refuse_truth(ask=".is_safe")
@dataclass(frozen=True, eq=False, repr=False)
class TableRelease:
    """Tables that may be published: ``counts``, made of the ``original`` ones by a method.

    ``audit`` judged them again from scratch. ``proof`` is what they cost with a bound that no safe tables of this
    method are below; None if it was not looked for. ``reason`` says what was done, and why this method was taken.
    """

    counts: Counts
    original: Counts
    method: str
    policy: Policy
    audit: Audit
    costs: TableCosts
    proof: TableProof | None = None
    reason: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the tables."""
        return self.audit.verdict

    @property
    def is_safe(self) -> bool:
        """Whether the tables may be published."""
        return self.audit.is_safe

    def __repr__(self) -> str:
        return f"<TableRelease: {self.verdict.name}, {self.counts}, by {self.method}, k={self.policy.k:,}>"


def block_counts(
    counts: Counts,
    *,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    method: str = BEST,
    seconds: float = SECONDS,
    base: int | None = None,
    weights: Weights = "cells",
    progress: Progress | None = None,
) -> TableRelease:
    """Return tables from which no count of 1 to k − 1 can be worked out.

    ``method`` says how:

    - "suppress": mask small counts, and further ones of least cost by ``weights``, in ``seconds``;
    - "collapse": leave out levels of a hierarchy, or merge values, with few cells lost;
    - "round": round to multiples of a ``base``, the policy's or k by default, with the least sum of changes;
    - "best": try all, and take the one that shows the most exact counts; "round" only if the others fail, or show fewer
      than half of the counts that are not small.

    Nothing is returned in which an audit finds anything.

    >>> from discreet.data.counts import Cell, Dimension, Table
    >>> cells = (Cell((None,), 180, 180), Cell(("f",), 177, 177), Cell(("m",), 3, 3))
    >>> counts = Counts((Table("by sex", (Dimension("sex", ("f", "m")),), cells),))
    >>> release = block_counts(counts, k=11, method="suppress")
    >>> release, [(cell.at[0], cell.mark or cell.low) for cell in release.counts]
    (<TableRelease: RELEASE, 3 cells of 1 table, 2 masked, by suppress, k=11>, [(None, 180), ('f', '*'), ('m', '*')])
    """
    if method not in {BEST, *METHODS}:
        raise OptionError(f"method is {str(method)[:40]!r}; for tables it must be one of {BEST}, {', '.join(METHODS)}")
    with watching(progress, what="masking", unit="counts masked") as tell:
        problem = _pose(counts, as_policy(policy, k), seconds, base, weights, tell)
        return _take_best(problem) if method == BEST else _solve(method, problem)


class TriedMethod(NamedTuple):
    """A method of ``block_counts`` that was tried: its release, or why there is none."""

    method: str
    release: TableRelease | None
    left_out: str = ""


def compare_counts(
    counts: Counts,
    *,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    seconds: float = SECONDS,
    progress: Progress | None = None,
) -> tuple[TriedMethod, ...]:
    r"""Return what each method of ``block_counts`` makes of tables, the one to take first.

    >>> from io import BytesIO
    >>> from discreet import read_counts
    >>> counts = read_counts(BytesIO(b"sex,n\nTotal,180\nf,177\nm,3\n"))
    >>> [(one.method, one.release is not None) for one in compare_counts(counts, k=11)]
    [('suppress', True), ('collapse', True), ('round', True)]
    """
    with watching(progress, what="masking", unit="counts masked") as tell:
        return _try_all(_pose(counts, as_policy(policy, k), seconds, None, "cells", tell))


def _pose(
    counts: Counts, policy: Policy, seconds: float, base: int | None, weights: Weights, progress: Progress
) -> TableProblem:
    """Return the problem; refuse tables without counts, and tables that do not add up, which rounding would hide."""
    if not len(counts):
        raise OptionError("these tables hold no count, so there is nothing to make safe")
    if isinstance(weights, str) and weights not in {"cells", "people"}:
        raise OptionError(f"weights is {weights[:40]!r}; give 'cells', 'people', or a number for some values")
    wait, unit = as_seconds(seconds), as_whole("base", base, least=2)
    sheets = tuple(sheet._replace(is_cut=True) for sheet in counts.sheets)
    cut = replace(counts, sheets=sheets, reading=_drop_others(counts))
    problem = TableProblem(cut, policy, wait, weights, unit, progress)
    Limits(problem.equations).propagate()
    return problem


def _drop_others(counts: Counts) -> Reading | None:
    """Return the reading without outputs beside the tables: they are no part of the release."""
    if counts.reading is None:
        return None
    own = tuple(f" of {table.name}" for table in counts.tables)
    return replace(counts.reading, left_out=tuple(one for one in counts.reading.left_out if one.column.endswith(own)))


def _solve(method: str, problem: TableProblem) -> TableRelease:
    """Return the release that a method makes of tables, judged."""
    policy, unit = problem.policy, problem.policy.round_to
    if METHODS[method].is_exact and unit and any(one.state is State.EXACT and one.low % unit for one in problem.counts):
        raise OptionError(f"the policy {policy.name} asks for counts rounded to {unit}; use the method 'round'")
    solution = METHODS[method].solve(problem)
    judged = audit(solution.counts, policy=policy)
    if judged.verdict is Verdict.WITHHOLD or judged.evidence.cells or judged.evidence.shown:
        if method == "round" and problem.base is not None and problem.base < policy.k:
            raise OptionError(Option("base"), f" is too small: small counts still follow; give {policy.k:,} or more")
        if method == "round":  # the counts of masks, or of cells that are left out, are not rounded
            raise OptionError(
                "small counts that these tables mask or leave out still follow; use the method 'suppress'"
            )
        if solution.proof is not None and solution.proof.stopped:  # what the search had no time for, the audit found
            raise BudgetError(TOO_LONG, Either(("raise {}", "seconds"), "use the method 'round' or 'collapse'"))
        if method == "suppress" and problem.equations.shared:  # the search for masks takes tables one beside the other
            raise OptionError(
                "masks leave small counts that follow from several tables together; publish fewer of them, or use the "
                "method 'round' or 'collapse'"
            )
        raise GuaranteeError("small counts are left after blocking; nothing is released: please report this as a bug")
    if not any(check.name is CheckName.K for check in judged.checks):  # masks may hide how many people there are
        judged = replace(judged, checks=(*judged.checks, *_check_k(problem)))
    costs = measure_costs(solution)
    reason = solution.note or _describe_masks(solution, costs)
    return TableRelease(solution.counts, problem.counts, method, policy, judged, costs, solution.proof, reason)


def _check_k(problem: TableProblem) -> Iterator[Check]:
    """Leave a k to a person that no group of the people in the original tables can have."""
    limits = Limits(problem.equations)
    limits.propagate()
    return check_k(problem.policy, limits.most_people, "person", "people")


def _describe_masks(solution: TableSolution, costs: TableCosts) -> str:
    if not costs.masked_primary + costs.masked_further + costs.lost:
        return "Nothing needs to be changed: no small count follows from these tables."
    proof = solution.proof
    saved = 0.0 if proof is None else proof.gap
    how = f", and at most {saved:.0%} of what that costs could be saved" if saved else ", at the least cost"
    small, more = count_of(costs.masked_primary, "small count"), count_of(costs.masked_further, "further one")
    return f"{small} and {more} are masked{how}."


def measure_costs(solution: TableSolution) -> TableCosts:
    """Return what tables have lost."""
    problem, equations = solution.problem, solution.problem.equations
    shown = {key for key, state in zip(equations.keys, equations.states, strict=True) if state < State.MASKED}
    is_small = (equations.states < State.MASKED) & (equations.low >= 1) & (equations.high < problem.policy.k)
    left = {
        key_of(table, cell.at) for table in solution.counts.tables for cell in table.cells if cell.state < State.MASKED
    }
    further = [problem.numbers[key] for key in solution.further]
    numbers = [] if solution.rounded is None else [problem.numbers[key] for key in solution.rounded]
    rounded = np.array(list((solution.rounded or {}).values()), dtype=np.int64)
    changes = np.abs(rounded - equations.low[numbers]) if numbers else np.zeros(0, dtype=np.int64)
    return TableCosts(
        cells=len(shown),
        shown=len(left),
        small=int(np.count_nonzero(is_small)),
        masked_primary=len(solution.primary),
        masked_further=len(solution.further),
        people_further=int(equations.low[further].sum()),
        lost=len(shown - left - solution.primary - solution.further),
        largest_change=int(changes.max(initial=0)),
        average_change=float(changes.mean()) if changes.size else 0.0,
    )


def _try_all(problem: TableProblem) -> tuple[TriedMethod, ...]:
    """Return what each method makes; the one to take comes first, and says why. The verdict decides.

    Then exact counts are preferred, unless fewer than half of those that may be shown are left. Of several such
    releases the one that shows the most is taken, and the first in the list of methods where two show as many.
    """
    tried = list[TriedMethod]()
    for method in METHODS:
        try:
            tried.append(TriedMethod(method, _solve(method, replace(problem, seconds=problem.seconds / len(METHODS)))))
        except (OptionError, BudgetError) as error:
            tried.append(TriedMethod(method, None, str(error)))
    first, *others = sorted(tried, key=_rank)
    if first.release is None:
        return first, *others
    beside = "".join(f" By {one.method}, {_count_shown(one.release)}." for one in others if one.release is not None)
    reason = f"Recommended: {first.method}; {_count_shown(first.release)}. {first.release.reason}{beside}"
    return first._replace(release=replace(first.release, reason=reason)), *others


def _rank(tried: TriedMethod) -> tuple[int, bool, int]:
    release = tried.release
    if release is None:
        return len(Verdict), True, 0
    return release.verdict.value, not _is_preferred(release), -release.costs.shown


def _take_best(problem: TableProblem) -> TableRelease:
    first, *_ = _try_all(problem)
    if first.release is None:
        raise OptionError(f"no method makes these tables safe: {first.left_out}")
    return first.release


def _is_preferred(release: TableRelease) -> bool:
    costs = release.costs
    return METHODS[release.method].is_exact and FEW * costs.shown >= costs.cells - costs.small


def _count_shown(release: TableRelease) -> str:
    costs, is_exact = release.costs, METHODS[release.method].is_exact
    changed = "" if is_exact else f", changed by {costs.average_change:.1f} on average"
    return f"{count_of(costs.shown, 'exact count' if is_exact else 'count')} of {costs.cells:,} can be shown{changed}"
