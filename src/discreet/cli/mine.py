"""``discreet mine``: the frequent, closed or maximal itemsets of a file."""

import sys
from dataclasses import dataclass
from io import BytesIO

import click

import discreet
from discreet import OptionError, Patterns, write_patterns
from discreet.cli.options import LimitOptions, QuietOptions, ReadOptions, argument, as_support, command, option
from discreet.cli.reading import row_reader
from discreet.cli.terminal import print_table, rehearse, watching
from discreet.data.patterns import Kind
from discreet.data.thresholds import say_least
from discreet.errors import Option


@dataclass(frozen=True)
class MineOptions(QuietOptions, LimitOptions, ReadOptions):
    """What to mine, and where it goes."""

    file: str = argument()
    min_support: str = option(
        "Find itemsets shared by at least this many rows: 813, 10%, 0.1.",
        "COUNT|SHARE",
        type=as_support,
        required=True,
    )
    kind: Kind = option(
        "All itemsets, those without a superset of the same support, or those without a frequent superset.",
        default="closed",
    )
    out: str | None = option("Write all itemsets to this file.", "FILE")
    out_format: str | None = option("Format of the result.  [default: by the suffix of --out]", "FORMAT")
    as_json: bool = option("Write all itemsets to stdout as JSON.", name="--json")


@command(MineOptions, "Find the itemsets that enough rows of a file hold.")
def mine(asked: MineOptions) -> None:
    """Mine FILE for itemsets that at least --min-support of its rows hold.

    Without --out, a terminal shows the itemsets with the largest supports. A pipe or a file gets all itemsets in
    SPMF's format, one per line: its items, #SUP:, its support. FILE may be - for stdin.

    For example:
      discreet mine baskets.csv --min-support 10%
      discreet mine retail.dat.gz --min-support 353 --kind maximal --out maximal.txt
      zcat retail.dat.gz | discreet mine - --format fimi --min-support 1% > closed.txt
    """
    file, out, form = asked.file, asked.out, asked.out_format
    place, form = (out, form) if out is not None and out != "-" else ("-", form or "spmf")
    _rehearse(place, form, file)
    with watching(quiet=asked.quiet) as bars:
        rows = row_reader(file, asked, asked.memory, [asked.min_support], bars)(file)
        patterns = discreet.mine(rows, min_support=asked.min_support, kind=asked.kind, **asked.budget(bars))
    on_terminal = out is None and asked.out_format is None and sys.stdout.isatty()
    if out is not None or not (asked.as_json or on_terminal):
        write_patterns(patterns, place, format=form, source=file)
    if asked.as_json:
        write_patterns(patterns, "-", format="json")
    elif on_terminal:
        print_table(rows, patterns)
    if place != "-" and not asked.quiet:
        summary = f"{patterns.title}, support {say_least(patterns.min_support, patterns.n)}"
        click.echo(f"{summary}, written to {out}", err=True)


def _rehearse(place: str, form: str | None, source: str) -> None:
    """Write one itemset in that place and format, so that errors come before hours of mining."""
    example = Patterns.from_itemsets([(["a"], 1)], n=1)
    if place == "-":
        write_patterns(example, BytesIO(), format=form)
        return
    try:
        with rehearse("--out", place, source) as path:
            write_patterns(example, path, format=form)
    except OptionError as error:
        words = error.message.parts
        raise OptionError(*(Option("out_format") if word == Option("format") else word for word in words)) from None
