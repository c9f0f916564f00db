"""Public cases of other tools: what a reader derives from the tables that they call protected, or show as examples.

A cell is its true count; a mark after it says what is published instead: ``*`` nothing, ``<11`` and ``>761`` a range.
Only numbers were taken over; each case names its project and file. ``floor`` is 1 where zeros are shown, so that a
masked count is 1 or more, and 0 where the tool masks zeros too or leaves the reader to think so.
"""

import re
from dataclasses import replace

import numpy as np
import pytest

from discreet.data.counts import UNKNOWN, Cell, Counts, Dimension, State, Table
from discreet.publications.counts.equations import list_equations
from discreet.publications.counts.limits import Limits
from discreet.publications.counts.proofs import check_steps
from discreet.publications.counts.revealed import find_revealed


def table(text, *names, floor=0, **parents):
    """Read a table: the values of its last attribute, then lines with those of the others and counts."""
    head, *lines = (line.split() for line in text.strip().split("\n"))
    cells = []
    for line in lines:
        for last, token in zip(head, line[len(names) - 1 :], strict=True):
            at = tuple(None if value == "Total" else value for value in (*line[: len(names) - 1], last))
            count, mark, end = re.fullmatch(r"(\d+)([*<>]?)(\d*)", token).groups()
            low, high = {"": (count, count), "*": (floor, UNKNOWN), "<": (floor, end), ">": (end, UNKNOWN)}[mark]
            low, high = int(low) + (mark == ">"), int(high) - (mark == "<")
            state = State.MASKED if mark else State.EXACT
            cells.append(Cell(at, low, high, state, mark=count))
    values = [tuple(dict.fromkeys(cell.at[at] for cell in cells if cell.at[at])) for at in range(len(names))]
    dimensions = [Dimension(one, own, parents.get(one, {})) for one, own in zip(names, values, strict=True)]
    return Table("", tuple(dimensions), tuple(cells))


def line(values, counts, floor=0, **parents):
    """Read a table of one attribute."""
    return table(f"{values}\n{counts}", "group", floor=floor, **parents)


def link(*tables):
    return Counts(tuple(replace(one, name=f"table {at}") for at, one in enumerate(tables)))


def group(**below):
    """Return the parent of each value."""
    return {value: parent for parent, values in below.items() for value in values.split()}


def short(key):
    return "/".join(value for _, value in sorted(key.values)) or "Total"


def limits_of(counts):
    """Return the limits of each masked cell from linear programs, proven; the truth must lie within."""
    equations = list_equations(counts)
    limits = Limits(equations)
    limits.propagate()
    assert limits.tighten(np.flatnonzero(equations.states >= State.MASKED).tolist()) == []
    check_steps(equations, limits.steps)
    found = zip(map(short, equations.keys), limits.low.tolist(), limits.high.tolist(), strict=True)
    ends = {name: (low, high) for name, low, high in found}
    for one in counts.tables:
        for cell in one.cells:
            pairs = zip(one.names, cell.at, strict=True)
            low, high = ends["/".join(value for _, value in sorted(pairs) if value) or "Total"]
            assert low <= int(cell.mark) <= high
    return ends


def revealed(counts, k):
    """Return what is recovered, and what is told or narrowed, each with its proof checked."""
    search = find_revealed(counts, k)
    assert not search.undecided
    for one in search.found:
        check_steps(one.equations, one.steps)
    return {short(one.keys[0]): one.low for one in search.found if one.kind == "recovered"}


def check(counts, expected):
    ends = limits_of(counts)
    assert {name: ends[name] for name in expected} == expected


# sdcTable, tests/testthat/test-linked-tables.r (also UserSupport issue 136): two groupings of the same regions, k = 4.
COUNTIES = group(c1="A B I J", c2="K L M N")
SIZES = group(big="L M", small="A B I J K N")


def regions(masked, floor=0):
    counts = {"A": 2, "B": 2, "I": 8, "J": 8, "K": 3, "L": 3, "M": 3, "N": 7}
    told = " ".join(f"{many}{'*' * (name in masked)}" for name, many in counts.items())
    first = line(f"{' '.join(counts)} c1 c2 Total", f"{told} 20 16 36", floor, group=COUNTIES)
    return link(first, line(f"{' '.join(counts)} big small Total", f"{told} 6 30 36", floor, group=SIZES))


def test_sdctable_protects_two_groupings_alone_and_gives_away_their_difference():
    # Its attack() calls each table safe. Together: small 30 − c1 20 − N 7 = K 3.
    assert revealed(regions("ABKLM"), 4) == {"K": 3}
    check(regions("ABKLM"), {"K": (3, 3), "A": (0, 4), "B": (0, 4), "L": (0, 6), "M": (0, 6)})


def test_sdctable_protects_linked_groupings_by_one_more_cell():
    # We agree for readers who know nothing else; where masks say "fewer than 4", L and M are 3 each, as big is 6.
    check(regions("ABKLMN"), {"K": (0, 10), "N": (0, 10)})
    check(regions("ABKLMN", floor=1), {"K": (1, 9), "N": (1, 9), "A": (1, 3), "L": (1, 5)})
    small = line("L M Total", "3<4 3<4 6", 1)
    assert revealed(link(small), 4) == {"L": 3, "M": 3}


def test_a_difference_of_three_cells_gives_a_count_away_as_well():
    # Ours, after R/protect_linked_tables.R of sdcTable, which compares sums that differ by one or two cells.
    values, told = "A B I J K L M N O", "2* 2* 8 8 3* 3* 3* 7 5"
    parents = COUNTIES | {"O": "c2"}, SIZES | {"O": "small"}
    first = line(f"{values} c1 c2 Total", f"{told} 20 21 41", group=parents[0])
    second = line(f"{values} big small Total", f"{told} 6 35 41", group=parents[1])
    assert revealed(link(first, second), 4) == {"K": 3}


# sdcTable, tests/testthat/test-simpleheuristic.R and R/test_problems.R: bounds of attack().
ATTACKED = """
a b c d Total
w 30* 47* 64* 89 230
x 90* 124 5* 31 250
y 92 100* 59 85* 336
z 800 991* 651 685* 3127
Total 1012 1262 779 890 3943
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", {"b/w": (47, 47), "a/w": (25, 94), "c/w": (0, 69), "a/x": (26, 95), "b/z": (906, 1091)}),
        ("31 250", "31* 250", {"b/w": (0, 78), "a/w": (0, 120), "d/x": (0, 78), "b/z": (875, 1138)}),
        ("124 5*", "124* 5*", {"b/w": (0, 141), "b/x": (30, 171), "d/z": (585, 770)}),
    ],
    ids=["two masks in every line recover 47", "one more mask, as sdcTable does", "another one, as its comment says"],
)
def test_bounds_are_those_of_sdctables_attack(old, new, expected):
    text = ATTACKED.replace(old, new) if old else ATTACKED
    check(link(table(text, "row", "column")), expected)


# sdcTable, tests/testthat/test-protectTable.r; easySdcTable, vignettes/singletonsAndZeros.Rmd (data1b is UserSupport
# issue 135); UserSupport issue 194 about tau-Argus. Lines: columns, counts, floor, k, recovered, limits of others.
SEX = "m f Total\nA 18* 2* 20\nB 14 19 33\nC {} 22\nD {} 25\nTotal 55 45 100"
PAIRS = "A B H M W Total\nr1 {}\nr2 {}\nTotal {}"
ZEROS = [
    (PAIRS.format("0 1* 7 1* 0 9", "2* 0 0 2* 8 12", "2* 1* 7 3* 8 21"), 1, {"B/r1": 1, "M/r1": 1, "B": 1}, {}),
    (PAIRS.format("0 1* 7* 1* 0 9", "2* 0 0 2* 8 12", "2* 1* 7* 3* 8 21"), 1, {}, {"B/r1": (1, 7), "M/r1": (1, 7)}),
    (
        PAIRS.format("1* 1* 7 1* 0 10", "1* 0 0 2* 8* 11", "2* 1* 7 3* 8* 21"),
        1,
        {"A/r1": 1, "B/r1": 1, "M/r1": 1, "B": 1},
        {"A/r2": (1, 9)},
    ),
    (PAIRS.format("1* 1* 7* 1* 0 10", "1* 0 0 2* 8 11", "2* 1* 7* 3* 8 21"), 1, {}, {"A/r2": (1, 2), "M/r2": (1, 2)}),
    (PAIRS.format("5 0* 7 0* 9 21", "5 9* 9 5* 8 36", "10 9 16 5 17 57"), 0, {}, {"B/r1": (0, 0), "M/r2": (5, 5)}),
    (PAIRS.format("5* 0* 7 0* 9 21", "5* 9* 9 5* 8 36", "10 9 16 5 17 57"), 0, {}, {"B/r1": (0, 5), "A/r2": (5, 10)}),
    (PAIRS.format("0* 0* 7 0* 9 16", "0* 9* 9 2* 8 28", "0* 9 16 2* 17 44"), 0, {}, {"A/r1": (0, 0), "B/r2": (9, 9)}),
    (PAIRS.format("0* 0* 7 0* 9* 16", "0* 9* 9 2* 8* 28", "0* 9 16 2* 17 44"), 0, {}, {"A/r1": (0, 2), "M": (0, 2)}),
]


@pytest.mark.parametrize(("text", "floor", "recovered", "expected"), ZEROS)
def test_ones_and_zeros_are_recovered_where_easysdctable_says_so(text, floor, recovered, expected):
    # We agree on all eight. What its text does not say: after Gauss, A/r2 and M/r2 are told to be 1 or 2.
    counts = link(table(text, "row", "column", floor=floor))
    assert revealed(counts, 4) == recovered
    check(counts, expected)


@pytest.mark.parametrize(
    ("text", "floor", "k", "recovered", "expected"),
    [
        (SEX.format("12* 10*", "11 14"), 0, 4, {}, {"A/f": (0, 12)}),  # OPT, HYPERCUBE, HITAS
        (SEX.format("12 10", "11* 14*"), 0, 4, {}, {"A/f": (0, 16)}),  # GAUSS
    ],
)
def test_one_small_count_is_safe_behind_the_masks_of_sdctable(text, floor, k, recovered, expected):
    counts = link(table(text, "region", "sex", floor=floor))
    assert revealed(counts, k) == recovered
    check(counts, expected)


@pytest.mark.parametrize(
    ("values", "told", "floor", "k", "expected"),
    [
        ("a b c d Total", "1* 2 1* 0 4", 0, 2, {"a": (0, 2), "c": (0, 2)}),  # sdcTable: no detection of ones
        ("a b c d Total", "1* 2 1* 0 4", 1, 2, {"a": (1, 1), "c": (1, 1)}),
        ("a b c d Total", "1* 2* 1* 0 4", 1, 2, {"a": (1, 2), "b": (1, 2)}),  # with detection
        ("a b c d Total", "1* 2* 1* 0 4*", 1, 2, {"a": (1, UNKNOWN), "Total": (3, UNKNOWN)}),  # threshold 5
        ("a b c Total", "0* 0* 0 0", 0, 4, {"a": (0, 0), "b": (0, 0)}),  # tau-Argus
        ("a b c d Total", "10 5 0* 0* 15", 0, 4, {"c": (0, 0), "d": (0, 0)}),
        ("a b c d Total", "10 3 1* 1* 15", 1, 4, {"c": (1, 1), "d": (1, 1)}),
    ],
)
def test_single_sums_give_ones_and_zeros_away(values, told, floor, k, expected):
    counts = link(line(values, told, floor))
    check(counts, expected)
    assert revealed(counts, k) == {name: low for name, (low, high) in expected.items() if low == high and low > 0}


# GaussSuppression, vignettes/Linked_table_suppression.Rmd: age × EU × year, and country × year; k = 3.
PLACES = group(nonEU="Iceland", EU="Portugal Spain")
AGES = """
nonEU EU Total
young 2014 8 6 14
young 2015 2* 0 2*
young 2016 2* 9 11*
young Total 12 15 27
old 2014 0 10 10
old 2015 0 7 7
old 2016 0 0 0
old Total 0 17 17
Total 2014 8 16 24
Total 2015 2* 7 9*
Total 2016 2* 9 11*
Total Total 12 32 44
"""
COUNTRIES = "Iceland Portugal Spain Total\n2014 {}\n2015 {}\n2016 {}\nTotal 12 6 26 44"


def linked(*lines, floor=0):
    ages = table(AGES, "age", "year", "geo", floor=floor)
    return link(ages, table(COUNTRIES.format(*lines), "year", "geo", floor=floor, geo=PLACES))


def test_gausssuppression_local_mode_gives_every_masked_count_away():
    # Its text calls the mode unsatisfactory, as equal cells have other marks: nothing is left masked at all.
    counts = linked("8* 1* 15 24", "2* 3* 4 9", "2* 2* 7 11")
    ends = limits_of(counts)
    assert all(low == high for low, high in ends.values())


def test_gausssuppression_consistent_mode_gives_more_away_than_it_says():
    # It owns up to Spain 2015. Portugal 2014 and 2016, small counts that it set out to protect, follow as well.
    counts = linked("8 1* 15* 24", "2* 3 4* 9*", "2* 2* 7 11*")
    check(counts, {"Spain/2015": (4, 4), "Portugal/2014": (1, 1), "Portugal/2016": (2, 2), "nonEU/2015": (0, 4)})
    assert revealed(counts, 3) == {"Portugal/2014": 1, "Portugal/2016": 2}


def test_gausssuppression_super_consistent_mode_recovers_nothing_but_tells_small_counts():
    # Its own intervals are ours, 0 to 3. But it shows zeros: a masked count is 1 or 2, so known to be small.
    lines = "8 1* 15* 24", "2* 3 4 9*", "2* 2* 7* 11*"
    check(linked(*lines), {"Portugal/2014": (0, 3), "Portugal/2016": (0, 3), "nonEU/2015": (0, 4)})
    check(linked(*lines, floor=1), {"Portugal/2014": (1, 2), "Portugal/2016": (1, 2), "nonEU/2015": (1, 3)})
    assert revealed(linked(*lines, floor=1), 3) == {}


def test_gausssuppression_widths_of_four_are_two_where_zeros_are_shown():
    lines = "8 1* 15* 24", "2* 3* 4* 9*", "2* 2* 7* 11*"
    check(linked(*lines), {"Portugal/2014": (0, 6), "Portugal/2016": (0, 6), "nonEU/2016": (0, 4)})
    check(linked(*lines, floor=1), {"Portugal/2014": (1, 4), "nonEU/2016": (1, 3)})


# GaussSuppression, man/SuppressLinkedTables.Rd, second example; data z1 and z2 of SSBtools. Zeros are masked too.
INCOMES = """
annet arbeid soshjelp trygd Total
A 11* 11* 55 36 113
B 7* 1* 29 18 55
C 5* 8* 35 25 73
D 13* 2* 17 13 45
E 9 14 63 52 138
F 12 9 24 22 67
G 6* 4* 22 8 40
H 9* 3* 38 15 65
I 3* 0* 9 2 14
J 9* 0* 32 20 61
K 4 2 18 11 35
"""
BY_KIND = "k300 72* 52* 283 189 596\nk400 16* 2* 59 33 110\nTotal 88 54 342 222 706"
BY_COUNTY = (
    "f1 14 11 64 38 127\nf4 7* 1* 29 18 55\nf5 18 10 52 38 118\nf6 21 23 87 74 205\nf8 15 7 60 23 105\n"
    "f10 13* 2* 50 31 96\nTotal 88 54 342 222 706"
)
COUNTY_OF = group(f1="A I", f4="B", f5="C D", f6="E F", f8="G H", f10="J K")
KIND_OF = group(k300="A B C D E F G H", k400="I J K")


def incomes(*more):
    tables = [table(INCOMES + BY_KIND, "region", "source", region=KIND_OF)]
    tables.append(table(INCOMES + BY_COUNTY, "region", "source", region=COUNTY_OF))
    return link(*tables, *more)


def test_gausssuppression_protects_a_table_with_two_groupings():
    check(incomes(), {"B/arbeid": (0, 1), "J/arbeid": (0, 1), "I/arbeid": (0, 3), "k400/arbeid": (2, 6)})
    assert revealed(incomes(), 6) == {}


def test_gausssuppression_is_not_told_that_the_total_of_one_table_is_a_group_of_another():
    # The total of its first table, 72 and 52, is the group k300 that the others mask: no fault of the algorithm.
    known = table("annet arbeid soshjelp trygd Total\nk300 72 52 283 189 596", "region", "source", region=KIND_OF)
    found = {"k400/arbeid": 2, "B/arbeid": 1, "f4/arbeid": 1, "I/annet": 3, "f10/arbeid": 2}
    assert revealed(incomes(known), 6) == found
    check(incomes(known), {"I/arbeid": (0, 0), "J/arbeid": (0, 0), "C/annet": (3, 13), "H/arbeid": (0, 7)})


# GaussSuppression, vignettes/Small_count_frequency_table_suppression.Rmd, tables 2, 7, 8 and 9, and
# man/SuppressSmallCounts.Rd (mun_accidents).
NINE = "Iceland Portugal Spain Total\nyoung {} 21\nold {} 38\nTotal 13 12 34 59"
EIGHT = """
Iceland Portugal Spain Total
young 2014 2* 0 5* 7
young 2015 0 0 5 5
young 2016 1* 1* 7* 9
young Total 3* 1* 17 21
old 2014 3* 4 6* 13
old 2015 3 4 6 13
old 2016 4* 3* 5* 12
old Total 10* 11* 17 38
Total 2014 5 4 11 20
Total 2015 3 4 11 18
Total 2016 5 4 12 21
Total Total 13 12 34 59
"""
ACCIDENTS = """
light none serious unknown Total
k1 0 0 4* 0 4*
k2 0 1* 5* 0 6
k3 2* 1* 3* 0 6
k4 1* 4* 4 0 9
k5 0 0 1* 0 1*
k6 0 0 6 0 6
Total 3* 6* 23 0 32
"""


def test_gausssuppression_intervals_of_small_counts_are_ours():
    check(link(table(NINE.format("3* 1* 17", "10* 11* 17"), "age", "geo")), {"young/Iceland": (0, 4)})
    wide = link(table(NINE.format("3* 1* 17*", "10* 11* 17*"), "age", "geo"))
    check(wide, {"young/Iceland": (0, 13), "young/Portugal": (0, 12)})


def test_gausssuppression_keeps_zeros_apart_from_small_counts():
    head = "Iceland Portugal Spain nonEU EU Total\n"
    two = f"{head}young 2* 0* 5 2* 5* 7\nold 3* 4* 6 3* 10* 13\nTotal 5 4 11 5 15 20"
    check(link(table(two, "age", "geo", geo=PLACES)), {"young/Iceland": (0, 2), "young/Portugal": (0, 2)})
    seven = (
        "Iceland Portugal Spain nonEU EU Total\nyoung 0* 0* 5* 0* 5* 5\nold 3* 4* 6* 3* 10* 13\nTotal 3 4 11 3 15 18"
    )
    check(link(table(seven, "age", "geo", geo=PLACES)), {"young/Iceland": (0, 3), "young/Portugal": (0, 4)})


def test_fourteen_masks_of_gausssuppression_leave_two_values_each_where_zeros_are_shown():
    # Its intervals are 4 wide, from 0 on. A reader who sees zeros elsewhere knows that a masked count is not 0.
    counts, shown = (link(table(EIGHT, "age", "year", "geo", floor=floor)) for floor in (0, 1))
    masked = {short(key) for key, state in _states(counts) if state == State.MASKED}
    assert {high - low for name, (low, high) in limits_of(counts).items() if name in masked} == {4}
    assert {high - low for name, (low, high) in limits_of(shown).items() if name in masked} == {1}


def _states(counts):
    equations = list_equations(counts)
    return zip(equations.keys, equations.states.tolist(), strict=True)


def test_accidents_of_gausssuppression_are_told_to_be_few():
    shown = link(table(ACCIDENTS, "town", "harm", floor=1))
    check(shown, {"none/k2": (1, 2), "light/k3": (1, 2), "none/k3": (1, 2), "serious/k3": (3, 4), "k5": (1, 4)})
    assert revealed(shown, 4) == {}


# countmaskr, tests/testthat/test_mask_counts.R, test_mask_counts_2.R and test_mask_table.R, and its README: counts
# with their marks, and the limits of the first masks for a reader who knows the sum.
LINES = [
    ("5<11 15<20 0", 1, [(1, 10), (10, 19)]),
    ("5<11 14<15 20", 1, [(5, 10), (9, 14)]),
    ("5<11 14 20<25", 1, [(1, 10), (15, 24)]),
    ("5<11 11<15 43 55 65 121 1213 0", 1, [(2, 10), (6, 14)]),
    ("5<11 11 43 55 65 121 1213 0<11", 0, [(0, 5), (0, 5)]),
    ("4<5 7<10 9 15", 1, [(2, 4), (7, 9)]),
    ("1<11 1<11 43<45 55", 1, [(1, 10), (1, 10), (25, 43)]),
    ("10<11 10<11 43<45 55 0", 1, [(9, 10), (9, 10), (43, 44)]),
    ("1<11 1<11 1<11 5<11 6<11 10<11 0", 1, [(1, 10)] * 6),
    ("5<20 11<20 43 55", 1, [(1, 15), (1, 15)]),
    ("5<11 1000000<1000005 2000000", 1, [(1, 10), (999_995, 1_000_004)]),
    ("5<11 11 43 55 65 121 1213>1207 0", 1, [(1, 10), (1208, 1217)]),
    ("1<11 1<11 1<11 55 65 121 1213>1183 0", 1, [(1, 10)] * 3 + [(1186, 1213)]),
    ("11 10<11 10<11 55 65 121 1213>1211 0", 1, [(1, 10), (1, 10), (1213, 1231)]),
    ("5<11 15>11", 1, [(1, 8), (12, 19)]),
    ("5<11 15 80>74", 1, [(1, 10), (75, 84)]),
    ("5<11 6<11 89", 1, [(1, 10), (1, 10)]),
    ("1<11 1<11 43 55>35", 1, [(1, 10), (1, 10), (37, 55)]),
    ("10<11 10<11 43 55>53", 1, [(1, 10), (1, 10), (55, 73)]),
    ("4<11 71<80 925 0 0", 1, [(1, 10), (65, 74)]),
    ("728<730 763 9<11", 1, [(727, 729), (8, 10)]),
    ("728 763>761 9<11", 1, [(762, 771), (1, 10)]),
    ("66<70 215 453 6<11 760", 1, [(62, 69), (3, 10)]),
    ("66 215 453 6<11 760>755", 1, [(1, 10), (756, 765)]),
    ("5<11 10<11 15<20 20", 1, [(1, 10), (1, 10), (10, 19)]),
    ("3<11 6<11 9<11 12", 1, [(1, 10)] * 3),
    ("15<20 20<25", 1, [(11, 19), (16, 24)]),
    ("9<11 12<15", 1, [(7, 10), (11, 14)]),
]


@pytest.mark.parametrize(("marks", "floor", "expected"), LINES, ids=[marks for marks, _, _ in LINES])
def test_marks_of_countmaskr_leave_these_limits_where_the_sum_is_known(marks, floor, expected):
    # It claims no limits. With "<45" beside two tens, or "<730", few values of 1 to 10 are left.
    tokens = marks.split()
    total = sum(int(re.match(r"\d+", token)[0]) for token in tokens)
    names = [f"v{at}" for at in range(len(tokens))]
    ends = limits_of(link(line(f"{' '.join(names)} Total", f"{marks} {total}", floor)))
    assert [ends[name] for name, token in zip(names, tokens, strict=True) if not token.isdigit()] == expected


# countmaskr, vignettes/getting-started.Rmd (race and gender of 1,500 people) and README (sex and ethnicity).
RACES = """
Total Female Male Other
AIPI 66<70 29 37<40 0
Asian 215 96<100 118 1<11
Black 453 224<225 228 1<11
Others 6<11 0 6<11 0
White 760 379 374<375 7<11
"""
ETHNIC = """
Total NotHispanic Hispanic Other
Total 1678 1377 296<300 5<11
Male 931 923<930 8<11 0
Female 740<750 452<460 283 5<11
Others 7<11 2<11 5<11 0
"""


def races(last=""):
    return link(table(RACES + last, "race", "sex", floor=1))


def test_two_tables_of_countmaskr_on_one_page_recover_a_count():
    # Its README says that no masked count can be recovered. Alone, seven is only narrowed; no single sum shows it.
    check(races(), {"White/Other": (7, 10), "Asian/Other": (1, 10), "White/Male": (371, 374)})
    assert revealed(races(), 11) == {}
    both = races("Total 1500 728<730 763 9<11")
    assert revealed(both, 11) == {"White/Other": 7}
    check(both, {"White/Male": (374, 374), "Asian/Other": (1, 2), "Others": (4, 10), "Other": (9, 10)})


def test_the_other_algorithm_of_countmaskr_recovers_two_ones():
    # Female 728 is shown, and with it two sums of two masked counts: Asian/Other and Black/Other are 1 each.
    both = races("Total 1500 728 763>761 9<11")
    assert revealed(both, 11) == {"Asian/Other": 1, "Black/Other": 1}
    check(both, {"White/Other": (7, 8), "Other": (9, 10), "Asian/Female": (96, 96)})


def test_the_example_of_countmaskrs_readme_is_narrowed_a_little():
    counts = link(table(ETHNIC, "sex", "zone", floor=1))
    check(counts, {"Other": (2, 10), "Male/Hispanic": (2, 10), "Others": (2, 10), "Others/Hispanic": (1, 9)})
    assert revealed(counts, 11) == {}


def test_a_masked_count_beside_its_total_follows_by_one_subtraction():
    # gtsummary, issue 1691: N = 180, and a line of 177 beside one of "<6".
    counts = link(line("yes no Total", "177 3<6 180", 1))
    assert revealed(counts, 6) == {"no": 3}
    assert find_revealed(counts, 6).found[0].sentence == "group no = total 180 − group yes 177 = 3"
