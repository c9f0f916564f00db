"""Hidden rows in words, for their owner: which itemsets are hidden, how well, and what that took."""

from collections.abc import Iterator, Sequence
from itertools import islice
from textwrap import wrap
from typing import Any, Final

from discreet.data.labels import sort_labels
from discreet.hiding.folder import describe
from discreet.hiding.hide import METHODS, Hidden
from discreet.hiding.measures import Hiding, RuleCounts
from discreet.hiding.problem import OptimalityGap
from discreet.judging.checks import WIDTH
from discreet.report.text import aligned, share
from discreet.report.wording import Source
from discreet.runtime.text import percent, printable

MEASURES: Final = {
    "hiding_failure": "hiding failure",
    "misses_cost": "misses cost",
    "artifactual": "artifactual",
    "dissimilarity": "dissimilarity",
}
"""The measures of the paper, and what a table calls them."""
SHOWN: Final = 20


def hidden_text(
    hidden: Hidden,
    *,
    source: Source | None = None,
    measured: Sequence[Hiding] = (),
    rules: Sequence[RuleCounts] = (),
    show_labels: bool = False,
) -> Iterator[str]:
    """Yield hidden rows in lines: the method, each sensitive itemset before and after, what was touched and measured.

    The sensitive itemsets go by their numbers, unless ``show_labels`` says otherwise: what is sensitive is a secret.

    >>> from discreet import hide
    >>> rows = [["bread", "tea", "milk"]] * 3 + [["tea"]] * 7
    >>> print(*hidden_text(hide(rows, [["bread", "tea"]]), show_labels=True), sep=chr(10))
    1 sensitive itemset is hidden in 10 rows by "iga": sensitive itemsets that share items lose the same
    one.
    <BLANKLINE>
      itemset  rows before  at most  now
            1            3        0    0  bread, tea
    <BLANKLINE>
      rows touched   3 of 10 (30%)
      items removed  3 of 16 (18.75%)
    """
    many, rows, method = hidden.before.size, hidden.n, hidden.method
    file = f"{source.file}: " if source else ""
    what = f"{many:,} sensitive itemset{' is' if many == 1 else 's are'} hidden in {rows:,} rows"
    yield from wrap(printable(f'{file}{what} by "{method}": {METHODS[method].summary}.'), WIDTH)
    yield ""
    yield from _table(hidden, show_labels=show_labels)
    if many > SHOWN:
        yield f"  … and {many - SHOWN:,} more; --json lists all of them."
    yield ""
    # The items of a file or frame are not counted.
    entries = 0 if hidden.edit is None else hidden.rows.itemsets.size
    yield f"  rows touched   {_part(hidden.rows_touched, rows)}"
    yield f"  items removed  {_part(hidden.items_removed, entries)}"
    if hidden.gap is not None:
        yield from ("", *wrap(_proved(hidden.gap), WIDTH))
    if measured:
        yield from ("", *_measures(measured))
    if rules:
        yield from ("", *_ghosts(rules))


def hidden_facts(
    hidden: Hidden,
    *,
    source: Source | None = None,
    measured: Sequence[Hiding] = (),
    rules: Sequence[RuleCounts] = (),
    show_labels: bool = False,
) -> dict[str, Any]:
    """Return all that is told of hidden rows to their owner, as JSON may hold it."""
    told = {**describe(hidden, show_labels=show_labels), "input": source._asdict() if source else None}
    if measured:
        told["measures"] = [measure_facts(one) for one in measured]
    if rules:
        told["rules"] = [{**one._asdict(), "min_confidence": str(one.min_confidence)} for one in rules]
    return told


def _measures(measured: Sequence[Hiding]) -> Iterator[str]:
    """Yield a line for each minimum support: how much of what is sensitive is found, and what else is not."""
    yield from wrap("What is found at a minimum support, of all itemsets that were frequent before:", WIDTH)
    lines = [
        [f"{one.min_support:,}", *(percent(getattr(one, name)) for name in MEASURES), f"{one.missed:,}"]
        for one in measured
    ]
    yield from aligned([["min support", *MEASURES.values(), "itemsets missed"], *lines])


def _ghosts(rules: Sequence[RuleCounts]) -> Iterator[str]:
    """Yield a line for each minimum support: how many rules hold before and after, and how many only after."""
    confidence = percent(float(rules[0].min_confidence))
    yield from wrap(
        f"Association rules with one item on the right and a confidence of at least {confidence}; ghosts are those "
        "that hold only now:",
        WIDTH,
    )
    lines = [[f"{value:,}" for value in (one.min_support, one.before, one.after, one.ghosts)] for one in rules]
    yield from aligned([["min support", "rules before", "now", "ghosts"], *lines])


def measure_facts(one: Hiding) -> dict[str, Any]:
    """Return what was measured at a minimum support, as JSON may hold it."""
    return {**one._asdict(), **{name: getattr(one, name) for name in MEASURES}, "undefined": list(one.undefined)}


def _table(hidden: Hidden, *, show_labels: bool) -> Iterator[str]:
    """Yield a line for each sensitive itemset, with its labels if asked to."""
    columns = (hidden.sensitive.numbers, hidden.before.tolist(), hidden.at_most.tolist(), hidden.after.tolist())
    cells = [[f"{value:,}" for value in line] for line in islice(zip(*columns, strict=True), SHOWN)]
    head, *rest = aligned([["itemset", "rows before", "at most", "now"], *cells])
    yield head
    for line, itemset in zip(rest, hidden.sensitive.itemsets, strict=False):
        yield f"{line}  {printable(', '.join(map(str, sort_labels(itemset))))}" if show_labels else line


def _part(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({share(part, whole)})" if whole else f"{part:,}"


def _proved(gap: OptimalityGap) -> str:
    """Return how good what was found is known to be.

    >>> _proved(OptimalityGap(1, 1, False))
    'Of the other frequent itemsets, 1 is lost; no way to hide loses fewer.'
    >>> _proved(OptimalityGap(7, 4, stopped=True))
    'Of the other frequent itemsets, 7 are lost; at least 4 must be. The time was up: a longer search may find better.'
    >>> _proved(OptimalityGap(7, 0, skipped=True))
    'Of the other frequent itemsets, 7 are lost; how few must be is not known: there is too much for a proof.'
    """
    lost = f"Of the other frequent itemsets, {gap.lost:,} {'is' if gap.lost == 1 else 'are'} lost"
    if gap.lost <= gap.bound:
        return f"{lost}; no way to hide loses fewer."
    if gap.skipped:
        return f"{lost}; how few must be is not known: there is too much for a proof."
    known = f"at least {gap.bound:,} must be" if gap.bound else "how few must be is not known"
    return f"{lost}; {known}.{' The time was up: a longer search may find better.' * gap.stopped}"
