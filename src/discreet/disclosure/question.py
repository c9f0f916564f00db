"""The question to a detector: the small cells of published itemsets, by their supports or by the rows."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.lattice import Family, add_root, build_family
from discreet.data.merged import Merged, Rows
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.disclosure.channels import Channels
from discreet.errors import BudgetError, InputError, Option, OptionError
from discreet.mining.mine import mine

AUTO: Final = Option("method", "auto")
LONGEST: Final = 25
"""Items of an itemset at most for the papers' sums over all its subsets: 2 ** 25 terms."""


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
        held = kernels.merge_rows.count(rows.offsets, rows.items, rows.weights, len(rows.labels) + 1)
        counts = held[self.row_codes]
        published = self.item_supports
        used = published > 0
        same = counts >= published if self.patterns.kind == "maximal" else counts == published
        if not same[used].all():
            raise InputError(
                f"{np.count_nonzero(~same & used):,} of {np.count_nonzero(used):,} items have another support in the "
                "rows than in the patterns; give the rows that they were mined from"
            )
        self._check_tops(rows)

    def _check_tops(self, rows: Rows) -> None:
        is_listed = self.patterns.kind == "maximal"
        listed = self.patterns if is_listed else self.family
        numbers = np.arange(len(self.patterns)) if is_listed else self.family.tops
        offsets, items = listed.itemsets.take(numbers).flat
        published = listed.supports[numbers]
        counts = np.zeros(offsets.size - 1, dtype=np.int64)
        itemsets = (offsets, self.row_codes[items])
        kernels.cell_rows.count_supports(
            (rows.offsets, rows.items), rows.weights, itemsets, len(rows.labels) + 1, counts
        )
        wrong = np.count_nonzero(counts != published)
        if wrong:
            raise InputError(
                f"{wrong:,} of {counts.size:,} maximal itemsets have another support in the rows than in the patterns; "
                "give the rows that they were mined from"
            )

    @cached_property
    def item_supports(self) -> NDArray[np.int64]:
        """The largest support of a pattern that holds an item, for each item."""
        supports: NDArray[np.int64] = kernels.lattice.find_item_supports(
            self.patterns.offsets, self.patterns.items, self.patterns.supports, len(self.patterns.labels)
        )
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
        return self.family.complete() if self.is_whole else self.family

    @cached_property
    def tops(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The largest itemsets below which all supports are known: offsets and items."""
        if self.patterns.kind == "maximal":
            every = np.unique(self.patterns.items)
            return Itemsets.of([every.tolist()]).flat if self.is_whole else (self.patterns.offsets, self.patterns.items)
        return self.known.top_itemsets.flat

    @cached_property
    def row_codes(self) -> NDArray[np.int32]:
        """The code of each item in the rows; an item that no row holds has the code after the last."""
        rows = self.require_rows("auto")
        if rows.labels == self.patterns.labels:
            return np.arange(len(rows.labels), dtype=np.int32)
        return np.array([rows.code.get(label, len(rows.labels)) for label in self.patterns.labels], dtype=np.int32)

    def require_supports(self, method: str) -> Family:
        """Return the lattice of known supports; refuse maximal itemsets, which have too few."""
        if self.patterns.kind == "maximal":
            raise OptionError(
                f"method {method!r} adds supports, and maximal itemsets have too few; give closed or frequent ones, "
                "or the rows and ",
                AUTO,
            )
        return self.known

    def require_rows(self, method: str) -> Rows:
        """Return the rows, or refuse the method that needs them."""
        if self.rows is None:
            raise OptionError(f"method {method!r} counts rows; give them with ", Option("rows"), ", or use ", AUTO)
        return self.rows


def list_frequent(patterns: Patterns) -> Patterns:
    """Return all frequent itemsets, where ``patterns`` are those or the closed ones.

    The support of a subset of closed itemsets is the largest support of a closed superset.

    >>> closed = mine([["a", "b"], ["a", "b"], ["a"]], min_support=1)
    >>> [(sorted(itemset), support) for itemset, support in list_frequent(closed)]
    [([], 3), (['a'], 3), (['a', 'b'], 2), (['b'], 2)]
    """
    family = build_family(patterns)
    return add_root(patterns) if patterns.kind == "frequent" else expand_family(family, patterns.min_support)


def expand_family(family: Family, min_support: int) -> Patterns:
    """Return all subsets of the itemsets of a family, each with the largest support of a superset in it."""
    alike = Transactions.from_codes(family.offsets.copy(), family.items.copy(), family.labels)
    listed = mine(alike, min_support=1, kind="frequent")
    supports = np.zeros(len(listed), dtype=np.int64)
    slots = kernels.lattice.index(listed.offsets, listed.items)
    kernels.lattice.look_up(
        slots, listed.offsets, listed.items, family.offsets, family.items, family.supports, supports
    )
    kernels.lattice.inherit(slots, listed.offsets, listed.items, supports)
    return Patterns(listed.itemsets, supports, listed.labels, family.n, min_support, "frequent")


def check_length(method: str, offsets: NDArray[np.int64]) -> None:
    """Refuse itemsets too long for a sum over all their subsets."""
    longest = int(np.diff(offsets).max(initial=0))
    if longest > LONGEST:
        raise BudgetError(
            f"method {method!r} adds 2 ** {longest} supports for an itemset of {longest} items, and its limit is "
            f"{LONGEST} items; use ",
            AUTO,
        )
