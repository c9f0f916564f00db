"""Schema: which items are values of one attribute, so that no row holds two of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, Self, TypeAlias

from discreet.data.itemsets import Itemset, Label, as_itemset, sort_labels
from discreet.errors import OptionError

Groups: TypeAlias = Iterable[Iterable[Label]]  # groups of items, such as values of an attribute: no row holds two
PAIR: Final = 2
SIGN: Final = "="  # between attribute and value, in labels of tables


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

    @classmethod
    def of(cls, schema: str | Groups, labels: Iterable[Label]) -> Self:
        """Return a schema of groups of labels, or of a text such as ``"="`` between attribute and value in labels.

        A label that is a pair, such as ("age", 40), is an attribute and its value, whatever the text.

        >>> schema = Schema.of("=", ["sex=f", "sex=m", ("age", 40), ("age", 50), "smoker"])
        >>> [(one.name, sorted(one.values)) for one in schema.attributes]
        [('sex', ['sex=f', 'sex=m']), ('age', [('age', 40), ('age', 50)])]
        """
        if isinstance(schema, cls):
            return schema
        if not isinstance(schema, str):
            return cls(tuple(Attribute(f"group {at}", as_itemset(one)) for at, one in enumerate(schema, start=1)))
        if not schema:
            raise OptionError("schema is empty; give what separates attribute and value in labels, such as '='")
        found = cls.read(labels, schema)
        if not len(found):
            raise OptionError(
                f"schema is {schema[:40]!r}, but by it no two labels are values of one attribute; give what separates "
                "attribute and value, or the groups of labels that exclude each other"
            )
        return found

    @classmethod
    def read(cls, labels: Iterable[Label], sign: str = SIGN) -> Self:
        """Return the attributes with several values that labels name, with a sign between attribute and value."""
        values: defaultdict[Label, list[Label]] = defaultdict(list)
        for label in labels:
            if isinstance(label, tuple) and len(label) == PAIR:
                values[label[0]].append(label)
            elif isinstance(label, str) and sign in label:
                values[label.split(sign, 1)[0]].append(label)
        return cls(tuple(Attribute(str(name), frozenset(one)) for name, one in values.items() if len(one) > 1))

    @classmethod
    def guess(cls, labels: Iterable[Label]) -> Self | None:
        """Return the schema that labels suggest; None unless all are such as ``sex=f``, and some share an attribute.

        >>> Schema.guess(["sex=f", "sex=m", "age=40"]), Schema.guess(["sex=f", "sex=m", "smoker"])
        (<Schema: 1 attribute, 0 of them in every row>, None)
        """
        known = list(labels)
        parts = (label.split(SIGN) if isinstance(label, str) else [] for label in known)
        found = cls.read(known) if all(len(part) == PAIR and all(part) for part in parts) else cls(())
        return found if len(found) else None

    def __iter__(self) -> Iterator[Itemset]:
        return (attribute.values for attribute in self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def __repr__(self) -> str:
        total = sum(attribute.total for attribute in self.attributes)
        return f"<Schema: {len(self)} attribute{'s' * (len(self) != 1)}, {total} of them in every row>"

    def publish(self, labels: Iterable[Label]) -> list[list[Label]]:
        """Return the groups of published labels, for a file: those of which two or more are published, and no others.

        >>> Schema.of([["b", "a", "c"], ["d", "e"]], []).publish(["a", "b", "d"])
        [['a', 'b']]
        """
        published = frozenset(labels)
        groups = (list(sort_labels(values & published)) for values in self)
        return sorted((group for group in groups if len(group) > 1), key=lambda group: [*map(str, group)])

    def limit(self, labels: Iterable[Label]) -> Self:
        """Return the attributes that have a value among ``labels``."""
        kept = frozenset(labels)
        return type(self)(tuple(one for one in self.attributes if not kept.isdisjoint(one.values)))
