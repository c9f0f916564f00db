"""Detect: the inference channels of published itemsets, by our detector or by one of the papers'."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Items, Itemsets, Label, Weighted
from discreet.data.lattice import Cells, Family, add_root, build_cells, build_family, find_known
from discreet.data.leaving_out import Names, drop_items
from discreet.data.patterns import Patterns
from discreet.data.thresholds import as_k
from discreet.data.transactions import Merged, Rows, Transactions, as_rows
from discreet.disclosure.channels import Channels
from discreet.errors import BudgetError, InputError, Option, OptionError
from discreet.io.hierarchies import AnyHierarchy, know_parents
from discreet.mining.mine import mine
from discreet.mining.search import list_rows, merge_to_records
from discreet.runtime import resources
from discreet.runtime.solver import Numbers

Method: TypeAlias = Literal["auto", "naive", "closed", "projection"]
Maps: TypeAlias = tuple[NDArray[np.uint64], Numbers]  # rows as bitmaps over a group's items, and their weights

AUTO: Final = Option("method", "auto")
LONGEST: Final = 25  # items of an itemset for the papers' sums over all its subsets: 2 ** 25 terms
WORD: Final = 64  # items of a group of tops, one bit each; a longer top is projected alone
STEPS_A_TOP: Final = 120  # cost of a top on the descent, in steps of inversion; measured
STEPS_A_TOUCH: Final = 1  # cost of a row that is found by one of its items; if every group meets it, a fifth
MOST: Final = 2048  # tops in a group: Ctrl-C is heard between groups, and threads share the groups
SAMPLE: Final = 16  # tops from which the work of Möbius inversion is estimated


@dataclass(frozen=True)
class Question:
    """Which cells of the tops of ``patterns`` hold 1 to ``limit`` − 1 rows? ``rows`` are optional.

    The patterns are ``complete`` if every itemset that reaches their minimum support is listed. ``found`` keeps the
    channels by method, so that each method runs once.
    """

    patterns: Patterns
    rows: Rows | None
    limit: int
    threads: int = 1
    complete: bool = True
    found: dict[str, Channels] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse rows that the patterns were not mined from: the supports of items and tops must agree."""
        rows = self.rows
        if rows is None or self.patterns.mined is rows.mark:
            return
        if isinstance(rows, Merged):
            rows.check(self.patterns.min_support)
        if rows.n != self.patterns.n:
            raise InputError(
                f"the patterns are about {self.patterns.n:,} rows, but {rows.n:,} were given; give the rows that "
                "the patterns were mined from"
            )
        is_maximal = self.patterns.kind == "maximal"
        held = kernels.merge_rows.count(rows.offsets, rows.items, rows.weights, len(rows.labels) + 1)[self.row_codes]
        agree = held >= self.item_supports if is_maximal else held == self.item_supports
        _refuse_other_rows(agree[self.item_supports > 0], "items")
        listed = self.patterns if is_maximal else self.family
        numbers = np.arange(len(self.patterns)) if is_maximal else self.family.tops
        counts = count_supports(rows, listed.itemsets.take(numbers), self.row_codes)
        _refuse_other_rows(counts == listed.supports[numbers], "maximal itemsets")

    @cached_property
    def item_supports(self) -> Numbers:
        """The largest support of a pattern that holds an item, for each item."""
        patterns, many = self.patterns, len(self.patterns.labels)
        supports: Numbers = kernels.lattice.find_item_supports(*patterns.itemsets.flat, patterns.supports, many)
        return supports

    @property
    def is_whole(self) -> bool:
        """Whether unlisted itemsets have support 0, so that each distinct row is a cell."""
        return self.complete and self.patterns.min_support == 1

    @cached_property
    def family(self) -> Family:
        """The patterns as a lattice."""
        return build_family(self.patterns)

    @cached_property
    def known(self) -> Family:
        """The lattice of all known supports, those known to be 0 included."""
        return self.family.complete(self.patterns.max_length) if self.is_whole else self.family

    @cached_property
    def tops(self) -> Itemsets:
        """The largest itemsets below which all supports are known."""
        listed, length = self.patterns.itemsets, self.patterns.max_length
        if self.patterns.kind != "maximal":
            return self.known.top_itemsets
        if self.is_whole and length is not None and listed.longest == length:
            return Itemsets.of(find_known(listed, length))
        return Itemsets.of([np.unique(listed.items).tolist()]) if self.is_whole else listed

    @cached_property
    def row_codes(self) -> Items:
        """The code of each item in the rows."""
        return code_labels(self.require_rows("auto"), self.patterns.labels)

    def require_supports(self, method: str) -> Family:
        """Return the lattice of known supports; refuse maximal itemsets, which have too few, and long ones."""
        if self.patterns.kind == "maximal":
            raise OptionError(
                f"method {method!r} adds supports, and maximal itemsets have too few; give closed or frequent ones, "
                "or the rows and ",
                AUTO,
            )
        longest = self.known.longest
        if longest > LONGEST:
            raise BudgetError(
                f"method {method!r} adds 2 ** {longest} supports for an itemset of {longest} items, and its limit is "
                f"{LONGEST} items; use ",
                AUTO,
            )
        return self.known

    def require_rows(self, method: str) -> Rows:
        """Return the rows, or refuse the method that needs them."""
        if self.rows is None:
            raise OptionError(f"method {method!r} counts rows; give them with ", Option("rows"), ", or use ", AUTO)
        return self.rows


def detect(
    patterns: Patterns,
    *,
    k: int,
    rows: Rows | Iterable[Iterable[Label]] | None = None,
    method: Method = "auto",
    max_length: int | None = None,
    leave_out: Names | None = None,
    threads: int | None = None,
    hierarchy: AnyHierarchy | None = None,
) -> Channels:
    """Return the maximal inference channels of ``patterns``: groups of fewer than ``k`` rows that supports reveal.

    A row counts for a base under a top if it holds every item of the base and no other item of the top. If 1 to
    k − 1 rows do, the supports of the itemsets between base and top reveal them (Lemma 8 of *k-anonymous patterns*,
    PKDD 2005). Rows are counted, whosever they are: ``audit`` also counts people, if they may have several rows. The
    channels under maximal tops represent all others. At minimum support 1 an unlisted itemset has
    support 0: the set of all items is then the only maximal top, and fewer than ``k`` equal rows are a channel.

    The patterns are the closed or all frequent itemsets. The ``rows`` that they were mined from are optional, and may
    be quicker. Maximal itemsets need the rows: their channels are those that all supports below them would open.
    ``method`` is ours ("auto") or one of the papers': "naive" and "closed" are Algorithms 1 and 2 of *k-anonymous
    patterns*, "projection" is PMICD (WAIM 2008), which needs rows. All find the same channels in the same order; ours
    uses all cores unless ``threads`` is given, the others one. ``max_length`` says that longer itemsets were left out,
    if the patterns do not say so themselves. Items that ``leave_out`` names as in ``mine`` are not published. With a
    ``hierarchy``, readers know that rows with an item hold its parents.

    >>> from discreet import Transactions, mine
    >>> rows = Transactions([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50)
    >>> channels = detect(mine(rows, min_support=10), k=10)
    >>> print(*channels)
    a ∧ b ∧ ¬c: 2 rows
    """
    patterns = drop_items(know_parents(patterns, hierarchy), leave_out)
    behind = None if rows is None else drop_items(as_rows(rows, hierarchy), leave_out)
    question = Question(patterns.cut_at(max_length), behind, as_k(k), resources.as_threads(threads))
    return find_channels(question, method)


def find_channels(question: Question, method: str = "auto") -> Channels:
    """Return the maximal channels that answer a question."""
    if method not in METHODS:
        raise OptionError(f"method is {str(method)[:40]!r}; it must be one of {', '.join(METHODS)}")
    if method not in question.found:
        cells, patterns = METHODS[method](question), question.patterns
        channels = Channels.from_cells(cells, question.tops, patterns.labels, n=patterns.n, k=question.limit)
        question.found[method] = channels
    return question.found[method]


def count_supports(rows: Rows, itemsets: Itemsets, codes: Items) -> Numbers:
    """Return how many rows hold each itemset; ``codes`` are those of its items in the rows."""
    counts = np.zeros(len(itemsets), dtype=np.int64)
    in_rows = itemsets.offsets, codes[itemsets.items]
    kernels.cell_rows.count_supports(rows.itemsets.flat, rows.weights, in_rows, len(rows.labels) + 1, counts)
    return counts


def code_labels(rows: Rows, labels: Sequence[Label]) -> Items:
    """Return the code of each label in the rows; a label that no row holds has the code after the last."""
    if rows.labels == labels:
        return np.arange(len(labels), dtype=np.int32)
    return np.array([rows.code.get(label, len(rows.labels)) for label in labels], dtype=np.int32)


def list_frequent(patterns: Patterns, most: int | None = None) -> Patterns:
    """Return all frequent itemsets, where ``patterns`` are those or the closed ones; more than ``most`` are an error.

    >>> closed = mine([["a", "b"], ["a", "b"], ["a"]], min_support=1)
    >>> [(sorted(itemset), support) for itemset, support in list_frequent(closed)]
    [([], 3), (['a'], 3), (['a', 'b'], 2), (['b'], 2)]
    """
    family = build_family(patterns)
    if patterns.kind == "frequent":
        return add_root(patterns)
    every = list_subsets(family.itemsets.weigh(family.supports), family.labels, most)
    n, least, length = family.n, patterns.min_support, patterns.max_length
    return Patterns(Itemsets(*every.flat), every.weights, family.labels, n, least, "frequent", max_length=length)


def list_subsets(listed: Weighted, labels: tuple[Label, ...], most: int | None = None) -> Weighted:
    """Return all subsets of listed itemsets, each with the largest support of a listed superset.

    They are in dictionary order; more than ``most`` are a BudgetError.
    """
    # Mine the itemsets as if they were rows.
    alike = Transactions.from_codes(listed.offsets.copy(), listed.items.copy(), labels)
    every = mine(alike, min_support=1, kind="frequent", max_patterns=most, progress=lambda *_: None).itemsets
    supports = np.zeros(len(every), dtype=np.int64)
    slots = kernels.lattice.index(*every.flat)
    kernels.lattice.look_up(slots, *every.flat, *listed.arrays, supports)
    kernels.lattice.inherit(slots, *every.flat, supports)
    return every.weigh(supports)


class Group(NamedTuple):
    """The numbers of tops that go down together, and their items: the place of an item is its bit."""

    tops: Numbers
    items: Items


def find_cells(question: Question) -> Cells:
    """Count the small cells of the tops by Möbius inversion of supports, or by one descent of the rows if quicker."""
    if question.rows is None or (question.patterns.kind != "maximal" and _is_inversion_lighter(question)):
        return question.known.cells(question.limit, question.threads)
    groups = group_tops(question)
    maps = _map_all_rows(question) if len(groups) == 1 else _map_touched_rows(question)
    parts = resources.share(
        lambda start, stop: Cells.concat([_descend(question, group, maps(group)) for group in groups[start:stop]]),
        [(number, number + 1) for number in range(len(groups))],
        min(question.threads, max(1, len(groups))),
    )
    long = np.flatnonzero(question.tops.lengths > WORD)
    return Cells.concat([*parts, _project_rows(question, long)] if long.size else parts)


def _is_inversion_lighter(question: Question) -> bool:
    if question.is_whole:  # the cells are the distinct rows
        return False
    inversion = question.family.steps(SAMPLE)
    tops = STEPS_A_TOP * len(question.tops)
    if inversion < tops:  # whatever the rows are
        return True
    used = np.unique(question.tops.items)
    met = int(question.item_supports[used].sum())
    if used.size <= WORD:
        return inversion < tops + met // 5
    if inversion < tops + STEPS_A_TOUCH * met:  # whatever the groups are
        return True
    met = sum(int(question.item_supports[group.items].sum()) for group in group_tops(question))
    return inversion < tops + STEPS_A_TOUCH * met


def group_tops(question: Question) -> list[Group]:
    """Group similar tops so that the items of a group fit one word; leave out tops that are longer.

    Tops are sorted by their items, the commonest first, and cut where a word is full.
    """
    (offsets, items), many = question.tops.flat, len(question.patterns.labels)
    ranks = np.empty(many, dtype=np.int32)
    ranks[np.argsort(-np.bincount(items, minlength=many), kind="stable")] = np.arange(1, many + 1)
    ranked = ranks[items]
    kernels.itemsets.sort_rows(offsets.copy(), ranked)
    order = Itemsets(offsets, ranked).order(many + 1)
    order = order[question.tops.lengths[order] <= WORD]
    starts = kernels.cells.group(offsets, items, order, many, WORD, MOST)
    parts = [np.sort(order[start:stop]) for start, stop in pairwise(starts)]
    return [Group(part, np.unique(question.tops.take(part).items)) for part in parts]


def _map_all_rows(question: Question) -> Callable[[Group], Maps]:
    """Return a function that maps all rows to the items of a group."""
    rows = question.require_rows("auto")

    def maps(group: Group) -> Maps:
        place = np.full(len(rows.labels) + 1, -1, dtype=np.int64)
        place[question.row_codes[group.items]] = np.arange(group.items.size)
        return kernels.cells.map_itemsets(rows.offsets, rows.items, place), rows.weights.copy()

    return maps


def _map_touched_rows(question: Question) -> Callable[[Group], Maps]:
    """Return a function that maps the rows that hold an item of a group, and one empty row for all others.

    Equal rows are merged once and listed by item, so that a group touches only its own rows.
    """
    rows, used = question.require_rows("auto"), np.unique(question.tops.items)
    code = np.full(len(rows.labels) + 1, -1, dtype=np.int32)
    code[question.row_codes[used]] = np.arange(used.size)
    entries = int(np.count_nonzero(code[rows.itemsets.entries] >= 0))
    records, starts = merge_to_records(rows, code, entries)
    weights = records[starts + 1].astype(np.int64)
    offsets, lists = list_rows(records, starts, used.size)

    def maps(group: Group) -> Maps:
        held, touched = np.zeros(starts.size, dtype=np.uint64), np.empty(starts.size + 1, dtype=np.int64)
        size = kernels.cells.map_listed(lists, offsets, np.searchsorted(used, group.items), held, touched)
        bitmaps, counts = kernels.cells.gather(held, touched[:size], weights, rows.n)
        return bitmaps, counts

    return maps


def _descend(question: Question, group: Group, maps: Maps) -> Cells:
    """Return the small cells of a group."""
    place = np.full(len(question.patterns.labels), -1, dtype=np.int64)
    place[group.items] = np.arange(group.items.size)
    tops = kernels.cells.map_itemsets(*question.tops.take(group.tops).flat, place)
    numbers, bases, counts = kernels.cells.cells_of(*maps, tops, question.limit)
    return build_cells(bases[:, None], group.tops[numbers].astype(np.int32), counts, question.tops, place)


def _sum_all_supports(question: Question) -> Cells:
    """Algorithm 1 of *k-anonymous patterns* (PKDD 2005): every base under every frequent itemset. The reference."""
    known = question.require_supports("naive")
    every, many = list_subsets(known.itemsets.weigh(known.supports), known.labels), len(known.labels)
    tops, maps, counts = kernels.papers.by_all_supports(*every.arrays, many, np.arange(len(every)), question.limit)
    maximal = kernels.lattice.find_maximal(*every.flat, many)
    of_maximal = maximal[tops]
    number = np.cumsum(maximal, dtype=np.int32) - np.int32(1)
    return build_cells(maps[of_maximal], number[tops[of_maximal]], counts[of_maximal], question.tops)


def _sum_closed_supports(question: Question) -> Cells:
    """Algorithm 2 of *k-anonymous patterns* (PKDD 2005), OICD: closed bases under maximal itemsets.

    A cell is a sum of 2 ** m supports if its base lacks m items of its top.
    """
    family = question.require_supports("closed")
    if family.partial:
        raise OptionError("method 'closed' cannot use that short itemsets are missing; use ", AUTO)
    cut = family.longest if family.may_be_cut and not family.all else family.longest + 1
    listed, many = family.itemsets.weigh(family.supports), len(family.labels)
    order = np.argsort(-family.supports, kind="stable")
    tops, maps, counts = kernels.papers.by_closed_supports(
        *listed.arrays, order, many, family.tops, cut, question.limit
    )
    return build_cells(maps, tops, counts, question.tops)


def _project_rows(question: Question, numbers: Numbers | None = None) -> Cells:
    """PMICD (WAIM 2008): rows cut to each maximal itemset, or to those of some numbers, sorted, and equal ones counted.

    As printed, the algorithm never counts the last group of equal rows. Here it does; its own example 6 needs that.
    """
    chosen = np.arange(len(question.tops)) if numbers is None else numbers
    rows, itemsets = question.require_rows("projection"), question.tops.take(chosen)
    items, weights = question.row_codes[itemsets.items], rows.weights
    place = np.full(len(rows.labels) + 1, -1, dtype=np.int64)
    maps = np.empty((max(1, -(-itemsets.longest // 64)), weights.size), dtype=np.uint64)
    alone = maps.shape[0] == 1 and bool((weights == 1).all())  # then no weights need be sorted
    found = [(chosen[:0], maps[:, :0].T, weights[:0])]
    for number, start, stop in zip(chosen, itemsets.offsets, itemsets.offsets[1:], strict=False):
        maps[:] = 0
        place[items[start:stop]] = np.arange(stop - start)
        kernels.papers.project(rows.offsets, rows.items, place, maps)
        place[items[start:stop]] = -1
        order = slice(None) if alone else np.lexsort(maps)
        lines, is_first = np.sort(maps) if alone else maps[:, order], np.ones(weights.size, dtype=np.bool_)
        is_first[1:] = (lines[:, 1:] != lines[:, :-1]).any(axis=0)
        counts = np.add.reduceat(weights[order], firsts := np.flatnonzero(is_first))
        small = counts < question.limit
        found.append((np.full(small.sum(), number), lines[:, firsts[small]].T, counts[small]))
    tops, bases, counts = map(np.concatenate, zip(*found, strict=True))
    return build_cells(np.ascontiguousarray(bases), tops.astype(np.int32), counts, question.tops)


def _refuse_other_rows(agree: NDArray[np.bool_], what: str) -> None:
    wrong = np.count_nonzero(~agree)
    if wrong:
        raise InputError(
            f"{wrong:,} of {agree.size:,} {what} have another support in the rows than in the patterns; give the rows "
            "that they were mined from"
        )


METHODS: Final[Mapping[str, Callable[[Question], Cells]]] = {
    "auto": find_cells,
    "naive": _sum_all_supports,
    "closed": _sum_closed_supports,
    "projection": _project_rows,
}
