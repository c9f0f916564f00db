"""Audits of rules and of rounded supports, as lines of plain text and as JSON."""

from collections.abc import Iterator
from textwrap import wrap

from discreet import __version__
from discreet.errors import on_command_line
from discreet.io.label_codes import blocks
from discreet.judging import checks
from discreet.judging.audit import Audit
from discreet.judging.checks import WIDTH
from discreet.report.json import bounded_json, channels_of, document, encoded, policy_facts
from discreet.report.text import bounded_lines, channel_line, some_of
from discreet.report.wording import Source
from discreet.runtime.text import printable


def facts_text(audit: Audit, *, explain: int = 3, source: Source | None = None) -> Iterator[str]:
    """Yield an audit in lines: the verdict, the checks, the ``explain`` worst findings with their sums, advice.

    >>> from discreet import audit
    >>> from discreet import Rules
    >>> rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate")
    >>> print(*facts_text(audit(rules, k=5)), sep=chr(10))
    WITHHOLD: 1 rule; k = 5.
    <BLANKLINE>
      ✓ size        1 line listed.
      ✓ low counts  No support is surely below 5.
      ✗ bounds      1 sum of supports: each reveals fewer than 5 rows.
    <BLANKLINE>
    The worst sums, within the limits of their supports:
      a ∧ ¬b: 1 row, as sup(a) 81 − sup(ab) 80 = 1
    <BLANKLINE>
    Publish only what more rows hold, leave out what reveals few, or give fewer digits; then audit again.
    """
    policy, channels, patterns = audit.policy, audit.channels, audit.patterns
    rule = f"k = {policy.k:,}" if policy.name == "k" else f"policy {policy.name}, k = {policy.k:,}"
    yield printable(f"{audit.verdict.name}: {source.file + ', ' if source else ''}{audit.what}; {rule}.")
    yield ""
    yield from checks.list_checks(audit.checks)
    if channels is not None and len(channels):
        title = "The worst channels, and the sums of supports that tell them:"
        lines = (channel_line(channel, patterns) for channel in channels.worst(explain))
        yield from some_of(title, lines, explain, len(channels))
    if audit.evidence.bounded:
        title = "The worst sums, within the limits of their supports:"
        yield from some_of(title, bounded_lines(audit.evidence.bounded), explain, len(audit.evidence.bounded))
    yield ""
    yield from wrap(audit.promise or audit.advice.say(on_command_line), WIDTH)


def facts_json(audit: Audit, *, explain: int = 3, source: Source | None = None) -> Iterator[bytes]:
    """Yield an audit as JSON: everything that was found, and the sums of the ``explain`` worst channels."""
    head = {
        "discreet": __version__,
        "report": "audit",
        "verdict": audit.verdict.name,
        "policy": policy_facts(audit.policy),
        "k": audit.policy.k,
        "what": audit.what,
        "input": source._asdict() if source else None,
        "with_rows": audit.rows is not None,
    }
    channels, patterns = audit.channels, audit.patterns
    lists = {
        "checks": (encoded({**check._asdict(), "verdict": check.verdict.name}) for check in audit.checks),
        "channels": None if channels is None else channels_of(channels, patterns, explain),
        "findings": bounded_json(audit.evidence.bounded),
    }
    yield from blocks(document(head, lists))
