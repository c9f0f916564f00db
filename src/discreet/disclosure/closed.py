"""Algorithm 2 of *k-anonymous patterns* (PKDD 2005), OICD: closed bases under maximal itemsets, by sums."""

from discreet import kernels
from discreet.data.lattice import Cells, based
from discreet.disclosure.question import Question, check_length


def cells(question: Question) -> Cells:
    """Return the small cells of the tops, each a sum of 2 ** m supports where the base lacks m items of its top."""
    family = question.supports_needed("closed")
    check_length("closed", family.offsets)
    cut = family.longest if family.may_be_cut and not family.all else family.longest + 1
    tops, maps, counts = kernels.papers.by_closed_supports(
        family.offsets, family.items, family.supports, len(family.labels), family.tops, cut, question.limit
    )
    return based(maps, tops, counts, *question.tops)
