"""Labels: what an item is called outside; inside it is a code, its place in the label table."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Label: TypeAlias = Hashable
Itemset: TypeAlias = frozenset[Label]


def ordered(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return the distinct labels in a fixed order, whatever order they came in.

    Labels of one type go by their own order, or by their text where they have none.

    >>> ordered(["milk", 10, 9, "beer", 10])
    (9, 10, 'beer', 'milk')
    """
    by_type: dict[str, set[Label]] = {}
    for label in labels:
        by_type.setdefault(type(label).__qualname__, set()).add(label)
    return tuple(label for _, group in sorted(by_type.items()) for label in _sorted(group))


def in_order(items: NDArray[np.int32], labels: Sequence[Label]) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    """Return ``items`` coded anew, so that the codes follow the fixed order of the labels.

    >>> items, labels = in_order(np.array([0, 1], np.int32), ["milk", "beer"])
    >>> items.tolist(), labels
    ([1, 0], ('beer', 'milk'))
    """
    after = ordered(labels)
    if after == tuple(labels):
        return items, after
    place = {label: code for code, label in enumerate(after)}
    return np.array([place[label] for label in labels], dtype=np.int32)[items], after


def is_missing(label: object) -> bool:
    """Return whether ``label`` stands for a missing value (None, NaN, NaT, NA).

    >>> [is_missing(label) for label in (None, float("nan"), 0, "", "nan")]
    [True, True, False, False, False]
    """
    return label is None or (not isinstance(label, str) and str(label) in {"nan", "NaT", "<NA>"})


def _sorted(group: set[Label]) -> list[Label]:
    try:
        return sorted(group)  # type: ignore[type-var]  # labels that cannot be compared go by their text below
    except TypeError:
        return sorted(group, key=repr)
