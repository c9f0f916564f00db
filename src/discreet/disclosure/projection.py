"""PMICD (WAIM 2008): rows cut to each maximal itemset, sorted, and equal ones counted.

As printed, the last group of equal rows is never counted; here it is (its own example 6 needs that).
"""

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.lattice import Cells, based, taken
from discreet.disclosure.question import Question


def cells(question: Question) -> Cells:
    """Return the small cells of the tops, from the rows."""
    return cells_under(question, np.arange(question.tops[0].size - 1))


def cells_under(question: Question, numbers: NDArray[np.int64]) -> Cells:
    """Return the small cells of some of the tops, from the rows."""
    rows = question.rows_needed("projection")
    offsets, items = taken(*question.tops, numbers)
    words = max(1, -(-int(np.diff(offsets).max(initial=0)) // 64))
    data, itemsets = (rows.offsets, rows.items, rows.weights), (offsets, question.row_codes[items])
    tops, maps, counts = kernels.papers.by_projection(data, len(rows.labels) + 1, itemsets, words, question.limit)
    return based(maps, numbers[tops].astype(np.int32), counts, *question.tops)
