"""Tables of counts: no RELEASE where all tables of people that fit agree on a few people, in any union of cells."""

from itertools import combinations, product

import oracle
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet.data.counts import UNKNOWN, Cell, Counts, Dimension, State, Table
from discreet.judging.audit import audit
from discreet.judging.policy import Verdict

ATTRIBUTES = {"a": ("a1", "a2"), "b": ("b1", "b2"), "c": ("c1", "c2"), "d": ("d1", "d2", "d3")}
SHAPES = ["a b", "a d", "ab", "ad", "ab bc", "ab b c", "ad a", "a b c", "ab ac", "ab ac bc", "ab c", "d", "abc"]


@st.composite
def publications(draw):
    """Draw people, and tables of them: any margins and totals left out, small counts masked, and others too."""
    groups = draw(st.sampled_from(SHAPES)).split()
    names = sorted({name for group in groups for name in group})
    kinds = list(product(*(ATTRIBUTES[name] for name in names)))
    drawn = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=9))
    k, shows_zeros = draw(st.integers(2, 4)), draw(st.booleans())
    masks = draw(st.sampled_from(["<", "*", "both"]))
    tables, numbers, small = [], {}, []
    for number, group in enumerate(groups):
        levels = draw(st.sets(st.sampled_from([some for size in range(len(group) + 1) for some in combinations(group, size)])))
        cells = []
        for at in product(*((None, *ATTRIBUTES[name]) for name in group)):
            values = {name: value for name, value in zip(group, at, strict=True) if value is not None}
            if tuple(values) not in {*levels, tuple(group)}:
                continue
            inside = frozenset(kind for kind in kinds if values.items() <= dict(zip(names, kind, strict=True)).items())
            many, key = sum(kind in inside for kind in drawn), frozenset(values.items())
            if key not in numbers:
                numbers[key] = (inside, *draw(states(many, k, masks, shows_zeros)))
            _, low, high, state = numbers[key]
            if state is State.MASKED and low >= 1 and high < k:
                small.append((inside, low, high))
            cells.append(Cell(at, low, high, state))
        dimensions = tuple(Dimension(name, ATTRIBUTES[name]) for name in group)
        tables.append(Table(f"table {number}", dimensions, tuple(cells)))
    said = [(inside, low, high) for inside, low, high, _ in numbers.values()]
    return kinds, said, small, Counts(tuple(tables)), k, len(drawn)


@st.composite
def states(draw, many, k, masks, shows_zeros):
    """Draw how a count is published: its limits and its state."""
    if 0 < many < k and masks != "*":
        return 1, k - 1, State.MASKED
    if 0 < many < k or (masks != "<" and draw(st.integers(0, 3)) == 0 and (many or not shows_zeros)):
        return int(shows_zeros), UNKNOWN, State.MASKED
    return many, many, State.EXACT


def judge(case):
    kinds, said, small, counts, k, n = case
    events = oracle.small_events(kinds, said, small, n + k, k)
    return events, audit(counts, k=k)


@settings(max_examples=3000)
@given(publications())
def test_nothing_is_released_in_which_a_union_of_cells_is_known_to_be_small(case):
    events, found = judge(case)
    assert not events or found.verdict is not Verdict.RELEASE


if __name__ == "__main__":  # tmp
    import sys
    from collections import Counter
    from hypothesis import Phase, HealthCheck
    seen = Counter()
    @settings(max_examples=int(sys.argv[1]), deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(publications())
    def run(case):
        try:
            events, found = judge(case)
        except Exception as e:
            seen[type(e).__name__ + str(e)[:60]] += 1
            if seen[type(e).__name__+ str(e)[:60]] < 3: print(type(e), e, case)
            return
        what = [check.name for check in found.checks if check.verdict.value]
        seen[(bool(events), found.verdict.name)] += 1
        if events and found.verdict is Verdict.RELEASE and seen[True,'RELEASE'] < 4 or (not events and found.verdict is Verdict.WITHHOLD and seen[False,'WITHHOLD']<4) or (found.verdict is Verdict.REVIEW and seen[bool(events),'REVIEW']<3):
            print(found.verdict, events, case, [str(c) for c in found.checks if c.verdict.value], [ (str(f)) for f in found.findings], sep="\n  ")
    run()
    print(seen)
