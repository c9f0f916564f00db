"""``discreet belief`` tells how probable small groups are to a reader, where nothing is certain."""

from dataclasses import dataclass
from typing import Final

import discreet
from discreet import Belief, CellBelief, OptionError
from discreet import report as reports
from discreet.cli.options import (
    COUNTS_READING,
    SCHEMA,
    CandidateOptions,
    CountsOptions,
    EndingOptions,
    command,
    limit_time,
    names,
    option,
    refuse,
)
from discreet.cli.reading import digest, holds_tables, mine_or_load
from discreet.cli.terminal import Bars, ask_about_support, check_place, put, watching
from discreet.disclosure.beliefs.tables import Prior
from discreet.report import Source


@dataclass(frozen=True)
class BeliefOptions(EndingOptions, CandidateOptions, CountsOptions):
    """What a reader believes, and how long to look."""

    k: int = option("Look for groups of 1 to K - 1 rows.", "K", name="-k", required=True)
    prior: Prior = option("What is equally likely: lists of rows (entropy), or tables of counts.", default="entropy")
    complete: bool = option(
        "Whether they may conclude that an unlisted itemset is rarer than the minimum support.",
        name="--complete/--partial",
        default=True,
    )
    schema: str | None = option(SCHEMA, "TEXT")
    limit: int = option("List at most N patterns or counts.", "N", default=20)
    seconds: float | None = option("Time for the search; the rest is left out.  [default: 60]", "N")
    round_to: int | None = option("With --counts: counts in FILE were rounded to multiples of N.", "N")


FOR_BOTH: Final = ("file", "k", "prior", "complete", "limit", "seconds", *names(EndingOptions))
FOR_TABLES: Final = {*FOR_BOTH, *names(CountsOptions), *COUNTS_READING, "round_to", "hierarchy", "format"}


@command(BeliefOptions, "Tell how probable small groups are, where nothing is certain.")
def belief(asked: BeliefOptions) -> int:
    """Tell how probable it is to a reader of FILE that a pattern holds for 1 to K - 1 rows.

    RELEASE, and discreet attack, speak of certainties. A group may be small with a probability of 98 % and yet not for
    certain. The probability depends on the prior: it is no proof, and there is no verdict.

    With --min-support, FILE holds rows, and their closed itemsets are mined. Without it, FILE holds patterns. Patterns
    are over a largest itemset and one or two items more. FILE may be - for stdin.

    With --counts, FILE holds tables of counts. Then it tells how probable it is that a masked count is 1 to K - 1, or
    its likeliest value if its mask says that already.

    Exit code 0: done. 2: wrong usage or input.

    For example:
      discreet belief patterns.json -k 10
      discreet belief clinic.csv --min-support 5% -k 10 --prior uniform --limit 50
      discreet belief table.csv -k 11 --counts
    """
    check_place("--out", asked.out, asked.file)
    believe = _believe_counts if asked.is_table or holds_tables(asked) else _believe_patterns
    with watching(quiet=asked.quiet, then="weighing") as bars:
        found, source = believe(asked, bars)
    text = reports.belief_text(found, source=source, shown=None)
    put(asked.out, reports.belief_json(found, source=source), text, (asked.file,), as_json=asked.as_json)
    return 0


def _believe_patterns(asked: BeliefOptions, bars: Bars) -> tuple[Belief, Source]:
    """Return what is believed about patterns."""
    refuse(
        (asked.rows_file is not None, "--rows has no use here: a reader has the patterns alone"),
        (asked.round_to is not None, "--round-to is for tables of counts: give --counts"),
    )
    patterns, _, source = mine_or_load(asked, bars)
    ask_about_support(patterns, asked.k, quiet=asked.quiet)
    found = discreet.belief(
        patterns,
        k=asked.k,
        prior=asked.prior,
        complete=asked.complete,
        schema=asked.schema,
        limit=asked.limit,
        **limit_time(asked.seconds),
    )
    return found, source


def _believe_counts(asked: BeliefOptions, _: Bars) -> tuple[CellBelief, Source]:
    """Return what is believed about the masked counts of tables."""
    wrong = list(asked.given(*(name for name in names(BeliefOptions) if name not in FOR_TABLES)))
    for flag in [*wrong, *["--partial"] * (not asked.complete)]:
        raise OptionError(f"{flag} is not for tables of counts; leave one out")
    counts, source = digest(asked.file, asked.count_reader(asked))
    asked.announce(counts)
    return discreet.belief(counts, k=asked.k, prior=asked.prior, limit=asked.limit, **limit_time(asked.seconds)), source
