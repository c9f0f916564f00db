"""``discreet report``: an audit or a release as one HTML file that people read."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from discreet.cli.block import METHODS
from discreet.cli.place import check_place, fixed_time
from discreet.cli.reading import (
    CANDIDATE,
    COLUMNS,
    LIMITS,
    RULE,
    TABLE,
    candidate,
    check_rule,
    given,
    is_database,
    options,
    read_rows,
)

if TYPE_CHECKING:
    from discreet import Audit, Transactions, Verdict
    from discreet.cli.watch import Bars
    from discreet.report import Source

TIMES: Final = (Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4))
"""The minimum supports of the trade-off, as multiples of the one that was asked for."""
KS: Final = (3, 5, 10, 20, 50)
MOST_ITEMSETS: Final = 100_000
"""Itemsets up to which the trade-off is worked out: it takes several audits."""
OURS: Final = b"<!-- written by discreet -->"
"""What a report of ours holds near its beginning."""


class Asked(NamedTuple):
    """What the page is to be, beside what FILE holds."""

    k: int | None
    policy: str | None
    private: bool
    explain: int
    with_tradeoff: bool


@click.command(
    short_help="Write an audit or a release as an HTML file.",
    epilog="""\b
Examples:
  discreet report clinic.csv --min-support 5% -k 10
  discreet report clinic.csv --min-support 5% --policy acro --out clinic.html --csv findings.csv
  discreet report patterns.json -k 10
  discreet report clinic.csv --min-support 5% -k 10 --block best --private
  discreet report release""",
)
@options(CANDIDATE, RULE)
@click.option(
    "--block", "method", type=click.Choice(METHODS), help="Make FILE safe by this method; report the release."
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="With --block: how long optimal, or best, may look for less distortion; 60 without it.",
)
@click.option("--private", is_flag=True, help="Tell what only the owner of the rows may know; the name says so.")
@click.option(
    "--explain",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    metavar="N",
    help="Show the N worst of each kind in full; a list has all.",
)
@click.option("--no-tradeoff", is_flag=True, help="Leave out how much is safe at higher minimum supports.")
@click.option("--csv", metavar="FILE", help="Write all that was found to this file, too, a finding a line.")
@click.option("--out", metavar="FILE", help="Write the page to this file; without it, to one beside FILE.")
@click.option("--quiet", is_flag=True, help="Say nothing on stderr but errors.")
@options(COLUMNS, TABLE, LIMITS)
def report(
    *,
    file: str,
    min_support: str | None,
    k: int | None,
    policy: str | None,
    method: str | None,
    seconds: float | None,
    private: bool,
    explain: int,
    no_tradeoff: bool,
    csv: str | None,
    out: str | None,
    quiet: bool,
    max_patterns: int | None,
    memory: int | None,
    threads: int | None,
    **reading: Any,  # noqa: ANN401 - options that are told apart in candidate()
) -> int:
    """Write a page that people read: the verdict, what was found, in words and drawings, and what it means.

    FILE is as in `discreet audit`: rows, with --min-support, or patterns. With --block, the page is about the
    release that comes of it. FILE may also be the folder of a release. The page is one file that needs no
    network. Without --out it is written beside FILE, to FILE's name with .report.html for its suffix.

    Exit code 0: RELEASE. 1: REVIEW or WITHHOLD. 2: wrong usage or input.
    """
    from discreet import Verdict
    from discreet import report as pages
    from discreet.cli.watch import watching

    is_folder = file != "-" and Path(file).is_dir()
    asked = Asked(k, policy, private, explain, not no_tradeoff)
    limits = given(max_patterns=max_patterns, memory=memory, threads=threads)
    _check_usage(asked, is_folder=is_folder, method=method, seconds=seconds, csv=csv, min_support=min_support)
    place = _place(out, file, private=private)
    for option, name in (("--out", place), ("--csv", csv)):
        check_place(option, name, file, reading["rows_file"])
    if csv == "-" and place == "-":
        raise click.UsageError("--csv and --out are both -: name a file for one of them")
    with watching(quiet=quiet, then="working on the report") as progress:
        if is_folder:
            page, verdict = pages.folder_html(file, timestamp=fixed_time())
        elif method is not None:
            told = {"min_support": min_support, "seconds": seconds, "progress": progress, **limits}
            page, verdict = _released(file, asked, method, told, reading)
        else:
            page, verdict = _audited(file, asked, min_support, limits, progress, csv, reading)
    pages.save(place, [page.encode()])
    if not quiet:
        click.echo(f"{verdict.name}; the report was written to {place}", err=True)
        if private:
            click.echo("it tells what only the owner of the rows may know: keep that file to yourself", err=True)
    return int(verdict is not Verdict.RELEASE)


def _audited(
    file: str,
    asked: Asked,
    min_support: str | None,
    limits: "dict[str, Any]",
    progress: "Bars",
    csv: str | None,
    reading: "dict[str, Any]",
) -> "tuple[str, Verdict]":
    """Return the page of an audit, and its verdict; write all findings if they are asked for."""
    import discreet
    from discreet import report as pages

    if asked.private and min_support is None and reading["rows_file"] is None:
        raise discreet.OptionError(
            "--private tells which rows are exposed, and needs rows; give --min-support or --rows"
        )
    bars = None if asked.private else progress
    found = candidate(file, min_support=min_support, limits=limits, bars=bars, **reading)
    if found.patterns is None:
        rows: Any = found.rows
        rule: Any = {"k": asked.k, "policy": asked.policy}
        result = discreet.audit(rows, min_support=min_support, progress=progress, **rule, **limits)
    else:
        progress(1, len(found.patterns))
        result = discreet.audit(found.patterns, k=asked.k, policy=asked.policy, rows=found.rows)
    grid, why_not = _tradeoff(result, asked, limits.get("threads"))
    page = pages.audit_html(
        result,
        tradeoff=grid,
        source=found.source,
        explain=asked.explain,
        private=asked.private,
        timestamp=fixed_time(),
        no_tradeoff=why_not,
    )
    if csv is not None:
        pages.save(csv, pages.findings_csv(result, explain=asked.explain))
    return page, result.verdict


def _tradeoff(result: "Audit", asked: Asked, threads: int | None) -> "tuple[Any, str]":
    """Return how much is safe at higher minimum supports, or why that is not told.

    Whether it is worked out hangs on the size of the task, not on time: the same input gives the same bytes.
    """
    import discreet

    if not asked.with_tradeoff or result.rows is None or not result.rows.n:
        return None, ""
    if len(result.patterns) > MOST_ITEMSETS:
        return None, (
            f"With more than {MOST_ITEMSETS:,} itemsets, how much is safe at higher minimum supports is not worked out "
            "here: `discreet tradeoff` tells it."
        )
    least, n = result.patterns.min_support, result.rows.n
    supports = sorted({min(n, -(-least * times.numerator // times.denominator)) for times in TIMES})
    return discreet.tradeoff(result.rows, min_supports=supports, ks={*KS, result.policy.k}, threads=threads), ""


def _released(
    file: str,
    asked: Asked,
    method: Any,  # noqa: ANN401 - one of METHODS
    told: "dict[str, Any]",
    reading: "dict[str, Any]",
) -> "tuple[str, Verdict]":
    """Return the page of the release that a method makes, and what the policy says of it."""
    from discreet import OptionError, Verdict, audit
    from discreet import report as pages
    from discreet.block import block as blocked
    from discreet.block import compare as side_by_side

    for name in ("n", "kind", "rows_file"):
        if reading.pop(name) is not None:
            raise OptionError(f"--{name.removesuffix('_file')} is for patterns, but --block needs rows; leave it out")
    rows: Transactions
    source: Source
    rows, source = read_rows(file, **reading)
    options_: Any = {name: value for name, value in told.items() if value is not None}
    options_ |= {"k": asked.k, "policy": asked.policy}
    comparison = side_by_side(rows, **options_) if method == "best" else None
    release = comparison.best if comparison else blocked(rows, method=method, **options_)
    page = pages.release_html(
        release, comparison=comparison, source=source, private=asked.private, timestamp=fixed_time()
    )
    judged = audit(release.patterns, policy=release.policy).verdict if len(release.patterns) else Verdict.RELEASE
    return page, judged


def _check_usage(
    asked: Asked,
    *,
    is_folder: bool,
    method: str | None,
    seconds: float | None,
    csv: str | None,
    min_support: str | None,
) -> None:
    """Refuse options that mean nothing together."""
    if is_folder:
        _check_folder(asked, {"--block": method, "--csv": csv, "--min-support": min_support, "--seconds": seconds})
        return
    check_rule(asked.k, asked.policy)
    if method is not None and min_support is None:
        raise click.UsageError("--block needs rows: give --min-support, such as --min-support 5%")
    if method is not None and csv is not None:
        raise click.UsageError(
            "--csv lists what an audit finds, and a release has none of it: leave --csv or --block out"
        )
    if seconds is not None and method not in {"best", "optimal"}:
        raise click.UsageError("--seconds means nothing without --block best or --block optimal: leave it out")


def _check_folder(asked: Asked, others: "dict[str, Any]") -> None:
    """Refuse what a release folder answers for itself, or does not hold."""
    for option, value in {"-k": asked.k, "--policy": asked.policy, **others}.items():
        if value is not None:
            raise click.UsageError(f"FILE is a folder, taken for a release, which {option} does not fit: leave it out")
    if asked.private:
        raise click.UsageError("A release folder is checked by its public files alone: leave --private out")


def _place(out: str | None, file: str, *, private: bool) -> str:
    """Return where the page goes: beside FILE unless told otherwise, and marked if it is private."""
    from discreet import OptionError
    from discreet.report import marked

    if out == "-" and private:
        raise OptionError("--private needs the name of a file: what only the owner may know is not for a pipe")
    if out is not None:
        return marked(out) if private else out
    if file == "-" or is_database(file):
        place = Path("report.html")
    else:
        whole = Path(file).resolve()
        bare = whole.with_suffix("") if whole.suffix in {".gz", ".xz", ".zst"} else whole
        beside = Path(file).parent if Path(file).name == whole.name else whole.parent
        place = beside / f"{bare.stem or whole.name}.report.html"
    _check_ours(Path(marked(str(place)) if private else place))
    return marked(str(place)) if private else str(place)


def _check_ours(path: Path) -> None:
    """Refuse to put a page, unasked, in the place of something that is no page of ours."""
    from discreet import OutputError

    if path.is_file():
        with path.open("rb") as old:
            if OURS not in old.read(100):
                raise OutputError(f"{path} is there already, and is no report of ours; name another file with --out")
