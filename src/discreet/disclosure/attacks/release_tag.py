"""Marks: items that stand for older releases, so that rows tell whether they were there before."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from discreet.data.labels import Label
from discreet.disclosure.channels import as_text

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


def marks_for(numbers: Sequence[int], labels: Iterable[Label]) -> list[Mark]:
    """Return a mark for each older release, called as none of the ``labels`` is.

    >>> [str(mark) for mark in marks_for([2, 1], ["a", "before1"])], str(marks_for([1], "a")[0])
    (['before2', 'before1_'], 'before')
    """
    taken, alone, marks = set(map(str, labels)), len(numbers) == 1, []
    for number in numbers:
        name = "before" if alone else f"before{number}"
        while name in taken:
            name += "_"
        marks.append(Mark(name, number, alone))
    return marks


def support_of(itemset: Iterable[Label]) -> str:
    """Return what sums call a support: ``sup₁`` that in older release 1, and ``n₁`` how many rows that has.

    Marks come in the order of their releases: who holds the first, holds the others.

    >>> mark = Mark("before", 1, alone=True)
    >>> support_of(["a", "b"]), support_of(["a", mark]), support_of([mark]), support_of([])
    ('sup(ab)', 'sup₁(a)', 'n₁', 'n')
    """
    labels = list(itemset)
    marks = [label for label in labels if isinstance(label, Mark)]
    items = frozenset(label for label in labels if not isinstance(label, Mark))
    where = str(marks[0].number).translate(SUBSCRIPTS) if marks else ""
    return f"sup{where}({as_text(items)})" if items else f"n{where}"


def rows_with(held: Sequence[Mark], lacked: Sequence[Mark]) -> str:
    """Return which rows have some marks, and lack others, in words; nothing where nothing is said of any.

    >>> mark = Mark("before", 1, alone=True)
    >>> rows_with([mark], []), rows_with([], [mark]), rows_with([], [])
    ('of the rows that were there before', 'of the rows that came since', '')
    """
    if not held and not lacked:
        return ""
    if (held or lacked)[0].alone:
        return "of the rows that were there before" if held else "of the rows that came since"
    since = f"came since older release {lacked[-1].number}" if lacked else ""
    there = f"are in older release {held[0].number}" if held else ""
    return f"of the rows that {' and '.join(filter(None, (since, there)))}"
