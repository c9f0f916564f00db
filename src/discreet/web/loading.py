"""Loading: what an upload holds, and how each kind of it is read."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, TypedDict, cast

from discreet import (
    Counts,
    InputError,
    Leaves,
    Patterns,
    Rules,
    Transactions,
    read,
    read_counts,
    read_patterns,
    read_rules,
    read_tree,
)
from discreet.data.patterns import Kind
from discreet.data.reading import Reading
from discreet.errors import Option, OptionError
from discreet.io.contents import Contents, find_other, look_into
from discreet.io.options import RowArguments
from discreet.io.read_counts import holds_counts
from discreet.judging.reading import list_signs
from discreet.publications.rules.intervals import Mode
from discreet.publications.trees.leaves import Forest
from discreet.report import Source
from discreet.runtime.text import count_of
from discreet.web.messages import describe_reading
from discreet.web.samples import load_sample

Holding: TypeAlias = Transactions | Patterns | Rules | Forest | Counts

ROWS: Final = "rows"
NAMED: Final = ("format", "row", "item", "items")  # options that say how rows, or patterns, are laid out
NO_RELEASE: Final = "this is a release; the page Verify checks it, and the page Compare what it reveals beside another"


class UploadOptions(TypedDict, total=False):
    """What a file holds, and how it is read; what is missing is found from its first part."""

    holds: str
    format: str
    row: str
    item: str
    items: str
    separator: str
    encoding: str
    header: bool
    empty_rows: bool
    columns: list[str]
    drop: list[str]
    na: list[str]
    bins: list[str]
    person: str
    per: str
    sheet: str
    n: int
    kind: Kind
    max_length: int
    digits: int
    rounding: Mode
    listed_from: str
    min_confidence: str
    counts: str
    totals: list[str]
    masked: list[str]
    round_to: int


class Data(NamedTuple):
    """Data by its id: a file with its path and options, or a sample, which has no path."""

    id: str
    file: str
    path: str | None
    options: UploadOptions


NO_DATA: Final = Data("", "", None, {})


class Loaded(NamedTuple):
    """Data that was read: what it ``holds``, a key of ``KINDS``; its source, and the options it was read with."""

    holds: str
    value: Holding
    source: Source
    options: Mapping[str, Any]

    @property
    def rows(self) -> Transactions | None:
        """The rows; None if it holds something else."""
        return self.value if isinstance(self.value, Transactions) else None

    @property
    def patterns(self) -> Patterns | None:
        """The patterns; None if it holds something else."""
        return self.value if isinstance(self.value, Patterns) else None

    @property
    def reading(self) -> dict[str, Any] | None:
        """How it was understood, as JSON; it holds no row. None for a sample, and for what has no layout."""
        return None if self.known is None else describe_reading(self.known, list_signs(self.value))

    @property
    def known(self) -> Reading | None:
        """How it was understood; None for a sample, and for what has no layout."""
        return getattr(self.value, "reading", None)

    @property
    def size(self) -> str:
        """How much it holds, in words."""
        match self.value:
            case Transactions():
                return count_of(self.value.n, "row")
            case Patterns():
                return count_of(len(self.value), "itemset")
            case Rules():
                return count_of(len(self.value.rules), "rule")
            case Forest():
                return count_of(len(self.value), "tree")
        return count_of(len(self.value.tables), "table")


class HoldingKind(NamedTuple):
    """Something that a file may hold: what pages call it, how it is read, and the options that this takes.

    It ``is_repaired`` by the step Fix, or else published as it is or not at all.
    """

    title: str
    read: Callable[..., Any]
    options: frozenset[str]
    is_repaired: bool = False


def _read_patterns(path: Path, **options: Any) -> Patterns:  # noqa: ANN401 - as read_patterns takes them
    found = look_into(path, is_patterns=True, format=options.get("format"))
    patterns = read_patterns(path, **{**options, "format": found.format})
    known = Reading("patterns", found.format, len(patterns), len(patterns.labels), confirmed="format" in options)
    return replace(patterns, reading=patterns.reading or known)


def _read_rules(path: Path, listed_from: str | None = None, **options: Any) -> Rules:  # noqa: ANN401 - as read_rules
    return read_rules(path, min_support=listed_from, **options)


def _read_forest(path: Path, n: int | None = None) -> Forest:
    trees = read_tree(path, n=n)
    return Forest([trees] if isinstance(trees, Leaves) else trees)


LAYOUT: Final = frozenset(("drop", "sheet", "separator", "encoding"))
KINDS: Final[Mapping[str, HoldingKind]] = {
    ROWS: HoldingKind(
        "rows of people or baskets",
        read,
        frozenset(("format", *RowArguments.__annotations__)),
        is_repaired=True,
    ),
    "patterns": HoldingKind(
        "patterns: itemsets and their supports", _read_patterns, frozenset(("format", "n", "kind", "max_length"))
    ),
    "rules": HoldingKind(
        "association rules",
        _read_rules,
        frozenset(("n", "digits", "rounding", "listed_from", "min_confidence")),
    ),
    "tables": HoldingKind(
        "tables of counts", read_counts, LAYOUT | {"counts", "totals", "masked", "round_to"}, is_repaired=True
    ),
    "tree": HoldingKind("a decision tree or forest", _read_forest, frozenset("n")),
}
"""What a file may hold; a new kind is a reader and an entry here."""


def find_holding(data: Data) -> str:
    """Return what a file holds: what its owner says, or what is found from its first part."""
    if data.path is None or "holds" in data.options:
        return data.options.get("holds", ROWS)
    path = Path(data.path)
    other = "" if any(name in data.options for name in NAMED) else find_other(path)
    if other:
        return other
    if not any(name in data.options for name in NAMED) and holds_counts(path):
        return "tables"
    return "patterns" if look(data).is_patterns else ROWS


def look(data: Data) -> Contents:
    """Return how the rows or patterns of a file are laid out, from its first part."""
    holds = data.options.get("holds")
    is_patterns = None if holds is None else holds == "patterns"
    return look_into(Path(data.path or ""), is_patterns=is_patterns, **_select(data.options, ROWS))


def load(data: Data) -> Loaded:
    """Return the data of a file, or of a sample."""
    if data.path is None:
        value, digest = load_sample(data.id)
        holds = ROWS if isinstance(value, Transactions) else "tables"
        return Loaded(holds, value, Source(data.file, digest), {})
    holds = find_holding(data)
    if holds not in KINDS:
        raise InputError(NO_RELEASE)
    for name in data.options:
        if name in UploadOptions.__annotations__ and name != "holds" and name not in KINDS[holds].options:
            raise OptionError(Option(name), f" is not for {holds}; leave it out")
    how = _select(data.options, holds)
    return Loaded(holds, KINDS[holds].read(Path(data.path), **how), find_source(data), how)


def find_source(data: Data) -> Source:
    """Return the name and the digest of the file of some data."""
    with Path(data.path or "").open("rb") as file:
        return Source(data.file, hashlib.file_digest(file, "sha256").hexdigest())


def _select(options: UploadOptions, holds: str) -> dict[str, Any]:
    """Return the options that the reader of a kind takes, also those that only a start of the server can give."""
    others = UploadOptions.__annotations__.keys() - KINDS[holds].options
    return {name: value for name, value in cast("dict[str, Any]", options).items() if name not in others}
