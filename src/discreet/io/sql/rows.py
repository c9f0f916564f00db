"""Rows out of batches of lines in which those of a row follow each other."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.data.labels import Label, recode
from discreet.data.merged import Merged
from discreet.data.transactions import Transactions, check_lengths
from discreet.errors import InputError
from discreet.io.chunks import Piece
from discreet.io.label_codes import Coded, Codes
from discreet.io.merging import Merging
from discreet.io.sql.batches import Batch


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
    items, labels = recode(np.concatenate([part.items for part in parts]), codes.values)
    return Coded(_offsets(parts), items, labels, ids).transactions()


def merged(batches: Iterable[Batch], *, min_support: int, n: int, room: int) -> Merged:
    """Return the merged rows, within so many bytes; so many rows must hold each item, and others of ``n`` hold nothing.

    >>> from discreet.io.sql.batches import listed_batches
    >>> lines = iter([[(3, "a"), (7, "a")], [(9, "a")]])
    >>> list(merged(listed_batches(lines), min_support=3, n=5, room=1 << 20))
    [(frozenset(), 2), (frozenset({'a'}), 3)]
    """
    codes: Codes[Label] = Codes()
    merging, rows = Merging(room), 0
    for part in whole_rows(batches, codes):
        check_lengths(part.lengths, before=rows)
        rows += part.lengths.size
        merging.add(Piece(_offsets([part]), part.items))
    return merging.merged(codes.values, n=n, min_support=min_support)


def _offsets(parts: list[Part]) -> NDArray[np.int64]:
    lengths = np.concatenate([part.lengths for part in parts])
    offsets = np.zeros(lengths.size + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
