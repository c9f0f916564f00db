"""Trees: whether a decision tree, a forest or a list of rules may be published, by the counts of its leaves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.judging import checks
from discreet.judging.checks import Check
from discreet.judging.policy import Policy
from discreet.judging.verdict import Verdict, worst
from discreet.publications.trees.joint import joint
from discreet.publications.trees.json import write_tree
from discreet.publications.trees.leaves import Few, Leaf, Leaves
from discreet.publications.trees.reading import read_tree
from discreet.publications.trees.sklearn import Fitted, is_estimator, trees_of
from discreet.publications.trees.targets import Told, as_if_binary, inferred, named, resolved
from discreet.runtime.text import count_of

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.report import Source

__all__ = ["Few", "Leaf", "Leaves", "TreeAudit", "read_tree", "write_tree"]

Published: TypeAlias = Leaves | Fitted
"""A tree or a forest that somebody wants to publish."""


@dataclass(frozen=True, eq=False, repr=False)
class TreeAudit:
    """What was found about published ``trees``, judged by a policy; the worst check is the verdict.

    ``found`` are the leaves, or overlaps of leaves, that tell of fewer than k rows, those of the fewest first.

    >>> from discreet import audit
    >>> rules = Leaves.from_rules([("age > 60", {"ill": 20, "well": 9}), ("", {"ill": 3, "well": 80})])
    >>> found = audit(rules, k=5)
    >>> found.verdict.name, [str(few) for few in found.found]
    ('WITHHOLD', ['none of the rules before: 3 rows, class ill'])
    """

    policy: Policy
    trees: tuple[Leaves, ...]
    checks: tuple[Check, ...]
    found: tuple[Few, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst of the verdicts of all checks."""
        return worst(check.verdict for check in self.checks)

    def __repr__(self) -> str:
        return f"<TreeAudit: {self.verdict.name}, {self.policy.name}, {described(self.trees)}>"

    def to_html(
        self, *, source: "Source | None" = None, explain: int = 100, timestamp: "datetime | None" = None
    ) -> str:
        """Return the audit as a page of HTML that needs nothing but itself (docs/report.md)."""
        from discreet.report import tree_html  # noqa: PLC0415 - a door: loaded when it is opened

        return tree_html(self, source=source, explain=explain, timestamp=timestamp)

    def _repr_html_(self) -> str:
        """Return the verdict and the checks as a table, for notebooks."""
        note = "Its .found are the leaves that tell too much." if self.found else ""
        return checks.table(described(self.trees), self.policy, self.checks, note)


def is_tree(source: object) -> bool:
    """Return whether something is to be audited as a tree: leaves, an estimator of scikit-learn, or a list of these."""
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(one, Leaves) or is_estimator(one) for one in source)
    return isinstance(source, Leaves) or is_estimator(source)


def audited(source: Any, policy: Policy, rows: Any = None, targets: Any = None) -> TreeAudit:  # noqa: ANN401 - scikit-learn is optional
    """Return what publishing a tree, a forest or a list of rules with its counts would give away.

    The leaves of a tree part its rows, so nothing is told but the counts of leaves and classes: it is safe if and only
    if each is 0 or at least k (Theorem F1). ``rows`` are the features that it was fitted on, to check thresholds, and
    ``targets`` those of a tree of means: what few values they take makes counts of its means.
    """
    given = trees_of(source, rows, targets)
    trees = tuple(as_if_binary(resolved(tree)) for tree in given)
    told = [[inferred(tree, leaf, policy.k) for leaf in tree.leaves] if tree.targets else [] for tree in trees]
    found = sorted(chain(_few(trees, policy.k), _few_targets(trees, policy.k, told)), key=lambda few: few.high)
    every = [_size(trees), *_faults(trees), _low_counts(policy, found), *_targets(given, told)]
    if not found and len(trees) > 1:
        check, found = _together(policy, trees)
        every.append(check)
    every += [*_samples(trees), *_rounding(policy, trees), *_class_disclosure(policy, trees), *_values(trees)]
    return TreeAudit(policy, trees, (*every, *_thresholds(policy, trees)), tuple(found))


def described(trees: tuple[Leaves, ...]) -> str:
    """Return how many trees, leaves and rows there are, in words."""
    leaves = sum(len(tree.leaves) for tree in trees)
    rows = max((tree.rows for tree in trees), default=0)
    many = f"{leaves:,} {'leaf' if leaves == 1 else 'leaves'}"
    return f"{count_of(len(trees), 'tree')} with {many}, of {count_of(rows, 'row')}"


def _size(trees: tuple[Leaves, ...]) -> Check:
    if not trees or not all(tree.rows for tree in trees):
        return Check("size", Verdict.WITHHOLD, 0, "There is no leaf or no row, so there is nothing to judge.")
    return Check("size", Verdict.RELEASE, 0, f"{described(trees)}.")


def _faults(trees: tuple[Leaves, ...]) -> Iterator[Check]:
    """Yield why counts cannot be told, which is withheld, or need not be those of rows."""
    faults = [tree.fault for tree in trees if tree.fault]
    if faults:
        yield Check("counts", Verdict.WITHHOLD, len(faults), faults[0])
    doubts = [tree.doubt for tree in trees if tree.doubt and not tree.fault]
    if doubts:
        advice = "ask" if any(tree.reached is not None for tree in trees) else "ask, or give the rows (rows=, --rows)"
        sentence = f"Whether these are counts of rows is not told: {doubts[0]}; {advice}."
        yield Check("weights", Verdict.REVIEW, len(doubts), sentence)


def _few(trees: tuple[Leaves, ...], k: int) -> Iterator[Few]:
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


def _few_targets(trees: tuple[Leaves, ...], k: int, told: Sequence[Sequence[Told]]) -> Iterator[Few]:
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
        return Check("low counts", Verdict.WITHHOLD, len(found), f"{count_of(len(found), 'count')} below {policy.k}.")
    return Check("low counts", Verdict.RELEASE, 0, f"No count of a leaf and a class is below {policy.k}.")


def _targets(trees: tuple[Leaves, ...], told: Sequence[Sequence[Told]]) -> Iterator[Check]:
    """Yield whether it is known what means tell: where the target takes few values, they are counts of these."""
    means = [tree for tree in trees if not (tree.classes or tree.targets or tree.fault)]
    unknown = sum(any(leaf.others is None for leaf in tree.leaves) for tree in means)
    if unknown:
        sentence = (
            "The leaves tell means, and those of few values are counts: a mean of 0.05 of 20 rows with 0 or 1 is one "
            "row. Give the values that the target takes, or the rows and their targets (targets=, --targets)."
        )
        yield Check("targets", Verdict.REVIEW, unknown, sentence)
    many = sum(any(is_open for _, is_open in known) for known in told)
    if many and not unknown:
        sentence = (
            "Which counts the means may come of could not be followed to the end: give the rows and their targets "
            "(rows=, targets=)."
        )
        yield Check("targets", Verdict.REVIEW, many, sentence)


def _together(policy: Policy, trees: tuple[Leaves, ...]) -> tuple[Check, list[Few]]:
    """Judge what several trees tell together, each being safe alone."""
    few, undecided = joint(trees, policy.k)
    if few:
        sentence = f"{count_of(len(few), 'overlap')} of leaves known to hold fewer than {policy.k} rows of a class."
        return Check("several trees", Verdict.WITHHOLD, len(few), sentence), list(few)
    if undecided:
        sentence = f"Each tree is safe alone; what they tell together could not be followed: {undecided}."
        return Check("several trees", Verdict.REVIEW, 0, sentence), []
    sentence = f"No overlap of their leaves is known to hold fewer than {policy.k} rows of a class."
    return Check("several trees", Verdict.RELEASE, 0, sentence), []


def _samples(trees: tuple[Leaves, ...]) -> Iterator[Check]:
    many = sum(tree.is_sample for tree in trees)
    if many:
        sentence = (
            f"{count_of(many, 'tree')} fitted on rows drawn with repetition (bootstrap): a row may count more than "
            "once, and the others not at all, so that no count is one of rows."
        )
        yield Check("sample", Verdict.REVIEW, many, sentence)


def _rounding(policy: Policy, trees: tuple[Leaves, ...]) -> Iterator[Check]:
    if policy.round_to is not None:
        found = sum(count % policy.round_to > 0 for tree in trees for leaf in tree.leaves for count in _told(leaf))
        if found:
            sentence = f"{count_of(found, 'count')} not rounded; {policy.name} asks for multiples of {policy.round_to}."
            yield Check("rounding", Verdict.REVIEW, found, sentence)
        else:
            yield Check("rounding", Verdict.RELEASE, 0, f"All counts are multiples of {policy.round_to}.")


def _told(leaf: Leaf) -> list[int]:
    return [count for counts in leaf.counts for count in counts] or [leaf.rows]


def _class_disclosure(policy: Policy, trees: tuple[Leaves, ...]) -> Iterator[Check]:
    """Yield what is told of all who reach a leaf, by what the policy says of counts of 0."""
    if policy.zeros is Verdict.RELEASE:
        return
    found = sum(leaf.is_pure or 0 in _told(leaf) for tree in trees for leaf in tree.leaves)
    if found:
        sentence = f"{found:,} of the leaves tell what all who reach them have, or that none is of some class."
        yield Check("class disclosure", policy.zeros, found, sentence)
    else:
        yield Check("class disclosure", Verdict.RELEASE, 0, "Every leaf holds rows of every class.")


def _values(trees: tuple[Leaves, ...]) -> Iterator[Check]:
    many = sum(tree.is_median for tree in trees)
    if many:
        sentence = (
            "The leaves tell medians, or do not say that they tell means, and a median may be the value of one row: "
            "use the criterion squared_error, and show it."
        )
        yield Check("medians", Verdict.REVIEW, many, sentence)


def _thresholds(policy: Policy, trees: tuple[Leaves, ...]) -> Iterator[Check]:
    """Yield whether thresholds tell values of rows: each is the middle of two, unless it was drawn by chance."""
    splits = [split for tree in trees for split in tree.splits]
    few = sum(split.held is not None and split.held < policy.k for split in splits)
    unknown = sum(split.held is None for split in splits)
    if few:
        sentence = f"{count_of(few, 'threshold')} midway between two values, one of them of fewer than {policy.k} rows."
        yield Check("thresholds", Verdict.REVIEW, few, sentence)
    elif unknown:
        sentence = (
            f"{count_of(unknown, 'threshold')} midway between the values of two rows: round them, or give the rows "
            "(rows=, --rows) to have them checked."
        )
        yield Check("thresholds", Verdict.REVIEW, unknown, sentence)
    elif any(leaf.box for tree in trees for leaf in tree.leaves):
        yield Check("thresholds", Verdict.RELEASE, 0, "No threshold tells the values of few rows.")
