"""``discreet audit``: whether a pattern set may be published."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from discreet.cli.candidate import JudgeOptions, judge
from discreet.cli.options import COUNT, EndingOptions, option, options
from discreet.cli.output import check_place, fixed_time, put

if TYPE_CHECKING:
    from discreet import Audit


@dataclass(frozen=True)
class AuditOptions(EndingOptions, JudgeOptions):
    """What to judge, and what to write."""

    explain: int = option("Show the N worst findings of each kind, with their sums.", "N", type=COUNT, default=3)
    exposed: str | None = option("Write which rows are exposed to a file named DO-NOT-RELEASE.", "FILE")
    sacro: str | None = option("Write a folder for output checkers, which SACRO-Viewer opens.", "FOLDER")


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
@options(AuditOptions)
def audit(asked: AuditOptions) -> int:
    """Judge whether publishing patterns would give away facts about fewer than K people.

    With --min-support, FILE holds rows, whose closed itemsets would be published. Without it, FILE holds patterns
    that somebody wants to publish, and no rows are needed. FILE may be - for stdin.

    With --rules, FILE holds association rules; with --digits, --rounding or --round-to, rounded supports; with
    --top, the itemsets with the largest supports; with --tree, a decision tree, and --rows are its features, as CSV
    with a header.

    With --against, FILE is also judged together with what was published before.

    Exit code 0: RELEASE. 1: REVIEW or WITHHOLD. 2: wrong usage or input.
    """
    from discreet import Verdict, report
    from discreet.cli.terminal import watching

    asked.check_rule()
    check_place("--out", asked.out, *asked.sources)
    target, timestamp = None, None
    if asked.is_exact:
        target = _check_exposed(asked)
        timestamp = None if asked.sacro is None else _check_sacro(asked.sacro, asked.out, target, *asked.sources)
    with watching(quiet=asked.quiet, then="auditing") as bars:
        audit, source, against = judge(asked, bars, "exposed", "sacro", keep_ids=asked.exposed is not None)
        _ = audit.exposed, audit.is_acyclic  # computed here, while the bar shows it
    if target is not None and audit.exposed is not None:
        report.save(target, report.exposed_csv(audit))
    if asked.sacro is not None:
        report.write_sacro(audit, asked.sacro, source=source, timestamp=timestamp, against=against)
    chunks = report.audit_json(audit, explain=asked.explain, source=source, against=against)
    lines = report.audit_text(audit, explain=asked.explain, source=source, against=against)
    put(asked.out, chunks, lines, as_json=asked.as_json, sources=asked.sources)
    for line in _say_written(asked, audit, target):
        click.echo(line, err=True)
    return int(audit.verdict is not Verdict.RELEASE)


def _check_exposed(asked: AuditOptions) -> str | None:
    """Return the file for the exposed rows, under a name that marks it as private; refuse one that cannot be."""
    from discreet import OptionError, report

    if asked.exposed is None:
        return None
    if not asked.has_rows:
        raise OptionError("--exposed needs rows; give --min-support if FILE holds rows, or the rows with --rows")
    if asked.exposed in {"", "-"}:
        raise OptionError("--exposed needs the name of a file: exposed rows are not for a pipe")
    place = report.marked(asked.exposed)
    check_place("--exposed", place, *asked.sources)
    return place


def _check_sacro(sacro: str, *files: str | None) -> datetime:
    """Refuse a folder that cannot be written, or that another file is in; return the time that it states."""
    from discreet import OptionError, report

    place = Path(sacro)
    report.check_sacro(place)
    for file in files:
        if file not in {None, "-"} and Path(str(file)).resolve().is_relative_to(place.resolve()):
            raise OptionError(f"--sacro is {sacro}, and a file that is read or written is in it; name another folder")
    return fixed_time() or datetime.now(UTC)


def _say_written(asked: AuditOptions, audit: "Audit", exposed: str | None) -> Iterator[str]:
    """Yield what was written where; for exposed rows even if quiet, since their file may have another name."""
    if asked.out not in {None, "-"} and not asked.quiet:
        yield f"{audit.verdict.name}; the report was written to {asked.out}"
    if exposed is not None and audit.exposed is None:
        yield "no exposed rows were written, since channels could not be looked for"
    elif exposed is not None:
        yield f"the exposed rows were written to {exposed}: keep that file to yourself"
    if asked.sacro is not None and not asked.quiet:
        yield f"a folder for output checkers alone was written to {asked.sacro}: open it with SACRO-Viewer"
