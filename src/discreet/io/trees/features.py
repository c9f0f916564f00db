"""The rows that a tree was fitted on, a number for each feature: a CSV file with a header, or a frame."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError
from discreet.io import frames
from discreet.io.files import Data, is_place, load, naming
from discreet.io.formats.csv import records, text_of
from discreet.io.label_codes import as_text


class Features(NamedTuple):
    """The value of each of ``n`` rows, by feature; what is missing is NaN."""

    n: int
    columns: Mapping[str, NDArray[np.float64]]

    def as_single(self) -> "Features":
        """Return the values as floats of 32 bits have them, which is how scikit-learn compares them."""
        with np.errstate(over="ignore"):  # what 32 bits cannot hold is without end
            columns = {name: one.astype(np.float32).astype(np.float64) for name, one in self.columns.items()}
        return Features(self.n, columns)


def read(source: Any, wanted: Sequence[str]) -> Features:  # noqa: ANN401 - a path, an open file, a frame of any library
    r"""Return the columns of a table that are ``wanted``.

    >>> from io import BytesIO
    >>> read(BytesIO(b"age,name\n41,ann\n,bob\n"), ["age"]).columns["age"].tolist()
    [41.0, nan]
    """
    if is_place(source) and not frames.is_frame(source):
        with naming(source):
            return _csv(load(source), wanted)
    if not hasattr(type(source), "columns"):
        raise InputError("rows are no table with named columns; give a CSV file with a header, or a frame")
    table = frames.narwhal(source)
    _check_there(list(map(str, table.columns)), wanted)
    return Features(len(table), {name: _numbers(table[name].to_list()) for name in wanted})


def _csv(data: Data, wanted: Sequence[str]) -> Features:
    as_text(data)
    lines = [line for line in records(text_of(data), ",") if line]
    head = lines[0] if lines else []
    _check_there(head, wanted)
    for at, line in enumerate(lines[1:], start=1):
        if len(line) != len(head):
            raise InputError(f"row {at} has {len(line)} fields, and the header has {len(head)}; mend it")
    every = {name: place for place, name in enumerate(head)}
    places = {name: every[name] for name in wanted}
    columns = {name: _numbers([line[place] for line in lines[1:]]) for name, place in places.items()}
    return Features(len(lines) - 1, columns)


def _check_there(head: Sequence[str], wanted: Sequence[str]) -> None:
    many = Counter(head)
    lacking = sum(many[name] != 1 for name in wanted)
    if lacking:
        raise InputError(
            f"{lacking:,} of the {len(wanted):,} features that the tree asks for are not the name of just one column "
            "of the rows; give the features of the fit, by the names that the tree has for them"
        )


def _numbers(values: Sequence[Any]) -> NDArray[np.float64]:
    """Return a column as numbers; what is empty is missing."""
    try:
        return np.array(
            [np.nan if value is None or value == "" else float(value) for value in values], dtype=np.float64
        )
    except (TypeError, ValueError, OverflowError):
        raise InputError("a feature of the rows holds what is no number; give those of the fit as numbers") from None
