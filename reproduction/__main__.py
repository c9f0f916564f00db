"""``discreet reproduce``: a figure of a paper, made anew."""

from collections.abc import Iterator
from pathlib import Path

import click

from discreet.cli.output import check_place, say


@click.command(
    short_help="Make a figure of a paper anew.",
    epilog="""\b
Examples:
  discreet reproduce
  discreet reproduce icdm05-fig2 --out figures
  discreet reproduce waim08-fig7 --data mushroom.dat --quick""",
)
@click.argument("name", required=False)
@click.option("--data", metavar="FILE", help="Rows to use in place of the data sets of the paper.")
@click.option("--format", metavar="FORMAT", help="How --data is read; without it, by its suffix.")
@click.option("--out", metavar="FOLDER", default=".", help="Where the CSV and the SVG go; here without it.")
@click.option(
    "--quick", is_flag=True, help="First and last minimum support, k and disclosure only; few generated rows."
)
@click.option("--download", is_flag=True, help="Fetch data sets that are not on this machine, where they are offered.")
@click.option("--quiet", is_flag=True, help="Say nothing on stderr but errors.")
def reproduce(
    *,
    name: str | None,
    data: str | None,
    format: str | None,  # noqa: A002 - as in read()
    out: str,
    quick: bool,
    download: bool,
    quiet: bool,
) -> None:
    """Make the figure NAME of a paper anew: a table, where it stands, and NAME.csv and NAME.svg.

    Without NAME, list the figures. Data sets are looked for in the folder that the environment variable
    DISCREET_DATA names, and in the user's cache; nothing is fetched without --download.
    """
    from discreet import InputError, read, report
    from discreet.cli.watch import watching
    from reproduction import run as again

    if name is None:
        say(_listed())
        return
    if name not in again.EXPERIMENTS:
        raise click.UsageError(f"there is no figure {name[:40]!r}; 'discreet reproduce' lists them")
    places = [_folder(out) / f"{name}.{suffix}" for suffix in ("csv", "svg")]
    for place in places:
        check_place("--out", str(place), data)
    with watching(quiet=quiet, then=f"making {name}") as progress:
        try:
            rows = None if data is None else read(data, format=format)
            called = report.printable(Path(data or "").name)
            figure = again.run(name, rows, data=called, quick=quick, download=download, progress=progress)
        except InputError as error:
            told = str(error).replace("download=True", "--download")
            raise InputError(f"{told}{', or give rows of your own with --data' * (data is None)}") from None
    for place, content in zip(places, (again.figure_csv(figure), again.figure_svg(figure)), strict=True):
        report.save(place, [content])
    say(again.figure_text(figure))
    if not quiet:
        click.echo(f"written to {places[0]} and {places[1].name}", err=True)


def _listed() -> Iterator[str]:
    """Yield the figures: their names, what they show and from which data."""
    from reproduction.run import EXPERIMENTS

    width = max(map(len, EXPERIMENTS))
    for name, experiment in EXPERIMENTS.items():
        yield f"{name:<{width}}  {experiment.title} ({', '.join(experiment.data)})"
    yield ""
    yield "Make one of them:  discreet reproduce NAME"


def _folder(out: str) -> Path:
    """Return the folder that results go to; make it if it is not there."""
    from discreet import OutputError

    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is no folder name"
        raise OutputError(f"--out is {out[:80]}, which is no folder and cannot be made ({reason})") from None
    return Path(out)
