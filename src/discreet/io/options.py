"""Options of reading rows: as callers give them, and as readers take them."""

from collections.abc import Collection, Iterable, Mapping
from numbers import Number
from typing import Any, NamedTuple, Self, TypedDict

from discreet.errors import Option, OptionError


class RowArguments(TypedDict, total=False):
    """How rows are read, as callers say it: the keyword arguments of ``read``, ``scan`` and ``rewrite``."""

    row: str | None
    item: str | None
    items: str | None
    separator: str | None
    table: str | None
    query: str | None
    columns: str | Iterable[str] | None
    drop: str | Iterable[str] | None
    na: str | Iterable[str] | None
    bins: str | Iterable[str] | Mapping[str, object] | None
    person: str | None
    per: str | None
    encoding: str | None
    header: bool | None
    empty_rows: bool
    labels: Any
    everyone: Any
    n: int | None
    sheet: str | None
    hierarchy: Any


class RowOptions(NamedTuple):
    """How rows are read; with ``is_meant``, lines that look like another table are read all the same.

    The ``shape`` of a file that holds a frame is set if its owner named it.
    """

    row: str | None = None
    item: str | None = None
    items: str | None = None
    separator: str | None = None
    is_meant: bool = False
    table: str | None = None
    query: str | None = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    na: tuple[str, ...] = ()
    bins: tuple[str, ...] = ()
    person: str | None = None
    per: str | None = None
    encoding: str | None = None
    header: bool | None = None
    empty_rows: bool = False
    labels: Any = None
    everyone: Any = None
    n: int | None = None
    sheet: str | None = None
    hierarchy: Any = None
    shape: str | None = None

    @classmethod
    def of(cls, arguments: RowArguments) -> Self:
        """Take the arguments of a caller; lists may be single texts, and bins a mapping.

        >>> RowOptions.of({"drop": "id", "bins": {"age": [0, 18, 65]}}).given
        {'drop': ('id',), 'bins': ('age=0,18,65,',)}
        """
        unknown = sorted({*arguments} - {*cls._fields})
        if unknown:
            raise TypeError(
                f"{unknown[0]!r} is no option of reading; there are {', '.join(RowArguments.__annotations__)}"
            )
        lists = {name: _as_texts(arguments.get(name)) for name in ("columns", "drop", "na", "bins")}
        return cls(**{**arguments, **lists})  # type: ignore[arg-type]  # as above

    @property
    def given(self) -> dict[str, Any]:
        """The options that are set, by name."""
        chosen = {name: value for name, value in self._asdict().items() if value != self._field_defaults[name]}
        return {name: value for name, value in chosen.items() if name not in {"is_meant", "shape"}}


def _as_texts(value: object) -> tuple[str, ...]:
    """Return a list of texts; the edges of a mapping's bins are each followed by a comma."""
    if value is None or isinstance(value, str):
        return () if value is None else (value,)
    if isinstance(value, Mapping):
        widths = {
            name: one if isinstance(one, str | Number) else ",".join([*map(str, one), ""])
            for name, one in value.items()
        }
        return tuple(f"{name}={bins}" for name, bins in widths.items())
    return tuple(map(str, value))  # type: ignore[call-overload]  # any iterable


def check_options(given: Iterable[str], allowed: Collection[str], what: str) -> None:
    """Refuse options that ``what`` does not have."""
    for name in given:
        if name not in allowed:
            raise OptionError(Option(name), f" means nothing for {what}; leave it out, or name the right format")
