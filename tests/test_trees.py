"""Trees: what a fitted tree, a forest or a list of rules would give away."""

import json
import re
from collections import Counter
from copy import copy
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet import InputError, OptionError, Policy, Verdict, audit, report
from discreet.publications.trees.leaves import Leaf, Leaves, find_overlaps
from discreet.publications.trees.sklearn import read_estimator

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn", reason="scikit-learn comes with the extra test")

from sklearn.ensemble import (  # noqa: E402 - only where there is one
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import (  # noqa: E402
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)


def people(ill=10):
    """Most smokers are ill and most others are well, so many ``ill`` apart from three who had a transplant."""
    kinds = {(1, 0): (50, 12), (0, 0): (ill, 60), (0, 1): (3, 0)}
    rows = [(kind, one) for kind, (many, well) in kinds.items() for one in ["ill"] * many + ["well"] * well]
    return pd.DataFrame([kind for kind, _ in rows], columns=["smoker", "transplant"]), np.array(
        [one for _, one in rows]
    )


@st.composite
def matrices(draw, most=30, highest=3):
    """Up to thirty rows of two features with few values, and their classes."""
    n = draw(st.integers(2, most))
    rows = draw(st.lists(st.tuples(*[st.integers(0, highest)] * 2), min_size=n, max_size=n))
    classes = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    return np.array(rows, dtype=float), np.array(classes)


def verdicts(found):
    return {check.name: check.verdict for check in found.checks}


def held(tree, features, classes):
    """How many rows of each class reach each leaf, as scikit-learn itself tells."""
    return Counter(zip(tree.apply(features).tolist(), classes.tolist(), strict=True))


@given(matrices(), st.integers(1, 8), st.integers(1, 4), st.sampled_from([DecisionTreeClassifier, ExtraTreeClassifier]))
def test_few_rows_of_a_class_in_a_leaf_are_found_and_nothing_else(data, k, depth, kind):
    features, classes = data
    tree = kind(max_depth=depth, random_state=0).fit(features, classes)
    small = [count for count in held(tree, features, classes).values() if count < k]
    found = audit(tree, k=k, rows=features)
    assert sorted(few.low for few in found.evidence.leaves) == sorted(small)
    assert (verdicts(found)["low counts"] is Verdict.WITHHOLD) == bool(small)


@given(matrices(), st.integers(1, 8), st.sampled_from([DecisionTreeRegressor, ExtraTreeRegressor]))
def test_few_rows_in_a_leaf_that_tells_a_mean_are_found(data, k, kind):
    features, values = data
    values = values + 0.1 * np.arange(len(values))
    tree = kind(max_depth=2, random_state=0).fit(features, values)
    small = [count for count in Counter(tree.apply(features).tolist()).values() if count < k]
    assert sorted(few.low for few in audit(tree, k=k).evidence.leaves) == sorted(small)


def test_a_leaf_of_three_people_is_withheld_with_its_path_in_words():
    found = audit(DecisionTreeClassifier(random_state=0).fit(*people()), k=5)
    assert found.verdict is Verdict.WITHHOLD
    assert [str(few) for few in found.evidence.leaves] == ["smoker ≤ 0.5 and transplant > 0.5: 3 rows, class ill"]


@pytest.mark.parametrize("options", [{"ccp_alpha": 0.05}, {"min_samples_leaf": 5}], ids=str)
def test_a_tree_that_was_kept_from_small_leaves_may_be_published(options):
    features, classes = people()
    tree = DecisionTreeClassifier(random_state=0, **options).fit(features, classes)
    assert min(held(tree, features, classes).values()) >= 5
    assert audit(tree, k=5).verdict is Verdict.RELEASE


def test_leaves_of_five_rows_need_not_hold_five_of_each_class():
    tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(*people(ill=0))
    assert [str(few) for few in audit(tree, k=5).evidence.leaves] == ["smoker ≤ 0.5: 3 rows, class ill"]


def with_nodes(tree, **changed):
    """The same tree, but for some of the arrays of its nodes."""
    names = ("children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples")
    same = {name: getattr(tree.tree_, name) for name in (*names, "weighted_n_node_samples", "value")}
    other = copy(tree)
    other.tree_ = SimpleNamespace(**{**same, **changed})
    return other


def test_shares_and_counts_in_the_nodes_tell_the_same():
    features, classes = people()
    tree = DecisionTreeClassifier(random_state=0).fit(features, classes)
    reaches = tree.decision_path(features).toarray().astype(bool)
    counts = np.array(
        [[[np.sum(classes[rows] == label) for label in tree.classes_]] for rows in reaches.T], dtype=float
    )
    before, since = (with_nodes(tree, value=value) for value in (counts, counts / counts.sum(axis=2, keepdims=True)))
    assert read_estimator(before)[0].leaves == read_estimator(since)[0].leaves == read_estimator(tree)[0].leaves


def test_the_path_tells_each_feature_once():
    features = pd.DataFrame({"age": np.repeat([20, 40, 60], 10)})
    tree = DecisionTreeClassifier(random_state=0).fit(features, np.repeat([0, 1, 0], 10))
    assert {leaf.path for leaf in read_estimator(tree)[0].leaves} == {("age ≤ 30",), ("30 < age ≤ 50",), ("age > 50",)}


def test_features_without_names_go_by_their_numbers():
    features, classes = people()
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(features.to_numpy(), classes)
    assert read_estimator(tree)[0].leaves[0].path == ("feature 0 ≤ 0.5",)


def test_each_output_is_judged():
    features, classes = people()
    both = np.column_stack([classes, features["smoker"]])
    found = audit(DecisionTreeClassifier(random_state=0).fit(features, both), k=5)
    assert [few.outcome for few in found.evidence.leaves] == ["class ill of output 1", "class 0 of output 2"]


@pytest.mark.parametrize(
    "weights", [{"class_weight": "balanced"}, {"class_weight": {"ill": 2, "well": 2}}, {}], ids=str
)
def test_counts_that_weights_have_changed_are_withheld(weights):
    features, classes = people()
    told = {} if weights else {"sample_weight": np.full(len(features), 0.5)}
    tree = DecisionTreeClassifier(max_depth=1, **weights).fit(features, classes, **told)
    found = audit(tree, k=2)
    assert verdicts(found)["counts"] is Verdict.WITHHOLD
    assert "without weights" in next(check.sentence for check in found.checks if check.name == "counts")


def test_counts_that_do_not_add_up_are_withheld():
    tree = DecisionTreeClassifier(random_state=0).fit(*people())
    changed = tree.tree_.value.copy()
    changed[-1] = changed[-1][:, ::-1]
    assert verdicts(audit(with_nodes(tree, value=changed), k=2))["counts"] is Verdict.WITHHOLD


def test_a_count_of_zero_is_judged_as_the_policy_says():
    tree = DecisionTreeClassifier(random_state=0, max_depth=2).fit(*people())
    strict = Policy("strict", k=2, zeros=Verdict.WITHHOLD)
    assert "class disclosure" not in verdicts(audit(tree, k=2))
    assert verdicts(audit(tree, policy=strict))["class disclosure"] is Verdict.WITHHOLD


def test_leaves_in_which_all_rows_have_one_value_are_class_disclosure():
    features, _ = people()
    tree = DecisionTreeRegressor(max_depth=1).fit(features, features["smoker"] * 2.5)
    assert (
        verdicts(audit(tree, policy=Policy("strict", k=2, zeros=Verdict.REVIEW)))["class disclosure"] is Verdict.REVIEW
    )


def test_medians_are_reviewed():
    features, _ = people()
    tree = DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(features, np.arange(len(features)))
    assert verdicts(audit(tree, k=5))["medians"] is Verdict.REVIEW


def test_counts_that_a_policy_wants_rounded_are_reviewed():
    tree = DecisionTreeClassifier(max_depth=1).fit(*people())
    assert verdicts(audit(tree, policy=Policy("rounded", k=2, round_to=5)))["rounding"] is Verdict.REVIEW


# Thresholds.


def aged(times):
    """So many rows of three ages each, the youngest of another class."""
    features = pd.DataFrame({"age": np.repeat([20.0, 45.0, 60.0], times)})
    return features, (features["age"] > 30).to_numpy()


def test_a_threshold_between_values_is_reviewed_without_the_rows():
    tree = DecisionTreeClassifier().fit(*aged([50, 50, 50]))
    assert audit(tree, k=5).verdict is Verdict.REVIEW


@pytest.mark.parametrize(("times", "expected"), [(50, Verdict.RELEASE), (5, Verdict.RELEASE), (4, Verdict.REVIEW)])
def test_a_threshold_is_safe_if_many_rows_hold_the_values_on_both_sides(times, expected):
    features, classes = aged([50, times, 50])
    tree = DecisionTreeClassifier().fit(features, classes)
    assert verdicts(audit(tree, k=5, rows=features))["thresholds"] is expected


def test_a_threshold_drawn_by_chance_tells_no_value():
    tree = ExtraTreeClassifier(random_state=0).fit(*aged([50, 50, 50]))
    assert audit(tree, k=5).verdict is Verdict.RELEASE


def test_missing_values_go_where_the_tree_sends_them():
    features, classes = aged([50, 50, 50])
    features.loc[:9, "age"] = np.nan
    tree = DecisionTreeClassifier().fit(features, classes)
    assert verdicts(audit(tree, k=5, rows=features))["thresholds"] is Verdict.RELEASE


@pytest.mark.parametrize(
    "rows",
    [aged([50, 50, 49])[0], aged([49, 51, 50])[0], [["young"]] * 150, np.zeros((150, 2))],
    ids=["fewer", "others", "text", "columns"],
)
def test_rows_that_the_tree_was_not_fitted_on_are_refused(rows):
    tree = DecisionTreeClassifier().fit(*aged([50, 50, 50]))
    with pytest.raises(InputError, match="fit"):
        audit(tree, k=5, rows=rows)


# Several trees.


def stumps(features, classes, number, depth=1):
    """Trees with thresholds drawn by chance, on the same rows."""
    return [ExtraTreeClassifier(max_depth=depth, random_state=seed).fit(features, classes) for seed in range(number)]


def ways(trees, features, classes, label, overlaps):
    """All ways in which rows of a class may be in overlaps of leaves, by the counts of the leaves alone."""
    chosen = classes == label
    told = [Counter(tree.apply(features[chosen]).tolist()) for tree in trees] if chosen.any() else [{}] * len(trees)
    return oracle.tables(sorted(overlaps), told)


def possible_overlaps(trees):
    """The overlaps of leaves that a row with some values reaches."""
    thresholds = [
        sorted(
            {
                value
                for tree in trees
                for at, value in zip(tree.tree_.feature, tree.tree_.threshold, strict=True)
                if at == feature
            }
        )
        for feature in range(2)
    ]
    places = [[-100.0, *values, 100.0] for values in thresholds]
    middles = [[*values, *((one + other) / 2 for one, other in pairwise(values))] for values in places]
    grid = np.array(list(product(*middles)))
    return set(zip(*(tree.apply(grid).tolist() for tree in trees), strict=True))


@settings(max_examples=60)
@given(matrices(most=8, highest=2), st.integers(2, 3), st.integers(2, 4))
def test_several_trees_are_released_only_if_nothing_can_be_inferred_whatever_is_known_of_features(data, number, k):
    features, classes = data
    trees = stumps(features, classes, number)
    found = find_overlaps([read_estimator(tree, features)[0] for tree in trees], k)
    held = set(zip(*(tree.apply(features).tolist() for tree in trees), strict=True))
    threats = [oracle.inferred_overlaps(ways(trees, features, classes, label, held), k) for label in set(classes)]
    assert found != ((), "") or not any(threats)


@settings(max_examples=60)
@given(matrices(most=8, highest=2), st.integers(2, 3), st.integers(2, 4))
def test_few_rows_that_several_trees_tell_are_there_in_every_way(data, number, k):
    features, classes = data
    trees = stumps(features, classes, number)
    overlaps = possible_overlaps(trees)
    expected = Counter()
    for label in sorted(set(classes)):
        found = oracle.inferred_overlaps(ways(trees, features, classes, label, overlaps), k)
        expected.update((f"class {label}", *limits) for chosen, limits in found.items() if len(chosen) == 1)
    ours = find_overlaps([read_estimator(tree)[0] for tree in trees], k).few
    assert Counter((few.outcome, few.low, few.high) for few in ours) == expected


def leaf(low, high, counts):
    return Leaf((f"{low} < age ≤ {high}",), sum(counts), (counts,), {0: (low, high)})


@pytest.mark.parametrize(("between", "expected"), [(3, Verdict.WITHHOLD), (9, Verdict.REVIEW)])
def test_two_trees_that_are_safe_alone_may_tell_of_few_together(between, expected):
    young, old = (20, 30), (40, 50)
    middle = (between, 20)
    sums = [tuple(map(sum, zip(one, middle, strict=True))) for one in (young, old)]
    first = Leaves((leaf(-np.inf, 40, young), leaf(40, np.inf, sums[1])), (("ill", "well"),), ("age",))
    second = Leaves((leaf(-np.inf, 50, sums[0]), leaf(50, np.inf, old)), (("ill", "well"),), ("age",))
    assert [audit(one, k=5).verdict for one in (first, second)] == [Verdict.RELEASE] * 2
    found = audit([first, second], k=5)
    assert found.verdict is expected
    assert [str(few) for few in found.evidence.leaves] == ["40 < age ≤ 50: 3 rows, class ill"] * (between < 5)


def test_several_trees_may_be_published_where_the_rows_prove_it():
    features = pd.DataFrame(list(product([0, 1], [0, 1], range(20))), columns=["smoker", "old", "number"])
    classes = features.pop("number") % 2
    forest = ExtraTreesClassifier(n_estimators=3, max_depth=1, random_state=1).fit(features, classes)
    assert {at for tree in forest.estimators_ for at in tree.tree_.feature} == {0, 1, -2}
    assert audit(forest, k=5).verdict is Verdict.REVIEW
    assert audit(forest, k=5, rows=features).verdict is Verdict.RELEASE


def test_a_forest_of_samples_is_reviewed_at_best():
    features, classes = people()
    forest = RandomForestClassifier(n_estimators=3, max_depth=1, min_samples_leaf=40, random_state=0).fit(
        pd.concat([features] * 5), np.tile(classes, 5)
    )
    found = audit(forest, k=2)
    assert verdicts(found)["sample"] is Verdict.REVIEW
    assert found.verdict is Verdict.REVIEW
    with pytest.raises(OptionError, match="sample"):
        audit(forest, k=2, rows=features)


def test_rows_that_a_sample_holds_twice_count_once():
    features, classes = people()
    forest = RandomForestClassifier(n_estimators=1, random_state=0).fit(features[:8], classes[-8:])
    assert all(tree.rows < 8 for tree in read_estimator(forest))
    assert audit(forest, k=8).verdict is Verdict.WITHHOLD


def test_means_of_several_trees_are_reviewed_at_best():
    features, _ = people()
    forest = ExtraTreesRegressor(n_estimators=2, max_depth=1, random_state=0).fit(features, features["smoker"])
    assert audit(forest, k=2).verdict is Verdict.REVIEW


def test_small_counts_name_their_tree():
    forest = ExtraTreesClassifier(n_estimators=2, random_state=0).fit(*people())
    assert {few.trees for few in audit(forest, k=5).evidence.leaves} == {(1,), (2,)}


def test_trees_whose_overlaps_may_be_small_are_not_released():
    # Of the two rows of q that are not in u, it is not known which is in s and which in t; but they are two.
    pairs = ["qu"] * 10 + ["rv"] * 10 + ["ws"] * 10 + ["zt"] * 10 + ["qs", "qt", "rs", "rt"]
    trees = []
    for names in zip(*pairs, strict=True):
        order = sorted(set(names))
        leaves = tuple(Leaf((name,), names.count(name), ((names.count(name),),), {}) for name in order)
        trees.append(Leaves(leaves, (("ill",),), reached=np.array([order.index(name) for name in names])))
    told = [Counter(names) for names in zip(*pairs, strict=True)]
    assert oracle.inferred_overlaps(oracle.tables(sorted(set(map(tuple, pairs))), told), 5)
    assert find_overlaps(trees, 5).undecided


def test_weighted_trees_are_not_taken_together():
    forest = ExtraTreesClassifier(n_estimators=2, max_depth=1, class_weight="balanced").fit(*people())
    assert audit(forest, k=2).verdict is Verdict.WITHHOLD


def test_trees_of_other_rows_are_not_taken_together():
    trees = [Leaves((Leaf((), 10, ((count, 5),), {}),), (("ill", "well"),)) for count in (5, 6)]
    assert "same rows" in find_overlaps(trees, 2).undecided


def test_overlaps_that_are_too_many_are_undecided():
    many = [leaf(at, at + 1, (10, 10)) for at in range(50)]
    trees = [
        Leaves(tuple(one._replace(box={feature: one.box[0]}) for one in many), (("ill", "well"),), ("a", "b", "c"))
        for feature in range(3)
    ]
    assert "overlap in more than" in find_overlaps(trees, 2).undecided


# Lists of rules.


def rules(*counts):
    return Leaves.from_rules(
        [("age > 60", {"ill": 20, "well": 9}), ("", dict(zip(("ill", "well"), counts, strict=True)))]
    )


@pytest.mark.parametrize(("ill", "expected"), [(0, Verdict.RELEASE), (4, Verdict.WITHHOLD), (5, Verdict.RELEASE)])
def test_rules_are_judged_by_the_rows_that_each_is_the_first_to_hold_for(ill, expected):
    assert audit(rules(ill, 80), k=5).verdict is expected


def test_several_lists_of_rules_are_reviewed_at_best():
    assert audit([rules(10, 80), rules(10, 80)], k=5).verdict is Verdict.REVIEW


def test_no_rows_are_nothing_to_judge():
    assert audit(Leaves.from_rules([]), k=5).verdict is Verdict.WITHHOLD
    assert audit(Leaves.from_rules([("", {"ill": 0})]), k=5).verdict is Verdict.WITHHOLD


@pytest.mark.parametrize("count", [-1, 2.5, True, "3"])
def test_a_count_that_is_none_is_refused(count):
    with pytest.raises(InputError, match="rule 1"):
        Leaves.from_rules([("", {"ill": count})])


# What is refused, and how it is shown.


def test_a_tree_that_is_not_fitted_is_refused():
    with pytest.raises(InputError, match="not fitted"):
        audit(DecisionTreeClassifier(), k=5)


def test_an_estimator_that_is_no_tree_is_refused():
    with pytest.raises(OptionError, match="GradientBoostingClassifier"):
        audit(GradientBoostingClassifier(), k=5)


def test_options_of_itemsets_are_refused_for_trees():
    with pytest.raises(OptionError, match="itemsets"):
        audit(rules(9, 9), k=5, min_support=2)


def test_rows_are_refused_for_leaves_in_words():
    with pytest.raises(InputError, match="leave rows out"):
        audit(rules(9, 9), k=5, rows=[[1]])


def test_an_audit_reads_as_that_of_patterns_does():
    found = audit(rules(3, 80), k=5)
    assert repr(found) == "<Audit: WITHHOLD, 1 tree with 2 leaves, of 112 rows, k=5>"
    assert "  ✗ low counts  1 count below 5." in report.audit_text(found)
    assert "WITHHOLD" in found._repr_html_()


def test_more_findings_than_are_shown_are_counted():
    many = Leaves.from_rules([(f"rule {number}", {"ill": 1}) for number in range(12)])
    assert any("and 9 more" in line for line in report.audit_text(audit(many, k=5)))


def test_json_tells_every_finding():
    told = json.loads(b"".join(report.audit_json(audit(rules(3, 80), k=5))))
    assert told["verdict"] == "WITHHOLD"
    assert told["findings"] == [
        {"path": ["none of the rules before"], "outcome": "class ill", "low": 3, "high": 3, "trees": None}
    ]


def test_discreet_never_imports_scikit_learn():
    sources = Path(discreet.__file__).parent.rglob("*.py")
    assert [
        path.name for path in sources if re.search(r"^\s*(?:import|from) sklearn", path.read_text(), re.MULTILINE)
    ] == []
