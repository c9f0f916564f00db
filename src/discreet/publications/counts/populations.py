"""Groups of people who are counted among others, as values of attributes that tell who is in a group."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Final

from discreet.data.counts import Dimension, Table, Values

SIGN: Final = "\0"  # begins the name of an attribute that tells who is in a group: no column is called so


class Populations:
    """Tables of groups of people as tables of all people, by attributes that tell who is in a group (section 3.10).

    Groups of which each is a part of the one before are values of one attribute, with the others of each; groups that
    may overlap are values of several.

    >>> told = Populations([Table("a", (), ()), Table("b", (), (), "adults", within="people", rest="children")])
    >>> [(one.name, one.counted, [dimension.children(None) for dimension in one.dimensions]) for one in told.tables]
    [('a', 'people', []), ('b', 'people', [('adults', 'children')])]
    """

    def __init__(self, tables: Iterable[Table]) -> None:
        """Find the groups of tables."""
        self._tables = tuple(tables)
        self._above, self._rests = dict[str, str](), dict[str, str]()
        counted = {table.counted for table in self._tables}
        for table in self._tables:  # those of the rest may have tables of their own, and groups
            counted |= {table.rest} if table.within in counted else set()
        for table in self._tables:
            if table.within in counted:
                self._above[table.counted] = table.within
                self._rests[table.counted] = table.rest or f"{table.within} other than {table.counted}"
        for group, rest in [*self._rests.items()]:
            self._above.setdefault(rest, self._above[group])
            self._rests.setdefault(rest, group)
        self._places: dict[str, dict[str, str]] = {}  # of each group: its values of attributes
        self._within: dict[str, str] = {}  # of each attribute: the group whose people it tells apart
        self._own: dict[str, dict[str, str]] = {}  # the same of each table
        self.dimensions: dict[str, Dimension] = {}
        for chain in self._list_chains():
            self._add(chain)

    def _list_chains(self) -> Iterable[list[str]]:
        """Return groups, each after the one that it is a part of; of several parts of one, each begins a chain."""
        chains, by_last, named = list[list[str]](), dict[str, list[str]](), set[tuple[str, str]]()
        for group in sorted(self._above, key=lambda one: len(self._climb(one))):
            wider = self._above[group]
            if (group, wider) in named:  # these are the others of another group
                continue
            named.add((self._rests[group], wider))
            chain = by_last.pop(wider, None)
            if chain is None:
                chain = [wider]
                chains.append(chain)
            chain.append(group)
            by_last[group] = chain
        return chains

    def _climb(self, group: str) -> list[str]:
        """Return the groups that a group is a part of, from the next to the widest."""
        above = list[str]()
        while group in self._above and self._above[group] not in above:
            group = self._above[group]
            above.append(group)
        return above

    def _add(self, chain: list[str]) -> None:
        """Add the attribute of groups, each after the one that it is a part of."""
        name, parents, unions = f"{SIGN}{chain[1]}", dict[str, str](), dict[str, tuple[str, ...]]()
        rests = [self._rests[group] for group in chain[1:]]
        self._within[name] = chain[0]
        for above, (group, rest) in zip([None, *chain[1:]], zip(chain[1:], rests, strict=True), strict=False):
            parents |= {} if above is None else {group: above, rest: above}
            anchor = self._places.get(chain[0], {})
            self._places |= {group: {**anchor, name: group}, rest: {**anchor, name: rest}}
        for start, wider in enumerate(chain):
            for end in range(start + 2, len(chain)):
                unions[f"{wider} other than {chain[end]}"] = tuple(reversed(rests[start:end]))
        values = [value for pair in zip(chain[1:], rests, strict=True) for value in pair]
        self.dimensions[name] = Dimension(name, (*values, *unions), parents, unions=unions)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables, each of all people that its own are among."""
        return tuple(map(self._widen, self._tables))

    def _widen(self, table: Table) -> Table:
        own = self._own[table.name] = self._places.get(table.counted, {})
        if not own:
            return table
        at = tuple(own.values())
        return replace(
            table,
            dimensions=(*table.dimensions, *(self.dimensions[name] for name in own)),
            cells=tuple(cell._replace(at=(*cell.at, *at)) for cell in table.cells),
            ratios=tuple(one._replace(part=(*one.part, *at), whole=(*one.whole, *at)) for one in table.ratios),
            counted=self._climb(table.counted)[-1],
            within=None,
            rest="",
        )

    def own(self, table: Table) -> Values:
        """Return who is counted in one of the tables, by values of attributes."""
        return frozenset(self._own.get(table.name, {}).items())

    def name(self, counted: str, values: Values) -> tuple[str, Values]:
        """Return who is counted by values of all attributes, and the values of the others."""
        own = {name: value for name, value in values if name.startswith(SIGN)}
        if not own:
            return counted, values
        groups = sorted({*own.values()} - {self._within[name] for name in own})
        return " and ".join(groups), frozenset(pair for pair in values if pair[0] not in own)
