"""The one door: files, frames and plain rows in; files out."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from discreet.data.itemsets import AnyFrame, Itemset, Label
from discreet.data.patterns import Kind, Patterns
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OptionError
from discreet.io import databases, files, frames
from discreet.io.files import Place, check_there, is_frame, is_place, is_url, load, naming, save, stream, suffix_of
from discreet.io.formats import csv, fimi, onehot, patterns
from discreet.io.formats.patterns import PatternFunctions, collect_patterns
from discreet.io.frames import AnySource
from discreet.io.line_files import Losses, remove_items, spread_losses
from discreet.io.notation import RowFunctions, RowOptions, check_options, sort_pattern_codes, sort_row_codes
from discreet.runtime import resources


@dataclass(frozen=True)
class Format:
    """A file format: its suffixes, its functions for rows and patterns, its options; ``lines``: each line is a row."""

    name: str
    suffixes: tuple[str, ...]
    rows: Callable[[], RowFunctions] | None = None
    patterns: Callable[[], PatternFunctions] | None = None
    options: frozenset[str] = frozenset()
    lines: bool = False


def _parquet() -> tuple[RowFunctions, PatternFunctions]:
    from discreet.io.formats import parquet  # noqa: PLC0415 - it loads polars

    return parquet.ROWS, parquet.PATTERNS


_CSV_OPTIONS: Final = frozenset({"separator", "row", "item"})
_PARQUET_OPTIONS: Final = frozenset({"items", "row", "item"})
FORMATS: Final = {
    form.name: form
    for form in (
        Format("fimi", (".dat", ".fimi"), lambda: fimi.FIMI, lines=True),
        Format("spmf", (".txt", ".spmf"), lambda: fimi.SPMF, lambda: fimi.PATTERNS, lines=True),
        Format("csv", (".csv", ".basket"), lambda: csv.ROWS, lambda: patterns.CSV, _CSV_OPTIONS, lines=True),
        Format("onehot", (), lambda: onehot.ROWS, options=frozenset({"separator", "row"})),
        Format("parquet", (".parquet", ".pq"), lambda: _parquet()[0], lambda: _parquet()[1], _PARQUET_OPTIONS),
        Format("json", (".json",), patterns=lambda: patterns.JSON),
        Format("borgelt", (".out",), patterns=lambda: patterns.BORGELT),
    )
}


def find_format(place: Place, name: str | None, *, what: Literal["rows", "patterns"]) -> Format:
    """Return the format called ``name``, else that of the suffix of ``place``; it must hold ``what``.

    >>> find_format("retail.dat.gz", None, what="rows").name
    'fimi'
    """
    formats = {form.name: form for form in FORMATS.values() if getattr(form, what)}
    if is_url(place):
        check_there(place)
    if name in formats:
        return formats[name]
    if name is not None:
        raise OptionError(f"format is {str(name)[:40]!r}; {what} can be in one of {', '.join(formats)}")
    suffix = suffix_of(place)
    for form in formats.values():
        if suffix in form.suffixes:
            return form
    known = ", ".join(form.name + f" ({' '.join(form.suffixes)})" * bool(form.suffixes) for form in formats.values())
    problem = f"the suffix {suffix[:40]!r} is of no format" if suffix else "there is no suffix that shows the format"
    raise OptionError(f"{problem} of {what}; name one with ", Option("format"), f": {known}")


def find_source_format(source: Place, name: str | None, *, what: Literal["rows", "patterns"]) -> Format:
    """Return the format of a source; a missing file is reported before an unknown suffix."""
    try:
        return find_format(source, name, what=what)
    except OptionError:
        with naming(source):
            check_there(source)
        raise


def row_functions(form: Format) -> RowFunctions:
    """Return the functions of a format that holds rows."""
    if form.rows is None:
        raise OptionError(f"the format {form.name} holds no rows; name another with ", Option("format"))
    return form.rows()


def pattern_functions(form: Format) -> PatternFunctions:
    """Return the functions of a format that holds patterns."""
    if form.patterns is None:
        raise OptionError(f"the format {form.name} holds no patterns; name another with ", Option("format"))
    return form.patterns()


def check_reading(form: Format, name: str | None, options: RowOptions) -> RowOptions:
    """Return the options of a reader, checked; baskets are meant if the caller names both format and separator."""
    check_options(options.given, form.options, f"the format {form.name}")
    return options._replace(is_meant=form.name == "csv" and bool(name) and options.separator is not None)


def read(  # noqa: PLR0913 - all but one by their names, as in scan
    source: AnySource,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    row: str | None = None,
    item: str | None = None,
    items: str | None = None,
    separator: str | None = None,
    table: str | None = None,
    query: str | None = None,
    memory: Any = None,  # noqa: ANN401 - a whole number; typed so that options, which are text, can be unpacked
) -> Transactions:
    r"""Return the rows of a file, a frame, a table of a database or any iterable of rows.

    The suffix of a file, also before .gz, .xz or .zst, or ``format`` names its format: fimi, spmf, csv, onehot (a CSV
    file with one column per item) or parquet; ``"-"`` is standard input. ``row`` and ``item`` name the columns of a
    table with one row id and one item per line, ``items`` a column of lists; a frame without these is a one-hot table.
    ``separator`` separates the fields of a CSV file. A CSV file that looks like another table than baskets is refused,
    unless both ``format`` and ``separator`` are given (docs/formats.md). A file may unpack to ``memory`` bytes, by
    default half of the machine's; a larger one raises a BudgetError.

    A database is a URL: postgresql://user@host/database, sqlite:///file.db or duckdb:///file.duckdb. ``table`` names
    its table, or ``query`` selects lines; ``row`` and ``item`` name two of their columns. The rows are in the order of
    their ids.

    >>> from io import BytesIO
    >>> read(BytesIO(b"1 2\n2 3\n"), format="fimi")
    <Transactions: 2 rows, 3 items, 4 entries>
    """
    options = RowOptions(row, item, items, separator, table=table, query=query)
    if is_url(source):
        return databases.read(source, databases.check_options(options, format))
    if is_place(source):
        form = find_source_format(source, format, what="rows")
        options = check_reading(form, format, options)
        room = None if memory is None else resources.as_memory(memory)
        with naming(source):
            return row_functions(form).read(load(source, room), options)
    if format is not None:
        raise OptionError(Option("format"), " is for files; leave it out for frames and rows")
    if is_frame(source):
        return _read_frame(source, options.given)
    check_options(options.given, frozenset(), "a source of plain rows")
    return source if isinstance(source, Transactions) else Transactions(source)


def read_patterns(
    source: AnySource,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    n: int | None = None,
    min_support: Threshold | None = None,
    kind: Kind | None = None,
) -> Patterns:
    r"""Return the patterns of a file, of a frame in the layout of mlxtend, or of pairs of itemset and support.

    The formats are spmf, borgelt, csv, parquet and json. ``n`` is the number of rows that were mined, needed where
    neither the source nor its empty itemset states it. By default ``min_support`` is the smallest support, and ``kind``
    is that of the source, else "frequent".

    >>> from io import BytesIO
    >>> read_patterns(BytesIO(b"a b (2)\n"), format="borgelt", n=3, kind="maximal")
    <Patterns: 1 maximal itemsets, support at least 2 of 3 rows>
    """
    if is_place(source):
        form = find_source_format(source, format, what="patterns")
        with naming(source):
            return pattern_functions(form).read(load(source), n).patterns(n, min_support, kind)
    if format is not None:
        raise OptionError(Option("format"), " is for files; leave it out for frames and pairs")
    if is_frame(source):
        return _read_pattern_frame(source, n, min_support, kind)
    return source if isinstance(source, Patterns) else collect_patterns(source).patterns(n, min_support, kind)


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
    transactions = rows if isinstance(rows, Transactions) else Transactions(rows)
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
    form = find_format(target, format, what="patterns")
    save(target, pattern_functions(form).write(sort_pattern_codes(patterns)), sources=[source])


def rewrite(
    source: Place,
    target: Place,
    removed: Iterable[tuple[int, Itemset]],
    *,
    format: str | None = None,  # noqa: A002 - as in read
    row: str | None = None,
    item: str | None = None,
    items: str | None = None,
    separator: str | None = None,
) -> None:
    r"""Write a file of rows again without the items that rows lose, such as ``Hidden.log``; options as in ``read``.

    ``target`` has the format of ``source``. All else stays: in files of one row per line, other lines keep their bytes,
    and a row without items becomes an empty line; in tables, other lines and columns are kept. A table of one item per
    line cannot hold a row without items, so such a row is refused. ``target`` must be another file; it is written
    beside and moved into place, compressed as its suffix says, and only those who may read ``source`` may read it.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> rewrite(BytesIO(b"milk,rye bread\n\ntea,milk\n"), file, [(0, frozenset(["milk"]))], format="csv")
    >>> file.getvalue()
    b'rye bread\n\ntea,milk\n'
    """
    form = find_rewrite_format(source, target, format)
    options = check_reading(form, format, RowOptions(row, item, items, separator))
    losses = {number: frozenset(lost) for number, lost in sorted(removed) if lost}
    with naming(source):
        save(target, _rewrite(source, losses, form, options), sources=[source])


def find_rewrite_format(source: Place, target: Place, name: str | None) -> Format:
    """Return the format of ``source``; refuse a ``target`` that is the same file, or of another format."""
    form = find_source_format(source, name, what="rows")
    old, new = files.as_path(source), files.as_path(target)
    if old is not None and new is not None and old.exists() and new.exists() and old.samefile(new):
        raise OptionError("the rows would be written over the file that they come from; give another file to write")
    if new is not None and name is None and find_format(new, None, what="rows") != form:
        raise OptionError(f"the rows stay in their format, {form.name}; give a file to write with such a suffix")
    return form


def _rewrite(source: Place, losses: Losses, form: Format, options: RowOptions) -> Iterator[bytes]:
    functions = row_functions(form)
    if functions.without is not None and (functions.lines is None or options.row is not None):
        yield from functions.without(load(source), losses, options)
    elif functions.lines is not None:
        texts = sorted({str(item) for lost in losses.values() for item in lost})
        lines = functions.lines(texts, options)
        slots = {text: slot for slot, text in enumerate(texts)}
        for part, removed in spread_losses(lines.scan(stream(source)), losses, slots):
            yield remove_items(part, removed, lines).data if removed.rows.size else part.data


def _read_frame(frame: AnyFrame, given: dict[str, str]) -> Transactions:
    if given.keys() == {"row", "item"}:
        return Transactions.from_long(frame, row=given["row"], item=given["item"])
    if "items" in given:
        check_options(given, frozenset({"items", "row"}), "a frame with a column of lists")
        return frames.from_lists(frame, items=given["items"], row=given.get("row")).transactions()
    check_options(given, frozenset(), "a one-hot frame, unlike one of row ids and items,")
    return Transactions.from_onehot(frame)


def _read_pattern_frame(frame: AnyFrame, n: int | None, min_support: Threshold | None, kind: Kind | None) -> Patterns:
    if n is None:
        raise InputError("a frame does not say of how many rows these are patterns; say it with ", Option("n"))
    table = frames.as_narwhals(frame)
    if "itemsets" not in table.columns or not {"support", "count"} & set(table.columns):
        raise InputError("a frame of patterns needs the columns 'support' (or 'count') and 'itemsets'; rename them")
    count = None if min_support is None else as_count(min_support, n)
    return Patterns.from_pandas(table, n=n, min_support=count, kind=kind or "frequent")
