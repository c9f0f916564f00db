"""Trees as their files state them: nodes, what leads to them, and their numbers as they are printed."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from discreet.data.thresholds import NUMBER, exact
from discreet.errors import InputError

ENDLESS: Final = {"inf", "-inf"}
"""Where scikit-learn splits off what is missing, the threshold is no number."""
MOST_COUNTS: Final = 10_000_000
"""Of nodes and classes; a file may name a class once, but each node has a count of it."""
CONTRADICT: Final = "The names of its classes contradict each other, so that it was not written as it is."
NEGATED: Final = {"<=": ">", ">": "<=", "<": ">=", ">=": "<"}


class Test(NamedTuple):
    """What must hold of a row: a feature, a sign of ``NEGATED`` and a number as printed; or only words."""

    words: str = ""
    feature: str = ""
    sign: str = ""
    number: str = ""


class Node(NamedTuple):
    """A node: the number of its parent, −1 if it is the root, what leads there from it, and its numbers as printed.

    ``rows`` may end with %, and is empty where it is not told, as ``counts`` are, one for each class. A tree of means
    tells the ``mean`` and perhaps the squared ``error``; ``is_pure`` says that all rows have it, as far as digits tell.
    """

    parent: int
    tests: tuple[Test, ...] = ()
    rows: str = ""
    counts: tuple[str, ...] = ()
    is_pure: bool = False
    mean: str = ""
    error: str = ""


class Named(NamedTuple):
    """The counts of a node, by class, and what the class of the largest is called, if that is told."""

    counts: Sequence[str]
    name: str


class Stated(NamedTuple):
    """A tree as it is stated; each node comes after its parent, and takes the rows that none before it takes there.

    ``doubt`` is why its numbers need not be counts of rows, and ``fault`` why they cannot be told. ``digits`` are
    those that numbers were rounded to, if they were; ``hidden`` are tests of nodes, by number, below which
    nothing is shown. ``is_median`` says that its leaves tell medians, or may; ``is_single`` that features were compared
    as floats of 32 bits; ``is_rounded`` that its counts may have been rounded to whole numbers. ``mean_digits`` are
    those of means.
    """

    nodes: tuple[Node, ...]
    classes: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    doubt: str = ""
    fault: str = ""
    digits: int | None = None
    hidden: tuple[tuple[int, Test], ...] = ()
    is_median: bool = False
    is_single: bool = False
    is_rounded: bool = False
    mean_digits: int | None = None


def is_number(text: str) -> bool:
    """Return whether a text is a threshold."""
    return text in ENDLESS or NUMBER.fullmatch(text) is not None


def digits_of(text: str) -> int:
    """Return how many digits stand behind the point.

    >>> digits_of("12.50"), digits_of("3"), digits_of("1e-05")
    (2, 0, 5)
    """
    mantissa, _, power = text.lower().partition("e")
    return max(0, len(mantissa.partition(".")[2]) - int(power or 0))


def check_room(nodes: int, classes: int) -> None:
    """Refuse more counts than fit into memory: the file may be small where most of them are 0 and not told."""
    if nodes * classes > MOST_COUNTS:
        raise InputError(
            f"{nodes:,} nodes with {classes:,} classes have more than {MOST_COUNTS:,} counts; give a smaller tree"
        )


def named(told: Iterable[Named], where: str) -> tuple[tuple[str, ...], bool]:
    """Return the classes by what the nodes of most rows of them are called, and whether these names contradict.

    A file tells how many rows of each class there are, in a fixed order, and the name of the largest alone; of equal
    counts it is the first. A class that is largest nowhere goes by its place.

    >>> named([Named(["3", "9"], "well"), Named(["4", "4"], "ill")], "the tree")
    (('ill', 'well'), False)
    >>> named([Named(["3", "9", "0"], "well")], "the tree")
    (('no. 1', 'well', 'no. 3'), False)
    """
    found: dict[int, str] = {}
    width, contradict = None, False
    for texts, name in told:
        width = len(texts) if width is None else width
        numbers = [exact(text) for text in texts]
        if len(numbers) != width or None in numbers:
            raise InputError(f"{where} has nodes with more counts than others, or with broken ones; write it again")
        if not numbers:
            continue
        most = max(number for number in numbers if number is not None)
        is_sure = numbers.count(most) == 1 or all(number is not None and number.denominator == 1 for number in numbers)
        if name and is_sure:
            contradict |= found.setdefault(numbers.index(most), name) != name
    return tuple(found.get(at, f"no. {at + 1}") for at in range(width or 0)), contradict
