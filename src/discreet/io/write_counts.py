"""Writing tables of counts in the shape of the files that they were read from."""

import csv
from collections.abc import Container, Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Final, NamedTuple

from discreet.data.counts import Cell, Counts, Place, Sheet, State, Table, Values, name_values
from discreet.errors import OutputError
from discreet.io.encodings import encode
from discreet.io.files import Place as Target
from discreet.io.files import as_path, folder_beside, save
from discreet.io.read_back import BYTE_ORDER, Shape, find_shape, format_cell, list_records, list_shared

TABLE: Final = "table.csv"
QUOTE: Final = '"'
NOWHERE: Final = Place(0, 0)
TOTALS: Final = ("Total", "(all)", "(total)", "(all values)")


class Rendered(NamedTuple):
    """What a file of tables would hold, and its encoding; without a ``shape``, it is our long table."""

    data: bytes
    encoding: str = "utf-8"
    shape: Shape | None = None


def write_counts(counts: Counts, place: Target) -> None:
    r"""Write tables of counts to a file, in the shape of the one that they were read from.

    A count that is as it was read stays as it was written. Any other is written as its mark, or as its number; one that
    is now left out takes its line with it, if the file has one count per line. A share that is no longer in the tables
    is left blank. What no table was read from, such as notes and columns that were dropped, is not written. Tables of
    several files are written to a folder. Counts that were not read from a file, that have other attributes now, or
    that could not be read back from such a file, are written as a long table, without shares.

    >>> from io import BytesIO
    >>> from dataclasses import replace
    >>> from discreet.io.read_counts import read_counts
    >>> counts = read_counts(BytesIO(b"sex;n;rate\nTotal;180;3\nf;177;1\nm;<11;2\n"), drop="rate")
    >>> table = counts.tables[0]
    >>> cells = [cell._replace(state=State.MASKED, mark="<200") if cell.at == ("f",) else cell for cell in table.cells]
    >>> out = BytesIO()
    >>> write_counts(replace(counts, tables=(replace(table, cells=tuple(cells)),)), out)
    >>> out.getvalue()
    b'sex;n\nTotal;180\nf;<200\nm;<11\n'
    """
    files = render_counts(counts)
    if len(counts.sheets) < 2:  # noqa: PLR2004 - several
        save(place, [file.data for file in files.values()])
        return
    path = as_path(place)
    if path is None:
        raise OutputError(f"the tables are of {len(counts.sheets)} files; give the name of a folder for them")
    with folder_beside(path) as folder:
        for name, file in files.items():
            save(folder / Path(name).name, [file.data])


def render_counts(counts: Counts) -> dict[str, Rendered]:
    """Return each file that tables were read from, as it would be now, by its name; or else one long table.

    The shape of files is kept only if the tables are read back from them, and nothing else.
    """
    files, now = dict[str, Rendered](), {table.name: table for table in counts.tables}
    layout = "" if counts.reading is None else counts.reading.format
    for sheet in () if _is_reshaped(counts) else counts.sheets:
        tables = [now.pop(table.name) for table in sheet.tables if table.name in now]
        text = _render(sheet, tables)
        shape = find_shape(text, sheet, tables, layout)
        if shape is None:
            break
        files[sheet.name] = Rendered(b"".join(encode([text.encode()], sheet.encoding)), sheet.encoding, shape)
    if now or len(files) < len(counts.sheets) or not files:
        return {counts.sheets[0].name if len(counts.sheets) == 1 else TABLE: Rendered(render_long(counts))}
    return files


def _is_reshaped(counts: Counts) -> bool:
    """Return whether a count is published that has no place in the files."""
    known = {table.name for sheet in counts.sheets for table in sheet.tables}
    return any(
        table.name not in known or any(cell.place is None and cell.state < State.ABSENT for cell in table.cells)
        for table in counts.tables
    )


def _render(sheet: Sheet, tables: Iterable[Table]) -> str:
    """Return the text of a file with the counts of its tables as they are now."""
    edits, gone = _list_edits(sheet, list(tables))
    mark = BYTE_ORDER if sheet.text.startswith(BYTE_ORDER) else ""
    records = [one for one in list_records(sheet) if one.number not in gone and any(one.list_read(sheet))]
    used = {column for one in records for column in sheet.read[one.number]}
    is_even = len({len(one.fields) for one in records}) == 1
    lines = []
    for one in records:
        fields = dict.fromkeys(one.list_unread(sheet), "") | edits.get(one.number, {})
        drop = {at for at in range(1, len(one.fields) + 1) if at not in used} if is_even else set[int]()
        lines.append(_edit(one.text, fields, drop, sheet.separator) if fields or drop else one.text)
    return "".join([mark, *lines])


def _list_edits(sheet: Sheet, tables: Iterable[Table]) -> tuple[dict[int, dict[int, str]], set[int]]:
    """Return the fields that change, by line and column, and the lines that go."""
    own = list(tables)
    now = {cell.place: cell for table in own for cell in table.cells if cell.place is not None}
    left = {ratio.place for table in own for ratio in table.ratios}
    shared = list_shared(sheet)
    fields, gone = dict[Place, str](), set[int]()
    for ratio in (ratio for table in sheet.tables for ratio in table.ratios):
        if ratio.place is not None and ratio.place not in left and ratio.place not in now:
            fields[ratio.place] = ""
    for before in (cell for table in sheet.tables for cell in table.cells if cell.place is not None):
        place = before.place or NOWHERE
        cell = now.get(place)
        text = _choose_text(before, cell, has_lost_share=place in shared and place not in left)
        if text is not None:
            fields[place] = text
        is_gone = cell is None or cell.state >= State.ABSENT
        gone |= {place.line} if is_gone and sheet.is_per_line else set()
    edits = dict[int, dict[int, str]]()
    for place, text in fields.items():
        edits.setdefault(place.line, {})[place.column] = text
    return edits, gone


def _choose_text(before: Cell, now: Cell | None, *, has_lost_share: bool) -> str | None:
    """Return what is to be written for a count; None if its field stays as it is."""
    if now is None or now.state >= State.ABSENT:
        return ""
    if (before.low, before.high, before.state, before.mark) != (now.low, now.high, now.state, now.mark):
        return format_cell(now)
    if not has_lost_share:
        return None
    return now.mark if now.state is State.MASKED else format_cell(now)


def _edit(record: str, fields: Mapping[int, str], drop: Container[int], separator: str) -> str:
    """Return a line with other texts in some fields, and without others; the rest stays as it is written."""
    body = record.rstrip("\r\n")
    parts, start, is_quoted = [], 0, False
    for at, sign in enumerate(body):
        if sign == QUOTE:
            is_quoted = not is_quoted
        elif sign == separator and not is_quoted:
            parts.append(body[start:at])
            start = at + 1
    parts.append(body[start:])
    for column, text in fields.items():
        parts[column - 1] = _quote(text, separator, is_quoted=parts[column - 1].strip().startswith(QUOTE))
    kept = (part for column, part in enumerate(parts, start=1) if column not in drop)
    return separator.join(kept) + record[len(body) :]


def _quote(text: str, separator: str, *, is_quoted: bool) -> str:
    needs = is_quoted or separator in text or QUOTE in text or "\n" in text
    return f'"{text.replace(QUOTE, QUOTE * 2)}"' if needs else text


def render_long(counts: Counts) -> bytes:
    """Return all counts as one table with a count per line; what is counted has a column if it differs."""
    names = list(dict.fromkeys(name for table in counts.tables for name in table.names))
    counted = list(dict.fromkeys(table.counted for table in counts.tables))
    values = {value for _, value in counts.list_values()}
    total = next((word for word in TOTALS if word not in values), TOTALS[-1])
    extra = ["counted"] * (len(counted) > 1)
    count = next(name for name in ("count", "n", "people", "number of people") if name not in names)
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*extra, *names, count])
    seen = set[tuple[str, Values]]()
    for table in counts.tables:
        for cell in table.cells:
            key = table.counted, name_values(table.names, cell.at)
            if cell.state >= State.ABSENT or key in seen:
                continue
            seen.add(key)
            at = dict(zip(table.names, cell.at, strict=True))
            row = [at.get(name) or total for name in names]
            writer.writerow([*[table.counted] * bool(extra), *row, format_cell(cell)])
    return out.getvalue().encode()
