"""Figures: charts as plain dictionaries that Plotly draws in a browser; neither a title nor a colour of the page."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.comparison import Comparison
from discreet.blocking.distortion import supports_in
from discreet.blocking.release import Release
from discreet.data.lattice import complete_family
from discreet.disclosure.channels import Channels
from discreet.errors import InputError
from discreet.hiding.hide import HidingComparison
from discreet.judging.audit import Audit
from discreet.judging.tradeoff import Tradeoff
from discreet.report.hidden import hiding_curves
from discreet.report.svg import COLOURS
from discreet.runtime.text import percent

Figure: TypeAlias = dict[str, Any]
"""``data`` and ``layout``, as ``Plotly.newPlot`` takes them."""
SAFE, UNSAFE = COLOURS[0], COLOURS[1]
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MOST_POINTS: Final = 2_000  # of a scatter: more of them show no more, and make a page slow
MOST_ITEMSETS: Final = 60_000  # up to which all cells are counted for a histogram; of more, only channels are
MOST_BARS: Final = 20  # for counts below k; where k is larger, a bar stands for several counts


def plotly_script() -> bytes:
    """Return the script that draws the figures, from the package plotly, which is slow to import and so is not.

    >>> plotly_script()[:3]
    b'/**'
    """
    spec = find_spec("plotly")
    for folder in (spec.submodule_search_locations if spec else None) or ():
        path = Path(folder) / "package_data" / "plotly.min.js"
        if path.is_file():
            return path.read_bytes()
    raise InputError("the script plotly.min.js is missing, which draws the charts; install the package plotly again")


def tradeoff_figure(tradeoff: Tradeoff, k: int | None = None) -> Figure:
    """Return maximal channels over the minimum support, a curve for each k; that of ``k`` stands out.

    The upright axis is that of log(1 + channels), since nothing is more worth seeing than 0.

    >>> from discreet import tradeoff
    >>> figure = tradeoff_figure(tradeoff([["a", "b"]] * 6 + [["a"]] * 3, min_supports=[3, 9], ks=[2, 5]), k=5)
    >>> [(trace["name"], trace["line"]["width"]) for trace in figure["data"]]
    [('k = 2', 2), ('k = 5', 4)]
    """
    shares = [float(Fraction(100 * count, max(1, tradeoff.n))) for count in tradeoff.min_supports]
    columns = zip(tradeoff.ks, tradeoff.channels.T.tolist(), tradeoff.exposed.T.tolist(), strict=True)
    data = [
        {
            **_curve(f"k = {one:,}", shares, [math.log10(1 + n) for n in channels], number, 4 if one == k else 2),
            "customdata": [list(pair) for pair in zip(channels, exposed, strict=True)],
            "hovertemplate": "min support %{x:.3~g}%<br>%{customdata[0]:,} channels<br>%{customdata[1]:,} rows exposed",
        }
        for number, (one, channels, exposed) in enumerate(columns)
    ]
    most = int(tradeoff.channels.max(initial=0))
    ticks = [0, *(10**power for power in range(len(str(most)) + 1) if 10**power <= 10 * max(1, most))]
    up = _axis(
        "maximal channels", tickvals=[math.log10(1 + tick) for tick in ticks], ticktext=[f"{tick:,}" for tick in ticks]
    )
    up |= {"range": [-0.06 * math.log10(2 + most), 1.08 * math.log10(2 + most)]}
    return _figure(data, _axis("minimum support, % of rows", ticksuffix="%"), up)


class Bin(NamedTuple):
    """How many cells hold ``first`` to ``last`` rows, and whether that is too few."""

    first: int
    last: int
    cells: int
    is_unsafe: bool

    @property
    def name(self) -> str:
        """The numbers of rows, such as ``10–19``."""
        return f"{self.first:,}" if self.first == self.last else f"{self.first:,}–{self.last:,}"


def cell_sizes(found: Audit | Channels) -> list[Bin]:
    """Return how many cells there are of each size: one by one or a few together below k, twice as many each above.

    A cell is the rows that hold exactly some items of a maximal itemset. Of channels, and of audits of very many
    itemsets, only the cells below k are counted: the channels themselves.

    >>> from discreet import audit
    >>> found = audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=3)
    >>> [(one.name, one.cells, one.is_unsafe) for one in cell_sizes(found)]
    [('1', 0, True), ('2', 1, True), ('3–5', 0, False), ('6–11', 0, False), ('12–23', 0, False), ('24–47', 0, False), \
('48–95', 2, False)]
    """
    channels = found if isinstance(found, Channels) else found.evidence.channels
    if channels is None:
        return []
    counts, k = channels.cells.counts, channels.k
    if isinstance(found, Audit) and len(found.patterns) <= MOST_ITEMSETS:
        counts = complete_family(found.patterns).cells(limit=found.patterns.n + 1).counts
    step = max(1, math.ceil((k - 1) / MOST_BARS))
    edges = [*range(1, k, step), k]
    while edges[-1] <= counts.max(initial=0):
        edges.append(2 * edges[-1])
    sizes = np.histogram(counts, bins=[edge - 0.5 for edge in edges])[0].tolist() if len(edges) > 1 else []
    return [Bin(one, two - 1, cells, one < k) for (one, two), cells in zip(pairwise(edges), sizes, strict=True)]


def cell_sizes_figure(found: Audit | Channels) -> Figure:
    """Return a histogram of the sizes of cells, in which those below k are set apart by colour and hatching."""
    bins = cell_sizes(found)
    names = {True: "fewer than k rows: channels", False: "k rows or more"}
    parts = {is_unsafe: [one for one in bins if one.is_unsafe == is_unsafe] for is_unsafe in names}
    data = [
        {
            "type": "bar",
            "name": names[is_unsafe],
            "x": [one.name for one in part],
            "y": [one.cells for one in part],
            "showlegend": any(one.cells for one in part),
            "marker": _hatch(UNSAFE if is_unsafe else SAFE, hatched=is_unsafe),
            "hovertemplate": "%{y:,} cells of %{x} rows<extra></extra>",
        }
        for is_unsafe, part in parts.items()
        if part
    ]
    across = _axis("rows in the cell", type="category", categoryorder="array", categoryarray=[one.name for one in bins])
    return _figure(data, across, _axis("cells", rangemode="tozero", separatethousands=True), bargap=0.15)


def pair_supports(release: Release) -> NDArray[np.int64]:
    """Return the supports of closed itemsets before and after blocking, each pair once, the smallest first; 0 is lost.

    >>> from discreet import block
    >>> rows = [["a", "b"]] * 40 + [["a"]] * 2 + [[]] * 50
    >>> pair_supports(block(rows, min_support=10, k=10, method="suppress")).tolist()
    [[40, 40], [42, 40], [92, 90]]
    """
    old, new = release.original, release.patterns
    lists = [old, *([new] if len(new) else [])]
    pairs = [np.column_stack([supports_in(old, listed), supports_in(new, listed)]) for listed in lists]
    once = np.unique(np.concatenate(pairs), axis=0)
    # An itemset that is only closed now had no support of its own before, but that of a closure, which is known.
    return once[once[:, 0] > 0]


def before_after_figure(release: Release) -> Figure:
    """Return the supports after blocking over those before, on logarithmic axes; for the owner of the rows alone.

    What lies on the line has not changed. Of more than 2,000 different points, those evenly apart are shown, and the
    legend says so; the largest change is always among them.
    """
    pairs = pair_supports(release)
    chosen = _spread(pairs)
    before, after = pairs[chosen].T
    lost = after == 0
    shown = f" ({chosen.size:,} of {len(pairs):,} points)" if chosen.size < len(pairs) else ""
    ends = np.concatenate([before, after[~lost], [1] * (not before.size)])
    least, most = int(ends.min()), int(ends.max())
    look = {"mode": "lines", "hoverinfo": "skip", "line": {"color": "#808080", "width": 1, "dash": "dot"}}
    line = {**_curve("unchanged", [least, most], [least, most], 0), **look}
    data = [line, _points(f"published{shown}", before[~lost], after[~lost], SAFE, "circle", "after %{y:,}")]
    if lost.any():
        data.append(_points("lost", before[lost], np.full(int(lost.sum()), 0.7 * least), UNSAFE, "x", "lost"))
    # Within two decades a mark for each would be one or two: then there are those of 1, 2 and 5.
    step = 1 if most > 100 * least else "D2"
    scale = {"type": "log", "dtick": step, "tickformat": ",~g", "minor": {"ticks": "inside", "dtick": "D1"}}
    return _figure(data, _axis("support before", **scale), _axis("support after", **scale), hovermode="closest")


def comparison_figure(comparison: Comparison) -> Figure:
    """Return the average distortion of each method as bars, the best set apart; for the owner of the rows alone."""
    lines = [(line.name, line.release.distortion.average) for line in comparison.lines if line.release is not None]
    best = comparison.best_name
    parts = {is_best: [line for line in lines if (line[0] == best) == is_best] for is_best in (True, False)}
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "y": [name for name, _ in part],
            "x": [100 * average for _, average in part],
            "text": [percent(average) + ", recommended" * is_best for _, average in part],
            "textposition": "outside",
            "cliponaxis": False,
            "marker": _hatch(SAFE if is_best else "#808080", hatched=not is_best),
            "hovertemplate": "%{y}: %{x:.3~g}%<extra></extra>",
        }
        for is_best, part in parts.items()
        if part
    ]
    # Beside the longest bar, there must be room for its number.
    most = max(100 * average for _, average in lines) or 1.0
    across = _axis("average distortion, %", ticksuffix="%", range=[0, 1.4 * most])
    up = _axis("", autorange="reversed", categoryorder="array", categoryarray=[name for name, _ in lines])
    return _figure(data, across, up, showlegend=False, barmode="stack")


def hiding_figure(comparison: HidingComparison) -> Figure:
    """Return hiding failure and misses cost over the disclosure, side by side, a curve for each method."""
    panels = hiding_curves(comparison)
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    data = [
        {
            **_curve(name, [x for x, _ in curve], [y for _, y in curve], names.index(name)),
            "xaxis": ("x", "x2")[number],
            "yaxis": ("y", "y2")[number],
            "legendgroup": name,
            "showlegend": number == 0,
        }
        for number, panel in enumerate(panels)
        for name, curve in panel.series.items()
    ]
    left, right = panels
    figure = _figure(data, _axis(left.x, domain=[0, 0.45]), _axis(left.y, rangemode="tozero"))
    figure["layout"] |= {
        "xaxis2": _axis(right.x, domain=[0.55, 1], anchor="y2"),
        "yaxis2": _axis(right.y, rangemode="tozero", anchor="x2"),
    }
    return figure


def _figure(data: Sequence[Figure], across: Mapping[str, Any], up: Mapping[str, Any], **more: object) -> Figure:
    """Return a figure: neither background nor letters have a colour, so that the page sets them."""
    legend = {"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"}
    layout = {
        **dict.fromkeys(("paper_bgcolor", "plot_bgcolor"), "rgba(0,0,0,0)"),
        "margin": dict.fromkeys("lrtb", 16),
        "legend": legend,
        "showlegend": True,
        "xaxis": dict(across),
        "yaxis": dict(up),
        **more,
    }
    return {"data": list(data), "layout": layout}


def _hatch(colour: str, *, hatched: bool) -> Figure:
    pattern = {"fillmode": "overlay", "fgcolor": "#ffffff", "size": 6, "solidity": 0.2, "shape": "/" * hatched}
    return {"color": colour, "pattern": pattern}


def _axis(title: str, **more: object) -> Figure:
    return {"title": {"text": title}, "automargin": True, "zeroline": False, **more}


def _curve(name: str, x: Sequence[float], y: Sequence[float], number: int, width: int = 2) -> Figure:
    """Return a curve with its colour, mark and dashes; black, the last colour, would not be seen on a dark page."""
    colour = COLOURS[number % (len(COLOURS) - 1)]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(x),
        "y": list(y),
        "line": {"color": colour, "width": width, "dash": DASHES[number % len(DASHES)]},
        "marker": {"symbol": SHAPES[number % len(SHAPES)], "size": 8},
    }


def _points(name: str, x: NDArray[Any], y: NDArray[Any], colour: str, shape: str, then: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": x.tolist(),
        "y": y.tolist(),
        "marker": {"color": colour, "symbol": shape, "size": 6, "opacity": 0.7},
        "hovertemplate": f"before %{{x:,}}<br>{then}<extra></extra>",
    }


def _spread(pairs: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return which points to show: all of a few, else some evenly apart and the one of the largest change."""
    many = len(pairs)
    if many <= MOST_POINTS:
        return np.arange(many)
    largest = int(np.argmax(np.abs(pairs[:, 1] - pairs[:, 0])))
    return np.unique([*(np.arange(MOST_POINTS - 1) * many // (MOST_POINTS - 1)).tolist(), largest])
