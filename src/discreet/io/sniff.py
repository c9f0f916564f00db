"""Sniff: guess how a file is to be read from its first part; its owner may choose otherwise."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from discreet.errors import InputError
from discreet.io import baskets
from discreet.io.baskets import BITS, ROW_ID
from discreet.io.files import EMPTY, stream, suffix_of
from discreet.io.notation import COMMA, HEADER, RowOptions
from discreet.io.read import FORMATS

FIRST_PART: Final = 1 << 16  # bytes of a file that are inspected
MOST_RECORDS: Final = 200  # records, or rows of a Parquet file, that are inspected
OPTIONS: Final = {
    "baskets": {"separator"},
    "long": {"row", "item", "separator"},
    "onehot": {"row", "separator"},
    "lists": {"items", "row"},
}  # the options of ``read`` that each shape has
SHAPES: Final = tuple(OPTIONS)
PAIR: Final = 2
MOST_COLUMNS: Final = 4  # of a long table; a wider one may have one line per person
ITEM: Final = re.compile(
    r"(?i)items?|products?|articles?|goods|sku|codes?|drugs?|medications?|diagnos[ie]s|procedures?|labels?|names?|"
    r"values?|categor(?:y|ies)|descriptions?|pages?|events?|what"
)


class FileShape(NamedTuple):
    """How a file is read: its format and shape, its options, and whether it holds patterns."""

    format: str
    shape: str
    options: RowOptions = RowOptions()
    patterns: bool = False

    @property
    def reading(self) -> dict[str, str]:
        """The options of ``discreet.read`` for this shape; those that the format lacks are left out."""
        form = "onehot" if self.shape == "onehot" and self.format == "csv" else self.format
        names = FORMATS[form].options & OPTIONS[self.shape]
        return {"format": form} | {name: value for name, value in self.options.given.items() if value and name in names}

    @property
    def fields(self) -> dict[str, str | bool | None]:
        """The guess by the names of its parts, for a form in which its owner may choose otherwise."""
        options = {name: getattr(self.options, name) for name in ("row", "item", "items", "separator")}
        return {"format": self.format, "shape": self.shape, **options, "patterns": self.patterns}


class Sniffed(NamedTuple):
    """The shape of a file, the columns of a table, its first bytes and rows, and why the guess may be wrong."""

    shape: FileShape
    columns: list[str] | None
    head: bytes
    frame: Any = None
    doubt: str | None = None


def sniff(path: Path, given: Mapping[str, Any]) -> Sniffed:
    """Guess the shape of a file, as far as ``given`` does not say; refuse an empty one."""
    chosen = {name: value for name, value in given.items() if value is not None}
    head = _read_head(path)
    if not head:
        raise InputError(EMPTY)
    if chosen.get("format") == "parquet" or ("format" not in chosen and head.startswith(b"PAR1")):
        return _sniff_parquet(path, chosen, head)
    shape, columns = _sniff_text(path, head, chosen)
    return Sniffed(shape, columns, head, doubt=_find_doubt(shape, head, chosen))


def _read_head(path: Path) -> bytes:
    data = b""
    for chunk in stream(path):
        data += chunk
        if len(data) > FIRST_PART:
            return data[: data.rfind(b"\n", 0, FIRST_PART) + 1] or data[:FIRST_PART]
    return data


def split_head(data: bytes) -> list[str]:
    """Return the lines of a head; bytes that are no text become replacement characters."""
    return data.decode("utf-8-sig", errors="replace").splitlines()


def guess_format(path: Path, data: bytes) -> str:
    """Return the format of a file: by its suffix, unless its content contradicts it.

    >>> guess_format(Path("a.dat"), b"1 2 3"), guess_format(Path("a.txt"), b"milk,bread")
    ('fimi', 'csv')
    """
    if data.startswith(b"PAR1"):
        return "parquet"
    named = next((form.name for form in FORMATS.values() if suffix_of(path) in form.suffixes), None)
    are_numbers = re.fullmatch(rb"[\s0-9]*", data) is not None
    if named in {"fimi", "spmf"} and not are_numbers and b"#SUP:" not in data and not data.lstrip().startswith(b"@"):
        return "csv"
    if named is not None:
        return named
    return "fimi" if are_numbers else "json" if data.lstrip()[:1] == b"{" else "csv"


def guess_separator(lines: Sequence[str]) -> str:
    """Return the separator of most lines; a comma if there is none.

    >>> guess_separator(["a;b", "c;d,e"]), guess_separator(["milk bread", "tea"]), guess_separator(["a"])
    (';', ' ', ',')
    """
    counts = {sign: sum(sign in line for line in lines) for sign in (COMMA, *baskets.SEPARATORS)}
    best = max(counts, key=lambda sign: counts[sign])
    if counts[best]:
        return best
    return " " if any(" " in line.strip() for line in lines) and not any('"' in line for line in lines) else COMMA


def _read_records(lines: Iterable[str], separator: str) -> list[list[str]]:
    reader = csv.reader(lines, delimiter=separator)
    try:
        return [record for record in islice(reader, MOST_RECORDS) if record]
    except csv.Error:
        return []


def guess_shape(records: Sequence[Sequence[str]], separator: str | None) -> FileShape:
    """Return the shape of a CSV file: long, one-hot, or else baskets.

    >>> guess_shape([["order", "item"], ["1", "tea"], ["1", "milk"]], ",").shape
    'long'
    >>> shape = guess_shape([["id", "tea", "milk"], ["7", "0", "1"]], ",")
    >>> shape.shape, shape.options.row, guess_shape([["tea"], ["milk", "tea"]], ",").shape
    ('onehot', 'id', 'baskets')
    """
    options = RowOptions(separator=separator)
    shape = FileShape("csv", "baskets", options)
    head, *body = records or [[]]
    if len(head) < PAIR or not body or any(len(line) != len(head) for line in body) or len({*head}) < len(head):
        return shape
    columns = list(zip(*body, strict=True))
    are_bits = [{value.casefold() for value in column} <= BITS for column in columns]
    is_header = not {name.casefold() for name in head} & BITS
    if is_header and all(are_bits):
        return shape._replace(shape="onehot")
    if is_header and all(are_bits[1:]) and len(head) > PAIR and (len(body) == 1 or _is_key(columns[0])):
        return FileShape("csv", "onehot", options._replace(row=head[0]))
    row = next((name for name in head if ROW_ID.search(name)), None)
    item = next((name for name in head if name != row and ITEM.search(name)), None)
    if row is None or len(head) > MOST_COLUMNS or (len(head) > PAIR and _is_key(columns[head.index(row)])):
        return shape
    if len(head) == PAIR and item is None:
        item = next(name for name in head if name != row)
    if item is None or item in {value for column in columns for value in column}:
        return shape
    return FileShape("csv", "long", options._replace(row=row, item=item))


def _is_key(column: Sequence[str]) -> bool:
    return len(column) > 1 and len(set(column)) == len(column)


def _sniff_text(path: Path, data: bytes, given: Mapping[str, Any]) -> tuple[FileShape, list[str] | None]:
    """Return the shape of a file other than Parquet, and the columns of a table; a named format alone means baskets."""
    form = given.get("format") or guess_format(path, data)
    lines = split_head(data)[:MOST_RECORDS]
    if form not in {"csv", "onehot"}:
        patterns = given.get("patterns")
        is_patterns = not FORMATS[form].rows or (form == "spmf" and b"#SUP:" in data)
        return FileShape(form, "baskets", patterns=is_patterns if patterns is None else patterns), None
    separator = given.get("separator") or guess_separator(lines)
    records = _read_records(lines, separator)
    columns = list(records[0]) if records else []
    guess = guess_shape(records, separator)
    shape = given.get("shape") or _find_named_shape(form, given) or guess.shape
    alike = guess.options if guess.shape == shape else RowOptions()
    row = given.get("row") or alike.row
    if shape == "onehot":
        return FileShape("csv", "onehot", RowOptions(row, separator=separator)), columns
    if shape == "long":
        row = row or next(iter(columns), None)
        item = given.get("item") or (alike.item if alike.item != row else None)
        item = item or next((name for name in columns if name != row), None)
        return FileShape("csv", "long", RowOptions(row, item, separator=separator)), columns
    is_table = guess.shape != "baskets" or len({len(record) for record in records}) == 1
    patterns = columns == HEADER if given.get("patterns") is None else bool(given["patterns"])
    return FileShape("csv", "baskets", RowOptions(separator=separator), patterns), columns if is_table else None


def _find_named_shape(form: str, given: Mapping[str, Any]) -> str | None:
    if form == "onehot":
        return "onehot"
    if given.get("row") and given.get("item"):
        return "long"
    return "baskets" if given.get("format") and not given.get("row") else None


def _sniff_parquet(path: Path, given: Mapping[str, Any], head: bytes) -> Sniffed:
    import polars as pl  # noqa: PLC0415 - slow to load, and not for the server

    from discreet.io.formats.parquet import explain_errors  # noqa: PLC0415 - it loads polars

    with explain_errors():
        frame = pl.scan_parquet(path).head(MOST_RECORDS).collect()
    columns = frame.columns
    lists = [name for name in columns if isinstance(frame.schema[name], pl.List)]
    items = given.get("items") or ("items" if "items" in lists else next(iter(lists), None))
    texts = [name for name in columns if name not in lists]
    shape = given.get("shape") or ("long" if given.get("item") else "lists" if items else "onehot")
    guess = FileShape("parquet", "onehot")
    if shape == "long":
        row = given.get("row") or next(iter(texts), None)
        item = given.get("item") or next((name for name in texts if name != row), None)
        guess = FileShape("parquet", "long", RowOptions(row, item))
    elif shape == "lists":
        patterns = {*columns} == {"items", "support"} if given.get("patterns") is None else bool(given["patterns"])
        guess = FileShape("parquet", "lists", RowOptions(given.get("row"), items=items), patterns)
    return Sniffed(guess, columns, head, frame)


def _find_doubt(shape: FileShape, head: bytes, given: Mapping[str, Any]) -> str | None:
    """Return why lines are hardly the baskets that they were guessed to be; a chosen shape is believed."""
    if given.get("shape") or shape.format != "csv" or shape.shape != "baskets" or shape.patterns:
        return None
    records = _read_records(split_head(head), str(shape.options.separator))
    labels = {field for record in records for field in record}
    for doubt in (*baskets.find_doubts(records, given.get("separator")), *baskets.find_blanks(labels)):
        edit = f"{doubt.edit}, or " if doubt.edit else ""
        return f"{doubt.reason}; {edit}choose how the file is shaped, and its columns"
    return None
