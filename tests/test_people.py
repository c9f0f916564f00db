"""People, not rows: what many rows of few people give away."""

import json
from collections import Counter
from random import Random

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from web import facts, loaded, served

from discreet import (
    Merged,
    OptionError,
    Reading,
    Rules,
    Transactions,
    Verdict,
    attack,
    audit,
    block,
    hide,
    mine,
    report,
    tradeoff,
)
from discreet.disclosure.detect import Question
from discreet.disclosure.people import find_people_cells
from discreet.io.options import RowOptions
from discreet.io.people import by_person
from discreet.judging.people import VISITS

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


@pytest.mark.parametrize("seed", range(40))
def test_tops_are_counted_alike_in_small_groups(seed, monkeypatch):
    monkeypatch.setattr("discreet.disclosure.people.ROOM", 3)
    monkeypatch.setattr("discreet.disclosure.people.MOST", 2)
    rows, people, sigma, k = table(seed)
    tops, data = oracle.widest(oracle.maximal(rows, sigma), sigma), visits(rows, people)
    cells = find_people_cells(Question(mine(data, min_support=sigma), data, k, threads=2))
    assert found_by(cells) == oracle.people_under(tops, rows, people, k)


@pytest.mark.parametrize("seed", range(40))
def test_people_of_a_list_that_is_cut_are_counted_under_its_own_tops(seed):
    rows, people, sigma, k = table(seed)
    sigma += 1  # a list of all that any row holds says more
    data, tops = visits(rows, people), oracle.maximal(rows, sigma, 2)
    cells = find_people_cells(Question(mine(data, min_support=sigma, max_length=2), data, k))
    assert found_by(cells) == oracle.people_under(tops, rows, people, k)


@pytest.mark.parametrize("items", [63, 64, 65, 200])
def test_people_of_tops_of_several_words_are_counted(items):
    random = Random(items)  # noqa: S311 - no secret
    kinds = [frozenset(item for item in range(items) if random.random() < 0.9) for _ in range(12)]
    rows = [random.choice([*kinds, frozenset(range(items))]) for _ in range(60)]
    people = [random.randrange(9) for _ in rows]
    data = visits(rows, people)
    cells = find_people_cells(Question(mine(data, min_support=1), data, 4))
    assert found_by(cells) == oracle.people_under([frozenset(range(items))], rows, people, 4)


def crowd():
    """Return 40 visits of 31 people: 10 of them, with a and without b, are of one person."""
    rows = [["a", "b"]] * 15 + [[]] * 15 + [["a"]] * 10
    return visits(rows, [*range(30), *[30] * 10])


def test_few_people_alone_withhold():
    found = audit(crowd(), min_support=10, k=5)
    assert [check.name for check in found.checks if check.verdict is not Verdict.RELEASE] == ["people"]
    assert found.verdict is Verdict.WITHHOLD
    assert audit(list(crowd()), min_support=10, k=5).verdict is Verdict.RELEASE


def test_a_finding_counts_people_and_names_rows():
    found = audit(crowd(), min_support=10, k=5)
    [finding] = found.findings
    assert (finding.kind, finding.count, str(finding)) == ("people", 1, "a ∧ ¬b: 10 rows of 1 person")
    assert finding.explain() == "sup(a) 25 − sup(ab) 15 = 10 rows of 1 person"
    assert report.explain_finding(finding, found).words == "Exactly 10 rows, of only 1 person, have a, but not b."


def test_enough_people_are_released():
    rows = [["a", "b"]] * 15 + [[]] * 15 + [["a"]] * 10
    found = audit(visits(rows, range(40)), min_support=10, k=5)
    assert (found.verdict, len(found.people)) == (Verdict.RELEASE, 0)


def test_rows_of_few_people_are_exposed():
    exposed = audit(crowd(), min_support=10, k=5).exposed
    assert (exposed.numbers.tolist(), set(exposed.smallest.tolist())) == (list(range(30, 40)), {1})


def test_every_face_shows_rows_of_few_people(tmp_path):
    found = audit(crowd(), min_support=10, k=5)
    whose = "10 rows of 1 person"
    assert f"  a ∧ ¬b: {whose}; rows = 25 − 15" in list(report.audit_text(found))
    exposed = "10 of 40 rows are exposed: groups of fewer than 5 people single them out, the smallest of 1 person."
    assert exposed in list(report.audit_text(found))
    [cell] = json.loads(b"".join(report.audit_json(found)))["people"]
    assert (cell["base"], cell["top"], cell["count"], cell["rows"]) == (["a"], ["a", "b"], 1, 10)
    assert f'people,1,"hold a, but not b: {whose}",a,b,sup(a) 25'.encode() in b"".join(report.findings_csv(found))
    page = found.to_html()
    assert whose in page
    assert "1 group of rows of fewer than 5 people" in page
    report.write_sacro(found, tmp_path / "checked")
    assert whose in (tmp_path / "checked" / "DO-NOT-RELEASE" / "people.csv").read_text(encoding="utf-8")
    flagged = json.loads((tmp_path / "checked" / "outputs.json").read_bytes())["results"]["itemsets"]["files"][0]["sdc"]
    assert flagged["cells"] == {"people": [[1, 0], [2, 0]]}


@pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
def test_rows_beside_patterns_count_people(kind):
    data = visits([["a"]] * 30 + [[]] * 30, [1] * 30 + list(range(2, 32)))
    found = audit(mine(data, min_support=10, kind=kind), rows=data, k=5)
    assert [str(cell) for cell in found.people] == ["a: 30 rows of 1 person"]
    assert found.verdict is Verdict.WITHHOLD


def test_patterns_of_visits_without_rows_go_to_review():
    reading = Reading("table", "csv", person="patient", per="visit", people=31)
    patterns = mine(crowd().describe(reading=reading), min_support=10)
    found = audit(patterns, k=5)
    assert (found.verdict, found.people) == (Verdict.REVIEW, None)
    assert "counts are of visits" in found.sentence


@pytest.mark.parametrize("part", range(PARTS))
def test_rows_merged_by_person_are_judged_as_by_brute_force_on_1000_random_tables(part):
    for seed in range(part, TABLES, PARTS):
        rows, people, sigma, k = table(seed)
        once = oracle.merged_by_person(rows, people)
        merged = by_person(Transactions(rows), people, RowOptions(person="patient"))
        found = audit(merged, min_support=min(sigma, len(once)), k=k)
        channels = oracle.maximal_channels_by_tops(once, min(sigma, len(once)), k)
        assert Counter(merged) == Counter(once)
        assert {(one.base, one.top): one.count for one in found.channels} == channels
        assert found.people is None


@given(seed=st.integers(0, 10_000))
def test_people_with_one_row_each_are_judged_like_rows(seed):
    rows, _, sigma, k = table(seed)
    found, counted = (audit(data, min_support=sigma, k=k) for data in (rows, visits(rows, range(len(rows)))))
    channels = {(one.base, one.top): (one.count, one.count) for one in found.channels}
    assert found_by(counted.people) == channels
    assert counted.verdict is found.verdict


def test_a_schema_reveals_remainders_of_few_people():
    rows = [["sex=f"]] * 20 + [["sex=m"]] * 20 + [[]] * 20
    data = visits(rows, [*range(40), *[40] * 20])
    assert audit(data, min_support=10, k=5).verdict is Verdict.RELEASE
    found = audit(data, min_support=10, k=5, schema="=")
    assert [str(cell) for cell in found.people] == ["¬sex=f ∧ ¬sex=m: 20 rows of 1 person"]
    assert [check.name for check in found.checks if check.verdict is Verdict.WITHHOLD] == ["people"]


@given(seed=st.integers(0, 10_000))
def test_people_are_counted_under_the_widest_tops_that_a_schema_makes_known(seed):
    rows, people, sigma, k = table(seed)
    groups = [frozenset("abc"), frozenset("de")]
    rows = [row - {*sorted(row & groups[0])[1:], *sorted(row & groups[1])[1:]} for row in rows]
    every = oracle.people_cells(rows, people, sigma, k, groups)
    known = oracle.told_with(oracle.frequent(rows, sigma), sigma, groups)
    tops = [top for top in known if not any(top < other for other in known)]
    data = visits(rows, people)
    cells = find_people_cells(Question(mine(data, min_support=sigma), data, k), groups)
    maximal = {(base, top): both for (base, top), both in every.items() if top in tops}
    assert found_by(cells) == {
        (base, base | oracle.lacked_by(base, top, groups)): both for (base, top), both in maximal.items()
    }
    assert bool(len(cells)) == bool(every)


def test_a_schema_that_the_rows_contradict_is_not_used():
    data = visits([["a", "b"]] * 20 + [["a"]] * 20 + [["b"]] * 20 + [[]] * 20, range(80))
    plain, wrong = (audit(data, min_support=30, k=15, schema=schema).people for schema in ((), [["a", "b"]]))
    assert (len(plain), len(wrong)) == (0, 0)


def test_changes_of_visits_go_to_review():
    some = [["a", "b"]] * 30 + [["a"]] * 30 + [[]] * 30
    data, old = visits(some * 2, range(180)), mine(some, min_support=10)
    assert audit(list(data), min_support=10, k=5, against=old, grown=True).verdict is Verdict.RELEASE
    assert audit(data, min_support=10, k=5, against=old, grown=True).verdict is Verdict.REVIEW


def test_block_refuses_visits_and_names_the_remedy():
    remedy = "block counts rows, of which a person may have several; merge the rows of each person: leave per= out"
    with pytest.raises(OptionError, match=f"^{remedy}$"):
        block(crowd(), min_support=10, k=5)


def test_visits_are_not_merged():
    with pytest.raises(OptionError, match="leave per= out"):
        Merged.of(crowd(), min_support=2)


def test_attackers_leave_visits_undecided():
    data = crowd()
    patterns = mine(data, min_support=10)
    assert attack(patterns, k=5).is_safe
    assert not attack(patterns, k=5, rows=data).is_safe


def test_hiding_keeps_whose_rows_they_are():
    hidden = hide(crowd(), [["b"]]).transactions
    assert hidden.people.tolist() == crowd().people.tolist()


@given(seed=st.integers(0, 10_000))
def test_tradeoff_counts_groups_of_few_people(seed):
    rows, people, sigma, k = table(seed)
    counts, data = range(sigma, len(rows) + 1), visits(rows, people)
    cells = {
        least: {
            pair: both
            for pair, both in oracle.people_cells(rows, people, least, k).items()
            if pair[1] in oracle.widest(oracle.maximal(rows, least), least)
        }
        for least in counts
    }
    grid = tradeoff(data, min_supports=counts, ks=[k])
    assert grid.channels[:, 0].tolist() == [len(found) for found in cells.values()]
    assert grid.safe[k] == next((least for least, found in cells.items() if not found), None)
    assert grid.counted == "people"
    assert "Maximal channels of fewer than k people:" in list(report.tradeoff_text(grid))


def test_rules_about_visits_go_to_review():
    data = visits([["a", "b"]] * 30 + [["a"]] * 30 + [[]] * 30, range(90))
    rules = Rules.from_rules([(["a"], ["b"], 30, "50%")], n=90)
    plain, by_visit = (audit(rules, k=5, rows=rows).checks for rows in (list(data), data))
    assert by_visit == (*plain, VISITS)
    assert VISITS.verdict is Verdict.REVIEW


def test_the_app_lists_and_explains_rows_of_few_people():
    lines = ["patient,a,b", *(f"{number},{'yes,yes' if number < 15 else 'no,no'}" for number in range(30))]
    table = "\n".join([*lines, *["30,yes,no"] * 10])
    rule = {"min_support": 10, "k": 5}
    with served() as client:
        data = loaded(client, table.encode(), format="table", person="patient", per="visit")
        found = facts(client, "audit", data=data, **rule)
        assert (found["verdict"], found["counted"], found["findings"]) == ("WITHHOLD", "people", 1)
        kinds = facts(client, "findings", data=data, **rule)["kinds"]
        assert [(one["kind"], one["total"]) for one in kinds] == [("people", 1)]
        one = facts(client, "explain", data=data, number=0, **rule)
        assert (one["low"], one["high"], one["sum"]) == (1, 1, "sup(a=yes, b=no) 10 = 10 rows of 1 person")
        assert one["words"] == found["decisive"]["words"] == "Exactly 10 rows, of only 1 person, have a=yes and b=no."
        assert facts(client, "tradeoff", data=data, min_supports=[10], ks=[5])["safe"] == [{"k": 5, "min_support": 16}]
