"""Joined labels: one text in a list of patterns may stand for several items, joined by a sign or a word."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from discreet.data.itemsets import Itemsets, Label
from discreet.errors import Message, Option
from discreet.io.formats.cells import MOST_PARTS, find_ways

SIGN: Final = re.compile(r"[^\w\s]|_")
SIGNS: Final = re.compile(r"[^\w\s]{2,}")
WORD: Final = re.compile(r"(?= (\S+) )")  # between blanks; one may follow another
PRINTED: Final = re.compile(r"^(?:frozen)?set\(|['\"`‘’“”]")  # what programs print around items
APART: Final = "write each item by itself (in CSV with ';' between them)"
EDGES: Final = " ()[]{}"
MOST_SIGNS, MOST_LABELS = 32, 1000  # signs and words that are tried, the commonest first, on so many labels each


class Joiner(NamedTuple):
    """A sign or a word: how many labels hold it and are part of none, and how many of them are others joined by it."""

    sign: str
    many: int
    joined: int


def find_joined(labels: Iterable[Label]) -> list[Message]:
    """Return a doubt if most labels with a sign or a word in them are other labels of the list, joined by it.

    The sign comes from the labels: any that is no letter or digit, or a word between blanks, may stand between items.

    >>> print(*find_joined(["flu", "asthma", "flu and asthma"]))
    Most labels with ' and ' are other labels joined by it (1 of 1), and may be several items: write each item by \
itself (in CSV with ';' between them), or rename the labels
    """
    texts = sorted({_clean(label) for label in labels if isinstance(label, str)} - {""})
    found = [one for one in _find_joiners(texts) if 2 * one.joined > one.many]
    best = max(found, key=lambda one: (one.joined, len(one.sign)), default=None)
    if best is None:
        return []
    name = "blanks" if best.sign == " " else repr(best.sign)
    said = f"Most labels with {name} are other labels joined by it ({best.joined:,} of {best.many:,})"
    return [Message(f"{said}, and may be several items: {APART}, or rename the labels")]


def find_single(itemsets: Itemsets, max_length: int | None) -> list[Message]:
    """Return a doubt if no itemset of several has two items: a sign that was not looked for may join them.

    A list that is known to be cut at one item is meant to be so.

    >>> print(*find_single(Itemsets.of([[0], [1]]), max_length=None))
    No itemset has two items, as if signs in labels joined them: write each item by itself (in CSV with ';' between \
them), or say with max_length= that the list was cut at 1
    """
    if max_length == 1 or itemsets.longest != 1 or itemsets.items.size == 1:
        return []
    said = f"No itemset has two items, as if signs in labels joined them: {APART}, or say with "
    return [Message(said, Option("max_length"), " that the list was cut at 1")]


def _clean(label: str) -> str:
    """Return a label without what programs print around items, and with single blanks."""
    return " ".join(PRINTED.sub("", label).split()).strip(EDGES)


def _find_joiners(texts: Sequence[str]) -> Iterator[Joiner]:
    """Yield the signs and words that several parts of some label stand around."""
    often: Counter[str] = Counter()
    for text in texts:
        often.update({*SIGN.findall(text), *SIGNS.findall(text), *(f" {word} " for word in WORD.findall(text))})
        often[" "] += " " in text
    for sign, _ in often.most_common(MOST_SIGNS):
        parts = [_split(text, sign) for text in texts if sign in text]
        known = {*texts, *map(sign.join, parts)}
        held = [split for split in parts if 1 < len(split) <= MOST_PARTS]
        some = held[:: 1 + len(held) // MOST_LABELS]
        ways = {sign.join(split): find_ways(split, sign, known) for split in some}
        joined = {text: way for text, found in ways.items() for way in found if len(way) > 1}
        single = ways.keys() - joined.keys() - {*chain.from_iterable(joined.values())}
        yield Joiner(sign, len(joined) + len(single), len(joined))


def _split(text: str, sign: str) -> list[str]:
    return [part for one in text.split(sign) if (part := one.strip(EDGES))]
