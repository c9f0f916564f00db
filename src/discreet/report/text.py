"""Audits, channels and trade-offs as lines of plain text, worst first; never a flood."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from textwrap import wrap
from typing import Final

from discreet.data.labels import Label, sort_labels
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel, Channels, Difference, Term, signed
from discreet.disclosure.implications import Implication
from discreet.errors import on_command_line
from discreet.io.label_codes import ragged
from discreet.judging import checks
from discreet.judging.audit import Audit
from discreet.judging.checks import WIDTH
from discreet.judging.finding import support_of
from discreet.judging.tradeoff import Tradeoff
from discreet.publications.rules.bounded import Bounded
from discreet.publications.series.change import Changes
from discreet.report.wording import Source, older_name
from discreet.runtime.text import printable

LONGEST_SUM: Final = 8
"""Supports up to which a sum is written out; of a longer one the first four are."""
SHOWN_OF_LONGER: Final = 4


def audit_text(
    audit: Audit, *, explain: int = 3, source: Source | None = None, against: Sequence[Source] = ()
) -> Iterator[str]:
    """Yield an audit in lines: the verdict, the checks, the exposed rows, the ``explain`` worst of each kind, advice.

    ``against`` are the files of the older releases that it was compared with, if they are known.

    >>> from discreet import audit
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> print(*audit_text(audit(rows, min_support=10, k=10)), sep=chr(10))
    WITHHOLD: 3 closed itemsets, each held by at least 10 of 100 rows (10%); k = 10.
    <BLANKLINE>
      ✓ consistency         The list is complete, and its supports are mutually consistent.
      ✓ size                3 itemsets listed.
      ✓ low counts          No support is below 10.
      ✗ inference channels  1 maximal channel: differences of counts that reveal fewer than 10 rows.
    <BLANKLINE>
    2 of 100 rows are exposed: channels of fewer than 10 rows single them out, the smallest of 2 rows.
    <BLANKLINE>
    The worst channels, and the sums of published supports that tell them:
      a ∧ b ∧ ¬c: 2 rows = 50 − 48
    <BLANKLINE>
    Make it safe with `discreet block`, or raise --min-support: `discreet tradeoff` shows how far.
    """
    yield printable(f"{audit.verdict.name}: {_candidate(audit, source)}")
    yield ""
    yield from checks.list_checks(audit.checks)
    if audit.exposed is not None:
        yield from ("", exposed_line(audit))
    yield from _examples(audit, explain)
    yield from _changes(audit.changes, explain, against)
    yield ""
    yield from wrap(audit.promise or audit.advice.say(on_command_line), WIDTH)


def channel_line(channel: Channel | Difference, patterns: Patterns) -> str:
    """Return a channel or a difference with the sum of published supports that tells it.

    >>> from discreet import detect, mine
    >>> patterns = mine([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10)
    >>> channel_line(detect(patterns, k=10)[0], patterns)
    'a ∧ b ∧ ¬c: 2 rows = 50 − 48'
    """
    return printable(f"{channel} = {_sum(channel.terms(patterns))}")


def channels_text(channels: Channels) -> Iterator[str]:
    r"""Yield each maximal channel in a line: how many rows, a tab, the pattern; in the order of ``channels``.

    >>> from discreet import detect, mine
    >>> list(channels_text(detect(mine([["a", "b"], ["a", "b"], ["a"]], min_support=2), k=2)))
    ['1\ta ∧ ¬b']
    """
    names = [printable(str(label)) for label in channels.labels]
    rank = ranks(channels.labels).__getitem__
    tops = [sorted(top, key=rank) for top in ragged(channels.top_offsets, channels.top_items)]
    bases = ragged(channels.cells.offsets, channels.cells.items)
    cells = zip(bases, channels.cells.tops.tolist(), channels.cells.counts.tolist(), strict=True)
    for base, top, count in cells:
        held = [names[item] for item in sorted(base, key=rank)]
        lacked = [f"¬{names[item]}" for item in tops[top] if item not in base]
        yield f"{count}\t{' ∧ '.join(held + lacked) or 'any row'}"


def tradeoff_text(tradeoff: Tradeoff, *, source: Source | None = None) -> Iterator[str]:
    """Yield a trade-off in lines: channels and exposed rows for each minimum support and k, and what is safe.

    >>> from discreet import tradeoff
    >>> rows = [["a", "b"]] * 6 + [["a"]] * 3 + [["b"]] * 2 + [[]] * 9
    >>> print(*tradeoff_text(tradeoff(rows, min_supports=[5, 9], ks=[2, 3])), sep=chr(10))
    20 rows.
    <BLANKLINE>
    Maximal channels of fewer than k rows:
      min support  itemsets  k = 2  k = 3
          5 (25%)         4      0      1
          9 (45%)         2      0      0
    <BLANKLINE>
    Rows that they expose:
      min support  itemsets  k = 2  k = 3
          5 (25%)         4      0      2
          9 (45%)         2      0      0
    <BLANKLINE>
    No channel of fewer than k rows, from which minimum support on:
      k = 2: 5 rows (25%), the lowest that was asked for
      k = 3: 7 rows (35%)
    """
    yield printable(f"{source.file + ': ' if source else ''}{tradeoff.n:,} rows.")
    for title, numbers in (
        ("Maximal channels of fewer than k rows:", tradeoff.channels),
        ("Rows that they expose:", tradeoff.exposed),
    ):
        yield from ("", title)
        head = ["min support", "itemsets", *(f"k = {k:,}" for k in tradeoff.ks)]
        lines = [
            [f"{support:,} ({share(support, tradeoff.n)})", f"{itemsets:,}", *(f"{number:,}" for number in line)]
            for support, itemsets, line in zip(
                tradeoff.min_supports, tradeoff.itemsets.tolist(), numbers.tolist(), strict=True
            )
        ]
        yield from aligned([head, *lines])
    yield from ("", "No channel of fewer than k rows, from which minimum support on:")
    for k, safe in tradeoff.safe.items():
        yield f"  k = {k:,}: {safe_from(safe, tradeoff)}"


def ranks(labels: Sequence[Label]) -> list[int]:
    """Return the place of each label in the fixed order: codes need not follow it.

    >>> ranks(["milk", "beer"])
    [1, 0]
    """
    place = {label: number for number, label in enumerate(sort_labels(labels))}
    return [place[label] for label in labels]


def share(count: int, n: int) -> str:
    """Return ``count`` of ``n`` rows as a percentage, rounded for reading.

    >>> share(813, 8124), share(1, 0)
    ('10.01%', '-')
    """
    return f"{100 * count / n:.4g}%" if n else "-"


def _candidate(audit: Audit, source: Source | None) -> str:
    """Return what was judged, and by which rule."""
    patterns, policy = audit.patterns, audit.policy
    what = f"{len(patterns):,} {patterns.kind} itemset{'s' * (len(patterns) != 1)}"
    least = f"at least {patterns.min_support:,} of {patterns.n:,} rows ({share(patterns.min_support, patterns.n)})"
    rule = f"k = {policy.k:,}" if policy.name == "k" else f"policy {policy.name}, k = {policy.k:,}"
    return f"{source.file + ', ' if source else ''}{what}, each held by {least}; {rule}."


def exposed_line(audit: Audit) -> str:
    """Return how many rows are exposed, and how much."""
    exposed, n, k = audit.exposed, audit.patterns.n, audit.policy.k
    if exposed is None or not exposed.rows:
        return f"None of {n:,} rows is exposed."
    many, least = exposed.rows, int(exposed.smallest.min())
    one = many == 1
    return (
        f"{many:,} of {n:,} rows {'is' if one else 'are'} exposed: channels of fewer than {k:,} rows single "
        f"{'it' if one else 'them'} out, the smallest of {least:,} row{'s' * (least != 1)}."
    )


def _examples(audit: Audit, most: int) -> Iterator[str]:
    """Yield the worst channels, differences and implications, each kind with the number of the rest."""
    patterns = audit.patterns
    if audit.channels is not None and len(audit.channels):
        lines = (channel_line(channel, patterns) for channel in audit.channels.worst(most))
        title = "The worst channels, and the sums of published supports that tell them:"
        yield from some_of(title, lines, most, len(audit.channels))
    if audit.differences:
        lines = (channel_line(difference, patterns) for difference in audit.differences)
        title = "The smallest differences of published supports:"
        yield from some_of(title, lines, most, len(audit.differences))
    if audit.implications is not None and len(audit.implications):
        lines = (_implication(implication, patterns) for implication in audit.implications)
        yield from some_of("The shortest implications:", lines, most, len(audit.implications))
    if audit.evidence.remainders:
        title = "The smallest rests of attributes, whose values exclude each other:"
        yield from some_of(title, bounded_lines(audit.evidence.remainders), most, len(audit.evidence.remainders))


def _changes(since: Sequence[Changes], most: int, against: Sequence[Source]) -> Iterator[str]:
    """Yield the smallest changes since each older release, or since several together."""
    for changes in since:
        name = older_name(changes.numbers, against)
        lines = (printable(str(change)) for change in changes)
        if changes.small:
            yield from some_of(printable(f"The smallest changes since {name}:"), lines, most, changes.small)


def some_of(title: str, lines: Iterable[str], most: int, many: int) -> Iterator[str]:
    """Yield the first lines under a title, and how many there are besides; nothing if none is to be shown."""
    if most:
        yield from ("", title)
        yield from (f"  {line}" for line in islice(lines, most))
        if many > most:
            yield f"  … and {many - most:,} more; --json lists all of them."


def bounded_lines(found: Iterable[Bounded]) -> Iterator[str]:
    """Yield findings within limits, each with the sum that tells it."""
    return (printable(f"{one}, as {one.explain()}") for one in found)


def _implication(implication: Implication, patterns: Patterns) -> str:
    support = support_of(implication.base, patterns)
    return printable(f"{implication}: all {support:,} row{'s' * (support != 1)}")


def _sum(terms: Sequence[Term]) -> str:
    """Return a sum of supports as numbers; a long one is cut."""
    if len(terms) <= LONGEST_SUM:
        return signed(terms, [f"{term.support:,}" for term in terms])
    first = terms[:SHOWN_OF_LONGER]
    return f"{signed(first, [f'{term.support:,}' for term in first])} … ({len(terms):,} supports)"


def safe_from(min_support: int | None, tradeoff: Tradeoff) -> str:
    """Return from which minimum support on it is safe."""
    if min_support is None:
        return "at none"
    lowest = ", the lowest that was asked for" * (min_support == tradeoff.min_supports[0])
    return f"{min_support:,} rows ({share(min_support, tradeoff.n)}){lowest}"


def aligned(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table, each column as wide as its widest entry and aligned on the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  " + "  ".join(entry.rjust(width) for entry, width in zip(line, widths, strict=True))
