"""``discreet hide``: rows in which named itemsets cannot be found."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from discreet.cli.hiding import Asked, compared, hidden
from discreet.cli.output import check_place, put
from discreet.cli.reading import COLUMNS, TABLE, as_bytes, given, is_database, options

if TYPE_CHECKING:
    from discreet.hiding.sensitive import Named

METHODS: Final = ("naive", "minfia", "maxfia", "iga", "swa", "border", "exact")
MORE: Final = ("reading", "window", "memory", "seconds", "threads")
FITS: Final = {
    "reading": {"naive", "minfia", "maxfia", "iga"},
    "window": {"swa"},
    "memory": {"swa"},
    "seconds": {"exact"},
}
"""The methods that an option means something to."""


@click.command(
    short_help="Remove items from rows, so that sensitive itemsets cannot be found.",
    epilog="""\b
Examples:
  discreet hide baskets.csv --sensitive secret.txt
  discreet hide baskets.csv --sensitive secret.txt --compare --psi 0,10% --sigma 5%
  discreet hide baskets.csv --sensitive secret.txt --method border --below 5% --out shared""",
)
@click.argument("file")
@click.option(
    "--sensitive",
    "files",
    multiple=True,
    required=True,
    metavar="FILE",
    help="The itemsets to hide, one a line; several of these are several recipients.",
)
@click.option("--method", type=click.Choice(METHODS), help="Which items are removed where; iga without it.")
@click.option("--psi", metavar="SHARE", help="In which share of its rows an itemset may still be found; 0 without it.")
@click.option("--below", metavar="COUNT|SHARE", help="Hide just enough: fewer rows than this minimum support hold it.")
@click.option(
    "--reading",
    type=click.Choice(["static", "dynamic"]),
    help="Whether naive, minfia, maxfia and iga look at the rows as they were, or as they have become.",
)
@click.option("--window", type=click.IntRange(min=1), metavar="N", help="How many rows swa looks at together.")
@click.option("--memory", type=as_bytes, metavar="SIZE", help="With swa: scan FILE once, within this memory.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="How long exact may look for less harm; 60 without it.",
)
@click.option(
    "--measure", is_flag=True, help="Tell what can be found before and after, at the minimum supports --sigma."
)
@click.option("--compare", is_flag=True, help="Show what each method costs, side by side, for each of --psi.")
@click.option("--sigma", metavar="LIST", help="Minimum supports to measure at, such as 5% or 10%,5%,100.")
@click.option(
    "--confidence", metavar="SHARE", help="With --measure: count the association rules that hold only afterwards."
)
@click.option("--plot", metavar="FILE", help="With --compare: draw it, as an SVG file.")
@click.option("--index", metavar="FILE", help="The index of FILE, as discreet index has made it.")
@click.option("--out", metavar="FOLDER", help="Write the rows to this folder, in the format of FILE.")
@click.option("--out-table", metavar="NAME", help="Write the rows to this new table of the database that FILE is.")
@click.option("--show-labels", is_flag=True, help="Name the sensitive itemsets in what is shown, not only number them.")
@click.option("--json", "as_json", is_flag=True, help="Write what was done as JSON.")
@click.option("--quiet", is_flag=True, help="Say nothing on stderr but errors.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many threads; all cores without it.")
@options(COLUMNS, TABLE)
def hide(
    *,
    file: str,
    files: tuple[str, ...],
    method: str | None,
    psi: str | None,
    below: str | None,
    measure: bool,
    compare: bool,
    sigma: str | None,
    confidence: str | None,
    plot: str | None,
    index: str | None,
    out: str | None,
    out_table: str | None,
    show_labels: bool,
    as_json: bool,
    quiet: bool,
    **rest: Any,  # noqa: ANN401 - the options of MORE, and of columns
) -> int:
    """Remove items from the rows of FILE, so that the sensitive itemsets cannot be found in them.

    Shows what that takes. With --out, the rows are written to a folder, in the format of FILE and in its order; what
    was changed, and which itemsets are sensitive, stands in DO-NOT-RELEASE in it, which must go before you share it.
    FILE itself is never touched, and may be - for stdin.

    Exit code 0: hidden. 2: wrong usage or input.
    """
    from discreet.cli.watch import watching

    more = given(**{name: rest.pop(name) for name in MORE})
    sigmas = (sigma or below or "").split(",") if measure or compare else []
    shares = [] if psi is None else psi.split(",")
    asked = Asked(method or "iga", shares, below, sigmas, more, rest, index, out, show_labels, confidence, out_table)
    if compare:
        _check_comparison(method, more, files, out)
        check_place("--plot", plot, file, *files)
    _check_usage(asked, sigma, plot, compare=compare)
    _check_table(asked, file, compare=compare or len(files) > 1)
    _check_out(out, file)
    named = _named(files)
    unit = "lines" if compare else "rows" if asked.method == "swa" else "itemsets"
    with watching(quiet=quiet, what="comparing" if compare else "hiding", unit=unit, then="finishing") as progress:
        more["progress"] = progress
        shown = compared(file, next(iter(named.values())), asked, plot) if compare else hidden(file, named, asked)
    put(None, *shown, as_json=as_json)
    if not quiet:
        for line in _compared_next(plot) if compare else _what_next(out, out_table, several=len(files) > 1):
            click.echo(line, err=True)
    return 0


def _check_usage(asked: Asked, sigma: str | None, plot: str | None, *, compare: bool) -> None:
    """Refuse options that mean nothing together."""
    for name, methods in FITS.items():
        if name in asked.more and asked.method not in methods and not (compare and name == "seconds"):
            raise click.UsageError(f"--{name} means nothing to the method {asked.method}: leave one of them out")
    if asked.psi and asked.below is not None:
        raise click.UsageError("Both --psi and --below say how much is hidden: leave one of them out")
    if len(asked.psi) > 1 and not compare:
        raise click.UsageError("--psi has several shares, which only --compare takes: give one")
    if sigma is not None and not asked.sigmas:
        raise click.UsageError("--sigma is where to measure: give --measure or --compare as well")
    if asked.sigmas == [""]:
        raise click.UsageError("There is no minimum support to measure at: give --sigma, such as --sigma 10%")
    if asked.confidence is not None and (compare or not asked.sigmas):
        raise click.UsageError("--confidence is for the rules that --measure counts: give it with --measure alone")
    if plot is not None and not compare:
        raise click.UsageError("--plot draws what --compare compares: give both")


def _check_comparison(method: str | None, more: dict[str, Any], files: Sequence[str], out: str | None) -> None:
    """Refuse what means nothing where methods are compared."""
    if method is not None:
        raise click.UsageError(f"--compare tries all methods, but --method is {method}: leave one of them out")
    for name in FITS:
        if name in more and name != "seconds":
            raise click.UsageError(f"--{name} is for some methods, but --compare tries all: leave one of them out")
    if len(files) > 1:
        raise click.UsageError("--compare compares for one recipient: give one --sensitive file")
    if out is not None:
        raise click.UsageError("--compare only shows what each method costs: give --out with the --method you take")


def _check_table(asked: Asked, file: str, *, compare: bool) -> None:
    """Refuse what means nothing where FILE is a database, or is none; and a new table that cannot be made."""
    from discreet.hiding.folder import check_table

    if asked.out_table is None and not is_database(file):
        return
    if not is_database(file):
        raise click.UsageError("--out-table is for the rows of a database, and FILE is none: give --out")
    if asked.out is not None:
        raise click.UsageError("--out writes a copy of FILE, which a database is not: give --out-table")
    if "memory" in asked.more:
        raise click.UsageError("--memory is for files that are scanned once: leave it out")
    if asked.out_table is not None and compare:
        raise click.UsageError("--out-table takes the rows of one method and one recipient: give one of each")
    if asked.out_table is not None:
        check_table(file, table=asked.out_table, row=asked.columns["row"], item=asked.columns["item"])


def _check_out(out: str | None, file: str) -> None:
    """Refuse a folder that cannot be written, before hours of work; and a FILE that cannot be copied."""
    from discreet.hiding.folder import check_place as check_folder

    if out is None:
        return
    if out == "-":
        raise click.UsageError("--out is the name of a folder, which - is not: give one")
    if file == "-" or Path(file).is_fifo():
        raise click.UsageError("--out writes a copy of FILE, which a pipe is not: save it to a file first")
    check_folder(Path(out), Path(file))


def _named(files: Sequence[str]) -> "dict[str, Named]":
    """Return the sensitive itemsets of each recipient, who is called as the file without its suffixes."""
    from discreet import read_sensitive

    names = [Path(file).name.split(".")[0] or Path(file).name for file in files]
    if len(set(names)) < len(names):
        raise click.UsageError("Two --sensitive files have the same name, which is that of their folder: rename one")
    return {name: read_sensitive(file) for name, file in zip(names, files, strict=True)}


def _compared_next(plot: str | None) -> Iterator[str]:
    """Yield what was drawn, and how to go on."""
    yield ""
    if plot is not None:
        yield f"The chart was written to {plot}."
    yield "No rows were written; --method takes one of these, and --out FOLDER writes its rows."


def _what_next(out: str | None, table: str | None, *, several: bool) -> Iterator[str]:
    """Yield what was written where, and what is left to do."""
    from discreet.report import MARK

    yield ""
    if table is not None:
        yield f"The rows were written to the new table {table}, read again, and hold what they should."
        yield "Rows may tell of what was hidden in other ways than by these itemsets: docs/hide.md says which."
        return
    if out is None:
        yield "Nothing was written; --out FOLDER writes the rows as they may be shared."
        return
    yield f"The rows were written to {out}{', a folder for each recipient' * several}."
    yield f"Before you share them, take {MARK} out of {'each folder' if several else out}: it tells what is sensitive."
    yield "Rows may tell of what was hidden in other ways than by these itemsets: docs/hide.md says which."
