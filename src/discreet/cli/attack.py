"""``discreet attack``: what an adversary who can do more than add up supports infers from a pattern set."""

import sys
from typing import Any, Final

import click

from discreet.cli.against import AGAINST, older
from discreet.cli.output import check_place, put, wants_json
from discreet.cli.reading import CANDIDATE, COLUMNS, ENDING, LIMITS, TABLE, given, mined, options

SHOWN: Final = 20
LEVELS: Final = ("plain", "derive", "linear", "exact")


@click.command(
    short_help="Find what a stronger attacker infers about few rows.",
    epilog="""\b
Examples:
  discreet attack patterns.json -k 10
  discreet attack clinic.csv --min-support 5% -k 10 --level derive
  discreet attack patterns.json -k 10 --pattern "flu & ~asthma"
  discreet attack may.json -k 10 --against april.json --grown""",
)
@options(CANDIDATE)
@click.option("-k", type=click.IntRange(min=1), required=True, metavar="K", help="Inferences about 1 to K - 1 rows.")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="linear",
    show_default=True,
    help="What the attacker can do; each can do what those before it can.",
)
@click.option(
    "--complete/--partial",
    default=True,
    show_default=True,
    help="Whether he may conclude that what is not listed is rarer than the minimum support.",
)
@click.option("--pattern", metavar="QUERY", help="Tell only for how many rows this holds, such as 'a & b & ~c'.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="How long he may take; what is left then is undecided.",
)
@options(AGAINST, COLUMNS, TABLE, LIMITS, ENDING)
def attack(
    *,
    file: str,
    min_support: str | None,
    k: int,
    level: Any,  # noqa: ANN401 - one of LEVELS
    complete: bool,
    pattern: str | None,
    seconds: float | None,
    against: tuple[str, ...],
    grown: bool,
    as_json: bool,
    out: str | None,
    quiet: bool,
    max_patterns: int | None,
    memory: int | None,
    threads: int | None,
    **reading: Any,  # noqa: ANN401 - options that are told apart in mined()
) -> int:
    """Find what an attacker infers about fewer than K rows from FILE, who can do more than add up supports.

    Each inference comes with its reason; --json gives the certificates that prove them. With --min-support, FILE holds
    rows, of which the closed itemsets are mined; without it, patterns. With --rows he only looks for what is really
    rare, which is quicker, and misses nothing. FILE may be - for stdin.

    With --against, he has older releases as well: of the same rows or, with --grown, of rows that are all among those
    of FILE. Then QUERY may speak of the rows that were there "before", as if that were an item.

    Exit code 0: nothing is inferred, and nothing was left undecided. 1: something is, or was. 2: wrong usage or input.
    """
    import discreet
    from discreet import report
    from discreet.cli.watch import watching

    sources = (file, reading["rows_file"], *against)
    check_place("--out", out, *sources)
    olds = older(against, grown=grown)
    limits = given(max_patterns=max_patterns, memory=memory, threads=threads)
    with watching(quiet=quiet, then="attacking") as progress:
        rows, patterns, source = mined(file, min_support=min_support, limits=limits, bars=progress, **reading)
        known: Any = {"complete": complete, "against": [old for old, _ in olds], "grown": grown}
        told: Any = {"source": source, "against": [old for _, old in olds]}
        if pattern is not None:
            limits_of = discreet.bounds(patterns, pattern, **known)
            shown = report.bounds_json(limits_of, **told), report.bounds_text(limits_of)
            put(out, *shown, as_json=as_json, sources=sources)
            return int(0 < limits_of.low <= limits_of.high < k)
        # Rows do not tell which of them were there before.
        known |= {"rows": None if grown else rows} | ({} if seconds is None else {"seconds": seconds})
        found = discreet.attack(patterns, k=k, level=level, **known)
    is_short = out is None and sys.stdout.isatty() and not wants_json(out, as_json=as_json)
    text = report.attack_text(found, **told, shown=SHOWN if is_short else None)
    put(out, report.attack_json(found, **told), text, as_json=as_json, sources=sources)
    return int(not found.is_safe)
