"""Rows out of batches of lines in which those of a row follow each other."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import machine
from discreet.errors import BudgetError, InputError
from discreet.io.coding import Coded, Codes
from discreet.io.sql.batches import Batch
from discreet.labels import Label, in_order
from discreet.merged import Merged
from discreet.transactions import Transactions

BYTES_A_ROW: Final = 64
BYTES_AN_ENTRY: Final = 16
"""What a different row takes, and each item of it, while it is merged with others."""
FEW: Final = 1 << 22
"""Entries that are gathered before equal rows are merged; more, where the merged ones have more."""


class Part(NamedTuple):
    """Some whole rows: their ids, how many items each has, and these by their codes; an item may be there twice."""

    ids: list[Label]
    lengths: NDArray[np.int64]
    items: NDArray[np.int32]


def whole_rows(batches: Iterable[Batch], codes: Codes[Label]) -> Iterator[Part]:
    """Yield the rows of batches; the last of each waits for the next batch, which may go on with it.

    >>> from discreet.io.sql.batches import listed_batches
    >>> lines = iter([[(3, "a"), (7, "b")], [(7, "a")]])
    >>> [(part.ids, part.lengths.tolist(), part.items.tolist()) for part in whole_rows(listed_batches(lines), Codes())]
    [([3], [1], [0]), ([], [], []), ([7], [2], [0, 1])]
    """
    last = Part([], np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32))
    for batch in batches:
        if (np.diff(batch.rows.codes) < 0).any():
            raise InputError("lines of one row do not stand together; see that its id is told in one way only")
        ids = batch.rows.values
        lengths = np.bincount(batch.rows.codes, minlength=len(ids))
        items = np.array(codes.of(batch.items.values), dtype=np.int32)[batch.items.codes]
        if last.ids == ids[:1]:
            lengths[0] += last.items.size
        else:
            ids, lengths = last.ids + ids, np.concatenate([last.lengths, lengths])
        items = np.concatenate([last.items, items])
        cut = items.size - int(lengths[-1])
        yield Part(ids[:-1], lengths[:-1], items[:cut])
        held = np.unique(items[cut:])
        last = Part(ids[-1:], np.array([held.size]), held)
    yield last


def gathered(batches: Iterable[Batch]) -> Transactions:
    """Return the rows with their ids."""
    codes: Codes[Label] = Codes()
    parts = list(whole_rows(batches, codes))
    ids = [name for part in parts for name in part.ids]
    if len(set(ids)) < len(ids):
        raise InputError("lines of one row do not stand together; see that its id is told in one way only")
    items, labels = in_order(np.concatenate([part.items for part in parts]), codes.values)
    return Coded(_offsets(parts), items, labels, ids).transactions()


def merged(batches: Iterable[Batch], *, min_support: int, n: int, memory: int | None = None) -> Merged:
    """Return the merged rows, within so much memory; others, of ``n`` in all, hold nothing."""
    room = machine.memory() // 2 if memory is None else memory
    codes: Codes[Label] = Codes()
    found, waiting, entries = _nothing(), list[Part](), 0
    for part in whole_rows(batches, codes):
        waiting.append(part)
        entries += part.items.size
        if entries > max(FEW, found.items.size):
            found, waiting, entries = _joined(found, waiting, len(codes.values)), [], 0
        if BYTES_A_ROW * found.weights.size + BYTES_AN_ENTRY * found.items.size > room:
            raise BudgetError(
                f"more than {found.weights.size:,} different rows are left, and do not fit into {machine.size(room)}; "
                "raise memory or min_support"
            )
    found = _joined(found, waiting, len(codes.values))
    items, labels = in_order(found.items, codes.values)
    rows = Transactions.from_codes(found.offsets.copy(), items.copy(), labels)
    return Merged.from_codes(rows.offsets, rows.items, found.weights, labels, min_support=min_support, n=n)


def _joined(found: Merged, parts: list[Part], many: int) -> Merged:
    """Return merged rows with some more, the codes as they are: none of them is rare yet."""
    more = Transactions.from_codes(_offsets(parts), np.concatenate([part.items for part in parts]), range(many))
    offsets = np.concatenate([found.offsets, more.offsets[1:] + found.offsets[-1]])
    items = np.concatenate([found.items, more.items])
    weights = np.concatenate([found.weights, np.ones(more.n, dtype=np.int64)])
    return Merged.from_codes(offsets, items, weights, range(many), min_support=0)


def _nothing() -> Merged:
    none = np.zeros(0, dtype=np.int64)
    return Merged(np.zeros(1, dtype=np.int64), none.astype(np.int32), none, (), 0, 0)


def _offsets(parts: list[Part]) -> NDArray[np.int64]:
    lengths = np.concatenate([part.lengths for part in parts])
    offsets = np.zeros(lengths.size + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
