"""The tree of errors. Each message says what came, what is allowed and what to do.

    DiscreetError                exit code 2
    ├── InputError               a source that cannot be read as what it claims to be
    │   ├── InconsistencyError   supports that no rows can have, or an incomplete list of itemsets
    │   ├── UnclearError         a source that can be read in several ways, with the options that choose each
    │   └── QueryError           a text that is not a query, or is ambiguous
    ├── OutputError              a result that cannot be written to its place
    ├── ThresholdError           a minimum support, k or length that is out of range
    ├── OptionError              an unknown kind, format, method, policy or data set
    ├── TruthError               a result was asked whether it is true, which says nothing about it
    ├── BudgetError              a limit on patterns, memory or time was reached
    └── GuaranteeError           a release failed its own checks, so nothing is released

A message may hold row numbers and counts, never rows or labels: the data is private. It names options as data
(``Option``), so that Python, the command line and the web app can each use their own words.
"""

import shlex
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, NoReturn, Self, TypeAlias, TypeVar


class Option(NamedTuple):
    """An option that a message names, perhaps with the value to give it, or the values of one that may be repeated.

    >>> str(Option("min_support")), str(Option("format", "csv")), str(Option("leave_out", ("sex", "age")))
    ('min_support=', "format='csv'", "leave_out=['sex', 'age']")
    """

    name: str
    value: str | bool | tuple[str, ...] | None = None

    def __str__(self) -> str:
        value = [*self.value] if isinstance(self.value, tuple) else self.value
        return f"{self.name}=" if value is None else f"{self.name}={value!r}"


class Command(NamedTuple):
    """A command of ours that a message advises, such as ``discreet block``."""

    name: str

    def __str__(self) -> str:
        return f"`discreet {self.name}`"


class Either(tuple["str | tuple[str, *tuple[str, ...]]", ...]):
    """Remedies: sentences, or a pattern such as "raise {}" and names of options; a face leaves out those it lacks."""

    __slots__ = ()

    def __new__(cls, *remedies: str | tuple[str, *tuple[str, ...]]) -> Self:
        """Offer remedies in this order."""
        return super().__new__(cls, remedies)

    def say(self, face: "Face") -> str:
        """Return the remedies in the words of a face.

        >>> Either(("raise {}", "memory", "min_support"), ("lower {}", "max_length")).say(on_command_line)
        'raise --memory or --min-support, or lower --max-length'
        """
        said = []
        for remedy in self:
            if isinstance(remedy, str):
                said.append(remedy)
            elif names := [name for name in map(face, map(Option, remedy[1:])) if name]:
                said.append(remedy[0].format(" or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))))
        return ", or ".join(filter(None, [", ".join(said[:-1]), *said[-1:]]))


Word: TypeAlias = str | Option | Command | Either  # a part of a message
Face: TypeAlias = Callable[[Option | Command], str]  # what a face calls an option or a command; empty if it has none
T = TypeVar("T")
FLAGS: Final = {
    Option("k"): "-k",
    Option("complete", value=False): "--partial",
    Option("header", value=False): "--no-header",
    Option("disclosure"): "--psi",
    Option("min_supports"): "--min-support",
    Option("totals"): "--total",
}
"""Options that the command line calls by another name."""


def on_command_line(term: Option | Command) -> str:
    r"""Return what the command line calls an option or a command.

    >>> on_command_line(Option("format", "csv")), on_command_line(Option("grown", value=True))
    ('--format csv', '--grown')
    >>> print(on_command_line(Option("separator", "|")), on_command_line(Option("separator", "\t")))
    --separator '|' --separator '\t'
    >>> on_command_line(Option("leave_out", ("sex", "age")))
    '--leave-out sex --leave-out age'
    """
    if isinstance(term, Command) or term in FLAGS:
        return str(term) if isinstance(term, Command) else FLAGS[term]
    if isinstance(term.value, tuple):
        return " ".join(on_command_line(Option(term.name, one)) for one in term.value)
    flag = f"--{term.name.replace('_', '-')}"
    value = str(term.value).replace("\t", r"\t")
    return flag if term.value in {None, True} else f"{flag} {shlex.quote(value)}"


class Message(str):
    """A text that names options as data; as a string, it is in Python's words.

    >>> message = Message("give it with ", Option("n"))
    >>> str(message), message.say(on_command_line)
    ('give it with n=', 'give it with --n')
    """

    __slots__ = ("parts",)
    parts: tuple[Word, ...]

    def __new__(cls, *parts: Word) -> Self:
        """Join the parts; those of another message are taken over."""
        flat = [one for part in parts for one in (part.parts if isinstance(part, Message) else (part,))]
        self = super().__new__(cls, "".join(_say(part, str) for part in flat))
        self.parts = tuple(flat)
        return self

    def say(self, face: Face) -> str:
        """Return the text in the words of a face."""
        return "".join(_say(part, face) for part in self.parts)

    def __getnewargs__(self) -> tuple[Word, ...]:  # type: ignore[override]  # for pickle
        return self.parts


def _say(part: Word, face: Face) -> str:
    if isinstance(part, Either):
        return part.say(face)
    return part if isinstance(part, str) else face(part)


class DiscreetError(Exception):
    """An error that a caller can mend; the command line ends with its ``exit_code``."""

    exit_code = 2

    def __init__(self, *message: Word) -> None:
        """Keep the message with its options."""
        self.message = Message(*message)
        super().__init__(str(self.message))


class InputError(DiscreetError, ValueError):
    """A source that cannot be read as what it claims to be."""


class Choice(NamedTuple):
    """A way to read a source: what it means, and the options that choose it."""

    meaning: str
    options: tuple[Option, ...]


class UnclearError(InputError):
    """A source that can be read in several ways; ``choices`` are the ways.

    >>> print(UnclearError("the columns may be ids or items", (Choice("ids", (Option("row", "a"),)),)))
    the columns may be ids or items; say what is meant: row='a' (ids)
    """

    def __init__(self, reason: str, choices: tuple[Choice, ...]) -> None:
        """Name each way with its options."""
        words: list[Word] = []
        for at, choice in enumerate(choices):
            words.append("" if not at else " or " if at == len(choices) - 1 else ", ")
            words += [part for option in choice.options for part in (" ", option)][1:]
            words.append(f" ({choice.meaning})")
        super().__init__(f"{reason}; say what is meant: ", *words)
        self.reason, self.choices = reason, choices


class InconsistencyError(InputError):
    """Supports that no rows can have, or an incomplete list of itemsets.

    ``flaw`` says what is wrong: an itemset is "missing", its support is lower than that of a superset ("rising"), a
    listed itemset is not closed ("open"), it has another support than with the parents of its items ("parent"), or a
    cell would hold fewer than 0 rows ("negative"). ``itemset`` and ``other`` are the two itemsets, by their labels;
    they are for the publisher, and not part of the message.
    """

    def __init__(self, message: str, flaw: str, itemset: Iterable[object], other: Iterable[object]) -> None:
        """Keep the flaw and the itemsets beside the message."""
        super().__init__(message)
        self.flaw, self.itemset, self.other = flaw, frozenset(itemset), frozenset(other)


class QueryError(InputError):
    """A text that is not a query, or is ambiguous; ``column`` is its place, from 1 on."""

    def __init__(self, message: str, column: int) -> None:
        """Keep the place beside the message."""
        super().__init__(message)
        self.column = column


class OutputError(DiscreetError, OSError):
    """A result that cannot be written to its place."""


class ThresholdError(DiscreetError, ValueError):
    """A minimum support, k or length that is out of range."""


class OptionError(DiscreetError, ValueError):
    """An unknown kind, format, method, policy or data set."""


class TruthError(DiscreetError, TypeError):
    """A result was asked whether it is true, as ``if audit(…)`` does, which says nothing about it."""


def refuse_truth(*, ask: str) -> Callable[[type[T]], type[T]]:
    """Decorate a class whose values are neither true nor false; ``ask`` is the question to ask instead.

    Values that judge or measure something have it, because ``if`` would hold whatever they say. Collections have a
    truth value, whether they hold anything; and what is found or read, such as a channel, is simply there.

    >>> @refuse_truth(ask=".verdict")
    ... class Opinion: ...
    >>> bool(Opinion())
    Traceback (most recent call last):
    discreet.errors.TruthError: Opinion is neither true nor false, so `if` would always hold; ask .verdict
    """

    def refuse(value: object) -> NoReturn:
        raise TruthError(f"{type(value).__name__} is neither true nor false, so `if` would always hold; ask {ask}")

    def decorate(cls: type[T]) -> type[T]:
        cls.__bool__ = refuse  # type: ignore[attr-defined]  # a type checker then warns of a truth that always holds
        return cls

    return decorate


class BudgetError(DiscreetError):
    """A limit on patterns, memory or time was reached before the work was done."""


class GuaranteeError(DiscreetError):
    """A release failed its own checks, so nothing is released; this is a bug of ours."""
