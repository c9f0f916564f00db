"""Labels that join several items, by any sign or word, send a list to a person; so does a k that protects nobody."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from discreet import Facts, Patterns, Rules, Verdict, audit, block, read_facts, read_patterns, write_patterns

SINGLE = {"flu": 100, "asthma": 120, "copd": 90}
PAIRS = SINGLE | {"flu asthma": 96, "asthma copd": 60, "flu copd": 50}
EVERY = PAIRS | {"flu asthma copd": 40}
SIGNS = [
    *(", ", ",", " + ", "+", " & ", "&", " and ", "/", " / ", "|", " | ", " ", "_", "-", " AND ", " ∧ ", " und "),
    *(" with ", " × ", "\t", "=>", " => ", ":", " – ", "·", " plus ", "、", "&&"),
]
PRINTED = {
    "a list": repr,
    "a list without quotes": lambda parts: f"[{', '.join(parts)}]",
    "a set": lambda parts: f"{{{','.join(parts)}}}",
    "a tuple": lambda parts: f"({', '.join(parts)})",
    "a frozenset": lambda parts: f"frozenset({{{', '.join(map(repr, parts))}}})",
}
WAYS = {f"joined by {sign!r}": sign.join for sign in SIGNS} | PRINTED


def listed(join, supports=EVERY, head=("itemset", "count")):
    """A list of patterns, each a single text in its field."""
    text = io.StringIO()
    csv.writer(text).writerows([head, *([join(itemset.split()), many] for itemset, many in supports.items())])
    return io.BytesIO(text.getvalue().encode())


def doubts_of(found):
    return " ".join(str(check.sentence) for check in found.checks if check.name == "reading")


@pytest.mark.parametrize("head", [("itemset", "count"), ("itemset", "support"), ("items", "count")])
@pytest.mark.parametrize("way", WAYS)
def test_itemsets_joined_by_any_sign_are_not_released(way, head):
    found = audit(read_patterns(listed(WAYS[way], head=head), format="csv", n=1000), k=10)
    assert found.verdict > Verdict.RELEASE
    # Sets are read as what they are in the layouts of arules and mlxtend, and 100 − 96 is found then.
    assert found.verdict is Verdict.WITHHOLD or "are other labels joined by it" in doubts_of(found)


@pytest.mark.parametrize("sign", SIGNS)
def test_the_doubt_names_the_sign(sign):
    doubt = str(read_patterns(listed(sign.join), format="csv", n=1000).reading.doubts[0])
    assert ("with blanks are" if not sign.strip() else repr(sign)[1:-1].strip()) in doubt


def test_the_sign_is_found_where_labels_of_single_items_hold_it_too():
    names = {"flu": "bird flu", "asthma": "type 2 asthma", "copd": "age 20-39"}
    found = read_patterns(listed(lambda parts: " ".join(map(names.get, parts)), PAIRS), format="csv", n=1000)
    assert "labels with blanks are other labels joined by it (3 of 3)" in str(found.reading.doubts[0])


@pytest.mark.parametrize("sign", [" and ", ",", " "])
def test_a_joined_list_stays_in_doubt_in_other_formats_and_in_memory(sign, tmp_path):
    patterns = read_patterns(listed(sign.join), format="csv", n=1000)
    for name in ("joined.json", "joined.csv", "joined.pmml"):
        write_patterns(patterns, tmp_path / name)
        again = audit(read_patterns(tmp_path / name, n=1000), k=10)
        assert "are other labels joined by it" in doubts_of(again)
    pairs = [([sign.join(itemset.split())], many) for itemset, many in EVERY.items()]
    assert "are other labels joined by it" in doubts_of(audit(pairs, n=1000, k=10))


@pytest.mark.parametrize("sign", [" and ", ", "])
def test_numbers_within_limits_are_read_with_the_same_doubt(sign):
    found = audit(read_facts(listed(sign.join, head=("itemset", "support")), format="csv", n=1000), k=10)
    assert found.verdict is Verdict.REVIEW
    assert "are other labels joined by it" in doubts_of(found)
    rules = Rules.from_rules([(["flu"], ["asthma"], 96, "98%"), ([sign.join(["flu", "asthma"])], ["copd"], 40, "47%")])
    assert "are other labels joined by it" in doubts_of(audit(rules, k=10))


def test_a_list_without_an_itemset_of_two_items_is_in_doubt_until_it_is_said_to_be_cut(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("itemset,support\nflu.asthma copd,96\nflu,100\ntea,300\n")
    found = audit(path, n=1000, k=10)
    assert found.verdict is Verdict.REVIEW
    assert "No itemset has two items" in doubts_of(found)
    assert audit(path, n=1000, k=10, max_length=1).verdict is Verdict.RELEASE
    assert audit(read_patterns(path, n=1000, max_length=1), k=10).verdict is Verdict.RELEASE


def test_saying_that_a_list_was_cut_silences_no_sign_between_labels():
    found = audit(read_patterns(listed(", ".join), format="csv", n=1000, max_length=1), k=10)
    assert "are other labels joined by it" in doubts_of(found)


def test_ordinary_labels_with_signs_are_no_joined_items():
    goods = [
        "whole milk",
        "butter milk",
        "butter",
        "cream cheese",
        "beer/wine",
        "age=20-39",
        "E11",
        "E11.0",
        "UHT-milk",
    ]
    listed = [([one], 400 - at) for at, one in enumerate(goods)] + [(goods[:2], 300)]
    assert audit(listed, n=1000, k=10).verdict is Verdict.RELEASE


@given(
    names=st.lists(
        st.from_regex(r"[A-Za-z0-9]{1,6}([-_. ][A-Za-z0-9]{1,3})?", fullmatch=True), min_size=3, unique=True
    ),
    sign=st.sampled_from(SIGNS),
)
def test_other_names_for_the_items_give_no_better_verdict(names, sign):
    name = dict(zip(["flu", "asthma", "copd"], names, strict=False))
    renamed = listed(lambda parts: sign.join(map(name.get, parts)))
    assert audit(read_patterns(renamed, format="csv", n=1000), k=10).verdict > Verdict.RELEASE


TREE = DecisionTreeClassifier(max_depth=1, random_state=1).fit(*load_iris(return_X_y=True))
ROWS = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10
CANDIDATES = {
    "rows": lambda k: audit(ROWS, min_support=10, k=k),
    "patterns": lambda k: audit(Patterns.from_itemsets([(["a"], 32), (["b"], 20), (["a", "b"], 20)], n=42), k=k),
    "pairs": lambda k: audit([(["a"], 32), (["b"], 20), (["a", "b"], 20)], n=42, k=k),
    "numbers": lambda k: audit(Facts.from_limits([(["a"], 30, 30)], n=42), k=k),
    "rules": lambda k: audit(Rules.from_rules([(["a"], ["b"], 20, "62.5%")], n=42, rounding="exact"), k=k),
    "a tree": lambda k: audit(TREE, k=k),
    "a release": lambda k: block(ROWS, min_support=10, k=k, method="withhold"),
}


@pytest.mark.parametrize("k", [1, 43, 151, 10**6])
@pytest.mark.parametrize("candidate", CANDIDATES)
def test_a_k_of_one_or_above_all_rows_releases_nothing(candidate, k):
    found = CANDIDATES[candidate](k)
    assert found.verdict > Verdict.RELEASE or (candidate == "a tree" and k <= 150)
    assert k > 1 or candidate == "a release" or "k is 1, so no count is too small." in map(str, sentences(found))


def sentences(found):
    return [check.sentence for check in found.checks]
