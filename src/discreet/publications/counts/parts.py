"""Parts: cells of equations that are not known and hang together, each part a problem of its own."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.counts import Ratio
from discreet.publications.counts.equations import Equations
from discreet.runtime.solver import Numbers, Program, Terms

SLACK: Final = 1e-6  # by which a share in floats may be missed


class Part(NamedTuple):
    """Open cells that rows or shares connect: their numbers, the rows, and the entries of these as columns and factors.

    ``ratios`` are the shares that one of the cells is in.
    """

    cells: Numbers
    rows: Numbers
    row_of: Numbers
    column_of: Numbers
    factors: Numbers
    fixed: Numbers  # what the cells of each row that are not open add up to
    ratios: tuple[tuple[int, int, Ratio], ...] = ()


def list_parts(
    equations: Equations, low: Numbers, high: Numbers, wanted: Sequence[int]
) -> Iterator[tuple[Part, list[int]]]:
    """Yield the parts that hold wanted cells, with these."""
    if not wanted:
        return
    is_open = low < high
    numbers = kernels.equations.find_parts(*_connect(equations), is_open)
    by_part: dict[int, list[int]] = {}
    for cell in wanted:
        by_part.setdefault(int(numbers[cell]), []).append(cell)
    by_part.pop(-1, None)
    order = np.argsort(numbers, kind="stable")
    starts = np.searchsorted(numbers[order], np.arange(numbers.max(initial=-1) + 2))
    entry_open = is_open[equations.cells]
    row_part = np.full(equations.offsets.size - 1, -1)
    row_part[equations.row_numbers[entry_open]] = numbers[equations.cells[entry_open]]
    fixed, closed = np.zeros(equations.offsets.size - 1, dtype=np.int64), ~entry_open
    np.add.at(fixed, equations.row_numbers[closed], equations.factors[closed] * low[equations.cells[closed]])
    row_order = np.argsort(row_part, kind="stable")
    row_starts = np.searchsorted(row_part[row_order], np.arange(numbers.max(initial=-1) + 2))
    for number, cells in by_part.items():
        rows = row_order[row_starts[number] : row_starts[number + 1]]
        part = _make_part(equations, is_open, order[starts[number] : starts[number + 1]], rows, fixed)
        ratios = tuple(one for one in equations.ratios if number in (numbers[one[0]], numbers[one[1]]))
        yield part._replace(ratios=ratios), cells


def merge(parts: Sequence[Part]) -> Part:
    """Return several parts as one."""
    cells = np.sort(np.concatenate([part.cells for part in parts]))
    starts = np.cumsum([0, *(part.rows.size for part in parts)])
    return Part(
        cells,
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.row_of + start for part, start in zip(parts, starts, strict=False)]),
        np.concatenate([np.searchsorted(cells, part.cells[part.column_of]) for part in parts]),
        np.concatenate([part.factors for part in parts]),
        np.concatenate([part.fixed for part in parts]),
        tuple(dict.fromkeys(one for part in parts for one in part.ratios)),
    )


def _connect(equations: Equations) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return the rows, with one more for each share: part and whole hang together."""
    if not equations.ratios:
        return equations.offsets, equations.cells, *equations.users
    pairs = np.array([pair[:2] for pair in equations.ratios], dtype=np.int64).ravel()
    ends = equations.offsets[-1] + 2 * np.arange(1, len(equations.ratios) + 1)
    offsets, cells = np.concatenate([equations.offsets, ends]), np.concatenate([equations.cells, pairs])
    users = np.zeros(len(equations.keys) + 1, dtype=np.int64)
    np.cumsum(np.bincount(cells, minlength=len(equations.keys)), out=users[1:])
    used = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))[np.argsort(cells, kind="stable")]
    return offsets, cells, users, used


def _make_part(
    equations: Equations, is_open: NDArray[np.bool_], members: Numbers, rows: Numbers, fixed: Numbers
) -> Part:
    sizes = np.diff(equations.offsets)[rows]
    places = np.repeat(equations.offsets[rows] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    cells = equations.cells[places]
    kept = is_open[cells]
    row_of = np.repeat(np.arange(rows.size), sizes)[kept]
    columns = np.searchsorted(members, cells[kept])
    return Part(members, rows, row_of, columns, equations.factors[places][kept], fixed[rows])


def keep_shares(part: Part, counts: Numbers, low: Numbers) -> bool:
    """Return whether counts of a part have all published shares; a cell that is not open has its one value."""
    values = dict(zip(part.cells.tolist(), counts.tolist(), strict=True)) if part.ratios else {}
    for above, below, ratio in part.ratios:
        share, whole = (values.get(cell, int(low[cell])) for cell in (above, below))
        if not (whole > 0 and ratio.low * whole <= share <= ratio.high * whole):
            return False
    return True


def add_share(program: Program, part: Part, low: Numbers, one: tuple[int, int, Ratio]) -> None:
    """Add to a program that a count is no less and no more than a share of another."""
    column, (above, below, ratio) = {cell: at for at, cell in enumerate(part.cells.tolist())}, one
    for share, sign in ((ratio.low, 1), (ratio.high, -1)):
        pairs = [(above, float(sign)), (below, -sign * float(share))]
        known = sum(factor * float(low[cell]) for cell, factor in pairs if cell not in column)
        entries = [(column[cell], factor) for cell, factor in pairs if cell in column]
        columns, factors = np.array([at for at, _ in entries]), np.array([factor for _, factor in entries])
        program.add_rows(1, Terms(np.zeros(columns.size, np.int64), columns, factors), lower=-known - SLACK)
