"""Hierarchy: the parent of each item; a row with an item also holds its parent, the parent's parent and so on."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from re import ASCII, fullmatch
from typing import Final, Self

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Itemset, Itemsets, Label, Weighted, offsets_of, sort_labels
from discreet.data.schema import PAIR, SIGN
from discreet.errors import InconsistencyError, InputError, Option, OptionError
from discreet.runtime.solver import Numbers
from discreet.runtime.text import count_of

PREFIX: Final = "prefix:"
NO_PARENT: Final = -1


@dataclass(frozen=True, repr=False)
class Hierarchy:
    """Pairs of an item and its parent, which may have a parent itself; each item has one parent at most.

    >>> hierarchy = Hierarchy.of({"E11.9": "E11", "E11.0": "E11", "E11": "E"})
    >>> hierarchy.ancestors("E11.9"), hierarchy
    (('E11', 'E'), <Hierarchy: 3 items under 1 topmost parent, 3 levels>)
    """

    pairs: tuple[tuple[Label, Label], ...]

    def __post_init__(self) -> None:
        """Refuse an item with two parents, or one that is its own ancestor."""
        if len(self.parents) < len({*self.pairs}):
            many = len({*self.pairs}) - len(self.parents)
            raise InputError(f"the hierarchy has {count_of(many, 'item')} with several parents; give each item one")
        itself = sum(child == parent for child, parent in self.pairs)
        if itself:
            raise InputError(f"the hierarchy has {count_of(itself, 'item')} as its own parent; leave such pairs out")
        if self._in_cycles:
            some = count_of(len(self._in_cycles), "item")
            raise InputError(f"the hierarchy has cycles: {some} would be their own ancestors; leave out a pair of each")

    @classmethod
    def of(cls, source: "Hierarchy | Mapping[Label, Label] | Iterable[tuple[Label, Label]]") -> Self:
        """Return a hierarchy of a mapping from items to their parents, or of pairs."""
        if isinstance(source, cls):
            return source
        pairs = source.items() if isinstance(source, Mapping) else source
        known = {(child, parent) for child, parent in pairs}
        order = {label: at for at, label in enumerate(sort_labels(label for pair in known for label in pair))}
        return cls(tuple(sorted(known, key=lambda pair: (order[pair[0]], order[pair[1]]))))

    @classmethod
    def from_prefixes(cls, text: str, labels: Iterable[Label], columns: Iterable[str] = ()) -> Self:
        """Return the hierarchy of labels whose first characters are their parents: ``"prefix:3,1"``.

        A label such as ``diag=E11.9``, or the pair ("diag", "E11.9"), keeps its attribute. With ``columns``, only these
        attributes have parents.

        >>> Hierarchy.from_prefixes("prefix:3,1", ["diag=E11.9", "sex=f"]).ancestors("diag=E11.9")
        ('diag=E11', 'diag=E')
        """
        match = fullmatch(rf"{PREFIX}\s*([1-9]\d*(?:\s*,\s*[1-9]\d*)*)", text, ASCII)
        if match is None:
            raise OptionError(
                Option("hierarchy"), f" is {text[:40]!r}; give the lengths of the prefixes, such as 'prefix:3,1'"
            )
        lengths, wanted = sorted({int(length) for length in match[1].split(",")}, reverse=True), {*columns}
        pairs = set[tuple[Label, Label]]()
        for label in labels:
            attribute, value = split_label(label)
            if not isinstance(value, str) or (wanted and attribute not in wanted):
                continue
            for length in (one for one in lengths if one < len(value)):
                pairs.add((join_label(label, attribute, value), join_label(label, attribute, value[:length])))
                value = value[:length]
        return cls.of(pairs)

    @cached_property
    def parents(self) -> dict[Label, Label]:
        """The parent of each item that has one."""
        return dict(self.pairs)

    @cached_property
    def _in_cycles(self) -> list[Label]:
        """The items that are below themselves: leave out items without a parent until none is left to leave out."""
        left = dict(self.parents)
        while rooted := [child for child, parent in left.items() if parent not in left]:
            for child in rooted:
                del left[child]
        return list(left)

    def ancestors(self, label: Label) -> tuple[Label, ...]:
        """Return the ancestors of an item, its parent first."""
        found = list[Label]()
        while label in self.parents:
            label = self.parents[label]
            found.append(label)
        return tuple(found)

    def depth(self, label: Label) -> int:
        """Return how many ancestors an item has."""
        return len(self.ancestors(label))

    def lift(self, labels: Iterable[Label], columns: Iterable[str] = ()) -> Self:
        """Return the hierarchy of these labels: numbers are found by their texts, and values of columns by themselves.

        With ``columns``, it says the parents of their values: ``diag=E11.9`` is under ``diag=E11`` if E11.9 is
        under E11. Labels that it does not name have no parent.

        >>> Hierarchy.of({"E11.9": "E11"}).lift(["diag=E11.9", "sex=f"], columns=["diag"]).pairs
        (('diag=E11.9', 'diag=E11'),)
        """
        wanted, pairs, known = {*columns}, set[tuple[Label, Label]](), list(labels)
        own = {label if isinstance(label, str) else str(label): label for label in known}
        for label in known:
            attribute, value = split_label(label)
            name = value if wanted else label
            if wanted and attribute not in wanted:
                continue
            chain = [name if name in self.parents else str(name)]
            chain += self.ancestors(chain[0])
            named = [join_label(label, attribute, one) if wanted else own.get(str(one), one) for one in chain]
            pairs.update(zip([label, *named[1:]], named[1:], strict=False))
        return type(self).of(pairs)

    def link(self, labels: Sequence[Label]) -> list[int]:
        """Return for each of some labels the code of its nearest ancestor among them, or -1.

        >>> Hierarchy.of({"E11.9": "E11", "E11": "E"}).link(["E", "E11.9", "sex=f"])
        [-1, 0, -1]
        """
        code = {label: number for number, label in enumerate(labels)}
        return [next((code[above] for above in self.ancestors(label) if above in code), NO_PARENT) for label in labels]

    def limit(self, labels: Iterable[Label]) -> Self:
        """Return the hierarchy among some labels alone: each under its nearest ancestor of these."""
        known = sort_labels(labels)
        pairs = zip(known, self.link(known), strict=True)
        return type(self).of((label, known[above]) for label, above in pairs if above >= 0)

    def separate(self, values: Iterable[Label]) -> list[Itemset]:
        """Return groups of the values of an attribute such that two exclude each other if they share a group.

        A row holds one value and its ancestors. Each level is a group; a value without any below it counts at all lower
        levels too. Further groups have values of one level, and those of a lower one that are under others.

        >>> groups = Hierarchy.of({"E11.0": "E11", "E11.9": "E11"}).separate(["E11", "E11.0", "E11.9", "E12"])
        >>> [sorted(group) for group in groups]
        [['E11', 'E12'], ['E11.0', 'E11.9', 'E12']]
        """
        known = sort_labels(values)
        among = self.limit(known)
        inner, lines = {*among.parents.values()}, {label: (label, *among.ancestors(label))[::-1] for label in known}
        cuts = [
            [label for label in known if len(lines[label]) == size or (len(lines[label]) < size and label not in inner)]
            for size in range(1, max(map(len, lines.values()), default=0) + 1)
        ]
        groups = list(map(frozenset, cuts))
        for level, upper in enumerate(cuts):
            number = {label: at for at, label in enumerate(label for label in upper if label in inner)}
            for lower in cuts[level + 1 :]:
                under = {label: number[lines[label][level]] for label in lower if len(lines[label]) > level + 1}
                # The numbers of two values differ in some bit.
                for bit, side in product(range(max(0, len(number) - 1).bit_length()), (0, 1)):
                    those = (label for label, at in number.items() if at >> bit & 1 == side)
                    others = (label for label in lower if label not in under or under[label] >> bit & 1 != side)
                    groups.append(frozenset([*those, *others]))
        return groups

    def lines(self, labels: Sequence[Label]) -> Itemsets:
        """Return for each of some labels its own code and those of its ancestors among them."""
        above, lines = self.link(labels), list[list[int]]()
        for code in range(len(labels)):
            line = [code]
            while above[line[-1]] >= 0:
                line.append(above[line[-1]])
            lines.append(line)
        return Itemsets.of(lines)

    def children(self, labels: Sequence[Label]) -> dict[int, list[int]]:
        """Return the codes of the children of each label that has some among these labels."""
        found = defaultdict[int, list[int]](list)
        for code, above in enumerate(self.link(labels)):
            if above >= 0:
                found[above].append(code)
        return dict(found)

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[tuple[Label, Label]]:
        return iter(self.pairs)

    def __repr__(self) -> str:
        roots = {*self.parents.values()} - self.parents.keys()
        levels = 1 + max(map(self.depth, self.parents), default=0)
        top = count_of(len(roots), "topmost parent")
        return f"<Hierarchy: {count_of(len(self), 'item')} under {top}, {count_of(levels, 'level')}>"


def expand(itemsets: Itemsets, lines: Itemsets) -> Itemsets:
    """Return itemsets in which each item is replaced by its line of items, each item once.

    >>> expanded = expand(Itemsets.of([[0, 1], [2]]), Itemsets.of([[0, 2], [1, 2], [2]]))
    >>> [itemset.tolist() for itemset in expanded]
    [[0, 1, 2], [2]]
    """
    entries = itemsets.entries
    lengths = lines.lengths[entries]
    starts = offsets_of(lengths)
    places = np.repeat(lines.offsets[entries] - starts[:-1], lengths) + np.arange(starts[-1])
    offsets = starts[itemsets.offsets - itemsets.offsets[0]]
    return Itemsets(offsets, lines.items[places]).sort_items()


def close_upward(listed: Weighted, labels: Sequence[Label], hierarchy: Hierarchy) -> Weighted | None:
    """Return listed itemsets with the listed ancestors of their items, each once with its largest support.

    None if they hold these already.

    >>> listed = Itemsets.of([[0], [0, 2], [1]]).weigh(np.array([9, 5, 4]))
    >>> wider = close_upward(listed, ["drinks", "tea", "bread"], Hierarchy.of({"tea": "drinks"}))
    >>> [(itemset.tolist(), support) for itemset, support in zip(wider, wider.weights.tolist())]
    [([0], 9), ([0, 2], 5), ([0, 1], 4)]
    """
    wider = expand(listed, _lines_of_used(listed, labels, hierarchy))
    places = match_wider(Itemsets(*listed.flat), wider, len(labels))
    if (places >= 0).all():
        wrong = np.flatnonzero(listed.weights[places] != listed.weights)
        if wrong.size:
            pair = ((labels[code] for code in one[int(wrong[0])].tolist()) for one in (listed, wider))
            message = (
                f"{count_of(wrong.size, 'itemset')} of other support than with the parents of their items; check these"
            )
            raise InconsistencyError(message, "parent", *pair)
        return None
    supports = dict[tuple[int, ...], int]()
    for itemset, support in zip(wider, listed.weights.tolist(), strict=True):
        codes = tuple(itemset.tolist())
        supports[codes] = max(support, supports.get(codes, 0))
    return Itemsets.of(supports).weigh(np.fromiter(supports.values(), dtype=np.int64))


def match_wider(listed: Itemsets, wider: Itemsets, many: int) -> Numbers:
    """Return for each of some itemsets, which may repeat, its number among listed ones of ``many`` items, or -1.

    >>> match_wider(Itemsets.of([[], [0], [0, 1]]), Itemsets.of([[], [0], [0, 1], [0, 1], [1]]), 2).tolist()
    [0, 1, 2, 2, -1]
    """
    code, each = np.arange(many, dtype=np.int32), np.ones(len(wider), dtype=np.int64)
    *flat, _, numbers = kernels.merge_rows.merge(*wider.flat, each, code)
    different = Itemsets(*flat)
    wanted = different.weigh(np.arange(len(different))).sort(many)
    known = listed.weigh(np.arange(len(listed))).sort(many)
    places = np.full(len(different), -1)
    at = kernels.closure.match(*wanted.flat, *known.flat)
    places[wanted.weights] = np.where(at >= 0, known.weights[at] if len(listed) else -1, -1)
    found: Numbers = places[numbers]
    return found


def find_unlisted(
    itemsets: Itemsets, labels: Sequence[Label], hierarchy: Hierarchy, cut: int | None
) -> tuple[list[int], int]:
    """Return an itemset that must be listed but is not, and the number of one that says so; none if nothing lacks.

    All frequent itemsets are listed (``cut`` is None): then also those with an item's parent for the item, though not
    with an item and its ancestor. Or the closed ones are: then each shorter than ``cut`` holds all ancestors.
    """
    lines = [line.tolist() for line in _lines_of_used(itemsets, labels, hierarchy)]
    every = [frozenset(itemset.tolist()) for itemset in itemsets]
    known = {*every}
    for number, itemset in enumerate(every):
        if cut is None:
            others = list_raised(itemset, lines)
        else:
            others = [itemset.union(*(lines[code] for code in itemset))] if len(itemset) < cut else []
        missing = next((other for other in others if other not in known), None)
        if missing is not None:
            return sorted(missing), number
    return [], -1


def list_raised(itemset: frozenset[int], lines: Sequence[list[int]]) -> list[frozenset[int]]:
    """Return an itemset with an item's parent for the item, once for each, without items that are above others in it.

    >>> list_raised(frozenset([0, 2]), [[0], [1, 0], [2, 1, 0]])
    [frozenset({1})]
    """
    raised = (itemset - {code} | {lines[code][1]} for code in sorted(itemset) if len(lines[code]) > 1)
    return [one.difference(*(lines[code][1:] for code in one)) for one in raised]


def find_followed(listed: Weighted, labels: Sequence[Label], hierarchy: Hierarchy, *, fewer: bool) -> Numbers:
    """Return the numbers of the itemsets that stay, if those with an item's parent for the item must be listed too.

    With ``fewer``, they must also have fewer rows than these: as many would show that all rows with the parent have the
    item. What contains an itemset that goes, goes as well.

    >>> listed = Itemsets.of([[], [0], [1], [1, 2], [2]]).weigh(np.array([90, 60, 40, 30, 50]))
    >>> find_followed(listed, ["drinks", "tea", "bread"], Hierarchy.of({"tea": "drinks"}), fewer=False).tolist()
    [0, 1, 2, 4]
    """
    lines = [line.tolist() for line in _lines_of_used(listed, labels, hierarchy)]
    every = [frozenset(itemset.tolist()) for itemset in listed]
    support, size = dict(zip(every, listed.weights.tolist(), strict=True)), -1
    while size != len(support):
        size = len(support)
        for itemset in every if size else ():
            rows = support.get(itemset)
            raised = [] if rows is None else [support.get(one, -1) for one in list_raised(itemset, lines)]
            parts = [] if rows is None else [support.get(itemset - {code}, -1) for code in itemset]
            if any(one < 0 for one in parts) or any(one < 0 or (fewer and one == rows) for one in raised):
                del support[itemset]
    return np.flatnonzero([itemset in support for itemset in every])


def _lines_of_used(itemsets: Itemsets, labels: Sequence[Label], hierarchy: Hierarchy) -> Itemsets:
    """Return the lines of the items that itemsets hold; other items are no ancestors here."""
    used = np.unique(itemsets.entries).tolist()
    lines = [[code] for code in range(len(labels))]
    for line in hierarchy.lines([labels[code] for code in used]):
        codes = [used[at] for at in line.tolist()]
        lines[codes[0]] = codes
    return Itemsets.of(lines)


def split_label(label: Label) -> tuple[object, object]:
    """Return the attribute and the value of a label; a label without an attribute is a value."""
    if isinstance(label, tuple) and len(label) == PAIR:
        return label
    if isinstance(label, str) and SIGN in label:
        attribute, _, value = label.partition(SIGN)
        return attribute, value
    return None, label


def join_label(label: Label, attribute: object, value: object) -> Label:
    """Return another value in the form of a label."""
    if isinstance(label, tuple):
        return attribute, value
    return value if attribute is None else f"{attribute}{SIGN}{value}"
