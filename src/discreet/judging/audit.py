"""Audit: everything found about one candidate, whatever it is, and a verdict on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from numpy.typing import ArrayLike

from discreet.data.labels import Label
from discreet.data.lattice import add_root
from discreet.data.merged import Rows, as_rows
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Threshold
from discreet.disclosure.attacks.facts import Facts, Schema
from discreet.disclosure.attacks.joint_releases import as_releases
from discreet.disclosure.channels import Channels, Difference, Exposed, is_acyclic
from discreet.disclosure.detect import Question, find_channels
from discreet.disclosure.implications import Implications, find_implications
from discreet.errors import InconsistencyError, Message, Option, OptionError, ThresholdError
from discreet.judging import advise, checks
from discreet.judging.finding import AuditFinding, Candidate, Evidence, FindingGroup
from discreet.judging.policy import Policy, as_policy
from discreet.judging.rules import check_rounded, judge_facts, judge_rules
from discreet.judging.schema import judge_schema
from discreet.judging.trees import Published, is_tree, judge_trees
from discreet.judging.verdict import Check, Verdict, worst
from discreet.mining.mine import Budget, mine
from discreet.publications.rules.rule import Rules
from discreet.publications.series import Changes, compare_releases, is_followed
from discreet.runtime.progress import watching
from discreet.runtime.resources import as_threads
from discreet.runtime.text import count_of

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.judging.tradeoff import Tradeoff
    from discreet.report import Source


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What publishing a ``candidate`` would give away, judged by a policy; the worst check is the verdict.

    ``what`` describes the candidate. ``evidence`` holds what was found, by kind; ``findings`` shows all of it alike,
    the worst of each kind first: who, how many, which sum reveals them, and how bad that is.

    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> found = audit(rows, min_support=10, k=10)
    >>> found.verdict.name, [(str(finding), finding.explain()) for finding in found.findings]
    ('WITHHOLD', [('a ∧ b ∧ ¬c: 2 rows', 'sup(ab) 50 − sup(abc) 48 = 2')])
    """

    candidate: Candidate
    what: str
    policy: Policy
    checks: tuple[Check, ...]
    evidence: Evidence
    rows: Rows | None = None

    @property
    def verdict(self) -> Verdict:
        """The worst of the verdicts of all checks."""
        return worst(check.verdict for check in self.checks)

    @property
    def k(self) -> int:
        """Counts from 1 to k − 1 are too small to be published."""
        return self.policy.k

    @cached_property
    def groups(self) -> tuple[FindingGroup, ...]:
        """The findings, a group for each kind; their members are made when they are asked for."""
        return tuple(self.evidence.groups(self.checks))

    @property
    def findings(self) -> list[AuditFinding]:
        """All findings, by kind, the worst of each kind first."""
        return [finding for group in self.groups for finding in group]

    @property
    def patterns(self) -> Patterns:
        """The itemsets with exact supports: the candidate itself, or those that rules pin down; none for trees."""
        return self.evidence.patterns

    @property
    def channels(self) -> Channels | None:
        """The maximal channels; None where they could not be looked for."""
        return self.evidence.channels

    @property
    def implications(self) -> Implications | None:
        """Derived counts of 0; None where the policy does not ask for them."""
        return self.evidence.implications

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Small differences of two supports, where a list is incomplete."""
        return self.evidence.differences

    @property
    def facts(self) -> Facts | None:
        """What rules or rounded numbers say about supports, as ``attack`` takes it; None for other candidates."""
        return self.evidence.facts

    @property
    def changes(self) -> tuple[Changes, ...]:
        """The changes since each older release that it was compared with."""
        return self.evidence.changes

    @cached_property
    def exposed(self) -> Exposed | None:
        """The rows that channels single out; None without rows or channels."""
        return None if self.rows is None or self.channels is None else self.channels.rows(self.rows)

    @cached_property
    def is_acyclic(self) -> bool | None:
        """Whether the maximal itemsets form an acyclic hypergraph; None where they are not known.

        If they do, and there are no channels, nobody can infer from the supports that any pattern of AND, OR and NOT
        holds for 1 to k − 1 rows, unless they use that missing itemsets are rare (docs/guarantee.md).
        """
        return None if self.channels is None else is_acyclic(self.channels.tops)

    @property
    def sentence(self) -> str:
        """The verdict in a sentence, for whoever has to decide."""
        return advise.judge_in_words(self)

    @property
    def promise(self) -> str:
        """What the verdict RELEASE promises; empty for others."""
        return advise.promise(self) if self.verdict is Verdict.RELEASE else ""

    @property
    def advice(self) -> Message:
        """What to do next, with the options it names as data; empty if the verdict is RELEASE."""
        return Message() if self.verdict is Verdict.RELEASE else advise.advise(self)

    @property
    def warnings(self) -> list[str]:
        """What a reader must know beside the checks: what was not looked for, or is not listed in full."""
        return advise.warnings(self)

    def __repr__(self) -> str:
        name = "" if self.policy.name == "k" else f"{self.policy.name}, "
        return f"<Audit: {self.verdict.name}, {self.what}, {name}k={self.k:,}>"

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
        """Return the audit as a self-contained page of HTML; with ``private``, it lists the exposed rows.

        ``against`` are the files of the older releases that it was compared with, to name them.
        See docs/report.md; ``discreet report`` writes it to a file.
        """
        from discreet.report import audit_html  # noqa: PLC0415 - a door: loaded when it is opened

        return audit_html(
            self,
            tradeoff=tradeoff,
            source=source,
            explain=explain,
            private=private,
            timestamp=timestamp,
            against=against,
        )

    def _repr_html_(self) -> str:
        """Return the verdict and the checks as a table, for notebooks."""
        return checks.show_table(self.what, self.policy, self.checks, "Its .findings tell more." if self.groups else "")


def audit(  # noqa: PLR0913 - one question about several kinds of candidates
    source: Rows | Candidate | Published | Sequence[Published] | Iterable[Iterable[Label]],
    *,
    k: int | None = None,
    min_support: Threshold | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    rows: Rows | Iterable[Iterable[Label]] | ArrayLike | None = None,
    targets: ArrayLike | None = None,
    schema: str | Schema | None = None,
    against: Patterns | Iterable[Patterns] = (),
    grown: bool = False,
    **limits: Unpack[Budget],
) -> Audit:
    """Return what publishing something would give away, judged by ``k`` or a ``policy``.

    ``source`` is one of these:

    - rows, of which the closed itemsets with ``min_support`` would be published; the ``limits`` are those of ``mine``:
      ``threads``, ``max_patterns``, ``memory``, ``progress``
    - patterns; ``rows`` are those that they were mined from, if they are at hand
    - association rules, or supports that were rounded (docs/rules.md)
    - a decision tree or a forest that scikit-learn fitted, ``Leaves``, or a list of these (docs/trees.md); ``rows`` are
      the features it was fitted on, and ``targets`` those of a regressor, one for each row, or just their values

    ``schema`` says which items exclude each other: ``"="`` if labels are such as ``sex=f``, or groups of labels. Counts
    of older releases can be subtracted: give their patterns as ``against``, and ``grown`` if rows were only added since
    (docs/against.md).

    Checks look at supports below k, inference channels, implications if the policy asks for them, and whether the list
    is complete and consistent. What cannot be judged is withheld.

    >>> audit([["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10, min_support=10, k=10)
    <Audit: RELEASE, 3 itemsets, k=10>
    """
    rule = as_policy(policy, k)
    olds = () if isinstance(against, list | tuple) and not (against or grown) else as_releases(against, grown=grown)
    for_itemsets = min_support is not None or bool(limits) or bool(olds)
    if is_tree(source):
        if for_itemsets:
            raise OptionError(
                "a tree is judged by its counts alone; give k or a policy, and nothing that is for itemsets"
            )
        return Audit(*judge_trees(source, rule, rows, targets))
    if targets is not None:
        raise OptionError("targets are for regression trees; leave them out")
    rows = None if rows is None else as_rows(rows)  # type: ignore[arg-type]  # it refuses what is none
    if isinstance(source, Rules | Facts):
        if for_itemsets:
            raise OptionError(
                "rules and limits are judged as they are; give k or a policy, ",
                *(Option("rows"), " and ", Option("schema"), " alone"),
            )
        judged = (
            judge_rules(source, rule, rows=rows, schema=schema)
            if isinstance(source, Rules)
            else judge_facts(source, rule, rows=rows, schema=schema)
        )
        return Audit(*judged, rows=rows)
    if isinstance(source, Patterns):
        if min_support is not None or limits:
            raise OptionError(
                "patterns were mined already; leave ",
                *(Option("min_support"), ", ", Option("threads"), ", ", Option("max_patterns"), " and "),
                *(Option("memory"), " out"),
            )
        found = judge_itemsets(Question(source, None, rule.k, as_threads(None)), rule, rows)
        return _with_changes(_with_schema(found, schema), olds, grown=grown)
    if rows is not None:
        raise OptionError("rows are given twice; give ", Option("rows"), " only with patterns")
    if min_support is None:
        raise ThresholdError(
            Option("min_support"), " is missing; give the least support of what would be published, such as '10%'"
        )
    data = as_rows(source)  # type: ignore[arg-type]  # trees are judged above
    with watching(limits.get("progress"), then="looking for channels") as limits["progress"]:
        patterns = mine(data, min_support=min_support, kind="closed", **limits)
        threads = as_threads(limits.get("threads"))
        found = judge_itemsets(Question(patterns, data, rule.k, threads), rule, data)
        return _with_changes(_with_schema(found, schema), olds, grown=grown)


def judge_itemsets(question: Question, policy: Policy, rows: Rows | None) -> Audit:
    """Return the audit of the patterns in question: each check in turn."""
    patterns = question.patterns
    every, evidence = _judge_patterns(question, policy, rows)
    return Audit(patterns, count_of(len(patterns), "itemset"), policy, tuple(every), evidence, rows)


def _judge_patterns(question: Question, policy: Policy, rows: Rows | None) -> tuple[list[Check], Evidence]:
    patterns, k = question.patterns, policy.k
    first = list(checks.check_patterns(policy, patterns))
    if rows is None and checks.is_rounded(policy, patterns):
        return [*first, check_rounded(patterns, policy)], Evidence(patterns)
    if patterns.kind == "maximal":
        _check_rows(question, rows)
        return _judge_differences(first, patterns, k)
    try:
        _check_rows(question, rows)
        channels = find_channels(question)
        implications = None if policy.zeros is Verdict.RELEASE else find_implications(patterns)
    except InconsistencyError as error:
        return _judge_differences([checks.name_flaw(patterns, error), *first], patterns, k)
    every = [*[checks.CONSISTENT] * bool(len(patterns)), *first, checks.check_channels(channels)]
    if implications is not None:
        every.append(checks.check_implications(policy, implications))
    return every, Evidence(patterns, channels, implications)


def _judge_differences(first: list[Check], patterns: Patterns, k: int) -> tuple[list[Check], Evidence]:
    differences = checks.find_differences(add_root(patterns), k)
    return [*first, checks.check_differences(differences, k)], Evidence(patterns, differences=differences)


def _with_schema(audit: Audit, schema: str | Schema | None) -> Audit:
    """Return the audit with what a reader learns who knows the schema."""
    if schema is None:
        return audit
    check, remainders = judge_schema(audit.patterns, audit.k, schema)
    return replace(audit, checks=(*audit.checks, check), evidence=replace(audit.evidence, remainders=remainders))


def _with_changes(audit: Audit, olds: Sequence[Patterns], *, grown: bool) -> Audit:
    """Return the audit with what older releases reveal together with this one."""
    if not olds:
        return audit
    changes = compare_releases(audit.patterns, olds, k=audit.k, grown=grown)
    followed = is_followed(olds, grown=grown)
    check = checks.check_changes(audit.policy, audit.patterns, changes, grown=grown, followed=followed)
    return replace(audit, checks=(*audit.checks, check), evidence=replace(audit.evidence, changes=changes))


def _check_rows(question: Question, rows: Rows | None) -> None:
    """Refuse rows that the patterns were not mined from: a question that is asked with both does so."""
    if question.rows is None:
        Question(question.patterns, rows, question.limit)
