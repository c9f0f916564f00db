"""Frames: the rows of a Spark DataFrame in any layout; counted, queried, and generated."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial, reduce
from hashlib import blake2b
from operator import and_, or_
from typing import Final, NamedTuple, TypedDict, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, SparkSession, types
from pyspark.sql import functions as sql

from discreet import kernels
from discreet.data.generate import BasketOptions, Baskets, Source, check_whole, draw_rows, draw_source, make_generator
from discreet.data.itemsets import Items, Itemsets, Label, as_itemset, sort_labels
from discreet.data.query import Name, parse
from discreet.data.transactions import LONGEST_ROW
from discreet.errors import InputError, OptionError
from discreet.runtime.solver import Numbers
from discreet.spark.failures import CHANGED, in_one_sentence

WHOLE: Final = (types.ByteType, types.ShortType, types.IntegerType, types.LongType)
FLOATS: Final = (types.FloatType, types.DoubleType)
LABELS: Final = (types.StringType, *WHOLE, *FLOATS)
# Types of items that Spark and Python write and compare alike, once floats are doubles without NaN and -0.0.
TEXT: Final = types.StringType()  # compared as it is written, whatever the collation of a column
FLAGS: Final = (types.BooleanType, *WHOLE, *FLOATS)  # types of columns of 0 and 1
BY: Final = "give items= for a column of arrays, or row= and item= for one item per line, or columns of 0 and 1"
MISSING: Final = (
    "missing values, or rows with other values than 0 and 1 in columns of items; leave them out or fill them, and name "
    "a column of row ids by row="
)
TOTALS: Final = ("rows", "missing", "seal", "weight", "longest")  # of all rows, on a line without an item
SEAL: Final = 1 << 40  # seals are added up modulo this, so that the sum of eight million is a long of Spark
LARGEST: Final = {int: 2**63 - 1, float: sys.float_info.max}  # numbers of Spark
TASKS: Final = 16  # tasks that rows are dealt to where the configuration does not say how many
CONNECTIVES: Final[Mapping[str, Callable[[Column, Column], Column]]] = {"&": and_, "|": or_}
BLOCK: Final = 1 << 14  # rows that are drawn from one seed. Another number gives other rows.


class FrameOptions(TypedDict, total=False):
    """The layout of a frame: ``items`` is a column of arrays, or ``row`` and ``item`` stand on a line for each item.

    A frame of arrays may have a ``row`` id too. Without ``items`` and ``item`` the only column of arrays is used. If
    there is none, each column but ``row`` is an item, and holds 0 and 1, or false and true.
    ``budget`` is how many bytes of merged rows may come to the driver: an eighth of its memory by default.
    """

    row: str | None
    item: str | None
    items: str | None
    budget: int | None


class ArrowRows(NamedTuple):
    """Rows of an Arrow batch: row ``r`` has ``values[offsets[r]:offsets[r + 1]]``, unordered and perhaps repeated.

    Where ids matter, ``keys`` are their hashes.
    """

    offsets: Numbers
    values: pa.Array
    missing: int
    keys: Numbers | None = None

    def encode(self, labels: pa.Array) -> Items:
        """Return the place of each value among ``labels``; any other value gets the next code."""
        import pyarrow.compute as pc  # noqa: PLC0415 - only where rows are coded

        places = pc.index_in(self.values, value_set=labels.cast(self.values.type))
        codes: Items = pc.fill_null(places, len(labels)).to_numpy(zero_copy_only=False).astype(np.int32)
        return codes

    def seal(self) -> NDArray[np.uint64]:
        """Return a fingerprint of each row, whatever the order of its items: equal rows have equal sums of these."""
        keys = np.uint64(0) if self.keys is None else scramble(self.keys.astype(np.uint64))
        coded = self.values.dictionary_encode()
        places = coded.indices.to_numpy()
        digests = np.array([_digest(label) for label in coded.dictionary.to_pylist()], dtype=np.uint64)
        return scramble(Itemsets(self.offsets, places).add_up(digests[places]) + keys) % np.uint64(SEAL)


@lru_cache(1 << 16)
def _digest(label: Label) -> int:
    return int.from_bytes(blake2b(str(label).encode("utf-8", "surrogatepass"), digest_size=8).digest())


def scramble(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a scattered number for each; all have 64 bits, and wrap around."""
    mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ mixed >> np.uint64(32)


class ItemCounts(NamedTuple):
    """``n`` rows, the labels of their items in the fixed order, the support of each, and the seals of all rows."""

    n: int
    labels: tuple[Label, ...]
    supports: Numbers
    seal: int


def count_tasks(session: SparkSession) -> int:
    """Return how many tasks to deal rows to: ``spark.default.parallelism``, if it is set."""
    stated = str(session.conf.get("spark.default.parallelism", None))
    return int(stated) if stated.isdecimal() and int(stated) else TASKS


def select_rows(frame: DataFrame, options: FrameOptions) -> DataFrame:
    """Return a frame with a row per line: its ``items``, an array, and its id, ``row``, if the rows have ids.

    A row with a missing id, item or array has no array here, and is refused when rows are counted.
    """
    if unknown := sorted(options.keys() - FrameOptions.__annotations__.keys()):
        raise TypeError(f"there is no option {unknown[0]!r}; a frame has the options row, item, items and budget")
    if not isinstance(frame, DataFrame):
        raise InputError(f"the rows are of type {type(frame).__name__}; give a DataFrame of Spark")
    if frame.isStreaming:
        raise InputError("the frame is a stream, which has no end; write its rows to a table, and give that")
    columns = options.get("row"), options.get("item"), options.get("items")
    row, item, items = (_check_column(frame, name) for name in columns)
    if item is not None:
        if row is None or items is not None:
            raise OptionError(f"item= needs row=, and no items=; {BY}")
        _check_label_type(frame.schema[item].dataType)
        whole = sql.col("row").isNotNull() & (sql.count_if(sql.col("item").isNull()) == 0)
        lines = frame.select(_read_labels(frame, row).alias("row"), _read_labels(frame, item).alias("item"))
        return lines.groupBy("row").agg(sql.when(whole, sql.collect_set("item")).alias("items"))
    name = items or _find_only_array(frame)
    held = _read_flags(frame, row) if name is None else _read_arrays(frame, name)
    if row is None:
        return frame.select(held.alias("items"))
    ids = _read_labels(frame, row)
    return frame.select(ids.alias("row"), sql.when(ids.isNotNull(), held).alias("items"))


def _check_column(frame: DataFrame, name: str | None) -> str | None:
    if name is not None and name not in frame.columns:
        raise InputError(f"none of the {len(frame.columns)} columns is called {name!r}; check its name")
    return name


def _find_only_array(frame: DataFrame) -> str | None:
    names = [field.name for field in frame.schema.fields if isinstance(field.dataType, types.ArrayType)]
    if len(names) > 1:
        raise OptionError(f"the frame has {len(names)} columns of arrays, not one; {BY}")
    return str(names[0]) if names else None


def _check_label_type(kind: types.DataType) -> None:
    if not isinstance(kind, LABELS):
        raise InputError(f"the items are of type {kind.simpleString()}; cast them to text or to numbers")


def _column(name: str) -> Column:
    return sql.col("`{}`".format(name.replace("`", "``")))


def _read_labels(frame: DataFrame, name: str) -> Column:
    kind = frame.schema[name].dataType
    if isinstance(kind, types.StringType):
        return _column(name).cast(TEXT)
    return _as_doubles(_column(name)) if isinstance(kind, FLOATS) else _column(name)


def _as_doubles(floats: Column) -> Column:
    """Return floats as doubles: NaN is missing, and -0.0 is 0.0."""
    return sql.when(~sql.isnan(floats), floats.cast("double") + sql.lit(0.0))


def _read_arrays(frame: DataFrame, name: str) -> Column:
    kind = frame.schema[name].dataType
    if not isinstance(kind, types.ArrayType):
        raise InputError(f"the column {name!r} holds no arrays; {BY}")
    _check_label_type(kind.elementType)
    if isinstance(kind.elementType, types.StringType):
        return _column(name).cast(types.ArrayType(TEXT))
    return sql.transform(_column(name), _as_doubles) if isinstance(kind.elementType, FLOATS) else _column(name)


def _read_flags(frame: DataFrame, row: str | None) -> Column:
    """Return the names of the columns that hold 1 or true; no array if one holds anything but these, 0 and false."""
    fields = [field for field in frame.schema.fields if field.name != row]
    if not fields or not all(isinstance(field.dataType, FLAGS) for field in fields):
        raise OptionError(f"the frame has 0 columns of arrays, not one; {BY}")
    flags = {field.name: _column(field.name).cast("double") for field in fields}
    held = [sql.when(flag == 1, sql.lit(name)) for name, flag in flags.items()]
    are_flags = sql.forall(sql.array(*flags.values()), lambda flag: flag.isin(0.0, 1.0))
    return sql.when(are_flags, sql.array_compact(sql.array(*held)))


def _label_type(rows: DataFrame) -> types.DataType:
    kind = rows.schema["items"].dataType
    assert isinstance(kind, types.ArrayType)  # noqa: S101 - select_rows has seen to it
    return kind.elementType


def read_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[ArrowRows]:
    """Yield the rows of each batch that has any."""
    return (read_batch(batch) for batch in batches if batch.num_rows)


def read_batch(batch: pa.RecordBatch) -> ArrowRows:
    """Return the rows of a batch, and how many values or arrays are missing."""
    column = batch.column("items")
    offsets = column.offsets.to_numpy().astype(np.int64)
    values = column.values[int(offsets[0]) : int(offsets[-1])]
    keys = batch.column("key").to_numpy() if "key" in batch.schema.names else None
    return ArrowRows(offsets - offsets[0], values, column.null_count + values.null_count, keys)


def count_items(rows: DataFrame) -> ItemCounts:
    """Count a frame of rows in one pass; refuse missing values, and rows that are too long."""
    schema = types.StructType().add("item", _label_type(rows))
    for name in ("count", *TOTALS):
        schema.add(name, types.LongType())
    lines = rows.drop("row").mapInArrow(tally_partition, schema)
    sums = [sql.sum(name).alias(name) for name in ("count", *TOTALS[:-1])]
    table = lines.groupBy("item").agg(*sums, sql.max("longest").alias("longest")).toArrow()
    is_total = np.array([label is None for label in table.column("item").to_pylist()], dtype=np.bool_)
    totals = {name: sum(table.column(name).to_numpy()[is_total].tolist()) for name in TOTALS}
    if totals["missing"]:
        raise InputError(f"the frame holds {totals['missing']:,} {MISSING}")
    if totals["longest"] > LONGEST_ROW:
        raise InputError(f"a row holds {totals['longest']:,} items; at most {LONGEST_ROW:,} are allowed")
    items = [label for label in table.column("item").to_pylist() if label is not None]
    supports = dict(zip(items, table.column("count").to_numpy()[~is_total].tolist(), strict=True))
    labels = sort_labels(items)
    # Spark adds up each item by itself. If an executor dies meanwhile, some supports may be of other rows.
    if _weigh(supports) != totals["weight"] % SEAL:
        raise InputError(CHANGED)
    counts = np.array([supports[label] for label in labels], dtype=np.int64)
    return ItemCounts(totals["rows"], labels, counts, totals["seal"] % SEAL)


def _weigh(supports: Mapping[Label, int]) -> int:
    """Return the sum of the supports, each times the fingerprint of its item."""
    return sum(_digest(label) * support for label, support in supports.items()) % SEAL


def tally_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the support of each item in a partition, and the totals on a line without an item."""
    supports: Counter[Label] = Counter()
    rows, missing, seal, longest, kind = 0, 0, 0, 0, None
    for batch in read_batches(batches):
        rows += batch.offsets.size - 1
        missing += batch.missing
        if batch.missing:
            continue
        seal += int(batch.seal().sum())
        coded = batch.values.dictionary_encode()
        kind, items = coded.dictionary.type, coded.indices.to_numpy().copy()
        size = kernels.itemsets.sort_rows(batch.offsets, items)
        longest = max(longest, int(np.diff(batch.offsets).max()))
        held = np.bincount(items[:size], minlength=len(coded.dictionary))
        supports.update(dict(zip(coded.dictionary.to_pylist(), held.tolist(), strict=True)))
    columns = {"count": [0, *supports.values()]}
    totals = zip(TOTALS, (rows, missing, seal % SEAL, _weigh(supports), longest), strict=True)
    columns |= {name: [one, *[0] * len(supports)] for name, one in totals}
    numbers = {name: pa.array(values, type=pa.int64()) for name, values in columns.items()}
    yield pa.RecordBatch.from_pydict({"item": pa.array([None, *supports], type=kind), **numbers})


@in_one_sentence()
def query(frame: DataFrame, wanted: str | Iterable[Label], **options: Unpack[FrameOptions]) -> DataFrame:
    """Return the rows that hold every item of an itemset, or make a query true, with their ids if they have some.

    A query is text, as in ``Transactions.support``. Spark computes the rows when they are used, and ends with an error
    if values are missing.
    """
    rows = select_rows(frame, options)
    kind = {types.StringType: str, types.DoubleType: float}.get(type(_label_type(rows)), int)
    if not isinstance(wanted, str):
        held = (_holds(label, kind) for label in as_itemset(wanted))
        return _filter(rows, reduce(and_, held, sql.lit(col=True)))
    stack: list[Column] = []
    for step in parse(wanted).steps:
        if isinstance(step, Name):
            stack.append(_holds(_read_name(step, kind), kind))
        else:
            stack.append(~stack.pop() if step == "~" else CONNECTIVES[step](stack.pop(), stack.pop()))
    return _filter(rows, stack.pop())


def _filter(rows: DataFrame, wanted: Column) -> DataFrame:
    """Return the rows that are ``wanted``; Spark refuses missing values, which would be neither wanted nor unwanted."""
    is_whole = sql.coalesce(sql.forall("items", lambda item: item.isNotNull()), sql.lit(col=False))
    return rows.filter(sql.when(sql.assert_true(is_whole, sql.lit(f"the frame holds {MISSING}")).isNull(), wanted))


def _holds(label: Label, kind: type) -> Column:
    """Return whether a row holds an item; none holds an item of another type."""
    if kind is str:
        fits = isinstance(label, str)
    else:
        fits = isinstance(label, int | float) and abs(label) <= LARGEST[kind] and label == kind(label)
    return sql.array_contains("items", sql.lit(kind(label))) if fits else sql.lit(col=False)


def _read_name(name: Name, kind: type) -> Label:
    """Return the label of this kind that is written like this name, quoted or not."""
    try:
        label = kind(name.text)
    except ValueError:
        return None
    return label if str(label) == name.text else None


@in_one_sentence()
def quest(
    session: SparkSession, n: int, *, seed: int = 1, partitions: int | None = None, **options: Unpack[BasketOptions]
) -> DataFrame:
    """Generate ``n`` market baskets: a ``row`` id, counted from 0, and ``items``.

    They are drawn as by ``quest`` on one machine, from the same potentially large itemsets for the same seed, but in
    blocks of 16,384 rows. Each block draws from the seed and its own number, so its partition does not matter.
    """
    count, baskets = check_whole("n", n), Baskets(**options)
    source, many = draw_source(make_generator(seed), baskets), -(-count // BLOCK)
    parts = partitions or max(1, min(many, 4 * count_tasks(session)))
    blocks = session.range(0, many, 1, check_whole("partitions", parts, least=1))
    run = partial(draw_partition, source=source, seed=seed, length=baskets.length, count=count)
    return blocks.mapInArrow(run, "row long, items array<int>")


def draw_partition(
    batches: Iterator[pa.RecordBatch], source: Source, seed: int, length: float, count: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the blocks whose numbers are in the batches."""
    for block in (block for batch in batches for block in batch.column("id").to_pylist()):
        first = block * BLOCK
        size = min(BLOCK, count - first)
        rows = draw_rows(np.random.Generator(np.random.PCG64([seed, block])), source, length, size)
        items = np.array(rows.labels, dtype=np.int32)[rows.items]
        arrays = pa.ListArray.from_arrays(pa.array(rows.offsets, type=pa.int32()), pa.array(items))
        ids = pa.array(np.arange(first, first + size), type=pa.int64())
        yield pa.RecordBatch.from_arrays([ids, arrays], names=["row", "items"])
