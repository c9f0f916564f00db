"""Advise: what could be done so that patterns may be published, each remedy tried for real, the best first."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from os import PathLike
from typing import Any, Final, NamedTuple, Unpack

import numpy as np

from discreet.blocking.beside import OlderRelease, as_older
from discreet.blocking.block import block, compare
from discreet.blocking.blockers import METHODS
from discreet.blocking.comparison import say_method, worth
from discreet.blocking.costs import Costs, costs
from discreet.blocking.release import Release
from discreet.data.hierarchy import split_label
from discreet.data.itemsets import Label, sort_labels
from discreet.data.leaving_out import find_attributes, list_names
from discreet.data.patterns import Patterns
from discreet.data.schema import Groups
from discreet.data.thresholds import Threshold, say_count
from discreet.data.transactions import Transactions, as_transactions
from discreet.disclosure.attacks.finding import Level
from discreet.disclosure.channels import Channels
from discreet.errors import BudgetError, Message, OptionError, ThresholdError, refuse_truth
from discreet.io.bins import merge_bins
from discreet.io.hierarchies import list_hierarchies
from discreet.judging.audit import Audit, audit
from discreet.judging.finding import FindingGroup
from discreet.judging.policy import Policy, Verdict
from discreet.judging.tradeoff import tradeoff
from discreet.mining.mine import Mining
from discreet.runtime import html
from discreet.runtime.text import count_of, percent, points

LENGTHS: Final = {2: "publish single items and pairs only", 3: "publish up to three items together"}
MOST_LEFT_OUT: Final = 3  # items or attributes that are left out, one at a time
LESS: Final = "Publish less, or of more rows."
EXACT: Final = "withhold"  # the method that is tried with what is published made coarser: its numbers are exact


class Remedy(NamedTuple):
    """Something that could be done, tried: ``options`` are those of ``block`` that do it, beside what was asked.

    ``costs`` compare its ``release`` with all that was asked for. If it could not be tried, ``left_out`` says why.
    """

    what: str
    options: Mapping[str, Any]
    release: Release | None
    costs: Costs | None
    left_out: str = ""

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on its release; None if there is none."""
        return None if self.release is None else self.release.verdict

    @property
    def kept(self) -> int:
        """How many of the frequent itemsets that were asked for are published."""
        return 0 if self.costs is None else self.costs.itemsets.itemsets - self.costs.itemsets.lost

    @property
    def rows_touched(self) -> int:
        """How many rows were left out or invented."""
        return 0 if self.release is None else self.release.rows_suppressed + self.release.rows_added

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left of what was asked for, but perhaps the number of rows."""
        return self.kept <= 1 and self.costs is not None and self.costs.itemsets.itemsets > 1

    @property
    def rank(self) -> tuple[int, bool, float]:
        """What comes first: a better verdict, then what leaves anything, then more that is true."""
        if self.release is None or self.costs is None:
            return len(Verdict), True, 0.0
        deviation = worth(self.costs.deviation, is_true=not self.release.changes_rows)
        return self.release.verdict.value, self.is_empty, -deviation

    @property
    def sentence(self) -> str:
        """What it does, and what it costs, in a sentence."""
        if self.release is None or self.costs is None:
            return f"{self.what}: {self.left_out}"
        total, cost = self.costs.itemsets.itemsets, self.costs
        kept = f"keeps all {total:,} itemsets" if self.kept == total else f"keeps {self.kept:,} of {total:,} itemsets"
        if not self.release.changes_rows:
            rounded = self.release.policy.round_to
            return f"it {kept}, with {'exact' if rounded is None else f'rounded (to {rounded})'} numbers"
        out, new = self.release.rows_suppressed, self.release.rows_added
        rows = [f"leaves out {count_of(out, 'row')}"] * (out > 0) + [f"invents {count_of(new, 'row')}"] * (new > 0)
        n = f"n stays {cost.n_after:,}" if cost.n_before == cost.n_after else f"n becomes {cost.n_after:,}"
        share = f"the share of an item changes by up to {points(cost.shares.largest)}"
        return f"it {kept}, but {' and '.join(rows) or 'changes no row'}: {n}, and {share}"


class Cause(NamedTuple):
    """An item or an attribute, and the ``findings`` that it takes part in.

    A finding about several counts for each of them in equal parts: the ``shares`` add up to the number of findings.
    """

    name: Label
    findings: int
    share: Fraction


@refuse_truth(ask=".best")
@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """What publishing as asked would give away, what causes it, and what could be done, the best first.

    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> advice = advise(rows, min_support=10, k=10)
    >>> advice.best.what, dict(advice.best.options)
    ('leave out revealing combinations', {'method': 'withhold'})
    >>> [(cause.name, cause.findings, str(cause.share)) for cause in advice.items]
    [('a', 1, '1/3'), ('b', 1, '1/3'), ('c', 1, '1/3')]
    """

    audit: Audit
    items: tuple[Cause, ...]
    attributes: tuple[Cause, ...]
    remedies: tuple[Remedy, ...]

    @property
    def best(self) -> Remedy | None:
        """The remedy to take; None if none ends in RELEASE and leaves something to publish."""
        first = self.remedies[0]
        return first if first.verdict is Verdict.RELEASE and not first.is_empty else None

    @cached_property
    def recommendation(self) -> Message:
        """What to do, and why, in a sentence or two."""
        best = self.best
        if self.audit.verdict is Verdict.RELEASE:
            return Message("Nothing needs to be done: this may be published as it is.")
        if self.remedies[0].verdict is Verdict.RELEASE and self.remedies[0].is_empty:
            return Message(f"Nothing but the number of rows could be published safely. {LESS}")
        if best is None:
            nearest = self.remedies[0].release
            left = nearest.audit.advice if nearest is not None and nearest.audit is not None else LESS
            return Message("Nothing that was tried ends in RELEASE. ", left)
        told = Message(f"Best: {best.what}; {best.sentence}.")
        others = (one for one in self.remedies[1:] if one.verdict is Verdict.RELEASE and one.kept > best.kept)
        richer = max(others, key=lambda one: one.kept, default=None)
        if richer is None:
            return told
        why = _say_why(richer)
        every = "all " if richer.costs is not None and richer.kept == richer.costs.itemsets.itemsets else ""
        return Message(told, f" To keep {every}{richer.kept:,}, {richer.what}; but that {why}.")

    def __repr__(self) -> str:
        tried = f"{len(self.remedies)} remedies tried"
        return f"<Advice: {tried}, {'none may be published' if self.best is None else f'best: {self.best.what}'}>"

    def _repr_html_(self) -> str:
        head = ["what could be done", "verdict", "itemsets kept", "n", "items change by up to", "rows touched"]
        lines = [
            (one.what, *("–",) * 5)
            if one.costs is None or one.verdict is None
            else (
                *(one.what, one.verdict.name, f"{one.kept:,} of {one.costs.itemsets.itemsets:,}", one.costs.n_after),
                *(percent(one.costs.items.largest), one.rows_touched),
            )
            for one in self.remedies
        ]
        return html.table(repr(self)[1:-1], head, lines, note=self.recommendation)


def _say_why(remedy: Remedy) -> str:
    return remedy.sentence.partition(", but ")[2] or "is further from what was asked for"


class Situation(NamedTuple):
    """What remedies start from: the rows, their audit, its causes, and the options that were asked for."""

    rows: Transactions
    audit: Audit
    items: tuple[Cause, ...]
    attributes: tuple[Cause, ...]
    asked: Mapping[str, Any]

    @property
    def patterns(self) -> Patterns:
        """All that was asked for."""
        return self.audit.patterns


Suggested = tuple[str, dict[str, Any]]  # what could be done, and the options of ``block`` that do it


def advise(  # noqa: PLR0913 - as ``block``
    rows: Transactions | Iterable[Iterable[Label]],
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    schema: str | Groups | None = None,
    seconds: float | None = None,
    keep_n: bool = False,
    against: Level | None = None,
    beside: OlderRelease | Iterable[OlderRelease] = (),
    grown: bool = False,
    **budget: Unpack[Mining],
) -> Advice:
    """Return what could be done so that the itemsets of ``rows`` may be published, each remedy tried, the best first.

    What comes first is RELEASE, true to the data, and rich: numbers of the rows themselves are preferred to those of
    changed rows, unless they are fewer than half as many. "optimal" is tried if there are ``seconds`` for it.
    ``keep_n``, ``against``, ``beside`` and ``grown`` are those of ``block``, and every remedy keeps to them.
    ``advice.best.release`` is ready to be written; ``advice.best.options`` are those of ``block`` that made it, and
    take the place of what was asked.

    >>> rows = [["a", "b"]] * 40 + [["a"]] * 3 + [["b"]] * 30 + [[]] * 30
    >>> advice = advise(rows, min_support=20, k=5)
    >>> print(advice.recommendation.partition(";")[0])
    Best: leave out revealing combinations
    """
    data = as_transactions(rows)
    judged: dict[str, Any] = {"min_support": min_support, "k": k, "policy": policy, "schema": schema, **budget}
    older = as_older(beside, grown=grown)
    found = audit(data, **judged, against=[one.patterns for one in older], grown=grown)
    asked = {**judged, "keep_n": keep_n, "against": against, "beside": older, "grown": grown}
    asked |= {} if seconds is None else {"seconds": seconds}
    items, attributes = find_causes(found)
    situation = Situation(data, found, items, attributes, asked)
    tried = list(_try_methods(situation))
    if found.verdict is not Verdict.RELEASE:
        tried += [_try(situation, *one) for suggest in SUGGESTIONS for one in suggest(situation)]
    return Advice(found, items, attributes, tuple(sorted(tried, key=lambda remedy: remedy.rank)))


def _try_methods(situation: Situation) -> Iterator[Remedy]:
    """Yield what each method of ``block`` makes of all that was asked for; if nothing needs to change, the first."""
    quick = [name for name, blocker in METHODS.items() if "seconds" in situation.asked or not blocker.is_search]
    for line in compare(situation.rows, **situation.asked, methods=quick).lines:
        what = say_method(line.method, merge=line.merge)
        options = {"method": line.method, **({"merge": True} if line.merge else {})}
        release = line.release
        if release is not None and not release.distortion.changed:
            yield Remedy("publish it as it is", options, release, release.costs)
            return
        yield Remedy(what, options, release, None if release is None else release.costs, line.left_out)


def _try(situation: Situation, what: str, options: dict[str, Any]) -> Remedy:
    """Return what comes of publishing less, with exact numbers."""
    given = {"method": EXACT, **options}
    try:
        release = block(situation.rows, **{**situation.asked, **given})
    except (BudgetError, ThresholdError, OptionError) as error:
        return Remedy(what, given, None, None, error.message)
    return Remedy(_name_rest(what, release), given, release, costs(situation.patterns, release.patterns))


def _name_rest(what: str, release: Release) -> str:
    """Return what is done, with what is left out of the rest as well, so that it is safe."""
    if not release.distortion.lost:
        return what
    return f"{what}, {'and' if what.startswith('leave out') else 'less'} what still reveals"


def _shorten(situation: Situation) -> Iterator[Suggested]:
    longest = situation.patterns.itemsets.longest
    return ((what, {"max_length": length}) for length, what in LENGTHS.items() if length < longest)


def _raise_support(situation: Situation) -> Iterator[Suggested]:
    asked, k, before = situation.asked, situation.audit.k, situation.patterns
    given = {
        name: asked[name] for name in ("max_length", "leave_out", "hierarchy", "threads", "memory") if name in asked
    }
    least = tradeoff(situation.rows, min_supports=[before.min_support], ks=[k], **given).safe[k]
    if least is not None and before.min_support < least <= before.n:
        yield f"raise the minimum support to {say_count(least, before.n)}", {"min_support": least}


def _leave_out(situation: Situation) -> Iterator[Suggested]:
    """Yield the items or attributes that cause most findings, each alone, and the first two together."""
    already = list_names(situation.asked.get("leave_out"))
    names = [cause.name for cause in (situation.attributes or situation.items)[:MOST_LEFT_OUT]]
    for group in [*([name] for name in names), *[names[:2]] * (len(names) > 1)]:
        yield f"leave out {' and '.join(map(str, group))}", {"leave_out": (*already, *group)}


def _merge_rare(situation: Situation) -> Iterator[Suggested]:
    """Yield for each column of most findings its rarest values as one: so many that half of its findings are theirs.

    The merged values themselves are left out, so that nobody subtracts them.
    """
    asked, patterns, rows = situation.asked, situation.patterns, situation.rows
    held = dict(zip(rows.labels, np.bincount(rows.itemsets.entries, minlength=len(rows.labels)).tolist(), strict=True))
    shares = {cause.name: cause.share for cause in situation.items}
    above = {**merge_bins(rows.labels).parents, **({} if patterns.hierarchy is None else patterns.hierarchy.parents)}
    for name in (cause.name for cause in situation.attributes[:MOST_LEFT_OUT] if rows.hierarchy is None):
        values = sorted((one for one in held if split_label(one)[0] == name), key=lambda one: (held[one], str(one)))
        sums = [*accumulate(shares.get(one, Fraction()) for one in values)]
        most = max(2, 1 + bisect_left(sums, sums[-1] / 2)) if sums else 0
        rare = [one for one in values if held[one] <= held[values[min(most, len(values)) - 1]]]
        if "," in str(name) or not 1 < len(rare) < len(values) or not above.keys().isdisjoint(values):
            continue
        merged = [one for one in rare if held[one] >= patterns.min_support]
        yield (
            f"merge the {len(rare):,} rarest values of {name}",
            {
                "hierarchy": (*list_hierarchies(asked.get("hierarchy")), f"{name}=rare:{held[rare[-1]] + 1}"),
                "leave_out": (*list_names(asked.get("leave_out")), *merged),
            },
        )


def _merge_bins(situation: Situation) -> Iterator[Suggested]:
    """Yield the merging of neighbouring bins where that is needed, if there are bins without parents."""
    known = () if situation.patterns.hierarchy is None else situation.patterns.hierarchy.parents
    if situation.rows.hierarchy is None and merge_bins(one for one in situation.rows.labels if one not in known).pairs:
        hierarchy = (*list_hierarchies(situation.asked.get("hierarchy")), "bins")
        yield "merge neighbouring bins", {"method": "generalize", "hierarchy": hierarchy}


SUGGESTIONS: Final[tuple[Callable[[Situation], Iterator[Suggested]], ...]] = (
    _shorten,
    _raise_support,
    _leave_out,
    _merge_rare,
    _merge_bins,
)
"""Ways to publish less; a new one is a function and an entry here."""


def find_causes(found: Audit) -> tuple[tuple[Cause, ...], tuple[Cause, ...]]:
    """Return the items, and the attributes if there are any, that take part in findings, those of most first."""
    named = find_attributes(found.patterns)
    names: dict[Label, Label] = {found.patterns.labels[code]: name for name, codes in named.items() for code in codes}
    parts: Counter[frozenset[Label]] = Counter()
    for group in found.groups:
        for part, many in _find_parts(group):
            parts[part] += many
    items, attributes = (_count_causes(parts, known) for known in ({}, names))
    return items, attributes if names else ()


def _find_parts(group: FindingGroup) -> Iterator[tuple[frozenset[Label], int]]:
    """Yield the items of findings, of a channel those of its top, and how many findings have them."""
    channels = group.values
    if isinstance(channels, Channels):
        tops, counts = np.unique(channels.cells.tops, return_counts=True)
        for top, many in zip(tops.tolist(), counts.tolist(), strict=True):
            yield frozenset(channels.labels[code] for code in channels.tops[top].tolist()), many
    else:
        yield from ((finding.who.has.union(*finding.who.lacks), 1) for finding in group)


def _count_causes(parts: Mapping[frozenset[Label], int], names: Mapping[Label, Label]) -> tuple[Cause, ...]:
    findings: Counter[Label] = Counter()
    halves: Counter[tuple[Label, int]] = Counter()  # findings of each name, by the number of names that share them
    for part, many in parts.items():
        held = {names.get(label, label) for label in part}
        for name in held:
            findings[name] += many
            halves[name, len(held)] += many
    shares = dict.fromkeys(findings, Fraction())
    for (name, size), many in halves.items():
        shares[name] += Fraction(many, size)
    order = {name: at for at, name in enumerate(sort_labels(findings))}
    ranked = sorted(findings, key=lambda name: (-shares[name], -findings[name], order[name]))
    return tuple(Cause(name, findings[name], shares[name]) for name in ranked)
