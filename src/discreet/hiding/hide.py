"""Hide: rows in which named itemsets cannot be found, or not often enough, with the least change."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Final, Literal, TypeAlias, get_args

from discreet.data.labels import Label
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Transactions
from discreet.errors import InputError, OptionError
from discreet.hiding.guarantee import check
from discreet.hiding.hidden import Hidden
from discreet.hiding.problem import Answer, Changes, Gap, Problem, Reading, without
from discreet.hiding.sensitive import Sensitive, Share, as_sensitive
from discreet.hiding.stream import Streamed, hide_file
from discreet.hiding.swa import as_window
from discreet.io.formats.sensitive import Named
from discreet.io.index.index import InvertedFile
from discreet.runtime.progress import Progress, watching
from discreet.runtime.resources import as_seconds, as_threads

__all__ = ["Changes", "Gap", "Hidden", "Method", "Sensitive", "Streamed", "hide", "hide_file"]

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


def hide(  # noqa: PLR0913 - all but two by their names, and each a choice of its own
    rows: Transactions | Iterable[Iterable[Label]],
    sensitive: Sensitive | Named | Patterns | Iterable[Iterable[Label]],
    *,
    disclosure: Share | Sequence[Share] = 0,
    method: Method = "iga",
    below: Threshold | None = None,
    reading: Reading = "static",
    seconds: float = 60.0,
    window: int = 10_000,
    threads: int | None = None,
    index: InvertedFile | None = None,
    progress: Progress | None = None,
) -> Hidden:
    """Return ``rows`` in which the ``sensitive`` itemsets are hidden: items are removed, and nothing else is changed.

    Items are removed only from rows that hold a sensitive itemset; a row that loses all of them stays, empty, so the
    number of rows is kept and no itemset becomes frequent that was not.

    How much is hidden is told in one of two ways. Each sensitive itemset may still be found in the share ``disclosure``
    of the rows that held it: in none of them (0) up to all of them (1); one share for all, or one for each. Or, with
    ``below``, a minimum support that whoever mines the rows uses, each is found in fewer rows than that, and no more is
    removed than this takes.

    ``method`` says what is removed where. Four are those of Oliveira and Zaïane (2002), as they look at the conflict of
    a row, which is how many sensitive itemsets it holds:

    - "naive": all items of a sensitive itemset, from the rows of least conflict; a row keeps its commonest item;
    - "minfia": the item of a sensitive itemset that fewest rows hold, from the rows of least conflict;
    - "maxfia": the item that most rows hold, from the rows of least conflict;
    - "iga": an item that sensitive itemsets share, from the rows of most conflict, so that a removal serves many.

    With ``reading="dynamic"`` these look, for one itemset after the other, at what the rows have become by then instead
    of what they were: less is removed if all is to be hidden, else more is hidden, and the order of the itemsets
    matters.

    - "swa": the commonest items, from the shortest rows, in one pass over windows of so many rows as ``window`` says;
    - "border": the items whose loss does least harm to the frequent itemsets that are not sensitive; for ``below``;
    - "exact": the least such harm that can be found in ``seconds``, and a bound on what is possible; for ``below``.

    An ``index`` of the rows may be handed in, so that several calls, say for different recipients, share it.
    ``progress`` is told by "border" and "exact" what share of the work is done, and of how many itemsets. After each
    method the sensitive itemsets are counted anew in what would be shared, or nothing is.

    >>> rows = [["bread", "milk", "wine"], ["bread", "milk"], ["milk", "wine"], ["bread", "wine"]]
    >>> hidden = hide(rows, [["bread", "milk"], ["milk", "wine"]])
    >>> [sorted(row) for row in hidden.transactions]
    [['bread', 'wine'], ['bread'], ['wine'], ['bread', 'wine']]
    >>> hide(rows, [["bread", "milk"], ["milk", "wine"]], below=2, reading="dynamic").items_removed
    1
    """
    check_method(method, reading)
    data = rows if isinstance(rows, Transactions) else Transactions(rows)
    told = as_sensitive(sensitive, disclosure, data.code)
    least = None if below is None else as_count(below, len(data))
    if least is not None and any(told.disclosures):
        raise OptionError("both below and a disclosure are given; leave one of them out")
    inverted = InvertedFile(data) if index is None else checked(index, data)
    limits = as_seconds(seconds), as_window(window), as_threads(threads)
    with watching(progress, what="hiding", unit="itemsets") as tell:
        problem = Problem(data, told, inverted, least, reading, *limits, tell)
        answer: Answer = import_module(f"discreet.hiding.{METHODS[method]}").answer(problem, method)
        transactions = without(data, answer.changes)
        after = check(problem, answer, transactions)
    return Hidden(method, data, told, transactions, answer.changes, problem.supports, after, least, answer.gap, reading)


def check_method(method: str, reading: str) -> None:
    """Refuse a method or a reading that there is not, and a reading that this method has not."""
    if method not in METHODS:
        raise OptionError(f"method is {str(method)[:40]!r}; it must be one of {', '.join(METHODS)}")
    if reading not in get_args(Reading):
        raise OptionError(f"reading is {str(reading)[:40]!r}; it must be one of {', '.join(get_args(Reading))}")
    if reading != "static" and METHODS[method] != "victims":
        raise OptionError(f"the method {method!r} has one reading only; leave reading out")


def checked(index: InvertedFile, rows: Transactions) -> InvertedFile:
    """Return the index if it is one of these rows."""
    if not isinstance(index, InvertedFile):
        raise InputError(f"index is of type {type(index).__name__}; give an InvertedFile of the rows, or leave it out")
    if not index.belongs_to(rows):
        raise InputError("the index belongs to other rows; make one of these rows, or leave it out")
    return index
