"""``discreet demo``: the main job on a generated clinic, told in plain words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from discreet.cli.output import say

if TYPE_CHECKING:
    from discreet import Audit, Channel, Channels, Patterns, Release, Tradeoff

PATIENTS: Final = 2000
MIN_SUPPORT: Final = "5%"
K: Final = 10
"""Fewer people than this are too few to speak of; ten is a usual rule of statistical offices."""
SECONDS: Final = 2
"""How long the demonstration may look for less distortion."""


@click.command(short_help="Show what a harmless table gives away.", epilog="Example: discreet demo")
def demo() -> None:
    """Mine and audit a generated clinic, show what its harmless table gives away, and make it safe.

    The patients are made up from a fixed seed; nothing is read, written or fetched.
    """
    from discreet import audit, block, tradeoff
    from discreet.cli.watch import watching
    from discreet.data.generate import clinic

    with watching(then="auditing") as progress:
        rows = clinic(PATIENTS, seed=1)
        found = audit(rows, min_support=MIN_SUPPORT, k=K, progress=progress)
        grid = tradeoff(rows, min_supports=[MIN_SUPPORT], ks=[K])
        release = block(rows, min_support=MIN_SUPPORT, k=K, seconds=SECONDS)
    say(story(found, grid, release))


def story(audit: "Audit", grid: "Tradeoff", release: "Release") -> Iterator[str]:
    """Yield the lines of the demonstration."""
    from discreet.cli.table import counted, in_words

    patterns, channels, exposed = audit.patterns, audit.channels, audit.exposed
    if channels is None or exposed is None:
        return  # never: the clinic has both
    items = len(patterns.labels)
    yield f"A clinic, made up: {patterns.n:,} patients and {items} items (age, sex, diagnoses, tests, drugs)."
    yield f"It would like to publish what often goes together: {counted(patterns)}, each held by"
    yield f"{in_words(patterns).replace('rows', 'patients')}. No line of that table speaks of fewer people. Is it safe?"
    yield ""
    yield f"  {audit.verdict.name}: {len(channels):,} sums of the published numbers tell of fewer than {K} patients."
    yield ""
    yield "Each is an inference channel. Three of them, and the lines of the table to add and subtract:"
    for channel in telling(channels, 3):
        yield from ("", *_told(channel, patterns))
    many, alone = exposed.numbers.size, int((exposed.smallest == 1).sum())
    yield ""
    yield f"{many:,} patients are exposed in this way, {alone} of them alone: few enough for a neighbour,"
    yield "a colleague or an insurer to know who is meant, and to learn the rest."
    yield from _safe(grid, patterns)
    yield from _blocked(release)
    yield ""
    yield "On your own data:  discreet audit FILE --min-support 5% -k 10"
    yield "                   discreet block FILE --min-support 5% -k 10 --out FOLDER"


def telling(channels: "Channels", most: int) -> "Iterator[Channel]":
    """Yield the simplest channels, of the fewest items and then of the fewest rows; each lacks other items."""
    lacked: set[object] = set()
    for channel in sorted(channels, key=lambda channel: (len(channel.top), channel.count)):
        if most and lacked.isdisjoint(channel.top - channel.base):
            lacked |= channel.top - channel.base
            most -= 1
            yield channel


def _told(channel: "Channel", patterns: "Patterns") -> Iterator[str]:
    """Yield a channel in plain words, and its sum."""
    from discreet.cli.table import joined

    held, lacked = sorted(map(str, channel.base)), sorted(map(str, channel.top - channel.base))
    who = "1 patient has" if channel.count == 1 else f"{channel.count} patients have"
    but = f"not {lacked[0]}" if len(lacked) == 1 else f"neither {' nor '.join(lacked)}"
    yield f"  {who} {' and '.join(held)}, but {but}:"
    for term in channel.terms(patterns):
        times = f"{abs(term.times)} × " if abs(term.times) > 1 else ""
        labels = joined(sorted(map(str, term.itemset)))
        yield f"    {'−' if term.times < 0 else '+'} {times}{term.support:>3,}  {labels}"


def _safe(grid: "Tradeoff", patterns: "Patterns") -> Iterator[str]:
    """Yield from which minimum support on there is no channel, and what would be left to publish."""
    from discreet.report import share

    safe = grid.safe[K]
    if safe is not None:
        left = int((patterns.supports >= safe).sum())
        yield f"From a minimum support of {safe} patients ({share(safe, grid.n)}) on there is no such sum;"
        yield f"of the {len(patterns)} itemsets, {left} would be left to publish."


def _blocked(release: "Release") -> Iterator[str]:
    """Yield what the safe release that costs the least keeps, and what it costs."""
    from discreet.report import percent, share

    cost = release.distortion
    kept = "all of them" if not cost.lost else f"all but {share(cost.lost, cost.itemsets)} of them"
    yield f"Blocked instead, it keeps {kept}: supports change by {percent(cost.average)} on average, no such sum is"
    yield "left, and whoever gets the table can check that by its certificate."
