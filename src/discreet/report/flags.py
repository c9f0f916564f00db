"""Flags: which lines of a list of itemsets have a support that gives away too much, and what gives it away."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet.audit import Audit
from discreet.channels import Channel, Difference, Term
from discreet.family import with_root
from discreet.io.coding import ragged
from discreet.labels import Itemset
from discreet.patterns import Patterns
from discreet.verdict import Verdict

SUMS: Final = 1_000
"""Of so many findings, the worst, the sums are followed: each takes a pass over all itemsets."""

Finding: TypeAlias = Channel | Difference


class Evidence(NamedTuple):
    """What gives away too much: the check that found it, the worst first, and the sums of the worst."""

    check: str
    found: Sequence[Finding]
    sums: Sequence[Sequence[Term]]


def evidence_of(audit: Audit) -> Evidence:
    """Return the channels or, where they could not be looked for, the differences."""
    if audit.channels is None:
        check, found = "differences", list[Finding](audit.differences)
    else:
        check, found = "inference channels", list[Finding](audit.channels.worst())
    listed = with_root(audit.patterns)
    return Evidence(check, found, [one.terms(listed) for one in found[:SUMS]])


def flagged(audit: Audit, listed: Patterns, evidence: Evidence) -> dict[str, list[int]]:
    """Return the lines, from 0 on, of supports that are to be flagged, by the name of the check that asks for it.

    ``listed`` are the patterns of the audit, in the order of the lines.

    >>> from discreet import audit
    >>> found = audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10)
    >>> flagged(found, found.patterns, evidence_of(found))
    {'inference channels': [1, 2]}
    """
    supports, policy = listed.supports, audit.policy
    low = (supports > 0) & (supports < policy.k)
    if policy.zeros is not Verdict.RELEASE:
        low |= supports == 0
    found = {
        "low counts": np.flatnonzero(low).tolist(),
        "rounding": np.flatnonzero(supports % (policy.round_to or 1)).tolist(),
        evidence.check: _lines(_summed(evidence), listed),
        "class disclosure": _lines(_implied(audit, listed), listed),
    }
    return {check: lines for check, lines in found.items() if lines}


def _lines(itemsets: Iterable[Itemset], listed: Patterns) -> list[int]:
    """Return the lines of those itemsets that have one: the empty itemset, which n tells of, need not be listed."""
    code = {label: number for number, label in enumerate(listed.labels)}
    wanted = {tuple(sorted(code[label] for label in itemset)) for itemset in itemsets}
    every = enumerate(ragged(listed.offsets, listed.items))
    return [line for line, itemset in every if tuple(itemset) in wanted] if wanted else []


def _summed(evidence: Evidence) -> Iterator[Itemset]:
    """Yield the itemsets whose supports take part in sums: every base; both of a difference; all terms that we have."""
    for one in evidence.found:
        yield one.base
        if isinstance(one, Difference):
            yield one.top
    yield from (term.itemset for terms in evidence.sums for term in terms)


def _implied(audit: Audit, listed: Patterns) -> Iterator[Itemset]:
    """Yield the itemsets whose supports tell the shortest implications: base, and the closest to base with item."""
    code = {label: number for number, label in enumerate(listed.labels)}
    sizes = np.diff(listed.offsets)
    for implication in islice(audit.implications or (), SUMS):
        yield implication.base
        codes = [code[label] for label in (*implication.base, implication.item)]
        met = np.concatenate([[0], np.cumsum(np.isin(listed.items, codes))])[listed.offsets]
        holding = np.flatnonzero(np.diff(met) == len(codes))
        yield frozenset(listed.labelled(int(holding[np.lexsort((sizes[holding], -listed.supports[holding]))[0]])))
