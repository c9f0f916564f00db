"""Labels: the names of items; inside, an item is a code, its place in the table of labels."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Label: TypeAlias = Hashable
Itemset: TypeAlias = frozenset[Label]


def sort_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return the distinct labels in a fixed order, whatever order they came in.

    They are sorted by the name of their type; within a type by their own order, or by their text if they have none.
    Equal labels are one item, named by the first of its types.

    >>> sort_labels(["milk", 10, 9, "beer", 10, 9.0])
    (9.0, 10, 'beer', 'milk')
    """
    by_type: dict[str, dict[Label, None]] = {}
    for label in labels:
        by_type.setdefault(type(label).__qualname__, {})[label] = None
    return tuple(dict.fromkeys(label for _, group in sorted(by_type.items()) for label in _sorted(group)))


def recode(items: NDArray[np.int32], labels: Sequence[Label]) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    """Return ``items`` in new codes that follow the fixed order of the labels.

    >>> items, labels = recode(np.array([0, 1], np.int32), ["milk", "beer"])
    >>> items.tolist(), labels
    ([1, 0], ('beer', 'milk'))
    """
    after = sort_labels(labels)
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


def _sorted(group: Iterable[Any]) -> list[Label]:
    """Sort distinct labels by their own order if it is total, else by their text."""
    try:
        labels = sorted(group)
        # Sets compare without an error, but neither of {1} and {2} is less: the result would depend on the input order.
        if all(one < other for one, other in pairwise(labels)):
            return labels
    except TypeError:
        pass
    return sorted(group, key=_text)


def _text(label: object) -> str:
    """Return the text of a label; a set lists its elements in order, not by their hashes."""
    match label:
        case frozenset():
            return "{" + ", ".join(sorted(map(_text, label))) + "}"
        case tuple():
            return "(" + ", ".join(map(_text, label)) + ")"
        case _:
            return repr(label)
