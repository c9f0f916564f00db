"""Regression trees: a mean of few values is a count, so what it tells of 1 to k − 1 rows is found."""

from collections import Counter
from io import BytesIO, StringIO

import numpy as np
import oracle
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet import InputError, OptionError, Policy, Verdict, audit, read_tree, write_tree
from discreet.cli import main
from discreet.publications.trees.leaves import Leaf, Leaves, Mean

pytest.importorskip("sklearn", reason="scikit-learn comes with the extra test")

from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor, export_graphviz

WARD = np.repeat([0.0, 1.0], 20)[:, None]
"""Two wards of 20 people."""


@st.composite
def fits(draw, values=((0, 1), (0, 1, 2), (0, 1, 5), (0.5, 1.5, 2, 4))):
    """A regressor of depth one on up to 14 rows, its rows, targets and the values that they may take."""
    allowed = draw(st.sampled_from(values))
    n = draw(st.integers(2, 14))
    rows = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), dtype=float)[:, None]
    many = draw(st.sampled_from([allowed, allowed[:1] * 8 + allowed]))
    targets = np.array(draw(st.lists(st.sampled_from(many), min_size=n, max_size=n)), dtype=float)
    times = draw(st.sampled_from([1.0, 1.0, 1.25]))
    weights = times * np.array(draw(st.lists(st.sampled_from([1, 1, 1, 3]), min_size=n, max_size=n)))
    criterion = draw(st.sampled_from(["squared_error", "squared_error", "poisson"]))
    if criterion == "poisson" and not targets.any():
        targets[0] = allowed[-1]
    tree = DecisionTreeRegressor(max_depth=1, criterion=criterion, random_state=0).fit(rows, targets, weights)
    return tree, rows, targets, allowed, bool((weights == 1).all())


def leaves(tree, rows, targets):
    """The targets of each leaf."""
    reached = tree.apply(rows)
    return [targets[reached == leaf] for leaf in np.unique(reached)]


def moments(held):
    """The mean and the variance of targets."""
    mean = sum(held) / len(held)
    return mean, sum((one - mean) ** 2 for one in held) / len(held)


def drawn(tree, **look):
    file = StringIO()
    export_graphviz(tree, file, **look)
    return BytesIO(file.getvalue().encode())


@given(fits(), st.integers(1, 6))
def test_with_rows_and_targets_each_value_is_counted_whatever_the_weights(fit, k):
    tree, rows, targets, _, _ = fit
    small = [many for held in leaves(tree, rows, targets) for many in Counter(held.tolist()).values() if many < k]
    found = audit(tree, k=k, rows=rows, targets=targets)
    assert sorted(few.low for few in found.evidence.leaves) == sorted(small)
    is_no_group = k == 1 or k > len(rows)
    assert found.verdict is (Verdict.WITHHOLD if small else Verdict.REVIEW if is_no_group else Verdict.RELEASE)


@given(fits(), st.integers(1, 6))
def test_what_means_tell_of_few_rows_is_found_once_the_values_of_the_target_are_known(fit, k):
    tree, rows, targets, values, is_plain = fit
    found = audit(tree, k=k, targets=values)
    small = any(len(held) < k for held in leaves(tree, rows, targets))
    told, is_squared = [], tree.criterion == "squared_error"
    for held in leaves(tree, rows, targets) if is_plain else ():
        mean, error = moments(held)
        slack = 1e-9 if is_squared else np.inf
        same = lambda way: abs(moments(way)[0] - mean) < 1e-9 and abs(moments(way)[1] - error) < slack  # noqa: B023, E731
        told += oracle.inferred_targets(len(held), values, k, same)
    assert (found.verdict is Verdict.WITHHOLD) == bool(told or small)
    expected = Verdict.RELEASE if is_plain and k > 1 else Verdict.REVIEW
    is_open = is_plain and not is_squared and len(values) > 2
    assert is_open or found.verdict in {expected, Verdict.WITHHOLD}


@given(fits(), st.integers(1, 6))
def test_means_are_never_released_where_the_target_is_unknown(fit, k):
    tree, *_ = fit
    assert audit(tree, k=k).verdict is not Verdict.RELEASE


@given(fits(), st.integers(2, 6), st.integers(1, 3))
def test_a_drawing_of_means_is_judged_by_its_digits_and_never_released_without_the_rows(fit, k, digits):
    tree, rows, targets, values, is_plain = fit
    known = read_tree(drawn(tree, precision=digits), targets=values) if is_plain else read_tree(drawn(tree))
    found = audit(known, k=k)
    assert found.verdict is not Verdict.RELEASE
    told = []
    for held in leaves(tree, rows, targets) if is_plain and tree.criterion == "squared_error" else ():
        # Whatever is rounded alike is no farther away than one unit of the last digit.
        (mean, error), unit = moments(held), 10.0**-digits + 1e-6
        near = lambda way: max(abs(moments(way)[0] - mean), abs(moments(way)[1] - error)) <= unit  # noqa: B023, E731
        told += oracle.inferred_targets(len(held), values, k, near)
    assert bool(told) <= (found.verdict is Verdict.WITHHOLD)


@given(fits(), st.integers(1, 6))
def test_a_drawing_with_rows_and_targets_is_judged_as_the_tree_is(fit, k):
    tree, rows, targets, _, is_plain = fit
    assume(is_plain)
    table = np.column_stack([rows, targets])
    file = BytesIO(("feature,target\n" + "\n".join(f"{a},{b}" for a, b in table.tolist())).encode())
    known = read_tree(drawn(tree, precision=9, feature_names=["feature"]), rows=file, targets="target")
    assert audit(known, k=k).verdict is audit(tree, k=k, rows=rows, targets=targets).verdict


@given(fits(), st.integers(1, 6), st.sampled_from(["nothing", "values", "rows"]))
def test_a_written_tree_of_means_gives_the_same_audit(fit, k, given):
    tree, rows, targets, values, _ = fit
    options = {"nothing": {}, "values": {"targets": values}, "rows": {"rows": rows, "targets": targets}}[given]
    file = BytesIO()
    write_tree(tree, file, **options)
    file.seek(0)
    assert audit(read_tree(file), k=k).checks == audit(tree, k=k, **options).checks


@pytest.mark.parametrize("options", [{}, {"targets": [0, 1]}], ids=["unknown", "values"])
@pytest.mark.parametrize("policy", [Policy("k", k=5), "acro", "opensafely", "ukllc"], ids=str)
def test_one_person_of_twenty_is_withheld_by_every_policy(policy, options):
    ill = np.array([1] + [0] * 19 + [1] * 10 + [0] * 10)
    found = audit(DecisionTreeRegressor(max_depth=1).fit(WARD, ill), policy=policy, **options)
    assert found.verdict is Verdict.WITHHOLD
    assert "feature 0 ≤ 0.5: 1 row, class 1" in map(str, found.evidence.leaves)


def test_a_target_of_many_values_may_be_published():
    costs = np.linspace(0, 1, 40) ** 2
    tree = DecisionTreeRegressor(max_depth=1).fit(WARD, costs)
    assert audit(tree, k=10, rows=WARD, targets=costs).verdict is Verdict.RELEASE
    assert audit(tree, k=10, rows=WARD).verdict is Verdict.REVIEW
    assert audit(tree, k=10, targets=costs).verdict is Verdict.REVIEW


def test_few_rows_apart_from_the_commonest_of_many_values_are_withheld():
    costs = np.array([0.0] * 17 + [3.5, 4, 9] + list(range(20)))
    tree = DecisionTreeRegressor(max_depth=1).fit(WARD, costs)
    found = audit(tree, k=5, rows=WARD, targets=costs)
    assert [str(few) for few in found.evidence.leaves] == ["feature 0 ≤ 0.5: 3 rows, targets other than the commonest"]


def test_few_rows_of_several_values_are_told_together():
    leaf = Leaf(("a",), 20, means=(Mean(20, 0.1),))
    found = audit(Leaves((leaf,)), k=5, targets=[0, 1, 2])
    assert [str(few) for few in found.evidence.leaves] == ["a: 1 to 2 rows, target 1 or 2"]


def test_each_output_is_judged():
    targets = np.column_stack([np.repeat([0, 1], 20), [1] + [0] * 39])
    tree = DecisionTreeRegressor(max_depth=1).fit(WARD, targets)
    for options in ({"targets": [0, 1]}, {"rows": WARD, "targets": targets}):
        assert [str(few) for few in audit(tree, k=5, **options).evidence.leaves] == [
            "feature 0 ≤ 0.5: 1 row, class 1 of output 2"
        ]


def test_forests_of_few_values_are_judged_by_counts():
    ill = np.array([1] + [0] * 19 + [1] * 10 + [0] * 10)
    forest = ExtraTreesRegressor(2, max_depth=1, random_state=0).fit(WARD, ill)
    assert audit(forest, k=5, rows=WARD, targets=ill).verdict is Verdict.WITHHOLD
    assert audit(forest, k=5).verdict is Verdict.WITHHOLD
    well = np.array(([0] * 10 + [1] * 10) * 2)
    forest = ExtraTreesRegressor(2, max_depth=1, random_state=0).fit(WARD, well)
    assert audit(forest, k=5, rows=WARD, targets=well).verdict is Verdict.RELEASE
    assert audit(forest, k=5).verdict is Verdict.REVIEW
    sampled = RandomForestRegressor(2, max_depth=1, random_state=0).fit(WARD, well)
    assert audit(sampled, k=2, targets=[0, 1]).verdict is Verdict.REVIEW


def test_medians_are_reviewed_at_best_and_counted_with_their_targets():
    ill = np.array([1] + [0] * 19 + [1] * 20)
    tree = DecisionTreeRegressor(max_depth=1, criterion="absolute_error").fit(WARD, ill)
    assert audit(tree, k=5, targets=[0, 1]).verdict is Verdict.REVIEW
    assert audit(tree, k=5, rows=WARD, targets=ill).verdict is Verdict.WITHHOLD


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"targets": [0, 2]}, "no rows with these targets have"),
        ({"rows": WARD, "targets": np.zeros(40)}, "is not that of its targets"),
        ({"targets": ["a"]}, "targets are not numbers"),
        ({"targets": [0, float("nan")]}, "targets are not numbers"),
        ({"targets": []}, "targets are not numbers"),
    ],
    ids=["values", "rows", "text", "missing", "nothing"],
)
def test_targets_of_another_fit_are_refused(options, sentence):
    tree = DecisionTreeRegressor(max_depth=1).fit(WARD, np.array([1] + [0] * 39))
    with pytest.raises(InputError, match=sentence):
        audit(tree, k=5, **options)


def test_targets_are_for_trees_of_means():
    rules = Leaves.from_rules([("", {"ill": 9})])
    with pytest.raises(OptionError, match="this one has classes"):
        audit(rules, k=5, targets=[0, 1])
    with pytest.raises(OptionError, match="targets are for regression trees"):
        audit([["a"]], k=5, min_support=1, targets=[0, 1])


PMML = """<PMML><TreeModel functionName="regression"><Node recordCount="40" score="0.275"><True/>
<Node recordCount="20" score="0.05"><SimplePredicate field="ward" operator="lessOrEqual" value="0.5"/></Node>
<Node recordCount="20" score="0.5"><SimplePredicate field="ward" operator="greaterThan" value="0.5"/></Node>
</Node></TreeModel></PMML>"""


@pytest.mark.parametrize(("targets", "verdict"), [(None, Verdict.REVIEW), ([0, 1], Verdict.WITHHOLD)])
def test_means_in_pmml_are_judged_by_the_values_of_the_target(targets, verdict):
    assert audit(read_tree(BytesIO(PMML.encode()), targets=targets), k=5).verdict is verdict


@pytest.mark.parametrize(
    ("options", "verdict", "code"),
    [
        ([], "WITHHOLD", 1),
        (["--targets", "0,1"], "WITHHOLD", 1),
        (["--rows", "rows.csv", "--targets", "ill"], "WITHHOLD", 1),
        (["--rows", "rows.csv", "--targets", "age"], "are not the name of just one column", 2),
        (["--targets", "ill"], "give the rows, or the values that the target takes", 2),
        (["--targets", "0,nan"], "targets are not numbers", 2),
        (["--targets", "0,2"], "give all values that the target takes", 2),
    ],
    ids=["unknown", "values", "column", "no column", "no rows", "no number", "wrong"],
)
def test_targets_are_given_on_the_command_line(tmp_path, monkeypatch, options, verdict, code):
    monkeypatch.chdir(tmp_path)
    ill = [1] + [0] * 19 + [1] * 10 + [0] * 10
    tree = DecisionTreeRegressor(max_depth=1).fit(WARD, ill)
    (tmp_path / "tree.dot").write_bytes(drawn(tree, feature_names=["ward"]).getvalue())
    lines = [f"{ward},{one}" for ward, one in zip(WARD[:, 0].tolist(), ill, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["ward,ill", *lines]), encoding="utf-8")
    result = CliRunner().invoke(main, ["audit", "tree.dot", "--tree", "-k", "5", *options])
    assert result.exit_code == code
    assert verdict in result.output


def test_targets_are_not_for_rules(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_bytes(b"1 ==> 2 #SUP: 4 #CONF: 0.66\n")
    result = CliRunner().invoke(main, ["audit", str(path), "--rules", "-k", "5", "--targets", "0,1"])
    assert (result.exit_code, "--targets is not for rules" in result.output) == (2, True)


@pytest.mark.parametrize(
    "wrong",
    [
        '"means": [[20, 0.05]]',
        '"means": [[20, null, null]]',
        '"means": [[-1, 0.05, 0.1]]',
        '"means": [[20, 1e999, 0.1]]',
        '"means": 5',
        '"means": [[40, 0.05, 0.1]]',
        '"others": [21]',
        '"others": 3',
        '"others": ["3"]',
    ],
)
def test_means_in_json_that_are_none_are_refused(wrong):
    with pytest.raises(InputError, match="leaf 1 of tree 1 of the JSON has"):
        read_tree(BytesIO(f'{{"leaves": [{{"rows": 20, {wrong}}}]}}'.encode()))


@pytest.mark.parametrize("wrong", ['"targets": [["a"]]', '"targets": [[]]', '"targets": [[null]]', '"digits": 41'])
def test_targets_in_json_that_are_none_are_refused(wrong):
    with pytest.raises(InputError, match="tree 1 of the JSON has"):
        read_tree(BytesIO(f'{{"leaves": [{{"rows": 20}}], {wrong}}}'.encode()))


def test_many_ways_to_make_up_a_mean_are_left_for_review(monkeypatch):
    monkeypatch.setattr("discreet.publications.trees.targets.MOST_WAYS", 10_000)
    leaf = Leaf((), 10**6, means=(Mean(10**6, 0.5, 0.5),))
    assert audit(Leaves((leaf,)), k=5, targets=[0, 1, 2, 3]).verdict is Verdict.REVIEW
    leaf = Leaf((), 10**12, means=(Mean(10**12, 500.25),))
    assert audit(Leaves((leaf,)), k=5, targets=[0, 1000, 1001, 1003]).verdict is Verdict.REVIEW


@pytest.mark.parametrize("code", [1e6, 99_999_999, 1e9, -1e9])
def test_a_large_code_among_the_values_hides_no_row_where_none_has_it(code):
    targets = np.array([1.0] + [0.0] * 19 + [code] * 10 + [0.0] * 10)
    tree = DecisionTreeRegressor(max_depth=1).fit(WARD, targets)
    assert [few.low for few in audit(tree, k=5, rows=WARD, targets=[0, 1, code]).evidence.leaves] == [1]
