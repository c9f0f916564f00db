"""``discreet detect`` lists inference channels; ``discreet attack`` makes the inferences of a stronger attacker."""

import heapq
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import click

import discreet
from discreet import Channel, Channels
from discreet import report as reports
from discreet.cli.options import (
    SCHEMA,
    CandidateOptions,
    EndingOptions,
    OlderOptions,
    command,
    limit_time,
    names,
    option,
    refuse,
)
from discreet.cli.reading import mine_or_load, read_all, read_older
from discreet.cli.terminal import ask_about_support, check_place, put, wants_json, watching
from discreet.cli.usage import OneOf
from discreet.disclosure.attacks.attack import ATTACKERS
from discreet.disclosure.attacks.finding import Level
from discreet.disclosure.detect import Method
from discreet.errors import InputError
from discreet.runtime.text import count_of, printable

SHOWN: Final = 20
LEVELS: Final = OneOf(list(ATTACKERS))
STRONG: Final = "linear"


@dataclass(frozen=True)
class DetectOptions(EndingOptions, CandidateOptions):
    """Which channels to list."""

    k: int = option("List channels of 1 to K - 1 rows.", "K", name="-k", required=True)
    method: Method = option("Ours, or one of the papers'; all find the same channels.", default="auto")
    every: bool = option("List every channel, also those that follow from the maximal ones.", name="--all")


@dataclass(frozen=True)
class AttackOptions(EndingOptions, CandidateOptions, OlderOptions):
    """What the attacker can do."""

    k: int | None = option("Look for groups of 1 to K - 1 rows; without it, FILE holds shared rows.", "K", name="-k")
    level: Level = option(
        "Strength of the attacker; each can do what those before it can.", type=LEVELS, default=STRONG
    )
    complete: bool = option(
        "Whether they may conclude that an unlisted itemset is rarer than the minimum support.",
        name="--complete/--partial",
        default=True,
    )
    schema: str | None = option(SCHEMA, "TEXT")
    pattern: str | None = option("Bound the rows of this pattern only, such as 'a & b & ~c'.", "QUERY")
    seconds: float | None = option("Time for the attacker; the rest is undecided.", "N")
    sensitive: str | None = option("Without -k: itemsets that were hidden in FILE, to see their ranks.", "FILE")


@command(DetectOptions, "List the groups of few rows that published supports give away.")
def detect(asked: DetectOptions) -> int:
    """List the inference channels of FILE: differences of supports that reveal fewer than K rows.

    With --min-support, FILE holds rows, and their closed itemsets are mined. Without it, FILE holds patterns; with
    --rows their channels are counted in the rows. FILE may be - for stdin. It counts rows: where a person has several,
    discreet audit also counts people.

    A terminal shows the worst channels. A pipe or a file gets all: one per line, the number of rows, a tab, and the
    pattern.

    Exit code 0: no channel. 1: channels. 2: wrong usage or input.

    For example:
      discreet detect clinic.csv --min-support 5% -k 10
      discreet detect patterns.json -k 10 --json
      discreet detect mined.txt -k 10 --n 2000 --kind closed | sort -n | head
    """
    sources = (asked.file, asked.rows_file)
    check_place("--out", asked.out, *sources)
    with watching(quiet=asked.quiet, then="detecting") as bars:
        patterns, rows, source = mine_or_load(asked, bars)
        channels = discreet.detect(patterns, k=asked.k, rows=rows, method=asked.method)
    ask_about_support(patterns, asked.k, quiet=asked.quiet)
    every = channels.expand(patterns) if asked.every else None
    if _is_short(asked):
        lines = _list_worst(channels) if every is None else _list_worst_of_all(channels, every)
    elif every is None:
        lines = reports.channels_text(channels)
    else:
        lines = (f"{channel.count}\t{printable(channel.pattern)}" for channel in every)
    chunks = reports.channels_json(channels, patterns, every=every, source=source)
    put(asked.out, chunks, lines, sources, as_json=asked.as_json)
    return int(len(channels) > 0)


@command(AttackOptions, "Find what a stronger attacker infers about few rows.")
def attack(asked: AttackOptions) -> int:
    """Find what an attacker who can do more than add up supports infers about fewer than K rows from FILE.

    Each inference comes with its reason; --json gives the certificates that prove them. With --min-support, FILE
    holds rows, and their closed itemsets are mined. Without it, FILE holds patterns. With --rows, the attacker looks
    only for groups that are really small: this is faster and misses nothing. FILE may be - for stdin.

    With --against, they have older releases as well: of the same rows or, with --grown, of rows that are all among
    those of FILE. Then QUERY may use "before" as an item, for the rows that were there before.

    Without -k, FILE holds rows that discreet hide made. Their itemsets of up to 4 items, or --max-length, are ranked by
    how far fewer rows hold them than their parts lead one to expect: those that were hidden may come first. They are
    looked at if --min-support rows are expected. --sensitive tells the ranks of those that were hidden, by number.

    Exit code 0: nothing is inferred, and nothing is undecided; or without -k, done. 1: something is. 2: wrong usage or
    input.

    For example:
      discreet attack patterns.json -k 10
      discreet attack clinic.csv --min-support 5% -k 10 --level derive
      discreet attack patterns.json -k 10 --pattern "flu & ~asthma"
      discreet attack may.json -k 10 --against april.json --grown
      discreet attack shared/baskets.csv --sensitive secret.txt
    """
    sources, complete, grown = (asked.file, asked.rows_file, *asked.against), asked.complete, asked.grown
    check_place("--out", asked.out, *sources)
    if asked.k is None:
        return _suspect(asked)
    refuse((asked.sensitive is not None, "--sensitive is for shared rows, which have no -k: leave one of them out"))
    old_patterns, against = read_older(asked)
    with watching(quiet=asked.quiet, then="attacking") as bars:
        patterns, rows, source = mine_or_load(asked, bars)
        ask_about_support(patterns, asked.k, quiet=asked.quiet)
        if asked.pattern is not None:
            bounds = discreet.bounds(
                patterns,
                asked.pattern,
                complete=complete,
                schema=asked.schema,
                against=old_patterns,
                grown=grown,
            )
            chunks = reports.bounds_json(bounds, source=source, against=against)
            put(asked.out, chunks, reports.bounds_text(bounds), sources, as_json=asked.as_json)
            return int(0 < bounds.low <= bounds.high < asked.k)
        found = discreet.attack(
            patterns,
            k=asked.k,
            level=asked.level,
            complete=complete,
            schema=asked.schema,
            rows=rows,
            against=old_patterns,
            grown=grown,
            **limit_time(asked.seconds),
        )
    text = reports.attack_text(found, source=source, against=against, shown=SHOWN if _is_short(asked) else None)
    chunks = reports.attack_json(found, source=source, against=against)
    put(asked.out, chunks, text, sources, as_json=asked.as_json)
    return int(not found.is_safe)


def _suspect(asked: AttackOptions) -> int:
    """Rank the itemsets of shared rows by how surprisingly rare they are."""
    for_patterns = [
        *names(OlderOptions),
        "rows_file",
        "pattern",
        "seconds",
        "kind",
        "max_patterns",
        "memory",
        "threads",
    ]
    level = ["--level"] * (asked.level != STRONG) + ["--partial"] * (not asked.complete)
    for flag in [*asked.given(*for_patterns), *level]:
        raise click.UsageError(f"{flag} is for groups of few rows: give -k as well, or leave it out")
    given = None if asked.sensitive is None else discreet.read_sensitive(asked.sensitive)
    with watching(quiet=asked.quiet, then="ranking"):
        try:
            rows, source = read_all(asked.file, asked)
        except InputError as error:
            raise InputError(error.message, " (if FILE holds patterns, not shared rows, give -k)") from None
        found = discreet.attack(
            rows, sensitive=given, min_support=asked.min_support, schema=asked.schema, max_length=asked.max_length
        )
    text = reports.suspicion_text(found, source=source)
    put(asked.out, reports.suspicion_json(found, source=source), text, (asked.file,), as_json=asked.as_json)
    return 0


def _is_short(asked: EndingOptions) -> bool:
    """Return whether only the worst is shown: on a terminal."""
    return asked.out is None and sys.stdout.isatty() and not wants_json(asked.out, as_json=asked.as_json)


def _list_worst(channels: Channels) -> Iterator[str]:
    """Yield the worst of the maximal channels for a terminal, and how many more there are."""
    if not len(channels):
        yield f"No sum of these supports reveals fewer than {channels.k:,} rows."
        return
    yield f"{count_of(len(channels), 'maximal channel')} of fewer than {channels.k:,} rows; the worst:"
    yield from _list_channels(channels.worst(SHOWN), len(channels))


def _list_worst_of_all(channels: Channels, every: Iterable[Channel]) -> Iterator[str]:
    """Yield the worst of all channels for a terminal: those of the fewest rows, and the shortest of them."""
    many = 0

    def counting() -> Iterator[Channel]:
        nonlocal many
        for many, channel in enumerate(every, start=1):  # noqa: B007 - it is how many there are
            yield channel

    worst = heapq.nsmallest(SHOWN, counting(), key=lambda channel: (channel.count, len(channel.top)))
    yield f"{count_of(many, 'channel')} of fewer than {channels.k:,} rows; the worst:"
    yield from _list_channels(worst, many)


def _list_channels(channels: Iterable[Channel], many: int) -> Iterator[str]:
    yield "   rows  pattern"
    for channel in channels:
        yield f"  {channel.count:>5,}  {printable(channel.pattern)}"
    if many > SHOWN:
        yield f"… and {many - SHOWN:,} more; a pipe, --out or --json gets all of them."
