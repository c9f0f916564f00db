"""People, not rows: what many rows of few people give away."""

from random import Random

import numpy as np
import oracle
import pytest

from discreet import Transactions, Verdict, audit, mine
from discreet.disclosure.detect import Question
from discreet.disclosure.people import find_people_cells

TABLES = 1_000
PARTS = 20


def table(seed):
    """Return a random table of visits: rows, the person of each, a minimum support and k."""
    random = Random(seed)  # noqa: S311 - no secret
    items = "abcdef"[: random.randint(1, 6)]
    share, many = random.random(), random.randint(1, 8)
    n = random.randint(1, 30)
    rows = [frozenset(item for item in items if random.random() < share) for _ in range(n)]
    people = [random.randrange(many) for _ in range(n)]
    return rows, people, random.randint(1, max(1, n // 2)), random.randint(1, 6)


def visits(rows, people):
    return Transactions(rows).describe(people=np.array(people, dtype=np.int32))


def found_by(cells):
    return {(cell.base, cell.top): (cell.count, cell.rows) for cell in cells}


@pytest.mark.parametrize("part", range(PARTS))
def test_people_are_counted_as_by_brute_force_on_1000_random_tables(part):
    for seed in range(part, TABLES, PARTS):
        rows, people, sigma, k = table(seed)
        every = oracle.people_cells(rows, people, sigma, k)
        tops = oracle.widest(oracle.maximal(rows, sigma), sigma)
        data = visits(rows, people)
        cells = find_people_cells(Question(mine(data, min_support=sigma), data, k))
        assert found_by(cells) == {pair: both for pair, both in every.items() if pair[1] in tops}
        assert bool(len(cells)) == bool(every)


def crowd():
    """Return 40 visits of 31 people: 10 of them, with a and without b, are of one person."""
    rows = [["a", "b"]] * 15 + [[]] * 15 + [["a"]] * 10
    return visits(rows, [*range(30), *[30] * 10])


def test_few_people_alone_withhold():
    found = audit(crowd(), min_support=10, k=5)
    assert [check.name for check in found.checks if check.verdict is not Verdict.RELEASE] == ["people"]
    assert found.verdict is Verdict.WITHHOLD
    assert audit(list(crowd()), min_support=10, k=5).verdict is Verdict.RELEASE
