"""Hierarchies: parents of items from a file, a mapping or prefixes; rows get the ancestors of their items."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from discreet.data.hierarchy import PREFIX, Hierarchy, expand
from discreet.data.itemsets import Itemsets, Label, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.schema import SIGN, Attribute, Schema
from discreet.data.transactions import Merged, Rows, Transactions
from discreet.errors import InputError, Option, OptionError
from discreet.io.codebook import read_pairs
from discreet.io.files import is_place
from discreet.runtime.text import count_of

AnyHierarchy: TypeAlias = Hierarchy | Mapping[Label, Label] | str | PathLike[str]
Known = TypeVar("Known", Transactions, Merged, Patterns)
HEADER: Final = ("child", "parent")


def read_hierarchy(source: AnyHierarchy, labels: Iterable[Label]) -> Hierarchy:
    """Return the parents of labels: by a hierarchy, a mapping, a file of children and parents, or ``"prefix:3,1"``.

    A text may begin with the columns that it is for, such as ``"diag1,diag2=prefix:3"`` or ``"diag=codes.csv"``: it
    then speaks of their values. A hierarchy by which no label has a parent is refused.

    >>> read_hierarchy({"tea": "drinks", "milk": "drinks"}, ["tea", "bread"]).pairs
    (('tea', 'drinks'),)
    """
    known, columns, where = list(labels), list[str](), source
    if isinstance(source, str) and SIGN in source and not Path(source).exists():
        names, _, where = source.rpartition(SIGN) if PREFIX not in source else source.partition(f"{SIGN}{PREFIX}")
        columns = [name.strip() for name in names.split(",")]
        where = where if PREFIX not in source else f"{PREFIX}{where}"
    if isinstance(where, str) and where.startswith(PREFIX):
        found = Hierarchy.from_prefixes(where, known, columns)
    elif isinstance(where, Hierarchy | Mapping):
        found = Hierarchy.of(where).lift(known)
    elif is_place(where):
        pairs = [pair for pair in read_pairs(where, "a child and its parent") if all(pair)]
        found = Hierarchy.of(pairs[tuple(map(str.casefold, pairs[0])) == HEADER :] if pairs else ()).lift(
            known, columns
        )
    else:
        kind = type(source).__name__
        raise OptionError(Option("hierarchy"), f" is given as {kind}; give a mapping, a file or such as 'prefix:3,1'")
    if not len(found):
        raise OptionError(
            "no item has a parent by ",
            *(Option("hierarchy"), "; check its names, or name the column that it is for, such as 'diag=FILE'"),
        )
    return found


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
    hierarchy = read_hierarchy(source, rows.labels)
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
