"""Rows as the lines of a new table."""

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np

from discreet.data.labels import Label, recode
from discreet.data.transactions import Transactions
from discreet.errors import OutputError
from discreet.io.label_codes import used, whole_labels
from discreet.io.sql.batches import LINES, Chunk


class Written(NamedTuple):
    """Rows in the order of their ids, with labels that occur; each has an id and an item at least."""

    rows: Transactions
    ids: Sequence[Label]

    @classmethod
    def of(cls, rows: Transactions) -> Self:
        """Refuse rows that lines with a row id and an item cannot hold.

        >>> lines = Written.of(Transactions([["b"], ["a"]], ids=["y", "x"]))
        >>> list(lines.chunks()), lines.kinds
        ([(['x', 'y'], ['a', 'b'])], ('TEXT', 'TEXT'))
        """
        lengths = np.diff(rows.offsets)
        if not lengths.all():
            raise OutputError(
                f"row {int(np.argmin(lengths)) + 1} has no items, and a table with a line an item cannot hold such a "
                "row; write the rows as baskets, or as lists in Parquet"
            )
        codes = used(rows)
        whole_labels(rows, codes, "a table")
        ids = list(range(1, rows.n + 1)) if rows.ids is None else list(rows.ids)
        if len(set(ids)) < len(ids):
            raise OutputError("two rows have the same id, and would be one row in the table; give each its own")
        _kind(ids)
        comparable: list[Any] = ids
        order = np.array(sorted(range(rows.n), key=comparable.__getitem__), dtype=np.int64)
        place = np.full(len(rows.labels), -1, dtype=np.int32)
        place[codes] = np.arange(len(codes), dtype=np.int32)
        offsets = np.concatenate([[0], np.cumsum(lengths[order])])
        at = np.arange(offsets[-1]) + np.repeat(rows.offsets[order] - offsets[:-1], lengths[order])
        items, labels = recode(place[rows.items[at]], [rows.labels[code] for code in codes])
        ids = [ids[row] for row in order.tolist()]
        return cls(Transactions.from_codes(offsets, items, labels, ids=ids), ids)

    @property
    def kinds(self) -> tuple[str, str]:
        """Whether the row ids, and the items, are whole numbers or text."""
        return _kind(self.ids), _kind(self.rows.labels)

    def chunks(self) -> Iterator[Chunk]:
        """Yield row ids and items, many lines at a time."""
        numbers = np.repeat(np.arange(self.rows.n), np.diff(self.rows.offsets))
        for start in range(0, numbers.size, LINES):
            rows, items = (array[start : start + LINES].tolist() for array in (numbers, self.rows.items))
            yield [self.ids[row] for row in rows], [self.rows.labels[item] for item in items]


def _kind(values: Sequence[Label]) -> str:
    """Return whether values are whole numbers or text, as databases have them."""
    if all(isinstance(value, str) for value in values):
        if any("\ud800" <= letter <= "\udfff" for value in values for letter in str(value)):
            raise OutputError("an item or a row id is no text that UTF-8 can hold; rename it")
        return "TEXT"
    if all(isinstance(value, Integral) and not isinstance(value, bool) for value in values) and all(
        -(1 << 63) <= int(value) < 1 << 63  # type: ignore[call-overload]  # whole numbers, all of them
        for value in values
    ):
        return "WHOLE"
    raise OutputError("items, or row ids, are not all text or all whole numbers of 64 bits; rename them")
