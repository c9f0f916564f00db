"""Algorithm 2 of *k-anonymous patterns* (PKDD 2005), OICD: closed bases under maximal itemsets, by sums over subsets."""

from discreet import kernels
from discreet.detect.question import Question, check_length
from discreet.family import Cells, based


def cells(question: Question) -> Cells:
    """Return the small cells of the tops, each a sum of 2 ** m supports where the base lacks m items of its top."""
    family = question.family
    check_length("closed", family.offsets)
    tops, maps, counts = kernels.papers.by_closed_supports(
        family.offsets, family.items, family.supports, len(family.labels), family.tops, question.limit
    )
    return based(maps, tops, counts, *question.tops)
