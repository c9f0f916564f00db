"""Belief as a check: how sure a reader may be that a group is small, where a policy bounds it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from discreet.data.patterns import Patterns
from discreet.data.schema import Groups
from discreet.disclosure.attacks.finding import count_rows
from discreet.disclosure.beliefs.belief import belief
from discreet.disclosure.beliefs.result import NO_PROOF, Belief
from discreet.disclosure.beliefs.tables import PRIORS
from discreet.errors import DiscreetError
from discreet.judging.policy import Check, CheckName

if TYPE_CHECKING:
    from discreet.judging.audit import Audit


def judge_belief(
    audit: "Audit",
    *,
    complete: bool | None = None,
    schema: str | Groups | None = None,
    against: Sequence[Patterns] = (),
    grown: bool = False,
) -> "Audit":
    """Return the audit with a check of how sure a reader may be; as it is if the policy has no bound.

    A reader who has older releases, ``against`` which it is judged, may be surer than one who has none.

    >>> import discreet
    >>> from discreet.judging.policy import Policy
    >>> rows = [["asthma"]] * 10 + [["flu"]] * 10 + [["asthma", "flu"]] * 4 + [[]] * 16
    >>> judged = discreet.audit(rows, min_support=10, policy=Policy("ours", k=10, max_belief=0.9))
    >>> print(judged.verdict.name, judged.checks[-1].sentence.partition(". ")[0])
    REVIEW asthma ∧ flu holds for 1 to 9 rows with a probability of 0.999, and ours allows 0.9
    """
    policy, known, most = audit.policy, audit.patterns if audit.facts is None else audit.facts, audit.policy.max_belief
    if most is None or policy.k == 1 or not len(known):
        return audit
    if against and audit.evidence.belief is not None:
        complete = audit.evidence.belief.absence
    try:
        found = belief(known, k=policy.k, complete=complete, schema=schema, against=against, grown=grown)
    except DiscreetError as error:
        why = f"How sure a reader may be of small groups could not be worked out: {error.message}."
        return replace(audit, checks=(*audit.checks, CheckName.BELIEF.review(0, why)))
    check, evidence = _check(found, policy.name, most), replace(audit.evidence, belief=found)
    return replace(audit, checks=(*audit.checks, check), evidence=evidence)


def _check(found: Belief, name: str, most: float) -> Check:
    few, under = count_rows(1, found.k - 1), f"Prior {found.prior}: {PRIORS[found.prior]}. {NO_PROOF}"
    beyond = found.beyond(most)
    if beyond:
        first = f"{beyond[0].words} holds for {few} with a probability of {beyond[0].shown}, and {name} allows {most}"
        more = f"{len(beyond) - 1:,} more patterns are listed by belief. " if len(beyond) > 1 else ""
        return CheckName.BELIEF.review(len(beyond), f"{first}. {more}{under}")
    if found.missed:
        unseen = f"Of {found.missed:,} larger combinations it is not known how sure a reader may be"
        return CheckName.BELIEF.review(0, f"{unseen}; of the others nothing is believed beyond {most}. {under}")
    return CheckName.BELIEF.release(
        f"No pattern that was looked at holds for {few} with a probability beyond {most}. {under}"
    )
