"""Notes on rules: what is not told, what is missing by what was announced, and what was not read."""

from collections.abc import Iterator
from typing import Final

from discreet.judging.checks import Check
from discreet.judging.verdict import Verdict
from discreet.publications.rules.propagate import Narrowed
from discreet.publications.rules.rule import Rules
from discreet.runtime.text import count_of

SHOWN: Final = 8
"""Columns that are named at most."""
LONGEST: Final = 40
"""Characters of their names."""


def notes(rules: Rules, found: Narrowed) -> Iterator[Check]:
    """Yield what is to be said of rules besides what their numbers tell.

    >>> from discreet.publications.rules.propagate import narrowed
    >>> rules = Rules.from_rules([(["a"], ["b"], None, 0.8)], min_confidence=0.6)
    >>> [(note.name, note.verdict.name) for note in notes(rules, narrowed(rules))]
    [('supports', 'REVIEW'), ('absent rules', 'RELEASE')]
    """
    yield from _not_told(rules)
    yield from _missing(found)
    yield from _not_read(rules)


def _not_told(rules: Rules) -> Iterator[Check]:
    """Judge that supports are not told, so that confidences alone have to tell what counts are."""
    untold = sum(rule.support is None for rule in rules)
    if untold and untold == len(rules) and rules.n is None and not rules.more:
        sentence = "Neither supports nor the number of rows are told, so confidences bound no count from above."
        yield Check("supports", Verdict.REVIEW, untold, sentence)
    elif untold:
        sentence = f"{count_of(untold, 'rule')} without a support, of which confidences tell limits."
        yield Check("supports", Verdict.REVIEW, untold, sentence)


def _missing(found: Narrowed) -> Iterator[Check]:
    """Say how many rules are missing, by what was announced; those that were not followed are for people to judge."""
    if found.announced is None:
        return
    many, share = len(found.absent.rules), f"{float(100 * found.announced.share):g}%"
    if found.absent.is_all:
        sentence = f"{count_of(many, 'rule')} not listed, so that their confidence is below the announced {share}."
        yield Check("absent rules", Verdict.RELEASE, many, sentence)
    else:
        sentence = f"More than {many:,} rules not listed, though {share} was announced: only so many were followed."
        yield Check("absent rules", Verdict.REVIEW, many, sentence)


def _not_read(rules: Rules) -> Iterator[Check]:
    """Name the columns that were not read: whoever judges the table has to look at them."""
    if rules.unused:
        names = ", ".join(name[:LONGEST] for name in rules.unused[:SHOWN]) + ", …" * (len(rules.unused) > SHOWN)
        sentence = f"{count_of(len(rules.unused), 'column')} not read, look what they tell: {names}."
        yield Check("columns", Verdict.RELEASE, len(rules.unused), sentence)
