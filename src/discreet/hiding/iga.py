"""The item grouping algorithm (IGA): sensitive itemsets that share an item are hidden by removing it.

Oliveira and Zaïane (2002, section 4.3) leave open what a group is, and which of two groups an itemset belongs to.
Here all itemsets that hold an item are a group, and an itemset belongs to the first of its groups in a fixed order.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Group(NamedTuple):
    """Itemsets, by their numbers, that share items, and the one of these that is to be removed."""

    members: frozenset[int]
    label: int


def groups(itemsets: Sequence[NDArray[np.int32]], supports: NDArray[np.int64]) -> list[Group]:
    """Return the groups, the larger ones first; of equal ones that whose label has the higher support, or lower code.

    Two or more itemsets that hold an item are a group. Its label is the item of least support among those that all
    members share, that of the lowest code where supports tie.

    >>> itemsets = [np.array(codes) for codes in ([0, 1, 2], [0, 1, 3], [2, 4])]
    >>> [(sorted(group.members), group.label) for group in groups(itemsets, np.array([9, 8, 7, 6, 5]))]
    [([0, 1], 1), ([0, 2], 2)]
    """
    members: dict[int, list[int]] = defaultdict(list)
    for number, itemset in enumerate(itemsets):
        for item in itemset.tolist():
            members[item].append(number)
    found = []
    for numbers in {frozenset(numbers) for numbers in members.values() if len(numbers) > 1}:
        shared = set.intersection(*(set(itemsets[number].tolist()) for number in numbers))
        found.append(Group(numbers, min(shared, key=lambda item: (supports[item], item))))
    return sorted(found, key=lambda group: (-len(group.members), -supports[group.label], group.label))


def labels(itemsets: Sequence[NDArray[np.int32]], supports: NDArray[np.int64]) -> list[NDArray[np.int32]]:
    """Return the victim of each itemset: the label of the first group that it is in, else its item of least support.

    >>> itemsets = [np.array(codes) for codes in ([0, 1, 2], [0, 1, 3], [2, 4], [5, 6])]
    >>> [victim.tolist() for victim in labels(itemsets, np.array([9, 8, 7, 6, 5, 4, 4]))]
    [[1], [1], [2], [5]]
    """
    label: dict[int, int] = {}
    # Groups are taken as they were: what an earlier one took away does not make a later one smaller.
    for group in groups(itemsets, supports):
        for number in group.members:
            label.setdefault(number, group.label)
    rarest = (int(itemset[np.argmin(supports[itemset])]) for itemset in itemsets)
    return [np.array([label.get(number, own)], dtype=np.int32) for number, own in enumerate(rarest)]
