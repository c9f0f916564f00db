"""Derive: what follows about itemsets that are not published from the supports of all their subsets.

For each itemset J whose proper subsets are all known, published or derived, a Boolean pattern over J is inferred to
hold for 1 to k − 1 rows if and only if one cell does, whatever the support of J may be, or two cells together do
(docs/guarantee.md, Theorem A3).

What counts as one finding: a J that is not published, and a cell over it that is inferred to hold 1 to k − 1 rows, that
is a conjunction which says of every item of J that rows hold it, or that they do not. So a person whom one cell over J
singles out is found again over each larger J that is derived: all of these tell more about the same person. Besides,
each J counts once more if two cells that differ in three items or more hold 1 to k − 1 rows together.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, cached_property
from typing import Final, NamedTuple, overload

from discreet import kernels
from discreet.disclosure.attacks.certificate import NOTHING, Bound, Cells, Certificate, Claim, Sum
from discreet.disclosure.attacks.closure import Budget, Closure, close
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.disclosure.attacks.finding import Finding, Searched, Undecided
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError

INEXACT: Final = "their supports are not exact, which the level derive cannot use"


def infer(facts: Facts, k: int, budget: Budget) -> Searched:
    """Return what is inferred about 1 to k − 1 rows from the supports of subsets, beyond the published itemsets.

    >>> from discreet import mine
    >>> rows = [["b"], ["b"], ["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"], ["b", "c"], ["b", "c"], ["a", "b", "c"]]
    >>> print(infer(Facts.of(mine(rows, min_support=3)), 2, Budget()).findings[0].sentence)
    sup(abc) is 1, because sup(ab) 3 + sup(ac) 3 − sup(a) 5 = 1 and sup(ab) 3 + sup(ac) 3 + sup(bc) 3 + n 9 − \
sup(a) 5 − sup(b) 7 − sup(c) 5 = 1 bound it
    """
    undecided = []
    inexact = int((facts.low != facts.high).sum())
    if inexact:
        undecided.append(Undecided(inexact, "itemsets", INEXACT))
    if facts.low[0] != facts.high[0]:
        return Searched([], undecided)
    try:
        closure = close(facts, k, budget)
    except BudgetError:
        why = f"it tells the supports of more than {budget.itemsets:,} itemsets, and nothing beyond was looked at"
        return Searched([], [*undecided, Undecided(1, "publication", why)])
    if closure.gap:
        many, length, why = closure.gap
        undecided.append(Undecided(many, f"itemsets of {length} items and what holds them", why))
    if closure.many > len(closure.found):
        undecided.append(Undecided(closure.many - len(closure.found), "findings", "so many are not listed"))
    return Searched(_findings(facts, closure), undecided, closure.derived)


def _findings(facts: Facts, closure: Closure) -> list[Finding]:
    """Return the findings, those over fewer items first."""
    prover = _Prover(closure)
    lines = [_Line(*line) for line in closure.found.tolist()]
    sets = [[*closure.items(line.prefix), line.last] for line in lines]
    order = sorted(range(len(lines)), key=lambda at: (len(sets[at]), sets[at], lines[at].kind, lines[at].even))
    return [Finding(prover.certificate(lines[at], sets[at]), "derive", facts) for at in order]


class _Line(NamedTuple):
    """A finding as the kernel notes it."""

    prefix: int
    last: int
    low: int
    high: int
    below: int
    above: int
    kind: int
    even: int
    odd: int
    least: int
    most: int


class _Lemmas(Sequence[Claim]):
    """The claims that another one stands on, made when they are first looked at: there may be very many findings."""

    def __init__(self, make: Callable[[], tuple[Claim, ...]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[Claim, ...]:
        return self._make()

    @overload
    def __getitem__(self, number: int) -> Claim: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Claim]: ...

    def __getitem__(self, number: int | slice) -> Claim | Sequence[Claim]:
        return self._made[number]

    def __len__(self) -> int:
        return len(self._made)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._made == tuple(other)

    def __hash__(self) -> int:
        return hash(self._made)

    def __repr__(self) -> str:
        return repr(self._made)


class _Prover:
    """Makes the claims about itemsets that are not published; sets of these are numbers, with a bit for each."""

    def __init__(self, closure: Closure) -> None:
        self.closure = closure
        self._claim = cache(self._made)
        self._needed = cache(self._need)

    def certificate(self, line: _Line, items: list[int]) -> Certificate:
        """Return the certificate of a finding over some items."""
        top = frozenset(items)
        cells = frozenset(_cell(bits, items) for bits in (line.even, line.odd) if bits >= 0)
        if cells == {top}:
            own = _limited(items, (line.low, line.high), (line.below, line.above))
            return Certificate(own, _Lemmas(lambda: self._claims(self._under(items, (line.below, line.above)))))
        claim = Claim(Pattern(top, cells), line.least, line.most, Cells(), Cells())
        return Certificate(claim, _Lemmas(lambda: self._lemmas(line, items)))

    def _lemmas(self, line: _Line, items: list[int]) -> tuple[Claim, ...]:
        """Return what the sum of the cells of a finding takes that is not published."""
        used = self._under(items, (line.even, line.odd))
        if line.kind == kernels.derive.PARITY:  # the support of all items together cancels out
            return self._claims(used)
        reasons = (line.below, line.above)
        return (*self._claims(used | self._under(items, reasons)), _limited(items, (line.low, line.high), reasons))

    def _claims(self, nodes: int) -> tuple[Claim, ...]:
        """Return the claims of some itemsets, the shorter ones first."""
        found = []
        while nodes:
            lowest = nodes & -nodes
            found.append(self._claim(self.closure.published + lowest.bit_length() - 1))
            nodes ^= lowest
        return tuple(found)

    def _made(self, node: int) -> Claim:
        support = int(self.closure.trie.supports[node])
        return _limited(self.closure.items(node), (support, support), self.closure.trie.reasons[node].tolist())

    def _need(self, node: int) -> int:
        """Return an itemset that is not published, and all that its claim stands on."""
        own = 1 << node - self.closure.published
        return own | self._under(self.closure.items(node), self.closure.trie.reasons[node].tolist())

    def _under(self, items: list[int], cells: Sequence[int]) -> int:
        """Return what the sums of some cells over items take that is not published, all items together excepted."""
        found = 0
        for bits in cells:
            base, todo, seen = _cell(max(0, bits), items), [frozenset(items)] if bits >= 0 else [], set[Codes]()
            while todo:
                itemset = todo.pop()
                smaller = {itemset - {item} for item in itemset - base} - seen
                smaller &= self.closure.nodes.keys()
                seen |= smaller
                todo.extend(smaller)
            for itemset in seen:
                found |= self._needed(self.closure.nodes[itemset])
        return found


def _limited(items: list[int], limits: tuple[int, int], reasons: Sequence[int]) -> Claim:
    """Return the claim that an itemset has a support within limits, for which cells over it are the reasons."""
    pattern = Pattern.conjunction(items)
    itself = Sum(((pattern.over, Fraction(1)),))
    bounds: list[Bound] = [Cells(frozenset([_cell(bits, items)])) if bits >= 0 else itself for bits in reasons]
    lower = NOTHING if limits[0] == 0 and reasons[0] < 0 else bounds[0]
    return Claim(pattern, *limits, lower, bounds[1])


def _cell(bits: int, items: list[int]) -> Codes:
    return frozenset(item for place, item in enumerate(items) if bits >> place & 1)
