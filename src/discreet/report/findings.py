"""Findings of any candidate: in words about people, and as a table that no spreadsheet takes for formulas."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from discreet.data.itemsets import Itemset, Label, sort_labels
from discreet.data.transactions import Merged, Transactions
from discreet.disclosure.channels import Exposed, format_sum
from discreet.disclosure.implications import Implication
from discreet.disclosure.people import PeopleCell
from discreet.errors import InputError, OutputError
from discreet.io.databases import name_of
from discreet.io.files import MARK
from discreet.io.notation import WITHIN, as_record, encode_lines, quote_label
from discreet.judging.audit import Audit
from discreet.judging.finding import AuditFinding, FindingGroup, Who, join_names
from discreet.publications.counts.revealed import Revealed
from discreet.publications.rules.bounded import Bounded
from discreet.publications.rules.intervals import format_limits
from discreet.publications.series import Change, Changes
from discreet.publications.trees.leaves import Few
from discreet.runtime import html
from discreet.runtime.text import count_of, printable


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


def describe(finding: AuditFinding, name: Callable[[Label], str] = html.show_label, *, than: str = "before") -> str:
    """Return who a finding of any kind is about; ``name`` writes an item, ``than`` what a change is compared with.

    >>> from discreet import Rules, audit
    >>> rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate")
    >>> print(describe(audit(rules, k=5).findings[0]))
    Exactly 1 person has a, but not b.
    """
    match finding.value:
        case PeopleCell() as cell:
            return _count_visits(cell, finding.who.in_words(name))
        case Implication(base=base, item=item):
            others = join_names([name(label) for label in sort_labels(base)])
            count = finding.terms[0].support
            everyone = f"Everyone with {others} also" if base else "Everyone"
            return f"{everyone} has {name(item)}: {'1 person' if count == 1 else f'all {count:,} people'}."
        case Change(count=count):
            who = f"{_people(finding.low)} {'more' if count > 0 else 'fewer'} than {than}"
            which, (have, are) = finding.who.in_words(name), _verbs(finding.low)
            return f"{who} {have} {which}." if which else f"There {are} {who}."
        case Revealed() as one:
            return f"{_from_to(finding.low, finding.high, one.counted)}: {one.who}."
        case Few(outcome=outcome, trees=trees):
            by = f" (tree {', '.join(map(str, trees))})" if trees else ""
            return f"{', '.join(filter(None, (_from_to(finding.low, finding.high), outcome)))}{by}"
    return _count_people(finding.who.in_words(name), finding.low, finding.high)


def _count_people(which: str, low: int, high: int) -> str:
    have, are = _verbs(high)
    return f"{_from_to(low, high)} {have} {which}." if which else f"There {are} exactly {_people(high)} in all."


def _count_visits(cell: PeopleCell, which: str) -> str:
    """Return whose rows a cell holds, and which.

    >>> print(_count_visits(PeopleCell(frozenset("a"), frozenset("a"), 8, 26), "a"))
    Exactly 26 rows, of only 8 people, have a.
    """
    have, _ = _verbs(cell.rows)
    whose = f"{count_of(cell.rows, 'row')}, of only {_people(cell.count)}"
    return f"Exactly {whose}, {have} {which}." if which else f"There are exactly {whose}, in all."


def _people(many: int) -> str:
    return count_of(many, "person", "people")


def _from_to(low: int, high: int, counted: str = "people") -> str:
    many = f"{high:,} {counted.replace('people', 'person', 1) if high == 1 else counted}"
    return f"Exactly {many}" if low == high else f"From {low:,} to {many}"


def _verbs(many: int) -> tuple[str, str]:
    return ("has", "is") if many == 1 else ("have", "are")


def database_source(rows: Transactions | Merged, url: str, *, table: str | None) -> Source:
    """Return the source that a report names: neither where the database is, nor who has read it.

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
    r"""Yield all rows in lines: a row id and an item each; of merged rows, how many there are and their items.

    They are in the order of ids, then of items, separated by tabs; a tab, a line end or a backslash within is escaped
    as COPY of PostgreSQL does.

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


HEAD: Final = ["finding", "count", "rows that", "base", "lacked", "sum"]


def findings_csv(audit: Audit, *, explain: int = 100, against: Sequence[Source] = ()) -> Iterator[bytes]:
    r"""Yield all findings as CSV: the kind, how many rows, which rows, their items, the items they lack, and the sum.

    The worst of each kind come first; the ``explain`` worst have their sums. Items are separated by ``;``, as in the
    format of patterns, and quoted where necessary. ``against`` are the files of the older releases.

    >>> from discreet import audit
    >>> result = audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10)
    >>> print(b"".join(findings_csv(result)).decode(), end="")
    finding,count,rows that,base,lacked,sum
    channel,2,"hold a and b, but not c",a;b,c,sup(a;b) 50 − sup(a;b;c) 48
    """
    evidence = audit.evidence
    names = cell_names(evidence.patterns.labels if evidence.facts is None else evidence.facts.labels)
    every = chain.from_iterable(_list_group(group, names, explain, against) for group in audit.groups)
    yield from encode_lines(map(as_record, chain([HEAD], every)))


def _list_group(
    group: FindingGroup, names: Mapping[Label, str], explain: int, against: Sequence[Source]
) -> Iterator[list[str]]:
    since = older_name(group.values.numbers, against) if isinstance(group.values, Changes) else ""
    for place, one in enumerate(group):
        which, lacked = rows_that(one.who, names), frozenset[Label]().union(*one.who.lacks)
        if isinstance(one.value, Change):
            which = f"{which}: {direction(one.value)} since {printable(since)}"
        elif isinstance(one.value, PeopleCell):
            which = f"{which}: {one.value.size}"
        count = str(one.low) if one.low == one.high else format_limits(one.low, one.high)
        items = joined(one.who.has, names), joined(lacked, names)
        yield [one.kind, count, which, *items, _explain(one, names, with_terms=place < explain)]


def _explain(one: AuditFinding, names: Mapping[Label, str], *, with_terms: bool) -> str:
    match one.value:
        case Change(before=before, after=after):
            return f"{after} now − {before} before"
        case Bounded():
            texts = (f"sup({joined(itemset, names)}) {format_limits(*limits)}" for itemset, limits in one.value.terms)
            return format_sum(one.terms, texts)
        case Few():
            return ""
        case Revealed():
            return one.value.sentence if with_terms else ""
    terms = one.terms if with_terms and one.kind != "implication" else []
    return format_sum(terms, (f"sup({joined(term.itemset, names)}) {term.support}" for term in terms)) if terms else ""


def direction(change: Change) -> str:
    """Return whether there are more rows of a kind, or fewer."""
    return "more" if change.count > 0 else "fewer"


def cell_names(labels: Iterable[Label]) -> dict[Label, str]:
    """Return the text of each label in a cell, quoted where it would be taken for something else."""
    names = {label: quote_label(str(label)) for label in labels}
    if len(set(names.values())) < len(names):
        raise OutputError(
            "two labels have the same text, such as 1 and '1', so cells cannot tell them apart; rename one"
        )
    return names


def joined(itemset: Itemset, names: Mapping[Label, str]) -> str:
    """Return an itemset as the CSV format of patterns has it."""
    return WITHIN.join(names[label] for label in sort_labels(itemset))


def rows_that(who: Who, names: Mapping[Label, str]) -> str:
    """Return which rows a finding is about."""
    if who.conditions or who.outcome:
        path = f"reach {' and '.join(map(printable, who.conditions)) or 'any row'}"
        return ", ".join(filter(None, (path, printable(who.outcome))))
    return f"hold {who.in_words(names.__getitem__) or 'anything'}"


def exposed_csv(audit: Audit) -> Iterator[bytes]:
    r"""Yield the exposed rows as CSV: row (from 1 on), id if rows have ids, channels, the smallest count.

    The smallest count comes first, then the most channels, then the row.

    >>> from discreet import audit
    >>> found = audit([["a", "b"]] * 9 + [["a"]] + [[]] * 2, min_support=5, k=3)
    >>> b"".join(exposed_csv(found))
    b'row,channels,smallest\n10,1,1\n11,1,2\n12,1,2\n'
    """
    rows, (numbers, channels, smallest, _) = exposed_rows(audit)
    head = ",".join(["row", *["id"] * (rows.ids is not None), "channels", "smallest"])
    order = np.lexsort((numbers, -channels, smallest))
    columns = zip(*(column[order].tolist() for column in (numbers, channels, smallest)), strict=True)
    lines = ([row + 1, *([] if rows.ids is None else [rows.ids[row]]), *counts] for row, *counts in columns)
    yield from encode_lines(chain([head], map(as_record, lines)))


def exposed_rows(audit: Audit) -> tuple[Transactions, Exposed]:
    """Return the rows, and which are exposed; refuse rows that are merged or not at hand."""
    exposed = audit.exposed
    if not isinstance(audit.rows, Transactions):
        raise InputError(
            "which rows are exposed cannot be told of merged rows, only how many; read all of them for that"
        )
    return audit.rows, exposed


def marked(name: str) -> str:
    """Return the name of a file with the mark, put before its suffixes unless it is there.

    >>> marked("out/exposed.csv"), marked("DO-NOT-RELEASE.csv")
    ('out/exposed.DO-NOT-RELEASE.csv', 'DO-NOT-RELEASE.csv')
    """
    path = Path(name)
    if MARK in path.name:
        return name
    stem, dot, suffixes = path.name.partition(".")
    return str(path.with_name(f"{stem}.{MARK}{dot}{suffixes}" if stem else f"{path.name}.{MARK}"))
