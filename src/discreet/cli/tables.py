"""Tables of counts in ``discreet block`` and ``discreet advise``: made safe, written to a folder, methods compared."""

import shlex
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import click

import discreet
from discreet import Counts, Verdict
from discreet.blocking.tables.block import BEST, METHODS, TableRelease, block_counts, compare_counts
from discreet.cli.options import COUNTS_READING, CountsOptions, PublishedOptions, limit_time, names
from discreet.cli.reading import digest
from discreet.cli.terminal import SACRO_WRITTEN, Bars, fixed_time, now, put, watching
from discreet.report import MARK, Source, table_release_html, write_sacro
from discreet.report.tables import table_comparison_text, table_release_json, table_release_text

if TYPE_CHECKING:
    from discreet.cli.advise import AdviseOptions
    from discreet.cli.audit import ReportOptions
    from discreet.cli.block import BlockOptions

ALLOWED: Final = {
    *names(CountsOptions),
    *COUNTS_READING,
    "hierarchy",
    "round_to",
    "format",
    "file",
    "k",
    "policy",
    "quiet",
    "method",
}
ALLOWED_MORE: Final = ALLOWED | {"seconds", "base", "compare", "out", "as_json", "private", "explain", "sacro"}


TableOptions: TypeAlias = "PublishedOptions | ReportOptions"


def block_tables(asked: "BlockOptions", time: datetime | None = None) -> int:
    """Make tables of counts safe, show them, and write them to a folder; with a ``time``, also one for checkers."""
    _refuse(asked, asked.method)
    counts, source = _read(asked)
    if asked.compare:
        return _compare(asked, counts, source)
    with watching(quiet=asked.quiet, first="masking") as bars:
        release = _block(asked, counts, asked.method, bars, asked.base)
    stamp = None
    if asked.out is not None and release.is_safe:
        stamp = discreet.write_release(release, asked.out, source=source, published=now().date()).digest
    if time is not None:
        write_sacro(release.audit, str(asked.sacro), source=source, timestamp=time)
    lines = table_release_text(release, source=source)
    put(None, table_release_json(release, source=source), lines, as_json=asked.as_json)
    written = [SACRO_WRITTEN.format(asked.sacro)] if time is not None else []
    for line in () if asked.quiet else [*_say_next(release, asked.out, stamp), *written]:
        click.echo(line, err=True)
    return int(release.verdict is not Verdict.RELEASE)


def block_for_page(asked: "ReportOptions", method: str, bars: Bars) -> tuple[str, Verdict]:
    """Make tables of counts safe, and return the page of that, and the verdict."""
    _refuse(asked, method)
    counts, source = _read(asked)
    release = _block(asked, counts, method, bars)
    page = table_release_html(release, source=source, private=asked.private, timestamp=fixed_time())
    return page, release.verdict


def _block(
    asked: "BlockOptions | ReportOptions", counts: Counts, method: str, bars: Bars, base: int | None = None
) -> TableRelease:
    tell, limits = bars.step("masking", "counts masked"), limit_time(asked.seconds)
    return block_counts(counts, k=asked.k, policy=asked.policy, method=method, base=base, progress=tell, **limits)


def advise_tables(asked: "AdviseOptions") -> int:
    """Try each method on tables of counts, and say what is best."""
    _refuse(asked, BEST)
    counts, source = _read(asked)
    return _compare(asked, counts, source)


def _read(asked: TableOptions) -> tuple[Counts, Source]:
    counts, source = digest(asked.file, asked.count_reader(asked))
    asked.announce(counts)
    return counts, source


def _refuse(asked: TableOptions, method: str) -> None:
    """Refuse options and methods that mean nothing to tables."""
    for flag in asked.given(*(name for name in names(type(asked)) if name not in ALLOWED_MORE and name != "patterns")):
        raise click.UsageError(f"{flag} is not for tables of counts: leave one out")
    if method not in {BEST, *METHODS}:
        raise click.UsageError(f"the method {method} is for rows; tables take {BEST}, {', '.join(METHODS)}")


def _compare(asked: PublishedOptions, counts: Counts, source: Source) -> int:
    """Show what each method makes of tables, the best first, and the command that does it."""
    made = compare_counts(counts, k=asked.k, policy=asked.policy)
    best = made[0].release
    kept = [name for name in ALLOWED if name not in {"file", "quiet", "method"}]
    # Bare, --counts must not stand before a word that it would take for the name of a column.
    words = [word for word in asked.words(*sorted(kept)) if asked.counts or word not in {"--counts", ""}]
    words += ["--method", best.method, "--out", "release"] if best is not None else []
    command = shlex.join(["discreet", "block", asked.file, *words, *["--counts"] * (not asked.counts)])
    put(None, (), table_comparison_text(made, source=source, command=command), as_json=False)
    return int(best is None or best.verdict is not Verdict.RELEASE)


def _say_next(release: TableRelease, out: str | None, stamp: str | None) -> Iterator[str]:
    """Yield where the release was written, and what is left to do."""
    yield ""
    if not release.is_safe:
        yield "Nothing was written: the checks say why it must not be published yet."
    elif out is None:
        yield "Nothing was written; --out FOLDER writes this release, with what each cell says."
    else:
        yield f"The release was written to {out}; its fingerprint is {stamp}."
        yield f"Before you publish it, remove {Path(out) / MARK}: it lists the changes."
        yield f"Anybody can check it:  discreet verify {out}"
