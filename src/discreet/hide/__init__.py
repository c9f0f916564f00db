"""Hide: rows in which named itemsets cannot be found, or not often enough, with the least change."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Final, Literal, TypeAlias

from discreet.errors import OptionError
from discreet.hide.guarantee import check
from discreet.hide.hidden import Hidden
from discreet.hide.problem import Answer, Changes, Gap, Problem, Reading, without
from discreet.hide.sensitive import Sensitive, Share, as_sensitive
from discreet.inverted import InvertedFile
from discreet.labels import Label
from discreet.patterns import Patterns
from discreet.thresholds import Threshold, as_count
from discreet.transactions import Transactions

__all__ = ["Changes", "Gap", "Hidden", "Sensitive", "hide"]

Method: TypeAlias = Literal["naive", "minfia", "maxfia", "iga", "swa", "border", "exact"]

METHODS: Final = {
    "naive": "victims",
    "minfia": "victims",
    "maxfia": "victims",
    "iga": "victims",
    "swa": "swa",
    "border": "border",
    "exact": "exact",
}
"""The module of each method: its ``answer(problem, method)`` says what to remove."""


def hide(
    rows: Transactions | Iterable[Iterable[Label]],
    sensitive: Sensitive | Patterns | Iterable[Iterable[Label]],
    *,
    disclosure: Share | Sequence[Share] = 0,
    method: Method = "iga",
    below: Threshold | None = None,
    reading: Reading = "static",
    seconds: float = 60.0,
    window: int = 10_000,
    threads: int | None = None,
    index: InvertedFile | None = None,
) -> Hidden:
    """Return ``rows`` in which the ``sensitive`` itemsets are hidden: items are removed, and nothing else is changed."""
    if method not in METHODS:
        raise OptionError(f"method is {str(method)[:40]!r}; it must be one of {', '.join(METHODS)}")
    data = rows if isinstance(rows, Transactions) else Transactions(rows)
    told = as_sensitive(sensitive, disclosure)
    least = None if below is None else as_count(below, max(1, len(data)))
    problem = Problem(data, told, index or InvertedFile(data), least, reading, seconds, window, threads)
    answer: Answer = import_module(f"discreet.hide.{METHODS[method]}").answer(problem, method)
    transactions = without(data, answer.changes)
    after = check(problem, answer, transactions)
    return Hidden(method, data, told, transactions, answer.changes, problem.supports, after, least, answer.gap)
