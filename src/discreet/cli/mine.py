"""``discreet mine``: the frequent, closed or maximal itemsets of a file."""

import sys
from io import BytesIO
from typing import Literal

import click

from discreet.cli.output import rehearsed
from discreet.cli.reading import COLUMNS, LIMITS, TABLE, options, within
from discreet.errors import Option


@click.command(
    short_help="Find the itemsets that enough rows of a file hold.",
    epilog="""\b
Examples:
  discreet mine baskets.csv --min-support 10%
  discreet mine retail.dat.gz --min-support 353 --kind maximal --out maximal.txt
  zcat retail.dat.gz | discreet mine - --format fimi --min-support 1% > closed.txt""",
)
@click.argument("file")
@click.option("--min-support", required=True, metavar="COUNT|SHARE", help="A count such as 813, or a share: 10%, 0.1.")
@click.option(
    "--kind",
    type=click.Choice(["frequent", "closed", "maximal"]),
    default="closed",
    show_default=True,
    help="All itemsets, those without a superset of the same support, or those without a frequent one.",
)
@click.option("--max-length", type=click.IntRange(min=0), metavar="N", help="Only itemsets of at most N items.")
@options(LIMITS, COLUMNS, TABLE)
@click.option("--out", metavar="FILE", help="Write all itemsets to this file.")
@click.option("--out-format", metavar="FORMAT", help="How they are written; without it, by the suffix of --out.")
@click.option("--json", "as_json", is_flag=True, help="Write all itemsets to stdout as JSON.")
@click.option("--quiet", is_flag=True, help="Say nothing on stderr but errors.")
def mine(
    *,
    file: str,
    min_support: str,
    kind: Literal["frequent", "closed", "maximal"],
    max_length: int | None,
    max_patterns: int | None,
    memory: int | None,
    threads: int | None,
    out: str | None,
    out_format: str | None,
    as_json: bool,
    quiet: bool,
    **source: str | None,
) -> None:
    """Mine FILE for itemsets that at least --min-support of its rows hold.

    Without --out, a terminal shows the itemsets that most rows hold; a pipe or a file gets all
    of them in SPMF's format, one a line: its items, #SUP:, its support. FILE may be - for stdin.
    """
    import discreet
    from discreet.cli.table import counted, in_words, print_table
    from discreet.cli.watch import watching

    place, how = (out, out_format) if out not in {None, "-"} else ("-", out_format or "spmf")
    _rehearse(place, how, file)
    with watching(quiet=quiet) as progress:
        rows = within(memory, file, [min_support], progress, **source)(file)
        patterns = discreet.mine(
            rows,
            min_support=min_support,
            kind=kind,
            max_length=max_length,
            max_patterns=max_patterns,
            memory=memory,
            threads=threads,
            progress=progress,
        )
    on_terminal = out is None and out_format is None and sys.stdout.isatty()
    if out is not None or not (as_json or on_terminal):
        discreet.write_patterns(patterns, place, format=how, source=file)
    if as_json:
        discreet.write_patterns(patterns, "-", format="json")
    elif on_terminal:
        print_table(rows, patterns)
    if place != "-" and not quiet:
        click.echo(f"{counted(patterns)}, support {in_words(patterns)}, written to {out}", err=True)


def _rehearse(place: str, how: str | None, source: str) -> None:
    """Write no patterns at all in that place and format: what must fail should fail before hours of mining."""
    from discreet import OptionError, Patterns, write_patterns

    nothing = Patterns.from_itemsets([], n=0)
    if place == "-":
        write_patterns(nothing, BytesIO(), format=how)
        return
    try:
        with rehearsed("--out", place, source) as path:
            write_patterns(nothing, path, format=how)
    except OptionError as error:
        named = error.message.parts
        raise OptionError(*(Option("out_format") if part == Option("format") else part for part in named)) from None
