"""Lines: a static chart of curves as SVG, panels side by side. The same numbers give the same bytes."""

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, NamedTuple

PANEL, HEAD, LEFT, RIGHT, PLOT, LEGEND, LINE = 372, 74, 72, 352, 232, 290, 19
"""Pixels: how wide a panel is and how high its titles; where its plot begins, ends and how high it is; its legend."""
TICKS: Final = 5
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by those who see fewer colours, too (Okabe and Ito); the marks differ as well."""
MARKS: Final = (
    *("M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z", "M-3.2-3.2h6.4v6.4h-6.4z", "M0-4.4l4.2 7.2h-8.4z"),
    *("M0-4.6l4.6 4.6l-4.6 4.6l-4.6-4.6z", "M0 4.4l4.2-7.2h-8.4z", "M-4.4-1.4h8.8v2.8h-8.8z"),
)


class Series(NamedTuple):
    """A curve: its name, and its points from left to right."""

    name: str
    points: Sequence[tuple[float, float]]


class Panel(NamedTuple):
    """Curves on the same axes. A logarithmic scale, for the upright axis, leaves out what is not above 0."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    is_logarithmic: bool = False


class Axis(NamedTuple):
    """What an axis reaches from and to, in powers of ten if it is logarithmic, and the numbers named on it."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]

    def place(self, value: float, start: int, stop: int) -> str:
        """Return the pixel of a number, where the axis goes from one pixel to another."""
        return f"{start + (stop - start) * (value - self.low) / (self.high - self.low):.1f}"


def lines_svg(title: str, panels: Sequence[Panel]) -> bytes:
    """Return a chart of panels side by side as an SVG file, with axes, numbers and legends.

    >>> svg = lines_svg("Growth", [Panel("all", "years", "rows", [Series("a", [(0, 1), (1, 3)])])])
    >>> svg.startswith(b"<svg "), svg.count(b"<polyline")
    (True, 1)
    """
    lines = max(math.ceil(len(panel.series) / _columns(panel)) for panel in panels)
    width, height, name = PANEL * len(panels), HEAD + LEGEND + LINE * lines, escape(title)
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="12" fill="#333">',
        f'<title>{name}</title><rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{width / 2:g}" y="28" font-size="16" text-anchor="middle">{name}</text>',
    ]
    for number, panel in enumerate(panels):
        head += [f'<g transform="translate({number * PANEL} {HEAD})">', *_axes_and_curves(panel), *_legend(panel), "</g>"]
    return "\n".join([*head, "</svg>", ""]).encode()


def linear(values: Sequence[float]) -> Axis:
    """Return an axis for numbers, with round ones named on it; it begins at 0 if they come near it.

    >>> [name for _, name in linear([0.4, 1.2]).ticks], [name for _, name in linear([30, 1685]).ticks]
    (['0.4', '0.6', '0.8', '1.0', '1.2'], ['0', '500', '1,000', '1,500'])
    """
    low, high = min(values, default=0.0), max(values, default=1.0)
    low = min(low, 0.0) if low <= high / TICKS else low
    high += low == high
    power = math.floor(math.log10((high - low) / TICKS))
    step = next(step for step in (1, 2, 5, 10) if step * 10.0**power >= (high - low) / TICKS * 0.999999) * 10.0**power
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return Axis(low, high, [(number * step, f"{number * step:,.{decimals}f}") for number in numbers])


def logarithmic(values: Sequence[float]) -> Axis:
    """Return an axis for numbers above 0, with powers of ten named on it.

    >>> logarithmic([0.02, 30]).ticks
    [(-2, '0.01'), (-1, '0.1'), (0, '1'), (1, '10'), (2, '100')]
    """
    low = math.floor(math.log10(min(values, default=1.0)))
    high = max(low + 1, math.ceil(math.log10(max(values, default=1.0))))
    return Axis(low, high, [(power, f"{10.0**power:,.{max(0, -power)}f}") for power in range(low, high + 1)])


def _axes_and_curves(panel: Panel) -> Iterator[str]:
    curves = [[point for point in series.points if point[1] > 0 or not panel.is_logarithmic] for series in panel.series]
    heights = [y for curve in curves for _, y in curve]
    up = logarithmic(heights) if panel.is_logarithmic else linear([0.0, *heights])
    across = linear([x for curve in curves for x, _ in curve])
    middle = f'x="{(LEFT + RIGHT) // 2}" text-anchor="middle"'
    yield f'<text {middle} y="-16" font-size="13" font-weight="bold">{escape(panel.title)}</text>'
    for value, name in up.ticks:
        y = up.place(value, PLOT, 0)
        yield f'<path d="M{LEFT} {y}H{RIGHT}" stroke="#e4e4e4"/>'
        yield f'<text x="{LEFT - 7}" y="{y}" dy="4" text-anchor="end">{name}</text>'
    for value, name in across.ticks:
        x = across.place(value, LEFT + 12, RIGHT - 12)
        yield f'<path d="M{x} {PLOT}v5" stroke="#888"/><text x="{x}" y="{PLOT + 19}" text-anchor="middle">{name}</text>'
    yield f'<path d="M{LEFT} 0V{PLOT}H{RIGHT}" fill="none" stroke="#888"/>'
    yield f'<text {middle} y="{PLOT + 39}">{escape(panel.x)}</text>'
    yield f'<text transform="translate(14 {PLOT // 2}) rotate(-90)" text-anchor="middle">{escape(panel.y)}</text>'
    for number, curve in enumerate(curves):
        drawn = [(x, math.log10(y) if panel.is_logarithmic else y) for x, y in curve]
        places = [(across.place(x, LEFT + 12, RIGHT - 12), up.place(y, PLOT, 0)) for x, y in drawn]
        points, colour = " ".join(f"{x},{y}" for x, y in places), COLOURS[number % len(COLOURS)]
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
        yield from (_mark(number, x, y) for x, y in places)


def _columns(panel: Panel) -> int:
    """Return how many names of curves stand side by side in the legend, some 7 pixels a letter."""
    return max(1, (PANEL - LEFT) // (max(len(series.name) for series in panel.series) * 7 + 40))


def _legend(panel: Panel) -> Iterator[str]:
    columns = _columns(panel)
    for number, series in enumerate(panel.series):
        x, y = LEFT + number % columns * ((PANEL - LEFT) // columns), LEGEND + number // columns * LINE
        yield f'<path d="M{x} {y}h24" stroke="{COLOURS[number % len(COLOURS)]}" stroke-width="1.8"/>'
        yield f'{_mark(number, f"{x + 12}", f"{y}")}<text x="{x + 31}" y="{y + 4}">{escape(series.name)}</text>'


def _mark(number: int, x: str, y: str) -> str:
    shape, colour = MARKS[number % len(MARKS)], COLOURS[number % len(COLOURS)]
    return f'<path transform="translate({x} {y})" d="{shape}" fill="{colour}"/>'
