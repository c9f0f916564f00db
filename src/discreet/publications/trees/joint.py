"""Several trees on the same rows: what their leaves tell together, by whole-number programs over where they overlap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.publications.trees.leaves import EVERYWHERE, Box, Few, Leaves, words
from discreet.runtime.solver import Program, Terms

Numbers: TypeAlias = NDArray[np.int64]

MOST_CELLS: Final = 2_000
"""Overlaps of leaves up to which a program is solved for each of them."""
MOST_PAIRS: Final = 10_000_000
"""Of overlaps and leaves of the next tree that are tried; of more, they are taken to be too many."""
MOST_SOLVED: Final = 5_000_000
"""Numbers of rows that are sought by programs, after which no further class is looked at; a minute or two."""
MOST_TREES: Final = 1_000
"""Trees up to which they are taken together."""
LARGEST: Final = 2**53
"""The largest count that a program follows: it reckons in floats of 64 bits."""
SECONDS: Final = 10.0
"""For one program; these are small, so that this is a cap and not a habit."""


class Joint(NamedTuple):
    """What several trees tell together: few rows in an overlap of leaves, or why that could not be followed."""

    found: tuple[Few, ...]
    undecided: str


def find_overlaps(trees: Sequence[Leaves], k: int) -> Joint:
    """Return which overlaps of leaves are known to hold from 1 to k − 1 rows of a class, each tree being safe alone.

    The rows of an overlap are whole numbers that add up to the counts of every leaf. If each overlap is either known
    to be empty or may hold k rows, no pattern can be inferred to hold for 1 to k − 1 rows: where it holds for an
    overlap that may hold k, it may hold for k. That two trees are safe alone is not enough: the leaves of one end at an
    age of 40 and those of the other at 50, and the difference are the ages between.

    Which overlaps are empty is known of those that exclude each other. Whoever knows the features may know of others,
    such as two colours, but only of such as hold no row: with the rows at hand, all that hold none are taken to be
    known, so that "safe" holds whatever is known of features.
    """
    trees = _aligned(trees)
    if reason := next(_obstacles(trees), ""):
        return Joint((), reason)
    held = _held(trees)
    if held is not None and len(held) <= MOST_CELLS and not any(_solved(trees, held, k)):
        return Joint((), "")
    overlaps = _overlaps(trees)
    if overlaps is None:
        return Joint((), f"their leaves overlap in more than {MOST_CELLS:,} ways, or are too many")
    found, many = _solved(trees, overlaps, k)
    if found or many:
        open_ = f"{many:,} of the overlaps of their leaves may hold fewer than {k} rows"
        return Joint(tuple(found), open_ * (many > 0))
    if held is None:
        return Joint((), "give the rows (rows=, --rows): values that exclude each other may tell more")
    return Joint((), f"who knows which values exclude each other may tell of fewer than {k} rows")


def _aligned(trees: Sequence[Leaves]) -> list[Leaves]:
    """Return the same trees with the features of all of them, by which boxes are numbered: files tell those in use."""
    names = tuple(dict.fromkeys(name for tree in trees for name in tree.names))
    if any(len(set(tree.names)) != len(tree.names) for tree in trees):
        return list(trees)
    return [tree if tree.names == names else _renumbered(tree, names) for tree in trees]


def _renumbered(tree: Leaves, names: tuple[str, ...]) -> Leaves:
    every = {name: place for place, name in enumerate(names)}
    places = [every[name] for name in tree.names]
    leaves = (
        leaf if leaf.box is None else leaf._replace(box={places[at]: limits for at, limits in leaf.box.items()})
        for leaf in tree.leaves
    )
    return replace(tree, leaves=tuple(leaves), names=names)


def _solved(trees: Sequence[Leaves], overlaps: "Sequence[_Overlap]", k: int) -> tuple[list[Few], int]:
    """Return the overlaps of few rows, and of how many others it is not known."""
    found, many, solved = [], 0, 0
    for number, label in enumerate(trees[0].classes[0]):
        table = _table(trees, overlaps, number)
        if solved > MOST_SOLVED:
            many += len(table.overlaps)
            continue
        few, open_, programs = _few(table, k)
        many, solved = many + open_, solved + programs * len(table.overlaps)
        found += [
            Few(words(overlaps[table.overlaps[at]].box, trees[0].names), f"class {label}", low, high)
            for at, low, high in few
        ]
    return found, many


class _Overlap(NamedTuple):
    leaves: tuple[int, ...]
    box: Box


@dataclass(frozen=True)
class _Table:
    """The overlaps that may hold rows of a class, and sums of them: ``sums[i]`` is the one that entry i counts for."""

    overlaps: list[int]
    sums: Numbers
    columns: Numbers
    counts: Numbers

    def holds(self, rows: Numbers) -> bool:
        """Return whether so many rows in each overlap add up to the counts."""
        return bool((rows >= 0).all()) and np.array_equal(
            np.bincount(self.sums, rows[self.columns], self.counts.size), self.counts
        )

    def extreme(self, at: int, sign: int) -> tuple[Numbers | None, int | None]:
        """Return rows in each overlap of which the one has most (sign −1) or fewest (1), and a bound on that number."""
        program = Program()
        cost = np.zeros(len(self.overlaps))
        cost[at] = sign
        program.columns(len(self.overlaps), cost=cost, whole=True)
        terms = Terms(self.sums, self.columns, np.ones(self.sums.size))
        program.rows(self.counts.size, terms, lower=self.counts, upper=self.counts)
        solved = program.solve(seconds=SECONDS, gap=0)
        if solved.values is None or solved.stopped:
            return None, None
        rows = np.rint(solved.values).astype(np.int64)
        return (rows, int(rows[at])) if self.holds(rows) else (None, None)


def _few(table: _Table, k: int) -> tuple[list[tuple[int, int, int]], int, int]:
    """Return the overlaps of 1 to k − 1 rows with these bounds, how many others were not cleared, and by what programs.

    Rows that one overlap may hold tell of the others as well, so most need no program of their own.
    """
    if not table.overlaps:
        return [], int(table.counts.any()), 0  # rows that are nowhere: the counts contradict each other
    most, found, many, programs = np.zeros(len(table.overlaps), dtype=np.int64), [], 0, 0
    for at in range(len(table.overlaps)):
        if most[at] >= k:
            continue
        programs += 2
        rows, high = table.extreme(at, -1)
        if rows is not None:
            np.maximum(most, rows, out=most)
        if high == 0 or most[at] >= k:
            continue
        _, low = table.extreme(at, 1)
        if high is None or low is None or not low:
            many += 1
        else:
            found.append((at, low, high))
    return found, many, programs


def _table(trees: Sequence[Leaves], overlaps: Sequence[_Overlap], label: int) -> _Table:
    """Return the sums of one class: a leaf that holds none of it has no part in any overlap."""
    starts = np.cumsum([0, *(len(tree.leaves) for tree in trees)])
    counts = np.array([leaf.counts[0][label] for tree in trees for leaf in tree.leaves], dtype=np.int64)
    every = np.array([overlap.leaves for overlap in overlaps], dtype=np.int64)
    places = every.reshape(len(overlaps), len(trees)) + starts[:-1]
    kept = np.flatnonzero((counts[places] > 0).all(axis=1))
    columns = np.repeat(np.arange(kept.size), len(trees))
    return _Table(kept.tolist(), places[kept].ravel(), columns, counts)


def _held(trees: Sequence[Leaves]) -> list[_Overlap] | None:
    """Return the overlaps that hold rows; None where the rows are not at hand."""
    reached = [tree.reached for tree in trees if tree.reached is not None]
    if len(reached) < len(trees):
        return None
    return [_Overlap(tuple(leaves), {}) for leaves in np.unique(np.stack(reached, axis=1), axis=0).tolist()]


def _overlaps(trees: Sequence[Leaves]) -> list[_Overlap] | None:
    """Return which leaves, one of each tree, have room for a row together; None if these are too many."""
    found, pairs = [_Overlap((), {})], 0
    for tree in trees:
        pairs += len(found) * len(tree.leaves)
        if pairs > MOST_PAIRS:
            return None
        found = list(islice((part for overlap in found for part in _parts(overlap, tree)), MOST_CELLS + 1))
        if len(found) > MOST_CELLS:
            return None
    return found


def _parts(overlap: _Overlap, tree: Leaves) -> Iterator[_Overlap]:
    for number, leaf in enumerate(tree.leaves):
        box = dict(overlap.box)
        for feature, (low, high) in (leaf.box or {}).items():
            lower, upper = box.get(feature, EVERYWHERE)
            box[feature] = (max(low, lower), min(high, upper))
        if all(low < high for low, high in box.values()):
            yield _Overlap((*overlap.leaves, number), box)


def _obstacles(trees: Sequence[Leaves]) -> Iterator[str]:
    """Yield why these trees cannot be taken together, if they cannot; after the first, no other need hold."""
    first = trees[0]
    if len(trees) > MOST_TREES:
        yield f"there are more than {MOST_TREES:,} of them"
    if any(tree.fault for tree in trees):
        yield "their counts cannot be told"
    if any(tree.is_sample for tree in trees):
        yield "each was fitted on a sample of its own"
    if any(len(tree.classes) != 1 for tree in trees):
        yield "what several means, or several outputs, tell together is not followed"
    if any(leaf.box is None for tree in trees for leaf in tree.leaves):
        yield "which rows two rules share is not known"
    totals = [[sum(column) for column in zip(*(leaf.counts[0] for leaf in tree.leaves), strict=True)] for tree in trees]
    if any(
        (tree.names, tree.classes, total) != (first.names, first.classes, totals[0])
        for tree, total in zip(trees, totals, strict=True)
    ):
        yield "they were not fitted on the same rows, features and classes"
    if max(totals[0], default=0) > LARGEST:
        yield "their counts are too large"
