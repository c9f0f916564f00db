"""Reproduce: the figures of the papers made anew, on the data that they used or what there is of it.

What is said about the shape of a figure is counted, never assumed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeVar

from discreet.data.transactions import Transactions
from discreet.errors import OptionError
from discreet.io.datasets import FILES, load
from discreet.mining.mine import Progress
from reproduction import hiding
from reproduction.experiments import EXPERIMENTS, QUEST, Experiment, Part
from reproduction.figure import Figure, Point, figure_csv, figure_svg, figure_text

__all__ = ["EXPERIMENTS", "Experiment", "Figure", "Part", "Point", "figure_csv", "figure_svg", "figure_text", "run"]

Value = TypeVar("Value")

FEW: Final = 2_000
"""Rows that are generated where it has to be quick."""


def run(
    name: str,
    rows: Transactions | None = None,
    *,
    data: str = "rows",
    quick: bool = False,
    download: bool = False,
    progress: Progress | None = None,
) -> Figure:
    """Return a figure of a paper, made anew from its data sets, or from other ``rows``, which are called ``data``.

    The data sets are those of ``discreet.datasets``; nothing is fetched unless ``download`` is true. Where the paper
    generated its rows, rows of the same shape are generated. ``quick`` takes only the first and the last minimum
    support and k, or disclosure, and generates few rows. ``progress`` is told how many numbers have been found.

    >>> figure = run("waim08-fig11", load("waim2008"), quick=True)
    >>> [(point.share, point.k, point.value) for point in figure.points]
    [('15%', 10, 18), ('15%', 50, 18)]
    """
    if name not in EXPERIMENTS:
        raise OptionError(f"there is no figure {str(name)[:40]!r}; the known ones are {', '.join(EXPERIMENTS)}")
    experiment = EXPERIMENTS[name]
    if rows is None:
        sources = {one: _source(one, quick=quick, download=download) for one in experiment.data}
    else:
        sources = {data: rows}
        experiment = experiment.on(data)
    points: list[Point] = []
    findings = _partial(experiment.data)
    for part in experiment.parts:
        before = len(points)
        for point in _points(part, sources, quick=quick):
            points.append(point)
            if progress is not None:
                progress(1.0, len(points))
        findings += part.shape(points[before:])
    if left_out := sum(point.value is None for point in points):
        findings.append(f"{left_out} of {len(points)} numbers are left out: they would have taken too long.")
    views = [view for part in experiment.parts for view in part.views]
    return Figure(name, experiment.title, points, views, findings)


def _source(name: str, *, quick: bool, download: bool) -> Transactions:
    """Return the rows of a data set, or those that are generated for it."""
    if name == QUEST:
        return hiding.quest_rows(FEW) if quick else hiding.quest_rows()
    return load(name, download=download)


def _points(part: Part, sources: Mapping[str, Transactions], *, quick: bool) -> Iterator[Point]:
    """Yield what a part of an experiment finds in each of its data sets."""
    for data, shares in part.shares.items():
        yield from part.measure(
            data, sources[data], _ends(shares) if quick else shares, _ends(part.settings) if quick else part.settings
        )


def _ends(values: Sequence[Value]) -> Sequence[Value]:
    """Return the first and the last.

    >>> _ends((5, 10, 25)), _ends((30,))
    ([5, 25], [30])
    """
    return list(dict.fromkeys((values[0], values[-1])))


def _partial(names: Sequence[str]) -> list[str]:
    """Return what is to be said of data sets that are a part of those that the papers used."""
    parts = [name for name in names if name in FILES and "_head" in name]
    return [f"{name}: {FILES[name].about}; its numbers are not those of the paper." for name in parts]
