"""``discreet mine``: the frequent, closed or maximal itemsets of a file."""

import re
import sys
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

import click

UNITS: Final = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def as_bytes(size: str) -> int:
    """Return the number of bytes that ``size`` stands for, rounded down.

    >>> as_bytes("1.5GB"), as_bytes("2 MiB"), as_bytes("800")
    (1500000000, 2097152, 800)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Z]*)", size.strip().upper(), re.ASCII)
    if match is None or match[2] not in UNITS:
        raise click.BadParameter(f"{size[:40]!r} is no size; give a number and a unit such as 512MB, 2GB or 2GiB")
    return int(Fraction(match[1]) * UNITS[match[2]])


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
@click.option("--max-patterns", type=click.IntRange(min=1), metavar="N", help="End in an error beyond N itemsets.")
@click.option("--memory", type=as_bytes, metavar="SIZE", help="End in an error beyond this memory, such as 2GB.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many threads; all cores without it.")
@click.option("--format", metavar="FORMAT", help="How FILE is read; without it, by its suffix.")
@click.option("--row", metavar="NAME", help="The column of row ids, where a line holds a row id and an item.")
@click.option("--item", metavar="NAME", help="The column of items, where a line holds a row id and an item.")
@click.option("--items", metavar="NAME", help="The column of lists of items, in Parquet.")
@click.option("--separator", metavar="CHARACTER", help="What stands between labels in CSV; a comma without it.")
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
        rows = discreet.read(file, **source)
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
    if as_json:
        discreet.write_patterns(patterns, "-", format="json")
    elif on_terminal:
        print_table(rows, patterns)
    if out is not None or not (as_json or on_terminal):
        discreet.write_patterns(patterns, place, format=how)
    if place != "-" and not quiet:
        click.echo(f"{counted(patterns)}, support {in_words(patterns)}, written to {out}", err=True)


def _rehearse(place: str, how: str | None, source: str) -> None:
    """Write no patterns at all in that place and format: what must fail should fail before hours of mining."""
    from discreet import OptionError, OutputError, Patterns, write_patterns

    nothing = Patterns.from_itemsets([], n=0)
    if place == "-":
        write_patterns(nothing, BytesIO(), format=how)
        return
    path = Path(place)
    try:
        if not place or path.is_dir():
            raise OutputError(f"--out is {place or 'empty'}, which is no file; give the name of a file")
        if _same(path, source):
            raise OutputError(f"--out is {place}, the file that is to be mined; give another name")
        with TemporaryDirectory(dir=path.parent, prefix=".discreet-") as beside:
            write_patterns(nothing, Path(beside) / path.name, format=how)
    except OptionError as error:
        raise OptionError(str(error).replace("format=", "out_format=")) from None
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(
            f"{place} cannot be written ({error.strerror}); name a file in a folder that you may write to"
        ) from None


def _same(path: Path, source: str) -> bool:
    """Return whether both lead to one file."""
    try:
        return path.samefile(source)
    except (OSError, ValueError):  # one of them is not there yet, or is no name of a file
        return False
