"""Cells: a channel as a drawing of the people it is about, as inline SVG that reads well on light and on dark pages."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final
from unicodedata import east_asian_width

import numpy as np

from discreet.data.itemsets import Itemset, sort_labels
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel, Difference, Term, format_sum
from discreet.report.svg_chart import COLOURS
from discreet.report.text import LONGEST_SUM, SHOWN_OF_LONGER
from discreet.report.wording import in_words
from discreet.runtime import html

WIDTH: Final = 360
SHADE: Final = f'fill="{COLOURS[1]}" fill-opacity=".25" stroke="{COLOURS[1]}" stroke-width="2"'
"""What sets apart whom the channel is about."""
PLAIN: Final = 'fill="currentColor" fill-opacity=".06" stroke="currentColor"'
CIRCLES: Final = 2
"""Items that base lacks, up to which each has a circle; of more, the sum is drawn step by step."""
RADIUS, MIDDLE, STEP = 44, 86, 22
"""Pixels: of circles, how far down they stand, and how high a step of a sum is."""
LETTER: Final = 7
"""Pixels that a letter takes on average, or less."""
LETTERS: Final = 44
"""Of a sum, that have room side by side."""


def cells_svg(channel: Channel | Difference, patterns: Patterns) -> str:
    """Return a channel as a drawing: those who have base, of these those who have other items of top, and the rest.

    Up to two items that base lacks are circles; for more, a bar for each support of the sum leads from base to the
    rest. The sum stands below. Labels are cut, and all that may be HTML in them is escaped.

    >>> from discreet import detect, mine
    >>> patterns = mine([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10)
    >>> svg = cells_svg(detect(patterns, k=10)[0], patterns)
    >>> svg[:4], "<desc>50 − 48 = 2</desc>" in svg
    ('<svg', True)
    """
    terms = channel.terms(patterns)
    lacked = sort_labels(channel.top - channel.base)
    circled = len(lacked) <= CIRCLES or isinstance(channel, Difference)
    drawn = list(_circles(channel, patterns) if circled else _steps(channel, terms))
    height = 172 if circled else STEP * (len(drawn) + 1) + 12
    total = f"{_sum(terms)} = {channel.count:,}"
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"',
            ' role="img" class="cells" font-family="system-ui, sans-serif" font-size="13" fill="currentColor">',
            f"<title>{escape(in_words(channel))}</title><desc>{escape(total)}</desc>",
            *drawn,
            _text(WIDTH / 2, height - 8, total, anchor="middle"),
            "</svg>",
        ]
    )


def _circles(channel: Channel | Difference, patterns: Patterns) -> Iterator[str]:
    """Yield the base as a frame: in it those with one or two other items in circles, and outside of these the rest."""
    groups = _groups(channel)
    first, *rest = _supports(patterns, channel.base, groups)
    yield _text(8, 16, f"{_named(channel.base, 'everyone', 34)}: {first:,} {_rows(first)}", room=344)
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
        told = f"{change:,}" if number == 0 else f"{'−' if change < 0 else '+'} {abs(change):,}"
        bar = f'<rect x="{start:.1f}" y="{y}" width="{max(1.5, stop - start):.1f}" height="{STEP - 6}" {PLAIN}/>'
        called = _text(154, y + 13, name, anchor="end", room=152)
        yield f"{called}{_text(219, y + 13, told, anchor='end', room=62)}{bar}"
    zero, end = (left + wide * (at - low) / max(1, high - low) for at in (0, channel.count))
    y = STEP * len(steps) + 4
    bar = f'<rect x="{zero:.1f}" y="{y}" width="{max(4, end - zero):.1f}" height="{STEP - 6}" {SHADE}/>'
    bold = 'font-weight="bold"'
    rest = _text(154, y + 13, "the others", anchor="end", more=bold)
    yield f"{rest}{_text(219, y + 13, f'{channel.count:,}', anchor='end', more=bold, room=62)}{bar}"


def _groups(channel: Channel | Difference) -> list[Itemset]:
    """Return what has a circle: each item that base lacks, or of a difference all of them together."""
    rest = channel.top - channel.base
    return [rest] if isinstance(channel, Difference) else [frozenset([label]) for label in sort_labels(rest)]


def _supports(patterns: Patterns, base: Itemset, groups: Sequence[Itemset]) -> list[int]:
    """Return the supports of base, of base with each group, and with both if there are two.

    The support of an itemset is the largest of a listed one that holds it; everybody has nothing.
    """
    parts = [base, *groups]
    weight = np.zeros(len(patterns.labels), dtype=np.int64)
    for number, part in enumerate(parts):
        weight[[code for code, label in enumerate(patterns.labels) if label in part]] = 1 << 20 * number
    held = np.diff(np.concatenate([[0], np.cumsum(weight[patterns.items])])[patterns.offsets])
    holds = [(held >> 20 * number & (1 << 20) - 1) == len(part) for number, part in enumerate(parts)]
    asked = [
        holds[0],
        *(holds[0] & one for one in holds[1:]),
        *([np.logical_and.reduce(holds)] * (len(groups) == CIRCLES)),
    ]
    none = [patterns.n * (not base), *[0] * (len(asked) - 1)]
    return [int(patterns.supports[one].max(initial=least)) for one, least in zip(asked, none, strict=True)]


def _hole(places: Sequence[int]) -> str:
    """Return the outline of one circle, or of two that overlap."""
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
        told = f"{', '.join(names[:many])}{more}"
        if len(told) <= most + 1 or many == 1:
            return told
    return nothing


def _sum(terms: Sequence[Term]) -> str:
    """Return the sum as numbers, as far as the drawing is wide."""
    whole = format_sum(terms, [f"{term.support:,}" for term in terms])
    if len(whole) <= LETTERS or len(terms) <= SHOWN_OF_LONGER:
        return whole
    first = terms[:SHOWN_OF_LONGER]
    return f"{format_sum(first, [f'{term.support:,}' for term in first])} … ({len(terms):,} supports)"


def _rows(count: int) -> str:
    return "person" if count == 1 else "people"


def _text(x: float, y: float, text: str, *, anchor: str = "start", more: str = "", room: float = WIDTH) -> str:
    """Return a line of text, squeezed where it would take more than its room."""
    if sum(LETTER * (1 + (east_asian_width(letter) in "WF")) for letter in text) > room:
        more += f' textLength="{room:g}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" {more}>{escape(text)}</text>'.replace(" >", ">")
