"""Mine: the frequent, closed or maximal itemsets of rows."""

from collections.abc import Callable, Iterable

from discreet.errors import ThresholdError
from discreet.labels import Label
from discreet.patterns import Kind, Patterns, as_kind
from discreet.thresholds import Threshold, as_count
from discreet.transactions import Transactions

Progress = Callable[[float, int], None]


def mine(
    rows: Transactions | Iterable[Iterable[Label]],
    *,
    min_support: Threshold,
    kind: Kind = "closed",
    max_length: int | None = None,
    threads: int | None = None,
    max_patterns: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Patterns:
    """PLACEHOLDER: being written."""
    from itertools import combinations

    transactions = rows if isinstance(rows, Transactions) else Transactions(rows)
    as_kind(kind)
    count = as_count(min_support, len(transactions))
    data = list(transactions)
    found = {}
    for size in range(0, max((len(r) for r in data), default=0) + 1):
        if max_length is not None and size > max_length:
            break
        level = {}
        for r in data:
            for c in combinations(sorted(r, key=repr), size):
                level[frozenset(c)] = level.get(frozenset(c), 0) + 1
        level = {x: s for x, s in level.items() if s >= count}
        if not level:
            break
        found.update(level)
    if kind == "closed":
        found = {x: s for x, s in found.items() if not any(x < y and s == t for y, t in found.items())}
    if kind == "maximal":
        found = {x: s for x, s in found.items() if not any(x < y for y in found)}
    return Patterns.from_itemsets(found.items(), n=len(transactions), min_support=count, kind=kind)
