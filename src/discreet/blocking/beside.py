"""Older releases beside a new one: which itemsets can be published again without revealing who came or left since."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.between import Between
from discreet.data.itemsets import Itemsets
from discreet.data.lattice import complete_family
from discreet.data.patterns import Patterns, as_kind
from discreet.disclosure.attacks.joint_releases import match_items
from discreet.errors import GuaranteeError, InputError, Option, OptionError
from discreet.io.files import digest
from discreet.io.formats.patterns import write_json
from discreet.io.notation import sort_pattern_codes
from discreet.io.read import read_patterns
from discreet.publications.series import compare_releases, is_followed
from discreet.runtime.solver import Numbers


class Blocked(Protocol):
    """A release: what was published, and whether it is of changed rows."""

    @property
    def patterns(self) -> Patterns:
        """The published itemsets."""
        ...

    @property
    def changes_rows(self) -> bool:
        """Whether rows were left out or invented."""
        ...


ASK: Final = Option("beside")
UNKNOWN: Final = -1  # the older support of an itemset that the older release does not determine


class Older(NamedTuple):
    """The patterns of an older release, and the SHA-256 digest by which its readers know it.

    The digest is that of release.json in a release folder, or of a file of patterns. For patterns in memory, it is that
    of the file that ``write_patterns`` makes of them as JSON. A release folder ``is_exact`` if its list has gaps, as
    that of "withhold": other methods change rows, and a folder does not tell whether they did.
    """

    patterns: Patterns
    sha256: str
    is_exact: bool = True


OlderRelease: TypeAlias = Older | Patterns | Blocked | str | PathLike[str]


def as_older(beside: OlderRelease | Iterable[OlderRelease], *, grown: bool) -> tuple[Older, ...]:
    """Return the older releases; refuse other types, and lists whose differences from a new one cannot be followed."""
    given: Any = beside
    is_one = isinstance(given, str | PathLike | Patterns) or hasattr(given, "patterns")
    many = (given,) if is_one else tuple(given)
    if grown and not many:
        raise OptionError(Option("grown"), " says how older releases differ, but none is given; give them with ", ASK)
    older = tuple(map(_as_one, many))
    for number, one in enumerate(older, start=1):
        if not one.is_exact:
            raise InputError(
                f"older release {number} may have counts of changed rows, and exact ones beside it could reveal the "
                "changes; if nothing was changed in it, give its file of patterns instead of its folder"
            )
        try:
            complete_family(one.patterns)
        except InputError:
            raise InputError(
                f"older release {number} does not determine the supports of all parts of its itemsets, so not all of "
                "its differences from a new release can be followed; give its closed itemsets, or all frequent ones"
            ) from None
    return older


def _as_one(one: OlderRelease) -> Older:
    if isinstance(one, str | PathLike):
        return read_older(one)
    if isinstance(one, Older):
        return one
    patterns = one if isinstance(one, Patterns) else getattr(one, "patterns", None)
    if not isinstance(patterns, Patterns):
        raise OptionError(
            ASK,
            f" holds a value of the type {type(one).__name__}; give release folders, files of patterns, or patterns",
        )
    return Older(patterns, hash_patterns(patterns), isinstance(one, Patterns) or not one.changes_rows)


def hash_patterns(patterns: Patterns) -> str:
    """Return the SHA-256 of the file that ``write_patterns`` makes of patterns as JSON."""
    return hashlib.sha256(b"".join(write_json(sort_pattern_codes(patterns)))).hexdigest()


def read_older(place: str | PathLike[str]) -> Older:
    """Return the release in a folder that ``write_release`` wrote, or in a file of patterns that state their n."""
    path = Path(place)
    if path.is_dir():
        patterns, claims, _ = read_release(path)
        return Older(patterns, digest(path / "release.json"), claims.get("is_whole") is False)
    patterns = read_patterns(path)
    return Older(patterns, digest(path))


def read_release(folder: Path) -> tuple[Patterns, dict[str, Any], Path]:
    """Return the patterns of a release folder, its release.json, which has facts that some formats lack, and a file."""
    try:
        claims = json.loads((folder / "release.json").read_bytes())
        mined = {"n": int(claims["n"]), "kind": as_kind(claims["kind"]), "max_length": claims["max_length"]}
        name, sha256 = next((Path(name).name, sha) for name, sha in claims["files"].items() if is_listing(name))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration):
        raise InputError(
            f"{folder} is no release folder: its release.json is missing or incomplete; give a folder that "
            "`discreet block` wrote, or a file of patterns"
        ) from None
    patterns = read_patterns(folder / name, **mined)
    if digest(folder / name) != sha256:
        raise InputError(f"{folder} is not as it was published: {name} is not the file that release.json lists")
    return patterns, claims, folder / name


def is_listing(name: str) -> bool:
    """Return whether a file of a release folder holds its patterns."""
    return Path(name).stem == "patterns"


def keep_apart(patterns: Patterns, older: Sequence[Older], *, k: int, grown: bool) -> Patterns:
    """Return the itemsets whose differences from older releases are 0, or k rows or more, in every cell.

    ``patterns`` are all subsets of some itemsets. Whoever has two releases can subtract the cells of each itemset in
    both. So an itemset goes if it is in an older release, and a cell of the difference is of 1 to k − 1 rows; and with
    it goes whatever contains it. What is left is the largest such list. If rows have only ``grown``, a count that is
    equal in two releases is so in those between; an itemset that reveals a small difference by that goes, too. Else
    older releases that may be parts of the new rows are added up, as ``audit`` does (docs/against.md).

    >>> old = Patterns.from_itemsets([([], 40), (["a"], 20), (["b"], 20)], n=40)
    >>> new = Patterns.from_itemsets([([], 60), (["a"], 30), (["b"], 22)], n=60)
    >>> [sorted(itemset) for itemset, _ in keep_apart(new, [Older(old, "")], k=10, grown=True)]
    [[], ['a']]
    """
    comparison = _Comparison(patterns, [_find_supports(one.patterns, patterns) for one in older])
    if grown:
        comparison.refuse_fallen()
    for number in range(len(older)):
        comparison.leave_out([number], k)
    if grown:
        comparison.leave_out_between(k)
    if not grown and is_followed([one.patterns for one in older], grown=grown):
        parts = [*chain.from_iterable(combinations(range(len(older)), size) for size in range(2, len(older) + 1))]
        # An itemset less may leave no count that fell, so that older releases may be parts after all.
        while any(comparison.leave_out(group, k) for group in parts if not comparison.has_fallen(group)):
            pass
    return patterns.take(np.flatnonzero(~comparison.is_out))


class _Comparison:
    """The itemsets of a new release, their supports in older ones, and which of them are out."""

    def __init__(self, patterns: Patterns, before: Sequence[Numbers]) -> None:
        self.patterns, self.before, self.is_out = patterns, before, np.zeros(len(patterns), dtype=np.bool_)
        self.flat, self.lengths = patterns.itemsets.flat, patterns.itemsets.lengths
        self.slots = kernels.lattice.index(*self.flat)

    def subtract(self, group: Sequence[int]) -> tuple[Numbers, NDArray[np.bool_]]:
        """Return the differences from the sum of older releases, and for which itemsets all of them have one."""
        supports = [self.before[number] for number in group]
        known = np.logical_and.reduce([each != UNKNOWN for each in supports])
        return self.patterns.supports - np.sum(supports, axis=0), known

    def leave_out(self, group: Sequence[int], k: int) -> bool:
        """Leave out the itemsets with a small difference, the shortest first; return whether there were any."""
        differences, known = self.subtract(group)
        was_out = np.count_nonzero(self.is_out)
        for length in range(self.patterns.itemsets.longest + 1):
            self._spread()
            tops = np.flatnonzero(known & ~self.is_out & (self.lengths == length))
            places, _, counts = kernels.lattice.cells_of_all(self.slots, *self.flat, differences, tops, k)
            small = tops[places[counts > -k]]
            self.is_out[small] = True
            if length == 0 and small.size:
                raise InputError(
                    f"n, which every release shows, differs by fewer than {k:,} rows from n of {_name(group)}; nothing "
                    "can be published beside it until more rows have come"
                )
        self._spread()
        return bool(np.count_nonzero(self.is_out) > was_out)

    def leave_out_between(self, k: int) -> None:
        """Leave out the itemsets that give cells of older releases away, if rows have only grown."""
        if len(self.before) > 1:
            differences, known = zip(*(self.subtract([number]) for number in range(len(self.before))), strict=True)
            self.is_out[Between(self.patterns.itemsets, differences, known).find_unsafe(self.is_out, k)] = True
            self._spread()

    def _spread(self) -> None:
        """Leave out what contains an itemset that is out, item by item."""
        is_in, nothing = np.ones(self.flat[1].size, dtype=np.bool_), np.zeros(len(self.patterns), dtype=np.int64)
        out = self.is_out.astype(np.int64)
        kernels.lattice.mark_followers(self.slots, *self.flat, nothing, out, is_in)
        self.is_out[self.patterns.itemsets.owners[~is_in]] = True

    def has_fallen(self, group: Sequence[int]) -> bool:
        """Return whether some count is below the sum of those of older releases: these are no parts of the rows."""
        differences, known = self.subtract(group)
        tops = np.flatnonzero(known & ~self.is_out)
        return bool(kernels.lattice.cells_of_all(self.slots, *self.flat, differences, tops, 0)[0].size)

    def refuse_fallen(self) -> None:
        """Refuse older releases with a count that has fallen, although rows were only added."""
        for number in range(len(self.before)):
            if self.has_fallen([number]):
                raise InputError(
                    f"some counts fell since {_name([number])}, so rows were not only added; leave ",
                    *(Option("grown"), " out, or check that the release is older, exact and of the same rows"),
                )


def _name(group: Sequence[int]) -> str:
    """Return older releases by their places, from 1 on."""
    numbers = ", ".join(str(number + 1) for number in group)
    return f"older release {numbers}" if len(group) == 1 else f"older releases {numbers} together"


def _find_supports(old: Patterns, new: Patterns) -> Numbers:
    """Return the older support of each new itemset, or ``UNKNOWN``."""
    supports = np.full(len(new), UNKNOWN, dtype=np.int64)
    if not len(new):
        return supports
    family, names = complete_family(old), match_items(old.labels, new.labels)
    code = np.array([new.code.get(names[label], -1) for label in old.labels], dtype=np.int32)
    codes, owners = code[family.itemsets.entries], family.itemsets.owners
    # Items that the new rows never have are dropped: what is left has at least the same support.
    held = Itemsets.from_lengths(np.bincount(owners[codes >= 0], minlength=len(family.itemsets)), codes[codes >= 0])
    closures, trie = np.full(len(new), -1, dtype=np.int64), kernels.inversion.plant(*new.itemsets.flat)
    kernels.closure.close(trie, new.is_rooted, held.flat, family.supports, len(new.labels), closures)
    is_known = closures >= 0
    supports[is_known] = family.supports[closures[is_known]]
    supports[new.itemsets.lengths == 0] = old.n
    return supports


def check_beside(patterns: Patterns, older: Sequence[Older], *, k: int, grown: bool) -> None:
    """Refuse a release if older ones reveal 1 to k − 1 rows together with it, by the code of ``audit``."""
    for fault in find_faults(patterns, [one.patterns for one in older], k=k, grown=grown):
        raise GuaranteeError(f"{fault}; nothing is released: please report this as a bug")


def find_faults(patterns: Patterns, olds: Sequence[Patterns], *, k: int, grown: bool) -> Iterator[str]:
    """Yield what older releases reveal together with a new one."""
    for changes in compare_releases(patterns, olds, k=k, grown=grown) if len(patterns) and olds else ():
        which = _name([number - 1 for number in changes.numbers])
        if changes.small:
            yield f"differences from {which} reveal fewer than {k:,} rows"
        if grown and changes.fell:
            yield f"counts fell since {which}, although rows were only added"
        if not changes.is_whole:
            yield f"not all differences from {which} can be followed"
