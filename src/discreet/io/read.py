"""Readers and writers: files, frames and plain rows in; files out."""

from collections.abc import Iterable, Mapping
from typing import Any

from discreet.data.labels import Label
from discreet.data.patterns import Kind, Patterns
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OptionError
from discreet.io import frames
from discreet.io.files import Place, is_place, is_url, load, name_of, naming, save
from discreet.io.formats import sensitive
from discreet.io.formats.sensitive import Named
from discreet.io.label_codes import patterns_in_order, rows_in_order
from discreet.io.registry import check_options, find, format_of, reading
from discreet.io.rewrite import rewrite
from discreet.io.scan import scan
from discreet.io.sql import databases
from discreet.io.stated_patterns import Listed, Mined, listed
from discreet.runtime import resources

__all__ = ["read", "read_patterns", "read_sensitive", "rewrite", "scan", "write", "write_patterns"]


def read(  # noqa: PLR0913 - all but one by their names, as in scan
    source: Any,  # noqa: ANN401 - a path, an open file, a frame of any library, rows
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    row: str | None = None,
    item: str | None = None,
    items: str | None = None,
    separator: str | None = None,
    table: str | None = None,
    query: str | None = None,
    memory: Any = None,  # noqa: ANN401 - a whole number; typed so that options, which are text, can be handed on
) -> Transactions:
    r"""Return the rows of a file, a frame, a table of a database or any iterable of rows.

    A file is of the format that its suffix tells, also before .gz, .xz or .zst, or that ``format``
    names: fimi, spmf, csv, onehot (a CSV file with a column an item) or parquet; ``"-"`` is standard input. ``row`` and
    ``item`` name the columns of a table with a row id and an item a line, ``items`` a column of lists; a frame without
    these is a one-hot table. ``separator`` stands between the fields of a CSV file. One that looks like another table
    than rows of items is refused, unless both ``format`` and ``separator`` say that it is meant (docs/formats.md).
    A file may unpack to ``memory`` bytes, half of the machine's unless told; more end in a BudgetError.

    A database is a URL: postgresql://user@host/database, sqlite:///file.db or duckdb:///file.duckdb. ``table`` names
    its table, or a ``query`` gives lines, of which ``row`` and ``item`` are columns; the rows stand in the order of
    their ids.

    >>> from io import BytesIO
    >>> read(BytesIO(b"1 2\n2 3\n"), format="fimi")
    <Transactions: 2 rows, 3 items, 4 entries>
    """
    options = {"row": row, "item": item, "items": items, "separator": separator, "table": table, "query": query}
    given = {name: value for name, value in options.items() if value is not None}
    if is_url(source):
        check_options({**given, **({} if format is None else {"format": format})}, databases.OPTIONS, "a database")
        return databases.read(source, table=table, query=query, row=row, item=item)
    if is_place(source) and not frames.is_frame(source):
        form = format_of(source, format, what="rows")
        asked = reading(form, format, given)
        room = None if memory is None else resources.as_memory(memory)
        with naming(source):
            rows: Transactions = form.module.read(load(source, room), **asked)
            return rows
    if format is not None:
        raise OptionError(Option("format"), " is for files; leave it out for frames and rows")
    if frames.is_frame(source):
        return _read_frame(source, given)
    check_options(given, frozenset(), "a source of plain rows")
    return source if isinstance(source, Transactions) else Transactions(source)


def read_patterns(
    source: Any,  # noqa: ANN401 - a path, an open file, a frame of any library, pairs
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    n: int | None = None,
    min_support: Threshold | None = None,
    kind: Kind | None = None,
) -> Patterns:
    r"""Return the patterns of a file, of a frame in the layout of mlxtend, or of pairs of itemset and support.

    The formats are spmf, borgelt, csv, parquet and json. ``n`` is the number of rows that were mined,
    needed where neither the source nor its empty itemset tells; without ``min_support`` the smallest
    support stands for it, and ``kind`` is "frequent" unless the source or you say otherwise.

    >>> from io import BytesIO
    >>> read_patterns(BytesIO(b"a b (2)\n"), format="borgelt", n=3, kind="maximal")
    <Patterns: 1 maximal itemsets, support at least 2 of 3 rows>
    """
    given = Mined(n, min_support, kind)
    if is_place(source) and not frames.is_frame(source):
        form = format_of(source, format, what="patterns")
        with naming(source):
            found: Listed = form.module.read_patterns(load(source), n)
            return found.patterns(given)
    if format is not None:
        raise OptionError(Option("format"), " is for files; leave it out for frames and pairs")
    if frames.is_frame(source):
        return _read_frame_of_patterns(source, n=n, min_support=min_support, kind=kind)
    if isinstance(source, Patterns):
        return source
    return listed(source).patterns(given)


def read_sensitive(source: Place, *, format: str | None = None) -> Named:  # noqa: A002 - as in read
    r"""Return the sensitive itemsets of a file, for ``hide``: one a line, or any format of ``read_patterns``.

    A line lists items, bare or in quotes as in queries, with blanks, commas or ``&`` between them; ``@ 10%`` at its end
    is the share of its rows in which it may still be found. ``#`` begins a comment. Which labels are meant is found
    out when the rows are known. ``format`` is "text" or one of patterns; without it, the suffix tells.

    >>> from io import BytesIO
    >>> from discreet import hide
    >>> sensitive = read_sensitive(BytesIO(b"bread, 'red wine'  # for the partners\n"))
    >>> hidden = hide([["bread", "red wine", "tea"], ["bread", "tea"]], sensitive)
    >>> hidden.before.tolist(), hidden.after.tolist()
    ([1], [0])
    """
    with naming(source):
        data = load(source)
        return sensitive.read(data, name_of(source), sensitive.format_of(source, format, data))


def write(
    rows: Transactions | Iterable[Iterable[Label]],
    target: Place,
    *,
    format: str | None = None,  # noqa: A002 - as in read
    table: str | None = None,
    row: str | None = None,
    item: str | None = None,
) -> None:
    r"""Write rows to a file, so that ``read`` gives them back; ``target`` and ``format`` as in ``read``.

    The file is written beside and moved into place. What the format cannot hold is refused. In a database, rows go to
    a new ``table``, with columns ``row`` and ``item``, in one transaction: all of it is there afterwards, or nothing.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> write([["milk", "bread"], []], file, format="csv")
    >>> file.getvalue()
    b'bread,milk\n\n'
    """
    transactions = rows if isinstance(rows, Transactions) else Transactions(rows)
    given = {name: value for name, value in {"table": table, "row": row, "item": item}.items() if value is not None}
    if is_url(target):
        check_options({} if format is None else {"format"}, frozenset(), "a database")
        databases.write(transactions, str(target), table=table, row=row, item=item)
        return
    form = find(target, format, what="rows")
    check_options(given, frozenset(), "a file that is written")
    save(target, form.module.write(rows_in_order(transactions)))


def write_patterns(
    patterns: Patterns,
    target: Place,
    *,
    format: str | None = None,  # noqa: A002 - as in read
    source: Place | None = None,
) -> None:
    r"""Write patterns to a file, so that ``read_patterns`` gives them back; formats as there.

    The file is written beside and moved into place. What the format cannot hold is refused. Whoever may not read the
    ``source`` of the rows may not read it either.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> write_patterns(Patterns.from_itemsets([(["a", "b"], 2)], n=3), file, format="borgelt")
    >>> file.getvalue()
    b'a b (2)\n'
    """
    form = find(target, format, what="patterns")
    save(target, form.module.write_patterns(patterns_in_order(patterns)), sources=[source])


def _read_frame(frame: Any, given: Mapping[str, str]) -> Transactions:  # noqa: ANN401 - of any library
    if given.keys() == {"row", "item"}:
        return Transactions.from_long(frame, row=given["row"], item=given["item"])
    if "items" in given:
        check_options(given, frozenset({"items", "row"}), "a frame with a column of lists")
        return frames.from_lists(frame, items=given["items"], row=given.get("row")).transactions()
    check_options(given, frozenset(), "a one-hot frame, unlike one of row ids and items,")
    return Transactions.from_onehot(frame)


def _read_frame_of_patterns(
    frame: Any,  # noqa: ANN401 - of any library
    *,
    n: int | None,
    min_support: Threshold | None,
    kind: Kind | None,
) -> Patterns:
    if n is None:
        raise InputError("a frame does not say of how many rows these are patterns; say it with ", Option("n"))
    table = frames.narwhal(frame)
    if "itemsets" not in table.columns or not {"support", "count"} & set(table.columns):
        raise InputError("a frame of patterns needs the columns 'support' (or 'count') and 'itemsets'; rename them")
    count = None if min_support is None else as_count(min_support, n)
    return Patterns.from_pandas(table, n=n, min_support=count, kind=kind or "frequent")
