"""Methods of hiding side by side: what is still found, what is missed, what was touched, and how long it took."""

import json
from collections.abc import Iterator
from fractions import Fraction
from textwrap import wrap
from typing import Any

from discreet import __version__
from discreet.hiding.compare import HidingComparison, MethodLine
from discreet.io.text import encode_lines
from discreet.judging.checks import WIDTH
from discreet.report.hidden import MEASURES, measure_facts
from discreet.report.svg_chart import Panel, lines_svg
from discreet.report.text import aligned, share
from discreet.report.wording import Source
from discreet.runtime.text import percent, printable


def hiding_comparison_text(comparison: HidingComparison, *, source: Source | None = None) -> Iterator[str]:
    """Yield a table for each minimum support, a line for each method and disclosure in it, and the recommendation.

    >>> from discreet.hiding.compare import compare_hiding
    >>> rows = [["a", "b", "c"], ["a", "b"], ["b", "c"], ["c"]]
    >>> found = compare_hiding(rows, [["a", "b"]], min_supports=[2], methods=["minfia", "maxfia"])
    >>> print(*list(hiding_comparison_text(found))[:2], sep=chr(10))
    1 sensitive itemset in 4 rows.
    <BLANKLINE>
    """
    file = f"{source.file}: " if source else ""
    yield printable(f"{file}{_counted(comparison.sensitive, 'sensitive itemset')} in {comparison.n:,} rows.")
    for number, min_support in enumerate(comparison.min_supports):
        yield ""
        yield from _table(comparison, number, min_support)
    for line in comparison.lines:
        if line.left_out:
            yield from ("", *wrap(f"{line.method} ({_target(line, comparison)}) was left out: {line.left_out}.", WIDTH))
    yield ""
    yield from wrap(comparison.recommendation, WIDTH)


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
    told = hiding_comparison_facts(comparison, source=source)
    yield from encode_lines([json.dumps(told, indent=2, ensure_ascii=False)])


def hiding_comparison_svg(comparison: HidingComparison) -> bytes:
    """Return hiding failure and misses cost over the disclosure, a curve for each method, at the smallest support.

    What hides below a minimum support is a level line: no disclosure changes it.

    >>> from discreet.hiding.compare import compare_hiding
    >>> rows = [["a", "b", "c"], ["a", "b"], ["b", "c"], ["c"]]
    >>> found = compare_hiding(rows, [["a", "b"]], min_supports=[2], disclosures=[0, 1], methods=["minfia", "maxfia"])
    >>> hiding_comparison_svg(found).count(b"<polyline")
    4
    """
    least = min(comparison.min_supports)
    return lines_svg(
        f"Hiding, at a minimum support of {_counted(least, 'row')} of {comparison.n:,}", hiding_curves(comparison)
    )


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
                series.setdefault(_curve(line, comparison), []).extend((float(100 * at), value) for at in places)
        curves = {method: sorted(curve) for method, curve in series.items()}
        panels.append(Panel(MEASURES[name], "disclosure, %", f"{MEASURES[name]}, %", curves))
    return panels


def _table(comparison: HidingComparison, number: int, min_support: int) -> Iterator[str]:
    """Yield what was found at a minimum support, which is the ``number``-th."""
    measured = [line.measures[number] for line in comparison.lines if line.measures]
    first = measured[0]
    held = f"held by at least {min_support:,} rows ({share(min_support, comparison.n)})"
    yield from wrap(
        f"{_counted(first.before, 'itemset')} {held}, {first.restricted_before:,} of them restricted:", WIDTH
    )
    cells = [["", "hide", *MEASURES.values(), "rows touched", "items removed", "seconds"]]
    for line in comparison.lines:
        values = ["-"] * (len(MEASURES) + 2)
        if line.measures:
            found = line.measures[number]
            values = [*(percent(getattr(found, name)) for name in MEASURES)]
            values += [f"{line.rows_touched:,}", f"{line.items_removed:,}"]
        cells.append([line.method, _target(line, comparison), *values, f"{line.seconds:.3f}"])
    width = max(len(line[0]) for line in cells)
    yield from aligned([[line[0].ljust(width), *line[1:]] for line in cells])


def _facts(line: MethodLine, comparison: HidingComparison) -> dict[str, Any]:
    return {
        "method": line.method,
        "disclosure": None if line.disclosure is None else str(line.disclosure),
        "below": comparison.below if line.disclosure is None else None,
        "seconds": round(line.seconds, 3),
        "left_out": line.left_out or None,
        "rows_touched": line.rows_touched if line.measures else None,
        "items_removed": line.items_removed if line.measures else None,
        "measures": [measure_facts(one) for one in line.measures],
    }


def _target(line: MethodLine, comparison: HidingComparison) -> str:
    """Return how much was to be hidden."""
    return f"below {comparison.below:,}" if line.disclosure is None else f"to {percent(float(line.disclosure))}"


def _curve(line: MethodLine, comparison: HidingComparison) -> str:
    return line.method if line.disclosure is not None else f"{line.method}, {_target(line, comparison)}"


def _counted(many: int, what: str) -> str:
    return f"{many:,} {what}{'s' * (many != 1)}"
