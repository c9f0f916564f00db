"""The tree of errors. Each message says what came, what is allowed and what to do.

    DiscreetError                exit code 2
    ├── InputError               a source that cannot be read as what it is said to be
    ├── OutputError              a result that cannot be written where it was asked for
    ├── ThresholdError           a minimum support, k or length that means nothing
    ├── OptionError              an unknown kind, format, method or data set
    └── BudgetError              a limit on patterns or memory that was reached

A message may hold row numbers and counts, never rows or labels: the data is private.
"""


class DiscreetError(Exception):
    """Anything that a caller can mend; ``exit_code`` is what the command line ends with."""

    exit_code = 2


class InputError(DiscreetError, ValueError):
    """A source that cannot be read as what it is said to be."""


class OutputError(DiscreetError, OSError):
    """A result that cannot be written where it was asked for."""


class ThresholdError(DiscreetError, ValueError):
    """A minimum support, k or length that means nothing."""


class OptionError(DiscreetError, ValueError):
    """An unknown kind, format, method or data set."""


class BudgetError(DiscreetError):
    """A limit on patterns or memory that was reached before the work was done."""
