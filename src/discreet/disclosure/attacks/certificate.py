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

LONGEST: Final = 22  # items in the sums of one claim: the check visits all sets of them
SPELLED: Final = 16  # supports to spell out in a sum; longer sums leave out terms that cancel out
MOST_TERMS: Final = 1 << 16  # supports of a sum
_LARGEST: Final = 2**62


@dataclass(frozen=True, slots=True)
class CellSum:
    """The pattern's own sum of supports, and other cells over its items; no cell has a negative count.

    A lower limit is the sum of the pattern minus these cells, an upper one the sum of both. Without cells it is the
    inclusion–exclusion of the pattern; with one, a rule of Calders and Goethals (*Non-derivable itemset mining*, 2007).
    """

    beside: frozenset[Codes] = frozenset()

    def add_up(self, pattern: Pattern, sign: int, facts: Facts) -> dict[Codes, int]:
        """Return the factor of each support in the lower limit, or with a ``sign`` of -1 in the upper one.

        A cell that lacks m items has 2 ** m terms; within a listed itemset at most as many as there are closed ones.
        """
        if not all(cell <= pattern.over for cell in self.beside):
            raise GuaranteeError("a certificate has a cell that is none of its pattern's items; it is no proof")
        if self.is_too_long(pattern, facts):
            many = self.count_terms(pattern)
            raise BudgetError(f"a certificate has a sum of {many:,} supports, of which {MOST_TERMS:,} is the limit")
        is_short, listed = self._is_short(pattern, facts), facts.itemsets.weigh(facts.low)
        times: dict[Codes, int] = {}
        for cell, sense in (*((cell, 1) for cell in pattern.cells), *((cell, -sign) for cell in self.beside)):
            if is_short:
                terms = find_cell_terms(listed, cell, pattern.over)
                own = {facts.itemset(number): factor for factor, number, _ in terms}
            else:
                own = Pattern(pattern.over, frozenset([cell])).multipliers()
            for itemset, factor in own.items():
                times[itemset] = times.get(itemset, 0) + sense * factor
        # No row holds an itemset that the schema excludes.
        return {itemset: factor for itemset, factor in times.items() if factor and not facts.excludes(itemset)}

    def count_terms(self, pattern: Pattern) -> int:
        """Return the number of terms before any cancel out."""
        return sum(1 << len(pattern.over - cell) for cell in (*pattern.cells, *self.beside))

    def is_too_long(self, pattern: Pattern, facts: Facts) -> bool:
        """Return whether there are too many terms."""
        return self.count_terms(pattern) > MOST_TERMS and not self._is_short(pattern, facts)

    def _is_short(self, pattern: Pattern, facts: Facts) -> bool:
        """Return whether closed itemsets give all supports in fewer terms; unlisted itemsets must have support 0."""
        is_long = self.count_terms(pattern) > SPELLED
        return is_long and not facts.excludes(pattern.over) and facts.determines(pattern.over)


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

    def add_up(self) -> dict[Codes, Fraction]:
        """Return the factor of each support, without the relations."""
        times: dict[Codes, Fraction] = {}
        for itemset, factor in self.terms:
            times[itemset] = times.get(itemset, Fraction(0)) + Fraction(factor)
        return times

    def spell_out(self) -> dict[Codes, Fraction]:
        """Return the factor of each support, with those of the relations."""
        spelled = ((one, factor * times) for relation, factor in self.relations for one, times in relation.times)
        return Sum((*self.terms, *spelled)).add_up()


Bound: TypeAlias = CellSum | Sum
NOTHING: Final = Sum()  # the bound of a lower limit of 0


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
    >>> claim = Claim(Pattern.conjunction([0], [1]), 1, 1, CellSum(), CellSum())
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
        if itemset not in self.limits:
            self.limits[itemset] = self.facts.limits(itemset)
        return self.limits[itemset]

    def _value(self, bound: Bound, pattern: Pattern, *, sign: int) -> Fraction:
        """Return the least value of ``sign`` times a sum, after checking that it bounds ``sign`` times the pattern."""
        total, times = Fraction(0), dict[Codes, int | Fraction]()
        if isinstance(bound, CellSum):
            times |= bound.add_up(pattern, sign, self.facts)
        else:
            times |= bound.add_up()
            self._check_rows(bound, bound.spell_out(), pattern, sign)
            total += sum((self._value_relation(one, sign * factor) for one, factor in bound.relations), Fraction(0))
        for itemset, factor in times.items():
            total += sign * factor * self.known(itemset)[0 if sign * factor > 0 else 1]
        return total

    def _value_relation(self, relation: Relation, factor: Fraction) -> Fraction:
        """Return the least value of a relation of the facts, times a factor."""
        if factor < 0 or relation not in self.facts.relations:
            raise GuaranteeError("a certificate stands on a relation that the facts do not state; it is no proof")
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
            cells = sum((rows >> items.index(item) & 1) << place for place, item in enumerate(sorted(top)))
            wrong &= self._find_possible(top)[cells]
        if wrong.any():
            raise GuaranteeError(
                f"a certificate has a sum that {np.count_nonzero(wrong):,} possible rows do not keep; it is no proof"
            )

    def _find_possible(self, top: Codes) -> NDArray[np.bool_]:
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


def itemsets_of(certificate: Certificate, facts: Facts) -> Iterator[Codes]:
    """Yield the itemsets whose supports a certificate uses, published or not."""
    for claim in (*certificate.lemmas, certificate.claim):
        for bound, sign in ((claim.lower, 1), (claim.upper, -1)):
            if isinstance(bound, CellSum):
                yield from bound.add_up(claim.pattern, sign, facts)
            else:
                yield from bound.spell_out()
                yield from bound.within


def _check_length(length: int) -> None:
    if length > LONGEST:
        raise BudgetError(f"a certificate speaks of {length} items at once, of which {LONGEST} is the limit")


def _map(itemset: Codes, items: list[int]) -> int:
    """Return an itemset with a bit for each of ``items``."""
    return sum(1 << bit for bit, item in enumerate(items) if item in itemset)
