"""``discreet hide``: rows in which named itemsets cannot be found."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias, TypedDict

import click

import discreet
from discreet import Hidden, Hiding, InvertedFile, Transactions
from discreet import report as reports
from discreet.cli.options import (
    COUNT,
    QuietOptions,
    ReadOptions,
    argument,
    as_bytes,
    command,
    limit_time,
    option,
    refuse,
)
from discreet.cli.reading import digest, read_all
from discreet.cli.terminal import Bars, check_place, put, watching
from discreet.cli.usage import OneOf
from discreet.hiding.folder import check_place as check_folder
from discreet.hiding.folder import must_stream, stream_hidden
from discreet.hiding.hide import METHODS
from discreet.hiding.measures import RuleCounts, Yardstick, as_min_count, count_ghost_rules
from discreet.hiding.stream import WINDOW
from discreet.hiding.victims import READINGS
from discreet.io import databases
from discreet.io.files import is_url
from discreet.io.formats.sensitive import NamedItemsets
from discreet.report import Source

Named: TypeAlias = Mapping[str, NamedItemsets]
"""The sensitive itemsets of each recipient."""
Shown: TypeAlias = tuple[Iterable[bytes], Iterable[str]]
"""A report as JSON and as lines."""

SPECIAL: Final = {name for method in METHODS.values() for name in method.options}
"""Options that are for some methods only."""
BEWARE: Final = "Rows may reveal what was hidden in other ways than by these itemsets: see docs/hide.md."


@dataclass(frozen=True)
class HideOptions(QuietOptions, ReadOptions):
    """What to hide and how, where to measure it, and what to show."""

    file: str = argument()
    files: tuple[str, ...] = option(
        "Itemsets to hide, one per line; give one file per recipient.", "FILE", name="--sensitive", required=True
    )
    method: str | None = option("Method of hiding.  [default: iga]", type=OneOf(list(METHODS)))
    psi: str | None = option("Share of its rows in which an itemset may still be found.  [default: 0]", "SHARE")
    below: str | None = option("Hide just enough: leave the itemset fewer rows than this.", "COUNT|SHARE")
    reading: str | None = option(
        "Whether naive, minfia, maxfia and iga look at the original rows, or at the changed ones.",
        type=OneOf(list(READINGS)),
    )
    window: int | None = option("Rows that swa looks at together.", "N")
    memory: int | None = option("With swa: scan FILE once, within this memory.", "SIZE", type=as_bytes)
    seconds: float | None = option("Time for exact to look for less harm.  [default: 60]", "N")
    inconspicuous: bool = option("Hide no itemset so far that a reader would guess it; it may keep more rows.")
    seed: int | None = option("With --inconspicuous: what its limits are drawn with.  [default: 1]", "N", type=COUNT)
    measure: bool = option("Compare the patterns before and after, at the minimum supports --sigma.")
    compare: bool = option("Show the cost of each method, side by side, for each --psi.")
    sigma: str | None = option("Minimum supports to measure at, such as 5% or 10%,5%,100.", "LIST")
    confidence: str | None = option("With --measure: count the association rules that are new.", "SHARE")
    plot: str | None = option("With --compare: draw a chart as an SVG file.", "FILE")
    index_file: str | None = option("Index of FILE, made by `discreet index`.", "FILE", name="--index")
    out: str | None = option("Write the rows to this folder, in the format of FILE.", "FOLDER")
    out_table: str | None = option("Write the rows to this new table, if FILE is a database.", "NAME")
    show_labels: bool = option("Show the sensitive itemsets by name, not by number.")
    as_json: bool = option("Write the result as JSON.", name="--json")
    threads: int | None = option("Number of threads.  [default: all cores]", "N")

    @property
    def sigmas(self) -> list[str]:
        """The minimum supports to measure at."""
        return (self.sigma or self.below or "").split(",") if self.measure or self.compare else []

    @property
    def shares(self) -> list[str]:
        """The disclosures."""
        return [] if self.psi is None else self.psi.split(",")

    @property
    def chosen(self) -> str:
        """The method."""
        return self.method or "iga"


@command(HideOptions, "Remove items from rows, so that sensitive itemsets cannot be found.")
def hide(asked: HideOptions) -> int:
    """Remove items from the rows of FILE, so that the sensitive itemsets cannot be found in them.

    Shows what that takes. With --out, the rows are written to a folder, in the format and the order of FILE. Its
    subfolder DO-NOT-RELEASE lists the changes and the sensitive itemsets; remove it before you share the folder.
    FILE itself is never changed, and may be - for stdin.

    Exit code 0: hidden. 2: wrong usage or input.

    For example:
      discreet hide baskets.csv --sensitive secret.txt
      discreet hide baskets.csv --sensitive secret.txt --compare --psi 0,10% --sigma 5%
      discreet hide baskets.csv --sensitive secret.txt --method border --below 5% --out shared
      discreet hide baskets.csv --sensitive secret.txt --below 5% --inconspicuous
    """
    if asked.compare:
        _check_comparison(asked)
        check_place("--plot", asked.plot, asked.file, *asked.files)
    _check_usage(asked)
    _check_places(asked)
    named = _read_sensitive(asked.files)
    unit = "lines" if asked.compare else "rows" if asked.chosen == "swa" else "itemsets"
    what = "comparing" if asked.compare else "hiding"
    with watching(quiet=asked.quiet, what=what, unit=unit, then="finishing") as bars:
        shown = _compare(named, asked, bars) if asked.compare else _hide_all(named, asked, bars)
    put(None, *shown, as_json=asked.as_json)
    for line in () if asked.quiet else _say_next(asked):
        click.echo(line, err=True)
    return 0


def _hide_all(named: Named, asked: HideOptions, bars: Bars) -> Shown:
    """Hide for each recipient, and return the report as JSON and as lines."""
    work = _stream if _is_streamed(asked) else _hide
    done, source = work(named, asked, bars)
    facts, labels = {}, asked.show_labels
    lines: list[str] = []
    for name, hidden in done.items():
        measured, rules = _measure(hidden, asked)
        facts[name] = reports.hidden_facts(hidden, source=source, measured=measured, rules=rules, show_labels=labels)
        lines += [*[""] * bool(lines), f"For {name}:", ""] if len(named) > 1 else []
        lines += reports.hidden_text(hidden, source=source, measured=measured, rules=rules, show_labels=labels)
    whole = {"recipients": facts} if len(named) > 1 else next(iter(facts.values()))
    return [f"{json.dumps(whole, indent=2, ensure_ascii=False)}\n".encode()], lines


def _compare(named: Named, asked: HideOptions, bars: Bars) -> Shown:
    """Compare the methods; the disclosures of --psi replace those in the file."""
    (itemsets,) = named.values()
    rows, source = read_all(asked.file, asked)
    comparison = discreet.compare_hiding(
        rows,
        itemsets.among(rows.code, show_labels=asked.show_labels),
        min_supports=asked.sigmas,
        disclosures=asked.shares or ["0"],
        below=asked.below,
        **_disguise(asked),
        index=_open_index(rows, asked.index_file),
        threads=asked.threads,
        progress=bars,
        **limit_time(asked.seconds),
    )
    if asked.plot is not None:
        reports.save(asked.plot, [reports.hiding_comparison_svg(comparison)], sources=[asked.file])
    text = reports.hiding_comparison_text(comparison, source=source)
    return reports.hiding_comparison_json(comparison, source=source), text


def _is_streamed(asked: HideOptions) -> bool:
    """Return whether FILE is scanned once and never held as a whole."""
    if asked.chosen != "swa" or not (asked.memory is not None or must_stream(asked.file)):
        return False
    is_wrong = asked.out is None or asked.sigmas or asked.index_file is not None
    refuse((is_wrong, "FILE is scanned once, and written: give --out, and neither --measure nor --index"))
    return True


def _stream(named: Named, asked: HideOptions, bars: Bars) -> tuple[Mapping[str, Hidden], Source]:
    """Hide in one scan for each recipient, and write the folder."""
    refuse((asked.inconspicuous, "--inconspicuous compares all rows, which one scan cannot: leave --memory out"))
    for flag in asked.given("row", "item", "items"):
        raise click.UsageError(f"{flag} is for tables, which cannot be scanned once: leave --memory out")
    is_share = asked.below is not None and not asked.below.isdecimal()
    refuse((is_share, "--below must be a count if FILE is scanned once: the number of rows is not known in advance"))
    hiding = partial(
        stream_hidden,
        folder=str(asked.out),
        sensitive=named if len(named) > 1 else next(iter(named.values())),
        disclosure=asked.shares[0] if asked.shares else "0",
        below=asked.below and int(asked.below),
        window=asked.window,
        memory=asked.memory,
        format=asked.format,
        separator=asked.separator,
        progress=bars,
    )
    return digest(asked.file, hiding)


def _hide(named: Named, asked: HideOptions, bars: Bars) -> tuple[Mapping[str, Hidden], Source]:
    """Hide for each recipient, from one index; write the folder or the table if one is asked for."""
    rows, source = read_all(asked.file, asked)
    index = _open_index(rows, asked.index_file)
    for itemsets in named.values():
        itemsets.among(rows.code, show_labels=asked.show_labels)
    done = {
        name: discreet.hide(
            rows,
            itemsets,
            method=asked.chosen,
            disclosure=asked.shares[0] if asked.shares else "0",
            below=asked.below,
            min_support=min((as_min_count(one, len(rows)) for one in asked.sigmas), default=None),
            index=index,
            threads=asked.threads,
            progress=bars,
            reading=asked.reading or "static",
            window=asked.window or WINDOW,
            **_disguise(asked),
            **limit_time(asked.seconds),
        )
        for name, itemsets in named.items()
    }
    (first, *others) = done.values()
    if asked.out is not None:
        discreet.write_hidden(done if others else first, asked.out, source=asked.file, **asked.how())
    if asked.out_table is not None:
        discreet.write(first.transactions, asked.file, table=asked.out_table, row=asked.row, item=asked.item)
    return done, source


class Disguised(TypedDict, total=False):
    """Whether hidden itemsets are to be inconspicuous, and a seed."""

    inconspicuous: bool
    seed: int


def _disguise(asked: HideOptions) -> Disguised:
    """Return the options of being inconspicuous, for the library, which has defaults."""
    if asked.seed is None:
        return {"inconspicuous": asked.inconspicuous}
    return {"inconspicuous": asked.inconspicuous, "seed": asked.seed}


def _open_index(rows: Transactions, place: str | None) -> InvertedFile:
    return InvertedFile(rows) if place is None else InvertedFile.open(place, rows=rows)


def _measure(hidden: Hidden, asked: HideOptions) -> tuple[Sequence[Hiding], list[RuleCounts]]:
    """Return the patterns that are lost and the rules that are new, at each minimum support."""
    if not asked.sigmas:
        return [], []
    rows, after, least = hidden.rows, hidden.transactions, asked.confidence
    measured = Yardstick.of(rows, hidden.sensitive, asked.sigmas).measure(after)
    sigmas = [] if least is None else asked.sigmas
    return measured, [count_ghost_rules(rows, after, min_support=one, min_confidence=least or "") for one in sigmas]


def _check_usage(asked: HideOptions) -> None:
    """Refuse options that mean nothing together."""
    for flag in asked.given(*sorted(SPECIAL.difference(METHODS[asked.chosen].options))):
        is_wrong = not (asked.compare and flag == "--seconds")
        refuse((is_wrong, f"{flag} means nothing to the method {asked.chosen}: leave one of them out"))
    sigmas, compare = asked.sigmas, asked.compare
    both, rules = asked.shares and asked.below is not None, asked.confidence is not None
    refuse(
        (both, "Both --psi and --below say how much is hidden: leave one of them out"),
        (len(asked.shares) > 1 and not compare, "--psi has several shares, which only --compare takes: give one"),
        (asked.sigma is not None and not sigmas, "--sigma is where to measure: give --measure or --compare as well"),
        (sigmas == [""], "There is no minimum support to measure at: give --sigma, such as --sigma 10%"),
        (rules and (compare or not sigmas), "--confidence counts new rules: give it with --measure alone"),
        (asked.seed is not None and not asked.inconspicuous, "--seed is for --inconspicuous: give both"),
        (asked.plot is not None and not compare, "--plot draws what --compare compares: give both"),
    )


def _check_comparison(asked: HideOptions) -> None:
    """Refuse options that mean nothing to a comparison."""
    method = f"--compare tries all methods, but --method is {asked.method}: leave one of them out"
    refuse((asked.method is not None, method))
    for flag in asked.given("reading", "window", "memory"):
        raise click.UsageError(f"{flag} is for some methods, but --compare tries all: leave one of them out")
    refuse(
        (len(asked.files) > 1, "--compare compares for one recipient: give one --sensitive file"),
        (asked.out is not None, "--compare only shows what each method costs: give --out with the --method you take"),
    )


def _check_places(asked: HideOptions) -> None:
    """Refuse a table or a folder that cannot be written, before hours of work; and a FILE that cannot be copied."""
    file, out, table = asked.file, asked.out, asked.out_table
    if is_url(file):
        several = asked.compare or len(asked.files) > 1
        refuse(
            (out is not None, "--out writes a copy of FILE, which a database is not: give --out-table"),
            (asked.memory is not None, "--memory is for files that are scanned once: leave it out"),
            (table and several, "--out-table takes the rows of one method and one recipient: give one of each"),
        )
        if table is not None:
            databases.rehearse(file, table=table, row=asked.row, item=asked.item)
    refuse((table and not is_url(file), "--out-table is for the rows of a database, and FILE is none: give --out"))
    if out is not None:
        is_pipe = file == "-" or Path(file).is_fifo()
        refuse(
            (out == "-", "--out is the name of a folder, which - is not: give one"),
            (is_pipe, "--out writes a copy of FILE, which a pipe is not: save it to a file first"),
        )
        check_folder(Path(out), Path(file))


def _read_sensitive(files: Sequence[str]) -> dict[str, NamedItemsets]:
    """Return the sensitive itemsets of each recipient, who is named after the file."""
    names = [Path(file).name.split(".")[0] or Path(file).name for file in files]
    if len(set(names)) < len(names):
        raise click.UsageError("Two --sensitive files have the same name, which would name their folders: rename one")
    return {name: discreet.read_sensitive(file) for name, file in zip(names, files, strict=True)}


def _say_next(asked: HideOptions) -> Iterator[str]:
    """Yield what was written where, and what is left to do."""
    several = len(asked.files) > 1
    yield ""
    if asked.compare:
        yield from [f"The chart was written to {asked.plot}."] if asked.plot is not None else []
        yield "No rows were written; choose one with --method, and write its rows with --out FOLDER."
    elif asked.out_table is not None:
        yield f"The rows were written to the new table {asked.out_table}, and read again to check them."
        yield BEWARE
    elif asked.out is None:
        yield "Nothing was written; --out FOLDER writes the rows to share."
    else:
        yield f"The rows were written to {asked.out}{', one folder per recipient' * several}."
        where = "each folder" if several else asked.out
        yield f"Before you share them, remove {reports.MARK} from {where}: it names the sensitive itemsets."
        yield BEWARE
