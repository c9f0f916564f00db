"""Messages in the words of the pages; they never hold a row, a label or a path of this machine."""

import os
import traceback
from collections.abc import Mapping
from typing import Final

from discreet.errors import Command, Message, Option

DEBUG: Final = "DISCREET_DEBUG"
"""The environment variable that sends tracebacks of unforeseen errors to stderr; they may hold data."""
OPTIONS: Final = {
    "min_support": "the minimum support",
    "memory": "the memory that `discreet serve --memory` allows",
    "max_patterns": "",
    "max_length": "",
    "seconds": "the time",
    "keep_n": "the fixed number of rows",
    "row": "the column of row ids",
    "item": "the column of items",
    "items": "the column of lists",
}
"""What the pages call an option, if not by its name; empty if they do not have it."""
COMMANDS: Final = {"block": "the page Block", "tradeoff": "the trade-off"}

UNFORESEEN: Final = "Something went wrong that we did not foresee. Nothing was changed: try again, or reload the file."
MEMORY: Final = "There is too little memory. Raise the minimum support, or start `discreet serve` with more --memory."
KILLED: Final = "The work ended early, probably for lack of memory. Raise the minimum support, or try again."
STOPPED: Final = "The work was stopped; ask again to restart it."
NO_WORKER: Final = "No worker process could be started; stop `discreet serve` and start it again."
UNKNOWN_DATA: Final = "This data is no longer loaded: load the file again."
UNKNOWN_UPLOAD: Final = "This upload is gone: load the file again."
UNKNOWN_JOB: Final = "There is no such work, or no longer: ask again."


class Refusal(Exception):  # noqa: N818 - the sentence says what is wrong
    """A request that cannot be answered: the HTTP status, and a sentence that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        """Keep the status beside the sentence."""
        super().__init__(sentence)
        self.status = status


def on_page(term: Option | Command) -> str:
    """Return what the pages call an option or a command.

    >>> on_page(Option("min_support")), on_page(Option("kind", "closed")), on_page(Command("block"))
    ('the minimum support', 'kind closed', 'the page Block')
    """
    if isinstance(term, Command):
        return COMMANDS.get(term.name, str(term))
    name = OPTIONS.get(term.name, term.name.replace("_", " "))
    return name if term.value is None else f"{name} {term.value}"


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


def say_unforeseen(error: BaseException) -> str:
    """Return the sentence for an error that nobody foresaw; print its traceback if that is asked for."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    return UNFORESEEN
