"""``discreet query`` finds the rows that make a formula over items true; ``discreet index`` makes queries fast."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import click

from discreet import InvertedFile, OptionError, QueryError, Transactions, __version__, report
from discreet.cli.options import ColumnOptions, QuietOptions, ReadOptions, argument, command, names, option
from discreet.cli.terminal import check_place, say, watching
from discreet.io.files import is_url
from discreet.io.notation import iterate_codes
from discreet.report.json import Names
from discreet.runtime.text import printable

SUFFIX: Final = ".index"
BEFORE, AFTER = 50, 20  # characters of a query that are shown before and after a place in it


class Answer(NamedTuple):
    """The answer to a query: lines of text; for JSON, the number of rows and a named list of entries."""

    lines: Iterable[str]
    size: int
    name: str | None = None
    entries: Iterable[str] = ()


@dataclass(frozen=True)
class QueryOptions(ReadOptions):
    """What to look for, and what to write."""

    file: str = argument()
    text: str = argument("QUERY")
    count: bool = option("Write only the number of rows.")
    rows: bool = option("Write the rows themselves: number or id, tab, items.")
    explain: bool = option("Write the steps of the search, and how many rows each finds.")
    index_file: str | None = option("Index of FILE.  [default: FILE.index, if it exists]", "FILE", name="--index")
    as_json: bool = option("Write the answer as JSON.", name="--json")


@dataclass(frozen=True)
class IndexOptions(QuietOptions, ColumnOptions):
    """What to index, and where the index goes."""

    file: str = argument()
    out: str | None = option("Write the index to this file.  [default: FILE.index]", "FILE")


@command(QueryOptions, "Find the rows that make a formula over items true.")
def query(asked: QueryOptions) -> None:
    """Write the numbers of the rows of FILE, from 1 on, that make QUERY true; or their ids if they have ids.

    ~ (or "not") binds tightest, then & ("and"), then | ("or"); brackets group. Put an item with blanks or signs in
    quotes. FILE may be - for stdin, or an index: then no other file is needed.

    For example:
      discreet query baskets.csv "bread & (beer | ~milk)"
      discreet query baskets.csv "bread and not 'red wine'" --count
      discreet query baskets.csv "bread & ~milk" --rows --json
      discreet query baskets.csv.index "beer | wine" --explain
    """
    text = asked.text
    if asked.count + asked.rows + asked.explain > 1:
        raise click.UsageError("--count, --rows and --explain are three answers; give one of them")
    inverted = _open_index(asked)
    try:
        if asked.count:
            support = inverted.support(text)
            answer = Answer([str(support)], support)
        elif asked.explain:
            plan = inverted.explain(text)
            steps = list(plan.lines())
            answer = Answer([str(plan)], steps[0].rows or 0, "plan", (json.dumps(step._asdict()) for step in steps))
        else:
            answer = _rows(inverted, text, whole=asked.rows)
    except QueryError as error:
        click.echo("\n".join(f"  {line}" for line in point_at(text, error.column)), err=True)
        raise
    for column in inverted.unknown(text):
        click.echo(f"no row has the item at column {column} of the query; check its spelling", err=True)
    if asked.as_json:
        report.save("-", (line.encode() for line in _document(text, inverted.n, answer)))
    else:
        say(answer.lines)


def _open_index(asked: QueryOptions) -> InvertedFile:
    """Return the inverted file of FILE: FILE itself, the given index, the one beside FILE, or a new one."""
    file, index = asked.file, asked.index_file
    if file.endswith(SUFFIX):
        for flag in asked.given("index_file", *names(ReadOptions)):
            raise OptionError(f"{flag} is for a file of rows, and FILE is an index; leave it out")
        return InvertedFile.open(file)
    if index is not None and (file == "-" or is_url(file)):
        raise OptionError(f"--index is for a file of rows, and FILE is {'-' if file == '-' else 'a URL'}; leave it out")
    if index is not None or (file != "-" and Path(file + SUFFIX).exists()):
        return InvertedFile.open(index or file + SUFFIX, source=file, reading=asked.how())
    with watching():
        return InvertedFile(asked.read(file))


def point_at(text: str, column: int) -> tuple[str, str]:
    r"""Return the part of a query around a column, and a line with a caret below that column.

    >>> print(*point_at("e & (b | c", 5), sep="\n")
    e & (b | c
        ^
    """
    from rich.cells import cell_len

    start, stop = max(0, column - 1 - BEFORE), column + AFTER
    before = "..." * (start > 0) + printable(text[start : column - 1])
    line = before + printable(text[column - 1 : stop]) + "..." * (stop < len(text))
    return line, " " * cell_len(before) + "^"


def _rows(inverted: InvertedFile, text: str, *, whole: bool) -> Answer:
    """Return the rows by their numbers or ids, and with their items if ``whole``."""
    numbers = inverted.rows(text).tolist()
    keys: dict[str, list[object]] = {"row": [number + 1 for number in numbers]}
    if inverted.ids is not None:
        keys["id"] = [inverted.ids[number] for number in numbers]
    names = map(str, keys.get("id", keys["row"]))
    rows = inverted.transactions(numbers) if whole else None
    if rows is None:
        return Answer(map(printable, names), len(numbers), "rows", _entries(keys, None))
    itemsets = (", ".join(str(rows.labels[item]) for item in items) for items in iterate_codes(rows.itemsets))
    lines = (f"{printable(name)}\t{printable(items)}" for name, items in zip(names, itemsets, strict=True))
    return Answer(lines, len(numbers), "rows", _entries(keys, rows))


def _entries(keys: Mapping[str, list[object]], rows: Transactions | None) -> Iterator[str]:
    """Yield each row as JSON."""
    columns: dict[str, Iterable[str]] = {key: Names(values).texts for key, values in keys.items()}
    if rows is not None:
        columns["items"] = map(Names(rows.labels).of, iterate_codes(rows.itemsets))
    for values in zip(*columns.values(), strict=True):
        yield "{" + ", ".join(f'"{key}": {value}' for key, value in zip(columns, values, strict=True)) + "}"


def _document(text: str, n: int, answer: Answer) -> Iterator[str]:
    """Yield the lines of a JSON object: the query and the number of rows, then one entry per line."""
    facts = {"discreet": __version__, "report": "query", "query": text, "n": n, "count": answer.size}
    yield "{\n" + ",\n".join(f'  "{key}": {json.dumps(value)}' for key, value in facts.items())
    if answer.name is not None:
        yield f',\n  "{answer.name}": ['
        for number, entry in enumerate(answer.entries):
            yield "," * (number > 0) + f"\n    {entry}"
        yield "\n  ]"
    yield "\n}\n"


@command(IndexOptions, "Index the rows of a file, so that queries start at once.")
def index(asked: IndexOptions) -> None:
    """Write the inverted file of FILE: for each item the rows that hold it, as compressed bitmaps.

    `discreet query` uses the index FILE.index beside FILE until FILE changes. The index holds all data of FILE, so
    protect it as you protect FILE. Only you can read it.

    For example:
      discreet index baskets.csv
      discreet index stays.csv --row patient --item drug --out stays.index
    """
    file = asked.file
    if is_url(file):
        raise OptionError("FILE is a URL, but an index belongs to a file; a database has indexes of its own")
    if file == "-":
        raise OptionError("FILE is -, but an index belongs to a file; write the rows to a file first")
    place = asked.out or f"{file}{SUFFIX}"
    check_place("--out", place, file)
    with watching(quiet=asked.quiet):
        inverted = InvertedFile.of_file(file, **asked.how())
        inverted.save(place)
    if place != "-" and not asked.quiet:
        size = Path(place).stat().st_size
        click.echo(
            f"{inverted.n:,} rows, {len(inverted.labels):,} items; the index was written to {place} ({size:,} bytes): "
            "protect it as you protect the rows",
            err=True,
        )
