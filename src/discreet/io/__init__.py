"""Readers and writers: files, frames and plain rows in; files out."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from discreet.errors import InputError, OptionError
from discreet.io import frames
from discreet.io.coding import patterns_in_order, rows_in_order
from discreet.io.files import Place, check_there, is_place, load, name_of, save
from discreet.io.formats import Format, find
from discreet.io.listed import Listed, Mined, listed
from discreet.labels import Label
from discreet.patterns import Kind, Patterns
from discreet.thresholds import Threshold, as_count
from discreet.transactions import Transactions

__all__ = ["read", "read_patterns", "write", "write_patterns"]


def read(
    source: Any,  # noqa: ANN401 - a path, an open file, a frame of any library, rows
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    row: str | None = None,
    item: str | None = None,
    items: str | None = None,
    separator: str | None = None,
) -> Transactions:
    r"""Return the rows of a file, a frame or any iterable of rows.

    A file is of the format that its suffix tells, also before .gz, .xz or .zst, or that ``format``
    names: fimi, spmf, csv or parquet; ``"-"`` is standard input. ``row`` and ``item`` name the columns of
    a table with a row id and an item a line, ``items`` a column of lists; a frame without these is a
    one-hot table. ``separator`` stands between the labels of a CSV file.

    >>> from io import BytesIO
    >>> read(BytesIO(b"1 2\n2 3\n"), format="fimi")
    <Transactions: 2 rows, 3 items, 4 entries>
    """
    options = {"row": row, "item": item, "items": items, "separator": separator}
    given = {name: value for name, value in options.items() if value is not None}
    if is_place(source) and not frames.is_frame(source):
        form = _format_of(source, format, what="rows")
        _check_options(given, form.options, f"the format {form.name}")
        with _naming(source):
            rows: Transactions = form.module.read(load(source), **given)
            return rows
    if format is not None:
        raise OptionError("format= is for files; leave it out for frames and rows")
    if frames.is_frame(source):
        return _read_frame(source, given)
    _check_options(given, frozenset(), "a source of plain rows")
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
        form = _format_of(source, format, what="patterns")
        with _naming(source):
            found: Listed = form.module.read_patterns(load(source), n)
            return found.patterns(given)
    if format is not None:
        raise OptionError("format= is for files; leave it out for frames and pairs")
    if frames.is_frame(source):
        return _read_frame_of_patterns(source, n=n, min_support=min_support, kind=kind)
    if isinstance(source, Patterns):
        return source
    return listed(source).patterns(given)


def write(rows: Transactions | Iterable[Iterable[Label]], target: Place, *, format: str | None = None) -> None:  # noqa: A002 - as in read
    r"""Write rows to a file, so that ``read`` gives them back; ``target`` and ``format`` as in ``read``.

    The file is written beside and moved into place. What the format cannot hold is refused.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> write([["milk", "bread"], []], file, format="csv")
    >>> file.getvalue()
    b'bread,milk\n\n'
    """
    form = find(target, format, what="rows")
    transactions = rows if isinstance(rows, Transactions) else Transactions(rows)
    save(target, form.module.write(rows_in_order(transactions)))


def write_patterns(patterns: Patterns, target: Place, *, format: str | None = None) -> None:  # noqa: A002 - as in read
    r"""Write patterns to a file, so that ``read_patterns`` gives them back; formats as there.

    The file is written beside and moved into place. What the format cannot hold is refused.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> write_patterns(Patterns.from_itemsets([(["a", "b"], 2)], n=3), file, format="borgelt")
    >>> file.getvalue()
    b'a b (2)\n'
    """
    form = find(target, format, what="patterns")
    save(target, form.module.write_patterns(patterns_in_order(patterns)))


def _read_frame(frame: Any, given: Mapping[str, str]) -> Transactions:  # noqa: ANN401 - of any library
    if given.keys() == {"row", "item"}:
        return Transactions.from_long(frame, row=given["row"], item=given["item"])
    if "items" in given:
        _check_options(given, frozenset({"items", "row"}), "a frame with a column of lists")
        return frames.from_lists(frame, items=given["items"], row=given.get("row")).transactions()
    _check_options(given, frozenset(), "a one-hot frame, unlike one with both row= and item=,")
    return Transactions.from_onehot(frame)


def _read_frame_of_patterns(
    frame: Any,  # noqa: ANN401 - of any library
    *,
    n: int | None,
    min_support: Threshold | None,
    kind: Kind | None,
) -> Patterns:
    if n is None:
        raise InputError("a frame does not say of how many rows these are patterns; say it with n=")
    table = frames.narwhal(frame)
    if "itemsets" not in table.columns or not {"support", "count"} & set(table.columns):
        raise InputError("a frame of patterns needs the columns 'support' (or 'count') and 'itemsets'; rename them")
    count = None if min_support is None else as_count(min_support, n)
    return Patterns.from_pandas(table, n=n, min_support=count, kind=kind or "frequent")


def _format_of(source: Place, name: str | None, *, what: str) -> Format:
    """Return the format of a source; that there is no such file is said before anything about its suffix."""
    try:
        return find(source, name, what=what)
    except OptionError:
        with _naming(source):
            check_there(source)
        raise


def _check_options(given: Iterable[str], allowed: Collection[str], what: str) -> None:
    for name in given:
        if name not in allowed:
            raise OptionError(f"{name}= means nothing for {what}; leave it out, or name the right format")


@contextmanager
def _naming(source: Place) -> Iterator[None]:
    """Put the name of the source before what is wrong with it."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name_of(source)}: {error}") from None
