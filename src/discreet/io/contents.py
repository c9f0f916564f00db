"""Contents: what a file holds, rows or patterns, and how it seems to be laid out, before any of it is read."""

from pathlib import Path
from typing import Final, NamedTuple

from discreet.io.files import suffix_of
from discreet.io.options import RowOptions
from discreet.io.sniff import Layout, peek
from discreet.io.sources import FORMATS, TEXTS, sniff_source

PATTERN_COLUMNS: Final = {"items", "support"}  # of patterns in Parquet
NOTED: Final = b"#SUP:"  # before a support in SPMF


class Contents(NamedTuple):
    """What a file holds: its format, its layout, perhaps unclear, its columns, its first bytes; rows or patterns."""

    format: str
    layout: Layout
    columns: tuple[str, ...]
    head: bytes
    is_patterns: bool = False

    @property
    def named(self) -> str:
        """The argument ``format`` of ``read`` with which a file is read in this way, and the reading is confirmed."""
        return self.layout.shape if self.format == "csv" and not self.is_patterns else self.format


def look_into(place: Path, name: str | None, options: RowOptions, *, is_patterns: bool | None = None) -> Contents:
    r"""Return what a file holds, from its first part; it is of the format ``name``, or holds patterns, if that is said.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mined.csv")
    ...     _ = path.write_text("itemset,support\ntea,20\n")
    ...     look_into(path, None, RowOptions()).is_patterns
    True
    """
    head, _ = peek(place)
    form = _find_pattern_format(place, name, head)
    if form is not None and is_patterns is not False:
        return Contents(form, Layout("patterns", options, confirmed=name is not None), (), head, is_patterns=True)
    kind, layout = sniff_source(place, name, options, head)
    columns, are_patterns = layout.columns, layout.shape == "patterns"
    if kind.name == "parquet":
        from discreet.io.formats import parquet  # noqa: PLC0415 - it loads polars

        columns = parquet.read_names(place)
        are_patterns = {*columns} == PATTERN_COLUMNS
    format_name = "csv" if kind.name in TEXTS else kind.name
    return Contents(format_name, layout, columns, head, are_patterns if is_patterns is None else is_patterns)


def _find_pattern_format(place: Path, name: str | None, head: bytes) -> str | None:
    """Return a format that holds patterns alone; SPMF holds them if it has supports."""
    suffix = suffix_of(place)
    if head.startswith(b"PAR1"):
        return None
    known = name or next((form.name for form in FORMATS.values() if suffix in form.suffixes), None)
    if known is None and head.lstrip()[:1] == b"{":
        return "json"
    is_only = known in FORMATS and (FORMATS[known].rows is None or (known == "spmf" and NOTED in head))
    return known if is_only else None
