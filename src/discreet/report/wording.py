"""What reports say in words: where the input came from, and findings as sentences about people."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from discreet.data.itemsets import Label, sort_labels
from discreet.data.transactions import Merged, Transactions
from discreet.disclosure.channels import Channel, Difference
from discreet.disclosure.implications import Implication
from discreet.io.databases import name_of
from discreet.judging.finding import AuditFinding, Who, join_names
from discreet.publications.series import Change
from discreet.publications.trees.leaves import Few
from discreet.runtime import html


class Source(NamedTuple):
    """The file that was audited: its name without its folder, and the SHA-256 digest of its bytes."""

    file: str
    sha256: str


def older_name(numbers: Iterable[int], against: Sequence[Source]) -> str:
    """Return the names of older releases: their files if these are known, else their places, from 1 on.

    >>> older_name([1, 3], ())
    'older release 1 and older release 3'
    """
    return " and ".join(against[number - 1].file if against else f"older release {number}" for number in numbers)


def in_words(finding: Channel | Difference, name: Callable[[Label], str] = html.show_label) -> str:
    """Return who a channel or a difference is about, for a reader who has never heard of either.

    >>> print(in_words(Channel(frozenset("ab"), frozenset("abc"), 2)))
    Exactly 2 people have a and b, but not c.
    >>> print(in_words(Channel(frozenset(), frozenset("cd"), 1)))
    Exactly 1 person has neither c nor d.
    >>> print(in_words(Difference(frozenset("a"), frozenset("acd"), 3)))
    Exactly 3 people have a, but not both c and d.
    """
    return _count_people(Who(finding.base, finding.lacked).in_words(name), finding.count, finding.count)


def describe(finding: AuditFinding, name: Callable[[Label], str] = html.show_label, *, than: str = "before") -> str:
    """Return who a finding of any kind is about; ``name`` writes an item, ``than`` what a change is compared with.

    >>> from discreet import Rules, audit
    >>> rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate")
    >>> print(describe(audit(rules, k=5).findings[0]))
    Exactly 1 person has a, but not b.
    """
    match finding.value:
        case Implication(base=base, item=item):
            others = join_names([name(label) for label in sort_labels(base)])
            count = finding.terms[0].support
            everyone = f"Everyone with {others} also" if base else "Everyone"
            return f"{everyone} has {name(item)}: {'1 person' if count == 1 else f'all {count:,} people'}."
        case Change(count=count):
            who = f"{_people(finding.low)} {'more' if count > 0 else 'fewer'} than {than}"
            which = finding.who.in_words(name)
            return f"{who} {_have(finding.low)} {which}." if which else f"There {_are(finding.low)} {who}."
        case Few(outcome=outcome, trees=trees):
            by = f" (tree {', '.join(map(str, trees))})" if trees else ""
            return f"{', '.join(filter(None, (_from_to(finding.low, finding.high), outcome)))}{by}"
    return _count_people(finding.who.in_words(name), finding.low, finding.high)


def _count_people(which: str, low: int, high: int) -> str:
    if not which:
        return f"There {_are(high)} exactly {_people(high)} in all."
    return f"{_from_to(low, high)} {_have(high)} {which}."


def _people(many: int) -> str:
    return "1 person" if many == 1 else f"{many:,} people"


def _from_to(low: int, high: int) -> str:
    return f"Exactly {_people(high)}" if low == high else f"From {low:,} to {_people(high)}"


def _have(many: int) -> str:
    return "has" if many == 1 else "have"


def _are(many: int) -> str:
    return "is" if many == 1 else "are"


def database_source(rows: Transactions | Merged, url: str, *, table: str | None) -> Source:
    """Return what stands for a file in a report: neither where the database is, nor who has read it.

    >>> rows = Transactions([["a"], ["a", "b"]], ids=[3, 7])
    >>> database_source(rows, "postgresql://ada:secret@host/ward", table="stays").file
    'table stays of a PostgreSQL database'
    """
    name = name_of(url, table=table)
    if isinstance(rows, Merged):
        name += f" (items that at least {rows.min_support:,} rows hold)"
    digest = hashlib.sha256()
    for line in canonical(rows):
        digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
    return Source(name, digest.hexdigest())


def canonical(rows: Transactions | Merged) -> Iterator[str]:
    r"""Yield lines that tell rows whole: a row id and an item each; of merged ones, how many they are and their items.

    They are in the order of the ids, then of the items, and a tab stands between; a tab, a line end or a backslash
    within is written as COPY of PostgreSQL writes it.

    >>> list(canonical(Transactions([["a"], ["a", "b\tc"]], ids=[3, 7])))
    ['3\ta', '7\ta', '7\tb\\tc']
    """
    texts = [_escaped(str(label)) for label in rows.labels]
    for row, (start, stop) in enumerate(pairwise(rows.offsets.tolist())):
        items = [texts[item] for item in rows.items[start:stop].tolist()]
        if isinstance(rows, Merged):
            yield "\t".join([str(rows.weights[row]), *items])
        else:
            name = str(row + 1) if rows.ids is None else _escaped(str(rows.ids[row]))
            yield from (f"{name}\t{item}" for item in items)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")
