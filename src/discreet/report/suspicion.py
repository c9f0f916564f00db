"""Suspicions as text and JSON: which itemsets of shared rows look hidden, and how well that guesses hidden ones."""

from collections.abc import Iterator
from textwrap import wrap

from discreet.disclosure.attacks.suspicion import SHOWN, Suspicion
from discreet.judging.checks import WIDTH
from discreet.report.findings import Source
from discreet.report.json import document, encoded
from discreet.runtime.text import printable


def suspicion_text(found: Suspicion, *, source: Source | None = None, shown: int | None = SHOWN) -> Iterator[str]:
    """Yield a suspicion in lines: the most surprising itemsets of each length, and the ranks of hidden ones.

    >>> from discreet import attack
    >>> shared = [["bread"], ["milk"], ["tea"], ["bread", "tea"], ["milk", "tea"], []] * 10
    >>> print(*suspicion_text(attack(shared), shown=1), sep=chr(10))
    3 itemsets of 60 rows looked at: those that their parts lead one to expect in 5 rows or more.
    Rarer than expected, of 3 itemsets of 2 items:
      1  bread, milk: 0 rows, 6.7 expected
    This is no proof: rows may lack an itemset for reasons of their own.
    """
    if source is not None:
        yield from wrap(printable(f"{source.file}:"), WIDTH)
    for line in found.lines(shown):
        indent = " " * (len(line) - len(line.lstrip()))
        yield from wrap(printable(line.strip()), WIDTH, initial_indent=indent, subsequent_indent=3 * indent)


def suspicion_json(found: Suspicion, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield a suspicion as JSON."""
    facts = found.facts()
    itemsets = map(encoded, facts.pop("itemsets"))
    yield from document("suspicion", {**facts, "input": source._asdict() if source else None}, {"itemsets": itemsets})
