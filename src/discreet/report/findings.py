"""Findings of any candidate as a table: one per line, in cells that no spreadsheet takes for a formula."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from discreet.data.itemsets import Itemset, Label, sort_labels
from discreet.data.transactions import Merged, Transactions
from discreet.disclosure.channels import Exposed, Term, format_sum
from discreet.errors import InputError, OutputError
from discreet.io.files import MARK
from discreet.io.text import WITHIN, as_record, encode_lines, quote_label
from discreet.judging.audit import Audit
from discreet.judging.finding import AuditFinding, FindingGroup, Who
from discreet.publications.rules.bounded import Bounded
from discreet.publications.rules.intervals import format_limits
from discreet.publications.series import Change, Changes
from discreet.publications.trees.leaves import Few
from discreet.report.wording import Source, older_name
from discreet.runtime.text import printable

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
        items = joined(one.who.has, names), joined(lacked, names)
        yield [
            one.kind,
            str(one.low) if one.low == one.high else format_limits(one.low, one.high),
            which,
            *items,
            _sum(one, names, is_short=place >= explain),
        ]


def _sum(one: AuditFinding, names: Mapping[Label, str], *, is_short: bool) -> str:
    match one.value:
        case Change(before=before, after=after):
            return f"{after} now − {before} before"
        case Bounded():
            texts = (f"sup({joined(itemset, names)}) {format_limits(*limits)}" for itemset, limits in one.value.terms)
            return format_sum(one.terms, texts)
        case Few():
            return ""
    return "" if is_short or one.kind == "implication" else named_sum(one.terms, names)


def direction(change: Change) -> str:
    """Return whether there are more rows of a kind, or fewer."""
    return "more" if change.count > 0 else "fewer"


def cell_names(labels: Iterable[Label]) -> dict[Label, str]:
    """Return the text of each label in a cell, quoted where it would be taken for something else."""
    names = {label: quote_label(str(label)) for label in labels}
    if len(set(names.values())) < len(names):
        raise OutputError(
            "two labels have the same text, such as 1 and '1', so a table cannot tell them apart; rename one"
        )
    return names


def joined(itemset: Itemset, names: Mapping[Label, str]) -> str:
    """Return an itemset as the CSV format of patterns has it."""
    return WITHIN.join(names[label] for label in sort_labels(itemset))


def rows_that(who: Who, names: Mapping[Label, str]) -> str:
    """Return which rows a finding is about."""
    if who.conditions or who.outcome:
        return ", ".join(
            filter(None, (f"reach {' and '.join(map(printable, who.conditions)) or 'any row'}", printable(who.outcome)))
        )
    return f"hold {who.in_words(names.__getitem__) or 'anything'}"


def named_sum(terms: Sequence[Term], names: Mapping[Label, str]) -> str:
    """Return a sum of supports, each with its itemset."""
    texts = (f"sup({joined(term.itemset, names)}) {term.support}" for term in terms)
    return format_sum(terms, texts) if terms else ""


def exposed_csv(audit: Audit) -> Iterator[bytes]:
    r"""Yield the exposed rows as CSV: row (from 1 on), id if rows have ids, channels, the smallest count.

    The smallest count comes first, then the most channels, then the row.

    >>> from discreet import audit
    >>> found = audit([["a", "b"]] * 9 + [["a"]] + [[]] * 2, min_support=5, k=3)
    >>> b"".join(exposed_csv(found))
    b'row,channels,smallest\n10,1,1\n11,1,2\n12,1,2\n'
    """
    rows, exposed = exposed_rows(audit)
    yield from encode_lines(_lines(exposed, rows.ids))


def exposed_rows(audit: Audit) -> tuple[Transactions, Exposed]:
    """Return the rows, and which are exposed; refuse to tell where they are not at hand, or merged."""
    if audit.exposed is None or audit.rows is None:
        raise InputError("exposed rows can be told only where the rows are at hand, and channels could be looked for")
    if isinstance(audit.rows, Merged):
        raise InputError(
            "which rows are exposed cannot be told of merged rows, only how many; read all of them for that"
        )
    return audit.rows, audit.exposed


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


def _lines(exposed: Exposed, ids: Sequence[Hashable] | None) -> Iterator[str]:
    numbers, channels, smallest, _ = exposed
    yield ",".join(["row", *["id"] * (ids is not None), "channels", "smallest"])
    for at in np.lexsort((numbers, -channels, smallest)).tolist():
        row = int(numbers[at])
        yield as_record([row + 1, *([] if ids is None else [ids[row]]), int(channels[at]), int(smallest[at])])
