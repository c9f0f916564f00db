"""Publications that are no list of exact supports: rules, rounded supports, the largest supports, trees."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from discreet.cli.output import put
from discreet.cli.reading import digested, read_rows

if TYPE_CHECKING:
    from discreet import Audit
    from discreet.report import Source

Told: TypeAlias = Mapping[str, Any]
"""Options by their names."""

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
    click.option(
        "--tree",
        is_flag=True,
        help="FILE holds a decision tree, a forest or a list of rules: of scikit-learn as text or dot, PMML, or JSON.",
    ),
    click.option(
        "--targets",
        metavar="VALUES|NAME",
        help="The values that the target of a regression tree takes, such as 0,1; or its column in --rows.",
    ),
)
SCHEMA: Final = (
    click.option(
        "--schema",
        metavar="TEXT",
        help="Labels are attributes and values, with this between them, such as =; values exclude each other.",
    ),
)
TOLD: Final = ("rules", "top", "digits", "rounding", "round_to", "listed_from", "min_confidence", "tree", "targets")


def told_of(reading: dict[str, Any]) -> dict[str, Any]:
    """Take what is said of FILE besides how it is read."""
    return {name: reading.pop(name) for name in TOLD}


def is_published(told: Told) -> bool:
    """Return whether FILE is said to hold anything but exact supports."""
    return any(value is not None and value is not False for value in told.values())


def judged(
    file: str,
    told: Told,
    by: Told,
    alone: Told,
    *,
    out: str | None,
    explain: int,
    as_json: bool,
    quiet: bool,
    **reading: Any,  # noqa: ANN401 - as candidate takes them
) -> int:
    """Judge such a FILE and report; refuse options that are for lists of exact supports ``alone``."""
    from discreet import Verdict, report

    sources = (file, reading["rows_file"])
    result: Any
    result, source = audited(file, told, by, alone, reading)
    shown: Any = {"explain": explain, "source": source}
    lines = report.audit_json(result, **shown), report.audit_text(result, **shown)
    put(out, *lines, as_json=as_json, sources=sources)
    if out not in {None, "-"} and not quiet:
        click.echo(f"{result.verdict.name}; the report was written to {out}", err=True)
    return int(result.verdict is not Verdict.RELEASE)


def audited(file: str, told: Told, by: Told, alone: Told, reading: dict[str, Any]) -> "tuple[Audit, Source]":
    """Return the audit of such a FILE, and its digest; refuse options that are for exact supports ``alone``."""
    return _tree(file, told, by, alone, reading) if told["tree"] else _facts(file, told, by, alone, reading)


def _facts(file: str, told: Told, by: Told, alone: Told, reading: dict[str, Any]) -> "tuple[Audit, Source]":
    """Return the audit of rules, or of supports within limits; ``reading`` is how the rows behind them are read."""
    import discreet

    rows_file, n, kind, form = (reading.pop(name) for name in ("rows_file", "n", "kind", "format"))
    others = {**alone, "kind": kind, "targets": told["targets"], **({} if rows_file else reading)}
    _refuse(others, "rules or rounded supports")
    value, source = _read(file, told, form, n)
    rows = None if rows_file is None else read_rows(rows_file, **reading)[0]
    return discreet.audit(value, rows=rows, **by), source


def _tree(file: str, told: Told, by: Told, alone: Told, reading: dict[str, Any]) -> "tuple[Audit, Source]":
    """Return the audit of trees; their rows are the features that they were fitted on."""
    import discreet
    from discreet import read_tree

    known: Any = {"format": reading.pop("format"), "n": reading.pop("n"), "rows": reading.pop("rows_file")}
    known["targets"] = None if told["targets"] is None else _targets(told["targets"])
    others = {name: value for name, value in told.items() if name not in {"tree", "targets"}}
    _refuse({**others, **alone, "schema": by["schema"], **reading}, "trees")
    trees, source = digested(file, lambda place: read_tree(place, **known))
    return discreet.audit(trees, k=by["k"], policy=by["policy"]), source


def _targets(text: str) -> str | list[float]:
    """Return the values in a text with commas, or else the name of a column.

    >>> _targets("0, 1"), _targets("stays"), _targets("1,b")
    ([0.0, 1.0], 'stays', '1,b')
    """
    try:
        return [float(part) for part in text.split(",")] if "," in text else text
    except ValueError:
        return text


def _refuse(named: Told, what: str) -> None:
    """Refuse options that mean nothing to what FILE holds."""
    from discreet import OptionError

    for name, value in named.items():
        if value is not None and value is not False:
            raise OptionError(f"--{name.replace('_', '-')} is not for {what}; leave one out")


def _read(file: str, told: Told, form: str | None, n: int | None) -> "tuple[Any, Source]":
    """Return rules, or what is known of supports, and the digest of the file."""
    from discreet import OptionError, read_facts, read_rules

    cut = _some(told, ("digits", "rounding")) | {"min_support": told["listed_from"]}
    confidence = told["min_confidence"]
    if not told["rules"]:
        if confidence is not None:
            raise OptionError("--min-confidence is for rules; add --rules, or leave it out")
        more = _some(told, ("round_to", "top"))
        return digested(file, lambda place: read_facts(place, format=form, n=n, **cut, **more))
    if told["top"] or told["round_to"] is not None:
        raise OptionError("--top and --round-to are for itemsets, not for rules; leave one out")
    return digested(file, lambda place: read_rules(place, format=form, n=n, min_confidence=confidence, **cut))


def _some(told: Told, names: Iterable[str]) -> dict[str, Any]:
    return {name: told[name] for name in names}
