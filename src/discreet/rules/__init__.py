"""Rules and other publications: supports that are known only within limits, and what they give away."""

from discreet.rules.bounded import Bounded
from discreet.rules.judged import FactsAudit
from discreet.rules.reading import read_rules
from discreet.rules.rule import Rule, Rules
from discreet.rules.supports import read_facts

__all__ = ["Bounded", "FactsAudit", "Rule", "Rules", "read_facts", "read_rules"]
