"""Judging what a release tells together with older ones."""

from collections.abc import Iterator, Sequence
from typing import Final

from discreet.data.patterns import Patterns
from discreet.judging.checks import is_rounded
from discreet.judging.policy import Policy
from discreet.judging.verdict import Check, CheckName, Verdict, worst
from discreet.publications.series.change import Changes
from discreet.runtime.text import count_of

ROUNDED: Final = (Verdict.REVIEW, "Differences of rounded supports are not exact: compare the exact supports.")


def judge_changes(policy: Policy, new: Patterns, found: Sequence[Changes], *, grown: bool, followed: bool) -> Check:
    """Judge the changes since older releases; ``grown`` says that rows were only added since each.

    Without that it is not known who came and went. Where all counts rose, or all fell, one release may hold the rows of
    the other, so small differences are withheld; where some rose and others fell, a person must say what they mean.
    Unless it was ``followed`` what all of them tell together, a person must look as well.
    """
    judged = list(_each(policy, new, found, grown=grown))
    if not followed:
        judged.append((Verdict.REVIEW, "What so many older releases tell together is not followed."))
    verdict = worst(one for one, _ in judged)
    sentences = (sentence for one, sentence in judged if one is verdict)
    return Check(CheckName.DIFFERENCING, verdict, sum(one.small for one in found), " ".join(dict.fromkeys(sentences)))


def _each(policy: Policy, new: Patterns, found: Sequence[Changes], *, grown: bool) -> Iterator[tuple[Verdict, str]]:
    """Yield a verdict on the changes since each release, and on those since several."""
    several = found[-1].numbers[-1] > 1
    for one in found:
        if any(is_rounded(policy, release) for release in (new, *one.olds)):
            verdict, sentence = ROUNDED
        elif len(one.numbers) > 1:
            verdict, sentence = _together(policy, one)
        else:
            verdict, sentence = _judged(policy, one, grown=grown)
        which = ", ".join(map(str, one.numbers))
        yield verdict, f"{f'Older release {which}: ' * several}{sentence}"


def _together(policy: Policy, found: Changes) -> tuple[Verdict, str]:
    """Return the verdict on what is left of a release without the rows of several older ones."""
    return Verdict.WITHHOLD, (
        f"{count_of(found.small, 'difference')} from their sum tell{'s' * (found.small == 1)} of fewer than {policy.k} "
        "rows that are in none of them."
    )


def _judged(policy: Policy, found: Changes, *, grown: bool) -> tuple[Verdict, str]:
    """Return the verdict on the changes since one release, and why: the first case that there is."""
    k, many = policy.k, count_of(found.small, "difference")
    cases = (
        (
            grown and found.fell,
            Verdict.WITHHOLD,
            (
                f"{count_of(found.fell, 'count')} fell since the older release, so rows were not only added: check "
                "that it is the older one, of the same rows."
            ),
        ),
        (
            found.rose and found.fell,
            Verdict.REVIEW,
            (
                f"{count_of(found.rose, 'count')} rose and {found.fell:,} fell since the older release: rows came and "
                f"went, or changed, and {many} {'is' if found.small == 1 else 'are'} of fewer than {k} rows."
            ),
        ),
        (
            found.small,
            Verdict.WITHHOLD,
            (
                f"{many} from the older release tell{'s' * (found.small == 1)} of fewer than {k} rows that were "
                f"{'added' if found.rose else 'left out'} since."
            ),
        ),
        (
            not found.items,
            Verdict.REVIEW,
            (
                "The older release tells of no item that this one tells of, so only the numbers of rows were compared: "
                "check that items are named alike."
            ),
        ),
        (
            not found.is_whole,
            Verdict.REVIEW,
            (
                f"No support that both releases list differs by less than {k}; what else they tell together is not "
                "followed."
            ),
        ),
        (True, Verdict.RELEASE, f"No difference from the older release tells of fewer than {k} rows."),
    )
    return next((verdict, sentence) for is_so, verdict, sentence in cases if is_so)
