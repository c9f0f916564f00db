"""Batches of lines, a row id and an item each, as they come from a database; each column has its values once."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.labels import Label
from discreet.io.label_codes import Codes

LINES: Final = 1 << 16
"""Lines that are fetched, or written, at a time where the library does not choose."""

Chunk: TypeAlias = tuple[list[Label], list[Label]]
"""Row ids and items to write."""


class Column(NamedTuple):
    """Values in the order in which they first appear, and the place of each line's value among them."""

    values: list[Label]
    codes: NDArray[np.int64]


class Batch(NamedTuple):
    """Some lines."""

    rows: Column
    items: Column


def arrow_batches(reader: Iterable[Any]) -> Iterator[Batch]:
    """Yield batches of Arrow as ours; empty ones are left out."""
    for batch in reader:
        if batch.num_rows:
            rows, items = (batch.column(at).dictionary_encode() for at in (0, 1))
            yield Batch(_column(rows), _column(items))


def listed_batches(lines: Iterator[list[tuple[Label, Label]]]) -> Iterator[Batch]:
    """Yield lists of lines as batches."""
    for block in lines:
        rows, items = zip(*block, strict=True)
        yield Batch(_coded(rows), _coded(items))


def _column(encoded: Any) -> Column:  # noqa: ANN401 - a dictionary array of Arrow
    return Column(encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64))


def _coded(values: Iterable[Label]) -> Column:
    codes: Codes[Label] = Codes()
    places = codes.of(values)
    return Column(codes.values, np.array(places, dtype=np.int64))
