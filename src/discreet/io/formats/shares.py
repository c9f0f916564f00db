"""Itemsets with shares of the rows as their supports, as they are printed: of CSV files and frames."""

from typing import Any

from discreet.data.labels import Itemset, is_missing
from discreet.errors import InputError, OptionError
from discreet.io import frames
from discreet.io.files import Data, Place, load, naming, suffix_of
from discreet.io.formats.csv import HEADER, items_of, records, text_of
from discreet.io.label_codes import as_labels, as_text


def read(source: Place, format: str | None = None) -> list[tuple[Itemset, str]]:  # noqa: A002 - the word of users
    r"""Return the itemsets of a CSV file with the header ``itemset,support``, and their supports as texts.

    >>> from io import BytesIO
    >>> read(BytesIO(b"itemset,support\na;b,12.5%\n"), "csv") == [({"a", "b"}, "12.5%")]
    True
    """
    if (suffix_of(source).removeprefix(".") if format is None else format) != "csv":
        raise OptionError("rounded shares are read from CSV files with the columns itemset and support; give one")
    with naming(source):
        return _csv(load(source))


def from_frame(frame: Any) -> list[tuple[Itemset, str]]:  # noqa: ANN401 - of any library
    """Return the itemsets of a frame in the layout of mlxtend, and their supports as texts."""
    table = frames.narwhal(frame)
    if not {"itemsets", "support"} <= set(table.columns):
        raise InputError("a frame of patterns needs the columns 'support' and 'itemsets'; rename them")
    supports = table["support"].to_list()
    missing = sum(map(is_missing, supports))
    if missing:
        raise InputError(f"{missing:,} of {len(supports):,} supports are missing; fill them, or leave their lines out")
    return [(frozenset(one), str(share)) for one, share in zip(table["itemsets"].to_list(), supports, strict=True)]


def _csv(data: Data) -> list[tuple[Itemset, str]]:
    as_text(data)
    lines = [line for line in records(text_of(data), ",") if line]
    if not lines or lines[0] != HEADER:
        raise InputError(f"the first line must be the header {','.join(HEADER)}, and supports shares such as 12.5%")
    itemsets = [items_of(line, at) for at, line in enumerate(lines[1:], start=1)]
    distinct = list(dict.fromkeys(label for itemset in itemsets for label in itemset))
    label_of = dict(zip(distinct, as_labels(distinct), strict=True))
    return [
        (frozenset(label_of[label] for label in itemset), line[1])
        for itemset, line in zip(itemsets, lines[1:], strict=True)
    ]
