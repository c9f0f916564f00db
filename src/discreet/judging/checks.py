"""Checks: what is looked at in a candidate release, each with a verdict and a sentence that says why."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final, NamedTuple

import numpy as np

from discreet import kernels
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channels, Difference, as_text
from discreet.disclosure.implications import Implications
from discreet.errors import InconsistencyError
from discreet.judging.policy import Policy
from discreet.judging.verdict import SIGNS, Verdict, worst
from discreet.publications.rules.bounded import MOST
from discreet.runtime import html
from discreet.runtime.text import count_of, printable

WIDTH: Final = 100
"""Columns of what is prose."""

COLOURS: Final = {Verdict.RELEASE: "#1a7f37", Verdict.REVIEW: "#8a5a00", Verdict.WITHHOLD: "#b3261e"}
"""What notebooks show a verdict on; white is easy to read on each."""


class Check(NamedTuple):
    """One thing that was looked at: what it is called, the verdict, how much was found, and a sentence that says so."""

    name: str
    verdict: Verdict
    found: int
    sentence: str


CONSISTENT: Final = Check("consistency", Verdict.RELEASE, 0, "The list is whole, and its supports fit together.")

ROUNDED: Final = Check(
    "inference channels",
    Verdict.REVIEW,
    0,
    "Sums of rounded supports are not exact, and their bounds are not followed: audit the exact supports.",
)


def size(policy: Policy, patterns: Patterns) -> Check:
    """Judge how many itemsets there are: none is nothing to go by, and a policy may limit them."""
    if not len(patterns) or not patterns.n:
        return Check("size", Verdict.WITHHOLD, 0, "There is no itemset or no row, so there is nothing to judge.")
    if policy.max_itemsets is not None and len(patterns) > policy.max_itemsets:
        sentence = f"{len(patterns):,} itemsets are listed; {policy.name} asks for at most {policy.max_itemsets:,}."
        return Check("size", Verdict.REVIEW, len(patterns), sentence)
    return Check("size", Verdict.RELEASE, 0, f"{count_of(len(patterns), 'itemset')} listed.")


def low_counts(policy: Policy, patterns: Patterns) -> Check:
    """Judge the supports themselves."""
    found = int(np.count_nonzero((patterns.supports > 0) & (patterns.supports < policy.k)))
    if found:
        return Check("low counts", Verdict.WITHHOLD, found, f"{count_of(found, 'support')} below {policy.k}.")
    zeros = int(np.count_nonzero(patterns.supports == 0))
    if zeros:
        return Check(
            "low counts", policy.zeros, zeros, f"{count_of(zeros, 'support')} of 0: nobody holds these itemsets."
        )
    return Check("low counts", Verdict.RELEASE, 0, f"No support is below {policy.k}.")


def is_rounded(policy: Policy, patterns: Patterns) -> bool:
    """Return whether all supports are multiples of what the policy rounds to, if it does."""
    return policy.round_to is not None and not (patterns.supports % policy.round_to).any()


def rounding(policy: Policy, patterns: Patterns) -> Check:
    """Judge whether supports are rounded as the policy asks for."""
    found = int(np.count_nonzero(patterns.supports % (policy.round_to or 1)))
    if found:
        sentence = f"{count_of(found, 'support')} not rounded; {policy.name} asks for multiples of {policy.round_to}."
        return Check("rounding", Verdict.REVIEW, found, sentence)
    return Check("rounding", Verdict.RELEASE, 0, f"All supports are multiples of {policy.round_to}.")


def inference(channels: Channels) -> Check:
    """Judge the inference channels."""
    if len(channels):
        sentence = (
            f"{count_of(len(channels), 'maximal channel')}: sums of supports that tell of fewer than {channels.k} rows."
        )
        return Check("inference channels", Verdict.WITHHOLD, len(channels), sentence)
    sentence = f"No sum of supports tells of fewer than {channels.k} rows."
    return Check("inference channels", Verdict.RELEASE, 0, sentence)


def class_disclosure(policy: Policy, implications: Implications) -> Check:
    """Judge the implications, by what the policy says of derived counts of 0."""
    if not len(implications):
        return Check("class disclosure", Verdict.RELEASE, 0, "No item is common to all rows that hold some others.")
    many = "More than " * implications.more + count_of(len(implications), "implication")
    sentence = f"{many}: all rows with some items are known to hold another."
    return Check("class disclosure", policy.zeros, len(implications), sentence)


def consistency(patterns: Patterns, error: InconsistencyError) -> Check:
    """Name what is wrong with a list that is not whole, or that no rows can have."""
    itemset, other = as_text(error.itemset), as_text(error.other)
    held = {
        name: f" ({patterns[which]:,})" if which in patterns else ""
        for name, which in (("itemset", error.itemset), ("other", error.other))
    }
    sentence = {
        "missing": f"{other} is listed, but {itemset} is not, which is part of it.",
        "rising": f"{other}{held['other']} has more support than {itemset}{held['itemset']}, which is part of it.",
        "open": f"{other} is listed as closed, but all rows hold {itemset} as well.",
        "negative": f"By these supports fewer than 0 rows hold {itemset} and nothing else of {other}.",
    }[error.flaw]
    name = "completeness" if error.flaw == "missing" else "consistency"
    return Check(name, Verdict.WITHHOLD, 1, sentence)


def differences(patterns: Patterns, k: int) -> tuple[Difference, ...]:
    """Return which supports of an itemset and of one that holds it differ by 1 to k − 1, the smallest first.

    >>> listed = Patterns.from_itemsets([(["a", "b"], 50), (["a", "b", "c"], 48)], n=100)
    >>> [str(difference) for difference in differences(listed, 10)]
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


def subtraction(found: tuple[Difference, ...], k: int) -> Check:
    """Judge the differences; without any, a list that is not whole may still tell more than they do."""
    if found:
        many = "More than " * (len(found) == MOST) + count_of(len(found), "difference")
        sentence = f"{many} of two supports: each tells of fewer than {k} rows."
        return Check("differences", Verdict.WITHHOLD, len(found), sentence)
    sentence = f"No two supports differ by less than {k}; what the list tells by bounds is not followed."
    return Check("differences", Verdict.REVIEW, 0, sentence)


def lines(checks: Sequence[Check]) -> Iterator[str]:
    """Yield each check, in a line if it fits: a sign of its verdict, its name, and what was found.

    >>> list(lines([CONSISTENT]))
    ['  ✓ consistency  The list is whole, and its supports fit together.']
    """
    width = max(len(check.name) for check in checks)
    for check in checks:
        head = f"  {SIGNS[check.verdict]} {check.name:<{width}}  "
        yield from wrap(printable(check.sentence), WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def table(what: str, policy: Policy, checks: Sequence[Check], note: str = "") -> str:
    """Return the verdict on something and the checks as a table, for notebooks."""
    rule = f"k = {policy.k:,}" + f", policy {policy.name}" * (policy.name != "k")
    caption = f"{_badge(worst(check.verdict for check in checks))} {html.text(f'Audit: {what}; {rule}')}"
    lines = ((check.name, _badge(check.verdict), check.sentence) for check in checks)
    return html.table(html.Html(caption), ["check", "verdict", "found"], lines, note=note)


def _badge(verdict: Verdict) -> html.Html:
    return html.badge(f"{SIGNS[verdict]} {verdict.name}", COLOURS[verdict])
