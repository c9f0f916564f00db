"""The one door: files, frames and plain rows in; files out."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, Unpack

from discreet.data.itemsets import AnyFrame, Itemset, Label
from discreet.data.patterns import Kind, Patterns
from discreet.data.reading import Reading
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OptionError
from discreet.io import databases, encodings, files, frames
from discreet.io.files import (
    Bytes,
    Place,
    check_there,
    is_frame,
    is_place,
    is_url,
    load,
    naming,
    save,
    suffix_of,
)
from discreet.io.formats import csv, fimi, onehot, patterns
from discreet.io.formats.patterns import PatternFunctions, collect_patterns
from discreet.io.frames import AnySource
from discreet.io.line_files import Losses, remove_items, spread_losses
from discreet.io.notation import (
    RowArguments,
    RowFunctions,
    RowOptions,
    as_separator,
    check_options,
    sort_pattern_codes,
    sort_row_codes,
)
from discreet.io.readings import describe, drop_blank_end
from discreet.io.sniff import HEAD, Layout, are_numbers, looks_numbered, peek, sniff_numbers, sniff_text
from discreet.runtime import resources

SEPARATOR_LINE: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?sep=.\r?\n")  # before some exports of Excel


@dataclass(frozen=True)
class Format:
    """A file format: its suffixes, its functions for rows and patterns, its options; ``lines``: each line is a row."""

    name: str
    suffixes: tuple[str, ...]
    rows: Callable[[], RowFunctions] | None = None
    patterns: Callable[[], PatternFunctions] | None = None
    options: frozenset[str] = frozenset()
    lines: bool = False

    @property
    def family(self) -> str:
        """The name of the format; the same for all shapes of CSV."""
        return "csv" if self.name in TEXTS else self.name


def _parquet() -> tuple[RowFunctions, PatternFunctions]:
    from discreet.io.formats import parquet  # noqa: PLC0415 - it loads polars

    return parquet.ROWS, parquet.PATTERNS


def _table() -> RowFunctions:
    from discreet.io.formats import table  # noqa: PLC0415 - it loads polars

    return table.ROWS


CSV: Final = (".csv", ".tsv", ".tab", ".basket")
_TEXT: Final = frozenset({"separator", "encoding", "header"})
_PEOPLE: Final = frozenset({"person", "per"})
_BLANK: Final = frozenset({"encoding", "empty_rows"})
_LONG: Final = _PEOPLE | {"row", "item"}
_TABLE: Final = _PEOPLE | {"columns", "drop", "na", "bins"}
FORMATS: Final = {
    form.name: form
    for form in (
        Format("fimi", (".dat", ".fimi"), lambda: fimi.FIMI, options=_BLANK, lines=True),
        Format("spmf", (".txt", ".spmf"), lambda: fimi.SPMF, lambda: fimi.PATTERNS, _BLANK, lines=True),
        Format(
            "csv",
            (".csv", ".tsv", ".tab", ".basket"),
            lambda: csv.ROWS,
            lambda: patterns.CSV,
            _TEXT | _LONG | _TABLE,
            lines=True,
        ),
        Format("baskets", (), lambda: csv.ROWS, options=_TEXT | _BLANK, lines=True),
        Format("long", (), lambda: csv.ROWS, options=_TEXT | _LONG, lines=True),
        Format("onehot", (), lambda: onehot.ROWS, options=_TEXT | _PEOPLE | {"row"}),
        Format("table", (), _table, options=_TEXT | _TABLE),
        Format(
            "parquet", (".parquet", ".pq"), lambda: _parquet()[0], lambda: _parquet()[1], _LONG | _TABLE | {"items"}
        ),
        Format("json", (".json",), patterns=lambda: patterns.JSON),
        Format("borgelt", (".out",), patterns=lambda: patterns.BORGELT),
    )
}
TEXTS: Final = frozenset({"csv", "baskets", "long", "onehot", "table"})  # CSV, and its shapes


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


class Source(NamedTuple):
    """How a file of rows is read: its format and its layout."""

    form: Format
    layout: Layout

    @property
    def options(self) -> RowOptions:
        """The options of its reader."""
        return self.layout.options

    @property
    def reading(self) -> Reading:
        """How the file is understood, without its numbers."""
        shape, options, is_text = self.layout.shape, self.options, self.form.name in TEXTS
        known = Reading(shape, self.form.name, row=options.row, item=options.item, encoding=options.encoding)
        sign = options.separator if is_text else None
        return replace(known, separator=sign, header=options.header, confirmed=self.layout.confirmed)

    def clean(self, chunks: Iterable[Bytes]) -> Iterator[bytes]:
        """Yield the file in UTF-8, with a header if it lacks one, and without a line that names the separator."""
        if self.form.name not in TEXTS:
            yield from map(bytes, chunks)
            return
        if self.options.header is False and self.layout.shape != "baskets":
            sign = as_separator(self.options.separator)
            yield f"{sign.join(self.layout.columns)}\n".encode()
        for number, chunk in enumerate(encodings.recode(chunks, self.options.encoding or "utf-8")):
            marked = None if number else SEPARATOR_LINE.match(chunk)
            yield bytes(chunk[marked.end() :] if marked else chunk)


def find_source(place: Place, name: str | None, options: RowOptions, head: bytes) -> Source:
    """Return how a file of rows is read, by its first bytes; refuse options that its shape does not have."""
    found = sniff_source(place, name, options, head)
    form, layout = found
    layout.check()
    if form.name in TEXTS and layout.shape not in TEXTS:
        raise InputError(
            f"this file lists {layout.shape}, not rows; audit it as it is, without ", Option("min_support")
        )
    check_options(options.given, form.options, f"the format {form.name}")
    return found


def sniff_source(place: Place, name: str | None, options: RowOptions, head: bytes) -> Source:
    """Return how a file seems to be laid out, by its first bytes; that may be unclear, and it may list patterns."""
    form = FORMATS[_find_container(place, name, head)]
    shape = name if name in TEXTS and name != "csv" else None
    if form.name in TEXTS:
        layout = sniff_text(head, options, shape)
        return Source(FORMATS.get(layout.shape, form), layout)
    if form.lines and name is None:
        return Source(form, sniff_numbers(head, options))
    if shape is not None and form.name != "parquet":
        raise OptionError(f"the format {form.name} holds baskets, not {shape}; leave ", Option("format"), " out")
    return Source(form, Layout("baskets", options, confirmed=name is not None))


def find_again(place: Place, *, format: str | None = None, **how: Unpack[RowArguments]) -> dict[str, Any]:  # noqa: A002
    """Return the arguments with which ``read`` reads a file that ``rewrite`` made of another one."""
    options = RowOptions.of(how)
    with naming(place):
        found = find_source(place, format, options, peek(place)[0])
    known = {**options.given, "format": found.form.name}
    if found.form.name in TEXTS:
        known |= {"separator": found.options.separator, "header": found.options.header, "encoding": "utf-8"}
    return known | {"empty_rows": True} if found.layout.shape == "baskets" and found.form.lines else known


def _find_container(place: Place, name: str | None, head: bytes) -> str:
    """Return the format of a file: as it is named, or else by its content and its suffix."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if name is not None:
        return find_format(place, name, what="rows").name
    suffix = suffix_of(place)
    found = next((form.name for form in FORMATS.values() if suffix in form.suffixes and form.rows), None)
    if found in {"fimi", "spmf"} and not looks_numbered(head):
        return "csv"
    return found or ("fimi" if are_numbers(head) else "csv")


def read(
    source: AnySource,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    memory: int | None = None,
    **how: Unpack[RowArguments],
) -> Transactions:
    r"""Return the rows of a file, a frame, a table of a database or any iterable of rows; ``.reading`` says how.

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
    - a file may unpack to ``memory`` bytes, by default half of the machine's; a larger one raises a BudgetError

    A database is a URL: postgresql://user@host/database, sqlite:///file.db or duckdb:///file.duckdb. ``table`` names
    its table, or ``query`` selects lines; ``row`` and ``item`` name two of their columns. The rows are in the order of
    their ids.

    >>> from io import BytesIO
    >>> read(BytesIO(b"1 2\n2 3\n"), format="fimi")
    <Transactions: 2 rows, 3 items, 4 entries>
    """
    options = RowOptions.of(how)
    if is_url(source):
        return databases.read(source, databases.check_options(options, format))
    if is_place(source):
        room = None if memory is None else resources.as_memory(memory)
        with naming(source):
            data = load(source, room)
            return _read_bytes(data, find_source(source, format, options, bytes(data[:HEAD])))
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
    max_length: int | None = None,
) -> Patterns:
    r"""Return the patterns of a file, of a frame in the layout of mlxtend, or of pairs of itemset and support.

    The formats are spmf, borgelt, csv, parquet and json. ``n`` is the number of rows that were mined, needed where
    neither the source nor its empty itemset states it. By default ``min_support`` is the smallest support, and ``kind``
    is that of the source, else "frequent". ``max_length`` says that itemsets of more items were left out, where the
    source does not; a list that was cut and is not said to be could be judged wrongly.

    >>> from io import BytesIO
    >>> read_patterns(BytesIO(b"a b (2)\n"), format="borgelt", n=3, kind="maximal")
    <Patterns: 1 maximal itemsets, support at least 2 of 3 rows>
    """
    if is_place(source):
        form = find_source_format(source, format, what="patterns")
        with naming(source):
            return pattern_functions(form).read(load(source), n).patterns(n, min_support, kind, max_length)
    if format is not None:
        raise OptionError(Option("format"), " is for files; leave it out for frames and pairs")
    if is_frame(source):
        return _read_pattern_frame(source, n, min_support, kind, max_length)
    if isinstance(source, Patterns):
        return source
    return collect_patterns(source).patterns(n, min_support, kind, max_length)


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
    **how: Unpack[RowArguments],
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
    found, chunks = find_rewrite_source(source, target, format, RowOptions.of(how))
    losses = {number: frozenset(lost) for number, lost in sorted(removed) if lost}
    with naming(source):
        save(target, _rewrite(source, losses, found, chunks), sources=[source])


def find_rewrite_source(
    source: Place, target: Place, name: str | None, options: RowOptions
) -> tuple[Source, Iterator[bytes]]:
    """Return how ``source`` is read, and its chunks; refuse a ``target`` that is this file, or of another format."""
    old, new = files.as_path(source), files.as_path(target)
    if old is not None and new is not None and old.exists() and new.exists() and old.samefile(new):
        raise OptionError("the rows would be written over the file that they come from; give another file to write")
    with naming(source):
        head, chunks = peek(source)
        found = find_source(source, name, options, head)
    if new is not None and name is None and find_format(new, None, what="rows").family != found.form.family:
        raise OptionError(f"the rows stay in their format, {found.form.name}; give a file to write with such a suffix")
    return found, chunks


def _rewrite(source: Place, losses: Losses, found: Source, chunks: Iterator[bytes]) -> Iterator[Bytes]:
    functions, path = row_functions(found.form), files.as_path(source)
    if functions.without is not None and (functions.lines is None or found.layout.shape == "long"):
        whole = [load(source)] if path is not None and path.is_file() else chunks
        yield from functions.without(b"".join(found.clean(whole)), losses, found.options)
    elif functions.lines is not None:
        texts = sorted({str(item) for lost in losses.values() for item in lost})
        lines = functions.lines(texts, found.options)
        slots = {text: slot for slot, text in enumerate(texts)}
        for part, removed in spread_losses(lines.scan(found.clean(chunks)), losses, slots):
            yield remove_items(part, removed, lines).data if removed.rows.size else part.data


def _read_bytes(data: Bytes, found: Source) -> Transactions:
    """Return the rows of a file, and how they were understood."""
    whole = data if found.form.name not in TEXTS else b"".join(found.clean([data]))
    rows = row_functions(found.form).read(whole, found.options)
    layout, options = found.layout, found.options
    if found.form.lines and layout.shape == "baskets" and not options.empty_rows:
        rows = rows[: sum(map(len, drop_blank_end([rows.itemsets])))]
    return describe(rows, found.reading)


def _read_frame(frame: AnyFrame, given: dict[str, str]) -> Transactions:
    if given.keys() == {"row", "item"}:
        return Transactions.from_long(frame, row=given["row"], item=given["item"])
    if "items" in given:
        check_options(given, frozenset({"items", "row"}), "a frame with a column of lists")
        return frames.from_lists(frame, items=given["items"], row=given.get("row")).transactions()
    check_options(given, frozenset(), "a one-hot frame, unlike one of row ids and items,")
    return Transactions.from_onehot(frame)


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
