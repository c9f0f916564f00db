"""Tables of counts: no RELEASE where all tables of people that fit agree on a few people, in any union of cells."""

import random
from dataclasses import replace
from io import BytesIO
from itertools import combinations, product

import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_block_counts import block_if_possible

from discreet.blocking.tables.block import METHODS, block_counts
from discreet.data.counts import UNKNOWN, Cell, Counts, Dimension, State, Table
from discreet.errors import BudgetError, OptionError
from discreet.io.read_counts import read_counts
from discreet.judging import counts as judging
from discreet.judging.audit import audit
from discreet.judging.policy import Policy, Verdict

ATTRIBUTES = {
    "a": (("a1", "a2"), {}),
    "b": (("b1", "b2"), {}),
    "c": (("c1", "c2"), {}),
    "d": (("d1", "d2", "d3"), {}),
    "h": (("h1", "h2", "h3"), {"h1": "h12", "h2": "h12"}),
}
SHAPES = ["a b", "a d", "ab", "ad", "ab bc", "ab b c", "ad a", "a b c", "ab ac", "ab ac bc", "ab c", "d", "abc"]
NESTED = ["h", "ah", "h a", "ah h"]
SERIES = ["a", "ab", "d", "a b", "h"]


def name_kinds(groups):
    """Return the attributes of tables, and all kinds of people."""
    names = sorted({name for group in groups for name in group})
    return names, list(product(*(ATTRIBUTES[name][0] for name in names)))


@st.composite
def tables(draw, groups, drawn, k, how):
    """Draw tables of people, with any margins and totals left out: and what each says of which kinds."""
    names, _ = name_kinds(groups)
    found, numbers = [], {}
    for number, group in enumerate(groups):
        gaps = draw(st.sets(st.integers(0, 11), max_size=4) | st.just(set()))  # lines that a table lacks
        subsets = [some for size in range(len(group) + 1) for some in combinations(group, size)]
        levels = draw(st.sets(st.sampled_from(subsets)))
        cells = []
        places = product(*((None, *dict.fromkeys(nodes(name))) for name in group))
        for at in (at for place, at in enumerate(places) if place not in gaps):
            values = tuple((name, value) for name, value in zip(group, at, strict=True) if value is not None)
            if tuple(name for name, _ in values) in {*levels, tuple(group)}:
                if values not in numbers:
                    own = dict(values)
                    whole = tuple(own.get(name) for name in names)
                    inside = oracle.people_of(whole, [ATTRIBUTES[name] for name in names])
                    numbers[values] = (inside, *draw(states(sum(kind in inside for kind in drawn), k, how)))
                cells.append(Cell(at, *numbers[values][1:]))
        dimensions = tuple(Dimension(name, tuple(dict.fromkeys(nodes(name))), ATTRIBUTES[name][1]) for name in group)
        found.append(Table(f"table {number}", dimensions, tuple(cells)))
    return Counts(tuple(found)), [*numbers.values()]


def nodes(name):
    leaves, parents = ATTRIBUTES[name]
    return [*leaves, *parents.values()]


@st.composite
def states(draw, many, k, how):
    """Draw how a count is published: its limits and its state."""
    masks, shows_zeros, unit = how
    if masks == "none":
        return many, many, State.EXACT
    if 0 < many < k and masks != "*":
        return 1, k - 1, State.MASKED
    if 0 < many < k or (masks != "<" and draw(st.integers(0, 3)) == 0 and (many or not shows_zeros)):
        return int(shows_zeros), UNKNOWN, State.MASKED
    if unit > 1:
        near = (many + 1) // unit * unit
        return max(0, near - 1), near + 1, State.LIMITS
    return many, many, State.EXACT


WAYS = st.tuples(st.sampled_from(["<", "*", "both"]), st.booleans(), st.sampled_from([1, 1, 1, 3]))


@st.composite
def publications(draw, shapes=(*SHAPES, *NESTED), how=WAYS):
    """Draw people and tables of them; small counts are masked, and others too."""
    groups = draw(st.sampled_from(shapes)).split()
    _, kinds = name_kinds(groups)
    drawn, k = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=9)), draw(st.integers(2, 4))
    counts, numbers = draw(tables(groups, drawn, k, draw(how)))
    return kinds, numbers, counts, k, len(drawn)


def find_events(kinds, numbers, n, k):
    """Return what all tables of people that fit agree on: sets of kinds of fewer than k people that no mask names."""
    said = [(inside, low, high) for inside, low, high, _ in numbers]
    masks = [
        (inside, low, high) for inside, low, high, state in numbers if state is State.MASKED and 1 <= low <= high < k
    ]
    return oracle.small_events(kinds, said, masks, n + k + 1, k)


@settings(max_examples=3000)
@given(publications())
def test_nothing_is_released_in_which_a_union_of_cells_is_known_to_be_small(case):
    kinds, numbers, counts, k, n = case
    is_safe = audit(counts, k=k).verdict is Verdict.RELEASE
    assert not (is_safe and find_events(kinds, numbers, n, k))


@st.composite
def series(draw):
    """Draw people of whom some came since an older release, and both releases."""
    groups = draw(st.sampled_from(SERIES)).split()
    _, kinds = name_kinds(groups)
    before, after = (draw(st.lists(st.sampled_from(kinds), min_size=least, max_size=6)) for least in (1, 0))
    k, how = draw(st.integers(2, 4)), draw(WAYS)
    (new, newer), (old, older) = (draw(tables(groups, some, k, how)) for some in ([*before, *after], before))
    every = [(*kind, came) for kind in kinds for came in ("before", "since")]
    numbers = [(frozenset(kind for kind in every if kind[:-1] in inside), *rest) for inside, *rest in newer]
    numbers += [(frozenset((*kind, "before") for kind in inside), *rest) for inside, *rest in older]
    return every, numbers, (new, old), k, len(before) + len(after)


@settings(max_examples=1000)
@given(series())
def test_nothing_is_released_of_which_an_older_release_leaves_a_small_union_of_cells(case):
    kinds, numbers, (new, old), k, n = case
    is_safe = audit(new, k=k, against=[old], grown=True).verdict is Verdict.RELEASE
    assert not (is_safe and find_events(kinds, numbers, n, k))


AMONG = [{"x": "people"}, {"x": "people", "y": "x"}, {"x": "people", "y": "people"}]
AMONG += [{"x": "people", "y": "x", "z": "x"}]
"""Groups of people, each with who they are among."""


def climb(group, among):
    """Yield the groups that somebody in a group is in."""
    while group != "people":
        yield group
        group = among[group]


@st.composite
def populations(draw):
    """Draw people of whom some are in groups, and tables of all and of each group, with any margins left out."""
    among, names = draw(st.sampled_from(AMONG)), draw(st.sampled_from(["a", "a", "b d", "ab"])).split()
    _, kinds = name_kinds(names)
    choices = [some for size in range(len(among) + 1) for some in combinations(among, size)]
    inside = [some for some in choices if all({*climb(group, among)} <= {*some} for group in some)]
    every = [(*kind, frozenset(some)) for kind in kinds for some in inside]
    drawn, k = draw(st.lists(st.sampled_from(every), min_size=1, max_size=6)), draw(st.integers(2, 4))
    how, found, numbers = draw(WAYS), [], []
    for group, above in [("people", None), *among.items()]:
        own = [kind for kind in every if group == "people" or group in kind[-1]]
        shape = draw(st.sampled_from(sorted({*names, names[0]})))
        counts, told = draw(tables([shape], [kind[:-1] for kind in drawn if kind in own], k, how))
        (table,) = counts.tables
        found.append(replace(table, name=f"of {group}", counted=group, within=above))
        at = [one for one, name in enumerate(name_kinds(names)[0]) if name in shape]
        for leaves, *rest in told:
            numbers.append((frozenset(kind for kind in own if tuple(kind[one] for one in at) in leaves), *rest))
    return every, numbers, Counts(tuple(found)), k, len(drawn)


@settings(max_examples=1000)
@given(populations())
def test_nothing_is_released_of_which_groups_of_people_leave_a_small_union_of_cells(case):
    kinds, numbers, counts, k, n = case
    assume(len(kinds) <= 12)
    is_safe = audit(counts, k=k).verdict is Verdict.RELEASE
    assert not (is_safe and find_events(kinds, numbers, n, k))


def test_those_who_are_in_no_group_may_have_tables_of_their_own():
    sexes = Dimension("sex", ("f", "m"))
    every, alive, died = ([Cell(("f",), f, f), Cell(("m",), m, m)] for f, m in ((60, 50), (55, 30), (5, 20)))
    tables = [Table("all", (sexes,), tuple(every)), Table("dead", (sexes,), tuple(died[1:]), "died", (0, 9))]
    living = Table("alive", (sexes,), tuple(alive), "alive", within="people", rest="died")
    for order in ([*tables, living], [living, *tables]):
        found = audit(Counts(tuple(order)), k=10)
        assert [str(one) for one in found.evidence.cells] == ["died: sex f: 5"]


def test_what_one_table_does_not_list_another_may():
    year, sex = (Dimension(name, values, cut=True) for name, values in (("year", ("1", "2")), ("sex", ("f", "m"))))
    by_year = [Cell((None,), 60, 60), Cell(("1",), 30, 30), Cell(("2",), 8, 8)]
    by_sex = [Cell(("f", None), 30, 30), Cell(("m", None), 30, 30), Cell(("f", "1"), 12, 12), Cell(("m", "1"), 18, 18)]
    first = replace(year, values=("1",))
    tables = (Table("years", (year,), tuple(by_year)), Table("both", (sex, first), tuple(by_sex), absent=(0, 5)))
    found = audit(Counts(tables), k=6).evidence.cells
    assert {(str(one), one.low, one.high) for one in found} == {
        ("sex f, year 2: 3 to 5", 3, 5),
        ("sex m, year 2: 3 to 5", 3, 5),
    }


HAD = {"s": (("s1", "s2"), {}), "t": (("t1", "t2", "t3"), {}), "u": (("u1", "u2"), {"u1": "u12", "u2": "u12"})}
"""Attributes of which a person may have several values, with what these are parts of."""
WITH_SEVERAL = ["s", "t", "u", "as", "s a", "as a", "as bs", "a as b", "au", "s as", "ds d", "s u", "st", "su"]


@st.composite
def several(draw, how=WAYS):
    """Draw people who may have several values of an attribute, or none, and tables with any margins left out."""
    groups = draw(st.sampled_from(WITH_SEVERAL)).split()
    names = sorted({name for group in groups for name in group})
    known = {**ATTRIBUTES, **{name: ([*leaves, *dict.fromkeys(up.values())], up) for name, (leaves, up) in HAD.items()}}
    single = [name for name in names if name not in HAD]
    every = [value for name in names if name in HAD for value in known[name][0]]
    subsets = [frozenset(some) for size in range(len(every) + 1) for some in combinations(every, size)]
    above = {value: up for _, parents in HAD.values() for value, up in parents.items()}
    subsets = [some for some in subsets if {above[one] for one in some if one in above} <= some]
    kinds = [(*kind, some) for kind in product(*(ATTRIBUTES[name][0] for name in single)) for some in subsets]
    drawn, k = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=7)), draw(st.integers(2, 4))
    how, found, numbers = draw(how), [], {}
    for number, group in enumerate(groups):
        margins = [some for size in range(len(group)) for some in combinations(group, size)]
        levels = {*draw(st.sets(st.sampled_from(margins))), tuple(group)}
        gaps, cells = draw(st.sets(st.integers(0, 11), max_size=4) | st.just(set())), []
        for place, at in enumerate(product(*((None, *known[name][0]) for name in group))):
            values = frozenset((name, value) for name, value in zip(group, at, strict=True) if value is not None)
            if place in gaps or tuple(name for name, value in zip(group, at, strict=True) if value) not in levels:
                continue
            if values not in numbers:
                inside = [kind for kind in kinds if all(value in (*kind[:-1], *kind[-1]) for _, value in values)]
                numbers[values] = (frozenset(inside), *draw(states(sum(one in inside for one in drawn), k, how)))
            cells.append(Cell(at, *numbers[values][1:]))
        dimensions = tuple(Dimension(name, tuple(known[name][0]), known[name][1], name in HAD) for name in group)
        found.append(Table(f"table {number}", dimensions, tuple(cells)))
    return kinds, [*numbers.values()], Counts(tuple(found)), k, len(drawn)


@settings(max_examples=1000)
@given(several())
def test_nothing_is_released_of_which_people_with_several_values_leave_a_small_union_of_cells(case):
    kinds, numbers, counts, k, n = case
    assume(len(kinds) <= 12)
    is_safe = audit(counts, k=k).verdict is Verdict.RELEASE
    assert not (is_safe and find_events(kinds, numbers, n, k))


def test_who_lacks_a_value_that_others_have_is_told():
    drugs = Dimension("drug", ("codeine", "aspirin"), overlapping=True)
    cells = (Cell((None,), 1000, 1000), Cell(("codeine",), 995, 995), Cell(("aspirin",), 400, 400))
    found = audit(Counts((Table("drugs", (drugs,), cells),)), k=10).evidence.cells
    assert [one.sentence for one in found] == ["drug not codeine = total 1,000 − drug codeine 995 = 5"]


@pytest.mark.parametrize(("small", "verdict"), [((96, 104, State.LIMITS), "RELEASE"), ((1, 9, State.MASKED), "REVIEW")])
def test_one_table_with_room_for_all_says_that_nothing_is_small(small, verdict):
    pairs = [[Cell(("x",), 96, 104, State.LIMITS), Cell(("y",), 96, 104, State.LIMITS)] for _ in range(20)]
    pairs[0][0] = Cell(("x",), *small)
    tables = [Table(f"table {at}", (Dimension(f"a{at}", ("x", "y")),), tuple(pair)) for at, pair in enumerate(pairs)]
    assert audit(Counts(tuple(tables)), k=10).verdict.name == verdict


def list_held(kind):
    """Return all values of a kind of people, broader ones too."""
    parents = {value: up for _, known in ATTRIBUTES.values() for value, up in known.items()}
    plain = {value for value in kind if isinstance(value, str)}
    return frozenset().union(plain, map(parents.get, plain), *(value for value in kind if not isinstance(value, str)))


def read_back(kinds, counts):
    """Return what the cells of tables say, of which kinds; merged values are named by all of them."""
    found, held = [], [(kind, list_held(kind)) for kind in kinds]
    for table in counts.tables:
        for cell in table.cells:
            own = [{*value.split(" or ")} for value in cell.at if value]
            inside = [kind for kind, known in held if all(known & some for some in own)]
            found.append((frozenset(inside), cell.low, cell.high, cell.state))
    return found


OPEN = st.just(("none", True, 1))


@settings(max_examples=500)
@given(publications(how=OPEN) | several(how=OPEN), st.sampled_from([*METHODS]))
def test_what_a_repair_writes_reveals_no_union_of_cells(case, method):
    kinds, _, counts, k, n = case
    assume(len(kinds) <= 12)
    release = block_if_possible(counts, Policy("k", k=k), method)
    assume(release is not None)
    assert not (release.is_safe and find_events(kinds, read_back(kinds, release.counts), 2 * n + 2 * k, k))


MARGINS = "sex,smoker,n\nf,Total,90\nm,Total,90\nTotal,yes,<11\nTotal,no,175\n"
HEAD = "result_id,cdm_name,group_name,group_level,strata_name,strata_level,variable_name,variable_level"
STRATA = f"{HEAD},estimate_name,estimate_type,estimate_value,additional_name,additional_level\n" + "".join(
    f"1,x,cohort_name,all,{name},{level},number subjects,NA,count,integer,{many},overall,overall\n"
    for name, level, many in [("sex", "f", 90), ("sex", "m", 90), ("smoker", "yes", "<10"), ("smoker", "no", 175)]
)
SHARED = """sex,smoker,ward,n
f,yes,Total,40
f,no,Total,60
m,yes,Total,50
m,no,Total,50
f,Total,A,<10
f,Total,B,95
m,Total,A,60
m,Total,B,40
"""  # no line of one sex alone
ALL_ELSE = """sex,ill,n
Total,Total,100
f,yes,95
f,no,*
m,yes,*
m,no,*
f,Total,*
m,Total,*
Total,yes,*
Total,no,*
"""
MARGINS_OF_FEW = """sex,ill,n
Total,Total,103
f,yes,95
f,no,<10
m,yes,<10
m,no,<10
f,Total,97
m,Total,<10
Total,yes,100
Total,no,<10
"""
CROSSED = "sex,smoker,n\nf,yes,12\nf,no,*\nf,Total,*\nm,yes,<10\nm,no,35\nm,Total,*\nTotal,Total,52\n"
NARROWED = """sex,ill,ward,n
f,Total,Total,17
m,Total,Total,74
f,yes,Total,<9
f,no,Total,14-16
m,yes,Total,68-70
m,no,Total,<9
f,Total,A,<9
f,Total,B,8-10
m,Total,A,68-70
m,Total,B,<9
"""  # of 7 or 8 women in ward A, at most 3 are ill
ROUND = """sex,smoker,ward,n
f,yes,Total,21
f,no,Total,26
f,Total,A,37
f,Total,B,10
f,Total,Total,47
m,yes,Total,14
m,no,Total,40
m,Total,A,20
m,Total,B,34
m,Total,Total,54
Total,yes,A,17
Total,yes,B,18
Total,yes,Total,35
Total,no,A,40
Total,no,B,26
Total,no,Total,66
Total,Total,A,57
Total,Total,B,44
Total,Total,Total,101
"""


@pytest.mark.parametrize(
    ("text", "k", "sentence"),
    [
        (MARGINS, 11, "smoker yes = total 180 − smoker no 175 = 5"),
        (STRATA, 10, "cohort_name all, smoker yes = cohort_name all 180 − cohort_name all, smoker no 175 = 5"),
        (SHARED, 10, "sex f, ward A = sex f 100 − sex f, ward B 95 = 5"),
        (ALL_ELSE, 10, "ill no, sex f + sex m = total 100 − ill yes, sex f 95 = 5"),
        (CROSSED, 10, None),
        (NARROWED, 9, None),  # ward A has more women than may be ill, so that others of them are not
        (ROUND, 10, None),  # sums of a circle: f no B and m yes A are 6 together
    ],
)
def test_what_tables_share_and_groups_of_cells_are_found(text, k, sentence):
    found = audit(read_counts(BytesIO(text.encode())), k=k)
    assert found.verdict is Verdict.WITHHOLD
    assert sentence is None or any(one.explain().endswith(sentence) for one in found.findings)


def test_margins_of_an_older_release_are_compared_with_the_cells_of_a_newer_one():
    new = b"sex,ward,n\nf,A,0\nf,B,16\nf,C,30\nm,A,146\nm,B,24\nm,C,0\nf,Total,46\nm,Total,170\n"
    old = b"sex,ward,n\nf,Total,28\nm,Total,146\nTotal,A,146\nTotal,B,15\nTotal,C,13\n"
    found = audit(read_counts(BytesIO(new)), k=10, against=[read_counts(BytesIO(old))], grown=True)
    assert found.verdict is Verdict.WITHHOLD
    assert str(found.findings[0]) == "people new since older release 1: sex f, ward B: 1"


def test_tables_whose_shared_counts_do_not_fit_are_for_a_person():
    lacks_ten = b"sex,smoker,n\nf,Total,60\nm,Total,40\nTotal,yes,50\nTotal,no,40\n"
    found = audit(read_counts(BytesIO(lacks_ten)), k=10)
    assert found.verdict is Verdict.REVIEW
    assert any("list the common totals" in check.sentence for check in found.checks)


@pytest.mark.parametrize("method", ["suppress", "best"])
def test_a_repair_leaves_no_total_beside_a_single_cell(method):
    release = block_counts(read_counts(BytesIO(MARGINS_OF_FEW.encode())), k=10, method=method)
    assert release.is_safe
    shown = {cell.at for cell in release.counts if cell.state is State.EXACT}
    assert not {(None, None), ("f", "yes")} <= shown


def test_what_was_not_decided_is_told_beside_findings(monkeypatch):
    find = judging.find_revealed
    monkeypatch.setattr(judging, "find_revealed", lambda *given, **how: find(*given, **how)._replace(undecided=2))
    (check,) = [one for one in audit(read_counts(BytesIO(MARGINS.encode())), k=11).checks if one.verdict.value]
    assert check.sentence.endswith("What follows for 2 counts could not be decided in time.")


def test_a_table_of_too_many_margins_is_refused_before_they_are_made():
    chance = random.Random(1)  # noqa: S311 - a table that can be drawn again
    lines = {tuple(chance.choice(["", "x", "y", "z"]) for _ in range(24)) for _ in range(97)}
    text = ",".join([*(f"a{at}" for at in range(24)), "n"]) + "".join(f"\n{','.join(line)},50" for line in lines)
    with pytest.raises(BudgetError, match="more than 1,000,000 cells"):
        audit(read_counts(BytesIO(text.encode())), k=10)


@pytest.mark.parametrize(("k", "total", "why"), [(1, "100", "k is 1"), (10, "<10", "more than all 9 people")])
def test_a_k_that_no_group_has_is_never_a_release(k, total, why):
    table = f"sex,n\nTotal,{total}\nf,{'60' if k == 1 else '<10'}\nm,{'40' if k == 1 else '<10'}\n"
    found = audit(read_counts(BytesIO(table.encode())), k=k)
    assert found.verdict is Verdict.REVIEW
    assert any(why in check.sentence for check in found.checks)


def test_a_k_above_all_masked_cells_of_a_table_without_a_total_is_never_a_release():
    found = audit(read_counts(BytesIO(b"sex,n\nf,<10\nm,<10\n")), k=19)
    assert found.verdict is Verdict.REVIEW
    assert any("k is 19, more than all 18 people" in check.sentence for check in found.checks)


def test_another_method_is_taken_where_masks_leave_small_counts_of_several_tables_together():
    numbers = {"ab": (62, 1, 76, 15), "bc": (10, 128, 17, 1), "cd": (1, 19, 50, 81)}
    tables = [Table("all", (), (Cell((), 158, 158),))]
    for names, many in numbers.items():
        dimensions = tuple(Dimension(name, (f"{name}0", f"{name}1")) for name in names)
        places = product(*(one.values for one in dimensions))
        pairs = zip(places, many, strict=True)
        cells = tuple(Cell(at, one, one) if one > 1 else Cell(at, 1, 9, State.MASKED) for at, one in pairs)
        tables.append(Table(names, dimensions, cells))
    counts = Counts((*tables,))
    with pytest.raises(OptionError, match="several tables together"):
        block_counts(counts, k=10, method="suppress")
    assert block_counts(counts, k=10).is_safe


@pytest.mark.parametrize("total", [b"Total,90\n", b""])
@pytest.mark.parametrize("method", ["best", "suppress", "round"])
def test_a_repair_of_a_table_of_fewer_than_k_people_is_no_release(method, total):
    counts = read_counts(BytesIO(b"sex,n\n" + total + b"f,60\nm,30\n"))
    release = block_counts(counts, k=91, method=method)
    assert release.verdict is Verdict.REVIEW
    assert any("k is 91, more than all 90 people" in check.sentence for check in release.audit.checks)


def test_a_coarser_table_beside_another_hides_no_group_of_it():
    parents = {"h1": "h12", "h2": "h12", "h3": "h34", "h4": "h34"}
    fine = Dimension("h", (*parents,), parents)
    shown = [Cell((at,), many, many) for at, many in ((None, 200), ("h1", 95), ("h3", 100))]
    first = Table("fine", (fine,), (*shown, *(Cell((at,), 0, UNKNOWN, State.MASKED) for at in ("h2", "h4"))))
    both = Dimension("h", ("h12", "h34")), Dimension("a", ("x", "y"))
    masked = tuple(Cell(at, 0, UNKNOWN, State.MASKED) for at in product(("h12", "h34"), "xy"))
    (found,) = audit(Counts((first, Table("coarse", both, masked))), k=10).findings
    assert str(found) == "h h2 or h h4: 5"
