"""``discreet audit``: whether something may be published; ``discreet report``: that, or a release, as an HTML file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

import click

import discreet
from discreet import Audit, OptionError, OutputError, Tradeoff, Verdict
from discreet import report as reports
from discreet.blocking.blockers import BEST, METHODS
from discreet.blocking.tables.block import METHODS as TABLE_METHODS
from discreet.cli.block import FITS
from discreet.cli.options import COUNT, EndingOptions, QuietOptions, command, limit_time, names, option, refuse
from discreet.cli.reading import JudgeOptions, PublicationOptions, judge, read_all
from discreet.cli.tables import block_for_page
from discreet.cli.terminal import Bars, ask_about_support, check_place, fixed_time, now, put, wants_json, watching
from discreet.cli.usage import OneOf
from discreet.io.files import is_url

OURS: Final = b"<!-- written by discreet -->"  # our reports have this near their beginning
TIMES: Final = (Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4))
"""The minimum supports of the trade-off, as multiples of the given one."""
KS: Final = (3, 5, 10, 20, 50)
BLOCKING: Final = dict.fromkeys((BEST, *METHODS, *TABLE_METHODS))
MOST_ITEMSETS: Final = 100_000  # itemsets up to which the trade-off is computed: it takes several audits


@dataclass(frozen=True)
class AuditOptions(EndingOptions, JudgeOptions):
    """What to judge, and what to write."""

    explain: int = option("Show the N worst findings of each kind, with their sums.", "N", type=COUNT, default=3)
    exposed: str | None = option("Write which rows are exposed to a file named DO-NOT-RELEASE.", "FILE")
    sacro: str | None = option("Write a folder for output checkers, which SACRO-Viewer opens.", "FOLDER")
    each: bool = option("Judge each FILE by itself, not all as one; exit with 0 if every one may be published.")


@command(AuditOptions, "Judge whether a pattern set may be published.")
def audit(asked: AuditOptions) -> int:
    """Judge whether publishing patterns would give away facts about fewer than K people.

    With --min-support, FILE holds rows, whose closed itemsets would be published. Without it, FILE holds patterns
    that somebody wants to publish, and no rows are needed. FILE may be - for stdin.

    With --rules, FILE holds association rules; with --digits, --rounding or --round-to, rounded supports; with
    --top, the itemsets with the largest supports; with --tree, a decision tree, and --rows are its features, as CSV
    with a header.

    With --against, FILE is also judged together with what was published before.

    With --each, several files are judged one after the other, but not what they give away together.

    Exit code 0: RELEASE. 1: REVIEW or WITHHOLD. 2: wrong usage or input.

    For example:
      discreet audit clinic.csv --min-support 5% -k 10
      discreet audit clinic.csv --min-support 5% --policy acro --exposed exposed.csv
      discreet audit clinic.csv --min-support 5% --policy acro --sacro checked
      discreet audit patterns.json -k 10 --json
      discreet audit mined.txt -k 10 --n 2000 --kind closed
      discreet audit may.json -k 10 --against april.json --grown
      discreet audit rules.csv -k 10 --rules --n 2000
      discreet audit tree.dot -k 10 --tree
      discreet audit clinic.csv --min-support 5% -k 10 --schema =
      discreet audit april.json may.json -k 10 --each
    """
    asked.check_rule()
    if not asked.each:
        return _audit_one(asked)
    for flag in asked.given("as_json", "out", "exposed", "sacro"):
        raise click.UsageError(f"{flag} is for one result, and --each has several: leave one out")
    return max(_audit_one(replace(asked, file=file, also=())) for file in (asked.file, *asked.also))


def _audit_one(asked: AuditOptions) -> int:
    """Judge FILE, write what is asked for, and return the exit code."""
    check_place("--out", asked.out, *asked.sources)
    exposed = _check_exposed(asked) if asked.is_exact else None
    timestamp = None if asked.sacro is None else _check_sacro(asked.sacro, asked.out, exposed, *asked.sources)
    with watching(quiet=asked.quiet, then="auditing") as bars:
        audit, source, against = judge(asked, bars, "exposed", keep_ids=asked.exposed is not None)
        _ = audit.exposed_if_known, audit.is_acyclic  # computed here, while the bar shows it
        if exposed is not None and audit.exposed_if_known is not None:
            reports.save(exposed, reports.exposed_csv(audit))
        if asked.sacro is not None:
            reports.write_sacro(audit, asked.sacro, source=source, timestamp=timestamp, against=against)
    ask_about_support(audit.patterns, audit.k, quiet=asked.quiet)
    is_json = wants_json(asked.out, as_json=asked.as_json)
    chunks = reports.audit_json(audit, explain=asked.explain, source=source, against=against) if is_json else ()
    lines = reports.audit_text(audit, explain=asked.explain, source=source, against=against)
    put(asked.out, chunks, lines, asked.sources, as_json=asked.as_json)
    for line in _say_written(asked, audit, exposed):
        click.echo(line, err=True)
    return int(audit.verdict is not Verdict.RELEASE)


def _check_exposed(asked: AuditOptions) -> str | None:
    """Return the file for the exposed rows, under a name that marks it as private; refuse one that cannot be."""
    if asked.exposed is None:
        return None
    if not asked.has_rows:
        raise OptionError("--exposed needs rows; give --min-support if FILE holds rows, or the rows with --rows")
    if asked.exposed in {"", "-"}:
        raise OptionError("--exposed needs the name of a file: exposed rows are not for a pipe")
    place = reports.marked(asked.exposed)
    check_place("--exposed", place, *asked.sources)
    return place


def _check_sacro(sacro: str, *files: str | None) -> datetime:
    """Refuse a folder that cannot be written, or that another file is in; return the time that it states."""
    place = Path(sacro)
    reports.check_sacro(place)
    if any(file not in {None, "-"} and Path(str(file)).resolve().is_relative_to(place.resolve()) for file in files):
        raise OptionError(f"--sacro is {sacro}, and a file that is read or written is in it; name another folder")
    return now()


def _say_written(asked: AuditOptions, audit: Audit, exposed: str | None) -> Iterator[str]:
    """Yield what was written where; for exposed rows even if quiet, since their file may have another name."""
    if asked.out not in {None, "-"} and not asked.quiet:
        yield f"{audit.verdict.name}; the report was written to {asked.out}"
    if exposed is not None and audit.exposed_if_known is None:
        yield "no exposed rows were written, since channels could not be looked for"
    elif exposed is not None:
        yield f"the exposed rows were written to {exposed}: keep that file to yourself"
    if asked.sacro is not None and not asked.quiet:
        yield f"a folder for output checkers alone was written to {asked.sacro}: open it with SACRO-Viewer"


@dataclass(frozen=True)
class ReportOptions(QuietOptions, JudgeOptions):
    """What the page is about, and where it goes."""

    method: str | None = option("Block FILE; report the release.", name="--block", type=OneOf(BLOCKING))
    seconds: float | None = option(
        "With --block: time for optimal to look for less distortion.  [default: 60, or 1 within best]", "N"
    )
    private: bool = option("Include facts for the owner of the rows only.")
    explain: int = option("Show the N worst findings of a kind in full; a list has all.", "N", type=COUNT, default=100)
    no_tradeoff: bool = option("Omit how much is safe at higher minimum supports.")
    csv: str | None = option("Also write all findings to this file, one per line.", "FILE")
    out: str | None = option("Write the page to this file.  [default: beside FILE]", "FILE")


class Page(NamedTuple):
    """A page, its verdict, and all findings as CSV."""

    html: str
    verdict: Verdict
    findings: Iterable[bytes] = ()


@command(ReportOptions, "Write an audit or a release as an HTML file.")
def report(asked: ReportOptions) -> int:
    """Write a page for people: the verdict, the findings in words and charts, and what they mean.

    FILE and the options about it are as in `discreet audit`. With --block, the page is about the release that
    blocking makes. FILE may also be the folder of a release. The page is one file that needs no network. Without
    --out it is written beside FILE, under FILE's name with .report.html as its suffix.

    Exit code 0: RELEASE. 1: REVIEW or WITHHOLD. 2: wrong usage or input.

    For example:
      discreet report clinic.csv --min-support 5% -k 10
      discreet report clinic.csv --min-support 5% --policy acro --out clinic.html --csv findings.csv
      discreet report patterns.json -k 10
      discreet report may.json -k 10 --against april.json --grown
      discreet report rules.csv -k 10 --rules --n 2000
      discreet report clinic.csv --min-support 5% -k 10 --block best --private
      discreet report table.csv --counts --policy cms --block suppress
      discreet report release
    """
    is_folder = asked.file != "-" and Path(asked.file).is_dir()
    check = _check_folder if is_folder else _check_usage
    check(asked)
    place = _place(asked.out, asked.file, private=asked.private)
    check_place("--out", place, *asked.sources)
    check_place("--csv", asked.csv, *asked.sources)
    refuse((asked.csv == place, f"--csv and --out are both {place}: name another file for one of them"))
    with watching(quiet=asked.quiet, then="working on the report") as bars:
        if is_folder:
            page = Page(*reports.folder_html(asked.file, timestamp=fixed_time()))
        elif asked.method is not None and asked.is_table:
            page = Page(*block_for_page(asked, asked.method, bars))
        elif asked.method is not None and asked.is_exact:
            page = _show_release(asked, bars)
        else:
            page = _show_audit(asked, bars)
    files: list[tuple[str, Iterable[bytes], bool]] = [(place, [page.html.encode()], asked.private)]
    files += [(asked.csv, page.findings, True)] if asked.csv is not None else []
    for name, chunks, is_private in sorted(files, key=lambda one: one[0] == "-"):  # a pipe comes last: it may break
        reports.save(name, chunks, sources=asked.sources, private=is_private)
    if not asked.quiet:
        click.echo(f"{page.verdict.name}; the report was written to {place}", err=True)
        if asked.private:
            click.echo("it has facts for the owner of the rows only: keep that file to yourself", err=True)
    return int(page.verdict is not Verdict.RELEASE)


def _check_usage(asked: ReportOptions) -> None:
    """Refuse options that mean nothing together."""
    asked.check_rule()
    blocks = asked.method is not None
    misfits = asked.seconds is not None and asked.method not in FITS["seconds"] and not (blocks and asked.is_table)
    needs_rows = blocks and asked.min_support is None and not asked.is_table
    refuse(
        (
            needs_rows,
            "--block needs rows: give --min-support, such as --min-support 5%, or --counts for tables of counts",
        )
    )
    for flag in asked.given("csv", "schema", "against", "grown") if blocks else ():
        raise click.UsageError(f"{flag} is for an audit, and --block reports a release: leave {flag} or --block out")
    refuse((misfits, "--seconds means nothing without --block best or --block optimal: leave it out"))


def _check_folder(asked: ReportOptions) -> None:
    """Refuse options that a release folder answers for itself, or has nothing for."""
    wrong = ("k", "policy", "csv", "schema", "method", "seconds", "min_support", "against", "grown")
    for flag in asked.given(*wrong, *names(PublicationOptions)):
        raise click.UsageError(f"FILE is a folder, taken for a release, which {flag} does not fit: leave it out")
    refuse((asked.private, "A release folder is checked by its public files alone: leave --private out"))


def _place(out: str | None, file: str, *, private: bool) -> str:
    """Return where the page goes: beside FILE by default, and under a marked name if it is private."""
    if out == "-" and private:
        raise OptionError("--private needs the name of a file: facts for the owner only are not for a pipe")
    if out is not None:
        return reports.marked(out) if private else out
    if file == "-" or is_url(file):
        place = Path("report.html")
    else:
        whole = Path(file).resolve()
        bare = whole.with_suffix("") if whole.suffix in {".gz", ".xz", ".zst"} else whole
        beside = Path(file).parent if Path(file).name == whole.name else whole.parent
        place = beside / f"{bare.stem or whole.name}.report.html"
    name = reports.marked(str(place)) if private else str(place)
    if Path(name).is_file():
        with Path(name).open("rb") as old:
            if OURS not in old.read(100):
                raise OutputError(f"{name} exists already, and is no report of ours; name another file with --out")
    return name


def _show_audit(asked: ReportOptions, bars: Bars) -> Page:
    """Audit FILE, and return the page of the audit."""
    if asked.private and asked.is_exact and not asked.has_rows:
        raise OptionError("--private shows which rows are exposed, and needs rows; give --min-support or --rows")
    audit, source, against = judge(asked, bars, "method", "seconds", "private", keep_ids=asked.private)
    grid, why_not = _compute_tradeoff(audit, asked) if asked.is_exact else (None, "")
    html = reports.audit_html(
        audit,
        tradeoff=grid,
        source=source,
        explain=asked.explain,
        private=asked.private,
        timestamp=fixed_time(),
        no_tradeoff=why_not,
        against=against,
    )
    return Page(html, audit.verdict, reports.findings_csv(audit, explain=asked.explain, against=against))


def _compute_tradeoff(audit: Audit, asked: ReportOptions) -> tuple[Tradeoff | None, str]:
    """Return how much is safe at higher minimum supports, or why this is omitted.

    The size of the task decides, not time, so that the same input gives the same bytes.
    """
    if asked.no_tradeoff or audit.rows is None or not audit.rows.n:
        return None, ""
    if len(audit.patterns) > MOST_ITEMSETS:
        return None, (
            f"With more than {MOST_ITEMSETS:,} itemsets, the trade-off with higher minimum supports is omitted here; "
            "run `discreet tradeoff`."
        )
    least, n = audit.patterns.min_support, audit.rows.n
    supports = sorted({min(n, -(-least * times.numerator // times.denominator)) for times in TIMES})
    ks, length = {*KS, audit.policy.k}, audit.patterns.max_length
    return discreet.tradeoff(audit.rows, min_supports=supports, ks=ks, max_length=length, threads=asked.threads), ""


def _show_release(asked: ReportOptions, bars: Bars) -> Page:
    """Block FILE, and return the page of the release."""
    k, policy, least = asked.k, asked.policy, str(asked.min_support)
    for flag in asked.given("n", "kind", "rows_file"):
        raise OptionError(f"{flag} is for patterns, but --block needs rows; leave it out")
    rows, source = read_all(asked.file, asked)
    time, limits, comparison = limit_time(asked.seconds), asked.budget(bars), None
    if asked.method == BEST:
        comparison = discreet.compare(rows, min_support=least, k=k, policy=policy, **time, **limits)
        release = comparison.best
    else:
        method = asked.method or BEST
        release = discreet.block(rows, min_support=least, k=k, policy=policy, method=method, **time, **limits)
    return Page(
        release.to_html(comparison=comparison, source=source, private=asked.private, timestamp=fixed_time()),
        release.verdict,
    )
