"""Audit: everything found about one candidate release, and a verdict on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack, overload

from discreet.data.labels import Label
from discreet.data.lattice import with_root
from discreet.data.merged import Rows, as_rows
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Threshold
from discreet.disclosure.acyclic import is_acyclic
from discreet.disclosure.attacks.facts import Facts, Schema
from discreet.disclosure.attacks.joint_releases import as_releases
from discreet.disclosure.channels import Channels, Difference, Exposed
from discreet.disclosure.detect import find_channels
from discreet.disclosure.implications import Implications, implied_by
from discreet.disclosure.question import Question
from discreet.errors import InconsistencyError, Option, OptionError, ThresholdError
from discreet.judging import checks
from discreet.judging.checks import Check
from discreet.judging.policy import Policy, as_policy
from discreet.judging.rules import FactsAudit, judged_facts, judged_rules, rounded_check
from discreet.judging.schema import judged_schema
from discreet.judging.series import differencing
from discreet.judging.trees import Published, TreeAudit, audited, is_tree
from discreet.judging.verdict import Verdict, worst
from discreet.mining.mine import Budget, mine
from discreet.publications.rules.bounded import Bounded
from discreet.publications.rules.rule import Rules
from discreet.publications.series.change import Changes
from discreet.publications.series.changes import compared, is_followed
from discreet.runtime.progress import watching
from discreet.runtime.resources import as_threads

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.judging.tradeoff import Tradeoff
    from discreet.report import Source


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What was found about ``patterns``, a candidate release, judged by a policy; the worst check is the verdict.

    ``channels`` is None where they could not be looked for, and ``implications`` where the policy does not ask for
    them. ``differences`` are those between two supports of a list that is not whole, where nothing else can be summed
    up. ``changes`` are those since each older release that it was compared with. ``rests`` are what sums tell only with
    a schema, by which no row has two values of an attribute: the smallest, such as rows with none of these values.

    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> found = audit(rows, min_support=10, k=10)
    >>> found.verdict.name, [str(channel) for channel in found.channels]
    ('WITHHOLD', ['a ∧ b ∧ ¬c: 2 rows'])
    """

    policy: Policy
    patterns: Patterns
    rows: Rows | None
    checks: tuple[Check, ...]
    channels: Channels | None = None
    implications: Implications | None = None
    differences: tuple[Difference, ...] = ()
    changes: tuple[Changes, ...] = ()
    rests: tuple[Bounded, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst of the verdicts of all checks."""
        return worst(check.verdict for check in self.checks)

    @cached_property
    def exposed(self) -> Exposed | None:
        """The rows that channels single out; None without rows or channels."""
        return None if self.rows is None or self.channels is None else self.channels.rows(self.rows)

    @cached_property
    def is_acyclic(self) -> bool | None:
        """Whether the maximal itemsets form an acyclic hypergraph; None where they are not known.

        If they do, and there are no channels, no pattern of AND, OR and NOT whatever can be inferred to hold for 1 to
        k − 1 rows by a reader who does not use that what is missing is rare (docs/guarantee.md).
        """
        return None if self.channels is None else is_acyclic(self.channels.top_offsets, self.channels.top_items)

    def __repr__(self) -> str:
        return f"<Audit: {self.verdict.name}, {self.policy.name}, {len(self.patterns):,} itemsets>"

    def to_html(
        self,
        *,
        tradeoff: "Tradeoff | None" = None,
        source: "Source | None" = None,
        explain: int = 100,
        private: bool = False,
        timestamp: "datetime | None" = None,
        against: "Sequence[Source]" = (),
    ) -> str:
        """Return the audit as a page of HTML that needs nothing but itself; ``private`` with the exposed rows in it.

        ``against`` are the files of the older releases that it was compared with, if they are to be named.
        See docs/report.md; ``discreet report`` writes it to a file.
        """
        from discreet.report import audit_html  # noqa: PLC0415 - a door: loaded when it is opened

        told: Any = {"tradeoff": tradeoff, "source": source, "timestamp": timestamp, "against": against}
        return audit_html(self, explain=explain, private=private, **told)

    def _repr_html_(self) -> str:
        """Return the verdict and the checks as a table, for notebooks."""
        note = "Its .channels show the worst of them." if self.channels else ""
        return checks.table(repr(self.patterns)[1:-1], self.policy, self.checks, note)


@overload
def audit(
    source: Published | Sequence[Published],
    *,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    rows: Any = None,  # noqa: ANN401 - a matrix of any library
    targets: Any = None,  # noqa: ANN401 - as above
) -> TreeAudit: ...
@overload
def audit(
    source: Rules | Facts,
    *,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    rows: Rows | None = None,
    schema: str | Schema | None = None,
) -> FactsAudit: ...
@overload
def audit(
    source: Rows | Patterns | Iterable[Iterable[Label]],
    *,
    k: int | None = None,
    min_support: Threshold | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    rows: Rows | None = None,
    schema: str | Schema | None = None,
    against: Patterns | Iterable[Patterns] = (),
    grown: bool = False,
    **limits: Unpack[Budget],
) -> Audit: ...
def audit(  # noqa: PLR0913 - one question, of several kinds of publications
    source: Any,
    *,
    k: int | None = None,
    min_support: Threshold | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    rows: Any = None,
    targets: Any = None,
    schema: str | Schema | None = None,
    against: Patterns | Iterable[Patterns] = (),
    grown: bool = False,
    **limits: Unpack[Budget],
) -> Audit | TreeAudit | FactsAudit:
    """Return what publishing patterns would give away, judged by ``k`` or a ``policy``.

    ``source`` are rows, of which the closed itemsets with ``min_support`` would be published, or the patterns that
    somebody wants to publish; ``rows`` are those that they were mined from, if they are at hand. The ``limits`` are
    those of ``mine``: ``threads``, ``max_patterns``, ``memory``, ``progress``.

    What was published before can be subtracted: give the patterns of older releases ``against`` which to judge, and
    ``grown`` if rows were only added since (docs/against.md).

    ``schema`` says which items exclude each other: ``"="`` if labels are such as ``sex=f``, or groups of labels.
    ``source`` may also be association rules, or supports that were rounded (docs/rules.md).

    ``source`` may also be a decision tree or a forest that scikit-learn fitted, ``Leaves``, or a list of these; then
    ``rows`` are the features that it was fitted on, and ``targets`` those of a regressor, one for each row, or just the
    values that they take (docs/trees.md).

    Evidence comes first: supports below k, inference channels, implications where the policy asks for them, and whether
    the list is whole and consistent. Then each is judged, and the worst counts. What cannot be judged is withheld.

    >>> audit([["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10, min_support=10, k=10)
    <Audit: RELEASE, k, 3 itemsets>
    """
    rule, olds = as_policy(policy, k), as_releases(against, grown=grown)
    if is_tree(source):
        if min_support is not None or limits or olds:
            raise OptionError(
                "a tree is judged by its counts alone; give k or a policy, and nothing that is for itemsets"
            )
        return audited(source, rule, rows, targets)
    if targets is not None:
        raise OptionError("targets are for regression trees; leave them out")
    rows = None if rows is None else as_rows(rows)
    if isinstance(source, Rules | Facts):
        if min_support is not None or limits or olds:
            raise OptionError(
                "rules and limits are judged as they are; give k or a policy, ",
                *(Option("rows"), " and ", Option("schema"), " alone"),
            )
        judge: Any = judged_rules if isinstance(source, Rules) else judged_facts
        found: FactsAudit = judge(source, rule, rows=rows, schema=schema)
        return found
    if isinstance(source, Patterns):
        if min_support is not None or limits:
            raise OptionError(
                "patterns were mined already; leave ",
                *(Option("min_support"), ", ", Option("threads"), ", ", Option("max_patterns"), " and "),
                *(Option("memory"), " out"),
            )
        whole = _with_schema(judged(Question(source, None, rule.k, as_threads(None)), rule, rows), schema)
        return _with_changes(whole, olds, grown=grown)
    if rows is not None:
        raise OptionError("rows are given twice; give ", Option("rows"), " only with patterns")
    if min_support is None:
        raise ThresholdError(
            Option("min_support"), " is missing; give the least support of what would be published, such as '10%'"
        )
    data = as_rows(source)
    with watching(limits.get("progress"), then="looking for channels") as limits["progress"]:
        patterns = mine(data, min_support=min_support, kind="closed", **limits)
        threads = as_threads(limits.get("threads"))
        whole = _with_schema(judged(Question(patterns, data, rule.k, threads), rule, data), schema)
        return _with_changes(whole, olds, grown=grown)


def judged(question: Question, policy: Policy, rows: Rows | None) -> Audit:
    """Return the audit of the patterns in question: each check in turn."""
    patterns = question.patterns
    first = [checks.size(policy, patterns), checks.low_counts(policy, patterns)]
    if policy.round_to is not None:
        first.append(checks.rounding(policy, patterns))
        if rows is None and checks.is_rounded(policy, patterns):
            return Audit(policy, patterns, rows, (*first, rounded_check(patterns, policy)))
    if patterns.kind == "maximal":
        check_rows(question, rows)
        found = checks.differences(with_root(patterns), policy.k)
        return Audit(policy, patterns, rows, (*first, checks.subtraction(found, policy.k)), differences=found)
    try:
        check_rows(question, rows)
        channels = find_channels(question)
        implications = None if policy.zeros is Verdict.RELEASE else implied_by(patterns)
    except InconsistencyError as error:
        found = checks.differences(with_root(patterns), policy.k)
        wrong = checks.consistency(patterns, error)
        return Audit(policy, patterns, rows, (wrong, *first, checks.subtraction(found, policy.k)), differences=found)
    whole = [checks.CONSISTENT] if len(patterns) else []
    every = [*whole, *first, checks.inference(channels)]
    if implications is not None:
        every.append(checks.class_disclosure(policy, implications))
    return Audit(policy, patterns, rows, tuple(every), channels, implications)


def _with_schema(found: Audit, schema: str | Schema | None) -> Audit:
    """Return the audit with what whoever knows the schema is told as well."""
    if schema is None:
        return found
    check, rests = judged_schema(found.patterns, found.policy.k, schema)
    return replace(found, checks=(*found.checks, check), rests=rests)


def _with_changes(found: Audit, olds: Sequence[Patterns], *, grown: bool) -> Audit:
    """Return the audit with what older releases tell together with this one."""
    if not olds:
        return found
    since = compared(found.patterns, olds, k=found.policy.k, grown=grown)
    followed = is_followed(olds, grown=grown)
    check = differencing(found.policy, found.patterns, since, grown=grown, followed=followed)
    return replace(found, checks=(*found.checks, check), changes=since)


def check_rows(question: Question, rows: Rows | None) -> None:
    """Refuse rows that the patterns were not mined from: a question that is asked with both does so."""
    if question.rows is None:
        Question(question.patterns, rows, question.limit)
