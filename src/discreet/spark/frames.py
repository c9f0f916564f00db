"""Frames: the rows of a Spark DataFrame, whether it has a row or an item of a row a line."""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypedDict

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql
from pyspark.sql.types import ArrayType, ByteType, DataType, IntegerType, LongType, ShortType, StringType

from discreet.errors import InputError, OptionError

LABELS: Final = (StringType, ByteType, ShortType, IntegerType, LongType)
"""Types of items that Spark and Python write alike, and compare alike."""

BY: Final = "give items= for a column of arrays, or row= and item= for an item a line"


class Shape(TypedDict, total=False):
    """How a frame holds rows: ``items`` is a column of arrays; or ``row`` and ``item`` are on a line for each item.

    A frame of arrays may have a ``row`` id as well. Without ``items`` and ``item`` the one column of arrays is taken.
    ``budget`` is how many bytes of merged rows may come to the driver: an eighth of its memory unless told.
    """

    row: str | None
    item: str | None
    items: str | None
    budget: int | None


class Arrays(NamedTuple):
    """Rows of an Arrow batch: row ``r`` has ``values[offsets[r]:offsets[r + 1]]``, in any order, some perhaps twice."""

    offsets: NDArray[np.int64]
    values: pa.Array
    missing: int


def rows_of(frame: DataFrame, shape: Shape) -> DataFrame:
    """Return a frame with a row a line: its ``items``, an array, and its id, ``row``, where the rows have ids.

    A row with a missing id, a missing item or no array has no array here, and is refused when rows are counted.
    """
    if not isinstance(frame, DataFrame):
        raise InputError(f"the rows are of type {type(frame).__name__}; give a DataFrame of Spark")
    row, item = _column(frame, shape.get("row")), _column(frame, shape.get("item"))
    if item is not None:
        if row is None or shape.get("items") is not None:
            raise OptionError(f"item= needs row=, and no items=; {BY}")
        _check_label(frame.schema[item].dataType)
        whole = sql.col("row").isNotNull() & (sql.count_if(sql.col("item").isNull()) == 0)
        lines = frame.select(sql.col(f"`{row}`").alias("row"), sql.col(f"`{item}`").alias("item"))
        return lines.groupBy("row").agg(sql.when(whole, sql.collect_set("item")).alias("items"))
    items = _column(frame, shape.get("items")) or _only_array(frame)
    kind = frame.schema[items].dataType
    if not isinstance(kind, ArrayType):
        raise InputError(f"the column {items!r} holds no arrays; {BY}")
    _check_label(kind.elementType)
    if row is None:
        return frame.select(sql.col(f"`{items}`").alias("items"))
    present = sql.when(sql.col(f"`{row}`").isNotNull(), sql.col(f"`{items}`"))
    return frame.select(sql.col(f"`{row}`").alias("row"), present.alias("items"))


def label_type(rows: DataFrame) -> DataType:
    """Return the type of the items."""
    kind = rows.schema["items"].dataType
    assert isinstance(kind, ArrayType)  # noqa: S101 - rows_of has seen to it
    return kind.elementType


def arrays(batch: pa.RecordBatch) -> Arrays:
    """Return the rows of a batch, and how many values or arrays are missing."""
    column = batch.column("items")
    offsets = column.offsets.to_numpy().astype(np.int64)
    values = column.values[int(offsets[0]) : int(offsets[-1])]
    return Arrays(offsets - offsets[0], values, column.null_count + values.null_count)


def codes(rows: Arrays, labels: pa.Array) -> NDArray[np.int32]:
    """Return the code of each value, its place among ``labels``; that behind the last for any other value."""
    import pyarrow.compute as pc  # noqa: PLC0415 - only where rows are coded

    found = pc.index_in(rows.values, value_set=labels.cast(rows.values.type))
    coded: NDArray[np.int32] = pc.fill_null(found, len(labels)).to_numpy(zero_copy_only=False).astype(np.int32)
    return coded


def batches_of(batches: Iterator[pa.RecordBatch]) -> Iterator[Arrays]:
    """Yield the rows of each batch that has any."""
    return (arrays(batch) for batch in batches if batch.num_rows)


def _column(frame: DataFrame, name: str | None) -> str | None:
    if name is not None and name not in frame.columns:
        raise InputError(f"none of the {len(frame.columns)} columns is called {name!r}; check its name")
    return name


def _only_array(frame: DataFrame) -> str:
    found = [field.name for field in frame.schema.fields if isinstance(field.dataType, ArrayType)]
    if len(found) != 1:
        raise OptionError(f"the frame has {len(found)} columns of arrays, not one; {BY}")
    return str(found[0])


def _check_label(kind: DataType) -> None:
    if not isinstance(kind, LABELS):
        raise InputError(f"the items are of type {kind.simpleString()}; cast them to text or to whole numbers")
