"""Hierarchies: parents of items from files, mappings, prefixes, bins or rare values; rows get these ancestors."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from os import PathLike
from pathlib import Path
from re import DOTALL, Match, fullmatch
from typing import Final, TypeAlias, TypeVar

import numpy as np

from discreet.data.hierarchy import PREFIX, Hierarchy, expand, join_label, split_label
from discreet.data.itemsets import Itemsets, Label, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.schema import SIGN, Attribute, Schema
from discreet.data.thresholds import as_count
from discreet.data.transactions import Merged, Rows, Transactions
from discreet.errors import InputError, Option, OptionError, ThresholdError
from discreet.io.bins import merge_bins
from discreet.io.codebook import read_pairs
from discreet.io.files import is_place
from discreet.runtime.text import count_of

OneHierarchy: TypeAlias = Hierarchy | Mapping[Label, Label] | str | PathLike[str]
AnyHierarchy: TypeAlias = OneHierarchy | Sequence[OneHierarchy]
Known = TypeVar("Known", Transactions, Merged, Patterns)
HEADER: Final = ("child", "parent")
OTHER: Final = "other"  # the parent of rare values
WORDS: Final = "a mapping, a file, or such as 'prefix:3,1', 'bins' or 'city=rare:50'"


def read_hierarchy(source: AnyHierarchy, labels: Iterable[Label], rows: Transactions | None = None) -> Hierarchy:
    """Return the parents of labels: by a mapping, a file of children and parents, ``"prefix:3,1"``, or several of them.

    By ``"bins"``, two neighbouring ranges of a column have a parent (``merge_bins``); by ``"city=rare:50"``, the cities
    that fewer than 50 ``rows`` hold. Other texts may begin with columns too, such as ``"diag1,diag2=prefix:3"`` or
    ``"diag=codes.csv"``, and then speak of their values. A hierarchy by which no label has a parent is refused.

    >>> read_hierarchy({"tea": "drinks", "milk": "drinks"}, ["tea", "bread"]).pairs
    (('tea', 'drinks'),)
    """
    known, pairs = list(labels), list[tuple[Label, Label]]()
    for one in list_hierarchies(source):
        found = _read_one(one, known, rows)
        if not len(found):
            raise OptionError(
                "no item has a parent by ",
                *(Option("hierarchy"), "; check its names, or name the column that it is for, such as 'diag=FILE'"),
            )
        pairs += found.pairs
        known += found.parents.values()  # which may have parents by the next one
    return Hierarchy.of(pairs)


def list_hierarchies(source: AnyHierarchy | None) -> list[OneHierarchy]:
    """Return all hierarchies that are given.

    >>> list_hierarchies("bins"), list_hierarchies(None)
    (['bins'], [])
    """
    if isinstance(source, list | tuple):
        return [*source]
    return [] if source is None else [source]  # type: ignore[list-item]  # no other sequence than a text


def _read_one(source: OneHierarchy, labels: Sequence[Label], rows: Transactions | None) -> Hierarchy:
    match = _match_made(source) if isinstance(source, str) else None
    if match is not None:
        return MADE[match[2]]((match[3] or "").removeprefix(":"), labels, _split_names(match[1]), rows)
    if isinstance(source, Hierarchy | Mapping):
        return Hierarchy.of(source).lift(labels)
    names, where = None, source
    if isinstance(source, str) and SIGN in source and not Path(source).exists():
        names, _, where = source.rpartition(SIGN)
    if not is_place(where):
        raise OptionError(Option("hierarchy"), f" is given as {type(source).__name__}; give {WORDS}")
    pairs = [pair for pair in read_pairs(where, "a child and its parent") if all(pair)]
    has_head = bool(pairs) and tuple(map(str.casefold, pairs[0])) == HEADER
    return Hierarchy.of(pairs[has_head:]).lift(labels, _split_names(names))


def is_made(text: str) -> bool:
    """Return whether a hierarchy is made of labels or rows, without a file.

    >>> is_made("diag=prefix:3"), is_made("diag=codes.csv")
    (True, False)
    """
    return _match_made(text) is not None


def _match_made(text: str) -> Match[str] | None:
    return fullmatch(rf"(?:(.*){SIGN})?({'|'.join(MADE)})(:.*)?", text, DOTALL)


def _split_names(names: str | None) -> list[str]:
    return [] if names is None else [name.strip() for name in names.split(",")]


Maker: TypeAlias = Callable[[str, Sequence[Label], list[str], Transactions | None], Hierarchy]


def _merge_bins(how: str, labels: Sequence[Label], columns: list[str], _: Transactions | None) -> Hierarchy:
    if how:
        raise OptionError(Option("hierarchy"), " merges neighbouring bins, however many; give 'bins' or 'age=bins'")
    return merge_bins(labels, columns)


def _merge_rare(how: str, labels: Sequence[Label], columns: list[str], rows: Transactions | None) -> Hierarchy:
    """Return the hierarchy in which values of a column that few rows hold have one parent, of a name that is free."""
    if rows is None or not columns:
        problem = "there are no rows, which tell what is rare" if columns else "names no column"
        raise OptionError(Option("hierarchy"), f" merges rare values, but {problem}; give rows and 'city=rare:50'")
    try:
        least = as_count(how, rows.n)
    except ThresholdError:
        raise OptionError(
            Option("hierarchy"), f" has {how[:40]!r} after 'rare:'; give the least number of rows, such as 50 or 5%"
        ) from None
    held, values = (
        np.bincount(rows.itemsets.entries, minlength=len(rows.labels)).tolist(),
        defaultdict[object, list[Label]](list),
    )
    for label in labels:
        values[split_label(label)[0]].append(label)
    pairs = list[tuple[Label, Label]]()
    for column in columns:
        rare = [label for label in values[column] if label in rows.code and held[rows.code[label]] < least]
        taken = {str(split_label(label)[1]).casefold() for label in values[column]}
        name = next(one for number in count(1) if (one := f"{OTHER} {number}".removesuffix(" 1")) not in taken)
        pairs += [(label, join_label(label, column, name)) for label in rare if len(rare) > 1]
    return Hierarchy.of(pairs)


MADE: Final[Mapping[str, Maker]] = {
    "prefix": lambda how, labels, columns, _: Hierarchy.from_prefixes(f"{PREFIX}{how}", labels, columns),
    "bins": _merge_bins,
    "rare": _merge_rare,
}
"""Hierarchies that are made of labels, or of rows; a new one is a function and an entry here."""


def add_ancestors(rows: Rows, source: AnyHierarchy) -> Transactions:
    """Return rows that also hold the ancestors of their items.

    >>> rows = add_ancestors(Transactions([["tea", "milk"], ["bread"]]), {"tea": "drinks", "milk": "drinks"})
    >>> [sorted(row) for row in rows]
    [['drinks', 'milk', 'tea'], ['bread']]
    """
    if isinstance(rows, Merged):
        raise OptionError(
            "merged rows have lost rare items, which count for their parents; give ",
            *(Option("hierarchy"), " with the rows themselves"),
        )
    if rows.hierarchy is not None:
        raise OptionError("the rows hold the ancestors of their items already; leave ", Option("hierarchy"), " out")
    hierarchy = read_hierarchy(source, rows.labels, rows)
    labels = sort_labels([*rows.labels, *hierarchy.parents, *hierarchy.parents.values()])
    code = {label: number for number, label in enumerate(labels)}
    every = hierarchy.lines(labels)
    own = Itemsets.of([every[code[label]].tolist() for label in rows.labels])
    full = Transactions.from_codes(*expand(rows.itemsets, own).flat, labels, ids=rows.ids)
    reading = rows.reading
    if reading is not None:
        note = f"{count_of(len(labels) - len(rows.labels), 'parent')} of items added"
        reading = replace(reading, items=len(labels), notes=(*reading.notes, note))
    schema = None if rows.schema is None else _extend(rows.schema, hierarchy, labels)
    return full.describe(schema=schema, people=rows.people, reading=reading, hierarchy=hierarchy)


def know_parents(patterns: Patterns, source: AnyHierarchy | None) -> Patterns:
    """Return patterns whose readers know the parents of items, if there is a hierarchy."""
    if source is None:
        return patterns
    if patterns.kind == "maximal":
        raise InputError(
            "maximal itemsets do not tell the supports of parents; give ",
            *(Option("hierarchy"), " with rows, or with closed or frequent itemsets"),
        )
    used = [patterns.labels[code] for code in sorted({*patterns.items.tolist()})]
    return replace(patterns, hierarchy=read_hierarchy(source, used))


def teach_parents(found: Known, source: AnyHierarchy | None) -> Known:
    """Return rows that hold the ancestors of their items, or patterns whose readers know them."""
    if source is None:
        return found
    return know_parents(found, source) if isinstance(found, Patterns) else add_ancestors(found, source)  # type: ignore[return-value]  # of the kind that came


def _extend(schema: Schema, hierarchy: Hierarchy, labels: Sequence[Label]) -> Schema:
    """Return a schema whose attributes have the ancestors of their values too: one attribute for each level."""
    owner = {value: at for at, one in enumerate(schema.attributes) for value in one.values}
    inner, owners = {*hierarchy.parents.values()}, dict[Label, set[int | None]]()
    for label in labels:
        for above in hierarchy.ancestors(label) if label in owner or label not in inner else ():
            owners.setdefault(above, set()).add(owner.get(label))
    attributes = list[Attribute]()
    for at, one in enumerate(schema.attributes):
        more = {above for above, below in owners.items() if below == {at}}
        for group in hierarchy.separate(one.values | more):
            is_held = all(value in group or not group.isdisjoint(hierarchy.ancestors(value)) for value in one.values)
            attributes.append(Attribute(one.name, group, one.total and is_held))
    return Schema(tuple(attributes))
