"""Addresses of databases, which may hold a password: refused where they do not belong, and never told."""

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from operator import eq
from typing import Any, Final

import click

ADDRESS: Final = re.compile(
    r"[a-z][a-z0-9+.-]*://|[a-z][a-z0-9+.-]+:/.*@|(?:pg)?passw(?:or)?d\s*=", re.IGNORECASE | re.DOTALL
)
"""A URL, one as a path with a user in it, or a password by its name, as libpq and the environment have it."""
HEAD: Final = re.compile(r"\W*(?:[a-z][a-z0-9+.-]*:/+|\w+\s*=)", re.IGNORECASE)
"""How an address begins: what may also stand in sentences of ours."""
OURS: Final = ("user@host", "file")
"""What follows a scheme in sentences of ours."""
FREE: Final = frozenset({"query", "text"})
"""Questions, not names: no message tells the SQL of --query, and in QUERY, over items, a URL may be an item."""


def guard(command: click.Command) -> None:
    """Have a command, and all below it, refuse addresses but where rows are read."""
    names = {parameter.name for parameter in command.params}
    rows = {"file", "rows_file"} if "table" in names else set()
    for parameter in command.params:
        if parameter.name not in FREE | rows:
            parameter.callback = _refuse
    if isinstance(command, click.Group):
        for one in command.commands.values():
            guard(one)


def veiled(sentence: str, arguments: Iterable[str]) -> str:
    """Return a sentence in one line, without what it repeats of addresses among the arguments.

    >>> veiled("'pg://ada:a b;c@host/' is no number", ["-k", "pg://ada:a b;c@host/ward"])
    "'…' is no number"
    """
    told, at = " ".join(sentence.split()), 0
    forms = {form for argument in arguments if ADDRESS.search(argument) for form in _forms(argument)}
    while at < len(told):
        same = max((_same(told[at:], form) for form in forms), default=0)
        told = f"{told[:at]}…{told[at + same :]}" if same else told
        at += 1
    return told


def _refuse(context: click.Context, parameter: click.Parameter, value: Any) -> Any:  # noqa: ANN401 - whatever is given
    """Refuse an address, without telling it."""
    if any(isinstance(one, str) and ADDRESS.search(one) for one in (value if isinstance(value, tuple) else (value,))):
        name = max(parameter.opts, key=len)
        raise click.UsageError(
            f"{name if name.startswith('-') else name.upper()} holds a URL or a password, which is not for it: only "
            "rows are read from a database, and its URL is FILE",
            ctx=context,
        )
    return value


def _forms(argument: str) -> Iterator[str]:
    """Yield how messages may tell the address in an argument: as it is, in quotes, or as a path."""
    # The value of an option may follow its letter, or a sign of equality.
    starts = {0, len("-k"), argument.find("=") + 1, *(found.start() for found in ADDRESS.finditer(argument))}
    for text in (argument[start:].lstrip("-") for start in starts):
        for form in (text, repr(text)[1:-1], re.sub("/+", "/", text), repr(re.sub("/+", "/", text))[1:-1]):
            yield " ".join(form.split())


def _same(told: str, form: str) -> int:
    """Return how far a sentence goes along with an address; 0 where it only begins alike."""
    head = HEAD.match(form)
    many = sum(takewhile(bool, map(eq, told, form)))
    return many if head and many > head.end() and not told.startswith(OURS, head.end()) else 0
