"""Files and frames of association rules, as mlxtend, SPMF, arules and PMML have them: numbers as they are printed."""

import ast
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from discreet.data.labels import Itemset, Label, is_missing
from discreet.errors import InputError, Option, OptionError
from discreet.io import frames
from discreet.io.files import Data, Place, check_there, load, name_of, naming, suffix_of
from discreet.io.formats import pmml
from discreet.io.formats.csv import WITHIN, records, text_of
from discreet.io.formats.spmf import NUMBER, named, names_of
from discreet.io.label_codes import as_labels, as_text
from discreet.io.stated_patterns import as_support

LINE: Final = re.compile(
    r"(?P<held>[0-9 ]*)==>(?P<also>[0-9 ]+)#SUP: *(?P<support>\S+) +#CONF: *(?P<confidence>\S+)"
    r"(?: +#LIFT: *(?P<lift>\S+))?(?: +#.*)?",
    re.ASCII,
)
SIDES: Final = (("antecedents", "consequents"), ("antecedent", "consequent"), ("lhs", "rhs"))
"""What the columns of both sides are called: by mlxtend, by others, by arules."""
HELD: Final = ("antecedent support", "coverage", "lhssupport")
"""What the column of the antecedent's support is called: by mlxtend, by arules."""
ALSO: Final = ("consequent support", "rhssupport")
READ: Final = {*(name for pair in SIDES for name in pair), "rules", "count", "support", "confidence", *HELD, *ALSO}
NO_NUMBER: Final = {"", "na", "nan", "inf", "-inf"}
"""What programs print where they divide by 0."""
ARROW: Final = re.compile(r"\s*=>\s*(?=\{)")
BETWEEN: Final = re.compile(r",(?![^\[(]*[\])])")
"""A comma between items, and none within an interval such as [20,30)."""
LONGEST_SIDE: Final = 100_000


class StatedRule(NamedTuple):
    """A rule with its numbers as they are printed: of how many ``rows``, of which ``share`` of them, of its sides."""

    antecedent: Itemset
    consequent: Itemset
    confidence: str
    rows: int | None = None
    share: str | None = None
    held: str | None = None
    also: str | None = None


class Stated(NamedTuple):
    """Rules as a source states them, ``itemsets`` with the shares that hold them, and the number of rows if it does.

    ``columns`` are others that it has, such as lift, by their names in small letters: a text of each rule, or None.
    """

    rules: tuple[StatedRule, ...]
    itemsets: tuple[tuple[Itemset, str], ...] = ()
    n: int | None = None
    columns: Mapping[str, Sequence[str | None]] = MappingProxyType({})


def read(source: Place, format: str | None = None) -> Stated:  # noqa: A002 - the word that users look for
    r"""Return the rules of a file: SPMF's, CSV of arules or mlxtend, or PMML; the suffix tells, or ``format``.

    >>> from io import BytesIO
    >>> read(BytesIO(b"1 2 ==> 3 #SUP: 4 #CONF: 0.66\n"), "spmf").rules[0].confidence
    '0.66'
    """
    name = _format(source, format)
    with naming(source):
        return READERS[name](load(source))


def from_frame(frame: Any) -> Stated:  # noqa: ANN401 - of any library
    """Return the rules of a frame in the layout of mlxtend's ``association_rules``."""
    table = frames.narwhal(frame)
    columns: dict[str, Sequence[Any]] = {str(name).lower(): table[name].to_list() for name in table.columns}
    _check_columns(columns)
    held, also = _sides(columns)
    sides = [(_side(one, at), _side(other, at)) for at, (one, other) in enumerate(zip(held, also, strict=True), 1)]
    return Stated(tuple(_stated(columns, sides)), columns=_others(columns))


def _format(source: Place, name: str | None) -> str:
    if name is not None:
        if name not in READERS:
            raise OptionError(f"format is {str(name)[:40]!r}; rules can be in one of {', '.join(READERS)}")
        return name
    suffix = suffix_of(source)
    for form, suffixes in SUFFIXES.items():
        if suffix in suffixes:
            return form
    with naming(source):
        check_there(source)
    known = ", ".join(f"{form} ({' '.join(suffixes)})" for form, suffixes in SUFFIXES.items())
    raise OptionError(
        f"the suffix of {name_of(source)} is of no format of rules; name one with ", Option("format"), f": {known}"
    )


def _spmf(data: Data) -> Stated:
    """Return the rules of SPMF: ``1 2 ==> 3 #SUP: 4 #CONF: 0.66``, with a count as support."""
    lines = [line.removesuffix("\r").rstrip() for line in as_text(data).split("\n")]
    names = names_of(lines)
    found, lifts = [], []
    for at, line in enumerate(lines, start=1):
        if line and not line.startswith(("#", "%", "@")):
            match = LINE.fullmatch(line)
            sides = [] if match is None else [match[side].split() for side in ("held", "also")]
            if match is None or not all(NUMBER.fullmatch(item) for side in sides for item in side):
                raise InputError(f"line {at} is no rule such as '1 2 ==> 3 #SUP: 4 #CONF: 0.66'; mend it")
            held, also = (frozenset(named(list(map(int, side)), names)) for side in sides)
            rows = as_support(match["support"], f"line {at}")
            found.append(StatedRule(held, also, match["confidence"], rows=rows))
            lifts.append(_number(match["lift"]))
    return Stated(tuple(found), columns={"lift": lifts})


def _csv(data: Data) -> Stated:
    """Return the rules of a CSV table: of arules, ``{a,b} => {c}``, or of mlxtend, ``frozenset({'a', 'b'})``."""
    as_text(data)
    lines = [line for line in records(text_of(data), ",") if line]
    head = [name.strip().lower() for name in lines[0]] if lines else []
    if len(lines) > 1 and len(lines[1]) == len(head) + 1:
        head = ["", *head]  # R writes the names of lines without a name for them
    for at, line in enumerate(lines[1:], start=1):
        if len(line) != len(head):
            raise InputError(f"rule {at} has {len(line)} fields, and the header has {len(head)}; mend it")
    columns = {name: [line[at] for line in lines[1:]] for at, name in enumerate(head)}
    _check_columns(columns)
    texts = _sides(columns)
    sides = [[_labels(cell, at) for at, cell in enumerate(side, start=1)] for side in texts]
    known = _known(label for side in sides for labels in side for label in labels)
    held, also = ([frozenset(known[label] for label in labels) for labels in side] for side in sides)
    return Stated(tuple(_stated(columns, list(zip(held, also, strict=True)))), columns=_others(columns))


def _pmml(data: Data) -> Stated:
    """Return the rules of an association model in PMML."""
    model = pmml.read(data)
    known = _known(label for itemset, _ in model.itemsets.values() for label in itemset)
    itemsets = {name: frozenset(known[label] for label in itemset) for name, (itemset, _) in model.itemsets.items()}
    rules = (
        StatedRule(itemsets[rule.antecedent], itemsets[rule.consequent], rule.confidence, share=rule.support)
        for rule in model.rules
    )
    columns = {name: [_number(rule.measures.get(name)) for rule in model.rules] for name in pmml.MEASURES.values()}
    said = ((itemsets[name], share) for name, (_, share) in model.itemsets.items() if share is not None)
    return Stated(tuple(rules), tuple(said), model.n, columns)


Columns: TypeAlias = Mapping[str, Sequence[Any]]


def _check_columns(columns: Columns) -> None:
    sided = "rules" in columns or any(one in columns and other in columns for one, other in SIDES)
    if not (sided and "confidence" in columns):
        raise InputError(
            "a table of rules needs the columns 'antecedents' and 'consequents' (or 'lhs' and 'rhs', or 'rules'), and "
            "'confidence'; 'support' or 'count' tell more; rename them"
        )


def _sides(columns: Columns) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the antecedents and the consequents, as they stand in their columns."""
    for one, other in SIDES:
        if one in columns and other in columns:
            return columns[one], columns[other]
    pairs = []
    for at, text in enumerate(columns["rules"], start=1):
        parts = ARROW.split(text.strip())
        if len(parts) != 2:  # noqa: PLR2004 - two sides
            raise InputError(f"rule {at} is no rule such as '{{a,b}} => {{c}}'; mend it")
        pairs.append(parts)
    return [held for held, _ in pairs], [also for _, also in pairs]


def _stated(columns: Columns, sides: list[tuple[Itemset, Itemset]]) -> Iterator[StatedRule]:
    """Yield rules with the numbers of their columns."""
    one, other = (next((columns[name] for name in names if name in columns), None) for names in (HELD, ALSO))
    for at, (held, also) in enumerate(sides):
        count = None if "count" not in columns else as_support(_text(columns["count"][at], at), f"rule {at + 1}")
        yield StatedRule(
            held,
            also,
            _text(columns["confidence"][at], at),
            count,
            None if "support" not in columns else _text(columns["support"][at], at),
            None if one is None else _text(one[at], at),
            None if other is None else _text(other[at], at),
        )


def _others(columns: Columns) -> dict[str, list[str | None]]:
    """Return the columns that are not read for rules themselves, but perhaps as measures of them."""
    return {name: list(map(_number, column)) for name, column in columns.items() if name not in READ}


def _number(value: object) -> str | None:
    """Return a measure as text; where programs divide by 0 it is no number, and says nothing."""
    return None if is_missing(value) or str(value).strip().lower() in NO_NUMBER else str(value)


def _text(value: object, at: int) -> str:
    if is_missing(value):
        raise InputError(f"rule {at + 1} lacks a number; fill it, or leave the rule out")
    return str(value)


def _side(labels: object, at: int) -> Itemset:
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise InputError(f"rule {at} has a side that is no set of items; give sets such as frozenset({{'a', 'b'}})")
    return frozenset(labels)


def _known(texts: Iterable[str | Label]) -> dict[Label, Label]:
    """Return what each label of a text file is: a whole number if all of them look so."""
    distinct = list(dict.fromkeys(texts))
    plain = [text for text in distinct if isinstance(text, str)]
    return dict(zip(distinct, as_labels(plain) if len(plain) == len(distinct) else distinct, strict=True))


def _labels(cell: str, at: int) -> list[Label]:
    """Return the labels of a side: ``{a,b}`` as arules has it, ``frozenset({'a'})`` as Python, ``a;b`` as we do."""
    text = cell.strip()
    if text.startswith("frozenset(") and text.endswith(")"):
        return _python(text.removeprefix("frozenset(").removesuffix(")"), at)
    if text.startswith("{") and text.endswith("}"):
        return [label.strip() for label in BETWEEN.split(text[1:-1]) if label.strip()]
    try:
        return [label for label in next(csv.reader([text], delimiter=WITHIN, strict=True), []) if label]
    except csv.Error:
        raise InputError(f"rule {at} has a quote that does not end; mend it") from None


def _python(text: str, at: int) -> list[Label]:
    """Return the elements of a set that Python has printed; nothing is run."""
    try:
        found = ast.literal_eval(text or "()") if len(text) <= LONGEST_SIDE else None
        labels = sorted(found, key=str) if isinstance(found, set | tuple) else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        labels = None
    if labels is None:
        raise InputError(f"rule {at} has a side that is no set such as frozenset({{'a', 'b'}}); mend it")
    return labels


READERS: Final[Mapping[str, Callable[[Data], Stated]]] = {"spmf": _spmf, "csv": _csv, "pmml": _pmml}
SUFFIXES: Final = {"spmf": (".txt", ".spmf"), "csv": (".csv",), "pmml": (".pmml", ".xml")}
