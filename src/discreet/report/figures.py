"""Figures: what the charts of reports and of the app show; report/charts.py draws them."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.distortion import supports_in
from discreet.blocking.release import Release
from discreet.data.lattice import complete_family
from discreet.disclosure.channels import Channels
from discreet.judging.audit import Audit
from discreet.judging.tradeoff import Tradeoff
from discreet.report.charts import (
    COLOURS,
    QUIET,
    SAFE,
    UNSAFE,
    Figure,
    Mark,
    Plot,
    Scale,
    Series,
    log_scale,
    scale,
)
from discreet.runtime import resources
from discreet.runtime.text import count_of

MOST_POINTS: Final = 1_000  # of a scatter: more of them show no more, and make a page slow
MOST_ITEMSETS: Final = 60_000  # up to which all cells are counted for a histogram; of more, only channels are
MOST_BARS: Final = 20  # for counts below k; where k is larger, a bar stands for several counts
DOTTED: Final = 2  # of the dashes
GONE: Final = "left out"
STRIP: Final = 0.16  # from the lowest point of a scatter to what is left out, of the axis


def tradeoff_figure(tradeoff: Tradeoff, k: int | None = None) -> Figure:
    """Return maximal channels over the minimum support, a curve for each k; that of ``k`` stands out.

    The upright axis is that of log(1 + channels), since nothing is more worth seeing than 0.

    >>> from discreet import tradeoff
    >>> figure = tradeoff_figure(tradeoff([["a", "b"]] * 6 + [["a"]] * 3, min_supports=[3, 9], ks=[2, 5]), k=5)
    >>> [(series.label, series.is_strong) for series in figure.plots[0].series]
    [('k = 2', False), ('k = 5', True)]
    >>> figure.html[:19]
    '<div class="plots">'
    """
    shares = [float(Fraction(100 * count, max(1, tradeoff.n))) for count in tradeoff.min_supports]
    columns = zip(tradeoff.ks, tradeoff.channels.T.tolist(), tradeoff.exposed.T.tolist(), strict=True)
    # The first number stands for a solid line.
    numbers = {one: number for number, one in enumerate(sorted(tradeoff.ks, key=lambda one: one != k))}
    series = [
        Series(
            "curve",
            f"k = {one:,}",
            [
                Mark(share, math.log10(1 + many), _describe_point(one, share, many, rows), f"{share:.4g}")
                for share, many, rows in zip(shares, channels, exposed, strict=True)
            ],
            *(QUIET if k in numbers and one != k else f"c{numbers[one] % COLOURS}", numbers[one], one == k),
        )
        for one, channels, exposed in columns
    ]
    most = int(tradeoff.channels.max(initial=0))
    top = math.log10(2 + most)
    every = [0, *(10**power for power in range(len(str(most)) + 1))]
    ticks = {at: f"{tick:,}" for tick in every if (at := math.log10(1 + tick)) <= 1.08 * top}
    across = scale("minimum support, % of rows", shares, "%")
    plot = Plot(across, Scale("maximal channels, by tens", -0.06 * top, 1.08 * top, ticks), series)
    lines = [[share, *line] for share, line in zip(shares, tradeoff.channels.tolist(), strict=True)]
    caption = "Maximal channels by minimum support, one curve per k"
    return Figure(caption, [plot], [across.title, *(one.label for one in series)], lines)


def _describe_point(k: int, share: float, channels: int, exposed: int) -> str:
    return f"k = {k:,}, min support {share:.3g}%\n{channels:,} channels\n{exposed:,} rows exposed"


class Bin(NamedTuple):
    """How many cells, the groups that can be worked out, hold ``first`` to ``last`` rows; and if that is too few."""

    first: int
    last: int
    cells: int
    is_unsafe: bool

    @property
    def name(self) -> str:
        """The numbers of rows, such as ``10–19``."""
        return f"{self.first:,}" if self.first == self.last else f"{self.first:,}–{self.last:,}"


def cell_sizes(found: Audit | Channels) -> list[Bin]:
    """Return how many cells there are of each size: twice as many rows each from k on, and at most n.

    Below k they are counted one by one, or a few sizes together; all sizes together if there is none. A cell is the
    rows that hold exactly some items of a maximal itemset. Of channels, and of audits of very many itemsets, only the
    cells below k are counted: the channels themselves.

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
        counts = complete_family(found.patterns).cells(found.patterns.n + 1, resources.cores()).counts
    step = max(1, math.ceil((k - 1) / MOST_BARS) if (counts < k).any() else k - 1)
    edges = [*range(1, k, step), k]
    while edges[-1] <= counts.max(initial=0):
        edges.append(2 * edges[-1])
    sizes = np.histogram(counts, bins=[edge - 0.5 for edge in edges])[0].tolist() if len(edges) > 1 else []
    return [
        Bin(one, max(one, min(two - 1, channels.n)), cells, one < k)
        for (one, two), cells in zip(pairwise(edges), sizes, strict=True)
    ]


def cell_sizes_figure(found: Audit | Channels) -> Figure:
    """Return a histogram of the sizes of cells, in which those below k are set apart by colour and outline."""
    return draw_bins(cell_sizes(found))


def draw_bins(bins: Sequence[Bin]) -> Figure:
    """Return a histogram of bins that are known."""
    names = {True: "fewer than k rows", False: "k rows or more"}
    parts = {
        is_unsafe: [
            Mark(at + 0.5, one.cells, f"{count_of(one.cells, 'group')} of {one.name} rows")
            for at, one in enumerate(bins)
            if one.is_unsafe == is_unsafe and one.cells
        ]
        for is_unsafe in names
    }
    series = [
        Series("columns", names[is_unsafe], marks, UNSAFE if is_unsafe else SAFE)
        for is_unsafe, marks in parts.items()
        if marks
    ]
    ticks = {at + 0.5: f"{one.first:,}" for at, one in enumerate(bins)}
    across = Scale("rows in the group: at least this many, fewer than the next bar", 0, max(1, len(bins)), ticks)
    up = scale("groups", [0, 5, *(one.cells for one in bins)], padded=False)
    caption = "How many groups of each size can be worked out; those of fewer than k rows must not be"
    lines = [(one.name, one.cells) for one in bins]
    return Figure(caption, [Plot(across, up, series)] if bins else [], ["rows in the group", up.title], lines)


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

    What lies on the line has not changed; what is left out lies on a strip below. Of more than 1,000 different points,
    those evenly apart are shown, and the legend says so; the largest change is always among them.
    """
    pairs = pair_supports(release)
    chosen = pairs[_spread(pairs)].tolist()
    shown = f" ({len(chosen):,} of {len(pairs):,} points)" if len(chosen) < len(pairs) else ""
    kept = [Mark(math.log10(old), math.log10(new), f"before {old:,}, after {new:,}") for old, new in chosen if new]
    ends = [one for pair in chosen for one in pair if one] or [1]
    low, high = math.log10(min(ends)), math.log10(max(ends))
    # What is left out has no support: its strip is apart from the scale.
    beneath = low - STRIP * max(1.0, high - low)
    gone = [Mark(math.log10(old), beneath, f"before {old:,}, {GONE}") for old, new in chosen if not new]
    series = [
        Series("line", "unchanged", [Mark(low, low, ""), Mark(high, high, "")], QUIET, DOTTED),
        Series("dots", f"published{shown}", kept, SAFE),
        *([Series("crosses", GONE, gone, UNSAFE)] if gone else []),
    ]
    up = log_scale("support after", ends)
    if gone:
        up = up._replace(low=beneath - STRIP / 2, ticks={beneath: GONE, **up.ticks})
    lines = [(old, new or GONE) for old, new in chosen]
    plot = Plot(log_scale("support before", ends), up, series)
    return Figure("Supports after blocking, by supports before", [plot], [plot.across.title, up.title], lines)


def _spread(pairs: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return which points to show: all of a few, else some evenly apart and the one of the largest change."""
    many = len(pairs)
    if many <= MOST_POINTS:
        return np.arange(many)
    largest = int(np.argmax(np.abs(pairs[:, 1] - pairs[:, 0])))
    return np.unique([*(np.arange(MOST_POINTS - 1) * many // (MOST_POINTS - 1)).tolist(), largest])
