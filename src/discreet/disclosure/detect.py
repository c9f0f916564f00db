"""Detect: the inference channels of published itemsets.

Our detector counts the small cells of the maximal itemsets by Möbius inversion of the supports, or by one descent of
the rows through all of them, whichever is less work.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.labels import Label
from discreet.data.lattice import Cells, build_cells
from discreet.data.merged import Rows, as_rows
from discreet.data.patterns import Patterns
from discreet.data.thresholds import as_k
from discreet.disclosure import papers
from discreet.disclosure.channels import Channels
from discreet.disclosure.question import Question
from discreet.errors import OptionError
from discreet.runtime import resources

Method: TypeAlias = Literal["auto", "naive", "closed", "projection"]

WORD: Final = 64
"""Items in one word of a bitmap. A group of tops has at most this many items; a longer top is projected alone."""
STEPS_A_TOP: Final = 120
"""Cost of a top on the descent, in steps of inversion; measured. A row that every group meets costs a fifth."""
STEPS_A_TOUCH: Final = 1
"""Cost of a row that is found by one of its items, in steps of inversion."""
MOST: Final = 2048
"""Tops in a group at most: Ctrl-C is heard between groups, and threads share the groups."""
SAMPLE: Final = 16
"""Tops from which the work of Möbius inversion is estimated."""


def detect(
    patterns: Patterns,
    *,
    k: int,
    rows: Rows | Iterable[Iterable[Label]] | None = None,
    method: Method = "auto",
    threads: int | None = None,
) -> Channels:
    """Return the maximal inference channels of ``patterns``: groups of fewer than ``k`` rows that supports reveal.

    A row counts for a base under a top if it holds every item of the base and no other item of the top. If 1 to
    k − 1 rows do, the supports of the itemsets between base and top reveal them (Lemma 8 of *k-anonymous patterns*,
    PKDD 2005). The channels under maximal tops represent all others. At minimum support 1 an unlisted itemset has
    support 0: the set of all items is then the only maximal top, and fewer than ``k`` equal rows are a channel.

    The patterns are the closed or all frequent itemsets. The ``rows`` that they were mined from are optional, and may
    be quicker. Maximal itemsets need the rows: their channels are those that all supports below them would open.
    ``method`` is ours ("auto") or one of the papers': "naive" and "closed" are Algorithms 1 and 2 of *k-anonymous
    patterns*, "projection" is PMICD (WAIM 2008), which needs rows. All find the same channels in the same order; ours
    uses all cores unless ``threads`` is given, the others one.

    >>> from discreet import Transactions, mine
    >>> rows = Transactions([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50)
    >>> channels = detect(mine(rows, min_support=10), k=10)
    >>> print(*channels)
    a ∧ b ∧ ¬c: 2 rows
    """
    behind = None if rows is None else as_rows(rows)
    return find_channels(Question(patterns, behind, as_k(k), resources.as_threads(threads)), method)


def find_channels(question: Question, method: str = "auto") -> Channels:
    """Return the maximal channels that answer a question."""
    if method not in METHODS:
        raise OptionError(f"method is {str(method)[:40]!r}; it must be one of {', '.join(METHODS)}")
    if method not in question.found:
        cells, patterns = METHODS[method](question), question.patterns
        channels = Channels.from_cells(cells, *question.tops, patterns.labels, n=patterns.n, k=question.limit)
        question.found[method] = channels
    return question.found[method]


class Group(NamedTuple):
    """The numbers of tops that go down together, and their items: the place of an item is its bit."""

    tops: NDArray[np.int64]
    items: NDArray[np.int32]


class Maps(NamedTuple):
    """Rows as bitmaps over the items of a group, each with the number of rows it represents."""

    rows: NDArray[np.uint64]
    weights: NDArray[np.int64]


def find_cells(question: Question) -> Cells:
    """Return the small cells of the tops, by supports or by rows; if both are given, by whichever is less work."""
    if question.rows is None or (question.patterns.kind != "maximal" and is_inversion_lighter(question)):
        return question.known.cells(question.limit, question.threads)
    groups = group_tops(question)
    maps = map_all_rows(question) if len(groups) == 1 else map_touched_rows(question)
    parts = resources.share(
        lambda start, stop: Cells.concat([descend(question, group, maps(group)) for group in groups[start:stop]]),
        [(number, number + 1) for number in range(len(groups))],
        min(question.threads, max(1, len(groups))),
    )
    long = np.flatnonzero(np.diff(question.tops[0]) > WORD)
    return Cells.concat([*parts, papers.project_rows_on(question, long)] if long.size else parts)


def is_inversion_lighter(question: Question) -> bool:
    """Estimate whether inversion is less work than the descent."""
    if question.is_whole:  # the cells are the distinct rows
        return False
    inversion = question.family.steps(SAMPLE)
    tops = STEPS_A_TOP * (question.tops[0].size - 1)
    if inversion < tops:  # whatever the rows are
        return True
    used = np.unique(question.tops[1])
    met = int(question.item_supports[used].sum())
    if used.size <= WORD:
        return inversion < tops + met // 5
    if inversion < tops + STEPS_A_TOUCH * met:  # whatever the groups are
        return True
    met = sum(int(question.item_supports[group.items].sum()) for group in group_tops(question))
    return inversion < tops + STEPS_A_TOUCH * met


def group_tops(question: Question) -> list[Group]:
    """Group similar tops so that the items of a group fit one word; leave out tops that are longer.

    Tops are sorted by their items, the commonest first, and cut where a word is full.
    """
    offsets, items = question.tops
    many = len(question.patterns.labels)
    ranks = np.empty(many, dtype=np.int32)
    ranks[np.argsort(-np.bincount(items, minlength=many), kind="stable")] = np.arange(1, many + 1)
    ranked = ranks[items]
    kernels.itemsets.sort_rows(offsets.copy(), ranked)
    keys = np.empty(offsets.size - 1, dtype=np.uint64)
    kernels.itemsets.pack(offsets, ranked, np.arange(many + 1), max(1, many.bit_length()), keys)
    order = np.argsort(keys, kind="stable")
    order = order[np.diff(offsets)[order] <= WORD]
    starts = kernels.cells.group(offsets, items, order, many, WORD, MOST)
    parts = [np.sort(order[start:stop]) for start, stop in pairwise(starts)]
    return [Group(part, np.unique(Itemsets(offsets, items).take(part).items)) for part in parts]


def map_all_rows(question: Question) -> Callable[[Group], Maps]:
    """Return a function that maps all rows to the items of a group."""
    rows = question.require_rows("auto")

    def maps(group: Group) -> Maps:
        place = np.full(len(rows.labels) + 1, -1, dtype=np.int64)
        place[question.row_codes[group.items]] = np.arange(group.items.size)
        return Maps(kernels.cells.map_itemsets(rows.offsets, rows.items, place), rows.weights.copy())

    return maps


def map_touched_rows(question: Question) -> Callable[[Group], Maps]:
    """Return a function that maps the rows that hold an item of a group, and one empty row for all others.

    Equal rows are merged once and listed by item, so that a group touches only its own rows.
    """
    rows = question.require_rows("auto")
    used = np.unique(question.tops[1])
    code = np.full(len(rows.labels) + 1, -1, dtype=np.int32)
    code[question.row_codes[used]] = np.arange(used.size)
    entries = int(np.count_nonzero(code[rows.items[rows.offsets[0] : rows.offsets[-1]]] >= 0))
    records, starts = kernels.merge_rows.merge_to_records(rows.offsets, rows.items, rows.weights, code, entries)
    weights = records[starts + 1].astype(np.int64)
    offsets, lists = kernels.merge_rows.list_rows(records, starts, used.size)

    def maps(group: Group) -> Maps:
        held, touched = np.zeros(starts.size, dtype=np.uint64), np.empty(starts.size + 1, dtype=np.int64)
        size = kernels.cells.map_listed(lists, offsets, np.searchsorted(used, group.items), held, touched)
        return Maps(*kernels.cells.gather(held, touched[:size], weights, rows.n))

    return maps


def descend(question: Question, group: Group, maps: Maps) -> Cells:
    """Return the small cells of a group."""
    offsets, items = Itemsets(*question.tops).take(group.tops).flat
    place = np.full(len(question.patterns.labels), -1, dtype=np.int64)
    place[group.items] = np.arange(group.items.size)
    tops = kernels.cells.map_itemsets(offsets, items, place)
    found, bases, counts = kernels.cells.cells_of(maps.rows, maps.weights, tops, question.limit)
    return build_cells(bases[:, None], group.tops[found].astype(np.int32), counts, *question.tops, place)


METHODS: Final[Mapping[str, Callable[[Question], Cells]]] = {
    "auto": find_cells,
    "naive": papers.sum_all_supports,
    "closed": papers.sum_closed_supports,
    "projection": papers.project_rows,
}
