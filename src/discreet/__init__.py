"""Publish patterns, not people."""

from discreet.blocking.advise import Advice, advise
from discreet.blocking.block import block, compare
from discreet.blocking.comparison import Comparison
from discreet.blocking.costs import Costs, Shift
from discreet.blocking.distortion import Distortion
from discreet.blocking.folder import verify, write_release
from discreet.blocking.problem import Proof
from discreet.blocking.release import Release
from discreet.blocking.verify_result import Verification
from discreet.data.counts import Counts
from discreet.data.hierarchy import Hierarchy
from discreet.data.patterns import Patterns
from discreet.data.reading import Reading
from discreet.data.schema import Attribute, Schema
from discreet.data.transactions import Merged, Transactions
from discreet.disclosure.attacks.attack import Bounds, attack, bounds
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.finding import Attack, Finding
from discreet.disclosure.attacks.suspicion import Suspected, Suspicion
from discreet.disclosure.beliefs.result import Belief, Believed
from discreet.disclosure.channels import Channel, Channels, Difference, Exposed
from discreet.disclosure.detect import detect
from discreet.disclosure.implications import Implication, Implications
from discreet.disclosure.people import PeopleCell, PeopleCells
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
    TruthError,
)
from discreet.hiding.comparison import HidingComparison, compare_hiding
from discreet.hiding.folder import write_hidden
from discreet.hiding.hide import Hidden, hide
from discreet.hiding.inconspicuous import Disguise
from discreet.hiding.measures import Hiding
from discreet.hiding.problem import Sensitive
from discreet.hiding.stream import hide_file
from discreet.io.formats.sensitive import read_sensitive
from discreet.io.inverted import InvertedFile
from discreet.io.inverted_plan import Plan
from discreet.io.read import read, read_patterns, write, write_patterns
from discreet.io.read_counts import read_counts
from discreet.io.rewrite import rewrite
from discreet.io.scan import scan
from discreet.io.write_counts import write_counts
from discreet.judging.audit import Audit, audit
from discreet.judging.policy import Check, Policy, Verdict
from discreet.judging.tradeoff import Tradeoff, tradeoff
from discreet.mining.mine import mine
from discreet.publications.belief import belief
from discreet.publications.counts.believed import BelievedCell, CellBelief
from discreet.publications.rules.bounded import Bounded
from discreet.publications.rules.reading import read_facts, read_rules
from discreet.publications.rules.rule import Rule, Rules
from discreet.publications.series import Change, Changes
from discreet.publications.trees.json import write_tree
from discreet.publications.trees.leaves import Leaves
from discreet.publications.trees.reading import read_tree

__version__ = "0.1.0"

__all__ = [
    "Advice",
    "Attack",
    "Attribute",
    "Audit",
    "Belief",
    "Believed",
    "BelievedCell",
    "Bounded",
    "Bounds",
    "BudgetError",
    "CellBelief",
    "Change",
    "Changes",
    "Channel",
    "Channels",
    "Check",
    "Comparison",
    "Costs",
    "Counts",
    "Difference",
    "DiscreetError",
    "Disguise",
    "Distortion",
    "Exposed",
    "Facts",
    "Finding",
    "GuaranteeError",
    "Hidden",
    "Hiding",
    "HidingComparison",
    "Hierarchy",
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
    "PeopleCell",
    "PeopleCells",
    "Plan",
    "Policy",
    "Proof",
    "QueryError",
    "Reading",
    "Release",
    "Rule",
    "Rules",
    "Schema",
    "Sensitive",
    "Shift",
    "Suspected",
    "Suspicion",
    "ThresholdError",
    "Tradeoff",
    "Transactions",
    "TruthError",
    "Verdict",
    "Verification",
    "advise",
    "attack",
    "audit",
    "belief",
    "block",
    "bounds",
    "compare",
    "compare_hiding",
    "detect",
    "hide",
    "hide_file",
    "mine",
    "read",
    "read_counts",
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
    "write_counts",
    "write_hidden",
    "write_patterns",
    "write_release",
    "write_tree",
]


def __dir__() -> list[str]:
    """Return the public names, not the rooms; ``discreet.report`` and the like can be imported as before."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
