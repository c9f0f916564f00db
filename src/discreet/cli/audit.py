"""``discreet audit``: whether a pattern set may be published."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.against import AGAINST, older
from discreet.cli.output import check_place, fixed_time, put
from discreet.cli.publications import PUBLISHED, SCHEMA, is_published, judged, told_of
from discreet.cli.reading import CANDIDATE, COLUMNS, ENDING, LIMITS, RULE, TABLE, candidate, check_rule, given, options

if TYPE_CHECKING:
    from discreet import Audit


@click.command(
    short_help="Judge whether a pattern set may be published.",
    epilog="""\b
Examples:
  discreet audit clinic.csv --min-support 5% -k 10
  discreet audit clinic.csv --min-support 5% --policy acro --exposed exposed.csv
  discreet audit clinic.csv --min-support 5% --policy acro --sacro checked
  discreet audit patterns.json -k 10 --json
  discreet audit mined.txt -k 10 --n 2000 --kind closed
  discreet audit may.json -k 10 --against april.json --grown
  discreet audit rules.csv -k 10 --rules --n 2000
  discreet audit tree.dot -k 10 --tree
  discreet audit clinic.csv --min-support 5% -k 10 --schema =""",
)
@options(CANDIDATE, RULE)
@click.option(
    "--explain",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    metavar="N",
    help="Show the N worst of each kind, with their sums.",
)
@click.option("--exposed", metavar="FILE", help="Write which rows are exposed to a file named DO-NOT-RELEASE.")
@click.option("--sacro", metavar="FOLDER", help="Write a folder for output checkers, which SACRO-Viewer opens.")
@options(SCHEMA, PUBLISHED, AGAINST, COLUMNS, TABLE, LIMITS, ENDING)
def audit(
    *,
    file: str,
    min_support: str | None,
    k: int | None,
    policy: str | None,
    explain: int,
    exposed: str | None,
    sacro: str | None,
    against: tuple[str, ...],
    grown: bool,
    schema: str | None,
    as_json: bool,
    out: str | None,
    quiet: bool,
    max_patterns: int | None,
    memory: int | None,
    threads: int | None,
    **reading: Any,  # noqa: ANN401 - options that are told apart in candidate()
) -> int:
    """Judge whether publishing patterns would give away facts about fewer than K people.

    With --min-support, FILE holds rows, of which the closed itemsets would be published. Without it, FILE
    holds patterns that somebody wants to publish, and no rows are needed. FILE may be - for stdin.

    With --rules, FILE holds association rules; with --digits, --rounding or --round-to, supports that were
    rounded; with --top, the itemsets of the largest supports; with --tree, a decision tree, and --rows are its
    features, as CSV with a header.

    With --against, it is also judged what FILE tells together with what was published before.

    Exit code 0: RELEASE. 1: REVIEW or WITHHOLD. 2: wrong usage or input.
    """
    import discreet
    from discreet import report
    from discreet.cli.watch import watching

    check_rule(k, policy)
    rows_file = reading["rows_file"]
    sources = (file, rows_file, *against)
    check_place("--out", out, *sources)
    told_of_file = told_of(reading)
    if is_published(told_of_file):
        alone: Any = {"min_support": min_support, "exposed": exposed, "sacro": sacro, "against": against or None}
        alone |= {"grown": grown or None, "max_patterns": max_patterns, "memory": memory, "threads": threads}
        by: Any = {"k": k, "policy": policy, "schema": schema}
        return judged(file, told_of_file, by, alone, out=out, explain=explain, as_json=as_json, quiet=quiet, **reading)
    target = _exposed_place(exposed, *sources, has_rows=min_support is not None or rows_file is not None)
    timestamp = None if sacro is None else _checked(sacro, out, target, *sources)
    limits = given(max_patterns=max_patterns, memory=memory, threads=threads)
    olds = older(against, grown=grown)
    since: Any = {"against": [patterns for patterns, _ in olds], "grown": grown, "schema": schema}
    with watching(quiet=quiet, then="auditing") as progress:
        found = candidate(
            file, min_support=min_support, limits=limits, bars=progress if exposed is None else None, **reading
        )
        if found.patterns is None:
            rows: Any = found.rows
            limits["progress"] = progress
            result = discreet.audit(rows, k=k, policy=policy, min_support=min_support, **since, **limits)
        else:
            progress(1, len(found.patterns))
            result = discreet.audit(found.patterns, k=k, policy=policy, rows=found.rows, **since)
        _ = result.exposed, result.is_acyclic  # reckoned here, where the user is told what runs
    told: Any = {"explain": explain, "source": found.source, "against": [source for _, source in olds]}
    if target is not None and result.exposed is not None:
        report.save(target, report.exposed_csv(result))
    if sacro is not None:
        report.write_sacro(result, sacro, source=found.source, timestamp=timestamp, against=told["against"])
    shown = report.audit_json(result, **told), report.audit_text(result, **told)
    put(out, *shown, as_json=as_json, sources=sources)
    for line in _what_was_written(result, out, target, sacro, quiet=quiet):
        click.echo(line, err=True)
    return int(result.verdict is not discreet.Verdict.RELEASE)


def _exposed_place(exposed: str | None, *sources: str | None, has_rows: bool) -> str | None:
    """Return where the exposed rows go, under a name that says what they are; refuse what cannot be."""
    from discreet import OptionError, report

    if exposed is None:
        return None
    if not has_rows:
        raise OptionError("--exposed needs rows; give --min-support if FILE holds rows, or the rows with --rows")
    if exposed in {"", "-"}:
        raise OptionError("--exposed needs the name of a file: which rows are exposed is not for a pipe")
    place = report.marked(exposed)
    check_place("--exposed", place, *sources)
    return place


def _what_was_written(
    result: "Audit", out: str | None, exposed: str | None, sacro: str | None, *, quiet: bool
) -> Iterator[str]:
    """Yield what went where; exposed rows, told even if quiet, may be under another name than was asked for."""
    if out not in {None, "-"} and not quiet:
        yield f"{result.verdict.name}; the report was written to {out}"
    if exposed is not None and result.exposed is None:
        yield "no exposed rows were written, since channels could not be looked for"
    elif exposed is not None:
        yield f"the exposed rows were written to {exposed}: keep that file to yourself"
    if sacro is not None and not quiet:
        yield f"a folder for output checkers alone was written to {sacro}: open it with SACRO-Viewer"


def _checked(sacro: str, *files: str | None) -> datetime:
    """Refuse a folder that cannot be written, or that another file is in; return the time that it is to tell."""
    from discreet import OptionError, report

    place = Path(sacro)
    report.check_sacro(place)
    for file in files:
        if file not in {None, "-"} and Path(str(file)).resolve().is_relative_to(place.resolve()):
            raise OptionError(f"--sacro is {sacro}, and a file that is read or written is in it; name another folder")
    return fixed_time() or datetime.now(UTC)
