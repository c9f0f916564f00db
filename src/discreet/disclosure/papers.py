"""The detectors of the papers, for comparison: each finds the small cells of the maximal itemsets."""

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.lattice import Cells, build_cells
from discreet.disclosure.question import Question, check_length, expand_family, list_frequent


def sum_all_supports(question: Question) -> Cells:
    """Algorithm 1 of *k-anonymous patterns* (PKDD 2005): every base under every frequent itemset. The reference."""
    check_length("naive", question.require_supports("naive").offsets)
    patterns = expand_family(question.known, 1) if question.is_whole else list_frequent(question.patterns)
    tops, maps, counts = kernels.papers.by_all_supports(
        patterns.offsets,
        patterns.items,
        patterns.supports,
        len(patterns.labels),
        np.arange(len(patterns)),
        question.limit,
    )
    maximal = kernels.lattice.find_maximal(patterns.offsets, patterns.items, len(patterns.labels))
    of_maximal = maximal[tops]
    number = np.cumsum(maximal, dtype=np.int32) - np.int32(1)
    return build_cells(maps[of_maximal], number[tops[of_maximal]], counts[of_maximal], *question.tops)


def sum_closed_supports(question: Question) -> Cells:
    """Algorithm 2 of *k-anonymous patterns* (PKDD 2005), OICD: closed bases under maximal itemsets.

    A cell is a sum of 2 ** m supports if its base lacks m items of its top.
    """
    family = question.require_supports("closed")
    check_length("closed", family.offsets)
    cut = family.longest if family.may_be_cut and not family.all else family.longest + 1
    tops, maps, counts = kernels.papers.by_closed_supports(
        family.offsets, family.items, family.supports, len(family.labels), family.tops, cut, question.limit
    )
    return build_cells(maps, tops, counts, *question.tops)


def project_rows(question: Question) -> Cells:
    """PMICD (WAIM 2008): rows cut to each maximal itemset, sorted, and equal ones counted.

    As printed, the algorithm never counts the last group of equal rows. Here it does; its own example 6 needs that.
    """
    return project_rows_on(question, np.arange(question.tops[0].size - 1))


def project_rows_on(question: Question, numbers: NDArray[np.int64]) -> Cells:
    """Return the small cells of some of the tops, from the rows."""
    rows = question.require_rows("projection")
    offsets, items = Itemsets(*question.tops).take(numbers).flat
    words = max(1, -(-int(np.diff(offsets).max(initial=0)) // 64))
    data, itemsets = (rows.offsets, rows.items, rows.weights), (offsets, question.row_codes[items])
    tops, maps, counts = kernels.papers.by_projection(data, len(rows.labels) + 1, itemsets, words, question.limit)
    return build_cells(maps, numbers[tops].astype(np.int32), counts, *question.tops)
