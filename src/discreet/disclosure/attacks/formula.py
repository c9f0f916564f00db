"""Formulas: Boolean patterns over a few items, as the cells in which they are true."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, compress
from typing import Final, Self

from discreet.data.itemsets import Itemsets, Label
from discreet.data.query import evaluate, parse, resolve_names
from discreet.disclosure.attacks.facts import Codes
from discreet.disclosure.channels import as_text
from discreet.errors import BudgetError, QueryError

MOST_ITEMS: Final = 16  # of a query: its cells are all sets of them
SUBSCRIPTS: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True)
class Mark:
    """An item that only the rows of an older release hold; ``number`` is its place among all that were given.

    Of several releases, each contains the rows of those before it, so rows with a mark have all later ones. ``alone``
    says that there is one release.

    >>> str(Mark("before", 1, alone=True))
    'before'
    """

    name: str
    number: int
    alone: bool

    def __str__(self) -> str:
        return self.name


def make_marks(numbers: Sequence[int], labels: Iterable[Label]) -> list[Mark]:
    """Return a mark for each older release, with a name that no label has.

    >>> [str(mark) for mark in make_marks([2, 1], ["a", "before1"])], str(make_marks([1], "a")[0])
    (['before2', 'before1_'], 'before')
    """
    taken, alone, marks = set(map(str, labels)), len(numbers) == 1, []
    for number in numbers:
        name = "before" if alone else f"before{number}"
        while name in taken:
            name += "_"
        marks.append(Mark(name, number, alone))
    return marks


def name_support(itemset: Iterable[Label]) -> str:
    """Return the name of a support in sums: ``sup₁`` is that in older release 1, and ``n₁`` its number of rows.

    Marks come in the order of their releases.

    >>> mark = Mark("before", 1, alone=True)
    >>> name_support(["a", "b"]), name_support(["a", mark]), name_support([mark]), name_support([])
    ('sup(ab)', 'sup₁(a)', 'n₁', 'n')
    """
    labels = list(itemset)
    marks = [label for label in labels if isinstance(label, Mark)]
    items = frozenset(labels).difference(marks)
    where = str(marks[0].number).translate(SUBSCRIPTS) if marks else ""
    return f"sup{where}({as_text(items)})" if items else f"n{where}"


def describe_rows(held: Sequence[Mark], lacked: Sequence[Mark]) -> str:
    """Return in words which rows have some marks and lack others; empty without marks.

    >>> mark = Mark("before", 1, alone=True)
    >>> describe_rows([mark], []), describe_rows([], [mark]), describe_rows([], [])
    ('of the rows that were there before', 'of the rows that came since', '')
    """
    if not held and not lacked:
        return ""
    if (held or lacked)[0].alone:
        return "of the rows that were there before" if held else "of the rows that came since"
    since = f"came since older release {lacked[-1].number}" if lacked else ""
    there = f"are in older release {held[0].number}" if held else ""
    return f"of the rows that {' and '.join(filter(None, (since, there)))}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """True for a row whose items within ``over`` are one of the ``cells``.

    >>> Pattern.conjunction(has=[0, 1], lacks=[2]).words("abc")
    'a ∧ b ∧ ¬c'
    >>> Pattern.parse("(a & b) | ~a", "ab").words("ab")
    '(a ∧ b) ∨ (b ∧ ¬a) ∨ (¬a ∧ ¬b)'
    """

    over: Codes
    cells: frozenset[Codes]

    @classmethod
    def conjunction(cls, has: Iterable[int], lacks: Iterable[int] = ()) -> Self:
        """Return the pattern of the rows that hold all of some items and none of others."""
        base = frozenset(has)
        return cls(base.union(lacks), frozenset([base]))

    @classmethod
    def parse(cls, text: str, labels: Sequence[Label]) -> Self:
        """Return the pattern that a query writes; an item that is not among ``labels`` is refused."""
        query, code = parse(text), {label: number for number, label in enumerate(labels)}
        items = resolve_names(query.names, code)
        for name, item in items.items():
            if item is None:
                raise QueryError(
                    f"the query has an item at column {name.column} of which nothing is published; "
                    "ask for items of the published itemsets",
                    name.column,
                )
        over = frozenset(item for item in items.values() if item is not None)
        if len(over) > MOST_ITEMS:
            raise BudgetError(f"the query has {len(over)} items, of which {MOST_ITEMS} is the limit; ask for fewer")
        every = list(subsets(over))
        return cls(over, frozenset(compress(every, evaluate(query, Itemsets.of(map(sorted, every)), code))))

    @property
    def is_itemset(self) -> bool:
        """Whether it says that a row holds all of its items."""
        return self.cells == {self.over}

    def multipliers(self) -> dict[Codes, int]:
        """Return the factor of each support in the sum that is the pattern's support (inclusion–exclusion).

        >>> sorted((sorted(itemset), times) for itemset, times in Pattern.conjunction([0], [1]).multipliers().items())
        [([0], 1), ([0, 1], -1)]
        """
        times: dict[Codes, int] = {}
        for cell in self.cells:
            for added in subsets(self.over - cell):
                itemset = cell | added
                times[itemset] = times.get(itemset, 0) + (-1) ** len(added)
        return {itemset: factor for itemset, factor in times.items() if factor}

    def words(self, labels: Sequence[Label]) -> str:
        """Return the pattern as a reader would write it, such as ``a ∧ b ∧ ¬c``."""
        if not self.cells:
            return "no row"
        base = frozenset.intersection(*self.cells)
        lacked = self.over - base
        is_marked = any(isinstance(labels[item], Mark) for item in self.over)
        if not is_marked and self.over not in self.cells and len(self.cells) == (1 << len(lacked)) - 1 > 1:
            signs = [_conjoin(base, base, labels)] if base else []
            return " ∧ ".join([*signs, f"¬({_conjoin(lacked, lacked, labels)})"])
        ordered = sorted(self.cells, key=lambda cell: (-len(cell), sorted(cell)))
        cells = [_conjoin(cell, self.over, labels) for cell in ordered]
        return cells[0] if len(cells) == 1 else " ∨ ".join(f"({cell})" for cell in cells)


def subsets(items: Iterable[int]) -> Iterable[Codes]:
    """Yield all subsets, the smaller ones first, each size in dictionary order."""
    every = sorted(items)
    return map(frozenset, chain.from_iterable(combinations(every, size) for size in range(len(every) + 1)))


def _conjoin(cell: Codes, over: Codes, labels: Sequence[Label]) -> str:
    signs, marks = list[str](), list[list[Mark]]()
    for items, sign in ((cell, ""), (over - cell, "¬")):
        side = [labels[item] for item in sorted(items)]
        signs += [f"{sign}{label}" for label in side if not isinstance(label, Mark)]
        marks.append([label for label in side if isinstance(label, Mark)])
    return ", ".join(filter(None, (" ∧ ".join(signs) or "any row", describe_rows(*marks))))
