"""Audits of trees, forests and lists of rules, as lines of plain text and as JSON."""

from collections.abc import Iterator
from textwrap import wrap

from discreet import __version__
from discreet.errors import on_command_line
from discreet.io.label_codes import blocks
from discreet.judging import checks
from discreet.judging.audit import Audit
from discreet.judging.checks import WIDTH
from discreet.publications.trees.leaves import Few, Forest
from discreet.report.json import document, encoded, policy_facts
from discreet.report.text import some_of
from discreet.report.wording import Source
from discreet.runtime.text import printable


def tree_text(audit: Audit, *, explain: int = 10, source: Source | None = None) -> Iterator[str]:
    """Yield an audit in lines: the verdict, the checks, the ``explain`` leaves of the fewest rows, advice.

    >>> from discreet import audit
    >>> from discreet import Leaves
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
    yield printable(f"{audit.verdict.name}: {source.file + ', ' if source else ''}{audit.what}; {rule}.")
    yield ""
    yield from checks.list_checks(audit.checks)
    if audit.evidence.leaves:
        lines = (printable(str(few)) for few in audit.evidence.leaves)
        yield from some_of("The leaves of the fewest rows:", lines, explain, len(audit.evidence.leaves))
    yield ""
    yield from wrap(audit.promise or audit.advice.say(on_command_line), WIDTH)


def tree_json(audit: Audit, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield an audit as JSON: everything that was found."""
    forest = audit.candidate
    if not isinstance(forest, Forest):
        raise TypeError(forest)
    head = {
        "discreet": __version__,
        "report": "tree audit",
        "verdict": audit.verdict.name,
        "policy": policy_facts(audit.policy),
        "k": audit.policy.k,
        "input": source._asdict() if source else None,
        "trees": len(forest),
        "leaves": forest.size,
    }
    told = (encoded({**check._asdict(), "verdict": check.verdict.name}) for check in audit.checks)
    yield from blocks(document(head, {"checks": told, "findings": map(_finding, audit.evidence.leaves)}))


def _finding(few: Few) -> str:
    return encoded(
        {"path": few.path, "outcome": few.outcome, "low": few.low, "high": few.high, "trees": few.trees or None}
    )
