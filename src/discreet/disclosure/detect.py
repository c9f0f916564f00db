"""Detect: the inference channels of published itemsets."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias

from discreet.data.labels import Label
from discreet.data.lattice import Cells
from discreet.data.merged import Rows, as_rows
from discreet.data.patterns import Patterns
from discreet.data.thresholds import as_k
from discreet.disclosure import closed, naive, projection, shared
from discreet.disclosure.channels import Channels
from discreet.disclosure.question import Question
from discreet.errors import OptionError
from discreet.runtime.resources import as_threads

__all__ = ["Method", "detect"]

Method: TypeAlias = Literal["auto", "naive", "closed", "projection"]

METHODS: Final[Mapping[str, Callable[[Question], Cells]]] = {
    "auto": shared.cells,
    "naive": naive.cells,
    "closed": closed.cells,
    "projection": projection.cells,
}


def detect(
    patterns: Patterns,
    *,
    k: int,
    rows: Rows | Iterable[Iterable[Label]] | None = None,
    method: Method = "auto",
    threads: int | None = None,
) -> Channels:
    """Return the maximal inference channels of ``patterns``: what their supports tell about fewer than ``k`` rows.

    A row counts for a base under a top, an itemset that is listed or follows, when it holds every item of the base
    and no other of the top. If from 1 to k − 1 rows do, the supports of the itemsets between both reveal them (Lemma
    8 of *k-anonymous patterns*, PKDD 2005). The channels under maximal tops stand for all others. If the minimum
    support is 1, what is not listed has support 0: all items together are the one maximal top, and each different row
    that there are fewer than ``k`` of is a channel.

    The patterns are the closed or all frequent itemsets; they are enough, but ``rows``, those that they were mined
    from, may be quicker. Maximal itemsets need the rows: the channels are those that all supports below them would
    open. ``method`` is ours ("auto") or one of the papers': "naive" and "closed" are Algorithms 1 and 2 of
    *k-anonymous patterns*, "projection" is PMICD (WAIM 2008), which needs rows. All find the same, in the same order;
    ours on all cores unless ``threads`` says how many, the others on one.

    >>> from discreet import Transactions, mine
    >>> rows = Transactions([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50)
    >>> channels = detect(mine(rows, min_support=10), k=10)
    >>> print(*channels)
    a ∧ b ∧ ¬c: 2 rows
    """
    behind = None if rows is None else as_rows(rows)
    return channels_of(Question(patterns, behind, as_k(k), as_threads(threads)), method)


def channels_of(question: Question, method: str = "auto") -> Channels:
    """Return what ``detect`` returns, where all is ready to be asked."""
    if method not in METHODS:
        raise OptionError(f"method is {str(method)[:40]!r}; it must be one of {', '.join(METHODS)}")
    cells, patterns = METHODS[method](question), question.patterns
    return Channels.from_cells(cells, *question.tops, patterns.labels, n=patterns.n, k=question.limit)
