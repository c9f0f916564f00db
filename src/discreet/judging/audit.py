"""Audit: everything found about one candidate, whatever it is, and a verdict on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Final, Unpack, cast

from numpy.typing import ArrayLike

from discreet.data.counts import Counts
from discreet.data.itemsets import Label
from discreet.data.leaving_out import drop_items
from discreet.data.patterns import Kind, Patterns
from discreet.data.reading import Reading
from discreet.data.schema import Groups
from discreet.data.thresholds import Threshold, doubt_count
from discreet.data.transactions import Merged, Rows, Transactions, as_rows
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.joint_releases import as_releases
from discreet.disclosure.channels import Channels, Difference, Exposed, is_acyclic
from discreet.disclosure.detect import Question
from discreet.disclosure.implications import Implications
from discreet.disclosure.people import PeopleCells, are_visits
from discreet.errors import InputError, Message, Option, OptionError, refuse_truth
from discreet.io.hierarchies import know_parents
from discreet.io.read import find_patterns
from discreet.judging import checks
from discreet.judging.belief import judge_belief
from discreet.judging.counts import judge_counts, refuse_options
from discreet.judging.finding import AuditFindings, Candidate, Evidence, FindingGroup
from discreet.judging.in_the_way import advise
from discreet.judging.itemsets import check_mining, judge_patterns
from discreet.judging.people import MERGE, PEOPLE, VISITS, judge_people, name_uncounted
from discreet.judging.policy import Check, CheckName, Policy, Verdict, as_policy, worst
from discreet.judging.reading import check_reading
from discreet.judging.rules import judge_numbers
from discreet.judging.schema import judge_schema
from discreet.judging.trees import Published, is_tree, judge_trees
from discreet.mining.mine import Mining, mine
from discreet.publications.counts.exposed import find_exposed
from discreet.publications.rules.bounded import MOST
from discreet.publications.rules.rule import Rules
from discreet.publications.series import Changes, compare_releases, is_followed
from discreet.publications.trees.leaves import Forest
from discreet.runtime.resources import as_threads, watching
from discreet.runtime.text import count_of

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.judging.tradeoff import Tradeoff
    from discreet.report import Source

CONFIDENTIAL: Final = "Confidential: this report contains the small counts it warns about."


@refuse_truth(ask=".is_safe")
@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What publishing a ``candidate`` would give away, judged by a policy; the worst check is the verdict.

    ``what`` describes the candidate. ``evidence`` holds what was found, by kind; ``findings`` shows all of it alike,
    the worst of each kind first: who, how many, which sum reveals them, and how bad that is. ``withstood`` says who
    else was tried.

    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> found = audit(rows, min_support=10, k=10)
    >>> found.verdict.name, [(str(finding), finding.explain()) for finding in found.findings]
    ('WITHHOLD', [('a ∧ b ∧ ¬c: 2 rows', 'sup(ab) 50 − sup(abc) 48 = 2')])
    >>> print(found.sentence, found.advice, sep=chr(10))
    This must not be published as it is: differences of the published counts reveal fewer than 10 people.
    Make it safe with `discreet block`; `discreet advise` tries what could be done.
    """

    candidate: Candidate
    what: str
    policy: Policy
    checks: tuple[Check, ...]
    evidence: Evidence
    rows: Rows | None = None
    withstood: str = ""

    @property
    def verdict(self) -> Verdict:
        """The worst of the verdicts of all checks."""
        return worst(check.verdict for check in self.checks)

    @property
    def is_safe(self) -> bool:
        """Whether the verdict is RELEASE."""
        return self.verdict is Verdict.RELEASE

    @property
    def reading(self) -> Reading | None:
        """How the rows, or the patterns without rows, were read; None if they were given in memory."""
        if isinstance(self.candidate, Counts):
            return self.candidate.reading
        return self.patterns.reading if self.rows is None else self.rows.reading

    @property
    def k(self) -> int:
        """Counts from 1 to k − 1 are too small to be published."""
        return self.policy.k

    @cached_property
    def groups(self) -> tuple[FindingGroup, ...]:
        """The findings, a group for each kind; their members are made when they are asked for."""
        return tuple(self.evidence.groups(self.checks))

    @property
    def findings(self) -> AuditFindings:
        """All findings, by kind, the worst of each kind first."""
        return AuditFindings(chain.from_iterable(self.groups))

    @property
    def patterns(self) -> Patterns:
        """The itemsets with exact supports: the candidate itself, or those that rules pin down; none for trees."""
        return self.evidence.patterns

    @property
    def channels(self) -> Channels:
        """The maximal channels; an error where they could not be looked for, which is not the same as none."""
        if self.evidence.channels is None:
            raise InputError("channels could not be looked for; .checks say why, and .findings what was found instead")
        return self.evidence.channels

    @property
    def exposed(self) -> Exposed:
        """The rows that channels single out, or groups of few people; an error without rows or channels."""
        if self.exposed_if_known is None:
            raise InputError("exposed rows are known only where the rows are at hand, and channels could be looked for")
        return self.exposed_if_known

    @cached_property
    def exposed_if_known(self) -> Exposed | None:
        """The exposed rows; None without rows or channels."""
        if isinstance(self.candidate, Counts) and isinstance(self.rows, Transactions):
            return find_exposed(self.rows, (*self.evidence.cells, *self.evidence.shown))
        found = self.evidence.channels if self.people is None else self.people
        return None if self.rows is None or found is None else found.rows(self.rows)

    @property
    def people(self) -> PeopleCells | None:
        """The groups of rows that belong to few people; None where it is not known whose rows they are."""
        return self.evidence.people

    @cached_property
    def is_acyclic(self) -> bool | None:
        """Whether the maximal itemsets form an acyclic hypergraph; None where they are not known.

        If they do, and there are no channels, nobody can infer from the supports that any pattern of AND, OR and NOT
        holds for 1 to k − 1 rows, unless they use that missing itemsets are rare (docs/guarantee.md).
        """
        channels = self.evidence.channels
        return None if channels is None else is_acyclic(channels.tops)

    @property
    def implications(self) -> Implications | None:
        """Derived counts of 0; None where the policy does not ask for them."""
        return self.evidence.implications

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Small differences of two supports, where a list is incomplete."""
        return self.evidence.differences

    @property
    def sentence(self) -> str:
        """The verdict in a sentence, for whoever has to decide."""
        few = f"fewer than {self.k:,} people"
        if self.verdict is Verdict.RELEASE:
            safe = "no leaf has a class of" if self._is_forest else "no difference of its counts reveals"
            return f"This may be published: {safe} {few}." if self.k > 1 else "This may be published."
        failed = self._failed
        is_unsure = self.verdict is Verdict.REVIEW and all(name.unsure for name in failed)
        why = failed[0].unsure if is_unsure else failed[0].reason
        must = "must not be published as it is" if self.verdict is Verdict.WITHHOLD else "must be looked at by a person"
        return f"This {must}: {why.format(few=few)}."

    @property
    def promise(self) -> str:
        """What the verdict RELEASE promises; empty for others."""
        if self.verdict is not Verdict.RELEASE:
            return ""
        if isinstance(self.candidate, Counts):
            return (
                f"No sum of these counts, and no limits that follow from them, reveal a count of 1 to {self.k - 1:,}."
            )
        few = "1 row" if self.k == 2 else f"1 to {self.k - 1:,} rows"  # noqa: PLR2004 - below 2 there is one number
        if not self._is_forest and not (isinstance(self.candidate, Patterns) and self.is_acyclic):
            more = self.withstood or "Limits on counts, and what is missing from the list, may reveal more."
            return f"No sum of these supports reveals that {few} have some items and lack others. {more}"
        beside = "other knowledge" if self._is_forest else "what is missing from the list, or other knowledge"
        infer = "From these counts nobody can infer that a pattern of AND, OR and NOT holds"
        return f"{infer} for {few}, except by {beside}."

    @property
    def facts(self) -> Facts | None:
        """What rules or rounded numbers say about supports, as ``attack`` takes it; None for other candidates."""
        return self.evidence.facts

    @property
    def advice(self) -> Message:
        """What to do next, with the options it names as data; empty if the verdict is RELEASE."""
        if self.verdict is Verdict.RELEASE:
            return Message()
        failed, candidate = self._failed, self.candidate
        broken = next((name for name in checks.BROKEN if name in failed), None)
        if broken is not None:
            has_gaps = broken is CheckName.COMPLETENESS and getattr(candidate, "kind", "") == "frequent"
            return checks.STATE_KIND if has_gaps else Message(checks.ADVICE[broken])
        if self.people is not None and not PEOPLE.isdisjoint(failed):
            return MERGE
        if not checks.COARSEN.isdisjoint(failed):
            return Message(self._coarsen())
        if CheckName.SCHEMA in failed and not (self.evidence.remainders or self.evidence.bounded):
            return Message(checks.PERSON)
        return advise(failed, self.evidence, has_rows=self.rows is not None)

    def _coarsen(self) -> str:
        if self._is_forest:
            return "Prune the tree: raise ccp_alpha or min_samples_leaf until no leaf holds so few rows of a class."
        if isinstance(self.candidate, Counts):
            return "Mask further counts, merge categories, or round, so that no small count can be worked out."
        if isinstance(self.candidate, Rules | Facts):
            if not self.findings and CheckName.LOW_COUNTS not in self._failed:
                return checks.PERSON
            return "Publish only what more rows hold, leave out what reveals few, or give fewer digits. Audit again."
        if self.rows is None:
            return "Publish only itemsets of more support: mine again with a higher minimum, and audit that."
        return checks.MAKE_SAFE

    @property
    def changes(self) -> tuple[Changes, ...]:
        """The changes since each older release that it was compared with."""
        return self.evidence.changes

    @property
    def warnings(self) -> list[str]:
        """What a reader must know beside the checks: what was not looked for, or is not listed in full."""
        evidence, unjudged, is_list = self.evidence, self.policy.unjudged, isinstance(self.candidate, Patterns)
        implied, listed = evidence.implications, max(map(len, evidence.changes), default=0)
        no_rows, is_cyclic = self.rows is None and not self._is_forest, is_list and self.is_acyclic is False
        is_secret = any(one.found for one in self.checks if one.verdict > Verdict.RELEASE and one.name in checks.SECRET)
        more_changes = any(changes.small > len(changes) for changes in evidence.changes)
        doubt = doubt_count(self.patterns.min_support, self.patterns.n, self.k) if self.patterns.mined else ""
        every = (
            (f"{doubt[:1].upper()}{doubt[1:]}", doubt),
            (CONFIDENTIAL, is_secret),
            (unjudged, unjudged),
            ("Inference channels could not be looked for.", is_list and evidence.channels is None),
            ("The rows are not at hand: the published counts are taken as they are.", no_rows),
            ("Not checked here: a determined reader might narrow some counts further.", is_cyclic),
            (f"There are more implications than the {len(implied or ()):,} listed.", implied and implied.more),
            (f"There may be more differences than the {MOST:,} listed.", len(evidence.differences) == MOST),
            (f"There are more small changes since an older release than the {listed:,} listed.", more_changes),
        )
        return [warning for warning, holds in every if holds]

    @property
    def _failed(self) -> list[CheckName]:
        """The checks that the verdict comes from, the most important first."""
        failed = {check.name for check in self.checks if check.verdict is self.verdict}
        return [name for name in CheckName if name in failed]

    @property
    def _is_forest(self) -> bool:
        return isinstance(self.candidate, Forest)

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
            self, tradeoff, source=source, explain=explain, private=private, timestamp=timestamp, against=against
        )

    def _repr_html_(self) -> str:
        return checks.show_table(self.what, self.policy, self.checks, "Its .findings tell more." if self.groups else "")


def audit(  # noqa: PLR0913 - one question about several kinds of candidates
    source: Rows | Candidate | Published | Sequence[Published] | Iterable[Iterable[Label]],
    *,
    k: int | None = None,
    min_support: Threshold | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    rows: Rows | Iterable[Iterable[Label]] | ArrayLike | None = None,
    targets: ArrayLike | None = None,
    schema: str | Groups | None = None,
    against: Patterns | Counts | Iterable[Patterns | Counts] = (),
    grown: bool = False,
    n: int | None = None,
    kind: Kind | None = None,
    **limits: Unpack[Mining],
) -> Audit:
    """Return what publishing something would give away, judged by ``k`` or a ``policy``.

    ``source`` is one of these:

    - rows, of which the closed itemsets with ``min_support`` would be published; the ``limits`` are those of ``mine``:
      ``max_length``, ``leave_out``, ``threads``, ``max_patterns``, ``memory``, ``progress``
    - patterns, also a frame of mlxtend or a list of pyfim, with ``n`` and ``kind`` as in ``read_patterns``; ``rows``
      are those that they were mined from, if they are at hand, and ``max_length`` says that longer ones were left out
    - association rules, or supports that were rounded (docs/rules.md)
    - tables of counts (docs/tables.md)
    - a decision tree or a forest that scikit-learn fitted, ``Leaves``, or a list of these (docs/trees.md); ``rows`` are
      the features it was fitted on, and ``targets`` those of a regressor, one for each row, or just their values

    ``schema`` says which items exclude each other: ``"="`` if labels are such as ``sex=f``, or groups of labels.
    Without it, the schema of the rows or patterns counts; ``()`` says that there is none. By a ``hierarchy``, rows with
    an item hold its parents (docs/hierarchies.md). Counts of older releases can be subtracted: give their patterns as
    ``against``, and ``grown`` if rows were only added since (docs/against.md).

    Checks look at supports below k, inference channels, implications if the policy asks for them, and whether the list
    is complete and consistent. What cannot be judged is withheld.

    >>> audit([["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10, min_support=10, k=10)
    <Audit: RELEASE, 3 itemsets, k=10>
    """
    rule = as_policy(policy, k)
    if isinstance(source, Counts):
        progress = limits.pop("progress", None)
        refuse_options(min_support, targets, schema, n, kind, *limits.values())
        known = None if rows is None else as_rows(rows)
        return Audit(*judge_counts(source, rule, against, grown=grown, progress=progress), rows=known)
    older = cast("Patterns | Iterable[Patterns]", against)
    olds = () if isinstance(against, list | tuple) and not (against or grown) else as_releases(older, grown=grown)
    for_itemsets = min_support is not None or bool(limits) or bool(olds)
    if not isinstance(source, Patterns | Transactions | Merged) and is_tree(source):
        if for_itemsets:
            raise OptionError("a tree is judged by its counts alone; give k or a policy, and nothing for itemsets")
        return Audit(*judge_trees(source, rule, rows, targets))
    if targets is not None:
        raise OptionError("targets are for regression trees; leave them out")
    left_out, hierarchy = limits.pop("leave_out", None), limits.pop("hierarchy", None)
    rows = None if rows is None else drop_items(as_rows(rows, hierarchy), left_out)
    if isinstance(source, Rules | Facts):
        if for_itemsets:
            raise OptionError("rules and limits are judged as they are; give k or a policy, rows and schema alone")
        numbers = Audit(*judge_numbers(source, rule, rows, schema), rows=rows)
        return judge_belief(replace(numbers, checks=(*numbers.checks, *[VISITS] * are_visits(rows))), schema=schema)
    source = find_patterns(source, n=n, kind=kind, max_length=limits.get("max_length"), mined=min_support is None)
    if isinstance(source, Patterns):
        length = limits.pop("max_length", None)
        if min_support is not None or limits:
            raise OptionError("patterns were mined already; leave ", Option("min_support"), " and limits on mining out")
        listed = drop_items(know_parents(source, hierarchy), left_out).cut_at(length)
        judged = judge_itemsets(Question(listed, None, rule.k, as_threads(None)), rule, rows, schema)
        return judge_changes(judged, olds, grown=grown)
    check_mining(rows, min_support)
    data = drop_items(as_rows(source, hierarchy), left_out)
    with watching(limits.get("progress"), then="looking for channels") as limits["progress"]:
        patterns = mine(data, min_support=cast("Threshold", min_support), kind="closed", **limits)
        question = Question(patterns, data, rule.k, as_threads(limits.get("threads")))
        return judge_changes(judge_itemsets(question, rule, data, schema), olds, grown=grown)


def judge_itemsets(question: Question, policy: Policy, rows: Rows | None, schema: str | Groups | None = None) -> Audit:
    """Return the audit of the patterns in question: each check in turn, by a ``schema`` or by that of the patterns."""
    patterns, (every, evidence) = question.patterns, judge_patterns(question, policy, rows)
    counted, people = judge_people(question, rows, schema)
    by_schema, read = judge_schema(patterns, policy.k, schema), check_reading(patterns, rows)
    if by_schema is not None:
        counted, evidence = [*counted, by_schema[0]], replace(evidence, remainders=by_schema[1])
    every += [*counted, *([] if read is None else [read]), *checks.check_k(policy, patterns.n)]
    cut = "" if patterns.max_length is None else f" of at most {count_of(patterns.max_length, 'item')}"
    found = f"{count_of(len(patterns), 'itemset')}{cut}", policy, tuple(every), replace(evidence, people=people), rows
    return judge_belief(Audit(patterns, *found), complete=question.complete, schema=schema)


def judge_changes(audit: Audit, olds: Sequence[Patterns], *, grown: bool) -> Audit:
    """Return the audit with what a reader learns who has older releases."""
    if not olds:
        return audit
    changes, followed = compare_releases(audit.patterns, olds, k=audit.k, grown=grown), is_followed(olds, grown=grown)
    check = checks.check_changes(audit.policy, audit.patterns, changes, grown=grown, followed=followed)
    both = replace(audit, checks=(*audit.checks, check if audit.people is None else name_uncounted(check)))
    return judge_belief(replace(both, evidence=replace(audit.evidence, changes=changes)), against=olds, grown=grown)
