"""Tables of patterns in text: ours, and those of arules, mlxtend and others; the header names their columns."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Final

from discreet.data.itemsets import AnyFrame, Itemset, Label, is_missing
from discreet.data.patterns import Patterns
from discreet.data.reading import name_some
from discreet.data.thresholds import COUNT
from discreet.errors import InputError, Option, OptionError
from discreet.io import notation
from discreet.io.files import Bytes, Place, load, naming, suffix_of
from discreet.io.formats.cells import read_cells
from discreet.io.formats.patterns import PatternFunctions, StatedPatterns, collect_patterns, iterate_patterns
from discreet.io.frames import as_narwhals
from discreet.io.mined import check_shares, count_share
from discreet.io.notation import HEADER, as_field, as_labels, as_support, as_texts, encode_lines, fits_field

ITEMSETS: Final = ("itemset", "itemsets", "items")  # columns of ours, of mlxtend and of arules
SUPPORTS: Final = ("count", "support")
SEPARATORS: Final = (notation.COMMA, "\t", ";", "|", " ")  # R separates by blanks unless it is told otherwise
TAB: Final = "\t"
HOLDS_TAB: Final = re.compile(TAB)
ESCAPED: Final = (b'\\"', b'""')  # a quote within quotes, as R and as others write it


def read(data: Bytes, n: int | None = None) -> StatedPatterns:
    r"""Return the patterns of a table with the columns ``itemset`` and ``support``, such as ``bread;milk,12``.

    So are those that mlxtend's frames are saved with, ``itemsets`` and ``support`` as a share of ``n``; and those of
    arules, ``items`` such as ``{a,b}``, with a ``support`` or a ``count``. Fields may have tabs between them.

    >>> read(b"support,itemsets\n0.25,\"frozenset({'a', 'b'})\"\n", 8).supports.tolist()
    [2]
    """
    separator, names, body = read_listed(data, "pattern", (ITEMSETS, SUPPORTS))
    if "confidence" in names:
        raise InputError("this file lists rules; judge it with ", Option("rules", value=True))
    if not ({*names} & {*ITEMSETS} and {*names} & {*SUPPORTS}):
        raise InputError(f"the first line must be the header {','.join(HEADER)}, and supports counts")
    at, is_ours = next(names.index(name) for name in ITEMSETS if name in names), names == HEADER
    bare = [number for number, record in enumerate(body, start=1) if not record[at].startswith(("{", "frozenset("))]
    if names[0] == "" and bare:  # not the row names of R or pandas, but a comma between items
        columns = ",".join(HEADER)
        raise InputError(f"pattern {bare[0]} has {len(names)} fields; it must have {len(HEADER)}: {columns}")
    cells = [record[at] for record in body]
    wheres = [f"pattern {number}" for number in range(1, len(body) + 1)]
    itemsets, doubt = (list(map(notation.split_cell, cells, wheres)), "") if is_ours else read_cells(cells, wheres)
    column = next(name for name in SUPPORTS if name in names)
    written = {name: [record[names.index(name)].strip() for record in body] for name in SUPPORTS if name in names}
    if separator == ";":  # R and spreadsheets write decimal commas then
        written = {name: [text.replace(",", ".") for text in texts] for name, texts in written.items()}
    is_whole = all(map(COUNT.fullmatch, written[column])) and any(text not in {"0", "1"} for text in written[column])
    is_count = is_ours or column == "count" or is_whole
    counts = list(map(as_support if is_count else partial(_count_share, n=n), written[column], wheres))
    if len(written) > 1 and n is not None:  # arules states both
        check_shares(written["support"], counts, n)
    found = collect_patterns(zip(itemsets, counts, strict=True), as_labels=_as_texts_or_labels)
    own = {at, *(names.index(name) for name in written)}
    others = [name for place, name in enumerate(names) if place not in own and name]
    unread = [name for name in others if _is_unread([record[names.index(name)] for record in body], itemsets)]
    return replace(found, doubt="; ".join(filter(None, [doubt, _say_unread(unread)])))


def _is_unread(column: Sequence[str], itemsets: Sequence[Sequence[Label]]) -> bool:
    """Return whether a column holds numbers that say more than lengths of itemsets or numbers of lines."""
    texts = [text.strip() for text in column]
    known = [[str(len(one)) for one in itemsets], *([str(at + first) for at in range(len(texts))] for first in (0, 1))]
    return texts not in known and any(any(map(str.isdigit, text)) for text in texts)


def _say_unread(names: Sequence[str]) -> str:
    return f"{name_some(names)}: numbers that were not judged are in the file; leave them out of it" if names else ""


def read_listed(data: Bytes, what: str, needed: Sequence[Collection[str]]) -> tuple[str, list[str], list[list[str]]]:
    r"""Return the separator of a table, its names and its records; it is the one that gives a name of each group.

    >>> read_listed(rb'"items" "count"' b"\n" rb'"1" "{say \"hi\"}" 12', "pattern", (ITEMSETS, SUPPORTS))
    (' ', ['', 'items', 'count'], [['1', '{say "hi"}', '12']])
    """
    separator = find_separator(next(notation.open_text(data), ""), needed) or notation.COMMA
    is_escaped = b'"{' in data and ESCAPED[0] in data
    text = bytes(data).replace(*ESCAPED) if is_escaped else data
    head, *body = notation.read_table(text, what, separator, row_names=True)
    return separator, _as_names(head), body


def find_separator(line: str, needed: Sequence[Collection[str]] = (ITEMSETS, SUPPORTS)) -> str | None:
    """Return the sign that splits a header into names of which one of each group is needed; None if there is none.

    >>> find_separator('"items" "support" "count"')
    ' '
    """
    heads = ((sign, {*_as_names(next(csv.reader([line], delimiter=sign), []))}) for sign in SEPARATORS)
    return next((sign for sign, names in heads if all(names & {*group} for group in needed)), None)


def _as_names(head: Iterable[str]) -> list[str]:
    return [name.strip().lower() for name in head]


def _count_share(text: str, where: str, *, n: int | None) -> int:
    return count_share(text, n, where)


def _as_texts_or_labels(values: list[Label]) -> Sequence[Label]:
    texts = [value for value in values if isinstance(value, str)]
    return as_labels(texts) if len(texts) == len(values) else values


def write(patterns: Patterns, separator: str = notation.COMMA) -> Iterator[bytes]:
    """Yield the patterns as a table of ours, in chunks."""
    cells = [notation.quote_label(text) for text in as_texts(patterns, "CSV", fits_field)]
    pairs = iterate_patterns(patterns)
    lines = ([notation.WITHIN.join([cells[code] for code in one]), support] for one, support in pairs)
    return write_table(HEADER, lines, separator)


def write_table(head: Sequence[str], lines: Iterable[Sequence[object]], separator: str) -> Iterator[bytes]:
    r"""Yield a table of patterns, in chunks.

    >>> b"".join(write_table(["items", "count"], [["{a,b}", 12]], "\t"))
    b'items\tcount\n"{a,b}"\t12\n'
    """
    return encode_lines(separator.join(as_field(value, HOLDS_TAB) for value in line) for line in chain([head], lines))


def read_shares(source: Place, format: str | None = None) -> list[tuple[Itemset, str]]:  # noqa: A002 - as in read
    r"""Return the itemsets of a CSV file with the header ``itemset,support``, and their supports as text.

    >>> from io import BytesIO
    >>> read_shares(BytesIO(b"itemset,support\na;b,12.5%\n"), "csv") == [({"a", "b"}, "12.5%")]
    True
    """
    if (suffix_of(source).removeprefix(".") if format is None else format) != "csv":
        raise OptionError("rounded shares are read from CSV files with the columns itemset and support; give one")
    with naming(source):
        records = list(_read_pattern_records(load(source), "shares such as 12.5%"))
        itemsets = [_read_itemset(record, number) for number, record in enumerate(records, start=1)]
        distinct = list(dict.fromkeys(chain.from_iterable(itemsets)))
        label_of = dict(zip(distinct, as_labels(distinct), strict=True))
        labelled = (frozenset(map(label_of.__getitem__, itemset)) for itemset in itemsets)
        return list(zip(labelled, [record[1] for record in records], strict=True))


def read_frame_of_shares(frame: AnyFrame) -> list[tuple[Itemset, str]]:
    """Return the itemsets of a frame in the layout of mlxtend, and their supports as text."""
    table = as_narwhals(frame)
    if not {"itemsets", "support"} <= set(table.columns):
        raise InputError("a frame of patterns needs the columns 'support' and 'itemsets'; rename them")
    supports = table["support"].to_list()
    missing = sum(map(is_missing, supports))
    if missing:
        raise InputError(f"{missing:,} of {len(supports):,} supports are missing; fill them, or leave their lines out")
    return [(frozenset(one), str(share)) for one, share in zip(table["itemsets"].to_list(), supports, strict=True)]


def _read_pattern_records(data: Bytes, supports: str) -> Iterator[list[str]]:
    records = filter(None, notation.read_records(notation.open_text(data)))
    if next(records, None) != HEADER:
        raise InputError(f"the first line must be the header {','.join(HEADER)}, and supports {supports}")
    return records


def _read_itemset(record: list[str], number: int) -> list[str]:
    if len(record) != len(HEADER):
        raise InputError(f"pattern {number} has {len(record)} fields; it must have {len(HEADER)}: {','.join(HEADER)}")
    return notation.split_cell(record[0], f"pattern {number}")


PATTERNS: Final = PatternFunctions(read, write, partial(write, separator=TAB))
