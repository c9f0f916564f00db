"""Block: patterns that are safe to publish, with the least change; and the methods, side by side."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Final, NamedTuple, Unpack, overload

from discreet.blocking.balance import keep_number
from discreet.blocking.beside import Older, OlderRelease, as_older, check_beside
from discreet.blocking.blockers import BEST, METHODS
from discreet.blocking.comparison import ComparedMethod, Comparison
from discreet.blocking.distortion import class_sizes
from discreet.blocking.inferences import has_few_kinds
from discreet.blocking.meet import meet
from discreet.blocking.noise import TOP, plan_noise
from discreet.blocking.noise_comparison import compare_with_noise
from discreet.blocking.obstacles import name_obstacles
from discreet.blocking.problem import BlockProblem, check
from discreet.blocking.release import Release
from discreet.blocking.tables.block import TableRelease, block_counts
from discreet.data.counts import Counts
from discreet.data.itemsets import Label
from discreet.data.leaving_out import drop_items
from discreet.data.schema import Groups, Schema
from discreet.data.thresholds import Threshold
from discreet.data.transactions import Merged, Rows, Transactions, as_rows
from discreet.disclosure.attacks.attack import as_level
from discreet.disclosure.attacks.facts import as_schema
from discreet.disclosure.attacks.finding import Level
from discreet.errors import BudgetError, Either, InputError, Option, OptionError, ThresholdError
from discreet.judging.policy import Policy, as_belief, as_policy
from discreet.kernels import stopwatch
from discreet.mining.mine import Mining
from discreet.runtime.resources import as_seconds, watching

LONG, SHORT = 60.0, 1.0  # seconds for a search that is alone, and for one beside other methods
BESIDE: Final[Level] = "derive"  # the attacker whom a release withstands beside older ones that have grown into it
NOT_BESIDE: Final = "publishes counts of changed rows, and differences from older releases would show the changes"
MOST_WITHHELD: Final = 10**6  # itemsets of a list with gaps, unless told: it lists all, not only the closed ones


@overload
def block(
    rows: Rows | Iterable[Iterable[Label]],
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    method: str = BEST,
    merge: bool = False,
    keep_n: bool = False,
    seconds: float | None = None,
    against: Level | None = None,
    schema: str | Groups | None = None,
    beside: OlderRelease | Iterable[OlderRelease] = (),
    grown: bool = False,
    max_belief: float | None = None,
    **budget: Unpack[Mining],
) -> Release: ...
@overload
def block(
    rows: Counts,
    *,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    method: str = BEST,
    seconds: float | None = None,
) -> TableRelease: ...
def block(  # noqa: PLR0913 - all but one by their names, and each a choice of its own
    rows: Counts | Rows | Iterable[Iterable[Label]],
    *,
    min_support: Threshold | None = None,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    method: str = BEST,
    merge: bool = False,
    keep_n: bool = False,
    seconds: float | None = None,
    against: Level | None = None,
    schema: str | Groups | None = None,
    beside: OlderRelease | Iterable[OlderRelease] = (),
    grown: bool = False,
    max_belief: float | None = None,
    **budget: Unpack[Mining],
) -> Release | TableRelease:
    """Return patterns of ``rows`` that are safe to publish: no fact about 1 to k − 1 rows follows from them.

    Without inference channels, the closed itemsets with ``min_support`` would be published. The minimum support
    becomes a count once, before anything is changed. ``method`` says how channels are blocked:

    - "suppress": leave out rows that a channel singles out, until there is no channel (ICDM 2005, corrected);
    - "add": add k copies of the base of each channel; every itemset stays frequent. With ``merge=True`` look for fewer
      rows that serve several channels at once;
    - "withhold": publish only itemsets without a channel, with exact supports. That is not the whole list of any rows:
      readers must not take a missing itemset for a rare one;
    - "generalize": replace values by their parents in the ``hierarchy``, in all rows, with the fewest levels lost; an
      item without a parent is left out where that does not help. Supports are exact, and the list is whole;
    - "optimal": find the least average distortion in ``seconds``, 60 by default, with a proof of how far it is from the
      best;
    - "best": try all of these that fit, "optimal" for a second unless you give more, and take the one that ``compare``
      recommends: of those that end in RELEASE, one that changes no row ("withhold"), unless another keeps more than
      twice as many itemsets. If none ends in RELEASE, ``reason`` of the release says what is in the way.

    Then the ``policy`` is met: itemsets that show an implication are withheld if it judges these, of too many itemsets
    the rarest, and supports are rounded last. A list that may have such gaps, or is rounded, is not ``is_whole``. If
    the verdict is not RELEASE all the same, ``in_the_way`` of the release names what to leave out, the fewest first.

    With a ``schema``, that of the rows or one as ``audit`` takes it, no sum with what it says reveals 1 to k − 1 rows
    either. Rows that "add" adds are then copies of rows, and those of "optimal" hold one value of each attribute that
    no row lacks. With ``keep_n=True``, "suppress" repeats as many rows as it leaves out, and "add" leaves out as many
    as it adds, or it is refused where no rows can take the place of others.

    With a ``hierarchy``, rows also hold the ancestors of their items, and readers know so (docs/hierarchies.md).

    ``against`` names the attacker that the release withstands: "plain" adds and subtracts supports, as a channel does;
    "derive" and "linear" infer more (``attack``). Their inferences are blocked too, until they find nothing; "withhold"
    has the ``seconds`` for that, 60 by default. Against "exact", for up to 12 items, no pattern of AND, OR and NOT over
    the published items then holds for 1 to k − 1 rows in every database that fits. If that is not decided in time,
    nothing is released. Without ``against``, it is "plain", or "derive" beside older releases of rows that have
    ``grown``. If at most 256 different rows are possible over the published items, nothing that all databases that fit
    agree on reveals 1 to k − 1 rows either, unless ``against`` is "plain".

    With ``max_belief``, "withhold" and "suppress" go on until readers believe in no small group with a larger
    probability, as far as ``belief`` looks, or say that they cannot; a policy may bound it, too.

    The older releases ``beside`` it are folders that ``write_release`` wrote, files of patterns, or patterns. No
    difference from one, or from several that are parts of the rows, then reveals 1 to k − 1 rows that came or left
    since; ``grown`` says that rows were only added, and then all releases are attacked together (docs/against.md). That
    takes "withhold", whose supports are exact.

    After each method, detection must find nothing in the result, and its supports are recounted; otherwise nothing is
    released. Rows of which a person has several are refused: merge them. Other options are those of ``mine``; with
    ``max_length``, all frequent itemsets of at most so many items are published, not only the closed ones.

    Tables of counts are blocked by methods of their own, without ``min_support``: ``block_counts``.

    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> release = block(rows, min_support=10, k=10, method="add")
    >>> [(sorted(itemset), support) for itemset, support in release.patterns]
    [([], 110), (['a', 'b'], 60), (['a', 'b', 'c'], 48)]
    """
    if isinstance(rows, Counts):
        for_rows = (min_support, merge, keep_n, against, schema, beside, grown, max_belief)
        if budget or any(given not in {None, False, ()} for given in for_rows):
            raise OptionError(
                "tables of counts have no minimum support or rows; give k or a policy, method and seconds"
            )
        return block_counts(rows, k=k, policy=policy, method=method, seconds=LONG if seconds is None else seconds)
    if min_support is None:
        raise ThresholdError(
            Option("min_support"), " is missing; give the least support of what would be published, such as '10%'"
        )
    if method not in {BEST, *METHODS}:
        raise OptionError(f"method is {str(method)[:40]!r}; it must be one of {BEST}, {', '.join(METHODS)}")
    blocker = METHODS.get(method)
    if merge and (blocker is None or blocker.merged is None):
        raise OptionError(Option("merge"), f" is for the method 'add', not for {method!r}; leave it out")
    if isinstance(rows, Merged) and (blocker is None or blocker.is_search):
        raise OptionError(f"the method {method!r} needs the rows themselves, not merged ones; use add or suppress")
    if max_belief is not None and blocker is not None and not blocker.bounds_belief:
        able = " or ".join(repr(name) for name, one in METHODS.items() if one.bounds_belief)
        raise OptionError(Option("max_belief"), f" is for the methods {able}, not for {method!r}")
    rule = _bound(as_policy(policy, k), max_belief)
    given = _Given(keep_n, seconds, against, schema, as_older(beside, grown=grown), grown)
    with watching(budget.get("progress"), then="blocking") as budget["progress"]:
        problem = _pose(rows, min_support, rule, method, given, budget)

        def work(one: BlockProblem) -> Release:
            able = {name for name, each in METHODS.items() if max_belief is None or each.bounds_belief}
            return compare_methods(one, rule, able).best if method == BEST else solve(method, one, rule, merge=merge)

        return name_obstacles(work(problem), problem, work)


def compare(  # noqa: PLR0913 - as ``block``
    rows: Transactions | Iterable[Iterable[Label]],
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    keep_n: bool = False,
    seconds: float | None = None,
    against: Level | None = None,
    schema: str | Groups | None = None,
    beside: OlderRelease | Iterable[OlderRelease] = (),
    grown: bool = False,
    methods: Iterable[str] | None = None,
    epsilon: float | Iterable[float] = (),
    top: int = TOP,
    **budget: Unpack[Mining],
) -> Comparison:
    """Return the release of each method of ``block`` for ``rows``, side by side, with a recommendation.

    Only some ``methods`` may be asked for. With ``epsilon``, one privacy loss or several, ``noise`` of the comparison
    also has the supports of the ``top`` commonest itemsets under differential privacy, by OpenDP, measured in 20 runs
    beside the releases (docs/differential-privacy.md). That takes the extra ``dp``.

    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> print(compare(rows, min_support=10, k=10).recommendation.partition(". ")[0])
    Recommended: leave out revealing combinations (withhold)
    """
    if isinstance(rows, Merged):
        raise OptionError("methods are compared on the rows themselves, not on merged ones; block by add or suppress")
    names = [*METHODS] if methods is None else [*methods]
    if not names or not {*names} <= METHODS.keys():
        raise OptionError(Option("methods"), f" must name some of {', '.join(METHODS)}")
    plans = plan_noise(epsilon, top)
    rule, given = as_policy(policy, k), _Given(keep_n, seconds, against, schema, as_older(beside, grown=grown), grown)
    with watching(budget.get("progress"), then="comparing methods") as budget["progress"]:
        problem = _pose(rows, min_support, rule, BEST, given, budget)
        comparison = compare_methods(problem, rule, names)
        if not plans:
            return comparison
        made = [(line.name, line.release.patterns) for line in comparison.lines if line.release is not None]
        return replace(comparison, noise=compare_with_noise(problem, made, plans))


class _Given(NamedTuple):
    """What was asked of ``block`` or ``compare`` beside rows, policy and method."""

    keep_n: bool
    seconds: float | None
    against: Level | None
    schema: str | Groups | None
    older: tuple[Older, ...]
    grown: bool


def _pose(
    rows: Rows | Iterable[Iterable[Label]],
    min_support: Threshold,
    policy: Policy,
    method: str,
    given: _Given,
    budget: Mining,
) -> BlockProblem:
    """Return the problem of publishing the patterns of rows; refuse what the method cannot do."""
    (wait, patience), level = as_time(given.seconds, method), _as_attacker(given.against, grown=given.grown)
    data = drop_items(as_rows(rows, budget.pop("hierarchy", None)), budget.pop("leave_out", None))
    known = as_known(given.schema, data)
    _refuse_beside(given.older, method, level, policy, grown=given.grown)
    if method != BEST and METHODS[method].by_hierarchy and data.hierarchy is None:
        raise OptionError(f"{method!r} replaces items by their parents; say which these are with ", Option("hierarchy"))
    problem = BlockProblem.of(data, policy.k, min_support, budget).assume(known)
    problem = replace(problem, keep_n=given.keep_n, against=level, beside=given.older, grown=given.grown)
    problem = replace(problem, max_belief=policy.max_belief)
    return replace(problem, seconds=wait, patience=patience, only_sums=given.against == "plain")


def _bound(policy: Policy, most: float | None) -> Policy:
    """Return a policy that bounds beliefs, by its own bound or by a smaller one."""
    if most is None:
        return policy
    return replace(policy, max_belief=min(as_belief(most), policy.max_belief or 1.0))


def _refuse_beside(older: Sequence[Older], method: str, level: Level, policy: Policy, *, grown: bool) -> None:
    """Refuse what cannot be made safe together with older releases."""
    if not older:
        return
    if policy.round_to is not None:
        raise OptionError(
            f"the policy {policy.name} rounds supports, and differences of rounded supports cannot be judged; leave ",
            *(Option("beside"), " out, or give a policy that does not round"),
        )
    if method != BEST and not METHODS[method].fits_beside:
        raise OptionError(f"{method!r} {NOT_BESIDE}; use the method 'withhold'")
    if level != "plain" and not grown:
        raise OptionError(
            f"the attacker {level!r} can be tried on older releases only of rows that were added to; say ",
            *(Option("grown", value=True), ", or leave ", Option("against"), " out"),
        )


def as_time(seconds: float | None, method: str) -> tuple[float, float]:
    """Return the time for a search, little by default where it is one of several methods, and for attackers."""
    given = None if seconds is None else as_seconds(seconds)
    return (SHORT if method == BEST else LONG, LONG) if given is None else (given, given)


def _as_attacker(against: Level | None, *, grown: bool) -> Level:
    """Return the attacker that a release withstands: beside releases that have grown into it one who uses bounds."""
    chosen = against or (BESIDE if grown else "plain")
    return chosen if chosen == "plain" else as_level(chosen)


def as_known(schema: str | Groups | None, rows: Rows) -> Schema | None:
    """Return the schema that readers know: the given one, or that of the rows; refuse one that the rows contradict."""
    known = rows.schema if schema is None else Schema.of(schema, rows.labels)
    groups = as_schema(known, rows.labels, rows.hierarchy)
    wrong = int(rows.itemsets.count_holders(groups)[1].sum())
    if wrong:
        raise InputError(f"{wrong:,} rows hold two items of a group of the schema, which exclude each other; check it")
    return known if groups else None


def solve(method: str, problem: BlockProblem, policy: Policy, *, merge: bool = False) -> Release:
    """Return the release that a method makes of the rows, checked."""
    blocker = METHODS[method]
    if not blocker.is_whole and problem.limits.patterns is None:
        problem = replace(problem, limits=replace(problem.limits, patterns=MOST_WITHHELD))
    forms = blocker.merged if merge and blocker.merged else (blocker.solve, blocker.resist)
    if problem.schema and blocker.with_schema:
        forms = blocker.with_schema, blocker.with_schema
    # Sums with the schema over several releases are found by the attacker alone.
    goes_on = problem.against != "plain" or (problem.grown and bool(problem.schema))
    if problem.max_belief is not None and not blocker.bounds_belief:
        problem = replace(problem, max_belief=None)
    goes_on = goes_on or has_few_kinds(problem, problem.patterns) or problem.max_belief is not None
    solution = forms[goes_on](problem)
    if not goes_on and has_few_kinds(problem, solution.patterns):  # few items are left of many
        solution = forms[1](problem)
    solution = keep_number(solution) if problem.keep_n else solution
    check(solution)
    met, listed = meet(solution, policy), solution.patterns
    check_beside(met.patterns, problem.beside, k=problem.k, grown=problem.grown)
    return Release(
        method,
        policy,
        problem.rows,
        problem.patterns,
        *(met, solution.suppressed, solution.added, solution.proof, solution.rounds),
        against=problem.against,
        beside=problem.beside,
        grown=problem.grown,
        is_exact=not blocker.is_whole,
        recoding=solution.recoding,
        withheld=0 if met is solution.question else sum(class_sizes(listed)) - sum(class_sizes(met.patterns)),
    )


def compare_methods(problem: BlockProblem, policy: Policy, names: Container[str] = METHODS) -> Comparison:
    """Return the releases of all methods, or of those with ``names``; leave out what exceeds the limits."""
    lines = []
    usable = {name: one for name, one in METHODS.items() if problem.patterns.hierarchy or not one.by_hierarchy}
    for method, blocker in ((name, one) for name, one in usable.items() if name in names):
        if problem.beside and not blocker.fits_beside:
            left_out = f"it {NOT_BESIDE}"
            lines.append(ComparedMethod(method, method, merge=False, release=None, seconds=0.0, left_out=left_out))
            continue
        for merge in (False, True) if blocker.merged and not (problem.schema and blocker.with_schema) else (False,):
            elapsed, release, left_out = stopwatch(), None, ""
            try:
                release = solve(method, problem, policy, merge=merge)
                _ = release.distortion
            except BudgetError as error:
                release, left_out = None, error.message
            name = f"{method}, merged" if merge else method
            lines.append(ComparedMethod(name, method, merge, release, elapsed(), left_out))
    if all(line.release is None for line in lines):
        more = ("raise {}", "memory", "max_patterns", "min_support")
        raise BudgetError("no method fits the limits; ", Either(more, *[("leave {} out", "keep_n")] * problem.keep_n))
    return Comparison(tuple(lines))
