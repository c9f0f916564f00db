"""Rewrite: a file of rows again, without the items that rows lose; all else stays the same bytes."""

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Any, Unpack

from discreet.data.itemsets import Itemset
from discreet.errors import Option, OptionError
from discreet.io import encodings, files
from discreet.io.columns import read_names
from discreet.io.files import Bytes, Place, load, naming, save, suffix_of
from discreet.io.line_files import Losses, remove_items, spread_losses
from discreet.io.names import find_columns
from discreet.io.notation import BYTE_ORDER_MARK, as_separator, find_fields, open_text, parse_records
from discreet.io.options import RowArguments, RowOptions
from discreet.io.sniff import peek
from discreet.io.sources import TEXTS, Source, find_format, find_source, row_functions


def rewrite(
    source: Place,
    target: Place,
    removed: Iterable[tuple[int, Itemset]],
    *,
    format: str | None = None,  # noqa: A002 - as in read
    **how: Unpack[RowArguments],
) -> None:
    r"""Write a file of rows again without the items that rows lose, such as ``Hidden.log``; options as in ``read``.

    ``target`` has the format of ``source``. All else stays: in files of one row per line, other lines keep their bytes,
    and a row without items becomes an empty line; in tables, other lines and columns are kept. A table of one item per
    line cannot hold a row without items, so such a row is refused. ``target`` must be another file; it is written
    beside and moved into place, compressed as its suffix says, and only those who may read ``source`` may read it. It
    has no column to ``drop``.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> rewrite(BytesIO(b"milk,rye bread\n\ntea,milk\n"), file, [(0, frozenset(["milk"]))], format="csv")
    >>> file.getvalue()
    b'rye bread\n\ntea,milk\n'
    """
    found, chunks = find_rewrite_source(source, target, format, RowOptions.of(how))
    losses = {number: frozenset(lost) for number, lost in sorted(removed) if lost}
    with naming(source):
        save(target, restore(found, _rewrite(source, losses, found, chunks)), sources=[source])


def find_rewrite_source(
    source: Place, target: Place, name: str | None, options: RowOptions
) -> tuple[Source, Iterator[bytes]]:
    """Return how ``source`` is read, and its chunks; refuse a ``target`` that is this file, or of another format."""
    old, new = files.as_path(source), files.as_path(target)
    if old is not None and new is not None and old.exists() and new.exists() and old.samefile(new):
        raise OptionError("the rows would be written over the file that they come from; give another file to write")
    with naming(source):
        head, chunks = peek(source)
        found = find_source(source, name, options, head)
    is_alike = new is None or name is not None or suffix_of(source) == suffix_of(new) != ""
    if not is_alike and find_format(target, None, what="rows").family != found.form.family:
        raise OptionError(f"the rows stay in their format, {found.form.name}; give a file to write with such a suffix")
    return found, chunks


def restore(found: Source, chunks: Iterable[Bytes]) -> Iterator[bytes]:
    """Yield what ``Source.clean`` gave as the file had it: with its marks and encoding, without an added header."""
    layout, rest, first = found.layout, iter(chunks), b""
    while len(first) < len(found.header) and (chunk := next(rest, None)) is not None:
        first += chunk
    yield layout.mark
    encoding = encodings.ORDERS.get(layout.mark, found.options.encoding or encodings.UTF_8)
    yield from encodings.encode(chain([layout.before, first.removeprefix(found.header)], rest), encoding)


def _rewrite(source: Place, losses: Losses, found: Source, chunks: Iterator[bytes]) -> Iterator[Bytes]:
    functions, path = row_functions(found.form), files.as_path(source)
    if functions.without is not None and not found.has_blank_rows:
        whole = [load(source)] if path is not None and path.is_file() else chunks
        kept = functions.without(b"".join(found.clean(whole)), losses, found.options)
        is_cut = bool(found.options.drop) and found.form.name in TEXTS
        yield from _drop_columns(kept, found) if is_cut else kept
    elif functions.lines is not None:
        texts = sorted({str(item) for lost in losses.values() for item in lost})
        lines = functions.lines(texts, found.options)
        slots = {text: slot for slot, text in enumerate(texts)}
        for part, removed in spread_losses(lines.scan(found.clean(chunks)), losses, slots):
            yield remove_items(part, removed, lines).data if removed.rows.size else part.data
    else:
        raise OptionError(f"a file of the format {found.form.name} cannot be written again without some items")


def _drop_columns(chunks: Iterable[Bytes], found: Source) -> Iterator[bytes]:
    """Yield a table in text without the columns to drop; all other fields stay the same bytes."""
    if found.header:
        problem = "columns are dropped from a copy by the names in the header of the file, which has none"
        raise OptionError(f"{problem}; take them out of the file, and leave ", Option("drop"), " out")
    data, sign = b"".join(chunks), as_separator(found.options.separator)
    yield BYTE_ORDER_MARK * data.startswith(BYTE_ORDER_MARK)
    gone: set[int] | None = None
    for text, record in parse_records(open_text(data), sign):
        if gone is None and record:
            names = read_names(record)
            gone = {*map(names.index, find_columns(names, found.options.drop))}
        yield _drop_fields(text, gone or set(), sign).encode()


def _drop_fields(text: str, gone: Collection[int], separator: str) -> str:
    r"""Return a record without some fields.

    >>> _drop_fields('Ann,f,"a, b"\r\n', {0}, ","), _drop_fields("Ann,\n", {0}, ",")
    ('f,"a, b"\r\n', '""\n')
    """
    line = text.rstrip("\r\n")
    fields = [line[start:stop] for start, stop, _, _ in find_fields(line, separator)] if line else []
    kept = separator.join(field for at, field in enumerate(fields) if at not in gone)
    return (kept or '""' * bool(line)) + text[len(line) :]  # an empty line would be no row


def find_again(place: Place, *, format: str | None = None, **how: Unpack[RowArguments]) -> dict[str, Any]:  # noqa: A002
    """Return the arguments with which ``read`` reads a file that ``rewrite`` made of another one.

    Rows that lost items may look like another shape, and rows that lost all of them are blank lines.
    """
    with naming(place):
        found = find_source(place, format, RowOptions.of(how), peek(place)[0])
    known = {**found.options._replace(drop=()).given, "format": found.form.name}  # what was dropped is not there
    return known | {"empty_rows": True} if found.has_blank_rows else known
