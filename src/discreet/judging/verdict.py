"""Verdicts and checks: what may happen to a candidate, and the one table of what is looked at."""

from collections.abc import Iterable
from enum import Enum, StrEnum
from functools import total_ordering
from typing import Final, NamedTuple, Self


@total_ordering
class Verdict(Enum):
    """What may happen to a candidate, from best to worst.

    An enumeration rather than words: a misspelt word would match nothing, and so pass.

    >>> Verdict.RELEASE < Verdict.REVIEW < Verdict.WITHHOLD
    True
    """

    RELEASE = 0
    REVIEW = 1
    WITHHOLD = 2

    def __lt__(self, other: object) -> bool:
        """Return whether this is the better verdict; only verdicts can be compared."""
        return self.value < other.value if isinstance(other, Verdict) else NotImplemented


SIGNS: Final = {Verdict.RELEASE: "✓", Verdict.REVIEW: "?", Verdict.WITHHOLD: "✗"}
"""Stands before a verdict, for readers who see no colours."""
COLOURS: Final = {Verdict.RELEASE: "#1a7f37", Verdict.REVIEW: "#8a5a00", Verdict.WITHHOLD: "#b3261e"}
"""The background of a verdict in notebooks; white text is easy to read on each."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst verdict; ``WITHHOLD`` if there is none.

    >>> worst([Verdict.RELEASE, Verdict.REVIEW]), worst([])
    (<Verdict.REVIEW: 1>, <Verdict.WITHHOLD: 2>)
    """
    return max(verdicts, default=Verdict.WITHHOLD)


_UNSURE: Final = "what the numbers give away could not be followed to the end"


class CheckName(StrEnum):
    """What is looked at, the most important first. This is the only table of checks.

    ``reason`` says why a candidate fails the check ("{few}" stands for "fewer than 5 people"), ``advice`` says what to
    do, and ``unsure`` says why a person must look although nothing was found.

    >>> CheckName("low counts").reason
    'some counts are of {few}'
    """

    reason: str
    advice: str
    unsure: str

    def __new__(cls, name: str, reason: str = "", advice: str = "", unsure: str = "") -> Self:
        """Keep the wording beside the name."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.reason, member.advice, member.unsure = reason, advice, unsure
        return member

    COUNTS = (
        "counts",
        "the tree does not show its counts, so nothing can be judged",
        "Fit the tree without weights and audit that, or have its owner write its leaves with write_tree.",
    )
    CHANNELS = ("inference channels", "differences of the published counts reveal {few}", "", _UNSURE)
    DIFFERENCES = ("differences", "differences of two published counts reveal {few}", "", _UNSURE)
    BOUNDS = ("bounds", "differences of the published numbers, within their limits, reveal {few}", "", _UNSURE)
    LOW_COUNTS = ("low counts", "some counts are of {few}")
    SEVERAL_TREES = (
        "several trees",
        "overlaps of leaves are of {few}",
        "Publish fewer trees, or coarser ones.",
        "what the trees reveal together could not be followed to the end",
    )
    DIFFERENCING = (
        "differencing",
        "differences from an older release reveal {few}",
        "Wait for more rows, leave out what changed little, or publish the older release again.",
        "what it reveals together with an older release is not certain",
    )
    SCHEMA = (
        "schema",
        "the total minus an attribute's listed values leaves {few}",
        "Leave out one more value of each such attribute, so that more rows remain.",
    )
    CLASS_DISCLOSURE = (
        "class disclosure",
        "the numbers reveal what everyone in some group has",
        "Look at these groups: where they reveal more than is known of everyone, leave their items or leaves out.",
    )
    COMPLETENESS = (
        "completeness",
        "the list has gaps, so nothing can be judged",
        "Get the whole list with exact supports (all closed or all frequent itemsets), and audit that.",
    )
    CONSISTENCY = (
        "consistency",
        "the numbers contradict each other, so nothing can be judged",
        "Get the whole list with exact supports, or ask how the numbers were rounded, and audit again.",
    )
    WEIGHTS = (
        "weights",
        "its counts may be weights",
        "Ask how the tree was fitted, or have its owner write its leaves with write_tree.",
    )
    SAMPLE = ("sample", "its counts are of a sample in which a row may count more than once")
    MEDIANS = ("medians", "medians may be the values of single people")
    TARGETS = ("targets", "the means may be counts of {few}")
    THRESHOLDS = (
        "thresholds",
        "thresholds may reveal the values of {few}",
        "Round the thresholds before publishing, or fit on rounded features.",
    )
    SIZE = ("size", "there is nothing to judge, or more than the policy allows")
    ROUNDING = ("rounding", "the counts are not rounded as the policy asks")
    SUPPORTS = ("supports", "some supports are not stated")
    ABSENT_RULES = ("absent rules", "too many rules are missing to follow")
    COLUMNS = ("columns", "some columns were not read")

    def release(self, sentence: str, found: int = 0) -> "Check":
        """Return a check that was passed."""
        return Check(self, Verdict.RELEASE, found, sentence)

    def review(self, found: int, sentence: str) -> "Check":
        """Return a check that a person must look at."""
        return Check(self, Verdict.REVIEW, found, sentence)

    def withhold(self, found: int, sentence: str) -> "Check":
        """Return a check that failed."""
        return Check(self, Verdict.WITHHOLD, found, sentence)


class Check(NamedTuple):
    """The result of one check: its name, the verdict, how many findings, and a sentence."""

    name: CheckName
    verdict: Verdict
    found: int
    sentence: str
