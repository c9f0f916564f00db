"""Reading: how a file or a frame was understood; it holds names of columns and counts, never rows or labels."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple, Self

from discreet.errors import Message, Word
from discreet.runtime.text import count_of

SHAPES: Final = {
    "baskets": "baskets",
    "long": "a long table",
    "onehot": "a one-hot table",
    "table": "a table",
    "lists": "a column of lists",
    "rows": "rows",
    "patterns": "patterns",
    "rules": "rules",
    "counts": "tables of counts",
}
"""The shapes of data, and what each is called."""
SEPARATORS: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
MOST_NAMES: Final = 5  # columns that are named in a sentence


ASKED: Final = "asked"
UNJUDGED: Final = "not judged"  # and yet it would go out with what was


class LeftOut(NamedTuple):
    """A column that was left out, and why: "an id", "free text", or a word such as ``ASKED``."""

    column: str
    why: str


class Doubt(Message):
    """A doubt that matters only where groups as small as ``least`` must not be revealed.

    >>> reading = Reading("counts", "long", doubts=(Doubt("if lines are cumulative, 3 people follow", least=3),))
    >>> reading.list_doubts(3), reading.list_doubts(4)
    ([], ['if lines are cumulative, 3 people follow'])
    """

    __slots__ = ("least",)
    least: int

    def __new__(cls, *parts: Word, least: int = 0) -> Self:
        """Join the parts; what the other reading reveals counts ``least`` people or more."""
        self = super().__new__(cls, *parts)
        self.least = least
        return self


@dataclass(frozen=True)
class Reading:
    """How a file or a frame was understood.

    It is ``confirmed`` if its owner named the shape; otherwise it was guessed. ``doubts`` say why a person must look at
    it before anything is published, and ``odd`` what was strange about the rows before any was changed or merged; it is
    None if nobody has looked. ``person`` is the column of people; ``per`` is set if their rows were not merged.
    ``size`` says in words how much was read, where that is no number of rows.

    >>> left_out = (LeftOut("encounter", "an id"),)
    >>> print(Reading("table", "csv", n=2000, items=31, columns=("sex", "age"), left_out=left_out, separator=";"))
    read as a table: 2,000 rows, 2 columns as attribute=value, 31 items, separated by semicolons; encounter left out \
as an id
    """

    shape: str
    format: str
    n: int = 0
    items: int = 0
    length: int = 0
    encoding: str | None = None
    separator: str | None = None
    header: bool | None = None
    columns: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    row: str | None = None
    item: str | None = None
    person: str | None = None
    per: str | None = None
    people: int | None = None
    confirmed: bool = False
    doubts: tuple[Message, ...] = ()
    notes: tuple[str, ...] = ()
    size: str = ""
    odd: tuple[Message, ...] | None = None

    def __str__(self) -> str:
        parts = [self.size] if self.size else [count_of(self.n, "row")]
        if self.shape == "table":
            parts.append(f"{count_of(len(self.columns), 'column')} as attribute=value")
        parts += [] if self.size else [count_of(self.items, "item")]
        parts += [f"about {self.length:,} in a row"] * bool(self.length and self.shape != "table")
        parts += [f"row ids in {self.row}"] * bool(self.row) + [f"items in {self.item}"] * bool(self.item)
        parts += [f"separated by {SEPARATORS.get(self.separator or '', repr(self.separator))}"] * bool(self.separator)
        parts += ["no header"] * (self.header is False and self.shape != "baskets")
        parts += [f"encoded as {self.encoding}"] * bool(self.encoding and self.encoding != "utf-8")
        sentences = [
            f"read as {SHAPES[self.shape]}: {', '.join(parts)}",
            *self._people(),
            *self._left_out(),
            *self.notes,
        ]
        return "; ".join(sentences)

    def list_doubts(self, k: int) -> list[Message]:
        """Return the doubts that matter where groups of fewer than k people must not be revealed."""
        return [one for one in self.doubts if not isinstance(one, Doubt) or one.least < k]

    def facts(self) -> dict[str, Any]:
        """Return the reading for JSON: names of columns and counts, and no row."""
        values = asdict(self)
        doubts = {"left_out": [one._asdict() for one in self.left_out], "doubts": list(map(str, self.doubts))}
        del values["odd"]  # the check of the reading says it
        return {"text": str(self), **values, **doubts}

    def _people(self) -> Iterator[str]:
        if self.person is not None and self.people is not None:
            how = "their rows stay apart" if self.per else "rows of one person are merged"
            yield f"{self.people:,} people by {self.person}, {how}"

    def _left_out(self) -> Iterator[str]:
        reasons = dict.fromkeys(one.why for one in self.left_out)
        for why in reasons:
            names = [one.column for one in self.left_out if one.why == why]
            if why == UNJUDGED:
                yield f"not judged: {', '.join(names)}"
            else:
                yield f"{name_some(names)} left out{f' ({why})' if why == ASKED else f' as {why}'}"


def name_some(columns: Sequence[str]) -> str:
    """Return the first names of columns, and how many there are more.

    >>> name_some(["sex", "age"]), name_some(list("abcdefg"))
    ('sex, age', 'a, b, c, d, e and 2 more')
    """
    more = f" and {len(columns) - MOST_NAMES} more" * (len(columns) > MOST_NAMES)
    return f"{', '.join(columns[:MOST_NAMES])}{more}"
