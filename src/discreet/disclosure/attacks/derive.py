"""Derive: unpublished itemsets whose supports follow from those of all their subsets, and what they reveal.

No cell has a negative count, so the supports of all proper subsets bound that of an itemset J (Calders and Goethals,
*Non-derivable itemset mining*, 2007). If both bounds meet, J is as good as published, and larger itemsets may follow.
A finding is a cell over an unpublished J of 1 to k − 1 rows, or two cells that differ in three items or more and hold
so many together (docs/guarantee.md, Theorem A3). A person is found again over each larger J: it reveals more of them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from math import inf
from time import monotonic
from typing import Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Items, Itemsets, Label, Weighted, offsets_of
from discreet.data.transactions import Rows
from discreet.disclosure.attacks.certificate import NOTHING, Bound, CellSum, Certificate, Claim, Sum
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.disclosure.attacks.finding import Finding, Searched, Undecided
from discreet.disclosure.attacks.formula import Mark, Pattern
from discreet.disclosure.attacks.histories import History
from discreet.disclosure.channels import places
from discreet.disclosure.detect import list_subsets
from discreet.errors import BudgetError, InconsistencyError, Message, Option
from discreet.runtime.solver import Numbers

INEXACT: Final = "their supports are not exact, which the level derive cannot use"
WORK: Final = 1 << 20  # steps per kernel call; time and Ctrl-C are checked between calls


class SearchTask(NamedTuple):
    """Which patterns of 1 to k − 1 rows follow from facts? With the rows, or a history of them, if they are known.

    The search ends at a time, at so many ``itemsets`` with known supports, and lists so many ``findings``.
    """

    facts: Facts
    k: int
    rows: Rows | None = None
    history: History | None = None
    ends: float = inf
    itemsets: int = 2_000_000
    findings: int = 100_000

    @property
    def seconds(self) -> float:
        """The seconds that are left."""
        return max(0.0, self.ends - monotonic())


def infer(task: SearchTask) -> Searched:
    """Return what is inferred about 1 to k − 1 rows from the supports of subsets, beyond the published itemsets.

    >>> from discreet import mine
    >>> rows = [["b"], ["b"], ["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"], ["b", "c"], ["b", "c"], ["a", "b", "c"]]
    >>> print(infer(SearchTask(Facts.of(mine(rows, min_support=3)), k=2)).findings[0].sentence)
    sup(abc) is 1, because sup(ab) 3 + sup(ac) 3 − sup(a) 5 = 1 and sup(ab) 3 + sup(ac) 3 + sup(bc) 3 + n 9 − \
sup(a) 5 − sup(b) 7 − sup(c) 5 = 1 bound it
    """
    return search(task)[0]


def search(task: SearchTask) -> "tuple[Searched, Closure | None]":
    """Return what is inferred, and the itemsets with known supports, unless these are too many or n is not known."""
    facts = task.facts
    inexact = 0 if facts.is_joined else int((facts.low != facts.high).sum())
    undecided = [Undecided(inexact, "itemsets", INEXACT)] if inexact else []
    if facts.low[0] != facts.high[0]:
        return Searched([], undecided), None
    try:
        closure = close(task)
    except BudgetError:
        why = f"it tells the supports of more than {task.itemsets:,} itemsets, and nothing beyond was looked at"
        return Searched([], [*undecided, Undecided(1, "publication", why)]), None
    undecided += [] if closure.gap is None else [closure.gap]
    if closure.many > len(closure.lines):
        undecided.append(Undecided(closure.many - len(closure.lines), "findings", "so many are not listed"))
    return Searched(_prove_all(facts, closure), undecided, closure.derived), closure


class Nodes(NamedTuple):
    """Itemsets with their supports as a trie (kernels/derive.py).

    ``reasons`` are the cells that set the lower and the upper limit of an unpublished itemset, -1 if the facts do.
    """

    parents: Items
    lasts: Items
    supports: Numbers
    reasons: Numbers


@dataclass(frozen=True, eq=False)
class Closure:
    """Itemsets with known supports: first the ``published`` ones in order, then the derived ones.

    ``lines`` are the first of ``many`` findings, and ``gap`` says what was left undecided.
    """

    nodes: Nodes
    lengths: Numbers
    published: int
    lines: Numbers
    many: int
    gap: Undecided | None

    @cached_property
    def itemsets(self) -> Itemsets:
        """The itemsets of all nodes."""
        offsets = offsets_of(self.lengths)
        items = np.empty(int(offsets[-1]), dtype=np.int32)
        kernels.derive.write_nodes(self.nodes.parents, self.nodes.lasts, 0, offsets, items)
        return Itemsets(offsets, items)

    @property
    def derived(self) -> Weighted:
        """The unpublished itemsets with their supports, the shorter ones first."""
        numbers = np.arange(self.published, len(self.itemsets))
        return self.itemsets.take(numbers).weigh(self.nodes.supports[self.published :])

    @cached_property
    def unpublished(self) -> dict[Codes, int]:
        """The node of each unpublished itemset."""
        return {frozenset(codes.tolist()): node for node, codes in enumerate(self.derived, start=self.published)}


def close(task: SearchTask) -> Closure:
    """Return all itemsets whose supports follow from exact facts, with the findings about 1 to k − 1 rows.

    A publication of more itemsets than the task allows is a BudgetError.

    >>> from discreet import mine
    >>> rows = [["b"], ["b"], ["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"], ["b", "c"], ["b", "c"], ["a", "b", "c"]]
    >>> closure = close(SearchTask(Facts.of(mine(rows, min_support=3)), k=2))
    >>> closure.derived.items.tolist(), closure.derived.weights.tolist()
    ([0, 1, 2], [1])
    """
    facts, seconds, known = task.facts, task.seconds, list_known(task.facts, task.itemsets)
    nodes, lengths = _plant(known, task.itemsets)
    stated = (_list_others(facts, known), _list_excluded(facts))
    absents = np.array([facts.missing(frozenset([item])) for item in range(len(facts.labels))], dtype=np.int64)
    beyond, cut = np.full_like(absents, facts.n), inf if facts.max_length is None else facts.max_length
    lines = np.empty((task.findings, kernels.derive.COLUMNS), dtype=np.int64)
    length, size, many, gap = 1, len(known), 0, None
    # Of releases that have grown into each other, a third mark splits no cell that two do not: itemsets end in marks.
    first = next((item for item, label in enumerate(facts.labels) if isinstance(label, Mark)), len(facts.labels))
    while gap is None and (level := np.flatnonzero(lengths == length)).size:
        level = level[nodes.lasts[nodes.parents[level]] < first]
        level = level[np.lexsort((nodes.lasts[level], nodes.parents[level]))]
        start, itemset = 0, np.zeros(length + 1, dtype=np.int32)
        children = kernels.derive.index(nodes.parents, nodes.lasts, size)
        while start < level.size and gap is None:
            # An itemset too long to be listed is at most as frequent as its parts, of which all are known.
            question = task.k, absents if length < cut else beyond
            start, size, many, is_consistent = kernels.derive.join(
                tuple(nodes), size, children, level, start, itemset, stated, question, lines, many, WORK
            )
            if not is_consistent:
                raise _describe_contradiction([facts.labels[item] for item in itemset.tolist()])
            is_full = size >= task.itemsets
            if start < level.size and (is_full or not task.seconds):
                limit = f"{task.itemsets:,} itemsets" if is_full else f"{seconds:,.0f} seconds"
                what = f"itemsets of {length} items and what holds them"
                gap = Undecided(level.size - start, what, f"the limit of {limit} is reached")
        length += 1
        lengths = np.append(lengths, np.full(size - lengths.size, length))
    parents, lasts, supports, reasons = nodes
    nodes = Nodes(parents[:size].copy(), lasts[:size].copy(), supports[:size].copy(), reasons[:size].copy())
    return Closure(nodes, lengths, len(known), lines[: min(many, task.findings)].copy(), many, gap)


def _plant(known: Weighted, most: int) -> tuple[Nodes, Numbers]:
    """Return itemsets as a trie with room for ``most``, and their lengths."""
    # Memory that is never written is never taken.
    parents, lasts = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    supports, reasons, lengths = np.empty(most, np.int64), np.empty((most, 2), np.int64), np.empty(len(known), np.int64)
    supports[: len(known)] = known.weights
    kernels.derive.plant(*known.flat, parents, lasts, lengths)
    return Nodes(parents, lasts, supports, reasons), lengths


def list_known(facts: Facts, most: int) -> Weighted:
    """Return the itemsets whose supports, and those of all their subsets, are published exactly, in dictionary order.

    More than ``most`` of them are a BudgetError.

    >>> from discreet import mine
    >>> offsets, items, supports = list_known(Facts.of(mine([["a", "b"], ["a", "b"], ["a"]], min_support=1)), 99).arrays
    >>> offsets.tolist(), items.tolist(), supports.tolist()
    ([0, 0, 1, 3, 4], [0, 0, 1, 1], [3, 3, 2, 2])
    """
    if facts.inherited:
        return list_subsets(facts.itemsets.weigh(facts.low), facts.labels, most)
    known: dict[Codes, int] = {}
    for itemset in sorted(facts.listed, key=len):
        low, high = facts.listed[itemset]
        if low == high and all(itemset - {item} in known for item in itemset):
            known[itemset] = low
    if len(known) > most:
        raise BudgetError(
            f"{len(known):,} supports are known exactly, and {most:,} is the limit; raise max_itemsets, or the minimum "
            "support of what is published"
        )
    listed = sorted((sorted(itemset), support) for itemset, support in known.items())
    supports = np.array([support for _, support in listed], dtype=np.int64)
    return Itemsets.of(itemset for itemset, _ in listed).weigh(supports)


def _list_others(facts: Facts, known: Itemsets) -> tuple[Numbers, Items, Numbers, Numbers]:
    """Return the listed itemsets that are not among the known ones, with their limits."""
    among = set() if facts.inherited else {frozenset(codes.tolist()) for codes in known}
    chosen = [number for number in range(0 if facts.inherited else len(facts)) if facts.itemset(number) not in among]
    numbers = np.array(chosen, dtype=np.int64)
    return *facts.itemsets.take(numbers).flat, facts.low[numbers], facts.high[numbers]


def _list_excluded(facts: Facts) -> NDArray[np.uint64]:
    """Return the pairs that no row holds, as the kernel takes them."""
    pairs = {pair for group in facts.schema for pair in combinations(sorted(group), 2)}
    return np.array([one << 32 | other + 1 for one, other in sorted(pairs)], dtype=np.uint64)


def _describe_contradiction(labels: Sequence[Label]) -> InconsistencyError:
    message = Message(
        f"the supports leave no number of rows that may hold an itemset of {len(labels)} items; no rows can have them: "
        "check that they are exact, and say ",
        *(Option("complete", value=False), " if some itemset that reaches the minimum support is not listed"),
    )
    return InconsistencyError(message, "negative", labels, labels)


def _prove_all(facts: Facts, closure: Closure) -> list[Finding]:
    """Return the findings, those over fewer items first."""
    prover = Prover(closure)
    lines = [_Line(*line) for line in closure.lines.tolist()]
    found = [(line, [*closure.itemsets[line.prefix].tolist(), line.last]) for line in lines]
    found.sort(key=lambda each: (len(each[1]), each[1], each[0].kind, each[0].even))
    return [Finding(prover.prove(line, items), "derive", facts) for line, items in found]


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
    """The claims that another one rests on, made at first use: there may be very many findings."""

    def __init__(self, make: Callable[[], tuple[Claim, ...]]) -> None:
        self._make = make

    @cached_property
    def _claims(self) -> tuple[Claim, ...]:
        return self._make()

    @overload
    def __getitem__(self, number: int) -> Claim: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Claim]: ...
    def __getitem__(self, number: int | slice) -> Claim | Sequence[Claim]:
        return self._claims[number]

    def __len__(self) -> int:
        return len(self._claims)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._claims == tuple(other)

    def __hash__(self) -> int:
        return hash(self._claims)

    def __repr__(self) -> str:
        return repr(self._claims)


class Prover:
    """Makes the claims about unpublished itemsets; a set of these is a number with a bit for each."""

    def __init__(self, closure: Closure) -> None:
        """Keep the itemsets with known supports."""
        self.closure = closure
        self._claim, self._need = cache(self._make_claim), cache(self._find_needed)

    def prove(self, line: _Line, items: list[int]) -> Certificate:
        """Return the certificate of a finding over some items."""
        top, reasons = frozenset(items), (line.below, line.above)
        own = _claim_support(items, (line.low, line.high), reasons)
        cells = frozenset(_choose(bits, items) for bits in (line.even, line.odd) if bits >= 0)
        if cells == {top}:
            return Certificate(own, _Lemmas(lambda: self._list_claims(self._find_used(items, reasons))))

        def list_lemmas() -> tuple[Claim, ...]:
            used = self._find_used(items, (line.even, line.odd))
            if line.kind == kernels.derive.PARITY:  # the support of all items together cancels out
                return self._list_claims(used)
            return *self._list_claims(used | self._find_used(items, reasons)), own

        return Certificate(
            Claim(Pattern(top, cells), line.least, line.most, CellSum(), CellSum()), _Lemmas(list_lemmas)
        )

    def list_lemmas(self, itemsets: Iterable[Codes]) -> Sequence[Claim]:
        """Return the claims about those of some itemsets that are not published, and what these rest on."""
        unpublished, used = self.closure.unpublished, 0
        for itemset in unpublished.keys() & itemsets:
            used |= self._need(unpublished[itemset])
        return self._list_claims(used)

    def _list_claims(self, nodes: int) -> tuple[Claim, ...]:
        """Return the claims about some itemsets, the shorter ones first."""
        return tuple(self._claim(self.closure.published + place) for place in places(nodes))

    def _look_up(self, node: int) -> tuple[list[int], int, list[int]]:
        """Return the items of an itemset, its support, and the cells that set it."""
        nodes = self.closure.nodes
        return self.closure.itemsets[node].tolist(), int(nodes.supports[node]), nodes.reasons[node].tolist()

    def _make_claim(self, node: int) -> Claim:
        items, support, reasons = self._look_up(node)
        return _claim_support(items, (support, support), reasons)

    def _find_needed(self, node: int) -> int:
        """Return an unpublished itemset, and all that its claim rests on."""
        items, _, reasons = self._look_up(node)
        return 1 << node - self.closure.published | self._find_used(items, reasons)

    def _find_used(self, items: list[int], cells: Sequence[int]) -> int:
        """Return the unpublished itemsets in the sums of some cells over items, except all items together."""
        used = 0
        for bits in cells:
            base, todo, seen = _choose(max(0, bits), items), [frozenset(items)] if bits >= 0 else [], set[Codes]()
            while todo:
                itemset = todo.pop()
                smaller = {itemset - {item} for item in itemset - base} - seen
                smaller &= self.closure.unpublished.keys()
                seen |= smaller
                todo.extend(smaller)
            for itemset in seen:
                used |= self._need(self.closure.unpublished[itemset])
        return used


def _claim_support(items: list[int], limits: tuple[int, int], reasons: Sequence[int]) -> Claim:
    """Return the claim that an itemset has a support within limits, for which cells over it are the reasons."""
    pattern = Pattern.conjunction(items)
    itself = Sum(((pattern.over, Fraction(1)),))
    bounds: list[Bound] = [CellSum(frozenset([_choose(bits, items)])) if bits >= 0 else itself for bits in reasons]
    lower = NOTHING if limits[0] == 0 and reasons[0] < 0 else bounds[0]
    return Claim(pattern, *limits, lower, bounds[1])


def _choose(bits: int, items: list[int]) -> Codes:
    return frozenset(items[place] for place in places(bits))
