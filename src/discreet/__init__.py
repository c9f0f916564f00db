"""Publish patterns, not people."""

from discreet.attack import attack
from discreet.attack.bounds import Bounds, bounds
from discreet.attack.facts import Facts
from discreet.attack.finding import Attack, Finding
from discreet.audit import Audit, audit
from discreet.block import Comparison, block, compare
from discreet.changes import Change, Changes
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
from discreet.folder import verify, write_release
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
from discreet.rules import Bounded, FactsAudit, Rule, Rules, read_facts, read_rules
from discreet.tradeoff import Tradeoff, tradeoff
from discreet.transactions import Transactions
from discreet.trees import Leaves, TreeAudit, read_tree, write_tree
from discreet.verdict import Verdict
from discreet.verify import Verification

__version__ = "0.1.0"

__all__ = [
    "Attack",
    "Audit",
    "Bounded",
    "Bounds",
    "BudgetError",
    "Change",
    "Changes",
    "Channel",
    "Channels",
    "Check",
    "Comparison",
    "Difference",
    "DiscreetError",
    "Distortion",
    "Exposed",
    "Facts",
    "FactsAudit",
    "Finding",
    "GuaranteeError",
    "Hidden",
    "Hiding",
    "HidingComparison",
    "Implication",
    "Implications",
    "InconsistencyError",
    "InputError",
    "InvertedFile",
    "Leaves",
    "Merged",
    "OptionError",
    "OutputError",
    "Patterns",
    "Plan",
    "Policy",
    "Proof",
    "QueryError",
    "Release",
    "Rule",
    "Rules",
    "Sensitive",
    "Streamed",
    "ThresholdError",
    "Tradeoff",
    "Transactions",
    "TreeAudit",
    "Verdict",
    "Verification",
    "attack",
    "audit",
    "block",
    "bounds",
    "compare",
    "compare_hiding",
    "detect",
    "hide",
    "hide_file",
    "mine",
    "read",
    "read_facts",
    "read_patterns",
    "read_rules",
    "read_sensitive",
    "read_tree",
    "rewrite",
    "scan",
    "tradeoff",
    "verify",
    "write",
    "write_hidden",
    "write_patterns",
    "write_release",
    "write_tree",
]
