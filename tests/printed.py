"""Algorithms as they were printed, mistakes and all, to show what ours do not repeat. Imports nothing of ours."""

import oracle


def suppressed(rows, sigma, k):
    """Yield the closed itemsets after each round of Algorithm 1 of *Blocking anonymity threats* (ICDM 2005).

    Line 3 scans the rows as they came: one that was suppressed is not taken out, and may be subtracted again. What
    comes next hangs on the closed itemsets alone: when they come again, the algorithm never ends.
    """
    rows = [frozenset(row) for row in rows]
    closed = oracle.closed(rows, sigma)
    while found := channels(closed, k):
        for row in rows:
            if any(row & top == base for base, top in found):
                closed = {itemset: held - (itemset <= row) for itemset, held in closed.items()}
        closed = {
            itemset: held
            for itemset, held in closed.items()
            if held >= sigma and not any(held == other and itemset < longer for longer, other in closed.items())
        }
        yield closed


def channels(closed, k):
    """Return the maximal channels as Algorithm 2 of *k-anonymous patterns* (PKDD 2005) finds them.

    Tops are the maximal itemsets, bases the closed ones within them. The support of an itemset is that of its closure:
    the largest of the closed ones that hold it.
    """
    family = oracle.family_of(closed)
    tops = [itemset for itemset in closed if not any(itemset < other for other in closed)]
    found = {(base, top): oracle.cell_by_supports(base, top, family) for top in tops for base in closed if base <= top}
    return {pair: number for pair, number in found.items() if 0 < number < k}
