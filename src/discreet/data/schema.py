"""Schema: which items are values of one attribute, so that no row holds two of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

from discreet.data.itemsets import Itemset, Label


class Attribute(NamedTuple):
    """An attribute and its values, which exclude each other; it is ``total`` if every row holds exactly one."""

    name: str
    values: Itemset
    total: bool = False


@dataclass(frozen=True)
class Schema:
    """Attributes; iterating gives the values of each, as groups of items that exclude each other.

    >>> schema = Schema((Attribute("sex", frozenset(["sex=f", "sex=m"]), total=True),))
    >>> [sorted(group) for group in schema], schema
    ([['sex=f', 'sex=m']], <Schema: 1 attribute, 1 of them in every row>)
    """

    attributes: tuple[Attribute, ...]

    def __iter__(self) -> Iterator[Itemset]:
        return (attribute.values for attribute in self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def __repr__(self) -> str:
        total = sum(attribute.total for attribute in self.attributes)
        return f"<Schema: {len(self)} attribute{'s' * (len(self) != 1)}, {total} of them in every row>"

    def limit(self, labels: Iterable[Label]) -> Self:
        """Return the attributes that have a value among ``labels``."""
        kept = frozenset(labels)
        return type(self)(tuple(one for one in self.attributes if not kept.isdisjoint(one.values)))
