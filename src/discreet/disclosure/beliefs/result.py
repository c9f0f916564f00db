"""Results: how probable it is that patterns hold for few rows, ranked, and what was left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

from discreet.data.itemsets import Label
from discreet.data.records import Records
from discreet.disclosure.attacks.finding import Undecided, count_rows
from discreet.disclosure.beliefs.tables import PRIORS, Prior
from discreet.errors import refuse_truth
from discreet.runtime.text import count_of

How: TypeAlias = Literal["counted", "sampled", "screened"]

FAINT: Final = 0.01  # the least belief that is listed, and that is worth a closer look
FULL: Final = 0.99  # a list of beliefs that are so large need not go on
SHOWN: Final = 20
NO_PROOF: Final = "This is no proof: it depends on the prior."
UNSURE: Final = {"counted": "counted", "sampled": "did not settle", "screened": "by a quick model alone"}


def show_share(share: Fraction | float, how: How) -> str:
    """Return a probability in three digits, rounded down: only what is certain is 1.

    >>> show_share(0.9999, "counted"), show_share(1.0, "sampled")
    ('0.999', '0.999')
    """
    most = 1000 if how == "counted" else 999
    return f"{min(most, floor(1000 * share)) / 1000:.3f}"


class Believed(NamedTuple):
    """With the probability ``belief``, 1 to k − 1 rows hold all items of ``held`` and none of ``lacked``.

    If ``how`` is "counted", the belief is exact and a fraction. If "sampled", ``error`` is its standard error, or None
    if it did not settle. If "screened", only a quick model was asked, and the error is unknown (None). ``expected`` are
    the rows under the maximum-entropy model.
    """

    held: tuple[Label, ...]
    lacked: tuple[Label, ...]
    belief: Fraction | float
    error: float | None
    expected: float
    how: How

    @property
    def words(self) -> str:
        """The pattern in words, such as ``a ∧ b ∧ ¬c``."""
        return " ∧ ".join([*map(str, self.held), *(f"¬{label}" for label in self.lacked)])

    @property
    def shown(self) -> str:
        """The belief in three digits."""
        return show_share(self.belief, self.how)

    def __str__(self) -> str:
        how = f"± {ceil(1000 * self.error) / 1000:.3f}" if self.error else UNSURE[self.how]  # counted ones have none
        return f"{self.shown}  {self.words} ({how}; {self.expected:.1f} rows expected)"


class BelievedPatterns(Records, tuple[Believed, ...]):
    """The patterns of the largest beliefs first."""

    __slots__ = ()
    _types = MappingProxyType(
        {"belief": float, "error": float, "expected": float, "how": str, "held": list, "lacked": list}
    )

    def _records(self) -> Iterator[tuple[Any, ...]]:
        for one in self:
            yield float(one.belief), one.error, one.expected, one.how, list(one.held), list(one.lacked)


class Weighed:
    """What beliefs in patterns and in counts have in common: how they are told."""

    noun: ClassVar[str]
    k: int
    prior: Prior
    looked_at: int
    steps: int
    left_out: tuple[Undecided, ...]

    @property
    def largest(self) -> float:
        """The largest probability that is listed; 0 if there is none."""
        raise NotImplementedError

    def _tell(self) -> tuple[str, list[str], str]:
        """Return a headline, a line for each that is listed, and what to say after the prior."""
        raise NotImplementedError

    def _list_facts(self) -> dict[str, Any]:
        """Return what such a result alone has, as values for JSON."""
        raise NotImplementedError

    def lines(self, shown: int | None = SHOWN) -> Iterator[str]:
        """Yield it in sentences: what is listed, the prior, that it is no proof, and what was left out."""
        head, listed, more = self._tell()
        yield head
        yield from (f"  {one}" for one in listed[:shown])
        if shown is not None and len(listed) > shown:
            yield f"  … and {len(listed) - shown:,} more."
        yield f"Prior {self.prior}: {PRIORS[self.prior]}{more}."
        yield NO_PROOF
        walks = f", by {count_of(self.steps, 'step')} of random walks" if self.steps else ""
        yield f"Looked at: {count_of(self.looked_at, self.noun)}{walks}."
        yield from (f"Left out: {one}." for one in self.left_out)

    def facts(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {
            "k": self.k,
            "prior": self.prior,
            "meaning": PRIORS[self.prior],
            "is_proof": False,
            "note": NO_PROOF,
            "largest": self.largest,
            "looked_at": self.looked_at,
            "steps": self.steps,
            "left_out": [one._asdict() for one in self.left_out],
            **self._list_facts(),
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        listed = self._tell()[1]
        many, first = count_of(len(listed), self.noun), listed[0].split()[0] if listed else "0"
        return f"<{type(self).__name__}: {many}, the largest {first}, prior {self.prior}, k={self.k}>"


@refuse_truth(ask=".largest")
@dataclass(frozen=True, eq=False, repr=False)
class Belief(Weighed):
    """How probable it is to a reader, under a ``prior``, that patterns hold for 1 to ``k`` − 1 rows; the largest first.

    ``absence`` says whether they use that unlisted itemsets are rarer than the minimum support. Of ``looked_at``
    patterns the belief is known, by random walks of so many ``steps`` in all where it was sampled; those of 1 % or more
    are listed. ``left_out`` says what else there is; ``missed`` of that could not be looked at, and may have more. It
    is no proof: it depends on the prior.
    """

    noun: ClassVar = "pattern"
    k: int
    prior: Prior
    absence: bool
    patterns: BelievedPatterns
    looked_at: int
    steps: int = 0
    left_out: tuple[Undecided, ...] = ()
    missed: int = 0

    @property
    def largest(self) -> float:
        """The largest belief that is listed; 0 if there is none."""
        return max((float(one.belief) for one in self.patterns), default=0.0)

    def beyond(self, most: float) -> list[Believed]:
        """Return the listed patterns with larger beliefs."""
        return [one for one in self.patterns if one.belief > most]

    def _tell(self) -> tuple[str, list[str], str]:
        few = count_rows(1, max(1, self.k - 1))
        head = f"{count_of(len(self.patterns), self.noun)} may hold for {few} with a probability of 1 % or more."
        if self.missed and not self.looked_at:
            head = "No pattern was looked at."
        used = "is used" if self.absence else "is not used"
        return head, [*map(str, self.patterns)], f"; that unlisted itemsets are rare {used}"

    def _list_facts(self) -> dict[str, Any]:
        patterns = [
            {**one, "held": list(map(str, one["held"])), "lacked": list(map(str, one["lacked"]))}
            for one in self.patterns.to_dicts()
        ]
        return {"absence": self.absence, "missed": self.missed, "patterns": patterns}
