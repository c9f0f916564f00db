"""The command line that does the same as a page."""

import shlex
from collections.abc import Mapping
from typing import Any, Final

FLAGS: Final = {"k": "-k", "totals": "--total", "method": "--method", "against": "--against", "older": "--beside"}
"""Flags that are not the name of their option."""
JOINED: Final = ("columns", "drop")  # options whose values stand in one flag
KINDS: Final = {"rules": ["--rules"], "tree": ["--tree"], "tables": ["--counts"]}


def write_command(verb: str, file: str, holds: str, *options: Mapping[str, Any]) -> str:
    """Return a command with the options of a page; names of files are as their owner knows them.

    >>> write_command("block", "my file.csv", "rows", {"columns": ["sex", "age"]}, {"min_support": "5%", "k": 10})
    "discreet block 'my file.csv' --columns sex,age --min-support 5% -k 10"
    """
    words = ["discreet", verb, file]
    given = {name: value for every in options for name, value in every.items()}
    for name, value in given.items():
        words += _write_option(name, value)
    # Bare, --counts must not stand before a word that it would take for the name of a column.
    return shlex.join([*words, *([] if "counts" in given else KINDS.get(holds, []))])


def _write_option(name: str, value: Any) -> list[str]:  # noqa: ANN401 - of any option
    flag = FLAGS.get(name, f"--{name.replace('_', '-')}")
    if value is None or (value is False and name != "header"):
        return []
    if isinstance(value, bool):
        return [flag if value else f"--no-{name}"]
    if isinstance(value, list | tuple):
        return (
            [flag, ",".join(map(str, value))]
            if name in JOINED
            else [word for one in value for word in (flag, str(one))]
        )
    return [flag, str(value)]
