"""Commands to begin with: ``discreet demo`` on an invented clinic, ``generate`` for synthetic rows, ``serve``."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Unpack

import click

import discreet
from discreet import Audit, Channel, Channels, Patterns, Release, Tradeoff, Transactions
from discreet.cli.options import DECIMAL, PORT, WHOLE, ColumnOptions, argument, as_bytes, command, option
from discreet.cli.terminal import join_labels, say, watching
from discreet.data import generate as generators
from discreet.data.thresholds import say_least
from discreet.report import percent, share

PATIENTS: Final = 2000
MIN_SUPPORT: Final = "5%"
K: Final = 10  # ten is a common rule of statistical offices
OUT: Final = click.option("--out", required=True, metavar="FILE", help="Write the rows to this file; - for stdout.")
ADVICE: Final = "the web app needs packages that are not installed; install them with: pip install 'discreet[web]'"
FORMAT: Final = click.option(
    "--format", metavar="FORMAT", help="Format of the rows.  [default: by the suffix of --out]"
)


def _number(name: str, default: float, words: str, kind: Callable[[str], float] = WHOLE) -> Callable[[Any], Any]:
    """Declare an option that is a number."""
    return click.option(name, type=kind, metavar="N", default=default, show_default=True, help=words)


SEED: Final = _number("--seed", 1, "Seed of the random numbers.")


@click.command(short_help="Show what a harmless table gives away.", epilog="Example: discreet demo")
def demo() -> None:
    """Mine and audit an invented clinic, show what its harmless table gives away, and make it safe.

    The patients are generated from a fixed seed; nothing is read, written or fetched.
    """
    with watching(then="auditing") as bars:
        rows = generators.clinic(PATIENTS, seed=1)
        judged = discreet.audit(rows, min_support=MIN_SUPPORT, k=K, progress=bars)
        grid = discreet.tradeoff(rows, min_supports=[MIN_SUPPORT], ks=[K])
        release = discreet.block(rows, min_support=MIN_SUPPORT, k=K)
    say(_narrate(judged, grid, release))


def _narrate(audit: Audit, grid: Tradeoff, release: Release) -> Iterator[str]:
    """Yield the lines of the demonstration."""
    patterns, channels, exposed = audit.patterns, audit.channels, audit.exposed
    items = len(patterns.labels)
    least = say_least(patterns.min_support, patterns.n, "patient")
    yield f"An invented clinic: {patterns.n:,} patients and {items} items (age, sex, diagnoses, tests, drugs)."
    yield f"It would like to publish combinations that are common: {patterns.title}, each shared by"
    yield f"{least}. No line of that table is about fewer people. Is it safe?"
    yield ""
    yield f"  {audit.verdict.name}: {len(channels):,} differences of published counts reveal fewer than {K} patients."
    yield ""
    yield "Each is an inference channel. Three of them, and the lines of the table to add and subtract:"
    for channel in _pick_channels(channels, 3):
        yield from ("", *_explain(channel, patterns))
    many, alone = exposed.numbers.size, int((exposed.smallest == 1).sum())
    yield ""
    yield f"{many:,} patients are exposed in this way, {alone} of them alone: few enough for a neighbour,"
    yield "a colleague or an insurer to recognise them, and to learn the rest."
    yield from _show_safe_support(grid, patterns)
    yield from _show_release(release)
    yield ""
    yield "On your own data:  discreet audit FILE --min-support 5% -k 10"
    yield "                   discreet block FILE --min-support 5% -k 10 --out FOLDER"


def _pick_channels(channels: Channels, most: int) -> Iterator[Channel]:
    """Yield the simplest channels, of the fewest items and then of the fewest rows; each lacks other items."""
    lacked: set[object] = set()
    for channel in sorted(channels, key=lambda channel: (len(channel.top), channel.count)):
        if most and lacked.isdisjoint(channel.top - channel.base):
            lacked |= channel.top - channel.base
            most -= 1
            yield channel


def _explain(channel: Channel, patterns: Patterns) -> Iterator[str]:
    """Yield a channel in words, and its sum."""
    held, lacked = sorted(map(str, channel.base)), sorted(map(str, channel.top - channel.base))
    who = "1 patient has" if channel.count == 1 else f"{channel.count} patients have"
    but = f"not {lacked[0]}" if len(lacked) == 1 else f"neither {' nor '.join(lacked)}"
    yield f"  {who} {' and '.join(held)}, but {but}:"
    for term in channel.terms(patterns):
        times = f"{abs(term.times)} × " if abs(term.times) > 1 else ""
        labels = join_labels(sorted(map(str, term.itemset)))
        yield f"    {'−' if term.times < 0 else '+'} {times}{term.support:>3,}  {labels}"


def _show_safe_support(grid: Tradeoff, patterns: Patterns) -> Iterator[str]:
    """Yield the lowest minimum support without a channel, and how much would be left to publish."""
    safe = grid.safe[K]
    if safe is not None:
        left = int((patterns.supports >= safe).sum())
        yield f"From a minimum support of {safe} patients ({share(safe, grid.n)}) on there is no such difference;"
        yield f"of the {len(patterns)} itemsets, {left} would be left to publish."


def _show_release(release: Release) -> Iterator[str]:
    """Yield what the safe release keeps, and what it costs."""
    cost = release.distortion
    kept = "all of them" if not cost.lost else f"all but {share(cost.lost, cost.itemsets)} of them"
    effect = f"supports change by {percent(cost.average)} on average" if release.changes_rows else "each count is exact"
    yield f"Blocking keeps {kept}: {effect}, no such difference is left,"
    yield "and anyone who gets the table can check this with its certificate."


@click.group(epilog="Example: discreet generate clinic --rows 1000 --out clinic.csv")
def generate() -> None:
    """Write synthetic rows to a file."""


@generate.command(
    short_help="Write an invented clinic.",
    epilog="Example: discreet generate clinic --rows 1000 --seed 7 --out clinic.csv",
)
@_number("--rows", 1000, "Number of patients.")
@SEED
@OUT
@FORMAT
def clinic(*, rows: int, seed: int, out: str, format: str | None) -> None:  # noqa: A002 - as in write()
    """Write an invented clinic: sex, age, smoking, diagnoses, tests and drugs of patients."""
    # Without the names of the patients, which only number the rows: not every format can hold them.
    _write(lambda: Transactions(generators.clinic(rows, seed=seed)), out, format)


@generate.command(
    short_help="Write market baskets by the IBM Quest generator.",
    epilog="Example: discreet generate quest --rows 100000 --length 10 --pattern-length 4 --out t10i4.dat",
)
@_number("--rows", 100_000, "Number of baskets: D.")
@_number("--length", 10, "Mean number of items in a basket: T.", DECIMAL)
@_number("--pattern-length", 4, "Mean size of a planted itemset: I.", DECIMAL)
@_number("--items", 1000, "Number of items: N.")
@_number("--patterns", 2000, "Number of planted itemsets: L.")
@_number("--correlation", 0.5, "Mean share of items taken from the last itemset.", DECIMAL)
@_number("--corruption", 0.5, "Mean corruption level of an itemset.", DECIMAL)
@_number("--corruption-variance", 0.1, "Variance of that level.", DECIMAL)
@SEED
@OUT
@FORMAT
def quest(
    *,
    rows: int,
    seed: int,
    out: str,
    format: str | None,  # noqa: A002 - as in write()
    **parameters: Unpack[generators.BasketOptions],
) -> None:
    """Write market baskets as the IBM Quest generator draws them (Agrawal and Srikant, 1994)."""
    _write(lambda: generators.quest(rows, seed=seed, **parameters), out, format)


def _write(draw: Callable[[], Transactions], out: str, form: str | None) -> None:
    with watching(first="writing"):
        discreet.write(draw(), out, format=form)


@dataclass(frozen=True)
class ServeOptions(ColumnOptions):
    """What to serve, and how."""

    file: str | None = argument(required=False)
    port: int = option("Port; 0 for any free one.", "N", type=PORT, default=0)
    no_browser: bool = option("Write the address only; open no browser.")
    max_upload: int = option("Largest file that can be uploaded.", "SIZE", type=as_bytes, default="512MiB")
    memory: int | None = option("Memory limit of a task.  [default: a quarter of all]", "SIZE", type=as_bytes)


@command(ServeOptions, "Open the web app, on this machine alone.")
def serve(asked: ServeOptions) -> None:
    """Serve pages to load a file, audit it, make it safe, hide patterns, ask queries and verify a release.

    Writes the address, with a token that lets you in, and opens it in your browser. Only this machine can reach it,
    and nothing is sent anywhere. Uploads are kept in a private folder that is deleted at the end. Ctrl-C ends it.

    For example:
      discreet serve
      discreet serve clinic.csv
      discreet serve orders.csv --row order --item product --port 8000 --no-browser
    """

    def say(line: str) -> None:
        click.echo(line)
        sys.stdout.flush()

    try:
        from discreet.web import server

        server.serve(
            asked.file,
            port=asked.port,
            browser=not asked.no_browser,
            max_upload=asked.max_upload,
            memory=asked.memory,
            reading=asked.how(),
            say=say,
        )
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"starlette", "uvicorn", "anyio", "h11"}:
            raise
        raise click.ClickException(ADVICE) from None
