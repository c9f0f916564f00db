"""Wrong usage in sentences of ours: what came, what is allowed, what to do; and what a shell may complete."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from discreet.runtime.text import abbreviate

NEAR: Final = 0.75  # how alike names are to be taken for each other
PLACES: Final = frozenset({"FILE", "FILE|HOW", "FOLDER", "NAME|FILE", "OLD"})
"""What stands in a help text for a file or a folder."""


class OneOf(click.Choice[str]):
    """A choice among names; any other is refused in our words."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name that was given."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            names = ", ".join(map(str, self.choices))
            raise click.BadParameter(f"{abbreviate(value)!r}; give one of {names}", ctx, param) from None


def complete(metavar: str) -> dict[str, Any]:
    """Return the settings of a parameter by which shells complete names of files, if it takes any.

    >>> complete("[FILE]...").keys(), complete("N")
    (dict_keys(['shell_complete']), {})
    """
    is_place = metavar.strip("[].") in PLACES
    return {"shell_complete": lambda _context, _parameter, start: [CompletionItem(start, "file")]} if is_place else {}


def explain(error: click.UsageError) -> str:
    """Return a sentence about wrong usage; those that begin with a parameter are our own."""
    match error:
        case click.MissingParameter(param=click.Option() as param):
            return f"{_name(param)} is missing; give {_name(param)} {param.make_metavar(_context(error))}"
        case click.MissingParameter(param=click.Parameter() as param):
            return f"{_name(param)} is missing; give one"
        case click.BadParameter(param=click.Parameter() as param):
            return f"{_name(param)} is {error.message.rstrip('.')}"
        case click.NoSuchOption(option_name=name):
            known = [flag for one in _context(error).command.params for flag in one.opts]
            return f"{name!r} is no option of {_context(error).command_path}{_suggest(name, known)}"
        case click.BadOptionUsage(option_name=name):
            is_flag = "does not take" in error.message
            return f"{name} {'takes no value; leave that out' if is_flag else 'has no value; give one after it'}"
    return _explain_others(error.format_message().rstrip("."), error)


def _explain_others(sentence: str, error: click.UsageError) -> str:
    """Return a sentence about arguments and commands, for which click has no error of their own."""
    if sentence.startswith("Got unexpected extra argument"):
        extra = sentence.partition("(")[2].removesuffix(")")
        return f"{abbreviate(extra)!r} is too much; leave it out, or put a name with blanks in quotes"
    if sentence.startswith("No such command"):
        group = _context(error).command
        name = sentence.partition("'")[2].partition("'")[0]
        known = list(group.commands) if isinstance(group, click.Group) else []
        return f"{abbreviate(name)!r} is no command of discreet{_suggest(name, known)}"
    return sentence


def _name(param: click.Parameter) -> str:
    """Return a parameter as it is written: an option by its longest name, an argument in capitals."""
    name = max(param.opts, key=len)
    return name if name.startswith("-") else (param.metavar or name).upper()


def _context(error: click.UsageError) -> click.Context:
    return error.ctx or click.Context(click.Command("discreet"))


def _suggest(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=1, cutoff=NEAR)
    return f"; did you mean {near[0]}?" if near else ""
