"""Compare the methods of hiding: what each costs on the same rows, and whether a reader guesses what it hid."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple, Unpack

from discreet.data.itemsets import Label
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Share, Threshold, as_count, as_disclosure
from discreet.data.transactions import Transactions, as_transactions
from discreet.errors import BudgetError, refuse_truth
from discreet.hiding.hide import METHODS, hide
from discreet.hiding.inconspicuous import find_ordinary, rank_hidden
from discreet.hiding.measures import Hiding, Yardstick, as_min_count
from discreet.hiding.problem import SensitiveLike
from discreet.io.inverted import InvertedFile
from discreet.kernels import stopwatch
from discreet.mining.mine import Budget
from discreet.runtime import html
from discreet.runtime.resources import watching
from discreet.runtime.text import percent


class MethodLine(NamedTuple):
    """One method at one disclosure (None: below a support): its cost and ``measures``, or why it is ``left_out``.

    ``guessed`` is the share of the sensitive itemsets that are among a reader's first ten guesses of their length (see
    ``attack``).
    """

    method: str
    disclosure: Fraction | None
    seconds: float
    rows_touched: int = 0
    items_removed: int = 0
    measures: tuple[Hiding, ...] = ()
    left_out: str = ""
    guessed: float | None = None


@refuse_truth(ask=".best")
@dataclass(frozen=True, eq=False, repr=False)
class HidingComparison:
    """Methods on the same ``n`` rows, in the order in which they ran, measured at the counts ``min_supports``.

    ``below`` is the minimum support that all lines hid below, if one was given.
    """

    n: int
    sensitive: int
    min_supports: tuple[int, ...]
    below: int | None
    lines: tuple[MethodLine, ...]

    def __repr__(self) -> str:
        best = "nothing" if self.best is None else self.best.method
        return f"<HidingComparison: {len(self.lines)} ways to hide, the best is {best}>"

    def _repr_html_(self) -> str:
        """Return the cost of each method at the smallest minimum support as a table for notebooks."""
        title = f"{repr(self)[1:-1]}; measured at a minimum support of {min(self.min_supports):,} rows"
        head = ["method", "rows touched", "items removed", "hiding failure", "misses cost", "guessed", "left out"]
        table = html.drop_empty_column(head, [self._list_cells(line) for line in self.lines])
        return html.table(title, *table, note=self.recommendation)

    def _list_cells(self, line: MethodLine) -> tuple[str | int, ...]:
        if not line.measures:
            return name_line(line, self.below), "–", "–", "–", "–", "–", line.left_out
        measured = self._first(line)
        shares = percent(measured.hiding_failure), percent(measured.misses_cost), say_guessed(line)
        return name_line(line, self.below), line.rows_touched, line.items_removed, *shares, ""

    @cached_property
    def best(self) -> MethodLine | None:
        """Of the lines that hide all at the smallest minimum support, the one that misses the fewest itemsets.

        Ties go to the fewest items removed, then to the first.
        """
        return min(self._hiding, key=lambda line: (self._first(line).missed, line.items_removed), default=None)

    @property
    def _hiding(self) -> list[MethodLine]:
        return [line for line in self.lines if line.measures and self._first(line).restricted_after == 0]

    @property
    def recommendation(self) -> str:
        """The method to take, and why, in a sentence or two."""
        least, best = f"a minimum support of {min(self.min_supports):,} rows", self.best
        if best is None:
            return f"No method hides every restricted itemset at {least}: lower the disclosure or below."
        measured = self._first(best)
        if not measured.restricted_before:
            return f"Nothing needs to be hidden at {least}: no frequent itemset holds a sensitive one."
        rivals = reversed([line for line in self._hiding if line.method != best.method])
        costs = {line.method: self._first(line).misses_cost for line in rivals}
        second = min(costs, key=costs.__getitem__, default=None)
        then = "" if second is None else f"; the next is {second} with {100 * costs[second]:.3g}%"
        hides = f"hides all of the {measured.restricted_before:,} restricted itemsets"
        loses = f"loses {100 * measured.misses_cost:.3g}% of the others{then}"
        return f"Take {name_line(best, self.below)}: at {least} it {hides} and {loses}."

    def _first(self, line: MethodLine) -> Hiding:
        """Return the measures at the smallest minimum support."""
        return line.measures[self.min_supports.index(min(self.min_supports))]


def compare_hiding(  # noqa: PLR0913 - all but two by name, and each a choice of its own
    rows: Transactions | Iterable[Iterable[Label]],
    sensitive: SensitiveLike,
    *,
    min_supports: Sequence[Threshold],
    disclosures: Sequence[Share] = (0,),
    methods: Sequence[str] | None = None,
    below: Threshold | None = None,
    inconspicuous: bool = False,
    seed: int = 1,
    seconds: float = 60.0,
    index: InvertedFile | None = None,
    **budget: Unpack[Budget],
) -> HidingComparison:
    """Try these methods, or all, on the rows at each disclosure, and measure the results at each minimum support.

    With ``below`` all methods hide the itemsets below that minimum support instead. "border" and "exact" protect what
    is frequent at the smallest of ``min_supports``; "exact" may take ``seconds``. A method that exceeds the budget is
    left out, and its line says so. ``progress`` is called with the share and the number of lines done.

    ``inconspicuous`` and ``seed`` mean what they do for ``hide``; inconspicuous or not, each line says what share of
    the sensitive itemsets a reader guesses.

    >>> rows = [["a", "b", "c"], ["a", "b"], ["b", "c"], ["c"]]
    >>> comparison = compare_hiding(rows, [["a", "b"]], min_supports=[2, "0%"], methods=["minfia", "maxfia"])
    >>> [(line.method, [round(measured.misses_cost, 2) for measured in line.measures]) for line in comparison.lines]
    [('minfia', [0.25, 0.4]), ('maxfia', [0.5, 0.0])]
    """
    data = as_transactions(rows)
    itemsets = sensitive if isinstance(sensitive, tuple | Patterns) else list(sensitive)
    with watching(budget.pop("progress", None), what="comparing methods", unit="done") as tell:
        yardstick = Yardstick.of(data, itemsets, min_supports, **budget)
        counts = tuple(as_min_count(one, len(data)) for one in yardstick.min_supports)
        target = None if below is None else as_count(below, max(1, len(data)))
        threads, inverted = budget.get("threads"), index or InvertedFile(data)
        hide_once = partial(
            hide,
            below=target,
            min_support=min(counts),
            inconspicuous=inconspicuous,
            seed=seed,
            seconds=seconds,
            threads=threads,
            index=inverted,
        )
        expected, _ = find_ordinary(data, yardstick.sensitive)

        def run(method: str, disclosure: Fraction | None) -> MethodLine:
            elapsed = stopwatch()
            try:
                hidden = hide_once(data, itemsets, method=method, disclosure=disclosure or 0)
                taken = elapsed()
                measures = tuple(yardstick.measure(hidden.transactions))
                ranks = rank_hidden(hidden.transactions, yardstick.sensitive, expected)
            except BudgetError as error:
                return MethodLine(method, disclosure, elapsed(), left_out=error.message)
            costs, guessed = (hidden.rows_touched, hidden.items_removed, measures), [one.guessed for one in ranks]
            return MethodLine(method, disclosure, taken, *costs, guessed=sum(guessed) / len(guessed))

        shares = [None] if below is not None else [as_disclosure(share) for share in disclosures]
        names = list(METHODS) if methods is None else methods
        for method in names:  # so that kernels are loaded before they are timed
            hide([["a", "b"]], [["a", "b"]], method=method, below=1)
        pairs = list(product(names, shares))
        lines = []
        for done, pair in enumerate(pairs):
            tell(done / len(pairs), done)
            lines.append(run(*pair))
        if not lines:
            raise BudgetError("nothing is to be compared")
        if not any(line.measures for line in lines):
            raise BudgetError("no method fits the limits (", lines[0].left_out, ")")
        return HidingComparison(len(data), len(yardstick.sensitive), counts, target, tuple(lines))


def say_guessed(line: MethodLine) -> str:
    """Return the share of the sensitive itemsets that a reader guesses, in words."""
    return "-" if line.guessed is None else percent(line.guessed)


def name_line(line: MethodLine, below: int | None) -> str:
    """Return a method and its target in words.

    >>> name_line(MethodLine("iga", Fraction(1, 10), 0.5), 7), name_line(MethodLine("border", None, 0.5), 1200)
    ('iga at a disclosure of 10%', 'border below 1,200 rows')
    """
    if line.disclosure is None:
        return f"{line.method} below {below:,} rows"
    return f"{line.method} at a disclosure of {float(100 * line.disclosure):.4g}%"
