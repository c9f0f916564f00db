"""Mine the frequent, closed or maximal itemsets of rows."""

from collections.abc import Iterable
from typing import TypedDict

from discreet.data.itemsets import Itemsets, Label
from discreet.data.leaving_out import Names, drop_items
from discreet.data.patterns import Kind, Patterns, as_kind
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Merged, Rows, as_rows
from discreet.io.hierarchies import AnyHierarchy
from discreet.mining.search import Strategy, search
from discreet.mining.watch import WORTH_A_THREAD, Limits
from discreet.runtime import resources
from discreet.runtime.resources import Progress, as_whole, watching

__all__ = ["Budget", "Mining", "Progress", "mine"]


class Budget(TypedDict, total=False):
    """The limits and the progress callback of ``mine``, for its callers."""

    threads: int | None
    max_patterns: int | None
    memory: int | None
    progress: Progress | None


class Mining(Budget, total=False):
    """The same, where lists of patterns are cut (no itemset of more items is considered), and what is left out."""

    max_length: int | None
    leave_out: Names | None
    hierarchy: AnyHierarchy | None


def mine(  # noqa: PLR0913 - all but one by their names, and each a choice of its own
    rows: Rows | Iterable[Iterable[Label]],
    *,
    min_support: Threshold,
    kind: Kind = "closed",
    max_length: int | None = None,
    leave_out: Names | None = None,
    threads: int | None = None,
    max_patterns: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    hierarchy: AnyHierarchy | None = None,
) -> Patterns:
    """Return the itemsets that at least ``min_support`` of ``rows`` hold, with their supports.

    ``kind`` says which: all ("frequent"), those without a superset of the same support ("closed"), or those without a
    frequent superset ("maximal"); with ``max_length``, within the itemsets of at most that many items. The empty
    itemset counts. Items that ``leave_out`` names, by their labels or by an attribute such as ``sex``, are mined as if
    nobody had ever recorded them. With a ``hierarchy``, ancestors count as items (docs/hierarchies.md). Any number of
    ``threads`` (all cores by default) gives the same patterns in the same order.

    More than ``max_patterns`` itemsets, or more than ``memory`` bytes for them, end in a BudgetError. ``progress`` is
    called now and then with the share of work done and the itemsets found; by default, a notebook shows a bar.

    >>> patterns = mine([["a", "b"], ["a", "b"], ["a", "c"]], min_support=2)
    >>> [(sorted(itemset), support) for itemset, support in patterns]
    [(['a'], 3), (['a', 'b'], 2)]
    """
    longest, most = as_whole("max_length", max_length, 0), as_whole("max_patterns", max_patterns, 0)
    threads, memory = as_whole("threads", threads, 1), as_whole("memory", memory, 0)
    with watching(progress, then="sorting") as report:
        limits = Limits(threads, most, memory, report)
        kind = as_kind(kind)
        data = drop_items(as_rows(rows, hierarchy), leave_out)
        return mine_by("auto", data, min_support=min_support, kind=kind, max_length=longest, limits=limits)


def mine_by(
    strategy: Strategy, rows: Rows, *, min_support: Threshold, kind: Kind, max_length: int | None, limits: Limits
) -> Patterns:
    """Mine by one strategy: bitmaps ("dense"), lists of rows ("sparse"), both ("mixed"), or the best fit ("auto")."""
    least = as_count(min_support, rows.n)
    if isinstance(rows, Merged):
        rows.check(least)
    itemsets = search(rows, kind, least, max_length, limits, strategy)
    threads = min(limits.threads or resources.cores(), 1 + len(itemsets) // WORTH_A_THREAD)
    listed = itemsets.sort(len(rows.labels), threads)
    return Patterns(
        Itemsets(*listed.flat),
        listed.weights,
        rows.labels,
        rows.n,
        least,
        kind,
        max_length=max_length,
        mined=rows.mark,
        schema=rows.schema,
        reading=rows.reading,
        hierarchy=rows.hierarchy,
    )
