"""The checks of a list of itemsets, each with a verdict and a sentence that says why."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

import numpy as np

from discreet import kernels
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channels, Difference, as_text
from discreet.disclosure.implications import Implications
from discreet.errors import InconsistencyError
from discreet.judging.policy import Policy
from discreet.judging.verdict import COLOURS, SIGNS, Check, CheckName, Verdict, worst
from discreet.publications.rules.bounded import MOST
from discreet.runtime import html
from discreet.runtime.text import count_of, printable

WIDTH: Final = 100
"""Columns of prose."""

CONSISTENT: Final = Check(
    CheckName.CONSISTENCY, Verdict.RELEASE, 0, "The list is complete, and its supports are mutually consistent."
)
ROUNDED: Final = Check(
    CheckName.CHANNELS,
    Verdict.REVIEW,
    0,
    "Differences of rounded supports are not exact, and their limits are not followed: audit the exact supports.",
)


def check_size(policy: Policy, patterns: Patterns) -> Check:
    """Judge how many itemsets there are: none is nothing to go by, and a policy may limit them."""
    if not len(patterns) or not patterns.n:
        return Check(
            CheckName.SIZE, Verdict.WITHHOLD, 0, "There is no itemset or no row, so there is nothing to judge."
        )
    if policy.max_itemsets is not None and len(patterns) > policy.max_itemsets:
        sentence = f"{len(patterns):,} itemsets are listed; {policy.name} allows {policy.max_itemsets:,}."
        return Check(CheckName.SIZE, Verdict.REVIEW, len(patterns), sentence)
    return Check(CheckName.SIZE, Verdict.RELEASE, 0, f"{count_of(len(patterns), 'itemset')} listed.")


def check_low_counts(policy: Policy, patterns: Patterns) -> Check:
    """Judge the supports themselves."""
    found = int(np.count_nonzero((patterns.supports > 0) & (patterns.supports < policy.k)))
    if found:
        return Check(CheckName.LOW_COUNTS, Verdict.WITHHOLD, found, f"{count_of(found, 'support')} below {policy.k}.")
    zeros = int(np.count_nonzero(patterns.supports == 0))
    if zeros:
        return Check(
            CheckName.LOW_COUNTS,
            policy.zeros,
            zeros,
            f"{count_of(zeros, 'support')} of 0: nobody has these itemsets.",
        )
    return Check(CheckName.LOW_COUNTS, Verdict.RELEASE, 0, f"No support is below {policy.k}.")


def is_rounded(policy: Policy, patterns: Patterns) -> bool:
    """Return whether all supports are multiples of what the policy rounds to, if it does."""
    return policy.round_to is not None and not (patterns.supports % policy.round_to).any()


def check_rounding(policy: Policy, patterns: Patterns) -> Check:
    """Judge whether supports are rounded as the policy asks for."""
    found = int(np.count_nonzero(patterns.supports % (policy.round_to or 1)))
    if found:
        sentence = f"{count_of(found, 'support')} not rounded; {policy.name} asks for multiples of {policy.round_to}."
        return Check(CheckName.ROUNDING, Verdict.REVIEW, found, sentence)
    return Check(CheckName.ROUNDING, Verdict.RELEASE, 0, f"All supports are multiples of {policy.round_to}.")


def check_channels(channels: Channels) -> Check:
    """Judge the inference channels."""
    if len(channels):
        many = count_of(len(channels), "maximal channel")
        sentence = f"{many}: differences of counts that reveal fewer than {channels.k} rows."
        return Check(CheckName.CHANNELS, Verdict.WITHHOLD, len(channels), sentence)
    sentence = f"No difference of published counts reveals fewer than {channels.k} rows."
    return Check(CheckName.CHANNELS, Verdict.RELEASE, 0, sentence)


def check_implications(policy: Policy, implications: Implications) -> Check:
    """Judge the implications, by what the policy says of derived counts of 0."""
    if not len(implications):
        return Check(
            CheckName.CLASS_DISCLOSURE, Verdict.RELEASE, 0, "No item is known to be common to all rows with others."
        )
    many = "More than " * implications.more + count_of(len(implications), "implication")
    sentence = f"{many}: all rows with some items have another."
    return Check(CheckName.CLASS_DISCLOSURE, policy.zeros, len(implications), sentence)


def name_flaw(patterns: Patterns, error: InconsistencyError) -> Check:
    """Name what is wrong with a list that is not whole, or that no rows can have."""
    itemset, other = as_text(error.itemset), as_text(error.other)
    held = {
        name: f" ({patterns[which]:,})" if which in patterns else ""
        for name, which in (("itemset", error.itemset), ("other", error.other))
    }
    sentence = {
        "missing": f"{other} is listed, but its part {itemset} is not.",
        "rising": f"{other}{held['other']} has more support than its part {itemset}{held['itemset']}.",
        "open": f"{other} is listed as closed, but all its rows have {itemset} as well.",
        "negative": f"By these supports, fewer than 0 rows have {itemset} and nothing else of {other}.",
    }[error.flaw]
    name = CheckName.COMPLETENESS if error.flaw == "missing" else CheckName.CONSISTENCY
    return Check(name, Verdict.WITHHOLD, 1, sentence)


def find_differences(patterns: Patterns, k: int) -> tuple[Difference, ...]:
    """Return which supports of an itemset and of one that holds it differ by 1 to k − 1, the smallest first.

    >>> listed = Patterns.from_itemsets([(["a", "b"], 50), (["a", "b", "c"], 48)], n=100)
    >>> [str(difference) for difference in find_differences(listed, 10)]
    ['a ∧ b ∧ ¬c: 2 rows']
    """
    trie = kernels.inversion.plant(patterns.offsets, patterns.items)
    pairs = kernels.inversion.differences(
        trie, patterns.offsets, patterns.items, patterns.supports, len(patterns.labels), k, MOST
    )
    found = (
        Difference(
            frozenset(patterns.labelled(base)),
            frozenset(patterns.labelled(top)),
            int(patterns.supports[base] - patterns.supports[top]),
        )
        for base, top in pairs.tolist()
    )
    return tuple(sorted(found, key=lambda difference: (difference.count, len(difference.top))))


def check_differences(found: tuple[Difference, ...], k: int) -> Check:
    """Judge the differences; without any, a list that is not whole may still tell more than they do."""
    if found:
        many = "More than " * (len(found) == MOST) + count_of(len(found), "difference")
        sentence = f"{many} of two supports: each reveals fewer than {k} rows."
        return Check(CheckName.DIFFERENCES, Verdict.WITHHOLD, len(found), sentence)
    sentence = f"No two supports differ by less than {k}; further limits are not followed."
    return Check(CheckName.DIFFERENCES, Verdict.REVIEW, 0, sentence)


def list_checks(checks: Sequence[Check]) -> Iterator[str]:
    """Yield each check, in a line if it fits: a sign of its verdict, its name, and what was found.

    >>> list(list_checks([CONSISTENT]))
    ['  ✓ consistency  The list is complete, and its supports are mutually consistent.']
    """
    width = max(len(check.name) for check in checks)
    for check in checks:
        head = f"  {SIGNS[check.verdict]} {check.name:<{width}}  "
        yield from wrap(printable(check.sentence), WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def show_table(what: str, policy: Policy, checks: Sequence[Check], note: str = "") -> str:
    """Return the verdict on something and the checks as a table, for notebooks."""
    rule = f"k = {policy.k:,}" + f", policy {policy.name}" * (policy.name != "k")
    caption = f"{_badge(worst(check.verdict for check in checks))} {html.text(f'Audit: {what}; {rule}')}"
    lines = ((check.name, _badge(check.verdict), check.sentence) for check in checks)
    return html.table(html.Html(caption), ["check", "verdict", "found"], lines, note=note)


def _badge(verdict: Verdict) -> html.Html:
    return html.badge(f"{SIGNS[verdict]} {verdict.name}", COLOURS[verdict])
