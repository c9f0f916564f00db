"""The options of commands, declared once as dataclasses: a command gets one value with all of its options."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from fractions import Fraction
from functools import partial, wraps
from inspect import getdoc
from math import isfinite
from re import ASCII, fullmatch
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, TypeVar, get_args, get_origin

import click

import discreet
from discreet.cli import terminal
from discreet.cli.usage import OneOf, complete
from discreet.data.leaving_out import drop_items
from discreet.data.patterns import Kind
from discreet.data.thresholds import as_count
from discreet.errors import ThresholdError
from discreet.io.hierarchies import teach_parents
from discreet.judging.policy import as_policy
from discreet.runtime.text import abbreviate

if TYPE_CHECKING:
    from typing import BinaryIO

    from discreet.cli.terminal import Bars
    from discreet.mining.mine import Mining

Given = TypeVar("Given", bound="Options")
Number = TypeVar("Number", int, float)
Found = TypeVar("Found", discreet.Transactions, discreet.Merged, discreet.Patterns)

UNITS: Final = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def as_bytes(size: str) -> int:
    """Return a size in bytes, rounded down.

    >>> as_bytes("1.5GB"), as_bytes("2 MiB"), as_bytes("800")
    (1500000000, 2097152, 800)
    """
    match = fullmatch(r"(\d{1,40}(?:\.\d{1,40})?)\s*([A-Z]*)", size.strip().upper(), ASCII)
    if match is None or match[2] not in UNITS:
        raise click.BadParameter(f"{size[:40]!r}, no size; give a number and a unit such as 512MB, 2GB or 2GiB")
    return int(Fraction(match[1]) * UNITS[match[2]])


def _number(kind: type[Number], is_allowed: Callable[[Number], bool], allowed: str) -> Callable[[str], Number]:
    """Return a parser of numbers that says what is allowed."""

    def parse(text: str) -> Number:
        try:
            if is_allowed(number := kind(text)):
                return number
        except ValueError:
            pass
        raise click.BadParameter(f"{abbreviate(text)!r}; give {allowed}")

    return parse


def as_support(text: str) -> str:
    """Return a minimum support as it came, once it is known to be a count or a share."""
    try:
        as_count(text, 1)
    except ThresholdError as error:
        raise click.BadParameter(str(error).removeprefix("min support is ")) from None
    return text


COUNT: Final = _number(int, lambda number: number >= 0, "a whole number of at least 0")
POSITIVE: Final = _number(int, lambda number: number >= 1, "a whole number of at least 1")
WHOLE: Final = _number(int, lambda _: True, "a whole number")
DECIMAL: Final = _number(float, isfinite, "a number such as 0.5")
PORT: Final = _number(int, lambda number: 0 <= number < 1 << 16, "a whole number from 0 to 65535")
SACRO: Final = "Write a folder for output checkers, which SACRO-Viewer opens."
SCHEMA: Final = "Separator of attribute and value in labels, such as =; values of an attribute exclude each other."
DURATION: Final = _number(float, lambda number: number > 0, "a number of seconds above 0, such as 60")
SETTINGS: Final[Mapping[object, dict[str, object]]] = {
    bool: {"is_flag": True},
    int: {"type": POSITIVE},
    float: {"type": DURATION},
    tuple[str, ...]: {"multiple": True},
}
"""The settings of click for fields of a type, unless the field has its own."""


def option(words: str, metavar: str | None = None, *, name: str | None = None, **settings: object) -> Any:  # noqa: ANN401 - of any type
    """Declare a field as an option; its name and type say how it is written, unless ``settings`` of click do."""

    def declare(one: "Field[object]") -> Callable[[Callable[..., object]], Callable[..., object]]:
        kind = get_args(one.type)[0] if NoneType in get_args(one.type) else one.type
        known = {"type": OneOf(get_args(kind))} if get_origin(kind) is Literal else SETTINGS.get(kind, {})
        more: dict[str, Any] = {**known, **complete(metavar or ""), **settings}
        return click.option(name or _flag(one), one.name, help=words, metavar=metavar, show_default=True, **more)

    return field(metadata={"declare": declare, "flag": name})


def argument(metavar: str | None = None, *, required: bool = True, nargs: int = 1) -> Any:  # noqa: ANN401 - as above
    """Declare a field as an argument."""
    settings: dict[str, Any] = {"metavar": metavar, "required": required, "nargs": nargs, **complete(metavar or "FILE")}
    name = None if nargs == 1 else "another FILE"
    return field(metadata={"declare": lambda one: click.argument(one.name, **settings), "flag": name})


def _flag(one: "Field[object]") -> str:
    return one.metadata.get("flag") or f"--{one.name.replace('_', '-')}"


def command(kind: type[Given], short_help: str) -> Callable[[Callable[[Given], object]], click.Command]:
    """Make a command with the options of a class: those of FILE first, then its own, then the general ones.

    Its help is the docstring, whose examples come last.
    """

    def make(work: Callable[[Given], object]) -> click.Command:
        @wraps(work)
        def run(**given: object) -> object:
            return work(kind(**given))

        run.__doc__, _, examples = (getdoc(work) or "").partition("\n\nFor example:\n")
        first, last = names(FileOptions), names(ReadOptions, LimitOptions, EndingOptions)
        for one in sorted(fields(kind), key=lambda one: (one.name in last) - (one.name in first))[::-1]:
            run = one.metadata["declare"](one)(run)
        return click.command(short_help=short_help, epilog=f"\b\nExamples:\n{examples}")(run)

    return make


def refuse(*faults: tuple[object, str]) -> None:
    """Refuse wrong usage, with the first sentence whose condition holds."""
    for is_wrong, sentence in faults:
        if is_wrong:
            raise click.UsageError(sentence)


@dataclass(frozen=True)
class Options:
    """The options of a command."""

    def given(self, *wanted: str) -> Iterator[str]:
        """Yield the options among these fields that have a value, as they are written on the command line."""
        flags = {one.name: _flag(one) for one in fields(self)}
        for name in wanted:
            value = getattr(self, name)
            if not (value is None or value is False or value == ()):
                yield flags[name]

    def words(self, *wanted: str, **values: object) -> Iterator[str]:
        """Yield these fields that have a value, and other ``values``, as words of a command line."""
        flags = {one.name: _flag(one) for one in fields(self)}
        for name, value in [*((name, getattr(self, name)) for name in wanted), *values.items()]:
            flag, *other = flags.get(name, f"--{name.replace('_', '-')}").split("/")
            if isinstance(value, bool):
                yield from [flag] if value else other
            else:
                several = value if isinstance(value, tuple) else () if value is None else (value,)
                yield from (word for one in several for word in (flag, str(one)))


def names(*kinds: type[Options]) -> list[str]:
    """Return the names of all options of some classes."""
    return [one.name for kind in kinds for one in fields(kind)]


@dataclass(frozen=True)
class QuietOptions(Options):
    """How much is said."""

    quiet: bool = option("Write nothing to stderr but errors.")


@dataclass(frozen=True)
class EndingOptions(QuietOptions):
    """Where a result goes, and how."""

    as_json: bool = option("Write the whole result as JSON.", name="--json")
    out: str | None = option("Write to this file instead of stdout; as JSON if it ends with .json.", "FILE")


@dataclass(frozen=True)
class ColumnOptions(Options):
    """How a file of rows is read."""

    format: str | None = option(
        "Shape of FILE (baskets, long, onehot, table) or its format (fimi, csv, …).  [default: found from FILE]", "NAME"
    )
    row: str | None = option("Column of row ids, in a long or a one-hot table.", "NAME")
    item: str | None = option("Column of items, if each line holds a row id and an item.", "NAME")
    items: str | None = option("Column of lists of items, in Parquet or Arrow.", "NAME")
    columns: tuple[str, ...] = option("Columns of a table to read, such as sex,age.  [default: all]", "NAMES")
    drop: tuple[str, ...] = option("Columns of a table to leave out, such as name,city.", "NAMES")
    na: tuple[str, ...] = option("A value that means missing, beside empty, NA and NaN.", "TEXT")
    bins: tuple[str, ...] = option(
        "Group numbers: age=10 by width, age=0,18,65 at edges, age=q4 in quarters.", "COLUMN=HOW"
    )
    person: str | None = option("Column that says whose row it is; rows of one person are merged.", "NAME")
    per: str | None = option("Keep the rows of a person apart, such as --per visit; count people too.", "WORD")
    separator: str | None = option("Separator of fields in CSV.  [default: found from FILE]", "CHARACTER")
    encoding: str | None = option("Encoding of a text FILE, such as cp1252.  [default: found from FILE]", "NAME")
    header: bool | None = option(
        "Whether the first line names the columns.  [default: found from FILE]",
        name="--header/--no-header",
        default=None,
    )
    empty_rows: bool = option("A blank line is a row without items.")
    sheet: str | None = option("Sheet of a spreadsheet, if several are filled.", "NAME")
    labels: str | None = option("Table of codes and their names.", "FILE")
    everyone: str | None = option("Table of all row ids, in the column of --row, for those without any item.", "FILE")

    def how(self) -> dict[str, Any]:
        """Return the options of a file by their names."""
        return {name: getattr(self, name) for name in names(ColumnOptions)}


@dataclass(frozen=True)
class ReadOptions(ColumnOptions):
    """How rows are read from a file or a database."""

    table: str | None = option("Table to read, if FILE is the URL of a database.", "NAME")
    query: str | None = option("Query to read from a database, instead of a table.", "SQL")
    also: tuple[str, ...] = argument("[FILE]...", required=False, nargs=-1)

    def read(self, place: "str | BinaryIO", memory: int | None = None) -> discreet.Transactions:
        """Return the rows of a file."""
        several = [place, *self.also] if self.also else place
        n = getattr(self, "n", None)
        rows = discreet.read(several, **self.how(), table=self.table, query=self.query, memory=memory, n=n)
        return self.prepare(rows)

    def prepare(self, found: Found) -> Found:
        """Return rows or patterns with parents of items, and without what is left out; say how they were understood."""
        known = teach_parents(found, getattr(self, "hierarchy", ()) or None)
        found = drop_items(known, getattr(self, "leave_out", ()))
        self.announce(found)
        return found

    def announce(self, found: discreet.Transactions | discreet.Merged | discreet.Patterns | discreet.Counts) -> None:
        """Say on stderr how rows or patterns were understood; a terminal shows the first three rows."""
        if found.reading is not None and not getattr(self, "quiet", False):
            terminal.show_reading(found.reading, found)


COUNTS_READING: Final = ("columns", "drop", "separator", "encoding", "sheet")
"""Options of reading that tables of counts have, too."""


@dataclass(frozen=True)
class CountsOptions(Options):
    """That FILE holds tables of counts, and how they are read."""

    counts: str | None = option(
        "FILE holds tables of counts; NAME is the column of counts.  [default: found from FILE]",
        "[NAME]",
        is_flag=False,
        flag_value="",
    )
    acro: bool = option("FILE is the folder of an ACRO session, whose tables of counts are judged together.")
    total: tuple[str, ...] = option("In tables of counts: a word for all values together, beside Total or All.", "WORD")
    masked: tuple[str, ...] = option(
        "In tables of counts: what a mark means, such as '*=1..10'; 'absent=0..5' is about missing lines.",
        "MARK=LOW..HIGH",
    )

    @property
    def is_table(self) -> bool:
        """Whether FILE holds tables of counts."""
        return any(self.given(*names(CountsOptions)))

    def count_reader(self, reading: ReadOptions) -> Callable[[Any], discreet.Counts]:
        """Return a reader of tables of counts, with the options of reading that they have, too."""
        return partial(
            discreet.read_counts,
            format="acro" if self.acro else reading.format,
            counts=self.counts or None,
            totals=self.total,
            masked=self.masked,
            round_to=getattr(self, "round_to", None),
            hierarchy=getattr(self, "hierarchy", ()) or None,
            **{name: getattr(reading, name) for name in COUNTS_READING},
        )


@dataclass(frozen=True)
class ItemOptions(Options):
    """What is published of items, however FILE was read."""

    leave_out: tuple[str, ...] = option(
        "An item that is not published, or a column of a table for all its values; may be repeated.", "ITEM"
    )
    hierarchy: tuple[str, ...] = option(
        "Parents of items, which count as items: a table of children and parents, prefix:3,1, bins (neighbours), or "
        "COLUMN= and one of these or rare:50; may be repeated.",
        "FILE|HOW",
    )


class Time(TypedDict, total=False):
    """Time for a search, if it is limited."""

    seconds: float


def limit_time(seconds: float | None) -> Time:
    """Return the time for a search; the library has a default."""
    return {} if seconds is None else {"seconds": seconds}


@dataclass(frozen=True)
class LimitOptions(ItemOptions):
    """Limits on mining."""

    max_length: int | None = option(
        "Itemsets of at most N items are published; of patterns: longer ones were left out.", "N", type=COUNT
    )
    max_patterns: int | None = option("Stop with an error above N itemsets.", "N")
    memory: int | None = option("Limit memory, such as 2GB.", "SIZE", type=as_bytes)
    threads: int | None = option("Number of threads.  [default: all cores]", "N")

    def budget(self, bars: "Bars") -> "Mining":
        """Return the limits and the progress bar as the library takes them."""
        return {
            "max_length": self.max_length,
            "max_patterns": self.max_patterns,
            "memory": self.memory,
            "threads": self.threads,
            "progress": bars,
        }


@dataclass(frozen=True)
class FileOptions(Options):
    """FILE: rows if there is a minimum support to mine them at; otherwise patterns, perhaps with their rows."""

    file: str = argument()
    min_support: str | None = option(
        "FILE holds rows; mine the closed itemsets shared by at least this many: 813, 10%, 0.1.",
        "COUNT|SHARE",
        type=as_support,
    )
    n: int | None = option("Number of rows the patterns in FILE were mined from.", "N", type=COUNT)
    kind: Kind | None = option("Kind of the patterns in FILE.  [default: as FILE says, else frequent]")
    rows_file: str | None = option("Rows that the patterns in FILE were mined from.", "FILE", name="--rows")

    @property
    def has_rows(self) -> bool:
        """Whether the rows are known."""
        return self.min_support is not None or self.rows_file is not None


@dataclass(frozen=True)
class CandidateOptions(LimitOptions, ReadOptions, FileOptions):
    """FILE with rows or patterns, and how it is read and mined."""


@dataclass(frozen=True)
class RuleOptions(Options):
    """The rule that patterns are judged by."""

    k: int | None = option("Smallest group that anyone may learn about.", "K", name="-k")
    policy: str | None = option("Judge by a policy: acro, opensafely, … or a .toml, .yaml or .json file.", "NAME|FILE")

    def check_rule(self) -> None:
        """Refuse to judge by nothing."""
        refuse((self.k is None and self.policy is None, "Neither -k nor --policy is given: give one, such as -k 10"))
        as_policy(self.policy, self.k)  # refuses what cannot be judged by before anything is read


@dataclass(frozen=True)
class PublishedOptions(LimitOptions, ReadOptions, CountsOptions, RuleOptions):
    """FILE with rows, of which itemsets would be published; or with tables of counts."""

    file: str = argument()
    min_support: str | None = option(
        "Publish only itemsets shared by at least this many rows: 813, 10%, 0.1.", "COUNT|SHARE", type=as_support
    )
    round_to: int | None = option("With --counts: counts in FILE were rounded to multiples of N.", "N")

    @property
    def least(self) -> str:
        """The minimum support, which rows need."""
        refuse((self.round_to is not None, "--round-to is for tables of counts: give --counts"))
        if self.min_support is None:
            remedies = "give --min-support COUNT|SHARE, or --counts if FILE holds tables of counts"
            raise click.UsageError(f"--min-support is missing; {remedies}")
        return self.min_support


@dataclass(frozen=True)
class OlderOptions(Options):
    """Older releases, each a folder of ``discreet block`` or a file of patterns."""

    against: tuple[str, ...] = option(
        "Compare with an older release: a folder or a file of patterns; may be repeated.", "OLD"
    )
    grown: bool = option("Rows were only added since the older releases; none was removed.")
