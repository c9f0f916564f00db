"""Messages: what the pages call options, errors, readings and labels; they hold no row and no path of this machine."""

import os
import re
import traceback
from collections.abc import Iterable, Mapping
from typing import Any, Final

from discreet.data.reading import Reading
from discreet.errors import Command, Message, Option, UnclearError
from discreet.runtime.text import printable

LONGEST_LABEL: Final = 400
LONGEST_SUM: Final = 2_000
PEOPLE: Final = re.compile(
    r"(^|(?:^|(?<=\s))[\d,]+ )(people|person|rows|row)\b"
)  # the first are the ones that are counted
DEBUG: Final = "DISCREET_DEBUG"
"""The environment variable that sends tracebacks of unforeseen errors to stderr; they may hold data."""
OPTIONS: Final = {
    "min_support": "the minimum support",
    "memory": "the memory that `discreet serve --memory` allows",
    "seconds": "the time",
    "keep_n": "the fixed number of rows",
    "n": "the number of rows",
    "row": "the column of row ids",
    "item": "the column of items",
    "items": "the column of lists",
    "format": "the shape",
    "separator": "the separator",
    "sheet": "the sheet",
    "encoding": "the encoding",
    "na": "the texts for missing values",
    "person": "the column of people",
    "per": "the choice of rows or people",
    "columns": "the columns to use",
    "drop": "the columns to leave out",
    "max_length": "the longest itemsets",
    "leave_out": "the items to leave out:",
    "hierarchy": "the hierarchy",
    "counts": "the field Column of counts",
    "masked": "the meaning of marks",
    "totals": "the words for totals",
    "round_to": "the rounding",
} | dict.fromkeys(["max_patterns"], "")
"""What the pages call an option, if not by its name; empty if they do not have it."""
SHOWN: Final = {"row": "row ids in", "item": "items in", "items": "lists in"}
"""Options that are shown with a choice between readings."""
REMEDIES: Final = {"person": "Merge rows by {}", "drop": "Leave {} out: each row is another person"}
"""What a doubt about a reading offers, by its option."""
COMMANDS: Final = {"block": "the step Fix", "advise": "it", "tradeoff": "the trade-off"}

UNFORESEEN: Final = "Something went wrong that we did not foresee. Nothing was changed: try again, or reload the file."
STOPPED: Final = "The work was stopped; ask again to restart it."


def call_people(text: str, noun: str) -> str:
    """Return a sentence about people, or what a number counts, with the word that the owner of the rows has for them.

    >>> call_people("Exactly 1 person has tea, but no milk for people.", "baskets")
    'Exactly 1 basket has tea, but no milk for people.'
    >>> call_people("people have tea", "baskets"), call_people("of them have tea", "baskets")
    ('baskets have tea', 'of them have tea')
    """

    def rename(found: re.Match[str]) -> str:
        is_one = found[2] in {"person", "row"}
        return found[1] + (noun.removesuffix("s") if is_one else noun)

    return PEOPLE.sub(rename, text, count=1) if noun and noun != "people" else text


def show_labels(labels: Iterable[object]) -> list[str]:
    """Return labels as text on one line; long ones are cut.

    >>> show_labels(["tea", 7, "a" * 500])[-1][-2:]
    'a…'
    """
    texts = (printable(str(label)) for label in labels)
    return [text if len(text) <= LONGEST_LABEL else f"{text[:LONGEST_LABEL]}…" for text in texts]


def cut_sum(text: str) -> str:
    """Return a sum or a proof on one line, cut if nobody would read all of it; the command line has it in full."""
    shown = printable(text)
    return shown if len(shown) <= LONGEST_SUM else f"{shown[:LONGEST_SUM]}…"


def show_itemset(itemset: Iterable[object]) -> list[str]:
    """Return the labels of an itemset, sorted."""
    return show_labels(sorted(map(str, itemset)))


def on_page(term: Option | Command) -> str:
    """Return what the pages call an option or a command.

    >>> on_page(Option("min_support")), on_page(Option("kind", "closed")), on_page(Command("block"))
    ('the minimum support', 'kind closed', 'the step Fix')
    """
    if isinstance(term, Command):
        return COMMANDS.get(term.name, str(term))
    name = OPTIONS.get(term.name, term.name.replace("_", " "))
    value = ", ".join(term.value) if isinstance(term.value, tuple) else term.value
    return name if value is None else f"{name} {value}"


def say_on_page(message: str, names: Mapping[str, str] | None = None) -> str:
    """Return a message of the library as a page says it; ``names`` replace the paths of files.

    >>> say_on_page("/tmp/x/1.csv: line 3 is not UTF-8; save the file as UTF-8", {"/tmp/x/1.csv": "baskets.csv"})
    'baskets.csv: line 3 is not UTF-8; save the file as UTF-8'
    >>> from discreet.errors import Either
    >>> say_on_page(Message("the open file: ", "more than 9 itemsets: ", Either(("raise {}", "memory", "min_support"))))
    'more than 9 itemsets: raise the memory that `discreet serve --memory` allows or the minimum support'
    """
    if isinstance(message, Message):
        message = Message(*(part for part in message.parts if part != "the open file: ")).say(on_page)
    for path, name in (names or {}).items():
        message = message.replace(path, name)
    return " ".join(message.split())


def describe_unclear(error: UnclearError, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return how a file may be read, as JSON: each choice has options to ask again with; a missing value is asked for.

    >>> from discreet.errors import Choice
    >>> choice = Choice("the separator is ';'", (Option("separator", ";"),))
    >>> describe_unclear(UnclearError("the lines may have several separators", (choice,)))["choices"]
    [{'meaning': "the separator is ';'", 'detail': '', 'options': {'separator': ';'}}]
    """
    choices = [
        {
            "meaning": meaning,
            "detail": ", ".join(f"{SHOWN[one.name]} {one.value}" for one in options if one.name in SHOWN and one.value),
            "options": {one.name: one.value for one in options},
        }
        for meaning, options in error.choices
    ]
    return {"error": say_on_page(f"{error.reason}; choose what is meant", names), "choices": choices}


def describe_reading(reading: Reading | None, signs: Iterable[Message], text: str = "") -> dict[str, Any]:
    """Return a reading as JSON, with all that a person must look at; what has no reading has a ``text``.

    Each of these signs has the options that remove it.

    >>> doubt = Message("who looks like the id of a person; merge their rows with ", Option("person", "who"), ".")
    >>> describe_reading(Reading("table", "csv"), [doubt])["doubts"]
    [{'text': 'who looks like the id of a person', 'remedies': [{'text': 'Merge rows by who', 'options': \
{'person': 'who'}}]}]
    """
    facts = {"text": text, "shape": None} if reading is None else reading.facts()
    return {**facts, "doubts": [_describe_doubt(doubt) for doubt in signs]}


def _describe_doubt(doubt: Message) -> dict[str, Any]:
    options = [part for part in doubt.parts if isinstance(part, Option) and part.name in REMEDIES]
    options = options if any(one.name == "person" for one in options) else []  # what they offer is about people
    text = str(doubt.parts[0]).rpartition("; ")[0] if options else ""
    remedies = [{"text": REMEDIES[one.name].format(one.value), "options": {one.name: one.value}} for one in options]
    return {"text": text or say_on_page(doubt).removesuffix("."), "remedies": remedies if text else []}


def say_unforeseen(error: BaseException) -> str:
    """Return the sentence for an error that nobody foresaw; print its traceback if that is asked for."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    return UNFORESEEN
