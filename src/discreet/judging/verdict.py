"""Verdicts: what may happen to a pattern set, from best to worst."""

from collections.abc import Iterable
from enum import Enum
from functools import total_ordering
from typing import Final


@total_ordering
class Verdict(Enum):
    """What may happen to a pattern set. The order is from best to worst.

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
"""What stands before a verdict, for those who see no colours."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst verdict; with none to go by, ``WITHHOLD``.

    >>> worst([Verdict.RELEASE, Verdict.REVIEW]), worst([])
    (<Verdict.REVIEW: 1>, <Verdict.WITHHOLD: 2>)
    """
    return max(verdicts, default=Verdict.WITHHOLD)
