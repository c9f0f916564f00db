"""The guarantee, checked every time: what is sensitive is held by few enough rows, and nothing else was changed."""

import numpy as np
from numpy.typing import NDArray

from discreet.errors import GuaranteeError
from discreet.hide.problem import Answer, Problem
from discreet.inverted import InvertedFile
from discreet.transactions import Transactions


def check(problem: Problem, answer: Answer, transactions: Transactions) -> NDArray[np.int64]:
    """Return how many rows hold each sensitive itemset now, counted anew; refuse more than there may be."""
    index = InvertedFile(transactions)
    after = np.array([rows.size for rows in index.rows_of_each(problem.itemsets)], dtype=np.int64)
    if (after > problem.supports - np.array(problem.to_lose)).any():
        raise GuaranteeError("a sensitive itemset is not hidden; nothing is shared: please report this as a bug")
    return after
