"""Judging: the audit of any data by a rule, kept for the next request with the same one."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict

import discreet
from discreet import Audit, Counts, Patterns, Transactions
from discreet.data.thresholds import Threshold
from discreet.judging.checks import MAKE_SAFE
from discreet.web.context import Context
from discreet.web.loading import Holding
from discreet.web.messages import on_page, say_on_page

FIX: Final = "Fix tries several remedies and shows what each costs."


class Rule(TypedDict, total=False):
    """What would be published, and how it is judged."""

    min_support: Threshold
    k: int
    policy: str
    max_length: int
    leave_out: list[str]
    older: list[dict[str, Any]]
    grown: bool


FOR_ALL: Final = frozenset(("k", "policy"))
TAKEN: Final[Mapping[type, frozenset[str]]] = {
    Transactions: frozenset(Rule.__annotations__),
    Patterns: frozenset(Rule.__annotations__) - {"min_support"},
    Counts: FOR_ALL | {"older", "grown"},
}
"""The settings that mean something to each kind of data; others are passed over."""


def judge(context: Context, rule: Rule) -> Audit:
    """Return the audit of the data; settings that mean nothing to it are passed over."""
    value = context.load().value
    asked = list_settings(value, rule)

    def make() -> Audit:
        older = context.older(asked.pop("older", []))
        if older:
            asked["against"] = [one.candidate for one in older]
        else:
            asked.pop("grown", None)
        match value:
            case Transactions():
                return discreet.audit(value, **asked, **context.budget("auditing"))
            case Counts():
                context.stage("deciding")
                return discreet.audit(value, **asked, progress=context.advance)
        context.stage("auditing")
        return discreet.audit(value, **asked)

    key = tuple((name, repr(one)) for name, one in sorted(asked.items()))
    return context.cache.get("audit", (context.data.id, key), make)


def list_settings(value: Holding, rule: Rule) -> dict[str, Any]:
    """Return the settings that mean something to what is judged."""
    return {name: one for name, one in rule.items() if name in TAKEN.get(type(value), FOR_ALL)}


def describe_verdict(judged: Audit) -> dict[str, Any]:
    """Return the verdict on anything, and what it comes from, as JSON."""
    return {
        "verdict": judged.verdict.name,
        "sentence": judged.sentence,
        "what": judged.what,
        "k": judged.k,
        "checks": [
            {**check._asdict(), "verdict": check.verdict.name, "sentence": say_on_page(check.sentence)}
            for check in judged.checks
        ],
        "warnings": judged.warnings,
        "guarantee": judged.promise or None,
        "advice": FIX if judged.advice == MAKE_SAFE else judged.advice.say(on_page) or None,
    }
