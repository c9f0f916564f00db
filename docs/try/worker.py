"""What the page runs in the browser: the command line, on NumPy with the integers of a 64-bit machine."""

import shlex
import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from functools import wraps
from io import BytesIO, TextIOWrapper
from typing import Any, Final

import numpy as np

MAKERS: Final = ("arange", "array", "asarray", "full")  # of integers, unless they are told a type
FINDERS: Final = (
    *("argmax", "argmin", "argsort", "argwhere", "bincount", "cumsum", "flatnonzero", "lexsort", "nonzero"),
    *("prod", "searchsorted", "sum", "unique"),
)
TAKERS: Final = {"bincount": 0, "repeat": 1, "take": 1}  # of integers, and which argument holds them
LACKS: Final = {  # libraries, and what to say without them
    "fastexcel": "reader of spreadsheets; save the sheet as CSV, or",
    "highspy": "solver, which this table needs;",
    "polars": "reader of this kind of file; save it as CSV, or",
}
MOST: Final = "100000"  # itemsets: more would take minutes, and nobody could read them


def start() -> None:
    """Prepare NumPy, and load discreet, so that a dropped file is judged at once.

    A browser's NumPy makes integers of 32 bits, which may overflow in silence, and refuses to count by wider ones. With
    this it counts as on a machine of 64 bits. Where a single number overflows nevertheless, it warns: an error here.
    """
    warnings.simplefilter("error")
    for name, at in TAKERS.items():
        setattr(np, name, _narrow(getattr(np, name), at))
    for name in (*MAKERS, *FINDERS):
        setattr(np, name, _wide(getattr(np, name), typed=name in MAKERS))
    run(["--version"])


def audit(name: str, support: str, k: str, others: str, *, as_json: bool) -> tuple[int, str, str, str]:
    """Return how ``discreet audit`` ends for a file, what it writes to stdout and to stderr, and the command itself."""
    file = f"./{name}" if name.startswith("-") else name
    try:
        more = shlex.split(others)
    except ValueError:
        return 2, "", "error: the other options have a quote that does not end; add it\n", ""
    fields = {option: text for option, text in (("--min-support", support), ("-k", k)) if text}
    for twice in (option for option in fields if any(word.startswith(option) for word in more)):
        return 2, "", f"error: {twice} is given twice; empty its field, or leave it out of the other options\n", ""
    words = ["audit", file, *(word for field in fields.items() for word in field), *more]
    limit = ["--max-patterns", MOST] if support and "--max-patterns" not in more else []
    return *run([*words, *limit, *["--json"] * as_json]), shlex.join(["discreet", *words])


def run(words: Iterable[str]) -> tuple[int, str, str]:
    """Return the exit code of a command, and what it writes to stdout and to stderr."""
    from discreet.cli import main  # noqa: PLC0415 - NumPy is prepared first

    streams = [TextIOWrapper(BytesIO(), "utf-8") for _ in range(2)]
    code = 2
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        try:
            main.main(list(words), "discreet")
        except SystemExit as end:
            code = int(end.code or 0)
        except ModuleNotFoundError as error:
            # No verdict is given, as for any other error.
            what = LACKS.get(str(error.name), f"{error.name};")
            print(f"error: the page has no {what} install discreet", file=sys.stderr)
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]  # a BytesIO
    return code, texts[0], texts[1]


def _narrow(function: Callable[..., Any], at: int) -> Callable[..., Any]:
    """Return a function that takes integers of any width as its argument at a place."""

    @wraps(function)
    def taking(*arguments: Any, **named: Any) -> Any:
        given = np.asarray(arguments[at])
        narrow = given.astype(np.intp) if given.dtype.kind in "iu" else given
        return function(*arguments[:at], narrow, *arguments[at + 1 :], **named)

    return taking


def _wide(function: Callable[..., Any], *, typed: bool) -> Callable[..., Any]:
    """Return a function that makes integers of 64 bits, unless it is told otherwise."""

    @wraps(function)
    def making(*arguments: Any, **named: Any) -> Any:
        value = function(*arguments, **named)
        is_told = "dtype" in named or (typed and any(isinstance(one, type | np.dtype) for one in arguments[1:]))
        is_same = typed and bool(arguments) and isinstance(arguments[0], np.ndarray)
        return value if is_told or is_same else _widen(value)

    return making


def _widen(value: Any) -> Any:
    """Return NumPy's own integers with 64 bits, those in a tuple too; anything else as it is."""
    if isinstance(value, tuple):
        widened = map(_widen, value)
        return type(value)(*widened) if hasattr(value, "_fields") else tuple(widened)
    is_own = isinstance(value, np.ndarray | np.generic) and value.dtype == np.intp
    return value.astype(np.int64) if is_own else value
