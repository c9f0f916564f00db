"""Findings: the patterns of fewer than k rows that an attacker infers, with proofs, and open questions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from discreet.data.itemsets import Weighted
from discreet.data.records import Records
from discreet.disclosure.attacks.certificate import NOTHING, SPELLED, Bound, Certificate, Claim, Sum, check
from discreet.disclosure.attacks.facts import Codes, Facts, Relation
from discreet.disclosure.attacks.formula import Mark, Pattern, name_support
from discreet.disclosure.channels import Term, format_sum
from discreet.errors import refuse_truth
from discreet.runtime import html
from discreet.runtime.text import count_of

Level: TypeAlias = str  # the name of an attacker in ``attack.ATTACKERS``


class Undecided(NamedTuple):
    """A search did not decide ``many`` of ``what``, and ``why``."""

    many: int
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.many:,} {self.what}: {self.why}"


class Proven:
    """A claim about a pattern that a certificate proves from facts."""

    __slots__ = ()
    certificate: Certificate
    facts: Facts

    @property
    def pattern(self) -> Pattern:
        """The items that rows hold and lack."""
        return self.certificate.claim.pattern


@dataclass(frozen=True, slots=True)
class Finding(Proven):
    """From 1 to k − 1 rows match a pattern in every database that fits the facts; the certificate proves it.

    ``level`` is that of the weakest attacker known to find it.
    """

    certificate: Certificate
    level: Level
    facts: Facts = field(repr=False, compare=False)

    @property
    def low(self) -> int:
        """The fewest rows."""
        return self.certificate.claim.low

    @property
    def high(self) -> int:
        """The most rows."""
        return self.certificate.claim.high

    def __str__(self) -> str:
        return f"{self.pattern.words(self.facts.labels)}: {count_rows(self.low, self.high)}"

    @property
    def sentence(self) -> str:
        """The inference in words, with its sums of supports."""
        return _Writer(self).describe(self.certificate.claim)

    def steps(self) -> Iterator[str]:
        """Yield the sentences of the steps: unpublished supports that are inferred first."""
        return map(_Writer(self).describe, self.certificate.lemmas)


class AttackFindings(Records, tuple[Finding, ...]):
    """The findings of an attack, those of weaker attackers first."""

    __slots__ = ()
    _types = MappingProxyType({"level": str, "pattern": str, "low": int, "high": int, "sentence": str})

    def _records(self) -> Iterator[tuple[str, str, int, int, str]]:
        for one in self:
            yield one.level, one.pattern.words(one.facts.labels), one.low, one.high, one.sentence


class Searched(NamedTuple):
    """The findings of a search, its open questions, and the itemsets whose supports it derived."""

    findings: Sequence[Finding]
    undecided: Sequence[Undecided] = ()
    derived: Weighted | None = None

    def join(self, other: "Searched") -> "Searched":
        """Return the findings and open questions of two searches."""
        return Searched([*self.findings, *other.findings], [*self.undecided, *other.undecided])


@refuse_truth(ask=".is_safe")
@dataclass(frozen=True, eq=False, repr=False)
class Attack:
    """The inferences about 1 to k − 1 rows that an attacker of a ``level`` draws from facts.

    ``findings`` come in a fixed order, those of weaker attackers first. If anything is ``undecided``, nothing is safe.
    ``derived`` are unpublished itemsets whose supports follow exactly. If ``is_acyclic``, the tops form an acyclic
    hypergraph: by Theorem C3, attackers of any level who do not know that the list is complete infer only channels.
    """

    facts: Facts
    k: int
    level: Level
    findings: AttackFindings
    undecided: tuple[Undecided, ...] = ()
    derived: Weighted | None = None
    is_acyclic: bool = False

    @property
    def is_safe(self) -> bool:
        """Whether nothing was found and nothing is undecided."""
        return not self.findings and not self.undecided

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The knowledge that the attacker is assumed to have."""
        facts = self.facts
        known = [f"that there are {facts.n:,} rows" if facts.limits(frozenset()) == (facts.n, facts.n) else ""]
        known.append(f"the supports of {len(facts):,} itemsets" + ("" if facts.is_exact else ", within limits"))
        if facts.absent is not None:
            cut = "" if facts.max_length is None else f" of at most {count_of(facts.max_length, 'item')}"
            known.append(f"that no other itemset{cut} is held by more than {facts.absent:,} rows")
        older = ((label.number, code) for code, label in enumerate(facts.labels) if isinstance(label, Mark))
        for number, code in sorted(older):
            n = facts.limits(frozenset([code]))[0]
            fewer = dict(facts.absent_with).get(code)
            rarer = "" if fewer is None else f", of which no more than {fewer:,} hold what is not listed"
            known.append(f"that the {n:,} rows of older release {number} are among them{rarer}")
        if facts.schema:
            known.append(f"{len(facts.schema):,} groups of items of which no row holds two")
        return tuple(filter(None, known))

    def check(self) -> None:
        """Return if every finding follows from the facts by its certificate; else raise a GuaranteeError."""
        check(self.facts, (finding.certificate for finding in self.findings))

    def __repr__(self) -> str:
        undecided = f", undecided: {'; '.join(map(str, self.undecided))}" if self.undecided else ""
        many = len(self.findings)
        found = f"{many:,} inference{'s' * (many != 1)} about fewer than {self.k:,} rows"
        return f"<Attack: {found} at level {self.level}{undecided}>"

    def _repr_html_(self) -> str:
        """Return the first findings as a table, for notebooks."""
        first = self.findings[: html.SHOWN]
        lines = ((count_rows(one.low, one.high), one.pattern.words(self.facts.labels), one.sentence) for one in first)
        note = f"Undecided: {'; '.join(map(str, self.undecided))}." if self.undecided else ""
        return html.table(repr(self)[1:-1], ["rows", "pattern", "because"], lines, many=len(self.findings), note=note)


def count_rows(low: int, high: int) -> str:
    """Return a number of rows, or its limits, in words.

    >>> count_rows(1, 1), count_rows(0, 1)
    ('1 row', '0 to 1 rows')
    """
    return f"{low:,} row{'s' * (low != 1)}" if low == high else f"{low:,} to {high:,} rows"


class _Writer:
    """Describes the claims of a certificate in words; ``known`` are the limits that its lemmas prove."""

    def __init__(self, proven: Proven) -> None:
        self.facts = proven.facts
        self.known = {claim.pattern.over: (claim.low, claim.high) for claim in proven.certificate.lemmas}

    def describe(self, claim: Claim) -> str:
        """Return a claim with the sums that prove it."""
        pattern, labels = claim.pattern, self.facts.labels
        if pattern.is_itemset:
            limits = f"is {claim.low:,}" if claim.low == claim.high else f"is from {claim.low:,} to {claim.high:,}"
            head = f"{self._name(pattern.over)} {limits}"
        else:
            exactly = "exactly " if claim.low == claim.high else ""
            comma = "," * any(isinstance(labels[item], Mark) for item in pattern.over)
            head = f"{pattern.words(labels)}{comma} holds for {exactly}{count_rows(claim.low, claim.high)}"
        return f"{head}, because {self._explain(claim)}"

    def _explain(self, claim: Claim) -> str:
        """Return the sums of a claim; a lower limit of 0 needs none."""
        upper, is_sum = self._describe_bound(claim.upper, claim.pattern, -1)
        if claim.lower == NOTHING:
            return upper
        lower, _ = self._describe_bound(claim.lower, claim.pattern, 1)
        if lower == upper:
            return lower
        return f"{lower} and {upper} bound it" if is_sum else f"{lower}, and {upper}"

    def _describe_bound(self, bound: Bound, pattern: Pattern, sign: int) -> tuple[str, bool]:
        """Return the sum of a bound with its value, and whether it goes beyond the publication itself."""
        if isinstance(bound, Sum):
            times, relations = dict[Codes, int | Fraction](bound.add_up()), bound.relations
        elif bound.is_too_long(pattern, self.facts):
            return f"a sum of {bound.count_terms(pattern):,} supports", True
        else:
            times, relations = dict[Codes, int | Fraction](bound.add_up(pattern, sign, self.facts)), ()
        scale = lcm(*(Fraction(factor).denominator for factor in (*times.values(), *(one for _, one in relations))))
        side = "≥" if sign > 0 else "≤"
        terms, texts, signs = [], [], set()
        for itemset, factor in sorted(times.items(), key=lambda term: (term[1] < 0, -len(term[0]), sorted(term[0]))):
            low, high = self.known.get(itemset) or self.facts.limits(itemset)
            limit, own = (low, "≥") if sign * factor > 0 else (high, "≤")
            terms.append(Term(int(scale * factor), frozenset(self.facts.labels[item] for item in itemset), limit))
            texts.append(f"{self._name(itemset)} {f'{limit:,}' if low == high else f'({own} {limit:,})'}")
            signs.add("=" if low == high else side)
        for relation, factor in relations:
            terms.append(Term(int(scale * abs(factor)), frozenset(), sign * relation.least))
            text = self._describe_relation(relation, sign)
            is_alone = not times and len(relations) == 1
            texts.append(text if is_alone else f"({text}) ({side} {sign * relation.least:,})")
            signs.add(side)
        total = Fraction(sum(term.times * term.support for term in terms), scale)
        if [*times] == [pattern.over] and pattern.is_itemset and not relations:
            return self._describe_limit(pattern.over, total.numerator, sign), False
        value = f"{total.numerator:,}" if total.denominator == 1 else str(total)
        text = f"a sum of {len(terms):,} supports" if len(terms) > SPELLED else format_sum(terms, texts)
        text = f"({text}) / {scale}" if scale > 1 and len(terms) <= SPELLED else text
        return f"{text} {max(signs, default='=')} {value}", True

    def _describe_relation(self, relation: Relation, sign: int) -> str:
        """Return the sum of a relation; with a sign of -1, negated."""
        times = sorted(((itemset, sign * factor) for itemset, factor in relation.times), key=lambda term: term[1] < 0)
        terms = [Term(factor, frozenset(), 0) for _, factor in times]
        return format_sum(terms, [self._name(itemset) for itemset, _ in times])

    def _describe_limit(self, itemset: Codes, value: int, sign: int) -> str:
        """Return the limit that the publication itself sets for an itemset."""
        if self.facts.excludes(itemset):
            return "no row holds two of a group"
        if sign < 0 and self.facts.limits(itemset)[0] == 0 and itemset not in self.facts.listed:
            return f"at most {value:,} row{'s' * (value != 1)} hold{'s' * (value == 1)} what is not published"
        return f"{'at most' if sign < 0 else 'at least'} {value:,} are said to hold it"

    def _name(self, itemset: Codes) -> str:
        return name_support(self.facts.labels[item] for item in sorted(itemset))
