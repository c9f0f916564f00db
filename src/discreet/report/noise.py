"""Noisy supports beside releases, as text and as facts for JSON."""

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from discreet.blocking.noise_comparison import LEGEND, SHOWN, NoiseComparison
from discreet.judging.checks import WIDTH
from discreet.report.text import aligned


def noise_text(comparison: NoiseComparison) -> Iterator[str]:
    """Yield releases beside noisy supports, a line each, and of noisy ones the range over all runs below it."""
    lines = [["", "loss", *SHOWN]]
    for line in comparison.lines:
        lines.append([line.name, line.words, *line.means])
        if line.loss is not None:
            lines.append(["", "", *line.ranges])
    yield from wrap(comparison.setting, WIDTH)
    yield ""
    yield from aligned(lines, first="<")
    yield ""
    yield from wrap(LEGEND, WIDTH)


def noise_facts(comparison: NoiseComparison) -> dict[str, Any]:
    """Return releases beside noisy supports as facts."""
    lines = [
        {
            "name": line.name,
            "epsilon_asked": line.epsilon,
            "opendp_loss": None if line.loss is None else line.loss._asdict(),
            **{name: None if found is None else found._asdict() for name, found in line.measures.items()},
        }
        for line in comparison.lines
    ]
    return {**{name: value for name, value in vars(comparison).items() if name != "lines"}, "lines": lines}
