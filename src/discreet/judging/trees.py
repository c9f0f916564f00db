"""Judging decision trees, forests and lists of rules by the counts of their leaves."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, TypeAlias

from numpy.typing import ArrayLike

from discreet.judging import checks
from discreet.judging.finding import NO_PATTERNS, AuditParts, Evidence
from discreet.judging.policy import Check, CheckName, Policy, Verdict
from discreet.publications.trees.leaves import Few, Forest, Leaf, Leaves, find_overlaps
from discreet.publications.trees.sklearn import Fitted, is_estimator, list_trees
from discreet.publications.trees.targets import Inferences, assume_binary, infer_counts, name_value, resolve_counts
from discreet.runtime.text import count_of

Published: TypeAlias = Leaves | Fitted  # a tree or a forest that somebody wants to publish
UNKNOWN_TARGETS: Final = (
    "The leaves show means, and a mean of few values is a count: a mean of 0.05 of 20 rows with 0 or 1 is one row. "
    "Give the values that the target takes, or the rows and their targets."
)
OPEN_TARGETS: Final = "The counts behind the means could not be followed to the end: give the rows and their targets."
SAMPLE: Final = (
    "fitted on rows drawn with repetition (bootstrap): a row may count several times or not at all, so no count is one "
    "of rows."
)
MEDIANS: Final = (
    "The leaves show medians, or do not say that they show means, and a median may be the value of one row: use the "
    "criterion squared_error, and show it."
)


def is_tree(source: object) -> bool:
    """Return whether something is audited as a tree: leaves, an estimator of scikit-learn, or a list of these."""
    every = source if isinstance(source, list | tuple) else [source]
    return bool(every) and all(isinstance(one, Leaves) or is_estimator(one) for one in every)


def judge_trees(source: object, policy: Policy, rows: object = None, targets: ArrayLike | None = None) -> AuditParts:
    """Judge a tree, a forest or a list of rules with its counts.

    The leaves of a tree partition its rows, so a reader learns only the counts of leaves and classes: it is safe if and
    only if each is 0 or at least k (Theorem F1). ``rows`` are the features of the fit, to check thresholds, and
    ``targets`` those of a tree of means: if they take few values, its means are counts.
    """
    given = list_trees(source, rows, targets)
    trees = Forest(assume_binary(resolve_counts(tree)) for tree in given)
    inferred = [[infer_counts(tree, leaf, policy.k) for leaf in tree.leaves] if tree.targets else [] for tree in trees]
    found = chain(_find_few(trees, policy.k), _find_few_targets(trees, policy.k, inferred))
    few = sorted(found, key=lambda one: one.high)
    size = CheckName.SIZE.release(f"{trees}.")
    if not trees or not all(tree.rows for tree in trees):
        size = CheckName.SIZE.withhold(0, "There is no leaf or no row, so there is nothing to judge.")
    every = [size, *checks.check_k(policy, min((tree.rows for tree in trees), default=0)), *_check_counts(trees)]
    every += [checks.check_low_counts(policy, len(few), noun="count"), *_check_targets(given, inferred)]
    if not few and len(trees) > 1:
        check, few = _check_several(policy, trees)
        every.append(check)
    samples, medians = sum(tree.is_sample for tree in trees), sum(tree.is_median for tree in trees)
    if samples:
        every.append(CheckName.SAMPLE.review(samples, f"{count_of(samples, 'tree')} {SAMPLE}"))
    if policy.round_to is not None:
        wrong = sum(count % policy.round_to > 0 for tree in trees for leaf in tree.leaves for count in _counts(leaf))
        every.append(checks.check_rounding(policy, wrong, "count"))
    every += _check_class_disclosure(policy, trees)
    if medians:
        every.append(CheckName.MEDIANS.review(medians, MEDIANS))
    evidence = Evidence(NO_PATTERNS, leaves=tuple(few))
    return trees, str(trees), policy, (*every, *_check_thresholds(policy, trees)), evidence


def _check_counts(trees: Forest) -> Iterator[Check]:
    """Judge whether the trees show counts, and whether these are counts of rows."""
    faults = [tree.fault for tree in trees if tree.fault]
    if faults:
        yield CheckName.COUNTS.withhold(len(faults), faults[0])
    doubts = [tree.doubt for tree in trees if tree.doubt and not tree.fault]
    if doubts:
        advice = "ask" if any(tree.reached is not None for tree in trees) else "ask, or give the rows"
        sentence = f"These may not be counts of rows: {doubts[0]}; {advice}."
        yield CheckName.WEIGHTS.review(len(doubts), sentence)


def _find_few(trees: Forest, k: int) -> Iterator[Few]:
    """Yield the counts from 1 to k − 1: of leaves and classes, or of leaves where nothing else is known.

    In a sample drawn with repetition, the rows of a leaf may be fewer than its counts.
    """
    for number, tree in enumerate(trees, start=1):
        by = (number,) * (len(trees) > 1)
        for leaf in tree.leaves:
            for output, (labels, counts) in enumerate(zip(tree.classes, leaf.counts, strict=False), start=1):
                which = f" of output {output}" * (len(tree.classes) > 1)
                small = ((label, count) for label, count in zip(labels, counts, strict=True) if 0 < count < k)
                yield from (Few(leaf.path, f"class {label}{which}", count, count, by) for label, count in small)
            if (tree.is_sample or not leaf.counts) and 0 < leaf.rows < k:
                yield Few(leaf.path, "", leaf.rows, leaf.rows, by)


def _find_few_targets(trees: Forest, k: int, inferred: Sequence[Sequence[Inferences]]) -> Iterator[Few]:
    """Yield the 1 to k − 1 rows that means reveal: with some values of the target, or without the commonest."""
    for number, (tree, known) in enumerate(zip(trees, inferred, strict=True), start=1):
        by = (number,) * (len(trees) > 1)
        for leaf, inferences in zip(tree.leaves, known, strict=False):
            for one in inferences.counts:
                which = f" of output {one.output}" * (len(leaf.means) > 1)
                yield Few(leaf.path, f"target {' or '.join(map(name_value, one.values))}{which}", one.low, one.high, by)
        for leaf in tree.leaves:
            for output, count in enumerate(leaf.others or (), start=1):
                which = f" of output {output}" * (len(leaf.others or ()) > 1)
                if 0 < count < k:
                    yield Few(leaf.path, f"targets other than the commonest{which}", count, count, by)


def _check_targets(trees: Sequence[Leaves], inferred: Sequence[Sequence[Inferences]]) -> Iterator[Check]:
    """Judge whether it is known what means reveal: if the target takes few values, they are counts of these."""
    means = [tree for tree in trees if not (tree.classes or tree.targets or tree.fault)]
    unknown = sum(any(leaf.others is None for leaf in tree.leaves) for tree in means)
    many = unknown or sum(any(inferences.is_open for inferences in known) for known in inferred)
    if many:
        yield CheckName.TARGETS.review(many, UNKNOWN_TARGETS if unknown else OPEN_TARGETS)


def _check_several(policy: Policy, trees: Forest) -> tuple[Check, list[Few]]:
    """Judge what several trees reveal together, each of them being safe alone."""
    few, undecided = find_overlaps(trees, policy.k)
    known = f"known to hold fewer than {policy.k} rows of a class."
    check = CheckName.SEVERAL_TREES.release(f"No overlap of their leaves is {known}")
    if few:
        check = CheckName.SEVERAL_TREES.withhold(len(few), f"{count_of(len(few), 'overlap')} of leaves {known}")
    elif undecided:
        sentence = f"Each tree is safe alone; what they reveal together could not be followed: {undecided}."
        check = CheckName.SEVERAL_TREES.review(0, sentence)
    return check, list(few)


def _counts(leaf: Leaf) -> list[int]:
    return [count for counts in leaf.counts for count in counts] or [leaf.rows]


def _check_class_disclosure(policy: Policy, trees: Forest) -> Iterator[Check]:
    """Judge what a leaf reveals of all its rows, as the policy judges counts of 0."""
    pure = sum(leaf.is_pure or 0 in _counts(leaf) for tree in trees for leaf in tree.leaves)
    sentence = f"{pure:,} of the leaves reveal what all their rows have, or that none is of some class."
    if policy.zeros is not Verdict.RELEASE:
        disclosed = Check(CheckName.CLASS_DISCLOSURE, policy.zeros, pure, sentence)
        yield disclosed if pure else CheckName.CLASS_DISCLOSURE.release("Every leaf holds rows of every class.")


def _check_thresholds(policy: Policy, trees: Forest) -> Iterator[Check]:
    """Judge whether thresholds reveal values of rows: each lies midway between two, unless it was drawn at random."""
    splits = [split for tree in trees for split in tree.splits]
    few = sum(split.held is not None and split.held < policy.k for split in splits)
    unknown = sum(split.held is None for split in splits)
    if few or unknown:
        of_few = f"two values, one of them of fewer than {policy.k} rows."
        of_two = "the values of two rows: round them, or give the rows to have them checked."
        sentence = f"{count_of(few or unknown, 'threshold')} midway between {of_few if few else of_two}"
        yield CheckName.THRESHOLDS.review(few or unknown, sentence)
    elif any(leaf.box for tree in trees for leaf in tree.leaves):
        yield CheckName.THRESHOLDS.release("No threshold reveals the values of few rows.")
