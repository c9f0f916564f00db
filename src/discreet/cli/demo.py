"""``discreet demo``: the main job on a generated clinic, told in plain words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from discreet import Patterns, Transactions

PATIENTS: Final = 2000
MIN_SUPPORT: Final = "5%"
K: Final = 10
"""Fewer people than this are too few to speak of; ten is a usual rule of statistical offices."""

SHOWN: Final = 6


@click.command(short_help="Show why large supports are not yet harmless.", epilog="Example: discreet demo")
def demo() -> None:
    """Mine a generated clinic and show why large supports are not yet harmless.

    The patients are made up from a fixed seed; nothing is read, written or fetched.
    """
    from discreet import mine
    from discreet.cli.watch import watching
    from discreet.generate import clinic

    with watching() as progress:
        rows = clinic(PATIENTS, seed=1)
        patterns = mine(rows, min_support=MIN_SUPPORT, kind="closed", progress=progress)
    for line in story(rows, patterns):
        click.echo(line)


def story(rows: "Transactions", patterns: "Patterns") -> Iterator[str]:
    """Yield the lines of the demonstration."""
    from discreet.cli.table import counted, in_words

    yield f"A clinic, made up: {len(rows):,} patients and {len(rows.labels)} items (age, sex, diagnoses, tests, drugs)."
    yield f"It would like to publish what often goes together: {counted(patterns)},"
    yield f"each held by {in_words(patterns).replace('rows', 'patients')}. Among the largest of several items:"
    yield ""
    yield from _largest(patterns)
    yield ""
    yield f"No line of the table speaks of fewer than {patterns.min_support} people. Is it safe to publish?"
    yield "No. Take two of its lines, and subtract:"
    yield ""
    yield from _sum(patterns)
    yield ""
    pairs = sum(1 for _ in differences(patterns))
    yield f"{pairs:,} pairs of lines in this table give away fewer than {K} people in this way, and longer sums"
    yield "give away more. That is an inference channel: the table says what none of its lines says."
    yield ""
    yield "This version of discreet mines, exactly. Finding all channels and closing them comes next."
    yield "On your own data: discreet mine FILE --min-support 10%"


def differences(patterns: "Patterns") -> Iterator[tuple[list[str], str, int, int]]:
    """Yield (base, item, support, support with the item) where the two published supports differ by less than k."""
    supports = dict(patterns)
    for itemset, support in supports.items():
        for item in itemset:
            without = supports.get(itemset - {item}, support)
            if 0 < without - support < K:
                yield sorted(map(str, itemset - {item})), str(item), without, support


def _largest(patterns: "Patterns") -> Iterator[str]:
    from discreet.cli.table import joined, largest

    several = ((labels, support) for labels, support in largest(patterns, len(patterns)) if len(labels) > 1)
    for (labels, support), _ in zip(several, range(SHOWN), strict=False):
        yield f"  {support:>5,}  {joined(labels)}"


def _sum(patterns: "Patterns") -> Iterator[str]:
    """Yield the simplest of the differences, as a sum and in words."""
    base, item, without, support = min(differences(patterns), key=lambda found: (len(found[0]), found[2] - found[3]))
    names = ", ".join(base)
    width = len(f"{names}, {item}")
    yield f"  {without:>5,}  {names}"
    yield f"− {support:>5,}  {names}, {item}"
    yield "  " + "─" * (7 + width)
    yield f"  {without - support:>5,}  {names}, but not {item}"
    yield ""
    yield f"Only {without - support} patients: too few to stay unknown to a neighbour, a colleague or an insurer."
