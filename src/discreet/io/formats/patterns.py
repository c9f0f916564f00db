"""Patterns as a source states them, and their formats: CSV, JSON, and that of Borgelt's programs."""

import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.hierarchy import Hierarchy
from discreet.data.itemsets import AnyFrame, Itemset, Itemsets, Label, is_missing, recode
from discreet.data.patterns import KINDS, Patterns, as_kind, as_supports, lacks_root
from discreet.data.schema import PAIR, Schema
from discreet.data.thresholds import COUNT, LARGEST_COUNT, Threshold, as_count
from discreet.errors import InputError, Option, OptionError, OutputError
from discreet.io import notation
from discreet.io.files import Bytes, Place, load, naming, suffix_of
from discreet.io.formats.cells import read_cell
from discreet.io.frames import as_narwhals
from discreet.io.mined import PERCENT, count_share
from discreet.io.notation import (
    HEADER,
    Coder,
    Value,
    as_labels,
    as_record,
    as_support,
    as_texts,
    encode_lines,
    fits_field,
)
from discreet.runtime.text import abbreviate

T = TypeVar("T")

ITEMSETS: Final = ("itemset", "itemsets", "items")  # columns of ours, of mlxtend and of arules
SHAPE: Final = '{"n": 3, "min_support": 2, "kind": "closed", "patterns": [{"items": ["a", "b"], "support": 2}]}'
BORGELT_LINE: Final = re.compile(r"(?P<items>.*)\((?P<support>[0-9]+(?P<decimals>\.[0-9]+)?)(?P<percent>%?)\)\s*")


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
    """How a format reads patterns, given ``n`` where a caller states it, and writes them in chunks."""

    read: Callable[[Bytes, int | None], StatedPatterns]
    write: Callable[[Patterns], Iterator[bytes]]


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


def read_borgelt(data: Bytes, n: int | None = None) -> StatedPatterns:
    r"""Return the patterns of a file such as ``a b c (12)``, a count; ``(12.3)`` and ``(12%)`` are shares of ``n``.

    >>> read_borgelt(b"a b (12.5)\n", 8).supports.tolist()
    [1]
    """
    return collect_patterns(_read_pairs(notation.as_lines(data), n), as_labels=as_labels)


def write_borgelt(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns with their counts, in chunks."""
    if len(patterns) == 0:
        raise OutputError("there are no patterns, and an empty file reads as a failed export; write JSON")
    texts = as_texts(patterns, "Borgelt's format", lambda text: text.split() == [text] and fits_field(text))
    pairs = iterate_patterns(patterns)
    return encode_lines(" ".join([*(texts[code] for code in one), f"({support})"]) for one, support in pairs)


def _read_pairs(lines: list[str], n: int | None) -> Iterator[tuple[list[str], int]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            match = BORGELT_LINE.fullmatch(line)
            if match is None:
                raise InputError(f"line {number} is no pattern such as 'a b c (12)', a support in brackets at its end")
            yield match["items"].split(), _read_support(match, n, f"line {number}")


def _read_support(match: re.Match[str], n: int | None, where: str) -> int:
    """Return the only count of ``n`` rows that a percentage can be: the exact one, else the one it rounds."""
    if match["decimals"] is None and not match["percent"]:
        return as_support(match["support"], where)
    return count_share(match["support"], n, where, of=PERCENT)


def read_csv(data: Bytes, n: int | None = None) -> StatedPatterns:
    r"""Return the patterns of a CSV file with the columns ``itemset`` and ``support``, such as ``bread;milk,12``.

    So are those that mlxtend's frames are saved with, ``itemsets`` and ``support`` as a share of ``n``; and those of
    arules, ``items`` such as ``{a,b}``, with a ``support`` or a ``count``.

    >>> read_csv(b"support,itemsets\n0.25,\"frozenset({'a', 'b'})\"\n", 8).supports.tolist()
    [2]
    """
    head, body = notation.read_table(data, "pattern", row_names=True)
    names = [name.strip().lower() for name in head]
    sides = [names.index(name) for name in ITEMSETS if name in names]
    if not sides or not {"support", "count"} & {*names}:
        raise InputError(f"the first line must be the header {','.join(HEADER)}, and supports counts")
    at, is_ours = sides[0], names == HEADER
    bare = [number for number, record in enumerate(body, start=1) if not record[at].startswith(("{", "frozenset("))]
    if names[0] == "" and bare:  # not the row names of R or pandas, but a comma between items
        columns = ",".join(HEADER)
        raise InputError(f"pattern {bare[0]} has {len(names)} fields; it must have {len(HEADER)}: {columns}")
    support = names.index("count" if "count" in names else "support")
    written = [record[support].strip() for record in body]
    is_whole = all(map(COUNT.fullmatch, written)) and any(text not in {"0", "1"} for text in written)
    is_count = is_ours or names[support] == "count" or is_whole
    pairs = []
    for number, (record, text) in enumerate(zip(body, written, strict=True), start=1):
        where = f"pattern {number}"
        labels = notation.split_cell(record[at], where) if is_ours else read_cell(record[at], where)
        pairs.append((labels, as_support(text, where) if is_count else count_share(text, n, where)))
    return collect_patterns(pairs, as_labels=_as_texts_or_labels)


def _as_texts_or_labels(values: list[Label]) -> Sequence[Label]:
    texts = [value for value in values if isinstance(value, str)]
    return as_labels(texts) if len(texts) == len(values) else values


def write_csv(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as a CSV file, in chunks."""
    cells = [notation.quote_label(text) for text in as_texts(patterns, "CSV", fits_field)]
    pairs = iterate_patterns(patterns)
    lines = (as_record([notation.WITHIN.join([cells[code] for code in one]), support]) for one, support in pairs)
    return encode_lines(chain([as_record(HEADER)], lines))


def read_shares(source: Place, format: str | None = None) -> list[tuple[Itemset, str]]:  # noqa: A002 - as in read
    r"""Return the itemsets of a CSV file with the header ``itemset,support``, and their supports as text.

    >>> from io import BytesIO
    >>> read_shares(BytesIO(b"itemset,support\na;b,12.5%\n"), "csv") == [({"a", "b"}, "12.5%")]
    True
    """
    if (suffix_of(source).removeprefix(".") if format is None else format) != "csv":
        raise OptionError("rounded shares are read from CSV files with the columns itemset and support; give one")
    with naming(source):
        records = list(_read_pattern_records(load(source), "shares such as 12.5%"))
        itemsets = [_read_itemset(record, number) for number, record in enumerate(records, start=1)]
        distinct = list(dict.fromkeys(chain.from_iterable(itemsets)))
        label_of = dict(zip(distinct, as_labels(distinct), strict=True))
        labelled = (frozenset(map(label_of.__getitem__, itemset)) for itemset in itemsets)
        return list(zip(labelled, [record[1] for record in records], strict=True))


def read_frame_of_shares(frame: AnyFrame) -> list[tuple[Itemset, str]]:
    """Return the itemsets of a frame in the layout of mlxtend, and their supports as text."""
    table = as_narwhals(frame)
    if not {"itemsets", "support"} <= set(table.columns):
        raise InputError("a frame of patterns needs the columns 'support' and 'itemsets'; rename them")
    supports = table["support"].to_list()
    missing = sum(map(is_missing, supports))
    if missing:
        raise InputError(f"{missing:,} of {len(supports):,} supports are missing; fill them, or leave their lines out")
    return [(frozenset(one), str(share)) for one, share in zip(table["itemsets"].to_list(), supports, strict=True)]


def _read_pattern_records(data: Bytes, supports: str) -> Iterator[list[str]]:
    records = filter(None, notation.read_records(notation.open_text(data)))
    if next(records, None) != HEADER:
        raise InputError(f"the first line must be the header {','.join(HEADER)}, and supports {supports}")
    return records


def _read_itemset(record: list[str], number: int) -> list[str]:
    if len(record) != len(HEADER):
        raise InputError(f"pattern {number} has {len(record)} fields; it must have {len(HEADER)}: {','.join(HEADER)}")
    return notation.split_cell(record[0], f"pattern {number}")


CSV: Final = PatternFunctions(read_csv, write_csv)
JSON: Final = PatternFunctions(read_json, write_json)
BORGELT: Final = PatternFunctions(read_borgelt, write_borgelt)
