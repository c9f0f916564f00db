"""Attacks as text and JSON: what follows about fewer than k rows, why, and from which assumptions."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from textwrap import wrap
from typing import Any, Final

from discreet.data.itemsets import Label
from discreet.disclosure.attacks.attack import ATTACKERS, Bounds
from discreet.disclosure.attacks.certificate import Bound, CellSum, Claim
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.disclosure.attacks.finding import Attack
from discreet.disclosure.attacks.formula import Mark
from discreet.judging.checks import WIDTH
from discreet.report.findings import Source
from discreet.report.json import document, encoded
from discreet.runtime.text import count_of, printable

SHOWN: Final = 20
ACYCLIC: Final = (
    "The maximal itemsets are acyclic: an attacker who does not use that missing itemsets are rare infers channels and "
    "nothing else, whatever they can do."
)


def attack_text(
    attack: Attack, *, source: Source | None = None, against: Sequence[Source] = (), shown: int | None = SHOWN
) -> Iterator[str]:
    """Yield an attack in lines: the findings, why, what is undecided, and what the attacker is assumed to know.

    >>> from discreet import Patterns
    >>> from discreet.disclosure.attacks.attack import attack
    >>> listed = {"": 9, "a": 5, "b": 7, "c": 5, "ab": 3, "ac": 3, "bc": 3}
    >>> patterns = Patterns.from_itemsets(((list(row), many) for row, many in listed.items()), n=9, min_support=3)
    >>> print(*list(attack_text(attack(patterns, k=2, level="derive")))[:3], sep=chr(10))
    1 inference about fewer than 2 rows, by an attacker who adds and subtracts supports, and derives
    those that are not listed.
    <BLANKLINE>
    """
    many, who = len(attack.findings), ATTACKERS[attack.level].who
    olds = "".join(f" and {old.file}" for old in against)
    file = f"{source.file}{olds}: " if source else ""
    found = count_of(many, "inference") if many else "nothing is inferred"
    yield from wrap(printable(f"{file}{found} about fewer than {attack.k:,} rows, by an attacker {who}."), WIDTH)
    yield ""
    for finding in attack.findings[:shown]:
        yield from wrap(printable(finding.sentence), WIDTH, initial_indent="  - ", subsequent_indent="    ")
    if shown is not None and many > shown:
        yield f"  … and {many - shown:,} more; a pipe, --out or --json gets all of them."
    yield from ("",) * bool(many)
    if attack.level == "exact" and attack.is_safe and attack.k > 1:
        few = f"1 to {attack.k - 1:,} rows"
        promise = f"No pattern of AND, OR and NOT over the published items holds for {few} in every database that fits."
        yield from wrap(promise, WIDTH)
    for undecided in attack.undecided:
        yield from wrap(f"Undecided, so not safe: {undecided}.", WIDTH)
    if attack.derived:
        derived = count_of(len(attack.derived), "support")
        yield from wrap(f"{derived} that are not listed can be derived from the listed ones.", WIDTH)
    yield from wrap(f"They are assumed to know {'; '.join(attack.assumptions)}.", WIDTH)
    if attack.is_acyclic:
        yield from wrap(ACYCLIC, WIDTH)


def attack_json(attack: Attack, *, source: Source | None = None, against: Sequence[Source] = ()) -> Iterator[bytes]:
    """Yield an attack as JSON, each finding with the certificate that proves it."""
    facts = attack.facts
    head = {
        "k": attack.k,
        "n": facts.n,
        "level": attack.level,
        "is_safe": attack.is_safe,
        "complete": facts.absent is not None,
        "absent": facts.absent,
        "max_length": facts.max_length,
        "schema": [_named(group, facts.labels) for group in facts.schema],
        "undecided": [undecided._asdict() for undecided in attack.undecided],
        "derived": 0 if attack.derived is None else len(attack.derived),
        "is_acyclic": attack.is_acyclic,
        "input": source._asdict() if source else None,
        **_beside(facts, against),
    }
    entries = (
        {
            **_claim(finding.certificate.claim, facts.labels),
            "level": finding.level,
            "sentence": finding.sentence,
            "lemmas": [_claim(lemma, facts.labels) for lemma in finding.certificate.lemmas],
        }
        for finding in attack.findings
    )
    yield from document("attack", head, {"findings": map(encoded, entries)})


def bounds_text(found: Bounds) -> Iterator[str]:
    """Yield in lines for how many rows a pattern holds, and why.

    >>> from discreet import Patterns, bounds
    >>> patterns = Patterns.from_itemsets([([], 9), (["a"], 6), (["b"], 5)], n=9, min_support=5)
    >>> print(*bounds_text(bounds(patterns, "a & b")), sep=chr(10))
    sup(ab) is from 2 to 4, because sup(a) 6 + sup(b) 5 − n 9 = 2, and at most 4 rows hold what is not
    published.
    """
    tight = "" if found.is_tight else " Other items, or whole numbers, may narrow it down."
    yield from wrap(printable(f"{found.sentence}.{tight}"), WIDTH)


def bounds_json(found: Bounds, *, source: Source | None = None, against: Sequence[Source] = ()) -> Iterator[bytes]:
    """Yield for how many rows a pattern holds as JSON, with the certificate that proves it."""
    labels = found.facts.labels
    head = {
        "n": found.facts.n,
        "pattern": found.pattern.words(labels),
        "low": found.low,
        "high": found.high,
        "is_tight": found.is_tight,
        "sentence": found.sentence,
        "input": source._asdict() if source else None,
        **_beside(found.facts, against),
        "certificate": _claim(found.certificate.claim, labels),
    }
    lemmas = (encoded(_claim(lemma, labels)) for lemma in found.certificate.lemmas)
    yield from document("bounds", head, {"lemmas": lemmas})


def _beside(facts: Facts, against: Sequence[Source]) -> dict[str, Any]:
    """Return the older releases and the items that stand for them, each with its number from 1 on; nothing without."""
    marks = [
        {
            "item": str(label),
            "release": label.number,
            "n": facts.limits(frozenset([code]))[0],
            "absent": dict(facts.absent_with).get(code, facts.absent),
        }
        for code, label in enumerate(facts.labels)
        if isinstance(label, Mark)
    ]
    olds = [old._asdict() for old in against]
    return {name: facts for name, facts in (("against", olds), ("marks", marks)) if facts}


def _claim(claim: Claim, labels: tuple[Label, ...]) -> dict[str, Any]:
    return {
        "pattern": claim.pattern.words(labels),
        "over": _named(claim.pattern.over, labels),
        "cells": _name_cells(claim.pattern.cells, labels),
        "low": claim.low,
        "high": claim.high,
        "lower": _bound(claim.lower, labels),
        "upper": _bound(claim.upper, labels),
    }


def _name_cells(cells: Iterable[Codes], labels: tuple[Label, ...]) -> list[list[str]]:
    return [_named(cell, labels) for cell in sorted(cells, key=lambda cell: (len(cell), sorted(cell)))]


def _bound(bound: Bound, labels: tuple[Label, ...]) -> dict[str, Any]:
    """Return the grounds of a bound: cells beside the pattern's own sum, or multipliers of supports."""
    if isinstance(bound, CellSum):
        return {"beside": _name_cells(bound.beside, labels)}
    relations = [
        {"times": _fraction(times), "terms": _name_terms(relation.times, labels), "least": relation.least}
        for relation, times in bound.relations
    ]
    terms = {"terms": _name_terms(bound.terms, labels), "within": [_named(top, labels) for top in bound.within]}
    return terms | ({"relations": relations} if relations else {})


def _name_terms(terms: Iterable[tuple[Codes, Fraction | int]], labels: tuple[Label, ...]) -> list[dict[str, Any]]:
    return [{"times": _fraction(times), "items": _named(itemset, labels)} for itemset, times in terms]


def _fraction(number: Fraction | int) -> int | str:
    return int(number) if number.denominator == 1 else str(number)


def _named(itemset: Codes, labels: tuple[Label, ...]) -> list[str]:
    return [str(labels[item]) for item in sorted(itemset)]
