"""Totals: what readers add up who know that every row holds a value of an attribute.

If the supports of an attribute's listed values a₁ … aₘ add up to n, every row holds one of them, and sup(X ∪ aₘ) is
sup(X) − sup(X ∪ a₁) − … − sup(X ∪ aₘ₋₁). So unlisted itemsets follow from listed ones, and with them wider itemsets
whose cells are all known. Where some value is not listed, it says no more that an attribute is total than that its
values exclude each other (docs/decisions/0045-schemas.md).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from operator import and_, or_
from typing import Final, NamedTuple, TypeAlias

from discreet import kernels
from discreet.data.lattice import Family
from discreet.disclosure.attacks.bitmaps import lack_one, pack
from discreet.disclosure.attacks.facts import Codes
from discreet.disclosure.channels import as_bits, places
from discreet.errors import BudgetError, InconsistencyError, Option

Join: TypeAlias = Callable[[Sequence[int], Iterable[int], int], list[int]]  # as ``find_largest`` does
MOST_PARTS: Final = 1 << 18  # itemsets that are summed up, under all wider itemsets together: some seconds


class WideCell(NamedTuple):
    """``rows`` rows hold ``base`` and nothing else of ``top``; itemsets are numbers with a bit for each item."""

    base: int
    top: int
    rows: int


class Completed(NamedTuple):
    """A known itemset, with the last values that were ``added``, each with its attribute, in this order."""

    known: int
    whole: int
    added: tuple[tuple[int, int], ...]


class Totals:
    """The itemsets of a family, and those that follow because attributes are total.

    Each stage joins the largest known itemsets by the values of attributes (``join``), and adds the last value of a
    total attribute to those that have all others: such an itemset is in no listed one, but its support follows.
    """

    def __init__(self, family: Family, schema: Iterable[Codes], join: Join) -> None:
        """Find all that follows."""
        self.family = family
        held = kernels.lattice.find_item_supports(*family.itemsets.flat, family.supports, len(family.labels)).tolist()
        self.groups = [as_bits(item for item in group if held[item]) for group in schema]
        self.totals = [one for one in self.groups if sum(held[item] for item in places(one)) == family.n]
        self.stages: list[list[Completed]] = []
        self.wider: list[int] = []
        self._supports: dict[int, int] = {}
        many = len(family.labels)
        known = pack(family.top_itemsets, many)
        self.largest = largest = join(known, self.groups, many)
        while self.totals:
            is_more = lack_one(largest, self.totals, many).tolist()
            pairs = zip(largest, is_more, strict=True)
            completed = [self._complete(one) if more else Completed(one, one, ()) for one, more in pairs]
            if {one.whole for one in completed} <= {*known}:
                break
            self.stages.append(completed)
            known = list(dict.fromkeys(one.whole for one in completed))
            largest = join(known, self.groups, many)
            self.wider = find_outside(largest, [one.whole for one in self.stages[0]])

    def _complete(self, itemset: int) -> Completed:
        """Return an itemset with the last value of each total attribute of which it has all others."""
        whole, added = itemset, list[tuple[int, int]]()
        for group in self.totals:
            missing = group & ~whole
            if missing.bit_count() == 1:
                added.append((missing, group))
                whole |= missing
        return Completed(itemset, whole, tuple(added))

    @cached_property
    def _listed(self) -> list[tuple[int, int]]:
        """The listed itemsets with their supports, the largest supports first."""
        pairs = zip(self.family.itemsets, self.family.supports.tolist(), strict=True)
        return sorted(((as_bits(one.tolist()), support) for one, support in pairs), key=lambda pair: -pair[1])

    @cached_property
    def _holders(self) -> dict[int, int]:
        return index_items(itemset for itemset, _ in self._listed)

    def _find_closure(self, itemset: int) -> tuple[int, int] | None:
        """Return the listed itemset that an itemset has its support from, with that; None if none contains it."""
        above = find_above(itemset, self._holders, len(self._listed))
        return self._listed[(above & -above).bit_length() - 1] if above else None

    def _split(self, itemset: int, over: Completed | None) -> tuple[Completed, list[tuple[int, int]]]:
        """Return the itemsets whose supports add up to that of an unlisted one, with the itemset that it follows from.

        They hold values that are known there, or were added before the last one that the itemset holds: so this ends.
        """
        if over is None or itemset & ~over.known == 0:
            over = next(one for stage in self._indexed for one in self._find_sources(itemset, *stage))
        last, group = next(pair for pair in reversed(over.added) if itemset & pair[0])
        rest = itemset & ~last
        return over, [(1, rest), *((-1, rest | 1 << value) for value in places(group & ~last))]

    @cached_property
    def _indexed(self) -> list[tuple[list[Completed], dict[int, int]]]:
        return [(stage, index_items(one.whole for one in stage)) for stage in self.stages]

    def _find_sources(self, itemset: int, stage: list[Completed], holders: Mapping[int, int]) -> Iterator[Completed]:
        """Yield the itemsets of a stage that contain this one with their last values, but not without."""
        above = find_above(itemset, holders, len(stage))
        while above:
            one = stage[(above & -above).bit_length() - 1]
            above &= above - 1
            if itemset & ~one.known:
                yield one

    def support(self, itemset: int, over: Completed | None = None) -> int:
        """Return the support of a known itemset."""
        if itemset not in self._supports:
            closure = (itemset, 0) if self._is_excluded(itemset) else self._find_closure(itemset)
            if closure is not None:
                self._supports[itemset] = closure[1]
            else:
                over, parts = self._split(itemset, over)
                self._supports[itemset] = sum(times * self.support(part, over) for times, part in parts)
        return self._supports[itemset]

    def express(self, itemset: int, over: Completed | None = None) -> Counter[int]:
        """Return listed itemsets, and how often each counts in the support of a known itemset."""
        if self._is_excluded(itemset):
            return Counter()
        closure = self._find_closure(itemset)
        if closure is not None:
            return Counter({closure[0]: 1})
        over, parts = self._split(itemset, over)
        total: Counter[int] = Counter()
        for times, part in parts:
            for listed, often in self.express(part, over).items():
                total[listed] += times * often
        return total

    def _is_excluded(self, itemset: int) -> bool:
        """Return whether no row holds an itemset, since it has two items of a group; groups may overlap."""
        return any((group & itemset).bit_count() > 1 for group in self.groups)

    def find_parts(self, top: int, base: int = 0) -> list[int]:
        """Return the itemsets between ``base`` and ``top`` that a row can hold."""
        parts = [base]
        for item in places(top & ~base):
            excluding = reduce(or_, (group for group in self.groups if group >> item & 1), 0)
            parts += [part | 1 << item for part in parts if not part & excluding]
        return parts

    def find_cells(self, k: int) -> Iterator[WideCell]:
        """Yield the cells of 1 to k − 1 rows under itemsets that are wider than exclusion alone makes them."""
        steps = 0
        for top in self.wider:
            steps += len(parts := self.find_parts(top))
            if steps > MOST_PARTS:
                raise too_many()
            counts = {part: self.support(part) for part in parts}
            for item in places(top):
                for part in [one for one in counts if not one >> item & 1]:
                    counts[part] -= counts.get(part | 1 << item, 0)
            wrong = next((part for part, count in counts.items() if count < 0), None)
            if wrong is not None:
                why = "the supports and the schema say that fewer than 0 rows hold some items; check the schema"
                names = ([self.family.labels[item] for item in places(one)] for one in (wrong, top))
                raise InconsistencyError(why, "negative", *names)
            yield from (WideCell(base, top, count) for base, count in counts.items() if 0 < count < k)


def index_items(itemsets: Iterable[int]) -> dict[int, int]:
    """Return for each item a bit for each itemset that holds it, in their order."""
    holders: dict[int, list[int]] = defaultdict(list)
    for at, itemset in enumerate(itemsets):
        for item in places(itemset):
            holders[item].append(at)
    return {item: as_bits(numbers) for item, numbers in holders.items()}


def find_above(itemset: int, holders: Mapping[int, int], many: int) -> int:
    """Return a bit for each of ``many`` itemsets that contain this one."""
    return reduce(and_, (holders.get(item, 0) for item in places(itemset)), (1 << many) - 1)


def find_outside(itemsets: Iterable[int], tops: Sequence[int]) -> list[int]:
    """Return the itemsets that no top contains.

    >>> find_outside([0b011, 0b110], [0b111, 0b1000]), find_outside([0b1001], [0b111, 0b1000])
    ([], [9])
    """
    known = {*tops}
    others = [itemset for itemset in itemsets if itemset not in known]
    holders = index_items(tops if others else ())
    return [itemset for itemset in others if not find_above(itemset, holders, len(tops))]


def too_many() -> BudgetError:
    """Return the error for a schema by which too much would have to be looked at."""
    return BudgetError(
        "the schema lets readers add up more itemsets than can be looked at; raise ",
        *(Option("min_support"), ", or leave out items"),
    )
