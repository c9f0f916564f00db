"""Shape: how a file is to be read, guessed from its first part; whoever owns it has the last word."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from discreet.errors import InputError
from discreet.io import baskets
from discreet.io.baskets import BITS, ROW_ID
from discreet.io.files import stream, suffix_of
from discreet.io.registry import FORMATS

FIRST_PART: Final = 1 << 16
"""Bytes of a file that tell its shape."""
MOST_RECORDS: Final = 200
"""Records, or rows of a Parquet file, that tell it."""
PATTERNS: Final = ["itemset", "support"]
"""The columns of a CSV file of patterns."""
SEPARATORS: Final = (",", ";", "\t", "|")
SHAPES: Final = ("baskets", "long", "onehot", "lists")
MOST_COLUMNS: Final = 4
"""Of a long table, which has a row id, an item, and little else; a wider one may have a line a person."""
ITEM: Final = re.compile(
    r"items?|products?|articles?|goods|sku|codes?|drugs?|medications?|diagnos[ie]s|procedures?|labels?|names?|values?|"
    r"categor(?:y|ies)|descriptions?|pages?|events?|what",
    re.IGNORECASE,
)


class Shape(NamedTuple):
    """How a file is read: its format and shape, the columns that count, and whether it holds patterns."""

    format: str
    shape: str
    row: str | None = None
    item: str | None = None
    items: str | None = None
    separator: str | None = None
    patterns: bool = False

    @property
    def reading(self) -> dict[str, str]:
        """The options of ``discreet.read`` that this shape stands for; those that a format does not have are left."""
        form = "onehot" if self.shape == "onehot" and self.format == "csv" else self.format
        known = FORMATS[form].options
        options = {"row": self.row, "item": self.item, "items": self.items, "separator": self.separator}
        wanted = {
            "baskets": {"separator"},
            "long": {"row", "item", "separator"},
            "onehot": {"row", "separator"},
            "lists": {"items", "row"},
        }[self.shape]
        given = {name: value for name, value in options.items() if value and name in known & wanted}
        return {"format": form, **given}


class Seen(NamedTuple):
    """What was seen of a file: its shape, the columns of a table, its first bytes, and a frame of its first rows.

    A ``doubt`` says why the guess may be wrong, where nobody has chosen a shape.
    """

    shape: Shape
    columns: list[str] | None
    head: bytes
    frame: Any = None
    doubt: str | None = None


def shape_of(path: Path, given: Mapping[str, Any]) -> Seen:
    """Return how a file is shaped, as far as ``given`` does not say; an empty one is refused."""
    told = {name: value for name, value in given.items() if value is not None}
    head = first_part(path)
    if not head:
        raise InputError("the file is empty; an export has probably failed: write it again")
    if told.get("format") == "parquet" or ("format" not in told and head.startswith(b"PAR1")):
        return _of_parquet(path, told, head)
    shape, columns = guessed(path, head, told)
    return Seen(shape, columns, head, doubt=_doubt(shape, head, told))


def first_part(path: Path) -> bytes:
    """Return the first bytes of a file, decompressed, up to the last whole line of them."""
    data = bytearray()
    for chunk in stream(path):
        data += chunk
        if len(data) > FIRST_PART:
            return bytes(data[: data.rfind(b"\n", 0, FIRST_PART) + 1] or data[:FIRST_PART])
    return bytes(data)


def lines_of(data: bytes) -> list[str]:
    """Return text as lines; what is no text gives what can be shown of it."""
    return data.decode("utf-8-sig", errors="replace").splitlines()


def format_of(path: Path, data: bytes) -> str:
    """Return the format of a file: by its suffix, unless what it holds speaks against that.

    >>> format_of(Path("a.dat"), b"1 2 3"), format_of(Path("a.txt"), b"milk,bread"), format_of(Path("a"), b"PAR1")
    ('fimi', 'csv', 'parquet')
    """
    suffix = suffix_of(path)
    named = next((form.name for form in FORMATS.values() if suffix in form.suffixes), None)
    if data.startswith(b"PAR1"):
        return "parquet"
    numbers = re.compile(rb"[\s0-9]*\Z").match(data) is not None
    if named in {"fimi", "spmf"} and not numbers and b"#SUP:" not in data and not data.lstrip().startswith(b"@"):
        return "csv"
    if named is not None:
        return named
    if data.lstrip()[:1] == b"{":
        return "json"
    return "fimi" if numbers else "csv"


def separator_of(lines: Sequence[str]) -> str:
    """Return what stands between the fields of most lines; a comma where nothing does.

    >>> separator_of(["a;b", "c;d,e"]), separator_of(["milk bread", "tea"]), separator_of(["a"])
    (';', ' ', ',')
    """
    often = {separator: sum(separator in line for line in lines) for separator in SEPARATORS}
    best = max(SEPARATORS, key=lambda separator: often[separator])
    if often[best]:
        return best
    return " " if any(" " in line.strip() for line in lines) and not any('"' in line for line in lines) else ","


def records_of(lines: Iterable[str], separator: str) -> list[list[str]]:
    """Return the first records of a table as far as they can be read."""
    reader = csv.reader(lines, delimiter=separator)
    try:
        return [record for record in islice(reader, MOST_RECORDS) if record]
    except csv.Error:
        return []


def of_records(records: Sequence[Sequence[str]], separator: str | None) -> Shape:
    """Return the shape of a CSV file: long, one-hot, or else baskets.

    >>> of_records([["order", "item"], ["1", "tea"], ["1", "milk"]], ",").shape
    'long'
    >>> of_records([["id", "tea", "milk"], ["7", "0", "1"]], ","), of_records([["tea"], ["milk", "tea"]], ",").shape
    (Shape(format='csv', shape='onehot', row='id', item=None, items=None, separator=',', patterns=False), 'baskets')
    """
    baskets = Shape("csv", "baskets", separator=separator)
    head, *rest = records or [[]]
    least = 2
    if len(head) < least or not rest or any(len(record) != len(head) for record in rest) or len(set(head)) < len(head):
        return baskets
    columns = list(zip(*rest, strict=True))
    bits = [{value.casefold() for value in column} <= BITS for column in columns]
    is_header = not {name.casefold() for name in head} & BITS
    if is_header and all(bits):
        return Shape("csv", "onehot", separator=separator)
    if is_header and all(bits[1:]) and len(head) > least and (len(rest) == 1 or _is_key(columns[0])):
        return Shape("csv", "onehot", row=head[0], separator=separator)
    row = next((name for name in head if ROW_ID.search(name)), None)
    item = next((name for name in head if name != row and ITEM.search(name)), None)
    if row is not None and len(head) == least and item is None:
        item = next(name for name in head if name != row)
    is_wide = len(head) > MOST_COLUMNS or (len(head) > least and row is not None and _is_key(columns[head.index(row)]))
    if (
        not is_wide
        and row is not None
        and item is not None
        and item not in {value for column in columns for value in column}
    ):
        return Shape("csv", "long", row=row, item=item, separator=separator)
    return baskets


def guessed(path: Path, data: bytes, given: Mapping[str, Any]) -> tuple[Shape, list[str] | None]:
    """Return how a file that is no Parquet is shaped, as far as ``given`` does not say; and the columns of a table.

    Who names a format without a shape or columns means what the library means by that: baskets.
    """
    form = given.get("format") or format_of(path, data)
    lines = lines_of(data)[:MOST_RECORDS]
    if form not in {"csv", "onehot"}:
        patterns = given.get("patterns")
        is_patterns = not FORMATS[form].rows or (form == "spmf" and b"#SUP:" in data)
        return Shape(form, "baskets", patterns=is_patterns if patterns is None else patterns), None
    separator = given.get("separator") or separator_of(lines)
    records = records_of(lines, separator)
    columns = list(records[0]) if records else []
    guess = of_records(records, separator)
    shape = given.get("shape") or _shape_told(form, given) or guess.shape
    names = {"row": given.get("row"), "item": given.get("item")}
    if shape == "onehot":
        row = names["row"] or (guess.row if guess.shape == "onehot" else None)
        return Shape("csv", "onehot", row=row, separator=separator), columns
    if shape == "long":
        row = names["row"] or (guess.row if guess.shape == "long" else None) or next(iter(columns), None)
        others = [name for name in columns if name != row]
        item = names["item"] or (guess.item if guess.shape == "long" and guess.item != row else None)
        return Shape("csv", "long", row=row, item=item or next(iter(others), None), separator=separator), columns
    is_table = guess.shape != "baskets" or len({len(record) for record in records}) == 1
    patterns = columns == PATTERNS if given.get("patterns") is None else bool(given["patterns"])
    return Shape("csv", "baskets", separator=separator, patterns=patterns), columns if is_table else None


def _of_parquet(path: Path, told: Mapping[str, Any], head: bytes) -> Seen:
    """Return the shape of a Parquet file, its columns, and its first rows."""
    import polars as pl  # noqa: PLC0415 - slow to load, and not for the server

    from discreet.io.formats.parquet import explain_errors  # noqa: PLC0415 - it loads polars

    with explain_errors():
        frame = pl.scan_parquet(path).head(MOST_RECORDS).collect()
    columns = frame.columns
    lists = [name for name in columns if isinstance(frame.schema[name], pl.List)]
    items = told.get("items") or ("items" if "items" in lists else next(iter(lists), None))
    texts = [name for name in columns if name not in lists]
    shape = told.get("shape") or ("long" if told.get("item") else "lists" if items else "onehot")
    patterns = {*columns} == {"items", "support"} if told.get("patterns") is None else bool(told["patterns"])
    if shape == "long":
        row = told.get("row") or next(iter(texts), None)
        item = told.get("item") or next((name for name in texts if name != row), None)
        return Seen(Shape("parquet", "long", row=row, item=item), columns, head, frame)
    if shape == "lists":
        return Seen(
            Shape("parquet", "lists", row=told.get("row"), items=items, patterns=patterns), columns, head, frame
        )
    return Seen(Shape("parquet", "onehot"), columns, head, frame)


def _is_key(column: Sequence[str]) -> bool:
    """Return whether no value stands twice in a column, so that each line is a row of its own."""
    return len(column) > 1 and len(set(column)) == len(column)


def _doubt(shape: Shape, head: bytes, given: Mapping[str, Any]) -> str | None:
    """Return why lines are hardly the rows of items that they were guessed to be; whoever names a shape is believed."""
    if given.get("shape") or shape.format != "csv" or shape.shape != "baskets" or shape.patterns:
        return None
    records = records_of(lines_of(head), str(shape.separator))
    try:
        baskets.check_lines(records, given.get("separator"))
        baskets.check_blanks({field for record in records for field in record})
    except InputError as error:
        seen, advice = f"{error}; ".split("; ")[:2]
        taken = f"{advice.partition(',')[0]}, or " if advice.startswith("take ") else ""
        return f"{seen}; {taken}choose how the file is shaped, and its columns"
    return None


def _shape_told(form: str, given: Mapping[str, Any]) -> str | None:
    """Return the shape that named columns, or a named format, stand for."""
    if form == "onehot":
        return "onehot"
    if given.get("row") and given.get("item"):
        return "long"
    return "baskets" if given.get("format") and not given.get("row") else None
