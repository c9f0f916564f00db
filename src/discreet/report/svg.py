"""Drawings as SVG: curves in panels side by side; same numbers, same bytes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

PANEL, HEAD, LEFT, RIGHT, PLOT, LEGEND, LINE = 372, 74, 72, 352, 232, 290, 19
"""Pixels: how wide a panel is and how high its titles; where its plot begins, ends and how high it is; its legend."""
TICKS: Final = 5
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Told apart by those who see fewer colours, too (Okabe and Ito); the marks differ as well."""
MARKS: Final = (
    *("M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z", "M-3.2-3.2h6.4v6.4h-6.4z", "M0-4.4l4.2 7.2h-8.4z"),
    *("M0-4.6l4.6 4.6l-4.6 4.6l-4.6-4.6z", "M0 4.4l4.2-7.2h-8.4z", "M-4.4-1.4h8.8v2.8h-8.8z"),
)


class Panel(NamedTuple):
    """Curves by their names on the same axes, of which the upright one may be logarithmic, for what is above 0."""

    title: str
    x: str
    y: str
    series: Mapping[str, Sequence[tuple[float, float]]]
    is_logarithmic: bool = False


def lines_svg(title: str, panels: Sequence[Panel]) -> bytes:
    """Return a chart of panels side by side as an SVG file, with axes, numbers and legends.

    >>> svg = lines_svg("Growth", [Panel("all", "years", "rows", {"a": [(0, 1), (1, 3)]})])
    >>> svg.startswith(b"<svg "), svg.count(b"<polyline")
    (True, 1)
    """
    wide, width, name = PANEL * len(panels), max(PANEL * len(panels), 9 * len(title)), escape(title)
    height = HEAD + LEGEND + LINE * max((-(-len(panel.series) // _columns(panel)) for panel in panels), default=0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"',
        ' role="img" font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="12" fill="#333">',
        f'<title>{name}</title><rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{width // 2}" y="28" font-size="16" text-anchor="middle">{name}</text>',
    ]
    for number, panel in enumerate(panels):
        parts.append(f'<g transform="translate({(width - wide) // 2 + number * PANEL} {HEAD})">')
        parts += [*_axes_and_curves(panel), *_legend(panel), "</g>"]
    return "\n".join([*parts, "</svg>", ""]).encode()


class Bar(NamedTuple):
    """A bar with its label; one that stands out has another colour."""

    label: str
    value: int
    stands_out: bool = False


def bars_svg(title: str, bars: Sequence[Bar]) -> bytes:
    """Return a chart of bars as an SVG file, each with its number above it.

    >>> bars_svg("Sizes", [Bar("1–9", 3, True), Bar("10 or more", 40)]).count(b"<rect class")
    2
    """
    step, name = 92, escape(title)
    width, height = max(step * len(bars) + 40, 8 * len(title)), HEAD + PLOT + 40
    most = max((bar.value for bar in bars), default=0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"',
        ' role="img" font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="13" fill="#333"',
        f' text-anchor="middle"><title>{name}</title><rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{width // 2}" y="28" font-size="15">{name}</text>',
    ]
    for number, bar in enumerate(bars):
        tall = -(-PLOT * bar.value // (most or 1))
        x, y = 20 + step * number + step // 2, HEAD + PLOT - tall
        colour = COLOURS[bar.stands_out]
        parts.append(f'<rect class="bar" x="{x - 32}" y="{y}" width="64" height="{tall}" fill="{colour}"/>')
        parts.append(f'<text x="{x}" y="{y - 6}">{bar.value:,}</text>')
        parts.append(f'<text x="{x}" y="{HEAD + PLOT + 20}">{escape(bar.label)}</text>')
    axis = f'<path d="M20 {HEAD + PLOT}H{20 + step * len(bars)}" stroke="#888"/>'
    return "\n".join([*parts, axis, "</svg>", ""]).encode()


def linear(values: Sequence[float]) -> dict[float, str]:
    """Return the round numbers on an axis, with their names; it begins at 0 if the values come near it.

    >>> linear([30, 1685]), list(linear([0.4, 1.2]).values())
    ({0.0: '0', 500.0: '500', 1000.0: '1,000', 1500.0: '1,500', 2000.0: '2,000'}, ['0.4', '0.6', '0.8', '1.0', '1.2'])
    """
    low, high = min(values, default=0.0), max(values, default=1.0)
    low = min(low, 0.0) if low < high / TICKS else low
    wanted = (high - low + (low == high)) / TICKS * (1 - 1e-9)
    step = next(step for power in range(-9, 16) for digit in (1, 2, 5) if (step := digit * 10.0**power) >= wanted)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return {at * step: f"{at * step:,.{decimals}f}" for at in range(first, max(last, first + 1) + 1)}


def powers(logs: Sequence[float]) -> dict[float, str]:
    """Return the powers of ten on a logarithmic axis, with their names.

    >>> powers([-1.7, 0.5])
    {-2: '0.01', -1: '0.1', 0: '1', 1: '10'}
    """
    low, high = math.floor(min(logs, default=0)), math.ceil(max(logs, default=1))
    return {power: f"{10.0**power:,.{max(0, -power)}f}" for power in range(low, max(high, low + 1) + 1)}


def _axes_and_curves(panel: Panel) -> Iterator[str]:
    curves = list(panel.series.values())
    if panel.is_logarithmic:
        curves = [[(x, math.log10(y)) for x, y in curve if y > 0] for curve in curves]
    heights = [y for curve in curves for _, y in curve]
    up = powers(heights) if panel.is_logarithmic else linear([0.0, *heights])
    across = linear([x for curve in curves for x, _ in curve])
    middle = f'x="{(LEFT + RIGHT) // 2}" text-anchor="middle"'
    yield f'<text {middle} y="-16" font-size="13" font-weight="bold">{escape(panel.title)}</text>'
    for value, name in up.items():
        y = _place(up, value, PLOT, 0)
        yield f'<path d="M{LEFT} {y}H{RIGHT}" stroke="#e4e4e4"/>'
        yield f'<text x="{LEFT - 7}" y="{y}" dy="4" text-anchor="end">{name}</text>'
    for value, name in across.items():
        x = _place(across, value, LEFT + 12, RIGHT - 12)
        yield f'<path d="M{x} {PLOT}v5" stroke="#888"/><text x="{x}" y="{PLOT + 19}" text-anchor="middle">{name}</text>'
    yield f'<path d="M{LEFT} 0V{PLOT}H{RIGHT}" fill="none" stroke="#888"/>'
    yield f'<text {middle} y="{PLOT + 39}">{escape(panel.x)}</text>'
    yield f'<text transform="translate(14 {PLOT // 2}) rotate(-90)" text-anchor="middle">{escape(panel.y)}</text>'
    for number, curve in enumerate(curves):
        places = [(_place(across, x, LEFT + 12, RIGHT - 12), _place(up, y, PLOT, 0)) for x, y in curve]
        points = " ".join(f"{x},{y}" for x, y in places)
        yield f'<polyline points="{points}" fill="none" stroke="{COLOURS[number % len(COLOURS)]}" stroke-width="1.8"/>'
        yield from (_mark(number, x, y) for x, y in places)


def _place(axis: dict[float, str], value: float, start: int, stop: int) -> str:
    return f"{start + (stop - start) * (value - min(axis)) / (max(axis) - min(axis)):.1f}"


def _mark(number: int, x: str, y: str) -> str:
    turn = number // len(COLOURS)  # whose colour is there already gets another mark
    shape = f'd="{MARKS[(number + turn) % len(MARKS)]}" fill="{COLOURS[number % len(COLOURS)]}"'
    return f'<path transform="translate({x} {y})" {shape}/>'


def _columns(panel: Panel) -> int:
    """Return how many names of curves stand side by side in the legend, some 6 pixels a letter."""
    return max(1, (PANEL - 40) // (max(map(len, panel.series), default=0) * 6 + 40))


def _legend(panel: Panel) -> Iterator[str]:
    for number, name in enumerate(panel.series):
        line, column = divmod(number, _columns(panel))
        x, y = 40 + column * ((PANEL - 40) // _columns(panel)), LEGEND + line * LINE
        yield f'<path d="M{x} {y}h24" stroke="{COLOURS[number % len(COLOURS)]}" stroke-width="1.8"/>'
        yield f'{_mark(number, f"{x + 12}", f"{y}")}<text x="{x + 31}" y="{y + 4}">{escape(name)}</text>'
