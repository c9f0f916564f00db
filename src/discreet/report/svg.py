"""Drawings as SVG: curves in panels side by side, and a channel as the people it is about; same numbers, same bytes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple
from unicodedata import east_asian_width

import numpy as np

from discreet.data.itemsets import Itemset, sort_labels
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel, Difference, Term
from discreet.judging.finding import support_of
from discreet.report.findings import in_words
from discreet.report.text import LONGEST_SUM, SHOWN_OF_LONGER, show_sum
from discreet.runtime import html

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


WIDTH: Final = 360
SHADE: Final = f'fill="{COLOURS[1]}" fill-opacity=".25" stroke="{COLOURS[1]}" stroke-width="2"'
PLAIN: Final = 'fill="currentColor" fill-opacity=".06" stroke="currentColor"'
CIRCLES: Final = 2  # lacked items up to which each has a circle; of more, the sum is drawn step by step
RADIUS, MIDDLE, STEP = 44, 86, 22
"""Pixels: of circles, how far down they stand, and how high a step of a sum is."""
LETTER, LETTERS = 7, 44
"""Pixels that a letter takes on average, or less; and letters of a sum that have room side by side."""


def cells_svg(channel: Channel | Difference, patterns: Patterns, terms: Sequence[Term] = ()) -> str:
    """Return a channel as a drawing: those who have base, of these those who have other items of top, and the rest.

    Up to two items that base lacks are circles; for more, a bar for each support of the sum leads from base to the
    rest. The sum, whose ``terms`` may be known, stands below. Labels are cut, and all that may be HTML in them is
    escaped.

    >>> from discreet import detect, mine
    >>> patterns = mine([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10)
    >>> svg = cells_svg(detect(patterns, k=10)[0], patterns)
    >>> svg[:4], "<desc>50 − 48 = 2</desc>" in svg
    ('<svg', True)
    """
    terms = terms or channel.terms(patterns)
    lacked = sort_labels(channel.top - channel.base)
    circled = len(lacked) <= CIRCLES or isinstance(channel, Difference)
    drawn = list(_circles(channel, patterns) if circled else _steps(channel, terms))
    height = 172 if circled else STEP * (len(drawn) + 1) + 12
    whole = show_sum(terms, len(terms))
    total = f"{whole if len(whole) <= LETTERS else show_sum(terms, SHOWN_OF_LONGER)} = {channel.count:,}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"',
        ' role="img" class="cells" font-family="system-ui, sans-serif" font-size="13" fill="currentColor">',
        f"<title>{escape(in_words(channel))}</title><desc>{escape(total)}</desc>",
        *(*drawn, _text(WIDTH / 2, height - 8, total, anchor="middle"), "</svg>"),
    ]
    return "".join(parts)


def _circles(channel: Channel | Difference, patterns: Patterns) -> Iterator[str]:
    """Yield the base as a frame: in it those with one or two other items in circles, and outside of these the rest."""
    lacked = channel.top - channel.base
    groups = [lacked] if isinstance(channel, Difference) else [frozenset([label]) for label in sort_labels(lacked)]
    first, *rest = _supports(patterns, channel.base, groups)
    everyone = f"{_named(channel.base, 'everyone', 34)}: {first:,} {'person' if first == 1 else 'people'}"
    yield _text(8, 16, everyone, room=344)
    frame = "M8 26H352V148H8Z"
    places = {0: [], 1: [122], 2: [100, 160]}[len(groups)]
    yield f'<path d="{frame}{_hole(places)}" fill-rule="evenodd" {SHADE}/>'
    yield from (f'<circle cx="{x}" cy="{MIDDLE - 6}" r="{RADIUS}" {PLAIN}/>' for x in places)
    match places, rest:
        case [x], [held]:
            yield _text(x, MIDDLE, f"{held:,}", anchor="middle", room=78)
            yield _text(x, 142, f"with {_named(groups[0], '', 22)}", anchor="middle", room=220)
        case [left, right], [one, two, both]:
            yield _text(left - 15, MIDDLE, f"{one - both:,}", anchor="middle", room=44)
            yield _text((left + right) / 2, MIDDLE, f"{both:,}", anchor="middle", room=24)
            yield _text(right + 15, MIDDLE, f"{two - both:,}", anchor="middle", room=44)
            yield _text(124, 142, f"with {_named(groups[0], '', 12)}", anchor="end", room=112)
            yield _text(136, 142, f"with {_named(groups[1], '', 12)}", room=112)
    centre = 288 if places else WIDTH / 2
    yield _text(centre, MIDDLE, f"{channel.count:,}", anchor="middle", more='font-size="24" font-weight="bold"')
    others = {0: "in all", 1: "without it", 2: "with neither"}[len(groups)]
    yield _text(centre, MIDDLE + 20, others, anchor="middle")


def _steps(channel: Channel | Difference, terms: Sequence[Term]) -> Iterator[str]:
    """Yield the sum as bars, each from where the one before has led to; many of the last are one step together."""
    shown = terms if len(terms) <= LONGEST_SUM else terms[: LONGEST_SUM - 1]
    steps = [(_step(term, channel.base), term.times * term.support) for term in shown]
    if len(shown) < len(terms):
        others = terms[len(shown) :]
        steps.append((f"{len(others):,} more supports", sum(term.times * term.support for term in others)))
    ends = np.cumsum([0, *(change for _, change in steps)]).tolist()
    low, high = min(ends), max(ends)
    left, wide = 224, 128
    for number, (name, change) in enumerate(steps):
        start, stop = sorted((left + wide * (end - low) / max(1, high - low)) for end in ends[number : number + 2])
        y = STEP * number + 4
        amount = f"{change:,}" if number == 0 else f"{'−' if change < 0 else '+'} {abs(change):,}"
        bar = f'<rect x="{start:.1f}" y="{y}" width="{max(1.5, stop - start):.1f}" height="{STEP - 6}" {PLAIN}/>'
        called = _text(154, y + 13, name, anchor="end", room=152)
        yield f"{called}{_text(219, y + 13, amount, anchor='end', room=62)}{bar}"
    zero, end = (left + wide * (at - low) / max(1, high - low) for at in (0, channel.count))
    y = STEP * len(steps) + 4
    bar = f'<rect x="{zero:.1f}" y="{y}" width="{max(4, end - zero):.1f}" height="{STEP - 6}" {SHADE}/>'
    bold = 'font-weight="bold"'
    called = _text(154, y + 13, "the others", anchor="end", more=bold)
    yield f"{called}{_text(219, y + 13, f'{channel.count:,}', anchor='end', more=bold, room=62)}{bar}"


def _supports(patterns: Patterns, base: Itemset, groups: Sequence[Itemset]) -> list[int]:
    """Return the supports of base, of base with each group, and with both if there are two."""
    asked = [base, *(base | group for group in groups), *[base.union(*groups)] * (len(groups) == CIRCLES)]
    supports = [support_of(itemset, patterns) for itemset in asked]
    return supports if base else [patterns.n, *supports[1:]]


def _hole(places: Sequence[int]) -> str:
    y, r = MIDDLE - 6, RADIUS
    if len(places) < CIRCLES:
        return "".join(f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0Z" for x in places)
    middle, half = sum(places) / 2, (r**2 - ((places[1] - places[0]) / 2) ** 2) ** 0.5
    up, down = f"{middle:g} {y - half:.2f}", f"{middle:g} {y + half:.2f}"
    return f"M{up}A{r} {r} 0 1 0 {down}A{r} {r} 0 1 0 {up}Z"


def _step(term: Term, base: Itemset) -> str:
    """Return what a bar of a sum is called: what those have besides base."""
    more = term.itemset - base
    times = f"{abs(term.times)} × " if abs(term.times) != 1 else ""
    return f"{times}with {_named(more, '', 15)}" if more else f"{times}{_named(base, 'everyone', 19)}"


def _named(labels: Itemset, nothing: str, most: int) -> str:
    """Return labels in about ``most`` letters: all of a few short ones, else the first and how many more."""
    names = [html.show_label(label, most) for label in sort_labels(labels)]
    for many in range(len(names), 0, -1):
        more = f" +{len(names) - many}" if many < len(names) else ""
        text = f"{', '.join(names[:many])}{more}"
        if len(text) <= most + 1 or many == 1:
            return text
    return nothing


def _text(x: float, y: float, text: str, *, anchor: str = "start", more: str = "", room: float = WIDTH) -> str:
    """Return a line of text, squeezed where it would take more than its room."""
    if sum(LETTER * (1 + (east_asian_width(letter) in "WF")) for letter in text) > room:
        more += f' textLength="{room:g}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" {more}>{escape(text)}</text>'.replace(" >", ">")
