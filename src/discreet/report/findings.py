"""Findings as a table: what gives away too much, a line each, in cells that no spreadsheet takes for a formula."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from discreet.data.labels import Itemset, Label, sort_labels
from discreet.data.lattice import with_root
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.channels import Channel, Channels, Difference, Term, signed
from discreet.errors import OutputError
from discreet.io.formats.csv import WITHIN, line, quoted
from discreet.io.label_codes import blocks
from discreet.judging.audit import Audit
from discreet.publications.rules.bounded import Bounded
from discreet.publications.rules.bounded import in_words as within
from discreet.publications.rules.rule import Rules
from discreet.publications.series.change import Change, Changes
from discreet.publications.trees.leaves import Few, Forest
from discreet.report.wording import Source, older_name
from discreet.runtime.text import printable

HEAD: Final = ["finding", "count", "rows that", "base", "lacked", "sum"]


def findings_csv(audit: Audit, *, explain: int = 100, against: Sequence[Source] = ()) -> Iterator[bytes]:
    r"""Yield all that was found as CSV: what it is, how many rows, which, base, what they lack, and the sum.

    Channels come first, then differences and implications, rests of attributes, changes since older releases, and sums
    within limits, each kind with the worst first; the ``explain`` worst have their sums. Items have ``;`` between them,
    as in the format of patterns, and quotes where they need them. ``against`` are the files of the older releases. Of
    trees it is the counts of few rows.

    >>> from discreet import audit
    >>> found = audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10)
    >>> print(b"".join(findings_csv(found)).decode(), end="")
    finding,count,rows that,base,lacked,sum
    channel,2,"hold a and b, but not c",a;b,c,sup(a;b) 50 − sup(a;b;c) 48
    """
    lines: Iterable[list[str]]
    if isinstance(audit.candidate, Forest):
        lines = map(_few, audit.evidence.leaves)
    elif isinstance(audit.candidate, Rules | Facts):
        names = cell_names(() if audit.evidence.facts is None else audit.evidence.facts.labels)
        lines = _of_facts(audit, names, explain)
    else:
        names = cell_names(audit.patterns.labels)
        lines = chain(_lines(audit, names, explain), _changes(audit.changes, names, against))
    yield from blocks(map(line, chain([HEAD], lines)))


def _lines(audit: Audit, names: Mapping[Label, str], explain: int) -> Iterator[list[str]]:
    """Yield the cells of each finding of one list."""
    yield from _channels(audit.channels, audit.patterns, names, explain)
    listed = with_root(audit.patterns)
    for number, one in enumerate(audit.differences):
        total = named_sum(one.terms(listed), names) if number < explain else ""
        yield ["difference", str(one.count), *_which(one, names), total]
    for implication in audit.implications or ():
        nobody = Channel(implication.base, implication.base | {implication.item}, 0)
        yield ["implication", "0", *_which(nobody, names), ""]
    yield from (_bounded("rest", one, names) for one in audit.evidence.remainders)


def _channels(
    channels: Channels | None, patterns: Patterns, names: Mapping[Label, str], explain: int
) -> Iterator[list[str]]:
    listed = patterns if channels is None else with_root(patterns)
    for place, number in enumerate(() if channels is None else channels.ranking().tolist()):
        one = channels[number]  # type: ignore[index]  # without channels there are no numbers
        total = named_sum(one.terms(listed), names) if place < explain else ""
        yield ["channel", str(one.count), *_which(one, names), total]


def _of_facts(audit: Audit, names: Mapping[Label, str], explain: int) -> Iterator[list[str]]:
    """Yield the cells of each finding of what is known within limits."""
    yield from _channels(audit.channels, audit.patterns, names, explain)
    yield from (_bounded("bounds", one, names) for one in audit.evidence.bounded)


def _few(few: Few) -> list[str]:
    path = " and ".join(map(printable, few.path)) or "any row"
    outcome = ", ".join(filter(None, (f"reach {path}", printable(few.outcome))))
    return ["leaf", within((few.low, few.high)), outcome, "", "", ""]


def _bounded(kind: str, one: Bounded, names: Mapping[Label, str]) -> list[str]:
    texts = (f"sup({joined(itemset, names)}) {within(limits)}" for itemset, limits in one.terms)
    return [kind, within((one.low, one.high)), *_which(as_finding(one), names), signed(one.sum, texts)]


def _changes(since: Iterable[Changes], names: Mapping[Label, str], against: Sequence[Source]) -> Iterator[list[str]]:
    for changes in since:
        name = printable(older_name(changes.numbers, against))
        for one in changes:
            which, *items = _which(one, names)
            more = f"{which}: {way(one)} since {name}"
            yield ["change", str(abs(one.count)), more, *items, f"{one.after} now − {one.before} before"]


def way(change: Change) -> str:
    """Return whether there are more rows of a kind, or fewer."""
    return "more" if change.count > 0 else "fewer"


def as_finding(one: Bounded) -> Channel | Difference:
    """Return a finding within limits as one that is known exactly: it speaks of the same rows."""
    kind = Difference if len(one.lacked) == 1 else Channel
    return kind(one.base, one.top, one.high)


def _which(one: Channel | Difference | Change, names: Mapping[Label, str]) -> list[str]:
    return [rows_that(one, names), joined(one.base, names), joined(one.top - one.base, names)]


def cell_names(labels: Iterable[Label]) -> dict[Label, str]:
    """Return what stands for each label in a cell: its text, in quotes where it would be taken for something else."""
    names = {label: quoted(str(label)) for label in labels}
    if len(set(names.values())) < len(names):
        raise OutputError("two labels have the same text, such as 1 and '1', so a table cannot tell them; rename one")
    return names


def joined(itemset: Itemset, names: Mapping[Label, str]) -> str:
    """Return an itemset as the CSV format of patterns has it."""
    return WITHIN.join(names[label] for label in sort_labels(itemset))


def rows_that(one: Channel | Difference | Change, names: Mapping[Label, str]) -> str:
    """Return who a finding is about; of a difference, only that they do not hold all of the rest."""
    base, lacked = ([names[label] for label in sort_labels(part)] for part in (one.base, one.top - one.base))
    held = f"hold {' and '.join(base)}" if base else "hold anything"
    few = " and ".join(lacked) if isinstance(one, Difference) else " nor ".join(lacked)
    return f"{held}, but not {'all of ' * (isinstance(one, Difference) and len(lacked) > 1)}{few}" if lacked else held


def named_sum(terms: Sequence[Term], names: Mapping[Label, str]) -> str:
    """Return a sum of supports, each with its itemset."""
    texts = (f"sup({joined(term.itemset, names)}) {term.support}" for term in terms)
    return signed(terms, texts) if terms else ""
