"""Hide: remove items from rows so that named itemsets are found in none, or in few enough."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Unpack

from discreet.data.itemsets import Itemset, Label
from discreet.data.thresholds import Share, Threshold, as_count
from discreet.data.transactions import Transactions, as_transactions
from discreet.errors import InputError, OptionError, refuse_truth
from discreet.hiding import border, exact
from discreet.hiding import problem as problems
from discreet.hiding.inconspicuous import Disguise, as_seed, solve_inconspicuously
from discreet.hiding.measures import Hiding, Yardstick, as_min_count
from discreet.hiding.problem import HidingProblem, OptimalityGap, Removals, Sensitive, SensitiveLike, Solution
from discreet.hiding.victims import IGA, MAXFIA, MINFIA, NAIVE, READINGS, VictimRule, as_window, solve_swa
from discreet.io.inverted import InvertedFile
from discreet.mining.mine import Budget
from discreet.runtime import html
from discreet.runtime.resources import Progress, as_seconds, as_threads, watching
from discreet.runtime.solver import Numbers


class HidingMethod(NamedTuple):
    """A method: what it does in words, how, and which options it takes.

    A method with a victim ``rule`` runs on Spark too. "exact" also tries all methods that are ``quick``, so as never to
    be worse.
    """

    summary: str
    solve: Callable[[HidingProblem], Solution]
    options: tuple[str, ...] = ()
    rule: VictimRule | None = None
    quick: bool = False


def _by_victims(summary: str, rule: VictimRule) -> HidingMethod:
    return HidingMethod(summary, rule.solve, ("reading",), rule, quick=True)


METHODS: Final[Mapping[str, HidingMethod]] = {
    "naive": _by_victims("every item of a sensitive itemset goes, but for one where a row would be left empty", NAIVE),
    "minfia": _by_victims("the rarest item of each sensitive itemset goes", MINFIA),
    "maxfia": _by_victims("the commonest item of each sensitive itemset goes", MAXFIA),
    "iga": _by_victims("sensitive itemsets that share items lose the same one", IGA),
    "swa": HidingMethod("in each window of rows, the commonest item goes", solve_swa, ("window", "memory"), quick=True),
    "border": HidingMethod("the item goes whose loss harms other itemsets least", border.solve),
    "exact": HidingMethod("the fewest other itemsets are lost", exact.solve, ("seconds",)),
}
"""All methods by name: the library, the command line and the app read this table."""


class Edit(NamedTuple):
    """Rows in memory before and after hiding, and the items removed."""

    rows: Transactions
    transactions: Transactions
    changes: Removals


@refuse_truth(ask=".after")
@dataclass(frozen=True, eq=False, repr=False)
class Hidden:
    """The outcome of hiding in ``n`` rows: what was hidden and what it took. Only the hidden rows are for others.

    ``before`` and ``after`` are the supports of the sensitive itemsets. The hidden rows are ``transactions`` where they
    fit in memory, else the file ``place`` or the Spark ``frame`` (with the columns ``row`` and ``items``), which
    executors keep: write it out before the session ends. If they were to be inconspicuous, ``disguise`` says what that
    takes.

    >>> from discreet import hide
    >>> hidden = hide([["a", "b"], ["a", "b", "c"], ["b", "c"]], [["a", "b"]])
    >>> [sorted(row) for row in hidden.transactions], hidden.before.tolist(), hidden.after.tolist()
    ([['b'], ['b', 'c'], ['b', 'c']], [2], [0])
    """

    method: str
    sensitive: Sensitive
    n: int
    before: Numbers
    after: Numbers
    rows_touched: int
    items_removed: int
    below: int | None = None
    reading: str = "static"
    gap: OptimalityGap | None = None
    window: int | None = None
    edit: Edit | None = None
    place: Path | None = None
    frame: Any = None
    disguise: Disguise | None = None

    @property
    def rows(self) -> Transactions:
        """The rows before."""
        return self._in_memory.rows

    @property
    def transactions(self) -> Transactions:
        """The rows without the removed items."""
        return self._in_memory.transactions

    @property
    def changes(self) -> Removals:
        """The rows that lost items, and the codes of these items."""
        return self._in_memory.changes

    @property
    def _in_memory(self) -> Edit:
        if self.edit is None:
            raise InputError("these rows are not in memory; see place or frame")
        return self.edit

    @property
    def at_most(self) -> Numbers:
        """The highest support that each sensitive itemset may have."""
        if self.disguise is not None:
            return self.disguise.at_most
        return self.before - problems.count_to_lose(self.before, self.sensitive, self.below)

    def measures(self, min_support: Threshold, **budget: Unpack[Budget]) -> Hiding:
        """Measure what is found before and after at a minimum support: hiding failure, misses cost and the like.

        >>> from discreet import hide
        >>> hide([["a", "b"], ["a", "b", "c"], ["b", "c"]], [["a", "b"]]).measures(2).misses_cost
        0.25
        """
        return Yardstick.of(self.rows, self.sensitive, [min_support], **budget).measure(self.transactions)[0]

    def log(self) -> Iterator[tuple[int, Itemset]]:
        """Yield the number of each row that lost items, from 0, and the labels of these items."""
        labels = self.rows.labels
        for row, items in zip(self.changes.rows.tolist(), self.changes, strict=True):
            yield row, frozenset([labels[item] for item in items.tolist()])

    def __repr__(self) -> str:
        touched = f"{self.rows_touched:,} of {self.n:,} rows touched"
        return f"<Hidden: {self.method}, {len(self.sensitive.itemsets):,} sensitive itemsets, {touched}>"

    def _repr_html_(self) -> str:
        """Return the supports of the sensitive itemsets, by number, as a table for notebooks."""
        numbers, first = self.sensitive.numbers, slice(html.SHOWN)
        lines = zip(numbers[first], self.before[first].tolist(), self.after[first].tolist(), strict=True)
        note = "Share only its .transactions. Sensitive itemsets are shown by number."
        head = ["sensitive itemset", "rows before", "rows now"]
        return html.table(repr(self)[1:-1], head, lines, many=self.before.size, note=note)


def hide(  # noqa: PLR0913 - all but two by name, and each a choice of its own
    rows: Transactions | Iterable[Iterable[Label]],
    sensitive: SensitiveLike,
    *,
    disclosure: Share | Sequence[Share] = 0,
    method: str = "iga",
    below: Threshold | None = None,
    min_support: Threshold | None = None,
    reading: str = "static",
    seconds: float = 60.0,
    window: int = 10_000,
    inconspicuous: bool = False,
    seed: int = 1,
    threads: int | None = None,
    index: InvertedFile | None = None,
    progress: Progress | None = None,
) -> Hidden:
    """Return ``rows`` in which the ``sensitive`` itemsets are hidden: items are removed, and nothing else is changed.

    Only rows that hold a sensitive itemset lose items. A row that loses all of them stays, empty. The share
    ``disclosure`` of the rows that hold a sensitive itemset may keep it: from 0 (none) to 1 (all); one share for all
    itemsets, or one for each. Or each itemset ends up ``below`` a minimum support, and no more is removed.

    ``method`` decides which items go from which rows. Four methods are by Oliveira and Zaïane (2002). They rank rows by
    conflict, the number of sensitive itemsets that a row holds:

    - "naive": all items of a sensitive itemset, from the rows of least conflict; a row keeps its commonest item;
    - "minfia": the rarest item of a sensitive itemset, from the rows of least conflict;
    - "maxfia": its commonest item, from the rows of least conflict;
    - "iga": an item that sensitive itemsets share, from the rows of most conflict, so that one removal serves many.

    With ``reading="dynamic"`` these four take the itemsets one by one and look at the rows as earlier itemsets left
    them. That removes less if everything is to be hidden, else it hides more; and the order of the itemsets matters.

    - "swa": the commonest items, from the shortest rows, in one pass over windows of ``window`` rows;
    - "border": the items whose loss does least harm to frequent itemsets that are not sensitive;
    - "exact": the least such harm that a search finds in ``seconds``, with a bound on the optimum.

    These two protect the itemsets that are frequent at ``min_support``: by default ``below``, or without it the least
    support of a sensitive itemset. Give the one at which the recipient will mine.

    A reader may guess what was hidden: itemsets that far fewer rows hold than their parts lead one to expect (see
    ``attack``). If ``inconspicuous``, each itemset is lowered only so far that it is no more surprising than an
    ordinary one of as many items, drawn at random with the ``seed``. Then it may keep a higher support than asked for:
    ``disguise`` says how much, and the ranks. The method may run several times.

    Several calls, say for different recipients, can share an ``index`` of the rows. "border" and "exact" report the
    share of the work done and the number of itemsets to ``progress``. The sensitive itemsets are counted anew in the
    result before it is returned.

    >>> rows = [["bread", "milk", "wine"], ["bread", "milk"], ["milk", "wine"], ["bread", "wine"]]
    >>> hidden = hide(rows, [["bread", "milk"], ["milk", "wine"]])
    >>> [sorted(row) for row in hidden.transactions]
    [['bread', 'wine'], ['bread'], ['wine'], ['bread', 'wine']]
    >>> hide(rows, [["bread", "milk"], ["milk", "wine"]], below=2, reading="dynamic").items_removed
    1
    """
    check_method(method, reading)
    data = as_transactions(rows)
    least = None if below is None else as_count(below, len(data))
    parsed = problems.parse_sensitive(sensitive, disclosure, data.code, least)
    if index is not None and not isinstance(index, InvertedFile):
        kind = type(index).__name__
        raise InputError(f"index is of type {kind}; give an InvertedFile of the rows, or leave it out")
    if index is not None and not index.belongs_to(data):
        raise InputError("the index belongs to other rows; make one of these rows, or leave it out")
    inverted = InvertedFile(data) if index is None else index
    limits = as_seconds(seconds), as_window(window), as_threads(threads)
    quick = tuple(entry.solve for entry in METHODS.values() if entry.quick)
    with watching(progress, what="hiding", unit="itemsets") as tell:
        protected = None if min_support is None else as_min_count(min_support, len(data))
        problem = HidingProblem(data, parsed, inverted, least, reading, *limits, tell, quick, protected)
        disguise = None
        if inconspicuous:
            problem, solution, disguise = solve_inconspicuously(problem, METHODS[method].solve, as_seed(seed))
        else:
            solution = METHODS[method].solve(problem)
        removals, gap = solution
        transactions = problems.remove(data, removals)
        after = problems.check_solution(problem, removals, transactions)
    counts = len(data), problem.supports, after, removals.rows.size, removals.size
    edit, size = Edit(data, transactions, removals), window if "window" in METHODS[method].options else None
    return Hidden(method, parsed, *counts, least, reading, gap, window=size, edit=edit, disguise=disguise)


def check_method(method: str, reading: str = "static", methods: Iterable[str] = METHODS) -> None:
    """Refuse an unknown method or reading, and a reading that the method does not have."""
    if method not in methods:
        raise OptionError(f"method is {str(method)[:40]!r}; it must be one of {', '.join(methods)}")
    if reading not in READINGS:
        raise OptionError(f"reading is {str(reading)[:40]!r}; it must be one of {', '.join(READINGS)}")
    if reading != "static" and "reading" not in METHODS[method].options:
        raise OptionError(f"the method {method!r} has one reading only; leave reading out")
