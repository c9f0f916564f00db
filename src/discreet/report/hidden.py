"""Hidden rows for their owner: which itemsets are hidden, how well and at what cost; and methods side by side."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from textwrap import wrap
from typing import Any, Final, TypeAlias

from discreet import __version__
from discreet.data.itemsets import sort_labels
from discreet.data.thresholds import share
from discreet.disclosure.attacks.suspicion import Suspected
from discreet.hiding.comparison import HidingComparison, MethodLine, say_guessed
from discreet.hiding.folder import describe
from discreet.hiding.hide import METHODS, Hidden
from discreet.hiding.inconspicuous import Disguise
from discreet.hiding.measures import Hiding, RuleCounts
from discreet.hiding.problem import OptimalityGap
from discreet.judging.checks import WIDTH
from discreet.report.findings import Source
from discreet.report.svg import Panel, lines_svg
from discreet.report.text import aligned, indented
from discreet.runtime.text import count_of, percent, printable

Costs: TypeAlias = Sequence[Hiding]
Ghosts: TypeAlias = Sequence[RuleCounts]
MEASURES: Final = {
    "hiding_failure": "hiding failure",
    "misses_cost": "misses cost",
    "artifactual": "artifactual",
    "dissimilarity": "dissimilarity",
}
"""The measures of the paper, with their names in tables."""
SHOWN: Final = 20  # sensitive itemsets


def hidden_text(
    hidden: Hidden, *, source: Source | None = None, measured: Costs = (), rules: Ghosts = (), show_labels: bool = False
) -> Iterator[str]:
    """Yield hidden rows in lines: the method, each sensitive itemset before and after, what was touched and measured.

    The sensitive itemsets are shown by number unless ``show_labels`` is true: which ones they are is a secret.

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
    what = f"{many:,} sensitive itemset{' is' if many == 1 else 's are'}"
    if hidden.items_removed:
        how = "hidden" if hidden.disguise is None else "lowered inconspicuously"
        done = f'{what} {how} in {rows:,} rows by "{method}": {METHODS[method].summary}.'
    else:
        done = f"Nothing was removed from {rows:,} rows: {what} within {'its limit' if many == 1 else 'their limits'}."
    yield from wrap(printable(f"{file}{done}"), WIDTH)
    yield from ("", *_table(hidden, show_labels=show_labels))
    if many > SHOWN:
        yield f"  … and {many - SHOWN:,} more; --json lists all of them."
    if hidden.disguise is not None:
        yield from ("", *wrap(_disguised(hidden.disguise), WIDTH))
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
    hidden: Hidden, *, source: Source | None = None, measured: Costs = (), rules: Ghosts = (), show_labels: bool = False
) -> dict[str, Any]:
    """Return everything about hidden rows, for their owner, as JSON may hold it."""
    told = {**describe(hidden, show_labels=show_labels), "input": source._asdict() if source else None}
    if measured:
        told["measures"] = [measure_facts(one) for one in measured]
    if rules:
        told["rules"] = [{**one._asdict(), "min_confidence": str(one.min_confidence)} for one in rules]
    return told


def _measures(measured: Costs) -> Iterator[str]:
    yield "What is found at a minimum support, of all itemsets that were frequent before:"
    lines = [
        [f"{one.min_support:,}", *(percent(getattr(one, name)) for name in MEASURES), f"{one.missed:,}"]
        for one in measured
    ]
    yield from aligned([["min support", *MEASURES.values(), "itemsets missed"], *lines])


def _ghosts(rules: Ghosts) -> Iterator[str]:
    which = f"one item on the right and a confidence of at least {percent(float(rules[0].min_confidence))}"
    yield from wrap(f"Association rules with {which}; ghosts are those that hold only now:", WIDTH)
    lines = [[f"{value:,}" for value in (one.min_support, one.before, one.after, one.ghosts)] for one in rules]
    yield from aligned([["min support", "rules before", "now", "ghosts"], *lines])


def measure_facts(one: Hiding) -> dict[str, Any]:
    """Return the measures at a minimum support, as JSON may hold them."""
    counts = {**one._asdict(), "legitimate": one.legitimate, "missed": one.missed}
    return {**counts, **{name: getattr(one, name) for name in MEASURES}, "undefined": list(one.undefined)}


def _table(hidden: Hidden, *, show_labels: bool) -> Iterator[str]:
    columns = [hidden.sensitive.numbers, hidden.before.tolist(), hidden.at_most.tolist(), hidden.after.tolist()]
    heads = ["itemset", "rows before", "at most", "now"]
    if hidden.disguise is not None:
        columns.insert(2, hidden.disguise.asked.tolist())
        heads = ["itemset", "rows before", "asked", "at most", "now", "rank before", "rank now"]
    lines = zip(zip(*columns, strict=True), _list_ranks(hidden), strict=True)
    cells = [[*(f"{value:,}" for value in line), *ranks] for line, ranks in islice(lines, SHOWN)]
    head, *rest = aligned([heads, *cells])
    yield head
    for line, itemset in zip(rest, hidden.sensitive.itemsets, strict=False):
        yield f"{line}  {printable(', '.join(map(str, sort_labels(itemset))))}" if show_labels else line


def _list_ranks(hidden: Hidden) -> list[list[str]]:
    """Return the ranks of each sensitive itemset, before and now; none without a disguise."""
    if hidden.disguise is None:
        return [[] for _ in hidden.before]
    both = zip(hidden.disguise.before, hidden.disguise.after, strict=True)
    return [[_say_rank(was), _say_rank(now)] for was, now in both]


def _say_rank(one: Suspected) -> str:
    return "-" if one.rank is None else f"{one.rank:,} of {one.looked_at:,}"


def _disguised(disguise: Disguise) -> str:
    """Say what it takes that sensitive itemsets are inconspicuous."""
    raised = disguise.at_most - disguise.asked
    many, kept = int((raised > 0).sum()), int(raised.sum())
    of_those = f"those that {count_of(disguise.min_support, 'row')} or more are expected to hold"
    ranks = f"Ranks are by surprise, among {of_those}; limits were drawn with the seed {disguise.seed}."
    if not many:
        return f"As few rows as asked for are inconspicuous. {ranks}"
    keep = f"{count_of(many, 'sensitive itemset')} may keep more rows than asked for, {kept:,} in all"
    return f"{keep}: fewer would be conspicuous. {ranks}"


def _part(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({share(part, whole)})" if whole else f"{part:,}"


def _proved(gap: OptimalityGap) -> str:
    """Describe the optimality gap.

    >>> _proved(OptimalityGap(1, 1, False))
    'Of the other frequent itemsets, 1 is lost; no way to hide loses fewer.'
    >>> _proved(OptimalityGap(7, 0, skipped=True))
    'Of the other frequent itemsets, 7 are lost; how few must be is not known: there is too much for a proof.'
    >>> _proved(OptimalityGap(7, 4, stopped=True))
    'Of the other frequent itemsets, 7 are lost; at least 4 must be. The time was up: a longer search may find better.'
    """
    lost = f"Of the other frequent itemsets, {gap.lost:,} {'is' if gap.lost == 1 else 'are'} lost"
    if gap.lost <= gap.bound:
        return f"{lost}; no way to hide loses fewer."
    if gap.skipped:
        return f"{lost}; how few must be is not known: there is too much for a proof."
    known = f"at least {gap.bound:,} must be" if gap.bound else "how few must be is not known"
    return f"{lost}; {known}.{' The time was up: a longer search may find better.' * gap.stopped}"


def hiding_comparison_text(comparison: HidingComparison, *, source: Source | None = None) -> Iterator[str]:
    """Yield a table for each minimum support, a line for each method and disclosure in it, and the recommendation.

    >>> from discreet.hiding.comparison import compare_hiding
    >>> rows = [["a", "b", "c"], ["a", "b"], ["b", "c"], ["c"]]
    >>> found = compare_hiding(rows, [["a", "b"]], min_supports=[2], methods=["minfia", "maxfia"])
    >>> print(*list(hiding_comparison_text(found))[:2], sep=chr(10))
    1 sensitive itemset in 4 rows.
    <BLANKLINE>
    """
    file = f"{source.file}: " if source else ""
    yield printable(f"{file}{count_of(comparison.sensitive, 'sensitive itemset')} in {comparison.n:,} rows.")
    for number, min_support in enumerate(comparison.min_supports):
        yield from ("", *_show_support(comparison, number, min_support))
    for line in comparison.lines:
        if line.left_out:
            yield from ("", *wrap(f"{line.method} ({_target(line, comparison)}) was left out: {line.left_out}.", WIDTH))
    yield from ("", *wrap(comparison.recommendation, WIDTH))


def hiding_comparison_facts(comparison: HidingComparison, *, source: Source | None = None) -> dict[str, Any]:
    """Return methods side by side, as JSON may hold it."""
    best = comparison.best
    return {
        "discreet": __version__,
        "report": "hiding comparison",
        "input": source._asdict() if source else None,
        "rows": comparison.n,
        "sensitive": comparison.sensitive,
        "min_supports": list(comparison.min_supports),
        "recommendation": comparison.recommendation,
        "best": None if best is None else comparison.lines.index(best),
        "lines": [_facts(line, comparison) for line in comparison.lines],
    }


def hiding_comparison_json(comparison: HidingComparison, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield methods side by side as JSON."""
    yield from indented(hiding_comparison_facts(comparison, source=source))


def hiding_comparison_svg(comparison: HidingComparison) -> bytes:
    """Return hiding failure and misses cost over the disclosure, a curve for each method, at the smallest support.

    A method that hides below a minimum support is a level line: no disclosure changes it.

    >>> from discreet.hiding.comparison import compare_hiding
    >>> rows = [["a", "b", "c"], ["a", "b"], ["b", "c"], ["c"]]
    >>> found = compare_hiding(rows, [["a", "b"]], min_supports=[2], disclosures=[0, 1], methods=["minfia", "maxfia"])
    >>> hiding_comparison_svg(found).count(b"<polyline")
    4
    """
    least = count_of(min(comparison.min_supports), "row")
    return lines_svg(f"Hiding, at a minimum support of {least} of {comparison.n:,}", hiding_curves(comparison))


def hiding_curves(comparison: HidingComparison) -> list[Panel]:
    """Return hiding failure and misses cost over the disclosure, at the smallest support, as panels of curves."""
    number = comparison.min_supports.index(min(comparison.min_supports))
    shares = sorted({line.disclosure for line in comparison.lines if line.disclosure is not None}) or [Fraction(0)]
    panels = []
    for name in ("hiding_failure", "misses_cost"):
        series: dict[str, list[tuple[float, float]]] = {}
        for line in comparison.lines:
            if line.measures:
                value = 100 * float(getattr(line.measures[number], name))
                places = shares if line.disclosure is None else [line.disclosure]
                name_of = line.method + f", {_target(line, comparison)}" * (line.disclosure is None)
                series.setdefault(name_of, []).extend((float(100 * at), value) for at in places)
        curves = {method: sorted(curve) for method, curve in series.items()}
        panels.append(Panel(MEASURES[name], "disclosure, %", f"{MEASURES[name]}, %", curves))
    return panels


def _show_support(comparison: HidingComparison, number: int, min_support: int) -> Iterator[str]:
    """Yield the measures at one minimum support, the ``number``-th."""
    first = next(line.measures[number] for line in comparison.lines if line.measures)
    held = f"held by at least {min_support:,} rows ({share(min_support, comparison.n)})"
    many = count_of(first.before, "itemset")
    yield from wrap(f"{many} {held}, {first.restricted_before:,} of them restricted:", WIDTH)
    cells = [["", "hide", *MEASURES.values(), "guessed", "rows touched", "items removed", "seconds"]]
    for line in comparison.lines:
        values = ["-"] * (len(MEASURES) + 3)
        if line.measures:
            values = [percent(getattr(line.measures[number], name)) for name in MEASURES]
            values += [say_guessed(line), f"{line.rows_touched:,}", f"{line.items_removed:,}"]
        cells.append([line.method, _target(line, comparison), *values, f"{line.seconds:.3f}"])
    yield from aligned(cells, first="<")


def _facts(line: MethodLine, comparison: HidingComparison) -> dict[str, Any]:
    return {
        "method": line.method,
        "disclosure": None if line.disclosure is None else str(line.disclosure),
        "below": comparison.below if line.disclosure is None else None,
        "seconds": round(line.seconds, 3),
        "left_out": line.left_out or None,
        "rows_touched": line.rows_touched if line.measures else None,
        "items_removed": line.items_removed if line.measures else None,
        "guessed": line.guessed,
        "measures": [measure_facts(one) for one in line.measures],
    }


def _target(line: MethodLine, comparison: HidingComparison) -> str:
    return f"below {comparison.below:,}" if line.disclosure is None else f"to {percent(float(line.disclosure))}"
