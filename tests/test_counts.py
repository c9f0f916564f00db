"""Tables of counts: what follows from them is what all tables that fit agree on, and each finding has a proof."""

from fractions import Fraction
from itertools import product

import numpy as np
import oracle
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from discreet.data.counts import UNKNOWN, Cell, Counts, Dimension, Ratio, State, Table
from discreet.errors import OptionError
from discreet.judging.audit import audit
from discreet.publications.counts import revealed, settling
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


SHAPES = [["ab"], ["ah"], ["bh"], ["abc"], ["ach"], ["ab", "ac"], ["ah", "ac"], ["ab", "bc"], ["a", "ab"], ["ah", "h"]]


@st.composite
def published(draw):
    """Draw people, and one or two tables of their counts, masked, rounded or with cells left out: at most 12 kinds."""
    groups = draw(st.sampled_from(SHAPES))
    names = sorted({name for group in groups for name in group})
    attributes = [ATTRIBUTES[name] for name in names]
    kinds = list(product(*(leaves for leaves, _ in attributes)))
    drawn = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=6))
    k, unit = draw(st.integers(2, 4)), draw(st.sampled_from([1, 1, 1, 3]))
    absent = draw(st.sampled_from([None, None, (0, 1), (0, 2)]))
    tables, said = [], {}
    for number, group in enumerate(groups):
        without = draw(st.sets(st.sampled_from(["", *group]))) if absent is None else set()
        cells = []
        for cell in product(*(nodes(name) for name in group)):
            whole = tuple(cell[group.index(name)] if name in group else None for name in names)
            shown = "".join(name for name, node in zip(group, cell, strict=True) if node)
            group_of = oracle.people_of(whole, attributes)
            many = sum(kind in group_of for kind in drawn)
            if whole not in said:
                said[whole] = draw(
                    states(many, k, unit if shown else 1, absent, is_whole=shown == group, is_total=not shown)
                )
            if said[whole] is not None and (not shown or shown not in without):
                cells.append(Cell(cell, *said[whole]))
        dimensions = [Dimension(one, tuple(nodes(one)[1:]), ATTRIBUTES[one][1]) for one in group]
        tables.append(Table(f"table {number}", tuple(dimensions), tuple(cells), absent=absent))
    return names, attributes, Counts(tuple(tables)), k, draw(st.integers(1, 3))


@st.composite
def states(draw, many, k, unit, absent, *, is_whole, is_total):
    """Draw how a count is published: limits and state; None if it is left out."""
    others = [] if is_total else ["hidden"] + ["missing"] * (absent is None)
    how = draw(st.sampled_from(["shown"] * 5 + others))
    if how == "missing" or (absent is not None and is_whole and many <= absent[1]):
        return None
    if how == "hidden":
        return 0, UNKNOWN, State.MASKED
    if 0 < many < k and not is_total:
        return 1, k - 1, State.MASKED
    if unit > 1:
        near = (many + 1) // unit * unit
        return max(0, near - 1), near + 1, State.LIMITS
    return many, many, State.EXACT


def is_said_small(cell, whole, equations, exact, case):
    """Return whether masks show by themselves that a count of several possible values is small."""
    attributes, k = case[1], case[3]
    kinds = list(product(*(leaves for leaves, _ in attributes)))
    masks = [
        ([kind in oracle.people_of(whole[key], attributes) for kind in kinds], low, high)
        for key, low, high, state in zip(equations.keys, equations.low, equations.high, equations.states, strict=True)
        if state == State.MASKED and low >= 1 and high < k
    ]
    event = np.array([kind in oracle.people_of(cell, attributes) for kind in kinds])
    nobody = np.array([exact[kind][1] == 0 for kind in kinds])
    return exact[cell][0] < exact[cell][1] and oracle.are_said_small(event, masks, nobody, k)


def find_exactly(case):
    """Return by enumeration what tables reveal, and the search for it: kinds and limits by cell."""
    names, attributes, counts, k, width = case
    equations = list_equations(counts)
    whole = {key_of(names, cell): cell for cell in product(*(nodes(name) for name in names))}
    total = next(cell for cell in counts.tables[0].cells if not any(cell.at))
    ends = zip(equations.keys, equations.low.tolist(), equations.high.tolist(), strict=True)
    said = {whole[key]: (low, min(high, total.high)) for key, low, high in ends}
    exact = oracle.limits_of_cells({*said, *product(*(leaves for leaves, _ in attributes))}, attributes, said)
    search = find_revealed(counts, k, width=width)
    expected = {}
    for key, low, high, state in zip(equations.keys, equations.low, equations.high, equations.states, strict=True):
        if state >= State.MASKED:
            kind = oracle.name_revealed(exact[whole[key]], (int(low), int(high)), HIDDEN[state], k, width)
            if kind == "told" and state >= State.ABSENT and is_said_small(whole[key], whole, equations, exact, case):
                kind = None
            expected |= {str(key): (kind, *exact[whole[key]])} if kind else {}
    for one in search.found:
        check_steps(one.equations, one.steps)
    found = {str(one.keys[0]): (one.kind, one.low, one.high) for one in search.found if len(one.keys) == 1}
    assert not search.undecided
    rests = {(frozenset(whole[key] for key in one.keys), one.low) for one in search.found if one.row is not None}
    assert rests >= {
        *oracle.small_rests({cell: exact[cell] for cell in said}, attributes, k)
    }  # and totals of cells without totals of lines
    assert all(exact[cell][0] < exact[cell][1] for cells, _ in rests for cell in cells)
    are_shown = zip(equations.keys, equations.states < State.MASKED, strict=True)
    small = {key for key, is_shown in are_shown if is_shown and exact[whole[key]][0] >= 1 and exact[whole[key]][1] < k}
    assert {one.keys[0] for one in search.find_shown(k)} == small
    return expected, found


@settings(max_examples=3000)
@given(published())
def test_what_is_revealed_is_what_all_tables_that_fit_agree_on(case):
    expected, found = find_exactly(case)
    assert found == expected


@st.composite
def crowded(draw):
    """Draw a table of up to 20 people with all totals, masked or rounded at random: some masks hide large counts."""
    names = draw(st.sampled_from(["ab", "ah", "bh", "h"]))
    attributes = [ATTRIBUTES[name] for name in names]
    many = {kind: draw(st.integers(0, 5)) for kind in product(*(leaves for leaves, _ in attributes))}
    assume(1 <= sum(many.values()) <= 20)
    k, unit, cells = draw(st.integers(2, 5)), draw(st.sampled_from([1, 1, 3])), []
    for cell in product(*(nodes(name) for name in names)):
        number = sum(many[kind] for kind in oracle.people_of(cell, attributes))
        cells.append(
            Cell(cell, *draw(states(number, k, unit if any(cell) else 1, None, is_whole=False, is_total=True)))
        )
        if any(cell) and draw(st.integers(0, 2)) == 0:
            cells[-1] = Cell(cell, 0, UNKNOWN, State.MASKED)
    dimensions = tuple(Dimension(one, tuple(nodes(one)[1:]), ATTRIBUTES[one][1]) for one in names)
    return list(names), attributes, Counts((Table("crowded", dimensions, tuple(cells)),)), k, draw(st.integers(1, 3))


@settings(max_examples=500)
@given(crowded())
def test_known_totals_of_k_or_more_reveal_small_rests_too(case):
    expected, found = find_exactly(case)
    assert found == expected


@settings(max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(published())
def test_walks_from_table_to_table_decide_the_same(monkeypatch, case):
    monkeypatch.setattr(settling, "LARGE", 0)  # as if each part had many cells
    expected, found = find_exactly(case)
    assert {cell: kind for cell, (kind, *_) in found.items()} == {cell: kind for cell, (kind, *_) in expected.items()}
    for cell, (kind, low, high) in found.items():  # the limits of what is told need not be the narrowest
        least, largest = expected[cell][1:]
        assert low <= least <= largest <= high
        assert kind == "told" or (low, high) == (least, largest)


@st.composite
def with_shares(draw):
    """Draw counts of three values, some masked, and shares of some of them in the total, rounded."""
    counts, k = draw(st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any)), draw(st.integers(2, 4))
    masks = [draw(st.sampled_from([None, (0, 9), (1, k - 1)])) for _ in counts]
    parts = [mask if mask and mask[0] <= n <= mask[1] else (n, n) for n, mask in zip(counts, masks, strict=True)]
    whole = sum(counts)
    total = draw(st.sampled_from([(whole, whole), (0, 20)]))
    shares = [draw(st.sampled_from([None, 10, 100, 10_000])) for _ in counts]
    for at, unit in enumerate(shares):
        if unit is not None:  # rounded to multiples of one unit-th
            near = round(Fraction(counts[at], whole) * unit)
            shares[at] = max(Fraction(0), Fraction(2 * near - 1, 2 * unit)), Fraction(2 * near + 1, 2 * unit)
    return total, parts, shares, k, draw(st.integers(1, 3))


@settings(max_examples=500)
@given(with_shares())
def test_shares_of_open_counts_reveal_what_all_counts_that_fit_agree_on(case):
    total, parts, shares, k, width = case
    exact = oracle.limits_with_shares(total, parts, shares)
    said, at = [total, *parts], [(None,), ("x",), ("y",), ("z",)]
    states = [State.EXACT if low == high else State.MASKED for low, high in said]
    cells = [Cell(where, *limits, state) for where, limits, state in zip(at, said, states, strict=True)]
    ratios = tuple(Ratio(at[1 + one], (None,), *share) for one, share in enumerate(shares) if share is not None)
    counts = Counts((Table("shares", (Dimension("v", ("x", "y", "z")),), tuple(cells), ratios=ratios),))
    search = find_revealed(counts, k, width=width)
    expected = {}
    for where, ends, own, state in zip(at, exact, said, states, strict=True):
        kind = oracle.name_revealed(ends, own, "masked", k, width) if state is State.MASKED else None
        expected |= {str(key_of("v", where)): (kind, *ends)} if kind else {}
    found = {str(one.keys[0]): (one.kind, one.low, one.high) for one in search.found if one.row is None}
    assert not search.undecided
    assert found == expected
    for one in search.found:
        check_steps(search.limits.equations, one.steps)


def test_progress_says_how_many_counts_are_decided(monkeypatch):
    monkeypatch.setattr(revealed, "OFTEN", -1.0)
    cells = [Cell((None,), 9, 9), *(Cell((value,), 0, UNKNOWN, State.MASKED) for value in "xyz")]
    counts, told = Counts((Table("", (Dimension("v", ("x", "y", "z")),), tuple(cells)),)), []
    audit(counts, k=3, progress=lambda done, many: told.append((done, many)))
    assert told[0] == (0.0, 0)
    assert all(0 <= done <= 1 and many <= 3 for done, many in told)
    with pytest.raises(OptionError, match="tables of counts are judged as they are"):
        audit(counts, k=3, threads=1)


def test_no_solver_is_asked_when_time_is_up(monkeypatch):
    def build(*_, **__):
        raise AssertionError("time is up")

    monkeypatch.setattr(Limits, "build", build)
    cells = [Cell((None,), 9, 9), *(Cell((value,), 0, UNKNOWN, State.MASKED) for value in "xyz")]
    counts = Counts((Table("", (Dimension("v", ("x", "y", "z")),), tuple(cells)),))
    assert find_revealed(counts, 3, seconds=0).undecided == 3
    with pytest.raises(AssertionError, match="time is up"):
        find_revealed(counts, 3)


def test_reports_that_take_long_are_rare(monkeypatch):
    now, told = [0.0], []
    monkeypatch.setattr(revealed, "monotonic", lambda: now[0])

    class Slow:
        def is_decided(self, _):
            now[0] += 1
            return True

    after = [0.5]
    for _ in range(200):
        revealed._report(lambda *said: told.append(said), Slow(), [1, 2], after)
        now[0] += 1
    assert 2 <= len(told) <= 5


def test_a_signal_that_comes_while_cells_are_judged_is_heard(monkeypatch):
    cells = [Cell((None,), 9, 9), *(Cell((value,), 0, UNKNOWN, State.MASKED) for value in "xyz")]
    counts = Counts((Table("", (Dimension("v", ("x", "y", "z")),), tuple(cells)),))
    judge = revealed._Judge(Limits(list_equations(counts)), 3, 1)
    assert judge.is_decided(1) is False

    asked = []
    monkeypatch.setattr(type(State), "__getattr__", lambda _, name: asked.append(name), raising=False)
    assert judge.is_decided(1) is False
    assert asked == []  # NumPy asks an enum for attributes, and clears what a signal raises meanwhile
