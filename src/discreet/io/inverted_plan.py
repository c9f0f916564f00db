"""Plans: a formula over items becomes intersections, differences and unions of lists.

A formula is first written with *not* and *and* alone, each distinct part once: ``a | b`` is ``~(~a & ~b)``. In a
conjunction, negated parts are subtracted from the others; if all are negated, the result is the complement of their
union. So no complement is computed, unless the whole answer is one.
"""

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.runtime.text import count_of

if TYPE_CHECKING:
    from pyroaring import BitMap

NOTHING: Final = 0  # the part of a formula that holds for no row
DEEPEST: Final = 40  # levels that a plan indents; a deeper line shows its level as a number
Literal: TypeAlias = int  # twice the number of a part, plus one if the part is negated
Sizes: TypeAlias = dict[int, int]


# Each operation on two bitmaps: as a new bitmap, in place, and the method that only counts.
OPERATIONS: Final[dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any], str]]] = {
    "&": (operator.and_, operator.iand, "intersection_cardinality"),
    "-": (operator.sub, operator.isub, "difference_cardinality"),
    "|": (operator.or_, operator.ior, "union_cardinality"),
}


class Step(NamedTuple):
    """The rows in all parts of ``required`` and none of ``removed``; if nothing is required, in any of ``removed``."""

    required: tuple[int, ...]
    removed: tuple[int, ...]

    @property
    def operations(self) -> list[tuple[str, int]]:
        """The parts in order, each with its operation; the first part is only taken."""
        if not self.required:
            return [("|", part) for part in self.removed]
        return [*(("&", part) for part in self.required), *(("-", part) for part in self.removed)]


class PlanLine(NamedTuple):
    """A line of a plan: its depth, its words, the largest possible number of rows, and the number if it is known."""

    depth: int
    what: str
    at_most: int
    rows: int | None

    def __str__(self) -> str:
        blanks = "  " * self.depth if self.depth <= DEEPEST else f"{'  ' * DEEPEST}(level {self.depth + 1:,}) "
        if self.rows is None:
            return f"{blanks}{self.what}: at most {count_of(self.at_most, 'row')}"
        of_most = f" of at most {self.at_most:,}" if self.rows < self.at_most else ""
        return f"{blanks}{self.what}: {count_of(self.rows, 'row')}{of_most}"


@dataclass(frozen=True)
class Plan:
    """How the rows of a formula are found: steps over parts, down to the items."""

    n: int
    top: int  # the part that answers
    negated: bool  # the answer is all rows but those of the top
    items: Mapping[int, int]  # the code of each part that is an item
    steps: Mapping[int, Step]
    at_most: Mapping[int, int]  # a bound on the rows of each part
    names: Mapping[int, str] = field(default_factory=dict)  # of items
    rows: Mapping[int, int] = field(default_factory=dict)  # of parts, as far as known

    def __str__(self) -> str:
        lines = list(map(str, self.lines()))
        return "\n".join(f"{number:>{len(str(len(lines)))}}  {line}" for number, line in enumerate(lines, start=1))

    def lines(self) -> Iterator[PlanLine]:
        """Yield the plan as a tree: the answer, and below each step its parts in order."""
        if self.negated:
            yield PlanLine(0, "all rows but", self.n, self.n - self.rows[self.top] if self.top in self.rows else None)
        waiting, seen, number = [("", self.top, int(self.negated))], dict[int, int](), int(self.negated)
        while waiting:
            word, part, depth = waiting.pop()
            number += 1
            step = self.steps.get(part) if part not in seen else None
            yield PlanLine(depth, word + self._describe(part, seen.get(part)), self.at_most[part], self.rows.get(part))
            if step is not None:
                seen[part] = number
                below = [("but not " if sign == "-" else "", one, depth + 1) for sign, one in step.operations]
                waiting.extend(reversed(below))

    def _describe(self, part: int, line: int | None) -> str:
        if part == NOTHING:
            return "what no row holds"
        if part in self.items:
            return self.names.get(part, f"item {self.items[part]}")
        if line is not None:
            return f"what line {line} finds"
        return "all of" if self.steps[part].required else "any of"


def make_plan(formula: Iterable[int | str | None], supports: Sequence[int] | NDArray[np.int64], n: int) -> Plan:
    """Plan a formula in postfix order: codes of items, None for an item in no row, and signs.

    >>> print(make_plan([0, 1, "~", "&"], [3, 2], 5))
    1  all of: at most 3 rows
    2    item 0: 3 rows
    3    but not item 1: 2 rows
    """
    parts = _Parts()
    top, flipped = divmod(parts.read(formula), 2)
    items = {part: code for code, part in parts.items.items()}
    at_most: Sizes = {NOTHING: 0} | {part: int(supports[code]) for part, code in items.items()}
    known = dict(at_most)
    steps: dict[int, Step] = {}
    # A part has a larger number than its own parts, so these are known when its turn comes.
    for part, members in sorted(parts.members(top).items()):
        sides: tuple[list[int], list[int]] = ([], [])
        for one, minus in (divmod(member, 2) for member in members):
            negated = one in steps and not steps[one].required
            sides[minus ^ negated].append(one)
        step = steps[part] = Step(*(tuple(sorted(side, key=lambda one: (at_most[one], one))) for side in sides))
        most = at_most[step.required[0]] if step.required else sum(at_most[one] for one in step.removed)
        at_most[part] = min(n, most)
    negated = top in steps and not steps[top].required
    return Plan(n, top, bool(flipped ^ negated), items, steps, at_most, rows=known)


def find_rows(plan: Plan, list_of: Callable[[int], "BitMap"], sizes: Sizes) -> "BitMap | None":
    """Return the rows of the top of a plan, None if there can be none; put the size of each part into ``sizes``."""
    if plan.top == NOTHING:
        return None
    if plan.top in plan.items:
        return list_of(plan.items[plan.top])
    rows = _run(plan, list_of, sizes, count=False)
    return None if isinstance(rows, int) else rows


def count_rows(plan: Plan, list_of: Callable[[int], "BitMap"]) -> int:
    """Return the number of rows that answer a plan; the last operation only counts."""
    size = plan.at_most[plan.top]  # of an item, that is its support
    if plan.top in plan.steps:
        answer = _run(plan, list_of, {}, count=True)
        size = answer if isinstance(answer, int) else len(answer)
    return plan.n - size if plan.negated else size


class _Parts:
    """The distinct parts of a formula: items, and pairs of parts that must both hold, in either order."""

    def __init__(self) -> None:
        self.items: dict[int, int] = {}
        self.pairs: dict[tuple[Literal, Literal], int] = {}

    def read(self, formula: Iterable[int | str | None]) -> Literal:
        """Return the literal of a formula in postfix order."""
        stack: list[Literal] = []
        for step in formula:
            match step:
                case None:
                    stack.append(2 * NOTHING)
                case int():
                    stack.append(2 * self.items.setdefault(step, self._next))
                case "~":
                    stack[-1] ^= 1
                case "&":
                    stack.append(self._both(stack.pop(), stack.pop()))
                case _:
                    stack.append(self._both(stack.pop() ^ 1, stack.pop() ^ 1) ^ 1)
        return stack.pop()

    def members(self, top: int) -> dict[int, tuple[Literal, ...]]:
        """Return the conjunction of each part below ``top``; a pair within a pair is opened if nothing else uses it."""
        pair = {part: both for both, part in self.pairs.items()}
        uses = Counter(one >> 1 for one in chain.from_iterable(self.pairs))
        conjunctions: dict[int, tuple[Literal, ...]] = {}
        waiting = [top]
        while waiting:
            part = waiting.pop()
            if part in conjunctions or part not in pair:
                continue
            members: dict[Literal, None] = {}
            opened = list(pair[part])
            while opened:
                one = opened.pop()
                if not one & 1 and one >> 1 in pair and uses[one >> 1] == 1:
                    opened += pair[one >> 1]
                else:
                    members[one] = None
            conjunctions[part] = tuple(members)
            waiting += [one >> 1 for one in members]
        return conjunctions

    @property
    def _next(self) -> int:
        return len(self.items) + len(self.pairs) + 1

    def _both(self, one: Literal, other: Literal) -> Literal:
        low, high = sorted((one, other))
        if low == 2 * NOTHING or low ^ high == 1:
            return 2 * NOTHING
        if low == 2 * NOTHING + 1 or low == high:
            return high
        return 2 * self.pairs.setdefault((low, high), self._next)


@dataclass(slots=True)
class _Work:
    """A step under way: its operations, how many are done, and the rows so far."""

    part: int
    operations: Sequence[tuple[str, int]]
    done: int = 0
    value: Any = None

    @property
    def is_done(self) -> bool:
        """Whether no operation is left, or none that could add a row."""
        return self.done == len(self.operations) or (self.done > 0 and self.operations[0][0] == "&" and not self.value)

    def take(self, sign: str, other: "BitMap") -> None:
        """Do the next operation; the value is ours to change after the first one."""
        new, in_place, _ = OPERATIONS[sign]
        self.value = other if self.done == 0 else (new if self.done == 1 else in_place)(self.value, other)
        self.done += 1


def _run(plan: Plan, list_of: Callable[[int], "BitMap"], sizes: Sizes, *, count: bool) -> "BitMap | int":
    """Return the rows of the top of a plan, or their number; a step below it begins when it is needed."""
    uses = Counter(part for step in plan.steps.values() for part in chain(*step))
    results: dict[int, BitMap] = {}  # by steps, to be used again
    pile = [_Work(plan.top, plan.steps[plan.top].operations)]
    while True:
        work = pile[-1]
        if work.is_done:
            sizes[work.part] = len(work.value)
            results[work.part] = work.value
            pile.pop()
            if not pile:
                return results[plan.top]
            continue
        sign, part = work.operations[work.done]
        if part in plan.items:
            other = list_of(plan.items[part])
        elif part in results:
            other = results[part] if uses[part] > 1 else results.pop(part)
        else:
            pile.append(_Work(part, plan.steps[part].operations))
            continue
        if count and len(pile) == 1 and work.done + 1 == len(work.operations):
            return int(getattr(work.value, OPERATIONS[sign][2])(other))
        work.take(sign, other)
