"""Cells: itemsets as programs print them in a field of a table."""

import ast
import re
from typing import Final

from discreet.data.itemsets import Label
from discreet.errors import InputError
from discreet.io.notation import split_cell

BETWEEN: Final = re.compile(r",(?![^\[(]*[\])])")  # a comma between items, but not within an interval such as [20,30)
LONGEST: Final = 100_000  # characters of a set that is parsed
PYTHON: Final = re.compile(r"frozenset\((.*)\)", re.DOTALL)


def read_cell(cell: str, where: str) -> list[Label]:
    """Return the items of a cell: as mlxtend saves them, as arules does, or with semicolons between.

    >>> read_cell("frozenset({'a', 'b'})", "pattern 1"), read_cell("{a,b}", "pattern 1"), read_cell("a;b", "pattern 1")
    (['a', 'b'], ['a', 'b'], ['a', 'b'])
    """
    text = cell.strip()
    printed = PYTHON.fullmatch(text)
    if printed is not None:
        return _read_python_set(printed[1], where)
    if text.startswith("{") and text.endswith("}"):
        return [label.strip() for label in BETWEEN.split(text[1:-1]) if label.strip()]
    return [label for label in split_cell(text, where) if label]


def _read_python_set(text: str, where: str) -> list[Label]:
    """Return the elements of a set that Python has printed; nothing is run."""
    try:
        value = ast.literal_eval(text or "()") if len(text) <= LONGEST else None
        labels = sorted(value, key=str) if isinstance(value, set | tuple) else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        labels = None
    if labels is None:
        raise InputError(f"{where} is no set such as frozenset({{'a', 'b'}}); mend it")
    return labels
