"""Association rules in files and frames of mlxtend, SPMF, arules and PMML; numbers stay as they are printed."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from discreet.data.itemsets import AnyFrame, Itemset, Label, is_missing
from discreet.errors import InputError, Option, OptionError
from discreet.io import frames
from discreet.io.files import Bytes, Place, check_there, load, name_of, naming, suffix_of
from discreet.io.formats import pmml
from discreet.io.formats.cells import read_cells
from discreet.io.formats.fimi import NUMBER, find_labels, read_names
from discreet.io.formats.pattern_tables import read_listed
from discreet.io.notation import as_labels, as_support, as_text

LINE: Final = re.compile(
    r"(?P<held>[0-9 ]*)==>(?P<also>[0-9 ]+)#SUP: *(?P<support>\S+) +#CONF: *(?P<confidence>\S+)"
    r"(?: +#LIFT: *(?P<lift>\S+))?(?: +#.*)?",
    re.ASCII,
)
# The columns of both sides and of their supports: of mlxtend, of others, of arules.
SIDES: Final = (("antecedents", "consequents"), ("antecedent", "consequent"), ("lhs", "rhs"))
HELD: Final = ("antecedent support", "coverage", "lhssupport")
ALSO: Final = ("consequent support", "rhssupport")
READ: Final = {*(name for pair in SIDES for name in pair), "rules", "count", "support", "confidence", *HELD, *ALSO}
NO_NUMBER: Final = {"", "na", "nan", "inf", "-inf"}  # programs print these where they divide by 0
ARROW: Final = re.compile(r"\s*=>\s*(?=\{)")


class StatedRule(NamedTuple):
    """A rule with its numbers as printed: its count of ``rows``, its ``share``, and the supports of both sides."""

    antecedent: Itemset
    consequent: Itemset
    confidence: str
    rows: int | None = None
    share: str | None = None
    held: str | None = None
    also: str | None = None


class StatedRules(NamedTuple):
    """Rules as a source states them, ``itemsets`` with shares, the number of rows, and other columns, such as lift."""

    rules: tuple[StatedRule, ...]
    itemsets: tuple[tuple[Itemset, str], ...] = ()
    n: int | None = None
    columns: Mapping[str, Sequence[str | None]] = MappingProxyType({})


def read_stated_rules(source: Place, format: str | None = None) -> StatedRules:  # noqa: A002 - the word that users look for
    r"""Return the rules of a file: SPMF, CSV of arules or mlxtend, or PMML, by its suffix or ``format``.

    >>> from io import BytesIO
    >>> read_stated_rules(BytesIO(b"1 2 ==> 3 #SUP: 4 #CONF: 0.66\n"), "spmf").rules[0].confidence
    '0.66'
    """
    name = _find_format(source, format)
    with naming(source):
        return READERS[name](load(source))


def read_frame_of_rules(frame: AnyFrame) -> StatedRules:
    """Return the rules of a frame in the layout of mlxtend's ``association_rules``."""
    table = frames.as_narwhals(frame)
    columns: dict[str, Sequence[Any]] = {str(name).lower(): table[name].to_list() for name in table.columns}
    _check_columns(columns)
    held, also = ([_as_itemset(one, at) for at, one in enumerate(side, start=1)] for side in _find_sides(columns))
    return _state_rules(columns, held, also)


def _find_format(source: Place, name: str | None) -> str:
    if name is not None:
        if name not in READERS:
            raise OptionError(f"format is {str(name)[:40]!r}; rules can be in one of {', '.join(READERS)}")
        return name
    for form, suffixes in SUFFIXES.items():
        if suffix_of(source) in suffixes:
            return form
    with naming(source):
        check_there(source)
    known = ", ".join(f"{form} ({' '.join(suffixes)})" for form, suffixes in SUFFIXES.items())
    raise OptionError(f"the suffix of {name_of(source)} is of no format of rules; use ", Option("format"), f": {known}")


def _read_spmf(data: Bytes) -> StatedRules:
    """Return the rules of SPMF: ``1 2 ==> 3 #SUP: 4 #CONF: 0.66``, with a count as support."""
    lines = [line.removesuffix("\r").rstrip() for line in as_text(data).split("\n")]
    names = read_names(lines)
    rules, lifts = [], []
    for at, line in enumerate(lines, start=1):
        if line and not line.startswith(("#", "%", "@")):
            match = LINE.fullmatch(line)
            sides = [] if match is None else [match[side].split() for side in ("held", "also")]
            if match is None or not all(NUMBER.fullmatch(item) for side in sides for item in side):
                raise InputError(f"line {at} is no rule such as '1 2 ==> 3 #SUP: 4 #CONF: 0.66'; mend it")
            held, also = (frozenset(find_labels(list(map(int, side)), names)) for side in sides)
            rows = as_support(match["support"], f"line {at}")
            rules.append(StatedRule(held, also, match["confidence"], rows=rows))
            lifts.append(_as_measure(match["lift"]))
    return StatedRules(tuple(rules), columns={"lift": lifts})


def _read_csv(data: Bytes) -> StatedRules:
    """Return the rules of a CSV table: of arules, ``{a,b} => {c}``, or of mlxtend, ``frozenset({'a', 'b'})``."""
    _, names, body = read_listed(data, "rule", (["confidence"],))
    columns = {name: [record[at] for record in body] for at, name in enumerate(names)}
    _check_columns(columns)
    cells = list(chain.from_iterable(_find_sides(columns)))
    sides, doubt = read_cells(cells, [f"rule {at}" for at in range(1, len(body) + 1)] * 2)
    if doubt:
        raise InputError(doubt)
    label_of = _as_labels(chain.from_iterable(sides))
    itemsets = [frozenset(label_of[label] for label in labels) for labels in sides]
    return _state_rules(columns, itemsets[: len(body)], itemsets[len(body) :])


def _read_pmml(data: Bytes) -> StatedRules:
    model = pmml.read_association_model(data)
    label_of = _as_labels(label for itemset, _ in model.itemsets.values() for label in itemset)
    itemsets = {name: frozenset(label_of[label] for label in itemset) for name, (itemset, _) in model.itemsets.items()}
    sides = ((itemsets[rule["antecedent"]], itemsets[rule["consequent"]]) for rule in model.rules)
    paired = zip(sides, model.rules, strict=True)
    rules = (StatedRule(*both, rule["confidence"], share=rule["support"]) for both, rule in paired)
    columns = {name: [_as_measure(rule.get(key)) for rule in model.rules] for key, name in pmml.MEASURES.items()}
    shares = ((itemsets[name], share) for name, (_, share) in model.itemsets.items() if share is not None)
    return StatedRules(tuple(rules), tuple(shares), model.n, columns)


RuleColumns: TypeAlias = Mapping[str, Sequence[Any]]


def _check_columns(columns: RuleColumns) -> None:
    has_sides = "rules" in columns or any(one in columns and other in columns for one, other in SIDES)
    if not (has_sides and "confidence" in columns):
        sides = "'antecedents' and 'consequents' (or 'lhs' and 'rhs', or 'rules')"
        raise InputError(f"a table of rules needs the columns {sides}, and 'confidence'; rename them")


def _find_sides(columns: RuleColumns) -> tuple[Sequence[Any], Sequence[Any]]:
    for one, other in SIDES:
        if one in columns and other in columns:
            return columns[one], columns[other]
    pairs = [ARROW.split(text.strip()) for text in columns["rules"]]
    for at, parts in enumerate(pairs, start=1):
        if len(parts) != 2:  # noqa: PLR2004 - two sides
            raise InputError(f"rule {at} is no rule such as '{{a,b}} => {{c}}'; mend it")
    return [held for held, _ in pairs], [also for _, also in pairs]


def _state_rules(columns: RuleColumns, held: Sequence[Itemset], also: Sequence[Itemset]) -> StatedRules:
    numbers = (("count",), ("support",), HELD, ALSO)
    stated = [next((columns[name] for name in names if name in columns), None) for names in numbers]
    rules = []
    for at, sides in enumerate(zip(held, also, strict=True)):
        count, *supports = (None if column is None else _as_number(column[at], at) for column in stated)
        rows = None if count is None else as_support(count, f"rule {at + 1}")
        rules.append(StatedRule(*sides, _as_number(columns["confidence"][at], at), rows, *supports))
    measures = {name: list(map(_as_measure, column)) for name, column in columns.items() if name not in READ}
    return StatedRules(tuple(rules), columns=measures)


def _as_measure(value: object) -> str | None:
    return None if is_missing(value) or str(value).strip().lower() in NO_NUMBER else str(value)


def _as_number(value: object, at: int) -> str:
    if is_missing(value):
        raise InputError(f"rule {at + 1} lacks a number; fill it, or leave the rule out")
    return str(value)


def _as_itemset(labels: object, at: int) -> Itemset:
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise InputError(f"rule {at} has a side that is no set of items; give sets such as frozenset({{'a', 'b'}})")
    return frozenset(labels)


def _as_labels(texts: Iterable[Label]) -> dict[Label, Label]:
    """Return the label of each text: a whole number if all of them look so."""
    distinct = list(dict.fromkeys(texts))
    words = [text for text in distinct if isinstance(text, str)]
    return dict(zip(distinct, as_labels(words) if len(words) == len(distinct) else distinct, strict=True))


READERS: Final[Mapping[str, Callable[[Bytes], StatedRules]]] = {
    "spmf": _read_spmf,
    "csv": _read_csv,
    "pmml": _read_pmml,
}
SUFFIXES: Final = {"spmf": (".txt", ".spmf"), "csv": (".csv", ".tsv", ".tab"), "pmml": (".pmml", ".xml")}
