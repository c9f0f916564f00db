"""Sums of supports within limits that surely reveal 1 to k − 1 rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from discreet import kernels
from discreet.data.itemsets import Itemset, sort_labels
from discreet.disclosure.attacks.facts import Codes, Facts, Limits
from discreet.disclosure.channels import Term, as_text, format_sum
from discreet.publications.rules.intervals import format_limits
from discreet.publications.rules.propagate import Gaps, name_itemset
from discreet.publications.rules.rule import Announced

MOST: Final = 100_000  # most differences to list
TRIED: Final = 10_000_000  # most pairs of itemsets to try for absent itemsets


@dataclass(frozen=True, slots=True)
class Bounded:
    """From ``low`` to ``high`` rows hold all items of ``base`` and lack an item of each itemset of ``lacked``.

    The ``terms`` are the supports of the sum, with their limits, and ``times`` are their coefficients; without them,
    the others are subtracted from the first.

    >>> terms = ((frozenset("a"), (81, 82)), (frozenset("abc"), (80, 80)))
    >>> finding = Bounded(frozenset("a"), (frozenset("bc"),), 1, 2, terms)
    >>> print(finding, finding.explain(), sep=chr(10))
    a ∧ ¬(b ∧ c): 1 to 2 rows
    sup(a) 81 to 82 − sup(abc) 80 = 1 to 2
    """

    base: Itemset
    lacked: tuple[Itemset, ...]
    low: int
    high: int
    terms: tuple[tuple[Itemset, Limits], ...]
    times: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.pattern}: {format_limits(self.low, self.high)} row{'s' * (self.high != 1)}"

    @property
    def top(self) -> Itemset:
        """All items of the finding."""
        return self.base.union(*self.lacked)

    @property
    def pattern(self) -> str:
        """The items these rows hold, and the itemsets they lack an item of."""
        lacks = [(len(lacked), " ∧ ".join(map(str, sort_labels(lacked)))) for lacked in self.lacked]
        parts = sorted(f"¬({part})" if size > 1 else f"¬{part}" for size, part in lacks)
        return " ∧ ".join([*map(str, sort_labels(self.base)), *parts])

    @property
    def sum(self) -> list[Term]:
        """The terms of the sum, with their lower limits."""
        times = self.times or [1, *(-1 for _ in self.terms[1:])]
        return [Term(often, itemset, low) for often, (itemset, (low, _)) in zip(times, self.terms, strict=True)]

    def explain(self) -> str:
        """Return the sum of supports that reveals their number."""
        texts = [f"sup({as_text(itemset)}) {format_limits(*limits)}" for itemset, limits in self.terms]
        return f"{format_sum(self.sum, texts)} = {format_limits(self.low, self.high)}"


def find_differences(facts: Facts, gaps: Gaps, k: int) -> list[Bounded]:
    """Return the itemsets and supersets whose supports surely differ by 1 to k − 1 rows, the worst first.

    >>> facts = Facts.from_limits([(["a"], 50, 52), (["a", "b"], 48, 49)], n=100)
    >>> print(*find_differences(facts, {}, 10))
    a ∧ ¬b: 1 to 4 rows
    """
    trie = kernels.inversion.plant(facts.offsets, facts.items)
    pairs = kernels.closure.find_gaps(
        trie, facts.offsets, facts.items, facts.low, facts.high, max(1, len(facts.labels)), k, MOST
    )
    lows, highs = facts.low.tolist(), facts.high.tolist()
    differences = {
        (name_itemset(facts, base), name_itemset(facts, top)): (lows[base] - highs[top], highs[base] - lows[top])
        for base, top in pairs.tolist()
    }
    for pair, (low, high) in gaps.items():
        if low > 0 and high < k:
            before = differences.get(pair, (low, high))
            differences[pair] = (max(low, before[0]), min(high, before[1]))
    codes = {itemset: frozenset(facts.code[label] for label in itemset) for pair in differences for itemset in pair}
    return sort_worst(
        Bounded(base, (top - base,), *gap, tuple((one, facts.listed[codes[one]]) for one in (base, top)))
        for (base, top), gap in differences.items()
    )


def find_absences(facts: Facts, k: int, announced: Announced | None = None) -> list[Bounded]:
    """Return what absent itemsets reveal: if X ∪ a is not listed, at most ``absent`` rows hold it.

    The other rows of X hold X ∧ ¬a, and at most as many as hold Z ∧ ¬a, for any part Z of X. For rules, the
    ``announced`` thresholds limit the rows of an itemset that is in none of them.

    >>> facts = Facts.from_limits([(["b"], 4, 5), (["c"], 12, 13)], n=13, absent=3)
    >>> [(str(one), one.explain()) for one in find_absences(facts, 2)]
    [('b ∧ ¬c: 1 row', 'sup(b) 4 to 5 − sup(bc) 0 to 3 = 1')]
    """
    absent = facts.absent if announced is None else announced.least - 1
    if absent is None:
        return []
    listed = facts.listed
    above = [itemset for itemset, (low, _) in listed.items() if low > absent]
    near = [
        (itemset - {item}, item, most)
        for itemset, (low, _) in listed.items()
        for item in itemset
        if itemset - {item} in listed and (most := listed[itemset - {item}][1] - low) < k
    ]
    if len(near) * len(above) > TRIED:
        return []
    highs: dict[tuple[Codes, int], int] = {}
    for part, item, most in near:
        for itemset in above:
            if part <= itemset and item not in itemset and itemset | {item} not in listed:
                highs[itemset, item] = min(most, highs.get((itemset, item), listed[itemset][1]))
    findings = []
    for (itemset, item), high in highs.items():
        whole = itemset | {item}
        largest = facts.limits(whole)[1] if announced is None else announced.most(facts, whole)
        if 0 < (low := listed[itemset][0] - largest) <= high:
            base, lacked = frozenset(facts.labels[code] for code in itemset), frozenset([facts.labels[item]])
            terms = ((base, facts.limits(itemset)), (base | lacked, (0, largest)))
            findings.append(Bounded(base, (lacked,), low, high, terms))
    return sort_worst(findings)


def sort_worst(findings: Iterable[Bounded]) -> list[Bounded]:
    """Sort findings: the fewest rows first, then the fewest items, then by their words."""
    return sorted(findings, key=lambda one: (one.high, one.low, len(one.base) + len(one.lacked), one.pattern))
