"""Flags: which lines of a list of itemsets have a support that gives away too much, and what gives it away."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet.data.labels import Itemset
from discreet.data.lattice import add_root
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel, Difference, Term
from discreet.io.label_codes import iterate_codes
from discreet.judging.audit import Audit
from discreet.judging.finding import find_terms
from discreet.judging.verdict import CheckName, Verdict
from discreet.publications.series.changes import Change

SUMS: Final = 1_000
"""Of so many findings, the worst, the sums are followed: each takes a pass over all itemsets."""

Finding: TypeAlias = Channel | Difference | Change


class Signs(NamedTuple):
    """What gives away too much: the check that found it, the worst first, and the sums of the worst.

    Of changes, ``since`` names the places of the older releases that each is one from.
    """

    check: CheckName
    found: Sequence[Finding]
    sums: Sequence[Sequence[Term]]
    since: Sequence[tuple[int, ...]] = ()


def evidence_of(audit: Audit) -> list[Signs]:
    """Return the channels or, where they could not be looked for, the differences; then rests and changes.

    Of each there is something.
    """
    if audit.channels is None:
        check, found = CheckName.DIFFERENCES, list[Finding](audit.differences)
    else:
        check, found = CheckName.CHANNELS, list[Finding](audit.channels.worst())
    listed = add_root(audit.patterns)
    sums = [one.terms(listed) for one in found[:SUMS] if not isinstance(one, Change)]
    every = [Signs(check, found, sums), _rests(audit), _changes(audit)]
    return [evidence for evidence in every if evidence.found]


def _rests(audit: Audit) -> Signs:
    """Return the rests of attributes; a support that is not listed is that of a listed itemset, which is named."""
    listed = add_root(audit.patterns)
    found = [Channel(one.base, one.top, one.high) for one in audit.evidence.remainders]
    sums = [
        [term._replace(itemset=_closest(term.itemset, listed)) for term in one.sum]
        for one in audit.evidence.remainders[:SUMS]
    ]
    return Signs(CheckName.SCHEMA, found, sums)


def _changes(audit: Audit) -> Signs:
    """Return the small changes since each older release, the smallest first; the sums are those of now."""
    pairs = [(change, changes) for changes in audit.changes for change in changes]
    sums = [find_terms(one, changes, audit.patterns, one.after) for one, changes in pairs[:SUMS]]
    return Signs(CheckName.DIFFERENCING, [one for one, _ in pairs], sums, [changes.numbers for _, changes in pairs])


def flagged(audit: Audit, listed: Patterns, every: Iterable[Signs]) -> dict[CheckName, list[int]]:
    """Return the lines, from 0 on, of supports that are to be flagged, by the name of the check that asks for it.

    ``listed`` are the patterns of the audit, in the order of the lines.

    >>> from discreet import audit
    >>> found = audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10)
    >>> flagged(found, found.patterns, evidence_of(found))
    {<CheckName.CHANNELS: 'inference channels'>: [1, 2]}
    """
    supports, policy = listed.supports, audit.policy
    low = (supports > 0) & (supports < policy.k)
    if policy.zeros is not Verdict.RELEASE:
        low |= supports == 0
    found = {
        CheckName.LOW_COUNTS: np.flatnonzero(low).tolist(),
        CheckName.ROUNDING: np.flatnonzero(supports % (policy.round_to or 1)).tolist(),
        **{evidence.check: _lines(_summed(evidence), listed) for evidence in every},
        CheckName.CLASS_DISCLOSURE: _lines(_implied(audit, listed), listed),
    }
    return {check: lines for check, lines in found.items() if lines}


def _lines(itemsets: Iterable[Itemset], listed: Patterns) -> list[int]:
    """Return the lines of those itemsets that have one: the empty itemset, which n tells of, need not be listed."""
    code = {label: number for number, label in enumerate(listed.labels)}
    wanted = {tuple(sorted(code[label] for label in itemset)) for itemset in itemsets}
    every = enumerate(iterate_codes(listed.itemsets))
    return [line for line, itemset in every if tuple(itemset) in wanted] if wanted else []


def _summed(evidence: Signs) -> Iterator[Itemset]:
    """Yield the itemsets whose supports take part in sums: every base; both of a difference; all terms that we have."""
    for one in evidence.found:
        yield one.base
        if isinstance(one, Difference):
            yield one.top
    yield from (term.itemset for terms in evidence.sums for term in terms)


def _implied(audit: Audit, listed: Patterns) -> Iterator[Itemset]:
    """Yield the itemsets whose supports tell the shortest implications: base, and the closest to base with item."""
    for implication in islice(audit.implications or (), SUMS):
        yield implication.base
        yield _closest(implication.base | {implication.item}, listed)


def _closest(itemset: Itemset, listed: Patterns) -> Itemset:
    """Return the listed itemset that the support of an itemset is known by: the closest of those that hold it."""
    code = {label: number for number, label in enumerate(listed.labels)}
    codes = [code[label] for label in itemset]
    met = np.concatenate([[0], np.cumsum(np.isin(listed.items, codes))])[listed.offsets]
    holding = np.flatnonzero(np.diff(met) == len(codes))
    sizes = np.diff(listed.offsets)[holding]
    return frozenset(listed.labelled(int(holding[np.lexsort((sizes, -listed.supports[holding]))[0]])))
