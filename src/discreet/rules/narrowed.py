"""Narrowing: from rules to the least and the most rows that hold each of their itemsets.

A rule A ⇒ B with support s and confidence c says s / sup(A) = c: whole numbers that keep to both intervals are few.
What one rule says of an itemset narrows all others that speak of it, of a part of it or of more (docs/rules.md).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.attack.facts import Facts, Schema, as_schema
from discreet.labels import Itemset, Label, ordered
from discreet.rules.rounding import Interval
from discreet.rules.rule import Limits, Rules

UNKNOWN: Final = 2**62
"""More rows than there are: what is at most said of a number that nothing is said of."""
ROUNDS: Final = 20
"""Often enough: what is not narrowed by then stays wider than it might be, and true."""
TRIED: Final = 1000
"""Supports that a rule may have, up to which each is tried; of more, only the ends are."""

Gaps = Mapping[tuple[Itemset, Itemset], Limits]
"""How many rows hold the first itemset and not all of the second, which holds it."""


class Narrowed(NamedTuple):
    """What rules say: limits of supports, and of the rows that hold an antecedent and not all of its consequent.

    Where no rows can have the rules, ``facts`` is None, and ``flaw`` is an itemset whose support no number can be.
    """

    facts: Facts | None
    gaps: Gaps
    flaw: Itemset | None = None


@dataclass(frozen=True)
class Pair:
    """A rule by the numbers of its antecedent and of both sides together."""

    held: int
    both: int
    confidence: Interval


class Fit(NamedTuple):
    """The least and the most that the antecedent, both sides, and the antecedent without the rest are held by."""

    held: Limits
    both: Limits
    gap: Limits


def narrowed(rules: Rules, *, schema: Schema | None = None) -> Narrowed:
    """Return what rules say of supports, as narrow as rules, parts and wholes make it.

    >>> rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate")
    >>> [(sorted(base), sorted(top), gap) for (base, top), gap in narrowed(rules).gaps.items()]
    [(['a'], ['a', 'b'], (1, 1))]
    """
    itemsets, limits = _said(rules)
    labels = ordered(label for itemset in itemsets for label in itemset)
    code = {label: number for number, label in enumerate(labels)}
    coded = sorted((sorted(code[label] for label in itemset), itemset) for itemset in itemsets)
    place = {itemset: number for number, (_, itemset) in enumerate(coded)}
    offsets = np.cumsum([0, *(len(codes) for codes, _ in coded)], dtype=np.int64)
    items = np.array([item for codes, _ in coded for item in codes], dtype=np.int32)
    low, high = (np.array([limits[itemset][end] for _, itemset in coded], dtype=np.int64) for end in (0, 1))
    pairs = [Pair(place[rule.antecedent], place[rule.both], rule.confidence) for rule in rules]
    flaw = _settle(pairs, offsets, items, low, high, max(1, len(labels)))
    if flaw is not None:
        return Narrowed(None, {}, coded[flaw][1])
    names = [itemset for _, itemset in coded]
    gaps = {(names[pair.held], names[pair.both]): gap for pair, gap in _gaps(pairs, low, high)}
    n = int(high[0]) if rules.n is None else rules.n
    return Narrowed(Facts(offsets, items, low, high, labels, n, schema=as_schema(schema, labels)), gaps)


def settled(facts: Facts) -> Narrowed:
    """Return facts as narrow as their parts and wholes make them; exact ones of a lattice are so already.

    >>> facts = Facts.from_limits([(["a"], 3, 9), (["a", "b"], 4, 9)], n=8)
    >>> settled(facts).facts.low.tolist(), settled(facts).facts.high.tolist()
    ([8, 4, 4], [8, 8, 8])
    """
    if facts.inherited:
        return Narrowed(facts, {})
    low, high = facts.low.copy(), facts.high.copy()
    flaw = _settle([], facts.offsets, facts.items, low, high, max(1, len(facts.labels)))
    if flaw is not None:
        return Narrowed(None, {}, labelled(facts, flaw))
    return Narrowed(replace(facts, low=low, high=high), {})


def _said(rules: Rules) -> tuple[list[Itemset], dict[Itemset, Limits]]:
    """Return all itemsets that rules speak of, the empty one too, and what is said of each directly."""
    rows = (0, UNKNOWN) if rules.n is None else (rules.n, rules.n)
    limits: dict[Itemset, Limits] = {frozenset(): rows}
    for itemset, said in _direct(rules):
        before = limits.get(itemset, (0, rows[1]))
        limits[itemset] = (max(before[0], said[0]), min(before[1], said[1]))
    return list(limits), limits


def _direct(rules: Rules) -> Iterator[tuple[Itemset, Limits]]:
    for rule in rules:
        yield rule.antecedent, (0, UNKNOWN)
        yield rule.both, rule.support
    yield from rules.more


def _settle(
    pairs: Iterable[Pair],
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    many: int,
) -> int | None:
    """Narrow all limits in place until nothing changes; return the number of an itemset that no support fits."""
    trie = kernels.lattice.plant(offsets, items)
    for _ in range(ROUNDS):
        kernels.intervals.narrow(trie, offsets, items, low, high, many)
        wrong = np.flatnonzero(low > high)
        if wrong.size:
            return int(wrong[0])
        changed = False
        for pair in pairs:
            held, both = _limits(low, high, pair.held), _limits(low, high, pair.both)
            fit = fitted(pair.confidence, held, both)
            if fit is None:
                return pair.both
            if (fit.held, fit.both) != (held, both):
                changed = True
                low[pair.held], high[pair.held] = fit.held
                low[pair.both], high[pair.both] = fit.both
        if not changed:
            break
    return None


def _gaps(pairs: Iterable[Pair], low: NDArray[np.int64], high: NDArray[np.int64]) -> Iterator[tuple[Pair, Limits]]:
    for pair in pairs:
        fit = fitted(pair.confidence, _limits(low, high, pair.held), _limits(low, high, pair.both))
        if fit is not None:
            yield pair, fit.gap


def fitted(confidence: Interval, held: Limits, both: Limits) -> Fit | None:
    """Return how the limits of ``held`` and ``both`` narrow if both / held is the confidence; None if nothing fits.

    >>> fitted(Rules.from_rules([(["a"], ["b"], 80, "0.5")], digits=1).rules[0].confidence, (0, 200), (80, 80))
    Fit(held=(146, 177), both=(80, 80), gap=(66, 97))
    """
    held = (max(1, held[0]), held[1])  # nobody reckons the confidence of what nobody holds
    if both[1] - both[0] >= TRIED:
        return _at_ends(confidence, held, both)
    found = [
        (count, *ends)
        for count in range(both[0], both[1] + 1)
        if (ends := _antecedents(confidence, count, held))[0] <= ends[1]
    ]
    if not found:
        return None
    return Fit(
        (min(least for _, least, _ in found), max(most for _, _, most in found)),
        (found[0][0], found[-1][0]),
        (min(least - count for count, least, _ in found), max(most - count for count, _, most in found)),
    )


def _antecedents(confidence: Interval, both: int, held: Limits) -> Limits:
    """Return how many rows may hold the antecedent if ``both`` hold both sides."""
    low, high = confidence.low, confidence.high
    if high > 1:
        least = both
    elif not high:
        return (1, 0) if both or confidence.open else held
    else:
        least = floor(both / high) + 1 if confidence.open else ceil(both / high)
    return max(held[0], least), min(held[1], floor(both / low) if low else UNKNOWN)


def _at_ends(confidence: Interval, held: Limits, both: Limits) -> Fit | None:
    """Return what the ends of intervals say: a little less than each number between them would."""
    fewest, most = _antecedents(confidence, both[0], held)[0], _antecedents(confidence, both[1], held)[1]
    least = max(both[0], ceil(held[0] * confidence.low))
    largest = min(both[1], floor(held[1] * min(confidence.high, Fraction(1))))
    if fewest > most or least > largest:
        return None
    gap = (max(0, fewest - largest), most - least)
    if confidence.low:
        gap = (gap[0], min(gap[1], floor(largest * (1 / confidence.low - 1))))
    return Fit((fewest, most), (least, largest), gap)


def _limits(low: NDArray[np.int64], high: NDArray[np.int64], number: int) -> Limits:
    return int(low[number]), int(high[number])


def labelled(facts: Facts, number: int) -> Itemset:
    """Return a listed itemset by its labels."""
    names: list[Label] = [facts.labels[code] for code in facts.itemset(number)]
    return frozenset(names)
