"""What the page runs in the browser: the command line, on NumPy with the integers of a 64-bit machine."""

import io
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from functools import wraps

import numpy as np

MAKERS = ("arange", "array", "asarray", "full")  # of integers, unless they are given a type
FINDERS = (
    *("argmax", "argmin", "argsort", "argwhere", "bincount", "cumsum", "flatnonzero", "lexsort", "nonzero"),
    *("prod", "searchsorted", "sum", "unique"),
)
TAKERS = {"bincount": 0, "repeat": 1, "take": 1}  # of integers, and the argument that holds them


def _widen(value):
    """Return an array of NumPy's own integers, of 32 bits here, with 64 bits; anything else as it is."""
    if isinstance(value, tuple):
        return type(value)(*map(_widen, value)) if hasattr(value, "_fields") else tuple(map(_widen, value))
    is_own = isinstance(value, np.ndarray | np.generic) and value.dtype.char == np.dtype(np.intp).char
    return value.astype(np.int64) if is_own else value


def widen_integers():
    """Make NumPy count as it does where Python has 64 bits, so that no number overflows that does not there.

    A browser's NumPy makes integers of 32 bits unless told otherwise, and refuses to count by wider ones.
    """
    for name, at in TAKERS.items():
        setattr(np, name, _narrow(getattr(np, name), at))
    for name in (*MAKERS, *FINDERS):
        setattr(np, name, _wide(getattr(np, name), typed=name in MAKERS))


def _narrow(function, at):
    """Return a function that takes integers of any width as its argument at a place."""

    @wraps(function)
    def taking(*arguments, **named):
        given = np.asarray(arguments[at])
        narrow = given.astype(np.intp) if given.dtype.kind in "iu" else given
        return function(*arguments[:at], narrow, *arguments[at + 1 :], **named)

    return taking


def _wide(function, *, typed):
    """Return a function that makes integers of 64 bits, unless it is told otherwise."""

    @wraps(function)
    def making(*arguments, **named):
        value = function(*arguments, **named)
        is_told = "dtype" in named or (typed and any(isinstance(one, type | np.dtype) for one in arguments[1:]))
        is_same = typed and bool(arguments) and isinstance(arguments[0], np.ndarray)
        return value if is_told or is_same else _widen(value)

    return making


def run(*words):
    """Return the exit code of a command, and what it writes to stdout and stderr."""
    from discreet.cli import main

    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)]
    code = 2
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        try:
            main.main(list(words), "discreet")
        except SystemExit as end:
            code = end.code
        except ModuleNotFoundError as error:
            print(f"error: this needs {error.name}, which this page lacks; install discreet", file=sys.stderr)
    for stream in streams:
        stream.flush()
    return code, *(stream.buffer.getvalue().decode() for stream in streams)


warnings.simplefilter("error")  # a number that overflows is a warning
widen_integers()
