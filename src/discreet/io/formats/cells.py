"""Cells: itemsets as programs print them in a field or a line, where labels may hold the sign between them."""

import ast
import re
from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from typing import Final

from discreet.data.itemsets import Label
from discreet.errors import InputError
from discreet.io.notation import split_cell

BETWEEN: Final = re.compile(r",(?![^\[(]*[\])])")  # a comma between items, but not within an interval such as [20,30)
SPACED: Final = re.compile(", ")
BESIDE: Final = re.compile(r",\s|\s,")  # a comma of arules has no blank beside it, unless a label has
COMMAS: Final = "a comma has a blank beside it, so a label may hold it: write PMML, or take such blanks or commas out"
LONGEST: Final = 100_000  # characters of a set that is parsed
BRACED: Final = re.compile(r"\s*\{(.*)\}\s*", re.DOTALL)
PYTHON: Final = re.compile(r"\s*frozenset\((.*)\)\s*", re.DOTALL)
NUMPY: Final = re.compile(r"(?<=[{ ])np\.\w+\((-?\d+)\)(?=[,}])")  # a number of NumPy as it is printed
MOST_PARTS: Final = 100  # of an itemset whose labels are looked for
Itemsets = Sequence[Sequence[Label]]


def read_cells(cells: Sequence[str], where: Iterable[str]) -> tuple[Itemsets, str]:
    """Return the items of cells as mlxtend, arules or others write them, and perhaps a doubt; ``where`` each cell is.

    >>> read_cells(["frozenset({'a', 'b'})", "frozenset({np.int64(7)})", "a;b"], "123")
    ([['a', 'b'], [7], ['a', 'b']], '')
    >>> read_cells(["{milk, whole}", "{tea}", "{milk, whole,tea}"], "123")
    ([['milk, whole'], ['tea'], ['milk, whole', 'tea']], '')
    """
    braced = [BRACED.fullmatch(cell) for cell in cells]
    split, doubt = _split_braced([match[1] for match in braced if match])
    rest = iter(split)
    places = zip(braced, cells, where, strict=True)
    return [next(rest) if match else _read_cell(cell, place) for match, cell, place in places], doubt


def _read_cell(cell: str, where: str) -> Sequence[Label]:
    printed = PYTHON.fullmatch(cell)
    return [label for label in split_cell(cell, where) if label] if printed is None else _read_set(printed[1], where)


def _split_braced(texts: Sequence[str]) -> tuple[Itemsets, str]:
    """Return the labels of itemsets of arules; those that ``inspect`` prints have a blank after each comma."""
    plain, spaced = ([sign.split(text) if text else [] for text in texts] for sign in (BETWEEN, SPACED))
    if not any(map(BESIDE.search, texts)):
        return plain, ""
    is_spaced = all(text.count(",") == text.count(", ") for text in texts)
    likely = spaced if is_spaced else plain
    for found in (likely, split_joined(texts, ",")):
        if found is not None and {*chain.from_iterable(found)} <= {*texts}:
            return found, ""
    return likely, COMMAS


def split_joined(texts: Sequence[str], sign: str) -> list[list[str]] | None:
    """Return the labels of all frequent itemsets, joined by a sign that labels may hold too; None if that is unclear.

    A label is what is listed alone. The list must have an itemset of several labels, as no list of maximal itemsets has
    then, all of its subsets, and no label that is part of another: in a list of closed itemsets, the meet of two labels
    that share parts is listed, so that parts are taken for one label only if the same rows hold them.

    >>> split_joined(["cream cheese", "tea", "cream cheese tea"], " "), split_joined(["cream cheese", "tea"], " ")
    ([['cream cheese'], ['tea'], ['cream cheese', 'tea']], None)
    """
    found: dict[str, list[str]] = {}
    labels: dict[str, frozenset[str]] = {}
    if max((text.count(sign) for text in texts), default=0) > MOST_PARTS:
        return None
    for text in sorted({*texts}, key=lambda text: text.count(sign)):
        ways = find_ways(text.split(sign), sign, labels)
        if len(ways) > 1:
            return None
        found[text] = ways[0] if ways else [text] * bool(text)
        if not ways and text:
            labels[text] = frozenset(text.split(sign))
    itemsets = {*map(frozenset, found.values())}
    larger = [one for one in itemsets if len(one) > 1]
    is_complete = all({*map(frozenset, combinations(one, len(one) - 1))} <= itemsets for one in larger)
    long = sorted((label for label in labels if sign in label), key=lambda label: len(labels[label]))
    is_apart = not any(labels[label] & labels.keys() for label in long)
    is_apart = is_apart and not any(labels[one] < labels[other] for one, other in combinations(long, 2))
    return [found[text] for text in texts] if larger and is_complete and is_apart else None


def find_ways(parts: Sequence[str], sign: str, labels: Iterable[str]) -> list[list[str]]:
    """Return up to two ways to join parts to at least two different labels."""
    ways: list[list[list[str]]] = [[[]], *([] for _ in parts)]
    for stop in range(1, len(parts) + 1):
        for start in range(stop):
            label = sign.join(parts[start:stop])
            if label in labels:
                ways[stop] += [[*way, label] for way in ways[start] if label not in way]
        ways[stop] = ways[stop][:2]
    return ways[-1]


def _read_set(text: str, where: str) -> Sequence[Label]:
    """Return the elements of a set that Python has printed; nothing is run."""
    for printed in (text or "()", NUMPY.sub(r"\1", text)):
        try:
            value = ast.literal_eval(printed) if len(printed) <= LONGEST else None
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        if isinstance(value, set | tuple):
            return sorted(value, key=str)
    raise InputError(f"{where} is no set such as frozenset({{'a', 'b'}}); mend it")
