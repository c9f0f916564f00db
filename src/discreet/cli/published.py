"""Publications that are no list of exact supports: rules, rounded supports, the itemsets of the largest supports."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from discreet.cli.place import put
from discreet.cli.reading import digested, read_rows

if TYPE_CHECKING:
    from discreet.report import Source

PUBLISHED: Final = (
    click.option("--rules", is_flag=True, help="FILE holds association rules: of SPMF, arules or mlxtend, or PMML."),
    click.option("--top", is_flag=True, help="FILE lists the itemsets of the largest supports, and no others."),
    click.option(
        "--digits", type=click.IntRange(min=0), metavar="N", help="Shares in FILE have N digits behind the point."
    ),
    click.option(
        "--rounding", type=click.Choice(["round", "truncate", "exact"]), help="How numbers in FILE were cut short."
    ),
    click.option(
        "--round-to", type=click.IntRange(min=1), metavar="N", help="Supports in FILE were rounded to multiples of N."
    ),
    click.option(
        "--listed-from",
        metavar="COUNT|SHARE",
        help="It was announced that FILE lists all that so many rows hold: 813, 10%, 0.1.",
    ),
    click.option(
        "--min-confidence", metavar="SHARE", help="It was announced that FILE lists all rules of this confidence: 60%."
    ),
)
SCHEMA: Final = (
    click.option(
        "--schema",
        metavar="TEXT",
        help="Labels are attributes and values, with this between them, such as =; values exclude each other.",
    ),
)
TOLD: Final = ("rules", "top", "digits", "rounding", "round_to", "listed_from", "min_confidence")


def told_of(reading: dict[str, Any]) -> dict[str, Any]:
    """Take what is said of FILE besides how it is read."""
    return {name: reading.pop(name) for name in TOLD}


def is_published(told: Mapping[str, Any]) -> bool:
    """Return whether FILE is said to hold anything but exact supports."""
    return any(value is not None and value is not False for value in told.values())


def judged(
    file: str,
    told: Mapping[str, Any],
    by: Mapping[str, Any],
    alone: Mapping[str, Any],
    *,
    out: str | None,
    explain: int,
    as_json: bool,
    quiet: bool,
    **reading: Any,  # noqa: ANN401 - as candidate takes them
) -> int:
    """Judge such a FILE and report; refuse options that are for lists of exact supports ``alone``."""
    import discreet
    from discreet import OptionError, report

    rows_file, n, kind = reading.pop("rows_file"), reading.pop("n"), reading.pop("kind")
    form = reading.pop("format")
    for name, value in {**alone, "kind": kind, **({} if rows_file else reading)}.items():
        if value is not None:
            raise OptionError(f"--{name.replace('_', '-')} is not for rules or rounded supports; leave one out")
    value, source = _read(file, told, form, n)
    rows = None if rows_file is None else read_rows(rows_file, **reading)[0]
    result = discreet.audit(value, rows=rows, **by)
    shown: Any = {"explain": explain, "source": source}
    put(out, report.facts_json(result, **shown), report.facts_text(result, **shown), as_json=as_json)
    if out not in {None, "-"} and not quiet:
        click.echo(f"{result.verdict.name}; the report was written to {out}", err=True)
    return int(result.verdict is not discreet.Verdict.RELEASE)


def _read(file: str, told: Mapping[str, Any], form: str | None, n: int | None) -> "tuple[Any, Source]":
    """Return rules, or what is known of supports, and the digest of the file."""
    from discreet import OptionError, read_facts, read_rules

    cut = {name: told[name] for name in ("digits", "rounding")} | {"min_support": told["listed_from"]}
    confidence = told["min_confidence"]
    if not told["rules"]:
        if confidence is not None:
            raise OptionError("--min-confidence is for rules; add --rules, or leave it out")
        more = {name: told[name] for name in ("round_to", "top")}
        return digested(file, lambda place: read_facts(place, format=form, n=n, **cut, **more))
    if told["top"] or told["round_to"] is not None:
        raise OptionError("--top and --round-to are for itemsets, not for rules; leave one out")
    return digested(file, lambda place: read_rules(place, format=form, n=n, min_confidence=confidence, **cut))
