"""``discreet tradeoff``: how much is safe to publish, for each minimum support and k."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from discreet.cli.output import check_place, put
from discreet.cli.reading import COLUMNS, ENDING, LIMITS, TABLE, digested, options, within

if TYPE_CHECKING:
    from discreet import Tradeoff
    from discreet.report import Source

MIN_SUPPORTS: Final = ("5%,10%,15%,20%,25%,30%",)
KS: Final = ("3,5,10,20,30,50",)
MOST_DIGITS: Final = 40


@click.command(
    short_help="Compare minimum supports and k: from where on is it safe?",
    epilog="""\b
Examples:
  discreet tradeoff clinic.csv
  discreet tradeoff clinic.csv --min-support 5%,10%,20% -k 3,5,10 --json""",
)
@click.argument("file")
@click.option(
    "--min-support",
    "min_supports",
    multiple=True,
    default=MIN_SUPPORTS,
    show_default=True,
    metavar="COUNTS|SHARES",
    help="Minimum supports, with commas between them or each by itself.",
)
@click.option(
    "-k",
    "ks",
    multiple=True,
    default=KS,
    show_default=True,
    metavar="KS",
    help="Values of k, with commas between them or each by itself.",
)
@options(LIMITS[1:], COLUMNS, TABLE, ENDING)
def tradeoff(
    *,
    file: str,
    min_supports: tuple[str, ...],
    ks: tuple[str, ...],
    memory: int | None,
    threads: int | None,
    as_json: bool,
    out: str | None,
    quiet: bool,
    **reading: str | None,
) -> None:
    """Count channels and exposed rows of FILE for several minimum supports and values of k.

    Also tells, for each k, the smallest minimum support from which on the closed itemsets of FILE have
    no channel. FILE holds rows, and may be - for stdin.
    """
    import discreet
    from discreet import report
    from discreet.cli.watch import watching

    supports, limits = _split(min_supports), [_whole(k) for k in _split(ks)]
    check_place("--out", out, file)
    with watching(quiet=quiet, then="comparing") as progress:
        rows, source = digested(file, within(memory, file, supports, progress, **reading), table=reading["table"])
        grid = discreet.tradeoff(
            rows, min_supports=supports, ks=limits, threads=threads, memory=memory, progress=progress
        )
    put(out, report.tradeoff_json(grid, source=source), _lines(grid, source), as_json=as_json, sources=[file])


def _lines(grid: "Tradeoff", source: "Source") -> Iterator[str]:
    from discreet import report

    yield from report.tradeoff_text(grid, source=source)
    if len(grid.min_supports) > 1:
        yield ""
        yield from report.chart(grid)


def _split(texts: tuple[str, ...]) -> list[str]:
    """Return what stands between commas.

    >>> _split(("5%, 10%", "813"))
    ['5%', '10%', '813']
    """
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > MOST_DIGITS:
        raise click.UsageError(f"-k is {text[:40]!r}, which is no whole number: give such as 10, or 3,5,10")
    return int(text)
