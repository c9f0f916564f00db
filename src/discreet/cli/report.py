"""``discreet report``: an audit or a release as one HTML file."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from discreet.blocking.block import BEST, METHODS
from discreet.cli.block import FITS
from discreet.cli.candidate import JudgeOptions, PublicationOptions, judge
from discreet.cli.options import COUNT, DURATION, QuietOptions, limit_time, names, option, options
from discreet.cli.output import check_place, fixed_time
from discreet.cli.reading import is_database, read_all

if TYPE_CHECKING:
    from discreet import Audit, Tradeoff, Verdict
    from discreet.cli.terminal import Bars

OURS: Final = b"<!-- written by discreet -->"
"""Our reports have this near their beginning."""
TIMES: Final = (Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4))
"""The minimum supports of the trade-off, as multiples of the given one."""
KS: Final = (3, 5, 10, 20, 50)
MOST_ITEMSETS: Final = 100_000
"""Itemsets up to which the trade-off is computed: it takes several audits."""


@dataclass(frozen=True)
class ReportOptions(QuietOptions, JudgeOptions):
    """What the page is about, and where it goes."""

    method: str | None = option(
        "Make FILE safe; report the release.", name="--block", type=click.Choice((BEST, *METHODS))
    )
    seconds: float | None = option(
        "With --block: time for optimal, or best, to look for less distortion.  [default: 60]", "N", type=DURATION
    )
    private: bool = option("Include facts for the owner of the rows only.")
    explain: int = option(
        "Show the N worst findings of each kind in full; a list has all.", "N", type=COUNT, default=100
    )
    no_tradeoff: bool = option("Omit how much is safe at higher minimum supports.")
    csv: str | None = option("Also write all findings to this file, one per line.", "FILE")
    out: str | None = option("Write the page to this file.  [default: beside FILE]", "FILE")


class Page(NamedTuple):
    """A page, its verdict, and all findings as CSV."""

    html: str
    verdict: "Verdict"
    findings: Iterable[bytes] = ()


@click.command(
    short_help="Write an audit or a release as an HTML file.",
    epilog="""\b
Examples:
  discreet report clinic.csv --min-support 5% -k 10
  discreet report clinic.csv --min-support 5% --policy acro --out clinic.html --csv findings.csv
  discreet report patterns.json -k 10
  discreet report may.json -k 10 --against april.json --grown
  discreet report rules.csv -k 10 --rules --n 2000
  discreet report clinic.csv --min-support 5% -k 10 --block best --private
  discreet report release""",
)
@options(ReportOptions)
def report(asked: ReportOptions) -> int:
    """Write a page for people: the verdict, the findings in words and charts, and what they mean.

    FILE and the options about it are as in `discreet audit`. With --block, the page is about the release that
    blocking makes. FILE may also be the folder of a release. The page is one file that needs no network. Without
    --out it is written beside FILE, under FILE's name with .report.html as its suffix.

    Exit code 0: RELEASE. 1: REVIEW or WITHHOLD. 2: wrong usage or input.
    """
    from discreet import Verdict
    from discreet import report as pages
    from discreet.cli.terminal import watching

    is_folder = asked.file != "-" and Path(asked.file).is_dir()
    check = _check_folder if is_folder else _check_usage
    check(asked)
    place = _place(asked.out, asked.file, private=asked.private)
    check_place("--out", place, *asked.sources)
    check_place("--csv", asked.csv, *asked.sources)
    if asked.csv == place:
        raise click.UsageError(f"--csv and --out are both {place}: name another file for one of them")
    with watching(quiet=asked.quiet, then="working on the report") as bars:
        if is_folder:
            made = Page(*pages.folder_html(asked.file, timestamp=fixed_time()))
        else:
            show = _show_release if asked.method is not None and asked.is_exact else _show_audit
            made = show(asked, bars)
    files: list[tuple[str, Iterable[bytes], bool]] = [(place, [made.html.encode()], asked.private)]
    files += [(asked.csv, made.findings, True)] if asked.csv is not None else []
    for name, chunks, is_private in sorted(files, key=lambda one: one[0] == "-"):  # a pipe comes last: it may break
        pages.save(name, chunks, sources=asked.sources, private=is_private)
    if not asked.quiet:
        click.echo(f"{made.verdict.name}; the report was written to {place}", err=True)
        if asked.private:
            click.echo("it has facts for the owner of the rows only: keep that file to yourself", err=True)
    return int(made.verdict is not Verdict.RELEASE)


def _check_usage(asked: ReportOptions) -> None:
    """Refuse options that mean nothing together."""
    asked.check_rule()
    if asked.method is not None and asked.min_support is None:
        raise click.UsageError("--block needs rows: give --min-support, such as --min-support 5%")
    if asked.method is not None:
        for flag in asked.given("csv", "schema", "against", "grown"):
            raise click.UsageError(
                f"{flag} is for an audit, and --block reports a release: leave {flag} or --block out"
            )
    if asked.seconds is not None and asked.method not in FITS["seconds"]:
        raise click.UsageError("--seconds means nothing without --block best or --block optimal: leave it out")


def _check_folder(asked: ReportOptions) -> None:
    """Refuse options that a release folder answers for itself, or has nothing for."""
    wrong = ("k", "policy", "csv", "schema", "method", "seconds", "min_support", "against", "grown")
    for flag in asked.given(*wrong, *names(PublicationOptions)):
        raise click.UsageError(f"FILE is a folder, taken for a release, which {flag} does not fit: leave it out")
    if asked.private:
        raise click.UsageError("A release folder is checked by its public files alone: leave --private out")


def _place(out: str | None, file: str, *, private: bool) -> str:
    """Return where the page goes: beside FILE by default, and under a marked name if it is private."""
    from discreet import OptionError
    from discreet.report import marked

    if out == "-" and private:
        raise OptionError("--private needs the name of a file: facts for the owner only are not for a pipe")
    if out is not None:
        return marked(out) if private else out
    if file == "-" or is_database(file):
        place = Path("report.html")
    else:
        whole = Path(file).resolve()
        bare = whole.with_suffix("") if whole.suffix in {".gz", ".xz", ".zst"} else whole
        beside = Path(file).parent if Path(file).name == whole.name else whole.parent
        place = beside / f"{bare.stem or whole.name}.report.html"
    name = marked(str(place)) if private else str(place)
    _check_ours(Path(name))
    return name


def _check_ours(path: Path) -> None:
    """Refuse to replace, unasked, a file that is no page of ours."""
    from discreet import OutputError

    if path.is_file():
        with path.open("rb") as old:
            if OURS not in old.read(100):
                raise OutputError(f"{path} exists already, and is no report of ours; name another file with --out")


def _show_audit(asked: ReportOptions, bars: "Bars") -> Page:
    """Audit FILE, and return the asked."""
    from discreet import OptionError
    from discreet import report as pages

    if asked.private and asked.is_exact and not asked.has_rows:
        raise OptionError("--private shows which rows are exposed, and needs rows; give --min-support or --rows")
    audit, source, against = judge(asked, bars, "method", "seconds", "private", keep_ids=asked.private)
    grid, why_not = _compute_tradeoff(audit, asked) if asked.is_exact else (None, "")
    html = pages.audit_html(
        audit,
        tradeoff=grid,
        source=source,
        explain=asked.explain,
        private=asked.private,
        timestamp=fixed_time(),
        no_tradeoff=why_not,
        against=against,
    )
    return Page(html, audit.verdict, pages.findings_csv(audit, explain=asked.explain, against=against))


def _compute_tradeoff(audit: "Audit", asked: ReportOptions) -> "tuple[Tradeoff | None, str]":
    """Return how much is safe at higher minimum supports, or why this is omitted.

    The size of the task decides, not time, so that the same input gives the same bytes.
    """
    import discreet

    if asked.no_tradeoff or audit.rows is None or not audit.rows.n:
        return None, ""
    if len(audit.patterns) > MOST_ITEMSETS:
        return None, (
            f"With more than {MOST_ITEMSETS:,} itemsets, the trade-off with higher minimum supports is omitted here; "
            "run `discreet tradeoff`."
        )
    least, n = audit.patterns.min_support, audit.rows.n
    supports = sorted({min(n, -(-least * times.numerator // times.denominator)) for times in TIMES})
    return discreet.tradeoff(audit.rows, min_supports=supports, ks={*KS, audit.policy.k}, threads=asked.threads), ""


def _show_release(asked: ReportOptions, bars: "Bars") -> Page:
    """Block FILE, and return the page of the release."""
    from discreet import OptionError
    from discreet import report as pages
    from discreet.blocking.block import block as block_rows
    from discreet.blocking.block import compare as compare_methods

    k, policy, least = asked.k, asked.policy, str(asked.min_support)
    for flag in asked.given("n", "kind", "rows_file"):
        raise OptionError(f"{flag} is for patterns, but --block needs rows; leave it out")
    rows, source = read_all(asked.file, asked)
    spend, time, comparison = asked.budget(bars), limit_time(asked.seconds), None
    if asked.method == BEST:
        comparison = compare_methods(rows, min_support=least, k=k, policy=policy, **time, **spend)
        release = comparison.best
    else:
        method = asked.method or BEST
        release = block_rows(rows, min_support=least, k=k, policy=policy, method=method, **time, **spend)
    html = pages.release_html(
        release, comparison=comparison, source=source, private=asked.private, timestamp=fixed_time()
    )
    return Page(html, release.verdict)
