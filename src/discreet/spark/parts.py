"""Parts: many rows as one line of a frame, so that Spark moves bytes, and our kernels see arrays."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets

SCHEMA: Final = (
    "key int, total long, rows long, entries long, longest long, lengths binary, items binary, weights binary"
)
"""Columns of a frame of parts: a key, how many rows a part stands for, how many and how long its own are, and these."""


class Part(NamedTuple):
    """Rows of codes (CSR), and how many rows each stands for."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    weights: NDArray[np.int64]

    def of(self, rows: NDArray[np.int64]) -> "Part":
        """Return some of the rows, by their numbers."""
        return Part(*Itemsets(self.offsets, self.items).take(rows).flat, self.weights[rows])


def written(keyed: Iterable[tuple[int, Part]]) -> pa.RecordBatch:
    """Return parts as a batch of a frame, each with its key.

    >>> part = Part(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), np.array([5, 7]))
    >>> [again] = read(written([(3, part)]))
    >>> again.items.tolist(), again.weights.tolist()
    ([0, 1, 1], [5, 7])
    """
    listed = list(keyed)
    lengths = [np.diff(part.offsets).astype(np.int32) for _, part in listed]
    return pa.RecordBatch.from_pydict(
        {
            "key": pa.array([key for key, _ in listed], type=pa.int32()),
            "total": pa.array([int(part.weights.sum()) for _, part in listed], type=pa.int64()),
            "rows": pa.array([part.weights.size for _, part in listed], type=pa.int64()),
            "entries": pa.array([part.items.size for _, part in listed], type=pa.int64()),
            "longest": pa.array([int(each.max(initial=0)) for each in lengths], type=pa.int64()),
            "lengths": pa.array([each.tobytes() for each in lengths], type=pa.binary()),
            "items": pa.array([part.items.tobytes() for _, part in listed], type=pa.binary()),
            "weights": pa.array([part.weights.tobytes() for _, part in listed], type=pa.binary()),
        }
    )


def read(batch: pa.RecordBatch | pa.Table) -> Iterator[Part]:
    """Yield the parts of a batch."""
    columns = (batch.column(name) for name in ("lengths", "items", "weights"))
    for lengths, items, weights in zip(*columns, strict=True):
        yield part_of(lengths.as_py(), items.as_py(), weights.as_py())


def part_of(lengths: bytes, items: bytes, weights: bytes) -> Part:
    """Return the part that its columns hold."""
    ends = np.cumsum(np.frombuffer(lengths, dtype=np.int32), dtype=np.int64)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), ends])
    return Part(offsets, np.frombuffer(items, dtype=np.int32), np.frombuffer(weights, dtype=np.int64))


def joined(parts: Iterable[Part]) -> Part:
    """Return the rows of all parts, one after the other.

    >>> joined([]).offsets.tolist()
    [0]
    """
    listed = list(parts)
    starts = np.cumsum([0, *(part.items.size for part in listed)], dtype=np.int64)
    offsets = [part.offsets[:-1] + start for part, start in zip(listed, starts, strict=False)]
    return Part(
        np.concatenate([*offsets, starts[-1:]]),
        np.concatenate([np.empty(0, dtype=np.int32), *(part.items for part in listed)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.weights for part in listed)]),
    )
