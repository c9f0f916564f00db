"""Settling: what must be known about cells, by their limits, walks between tables that fit, and whole numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Final, NamedTuple, Protocol

import numpy as np

from discreet.publications.counts.limits import Limits
from discreet.publications.counts.moves import Moves, Truth
from discreet.publications.counts.parts import Part, list_parts
from discreet.publications.counts.proofs import HIGH, LOW
from discreet.runtime.solver import NoValuesError, Numbers

WHOLE: Final = 20_000  # cells of a part that is solved in whole numbers
WALKS: Final = 3  # from other tables, for cells that a first walk leaves
NEAR: Final = (300, 1_500)  # columns that moves are looked for among, at first and then
FRESH: Final = 16  # new moves that make another walk worth it
LARGE: Final = 500  # cells of a part in which tables are found by walks


class Judge(Protocol):
    """Decides what must be known about a cell."""

    def is_settled(self, cell: int) -> bool:
        """Return whether all is known."""

    def is_decided(self, cell: int) -> bool:
        """Return whether enough is known."""

    def is_revealed(self, cell: int) -> bool:
        """Return whether a small number is known."""

    def list_goals(self, cell: int, value: int) -> Iterable[int]:
        """Return the values of a cell that may settle it, where a table with one ``value`` is known."""


class _Left(NamedTuple):
    """Cells of a part that linear programs may have left open, and the moves between its tables, if any are known."""

    part: Part
    cells: list[int]
    moves: Moves | None


@dataclass(eq=False)
class Settling:
    """A search for limits, and for tables that fit, until a judge knows enough; the ``truth`` is one such table."""

    limits: Limits
    judge: Judge
    truth: Truth | None = None

    def run(self, wanted: Iterable[int], *, eager: bool = False) -> None:
        """Narrow the limits of some cells, and look for tables that fit, until each cell is settled or time is up.

        Every corner that is found is a table that fits, and may settle many cells at once. If ``eager``, whole numbers
        are asked for only where linear programs reveal nothing.
        """
        open_cells, left = [cell for cell in wanted if not self.judge.is_settled(cell)], list[_Left]()
        try:
            for part, cells in list_parts(self.limits.equations, self.limits.low, self.limits.high, open_cells):
                if self.limits.is_over:
                    break
                settle = self._settle_large if part.cells.size > LARGE else self._settle_small
                left.append(_Left(part, cells, settle(part, cells)))
            if not eager or not any(self.judge.is_revealed(cell) for cell in open_cells):
                for one in takewhile(lambda _: not self.limits.is_over, left):
                    self._settle_whole(one)
        except NoValuesError:
            raise self.limits.refuse_all() from None

    def _settle_small(self, part: Part, cells: list[int]) -> None:
        """Settle cells by the corners at which each is least or largest."""
        find = self.limits.build(part, whole=False).prepare_corners()
        for cell, column in zip(cells, np.searchsorted(part.cells, cells).tolist(), strict=True):
            self.limits.tell()
            if self.limits.is_over:
                return
            for side in (LOW, HIGH):
                if self.judge.is_settled(cell):
                    break
                corner = self.limits.ask(part, partial(find, column, 1 - 2 * side, self.limits.left()))
                self.limits.look(part, cell, side, corner)

    def _settle_large(self, part: Part, cells: list[int]) -> Moves | None:
        """Settle cells by walks from one table to others, then those left by their limits; return the moves, if any."""
        table = None if part.ratios else self._find_table(part)
        ends = self.limits.low[part.cells], self.limits.cap(part).astype(np.int64)
        moves = None if table is None else Moves(part, table, *ends)
        if moves is not None:
            self._note(moves)
            known = moves.take(() if self.truth is None else self.truth.moves)
            if known:
                self._walk_on(moves)
            for most in NEAR:
                self._walk(moves, cells, most)
            if self.truth is not None:
                self.truth.moves.extend(moves.list_moves(known))
        left = [cell for cell in cells if not self.judge.is_settled(cell)]
        tableau = self.limits.ask(part, partial(self.limits.open, part)) if left else None
        if tableau is not None:
            self.limits.tighten_part(part, tableau, left)
        return moves

    def _find_table(self, part: Part) -> Numbers | None:
        """Return a table of whole numbers that fits, the true one if it is known; None if none is found in time."""
        if self.truth is not None:
            return self.truth.counts[part.cells]
        least = self.limits.build(part, whole=True).prepare()
        solved = least(np.zeros(part.cells.size), self.limits.left() / 2, -np.inf)
        if solved.values is None:
            if not solved.stopped:
                raise NoValuesError
            return None
        return np.rint(solved.values).astype(np.int64) if self.limits.witness(part, solved.values) else None

    def _walk(self, moves: Moves, cells: list[int], most: int) -> None:
        """Note the values of many tables that fit: of near ones in which a cell has another value, and beyond."""
        left = [cell for cell in cells if not self.judge.is_decided(cell)]
        for cell, column in zip(left, np.searchsorted(moves.part.cells, left).tolist(), strict=True):
            self.limits.tell()
            for goal in self.judge.list_goals(cell, int(moves.table[column])):
                if self.limits.is_over or self.judge.is_decided(cell):
                    break
                if self.limits.low[cell] <= goal <= self.limits.high[cell] and moves.find(
                    column, goal, self.limits.left(), most
                ):
                    self._note(moves)
            if moves.fresh >= FRESH or (moves.fresh and cell == left[-1]):
                self._walk_on(moves)

    def _walk_on(self, moves: Moves) -> None:
        """Note the values of tables that known moves lead to, as long as each walk decides about several cells."""
        cells, gain = moves.part.cells.tolist(), FRESH
        is_wanted = np.array([not self.judge.is_decided(cell) for cell in cells])
        while gain >= FRESH:
            moves.walk(is_wanted)
            self._note(moves)
            before, is_wanted = is_wanted, np.array([not self.judge.is_decided(cell) for cell in cells])
            gain = int(before.sum() - is_wanted.sum())

    def _note(self, moves: Moves) -> None:
        np.minimum.at(self.limits.least, moves.part.cells, moves.least)
        np.maximum.at(self.limits.largest, moves.part.cells, moves.largest)

    def _settle_whole(self, left: _Left) -> None:
        """Settle cells by tables of whole numbers, at last by those in which each is least or largest."""
        part, is_enough = left.part, self.judge.is_settled if left.moves is None else self.judge.is_decided
        if left.moves is not None:
            known = left.moves.count
            for _ in range(WALKS):
                self._walk(left.moves, left.cells, part.cells.size)
            if self.truth is not None:
                self.truth.moves.extend(left.moves.list_moves(known))
        cells = [cell for cell in left.cells if not is_enough(cell)]
        if not cells or part.cells.size > WHOLE:
            return
        least = self.limits.build(part, whole=True).prepare()
        for cell, column in zip(cells, np.searchsorted(part.cells, cells).tolist(), strict=True):
            self.limits.tell()
            for sign in (1, -1):
                if not (self.limits.is_over or self.judge.is_settled(cell)):
                    costs = np.zeros(part.cells.size)
                    costs[column] = sign
                    solved = least(costs, self.limits.left(), -np.inf)
                    if solved.values is None and not solved.stopped:
                        raise NoValuesError
                    if solved.values is not None and self.limits.witness(part, solved.values) and not solved.stopped:
                        self.limits.refute(part, cell, LOW if sign > 0 else HIGH)
