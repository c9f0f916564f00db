"""Columns of a table: coded as text from any frame, found by name; which are attributes, ids, dates or free text."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import AnyFrame, is_missing
from discreet.errors import InputError, Option, OptionError
from discreet.io import baskets
from discreet.io.frames import CodeArray, as_narwhals
from discreet.io.notation import Coder

Value: TypeAlias = str | bool | int | float | Decimal | date | time | timedelta
MISSING: Final = frozenset({"", "NA", "NaN"})  # texts that always mean a missing value
NUMBER: Final = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")
DATE: Final = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[ T].*)?|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d\d)(?:[ T].*)?|\d{4}/\d\d?/\d\d?.*"
)
LARGEST_WHOLE: Final = 2**53  # up to it, floats hold every whole number
WORDS: Final = 2.5  # words of a value of free text, on average
LETTERS: Final = 40  # letters of it
KEY: Final = r"(?:ids?|no|nr|nbr|num|numbers?|nummer|numero|keys?|codes?|refs?|hash|pseudonyms?|uuid|guid|identifiers?)"
WHO: Final = (
    r"(?:pat|patient(?:s|en|e)?|pacientes?|versicherten?|persons?|people|subjects?|members?|customers?|clients?|participants?|individuals?|respondents?|"
    r"beneficiary|enrollees?|insured|residents?|citizens?|donors?|users?|students?|pupils?|employees?)"
)
ROW: Final = (
    r"(?:encounters?|visits?|admissions?|adm|hadm|(?:icu_?)?stays?|episodes?|spells?|cases?|orders?|invoices?|receipts?|"
    r"transactions?|baskets?|sessions?|claims?|events?|records?|rows?|lines?|samples?|specimens?|tests?)"
)
PEOPLE: Final = (
    (re.compile(rf"(?:.*_)?(?:{WHO}_?{KEY}|id_?(?:d[eou]_)?{WHO}|(?:nhs|mrn|ssn|pid|empi|mpi)(?:_?{KEY})?)"), 2, None),
    (re.compile(rf"{WHO}|pseudonyms?"), 10, None),
    (re.compile(rf"(?!(?:.*_)?{ROW}_?ids?$)(?:.*_)?ids?|(?:full_)?name|e_?mail|phone"), 10, 10),
)
"""Names of columns of people; the fewest different values, and the most rows for each, with which a name counts."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column as text: row r holds ``texts[codes[r]]``, and nothing if its code is −1; no two texts are equal.

    It ``has_alike`` values if some texts became one when the blanks around them were taken off.
    """

    name: str
    codes: CodeArray
    texts: tuple[str, ...]
    has_alike: bool = False

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many rows hold each text."""
        return np.bincount(self.codes + 1, minlength=len(self.texts) + 1)[1:]

    @cached_property
    def filled(self) -> int:
        """How many rows hold a text."""
        return int(self.counts.sum())

    @property
    def is_total(self) -> bool:
        """Whether every row holds a text."""
        return self.filled == self.codes.size

    def recode(self, texts: Sequence[str | None]) -> "Column":
        """Return the column with other texts in place of its own, of which some may be equal or None."""
        places: dict[str, int] = {}
        lookup = [-1 if text is None else places.setdefault(text, len(places)) for text in texts]
        return Column(self.name, np.array([*lookup, -1], dtype=np.int32)[self.codes], tuple(places))


@dataclass(frozen=True, eq=False)
class TextTable:
    """A table of texts, for where no library of frames can be had: in a browser."""

    columns: list[str]
    lines: list[list[str]]

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.lines)


def code_columns(frame: AnyFrame, names: Sequence[str], wanted: Sequence[str], na: Sequence[str]) -> Iterator[Column]:
    """Yield the ``wanted`` ones of the columns ``names`` of a frame; texts in ``na`` are missing values."""
    missing = MISSING | {text.strip() for text in na}
    for name in wanted:
        codes, values = _factorize(frame, names.index(name), name)
        texts = [None if text in missing else text for text in _as_texts(values, name)]
        column = Column(name, codes, ()).recode(texts)
        is_alike = len(column.texts) + texts.count(None) < len(texts) and {*map(type, values)} <= {str}
        yield replace(column, has_alike=is_alike)


def code_others(frame: AnyFrame, known: Collection[str], na: Sequence[str] = ()) -> Iterator[Column]:
    """Yield the columns of a frame and of its index that are not ``known``, but for lists, which name nobody.

    Values that are no attribute, such as UUIDs and bytes, may name people all the same.
    """
    names = names_of(frame)
    for name in names:
        if name not in known:
            try:
                yield from code_columns(frame, names, [name], na)
            except OptionError:
                values = as_narwhals(frame)[name].to_list()
                if not any(isinstance(value, list | tuple | set | frozenset | dict | np.ndarray) for value in values):
                    yield _code_any(name, values)
    for name, values in list_index(frame).items():
        if name not in known:
            yield _code_any(name, values)


def _code_any(name: str, values: Iterable[Any]) -> Column:
    codes = Coder[str | None]()
    coded = codes.encode(None if is_missing(value) else str(value) for value in values)
    return Column(name, np.array(coded, dtype=np.int32), ()).recode(codes.values)


def list_index(frame: AnyFrame) -> dict[str, list[Any]]:
    """Return the values of the index of a frame of pandas by its names, which are no columns; none of any other."""
    if not hasattr(type(frame), "iloc"):
        return {}
    names = {str(name): at for at, name in enumerate(frame.index.names) if name is not None}
    columns = set(map(str, frame.columns)) if names else set()
    return {name: frame.index.get_level_values(at).tolist() for name, at in names.items() if name not in columns}


def read_names(names: Sequence[object]) -> list[str]:
    """Return the names of columns as text; one without a name is called by its number.

    >>> read_names(["", "sex", " age "])
    ['column1', 'sex', 'age']
    """
    texts = [str(name).strip() or f"column{at}" for at, name in enumerate(names, start=1)]
    repeated = [at for at, text in enumerate(texts, start=1) if texts.count(text) > 1]
    if repeated:
        problem = f"columns {repeated[0]} and {repeated[1]} are both called {texts[repeated[0] - 1]!r}"
        raise InputError(f"{problem}; give each column a name of its own")
    return texts


def is_person(column: Column) -> bool:
    """Return whether a column looks like ids of people of whom some have several rows."""
    different = len(column.texts)
    return different < column.filled and any(
        different >= least and (most is None or column.filled <= most * different)
        for least, most in find_person_rules(column.name)
    )


def find_person_rules(name: str) -> list[tuple[int, int | None]]:
    """Return the rules of PEOPLE for a column of this name; none if it names no people."""
    words = re.sub(r"\W+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).strip("_").lower()
    return [(least, most) for pattern, least, most in PEOPLE if pattern.fullmatch(words)]


def _has_many(column: Column) -> bool:
    """Return whether more than half of the values are different, of enough values to tell."""
    return baskets.FEW <= column.filled < 2 * len(column.texts)


def _is_repeated_id(column: Column) -> bool:
    is_named = bool(baskets.ROW_ID.search(column.name)) and _has_many(column) and len(column.texts) < column.filled
    return is_named or is_person(column)


def _is_whole(column: Column) -> bool:
    return all(text.lstrip("+-").isdecimal() for text in column.texts)


def _is_number(column: Column) -> bool:
    is_id = len(column.texts) == column.filled and _is_whole(column)
    return _has_many(column) and not is_id and all(map(_read_either, column.texts))


def _read_either(text: str) -> bool:
    return bool(NUMBER.fullmatch(text) or NUMBER.fullmatch(text.replace(",", ".")))


def _is_free_text(column: Column) -> bool:
    if not (_has_many(column) and 2 * np.count_nonzero(column.counts == 1) > column.filled):
        return False
    words, letters = (sum(map(size, column.texts)) for size in (lambda text: len(text.split()), len))
    return words >= WORDS * len(column.texts) or letters >= LETTERS * len(column.texts)


RULES: Final[tuple[tuple[str, Callable[[Column], bool]], ...]] = (
    ("empty", lambda column: not column.texts),
    ("an id that repeats", _is_repeated_id),
    ("dates", lambda column: _has_many(column) and all(map(DATE.fullmatch, column.texts))),
    ("numbers without bins", _is_number),
    ("free text", _is_free_text),
    ("an id", lambda column: _has_many(column) and len(column.texts) == column.filled),
)
"""What a column is left out as, unless its owner names it; the first rule that holds counts.

Of at least 10 values more than half must be different, but for the ids of people. Dates and numbers (whole ones only if
some repeat) are left out as such, text of several words or long text as free text, and all else if no value repeats.
"""


def judge(column: Column) -> str | None:
    """Return what a column is left out as; None if it is an attribute.

    >>> judge(Column("age", np.arange(3, dtype=np.int32), ("31", "40", "52"))), judge(
    ...     Column("stay", np.arange(12, dtype=np.int32), tuple(map(str, range(12)))))
    (None, 'an id')
    """
    return next((why for why, holds in RULES if holds(column)), None)


def _factorize(frame: AnyFrame, at: int, name: str) -> tuple[CodeArray, list[Any]]:
    """Return a code for each row of a column, −1 if it holds nothing, and the values by code."""
    if isinstance(frame, TextTable):
        coder = Coder[str]()
        return np.array(coder.encode(line[at] for line in frame.lines), dtype=np.int32), coder.values
    import narwhals as nw  # noqa: PLC0415 - loaded late, so that importing discreet is quick
    import polars as pl  # noqa: PLC0415 - the same

    try:
        if hasattr(type(frame), "iloc"):  # pandas, where columns may have any names
            codes, values = frame.iloc[:, at].factorize()
            return np.asarray(codes, dtype=np.int32), values.tolist()
        series = nw.from_native(frame, eager_only=True)[:, at].to_polars()
        different = series.drop_nulls().unique(maintain_order=True)
        numbers = pl.Series(np.arange(len(different), dtype=np.int32))
        coded = series.replace_strict(different, numbers, default=-1, return_dtype=pl.Int32)
        return coded.fill_null(-1).to_numpy().astype(np.int32), different.to_list()
    except (TypeError, pl.exceptions.PolarsError):
        raise _no_values(name) from None


def _as_texts(values: Sequence[Any], name: str) -> list[str]:
    """Return values as text: whole numbers without a point, if all numbers of the column are whole."""
    if {*map(type, values)} <= {str}:
        return [value.strip() for value in values]
    present = [value for value in values if not is_missing(value)]
    if not all(isinstance(value, Value) for value in present):
        raise _no_values(name)
    are_whole = all(
        isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_WHOLE for value in present
    )
    return ["" if is_missing(value) else str(int(value) if are_whole else value).strip() for value in values]


def _no_values(name: str) -> OptionError:
    problem = f"column {name!r} holds lists, bytes or other values that are no attribute"
    return OptionError(f"{problem}; leave it out with ", Option("drop", name))


def names_of(frame: AnyFrame) -> list[str]:
    """Return the names of the columns of a frame, each as text."""
    is_own = hasattr(type(frame), "iloc") or isinstance(frame, TextTable)
    return read_names(list(frame.columns) if is_own else as_narwhals(frame).columns)
