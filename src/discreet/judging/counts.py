"""Judging tables of counts by what they show, and by what can be worked out from them."""

from collections.abc import Iterable, Iterator

import numpy as np

from discreet.data.counts import Counts, State
from discreet.disclosure.beliefs.result import NO_PROOF
from discreet.disclosure.beliefs.tables import PRIORS
from discreet.errors import DiscreetError, Option, OptionError
from discreet.judging import checks
from discreet.judging.finding import NO_PATTERNS, AuditParts, Evidence
from discreet.judging.policy import Check, CheckName, Policy, Verdict
from discreet.judging.reading import check_tables
from discreet.publications.belief import belief
from discreet.publications.counts.older import join_releases
from discreet.publications.counts.revealed import Search, find_revealed
from discreet.runtime.resources import Progress, watching
from discreet.runtime.text import count_of


def judge_counts(
    counts: Counts, policy: Policy, against: object = (), *, grown: bool = False, progress: Progress | None = None
) -> AuditParts:
    """Judge tables of counts: those that they show, and those that follow from these (section 3.4 of the theory).

    Together with older tables, those who came since are counts of their own.
    """
    joint, doubts = join_releases(counts, _as_counts(against), grown=grown)
    with watching(progress, what="deciding", unit="counts decided") as tell:
        search = find_revealed(joint, policy.k, width=policy.width, progress=tell)
    low = search.find_shown(policy.k)
    every = [_check_size(counts), checks.check_low_counts(policy, len(low), noun="count", sure="shown ")]
    every += checks.check_k(policy, search.limits.most_people, "person", "people")
    every.append(_check_cells(search, policy))
    if policy.round_to is not None:
        wrong = sum(cell.state is State.EXACT and cell.low % policy.round_to > 0 for cell in counts)
        every.append(checks.check_rounding(policy, wrong, "count"))
    every += [*_check_zeros(search, policy), *_check_belief(counts, policy), *check_tables(counts, policy.k)]
    every += [CheckName.DIFFERENCING.review(len(doubts), doubts[0])] if doubts else []
    return counts, str(counts), policy, tuple(every), Evidence(NO_PATTERNS, cells=search.found, shown=low)


def refuse_options(*given: object) -> None:
    """Refuse options for itemsets."""
    if any(one is not None for one in given):
        raise OptionError("tables of counts are judged as they are; give k or a policy, rows and older tables alone")


def _as_counts(against: object) -> list[Counts]:
    """Return older tables; refuse anything else."""
    given = list(against) if isinstance(against, Iterable) and not isinstance(against, Counts) else [against]
    older = [one for one in given if isinstance(one, Counts)]
    if len(older) < len(given):
        raise OptionError(Option("against"), " must be tables of counts too; read them with read_counts")
    return older


def _check_size(counts: Counts) -> Check:
    if not len(counts):
        return CheckName.SIZE.withhold(0, "There is no count, so there is nothing to judge.")
    return CheckName.SIZE.release(f"{counts}.")


def _check_cells(search: Search, policy: Policy) -> Check:
    found, k = search.found, policy.k
    many = count_of(search.undecided, "count")
    open_ = [f"What follows for {many} could not be decided in time."] if search.undecided else []
    open_ += search.doubts
    if found:
        kinds = {kind: sum(one.kind == kind for one in found) for kind in ("recovered", "told", "narrowed")}
        of_kinds = ", ".join(f"{many:,} {kind}" for kind, many in kinds.items() if many)
        sentence = f"{count_of(len(found), 'count')} of fewer than {k} can be worked out: {of_kinds}."
        return CheckName.CELLS.withhold(len(found), " ".join([sentence, *open_]))
    if open_:
        return CheckName.CELLS.review(search.undecided, " ".join(open_))
    return CheckName.CELLS.release(f"No count of fewer than {k} that is masked or left out can be worked out.")


def _check_zeros(search: Search, policy: Policy) -> Iterator[Check]:
    """Judge counts of 0 that are shown or follow, as the policy judges them."""
    if policy.zeros is Verdict.RELEASE:
        return
    limits = search.limits
    is_said = limits.equations.states <= State.MASKED
    zeros = int(np.count_nonzero(is_said & (limits.high == 0)))
    sentence = f"{count_of(zeros, 'count')} of 0: nobody has these values."
    none = CheckName.CLASS_DISCLOSURE.release("No count is known to be 0.")
    yield Check(CheckName.CLASS_DISCLOSURE, policy.zeros, zeros, sentence) if zeros else none


def _check_belief(counts: Counts, policy: Policy) -> Iterator[Check]:
    """Judge how sure a reader may be that a masked count is small, of those whose masks do not say it."""
    most, k = policy.max_belief, policy.k
    if most is None or k == 1:
        return
    try:
        found = belief(counts, k=k, limit=len(counts) or 1)
    except DiscreetError as error:
        yield CheckName.BELIEF.review(0, f"How sure a reader may be of masked counts is not known: {error.message}.")
        return
    under = f"Prior {found.prior}: {PRIORS[found.prior]}. {NO_PROOF}"
    beyond = [one for one in found.cells if one.belief > most and not one.says_small]
    if beyond:
        first = f"{beyond[0].words} is 1 to {k - 1:,} with a probability of {beyond[0].shown}"
        yield CheckName.BELIEF.review(len(beyond), f"{first}, and {policy.name} allows {most}. {under}")
    elif found.left_out:
        unknown = f"How sure a reader may be is not known of all masked counts: {found.left_out[0]}."
        yield CheckName.BELIEF.review(0, f"{unknown} {under}")
    else:
        yield CheckName.BELIEF.release(f"No masked count is believed to be small beyond {most}. {under}")
