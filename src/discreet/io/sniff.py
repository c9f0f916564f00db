"""Sniff: how a file is laid out, from its first part: encoding, separator, header and shape; or which it may be."""

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from discreet.data.itemsets import AnyFrame, is_missing
from discreet.errors import Choice, InputError, Option, UnclearError
from discreet.io import baskets, encodings
from discreet.io.baskets import BITS, ROW_ID, SEPARATORS
from discreet.io.files import EMPTY, Bytes, Place, stream
from discreet.io.notation import COMMA, as_separator
from discreet.io.options import RowOptions

HEAD: Final = 1 << 18  # bytes of a file that are inspected
MOST_RECORDS: Final = 1000  # records that are inspected
PAIR: Final = 2
MOST_COLUMNS: Final = 6  # of a long table; a wider one has one line per person
MARKED: Final = re.compile(r"sep=(.)\r?\n")  # the first line of some exports of Excel
NUMBERS: Final = re.compile(rb"[\s0-9]*")
NUMBERED: Final = re.compile(rb"[\s0-9.-]*(?:#SUP:.*)?")
DECIMAL: Final = re.compile(r"\d,\d")
ITEM: Final = re.compile(
    r"(?i)items?|products?|articles?|goods|sku|codes?|drugs?|medications?|diagnos[ie]s|procedures?|labels?|names?|"
    r"values?|categor(?:y|ies)|descriptions?|pages?|events?|what"
)
PATTERN_HEADERS: Final = ({"itemset", "support"}, {"itemsets", "support"}, {"items", "support"}, {"items", "count"})
RULE_HEADERS: Final = ({"rules", "support"}, {"antecedents", "consequents"}, {"LHS", "RHS"})
TABLE: Final = Choice("each column is an attribute", (Option("format", "table"),))
ONEHOT: Final = Choice("each column is an item", (Option("format", "onehot"),))
NO_HEADER: Final = Option("header", value=False)
UNNAMED: Final = "column"  # columns without a header are column1, column2 …


class Layout(NamedTuple):
    """How a file is read: its shape, and the options with all that was found; it is ``confirmed`` if it was named.

    With a ``reason``, it is unclear how, and ``choices`` lists what may be meant.
    """

    shape: str
    options: RowOptions
    columns: tuple[str, ...] = ()
    confirmed: bool = False
    reason: str = ""
    choices: tuple[Choice, ...] = ()

    def check(self) -> None:
        """Refuse a layout that is unclear."""
        if self.reason:
            raise UnclearError(self.reason, self.choices)


def peek(place: Place) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes of a file, unpacked, and all of its chunks; refuse an empty one."""
    chunks, data = stream(place), b""
    for chunk in chunks:
        data += chunk
        if len(data) >= HEAD:
            break
    if not data:
        raise InputError(EMPTY)
    return data[:HEAD], chain([data], chunks)


def are_numbers(head: Bytes) -> bool:
    """Return whether a file holds nothing but whole numbers and blanks, as in FIMI."""
    return NUMBERS.fullmatch(head) is not None


def looks_numbered(head: Bytes) -> bool:
    """Return whether most lines are whole numbers with blanks between, or SPMF's notes on them."""
    lines = [line for line in head.split(b"\n")[:MOST_RECORDS] if line.strip()]
    numbered = sum(line[:1] in (b"@", b"#", b"%") or NUMBERED.fullmatch(line) is not None for line in lines)
    return 2 * numbered >= len(lines)


def sniff_numbers(head: Bytes, options: RowOptions) -> Layout:
    r"""Return the layout of whole numbers with blanks between: baskets, unless they look like another table.

    >>> sniff_numbers(b"1 2\n2 3\n", RowOptions()).shape, sniff_numbers(b"0 1\n1 1\n" * 9, RowOptions()).reason
    ('baskets', 'all 18 lines are 0 and 1, as in a one-hot table')
    """
    lines = [
        line.split() for line in head.decode("ascii", "replace").splitlines()[:MOST_RECORDS] if line[:1] not in "#%@"
    ]
    first, layout = [line for line in lines if line], Layout("baskets", options)
    numbers = Choice("the numbers are items", (Option("format", "fimi"),))
    if len(first) < baskets.FEW:
        return layout
    if baskets.is_onehot(first) or baskets.is_onehot_with_ids(first):
        reason = f"all {len(first):,} lines are 0 and 1, as in a one-hot table"
        onehot = Choice("each column is an item", (*ONEHOT.options, Option("separator", " "), NO_HEADER))
        return layout._replace(reason=reason, choices=(onehot, numbers))
    if baskets.begins_with_ids(first):
        reason = "the lines begin with what looks like row ids, or the number of items: leave these out"
        return layout._replace(reason=reason, choices=(numbers,))
    return layout


def sniff_text(head: Bytes, options: RowOptions, shape: str | None = None) -> Layout:
    r"""Return the layout of a text table, from its first bytes, as far as ``options`` and ``shape`` do not say.

    >>> layout = sniff_text(b"sex;age\nf;34\nm;51\nf;34\n", RowOptions())
    >>> layout.shape, layout.options.separator, layout.columns
    ('table', ';', ('sex', 'age'))
    >>> sniff_text(b"order,item\n1,tea\n1,milk\n2,tea\n", RowOptions()).options.row
    'order'
    """
    named = options.encoding
    encoding = encodings.find_encoding(bytes(head)) if named is None else encodings.check_encoding(named)
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == encodings.UTF_8 else encoding)("replace")
    text = decoder.decode(head)
    lines = text.splitlines(keepends=True)
    lines = lines[:-1] if len(lines) > 1 and len(head) >= HEAD else lines
    marked = MARKED.match(text)
    given = marked[1] if marked and options.separator is None else options.separator
    lines = lines[1:] if marked else lines
    options = options._replace(encoding=encoding)
    separator, others = (as_separator(given), ()) if given else _find_separator(lines)
    if given and shape != "baskets" and not any(separator in line for line in lines):
        others = [sign for sign in _find_separator(lines)[:1] if any(sign in line for line in lines)]
    options = options._replace(separator=separator)
    if others:
        signs = tuple(Choice(f"the separator is {SEPARATORS.get(sign, 'a blank')}", (Option("separator", sign),)) for sign in others)
        return Layout("baskets", options, reason="the fields may be separated otherwise", choices=signs)
    records = [record for record in _parse(lines, separator) if any(record)]
    return sniff_records(records, options, shape)


def sniff_records(records: Sequence[Sequence[str]], options: RowOptions, shape: str | None = None) -> Layout:
    """Return the layout of a table, from the fields of its first lines."""
    if shape is None and options.row is not None and options.item is not None:
        shape = "long"
    if shape == "baskets":
        return Layout("baskets", options._replace(is_meant=True, header=False), confirmed=True)
    while records and all(len(record) > 1 and not record[-1] for record in records):
        records = [record[:-1] for record in records]
    columns = _name_columns(records, options)
    if shape is not None:
        return _name_header(Layout(shape, options, columns, confirmed=True), records)
    if len({*map(len, records)}) == 1 and len(columns) >= PAIR:
        return _sniff_table(records, options, columns)
    return _sniff_baskets(records, options)


def sniff_columns(head: Sequence[str], body: Sequence[Sequence[str]], options: RowOptions) -> Layout:
    """Return the layout of a table with a header: one-hot, long, or a column for each attribute.

    >>> sniff_columns(["id", "tea", "milk"], [["7", "0", "1"], ["8", "1", "1"]], RowOptions()).options.row
    'id'
    """
    layout = Layout("table", options._replace(header=True), tuple(head))
    columns = dict(zip(head, zip(*body, strict=True), strict=True)) if body else dict.fromkeys(head, ())
    others = [name for name in head if not {*map(str.casefold, columns[name])} <= BITS]
    gaps = [name for name in others if {*map(str.casefold, columns[name])} <= BITS | {""}]
    named = [name for name in head if ROW_ID.search(name)]
    if not others or not body:
        return layout._replace(shape="onehot" if body else "table")
    if gaps == others and len(gaps) < len(head):
        reason = f"the {len(head):,} columns hold 0 and 1, and {len(gaps):,} of them miss some: fill these with 0"
        return layout._replace(reason=reason, choices=(TABLE,))
    if (
        len(others) == 1
        and len(head) > PAIR
        and (others[0] == head[0] or others == named)
        and _is_key(columns[others[0]])
    ):
        return layout._replace(shape="onehot", options=layout.options._replace(row=others[0]))
    repeated = [name for name in named if not _is_key(columns[name])]
    item = next((name for name in head if name not in repeated and ITEM.search(name)), None)
    if len(head) == PAIR and len(repeated) == 1:
        item = next(name for name in head if name not in repeated)
        return layout._replace(shape="long", options=layout.options._replace(row=repeated[0], item=item))
    is_keyed = len(head) == PAIR and any(baskets.has_ids([line[::step] for line in body]) for step in (1, -1))
    if (repeated and item and len(head) <= MOST_COLUMNS) or is_keyed:
        row, what = repeated[0] if repeated else head[0], item or head[-1]
        long = Choice("each line is a row id and an item", (Option("row", row), Option("item", what)))
        reason = f"the {len(head)} columns may be a table of row ids and items, or of attributes"
        return layout._replace(reason=reason, choices=(long, TABLE))
    return layout


def sniff_frame(frame: AnyFrame, options: RowOptions, shape: str | None = None) -> Layout:
    """Return the layout of a frame of narwhals: a column of lists, or a table with a header.

    >>> import narwhals as nw, polars as pl
    >>> sniff_frame(nw.from_native(pl.DataFrame({"sex": ["f", "m"], "age": [34, 51]})), RowOptions()).shape
    'table'
    """
    names, first = list(frame.columns), frame.head(MOST_RECORDS)
    given = "long" if options.item is not None else "lists" if options.items is not None else shape
    layout = Layout(given or "lists", options._replace(header=True), tuple(names), confirmed=given is not None)
    if given is not None:
        return layout
    lists = [name for name in names if str(frame.schema[name]).startswith(("List", "Array"))]
    if lists:
        named = "items" if "items" in lists else lists[0]
        return layout._replace(options=layout.options._replace(items=named))
    columns = [["" if is_missing(value) else str(value) for value in first[name].to_list()] for name in names]
    return sniff_columns(names, list(zip(*columns, strict=True)), options)


def _sniff_table(records: Sequence[Sequence[str]], options: RowOptions, columns: tuple[str, ...]) -> Layout:
    """Return the layout of lines that are equally long."""
    head, body = records[0], records[1:]
    if options.header is False:
        return sniff_columns(columns, records, options)._replace(options=options)
    names = {*head}
    if any(wanted <= names for wanted in (*PATTERN_HEADERS, *RULE_HEADERS)):
        shape = "patterns" if any(wanted <= names for wanted in PATTERN_HEADERS) else "rules"
        return Layout(shape, options._replace(header=True), columns)
    is_bits = baskets.is_onehot(records)
    is_header = options.header or (not is_bits and all(head[1:]) and _is_header(records))
    if is_header and len(names) == len(head):
        return sniff_columns(head, body, options)
    many = f"all {len(records):,} lines have {len(head):,} fields"
    if is_bits or baskets.is_onehot_with_ids(records):
        bare = Choice("each column is an item, without a header", (*ONEHOT.options, NO_HEADER))
        return Layout(
            "onehot", options, columns, reason=f"{many} of 0 or 1, and no header", choices=(bare, baskets.BASKETS)
        )
    if baskets.is_table(records):
        bare = Choice("each column is an attribute, without a header", (*TABLE.options, NO_HEADER))
        reason = f"{many}, as in a table, and it is unclear whether the first one is a header"
        return Layout("table", options, columns, reason=reason, choices=(TABLE, bare, baskets.BASKETS))
    return _sniff_baskets(records, options)


def _sniff_baskets(records: Sequence[Sequence[str]], options: RowOptions) -> Layout:
    layout = Layout("baskets", options._replace(header=False))
    for doubt in baskets.find_doubts(records):
        return layout._replace(reason=doubt.reason, choices=(*doubt.choices, baskets.BASKETS))
    return layout


def _is_header(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first line names the columns; 0 and 1, or yes and no, below it are a sign as well."""
    head, body = records[0], records[1:]
    if baskets.has_header(records):
        return True
    named = {name.casefold() for name in head}
    below = {value.casefold() for line in body for value in line}
    return len(body) > 0 and not named & (below | BITS) and (below <= BITS or baskets.is_onehot_with_ids(body))


def _name_columns(records: Sequence[Sequence[str]], options: RowOptions) -> tuple[str, ...]:
    head = tuple(records[0]) if records else ()
    return tuple(f"{UNNAMED}{at}" for at in range(1, len(head) + 1)) if options.header is False else head


def _name_header(layout: Layout, records: Sequence[Sequence[str]]) -> Layout:
    """Return a layout that was named, with its header; refuse one whose first line is a row like the others."""
    if layout.options.header is not None:
        return layout
    head, body = (records[0], records[1:]) if records else ((), ())
    columns = zip(*body, strict=True) if len({*map(len, records)}) == 1 else ()
    alike = sum(name in column for name, column in zip(head, columns, strict=False))
    if layout.shape != "long" and (2 * alike > len(head) or {*map(str.casefold, head)} <= BITS) and body:
        with_header = Choice("the first line names the columns", (Option("header", value=True),))
        without = Choice("there is no header", (NO_HEADER,))
        return layout._replace(reason="the first line looks like the others", choices=(without, with_header))
    return layout._replace(options=layout.options._replace(header=True))


def _find_separator(lines: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the separator of the fields, or several that it may be.

    >>> _find_separator(["a;b", "c;d,e"]), _find_separator(["milk bread", "tea"]), _find_separator(["1,5;2", "1;2,5"])
    ((';', ()), (',', ()), (';', ()))
    """
    filled = [line for line in lines[:MOST_RECORDS] if line.strip()]
    bare = [re.sub(r'"[^"]*"', "", line) for line in filled]
    counts = {sign: sum(sign in line for line in bare) for sign in (COMMA, *SEPARATORS)}
    often = [sign for sign, many in counts.items() if 2 * many > len(bare)]
    often = often or [sign for sign, many in counts.items() if many and FEW_TIMES * many > max(counts.values())]
    if len(often) <= 1:
        return (often or [_find_blank(bare)])[0], ()
    even = [sign for sign in often if len({len(record) for record in _parse(filled, sign)}) == 1]
    headed = [sign for sign in often if sign in bare[0]]
    is_decimal = COMMA in often and all(len(DECIMAL.findall(line)) == line.count(COMMA) for line in bare[1:])
    rest = [sign for sign in often if not (sign == COMMA and is_decimal)]
    for some in (even, rest, headed):
        if len(some) == 1:
            return some[0], ()
    return often[0], often


FEW_TIMES: Final = 10  # a separator in so many times fewer lines than another is part of labels


def _find_blank(lines: Sequence[str]) -> str:
    """Return a blank for whole numbers with blanks between, as in FIMI; otherwise a comma that no line has."""
    return (
        " "
        if all(re.fullmatch(r"[\d\s]+", line) for line in lines) and any(" " in line.strip() for line in lines)
        else COMMA
    )


def _parse(lines: Iterable[str], separator: str) -> list[list[str]]:
    reader = csv.reader(lines, delimiter=separator)
    try:
        return list(islice(reader, MOST_RECORDS))
    except csv.Error:
        return []


def _is_key(column: Sequence[Any]) -> bool:
    return len(column) > 1 and len({*column}) == len(column)
