"""Findings as a table: what gives away too much, a line each, in cells that no spreadsheet takes for a formula."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain
from typing import Final

from discreet.audit import Audit
from discreet.channels import Channel, Difference, Term, signed
from discreet.errors import OutputError
from discreet.family import with_root
from discreet.io.coding import blocks
from discreet.io.csv import WITHIN, quoted
from discreet.labels import Itemset, Label, ordered

HEAD: Final = ["finding", "count", "rows that", "base", "lacked", "sum"]


def findings_csv(audit: Audit, *, explain: int = 100) -> Iterator[bytes]:
    r"""Yield all that was found as CSV: what it is, how many rows, which, base, what they lack, and the sum.

    Channels come first, then differences and implications, each kind with the worst first; the ``explain`` worst have
    their sums. Items have ``;`` between them, as in the format of patterns, and quotes where they need them.

    >>> from discreet import audit
    >>> found = audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10)
    >>> print(b"".join(findings_csv(found)).decode(), end="")
    finding,count,rows that,base,lacked,sum
    channel,2,"hold a and b, but not c",a;b,c,sup(a;b) 50 − sup(a;b;c) 48
    """
    names = cell_names(audit.patterns.labels)
    yield from blocks(_line(cells) for cells in chain([HEAD], _lines(audit, names, explain)))


def _lines(audit: Audit, names: Mapping[Label, str], explain: int) -> Iterator[list[str]]:
    """Yield the cells of each finding."""
    listed, channels = with_root(audit.patterns), audit.channels
    worst = () if channels is None else (channels[number] for number in channels.ranking().tolist())
    for kind, found in (("channel", worst), ("difference", audit.differences)):
        for number, one in enumerate(found):
            total = named_sum(one.terms(listed), names) if number < explain else ""
            yield [kind, str(one.count), *_which(one, names), total]
    for implication in audit.implications or ():
        nobody = Channel(implication.base, implication.base | {implication.item}, 0)
        yield ["implication", "0", *_which(nobody, names), ""]


def _which(one: Channel | Difference, names: Mapping[Label, str]) -> list[str]:
    return [rows_that(one, names), joined(one.base, names), joined(one.top - one.base, names)]


def cell_names(labels: Iterable[Label]) -> dict[Label, str]:
    """Return what stands for each label in a cell: its text, in quotes where it would be taken for something else."""
    names = {label: quoted(str(label)) for label in labels}
    if len(set(names.values())) < len(names):
        raise OutputError("two labels have the same text, such as 1 and '1', so a table cannot tell them; rename one")
    return names


def joined(itemset: Itemset, names: Mapping[Label, str]) -> str:
    """Return an itemset as the CSV format of patterns has it."""
    return WITHIN.join(names[label] for label in ordered(itemset))


def rows_that(one: Channel | Difference, names: Mapping[Label, str]) -> str:
    """Return who a finding is about; of a difference, only that they do not hold all of the rest."""
    base, lacked = ([names[label] for label in ordered(part)] for part in (one.base, one.top - one.base))
    held = f"hold {' and '.join(base)}" if base else "hold anything"
    few = " and ".join(lacked) if isinstance(one, Difference) else " nor ".join(lacked)
    return f"{held}, but not {'all of ' * (isinstance(one, Difference) and len(lacked) > 1)}{few}" if lacked else held


def named_sum(terms: Sequence[Term], names: Mapping[Label, str]) -> str:
    """Return a sum of supports, each with its itemset."""
    texts = (f"sup({joined(term.itemset, names)}) {term.support}" for term in terms)
    return signed(terms, texts) if terms else ""


def _line(cells: list[str]) -> str:
    """Return a line of CSV, quoted where it must be."""
    text = StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()
