"""The rows that came since an older release, as a list of their own: what follows from differences alone."""

from itertools import accumulate, combinations, product

import oracle
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet import Patterns, attack, audit, block, mine
from discreet.data.generate import clinic

ITEMS = "abcd"
some_rows = st.lists(st.sets(st.sampled_from(ITEMS)).map(frozenset), min_size=4, max_size=14)
tops = st.lists(st.sets(st.sampled_from(ITEMS), min_size=1).map(frozenset), min_size=1, max_size=4)


def count(rows, itemset):
    return sum(itemset <= row for row in rows)


def list_parts(largest, rows):
    """The supports of all parts of some itemsets: a partial list."""
    return {part: count(rows, part) for top in largest for part in oracle.subsets(top)}


def as_patterns(listed):
    return Patterns.from_itemsets(listed.items(), n=listed[frozenset()], min_support=1)


def name(finding):
    """The items of a finding, and the cells in which it holds, by their labels; with its limits."""
    labels = [str(label) for label in finding.facts.labels]
    pattern = finding.pattern
    cells = frozenset(frozenset(labels[item] for item in cell) for cell in pattern.cells)
    return frozenset(labels[item] for item in pattern.over), cells, finding.low, finding.high


def since(found):
    """What is derived of a list of differences, as it is said of all rows; sums are those of both lists."""
    derived = (name(one) for one in found if one.level == "derive")
    return {(over | {"before"}, cells, low, high) for over, cells, low, high in derived}


@settings(max_examples=20)
@given(old=some_rows, came=some_rows, before=tops, now=tops, k=st.integers(2, 6))
@example(  # abc is in neither list, and follows for those who came
    old=[*map(frozenset, ["ab", "c", "abc", ""])] * 5,
    came=[*map(frozenset, ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"])],
    before=[*map(frozenset, ["ab", "ac", "bc"])],
    now=[*map(frozenset, ["ab", "ac", "bc"])],
    k=2,
)
def test_whatever_follows_from_the_differences_alone_is_found_and_proven(old, came, before, now, k):
    older, newer = list_parts(before, old), list_parts(now, [*old, *came])
    differences = {itemset: newer[itemset] - older[itemset] for itemset in older.keys() & newer.keys()}
    alone = attack(as_patterns(differences), k=k, level="derive", complete=False)
    found = attack(
        as_patterns(newer), k=k, level="derive", against=as_patterns(older), grown=True, complete=False, seconds=600
    )
    found.check()
    cells = {one[:2]: one[2:] for one in map(name, found.findings)}
    for over, held, low, high in since(alone.findings):
        assert low <= cells[over, held][0] <= cells[over, held][1] <= high


SCHEMA = [["a", "b"]]


@settings(max_examples=20)
@given(old=some_rows, came=some_rows, before=tops, now=tops, k=st.integers(2, 6))
def test_who_knows_a_schema_uses_it_for_those_who_came(old, came, before, now, k):
    old, came = ([row - {"b"} if "a" in row else row for row in rows] for rows in (old, came))
    lists = list_parts(before, old), list_parts(now, [*old, *came])
    older, newer = ({one: held for one, held in listed.items() if not one >= {"a", "b"}} for listed in lists)
    differences = {itemset: newer[itemset] - older[itemset] for itemset in older.keys() & newer.keys()}
    known = {"k": k, "level": "derive", "complete": False, "schema": SCHEMA}
    alone = attack(as_patterns(differences), **known)
    found = attack(as_patterns(newer), against=as_patterns(older), grown=True, **known)
    found.check()
    assert {one[:2] for one in since(alone.findings)} <= {one[:2] for one in map(name, found.findings)}


@settings(max_examples=10)
@given(chain=st.lists(some_rows, min_size=3, max_size=4), largest=st.lists(tops, min_size=4, max_size=4))
def test_what_is_found_in_a_series_is_proven_and_true(chain, largest):
    dates = [*accumulate(chain)]
    releases = [as_patterns(list_parts(some, rows)) for some, rows in zip(largest, dates, strict=False)]
    found = attack(releases[-1], k=6, level="derive", against=releases[:-1], grown=True, complete=False)
    found.check()
    marked = [
        row | {f"before{at + 1}" for at, date in enumerate(dates[:-1]) if number < len(date)}
        for number, row in enumerate(dates[-1])
    ]
    for over, cells, low, high in map(name, found.findings):
        assert low <= sum(row & over in cells for row in marked) <= high


# What is published.


def publish_months(rows, ends, **options):
    releases = []
    for end in ends:
        releases.append(block(rows[:end], beside=releases, grown=bool(releases), method="withhold", **options).patterns)
    return releases


def find_alone(old, new, k):
    """What is derived from the differences of two lists alone."""
    older, newer = dict(old), dict(new)
    differences = {itemset: newer[itemset] - older[itemset] for itemset in older.keys() & newer.keys()}
    return [str(one) for one in attack(as_patterns(differences), k=k, level="derive", complete=False).findings]


def test_those_who_came_since_any_release_of_a_clinic_tell_nothing_to_one_who_derives():
    rows = list(clinic(480, seed=7))
    releases = publish_months(rows, [300, 360, 420, 480], min_support="10%", k=5, against="derive")
    assert [find_alone(*pair, k=5) for pair in combinations(releases, 2)] == [[]] * 6


def infer_by_enumeration(old, new, k):
    """The itemsets, all of whose parts are in both lists, with a small cell that all agree on who can have come."""
    older, newer = dict(old), dict(new)
    differences = {itemset: newer[itemset] - older[itemset] for itemset in older.keys() & newer.keys()}
    databases = oracle.databases_within("abc", oracle.exactly(differences))
    over = {has | lacks for has, lacks in oracle.inferred_conjunctions(databases, "abc", k)}
    return [items for items in over if all(items - {item} in differences for item in items)]


APRIL = [list(row) for row in ("", "a", "b", "c", "ab", "ac", "bc", "abc")] * 4
MAY = [*APRIL, *map(list, ("b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"))]


def test_what_neither_release_lists_may_follow_for_those_who_came():
    old, new = mine(APRIL, min_support=6), mine(MAY, min_support=6)
    assert audit(new, k=2, against=old, grown=True).verdict.name == "RELEASE"
    found = attack(new, k=2, level="derive", against=old, grown=True)
    assert [str(one) for one in found.findings] == ["a ∧ b ∧ c, of the rows that came since: 1 row"]


def test_an_itemset_goes_on_which_a_conclusion_about_those_who_came_rests():
    old, asked = mine(APRIL, min_support=6), {"min_support": 6, "k": 2, "grown": True}
    lists = [{*dict(block(MAY, beside=old, against=level, **asked).patterns)} for level in ("plain", None)]
    assert len(lists[0] - lists[1]) == 1
    assert find_alone(old, block(MAY, beside=old, **asked).patterns, k=2) == []


def test_all_who_can_have_come_agree_on_no_small_cell_of_an_itemset_whose_parts_are_in_both():
    old, found = mine(APRIL, min_support=7), {"plain": [], "derive": []}
    kinds = ["", "a", "b", "c", "ab", "ac", "bc"]
    for (came, times), level in product(product(combinations(kinds, 4), [1, 2]), found):
        rows = [*APRIL, *map(list, [*came, *came, *["abc"] * times])]
        new = block(rows, min_support=7, k=2, beside=old, grown=True, against=level).patterns
        found[level] += infer_by_enumeration(old, new, k=2)
    assert found["derive"] == []
    assert len(found["plain"]) > 2


def test_what_is_not_looked_at_in_time_is_not_called_safe():
    old, new = mine(APRIL, min_support=6), mine(MAY, min_support=6)
    assert not attack(new, k=2, level="derive", against=old, grown=True, seconds=0).is_safe
