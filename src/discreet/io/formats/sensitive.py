"""Files of sensitive itemsets: one a line in words, with the share that may stay; or any format of patterns."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from discreet.data import query
from discreet.data.labels import Itemset, Label
from discreet.data.query import Name
from discreet.data.thresholds import as_disclosure
from discreet.errors import InputError, OptionError, ThresholdError
from discreet.io.files import Data, Place, suffix_of
from discreet.io.label_codes import LONE_RETURN, as_text, ragged
from discreet.io.registry import FORMATS, Format

if TYPE_CHECKING:
    from discreet.io.stated_patterns import Listed

TEXT: Final = "text"
PATTERNS: Final = {form.name: form for form in FORMATS.values() if form.patterns}
SUPPORT: Final = b"#SUP:"
"""What tells patterns of SPMF from text, both of which may stand in a .txt file."""
ANY_ROWS: Final = 10**15
"""A number of rows of which every percentage is a count: of supports that are not looked at."""

_PART: Final = re.compile(
    rf"""(?P<comment>\#.*)
    | (?P<gap>[\s,&∧]+)
    | (?P<bare>{query.BARE})
    | (?P<quoted>{query.QUOTED})
    | @\s*(?P<share>[^\s\#]*)
    | (?P<other>.)""",
    re.VERBOSE,
)
_HELP: Final = "write items with blanks between them, those with blanks or signs in quotes, at the end perhaps @ 10%"


class Named(NamedTuple):
    """Sensitive itemsets as a ``source`` names them, and the share of its rows in which each may still be found.

    That is None where the source does not say. ``places`` tells where each stands, for messages.
    """

    source: str
    places: tuple[str, ...]
    itemsets: tuple[tuple[Name, ...], ...]
    disclosures: tuple[Fraction | None, ...]

    def among(self, code: Mapping[Label, int], *, show_labels: bool = False) -> list[Itemset]:
        """Return the itemsets by the labels of rows, ``code``, that they name.

        An item that no row has is refused: by its place, and by what it is called only if ``show_labels`` says so.

        >>> named = read(b"bread 42 @ 10%", "the file", None)
        >>> named.among({"bread": 0, 42: 1}) == [{"bread", 42}], named.among({"bread": 0, "42": 1}) == [{"bread", "42"}]
        (True, True)
        """
        labels = {number: label for label, number in code.items()}
        found = query.called((name for itemset in self.itemsets for name in itemset), code)
        for place, itemset in zip(self.places, self.itemsets, strict=True):
            for number, name in enumerate(itemset, start=1):
                if len(found[name]) != 1:
                    item = f"item {number} ({name.text!r})" if show_labels else f"item {number}"
                    raise InputError(f"{self.source}: {place}, {item} {_wrong(len(found[name]))}")
        return [frozenset(labels[found[name][0]] for name in itemset) for itemset in self.itemsets]


def read(data: Data, source: str, form: Format | None) -> Named:
    r"""Return the sensitive itemsets of a file: patterns of a format, whose supports are left, or text without one.

    >>> named = read(b"# not for the partners\nbread, 'red wine' @ 10%\nbeer & chips\n", "the file", None)
    >>> named.places, named.disclosures
    (('line 2', 'line 3'), (Fraction(1, 10), None))
    >>> [[name.text for name in itemset] for itemset in named.itemsets]
    [['bread', 'red wine'], ['beer', 'chips']]
    """
    found = list(_of_text(data) if form is None else _of_patterns(data, form))
    for place, itemset, _ in found:
        if not itemset:
            raise InputError(f"{place} names no item; the empty itemset is held by every row: leave it out")
    if not found:
        raise InputError("no sensitive itemset is named; write one per line, such as: bread milk @ 10%")
    places, itemsets, disclosures = zip(*found, strict=True)
    return Named(source, places, itemsets, disclosures)


def format_of(place: Place, name: str | None, data: Data) -> Format | None:
    """Return the format of patterns that ``name`` or the suffix of ``place`` tells; None is text.

    >>> format_of("secret.txt", None, b"bread milk"), format_of("secret.txt", None, b"1 2 #SUP: 3").name
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


def _of_patterns(data: Data, form: Format) -> Iterator[tuple[str, tuple[Name, ...], None]]:
    listed: Listed = form.module.read_patterns(data, ANY_ROWS)
    names = [Name(str(label), label) for label in listed.labels]
    for number, itemset in enumerate(ragged(listed.offsets, listed.items), start=1):
        yield f"itemset {number}", tuple(names[code] for code in itemset), None


def _of_text(data: Data) -> Iterator[tuple[str, tuple[Name, ...], Fraction | None]]:
    for number, line in enumerate(as_text(data).split("\n"), start=1):
        names, share = _parts(line.removesuffix("\r"), f"line {number}")
        if names or share is not None:
            yield f"line {number}", tuple(names), share


def _parts(line: str, place: str) -> tuple[list[Name], Fraction | None]:
    """Return the names of items in a line, and the share at its end if there is one."""
    names: list[Name] = []
    share: Fraction | None = None
    apart = True  # whether something stands between the last item and what comes
    for match in _PART.finditer(line):
        found, column = match.group(), match.start() + 1
        sign = query.SIGNS.get(found.lower())
        if match.lastgroup == "comment":
            break
        if match.lastgroup == "gap" and "\r" in found:
            raise InputError(f"{place} holds {LONE_RETURN}")
        if match.lastgroup == "gap" or sign == "&":
            apart = True
        elif share is not None:
            raise InputError(f"{place} goes on at column {column} after its share; @ 10% must stand at the end")
        elif match.lastgroup == "share":
            share = _share(match["share"], place)
        elif match.lastgroup == "other" or sign or not apart:
            raise InputError(f"{place} has something at column {column} that is no item; {_HELP}")
        else:
            names.append(query.as_name(found, column))
            apart = False
    return names, share


def _share(text: str, place: str) -> Fraction:
    try:
        return as_disclosure(text)
    except ThresholdError:
        raise InputError(f"{place} has after its @ no share from 0 to 1; write one such as @ 0.1 or @ 10%") from None


def _wrong(many: int) -> str:
    if many:
        return f"is ambiguous: {many} labels of the rows have this text; put it in quotes if text is meant"
    return "is in no row; check how it is written, put it in quotes if it has blanks or signs, or leave the itemset out"
