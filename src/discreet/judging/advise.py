"""What an audit says beside its checks: the verdict in a sentence, what RELEASE promises, what to do, and warnings."""

from typing import TYPE_CHECKING, Final

from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.facts import Facts
from discreet.errors import Command, Message, Option
from discreet.judging.verdict import CheckName, Verdict
from discreet.publications.rules.bounded import MOST
from discreet.publications.rules.rule import Rules
from discreet.publications.trees.leaves import Forest

if TYPE_CHECKING:
    from discreet.judging.audit import Audit

BROKEN: Final = (CheckName.COUNTS, CheckName.COMPLETENESS, CheckName.CONSISTENCY)
"""Where one of these fails, nothing else can be mended first."""
COARSEN: Final = (CheckName.CHANNELS, CheckName.DIFFERENCES, CheckName.BOUNDS, CheckName.LOW_COUNTS)
"""Where one of these fails, the advice is to publish less."""
PERSON: Final = "A person must look at this: the checks say why."
STATE_KIND: Final = Message(
    "If these are the closed or the maximal itemsets, say so with ", Option("kind"), "; otherwise get the whole list."
)
MAKE_SAFE: Final = Message(
    *("Make it safe with ", Command("block"), ", or raise ", Option("min_support"), ": "),
    *(Command("tradeoff"), " shows how far."),
)


def judge_in_words(audit: "Audit") -> str:
    """Return the verdict in one sentence for whoever has to decide.

    >>> from discreet import audit
    >>> print(judge_in_words(audit([["a"]] * 20 + [[]] * 20, min_support=10, k=5)))
    This may be published: no difference of its counts reveals fewer than 5 people.
    >>> print(judge_in_words(audit([["a"]] * 20 + [[]] * 3, min_support=10, k=5)))
    This must not be published as it is: differences of the published counts reveal fewer than 5 people.
    """
    few = f"fewer than {audit.k:,} people"
    if audit.verdict is Verdict.RELEASE:
        safe = "no leaf has a class of" if is_forest(audit) else "no difference of its counts reveals"
        return f"This may be published: {safe} {few}." if audit.k > 1 else "This may be published."
    failed = failed_checks(audit)
    is_unsure = audit.verdict is Verdict.REVIEW and all(name.unsure for name in failed)
    why = failed[0].unsure if is_unsure else failed[0].reason
    must = "must not be published as it is" if audit.verdict is Verdict.WITHHOLD else "must be looked at by a person"
    return f"This {must}: {why.format(few=few)}."


def promise(audit: "Audit") -> str:
    """Return what RELEASE promises.

    >>> from discreet import audit
    >>> promise(audit([["a"]] * 20 + [[]] * 20, min_support=10, k=5))  # doctest: +ELLIPSIS
    'From these counts nobody can infer that a pattern of AND, OR and NOT holds for 1 to 4 rows, except by ...
    """
    if audit.k == 1:
        return "k is 1, so no count is too small to be published."
    few = "1 row" if audit.k == 2 else f"1 to {audit.k - 1:,} rows"  # noqa: PLR2004 - below 2 there is one number
    beside = "what is missing from the list, or other knowledge"
    if is_forest(audit):
        beside = "other knowledge"
    elif not (isinstance(audit.candidate, Patterns) and audit.is_acyclic):
        return (
            f"No sum of these supports reveals that {few} have some items and lack others. Limits on counts, and what "
            "is missing from the list, may reveal more."
        )
    return f"From these counts nobody can infer that a pattern of AND, OR and NOT holds for {few}, except by {beside}."


def advise(audit: "Audit") -> Message:
    """Return what to do next where the verdict is not RELEASE.

    >>> from discreet import audit
    >>> advise(audit([["a"]] * 3 + [[]] * 20, min_support=2, k=5))
    'Make it safe with `discreet block`, or raise min_support=: `discreet tradeoff` shows how far.'
    """
    failed, candidate = failed_checks(audit), audit.candidate
    broken = [name for name in BROKEN if name in failed]
    if broken:
        is_frequent = isinstance(candidate, Patterns) and candidate.kind == "frequent"
        return STATE_KIND if broken[0] is CheckName.COMPLETENESS and is_frequent else Message(broken[0].advice)
    if any(name in COARSEN for name in failed):
        return Message(_coarsen(audit))
    if CheckName.SCHEMA in failed and not (audit.evidence.remainders or audit.evidence.bounded):
        return Message(PERSON)
    return Message(" ".join(filter(None, (name.advice for name in failed))) or PERSON)


def warnings(audit: "Audit") -> list[str]:
    """Return what a reader must know beside the checks: what was not looked for, or is not listed in full.

    >>> from discreet import audit
    >>> warnings(audit([["a"]] * 20 + [[]] * 20, min_support=10, k=5))
    []
    """
    evidence, is_list = audit.evidence, isinstance(audit.candidate, Patterns)
    found = []
    if audit.verdict is not Verdict.RELEASE:
        found.append("Confidential: this report contains the small counts it warns about.")
    if is_list and evidence.channels is None:
        found.append("Inference channels could not be looked for.")
    if audit.rows is None and not is_forest(audit):
        found.append("The rows are not at hand: the published counts are taken as they are.")
    if is_list and audit.is_acyclic is False:
        found.append("Not checked here: a determined reader might narrow some counts further.")
    if evidence.implications is not None and evidence.implications.more:
        found.append(f"There are more implications than the {len(evidence.implications):,} listed.")
    if len(evidence.differences) == MOST:
        found.append(f"There may be more differences than the {MOST:,} listed.")
    if any(changes.small > len(changes) for changes in evidence.changes):
        listed = max(map(len, evidence.changes))
        found.append(f"There are more small changes since an older release than the {listed:,} listed.")
    return found


def failed_checks(audit: "Audit") -> list[CheckName]:
    """Return the checks that the verdict comes from, the most important first."""
    failed = {check.name for check in audit.checks if check.verdict is audit.verdict}
    return [name for name in CheckName if name in failed]


def is_forest(audit: "Audit") -> bool:
    """Return whether trees were judged."""
    return isinstance(audit.candidate, Forest)


def _coarsen(audit: "Audit") -> str:
    """Return how to publish less of the candidate."""
    if is_forest(audit):
        return "Prune the tree: raise ccp_alpha or min_samples_leaf until no leaf holds so few rows of a class."
    if isinstance(audit.candidate, Rules | Facts):
        return "Publish only what more rows hold, leave out what reveals few, or give fewer digits. Audit again."
    if audit.rows is None:
        return "Publish only itemsets of more support: mine again with a higher minimum, and audit that."
    return MAKE_SAFE
