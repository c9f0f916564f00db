"""Frames of pandas, polars and Arrow, and sparse matrices of SciPy, read by column and never made dense."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import AnyFrame, Itemsets, Label, is_missing, offsets_of, sort_labels
from discreet.errors import InputError, Option
from discreet.io import baskets
from discreet.io.notation import Coded, Coder

AnySource: TypeAlias = Any  # a path, an open file, a frame of any library, or rows as a list of collections
CodeArray: TypeAlias = NDArray[np.int32]
RowNumbers: TypeAlias = NDArray[np.integer]  # the numbers of the rows that hold an item, increasing
MISSING: Final = "column {} of the one-hot table holds missing values; fill them with 0 or False"
SAME_NAME: Final = "two columns have the same label, or one has none; give each column a label of its own"
SLICE: Final = 1 << 16  # values of a column that become Python objects at once


def from_onehot(frame: AnyFrame, *, labels: Sequence[Label] | None = None) -> Coded:
    """Return the rows of a one-hot table, with 1 or True for each item held; ``labels`` names columns of a matrix."""
    n, columns, holders = _read_columns(frame)
    names = list(columns if labels is None else labels)
    if len(names) != len(columns):
        raise InputError(f"there are {len(columns)} columns but {len(names)} labels; give one label a column")
    if len(set(names)) != len(names) or any(map(is_missing, names)):
        raise InputError(SAME_NAME)
    rows_of = dict(zip(names, holders, strict=True))
    return _transpose(n, [(label, rows_of[label]) for label in sort_labels(names)])


def from_long(frame: AnyFrame, *, row: str, item: str) -> Coded:
    """Return the rows of a table with one row id and one item per line, in the order of their first lines."""
    table = as_narwhals(frame)
    _check_columns(table, row, item)
    (rows, ids), (items, labels) = (_encode(table[name], f"column {name!r}") for name in (row, item))
    return group_lines(rows, items, ids, labels)


def group_lines(rows: CodeArray, items: CodeArray, ids: Sequence[Hashable], labels: Sequence[Label]) -> Coded:
    """Return the rows of lines with one row id and one item each, both coded."""
    baskets.check_pairs(rows[: baskets.SEEN].tolist(), [labels[item] for item in items[: baskets.SEEN].tolist()])
    itemsets = Itemsets.from_lengths(np.bincount(rows, minlength=len(ids)), items[np.argsort(rows, kind="stable")])
    return Coded.of(itemsets, labels, list(ids))


def from_lists(frame: AnyFrame, *, items: str, row: str | None = None) -> Coded:
    """Return the rows of a table with one list of items per line, and the row ids of the column ``row``."""
    table = as_narwhals(frame)
    _check_columns(table, items, *([] if row is None else [row]))
    codes: Coder[Hashable] = Coder()
    flat, lengths = [np.zeros(0, dtype=np.int32)], list[int]()
    for part in _slice(table[items]):
        for number, row_items in enumerate(part, start=len(lengths) + 1):
            if isinstance(row_items, str | bytes | Mapping) or not isinstance(row_items, Iterable):
                raise InputError(f"row {number} of column {items!r} holds no list; name another by ", Option("items"))
        lengths.extend(map(len, part))
        flat.append(_add_codes(codes, (label for row_items in part for label in row_items), f"column {items!r}"))
    coded = np.concatenate(flat)
    _check_missing(coded, codes.values, f"column {items!r}")
    ids = None if row is None else [value for part in _slice(table[row]) for value in part]
    return Coded.of(Itemsets.from_lengths(lengths, coded), codes.values, ids)


def _read_columns(frame: AnyFrame) -> tuple[int, Sequence[Label], Iterator[RowNumbers]]:
    if getattr(frame, "ndim", 2) != 2:  # noqa: PLR2004 - rows and columns
        raise InputError(f"an array of {frame.ndim} dimensions is no table; give one of rows and columns")
    if hasattr(type(frame), "tocsc"):
        return frame.shape[0], range(frame.shape[1]), _read_sparse(frame.tocsc())
    if isinstance(frame, np.ndarray):
        if np.ma.is_masked(frame):
            raise InputError("the array has masked values; fill them with 0 or False")
        plain = np.asarray(frame)
        return len(plain), range(plain.shape[1]), (_find_ones(column, at) for at, column in enumerate(plain.T))
    if hasattr(type(frame), "iloc"):
        labels = frame.columns.tolist()
        return len(frame), labels, (_read_pandas(frame.iloc[:, at], at) for at in range(len(labels)))
    table = as_narwhals(frame)
    columns = (_check_complete(table[name], at).to_numpy() for at, name in enumerate(table.columns))
    return len(table), table.columns, (_find_ones(column, at) for at, column in enumerate(columns))


def _transpose(n: int, columns: Sequence[tuple[Label, RowNumbers]]) -> Coded:
    """Turn columns into rows: count the items of each row, then fill the rows item by item, in order."""
    lengths = np.zeros(n, dtype=np.int64)
    for _, rows in columns:
        lengths[rows] += 1
    offsets = offsets_of(lengths)
    free = offsets[:-1].copy()
    items = np.empty(int(offsets[-1]), dtype=np.int32)
    for code, (_, rows) in enumerate(columns):
        items[free[rows]] = code
        free[rows] += 1
    return Coded(Itemsets(offsets, items), tuple(label for label, _ in columns))


def _read_sparse(matrix: AnyFrame) -> Iterator[RowNumbers]:
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    for at, (start, stop) in enumerate(zip(matrix.indptr, matrix.indptr[1:], strict=False)):
        yield matrix.indices[start:stop][_find_ones(matrix.data[start:stop], at)]


def _read_pandas(series: AnyFrame, at: int) -> RowNumbers:
    array = series.array
    if not hasattr(array, "sp_index"):
        return _find_ones(_check_complete(as_narwhals(series, series=True), at).to_numpy(), at)
    stored: RowNumbers = array.sp_index.to_int_index().indices
    if stored.size < array.size and is_missing(array.fill_value):
        raise InputError(MISSING.format(at + 1))
    ones = stored[_find_ones(array.sp_values, at)]
    if stored.size == array.size or not _find_ones(np.array([array.fill_value]), at).size:
        return ones
    held = np.ones(array.size, dtype=np.bool_)  # a sparse column of ones, which lists its zeros
    held[stored] = False
    held[ones] = True
    return np.flatnonzero(held).astype(np.int32)


def _check_complete(series: AnyFrame, at: int) -> AnyFrame:
    import narwhals as nw  # noqa: PLC0415 - as below

    if series.is_null().any():
        raise InputError(MISSING.format(at + 1))
    # NumPy has no integers of 128 bits; no other number becomes a 0 or a 1 as a float.
    return series.cast(nw.Float64) if series.dtype in (nw.Int128, nw.UInt128) else series


def _find_ones(values: NDArray[Any], at: int) -> RowNumbers:
    """Return where ``values`` are 1 or True; refuse any others than 0, 1, True and False."""
    kind = values.dtype.kind
    if (kind == "f" and np.isnan(values).any()) or (kind == "O" and any(map(is_missing, values))):
        raise InputError(MISSING.format(at + 1))
    if values.ndim > 1:  # a column of lists or records
        good = False
    elif kind == "O":
        good = all(np.isscalar(value) and value in (0, 1) for value in values)
    else:
        good = kind == "b" or (kind in "iuf" and bool(((values == 0) | (values == 1)).all()))
    if not good:
        problem = f"column {at + 1} of the one-hot table holds values other than 0, 1, True and False; leave it out or "
        options = (Option("row"), " and ", Option("item"), ", one of lists with ", Option("items"))
        raise InputError(problem, "read a table of row ids and items with ", *options)
    return np.flatnonzero(values).astype(np.int32)


def as_narwhals(native: AnyFrame, *, series: bool = False) -> AnyFrame:
    """Return a frame, or a series, of narwhals."""
    import narwhals as nw  # noqa: PLC0415 - loaded late, so that importing discreet is quick

    try:
        if series:
            return nw.from_native(native, eager_only=True, series_only=True)
        return nw.from_native(native, eager_only=True)
    except nw.exceptions.DuplicateError:
        raise InputError(SAME_NAME) from None
    except TypeError:
        advice = "give a frame of pandas, polars or Arrow"
        raise InputError(f"a table of type {type(native).__name__} cannot be read; {advice}") from None


def _check_columns(table: AnyFrame, *names: str) -> None:
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise InputError(f"none of the {len(table.columns)} columns is called {missing[0]!r}; check its name")


def _slice(series: AnyFrame) -> Iterator[list[Any]]:
    return (series[start : start + SLICE].to_list() for start in range(0, len(series), SLICE))


def _encode(series: AnyFrame, name: str) -> tuple[CodeArray, list[Hashable]]:
    codes: Coder[Hashable] = Coder()
    coded = np.concatenate([np.zeros(0, dtype=np.int32), *(_add_codes(codes, part, name) for part in _slice(series))])
    _check_missing(coded, codes.values, name)
    return coded, codes.values


def _add_codes(codes: Coder[Hashable], values: Iterable[Any], name: str) -> CodeArray:
    try:
        return np.array(codes.encode(values), dtype=np.int32)
    except TypeError:
        raise InputError(f"{name} holds values that cannot be labels, such as lists; name a column of labels") from None


def _check_missing(coded: CodeArray, values: Sequence[Hashable], name: str) -> None:
    missing = [code for code, value in enumerate(values) if is_missing(value)]
    if missing:
        raise InputError(f"{name} holds {np.isin(coded, missing).sum()} missing values; leave them out, or fill them")
