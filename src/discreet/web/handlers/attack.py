"""Attack: readers who can do more than subtract, tried on what would be published."""

from typing import Any, Final, Unpack

import discreet
from discreet import InputError
from discreet import report as reports
from discreet.disclosure.attacks.attack import ATTACKERS
from discreet.disclosure.attacks.finding import Finding, Level, Undecided
from discreet.disclosure.attacks.formula import Mark
from discreet.runtime.text import printable
from discreet.web.context import Context, list_files
from discreet.web.handlers.judging import Rule, judge
from discreet.web.messages import cut_sum, show_itemset

SECONDS: Final = 20.0
MOST: Final = 200  # findings that are listed
PLAIN: Final = "plain"  # the level of what an audit finds as well


def attack(
    context: Context, *, level: Level = "linear", seconds: float = SECONDS, **rule: Unpack[Rule]
) -> dict[str, Any]:
    """Try a stronger reader; each finding has the steps that prove it, and a file has all certificates."""
    judged, loaded = judge(context, rule), context.load()
    if loaded.holds not in {"rows", "patterns", "rules"}:
        raise InputError(
            "stronger readers are tried on itemsets and rules; tables and trees are judged in full already"
        )
    facts = judged.patterns if judged.facts is None else judged.facts
    older = [one.older.patterns for one in context.older(rule.get("older", []))]
    grown = bool(older) and rule.get("grown", False)
    with context.timed("reading as they would", seconds):
        found = discreet.attack(
            facts, k=judged.k, level=level, rows=judged.rows, against=older, grown=grown, seconds=seconds
        )
    path = context.file("certificates.DO-NOT-RELEASE.json")
    path.write_bytes(b"".join(reports.attack_json(found, source=loaded.source)))
    return {
        "level": level,
        "who": ATTACKERS[level].who,
        "is_safe": found.is_safe,
        "k": judged.k,
        "total": len(found.findings),
        "new": sum(one.level != PLAIN for one in found.findings),
        "undecided": [_say_undecided(one) for one in found.undecided],
        "assumptions": [printable(one) for one in found.assumptions],
        "is_acyclic": found.is_acyclic,
        "findings": [
            {
                "pattern": cut_sum(one.pattern.words(found.facts.labels)),
                **_items(one),
                "low": one.low,
                "high": one.high,
                "level": one.level,
                "is_new": one.level != PLAIN,
                "sentence": cut_sum(one.sentence),
                "steps": [cut_sum(step) for step in one.steps()],
            }
            for one in sorted(found.findings, key=_rank)[:MOST]
        ],
        "files": list_files(path),
    }


def _rank(finding: Finding) -> tuple[bool, int, int]:
    """Return the place of a finding: what an audit does not find comes first, then the smallest."""
    return finding.level == PLAIN, finding.high, finding.low


def _say_undecided(one: Undecided) -> str:
    return printable(f"{one.many:,} {one.what} {'was' if one.many == 1 else 'were'} not decided: {one.why}")


def _items(finding: Finding) -> dict[str, Any]:
    """Return the items that a finding's rows have and lack, if it is about one combination of one release."""
    pattern, labels = finding.pattern, finding.facts.labels
    if len(pattern.cells) != 1 or any(isinstance(labels[item], Mark) for item in pattern.over):
        return {"has": [], "lacks": []}
    (cell,) = pattern.cells
    return {
        "has": show_itemset(labels[item] for item in cell),
        "lacks": [[item] for item in show_itemset(labels[item] for item in pattern.over - cell)],
    }
