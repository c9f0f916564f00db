"""Files of trees: what a checker who has only the text, the drawing, the PMML or the JSON of a tree is told."""

import io
import json
import math
import os
from collections import Counter
from itertools import product
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import InputError, OptionError, OutputError, Policy, Verdict, audit
from discreet.cli import main
from discreet.io import stated_trees
from discreet.publications.trees import leaves as leaves_module
from discreet.publications.trees import reading
from discreet.publications.trees.json import write_tree
from discreet.publications.trees.leaves import Leaf, Leaves, find_overlaps
from discreet.publications.trees.reading import read_tree
from discreet.publications.trees.sklearn import BROKEN as BROKEN_COUNTS

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn", reason="scikit-learn comes with the extra test")

from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier  # noqa: E402 - only where there is one
from sklearn.tree import (  # noqa: E402
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    export_graphviz,
    export_text,
)

NAMES = ["age", "blood <= 3"]
CLASSES = ["ill", "well"]
few_examples = settings(max_examples=500 if os.environ.get("DISCREET_LARGE") else 25)


@st.composite
def fits(draw, kind=DecisionTreeClassifier):
    """A tree fitted on up to thirty rows of two features with few values, and these features."""
    n = draw(st.integers(2, 30))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=n, max_size=n))
    classes = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    features = pd.DataFrame(rows, columns=NAMES, dtype=float)
    target = classes if kind is DecisionTreeRegressor else [CLASSES[one] for one in classes]
    return kind(max_depth=draw(st.integers(1, 4)), random_state=0).fit(features, target), features


def read(text, **options):
    return read_tree(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options)


def found(result):
    return Counter(map(str, result.evidence.leaves))


def are_named_alike(ours, expected):
    """Whether the same is found, but for the names of classes that are the largest nowhere, which no file tells."""
    ours, expected = (
        Counter((few.path, few.low, few.high, few.outcome) for few in one.evidence.leaves) for one in (ours, expected)
    )
    unnamed = sum(count for (*_, outcome), count in ours.items() if "no. " in outcome)
    same = Counter(key[:3] for key in ours.elements()) == Counter(key[:3] for key in expected.elements())
    return same and (ours - expected).total() <= unnamed


def checks(result, *without):
    return [check for check in result.checks if check.name not in without]


def names_of(tree):
    return tree.classes_.tolist()


def in_counts(tree):
    """Whether the text tells counts for sure: weights that all add up to 1 may be shares."""
    return (tree.tree_.n_node_samples[tree.tree_.children_left < 0] > 1).any()


# Text, as scikit-learn prints it.


@few_examples
@given(fits(), st.integers(1, 6), st.integers(1, 3), st.integers(1, 5), st.booleans())
def test_the_audit_of_a_printed_tree_is_that_of_the_tree(fit, k, decimals, spacing, names):
    tree, _ = fit
    told = {"class_names": names_of(tree)} if names else {}
    text = export_text(tree, feature_names=NAMES, show_weights=True, decimals=decimals, spacing=spacing, **told)
    expected, ours = audit(tree, k=k), audit(read(text), k=k)
    assume(in_counts(tree))
    assert are_named_alike(ours, expected)
    assert checks(ours, "weights") == checks(expected)
    assert [check.verdict for check in ours.checks if check.name == "weights"] == [Verdict.REVIEW]


@pytest.mark.parametrize("k", [1, 2, 6])
def test_a_printed_tree_whose_weights_may_be_shares_is_withheld(k):
    tree = DecisionTreeClassifier(random_state=0).fit(pd.DataFrame([(0.0, 1.0), (1.0, 0.0)], columns=NAMES), CLASSES)
    assert not in_counts(tree)
    assert audit(read(export_text(tree, feature_names=NAMES, show_weights=True)), k=k).verdict is Verdict.WITHHOLD


@few_examples
@given(fits(), st.integers(1, 6))
def test_rows_tell_of_a_printed_tree_what_they_tell_of_the_tree(fit, k):
    tree, features = fit
    text = export_text(tree, feature_names=NAMES, show_weights=True)
    assume(in_counts(tree))
    expected, ours = audit(tree, k=k, rows=features), audit(read(text, rows=features), k=k)
    assert are_named_alike(ours, expected)
    assert ours.checks == expected.checks


STUMP = """|--- age <= {0}
|   |--- weights: [3.00, 9.00] class: well
|--- age >  {0}
|   |--- weights: [8.00, 0.00] class: ill
"""


def test_a_printed_tree_is_read_with_its_boxes_and_names():
    tree = read(STUMP.format("40.50"))
    assert tree.classes == (("ill", "well"),)
    assert tree.leaves == (
        Leaf(("age ≤ 40.5",), 12, ((3, 9),), {0: (-math.inf, 40.5)}),
        Leaf(("age > 40.5",), 8, ((8, 0),), {0: (40.5, math.inf)}),
    )


def test_weights_that_are_no_counts_are_withheld():
    told = audit(read(STUMP.format("40.50").replace("3.00", "3.25")), k=2)
    assert told.verdict is Verdict.WITHHOLD
    assert any("weights" in check.sentence for check in told.checks if check.name == "counts")


def test_shares_as_scikit_learn_1_3_printed_them_are_withheld():
    shares = STUMP.format("40.50").replace("[3.00, 9.00]", "[0.25, 0.75]").replace("[8.00, 0.00]", "[1.00, 0.00]")
    assert audit(read(shares), k=2).verdict is Verdict.WITHHOLD
    pure = shares.replace("[0.25, 0.75]", "[0.00, 1.00]")
    assert audit(read(pure), k=1).verdict is Verdict.WITHHOLD


def test_a_branch_that_is_cut_off_is_withheld():
    features = pd.DataFrame({"age": np.arange(40)})
    tree = DecisionTreeClassifier().fit(features, np.arange(40) // 10 % 2)
    assert "truncated" in (text := export_text(tree, show_weights=True, max_depth=1))
    assert audit(read(text), k=2).verdict is Verdict.WITHHOLD


def test_a_class_that_is_the_largest_nowhere_goes_by_its_place():
    tree = read("|--- weights: [9.00, 3.00] class: well\n")
    assert [str(few) for few in audit(tree, k=5).evidence.leaves] == ["any row: 3 rows, class no. 2"]


def test_names_of_classes_that_contradict_are_withheld():
    wrong = STUMP.format("40.50").replace("9.00] class: well", "0.00] class: well")
    assert audit(read(wrong), k=2).verdict is Verdict.WITHHOLD


def test_thresholds_that_were_rounded_until_they_met_tell_no_box():
    text = """|--- age <= 40
|   |--- age <= 40
|   |   |--- weights: [9.00] class: ill
|   |--- age >  40
|   |   |--- weights: [8.00] class: ill
|--- age >  40
|   |--- weights: [7.00] class: ill
"""
    assert [leaf.box for leaf in read(text).leaves][1] is None


def test_rows_that_lie_within_the_rounding_of_a_threshold_are_refused():
    rows = pd.DataFrame({"age": [30.0] * 12 + [41] * 8})
    assert read(STUMP.format("40.50"), rows=rows).doubt == ""
    with pytest.raises(InputError, match="more digits"):
        read(STUMP.format("41"), rows=rows)


def test_a_threshold_without_end_tells_no_box():
    tree = read(STUMP.format("inf"))
    assert [leaf.box for leaf in tree.leaves] == [{0: (-math.inf, math.inf)}, None]


def stump_at(limit, young, old):
    lines = [f"weights: [{', '.join(f'{count}.00' for count in counts)}] class: ill" for counts in (young, old)]
    return f"|--- age <= {limit}.00\n|   |--- {lines[0]}\n|--- age >  {limit}.00\n|   |--- {lines[1]}\n"


def test_several_printed_trees_are_judged_together():
    texts = stump_at(40, (20,), (43,)), stump_at(50, (23,), (40,))
    assert [str(few) for few in audit(read("\n".join(texts)), k=5).evidence.leaves] == [
        "40 < age ≤ 50: 3 rows, class ill"
    ]
    assert found(audit([read(text) for text in texts], k=5)) == found(audit(read("\n".join(texts)), k=5))


def test_trees_of_two_files_are_aligned_by_the_names_of_features():
    def tree(names, feature, limit, counts):
        boxes = {feature: (-math.inf, limit)}, {feature: (limit, math.inf)}
        leaves = (Leaf(("",), count, ((count,),), box) for count, box in zip(counts, boxes, strict=True))
        return Leaves(tuple(leaves), (("ill",),), names)

    told = find_overlaps([tree(("sex", "age"), 1, 40.0, (20, 43)), tree(("age", "sex"), 0, 50.0, (23, 40))], 5)
    assert [str(few) for few in told.few] == ["40 < age ≤ 50: 3 rows, class ill"]
    assert not find_overlaps([tree(("sex", "age"), 1, 40.0, (20, 43)), tree(("pulse",), 0, 50.0, (23, 40))], 5).few


# Drawings, as scikit-learn writes them for Graphviz.

LOOKS = {
    "plain": {},
    "ornate": {"special_characters": True, "filled": True, "rounded": True, "node_ids": True},
    "turned": {"impurity": False, "rotate": True, "leaves_parallel": True},
}


@few_examples
@given(fits(), st.integers(1, 6), st.sampled_from(sorted(LOOKS)))
def test_the_audit_of_a_drawn_tree_is_that_of_the_tree(fit, k, look):
    tree, features = fit
    text = export_graphviz(tree, feature_names=NAMES, class_names=names_of(tree), **LOOKS[look])
    for rows in (None, features):
        expected, ours = audit(tree, k=k, rows=rows), audit(read(text, rows=rows), k=k)
        assert are_named_alike(ours, expected)
        assert ours.checks == expected.checks


@few_examples
@given(fits(), st.integers(1, 6))
def test_shares_of_up_to_thirty_rows_are_counts_again_or_withheld(fit, k):
    tree, features = fit
    text = export_graphviz(tree, feature_names=NAMES, class_names=names_of(tree), proportion=True)
    expected, ours = audit(tree, k=k), audit(read(text, n=len(features)), k=k)
    is_refused = bool(ours.candidate[0].fault)  # all shares happen to have few digits
    assert is_refused <= (ours.verdict is Verdict.WITHHOLD)
    assert is_refused or (are_named_alike(ours, expected) and checks(ours, "weights") == checks(expected))


@few_examples
@given(fits(DecisionTreeRegressor), st.integers(1, 6))
def test_the_audit_of_a_drawn_tree_of_means_is_that_of_the_tree(fit, k):
    tree, _ = fit
    policy = Policy("strict", k=k, zeros=Verdict.WITHHOLD)
    expected, ours = audit(tree, policy=policy), audit(read(export_graphviz(tree, feature_names=NAMES)), policy=policy)
    assert (found(ours), ours.checks) == (found(expected), expected.checks)


def test_a_drawing_of_medians_says_so():
    features = pd.DataFrame({"age": np.arange(20)})
    tree = DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(features, np.arange(20))
    assert read(export_graphviz(tree)).is_median


def test_a_drawing_that_does_not_say_whether_it_tells_means_may_tell_medians():
    features = pd.DataFrame({"age": np.arange(20)})
    tree = DecisionTreeRegressor(max_depth=1).fit(features, np.arange(20))
    assert not read(export_graphviz(tree)).is_median
    assert read(export_graphviz(tree, impurity=False)).is_median


def aged(n=90):
    features = pd.DataFrame({"age": np.repeat([20.0, 45.0, 60.0], n // 3), "sex": np.arange(n) % 2})
    return features, np.where((features["age"] > 30) ^ (features["sex"] == 0), "ill", "well")


def test_shares_that_are_rounded_too_far_are_withheld():
    tree = DecisionTreeClassifier(max_depth=1).fit(*aged(90_000))
    text = export_graphviz(tree, proportion=True, precision=1, class_names=["ill", "well"])
    assert audit(read(text, n=90_000), k=2).verdict is Verdict.WITHHOLD


def test_shares_beside_counts_of_rows_are_read_as_scikit_learn_1_3_wrote_them():
    text = 'digraph Tree {{\n0 [label="samples = {}\\nvalue = [0.25, 0.75]\\nclass = well"] ;\n}}'
    assert read(text.format(12)).leaves[0].counts == ((3, 9),)
    assert audit(read(text.format(13)), k=2).verdict is Verdict.WITHHOLD


@pytest.mark.parametrize(("rows", "fault"), [(30, ""), (31, BROKEN_COUNTS)])
def test_a_node_has_the_rows_of_its_children(rows, fault):
    label = '{} [label="{}squared_error = 0.25\\nsamples = {}\\nvalue = 0.5"] ;'
    nodes = [label.format(0, "age <= 1.5\\n", rows), label.format(1, "", 12), label.format(2, "", 18)]
    assert read(DOT.format("\n".join([*nodes, "0 -> 1 ;", "0 -> 2 ;"]))).fault == fault


def test_shares_that_are_rounded_to_whole_numbers_are_withheld():
    tree = DecisionTreeClassifier(max_depth=1).fit(pd.DataFrame({"age": [0] * 9 + [1] * 9}), [0] * 8 + [1] + [0] * 9)
    text = export_graphviz(tree, proportion=True, precision=0)
    assert text.count("value = [1.0, 0.0]") == 3
    assert audit(read(text, n=18), k=2).verdict is Verdict.WITHHOLD


def test_rows_do_not_show_that_shares_of_classes_are_those_of_rows():
    features = pd.DataFrame({"age": [0.0] * 12})
    weighted = DecisionTreeClassifier().fit(features, ["ill", "well"] * 6, sample_weight=[0.5, 1.5] * 6)
    text = export_graphviz(weighted, proportion=True, class_names=CLASSES)
    ours = read(text, n=12, rows=features)
    assert ours.leaves[0].counts == ((3, 9),)
    assert audit(ours, k=2).verdict is Verdict.REVIEW


@pytest.mark.parametrize("given", [False, True])
def test_weights_that_were_rounded_to_whole_numbers_are_for_review(given):
    features = pd.DataFrame({"visits": [0.0] * 10 + [2.0] * 10})
    classes, weights = [0] * 5 + [1] * 5 + [0] * 2 + [1] * 8, [0.96, 1.04] * 10
    tree = DecisionTreeClassifier(max_depth=1).fit(features, classes, weights)
    for text in (
        export_graphviz(tree, precision=0, feature_names=["visits"]),
        export_text(tree, decimals=0, show_weights=True, feature_names=["visits"]),
    ):
        ours = audit(read(text, rows=features if given else None), k=2)
        assert {check.name: check.verdict for check in ours.checks}["weights"] is Verdict.REVIEW


@pytest.mark.parametrize(
    "more",
    [
        'node [shape=box] ; 7 [label="samples = 1"] ;',
        '0 -> 1 [labelangle=45] ; 7 [label="samples = 1"] ;',
        'rankdir=LR ; 7 [label="samples = 1"] ;',
        '1 [label="samples = 12\\nvalue = [3, 9]\\nclass = ill"] 7 [label="samples = 1"] ;',
        "1 [label=<samples = 12<br/>value = [3, 9]<br/>class = ill>] 7 [label=<samples = 1>] ;",
    ],
)
def test_no_node_of_a_drawing_is_overlooked(more):
    with pytest.raises(InputError, match="line 3"):
        read(DOT.format(NODE + "\n" + more))


def test_a_drawing_that_is_cropped_tells_what_it_shows():
    features, classes = aged()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(features, classes)
    cropped = DecisionTreeClassifier(max_depth=1, random_state=0).fit(features, classes)
    text = export_graphviz(tree, feature_names=list(features), class_names=["ill", "well"], max_depth=1)
    assert "(...)" in text
    assert read(text).leaves == read(export_graphviz(cropped, feature_names=list(features), class_names=CLASSES)).leaves
    assert len(read(text).splits) > len(
        read(export_graphviz(cropped, feature_names=list(features), class_names=CLASSES)).splits
    )


def test_drawn_trees_of_samples_and_weights_are_withheld():
    features, classes = aged()
    forest = RandomForestClassifier(n_estimators=1, max_depth=1, random_state=0).fit(features, classes)
    weighted = DecisionTreeClassifier(max_depth=1, class_weight="balanced").fit(features[1:], classes[1:])
    for tree in (forest.estimators_[0], weighted):
        assert audit(read(export_graphviz(tree)), k=2).verdict is Verdict.WITHHOLD


def test_a_drawn_forest_is_judged_as_the_forest_is():
    features, classes = aged()
    forest = ExtraTreesClassifier(n_estimators=3, max_depth=2, random_state=0).fit(features, classes)
    text = "\n".join(
        export_graphviz(tree, feature_names=list(features), class_names=CLASSES) for tree in forest.estimators_
    )
    rows = io.BytesIO(features.to_csv(index=False).encode())
    expected, ours = audit(forest, k=5, rows=features), audit(read(text, rows=rows), k=5)
    assert found(ours) == found(expected)
    assert checks(ours, "thresholds") == checks(expected, "thresholds")


def test_names_with_quotes_are_read_as_they_are():
    tree = DecisionTreeClassifier().fit(pd.DataFrame({'the "age"': [1, 2] * 9}), [0, 1] * 9)
    text = export_graphviz(tree, feature_names=['the "age"'], class_names=["0", "1"])
    assert read(text).names == ('the "age"',)


# PMML.


def pmml(tree, names):
    """A fitted tree as PMML has it, from its definition."""
    nodes, lines = tree.tree_, []

    def node(at, predicate):
        lines.append(f'<Node id="{at}" recordCount="{nodes.n_node_samples[at]}">{predicate}')
        counts = np.rint(nodes.value[at][0] * nodes.n_node_samples[at]).astype(int)
        for label, count in zip(tree.classes_, counts, strict=True):
            lines.append(f'<ScoreDistribution value={quoteattr(str(label))} recordCount="{count}"/>')
        if nodes.children_left[at] >= 0:
            field, value = quoteattr(names[nodes.feature[at]]), float(nodes.threshold[at])
            for child, sign in ((nodes.children_left[at], "lessOrEqual"), (nodes.children_right[at], "greaterThan")):
                node(child, f'<SimplePredicate field={field} operator="{sign}" value="{value!r}"/>')
        lines.append("</Node>")

    node(0, "<True/>")
    fields = "".join(f"<MiningField name={quoteattr(name)}/>" for name in names)
    return f'<TreeModel functionName="classification"><MiningSchema>{fields}</MiningSchema>{"".join(lines)}</TreeModel>'


def document(*models):
    return f'<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">{"".join(models)}</PMML>'


@few_examples
@given(fits(), st.integers(1, 6))
def test_the_audit_of_a_tree_in_pmml_is_that_of_the_tree(fit, k):
    tree, features = fit
    text = document(pmml(tree, NAMES))
    assert found(audit(read(text), k=k)) == found(audit(tree, k=k))
    expected, ours = audit(tree, k=k, rows=features), audit(read(text, rows=features), k=k)
    assert (found(ours), ours.checks) == (found(expected), expected.checks)


def test_a_forest_in_pmml_is_judged_as_the_forest_is():
    features, classes = aged()
    forest = ExtraTreesClassifier(n_estimators=3, max_depth=1, random_state=0).fit(features, classes)
    trees = [pmml(tree, list(features)).replace('"0.0"', '"ill"') for tree in forest.estimators_]
    segments = "".join(f"<Segment><True/>{tree}</Segment>" for tree in trees)
    mined = f'<MiningModel><Segmentation multipleModelMethod="majorityVote">{segments}</Segmentation></MiningModel>'
    expected, ours = audit(forest, k=5, rows=features), audit(read(document(mined), rows=features), k=5)
    assert [check.verdict for check in checks(ours, "thresholds")] == [
        check.verdict for check in checks(expected, "thresholds")
    ]


RPART = """<TreeModel modelName="rpart" noTrueChildStrategy="returnLastPrediction" functionName="classification">
<Node id="1" score="well" recordCount="40" defaultChild="3"><True/>
<ScoreDistribution value="ill" recordCount="13" confidence="0.325"/>
<ScoreDistribution value="well" recordCount="27" confidence="0.675"/>
<Node id="2" score="ill" recordCount="12">
<CompoundPredicate booleanOperator="surrogate"><SimplePredicate field="age" operator="lessThan" value="40.5"/>
<SimplePredicate field="pulse" operator="greaterOrEqual" value="80"/></CompoundPredicate>
<ScoreDistribution value="ill" recordCount="9" confidence="0.75"/>
<ScoreDistribution value="well" recordCount="3" confidence="0.25"/></Node>
<Node id="3" score="well" recordCount="28">
<CompoundPredicate booleanOperator="surrogate"><SimplePredicate field="age" operator="greaterOrEqual" value="40.5"/>
<SimplePredicate field="pulse" operator="lessThan" value="80"/></CompoundPredicate>
<ScoreDistribution value="ill" recordCount="4" confidence="0.143"/>
<ScoreDistribution value="well" recordCount="24" confidence="0.857"/></Node>
</Node></TreeModel>"""


def test_a_tree_of_rpart_is_read_by_its_first_tests():
    told = audit(read(document(RPART)), k=5)
    assert [str(few) for few in told.evidence.leaves] == [
        "age < 40.5: 3 rows, class well",
        "age ≥ 40.5: 4 rows, class ill",
    ]


def test_rows_at_a_threshold_go_where_the_sign_says():
    rows = pd.DataFrame({"age": [40.5 - 1] * 12 + [40.5] * 28})
    assert read(document(RPART), rows=rows).splits[0].held == 12


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        ('<SimplePredicate field="sex" operator="equal" value="f"/>', ("sex = f",)),
        ('<SimplePredicate field="age" operator="isMissing"/>', ("age is missing",)),
        (
            (
                '<SimpleSetPredicate field="blood" booleanOperator="isIn"><Array type="string">A AB</Array>'
                "</SimpleSetPredicate>"
            ),
            ("blood in {A AB}",),
        ),
        (
            (
                '<CompoundPredicate booleanOperator="and">'
                '<SimplePredicate field="age" operator="greaterThan" value="4"/>'
                '<SimplePredicate field="age" operator="lessOrEqual" value="9"/></CompoundPredicate>'
            ),
            ("4 < age ≤ 9",),
        ),
        (
            (
                '<CompoundPredicate booleanOperator="or">'
                '<SimplePredicate field="age" operator="greaterThan" value="4"/>'
                '<SimplePredicate field="sex" operator="notEqual" value="f"/></CompoundPredicate>'
            ),
            ("(age > 4 or sex ≠ f)",),
        ),
        ("<False/>", ("never",)),
    ],
    ids=["equal", "missing", "set", "and", "or", "false"],
)
def test_predicates_are_told_in_words(predicate, words):
    node = '<Node recordCount="{}">{}{}</Node>'
    inner = node.format(9, predicate, "") + node.format(8, "<True/>", "")
    tree = read(document(f"<TreeModel>{node.format(17, '<True/>', inner)}</TreeModel>"))
    assert tree.leaves[0].path == words
    assert (tree.leaves[0].box is None) == (predicate.count("lessOrEqual") == 0)
    assert tree.leaves[1].path == ("none of the branches before",)


def test_branches_are_taken_in_their_order():
    node = '<Node recordCount="{}"><SimplePredicate field="age" operator="lessOrEqual" value="{}"/></Node>'
    inner = node.format(9, 30) + node.format(8, 40) + '<Node recordCount="7"><True/></Node>'
    tree = read(document(f'<TreeModel><Node recordCount="24"><True/>{inner}</Node></TreeModel>'))
    assert [leaf.path for leaf in tree.leaves] == [("age ≤ 30",), ("30 < age ≤ 40",), ("age > 40",)]


def test_the_second_of_two_branches_may_be_the_rest():
    rest = RPART.replace('operator="greaterOrEqual" value="40.5"', 'operator="x"')
    start = rest.index('<Node id="3"')
    first, last = rest.index("<CompoundPredicate", start), rest.index("</CompoundPredicate>", start)
    rest = rest[:first] + "<True/>" + rest[last + len("</CompoundPredicate>") :]
    assert read(document(rest)).leaves == read(document(RPART)).leaves


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('id="1" score="well" recordCount="40"', 'id="1" score="well"'),
        ('recordCount="9"', 'recordCount="8"'),
        ('recordCount="12"', 'recordCount="12.5"'),
        ('id="1" score="well" recordCount="40"', 'id="1" score="well" recordCount="41"'),
        (
            'recordCount="40" defaultChild="3"><True/>\n<ScoreDistribution value="ill" recordCount="13"',
            'recordCount="41" defaultChild="3"><True/>\n<ScoreDistribution value="ill" recordCount="14"',
        ),
        (
            'value="ill" recordCount="13" confidence="0.325"/>\n<ScoreDistribution value="well" recordCount="27"',
            'value="ill" recordCount="14" confidence="0.325"/>\n<ScoreDistribution value="well" recordCount="26"',
        ),
        (
            (
                '<ScoreDistribution value="ill" recordCount="9" confidence="0.75"/>\n'
                '<ScoreDistribution value="well" recordCount="3" confidence="0.25"/>'
            ),
            "",
        ),
    ],
    ids=["staying", "counts", "weights", "sum", "rows below", "counts below", "some"],
)
def test_pmml_whose_counts_cannot_be_told_is_withheld(old, new):
    assert old in RPART
    assert audit(read(document(RPART.replace(old, new))), k=2).verdict is Verdict.WITHHOLD


# JSON, our own.


def estimators():
    features, classes = aged()
    both = np.column_stack([classes, features["sex"]])
    yield DecisionTreeClassifier(max_depth=2, random_state=0).fit(features, classes), features
    yield DecisionTreeClassifier(max_depth=1, random_state=0).fit(features, both), None
    yield DecisionTreeClassifier(class_weight="balanced").fit(features, classes), None
    yield DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(features, features["age"]), None
    yield RandomForestClassifier(n_estimators=2, random_state=0).fit(features, classes), None
    yield ExtraTreesClassifier(n_estimators=2, max_depth=1, random_state=0).fit(features, classes), None


def round_trip(tree, **options):
    file = io.BytesIO()
    write_tree(tree, file, **options)
    return read(file.getvalue())


@pytest.mark.parametrize("number", range(6))
def test_leaves_that_were_written_give_the_same_audit(number):
    tree, rows = list(estimators())[number]
    policy = Policy("strict", k=20, zeros=Verdict.REVIEW, round_to=5)
    expected, ours = audit(tree, policy=policy, rows=rows), audit(round_trip(tree, rows=rows), policy=policy)
    assert (found(ours), ours.checks) == (found(expected), expected.checks)


@few_examples
@given(fits(), st.integers(1, 6))
def test_leaves_are_written_and_read_as_they_are(fit, k):
    tree, features = fit
    expected, ours = audit(tree, k=k, rows=features), audit(round_trip(tree, rows=features), k=k)
    assert (found(ours), ours.checks) == (found(expected), expected.checks)
    assert ours.candidate[0].leaves == expected.candidate[0].leaves


def test_what_is_written_twice_is_the_same():
    first = io.BytesIO()
    write_tree(round_trip(next(estimators())[0]), first)
    second = io.BytesIO()
    write_tree(round_trip(read(first.getvalue())), second)
    assert first.getvalue() == second.getvalue()


def test_rules_are_judged_by_the_rows_that_each_is_the_first_to_hold_for():
    rules = [{"if": ["age > 60"], "counts": {"ill": 20, "well": 9}}, {"counts": {"ill": 3, "well": 80}}]
    told = audit(read(json.dumps({"rules": rules})), k=5)
    assert [str(few) for few in told.evidence.leaves] == ["none of the rules before: 3 rows, class ill"]


def test_leaves_need_no_more_than_counts():
    told = audit(read('{"leaves": [{"if": "age > 60", "counts": {"ill": 3, "well": 9}}]}'), k=5)
    assert [str(few) for few in told.evidence.leaves] == ["age > 60: 3 rows, class ill"]


def test_labels_that_are_one_text_are_not_written():
    with pytest.raises(OutputError, match="look alike"):
        write_tree(Leaves.from_rules([("", {1: 9, "1": 9})]), io.BytesIO())


# What is refused.

DOT = "digraph Tree {{\n{}\n}}"
NODE = '0 [label="samples = 12\\nvalue = [3, 9]"] ;'
WRONG = {
    "no tree": b"age,sex\n40,1\n",
    "pickle": b"\x80\x04\x95",
    "empty": b"",
    "blank": b"|",
    "NUL": b"|--- age\0",
    "no UTF-8": b"|--- \xff <= 1.0\n",
    "no weights": b"|--- class: ill\n",
    "means": b"|--- value: [3.20]\n",
    "unclosed": STUMP.format("40.50").encode().rsplit(b"|--- age", 1)[0],
    "one branch": STUMP.format("40.50").encode().replace(b"age >", b"sex >"),
    "indented": STUMP.format("40.50").encode().replace(b"|   |--- weights: [3", b"|   |   |--- weights: [3"),
    "number": STUMP.format("4x").encode(),
    "long number": STUMP.format("4" * 100_000).encode(),
    "count": STUMP.format("40.50").encode().replace(b"3.00", b"three"),
    "negative": STUMP.format("40.50").encode().replace(b"3.00", b"-3.00"),
    "huge": STUMP.format("40.50").encode().replace(b"3.00", b"3" * 40),
    "classes": STUMP.format("40.50").encode().replace(b"[3.00, 9.00]", b"[3.00]"),
    "after": STUMP.format("40.50").encode() + b"|--- age >  40.50\n",
    "no node": DOT.format("").encode(),
    "no end": DOT.format(NODE).encode()[:-1],
    "other graph": b"digraph G {\na -> b;\n}",
    "no samples": DOT.format('0 [label="12\\n[3, 9]"] ;').encode(),
    "several outputs": DOT.format(NODE.replace("[3, 9]", "[[3, 9]\\n[4, 8]]")).encode(),
    "twice": DOT.format(NODE + "\n" + NODE).encode(),
    "loop": DOT.format(NODE + "\n0 -> 0 ;").encode(),
    "orphan": DOT.format(NODE + "\n" + NODE.replace("0 [", "1 [")).encode(),
    "half": DOT.format(NODE.replace("samples", "a <= 1\\nsamples")).encode(),
    "no XML": b"<PMML",
    "entities": b'<!DOCTYPE PMML [<!ENTITY a "b">]><PMML/>',
    "no model": b"<PMML/>",
    "no root": b"<PMML><TreeModel/></PMML>",
    "no counts": b"<PMML><TreeModel><Node><True/></Node></TreeModel></PMML>",
    "root": document(RPART.replace("<True/>", "<False/>")).encode(),
    "wide": document(
        "<TreeModel><Node><True/>"
        + "".join(
            f'<Node recordCount="9"><SimplePredicate field="a" operator="lessThan" value="{at}"/></Node>'
            for at in range(102)
        )
        + "</Node></TreeModel>"
    ).encode(),
    "no predicate": b'<PMML><TreeModel><Node recordCount="9"/></TreeModel></PMML>',
    "operator": document(RPART.replace("lessThan", "near")).encode(),
    "field": document(RPART.replace('field="age"', "")).encode(),
    "threshold": document(RPART.replace("40.5", "young")).encode(),
    "size": document(RPART.replace('recordCount="12"', 'recordCount="many"')).encode(),
    "class twice": document(RPART.replace('value="ill"', 'value="well"')).encode(),
    "segment": document(f"<MiningModel><Segment><False/>{RPART}</Segment></MiningModel>").encode(),
    "no JSON": b"{",
    "other JSON": b'{"patterns": []}',
    "no trees": b'{"trees": []}',
    "count in JSON": b'{"leaves": [{"counts": {"ill": 2.5}}]}',
    "true": b'{"leaves": [{"rows": true}]}',
    "names": b'{"leaves": [{"counts": {"ill": 2}, "conts": 1}]}',
    "name twice": b'{"leaves": [{"counts": {"ill": 2, "ill": 9}}]}',
    "sum": b'{"leaves": [{"rows": 9, "counts": {"ill": 2}}]}',
    "some counts": b'{"leaves": [{"rows": 9, "counts": {"ill": 9}}, {"rows": 9}]}',
    "box": b'{"features": ["age"], "leaves": [{"rows": 9, "box": {"sex": [0, 1]}}]}',
    "limit": b'{"features": ["age"], "leaves": [{"rows": 9, "box": {"age": [NaN, 1]}}]}',
    "thresholds": b'{"leaves": [{"rows": 9}], "thresholds": [40.5]}',
    "held": b'{"leaves": [{"rows": 9}], "thresholds": [["age", 40.5, -1]]}',
    "no counts in JSON": b'{"leaves": [{"counts": []}]}',
    "object for rows": b'{"leaves": [{"rows": {}}]}',
    "condition": b'{"leaves": [{"rows": 9, "if": [1]}]}',
    "kind": b'{"leaves": [{"rows": 9}], "sample": "no"}',
    "rule": b'{"rules": [{"if": "age > 60"}]}',
    "rule's count": b'{"rules": [{"counts": {"ill": -1}}]}',
    "long integer": b'{"leaves": [{"rows": ' + b"9" * 5000 + b"}]}",
    "no text": b'{"leaves": [{"if": "\\ud800", "rows": 9}]}',
    "deep JSON": b'{"leaves": ' + b"[" * 100_000,
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_tree_is_refused_in_one_sentence(name):
    with pytest.raises(InputError) as error:
        read(WRONG[name])
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def deep_dot(levels, *, names):
    """A chain of tests, of which every first branch is a leaf of five rows."""
    lines, at, rows = [], 0, 5 * (levels + 1)
    label = '{} [label="{}samples = {}\\nvalue = [{}]\\nclass = ill"] ;'
    for level in range(levels):
        lines.append(label.format(at, f"{names(level)} <= {level}\\n", rows, rows))
        lines += [f"{at - 2} -> {at} ;"] * (at > 0)
        lines += [label.format(at + 1, "", 5, 5), f"{at} -> {at + 1} ;"]
        at, rows = at + 2, rows - 5
    return DOT.format("\n".join([*lines, label.format(at, "", rows, rows), f"{at - 2} -> {at} ;"]))


def test_a_very_deep_tree_is_read():
    tree = read(deep_dot(2_000, names=lambda _: "age"))
    assert len(tree.leaves) == 2_001
    assert tree.leaves[-1].path == ("age > 1999",)


def test_a_very_deep_tree_of_as_many_features_is_refused(monkeypatch):
    monkeypatch.setattr(reading, "MOST_CONDITIONS", 100_000)
    with pytest.raises(InputError, match="conditions"):
        read(deep_dot(500, names=lambda level: f"x{level}"))


def test_long_names_on_the_ways_to_many_leaves_are_refused(monkeypatch):
    monkeypatch.setattr(reading, "MOST_LETTERS", 100_000)
    with pytest.raises(InputError, match="letters"):
        read(deep_dot(50, names=lambda level: f"x{level}" * 100))


def classes_of_their_own(many):
    """Files of as many leaves as classes, each class in one leaf."""
    leaves = [{"counts": {f"class {at}": 9}} for at in range(many)]
    nodes = "".join(
        f'<Node><SimplePredicate field="a" operator="equal" value="{at}"/>'
        f'<ScoreDistribution value="{at}" recordCount="9"/></Node>'
        for at in range(many)
    )
    return (
        json.dumps({"leaves": leaves}),
        json.dumps({"rules": leaves}),
        document(f"<TreeModel><Node><True/>{nodes}</Node></TreeModel>"),
    )


def test_many_leaves_with_classes_of_their_own_are_refused(monkeypatch):
    monkeypatch.setattr(stated_trees, "MOST_COUNTS", 120)
    for small, large in zip(classes_of_their_own(10), classes_of_their_own(11), strict=True):
        assert read(small).rows == 90
        with pytest.raises(InputError, match="too many counts"):
            read(large)


def test_large_boxes_and_many_outputs_are_read_quickly():
    names = [f"x{at}" for at in range(8_000)]
    box = read(json.dumps({"features": names, "leaves": [{"rows": 9, "box": {name: [0, 1] for name in names}}] * 2}))
    assert len(box.leaves[1].box) == len(names)
    leaves = [{"counts": [{}] * 8_000, "rows": 9}, *[{"rows": 9}] * 8_000]
    assert len(read(json.dumps({"fault": "none", "leaves": leaves})).classes) == 8_000


def test_trees_whose_leaves_never_overlap_are_for_review():
    trees = [{"features": ["a"], "leaves": [{"counts": {"x": 9}, "box": {"a": [at, at + 1]}}]} for at in (0, 1)]
    check = next(one for one in audit(read(json.dumps({"trees": trees})), k=5).checks if one.name == "several trees")
    assert check.verdict is Verdict.REVIEW


@pytest.mark.parametrize("limit", ["MOST_PAIRS", "MOST_TREES", "LARGEST", "MOST_SOLVED"])
def test_trees_that_are_too_much_to_take_together_are_for_review(monkeypatch, limit):
    trees = read("\n".join([stump_at(40, (20, 20), (43, 43)), stump_at(50, (23, 20), (40, 43))]))
    assert len(find_overlaps(trees, 5).few) == 1
    monkeypatch.setattr(leaves_module, limit, 1 if limit != "MOST_SOLVED" else -1)
    assert not find_overlaps(trees, 5).few
    assert find_overlaps(trees, 5).undecided


def test_nodes_of_pmml_may_be_nested_deeply():
    levels = 10_000
    text = document("<TreeModel>" + '<Node recordCount="9"><True/>' * levels + "</Node>" * levels + "</TreeModel>")
    assert [leaf.rows for leaf in read(text).leaves] == [9]


def test_conditions_of_pmml_that_are_nested_deeply_are_refused():
    levels = 10_000
    inner = '<CompoundPredicate booleanOperator="and">' * levels + "</CompoundPredicate>" * levels
    with pytest.raises(InputError, match="nested"):
        read(document(f'<TreeModel><Node recordCount="9">{inner}</Node></TreeModel>'))


def test_an_unknown_format_is_refused():
    with pytest.raises(OptionError, match="text, dot, pmml, json"):
        read("|", format="pickle")


def test_n_must_be_the_number_of_rows():
    for text in (STUMP.format("40.50"), '{"leaves": [{"rows": 20}]}'):
        assert audit(read(text, n=20), k=1).candidate[0].rows == 20
        with pytest.raises(InputError, match="20 rows"):
            read(text, n=21)


def test_shares_of_rows_need_their_number():
    tree = DecisionTreeClassifier(max_depth=1).fit(*aged())
    with pytest.raises(InputError, match="n="):
        read(export_graphviz(tree, proportion=True))


@pytest.mark.parametrize(
    "rows",
    [
        pd.DataFrame({"sex": [1] * 20}),
        pd.DataFrame({"age": ["young"] * 20}),
        pd.DataFrame({"age": [30.0] * 13 + [50] * 7}),
        pd.DataFrame({"age": [30.0] * 11 + [np.nan] + [50] * 8}),
        np.zeros((20, 1)),
        io.BytesIO(b"age,age\n1,2\n"),
        io.BytesIO(b"age,sex\n1\n"),
    ],
    ids=["columns", "text", "others", "missing", "matrix", "twice", "fields"],
)
def test_rows_that_the_tree_was_not_fitted_on_are_refused(rows):
    with pytest.raises(InputError):
        read(STUMP.format("40.50"), rows=rows)


@pytest.mark.parametrize("threshold", ["40.50", "-inf"])
def test_values_that_32_bits_cannot_hold_are_followed_without_a_warning(threshold):
    rows = io.BytesIO(b"age\n" + b"-1e300\n" * 12 + b"1e300\n" * 8)
    assert Counter(read(STUMP.format(threshold), rows=rows).reached.tolist()) == {0: 12, 1: 8}


def test_rows_are_refused_where_they_cannot_be_followed():
    rows = pd.DataFrame({"age": [1] * 9})
    with pytest.raises(InputError, match="without counts"):
        read(STUMP.format("40.50").replace("3.00", "3.25"), rows=rows)
    with pytest.raises(OptionError, match="leave rows out"):
        read('{"leaves": [{"rows": 9}]}', rows=rows)
    inner = '<Node recordCount="9"><SimplePredicate field="sex" operator="equal" value="f"/></Node>'
    with pytest.raises(InputError, match="other than thresholds"):
        read(document(f'<TreeModel><Node recordCount="9"><True/>{inner}</Node></TreeModel>'), rows=rows)


# The command line.


def run(*args, **options):
    return CliRunner().invoke(main, ["audit", *map(str, args)], **options)


@pytest.fixture
def stump(tmp_path):
    path = tmp_path / "tree.txt"
    path.write_text(STUMP.format("40.50"))
    return path


def test_a_tree_is_audited_on_the_command_line(stump):
    result = run(stump, "--tree", "-k", 5)
    assert result.exit_code == 1
    assert result.stdout.startswith("WITHHOLD: tree.txt, 1 tree with 2 leaves, of 20 rows; k = 5.")
    assert "  age ≤ 40.5: 3 rows, class ill\n" in result.stdout


def test_a_tree_comes_from_a_pipe_as_well(stump):
    result = run("-", "--tree", "--format", "text", "-k", 5, input=stump.read_bytes())
    assert result.exit_code == 1
    assert result.stdout.startswith("WITHHOLD: standard input")


def test_rows_clear_a_tree_on_the_command_line(stump, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("sex,age\n" + "1,30\n" * 12 + "1,50\n" * 8)
    assert run(stump, "--tree", "-k", 3).exit_code == 1
    result = run(stump, "--tree", "-k", 3, "--rows", rows)
    assert (result.exit_code, result.stdout.split(":")[0]) == (0, "RELEASE")


def test_a_tree_is_reported_as_json(stump, tmp_path):
    out = tmp_path / "report.json"
    assert run(stump, "--tree", "--policy", "acro", "--out", out).exit_code == 1
    told = json.loads(out.read_text())
    assert (told["report"], told["input"]["file"], told["leaves"]) == ("tree audit", "tree.txt", 2)
    assert json.loads(run(stump, "--tree", "--policy", "acro", "--json").stdout) == told


def test_no_more_leaves_are_explained_than_asked_for(stump):
    assert "age ≤ 40.5" not in run(stump, "--tree", "-k", 5, "--explain", 0).stdout


@pytest.mark.parametrize(
    "option",
    [
        ("--min-support", "5%"),
        ("--rules",),
        ("--top",),
        ("--schema", "="),
        ("--kind", "closed"),
        ("--item", "x"),
        ("--memory", "1GB"),
        ("--against", "x"),
    ],
    ids=" ".join,
)
def test_options_that_are_not_for_trees_are_refused(stump, option):
    result = run(stump, "--tree", "-k", 5, *option)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert f"{option[0]} is not for trees" in result.stderr


@pytest.mark.parametrize("name", ["no tree", "unclosed", "deep JSON", "no XML", "NUL", "long number"])
def test_a_wrong_file_ends_in_one_sentence(tmp_path, name):
    path = tmp_path / "tree.txt"
    path.write_bytes(WRONG[name])
    result = run(path, "--tree", "-k", 5)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_labels_that_would_steer_the_terminal_are_escaped(tmp_path):
    path = tmp_path / "tree.json"
    labels = ["\x1b[31m", "\u202e", "\n"]
    path.write_text(json.dumps({"leaves": [{"if": labels, "counts": {"\x1b[0m": 2}}]}))
    text = run(path, "--tree", "-k", 5)
    assert text.exit_code == 1
    assert "\x1b" not in text.stdout
    assert json.loads(run(path, "--tree", "-k", 5, "--json").stdout)["findings"][0]["path"] == labels


def test_all_ways_to_write_a_tree_give_one_verdict(tmp_path):
    features, classes = aged()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(features, classes)
    write_tree(tree, tmp_path / "tree.json")
    (tmp_path / "tree.dot").write_text(export_graphviz(tree, feature_names=list(features), class_names=CLASSES))
    (tmp_path / "tree.txt").write_text(export_text(tree, feature_names=list(features), show_weights=True))
    (tmp_path / "tree.pmml").write_text(document(pmml(tree, list(features))))
    for suffix, k in product(("json", "dot", "txt", "pmml"), (5, 16)):
        result = run(tmp_path / f"tree.{suffix}", "--tree", "-k", k)
        assert result.stdout.split(":")[0] == audit(tree, k=k).verdict.name
