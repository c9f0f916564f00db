"""Formulas: Boolean patterns over a few items, as the cells in which they are true."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final, Self

from discreet.data.itemsets import Label
from discreet.data.query import Name, Query, parse, resolve_names
from discreet.disclosure.attacks.facts import Codes
from discreet.disclosure.channels import as_text
from discreet.errors import BudgetError, QueryError

SUBSCRIPTS: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True)
class Mark:
    """An item that just the rows of an older release hold; ``number`` is its place among all that were given.

    Of several releases each holds the rows of those before it, and so do the rows with their marks. ``alone`` says
    that there is one.

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
    """Return what sums call a support: ``sup₁`` that in older release 1, and ``n₁`` how many rows that has.

    Marks come in the order of their releases: rows with the first have the others too.

    >>> mark = Mark("before", 1, alone=True)
    >>> name_support(["a", "b"]), name_support(["a", mark]), name_support([mark]), name_support([])
    ('sup(ab)', 'sup₁(a)', 'n₁', 'n')
    """
    labels = list(itemset)
    marks = [label for label in labels if isinstance(label, Mark)]
    items = frozenset(label for label in labels if not isinstance(label, Mark))
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


MOST_ITEMS: Final = 16
"""Most items of a query: its cells are all sets of them."""


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
        query = parse(text)
        codes = resolve_names(query.names, {label: code for code, label in enumerate(labels)})
        over = set()
        for name, code in codes.items():
            if code is None:
                raise QueryError(
                    f"the query has an item at column {name.column} of which nothing is published; "
                    "ask for items of the published itemsets",
                    name.column,
                )
            over.add(code)
        if len(over) > MOST_ITEMS:
            raise BudgetError(f"the query has {len(over)} items, of which {MOST_ITEMS} is the limit; ask for fewer")
        return cls(frozenset(over), frozenset(cell for cell in subsets(over) if _holds(query, codes, cell)))

    @property
    def is_itemset(self) -> bool:
        """Whether it says that a row holds all of its items."""
        return self.cells == {self.over}

    def holds(self, row: Codes) -> bool:
        """Return whether the pattern is true for a row."""
        return row & self.over in self.cells

    def multipliers(self) -> dict[Codes, int]:
        """Return how often the support of each itemset counts in the sum that is the pattern's support.

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
            signs = [_conjunction(base, base, labels)] if base else []
            return " ∧ ".join([*signs, f"¬({_conjunction(lacked, lacked, labels)})"])
        ordered = sorted(self.cells, key=lambda cell: (-len(cell), sorted(cell)))
        cells = [_conjunction(cell, self.over, labels) for cell in ordered]
        return cells[0] if len(cells) == 1 else " ∨ ".join(f"({cell})" for cell in cells)


def subsets(items: Iterable[int]) -> Iterable[Codes]:
    """Yield all subsets, the smaller ones first, each size in dictionary order."""
    every = sorted(items)
    return map(frozenset, chain.from_iterable(combinations(every, size) for size in range(len(every) + 1)))


def _conjunction(cell: Codes, over: Codes, labels: Sequence[Label]) -> str:
    held, lacked = ([labels[item] for item in sorted(items)] for items in (cell, over - cell))
    signs = [
        f"{sign}{label}" for side, sign in ((held, ""), (lacked, "¬")) for label in side if not isinstance(label, Mark)
    ]
    which = describe_rows(*([label for label in side if isinstance(label, Mark)] for side in (held, lacked)))
    return ", ".join(filter(None, (" ∧ ".join(signs) or "any row", which)))


def _holds(query: Query, codes: Mapping[Name, int | None], row: Codes) -> bool:
    """Return whether a formula is true for a row."""
    stack: list[bool] = []
    for step in query.steps:
        if isinstance(step, Name):
            stack.append(codes[step] in row)
        elif step == "~":
            stack.append(not stack.pop())
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(left and right if step == "&" else left or right)
    return stack.pop()
