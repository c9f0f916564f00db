"""Victims: the algorithms of Oliveira and Zaïane (2002), which differ in the items that they remove, and where."""

import numpy as np

from discreet.hide.problem import Answer, Problem, changes_of


def answer(problem: Problem, method: str) -> Answer:
    """Return what an algorithm removes."""
    rows, items = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for itemset, holders, many in zip(problem.itemsets, problem.holders, problem.to_lose, strict=True):
        chosen = holders[np.argsort(problem.degrees[holders], kind="stable")][:many]
        victim = itemset[np.argmin(problem.item_supports[itemset])]
        rows.append(chosen)
        items.append(np.full(many, victim, np.int32))
    return Answer(changes_of(np.concatenate(rows), np.concatenate(items)))
