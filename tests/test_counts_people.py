"""Who is counted in tables that do not say so: the same people wherever their sums allow it."""

from collections import Counter
from itertools import combinations, product

import oracle
from hypothesis import given
from hypothesis import strategies as st

from discreet import audit
from discreet.data.counts import PEOPLE, Cell, Counts, Dimension, State, Table
from discreet.io.formats.counts.people import tell_apart
from discreet.publications.counts.equations import list_equations
from discreet.publications.counts.powers import Powers
from discreet.publications.counts.proofs import check_steps
from discreet.publications.counts.revealed import find_revealed

ATTRIBUTES = {"sex": "fm", "ward": "abc", "ill": "yn"}
PAIRS = list(combinations(ATTRIBUTES, 2))


def make_table(people, names, below=0, name=None):
    """A crosstab of people, each a mapping from attributes to values, with counts below a threshold masked."""
    many = Counter(tuple(one[attribute] for attribute in names) for one in people)
    values = [tuple(sorted({one[attribute] for one in people})) for attribute in names]
    cells = [
        Cell(at, 0, below - 1, State.MASKED) if times < below else Cell(at, times, times) for at, times in many.items()
    ]
    dimensions = tuple(Dimension(*pair) for pair in zip(names, values, strict=True))
    return Table(name or " and ".join(names), dimensions, tuple(cells))


def name_people(tables):
    return [f"people that {table.name} shows" for table in tables]


person = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in ATTRIBUTES.items()})


@given(st.lists(person, min_size=1, max_size=60), st.lists(st.integers(0, 9), min_size=3, max_size=3), st.data())
def test_tables_of_the_same_people_are_never_told_apart(people, thresholds, data):
    tables = [make_table(people, names, below) for names, below in zip(PAIRS, thresholds, strict=True)]
    tables = data.draw(st.permutations(tables))
    told, doubts = tell_apart(tables, name_people(tables))
    assert [(table.counted, table.within) for table in told] == [(PEOPLE, None)] * 3
    assert [(table.name, table.cells) for table in told] == [(table.name, table.cells) for table in tables]
    assert doubts == []


def read(*rows):
    return [dict(zip(ATTRIBUTES, row, strict=True)) for row in rows for _ in range(12)]


EVERYONE = read("fay", "fbn", "fcy", "man", "mby", "mcn")


def test_people_with_a_value_are_among_all_others():
    adults = EVERYONE[:-2]
    tables = [make_table(adults, ("sex", "ill")), make_table(EVERYONE, ("sex", "ward"))]
    told, doubts = tell_apart(tables, name_people(tables))
    assert [table.counted for table in told] == ["people that sex and ill shows", PEOPLE]
    assert [table.within for table in told] == [PEOPLE, None]
    assert doubts == []
    (first, *_) = audit(Counts(tuple(told)), k=10).findings
    assert str(first) == "people other than people that sex and ill shows: sex m: 2"


def test_tables_of_others_are_not_compared():
    some, others = read("fay", "fbn", "fay"), read("man", "mby", "mby", "mcn")
    tables = [make_table(some, ("sex", "ill"), name="women"), make_table(others, ("sex", "ill"), name="men")]
    told, doubts = tell_apart(tables, name_people(tables))
    assert told[0].counted != told[1].counted
    assert [one.column for one in doubts] == ["sex of men"]  # f, and m: the same attribute in other words?


def test_a_masked_table_that_may_be_of_several_is_left_to_a_person():
    tables = [
        make_table(EVERYONE, ("sex", "ward"), name="all"),
        make_table(EVERYONE[:-9], ("sex", "ward"), name="some"),
        make_table(EVERYONE[:-5], ("ill", "ward"), 13, name="masked"),
    ]
    told, doubts = tell_apart(tables, name_people(tables))
    assert [table.counted for table in told] == [PEOPLE, "people that some shows", PEOPLE]
    assert [(one.column, one.why) for one in doubts] == [
        ("masked beside others", "it may count the people of any of them")
    ]


def test_a_masked_table_that_fits_no_other_is_left_to_a_person():
    tables = [make_table(EVERYONE, ("sex", "ward")), make_table([*EVERYONE, *EVERYONE], ("sex", "ill"), 5)]
    masked = Cell(("f", "n"), 0, 4, State.MASKED)
    tables[1] = Table("sex and ill", tables[1].dimensions, (*tables[1].cells[:1], masked, *tables[1].cells[2:]))
    told, doubts = tell_apart(tables, name_people(tables))
    assert len({table.counted for table in told}) == 2
    assert [one.why for one in doubts] == ["together they may reveal its masked counts"]


def test_an_attribute_in_other_bands_leaves_the_other_attributes_linked():
    coarse = [{"sex": one["sex"], "age": "0-39" if one["ward"] == "a" else "40+"} for one in EVERYONE]
    fine = [{"sex": one["sex"], "age": {"a": "0-17", "b": "18-64", "c": "65+"}[one["ward"]]} for one in EVERYONE]
    first = make_table(coarse, ("sex", "age"), name="bands")
    hidden = tuple(Cell(c.at, 0, 12, State.MASKED) if c.at == ("m", "0-39") else c for c in first.cells)
    tables = [Table("bands", first.dimensions, hidden), make_table(fine, ("sex", "age"), name="years")]
    told, doubts = tell_apart(tables, name_people(tables))
    assert [table.names for table in told] == [("sex", "age"), ("sex", "age of years")]
    assert [table.counted for table in told] == [PEOPLE, PEOPLE]
    assert [one.column for one in doubts] == ["age of years"]
    found = audit(Counts(tuple(told)), k=13).findings
    assert any("age 0-39" in str(one) and str(one).endswith(": 12") for one in found)


KINDS = list(product("ab", "xy", [True, False]))


@st.composite
def two_tables(draw):
    """Draw people, some of whom have a value, and a table of all of them and one of these, with or without totals."""
    people = draw(st.lists(st.sampled_from(KINDS), max_size=7))
    tables, sums = [], []
    for counted, within in ((PEOPLE, None), ("some", PEOPLE)):
        names = draw(st.sampled_from(["u", "v", "uv"]))
        has_total, cells = draw(st.booleans()), []
        for at in product(*(({"u": "ab", "v": "xy"}[name]) + "-" * has_total for name in names)):
            if "-" in at and {*at} != {"-"}:
                continue
            own = [
                kind
                for kind in KINDS
                if (kind[2] or within is None)
                and all(value in {"-", kind["uv".index(name)]} for name, value in zip(names, at, strict=True))
            ]
            many = sum(one in own for one in people)
            limits = (0, 3) if many <= 3 and "-" not in at and draw(st.integers(0, 2)) == 0 else (many, many)
            state = State.EXACT if limits[0] == limits[1] else State.MASKED
            cells.append(Cell(tuple(None if value == "-" else value for value in at), *limits, state))
            sums.append((own, *limits))
        dimensions = tuple(Dimension(name, tuple({"u": "ab", "v": "xy"}[name])) for name in names)
        tables.append(Table(counted, dimensions, tuple(cells), counted, within=within))
    return tables, sums


@given(two_tables())
def test_the_others_are_counted_as_in_all_ways_that_fit(case):
    tables, sums = case
    search, exact = find_revealed(Counts(tuple(tables)), 3), {}
    ways = list(oracle.tables_that_fit(KINDS, sums))
    shared = [name for name in tables[0].names if name in tables[1].names]
    for values in product(*({"u": "ab", "v": "xy"}[name] for name in shared)):
        own = [
            kind
            for kind in KINDS
            if not kind[2] and all(kind["uv".index(name)] == value for name, value in zip(shared, values, strict=True))
        ]
        many = {sum(way[kind] for kind in own) for way in ways}
        if 0 < min(many) <= max(many) < 3:
            exact[frozenset(zip(shared, values, strict=True))] = min(many), max(many)
    single = [(one.keys[0], one.low, one.high) for one in search.found if len(one.keys) == 1]
    found = {key.values: ends for key, *ends in single if "other than" in key.counted}
    assert {values: tuple(ends) for values, ends in found.items() if len(values) == len(shared)} == exact
    for one in search.found:
        check_steps(one.equations, one.steps)
        groups = [
            {
                kind
                for kind in KINDS
                if key.counted == PEOPLE or kind[2] == (key.counted == "some")
                if all(kind["uv".index(name)] == value for name, value in key.values)
            }
            for key in one.keys
        ]
        many = {sum(way[kind] for group in groups for kind in group) for way in ways}
        assert (min(many), max(many)) == (one.low, one.high)


def test_a_group_of_different_people_is_named_with_who_is_counted():
    wide = Table("all", (Dimension("u", ("a",)),), (Cell(("a",), 20, 20),))
    cells = Cell(("a", "x"), 18, 18), Cell(("a", "y"), 0, 4, State.MASKED)
    narrow = Table("some", (Dimension("u", ("a",)), Dimension("v", ("x", "y"))), cells, "some", within=PEOPLE)
    (one,) = find_revealed(Counts((wide, narrow)), 3).found
    assert str(one) == "some, u a, v y or people other than some, u a: 2"
    name = "some, u a, v y + people other than some, u a"
    assert one.sentence == f"{name} = people, u a 20 − some, u a, v x 18 = 2"


def test_people_two_steps_apart_are_compared_although_the_table_between_lacks_their_attribute():
    ward, sex = Dimension("ward", ("n", "s")), Dimension("sex", ("f", "m"))

    def write(counted, dimension, counts, within):
        cells = tuple(Cell((value,), many, many) for value, many in zip(dimension.values, counts, strict=True))
        return Table(counted, (dimension,), cells, counted, within=within)

    tables = [
        write("people", ward, (63, 200), None),
        write("adults", sex, (91, 90), "people"),
        write("women", ward, (60, 60), "adults"),
    ]
    search = find_revealed(Counts(tuple(tables)), 10)
    assert [(str(one), one.low) for one in search.found] == [("people other than women: ward n: 3", 3)]
    check_steps(search.limits.equations, search.found[0].steps)


def test_beliefs_count_people_two_steps_apart_once():
    cells = (Cell(("n",), 60, 60), Cell(("s",), 60, 60))
    chain = [("people", None), ("adults", "people"), ("women", "adults"), ("girls", "women")]
    ward = Dimension("ward", ("n", "s"))
    counts = Counts(tuple(Table(own, (ward,), cells, own, within=wider) for own, wider in chain))
    powers = Powers(counts, list_equations(counts))
    found = {key.counted: powers.find(key) for key in powers.equations.keys if key.values == {("ward", "n")}}
    innermost = {"girls", "women other than girls", "adults other than women", "people other than adults"}
    assert {who for who, power in found.items() if power} == innermost
    assert len(found) == len(chain) + 6


NESTED = list(product("ab", range(3)))  # a value, and in how many of the groups adults and women somebody is
WIDER = {"people": None, "adults": "people", "women": "adults"}


@st.composite
def three_tables(draw):
    """Draw tables of people, of the adults among them, and of the women among these; that of the adults may lack u."""
    people, tables, sums = draw(st.lists(st.sampled_from(NESTED), max_size=8)), [], []
    for depth, (counted, within) in enumerate(WIDER.items()):
        has_values, cells = counted != "adults" or draw(st.booleans()), []
        for value in "ab" if has_values else [None]:
            own = [kind for kind in NESTED if kind[1] >= depth and value in {None, kind[0]}]
            many = sum(one in own for one in people)
            limits = (0, 3) if has_values and many <= 3 and draw(st.integers(0, 2)) == 0 else (many, many)
            state = State.EXACT if limits[0] == limits[1] else State.MASKED
            cells.append(Cell((value,) if has_values else (), *limits, state))
            sums.append((own, *limits))
        dimensions = (Dimension("u", ("a", "b")),) * has_values
        tables.append(Table(counted, dimensions, tuple(cells), counted, within=within))
    return tables, sums


@given(three_tables())
def test_groups_within_groups_are_counted_as_in_all_ways_that_fit(case):
    tables, sums = case
    search, ways, depths = find_revealed(Counts(tuple(tables)), 3), [*oracle.tables_that_fit(NESTED, sums)], [*WIDER]
    single = [(one.keys[0], one.low, one.high) for one in search.found if len(one.keys) == 1]
    found = {(key.counted, key.values): ends for key, *ends in single}
    exact = {}
    for wide, narrow, value in [(0, 1, "a"), (0, 1, "b"), (1, 2, "a"), (1, 2, "b"), (0, 2, "a"), (0, 2, "b")]:
        own = [kind for kind in NESTED if wide <= kind[1] < narrow and kind[0] == value]
        many = {sum(way[kind] for kind in own) for way in ways}
        exact[f"{depths[wide]} other than {depths[narrow]}", frozenset({("u", value)})] = min(many), max(many)
    assert all(low <= exact[rest][0] <= exact[rest][1] <= high for rest, (low, high) in found.items() if rest in exact)
    are_known = all(cell.state is State.EXACT for table in tables for cell in table.cells)
    listed = {rest for rest in exact if tables[1].dimensions or "adults" not in rest[0]} if are_known else ()
    assert {rest for rest in listed if 0 < exact[rest][0] < 3} <= {*found}
    for one in search.found:
        check_steps(one.equations, one.steps)
