"""Lists: for each item the numbers of its rows, written one after the other as Roaring bitmaps."""

import hashlib
import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.labels import Label
from discreet.data.transactions import Transactions
from discreet.errors import InputError

MOST_ROWS: Final = 2**32
"""A Roaring bitmap holds numbers of 32 bits."""

DIGEST_BYTES: Final = 16


@dataclass(frozen=True, eq=False, repr=False)
class Lists:
    """The inverted lists of ``n`` rows, as bytes: that of item ``i`` is ``data[starts[i]:starts[i + 1]]``.

    Where they come from a file, ``digests`` are what the bytes of each list must have, and one more part follows the
    lists: the ids of the rows, as JSON.
    """

    n: int
    labels: tuple[Label, ...]
    supports: NDArray[np.int64]
    starts: NDArray[np.int64]
    data: memoryview
    named: Sequence[Hashable] | None = None
    digests: NDArray[np.void] | None = None

    def part(self, number: int) -> bytes:
        """Return the bytes of one list; if they are not what they were when the file was written, that is told."""
        found = bytes(self.data[int(self.starts[number]) : int(self.starts[number + 1])])
        if self.digests is not None and digest(found) != self.digests[number].tobytes():
            raise InputError("the index is damaged; make it again with `discreet index`")
        return found

    @cached_property
    def ids(self) -> Sequence[Hashable] | None:
        """The ids of the rows, if they have ids."""
        if self.digests is None:
            return self.named
        found: Sequence[Hashable] | None = json.loads(self.part(len(self.labels)))
        return found

    def every_digest(self) -> bytes:
        """Return the digests of all lists, one after the other."""
        many = len(self.labels)
        if self.digests is not None:
            return self.digests[:many].tobytes()
        return b"".join(digest(self.part(item)) for item in range(many))

    def are_those_of(self, other: "Lists") -> bool:
        """Return whether both are lists of the same rows, with the same codes, labels and ids."""
        return (
            (self.n, self.labels) == (other.n, other.labels)
            and np.array_equal(self.supports, other.supports)
            and self.every_digest() == other.every_digest()
            and _listed(self.ids) == _listed(other.ids)
        )


def digest(data: bytes) -> bytes:
    """Return what tells these bytes from all others."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def invert(rows: Transactions) -> Lists:
    """Return the inverted lists of rows, in one scan that counts and one that places.

    >>> lists = invert(Transactions([["a", "b"], ["b"]]))
    >>> lists.supports.tolist(), lists.starts.tolist()
    ([1, 2], [0, 18, 38])
    """
    if len(rows) > MOST_ROWS:
        raise InputError(f"there are {len(rows):,} rows; an inverted file takes at most {MOST_ROWS:,}: split them")
    many = len(rows.labels)
    counts = np.zeros((-(-len(rows) // kernels.index.BLOCK), many), dtype=np.int32)
    containers, starts = np.zeros(many, dtype=np.int64), np.zeros(many + 1, dtype=np.int64)
    kernels.index.count(rows.offsets, rows.items, counts)
    kernels.index.measure(counts, containers, starts[1:])
    np.cumsum(starts, out=starts)
    out = np.zeros(int(starts[-1]), dtype=np.uint8)
    kernels.index.write_lists(rows.offsets, rows.items, counts, containers, starts, out)
    supports = counts.sum(axis=0, dtype=np.int64)
    return Lists(len(rows), rows.labels, supports, starts, out.data, rows.ids)


def _listed(ids: Sequence[Hashable] | None) -> list[Hashable] | None:
    return None if ids is None else list(ids)
