"""Stores: tables that come in batches, such as lazy frames, datasets and streams; each kind is a line of a table."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from typing import Any, Final, NamedTuple

from discreet.data.itemsets import AnyFrame
from discreet.errors import DiscreetError, InputError
from discreet.io.names import find_column
from discreet.io.options import RowOptions
from discreet.runtime import resources
from discreet.runtime.parquet_footer import silence_stderr

LINES: Final = 1 << 16  # rows of a batch, where its library lets us choose
COLLECT: Final = "check the query behind it, or collect it yourself"
NO_TYPE: Final = "a column is of a type that cannot be read, such as an interval; leave it out, or make it text"
NO_TEXT: Final = "a text of the table is not UTF-8, or the table is damaged; mend it where it comes from"
NO_ROWS: Final = "the table has no rows; check where they come from: a stream that was read before has none left"


class Store(NamedTuple):
    """A table that is read in batches: each call of ``read`` begins a pass, over some columns or, without any, all.

    ``names`` are those of the columns where they are known before a pass. A store that is read once has one pass only.
    """

    what: str
    read: Callable[[list[str]], Iterable[AnyFrame]]
    names: Callable[[], Iterable[str]] | None = None
    is_once: bool = False
    form: str = "frame"
    remedy: str = COLLECT

    def columns(self) -> list[str]:
        """Return the names of the columns; a store that does not know them is asked for its first batch."""
        if self.names is not None:
            return list(self.names())
        with closing(self.batches()) as batches:
            first: list[str] = next(batches).columns
        return first

    def batches(self, wanted: Iterable[str] = ()) -> Generator[AnyFrame]:
        """Yield frames of polars that are not empty, of the columns ``wanted`` or of all; refuse a store without rows.

        >>> import polars as pl
        >>> store = open_store(pl.LazyFrame({"id": [1, 2], "sex": ["f", "m"]}))
        >>> [batch.rows() for batch in store.batches(["sex"])]
        [[('f',), ('m',)]]
        """
        is_empty, asked = True, list(wanted)
        with explaining(self.what, self.remedy), ExitStack() as after:
            columns = [find_column(list(self.names()), name) for name in asked] if self.names else []
            reading = iter(self.read(columns))
            after.callback(getattr(reading, "close", int))  # also where the caller stops early
            for batch in reading:
                frame = _as_polars(batch)
                if len(frame):
                    is_empty = False
                    yield frame.select(frame[find_column(frame.columns, name)] for name in asked) if asked else frame
        if is_empty:
            raise InputError(NO_ROWS)

    def collect(self, wanted: Iterable[str] = (), memory: int | None = None) -> AnyFrame:
        """Return all batches as one frame of polars that holds each text once; it may take ``memory`` bytes."""
        held, most, room = None, 0, resources.as_memory(memory)
        with closing(self.batches(wanted)) as batches:
            for batch in batches:
                most += batch.estimated_size()
                held = _append(held, _encode_texts(batch))
                del batch  # before the next one is read
                if most > room:  # it is at most so large: measure how large it is
                    most = _measure(held)
                    resources.check_room(most, memory, "the table")
        return held


def _as_polars(batch: AnyFrame) -> AnyFrame:
    """Return a batch as a frame of polars; types of others, such as numbers of PostgreSQL, are as they are stored."""
    import polars as pl  # noqa: PLC0415 - loaded late, so that importing discreet is quick

    check_texts(batch)
    try:
        with silence_stderr():
            frame = pl.DataFrame(batch)
    except pl.exceptions.PanicException:
        raise InputError(NO_TYPE) from None
    ours = getattr(pl, "BaseExtension", ())  # not before polars 1.36
    return frame.with_columns(column.ext.storage() for column in frame if isinstance(column.dtype, ours))


def check_texts(batch: AnyFrame) -> None:
    """Refuse a table or a batch of Arrow with texts that are none: polars would take them as they are, and fail."""
    if type(batch).__module__.startswith("pyarrow.") and hasattr(type(batch), "validate"):
        try:
            batch.validate(full=True)
        except ValueError:
            raise InputError(NO_TEXT) from None


def _encode_texts(frame: AnyFrame) -> AnyFrame:
    """Return a frame with a number for each text, and the texts in a table of polars."""
    import polars as pl  # noqa: PLC0415 - as above

    texts = {pl.String: pl.Categorical, pl.List(pl.String): pl.List(pl.Categorical)}
    return frame.cast({name: texts[kind] for name, kind in frame.schema.items() if kind in texts})


def _append(held: AnyFrame | None, batch: AnyFrame) -> AnyFrame:
    """Return two frames as one; the batch is copied, so that nothing of what it came from is kept."""
    import polars as pl  # noqa: PLC0415 - as above

    held = batch.clear() if held is None else held
    if held.schema != batch.schema:  # a column without values has no type before it has some
        return pl.concat([held, batch], how="vertical_relaxed", rechunk=True)
    return held.extend(batch)


def _measure(frame: AnyFrame) -> int:
    import polars as pl  # noqa: PLC0415 - as above

    texts = [column.explode() if column.dtype == pl.List else column for column in frame]
    known = [column.unique().cast(pl.String) for column in texts if column.dtype == pl.Categorical]
    return sum(int(one.estimated_size()) for one in (frame, *known))


class Kind(NamedTuple):
    """A kind of store: what no other type has, how a pass over columns begins, and what it calls its columns."""

    mark: str
    read: Callable[[Any, list[str]], Iterable[AnyFrame]]
    names: Callable[[Any], Iterable[str]] | None = None
    is_once: bool = False


def _select(lazy: AnyFrame, names: list[str]) -> AnyFrame:
    import polars.selectors as cs  # noqa: PLC0415 - as above

    return lazy.select(cs.by_name(names)) if names else lazy  # a plain name could be a pattern of names


def _project(relation: AnyFrame, names: list[str]) -> AnyFrame:
    from duckdb import ColumnExpression  # noqa: PLC0415 - optional

    return relation.select(*map(ColumnExpression, names)) if names else relation


def _import_stream(source: AnyFrame, names: list[str]) -> Iterable[AnyFrame]:  # noqa: ARG001 - it has all columns
    try:
        from pyarrow import RecordBatchReader  # noqa: PLC0415 - optional
    except ImportError:
        return [source]  # polars takes it as a whole
    batches: Iterable[AnyFrame] = RecordBatchReader.from_stream(source)
    return batches


KINDS: Final = (
    Kind(  # a lazy frame of polars
        "collect_batches",
        lambda lazy, names: _select(lazy, names).collect_batches(chunk_size=LINES),
        lambda lazy: lazy.collect_schema(),
    ),
    Kind(  # a table of Ibis
        "to_pyarrow_batches",
        lambda table, names: (table.select(*names) if names else table).to_pyarrow_batches(chunk_size=LINES),
        lambda table: table.columns,
    ),
    Kind(  # a relation of DuckDB
        "set_alias",
        lambda relation, names: _project(relation, names).to_arrow_reader(LINES),
        lambda relation: relation.columns,
    ),
    Kind(  # a dataset of Arrow
        "get_fragments",
        lambda dataset, names: dataset.to_batches(columns=names or None, batch_size=LINES),
        lambda dataset: dataset.schema.names,
    ),
    Kind("projected_schema", lambda scanner, _: scanner.to_batches()),  # a scanner of Arrow
    Kind("read_next_batch", lambda reader, _: reader, lambda reader: reader.schema.names, is_once=True),  # of Arrow
    Kind("__arrow_c_stream__", _import_stream),  # anything else that offers Arrow's stream
)
"""The kinds of stores; the first counts whose mark a type has."""


def open_store(source: AnyFrame) -> Store | None:
    """Return the store that ``source`` is, by its type; None if it is none.

    >>> import polars as pl
    >>> open_store(pl.LazyFrame({"sex": ["f"]})).collect().rows(), open_store([["f"]])
    ([('f',)], None)
    """
    kind = next((one for one in KINDS if hasattr(type(source), one.mark)), None)
    if kind is None:
        return None
    what = f"a table of type {type(source).__name__}"
    return Store(what, partial(kind.read, source), kind.names and partial(kind.names, source), kind.is_once)


@contextmanager
def explaining(what: str, remedy: str = COLLECT) -> Iterator[None]:
    """Say in our words that a table cannot be read; those of any library may hold data."""
    try:
        yield
    except DiscreetError:
        raise
    except Exception as error:  # noqa: BLE001 - a query of any library fails in any way
        raise InputError(f"{what} could not be collected ({type(error).__name__}); {remedy}") from None


def narrow(options: RowOptions) -> list[str]:
    """Return the columns that are needed where options name those of people and items; else none, which means all.

    Who does not say whose rows these are may have a column that tells.

    >>> narrow(RowOptions("id", "drug", person="who")), narrow(RowOptions("id", "drug"))
    (['id', 'drug', 'who'], [])
    """
    if options.person is None or (options.item is None and options.items is None):
        return []
    used = (options.row, options.item, options.items, options.person)
    return list(dict.fromkeys(name for name in used if name is not None))
