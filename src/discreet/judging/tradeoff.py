"""Trade-off: how many threats there are for each minimum support and each k, and from where on there are none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.data.labels import Label
from discreet.data.lattice import complete_family
from discreet.data.merged import Rows, as_rows
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Threshold, as_count, as_k
from discreet.disclosure.detect import find_channels
from discreet.disclosure.question import Question
from discreet.errors import ThresholdError
from discreet.mining.mine import Progress, mine
from discreet.runtime import html, resources
from discreet.runtime.progress import watching
from discreet.runtime.text import percent

AT_ONCE: Final = 256
"""Itemsets looked at together on the way to the smallest safe support."""


@dataclass(frozen=True, eq=False, repr=False)
class Tradeoff:
    """What would be published, and what it would give away, for each minimum support (a line) and each k (a column).

    ``itemsets`` are the closed ones. ``safe[k]`` is the smallest minimum support, from the lowest of ``min_supports``
    on, at which there is no channel below k; None if there is one even where only n is published.
    """

    n: int
    min_supports: tuple[int, ...]
    ks: tuple[int, ...]
    itemsets: NDArray[np.int64]
    channels: NDArray[np.int64]
    exposed: NDArray[np.int64]
    safe: dict[int, int | None]

    def __repr__(self) -> str:
        return f"<Tradeoff: {len(self.min_supports)} minimum supports by {len(self.ks)} ks, {self.n:,} rows>"

    def _repr_html_(self) -> str:
        """Return how many channels there are for each minimum support and each k as a table, for notebooks."""
        supports = zip(self.min_supports, self.itemsets.tolist(), self.channels.tolist(), strict=True)
        lines = [(least, self._share(least), itemsets, *channels) for least, itemsets, channels in supports]
        head = ["minimum support", "share", "closed itemsets", *(f"channels, k = {k:,}" for k in self.ks)]
        safe = ((k, f"{least:,} rows ({self._share(least)})" if least else "none") for k, least in self.safe.items())
        note = f"No channel from which minimum support on: {'; '.join(f'k = {k:,}: {least}' for k, least in safe)}."
        return html.table(repr(self)[1:-1], head, lines, note=note)

    def _share(self, count: int) -> str:
        return percent(count / self.n) if self.n else "–"


def tradeoff(
    rows: Rows | Iterable[Iterable[Label]],
    *,
    min_supports: Iterable[Threshold],
    ks: Iterable[int],
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Tradeoff:
    """Return the numbers of itemsets, maximal channels and exposed rows for all ``min_supports`` and ``ks``.

    The rows are mined once, at the lowest support. The higher it is, the fewer channels there are in all, and what is
    safe stays safe; only the number of maximal ones may go up (*k-anonymous patterns*, PKDD 2005, section 5).

    >>> rows = [["a", "b"]] * 6 + [["a"]] * 3 + [["b"]] * 2 + [[]] * 9
    >>> grid = tradeoff(rows, min_supports=[5, 9], ks=[2, 3, 4])
    >>> grid.channels.tolist(), grid.exposed.tolist(), grid.safe
    ([[0, 1, 2], [0, 0, 0]], [[0, 2, 5], [0, 0, 0]], {2: 5, 3: 7, 4: 7})
    """
    data = as_rows(rows)
    counts = tuple(sorted({as_count(min_support, data.n) for min_support in min_supports}))
    limits = tuple(sorted({as_k(k) for k in ks}))
    if not counts or not limits:
        raise ThresholdError("there is nothing to compare; give at least one minimum support and one k")
    with watching(progress, then="counting channels") as tell:
        closed = mine(data, min_support=counts[0], kind="closed", threads=threads, memory=memory, progress=tell)
        return _counted(data, closed, counts, limits, resources.as_threads(threads))


def _counted(data: Rows, closed: Patterns, counts: tuple[int, ...], limits: tuple[int, ...], threads: int) -> Tradeoff:
    """Return the grid for closed itemsets that were mined at the lowest support."""
    lists = [above(closed, count) for count in counts]

    def counted(line: int, _: int) -> tuple[list[int], list[int]]:
        channels = find_channels(Question(lists[line], data, limits[-1]))
        exposed = channels.rows(data)
        each = np.ones_like(channels.cells.counts)
        return below(channels.cells.counts, each, limits), below(exposed.smallest, exposed.weights, limits)

    lines = [(line, line + 1) for line in range(len(counts))]
    found = resources.share(counted, lines, min(len(lines), threads))
    return Tradeoff(
        data.n,
        counts,
        limits,
        np.array([len(part) for part in lists]),
        np.array([channels for channels, _ in found]),
        np.array([exposed for _, exposed in found]),
        smallest_safe(closed, limits),
    )


def above(patterns: Patterns, min_support: int) -> Patterns:
    """Return the patterns that have at least ``min_support``."""
    if min_support == patterns.min_support:
        return patterns
    return replace(patterns.take(np.flatnonzero(patterns.supports >= min_support)), min_support=min_support)


def below(counts: NDArray[np.int64], weights: NDArray[np.int64], limits: Sequence[int]) -> list[int]:
    """Return what the counts weigh that are below each limit: one pass answers for every k.

    >>> below(np.array([1, 2, 2, 5]), np.array([1, 1, 1, 9]), [2, 3, 10])
    [1, 3, 12]
    """
    order = np.argsort(counts, kind="stable")
    heaped = np.concatenate([[0], np.cumsum(weights[order])])
    return heaped[np.searchsorted(counts[order], limits)].tolist()  # type: ignore[no-any-return]  # whole numbers


def smallest_safe(closed: Patterns, limits: Sequence[int]) -> dict[int, int | None]:
    """Return for each k the smallest minimum support, at least that of ``closed``, at which no channel is below k.

    The smallest cell of an itemset never grows with the itemset, so a release is safe if each closed itemset in it is
    by itself. From the largest support down, the first that is not decides: a minimum support must be above its own.
    All items together come last: they are a top at a minimum support of 1, even if no row holds them.
    """
    family = complete_family(closed)
    order = np.argsort(-family.supports, kind="stable")
    safe: dict[int, int | None] = dict.fromkeys(limits, closed.min_support)
    open_ = list(limits)
    for start, stop in pairwise([*range(0, order.size, AT_ONCE), order.size]):
        part = order[start:stop]
        if not open_:
            break
        tops, counts = family.smallest_cells(part, open_[-1])
        for k in list(open_):
            unsafe = tops[counts < k]
            if unsafe.size:
                support = max(1, int(family.supports[part[unsafe.min()]]))
                safe[k] = support + 1 if support < closed.n else None
                open_.remove(k)
    return safe
