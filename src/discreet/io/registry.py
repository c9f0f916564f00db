"""The table of formats: which file is of which format, and which functions read and write it."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from discreet.errors import Option, OptionError
from discreet.io.chunks import Reading, RowFunctions
from discreet.io.files import Place, check_there, is_url, naming, suffix_of
from discreet.io.formats import borgelt, csv, fimi, json, onehot, spmf
from discreet.io.label_codes import PatternFunctions


@dataclass(frozen=True)
class Format:
    """A file format: its suffixes, its functions for rows and for patterns, the options of its reader of rows.

    A format without suffixes has to be named. ``lines`` says that each line is a row.
    """

    name: str
    suffixes: tuple[str, ...]
    rows: Callable[[], RowFunctions] | None = None
    patterns: Callable[[], PatternFunctions] | None = None
    options: frozenset[str] = frozenset()
    lines: bool = False


def _parquet_rows() -> RowFunctions:
    from discreet.io.formats import parquet  # noqa: PLC0415 - it loads polars

    return parquet.ROWS


def _parquet_patterns() -> PatternFunctions:
    from discreet.io.formats import parquet  # noqa: PLC0415 - it loads polars

    return parquet.PATTERNS


_CSV_OPTIONS: Final = frozenset({"separator", "row", "item"})
_PARQUET_OPTIONS: Final = frozenset({"items", "row", "item"})

FORMATS: Final = {
    form.name: form
    for form in (
        Format("fimi", (".dat", ".fimi"), lambda: fimi.ROWS, lines=True),
        Format("spmf", (".txt", ".spmf"), lambda: spmf.ROWS, lambda: spmf.PATTERNS, lines=True),
        Format("csv", (".csv", ".basket"), lambda: csv.ROWS, lambda: csv.PATTERNS, _CSV_OPTIONS, lines=True),
        Format("onehot", (), lambda: onehot.ROWS, options=frozenset({"separator", "row"})),
        Format("parquet", (".parquet", ".pq"), _parquet_rows, _parquet_patterns, _PARQUET_OPTIONS),
        Format("json", (".json",), patterns=lambda: json.PATTERNS),
        Format("borgelt", (".out",), patterns=lambda: borgelt.PATTERNS),
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
    if name is not None:
        if name not in formats:
            raise OptionError(f"format is {str(name)[:40]!r}; {what} can be in one of {', '.join(formats)}")
        return formats[name]
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


def check_reading(form: Format, name: str | None, options: Reading) -> Reading:
    """Return the options of a reader, checked; baskets are meant if the caller names both format and separator."""
    check_options(options.given, form.options, f"the format {form.name}")
    return options._replace(is_meant=form.name == "csv" and bool(name) and options.separator is not None)


def check_options(given: Iterable[str], allowed: Collection[str], what: str) -> None:
    """Refuse options that ``what`` does not have."""
    for name in given:
        if name not in allowed:
            raise OptionError(Option(name), f" means nothing for {what}; leave it out, or name the right format")
