"""Trees as their files state them, with numbers as they are printed, and the rows that a tree was fitted on."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.data.thresholds import NUMBER, parse_exact
from discreet.errors import InputError
from discreet.io import frames
from discreet.io.files import is_place, load, naming
from discreet.io.notation import read_table

ENDLESS: Final = {"inf", "-inf"}  # the thresholds by which scikit-learn splits off missing values
MOST_COUNTS: Final = 10_000_000  # of nodes and classes; a file may name a class once, but each node has a count of it
CONTRADICT: Final = "The names of its classes contradict each other, so the file is not as it was written."
NEGATED: Final = {"<=": ">", ">": "<=", "<": ">=", ">=": "<"}


class Test(NamedTuple):
    """A condition on a row: a feature, a sign of ``NEGATED`` and a number as printed, or only words."""

    words: str = ""
    feature: str = ""
    sign: str = ""
    number: str = ""

    def negate(self) -> "Test":
        """Return the opposite of a condition with a sign."""
        return self._replace(sign=NEGATED[self.sign])


class Node(NamedTuple):
    """A node: its parent, the tests that lead to it, and its numbers as printed, empty if not stated."""

    parent: int  # -1: the root
    tests: tuple[Test, ...] = ()
    rows: str = ""  # may end with %
    counts: tuple[str, ...] = ()  # one for each class
    is_pure: bool = False  # all rows have the mean, as far as digits show
    mean: str = ""
    error: str = ""  # squared


class StatedTree(NamedTuple):
    """A tree as a file states it; each node comes after its parent, and takes the rows that no earlier child takes."""

    nodes: tuple[Node, ...]
    classes: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    doubt: str = ""  # why its numbers need not be counts of rows
    fault: str = ""  # why its counts cannot be known
    digits: int | None = None  # decimal places of rounded numbers
    hidden: tuple[tuple[int, Test], ...] = ()  # tests of nodes, by number, below which nothing is shown
    is_median: bool = False  # its leaves may state medians
    is_single: bool = False  # features were compared as floats of 32 bits
    is_rounded: bool = False  # its counts may have been rounded to whole numbers
    mean_digits: int | None = None


def is_number(text: str) -> bool:
    """Return whether a text is a threshold."""
    return text in ENDLESS or NUMBER.fullmatch(text) is not None


def digits_of(text: str) -> int:
    """Return the number of decimal places.

    >>> digits_of("12.50"), digits_of("3"), digits_of("1e-05")
    (2, 0, 5)
    """
    mantissa, _, power = text.lower().partition("e")
    return max(0, len(mantissa.partition(".")[2]) - int(power or 0))


def check_room(nodes: int, classes: int) -> None:
    """Refuse more counts than fit into memory: a small file may leave out most of them, which are 0."""
    if nodes * classes > MOST_COUNTS:
        raise InputError(f"{nodes:,} nodes of {classes:,} classes have too many counts; give a smaller tree")


def name_classes(nodes: Iterable[tuple[Sequence[str], str]], where: str) -> tuple[tuple[str, ...], bool]:
    """Return the names of the classes, and whether names contradict each other.

    A node has the rows of each class, in a fixed order, and the name of the largest alone; of equal counts it is the
    first. A class that is largest nowhere goes by its place.

    >>> name_classes([(["3", "9", "0"], "well"), (["4", "4", "0"], "ill")], "the tree")
    (('ill', 'well', 'no. 3'), False)
    """
    names: dict[int, str] = {}
    width, contradict = None, False
    for texts, name in nodes:
        width = len(texts) if width is None else width
        numbers = [number for number in map(parse_exact, texts) if number is not None]
        if not len(numbers) == len(texts) == width:
            raise InputError(f"{where} has nodes with more counts than others, or with broken ones; write it again")
        largest = [at for at, number in enumerate(numbers) if number == max(numbers)]
        is_sure = len(largest) == 1 or all(number.denominator == 1 for number in numbers)
        if largest and name and is_sure:
            contradict |= names.setdefault(largest[0], name) != name
    return tuple(names.get(at, f"no. {at + 1}") for at in range(width or 0)), contradict


class Features(NamedTuple):
    """The values of ``n`` rows, by feature; missing ones are NaN."""

    n: int
    columns: Mapping[str, NDArray[np.float64]]

    def as_single(self) -> "Features":
        """Return the values rounded to floats of 32 bits, as scikit-learn compares them."""
        with np.errstate(over="ignore"):  # larger values become infinite
            columns = {name: one.astype(np.float32).astype(np.float64) for name, one in self.columns.items()}
        return Features(self.n, columns)


def read_features(source: frames.AnySource, wanted: Sequence[str]) -> Features:
    r"""Return the ``wanted`` columns of a CSV file with a header, or of a frame.

    >>> from io import BytesIO
    >>> read_features(BytesIO(b"age,name\n41,ann\n,bob\n"), ["age"]).columns["age"].tolist()
    [41.0, nan]
    """
    if is_place(source):
        with naming(source):
            head, *body = read_table(load(source), "row")
            _check_columns(head, wanted)
            places = {name: head.index(name) for name in wanted}
            columns = {name: _as_numbers([record[place] for record in body]) for name, place in places.items()}
            return Features(len(body), columns)
    if not hasattr(type(source), "columns"):
        raise InputError("rows are no table with named columns; give a CSV file with a header, or a frame")
    table = frames.as_narwhals(source)
    _check_columns(list(map(str, table.columns)), wanted)
    return Features(len(table), {name: _as_numbers(table[name].to_list()) for name in wanted})


def _check_columns(head: Sequence[str], wanted: Sequence[str]) -> None:
    many = Counter(head)
    lacking = sum(many[name] != 1 for name in wanted)
    if lacking:
        problem = f"{lacking:,} of the {len(wanted):,} features of the tree are not the name of just one column"
        raise InputError(f"{problem} of the rows; give the features of the fit, by the names in the tree")


def _as_numbers(values: Sequence[Any]) -> NDArray[np.float64]:
    try:
        return np.array([np.nan if value in (None, "") else float(value) for value in values], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("a feature of the rows holds what is no number; give those of the fit as numbers") from None
