"""Tables in memory: frames of any library, arrays, records and columns; and how each becomes a frame or a matrix."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

import numpy as np

from discreet.data.itemsets import AnyFrame, is_missing
from discreet.errors import InputError
from discreet.io.stores import check_texts, explaining, open_store

FRAMES: Final = ("columns", "__dataframe__", "tocsc")  # what only types of tables have
COLUMNS: Final = ("dtype", "type")  # what columns have that offer Arrow, too
ARRAY: Final = "__arrow_c_array__"
TEXTS: Final = str | bytes | bytearray


def is_frame(source: object) -> bool:
    """Return whether ``source`` is a table: a frame, a matrix, an array of rows and columns, records, or columns.

    >>> is_frame([{"sex": "f"}, {"sex": "m"}]), is_frame({"sex": ["f", "m"]}), is_frame([["a"], ["b"]])
    (True, True, False)
    """
    # Ask the type: a lazy frame warns when it is asked itself, and a column of pandas may have any name.
    kind = type(source)
    if any(hasattr(kind, name) for name in FRAMES):
        return True
    if open_store(source) is not None or hasattr(kind, ARRAY):
        return not any(hasattr(kind, name) for name in COLUMNS)
    if isinstance(source, np.ndarray):
        return source.ndim != 1 or source.dtype.names is not None
    return _are_records(source) or _are_columns(source)


def as_frame(source: AnyFrame, wanted: Iterable[str] = (), memory: int | None = None) -> AnyFrame:
    """Return a table as a frame that is held in memory, a sparse matrix or an array of two dimensions.

    Of a store, only the columns ``wanted`` are read, or all; its frame may take ``memory`` bytes.

    >>> as_frame([{"sex": "f", "age": 31}, {"sex": "m"}]).to_dict(as_series=False)
    {'sex': ['f', 'm'], 'age': [31, None]}
    """
    kind = type(source)
    if kind.__module__.partition(".")[0] == "pyspark":
        raise InputError("the rows are in Spark; use the functions of discreet.spark, which work there (docs/scale.md)")
    if hasattr(kind, "tocsc") or hasattr(kind, "iloc"):
        return source
    if isinstance(source, np.ndarray):
        return source if source.dtype.names is None else _from_columns(_read_fields(source))
    if isinstance(source, Mapping):
        return _from_columns(source)
    if isinstance(source, Sequence):
        names = dict.fromkeys(name for record in source for name in record)
        if not names:
            raise InputError("the records have no columns; give records such as {'sex': 'f', 'age': 31}")
        return _from_columns({name: [record.get(name) for record in source] for name in names})
    return _from_library(source, wanted, memory)


def holds_lists(series: AnyFrame) -> bool:
    """Return whether a column of narwhals holds lists or sets; pandas knows them as objects."""
    if str(series.dtype).startswith(("List", "Array")):
        return True
    values = [value for value in series.to_list() if not is_missing(value)] if str(series.dtype) == "Object" else []
    return bool(values) and all(isinstance(value, list | tuple | AbstractSet | np.ndarray) for value in values)


def _are_records(source: object) -> bool:
    return isinstance(source, list | tuple) and len(source) > 0 and all(isinstance(one, Mapping) for one in source)


def _are_columns(source: object) -> bool:
    return (
        isinstance(source, Mapping)
        and len(source) > 0
        and all(isinstance(one, Iterable) and not isinstance(one, TEXTS | Mapping) for one in source.values())
    )


def _read_fields(array: AnyFrame) -> dict[str, Any]:
    fields = {name: array[name] for name in array.dtype.names}
    if array.ndim != 1 or any(field.ndim != 1 for field in fields.values()):
        raise InputError("an array of records must have one dimension, and fields of one value; make a frame of it")
    return {name: np.char.decode(field) if field.dtype.kind == "S" else field for name, field in fields.items()}


def _from_columns(columns: Mapping[Any, Any]) -> AnyFrame:
    import polars as pl  # noqa: PLC0415 - loaded late, so that importing discreet is quick

    lists = {str(name): getattr(one, "tolist", one.__iter__)() for name, one in columns.items()}
    if len(lists) < len(columns):
        raise InputError("two columns have the same name; give each a name of its own")
    series = {name: _as_series(name, list(values)) for name, values in lists.items()}
    if len({len(one) for one in series.values()}) > 1:
        raise InputError("the columns are not equally long; give each row a value in each column, or None")
    return pl.DataFrame(series)


def _as_series(name: str, values: list[Any]) -> AnyFrame:
    """Return a column; values of several types become text, and those that are no texts or numbers stay as they are."""
    import polars as pl  # noqa: PLC0415 - as above

    try:
        return pl.Series(name, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        if all(isinstance(value, str | int | float | np.generic) or is_missing(value) for value in values):
            return pl.Series(name, [None if is_missing(value) else str(value) for value in values], dtype=pl.String)
        return pl.Series(name, values, dtype=pl.Object)


def _from_library(source: AnyFrame, wanted: Iterable[str], memory: int | None) -> AnyFrame:
    """Return a frame of any library that narwhals or Arrow knows; a store is collected batch by batch."""
    import narwhals as nw  # noqa: PLC0415 - as above
    import polars as pl  # noqa: PLC0415 - as above

    with explaining(f"a table of type {type(source).__name__}"):
        check_texts(source)
        frame = nw.from_native(source, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return frame.to_native()
        store = open_store(source)
        if store is not None:
            return store.collect(wanted, memory)
        if isinstance(frame, nw.LazyFrame):
            return frame.collect().to_native()
        if hasattr(type(source), ARRAY):
            return pl.DataFrame(source)
    advice = "give a frame of pandas, polars, Arrow or DuckDB, or an array"
    raise InputError(f"a table of type {type(source).__name__} cannot be read; {advice}")
