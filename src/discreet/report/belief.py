"""Beliefs as text and JSON: how probable small groups are, under which prior, and that it is no proof."""

from collections.abc import Iterator
from textwrap import wrap

from discreet.disclosure.beliefs.result import SHOWN, Belief
from discreet.judging.checks import WIDTH
from discreet.publications.counts.believed import CellBelief
from discreet.report.findings import Source
from discreet.report.json import document, encoded
from discreet.runtime.text import printable


def belief_text(
    found: Belief | CellBelief, *, source: Source | None = None, shown: int | None = SHOWN
) -> Iterator[str]:
    """Yield a belief in lines: the patterns or cells, the prior, that it is no proof, and what was left out.

    >>> from discreet import belief, mine
    >>> rows = ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"]
    >>> print(*belief_text(belief(mine([list(row) for row in rows], min_support=3), k=2)), sep=chr(10))
    1 pattern may hold for 1 row with a probability of 1 % or more.
      1.000  a ∧ b ∧ c (counted; 1.0 rows expected)
    Prior entropy: all lists of rows that fit are equally likely; that unlisted itemsets are rare is
    used.
    This is no proof: it depends on the prior.
    Looked at: 5 patterns.
    """
    if source is not None:
        yield from wrap(printable(f"{source.file}:"), WIDTH)
    for line in found.lines(shown):
        indent = " " * (len(line) - len(line.lstrip()))
        yield from wrap(printable(line.strip()), WIDTH, initial_indent=indent, subsequent_indent=3 * indent)


def belief_json(found: Belief | CellBelief, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield a belief as JSON."""
    facts, name = found.facts(), "cells" if isinstance(found, CellBelief) else "patterns"
    listed = map(encoded, facts.pop(name))
    yield from document("belief", {**facts, "input": source._asdict() if source else None}, {name: listed})
