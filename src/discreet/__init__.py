"""Publish patterns, not people."""

from discreet.channels import Channel, Channels, Exposed
from discreet.detect import detect
from discreet.errors import (
    BudgetError,
    DiscreetError,
    InconsistencyError,
    InputError,
    OptionError,
    OutputError,
    ThresholdError,
)
from discreet.io import read, read_patterns, write, write_patterns
from discreet.mine import mine
from discreet.patterns import Patterns
from discreet.transactions import Transactions

__version__ = "0.1.0"

__all__ = [
    "BudgetError",
    "Channel",
    "Channels",
    "DiscreetError",
    "Exposed",
    "InconsistencyError",
    "InputError",
    "OptionError",
    "OutputError",
    "Patterns",
    "ThresholdError",
    "Transactions",
    "detect",
    "mine",
    "read",
    "read_patterns",
    "write",
    "write_patterns",
]
