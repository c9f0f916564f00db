"""``discreet detect``: every inference channel of a pattern set."""

import heapq
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from discreet.cli.output import check_place, put, wants_json
from discreet.cli.reading import CANDIDATE, COLUMNS, ENDING, LIMITS, TABLE, given, mined, options

if TYPE_CHECKING:
    from discreet import Channel, Channels

SHOWN: Final = 20


@click.command(
    short_help="List what sums of supports tell about few rows.",
    epilog="""\b
Examples:
  discreet detect clinic.csv --min-support 5% -k 10
  discreet detect patterns.json -k 10 --json
  discreet detect mined.txt -k 10 --n 2000 --kind closed | sort -n | head""",
)
@options(CANDIDATE)
@click.option("-k", type=click.IntRange(min=1), required=True, metavar="K", help="Channels of 1 to K - 1 rows.")
@click.option(
    "--method",
    type=click.Choice(["auto", "naive", "closed", "projection"]),
    default="auto",
    show_default=True,
    help="Ours, or one of the papers'; all find the same.",
)
@click.option("--all", "every", is_flag=True, help="Every channel, also those that follow from the maximal ones.")
@options(COLUMNS, TABLE, LIMITS, ENDING)
def detect(
    *,
    file: str,
    min_support: str | None,
    k: int,
    method: Literal["auto", "naive", "closed", "projection"],
    every: bool,
    as_json: bool,
    out: str | None,
    quiet: bool,
    max_patterns: int | None,
    memory: int | None,
    threads: int | None,
    **reading: Any,  # noqa: ANN401 - options that are told apart in mined()
) -> int:
    """List the inference channels of FILE: what sums of its supports tell about fewer than K rows.

    With --min-support, FILE holds rows, of which the closed itemsets are mined; without it, patterns.
    A terminal shows the worst channels; a pipe gets all, one a line: count, tab, pattern. FILE may be - for stdin.

    Exit code 0: there is no channel. 1: there is one. 2: wrong usage or input.
    """
    import discreet
    from discreet import report
    from discreet.cli.watch import watching

    sources = (file, reading["rows_file"])
    check_place("--out", out, *sources)
    limits = given(max_patterns=max_patterns, memory=memory, threads=threads)
    with watching(quiet=quiet, then="detecting") as progress:
        rows, patterns, source = mined(file, min_support=min_support, limits=limits, bars=progress, **reading)
        channels = discreet.detect(patterns, k=k, rows=rows, method=method)
    all_of_them = channels.expand(patterns) if every else None
    if out is None and sys.stdout.isatty() and not wants_json(out, as_json=as_json):
        lines = worst_of_all(channels, all_of_them) if all_of_them else worst_of(channels)
    else:
        lines = map(one_line, all_of_them) if all_of_them else report.channels_text(channels)
    told = report.channels_json(channels, patterns, every=all_of_them, source=source)
    put(out, told, lines, as_json=as_json, sources=sources)
    return int(len(channels) > 0)


def worst_of(channels: "Channels") -> Iterator[str]:
    """Yield the worst of the maximal channels for a terminal, and how many more there are."""
    if not len(channels):
        yield f"No sum of these supports tells of fewer than {channels.k:,} rows."
        return
    yield f"{len(channels):,} maximal channel{'s' * (len(channels) != 1)} of fewer than {channels.k:,} rows; the worst:"
    yield from _table(channels.worst(SHOWN), len(channels))


def worst_of_all(channels: "Channels", every: "Iterable[Channel]") -> Iterator[str]:
    """Yield the worst of all channels for a terminal: those of the fewest rows, and the shortest of them."""
    many = 0

    def counting() -> "Iterator[Channel]":
        nonlocal many
        for many, channel in enumerate(every, start=1):  # noqa: B007 - it is how many there are
            yield channel

    worst = heapq.nsmallest(SHOWN, counting(), key=lambda channel: (channel.count, len(channel.top)))
    yield f"{many:,} channel{'s' * (many != 1)} of fewer than {channels.k:,} rows; the worst:"
    yield from _table(worst, many)


def one_line(channel: "Channel") -> str:
    """Return a channel as a pipe gets it."""
    from discreet.report import printable

    return f"{channel.count}\t{printable(channel.pattern)}"


def _table(channels: "Iterable[Channel]", many: int) -> Iterator[str]:
    from discreet.report import printable

    yield "   rows  pattern"
    for channel in channels:
        yield f"  {channel.count:>5,}  {printable(channel.pattern)}"
    if many > SHOWN:
        yield f"… and {many - SHOWN:,} more; a pipe, --out or --json gets all of them."
