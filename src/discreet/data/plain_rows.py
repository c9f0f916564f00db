"""Plain rows: collections of labels, laid flat; what cannot be a row or a label is refused."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from discreet.data.itemsets import Label, is_missing, sort_labels
from discreet.errors import InputError


def flatten(rows: Iterable[Iterable[Label]]) -> tuple[list[int], list[Label], bool]:
    """Return the length of each row, the items of all rows, and whether rows are ordered, as in a table.

    >>> flatten([["b", "a"], []])
    ([2, 0], ['b', 'a'], True)
    """
    lengths: list[int] = []
    flat: list[Label] = []
    kinds: set[type] = set()
    for number, row in enumerate(rows, start=1):
        if type(row) not in kinds:
            _check_row(row, number)
            kinds.add(type(row))
        before = len(flat)
        flat.extend(getattr(row, "tolist", row.__iter__)())  # numbers of an array as Python numbers
        lengths.append(len(flat) - before)
    return lengths, flat, not any(issubclass(kind, AbstractSet) for kind in kinds)


def _check_row(row: object, number: int) -> None:
    """Refuse a row that is not a collection of items: text, a number, or a record of columns and values."""
    is_record = isinstance(row, Mapping) or hasattr(type(row), "_fields") or hasattr(type(row), "columns")
    if is_record or isinstance(row, str | bytes | bytearray | memoryview) or not isinstance(row, Iterable):
        raise InputError(
            f"row {number} is of type {type(row).__name__}; a row is a collection of items such as ['bread', 'milk'] "
            "(make a frame of records, and read it with read(frame), with row= and item= if a line holds one item)"
        )


def order_labels(flat: Sequence[Label]) -> tuple[Label, ...]:
    """Return the distinct labels in their fixed order; refuse values that cannot be labels."""
    try:
        labels = sort_labels(flat)
    except TypeError:
        raise InputError(
            "the rows hold items that cannot be labels, such as lists; a row is a collection of items such as "
            "['bread', 'milk'], and rows are a list of them"
        ) from None
    if any(is_missing(label) for label in labels):
        raise InputError("the rows hold missing values; leave them out of the rows, or give them a label")
    return labels
