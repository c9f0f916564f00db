"""Names of columns: found as they are given, or refused with the nearest that exists."""

import difflib
from collections.abc import Sequence

from discreet.errors import InputError


def find_column(names: Sequence[str], name: str) -> str:
    """Return ``name`` if a column is called so; refuse it with the nearest that exists.

    >>> find_column(["race", "sex"], "raec")
    Traceback (most recent call last):
    discreet.errors.InputError: none of the 2 columns is called 'raec'; did you mean 'race'?
    """
    if name in names:
        return name
    folded = {one.casefold(): one for one in names}
    near = difflib.get_close_matches(name.casefold(), folded, n=1)
    advice = f"did you mean {folded[near[0]]!r}?" if near else "check its name"
    raise InputError(f"none of the {len(names)} columns is called {name!r}; {advice}")


def find_columns(names: Sequence[str], given: str | Sequence[str]) -> list[str]:
    """Return the columns that are ``given``; a text that is no name is a list of names with commas.

    >>> find_columns(["a", "b", "c,d"], ["a,b", "c,d"])
    ['a', 'b', 'c,d']
    """
    found = []
    for text in [given] if isinstance(given, str) else given:
        parts = [text] if text in names or "," not in text else [part.strip() for part in text.split(",")]
        found += [find_column(names, part) for part in parts]
    return list(dict.fromkeys(found))
