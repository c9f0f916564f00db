"""The guarantee, checked every time: what is sensitive is held by few enough rows, and nothing else was changed."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.transactions import Transactions
from discreet.errors import GuaranteeError
from discreet.hiding.problem import Answer, Problem


def check(problem: Problem, answer: Answer, transactions: Transactions) -> NDArray[np.int64]:
    """Return how many rows hold each sensitive itemset now, counted anew; refuse more than there may be.

    Refuse as well rows that are not those of before without what the changes list, all of it in sensitive rows.
    """
    # Counted in the rows themselves both times, so that an inverted file which is not theirs does no harm.
    before, after = (counted(rows, problem.itemsets) for rows in (problem.rows, transactions))
    allowed = problem.supports - np.array(problem.to_lose, dtype=np.int64)
    if (before != problem.supports).any() or (after > allowed).any():
        raise GuaranteeError("a sensitive itemset is not hidden; nothing is shared: please report this as a bug")
    if not is_told(problem, answer, transactions):
        raise GuaranteeError("more was changed than is told; nothing is shared: please report this as a bug")
    return after


def counted(rows: Transactions, itemsets: Sequence[NDArray[np.int32]]) -> NDArray[np.int64]:
    """Return how many rows hold each itemset, by looking at the rows."""
    starts = np.cumsum([0, *(itemset.size for itemset in itemsets)], dtype=np.int64)
    supports = np.zeros(len(itemsets), dtype=np.int64)
    wanted = (starts, np.concatenate(itemsets))
    kernels.cell_rows.count_supports((rows.offsets, rows.items), rows.weights, wanted, len(rows.labels), supports)
    return supports


def is_told(problem: Problem, answer: Answer, transactions: Transactions) -> bool:
    """Return whether rows are as they were, but for the items that the changes list, all in sensitive rows."""
    rows = problem.rows
    if len(transactions) != len(rows) or transactions.labels != rows.labels or transactions.ids is not rows.ids:
        return False
    before, after = ((data.offsets, data.items) for data in (rows, transactions))
    return bool(kernels.hiding.is_as_stated(before, after, tuple(answer.changes), problem.degrees > 0))
