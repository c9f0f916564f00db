"""Belief: how sure a reader may be of small groups where nothing is certain, beside the verdict."""

from typing import Any, Unpack

import discreet
from discreet import InputError
from discreet.disclosure.beliefs.result import NO_PROOF
from discreet.disclosure.beliefs.tables import PRIORS
from discreet.runtime.text import printable
from discreet.web.context import Context
from discreet.web.handlers.attack import SECONDS
from discreet.web.handlers.judging import Rule, judge
from discreet.web.messages import show_itemset


def belief(context: Context, *, seconds: float = SECONDS, **rule: Unpack[Rule]) -> dict[str, Any]:
    """Return the groups that a reader who bets would call small, the likeliest first."""
    judged, loaded = judge(context, rule), context.load()
    if loaded.holds not in {"rows", "patterns", "rules"}:
        raise InputError("a reader who bets is tried on itemsets and rules; for tables of counts use discreet belief")
    known = judged.patterns if judged.facts is None else judged.facts
    older = [one.older.patterns for one in context.older(rule.get("older", []))]
    grown = bool(older) and rule.get("grown", False)
    with context.timed("weighing", seconds):
        found = discreet.belief(known, k=judged.k, against=older, grown=grown, seconds=seconds)
    return {
        "k": judged.k,
        "findings": [
            {
                "has": show_itemset(one.held),
                "lacks": [[item] for item in show_itemset(one.lacked)],
                "belief": one.shown,
                "expected": f"{one.expected:.1f}",
            }
            for one in found.patterns
        ],
        "prior": PRIORS[found.prior],
        "note": NO_PROOF,
        "left_out": [printable(str(one)) for one in found.left_out],
    }
