"""Files of sensitive itemsets: one per line, with the share that may stay, or any format of patterns."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from discreet.data import query
from discreet.data.itemsets import Itemset, Label
from discreet.data.query import Name
from discreet.data.thresholds import as_disclosure
from discreet.errors import InputError, OptionError, ThresholdError
from discreet.io.files import Bytes, Place, load, name_of, naming, suffix_of
from discreet.io.notation import LONE_RETURN, as_text, iterate_codes
from discreet.io.sources import FORMATS, Format, pattern_functions

TEXT: Final = "text"
PATTERNS: Final = {form.name: form for form in FORMATS.values() if form.patterns}
SUPPORT: Final = b"#SUP:"  # patterns of SPMF have this; text does not. Both may be in a .txt file
ANY_ROWS: Final = 10**15  # a number of rows of which every percentage is a count, for supports that are ignored
_PART: Final = re.compile(
    rf"""(?P<comment>\#.*)
    | (?P<gap>[\s,&∧]+)
    | (?P<bare>{query.BARE})
    | (?P<quoted>{query.QUOTED})
    | @\s*(?P<share>[^\s\#]*)
    | (?P<other>.)""",
    re.VERBOSE,
)
NamedEntry: TypeAlias = tuple[str, tuple[Name, ...], Fraction | None]  # a place, the names there, and the share if any
_HELP: Final = "write items with blanks between them, those with blanks or signs in quotes, at the end perhaps @ 10%"


class NamedItemsets(NamedTuple):
    """Sensitive itemsets as a ``source`` names them, and the share of its rows in which each may still be found."""

    source: str
    places: tuple[str, ...]  # for messages
    itemsets: tuple[tuple[Name, ...], ...]
    disclosures: tuple[Fraction | None, ...]

    def among(self, code: Mapping[Label, int], *, show_labels: bool = False) -> list[Itemset]:
        """Return the itemsets as labels in ``code``; refuse an item that no row has, named only with ``show_labels``.

        >>> named = read(b"bread 42 @ 10%", "the file", None)
        >>> named.among({"bread": 0, 42: 1}) == [{"bread", 42}], named.among({"bread": 0, "42": 1}) == [{"bread", "42"}]
        (True, True)
        """
        labels = {number: label for label, number in code.items()}
        codes = query.find_codes((name for itemset in self.itemsets for name in itemset), code)
        for place, itemset in zip(self.places, self.itemsets, strict=True):
            for number, name in enumerate(itemset, start=1):
                if len(codes[name]) != 1:
                    item = f"item {number} ({name.text!r})" if show_labels else f"item {number}"
                    raise InputError(f"{self.source}: ", f"{place}, {item} {_explain(len(codes[name]))}")
        return [frozenset(labels[codes[name][0]] for name in itemset) for itemset in self.itemsets]


def read_sensitive(source: Place, *, format: str | None = None) -> NamedItemsets:  # noqa: A002 - as in read
    r"""Return the sensitive itemsets of a file, for ``hide``: one per line, or any format of ``read_patterns``.

    A line lists items, bare or in quotes as in queries, separated by blanks, commas or ``&``; ``@ 10%`` at its end is
    the share of its rows in which it may still be found. ``#`` begins a comment. The names are matched to labels when
    the rows are known. ``format`` is "text" or one of patterns; by default the suffix decides.

    >>> from io import BytesIO
    >>> from discreet import hide
    >>> sensitive = read_sensitive(BytesIO(b"bread, 'red wine'  # for the partners\n"))
    >>> hidden = hide([["bread", "red wine", "tea"], ["bread", "tea"]], sensitive)
    >>> hidden.before.tolist(), hidden.after.tolist()
    ([1], [0])
    """
    with naming(source):
        data = load(source)
        return read(data, name_of(source), find_pattern_format(source, format, data))


def read(data: Bytes, source: str, form: Format | None) -> NamedItemsets:
    r"""Return the sensitive itemsets of a file: patterns of a format, without their supports, or text.

    >>> named = read(b"# not for the partners\nbread, 'red wine' @ 10%\nbeer & chips\n", "the file", None)
    >>> named.places, named.disclosures
    (('line 2', 'line 3'), (Fraction(1, 10), None))
    >>> [[name.text for name in itemset] for itemset in named.itemsets]
    [['bread', 'red wine'], ['beer', 'chips']]
    """
    entries = list(_read_text(data) if form is None else _read_patterns(data, form))
    for place, itemset, _ in entries:
        if not itemset:
            raise InputError(f"{place} names no item; the empty itemset is held by every row: leave it out")
    if not entries:
        raise InputError("no sensitive itemset is named; write one per line, such as: bread milk @ 10%")
    places, itemsets, disclosures = zip(*entries, strict=True)
    return NamedItemsets(source, places, itemsets, disclosures)


def find_pattern_format(place: Place, name: str | None, data: Bytes) -> Format | None:
    """Return the format of patterns by its ``name`` or the suffix of ``place``; None is text.

    >>> find_pattern_format("a.txt", None, b"bread milk"), find_pattern_format("a.txt", None, b"1 2 #SUP: 3").name
    (None, 'spmf')
    """
    if name is not None:
        if name not in {TEXT, *PATTERNS}:
            known = ", ".join([TEXT, *PATTERNS])
            raise OptionError(f"format is {str(name)[:40]!r}; sensitive itemsets can be in one of {known}")
        return PATTERNS.get(name)
    suffix = suffix_of(place)
    if suffix == ".txt" and SUPPORT not in data:
        return None
    return next((form for form in PATTERNS.values() if suffix in form.suffixes), None)


def _read_patterns(data: Bytes, form: Format) -> Iterator[NamedEntry]:
    stated = pattern_functions(form).read(data, ANY_ROWS)
    names = [Name(str(label), label) for label in stated.labels]
    for number, itemset in enumerate(iterate_codes(stated.itemsets), start=1):
        yield f"itemset {number}", tuple(names[code] for code in itemset), None


def _read_text(data: Bytes) -> Iterator[NamedEntry]:
    for number, line in enumerate(as_text(data).split("\n"), start=1):
        names, share = _read_line(line.removesuffix("\r"), f"line {number}")
        if names or share is not None:
            yield f"line {number}", tuple(names), share


def _read_line(line: str, place: str) -> tuple[list[Name], Fraction | None]:
    names: list[Name] = []
    share: Fraction | None = None
    apart = True  # whether a separator follows the last item
    for match in _PART.finditer(line):
        text, column = match.group(), match.start() + 1
        sign = query.SIGNS.get(text.lower())
        if match.lastgroup == "comment":
            break
        if match.lastgroup == "gap" and "\r" in text:
            raise InputError(f"{place} holds {LONE_RETURN}")
        if match.lastgroup == "gap" or sign == "&":
            apart = True
        elif share is not None:
            raise InputError(f"{place} goes on at column {column} after its share; @ 10% must stand at the end")
        elif match.lastgroup == "share":
            share = _read_share(match["share"], place)
        elif match.lastgroup == "other" or sign or not apart:
            raise InputError(f"{place} has something at column {column} that is no item; {_HELP}")
        else:
            names.append(query.as_name(text, column))
            apart = False
    return names, share


def _read_share(text: str, place: str) -> Fraction:
    try:
        return as_disclosure(text)
    except ThresholdError:
        raise InputError(f"{place} has after its @ no share from 0 to 1; write one such as @ 0.1 or @ 10%") from None


def _explain(many: int) -> str:
    if many:
        return f"is ambiguous: {many} labels of the rows have this text; put it in quotes if text is meant"
    return "is in no row; check how it is written, put it in quotes if it has blanks or signs, or leave the itemset out"
