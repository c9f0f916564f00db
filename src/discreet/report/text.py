"""Audits of every candidate, channels and trade-offs as lines of plain text, the worst first."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Final, cast

from discreet.data.itemsets import Label, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.thresholds import say_count, say_least, share
from discreet.disclosure.channels import Channels, Term, format_sum
from discreet.errors import on_command_line
from discreet.io.notation import encode_lines, iterate_codes
from discreet.judging import checks
from discreet.judging.audit import Audit
from discreet.judging.checks import WIDTH
from discreet.judging.finding import AuditFinding
from discreet.judging.tradeoff import Tradeoff
from discreet.publications.series import Changes
from discreet.report.findings import Source, older_name
from discreet.runtime.text import count_of, printable

if TYPE_CHECKING:
    from discreet.publications.counts.revealed import Revealed

SAFE_FROM: Final = "Lowest minimum support without a channel, for each k"
LONGEST_SUM, SHOWN_OF_LONGER = 8, 4
"""Supports up to which a sum is written out, and those that are shown of a longer one."""
TITLES: Final = {
    "channel": "The worst channels, and the sums of published supports that reveal them",
    "difference": "The smallest differences of published supports",
    "people": "The groups of the fewest people, and the sums of published supports that reveal their rows",
    "implication": "The shortest implications",
    "remainder": "The smallest remainders of attributes, whose values exclude each other",
    "bounds": "The worst sums, within the limits of their supports",
    "change": "The smallest changes since ",
    "leaf": "The leaves of the fewest rows",
    "cell": "The smallest counts that can be worked out, and the sums that give them",
    "count": "The smallest counts that are shown",
}


def audit_text(
    audit: Audit, *, explain: int = 3, source: Source | None = None, against: Sequence[Source] = ()
) -> Iterator[str]:
    """Yield an audit of any candidate in lines: verdict, checks, exposed rows, the worst findings, advice.

    ``explain`` findings of each kind are shown. ``against`` are the files of the older releases that it was compared
    with, if they are known.

    >>> from discreet import audit
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> print(*audit_text(audit(rows, min_support=10, k=10)), sep=chr(10))
    WITHHOLD: 3 closed itemsets, each held by at least 10 of 100 rows (10%); k = 10.
    <BLANKLINE>
      ✓ consistency         The counts do not contradict each other.
      ✓ size                3 itemsets listed; no limit is set.
      ✓ low counts          No support is below 10.
      ✗ inference channels  1 maximal channel: differences of counts that reveal fewer than 10 rows.
    <BLANKLINE>
    2 of 100 rows are exposed: channels of fewer than 10 rows single them out, the smallest of 2 rows.
    <BLANKLINE>
    The worst channels, and the sums of published supports that reveal them:
      a ∧ b ∧ ¬c: 2 rows = 50 − 48
    <BLANKLINE>
    Make it safe with `discreet block`; `discreet advise` tries what could be done.
    """
    yield printable(f"{audit.verdict.name}: {_describe(audit, source)}")
    yield from ("", *checks.list_checks(audit.checks))
    if audit.exposed_if_known is not None:
        yield from ("", exposed_line(audit))
    for group in audit.groups if explain else ():
        since = older_name(group.values.numbers, against) if isinstance(group.values, Changes) else ""
        yield from ("", printable(f"{TITLES[group.kind]}{since}:"))
        yield from (f"  {printable(_show_finding(finding))}" for finding in group.worst(explain))
        if group.total > explain:
            yield f"  … and {group.total - explain:,} more; --json lists all of them."
    yield from ("", *wrap(audit.promise or audit.advice.say(on_command_line), WIDTH))
    yield from wrap(printable(audit.policy.unjudged), WIDTH)


def _show_finding(finding: AuditFinding) -> str:
    match finding.kind:
        case "channel" | "difference":
            return f"{finding} = {show_sum(finding.terms)}"
        case "people":
            return f"{finding}; rows = {show_sum(finding.terms)}"
        case "implication":
            return f"{finding}: all {count_of(finding.terms[0].support, 'row')}"
        case "cell":
            *before, last = finding.explain().split("; ")
            steps = f" (after {count_of(len(before), 'other sum')}; --json lists them)" if before else ""
            return f"{cast('Revealed', finding.value).kind}: {last}{steps}"
        case "remainder" | "bounds":
            return f"{finding}, as {finding.explain()}"
    return str(finding)


def channels_text(channels: Channels) -> Iterator[str]:
    r"""Yield each maximal channel in a line: how many rows, a tab, the pattern; in the order of ``channels``.

    >>> from discreet import detect, mine
    >>> list(channels_text(detect(mine([["a", "b"], ["a", "b"], ["a"]], min_support=2), k=2)))
    ['1\ta ∧ ¬b']
    """
    names = [printable(str(label)) for label in channels.labels]
    rank = ranks(channels.labels).__getitem__
    tops = [sorted(top, key=rank) for top in iterate_codes(channels.tops)]
    bases = iterate_codes(channels.cells.bases)
    cells = zip(bases, channels.cells.tops.tolist(), channels.cells.counts.tolist(), strict=True)
    for base, top, count in cells:
        held = [names[item] for item in sorted(base, key=rank)]
        lacked = [f"¬{names[item]}" for item in tops[top] if item not in base]
        yield f"{count}\t{' ∧ '.join(held + lacked) or 'any row'}"


def tradeoff_text(tradeoff: Tradeoff, *, source: Source | None = None) -> Iterator[str]:
    """Yield a trade-off in lines: channels and exposed rows for each minimum support and k, and what is safe.

    >>> from discreet import tradeoff
    >>> rows = [["a", "b"]] * 6 + [["a"]] * 3 + [["b"]] * 2 + [[]] * 9
    >>> print(*list(tradeoff_text(tradeoff(rows, min_supports=[5, 9], ks=[2, 3])))[7:], sep=chr(10))
    Rows that they expose:
      min support  itemsets  k = 2  k = 3
          5 (25%)         4      0      2
          9 (45%)         2      0      0
    <BLANKLINE>
    Lowest minimum support without a channel, for each k:
      k = 2: 5 of 20 rows (25%), the lowest that was asked for
      k = 3: 7 of 20 rows (35%)
    """
    cut = "" if tradeoff.max_length is None else f", itemsets of at most {count_of(tradeoff.max_length, 'item')}"
    yield printable(f"{source.file + ': ' if source else ''}{tradeoff.n:,} rows{cut}.")
    for title, lines in list_tradeoff(tradeoff):
        cells = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in line] for line in lines]
        yield from ("", f"{title}:", *aligned(cells))
    yield from ("", f"{SAFE_FROM}:")
    for k, safe in tradeoff.safe.items():
        yield f"  k = {k:,}: {safe_from(safe, tradeoff)}"
    yield from ("", tradeoff.caveat) if tradeoff.caveat else ()


def list_tradeoff(tradeoff: Tradeoff) -> Iterator[tuple[str, list[list[str | int]]]]:
    """Yield two tables, of channels and of exposed rows: the title, and lines of which the first is the head."""
    supports = [f"{support:,} ({share(support, tradeoff.n)})" for support in tradeoff.min_supports]
    head: list[str | int] = ["min support", "itemsets", *(f"k = {k:,}" for k in tradeoff.ks)]
    channels = f"Maximal channels of fewer than k {tradeoff.counted}"
    tables = {channels: tradeoff.channels, "Rows that they expose": tradeoff.exposed}
    for title, numbers in tables.items():
        lines = zip(supports, tradeoff.itemsets.tolist(), numbers.tolist(), strict=True)
        yield title, [head, *([support, itemsets, *line] for support, itemsets, line in lines)]


def ranks(labels: Sequence[Label]) -> list[int]:
    """Return the place of each label in the fixed order: codes need not follow it.

    >>> ranks(["milk", "beer"])
    [1, 0]
    """
    place = {label: number for number, label in enumerate(sort_labels(labels))}
    return [place[label] for label in labels]


def _describe(audit: Audit, source: Source | None) -> str:
    what, policy = audit.what, audit.policy
    if isinstance(audit.candidate, Patterns):
        patterns = audit.patterns
        what = f"{patterns.title}, each held by {say_least(patterns.min_support, patterns.n)}"
    rule = f"k = {policy.k:,}" if policy.name == "k" else f"policy {policy.name}, k = {policy.k:,}"
    return f"{source.file + ', ' if source else ''}{what}; {rule}."


def exposed_line(audit: Audit) -> str:
    """Return how many rows are exposed, and how much."""
    exposed, n = audit.exposed_if_known, audit.patterns.n
    if exposed is None or not exposed.rows:
        return f"None of {n:,} rows is exposed."
    are, them = ("is", "it") if exposed.rows == 1 else ("are", "them")
    noun, which = (("row", "rows"), "channels") if audit.people is None else (("person", "people"), "groups")
    least = count_of(int(exposed.smallest.min()), *noun)
    single = f"{which} of fewer than {audit.k:,} {noun[1]} single {them} out, the smallest of {least}"
    return f"{exposed.rows:,} of {n:,} rows {are} exposed: {single}."


def show_sum(terms: Sequence[Term], most: int = LONGEST_SUM) -> str:
    """Return a sum of supports as numbers; one of more than ``most`` is cut."""
    first = terms if len(terms) <= most else terms[:SHOWN_OF_LONGER]
    rest = f" … ({len(terms):,} supports)" * (len(first) < len(terms))
    return f"{format_sum(first, [f'{term.support:,}' for term in first])}{rest}"


def safe_from(min_support: int | None, tradeoff: Tradeoff) -> str:
    """Return the lowest safe minimum support in words."""
    if min_support is None:
        return "at none"
    lowest = ", the lowest that was asked for" * (min_support == tradeoff.min_supports[0])
    return f"{say_count(min_support, tradeoff.n)}{lowest}"


def aligned(lines: Sequence[Sequence[str]], first: str = ">") -> Iterator[str]:
    """Yield the lines of a table, its columns aligned on the right; the ``first`` may be on the left ("<")."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = [first, *">" * len(widths)]
    for line in lines:
        cells = zip(line, sides, widths, strict=False)
        yield "  " + "  ".join(f"{entry:{side}{width}}" for entry, side, width in cells)


def indented(facts: Mapping[str, object]) -> Iterator[bytes]:
    """Yield facts as JSON for people to read."""
    return encode_lines([json.dumps(facts, indent=2, ensure_ascii=False)])


MARKS: Final = "●■▲◆○□△◇"
"""One for each k, the smallest first; the command line has another sign for each in ASCII."""
HEIGHT, CHART_WIDTH, MARGIN = 12, 64, 5
LOGARITHMIC_FROM: Final = 50
"""The scale is logarithmic if the largest number is more than this many times the smallest above 0."""


def chart(tradeoff: Tradeoff) -> Iterator[str]:
    """Yield the lines of a chart: the number of maximal channels over the minimum support, a curve for each k."""
    most, many = max(1, int(tradeoff.channels.max())), len(tradeoff.min_supports)
    least = int(tradeoff.channels[tradeoff.channels > 0].min(initial=most))
    is_logarithmic = most > LOGARITHMIC_FROM * max(1, least)

    def height(value: int) -> int:
        return round(HEIGHT * math.log(1 + value) / math.log(1 + most) if is_logarithmic else HEIGHT * value / most)

    canvas = [[" "] * CHART_WIDTH for _ in range(HEIGHT + 1)]
    room = CHART_WIDTH - 1 - 2 * MARGIN
    columns = [MARGIN + at * room // (many - 1) for at in range(many)] if many > 1 else [CHART_WIDTH // 2]
    # The smallest k last, so that it shows where curves meet.
    for number in reversed(range(len(tradeoff.ks))):
        heights = map(height, tradeoff.channels[:, number].tolist())
        _draw(canvas, list(zip(columns, heights, strict=True)), MARKS[number % len(MARKS)])
    yield f"Maximal channels over minimum support{', logarithmic scale' * is_logarithmic}:"
    legend = [f"{MARKS[number % len(MARKS)]} k = {k:,}" for number, k in enumerate(tradeoff.ks)]
    yield from ("  " + "   ".join(legend[start : start + 6]) for start in range(0, len(legend), 6))
    between = [10**power for power in range(len(str(most)))] if is_logarithmic else [most // 2]
    names = {height(value): f"{value:,}" for value in (*between, 0, most)} | {0: "0"}
    width = max(map(len, names.values()))
    for at in range(HEIGHT, -1, -1):
        name = names.get(at, "")
        yield f"  {name:>{width}} {'┤' if name else '│'}{''.join(canvas[at])}".rstrip()
    yield f"  {'':>{width}} └{'─' * CHART_WIDTH}"
    yield f"  {'':>{width}}  {_under(columns, [share(count, tradeoff.n) for count in tradeoff.min_supports])}".rstrip()


def _draw(canvas: list[list[str]], points: list[tuple[int, int]], mark: str) -> None:
    """Draw a curve: dots from point to point, and a mark at each."""
    for (start, low), (stop, high) in pairwise(points):
        for column in range(start + 1, stop):
            line = canvas[round(low + (column - start) / (stop - start) * (high - low))]
            line[column] = "·" if line[column] == " " else line[column]
    for column, height in points:
        canvas[height][column] = mark


def _under(columns: list[int], names: list[str]) -> str:
    """Return a line with a name under each column; names that would run into the one before are left out."""
    line = ""
    for column, name in zip(columns, names, strict=True):
        start = max(0, column - len(name) // 2)
        if not line or start > len(line):
            line = line.ljust(start) + name
    return line
