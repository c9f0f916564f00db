"""Counts: how many rows there are, and how many hold each item."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql
from pyspark.sql.types import LongType, StructField, StructType

from discreet import kernels
from discreet.data.labels import Label, sort_labels
from discreet.data.transactions import LONGEST_ROW
from discreet.errors import InputError
from discreet.spark.frames import batches_of, label_type


@dataclass(frozen=True, eq=False)
class Counts:
    """``n`` rows, the labels of their items in the fixed order, and how many rows hold each."""

    n: int
    labels: tuple[Label, ...]
    supports: NDArray[np.int64]


def counted(rows: DataFrame) -> Counts:
    """Return the counts of a frame of rows, in one pass; refuse missing values, and rows that are too long."""
    fields = [StructField("item", label_type(rows)), *(StructField(name, LongType()) for name in ("count", *FACTS))]
    found = rows.select("items").mapInArrow(tallied, StructType(fields))
    sums = [sql.sum(name).alias(name) for name in ("count", "rows", "missing")]
    table = found.groupBy("item").agg(*sums, sql.max("longest").alias("longest")).toArrow()
    whole = np.array([label is None for label in table.column("item").to_pylist()], dtype=np.bool_)
    facts = {name: sum(table.column(name).to_numpy()[whole].tolist()) for name in FACTS}
    if facts["missing"]:
        raise InputError(
            f"the frame holds {facts['missing']:,} missing values; leave out rows without id or items, and items that "
            "are null, or fill them"
        )
    if facts["longest"] > LONGEST_ROW:
        raise InputError(f"a row holds {facts['longest']:,} items; at most {LONGEST_ROW:,} are allowed")
    items = [label for label in table.column("item").to_pylist() if label is not None]
    held = dict(zip(items, table.column("count").to_numpy()[~whole].tolist(), strict=True))
    labels = sort_labels(items)
    return Counts(facts["rows"], labels, np.array([held[label] for label in labels], dtype=np.int64))


FACTS = ("rows", "missing", "longest")
"""What is told of all items together, on a line without an item."""


def tallied(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield for the rows of a partition how many hold each item, and on a line of its own how many there are."""
    totals: Counter[Label] = Counter()
    rows = missing = longest = 0
    kind = None
    for batch in batches_of(batches):
        rows += batch.offsets.size - 1
        missing += batch.missing
        if batch.missing:
            continue
        coded = batch.values.dictionary_encode()
        kind, items = coded.dictionary.type, coded.indices.to_numpy().copy()
        size = kernels.itemsets.sort_rows(batch.offsets, items)
        longest = max(longest, int(np.diff(batch.offsets).max()))
        held = np.bincount(items[:size], minlength=len(coded.dictionary))
        totals.update(dict(zip(coded.dictionary.to_pylist(), held.tolist(), strict=True)))
    nothing = [0] * len(totals)
    yield pa.RecordBatch.from_pydict(
        {
            "item": pa.array([None, *totals], type=kind),
            "count": pa.array([0, *totals.values()], type=pa.int64()),
            "rows": pa.array([rows, *nothing], type=pa.int64()),
            "missing": pa.array([missing, *nothing], type=pa.int64()),
            "longest": pa.array([longest, *nothing], type=pa.int64()),
        }
    )
