"""Older releases and a new one, joined into facts about the new rows.

If rows were only added, those of an older release get an extra item, its mark: the support of X in the older release is
that of X and the mark in the new rows (docs/against.md). So two releases are one set of facts, for any attacker.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from discreet.data.itemsets import Label, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.disclosure.attacks.facts import MOST, Codes, Facts, Limits, Schema, as_schema
from discreet.disclosure.attacks.formula import Mark, make_marks, subsets
from discreet.errors import BudgetError, InconsistencyError, InputError, Message, Option, OptionError
from discreet.mining.mine import mine


def as_releases(against: Patterns | Iterable[Patterns], *, grown: bool) -> tuple[Patterns, ...]:
    """Return the older releases; refuse other types."""
    olds = (against,) if isinstance(against, Patterns) else tuple(against)
    for old in olds:
        if not isinstance(old, Patterns):
            raise OptionError(
                f"against holds a value of the type {type(old).__name__}; give the patterns of older releases, as "
                "read_patterns returns them"
            )
    if grown and not olds:
        raise OptionError("grown says how older releases differ, but none is given; give them with against=")
    return olds


def match_items(old: Sequence[Label], new: Sequence[Label]) -> dict[Label, Label]:
    """Return the new name of each item of the old release: one format writes 7, another "7".

    >>> match_items(["7", "8"], [7])
    {'7': 7, '8': '8'}
    """
    by_text, texts = {str(label): label for label in new}, Counter(map(str, old))
    known = set(new)
    return {
        label: label if label in known or texts[str(label)] > 1 else by_text.get(str(label), label) for label in old
    }


def join_facts(
    new: Patterns | Facts,
    olds: Sequence[Patterns] = (),
    *,
    grown: bool = False,
    complete: bool | None = None,
    schema: Schema | None = None,
) -> Facts:
    """Return the facts of a release and older ones: of the same rows or, if these have ``grown``, of parts.

    Either all lists are ``complete`` or none is; ``Facts`` keep their own statement about unlisted itemsets unless
    ``complete`` is false. Contradictory supports are an InconsistencyError.

    >>> old = Patterns.from_itemsets([([], 10), (["a"], 6)], n=10, min_support=5)
    >>> new = Patterns.from_itemsets([([], 12), (["a"], 7)], n=12, min_support=5)
    >>> facts = join_facts(new, [old], grown=True)
    >>> [(*map(str, facts.labels), facts.limits(frozenset(codes))) for codes in ([0], [1], [0, 1])]
    [('a', 'before', (7, 7)), ('a', 'before', (10, 10)), ('a', 'before', (6, 6))]
    """
    is_whole = complete is not False
    if isinstance(new, Facts):
        own = new.assume(complete=complete, schema=schema).narrow()
    else:
        own = Facts.of(new, complete=is_whole, schema=schema)
    if not olds:
        return own
    if any(isinstance(label, Mark) for label in own.labels):
        raise OptionError("these facts are of older releases already; give all of them at once with against=")
    names = [match_items(old.labels, own.labels) for old in olds]
    labels = sort_labels([*own.labels, *(name for each in names for name in each.values())])
    told = [_recode(_read_old(old, complete=is_whole), labels, each) for old, each in zip(olds, names, strict=True)]
    last = _recode(own, labels, {label: label for label in own.labels})
    moved = (_move(group, own.labels, last.code) for group in own.schema)
    groups = tuple(dict.fromkeys((*moved, *as_schema(schema, labels))))
    if not grown:
        found = _join_same_rows([*told, last], groups)
    else:
        order = sorted(range(len(told)), key=lambda number: told[number].n)
        marks = make_marks([number + 1 for number in order], labels)
        found = _join_grown([*(told[number] for number in order), last], (*labels, *marks), groups)
    return replace(found, relations=last.relations, left_out=own.left_out)


def _read_old(old: Patterns, *, complete: bool) -> Facts:
    """Return the facts of an older release; of an incomplete list, only its supports."""
    try:
        return Facts.of(old, complete=complete)
    except InputError:
        return Facts.from_limits(((itemset, support, support) for itemset, support in old), n=old.n)


def _recode(facts: Facts, labels: tuple[Label, ...], names: Mapping[Label, Label]) -> Facts:
    """Return facts by the codes of other labels."""
    code = {label: number for number, label in enumerate(labels)}
    moved = {label: code[name] for label, name in names.items()}

    def place(itemset: Codes) -> Codes:
        return _move(itemset, facts.labels, moved)

    said = {place(itemset): limits for itemset, limits in facts.listed.items()}
    found = Facts.from_codes(said, labels, n=facts.n, inherited=facts.inherited, absent=facts.absent)
    return replace(found, relations=tuple(relation.recode(place) for relation in facts.relations))


def _move(itemset: Codes, labels: Sequence[Label], code: Mapping[Label, int]) -> Codes:
    return frozenset(code[labels[item]] for item in itemset)


def _join_same_rows(told: Sequence[Facts], schema: tuple[Codes, ...]) -> Facts:
    """Return the facts of several releases of the same rows."""
    labels, absents = told[-1].labels, [facts.absent for facts in told if facts.absent is not None]
    whole = next((one for one in told if one.inherited and all(_is_part(other, one) for other in told)), None)
    itemsets = _below(told) if whole is None else _listed(told)
    said = {itemset: _intersect([facts.limits(itemset) for facts in told]) for itemset in itemsets}
    wrong = [itemset for itemset, (low, high) in said.items() if low > high]
    _refuse(
        wrong,
        len(said),
        labels,
        "of the same rows; check which they are, or say ",
        Option("grown", value=True),
        " if rows were added",
    )
    return Facts.from_codes(
        said if whole is None else whole.listed,
        labels,
        n=told[-1].n,
        inherited=whole is not None,
        absent=min(absents, default=None),
        schema=schema,
    )


def _join_grown(chain: Sequence[Facts], labels: tuple[Label, ...], schema: tuple[Codes, ...]) -> Facts:
    """Return the facts of releases that each contain the rows before; the last labels are their marks."""
    marks, newest = tuple(range(len(labels) - len(chain) + 1, len(labels))), chain[-1]
    nested = _is_nested(chain)
    itemsets = _listed(chain) if nested else _below(chain, 1 << len(marks))
    rising = {itemset: _narrow_rising([facts.limits(itemset) for facts in chain]) for itemset in itemsets}
    wrong = [itemset for itemset, limits in rising.items() if any(low > high for low, high in limits)]
    _refuse(
        wrong,
        len(rising),
        labels,
        "of rows that were only added to; check them, or leave out ",
        Option("grown", value=True),
    )
    said = _add_marks(chain, marks) if nested else _spell_out(rising, marks)
    facts = Facts.from_codes(said, labels, n=newest.n, inherited=nested, absent=newest.absent, schema=schema)
    return replace(facts, absent_with=tuple(_fewer(chain, marks)))


def _is_nested(chain: Sequence[Facts]) -> bool:
    """Return whether each release lists all that the one before does, and limits the rest no lower."""
    return all(facts.inherited for facts in chain) and all(
        _is_part(one, later) and _absent(one) <= _absent(later) for one, later in pairwise(chain)
    )


def _add_marks(chain: Sequence[Facts], marks: tuple[int, ...]) -> dict[Codes, Limits]:
    """Return the closed itemsets of nested releases, each with the marks that all its rows hold."""
    return {
        itemset.union(marks[place:]): limits
        for place, facts in enumerate(chain)
        for itemset, limits in facts.listed.items()
    }


def _spell_out(rising: Mapping[Codes, Sequence[Limits]], marks: tuple[int, ...]) -> dict[Codes, Limits]:
    """Return the limits of each itemset with any marks: rows with the first mark hold the later ones too."""
    places = [(held, marks.index(min(held)) if held else len(marks)) for held in subsets(marks)]
    return {itemset | held: limits[place] for itemset, limits in rising.items() for held, place in places}


def _fewer(chain: Sequence[Facts], marks: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield the marks that lower the limit of unlisted itemsets, with that limit."""
    for place, mark in enumerate(marks):
        absents = [facts.absent for facts in chain[place:] if facts.absent is not None]
        if min(absents, default=chain[-1].n) < _absent(chain[-1]):
            yield mark, min(absents)


def _intersect(limits: Iterable[Limits]) -> Limits:
    """Return the intersection of limits."""
    lows, highs = zip(*limits, strict=True)
    return max(lows), min(highs)


def _narrow_rising(limits: Sequence[Limits]) -> list[Limits]:
    """Narrow the limits of numbers that never decrease.

    >>> _narrow_rising([(3, 3), (0, 9), (0, 7)])
    [(3, 3), (3, 7), (3, 7)]
    """
    lows = accumulate((low for low, _ in limits), max)
    highs = [*accumulate((high for _, high in reversed(limits)), min)]
    return list(zip(lows, reversed(highs), strict=True))


def _absent(facts: Facts) -> int:
    """Return the most rows that hold an unlisted itemset."""
    return facts.n if facts.absent is None else min(facts.n, facts.absent)


def _listed(told: Iterable[Facts]) -> set[Codes]:
    return {itemset for facts in told for itemset in facts.listed}


def _is_part(one: Facts, other: Facts) -> bool:
    """Return whether one release lists nothing beyond another."""
    return all(map(other.is_below, one.tops))


def _below(told: Iterable[Facts], times: int = 1) -> set[Codes]:
    """Return all subsets of the itemsets that releases list; refuse too many of them."""
    found: set[Codes] = set()
    for facts in told:
        alike = Transactions.from_codes(facts.offsets.copy(), facts.items.copy(), facts.labels)
        try:
            below = mine(alike, min_support=1, kind="frequent", max_patterns=MOST, progress=lambda *_: None)
        except BudgetError:
            raise _too_many() from None
        found.update(frozenset(below.items[start:stop].tolist()) for start, stop in pairwise(below.offsets.tolist()))
    if len(found) * times > MOST:
        raise _too_many()
    return found


def _too_many() -> BudgetError:
    return BudgetError(
        f"the releases tell of more than {MOST:,} itemsets, and an older one lists some that a newer one does not; "
        "raise the minimum support, or give fewer older releases"
    )


def _refuse(wrong: Sequence[Codes], many: int, labels: Sequence[Label], *why: str | Option) -> None:
    """Refuse releases if some of ``many`` itemsets have contradictory limits, and say why."""
    if wrong:
        first = min(wrong, key=lambda itemset: (len(itemset), sorted(itemset)))
        message = Message(
            f"{len(wrong):,} of {many:,} itemsets have supports that contradict each other, so the releases are not ",
            *(*why, "; if they leave out frequent itemsets, say ", Option("complete", value=False)),
        )
        raise InconsistencyError(message, "rising", (labels[item] for item in first), ())
