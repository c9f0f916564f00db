"""Algorithm 1 of *k-anonymous patterns* (PKDD 2005): every base under every frequent itemset. The reference."""

import numpy as np

from discreet import kernels
from discreet.data.lattice import Cells, based
from discreet.disclosure.question import Question, below, check_length, frequent


def cells(question: Question) -> Cells:
    """Return the small cells of the tops, after those of all frequent itemsets have been summed up."""
    check_length("naive", question.supports_needed("naive").offsets)
    patterns = below(question.told, 1) if question.is_whole else frequent(question.patterns)
    every = np.arange(len(patterns))
    tops, maps, counts = kernels.papers.by_all_supports(
        patterns.offsets, patterns.items, patterns.supports, len(patterns.labels), every, question.limit
    )
    maximal = kernels.lattice.maximal(patterns.offsets, patterns.items, len(patterns.labels))
    kept = maximal[tops]
    number = np.cumsum(maximal, dtype=np.int32) - np.int32(1)
    return based(maps[kept], number[tops[kept]], counts[kept], *question.tops)
