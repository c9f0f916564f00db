"""Suspicion: the itemsets that a reader of shared rows would guess to be hidden, and whether these guesses are good."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from discreet.data.itemsets import Itemset, Label, as_itemset, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.records import Records
from discreet.data.schema import Groups
from discreet.data.thresholds import Threshold
from discreet.data.transactions import Transactions
from discreet.disclosure.attacks.facts import as_schema
from discreet.disclosure.attacks.surprise import MOST, Candidates, as_least, as_lengths, find_candidates
from discreet.errors import InputError, refuse_truth
from discreet.io.formats.sensitive import NamedItemsets
from discreet.runtime import html
from discreet.runtime.text import count_of

GUESSES: Final = 10
LISTED: Final = 1000  # itemsets of each length
SHOWN: Final = 10
NO_PROOF: Final = "This is no proof: rows may lack an itemset for reasons of their own."

AnyItemsets: TypeAlias = NamedItemsets | Patterns | Iterable[Iterable[Label]]


@runtime_checkable
class SharedRows(Protocol):
    """Rows as they are shared, and for their owner the itemsets that are hidden in them, as ``hide`` returns them."""

    @property
    def transactions(self) -> Transactions:
        """The rows."""

    @property
    def sensitive(self) -> Any:  # noqa: ANN401 - its itemsets are all that is asked for
        """The hidden itemsets."""


class Suspected(NamedTuple):
    """An itemset that ``support`` rows hold where its parts lead a reader to expect ``expected``.

    It is the ``rank``-th by surprise, from 1, among the ``looked_at`` itemsets of as many items; equal surprises share
    a rank. It is among a reader's first ten guesses of that length with the probability ``guessed``: ties are broken at
    random. If it is not looked at, because too few rows are expected to hold it, these are None and 0.
    """

    items: tuple[Label, ...]
    support: int
    expected: float | None
    surprise: float | None
    rank: int | None
    looked_at: int
    guessed: float

    @property
    def words(self) -> str:
        """The items in words, such as ``bread, milk``."""
        return ", ".join(map(str, self.items))

    def __str__(self) -> str:
        return f"{self.rank:,}  {self.words}: {count_of(self.support, 'row')}, {self.expected:,.1f} expected"


class SuspectedItemsets(Records, tuple[Suspected, ...]):
    """Itemsets with their supports, and how surprising these are."""

    __slots__ = ()
    _types = MappingProxyType(
        {
            "items": list,
            "support": int,
            "expected": float,
            "surprise": float,
            "rank": int | None,
            "looked_at": int,
            "guessed": float,
        }
    )

    def _records(self) -> Iterator[tuple[Any, ...]]:
        for one in self:
            yield list(one.items), *one[1:]


class GuessedLength(NamedTuple):
    """The itemsets of one length: how many are looked at, how many of them are hidden, and what guesses find.

    ``chance`` is the probability that the first ten guesses hold a hidden one, ties broken at random, and
    ``at_random`` that of ten of the itemsets picked at random. Both are None if the hidden itemsets are not known.
    """

    length: int
    looked_at: int
    hidden: int | None = None
    chance: float | None = None
    at_random: float | None = None


@refuse_truth(ask=".lengths")
@dataclass(frozen=True, eq=False, repr=False)
class Suspicion:
    """The itemsets of ``n`` shared rows, ranked by how surprisingly low their support is given their parts.

    Itemsets are looked at that are expected in ``min_support`` rows or more. ``itemsets`` lists the first 1,000 of each
    length; ``lengths`` says how many there are. ``hidden`` are those that were hidden, as given; None if not known.
    """

    n: int
    min_support: int
    lengths: tuple[GuessedLength, ...]
    itemsets: SuspectedItemsets
    hidden: SuspectedItemsets | None = None

    @property
    def looked_at(self) -> int:
        """How many itemsets were looked at."""
        return sum(one.looked_at for one in self.lengths)

    @property
    def guessed(self) -> float | None:
        """The share of the hidden itemsets that are among the first ten guesses of their length; None if not known."""
        return sum(one.guessed for one in self.hidden) / len(self.hidden) if self.hidden else None

    def lines(self, shown: int | None = SHOWN) -> Iterator[str]:
        """Yield it in sentences: the first itemsets of each length, and the ranks of hidden ones, by number."""
        yield (
            f"{count_of(self.looked_at, 'itemset')} of {self.n:,} rows looked at: those that their parts lead one to "
            f"expect in {count_of(self.min_support, 'row')} or more."
        )
        for one in (each for each in self.lengths if each.looked_at):
            yield f"Rarer than expected, of {count_of(one.looked_at, 'itemset')} of {count_of(one.length, 'item')}:"
            listed = [each for each in self.itemsets if len(each.items) == one.length and (each.surprise or 0) > 0]
            yield from (f"  {each}" for each in listed[:shown])
        yield from self._judge()
        yield NO_PROOF

    def _judge(self) -> Iterator[str]:
        """Yield how good the guesses are, if the hidden itemsets are known."""
        for number, one in enumerate(self.hidden or (), start=1):
            rank = "not looked at" if one.rank is None else f"rank {one.rank:,} of {one.looked_at:,}"
            yield f"Hidden itemset {number} ({count_of(len(one.items), 'item')}): {rank}."
        for each in self.lengths:
            if each.hidden:
                yield (
                    f"Of {count_of(each.length, 'item')}, {each.hidden:,} of {each.looked_at:,} are hidden; the first "
                    f"{GUESSES} guesses hold one with a chance of {each.chance:.0%}, {GUESSES} at random of "
                    f"{each.at_random:.1%}."
                )

    def facts(self) -> dict[str, Any]:
        """Return it as values for JSON; hidden itemsets are numbered, not named."""
        numbered = None if self.hidden is None else enumerate(self.hidden.to_dicts(), start=1)
        return {
            "n": self.n,
            "min_support": self.min_support,
            "guesses": GUESSES,
            "guessed": self.guessed,
            "looked_at": self.looked_at,
            "is_proof": False,
            "note": NO_PROOF,
            "lengths": [one._asdict() for one in self.lengths],
            "hidden": numbered and [{**one, "items": len(one["items"]), "number": number} for number, one in numbered],
            "itemsets": [{**one, "items": list(map(str, one["items"]))} for one in self.itemsets.to_dicts()],
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        guessed = "" if self.guessed is None else f", {self.guessed:.0%} of the hidden ones guessed"
        return f"<Suspicion: {count_of(self.looked_at, 'itemset')} looked at{guessed}>"

    def _repr_html_(self) -> str:
        """Return the first itemsets as a table for notebooks."""
        lines = (
            (f"{one.rank:,}", one.words, one.support, f"{one.expected:,.1f}", f"{one.surprise:.1f}")
            for one in self.itemsets[: html.SHOWN]
        )
        head = ["rank", "itemset", "rows", "expected", "surprise"]
        return html.table(repr(self)[1:-1], head, lines, many=len(self.itemsets), note=NO_PROOF)


def suspect(
    shared: SharedRows | Transactions,
    *,
    sensitive: AnyItemsets | None = None,
    min_support: Threshold | None = None,
    max_length: int | None = None,
    schema: str | Groups | None = None,
    most: int = MOST,
) -> Suspicion:
    """Return the itemsets of rows ranked by surprise, as ``attack`` says; ``sensitive`` are those that were hidden."""
    rows = shared if isinstance(shared, Transactions) else shared.transactions
    wanted = sensitive if isinstance(shared, Transactions) or sensitive is not None else shared.sensitive.itemsets
    least, known = as_least(min_support, rows.n), rows.schema if schema is None else schema
    groups = as_schema(known, rows.labels, rows.hierarchy)
    hidden = None if wanted is None else list_itemsets(wanted, rows.code)
    lengths = as_lengths(max_length)
    found = find_candidates(rows, least=least, lengths=lengths, groups=groups, most=most)
    ranks = None if hidden is None else rank_itemsets(rows, found, hidden)
    listed = [one for candidates in found.values() for one in _list_first(rows, candidates)]
    guesses = tuple(_guess(length, candidates, ranks) for length, candidates in found.items())
    return Suspicion(rows.n, least, guesses, SuspectedItemsets(listed), ranks)


def list_itemsets(sensitive: AnyItemsets, code: Mapping[Label, int]) -> list[Itemset]:
    """Return itemsets as they may be given."""
    if isinstance(sensitive, NamedItemsets):
        return sensitive.among(code)
    if isinstance(sensitive, Patterns):
        return [itemset for itemset, _ in sensitive]
    if isinstance(sensitive, str | bytes) or not isinstance(sensitive, Iterable):
        raise InputError("the sensitive itemsets are no list; give a list of lists, such as [['bread', 'milk']]")
    return [as_itemset(itemset) for itemset in sensitive]


def rank_itemsets(
    rows: Transactions, found: Mapping[int, Candidates], itemsets: Iterable[Itemset]
) -> SuspectedItemsets:
    """Return itemsets with their ranks among the candidates of their length."""
    ranked = []
    for itemset in itemsets:
        codes = sorted(rows.code[label] for label in itemset if label in rows.code)
        candidates = found.get(len(itemset))
        place = None if candidates is None or len(codes) < len(itemset) else candidates.find(codes)
        if candidates is None or place is None:
            many, items = 0 if candidates is None else len(candidates.supports), sort_labels(itemset)
            support = rows.support(itemset) if len(codes) == len(itemset) else 0
            ranked.append(Suspected(items, support, None, None, None, many, 0.0))
        else:
            ranked.append(_describe(rows, candidates, place))
    return SuspectedItemsets(ranked)


def _list_first(rows: Transactions, candidates: Candidates) -> Iterator[Suspected]:
    """Yield the most surprising candidates; of equal ones, the first in dictionary order."""
    for place in np.argsort(-candidates.surprise, kind="stable")[:LISTED].tolist():
        yield _describe(rows, candidates, place)


def _describe(rows: Transactions, candidates: Candidates, place: int) -> Suspected:
    supports, many = candidates.supports, len(candidates.supports)
    own = float(candidates.surprise[place])
    above, same = _count_above(candidates, own)
    return Suspected(
        tuple(rows.labels[item] for item in candidates.itemsets[place].tolist()),
        int(supports[place]),
        float(candidates.expected[place]),
        own,
        above + 1,
        many,
        min(1.0, max(0, GUESSES - above) / same),
    )


def _count_above(candidates: Candidates, surprise: float) -> tuple[int, int]:
    """Return how many candidates are more surprising than so much, and how many are as surprising."""
    return int((candidates.surprise > surprise).sum()), int((candidates.surprise == surprise).sum())


def _guess(length: int, candidates: Candidates, hidden: Sequence[Suspected] | None) -> GuessedLength:
    """Return what the first guesses of a length find."""
    many = len(candidates.supports)
    if hidden is None:
        return GuessedLength(length, many)
    own = {one.items: one for one in hidden if len(one.items) == length and one.rank is not None}.values()
    if not own:
        return GuessedLength(length, many, 0, 0.0, 0.0)
    first = max(own, key=lambda one: one.surprise or 0.0)  # at least its group of ties must be reached
    above, same = _count_above(candidates, first.surprise or 0.0)
    tied, left = sum(one.surprise == first.surprise for one in own), GUESSES - above
    chance = 0.0 if left <= 0 else _draw(same, tied, left)
    return GuessedLength(length, many, len(own), chance, _draw(many, len(own), GUESSES))


def _draw(many: int, good: int, drawn: int) -> float:
    """Return the probability that ``drawn`` of ``many``, taken at random, hold one of the ``good``.

    >>> _draw(4, 1, 2), _draw(3, 3, 1), _draw(3, 1, 9)
    (0.5, 1.0, 1.0)
    """
    drawn = min(drawn, many)
    return 1 - comb(many - good, drawn) / comb(many, drawn)
