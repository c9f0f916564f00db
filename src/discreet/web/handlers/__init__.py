"""Verbs: what a worker can be asked, each a function from plain arguments to plain facts, as JSON has them."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from discreet.web.handlers.audit import audit, report, tradeoff
from discreet.web.handlers.block import block, compare
from discreet.web.handlers.detect import detect, explain
from discreet.web.handlers.hide import compare_hiding, hide
from discreet.web.handlers.query import query
from discreet.web.handlers.read import preview, read
from discreet.web.handlers.verify import verify

Verb: TypeAlias = Callable[..., dict[str, Any]]

VERBS: Final[dict[str, Verb]] = {
    "preview": preview,
    "read": read,
    "audit": audit,
    "tradeoff": tradeoff,
    "detect": detect,
    "explain": explain,
    "compare": compare,
    "block": block,
    "hide": hide,
    "compare_hiding": compare_hiding,
    "query": query,
    "verify": verify,
    "report": report,
}
