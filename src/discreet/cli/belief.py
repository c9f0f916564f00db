"""``discreet belief`` tells how probable small groups are to a reader, where nothing is certain."""

from dataclasses import dataclass

import discreet
from discreet import report as reports
from discreet.cli.options import SCHEMA, CandidateOptions, EndingOptions, command, limit_time, option, refuse
from discreet.cli.reading import mine_or_load
from discreet.cli.terminal import ask_about_support, check_place, put, watching
from discreet.disclosure.beliefs.tables import Prior


@dataclass(frozen=True)
class BeliefOptions(EndingOptions, CandidateOptions):
    """What a reader believes, and how long to look."""

    k: int = option("Look for groups of 1 to K - 1 rows.", "K", name="-k", required=True)
    prior: Prior = option("What is equally likely: lists of rows (entropy), or tables of counts.", default="entropy")
    complete: bool = option(
        "Whether they may conclude that an unlisted itemset is rarer than the minimum support.",
        name="--complete/--partial",
        default=True,
    )
    schema: str | None = option(SCHEMA, "TEXT")
    limit: int = option("List at most N patterns.", "N", default=20)
    seconds: float | None = option("Time for the search; the rest is left out.  [default: 60]", "N")


@command(BeliefOptions, "Tell how probable small groups are, where nothing is certain.")
def belief(asked: BeliefOptions) -> int:
    """Tell how probable it is to a reader of FILE that a pattern holds for 1 to K - 1 rows.

    RELEASE, and discreet attack, speak of certainties. A group may be small with a probability of 98 % and yet not for
    certain. The probability depends on the prior: it is no proof, and there is no verdict.

    With --min-support, FILE holds rows, and their closed itemsets are mined. Without it, FILE holds patterns. Patterns
    are over a largest itemset and one or two items more. FILE may be - for stdin.

    Exit code 0: done. 2: wrong usage or input.

    For example:
      discreet belief patterns.json -k 10
      discreet belief clinic.csv --min-support 5% -k 10 --prior uniform --limit 50
    """
    refuse((asked.rows_file is not None, "--rows has no use here: a reader has the patterns alone"))
    check_place("--out", asked.out, asked.file)
    with watching(quiet=asked.quiet, then="weighing") as bars:
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
    text = reports.belief_text(found, source=source, shown=None)
    put(asked.out, reports.belief_json(found, source=source), text, (asked.file,), as_json=asked.as_json)
    return 0
