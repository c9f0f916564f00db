"""Findings as sentences about people, for a reader who has never heard of any of it."""

from collections.abc import Callable

from discreet.data.labels import Label, sort_labels
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel, Difference
from discreet.disclosure.implications import Implication
from discreet.judging.finding import Who, join_names, support_of
from discreet.publications.rules.bounded import Bounded
from discreet.publications.series.change import Change
from discreet.publications.trees.leaves import Few
from discreet.runtime import html


def in_words(finding: Channel | Difference, name: Callable[[Label], str] = html.shown) -> str:
    """Return whom a channel or a difference is about, for a reader who has never heard of either.

    >>> print(in_words(Channel(frozenset("ab"), frozenset("abc"), 2)))
    Exactly 2 people have a and b, but not c.
    >>> print(in_words(Channel(frozenset(), frozenset("cd"), 1)))
    Exactly 1 person has neither c nor d.
    >>> print(in_words(Difference(frozenset("a"), frozenset("acd"), 3)))
    Exactly 3 people have a, but not both c and d.
    """
    count, which = finding.count, Who(finding.base, finding.lacked).in_words(name)
    if not which:
        return f"There {'is' if count == 1 else 'are'} exactly {_people(count)} in all."
    return f"Exactly {_people(count)} {_have(count)} {which}."


def bounded_in_words(finding: Bounded, name: Callable[[Label], str] = html.shown) -> str:
    """Return whom a finding within limits is about, and from how many to how many they are.

    >>> terms = ((frozenset("a"), (81, 82)), (frozenset("abc"), (80, 80)))
    >>> print(bounded_in_words(Bounded(frozenset("a"), (frozenset("bc"),), 1, 2, terms)))
    From 1 to 2 people have a, but not both b and c.
    """
    which = Who(finding.base, finding.lacked).in_words(name)
    return f"{_from_to(finding.low, finding.high)} {_have(finding.high)} {which}."


def changed_in_words(change: Change, name: Callable[[Label], str] = html.shown, than: str = "before") -> str:
    """Return whom a change is about, and how many more or fewer of them there are.

    >>> print(changed_in_words(Change(frozenset("a"), frozenset("ab"), before=12, after=13)))
    1 person more than before has a, but not b.
    >>> print(changed_in_words(Change(frozenset(), frozenset(), before=102, after=100)))
    There are 2 people fewer than before.
    """
    many = abs(change.count)
    who = f"{_people(many)} {'more' if change.count > 0 else 'fewer'} than {than}"
    which = Who(change.base, change.lacked).in_words(name)
    return f"{who} {_have(many)} {which}." if which else f"There {'is' if many == 1 else 'are'} {who}."


def few_in_words(few: Few) -> str:
    """Return how many people reach a leaf, or an overlap of leaves, and what is told of them.

    >>> print(few_in_words(Few(("age ≤ 40.5",), "class ill", 1, 3, (2,))))
    From 1 to 3 people, class ill (tree 2)
    """
    by = f" (tree {', '.join(map(str, few.trees))})" if few.trees else ""
    return f"{', '.join(filter(None, (_from_to(few.low, few.high), few.outcome)))}{by}"


def implied_in_words(implication: Implication, patterns: Patterns) -> html.Html:
    """Return an implication as a sentence in HTML, and how many people it is about.

    >>> from discreet import mine
    >>> implied_in_words(Implication(frozenset("a"), "b"), mine([["a", "b"]] * 9 + [[]], min_support=5))
    'Everyone with <bdi>a</bdi> also has <bdi>b</bdi>: all 9 people.'
    """
    who = f"Everyone with {join_names(list(map(html.name, sort_labels(implication.base))))} also"
    who = who if implication.base else "Everyone"
    count = support_of(implication.base, patterns)
    people = "1 person" if count == 1 else f"all {count:,} people"
    return html.Html(f"{who} has {html.name(implication.item)}: {people}.")


def _people(many: int) -> str:
    return "1 person" if many == 1 else f"{many:,} people"


def _from_to(low: int, high: int) -> str:
    return f"Exactly {_people(high)}" if low == high else f"From {low:,} to {_people(high)}"


def _have(many: int) -> str:
    return "has" if many == 1 else "have"
