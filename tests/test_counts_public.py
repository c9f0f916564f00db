"""A public export of Achilles: what is found there is recomputed from the file, line by line, by other means."""

import csv
import lzma
import os
from collections import Counter
from io import BytesIO, StringIO
from itertools import product
from pathlib import Path

import pytest

from discreet import audit, read_counts

DATA = os.environ.get("DISCREET_DATA")
FILE = Path(DATA or ".", "achilles_1000_patients_2.csv.xz")
K, MOST = 6, 5  # counts of 5 and fewer were deleted

pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="set DISCREET_DATA to the folder of the public data")


@pytest.fixture(scope="module")
def text():
    return lzma.decompress(FILE.read_bytes()).decode()


@pytest.fixture(scope="module")
def judged(text):
    judged = audit(read_counts(BytesIO(text.encode())), k=K)
    assert judged.verdict == "WITHHOLD"
    return judged.evidence.cells


@pytest.fixture(scope="module")
def found(judged):
    """Every finding about a single count: what is counted, its values, and its limits."""
    return {
        (one.counted, frozenset(value for _, value in one.keys[0].values)): (one.kind, one.low, one.high)
        for one in judged
        if len(one.keys) == 1
    }


def lines_of(text, number):
    """The counts of an analysis by its strata, read without any code of ours."""
    lines = csv.reader(StringIO(text))
    return {
        tuple(value for value in line[1:6] if value != "NULL"): int(line[6]) for line in lines if line[0] == str(number)
    }


def split(totals, parts, genders):
    """The limits of each deleted part: a total minus the other part, of which no more than 5 may be missing."""
    limits = {}
    for value, many in totals.items():
        shown = {gender: parts.get(frozenset((*value, gender))) for gender in genders}
        for gender in genders:
            if shown[gender] is None:
                other = shown[next(one for one in genders if one != gender)]
                ends = (max(0, many - MOST), min(MOST, many)) if other is None else (many - other, many - other)
                limits[frozenset((*value, gender))] = ends
    return limits


def find_dead(totals, by, alive, genders):
    """The limits of how many of each year of birth died, and of each gender, from all counts by gender that fit."""
    limits = {}
    for (year,), many in totals.items():
        people = [[by[year, one]] if (year, one) in by else range(MOST + 1) for one in genders]
        living = [[alive[year, one]] if (year, one) in alive else range(MOST + 1) for one in genders]
        fitting = [
            tuple(one - other for one, other in zip(every, some, strict=True))
            for every, some in product(product(*people), product(*living))
            if sum(every) == many and all(one <= other for one, other in zip(some, every, strict=True))
        ]
        dead = {frozenset({year}): [sum(one) for one in fitting]}
        dead |= {frozenset({year, one}): [some[at] for some in fitting] for at, one in enumerate(genders)}
        limits |= {values: (min(some), max(some)) for values, some in dead.items()}
    return limits


def expect(limits):
    return {
        values: ("recovered" if low == high else "told", low, high)
        for values, (low, high) in limits.items()
        if low >= 1 and high < K
    }


@pytest.mark.parametrize(
    ("counted", "totals", "parts", "single"),
    [("people", 3, 10, 38), ("people with an observation period", 101, 102, 9)],
)
def test_what_is_found_is_what_totals_by_gender_leave(text, found, counted, totals, parts, single):
    genders = [gender for (gender,) in lines_of(text, 2)]
    shown = {frozenset(values): many for values, many in lines_of(text, parts).items()}
    whole = lines_of(text, totals)
    limits = split(whole, shown, genders)
    mine = {values: finding for (what, values), finding in found.items() if what == counted}
    assert mine == expect(limits)
    by_one = [
        values
        for values, (low, high) in limits.items()
        if low == high and 0 < low < K and len(values & {*genders}) == 1
    ]
    alone = [
        values for values in by_one if any(other != values and other in shown for other in siblings(values, genders))
    ]
    assert len(alone) == single
    assert all(mine[values][0] == "recovered" for values in alone)


def siblings(values, genders):
    rest = values - {*genders}
    return [rest | {gender} for gender in genders]


def test_those_who_died_are_all_people_minus_those_alive(text, found, judged):
    genders = [gender for (gender,) in lines_of(text, 2)]
    limits = find_dead(*(lines_of(text, number) for number in (3, 10, 11)), genders)
    died = {values: ("told", *ends) for values, ends in limits.items() if ends[0] >= 1 and ends[1] < K}
    assert {values: one for (what, values), one in found.items() if what == "people who died"} == died
    assert Counter(one.counted for one in judged) == Counter(
        {"people": 72, "people with an observation period": 17, "people who died": len(died)}
    )
