"""Notation: what formats share. Options, labels as codes and as text, lines of UTF-8, and the fields of CSV."""

import csv
import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from io import BytesIO, TextIOWrapper
from itertools import chain, islice, pairwise
from numbers import Integral
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets, Label, recode, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.thresholds import COUNT, LARGEST_COUNT, WHOLE
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OptionError, OutputError
from discreet.io.files import Bytes, save
from discreet.io.line_files import LineFormat, Losses
from discreet.io.options import RowOptions

BLOCK: Final = 4096  # lines that are joined before they are written
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
LONE_RETURN: Final = "a carriage return that ends no line; save the file with line feeds"
WHOLE_NUMBER: Final = re.compile(r"0|-?[1-9][0-9]{0,17}")  # as we write it; 18 digits fit in 64 bits
HEADER: Final = ["itemset", "support"]
COMMA, WITHIN = ",", ";"  # the separators of fields, and of the items of an itemset within its field
AMBIGUOUS: Final = re.compile(r"[;|\t]|^sep=|^[\d ]+ [\d ]+$")  # a field that might be taken for several, or for none
FORMULA: Final = re.compile(r"'*\s*[=+\-@\t\r＝＋－＠]")  # how a formula of a spreadsheet begins, escaped or not


def as_labels(texts: Iterable[str]) -> list[Label]:
    """Return the labels of a text file: whole numbers if all texts are, else the texts.

    >>> as_labels(["10", "9"]), as_labels(["10", "beer"]), as_labels(["010"])
    ([10, 9], ['10', 'beer'], ['010'])
    """
    values = list(texts)
    return list(map(int, values)) if all(map(WHOLE_NUMBER.fullmatch, values)) else list(values)


def as_support(text: str, where: str) -> int:
    """Return ``text`` as a count; refuse anything else."""
    if not COUNT.fullmatch(text) or int(text) > LARGEST_COUNT:
        raise InputError(f"{where} has a support that is no count; supports are {WHOLE}")
    return int(text)


def is_plain(text: str) -> bool:
    """Return whether a line of UTF-8 can hold ``text``."""
    return not any(character in "\0\r\n" or "\ud800" <= character <= "\udfff" for character in text)


def encode_lines(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield ``lines`` as UTF-8 with their line ends, many at a time."""
    rest = iter(lines)
    while block := list(islice(rest, BLOCK)):
        yield ("\n".join(block) + "\n").encode()


def as_text(data: Bytes, *, before: int = 0) -> str:
    """Decode UTF-8 without its byte-order mark; ``before`` is the number of earlier lines."""
    at = data.find(b"\0")
    if at >= 0:
        line = before + data.count(b"\n", 0, at) + 1
        raise InputError(f"line {line} holds a NUL byte, so this is no text; check the file and its format")
    try:
        return data.decode("utf-8" if before else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = before + data.count(b"\n", 0, error.start) + 1
        advice = (" is not UTF-8; save the file as UTF-8, or name its encoding with ", Option("encoding"))
        raise InputError(f"line {line}", *advice) from None


def as_lines(data: Bytes) -> list[str]:
    r"""Return the lines of a text without their ends.

    >>> as_lines(b"a\r\nb\n")
    ['a', 'b', '']
    """
    text = as_text(data)
    refuse_lone_returns(data)
    return [line.removesuffix("\r") for line in text.split("\n")]


def refuse_lone_returns(data: Bytes, *, before: int = 0) -> None:
    """Refuse a carriage return within a line, which may have been meant to end it."""
    if b"\r" in data and (match := re.search(rb"\r[^\n]", data)):
        line = before + data.count(b"\n", 0, match.start()) + 1
        raise InputError(f"line {line} holds {LONE_RETURN}")


def as_separator(separator: str | None) -> str:
    """Return the separator of fields, by default a comma; refuse quotes, line ends and longer texts."""
    sign = COMMA if separator is None else separator.replace(r"\t", "\t")  # as shells can name a tab
    if len(sign) != 1 or sign in '"\r\n':
        raise OptionError("the separator must be one character such as ',' or ';', no quote and no line end")
    return sign


def quote_label(text: str) -> str:
    r"""Return a label as an item of a cell, in quotes where a reader or a spreadsheet would misread it.

    >>> print(quote_label("tea"), quote_label("=1+1"), quote_label("red; dry"))
    tea "=1+1" "red; dry"
    """
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise OutputError("a label is no text that UTF-8 can hold; rename it")
    is_bare = text.strip() == text != "" and not FORMULA.match(text) and not set(text) & set(f'{WITHIN}"\0\r\n')
    return text if is_bare else _quote(text)


def as_field(value: object, ambiguous: re.Pattern[str] | None = None) -> str:
    """Return a field of a record, in quotes where needed; an apostrophe keeps spreadsheets from running a formula.

    >>> [as_field(value) for value in ("tea", "=1+1", " =1", "'=1", "'n", " tea", -5)]
    ['tea', "'=1+1", "' =1", "''=1", "'n", '" tea"', "'-5"]
    >>> as_field("a;b"), as_field("a;b", AMBIGUOUS)
    ('a;b', '"a;b"')
    """
    text = str(value)
    text = f"'{text}" if FORMULA.match(text) else text
    is_bare = text.strip() == text and not set(text) & set(',"\r\n') and not (ambiguous and ambiguous.search(text))
    return text if is_bare else _quote(text)


def _quote(text: str) -> str:
    return f'"{text.replace(chr(34), chr(34) * 2)}"'


def unescape(text: str) -> str:
    """Return the label in a field, without the apostrophe of ``as_field``.

    >>> [unescape(text) for text in ("tea", "'=1+1", "''=1", "'n", "-5")]
    ['tea', '=1+1', "'=1", "'n", '-5']
    """
    return text[1:] if text[:1] == "'" and FORMULA.match(text) else text


def unescape_all(texts: Sequence[str]) -> Sequence[str]:
    """Return the labels in many fields; those without an apostrophe at the front are not looked at one by one.

    >>> unescape_all(["tea", "'=1+1", "Crohn's"])
    ['tea', '=1+1', "Crohn's"]
    """
    return list(map(unescape, texts)) if "\n'" in "\n".join(["", *texts]) else texts


def fits_field(text: str) -> bool:
    """Return whether a field can hold ``text``: it is not empty and begins with no byte-order mark."""
    return bool(text) and not text.startswith("\ufeff")


def as_record(values: Iterable[object], ambiguous: re.Pattern[str] | None = None) -> str:
    """Return a line of CSV without its end."""
    return COMMA.join(as_field(value, ambiguous) for value in values)


def open_text(data: Bytes) -> Iterator[str]:
    """Yield the lines of a UTF-8 file with their ends; refuse other bytes at once."""
    if b"\0" in data or not data.isascii():
        as_text(data)
    return TextIOWrapper(BytesIO(data), encoding="utf-8-sig", newline="")


def read_records(lines: Iterable[str], separator: str = COMMA) -> Iterator[list[str]]:
    """Yield the fields of each record; up to the first quote, each line is a record."""
    rest, before = iter(lines), 0
    while (block := list(islice(rest, BLOCK))) and '"' not in "".join(block):
        reader = csv.reader(block, delimiter=separator, strict=True)
        try:
            yield from reader
        except csv.Error:
            raise _explain(before + reader.line_num) from None
        before += len(block)
    yield from map(itemgetter(1), parse_records(chain(block, rest), separator, before))


def parse_records(lines: Iterable[str], separator: str, before: int = 0) -> Iterator[tuple[str, list[str]]]:
    """Yield the text and the fields of each record; lines, which follow ``before`` others, are taken one at a time."""
    taken: list[str] = []

    def take() -> Iterator[str]:
        for text in lines:
            taken.append(text)
            yield text

    reader = csv.reader(take(), delimiter=separator, strict=True)
    try:
        for record in reader:
            text = "".join(taken)
            taken.clear()
            if (' "' in text or '\t"' in text) and _has_blanks(text.rstrip("\r\n"), separator):
                raise InputError(f"line {before + reader.line_num} has blanks before a quote; take them out")
            yield text, record
    except csv.Error:
        raise _explain(before + reader.line_num) from None


def _explain(line: int) -> InputError:
    problem = f"line {line} has a quote that does not end, text after a quote, or a field of more than"
    return InputError(f"{problem} {csv.field_size_limit():,} characters; mend it")


def _has_blanks(line: str, separator: str) -> bool:
    """Return whether a field has blanks before a quote; a separator within it would end it."""
    fields = find_fields(line, separator)
    return any(not is_quoted and re.match(r'[ \t]+"', label) for *_, label, is_quoted in fields)


def find_fields(line: str, separator: str) -> Iterator[tuple[int, int, str, bool]]:
    """Yield where each field of a record starts and stops, its label, and whether it is in quotes.

    >>> list(find_fields('tea,"red, or not",', ","))
    [(0, 3, 'tea', False), (4, 17, 'red, or not', True), (18, 18, '', False)]
    """
    end = re.escape(separator)
    for match in re.finditer(rf'(?:("[^"]*(?:""[^"]*)*")|([^{end}]*))({end}|\Z)', line):
        quoted, bare, after = match.groups()
        text = bare if quoted is None else quoted[1:-1].replace('""', '"')
        yield *match.span(2 if quoted is None else 1), unescape(text), quoted is not None
        if not after:
            return


def split_cell(cell: str, where: str) -> list[str]:
    """Return the items of a cell such as ``bread;'red wine'``."""
    try:
        return next(csv.reader([cell], delimiter=WITHIN, strict=True), [])
    except csv.Error:
        raise InputError(f"{where} has a quote that does not end; mend it") from None


def read_table(data: Bytes, what: str, separator: str = COMMA, *, row_names: bool = False) -> list[list[str]]:
    """Return the header and the records of a CSV table; with ``row_names``, R may have put names before records."""
    head, *body = [record for record in read_records(open_text(data), separator) if record] or [[]]
    if row_names and body and len(body[0]) == len(head) + 1:
        head = ["", *head]
    for number, record in enumerate(body, start=1):
        if len(record) != len(head):
            raise InputError(f"{what} {number} has {len(record)} fields, and the header has {len(head)}; mend it")
    return [head, *body]


def write_csv(path: Path, head: list[str], lines: Iterable[Iterable[object]]) -> None:
    """Write a table with a header."""
    save(path, encode_lines(as_record(line) for line in chain([head], lines)))


def write_text(path: Path, lines: Iterable[str], *, private: bool = False) -> None:
    """Write lines of text."""
    save(path, [f"{line}\n".encode() for line in lines], private=private)


def as_json(document: dict[str, Any]) -> str:
    """Return JSON with one line for each entry, and for each entry of a list."""
    lists = {name: value for name, value in document.items() if isinstance(value, list)}
    others = {name: value for name, value in document.items() if name not in lists}
    text = json.dumps(others, indent=2, ensure_ascii=False)
    for name, entries in lists.items():
        lines = ",".join(f"\n    {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
        text = f'{text[:-2]},\n  "{name}": [{lines}\n  ]\n}}'
    return text


Value = TypeVar("Value", bound=Hashable)


class ChunkReader(NamedTuple):
    """How a format is read in chunks, from bytes or a path, and the labels of item numbers after the first reading."""

    read: Callable[[Any], Iterator[Itemsets]]
    labels: Callable[[NDArray[np.int32]], Sequence[Label]]


class RowFunctions(NamedTuple):
    """How a format reads and writes rows; ``lines`` and ``without`` rewrite lines or a table without items."""

    read: Callable[[Bytes, RowOptions], Transactions]
    write: Callable[[Transactions], Iterator[bytes]]
    chunks: Callable[[RowOptions], ChunkReader] | None = None
    lines: Callable[[Sequence[str], RowOptions], LineFormat] | None = None
    without: Callable[[Bytes, Losses, RowOptions], Iterator[bytes]] | None = None


class Coded(NamedTuple):
    """Rows of codes, each perhaps not in order and with repeated codes, and their labels in the fixed order."""

    itemsets: Itemsets
    labels: tuple[Label, ...]
    ids: Sequence[Hashable] | None = None

    @classmethod
    def of(cls, itemsets: Itemsets, labels: Sequence[Label], ids: Sequence[Hashable] | None = None) -> Self:
        """Bring labels into the fixed order."""
        items, names = recode(itemsets.items, labels)
        return cls(Itemsets(itemsets.offsets, items), names, ids)

    def transactions(self) -> Transactions:
        """Return the rows as a value."""
        return Transactions.from_codes(*self.itemsets.flat, self.labels, ids=self.ids)


class Coder(Generic[Value]):
    """Codes for values as they come: each new value gets the next code.

    >>> codes: Coder[str] = Coder()
    >>> codes.encode(["b", "a", "b"]), codes.values
    ([0, 1, 0], ['b', 'a'])
    """

    def __init__(self) -> None:
        """Begin without any value."""
        self._code: dict[Value, int] = {}

    def encode(self, values: Iterable[Value]) -> list[int]:
        """Return the code of each value."""
        code = self._code
        return [code.setdefault(value, len(code)) for value in values]

    @property
    def values(self) -> list[Value]:
        """The distinct values, by code."""
        return list(self._code)

    def values_of(self, codes: NDArray[np.int32]) -> list[Value]:
        """Return the value of each code."""
        values = self.values
        return [values[code] for code in codes.tolist()]


def sort_row_codes(rows: Transactions) -> Transactions:
    """Return the same rows with the codes in the fixed order, so that equal rows give equal bytes."""
    if sort_labels(rows.labels) == rows.labels:
        return rows
    itemsets = Itemsets(rows.offsets - rows.offsets[0], rows.itemsets.entries)
    return Coded.of(itemsets, rows.labels, rows.ids).transactions()


def sort_pattern_codes(patterns: Patterns) -> Patterns:
    """Return the same patterns with the codes in the fixed order, so that equal patterns give equal bytes."""
    if sort_labels(patterns.labels) == patterns.labels:
        return patterns
    n, least, kind, length = patterns.n, patterns.min_support, patterns.kind, patterns.max_length
    listed = Patterns.from_itemsets(patterns, n=n, min_support=least, kind=kind, max_length=length)
    return replace(listed, schema=patterns.schema, hierarchy=patterns.hierarchy)


def iterate_codes(itemsets: Itemsets) -> Iterator[list[int]]:
    """Yield the codes of one itemset after the other; a block at a time becomes Python numbers."""
    for first in range(0, len(itemsets), BLOCK):
        block = itemsets[first : first + BLOCK]
        codes = block.entries.tolist()
        yield from (codes[start:stop] for start, stop in pairwise((block.offsets - block.offsets[0]).tolist()))


def find_used_codes(value: Transactions | Patterns) -> list[int]:
    """Return the codes that occur; a slice keeps labels that it does not use."""
    present = np.zeros(len(value.labels), dtype=np.bool_)
    present[value.itemsets.entries] = True
    return np.flatnonzero(present).tolist()


def as_texts(value: Transactions | Patterns, format_name: str, fits: Callable[[str], bool]) -> list[str]:
    """Return each label that occurs as text that ``as_labels`` reads back; refuse one that does not ``fit``."""
    texts = [""] * len(value.labels)
    codes = find_used_codes(value)
    are_whole = check_label_types(value, codes, format_name)
    for code in codes:
        texts[code] = str(value.labels[code])
        if not (is_plain(texts[code]) and fits(texts[code])):
            problem = f"item {code + 1} of {len(texts)} has a label that {format_name} cannot hold"
            raise OutputError(f"{problem} (blanks, separators, special signs); rename it, or write JSON or Parquet")
    if bool(codes) and are_whole != all(WHOLE_NUMBER.fullmatch(texts[code]) for code in codes):
        problem = "the labels are text that looks like whole numbers, or numbers of more than 18 digits"
        raise OutputError(f"{problem}: {format_name} cannot tell them apart; rename them, or write JSON or Parquet")
    return texts


def check_label_types(value: Transactions | Patterns, codes: Iterable[int], format_name: str) -> bool:
    """Return whether the labels of ``codes`` are whole numbers; refuse a mixture of numbers, text or others."""
    labels = [value.labels[code] for code in codes]
    are_whole = all(isinstance(label, Integral) and not isinstance(label, bool) for label in labels)
    if not (are_whole or all(isinstance(label, str) for label in labels)):
        problem = f"the labels are not all text or all whole numbers, which {format_name} cannot hold"
        raise OutputError(f"{problem}; rename them")
    return are_whole and bool(labels)


def check_fits_lines(rows: Transactions, format_name: str) -> None:
    """Refuse row ids and an empty table, which a file of one row per line cannot hold."""
    if rows.ids is not None:
        raise OutputError(f"{format_name} cannot hold row ids; write Parquet, or drop them: Transactions(rows)")
    if rows.n == 0:
        raise OutputError(f"there are no rows, and an empty {format_name} file reads as a failed export; write Parquet")
