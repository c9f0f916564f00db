"""Leaving out: rows or patterns without some items, each named by its label or by its attribute."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets, Label, Labelled, Weighted
from discreet.data.patterns import Patterns
from discreet.data.reading import Reading
from discreet.data.schema import PAIR, SIGN, Schema
from discreet.data.transactions import Merged, Rows, Transactions
from discreet.errors import Option, OptionError
from discreet.runtime.text import abbreviate, count_of

Names: TypeAlias = Label | Iterable[Label]  # a label or an attribute, or several of them
Kept = TypeVar("Kept", Transactions, Merged, Rows, Patterns)

NEAR: Final = 0.6  # likeness of a name that may be meant
LENGTH_BITS: Final = 20  # for the length of an itemset: no row holds more than 100,000 items


def drop_items(value: Kept, names: Names | None) -> Kept:
    """Return rows or patterns as if nobody had ever recorded some items.

    A name is the label of an item, or an attribute such as ``sex``, which stands for all its values. Closed itemsets
    without some items are the closed itemsets of rows without them, because both are intersections of rows.

    >>> rows = drop_items(Transactions([["sex=f", "flu"], ["sex=m"], ["flu", "HIV"]]), ["sex", "HIV"])
    >>> [sorted(row) for row in rows]
    [['flu'], [], ['flu']]
    """
    dropped = frozenset(find_items(value, names))
    if not dropped:
        return value
    is_kept = np.array([code not in dropped for code in range(len(value.labels))])
    labels = tuple(label for label, kept in zip(value.labels, is_kept.tolist(), strict=True) if kept)
    itemsets = _project(value.itemsets, is_kept)
    reading, schema = _note(value.reading, len(dropped)), _limit(value.schema, frozenset(labels))
    if isinstance(value, Patterns):
        listed = _merge_patterns(value, itemsets, labels)
        return replace(listed, schema=schema, reading=reading, hierarchy=value.hierarchy)
    reading = reading and replace(reading, odd=value.odd)
    if isinstance(value, Merged):
        rows = Merged.from_codes(*itemsets.flat, value.weights, labels, min_support=value.min_support, n=value.n)
        return replace(rows, schema=schema, reading=reading, hierarchy=value.hierarchy)
    people = value.people
    left = Transactions.from_codes(*itemsets.flat, labels, ids=value.ids)
    return left.describe(schema=schema, people=people, reading=reading, hierarchy=value.hierarchy)


def list_names(names: Names | None) -> list[Label]:
    """Return names as a list; one is a text, or anything that holds no others.

    >>> list_names("sex"), list_names(["sex", 7]), list_names(None)
    (['sex'], ['sex', 7], [])
    """
    return [] if names is None else [names] if isinstance(names, str) or not isinstance(names, Iterable) else [*names]


def find_items(value: Labelled, names: Names | None) -> list[int]:
    """Return the codes of the items that names stand for; refuse a name that is neither an item nor an attribute.

    >>> find_items(Transactions([["age=40", "flu"], ["age=50"]]), ["age"])
    [0, 1]
    """
    wanted = list_names(names)
    found = {value.code[name] for name in wanted if name in value.code}
    others = [name for name in wanted if name not in value.code]
    if not others:
        return sorted(found)
    attributes, texts = find_attributes(value), {str(label): code for label, code in value.code.items()}
    for name in others:
        if str(name) in texts:
            found.add(texts[str(name)])
        elif str(name) in attributes:
            found.update(attributes[str(name)])
        else:
            near = get_close_matches(str(name), attributes, cutoff=NEAR)  # labels are private, columns are not
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "give a label, or a column of a table"
            raise OptionError(
                Option("leave_out"), f" names {abbreviate(name)!r}, which is no item and no attribute; {hint}"
            )
    return sorted(found)


def find_attributes(value: Labelled) -> dict[str, list[int]]:
    """Return the codes of the values of each attribute, by its name: those of the schema, and those in labels."""
    values: defaultdict[str, list[int]] = defaultdict(list)
    for label, code in value.code.items():
        if isinstance(label, tuple) and len(label) == PAIR:
            values[str(label[0])].append(code)
        elif isinstance(label, str) and SIGN in label:
            values[label.split(SIGN, 1)[0]].append(code)
    schema: Schema | None = getattr(value, "schema", None)
    named: defaultdict[str, set[int]] = defaultdict(set)  # an attribute with a hierarchy stands there for each level
    for attribute in () if schema is None else schema.attributes:
        named[attribute.name].update(value.code[one] for one in attribute.values if one in value.code)
    return values | {name: sorted(codes) for name, codes in named.items()}


def _project(itemsets: Itemsets, is_kept: NDArray[np.bool_]) -> Itemsets:
    """Return itemsets without some items, in the codes of those that are kept."""
    entries, code = itemsets.entries, (np.cumsum(is_kept) - 1).astype(np.int32)
    lengths = np.bincount(itemsets.owners[is_kept[entries]], minlength=len(itemsets))
    return Itemsets.from_lengths(lengths, code[entries[is_kept[entries]]])


def _merge_patterns(patterns: Patterns, itemsets: Itemsets, labels: tuple[Label, ...]) -> Patterns:
    """Return projected itemsets, each once with its largest support; of closed ones, those that are closed still."""
    if patterns.kind == "maximal":
        raise OptionError(
            "maximal itemsets do not tell the supports of their subsets, so no item can be left out; leave ",
            *(Option("leave_out"), " out, or give the rows"),
        )
    every = np.arange(len(labels), dtype=np.int32)
    each = np.ones(len(itemsets), dtype=np.int64)
    offsets, items, _, numbers = kernels.merge_rows.merge(*itemsets.flat, each, every)
    supports = np.zeros(offsets.size - 1, dtype=np.int64)
    np.maximum.at(supports, numbers, patterns.supports)
    supports[np.diff(offsets) == 0] = patterns.n  # other programs may not list the empty itemset
    listed = Weighted(offsets, items, supports).sort(len(labels))
    if patterns.kind == "closed" and patterns.max_length is not None:
        # The longest itemsets were listed whether they are closed or not; without an item they are not the longest, and
        # may have fewer rows than a superset, whose support is then theirs.
        closures, trie = np.full(len(listed), -1, dtype=np.int64), kernels.inversion.plant(*listed.flat)
        kernels.closure.close(trie, listed.is_rooted, listed.flat, listed.weights, len(labels), closures)
        supports = listed.weights[closures]
        order = np.argsort((supports << LENGTH_BITS) + listed.lengths, kind="stable")
        unsure = np.zeros(len(listed), dtype=np.bool_)
        listed = listed.take(kernels.closure.find_closed(*listed.flat, supports, unsure, order))
    n, least, kind, length = patterns.n, patterns.min_support, patterns.kind, patterns.max_length
    return Patterns.from_codes(*listed.arrays, labels, n=n, min_support=least, kind=kind, max_length=length)


def _limit(schema: Schema | None, labels: frozenset[Label]) -> Schema | None:
    """Return the schema of the labels that are kept; an attribute that lost a value is no longer in every row."""
    if schema is None:
        return None
    kept = (
        one._replace(values=one.values & labels, total=one.total and one.values <= labels) for one in schema.attributes
    )
    return replace(schema, attributes=tuple(one for one in kept if one.values))


def _note(reading: Reading | None, many: int) -> Reading | None:
    note = f"{count_of(many, 'item')} left out as asked"
    return reading and replace(reading, items=max(0, reading.items - many), notes=(*reading.notes, note))
