"""Patterns as a source states them, how formats read and write them, and our JSON."""

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.hierarchy import Hierarchy
from discreet.data.itemsets import Itemsets, Label, recode
from discreet.data.patterns import KINDS, LARGEST_SHARED, Patterns, as_kind, as_supports, lacks_root
from discreet.data.schema import PAIR, Schema
from discreet.data.thresholds import LARGEST_COUNT, Threshold, as_count
from discreet.errors import InputError, Option, OutputError
from discreet.io import notation
from discreet.io.files import Bytes
from discreet.io.notation import Coder, Value, encode_lines
from discreet.runtime.text import abbreviate

T = TypeVar("T")

SHAPE: Final = '{"n": 3, "min_support": 2, "kind": "closed", "patterns": [{"items": ["a", "b"], "support": 2}]}'


@dataclass(frozen=True)
class Mined:
    """How patterns were mined, as far as their source says."""

    n: int | None = None
    min_support: int | None = None
    kind: str | None = None
    max_length: int | None = None

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        counts = (self.n, 0), (self.min_support, 1), (self.max_length, 0)
        stated = ((count, least) for count, least in counts if count is not None)
        if not all(_is_count(count, least=least) for count, least in stated) or self.kind not in (None, *KINDS):
            rules = "n must be a number of rows, min_support one from 1 on, max_length one of items, and kind one of "
            rules += ", ".join(KINDS)
            raise InputError(f"the source says that its patterns were mined in a way that cannot be; {rules}")


NOT_STATED: Final = Mined()
STATED: Final = tuple(field.name for field in fields(Mined))  # as our files name them


@dataclass(frozen=True)
class StatedPatterns:
    """Itemsets with their supports, in any order, and how their source says they were mined."""

    itemsets: Itemsets
    supports: NDArray[np.int64]
    labels: tuple[Label, ...]
    mined: Mined = NOT_STATED
    schema: Schema | None = None
    hierarchy: Hierarchy | None = None
    omits_empty: bool = False  # although it states n
    doubt: str = ""  # about where labels end

    def patterns(
        self, n: int | None, min_support: Threshold | None, kind: str | None, max_length: int | None = None
    ) -> Patterns:
        """Return the patterns; the arguments must agree with the source, whose empty itemset may state ``n``."""
        n = self._agree_on_n(n)
        count = _agree("min_support", self.mined.min_support, None if min_support is None else as_count(min_support, n))
        kind = as_kind(_agree("kind", self.mined.kind, kind) or "frequent")
        length = _agree("max_length", self.mined.max_length, max_length)
        itemsets, supports = self.itemsets, self.supports
        lengths = itemsets.lengths.tolist()
        # A source without ``n`` leaves out the empty itemset by habit.
        if (self.mined.n is None or self.omits_empty) and lacks_root(
            lengths, supports.tolist(), n=n, min_support=count, kind=kind
        ):
            itemsets, supports = itemsets.with_empty(), np.insert(supports, 0, n)
        arrays = *itemsets.flat, supports
        patterns = Patterns.from_codes(*arrays, self.labels, n=n, min_support=count, kind=kind, max_length=length)
        return replace(patterns, schema=self.schema, hierarchy=self.hierarchy)

    def _agree_on_n(self, given: int | None) -> int:
        roots = self.supports[self.itemsets.lengths == 0].tolist()
        n = _agree("n", self.mined.n, given)
        if n is None and not roots:
            raise InputError("the source does not say of how many rows these are patterns; say it with ", Option("n"))
        n = roots[0] if n is None else n
        if not _is_count(n, least=0):
            raise InputError("n must be a number of rows, a whole number from 0 on; give the n that was mined")
        return n


class PatternFunctions(NamedTuple):
    """How a format reads patterns, given ``n`` where a caller states it, and writes them in chunks, perhaps by tabs."""

    read: Callable[[Bytes, int | None], StatedPatterns]
    write: Callable[[Patterns], Iterator[bytes]]
    write_tabs: Callable[[Patterns], Iterator[bytes]] | None = None


def collect_patterns(
    pairs: Iterable[tuple[Iterable[Value], int]],
    *,
    mined: Mined = NOT_STATED,
    as_labels: Callable[[list[Value]], Sequence[Label]] = list,
) -> StatedPatterns:
    """Collect pairs of itemset and support; ``as_labels`` makes labels of the distinct values.

    >>> collect_patterns([(["b", "a"], 2)]).patterns(3, None, "maximal")
    <Patterns: 1 maximal itemsets, support at least 2 of 3 rows>
    """
    codes: Coder[Value] = Coder()
    flat, lengths, supports = array("i"), array("q"), []
    for itemset, support in pairs:
        coded = codes.encode(itemset)
        flat.extend(coded)
        lengths.append(len(coded))
        supports.append(support)
    items, labels = recode(np.array(flat, dtype=np.int32), as_labels(codes.values))
    return StatedPatterns(Itemsets.from_lengths(lengths, items), as_supports(supports), labels, mined)


def _is_count(value: object, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST_COUNT


def _agree(name: str, stated: T | None, given: T | None) -> T | None:
    if stated is not None and given is not None and stated != given:
        raise InputError(f"the source says {name} is {stated}, not {abbreviate(given)}; leave ", Option(name), " out")
    return given if stated is None else stated


def mined_of(patterns: Patterns) -> dict[str, int | str]:
    """Return how patterns were mined, as our files say it; a length only if the list was cut at one.

    >>> mined_of(Patterns.from_itemsets([(["a"], 3)], n=5, max_length=1))
    {'n': 5, 'min_support': 3, 'kind': 'frequent', 'max_length': 1}
    """
    cut = {} if patterns.max_length is None else {"max_length": patterns.max_length}
    return {"n": patterns.n, "min_support": patterns.min_support, "kind": patterns.kind, **cut}


def as_shares(patterns: Patterns) -> list[float]:
    """Return the supports as shares, each of which gives its count back; refuse a number of rows of which none does.

    >>> as_shares(Patterns.from_itemsets([(["a"], 1)], n=4, kind="maximal"))
    [0.25]
    """
    if not 0 < patterns.n <= LARGEST_SHARED:
        raise OutputError(f"shares give the counts of 1 to {LARGEST_SHARED} rows; write a format with counts alone")
    return [support / patterns.n for support in patterns.supports.tolist()]


def iterate_patterns(patterns: Patterns) -> Iterator[tuple[list[int], int]]:
    """Yield the codes and the support of each pattern."""
    return zip(notation.iterate_codes(patterns.itemsets), patterns.supports.tolist(), strict=True)


def published_schema(patterns: Patterns) -> list[list[Label]]:
    """Return the groups of published items that exclude each other; what is not published is not named."""
    used = [patterns.labels[code] for code in notation.find_used_codes(patterns)]
    if patterns.schema is None or patterns.hierarchy is None:
        return [] if patterns.schema is None else patterns.schema.publish(used)
    apart = (group for values in patterns.schema for group in patterns.hierarchy.separate(values & frozenset(used)))
    return Schema.of(dict.fromkeys(apart), ()).publish(used)


def published_hierarchy(patterns: Patterns) -> list[list[Label]]:
    """Return the published items that have a published ancestor, each with the nearest."""
    used = [patterns.labels[code] for code in notation.find_used_codes(patterns)]
    return [] if patterns.hierarchy is None else [[*pair] for pair in patterns.hierarchy.limit(used)]


def read_json(data: Bytes, n: int | None = None) -> StatedPatterns:  # noqa: ARG001 - one signature for all formats
    """Return the patterns of a JSON file of ours; labels are text or whole numbers."""
    try:
        document = json.loads(notation.as_text(data))
    except ValueError as error:
        line = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "it"
        raise InputError(f"this is no JSON ({line} breaks its rules); mend it") from None
    except RecursionError:
        raise InputError(f"the JSON is nested too deeply; it must look like {SHAPE}") from None
    if not (isinstance(document, dict) and isinstance(document.get("patterns"), list)):
        raise InputError(f"the JSON holds no patterns; it must look like {SHAPE}")
    pairs = (_read_pattern(pattern, number) for number, pattern in enumerate(document["patterns"], start=1))
    stated = collect_patterns(pairs, mined=Mined(*map(document.get, STATED)))
    groups, pairs_of = (_read_groups(document.get(word), word) for word in ("schema", "hierarchy"))
    if not all(len(pair) == PAIR for pair in pairs_of or ()):
        raise InputError('the hierarchy in the JSON is no list of pairs of child and parent, such as [["a", "b"]]')
    schema = None if groups is None else Schema.of(groups, ())
    hierarchy = Hierarchy.of((child, parent) for child, parent in pairs_of) if pairs_of else None
    return replace(stated, schema=schema, hierarchy=hierarchy)


def _read_groups(groups: object, what: str) -> list[list[Label]] | None:
    """Return the groups of labels of a JSON file, of its schema or hierarchy; None if there are none."""
    if groups is None:
        return None
    if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
        raise InputError(f'the {what} in the JSON is no list of groups of labels; it must look like [["a", "b"]]')
    if not all(isinstance(label, str | int) for group in groups for label in group):
        raise InputError(f"the {what} in the JSON has labels that are neither text nor whole numbers; mend it")
    return groups


def write_json(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as JSON, in chunks."""
    texts, last = _as_json_texts(patterns), len(patterns)
    mined = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in mined_of(patterns).items()]
    place = {label: code for code, label in enumerate(patterns.labels)}
    for word, known in (("schema", published_schema(patterns)), ("hierarchy", published_hierarchy(patterns))):
        groups = (f"[{', '.join(texts[place[label]] for label in group)}]" for group in known)
        mined += [f'  "{word}": [{", ".join(groups)}],'] * bool(known)
    lines = (
        f'    {{"items": [{", ".join(texts[code] for code in itemset)}], "support": {support}}}{"," * (number < last)}'
        for number, (itemset, support) in enumerate(iterate_patterns(patterns), start=1)
    )
    return encode_lines(chain(["{", *mined, '  "patterns": ['], lines, ["  ]", "}"]))


def _as_json_texts(patterns: Patterns) -> list[str]:
    texts = [""] * len(patterns.labels)
    for code in notation.find_used_codes(patterns):
        label = patterns.labels[code]
        number = getattr(label, "__index__", None)  # numpy's integers have it too
        if isinstance(label, bool) or not (isinstance(label, str) or number):
            raise OutputError(f"item {code + 1} has a label of type {type(label).__name__}; JSON has text or integers")
        texts[code] = json.dumps(str(label), ensure_ascii=False) if isinstance(label, str) else str(label)
        if not texts[code].isascii() and any("\ud800" <= character <= "\udfff" for character in texts[code]):
            raise OutputError(f"item {code + 1} has a label that is no Unicode text; rename it")
    return texts


def _read_pattern(pattern: object, number: int) -> tuple[list[str | int], int]:
    items, support = (pattern.get("items"), pattern.get("support")) if isinstance(pattern, dict) else (None, None)
    if not (isinstance(items, list) and type(support) is int and {*map(type, items)} <= {str, int}):
        raise InputError(f"pattern {number} of the JSON is not as it must be; it must look like {SHAPE}")
    return items, support


JSON: Final = PatternFunctions(read_json, write_json)
