"""Complementary suppression: mask small counts, and further ones of least cost, so that no small count follows."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from discreet.blocking.tables.cover import Covered, add_costs, cover, cover_greedily
from discreet.blocking.tables.cuts import Cut, find_cuts, find_plain_cuts
from discreet.blocking.tables.masking import Flags, MaskableTables, list_maskings
from discreet.blocking.tables.problem import TableProblem, TableProof, TableSolution
from discreet.errors import BudgetError, Either, OptionError
from discreet.runtime.solver import Numbers

TOO_LONG: Final = "it could not be decided in time which counts must be masked; "
LEAST: Final = 2.0  # seconds of a program, however little time is left, for some bound
SHARE: Final = 0.25  # of the time that is left, for one program, or for taking masks away


def suppress(problem: TableProblem) -> TableSolution:
    """Return the tables with masks of least cost, as far as time allows, from which no small count follows.

    The cut loop of Fischetti and Salazar (2001): a choice of masks is attacked; each proof of a small count gives a
    cut, a set of shown counts of which one must be masked; a program finds the cheapest choice that hits all cuts; and
    so on. What that costs is a lower bound at any time, and the optimum once nothing is revealed. Each choice is also
    completed to a safe one, greedily, and masks that are not needed are taken away again.
    """
    until = monotonic() + problem.seconds
    for masking in list_maskings(problem):
        tables = MaskableTables(problem, masking)
        search = _MaskSearch(tables, until)
        if not search.run():
            continue
        further = search.mark(search.best) & ~tables.is_primary
        return TableSolution(
            problem,
            tables.publish(search.mark(search.best)),
            frozenset(tables.list_keys(tables.is_primary)),
            frozenset(tables.list_keys(further)),
            proof=TableProof(add_costs(search.best, problem.costs), search.bound, stopped=search.is_stopped),
        )
    raise OptionError(
        "masking cannot make these tables safe: small counts follow from what they leave out, or from the ranges of "
        "marks alone; use the method 'collapse'"
    )


@dataclass(eq=False)
class _MaskSearch:
    """The best masks so far, beside the small counts; the cuts, and the bound that these prove."""

    tables: MaskableTables
    until: float
    best: frozenset[int] = frozenset()
    bound: int = 0
    is_stopped: bool = False
    is_hopeless: bool = False
    cuts: dict[frozenset[int], Cut] = field(default_factory=dict)
    by_cell: dict[int, list[frozenset[int]]] = field(default_factory=dict)

    def run(self) -> bool:
        """Look for the best masks; return whether there are any."""
        first = self._complete(self._protect(frozenset()), forced=True)
        if first is None:
            return False
        self.best = self._thin_out(first)
        middle = monotonic() + (self.until - monotonic()) / 2  # until then, what single sums reveal is enough to go on
        while self._cost(self.best) > self.bound:
            chosen = self._solve()
            if self._cost(self.best) <= self.bound:
                break
            known = len(self.cuts)
            near = self._protect(chosen.cells)
            if len(self.cuts) > known and monotonic() < middle:
                continue
            safe = self._complete(near)
            if safe is None:
                self.is_stopped = True
                break
            is_final = len(self.cuts) == known
            self.best = min(self.best, safe if is_final else self._thin_out(safe), key=self._cost)
            if is_final:  # the cheapest choice is safe, or some cuts prove no bound
                self.is_stopped = not chosen.is_least
                break
        return True

    def mark(self, chosen: Iterable[int]) -> Flags:
        """Return which counts are masked: small ones, and those chosen."""
        masked = self.tables.is_primary.copy()
        masked[list(chosen)] = True
        return masked

    def _attack(self, chosen: Iterable[int]) -> list[Cut]:
        """Return the cuts of what some masks reveal, and keep them."""
        masked = self.mark(chosen)
        if self.tables.problem.progress is not None:
            seconds = self.tables.problem.seconds
            done = min(1.0, max(0.0, 1 - (self.until - monotonic()) / seconds))
            self.tables.problem.progress(done, int(masked.sum()))
        return self._keep(find_cuts(self.tables, masked, self.until))

    def _keep(self, found: list[Cut]) -> list[Cut]:
        self.is_hopeless |= any(not cut.cells for cut in found)
        for cut in found:
            if cut.cells not in self.cuts:
                for cell in cut.cells:
                    self.by_cell.setdefault(cell, []).append(cut.cells)
            self.cuts[cut.cells] = cut
        return found

    def _protect(self, chosen: frozenset[int]) -> frozenset[int]:
        """Return a choice with more masks, until single sums reveal nothing: this is quick beside linear programs."""
        while found := self._keep(find_plain_cuts(self.tables, self.mark(chosen))):
            if self.is_hopeless:
                break
            chosen |= self._hit(found)
        return chosen

    def _complete(self, chosen: frozenset[int], *, forced: bool = False) -> frozenset[int] | None:
        """Return a choice with more masks, until nothing is revealed; None if that cannot be, or time is up.

        A first one is looked for longer, up to twice the time.
        """
        while not self.is_hopeless and (forced or not self._is_late()):
            if monotonic() >= self.until + self.tables.problem.seconds:
                raise BudgetError(TOO_LONG, Either(("raise {}", "seconds"), "use the method 'round' or 'collapse'"))
            found = self._attack(chosen)
            if not found:
                return chosen
            if not self.is_hopeless:
                chosen |= self._hit(found)
        return None

    def _hit(self, cuts: Iterable[Cut]) -> frozenset[int]:
        return cover_greedily([cut.cells for cut in cuts], self._costs)

    def _thin_out(self, chosen: frozenset[int]) -> frozenset[int]:
        """Return a safe choice without the masks that are not needed; the most costly are tried first."""
        end = monotonic() + SHARE * (self.until - monotonic())
        for cell in sorted(chosen, key=lambda cell: (-int(self._costs[cell]), cell)):
            fewer = chosen - {cell}
            if monotonic() >= end:
                break
            if all(cut & fewer for cut in self.by_cell.get(cell, ())) and not self._is_revealing(fewer):
                chosen = fewer
        return chosen

    def _is_revealing(self, chosen: frozenset[int]) -> bool:
        return bool(self._keep(find_plain_cuts(self.tables, self.mark(chosen))) or self._attack(chosen))

    def _solve(self) -> Covered:
        """Return the cheapest choice that hits all cuts; raise the bound to what those that hold prove."""
        seconds = max(LEAST, SHARE * (self.until - monotonic()))
        chosen = cover([*self.cuts], self._costs, seconds)
        if all(cut.holds for cut in self.cuts.values()):
            self.bound = max(self.bound, chosen.bound)
        else:
            holding = [cut.cells for cut in self.cuts.values() if cut.holds]
            self.bound = max(self.bound, cover(holding, self._costs, seconds).bound)
        return chosen

    def _is_late(self) -> bool:
        return monotonic() >= self.until

    def _cost(self, chosen: Iterable[int]) -> int:
        return add_costs(chosen, self._costs)

    @property
    def _costs(self) -> Numbers:
        return self.tables.problem.costs
