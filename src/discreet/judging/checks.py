"""Checks of itemsets and of what older releases add, each with a verdict and a sentence that says why."""

from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import Final

import numpy as np

from discreet import kernels
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channels, Difference, as_text
from discreet.errors import Command, InconsistencyError, Message, Option, on_command_line
from discreet.judging.policy import COLOURS, SIGNS, Check, CheckName, Policy, Verdict, worst
from discreet.publications.rules.bounded import MOST
from discreet.publications.series import Changes
from discreet.runtime import html
from discreet.runtime.text import count_of, printable

WIDTH: Final = 100  # columns of prose
CONSISTENT: Final = CheckName.CONSISTENCY.release("The counts do not contradict each other.")
ROUNDED: Final = CheckName.CHANNELS.review(
    0, "Differences of rounded supports are not exact, and their limits are not followed: audit the exact supports."
)
ADVICE: Final = {
    CheckName.COUNTS: "Fit the tree without weights, or have its owner write its leaves with write_tree; audit that.",
    CheckName.PEOPLE: "Audit the rows themselves with the person of each, or mine again with the rows of each merged.",
    CheckName.SEVERAL_TREES: "Publish fewer trees, or coarser ones.",
    CheckName.DIFFERENCING: "Wait for more rows, leave out what changed little, or publish the older release again.",
    CheckName.SCHEMA: "Leave out one more value of each such attribute, so that more rows remain.",
    CheckName.READING: "Look at how the file was read, and say what was meant.",
    CheckName.K: "Give the smallest group that anyone may learn about, such as 10, as k.",
    CheckName.COMPLETENESS: "Get the whole list with exact supports (all closed or all frequent itemsets); audit that.",
    CheckName.CONSISTENCY: "Get the whole list with exact supports, or ask how numbers were rounded, and audit again.",
    CheckName.WEIGHTS: "Ask how the tree was fitted, or have its owner write its leaves with write_tree.",
    CheckName.THRESHOLDS: "Round the thresholds before publishing, or fit on rounded features.",
}
"""What to do where a check fails; BROKEN ones come first, and where one of COARSEN fails, less must be published."""
BROKEN: Final = (CheckName.COUNTS, CheckName.COMPLETENESS, CheckName.CONSISTENCY)
COARSEN: Final = {CheckName.CELLS, CheckName.CHANNELS, CheckName.DIFFERENCES, CheckName.BOUNDS, CheckName.LOW_COUNTS}
SECRET: Final = frozenset(CheckName) - {CheckName.SIZE, CheckName.READING, CheckName.OUTPUTS, CheckName.K}
"""Checks whose findings are small counts."""
PERSON: Final = "A person must look at this: the checks say why."
STATE_KIND: Final = Message(
    "If these are the closed or the maximal itemsets, say so with ", Option("kind"), "; otherwise get the whole list."
)
MAKE_SAFE: Final = Message(
    "Make it safe with ", Command("block"), "; ", Command("advise"), " tries what could be done."
)


def check_k(policy: Policy, n: int | None, noun: str = "row", plural: str = "") -> Iterator[Check]:
    """Leave a k to a person that protects nobody, or that no group of the ``n`` rows can have.

    >>> [check.sentence for n in (40, 4) for k in (1, 5) for check in check_k(Policy("k", k=k), n)]
    ['k is 1, so no count is too small.', 'k is 1, so no count is too small.', 'k is 5, more than all 4 rows.']
    """
    if policy.k < 2:  # noqa: PLR2004 - a person alone is a group of one
        yield CheckName.K.review(0, f"k is {policy.k}, so no count is too small.")
    elif n is not None and n < policy.k:
        yield CheckName.K.review(0, f"k is {policy.k:,}, more than {'all ' * (n > 1)}{count_of(n, noun, plural)}.")


def check_size(policy: Policy, many: int, noun: str) -> Check:
    """Judge how much is listed: there must be something, and a policy may limit it."""
    if not many:
        return CheckName.SIZE.withhold(0, "Nothing is listed, so there is nothing to judge.")
    if policy.max_itemsets is not None and many > policy.max_itemsets:
        sentence = f"{many:,} {noun}s are listed; {policy.name} allows {policy.max_itemsets:,}."
        return CheckName.SIZE.review(many, sentence)
    most = "no limit is set" if policy.max_itemsets is None else f"{policy.name} allows {policy.max_itemsets:,}"
    return CheckName.SIZE.release(f"{count_of(many, noun)} listed; {most}.")


def check_low_counts(policy: Policy, low: int, zeros: int = 0, *, noun: str = "support", sure: str = "") -> Check:
    """Judge how many counts are below k, and how many are 0."""
    if low:
        return CheckName.LOW_COUNTS.withhold(low, f"{count_of(low, noun)} {sure}below {policy.k}.")
    if zeros:
        none = f"{count_of(zeros, noun)} of 0: nobody has these itemsets."
        return Check(CheckName.LOW_COUNTS, policy.zeros, zeros, none)
    return CheckName.LOW_COUNTS.release(f"No {noun} is {sure}below {policy.k}.")


def check_rounding(policy: Policy, wrong: int, noun: str = "support") -> Check:
    """Judge how many counts are not rounded as the policy asks."""
    if wrong:
        sentence = f"{count_of(wrong, noun)} not rounded; {policy.name} asks for multiples of {policy.round_to}."
        return CheckName.ROUNDING.review(wrong, sentence)
    return CheckName.ROUNDING.release(f"All {noun}s are multiples of {policy.round_to}.")


def is_rounded(policy: Policy, patterns: Patterns) -> bool:
    """Return whether the policy rounds, and all supports are rounded so."""
    return policy.round_to is not None and not (patterns.supports % policy.round_to).any()


def _check_list(policy: Policy, patterns: Patterns) -> Check:
    return check_size(policy, len(patterns) if patterns.n else 0, "itemset")


def _check_supports(policy: Policy, patterns: Patterns) -> Check:
    supports = patterns.supports
    low, zeros = (int(np.count_nonzero(those)) for those in ((supports > 0) & (supports < policy.k), supports == 0))
    return check_low_counts(policy, low, zeros)


def _check_rounded(policy: Policy, patterns: Patterns) -> Check | None:
    wrong = int(np.count_nonzero(patterns.supports % (policy.round_to or 1)))
    return None if policy.round_to is None else check_rounding(policy, wrong)


CHECKS: Final[tuple[Callable[[Policy, Patterns], Check | None], ...]] = (_check_list, _check_supports, _check_rounded)
"""Checks of the listed supports alone, in the order of a report; None if the policy does not ask for it."""


def check_channels(channels: Channels) -> Check:
    """Judge the inference channels."""
    if len(channels):
        many = count_of(len(channels), "maximal channel")
        sentence = f"{many}: differences of counts that reveal fewer than {channels.k} rows."
        return CheckName.CHANNELS.withhold(len(channels), sentence)
    return CheckName.CHANNELS.release(f"No difference of published counts reveals fewer than {channels.k} rows.")


def check_implications(policy: Policy, many: int, *, more: bool = False) -> Check:
    """Judge how many implications there are, as the policy judges derived counts of 0."""
    if not many:
        return CheckName.CLASS_DISCLOSURE.release("No item is known to be common to all rows with others.")
    sentence = f"{'More than ' * more}{count_of(many, 'implication')}: all rows with some items have another."
    return Check(CheckName.CLASS_DISCLOSURE, policy.zeros, many, sentence)


def name_flaw(patterns: Patterns, error: InconsistencyError) -> Check:
    """Name what is wrong with a list that has gaps, or that no rows can have."""
    itemset, other = as_text(error.itemset), as_text(error.other)
    support, larger = (f" ({patterns[one]:,})" if one in patterns else "" for one in (error.itemset, error.other))
    sentence = {
        "missing": f"{other} is listed, but its part {itemset} is not.",
        "rising": f"{other}{larger} has more support than its part {itemset}{support}.",
        "open": f"{other} is listed as closed, but all its rows have {itemset} as well.",
        "parent": f"Rows with {itemset}{support} hold {other}{larger} by the hierarchy, so these must be as many.",
        "negative": f"By these supports, fewer than 0 rows have {itemset} and nothing else of {other}.",
    }[error.flaw]
    name = CheckName.COMPLETENESS if error.flaw == "missing" else CheckName.CONSISTENCY
    return name.withhold(1, sentence)


def find_differences(patterns: Patterns, k: int) -> tuple[Difference, ...]:
    """Return the itemsets and supersets whose supports differ by 1 to k − 1, the smallest difference first.

    >>> listed = Patterns.from_itemsets([(["a", "b"], 50), (["a", "b", "c"], 48)], n=100)
    >>> [str(difference) for difference in find_differences(listed, 10)]
    ['a ∧ b ∧ ¬c: 2 rows']
    """
    offsets, items, supports = patterns.offsets, patterns.items, patterns.supports
    trie = kernels.inversion.plant(offsets, items)
    pairs = kernels.closure.find_gaps(trie, offsets, items, supports, supports, len(patterns.labels), k, MOST)
    labelled = ((*(frozenset(patterns.labelled(at)) for at in pair), pair) for pair in pairs.tolist())
    differences = [Difference(base, top, int(supports[one] - supports[two])) for base, top, (one, two) in labelled]
    return tuple(sorted(differences, key=lambda difference: (difference.count, len(difference.top))))


def check_differences(differences: Sequence[Difference], k: int) -> Check:
    """Judge the differences; even without any, a list with gaps may reveal more."""
    if not differences:
        sentence = f"No two supports differ by less than {k}; further limits are not followed."
        return CheckName.DIFFERENCES.review(0, sentence)
    many = "More than " * (len(differences) == MOST) + count_of(len(differences), "difference")
    sentence = f"{many} of two supports: each reveals fewer than {k} rows."
    return CheckName.DIFFERENCES.withhold(len(differences), sentence)


def check_changes(policy: Policy, new: Patterns, since: Sequence[Changes], *, grown: bool, followed: bool) -> Check:
    """Judge the changes since older releases; ``grown`` says that rows were only added since each.

    Otherwise nobody knows who came and went. If all counts rose, or all fell, one release may hold the rows of the
    other, so small differences are withheld. If some rose and others fell, a person must say what they mean. So they
    must unless all older releases together were ``followed``.
    """
    judged = [_judge_changes(policy, new, changes, grown=grown) for changes in since]
    if len(since) > 1 and {one for one, _ in judged} == {Verdict.RELEASE}:
        each = f"No difference from any of {len(since)} older releases reveals fewer than {policy.k} rows."
        judged = [(Verdict.RELEASE, each)]
    elif since[-1].numbers[-1] > 1:
        numbers = (", ".join(map(str, changes.numbers)) for changes in since)
        judged = [(one, f"Older release {which}: {why}") for which, (one, why) in zip(numbers, judged, strict=True)]
    if not followed:
        judged.append((Verdict.REVIEW, "What so many older releases reveal together is not followed."))
    verdict = worst(one for one, _ in judged)
    sentences = dict.fromkeys(sentence for one, sentence in judged if one is verdict)
    return Check(CheckName.DIFFERENCING, verdict, sum(changes.small for changes in since), " ".join(sentences))


def _judge_changes(policy: Policy, new: Patterns, changes: Changes, *, grown: bool) -> tuple[Verdict, str]:
    """Return the verdict on the changes since one release, or since several together, and why: the first that holds."""
    k, rose, fell = policy.k, count_of(changes.rose, "count"), count_of(changes.fell, "count")
    many, are = count_of(changes.small, "difference"), "is" if changes.small == 1 else "are"
    reveal = f"reveal{'s' * (changes.small == 1)} fewer than {k} rows"
    rounded = any(is_rounded(policy, release) for release in (new, *changes.olds))
    was, old = "added" if changes.rose else "left out", "the older release"
    wrong = f"{fell} fell since {old}, so rows were not only added: is it older, and of the same rows?"
    mixed = f"{rose} rose and {changes.fell:,} fell since {old}: rows came and went, or changed, and {many} {are} of"
    apart = f"No item is in {old} too, so only the numbers of rows were compared: are items named alike?"
    partial = f"No support in both releases differs by less than {k}; what else they reveal together is not followed."
    cases = (
        (rounded, Verdict.REVIEW, "Differences of rounded supports are not exact: compare the exact supports."),
        (len(changes.numbers) > 1, Verdict.WITHHOLD, f"{many} from their sum {reveal} that are in none of them."),
        (grown and changes.fell, Verdict.WITHHOLD, wrong),
        (changes.rose and changes.fell, Verdict.REVIEW, f"{mixed} fewer than {k} rows."),
        (changes.small, Verdict.WITHHOLD, f"{many} from {old} {reveal} that were {was} since."),
        (not changes.items, Verdict.REVIEW, apart),
        (not changes.is_whole, Verdict.REVIEW, partial),
        (True, Verdict.RELEASE, f"No difference from {old} reveals fewer than {k} rows."),
    )
    return next((verdict, sentence) for holds, verdict, sentence in cases if holds)


def list_checks(checks: Sequence[Check]) -> Iterator[str]:
    """Yield each check, on one line if it fits: the sign of its verdict, its name and its sentence.

    >>> list(list_checks([CONSISTENT]))
    ['  ✓ consistency  The counts do not contradict each other.']
    """
    width = max(len(check.name) for check in checks)
    for check in checks:
        head = f"  {SIGNS[check.verdict]} {check.name:<{width}}  "
        yield from wrap(
            printable(check.say(on_command_line)), WIDTH, initial_indent=head, subsequent_indent=" " * len(head)
        )


def show_table(what: str, policy: Policy, checks: Sequence[Check], note: str = "") -> str:
    """Return the verdict and the checks as a table, for notebooks."""

    def badge(verdict: Verdict) -> html.Html:
        return html.badge(f"{SIGNS[verdict]} {verdict.name}", COLOURS[verdict])

    rule = f"k = {policy.k:,}" + f", policy {policy.name}" * (policy.name != "k")
    caption = f"{badge(worst(check.verdict for check in checks))} {html.text(f'Audit: {what}; {rule}')}"
    lines = ((check.name, badge(check.verdict), check.sentence) for check in checks)
    return html.table(html.Html(caption), ["check", "verdict", "found"], lines, note=note)
