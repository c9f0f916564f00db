"""Attack: patterns of few rows that attackers infer from a publication, and the bounds of any pattern."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final, NamedTuple, overload

import numpy as np

from discreet.data.itemsets import Itemsets, Label
from discreet.data.leaving_out import Names, drop_items
from discreet.data.patterns import Patterns
from discreet.data.schema import Groups
from discreet.data.thresholds import Threshold, as_k
from discreet.data.transactions import Rows, Transactions, as_rows, as_transactions
from discreet.disclosure.attacks import arrivals, derive, sums
from discreet.disclosure.attacks.certificate import Certificate, check
from discreet.disclosure.attacks.constraints import MOST_ROWS, Ground, System, widen_systems
from discreet.disclosure.attacks.exact import exact
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import TINY, Clock, Region, TimeIsUpError, Wanted, prove
from discreet.disclosure.attacks.finding import (
    Attack,
    AttackFindings,
    Finding,
    Level,
    Proven,
    Searched,
    Undecided,
    count_rows,
)
from discreet.disclosure.attacks.formula import Pattern
from discreet.disclosure.attacks.histories import find_history
from discreet.disclosure.attacks.joint_releases import as_releases, join_facts
from discreet.disclosure.attacks.linear import find_differences, linear
from discreet.disclosure.attacks.suspicion import AnyItemsets, SharedRows, Suspicion, suspect
from discreet.disclosure.channels import is_acyclic
from discreet.disclosure.detect import code_labels, count_supports
from discreet.disclosure.people import are_visits
from discreet.errors import BudgetError, InputError, Option, OptionError, refuse_truth
from discreet.io.hierarchies import AnyHierarchy, know_parents
from discreet.mining.mine import mine
from discreet.runtime.solver import Floats

SECONDS: Final = 60.0
MAX_ITEMSETS: Final = 2_000_000
VISITS: Final = Undecided(1, "publication", "its counts are of visits, and people may have several; audit the rows")
TOO_MANY_ROWS: Final = Undecided(1, "publication", f"it does not tell of how many rows, or of more than {MOST_ROWS:,}")


@overload
def attack(
    patterns: Patterns | Facts,
    *,
    k: int,
    level: Level = ...,
    complete: bool | None = ...,
    schema: str | Groups | None = ...,
    hierarchy: AnyHierarchy | None = ...,
    rows: Rows | Iterable[Iterable[Label]] | None = ...,
    against: Patterns | Iterable[Patterns] = ...,
    grown: bool = ...,
    max_length: int | None = ...,
    leave_out: Names | None = ...,
    seconds: float = ...,
    max_itemsets: int = ...,
) -> Attack: ...
@overload
def attack(
    patterns: SharedRows | Transactions | Iterable[Iterable[Label]],
    *,
    sensitive: AnyItemsets | None = ...,
    min_support: Threshold | None = ...,
    schema: str | Groups | None = ...,
    max_length: int | None = ...,
    max_itemsets: int = ...,
) -> Suspicion: ...
def attack(  # noqa: PLR0913 - all but one by their names, and each a choice of its own
    patterns: Patterns | Facts | SharedRows | Transactions | Iterable[Iterable[Label]],
    *,
    k: int | None = None,
    level: Level = "linear",
    complete: bool | None = None,
    schema: str | Groups | None = None,
    hierarchy: AnyHierarchy | None = None,
    rows: Rows | Iterable[Iterable[Label]] | None = None,
    against: Patterns | Iterable[Patterns] = (),
    grown: bool = False,
    max_length: int | None = None,
    leave_out: Names | None = None,
    seconds: float = SECONDS,
    max_itemsets: int = MAX_ITEMSETS,
    sensitive: AnyItemsets | None = None,
    min_support: Threshold | None = None,
) -> Attack | Suspicion:
    """Return which patterns an attacker infers to hold for 1 to k − 1 rows, each with a certificate.

    Of shared rows, or of what ``hide`` returned, it returns the itemsets that a reader would guess to be hidden.

    Each ``level`` includes those before: add and subtract supports ("plain", as ``detect`` does); derive supports that
    are not published, and bound others ("derive"); solve linear programs over the largest itemsets and one or two items
    more ("linear"); look at all databases that fit ("exact", for up to 12 items): if that is safe, no pattern of AND,
    OR and NOT over the published items holds for 1 to k − 1 rows in every one of them.

    The attacker knows n and, unless ``complete`` is false, that no other itemset reaches the minimum support; if the
    patterns have a ``max_length``, or it is given, none of at most so many items. ``Facts`` state what is known about
    unlisted itemsets. A ``schema`` names groups of items of which no row holds two, or is a text such as "=" between
    attribute and value in labels; without it, that of the patterns counts. By a ``hierarchy``, rows with an item hold
    its parents. The releases ``against`` are of the same
    rows or, if these have ``grown``, of parts of them, each of a part of the next: findings then also separate older
    from newer rows.

    A finding holds whatever the rows may be. The ``rows`` that the patterns were mined from only make the search
    quicker: a pattern that is not rare in them cannot be inferred to be rare. If the ``seconds``, or ``max_itemsets``
    with known supports, do not suffice, the rest is undecided, and nothing is called safe. Attackers count rows: if
    people may have several, that is undecided as well. Items that ``leave_out`` names as in ``mine`` are not published.

    A reader of rows in which itemsets were hidden has no k. They rank the itemsets of 2 to ``max_length`` items (4 by
    default, 6 at most) by how far the support is below what the supports of all parts lead one to expect (Jangra,
    Toshniwal and Clifton, 2023): independence for pairs, maximum entropy for more. They look at those that are expected
    in ``min_support`` rows or more: by default one row in a thousand, at least 5. If the ``sensitive`` itemsets are
    known, as they are to their owner, their ranks are told, and how good the first ten guesses of each length are.

    >>> rows = ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"]
    >>> patterns = mine([list(row) for row in rows], min_support=3)
    >>> found = attack(patterns, k=2, level="derive")
    >>> print(*found.findings, found.is_safe)
    a ∧ b ∧ c: 1 row False
    >>> attack(patterns, k=2, level="plain").is_safe
    True
    >>> shared = [["bread"], ["milk"], ["tea"], ["bread", "tea"], ["milk", "tea"], []] * 10
    >>> print(*attack(shared, max_length=2).itemsets[:1])
    1  bread, milk: 0 rows, 6.7 expected
    """
    as_level(level)
    if not isinstance(patterns, Patterns | Facts):
        for_patterns = {"k": k, "complete": complete, "hierarchy": hierarchy, "rows": rows, "leave_out": leave_out}
        _refuse_given("patterns, and these are rows", **for_patterns, against=against or None, grown=grown or None)
        shared = patterns if isinstance(patterns, SharedRows) else as_transactions(patterns)
        return suspect(
            shared,
            sensitive=sensitive,
            min_support=min_support,
            max_length=max_length,
            schema=schema,
            most=max_itemsets,
        )
    _refuse_given("shared rows, and these are patterns", sensitive=sensitive, min_support=min_support)
    if k is None:
        raise OptionError("patterns are searched for groups of fewer than k rows; give ", Option("k"))
    olds = as_releases(against, grown=grown)
    patterns = _teach(patterns, hierarchy)
    if leave_out is not None and not isinstance(patterns, Patterns):
        raise OptionError("limits are attacked as they are; leave ", Option("leave_out"), " out")
    patterns = drop_items(patterns, leave_out) if isinstance(patterns, Patterns) else patterns
    facts = join_facts(patterns, olds, grown=grown, complete=complete, schema=schema, max_length=max_length)
    behind = None if rows is None else drop_items(as_rows(rows, hierarchy), leave_out)
    if behind is not None and (olds or not (isinstance(patterns, Patterns) and patterns.mined is behind.mark)):
        own = join_facts(patterns, complete=complete, schema=schema, max_length=max_length) if grown else facts
        _check_rows(own, behind)
    ends = monotonic() + seconds
    task = derive.SearchTask(facts, as_k(k), None if grown else behind, ends=ends, itemsets=max_itemsets)
    if level == "linear":  # rows do not tell which of them were there before
        task = task._replace(history=find_history(facts, behind, seconds))
    found = search(task, level)
    is_by_visit = are_visits(patterns if isinstance(patterns, Patterns) else None, behind)
    return replace(found, undecided=(*found.undecided, VISITS)) if is_by_visit else found


def _refuse_given(what: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise OptionError(Option(name), f" is for {what}; leave it out")


def _teach(patterns: Patterns | Facts, hierarchy: AnyHierarchy | None) -> Patterns | Facts:
    """Return patterns whose readers know a hierarchy; facts are refused, since they say themselves what is known."""
    if isinstance(patterns, Patterns):
        return know_parents(patterns, hierarchy)
    if hierarchy is not None:
        raise OptionError(Option("hierarchy"), " is for lists of exact supports, not for limits; leave it out")
    return patterns


def as_level(level: str) -> Level:
    """Return ``level`` if there is such an attacker.

    >>> as_level("derive")
    'derive'
    """
    if level not in ATTACKERS:
        raise OptionError(f"the attacker is {str(level)[:40]!r}; it must be one of {', '.join(ATTACKERS)}")
    return level


def search(task: derive.SearchTask, level: Level) -> Attack:
    """Return the findings of the attackers up to a level, each by the weakest who finds it."""
    facts, findings = task.facts, dict[Pattern, Finding]()
    undecided, derived, acyclic = list[Undecided](), None, False
    goes_beyond = facts.absent is not None or bool(facts.absent_with or facts.schema or facts.relations)
    levels = list(ATTACKERS)
    for name in levels[: levels.index(level) + 1]:
        searched = ATTACKERS[name].search(task)
        for finding in searched.findings:
            findings.setdefault(finding.pattern, finding)
        if name == "plain":  # are the tables of the tops known, and do the tops form an acyclic hypergraph?
            is_clear = facts.inherited and not searched.findings
            acyclic = is_clear and is_acyclic(Itemsets.of(map(sorted, facts.tops)))
        # Later levels use limits as well, and the last one, if it ends, decides everything.
        is_done = name == "exact" and not searched.undecided
        before = [] if is_done else [one for one in undecided if one.why != derive.INEXACT]
        undecided = list(dict.fromkeys([*before, *searched.undecided]))
        derived = derived if searched.derived is None else searched.derived
        if acyclic and not goes_beyond and name != "plain":  # supports alone reveal nothing more to anyone
            undecided = []
            break
    if facts.left_out:
        undecided.append(Undecided(1, "publication", facts.left_out))
    return Attack(facts, task.k, level, AttackFindings(findings.values()), tuple(undecided), derived, acyclic)


def _linear(task: derive.SearchTask) -> Searched:
    if task.facts.n > MOST_ROWS:
        return Searched((), (TOO_MANY_ROWS,))
    return linear(task.facts, k=task.k, rows=task.rows, history=task.history, seconds=task.seconds)


def _exact(task: derive.SearchTask) -> Searched:
    if task.facts.n > MOST_ROWS:
        return Searched((), (TOO_MANY_ROWS,))
    patterns = exact(task.facts, k=task.k, rows=task.rows, seconds=task.seconds)
    return patterns.join(find_differences(task.facts, k=task.k, seconds=task.seconds))


class Attacker(NamedTuple):
    """An attacker: how they search, and what they can do in words."""

    search: Callable[[derive.SearchTask], Searched]
    who: str


ATTACKERS: Final[Mapping[Level, Attacker]] = {
    "plain": Attacker(sums.infer, "who adds and subtracts supports"),
    "derive": Attacker(arrivals.infer, "who adds and subtracts supports, and derives those that are not listed"),
    "linear": Attacker(_linear, "who solves linear programs over what is listed"),
    "exact": Attacker(_exact, "who looks at all databases that fit, for any pattern of AND, OR and NOT"),
}
"""From the weakest to the strongest; each can do what those before can."""


def _check_rows(facts: Facts, rows: Rows) -> None:
    """Refuse rows that do not fit the facts: they could make an unsafe publication look safe."""
    counts = count_supports(rows, facts.itemsets, code_labels(rows, facts.labels))
    counts[0] = rows.n
    wrong = np.count_nonzero((counts < facts.low) | (counts > facts.high))
    support = dict(zip(map(facts.itemset, range(len(facts))), counts.tolist(), strict=True)) if facts.relations else {}
    wrong += sum(sum(times * support[one] for one, times in each) < least for each, least in facts.relations)
    if wrong:
        raise InputError(
            f"{wrong:,} of {counts.size:,} itemsets have another support in the rows than in the patterns; give the "
            "rows that they were mined from"
        )
    if facts.absent is None:
        return
    largest = mine(
        rows, min_support=facts.absent + 1, kind="maximal", max_length=facts.max_length, progress=lambda *_: None
    )
    coded = ([facts.code.get(label, -1) for label in largest.labelled(number)] for number in range(len(largest)))
    missing = sum(not facts.is_below(frozenset(codes)) for codes in coded)
    if missing:
        raise InputError(
            f"{missing:,} itemsets that more than {facts.absent:,} of the rows hold are not in the patterns; give the "
            "rows that they were mined from, or say ",
            Option("complete", value=False),
        )


@refuse_truth(ask=".low and .high")
@dataclass(frozen=True, slots=True)
class Bounds(Proven):
    """From ``low`` to ``high`` rows match a pattern in every database that fits the facts.

    If ``is_tight``, databases reach both limits; if not, other items or whole numbers may narrow them. The certificate
    proves the limits in exact sums of supports; if ``is_proven`` is false it proves wider ones, and only the solver
    supports the rest.
    """

    low: int
    high: int
    is_tight: bool
    certificate: Certificate
    facts: Facts = field(repr=False, compare=False)

    @property
    def is_proven(self) -> bool:
        """Whether the certificate proves these very limits."""
        return (self.low, self.high) == (self.certificate.claim.low, self.certificate.claim.high)

    @property
    def sentence(self) -> str:
        """The limits in words, with the sums that prove them."""
        sentence = Finding(self.certificate, "exact" if self.is_tight else "linear", self.facts).sentence
        if self.is_proven:
            return sentence
        limits = f"{self.low:,} to {self.high:,}"
        return f"{sentence}; no more than that can be proven by sums, but whole numbers leave {limits}"

    def check(self) -> None:
        """Return if the certificate proves its limits from the facts; else raise a GuaranteeError."""
        check(self.facts, [self.certificate])

    def __str__(self) -> str:
        return f"{self.pattern.words(self.facts.labels)}: {count_rows(self.low, self.high)}"


def bounds(  # noqa: PLR0913 - as above
    patterns: Patterns | Facts,
    pattern: str | Pattern,
    *,
    complete: bool | None = None,
    schema: str | Groups | None = None,
    hierarchy: AnyHierarchy | None = None,
    against: Patterns | Iterable[Patterns] = (),
    grown: bool = False,
    max_length: int | None = None,
    seconds: float = SECONDS,
) -> Bounds:
    """Return the tightest limits that published itemsets set to the rows of a pattern, with their proof.

    The pattern is a query such as ``a & b & ~c``. If few kinds of rows are possible, all items are used together; else
    those of the pattern and as many items of nearby tops as possible. ``complete``, ``schema``, ``hierarchy``,
    ``against``, ``grown`` and ``max_length`` mean what they do for ``attack``. If rows have grown, the item ``before``
    marks those of the older release; of several, ``before1``, ``before2`` and so on.

    >>> from discreet import mine
    >>> rows = ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"]
    >>> found = bounds(mine([list(row) for row in rows], min_support=3), "a & b & c")
    >>> print(found, found.is_tight)
    a ∧ b ∧ c: 1 row True
    >>> found.sentence
    'sup(abc) is 1, because sup(ac) 3 + sup(b) 7 − n 9 = 1 and sup(ab) 3 + sup(ac) 3 + sup(bc) 3 + n 9 − sup(a) 5 − \
sup(b) 7 − sup(c) 5 = 1 bound it'
    """
    olds = as_releases(against, grown=grown)
    patterns = _teach(patterns, hierarchy)
    facts = join_facts(patterns, olds, grown=grown, complete=complete, schema=schema, max_length=max_length)
    if facts.n > MOST_ROWS:
        raise BudgetError(f"it is not told of how many rows these facts are, or more than {MOST_ROWS:,}; give their n")
    asked = pattern if isinstance(pattern, Pattern) else Pattern.parse(pattern, facts.labels)
    ground, clock = Ground(facts, asked.over), Clock(seconds)
    over, cells = ground.bits(asked.over), frozenset(map(ground.bits, asked.cells))
    systems = list(widen_systems(ground, over, ground.everything))
    widest, truth = Region(systems[-1], clock), systems[-1].truth(over, cells)
    try:
        low, high = widest.limits(truth)
    except TimeIsUpError:
        raise BudgetError(f"the {seconds:.2g} seconds were over; allow for more, or ask for fewer items") from None
    proof = _prove_nearest(systems, Wanted(over, cells, low, high), clock)
    whole = _find_whole_limits(widest, truth) if widest.system.universe == ground.everything else None
    return Bounds(*(whole or (low, high)), is_tight=whole is not None, certificate=proof, facts=facts)


def _find_whole_limits(region: Region, truth: Floats) -> tuple[int, int] | None:
    """Return the limits in whole numbers, or None if time runs out."""
    if all(np.abs(witness - np.round(witness)).max(initial=0) < TINY for witness in region.witnesses):
        # Both extreme solutions are in whole numbers: they are databases.
        low, high = (round(float(truth @ np.round(witness))) for witness in region.witnesses)
        return low, high
    try:
        return Region(region.system, region.clock, whole=True).limits(truth)
    except TimeIsUpError:
        return None


def _prove_nearest(systems: list[System], wanted: Wanted, clock: Clock) -> Certificate:
    """Return the proof of limits or, if the solver was off, of the nearest provable ones."""
    n = systems[0].ground.facts.n
    for slack in range(n + 1):
        wider = wanted._replace(low=max(0, wanted.low - slack), high=min(n, wanted.high + slack))
        if (proof := prove(systems, wider, clock)) is not None:
            return proof
    raise BudgetError("no limits could be proven; ask for fewer items")
