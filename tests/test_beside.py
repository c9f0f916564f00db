"""Releases beside older ones: what may be published again, judged by definition and by all databases that fit."""

import json
import os
from contextlib import suppress
from itertools import product
from random import Random

import numpy as np
import oracle
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet import (
    BudgetError,
    InputError,
    OptionError,
    Patterns,
    attack,
    audit,
    block,
    compare,
    mine,
    verify,
    write_patterns,
    write_release,
)
from discreet.blocking.beside import hash_patterns, keep_apart, read_older
from discreet.blocking.verify_result import OTHER, as_fingerprint
from discreet.cli import main
from discreet.data.generate import clinic

LARGE = os.environ.get("DISCREET_LARGE") == "1"
few = settings(max_examples=500 if LARGE else 50)
PAIRS = 500 if LARGE else 60


def rows_over(items, *, most, least=0):
    return st.lists(st.sets(st.sampled_from(items)).map(frozenset), min_size=least, max_size=most)


@st.composite
def chains(draw, items="abcd", many=2, most=40):
    """Rows of ``many`` releases, each a part of the next; equal rows come often."""
    kinds = draw(rows_over(items, most=6, least=1))
    rows = draw(st.lists(st.sampled_from(kinds), max_size=most))
    ends = sorted(draw(st.lists(st.integers(0, len(rows)), min_size=many - 1, max_size=many - 1)))
    return [rows[:end] for end in (*ends, len(rows))]


def publish(rows, olds=(), *, against="plain", **options):
    """What is published beside older releases, by itemset; nothing if n alone differs too little."""
    with suppress(InputError):
        return dict(block(rows, method="withhold", beside=olds, against=against, **options).patterns)
    return {}


def as_patterns(listed, n):
    return Patterns.from_itemsets(listed.items(), n=n, min_support=2)


A, NONE = frozenset("a"), frozenset()


# By definition.


@few
@given(chain=chains(), sigma=st.integers(1, 6), k=st.integers(1, 5), old_sigma=st.integers(2, 6))
def test_an_itemset_is_published_again_if_every_cell_of_its_difference_is_0_or_k(chain, sigma, k, old_sigma):
    old, new = chain
    expected = oracle.safe_beside(new, sigma, k, [{frozenset(): len(old), **oracle.frequent(old, old_sigma)}])
    olds = [mine(old, min_support=old_sigma)]
    assert publish(new, olds, min_support=sigma, k=k, grown=True) == expected


@few
@given(chain=chains(many=4), sigma=st.integers(1, 4), k=st.integers(2, 5))
def test_each_release_of_a_series_is_what_all_before_leave(chain, sigma, k):
    published = []
    for rows in chain:
        olds = [as_patterns(one, one[frozenset()]) for one in published if one]
        found = publish(rows, olds, min_support=sigma, k=k, grown=bool(olds))
        assert found == oracle.safe_between(rows, sigma, k, [one for one in published if one])
        published.append(found)


@few
@given(
    old=rows_over("abc", most=30),
    new=rows_over("abc", most=30),
    sigma=st.integers(1, 4),
    k=st.integers(2, 5),
    kind=st.sampled_from(["closed", "frequent"]),
)
@example(old=[A] * 20 + [NONE] * 10, new=[A] * 20 + [NONE] * 8, sigma=1, k=5, kind="closed")  # n fell by 2
@example(old=[A] * 20 + [NONE] * 20, new=[A] * 17 + [NONE] * 13, sigma=1, k=5, kind="closed")  # a fell by 3
def test_rows_that_came_and_went_are_kept_apart_as_well(old, new, sigma, k, kind):
    expected = oracle.safe_beside(new, sigma, k, [{frozenset(): len(old), **oracle.frequent(old, 2)}])
    assert publish(new, mine(old, min_support=2, kind=kind), min_support=sigma, k=k) == expected


@few
@given(
    parts=st.lists(rows_over("abc", most=15), min_size=2, max_size=3),
    k=st.integers(2, 5),
    rest=rows_over("abc", most=9),
)
def test_the_rows_in_none_of_several_parts_are_not_told(parts, k, rest):
    olds = [mine(rows, min_support=2) for rows in parts]
    published = publish([*sum(parts, rest)], olds, min_support=2, k=k)
    found = audit(as_patterns(published, published.get(frozenset(), 0)), k=k, against=olds)
    assert sum(changes.small for changes in found.changes) * bool(published) == 0


@few
@given(chain=chains(many=4), sigma=st.integers(1, 4), k=st.integers(2, 5))
def test_nobody_who_adds_and_subtracts_learns_from_a_series_what_is_small(chain, sigma, k):
    published = []
    for rows in chain:
        olds = [as_patterns(one, one[frozenset()]) for one in published]
        listed = publish(rows, olds, min_support=sigma, k=k, grown=bool(olds))
        published += [listed] * bool(listed)
    releases = [as_patterns(one, one[frozenset()]) for one in published]
    for at in range(1, len(releases)):
        found = attack(releases[at], k=k, level="plain", against=releases[:at], grown=True, complete=False)
        assert found.findings == ()
        assert audit(releases[at], k=k, against=releases[:at], grown=True).verdict.name != "WITHHOLD"


SCHEMA = [["sex=f", "sex=m"], ["ill=y", "ill=n", "ill=u"]]


@few
@given(
    table=st.lists(st.tuples(st.sampled_from("ffm"), st.sampled_from("yynu")), max_size=60),
    share=st.floats(0, 1),
    k=st.integers(2, 5),
)
def test_nobody_who_knows_the_schema_learns_from_two_releases_what_is_small(table, share, k):
    rows = [[f"sex={sex}", f"ill={ill}"] for sex, ill in table]
    end = round(share * len(rows))
    old = publish(rows[:end], min_support=1, k=k, schema=SCHEMA)
    olds = [as_patterns(old, end)] * bool(old)
    new = publish(rows, olds, min_support=1, k=k, schema=SCHEMA, grown=bool(olds))
    known = {"against": olds, "grown": bool(olds), "complete": False, "schema": SCHEMA}
    found = attack(as_patterns(new, len(rows)), k=k, level="plain", **known)
    assert len(found.findings) * bool(new) == 0


def test_a_count_that_is_the_same_before_and_after_does_not_tell_what_was_between():
    months = [{"a": 5, "b": 5, "ab": 5, "": 5}, {"a": 11, "b": 9, "ab": 5, "": 7}, {"a": 14, "b": 9, "ab": 5, "": 11}]
    listed = []
    for month in months:
        rows = [list(row) for row, many in month.items() for _ in range(many)]
        olds = [as_patterns(one, one[frozenset()]) for one in listed]
        listed.append(publish(rows, olds, min_support=1, k=3, grown=bool(olds)))
    # Of the rows of the second month 2 have neither; the third month would show that as many have both as in the first.
    assert [frozenset("ab") in one for one in listed] == [True, False, False]
    assert oracle.safe_beside(rows, 1, 3, listed[:2]).keys() - listed[2].keys() == {frozenset("ab")}


# By enumeration: all pairs of databases, the older one a part of the newer, that have both releases.


def tiny_pairs(many):
    """Yield rows of two releases, the first a part of the second, with a k: by turns any rows, and rows that come in k.

    Of the latter each release alone can be published whole.
    """
    random, kinds = Random(20), [*oracle.subsets("ab")]  # noqa: S311 - no secret
    for _ in range(many // 2):
        k, size = random.choice([2, 3]), random.randint(5, 8)
        rows = random.choices(kinds, k=size)
        yield rows[: random.choice([*range(k, size - k + 1), size])], rows, k
        old = 2 * random.sample(kinds, random.randint(2, 3))
        yield old, [*old, *random.choices(old, k=2)], 2


def fit(old, new):
    return oracle.fitting_grown([old, new], "ab", ("before",))


def infer(pair, level):
    """What all databases agree on that fit both releases, and the itemsets in both."""
    old, new, k = pair
    older = publish(old, min_support=1, k=k, against=level)
    newer = publish(new, [as_patterns(older, len(old))], min_support=1, k=k, grown=True, against=level)
    found = oracle.inferred_conjunctions(fit(older, newer), ["a", "b", "before"], k) if newer else {}
    return [has | lacks for has, lacks in found], older.keys() & newer.keys()


def test_all_pairs_of_databases_that_fit_agree_on_no_group_of_fewer_than_k_rows():
    assert [infer(pair, "exact")[0] for pair in tiny_pairs(PAIRS)] == [[]] * PAIRS


def test_against_sums_all_pairs_agree_on_no_cell_of_an_itemset_in_both():
    for over, both in (infer(pair, "plain") for pair in tiny_pairs(PAIRS)):
        assert not [items for items, top in product(over, both) if items <= top | {"before"}]


def test_against_bounds_all_pairs_agree_on_no_cell_of_an_itemset_whose_parts_are_all_known():
    told = 0
    for old, new, k in tiny_pairs(PAIRS):
        older = publish(old, min_support=1, k=k, against="derive")
        newer = publish(new, [as_patterns(older, len(old))] * bool(older), min_support=1, k=k, grown=True, against=None)
        known = newer.keys() | {itemset | {"before"} for itemset in newer.keys() & older.keys()}
        found = oracle.inferred_conjunctions(fit(older, newer), ["a", "b", "before"], k) if newer and older else {}
        over = {has | lacks for has, lacks in found}
        assert not [items for items in over if all(items - {item} in known for item in items)]
        # Those who came are a list of their own, of the differences of what is in both.
        came = {(has | lacks) - {"before"} for has, lacks in found if "before" in lacks}
        assert not [items for items in came if all(items - {item} in newer.keys() & older.keys() for item in items)]
        told += bool(known)
    assert told > PAIRS / 2


def publish_months(rows, start, more, **options):
    """Releases of rows that come month by month, each beside all before."""
    releases = []
    for end in range(start, len(rows) + 1, more):
        olds = [one.patterns for one in releases]
        releases.append(block(rows[:end], beside=olds, grown=bool(olds), method="withhold", **options))
    return releases


def find_together(releases, **options):
    """What is found in each release together with all before."""
    patterns = [one.patterns for one in releases]
    known = {"grown": True, "complete": False, **options}
    return [attack(patterns[at], against=patterns[:at], **known) for at in range(1, len(patterns))]


def test_twelve_months_tell_nothing_to_one_who_derives_what_is_not_listed():
    rows = list(clinic(400 + 11 * 80, seed=7))
    found = find_together(publish_months(rows, 400, 80, min_support="10%", k=8), k=8, level="derive")
    assert [(one.findings, one.undecided) for one in found] == [((), ())] * 11
    plain = publish_months(rows, 400, 80, min_support="10%", k=8, against="plain")
    assert any(one.findings for one in find_together(plain, k=8, level="derive"))


def test_beside_releases_that_have_grown_bounds_are_withstood_by_default():
    assert block(ROWS, beside=OLD, grown=True, **MORE).against == "derive"
    assert block(ROWS, beside=OLD, **MORE).against == "plain"
    assert compare(ROWS, beside=OLD, grown=True, **MORE).best.against == "derive"


def test_what_is_not_decided_in_time_is_not_released():
    rows = list(clinic(600, seed=7))
    asked = {"min_support": "10%", "k": 8, "method": "withhold"}
    old = block(rows[:400], **asked, against="derive")
    with pytest.raises(BudgetError, match=r"it was not decided whether .* nothing is released: raise seconds="):
        block(rows, beside=old, grown=True, against="linear", seconds=0.05, **asked)


def test_without_looking_at_older_releases_many_of_these_pairs_would_tell():
    told = 0
    for old, new, k in tiny_pairs(100):
        databases = fit(publish(old, min_support=1, k=k), publish(new, min_support=1, k=k))
        told += bool(oracle.inferred_conjunctions(databases, ["a", "b", "before"], k))
    assert told > 10


# What is refused.

ROWS = [["a", "b"]] * 20 + [["a"]] * 20 + [[]] * 20
OLD = mine(ROWS[:40], min_support=10)
MORE = {"min_support": 10, "k": 5}


@pytest.mark.parametrize("method", ["suppress", "add", "optimal"])
def test_a_method_that_changes_rows_is_refused_beside_older_releases(method):
    with pytest.raises(OptionError, match="differences from older releases would show the changes; use the method"):
        block(ROWS, method=method, beside=OLD, **MORE)


def test_the_best_method_beside_older_releases_is_one_that_can():
    assert block(ROWS, beside=OLD, grown=True, **MORE).method == "withhold"


def test_a_comparison_leaves_out_the_methods_that_cannot():
    lines = {line.method: line.left_out for line in compare(ROWS, beside=OLD, grown=True, **MORE).lines}
    assert {method for method, why in lines.items() if not why} == {"withhold"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"grown": True}, "grown= says how older releases differ, but none is given"),
        ({"beside": [7]}, "beside= holds a value of the type int; give release folders"),
        ({"beside": OLD, "against": "linear"}, "say grown=True, or leave against= out"),
        ({"beside": mine(ROWS, min_support=10, kind="maximal")}, "older release 1 does not determine the supports"),
        ({"beside": mine(ROWS * 2, min_support=10), "grown": True}, "some counts fell since older release 1"),
        (
            {"beside": [OLD, mine(ROWS[:58], min_support=9)]},
            "n, which every release shows, differs by fewer than 5 rows",
        ),
    ],
)
def test_what_cannot_be_made_safe_beside_older_releases_is_refused_in_a_sentence(options, sentence):
    with pytest.raises((InputError, OptionError), match=sentence):
        block(ROWS, method="withhold", **MORE, **options)


def test_parts_that_leave_few_rows_are_refused_by_n_alone():
    parts = [mine(ROWS[:30], min_support=5), mine(ROWS[30:57], min_support=5)]
    with pytest.raises(InputError, match="from n of older releases 1, 2 together"):
        block(ROWS, method="withhold", beside=parts, **MORE)


def test_exact_counts_are_refused_beside_a_release_of_changed_rows(tmp_path):
    rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    changed = block(rows, min_support=10, k=10, method="suppress")
    write_release(changed, tmp_path / "old")
    for old in (changed, tmp_path / "old"):
        with pytest.raises(InputError, match="older release 1 may have counts of changed rows"):
            block(rows * 2, min_support=10, k=10, beside=old)


def test_an_older_release_of_which_nothing_is_listed_still_has_its_n():
    nothing = Patterns.from_itemsets([], n=58)
    with pytest.raises(InputError, match="n, which every release shows"):
        block(ROWS, method="withhold", beside=nothing, **MORE)


def test_a_release_may_stand_beside_itself():
    first = block(ROWS, method="withhold", **MORE)
    assert block(ROWS, beside=first, grown=True, **MORE).patterns == first.patterns


def test_items_are_matched_by_their_text():
    old = Patterns.from_itemsets([([], 40), (["7"], 20)], n=40)
    new = block([[7]] * 23 + [[]] * 37, method="withhold", beside=old, grown=True, **MORE)
    assert dict(new.patterns) == {frozenset(): 60}


def test_items_that_only_the_older_release_has_do_not_hide_the_others():
    old = mine([["a", "z"]] * 20 + [[]] * 20, min_support=10)
    new = block([["a"]] * 23 + [[]] * 37, method="withhold", beside=old, **MORE)
    assert dict(new.patterns) == {frozenset(): 60}


# In release.json, and verified.


@pytest.fixture
def series(tmp_path):
    """Two release folders, and how the second was made."""
    write_release(block(ROWS[:40], method="withhold", **MORE), tmp_path / "april")
    write_release(block(ROWS, beside=tmp_path / "april", grown=True, **MORE), tmp_path / "may")
    return tmp_path / "april", tmp_path / "may"


def claims(folder):
    return json.loads((folder / "release.json").read_bytes())


def test_a_release_remembers_the_fingerprints_of_those_beside_it(series):
    april, may = series
    facts = claims(may)
    assert (facts["beside"], facts["grown"], facts["hierarchy"]) == ([verify(april).digest], True, [])
    assert (claims(april)["beside"], claims(april)["grown"]) == ([], False)
    assert "No difference from 1 older release reveals fewer than 5 rows that came since" in " ".join(
        (may / "report.txt").read_text().split()
    )


def test_verify_says_what_it_did_not_check(series):
    found = verify(series[1])
    assert (found.is_good, found.matches, found.together) == (True, None, ())
    assert "not checked: whose numbers these are" in str(found)
    assert f"not checked: what it reveals together with older releases with the fingerprints {found.beside[0]}" in str(
        found
    )


def test_verify_checks_a_release_together_with_those_beside_it(series):
    april, may = series
    found = verify(may, beside=april, fingerprint=verify(may).digest.upper())
    assert (found.is_good, found.matches, found.together) == (True, True, (verify(april).digest,))
    assert "safe together with 1 of 1 older releases beside it" in str(found)
    assert "not checked" not in str(found)


def test_patterns_in_memory_are_known_by_their_file(tmp_path):
    old = mine(ROWS[:40], min_support=10)
    write_patterns(old, tmp_path / "old.json")
    write_release(block(ROWS, beside=old, grown=True, **MORE), tmp_path / "new")
    assert claims(tmp_path / "new")["beside"] == [hash_patterns(old)] == [read_older(tmp_path / "old.json").sha256]
    assert verify(tmp_path / "new", beside=[tmp_path / "old.json"]).together == (hash_patterns(old),)


def test_a_release_that_is_none_of_those_beside_it_is_refused(series):
    april, may = series
    with pytest.raises(InputError, match="older release 1 is none that this one was made beside"):
        verify(april, beside=may)


def test_another_fingerprint_is_a_fault_and_none_is_shown(series):
    found = verify(series[1], fingerprint="0" * 64)
    assert (found.is_good, found.matches, found.facts()["digest"]) == (False, False, None)
    assert found.faults == (OTHER,)
    assert found.digest not in str(found)


def test_a_folder_that_is_not_good_shows_no_fingerprint(series):
    (series[1] / "report.txt").write_text("changed")
    found = verify(series[1])
    assert (found.is_good, found.origin, found.facts()["digest"]) == (False, [], None)
    assert found.digest not in str(found)


@pytest.mark.parametrize("text", ["", "0" * 63, "g" * 64, "0" * 65])
def test_what_is_no_fingerprint_is_refused(series, text):
    with pytest.raises(OptionError, match="fingerprint= is not one: it has 64 hexadecimal digits"):
        verify(series[1], fingerprint=text)


def test_a_fingerprint_may_be_typed_in_groups():
    assert as_fingerprint("AB12 cd34\n" * 8) == "ab12cd34" * 8


def forge(folder, **facts):
    """Change release.json, which lists itself nowhere."""
    (folder / "release.json").write_text(json.dumps({**claims(folder), **facts}))
    return folder


@pytest.mark.parametrize(
    "facts", [{"beside": ["x"]}, {"beside": [], "grown": True}, {"beside": [7]}, {"beside": None}, {"hierarchy": 1}]
)
def test_malformed_facts_about_older_releases_are_a_fault(series, facts):
    assert "malformed" in verify(forge(series[1], **facts)).faults[0]


def test_a_release_that_was_not_made_beside_an_older_one_but_says_so_is_found_out(tmp_path):
    write_release(block(ROWS[:40], method="withhold", **MORE), tmp_path / "april")
    write_release(block([*ROWS, *[["a", "b"]] * 2, *[[]] * 5], method="withhold", **MORE), tmp_path / "may")
    forged = forge(tmp_path / "may", beside=[verify(tmp_path / "april").digest], grown=True)
    assert verify(forged).is_good
    found = verify(forged, beside=tmp_path / "april")
    assert found.faults == ("differences from older release 1 reveal fewer than 5 rows",)
    assert found.together == ()


def test_a_whole_list_beside_older_releases_is_a_fault(tmp_path):
    write_release(block(ROWS, method="suppress", **MORE), tmp_path / "new")
    [fault] = verify(forge(tmp_path / "new", beside=["0" * 64])).faults
    assert "is_whole in release.json denies it" in fault


def test_a_stronger_attacker_is_tried_on_all_releases_again(tmp_path):
    write_release(block(ROWS[:40], method="withhold", **MORE), tmp_path / "april")
    write_release(
        block(ROWS, beside=tmp_path / "april", grown=True, against="linear", **MORE, method="withhold"),
        tmp_path / "may",
    )
    assert verify(tmp_path / "may", beside=tmp_path / "april").is_good


# On the command line.


def run(*arguments):
    found = CliRunner().invoke(main, [*map(str, arguments)])
    return found.exit_code, found.output


@pytest.fixture
def months(tmp_path):
    for name, rows in (("april", ROWS[:40]), ("may", ROWS)):
        (tmp_path / f"{name}.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    return tmp_path


def test_the_command_line_makes_and_verifies_a_series(months):
    asked = ("--min-support", "10", "-k", "5", "--format", "baskets", "--empty-rows")
    april, may = months / "april", months / "may"
    assert run("block", f"{april}.csv", *asked, "--method", "withhold", "--out", april)[0] == 0
    code, output = run("block", f"{may}.csv", *asked, "--beside", april, "--grown", "--out", may)
    assert code == 0
    digest = verify(may).digest
    assert f"its fingerprint is {digest}" in output
    code, output = run("verify", may, "--beside", april, "--fingerprint", digest)
    assert (code, "as the publisher's" in output, "not checked" in output) == (0, True, False)
    code, output = run("verify", may, "--fingerprint", "1" * 64, "--json")
    assert (code, json.loads(output)["digest"], json.loads(output)["matches"]) == (1, None, False)


def test_to_say_grown_on_the_command_line_needs_an_older_release(months):
    code, output = run("block", months / "may.csv", "--min-support", "10", "-k", "5", "--grown")
    assert (code, "--grown says how older releases differ, but none is given" in output) == (2, True)


# A clinic that grows month by month.


def grow_clinic(many, *, start=1000, more=150, seed=7):
    """Rows of a clinic at the end of each month."""
    rows = list(clinic(start + (many - 1) * more, seed=seed))
    return [rows[: start + month * more] for month in range(many)]


def test_twelve_monthly_releases_of_a_growing_clinic_reveal_nothing_together():
    releases, kept = [], []
    for rows in grow_clinic(12 if LARGE else 4):
        alone = block(rows, min_support="10%", k=10, method="withhold")
        release = block(rows, min_support="10%", k=10, beside=releases, grown=bool(releases), method="withhold")
        olds = [one.patterns for one in releases]
        found = attack(release.patterns, k=10, level="plain", against=olds, grown=bool(olds), complete=False)
        assert found.is_safe
        assert release.is_safe
        assert {itemset for itemset, _ in release.patterns} <= {itemset for itemset, _ in alone.patterns}
        releases.append(release)
        kept.append(len(release.patterns) / len(alone.patterns))
    assert kept[0] == 1
    assert np.mean(kept[1:]) < 1


def test_beside_releases_of_the_same_rows_nothing_is_lost():
    patterns = block(ROWS, method="withhold", **MORE).patterns
    assert keep_apart(patterns, [read_older_in_memory(patterns)] * 3, k=5, grown=True) == patterns


def read_older_in_memory(patterns):
    """A release as ``beside`` takes it."""
    [older] = block(ROWS, method="withhold", beside=patterns, **MORE).beside
    return older
