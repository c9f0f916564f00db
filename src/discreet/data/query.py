r"""Queries: text such as ``e & (~b | ~d)`` becomes a formula over items, and a formula the rows that make it true.

``~`` is not, ``&`` is and, ``|`` is or, the tightest first; brackets group. ``not``, ``and`` and ``or`` in any case,
``¬``, ``∧`` and ``∨``, and ``!`` for not, say the same. An item stands bare if it has only letters, digits and
``_ - . : = / % + # $``, otherwise in single or double quotes; within them a ``\`` goes before a quote or another ``\``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets, Label
from discreet.errors import QueryError

BLOCK: Final = 2**16  # rows that are answered at a time: their bitmaps, 8 KiB an item, stay in the cache
Bitmap: TypeAlias = NDArray[np.uint8]

# How an item is written, as (verbose) regular expressions: bare, and in quotes.
BARE: Final = r"[\w\-.:=/%+\#$]+"
QUOTED: Final = r"""'[^'\\]*(?:\\['"\\][^'\\]*)*' | "[^"\\]*(?:\\['"\\][^"\\]*)*\""""
_TOKEN: Final = re.compile(
    rf"""(?P<space>\s+)
    | (?P<sign>[&|~()!∧∨¬])
    | (?P<bare>{BARE})
    | (?P<quoted>{QUOTED})
    | (?P<quote>['"])
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_SPELLINGS: Final = {"~": "~ ! ¬ not", "&": "& ∧ and", "|": "| ∨ or", "(": "(", ")": ")"}
SIGNS: Final = {spelling: sign for sign, spellings in _SPELLINGS.items() for spelling in spellings.split()}
_BINDING: Final = {"(": 0, "|": 1, "&": 2, "~": 3}
# Not 007, which is text; and no more digits than int() is sure to take: a longer number is still found by its text.
_NUMBER: Final = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)
_ESCAPE: Final = re.compile(r"\\(.)")
_PAIRS: Final[Mapping[str, Callable[[Bitmap, Bitmap], Bitmap]]] = {"&": np.bitwise_and, "|": np.bitwise_or}
_HELP: Final = "write a query like e & (~b | ~d), and items with spaces or signs in quotes"


@dataclass(frozen=True, slots=True)
class Name:
    """The name of an item in a query: the label ``exact`` if the rows have it, else the label with this ``text``."""

    text: str
    exact: Label = None  # None where only the text counts: None is never a label
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Query:
    """A formula over items in postfix order: a step is a name, or a sign applied to the results before it."""

    steps: tuple[Name | str, ...]

    @property
    def names(self) -> tuple[Name, ...]:
        """The distinct names, in the order in which they first appear."""
        return tuple(dict.fromkeys(step for step in self.steps if isinstance(step, Name)))


def parse(text: str) -> Query:
    """Parse a formula. Nothing here calls itself, so brackets may nest to any depth.

    >>> [step if isinstance(step, str) else step.text for step in parse("e & (~b | ~d)").steps]
    ['e', 'b', '~', 'd', '~', '|', '&']
    >>> parse("not a or b and c") == parse("(¬a) ∨ (b ∧ c)")
    True
    """
    steps: list[Name | str] = []
    waiting: list[tuple[str, int]] = []  # signs whose right side is still to come, and open brackets
    complete = False  # whether the formula could end here
    for step, column in _read(text):
        if complete is (isinstance(step, Name) or step in "~("):
            wanted = "&, |, ) or the end" if complete else "an item, ~ or ("
            came = "an item" if isinstance(step, Name) else step
            raise _misplaced(f"has {came}", column, f"where {wanted} must come")
        complete = isinstance(step, Name) or step == ")"
        if isinstance(step, Name):
            steps.append(step)
        elif step == ")":
            _settle(waiting, steps, binding=1)
            if not waiting:
                raise _misplaced("closes a bracket", column, "that was never opened")
            waiting.pop()
        else:
            if step in "&|":
                _settle(waiting, steps, binding=_BINDING[step])
            waiting.append((step, column))
    if not complete:
        raise _misplaced("ends", len(text) + 1, "where an item, ~ or ( must come")
    _settle(waiting, steps, binding=1)
    if waiting:
        raise _misplaced("opens a bracket", waiting[-1][1], "that is never closed")
    return Query(tuple(steps))


def evaluate(query: Query, rows: Itemsets, code: Mapping[Label, int]) -> NDArray[np.bool_]:
    """Return for each row, its items in increasing order, whether it makes the formula true.

    >>> evaluate(parse("b & ~a"), Itemsets.of([[0, 1], [1], []]), {"a": 0, "b": 1}).tolist()
    [False, True, False]
    """
    codes = resolve_names(query.names, code)
    wanted = sorted({item for item in codes.values() if item is not None})
    slot = {item: place for place, item in enumerate([None, *wanted])}  # slot 0 is for items that no row holds
    slots = np.zeros(wanted[-1] + 1 if wanted else 0, dtype=np.int32)
    slots[wanted] = range(1, len(slot))
    is_true = np.empty(len(rows), dtype=np.bool_)
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        bitmaps = np.zeros((len(slot), (len(part) + 7) // 8), dtype=np.uint8)
        kernels.itemsets.set_bits(*part.flat, slots, bitmaps)
        truth = _evaluate(query.steps, {name: bitmaps[slot[item]] for name, item in codes.items()})
        # The sign ~ also sets the bits behind the last row; the count leaves them unread.
        is_true[start : start + BLOCK] = np.unpackbits(truth, bitorder="little", count=len(part))
    return is_true


def as_name(found: str, column: int = 0) -> Name:
    """Return the name of an item that is written bare or in quotes; a bare number means the number if there is one."""
    if found[0] in "'\"":
        label = _ESCAPE.sub(r"\1", found[1:-1])
        return Name(label, label, column)
    return Name(found, int(found) if _NUMBER.fullmatch(found) else None, column)


def _read(text: str) -> Iterator[tuple[Name | str, int]]:
    """Yield each name and each sign, the latter in its ASCII form, with its column."""
    for match in _TOKEN.finditer(text):
        found, column = match.group(), match.start() + 1
        if sign := SIGNS.get(found.lower()):
            yield sign, column
        elif match.lastgroup in {"bare", "quoted"}:
            yield as_name(found, column), column
        elif match.lastgroup == "quote":
            advice = "close it, and within it put a \\ before each quote and each \\"
            raise QueryError(f"the query opens a quote at column {column} that is not closed; {advice}", column)
        elif match.lastgroup == "other":
            raise _misplaced("has a character", column, "that an item may have in quotes only")


def _misplaced(came: str, column: int, flaw: str) -> QueryError:
    return QueryError(f"the query {came} at column {column} {flaw}; {_HELP}", column)


def _settle(waiting: list[tuple[str, int]], steps: list[Name | str], *, binding: int) -> None:
    """Move the signs that bind as tightly as ``binding`` or more from ``waiting`` to ``steps``, the last first."""
    while waiting and _BINDING[waiting[-1][0]] >= binding:
        steps.append(waiting.pop()[0])


def find_codes(names: Iterable[Name], code: Mapping[Label, int]) -> dict[Name, list[int]]:
    """Return the codes of all labels that each name may mean: the exact one if there is one, else by its text."""
    exact = {name: None if name.exact is None else code.get(name.exact) for name in names}
    others: dict[str, list[int]] = {name.text: [] for name, found in exact.items() if found is None}
    for label in code if others else ():
        if (text := str(label)) in others:
            others[text].append(code[label])
    return {name: others[name.text] if found is None else [found] for name, found in exact.items()}


def resolve_names(names: Iterable[Name], code: Mapping[Label, int]) -> dict[Name, int | None]:
    """Return the code of the item that each name means, None if no label has that name; refuse an ambiguous name."""
    found = find_codes(names, code)
    for name, codes in found.items():
        if len(codes) > 1:
            raise QueryError(
                f"the query has an item at column {name.column} that is ambiguous: {len(codes)} labels have this text; "
                "put it in quotes if text is meant, or give the label itself in an itemset such as [2.5]",
                name.column,
            )
    return {name: codes[0] if codes else None for name, codes in found.items()}


def _evaluate(steps: Iterable[Name | str], bitmaps: Mapping[Name, Bitmap]) -> Bitmap:
    stack: list[Bitmap] = []
    for step in steps:
        if isinstance(step, Name):
            stack.append(bitmaps[step])
        else:
            stack.append(~stack.pop() if step == "~" else _PAIRS[step](stack.pop(), stack.pop()))
    return stack.pop()
