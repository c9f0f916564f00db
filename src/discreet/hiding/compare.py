"""Compare: what each method to hide makes of the same rows, and which of them costs the least."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from time import perf_counter
from typing import Final, NamedTuple, Unpack, get_args

from discreet.data.labels import Label
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Share, Threshold, as_count, as_disclosure
from discreet.data.transactions import Transactions
from discreet.errors import BudgetError, OptionError
from discreet.hiding.hide import Method, hide
from discreet.hiding.measures import Hiding, Itemsets, Yardstick, least_count
from discreet.io.index.index import InvertedFile
from discreet.mining.mine import Budget
from discreet.runtime import html
from discreet.runtime.progress import watching
from discreet.runtime.text import percent

TO_A_SUPPORT: Final = ("border", "exact")
"""Methods that hide below a minimum support, and have no use for a disclosure."""


class Compared(NamedTuple):
    """What a method made of the rows at a disclosure, in how many seconds; or why it was left out.

    ``disclosure`` is None where the itemsets were hidden below a minimum support instead. There are ``measures`` for
    each minimum support.
    """

    method: Method
    disclosure: Fraction | None
    seconds: float
    rows_touched: int = 0
    items_removed: int = 0
    measures: tuple[Hiding, ...] = ()
    left_out: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class HidingComparison:
    """What methods make of the same ``n`` rows, in the order in which they ran.

    ``min_supports`` are counts, those at which it was measured; ``below`` is the one below which itemsets were hidden,
    where they were.
    """

    n: int
    sensitive: int
    min_supports: tuple[int, ...]
    below: int
    lines: tuple[Compared, ...]

    def __repr__(self) -> str:
        best = "nothing" if self.best is None else self.best.method
        return f"<HidingComparison: {len(self.lines)} ways to hide, the best is {best}>"

    def _repr_html_(self) -> str:
        """Return what each method costs at the smallest minimum support as a table, for notebooks."""
        least = f"measured at a minimum support of {min(self.min_supports):,} rows"
        head = ["method", "rows touched", "items removed", "hiding failure", "misses cost", "left out"]
        lines = [self._cells(line) for line in self.lines]
        return html.table(f"{repr(self)[1:-1]}; {least}", *html.filled(head, lines), note=self.recommendation)

    def _cells(self, line: Compared) -> tuple[str | int, ...]:
        """Return a method and what it costs."""
        if not line.measures:
            return named(line, self.below), "–", "–", "–", "–", line.left_out
        found = self._first(line)
        shares = percent(found.hiding_failure), percent(found.misses_cost)
        return named(line, self.below), line.rows_touched, line.items_removed, *shares, ""

    @cached_property
    def best(self) -> Compared | None:
        """The line that misses the fewest itemsets at the smallest minimum support, of those that hide all there.

        What is hidden there is hidden at every larger one. Of several, the one that removes the fewest items; then the
        first.
        """
        hiding = [line for line in self.lines if line.measures and self._first(line).restricted_after == 0]
        return min(hiding, key=lambda line: (self._first(line).missed, line.items_removed), default=None)

    @property
    def recommendation(self) -> str:
        """What to take, and why, in a sentence or two."""
        least, best = f"a minimum support of {min(self.min_supports):,} rows", self.best
        if best is None:
            return (
                f"Nothing that was compared hides every restricted itemset at {least}: lower the disclosure or below."
            )
        found = self._first(best)
        if not found.restricted_before:
            return f"Nothing needs to be hidden at {least}: no frequent itemset holds a sensitive one."
        others = {
            line.method: self._first(line).misses_cost
            for line in reversed(self.lines)
            if line.measures and line.method != best.method and self._first(line).restricted_after == 0
        }
        next_ = min(others, key=others.__getitem__, default=None)
        then = "" if next_ is None else f"; the next is {next_} with {100 * others[next_]:.3g}%"
        return (
            f"Take {named(best, self.below)}: at {least} it hides all of the {found.restricted_before:,} restricted "
            f"itemsets and loses {100 * found.misses_cost:.3g}% of the others{then}."
        )

    def _first(self, line: Compared) -> Hiding:
        """Return what was measured at the smallest minimum support."""
        return line.measures[self.min_supports.index(min(self.min_supports))]


def compare_hiding(
    rows: Transactions | Iterable[Iterable[Label]],
    sensitive: Itemsets,
    *,
    min_supports: Sequence[Threshold],
    disclosures: Sequence[Share] = (0,),
    methods: Sequence[Method] | None = None,
    below: Threshold | None = None,
    seconds: float = 60.0,
    index: InvertedFile | None = None,
    **budget: Unpack[Budget],
) -> HidingComparison:
    """Return what each of the methods, or all, makes of the rows at each disclosure, measured at each minimum support.

    With ``below`` all methods hide the itemsets below that minimum support, and disclosures do not matter. "border" and
    "exact" always do: below the smallest of ``min_supports`` unless told otherwise. ``seconds`` are for each of them.
    A method whose result does not fit the budget is left out, and its line says so. ``progress`` is told what share of
    the lines is done, and how many.

    >>> rows = [["a", "b", "c"], ["a", "b"], ["b", "c"], ["c"]]
    >>> found = compare_hiding(rows, [["a", "b"]], min_supports=[2, "0%"], methods=["minfia", "maxfia"])
    >>> [(line.method, [round(measured.misses_cost, 2) for measured in line.measures]) for line in found.lines]
    [('minfia', [0.25, 0.4]), ('maxfia', [0.5, 0.0])]
    """
    data = rows if isinstance(rows, Transactions) else Transactions(rows)
    told = sensitive if isinstance(sensitive, tuple | Patterns) else list(sensitive)
    with watching(budget.pop("progress", None), what="comparing methods", unit="done") as tell:
        yardstick = Yardstick.of(data, told, min_supports, **budget)
        counts = tuple(least_count(one, len(data)) for one in yardstick.min_supports)
        target = min(counts) if below is None else as_count(below, max(1, len(data)))
        lists = index or InvertedFile(data)

        def compared(method: Method, disclosure: Fraction | None) -> Compared:
            start = perf_counter()
            try:
                hidden = hide(
                    data,
                    told,
                    method=method,
                    disclosure=disclosure or 0,
                    below=target if disclosure is None else None,
                    seconds=seconds,
                    threads=budget.get("threads"),
                    index=lists,
                )
                taken = perf_counter() - start
                measures = tuple(yardstick.measure(hidden.transactions))
            except BudgetError as error:
                return Compared(method, disclosure, perf_counter() - start, left_out=error.message)
            return Compared(method, disclosure, taken, hidden.rows_touched, hidden.items_removed, measures)

        shares = None if below is not None else [as_disclosure(share) for share in disclosures]
        asked = _methods(methods)
        for method in asked:  # so that what is timed later is compiled and loaded
            hide([["a", "b"]], [["a", "b"]], method=method, below=1)
        pairs, lines = list(_pairs(asked, shares)), []
        for done, pair in enumerate(pairs):
            tell(done / len(pairs), done)
            lines.append(compared(*pair))
        if not any(line.measures for line in lines):
            if not lines:
                raise BudgetError("nothing is to be compared")
            raise BudgetError("no method fits the limits (", lines[0].left_out, ")")
        return HidingComparison(len(data), len(yardstick.sensitive), counts, target, tuple(lines))


def named(line: Compared, below: int) -> str:
    """Return a method and how much it was to hide, in words.

    >>> named(Compared("iga", Fraction(1, 10), 0.5), 7), named(Compared("border", None, 0.5), 1200)
    ('iga at a disclosure of 10%', 'border below 1,200 rows')
    """
    if line.disclosure is None:
        return f"{line.method} below {below:,} rows"
    return f"{line.method} at a disclosure of {float(100 * line.disclosure):.4g}%"


def _methods(methods: Sequence[Method] | None) -> Sequence[Method]:
    known: tuple[Method, ...] = get_args(Method)
    for method in methods or ():
        if method not in known:
            raise OptionError(f"method is {str(method)[:40]!r}; it must be one of {', '.join(known)}")
    return known if methods is None else methods


def _pairs(methods: Sequence[Method], shares: Sequence[Fraction] | None) -> Iterator[tuple[Method, Fraction | None]]:
    """Yield each method with each disclosure that it has a use for; None where it hides below a support."""
    for method in methods:
        yield from ((method, share) for share in ([None] if shares is None or method in TO_A_SUPPORT else shares))
