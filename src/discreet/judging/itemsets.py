"""Judging itemsets by their supports, and by channels and implications, or differences where a list has gaps."""

from discreet.data.lattice import add_root
from discreet.data.thresholds import Threshold
from discreet.data.transactions import Rows
from discreet.disclosure.detect import Question, find_channels
from discreet.disclosure.implications import find_implications
from discreet.errors import InconsistencyError, Option, OptionError, ThresholdError
from discreet.judging import checks
from discreet.judging.finding import Evidence
from discreet.judging.policy import Check, Policy, Verdict
from discreet.judging.rules import check_rounded


def judge_patterns(question: Question, policy: Policy, rows: Rows | None) -> tuple[list[Check], Evidence]:
    """Return the checks of the patterns in question, and what they found."""
    patterns = question.patterns
    first = [one for check in checks.CHECKS if (one := check(policy, patterns)) is not None]
    if rows is None and checks.is_rounded(policy, patterns):
        return [*first, check_rounded(patterns, policy)], Evidence(patterns)
    try:
        if question.rows is None:
            Question(patterns, rows, question.limit)  # refuses rows that the patterns were not mined from
        if patterns.kind != "maximal":
            channels = find_channels(question)
            implications = None if policy.zeros is Verdict.RELEASE else find_implications(patterns)
            every = [*[checks.CONSISTENT] * bool(len(patterns)), *first, checks.check_channels(channels)]
            if implications is not None:
                every.append(checks.check_implications(policy, len(implications), more=implications.more))
            return every, Evidence(patterns, channels, implications)
    except InconsistencyError as error:
        first.insert(0, checks.name_flaw(patterns, error))
    differences = checks.find_differences(add_root(patterns), policy.k)
    return [*first, checks.check_differences(differences, policy.k)], Evidence(patterns, differences=differences)


def check_mining(rows: object, min_support: Threshold | None) -> None:
    """Refuse rows beside rows, and rows that nobody said how to mine."""
    if rows is not None:
        raise OptionError("rows are given twice; give ", Option("rows"), " only with patterns")
    if min_support is None:
        raise ThresholdError(
            Option("min_support"), " is missing; give the least support of what would be published, such as '10%'"
        )
