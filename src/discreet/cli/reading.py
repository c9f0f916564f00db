"""FILE: rows, patterns and other candidates for publication, with the digest of their file; and their audit."""

import hashlib
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias, TypeVar

import click

import discreet
from discreet import Audit, BudgetError, InputError, Merged, OptionError, Patterns, Transactions
from discreet.blocking.beside import read_release
from discreet.cli.options import (
    COUNT,
    COUNTS_READING,
    SCHEMA,
    CandidateOptions,
    CountsOptions,
    LimitOptions,
    OlderOptions,
    ReadOptions,
    RuleOptions,
    names,
    option,
    refuse,
)
from discreet.cli.terminal import Bars
from discreet.io.contents import OTHERS, find_other
from discreet.io.files import digest as sha256_of
from discreet.io.files import is_url
from discreet.io.grids import CONFIG, SESSION
from discreet.io.parts import Parts, are_parts, find_parts
from discreet.io.read_counts import holds_counts
from discreet.publications.rules.intervals import Mode
from discreet.report import Source, database_source

Value = TypeVar("Value")
Rows: TypeAlias = Transactions | Merged

PIECE: Final = 1 << 20
"""A file is scanned in pieces of this many bytes, so a smaller limit on memory would save nothing."""


@dataclass(frozen=True)
class PublicationOptions(CountsOptions):
    """What FILE holds, if it is no list of exact supports: counts, rules, rounded or largest supports, trees."""

    rules: bool = option("FILE holds association rules: from SPMF, arules or mlxtend, or PMML.")
    top: bool = option("FILE lists the itemsets with the largest supports, and no others.")
    digits: int | None = option("Shares in FILE have N decimal places.", "N", type=COUNT)
    rounding: Mode | None = option("How numbers in FILE were rounded.")
    round_to: int | None = option("Supports in FILE were rounded to multiples of N.", "N")
    listed_from: str | None = option(
        "FILE is announced to list all itemsets with this support: 813, 10%, 0.1.", "COUNT|SHARE"
    )
    min_confidence: str | None = option("FILE is announced to list all rules with this confidence: 60%.", "SHARE")
    tree: bool = option(
        "FILE holds a decision tree, a forest or a list of rules: scikit-learn's text or dot, PMML, or JSON."
    )
    targets: str | None = option(
        "Values that the target of a regression tree takes, such as 0,1; or its column in --rows.", "VALUES|NAME"
    )


@dataclass(frozen=True)
class JudgeOptions(CandidateOptions, OlderOptions, PublicationOptions, RuleOptions):
    """FILE, what it holds and how it is read, and how it is judged."""

    schema: str | None = option(SCHEMA, "TEXT")

    def check_rule(self) -> None:
        """Refuse to judge by nothing; an ACRO session brings its own rule."""
        if self.session_rule is None:
            none = f"{self.file} holds no {CONFIG} of an ACRO session, its rule: check the folder, or give -k 10"
            refuse((self.acro and self.k is None and self.policy is None, none))
            super().check_rule()

    @property
    def session_rule(self) -> str | None:
        """The rule of an ACRO session, if no other is given."""
        rule = Path(self.file) / CONFIG
        return str(rule) if self.acro and self.k is None and self.policy is None and rule.is_file() else None

    @property
    def sources(self) -> tuple[str | None, ...]:
        """The files that are read."""
        return self.file, self.rows_file, *self.against

    @property
    def is_exact(self) -> bool:
        """Whether FILE holds rows, or a list of exact supports."""
        return not any(self.given(*names(PublicationOptions)))

    def refuse(self, what: str, *wrong: str) -> None:
        """Refuse options that mean nothing to a kind of FILE."""
        for flag in self.given(*wrong):
            raise OptionError(f"{flag} is not for {what}; leave one out")


class Judged(NamedTuple):
    """An audit, the digest of FILE, and those of older releases."""

    audit: Audit
    source: Source
    against: list[Source]


EXACT_ONLY: Final = ("min_support", *names(OlderOptions, LimitOptions))
"""Options that are for rows or lists of exact supports alone."""


def judge(asked: JudgeOptions, bars: Bars, *exact_only: str, keep_ids: bool) -> Judged:
    """Audit FILE; refuse options that are ``exact_only`` if it holds anything but exact supports.

    Rows may be merged to save memory, unless ``keep_ids`` says that their ids are needed.
    """
    has_tables = asked.is_exact and holds_tables(asked)
    if has_tables or not asked.is_exact:
        wrong = (*EXACT_ONLY, *exact_only)
        if has_tables or asked.is_table:
            return _judge_counts(asked, bars, *wrong)
        return Judged(*(_judge_trees(asked, *wrong) if asked.tree else _judge_facts(asked, *wrong)), [])
    old, against = read_older(asked)
    judge_by = partial(
        discreet.audit, k=asked.k, policy=asked.policy, schema=asked.schema, against=old, grown=asked.grown
    )
    merging = None if keep_ids else bars
    if asked.min_support is None:
        patterns, known, source = load_patterns(asked, merging)
        bars(1, len(patterns))
        return Judged(judge_by(patterns, rows=known), source, against)
    rows, source = load_rows(asked, asked.min_support, merging)
    return Judged(judge_by(rows, min_support=asked.min_support, **asked.budget(bars)), source, against)


def holds_tables(asked: CandidateOptions) -> bool:
    """Return whether FILE certainly holds tables of counts, though no option says so."""
    is_open = asked.file == "-" or is_url(asked.file)
    return not (is_open or any(asked.given("min_support", "format", "kind", "n"))) and holds_counts(asked.file)


def _judge_facts(asked: JudgeOptions, *wrong: str) -> tuple[Audit, Source]:
    """Audit rules, or supports within limits; other options of reading are for the rows behind them."""
    reading = replace(asked, format=None)
    reading.refuse("rules or rounded supports", *wrong, "kind", "targets")
    if asked.rows_file is None:
        reading.refuse("rules or rounded supports", *names(ReadOptions))
    value, source = digest(asked.file, partial(_read_facts, asked))
    rows = None if asked.rows_file is None else read_all(asked.rows_file, reading)[0]
    return discreet.audit(value, rows=rows, k=asked.k, policy=asked.policy, schema=asked.schema), source


def _judge_counts(asked: JudgeOptions, bars: Bars, *wrong: str) -> Judged:
    """Audit tables of counts, perhaps with older ones, and with the rows that they count."""
    for_counts = {*names(CountsOptions), *COUNTS_READING, "round_to", "hierarchy", "format"}
    allowed = for_counts | {*names(OlderOptions)} | ({*names(ReadOptions)} if asked.rows_file else set())
    every = (*names(PublicationOptions), *wrong, "schema", "kind", "n", *names(ReadOptions))
    asked.refuse("tables of counts", *(name for name in every if name not in allowed))
    reader = asked.count_reader(asked)
    counts, source = digest(asked.file, reader)
    asked.announce(counts)
    olds = [digest(place, reader) for place in asked.against]
    rows = None if asked.rows_file is None else read_all(asked.rows_file, replace(asked, format=None, hierarchy=()))[0]
    older, tell = [old for old, _ in olds], bars.step("deciding", "counts decided")
    judged = discreet.audit(
        counts,
        k=asked.k,
        policy=asked.session_rule or asked.policy,
        rows=rows,
        against=older,
        grown=asked.grown,
        progress=tell,
    )
    return Judged(judged, source, [one for _, one in olds])


def _judge_trees(asked: JudgeOptions, *wrong: str) -> tuple[Audit, Source]:
    """Audit trees; their rows are the features that they were fitted on."""
    others = [name for name in names(PublicationOptions) if name not in {"tree", "targets"}]
    replace(asked, format=None).refuse("trees", *others, *wrong, "schema", "kind", *names(ReadOptions))
    targets = None if asked.targets is None else _split_targets(asked.targets)
    reader = partial(discreet.read_tree, format=asked.format, n=asked.n, rows=asked.rows_file, targets=targets)
    trees, source = digest(asked.file, reader)
    return discreet.audit(trees, k=asked.k, policy=asked.policy), source


def _read_facts(asked: JudgeOptions, place: str | BinaryIO) -> "discreet.Facts | discreet.Rules":
    """Return rules, or supports within limits."""
    form, n, digits, rounding, least = asked.format, asked.n, asked.digits, asked.rounding, asked.listed_from
    confidence, to, top = asked.min_confidence, asked.round_to, asked.top
    if asked.rules:
        if top or to is not None:
            raise OptionError("--top and --round-to are for itemsets, not for rules; leave one out")
        return discreet.read_rules(
            place, format=form, n=n, digits=digits, rounding=rounding, min_support=least, min_confidence=confidence
        )
    if confidence is not None:
        raise OptionError("--min-confidence is for rules; add --rules, or leave it out")
    return discreet.read_facts(
        place, format=form, n=n, digits=digits, rounding=rounding, round_to=to, min_support=least, top=top
    )


def _split_targets(text: str) -> str | list[float]:
    """Return the values in a text with commas, or else the name of a column.

    >>> _split_targets("0, 1"), _split_targets("stays"), _split_targets("1,b")
    ([0.0, 1.0], 'stays', '1,b')
    """
    try:
        return [float(part) for part in text.split(",")] if "," in text else text
    except ValueError:
        return text


def mine_or_load(asked: CandidateOptions, bars: Bars) -> tuple[Patterns, Rows | None, Source]:
    """Return the patterns of FILE, which are mined if it holds rows; the rows if they are given; the digest of FILE."""
    if asked.min_support is None:
        patterns, known, source = load_patterns(asked, bars)
        bars(1, len(patterns))
        return patterns, known, source
    rows, source = load_rows(asked, asked.min_support, bars)
    return discreet.mine(rows, min_support=asked.min_support, **asked.budget(bars)), rows, source


def load_rows(asked: CandidateOptions, min_support: str, bars: Bars | None) -> tuple[Rows, Source]:
    """Return the rows of FILE, which may be merged if there are ``bars``, and its digest."""
    for flag in asked.given("kind", "rows_file"):
        raise OptionError(f"{flag} is for patterns, but with --min-support FILE holds rows; leave one out")
    return read_rows(asked.file, asked, asked.memory, [min_support], bars)


def load_patterns(asked: CandidateOptions, bars: Bars | None) -> tuple[Patterns, Rows | None, Source]:
    """Return the patterns of FILE, the rows that they were mined from if these are given, and the digest of FILE."""
    for flag in asked.given(
        *(name for name in names(LimitOptions) if name not in {"max_length", "leave_out", "hierarchy"})
    ):
        raise OptionError(f"{flag} is for mining; if FILE holds rows, not patterns, give --min-support")
    reading = replace(asked, format=None)  # the rows have a suffix of their own
    for flag in () if asked.rows_file else reading.given(*names(ReadOptions)):
        raise OptionError(f"{flag} is for rows; if FILE holds rows, give --min-support")
    try:
        mined = {"n": asked.n, "kind": asked.kind, "max_length": asked.max_length}
        is_folder = asked.file != "-" and not is_url(asked.file) and Path(asked.file).is_dir()
        if is_folder:
            patterns, source = _read_release(Path(asked.file))
        else:
            patterns, source = _read_patterns(asked.file, asked.format, **mined)
    except (InputError, OptionError) as error:
        other = find_other(Path(asked.file))
        if other:
            raise InputError(f"{asked.file}: ", OTHERS[other]) from None
        kind = InputError if isinstance(error, InputError) else OptionError
        raise kind(error.message, " (if FILE holds rows, not patterns, give --min-support)") from None
    patterns = asked.prepare(patterns)
    if asked.rows_file is None:
        return patterns, None, source
    # Items below the minimum support are in no pattern, so merging may drop them; with no rows there is no minimum.
    merging = bars if patterns.min_support else None
    reader = row_reader(asked.rows_file, reading, None, [patterns.min_support], merging)
    return patterns, reader(asked.rows_file), source


def _read_patterns(file: str, form: str | None = None, **mined: Any) -> tuple[Patterns, Source]:  # noqa: ANN401 - options
    return digest(file, partial(discreet.read_patterns, format=form, **mined))


def read_older(asked: OlderOptions) -> tuple[list[Patterns], list[Source]]:
    """Return the patterns of older releases, and the digests of their files."""
    if asked.grown and not asked.against:
        raise click.UsageError("--grown says how older releases differ, but none is given: name them with --against")
    old = [_read_release(Path(place)) if Path(place).is_dir() else _read_old(place) for place in asked.against]
    return [patterns for patterns, _ in old], [source for _, source in old]


def _read_old(place: str, **mined: Any) -> tuple[Patterns, Source]:  # noqa: ANN401 - as above
    try:
        return _read_patterns(place, **mined)
    except InputError as error:
        raise InputError(
            error.message,
            " (--n and --kind are for FILE: an older release is a folder that `discreet block` wrote, or "
            "patterns that state both, as JSON does)",
        ) from None


def _read_release(folder: Path) -> tuple[Patterns, Source]:
    patterns, _, file = read_release(folder)
    return patterns, Source(f"{folder.name}/{file.name}", sha256_of(file))


def read_all(file: str, reading: ReadOptions) -> tuple[Transactions, Source]:
    """Return the rows of a file with their ids, and its digest."""
    return digest(file, reading.read, table=reading.table, also=reading.also)


def read_rows(
    file: str, reading: ReadOptions, memory: int | None, min_supports: Iterable[str | int], bars: Bars | None
) -> tuple[Rows, Source]:
    """Return the rows of a file, which may be merged if there are ``bars``, and its digest."""
    reader = row_reader(file, reading, memory, min_supports, bars)
    return digest(file, reader, table=reading.table, also=reading.also)


def row_reader(
    file: str, reading: ReadOptions, memory: int | None, min_supports: Iterable[str | int], bars: Bars | None
) -> Callable[[str | BinaryIO], Rows]:
    """Return a reader of the rows of a file; if it is too large for ``memory``, it merges the rows in two passes.

    A file is too large above a third of it, unpacked: mining needs about as much again as the rows, and as much for
    its result. A file that cannot be read twice may take all of it.
    """

    def scan(progress: Callable[[float, int], None]) -> Merged:
        asked = {**reading.how(), "table": reading.table, "query": reading.query}
        merged = discreet.scan(file, min_support=min_supports, memory=memory, progress=progress, **asked)
        return reading.prepare(merged)

    if is_url(file) and bars is not None:
        return lambda _: scan(bars.step("reading", "lines"))
    if memory is None or is_url(file) or reading.also:
        return reading.read
    if bars is None or not (Path(file).is_file() or are_parts(file)) or reading.format == "onehot":
        return lambda place: reading.read(place, max(memory, PIECE))

    def read_or_scan(place: str | BinaryIO) -> Rows:
        try:
            return reading.read(place, max(memory // 3, PIECE))
        except BudgetError:
            bars.say(f"{Path(file).name} may not fit in memory: it is scanned twice, and equal rows are merged")
        return scan(bars.step("scanning", "rows"))

    return read_or_scan


def digest(
    file: str, reader: Callable[[Any], Value], *, table: str | None = None, also: Iterable[str] = ()
) -> tuple[Value, Source]:
    """Return the value that a reader makes of a file, and the SHA-256 of its bytes; a pipe is read once.

    The digest of several files is that of their bytes one after the other; partitions such as year=2020 stand before.

    For a database, the digest is that of the lines that were read. Its URL is omitted; the table is named.
    """
    if is_url(file):
        rows: Any = reader(file)
        return rows, database_source(rows, file, table=table)
    path = Path(file)
    if file == "-" or path.is_fifo():
        with nullcontext(sys.stdin.buffer) if file == "-" else path.open("rb") as pipe:
            stream = Hashed(pipe)
            value = reader(stream)
        return value, Source("standard input" if file == "-" else path.name, stream.digest.hexdigest())
    value, paths, found = reader(file), [path, *map(Path, also)], hashlib.sha256()
    folder = path.parent if path.name == SESSION else path
    files = sorted(one for one in folder.iterdir() if one.is_file()) if folder.is_dir() else paths
    parts = Parts(files, {})
    with suppress(InputError):  # a folder of tables of counts has no Parquet files
        parts = find_parts(file) if are_parts(file) else parts
    for at, one in enumerate(parts.files):
        found.update("".join(f"{name}={values[at]}\n" for name, values in parts.partitions.items()).encode())
        with one.open("rb") as data:
            while chunk := data.read(PIECE):
                found.update(chunk)
    return value, Source(", ".join(one.name for one in paths), found.hexdigest())


class Hashed:
    """A stream that feeds the bytes it reads to a digest."""

    def __init__(self, stream: BinaryIO) -> None:
        """Wrap a stream."""
        self.stream, self.digest = stream, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data = self.stream.read(size)
        self.digest.update(data)
        return data
