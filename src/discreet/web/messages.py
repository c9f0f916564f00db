"""Sentences: what went wrong, in the words of the pages; never a row, a label, or a place on this machine."""

from collections.abc import Mapping
from typing import Final

from discreet.errors import Command, Message, Option

NAMES: Final = {
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
PAGES: Final = {"block": "the page Block", "tradeoff": "the trade-off"}

UNFORESEEN: Final = (
    "Something went wrong that we did not foresee; nothing was changed. Try again, or load the file again."
)
MEMORY: Final = (
    "There is not enough memory for this; take a smaller file or a higher minimum support, or start `discreet serve` "
    "with more --memory."
)
KILLED: Final = (
    "The work ended before it was done, probably because it needed more memory than there is; raise the minimum "
    "support, or try again."
)
STOPPED: Final = "The work was stopped; ask again to start it anew."
NO_WORKER: Final = "No process to work in could be started; stop `discreet serve` and start it again."
UNKNOWN_DATA: Final = "This data is not loaded, or no longer: load the file again."
UNKNOWN_UPLOAD: Final = "This upload is not there, or no longer: load the file again."
UNKNOWN_JOB: Final = "There is no such work, or no longer: ask again."


def on_page(term: Option | Command) -> str:
    """Return what the pages call an option or a command.

    >>> on_page(Option("min_support")), on_page(Option("kind", "closed")), on_page(Command("block"))
    ('the minimum support', 'kind closed', 'the page Block')
    """
    if isinstance(term, Command):
        return PAGES.get(term.name, str(term))
    name = NAMES.get(term.name, term.name.replace("_", " "))
    return name if term.value is None else f"{name} {term.value}"


def in_pages(message: str, places: Mapping[str, str] | None = None) -> str:
    """Return a message of the library as a page says it; a place on this machine becomes the name of the file.

    >>> in_pages("/tmp/x/1.csv: line 3 is not UTF-8; save the file as UTF-8", {"/tmp/x/1.csv": "baskets.csv"})
    'baskets.csv: line 3 is not UTF-8; save the file as UTF-8'
    >>> from discreet.errors import Either
    >>> in_pages(Message("the open file: ", "more than 9 itemsets: ", Either(("raise {}", "memory", "min_support"))))
    'more than 9 itemsets: raise the memory that `discreet serve --memory` allows or the minimum support'
    """
    if isinstance(message, Message):
        message = Message(*(part for part in message.parts if part != "the open file: ")).say(on_page)
    for place, name in (places or {}).items():
        message = message.replace(place, name)
    return " ".join(message.split())
