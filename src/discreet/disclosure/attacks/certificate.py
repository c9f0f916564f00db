"""Certificates: why limits hold, in sums of published supports; checked by code that neither derives nor solves."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.disclosure.attacks.facts import Codes, Facts, Limits, Relation
from discreet.disclosure.attacks.formula import Pattern
from discreet.disclosure.channels import find_cell_terms
from discreet.errors import BudgetError, GuaranteeError

LONGEST: Final = 22
"""Most items in the sums of one claim: the check visits all sets of them."""
SPELLED: Final = 16
"""Most supports to spell out in a sum; longer sums leave out terms that cancel out."""
MOST_TERMS: Final = 1 << 16
"""Most supports of a sum."""
_LARGEST: Final = 2**62


@dataclass(frozen=True, slots=True)
class Cells:
    """The pattern's own sum of supports, and other cells over its items; no cell has a negative count.

    A lower limit is the sum of the pattern minus these cells, an upper one the sum of both. Without cells it is the
    inclusion–exclusion of the pattern; with one, a rule of Calders and Goethals (*Non-derivable itemset mining*, 2007).
    """

    beside: frozenset[Codes] = frozenset()


@dataclass(frozen=True, slots=True)
class Sum:
    """A weighted sum of supports that bounds the pattern for every possible row.

    A row adds the factors of the itemsets that it holds: at most 1 if it matches the pattern, else at most 0 (for an
    upper limit: at least). ``within`` are itemsets with known supports: a row in an empty cell of one of them is
    impossible. ``relations`` of the facts count like supports.
    """

    terms: tuple[tuple[Codes, Fraction], ...] = ()
    within: tuple[Codes, ...] = ()
    relations: tuple[tuple[Relation, Fraction], ...] = ()


Bound: TypeAlias = Cells | Sum
NOTHING: Final = Sum()
"""The bound of a lower limit of 0."""


@dataclass(frozen=True, slots=True)
class Claim:
    """From ``low`` to ``high`` rows match the pattern, by the sums ``lower`` and ``upper``."""

    pattern: Pattern
    low: int
    high: int
    lower: Bound
    upper: Bound


@dataclass(frozen=True, slots=True)
class Certificate:
    """A claim, and the lemmas it rests on; each lemma rests on published facts and earlier lemmas."""

    claim: Claim
    lemmas: Sequence[Claim] = ()


def check(facts: Facts, certificates: Iterable[Certificate]) -> None:
    """Return if each certificate proves its claim from the facts; else raise a GuaranteeError.

    The check uses whole numbers and fractions, no solver. A lemma that several certificates share is checked once.

    >>> from discreet import Patterns
    >>> facts = Facts.of(Patterns.from_itemsets([([], 9), (["a"], 5), (["b"], 4), (["a", "b"], 4)], n=9))
    >>> sum_of_supports = Cells()
    >>> claim = Claim(Pattern.conjunction([0], [1]), 1, 1, sum_of_supports, sum_of_supports)
    >>> check(facts, [Certificate(claim)])
    """
    checker = _Checker(facts)
    for certificate in certificates:
        for claim in (*certificate.lemmas, certificate.claim):
            checker.take(claim)


def proves(facts: Facts, certificate: Certificate) -> bool:
    """Return whether a certificate proves its claim from the facts."""
    try:
        check(facts, [certificate])
    except GuaranteeError:
        return False
    return True


class _Checker:
    """The proven claims, the limits of itemsets, and the possible cells of tops."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.proven: set[Claim] = set()
        self.limits: dict[Codes, Limits] = {}
        self.possible: dict[Codes, NDArray[np.bool_]] = {}

    def take(self, claim: Claim) -> None:
        """Check a claim and note it as proven, or refuse it."""
        if claim in self.proven:
            return
        # A support is a whole number: above 3/2 it is at least 2.
        low = max(0, ceil(self._value(claim.lower, claim.pattern, sign=1)))
        high = floor(-self._value(claim.upper, claim.pattern, sign=-1))
        if not claim.low <= low <= high <= claim.high:
            raise GuaranteeError(
                f"a certificate claims from {claim.low} to {claim.high} rows, but its sums prove from {low} to {high}; "
                "it is no proof"
            )
        self.proven.add(claim)
        if claim.pattern.is_itemset:
            least, most = self.known(claim.pattern.over)
            self.limits[claim.pattern.over] = max(least, claim.low), min(most, claim.high)

    def known(self, itemset: Codes) -> Limits:
        """Return the proven limits of an itemset, or those of the facts."""
        found = self.limits.get(itemset)
        if found is None:
            found = self.limits[itemset] = self.facts.limits(itemset)
        return found

    def _value(self, bound: Bound, pattern: Pattern, *, sign: int) -> Fraction:
        """Return the least value of ``sign`` times a sum, after checking that it bounds ``sign`` times the pattern."""
        total = Fraction(0)
        if isinstance(bound, Cells):
            times: Mapping[Codes, int | Fraction] = sum_cells(bound, pattern, sign, self.facts)
        else:
            times = add_terms(bound)
            self._check_rows(bound, spell_out(bound), pattern, sign)
            total += sum((self._related(relation, sign * factor) for relation, factor in bound.relations), Fraction(0))
        for itemset, factor in times.items():
            total += sign * factor * self.known(itemset)[0 if sign * factor > 0 else 1]
        return total

    def _related(self, relation: Relation, factor: Fraction) -> Fraction:
        """Return the least value of a relation of the facts, times a factor."""
        if factor < 0 or relation not in self.facts.relations:
            raise GuaranteeError("a certificate stands on what the facts do not say of supports; it is no proof")
        return factor * relation.least

    def _check_rows(self, bound: Sum, times: Mapping[Codes, Fraction], pattern: Pattern, sign: int) -> None:
        """Refuse a sum in which some possible row counts for more than the pattern allows, or with -1 for less."""
        items = sorted(pattern.over.union(*times, *bound.within))
        _check_length(len(items))
        scale = lcm(*(factor.denominator for factor in times.values()))
        whole = {_map(itemset, items): int(sign * factor * scale) for itemset, factor in times.items()}
        if sum(map(abs, whole.values())) + scale > _LARGEST:
            raise BudgetError("a certificate has multipliers beyond 64 bits; it cannot be checked")
        counted = np.zeros(1 << len(items), dtype=np.int64)
        counted[list(whole)] = list(whole.values())
        for bit in range(len(items)):
            halves = counted.reshape(-1, 2, 1 << bit)
            halves[:, 1] += halves[:, 0]
        rows = np.arange(counted.size)
        said = sign * scale * np.isin(rows & _map(pattern.over, items), [_map(cell, items) for cell in pattern.cells])
        wrong = counted > said
        for top in bound.within:
            wrong &= self._possible(top)[_project(rows, [items.index(item) for item in sorted(top)])]
        if wrong.any():
            raise GuaranteeError(
                f"a certificate has a sum that {np.count_nonzero(wrong):,} possible rows do not keep; it is no proof"
            )

    def _possible(self, top: Codes) -> NDArray[np.bool_]:
        """Return which cells of ``top`` may hold rows, from exact supports alone."""
        if top not in self.possible:
            _check_length(len(top))
            low, high = self.facts.table(top)
            if not np.array_equal(low, high):
                raise GuaranteeError("a certificate stands on supports that are not known exactly; it is no proof")
            cells = low.copy()
            for bit in range(len(top)):
                halves = cells.reshape(-1, 2, 1 << bit)
                halves[:, 0] -= halves[:, 1]
            self.possible[top] = cells != 0
        return self.possible[top]


def sum_cells(bound: Cells, pattern: Pattern, sign: int, facts: Facts) -> dict[Codes, int]:
    """Return the terms of a pattern's support minus those of other cells, or with -1 the sum of both.

    A cell that lacks m items has 2 ** m terms; within a listed itemset at most as many as there are closed itemsets.
    """
    if not all(cell <= pattern.over for cell in bound.beside):
        raise GuaranteeError("a certificate has a cell that is none of its pattern's items; it is no proof")
    if is_too_long(bound, pattern, facts):
        many = count_terms(bound, pattern)
        raise BudgetError(f"a certificate has a sum of {many:,} supports, of which {MOST_TERMS:,} is the limit")
    is_short = _is_short(bound, pattern, facts)
    times: dict[Codes, int] = {}
    for cell, sense in (*((cell, 1) for cell in pattern.cells), *((cell, -sign) for cell in bound.beside)):
        own = _closed(cell, pattern.over, facts) if is_short else Pattern(pattern.over, frozenset([cell])).multipliers()
        for itemset, factor in own.items():
            times[itemset] = times.get(itemset, 0) + sense * factor
    # No row holds an itemset that the schema excludes.
    return {itemset: factor for itemset, factor in times.items() if factor and not facts.excludes(itemset)}


def count_terms(bound: Cells, pattern: Pattern) -> int:
    """Return the number of terms of that sum before any cancel out."""
    return sum(1 << len(pattern.over - cell) for cell in (*pattern.cells, *bound.beside))


def is_too_long(bound: Cells, pattern: Pattern, facts: Facts) -> bool:
    """Return whether that sum has too many terms."""
    return count_terms(bound, pattern) > MOST_TERMS and not _is_short(bound, pattern, facts)


def _is_short(bound: Cells, pattern: Pattern, facts: Facts) -> bool:
    """Return whether closed itemsets give all its supports in fewer terms; unlisted itemsets must have support 0."""
    is_determined = facts.inherited and (facts.absent == 0 or facts.is_below(pattern.over))
    return is_determined and not facts.excludes(pattern.over) and count_terms(bound, pattern) > SPELLED


def _closed(cell: Codes, over: Codes, facts: Facts) -> dict[Codes, int]:
    """Return the factors of closed itemsets in the sum of a cell."""
    terms = find_cell_terms(facts.itemsets.weigh(facts.low), cell, over)
    return {facts.itemset(number): factor for factor, number, _ in terms}


def itemsets_of(certificate: Certificate, facts: Facts) -> Iterator[Codes]:
    """Yield the itemsets whose supports a certificate uses, published or not."""
    for claim in (*certificate.lemmas, certificate.claim):
        for bound, sign in ((claim.lower, 1), (claim.upper, -1)):
            if isinstance(bound, Cells):
                yield from sum_cells(bound, claim.pattern, sign, facts)
            else:
                yield from spell_out(bound)
                yield from bound.within


def add_terms(bound: Sum) -> dict[Codes, Fraction]:
    """Return the total factor of each itemset in a sum."""
    times: dict[Codes, Fraction] = {}
    for itemset, factor in bound.terms:
        times[itemset] = times.get(itemset, Fraction(0)) + Fraction(factor)
    return times


def spell_out(bound: Sum) -> dict[Codes, Fraction]:
    """Return the total factor of each itemset in a sum, its relations included."""
    spelled = ((one, factor * times) for relation, factor in bound.relations for one, times in relation.times)
    return add_terms(Sum((*bound.terms, *spelled)))


def _check_length(length: int) -> None:
    if length > LONGEST:
        raise BudgetError(f"a certificate speaks of {length} items at once, of which {LONGEST} is the limit")


def _map(itemset: Codes, items: list[int]) -> int:
    """Return an itemset with a bit for each of ``items``."""
    return sum(1 << bit for bit, item in enumerate(items) if item in itemset)


def _project(rows: NDArray[np.int64], bits: list[int]) -> NDArray[np.int64]:
    """Return the given bits of each row, as the lowest ones."""
    found = np.zeros_like(rows)
    for place, bit in enumerate(bits):
        found |= (rows >> bit & 1) << place
    return found
