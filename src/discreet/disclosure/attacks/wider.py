"""Wider itemsets: each of their parts is listed, or holds two items that exclude each other by the schema.

Such a part has support 0. Hence all supports of a wider itemset are known, and so are its cells.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.lattice import Family
from discreet.disclosure.attacks.facts import Codes
from discreet.disclosure.channels import as_bits, places
from discreet.errors import BudgetError, Option

MOST_STEPS: Final = 20_000_000
"""Most pairs of itemsets to join: some seconds."""
MOST_MEETINGS: Final = 1_000_000_000
"""Most comparisons of wider with listed itemsets: some seconds as well."""


def widen_family(family: Family, schema: Iterable[Codes]) -> Family | None:
    """Return the family with the largest wider itemsets as its tops, or None if there are none.

    Too many of them are a BudgetError.

    >>> from discreet import Patterns
    >>> from discreet.data.lattice import build_family
    >>> listed = build_family(Patterns.from_itemsets([([], 90), (["f"], 40), (["m"], 48)], n=90))
    >>> wide = widen_family(listed, [frozenset([0, 1])])
    >>> [sorted(wide.labelled(top)) for top in wide.tops], wide.cells(limit=5).counts.tolist()
    ([['f', 'm']], [2])
    """
    offsets, items = family.top_itemsets.flat
    listed = [as_bits(items[start:stop].tolist()) for start, stop in pairwise(offsets.tolist())]
    known = set(listed)
    found = [one for one in find_largest(listed, map(as_bits, schema), len(family.labels)) if one not in known]
    if not found:
        return None
    if len(found) * family.items.size > MOST_MEETINGS:
        raise _too_many()
    wide = family.widen(Itemsets.of(list(map(places, found))), partial=True)
    new, starts = set(found), wide.offsets
    tops = [top for top in wide.tops.tolist() if as_bits(wide.items[starts[top] : starts[top + 1]].tolist()) in new]
    return replace(wide, tops=np.array(tops))


def find_largest(tops: Sequence[int], groups: Iterable[int], many: int) -> list[int]:
    """Return the largest itemsets whose parts all lie within a top, or hold two items of a group.

    An itemset is a number with a bit for each of ``many`` items. A row holds at most one item of a group, so itemsets
    with one value each join into one: the other items that they share, with all their values. One pass over the groups
    is enough, as in Tison's method for prime implicants (1967).

    >>> [bin(one) for one in find_largest([0b101, 0b110], [0b011], 3)]
    ['0b111']
    """
    steps = 0
    for group in groups:
        parts: dict[int, int] = {}
        for top in tops:
            if top & group:
                parts[top & ~group] = parts.get(top & ~group, 0) | top & group
        found: dict[int, int] = {}
        for rest, values in parts.items():
            steps += len(found) + 1
            if steps > MOST_STEPS:
                raise _too_many()
            # If one has all values of the other, joining them adds nothing.
            both = [(rest & one, values | held) for one, held in found.items() if values & ~held and held & ~values]
            for one, held in [(rest, values), *both]:
                found[one] = found.get(one, 0) | held
        tops = _maximal([*(top for top in tops if not top & group), *(one | held for one, held in found.items())], many)
    return list(tops)


def _maximal(itemsets: Iterable[int], many: int) -> list[int]:
    every = list(dict.fromkeys(itemsets))
    is_one = kernels.lattice.find_maximal(*Itemsets.of(map(places, every)).flat, max(1, many)).tolist()
    return [itemset for itemset, is_largest in zip(every, is_one, strict=True) if is_largest]


def _too_many() -> BudgetError:
    return BudgetError(
        "the schema lets readers add up more itemsets than can be looked at; raise ",
        *(Option("min_support"), ", or leave out items"),
    )
