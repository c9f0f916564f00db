"""Sources: the table of file formats, and how a file of rows is laid out."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, NamedTuple

from discreet.data.reading import Reading
from discreet.errors import InputError, Option, OptionError
from discreet.io import encodings
from discreet.io.containers import CONTAINERS, find_container, rows_of
from discreet.io.files import (
    Bytes,
    Place,
    check_there,
    is_url,
    naming,
    suffix_of,
)
from discreet.io.formats import arules, borgelt, csv, fimi, mlxtend, onehot, pami, pattern_tables, patterns, pmml
from discreet.io.formats.patterns import PatternFunctions
from discreet.io.notation import RowFunctions, as_separator
from discreet.io.options import RowOptions, check_options
from discreet.io.shapes import SHAPES
from discreet.io.sniff import Layout, are_numbers, looks_numbered, sniff_numbers, sniff_text


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
            lambda: pattern_tables.PATTERNS,
            _TEXT | _LONG | _TABLE,
            lines=True,
        ),
        Format("baskets", (), lambda: csv.ROWS, options=_TEXT | _BLANK, lines=True),
        Format("long", (), lambda: csv.ROWS, options=_TEXT | _LONG | {"drop"}, lines=True),
        Format("onehot", (), lambda: onehot.ROWS, options=_TEXT | _PEOPLE | {"row"}),
        Format("table", (), _table, options=_TEXT | _TABLE),
        Format(
            "parquet", (".parquet", ".pq"), lambda: _parquet()[0], lambda: _parquet()[1], _LONG | _TABLE | {"items"}
        ),
        *(
            Format(name, one.suffixes, partial(rows_of, name), options=_LONG | _TABLE | {"items"} | one.options)
            for name, one in CONTAINERS.items()
        ),
        Format("json", (".json",), patterns=lambda: patterns.JSON),
        Format("borgelt", (".out",), patterns=lambda: borgelt.PATTERNS),
        Format("pmml", (".pmml", ".xml"), patterns=lambda: pmml.PATTERNS),
        Format("arules", (), patterns=lambda: arules.PATTERNS),
        Format("mlxtend", (), patterns=lambda: mlxtend.PATTERNS),
        Format("pami", (), patterns=lambda: pami.PATTERNS),
    )
}
LISTED: Final = {"borgelt": borgelt.LINE, "pami": pami.LINE}  # programs that save patterns as .txt too
TABBED: Final = frozenset({".tsv", ".tab"})
TEXTS: Final = frozenset({"csv", "baskets", "long", "onehot", "table"})  # CSV, and its shapes
FRAMED: Final = frozenset({"parquet", *CONTAINERS})  # formats that hold a frame, which has a shape


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


def find_listed(form: Format, data: Bytes) -> Format:
    r"""Return the format of a file of patterns, by its lines if it is .txt and they are not as SPMF has them.

    >>> find_listed(FORMATS["spmf"], b"tea\tmilk:12\n").name, find_listed(FORMATS["spmf"], b"1 2 #SUP: 12\n").name
    ('pami', 'spmf')
    """
    if form.name != "spmf" or fimi.SUPPORT.encode() in data:
        return form
    lines = [line for line in bytes(data).decode(errors="replace").splitlines() if line.strip()]
    names = [name for name, line in LISTED.items() if lines and all(map(line.fullmatch, lines))]
    is_table = bool(lines) and pattern_tables.find_separator(lines[0]) is not None
    return FORMATS["csv"] if is_table else FORMATS[names[0]] if len(names) == 1 else form


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

    @property
    def has_blank_rows(self) -> bool:
        """Whether each line is a row of items, so that a blank one may be a row as well."""
        return self.form.lines and self.layout.shape == "baskets"

    @property
    def header(self) -> bytes:
        """The line of names that a table without a header is given."""
        if self.options.header is not False or self.has_blank_rows:
            return b""
        return f"{as_separator(self.options.separator).join(self.layout.columns)}\n".encode()

    def clean(self, chunks: Iterable[Bytes]) -> Iterator[bytes]:
        """Yield the file in UTF-8, with a header if it lacks one, and without a line that names the separator."""
        texts, first = encodings.recode(chunks, self.options.encoding or encodings.UTF_8), b""
        mark = self.layout.mark if self.options.encoding == encodings.UTF_8 else b""  # recoding drops others
        while len(first) < len(mark + self.layout.before) and (text := next(texts, None)) is not None:
            first += text
        first = self.header + first.removeprefix(mark + self.layout.before)
        if first:
            yield first
        del first  # before the next chunk is read
        yield from map(bytes, texts)


def find_source(place: Place, name: str | None, options: RowOptions, head: bytes) -> Source:
    """Return how a file of rows is read, by its first bytes; refuse options that its shape does not have."""
    found = sniff_source(place, name, options, head)
    form, layout = found
    layout.check()
    if form.name in TEXTS and layout.shape not in TEXTS:
        raise InputError(
            f"this file lists {layout.shape}, not rows; audit it as it is, without ", Option("min_support")
        )
    is_half = layout.shape == "long" and None in {layout.options.row or options.person, layout.options.item}
    if form.name in TEXTS and (is_half or (options.row is not None and "row" not in form.options)):
        raise OptionError("a long table needs both columns; give ", Option("row"), " and ", Option("item"))
    check_options(options.given, form.options, f"the format {form.name}")
    return found


def sniff_source(place: Place, name: str | None, options: RowOptions, head: bytes) -> Source:
    """Return how a file seems to be laid out, by its first bytes; that may be unclear, and it may list patterns."""
    form = FORMATS[_find_container(place, name, head)]
    shape = name if name in TEXTS and name != "csv" else None
    if form.name in TEXTS:
        layout = sniff_text(head, options, shape)
        return Source(FORMATS.get(layout.shape, form), layout)
    if form.name in FRAMED:
        named = name if name in SHAPES else None
        return Source(form, Layout(named or "table", options._replace(shape=named), confirmed=named is not None))
    if form.lines and name is None:
        return Source(form, sniff_numbers(head, options))
    if shape is not None:
        raise OptionError(f"the format {form.name} holds baskets, not {shape}; leave ", Option("format"), " out")
    return Source(form, Layout("baskets", options, confirmed=name is not None))


def _find_container(place: Place, name: str | None, head: bytes) -> str:
    """Return the format of a file: as it is named, or else by its content and its suffix."""
    if head.startswith(b"PAR1"):
        return "parquet"
    held = find_container(suffix_of(place), head) if name is None or name in SHAPES else None
    if held is not None:
        return held
    if name is not None:
        return find_format(place, name, what="rows").name
    suffix = suffix_of(place)
    found = next((form.name for form in FORMATS.values() if suffix in form.suffixes and form.rows), None)
    if found in {"fimi", "spmf"} and not looks_numbered(head):
        return "csv"
    if found is None and head.startswith(b"@") and looks_numbered(head):
        return "spmf"
    return found or ("fimi" if are_numbers(head) else "csv")
