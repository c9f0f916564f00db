"""Tables with a line for each item of a row, or a list of items a line, that lose some of the items."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TypeAlias

from discreet.data.labels import Label
from discreet.errors import InputError, OutputError

Losses: TypeAlias = Mapping[int, Collection[Label]]
"""The items that rows lose, by the number of the row, from 0 on."""


def kept_lines(ids: Iterable[Hashable], items: Iterable[Label], losses: Losses) -> list[bool]:
    """Return which lines of a table with a row id and an item a line stay; rows are numbered as their ids appear.

    A row that loses all of its items is refused: without a line there would be a row less.

    >>> kept_lines([7, 3, 7], ["tea", "tea", "milk"], {0: ["tea"]})
    [False, True, True]
    """
    numbers: dict[Hashable, int] = {}
    pairs = [(numbers.setdefault(name, len(numbers)), item) for name, item in zip(ids, items, strict=True)]
    gone = {(row, item) for row, lost in losses.items() for item in lost}
    check_held(gone - set(pairs))
    kept = [pair not in gone for pair in pairs]
    left = {row for (row, _), stays in zip(pairs, kept, strict=True) if stays}
    if len(left) < len(numbers):
        row = min(set(range(len(numbers))) - left)
        raise OutputError(
            f"row {row + 1} loses all of its items, and a table with a line an item cannot hold a row without any; "
            "write the rows as baskets, or as lists in Parquet"
        )
    return kept


def kept_items(lists: Iterable[Iterable[Label]], losses: Losses) -> list[list[Label]]:
    """Return the lists of the rows that lose items, without these.

    >>> kept_items([["tea", "milk", "tea"]], {4: ["tea"]})
    [['milk']]
    """
    after = []
    for items, (row, lost) in zip(map(list, lists), losses.items(), strict=True):
        check_held({(row, item) for item in lost if item not in items})
        after.append([item for item in items if item not in lost])
    return after


def check_held(missing: Collection[tuple[int, Label]]) -> None:
    """Refuse to remove what rows do not hold: the file is another than the one that was read."""
    if missing:
        row = min(row for row, _ in missing)
        raise InputError(
            f"row {row + 1} does not hold an item that it shall lose; the file has changed since it was read, or was "
            "read with other options"
        )
