"""Inconspicuous hiding: no sensitive itemset is rarer than an ordinary one, and what that costs is told."""

from random import Random

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import databases

from discreet import OptionError, Transactions, attack, compare_hiding, hide, report
from discreet.data.itemsets import Itemsets
from discreet.disclosure.attacks.surprise import find_candidates
from discreet.hiding.folder import describe
from discreet.hiding.hide import METHODS
from discreet.hiding.inconspicuous import draw_limits, find_ordinary

QUICK = ["naive", "minfia", "maxfia", "iga", "swa", "border"]

small = databases(max_rows=30, max_items=6)


def baskets(n=400, seed=1):
    """Rows of ten independent items, and fifty that hold a, b and c."""
    draw = Random(seed)  # noqa: S311 - no secret
    return [[item for item in "abcdefghij" if draw.random() < 0.4] for _ in range(n)] + [list("abc")] * 50


@st.composite
def asked(draw):
    """Rows of which a reader looks at some itemset, one to three sensitive ones, and a count to hide them below."""
    rows = draw(small)
    items = Transactions(rows).labels
    assume(len(items) > 1)
    itemset = st.frozensets(st.sampled_from(items), min_size=1, max_size=3)
    return rows, draw(st.lists(itemset, min_size=1, max_size=3, unique=True)), draw(st.integers(1, 5))


cases = asked()


@settings(max_examples=50)
@given(
    case=cases, method=st.sampled_from(["naive", "minfia", "maxfia", "iga", "swa", "border"]), seed=st.integers(0, 9)
)
def test_no_itemset_is_more_surprising_than_its_limit(case, method, seed):
    rows, sensitive, below = case
    hidden = hide(rows, sensitive, method=method, below=below, inconspicuous=True, seed=seed)
    _, found = find_ordinary(hidden.rows, sensitive)
    coded = Itemsets.of([sorted(hidden.rows.code[label] for label in itemset) for itemset in sensitive])
    limits = draw_limits(found, coded, seed)
    after = [frozenset(row) for row in hidden.transactions]
    excess = [
        oracle.surprise(itemset, after) - limit
        for itemset, limit in zip(sensitive, limits, strict=True)
        if np.isfinite(limit)
    ]
    assert max(excess, default=0.0) < 1e-3


@settings(max_examples=50)
@given(case=cases, seed=st.integers(0, 9))
def test_supports_are_raised_only_and_stay_within_what_is_told(case, seed):
    rows, sensitive, below = case
    hidden, plain = (hide(rows, sensitive, below=below, inconspicuous=one, seed=seed) for one in (True, False))
    assert hidden.disguise.asked.tolist() == plain.at_most.tolist()
    assert (hidden.disguise.asked <= hidden.at_most).all()
    assert (hidden.after <= hidden.at_most).all()
    assert (hidden.at_most <= hidden.before).all()
    assert hidden.after.tolist() == [oracle.support(one, hidden.transactions) for one in sensitive]


@settings(max_examples=50)
@given(case=cases)
def test_where_nothing_is_raised_the_rows_are_those_of_the_method(case):
    rows, sensitive, below = case
    hidden, plain = (hide(rows, sensitive, below=below, inconspicuous=one) for one in (True, False))
    is_raised = (hidden.at_most > plain.at_most).any()
    assert is_raised or hidden.transactions == plain.transactions


@pytest.mark.parametrize("method", METHODS)
def test_what_was_first_is_ordinary(method):
    sensitive = [["a", "b", "c"], ["d", "e"]]
    plain, hidden = (
        hide(baskets(), sensitive, below=5, method=method, inconspicuous=one, seed=4, seconds=1)
        for one in (False, True)
    )
    assert min(one.rank for one in attack(plain).hidden) == 1
    assert [one.rank for one in attack(hidden).hidden] == [one.rank for one in hidden.disguise.after]
    assert min(one.rank for one in hidden.disguise.after) > 1


def test_limits_are_those_of_ordinary_itemsets_or_the_own_surprise_if_that_is_larger():
    rows = Transactions(baskets())
    found = find_candidates(rows, least=5)
    sensitive = Itemsets.of([[0, 1, 2], [2, 3, 5], [0, 1]])
    surprises = found[3].surprise.tolist()
    own = [surprises[found[3].find(itemset)] for itemset in ([0, 1, 2], [2, 3, 5])]
    ordinary = sorted((value for value in surprises if value not in own), reverse=True)
    ordinary = ordinary[10 : len(ordinary) // 4]
    drawn = np.array([draw_limits(found, sensitive, seed) for seed in range(500)])
    assert [set(drawn[:, at].tolist()) for at in (0, 1)] == [{max(value, one) for value in ordinary} for one in own]


def test_the_same_seed_gives_the_same_rows_and_another_one_others():
    hidden = [hide(baskets(), [["a", "b", "c"]], inconspicuous=True, seed=seed) for seed in (1, 1, 2, 3)]
    assert hidden[0].transactions == hidden[1].transactions
    assert len({tuple(one.after.tolist()) for one in hidden}) > 1


def test_one_that_no_reader_looks_at_is_hidden_as_asked():
    hidden = hide(baskets(), [["a"]], inconspicuous=True)
    assert hidden.after.tolist() == [0]
    assert hidden.disguise.after[0].rank is None


def test_the_report_says_what_it_takes():
    hidden = hide(baskets(), [["a", "b", "c"]], below=5, inconspicuous=True)
    text = "\n".join(report.hidden_text(hidden))
    kept, ranked = int(hidden.at_most[0]) - 4, hidden.disguise.after[0]
    assert f"1 sensitive itemset may keep more rows than asked for, {kept:,} in all" in " ".join(text.split())
    assert f"{ranked.rank:,} of {ranked.looked_at:,}" in text
    (line,) = describe(hidden, show_labels=False)["sensitive"]
    assert (line["asked"], line["rank"], line["looked_at"]) == (4, ranked.rank, ranked.looked_at)


def test_a_comparison_says_how_many_are_guessed():
    sensitive = [["a", "b", "c"], ["d", "e"]]
    plain, hidden = (
        compare_hiding(baskets(), sensitive, min_supports=["5%"], methods=["iga", "minfia"], inconspicuous=one, seed=4)
        for one in (False, True)
    )
    assert [line.guessed for line in plain.lines] == [1.0, 1.0]
    assert max(line.guessed for line in hidden.lines) < 1
    assert "guessed" in "\n".join(report.hiding_comparison_text(plain))
    assert [line["guessed"] for line in report.hiding_comparison_facts(plain)["lines"]] == [1.0, 1.0]


@pytest.mark.parametrize("seed", [-1, True, "1", 1.5])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(OptionError, match="whole number of at least 0"):
        hide(baskets(), [["a", "b"]], inconspicuous=True, seed=seed)
