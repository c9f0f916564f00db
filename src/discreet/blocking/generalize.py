"""The method "generalize": values are replaced by their parents, in all rows, until no few rows are singled out.

Rows hold the ancestors of their items. So a value is replaced by its parent when all rows lose the value itself, with
everything below it. A *step* takes away all children of one parent, or one item that has no parent; it comes after all
steps below it. The steps that are taken are a cut through the hierarchy.

An itemset with a cell of 1 to k − 1 rows opens a channel while all its items are published. Fewer items open no other
channel: their cells are sums of cells. So each such itemset asks for a step that takes away one of its items, and the
least steps that answer all of them are found by a program of whole numbers. What a schema or an attacker reveals asks
likewise (docs/hierarchies.md).
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.inferences import find_inferences
from discreet.blocking.problem import BlockProblem, BlockSolution, Recoding
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.facts import Codes
from discreet.disclosure.detect import Question, find_channels
from discreet.errors import BudgetError
from discreet.runtime.solver import Numbers, Program, Terms, list_each

LONGEST: Final = 62  # items of a top whose cells are told apart by the bits of a word
MOST_STEPS: Final = 500  # of a hierarchy of which the least steps are found; of a larger one, they are chosen greedily


Taken: TypeAlias = NDArray[np.bool_]  # for each step, whether it is taken


class Steps(NamedTuple):
    """The steps of a hierarchy of frequent items: that of each item by its code, and which ones are ``below`` others.

    ``levels`` is the price of each step: how often rows hold an item that it takes away. The children of ``parents``,
    by their codes, are taken away by the first steps; the others take away an item without a parent.
    """

    of: Numbers
    below: NDArray[np.int64]  # pairs of a step, and one that comes before it
    levels: Numbers
    parents: Numbers

    @classmethod
    def find(cls, problem: BlockProblem) -> Self:
        """Find the steps of the frequent items."""
        patterns = problem.patterns
        items = np.unique(patterns.items)
        names = [patterns.labels[code] for code in items.tolist()]
        known = [-1] * len(names) if patterns.hierarchy is None else patterns.hierarchy.link(names)
        above = np.array(known, dtype=np.int64)
        owners, step = np.unique(np.where(above < 0, items.size + np.arange(items.size), above), return_inverse=True)
        inner = owners[owners < items.size]
        of = np.full(len(patterns.labels), -1)
        of[items] = step
        below = np.column_stack([step[inner], np.arange(inner.size)])
        held = problem.question.item_supports[items]
        levels = np.bincount(step, weights=held, minlength=owners.size).astype(np.int64)
        return cls(of, below, levels, items[inner])

    def complete(self, taken: Taken) -> Taken:
        """Return the steps with all that come before them."""
        while (taken[self.below[:, 0]] & ~taken[self.below[:, 1]]).any():
            taken = taken.copy()
            taken[self.below[taken[self.below[:, 0]], 1]] = True
        return taken

    def keep(self, taken: Taken) -> NDArray[np.bool_]:
        """Return for each item whether it is frequent, and not taken away."""
        kept: NDArray[np.bool_] = (self.of >= 0) & ~np.append(taken, [True])[self.of]
        return kept


def generalize(problem: BlockProblem) -> BlockSolution:
    """Replace values by their parents in all rows, with the fewest levels lost, until there is no channel.

    If the schema reveals 1 to k − 1 rows, it goes on until it does not. Every published support is exact.
    """
    return _search(problem, partial(_find_unsafe, problem, CellCounter(problem.merged[0], problem.k)))


def generalize_more(problem: BlockProblem) -> BlockSolution:
    """Do the same until the attacker infers nothing either: the items in the sums of an inference ask for a step."""
    unsafe = partial(_find_unsafe, problem, CellCounter(problem.merged[0], problem.k))
    return _search(problem, lambda patterns: unsafe(patterns) or _find_inferred(problem, patterns))


def _search(problem: BlockProblem, find: Callable[[Patterns], Collection[Codes]]) -> BlockSolution:
    """Take the least steps that answer what has asked so far, until nothing else asks; each round adds what does."""
    steps, until, rounds = Steps.find(problem), monotonic() + problem.seconds, 0
    asked: dict[frozenset[int], None] = {}
    while True:
        taken, is_least = _choose(steps, list(asked), until)
        patterns = cut_patterns(problem.patterns, steps.keep(taken))
        asking = find(patterns) if len(patterns) else ()
        if not asking:
            break
        if not all(asking):
            raise BudgetError(f"all rows together are fewer than k = {problem.k}, so there is nothing to publish")
        asked |= dict.fromkeys(frozenset(steps.of[list(itemset)].tolist()) for itemset in asking)
        rounds += 1
    solution = BlockSolution.of(problem, patterns, rounds=rounds)
    return replace(solution, recoding=_describe(problem, steps, taken, is_least=is_least))


def cut_patterns(patterns: Patterns, is_kept: NDArray[np.bool_]) -> Patterns:
    """Return the patterns of rows that have lost all items but those that are kept.

    >>> from discreet import mine
    >>> patterns = mine([["a", "b"], ["a", "b"], ["a"]], min_support=2)
    >>> [(sorted(itemset), support) for itemset, support in cut_patterns(patterns, np.array([False, True]))]
    [([], 3), (['b'], 2)]
    """
    if patterns.kind == "frequent":
        whole = patterns.itemsets.add_up((~is_kept[patterns.items]).astype(np.int64)) == 0
        return patterns.take(np.flatnonzero(whole)) if not whole.all() else patterns
    if is_kept[patterns.items].all():
        return patterns
    code, each = np.where(is_kept, np.arange(is_kept.size), -1).astype(np.int32), np.ones(len(patterns), dtype=np.int64)
    *flat, _, numbers = kernels.merge_rows.merge(*patterns.itemsets.flat, each, code)
    supports = np.zeros(len(flat[0]) - 1, dtype=np.int64)
    np.maximum.at(supports, numbers, patterns.supports)
    listed = Itemsets(*flat).weigh(supports).sort(is_kept.size)
    return replace(patterns, itemsets=Itemsets(*listed.flat), supports=listed.weights, mined=object())


def _find_unsafe(problem: BlockProblem, counter: "CellCounter", patterns: Patterns) -> list[Codes]:
    """Return the smallest itemsets with a small cell, within the tops of channels or remainders: none twice."""
    question = Question(patterns, None, problem.k, problem.threads)
    channels = problem.find_threats(question, find_channels(question))
    found: list[Codes] = []
    for number in np.unique(channels.cells.tops).tolist():
        top = frozenset(channels.tops[number].tolist())
        if not any(itemset <= top for itemset in found):
            found.append(counter.shrink(top))
    return found


def _find_inferred(problem: BlockProblem, patterns: Patterns) -> list[Codes]:
    """Return the items of each inference of the attacker: those of its pattern, and of the sums that prove it."""
    rows, is_kept = problem.merged[0], np.isin(np.arange(len(patterns.labels)), patterns.items)
    code = np.where(is_kept, np.arange(is_kept.size), -1).astype(np.int32)
    cut = Weighted(*kernels.merge_rows.merge(*rows.flat, rows.weights, code)[:3])
    return [one.pattern.over.union(*one.itemsets) for one in find_inferences(problem, patterns, cut)]


class CellCounter:
    """Counts the cells of itemsets in rows."""

    def __init__(self, rows: Weighted, k: int) -> None:
        """List the rows of each item."""
        self.rows, self.k = rows, k
        order = np.argsort(rows.entries, kind="stable")
        items, starts = np.unique(rows.entries[order], return_index=True)
        holders = np.split(rows.owners[order], starts[1:])
        self.holders = dict(zip(items.tolist(), holders, strict=False))

    def shrink(self, top: Codes) -> Codes:
        """Return a smallest part of an itemset that still has a cell of 1 to k − 1 rows; try common items first."""
        if len(top) > LONGEST:
            return top
        items = sorted(top, key=lambda item: (-self.holders[item].size, item))
        bits = np.zeros(len(self.rows), dtype=np.int64)
        for place, item in enumerate(items):
            bits[self.holders[item]] |= 1 << place
        kinds, numbers = np.unique(bits, return_inverse=True)
        counts = np.bincount(numbers, weights=self.rows.weights).astype(np.int64)
        cells, left = dict(zip(kinds.tolist(), counts.tolist(), strict=True)), set(items)
        for place, item in enumerate(items):
            fewer: dict[int, int] = {}
            for cell, count in cells.items():
                part = cell & ~(1 << place)
                fewer[part] = fewer.get(part, 0) + count
            if any(count < self.k for count in fewer.values()):
                cells = fewer
                left.discard(item)
        return frozenset(left)


def _choose(steps: Steps, asked: list[frozenset[int]], until: float) -> tuple[Taken, bool]:
    """Return steps that answer all that asked, with all steps below them; and whether no others lose fewer levels."""
    nothing = np.zeros(steps.levels.size, dtype=np.bool_)
    if not asked:
        return nothing, True
    chosen = choose_greedily(steps, asked)
    if steps.levels.size > MOST_STEPS:
        return chosen, False
    program = Program()
    columns = program.add_columns(steps.levels.size, cost=steps.levels, upper=1, whole=True)
    if len(steps.below):
        upper, lower = columns[steps.below[:, 0]], columns[steps.below[:, 1]]
        program.add_rows(len(upper), list_each(lower, 1), list_each(upper, -1), lower=0)
    flat = Itemsets.of(map(sorted, asked))
    program.add_rows(len(asked), Terms(flat.owners, columns[flat.items], np.ones(flat.size)), lower=1)
    start = chosen.astype(np.float64)
    values, _, stopped = program.solve(seconds=max(0.1, until - monotonic()), gap=0.0, start=start)
    found = chosen if values is None else steps.complete(values > 0.5)  # noqa: PLR2004 - 0 or 1
    is_better = steps.levels[found].sum() <= steps.levels[chosen].sum() and _answers(found, asked)
    return (found if is_better else chosen), not stopped and is_better


def choose_greedily(steps: Steps, asked: Iterable[frozenset[int]]) -> Taken:
    """Return steps that answer all that asked: each time that of the fewest levels for each answer, then none too many.

    >>> of, below, levels = np.array([0, 0, 1]), np.array([[1, 0]]), np.array([9, 20])
    >>> choose_greedily(Steps(of, below, levels, np.array([2])), [frozenset([0, 1]), frozenset([1])]).tolist()
    [True, True]
    """
    taken, left = np.zeros(steps.levels.size, dtype=np.bool_), list(asked)
    alone = [steps.complete(np.arange(taken.size) == step) for step in range(taken.size)]
    while left:
        wanted = sorted(set().union(*left))
        answered = [sum(bool(one & {*np.flatnonzero(alone[step]).tolist()}) for one in left) for step in wanted]
        prices = [
            int(steps.levels[alone[step] & ~taken].sum()) / many for step, many in zip(wanted, answered, strict=True)
        ]
        taken = taken | alone[wanted[int(np.argmin(prices))]]
        left = [one for one in left if not taken[list(one)].any()]
    every = list(asked)
    for step in sorted(np.flatnonzero(taken).tolist(), key=lambda one: (-int(steps.levels[alone[one]].sum()), one)):
        fewer = taken & (np.arange(taken.size) != step)
        if np.array_equal(steps.complete(fewer), fewer) and _answers(fewer, every):
            taken = fewer
    return taken


def _answers(taken: Taken, asked: Iterable[frozenset[int]]) -> bool:
    return all(taken[list(one)].any() for one in asked)


def _describe(problem: BlockProblem, steps: Steps, taken: Taken, *, is_least: bool) -> Recoding:
    """Return what was replaced, and what that cost."""
    patterns, is_kept = problem.patterns, steps.keep(taken)
    merged = [code for code in steps.parents[taken[: steps.parents.size]].tolist() if is_kept[code]]
    gone = np.flatnonzero(~is_kept & (steps.of >= steps.parents.size)).tolist()
    parents, left_out = ({patterns.labels[code] for code in codes} for codes in (merged, gone))
    known = patterns.hierarchy
    lines = {label: () if known is None else known.ancestors(label) for label in problem.rows.labels}
    removed = [
        label
        for label, above in lines.items()
        if not parents.isdisjoint(above) or not left_out.isdisjoint((label, *above))
    ]
    merged_names, gone_names = (tuple(patterns.labels[code] for code in codes) for codes in (merged, gone))
    return Recoding(
        merged_names, gone_names, tuple(removed), int(steps.levels[taken].sum()), int(steps.levels.sum()), is_least
    )
