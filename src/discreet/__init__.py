"""Publish patterns, not people."""

from discreet.audit import Audit, audit
from discreet.block import Comparison, block, compare
from discreet.channels import Channel, Channels, Difference, Exposed
from discreet.checks import Check
from discreet.detect import detect
from discreet.errors import (
    BudgetError,
    DiscreetError,
    GuaranteeError,
    InconsistencyError,
    InputError,
    OptionError,
    OutputError,
    ThresholdError,
)
from discreet.folder import write_release
from discreet.implications import Implication, Implications
from discreet.io import read, read_patterns, write, write_patterns
from discreet.measure import Distortion
from discreet.mine import mine
from discreet.patterns import Patterns
from discreet.policy import Policy
from discreet.release import Proof, Release
from discreet.tradeoff import Tradeoff, tradeoff
from discreet.transactions import Transactions
from discreet.verdict import Verdict
from discreet.verify import Verification, verify

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "BudgetError",
    "Channel",
    "Channels",
    "Check",
    "Comparison",
    "Difference",
    "DiscreetError",
    "Distortion",
    "Exposed",
    "GuaranteeError",
    "Implication",
    "Implications",
    "InconsistencyError",
    "InputError",
    "OptionError",
    "OutputError",
    "Patterns",
    "Policy",
    "Proof",
    "Release",
    "ThresholdError",
    "Tradeoff",
    "Transactions",
    "Verdict",
    "Verification",
    "audit",
    "block",
    "compare",
    "detect",
    "mine",
    "read",
    "read_patterns",
    "tradeoff",
    "verify",
    "write",
    "write_patterns",
    "write_release",
]
