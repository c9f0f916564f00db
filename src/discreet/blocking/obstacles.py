"""Obstacles: what to leave out if a method does not meet a policy, tried for real."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from discreet.blocking.problem import BlockProblem
from discreet.blocking.release import Obstacle, Release
from discreet.data.itemsets import Label
from discreet.data.leaving_out import drop_items
from discreet.judging.in_the_way import list_findings, name_fewest


def name_obstacles(release: Release, problem: BlockProblem, solve: Callable[[BlockProblem], Release]) -> Release:
    """Return the release with the items, and the attributes, that are in the way of its policy, the fewest first.

    Without them, the method ends in RELEASE: it was tried. What leaving out cannot mend has no obstacles; the checks of
    the release say what it is.
    """
    if release.is_safe:
        return release
    ways = (_try(release, problem, solve, attributes=attributes) for attributes in (False, True))
    found = dict.fromkeys(obstacle for way in ways for obstacle in way)
    return replace(release, in_the_way=tuple(sorted(found, key=lambda one: (len(one.leave_out), -one.itemsets))))


def _try(
    release: Release, problem: BlockProblem, solve: Callable[[BlockProblem], Release], *, attributes: bool
) -> Iterator[Obstacle]:
    """Yield what to leave out, if that leads to RELEASE; each turn leaves out one item more, so it ends."""
    names: tuple[Label, ...] = ()
    while not release.is_safe:
        findings = [] if release.audit is None else list_findings(release.audit.evidence)
        if not findings:
            return
        names = (*names, *name_fewest(findings, release.patterns, attributes=attributes))
        release = solve(_leave_out(problem, names))
    yield Obstacle(names, len(release.patterns))


def _leave_out(problem: BlockProblem, names: tuple[Label, ...]) -> BlockProblem:
    rows = drop_items(problem.rows, names)
    known = drop_items(replace(problem.patterns, mined=None), names).schema
    return replace(problem, rows=rows, patterns=problem.mine(rows)).assume(known)
