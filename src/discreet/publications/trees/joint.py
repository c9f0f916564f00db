"""Several trees on the same rows: what the overlaps of their leaves reveal, by integer programs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from discreet.data.itemsets import offsets_of
from discreet.publications.trees.leaves import EVERYWHERE, Box, Few, Leaves, describe_box
from discreet.runtime.solver import Numbers, Program, Terms

MOST_CELLS: Final = 2_000
"""Overlaps of leaves up to which programs are solved."""
MOST_PAIRS: Final = 10_000_000
"""Pairs of overlaps and leaves of the next tree that are tried."""
MOST_SOLVED: Final = 5_000_000
"""Variables of all programs, after which no further class is looked at: a minute or two."""
MOST_TREES: Final = 1_000
"""Trees that are judged together."""
LARGEST: Final = 2**53
"""The largest count that a program can take: it works with floats of 64 bits."""
SECONDS: Final = 10.0
"""For one program; a cap that small programs do not reach."""


class Joint(NamedTuple):
    """What several trees reveal together: overlaps of few rows, or why that is undecided."""

    few: tuple[Few, ...]
    undecided: str


def find_overlaps(trees: Sequence[Leaves], k: int) -> Joint:
    """Return the overlaps of leaves that surely hold 1 to k − 1 rows of a class, if each tree is safe alone.

    The rows of overlaps are whole numbers that add up to the counts of every leaf. If each overlap is known to be empty
    or may hold k rows, no pattern can be inferred to hold for 1 to k − 1 rows. Trees that are safe alone need not be
    safe together: if the leaves of one end at age 40 and those of the other at 50, the difference is the ages between.

    Overlaps that exclude each other are known to be empty. A reader who knows the features may know more, such as that
    nobody has two colours, but only of overlaps without rows. So with the rows at hand, all of these are taken as
    known, and "safe" holds whatever a reader knows of features.
    """
    trees = _align(trees)
    if reason := next(_obstacles(trees), ""):
        return Joint((), reason)
    held = _find_held(trees)
    if held is not None and len(held) <= MOST_CELLS and not any(_solve(trees, held, k)):
        return Joint((), "")
    overlaps = _find_overlaps(trees)
    if overlaps is None:
        return Joint((), f"their leaves overlap in more than {MOST_CELLS:,} ways, or are too many")
    few, many = _solve(trees, overlaps, k)
    if few or many:
        open_ = f"{many:,} of the overlaps of their leaves may hold fewer than {k} rows"
        return Joint(tuple(few), open_ * (many > 0))
    if held is None:
        return Joint((), "give the rows: values that exclude each other may reveal more")
    return Joint((), f"a reader who knows which values exclude each other may learn of fewer than {k} rows")


def _align(trees: Sequence[Leaves]) -> list[Leaves]:
    """Give the features of all trees the same numbers: a file lists only those that its tree uses."""
    names = tuple(dict.fromkeys(name for tree in trees for name in tree.names))
    if any(len(set(tree.names)) != len(tree.names) for tree in trees):
        return list(trees)
    return [tree if tree.names == names else _renumber(tree, names) for tree in trees]


def _renumber(tree: Leaves, names: tuple[str, ...]) -> Leaves:
    every = {name: place for place, name in enumerate(names)}
    places = [every[name] for name in tree.names]
    leaves = (
        leaf if leaf.box is None else leaf._replace(box={places[at]: limits for at, limits in leaf.box.items()})
        for leaf in tree.leaves
    )
    return replace(tree, leaves=tuple(leaves), names=names)


def _solve(trees: Sequence[Leaves], overlaps: "Sequence[_Overlap]", k: int) -> tuple[list[Few], int]:
    """Return the overlaps of few rows, and how many others are undecided."""
    few, many, solved = [], 0, 0
    for number, label in enumerate(trees[0].classes[0]):
        table = _make_table(trees, overlaps, number)
        if solved > MOST_SOLVED:
            many += len(table.overlaps)
            continue
        limits, open_, programs = _find_few(table, k)
        many, solved = many + open_, solved + programs * len(table.overlaps)
        few += [
            Few(describe_box(overlaps[table.overlaps[at]].box, trees[0].names), f"class {label}", low, high)
            for at, low, high in limits
        ]
    return few, many


class _Overlap(NamedTuple):
    leaves: tuple[int, ...]
    box: Box


@dataclass(frozen=True)
class _Table:
    """The overlaps that may hold rows of a class, and the sums that they are part of: entry i is in ``sums[i]``."""

    overlaps: list[int]
    sums: Numbers
    columns: Numbers
    counts: Numbers

    def holds(self, rows: Numbers) -> bool:
        """Return whether these rows of each overlap add up to the counts."""
        return bool((rows >= 0).all()) and np.array_equal(
            np.bincount(self.sums, rows[self.columns], self.counts.size), self.counts
        )

    def extreme(self, at: int, sign: int) -> tuple[Numbers | None, int | None]:
        """Return rows of each overlap with the most (sign −1) or the fewest (1) in one of them, and that number."""
        program = Program()
        cost = np.zeros(len(self.overlaps))
        cost[at] = sign
        program.add_columns(len(self.overlaps), cost=cost, whole=True)
        terms = Terms(self.sums, self.columns, np.ones(self.sums.size))
        program.add_rows(self.counts.size, terms, lower=self.counts, upper=self.counts)
        solved = program.solve(seconds=SECONDS, gap=0)
        if solved.values is None or solved.stopped:
            return None, None
        rows = np.rint(solved.values).astype(np.int64)
        return (rows, int(rows[at])) if self.holds(rows) else (None, None)


def _find_few(table: _Table, k: int) -> tuple[list[tuple[int, int, int]], int, int]:
    """Return the overlaps of 1 to k − 1 rows with their limits, how many are undecided, and the number of programs.

    A solution for one overlap also clears others, so most need no program of their own.
    """
    if not table.overlaps:
        return [], int(table.counts.any()), 0  # rows without an overlap: the counts contradict each other
    most, few, many, programs = np.zeros(len(table.overlaps), dtype=np.int64), [], 0, 0
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
            few.append((at, low, high))
    return few, many, programs


def _make_table(trees: Sequence[Leaves], overlaps: Sequence[_Overlap], label: int) -> _Table:
    """Return the sums of one class; a leaf without rows of it is in no overlap."""
    starts = offsets_of([len(tree.leaves) for tree in trees])
    counts = np.array([leaf.counts[0][label] for tree in trees for leaf in tree.leaves], dtype=np.int64)
    every = np.array([overlap.leaves for overlap in overlaps], dtype=np.int64)
    places = every.reshape(len(overlaps), len(trees)) + starts[:-1]
    kept = np.flatnonzero((counts[places] > 0).all(axis=1))
    columns = np.repeat(np.arange(kept.size), len(trees))
    return _Table(kept.tolist(), places[kept].ravel(), columns, counts)


def _find_held(trees: Sequence[Leaves]) -> list[_Overlap] | None:
    """Return the overlaps that hold rows; None if the rows are not at hand."""
    reached = [tree.reached for tree in trees if tree.reached is not None]
    if len(reached) < len(trees):
        return None
    return [_Overlap(tuple(leaves), {}) for leaves in np.unique(np.stack(reached, axis=1), axis=0).tolist()]


def _find_overlaps(trees: Sequence[Leaves]) -> list[_Overlap] | None:
    """Return the overlaps of leaves, one of each tree, that have room for a row; None if there are too many."""
    overlaps, pairs = [_Overlap((), {})], 0
    for tree in trees:
        pairs += len(overlaps) * len(tree.leaves)
        if pairs > MOST_PAIRS:
            return None
        overlaps = list(islice((part for overlap in overlaps for part in _parts(overlap, tree)), MOST_CELLS + 1))
        if len(overlaps) > MOST_CELLS:
            return None
    return overlaps


def _parts(overlap: _Overlap, tree: Leaves) -> Iterator[_Overlap]:
    for number, leaf in enumerate(tree.leaves):
        box = dict(overlap.box)
        for feature, (low, high) in (leaf.box or {}).items():
            lower, upper = box.get(feature, EVERYWHERE)
            box[feature] = (max(low, lower), min(high, upper))
        if all(low < high for low, high in box.values()):
            yield _Overlap((*overlap.leaves, number), box)


def _obstacles(trees: Sequence[Leaves]) -> Iterator[str]:
    """Yield why these trees cannot be judged together; only the first reason is sure."""
    first = trees[0]
    if len(trees) > MOST_TREES:
        yield f"there are more than {MOST_TREES:,} of them"
    if any(tree.fault for tree in trees):
        yield "they do not show their counts"
    if any(tree.is_sample for tree in trees):
        yield "each was fitted on a sample of its own"
    if any(len(tree.classes) != 1 for tree in trees):
        yield "means, or several outputs, are not followed together"
    if any(leaf.box is None for tree in trees for leaf in tree.leaves):
        yield "the rows that two rules share are not known"
    totals = [[sum(column) for column in zip(*(leaf.counts[0] for leaf in tree.leaves), strict=True)] for tree in trees]
    if any(
        (tree.names, tree.classes, total) != (first.names, first.classes, totals[0])
        for tree, total in zip(trees, totals, strict=True)
    ):
        yield "they were not fitted on the same rows, features and classes"
    if max(totals[0], default=0) > LARGEST:
        yield "their counts are too large"
