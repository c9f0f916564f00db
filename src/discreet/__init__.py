"""Publish patterns, not people."""

from discreet.errors import BudgetError, DiscreetError, InputError, OptionError, OutputError, ThresholdError
from discreet.io import read, read_patterns, write, write_patterns
from discreet.mine import mine
from discreet.patterns import Patterns
from discreet.transactions import Transactions

__version__ = "0.1.0"

__all__ = [
    "BudgetError",
    "DiscreetError",
    "InputError",
    "OptionError",
    "OutputError",
    "Patterns",
    "ThresholdError",
    "Transactions",
    "mine",
    "read",
    "read_patterns",
    "write",
    "write_patterns",
]
