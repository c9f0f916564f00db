"""The one door: files, frames and plain rows in; files out."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Unpack

from discreet.data.itemsets import AnyFrame, Label
from discreet.data.patterns import Kind, Patterns
from discreet.data.reading import Reading
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Transactions, as_transactions
from discreet.errors import InputError, Message, Option, OptionError
from discreet.io import databases, frames
from discreet.io.codebook import read_labels, rename
from discreet.io.contents import look_into
from discreet.io.files import (
    Bytes,
    Place,
    as_path,
    is_place,
    is_url,
    load,
    naming,
    save,
    suffix_of,
)
from discreet.io.formats.patterns import NOT_STATED, collect_patterns
from discreet.io.frames import AnySource
from discreet.io.hierarchies import add_ancestors
from discreet.io.joined import find_joined, find_single
from discreet.io.joining import add_empty, add_people, join_rows
from discreet.io.mined import are_patterns, read_pairs
from discreet.io.natives import as_frame, is_frame
from discreet.io.notation import sort_pattern_codes, sort_row_codes
from discreet.io.options import RowArguments, RowOptions, check_options
from discreet.io.parts import SUFFIXES, are_parts, find_parts
from discreet.io.queries import find_connection, open_query
from discreet.io.readings import describe, drop_blank_end, find_alike, find_totals, mention_blanks
from discreet.io.shapes import SHAPES, read_frame
from discreet.io.sniff import head_of
from discreet.io.sources import (
    FRAMED,
    TABBED,
    Source,
    find_format,
    find_listed,
    find_source,
    find_source_format,
    pattern_functions,
    row_functions,
)
from discreet.io.stores import narrow
from discreet.runtime import resources
from discreet.runtime.text import count_of


def read(
    source: AnySource,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    memory: int | None = None,
    **how: Unpack[RowArguments],
) -> Transactions:
    r"""Return the rows of a file, a frame, a store, a database or any iterable of rows; ``.reading`` says how.

    How a file is laid out is found from its first part: its encoding, separator, header and shape. Where several
    readings are plausible, it is refused, and the message names the option for each. ``format`` is a shape (baskets,
    long, onehot, table) or a file format (fimi, spmf, csv, parquet …); "-" is standard input. See docs/your-data.md.

    - ``row`` and ``item`` name the columns of a table with a row id and an item per line; ``items`` a column of lists
    - in a table with one column per attribute, ``columns`` are kept, or ``drop`` left out; ``na`` are texts that mean
      "missing", beside empty, NA and NaN; ``bins`` groups numbers: ``{"age": 10}``, ``{"age": [0, 18, 65]}`` or
      ``{"age": "q4"}``
    - ``person`` names the column of people whose rows are merged, or, with ``per="visit"``, counted as well
    - ``separator``, ``encoding`` and ``header`` are found if they are not given; with ``empty_rows``, a blank line is a
      row without items
    - several files with ``row`` and ``item`` are joined by their row ids; ``everyone`` is a table of all row ids, or
      ``n`` their number, for those without any item; ``labels`` is a table of codes and their names
    - by a ``hierarchy``, rows also hold the ancestors of their items: a mapping, a file of children and parents, or
      prefixes such as "prefix:3,1" (docs/hierarchies.md)
    - a file may unpack to ``memory`` bytes, by default half of the machine's; a larger one raises a BudgetError

    A database is a URL: postgresql://user@host/database, sqlite:///file.db or duckdb:///file.duckdb. ``table`` names
    its table, or ``query`` selects lines; ``row`` and ``item`` name two of their columns. The rows are in the order of
    their ids.

    A store comes in batches, and what is kept of it may take ``memory`` bytes: a folder or a pattern of Parquet files,
    which are one table; a lazy frame of polars, a dataset or a stream of Arrow, a relation of DuckDB, a table of Ibis;
    or an open connection (DBAPI 2 or ADBC) with a ``query``.

    >>> from io import BytesIO
    >>> read(BytesIO(b"1 2\n2 3\n"), format="fimi")
    <Transactions: 2 rows, 3 items, 4 entries>
    """
    options = RowOptions.of(how)
    plain = options._replace(labels=None, everyone=None, n=None, hierarchy=None)
    if isinstance(source, list | tuple) and source and all(map(is_place, source)):
        if None in (options.row, options.item):
            columns = (Option("row"), " and ", Option("item"))
            advice = "; if they are parts of one table, give their folder, or a pattern of names in quotes"
            problem = "several files are joined by their row ids; name the columns with "
            raise OptionError(problem, *columns, advice * all(suffix_of(one) in SUFFIXES for one in source))
        return _complete(join_rows([_read(one, format, memory, plain) for one in source]), options)
    return _complete(_read(source, format, memory, plain), options)


def _complete(rows: Transactions, options: RowOptions) -> Transactions:
    """Return rows with names for codes, with those who have no item, and with the ancestors of their items."""
    if options.everyone is not None:
        rows = add_people(rows, options.everyone, options.row)
    if options.n is not None:
        rows = add_empty(rows, options.n)
    rows = rows if options.labels is None else rename(rows, read_labels(options.labels))
    return rows if options.hierarchy is None else add_ancestors(rows, options.hierarchy)


def _read(source: AnySource, format: str | None, memory: int | None, options: RowOptions) -> Transactions:  # noqa: A002
    if is_url(source):
        found = databases.read(source, databases.check_options(options, format))
        return describe(found, Reading("long", "database", row=options.row, item=options.item, confirmed=True))
    room = None if memory is None else resources.as_memory(memory)
    if (connection := find_connection(source)) is not None:
        frame = open_query(connection, options).collect(narrow(options), room)
        return read_frame(frame, options._replace(query=None), _find_shape(format), "database")
    if is_place(source):
        with naming(source):
            if are_parts(source):
                return _read_parts(source, format, room, options)
            data = load(source, room)
            return _read_bytes(data, find_source(source, format, options, head_of(data)))
    if is_frame(source):
        return read_frame(as_frame(source, narrow(options), room), options, _find_shape(format))
    if options.query is not None:
        advice = "give its URL, or an open connection, such as engine.connect() of SQLAlchemy"
        raise OptionError(Option("query"), f" is for a database, not for {type(source).__name__}; {advice}")
    if format is not None:
        raise OptionError(Option("format"), " is for files and frames; leave it out for rows")
    check_options(options.given, frozenset(), "a source of plain rows")
    return source if isinstance(source, Transactions) else Transactions(source)


def _read_parts(place: Place, format: str | None, room: int | None, options: RowOptions) -> Transactions:  # noqa: A002
    """Return the rows of a folder or a pattern of Parquet files."""
    from discreet.io.formats import parquet  # noqa: PLC0415 - it loads polars

    parts = find_parts(place)
    shape = None if format == "parquet" else _find_shape(format)
    frame = parquet.open_parts(parts, resources.as_memory(room)).collect(narrow(options), room)
    rows = read_frame(frame, options, shape, "parquet")
    known = rows.reading or Reading("rows", "parquet")
    return rows.describe(
        reading=replace(known, notes=(*known.notes, f"{count_of(len(parts.files), 'file')} of one table"))
    )


def read_patterns(
    source: AnySource,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    n: int | None = None,
    min_support: Threshold | None = None,
    kind: Kind | None = None,
    max_length: int | None = None,
) -> Patterns:
    r"""Return the patterns of a file, of a frame in the layout of mlxtend, or of pairs of itemset and support.

    The formats are spmf, borgelt, csv, parquet, json, pmml, arules, mlxtend and pami. ``n`` is the number of rows that
    were mined, needed where neither the source nor its empty itemset states it. By default ``min_support`` is the
    smallest support, and ``kind`` is that of the source, else "frequent". ``max_length`` says that itemsets of more
    items were left out, where the source does not; a list that was cut and is not said to be could be judged wrongly.

    >>> from io import BytesIO
    >>> read_patterns(BytesIO(b"a b (2)\n"), format="borgelt", n=3, kind="maximal")
    <Patterns: 1 maximal itemsets, support at least 2 of 3 rows>
    """
    if is_place(source):
        form = find_source_format(source, format, what="patterns")
        with naming(source):
            data = load(source)
            form = form if format is not None else find_listed(form, data)
            stated = pattern_functions(form).read(data, n)
            found = stated.patterns(n, min_support, kind, max_length)
        doubts = _find_doubts(found) if stated.mined == NOT_STATED else find_joined(found.labels)
        doubt = stated.doubt[:1].upper() + stated.doubt[1:]
        return _describe_patterns(found, form.name, [*[Message(doubt)] * bool(doubt), *doubts])
    if format is not None:
        raise OptionError(Option("format"), " is for files; leave it out for frames and pairs")
    if isinstance(source, Patterns):
        return source
    if is_frame(source):
        found = _read_pattern_frame(as_frame(source), n, min_support, kind, max_length)
    else:
        found = collect_patterns(read_pairs(source, n)).patterns(n, min_support, kind, max_length)
    doubts = _find_doubts(found)
    return _describe_patterns(found, "memory", doubts) if doubts or find_alike(found.labels) else found


def _find_doubts(patterns: Patterns) -> list[Message]:
    """Return the doubts about patterns whose source does not say how they were mined."""
    joined = find_joined(patterns.labels) or find_single(patterns.itemsets, patterns.max_length)
    return [*find_totals(patterns), *joined]


def _describe_patterns(patterns: Patterns, form: str, doubts: list[Message]) -> Patterns:
    """Return patterns with their reading, and its doubts."""
    notes = (f"{len(patterns):,} {patterns.kind} itemset{'s' * (len(patterns) != 1)}",)
    known = Reading("patterns", form, n=patterns.n, items=len(patterns.labels), confirmed=True, notes=notes)
    return replace(patterns, reading=replace(known, doubts=(*find_alike(patterns.labels), *doubts)))


def find_patterns(
    source: AnySource, *, n: int | None, kind: Kind | None, max_length: int | None, mined: bool
) -> AnySource:
    """Return the patterns that ``source`` lists; a file may do so if it was ``mined``, and rows stay rows."""
    path = as_path(source) if is_place(source) and not is_url(source) else None
    is_said = n is not None or kind is not None
    if path is not None:
        with naming(path):
            lists = mined and (is_said or look_into(path).is_patterns)
    else:
        source = as_frame(source) if is_frame(source) else source  # a reader of Arrow can be read once
        lists = are_patterns(source)
    if lists:
        return read_patterns(source, n=n, kind=kind, max_length=max_length)
    if is_said:
        option = Option("n" if kind is None else "kind")
        raise OptionError(option, " is for a list of patterns that does not say it; leave it out for rows")
    return source


def write(
    rows: Transactions | Iterable[Iterable[Label]],
    target: Place,
    *,
    format: str | None = None,  # noqa: A002 - as in read
    table: str | None = None,
    row: str | None = None,
    item: str | None = None,
) -> None:
    r"""Write rows to a file that ``read`` reads back; ``target`` and ``format`` as in ``read``.

    The file is written beside ``target`` and moved into place. Rows that the format cannot hold are refused. In a
    database, rows go to a new ``table`` with columns ``row`` and ``item``, in one transaction.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> write([["milk", "bread"], []], file, format="csv")
    >>> file.getvalue()
    b'bread,milk\n\n'
    """
    transactions = as_transactions(rows)
    options = RowOptions(row, item, table=table)
    if is_url(target):
        databases.write(transactions, str(target), databases.check_options(options, format))
        return
    form = find_format(target, format, what="rows")
    check_options(options.given, frozenset(), "a file that is written")
    save(target, row_functions(form).write(sort_row_codes(transactions)))


def write_patterns(
    patterns: Patterns,
    target: Place,
    *,
    format: str | None = None,  # noqa: A002 - as in read
    source: Place | None = None,
) -> None:
    r"""Write patterns to a file that ``read_patterns`` reads back; formats as there.

    The file is written beside ``target`` and moved into place. Patterns that the format cannot hold are refused. Only
    those who may read the ``source`` of the rows may read the file.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> write_patterns(Patterns.from_itemsets([(["a", "b"], 2)], n=3), file, format="borgelt")
    >>> file.getvalue()
    b'a b (2)\n'
    """
    functions = pattern_functions(find_format(target, format, what="patterns"))
    write = (suffix_of(target) in TABBED and functions.write_tabs) or functions.write
    save(target, write(sort_pattern_codes(patterns)), sources=[source])


def _read_bytes(data: Bytes, found: Source) -> Transactions:
    """Return the rows of a file, and how they were understood."""
    rows = row_functions(found.form).read(b"".join(found.clean([data])), found.options)
    if found.form.name in FRAMED:
        return rows
    if found.has_blank_rows and not found.options.empty_rows:
        end = sum(map(len, drop_blank_end([rows.itemsets])))
        return describe(rows[:end], mention_blanks(found.reading, rows.n - end))
    return describe(rows, found.reading)


def _find_shape(name: str | None) -> str | None:
    if name is None or name in SHAPES:
        return name
    raise OptionError(f"a frame has no format {str(name)[:40]!r}; it is read as one of {', '.join(SHAPES)}")


def _read_pattern_frame(
    frame: AnyFrame, n: int | None, min_support: Threshold | None, kind: Kind | None, max_length: int | None
) -> Patterns:
    if n is None:
        raise InputError("a frame does not say of how many rows these are patterns; say it with ", Option("n"))
    table = frames.as_narwhals(frame)
    if "itemsets" not in table.columns or not {"support", "count"} & set(table.columns):
        raise InputError("a frame of patterns needs the columns 'support' (or 'count') and 'itemsets'; rename them")
    count = None if min_support is None else as_count(min_support, n)
    return Patterns.from_pandas(table, n=n, min_support=count, kind=kind or "frequent", max_length=max_length)
