"""``discreet index``: the inverted file of a file of rows."""

from pathlib import Path

import click

from discreet.cli.output import check_place
from discreet.cli.reading import COLUMNS, is_database, options


@click.command(
    short_help="Index the rows of a file, so that queries start at once.",
    epilog="""\b
Examples:
  discreet index baskets.csv
  discreet index stays.csv --row patient --item drug --out stays.index""",
)
@click.argument("file")
@click.option("--out", metavar="FILE", help="Where to write the index; without it, to FILE.index.")
@options(COLUMNS)
@click.option("--quiet", is_flag=True, help="Say nothing on stderr but errors.")
def index(*, file: str, out: str | None, quiet: bool, **reading: str | None) -> None:
    """Write the inverted file of FILE: for each item the rows that hold it, as compressed bitmaps.

    An index FILE.index beside FILE is used by `discreet query` until FILE changes. It holds all that FILE holds:
    keep it as you keep FILE. Only you can read it.
    """
    from discreet import InvertedFile, OptionError
    from discreet.cli.watch import watching

    if is_database(file):
        raise OptionError("FILE is a URL, but an index belongs to a file; a database has indexes of its own")
    if file == "-":
        raise OptionError("FILE is -, but an index belongs to a file; write the rows to a file first")
    place = out or f"{file}.index"
    check_place("--out", place, file)
    with watching(quiet=quiet):
        inverted = InvertedFile.of_file(file, **reading)
    inverted.save(place)
    if place != "-" and not quiet:
        size = Path(place).stat().st_size
        click.echo(
            f"{inverted.n:,} rows, {len(inverted.labels):,} items; the index was written to {place} ({size:,} bytes): "
            "keep it as you keep the rows",
            err=True,
        )
