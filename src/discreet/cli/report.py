"""``discreet report``: an audit or a release as one HTML file that people read."""

from pathlib import Path
from typing import Any, Final

import click

from discreet.blocking.block import BEST, METHODS
from discreet.cli.against import AGAINST, older
from discreet.cli.output import check_place, fixed_time
from discreet.cli.publications import PUBLISHED, SCHEMA, is_published, told_of
from discreet.cli.reading import CANDIDATE, COLUMNS, LIMITS, RULE, TABLE, check_rule, given, is_database, options
from discreet.cli.reported import Asked, Reported, audited, published, released

OURS: Final = b"<!-- written by discreet -->"
"""What a report of ours holds near its beginning."""


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
@options(CANDIDATE, RULE)
@click.option(
    "--block", "method", type=click.Choice((BEST, *METHODS)), help="Make FILE safe by this method; report the release."
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
@options(SCHEMA, PUBLISHED, AGAINST, COLUMNS, TABLE, LIMITS)
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
    schema: str | None,
    against: tuple[str, ...],
    grown: bool,
    max_patterns: int | None,
    memory: int | None,
    threads: int | None,
    **reading: Any,  # noqa: ANN401 - options that are told apart in candidate()
) -> int:
    """Write a page that people read: the verdict, what was found, in words and drawings, and what it means.

    FILE is as in `discreet audit`: rows, with --min-support, or patterns. With --block, the page is about the
    release that comes of it. FILE may also be the folder of a release. The page is one file that needs no
    network. Without --out it is written beside FILE, to FILE's name with .report.html for its suffix.

    --against, --grown, --schema, and what tells rules and rounded supports, are as in `discreet audit`, too.

    Exit code 0: RELEASE. 1: REVIEW or WITHHOLD. 2: wrong usage or input.
    """
    from discreet import Verdict
    from discreet import report as pages
    from discreet.cli.watch import watching

    is_folder = file != "-" and Path(file).is_dir()
    told = told_of(reading)
    asked = Asked(k, policy, schema, private, explain, not no_tradeoff, csv)
    limits = given(max_patterns=max_patterns, memory=memory, threads=threads)
    beside = {"against": against or None, "grown": grown or None}
    others = {"block": method, "seconds": seconds, "min_support": min_support, **beside}
    _check_usage(asked, others | told, is_folder=is_folder)
    place, sources = _place(out, file, private=private), (file, reading["rows_file"], *against)
    for option, name in (("--out", place), ("--csv", csv)):
        check_place(option, name, *sources)
    if csv == place:
        raise click.UsageError(f"--csv and --out are both {place}: name another file for one of them")
    with watching(quiet=quiet, then="working on the report") as progress:
        if is_folder:
            found = Reported(*pages.folder_html(file, timestamp=fixed_time()))
        elif is_published(told):
            found = published(file, asked, told, {**others, "private": private or None, **limits}, reading)
        elif method is not None:
            how = {"min_support": min_support, "seconds": seconds, "progress": progress, **limits}
            found = released(file, asked, method, how, reading)
        else:
            told = {"olds": older(against, grown=grown), "grown": grown, "reading": reading}
            found = audited(file, asked, min_support, limits=limits, progress=progress, **told)
    files: list[Any] = [(place, [found.page.encode()], private), *[(csv, found.findings, True)] * (csv is not None)]
    for name, chunks, is_private in sorted(files, key=lambda one: one[0] == "-"):  # a pipe comes last: it may break
        pages.save(name, chunks, sources=sources, private=is_private)
    if not quiet:
        click.echo(f"{found.verdict.name}; the report was written to {place}", err=True)
        if private:
            click.echo("it tells what only the owner of the rows may know: keep that file to yourself", err=True)
    return int(found.verdict is not Verdict.RELEASE)


def _check_usage(asked: Asked, others: dict[str, Any], *, is_folder: bool) -> None:
    """Refuse options that mean nothing together; ``others`` are those that are not about the page itself."""
    if is_folder:
        _check_folder(asked, others)
        return
    check_rule(asked.k, asked.policy)
    method = others["block"]
    if method is not None and others["min_support"] is None:
        raise click.UsageError("--block needs rows: give --min-support, such as --min-support 5%")
    if method is not None:
        alone = {"csv": asked.csv, "schema": asked.schema, **{name: others[name] for name in ("against", "grown")}}
        for option, value in alone.items():
            if value is not None:
                raise click.UsageError(
                    f"--{option} is for an audit, and --block reports a release: leave --{option} or --block out"
                )
    if others["seconds"] is not None and method not in {"best", "optimal"}:
        raise click.UsageError("--seconds means nothing without --block best or --block optimal: leave it out")


def _check_folder(asked: Asked, others: dict[str, Any]) -> None:
    """Refuse what a release folder answers for itself, or does not hold."""
    about = {"policy": asked.policy, "csv": asked.csv, "schema": asked.schema, **others}
    named = {"-k": asked.k, **{f"--{name.replace('_', '-')}": value for name, value in about.items()}}
    for option, value in named.items():
        if value is not None and value is not False:
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
