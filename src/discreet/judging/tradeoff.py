"""Trade-off: channels and exposed rows for each minimum support and k, and the lowest safe minimum support."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Label, offsets_of
from discreet.data.lattice import Family, complete_family
from discreet.data.leaving_out import Names, drop_items
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Threshold, as_count, as_k, say_count
from discreet.data.transactions import Rows, as_rows
from discreet.disclosure.detect import Question, find_channels
from discreet.disclosure.people import PeopleRows, find_people_cells, order_by_person, refuse_visits
from discreet.errors import ThresholdError, refuse_truth
from discreet.io.hierarchies import AnyHierarchy
from discreet.mining.mine import Mining, Progress, mine
from discreet.runtime import html, resources
from discreet.runtime.resources import watching
from discreet.runtime.solver import Numbers
from discreet.runtime.text import part

AT_ONCE: Final = 256  # itemsets that are searched together for the lowest safe minimum support


@refuse_truth(ask=".safe[k]")
@dataclass(frozen=True, eq=False, repr=False)
class Tradeoff:
    """The numbers of itemsets, channels and exposed rows, with a line per minimum support and a column per k.

    ``itemsets`` are the closed ones. Where people have several rows, channels are groups of fewer than k people, and
    ``counted`` says so. ``safe[k]`` is the lowest minimum support without a channel below k, at least the
    lowest of ``min_supports``; None if even n alone is one. With ``max_length``, longer itemsets are left out. If the
    rows have a schema, of ``attributes``, ``audit`` withholds what follows from it as well; channels alone count here.
    """

    n: int
    min_supports: tuple[int, ...]
    ks: tuple[int, ...]
    itemsets: NDArray[np.int64]
    channels: NDArray[np.int64]
    exposed: NDArray[np.int64]
    safe: dict[int, int | None]
    counted: Literal["rows", "people"] = "rows"
    max_length: int | None = None
    attributes: int = 0

    @property
    def caveat(self) -> str:
        """What is not counted, in a sentence; empty if that is nothing."""
        many = f"{self.attributes:,} attribute{'s' * (self.attributes != 1)}"
        return f"Channels alone are counted: what the schema of {many} reveals is not." if self.attributes else ""

    def __repr__(self) -> str:
        return f"<Tradeoff: {len(self.min_supports)} minimum supports by {len(self.ks)} ks, {self.n:,} rows>"

    def _repr_html_(self) -> str:
        supports = zip(self.min_supports, self.itemsets.tolist(), self.channels.tolist(), strict=True)
        lines = [(least, self._share(least), itemsets, *channels) for least, itemsets, channels in supports]
        head = ["minimum support", "share", "closed itemsets", *(f"channels, k = {k:,}" for k in self.ks)]
        safe = ((k, say_count(least, self.n) if least else "none") for k, least in self.safe.items())
        note = f"Lowest minimum support without a channel: {'; '.join(f'k = {k:,}: {least}' for k, least in safe)}."
        return html.table(repr(self)[1:-1], head, lines, note=f"{note} {self.caveat}".strip())

    def _share(self, count: int) -> str:
        return part(count, self.n) or "–"


def tradeoff(  # noqa: PLR0913 - all but one by their names, and each a choice of its own
    rows: Rows | Iterable[Iterable[Label]],
    *,
    min_supports: Iterable[Threshold],
    ks: Iterable[int],
    max_length: int | None = None,
    leave_out: Names | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    hierarchy: AnyHierarchy | None = None,
) -> Tradeoff:
    """Return the numbers of itemsets, maximal channels and exposed rows for all ``min_supports`` and ``ks``.

    The rows are mined once, at the lowest support. A higher one has fewer channels, and what is safe stays safe; only
    the number of maximal channels may rise (*k-anonymous patterns*, PKDD 2005, section 5). If people have several rows,
    channels are the groups of fewer than k people. With ``max_length``, only itemsets of at most so many items would be
    published, and items that ``leave_out`` names as in ``mine`` are not. With a ``hierarchy``,
    ancestors count as items.

    >>> rows = [["a", "b"]] * 6 + [["a"]] * 3 + [["b"]] * 2 + [[]] * 9
    >>> grid = tradeoff(rows, min_supports=[5, 9], ks=[2, 3, 4])
    >>> grid.channels.tolist(), grid.exposed.tolist(), grid.safe
    ([[0, 1, 2], [0, 0, 0]], [[0, 2, 5], [0, 0, 0]], {2: 5, 3: 7, 4: 7})
    """
    given = drop_items(as_rows(rows, hierarchy), leave_out)
    is_by_person = given.people is not None
    data = given if is_by_person else refuse_visits(given, "tradeoff")
    counts = tuple(sorted({as_count(min_support, data.n) for min_support in min_supports}))
    limits = tuple(sorted({as_k(k) for k in ks}))
    if not counts or not limits:
        raise ThresholdError("there is nothing to compare; give at least one minimum support and one k")

    def count(line: int, _: int) -> tuple[list[int], list[int]]:
        question = Question(lists[line], data, limits[-1])
        channels = find_people_cells(question, schema=()) if is_by_person else find_channels(question)
        exposed, sizes = channels.rows(data), channels.cells.counts
        each = np.ones_like(sizes)
        return weigh_below(sizes, each, limits), weigh_below(exposed.smallest, exposed.weights, limits)

    with watching(progress, then="counting channels") as tell:
        budget: Mining = {"max_length": max_length, "threads": threads, "memory": memory, "progress": tell}
        closed = mine(data, min_support=counts[0], kind="closed", **budget)
        lists = [take_above(closed, count) for count in counts]
        lines = [(line, line + 1) for line in range(len(counts))]
        counted = resources.share(count, lines, min(len(lines), resources.as_threads(threads)))
        channels, exposed = (np.array(column) for column in zip(*counted, strict=True))
        itemsets = np.array([len(part) for part in lists])
        by_person = order_by_person(Question(closed, data, limits[-1])) if is_by_person else None
        numbers = itemsets, channels, exposed, find_safe(closed, limits, by_person)
        unit: Literal["rows", "people"] = "people" if is_by_person else "rows"
        attributes = 0 if data.schema is None else len(data.schema)
        return Tradeoff(data.n, counts, limits, *numbers, counted=unit, max_length=max_length, attributes=attributes)


def take_above(patterns: Patterns, min_support: int) -> Patterns:
    """Return the patterns that have at least ``min_support``."""
    return replace(patterns.take(np.flatnonzero(patterns.supports >= min_support)), min_support=min_support)


def weigh_below(counts: NDArray[np.int64], weights: NDArray[np.int64], limits: Sequence[int]) -> list[int]:
    """Return the total weight of counts below each limit.

    >>> weigh_below(np.array([1, 2, 2, 5]), np.array([1, 1, 1, 9]), [2, 3, 10])
    [1, 3, 12]
    """
    order = np.argsort(counts, kind="stable")
    totals = offsets_of(weights[order])
    return totals[np.searchsorted(counts[order], limits)].tolist()  # type: ignore[no-any-return]  # whole numbers


def find_safe(closed: Patterns, limits: Sequence[int], people: PeopleRows | None = None) -> dict[int, int | None]:
    """Return for each k the lowest minimum support without a channel below k, at least that of ``closed``.

    The smallest cell of an itemset, by rows or by ``people``, never grows with the itemset, so a release is safe if
    each closed itemset in it is safe by itself. From the largest support down, the first unsafe one decides: the
    minimum must be above its support. All items together come last: they are a top at a minimum support of 1, even if
    no row holds them.
    """
    family = complete_family(closed)
    order = np.argsort(-family.supports, kind="stable")
    safe: dict[int, int | None] = dict.fromkeys(limits, closed.min_support)
    open_ = list(limits)
    for start in range(0, order.size, AT_ONCE):
        part = order[start : start + AT_ONCE]
        if not open_:
            break
        tops, counts = _find_small(family, people, part, open_[-1])
        for k in list(open_):
            unsafe = tops[counts < k]
            if unsafe.size:
                support = max(1, int(family.supports[part[unsafe.min()]]))
                safe[k] = support + 1 if support < closed.n else None
                open_.remove(k)
    return safe


def _find_small(family: Family, people: PeopleRows | None, part: Numbers, limit: int) -> tuple[Numbers, Numbers]:
    """Return which of some itemsets, as tops, have a cell below ``limit``, and its count of rows or of people."""
    if people is None:
        return family.smallest_cells(part, limit)
    cells, _ = people.find_cells(family.itemsets.take(part), limit)
    return cells.tops.astype(np.int64), cells.counts
