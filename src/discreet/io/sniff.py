"""Sniff: how a file is laid out, from its first part: encoding, separator, header and shape; or which it may be."""

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from discreet.data.itemsets import AnyFrame, is_missing
from discreet.errors import Choice, InputError, Option, UnclearError
from discreet.io import baskets, encodings
from discreet.io.baskets import BITS, ROW_ID, SEPARATORS
from discreet.io.counts import find_counts
from discreet.io.files import EMPTY, Bytes, Place, stream
from discreet.io.natives import holds_lists
from discreet.io.notation import as_separator
from discreet.io.options import RowOptions
from discreet.io.separators import DECIMAL, MOST_RECORDS, find_separator, parse_records, split_lines, unquote

HEAD: Final = 1 << 18  # bytes of a file that are inspected
MOST: Final = 1 << 20  # the same for a file with very long lines
MOST_CELLS: Final = 1 << 15  # fields that are inspected, if more than a few records are left
PAIR: Final = 2
MOST_COLUMNS: Final = 6  # of a long table; a wider one has one line per person
MARKED: Final = re.compile(r"sep=(.)\r?\n")  # the first line of some exports of Excel
NUMBERS: Final = re.compile(rb"[\s0-9]*")
NUMBERED: Final = re.compile(rb"[\s0-9.-]*(?:#SUP:.*)?")
ITEM: Final = re.compile(
    r"(?i)items?|products?|articles?|goods|sku|codes?|drugs?|medications?|diagnos[ie]s|procedures?|labels?|names?|"
    r"values?|categor(?:y|ies)|descriptions?|pages?|events?|what"
)
PATTERN_HEADERS: Final = ({"itemset", "support"}, {"itemsets", "support"}, {"items", "support"}, {"items", "count"})
RULE_HEADERS: Final = ({"rules", "support"}, {"antecedents", "consequents"}, {"LHS", "RHS"})
TABLE: Final = Choice("each column is an attribute", (Option("format", "table"),))
ONEHOT: Final = Choice("each column is an item", (Option("format", "onehot"),))
HEADER, NO_HEADER = Option("header", value=True), Option("header", value=False)
LONG_LINES: Final = f"the first {MOST >> 20} MB are fewer than {baskets.FEW} lines, which is too little to go by"
COMMENTS: Final = ("#", "%", "@")
JSON: Final = re.compile(r'\s*(?:[\[{]\s*$|\[\s*[\[{]\s*["\d\[{-])', re.MULTILINE)  # how most of it begins
UNNAMED: Final = "column"  # columns without a header are column1, column2 …


class Layout(NamedTuple):
    """How a file is read: its shape, and the options with all that was found; it is ``confirmed`` if it was named.

    With a ``reason``, it is unclear how, and ``choices`` lists what may be meant. Before the first line of a text there
    may be a byte-order ``mark``, and a line that names the separator, ``before`` (in UTF-8).
    """

    shape: str
    options: RowOptions
    columns: tuple[str, ...] = ()
    confirmed: bool = False
    reason: str = ""
    choices: tuple[Choice, ...] = ()
    mark: bytes = b""
    before: bytes = b""

    def check(self) -> None:
        """Refuse a layout that is unclear."""
        if self.reason:
            raise UnclearError(self.reason, self.choices)


def peek(place: Place) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes of a file, unpacked, and all of its chunks; refuse an empty one."""
    chunks, data = stream(place), b""
    for chunk in chunks:
        data += chunk
        if len(data) >= MOST:
            break
    if not data:
        raise InputError(EMPTY)
    return head_of(data), chain([data], chunks)


def head_of(data: Bytes) -> bytes:
    """Return the first bytes of a file, which are inspected: more of them if its lines are very long."""
    is_long = data.count(b"\n", 0, HEAD) + data.count(b"\r", 0, HEAD) < 2 * baskets.FEW
    return bytes(data[: MOST if is_long else HEAD])


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
    whole = split_lines(head.decode("ascii", "replace"), is_cut=len(head) >= HEAD)
    lines = [line.split() for line in whole[:MOST_RECORDS] if line[:1] not in COMMENTS]
    first, layout = [line for line in lines if line], Layout("baskets", options)
    numbers = Choice("the numbers are items", (Option("format", "fimi"),))
    is_one_column = baskets.is_one_column(first)
    if len(first) < baskets.FEW and not is_one_column:
        return layout._replace(reason=LONG_LINES, choices=(numbers,)) if len(head) >= MOST else layout
    if baskets.is_onehot(first) or baskets.is_onehot_with_ids(first) or is_one_column:
        is_headed = is_one_column and first[0][0] not in BITS
        reason = f"all {len(first):,} lines{' but the first' * is_headed} are 0 and 1, as in a one-hot table"
        header = HEADER if is_headed else NO_HEADER
        onehot = Choice("each column is an item", (*ONEHOT.options, Option("separator", " "), header))
        return layout._replace(reason=reason, choices=(onehot, numbers))
    if baskets.begins_with_ids(first):
        reason = "the lines begin with what looks like row ids, or the number of items: leave these out"
        return layout._replace(reason=reason, choices=(numbers,))
    if baskets.hold_ids(first):
        return layout._replace(reason=f"the lines each {baskets.HOLD_IDS}: take it out", choices=(numbers,))
    return layout


def is_json(text: str) -> bool:
    r"""Return whether a text begins as JSON does, or has a value of it on its first line; an interval alone is none.

    >>> is_json('{"sex": "f"}\n{"sex": "m"}\n'), is_json('[\n ["tea"]\n]'), is_json("[20,30),f\n")
    (True, True, False)
    """
    first = text.lstrip().partition("\n")[0].rstrip()
    if JSON.match(text):
        return True
    try:
        return first[:1] in {"[", "{"} and bool(json.loads(first))
    except (ValueError, RecursionError):
        return False


def sniff_text(head: Bytes, options: RowOptions, shape: str | None = None) -> Layout:
    r"""Return the layout of a text table, from its first bytes, as far as ``options`` and ``shape`` do not say.

    >>> layout = sniff_text(b"sex;age\nf;34\nm;51\nf;34\n", RowOptions())
    >>> layout.shape, layout.options.separator, layout.columns
    ('table', ';', ('sex', 'age'))
    >>> sniff_text(b"order,item\n1,tea\n1,milk\n2,tea\n", RowOptions()).options.row
    'order'
    """
    asked = options.encoding
    found = encodings.find_encoding(bytes(head), is_cut=len(head) >= HEAD) if asked is None else asked
    encoding = encodings.check_encoding(found)
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == encodings.UTF_8 else encoding)("replace")
    text = decoder.decode(head)
    if shape is None and is_json(text):
        raise InputError("this is JSON, of which no rows are read; write them as CSV or Parquet")
    marked = MARKED.match(text)
    given = None if options.separator is None else as_separator(options.separator)
    named = marked[1] if marked and given in {None, marked[1]} else ""  # else it is a line like others
    before = marked[0] if marked and named else ""
    lines = split_lines(text[len(before) :], is_cut=len(head) >= HEAD)
    separator, others = (given or as_separator(named), ()) if given or named else find_separator(lines)
    if (
        (given or named)
        and shape not in {"baskets", "onehot"}
        and not any(separator in line for line in unquote(lines))
    ):
        often = {sign: 2 * sum(sign in line for line in unquote(lines)) for sign in find_separator(lines)[:1]}
        others = [sign for sign, many in often.items() if many > (len(lines) if given else 0)]
    options = options._replace(encoding=encoding, separator=separator)
    if others:
        names = {sign: SEPARATORS.get(sign, "a blank") for sign in others}
        signs = tuple(Choice(f"the separator is {names[sign]}", (Option("separator", sign),)) for sign in others)
        layout = Layout("baskets", options, reason="the fields may be separated otherwise", choices=signs)
    elif len(head) >= MOST and len(lines) < baskets.FEW and shape is None:
        layout = Layout("baskets", options, reason=LONG_LINES, choices=(ONEHOT, TABLE, baskets.BASKETS))
    else:
        records = [record for record in parse_records(lines, separator) if any(record)]
        records = records[: max(2 * baskets.FEW, MOST_CELLS // max(map(len, records), default=1))]
        layout = sniff_records(records, options, shape)
    return layout._replace(mark=encodings.find_mark(bytes(head), encoding), before=before.encode())


def sniff_records(records: Sequence[Sequence[str]], options: RowOptions, shape: str | None = None) -> Layout:
    """Return the layout of a table, from the fields of its first lines."""
    if shape is None and options.item is not None:
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
    named = [name for name in head if ROW_ID.search(name)]
    others = [name for name in head if name != options.row and not {*map(str.casefold, columns[name])} <= BITS]
    gaps = [name for name in others if {*map(str.casefold, columns[name])} <= BITS | {""}]
    if not others or not body:
        return layout._replace(shape="onehot" if body else "table")
    if gaps == others and len(gaps) < len(head):
        reason = f"the {len(head):,} columns hold 0 and 1, and {len(gaps):,} of them miss some: fill these with 0"
        return layout._replace(reason=reason, choices=(TABLE,))
    is_first = others in ([head[0]], named) and len(head) > PAIR
    if len(others) == 1 and is_first and _is_key(columns[others[0]]):
        return layout._replace(shape="onehot", options=layout.options._replace(row=others[0]))
    repeated = [name for name in named if not _is_key(columns[name])]
    item = next((name for name in head if name not in repeated and ITEM.search(name)), None)
    if len(head) == PAIR and len(repeated) == 1:
        item = next(name for name in head if name not in repeated)
        return layout._replace(shape="long", options=layout.options._replace(row=repeated[0], item=item))
    keys = [name for name in head if len(head) == PAIR and _repeats_ids(columns[name])]
    if (repeated and item and len(head) <= MOST_COLUMNS) or keys:
        row = (repeated or keys)[0]
        what = item or next(name for name in reversed(head) if name != row)
        long = Choice("each line is a row id and an item", (Option("row", row), Option("item", what)))
        reason = f"the {len(head)} columns may be a table of row ids and items, or of attributes"
        return layout._replace(reason=reason, choices=(long, TABLE))
    texts = [column for column in columns.values() if not all(map(DECIMAL.fullmatch, filter(None, column)))]
    has_lists = any(baskets.are_lists(column, alone=len(head) == PAIR) for column in texts)
    reason = "a column seems to hold lists: write one line per item" * has_lists or find_counts(head, body)
    return layout._replace(reason=reason, choices=(TABLE,) * bool(reason))


def sniff_frame(frame: AnyFrame, options: RowOptions, shape: str | None = None) -> Layout:
    """Return the layout of a frame of narwhals: a column of lists, or a table with a header.

    >>> import narwhals as nw, polars as pl
    >>> sniff_frame(nw.from_native(pl.DataFrame({"sex": ["f", "m"], "age": [34, 51]})), RowOptions()).shape
    'table'
    """
    names, first = list(frame.columns), frame.head(MOST_RECORDS)
    given = "long" if options.item is not None else "lists" if options.items is not None else shape
    layout = Layout(given or "lists", options._replace(header=True), tuple(names), confirmed=given is not None)
    if layout.shape != "lists" or options.items is not None:
        return layout
    lists = [name for name in names if holds_lists(first[name])]
    named = ["items"] if "items" in lists else lists
    if len(named) == 1:
        return layout._replace(options=layout.options._replace(items=named[0]))
    if lists or given is not None:
        choices = tuple(Choice("this column holds the items of each row", (Option("items", one),)) for one in lists)
        return layout._replace(reason=f"there are {len(lists)} columns of lists", choices=choices) if lists else layout
    columns = [["" if is_missing(value) else str(value) for value in first[name].to_list()] for name in names]
    return sniff_columns(names, list(zip(*columns, strict=True)), options)


def _sniff_table(records: Sequence[Sequence[str]], options: RowOptions, columns: tuple[str, ...]) -> Layout:
    """Return the layout of lines that are equally long."""
    head, body = records[0], records[1:]
    if options.header is False:
        found = sniff_columns(columns, records, options)
        return found._replace(options=found.options._replace(header=False))
    names = {*head}
    if any(wanted <= names for wanted in (*PATTERN_HEADERS, *RULE_HEADERS)):
        shape = "patterns" if any(wanted <= names for wanted in PATTERN_HEADERS) else "rules"
        return Layout(shape, options._replace(header=True), columns)
    is_bits = baskets.is_onehot(records)
    is_header = options.header or (not is_bits and all(head[1:]) and _is_header(records))
    many = f"all {len(records):,} lines have {len(head):,} fields"
    if is_header and len(names) == len(head):
        found = sniff_columns(head, body, options)
        is_sure = options.header or baskets.names_columns(records) or baskets.is_table(body)
        reason = f"{many}, and it is unclear whether the first one is a header"
        unclear = found._replace(reason=reason, choices=(TABLE, baskets.BASKETS))
        return found if is_sure or found.shape != "table" else unclear
    if is_bits or baskets.is_onehot_with_ids(records) or baskets.is_onehot(body, least=1):
        bare = Choice("each column is an item, without a header", (*ONEHOT.options, NO_HEADER))
        with_header = Choice("each column is an item, named in the first line", (*ONEHOT.options, HEADER))
        reason = f"{many} of 0 or 1, and it is unclear whether the first one is a header"
        return Layout("onehot", options, columns, reason=reason, choices=(with_header, bare, baskets.BASKETS))
    if baskets.is_table(records):
        bare = Choice("each column is an attribute, without a header", (*TABLE.options, NO_HEADER))
        reason = f"{many}, as in a table, and it is unclear whether the first one is a header"
        long = _offer_long(records) if baskets.begins_with_ids(records) else ()
        return Layout("table", options, columns, reason=reason, choices=(*long, TABLE, bare, baskets.BASKETS))
    return _sniff_baskets(records, options)


def _offer_long(records: Sequence[Sequence[str]]) -> tuple[Choice, ...]:
    """Return how a table of two columns without a header is read as a long one."""
    first, second = Option("row", f"{UNNAMED}1"), Option("item", f"{UNNAMED}2")
    choice = Choice("each line is a row id and an item, without a header", (first, second, NO_HEADER))
    return (choice,) if {*map(len, records)} == {PAIR} else ()


def _sniff_baskets(records: Sequence[Sequence[str]], options: RowOptions) -> Layout:
    layout = Layout("baskets", options._replace(header=False))
    if options.header:
        reason = "the lines look like rows of items, which have no header"
        return layout._replace(reason=reason, choices=(TABLE, ONEHOT, baskets.LONG, baskets.BASKETS))
    for doubt in baskets.find_doubts(records):
        choices = doubt.choices or (_offer_long(records) if doubt.has_ids else ())
        return layout._replace(reason=doubt.reason, choices=(*choices, baskets.BASKETS))
    return layout


def _is_header(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first line names the columns; 0 and 1, or yes and no, below it are a sign as well."""
    head, body = records[0], records[1:]
    if baskets.has_header(records):
        return True
    named = {name.casefold() for name in head}
    below = {value.casefold() for line in body for value in line}
    if not body or named & (below | BITS):
        return False
    # A row repeats no item, so 0 and 1 below other numbers may be baskets.
    is_bits = below <= BITS and (not all(map(str.isdecimal, head)) or any(len({*line}) < len(line) for line in body))
    return is_bits or baskets.is_onehot_with_ids(body)


def _name_columns(records: Sequence[Sequence[str]], options: RowOptions) -> tuple[str, ...]:
    head = tuple(records[0]) if records else ()
    return tuple(f"{UNNAMED}{at}" for at in range(1, len(head) + 1)) if options.header is False else head


def _name_header(layout: Layout, records: Sequence[Sequence[str]]) -> Layout:
    """Return a layout that was named, with its header; refuse one whose first line is a row like the others."""
    head, body = (records[0], records[1:]) if records else ((), ())
    if layout.shape == "long":
        return _name_long(layout, head, body)
    if layout.options.header is not None:
        return layout
    columns = zip(*body, strict=True) if len({*map(len, records)}) == 1 else ()
    alike = sum(name in column for name, column in zip(head, columns, strict=False))
    if (2 * alike > len(head) or {*map(str.casefold, head)} <= BITS) and body:
        with_header = Choice("the first line names the columns", (HEADER,))
        without = Choice("there is no header", (NO_HEADER,))
        return layout._replace(reason="the first line looks like the others", choices=(without, with_header))
    return layout._replace(options=layout.options._replace(header=True))


def _name_long(layout: Layout, head: Sequence[str], body: Sequence[Sequence[str]]) -> Layout:
    """Return the layout of a long table; its columns are found unless they are named."""
    options = layout.options
    if options.header is None:
        layout = layout._replace(options=options._replace(header=True))
    if options.row is not None or options.item is not None:
        return layout
    is_even = options.header is not False and len({len(head), *map(len, body)}) == 1
    found = sniff_columns(head, body, layout.options) if is_even else layout
    if found.options.row is None or found.options.item is None:
        return layout._replace(reason="it is unclear which columns hold row ids and items", choices=(baskets.LONG,))
    return layout._replace(options=found.options)


def _repeats_ids(column: Sequence[str]) -> bool:
    """Return whether a column may hold ids that repeat: many different values, none of them often."""
    many = len({*column})
    return many < len(column) and 2 * many >= baskets.FEW and baskets.FEW * many >= len(column)


def _is_key(column: Sequence[Any]) -> bool:
    return len(column) > 1 and len({*column}) == len(column)
