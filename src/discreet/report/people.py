"""Findings as sentences about people, for a reader who has never heard of any of it."""

from collections.abc import Callable

from discreet import markup
from discreet.channels import Channel, Difference
from discreet.implications import Implication
from discreet.labels import Label, ordered
from discreet.patterns import Patterns
from discreet.report.text import support_of


def in_words(finding: Channel | Difference, name: Callable[[Label], str] = markup.shown) -> str:
    """Return whom a channel or a difference is about, for a reader who has never heard of either.

    >>> print(in_words(Channel(frozenset("ab"), frozenset("abc"), 2)))
    Exactly 2 people have a and b, but not c.
    >>> print(in_words(Channel(frozenset(), frozenset("cd"), 1)))
    Exactly 1 person has neither c nor d.
    >>> print(in_words(Difference(frozenset("a"), frozenset("acd"), 3)))
    Exactly 3 people have a, but not both c and d.
    """
    many = "1 person has" if finding.count == 1 else f"{finding.count:,} people have"
    held = _joined([name(label) for label in ordered(finding.base)], "and")
    lacked = [name(label) for label in ordered(finding.top - finding.base)]
    if not held and not lacked:
        return f"There {'is' if finding.count == 1 else 'are'} exactly {many.rsplit(' ', 1)[0]} in all."
    if isinstance(finding, Difference):
        few = ("not ", "not both ", "not all of ")[min(len(lacked), 3) - 1] + _joined(lacked, "and")
    else:
        few = ("not " if held else "no ") + lacked[0] if len(lacked) == 1 else _none_of(lacked)
    return f"Exactly {many} {', but '.join(filter(None, (held, few if lacked else '')))}."


def implied_in_words(implication: Implication, patterns: Patterns) -> markup.Html:
    """Return an implication as a sentence in HTML, and how many people it is about.

    >>> from discreet import mine
    >>> implied_in_words(Implication(frozenset("a"), "b"), mine([["a", "b"]] * 9 + [[]], min_support=5))
    'Everyone with <bdi>a</bdi> also has <bdi>b</bdi>: all 9 people.'
    """
    who = f"Everyone with {_joined(list(map(markup.name, ordered(implication.base))), 'and')} also"
    who = who if implication.base else "Everyone"
    count = support_of(implication.base, patterns)
    people = "1 person" if count == 1 else f"all {count:,} people"
    return markup.Html(f"{who} has {markup.name(implication.item)}: {people}.")


def _none_of(names: list[str]) -> str:
    """Return that nothing of several is held."""
    few = 2
    return f"neither {' nor '.join(names)}" if len(names) == few else f"none of {_joined(names, 'and')}" * bool(names)


def _joined(names: list[str], word: str) -> str:
    """Return names as a sentence lists them, the first of many."""
    if len(names) > markup.MOST_LABELS:
        names = [*names[: markup.MOST_LABELS], f"{len(names) - markup.MOST_LABELS:,} more"]
    return f" {word} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
