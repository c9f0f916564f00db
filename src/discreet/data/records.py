"""Records: a collection as dicts, or as a frame of pandas or polars."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import chain
from typing import Any, ClassVar, Final

from discreet.data.itemsets import AnyFrame
from discreet.errors import OptionError

LARGEST: Final = 2**63 - 1  # whole number in a column of polars
PANDAS: Final[Mapping[Any, str]] = {int: "int64", int | None: "Int64", float: "float64", bool: "bool"}
POLARS: Final[Mapping[Any, str]] = {
    **dict.fromkeys([int, int | None], "Int64"),
    float: "Float64",
    bool: "Boolean",
    str: "String",
}
"""The types of columns, by the types of fields; in pandas, others are objects."""


class Records:
    """A collection whose members can be taken as records, in its order: to dicts, to pandas, to polars.

    Counts are exact, and an itemset is a sorted list of labels. ``_types`` gives the type of each field: ``list``
    stands for an itemset, and ``Hashable`` for an item. An empty collection has the same columns.
    """

    __slots__ = ()
    _types: ClassVar[Mapping[str, Any]]

    def _records(self) -> Iterator[tuple[Any, ...]]:
        """Yield the values of each member, in the order of the fields."""
        raise NotImplementedError

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return each member as a dict.

        >>> from discreet import detect, mine
        >>> detect(mine([["a", "b"], ["a", "b"], ["a"]], min_support=2), k=2).to_dicts()
        [{'base': ['a'], 'top': ['a', 'b'], 'count': 1}]
        """
        return [dict(zip(self._types, record, strict=True)) for record in self._records()]

    def to_pandas(self) -> AnyFrame:
        """Return a frame of pandas with a line for each member."""
        pandas = load_library("pandas")
        types = {name: PANDAS.get(kind, "object") for name, kind in self._types.items()}
        columns = self._columns()
        return pandas.DataFrame({name: pandas.Series(columns[name], dtype=types[name]) for name in types})

    def to_polars(self) -> AnyFrame:
        """Return a frame of polars with a line for each member; labels of several types become text."""
        polars, columns, schema = load_library("polars"), self._columns(), dict[str, Any]()
        for name, kind in self._types.items():
            if kind in POLARS:
                schema[name] = getattr(polars, POLARS[kind])
                continue
            is_itemset, values = kind is list, columns[name]
            one_type = _find_type(chain.from_iterable(values) if is_itemset else values)
            if one_type is None:
                columns[name] = [[str(label) for label in one] if is_itemset else str(one) for one in values]
            schema[name] = getattr(polars, POLARS[one_type or str])
            schema[name] = polars.List(schema[name]) if is_itemset else schema[name]
        return polars.DataFrame(columns, schema=schema)

    def _columns(self) -> dict[str, Sequence[Any]]:
        records = list(self._records())
        return {name: [record[at] for record in records] for at, name in enumerate(self._types)}


def _find_type(labels: Iterable[Hashable]) -> type | None:
    """Return the type of all labels, if a column of polars can have it; text if there are none."""
    kinds, largest = set(), 0
    for label in labels:
        kinds.add(type(label))
        largest = max(largest, abs(label)) if type(label) is int else largest
    kind = kinds.pop() if kinds else str
    return kind if not kinds and kind in POLARS and largest <= LARGEST else None


def load_library(name: str) -> Any:  # noqa: ANN401 - a module
    """Return an optional library; if it is missing, say how to install it."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise OptionError(f"{name} is not installed; install it with: pip install {name}") from None
