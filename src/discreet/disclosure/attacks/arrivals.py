"""Arrivals: what follows from the rows that came since an older release, taken as a list of their own.

If rows were only added, the support of an itemset among those that came is the difference of two supports, where both
are known. Neither release need list an itemset J for the differences of its parts to bound it: the supports of J itself
cancel out. So whoever derives supports does so in the list of differences, too (docs/against.md). It is partial:
nothing follows from what it lacks.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from discreet.disclosure.attacks import derive
from discreet.disclosure.attacks.certificate import Bound, Certificate, Claim, Sum
from discreet.disclosure.attacks.derive import Closure, Prover, SearchTask
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.disclosure.attacks.finding import Finding, Searched, Undecided
from discreet.disclosure.attacks.formula import Mark, Pattern

Times: TypeAlias = dict[Codes, Fraction]  # the factor of each support in a sum


def infer(task: SearchTask) -> Searched:
    """Return what is derived from all releases together, and from the rows that came since each older one.

    >>> from discreet import Patterns
    >>> from discreet.disclosure.attacks.joint_releases import join_facts
    >>> old = Patterns.from_itemsets([([], 90), (["a"], 40), (["b"], 45)], n=90)
    >>> new = Patterns.from_itemsets([([], 100), (["a"], 47), (["b"], 54)], n=100)
    >>> facts = join_facts(new, [old], grown=True, complete=False)
    >>> print(infer(SearchTask(facts, k=8)).findings[0].sentence)
    b ∧ ¬a, of the rows that came since, holds for 2 to 3 rows, because sup₁(a) 40 + sup(b) 54 − sup₁(b) 45 − \
sup(a) 47 = 2 and sup₁(a) 40 + n 100 − sup(a) 47 − n₁ 90 = 3 bound it
    """
    searched, closure = derive.search(task)
    if closure is None:
        return searched
    findings, undecided, prover = list(searched.findings), list(searched.undecided), Prover(closure)
    for mark, facts in _list_arrivals(task.facts, closure):
        came, _ = derive.search(task._replace(facts=facts, rows=None))
        undecided += came.undecided
        for at, finding in enumerate(came.findings):
            if not task.seconds:
                undecided.append(Undecided(len(came.findings) - at, "findings", "the time was up"))
                break
            findings.append(Finding(_translate(finding.certificate, mark, prover), "derive", task.facts))
    return Searched(findings, undecided, searched.derived)


def _list_arrivals(facts: Facts, closure: Closure) -> Iterator[tuple[int, Facts]]:
    """Yield the mark of each older release, and what is known of the rows that came since."""
    marks = [code for code, label in enumerate(facts.labels) if isinstance(label, Mark)]
    nodes = closure.nodes
    for mark in marks:  # an itemset with this mark alone is a child of the same one without it
        both = np.flatnonzero((nodes.lasts == mark) & (nodes.lasts[nodes.parents] < marks[0]))
        itemsets = nodes.parents[both]
        came = nodes.supports[itemsets] - nodes.supports[both]
        order = np.argsort(itemsets)  # the empty itemset comes first
        came, listed = came[order], closure.itemsets.take(itemsets[order])
        known = Facts(listed, came, came, facts.labels[: marks[0]], int(came[0]), inherited=True, schema=facts.schema)
        if known.n:
            yield mark, known


def _translate(certificate: Certificate, mark: int, prover: Prover) -> Certificate:
    """Return the certificate of a finding about the rows without a mark, from one about these rows alone.

    The sums of its lemmas are put in for the supports that they bound. Then each support is a difference.
    """
    bounds: dict[Codes, tuple[Times, Times]] = {}
    for lemma in certificate.lemmas:
        bounds[lemma.pattern.over] = _spell_out(lemma, bounds)
    claim = certificate.claim
    lower, upper = (
        {itemset | since: (-times if since else times) for itemset, times in total.items() for since in (set(), {mark})}
        for total in _spell_out(claim, bounds)
    )
    pattern = Pattern(claim.pattern.over | {mark}, claim.pattern.cells)
    sums = (Sum(tuple((itemset, times) for itemset, times in total.items() if times)) for total in (lower, upper))
    return Certificate(Claim(pattern, claim.low, claim.high, *sums), prover.list_lemmas(lower.keys() | upper.keys()))


def _spell_out(claim: Claim, bounds: dict[Codes, tuple[Times, Times]]) -> tuple[Times, Times]:
    """Return the sums that bound a claim from below and from above, with ``bounds`` put in for what is not listed."""
    lower, upper = Times(), Times()
    for bound, sign, total in ((claim.lower, 1, lower), (claim.upper, -1, upper)):
        for itemset, factor in _list_terms(bound, claim.pattern, sign).items():
            known = bounds.get(itemset)
            spelled = {itemset: Fraction(1)} if known is None else known[sign * factor < 0]
            for one, times in spelled.items():
                total[one] = total.get(one, Fraction(0)) + factor * times
    return lower, upper


def _list_terms(bound: Bound, pattern: Pattern, sign: int) -> Times:
    """Return the factor of each support in a bound, those included that a schema makes 0."""
    if isinstance(bound, Sum):
        return bound.add_up()
    own, beside = pattern.multipliers(), Pattern(pattern.over, bound.beside).multipliers()
    return {one: Fraction(own.get(one, 0) - sign * beside.get(one, 0)) for one in own.keys() | beside.keys()}
