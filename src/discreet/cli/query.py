"""``discreet query``: the rows that make a formula over items true."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from discreet.cli.output import say
from discreet.cli.reading import COLUMNS, TABLE, is_database, options

if TYPE_CHECKING:
    from discreet import InvertedFile, Transactions

SUFFIX: Final = ".index"
BEFORE: Final = 50
AFTER: Final = 20
"""How much of a query is shown before and after a place in it."""


class Answer(NamedTuple):
    """What a query is told: lines of text; and for JSON how many rows there are, and a list of entries by its name."""

    lines: Iterable[str]
    size: int
    name: str | None = None
    entries: Iterable[str] = ()


@click.command(
    short_help="Find the rows that make a formula over items true.",
    epilog="""\b
Examples:
  discreet query baskets.csv "bread & (beer | ~milk)"
  discreet query baskets.csv "bread and not 'red wine'" --count
  discreet query baskets.csv "bread & ~milk" --rows --json
  discreet query baskets.csv.index "beer | wine" --explain""",
)
@click.argument("file")
@click.argument("text", metavar="QUERY")
@click.option("--count", is_flag=True, help="Write only how many rows there are.")
@click.option("--rows", is_flag=True, help="Write the rows themselves: number or id, tab, items.")
@click.option("--explain", is_flag=True, help="Write how the rows are found, and how many each step finds.")
@click.option("--index", metavar="FILE", help="The index of FILE; without it, FILE.index if that is there.")
@options(COLUMNS, TABLE)
@click.option("--json", "as_json", is_flag=True, help="Write what was found as JSON.")
def query(
    *,
    file: str,
    text: str,
    count: bool,
    rows: bool,
    explain: bool,
    index: str | None,
    as_json: bool,
    **reading: str | None,
) -> None:
    """Write the numbers of the rows of FILE, from 1 on, that make QUERY true; or their ids if they have ids.

    ~ (or "not") binds tightest, then & ("and"), then | ("or"); brackets group. An item with blanks or signs stands
    in quotes. FILE may be - for stdin, or an index: then no other file is needed.
    """
    from discreet import QueryError, report

    if count + rows + explain > 1:
        raise click.UsageError("--count, --rows and --explain are three answers; give one of them")
    inverted = opened(file, index, reading)
    try:
        if count:
            answer = _count(inverted, text)
        elif explain:
            answer = _plan(inverted, text)
        else:
            answer = _rows(inverted, text, whole=rows)
    except QueryError as error:
        click.echo("\n".join(f"  {line}" for line in pointed(text, error.column)), err=True)
        raise
    for column in inverted.unknown(text):
        click.echo(f"no row has the item at column {column} of the query; check how it is written", err=True)
    if as_json:
        report.save("-", (line.encode() for line in _document(text, inverted.n, answer)))
    else:
        say(answer.lines)


def opened(file: str, index: str | None, reading: dict[str, str | None]) -> "InvertedFile":
    """Return the inverted file of FILE: FILE itself, the index that is given or stands beside FILE, or a new one."""
    from discreet import InvertedFile, OptionError, read

    if file.endswith(SUFFIX):
        for name, value in {"index": index, **reading}.items():
            if value is not None:
                raise OptionError(f"--{name} is for a file of rows, and FILE is an index; leave it out")
        return InvertedFile.open(file)
    if file == "-" and index is not None:
        raise OptionError("--index is for a file of rows, and FILE is -; leave it out")
    if is_database(file) and index is not None:
        raise OptionError("--index is for a file of rows, and FILE is a URL; leave it out")
    if index is not None or (file != "-" and Path(file + SUFFIX).exists()):
        told = {name: value for name, value in reading.items() if name not in {"table", "query"}}
        return InvertedFile.open(index or file + SUFFIX, source=file, reading=told)
    from discreet.cli.watch import watching

    with watching():
        return InvertedFile(read(file, **reading))


def pointed(text: str, column: int) -> tuple[str, str]:
    r"""Return a query in one line, or what stands around a column of it, and a line with a caret below that column.

    >>> print(*pointed("e & (b | c", 5), sep="\n")
    e & (b | c
        ^
    """
    from rich.cells import cell_len

    from discreet.report import printable

    start, stop = max(0, column - 1 - BEFORE), column + AFTER
    before = "..." * (start > 0) + printable(text[start : column - 1])
    line = before + printable(text[column - 1 : stop]) + "..." * (stop < len(text))
    return line, " " * cell_len(before) + "^"


def _count(inverted: "InvertedFile", text: str) -> Answer:
    found = inverted.support(text)
    return Answer([str(found)], found)


def _plan(inverted: "InvertedFile", text: str) -> Answer:
    plan = inverted.explain(text)
    lines = list(plan.lines())
    entries = (json.dumps(line._asdict()) for line in lines)
    return Answer([str(plan)], lines[0].rows or 0, "plan", entries)


def _rows(inverted: "InvertedFile", text: str, *, whole: bool) -> Answer:
    """Return the rows by their numbers or ids, and whole if that is asked for."""
    from discreet.report import printable

    numbers = inverted.rows(text).tolist()
    keys: dict[str, list[Any]] = {"row": [number + 1 for number in numbers]}
    if inverted.ids is not None:
        keys["id"] = [inverted.ids[number] for number in numbers]
    names = map(str, keys.get("id", keys["row"]))
    rows = inverted.transactions(numbers) if whole else None
    if rows is None:
        return Answer(map(printable, names), len(numbers), "rows", _entries(keys, None))
    joined = (", ".join(str(rows.labels[item]) for item in items) for items in _codes(rows))
    lines = (f"{printable(name)}\t{printable(items)}" for name, items in zip(names, joined, strict=True))
    return Answer(lines, len(numbers), "rows", _entries(keys, rows))


def _entries(keys: Mapping[str, list[Any]], rows: "Transactions | None") -> Iterator[str]:
    """Yield what is known of each row as JSON."""
    from discreet.report.json import Names

    columns: dict[str, Iterable[str]] = {key: Names(values).texts for key, values in keys.items()}
    if rows is not None:
        columns["items"] = map(Names(rows.labels).of, _codes(rows))
    for values in zip(*columns.values(), strict=True):
        yield "{" + ", ".join(f'"{key}": {value}' for key, value in zip(columns, values, strict=True)) + "}"


def _codes(rows: "Transactions") -> Iterator[list[int]]:
    return (rows.items[start:stop].tolist() for start, stop in pairwise(rows.offsets.tolist()))


def _document(text: str, n: int, answer: Answer) -> Iterator[str]:
    """Yield the lines of a JSON object: what was asked and how many rows there are, then an entry a line."""
    from discreet import __version__

    facts = {"discreet": __version__, "report": "query", "query": text, "n": n, "count": answer.size}
    yield "{\n" + ",\n".join(f'  "{key}": {json.dumps(value)}' for key, value in facts.items())
    if answer.name is not None:
        yield f',\n  "{answer.name}": ['
        for number, entry in enumerate(answer.entries):
            yield "," * (number > 0) + f"\n    {entry}"
        yield "\n  ]"
    yield "\n}\n"
