"""Audits of trees, forests and lists of rules, as lines of plain text and as JSON."""

from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from discreet import __version__
from discreet.io.label_codes import blocks
from discreet.judging import checks
from discreet.judging.checks import WIDTH
from discreet.judging.trees import TreeAudit, described
from discreet.judging.verdict import Verdict
from discreet.publications.trees.leaves import Few
from discreet.report.json import document, encoded, policy_facts
from discreet.report.text import some_of
from discreet.report.wording import Source
from discreet.runtime.text import printable

PROMISE: Final = (
    "Whatever is asked of AND, OR and NOT, these counts do not tell that it holds for {}, unless by what is "
    "known from elsewhere (docs/trees.md)."
)
ADVICE: Final = {
    "counts": "Fit the tree without weights, and audit that; or have its leaves written where it is: write_tree.",
    "low counts": "Prune the tree: raise ccp_alpha or min_samples_leaf until no leaf holds so few rows of a class.",
    "several trees": "Publish fewer trees, or coarser ones.",
    "weights": "Ask how the tree was fitted; or have its leaves written where it is, which tells that: write_tree.",
    "thresholds": "Round the thresholds before publishing, or fit on features that are rounded.",
}

PAIR: Final = 2


def tree_text(audit: TreeAudit, *, explain: int = 10, source: Source | None = None) -> Iterator[str]:
    """Yield an audit in lines: the verdict, the checks, the ``explain`` leaves of the fewest rows, advice.

    >>> from discreet import audit
    >>> from discreet.judging.trees import Leaves
    >>> rules = Leaves.from_rules([("age > 60", {"ill": 20, "well": 9}), ("", {"ill": 3, "well": 80})])
    >>> print(*tree_text(audit(rules, k=5)), sep=chr(10))
    WITHHOLD: 1 tree with 2 leaves, of 112 rows; k = 5.
    <BLANKLINE>
      ✓ size        1 tree with 2 leaves, of 112 rows.
      ✗ low counts  1 count below 5.
    <BLANKLINE>
    The leaves of the fewest rows:
      none of the rules before: 3 rows, class ill
    <BLANKLINE>
    Prune the tree: raise ccp_alpha or min_samples_leaf until no leaf holds so few rows of a class.
    """
    policy = audit.policy
    rule = f"k = {policy.k:,}" if policy.name == "k" else f"policy {policy.name}, k = {policy.k:,}"
    yield printable(f"{audit.verdict.name}: {source.file + ', ' if source else ''}{described(audit.trees)}; {rule}.")
    yield ""
    yield from checks.lines(audit.checks)
    if audit.found:
        lines = (printable(str(few)) for few in audit.found)
        yield from some_of("The leaves of the fewest rows:", lines, explain, len(audit.found))
    yield ""
    yield from wrap(tree_advice(audit), WIDTH)


def tree_advice(audit: TreeAudit) -> str:
    """Return what RELEASE promises, or what to do next."""
    k = audit.policy.k
    if audit.verdict is Verdict.RELEASE:
        few = "1 row" if k == PAIR else f"1 to {k - 1:,} rows"
        return PROMISE.format(few) if k > 1 else "k is 1, so no count is too small to be told."
    failed = {check.name for check in audit.checks if check.verdict is audit.verdict}
    return next((words for name, words in ADVICE.items() if name in failed), "The checks above say what to look at.")


def tree_json(audit: TreeAudit, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield an audit as JSON: everything that was found."""
    head = {
        "discreet": __version__,
        "report": "tree audit",
        "verdict": audit.verdict.name,
        "policy": policy_facts(audit.policy),
        "k": audit.policy.k,
        "input": source._asdict() if source else None,
        "trees": len(audit.trees),
        "leaves": sum(len(tree.leaves) for tree in audit.trees),
    }
    told = (encoded({**check._asdict(), "verdict": check.verdict.name}) for check in audit.checks)
    yield from blocks(document(head, {"checks": told, "findings": map(_finding, audit.found)}))


def _finding(few: Few) -> str:
    return encoded(
        {"path": few.path, "outcome": few.outcome, "low": few.low, "high": few.high, "trees": few.trees or None}
    )
