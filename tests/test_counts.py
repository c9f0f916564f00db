"""Tables of counts: what follows from them is what all tables that fit agree on, and each finding has a proof."""

from itertools import combinations, product

import oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import audit
from discreet.data.counts import UNKNOWN, Cell, Counts, Dimension, State, Table
from discreet.publications.counts.equations import Key, list_equations
from discreet.publications.counts.limits import Limits
from discreet.publications.counts.proofs import check_steps
from discreet.publications.counts.revealed import find_revealed

HIDDEN = {State.MASKED: "masked", State.ABSENT: "absent", State.UNPUBLISHED: "unpublished"}
ATTRIBUTES = {
    "a": (("a1", "a2"), {}),
    "b": (("b1", "b2", "b3"), {}),
    "h": (("h1", "h2", "h3"), {"h1": "h12", "h2": "h12"}),
    "c": (("c1", "c2"), {}),
}


def nodes(name):
    leaves, parents = ATTRIBUTES[name]
    return [None, *leaves, *dict.fromkeys(parents.values())]


def key_of(names, cell):
    return Key("people", frozenset((name, node) for name, node in zip(names, cell, strict=True) if node is not None))


@st.composite
def published(draw):
    """Draw people, and one or two tables of their counts, masked, rounded or with cells left out: at most 12 kinds."""
    groups = draw(st.sampled_from([["ab"], ["ah"], ["bh"], ["aac"], ["ab", "ac"], ["ah", "ac"], ["ab", "bc"], ["a", "ab"]]))
    names = sorted({name for group in groups for name in group})
    kinds = list(product(*(ATTRIBUTES[name][0] for name in names)))
    drawn = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=6))
    people = {kind: drawn.count(kind) for kind in kinds}
    k, unit = draw(st.integers(2, 4)), draw(st.sampled_from([1, 1, 1, 3]))
    absent = draw(st.sampled_from([None, None, (0, 1)]))
    tables, said = [], {}
    attributes = [ATTRIBUTES[name] for name in names]
    for number, group in enumerate(dict.fromkeys(groups)):
        own = sorted({*group})
        cells = []
        for cell in product(*(nodes(name) for name in own)):
            whole = tuple(cell[own.index(name)] if name in own else None for name in names)
            many = sum(people[kind] for kind in oracle.people_of(whole, attributes))
            is_total = not any(cell)
            how = "shown" if is_total else draw(st.sampled_from(["shown"] * 4 + ["hidden", "missing"]))
            if whole in said:
                low, high, state = said[whole]
            elif how == "missing":
                continue
            elif how == "hidden":
                low, high, state = 0, UNKNOWN, State.MASKED
            elif 0 < many < k and not is_total:
                low, high, state = 1, k - 1, State.MASKED
            elif unit > 1 and not is_total:
                near = (many + 1) // unit * unit
                low, high, state = max(0, near - 1), near + 1, State.LIMITS
            else:
                low, high, state = many, many, State.EXACT
            if absent is not None and state is State.EXACT and many <= absent[1] and len([one for one in cell if one]) == len(own):
                continue
            said[whole] = low, high, state
            cells.append(Cell(cell, low, high, state))
        dimensions = tuple(Dimension(name, tuple(one for one in nodes(name) if one), ATTRIBUTES[name][1]) for name in own)
        tables.append(Table(f"table {number}", dimensions, tuple(cells)))
    return names, attributes, Counts(tuple(tables)), k, draw(st.integers(1, 3))


@settings(max_examples=300)
@given(published())
def test_what_is_revealed_is_what_all_tables_that_fit_agree_on(case):
    names, attributes, counts, k, width = case
    equations = list_equations(counts)
    whole = {key_of(names, cell): cell for cell in product(*(nodes(name) for name in names))}
    total = next(cell for cell in counts.tables[0].cells if not any(cell.at))
    limits = {key: (int(low), min(int(high), total.high)) for key, low, high in zip(equations.keys, equations.low, equations.high, strict=True)}
    exact = oracle.limits_of_cells(
        [whole[key] for key in equations.keys], attributes, {whole[key]: both for key, both in limits.items()}
    )
    search = find_revealed(counts, k, width=width)
    expected = set()
    for key, low, high, state in zip(equations.keys, equations.low, equations.high, equations.states, strict=True):
        if state >= State.MASKED:
            kind = oracle.name_revealed(exact[whole[key]], (int(low), int(high)), HIDDEN[state], k, width)
            expected |= {(kind, str(key), *exact[whole[key]])} if kind else set()
    found = {(one.kind, str(one.keys[0]), one.low, one.high) for one in search.found if one.row is None}
    assert found == expected
    assert not search.undecided
    for one in search.found:
        check_steps(equations, one.steps)
