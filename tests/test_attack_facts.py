"""Laws of attacks on publications that are not whole lists, by all databases that they may come from."""

import os
from dataclasses import dataclass, field, replace
from fractions import Fraction
from io import BytesIO

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import (
    BudgetError,
    Facts,
    GuaranteeError,
    InputError,
    OptionError,
    Patterns,
    Rules,
    attack,
    audit,
    bounds,
    mine,
    read_facts,
    read_rules,
)
from discreet.disclosure.attacks.attack import ATTACKERS

ITEMS, GROUP = "abc", ["a", "b"]
EXAMPLES = 1000 if os.environ.get("DISCREET_LARGE") else 15
EVERY = list(oracle.subsets(ITEMS))
KINDS = {}


@dataclass
class Told:
    """What was published, the itemsets that it lists, and all databases that it may come from."""

    facts: Facts
    listed: list[frozenset]
    databases: list = field(repr=False)
    options: dict = field(default_factory=dict)


def kind(publish):
    """Add a kind of publication to those that the laws are for."""
    KINDS[publish.__name__] = publish
    return publish


def same(told):
    """Return what tells whether supports are those that were told."""
    return lambda supports: all(supports[one] == count for one, count in told.items())


@kind
def maximal(draw, supports, n):
    sigma, is_whole = draw(st.integers(1, 4)), draw(st.booleans())
    frequent = {one for one in EVERY if one and supports[one] >= sigma}
    told = {one: supports[one] for one in frequent if not any(one < other for other in frequent)}
    patterns = Patterns.from_itemsets(told.items(), n=n, min_support=sigma, kind="maximal")

    def keeps(others):
        rare = (others[one] < sigma for one in EVERY if one and not any(one <= top for top in told))
        return same(told)(others) and (not is_whole or all(rare))

    return Told(Facts.of(patterns, complete=is_whole), [*told], oracle.fitting(ITEMS, [n], keeps))


@kind
def with_gaps(draw, supports, n):
    told = {one: supports[one] for one in EVERY if one and draw(st.booleans())}
    limits = [(one, count, count) for one, count in told.items()]
    return Told(Facts.from_limits(limits, n=n), [*told], oracle.fitting(ITEMS, [n], same(told)))


@kind
def within_limits(draw, supports, n):
    told = {one: supports[one] for one in EVERY if one and draw(st.booleans())}
    slack = {one: (draw(st.integers(0, 1)), draw(st.integers(0, 1))) for one in told}
    limits = {one: (max(0, count - slack[one][0]), count + slack[one][1]) for one, count in told.items()}
    outside = [one for one in EVERY if one and not any(one <= other for other in told)]
    absent = draw(st.none() | st.just(max([supports[one] for one in outside], default=0)))

    def keeps(others):
        is_rare = absent is None or all(others[one] <= absent for one in outside)
        return is_rare and all(low <= others[one] <= high for one, (low, high) in limits.items())

    said = [(one, *limit) for one, limit in limits.items()]
    return Told(Facts.from_limits(said, n=n, absent=absent), [*told], oracle.fitting(ITEMS, [n], keeps))


@kind
def of_a_schema(draw, supports, n):
    told = with_gaps(draw, supports, n)
    databases = [one for one in told.databases if not any(row >= set(GROUP) for row in one)]
    return replace(told, databases=databases, options={"schema": [GROUP]})


@kind
def of_the_largest(draw, supports, n):
    order = sorted((one for one in EVERY if one), key=lambda one: (-supports[one], draw(st.integers(0, 9))))
    told = {one: supports[one] for one in order[: draw(st.integers(1, 5))]}
    smallest = min(told.values())

    def keeps(others):
        return same(told)(others) and all(others[one] <= smallest for one in EVERY if one and one not in told)

    patterns = Patterns.from_itemsets(told.items(), n=n)
    return Told(read_facts(patterns, top=True), [*told], oracle.fitting(ITEMS, [n], keeps))


def shown(count, unit, mode, *, up=True):
    """Return a count as a multiple of ``unit``, the nearest or the next below; one half way may go either way."""
    below, rest = count // unit * unit, count % unit
    return below + unit * (mode == "round" and (2 * rest > unit or (2 * rest == unit and up)))


@kind
def rounded(draw, supports, n):
    unit, mode = draw(st.integers(2, 3)), draw(st.sampled_from(["round", "truncate"]))
    sigma, is_top = draw(st.none() | st.integers(1, 4)), draw(st.booleans())
    listed = [one for one in EVERY if one and supports[one] >= (sigma or 1)]
    if is_top:
        listed, sigma = sorted(listed, key=lambda one: (-supports[one], len(one)))[:4], None
    up = draw(st.booleans())
    told = {one: shown(supports[one], unit, mode, up=up) for one in listed}
    rows = shown(n, unit, mode, up=up)

    def is_told(before, after):
        return after in (shown(before, unit, mode), shown(before, unit, mode, up=False))

    def keeps(others):
        smallest = min((others[one] for one in told), default=0)
        rest = [others[one] for one in EVERY if one and one not in told]
        return (
            is_told(others[frozenset()], rows)
            and all(is_told(others[one], count) for one, count in told.items())
            and (sigma is None or (all(count < sigma for count in rest) and all(others[one] >= sigma for one in told)))
            and (not is_top or not told or all(count <= smallest for count in rest))
        )

    patterns = Patterns.from_itemsets(told.items(), n=rows, kind="maximal")
    facts = read_facts(patterns, round_to=unit, rounding=mode, min_support=sigma, top=is_top)
    return Told(facts, [*told], oracle.fitting(ITEMS, range(rows + unit), keeps))


@kind
def rules(draw, supports, n):
    every = [rule for rule in oracle.every_rule({one: count for one, count in supports.items() if count}) if rule[3]]
    chosen = (
        draw(st.lists(st.sampled_from(every), min_size=1, max_size=3, unique_by=lambda rule: rule[:2])) if every else []
    )
    digits, mode, says = draw(st.integers(1, 2)), draw(st.sampled_from(["round", "truncate"])), draw(st.booleans())
    lines = [
        (held, more, rows if says else None, oracle.cut(Fraction(rows, antecedent), digits, mode))
        for held, more, rows, antecedent in chosen
    ]

    def keeps(others):
        return all(
            (rows is None or others[held | more] == rows)
            and others[held] in oracle.antecedents(others[held | more], confidence, digits, mode, n)
            for held, more, rows, confidence in lines
        )

    facts = (
        audit(Rules.from_rules(lines, n=n, digits=digits, rounding=mode), k=2).evidence.facts
        if lines
        else Facts.from_limits([], n=n)
    )
    return Told(
        facts, [one for held, more, *_ in lines for one in (held, held | more)], oracle.fitting(ITEMS, [n], keeps)
    )


@st.composite
def publications(draw, name):
    """What a publication of some kind tells of a few rows, and k."""
    n = draw(st.integers(3, 6))
    groups = [set(GROUP)] if name == "of_a_schema" else []
    kinds = [one for one in EVERY if not any(group <= one for group in groups)]
    database = draw(st.lists(st.sampled_from(kinds), min_size=n, max_size=n))
    supports = {one: sum(one <= row for row in database) for one in EVERY}
    told = KINDS[name](draw, supports, n)
    assert any(sorted(one.elements(), key=sorted) == sorted(database, key=sorted) for one in told.databases)
    return told, draw(st.integers(2, 5))


def names(facts, codes):
    return frozenset(facts.labels[code] for code in codes)


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_limits_hold_in_all_databases_that_a_publication_may_come_from(name, data):
    told, _ = data.draw(publications(name))
    for facts in (told.facts, told.facts.narrow()):
        for codes in oracle.subsets(range(len(facts.labels))):
            low, high = facts.limits(codes)
            least, most = oracle.limits_of({names(facts, codes)}, told.databases, names(facts, codes))
            assert low <= least <= most <= high


@pytest.mark.parametrize("level", ATTACKERS)
@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_what_is_found_is_true_and_what_is_called_safe_tells_of_no_few_rows(name, level, data):
    told, k = data.draw(publications(name))
    found = attack(told.facts, k=k, level=level, **told.options)
    found.check()
    for finding in found.findings:
        over, cells = finding.pattern.over, finding.pattern.cells
        within = {names(found.facts, cell) for cell in cells}
        least, most = oracle.limits_of(within, told.databases, names(found.facts, over))
        assert 1 <= finding.low <= least <= most <= finding.high < k
    assert not (found.is_safe and tells_of_few_rows(told, level, k))


def tells_of_few_rows(told, level, k):
    """Return what an attacker of a level must find: by all databases, or by limits alone."""
    if level != "exact":
        return told_apart(told.facts.narrow(), k)
    items = {label for label in told.facts.labels if any(label in one for one in told.listed)}
    differences = oracle.inferred_differences(told.databases, told.listed, k)
    return {*oracle.inferred_conjunctions(told.databases, items, k), *differences}


def told_apart(facts, k):
    """Return which listed itemsets 1 to k - 1 rows hold, or hold of two only the smaller, by their limits alone."""
    limits = facts.listed
    few = {(one, one) for one, (low, high) in limits.items() if 0 < low <= high < k}
    return few | {
        (base, top)
        for base, (low, high) in limits.items()
        for top, (less, more) in limits.items()
        if base < top and 0 < low - more <= high - less < k
    }


# What is told beside supports.


@pytest.mark.parametrize("level", ATTACKERS)
def test_rows_that_lack_an_item_of_a_maximal_itemset_are_found_at_every_level(level):
    found = attack(Patterns.from_itemsets([(["a", "b"], 5)], n=7, kind="maximal"), k=5, level=level)
    assert [finding.sentence for finding in found.findings] == [
        "¬(a ∧ b) holds for exactly 2 rows, because n 7 − sup(ab) 5 = 2"
    ]


def test_what_is_too_long_to_be_spelled_out_is_undecided():
    long = Patterns.from_itemsets([(map(str, range(13)), 5)], n=7, kind="maximal")
    found = attack(long, k=5, level="plain")
    assert [str(one) for one in found.undecided] == ["1 differences: they are of more than 12 items"]


def test_a_schema_beside_facts_is_added_to_theirs():
    said = [(["f"], 40, 40), (["m"], 48, 48), (["x"], 20, 20)]
    facts = Facts.from_limits(said, n=90, schema=[["x", "m"]])
    assert str(bounds(facts, "~f & ~m", schema=[["f", "m"]])) == "¬f ∧ ¬m: 2 rows"
    assert bounds(facts, "x & m", schema=[["f", "m"]]).high == 0
    assert [str(one) for one in attack(facts, k=5, schema=[["f", "m"]]).findings] == ["¬f ∧ ¬m: 2 rows"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"schema": [["a", "b"]]}, "1 of 2 itemsets have two items of a group of the schema"),
        ({"schema": "="}, "schema is '=', but by it no two labels are values of one"),
        ({"complete": True}, "these facts do not tell which it was; give them absent="),
    ],
)
@pytest.mark.parametrize(
    "verb", [lambda *args, **more: attack(*args, k=2, **more), lambda *args, **more: bounds(*args, "a", **more)]
)
def test_what_facts_do_not_go_with_is_refused_in_one_sentence(verb, options, sentence):
    with pytest.raises((InputError, OptionError), match=sentence):
        verb(Facts.from_limits([(["a", "b"], 3, 3)], n=9), **options)


def test_who_does_not_know_that_facts_are_complete_knows_nothing_of_what_is_missing():
    facts = Facts.from_limits([(["a"], 6, 6), (["b"], 5, 5)], n=9, absent=4)
    assert [str(bounds(facts, "a & b", complete=complete)) for complete in (None, True, False)] == [
        "a ∧ b: 2 to 4 rows",
        "a ∧ b: 2 to 4 rows",
        "a ∧ b: 2 to 5 rows",
    ]


@pytest.mark.parametrize("level", ATTACKERS)
def test_what_a_confidence_tells_of_two_supports_is_found_though_neither_is_known(level):
    facts = audit(Rules.from_rules([(["a"], ["b"], None, "0.987")], n=100, digits=3), k=5).facts
    found = attack(facts, k=5, level=level)
    assert [finding.sentence for finding in found.findings] == [
        "a ∧ ¬b holds for exactly 1 row, because sup(a) − sup(ab) ≥ 1 and sup(a) − sup(ab) ≤ 1 bound it"
    ]
    found.check()
    with pytest.raises(GuaranteeError, match="that the facts do not state"):
        replace(found, facts=replace(facts, relations=())).check()


@pytest.mark.parametrize(
    ("text", "more", "what"),
    [
        ("", {}, None),
        ("", {"min_confidence": 0.5}, "rules that are not listed"),
        (",lift\n,1.3", {}, "measures such as lift"),
    ],
)
def test_where_rules_tell_more_than_is_followed_nothing_is_safe(text, more, what):
    head, line = (text or "\n").split("\n")
    file = BytesIO(f"antecedents,consequents,support,confidence{head}\na,b,0.4,0.8{line}\n".encode())
    found = attack(audit(read_rules(file, format="csv", n=100, digits=1, **more), k=2).facts, k=2)
    assert not found.findings
    assert found.is_safe is (what is None)
    sentence = f"1 publication: it also has {what}, which are not used in full"
    assert [str(one) for one in found.undecided] == ([] if what is None else [sentence])


def test_facts_of_so_many_rows_that_a_solver_cannot_tell_them_apart_are_undecided():
    facts = audit(Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate"), k=5).facts
    found = attack(facts, k=2, level="exact")
    assert [str(one) for one in found.findings] == ["a ∧ ¬b: 1 row"]
    assert [one.why for one in found.undecided if one.what == "publication"] == [
        "it does not tell of how many rows, or of more than 9,007,199,254,740,992"
    ]
    with pytest.raises(BudgetError, match="it is not told of how many rows"):
        bounds(facts, "a")


def test_closed_itemsets_that_were_rounded_are_never_called_safe_as_their_unlisted_parts_are_not_followed():
    rows = [["a", "b"]] * 8 + [["a"]] * 4 + [[]] * 4
    listed = read_facts(mine(rows, min_support=2), round_to=4)
    assert not attack(listed, k=2, level="exact").is_safe
    assert attack(read_facts(mine(rows, min_support=2, kind="frequent"), round_to=4), k=2, level="exact").is_safe
