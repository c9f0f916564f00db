"""What readers infer from a release beyond channels and remainders, and the rows that an inference is about."""

from collections.abc import Iterable, Iterator
from itertools import chain
from math import prod
from time import monotonic
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.problem import BlockProblem
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.attack import SECONDS, attack, search
from discreet.disclosure.attacks.certificate import itemsets_of
from discreet.disclosure.attacks.derive import SearchTask
from discreet.disclosure.attacks.exact import find_agreed
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.disclosure.attacks.formula import Pattern
from discreet.disclosure.attacks.histories import History, find_history
from discreet.disclosure.attacks.joint_releases import join_facts
from discreet.disclosure.beliefs.belief import belief
from discreet.errors import BudgetError, Either

FEW_KINDS: Final = 256  # possible rows up to which all databases that may have been published are looked at
AGREED_SECONDS: Final = 10.0  # for that; hardly ever more than one


class Inference(NamedTuple):
    """A pattern that readers infer to hold for 1 to k − 1 rows, and the ``itemsets`` on which the inference rests."""

    pattern: Pattern
    facts: Facts
    itemsets: tuple[Codes, ...]


class Inferred(NamedTuple):
    """What an attacker infers, and the ``history`` to look at next if some of the patterns are withheld."""

    findings: tuple[Inference, ...]
    history: History | None = None


def find_inferences(
    problem: BlockProblem, patterns: Patterns, rows: Weighted, *, is_whole: bool = True
) -> tuple[Inference, ...]:
    """Return what the attacker infers from the patterns of rows."""
    return infer(problem, patterns, rows, is_whole=is_whole).findings


def infer(
    problem: BlockProblem,
    patterns: Patterns,
    rows: Weighted,
    *,
    is_whole: bool = True,
    ends: float | None = None,
    history: History | None = None,
) -> Inferred:
    """Return what the attacker infers from the patterns of rows; refuse these if that is undecided when time ends.

    If few rows are possible, every reader may think of all databases that can have been published. If nothing can be
    inferred, what is believed beyond the bound of the problem counts.
    """
    if not len(patterns):
        return Inferred(())
    found = _attack(problem, patterns, rows, is_whole=is_whole, ends=ends, history=history)
    if found.findings or problem.max_belief is None:
        return found
    return found._replace(findings=tuple(_list_believed(problem, patterns, is_whole=is_whole, ends=ends)))


def _list_believed(
    problem: BlockProblem, patterns: Patterns, *, is_whole: bool, ends: float | None
) -> Iterator[Inference]:
    """Yield what is believed beyond the bound: each rests on the tops among its items."""
    most, seconds = problem.max_belief or 1.0, SECONDS if ends is None else max(0.0, ends - monotonic())
    olds = [one.patterns for one in problem.beside] if problem.grown else []
    given: dict[str, Any] = {"complete": is_whole, "against": olds, "grown": problem.grown}
    found = belief(patterns, k=problem.k, seconds=seconds, **given)
    if found.missed and not found.beyond(most):
        doubt = f"of {found.missed:,} larger combinations it is not known how sure a reader may be"
        raise BudgetError(f"{doubt}; nothing is released: ", Either(("raise {}", "seconds", "min_support")))
    facts = _join(problem, patterns, is_whole=is_whole)
    for one in found.beyond(most):
        pattern = Pattern.conjunction(*([facts.code[label] for label in side] for side in (one.held, one.lacked)))
        yield Inference(pattern, facts, tuple(top for top in facts.tops if top <= pattern.over))


def _attack(
    problem: BlockProblem,
    patterns: Patterns,
    rows: Weighted,
    *,
    is_whole: bool,
    ends: float | None,
    history: History | None,
) -> Inferred:
    """Return what the attacker infers for certain; if few rows are possible, also what all databases agree on.

    Attackers who know more than sums are more than that reader in one way and less in another: both must find nothing.
    """
    found = Inferred(())
    if problem.against != "plain" or problem.beside:
        found = _search(problem, patterns, rows, is_whole=is_whole, ends=ends, history=history)
    if found.findings or not has_few_kinds(problem, patterns):
        return found
    return found._replace(findings=_find_agreed(problem, patterns, rows, is_whole=is_whole))


def _search(
    problem: BlockProblem,
    patterns: Patterns,
    rows: Weighted,
    *,
    is_whole: bool,
    ends: float | None,
    history: History | None,
) -> Inferred:
    """Return what the attacker whom the release must withstand infers, beside older releases too."""
    ends_at = monotonic() + SECONDS if ends is None else ends
    if problem.beside and problem.grown:
        facts = _join(problem, patterns, is_whole=is_whole)
        result = search(SearchTask(facts, problem.k, history=history, ends=ends_at), problem.against)
    else:
        known, left = problem.as_rows(rows), max(0.0, ends_at - monotonic())
        result = attack(patterns, k=problem.k, level=problem.against, complete=is_whole, rows=known, seconds=left)
    if result.undecided and not result.findings:
        doubt = f"it was not decided whether the release withstands the attacker {problem.against!r}"
        more = ("raise {}", "min_support") if ends is None else ("raise {}", "seconds", "min_support")
        raise BudgetError(f"{doubt} ({result.undecided[0]}); nothing is released: ", Either(more))
    if history is not None and not result.undecided:
        history = history.narrow(result.facts, result.findings)
    findings = (
        Inference(one.pattern, one.facts, tuple(itemsets_of(one.certificate, one.facts))) for one in result.findings
    )
    return Inferred(tuple(findings), history)


def find_past(problem: BlockProblem, patterns: Patterns, ends: float) -> History | None:
    """Return when rows may have come, beside older releases of rows that have grown, for an attacker who needs it.

    It fits whatever part of the patterns is published.
    """
    if not problem.beside or problem.against != "linear":
        return None
    facts = _join(problem, patterns, is_whole=False)
    return find_history(facts, problem.rows, max(0.0, ends - monotonic()))


def _join(problem: BlockProblem, patterns: Patterns, *, is_whole: bool) -> Facts:
    """Return what readers of a new release and of older ones know."""
    olds = [one.patterns for one in problem.beside] if problem.grown else []
    return join_facts(patterns, olds, grown=problem.grown, complete=is_whole)


def has_few_kinds(problem: BlockProblem, patterns: Patterns) -> bool:
    """Return whether few rows are possible over the published items, and the release must not only withstand sums.

    A row has one value of each attribute of the schema, or none, and any other items. That depends on published items
    alone, so that it reveals nothing else.
    """
    items = frozenset(np.unique(patterns.items).tolist())
    values = [len(group & items) for group in problem.schema]
    others = len(items.difference(*problem.schema))
    is_few = others < FEW_KINDS and prod(many + 1 for many in values) << others <= FEW_KINDS
    return is_few and not problem.only_sums


def _find_agreed(problem: BlockProblem, patterns: Patterns, rows: Weighted, *, is_whole: bool) -> tuple[Inference, ...]:
    """Return a pattern of 1 to k − 1 rows in all tables that can have been published, if there is one.

    It rests on the largest itemsets that share most items with it.
    """
    facts = Facts.of(patterns, complete=is_whole)
    pattern = find_agreed(facts, k=problem.k, rows=problem.as_rows(rows), seconds=AGREED_SECONDS)
    if pattern is None:
        return ()
    shared = [len(top & pattern.over) for top in facts.tops]
    near = (top for top, many in zip(facts.tops, shared, strict=True) if many == max(shared))
    return (Inference(pattern, facts, tuple(near)),)


def match_rows(rows: Itemsets, patterns: Iterable[Pattern]) -> NDArray[np.bool_]:
    """Return for each row whether one of the patterns is true for it."""
    wanted = list(patterns)
    items = np.array(sorted(set(chain.from_iterable(pattern.over for pattern in wanted))), dtype=np.int64)
    place = np.full(int(max(rows.items.max(initial=-1), items.max(initial=-1))) + 1, items.size)
    place[items] = np.arange(items.size)
    holds = np.zeros((len(rows), items.size + 1), dtype=np.bool_)
    holds[rows.owners, place[rows.entries]] = True
    is_matched = np.zeros(len(rows), dtype=np.bool_)
    for pattern in wanted:
        over = sorted(pattern.over)
        for cell in pattern.cells:
            is_matched |= (holds[:, place[over]] == [item in cell for item in over]).all(axis=1)
    return is_matched
