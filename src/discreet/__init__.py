"""Publish patterns, not people."""

from discreet.audit import Audit, audit
from discreet.channels import Channel, Channels, Difference, Exposed
from discreet.checks import Check
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
from discreet.implications import Implication, Implications
from discreet.io import read, read_patterns, write, write_patterns
from discreet.mine import mine
from discreet.patterns import Patterns
from discreet.policy import Policy
from discreet.tradeoff import Tradeoff, tradeoff
from discreet.transactions import Transactions
from discreet.verdict import Verdict

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "BudgetError",
    "Channel",
    "Channels",
    "Check",
    "Difference",
    "DiscreetError",
    "Exposed",
    "Implication",
    "Implications",
    "InconsistencyError",
    "InputError",
    "OptionError",
    "OutputError",
    "Patterns",
    "Policy",
    "ThresholdError",
    "Tradeoff",
    "Transactions",
    "Verdict",
    "audit",
    "detect",
    "mine",
    "read",
    "read_patterns",
    "tradeoff",
    "write",
    "write_patterns",
]
