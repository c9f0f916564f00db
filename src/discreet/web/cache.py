"""The shelf of a worker: the last few values that were made, so that what is asked again is there."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

Value = TypeVar("Value")

ROOM: Final = {"data": 3, "index": 2, "audit": 4, "release": 8}
"""How many values of each kind are kept; those that were asked for last."""


class Shelf:
    """Values by kind and key.

    >>> shelf = Shelf()
    >>> shelf.take("audit", 1, lambda: "made"), shelf.take("audit", 1, lambda: "made again")
    ('made', 'made')
    """

    def __init__(self) -> None:
        """Begin without any value."""
        self._kept: dict[str, OrderedDict[Hashable, Any]] = {kind: OrderedDict() for kind in ROOM}

    def take(self, kind: str, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; if it is not there, it is made and kept."""
        kept = self._kept[kind]
        value: Value = kept[key] if key in kept else make()
        self.put(kind, key, value)
        return value

    def put(self, kind: str, key: Hashable, value: object) -> None:
        """Keep a value; the one that was not asked for the longest goes if there are too many."""
        kept = self._kept[kind]
        kept[key] = value
        kept.move_to_end(key)
        while len(kept) > ROOM[kind]:
            kept.popitem(last=False)
