"""Charts as HTML with SVG inside: letters keep their size at any width, and colours come from static/charts.css.

Places are percentages of a plot, so that the browser lays it out without a script. Each mark has its numbers as a
title; static/tooltips.js shows the one that is nearest to the pointer.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from discreet.report.svg import MARKS, linear
from discreet.runtime.html import Html

Kind: TypeAlias = Literal["curve", "dots", "crosses", "line", "columns"]
DASHES: Final = ("", "7 4", "2 3", "7 3 2 3", "12 4", "12 3 2 3")
COLOURS: Final = 6  # of charts.css; the next are for what stands out
SAFE, UNSAFE, QUIET = "c0", "c1", "quiet"
CROSS: Final = "M-3.5-3.5l7 7m0-7l-7 7"
PADDING: Final = 0.04  # of an axis at its ends, so that no mark lies on the frame
LETTER, GAP, EDGE = 7, 3, 18
"""Pixels of a letter of a label, between labels, and from a plot to the edge of the page."""
NARROW, WIDE = 225, 380
"""Pixels of a plot on a telephone, and of one beside another on a desktop."""
ROOMY, LINE = 540, 12
"""Pixels of a plot from which on bars have labels that lie flat, if these fit; and of a label that stands upright."""


class Scale(NamedTuple):
    """An axis from ``low`` to ``high``, and its ticks with their labels."""

    title: str
    low: float
    high: float
    ticks: Mapping[float, str]

    @property
    def ends(self) -> str:
        """Both ends, for scripts that place something."""
        return f"{self.low:.6g} {self.high:.6g}"

    def place(self, value: float) -> str:
        """Return where a value is, in percent of the axis.

        >>> Scale("", 10, 20, {}).place(12.5)
        '25'
        """
        return _number(100 * (value - self.low) / (self.high - self.low))


class Mark(NamedTuple):
    """A point or a bar, and its numbers; ``value`` is for scripts that follow a click."""

    x: float
    y: float
    text: str
    value: str = ""


class Series(NamedTuple):
    """Marks that are drawn alike; ``label`` stands in the legend, if there is one."""

    kind: Kind
    label: str
    marks: Sequence[Mark]
    colour: str = SAFE
    number: int = 0
    is_strong: bool = False


class Plot(NamedTuple):
    """Series on the same axes."""

    across: Scale
    up: Scale
    series: Sequence[Series]


class Figure(NamedTuple):
    """Plots side by side with one legend, and the numbers in them as a table."""

    caption: str
    plots: Sequence[Plot]
    head: Sequence[str]
    lines: Sequence[Sequence[str | float]]

    @property
    def html(self) -> Html:
        """The chart; it needs charts.css, and no script."""
        every = [series for plot in self.plots for series in plot.series]
        named = {one.label: one for one in every if one.label}
        plots = "".join(_draw(plot, self.caption) for plot in self.plots)
        return Html(f'<div class="plots">{_legend(named.values())}{plots}</div>')

    @property
    def facts(self) -> dict[str, Any]:
        """The chart and its numbers, as JSON may hold them."""
        return {
            "caption": self.caption,
            "html": str(self.html),
            "head": list(self.head),
            "lines": [list(line) for line in self.lines],
        }


def scale(title: str, values: Sequence[float], unit: str = "", *, padded: bool = True) -> Scale:
    """Return an axis with round numbers that holds all values.

    >>> axis = scale("rows", [0, 7], padded=False)
    >>> axis.low, axis.high, list(axis.ticks.values())
    (0.0, 8.0, ['0', '2', '4', '6', '8'])
    """
    ticks = linear(values)
    low, high = min(ticks), max(ticks)
    padding = PADDING * (high - low) * padded
    return Scale(title, low - padding, high + padding, {at: f"{name}{unit}" for at, name in ticks.items()})


def log_scale(title: str, values: Sequence[float]) -> Scale:
    """Return a logarithmic axis for positive values; within two decades, 2 and 5 have ticks as well as 1.

    >>> list(log_scale("rows", [3, 40]).ticks.values()), list(log_scale("rows", [3, 4000]).ticks.values())
    (['5', '10', '20'], ['10', '100', '1,000'])
    """
    low, high = math.log10(min(values, default=1)), math.log10(max(values, default=1))
    if high - low < 0.1:  # noqa: PLR2004 - a tenth of a decade
        low, high = low - 0.2, high + 0.2
    padding = PADDING * (high - low)
    low, high = low - padding, high + padding
    digits = (1,) if high - low > 2 + 2 * padding else (1, 2, 5)
    every = [digit * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for digit in digits]
    ticks = {math.log10(value): f"{value:,.10g}" for value in every if low <= math.log10(value) <= high}
    return Scale(title, low, high, ticks)


def _draw(plot: Plot, caption: str) -> str:
    across, up, series = plot
    left = max((len(label) for label in up.ticks.values()), default=0)
    is_stepped = any(one.kind == "columns" for one in series)
    deep = f";--label:{max(map(len, across.ticks.values()), default=0)}" * is_stepped
    parts = [
        f'<div class="plot{_turn(across) * is_stepped}" style="--left:{left}ch{deep}">',
        f'<p class="up">{escape(up.title)}</p>' if up.title else "",
        f'<svg role="img" aria-label="{escape(caption)}" data-x="{across.ends}" data-y="{up.ends}">',
        *_grid(plot, is_stepped=is_stepped),
        *(_group(one, plot) for one in series),
        f'</svg><p class="across">{escape(across.title)}</p></div>',
    ]
    return "".join(parts)


def _thin(across: Scale, pixels: int) -> Scale:
    """Return an axis with those ticks whose labels fit side by side: the last, and others from the left.

    >>> _thin(Scale("", 0, 4, {0: "1", 1: "1,000", 2: "2", 3.7: "1,999", 4: "2,000"}), 80).ticks
    {0: '1', 2: '2', 4: '2,000'}
    """
    halves = {value: LETTER * len(label) / 2 for value, label in across.ticks.items()}
    places = {
        value: pixels - half if _reaches_out(across, value) else float(across.place(value)) * pixels / 100
        for value, half in halves.items()
    }
    fitting, end, last = {}, -math.inf, max(places, default=0)
    for value, middle in places.items():
        fits = value == last or middle + halves[value] + GAP <= places[last] - halves[last]
        if fits and middle - halves[value] >= end:
            fitting[value], end = across.ticks[value], middle + halves[value] + GAP
    return across._replace(ticks=fitting)


def _turn(across: Scale) -> str:
    """Return the class of a plot of bars by whether its labels lie flat at any width, on a desktop, or nowhere.

    >>> [_turn(Scale("", 0, 9, {at + 0.5: f"{10**power:,}" for at in range(9)})) for power in (1, 4, 8)]
    ['', ' turned', ' upright']
    """
    fits = [len(_thin(across, pixels).ticks) == len(across.ticks) for pixels in (NARROW, ROOMY)]
    return "" if fits[0] else " turned" if fits[1] else " upright"


def _reaches_out(across: Scale, value: float) -> bool:
    """Return whether a label in the middle below its tick would reach beyond the edge: then it ends with the axis."""
    return float(across.place(value)) * NARROW / 100 + LETTER * len(across.ticks[value]) / 2 > NARROW + EDGE


def _grid(plot: Plot, *, is_stepped: bool) -> Iterator[str]:
    across, up, _ = plot
    yield '<g class="grid">'
    yield from (f'<line x2="100%" y1="{at}%" y2="{at}%"/>' for at in map(_upwards(up), up.ticks))
    if not is_stepped:
        yield from (f'<line y2="100%" x1="{at}%" x2="{at}%"/>' for at in map(across.place, across.ticks))
    yield '</g><g class="ticks">'
    for value, label in up.ticks.items():
        yield f'<text class="left" y="{_upwards(up)(value)}%" dx="-8" dy=".32em">{escape(label)}</text>'
    yield from _label_bars(across) if is_stepped else _label(across)
    yield "</g>"


def _label_bars(across: Scale) -> Iterator[str]:
    """Yield the labels of all bars; on a telephone only some if they are too many even where they stand upright."""
    step = math.ceil(LINE * len(across.ticks) / NARROW)
    for at, (value, label) in enumerate(across.ticks.items()):
        kind = ' class="spare"' * (at % step > 0)
        yield f'<text x="{across.place(value)}%" y="100%" dy="18"{kind}>{escape(label)}</text>'


def _label(across: Scale) -> Iterator[str]:
    """Yield the labels below an axis that fit side by side."""
    wide = _thin(across, WIDE)
    narrow = _thin(wide, NARROW)
    for value, label in wide.ticks.items():
        is_out, spare = _reaches_out(across, value), value not in narrow.ticks
        kind = f' class="{" ".join([*["left"] * is_out, *["spare"] * spare])}"' if is_out or spare else ""
        yield f'<text x="{100 if is_out else across.place(value)}%" y="100%" dy="18"{kind}>{escape(label)}</text>'


def _group(series: Series, plot: Plot) -> str:
    strong = " strong" * series.is_strong
    name = f' data-name="{escape(series.label)}"' if series.label else ""
    return f'<g class="{series.kind} {series.colour}{strong}"{name}>{"".join(KINDS[series.kind](series, plot))}</g>'


def _curve(series: Series, plot: Plot) -> Iterator[str]:
    shape = MARKS[series.number % len(MARKS)]
    yield from _line(series, plot)
    for mark, x, y in _places(series, plot):
        value = f' data-value="{escape(mark.value)}"' if mark.value else ""
        yield f'<svg x="{x}%" y="{y}%"{value}><path d="{shape}"/>{_title(mark)}</svg>'


def _line(series: Series, plot: Plot) -> Iterator[str]:
    points = " ".join(f"{x},{y}" for _, x, y in _places(series, plot))
    dashes = f' stroke-dasharray="{DASHES[series.number % len(DASHES)]}"' if series.number % len(DASHES) else ""
    yield f'<svg viewBox="0 0 100 100" preserveAspectRatio="none"><polyline points="{points}"{dashes}/></svg>'


def _dots(series: Series, plot: Plot) -> Iterator[str]:
    for mark, x, y in _places(series, plot):
        yield f'<circle cx="{x}%" cy="{y}%" r="3">{_title(mark)}</circle>'


def _crosses(series: Series, plot: Plot) -> Iterator[str]:
    for mark, x, y in _places(series, plot):
        yield f'<svg x="{x}%" y="{y}%"><path d="{CROSS}"/>{_title(mark)}</svg>'


def _columns(series: Series, plot: Plot) -> Iterator[str]:
    wide = 100 / (plot.across.high - plot.across.low)
    for mark, x, y in _places(series, plot):
        if mark.y:
            size = f'width="{_number(0.84 * wide)}%" height="{_number(100 - float(y))}%"'
            yield f'<rect x="{_number(float(x) - 0.42 * wide)}%" y="{y}%" {size}>{_title(mark)}</rect>'


KINDS: Final[Mapping[Kind, Callable[[Series, Plot], Iterator[str]]]] = {
    "curve": _curve,
    "dots": _dots,
    "crosses": _crosses,
    "line": _line,
    "columns": _columns,
}


def _places(series: Series, plot: Plot) -> Iterator[tuple[Mark, str, str]]:
    up = _upwards(plot.up)
    return ((mark, plot.across.place(mark.x), up(mark.y)) for mark in series.marks)


def _upwards(axis: Scale) -> Callable[[float], str]:
    """Return a function for places on an axis that leads up: SVG counts down."""
    return axis._replace(low=axis.high, high=axis.low).place


def _title(mark: Mark) -> str:
    return f"<title>{escape(mark.text)}</title>" if mark.text else ""


def _legend(every: Iterable[Series]) -> str:
    keys = "".join(
        f'<li><svg width="{30 if one.kind in {"curve", "line"} else 14}" height="14" aria-hidden="true">'
        f'<g class="{one.kind} {one.colour}{" strong" * one.is_strong}">{_key(one)}</g></svg>{escape(one.label)}</li>'
        for one in every
    )
    return f'<ul class="legend">{keys}</ul>' if keys else ""


def _key(series: Series) -> str:
    dashes = f' stroke-dasharray="{DASHES[series.number % len(DASHES)]}"' if series.number % len(DASHES) else ""
    line = f'<polyline points="1,7 29,7"{dashes}/>'
    match series.kind:
        case "curve":
            return f'{line}<path transform="translate(15 7)" d="{MARKS[series.number % len(MARKS)]}"/>'
        case "line":
            return line
        case "dots":
            return '<circle cx="7" cy="7" r="3"/>'
        case "crosses":
            return f'<path transform="translate(7 7)" d="{CROSS}"/>'
        case _:
            return '<rect x="1" y="1.5" width="12" height="11"/>'


def _number(value: float) -> str:
    """Return a number with at most two decimal places.

    >>> [_number(value) for value in (12.5, 100, 1 / 3, -0.0001)]
    ['12.5', '100', '0.33', '0']
    """
    return f"{round(value, 2) + 0.0:g}"  # of -0.0, too
