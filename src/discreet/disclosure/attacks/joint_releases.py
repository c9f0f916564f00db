"""Older releases and a new one, joined into facts about the new rows.

If rows were only added, those of an older release get an extra item, its mark: the support of X in the older release is
that of X and the mark in the new rows (docs/against.md). So two releases are one set of facts, for any attacker.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, combinations, pairwise

from discreet.data.itemsets import Label, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.schema import Groups
from discreet.disclosure.attacks.facts import MOST, Codes, Facts, Limits, as_schema
from discreet.disclosure.attacks.formula import Mark, make_marks
from discreet.disclosure.detect import list_subsets
from discreet.errors import BudgetError, InconsistencyError, InputError, Message, Option, OptionError


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
    by_text, texts, known = {str(label): label for label in new}, Counter(map(str, old)), set(new)
    own = {label for label in old if label in known or texts[str(label)] > 1}
    return {label: label if label in own else by_text.get(str(label), label) for label in old}


def join_facts(
    new: Patterns | Facts,
    olds: Sequence[Patterns] = (),
    *,
    grown: bool = False,
    complete: bool | None = None,
    max_length: int | None = None,
    schema: str | Groups | None = None,
) -> Facts:
    """Return the facts of a release and older ones: of the same rows or, if these have ``grown``, of parts.

    Either all lists are ``complete`` or none is; ``Facts`` keep their own statement about unlisted itemsets unless
    ``complete`` is false. Contradictory supports are an InconsistencyError. Lists that were cut at a length are joined
    only if they are of the same rows; if the lengths differ, not all that follows is looked at.

    >>> old = Patterns.from_itemsets([([], 10), (["a"], 6)], n=10, min_support=5)
    >>> new = Patterns.from_itemsets([([], 12), (["a"], 7)], n=12, min_support=5)
    >>> facts = join_facts(new, [old], grown=True)
    >>> [(*map(str, facts.labels), facts.limits(frozenset(codes))) for codes in ([0], [1], [0, 1])]
    [('a', 'before', (7, 7)), ('a', 'before', (10, 10)), ('a', 'before', (6, 6))]
    """
    is_complete, known = complete is not False, new.hierarchy if isinstance(new, Patterns) else None
    if schema is None and isinstance(new, Patterns):
        schema = new.schema
    if isinstance(new, Facts):
        if max_length is not None:
            raise OptionError("facts say themselves what is known about other itemsets; leave max_length= out")
        own = new.assume(complete=complete, schema=schema).narrow()
    else:
        own = Facts.of(new.cut_at(max_length), complete=is_complete, schema=schema)
    if not olds:
        return own
    if any(isinstance(label, Mark) for label in own.labels):
        raise OptionError("these facts are of older releases already; give all of them at once with against=")
    lengths = [own.max_length, *(old.max_length for old in olds)]
    if grown and is_complete and any(length is not None for length in lengths):
        raise OptionError(
            "a list that was cut at a length is not joined with those of rows that were added; leave out ",
            *(Option("grown", value=True), ", or say ", Option("complete", value=False)),
        )
    names = [match_items(old.labels, own.labels) for old in olds]
    labels = sort_labels([*own.labels, *(name for each in names for name in each.values())])
    read = (_read_old(old, complete=is_complete) for old in olds)
    releases = [_recode(facts, labels, each) for facts, each in zip(read, names, strict=True)]
    last = _recode(own, labels, {label: label for label in own.labels})
    recoded = (frozenset(last.code[own.labels[item]] for item in group) for group in own.schema)
    groups = tuple(dict.fromkeys((*recoded, *as_schema(schema, labels, known))))
    if grown:
        order = sorted(range(len(olds)), key=lambda number: releases[number].n)
        marks = make_marks([number + 1 for number in order], labels)
        joint = _join_grown([*(releases[number] for number in order), last], (*labels, *marks), groups)
    else:
        joint = _join_same_rows([*releases, last], groups)
    return replace(joint, relations=last.relations, left_out=own.left_out or joint.left_out)


def _read_old(old: Patterns, *, complete: bool) -> Facts:
    """Return the facts of an older release; of an incomplete list, only its supports."""
    try:
        return Facts.of(old, complete=complete)
    except InputError:
        return Facts.from_limits(((itemset, support, support) for itemset, support in old), n=old.n)


def _recode(facts: Facts, labels: tuple[Label, ...], names: Mapping[Label, Label]) -> Facts:
    """Return facts, without their schema, by the codes of other labels."""
    code = {label: number for number, label in enumerate(labels)}
    codes = [code[names[label]] for label in facts.labels]

    def place(itemset: Codes) -> Codes:
        return frozenset(codes[item] for item in itemset)

    limits = {place(itemset): both for itemset, both in facts.listed.items()}
    relations = tuple(relation.recode(place) for relation in facts.relations)
    recoded = Facts.from_codes(limits, labels, facts.n)
    return replace(
        recoded, inherited=facts.inherited, absent=facts.absent, relations=relations, max_length=facts.max_length
    )


def _join_same_rows(releases: Sequence[Facts], schema: tuple[Codes, ...]) -> Facts:
    """Return the facts of several releases of the same rows."""
    labels, lengths = releases[-1].labels, {facts.max_length for facts in releases}
    # What is missing is known up to the largest length; shorter lists say more about short itemsets.
    length = None if None in lengths else max(one for one in lengths if one is not None)
    reaching = [facts for facts in releases if facts.max_length == length]
    absents = [facts.absent for facts in reaching if facts.absent is not None]
    left_out = "its lists were cut at different lengths, and what is missing from the shorter is not looked at"
    whole = next((one for one in releases if one.inherited and all(_is_part(other, one) for other in releases)), None)
    limits: dict[Codes, Limits] = {}
    for itemset in _list_all(releases, expand=whole is None):
        lows, highs = zip(*(facts.limits(itemset) for facts in releases), strict=True)
        limits[itemset] = max(lows), min(highs)
    wrong = [itemset for itemset, (low, high) in limits.items() if low > high]
    advice = "of the same rows; check which they are, or say ", Option("grown", value=True), " if rows were added"
    _refuse(wrong, len(limits), labels, *advice)
    facts = Facts.from_codes(limits if whole is None else whole.listed, labels, releases[-1].n)
    facts = replace(facts, inherited=whole is not None, absent=min(absents, default=None), schema=schema)
    return replace(facts, max_length=length, left_out=left_out * (len(lengths) > 1))


def _join_grown(chain: Sequence[Facts], labels: tuple[Label, ...], schema: tuple[Codes, ...]) -> Facts:
    """Return the facts of releases that each contain the rows before; the last labels are their marks."""
    marks, newest = tuple(range(len(labels) - len(chain) + 1, len(labels))), chain[-1]
    nested = _is_nested(chain)
    # Two marks say that rows of one release are in the other, and what more of them hold follows. But in a complete
    # list, whatever is not listed would be rare.
    most = 2 if all(facts.absent is None for facts in chain) else len(marks)
    few = [frozenset(some) for size in range(most + 1) for some in combinations(marks, size)]
    itemsets = _list_all(chain, expand=not nested, times=len(few))
    rising = {itemset: _narrow_rising([facts.limits(itemset) for facts in chain]) for itemset in itemsets}
    wrong = [itemset for itemset, limits in rising.items() if any(low > high for low, high in limits)]
    advice = "of rows that were only added to; check them, or leave out ", Option("grown", value=True)
    _refuse(wrong, len(rising), labels, *advice)
    if nested:  # a closed itemset has the marks that all its rows hold
        every = enumerate(facts.listed.items() for facts in chain)
        said = {itemset.union(marks[place:]): limits for place, listed in every for itemset, limits in listed}
    else:  # rows with the first mark hold the later ones too
        held = [(some, marks.index(min(some)) if some else len(marks)) for some in few]
        said = {itemset | some: limits[place] for itemset, limits in rising.items() for some, place in held}
    facts = replace(Facts.from_codes(said, labels, newest.n), inherited=nested, absent=newest.absent, schema=schema)
    are_exact = all(one.inherited for one in chain)
    return replace(facts, absent_with=tuple(_lower_absent(chain, marks)), is_joined=are_exact)


def _is_nested(chain: Sequence[Facts]) -> bool:
    """Return whether each release lists all that the one before does, and limits the rest no lower."""
    absents = [facts.missing(frozenset()) for facts in chain]
    is_rising = all(facts.inherited for facts in chain) and absents == sorted(absents)
    return is_rising and all(_is_part(one, later) for one, later in pairwise(chain))


def _lower_absent(chain: Sequence[Facts], marks: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield the marks that lower the limit of unlisted itemsets, with that limit."""
    for place, mark in enumerate(marks):
        absents = [facts.absent for facts in chain[place:] if facts.absent is not None]
        if min(absents, default=chain[-1].n) < chain[-1].missing(frozenset()):
            yield mark, min(absents)


def _narrow_rising(limits: Sequence[Limits]) -> list[Limits]:
    """Narrow the limits of numbers that never decrease.

    >>> _narrow_rising([(3, 3), (0, 9), (0, 7)])
    [(3, 3), (3, 7), (3, 7)]
    """
    lows = accumulate((low for low, _ in limits), max)
    highs = [*accumulate((high for _, high in reversed(limits)), min)]
    return list(zip(lows, reversed(highs), strict=True))


def _is_part(one: Facts, other: Facts) -> bool:
    """Return whether one release lists nothing beyond another."""
    return all(map(other.is_below, one.tops))


def _list_all(releases: Iterable[Facts], *, expand: bool, times: int = 1) -> set[Codes]:
    """Return all itemsets that releases list or, to ``expand`` them, with all their subsets; refuse too many."""
    if not expand:
        return {itemset for facts in releases for itemset in facts.listed}
    every: set[Codes] = set()
    try:
        for facts in releases:
            subsets_of = list_subsets(facts.itemsets.weigh(facts.low), facts.labels, MOST)
            every.update(frozenset(codes.tolist()) for codes in subsets_of)
        is_within = len(every) * times <= MOST
    except BudgetError:
        is_within = False
    if not is_within:
        raise BudgetError(
            f"the releases tell of more than {MOST:,} itemsets, and an older one lists some that a newer one does not; "
            "raise the minimum support, or give fewer older releases"
        )
    return every


def _refuse(wrong: Sequence[Codes], many: int, labels: Sequence[Label], *advice: str | Option) -> None:
    """Refuse releases if some of ``many`` itemsets have contradictory limits."""
    if wrong:
        first = min(wrong, key=lambda itemset: (len(itemset), sorted(itemset)))
        message = Message(
            f"{len(wrong):,} of {many:,} itemsets have supports that contradict each other, so the releases are not ",
            *(*advice, "; if they leave out frequent itemsets, say ", Option("complete", value=False)),
        )
        raise InconsistencyError(message, "rising", (labels[item] for item in first), ())
