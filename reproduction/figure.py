"""Figures: the numbers that an experiment found, as CSV, as a chart and as tables, and the shape that they have."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from textwrap import wrap
from typing import Final, Literal, NamedTuple, TypeAlias

from discreet.report.svg import Panel, lines_svg

Axis: TypeAlias = Literal["share", "k", "disclosure", "n", "itemsets"]
Curves: TypeAlias = Literal["share", "k", "disclosure", "method"]

LEFT_OUT: Final = "left out"
"""What stands in the place of a number that would have taken too long."""
WIDTH: Final = 100
"""Columns of what is prose."""
AXES: Final = {
    "share": "minimum support, %",
    "k": "k",
    "disclosure": "disclosure, %",
    "n": "rows",
    "itemsets": "sensitive itemsets",
}
"""What figures have from left to right."""
SOMETIMES: Final = ("k", "disclosure", "n", "itemsets")
"""Columns that a CSV has only if a point has something there."""


class Point(NamedTuple):
    """What was measured on which data, at which minimum support (a share, and the count) and k, by which method.

    ``value`` is None where it was left out. Where itemsets were hidden there is no k, but a ``disclosure``; and where
    it was timed, how many rows and sensitive itemsets there were.
    """

    measure: str
    data: str
    share: str
    min_support: int
    k: int
    method: str
    value: float | None
    disclosure: str = ""
    n: int = 0
    itemsets: int = 0

    @property
    def place(self) -> "Point":
        """The same of any measure: what tells where it was measured."""
        return self._replace(measure="", value=None)


class View(NamedTuple):
    """A measure along an axis, with a curve for each value of another, or for each method: a panel and a table.

    ``over`` is another measure that the panel has from left to right instead.
    """

    measure: str
    along: Axis
    curves: Curves
    is_logarithmic: bool = False
    over: str = ""


class Figure(NamedTuple):
    """An experiment of a paper, done again: its points, how they are looked at, and where they stand."""

    name: str
    title: str
    points: Sequence[Point]
    views: Sequence[View]
    findings: Sequence[str]


def figure_csv(figure: Figure) -> bytes:
    r"""Return the points of a figure as CSV, a line each.

    >>> point = Point("seconds", "mushroom", "10%", 813, 30, "naive", None)
    >>> figure_csv(Figure("fig", "Figure", [point], [], [])).decode().splitlines()[1]
    'seconds,mushroom,10%,813,30,naive,left out'
    """
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    columns = [name for name in Point._fields if name != "value"]
    columns = [name for name in columns if name not in SOMETIMES or any(getattr(one, name) for one in figure.points)]
    lines.writerow([*columns, "value"])
    for point in figure.points:
        value = LEFT_OUT if point.value is None else point.value
        lines.writerow([*(getattr(point, name) for name in columns), value])
    return text.getvalue().encode()


def figure_svg(figure: Figure) -> bytes:
    """Return a figure as a chart: a panel for each view and data set."""
    panels = [_panel(view, data, points) for view, data, points in _seen(figure)]
    return lines_svg(figure.title, panels)


def figure_text(figure: Figure) -> Iterator[str]:
    """Yield the lines of a figure: a table for each view and data set, then what was found."""
    yield figure.title
    for view, data, points in _seen(figure):
        yield ""
        yield from _table(view, data, points)
    for finding in figure.findings:
        yield from ("", *wrap(finding, WIDTH))


def chosen(points: Iterable[Point], **wanted: object) -> list[Point]:
    """Return the points that have these values.

    >>> chosen([Point("channels", "d", "10%", 2, k, "", 7) for k in (3, 5)], k=5)[0].k
    5
    """
    return [point for point in points if all(getattr(point, name) == value for name, value in wanted.items())]


def steps(points: Iterable[Point], measure: str, along: Axis, *, rises: bool) -> str:
    """Return in how many steps along an axis, such as to the next k, a measure never falls, or never rises.

    >>> counts = [Point("channels", "d", f"{n}%", n, 3, "", value) for n, value in ((10, 7), (15, 7), (20, 8))]
    >>> steps(counts, "channels", "share", rises=False)
    '1 of 2 steps'
    """
    curves: dict[Point, dict[float, float]] = {}
    for point in chosen(points, measure=measure):
        if point.value is not None:
            at = point.min_support if along == "share" else _number(point, along)
            curves.setdefault(_curve(point, along), {})[at] = point.value
    changes = [curve[two] - curve[one] for curve in curves.values() for one, two in pairwise(sorted(curve))]
    held = sum(change >= 0 if rises else change <= 0 for change in changes)
    return f"{held} of {len(changes)} step{'s' * (len(changes) != 1)}"


def _seen(figure: Figure) -> Iterator[tuple[View, str, list[Point]]]:
    """Yield each view of each data set that it shows, with its points."""
    for view in figure.views:
        for data in dict.fromkeys(point.data for point in chosen(figure.points, measure=view.measure)):
            yield view, data, chosen(figure.points, data=data)


def _panel(view: View, data: str, points: Sequence[Point]) -> Panel:
    places = {point.place: point.value for point in chosen(points, measure=view.over)}
    curves: dict[str, list[tuple[float, float]]] = {}
    for point in chosen(points, measure=view.measure):
        x = places[point.place] if view.over else _number(point, view.along)
        curve = curves.setdefault(_name(point, view.curves), [])
        if x is not None and point.value is not None:
            curve.append((x, point.value))
    series = {name: sorted(curve) for name, curve in curves.items()}
    return Panel(data, view.over or AXES[view.along], view.measure, series, view.is_logarithmic)


def _table(view: View, data: str, points: Sequence[Point]) -> Iterator[str]:
    """Yield a table: the axis down, curves across."""
    shown = chosen(points, measure=view.measure)
    names = list(dict.fromkeys(_name(point, view.curves) for point in shown))
    cells = {(_place(point, view.along), _name(point, view.curves)): _cell(point, view, points) for point in shown}
    places = dict.fromkeys(place for place, _ in cells)
    lines = [["", *names], *([place, *(cells.get((place, name), "") for name in names)] for place in places)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    yield f"{view.measure}{f' of all {view.over}' * bool(view.over)}, {data}"
    for line in lines:
        first, *rest = (text.rjust(width) for text, width in zip(line, widths, strict=True))
        yield "  ".join([f"  {first.strip():<{widths[0]}}", *rest]).rstrip()


def _cell(point: Point, view: View, points: Sequence[Point]) -> str:
    if not view.over:
        return _written(point.value)
    (other,) = [one for one in chosen(points, measure=view.over) if one.place == point.place]
    return f"{_written(point.value)} of {_written(other.value)}"


def _written(value: float | None) -> str:
    """Return a number for reading.

    >>> _written(8124), _written(0.0123456), _written(None)
    ('8,124', '0.01235', 'left out')
    """
    if value is None:
        return LEFT_OUT
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _number(point: Point, axis: Axis) -> float:
    return float(str(getattr(point, axis)).rstrip("%"))


def _curve(point: Point, along: Axis) -> Point:
    """Return what points of one curve along an axis have in common."""
    if along == "share":
        return point.place._replace(share="", min_support=0)
    return point.place._replace(**{along: Point._field_defaults.get(along, 0)})


def _place(point: Point, axis: Axis) -> str:
    return {
        "share": f"{point.share} ({point.min_support:,} rows)",
        "k": f"k = {point.k}",
        "disclosure": f"disclosure {point.disclosure}",
        "n": f"{point.n:,} rows",
        "itemsets": f"{point.itemsets:,} itemsets",
    }[axis]


def _name(point: Point, curves: Curves) -> str:
    return {
        "share": point.share,
        "k": f"k = {point.k}",
        "disclosure": f"disclosure {point.disclosure}",
        "method": point.method,
    }[curves]
