"""PMICD (WAIM 2008): rows cut to each maximal itemset, sorted, and equal ones counted.

As printed, the last group of equal rows is never counted; here it is (its own example 6 needs that).
"""

from discreet import kernels
from discreet.detect.question import Question
from discreet.family import Cells, based


def cells(question: Question) -> Cells:
    """Return the small cells of the tops, from the rows."""
    rows = question.rows_needed("projection")
    top_offsets, top_items = question.tops
    words = max(1, -(-int((top_offsets[1:] - top_offsets[:-1]).max(initial=0)) // 64))
    tops, maps, counts = kernels.papers.by_projection(
        rows.offsets, rows.items, len(rows.labels), top_offsets, question.row_codes[top_items], words, question.limit
    )
    return based(maps, tops, counts, top_offsets, top_items)
