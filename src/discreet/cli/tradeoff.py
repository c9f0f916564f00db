"""``discreet tradeoff``: how much is safe to publish, for each minimum support and k."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from discreet.cli.options import POSITIVE, EndingOptions, ReadOptions, argument, as_bytes, option, options
from discreet.cli.output import check_place, put
from discreet.cli.reading import read_rows

if TYPE_CHECKING:
    from discreet import Tradeoff
    from discreet.report import Source

MIN_SUPPORTS: Final = ("5%,10%,15%,20%,25%,30%",)
KS: Final = ("3,5,10,20,30,50",)
MOST_DIGITS: Final = 40


@dataclass(frozen=True)
class TradeoffOptions(EndingOptions, ReadOptions):
    """What to compare."""

    file: str = argument()
    min_supports: tuple[str, ...] = option(
        "Minimum supports, separated by commas; may be repeated.",
        "COUNTS|SHARES",
        name="--min-support",
        multiple=True,
        default=MIN_SUPPORTS,
    )
    ks: tuple[str, ...] = option(
        "Values of k, separated by commas; may be repeated.", "KS", name="-k", multiple=True, default=KS
    )
    memory: int | None = option("Limit memory, such as 2GB.", "SIZE", type=as_bytes)
    threads: int | None = option("Number of threads.  [default: all cores]", "N", type=POSITIVE)


@click.command(
    short_help="Find the lowest minimum support that is safe, for several k.",
    epilog="""\b
Examples:
  discreet tradeoff clinic.csv
  discreet tradeoff clinic.csv --min-support 5%,10%,20% -k 3,5,10 --json""",
)
@options(TradeoffOptions)
def tradeoff(asked: TradeoffOptions) -> None:
    """Count channels and exposed rows of FILE for several minimum supports and values of k.

    For each k, it also shows the lowest minimum support at which the closed itemsets of FILE have no channel. FILE
    holds rows, and may be - for stdin.
    """
    import discreet
    from discreet import report
    from discreet.cli.terminal import watching

    supports, ks, memory = _split(asked.min_supports), [_as_k(k) for k in _split(asked.ks)], asked.memory
    check_place("--out", asked.out, asked.file)
    with watching(quiet=asked.quiet, then="comparing") as bars:
        rows, source = read_rows(asked.file, asked, memory, supports, bars)
        grid = discreet.tradeoff(
            rows, min_supports=supports, ks=ks, threads=asked.threads, memory=memory, progress=bars
        )
    chunks = report.tradeoff_json(grid, source=source)
    put(asked.out, chunks, _lines(grid, source), as_json=asked.as_json, sources=[asked.file])


def _lines(grid: "Tradeoff", source: "Source") -> Iterator[str]:
    from discreet import report

    yield from report.tradeoff_text(grid, source=source)
    if len(grid.min_supports) > 1:
        yield ""
        yield from report.chart(grid)


def _split(texts: tuple[str, ...]) -> list[str]:
    """Return the parts between commas.

    >>> _split(("5%, 10%", "813"))
    ['5%', '10%', '813']
    """
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _as_k(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > MOST_DIGITS:
        raise click.UsageError(f"-k is {text[:40]!r}, which is no whole number: give such as 10, or 3,5,10")
    return int(text)
