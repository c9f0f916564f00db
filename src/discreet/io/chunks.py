"""Pieces: the rows of a file as they come, never all of them in memory, each item a whole number."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.data.labels import Label
from discreet.errors import InputError
from discreet.io.label_codes import WHOLE_NUMBER


class Piece(NamedTuple):
    """Some rows (CSR), which follow each other in a file, with numbers for items; they may be repeated in a row."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]


class Pieces(NamedTuple):
    """How a format is read in pieces, and the labels of all numbers, in their order, once it was read to the end.

    A format of lines is read from its bytes, others from a path. A second reading gives items the same numbers.
    """

    read: Callable[[Any], Iterator[Piece]]
    labels: Callable[[NDArray[np.int32]], Sequence[Label]]


def piece(rows: Iterable[Sequence[int]]) -> Piece:
    """Return rows of numbers as a piece.

    >>> piece([[3, 1], []]).offsets.tolist()
    [0, 2, 2]
    """
    listed = list(rows)
    offsets = np.cumsum([0, *map(len, listed)], dtype=np.int64)
    return Piece(offsets, np.array([item for row in listed for item in row], dtype=np.int32))


class Grouped:
    """Rows put together from lines of a row id and an item; the ids must rise, so that no row goes on later.

    >>> rows = Grouped()
    >>> [piece.items.tolist() for piece in (rows.add(["7", "7"], [0, 1]), rows.add(["7", "10"], [2, 0]), rows.last())]
    [[], [0, 1, 2], [0]]
    """

    def __init__(self) -> None:
        """Begin without any row."""
        self._row: list[int] = []
        self._id: Hashable = None
        self._orders = {"number", "own"}
        self._lines = 0

    def add(self, ids: Iterable[Any], items: Iterable[int]) -> Piece:
        """Return the rows that are ended by these lines."""
        ended: list[list[int]] = []
        for id_, item in zip(ids, items, strict=True):
            self._lines += 1
            if id_ != self._id:
                if self._lines > 1:
                    ended.append(self._row)
                    self._check_rising(id_)
                self._row, self._id = [], id_
            self._row.append(item)
        return piece(ended)

    def last(self) -> Piece:
        """Return the row that the end of the file ends."""
        return piece([self._row] if self._lines else [])

    def _check_rising(self, id_: Any) -> None:  # noqa: ANN401 - a value of a table
        """Refuse an id that neither as a number nor in its own order is above the one before."""
        self._orders -= {order for order in self._orders if not _is_above(id_, self._id, order)}
        if not self._orders:
            raise InputError(
                f"the row ids do not rise at line {self._lines} of the table; a table is scanned only where a row's "
                "lines stand together: sort it by its row ids, or read all of it"
            )


def _is_above(one: Any, other: Any, order: str) -> bool:  # noqa: ANN401 - values of a table
    if order == "own":
        return bool(other < one)
    texts = str(one), str(other)
    return all(map(WHOLE_NUMBER.fullmatch, texts)) and int(texts[1]) < int(texts[0])
