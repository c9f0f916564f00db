"""Belief: how probable small groups are to a reader of patterns, or of tables of counts."""

from collections.abc import Iterable
from typing import overload

from discreet.data.counts import Counts
from discreet.data.patterns import Patterns
from discreet.data.schema import Groups
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.beliefs import belief as itemsets
from discreet.disclosure.beliefs.belief import LIMIT, SECONDS
from discreet.disclosure.beliefs.result import Belief
from discreet.disclosure.beliefs.tables import Prior, check_numbers
from discreet.errors import OptionError
from discreet.publications.counts.believed import CellBelief
from discreet.publications.counts.believing import believe_counts


@overload
def belief(
    patterns: Patterns | Facts,
    *,
    k: int,
    prior: Prior = ...,
    complete: bool | None = ...,
    schema: str | Groups | None = ...,
    max_length: int | None = ...,
    against: Patterns | Iterable[Patterns] = ...,
    grown: bool = ...,
    limit: int = ...,
    seed: int = ...,
    seconds: float = ...,
) -> Belief: ...


@overload
def belief(
    patterns: Counts, *, k: int, prior: Prior = ..., limit: int = ..., seed: int = ..., seconds: float = ...
) -> CellBelief: ...


def belief(  # noqa: PLR0913 - all but one by their names, and each a choice of its own
    patterns: Patterns | Facts | Counts,
    *,
    k: int,
    prior: Prior = "entropy",
    complete: bool | None = None,
    schema: str | Groups | None = None,
    max_length: int | None = None,
    against: Patterns | Iterable[Patterns] = (),
    grown: bool = False,
    limit: int = LIMIT,
    seed: int = 1,
    seconds: float = SECONDS,
) -> Belief | CellBelief:
    r"""Return how probable small groups are to a reader of patterns, or small counts to one of tables.

    For patterns: that a pattern over a top and one or two items more holds for 1 to k − 1 rows. A top is a published
    itemset that no other one contains; a pattern says for each item whether rows hold it. Patterns within a group that
    sums of supports already show to be small are left to ``detect``. ``complete``, ``schema``, ``max_length``,
    ``against`` and ``grown`` mean what they do for ``attack``, which takes rules as the ``facts`` of their audit. A
    quick model says where to look first. The search ends when the list is full and the model finds nothing more likely,
    or after some ``seconds``; ``left_out`` counts what it did not look at.

    For tables of counts: that a masked count, or one that a table leaves out, is 1 to k − 1; and its likeliest value,
    by which counts are ranked whose masks say already that they are small. What a mask says is used.

    The ``prior`` "entropy" takes all lists of rows that fit as equally likely, "uniform" all tables of counts.
    Probabilities are counted exactly if that is quick; if not, tables that fit are sampled, from a ``seed``, with a
    standard error. At most ``limit`` are listed. This is no proof: it depends on the prior.

    >>> from discreet import mine
    >>> rows = ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"]
    >>> found = belief(mine([list(row) for row in rows], min_support=3), k=2)
    >>> print(*found.patterns, found.largest)
    1.000  a ∧ b ∧ c (counted; 1.0 rows expected) 1.0
    >>> from io import BytesIO
    >>> from discreet import read_counts
    >>> found = belief(read_counts(BytesIO(b"ward,n\nTotal,40\na,33\nb,<10\nc,<10\n")), k=10)
    >>> [(one.words, one.likeliest, str(one.chance)) for one in found.cells]
    [('ward b', 3, '5/18'), ('ward c', 3, '5/18')]
    """
    if not isinstance(patterns, Counts):
        return itemsets.belief(
            patterns,
            k=k,
            prior=prior,
            complete=complete,
            schema=schema,
            max_length=max_length,
            against=against,
            grown=grown,
            limit=limit,
            seed=seed,
            seconds=seconds,
        )
    if (complete, schema, max_length, against, grown) != (None, None, None, (), False):
        raise OptionError("for tables of counts, give k, prior, limit, seed and seconds alone")
    check_numbers(limit=limit, seed=seed)
    return believe_counts(patterns, k=k, prior=prior, limit=limit, seed=seed, seconds=seconds)
