"""Labels: what an item is called outside; inside it is a code, its place in the label table."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Label: TypeAlias = Hashable
Itemset: TypeAlias = frozenset[Label]


def ordered(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return the distinct labels in a fixed order, whatever order they came in.

    Labels go by the name of their type; those of one type by their own order, or by their text where they have none.
    Labels that are equal are one item, called by the first of its types.

    >>> ordered(["milk", 10, 9, "beer", 10, 9.0])
    (9.0, 10, 'beer', 'milk')
    """
    by_type: dict[str, dict[Label, None]] = {}
    for label in labels:
        by_type.setdefault(type(label).__qualname__, {})[label] = None
    return tuple(dict.fromkeys(label for _, group in sorted(by_type.items()) for label in _sorted(group)))


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


def _sorted(group: Iterable[Any]) -> list[Label]:
    """Return distinct labels by their own order if that tells any two of them apart, else by their text."""
    try:
        found = sorted(group)
        # Sets compare without an error, but of {1} and {2} neither is less: such an order hangs on how they came.
        if all(one < other for one, other in pairwise(found)):
            return found
    except TypeError:
        pass
    return sorted(group, key=_text)


def _text(label: object) -> str:
    """Return what a label looks like; a set lists its elements in order, not by their hashes."""
    match label:
        case frozenset():
            return "{" + ", ".join(sorted(map(_text, label))) + "}"
        case tuple():
            return "(" + ", ".join(map(_text, label)) + ")"
        case _:
            return repr(label)
