"""Trees: whether a decision tree, a forest or a list of rules may be published, by the counts of its leaves."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from discreet.judging.finding import NO_PATTERNS, Evidence
from discreet.judging.policy import Policy
from discreet.judging.verdict import Check, CheckName, Verdict
from discreet.publications.trees.joint import joint
from discreet.publications.trees.leaves import Few, Forest, Leaf, Leaves
from discreet.publications.trees.sklearn import Fitted, is_estimator, trees_of
from discreet.publications.trees.targets import Told, as_if_binary, inferred, named, resolved
from discreet.runtime.text import count_of

Published: TypeAlias = Leaves | Fitted
"""A tree or a forest that somebody wants to publish."""


class JudgedTrees(NamedTuple):
    """An audit of trees, in parts."""

    candidate: Forest
    what: str
    policy: Policy
    checks: tuple[Check, ...]
    evidence: Evidence


def is_tree(source: object) -> bool:
    """Return whether something is to be audited as a tree: leaves, an estimator of scikit-learn, or a list of these."""
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(one, Leaves) or is_estimator(one) for one in source)
    return isinstance(source, Leaves) or is_estimator(source)


def judge_trees(source: Any, policy: Policy, rows: Any = None, targets: Any = None) -> JudgedTrees:  # noqa: ANN401 - scikit-learn is optional
    """Return what publishing a tree, a forest or a list of rules with its counts would give away.

    The leaves of a tree part its rows, so nothing is told but the counts of leaves and classes: it is safe if and only
    if each is 0 or at least k (Theorem F1). ``rows`` are the features that it was fitted on, to check thresholds, and
    ``targets`` those of a tree of means: what few values they take makes counts of its means.
    """
    given = trees_of(source, rows, targets)
    trees = Forest(as_if_binary(resolved(tree)) for tree in given)
    told = [[inferred(tree, leaf, policy.k) for leaf in tree.leaves] if tree.targets else [] for tree in trees]
    found = sorted(chain(_few(trees, policy.k), _few_targets(trees, policy.k, told)), key=lambda few: few.high)
    every = [_size(trees), *_faults(trees), _low_counts(policy, found), *_targets(given, told)]
    if not found and len(trees) > 1:
        check, found = _together(policy, trees)
        every.append(check)
    every += [*_samples(trees), *_rounding(policy, trees), *_class_disclosure(policy, trees), *_values(trees)]
    evidence = Evidence(NO_PATTERNS, leaves=tuple(found))
    return JudgedTrees(trees, str(trees), policy, (*every, *_thresholds(policy, trees)), evidence)


def _size(trees: Forest) -> Check:
    if not trees or not all(tree.rows for tree in trees):
        return Check(CheckName.SIZE, Verdict.WITHHOLD, 0, "There is no leaf or no row, so there is nothing to judge.")
    return Check(CheckName.SIZE, Verdict.RELEASE, 0, f"{trees}.")


def _faults(trees: Forest) -> Iterator[Check]:
    """Yield why counts cannot be told, which is withheld, or need not be those of rows."""
    faults = [tree.fault for tree in trees if tree.fault]
    if faults:
        yield Check(CheckName.COUNTS, Verdict.WITHHOLD, len(faults), faults[0])
    doubts = [tree.doubt for tree in trees if tree.doubt and not tree.fault]
    if doubts:
        advice = "ask" if any(tree.reached is not None for tree in trees) else "ask, or give the rows (rows=, --rows)"
        sentence = f"Whether these are counts of rows is not told: {doubts[0]}; {advice}."
        yield Check(CheckName.WEIGHTS, Verdict.REVIEW, len(doubts), sentence)


def _few(trees: Forest, k: int) -> Iterator[Few]:
    """Yield the counts from 1 to k − 1: of leaves and classes, or of leaves where nothing else is told.

    Of a sample that was drawn with repetition, the rows of a leaf may be fewer than its counts.
    """
    for number, tree in enumerate(trees, start=1):
        by = (number,) * (len(trees) > 1)
        for leaf in tree.leaves:
            for output, (labels, counts) in enumerate(zip(tree.classes, leaf.counts, strict=False), start=1):
                which = f" of output {output}" * (len(tree.classes) > 1)
                for label, count in zip(labels, counts, strict=True):
                    if 0 < count < k:
                        yield Few(leaf.path, f"class {label}{which}", count, count, by)
            if (tree.is_sample or not leaf.counts) and 0 < leaf.rows < k:
                yield Few(leaf.path, "", leaf.rows, leaf.rows, by)


def _few_targets(trees: Forest, k: int, told: Sequence[Sequence[Told]]) -> Iterator[Few]:
    """Yield what means tell of 1 to k − 1 rows that have some of the values of the target, or not the commonest."""
    for number, (tree, known) in enumerate(zip(trees, told, strict=True), start=1):
        by = (number,) * (len(trees) > 1)
        for leaf, (every, _) in zip(tree.leaves, known, strict=False):
            for one in every:
                which = f" of output {one.output}" * (len(leaf.means) > 1)
                yield Few(leaf.path, f"target {' or '.join(map(named, one.values))}{which}", one.low, one.high, by)
        for leaf in tree.leaves:
            for output, count in enumerate(leaf.others or (), start=1):
                which = f" of output {output}" * (len(leaf.others or ()) > 1)
                if 0 < count < k:
                    yield Few(leaf.path, f"targets other than the commonest{which}", count, count, by)


def _low_counts(policy: Policy, found: list[Few]) -> Check:
    if found:
        return Check(
            CheckName.LOW_COUNTS, Verdict.WITHHOLD, len(found), f"{count_of(len(found), 'count')} below {policy.k}."
        )
    return Check(CheckName.LOW_COUNTS, Verdict.RELEASE, 0, f"No count of a leaf and a class is below {policy.k}.")


def _targets(trees: Sequence[Leaves], told: Sequence[Sequence[Told]]) -> Iterator[Check]:
    """Yield whether it is known what means tell: where the target takes few values, they are counts of these."""
    means = [tree for tree in trees if not (tree.classes or tree.targets or tree.fault)]
    unknown = sum(any(leaf.others is None for leaf in tree.leaves) for tree in means)
    if unknown:
        sentence = (
            "The leaves tell means, and those of few values are counts: a mean of 0.05 of 20 rows with 0 or 1 is one "
            "row. Give the values that the target takes, or the rows and their targets (targets=, --targets)."
        )
        yield Check(CheckName.TARGETS, Verdict.REVIEW, unknown, sentence)
    many = sum(any(is_open for _, is_open in known) for known in told)
    if many and not unknown:
        sentence = (
            "Which counts the means may come of could not be followed to the end: give the rows and their targets "
            "(rows=, targets=)."
        )
        yield Check(CheckName.TARGETS, Verdict.REVIEW, many, sentence)


def _together(policy: Policy, trees: Forest) -> tuple[Check, list[Few]]:
    """Judge what several trees tell together, each being safe alone."""
    few, undecided = joint(trees, policy.k)
    if few:
        sentence = f"{count_of(len(few), 'overlap')} of leaves known to hold fewer than {policy.k} rows of a class."
        return Check(CheckName.SEVERAL_TREES, Verdict.WITHHOLD, len(few), sentence), list(few)
    if undecided:
        sentence = f"Each tree is safe alone; what they tell together could not be followed: {undecided}."
        return Check(CheckName.SEVERAL_TREES, Verdict.REVIEW, 0, sentence), []
    sentence = f"No overlap of their leaves is known to hold fewer than {policy.k} rows of a class."
    return Check(CheckName.SEVERAL_TREES, Verdict.RELEASE, 0, sentence), []


def _samples(trees: Forest) -> Iterator[Check]:
    many = sum(tree.is_sample for tree in trees)
    if many:
        sentence = (
            f"{count_of(many, 'tree')} fitted on rows drawn with repetition (bootstrap): a row may count more than "
            "once, and the others not at all, so that no count is one of rows."
        )
        yield Check(CheckName.SAMPLE, Verdict.REVIEW, many, sentence)


def _rounding(policy: Policy, trees: Forest) -> Iterator[Check]:
    if policy.round_to is not None:
        found = sum(count % policy.round_to > 0 for tree in trees for leaf in tree.leaves for count in _told(leaf))
        if found:
            sentence = f"{count_of(found, 'count')} not rounded; {policy.name} asks for multiples of {policy.round_to}."
            yield Check(CheckName.ROUNDING, Verdict.REVIEW, found, sentence)
        else:
            yield Check(CheckName.ROUNDING, Verdict.RELEASE, 0, f"All counts are multiples of {policy.round_to}.")


def _told(leaf: Leaf) -> list[int]:
    return [count for counts in leaf.counts for count in counts] or [leaf.rows]


def _class_disclosure(policy: Policy, trees: Forest) -> Iterator[Check]:
    """Yield what is told of all who reach a leaf, by what the policy says of counts of 0."""
    if policy.zeros is Verdict.RELEASE:
        return
    found = sum(leaf.is_pure or 0 in _told(leaf) for tree in trees for leaf in tree.leaves)
    if found:
        sentence = f"{found:,} of the leaves tell what all who reach them have, or that none is of some class."
        yield Check(CheckName.CLASS_DISCLOSURE, policy.zeros, found, sentence)
    else:
        yield Check(CheckName.CLASS_DISCLOSURE, Verdict.RELEASE, 0, "Every leaf holds rows of every class.")


def _values(trees: Forest) -> Iterator[Check]:
    many = sum(tree.is_median for tree in trees)
    if many:
        sentence = (
            "The leaves tell medians, or do not say that they tell means, and a median may be the value of one row: "
            "use the criterion squared_error, and show it."
        )
        yield Check(CheckName.MEDIANS, Verdict.REVIEW, many, sentence)


def _thresholds(policy: Policy, trees: Forest) -> Iterator[Check]:
    """Yield whether thresholds tell values of rows: each is the middle of two, unless it was drawn by chance."""
    splits = [split for tree in trees for split in tree.splits]
    few = sum(split.held is not None and split.held < policy.k for split in splits)
    unknown = sum(split.held is None for split in splits)
    if few:
        sentence = f"{count_of(few, 'threshold')} midway between two values, one of them of fewer than {policy.k} rows."
        yield Check(CheckName.THRESHOLDS, Verdict.REVIEW, few, sentence)
    elif unknown:
        sentence = (
            f"{count_of(unknown, 'threshold')} midway between the values of two rows: round them, or give the rows "
            "(rows=, --rows) to have them checked."
        )
        yield Check(CheckName.THRESHOLDS, Verdict.REVIEW, unknown, sentence)
    elif any(leaf.box for tree in trees for leaf in tree.leaves):
        yield Check(CheckName.THRESHOLDS, Verdict.RELEASE, 0, "No threshold tells the values of few rows.")
