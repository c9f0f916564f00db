"""What reports say in words: where the input came from, warnings, the guarantee, advice."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from discreet.errors import Command, Face, Option, on_command_line
from discreet.judging.audit import Audit
from discreet.judging.rules import FactsAudit
from discreet.judging.trees import TreeAudit
from discreet.judging.verdict import Verdict
from discreet.publications.rules.bounded import MOST

REASONS: Final = {
    "inference channels": "sums of the supports tell of {few}",
    "differences": "differences of the supports tell of {few}",
    "bounds": "sums of the supports, within their limits, tell of {few}",
    "low counts": "supports are those of {few}",
    "differencing": "differences from an older release tell of {few}",
    "schema": "what is left of an attribute tells of {few}",
    "class disclosure": "the supports tell what everyone with some items has as well",
    "completeness": "the list has gaps, so that nothing can be judged",
    "consistency": "the supports contradict each other, so that nothing can be judged",
    "size": "there is nothing to judge, or too much",
    "rounding": "the supports are not rounded as the policy asks for",
}
"""Why a list is not to be published, by the check that says so; the first that there is."""
OF_TREES: Final = {
    "counts": "its counts cannot be told, so that nothing can be judged",
    "low counts": "counts are those of {few}",
    "several trees": "overlaps of leaves are of {few}",
    "class disclosure": "leaves tell what all who reach them have",
    "sample": "its counts are of a sample in which a row may count more than once",
    "medians": "medians may be the values of single people",
    "thresholds": "thresholds may tell the values of {few}",
    "size": "there is nothing to judge",
    "rounding": "the counts are not rounded as the policy asks for",
}
BESIDE: Final = {
    "differencing": (
        "Wait until more rows have come, leave out what changed little, or publish what was published before."
    ),
    "schema": "Leave out a value of each such attribute: what is left is then of more rows.",
}
"""What to do where only checks of what else is known have found something."""
OPEN: Final = {
    **dict.fromkeys(
        ("inference channels", "differences", "bounds"), "what the supports tell could not be followed to the end"
    ),
    "differencing": "what it tells together with an older release is not certain",
    "several trees": "what the trees tell together could not be followed to the end",
}
"""Why a person must look, where a check has found nothing but could not follow all."""


class Source(NamedTuple):
    """The file that was audited: its name without its folder, and the SHA-256 digest of its bytes."""

    file: str
    sha256: str


def older_name(numbers: Iterable[int], against: Sequence[Source]) -> str:
    """Return what older releases are called: by their files if these are known, else by their places, from 1 on.

    >>> older_name([1, 3], ())
    'older release 1 and older release 3'
    """
    return " and ".join(against[number - 1].file if against else f"older release {number}" for number in numbers)


def warnings(audit: Audit) -> list[str]:
    """Return what a reader must know of an audit besides its checks: what was not looked for, or is not all listed.

    >>> from discreet import audit
    >>> warnings(audit([["a"]] * 20 + [[]] * 20, min_support=10, k=5))
    []
    """
    found = []
    if audit.verdict is not Verdict.RELEASE:
        found.append("This report tells what the patterns would give away: keep it as they are to be kept.")
    if audit.channels is None:
        found.append("Inference channels could not be looked for.")
    if audit.rows is None:
        found.append("The rows are not at hand: the supports are taken as they are, and exposed rows are not counted.")
    if audit.is_acyclic is False:
        found.append("The maximal itemsets form a cycle: bounds on counts may tell more than sums do.")
    if audit.implications is not None and audit.implications.more:
        found.append(f"There are more implications than the {len(audit.implications):,} that are listed.")
    if len(audit.differences) == MOST:
        found.append(f"There may be more differences than the {MOST:,} that are listed.")
    if any(changes.small > len(changes) for changes in audit.changes):
        listed = max(map(len, audit.changes))
        found.append(f"There are more small changes since an older release than the {listed:,} that are listed.")
    return found


def judgement(audit: Audit | FactsAudit | TreeAudit) -> str:
    """Return what the verdict is, in one sentence for whoever has to decide.

    >>> from discreet import audit
    >>> print(judgement(audit([["a"]] * 20 + [[]] * 20, min_support=10, k=5)))
    This may be published: no sum of the supports tells of fewer than 5 people.
    >>> print(judgement(audit([["a"]] * 20 + [[]] * 3, min_support=10, k=5)))
    This must not be published as it is: sums of the supports tell of fewer than 5 people.
    """
    k, is_tree = audit.policy.k, isinstance(audit, TreeAudit)
    if audit.verdict is Verdict.RELEASE:
        safe = "no count of a leaf and a class is of" if is_tree else "no sum of the supports tells of"
        return f"This may be published: {safe} fewer than {k:,} people." if k > 1 else "This may be published."
    failed = {check.name for check in audit.checks if check.verdict is audit.verdict}
    reasons: Mapping[str, str] = OF_TREES if is_tree else REASONS
    if audit.verdict is Verdict.REVIEW and failed <= OPEN.keys():
        reasons = OPEN
    why = next((reason for name, reason in reasons.items() if name in failed), "see the checks")
    must = "must not be published as it is" if audit.verdict is Verdict.WITHHOLD else "must be looked at by a person"
    return f"This {must}: {why.format(few=f'fewer than {k:,} people')}."


def guarantee(audit: Audit, see: str = " (docs/guarantee.md)") -> str:
    """Return what RELEASE promises, in a sentence or two.

    >>> from discreet import audit
    >>> guarantee(audit([["a"]] * 20 + [[]] * 20, min_support=10, k=5))  # doctest: +ELLIPSIS
    'From these supports nobody can infer that a pattern of AND, OR and NOT holds for 1 to 4 rows, unless by ...
    """
    k = audit.policy.k
    if k == 1:
        return f"k is 1, so no count is too small to be told{see}."
    few = "1 row" if k == 2 else f"1 to {k - 1:,} rows"  # noqa: PLR2004 - below 2 there is one number
    if audit.is_acyclic:
        return (
            f"From these supports nobody can infer that a pattern of AND, OR and NOT holds for {few}, unless by what "
            f"is missing from the list, or known from elsewhere{see}."
        )
    return (
        f"No sum of these supports tells that some items are held, and others not, by {few}. Bounds on counts may "
        f"tell more, as the maximal itemsets form a cycle{see}."
    )


def advice(audit: Audit, face: Face = on_command_line) -> str:
    """Return what to do next where the verdict is not RELEASE, in one line, in the words of a face.

    >>> from discreet import audit
    >>> advice(audit([["a"]] * 3 + [[]] * 20, min_support=2, k=5))
    'Make it safe with `discreet block`, or raise --min-support: `discreet tradeoff` shows how far.'
    """
    failed = {check.name for check in audit.checks if check.verdict is not Verdict.RELEASE}
    if "completeness" in failed and audit.patterns.kind == "frequent":
        kind = face(Option("kind"))
        return f"If these are the closed or the maximal itemsets, say so with {kind}; else get the whole list."
    if failed & {"consistency", "completeness"}:
        return "Get the whole list with exact supports (all closed or all frequent itemsets), and audit that."
    if failed & {"low counts", "inference channels", "differences"} and audit.rows is None:
        return "Publish only itemsets of more support: mine again with a higher minimum, and audit that."
    if failed & {"low counts", "inference channels"}:
        block, tradeoff = face(Command("block")), face(Command("tradeoff"))
        return f"Make it safe with {block}, or raise {face(Option('min_support'))}: {tradeoff} shows how far."
    if "class disclosure" in failed:
        return "Look at the implications: where one tells more than is known of everyone anyway, leave its items out."
    is_beside = failed <= BESIDE.keys() and (audit.rests or "schema" not in failed)
    beside = " ".join(words for name, words in BESIDE.items() if name in failed)
    return beside if is_beside else "A person must look at this: the checks above say why."
