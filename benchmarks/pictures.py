"""Pictures of docs/belief.md as SVG: what a reader believes of three groups, and beliefs against what is true."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import comb
from typing import Final, NamedTuple

from forecasts import SURE, Bin

STYLE: Final = """<style>
text{font:13px system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif;fill:#1c2733}
.t{font-weight:600}.s{fill:#52606d}.b{fill:#fff}.g{stroke:#d5dbe1;fill:none}.x{stroke:#7b8794;fill:none}
.n{fill:#7b8794}.f{fill:#0f766e}.d{stroke:#52606d;fill:none;stroke-dasharray:4 4}
.c0{fill:#0f766e;stroke:#0f766e}.c1{fill:#b45309;stroke:#b45309}.c2{fill:#6d28d9;stroke:#6d28d9}.e{fill:none;stroke-width:1.5}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#b4bfca}.b{fill:#1b2129}.g{stroke:#3a444f}.x{stroke:#8b98a5}
.n{fill:#8b98a5}.f{fill:#2dd4bf}.d{stroke:#b4bfca}.c0{fill:#2dd4bf;stroke:#2dd4bf}.c1{fill:#fbbf24;stroke:#fbbf24}
.c2{fill:#c4b5fd;stroke:#c4b5fd}.e{fill:none}}
</style>"""
MARKS: Final = ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-3.6-3.6h7.2v7.2h-7.2z", "M0-5l4.6 8h-9.2z")
LEFT, STEP, HIGH = 240, 26, 104
"""Pixels: where bars begin, how far apart they are, and how high the highest is."""
LEAST: Final = 1.5  # pixels of a bar, so that what is possible is seen
PLOT, ACROSS, DOWN = 220, 320, 340
"""Pixels: the side of a reliability chart, and how far apart two are."""
TINY: Final = 1e-12


def wrap(name: str, about: str, size: tuple[int, int], parts: Sequence[str]) -> bytes:
    """Return an SVG file of a title and a description for those who do not see it."""
    width, height = size
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"',
            ' role="img" aria-labelledby="n d">',
            f'<title id="n">{escape(name)}</title>',
            f'<desc id="d">{escape(about)}</desc>',
            STYLE,
            f'<rect class="b" width="{width}" height="{height}" rx="6"/>',
            *parts,
            "</svg>",
            "",
        ]
    ).encode()


class Group(NamedTuple):
    """A group, what can be said about it, and the probability of each number of people in it."""

    name: str
    verdict: str
    chances: Mapping[int, float]

    def find_small(self, k: int) -> float:
        """Return the probability of 1 to k − 1 people.

        >>> Group("a", "sure", {0: 0.25, 1: 0.75}).find_small(2)
        0.75
        """
        return sum(chance for many, chance in self.chances.items() if 0 < many < k)

    def describe(self, k: int) -> str:
        """Return that probability in percent, rounded down: only what is certain is 100 %.

        >>> Group("a", "sure", {0: 0.00004, 1: 0.99996}).describe(2)
        '1 person: 99.9 %'
        """
        share = self.find_small(k)
        percent = "100 %" if share > 1 - TINY else f"{int(1000 * share) / 10:.1f} %"
        return f"{_name_people(k)}: {percent}"


def _name_people(k: int) -> str:
    return f"1 to {k - 1} people" if k > 2 else "1 person"  # noqa: PLR2004 - one


def overlap(first: int, second: int, n: int, most: int) -> dict[int, float]:
    """Return the probability of each number of rows that hold two items, if all lists of rows are equally likely.

    >>> {both: round(chance, 2) for both, chance in overlap(2, 3, 5, 1).items()}
    {0: 0.14, 1: 0.86}
    """
    ways = {both: comb(first, both) * comb(n - first, second - both) for both in range(min(first, most) + 1)}
    return {both: many / sum(ways.values()) for both, many in ways.items() if many}


def draw_groups(groups: Sequence[Group], k: int) -> bytes:
    """Return bars of the probability of each number of people, for each group; those of 1 to k − 1 are marked.

    >>> draw_groups([Group("a", "sure", {1: 1.0})], 2).count(b'class="f"')
    2
    """
    most = max(max(one.chances) for one in groups)
    right, height = LEFT + (most + 1) * STEP, 54 + len(groups) * (HIGH + 58)
    parts = [
        f'<rect class="f" x="{LEFT}" y="12" width="12" height="12"/>',
        f'<text class="s" x="{LEFT + 18}" y="23">{_name_people(k)}: the small group</text>',
        f'<rect class="n" x="{LEFT + 230}" y="12" width="12" height="12"/>',
        f'<text class="s" x="{LEFT + 248}" y="23">other numbers</text>',
        f'<text class="s" x="{(LEFT + right) // 2}" y="{height - 8}" text-anchor="middle">number of people</text>',
    ]
    for number, one in enumerate(groups):
        parts += _bars(one, k, most, 40 + number * (HIGH + 58))
    about = "Bars of the probability of each number of people. "
    about += " ".join(f"{one.verdict}: {one.name}, {one.describe(k)}." for one in groups)
    return wrap("Proved, nearly certain, possible", about, (right + 24, height), parts)


def _bars(group: Group, k: int, most: int, top: int) -> Iterator[str]:
    yield f'<text class="t" x="16" y="{top + 34}">{escape(group.verdict)}</text>'
    yield f'<text x="16" y="{top + 54}">{escape(group.name)}</text>'
    yield f'<text class="s" x="16" y="{top + 74}">{group.describe(k)}</text>'
    foot, peak = top + HIGH, max(group.chances.values())
    for many in range(most + 1):
        x, chance = LEFT + many * STEP, group.chances.get(many, 0.0)
        tall, style = max(LEAST, chance / peak * HIGH), "f" if 0 < many < k else "n"
        if chance:
            size = f'width="{STEP - 4}" height="{tall:.1f}"'
            yield f'<rect class="{style}" x="{x + 2}" y="{foot - tall:.1f}" {size}/>'
        yield f'<text class="s" x="{x + STEP // 2}" y="{foot + 17}" text-anchor="middle">{many}</text>'
    yield f'<path class="x" d="M{LEFT - 4} {foot}H{LEFT + (most + 1) * STEP}"/>'


class Chart(NamedTuple):
    """A reliability chart: its title, and the bins of each curve by its name."""

    title: str
    curves: Mapping[str, Sequence[Bin]]


def draw_charts(charts: Sequence[Chart], about: str) -> bytes:
    """Return reliability charts, two side by side: right beliefs lie on the dashed line; bars show 95 %.

    >>> draw_charts([Chart("a", {"b": [Bin(0.5, 9, 0.55, 0.5, 0.1)]})], "").count(b"<svg ")
    1
    """
    parts = []
    most = max(len(one.curves) for one in charts)
    down = DOWN + 20 * most - 20
    for number, one in enumerate(charts):
        parts.append(f'<g transform="translate({60 + number % 2 * ACROSS} {44 + number // 2 * down})">')
        parts += [*_axes(one.title), *_curves(one.curves), "</g>"]
    lines = -(-len(charts) // 2)
    return wrap("Beliefs and what is true", about, (min(2, len(charts)) * ACROSS + 20, lines * down + 8), parts)


def _axes(title: str) -> Iterator[str]:
    yield f'<text class="t" x="{PLOT // 2}" y="-16" text-anchor="middle">{escape(title)}</text>'
    for tenth in range(0, 11, 2):
        at = PLOT * tenth // 10
        yield f'<path class="g" d="M0 {PLOT - at}H{PLOT}M{at} 0V{PLOT}"/>'
        yield f'<text class="s" x="-8" y="{PLOT - at + 4}" text-anchor="end">{tenth / 10:g}</text>'
        yield f'<text class="s" x="{at}" y="{PLOT + 18}" text-anchor="middle">{tenth / 10:g}</text>'
    yield f'<path class="d" d="M0 {PLOT}L{PLOT} 0"/><path class="x" d="M0 0V{PLOT}H{PLOT}"/>'
    yield f'<text class="s" x="{PLOT // 2}" y="{PLOT + 36}" text-anchor="middle">belief</text>'
    turn = f'transform="translate(-40 {PLOT // 2}) rotate(-90)"'
    yield f'<text class="s" {turn} text-anchor="middle">share that is small</text>'


def _curves(curves: Mapping[str, Sequence[Bin]]) -> Iterator[str]:
    for number, (name, bins) in enumerate(curves.items()):
        for one in bins:
            x, y = PLOT * one.belief, PLOT * (1 - one.share)
            ends = (PLOT * (1 - min(1.0, max(0.0, one.share + sign * SURE * one.error))) for sign in (1, -1))
            high, low = ends
            yield f'<path class="c{number} e" d="M{x:.1f} {high:.1f}V{low:.1f}"/>'
            yield f'<path class="c{number}" transform="translate({x:.1f} {y:.1f})" d="{MARKS[number]}"/>'
        y = PLOT + 56 + 20 * number
        yield f'<path class="c{number}" transform="translate(6 {y - 4})" d="{MARKS[number]}"/>'
        yield f'<text x="18" y="{y}">{escape(name)}</text>'
