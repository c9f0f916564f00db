"""The tree of errors. Each message says what came, what is allowed and what to do.

    DiscreetError                exit code 2
    ├── InputError               a source that cannot be read as what it is said to be
    │   ├── InconsistencyError   itemsets with supports that no rows have, or not all of them
    │   └── QueryError           a text that is no query, or not only one
    ├── OutputError              a result that cannot be written where it was asked for
    ├── ThresholdError           a minimum support, k or length that means nothing
    ├── OptionError              an unknown kind, format, method, policy or data set
    ├── BudgetError              a limit on patterns, memory or time that was reached
    └── GuaranteeError           a release that failed its own checks, and is none

A message may hold row numbers and counts, never rows or labels: the data is private.
"""

from collections.abc import Iterable


class DiscreetError(Exception):
    """Anything that a caller can mend; ``exit_code`` is what the command line ends with."""

    exit_code = 2


class InputError(DiscreetError, ValueError):
    """A source that cannot be read as what it is said to be."""


class InconsistencyError(InputError):
    """Itemsets with supports that no rows have, or of which some are missing.

    ``flaw`` says what is wrong: an itemset is "missing", has less support than another that holds it ("rising"), is
    held by all rows and no part of another that is said to be closed ("open"), or is met by fewer than no rows under
    another ("negative"). ``itemset`` and ``other`` are these two, by their labels; they are for whoever published
    them, and no part of the message.
    """

    def __init__(self, message: str, flaw: str, itemset: Iterable[object], other: Iterable[object]) -> None:
        """Keep what was found beside the message."""
        super().__init__(message)
        self.flaw, self.itemset, self.other = flaw, frozenset(itemset), frozenset(other)


class QueryError(InputError):
    """A text that is no query, or could mean several; ``column`` tells where, from 1 on."""

    def __init__(self, message: str, column: int) -> None:
        """Keep the place beside the message."""
        super().__init__(message)
        self.column = column


class OutputError(DiscreetError, OSError):
    """A result that cannot be written where it was asked for."""


class ThresholdError(DiscreetError, ValueError):
    """A minimum support, k or length that means nothing."""


class OptionError(DiscreetError, ValueError):
    """An unknown kind, format, method or data set."""


class BudgetError(DiscreetError):
    """A limit on patterns, memory or time that was reached before the work was done."""


class GuaranteeError(DiscreetError):
    """A release that failed its own checks, and is none: a mistake of ours."""
