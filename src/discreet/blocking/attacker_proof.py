"""Against: blocking that goes on until an attacker who infers more than channels finds nothing either."""

from dataclasses import replace
from itertools import count
from typing import Final

import numpy as np

from discreet.blocking import add, suppress, withhold
from discreet.blocking.findings import holding, inferred, merged
from discreet.blocking.problem import NOBODY, NONE, Answer, Problem
from discreet.blocking.suppress import without
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.merged import Merged
from discreet.disclosure.attacks.certificate import itemsets_of
from discreet.disclosure.attacks.facts import Codes
from discreet.disclosure.attacks.finding import Finding
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import GuaranteeError
from discreet.mining.mine import mine

ROUNDS: Final = 16
"""Rounds in which rows are added for what is inferred."""


def suppressed(problem: Problem) -> Answer:
    """Return an answer by suppressing rows: those that channels single out, and then those of what else is inferred.

    Each round that finds something takes out a row at least, since what is inferred holds in the rows: it ends.
    """
    rows, numbers = problem.merged
    is_left = np.ones(rows.weights.size, dtype=np.bool_)
    left, rounds = problem.patterns, 0
    while True:
        part = np.flatnonzero(is_left)
        plain = suppress.answer(replace(problem, rows=merged(problem, rows.take(part)), patterns=left))
        is_left[part[plain.suppressed]] = False
        left, rounds = plain.patterns, rounds + (plain.rounds or 0) + 1
        findings = inferred(problem, left, rows.take(np.flatnonzero(is_left)))
        if not findings:
            return Answer(left, np.flatnonzero(~is_left[numbers]), NONE, rounds=rounds)
        hit = np.flatnonzero(is_left & holding(rows, [finding.pattern for finding in findings]))
        if not hit.size:
            raise GuaranteeError("no row is left of which something is inferred; nothing is released: please report it")
        is_left[hit] = False
        left = without(left, rows.take(hit))


def added(problem: Problem) -> Answer:
    """Return an answer by adding k rows for each channel, and for whatever else is inferred, where that is allowed.

    A row that is added must be a frequent itemset, or others would become frequent (Theorem A2 of docs/guarantee.md);
    where what is inferred speaks of rows that are none, those are suppressed instead. So are they after some rounds:
    what is inferred of 1 to k − 1 rows holds for none that was added, since those come in k, so it takes out a row of
    before, and ends.
    """
    rows, numbers = problem.merged
    is_left = np.ones(rows.weights.size, dtype=np.bool_)
    left, more = problem.patterns, NONE
    for turn in count():
        plain = add.answer(replace(problem, rows=Merged(NONE, left.labels, left.n, problem.least), patterns=left))
        more = Weighted.concat([more, plain.added])
        every = Weighted.concat([rows.take(np.flatnonzero(is_left)), more])
        findings = inferred(problem, plain.patterns, every)
        if not findings:
            return Answer(plain.patterns, np.flatnonzero(~is_left[numbers]), more)
        bases = [_base(finding, problem.least) if turn < ROUNDS else None for finding in findings]
        more = Weighted.concat([more, _copies({base for base in bases if base is not None}, problem.k)])
        rare = [finding.pattern for finding, base in zip(findings, bases, strict=True) if base is None]
        is_left &= ~holding(rows, rare)
        # A row that was no closed itemset is one now: what is kept up would lack it.
        every = Weighted.concat([rows.take(np.flatnonzero(is_left)), more])
        left = mine(merged(problem, every), min_support=problem.least, threads=problem.threads)
    raise AssertionError


def withheld(problem: Problem) -> Answer:
    """Return an answer by withholding itemsets: those of too small cells, and then those that inferences stand on.

    Of each inference, that is the longest itemset in its sums, and with it all that hold it: what is published goes on
    to have all parts of each itemset, and as each round takes one out, it ends.
    """
    rows, _ = problem.merged
    patterns = withhold.answer(problem).patterns
    while findings := inferred(problem, patterns, rows, is_whole=False):
        longest = [Pattern.conjunction(_longest(finding)) for finding in findings]
        patterns = patterns.take(np.flatnonzero(~holding(patterns.itemsets, longest)))
    return Answer(patterns, NOBODY, NONE, is_whole=False)


def _longest(finding: Finding) -> Codes:
    """Return the longest itemset with a published support in the sums that prove a finding; of several, the last."""
    used = itemsets_of(finding.certificate, finding.facts)
    published = (itemset for itemset in used if itemset in finding.facts.listed)
    return max(published, key=lambda itemset: (len(itemset), sorted(itemset)))


def _base(finding: Finding, least: int) -> Codes | None:
    """Return the first cell of what is inferred that is a frequent itemset; None if no cell is."""
    cells = sorted(finding.pattern.cells, key=lambda cell: (len(cell), sorted(cell)))
    return next((cell for cell in cells if finding.facts.limits(cell)[0] >= least), None)


def _copies(bases: set[Codes], k: int) -> Weighted:
    """Return k rows of each itemset, in dictionary order."""
    itemsets = sorted(map(sorted, bases))
    return Itemsets.of(itemsets).weigh(np.full(len(itemsets), k, dtype=np.int64))
