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
    QueryError,
    ThresholdError,
)
from discreet.folder import write_release
from discreet.hide import Hidden, Sensitive, Streamed, hide, hide_file
from discreet.hide.compare import HidingComparison, compare_hiding
from discreet.hide.folder import write_hidden
from discreet.hide.measures import Hiding
from discreet.implications import Implication, Implications
from discreet.inverted import InvertedFile, Plan
from discreet.io import read, read_patterns, read_sensitive, rewrite, scan, write, write_patterns
from discreet.measure import Distortion
from discreet.merged import Merged
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
    "Hidden",
    "Hiding",
    "HidingComparison",
    "Implication",
    "Implications",
    "InconsistencyError",
    "InputError",
    "InvertedFile",
    "Merged",
    "OptionError",
    "OutputError",
    "Patterns",
    "Plan",
    "Policy",
    "Proof",
    "QueryError",
    "Release",
    "Sensitive",
    "Streamed",
    "ThresholdError",
    "Tradeoff",
    "Transactions",
    "Verdict",
    "Verification",
    "audit",
    "block",
    "compare",
    "compare_hiding",
    "detect",
    "hide",
    "hide_file",
    "mine",
    "read",
    "read_patterns",
    "read_sensitive",
    "rewrite",
    "scan",
    "tradeoff",
    "verify",
    "write",
    "write_hidden",
    "write_patterns",
    "write_release",
]
