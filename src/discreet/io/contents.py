"""Contents: what a file holds, rows or patterns, and how it seems to be laid out, before any of it is read."""

import re
import zipfile
from pathlib import Path
from typing import Final, NamedTuple, Unpack

from discreet.errors import DiscreetError, Message, Option
from discreet.io.containers import CONTAINERS, load_frame
from discreet.io.files import load, suffix_of
from discreet.io.options import RowArguments, RowOptions
from discreet.io.sniff import Layout, peek
from discreet.io.sources import FORMATS, FRAMED, TEXTS, sniff_source

PATTERN_COLUMNS: Final = {"items", "support"}  # of patterns in Parquet
NOTED: Final = b"#SUP:"  # before a support in SPMF
TREE: Final = re.compile(
    rb"""^\|---\ |^digraph\ Tree|<(?:\w+:)?TreeModel\b|\A\s*\{\s*"(?:trees|features|rules)"\s*:""",
    re.MULTILINE | re.VERBOSE,
)  # of scikit-learn, PMML, or our JSON
RULE: Final = re.compile(rb" ==> .*#CONF:|<(?:\w+:)?AssociationRule\b")  # of SPMF, or PMML

OTHERS: Final = {
    "release": Message("this is a release in a zip file; unpack it, and give the folder"),
    "tree": Message("this is a decision tree; judge it with ", Option("tree", value=True)),
    "rules": Message("this file lists rules; judge it with ", Option("rules", value=True)),
}
"""What a file may hold beside rows and patterns, and how it is judged then."""


class Contents(NamedTuple):
    """What a file holds, rows or patterns: its format, its layout, perhaps unclear, and its first bytes."""

    format: str
    layout: Layout
    head: bytes
    is_patterns: bool = False

    @property
    def has_shapes(self) -> bool:
        """Whether the format can hold rows in several shapes."""
        return not self.is_patterns and (self.format == "csv" or self.format in FRAMED)


def look_into(
    place: Path,
    *,
    format: str | None = None,  # noqa: A002 - as in read
    is_patterns: bool | None = None,
    **how: Unpack[RowArguments],
) -> Contents:
    r"""Return what a file holds, from its first part; options as in ``read``, and whether it holds patterns, if known.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mined.csv")
    ...     _ = path.write_text("itemset,support\ntea,20\n")
    ...     look_into(path).is_patterns
    True
    """
    options, (head, _) = RowOptions.of(how), peek(place)
    form = _find_pattern_format(place, format, head)
    if form is not None and is_patterns is not False:
        return Contents(form, Layout("patterns", options, confirmed=format is not None), head, is_patterns=True)
    kind, layout = sniff_source(place, format, options, head)
    holds_patterns = layout.shape == "patterns"
    if kind.name == "parquet":
        holds_patterns = {*_read_names(place)} == PATTERN_COLUMNS
    format_name = "csv" if kind.name in TEXTS else kind.name
    return Contents(format_name, layout, head, holds_patterns if is_patterns is None else is_patterns)


def find_other(place: Path) -> str:
    r"""Return what a file holds if that is neither rows nor patterns: a key of ``OTHERS``, or an empty text.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "tree.txt")
    ...     _ = path.write_text("|--- age <= 50.00\n|   |--- class: 0\n")
    ...     print(OTHERS[find_other(path)])
    this is a decision tree; judge it with tree=True
    """
    if not place.is_file():
        return ""
    if zipfile.is_zipfile(place):
        with zipfile.ZipFile(place) as archive:
            return "release" if any(Path(name).name == "release.json" for name in archive.namelist()) else ""
    try:
        head, _ = peek(place)
        if TREE.search(head):
            return "tree"
        lists_rules = RULE.search(head) or sniff_source(place, None, RowOptions(), head).layout.shape == "rules"
    except DiscreetError:
        return ""
    return "rules" if lists_rules else ""


def list_columns(place: Path, found: Contents) -> tuple[str, ...]:
    """Return the names of the columns of a table; none if it has none, or they cannot be read."""
    if found.format == "parquet":
        return _read_names(place)
    if found.format not in CONTAINERS:
        return found.layout.columns
    try:
        return tuple(load_frame(load(place), found.format, found.layout.options).columns)
    except DiscreetError:
        return ()


def _read_names(place: Path) -> tuple[str, ...]:
    from discreet.io.formats import parquet  # noqa: PLC0415 - it loads polars

    return parquet.read_names(place)


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
